"""What a command does not import. How long it takes is measured (`make bench-startup`), never asserted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("rich", "pydantic", "importlib.metadata", "asyncio", "hypothesis", "pytest")


def imported(code: str) -> set[str]:
    """Every module that is there after the code has run in a Python of its own."""
    told = "import atexit, sys; atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
    done = subprocess.run([sys.executable, "-c", told + code], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return set(done.stderr.split())


def command(*words: str) -> set[str]:
    return imported(f"import sys; sys.argv = {['referee', *words]!r}\nfrom referee.cli.main import main; main()")


def test_the_entry_imports_nothing_before_it_is_called() -> None:
    found = imported("import referee.cli.main")
    assert {name for name in found if name.startswith("referee")} == {"referee", "referee.cli", "referee.cli.main"}
    assert not {"typer", "yaml"} & found


@pytest.mark.parametrize("words", [("--help",), ("roll", "--help"), ("rules", "--help")])
def test_help_reads_no_rulebook(words: tuple[str, ...]) -> None:
    found = command(*words)
    assert not {*HEAVY, "yaml", "referee.core", "referee.registry", "referee.testing"} & found


@pytest.mark.parametrize("words", [("alien", "5b3s"), ("distemper", "2d6+3")])
def test_a_roll_by_short_form_loads_its_system_and_nothing_it_does_not_need(words: tuple[str, str]) -> None:
    found = command("roll", *words)
    other = {"alien": "distemper", "distemper": "alien"}[words[0]]
    assert f"referee.systems.{words[0]}" in found
    unneeded = {"referee.testing", "referee.table", "referee.cli.table", "referee.journal.journal"}
    assert not {*HEAVY, *unneeded, "referee.drivers.exact", f"referee.systems.{other}"} & found


@pytest.mark.parametrize("words", [("odds", "alien", "1b"), ("sheet", "random", "alien")])
def test_no_command_imports_rich_or_pydantic(words: tuple[str, ...]) -> None:
    assert not {"rich", "pydantic"} & command(*words)


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "referee", "roll", "alien", "2b", "--seed", "one", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith('{"throws": [{"throw": "skill"')


START = """
import asyncio
from pathlib import Path
from httpx import ASGITransport, AsyncClient
from referee.store.sqlite import SQLiteStore
from referee.table.hub import Hub
from referee.web.app import make_app
from referee.web.demo import demonstrations

async def look(app):
    async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client:
        for path in ("/health", "/", "/accents.css"):
            assert (await client.get(path)).status_code == 200, path

folder = Path({folder!r})
hub = Hub(SQLiteStore.open(folder / "referee.db"))
assert len(demonstrations(hub, folder)) == 5
asyncio.run(look(make_app(hub)))
"""


def test_the_first_page_waits_for_no_system_and_for_no_other_page(tmp_path: Path) -> None:
    found = imported(START.format(folder=str(tmp_path)))
    assert {name for name in found if name.startswith("referee.systems")} == set()
    late = {name for name in found if name.startswith(("referee.web.api.", "referee.web.pages.table."))}
    assert late == set()
