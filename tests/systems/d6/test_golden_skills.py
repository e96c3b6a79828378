"""Evenings with fixed dice: a con with a forged pass, a performance, shopping, a car chase; claims reckoned by hand.

The claims are in the files beside this one, step by step; the recordings say that nothing else has changed.
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
EVENINGS = ("golden_con", "golden_performance", "golden_shopping", "golden_chase")


@cache
def played(name: str) -> ScenarioReport:
    return check(load_yaml((HERE / f"{name}.yaml").read_text("utf-8")))


@pytest.mark.parametrize("name", EVENINGS)
def test_every_claim_holds(name: str) -> None:
    assert not played(name).differences


@pytest.mark.parametrize("name", EVENINGS)
def test_the_story_is_as_recorded(name: str) -> None:
    told, recording = "\n".join(played(name).story) + "\n", HERE / f"{name}.txt"
    if os.environ.get("REFEREE_RECORD"):
        recording.write_text(told, "utf-8")
    assert told == recording.read_text("utf-8")
