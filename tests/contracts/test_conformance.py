"""Random lawful play of every sample scene, under every driver."""

from __future__ import annotations

import pytest

from referee import registry
from referee.core.scene import State
from referee.core.system import System
from referee.testing.conformance import Walk, never_reached
from referee.testing.scenarios import samples

SAMPLES = [
    (registry.load(name), scene, state) for name in registry.OURS for scene, state in samples(registry.load(name))
]


@pytest.mark.parametrize(
    ("system", "scene", "state"), SAMPLES, ids=lambda value: getattr(value, "name", str(value)[:20])
)
@pytest.mark.parametrize("seed", range(6))
def test_every_driver_tells_the_same_story(system: System, scene: str, state: State, seed: int) -> None:
    walk = Walk(system, state, seed)
    walk.go(30)
    assert len(walk.journal.lines) >= 30
    assert walk.compared > 0


@pytest.mark.parametrize("name", registry.OURS)
def test_random_lawful_play_reaches_every_rule(name: str) -> None:
    system = registry.load(name)
    assert never_reached(system, [state for _, state in samples(system)]) == []
