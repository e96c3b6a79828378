"""Every scenario file of the tests, played."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.testing.scenarios import check_file

FILES = sorted(Path(__file__).parent.glob("*/*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_plays_as_it_says(file: Path) -> None:
    for told in check_file(file):
        assert told.steps
        assert not told.differences, "\n".join(f"{told.title}, line {d.line}: {d}" for d in told.differences)
