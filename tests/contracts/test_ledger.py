"""Code and rulebook agree: every id cited exists, every figure declared can be read, no effect is prose."""

from __future__ import annotations

import re

import pytest

from referee import registry
from referee.core.audience import audiences
from referee.core.proofreading import faults
from referee.core.system import System
from referee.testing.rulebook import rulebook_faults

SYSTEMS = [registry.load(name) for name in registry.OURS]


@pytest.fixture(params=SYSTEMS, ids=lambda system: system.name)
def system(request: pytest.FixtureRequest) -> System:
    assert isinstance(request.param, System)
    return request.param


def test_code_and_rulebook_agree(system: System) -> None:
    assert list(rulebook_faults(system)) == []


def test_words_and_look_name_only_what_exists(system: System) -> None:
    assert list(map(str, faults(system))) == []


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


def test_importing_one_system_loads_no_other() -> None:
    import subprocess
    import sys

    code = "import sys, referee.registry as r; r.load('alien'); print([m for m in sys.modules if 'systems.' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all("systems.alien" in name for name in re.findall(r"'([^']+)'", done.stdout))
