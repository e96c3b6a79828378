"""Every encounter of every sample can be forecast, and the same fight ends alike whoever plays it."""

from __future__ import annotations

import pytest

from referee import registry
from referee.core.encounter import encounters, stands
from referee.core.knowledge import fully_known
from referee.core.scene import Scene
from referee.forecast.encounters import Sampler, prepared
from referee.testing.scenarios import samples

FOUGHT = [
    pytest.param(name, sample, each.name, id=f"{name}-{sample}")
    for name in registry.OURS
    for sample, state in samples(registry.load(name))
    for each in encounters(Scene(state))
    if stands(Scene(state), each.name) and len(Scene(state)[each].parties()) > 1  # a journey has no other side
]


@pytest.mark.parametrize(("name", "sample", "encounter"), FOUGHT)
def test_an_encounter_is_played_to_its_end(name: str, sample: str, encounter: str) -> None:
    system = registry.load(name)
    plan = prepared(system, fully_known(dict(samples(system))[sample]), encounter)
    once, again = (Sampler([plan]).play(range(1)) for _ in range(2))
    assert once is not None
    assert once == again
    assert {ending for ending, _, _ in once.counts[0]}.isdisjoint({"lost", "unfinished"})
