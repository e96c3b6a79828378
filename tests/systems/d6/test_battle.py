"""Large battles: every cell of the table, odds against a count by hand, kernels against play of the rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from referee.core import Mod, Scene, State, Who
from referee.core.rules import Call
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.kits.dice_codes import Code
from referee.registry import load
from referee.systems.d6.combat.battle_tables import ERAS, BattleCell, battle_cell
from referee.systems.d6.combat.engagement import battle_roll
from referee.systems.d6.combat.generals import Clash, generals_roll, oppose_generals
from referee.systems.d6.combat.skirmish_attacks import strike, unit_attack
from referee.systems.d6.sheet import Hero
from referee.systems.d6.tasks import coordinate

SYSTEM: Final = load("d6")
ANA: Final = Who("ana", Hero)
KARL: Final = Who("Karl", Hero)
GRIM: Final = Who("g1", Hero)
EMPTY: Final = SYSTEM.state({})

LINES: Final = {
    (2, 4): "4d-0 5d-0 6d-1 6d-2 7d-3* 8d-4",
    (5, 8): "4d-0 4d-1 5d-1 6d-2* 6d-4 7d-5",
    (9, 11): "3d-1 4d-1 4d-2 5d-3 6d-4* 6d-5*",
    (12, 13): "2d-1 4d-1* 4d-2* 5d-3* 5d-5* 6d-6*",
    (14, 16): "2d-1* 3d-1* 4d-2 4d-4* 5d-5* 5d-6*",
    (17, 19): "2d-2 3d-2* 3d-3 4d-4 4d-6* 5d-8*",
    (20, 30): "1d-2* 2d-3 3d-4 4d-5 4d-7* 4d-10*",
}
"""The table as printed: a victory has the first four columns, a tie the next four, a defeat the last four."""
LEVELS: Final = ("Support", "Disengaged", "Engaged", "First line")


def cells() -> list[tuple[str, str, int, str]]:
    found = []
    for (low, high), line in LINES.items():
        for (at, result), (column, level) in product(enumerate(("Victory", "Tie", "Defeat")), enumerate(LEVELS)):
            found += [(result, level, total, line.split()[at + column]) for total in (low, high)]
    return found


def read(cell: str) -> BattleCell:
    damage, _, rest = cell.partition("d-")
    return BattleCell(int(damage), int(rest.rstrip("*")), rest.endswith("*"))


@pytest.mark.parametrize(("result", "level", "total", "cell"), cells())
def test_every_cell_of_the_battle_table(result: str, level: str, total: int, cell: str) -> None:
    assert battle_cell(Scene(EMPTY), result, level, total) == read(cell)


def test_there_are_84_cells_each_tried_at_both_ends_of_its_line() -> None:
    assert len(cells()) == 2 * 84


@pytest.mark.parametrize(("level", "total"), [("Not involved", 7), ("Specops", 7)])
def test_whoever_is_not_in_the_fight_has_no_cell(level: str, total: int) -> None:
    with pytest.raises(Exception, match="nobody rolls there"):
        battle_cell(Scene(EMPTY), "Victory", level, total)


# --- odds -------------------------------------------------------------------------------------------------------------


def table(options: dict[str, Any] | None = None, **battle: Any) -> State:
    sheets: dict[str, Any] = {
        "Karl": {"attributes": {"Knowledge": "2D+1"}, "player": False},
        "Odo": {"attributes": {"Knowledge": "2D"}, "player": False},
        "ana": {"attributes": {"Knowledge": "2D", "Agility": "3D", "Strength": "2D"}, "character_points": 1},
        "battle": {
            "kind": "LargeBattle",
            "sides": [["Karl", "ana"], ["Odo"]],
            "generals": ["Karl", "Odo"],
            "heroes": ["ana"],
            "posts": [{"who": "ana", "level": "Engaged"}],
            **battle,
        },
        "book": {"kind": "Book", "system": "d6", "options": options or {}},
    }
    return SYSTEM.state(sheets)


def test_the_generals_roll_is_counted_by_hand() -> None:
    state = table(attackers={"Morale": 2}, defenders={"Entrenched": 5})
    counted = Counter[Clash]()
    for pips in product(range(1, 7), repeat=4):
        margin = pips[0] + pips[1] + 1 + 2 - (pips[2] + pips[3] + 5)
        size = abs(margin)
        name = (
            "Tie" if not size else "Strategic advantage" if size < 6 else "Small victory" if size < 11
            else "Great victory" if size < 16 else "Flawless victory"
        )  # fmt: skip
        counted[Clash("attackers" if margin > 0 else "defenders" if margin else "", size, name)] += 1
    found = Exact().results(generals_roll(), state)
    assert {result: share * 6**4 for result, share in found.of.items()} == counted


def test_the_battle_table_is_counted_by_hand() -> None:
    """Engaged in a defeat by 3: 6D, less Parry 3D, and 2D of Strength; the damage of each line by its own dice."""
    state = table(phase="fight", winner="defenders", margin=3)
    counted = Counter[str]()
    for one, other in product(range(1, 7), repeat=2):
        line = next(cells for (low, high), cells in LINES.items() if low <= one + other + 2 <= high)
        dice = read(line.split()[2 + 2]).damage - 3
        for damage, ways in sums(dice).items():
            for strength, times in sums(2).items():
                counted[row(damage - strength)] += ways * times * 6 ** (4 - dice)
    found = Exact().results(battle_roll(ANA), state)
    by_row = defaultdict[str, Fraction](Fraction)
    for result, share in found.of.items():
        by_row[result.result] += share
    assert by_row == {name: Fraction(ways, 6**8) for name, ways in counted.items()}


def sums(dice: int) -> Counter[int]:
    return Counter(sum(pips) for pips in product(range(1, 7), repeat=dice))


def row(difference: int) -> str:
    if difference < 0:
        return "none"
    return next(
        name
        for low, name in (
            (21, "Dead"), (16, "Mortally wounded"), (11, "Neutralized"), (6, "Wounded"), (0, "Stunned")
        )
        if difference >= low
    )  # fmt: skip


# --- kernels ----------------------------------------------------------------------------------------------------------

OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "no wild die": {},
    "good fortune": {"d6.core.wild-die": True, "d6.core.wild-1": "complication", "d6.core.wild-6": "good fortune"},
    "discard": {"d6.core.wild-die": True, "d6.core.wild-1": "discard", "d6.core.wild-6": "good fortune"},
}


def assert_equal(call: Call[Any], state: State, policy: Policy, *names: Who[Any]) -> None:
    fast, played = (
        exact.of(call, state).by_end(lambda result, scene: (result, *(scene[who] for who in names)))
        for exact in (Exact(policy), Exact(policy, kernels=False))
    )
    assert fast == played


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("involved", [True, False])
def test_the_kernel_of_the_generals_roll_is_the_rule(options: str, involved: bool) -> None:
    level = "Engaged" if involved else "Not involved"
    state = table(OPTIONS[options], posts=[{"who": "ana", "level": level}])
    mods = (Mod(3, "morale", "d6.battle.generals-roll", unit="total"),)
    assert_equal(oppose_generals(mods, ()), state, by_default, KARL)


def test_the_kernel_of_the_generals_roll_spends_what_a_player_spends() -> None:
    state = SYSTEM.state(
        {
            "Karl": {"attributes": {"Knowledge": "1D"}, "fate_points": 1},
            "Odo": {"attributes": {"Knowledge": "1D"}},
            "battle": {"kind": "LargeBattle", "sides": [["Karl"], ["Odo"]], "generals": ["Karl", "Odo"]},
            "book": {"kind": "Book", "system": "d6", "options": {"d6.core.fate-points": "single action"}},
        }
    )
    for policy in (by_default, always(**{"fate-point": True})):
        assert_equal(oppose_generals((), ()), state, policy, KARL)


def skirmish(options: dict[str, Any], *, reactions: int) -> State:
    return SYSTEM.state(
        {
            "Vala": {},
            "ana": {"attributes": {"Coordination": "2D+1"}},
            "Grim": {},
            "g1": {"attributes": {"Agility": "2D", "Strength": "1D"}},
            "skirmish": {
                "kind": "UnitSkirmish",
                "sides": [["Vala", "ana"], ["Grim", "g1"]],
                "phase": "resolve actions",
                "scores": {"Vala": 2, "Grim": 1},
                "left": {"Vala": 1},
                "units": [
                    {"leader": "Vala", "members": ["ana"], "commanded": True, "coordinated": ["ana"], "actions": 1},
                    {"leader": "Grim", "members": ["g1"], "coordinated": ["g1"], "actions": 1, "reactions": reactions},
                ],
            },
            "book": {"kind": "Book", "system": "d6", "options": options},
        }
    )


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("reaction", ["", "dodge", "parry"])
def test_the_kernel_of_a_unit_s_strike_is_the_rule(options: str, reaction: str) -> None:
    state = skirmish(OPTIONS[options], reactions=1)
    call = strike(Who("Vala", Hero), Code(2, 1), (), GRIM, reaction, 7)
    assert_equal(call, state, by_default, GRIM)


def test_an_attack_of_a_unit_has_the_odds_of_its_parts() -> None:
    state = skirmish({}, reactions=1)
    found = Exact(always(**{"unit-dodge": True})).results(
        unit_attack(Who("Vala", Hero), GRIM, 0, 10, using="Firearms", damage=Code(1)), state
    )
    hits = sum(ways for (mine, one), (theirs, other) in product(sums(2).items(), repeat=2)
               if mine + 1 >= theirs for ways in (one * other,))  # fmt: skip
    assert sum(share for hit, share in found.of.items() if hit.hit) == Fraction(hits, 6**4)


def test_how_many_follow_is_counted_by_hand() -> None:
    """Six people of 4D are Moderate; Easy are the two of the first row."""
    state = SYSTEM.state({"Karl": {"attributes": {"Charisma": "3D"}}})
    counted = Counter[int]()
    for total, ways in sums(3).items():
        counted[6 if total >= 15 else 4 if total > 10 else 2 if total > 5 else 0] += ways
    found = Exact().results(coordinate(KARL, 6, Code(4)), state)
    by_number = defaultdict[int, Fraction](Fraction)
    for result, share in found.of.items():
        by_number[result.coordinated] += share
    assert by_number == {number: Fraction(ways, 216) for number, ways in counted.items()}


def test_what_the_book_says_of_future_battles() -> None:
    infantry = "infantry may get no reduction at all, only PCs aboard vehicles"
    assert Scene(EMPTY)[ERAS]["Future"].says == f"the skill by setting; {infantry}; damage need not be physical"
