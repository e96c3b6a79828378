"""What a terminal is shown, and that a pipe is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli import terminal

REFEREE = str(Path(sys.executable).parent / "referee")
ESCAPE = "\x1b["


def shown(*words: str, **environment: str) -> str:
    """What stands in a real terminal of eighty columns."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    settings = {**kept, "COLUMNS": "80", "TERM": "xterm", **environment}
    with subprocess.Popen([REFEREE, *words], stdout=theirs, stderr=theirs, env=settings) as running:
        os.close(theirs)
        told = b""
        try:
            while piece := os.read(ours, 4096):
                told += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        assert running.wait() == 0
    os.close(ours)
    return told.decode().replace("\r\n", "\n")


def test_odds_are_coloured_and_say_the_same_without() -> None:
    coloured = shown("odds", "alien", "2b")
    plain = subprocess.run([REFEREE, "odds", "alien", "2b"], capture_output=True, text=True, check=True).stdout
    assert "\x1b[32m██████\x1b[0m" in coloured
    assert ESCAPE not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_colour_gets_tables_without(environment: dict[str, str]) -> None:
    told = shown("rules", "show", "alien.stress.table", **environment)
    assert ESCAPE not in told
    assert re.search(r"^  from  to +name +lasting +effects", told, re.MULTILINE)
    assert max(map(len, told.partition("\ntable\n")[2].partition("our reading")[0].splitlines())) <= 80


def test_a_sheet_has_its_items_in_a_table() -> None:
    told = shown("sheet", "show", "distemper", "Ash", "--scene", "roadblock", NO_COLOR="1")
    assert re.search(r"^  items\n    name +skill +wp +rp ", told, re.MULTILINE)
    assert re.search(r"^  attributes +Acumen \d, Dexterity \d", told, re.MULTILINE)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")


@pytest.mark.usefixtures("narrow")
def test_a_cell_too_wide_is_broken_and_the_columns_stay_aligned() -> None:
    rows: list[dict[str, object]] = [
        {"name": "Jumpy", "text": "a push gains one more stress die"},
        {"name": "Shakes", "more": None},
    ]
    assert list(terminal.table(rows, "  ")) == [
        "  name    text            more",
        "  Jumpy   a push gains",
        "          one more",
        "          stress die",
        "  Shakes                  –",
    ]
