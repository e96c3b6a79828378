"""A scene as somebody sees it, and who that is: what odds are asked for with."""

from __future__ import annotations

from referee.core.knowledge import KnownState, known_to
from referee.core.scene import State
from referee.core.visibility import Seat


def seen_by(seat: Seat, state: State) -> tuple[KnownState, Seat]:
    """`odds_of(offer, *seen_by(ANNE, state))`."""
    return known_to(state, seat), seat
