"""The house keeps its order: one name for one thing, a shared prefix is a folder, the docs name what exists."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections import Counter
from pathlib import Path

import pytest

import referee

SOURCE = Path(referee.__file__).parent
ROOT = Path(__file__).parent.parent.parent
MODULES = sorted(SOURCE.rglob("*.py"))
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
FILES = {"referee.db", "referee.js", "referee.sqlite"}
SHARED = {"Item", "SkillRow"}
"""Systems are strangers to each other and to the house: they use their book's own words."""


def test_a_class_name_means_one_thing() -> None:
    names = Counter(
        node.name
        for path in MODULES
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in names.items() if count > 1} == SHARED


def test_files_that_share_a_prefix_are_a_folder() -> None:
    families = Counter((path.parent, path.stem.split("_")[0]) for path in MODULES if "_" in path.stem.strip("_"))
    assert {f"{folder.name}/{prefix}_*" for (folder, prefix), count in families.items() if count > 2} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_only_what_exists(page: Path) -> None:
    for name in set(re.findall(r"\breferee(?:\.[A-Za-z_]+)+", page.read_text("utf-8"))) - FILES:
        assert pkgutil.resolve_name(name) is not None
