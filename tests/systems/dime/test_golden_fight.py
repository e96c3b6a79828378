"""A whole fight of two against three in zones with fixed cards: claims reckoned by hand, and its story as recorded.

The claims are in `golden_fight.yaml`, turn by turn. The recording (`golden_fight.txt`) says that nothing else has
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
RECORDING: Final = HERE / "golden_fight.txt"


@cache
def fought() -> ScenarioReport:
    return check(load_yaml((HERE / "golden_fight.yaml").read_text("utf-8")))


def test_every_claim_about_the_fight_holds() -> None:
    assert not fought().differences


def test_the_fight_is_as_recorded() -> None:
    told = "\n".join(fought().story) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        RECORDING.write_text(told, "utf-8")
    assert told == RECORDING.read_text("utf-8")
