"""Random legal play of every sample scene, under every driver."""

from __future__ import annotations

import pytest

from referee import registry
from referee.testing.conformance import ConformanceWalk, never_reached
from referee.testing.scenarios import samples

SAMPLES = [
    (name, file.stem)
    for name in registry.OURS
    for file in sorted((registry.load(name).folder / "samples").glob("*.yaml"))
]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "scene"), SAMPLES)
@pytest.mark.parametrize("seed", range(6))
def test_every_driver_tells_the_same_story(name: str, scene: str, seed: int) -> None:
    system = registry.load(name)
    walk = ConformanceWalk(system, dict(samples(system))[scene], seed)
    walk.go(30)
    assert len(walk.journal.lines) >= 30
    assert walk.compared > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.OURS)
def test_random_legal_play_reaches_every_rule(name: str) -> None:
    system = registry.load(name)
    assert never_reached(system, [state for _, state in samples(system)]) == []
