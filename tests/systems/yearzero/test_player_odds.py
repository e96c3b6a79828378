"""Players see odds of what they do to others, whatever these have tried before."""

from __future__ import annotations

from typing import Final

import pytest
from tests.seen import seen_by

from referee import registry
from referee.core import Scene
from referee.core.visibility import Seat
from referee.forecast.figures import Budget
from referee.forecast.risk import action_query
from referee.testing.scenarios import samples

ANNA: Final = Seat("anna", frozenset({"Okonkwo"}))


@pytest.mark.parametrize(("key", "hits"), [("tackle", 0.108), ("shove", 0.074), ("grapple", 0.421), ("disarm", 0.421)])
def test_what_somebody_has_tried_is_no_secret_of_an_attack(key: str, hits: float) -> None:
    system = registry.load("yearzero")
    state = dict(samples(system))["roadblock"]
    scene, action = Scene(state), system.action(key)
    who = scene.who("Okonkwo")
    way = next(each for each in action.legal(scene, who) if each["target"].name == "Rusk")
    card = action_query(action.by(who, **way), *seen_by(ANNA, state), plan=False).card(Budget(5.0))
    assert card.now is not None
    assert float(card.now.bands["hit"]) == pytest.approx(hits, abs=0.0005)
