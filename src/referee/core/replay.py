"""Trails: how a run got to where it is, so that it can be taken there again.

A coroutine cannot be copied. To continue from one point in two ways, the rule is run again along the same trail.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, final

from referee.core.errors import ReplayMismatch
from referee.core.questions import Question
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Scene, State

T = TypeVar("T")

Changes: TypeAlias = tuple[tuple[str, Hashable | None], ...]
"""Names with their new values."""


@final
@dataclass(frozen=True, slots=True)
class Answered:
    """A question and its answer."""

    question: Question[Any]
    part: int
    answer: Any

    def onto(self, run: Run[Any]) -> None:
        asked = run.asking[self.part] if self.part < len(run.asking) else None
        if asked != self.question:
            raise ReplayMismatch(self.question, asked or run.at_call or "nothing more")
        run.answer(self.answer, self.part)


@final
@dataclass(frozen=True, slots=True)
class KnownResult:
    """A rule that was not run again: its result, what it changes, and what it would have read."""

    call: Call[Any]
    result: Any
    changes: Changes
    reads: tuple[str, ...] = field(compare=False)

    def onto(self, run: Run[Any]) -> None:
        if run.at_call != self.call:
            raise ReplayMismatch(self.call, run.at_call or run.asking)
        for name in self.reads:
            run.scene.read(name)
        run.skip(self.result, self.changes)


@final
@dataclass(frozen=True, slots=True)
class Entered:
    """A rule that was run."""

    def onto(self, run: Run[Any]) -> None:
        run.enter()


@final
@dataclass(frozen=True, slots=True)
class OutsideChange:
    """The scene was changed from outside, by an edit of the game master or by another step."""

    to: State

    def onto(self, run: Run[Any]) -> None:
        before = run.scene.state
        for name in {**before, **self.to}:
            if before.get(name) is not self.to.get(name):
                run.scene.write(name, self.to.get(name))


Trail: TypeAlias = tuple[Answered | KnownResult | Entered | OutsideChange, ...]
"""How a run got to where it is."""


def follow(call: Call[T], scene: Scene, given: Trail, trail: Trail = (), *, pause_at_calls: bool = True) -> Run[T]:
    """Run a step again along a trail. The part `given` from outside was recorded without pausing at rules."""
    run = Run(scene, call, pause_at_calls=pause_at_calls and not given)
    for each in given:
        each.onto(run)
    run.pause_at_calls = pause_at_calls
    for each in trail:
        each.onto(run)
    return run


def changes_of(scene: Scene) -> Changes:
    """What a run has changed so far."""
    return tuple(sorted((name, scene.state.get(name)) for name in scene.written))
