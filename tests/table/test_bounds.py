"""However a rule goes on, fails or lies, a request ends, nothing half done stays, and the table is played on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Final

import pytest
from tests.faulty import RULES, Counting, Dance, Guest, loop_throwing

from referee.core.errors import Endless, ForeignAwait, RefereeError, RuleFault
from referee.core.plain import Plain
from referee.core.run import MOST_ASKED
from referee.core.scene import Who
from referee.journal.journal import DUE_IN_ONE_GO
from referee.store.sqlite import SQLiteStore
from referee.table import master_desk, time_limit
from referee.table.campaign import MOST_AT_ONCE
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.time_limit import HeldTooLong, within_time

PACKAGE: Final = Path(__file__).parent.parent / "faulty_package"
SCENE: Final[dict[str, Plain]] = {"ana": {}, "bo": {}, "clock": {"kind": "Clock"}}
ENDLESS: Final = ("loop", "loop-throwing", "loop-calling", "loop-catching")
FAULTS: Final = ("raise", "raise-after-throw", "result", "result-record", "value", "kind", "unhashable", "object")
SOON: Final = partial(within_time, seconds=0.1)
SLACK: Final = 20
"""Lines that a step may write beyond a bound that is looked at between steps."""


class FaultyTable:
    """A game master alone at a table of the faulty system."""

    def __init__(self, folder: Path) -> None:
        self.hub = Hub(SQLiteStore.open(folder / "referee.db"))
        self.seat = self.hub.create("one", "faulty", SCENE, "Mo")

    def do(self, *given: Any, **named: Any) -> int:
        command: DeskCommand = DeskCommand(*given, **named)
        return self.hub.act(self.seat.campaign, self.seat.seat, command)

    def act(self, action: str, who: str | None = "ana", **arguments: Plain) -> int:
        return self.do(Desk.act, action, who, arguments)

    @property
    def desk(self) -> Desk:
        return self.hub.read(self.seat.campaign, self.seat.seat, lambda desk: desk)

    @property
    def count(self) -> int:
        return self.hub.store.count(self.seat.campaign)

    def steps(self, who: str = "ana") -> int:
        return self.desk.journal.scene[Who(who, Guest)].steps

    def reopened(self) -> Desk:
        """The table as another server finds it."""
        return Hub(self.hub.store).read(self.seat.campaign, self.seat.seat, lambda desk: desk)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyTable]:
    monkeypatch.syspath_prepend(str(PACKAGE))
    found = FaultyTable(tmp_path)
    yield found
    found.hub.close()


def assert_playable(table: FaultyTable) -> None:
    """Nothing has stayed of what was tried; others act, what is there to do is listed, and it opens again."""
    assert table.steps() == 0
    table.act("step", "bo")
    assert (table.steps("bo"), table.reopened().journal.scene[Who("bo", Guest)].steps) == (1, 1)
    assert len(table.desk.actions("ana")) == len(RULES) + 1


# --- steps that do not end --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ENDLESS)
def test_a_step_that_never_ends_is_stopped_and_leaves_nothing(table: FaultyTable, action: str) -> None:
    with pytest.raises(Endless, match="does not come to an end, so it was stopped"):
        table.act(action)
    assert table.count < MOST_ASKED + SLACK
    assert_playable(table)


def test_a_rule_that_only_computes_is_stopped_by_the_time_it_takes(
    table: FaultyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.table.hub.within_time", SOON)
    with pytest.raises(HeldTooLong, match="took too long"):
        table.act("loop-alone")
    assert_playable(table)


def test_a_rule_that_minds_no_stop_leaves_nothing_either(table: FaultyTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.table.hub.within_time", SOON)
    before = table.count
    with pytest.raises(HeldTooLong):
        table.act("count-on")
    assert table.count == before
    assert_playable(table)


def test_a_table_that_was_stopped_while_it_was_read_is_opened_anew(
    table: FaultyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table.desk.campaign
    monkeypatch.setattr("referee.table.hub.within_time", SOON)
    with pytest.raises(HeldTooLong):
        table.hub.read(table.seat.campaign, table.seat.seat, lambda _: sum(each % 7 for each in range(10**9)))
    assert table.desk.campaign is not before
    assert_playable(table)


def test_a_table_that_opens_too_slowly_keeps_its_open_step(table: FaultyTable, monkeypatch: pytest.MonkeyPatch) -> None:
    table.act("count-and-ask")
    before = table.count
    with monkeypatch.context() as slow:
        slow.setattr("referee.table.storage.within_time", SOON)
        slow.setattr(Counting, "most", 10**9)
        with pytest.raises(HeldTooLong):
            table.reopened()
    assert table.count == before
    assert list(table.reopened().campaign.questions(table.seat.seat)) == ["ana.agree"]


def test_whoever_is_done_in_time_is_not_stopped_later() -> None:
    within_time(lambda: None, 0.05)
    done = sum(number % 7 for number in range(2_000_000))
    assert done > 0


def test_wherever_work_is_stopped_nothing_arrives_later_and_no_lock_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    within_time(lambda: None)  # from now on there is a thread that looks
    often = sys.getswitchinterval()
    sys.setswitchinterval(0.00002)
    monkeypatch.setattr(time_limit, "LOOKS", 0.0002)
    monkeypatch.setattr(time_limit, "AGAIN", 0.0)
    lock, rounds, stopped = Lock(), 0, 0

    def work() -> None:
        for _ in range(4_000):
            with lock:
                partial(sum, range(3))()

    try:
        while stopped < 50:
            rounds += 1
            try:
                within_time(work, rounds % 100 * 3e-5)
            except HeldTooLong:
                stopped += 1
            assert not lock.locked()
            assert not time_limit._WATCH.limited
        assert sum(number % 7 for number in range(200_000)) > 0
    finally:
        sys.setswitchinterval(often)


def test_what_comes_due_again_at_once_waits_for_the_game_master(table: FaultyTable) -> None:
    table.act("wind")
    table.act("rest", None, hours=3)
    assert table.steps() == DUE_IN_ONE_GO
    assert "let it go on" in table.desk.campaign.stuck
    table.do(master_desk.let_time_go_on)
    assert table.steps() == 2 * DUE_IN_ONE_GO
    table.act("step", "bo")
    assert table.steps("bo") == 1


@pytest.mark.parametrize("asks", ["", "ana"])
def test_an_encounter_that_never_ends_waits_for_the_game_master(table: FaultyTable, asks: str) -> None:
    """Nobody is asked, or whoever is has left a standing answer."""
    table.do(Desk.standing, "agree", "yes")
    before = table.count
    table.do(master_desk.add, "dance", {"kind": "Dance", "asks": asks})
    assert before + MOST_AT_ONCE <= table.count < before + MOST_AT_ONCE + SLACK
    assert table.desk.view()["stuck"] == "so much has happened by itself that the table waits; let it go on"
    items = table.desk.feed.items
    assert any(item.get("key") == "time-stands" or "time-stands" in str(item) for item in items)

    waits = table.count
    table.do(Desk.note, "what now?")
    assert table.count < waits + SLACK  # nobody's word sets it going again
    assert table.reopened().campaign.stuck
    table.do(master_desk.let_time_go_on)
    assert table.count >= waits + MOST_AT_ONCE
    table.do(master_desk.end_encounter, "dance")
    table.do(master_desk.let_time_go_on)
    table.act("step", "bo")
    assert not table.desk.campaign.stuck


# --- rules that fail --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", FAULTS)
def test_a_rule_that_fails_is_named_and_leaves_nothing(table: FaultyTable, action: str) -> None:
    before = table.count
    with pytest.raises(RuleFault, match=f"the code of faulty.{action} has failed"):
        table.act(action)
    assert table.count == before
    assert_playable(table)


def test_a_rule_that_awaits_something_foreign_leaves_nothing(table: FaultyTable) -> None:
    with pytest.raises(ForeignAwait):
        table.act("await")
    assert_playable(table)


def test_a_rule_that_fails_at_an_answer_leaves_the_question(table: FaultyTable) -> None:
    table.act("raise-after-answer")
    with pytest.raises(RuleFault):
        table.do(Desk.answer, "ana.agree", "yes")
    assert list(table.desk.campaign.questions(table.seat.seat)) == ["ana.agree"]
    table.do(master_desk.cancel, "ana.agree")
    assert_playable(table)


def test_an_action_whose_check_fails_is_barred_and_the_others_are_not(table: FaultyTable) -> None:
    found = {each["action"]: each for each in table.desk.actions("ana")}
    assert found["check"]["legal"] is False
    assert "has failed" in str(found["check"]["because"])
    assert found["step"]["legal"] is True


def test_what_a_rule_prints_disturbs_nobody(table: FaultyTable, capsys: pytest.CaptureFixture[str]) -> None:
    table.act("print")
    assert (table.steps(), capsys.readouterr().out) == (1, "a rule was here\n")


def test_a_turn_that_is_refused_is_not_tried_again_by_itself(
    table: FaultyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each try would write its throws into the log: whoever only talks would fill it."""
    monkeypatch.setattr(Dance, "next_step", lambda self, scene, me: loop_throwing(Who("ana", Guest)))
    with suppress(RefereeError):
        table.do(master_desk.add, "dance", {"kind": "Dance"})
    before = table.count
    for _ in range(3):
        table.do(Desk.note, "again?")
    assert table.count < before + MOST_ASKED + SLACK
