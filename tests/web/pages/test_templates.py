"""Compiled templates are kept, and never used for another text."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from referee.web.pages.page import CompiledTemplates


def rendered(folder: Path) -> str:
    made = Environment(loader=FileSystemLoader(folder), bytecode_cache=CompiledTemplates(folder), autoescape=True)
    return made.get_template("greeting.html").render(name="Mo")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr("sys.pycache_prefix", None)
    (tmp_path / "greeting.html").write_text("Hello, {{ name }}.", "utf-8")
    return tmp_path


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(folder) == "Hello, Mo."
    assert len(list((folder / "__pycache__").iterdir())) == 1
    monkeypatch.setattr(Environment, "compile", None)
    assert rendered(folder) == "Hello, Mo."


def test_a_template_that_has_changed_is_compiled_again(folder: Path) -> None:
    assert rendered(folder) == "Hello, Mo."
    (folder / "greeting.html").write_text("Good evening, {{ name }}.", "utf-8")
    assert rendered(folder) == "Good evening, Mo."


def test_a_compiled_template_that_is_damaged_is_compiled_again(folder: Path) -> None:
    assert rendered(folder) == "Hello, Mo."
    for file in (folder / "__pycache__").iterdir():
        file.write_bytes(file.read_bytes()[:-20])
    assert rendered(folder) == "Hello, Mo."


def test_who_may_not_write_compiles_again(folder: Path) -> None:
    (folder / "__pycache__").write_text("in the way")
    assert rendered(folder) == "Hello, Mo."
