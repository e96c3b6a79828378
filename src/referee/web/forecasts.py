"""Forecasts of encounters at the tables of a server: one for each seat, a few at a time, each in a process of its own.

They are computed from what the seat knows, off the event loop, and can be ended at any moment. A table has one at a
time; the others wait in turn, table by table, and know their place. One that has had its time while others wait ends
with what is known so far.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import Final, TypeAlias, final

from referee.core.errors import BadInput, NotKnown
from referee.core.knowledge import supposing_encounter
from referee.core.plain import Plain
from referee.forecast.encounters import EncounterPlan
from referee.forecast.pool import MEGABYTES
from referee.forecast.processes import Forecasting
from referee.table import encounter_desk
from referee.table.desk import Desk
from referee.web.errors import Problem

Whose: TypeAlias = tuple[str, str]
"""A campaign and a seat at it."""
AT_ONCE: Final = 2
"""So many forecasts are worked on at once, each of another table."""
MOST_WAITING: Final = 30
"""So many wait."""
KEPT: Final = 64
"""So many are kept until they are asked for again."""
MOST_FIGHTS: Final = 1_000_000
TURN: Final = 60.0
"""How many seconds a forecast is worked on while others wait."""
LONGEST: Final = 600.0
"""How many if nobody waits."""
PREPARED: Final = "prepared:"
"""How an encounter is named that has been prepared and has not begun, before its id."""


@final
class Forecasts:
    """The forecasts of a server, by campaign and seat."""

    def __init__(self, megabytes: int = MEGABYTES) -> None:
        self.megabytes = megabytes
        self._lock = Lock()
        self._found: OrderedDict[Whose, Forecasting] = OrderedDict()
        """The latest last; those that have not begun wait."""
        self._is_closed = False

    def start(self, whose: Whose, plans: Sequence[EncounterPlan], fights: int) -> Forecasting:
        """Begin a forecast, in place of the seat's earlier one; or have it wait for its turn."""
        made = Forecasting(
            plans,
            fights=min(fights, MOST_FIGHTS),
            megabytes=self.megabytes,
            may_take=self._may_take,
            when_done=self._go_on,
        )
        self.stop(whose)
        with self._lock:
            before = len(self._order())
            if before >= MOST_WAITING:
                message = f"{before} forecasts wait already; begin yours when some of them are over"
                legal = (f"wait {TURN:.0f} seconds",)
                raise Problem(429, "busy", message, legal=legal, headers={"Retry-After": f"{TURN:.0f}"})
            replaced = self._found.pop(whose, None)
            self._found[whose] = made
            for each in [each for each, known in self._found.items() if known.is_done][: len(self._found) - KEPT]:
                del self._found[each]
        if replaced is not None:
            replaced.stop()  # the same seat may have begun it just now
        self._go_on()
        return made

    def of(self, whose: Whose) -> Forecasting | None:
        """The forecast that a seat has asked for."""
        with self._lock:
            return self._found.get(whose)

    def place(self, whose: Whose) -> int:
        """How many begin before that of a seat, and itself: 1 is the next; 0 if it does not wait."""
        with self._lock:
            order = self._order()
            return order.index(whose) + 1 if whose in order else 0

    def stop(self, whose: Whose) -> None:
        """End a seat's forecast; what is known so far stays."""
        found = self.of(whose)
        if found is not None:
            found.stop()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._is_closed = True
            found = list(self._found.values())
        for each in found:
            each.stop()

    def _may_take(self) -> float:
        """How many seconds a forecast is worked on, as things are."""
        with self._lock:
            return TURN if self._order() else LONGEST

    def _go_on(self) -> None:
        """Let those begin whose turn it is."""
        with self._lock:
            while not self._is_closed and (following := self._next()) is not None:
                self._found[following].begin()

    def _next(self) -> Whose | None:
        tables = self._at_work()
        waiting = (each for each in self._order() if not tables[each[0]])
        return next(waiting, None) if tables.total() < AT_ONCE else None

    def _at_work(self) -> Counter[str]:
        """How many are worked on, by table."""
        return Counter(table for (table, _), each in self._found.items() if each.has_begun and not each.is_done)

    def _order(self) -> list[Whose]:
        """Those that wait, in the order in which they begin: the first of each table before the second of any."""
        tables = self._at_work()
        ranks: list[tuple[int, Whose]] = []
        for whose, each in self._found.items():
            if not each.has_begun and not each.is_done:
                ranks.append((tables[whose[0]], whose))
                tables[whose[0]] += 1
        return [whose for _, whose in sorted(ranks, key=lambda each: each[0])]


def plans_for(desk: Desk, encounter: str, changes: Sequence[str], compare: Sequence[str]) -> list[EncounterPlan]:
    """What a seat asks for: the encounter as it stands, and with the changes to compare."""
    known = desk.known
    if encounter.startswith(PREPARED):
        found = encounter_desk.encounter_of(desk, encounter_desk.prepared(desk, encounter.removeprefix(PREPARED)).start)
        if found is None:
            raise BadInput("encounter", "it has no turns of its own to forecast")
        encounter, known = found[0], supposing_encounter(known, *found)
    plan = EncounterPlan(desk.campaign.system.name, known, encounter, tuple(changes))
    return [plan, replace(plan, changes=(*changes, *compare))] if compare else [plan]


def told(forecasts: Forecasts, whose: Whose) -> Plain:
    """The forecast of a seat as programs are told it."""
    forecasting = forecasts.of(whose)
    if forecasting is None:
        return {"state": "none"}
    place = forecasts.place(whose)
    found = forecasting.found()
    problem = forecasting.problem
    plain: dict[str, Plain] = {
        "state": "done" if forecasting.is_done else "waiting" if place else "running",
        "place": place,
        "fights": forecasting.fights,
        "played": forecasting.played,
        "cut_short": forecasting.is_cut_short,
        "unknown": problem.what if isinstance(problem, NotKnown) else "",
        "problem": str(problem) if problem is not None and not isinstance(problem, NotKnown) else "",
        "found": [each.to_plain() for each in found or ()],
    }
    if found is not None and len(found) > 1:
        moved = {each: forecasting.moved(each) for each in dict.fromkeys((*found[0].endings, *found[1].endings))}
        plain["moved"] = {ending: each.to_plain() for ending, each in moved.items() if each is not None}
    return plain
