"""`make rules-proof`: change one figure of the rulebook at a time, and list those whose change no test noticed."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NoReturn, final

from referee import registry
from referee.core.plain import Plain
from referee.core.printed_book import Entry
from referee.core.rulebook import PROOF
from referee.testing.coverage import witness

PASSED: Final = 0
FAILED: Final = 1
"""How pytest ends when tests fail; a broken import, an unknown test or a crash ends otherwise and notices nothing."""


FEW: Final = 20


@final
@dataclass(frozen=True)
class FigureChange:
    """One figure, and another value for it."""

    rule: str
    path: str
    was: Plain
    now: Plain

    def __str__(self) -> str:
        return f"{self.rule}: {self.path}: {self.was!r} -> {self.now!r}"


def changes(entry: Entry) -> Iterator[FigureChange]:
    """Every figure of an entry with a wrong value: a number one more, a switch turned, a name from another row."""
    leaves = list(_leaves(entry.values, ()))
    for path, value in leaves:
        now: Plain
        if isinstance(value, bool):
            now = not value
        elif isinstance(value, (int, float)):
            now = value + 1
        elif isinstance(value, str) and entry.kind in ("table", "catalogue"):
            column = [other for p, other in leaves if _column(p) == _column(path) and other != value]
            now = column[0] if column and isinstance(column[0], str) else f"{value}?"
        else:
            continue
        yield FigureChange(entry.id, "/".join(path), value, now)


def _leaves(values: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Plain]]:
    if isinstance(values, Mapping):
        for key, value in values.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(values, list):
        for at, value in enumerate(values):
            yield from _leaves(value, (*path, str(at)))
    else:
        yield path, values


def _column(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(step for step in path if not step.isdigit())


@final
class Prover:
    """Tries changes, several at once, each in a child that has loaded no rulebook yet."""

    def __init__(self, cited: Mapping[str, Sequence[str]], at_once: int = os.cpu_count() or 1) -> None:
        self.cited = cited
        self.at_once = at_once
        self.unnoticed: list[FigureChange] = []
        self._running: dict[int, tuple[FigureChange, int]] = {}

    def prove(self, changes: Iterable[FigureChange]) -> list[FigureChange]:
        """The changes no test noticed."""
        for change in changes:
            self._start(change, 0)
            while len(self._running) >= self.at_once:
                self._finish_one()
        while self._running:
            self._finish_one()
        return self.unnoticed

    def _start(self, change: FigureChange, done: int) -> None:
        """Run the tests that cite the rule: the quickest few first, for they notice most, then all others."""
        tests = self.cited.get(change.rule, ())
        batch = tests[:FEW] if done == 0 else tests[done:]
        if not batch:
            self._told(change, noticed=False)
            return
        sys.stdout.flush()
        child = os.fork()
        if child:
            self._running[child] = change, done + len(batch)
        else:
            _run_tests(change, batch)

    def _finish_one(self) -> None:
        child, status = os.wait()
        change, done = self._running.pop(child)
        code = os.waitstatus_to_exitcode(status)
        if code == FAILED:
            self._told(change, noticed=True)
        elif code == PASSED:
            self._start(change, done)
        else:
            sys.exit(f"the tests could not be run with {change}: pytest ended with {code}")

    def _told(self, change: FigureChange, *, noticed: bool) -> None:
        print("." if noticed else "U", end="", flush=True)
        if not noticed:
            self.unnoticed.append(change)


def _run_tests(change: FigureChange, tests: Sequence[str]) -> NoReturn:
    os.environ[PROOF] = json.dumps({change.rule: {change.path: change.now}})
    code = 70
    with contextlib.suppress(BaseException), open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        import pytest

        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        code = int(pytest.main(["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *tests]))
    os._exit(code)


def main() -> None:
    """Change figures until `--most` of them were tried, spread over all systems."""
    parser = argparse.ArgumentParser(prog="rules-proof", description=__doc__)
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="rule ids beginning so")
    given, tests = parser.parse_known_args()
    shelves = [registry.load(name).shelf for name in registry.OURS]
    entries = [shelf.entry(id_) for shelf in shelves for id_ in shelf.ids if id_.startswith(given.only)]
    found = [change for entry in entries if entry.computable for change in changes(entry)]
    chosen = found if len(found) <= given.most else Random(given.seed).sample(found, given.most)
    cited: dict[str, list[str]] = {}
    for test, ids in witness(*tests).items():
        for id_ in ids:
            cited.setdefault(id_, []).append(test)
    unnoticed = Prover(cited).prove(chosen)
    print()
    for change in unnoticed:
        print(f"unnoticed: {change}")
    print(f"figures changed: {len(chosen)} of {len(found)}, unnoticed: {len(unnoticed)}")
    sys.exit(1 if unnoticed else 0)


if __name__ == "__main__":
    main()
