"""`make rules-proof`: change one figure of the rulebook at a time, and list those whose change no test noticed."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, final

from referee import registry
from referee.core.plain import Plain
from referee.core.rulebook import PROOF
from referee.core.shelf import Entry
from referee.testing.coverage import witness

PASSED: Final = 0
FAILED: Final = 1
"""How pytest ends when tests fail; a broken import, an unknown test or a crash ends otherwise and notices nothing."""


@final
@dataclass(frozen=True)
class Change:
    """One figure, and another value for it."""

    rule: str
    path: str
    was: Plain
    now: Plain

    def __str__(self) -> str:
        return f"{self.rule}: {self.path}: {self.was!r} -> {self.now!r}"


def changes(entry: Entry) -> Iterator[Change]:
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
        yield Change(entry.id, "/".join(path), value, now)


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


def noticed(change: Change, tests: list[str]) -> bool:
    """Whether one of the tests fails with this figure changed. Runs them in a child that has loaded no rulebook yet."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (PASSED, FAILED):
            sys.exit(f"the tests could not be run with {change}: pytest ended with {code}")
        return code == FAILED
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
    given = parser.parse_args()
    shelves = [registry.load(name).shelf for name in registry.OURS]
    entries = [shelf.entry(id_) for shelf in shelves for id_ in shelf.ids if id_.startswith(given.only)]
    found = [change for entry in entries if entry.computable for change in changes(entry)]
    chosen = found if len(found) <= given.most else Random(given.seed).sample(found, given.most)
    cited: dict[str, list[str]] = {}
    for test, ids in witness().items():
        for id_ in ids:
            cited.setdefault(id_, []).append(test)
    unnoticed = [change for change in chosen if not _tried(change, cited.get(change.rule, []))]
    for change in unnoticed:
        print(f"unnoticed: {change}")
    print(f"figures changed: {len(chosen)} of {len(found)}, unnoticed: {len(unnoticed)}")
    sys.exit(1 if unnoticed else 0)


def _tried(change: Change, tests: list[str]) -> bool:
    seen = bool(tests) and noticed(change, tests)
    print("." if seen else "U", end="", flush=True)
    return seen


if __name__ == "__main__":
    main()
