"""A duel of fencers with fixed dice: claims worked out by hand, and its story as recorded.

The claims are in `golden_fencing.yaml`. The recording (`golden_fencing.txt`) says that nothing else has changed.
`REFEREE_RECORD=1 pytest …` writes it anew.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final

from referee.core.files import load_yaml
from referee.testing.scenarios import ScenarioReport, check

HERE: Final = Path(__file__).parent
RECORDING: Final = HERE / "golden_fencing.txt"


@cache
def told() -> ScenarioReport:
    return check(load_yaml((HERE / "golden_fencing.yaml").read_text("utf-8")))


def test_every_claim_about_the_duel_holds() -> None:
    assert not told().differences


def test_the_duel_is_told_as_recorded() -> None:
    story = "\n".join(told().story) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        RECORDING.write_text(story, "utf-8")
    assert story == RECORDING.read_text("utf-8")
