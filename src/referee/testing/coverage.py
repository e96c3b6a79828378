"""`make rules`: how much of the rulebook the passing tests exercise, and what they do not.

A rule counts when it ran in a passing test. A further id on the same function, or a row of a table, counts only when a
modifier, a change, a refusal or a look-up with that id took part. Loading a table does not count.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

from referee import registry
from referee.core.printed_book import Entry
from referee.core.rulebook import DECLARED, EVERY, Book, RowsOf
from referee.core.system import System


def exercised_rules(*arguments: str) -> dict[str, list[str]]:
    """Run the tests; returns the rules and rows that took part in each test that passed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "exercised.json"
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-n", "2", "--exercised", str(file), *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  # our own tests
        if done.returncode or not file.exists():
            sys.exit(f"the tests do not pass; coverage counts passing tests only\n{done.stdout[-4000:]}")
        return {str(test): list(ids) for test, ids in json.loads(file.read_text(encoding="utf-8")).items()}


@final
@dataclass(frozen=True)
class Coverage:
    """One system's entries, and which of them took part."""

    system: str
    entries: tuple[Entry, ...]
    seen: frozenset[str]
    listed: tuple[str, ...] = ()
    """The rows of tables that are found wherever the book has their path, whatever kind of entry that is."""
    lines: int = 0
    """The lines of the system's Python files."""
    code: int = 0
    """Those of them that are neither blank nor imports, comments or docstrings."""

    @property
    def computable(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.computable]

    @property
    def missing(self) -> list[str]:
        return [entry.id for entry in self.computable if entry.id not in self.seen]

    @property
    def rows(self) -> list[str]:
        printed = [f"{entry.id}#{row}" for entry in self.computable for row in entry.rows]
        return list(dict.fromkeys((*printed, *self.listed)))

    @property
    def missing_rows(self) -> list[str]:
        return [row for row in self.rows if row not in self.seen]

    def __str__(self) -> str:
        done = len(self.computable) - len(self.missing)
        rows = f"rows {len(self.rows) - len(self.missing_rows)} of {len(self.rows)}"
        each, rules = max(1, len(self.computable)), f"rules {len(self.entries)} computable {len(self.computable)}"
        length = f"lines {self.lines}, {self.lines / each:.1f} a rule; code {self.code}, {self.code / each:.1f} a rule"
        return f"{self.system} {rules} exercised {done} {rows} {length}"


def coverage(seen: frozenset[str]) -> list[Coverage]:
    """The coverage of each built-in system."""
    found = []
    for name in registry.OURS:
        system = registry.load(name)
        entries = tuple(system.printed_book.entry(id_) for id_ in system.printed_book.ids)
        texts = [file.read_text(encoding="utf-8") for file in system.folder.rglob("*.py")]
        lines, code = sum(len(text.splitlines()) for text in texts), sum(map(lines_of_code, texts))
        found.append(Coverage(name, entries, seen, tuple(_listed(system)), lines, code))
    return found


def _listed(system: System) -> Iterator[str]:
    """The rows of the tables that code finds in every entry with their path."""
    book = Book(system.printed_book)
    for lookup in DECLARED.get(f"{system.name}.{EVERY}", ()):
        if isinstance(lookup, RowsOf):
            found = book.read(lookup)
            yield from (f"{found.printed_under(each)}#{each}" for each in found.names)


def lines_of_code(text: str) -> int:
    """How many lines of a module are neither blank nor imports, comments or docstrings."""
    apart: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and (is_text or isinstance(node, ast.Import | ast.ImportFrom)):
            apart.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    listed = enumerate(text.splitlines(), 1)
    return sum(bool(line.strip()) and not line.strip().startswith("#") and at not in apart for at, line in listed)


def main() -> None:
    """Print the state of every system, then what is not yet exercised; arguments go to pytest."""
    seen = frozenset(id_ for ids in exercised_rules(*sys.argv[1:]).values() for id_ in ids)
    systems = coverage(seen)
    for each in systems:
        print(each)
    for each in systems:
        for name in (*each.missing, *each.missing_rows):
            print(f"  not exercised: {name}")
    computable = sum(len(each.computable) for each in systems)
    print(f"rules exercised: {computable - sum(len(each.missing) for each in systems)} of {computable}")


if __name__ == "__main__":
    main()
