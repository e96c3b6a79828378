"""Odds are given up in time: at a moment, or as soon as no one wants them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import pytest

from referee.core import D6, Faces, Open, Pool, Prompt, Scene, State, Total, Who, choose, frozen, roll, rule
from referee.core.errors import Cancelled, OutOfTime, TooLarge
from referee.drivers.exact import Exact
from referee.drivers.stop import NEVER_STOP, Stop, timed_by
from referee.forecast.tree import StepTree


@frozen
class Player:
    luck: Open[int] = 0


DIE = Prompt("die")
MORE = Prompt("more")
ANA = Who("ana", Player)
STATE = State({"ana": Player()})


@rule("tests.stop.endless")
async def endless(scene: Scene, throws: int) -> int:
    """So many throws that no machine looks at all of them."""
    total = 0
    for _ in range(throws):
        total = total * 6 + (await roll(DIE, None, Pool.of((D6, 1)), Total)).total
    return total


@rule("tests.stop.undecided")
async def undecided(scene: Scene, throws: int) -> int:
    """A decision after each of them."""
    total = 0
    for _ in range(throws):
        total = total * 252 + sum((await roll(DIE, None, Pool.of((D6, 5)), Faces)).faces)
        total += await choose(ANA, MORE, (0, 1, 2))
    return total


def test_nothing_stops_before_its_time() -> None:
    NEVER_STOP.check()
    Stop.after(60, Event()).check()
    assert Stop.after(None) == NEVER_STOP
    assert NEVER_STOP.seconds_left is None


def test_the_earlier_of_two_moments_counts() -> None:
    assert Stop(5.0).by(7.0) == Stop(5.0)
    assert Stop(5.0).by(3.0) == Stop(3.0)
    assert Stop(5.0).by(None) == Stop(5.0)
    assert NEVER_STOP.by(3.0) == Stop(3.0)
    assert Stop(1.0).within(60) == Stop(1.0)
    assert Stop(1.0).seconds_left == 0


def test_whoever_cancels_is_heard_before_the_time_is_up() -> None:
    cancelled = Event()
    cancelled.set()
    with pytest.raises(Cancelled):
        Stop(0.0, cancelled).check()
    with pytest.raises(OutOfTime):
        Stop(0.0, Event()).check()


Work = Callable[[Stop], object]
LONG: dict[str, Work] = {
    "exact": lambda stop: Exact(stop=stop).of(endless(12), STATE),
    "tree": lambda stop: StepTree(undecided(6), STATE, {"ana"}, stop=stop).root,
}
BY_TIME: dict[str, Work] = {
    **LONG,
    "seconds": lambda stop: Exact(seconds=stop.seconds_left).of(endless(12), STATE),
    "until": lambda stop: StepTree(undecided(6), STATE, {"ana"}, until=stop.until).root,
}


class Looks:
    """A clock on which every look takes a millisecond, and a flag that is set after a hundred looks."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> float:
        self.count += 1
        return self.count / 1000

    def is_set(self) -> bool:
        self.count += 1
        return self.count > 100


@pytest.mark.parametrize("work", LONG.values(), ids=LONG)
def test_odds_end_at_the_first_look_once_they_are_cancelled(work: Work) -> None:
    cancelled = Looks()
    with pytest.raises(Cancelled):
        work(Stop(cancelled=cancelled))
    assert cancelled.count == 101


@pytest.mark.parametrize("work", BY_TIME.values(), ids=BY_TIME)
def test_odds_end_at_the_first_look_once_the_time_is_up(work: Work) -> None:
    clock = Looks()
    with timed_by(clock):
        stop = Stop.after(0.1)
        with pytest.raises(OutOfTime):
            work(stop)
    assert clock.count <= 104  # to begin, and to read how much is left, are looks too


def test_being_cancelled_is_not_being_too_large() -> None:
    assert not issubclass(Cancelled, TooLarge)
