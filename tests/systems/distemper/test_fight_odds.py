"""How small fights end, as exact fractions, against what a pencil makes of the rules.

For speed initiative is one die here, by a house rule: thirty-six pairs of scores in place of a hundred and twenty-one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from referee.core import Scene, State, Who
from referee.drivers.chain import EncounterOdds, ends_of
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.combat import FIGHT
from referee.systems.distemper.sheet import Character

ONE_DIE: Final = {"kind": "Book", "set": {"distemper.combat.initiative-check": {"dice": 1}}}
FRAIL: Final = {"player": False, "wp": 1, "wp_full": 1, "items": [{"name": "axe", "wp": 1}]}
THROWN: Final = Counter(one + other for one, other in product(range(1, 7), repeat=2))
"""In how many of 36 ways two dice show a sum."""
STRIKE: Final = Exact(always(**{"al.action": "attack bo axe", "bo.action": "attack al axe"}))


def facing(al: dict[str, Any], bo: dict[str, Any], **fight: Any) -> State:
    """Two who fall at the first hit."""
    sides = {"kind": "Fight", "sides": [["al"], ["bo"]]}
    return SYSTEM.state({"book": ONE_DIE, "al": {**FRAIL, **al}, "bo": {**FRAIL, **bo}, "fight": {**sides, **fight}})


def duel(al: dict[str, Any], bo: dict[str, Any], **fight: Any) -> EncounterOdds:
    """They strike at each other with every action until one falls."""
    return ends_of(FIGHT, facing(al, bo, **fight), STRIKE)


def at_least(least: int) -> Fraction:
    return Fraction(sum(ways for shown, ways in THROWN.items() if shown >= least), 36)


def in_two(hit: Fraction) -> Fraction:
    """The chance of at least one hit in two attacks."""
    return 1 - (1 - hit) ** 2


@pytest.mark.slow
def test_a_duel_of_equals() -> None:
    """Both fall only in a tie, one of six, in which both have two attacks before anything happens."""
    falls, tie = in_two(at_least(9)), Fraction(1, 6)
    assert (at_least(9), falls) == (Fraction(10, 36), Fraction(155, 324))
    nobody = tie * falls**2 / (1 - (1 - falls) ** 2)
    assert nobody == Fraction(155, 2958)
    ends = duel({}, {})
    assert ends.of == {"al": (1 - nobody) / 2, "bo": (1 - nobody) / 2, "nobody": nobody}
    assert ends.lost == 0


@pytest.mark.slow
def test_a_duel_of_the_swift_and_the_strong() -> None:
    """Al is faster by 2 of Dexterity, bo hits better by 3 of Physicality; every round is the same until one ends it."""
    al_fells, bo_fells = in_two(at_least(9)), in_two(at_least(6))
    al_first, bo_first, tie = Fraction(26, 36), Fraction(6, 36), Fraction(4, 36)
    al = al_first * al_fells + bo_first * (1 - bo_fells) * al_fells + tie * al_fells * (1 - bo_fells)
    bo = bo_first * bo_fells + al_first * (1 - al_fells) * bo_fells + tie * bo_fells * (1 - al_fells)
    nobody = tie * al_fells * bo_fells
    over = al + bo + nobody
    ends = duel({"attributes": {"Dexterity": 2}}, {"attributes": {"Physicality": 3}})
    assert ends.of == {"al": al / over, "bo": bo / over, "nobody": nobody / over}


@pytest.mark.slow
def test_who_has_lost_the_first_round_is_struck_at_twice_without_an_answer() -> None:
    """Bo has no actions in the first round, whatever the scores; a tie with bo is none."""
    falls = in_two(at_least(9))
    nobody = Fraction(155, 2958)
    ends = duel({}, {}, lost={"bo": 2})
    assert ends.of["al"] == falls + (1 - falls) * (1 - nobody) / 2
    assert ends.of["nobody"] == (1 - falls) * nobody


# --- a few steps ------------------------------------------------------------------------------------------------------


def spread(state: State, exact: Exact, steps: int) -> dict[State, Fraction]:
    """Every scene that some steps can lead to, with its chance."""
    scenes = {state: Fraction(1)}
    for _ in range(steps):
        after: defaultdict[State, Fraction] = defaultdict(Fraction)
        for here, chance in scenes.items():
            if Scene(here)[FIGHT].over(Scene(here), FIGHT) is not None:
                after[here] += chance
                continue
            odds = exact.of(Scene(here)[FIGHT].next_step(Scene(here), FIGHT), here)
            for _, there, weight in odds.ends:
                after[there] += chance * Fraction(weight, odds.whole)
        scenes = dict(after)
    return scenes


def fallen(scenes: dict[State, Fraction]) -> dict[str, Fraction]:
    """The chance of each set of people to have fallen."""
    found: defaultdict[str, Fraction] = defaultdict(Fraction)
    for state, chance in scenes.items():
        dead = [name for name in ("al", "bo") if Scene(state)[Who(name, Character)].dead]
        found[" and ".join(dead) or "nobody"] += chance
    return dict(found)


@pytest.mark.parametrize(("al_left", "bo_left"), [(2, 1), (1, 2), (1, 1)])
def test_among_equals_each_has_all_attacks_before_anybody_falls(al_left: int, bo_left: int) -> None:
    """Al needs 7, bo 10; who is asked first makes no difference, and nobody falls before all have acted."""
    al = {"attributes": {"Physicality": 2}}
    tied = {"phase": "actions", "scores": {"al": 7, "bo": 7}, "left": {"al": al_left, "bo": bo_left}}
    state = facing({**al, "melee_defense": 1}, {}, **tied)
    assert fallen(spread(state, STRIKE, al_left + bo_left)) == {"nobody": 1}
    al_fells, bo_fells = 1 - (1 - at_least(7)) ** al_left, 1 - (1 - at_least(10)) ** bo_left
    assert fallen(spread(state, STRIKE, al_left + bo_left + 1)) == {
        "al and bo": al_fells * bo_fells,
        "al": bo_fells * (1 - al_fells),
        "bo": al_fells * (1 - bo_fells),
        "nobody": (1 - al_fells) * (1 - bo_fells),
    }


def test_cover_is_worth_two_against_both_attacks() -> None:
    """Al, who is faster, only takes cover: bo needs 11."""
    state = facing({}, {}, phase="actions", scores={"al": 9, "bo": 5}, left={"al": 1, "bo": 2})
    hides = Exact(always(**{"al.action": "take-cover", "bo.action": "attack al axe"}))
    assert fallen(spread(state, hides, 1)) == {"nobody": 1}
    assert fallen(spread(state, hides, 2))["al"] == at_least(11)
    assert fallen(spread(state, hides, 3))["al"] == in_two(at_least(11))


def test_aiming_first_fells_more_often_than_a_second_attack() -> None:
    """Aim and attack need 7 once; attack twice needs 9 twice."""
    state = facing({}, {}, phase="actions", scores={"al": 9, "bo": 5}, left={"al": 2, "bo": 2})
    scenes = spread(state, Exact(always(**{"al.action": "aim bo"})), 1)
    (aimed,) = scenes
    assert fallen(spread(aimed, STRIKE, 1))["bo"] == at_least(7) == Fraction(21, 36)
    assert fallen(spread(state, STRIKE, 2))["bo"] == Fraction(155, 324)
