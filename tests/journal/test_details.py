"""What people are told beside what is needed to open a log: how a throw was made, and what rules came to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, final

import pytest

from referee import registry
from referee.core import (
    D6,
    Audience,
    Faces,
    Mod,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    SymbolCounts,
    System,
    Total,
    Who,
    choose,
    marked_die,
    roll,
    rule,
    tell,
    together,
)
from referee.core.plain import Plain
from referee.core.questions import Chance
from referee.core.visibility import Seat
from referee.journal.journal import Journal
from referee.journal.lines import Line
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Handling
from referee.views.feed import Feed
from referee.views.questions import view

MASTER: Final = Seat("game master", master=True)
GUEST: Final = Seat("guest")
DETAILS: Final = {"roll", "sub_results", "result_kind"}

BASE: Final = {"die": "base", "faces": ["blank", "blank", "blank", "blank", "blank", "six"]}
STRESS: Final = {"die": "stress", "faces": ["one", "blank", "blank", "blank", "blank", "six"]}


def told(journal: Journal, seat: Seat = GUEST) -> list[dict[str, Plain]]:
    feed = Feed(journal.system)
    for number, line in enumerate(journal.lines):
        feed.add(number, line, seat)
    return feed.items


def rolls(journal: Journal, seat: Seat = GUEST) -> list[Plain]:
    return [item["roll"] for item in told(journal, seat) if "roll" in item]


def sub_results(journal: Journal, seat: Seat = GUEST) -> list[Plain]:
    return [each for item in told(journal, seat) for each in item.get("sub_results", ())]


def result_kinds(journal: Journal, seat: Seat = GUEST) -> list[Plain]:
    return [item["result_kind"] for item in told(journal, seat) if "result_kind" in item]


def answered(journal: Journal, *answers: Plain) -> Journal:
    """Whatever is asked is answered so, in turn."""
    for answer in answers:
        first = journal.asking[0]
        journal.answer("somebody", first.step, answer, first.part)
    return journal


# --- ALIEN ------------------------------------------------------------------------------------------------------------

CREW: Final[dict[str, Plain]] = {
    "Ripa": {"attributes": {"Wits": 3}, "skills": {"Observation": 1}, "stress": 1},
    "Dallow": {},
    "wolf": {},
}


@pytest.fixture
def alien() -> Journal:
    system = registry.load("alien")
    return Journal(system, system.state(CREW))


def observed(journal: Journal, *helpers: str, mods: tuple[str, ...] = ("+1 flashlight",)) -> Journal:
    given = {"who": "Ripa", "skill": "Observation", "mods": list(mods), "helpers": list(helpers)}
    journal.begin("Ana's", "alien.basics.skill-roll", given)
    return journal


def test_a_pushed_roll_is_told_with_its_dice_what_was_kept_and_its_modifiers(alien: Journal) -> None:
    answered(observed(alien), [[6, 2, 3, 4, 5], [3]], "yes", [[2, 3, 4, 6], [5, 2]])
    assert rolls(alien) == [
        {
            "dice": [BASE, STRESS],
            "mods": [
                {"amount": 3, "label": "Wits", "rule": "alien.basics.skill-roll"},
                {"amount": 1, "label": "Observation", "rule": "alien.skills.list"},
                {"amount": 1, "label": "flashlight", "rule": "alien.basics.modifiers"},
                {"amount": 1, "label": "stress", "rule": "alien.stress.stress-level"},
            ],
        },
        {
            "dice": [BASE, STRESS],
            "kept": {"base": {"six": 1}, "stress": {}},
            "places": [[[6], [], [], [], []], [[], []]],
            "mods": [],
        },
    ]
    assert told(alien)[-3:] == [
        {
            "id": 5,
            "kind": "happened",
            "then": [],
            "sub_results": [
                {
                    "rule": "alien.push.procedure",
                    "kind": "SymbolCounts",
                    "who": "Ripa",
                    "result": {"base": {"blank": 3, "six": 2}, "stress": {"blank": 2}},
                }
            ],
        },
        {
            "id": 6,
            "kind": "happened",
            "then": [],
            "sub_results": [
                {
                    "rule": "alien.basics.skill-roll/throw",
                    "kind": "Thrown",
                    "who": "Ripa",
                    "result": {"sixes": 2, "triggers": False, "pushes": 1},
                }
            ],
        },
        {
            "id": 7,
            "kind": "happened",
            "then": [
                {
                    "ended": {
                        "success": True, "sixes": 2, "extra": 1, "pushes": 1, "response": None, "messed_up": False
                    }
                }
            ],
            "result_kind": "SkillRoll",
        },
    ]  # fmt: skip


def test_an_evening_broken_off_in_the_middle_of_a_roll_goes_on_as_if_it_had_not_been(alien: Journal) -> None:
    whole = [[6, 2, 3, 4, 5], [3]], "yes", [[2, 3, 4, 6], [5, 2]]
    answered(observed(alien), *whole)
    broken = Journal(alien.system, alien.start)
    observed(broken)
    for answer in whole:
        written = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in broken.lines]
        broken = answered(Journal(alien.system, alien.start, None, written), answer)
    assert broken.lines == alien.lines


def test_who_helps_from_hiding_is_named_to_the_game_master_alone(alien: Journal) -> None:
    alien.hide("game master", frozenset({"wolf"}))
    observed(alien, "Dallow", "wolf", mods=())
    (asked,) = view(alien, Seat("Ana's", frozenset({"Ripa"})))["questions"]
    assert [mod["label"] for mod in asked["mods"]] == ["Wits", "Observation", "Dallow helps", "stress"]
    answered(alien, [[1, 2, 3, 4, 5, 5], [6]], "no")
    known = ["Wits", "Observation", "Dallow helps", "stress"]
    assert [[mod["label"] for mod in each["mods"]] for each in rolls(alien)] == [known]
    assert "wolf" not in json.dumps(told(alien)[1:])
    ((*_, helps, _),) = [each["mods"] for each in rolls(alien, MASTER)]
    assert helps == {"amount": 1, "label": "wolf helps", "rule": "alien.basics.helping", "hidden": True}
    assert (
        [each["kind"] for each in sub_results(alien)]
        == [each["kind"] for each in sub_results(alien, MASTER)]
        == ["Thrown"]
    )


# --- Distemper --------------------------------------------------------------------------------------------------------

ASH: Final[Plain] = {
    "attributes": {"Acumen": 2, "Dexterity": 2},
    "skills": {"Ranged Combat": 2},
    "items": [{"name": "rifle", "skill": "Ranged Combat", "wp": 4, "rp": 3}],
    "insight": 0,
}
RAIDER: Final[Plain] = {"player": False, "wp": 9, "rp": 8, "wp_full": 9, "rp_full": 8, "ranged_defense": 1}


@pytest.fixture
def distemper() -> System:
    return registry.load("distemper")


@pytest.fixture
def market(distemper: System) -> Journal:
    return Journal(distemper, distemper.state({"Ash": ASH, "raider": RAIDER}))


def checked(journal: Journal, **more: Plain) -> Journal:
    given = {"who": "Ash", "using": "Acumen", **more}
    journal.begin("game master", "distemper.checks.dice-check", given)
    return answered(journal, [[3, 5]])


ACUMEN: Final = {"amount": 2, "label": "Acumen", "rule": "distemper.checks.amod"}
CHECK: Final = {"total": 10, "outcome": "Success", "success": True, "moment": None}


def test_a_check_is_told_once(market: Journal) -> None:
    checked(market)
    assert rolls(market) == [{"dice": [{"die": "d6", "sides": 6}], "mods": [ACUMEN]}]
    by = {"rule": "distemper.checks.dice-check/result", "kind": "Check", "who": "Ash", "result": CHECK}
    assert [each for each in sub_results(market) if each["kind"] == "Check"] == [by]
    assert told(market)[-1]["then"] == [{"ended": CHECK}]
    assert result_kinds(market) == result_kinds(market, MASTER) == []


def test_of_a_secret_modifier_players_see_no_trace(market: Journal) -> None:
    checked(market, secret=-3, cmods=["+1 rain"])
    rain = {"amount": 1, "label": "rain", "rule": "distemper.checks.cmod"}
    secret = {"amount": -3, "label": "kept secret", "rule": "distemper.checks.cmod", "secret": True}
    assert rolls(market, MASTER) == [{"dice": [{"die": "d6", "sides": 6}], "mods": [ACUMEN, rain, secret]}]
    assert [each["result"]["total"] for each in sub_results(market, MASTER) if each["kind"] == "Check"] == [8]
    for seat in (GUEST, Seat("Ash's", frozenset({"Ash"}))):
        assert rolls(market, seat) == [{"dice": [{"die": "d6", "sides": 6}], "mods": [ACUMEN, rain]}]
        assert (sub_results(market, seat), result_kinds(market, seat)) == ([], [])
        assert [item["kind"] for item in told(market, seat)] == ["began", "answered"]
        assert "secret" not in json.dumps(told(market, seat))


def test_a_hidden_check_is_told_to_the_game_master_alone(market: Journal) -> None:
    checked(market, hidden=True)
    for seat in (GUEST, Seat("Ash's", frozenset({"Ash"}))):
        assert [each["result"] for each in sub_results(market, seat)] == [
            {"faces": [], "extra": 0, "bonus": []}
        ]  # before it
        assert (rolls(market, seat), result_kinds(market, seat)) == ([], [])
    assert [each["mods"] for each in rolls(market, MASTER)] == [[ACUMEN]]
    assert sub_results(market, MASTER)[-1]["result"] == CHECK


def test_an_attack_within_a_turn_is_told_step_by_step_and_each_thing_once(distemper: System) -> None:
    turns = {"phase": "actions", "scores": {"Ash": 9, "raider": 3}, "left": {"Ash": 2, "raider": 2}}
    fight = {"kind": "Fight", "sides": [["Ash"], ["raider"]], **turns}
    table = Journal(distemper, distemper.state({"Ash": ASH, "raider": RAIDER, "fight": fight}))
    table.begin("table", "distemper.combat-actions.catalogue", {"who": "Ash"})
    answered(table, "attack raider rifle", [[3, 5]])
    (roll_of_ash,) = rolls(table)
    assert roll_of_ash["mods"] == [
        {"amount": 2, "label": "Dexterity", "rule": "distemper.checks.amod"},
        {"amount": 2, "label": "Ranged Combat", "rule": "distemper.checks.smod"},
        {"amount": -1, "label": "raider's defense", "rule": "distemper.combat.defensive-modifiers"},
    ]
    check = {"total": 11, "outcome": "Success", "success": True, "moment": None}
    by_check, by_strike = "distemper.checks.dice-check/result", "distemper.combat-actions.attack/strike"
    judged = [each for each in sub_results(table) if each["kind"] != "Dice"]
    assert judged == [
        {"rule": by_check, "kind": "Check", "who": "Ash", "result": check},
        {"rule": by_strike, "kind": "Strike", "who": "Ash", "result": {"check": check, "hit": True, "wp": 4, "rp": 3}},
    ]
    assert sub_results(table, MASTER) == sub_results(table)
    after = [item for item in told(table) if item["kind"] == "happened"]
    order = [item["sub_results"][0]["kind"] if "sub_results" in item else next(iter(item["then"][0])) for item in after]
    hurt = next(at for at, item in enumerate(after) if item["then"] and item["then"][0].get("who") == "raider")
    assert order.index("Check") < hurt < order.index("Strike") < order.index("ended")
    assert all(len(item["then"]) + len(item.get("sub_results", ())) == 1 for item in after)


# --- a small system with what those two have not ----------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5


@final
@dataclass(frozen=True, slots=True)
class Throw:
    total: int
    of: str = ""


DIE, AGAIN, READY, WHOM = Prompt("die"), Prompt("again"), Prompt("ready"), Prompt("whom")
ONE: Final = Pool.of((D6, 1))


@rule("lane.throw")
async def throw(scene: Scene, who: Who[Rogue]) -> Throw:
    """A die."""
    return Throw((await roll(DIE, who, ONE, Total)).total)


@rule("lane.throw/pick")
async def throw_for(scene: Scene, who: Who[Rogue]) -> Throw:
    """A die for somebody."""
    thrown = await throw(who)
    return replace(thrown, of=(await choose(who, WHOM, scene.all(Rogue))).name)


@rule("lane.pick")
async def pick(scene: Scene, who: Who[Rogue]) -> Throw:
    """A die for somebody, and one more."""
    return replace(await throw_for(who), total=1)


@rule("lane.wait")
async def wait(scene: Scene, who: Who[Rogue]) -> Throw:
    """A die, and its result once one is ready."""
    thrown = await throw(who)
    await choose(who, READY, ("yes", "no"))
    return thrown


@rule("lane.game")
async def game(scene: Scene, who: Who[Rogue], others: tuple[Who[Rogue], ...]) -> None:
    """Everybody throws."""
    for each in (who, *others):
        await throw(each)
    await tell("played", who=who)


@rule("lane.at-once")
async def at_once(scene: Scene, who: Who[Rogue], other: Who[Rogue]) -> None:
    """Both throw at once, with odd dice."""
    pool = Pool.of((marked_die("luck", 4, star=4), 1), (D6, 0))
    mods = (Mod(1, "hat", "lane.hats"), Mod(2, "marked dice", "lane.tricks", secret=True))
    await together(roll(DIE, who, pool, SymbolCounts, mods=mods), roll(DIE, other, ONE, Total))


@rule("lane.keep")
async def keep(scene: Scene, who: Who[Rogue], hidden: bool) -> None:
    """A die is kept for another throw."""
    audience = Audience.MASTER if hidden else Audience.EVERYONE
    seen = await roll(DIE, who, ONE, Faces, audience=audience)
    await roll(AGAIN, who, ONE, Faces, kept=seen)


@pytest.fixture
def lane(tmp_path: Path) -> System:
    return System("lane", "Lane", tmp_path, 1, Rogue)


@pytest.fixture
def start(lane: System) -> State:
    return lane.state({"ana": {}, "bo": {}, "wolf": {}})


@pytest.fixture
def table(lane: System, start: State) -> Journal:
    return Journal(lane, start)


def begun(journal: Journal, rule_: str, *answers: Plain, **given: Plain) -> Journal:
    journal.begin("somebody", rule_, given)
    return answered(journal, *answers)


def test_what_a_rule_came_to_for_somebody_in_hiding_is_not_told(table: Journal) -> None:
    table.hide("game master", frozenset({"wolf"}))
    begun(table, "lane.game", [1], [2], [3], who="ana", others=["wolf", "bo"])
    results = [("ana", {"total": 1, "of": ""}), ("wolf", {"total": 2, "of": ""}), ("bo", {"total": 3, "of": ""})]
    assert [(each["who"], each["result"]) for each in sub_results(table, MASTER)] == results
    assert [each.get("hidden", False) for each in sub_results(table, MASTER)] == [False, True, False]
    assert [(each["who"], each["result"]) for each in sub_results(table)] == [results[0], results[2]]
    assert [item["kind"] for item in told(table)[1:]] == [
        "began", "answered", "happened", "answered", "happened", "happened", "happened"
    ]  # fmt: skip


def test_a_result_that_names_somebody_in_hiding_is_not_told(table: Journal) -> None:
    table.hide("game master", frozenset({"wolf"}))
    begun(table, "lane.pick", [4], "wolf", who="ana")
    picked = {"rule": "lane.throw/pick", "kind": "Throw", "who": "ana", "result": {"total": 4, "of": "wolf"}}
    assert sub_results(table, MASTER)[1:] == [{**picked, "hidden": True}]
    assert [each["result"] for each in sub_results(table)] == [{"total": 4, "of": ""}]
    assert (result_kinds(table), result_kinds(table, MASTER)) == ([], ["Throw"])
    assert "wolf" not in json.dumps(told(table)[1:])


def test_a_result_that_was_told_on_the_way_is_not_told_again_in_the_end(table: Journal) -> None:
    begun(table, "lane.wait", [4], "no", who="ana")
    assert [each["result"] for each in sub_results(table)] == [{"total": 4, "of": ""}]
    assert (told(table)[-1]["then"], result_kinds(table)) == ([{"ended": {"total": 4, "of": ""}}], [])


def test_throws_at_once_are_each_told_with_how_they_were_made(table: Journal) -> None:
    table.begin("somebody", "lane.at-once", {"who": "ana", "other": "bo"})
    table.answer("Ana's", 1, [[4], []], part=0)
    luck = {"die": "luck", "faces": ["blank", "blank", "blank", "star"]}
    hat = {"amount": 1, "label": "hat", "rule": "lane.hats"}
    trick = {"amount": 2, "label": "marked dice", "rule": "lane.tricks", "secret": True}
    of_ana = {"dice": [luck, {"die": "d6", "sides": 6}], "mods": [hat]}
    assert (rolls(table), rolls(table, Seat("Ana's", frozenset({"ana"})))) == ([], [of_ana])
    table.answer("Bo's", 1, [[2]], part=1)
    (item,) = [item for item in told(table) if item["kind"] == "answered"]
    assert item["roll"] == {"dice": [{"die": "d6", "sides": 6}], "mods": []}
    assert [each["roll"] for each in item["with"]] == [of_ana]
    (whole,) = [item["with"] for item in told(table, MASTER) if "with" in item]
    assert [each["roll"]["mods"] for each in whole] == [[hat, trick]]


@pytest.mark.parametrize("hidden", [False, True])
def test_dice_kept_from_a_throw_that_was_hidden_are_not_told(table: Journal, *, hidden: bool) -> None:
    begun(table, "lane.keep", [5], [2], who="ana", hidden=hidden)
    assert rolls(table, MASTER)[-1] == {
        "dice": [{"die": "d6", "sides": 6}],
        "kept": [5],
        "places": [[[5], []]],
        "mods": [],
    }
    assert rolls(table)[-1].get("kept") == (None if hidden else [5])
    assert rolls(table)[-1].get("places") == (None if hidden else [[[5], []]])
    assert len(rolls(table)) == (1 if hidden else 2)


def test_in_a_step_begun_in_secret_nobody_is_told_what_was_kept(table: Journal) -> None:
    table.begin("game master", "lane.keep", {"who": "ana", "hidden": False}, secret=True)
    answered(table, [5], [2])
    mine = [{"dice": [{"die": "d6", "sides": 6}], "mods": []}] * 2
    assert (rolls(table, Seat("Ana's", frozenset({"ana"}))), rolls(table)) == (mine, [])


def test_a_throw_that_is_held_is_told_with_how_it_was_made_to_the_game_master_alone(lane: System, start: State) -> None:
    table = Journal(lane, start, SeededDice(b"lane"), handle=lambda _: Handling.ASK)
    table.begin("somebody", "lane.throw", {"who": "ana"})
    assert isinstance(table.asking[0].question, Chance)
    assert [item["kind"] for item in told(table, MASTER)] == ["began", "held"]
    assert rolls(table, MASTER) == [{"dice": [{"die": "d6", "sides": 6}], "mods": []}]
    assert rolls(table) == []


def test_what_was_refused_in_the_end_came_to_nothing(table: Journal) -> None:
    table.begin("somebody", "lane.game", {"who": "ana", "others": ["bo"]})
    answered(table, [1])
    table.cancel("game master", 1)
    assert [set(line.to_plain()) & {"sub_results", "result_kind"} for line in table.lines[2:]] == [set()]


# --- older logs -------------------------------------------------------------------------------------------------------


def bare(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if name not in DETAILS}


def test_lines_without_any_of_it_open_and_are_told(alien: Journal) -> None:
    answered(observed(alien), [[6, 2, 3, 4, 5], [3]], "yes")
    old = [Line.from_plain(bare(line.to_plain())) for line in alien.lines]
    again = Journal(alien.system, alien.start, None, old)
    assert [each.question for each in again.asking] == [each.question for each in alien.asking]
    assert told(again) == [bare(item) for item in told(alien)]
    answered(again, [[2, 3, 4, 6], [5, 2]])
    assert [set(item) & DETAILS for item in told(again)[-4:]] == [
        {"roll"},
        {"sub_results"},
        {"sub_results"},
        {"result_kind"},
    ]
