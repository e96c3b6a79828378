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
