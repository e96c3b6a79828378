"""A gunfight with fixed dice, cover, bursts and spray fire: claims reckoned by hand, and its story as recorded.

The claims are in `golden_gunfight.yaml`, step by step; the recording says that nothing else has changed.
`REFEREE_RECORD=1 pytest …` writes it anew.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from referee.core.files import load_yaml
from referee.testing.scenarios import ScenarioReport, check

HERE = Path(__file__).parent
RECORDING = HERE / "golden_gunfight.txt"


@cache
def played() -> ScenarioReport:
    return check(load_yaml((HERE / "golden_gunfight.yaml").read_text("utf-8")))


def test_every_claim_holds() -> None:
    assert not played().differences


def test_the_story_is_as_recorded() -> None:
    told = "\n".join(played().story) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        RECORDING.write_text(told, "utf-8")
    assert told == RECORDING.read_text("utf-8")
