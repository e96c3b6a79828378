"""What the game master rules on: taken by default, proposed, or asked, by the campaign's settings; and barred answers.

The smallest system that needs it: a pass over the mountains whose weather the book leaves open.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, final

import pytest

from referee.core import (
    D6,
    Action,
    Audience,
    BadAnswer,
    BadInput,
    Hidden,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    System,
    Total,
    Who,
    change,
    choose,
    offer,
    react,
    roll,
    rule,
    rule_on,
    together,
)
from referee.core.plain import Plain
from referee.core.questions import Barred
from referee.core.rules import Rule
from referee.journal.lines import AnswerGiven, Line, SeatTaken, SettingsChanged
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import TABLE
from referee.table import master_desk, undo_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Member, Role
from referee.table.settings import TableSettings

WEATHER, ROAD, DOOM, NAME, PRICE, DUCK, DARE, WAY, DIE = map(
    Prompt, ("weather", "road", "doom", "name", "price", "duck", "dare", "way", "die")
)


@final
@dataclass(frozen=True, slots=True)
class Pilgrim:
    cold: Open[int] = 0
    fate: Hidden[int] = 0


@rule("pass.cross")
async def cross(scene: Scene, who: Who[Pilgrim]) -> str:
    """The weather and the road are the game master's."""
    weather = await rule_on(WEATHER, 2, low=0, high=5)
    road = await rule_on(ROAD, "mud", options=("mud", "ice"))
    await change(who, replace(scene[who], cold=scene[who].cold + weather))
    return f"{weather} {road}"


@rule("pass.doom")
async def doom(scene: Scene, who: Who[Pilgrim]) -> None:
    """A ruling that no one else hears of."""
    fate = await rule_on(DOOM, 1, low=0, high=5, audience=Audience.MASTER)
    await change(who, replace(scene[who], fate=fate))


@rule("pass.christen")
async def christen(scene: Scene, who: Who[Pilgrim]) -> str:
    """A ruling in words."""
    return await rule_on(NAME, "Nameless Pass")


@rule("pass.toll")
async def toll(scene: Scene, who: Who[Pilgrim]) -> bool:
    """A ruling and a choice at once; a toll of nothing is refused."""
    price, pays = await together(rule_on(PRICE, 0, low=0, high=9), choose(who, WAY, (True, False)))
    if not price:
        raise Refused("toll", because="nobody works for nothing", rule="pass.toll")
    return pays


@rule("pass.wager")
async def wager(scene: Scene, who: Who[Pilgrim]) -> bool:
    """A ruling and a choice at once."""
    _, pays = await together(rule_on(PRICE, 3, low=0, high=9), choose(who, WAY, (True, False)))
    return pays


@rule("pass.odd")
async def odd(scene: Scene, who: Who[Pilgrim]) -> str:
    """A default that is not among the options."""
    return await rule_on(ROAD, "sand", options=("mud", "ice"))


def no_cover(_: object) -> None:
    raise Refused("duck", because="there is no cover", rule="pass.no-cover")


@rule("pass.rocks")
async def rocks(scene: Scene, who: Who[Pilgrim]) -> int:
    """Nobody can duck, and one may dare."""
    await react(who, DUCK, (True,), check=no_cover)
    await offer(who, DARE, ("jump", "climb"), check=lambda how: no_cover(how) if how == "climb" else None)
    return (await roll(DIE, who, Pool.of((D6, 1)), Total)).total


@rule("pass.dead-end")
async def dead_end(scene: Scene, who: Who[Pilgrim]) -> int:
    """Every way is barred."""
    return await choose(who, WAY, (), barred=(Barred(1, Refused("way", because="it is snowed in", rule="pass.snow")),))


RULES: Final[dict[str, Rule[..., Any]]] = {
    "cross": cross,
    "doom": doom,
    "christen": christen,
    "toll": toll,
    "wager": wager,
    "odd": odd,
    "rocks": rocks,
    "dead-end": dead_end,
}
SEATS: Final = {"gm": (Role.MASTER, ()), "ana's": (Role.PLAYER, ("ana",)), "guest": (Role.SPECTATOR, ())}
SCENE: Final[dict[str, Plain]] = {"ana": {}}


@pytest.fixture
def mountains(tmp_path: Path) -> System:
    actions: tuple[Action[Any], ...] = tuple(Action(name, each) for name, each in RULES.items())
    return System("mountains", "Mountains", tmp_path, 1, Pilgrim, actions=actions)


def seated(system: System, lines: tuple[Line, ...] = ()) -> Campaign:
    table = Campaign(system, system.state(SCENE), SeededDice(b"pass"), lines)
    for seat, (role, controls) in SEATS.items() if not lines else ():
        table.journal.say(SeatTaken(seat, Member(seat, seat, role, frozenset(controls)).data))
    table.advance()
    return table


@pytest.fixture
def table(mountains: System) -> Campaign:
    return seated(mountains)


def at(table: Campaign, seat: str = "gm") -> Desk:
    return Desk(table, seat)


def ruled(table: Campaign) -> list[tuple[str, str, Plain, bool]]:
    """Who or what answered which ruling how, and whether by default."""
    lines = (line for _, line in table.journal.story if isinstance(line, AnswerGiven))
    return [(line.by, line.prompt, line.answer, line.by_default) for line in lines]


def asked(table: Campaign, seat: str = "gm") -> list[dict[str, Plain]]:
    return list(at(table, seat).view()["questions"])


# --- three ways -------------------------------------------------------------------------------------------------------


def test_by_default_a_ruling_is_asked_and_its_default_proposed(table: Campaign) -> None:
    at(table, "ana's").act("cross", "ana")
    (question,) = asked(table)
    assert (question["key"], question["default"], question["preselected"]) == ("game master.weather", "2", True)
    assert question["rule"] == "pass.cross"
    at(table).answer("game master.weather", None)
    at(table).answer("game master.road", "ice")
    assert ruled(table) == [("gm", "weather", 2, False), ("gm", "road", "ice", False)]
    assert table.journal.scene[Who("ana", Pilgrim)].cold == 2


def test_an_automatic_ruling_is_its_default_and_the_log_says_so(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    at(table, "ana's").act("cross", "ana")
    assert ruled(table) == [(TABLE, "weather", 2, True), (TABLE, "road", "mud", True)]
    told = [item for item in at(table, "guest").feed.items if item["kind"] == "answered"]
    assert [(item["by"], item["prompt"], item["answer"], item["by_default"]) for item in told] == [
        (TABLE, "weather", 2, True),
        (TABLE, "road", "mud", True),
    ]
    assert asked(table) == []


def test_a_ruling_left_open_proposes_nothing(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "leave it"}})
    at(table, "ana's").act("cross", "ana")
    assert asked(table)[0]["preselected"] is False
    with pytest.raises(BadAnswer, match=r"weather: an answer is needed \(pass\.cross\)"):
        at(table).answer("game master.weather", None)
    at(table).answer("game master.weather", "0")
    with pytest.raises(BadAnswer, match=r"road: an answer is needed \(pass\.cross\); legal: mud, ice"):
        at(table).answer("game master.road", None)


def test_one_prompt_is_set_apart_from_the_others(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it", "road": "leave it"}})
    at(table, "ana's").act("cross", "ana")
    assert [(each["key"], each["preselected"]) for each in asked(table)] == [("game master.road", False)]
    assert ruled(table) == [(TABLE, "weather", 2, True)]


def test_a_setting_counts_for_what_is_open_already(table: Campaign) -> None:
    at(table, "ana's").act("cross", "ana")
    master_desk.settings(at(table), {"rulings": {"weather": "do it"}})
    assert [each["key"] for each in asked(table)] == ["game master.road"]


def test_a_ruling_in_words_is_taken_too(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"name": "do it"}})
    at(table, "ana's").act("christen", "ana")
    assert ruled(table) == [(TABLE, "name", "Nameless Pass", True)]


@pytest.mark.parametrize(
    ("rulings", "complaint"),
    [
        ({"*": "maybe"}, "'maybe' is not known; one of do it, ask, leave it"),
        ("do it", "rulings: must be names with values, not 'do it'"),
        ({3: "ask"}, "must be text, not 3"),
    ],
)
def test_nonsense_is_refused(table: Campaign, rulings: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        master_desk.settings(at(table), {"rulings": rulings})


# --- beside other questions, and refused ------------------------------------------------------------------------------


def test_an_automatic_ruling_asked_at_once_with_a_choice_waits_for_the_choice(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    at(table, "ana's").act("toll", "ana")
    assert [each["key"] for each in asked(table, "ana's")] == ["ana.way"]
    assert ruled(table) == [(TABLE, "price", 0, True)]
    with pytest.raises(Refused, match="nobody works for nothing"):
        at(table, "ana's").answer("ana.way", "yes")
    assert table.journal.asking == ()


def test_of_answers_given_at_once_it_is_told_which_was_a_default(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    at(table).act("wager", "ana")
    at(table, "ana's").answer("ana.way", "yes")
    item = next(each for each in at(table, "guest").feed.items if each.get("prompt") == "way")
    assert item["with"] == [
        {"audience": "everyone", "prompt": "price", "of": None, "answer": 3, "by_default": True},
    ]
    assert "by_default" not in item


def test_a_default_that_a_rule_refuses_reverts_the_step_and_play_goes_on(table: Campaign) -> None:
    at(table, "ana's").act("toll", "ana")
    at(table, "ana's").answer("ana.way", "yes")
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    assert table.journal.asking == ()
    assert any(each.get("refused") for item in at(table, "ana's").feed.items for each in item.get("then", ()))


def test_a_default_that_is_no_option_is_asked_after_all(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    at(table, "ana's").act("odd", "ana")
    assert [each["key"] for each in asked(table)] == ["game master.road"]
    at(table).answer("game master.road", "ice")
    assert ruled(table) == [("gm", "road", "ice", False)]


def test_only_a_ruling_has_a_default_to_take(table: Campaign) -> None:
    at(table, "ana's").act("rocks", "ana")
    with pytest.raises(BadInput, match="step 1 asks for no ruling now"):
        table.journal.take_default(TABLE, 1)


# --- going back, stopping, opening again ------------------------------------------------------------------------------


def test_after_an_undo_the_ruling_can_be_made_by_hand(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    at(table, "ana's").act("cross", "ana")
    weather = next(item["id"] for item in at(table).feed.items if item.get("prompt") == "weather")
    undo_desk.undo(at(table), weather)
    assert [each["key"] for each in asked(table)] == ["game master.weather"]
    at(table).answer("game master.weather", 5)
    assert ruled(table) == [("gm", "weather", 5, False), (TABLE, "road", "mud", True)]
    assert table.journal.scene[Who("ana", Pilgrim)].cold == 5


def test_an_undone_default_comes_back_by_redo_and_by_going_on(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    at(table, "ana's").act("cross", "ana")
    before, weather = ruled(table), next(i["id"] for i in at(table).feed.items if i.get("prompt") == "weather")
    undo_desk.undo(at(table), weather)
    undo_desk.redo(at(table))
    assert ruled(table) == before
    undo_desk.undo(at(table), weather)
    at(table).resume()
    assert ruled(table) == before


def test_a_default_is_nobodys_decision_so_it_bars_no_undo(table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    at(table, "ana's").act("cross", "ana")
    began = next(item["id"] for item in at(table, "ana's").feed.items if item["kind"] == "began")
    undo_desk.undo(at(table, "ana's"), began)
    assert table.journal.scene[Who("ana", Pilgrim)].cold == 0


def test_nothing_is_taken_while_play_is_stopped(table: Campaign) -> None:
    at(table, "ana's").act("cross", "ana")
    at(table, "guest").stop()
    master_desk.settings(at(table), {"rulings": {"*": "do it"}})
    assert len(asked(table)) == 1
    at(table).resume()
    assert asked(table) == []


def test_the_setting_and_open_steps_are_there_after_a_restart(mountains: System, table: Campaign) -> None:
    master_desk.settings(at(table), {"rulings": {"weather": "do it"}})
    at(table, "ana's").act("cross", "ana")
    again = seated(
        mountains, tuple(Line.from_plain(json.loads(json.dumps(each.to_plain()))) for each in table.journal.lines)
    )
    assert again.settings == table.settings
    assert (ruled(again), asked(again)) == (ruled(table), asked(table))


def test_settings_from_before_there_were_rulings_ask(mountains: System) -> None:
    old = SettingsChanged("gm", {"undo": "own", "offer_after": 60, "turns": True, "throws": {}})
    assert TableSettings().but(old.settings).ruling("weather").value == "ask"
    assert TableSettings().to_plain()["rulings"] == {}


# --- secrets ----------------------------------------------------------------------------------------------------------


def test_a_secret_ruling_looks_the_same_to_others_in_two_worlds(mountains: System) -> None:
    def played(rule_out: Callable[[Campaign], None]) -> str:
        table = seated(mountains)
        rule_out(table)
        at(table, "ana's").act("doom", "ana")
        for each in asked(table):
            at(table).answer(each["key"], 4)
        settings = {**at(table, "ana's").view(), "settings": None}
        items = [each for each in at(table, "ana's").feed.items if each.get("about") != "settings"]
        return json.dumps([settings, items], default=str).replace('"id": ', "")

    worlds = [
        played(lambda t, how=how: master_desk.settings(at(t), {"rulings": {"*": how}}))  # type: ignore[misc]  # a lambda with a default
        for how in ("do it", "ask")
    ]
    assert worlds[0] == worlds[1]
    assert "doom" not in worlds[0].replace("pass.doom", "")


# --- answers that are barred ------------------------------------------------------------------------------------------


def test_an_answer_that_is_barred_carries_the_rule_that_bars_it(table: Campaign) -> None:
    at(table, "ana's").act("rocks", "ana")
    with pytest.raises(BadAnswer, match=r"dare: there is no cover \(pass\.no-cover\); legal: jump, no"):
        at(table, "ana's").answer("ana.dare", "climb")
    with pytest.raises(BadAnswer, match=r"dare: 'fly' is not an option \(pass\.rocks\); legal: jump, no"):
        at(table, "ana's").answer("ana.dare", "fly")


def test_a_question_that_was_not_asked_is_refused_for_the_reason_that_bars_it(table: Campaign) -> None:
    at(table, "ana's").act("rocks", "ana")
    for seat in ("ana's", "gm"):
        with pytest.raises(BadAnswer, match=r"duck: there is no cover \(pass\.no-cover\); legal: no"):
            at(table, seat).answer("ana.duck", "yes")
    with pytest.raises(BadInput, match=r"'ana.duck' is not known; .*one of ana.dare"):
        at(table, "ana's").answer("ana.duck", "no")  # it is the answer it has anyway, and is not asked for


def test_others_learn_nothing_of_a_question_that_was_not_asked(table: Campaign) -> None:
    at(table, "ana's").act("rocks", "ana")
    with pytest.raises(BadInput, match="you have no open question"):
        at(table, "guest").answer("ana.duck", "yes")


def test_a_hidden_step_is_not_betrayed_by_a_question_that_was_not_asked(table: Campaign) -> None:
    table.journal.begin("gm", "pass.rocks", {"who": "ana"}, secret=True)
    with pytest.raises(BadAnswer, match=r"dare: 'fly' is not an option \(referee\.table\.answers\)"):
        at(table, "ana's").answer("ana.dare", "fly")
    assert "rule" not in asked(table, "ana's")[0]
    with pytest.raises(BadInput, match=r"question: 'ana.duck' is not known"):
        at(table, "ana's").answer("ana.duck", "yes")


def test_a_choice_whose_every_option_is_barred_is_refused_by_that_rule(table: Campaign) -> None:
    with pytest.raises(Refused, match=r"way: it is snowed in \(pass\.snow\)"):
        at(table).act("dead-end", "ana")
