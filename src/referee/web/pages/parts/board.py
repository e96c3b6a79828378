"""The scene as a picture: encounters with rounds, turn order and range bands, and the clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from referee.core.errors import NotKnown, RefereeError
from referee.core.plain import Plain
from referee.core.scene import Who
from referee.web.pages.page import WORDS
from referee.web.pages.parts.look import Places
from referee.web.pages.table_view import TableView


@final
@dataclass(frozen=True)
class Turn:
    """Someone in the turn order."""

    name: str
    score: int | None
    left: int
    is_now: bool
    is_out: bool


@final
@dataclass(frozen=True)
class BoardToken:
    """Someone on the map."""

    name: str
    short: str
    is_foe: bool
    pair: str
    """The key under which the distance is stored."""


@final
@dataclass(frozen=True)
class Band:
    """A distance from someone, and who is there."""

    number: int
    words: str
    tokens: tuple[BoardToken, ...]


@final
@dataclass(frozen=True)
class EncounterPanel:
    """An encounter in progress: a fight, a chase."""

    name: str
    kind: str
    round: int | None
    phase: str
    order: tuple[Turn, ...]
    bands: tuple[Band, ...]
    seen_from: str
    field: str
    """The field that holds the distances."""
    over: str = ""

    @property
    def title(self) -> str:
        return WORDS.say(f"scene.{self.kind}") if f"scene.{self.kind}" in WORDS else self.kind


@final
@dataclass(frozen=True)
class Now:
    """What the clock shows."""

    text: str
    deadlines: tuple[str, ...]


def encounters(view: TableView, seen_from: str | None) -> tuple[EncounterPanel, ...]:
    """The encounters in progress, drawn as the system declares."""
    found = []
    for name, plain in view.data["scene"].items():
        places = view.look.encounters.get(plain.get("kind", ""))
        if places is not None:
            found.append(_encounter(view, name, plain, places, seen_from))
    return tuple(found)


def _encounter(
    view: TableView, name: str, plain: Mapping[str, Plain], places: Places, seen_from: str | None
) -> EncounterPanel:
    value: Any = view.state.get(name)
    now = _asked_of(value, places.turn, view)
    over = _asked_of(value, "over", view)
    scores: dict[str, int] = dict(plain.get(places.order) or {})
    fighters = [each for side in plain.get(places.sides) or () for each in side]
    names = [each for each in (fighters or sorted(scores)) if each in view.data["scene"]]
    left: dict[str, int] = dict(plain.get(places.left) or {})
    out = set(plain.get("gone") or ()) | {each for each in names if view.data["scene"][each].get("dead")}
    order = tuple(
        Turn(each, scores.get(each), left.get(each, 0), each in now, each in out)
        for each in sorted(names, key=lambda each: -scores.get(each, 0))
    )
    origin = seen_from if seen_from and seen_from in names else str(next(iter(names), ""))
    return EncounterPanel(
        name,
        str(plain["kind"]),
        plain.get(places.round),
        str(plain.get(places.phase) or ""),
        order,
        _bands(view, plain, places, origin, names) if places.bands else (),
        origin,
        places.bands,
        str(over or ""),
    )


def _asked_of(value: Any, method: str, view: TableView) -> Any:
    """What an encounter answers about itself, as far as the seat knows."""
    found = getattr(value, method, None) if method else None
    if found is None:
        return ()
    try:
        return found(view.scene)
    except (NotKnown, RefereeError):
        return ()


def _bands(
    view: TableView, plain: Mapping[str, Plain], places: Places, origin: str, names: list[str]
) -> tuple[Band, ...]:
    """Everyone, grouped by their distance from one person."""
    apart: dict[str, int] = dict(plain.get(places.bands) or {})
    found: dict[int, list[BoardToken]] = {}
    for name in names:
        if name != origin:
            pair = " ".join(sorted((origin, name)))
            token = BoardToken(name, name[:2].capitalize(), not view.is_own(name), pair)
            found.setdefault(apart.get(pair, 0), []).append(token)
    last = max([places.furthest - 1, *found])
    return tuple(Band(at, WORDS.say(f"bands.{min(at, 4)}"), tuple(found.get(at, ()))) for at in range(last + 1))


def clock(view: TableView) -> Now:
    """The time, largest unit first, and the deadlines to come."""
    plain = view.data["scene"].get("clock") or {}
    now = int(plain.get("now") or 0)
    units = sorted(view.system.units(view.scene), key=lambda unit: -unit.size)
    parts: list[str] = []
    rest = now
    for unit in units if now else ():
        count, rest = divmod(rest, unit.size)
        if count or unit is units[-1]:
            parts.append(WORDS.say("clock.part", unit=unit.name.lower(), count=count))
    due = [
        WORDS.say(
            "clock.due",
            who=each.get("who", ""),
            rule=str(each.get("rule", "")).rpartition(".")[2].replace("-", " "),
            after=int(each["at"]) - now,
        )
        for each in plain.get("deadlines") or ()
    ]
    return Now(", ".join(parts), tuple(due))


def who_of(view: TableView, name: str) -> Who[Any]:
    return Who(name, view.system.sheet)
