"""Numbers that no book has, as an edit may write them."""

from __future__ import annotations

import pytest

from referee import registry
from referee.core.errors import Refused
from referee.drivers.scripted import play
from referee.systems.dime.duel import DUEL, Duel, take_positions

DIME = registry.load("dime")


def test_a_duel_over_a_million_zones_is_refused_before_they_are_laid_out() -> None:
    duel = Duel((("ana",), ("bo",)), zones_apart=10**6)
    state = DIME.new_state({"ana": {}, "bo": {}}).but(DUEL.name, duel)
    with pytest.raises(Refused, match="1000000 zones lie between them"):
        play(take_positions(DUEL), state)
