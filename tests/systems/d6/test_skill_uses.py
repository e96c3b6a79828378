"""Kept rolls: what somebody has hidden or forged, and the odds of those who meet it, by what they know."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from referee.core import State, Who, action_of
from referee.core.knowledge import known_to
from referee.core.visibility import Seat
from referee.drivers.scripted import play
from referee.forecast.figures import NORMAL
from referee.forecast.risk import action_query
from referee.kits.skill_uses import KeptRoll
from referee.systems.d6 import SYSTEM
from referee.systems.d6.sheet import Hero
from referee.systems.d6.skill_uses import use_skill

MASTER, BO = Seat("game master", master=True), Seat("bo", frozenset({"bo"}))
PERSON = Who("bo", Hero)
PASS = Who("pass", KeptRoll)


def scene() -> State:
    """A pass with a forged total of 11, before somebody with 3D; no wild die."""
    state: State = SYSTEM.state(
        {
            "ana": {},
            "bo": {"attributes": {"Perception": "3D"}},
            "pass": {"kind": "KeptRoll", "of": "ana", "what": "forged document", "total": 11},
        }
    )
    return state


def at_least(total: int) -> Fraction:
    """The chance of 3D to reach a total, by counting."""
    return Fraction(sum(sum(each) >= total for each in product(range(1, 7), repeat=3)), 6**3)


def card(seat: Seat, **more: Any) -> Any:
    offer = action_of(use_skill).by(PERSON, use="look at a document", facing=PASS, **more)
    return action_query(offer, known_to(scene(), seat), seat).card(NORMAL)


def test_the_game_master_knows_how_well_it_was_forged() -> None:
    assert card(MASTER).now.bands["success"] == at_least(11) == Fraction(1, 2)


def test_whoever_looks_sees_a_curve_over_what_it_may_be() -> None:
    found = card(BO)
    assert (found.now, found.unknown) == (None, "pass.total")
    shown = {at: each.bands.get("success", Fraction(0)) for at, each in found.curve.items()}
    assert shown["5"] == at_least(5) == Fraction(212, 216)
    assert shown["10"] == at_least(10) == Fraction(5, 8)
    assert shown["15"] == at_least(15) == Fraction(20, 216)
    assert shown["20"] == 0


def test_the_margin_against_a_kept_roll_is_told_to_nobody() -> None:
    done = play(use_skill(PERSON, use="look at a document", facing=PASS), scene(), {"roll": ["4 4 4"]})
    assert (done.result.success, done.result.margin, done.result.total) == (True, None, 12)
