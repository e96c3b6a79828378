"""Kernels: all results of ALIEN's dice at once. `tests/systems/alien/test_kernels.py` proves them equal to play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from referee.core import Mods, Scene, SymbolCounts, Who
from referee.core.dice import Die, Face
from referee.core.rules import Decide, after, kernel
from referee.systems.alien.basics import Thrown, at_least_one, throw_and_push
from referee.systems.alien.pool import ONE, SIX, STRESS, pool
from referee.systems.alien.push import PUSHES_PER_ROLL, STRESS_DICE_ADDED, offer_push, stress_gain
from referee.systems.alien.sheet import Colonist
from referee.systems.alien.stress import stressed

if TYPE_CHECKING:
    from referee.odds import SymbolDie

PUSHED: Final = "pushed"
STRESS_ONE: Final = f"{STRESS} {ONE}"

Symbols: TypeAlias = Mapping[str, int]
"""How many dice show each face, by kind (`stress one`) and, for any kind, by face (`six`)."""


@kernel(throw_and_push)
def thrown_and_pushed(
    scene: Scene, decide: Decide, who: Who[Colonist], dice: Mods
) -> Iterator[tuple[Thrown, tuple[tuple[Who[Any], Colonist], ...], int]]:
    """Every final state of the dice; for each throw that may be pushed, the roller is asked."""
    from referee.odds import SymbolDie, policy_pool  # loaded only when odds are asked for

    thrown = pool(scene, at_least_one(scene, dice), scene[who].stress).groups
    kinds = [(die.name, [(face, f"{die.name} {face}") for face in _faces(die)]) for die, _ in thrown]
    scenes = [scene]
    for _ in range(scene[PUSHES_PER_ROLL]):
        scenes.append(after(scenes[-1], who, stressed(scenes[-1], who, stress_gain(scenes[-1], who))))

    def wants_to_push(symbols: Symbols) -> bool:
        now, pushes = scenes[symbols[PUSHED]], symbols[PUSHED]
        return bool(decide(offer_push(now, who, _seen(symbols, kinds), pushes), now))

    # Pushes are counted by a one-sided die that is added at each push.
    added = [(SymbolDie(1, {1: PUSHED}), 1)]
    added += [(_symbol_die(die), scene[STRESS_DICE_ADDED]) for die, _ in thrown if die.name == STRESS]
    ends = policy_pool(
        [(_symbol_die(die), count) for die, count in thrown],
        (SIX, STRESS_ONE, PUSHED),
        pushes=scene[PUSHES_PER_ROLL],
        policy=wants_to_push,
        adding=added,
    )
    for (sixes, ones, pushes), ways in ends.limited(STRESS_ONE, 1).items():
        yield Thrown(sixes, ones > 0, pushes), (((who, scenes[pushes][who]),) if pushes else ()), ways


def _symbol_die(die: Die) -> SymbolDie:
    """A die by what its faces mean; a push does not throw sixes again."""
    from referee.odds import SymbolDie

    faces = dict(enumerate(die.faces, 1))
    marks = {pip: (f"{die.name} {face}", str(face)) for pip, face in faces.items()}
    return SymbolDie(die.sides, marks, locks=[pip for pip, face in faces.items() if face == SIX])


def _seen(symbols: Symbols, kinds: Sequence[tuple[str, Sequence[tuple[Face, str]]]]) -> SymbolCounts:
    """The dice as the roller sees them."""
    return SymbolCounts(
        tuple([(die, tuple([(face, n) for face, symbol in faces if (n := symbols[symbol])])) for die, faces in kinds])
    )


def _faces(die: Die) -> list[Face]:
    """Each face once, in the order in which a throw lists them."""
    return sorted(set(die.faces), key=str)
