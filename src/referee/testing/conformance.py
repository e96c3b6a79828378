"""One suite for all drivers: a step must come to the same under each of them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from random import Random
from typing import Any, TypeVar

from referee.core.plain import Plain
from referee.core.questions import Question
from referee.core.rules import Call
from referee.core.run import Run, drive
from referee.core.scene import Scene, State
from referee.drivers.exact import Exact, Odds
from referee.drivers.policies import Policy, by_default
from referee.drivers.sampled import Sampled

T = TypeVar("T")


def agree(call: Call[T], state: State, policy: Policy = by_default, *, samples: int = 100, seed: int = 0) -> Odds[T]:
    """The odds of a step, after checking that every driver tells the same story of it.

    Remembered and unremembered odds are equal; whatever the sampled table plays is among the exact ends; what it
    played, written down as plain answers and read back, comes to the same.
    """
    odds = Exact(policy).of(call, state)
    plain = Exact(policy, remember=False).of(call, state)
    if _shares(odds) != _shares(plain):
        raise AssertionError(f"remembered and unremembered odds of {call} differ")
    ends = {(result, after) for result, after, _ in odds.ends}
    table = Sampled(Random(seed), policy)
    for _ in range(samples):
        end, written = _written_down(call, state, table)
        if end not in ends:
            raise AssertionError(f"sampled play came to {end}, which exact odds do not know")
        if _read_back(call, state, written) != end:
            raise AssertionError(f"read back from {written}, the step does not come to {end}")
    return odds


def _written_down(call: Call[T], state: State, table: Sampled) -> tuple[tuple[T, State], list[Plain]]:
    """Play by chance, keeping every answer in its plain form."""
    written: list[Plain] = []

    def answer(question: Question[Any], scene: Scene) -> Any:
        given = table.answer(question, scene)
        written.append(question.write(given))
        return given

    scene = Scene(state)
    return (drive(Run(scene, call), answer), scene.state), written


def _read_back(call: Call[T], state: State, written: Iterable[Plain]) -> tuple[T, State]:
    spoken = iter(written)
    scene = Scene(state)
    return drive(Run(scene, call), lambda question, _: question.read(next(spoken))), scene.state


def _shares(odds: Odds[Any]) -> dict[Any, Any]:
    return {(result, state): Fraction(weight, odds.whole) for result, state, weight in odds.ends}
