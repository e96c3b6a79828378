"""Time: deadlines in a stated order, each once, void for who is gone; never backwards, and one stretch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    CLOCK,
    BadInput,
    Call,
    Clock,
    Open,
    Refused,
    Scene,
    State,
    Who,
    advance_clock,
    alter,
    change,
    rule,
    tell,
)
from referee.core.clock import (
    PASSING,
    Deadline,
    Due,
    Passing,
    arrive,
    cancel_deadline,
    due,
    following,
    run_deadline,
    set_deadline,
)
from referee.core.plain import read, write
from referee.core.run import Told
from referee.drivers.scripted import Played, play, play_out


@dataclass(frozen=True, slots=True)
class Guest:
    rung: Open[tuple[int, ...]] = ()


ANA = Who("ana", Guest)
BO = Who("bo", Guest)
START = State({"clock": Clock(), "ana": Guest(), "bo": Guest()})


@rule("tests.clock.bell")
async def bell(scene: Scene, who: Who[Guest]) -> int:
    """Rings for somebody."""
    now = scene[CLOCK].now
    await change(who, Guest((*scene[who].rung, now)))
    await tell("rang", who=who)
    return now


@rule("tests.clock.again")
async def again(scene: Scene, who: Who[Guest]) -> None:
    """Rings, and will ring again in ten."""
    await bell(who)
    await set_deadline(10, who, again)


@rule("tests.clock.leave")
async def leave(scene: Scene, who: Who[Guest]) -> None:
    """Somebody goes home."""
    await change(who, None)


@rule("tests.clock.hang")
async def hang(scene: Scene, who: Who[Guest]) -> None:
    """Sets a deadline in the same moment."""
    await set_deadline(0, who, bell)


@rule("tests.clock.do")
async def do(scene: Scene, request: Any) -> None:
    """Whatever a rule may await."""
    await request


def after(*requests: Any, state: State = START) -> State:
    for each in requests:
        state = play(each if isinstance(each, Call) else do(each), state).state
    return state


def passed(units: int, state: State) -> Played[Any]:
    return play_out(PASSING, after(advance_clock(units), state=state))


def clock(state: State) -> Clock:
    return Scene(state)[CLOCK]


def told(played: Played[Any]) -> list[tuple[str, str]]:
    return [(event.line.key, str(event.line.who)) for event in played.events if isinstance(event, Told)]


# --- order ------------------------------------------------------------------------------------------------------------

MOMENTS = (
    Deadline(3, 0, "bo", "tests.clock.bell"),
    Deadline(3, 1, "ana", "tests.clock.bell"),
    Deadline(3, 1, "bo", "tests.clock.bell"),
    Deadline(5, 0, "ana", "tests.clock.bell"),
)


@pytest.mark.parametrize("order", list(permutations(MOMENTS)))
def test_deadlines_come_by_time_then_order_then_name_however_they_were_set(order: tuple[Deadline, ...]) -> None:
    assert Clock(0, order).deadlines == MOMENTS
    played = passed(9, START.but("clock", Clock(0, order)))
    assert told(played) == [("rang", "bo"), ("rang", "ana"), ("rang", "bo"), ("rang", "ana")]
    assert (played.state["ana"], played.state["bo"]) == (Guest((3, 5)), Guest((3, 3)))
    assert clock(played.state) == Clock(9)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(-1, 1), st.sampled_from([ANA, BO])), max_size=8))
def test_all_that_is_due_comes_once_and_in_time_and_nothing_else_does(todo: list[tuple[int, int, Who[Guest]]]) -> None:
    state = after(*(set_deadline(at, who, bell, order) for at, order, who in todo))
    state = passed(10, state).state
    for who in (ANA, BO):
        assert list(Scene(state)[who].rung) == sorted(at for at, _, whom in todo if whom == who and at <= 10)
    assert [each.at for each in clock(state).deadlines] == sorted(at for at, _, _ in todo if at > 10)
    assert clock(state).now == 10


def test_a_deadline_is_due_at_its_moment_and_not_before() -> None:
    state = after(set_deadline(5, ANA, bell))
    assert clock(state).due(4) is None
    assert clock(state).due(5) == Deadline(5, 0, "ana", "tests.clock.bell")
    assert Scene(passed(4, state).state)[ANA].rung == ()
    assert Scene(passed(5, state).state)[ANA].rung == (5,)


def test_identical_deadlines_both_come() -> None:
    state = after(set_deadline(5, ANA, bell), set_deadline(5, ANA, bell))
    assert len(clock(state).deadlines) == 2
    assert Scene(passed(6, state).state)[ANA].rung == (5, 5)


def test_what_comes_may_come_again() -> None:
    state = after(set_deadline(10, ANA, again))
    state = passed(35, state).state
    assert Scene(state)[ANA].rung == (10, 20, 30)
    assert clock(state).when(ANA, again) == 40


def test_what_is_set_while_time_passes_comes_in_the_same_stretch() -> None:
    state = after(set_deadline(5, ANA, hang))
    assert Scene(passed(5, state).state)[ANA].rung == (5,)


def test_a_deadline_for_who_has_gone_is_void_and_said_so() -> None:
    state = after(set_deadline(3, ANA, leave), set_deadline(5, ANA, bell), set_deadline(6, BO, bell))
    played = passed(10, state)
    assert told(played) == [("deadline-void", "None"), ("rang", "bo")]
    (void,) = [event for event in played.events if isinstance(event, Told) and event.line.key == "deadline-void"]
    assert void.rules[0] == "tests.clock.bell"
    assert dict(void.line.figures)["whom"] == "ana"
    assert clock(played.state) == Clock(10)


def test_a_deadline_whose_rule_is_not_known_is_an_error() -> None:
    state = START.but("clock", Clock(0, (Deadline(1, 0, "ana", "tests.clock.nothing"),)))
    with pytest.raises(BadInput, match=r"tests\.clock\.nothing: no rule that runs bears this id"):
        passed(2, state)


def test_a_deadline_that_does_not_stand_cannot_come() -> None:
    with pytest.raises(BadInput, match="clock: no such deadline"):
        after(run_deadline(MOMENTS[0]))


@rule("tests.clock.needs-more")
async def needs_more(scene: Scene, who: Who[Guest], by: int) -> None:
    """Needs to be told more than whom it concerns."""


@rule("tests.clock.nobodys")
async def nobodys(scene: Scene, by: int = 1) -> None:
    """Concerns nobody."""


@pytest.mark.parametrize("run", [needs_more, nobodys])
def test_what_needs_more_than_whom_it_concerns_cannot_come_due(run: Any) -> None:
    with pytest.raises(BadInput, match=f"{run.id}: cannot be a deadline"):
        after(set_deadline(1, ANA, run))
    with pytest.raises(BadInput, match=f"{run.id}: cannot be a deadline"):
        passed(2, START.but("clock", Clock(0, (Deadline(1, 0, "ana", run.id),))))


# --- cancelling -------------------------------------------------------------------------------------------------------


def test_one_rule_or_everything_may_be_called_off_for_somebody() -> None:
    state = after(*(set_deadline(5, who, run) for who in (ANA, BO) for run in (bell, again)))
    one = clock(after(cancel_deadline(ANA, bell), state=state))
    assert [(each.who, each.rule) for each in one.deadlines] == [
        ("ana", "tests.clock.again"),
        ("bo", "tests.clock.again"),
        ("bo", "tests.clock.bell"),
    ]
    everything = clock(after(cancel_deadline(ANA), state=state))
    assert {each.who for each in everything.deadlines} == {"bo"}


def test_calling_off_what_is_not_set_changes_nothing() -> None:
    assert play(do(cancel_deadline(ANA, bell)), START).events == ()


def test_the_next_of_a_kind_is_known() -> None:
    state = after(set_deadline(7, ANA, bell), set_deadline(4, ANA, bell))
    assert clock(state).when(ANA, bell) == 4
    assert clock(state).when(BO, bell) is None
    assert clock(state).when(ANA, again) is None


# --- passing ----------------------------------------------------------------------------------------------------------


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(Refused, match="time cannot run backwards; use undo"):
        after(advance_clock(-1))
    with pytest.raises(Refused, match="that moment has passed already"):
        after(arrive(3), state=START.but("clock", Clock(7)))


def test_while_time_passes_no_other_stretch_begins() -> None:
    state = after(set_deadline(5, ANA, bell), advance_clock(9))
    with pytest.raises(Refused, match="what is due must be played first"):
        after(advance_clock(1), state=state)
    assert clock(after(advance_clock(1), state=play_out(PASSING, state).state)).now == 9


def test_no_time_at_all_passes_at_once() -> None:
    played = passed(0, START)
    assert (played.result, clock(played.state)) == (0, Clock(0))


def test_no_time_at_all_still_comes_to_what_is_due_now() -> None:
    assert Scene(passed(0, after(set_deadline(0, ANA, bell))).state)[ANA].rung == (0,)


def test_a_deadline_of_the_past_does_not_turn_the_clock_back() -> None:
    late = START.but("clock", Clock(8, (Deadline(3, 0, "ana", "tests.clock.bell"),)))
    state = passed(1, late).state
    assert (Scene(state)[ANA].rung, clock(state).now) == ((8,), 9)


def test_a_stretch_is_over_when_it_has_come_to_its_end_and_nothing_is_due() -> None:
    passing = Passing(5)
    assert passing.over(Scene({"clock": Clock(4)}), PASSING) is None
    assert passing.over(Scene({"clock": Clock(5)}), PASSING) == 5
    assert passing.over(Scene({"clock": Clock(5, (Deadline(5, 0, "ana", "tests.clock.bell"),))}), PASSING) is None
    assert Passing(0).over(Scene({"clock": Clock(0)}), PASSING) == 0


def test_each_deadline_is_a_step_and_the_end_is_one() -> None:
    state = after(set_deadline(5, ANA, bell), advance_clock(9))
    scene = Scene(state)
    assert scene[PASSING].next_step(scene, PASSING) == run_deadline(Deadline(5, 0, "ana", "tests.clock.bell"))
    state = after(run_deadline(Deadline(5, 0, "ana", "tests.clock.bell")), state=state)
    assert Scene(state)[PASSING].next_step(Scene(state), PASSING) == arrive(9)


def test_what_comes_due_gives_what_its_rule_gives() -> None:
    state = after(set_deadline(5, ANA, bell))
    assert play(run_deadline(Deadline(5, 0, "ana", "tests.clock.bell")), state).result == 5


def test_a_change_of_a_deadline_cites_its_rule_first() -> None:
    played = passed(5, after(set_deadline(5, ANA, bell)))
    (rang,) = [event for event in played.events if isinstance(event, Told)]
    assert rang.rules == ("tests.clock.bell", "referee.clock.deadline")


def test_a_clock_reads_back_with_its_deadlines_in_order() -> None:
    plain = {"now": 2, "deadlines": [{"at": 9, "order": 0, "who": "ana", "rule": "x"}, write(MOMENTS[0])]}
    assert read(Clock, plain) == Clock(2, (MOMENTS[0], Deadline(9, 0, "ana", "x")))
    assert read(Clock, write(read(Clock, plain))) == read(Clock, plain)


@rule("tests.clock.own")
async def own(scene: Scene) -> None:
    """A rule may look at the clock and set it forward itself."""
    await alter(CLOCK, Clock.having, Deadline(1, 0, "ana", "tests.clock.bell"))


def test_a_scene_without_a_clock_has_no_time() -> None:
    with pytest.raises(BadInput, match="'clock' is not known"):
        play(own(), State({}))


# --- several systems --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sleeper:
    """Somebody of one system, while another is being loaded."""


def test_a_system_may_be_loaded_while_another_looks_at_what_comes_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading declares what comes due for kinds of its own, in a thread of its own."""
    monkeypatch.setattr("referee.core.clock._DUES", {})
    monkeypatch.setattr("referee.core.clock._FOLLOWING", set())

    @due(Sleeper, bell)
    def loads_another(scene: Scene, who: Who[Any]) -> Iterator[Due]:
        _ = due(type("Newcomer", (), {}), bell)(loads_another)
        yield Due(bell, every=2)

    state = State({"clock": Clock(), "ana": Sleeper(), "bo": Sleeper()})
    assert [(each.who, each.at) for each in following(Scene(state))] == [("ana", 2), ("bo", 2)]
