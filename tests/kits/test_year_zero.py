"""The Year Zero kit with the smallest hybrid: attribute, skill and gear dice, a push, banes told by kind of die."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, Final, final

import pytest

from referee.core import (
    BadAnswer,
    Mod,
    Mods,
    Open,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    System,
    Who,
    alter,
    roll,
    rule,
)
from referee.core.questions import Request
from referee.core.rules import Call, Decide, kernel
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.drivers.scripted import play
from referee.journal.journal import Journal
from referee.journal.lines import AnswerGiven
from referee.kits import year_zero
from referee.kits.year_zero import CANCELLED, ONE, SIX, SUCCESSES, Kinds, kind, larger_kind, shows
from referee.testing.conformance import agree

BASE, SKILL, GEAR, NEGATIVE, D12 = "base", "skill", "gear", "negative", "d12"
ARTIFACT: Final = (0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4)
KINDS: Final[Kinds] = (
    kind(BASE, six=6, one=1),
    kind(SKILL, six=6, keeps=(SIX,)),
    kind(GEAR, six=6, one=1),
    kind(NEGATIVE, six=6, keeps=(SIX,), counts=-1),
    larger_kind(D12, ARTIFACT),
)
ROLL: Final = Prompt("roll")
PUSH: Final = Prompt("push")
ONCE: Final = 1


# --- the smallest hybrid ----------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Scout:
    """Strength, a rifle, and the stress of someone who pushes."""

    strength: Open[int] = 3
    rifle: Open[int] = 2
    stress: Open[int] = 0

    def suffering(self, base: int, gear: int) -> Scout:
        """Banes on base dice hurt and stress, banes on gear dice wear the rifle."""
        hurt = max(0, self.strength - base)
        return replace(self, strength=hurt, rifle=max(0, self.rifle - gear), stress=self.stress + base)


@final
@dataclass(frozen=True, slots=True)
class Shot:
    """What counts in the end."""

    successes: int
    pushes: int
    base_banes: int = 0
    gear_banes: int = 0


ANA: Final = Who("ana", Scout)
BO: Final = Who("bo", Scout)


def dice_of(scene: Scene, who: Who[Scout], skill: int, artifact: int = 0) -> dict[str, int]:
    own = {BASE: scene[who].strength, GEAR: scene[who].rifle, D12: artifact}
    return {**own, SKILL: max(0, skill), NEGATIVE: max(0, -skill)}


def offer_push(who: Who[Scout], seen: SymbolCounts, pushes: int) -> Request[bool | None]:
    return year_zero.offer_push(PUSH, who, seen, lambda: check_push(seen, pushes))


def check_push(seen: SymbolCounts, pushes: int) -> None:
    year_zero.check_push(seen, pushes, most=ONCE, rule="hybrid.push-once")
    year_zero.check_dice_left(seen, KINDS, rule="hybrid.push")


@rule("hybrid.throw")
async def throw(scene: Scene, who: Who[Scout], skill: int, artifact: int = 0) -> Shot:
    """Everything is thrown; a push throws again what shows neither a six nor a bane."""
    pool = year_zero.pool(KINDS, dice_of(scene, who, skill, artifact))
    seen = await roll(ROLL, who, pool, SymbolCounts)
    pushes = 0
    while await offer_push(who, seen, pushes):
        seen = await year_zero.throw_again(PUSH, who, seen, KINDS)
        pushes += 1
    banes = year_zero.banes(seen) if pushes else {}
    return Shot(year_zero.successes(seen, KINDS), pushes, banes.get(BASE, 0), banes.get(GEAR, 0))


@rule("hybrid.shoot")
async def shoot(scene: Scene, who: Who[Scout], skill: int, artifact: int = 0) -> Shot:
    """A shot; banes count only after a push."""
    shot = await throw(who, skill, artifact)
    if shot.pushes:
        await alter(who, Scout.suffering, shot.base_banes, shot.gear_banes)
    return shot


@kernel(throw)
def every_throw(
    scene: Scene, decide: Decide, who: Who[Scout], skill: int, artifact: int = 0
) -> Iterator[tuple[Shot, tuple[()], int]]:
    """Nothing changes in the scene by the push itself."""
    ends = year_zero.push_ends(
        KINDS,
        year_zero.pool(KINDS, dice_of(scene, who, skill, artifact)),
        (SUCCESSES, CANCELLED, shows(BASE, ONE), shows(GEAR, ONE)),
        most=ONCE,
        wants=lambda seen, pushes: bool(decide(offer_push(who, seen, pushes), scene)),
    )
    for (won, cancelled, base, gear), pushes, ways in ends:
        banes = (base, gear) if pushes else (0, 0)
        yield Shot(max(0, won - cancelled), pushes, *banes), (), ways


def scene_with(**ana: int) -> State:
    return State({"ana": Scout(**ana), "bo": Scout()})


def if_failed(question: Any, scene: Scene) -> Any:
    return True if not year_zero.successes(question.about, KINDS) else None


POLICIES: Final[dict[str, Policy]] = {"never": by_default, "always": always(push=True), "if failed": if_failed}


# --- played -----------------------------------------------------------------------------------------------------------


def test_banes_are_told_by_kind_and_count_only_after_a_push() -> None:
    first = "base 1 2 6 skill 1 gear 1 4"
    stood = play(shoot(ANA, 1), scene_with(), {"roll": first})
    assert (stood.result, stood.state["ana"]) == (Shot(1, 0), Scout())
    pushed = play(shoot(ANA, 1), scene_with(), {"roll": first, "push": "yes base 1 skill 6 gear 1"})
    assert pushed.result == Shot(successes=2, pushes=1, base_banes=2, gear_banes=2)
    assert pushed.state["ana"] == Scout(strength=1, rifle=0, stress=2)


def test_ones_on_skill_dice_are_no_banes_and_are_thrown_again() -> None:
    seen = SymbolCounts.from_plain({"base": {"one": 1, "blank": 1}, "skill": {"blank": 2, "six": 1}})
    assert year_zero.banes(seen) == {"base": 1}
    assert str(year_zero.again(seen, KINDS)) == "1 base + 2 skill"
    assert str(year_zero.again(seen, KINDS, {SKILL: 1, GEAR: 2})) == "1 base + 3 skill + 2 gear"


def test_negative_dice_take_successes_away_but_never_below_none() -> None:
    assert play(shoot(ANA, -2), scene_with(), {"roll": "base 6 6 2 gear 6 3 negative 6 2"}).result == Shot(2, 0)
    assert play(shoot(ANA, -2), scene_with(), {"roll": "base 2 2 2 gear 2 3 negative 6 6"}).result == Shot(0, 0)


@pytest.mark.parametrize(("pips", "worth"), [(5, 0), (6, 1), (7, 1), (8, 2), (9, 2), (10, 3), (11, 3), (12, 4), (1, 0)])
def test_a_larger_die_is_worth_several_successes_and_has_no_bane(pips: int, worth: int) -> None:
    shot = play(shoot(ANA, 0, 1), scene_with(strength=0, rifle=0), {"roll": f"d12 {pips}"}).result
    assert shot == Shot(worth, 0)


def test_a_push_that_would_throw_nothing_again_is_refused_with_its_rule() -> None:
    with pytest.raises(BadAnswer, match=r"no die is left to throw again \(hybrid\.push\)"):
        play(shoot(ANA, 1), scene_with(), {"roll": "base 1 6 6 skill 6 gear 1 6", "push": "yes"})


def test_a_roll_is_pushed_only_so_often() -> None:
    with pytest.raises(BadAnswer, match=r"the roll has been pushed \(hybrid\.push-once\)"):
        play(shoot(ANA, 0), scene_with(), {"roll": "2 2 2 2 2", "push": "yes 2 2 2 2 2 yes"})


def test_a_bane_on_a_kind_may_bar_the_push() -> None:
    seen = SymbolCounts.from_plain({"base": {"one": 1}, "gear": {"six": 1}})
    year_zero.check_push(seen, 0, most=1, rule="r", no_bane_on=(GEAR,))
    with pytest.raises(Refused, match=r"push: a base die shows 1 \(r\)"):
        year_zero.check_push(seen, 0, most=1, rule="r", no_bane_on=(GEAR, BASE))


def test_the_log_shows_each_die_in_its_place_and_which_was_thrown_again(tmp_path: Path) -> None:
    system = System("hybrid", "Hybrid", tmp_path, 1, Scout)
    journal = Journal(system, system.state({"ana": {}}))
    journal.begin("somebody", "hybrid.shoot", {"who": "ana", "skill": 1})
    for answer in ([[2, 6, 1], [4], [5, 1]], "yes", [[3], [6], [2]]):
        journal.answer("somebody", journal.asking[0].step, answer)
    rolls = [line.roll for line in journal.lines if isinstance(line, AnswerGiven) and line.roll is not None]
    assert rolls[0].places == ()
    assert [(die.die, places) for die, places in zip(rolls[1].dice, rolls[1].places, strict=True)] == [
        ("base", ((), (6,), (1,))),
        ("skill", ((),)),
        ("gear", ((), (1,))),
        ("negative", ()),
        ("d12", ()),
    ]


# --- odds -------------------------------------------------------------------------------------------------------------

KEEPS: Final = {"base": (1, 6), "skill": (6,), "gear": (1, 6), "negative": (6,), "d12": (6, 7, 8, 9, 10, 11, 12)}


def worth(die: str, pip: int) -> int:
    if die == D12:
        return ARTIFACT[pip - 1]
    return (-1 if die == NEGATIVE else 1) if pip == 6 else 0


def brute_force(dice: dict[str, int], way: str) -> dict[Shot, Fraction]:
    """Die by die and face by face, knowing nothing of the kit."""
    found: defaultdict[Shot, Fraction] = defaultdict(Fraction)
    kinds = [die for die, count in dice.items() for _ in range(count)]

    def end(shown: list[tuple[str, int]], pushes: int, share: Fraction) -> None:
        total = max(0, sum(worth(*each) for each in shown))
        banes = [sum(pushes for each in shown if each == (die, 1)) for die in (BASE, GEAR)]
        found[Shot(total, pushes, *banes)] += share

    for first in product(*(range(1, 13 if die == D12 else 7) for die in kinds)):
        shown = list(zip(kinds, first, strict=True))
        share = Fraction(1)
        for die in kinds:
            share /= 12 if die == D12 else 6
        again = [die for die, pip in shown if pip not in KEEPS[die]]
        failed = max(0, sum(worth(*each) for each in shown)) == 0
        if not again or way == "never" or (way == "if failed" and not failed):
            end(shown, 0, share)
            continue
        lying = [(die, pip) for die, pip in shown if pip in KEEPS[die]]
        for second in product(*(range(1, 13 if die == D12 else 7) for die in again)):
            part = share
            for die in again:
                part /= 12 if die == D12 else 6
            end(lying + list(zip(again, second, strict=True)), 1, part)
    return dict(found)


@pytest.mark.parametrize("way", POLICIES)
@pytest.mark.parametrize(
    ("base", "skill", "gear", "artifact"), [(1, 0, 0, 0), (1, 1, 1, 0), (0, 0, 2, 0), (1, -1, 1, 0), (0, 1, 0, 1)]
)
def test_mixed_pools_equal_a_brute_force(base: int, skill: int, gear: int, artifact: int, way: str) -> None:
    state = scene_with(strength=base, rifle=gear)
    dice = {BASE: base, SKILL: max(0, skill), GEAR: gear, NEGATIVE: max(0, -skill), D12: artifact}
    expected = brute_force(dice, way)
    assert Exact(POLICIES[way]).of(throw(ANA, skill, artifact), state).of == expected
    assert Exact(POLICIES[way], kernels=False).of(throw(ANA, skill, artifact), state).of == expected


def shares(odds: Odds[Any]) -> dict[tuple[Any, State], Fraction]:
    return {(result, state): Fraction(weight, odds.whole) for result, state, weight in odds.ends}


@pytest.mark.parametrize("way", POLICIES)
@pytest.mark.parametrize("call", [shoot(ANA, 2), shoot(ANA, -1), shoot(ANA, 1, 1)], ids=str)
def test_a_shot_comes_to_the_same_with_and_without_its_kernel(call: Call[Shot], way: str) -> None:
    state = scene_with(strength=2, rifle=1)
    odds = agree(call, state, POLICIES[way], samples=20)
    assert shares(odds) == shares(Exact(POLICIES[way], kernels=False).of(call, state))


def test_a_pool_as_large_as_play_ever_has_one_is_worked_out_without_playing() -> None:
    """1 - (13/18)^b (25/36)^s: the chance the book prints for a pushed pool of b base or gear dice and s skill dice."""
    exact = Exact(always(push=True))
    odds = exact.of(throw(ANA, 4), scene_with(strength=5, rifle=3))
    assert exact.runs == 0
    assert odds.chance(lambda shot: shot.successes > 0) == 1 - Fraction(13, 18) ** 8 * Fraction(25, 36) ** 4
    # Each die shows a bane in 5 of 18 cases; without a die to throw again there is no push, and banes are harmless.
    whole_pool_kept = Fraction(1, 3**8 * 6**4)
    assert odds.mean(lambda shot: shot.gear_banes) == Fraction(15, 18) - whole_pool_kept * Fraction(3, 2)
    assert odds.mean(lambda shot: shot.base_banes) == Fraction(25, 18) - whole_pool_kept * Fraction(5, 2)


# --- help, opposed, groups, shorthand ---------------------------------------------------------------------------------


def test_help_is_limited_and_itemised() -> None:
    scene = Scene(State({name: Scout() for name in ("ana", "bo", "cy")}))
    cy, di = Who("cy", Scout), Who("di", Scout)
    year_zero.check_helpers(scene, ANA, (BO, cy), most=2, rule="r")
    mods: Mods = year_zero.help_from((BO, cy), 1, rule="r")
    assert mods == (Mod(1, "bo helps", "r"), Mod(1, "cy helps", "r"))
    for helpers, spent, because in (
        ((BO, cy), (), "at most 1 may help"),
        ((BO, BO), (), "everybody else helps once"),
        ((ANA,), (), "everybody else helps once"),
        ((di,), (), "di is not here"),
        ((BO,), ("bo",), "bo has spent the full action"),
    ):
        most = 1 if because.startswith("at most") else 3
        with pytest.raises(Refused, match=because):
            year_zero.check_helpers(scene, ANA, helpers, most=most, rule="r", spent=spent)


@pytest.mark.parametrize(("mine", "theirs", "left"), [(3, 1, 2), (1, 1, 0), (0, 0, 0), (1, 3, 0)])
def test_an_opposed_roll_leaves_what_the_other_did_not_take(mine: int, theirs: int, left: int) -> None:
    assert year_zero.opposed(mine, theirs) == left


def test_the_weakest_or_the_best_rolls_for_a_group_and_ties_are_left_to_the_players() -> None:
    levels = {ANA: 2, BO: 0, Who("cy", Scout): 2}
    assert year_zero.rolls_for_group(levels, weakest=True) == (BO,)
    assert year_zero.rolls_for_group(levels, weakest=False) == (ANA, Who("cy", Scout))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5b3s", (5, 3, 0)),
        ("5 B 2g", (5, 0, 2)),
        ("1b", (1, 0, 0)),
        ("3s", None),
        ("5b3x", None),
        ("b", None),
        ("", None),
    ],
)
def test_a_short_form_is_numbers_by_letter(text: str, numbers: tuple[int, ...] | None) -> None:
    assert year_zero.dice_text(text, "#b", "#s", "#g") == numbers


def test_a_pool_of_a_kind_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError, match="no kind of die is called ammo"):
        year_zero.pool(KINDS, {"ammo": 1})
