"""The catalogue of a system: every thing that somebody can be given, by kind, with what its row says.

A system declares where its things are printed (`System.catalogue`). The things of its samples' people are listed after
those; a system that prints none has only these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, final

from referee.core.errors import BadInput
from referee.core.files import load_yaml_file
from referee.core.fresh import default_of, fresh
from referee.core.plain import Plain, unknown, write
from referee.core.rulebook import BOOK, Book, from_book
from referee.core.scene import Scene, State
from referee.core.things import CARRIED, DROPPED, HELD, PLACES, put_at, row_of
from referee.core.wording import capital, heading, phrase, spaced

if TYPE_CHECKING:
    from referee.core.system import System


class PrintedThing(NamedTuple):
    """A thing as it is put on a sheet, and the rule it is printed under."""

    thing: Any
    rule: str


def nothing_printed(scene: Scene) -> Iterable[PrintedThing]:
    """For systems whose book lists no things."""
    return ()


def without_kind(scene: Scene, thing: Any) -> str:
    """For systems that do not group their things."""
    return ""


def without_price(scene: Scene, thing: Any) -> int | float | None:
    """For systems in which nothing has a price."""
    return None


def usual_places(scene: Scene, thing: Any) -> tuple[str, ...]:
    """For things that say where they are: in hand, on the body, put away, on the ground."""
    return PLACES if hasattr(thing, "at") and hasattr(thing, "place") else ()


def unworn(scene: Scene, thing: Any) -> tuple[str, ...]:
    """For games in which nothing is worn."""
    return (HELD, CARRIED, DROPPED)


@final
@dataclass(frozen=True)
class Catalogue:
    """What a system declares of its things. Each function is given the scene of the rulebook, and a thing."""

    printed: Callable[[Scene], Iterable[PrintedThing]] = nothing_printed
    """The things of its book."""
    kind: Callable[[Scene, Any], str] = without_kind
    """The key of the kind of a thing: `melee`; its words are `things.kinds.melee`."""
    says: Callable[[Scene, Any], Mapping[str, Plain]] | None = None
    """What there is to know of a thing, by keys with words `things.figures`; else the figures that the look names."""
    price: Callable[[Scene, Any], int | float | None] = without_price
    places: Callable[[Scene, Any], tuple[str, ...]] = usual_places
    """Where a thing can be put, apart from containers."""


@final
@dataclass(frozen=True)
class CatalogueRow:
    """A thing that somebody can be given."""

    key: str
    """Its name in the catalogue; no two rows have the same."""
    name: str
    says: tuple[tuple[str, str], ...]
    """What its row says: words, and a text."""
    thing: Any
    """The value that goes on a sheet."""
    price: int | float | None = None
    rule: str = ""
    """The rule it is printed under."""
    sample: str = ""
    """The title of the sample it is from, if it is not printed."""

    @property
    def plain(self) -> Plain:
        """The thing as plain data, for a form."""
        return write(self.thing)

    @property
    def sentence(self) -> str:
        """What its row says, on one line: `damage 5D, range 5/10/30/60 m`."""
        return ", ".join(f"{words[:1].lower()}{words[1:]} {text}" for words, text in self.says)


@final
@dataclass(frozen=True)
class CatalogueKind:
    """The things of one kind."""

    key: str
    words: str
    rows: tuple[CatalogueRow, ...]


def catalogue(system: System, book: Book) -> tuple[CatalogueKind, ...]:
    """Every thing of a system, by kind, as this rulebook has it."""
    return _kinds(Scene(State({BOOK.name: book})), system)


@from_book
def _kinds(scene: Scene, system: System) -> tuple[CatalogueKind, ...]:
    kinds: dict[str, list[CatalogueRow]] = {}
    for row in _rows(system, scene):
        kinds.setdefault(system.catalogue.kind(scene, row.thing), []).append(row)
    return tuple(CatalogueKind(key, kind_words(system, key), tuple(rows)) for key, rows in kinds.items())


def find_row(system: System, book: Book, key: str) -> CatalogueRow:
    """A row of the catalogue by its key."""
    found = {row.key.casefold(): row for kind in catalogue(system, book) for row in kind.rows}
    if key.casefold() not in found:
        raise BadInput("thing", unknown(key, tuple(row.key for row in found.values())))
    return found[key.casefold()]


def kind_words(system: System, key: str) -> str:
    """What a kind of things is called."""
    return system.words.say_or(f"things.kinds.{key}", capital(spaced(key)))


def what_it_says(system: System, scene: Scene, thing: Any) -> tuple[tuple[str, str], ...]:
    """What there is to know of a thing, as its system tells it."""
    if system.catalogue.says is not None:
        said = system.catalogue.says(scene, thing)
        called = {key: system.words.say_or(f"things.figures.{key}", heading(key)) for key in said}
    else:
        figures = system.look.item.figures if system.look.item else {}
        said, called = {key: write(getattr(thing, key)) for key in figures}, dict(figures)
    return tuple((called[key], phrase(value)) for key, value in said.items() if value not in (None, "", 0, [], {}))


def _rows(system: System, scene: Scene) -> Iterator[CatalogueRow]:
    printed = [_row(system, scene, thing, rule=rule) for thing, rule in system.catalogue.printed(scene)]
    yield from printed
    listed = {row.key.casefold() for row in printed}
    taken = set(listed)
    for thing, title in _fullest(system.sample_things):
        if row_of(thing).casefold() in listed:
            continue
        keys = (thing.name, f"{thing.name} ({title})")
        if (key := next((each for each in keys if each.casefold() not in taken), None)) is not None:
            taken.add(key.casefold())
            yield _row(system, scene, thing, key=key, sample=title)


def _fullest(things: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Without things that are said more fully elsewhere, such as with a price."""
    listed = list(things)
    for at, (thing, title) in enumerate(listed):
        others = (each for n, (each, _) in enumerate(listed) if n != at)
        if not any(_says_more(each, thing) for each in others):
            yield thing, title


def _says_more(one: Any, other: Any) -> bool:
    """Whether two things differ in nothing but what only the first says."""
    if one.name != other.name or not is_dataclass(other):
        return False
    return all(
        getattr(one, each.name) == said or said == default_of(each)
        for each in fields(other)
        for said in (getattr(other, each.name),)
    )


def _row(system: System, scene: Scene, thing: Any, *, key: str = "", rule: str = "", sample: str = "") -> CatalogueRow:
    says, price = what_it_says(system, scene, thing), system.catalogue.price(scene, thing)
    return CatalogueRow(key or thing.name, thing.name, says, thing, price, rule, sample)


# --- the things of samples --------------------------------------------------------------------------------------------


def sample_things(system: System) -> Iterator[tuple[Any, str]]:
    """What the people of a system's samples have, whole and loaded, each with the title of its sample; each once."""
    field, seen = system.look.items, set[Any]()
    if not field:
        return
    for file in sorted((system.folder / "samples").glob("*.yaml")):
        sample = load_yaml_file(file)
        for plain in (sample.get("sheets") or {}).values():
            if not (plain and plain.get(field)):
                continue
            sheet: Any = fresh(system, system.value({field: plain[field]}))
            for thing in (put_at(each, CARRIED) for each in getattr(sheet, field)):
                if (one := _single(thing)) not in seen:
                    seen.add(one)
                    yield thing, str(sample.get("scenario", file.stem))


def _single(thing: Any) -> Any:
    """One of it, however many there are."""
    return replace(thing, amount=1) if getattr(thing, "amount", 1) != 1 else thing
