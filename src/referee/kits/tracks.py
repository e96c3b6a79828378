"""Tracks: figures that events move towards an end, such as progress, suspicion, a clock of danger.

A game keeps tracks in the field of a sheet or an encounter, `tracks: Open[Tracks]`. Each says who may know of it:
views, the feed and odds leave it out for everybody else. The kit has no figures: by how much an event moves a track,
and what its marks are, is the game's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from fractions import Fraction
from typing import ClassVar, TypeAlias

from referee.core import Audience, frozen
from referee.core.errors import NotKnown


@frozen
class TrackMark:
    """A place on a track at which something happens."""

    name: str
    at: int


@frozen
class Track:
    """A figure that events move."""

    known_by: ClassVar = ("name",)
    name: str
    value: int = 0
    end: int | None = None
    """What it is moved towards; None if it has no end."""
    lowest: int = 0
    marks: tuple[TrackMark, ...] = ()
    audience: Audience = field(default=Audience.EVERYONE, compare=False)
    """Who may know of it."""

    @property
    def is_full(self) -> bool:
        """Whether it has come to its end."""
        return self.end is not None and self.value >= self.end

    def moved(self, by: int) -> Track:
        """As it is after an event: never below its lowest, nor beyond its end."""
        value = max(self.lowest, self.value + by)
        return replace(self, value=value if self.end is None else min(value, max(self.end, self.lowest)))

    def passed(self, before: Track) -> tuple[str, ...]:
        """The marks that were reached on the way from how it was before, the nearest first."""
        reached = (each for each in self.marks if before.value < each.at <= self.value)
        return tuple(each.name for each in sorted(reached, key=lambda mark: mark.at))

    def share(self, parts: int) -> int:
        """How many of so many parts of it lie behind, to the nearest; half a part counts, but all only at its end."""
        if self.is_full or not self.end:
            return parts if self.is_full else 0
        return min(parts - 1, int(Fraction(self.value - self.lowest, self.end - self.lowest) * parts + Fraction(1, 2)))


Tracks: TypeAlias = tuple[Track, ...]


def track_of(tracks: Iterable[Track], name: str) -> Track:
    """A track by its name. Whoever may not see it does not know of it."""
    for each in tracks:
        if each.name == name:
            return each
    raise NotKnown(name)


def with_track(tracks: Tracks, track: Track) -> Tracks:
    """The tracks with one of them as it is now, in its place, or at the end if it is new."""
    if all(each.name != track.name for each in tracks):
        return (*tracks, track)
    return tuple(track if each.name == track.name else each for each in tracks)


def with_moved(tracks: Tracks, name: str, by: int) -> Tracks:
    """The tracks after an event has moved one of them."""
    return with_track(tracks, track_of(tracks, name).moved(by))
