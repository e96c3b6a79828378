"""A sword from ore to use with fixed dice: claims worked out by hand, and its story as recorded.

The claims are in `golden_sword.yaml`. The recording (`golden_sword.txt`) says that nothing else has
changed. `REFEREE_RECORD=1 pytest …` writes it anew.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final

from referee.core.files import load_yaml
from referee.testing.scenarios import ScenarioReport, check

HERE: Final = Path(__file__).parent
RECORDING: Final = HERE / "golden_sword.txt"


@cache
def told() -> ScenarioReport:
    return check(load_yaml((HERE / "golden_sword.yaml").read_text("utf-8")))


def test_every_claim_about_the_sword_holds() -> None:
    assert not told().differences


def test_the_story_is_as_recorded() -> None:
    story = "\n".join(told().story) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        RECORDING.write_text(story, "utf-8")
    assert story == RECORDING.read_text("utf-8")
