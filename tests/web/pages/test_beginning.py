"""Encounters from the table page: begun by taps, joined, left, prepared, and loaded from samples."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.web.conftest import Visitor
from tests.web.pages.test_starting import form_of

from referee import registry
from referee.client import Client, SeatClient
from referee.core.draft_chance import random_sheet
from referee.core.errors import RefereeError
from referee.core.plain import Plain, write
from referee.core.questions import Choice
from referee.core.rulebook import Book
from referee.core.scene import Scene, Who
from referee.table.desk import Desk, DeskCommand
from referee.web.demo import samples
from referee.web.pages.parts.board import kinds_of

if TYPE_CHECKING:
    from tests.web.conftest import Running

EVERY: Final = [(system.name, kind) for system in map(registry.load, registry.OURS) for kind in kinds_of(system)]
OPTIONS: Final = {"FastDrawDuel": {"d6.advanced.duel": True, "d6.advanced.fast-draw": True}}
"""What a kind of encounter depends on."""
SKILLED: Final = {"FastDrawDuel": "high-noon", "Duel": "saloon", "ShipCombat": "patrol-ship"}
"""Not everyone can duel or command: it takes a skill, a weapon or a ship, which people at random may lack."""


@dataclass
class Own:
    """A table opened empty, with people at random in it."""

    running: Running
    system: str
    mo: SeatClient
    visitor: Visitor
    names: tuple[str, ...]

    def begin(self, kind: str, **more: str) -> str:
        """Press Start as the form of the table page stands; where it leads to, or why it is refused."""
        form = tapped(self.visitor.get(""), kind) | more
        answer = self.visitor.http.post(f"{self.visitor.table}/master/encounter", data=form)
        assert answer.status_code in (303, 409, 422), answer.text
        told = re.search(r'role="alert">(.*?)</div>', html.unescape(answer.text), re.DOTALL)
        return told[1] if told else ""

    def post(self, where: str, status: int = 303, /, **fields: Any) -> str:
        return self.visitor.post(f"/master/encounter/{where}", status, **fields)

    @property
    def kinds(self) -> list[str]:
        return [each["kind"] for each in self.mo.view().scene.values()]


def tapped(page: str, kind: str) -> dict[str, str]:
    """What the form of a kind sends if nobody touches it, with the radio buttons that are on."""
    form = next(each for each in page.split("<form ") if f'name="kind" value="{kind}"' in each).split("</form>")[0]
    fields = form_of(page, kind)
    ticks = set(re.findall(r'type="checkbox" name="([^"]+)"', form))
    fields = {name: value for name, value in fields.items() if not name.startswith("side-") and name not in ticks}
    for mark in re.findall(r"<input type=\"radio\"[^>]*>", form):
        if " checked" in mark:
            name, value = re.findall(r'(?:name|value)="([^"]*)"', mark)
            fields[name] = value
    return fields


def opened(running: Running, client: Client, system: str, *, options: Mapping[str, bool] | None = None) -> Own:
    """A table opened empty, to which four people at random come."""
    mo = client.create("Own table", system, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    if options:
        mo.house_rules(options=dict(options))
    loaded = registry.load(system)
    names = ("Ana", "Bo", "Cy", "Dee")
    for at, name in enumerate(names):
        assert loaded.creation is not None
        plain = loaded.plain_value(random_sheet(loaded.creation, Book(loaded.printed_book), Random(at)))
        mine = {loaded.look.mine: at < 2} if loaded.look.mine else {}
        mo.edit(name, **{"kind": loaded.sheet.__name__, **plain, **mine})
    return Own(running, system, mo, visitor, names)


@pytest.fixture
def own(running: Running, client: Client, request: pytest.FixtureRequest) -> Iterator[Own]:
    system, kind = request.param
    found = opened(running, client, system, options=OPTIONS.get(kind))
    yield found
    found.visitor.http.close()


def at_random(question: Any, random: Random) -> Plain:
    """An answer that is legal."""
    if isinstance(question, Choice):
        return question.write(random.choice(question.legal))
    return question.write(question.at_random(random.randrange))


def has_acted(own: Own, random: Random, most: int = 60) -> bool:
    """Play at random until somebody has answered some questions of the encounter, or has taken an action."""
    answered = 0
    for _ in range(most):
        asked = own.running.hub.read(own.mo.campaign, own.mo.seat, lambda desk: desk.asked())
        for key, each in asked.items():
            with suppress(RefereeError):
                answer = at_random(each.question, random)
                own.running.hub.act(own.mo.campaign, own.mo.seat, DeskCommand(Desk.answer, key, answer))
                answered += each.question.who is not None
                break
        else:
            return answered > 0 or acts(own, random)
        if answered > 2:
            return True
    return False


def acts(own: Own, random: Random) -> bool:
    """Somebody takes an action, where turns are no questions."""
    system = registry.load(own.system)
    for name in own.names:

        def take(desk: Desk, name: str = name) -> tuple[str, dict[str, object]] | None:
            scene, who = Scene(desk.journal.state), Who(name, system.sheet)
            for action in system.actions_in(scene, master=False):
                if action.bands.has_stake and action.may(scene, who) is None:
                    given = action.choices(scene, who)
                    first = {each: options[0] for each, options in given.items() if options}
                    required = [each for each, one in action.parameters.items() if one.default is one.empty]
                    if all(each in first for each in required):
                        return action.key, {each: write(first[each]) for each in required}
            return None

        found = own.running.hub.read(own.mo.campaign, own.mo.seat, take)
        if found is not None:
            with suppress(RefereeError):
                own.running.hub.act(own.mo.campaign, own.mo.seat, DeskCommand(Desk.act, found[0], name, found[1]))
                return True
    return False


@pytest.mark.parametrize(("own", "kind"), [((s, k), k) for s, k in EVERY], indirect=["own"], ids=[k for _, k in EVERY])
def test_each_kind_of_encounter_is_begun_from_the_table_page_and_somebody_acts(own: Own, kind: str) -> None:
    if kind in SKILLED:
        own.post("sample", sample=SKILLED[kind])
        if kind in own.kinds:
            own.post("end", name=next(name for name, each in own.mo.view().scene.items() if each["kind"] == kind))
        if kind == "Duel":  # people need cards in hand to ante
            own.mo.act("start-session")
    refused = own.begin(kind, **FIGHTERS.get(kind, {}))
    assert not refused
    if kind != "Duel":  # a challenge is accepted first
        assert kind in own.kinds
    assert has_acted(own, Random(1))
    assert own.running.hub.read(own.mo.campaign, own.mo.seat, lambda desk: desk.campaign.stuck) == ""


def test_a_journey_needs_no_other_side_and_takes_everyone_along_whom_nobody_plays(
    running: Running, client: Client
) -> None:
    mo = client.create("Own table", "yearzero", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    empty = visitor.get("").partition("The journey")[2][:300]
    visitor.http.close()
    assert "Somebody is needed." in empty
    own = opened(running, client, "yearzero")
    assert not own.begin("Journey")
    (journey,) = [each for each in own.mo.view().scene.values() if each["kind"] == "Journey"]
    own.visitor.http.close()
    assert set(journey["party"]) == {"Ana", "Bo", "Cy", "Dee"}


FIGHTERS: Final = {
    "FastDrawDuel": {"side-Ana": "", "side-Cy": "", "side-Blondy": "1", "side-Tuco": "2"},
    "Duel": {"side-Ana": "", "side-Cy": "", "side-Rourke": "1", "side-Silas Crow": "2"},
    "ShipCombat": {
        **dict.fromkeys(("side-Ana", "side-Bo", "side-Cy", "side-Dee"), ""),
        "side-Captain Reyes": "1",
        "side-Mother Tallow": "2",
    },
}


# --- coming and going -------------------------------------------------------------------------------------------------

SIDED: Final = [
    ("d6", "IndividualCombat"),
    ("dime", "ZoneFight"),
    ("distemper", "Fight"),
    ("yearzero", "Battle"),
    ("d6", "UnitSkirmish"),
    ("d6", "LargeBattle"),
    ("dime", "Chase"),
]


def stuck(own: Own) -> str:
    """Why the table cannot go on by itself."""
    return str(own.running.hub.read(own.mo.campaign, own.mo.seat, lambda desk: desk.campaign.stuck))


def begun(own: Own, kind: str) -> str:
    """A fight of Ana and Bo against Cy, with Dee looking on; its name."""
    assert not own.begin(kind, **{"side-Ana": "1", "side-Bo": "1", "side-Cy": "2", "side-Dee": ""})
    return next(name for name, each in own.mo.view().scene.items() if each["kind"] == kind)


def sides(own: Own, fight: str) -> list[list[str]]:
    plain = own.mo.view().scene[fight]
    out = plain.get("gone", [])
    return [[name for name in side if name not in out] for side in plain["sides"]]


@pytest.mark.parametrize(("own", "kind"), [((s, k), k) for s, k in SIDED], indirect=["own"], ids=[k for _, k in SIDED])
def test_a_player_sees_a_fight_with_foes_of_whom_little_is_shown(own: Own, client: Client, kind: str) -> None:
    begun(own, kind)
    anna = client.join(own.mo.invite(controls=["Ana"]).code, "Anna")
    browser = Visitor(own.running.address, anna.campaign, anna.seated.token)
    own.mo.expose("Cy", "state")
    page = browser.get("")
    browser.http.close()
    assert "Surrender (Ana)" in page


@pytest.mark.parametrize(("own", "kind"), [((s, k), k) for s, k in SIDED], indirect=["own"], ids=[k for _, k in SIDED])
def test_people_join_change_sides_surrender_and_it_goes_on_and_can_be_undone(own: Own, kind: str) -> None:
    fight = begun(own, kind)
    own.post("part", encounter=fight, who="Dee", do="join-1")
    assert sides(own, fight) == [["Ana", "Bo"], ["Cy", "Dee"]]
    assert "Dee joins the" in own.visitor.get("")
    joined = [each for each in own.mo.log().items if getattr(each, "rule", "") == "referee.encounter.join"]
    item = joined[-1].id
    own.mo.undo(item)
    assert sides(own, fight) == [["Ana", "Bo"], ["Cy"]]
    own.mo.resume()
    own.post("part", encounter=fight, who="Dee", do="join-1")
    own.post("part", encounter=fight, who="Bo", do="join-1")
    assert "Bo changes sides." in own.visitor.get("")
    own.post("part", encounter=fight, who="Cy", do="surrender")
    assert "Cy surrenders." in own.visitor.get("")
    assert sorted(map(sorted, sides(own, fight))) == [["Ana"], ["Bo", "Dee"]]
    assert "Cy" in own.mo.view().scene
    assert has_acted(own, Random(2))
    assert own.running.hub.read(own.mo.campaign, own.mo.seat, lambda desk: desk.campaign.stuck) == ""


def test_several_of_a_kind_are_the_other_side_where_nobody_has_a_character(running: Running, client: Client) -> None:
    people: dict[str, Any] = {name: {} for name in ("Juno", "Rusk", "Rusk 2", "Vee")}
    mo = client.create("Own table", "yearzero", scene=people, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    sides = {name: value for name, value in tapped(visitor.get(""), "Battle").items() if name.startswith("side-")}
    assert sides == {"side-Juno": "1", "side-Rusk": "2", "side-Rusk 2": "2", "side-Vee": "1"}
    visitor.http.close()


@pytest.mark.parametrize(("own", "kind"), [((s, k), k) for s, k in SIDED], indirect=["own"], ids=[k for _, k in SIDED])
def test_one_after_the_other_leaves_until_nobody_is_left(own: Own, kind: str) -> None:
    fight = begun(own, kind)
    own.post("part", encounter=fight, who="Dee", do="join-1")
    own.post("part", encounter=fight, who="Ana", do="leave")
    assert not any("Ana" in side for side in sides(own, fight))
    for gone in ("Cy", "Bo", "Dee"):
        assert stuck(own) == ""
        if fight in own.mo.view().scene:  # somebody may have been the last of a side
            own.post("part", encounter=fight, who=gone, do="leave")
    assert stuck(own) == ""


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_what_cannot_be_started_says_why_before(running: Running, client: Client) -> None:
    mo = client.create("Own table", "distemper", scene={"Ana": {}}, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    assert "Two people are needed, one on each side." in visitor.get("")
    assert 'value="Fight"' not in visitor.get("")
    text = visitor.post("/master/encounter", 422, kind="Fight", side__Ana="1")
    assert "two sides, each with somebody on it" in text
    visitor.http.close()


@pytest.fixture
def distemper(running: Running, client: Client) -> Iterator[Own]:
    found = opened(running, client, "distemper")
    yield found
    found.visitor.http.close()


def test_who_comes_and_goes_is_refused_with_what_would_be_legal(distemper: Own) -> None:
    fight = begun(distemper, "Fight")
    assert "on this side already" in distemper.post("part", 409, encounter=fight, who="Ana", do="join-0")
    assert "no such side" in distemper.post("part", 409, encounter=fight, who="Dee", do="join-7")
    assert "take no part in the fight" in distemper.post("part", 409, encounter=fight, who="Dee", do="leave")
    assert "not known" in distemper.post("part", 422, encounter=fight, who="Zed", do="join-0")
    assert "there is no such encounter" in distemper.post("part", 409, encounter="chase", who="Dee", do="join-0")
    distemper.post("part", 422, encounter=fight, who="Dee", do="dance")


def test_a_player_surrenders_for_their_own_character_only(distemper: Own, client: Client) -> None:
    fight = begun(distemper, "Fight")
    anna = client.join(distemper.mo.invite(controls=["Ana"]).code, "Anna")
    browser = Visitor(distemper.running.address, anna.campaign, anna.seated.token)
    assert "Surrender (Ana)" in browser.get("")
    assert "you do not play Cy" in browser.post("/surrender", 403, encounter=fight, who="Cy")
    browser.post("/surrender", encounter=fight, who="Ana")
    assert "Ana surrenders." in distemper.visitor.get("")
    assert "has surrendered" in browser.get("")
    browser.http.close()


def test_the_last_of_a_side_who_surrenders_ends_the_fight(distemper: Own) -> None:
    fight = begun(distemper, "Fight")
    distemper.post("part", encounter=fight, who="Cy", do="surrender")
    assert fight not in distemper.mo.view().scene


# --- prepared encounters, samples -------------------------------------------------------------------------------------


def kept_id(own: Own) -> str:
    return str(re.findall(r'name="prepared" value="([^"]+)"', own.visitor.get(""))[0])


def test_a_prepared_encounter_is_kept_shows_its_hidden_people_and_begins_in_one_tap(distemper: Own) -> None:
    distemper.mo.edit("lurker", kind="Character")
    distemper.mo.hide("lurker")
    form = tapped(distemper.visitor.get(""), "Fight")
    assert form["side-lurker"] == "", "who is hidden is left out at first"
    distemper.post("prepare", **form | {"title": "The ambush", "side-lurker": "2"})
    page = distemper.visitor.get("")
    assert "The ambush" in page
    assert f"/encounter-forecast?prepared={kept_id(distemper)}" in page
    distemper.post("prepared", prepared=kept_id(distemper))
    scene = distemper.mo.view().scene
    assert "lurker" in scene["fight"]["sides"][1]
    assert "lurker" not in scene["veil"]["names"]


def test_a_prepared_encounter_survives_export_and_undo_and_can_be_dropped(distemper: Own, client: Client) -> None:
    distemper.post("prepare", **tapped(distemper.visitor.get(""), "Fight") | {"title": "Later"})
    distemper.post("prepared", prepared=kept_id(distemper))
    first = next(each.id for each in distemper.mo.log().items if each.kind == "edited")
    distemper.mo.undo(first)
    copy = client.import_campaign(distemper.mo.export(), "Mo")
    visitor = Visitor(distemper.running.address, copy.campaign, copy.seated.token)
    for each in (distemper.visitor, visitor):
        assert "Later" in each.get("/master")
    visitor.http.close()
    distemper.post("drop", prepared=re.findall(r'name="prepared" value="([^"]+)"', distemper.visitor.get("/master"))[0])
    assert "Later" not in distemper.visitor.get("/master")


def test_a_prepared_encounter_whose_people_have_left_says_so(distemper: Own) -> None:
    distemper.post("prepare", **tapped(distemper.visitor.get(""), "Fight") | {"title": "Later"})
    name = kept_id(distemper)
    distemper.mo.remove("Cy")
    assert "Cannot begin: Cy left the scene." in distemper.visitor.get("")
    assert "not known" in distemper.post("prepared", 422, prepared=name)


def test_what_is_prepared_changes_nothing_for_players(running: Running, client: Client) -> None:
    """Two worlds: in one the game master prepares an ambush of somebody hidden."""
    seen = []
    for prepares in (False, True):
        own = opened(running, client, "distemper")
        own.mo.edit("lurker", kind="Character")
        own.mo.hide("lurker")
        anna = client.join(own.mo.invite(controls=["Ana"]).code, "Anna")
        if prepares:
            own.post("prepare", **tapped(own.visitor.get(""), "Fight") | {"title": "Ambush", "side-lurker": "2"})
        own.mo.note("Ready?")
        view = anna.view()
        items = [each.model_dump(exclude={"at"}) for each in anna.log().items]
        seen.append((str(view.scene), view.cursor, [each["kind"] for each in items], str(items).count("Ready?")))
        browser = Visitor(own.running.address, anna.campaign, anna.seated.token)
        page = browser.get("")
        browser.http.close()
        own.visitor.http.close()
        assert "Ambush" not in page
    assert seen[0] == seen[1]


def test_a_sample_is_loaded_and_names_that_are_taken_get_numbers(running: Running, client: Client) -> None:
    mo = client.create("Own table", "distemper", scene={"Ash": {}}, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    visitor.post("/master/encounter/sample", sample="roadblock")
    scene = mo.view().scene
    assert {"Ash", "Ash 2", "Bell", "raider", "lookout", "fight"} <= set(scene)
    assert ["Ash 2", "Bell"] in scene["fight"]["sides"]
    assert "a fight goes on already" in visitor.post("/master/encounter/sample", 409, sample="roadblock")
    assert "Bell 2" not in mo.view().scene
    visitor.http.close()


@pytest.mark.parametrize(("own", "kind"), [((s, k), k) for s, k in EVERY], indirect=["own"], ids=[k for _, k in EVERY])
def test_each_kind_of_encounter_is_kept_for_later_and_begins_in_one_tap(own: Own, kind: str) -> None:
    if kind in SKILLED:
        own.post("sample", sample=SKILLED[kind])
        if kind in own.kinds:
            own.post("end", name=next(name for name, each in own.mo.view().scene.items() if each["kind"] == kind))
        if kind == "Duel":
            own.mo.act("start-session")
    own.post("prepare", **tapped(own.visitor.get(""), kind) | FIGHTERS.get(kind, {}) | {"title": "Later"})
    assert kind not in own.kinds
    own.post("prepared", prepared=kept_id(own))
    assert kind in own.kinds or own.mo.questions().questions, "a challenge is accepted first"
    assert stuck(own) == ""


@pytest.mark.parametrize("system", registry.OURS)
def test_every_sample_is_loaded_into_an_empty_table(running: Running, client: Client, system: str) -> None:
    kind = registry.load(system).sheet.__name__
    for sample, (_, scene) in samples(system).items():
        mo = client.create("Own table", system, master="Mo")
        visitor = Visitor(running.address, mo.campaign, mo.seated.token)
        answer = visitor.http.post(f"{visitor.table}/master/encounter/sample", data={"sample": sample})
        visitor.http.close()
        there = set(mo.view().scene)
        if answer.status_code == 303:
            assert {each for each, plain in scene.items() if plain["kind"] == kind} <= there, sample
        else:  # only a scene that is played by options that this table does not use, and then nobody comes
            assert scene["book"]["options"], sample
            assert "is not used at this table" in answer.text
            assert not there.intersection(each for each, plain in scene.items() if plain["kind"] == kind)


def test_a_game_without_turns_begins_with_a_scene_of_rolls(running: Running, client: Client) -> None:
    own = opened(running, client, "alien")
    refused, page = own.begin("Combat"), own.visitor.get("")
    own.visitor.http.close()
    assert not refused
    assert "there is no order of turns yet" in page
    form = page.split('class="likely"')[1].split("</form>")[0]
    assert len(re.findall(r'<button name="arg-', form)) == 5


def test_players_see_the_fight_without_loading_the_page_again(distemper: Own, client: Client) -> None:
    anna = client.join(distemper.mo.invite(controls=["Ana"]).code, "Anna")
    browser = Visitor(distemper.running.address, anna.campaign, anna.seated.token)
    live = re.findall(r'sse-connect="([^"]+)"', browser.get(""))[0]
    told = ""
    with browser.http.stream("GET", live) as stream:
        begun(distemper, "Fight")
        for text in stream.iter_text():
            told += text
            if 'class="turns"' in told:
                break
    browser.http.close()
    assert "Cy" in told


def test_a_prepared_encounter_is_forecast_before_it_begins(distemper: Own) -> None:
    distemper.post("prepare", **tapped(distemper.visitor.get(""), "Fight") | {"title": "Later"})
    name = kept_id(distemper)
    page = distemper.visitor.get(f"/encounter-forecast?prepared={name}")
    assert f'value="prepared:{name}"' in page
    distemper.visitor.post("/encounter-forecast", encounter=f"prepared:{name}", fights="1")
    distemper.visitor.post("/encounter-forecast/stop")
    assert "Fight" not in distemper.kinds
