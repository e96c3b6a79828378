"""Finding rules by words, in every system or in one, with the matches highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, final

from referee import registry
from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.core.printed_book import PRINTED_BOOKS, Entry
from referee.core.rulebook import Book
from referee.core.search import Index, words
from referee.core.system import System
from referee.core.wording import capital
from referee.core.words import Words
from referee.web.pages.page import WORDS
from referee.web.pages.place import Place

MOST_FOUND: Final = 40
LONGEST: Final = 200
"""The longest search text."""
BRIEF: Final = 180
"""About how many characters of a rule are shown in search results, and (fewer) in a plain list."""
LISTED: Final = 110
MOST_ROWS: Final = 3
ALIKE: Final = 0.75
_WORD: Final = re.compile(r"[A-Za-z0-9]+")


@final
@dataclass(frozen=True)
class Said:
    """A piece of a text, and whether it matches the search."""

    text: str
    hit: bool = False


@final
@dataclass(frozen=True)
class Leaf:
    """A rule in a list."""

    id: str
    href: str
    system: str
    system_title: str
    chapter: str
    kind: str
    title: tuple[Said, ...]
    text: tuple[Said, ...]
    rows: tuple[tuple[Said, ...], ...] = ()
    """Rows of its tables that contain what was searched for."""
    optional: bool = False
    on: bool | None = None
    """Whether it is in force at this table; None if there is no table."""
    choices: tuple[tuple[str, bool], ...] = ()
    """The ways to play it, in words, and whether this table plays it so."""


def _words_of(system: str) -> Words | None:
    """The words of a system whose rulebook is in use."""
    if system not in registry.OURS and system not in PRINTED_BOOKS:
        return None
    try:
        return registry.load(system).words
    except BadInput:  # a book without a system
        return None


def title_of(id_: str) -> str:
    """The title of a rule: what its system calls it, or else its id as words, `coin.toss.marked` as "Toss marked"."""
    whole = id_.split("/", maxsplit=1)[0]
    system, _, inner = whole.partition(".")
    own = _words_of(system)
    if own is not None and f"rules.{inner}" in own:
        return own.say(f"rules.{inner}")
    *before, last = whole.split(".")
    name = last if "-" in last or len(before) < 2 else f"{before[-1]} {last}"
    return capital(name.replace("-", " "))


def leaf(place: Place, system: System, book: Book, entry: Entry, wanted: tuple[str, ...] = ()) -> Leaf:
    """A rule for a list, with the searched words highlighted."""
    title = marked(title_of(entry.id), wanted)
    text = marked(excerpt(entry.rule, wanted, BRIEF if wanted else LISTED), wanted)
    rows = tuple(_rows(entry, wanted)) if wanted else ()
    reading = " ".join(entry.unclear.split())
    if wanted and not rows and not _is_hit((*title, *text)) and _is_hit(marked(reading, wanted)):
        rows = (marked(excerpt(reading, wanted), wanted),)
    optional = entry.is_option or bool(entry.option)
    on = book.on(entry.id) if place.view and optional else None
    played = book.choice(entry.id) if place.view else ""
    choices = tuple((words, key == played) for key, words in entry.choices.items())
    href = place.rule(system, entry.id)
    told = (entry.id, href, system.name, system.title, entry.chapter, entry.kind, title, text, rows)
    return Leaf(*told, optional, on, choices)


def search(place: Place, asked: str) -> tuple[Leaf, ...]:
    """The best matches in all systems shown here; similar ones only if there are no others."""
    found = [(hit, system) for system in place.systems for hit in index_of(system.name).search(asked, MOST_FOUND)]
    found.sort(key=lambda pair: (-pair[0].score, pair[0].id))
    wanted = tuple(dict.fromkeys(words(asked)))
    really = [(hit, system) for hit, system in found if _holds(system.printed_book.text(hit.id), wanted)]
    books = {system.name: place.book(system) for system in place.systems}
    some = ((system, books[system.name], hit.id) for hit, system in (really or found)[:MOST_FOUND])
    return tuple(leaf(place, system, book, book.entry(id_), wanted) for system, book, id_ in some)


def _holds(text: str, wanted: tuple[str, ...]) -> bool:
    """Whether a word of a text is, or begins with, a searched word."""
    there = words(text)
    return any(each == word or (len(word) > 2 and each.startswith(word)) for word in wanted for each in there)


@lru_cache(maxsize=64)
def index_of(system: str) -> Index:
    return Index(registry.load(system).printed_book)


# --- highlights -------------------------------------------------------------------------------------------------------


def marked(text: str, wanted: Iterable[str]) -> tuple[Said, ...]:
    """A text in pieces; those that begin with a searched word, or are similar if none does, are highlighted."""
    there = {word.casefold() for word in _WORD.findall(text)}
    hits = {each for word in wanted for each in _like(word, there)}
    found: list[Said] = []
    end = 0
    for each in _WORD.finditer(text):
        if each[0].casefold() in hits:
            found += [Said(text[end : each.start()]), Said(each[0], hit=True)]
            end = each.end()
    found.append(Said(text[end:]))
    return tuple(each for each in found if each.text)


def _like(word: str, there: set[str]) -> list[str]:
    begin = [each for each in there if each == word or (len(word) > 2 and each.startswith(word))]
    return begin or (get_close_matches(word, there, 1, ALIKE) if len(word) > 2 else [])


def excerpt(text: str, wanted: Iterable[str] = (), most: int = BRIEF) -> str:
    """The beginning of a text, or the part around the first searched word."""
    if len(text) <= most:
        return text
    at = next((len(each.text) for each in marked(text, wanted)[:1] if not each.hit), 0) if wanted else 0
    is_there = _is_hit(marked(text, wanted)) if wanted else False
    start = 0 if not is_there or at < most - 40 else text.rfind(" ", 0, at - 60) + 1
    cut = text[start:]
    if len(cut) > most:
        cut = cut[: cut.rfind(" ", 0, most)].rstrip(",;:") + " …"
    return f"… {cut}" if start else cut


def _is_hit(pieces: Iterable[Said]) -> bool:
    return any(each.hit for each in pieces)


def _rows(entry: Entry, wanted: tuple[str, ...]) -> Iterator[tuple[Said, ...]]:
    """The first rows of an entry that contain a searched word, by their texts."""
    found = 0
    for row in _all_rows(entry.values):
        told = ", ".join(value for value in row.values() if isinstance(value, str))
        if _holds(told, wanted):
            yield marked(told, wanted)
            found += 1
        if found == MOST_ROWS:
            return


def _all_rows(values: Plain) -> Iterator[dict[str, Plain]]:
    for each in values.values() if isinstance(values, dict) else (values,):
        yield from (row for row in (each if isinstance(each, list) else ()) if isinstance(row, dict))


def kind_words(kind: str) -> str:
    return WORDS.say(f"rules.kinds.{kind}")
