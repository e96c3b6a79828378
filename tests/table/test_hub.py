"""The hub: one at a time at each table, kept before told, nothing half-applied, and little memory."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.plain import Plain
from referee.core.system import System
from referee.journal.lines import AnswerLine
from referee.journal.seeded_dice import SeededDice
from referee.store.export import export_campaign
from referee.store.records import LogRow, StoreError, Token, UnknownCampaign
from referee.store.sqlite import SQLiteStore
from referee.table import access, master_desk, seat_desk, storage, undo_desk
from referee.table.access import A_YEAR, Admitted, digest
from referee.table.backlog import earlier_feed
from referee.table.campaign import Campaign
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub, OutOfDate
from referee.table.members import NotAllowed, Role

SCENE: dict[str, Plain] = {
    "ana": {"coins": 6},
    "bo": {"coins": 6},
    "deck": {"kind": "Pile", "cards": ["7S", "8S", "9S"]},
}
SCENE |= {f"{who}-hand": {"kind": "Pile", "facing": "hand", "owner": who} for who in ("ana", "bo")}


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hub(tmp_path: Path, den: System, clock: Clock) -> Iterator[Hub]:
    found = Hub(SQLiteStore.open(tmp_path / "referee.db"), clock)
    yield found
    found.close()


@pytest.fixture
def mo(hub: Hub) -> Admitted:
    """The game master of a new campaign."""
    return hub.create("Cellar", "den", SCENE, "Mo")


@pytest.fixture
def ana(hub: Hub, mo: Admitted) -> Admitted:
    return hub.join(hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"ana"})), "Ana")


def anew(hub: Hub) -> Hub:
    """What another process would find."""
    return Hub(hub.store, hub.clock)


def lines(hub: Hub, seated: Admitted) -> list[LogRow]:
    return list(hub.store.lines(seated.campaign))


def look(hub: Hub, seated: Admitted, read: Callable[[Desk], Any]) -> Any:
    return hub.read(seated.campaign, seated.seat, read)


def table_of(hub: Hub, seated: Admitted) -> tuple[Plain, int, list[Plain]]:
    """The table as a seat sees it, how much there is in the log, and what the seat was told."""
    view = look(hub, seated, Desk.view)
    return view, look(hub, seated, lambda desk: desk.campaign.count), hub.story(*seated[:2], 0, view["cursor"])


def same(hub: Hub, seated: Admitted) -> bool:
    """Whether what is in memory is what is kept."""
    return table_of(hub, seated) == table_of(anew(hub), seated)


def note(text: str) -> DeskCommand:
    return DeskCommand(Desk.note, text)


def fail(*_: object, **__: object) -> Any:
    raise StoreError("the disk is full; nothing was written")


# --- beginning --------------------------------------------------------------------------------------------------------


def test_a_campaign_begins_with_a_commitment_and_its_game_master(hub: Hub, mo: Admitted) -> None:
    assert [(row.line["about"], row.line["by"]) for row in lines(hub, mo)] == [("seed", "table"), ("seat", mo.seat)]
    (seed,) = hub.store.seeds(mo.campaign)
    assert lines(hub, mo)[0].line["commitment"] == seed.commitment == SeededDice(seed.seed).commitment
    assert hub.seat_of(mo.token) == (mo.campaign, mo.seat)


def test_a_campaign_is_begun_whole_or_not_at_all(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="a name of 1 to 60 characters"):
        hub.create("Cellar", "den", SCENE, " ")
    with pytest.raises(RefereeError):
        hub.create("", "den", SCENE, "Mo")
    monkeypatch.setattr("referee.store.campaigns.insert_seed", fail)
    with pytest.raises(StoreError):
        hub.create("Cellar", "den", SCENE, "Mo")
    assert hub.store.headers() == []


def test_who_would_play_somebody_elses_character_is_refused_and_may_use_the_invitation_later(
    hub: Hub, mo: Admitted, ana: Admitted
) -> None:
    code = hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"ana"}))
    with pytest.raises(Refused, match="someone else plays that character"):
        hub.join(code, "Zoe")
    hub.act(*mo[:2], DeskCommand(seat_desk.dismiss, ana.seat))
    assert hub.join(code, "Zoe").campaign == mo.campaign
    with pytest.raises(Refused, match="used up"):
        hub.join(code, "Yan")


def test_only_the_game_master_invites_reveals_forks_and_audits(hub: Hub, ana: Admitted) -> None:
    before = len(lines(hub, ana))
    for attempt in (
        lambda: hub.invite(*ana[:2], Role.PLAYER),
        lambda: hub.reveal(*ana[:2]),
        lambda: hub.fork(*ana[:2], 0, "Mine"),
        lambda: hub.audit(*ana[:2]),
        lambda: hub.rename(*ana[:2], "Mine"),
    ):
        with pytest.raises(NotAllowed, match="only the game master may do this"):
            attempt()
    assert len(lines(hub, ana)) == before
    assert len(hub.store.headers()) == 1


# --- one at a time ----------------------------------------------------------------------------------------------------


def in_threads(*works: Callable[[], object]) -> None:
    problems: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as problem:  # noqa: BLE001  # told below, in the thread of the test
            problems.append(problem)

    threads = [Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert problems == []


def test_many_threads_lose_and_double_nothing(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    def talk(seated: Admitted, name: str) -> None:
        for number in range(20):
            hub.act(*seated[:2], note(f"{name} {number}"), key=f"{name} {number}")

    in_threads(*(lambda each=each: talk((mo, ana)[each % 2], f"t{each}") for each in range(6)))
    said = [row.line["text"] for row in lines(hub, mo) if row.line["about"] == "note"]
    assert len(said) == 120
    for each in range(6):
        assert [text for text in said if text.startswith(f"t{each} ")] == [f"t{each} {number}" for number in range(20)]
    assert same(hub, mo)


@pytest.mark.parametrize("rounds", [5, pytest.param(25, marks=pytest.mark.slow)])
def test_forgetting_while_others_play_loses_nothing(hub: Hub, rounds: int) -> None:
    tables = [hub.create(f"Cellar {number}", "den", SCENE, "Mo") for number in range(3)]
    going = [True]

    def play(seated: Admitted) -> None:
        for number in range(rounds):
            hub.act(*seated[:2], DeskCommand(Desk.roll, "1d6"))
            hub.act(*seated[:2], note(str(number)))

    def forget() -> None:
        while going:
            hub.evict_idle(-1)

    def play_all() -> None:
        try:
            in_threads(*(lambda each=each: play(each) for each in tables))
        finally:
            going.clear()

    in_threads(play_all, forget)
    for seated in tables:
        assert [row.line["text"] for row in lines(hub, seated) if "text" in row.line] == list(map(str, range(rounds)))
        assert same(hub, seated)


def test_two_processes_may_write_to_one_campaign(hub: Hub, mo: Admitted) -> None:
    other = anew(hub)
    for number in range(4):
        hub.act(*mo[:2], note(f"one {number}"))
        other.act(*mo[:2], note(f"other {number}"))
    assert [row.line["text"] for row in lines(hub, mo)[2:]] == [
        f"{who} {number}" for number in range(4) for who in ("one", "other")
    ]


def test_who_decided_on_what_is_past_is_told_to_look_again(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    told = look(hub, ana, Desk.view)["cursor"]
    hub.act(*mo[:2], note("wait"))
    before = table_of(hub, ana)
    with pytest.raises(OutOfDate, match=f"you have been told {told + 1} things, not {told}"):
        hub.act(*ana[:2], note("me too"), expected=told)
    assert table_of(hub, ana) == before
    assert hub.act(*ana[:2], note("me too"), expected=told + 1) == told + 2


# --- nothing half-applied ---------------------------------------------------------------------------------------------


def test_what_fails_in_the_middle_leaves_no_trace_and_nobody_hears_of_it(hub: Hub, mo: Admitted) -> None:
    heard: list[int] = []
    hub.subscribe(mo.campaign, lambda: heard.append(1))
    before = table_of(hub, mo)

    def crash(desk: Desk) -> None:
        desk.note("half")
        desk.act("duel", "ana", {"against": "bo"})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        hub.act(*mo[:2], DeskCommand(crash))
    assert table_of(hub, mo) == before == table_of(anew(hub), mo)
    assert heard == []


def test_what_the_store_does_not_keep_has_not_happened(hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    hub.subscribe(mo.campaign, lambda: heard.append(1))
    before = table_of(hub, mo)
    with monkeypatch.context() as broken:
        broken.setattr(hub.store, "append", fail)
        with pytest.raises(StoreError, match="disk is full"):
            hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}), key="one")
    assert table_of(hub, mo) == before
    assert heard == []
    assert hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}), key="one")
    assert heard == [1]
    assert same(hub, mo)


def test_a_table_that_cannot_even_be_opened_again_is_opened_later(
    hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table_of(hub, mo)
    with monkeypatch.context() as broken:
        broken.setattr(hub.store, "append", fail)
        broken.setattr(hub.store, "lines", fail)
        for _ in range(2):
            with pytest.raises(StoreError, match="disk is full"):
                hub.act(*mo[:2], note("lost"))
    assert table_of(hub, mo) == before


def test_dice_that_were_not_kept_fall_again_as_they_had(
    hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash is no way to throw again: the throw is a function of the seed and its number."""
    thrown: list[Plain] = []

    def duel(desk: Desk) -> None:
        desk.act("duel", "ana", {"against": "bo"})
        thrown.append([line.answer for line in desk.journal.lines if isinstance(line, AnswerLine) and line.throw])

    with monkeypatch.context() as broken:
        broken.setattr(hub.store, "append", fail)
        with pytest.raises(StoreError):
            hub.act(*mo[:2], DeskCommand(duel))
    hub.act(*mo[:2], DeskCommand(duel))
    assert thrown[0] == thrown[1]


def test_what_is_refused_at_once_leaves_nothing(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    before = table_of(hub, ana)
    with pytest.raises(NotAllowed, match="you do not play bo"):
        hub.act(*ana[:2], DeskCommand(Desk.act, "deal", "bo"), key="one")
    with pytest.raises(BadInput, match="you have no open question"):
        hub.act(*ana[:2], DeskCommand(Desk.answer, "ana.keep", "yes"), key="one")
    assert table_of(hub, ana) == before
    hub.act(*ana[:2], DeskCommand(Desk.act, "deal", "ana"), key="one")
    assert look(hub, ana, Desk.view)["questions"][0]["key"] == "ana.keep"


def test_a_step_refused_in_its_middle_is_kept_and_everybody_hears_of_it(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    heard: list[int] = []
    hub.act(*mo[:2], DeskCommand(master_desk.edit, "ana", {"coins": 1}))
    hub.act(*mo[:2], DeskCommand(master_desk.settings, {"throws": {"interest": "leave it"}}))
    hub.act(*ana[:2], DeskCommand(Desk.act, "borrow", "ana"))
    hub.act(*ana[:2], DeskCommand(Desk.answer, "ana.sum", "3"))
    hub.subscribe(mo.campaign, lambda: heard.append(1))
    with pytest.raises(Refused, match="ana could not pay 6"):
        hub.act(*ana[:2], DeskCommand(Desk.answer, "ana.interest", [[6]]))
    assert "refused" in lines(hub, mo)[-1].line["then"][0]
    assert look(hub, ana, Desk.view)["scene"]["ana"]["coins"] == 1
    told = [each["refused"] for item in hub.story(*mo[:2], 0, 99) for each in item.get("then", ()) if "refused" in each]
    assert told == ["borrow: ana could not pay 6 (den.debts.borrow)"]
    assert heard == [1]
    assert same(hub, ana)


# --- the same key -----------------------------------------------------------------------------------------------------


def test_the_same_key_does_nothing_more(hub: Hub, mo: Admitted) -> None:
    answers = [where.act(*mo[:2], note("once"), key="k") for where in (hub, hub, anew(hub))]
    assert answers == [3] * 3
    assert len(lines(hub, mo)) == 3


def test_a_key_is_its_seats_own(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    hub.act(*mo[:2], note("one"), key="k")
    hub.act(*ana[:2], note("two"), key="k")
    assert [row.line["text"] for row in lines(hub, mo)[-2:]] == ["one", "two"]


def test_two_at_once_with_one_key_do_it_once(hub: Hub, mo: Admitted) -> None:
    told: list[int] = []
    other = anew(hub)
    work = [lambda where=where: told.append(where.act(*mo[:2], note("once"), key="k")) for where in (hub, other) * 3]
    in_threads(*work)
    assert told == [3] * 6
    assert len(lines(hub, mo)) == 3


# --- storage ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint every ten lines."""
    monkeypatch.setattr("referee.table.storage.CHECKPOINT_EVERY", 10)


def play(hub: Hub, seated: Admitted, rounds: int) -> None:
    for number in range(rounds):
        hub.act(*seated[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
        hub.act(*seated[:2], note(str(number)))


def read_from(hub: Hub, seated: Admitted, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers at which a new process begins to read when it opens a campaign."""
    starts: list[int] = []
    read = hub.store.lines

    def watched(campaign: str, start: int = 0, stop: int | None = None) -> Iterator[LogRow]:
        starts.append(start)
        return read(campaign, start, stop)

    with monkeypatch.context() as watching:
        watching.setattr(hub.store, "lines", watched)
        look(anew(hub), seated, Desk.view)
    return starts


@pytest.mark.usefixtures("often")
def test_a_long_campaign_is_taken_up_from_its_newest_checkpoint(
    hub: Hub, mo: Admitted, ana: Admitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(hub, mo, 10)
    count = len(lines(hub, mo))
    (start,) = read_from(hub, mo, monkeypatch)
    assert count - 10 <= start <= count
    assert same(hub, mo)
    assert same(hub, ana)


@pytest.mark.usefixtures("often")
def test_what_was_told_before_the_checkpoint_can_still_be_read(hub: Hub, ana: Admitted, mo: Admitted) -> None:
    play(hub, mo, 10)
    for seated in (mo, ana):
        whole = hub.story(*seated[:2], 0, 1000)
        assert [item["id"] for item in whole] == list(range(len(whole)))
        assert anew(hub).story(*seated[:2], 3, 9) == whole[3:9]
        assert anew(hub).story(*seated[:2], len(whole) - 2, 1000) == whole[-2:]


def test_each_item_can_be_had_with_when_it_was_written(hub: Hub, clock: Clock, mo: Admitted, ana: Admitted) -> None:
    clock.now = 2000.4
    hub.act(*ana[:2], note("late"))
    clock.now = 3000.6
    hub.act(*ana[:2], DeskCommand(Desk.act, "borrow", "ana"))
    told = look(hub, ana, lambda desk: desk.feed.cursor)
    items = hub.dated_story(*ana[:2], 0, told)
    assert [item["at"] for item in items] == [1000] * (told - 3) + [2000, 3001, 3001]
    assert [item["kind"] for item in items[-3:]] == ["said", "began", "happened"]
    bare = [{name: value for name, value in item.items() if name != "at"} for item in items]
    assert bare == hub.story(*ana[:2], 0, told)
    assert (
        hub.dated_story(*ana[:2], told - 2, told + 9) == anew(hub).dated_story(*ana[:2], told - 2, told) == items[-2:]
    )


@pytest.mark.usefixtures("often")
def test_what_was_told_before_the_checkpoint_has_its_time_too(
    hub: Hub, clock: Clock, ana: Admitted, mo: Admitted
) -> None:
    for at in range(2000, 2030):
        clock.now = float(at)
        hub.act(*mo[:2], note(str(at)))
    hub.evict_idle(-1)
    assert look(hub, ana, lambda desk: desk.feed.before) > 10
    some = hub.dated_story(*ana[:2], 5, 9)
    assert [item["id"] for item in some] == [5, 6, 7, 8]
    assert all(str(item["at"]) == item["text"] for item in some)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("seed", "moves"), [(0, 6), *(pytest.param(n, 30, marks=pytest.mark.slow) for n in range(4))])
def test_what_was_told_long_ago_is_heard_again_as_it_was_told(begin_evening: Any, seed: int, moves: int) -> None:
    """Whatever happened since: undone behind checkpoints, forked, seats that came late or changed their role."""
    evening = begin_evening("den", seed)
    evening.go(2 * moves)
    late = evening.hub.add_seat(evening.campaign, "Late", Role.SPECTATOR)
    evening.go(moves)
    evening.do(DeskCommand(seat_desk.change_seat, late.seat, role="game master"))
    evening.go(moves)
    whole = storage.open_campaign(evening.hub.store, evening.campaign, evening.hub.clock, 0)
    for seat, feed in whole.feeds.items():
        assert evening.hub.read(evening.campaign, seat, Desk.view)["cursor"] == feed.cursor
        for start in range(0, feed.cursor, 5):
            heard = earlier_feed(evening.hub.store, evening.campaign, seat, start, start + 5)
            assert heard.before <= start
            assert heard.items[start - heard.before :][:5] == feed.items[start : start + 5]
            assert heard.line_of(start) == feed.line_of(start)


@pytest.mark.usefixtures("often")
def test_a_checkpoint_that_cannot_be_read_is_no_loss(hub: Hub, mo: Admitted) -> None:
    play(hub, mo, 10)
    newest = hub.store.checkpoint(mo.campaign)
    assert newest is not None
    spoiled: Plain
    for spoiled in ("nonsense", {"scene": {}}, {**newest.plain, "colour": "red"}, {**newest.plain, "base": [1, 2, 3]}):
        hub.store.keep_checkpoint(mo.campaign, newest.number, spoiled)
        assert same(hub, mo)


def test_a_checkpoint_that_cannot_be_kept_is_no_loss(
    hub: Hub, mo: Admitted, often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub.store, "keep_checkpoint", fail)
    play(hub, mo, 10)
    assert same(hub, mo)


@pytest.mark.usefixtures("often")
def test_undo_goes_back_to_before_the_checkpoint(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    play(hub, mo, 10)
    item = next(item["id"] for item in hub.story(*mo[:2], 0, 1000) if item["kind"] == "began")
    fresh = anew(hub)
    gone = look(fresh, mo, lambda desk: undo_desk.would_undo(desk, item))
    assert {each["kind"] for each in gone} == {"began", "answered", "happened"}
    assert len([each for each in gone if each["kind"] != "happened"]) == 30
    fresh.act(*mo[:2], DeskCommand(undo_desk.undo, item))
    assert look(fresh, mo, Desk.view)["scene"]["ana"]["coins"] == 6
    assert same(fresh, mo)
    fresh.act(*mo[:2], DeskCommand(undo_desk.redo))
    assert same(fresh, ana)
    assert look(fresh, mo, Desk.view)["scene"] == look(hub, mo, Desk.view)["scene"]


@pytest.mark.usefixtures("often")
def test_after_such_an_undo_play_goes_on_and_a_new_checkpoint_is_made(
    hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(hub, mo, 10)
    hub.evict_idle(-1)
    hub.act(*mo[:2], DeskCommand(undo_desk.undo, 2))
    assert read_from(hub, mo, monkeypatch)[-1] == 0
    play(hub, mo, 1)
    assert read_from(hub, mo, monkeypatch) == [len(lines(hub, mo)) - 1]
    assert same(hub, mo)


@pytest.mark.usefixtures("often")
def test_no_checkpoint_forgets_what_may_be_redone(hub: Hub, mo: Admitted) -> None:
    play(hub, mo, 2)
    before = look(hub, mo, Desk.view)["scene"]
    hub.act(
        *mo[:2],
        DeskCommand(lambda desk: undo_desk.undo(desk, next(i["id"] for i in desk.feed.items if i["kind"] == "began"))),
    )
    for number in range(12):
        hub.act(*mo[:2], note(str(number)))
    fresh = anew(hub)
    fresh.act(*mo[:2], DeskCommand(undo_desk.redo))
    assert look(fresh, mo, Desk.view)["scene"] == before
    assert same(fresh, mo)


def test_a_step_that_other_rules_had_begun_is_undone_at_storage(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    hub.act(*ana[:2], DeskCommand(Desk.act, "deal", "ana"))
    spoiled = [dict(row.line) for row in lines(hub, mo)]
    at = next(at for at, line in enumerate(spoiled) if line["kind"] == "began")
    spoiled[at] |= {"rule": "den.cards.older"}
    rows = [LogRow(number, 0.0, line) for number, line in enumerate(spoiled)]
    header = hub.store.header(mo.campaign)
    hub.store.add_campaign(replace(header, id="older"), rows)
    view = hub.read("older", ana.seat, Desk.view)
    assert view["questions"] == []
    assert [row.line["kind"] for row in hub.store.lines("older", at)] == ["began", "answered", "said", "undone"]


def test_lines_of_a_later_format_are_not_guessed_at(hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FORMAT", 1)
    with pytest.raises(BadInput, match="a log of format 2; this Referee reads up to 1"):
        look(anew(hub), mo, Desk.view)


# --- little memory ----------------------------------------------------------------------------------------------------


def test_campaigns_nobody_uses_are_forgotten_and_open_again(
    hub: Hub, clock: Clock, mo: Admitted, ana: Admitted
) -> None:
    before = table_of(hub, ana)
    clock.now += 599
    assert hub.evict_idle() == 0
    clock.now += 2
    assert hub.evict_idle() == 1
    assert len(hub._campaigns) == 0
    assert table_of(hub, ana) == before


def test_a_campaign_somebody_listens_to_is_kept(hub: Hub, clock: Clock, mo: Admitted) -> None:
    stop = hub.subscribe(mo.campaign, lambda: None)
    clock.now += 10_000
    assert hub.evict_idle() == 0
    stop()
    assert hub.evict_idle() == 1


def test_storage_one_campaign_forgets_those_that_are_idle(hub: Hub, clock: Clock) -> None:
    for number in range(5):
        look(hub, hub.create(str(number), "den", SCENE, "Mo"), Desk.view)
        clock.now += 400
    assert len(hub._campaigns) == 2


def test_names_that_lead_nowhere_do_not_fill_the_memory(hub: Hub) -> None:
    for number in range(10):
        with pytest.raises(UnknownCampaign):
            hub.read(f"nowhere{number}", "nobody", Desk.view)
    assert len(hub._campaigns) == 0


def test_a_campaign_that_was_played_for_long_takes_little_memory(
    hub: Hub, mo: Admitted, often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.table.storage.MOST_LINES", 30)
    held: list[int] = []
    for _ in range(30):
        play(hub, mo, 1)
        held.append(look(hub, mo, lambda desk: len(desk.journal.lines)))
    assert max(held) <= 45
    assert len(lines(hub, mo)) > 100
    assert same(hub, mo)


# --- hearing ----------------------------------------------------------------------------------------------------------


def test_listeners_hear_of_what_is_kept_already(hub: Hub, mo: Admitted) -> None:
    kept: list[int] = []
    hub.subscribe(mo.campaign, lambda: kept.append(len(lines(hub, mo))))
    hub.act(*mo[:2], note("one"))
    hub.rename(*mo[:2], "Attic")
    assert kept == [3, 3]
    assert hub.store.header(mo.campaign).name == "Attic"


def test_one_listener_that_fails_keeps_nobody_else_from_hearing(
    hub: Hub, mo: Admitted, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    def broken() -> None:
        raise ZeroDivisionError

    stops = [hub.subscribe(mo.campaign, each) for each in (broken, lambda: heard.append("two"))]
    hub.act(*mo[:2], note("one"))
    assert heard == ["two"]
    assert "a subscriber of campaign" in caplog.text
    for stop in stops:
        stop()
    hub.act(*mo[:2], note("two"))
    assert heard == ["two"]


def test_a_closed_hub_lets_nobody_in(tmp_path: Path, den: System) -> None:
    hub = Hub(SQLiteStore.open(tmp_path / "other.db"))
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    hub.close()
    with pytest.raises(RefereeError, match="the server is stopping"):
        look(hub, mo, Desk.view)


# --- the seed ---------------------------------------------------------------------------------------------------------


def test_revealing_the_seed_starts_a_new_one(hub: Hub, mo: Admitted) -> None:
    hub.act(*mo[:2], DeskCommand(Desk.roll, "3d6"))
    (old,) = hub.store.seeds(mo.campaign)
    assert hub.reveal(*mo[:2]) == old.seed.hex()
    revealed, committed = (row.line for row in lines(hub, mo)[-2:])
    assert (revealed["about"], revealed["commitment"], revealed["seed"]) == ("revealed", old.commitment, old.seed.hex())
    assert committed["about"] == "seed"
    seeds = {seed.commitment: seed for seed in hub.store.seeds(mo.campaign)}
    assert [seeds[commitment].revealed is None for commitment in (old.commitment, committed["commitment"])] == [
        False,
        True,
    ]
    for where in (hub, anew(hub)):
        where.act(*mo[:2], DeskCommand(Desk.roll, "3d6"))
        thrown = lines(hub, mo)[-1].line
        below = SeededDice(seeds[committed["commitment"]].seed).throw(thrown["throw"])
        assert thrown["answer"] == [[below(6) + 1 for _ in range(3)]]


def test_a_seed_is_not_revealed_if_that_cannot_be_kept(hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch) -> None:
    before = table_of(hub, mo)
    with monkeypatch.context() as broken:
        broken.setattr(hub.store, "append", fail)
        with pytest.raises(StoreError):
            hub.reveal(*mo[:2])
    assert table_of(hub, mo) == before
    assert all(seed.revealed is None for seed in hub.store.seeds(mo.campaign))
    hub.act(*mo[:2], DeskCommand(Desk.roll, "3d6"))
    assert same(hub, mo)


def test_a_campaign_taken_in_from_a_file_has_dice_of_its_own(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    hub.act(*ana[:2], DeskCommand(Desk.act, "deal", "ana"))
    file = io.BytesIO()
    export_campaign(hub.store, mo.campaign, file, seeds=True)
    file.seek(0)
    header = hub.import_file(file)
    assert header.id != mo.campaign
    copied, added = lines(hub, mo), list(hub.store.lines(header.id))
    assert [row.line for row in added[:-1]] == [row.line for row in copied]
    assert added[-1].line["about"] == "seed"
    assert added[-1].line["commitment"] != copied[0].line["commitment"]
    seated = hub.join(hub.new_invitation(header.id), "Mo again")
    assert look(hub, seated, Desk.view)["questions"][0]["key"] == "ana.keep"
    with pytest.raises(NotAllowed):
        hub.act(header.id, ana.seat, DeskCommand(Desk.act, "deal", "bo"))


def test_a_file_that_is_no_campaign_is_not_imported(hub: Hub, mo: Admitted) -> None:
    with pytest.raises(BadInput, match="line 1"):
        hub.import_file(io.BytesIO(b"{}\n"))
    assert len(hub.store.headers()) == 1


def test_a_campaign_of_rules_nobody_knows_here_is_not_imported(hub: Hub, mo: Admitted) -> None:
    file = io.BytesIO()
    export_campaign(hub.store, mo.campaign, file)
    spoiled = io.BytesIO(file.getvalue().replace(b'"system":"den"', b'"system":"lost"', 1))
    with pytest.raises(BadInput, match="system: 'lost' is not known"):
        hub.import_file(spoiled)
    assert len(hub.store.headers()) == 1


@pytest.mark.parametrize("fault", [BadInput("scene", "cannot be read"), KeyError("scene"), RecursionError()])
def test_a_campaign_that_does_not_open_leaves_nothing_behind(
    hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    file = io.BytesIO()
    export_campaign(hub.store, mo.campaign, file)
    file.seek(0)

    def broken(*_: object, **__: object) -> Campaign:
        raise fault

    monkeypatch.setattr("referee.table.storage.open_campaign", broken)
    with pytest.raises(BadInput, match="cannot be"):
        hub.import_file(file)
    assert [each.id for each in hub.store.headers()] == [mo.campaign]


def test_an_imported_campaign_comes_with_its_game_master(hub: Hub, mo: Admitted) -> None:
    file = io.BytesIO()
    export_campaign(hub.store, mo.campaign, file)
    file.seek(0)
    admitted = hub.import_as(file, "Zoe")
    assert hub.seat_of(admitted.token) == (admitted.campaign, admitted.seat)
    assert look(hub, admitted, Desk.view)["you"]["role"] == "game master"
    assert len(hub.store.tokens(admitted.campaign)) == 1


# --- tokens that were shown lately ------------------------------------------------------------------------------------


def test_a_token_is_read_from_the_store_once_and_opens_nothing_once_it_is_revoked(hub: Hub, mo: Admitted) -> None:
    other = hub.new_token(mo.campaign, mo.seat)
    assert hub.remembered_seat(other) is None
    assert hub.seat_of(other) == hub.seat_of(mo.token) == (mo.campaign, mo.seat)
    assert hub.remembered_seat(other) == hub.remembered_seat(mo.token) == (mo.campaign, mo.seat)
    assert hub.revoke_token(digest(other))
    assert hub.seat_of(other) is None
    assert hub.seat_of(mo.token) == (mo.campaign, mo.seat)
    hub.revoke_seat(mo.campaign, mo.seat)
    assert hub.seat_of(mo.token) is None


def test_a_token_that_is_revoked_while_it_is_read_is_not_remembered(
    hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = hub.store.token

    def read_and_revoked(digested: str, now: float | None = None) -> Token | None:
        found = read(digested, now)
        monkeypatch.undo()
        hub.revoke_token(digested)
        return found

    monkeypatch.setattr(hub.store, "token", read_and_revoked)
    hub.seat_of(mo.token)
    assert hub.remembered_seat(mo.token) is None
    assert hub.seat_of(mo.token) is None


def test_a_token_that_has_expired_opens_nothing_and_only_so_many_are_remembered(
    hub: Hub, mo: Admitted, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hub.seat_of(mo.token)
    clock.now += A_YEAR + 1
    assert hub.remembered_seat(mo.token) is None
    assert hub.seat_of(mo.token) is None
    monkeypatch.setattr(access, "MOST_KNOWN", 2)
    tokens = [hub.new_token(mo.campaign, mo.seat) for _ in range(3)]
    assert all(map(hub.seat_of, tokens))
    assert [bool(hub.remembered_seat(each)) for each in tokens] == [False, True, True]
