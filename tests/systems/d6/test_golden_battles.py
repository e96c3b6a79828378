"""A battle and a skirmish with fixed dice: claims worked out by hand, and their stories as recorded.

The claims are in `golden_battle.yaml` and `golden_skirmish.yaml`. The recordings beside them say that nothing else has
changed. `REFEREE_RECORD=1 pytest …` writes them anew.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from referee.core.files import load_yaml
from referee.testing.scenarios import ScenarioReport, check

HERE: Final = Path(__file__).parent
PLAYED: Final = ("golden_battle", "golden_skirmish")


@cache
def told(name: str) -> ScenarioReport:
    return check(load_yaml((HERE / f"{name}.yaml").read_text("utf-8")))


@pytest.mark.parametrize("name", PLAYED)
def test_every_claim_holds(name: str) -> None:
    assert not told(name).differences


@pytest.mark.parametrize("name", PLAYED)
def test_the_story_is_as_recorded(name: str) -> None:
    recording, story = HERE / f"{name}.txt", "\n".join(told(name).story) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        recording.write_text(story, "utf-8")
    assert story == recording.read_text("utf-8")
