"""A pytest plugin that records which rules and rows took part in each passing test (`--exercised FILE`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.trace import watching

KEY: Final = "rules"
_exercised: Final[list[tuple[float, str, list[str]]]] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--exercised", metavar="FILE", help="write which rules each passing test exercised")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    seen: set[str] = set()
    with watching(seen):
        result = yield
    item.user_properties.append((KEY, sorted(seen)))
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        seen = [each for key, found in report.user_properties if key == KEY for each in _list(found)]
        _exercised.append((report.duration, report.nodeid, seen))


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.getoption("--exercised")
    if file and not hasattr(session.config, "workerinput"):
        quickest_first = {test: seen for _, test, seen in sorted(_exercised)}
        Path(file).write_text(json.dumps(quickest_first, indent=1), encoding="utf-8")


def _list(found: object) -> list[str]:
    return [str(each) for each in found] if isinstance(found, (list, tuple)) else []
