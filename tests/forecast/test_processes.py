"""Forecasts at work in processes: they can be stopped, watched and killed, and the result stays the same."""

from __future__ import annotations

import os
import signal
from time import monotonic, sleep
from typing import Final

import pytest

from referee import registry
from referee.core.errors import BadInput
from referee.core.knowledge import fully_known
from referee.forecast.encounters import EncounterPlan, Sampler
from referee.forecast.processes import Forecasting
from referee.testing.scenarios import samples

DISTEMPER: Final = registry.load("distemper")
PLAN: Final = EncounterPlan("distemper", fully_known(dict(samples(DISTEMPER))["roadblock"]))


def until_played(at_work: Forecasting, fights: int = 1) -> None:
    until = monotonic() + 60
    while at_work.played < fights and not at_work.is_done:
        assert monotonic() < until
        sleep(0.02)


@pytest.mark.slow
def test_two_processes_find_what_one_finds() -> None:
    at_work = Forecasting([PLAN], fights=100, processes=2, exact=False).begin()
    assert at_work.wait(120)
    found = at_work.found()
    alone = Sampler([PLAN.prepared()]).play(range(100))
    assert found is not None
    assert alone is not None
    assert found[0].fights == 100
    assert {ending: chance.share * 100 for ending, chance in found[0].endings.items()} == {
        ending: sum(times for (how, _, _), times in alone.counts[0].items() if how == ending)
        for ending in {how for how, _, _ in alone.counts[0]}
    }


@pytest.mark.slow
def test_it_stops_at_once_and_keeps_what_it_knows() -> None:
    at_work = Forecasting([PLAN], fights=10**9, processes=2).begin()
    until_played(at_work)
    processes = at_work.processes
    at_work.stop()  # of fights for hours
    assert at_work.is_done
    assert at_work.problem is None
    assert at_work.played > 0
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow
def test_another_process_takes_the_place_of_one_that_is_killed() -> None:
    at_work = Forecasting([PLAN], fights=150, exact=False).begin()
    until_played(at_work)
    os.kill(at_work.processes[0], signal.SIGKILL)
    assert at_work.wait(120)
    assert at_work.problem is None
    assert at_work.played == 150  # none is lost, and none is counted twice
    found = at_work.found()
    alone = Sampler([PLAN.prepared()]).play(range(150))
    assert found is not None
    assert alone is not None
    assert found[0].mean_rounds * 150 == pytest.approx(sum(r * n for (_, _, r), n in alone.counts[0].items()))


def test_what_cannot_be_forecast_is_refused_before_a_process_starts() -> None:
    with pytest.raises(BadInput, match="'brave' is not known"):
        Forecasting([EncounterPlan(PLAN.system, PLAN.known, changes=("Ash=brave",))])


def test_a_forecast_ends_when_its_time_is_over_and_keeps_what_it_knows() -> None:
    over: list[bool] = []
    at_work = Forecasting([PLAN], fights=10**9, may_take=lambda: -1.0, when_done=lambda: over.append(True))
    assert not at_work.has_begun
    at_work.begin()
    assert at_work.wait(60)
    until = monotonic() + 20
    while not over:
        assert monotonic() < until
        sleep(0.01)
    assert at_work.is_cut_short
    assert at_work.problem is None


def test_one_that_has_not_begun_does_not_begin_once_it_was_stopped() -> None:
    at_work = Forecasting([PLAN])
    at_work.stop()
    assert at_work.is_done
    assert at_work.processes == ()


def test_a_process_has_no_more_memory_than_it_may_and_says_so() -> None:
    at_work = Forecasting([PLAN], fights=10**9, megabytes=1).begin()
    assert at_work.wait(60)
    assert at_work.problem is not None
    assert "1 megabyte" in str(at_work.problem)
