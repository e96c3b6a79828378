"""`make rules-proof`: change one figure of the rulebook at a time, and list those whose change no test noticed.

The scenarios in which a rule took part are played first, all in this process; pytest runs only for the changes that
none of them noticed. What was noticed can be kept in a file, so that a later run goes on where this one stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, Final, NoReturn, final

from referee import registry
from referee.core.files import load_all_yaml
from referee.core.plain import Plain
from referee.core.printed_book import Entry
from referee.core.rulebook import CHANGED_FIGURES, LIKE, PROOF, RowsOf, declared
from referee.core.trace import watching
from referee.testing.coverage import exercised_rules
from referee.testing.scenarios import check

PASSED: Final = 0
FAILED: Final = 1
"""Pytest's exit code when tests fail; a broken import, an unknown test or a crash has another and does not count."""

FEW: Final = 20
SCENARIOS: Final = Path("tests/scenarios")


@final
@dataclass(frozen=True)
class FigureChange:
    """One figure, and a different value for it."""

    rule: str
    path: str
    was: Plain
    now: Plain

    def __str__(self) -> str:
        return f"{self.rule}: {self.path}: {self.was!r} -> {self.now!r}"


def changes(entry: Entry) -> Iterator[FigureChange]:
    """Every figure of an entry with a wrong value: a number plus one, a switch flipped, a name from another row."""
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


def is_read(change: FigureChange) -> bool:
    """Whether code declares that it reads this figure; if not, no play can notice it."""
    steps = change.path.split("/")
    entry = registry.load(change.rule.partition(".")[0]).printed_book.entry(change.rule)
    for lookup, path in declared(entry):
        own = path.split("/") if path else []
        if steps[: len(own)] != own:
            continue
        column = steps[len(own) + 1 : len(own) + 2]
        if not isinstance(lookup, RowsOf) or not column:
            return True
        if column[0] in {*lookup.by, lookup.cites, LIKE, "name", *_fields(lookup.kind)}:
            return True
    return False


def _fields(kind: Any) -> set[str]:
    return {each.name.rstrip("_") for each in fields(kind)} if is_dataclass(kind) else set()


@final
class Noticed:
    """The changes that were noticed, kept in a file of a line for each; without a file, only as long as this run."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        kept = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
        self._lines = set(kept)

    def __contains__(self, change: object) -> bool:
        return str(change) in self._lines

    def add(self, change: object) -> None:
        self._lines.add(str(change))
        if self._file:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(f"{change}\n")


@final
class ScenarioProver:
    """Tries changes on scenario files, which are read once; each scene is set up again, so that no figure is cached."""

    def __init__(self, files: Iterable[Path]) -> None:
        played: list[tuple[float, Plain, set[str]]] = []
        for file in files:
            for scenario in (
                plain for plain, _ in load_all_yaml(file.read_text(encoding="utf-8")) if plain is not None
            ):
                began = process_time()
                with watching(set()) as seen:
                    if found := check(scenario).differences:
                        sys.exit(f"{file} does not play as it says: {found[0]}")
                played.append((process_time() - began, scenario, seen))
        self._citing: dict[str, list[Plain]] = {}
        for _, scenario, seen in sorted(played, key=lambda each: each[0]):
            for id_ in seen:
                self._citing.setdefault(id_, []).append(scenario)

    def notices(self, change: FigureChange) -> bool:
        """Whether any scenario in which the rule took part plays differently.

        The scenario that last noticed a change of this rule is tried first, then the fastest.
        """
        citing = self._citing.get(change.rule, []) if is_read(change) else []
        CHANGED_FIGURES[change.rule] = {change.path: change.now}
        try:
            noticing = next((at for at, scenario in enumerate(citing) if differs(scenario)), None)
        finally:
            del CHANGED_FIGURES[change.rule]
        if noticing is not None:
            citing.insert(0, citing.pop(noticing))
        return noticing is not None

    def check_unchanged(self) -> None:
        """End the run if a scenario plays differently now: a wrong figure that was kept may have seemed noticed."""
        every = {id(each): each for citing in self._citing.values() for each in citing}
        if wrong := next((each for each in every.values() if differs(each)), None):
            sys.exit(f"a wrong figure was kept: {wrong['scenario']!r} no longer plays as it says")


def differs(scenario: Plain) -> bool:
    """Whether a scenario plays otherwise than it says."""
    try:
        return bool(check(scenario).differences)
    except Exception:  # noqa: BLE001  # code that crashes on a wrong figure has noticed it
        return True


@final
class TestProver:
    """Tries changes on pytest tests, several at once, each in its own child process."""

    def __init__(
        self, cited: Mapping[str, Sequence[str]], noticed: Noticed, at_once: int = os.cpu_count() or 1
    ) -> None:
        self.cited = cited
        self.noticed = noticed
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
        """Run the tests that cite the rule: first the few fastest, which notice most changes, then all others."""
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
        if noticed:
            self.noticed.add(change)
        else:
            self.unnoticed.append(change)


def _run_tests(change: FigureChange, tests: Sequence[str]) -> NoReturn:
    CHANGED_FIGURES[change.rule] = {change.path: change.now}
    os.environ[PROOF] = json.dumps(CHANGED_FIGURES)  # for the processes that tests start
    os._exit(run_pytest(tests))


def run_pytest(arguments: Sequence[str]) -> int:
    """Run tests in this process, which is to end afterwards, without a word; returns pytest's exit code."""
    code = 70
    with contextlib.suppress(BaseException), open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        import pytest

        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        code = int(pytest.main(["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *arguments]))
    return code


def main() -> None:
    """Try `--most` changed figures, spread over all systems, or all figures of one system or file."""
    parser = argparse.ArgumentParser(prog="rules-proof", description=__doc__)
    parser.add_argument("--most", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="rule ids beginning so")
    parser.add_argument("--file", default="", help="the rules of a system, or of one file of it: d6, d6/merits")
    parser.add_argument("--keep", type=Path, help="a file of the changes noticed so far, which are not tried again")
    parser.add_argument("--scenarios", action="store_true", help="play scenarios only, and list what they missed")
    given, tests = parser.parse_known_args()
    entries = [entry for entry in entries_of(given.file) if entry.id.startswith(given.only)]
    found = [change for entry in entries for change in changes(entry)]
    if not found:
        sys.exit("there is no such figure")
    chosen = found if len(found) <= given.most else Random(given.seed).sample(found, given.most)
    noticed = Noticed(given.keep)
    left = _missed_by_scenarios([change for change in chosen if change not in noticed], noticed)
    print(f"\nscenarios or an earlier run noticed {len(chosen) - len(left)} of {len(chosen)} changes", flush=True)
    by_tests = left and not given.scenarios
    unnoticed = TestProver(_citing_tests(tests), noticed).prove(left) if by_tests else left
    for change in unnoticed:
        print(f"\nunnoticed: {change}{'' if is_read(change) else ' (no code reads it)'}", end="")
    print(f"\nfigures changed: {len(chosen)} of {len(found)}, unnoticed: {len(unnoticed)}")
    sys.exit(1 if unnoticed else 0)


def _missed_by_scenarios(changes: Sequence[FigureChange], noticed: Noticed) -> list[FigureChange]:
    """The changes that no scenario of their system noticed."""
    systems = {change.rule.partition(".")[0] for change in changes}
    prover = ScenarioProver(file for name in sorted(systems) for file in sorted((SCENARIOS / name).glob("*.yaml")))
    missed = []
    for change in changes:
        if prover.notices(change):
            noticed.add(change)
        else:
            missed.append(change)
        print("." if change in noticed else "?", end="", flush=True)
    prover.check_unchanged()
    return missed


def entries_of(file: str) -> list[Entry]:
    """The computable rules of all systems, or of one of them, or of one file."""
    books = {name: registry.load(name).printed_book for name in registry.OURS}
    found = [
        book.entry(id_)
        for name, book in books.items()
        for id_ in book.ids
        if file in ("", name, book.file(id_).removesuffix(".yaml"), f"{name}/{book.file(id_).removesuffix('.yaml')}")
    ]
    return [entry for entry in found if entry.computable]


def _citing_tests(arguments: Sequence[str]) -> dict[str, list[str]]:
    """The tests in which each rule took part, fastest first."""
    cited: dict[str, list[str]] = {}
    for test, ids in exercised_rules(*arguments).items():
        for id_ in ids:
            cited.setdefault(id_, []).append(test)
    return cited


if __name__ == "__main__":
    main()
