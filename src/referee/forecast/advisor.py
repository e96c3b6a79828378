"""The advisor: what each option would bring, from any point of a step on, and which is best by a stated worth."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Generic, TypeAlias, TypeVar, final

from referee.core.errors import RefereeError
from referee.core.questions import Choice, Question
from referee.core.replay import Answered, Trail, follow
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.drivers.policies import Policy, by_default
from referee.forecast.tree import Ways, at_once

T = TypeVar("T")

Worth: TypeAlias = Callable[[Any, Scene], int | Fraction]
"""What an end is worth to the one who decides: its result, and the scene after it."""


@final
@dataclass(frozen=True)
class Advice:
    """The worth of each option of a decision, and every option that is as good as the best."""

    worth: dict[Any, Fraction]

    @property
    def best(self) -> tuple[Any, ...]:
        top = max(self.worth.values())
        return tuple(option for option, worth in self.worth.items() if worth == top)


@final
class Best(Generic[T]):
    """Backward induction for one seat over one step; the others by policy.

    `given` is how the step came to where it is. Secret simultaneous choices have no best answer: they get a table of
    pairs (`table`).
    """

    def __init__(
        self,
        call: Call[T],
        state: State,
        seat: Container[str],
        worth: Worth,
        *,
        policy: Policy = by_default,
        given: Trail = (),
    ) -> None:
        self.call = call
        self.state = state
        self.seat = seat
        self.worth = worth
        self.policy = policy
        self.given = given

    def value(self, *more: Answered) -> Fraction:
        """What the step is worth from here on (or from some more answers on), decided as well as can be."""
        ways = Ways(self.call, self.state, self.seat, self.policy, (*self.given, *more))
        return ways.weighed(1, lambda result, scene: (Fraction(self.worth(result, scene)),)).vector[0]

    def advise(self) -> Advice:
        """The worth of each option of the decision the step stands at."""
        run = self._at_question()
        part = run.open[0]
        question = run.asking[part]
        if not isinstance(question, Choice) or not self._is_mine(question):
            raise RefereeError(f"{question} is not this seat's to decide")
        if at_once(run):
            raise RefereeError("they decide at once and in secret: ask for the table of pairs")
        return Advice({option: self.value(Answered(question, part, option)) for option in question.legal})

    def table(self) -> dict[tuple[Any, ...], Fraction]:
        """For choices made at once: the worth of every combination of them."""
        run = self._at_question()
        parts = [(part, q) for part in run.open if isinstance(q := run.asking[part], Choice)]
        return {
            options: self.value(*(Answered(q, at, o) for (at, q), o in zip(parts, options, strict=True)))
            for options in product(*(question.legal for _, question in parts))
        }

    def _at_question(self) -> Run[T]:
        """Where the step stands, without what others have answered in secret while not all are in."""
        run = self._run()
        while at_once(run) and len(run.open) < len(run.asking) and not self._is_mine(_last_asked(self.given)):
            self.given = self.given[:-1]
            run = self._run()
        if run.done:
            raise RefereeError(f"{self.call} is over: nothing is asked any more")
        return run

    def _run(self) -> Run[T]:
        return follow(self.call, Scene(self.state), self.given, pause_at_calls=False)

    def _is_mine(self, question: Question[Any]) -> bool:
        return isinstance(question, Choice) and question.who is not None and question.who.name in self.seat


def _last_asked(given: Trail) -> Question[Any]:
    last = given[-1]
    if not isinstance(last, Answered):
        raise RefereeError("what others have answered in secret is not known here")
    return last.question
