"""The advisor: what each option would bring, from any point of a step on, and which is best by a stated worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Generic, TypeAlias, TypeVar, final

from referee.core.errors import RefereeError
from referee.core.questions import Chance, Choice, Question
from referee.core.rules import Call, Rule
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.core.system import Bands
from referee.drivers.exact import Answered, Entered, Exact, Known, Odds, Trail, follow
from referee.drivers.policies import Policy, by_default

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


def forecast(call: Call[T], state: State, bands: Bands[T], policy: Policy = by_default, trail: Trail = ()) -> Forecast:
    """What a step would do, from its beginning or from where a trail has led."""
    return Forecast.of(Exact(policy).of(call, state, trail), bands)


def compare(
    call: Call[T], state: State, bands: Bands[T], asked: Answered, policy: Policy = by_default, trail: Trail = ()
) -> dict[Any, Forecast]:
    """What each option of an open question would bring; `asked` names the question and its part."""
    question = asked.question
    if not isinstance(question, Choice):
        raise RefereeError(f"{question} is not for anybody to decide")
    exact = Exact(policy)
    return {
        option: Forecast.of(exact.of(call, state, (*trail, Answered(question, asked.part, option))), bands)
        for option in question.lawful
    }


@final
@dataclass(frozen=True)
class Advice(Generic[T]):
    """The worth of each option of a decision, and every option that is as good as the best."""

    worth: dict[Any, Fraction]

    @property
    def best(self) -> tuple[Any, ...]:
        top = max(self.worth.values())
        return tuple(option for option, worth in self.worth.items() if worth == top)


class _Decides(Exception):  # a signal, not an error
    """The seat decides inside this rule: it cannot be remembered as a distribution."""


@final
@dataclass
class Best:
    """Backward induction for one seat; the others by policy.

    Secret simultaneous choices have no best answer: they get a table of pairs (`table`).
    """

    seat: frozenset[str]
    worth: Worth
    policy: Policy = by_default
    _deciding: set[Rule[..., Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._exact = Exact(self._others)

    def value(self, call: Call[Any], state: State, trail: Trail = ()) -> Fraction:
        """What the step is worth from here on, decided as well as can be."""
        run = follow(call, state, trail, pause_at_calls=True)
        try:
            if run.done:
                return Fraction(self.worth(run.result, run.scene))
            return self._rest(call, state, trail, run)
        finally:
            run.close()

    def advise(self, call: Call[Any], state: State, trail: Trail = ()) -> Advice[Any]:
        """The worth of each option of the decision a step stands at (or first comes to)."""
        run = follow(call, state, trail, pause_at_calls=True)
        while run.at_call is not None:
            trail = (*trail, Entered())
            run.enter()
        part = run.open[0]
        question = run.asking[part]
        if not self._mine(question):
            raise RefereeError(f"{question} is not this seat's to decide")
        if self._together(run):
            raise RefereeError("they decide at once and in secret: ask for the table of pairs")
        return Advice(
            {
                option: self.value(call, state, (*trail, Answered(question, part, option)))
                for option in question.lawful  # type: ignore[attr-defined]  # mine: it is a choice
            }
        )

    def table(self, call: Call[Any], state: State, trail: Trail = ()) -> dict[tuple[Any, ...], Fraction]:
        """For choices made at once: the worth of every combination of them."""
        run = follow(call, state, trail, pause_at_calls=True)
        while run.at_call is not None:
            trail = (*trail, Entered())
            run.enter()
        questions = [(part, q) for part in run.open if isinstance(q := run.asking[part], Choice)]
        return {
            options: self.value(
                call, state, (*trail, *(Answered(q, part, o) for (part, q), o in zip(questions, options, strict=True)))
            )
            for options in product(*(question.lawful for _, question in questions))
        }

    def _rest(self, call: Call[Any], state: State, trail: Trail, run: Run[Any]) -> Fraction:
        if run.at_call is not None:
            return self._through(call, state, trail, run)
        part = run.open[0]
        question = run.asking[part]
        if isinstance(question, Chance):
            outcomes = question.outcomes()
            whole = sum(weight for _, weight in outcomes)
            return sum(
                (
                    Fraction(w, whole) * self.value(call, state, (*trail, Answered(question, part, o)))
                    for o, w in outcomes
                ),
                Fraction(0),
            )
        if self._mine(question) and not self._together(run):
            return max(self.advise(call, state, trail).worth.values())
        return self.value(call, state, (*trail, Answered(question, part, self.policy(_choice(question), run.scene))))

    def _through(self, call: Call[Any], state: State, trail: Trail, run: Run[Any]) -> Fraction:
        """A rule on the way: as a distribution if the seat decides nothing in it, else step by step."""
        inner = run.at_call
        if inner is not None and inner.rule not in self._deciding:
            try:
                odds = self._exact.of(inner, run.scene.state)
            except _Decides:
                self._deciding.add(inner.rule)
            else:
                return sum(
                    (
                        Fraction(w, odds.whole) * self.value(call, state, (*trail, Known(inner, result, after)))
                        for result, after, w in odds.ends
                    ),
                    Fraction(0),
                )
        return self.value(call, state, (*trail, Entered()))

    def _others(self, question: Choice[Any], scene: Scene) -> Any:
        if self._mine(question):
            raise _Decides
        return self.policy(question, scene)

    def _mine(self, question: Question[Any]) -> bool:
        return isinstance(question, Choice) and question.who is not None and question.who.name in self.seat

    def _together(self, run: Run[Any]) -> bool:
        return sum(isinstance(question, Choice) for question in run.asking) > 1


def _choice(question: Question[Any]) -> Choice[Any]:
    if isinstance(question, Choice):
        return question
    raise TypeError(f"neither chance nor choice: {question}")
