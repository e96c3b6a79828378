"""The tutorial does what it says: its files are written, installed through their entry points, conform and play."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.tutorial_package import commands, files, install

GAMES = ("pig", "topper")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("tutorial"))


def run(package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "200"}
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=package, env=environment)


def without_numbers(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def test_the_page_builds_two_games() -> None:
    for name in GAMES:
        assert {f"{name}/__init__.py", f"{name}/rulebook/{name}.yaml", f"{name}/words/en.yaml"} <= set(files())
    assert [command.split()[:2] for command, _ in commands()] == [["conform", name] for name in GAMES]


@pytest.mark.parametrize(("command", "shown"), commands())
def test_commands_of_the_page_print_what_it_says(package: Path, command: str, shown: str) -> None:
    """How many lines and comparisons random play has differs from version to version; the rest must be as printed."""
    done = run(package, "-m", "referee", *command.split())
    assert (without_numbers(done.stdout), done.stderr, done.returncode) == (without_numbers(shown), "", 0)
    assert next(line for line in shown.splitlines() if "rulebook" in line) in done.stdout


def test_the_scenario_of_the_page_plays(package: Path) -> None:
    done = run(package, "-m", "referee", "check", "sty-test.yaml")
    assert (done.stdout.splitlines()[-1], done.returncode) == ("1 passed, 0 failed", 0)


def test_the_odds_of_the_page_are_right(package: Path) -> None:
    done = run(package, "pig_odds.py")
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("name", GAMES)
def test_the_games_are_formatted_and_typed_like_the_code(package: Path, name: str) -> None:
    config = str(Path(__file__).parent.parent.parent / "pyproject.toml")
    done = run(package, "-m", "ruff", "format", "--check", "--config", config, f"{name}/__init__.py")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "good", "bad", "said"),
    [
        ("pig/words/en.yaml", "{dice} dice", "{dcie} dice", "en.yaml:8: tales.throw: {dcie} is not filled in here"),
        ("pig/look.yaml", "field: score", "field: scroe", "look.yaml:3: vitals.0.field: 'scroe' is not known"),
        (
            "pig/__init__.py",
            '"pig.turn.throw/dice"',
            '"pig.turn.trow/dice"',
            "cites pig.turn.trow, which is not in the",
        ),
        ("pig/rulebook/pig.yaml", "kind: guidance", "kind: mechanic", "pig.turn.manners: no code and no table stands"),
        (
            "pig/rulebook/pig.yaml",
            "  - id: pig.turn.manners",
            "  -\n    id: pig.turn.manners",
            "pig.turn.manners is not",
        ),
        ("pig/samples/sty.yaml", "ana: {score: 12}", "ana: {scroe: 12}", "'scroe' is not known; did you mean 'score'"),
        ("pig/samples/sty.yaml", "bo: {score: 27}", "bo: {score: 30}\n  cy: {score: 30}", ""),
        (
            "pig/__init__.py",
            "range(1, scene[MOST_DICE] + 1)",
            "('one', 'two')",
            "may be picked for 'dice', which is wh",
        ),
        (
            "pig/__init__.py",
            "points and await",
            "1 / len(str(points) + 'x'[:0]) > 0 and points // 0 and await",
            "ZeroDivis",
        ),
        ("topper/__init__.py", "audience=Audience.OWNER", "audience=Audience.EVERYONE", ""),
    ],
)
def test_what_is_wrong_is_found_and_named(tmp_path: Path, file: str, good: str, bad: str, said: str) -> None:
    folder = install(tmp_path)
    text = (folder / file).read_text("utf-8")
    assert good in text
    (folder / file).write_text(text.replace(good, bad), "utf-8")
    done = run(folder, "-m", "referee", "conform", file.partition("/")[0], "--walks", "3")
    assert (done.stderr, done.returncode) == ("", 1 if said else 0), done.stdout
    assert said in done.stdout
    assert done.stdout.splitlines()[-1].endswith("does not conform." if said else "conforms.")
