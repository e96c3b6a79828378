"""How rule functions are written: nothing read off the scene is kept across an await, and they are short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import referee

SOURCE = Path(referee.__file__).parent
FILES = [*sorted((SOURCE / "systems").rglob("*.py")), SOURCE / "core" / "effects.py", SOURCE / "core" / "clock.py"]


def rules(file: Path) -> Iterator[ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.AsyncFunctionDef):
            yield node


def reads_scene(node: ast.AST) -> bool:
    """`scene[somebody]` or a part of it; names in capitals may be figures, which do not move."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "scene"
        and isinstance(node.slice, ast.Name)
        and node.slice.id.islower()
    )


def kept_across_an_await(rule: ast.AsyncFunctionDef) -> Iterator[str]:
    awaits = [node.lineno for node in ast.walk(rule) if isinstance(node, ast.Await)]
    for node in ast.walk(rule):
        if isinstance(node, ast.Assign) and reads_scene(node.value) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            for use in ast.walk(rule):
                if isinstance(use, ast.Name) and use.id == name and any(node.lineno < at < use.lineno for at in awaits):
                    yield f"{name} is read on line {node.lineno} and used on line {use.lineno}"


def read_before_awaiting(rule: ast.AsyncFunctionDef) -> Iterator[str]:
    """`f(scene[who], await …)`: the scene is read before the answer is known."""
    for call in ast.walk(rule):
        if isinstance(call, ast.Call):
            seen = False
            for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                if seen and any(isinstance(node, ast.Await) for node in ast.walk(argument)):
                    yield f"line {call.lineno} reads the scene before it awaits"
                seen = seen or any(reads_scene(node) for node in ast.walk(argument))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_nothing_read_off_the_scene_is_kept_across_an_await(file: Path) -> None:
    for rule in rules(file):
        assert [*kept_across_an_await(rule), *read_before_awaiting(rule)] == [], rule.name


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_rules_are_short_and_say_what_they_grant(file: Path) -> None:
    for rule in rules(file):
        assert ast.get_docstring(rule), rule.name
        assert (rule.end_lineno or 0) - rule.body[0].lineno <= 25, rule.name


def test_the_check_finds_what_it_is_for() -> None:
    bad = """
async def rule(scene, who):
    sheet = scene[who]
    await change(who, 1)
    return sheet.stress

async def other(scene, who):
    await change(who, replace(scene[who], zone=await choose(who)))
"""
    first, second = (node for node in ast.parse(bad).body if isinstance(node, ast.AsyncFunctionDef))
    assert list(kept_across_an_await(first))
    assert list(read_before_awaiting(second))
