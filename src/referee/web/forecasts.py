"""Forecasts of encounters at the tables of a server: one for each seat, a few at a time, each in a process of its own.

They are computed from what the seat knows, off the event loop, and can be ended at any moment.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import Final, TypeAlias, final

from referee.core.errors import NotKnown
from referee.core.plain import Plain
from referee.forecast.encounters import EncounterPlan
from referee.forecast.processes import Forecasting
from referee.table.desk import Desk
from referee.web.errors import Problem

Whose: TypeAlias = tuple[str, str]
"""A campaign and a seat at it."""
AT_ONCE: Final = 2
"""So many forecasts are worked on at once."""
KEPT: Final = 64
"""So many are kept until they are asked for again."""
MOST_FIGHTS: Final = 1_000_000


@final
class Forecasts:
    """The forecasts of a server, by campaign and seat."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[Whose, Forecasting] = OrderedDict()

    def start(self, whose: Whose, plans: Sequence[EncounterPlan], fights: int) -> Forecasting:
        """Begin a forecast, in place of the seat's earlier one."""
        self.stop(whose)
        with self._lock:
            if sum(not each.is_done for each in self._found.values()) >= AT_ONCE:
                raise Problem(429, "busy", "others are waiting for forecasts; try again in a minute")
            self._found.pop(whose, None)
            self._found[whose] = begun = Forecasting(plans, fights=min(fights, MOST_FIGHTS))
            while len(self._found) > KEPT:
                self._found.popitem(last=False)[1].stop()
        return begun

    def of(self, whose: Whose) -> Forecasting | None:
        """The forecast that a seat has asked for."""
        with self._lock:
            return self._found.get(whose)

    def stop(self, whose: Whose) -> None:
        """End a seat's forecast; what is known so far stays."""
        found = self.of(whose)
        if found is not None:
            found.stop()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            for each in self._found.values():
                each.stop()


def plans_for(desk: Desk, encounter: str, changes: Sequence[str], compare: Sequence[str]) -> list[EncounterPlan]:
    """What a seat asks for: the encounter as it stands, and with the changes to compare."""
    system, seat = desk.journal.system, None if desk.member.is_master else desk.member.seat
    plan = EncounterPlan(system.name, system.plain(desk.journal.state), encounter, tuple(changes), seat)
    return [plan, replace(plan, changes=(*changes, *compare))] if compare else [plan]


def told(forecasting: Forecasting | None) -> Plain:
    """A forecast as programs are told it."""
    if forecasting is None:
        return {"state": "none"}
    found = forecasting.found()
    problem = forecasting.problem
    plain: dict[str, Plain] = {
        "state": "done" if forecasting.is_done else "running",
        "fights": forecasting.fights,
        "played": forecasting.played,
        "unknown": problem.what if isinstance(problem, NotKnown) else "",
        "problem": str(problem) if problem is not None and not isinstance(problem, NotKnown) else "",
        "found": [each.to_plain() for each in found or ()],
    }
    if found is not None and len(found) > 1:
        moved = {each: forecasting.moved(each) for each in dict.fromkeys((*found[0].endings, *found[1].endings))}
        plain["moved"] = {ending: each.to_plain() for ending, each in moved.items() if each is not None}
    return plain
