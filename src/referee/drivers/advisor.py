"""The advisor: what each option would bring, from any point of a step on, and which is best by a stated worth."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Generic, TypeAlias, TypeVar, final

from referee.core.errors import RefereeError, Refused, TooLarge
from referee.core.questions import Chance, Choice, Question
from referee.core.rules import Call, Rule
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.core.system import Bands
from referee.drivers.exact import Answered, Entered, Exact, Known, Odds, Trail, follow
from referee.drivers.policies import Policy, by_default, decided

T = TypeVar("T")

Worth: TypeAlias = Callable[[Any, Scene], int | Fraction]
"""What an end is worth to the one who decides: its result, and the scene after it."""


@final
@dataclass(frozen=True)
class Forecast:
    """The chance of each outcome band, and of the good and bad things beside it."""

    bands: dict[str, Fraction]
    extra: dict[str, Fraction]
    bad: dict[str, Fraction]

    @classmethod
    def of(cls, odds: Odds[T], bands: Bands[T]) -> Forecast:
        found = odds.by(bands.of)
        return cls(
            {key: found.get(key, Fraction(0)) for key in bands.keys},
            {key: odds.chance(holds) for key, holds in bands.extra.items()},
            {key: odds.chance(holds) for key, holds in bands.bad.items()},
        )


def forecast(call: Call[T], state: State, bands: Bands[T], exact: Exact | None = None, trail: Trail = ()) -> Forecast:
    """What a step would do, from its beginning or from where a trail has led."""
    return Forecast.of((exact or Exact()).of(call, state, trail), bands)


def compare(
    call: Call[T], state: State, bands: Bands[T], asked: Answered, exact: Exact | None = None, trail: Trail = ()
) -> dict[Any, Forecast]:
    """What each option of an open question would bring; `asked` names the question and its part."""
    question = asked.question
    if not isinstance(question, Choice):
        raise RefereeError(f"{question} is not for anybody to decide")
    exact = exact or Exact()
    return {
        option: Forecast.of(exact.of(call, state, (*trail, Answered(question, asked.part, option))), bands)
        for option in question.lawful
    }


@final
@dataclass(frozen=True)
class Advice:
    """The worth of each option of a decision, and every option that is as good as the best."""

    worth: dict[Any, Fraction]

    @property
    def best(self) -> tuple[Any, ...]:
        top = max(self.worth.values())
        return tuple(option for option, worth in self.worth.items() if worth == top)


class _Decides(Exception):
    """The seat decides inside this rule: it cannot be remembered as a distribution."""


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
        self._exact = Exact(self._others)
        self._deciding: set[Rule[..., Any]] = set()

    def value(self, trail: Trail = ()) -> Fraction:
        """What the step is worth from here on, decided as well as can be."""
        run = self._run(trail)
        try:
            if run.done:
                return Fraction(self.worth(run.result, run.scene))
            if run.at_call is not None:
                return self._through(run.at_call, trail, run)
            part = run.open[0]
            question = run.asking[part]
            if isinstance(question, Chance):
                return self._mean([(Answered(question, part, o), w) for o, w in question.outcomes()], trail)
            if self._mine(question) and not _at_once(run):
                return max(self._options(question, part, trail).values())
            return self.value((*trail, Answered(question, part, decided(self.policy, question, run.scene))))
        finally:
            run.close()

    def advise(self) -> Advice:
        """The worth of each option of the decision the step stands at."""
        trail, run = self._at_question()
        part = run.open[0]
        question = run.asking[part]
        if not self._mine(question):
            raise RefereeError(f"{question} is not this seat's to decide")
        if _at_once(run):
            raise RefereeError("they decide at once and in secret: ask for the table of pairs")
        return Advice(self._options(question, part, trail))

    def table(self) -> dict[tuple[Any, ...], Fraction]:
        """For choices made at once: the worth of every combination of them."""
        trail, run = self._at_question()
        parts = [(part, q) for part in run.open if isinstance(q := run.asking[part], Choice)]
        return {
            options: self.value((*trail, *(Answered(q, at, o) for (at, q), o in zip(parts, options, strict=True))))
            for options in product(*(question.lawful for _, question in parts))
        }

    def _run(self, trail: Trail) -> Run[T]:
        return follow(self.call, Scene(self.state), self.given, trail)

    def _at_question(self) -> tuple[Trail, Run[T]]:
        """Where the step stands, without what others have answered in secret while not all are in."""
        trail: Trail = ()
        run = self._run(trail)
        while _at_once(run) and len(run.open) < len(run.asking) and not self._mine(_last_asked(self.given)):
            self.given = self.given[:-1]
            run = self._run(trail)
        while run.at_call is not None:
            trail = (*trail, Entered())
            run.enter()
        if run.done:
            raise RefereeError(f"{self.call} is over: nothing is asked any more")
        return trail, run

    def _options(self, question: Question[Any], part: int, trail: Trail) -> dict[Any, Fraction]:
        lawful = question.lawful if isinstance(question, Choice) else ()
        return {option: self.value((*trail, Answered(question, part, option))) for option in lawful}

    def _mean(self, rows: Sequence[tuple[Answered | Known, int]], trail: Trail) -> Fraction:
        whole = sum(weight for _, weight in rows)
        return sum((Fraction(weight, whole) * self.value((*trail, item)) for item, weight in rows), Fraction(0))

    def _through(self, inner: Call[Any], trail: Trail, run: Run[T]) -> Fraction:
        """A rule on the way: as a distribution if the seat decides nothing in it, else step by step."""
        rows = self._distribution(inner, run.scene.state)
        if run.repeats is None:
            return self._mean(rows, trail) if rows else self.value((*trail, Entered()))
        settled = [(item, weight) for item, weight in rows if item.result is not None or item.changes]
        if not settled:
            raise TooLarge(f"{inner} starts over until something is settled; no best is known in it")
        return self._mean(settled, trail)

    def _distribution(self, inner: Call[Any], state: State) -> list[tuple[Known, int]]:
        """What a rule comes to; nothing where the seat decides in it, or where it refuses what its caller may catch."""
        if inner.rule not in self._deciding:
            try:
                return self._exact.worked(inner, state).known(inner)
            except (_Decides, Refused):
                self._deciding.add(inner.rule)
        return []

    def _others(self, question: Choice[Any], scene: Scene) -> Any:
        if self._mine(question):
            raise _Decides
        return self.policy(question, scene)

    def _mine(self, question: Question[Any]) -> bool:
        return isinstance(question, Choice) and question.who is not None and question.who.name in self.seat


def _last_asked(given: Trail) -> Question[Any]:
    last = given[-1]
    if not isinstance(last, Answered):
        raise RefereeError("what others have answered in secret is not known here")
    return last.question


def _at_once(run: Run[Any]) -> bool:
    return sum(isinstance(question, Choice) for question in run.asking) > 1
