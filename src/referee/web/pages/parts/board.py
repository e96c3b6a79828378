"""The scene as a picture: encounters with rounds, turn order and range bands, and the clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

from referee.core.agenda import playing
from referee.core.encounter import Encounter
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import Places
from referee.core.plain import Plain
from referee.core.scene import Who
from referee.core.system import System
from referee.core.wording import class_words
from referee.web.pages.page import WORDS
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
    title: str
    round: int | None
    phase: str
    order: tuple[Turn, ...]
    bands: tuple[Band, ...]
    seen_from: str
    field: str
    """The field that holds the distances."""
    over: str = ""
    within: str = ""
    """The name of the encounter it stands inside."""
    is_played: bool = False
    """Whether it is the one of several that the table plays now."""


@final
@dataclass(frozen=True)
class Now:
    """What the clock shows."""

    text: str
    deadlines: tuple[str, ...]


def title_of(system: System, kind: str, name: str = "") -> str:
    """What an encounter is called: by its kind, and by its number if it is not the first of the kind."""
    key = f"encounters.{kind}"
    title = system.words.say(key) if key in system.words else f"The {class_words(kind)}"
    return f"{title} ({name})" if name.rpartition(" ")[2].isdecimal() else title


def kinds_of(system: System) -> dict[str, Places]:
    """The kinds of encounters of a system, and how each is drawn."""
    drawn = system.look.encounters
    found = [kind for kind in system.kinds if kind.__name__ in drawn or issubclass(kind, Encounter)]
    return {kind.__name__: drawn.get(kind.__name__, Places()) for kind in found}


def encounters(view: TableView, seen_from: str | None) -> tuple[EncounterPanel, ...]:
    """The encounters in progress, drawn as the system declares."""
    kinds = kinds_of(view.system)
    found = []
    for name, plain in view.data["scene"].items():
        places = kinds.get(plain.get("kind", ""))
        if places is not None:
            found.append(_encounter(view, name, plain, places, seen_from))
    if len(found) < 2:
        return tuple(found)
    played = _played(view)
    return tuple(replace(each, is_played=each.name == played) for each in found)


def _played(view: TableView) -> str:
    """The encounter that the table plays now, as far as the seat knows."""
    try:
        who = playing(view.scene)
    except (NotKnown, RefereeError):
        return ""
    return who.name if who else ""


def _encounter(
    view: TableView, name: str, plain: Mapping[str, Plain], places: Places, seen_from: str | None
) -> EncounterPanel:
    value: Any = view.state.get(name)
    now = _asked_of(value, places.turn, view)
    over = _asked_of(value, "told_ending", view, view.scene.who(name))
    scores: dict[str, int] = dict(plain.get(places.order) or {})
    fighters = [each for side in plain.get(places.sides) or () for each in side]
    names = [each for each in (fighters or sorted(scores)) if each in view.data["scene"]]
    left: dict[str, int] = dict(plain.get(places.left) or {})
    out = set(plain.get(places.out) or ()) | {each for each in names if view.data["scene"][each].get(view.look.out)}
    order = tuple(
        Turn(each, scores.get(each), left.get(each, 0), each in now, each in out)
        for each in sorted(names, key=lambda each: -scores.get(each, 0))
    )
    origin = seen_from if seen_from and seen_from in names else str(next(iter(names), ""))
    return EncounterPanel(
        name,
        str(plain["kind"]),
        title_of(view.system, str(plain["kind"]), name),
        plain.get(places.round),
        str(plain.get(places.phase) or ""),
        order,
        _bands(view, plain, places, origin, names) if places.bands else (),
        origin,
        places.bands,
        str(over or ""),
        str(plain.get("within") or ""),
    )


def _asked_of(value: Any, method: str, view: TableView, *more: Who[Any]) -> Any:
    """What an encounter answers about itself, as far as the seat knows."""
    found = getattr(value, method, None) if method else None
    if found is None:
        return ()
    try:
        return found(view.scene, *more)
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
    return tuple(Band(at, distance_words(view.system, at), tuple(found.get(at, ()))) for at in range(last + 1))


def distance_words(system: System, distance: int) -> str:
    """A distance as the system calls it; beyond its last name every distance is called like that."""
    own = [text for key, text in system.words.texts.items() if key.startswith("distances.")]
    return own[min(distance, len(own) - 1)] if own else WORDS.say("scene.distance", number=distance)


def clock(view: TableView) -> Now:
    """The time, largest unit first, and the deadlines to come."""
    time = view.data["time"]
    moved = bool((view.data["scene"].get("clock") or {}).get("now"))
    return Now(str(time["now"]) if moved else "", tuple(map(_due, time["deadlines"])))


def _due(deadline: Mapping[str, Plain]) -> str:
    rule = str(deadline["rule"]).rpartition(".")[2].replace("-", " ")
    key = "clock.due-about" if deadline["about"] else "clock.due"
    return WORDS.say(key, who=deadline["who"], rule=rule, about=deadline["about"], after=deadline["in"])


def who_of(view: TableView, name: str) -> Who[Any]:
    return Who(name, view.system.sheet)
