"""Forecasts at work in processes: they can be stopped, watched and killed, and the result stays the same."""

from __future__ import annotations

import os
import signal
from time import monotonic, sleep
from typing import Final

import pytest

from referee import registry
from referee.core.errors import BadInput
from referee.forecast.encounters import EncounterPlan, Sampler
from referee.forecast.processes import Forecasting
from referee.testing.scenarios import samples

DISTEMPER: Final = registry.load("distemper")
PLAN: Final = EncounterPlan("distemper", DISTEMPER.plain(dict(samples(DISTEMPER))["roadblock"]))


def until_played(at_work: Forecasting, fights: int = 1) -> None:
    until = monotonic() + 60
    while at_work.played < fights and not at_work.is_done:
        assert monotonic() < until
        sleep(0.02)


@pytest.mark.slow
def test_two_processes_find_what_one_finds() -> None:
    at_work = Forecasting([PLAN], fights=100, processes=2, exact=False)
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
def test_it_stops_within_100_ms_and_keeps_what_it_knows() -> None:
    at_work = Forecasting([PLAN], fights=10**9, processes=2)
    until_played(at_work)
    processes = at_work.processes
    begun = monotonic()
    at_work.stop()
    assert monotonic() - begun < 0.1 + 0.4 * (os.getloadavg()[0] > 2)  # a busy machine takes longer
    assert at_work.is_done
    assert at_work.problem is None
    assert at_work.played > 0
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow
def test_another_process_takes_the_place_of_one_that_is_killed() -> None:
    at_work = Forecasting([PLAN], fights=150, exact=False)
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
        Forecasting([EncounterPlan(PLAN.system, PLAN.scene, changes=("Ash=brave",))])
