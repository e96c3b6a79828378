"""Encounters as chains of scenes: how they end, and how long they last, as exact fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeVar, final

from referee.core.agenda import ending_of, next_of
from referee.core.errors import TooLarge
from referee.core.scene import Scene, State, Who
from referee.drivers.exact import Exact

K = TypeVar("K", bound=Hashable)

MOST_SCENES: Final = 20_000

Row = dict[State, Fraction]


@final
@dataclass(frozen=True)
class EncounterOdds:
    """How an encounter ends."""

    scenes: dict[State, Fraction]
    """Every scene it can end in, with its chance."""
    steps: Fraction
    """The expected number of steps."""
    lost: Fraction
    """The chance that a floor on probability left out; it is never hidden."""
    encounter: Who[Any]

    @property
    def of(self) -> dict[Hashable, Fraction]:
        """The chance of each ending, as the encounter itself names them."""
        return self.by(lambda scene: ending_of(scene, self.encounter))

    def by(self, read: Callable[[Scene], K]) -> dict[K, Fraction]:
        """The chance of each value of something read from the scene at the end."""
        found: defaultdict[K, Fraction] = defaultdict(Fraction)
        for state, chance in self.scenes.items():
            found[read(Scene(state))] += chance
        return dict(found)


def ends_of(encounter: Who[Any], state: State, exact: Exact | None = None) -> EncounterOdds:
    """How an encounter in a scene will end, with what comes due in it. Steps that change nothing are accounted for."""
    rows = _chain(encounter, state, exact or Exact())
    scenes, steps = absorbed(rows, state) if rows else ({state: Fraction(1)}, Fraction(0))
    return EncounterOdds(scenes, steps, 1 - sum(scenes.values(), Fraction(0)), encounter)


def _chain(encounter: Who[Any], state: State, exact: Exact) -> dict[State, Row]:
    """For each scene that can come about, the chances of the next."""
    rows: dict[State, Row] = {}
    todo = [state]
    while todo:
        here = todo.pop()
        following = None if here in rows else next_of(Scene(here), encounter)
        if following is None:
            continue
        if len(rows) >= MOST_SCENES:
            raise TooLarge(f"more than {MOST_SCENES} scenes can follow from this one; sample it instead")
        odds = exact.of(following.call, here)
        row: defaultdict[State, Fraction] = defaultdict(Fraction)
        for _, after, weight in odds.ends:
            row[after] += Fraction(weight, odds.whole)
        rows[here] = dict(row)
        todo.extend(row)
    return rows


def absorbed(rows: dict[K, dict[K, Fraction]], start: K) -> tuple[dict[K, Fraction], Fraction]:
    """Where a chain ends, and after how many steps.

    Scenes are eliminated one by one; each passes its ways on, and the steps they take, to the scenes that led to it.
    """
    steps = dict.fromkeys(rows, Fraction(1))
    before: defaultdict[K, set[K]] = defaultdict(set)
    for here, row in rows.items():
        for after in row:
            before[after].add(here)
    for here in [each for each in reversed(list(rows)) if each != start]:
        row, took = _left(rows.pop(here), here, steps[here])
        for other in before.pop(here, set()) & rows.keys():
            share = rows[other].pop(here)
            steps[other] += share * took
            for after, chance in row.items():
                rows[other][after] = rows[other].get(after, Fraction(0)) + share * chance
                before[after].add(other)
    return _left(rows[start], start, steps[start])


def _left(row: dict[K, Fraction], here: K, steps: Fraction) -> tuple[dict[K, Fraction], Fraction]:
    """Where a scene leads in the end, however long it stays the same."""
    stay = row.pop(here, Fraction(0))
    if stay == 1:
        raise TooLarge("the encounter can go on for ever without moving")
    return ({after: chance / (1 - stay) for after, chance in row.items()} if stay else row), steps / (1 - stay)
