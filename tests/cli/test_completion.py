"""Tab: the protocol that bash speaks with the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REFEREE = str(Path(sys.executable).parent / "referee")


def offered(line: str) -> list[str]:
    """What bash is offered for the last word of a line, which may be empty."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_REFEREE_COMPLETE": "complete_bash"}
    done = subprocess.run([REFEREE], env={**os.environ, **words}, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("referee ro", ["roll"]),
        ("referee roll al", ["alien"]),
        ("referee roll alien sk", ["skill-roll"]),
        ("referee odds distemper opp", ["opposed-check"]),
        ("referee roll alien skill-roll sk", ["skill="]),
        ("referee roll alien 5b3s --decide pu", ["push="]),
        ("referee play distemper --scene ro", ["roadblock"]),
        ("referee play --scene de", ["derelict"]),
        ("referee rules show alien.push.pr", ["alien.push.procedure"]),
        ("referee rules search push --system dis", ["distemper"]),
        ("referee sheet show ali", ["alien"]),
    ],
)
def test_a_word_begun_is_completed(line: str, some: list[str]) -> None:
    assert offered(line) == some


def test_an_empty_word_is_offered_all_there_is() -> None:
    assert offered("referee roll ")[:2] == ["alien", "d6"]
    assert "alien.push.procedure" in offered("referee rules show ")
    assert offered("referee roll alien skill-roll who=Ripa ") == ["skill=", "mods=", "helpers="]


@pytest.mark.parametrize("line", ["referee roll alein sk", "referee roll alien nothing s", "referee rules show x.y"])
def test_what_cannot_be_known_is_offered_nothing_and_no_complaint(line: str) -> None:
    assert offered(line) == []


def test_the_script_for_bash_is_shown() -> None:
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    words = [REFEREE, "--show-completion", "bash"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert "_REFEREE_COMPLETE=complete_bash" in done.stdout
