"""Wounds: a smallest game in which wounds bleed, are treated, and heal by the clock."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import (
    CLOCK,
    D6,
    Clock,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    Total,
    Who,
    advance_clock,
    alter,
    cancel_deadline,
    frozen,
    roll,
    rule,
    set_deadline,
)
from referee.core.clock import PASSING
from referee.core.errors import BadInput
from referee.core.plain import read, write
from referee.drivers.exact import Exact
from referee.drivers.scripted import play, play_out
from referee.kits.wounds import (
    TimeSpan,
    Wound,
    WoundLadder,
    halve,
    hasten,
    how_long,
    new_wound,
    time_left,
    with_wound,
    without_wound,
    wound_of,
)

LADDER: Final = WoundLadder(("Healthy", "Wounded", "Wounded twice", "Neutralized", "Mortally wounded", "Dead"))
UNITS: Final = {"Round": 1, "Turn": 180, "QD": 4320, "Day": 17280}
LIMIT: Final = Prompt("limit")
HEALING: Final = Prompt("healing")
SAVE: Final = Prompt("save")
TREAT: Final = Prompt("treat")


@frozen
class Soldier:
    """Somebody who can be hurt."""

    wounds: Open[tuple[Wound, ...]] = ()
    dead: Open[bool] = False

    def having(self, wound: Wound) -> Soldier:
        return replace(self, wounds=with_wound(self.wounds, wound))

    def healed(self, name: str) -> Soldier:
        return replace(self, wounds=without_wound(self.wounds, name))


ANA, BO = Who("ana", Soldier), Who("bo", Soldier)


@rule("ward.hurt")
async def hurt(scene: Scene, who: Who[Soldier], name: str, limit: TimeSpan, healing: TimeSpan) -> str:
    """A wound is saved against when its limit has passed, and heals after its days."""
    wound = new_wound(scene[who].wounds, Wound(name, limit="round"))
    await alter(who, Soldier.having, wound)
    await set_deadline(await how_long(scene, who, LIMIT, limit, UNITS), who, death_save_due, about=wound.name)
    await set_deadline(await how_long(scene, who, HEALING, healing, UNITS), who, heal, 1, about=wound.name)
    return wound.name


@rule("ward.save")
async def death_save_due(scene: Scene, who: Who[Soldier], about: str) -> bool:
    """A four saves; whoever has failed to treat it may try again."""
    saved = (await roll(SAVE, who, Pool.of((D6, 1)), Total)).total >= 4
    if saved:
        await alter(who, Soldier.having, wound_of(scene[who].wounds, about).with_new_chance())
        await set_deadline(6, who, death_save_due, about=about)
        return True
    await alter(who, lambda sheet: replace(sheet, dead=True))
    await cancel_deadline(who)
    return False


@rule("ward.heal")
async def heal(scene: Scene, who: Who[Soldier], about: str) -> None:
    """The days are over."""
    await alter(who, Soldier.healed, about)


@rule("ward.treat")
async def treat(scene: Scene, who: Who[Soldier], patient: Who[Soldier], name: str) -> bool:
    """A four ends the danger."""
    wound_of(scene[patient].wounds, name, rule="ward.treat").check_treatment(who, rule="ward.treat")
    success = (await roll(TREAT, who, Pool.of((D6, 1)), Total)).total >= 4
    await alter(patient, Soldier.having, wound_of(scene[patient].wounds, name).after_try(who, success=success))
    if success:
        await cancel_deadline(patient, death_save_due, about=name)
    return success


@rule("ward.care")
async def care(scene: Scene, patient: Who[Soldier], name: str) -> None:
    """A day of care counts double, once a day."""
    today = scene[CLOCK].now // UNITS["Day"]
    wound = wound_of(scene[patient].wounds, name)
    wound.check_care(today, rule="ward.care")
    await alter(patient, Soldier.having, replace(wound, cared_on=today))
    await hasten(patient, heal, UNITS["Day"], about=name)


@rule("ward.elixir")
async def elixir(scene: Scene, patient: Who[Soldier], name: str, parts: int = 2) -> None:
    """Half of the time is enough."""
    await halve(patient, heal, about=name, parts=parts)


@rule("ward.wait")
async def wait(scene: Scene, rounds: int) -> None:
    """Time passes."""
    await advance_clock(rounds)


def ward(*wounds: Wound) -> State:
    return State({"clock": Clock(), "ana": Soldier(wounds), "bo": Soldier()})


def waited(state: State, rounds: int, **answers: Any) -> Scene:
    return play_out(PASSING, play(wait(rounds), state).state, answers).scene


def broken_arm() -> State:
    """A broken arm with a limit of 4 rounds that heals in 3 days."""
    call = hurt(ANA, "Broken arm", TimeSpan.from_plain("D6 rounds"), TimeSpan.from_plain("2D6 days"))
    return play(call, ward(), {"limit": "4", "healing": "1 2"}).state


def cut(healing: TimeSpan, state: State) -> State:
    """A cut that will not kill for a long time."""
    return play(hurt(ANA, "Cut", TimeSpan(plus=9, unit="days"), healing), state).state


@pytest.mark.parametrize(
    ("written", "span"),
    [
        ("D6 rounds", TimeSpan(1, unit="rounds")),
        ("2D6 days", TimeSpan(2, unit="days")),
        ("2d minutes", TimeSpan(2, unit="minutes")),
        ("1d x 10 minutes", TimeSpan(1, unit="minutes", times=10)),
        ("D3 + 1 hours", TimeSpan(1, 1, "hours", 3)),
        ("1 QD", TimeSpan(plus=1, unit="QD")),
        ("3D6", TimeSpan(3)),
        (7, TimeSpan(plus=7)),
        ("turn", TimeSpan(plus=1, unit="turn")),
    ],
)
def test_a_time_is_read_as_the_books_write_it(written: Any, span: TimeSpan) -> None:
    assert read(TimeSpan, written) == span
    assert read(TimeSpan, write(span)) == span


@pytest.mark.parametrize("written", ["soon", "D6+", "permanent", "-3 days"])
def test_what_is_no_time_is_refused(written: str) -> None:
    with pytest.raises(BadInput, match="must be a time"):
        read(TimeSpan, written)


def test_a_unit_may_be_named_in_the_plural_but_must_be_one() -> None:
    assert TimeSpan(plus=1, unit="turns").size(UNITS) == 180
    with pytest.raises(BadInput, match="'moons' is none of Round"):
        TimeSpan(unit="moons").size(UNITS)


def test_a_worse_wound_replaces_the_level_and_any_other_is_a_step_more() -> None:
    assert LADDER.after("Wounded", "Neutralized") == "Neutralized"
    assert LADDER.after("Wounded", "Wounded") == "Wounded twice"
    assert LADDER.after("Neutralized", "Wounded") == "Mortally wounded"
    assert LADDER.after("Mortally wounded", "Wounded", steps=0) == "Mortally wounded"
    assert LADDER.after("Dead", "Dead") == "Dead"


def test_healing_steps_down_and_ends_at_healthy() -> None:
    assert LADDER.moved("Mortally wounded", -1) == "Neutralized"
    assert LADDER.moved("Wounded", -2) == "Healthy"


def test_a_ladder_may_be_longer_or_shorter_for_somebody() -> None:
    big = LADDER.with_level("Wounded three times", after="Wounded twice")
    assert big.after("Wounded twice", "Wounded") == "Wounded three times"
    small = LADDER.without("Wounded twice")
    assert small.after("Wounded", "Wounded") == "Neutralized"
    with pytest.raises(Refused, match="no such level"):
        small.rung("Wounded twice")


@given(st.lists(st.sampled_from(LADDER.levels[1:])))
def test_wounds_never_make_anybody_better(wounds: list[str]) -> None:
    level = "Healthy"
    for wound in wounds:
        worse = LADDER.after(level, wound)
        assert LADDER.rung(worse) >= max(LADDER.rung(level), LADDER.rung(wound))
        level = worse


def test_both_times_of_a_wound_are_on_the_clock() -> None:
    scene = Scene(broken_arm())
    assert time_left(scene, ANA, death_save_due, "Broken arm") == 4
    assert time_left(scene, ANA, heal, "Broken arm") == 3 * 17280
    assert time_left(scene, BO, heal, "Broken arm") is None


def test_two_wounds_of_a_kind_run_side_by_side() -> None:
    call = hurt(ANA, "Broken arm", TimeSpan(1, unit="rounds"), TimeSpan(plus=1, unit="day"))
    played = play(call, broken_arm(), {"limit": "6"})
    assert played.result == "Broken arm 2"
    scene = waited(played.state, 5, save="4")
    assert time_left(scene, ANA, death_save_due, "Broken arm") == 5
    assert time_left(scene, ANA, death_save_due, "Broken arm 2") == 1
    assert wound_of(scene[ANA].wounds, "Broken arm 2").kind == "Broken arm"


def test_a_failed_save_kills_and_nothing_comes_due_any_more() -> None:
    scene = waited(broken_arm(), 4, save="3")
    assert scene[ANA].dead
    assert scene[CLOCK].deadlines == ()


def test_a_saved_one_is_due_again_until_treated() -> None:
    scene = waited(broken_arm(), 12, save=["4", "5"])
    assert time_left(scene, ANA, death_save_due, "Broken arm") == 4
    treated = play(treat(BO, ANA, "Broken arm"), scene.state, {"treat": "6"})
    assert [each.rule for each in treated.scene[CLOCK].deadlines] == ["ward.heal"]


def test_who_has_failed_waits_for_the_next_save() -> None:
    failed = play(treat(BO, ANA, "Broken arm"), broken_arm(), {"treat": "1"}).state
    with pytest.raises(Refused, match="bo has tried already"):
        play(treat(BO, ANA, "Broken arm"), failed, {"treat": "6"})
    assert play(treat(ANA, ANA, "Broken arm"), failed, {"treat": "6"}).result
    saved = waited(failed, 4, save="4")
    assert play(treat(BO, ANA, "Broken arm"), saved.state, {"treat": "6"}).result


def test_a_treated_wound_is_not_treated_again() -> None:
    done = play(treat(BO, ANA, "Broken arm"), broken_arm(), {"treat": "6"}).state
    with pytest.raises(Refused, match="it has been treated"):
        play(treat(ANA, ANA, "Broken arm"), done, {"treat": "6"})
    with pytest.raises(Refused, match="no such wound"):
        play(treat(BO, ANA, "Broken leg"), done, {})


def test_care_takes_a_day_off_once_a_day() -> None:
    cared = play(care(ANA, "Broken arm"), broken_arm()).state
    assert time_left(Scene(cared), ANA, heal, "Broken arm") == 2 * 17280
    with pytest.raises(Refused, match="its care today"):
        play(care(ANA, "Broken arm"), cared)


def test_healing_never_comes_due_before_now() -> None:
    scene = Scene(play(care(ANA, "Cut"), cut(TimeSpan(plus=3, unit="rounds"), ward())).state)
    assert time_left(scene, ANA, heal, "Cut") == 0
    assert waited(scene.state, 1)[ANA].wounds == ()


@pytest.mark.parametrize(("parts", "left"), [(2, 3), (3, 2)])
def test_half_of_the_time_is_rounded_up(parts: int, left: int) -> None:
    state = cut(TimeSpan(plus=5, unit="rounds"), ward())
    assert time_left(Scene(play(elixir(ANA, "Cut", parts), state).state), ANA, heal, "Cut") == left


def test_the_days_are_over_and_only_that_wound_heals() -> None:
    both = cut(TimeSpan(plus=8, unit="rounds"), cut(TimeSpan(plus=5, unit="rounds"), ward()))
    assert [each.name for each in waited(both, 5)[ANA].wounds] == ["Cut 2"]


def test_the_odds_of_a_rolled_limit_are_exact() -> None:
    call = hurt(ANA, "Broken arm", TimeSpan(1, unit="rounds"), TimeSpan(plus=1, unit="day"))
    ends = Exact().of(call, ward()).by_end(lambda _, scene: time_left(scene, ANA, death_save_due, "Broken arm"))
    assert ends == {left: Fraction(1, 6) for left in range(1, 7)}
