"""Code and rulebook agree: every id cited exists, every figure declared can be read, no effect is prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from referee import registry
from referee.core.audience import audiences
from referee.core.rulebook import DECLARED, Book
from referee.core.rules import FORMULAS, RULES
from referee.core.system import System

SYSTEMS = [registry.load(name) for name in registry.OURS]


@pytest.fixture(params=SYSTEMS, ids=lambda system: system.name)
def system(request: pytest.FixtureRequest) -> System:
    assert isinstance(request.param, System)
    return request.param


def test_every_id_in_the_code_is_in_the_rulebook(system: System) -> None:
    cited = re.compile(rf'"({system.name}\.[a-z0-9-]+\.[a-z0-9-]+)(?:/[a-z0-9_-]+)?"')
    for file in system.folder.rglob("*.py"):
        for id_ in cited.findall(file.read_text("utf-8")):
            assert id_ in system.printed_book.ids, f"{file.name} cites {id_}"


def test_every_entry_parses_and_refers_to_entries_that_exist(system: System) -> None:
    for id_ in system.printed_book.ids:
        entry = system.printed_book.entry(id_)
        assert id_.startswith(f"{system.name}.")
        assert entry.rule
        for ref in entry.refs:
            assert ref in system.printed_book.ids, f"{id_} refers to {ref}"


def test_every_declared_figure_can_be_read(system: System) -> None:
    book = Book(system.printed_book)
    for id_, lookups in DECLARED.items():
        if id_.startswith(f"{system.name}."):
            for lookup in lookups:
                book.read(lookup)


def test_every_computable_rule_has_code_or_a_table_behind_it(system: System) -> None:
    behind = {id_.partition("/")[0] for cited in {**RULES, **FORMULAS}.values() for id_ in cited.ids} | set(DECLARED)
    for id_ in system.printed_book.ids:
        assert id_ in behind or not system.printed_book.entry(id_).computable, id_


def test_no_effect_is_prose(system: System) -> None:
    for id_ in system.printed_book.ids:
        entry = system.printed_book.entry(id_)
        if entry.computable:
            for path, value in leaves(entry.values):
                assert not (path[-1:] == ("effect",) and isinstance(value, str)), f"{id_}: {'/'.join(path)}"


def test_every_field_of_every_kind_states_its_audience(system: System) -> None:
    for kind in (system.sheet, *system.kinds):
        assert audiences(kind)


def test_every_action_prompt_and_band_has_words(system: System) -> None:
    for action in system.actions:
        assert f"actions.{action.key}" in system.words
        for band in (*action.bands.keys, *action.bands.extra, *action.bands.bad):
            assert band == "done" or f"bands.{band}" in system.words
        for prompt in action.rule.prompts:
            assert f"prompts.{prompt}" in system.words or f"throws.{prompt}" in system.words


def leaves(values: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(values, dict):
        for key, value in values.items():
            yield from leaves(value, (*path, str(key)))
    elif isinstance(values, list):
        for at, value in enumerate(values):
            yield from leaves(value, (*path, str(at)))
    else:
        yield path, values


def test_importing_one_system_loads_no_other() -> None:
    import subprocess
    import sys

    code = "import sys, referee.registry as r; r.load('alien'); print([m for m in sys.modules if 'systems.' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all("systems.alien" in name for name in re.findall(r"'([^']+)'", done.stdout))


def test_every_setting_of_every_option_can_be_played(system: System) -> None:
    for entry in system.printed_book.options:
        for setting in (*entry.choices, *((True, False) if entry.optional else ())):
            book = Book(system.printed_book, options={entry.id: setting})
            assert book.on(entry.id) or entry.optional or entry.option
