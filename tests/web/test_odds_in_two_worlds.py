"""The time that odds take tells no one that something hidden has changed: they are not computed anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from referee.forecast.risk import ActionQuery
from referee.table import master_desk
from referee.table.desk import DeskCommand

if TYPE_CHECKING:
    from typing import Any

    from tests.web.conftest import Party, Running


def ask(party: Party) -> None:
    """Anna asks for the odds of an action."""
    party.anna.odds("skill-roll", "Ripa", skill="Observation")


def change_what_is_hidden(running: Running, party: Party, stress: int) -> None:
    """A foe that Anna does not know of changes; the first time, it is brought in."""
    at = (party.mo.campaign, party.mo.seat)
    if stress == 0:
        running.hub.act(*at, DeskCommand(master_desk.add, "Stalker", {"kind": "Colonist"}, hidden=True))
    else:
        running.hub.act(*at, DeskCommand(master_desk.edit, "Stalker", {"stress": stress}))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The odds that were computed and not remembered."""
    found: list[str] = []
    card = ActionQuery.card

    def counted(self: ActionQuery, *given: Any, **more: Any) -> Any:
        found.append("card")
        return card(self, *given, **more)

    monkeypatch.setattr(ActionQuery, "card", counted)
    return found


def test_a_hidden_change_makes_no_odds_anew(running: Running, party: Party, computed: list[str]) -> None:
    at = (party.mo.campaign, party.mo.seat)
    running.hub.act(*at, DeskCommand(master_desk.edit, "Ripa", {"stress": 8}))  # which no other test asks about
    ask(party)
    first = len(computed)
    assert first
    for stress in range(5):
        change_what_is_hidden(running, party, stress)
        ask(party)
    assert len(computed) == first
    running.hub.act(*at, DeskCommand(master_desk.edit, "Ripa", {"stress": 7}))
    ask(party)
    assert len(computed) > first
