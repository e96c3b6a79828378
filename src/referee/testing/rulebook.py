"""Code and rulebook agree: every id cited exists, every figure declared can be read, no effect is prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from referee.core.errors import RefereeError
from referee.core.files import load_yaml_file
from referee.core.rulebook import DECLARED, Book, RowsOf, declared
from referee.core.rules import FORMULAS, RULES
from referee.core.system import System


def rulebook_faults(system: System) -> Iterator[str]:
    """Everything in which the rulebook and the code of a system do not agree."""
    yield from _unread(system)
    yield from _uncited(system)
    wrong = list(_entries(system))
    yield from wrong
    if wrong:
        return  # what follows reads every entry
    yield from _figures(system)
    yield from _unplayed(system)
    yield from _options(system)


def _unread(system: System) -> Iterator[str]:
    """Entries in a form that is not found: each begins on a line of its own, with two blanks, `- id:`."""
    for file in sorted((system.folder / "rulebook").glob("*.yaml")):
        for entry in (load_yaml_file(file) or {}).get("rules") or ():
            if entry.get("id") not in system.printed_book.ids:
                yield f"{file}: {entry.get('id')} is not found; its entry must begin with a line `  - id: …`"


def _uncited(system: System) -> Iterator[str]:
    cited = re.compile(rf'"({re.escape(system.name)}\.[a-z0-9-]+\.[a-z0-9-]+)(?:/[a-z0-9_-]+)?"')
    for file in sorted(system.folder.rglob("*.py")):
        for id_ in dict.fromkeys(cited.findall(file.read_text(encoding="utf-8"))):
            if id_ not in system.printed_book.ids:
                yield f"{file}: cites {id_}, which is not in the rulebook"


def _entries(system: System) -> Iterator[str]:
    for id_ in system.printed_book.ids:
        try:
            entry = system.printed_book.entry(id_)
        except RefereeError as problem:
            yield str(problem)
            continue
        if not id_.startswith(f"{system.name}."):
            yield f"{id_}: an id begins with the name of the system"
        if not entry.rule:
            yield f"{id_}: says nothing"
        yield from (
            f"{id_}: refers to {ref}, which does not exist" for ref in entry.refs if ref not in system.printed_book.ids
        )
        for path, value in leaves(entry.values) if entry.computable else ():
            if path[-1:] == ("effect",) and isinstance(value, str):
                yield f"{id_}: {'/'.join(path)} is prose, not an effect"


def _figures(system: System) -> Iterator[str]:
    """Every figure that the code declares can be read."""
    book = Book(system.printed_book)
    for id_, lookups in DECLARED.items():
        for lookup in lookups if id_.startswith(f"{system.name}.") else ():
            try:
                book.read(lookup)
            except RefereeError as problem:
                yield str(problem)


def _unplayed(system: System) -> Iterator[str]:
    """Every computable rule has code or a table behind it."""
    behind = {id_.partition("/")[0] for cited in {**RULES, **FORMULAS}.values() for id_ in cited.ids} | set(DECLARED)
    behind |= _carried_out(system)
    for id_ in system.printed_book.ids:
        entry = system.printed_book.entry(id_)
        if id_ not in behind and entry.computable and next(declared(entry), None) is None:
            yield f"{id_}: no code and no table stands behind it; if it is advice, its kind is guidance"


def _carried_out(system: System) -> set[str]:
    """The rules that rows of tables carry out."""
    book = Book(system.printed_book)
    citing = {
        lookup
        for id_, lookups in DECLARED.items()
        for lookup in lookups
        if id_.startswith(f"{system.name}.") and isinstance(lookup, RowsOf) and lookup.cites
    }
    return {found.rule_of(name) for found in map(book.read, citing) for name in found.names}


def _options(system: System) -> Iterator[str]:
    """Every setting of every option can be played."""
    for entry in system.printed_book.options:
        for setting in (*entry.choices, *((True, False) if entry.optional else ())):
            try:
                Book(system.printed_book, options={entry.id: setting}).on(entry.id)
            except RefereeError as problem:
                yield str(problem)


def leaves(values: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every figure of an entry, with its path."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield from leaves(value, (*path, str(key)))
    elif isinstance(values, list):
        for at, value in enumerate(values):
            yield from leaves(value, (*path, str(at)))
    else:
        yield path, values
