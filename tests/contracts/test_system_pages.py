"""`docs/systems` is what `make docs` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.testing.system_pages import pages

PAGES = pages(Path(__file__).parent.parent.parent / "docs" / "systems")


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_the_page_of_a_system_is_what_it_declares(file: Path) -> None:
    assert file.read_text("utf-8") == PAGES[file], "run `make docs`"
