"""Journeys: a party on a map of hexes, a day in quarters, one activity for each traveller, and what comes of it.

A game derives its journey from `Expedition`. Everyone lays down what they do in a quarter; once all have, the
activities are played one by one, with what comes up meanwhile (a mishap, an encounter of the game master's), and the
clock runs on to the next quarter. The kit has no figures: the activities are rows of the game, and what they roll, how
long a hex takes and how many quarters a day has are the game's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Final, Literal, Self

from referee.core import Audience, Call, Open, Refused, Scene, Who, frozen
from referee.core.encounter import Encounter
from referee.core.plain import Plain, read, read_fields
from referee.core.rules import rule_named

MAP: Final = "referee.journeys.map"
AROUND: Final[tuple[tuple[tuple[int, int], ...], ...]] = (
    ((1, 0), (-1, 0), (0, -1), (-1, -1), (0, 1), (-1, 1)),
    ((1, 0), (-1, 0), (0, -1), (1, -1), (0, 1), (1, 1)),
)
"""The steps to the neighbours of a hex, in even rows and in odd ones, which lie half a hex to the right."""


# --- the map ----------------------------------------------------------------------------------------------------------


@frozen
class MapHex:
    """A hex of the map. One that not everyone knows is not there for the others."""

    known_by: ClassVar = ("name",)
    name: str
    terrain: str = ""
    column: int = 0
    row: int = 0
    path: Literal["none", "trail", "road"] = "none"
    """What leads into it."""
    landmark: bool = False
    """Whether it is seen from afar."""
    says: str = ""
    """What is there, in words."""
    audience: Audience = field(default=Audience.EVERYONE, compare=False)


@frozen
class RouteMap:
    """The hexes of a journey, and how wide one is."""

    hexes: tuple[MapHex, ...] = ()
    km: int = 10

    @classmethod
    def from_plain(cls, plain: Plain) -> RouteMap:
        """By its fields; a bare list of hexes is laid out in a row, and a hex may be a bare name."""
        whole = {"hexes": plain} if isinstance(plain, list) else dict(plain) if isinstance(plain, Mapping) else {}
        laid = [{"name": each} if isinstance(each, str) else each for each in whole.get("hexes") or ()]
        whole["hexes"] = [
            {"column": at, **each} if isinstance(each, Mapping) and "row" not in each else each
            for at, each in enumerate(laid)
        ]
        found: RouteMap = read_fields(cls, whole)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.hexes)

    def hex(self, name: str) -> MapHex:
        for each in self.hexes:
            if each.name == name:
                return each
        raise Refused(name, because="there is no such place on the map", rule=MAP, legal=self.names)

    def around(self, name: str) -> tuple[MapHex, ...]:
        """The hexes next to one."""
        here = self.hex(name)
        next_to = {(here.column + step, here.row + down) for step, down in AROUND[here.row % 2]}
        return tuple(each for each in self.hexes if (each.column, each.row) in next_to)

    def with_hex(self, changed: MapHex) -> RouteMap:
        """With a hex as it is now, in its place, or at the end if it is new."""
        if changed.name not in self.names:
            return replace(self, hexes=(*self.hexes, changed))
        return replace(self, hexes=tuple(changed if each.name == changed.name else each for each in self.hexes))

    def check(self) -> None:
        """Hexes have names and places of their own."""
        places = [(each.column, each.row) for each in self.hexes]
        if len({*self.names}) < len(self.names):
            raise Refused("map", because="two hexes have one name", rule=MAP, legal=self.names)
        if len({*places}) < len(places):
            raise Refused("map", because="two hexes are in one place", rule=MAP)

    def check_route(self, at: str, route: tuple[str, ...]) -> None:
        """Each hex of a route lies next to the one before."""
        for here, there in zip((at, *route), route, strict=False):
            if there not in (each.name for each in self.around(here)):
                legal = tuple(each.name for each in self.around(here))
                raise Refused(there, because=f"it is not next to {here}", rule=MAP, legal=legal)


# --- what everybody does ----------------------------------------------------------------------------------------------


@frozen
class QuarterActivity:
    """Something a traveller may do in a quarter: the action that is played, and what it means for the others."""

    name: str
    action: str = ""
    """The key of the action that is rolled; without one, nothing is."""
    leads: bool = False
    """Whether it takes the party on; only one does."""
    stays: bool = False
    """Whether the party stays where it is."""
    says: str = ""


@frozen
class ChosenActivity:
    """What somebody has laid down for this quarter, and the rule that plays it."""

    known_by: ClassVar = ("who",)
    who: str
    activity: str
    call: Call[Any] | None = None
    done: bool = False

    @classmethod
    def from_plain(cls, plain: Plain) -> ChosenActivity:
        """`{who: ana, activity: Forage, rule: an id, arguments: {seeking: water}}`."""
        if isinstance(plain, ChosenActivity):
            return plain
        given: dict[str, Any] = dict(read(dict[str, Any], plain))
        name, arguments = given.pop("rule", None), given.pop("arguments", None) or {}
        found: ChosenActivity = read_fields(cls, given)
        if name is None:
            return found
        run = rule_named(read(str, name, "rule"))
        call = run(*run.arguments(arguments if isinstance(arguments, Mapping) else dict(arguments)))
        return replace(found, call=call)

    def to_plain(self) -> Plain:
        plain: dict[str, Plain] = {"who": self.who, "activity": self.activity}
        plain |= {"done": True} if self.done else {}
        return plain | ({"rule": self.call.rule.id, "arguments": self.call.plain()} if self.call else {})


@frozen
class JourneyEvent:
    """What has come up: a mishap, or an encounter; to whom it comes, and what it is."""

    what: Literal["mishap", "encounter"]
    name: str
    who: str = ""


# --- the journey ------------------------------------------------------------------------------------------------------


@frozen
class Expedition(Encounter):
    """A party on its way. The game says who may choose, what is played, and what a quarter's end brings."""

    party: Open[tuple[str, ...]] = ()
    map: Open[RouteMap] = field(default_factory=RouteMap)
    whereabouts: Open[str] = ""
    """The hex where the party is."""
    past: Open[tuple[str, ...]] = ()
    """The hexes it has left behind, the first one first."""
    route: Open[tuple[str, ...]] = ()
    """The hexes it means to enter."""
    laid_down: Open[tuple[ChosenActivity, ...]] = ()
    events: Open[tuple[JourneyEvent, ...]] = ()
    """What has come up, and is not played yet."""
    within: Open[str] = ""
    ended: Open[str] = ""
    """How it ended, where a rule has ended it."""

    @abstractmethod
    def is_free(self, scene: Scene, who: str) -> bool:
        """Whether somebody of the party has to choose: here, able, and with time."""

    @abstractmethod
    def ask(self, me: Who[Any], who: str) -> Call[Any]:
        """Ask somebody what to do in this quarter, who plays by policies."""

    @abstractmethod
    def play(self, me: Who[Any], chosen: ChosenActivity) -> Call[Any]:
        """What somebody has laid down is played."""

    @abstractmethod
    def happens(self, me: Who[Any], event: JourneyEvent) -> Call[Any]:
        """What has come up is played."""

    @abstractmethod
    def quarter_ends(self, me: Who[Any]) -> Call[Any]:
        """The clock runs on to the next quarter."""

    # --- what comes next ----------------------------------------------------------------------------------------------

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.events:
            return self.happens(me, self.events[0])
        if (first := next(iter(self.choosing(scene)), None)) is not None:
            return self.ask(me, first)
        to_play = self.to_play
        return self.play(me, to_play[0]) if to_play else self.quarter_ends(me)

    def awaited(self, scene: Scene, me: Who[Any]) -> Collection[str]:
        return () if self.events else self.choosing(scene)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        if self.ended:
            return self.ended
        here = any(scene.who(name) in scene for name in self.party if name in scene.state)
        return None if here else "nobody"

    def parties(self) -> tuple[tuple[str, ...], ...]:
        return (self.party,)

    def choosing(self, scene: Scene) -> tuple[str, ...]:
        """Those who have not laid down anything, and could."""
        laid = {each.who for each in self.laid_down}
        return tuple(name for name in self.party if name not in laid and self.is_free(scene, name))

    @property
    def to_play(self) -> tuple[ChosenActivity, ...]:
        """What is laid down and not played yet, in the order of the party; whoever leads goes first."""
        left = {each.who: each for each in self.laid_down if not each.done}
        return tuple(sorted((left[name] for name in self.party if name in left), key=self.place_of))

    def place_of(self, chosen: ChosenActivity) -> int:
        """The order in which activities are played: lower ones first."""
        return 0

    # --- as it is after a step ----------------------------------------------------------------------------------------

    def choice_of(self, who: str) -> ChosenActivity | None:
        return next((each for each in self.laid_down if each.who == who), None)

    def choosing_this(self, chosen: ChosenActivity) -> Self:
        """With what somebody does, in place of what they laid down before."""
        others = tuple(each for each in self.laid_down if each.who != chosen.who)
        return replace(self, laid_down=(*others, chosen))

    def without_choice(self, who: str) -> Self:
        return replace(self, laid_down=tuple(each for each in self.laid_down if each.who != who))

    def having_played(self, who: str) -> Self:
        return replace(
            self, laid_down=tuple(replace(each, done=True) if each.who == who else each for each in self.laid_down)
        )

    def with_event(self, event: JourneyEvent) -> Self:
        return replace(self, events=(*self.events, event))

    def after_event(self) -> Self:
        return replace(self, events=self.events[1:])

    def next_quarter(self) -> Self:
        """Nobody has chosen."""
        return replace(self, laid_down=())

    def entered(self, name: str) -> Self:
        """With the party in another hex; a route that leads there is a hex shorter."""
        _ = self.map.hex(name)
        route = self.route[1:] if self.route[:1] == (name,) else self.route
        return replace(
            self, whereabouts=name, past=(*self.past, self.whereabouts) if self.whereabouts else self.past, route=route
        )

    def check(self, scene: Scene) -> None:
        """A map that holds together, a place on it, and a way that leads from there."""
        self.map.check()
        if self.whereabouts:
            _ = self.map.hex(self.whereabouts)
            self.map.check_route(self.whereabouts, self.route)
