"""`make rulebook`: write a ledger's entries as the files of a rulebook.

A ledger lists the rules of a system with where each was found. A rulebook has a file per chapter, named by the second
part of the ids (`some.combat.initiative` is in `combat.yaml`), and does without provenance and comments. The text of an
entry stays as it is written, so the same ledger always gives the same files.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Final

from referee.core.errors import BadInput, RefereeError
from referee.core.files import load_yaml
from referee.core.printed_book import PROVENANCE, PrintedBook

_SYSTEM: Final = re.compile(r"^system: (\S+)$", re.MULTILINE)
_ENTRY: Final = re.compile(r"^  - id: (\S+)$", re.MULTILINE)
_FIELD: Final = re.compile(r"^    (?=[a-z_]+:)", re.MULTILINE)
_BETWEEN: Final = re.compile(r"^ {0,2}#.*\n?", re.MULTILINE)


def rulebook_files(ledgers: Iterable[Path]) -> dict[str, str]:
    """The files of a rulebook, by name, from the ledgers of one system."""
    chapters: dict[str, list[str]] = {}
    systems: dict[str, str] = {}
    found: dict[str, str] = {}
    for ledger in ledgers:
        text = ledger.read_text(encoding="utf-8")
        mark = _SYSTEM.search(text)
        if mark is None:
            raise BadInput(ledger.name, "names no system")
        systems[mark[1]] = ledger.name
        for id_, entry in _entries(text, ledger.name):
            if id_ in found:
                raise BadInput(f"{ledger.name}: {id_}", f"stands in {found[id_]} too")
            found[id_] = ledger.name
            chapters.setdefault(_chapter(id_, mark[1], ledger.name), []).append(entry)
    if len(systems) > 1:
        raise BadInput("ledger", f"several systems: {', '.join(f'{name} in {file}' for name, file in systems.items())}")
    head = f"system: {next(iter(systems), '')}\nrules:\n"
    return {f"{chapter}.yaml": head + "\n".join(entries) for chapter, entries in sorted(chapters.items())}


def _chapter(id_: str, system: str, file: str) -> str:
    of, _, rest = id_.partition(".")
    if of != system or not rest:
        raise BadInput(f"{file}: {id_}", f"an id of this system begins with {system}.")
    return rest.split(".")[0]


def _entries(text: str, file: str) -> Iterator[tuple[str, str]]:
    """Each entry as it is written, without provenance and without comments between entries."""
    marks = list(_ENTRY.finditer(text))
    try:
        written = [str(each["id"]) for each in load_yaml(text)["rules"]]
    except (BadInput, TypeError, KeyError) as problem:
        raise BadInput(file, f"is no ledger: {problem}") from None
    if written != [mark[1] for mark in marks]:
        lost = sorted({*written} ^ {mark[1] for mark in marks})
        raise BadInput(file, f"every entry begins with a line `  - id: …`: {', '.join(lost)}")
    for mark, after in zip_longest(marks, marks[1:]):
        raw = _BETWEEN.sub("", text[mark.start() : after.start() if after else len(text)])
        first, *fields = _FIELD.split(raw)
        kept = (each.rstrip() for each in fields if each.partition(":")[0] not in PROVENANCE)
        yield mark[1], "".join((first, *(f"    {each}\n" for each in kept)))


def write_rulebook(ledgers: Iterable[Path], folder: Path) -> list[Path]:
    """Write the files that are not there yet, and check that all entries load. A file that differs is not touched."""
    files = rulebook_files(ledgers)
    for name, text in files.items():
        if (folder / name).exists() and (folder / name).read_text(encoding="utf-8") != text:
            raise BadInput(str(folder / name), "is there already, and differs")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    check_loads(folder)
    return [folder / name for name in files]


def check_loads(folder: Path) -> int:
    """Parse every entry of a rulebook; returns how many there are."""
    book = PrintedBook(folder.name, folder)
    for id_ in book.ids:
        book.entry(id_)
    return len(book.ids)


def main() -> None:
    arguments = argparse.ArgumentParser(prog="make rulebook", description=__doc__)
    arguments.add_argument("ledger", nargs="+", type=Path, help="the ledgers of one system")
    arguments.add_argument("--to", required=True, type=Path, help="the folder of the rulebook")
    given = arguments.parse_args()
    try:
        for file in write_rulebook(given.ledger, given.to):
            print(file)
    except (RefereeError, OSError) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
