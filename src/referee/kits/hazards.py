"""What wears people down by the clock: hazards as rows of a game's tables, and who is exposed to which.

A row says how long a hazard takes to begin, how often it strikes, what a blow does, and when it kills.
A `HazardExposure` is one person's: how strong it is, and when it strikes next. The kit knows when; what a roll
against it and a blow are is the game's. A game keeps exposures on the sheet and yields `exposures_due` from a
function it declares with `@due`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import ClassVar, TypeVar

from referee.core import Levels, Refused, frozen
from referee.core.clock import AnyRule, Due
from referee.core.effects import Active, Effect
from referee.kits.wounds import TimeSpan

E = TypeVar("E", bound="HazardExposure")


@frozen
class HazardRow:
    """A hazard, as a table prints it."""

    name: str
    starts: str = ""
    """How long one is exposed before it is felt; at once, if nothing says so."""
    every: str = ""
    """How often it strikes; once, if neither this nor the exposure says so."""
    resists: bool = False
    """Whether a roll may spare one each time."""
    harms: Levels = field(default_factory=Levels)
    """What a blow takes, by name."""
    becomes: str = ""
    """The hazard that takes its place once it has struck: who no longer floats holds their breath."""
    until_broken: bool = False
    """Whether it is over once it has nothing left to take."""
    lingers: bool = False
    """Whether it is felt only after its first blow."""
    limited: Levels = field(default_factory=Levels)
    """What it takes of somebody who withstands it at first."""
    antidote: bool = False
    """Whether an antidote ends it."""
    irritates: bool = False
    """Whether it only makes things harder for a time."""
    sleeps: str = ""
    """How long whoever it has broken sleeps."""
    kills_when: tuple[str, ...] = ()
    """What must be gone for it to kill: any of these."""
    kills_after: str = ""
    """How long after that."""
    kills_next: bool = False
    """Whether it kills at its next blow after that."""
    effects: tuple[Effect, ...] = ()
    """What it does to whoever feels it."""
    run: str = ""
    """A rule in place of a blow."""
    says: str = ""


@frozen
class HazardExposure:
    """A hazard that somebody is exposed to."""

    known_by: ClassVar = ("name",)
    name: str
    level: int = 0
    """How strong it is: potency, virulence, difficulty."""
    every: str = ""
    """How often it strikes here, where that depends on the place."""
    next: int | None = None
    """When it strikes next; never again, if nothing says so."""
    felt: bool = False
    """Whether it has begun."""
    blows: int = 0
    deadly_at: int | None = None
    """When it kills, unless something changes."""


def exposure_of(exposures: Iterable[E], name: str) -> E | None:
    return next((each for each in exposures if each.name == name), None)


def with_exposure(exposures: tuple[E, ...], changed: E) -> tuple[E, ...]:
    """The list with one of them as it is now; one that is new comes last."""
    if exposure_of(exposures, changed.name) is None:
        return (*exposures, changed)
    return tuple(changed if each.name == changed.name else each for each in exposures)


def without_exposure(exposures: tuple[E, ...], *names: str) -> tuple[E, ...]:
    return tuple(each for each in exposures if each.name not in names)


def check_not_exposed(exposures: Iterable[HazardExposure], name: str, rule: str) -> None:
    if exposure_of(exposures, name) is not None:
        raise Refused(name, because="they are exposed to it already", rule=rule)


def span_of(text: str, sizes: Mapping[str, int]) -> int:
    """How long a span is that is not rolled; 0 for none."""
    span = TimeSpan.from_plain(text) if text else None
    return span.plus * span.size(sizes) if span else 0


def interval(row: HazardRow, exposure: HazardExposure, sizes: Mapping[str, int]) -> int:
    """How long it is from one blow to the next; 0 if there is no next."""
    return span_of(exposure.every or row.every, sizes)


def beginning(row: HazardRow, exposure: E, now: int, sizes: Mapping[str, int], after: int | None = None) -> E:
    """Somebody is exposed from now on."""
    wait = span_of(row.starts, sizes) if after is None else after
    felt = not wait and not row.lingers
    return replace(exposure, next=now + (wait or interval(row, exposure, sizes)), felt=felt)


def after_blow(row: HazardRow, exposure: E, now: int, sizes: Mapping[str, int], *, struck: bool = True) -> E:
    """The same once it was due: when it is due again, and whether it is felt by now."""
    step = interval(row, exposure, sizes)
    felt, blows = exposure.felt or struck or not row.lingers, exposure.blows + struck
    return replace(exposure, next=now + step if step else None, felt=felt, blows=blows)


def watched(exposure: E, row: HazardRow, gone: Iterable[str], now: int, wait: int) -> E:
    """The same with the time when it kills: set once what it needs is gone, and lifted when that is back."""
    doomed = bool({*gone} & {*row.kills_when})
    if not doomed or exposure.deadly_at is not None:
        return exposure if doomed else replace(exposure, deadly_at=None)
    return replace(exposure, deadly_at=now + wait)


def exposures_due(exposures: Iterable[HazardExposure], blow: AnyRule, death: AnyRule) -> Iterator[Due]:
    """The next blow of each, and when each kills."""
    for each in exposures:
        if each.deadly_at is not None:
            yield Due(death, at=each.deadly_at, order=-1, about=each.name)
        if each.next is not None:
            yield Due(blow, at=each.next, about=each.name)


def effects_of(exposures: Iterable[HazardExposure], row_of: Callable[[str], tuple[HazardRow, str]]) -> Iterator[Active]:
    """What those that are felt do; `row_of` gives the row of a name, and the rule that prints it."""
    for each in exposures:
        if each.felt:
            row, rule = row_of(each.name)
            yield from (Active(effect, each.name, rule) for effect in row.effects)
