"""When hazards begin, strike again and kill."""

from __future__ import annotations

from referee.core import Levels
from referee.kits.hazards import (
    HazardExposure,
    HazardRow,
    after_blow,
    beginning,
    watched,
    with_exposure,
    without_exposure,
)

SIZES = {"hour": 1, "day": 24}
FROST = HazardRow("frost", starts="1 day", every="2 hours", harms=Levels({"Strength": 1}), kills_when=("Strength",))


def test_a_hazard_is_felt_after_its_time_and_then_strikes_at_its_interval() -> None:
    begun = beginning(FROST, HazardExposure("frost"), 10, SIZES)
    assert (begun.next, begun.felt) == (34, False)
    felt = after_blow(FROST, begun, 34, SIZES, struck=False)
    assert (felt.next, felt.felt, felt.blows) == (36, True, 0)
    assert after_blow(FROST, felt, 36, SIZES).blows == 1


def test_the_place_may_say_another_interval_and_one_without_any_strikes_once() -> None:
    slow = beginning(HazardRow("rain"), HazardExposure("rain", every="1 day"), 0, SIZES)
    assert (slow.next, slow.felt) == (24, True)
    assert after_blow(HazardRow("blast"), HazardExposure("blast"), 5, SIZES).next is None


def test_it_kills_at_a_time_that_is_set_once_and_lifted_when_what_it_needs_is_back() -> None:
    doomed = watched(HazardExposure("frost"), FROST, ("Strength",), 10, 5)
    assert doomed.deadly_at == 15
    assert watched(doomed, FROST, ("Strength",), 12, 5).deadly_at == 15
    assert watched(doomed, FROST, ("Wits",), 12, 5).deadly_at is None


def test_a_list_has_one_exposure_of_a_name() -> None:
    once = with_exposure((), HazardExposure("frost"))
    assert with_exposure(once, HazardExposure("frost", level=2)) == (HazardExposure("frost", level=2),)
    assert without_exposure(once, "frost") == ()
