"""The odds of a call, once they are known: every result or end with its whole-number weight."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar, cast, final

from referee.core.errors import TooLarge
from referee.core.questions import Choice
from referee.core.replay import Changes, KnownResult, Refusal, Way
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Read, Scene, State

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

Asked: TypeAlias = dict[Hashable, tuple[Choice[Any], Any]]
"""The decisions on the way: questions that look different to a policy by name, and their answers."""


class ByResult(Generic[T]):
    """What can be asked of odds by the results alone."""

    whole: int

    @property
    @abstractmethod
    def weights(self) -> Iterable[tuple[T, int]]:
        """Results with whole-number weights out of `whole`; a result may occur several times."""

    def chance(self, wanted: Callable[[T], bool]) -> Fraction:
        """The chance that a condition holds for the result."""
        return Fraction(sum(weight for result, weight in self.weights if wanted(result)), self.whole)

    def by(self, read: Callable[[T], K]) -> dict[K, Fraction]:
        """The chance of each value of something read from the result."""
        found: defaultdict[K, int] = defaultdict(int)
        for result, weight in self.weights:
            found[read(result)] += weight
        return {key: Fraction(weight, self.whole) for key, weight in found.items()}

    @property
    def of(self) -> dict[T, Fraction]:
        """The chance of each result."""
        return cast(dict[T, Fraction], self.by(cast(Callable[[T], Hashable], lambda result: result)))

    def mean(self, worth: Callable[[T], int | Fraction]) -> Fraction:
        return sum((Fraction(weight, self.whole) * worth(result) for result, weight in self.weights), Fraction(0))


@final
@dataclass(frozen=True)
class ResultOdds(ByResult[T]):
    """Every result of a step. What it leaves in the scene was only looked at as far as the results depend on it."""

    rows: tuple[tuple[T, int], ...]
    whole: int
    lost: Fraction = Fraction(0)
    """The weight that a floor on probability left out; it is never hidden."""
    samples: int = 0
    """In how many plays of a rule they were counted; 0 if they are exact."""

    @property
    def weights(self) -> Iterable[tuple[T, int]]:
        return self.rows


@final
@dataclass(frozen=True)
class Odds(ByResult[T]):
    """Every end of a step: its result and the scene after it, with a whole-number weight out of `whole`."""

    ends: tuple[tuple[T, State, int], ...]
    whole: int
    lost: Fraction = Fraction(0)
    """The weight that a floor on probability left out; it is never hidden."""
    leaves: int = 0

    @property
    def weights(self) -> Iterable[tuple[T, int]]:
        return ((result, weight) for result, _, weight in self.ends)

    def by_end(self, read: Callable[[T, Scene], K]) -> dict[K, Fraction]:
        """The chance of each value of something read from the result and the scene after it."""
        found: defaultdict[K, int] = defaultdict(int)
        for result, state, weight in self.ends:
            found[read(result, Scene(state))] += weight
        return {key: Fraction(weight, self.whole) for key, weight in found.items()}


@final
@dataclass(frozen=True)
class CallOdds:
    """The odds of one call: its results with what each changes, and everything it read on the way."""

    rows: tuple[tuple[Any, Changes, int], ...]
    whole: int
    reads: tuple[Read, ...]
    lost: Fraction
    leaves: int
    sampled: frozenset[int] = frozenset()
    """Which samples of rules it rests on, by their numbers; none if it is exact."""
    asked: Asked | None = None
    """The decisions it rests on; None if they are too many to look at, or not known."""
    at: tuple[Hashable | None, ...] = ()
    """The values of what it read, where it is shared."""
    left_out: int = field(init=False)
    """The weight in `whole` that belongs to no result."""
    _ways_on: dict[tuple[bool, bool], tuple[list[KnownResult], int]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "left_out", self.whole - sum(weight for _, _, weight in self.rows))

    def from_here(self, call: Call[Any], run: Run[Any]) -> tuple[list[tuple[KnownResult, int]], int]:
        """How a run that has paused at the call continues: once for each result; what differs otherwise is sealed.

        If it repeats until settled, passes that neither settle nor change anything are left out. If the call is only a
        consequence, its result does not matter.
        """
        kind = (run.repeats is not None, run.at_consequence)
        if kind not in self._ways_on:
            self._ways_on[kind] = self._known(call, *kind)
        rows, whole = self._ways_on[kind]
        return [(each.once_more(), each.whole) for each in rows], whole

    def every_way(self, call: Call[Any], *, is_consequence: bool) -> tuple[list[KnownResult], int]:
        """The same where it is not repeated from the beginning: starting over is a result like any other."""
        return self._known(call, repeats=False, is_consequence=is_consequence)

    def _known(self, call: Call[Any], repeats: bool, is_consequence: bool) -> tuple[list[KnownResult], int]:
        ways: defaultdict[Any, list[Way]] = defaultdict(list)
        for result, changes, weight in self.rows:
            if not repeats or result is not None or changes:
                matters = isinstance(result, Refusal) or not is_consequence
                ways[result if matters else None].append((dict(changes), weight))
        if not ways:
            raise TooLarge(f"{call} never settles anything")
        rows = [KnownResult(call, result, mine, self.reads) for result, mine in ways.items()]
        return rows, self.left_out + sum(each.whole for each in rows)

    def odds(self, state: State) -> Odds[Any]:
        """Every end once: a value set to what it already was may be the same end as one left alone."""
        ends: defaultdict[tuple[Any, State], int] = defaultdict(int)
        for result, changes, weight in self._results():
            ends[result, state.after(changes)] += weight
        found = tuple((result, after, weight) for (result, after), weight in ends.items())
        return Odds(found, self.whole, self.lost, self.leaves)

    def results(self) -> ResultOdds[Any]:
        """Every result once."""
        found: defaultdict[Any, int] = defaultdict(int)
        for result, _, weight in self._results():
            found[result] += weight
        return ResultOdds(tuple(found.items()), self.whole, self.lost)

    def _results(self) -> Iterator[tuple[Any, Changes, int]]:
        """The rows of a step; no one catches what it refuses."""
        for row in self.rows:
            if isinstance(row[0], Refusal):
                raise row[0].why
            yield row
