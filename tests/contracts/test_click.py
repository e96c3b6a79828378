"""The way of a click as its page tells it: every name exists, and the web hands on commands, not closures."""

from __future__ import annotations

import ast
import pkgutil
import re
from pathlib import Path

import pytest

import referee

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "how-a-click-travels.md"
WEB = Path(referee.__file__).parent / "web"
DESKS = (
    *("Desk.", "draft_desk.", "encounter_desk.", "evening_desk.", "master_desk.", "notebook_desk."),
    *("portrait_desk.", "seat_desk.", "things_desk.", "undo_desk."),
)
NAMES = sorted(set(re.findall(r"`(referee(?:\.\w+)+)`", PAGE.read_text("utf-8"))))


def test_the_page_names_the_whole_way() -> None:
    assert len(NAMES) > 30


@pytest.mark.parametrize("name", NAMES)
def test_every_name_on_the_page_exists(name: str) -> None:
    assert pkgutil.resolve_name(name) is not None


def test_the_test_that_the_page_names_is_this_one() -> None:
    assert f"`{Path(__file__).relative_to(ROOT).as_posix()}`" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("path", sorted(WEB.rglob("*.py")), ids=lambda path: path.stem)
def test_a_command_is_a_method_of_the_desk(path: Path) -> None:
    """No code of the web runs while a campaign is being changed."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "DeskCommand":
            assert ast.unparse(node.args[0]).startswith(DESKS), f"{path.name}:{node.lineno}"
