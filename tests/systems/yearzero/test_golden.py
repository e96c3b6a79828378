"""A firefight, a grenade, an interrogation, a taming, a newcomer, a night, a journey and an informant: claims by hand.

The claims are in `golden_*.yaml`, step by step. The recordings (`golden_*.txt`) say that nothing else has changed.
`REFEREE_RECORD=1 pytest …` writes them anew.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from referee.core.files import load_yaml
from referee.testing.scenarios import ScenarioReport, check

HERE = Path(__file__).parent
NAMES = (
    "golden_firefight",
    "golden_grenade",
    "golden_interrogation",
    "golden_chase",
    "golden_taming",
    "golden_newcomer",
    "golden_journey",
    "golden_informant",
    "golden_night",
)


@cache
def played(name: str) -> ScenarioReport:
    return check(load_yaml((HERE / f"{name}.yaml").read_text("utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_holds(name: str) -> None:
    assert not played(name).differences


@pytest.mark.parametrize("name", NAMES)
def test_the_story_is_as_recorded(name: str) -> None:
    recording = HERE / f"{name}.txt"
    told = "\n".join(played(name).story) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        recording.write_text(told, "utf-8")
    assert told == recording.read_text("utf-8")
