"""Odds in other processes: what travels there, who is served when, and what becomes of a process that fails."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread, Timer
from time import monotonic, sleep
from typing import Any, Final

import pytest
from tests.seen import seen_by

from referee import registry
from referee.core import Scene
from referee.core.actions import ActionChoice
from referee.core.errors import Cancelled
from referee.core.knowledge import KnownState, fully_known
from referee.core.plain import Plain
from referee.core.system import System
from referee.core.visibility import VEIL, Seat, Veil
from referee.drivers.stop import NEVER_STOP, Stop, timed_by
from referee.forecast import pool as pools
from referee.forecast.curves import curve_query, varied
from referee.forecast.figures import Budget
from referee.forecast.pool import FairQueue, OddsPool, Unanswered
from referee.forecast.question_odds import question_query
from referee.forecast.risk import action_query, offers_query
from referee.forecast.transport import CannotTravel, Query, digest, pack, unpack
from referee.forecast.worker import load_system
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.systems.alien import SKILL_ROLL
from referee.systems.alien import SYSTEM as ALIEN
from referee.systems.distemper import SYSTEM as DISTEMPER
from referee.testing.scenarios import samples

GM: Final = Seat("gm", master=True)
ASH: Final = Seat("ash", frozenset({"Ash"}))
MARKET: Final = dict(samples(DISTEMPER))["market"]


def rolled(stress: int = 2) -> tuple[ActionChoice, KnownState]:
    state = ALIEN.state({"ana": {"attributes": {"Agility": 2}, "stress": stress}})
    return SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting"), fully_known(state)


def grappled() -> Query:
    """Odds that take minutes."""
    scene, action = Scene(MARKET), DISTEMPER.action("grapple")
    who = scene.who("Ash")
    return action_query(action.by(who, **next(action.legal(scene, who))), *seen_by(ASH, MARKET))


def asked(seed: bytes = b"road") -> Query:
    """A question in the middle of a check."""
    journal = Journal(DISTEMPER, MARKET, SeededDice(seed))
    journal.begin("ash", "distemper.checks.dice-check", {"who": "Ash", "using": "Reason"})
    return question_query(journal, journal.asking[0], ASH)


QUERIES: dict[str, tuple[Query, System]] = {
    "an action": (action_query(*rolled(), GM), ALIEN),
    "a curve": (curve_query(varied(*rolled(), "stress", (0, 1)), GM, along="stress"), ALIEN),
    "some actions": (offers_query({"one": rolled()[0]}, rolled()[1], GM), ALIEN),
    "a question": (asked(), DISTEMPER),
}


@pytest.mark.parametrize("what", QUERIES)
def test_a_query_that_travelled_is_the_same_query(what: str) -> None:
    query, system = QUERIES[what]
    there = unpack(pack(query, system))
    assert digest(there) == digest(query)
    budget = Budget(seconds=None, runs=300, plays=5)
    assert there.card(budget).to_plain() == query.card(budget).to_plain()


def test_what_is_hidden_from_the_viewer_changes_no_key_and_does_not_travel() -> None:
    """A foe in hiding, and what another keeps to themselves."""
    sheets: dict[str, Any] = {"Ash": {}, "lurker": {"player": False}}
    states = [
        DISTEMPER.state({**sheets, "lurker": {"player": False, "wp": wp}}).but(VEIL.name, Veil(frozenset({"lurker"})))
        for wp in (3, 9)
    ]
    action = DISTEMPER.action("check")
    queries = [action_query(action.by(Scene(each).who("Ash"), using="Reason"), *seen_by(ASH, each)) for each in states]
    assert digest(queries[0]) == digest(queries[1])
    assert b"lurker" not in pack(queries[0], DISTEMPER)
    mine = [action_query(action.by(Scene(each).who("Ash"), using="Reason"), *seen_by(GM, each)) for each in states]
    assert digest(mine[0]) != digest(mine[1])


def test_a_secret_argument_changes_no_key() -> None:
    action = DISTEMPER.action("check")
    who = Scene(MARKET).who("Ash")
    offers = [action.by(who, using="Reason", secret=secret) for secret in (-2, 3)]
    assert len({digest(action_query(each, *seen_by(ASH, MARKET))) for each in offers}) == 1
    assert len({digest(action_query(each, *seen_by(GM, MARKET))) for each in offers}) == 2


def test_what_the_viewer_knows_is_in_the_key() -> None:
    keys = {digest(action_query(*rolled(stress), GM)) for stress in range(4)}
    assert len(keys) == 4


def test_a_system_without_a_name_to_load_it_by_stays_at_home(tmp_path: Path) -> None:
    own = System("odds pool", "Own", tmp_path, 1, ALIEN.sheet, actions=ALIEN.actions)
    with pytest.raises(CannotTravel):
        pack(action_query(*rolled(), GM), own)


def test_another_version_of_a_system_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(action_query(*rolled(), GM), ALIEN)
    monkeypatch.setattr(registry, "load", lambda name: DISTEMPER)
    with pytest.raises(CannotTravel, match="version"):
        unpack(packed)


# --- who is served when -----------------------------------------------------------------------------------------------


def waiting(table: str, name: str = "", *, is_stranger: bool = False) -> pools.Asked:
    return pools.Asked(table, name.encode(), 0, NEVER_STOP, is_stranger)


def test_tables_are_served_in_turn_however_much_one_of_them_asks() -> None:
    queue = FairQueue(most=10)
    for table, name in (("a", "1"), ("a", "2"), ("a", "3"), ("b", "4"), ("c", "5"), ("b", "6")):
        assert queue.add(waiting(table, name))
    order = [found.packed.decode() for _ in range(6) if (found := queue.next({})) is not None]
    assert order == ["1", "4", "5", "2", "6", "3"]
    assert queue.next({}) is None


def test_whoever_has_no_process_is_served_first_and_strangers_last() -> None:
    queue = FairQueue(most=10)
    for table, is_stranger in (("192.0.2.1", True), ("a", False), ("b", False)):
        assert queue.add(waiting(table, is_stranger=is_stranger))
    order = [found.table for _ in range(3) if (found := queue.next({"a": 1})) is not None]
    assert order == ["b", "a", "192.0.2.1"]


def test_what_is_put_back_is_the_next_of_its_table() -> None:
    queue = FairQueue(most=10)
    queue.add(waiting("a", "2"))
    queue.put_back(waiting("a", "1"))
    assert [found.packed for _ in range(2) if (found := queue.next({})) is not None] == [b"1", b"2"]


def test_no_more_of_a_table_wait_than_there_is_room_for() -> None:
    queue = FairQueue(most=2)
    assert [queue.add(waiting("a")) for _ in range(3)] == [True, True, False]
    assert queue.add(waiting("b"))
    strangers = [queue.add(waiting(f"192.0.2.{at}", is_stranger=True)) for at in range(3)]
    assert strangers == [True, True, False]  # together, from however many addresses
    assert len(queue) == 5


@pytest.fixture(autouse=True)
def real_clock() -> Iterator[None]:
    """Whoever waits for another process spends no processor time."""
    with timed_by(monotonic):
        yield


# --- processes --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pool() -> Iterator[OddsPool]:
    pool = OddsPool(1)
    yield ready(pool)
    pool.close()


def ready(pool: OddsPool) -> OddsPool:
    pool.start()
    began = monotonic()
    while not pool.is_ready:
        assert monotonic() < began + 20
        sleep(0.01)
    return pool


def test_another_process_finds_the_same(pool: OddsPool) -> None:
    query = action_query(*rolled(), GM)
    assert pool.ask("t", query, ALIEN, Stop.after(10)) == query.card(Budget(10)).to_plain()


def test_a_process_that_is_told_of_systems_answers_afterwards() -> None:
    worker = pools.WorkerProcess(1024)
    try:
        worker.prepare(["alien", "nonsense"])
        worker.prepare(["alien", "nonsense", "dime"])
        number = worker.send(pack(action_query(*rolled(), GM), ALIEN), 10.0, 0)
        until = monotonic() + 20
        while (reply := worker.reply(number, 0.1)) is None:
            assert monotonic() < until
        assert reply["card"] == action_query(*rolled(), GM).card(Budget(10)).to_plain()
    finally:
        worker.end()


def test_a_system_is_loaded_before_it_is_needed() -> None:
    registry.load.cache_clear()
    load_system("alien")
    load_system("nonsense")  # whoever asks for odds in it is told
    assert registry.load.cache_info().currsize == 1


def test_a_query_keeps_its_time_there_too(pool: OddsPool) -> None:
    card = pool.ask("t", grappled(), DISTEMPER, Stop.after(0.4))
    assert card["best"] is None  # the plan would take long


def test_a_first_look_samples_nothing_there_either(pool: OddsPool) -> None:
    card = first_look(pool)
    assert card["now"] is None or card["now"]["samples"] == 0
    assert {each["because"] for each in card["missing"].values()} == {"time"}


def first_look(pool: OddsPool) -> Plain:
    """A busy machine may not answer within so short a time: then the time is a little longer."""
    for tries in range(1, 20):
        with suppress(Unanswered):
            return pool.ask("t", grappled(), DISTEMPER, Stop.after(0.02 * tries), plays=0)
    raise AssertionError("no answer in any of these times")


def asking(pool: OddsPool, table: str, gone: Event, *, is_stranger: bool = False) -> Thread:
    """Somebody who asks for odds that take minutes."""

    def ask() -> None:
        with suppress(Cancelled):
            pool.ask(table, grappled(), DISTEMPER, Stop.after(60, gone), is_stranger=is_stranger)

    thread = Thread(target=ask)
    thread.start()
    return thread


def until_at_work(pool: OddsPool, tables: list[str]) -> None:
    began = monotonic()
    while [each.table for each in pool._at_work] != tables:
        assert monotonic() < began + 20
        sleep(0.01)


def test_a_table_does_not_wait_for_another_that_has_all_processes() -> None:
    own, gone = ready(OddsPool(2)), Event()
    own.prepare("distemper")
    began = monotonic()
    while own._ready < 2:
        assert monotonic() < began + 20
        sleep(0.01)
    before = set(own.pids)
    others = [asking(own, "a", gone) for _ in range(6)]
    try:
        until_at_work(own, ["a", "a"])
        assert own.ask("b", action_query(*rolled(), GM), ALIEN, Stop.after(20))["now"]
        assert all(each.is_alive() for each in others)  # nobody has lost their odds, or had them
        until_at_work(own, ["a", "a"])  # what gave way is worked on again
        assert set(own.pids) == before
    finally:
        gone.set()
        for each in others:
            each.join()
        own.close()


def test_a_stranger_gives_way_to_a_table(pool: OddsPool) -> None:
    gone = Event()
    stranger = asking(ready(pool), "192.0.2.1", gone, is_stranger=True)
    try:
        until_at_work(pool, ["192.0.2.1"])
        assert pool.ask("b", action_query(*rolled(), GM), ALIEN, Stop.after(20))["now"]
        assert stranger.is_alive()
        until_at_work(pool, ["192.0.2.1"])
    finally:
        gone.set()
        stranger.join()


def test_an_abandoned_query_ends_and_its_process_goes_on(pool: OddsPool) -> None:
    gone, before = Event(), pool.pids
    Timer(0.2, gone.set).start()
    with pytest.raises(Cancelled):
        pool.ask("t", grappled(), DISTEMPER, Stop.after(30, gone))
    assert pool.ask("t", action_query(*rolled(), GM), ALIEN, Stop.after(10))["now"]
    assert pool.pids == before


def test_a_process_that_is_killed_is_replaced_and_who_asked_is_told(pool: OddsPool) -> None:
    (before,) = pool.pids
    Timer(0.2, lambda: os.kill(before, signal.SIGKILL)).start()
    with pytest.raises(Unanswered) as why:
        pool.ask("t", grappled(), DISTEMPER, Stop.after(30))
    assert why.value.because == "ended"
    assert pool.ask("t", action_query(*rolled(), GM), ALIEN, Stop.after(20))["now"]
    assert pool.pids != [before]


def test_closing_does_not_wait_for_odds() -> None:
    own = ready(OddsPool(1))
    (process,) = own.pids
    Timer(0.2, own.close).start()
    with pytest.raises(Unanswered) as why:
        own.ask("t", grappled(), DISTEMPER, Stop.after(30))
    assert why.value.because == "ended"  # not that the time was up
    began = monotonic()
    with pytest.raises(CannotTravel):
        own.ask("t", grappled(), DISTEMPER, Stop.after(30))
    while is_alive(process):
        assert monotonic() < began + 10
        sleep(0.01)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_too_much_memory_ends_the_process_and_its_asker_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hungry.py").write_text(HUNGRY)
    monkeypatch.syspath_prepend(tmp_path)
    hungry: Any = __import__("hungry")
    own = ready(OddsPool(1, megabytes=512))
    (before,) = own.pids
    try:
        with pytest.raises(Unanswered) as why:
            own.ask("t", hungry.Hungry(), ALIEN, Stop.after(20))
        assert why.value.because == "memory"
        assert own.ask("t", action_query(*rolled(), GM), ALIEN, Stop.after(20))["now"]
        assert own.pids != [before]
    finally:
        own.close()
        sys.modules.pop("hungry")


HUNGRY: Final = '''
from dataclasses import dataclass

@dataclass(frozen=True)
class Hungry:
    """A query that needs a gigabyte."""

    def card(self, budget, stop):
        return len(bytearray(2**30))
'''


def test_a_process_that_ended_while_it_had_nothing_to_do_costs_nobody_their_odds(pool: OddsPool) -> None:
    assert pool.ask("t", action_query(*rolled(), GM), ALIEN, Stop.after(20))["now"]
    (before,) = pool.pids
    os.kill(before, signal.SIGKILL)
    sleep(0.1)
    assert pool.ask("t", action_query(*rolled(), GM), ALIEN, Stop.after(20))["now"]
    assert pool.pids != [before]


def test_a_process_that_ended_is_replaced_before_anybody_asks(pool: OddsPool) -> None:
    (before,) = ready(pool).pids
    os.kill(before, signal.SIGKILL)
    began = monotonic()
    while pool.pids in ([], [before]) or not pool.is_ready:
        assert monotonic() < began + 20
        sleep(0.01)


def test_processes_that_do_not_start_are_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "FIRST_REST", 0.01)
    python = sys.executable
    started: list[int] = []

    class Counted(pools.WorkerProcess):  # type: ignore[misc]  # final to everybody else
        def __init__(self, megabytes: int) -> None:
            started.append(megabytes)
            super().__init__(megabytes)

    monkeypatch.setattr(pools, "WorkerProcess", Counted)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    own = OddsPool(1)
    own.start()
    began = monotonic()
    try:
        while len(started) < 5:
            assert monotonic() < began + 10
            sleep(0.01)
        assert not own.is_closed
        assert not own.is_ready
        monkeypatch.setattr(sys, "executable", python)
        assert ready(own).ask("t", action_query(*rolled(), GM), ALIEN, Stop.after(20))["now"]
    finally:
        own.close()


def test_the_rest_between_failures_grows_and_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    own, rests = OddsPool(1), list[float]()
    monkeypatch.setattr(own, "_served", lambda: False)

    def rest(_: object, seconds: float) -> None:
        rests.append(seconds)
        own._closed = len(rests) == 9

    monkeypatch.setattr(own._changed, "wait_for", rest)
    own._serve()
    assert rests == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
