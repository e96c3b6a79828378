"""Adding people: ready-made ones, copies of those who are here, or somebody at random; each with one tap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final, final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput, RefereeError
from referee.core.fresh import fresh
from referee.core.options import present_fields
from referee.core.plain import Plain, is_number, unknown, write
from referee.core.rulebook import BOOK, Book
from referee.core.scene import State
from referee.core.system import System
from referee.core.wording import phrase
from referee.table import draft_desk, master_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.newcomers import base_name, names_for
from referee.web.api.drafts import new_draft_id
from referee.web.demo import samples
from referee.web.pages.forms import Sent, go
from referee.web.pages.master.frame import Frame, Master, frame_of
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.people import Person, roster
from referee.web.pages.table_view import TableView, table_view
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/master/add", include_in_schema=False)
HERE: Final = "scene"
"""The source of a copy of somebody who is in the scene."""
MOST_COPIES: Final = 12
MOST_NAMED: Final = 3
"""How many skills or things a sentence names."""
Words = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class ReadyMade:
    """Somebody to add, from a sample."""

    key: str
    name: str
    says: str
    """Who it is, in a sentence."""
    is_own: bool
    """Whether it is a player's character."""


@final
@dataclass(frozen=True)
class AddScreen:
    """Who can be added, and who is here already."""

    template: ClassVar[str] = "master/add.html"
    frame: Frame
    people: tuple[Person, ...]
    ready: tuple[tuple[str, tuple[ReadyMade, ...]], ...]
    """Those to choose from, in groups."""
    find: str
    count: int
    hidden: bool
    added: str
    """Who was just added."""
    builds: bool
    templates: tuple[str, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(range(1, MOST_COPIES + 1))


@router.get("")
def add_page(
    request: Request, visitor: Master, find: Words = "", count: int = 1, hidden: str = "", added: Words = ""
) -> HTMLResponse:
    frame = frame_of(request, visitor, "people")
    view = frame.view
    found = [each for each in _ready_made(view) if _matches(each, find)]
    grouped = ((WORDS.say("master.add.own"), True), (WORDS.say("master.add.others"), False))
    groups = ((title, tuple(each for each in found if each.is_own is own)) for title, own in grouped)
    there = [each for each in added.split("\n") if each in view.data["scene"]]
    creation = view.system.creation
    return show(
        AddScreen(
            frame,
            roster(view),
            tuple((title, people) for title, people in groups if people),
            find,
            min(max(count, 1), MOST_COPIES),
            bool(hidden),
            WORDS.say("master.add.added", who=phrase(there)) if there else "",
            creation is not None,
            tuple(creation.templates(view.scene)) if creation else (),
        )
    )


def _matches(each: ReadyMade, find: str) -> bool:
    text = f"{each.name} {each.says}".casefold()
    return all(word in text for word in find.casefold().split())


# --- ready-made people ------------------------------------------------------------------------------------------------


def _ready_made(view: TableView) -> Iterator[ReadyMade]:
    """Everyone of the samples whom this table's rules allow; those who differ in nothing but a number once."""
    book = view.scene[BOOK]
    seen: set[tuple[str, Any]] = set()
    for key, (title, name, value) in _people(view.system.name).items():
        base = base_name(name)
        if (base, value) in seen or not _is_allowed(view.system, book, base, value):
            continue
        seen.add((base, value))
        mine = view.look.mine
        yield ReadyMade(key, base, _says(view, value, title), bool(getattr(value, mine)) if mine else True)


@lru_cache(maxsize=16)
def _people(system: str) -> Mapping[str, tuple[str, str, Any]]:
    """The people of a system's samples, fresh, by their keys: the sample's title, the name, the sheet."""
    from referee import registry

    known = registry.load(system)
    first = {name: at for at, name in enumerate(known.look.samples)}
    found: dict[str, tuple[str, str, Any]] = {}
    for sample, (title, scene) in sorted(samples(system).items(), key=lambda each: first.get(each[0], len(first))):
        for name, plain in scene.items():
            if plain.get("kind") in known.person_kinds:
                found[f"{sample}/{name}"] = title, name, fresh(known, known.value(plain, name))
    return found


def _is_allowed(system: System, book: Book, name: str, value: Any) -> bool:
    try:
        system.check_sheet(State({BOOK.name: book, name: _present(system, book, value)}), name)
    except RefereeError:
        return False
    return True


def _present(system: System, book: Book, value: Any) -> Any:
    """Without what belongs to options that this table does not play."""
    return system.value({"kind": type(value).__name__, **present_fields(value, book)})


def _says(view: TableView, value: Any, title: str) -> str:
    """Who somebody is: in their own words, what they are best at, what they carry, and where they are from."""
    look, plain = view.look, write(value)
    about = _sentence(next((str(plain[each]) for each in look.about if plain.get(each)), ""))
    parts: list[str] = []
    levels = (look.tiles.field if look.tiles else "", look.rolls.learned if look.rolls else "")
    for field in dict.fromkeys(filter(None, levels)):
        parts += [f"{name} {level}" for name, level in _best(plain.get(field) or {})]
    things = [str(each["name"]) for each in plain.get(look.items) or () if isinstance(each, Mapping)]
    if things:
        parts.append(WORDS.say("master.add.carries", things=phrase(things[:MOST_NAMED])))
    told = f"{', '.join(parts)}." if parts else ""
    return " ".join(filter(None, (about, told, WORDS.say("master.add.of", sample=title))))


def _sentence(text: str) -> str:
    """A text with a full stop, unless it has an end of its own."""
    return text if not text or text.endswith((".", "!", "?", "…")) else f"{text}."


def _best(levels: Mapping[str, Plain]) -> list[tuple[str, Plain]]:
    """The highest levels: numbers, or dice codes as they are written."""
    rated = sorted(levels.items(), key=lambda each: _rank(str(each[1])), reverse=True)
    return [(name, level) for name, level in rated if _rank(str(level)) > (0, 0)][:MOST_NAMED]


def _rank(level: str) -> tuple[int, int]:
    first, _, pips = level.partition("D")
    return (int(first) if is_number(first) else 0, int(pips) if is_number(pips) else 0)


# --- adding -----------------------------------------------------------------------------------------------------------


@router.post("")
def add(request: Request, visitor: Master, form: Sent) -> Response:
    """Add fresh copies of somebody; the page is shown again as it was, with who was added."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    name, value = chosen(view, form.one("copy"))
    count = _count(form.one("count"))
    names = names_for(name, count, view.data["scene"])
    plain = {"kind": type(value).__name__, **present_fields(value, view.scene[BOOK])}
    portrait = name if form.one("copy").startswith(f"{HERE}/") else ""
    hidden = bool(form.one("hidden"))
    visitor.act(DeskCommand(master_desk.add_all, names, plain, hidden=hidden, like=portrait))
    return _again(request, visitor.campaign, form.one("find"), count, hidden, names)


@router.post("/random")
def add_at_random(request: Request, visitor: Master, form: Sent) -> Response:
    """Somebody whom chance has built, in the scene at once."""
    before = visitor.read(_names)
    hidden = bool(form.one("hidden"))
    template = form.one("template")
    visitor.act(DeskCommand(draft_desk.add_at_random, new_draft_id(visitor), template=template, hidden=hidden))
    names = [each for each in visitor.read(_names) if each not in before]
    return _again(request, visitor.campaign, form.one("find"), _count(form.one("count")), hidden, names)


def _names(desk: Desk) -> tuple[str, ...]:
    return tuple(desk.known)


def chosen(view: TableView, key: str) -> tuple[str, Any]:
    """Whom to copy, as they were made."""
    source, _, name = key.partition("/")
    if source == HERE and name in view.people:
        value: Any = view.state[name]
        return name, fresh(view.system, value)
    known = _people(view.system.name)
    if key not in known:
        raise BadInput("copy", unknown(key, (*(f"{HERE}/{each}" for each in view.people), *known)))
    return known[key][1], known[key][2]


def _count(text: str) -> int:
    if text and not (is_number(text) and len(text) < 3 and 1 <= int(text) <= MOST_COPIES):
        raise BadInput("count", f"must be 1 to {MOST_COPIES}")
    return int(text or 1)


def _again(request: Request, campaign: str, find: str, count: int, hidden: bool, names: Iterable[str]) -> Response:
    kept = {"find": find, "count": "" if count == 1 else str(count), "hidden": "yes" if hidden else ""}
    query = urlencode({**{key: each for key, each in kept.items() if each}, "added": "\n".join(names)})
    return go(request, f"/table/{campaign}/master/add?{query}")
