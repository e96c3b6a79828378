"""`referee odds` says what the odds assume about hands that the viewer may not see."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.hard_scenes.dime import ANNE, SYSTEM, contest, two
from tests.seen import seen_by

from referee.cli.odds import _card
from referee.forecast.figures import Budget
from referee.forecast.risk import odds_of


def test_assumptions_stand_below_the_odds() -> None:
    one: Any = SimpleNamespace(system=SYSTEM, action=contest().action)
    lines = list(_card(one, odds_of(contest(), *seen_by(ANNE, two(bo="9C 4D")), budget=Budget(seconds=None))))
    assert lines[-2:] == [
        "Assuming that Bo answers “luck” with “no”.",
        "Assuming that Bo answers “play card” with “no”.",
    ]
