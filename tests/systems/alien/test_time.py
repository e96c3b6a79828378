"""Units of time as durations, and deadlines measured in them."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core import BadInput, Clock, Refused, Scene, State, Unit, Who, cancel_deadline, rule, set_deadline
from referee.core.clock import CLOCK, PASSING
from referee.core.errors import RulebookError
from referee.drivers.scripted import Played, play
from referee.systems.alien import SYSTEM
from referee.systems.alien.sheet import Colonist
from referee.systems.alien.stress import stress_response
from referee.systems.alien.time import Duration, duration, next_round, pass_time, unit_for, units

ANA = Who("ana", Colonist)
BO = Who("bo", Colonist)


def scene_of() -> Scene:
    return Scene(SYSTEM.state({"ana": {}, "bo": {}}))


@pytest.mark.parametrize(
    ("amount", "unit", "expected"),
    [
        (1, "Round", Duration(5, 10, "seconds")),
        (1, "Stretch", Duration(5, 10, "minutes")),
        (1, "Shift", Duration(5, 10, "hours")),
        (3, "Round", Duration(15, 30, "seconds")),
        (4, "Stretch", Duration(20, 40, "minutes")),
        (2, "Shift", Duration(10, 20, "hours")),
        (0, "Shift", Duration(0, 0, "hours")),
    ],
)
def test_so_many_units_last_so_long(amount: int, unit: str, expected: Duration) -> None:
    assert duration(scene_of(), amount, unit) == expected


def test_an_unknown_unit_has_no_duration() -> None:
    with pytest.raises(Refused) as refused:
        duration(scene_of(), 1, "Day")
    assert refused.value.rule == "alien.time.units"
    assert refused.value.legal == ("Round", "Stretch", "Shift")


def test_sixty_rounds_are_a_stretch_and_sixty_stretches_a_shift() -> None:
    assert units(scene_of()) == (Unit("Round", 1), Unit("Stretch", 60), Unit("Shift", 3600))


@pytest.mark.parametrize(("use", "unit"), [("Combat", "Round"), ("Stealth", "Stretch"), ("Repairs", "Shift")])
def test_each_unit_has_its_use(use: str, unit: str) -> None:
    assert unit_for(scene_of(), use) == unit


def test_a_campaign_without_a_unit_for_combat_hears_of_it_bug() -> None:
    """It ended in a StopIteration out of the middle of a rule."""
    book = {"kind": "Book", "set": {"alien.time.units": {"units/Round/use": "Brawls"}}}
    state = SYSTEM.state({"book": book, "combat": {"kind": "Combat"}})
    with pytest.raises(RulebookError, match=r"alien\.time\.units: no unit is for Combat"):
        play(next_round(), state)


def test_a_unit_is_measured_in_seconds_minutes_or_hours_bug() -> None:
    """Any other measure was taken, and failed when the clock was first read."""
    book = {"kind": "Book", "set": {"alien.time.units": {"units/Shift/measure": "days"}}}
    with pytest.raises(BadInput, match=r"Shift\.measure: 'days' is not known"):
        SYSTEM.state({"book": book})


@rule("tests.alien.do")
async def do(scene: Scene, request: Any) -> None:
    """Whatever a rule may await."""
    await request


def let_pass(state: State, amount: int, unit: str, **answers: int) -> State:
    """Time passes, with every step that comes due on the way."""
    state = play(pass_time(amount, unit), state).state
    while Scene(state)[PASSING].over(Scene(state), PASSING) is None:
        call = Scene(state)[PASSING].next_step(Scene(state), PASSING)
        due: Played[object] = play(call, state, answers if call.rule.id == "referee.clock.deadline" else {})
        state = due.state
    return state


def test_a_deadline_comes_due_after_so_many_rounds_and_not_before() -> None:
    scene = scene_of()
    state = play(do(set_deadline(61, ANA, stress_response)), scene.state).state
    state = let_pass(state, 1, "Stretch")
    assert Scene(state)[CLOCK].now == 60
    assert Scene(state)[ANA].responses == ()
    state = let_pass(state, 1, "Round", response=4)
    assert Scene(state)[CLOCK] == Clock(61)
    assert Scene(state)[ANA].responses == ("Shakes",)


def test_a_deadline_called_off_never_comes_due_and_others_stay() -> None:
    scene = scene_of()
    state = play(do(set_deadline(2, ANA, stress_response)), scene.state).state
    state = play(do(set_deadline(2, BO, stress_response)), state).state
    state = play(do(cancel_deadline(ANA, stress_response)), state).state
    state = let_pass(state, 1, "Shift", response=5)
    assert Scene(state)[ANA].responses == ()
    assert Scene(state)[BO].responses == ("Frantic",)
