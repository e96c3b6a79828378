"""A forecast: the chance of each outcome band of an action, and of good and bad side effects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, sqrt
from typing import Any, TypeAlias, TypeVar, final

from referee.core.bands import Bands
from referee.core.errors import NotKept
from referee.core.plain import Plain
from referee.core.replay import Trail
from referee.core.rules import Call
from referee.core.scene import State
from referee.drivers.exact import Exact

T = TypeVar("T")

Vector: TypeAlias = tuple[Fraction, ...]
"""The values of an end: first its worth to the one who decides, then anything else that is counted."""


@final
@dataclass(frozen=True)
class Forecast:
    """Chances by band; `samples` is the number of plays they were counted in, 0 if they are exact."""

    bands: dict[str, Fraction]
    extra: dict[str, Fraction]
    bad: dict[str, Fraction]
    samples: int = 0

    @classmethod
    def of_vector(cls, vector: Vector, bands: Bands[Any], samples: int = 0) -> Forecast:
        chances = iter(vector[1:])
        groups = ({key: next(chances) for key in keys} for keys in (bands.keys, bands.extra, bands.bad))
        return cls(next(groups), next(groups), next(groups), samples)

    def vector(self, bands: Bands[Any]) -> Vector:
        chances = (*self.bands.values(), *self.extra.values(), *self.bad.values())
        return (self.chance_of(bands.good), *chances)

    def chance_of(self, bands: Iterable[str]) -> Fraction:
        """The chance of any of these bands."""
        return sum((self.bands[key] for key in bands), Fraction(0))

    @property
    def error(self) -> float:
        """The standard error of the least certain chance; 0 if all are exact.

        It counts one play more of either kind, so that a few plays that all went one way are not called certain.
        """
        chances = (*self.bands.values(), *self.extra.values(), *self.bad.values())
        if not self.samples:
            return 0.0
        shrunk = ((float(chance) * self.samples + 1) / (self.samples + 2) for chance in chances)
        return max(sqrt(each * (1 - each) / self.samples) for each in shrunk)

    @property
    def lost(self) -> Fraction:
        """The chance of what was left out as too unlikely, such as a die that is thrown again and again."""
        return 1 - sum(self.bands.values(), Fraction(0))

    def to_plain(self) -> Plain:
        """Every chance as a fraction and as a float; sampled ones with their error, and what was left out."""
        groups = {"bands": self.bands, "extra": self.extra, "bad": self.bad}
        plain = {
            group: {key: {"exact": str(chance), "float": float(chance)} for key, chance in chances.items()}
            for group, chances in groups.items()
        }
        lost = {"lost": {"exact": str(self.lost), "float": float(self.lost)}} if self.lost else {}
        return {**plain, "samples": self.samples, "error": self.error, **lost}


def counted(bands: Bands[T], result: T) -> Vector:
    """The vector of one result: its worth, then 1 for everything that is true of it and 0 for the rest."""
    return _vector(bands, _told_apart(bands, result))


def _told_apart(bands: Bands[T], result: T) -> tuple[str, tuple[bool, ...]]:
    """What bands tell results apart by: the band, and what else is true of it."""
    return bands.of(result), tuple([bool(each(result)) for each in (*bands.extra.values(), *bands.bad.values())])


def _vector(bands: Bands[T], told: tuple[str, tuple[bool, ...]]) -> Vector:
    band, beside = told
    return tuple([Fraction(each) for each in (band in bands.good, *(band == key for key in bands.keys), *beside)])


def mean(rows: Sequence[tuple[Vector, int]], whole: int) -> Vector:
    """The mean of vectors, weighted out of a whole."""
    weights = [weight for _, weight in rows]
    return tuple([_mean(column, weights, whole) for column in zip(*[vector for vector, _ in rows], strict=True)])


def _mean(column: Sequence[Fraction], weights: Sequence[int], whole: int) -> Fraction:
    """The mean of one value, added up in whole numbers: adding fractions one by one is slow."""
    found: defaultdict[int, int] = defaultdict(int)
    for each, weight in zip(column, weights, strict=True):
        top, of = each.as_integer_ratio()
        if top:
            found[of] += top * weight
    common = lcm(*found)
    return Fraction(sum([top * (common // of) for of, top in found.items()]), common * whole)


def forecast(call: Call[T], state: State, bands: Bands[T], exact: Exact | None = None, trail: Trail = ()) -> Forecast:
    """The forecast of a step, from its beginning or from the end of a trail."""
    exact = exact or Exact()
    try:
        return _forecast(call, state, bands, exact, trail)
    except NotKept:
        if not exact.by_bands:
            raise
        exact.in_full.stop = exact.stop
        return _forecast(call, state, bands, exact.in_full, trail)


def _forecast(call: Call[T], state: State, bands: Bands[T], exact: Exact, trail: Trail) -> Forecast:
    odds = exact.results(call, state, trail)
    found: defaultdict[tuple[str, tuple[bool, ...]], int] = defaultdict(int)
    for result, weight in odds.rows:
        found[_told_apart(bands, result)] += weight
    rows = [(_vector(bands, told), weight) for told, weight in found.items()]
    return Forecast.of_vector(mean(rows, odds.whole), bands, odds.samples)
