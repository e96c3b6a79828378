"""Encounters that the game master has prepared, and what is said as one begins. They follow from the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from referee.core import frozen
from referee.core.describe import field_type
from referee.core.plain import Plain, read
from referee.core.plain import write as to_plain
from referee.core.system import System
from referee.journal.lines import EncounterPrepared, Line


@frozen
class EncounterStart:
    """What is said as an encounter begins."""

    kind: str
    sides: tuple[tuple[str, ...], ...] = ()
    leaders: tuple[str, ...] = ()
    """Who leads each side, where somebody does."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """What else is said: fields of the encounter, or arguments of the action that begins it."""
    hidden: bool = False
    """Whether those who are hidden stay so."""

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(name for side in self.sides for name in side)

    def arguments(self, system: System) -> dict[str, Plain]:
        """The arguments of the action by which it is begun."""
        begins = system.look.encounters[self.kind].begins
        if begins is None:
            return dict(self.given)
        parameters = system.action(begins.action).rule.parameters
        found: dict[str, Plain] = dict(self.given)
        for at, name in enumerate(begins.sides):
            side: tuple[str, ...] = self.sides[at] if at < len(self.sides) else ()
            leader = self.leaders[at] if at < len(self.leaders) and self.leaders[at] else next(iter(side), "")
            if begins.members:
                found[name] = [{begins.leader: leader, begins.members: list(side)}] if side else []
            elif field_type(parameters[name].annotation).kind == "list":
                found[name] = list(side)
            elif side:
                found[name] = next(iter(side))
        for at, name in enumerate(begins.leaders):
            chosen = self.leaders[at] if at < len(self.leaders) else ""
            side = self.sides[at] if at < len(self.sides) else ()
            if chosen or side:
                found[name] = chosen or next(iter(side))
        return found

    @classmethod
    def from_plain(cls, plain: Mapping[str, Plain]) -> EncounterStart:
        sides: tuple[tuple[str, ...], ...] = read(tuple[tuple[str, ...], ...], plain["sides"], "sides")
        leaders: tuple[str, ...] = read(tuple[str, ...], plain["leaders"], "leaders")
        return cls(str(plain["kind"]), sides, leaders, dict(plain["given"]), hidden=bool(plain["hidden"]))


@frozen
class Preparation:
    """An encounter that is kept for later."""

    id: str
    title: str
    start: EncounterStart


@frozen
class Preparations:
    """What is kept, by id."""

    kept: tuple[Preparation, ...] = ()

    def __len__(self) -> int:
        return len(self.kept)

    def __contains__(self, name: object) -> bool:
        return any(each.id == name for each in self.kept)

    def __getitem__(self, name: str) -> Preparation:
        return next(each for each in self.kept if each.id == name)

    def after(self, line: Line) -> Preparations:
        if not isinstance(line, EncounterPrepared):
            return self
        others = tuple(each for each in self.kept if each.id != line.prepared)
        if not line.start:
            return replace(self, kept=others)
        start = EncounterStart.from_plain(line.start)
        return replace(self, kept=(*others, Preparation(line.prepared, line.title, start)))

    def to_plain(self) -> list[Plain]:
        return [to_plain(each) for each in self.kept]

    @classmethod
    def from_plain(cls, plain: Plain) -> Preparations:
        kept = ((str(each["id"]), str(each["title"]), EncounterStart.from_plain(each["start"])) for each in plain)
        return cls(tuple(Preparation(*each) for each in kept))
