"""Every computable rule is named by a scenario: by what it runs, looks up, is refused by or finds in the log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.core.files import load_all_yaml

SCENARIOS = Path(__file__).parent.parent / "scenarios"


def texts(plain: Any) -> Iterator[str]:
    if isinstance(plain, dict):
        for key, value in plain.items():
            yield from (*texts(key), *texts(value))
    elif isinstance(plain, list):
        for value in plain:
            yield from texts(value)
    elif isinstance(plain, str):
        yield plain


def named(system: str) -> set[str]:
    """The rules that steps name; house rules of a scene are no steps."""
    files = (SCENARIOS / system).glob("*.yaml")
    documents = (plain for file in files for plain, _ in load_all_yaml(file.read_text("utf-8")) if plain)
    return {text.partition("/")[0] for plain in documents for text in texts(plain["steps"])}


@pytest.mark.parametrize("system", registry.OURS)
def test_every_computable_rule_is_named_by_a_scenario(system: str) -> None:
    shelf = registry.load(system).printed_book
    assert {id_ for id_ in shelf.ids if shelf.entry(id_).computable} - named(system) == set()
