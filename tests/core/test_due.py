"""What comes due by what somebody is like: however they got that way, once a moment, and stored nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import CLOCK, BadInput, Clock, Open, Own, Scene, State, Who, advance_clock, change, rule
from referee.core.agenda import next_of
from referee.core.audience import Audience
from referee.core.clock import PASSING, Deadline, Due, due, following, next_due, run_deadline
from referee.core.knowledge import NOBODY, known_to
from referee.core.visibility import Seat
from referee.drivers.scripted import Played, play, play_out


@dataclass(frozen=True, slots=True)
class Candle:
    burning: Open[bool] = False
    length: Open[int] = 5
    lit_at: Open[int] = 0
    snuffed_at: Open[int | None] = None
    smoulders: Own[bool] = False
    seen: Open[tuple[str, ...]] = ()


ANA, BO = Who("ana", Candle), Who("bo", Candle)


def note(sheet: Candle, what: str, now: int) -> Candle:
    return replace(sheet, seen=(*sheet.seen, f"{what} at {now}"))


@rule("tests.due.burn")
async def burn(scene: Scene, who: Who[Candle]) -> None:
    """A burning candle is shorter every minute; at the end of it, it smoulders."""
    left = scene[who].length - 1
    after = replace(note(scene[who], "burns", scene[CLOCK].now), length=left)
    await change(who, replace(after, burning=left > 0, smoulders=left == 0))


@rule("tests.due.smoulder")
async def smoulder(scene: Scene, who: Who[Candle]) -> None:
    """It smoulders for a minute."""
    await change(who, replace(note(scene[who], "smoulders", scene[CLOCK].now), smoulders=False))


@rule("tests.due.drip")
async def drip(scene: Scene, who: Who[Candle]) -> None:
    """Wax drips every four minutes."""
    await change(who, note(scene[who], "drips", scene[CLOCK].now))


@rule("tests.due.snuff")
async def snuff(scene: Scene, who: Who[Candle]) -> None:
    """Somebody snuffs it at the time that was agreed."""
    await change(who, replace(note(scene[who], "snuffed", scene[CLOCK].now), burning=False, snuffed_at=None))


@rule("tests.due.bell")
async def bell(scene: Scene, who: Who[Candle]) -> None:
    """A bell that a rule has set."""
    await change(who, note(scene[who], "bell", scene[CLOCK].now))


@due(Candle, burn, smoulder, drip, snuff)
def burning(scene: Scene, who: Who[Candle]) -> Iterator[Due]:
    sheet = scene[who]
    if sheet.burning:
        yield Due(burn)
        yield Due(drip, every=4, since=sheet.lit_at, order=1)
    if sheet.snuffed_at is not None:
        yield Due(snuff, at=sheet.snuffed_at, order=2)
    if sheet.smoulders:
        yield Due(smoulder, audience=Audience.OWNER)


def scene_with(clock: Clock | None = None, **candles: Candle) -> State:
    return State({"clock": clock or Clock(), **candles})


def passed(units: int, state: State) -> Played[Any]:
    return play_out(PASSING, play(advance_clock(units), state).state)


def seen(state: State, who: Who[Candle] = ANA) -> tuple[str, ...]:
    return Scene(state)[who].seen


def test_what_stands_on_a_sheet_comes_due_though_no_rule_put_it_there() -> None:
    state = passed(2, scene_with(ana=Candle(burning=True), bo=Candle())).state
    assert (seen(state), seen(state, BO)) == (("burns at 1", "burns at 2"), ())


def test_nothing_of_it_is_stored() -> None:
    state = passed(2, scene_with(ana=Candle(burning=True))).state
    assert Scene(state)[CLOCK] == Clock(2)


def test_what_begins_at_a_moment_comes_due_later() -> None:
    state = passed(3, scene_with(ana=Candle(burning=True, length=1))).state
    assert seen(state) == ("burns at 1", "smoulders at 2")


def test_an_interval_counts_from_when_it_began() -> None:
    state = passed(6, scene_with(Clock(10), ana=Candle(burning=True, length=9, lit_at=7))).state
    assert [each for each in seen(state) if "drips" in each] == ["drips at 11", "drips at 15"]


def test_an_interval_that_begins_later_counts_from_then() -> None:
    assert Due(drip, every=4, since=20).after(10) == 24


def test_a_time_of_its_own_comes_once_and_one_that_has_passed_comes_as_time_goes_on() -> None:
    assert seen(passed(9, scene_with(ana=Candle(snuffed_at=3))).state) == ("snuffed at 3",)
    assert seen(passed(9, scene_with(Clock(5), ana=Candle(snuffed_at=3))).state) == ("snuffed at 6",)


def test_what_is_due_at_one_moment_comes_in_its_order_with_what_rules_have_set() -> None:
    lit = scene_with(ana=Candle(burning=True, snuffed_at=4, length=9))
    for order, found in ((-1, 0), (1, 1)):
        state = lit.but("clock", Clock(0, (Deadline(4, order, "ana", "tests.due.bell"),)))
        last = seen(passed(4, state).state)[3:]
        assert last.index("bell at 4") == found
        assert sorted(last) == ["bell at 4", "burns at 4", "drips at 4", "snuffed at 4"]


def test_it_comes_once_a_moment_for_each_of_several_people() -> None:
    state = passed(2, scene_with(ana=Candle(burning=True), bo=Candle(burning=True))).state
    assert seen(state) == seen(state, BO) == ("burns at 1", "burns at 2")


def test_a_stored_deadline_of_it_is_void() -> None:
    old = Clock(0, (Deadline(2, 0, "ana", "tests.due.burn"),))
    assert seen(passed(3, scene_with(old, ana=Candle())).state) == ()
    assert next_due(Scene(scene_with(old, ana=Candle())), 9) is None


def test_what_does_not_follow_cannot_be_played() -> None:
    with pytest.raises(BadInput, match="clock: no such deadline"):
        play(run_deadline(Deadline(1, 0, "ana", "tests.due.burn")), scene_with(ana=Candle()))


def test_nothing_is_due_before_time_moves() -> None:
    assert next_due(Scene(scene_with(ana=Candle(burning=True))), 0) is None


def test_whoever_may_not_see_the_field_does_not_learn_what_follows_from_it() -> None:
    state = scene_with(ana=Candle(smoulders=True, burning=True))

    def rules(seat: Seat) -> list[str]:
        return [each.rule for each in following(Scene(known_to(state, seat)), known=True)]

    assert rules(Seat("bo", frozenset({"bo"}))) == ["tests.due.burn", "tests.due.drip"]
    assert "tests.due.smoulder" in rules(Seat("ana", frozenset({"ana"})))
    assert rules(NOBODY) == ["tests.due.burn", "tests.due.drip"]


def test_only_the_rules_it_names_come_due() -> None:
    @dataclass(frozen=True, slots=True)
    class Lamp:
        lit: Open[bool] = True

    @due(Lamp)
    def unnamed(scene: Scene, who: Who[Any]) -> Iterator[Due]:
        yield Due(bell)

    with pytest.raises(BadInput, match=r"tests\.due\.bell: is not among the rules that its @due names"):
        following(Scene(State({"clock": Clock(), "lamp": Lamp()})))


# --- many times in one step -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lamp:
    oil: Open[int] = 0
    every: Open[int] = 1
    since: Open[int] = 0
    burnt_at: Open[int] = 0
    went_out_at: Open[int | None] = None
    """When it went out, until somebody has noticed a moment later."""
    noticed_at: Open[int | None] = None
    rings: Open[int] = 0
    """Every how many moments a bell on it rings, which cannot be folded; 0 for never."""
    rung_at: Open[tuple[int, ...]] = ()
    in_one: Open[bool] = False


@rule("tests.due.lamp")
async def burn_oil(scene: Scene, who: Who[Lamp]) -> None:
    """A lamp burns a measure of oil."""
    await change(who, burnt(scene, who, 1, scene[CLOCK].now)[0])


def burnt(scene: Scene, who: Who[Lamp], times: int, last: int) -> tuple[Lamp, int]:
    """A lamp after so many measures of oil; once it is empty it goes out."""
    lamp = scene[who]
    if times < lamp.oil:
        return replace(lamp, oil=lamp.oil - times, burnt_at=last), times
    at = last - (times - lamp.oil) * lamp.every
    return replace(lamp, oil=0, burnt_at=at, went_out_at=at), lamp.oil


@rule("tests.due.notice")
async def notice(scene: Scene, who: Who[Lamp]) -> None:
    """Somebody notices that a lamp has gone out."""
    await change(who, replace(scene[who], went_out_at=None, noticed_at=scene[CLOCK].now))


@rule("tests.due.ring")
async def ring(scene: Scene, who: Who[Lamp]) -> None:
    """The bell on a lamp rings."""
    await change(who, replace(scene[who], rung_at=(*scene[who].rung_at, scene[CLOCK].now)))


@due(Lamp, burn_oil, notice, ring)
def lit(scene: Scene, who: Who[Lamp]) -> Iterator[Due]:
    lamp = scene[who]
    if lamp.oil:
        yield Due(burn_oil, every=lamp.every, since=lamp.since, folded=burnt if lamp.in_one else None)
    if lamp.went_out_at is not None:
        yield Due(notice)
    if lamp.rings:
        yield Due(ring, every=lamp.rings)


def counted(units: int, state: State) -> tuple[State, int]:
    """The state after some time, and how many steps it took."""
    steps, state = 0, play(advance_clock(units), state).state
    while (following_step := next_of(Scene(state), PASSING)) is not None:
        state, steps = play(following_step.call, state).state, steps + 1
    return state.but("passing", None), steps


def unfolded(state: State) -> dict[str, Any]:
    return {name: replace(each, in_one=False) if isinstance(each, Lamp) else each for name, each in state.items()}


LAMPS = st.builds(Lamp, st.integers(0, 12), st.integers(1, 5), st.integers(0, 6), rings=st.sampled_from((0, 0, 3, 7)))


@given(st.lists(LAMPS, min_size=1, max_size=3), st.integers(0, 9), st.integers(0, 40))
def test_what_is_folded_is_as_if_it_were_played(lamps: list[Lamp], now: int, units: int) -> None:
    named = {f"lamp{at}": lamp for at, lamp in enumerate(lamps)}
    one_by_one, steps = counted(units, State({"clock": Clock(now), **named}))
    in_one = {name: replace(lamp, in_one=True) for name, lamp in named.items()}
    folded, fewer = counted(units, State({"clock": Clock(now), **in_one}))
    assert unfolded(folded) == unfolded(one_by_one)
    assert fewer <= steps


def test_millions_of_times_are_a_handful_of_steps() -> None:
    lamp = Lamp(oil=5_000_000, in_one=True)
    state, steps = counted(2_600_000, State({"clock": Clock(), "lamp": lamp}))
    assert (Scene(state)[Who("lamp", Lamp)].oil, Scene(state)[CLOCK].now, steps) == (2_400_000, 2_600_000, 1)


@rule("tests.due.chime")
async def chime(scene: Scene, who: Who[Lamp]) -> None:
    """A chime that a rule has set."""
    await ring(who)


def test_what_a_rule_has_set_comes_in_between() -> None:
    deadline = Deadline(3, 0, "lamp", "tests.due.chime")
    state = State({"clock": Clock(0, (deadline,)), "lamp": Lamp(oil=9, in_one=True)})
    after, steps = counted(6, state)
    assert Scene(after)[Who("lamp", Lamp)] == Lamp(3, burnt_at=6, rung_at=(3,), in_one=True)
    assert steps == 4  # two measures in one step, a measure and the bell at 3, and three measures in one step
