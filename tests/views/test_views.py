"""What each seat may see: two worlds that differ in secrets look the same to everybody else."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, final

import pytest

from referee.core import (
    D6,
    Audience,
    Card,
    Hidden,
    Open,
    Own,
    Pile,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    System,
    Total,
    Unset,
    Who,
    change,
    choose,
    draw,
    formula,
    roll,
    rule,
    tell,
)
from referee.core.plain import Plain
from referee.core.visibility import Seat
from referee.journal.journal import Journal
from referee.journal.lines import Line
from referee.journal.seeded_dice import SeededDice
from referee.views.feed import Feed
from referee.views.questions import view


@final
@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5
    loot: Own[tuple[str, ...]] = ()
    luck: Hidden[int] = 0


DECK, HAND = Who("deck", Pile), Who("hand", Pile)
DIE, HAGGLE, PEEK = Prompt("die"), Prompt("haggle"), Prompt("peek")


@rule("lair.buy")
async def buy(scene: Scene, who: Who[Rogue], what: Own[str] = "rope") -> None:
    """Haggle openly, buy secretly."""
    off = await choose(who, HAGGLE, (0, 1, 2))
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total)
    price = 3 - off + thrown.total // 3
    await change(who, replace(scene[who], coins=scene[who].coins - price, loot=(*scene[who].loot, what)))
    await tell("bought", who=who, what=what, audience=Audience.OWNER)
    await tell("paid", who=who, price=price)


@rule("lair.peek")
async def peek(scene: Scene, who: Who[Rogue]) -> None:
    """A card into the hand, and a secret throw."""
    await draw(PEEK, DECK, HAND, who=who, audience=Audience.OWNER)
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total, audience=Audience.MASTER)
    await change(who, replace(scene[who], luck=thrown.total))


@pytest.fixture
def den(tmp_path: Path) -> System:
    return System("lair", "Lair", tmp_path, 1, Rogue)


@pytest.fixture
def start(den: System) -> State:
    cards = {"kind": "Pile", "cards": ["7S", "QH"], "facing": "down"}
    return den.state({"ana": {}, "bo": {}, "deck": cards, "hand": {"kind": "Pile", "facing": "hand", "owner": "ana"}})


@pytest.fixture
def table(den: System, start: State) -> Journal:
    return Journal(den, start, SeededDice(b"lair"))


MASTER = Seat("game master", master=True)
ANAS = Seat("Ana's", frozenset({"ana"}))
GUEST = Seat("guest")


def bought(journal: Journal, what: str) -> Journal:
    step = journal.begin("Ana's", "lair.buy", {"who": "ana", "what": what})
    journal.answer("Ana's", step, 1)
    journal.answer("Ana's", step, [2])
    return journal


def test_two_worlds_that_differ_in_what_was_bought_look_the_same_to_others(den: System, start: State) -> None:
    worlds = [bought(Journal(den, start), what) for what in ("rope", "poison")]
    assert json.dumps(view(worlds[0], GUEST)) == json.dumps(view(worlds[1], GUEST))
    for seat in (ANAS, MASTER):
        assert "poison" in json.dumps(view(worlds[1], seat))


def test_two_worlds_that_differ_in_cards_and_secret_throws_look_the_same_to_others(den: System, start: State) -> None:
    worlds = []
    for card, pip in (("7S", 2), ("QH", 5)):
        journal = Journal(den, start)
        step = journal.begin("Ana's", "lair.peek", {"who": "ana"})
        journal.answer("Ana's", step, card)
        journal.answer("dice", step, [pip])
        worlds.append(journal)
    assert json.dumps(view(worlds[0], GUEST)) == json.dumps(view(worlds[1], GUEST))
    assert "7S" in json.dumps(view(worlds[0], ANAS)["scene"]["hand"])
    assert '"luck": 5' in json.dumps(view(worlds[1], MASTER))
    assert "luck" not in json.dumps(view(worlds[1], ANAS))


def test_what_is_told_to_everyone_is_seen_by_everyone(den: System, start: State) -> None:
    told = [
        item["story"]
        for line in view(bought(Journal(den, start), "rope"), GUEST)["log"]
        for item in line["then"]
        if "story" in item
    ]
    assert told == ["paid"]


def test_an_edit_of_a_secret_is_no_line_for_others(table: Journal) -> None:
    table.edit("game master", "ana", luck=9)
    assert view(table, GUEST)["log"] == view(table, ANAS)["log"] == []
    table.edit("game master", "ana", luck=8, coins=3)
    (line,) = view(table, GUEST)["log"]
    assert line["then"][0]["set"] == {"coins": 3}
    assert line["then"][0]["changes"] == [{"path": ["coins"], "how": "changed", "was": 5, "now": 3}]


def test_a_new_sheet_is_seen_without_its_secrets(table: Journal) -> None:
    table.edit("game master", "cy", kind="Rogue", luck=9, loot=["gem"], coins=1)
    (line,) = view(table, GUEST)["log"]
    assert line["then"][0]["new"] == {"kind": "Rogue", "coins": 1}


def test_what_was_undone_is_in_no_view(table: Journal) -> None:
    table.edit("game master", "ana", coins=1)
    table.undo("game master", 0)
    assert view(table, MASTER)["log"] == []


def test_cards_in_views_are_only_those_one_may_look_at(table: Journal) -> None:
    seen = view(table, MASTER)["scene"]
    assert seen["deck"] == {"kind": "Pile", "owner": "", "facing": "down", "count": 2}
    assert Card("7S") in table.scene[DECK].cards


# --- in hiding --------------------------------------------------------------------------------------------------------


def hidden(journal: Journal, *names: str) -> Journal:
    journal.hide("game master", frozenset(names))
    return journal


def told(journal: Journal, seat: Seat) -> list[dict[str, Plain]]:
    feed = Feed(journal.system)
    for number, line in enumerate(journal.lines):
        feed.add(number, line, seat)
    return feed.items


def test_what_goes_into_hiding_is_gone_and_what_comes_out_is_new(table: Journal) -> None:
    hidden(table, "bo")
    table.edit("game master", "bo", coins=1)
    hidden(table)
    gone, new = told(table, GUEST)
    assert gone["then"] == [{"gone": "bo", "rules": ["referee.table.edit"]}]
    assert new["then"] == [{"who": "bo", "new": {"kind": "Rogue", "coins": 1}, "rules": ["referee.table.edit"]}]
    assert Journal(table.system, table.start, None, table.lines).state == table.state
    assert len(told(table, MASTER)) == 3


def test_who_is_in_hiding_leaves_no_trace_in_the_story(den: System, start: State) -> None:
    table = hidden(Journal(den, start, SeededDice(b"lair")), "bo")
    before = told(table, GUEST)
    step = table.begin("game master", "lair.buy", {"who": "bo", "what": "rope"})
    assert view(table, GUEST)["waiting"] is False
    assert view(table, MASTER)["questions"][0]["who"] == "bo"
    table.answer("game master", step, 1)
    table.remove("game master", "bo")
    table.undo("game master", len(table.lines) - 1)
    assert told(table, GUEST) == told(table, ANAS) == before
    assert json.dumps(told(table, MASTER)).count("bought") == 1


def test_a_secret_step_is_told_to_the_game_master_alone(table: Journal) -> None:
    table.begin("game master", "lair.peek", {"who": "ana"}, secret=True)
    assert told(table, GUEST) == []
    assert [item["kind"] for item in told(table, MASTER)][:2] == ["began", "answered"]


def test_each_thing_that_followed_is_an_item_of_its_own(den: System, start: State) -> None:
    items = told(bought(Journal(den, start), "rope"), GUEST)
    assert [item["kind"] for item in items] == ["began", "answered", "answered", "happened", "happened"]
    assert [len(item["then"]) for item in items] == [0, 0, 0, 1, 1]
    assert [item["id"] for item in items] == list(range(5))


def test_what_followed_is_undone_by_the_answer_it_followed_from(den: System, start: State) -> None:
    feed = Feed(den)
    for number, line in enumerate(bought(Journal(den, start), "rope").lines):
        feed.add(number, line, GUEST)
    assert [feed.line_of(item) for item in range(6)] == [0, 1, 2, 2, 2, None]


def test_a_pile_that_is_turned_up_does_not_tell_what_it_held_before(table: Journal) -> None:
    table.edit("game master", "deck", facing="up", cards=["7S"])
    (item,) = told(table, GUEST)
    assert item["then"][0]["set"] == {"cards": ["7S"], "facing": "up"}
    assert "QH" not in json.dumps(item)


@rule("lair.lose")
async def lose(scene: Scene, who: Who[Rogue]) -> None:
    """Refused in the end, in words that tell of luck."""
    await choose(who, HAGGLE, (0, 1))
    raise Refused("lose", because=f"{who} has luck {scene[who].luck}", rule="lair.lose")


@rule("lair.brag")
async def brag(scene: Scene, who: Who[Rogue]) -> None:
    """Refused in the end, in words that tell of loot."""
    await choose(who, HAGGLE, (0, 1))
    raise Refused("brag", because=f"{who} has {len(scene[who].loot)} things", rule="lair.brag")


@rule("lair.beg")
async def beg(scene: Scene, who: Who[Rogue]) -> None:
    """Refused in the end, in words that tell of coins."""
    await choose(who, HAGGLE, (0, 1))
    raise Refused("beg", because=f"{who} has {scene[who].coins}", rule="lair.beg")


@pytest.mark.parametrize(
    ("step", "told_to"), [("lose", [MASTER]), ("brag", [MASTER, ANAS]), ("beg", [MASTER, ANAS, GUEST])]
)
def test_why_a_step_was_refused_is_told_to_who_could_know(table: Journal, step: str, told_to: list[Seat]) -> None:
    table.begin("Ana's", f"lair.{step}", {"who": "ana"})
    with pytest.raises(Refused):
        table.answer("Ana's", 1, 0)
    for seat in (MASTER, ANAS, GUEST):
        ((why,),) = [[each["refused"] for each in item["then"]] for item in told(table, seat)[2:]]
        assert bool(why) is (seat in told_to)


@rule("lair.whom")
async def whom(scene: Scene, who: Who[Rogue]) -> None:
    """Pick on somebody."""
    other = await choose(who, HAGGLE, (each for each in scene.all(Rogue) if each != who))
    await tell("picked", who=who, whom=other.name)


def test_nobody_is_asked_about_those_in_hiding(den: System, start: State) -> None:
    table = Journal(den, start.but("cy", Rogue()).but("dee", Rogue()))
    hidden(table, "dee")
    table.begin("Ana's", "lair.whom", {"who": "ana"})
    assert view(table, ANAS)["questions"][0]["options"] == ["bo", "cy"]
    assert view(table, MASTER)["questions"][0]["options"] == ["bo", "cy", "dee"]
    table.answer("game master", 1, "dee")
    assert [item["kind"] for item in told(table, GUEST)[1:]] == ["began", "happened"]
    assert "dee" not in json.dumps(told(table, GUEST)[1:])


def test_a_choice_that_is_none_but_for_those_in_hiding_is_told_to_nobody(den: System, start: State) -> None:
    table = Journal(den, start.but("dee", Rogue()))
    hidden(table, "dee")
    table.begin("Ana's", "lair.whom", {"who": "ana"})
    assert view(table, GUEST)["waiting"] is False
    table.answer("game master", 1, "bo")
    kinds = [item["kind"] for item in told(table, GUEST)[1:]]
    alone = Journal(den, start)
    alone.begin("Ana's", "lair.whom", {"who": "ana"})
    assert kinds == [item["kind"] for item in told(alone, GUEST)] == ["began", "happened", "happened"]


# --- what changed inside a value --------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Charm:
    """Something in a bag that states who may know of it."""

    name: str
    uses: int = 2
    audience: Audience = Audience.EVERYONE
    who: str = ""


@final
@dataclass(frozen=True, slots=True)
class Witch:
    """A sheet whose dice are those of a formula until somebody sets them."""

    bag: Open[tuple[Charm, ...]] = ()
    dice: Open[Annotated[int | None, Unset("coven.dice")]] = None
    omens: Open[Annotated[int | None, Unset("coven.omens")]] = None
    pacts: Own[tuple[str, ...]] = ()
    age: Open[int] = 40
    curse: Hidden[int] = 0


@formula("coven.dice")
def dice_of(scene: Scene, who: Who[Witch]) -> int:
    """Two, or three for the old."""
    return 3 if scene[who].age > 60 else 2


@formula("coven.omens")
def omens_of(scene: Scene, who: Who[Witch]) -> int:
    """As many as the curse, which is hidden."""
    return scene[who].curse


@pytest.fixture
def coven(tmp_path: Path) -> System:
    return System("coven", "Coven", tmp_path, 1, Witch)


def changes(journal: Journal, seat: Seat) -> list[Plain]:
    """The changes a seat is told, newest item only."""
    feed = Feed(journal.system)
    for number, line in enumerate(journal.lines):
        feed.add(number, line, seat)
    return [change for item in feed.items[-1:] for each in item["then"] for change in each.get("changes", ())]


def edited(coven: System, sheet: Plain, **to: Plain) -> Journal:
    journal = Journal(coven, coven.state({"ana": sheet}))
    journal.edit("game master", "ana", **to)
    return journal


def test_programs_are_told_what_changed_inside_a_field_and_the_field_only_once(coven: System) -> None:
    journal = edited(coven, {"bag": [{"name": "owl"}, {"name": "toad"}]}, bag=[{"name": "owl", "uses": 1}])
    assert changes(journal, GUEST) == [
        {
            "path": ["bag", "owl", "uses"],
            "how": "changed",
            "fields": ["bag", "uses"],
            "name": "owl",
            "was": 2,
            "now": 1,
        },
        {
            "path": ["bag", "toad"],
            "how": "removed",
            "fields": ["bag"],
            "name": "toad",
            "was": {"name": "toad", "uses": 2, "audience": "everyone", "who": ""},
        },
    ]
    (item,) = view(journal, GUEST)["log"][-1]["then"]
    assert set(item) == {"set", "who", "kind", "rules", "changes"}


def test_what_an_unset_field_stands_for_is_told_and_kept_in_the_log(coven: System) -> None:
    journal = edited(coven, {"age": 70}, dice=1)
    assert changes(journal, GUEST) == [{"path": ["dice"], "how": "changed", "was": 3, "now": 1}]
    (item,) = journal.lines[-1].to_plain()["then"]
    assert (item["was"], item["set"], item["unset"]) == ({"dice": None}, {"dice": 1}, {"dice": 3})
    journal.edit("game master", "ana", dice=None)
    assert changes(journal, GUEST) == [{"path": ["dice"], "how": "changed", "was": 1, "now": 3}]
    again = Journal(coven, journal.start, None, [Line.from_plain(each.to_plain()) for each in journal.lines])
    assert changes(again, GUEST) == changes(journal, GUEST)


def test_a_field_that_was_set_to_what_it_stood_for_has_not_changed_for_people(coven: System) -> None:
    assert changes(edited(coven, {}, dice=2), GUEST) == []


def test_what_an_unset_field_stands_for_betrays_no_secret(coven: System) -> None:
    worlds = [edited(coven, {"curse": curse}, omens=9) for curse in (0, 5)]
    for seat in (GUEST, ANAS):
        assert changes(worlds[0], seat) == changes(worlds[1], seat) == [{"path": ["omens"], "how": "set", "now": 9}]


def test_changes_of_fields_that_others_may_not_see_are_not_told_them(coven: System) -> None:
    worlds = [edited(coven, {}, pacts=pacts, curse=curse, age=41) for pacts, curse in (([], 0), (["crow"], 7))]
    assert (
        changes(worlds[0], GUEST)
        == changes(worlds[1], GUEST)
        == [{"path": ["age"], "how": "changed", "was": 40, "now": 41}]
    )
    assert [each["path"] for each in changes(worlds[1], ANAS)] == [["pacts", "crow"], ["age"]]
    assert [each["path"] for each in changes(worlds[1], MASTER)] == [["pacts", "crow"], ["age"], ["curse"]]


def test_changes_of_records_that_state_their_audience_are_told_to_no_one_else(coven: System) -> None:
    bag = [{"name": "owl", "audience": "game master"}, {"name": "toad", "audience": "owner", "who": "ana"}]
    journal = edited(coven, {}, bag=[*bag, {"name": "cat"}])
    names = {seat.name: [each["name"] for each in changes(journal, seat)] for seat in (GUEST, ANAS, MASTER)}
    assert names == {"guest": ["cat"], "Ana's": ["toad", "cat"], "game master": ["owl", "toad", "cat"]}
    journal.edit("game master", "ana", bag=[{**bag[0], "uses": 1}, {**bag[1], "uses": 1}])
    paths = {seat.name: [each["path"] for each in changes(journal, seat)] for seat in (GUEST, ANAS, MASTER)}
    assert paths == {
        "guest": [["bag", "cat"]],
        "Ana's": [["bag", "toad", "uses"], ["bag", "cat"]],
        "game master": [["bag", "owl", "uses"], ["bag", "toad", "uses"], ["bag", "cat"]],
    }
