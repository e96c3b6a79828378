"""Maps of zones: which lie next to each other, what their borders cost, what is in them, who is where.

A game keeps a `ZoneMap` in its encounter. The kit has no figures: what crossing a border costs, and how far a weapon
reaches, is the game's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from referee.core import Refused, frozen
from referee.core.plain import Plain, read_fields


@frozen
class Zone:
    """A part of the map, and what is in it, in words: dark, cramped, a bar to hide behind."""

    name: str
    features: tuple[str, ...] = ()


@frozen
class Border:
    """Where two zones meet. It may cost extra to cross, let nobody through, or shut out the view."""

    known_by: ClassVar = ("one", "other")
    one: str
    other: str
    extra: int = 0
    """What it costs to cross, in addition to the move."""
    crossable: bool = True
    sight: bool = True
    """Whether one can see, and shoot, across."""
    says: str = ""
    """What it is: a door, a window, a wall."""

    def leads(self, here: str) -> str | None:
        """The zone beyond, as seen from one of the two."""
        return self.other if here == self.one else self.one if here == self.other else None


@frozen
class ZonePlace:
    """Where somebody is."""

    known_by: ClassVar = ("who",)
    who: str
    zone: str


def _as_border(plain: Plain) -> Plain:
    return dict(zip(("one", "other"), plain, strict=True)) if isinstance(plain, list) and len(plain) == 2 else plain


@frozen
class ZoneMap:
    """Zones, their borders, and who is where. Without any zones, everyone is in the same place."""

    zones: tuple[Zone, ...] = ()
    borders: tuple[Border, ...] = ()
    places: tuple[ZonePlace, ...] = ()

    @classmethod
    def from_plain(cls, plain: Plain) -> ZoneMap:
        """By its fields. Zones may be plain names, borders pairs of them, and places a zone for each person."""
        whole = dict(plain) if isinstance(plain, Mapping) else {}
        if isinstance(zones := whole.get("zones"), list):
            whole["zones"] = [{"name": each} if isinstance(each, str) else each for each in zones]
        if isinstance(borders := whole.get("borders"), list):
            whole["borders"] = [_as_border(each) for each in borders]
        if isinstance(places := whole.get("places"), Mapping):
            whole["places"] = [{"who": who, "zone": zone} for who, zone in places.items()]
        found: ZoneMap = read_fields(cls, whole or plain)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.zones)

    def zone(self, name: str) -> Zone:
        for each in self.zones:
            if each.name == name:
                return each
        raise Refused(name, because="there is no such zone", rule="referee.zones.map", legal=self.names)

    def where(self, who: str) -> str:
        """The zone somebody is in; whoever was not placed is in the first."""
        found = next((each.zone for each in self.places if each.who == who), None)
        return found if found is not None else self.zones[0].name if self.zones else ""

    def inside(self, zone: str, people: Iterable[str]) -> tuple[str, ...]:
        """Those of some people who are in a zone."""
        return tuple(name for name in people if self.where(name) == zone)

    def same_zone(self, one: str, other: str) -> bool:
        return self.where(one) == self.where(other)

    def features(self, who: str) -> tuple[str, ...]:
        """What is in the zone somebody is in."""
        return next((each.features for each in self.zones if each.name == self.where(who)), ())

    def borders_of(self, zone: str) -> tuple[tuple[str, Border], ...]:
        """The zones next to one, each with the border to it."""
        beyond = ((each.leads(zone), each) for each in self.borders)
        return tuple((name, border) for name, border in beyond if name is not None)

    def border(self, here: str, there: str) -> Border | None:
        """The border between two zones; None if they do not meet. Of several, the one that is easiest to cross."""
        found = [border for name, border in self.borders_of(here) if name == there]
        return min(found, key=lambda each: (not each.crossable, each.extra), default=None)

    def neighbours(self, zone: str) -> tuple[str, ...]:
        """The zones that can be entered from one."""
        return tuple(dict.fromkeys(name for name, border in self.borders_of(zone) if border.crossable))

    def zones_between(self, here: str, there: str) -> int | None:
        """How many borders a look or a shot crosses; None if there is no line of sight at all."""
        return next((steps for name, steps in self._seen_from(here) if name == there), None)

    def distance(self, one: str, other: str) -> int | None:
        """How many zones away somebody is: 0 in the same zone, None out of sight."""
        return self.zones_between(self.where(one), self.where(other))

    def _seen_from(self, here: str) -> Iterator[tuple[str, int]]:
        """Every zone in sight, the nearest first."""
        seen, edge, steps = {here}, [here], 0
        yield here, 0
        while edge:
            steps += 1
            beyond = [name for zone in edge for name, border in self.borders_of(zone) if border.sight]
            edge = [name for name in dict.fromkeys(beyond) if name not in seen]
            seen.update(edge)
            yield from ((name, steps) for name in edge)

    def moved(self, who: str, zone: str) -> ZoneMap:
        """With somebody in another zone."""
        _ = self.zone(zone)
        others = tuple(each for each in self.places if each.who != who)
        return replace(self, places=(*others, ZonePlace(who, zone)))

    def check(self) -> None:
        """Zones have names of their own, and borders and people are where there is a zone."""
        if len(set(self.names)) < len(self.names):
            raise Refused("zones", because="two have one name", rule="referee.zones.map", legal=self.names)
        for border in self.borders:
            _ = self.zone(border.one), self.zone(border.other)
            if border.one == border.other:
                raise Refused(border.one, because="a zone does not border on itself", rule="referee.zones.map")
        for place in self.places:
            _ = self.zone(place.zone)
