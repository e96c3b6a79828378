"""The page on security names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent.parent
PAGE: Final = TESTS.parent / "docs" / "security.md"
NAMED: Final = sorted(set(re.findall(r"`(?!tests/)([a-z_]+/[\w/]*(?:\.py(?:::test_\w+)?)?)`", PAGE.read_text("utf-8"))))


def test_tests_are_named() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize("named", NAMED)
def test_what_the_page_names_is_there(named: str) -> None:
    file, _, function = named.partition("::")
    assert (TESTS / file).exists() or (TESTS / f"{file}.py").exists()
    assert not function or f"def {function}(" in (TESTS / file).read_text("utf-8")
