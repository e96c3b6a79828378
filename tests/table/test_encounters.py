"""Encounters and deadlines at a live table: every driver plays the same, the game master chooses, secrets are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from tests.trek import ANA, DIARY, JOURNEY, TREK, Hiker, ambush, curse, doom, fester

from referee.cli.table import Left, TerminalTable
from referee.core import Audience, Clock, Scene, State, Who, rule, set_deadline
from referee.core.agenda import next_of
from referee.core.clock import CLOCK, Deadline
from referee.core.errors import BadInput, Refused
from referee.core.knowledge import known_to
from referee.core.plain import Plain
from referee.core.visibility import Seat
from referee.drivers.chain import ends_of
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play_out
from referee.journal.journal import Journal
from referee.journal.lines import Line, SceneEdited, SeatTaken, StepBegan
from referee.journal.seeded_dice import SeededDice
from referee.store.log_file import LogFile
from referee.table import master_desk, undo_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Member, NotAllowed, Role
from referee.testing.conformance import ConformanceWalk
from referee.testing.stage import ScenarioStage
from referee.verify.replay import LogReplay

# --- every driver -----------------------------------------------------------------------------------------------------

WOUND: Final = {"at": 3, "order": 0, "who": "ana", "rule": fester.id, "about": "leg"}
AMBUSH: Final = {"at": 15, "order": 0, "who": "ana", "rule": ambush.id}
TRIP: Final = TREK.state(
    {
        "ana": {},
        "diary": {"kind": "Diary"},
        "clock": {"kind": "Clock", "deadlines": [WOUND, AMBUSH]},
        "journey": {"kind": "Journey", "legs": 3, "brawl_at": 2},
    }
)
TOLD: Final = (
    "journey 3 at 0",
    "ana's leg at 3",
    "journey 2 at 6",
    "brawl at 12",
    "brawl at 12",
    "journey 1 at 12",
    "ambush at 15",
    "brawl at 15",
    "brawl at 15",
)


def scripted(_: Path) -> State:
    return play_out(JOURNEY, TRIP).state


def sampled(_: Path) -> State:
    return Sampled(Random(1)).play_out(JOURNEY, TRIP)[1]


def exact(_: Path) -> State:
    (state,) = ends_of(JOURNEY, TRIP).scenes
    return state


def staged(_: Path) -> State:
    stage = ScenarioStage(TREK, TRIP)
    assert stage.step({"run": "journey"}, ()) == []
    return stage.state


def live(_: Path) -> State:
    return Campaign(TREK, TRIP, SeededDice(b"trip")).journal.state


def journal(_: Path) -> State:
    """The journal plays what time brings; the rest is begun."""
    table = Journal(TREK, TRIP, SeededDice(b"trip"))
    while (following := next_of(table.scene)) is not None:
        table.begin("somebody", following.call.rule.id, following.call.plain())
    return table.state


def walked(_: Path) -> State:
    walk = ConformanceWalk(TREK, TRIP, 1)
    while next_of(walk.journal.scene) is not None:
        walk.move()
    return walk.journal.state


def in_a_terminal(folder: Path) -> State:
    def leave(prompt: str) -> str:
        raise Left

    file = LogFile.create(folder / "log.jsonl", TREK, TRIP, SeededDice(b"trip"))
    with pytest.raises(Left):
        TerminalTable(TREK, file, {}, leave).play()
    return file.journal.state


@pytest.mark.parametrize("driver", [scripted, sampled, exact, staged, live, journal, walked, in_a_terminal])
def test_every_driver_plays_the_same_journey(driver: Callable[[Path], State], tmp_path: Path) -> None:
    scene = Scene(driver(tmp_path))
    assert scene[DIARY].lines == TOLD
    assert scene[CLOCK] == Clock(18)
    assert scene[ANA].festered == ("leg",)


# --- the game master chooses ------------------------------------------------------------------------------------------


def seated(state: State) -> Campaign:
    campaign = Campaign(TREK, state, SeededDice(b"trek"), clock=lambda: 0.0)
    for seat, role in {"gm": Role.MASTER, "ana's": Role.PLAYER, "bo's": Role.PLAYER}.items():
        who = [] if role is Role.MASTER else [seat.partition("'")[0]]
        sits = {"id": seat, "name": seat, "role": role.value, "controls": who, "real_dice": False}
        campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
    campaign.advance()
    return campaign


def camp(**more: Plain) -> Campaign:
    return seated(TREK.state({"ana": {}, "bo": {}, "diary": {"kind": "Diary"}, **more}))


def lines(table: Campaign) -> tuple[str, ...]:
    return table.journal.scene[DIARY].lines


def reopened(table: Campaign) -> Campaign:
    found = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in table.journal.lines]
    return Campaign(TREK, table.journal.start, table.journal.source, found, clock=lambda: 0.0)


@pytest.fixture
def two() -> Campaign:
    """A table at which two encounters stand."""
    table = camp()
    master = Desk(table, "gm")
    master_desk.settings(master, {"turns": False})
    master_desk.add(master, "journey", {"kind": "Journey", "legs": 2})
    master_desk.add(master, "brawl", {"kind": "Brawl", "rounds": 1})
    master_desk.settings(master, {"turns": True})
    return table


def test_the_table_waits_for_the_game_master_and_says_for_what(two: Campaign) -> None:
    assert lines(two) == ()
    stuck = Desk(two, "gm").view()["stuck"]
    assert stuck == "several encounters stand, say which one is played: brawl, journey"
    assert "stuck" not in Desk(two, "ana's").view()


def test_what_the_game_master_chooses_is_played_and_then_the_other(two: Campaign) -> None:
    master_desk.play_encounter(Desk(two, "gm"), "journey")
    assert lines(two) == ("journey 2 at 0", "journey 1 at 6", "brawl at 12")
    assert set(two.journal.state) == {"book", "clock", "ana", "bo", "diary", "passing", "playing"}
    told = [each for item in Desk(two, "bo's").feed.items for each in item.get("then", ()) if "story" in each]
    assert [each["figures"] for each in told] == [
        {"encounter": "journey", "kind": "Journey", "ending": "arrived"},
        {"encounter": "brawl", "kind": "Brawl", "ending": "won"},
    ]


def test_the_choice_is_logged_seen_and_undone(two: Campaign) -> None:
    master_desk.settings(Desk(two, "gm"), {"turns": False})
    master_desk.play_encounter(Desk(two, "gm"), "brawl")
    for table in (two, reopened(two)):
        assert Desk(table, "ana's").view()["scene"]["playing"] == {"kind": "Playing", "encounter": "brawl"}
    last = two.journal.record.last()
    assert isinstance(last, SceneEdited)
    assert last.by == "gm"
    item = Desk(two, "gm").feed.items[-1]
    assert item["then"][0]["new"] == {"kind": "Playing", "encounter": "brawl"}
    undo_desk.undo(Desk(two, "gm"), item["id"])
    assert "playing" not in two.journal.state
    undo_desk.redo(Desk(two, "gm"))
    assert two.journal.state["playing"] == TREK.value({"kind": "Playing", "encounter": "brawl"})


def test_only_the_game_master_chooses_and_only_what_stands(two: Campaign) -> None:
    with pytest.raises(NotAllowed):
        master_desk.play_encounter(Desk(two, "ana's"), "brawl")
    with pytest.raises(NotAllowed):
        master_desk.end_encounter(Desk(two, "ana's"), "brawl")
    for name in ("feast", "passing", "ana"):
        with pytest.raises(BadInput, match=r"not known; .*one of brawl, journey"):
            master_desk.play_encounter(Desk(two, "gm"), name)
        with pytest.raises(BadInput, match=r"not known; .*one of brawl, journey"):
            master_desk.end_encounter(Desk(two, "gm"), name)


def test_one_that_the_game_master_ends_is_told_to_be_over(two: Campaign) -> None:
    master_desk.end_encounter(Desk(two, "gm"), "journey")
    began = [line for line in two.journal.lines if isinstance(line, StepBegan)]
    assert (began[0].by, began[0].rule) == ("gm", "referee.encounter.end")
    assert lines(two) == ("brawl at 0",), "the other one goes on"


def test_a_table_is_where_it_was_when_it_opens_again(two: Campaign) -> None:
    master_desk.play_encounter(Desk(two, "gm"), "journey")
    again = reopened(two)
    assert again.journal.state == two.journal.state
    replay = LogReplay(TREK, two.journal.start)
    assert [problem for line in two.journal.lines for problem in replay.follow(line)] == []


def test_time_is_not_let_pass_by_hand_inside_a_nested_encounter() -> None:
    table = camp()
    master_desk.settings(Desk(table, "gm"), {"turns": False})
    master_desk.add(Desk(table, "gm"), "journey", {"kind": "Journey", "legs": 2})
    master_desk.add(Desk(table, "gm"), "brawl", {"kind": "Brawl", "rounds": 1, "within": "journey"})
    with pytest.raises(Refused, match="brawl stands inside journey, which moves the clock"):
        master_desk.pass_time(Desk(table, "gm"), 1, "Hour")
    with pytest.raises(Refused, match="brawl stands inside journey, which moves the clock"):
        Desk(table, "gm").act("rest", None, {"hours": 1})


@rule("tests.encounters.hourly")
async def hourly(scene: Scene, who: Who[Hiker]) -> None:
    """Something comes closer every hour."""
    await doom(who)
    await set_deadline(1, who, hourly)


def test_time_stands_after_two_hundred_that_came_due_and_goes_on_when_the_game_master_says_so() -> None:
    table = camp()
    master_desk.edit(
        Desk(table, "gm"), "clock", {"deadlines": [{"at": 1, "order": 0, "who": "ana", "rule": hourly.id}]}
    )
    master_desk.pass_time(Desk(table, "gm"), 450, "Hour")

    def now() -> tuple[int, bool, int]:
        scene = table.journal.scene
        return scene[CLOCK].now, scene[CLOCK].stands, scene[ANA].doom

    assert now() == (200, True, 200)
    assert table.stuck == "so much has happened by itself that the table waits; let it go on"
    master_desk.edit(Desk(table, "gm"), "diary", {"lines": []})
    assert now() == (200, True, 200), "nothing else lets it go on"
    assert reopened(table).journal.state == table.journal.state
    with pytest.raises(NotAllowed):
        master_desk.let_time_go_on(Desk(table, "ana's"))
    master_desk.let_time_go_on(Desk(table, "gm"))
    assert now() == (400, True, 400)
    master_desk.let_time_go_on(Desk(table, "gm"))
    assert now() == (450, False, 450)
    with pytest.raises(BadInput, match="time: does not stand"):
        master_desk.let_time_go_on(Desk(table, "gm"))
    replay = LogReplay(TREK, table.journal.start)
    assert [problem for line in table.journal.lines for problem in replay.follow(line)] == []


def test_in_a_terminal_one_is_chosen_and_time_and_ends_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def type_in(prompt: str) -> str:
        if asked:
            return asked.pop()
        raise Left

    asked = ["log", "journey"]
    state = TREK.state(
        {
            "ana": {},
            "diary": {"kind": "Diary"},
            "clock": {"kind": "Clock", "deadlines": [{**WOUND, "at": 40}, {**WOUND, "at": 3}]},
            "journey": {"kind": "Journey", "legs": 1},
            "brawl": {"kind": "Brawl", "rounds": 1},
        }
    )
    file = LogFile.create(tmp_path / "log.jsonl", TREK, state, SeededDice(b"x"))
    with pytest.raises(Left):
        TerminalTable(TREK, file, {}, type_in).play()
    said = capsys.readouterr().out
    assert "Several encounters stand. Which one is played?" in said
    assert "  ana: trek.fester (leg) in 1 Day 4 Watches" in said
    assert "  It is now 1 Watch 2 Hours." in said
    assert "  The travellers have arrived." in said
    assert "  The brawl is over: won." in said
    assert "referee.clock.arrive 1 Watch 2 Hours" in said
    assert file.journal.scene[DIARY].lines == ("journey 1 at 0", "ana's leg at 3", "brawl at 6")


# --- time in the units of the game ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (0, "0 Hours"),
        (1, "1 Hour"),
        (3, "3 Hours"),
        (4, "1 Watch"),
        (11, "2 Watches 3 Hours"),
        (53, "2 Days 1 Watch 1 Hour"),
    ],
)
def test_time_is_told_in_units(hours: int, words: str) -> None:
    assert TREK.in_units(Scene({}), hours) == words


def test_the_view_tells_the_time_and_what_comes_due_in_units() -> None:
    table = camp()
    Desk(table, "gm").act("rest", None, {"hours": 5})
    Desk(table, "ana's").act("wound", "ana", {"where": "leg", "hours": 30})
    assert Desk(table, "bo's").view()["time"] == {
        "now": "1 Watch 1 Hour",
        "deadlines": [{"who": "ana", "rule": "trek.fester", "about": "leg", "in": "1 Day 1 Watch"}],
    }


# --- deadlines that not everyone may know of --------------------------------------------------------------------------


def sent(table: Campaign, seat: str) -> str:
    """Everything a seat was sent, to the byte."""
    desk = Desk(table, seat)
    return json.dumps([desk.feed.items, desk.view()])


def played(deadlines: list[Plain], extra: Callable[[Campaign], None] = lambda table: None) -> Campaign:
    """The same evening, with other secrets."""
    table = camp(clock={"kind": "Clock", "deadlines": deadlines})
    Desk(table, "ana's").act("wound", "ana", {"where": "arm", "hours": 9})
    extra(table)
    Desk(table, "gm").act("rest", None, {"hours": 6})
    Desk(table, "bo's").act("wound", "bo", {"where": "leg", "hours": 2})
    Desk(table, "gm").act("rest", None, {"hours": 6})
    return table


SECRET: Final = {"at": 4, "order": 0, "who": "ana", "rule": doom.id, "audience": "game master"}


def set_secretly(own: bool) -> Callable[[Campaign], None]:
    def do(table: Campaign) -> None:
        table.journal.begin("gm", curse.id, {"who": "ana", "hours": 3, "own": own}, secret=True)
        table.advance()

    return do


def cancelled(table: Campaign) -> None:
    clock = table.journal.scene[CLOCK]
    kept = [TREK.plain_value(each) for each in clock.deadlines if each.audience is Audience.EVERYONE]
    master_desk.edit(
        Desk(table, "gm"), "clock", {"deadlines": [{k: v for k, v in each.items() if k != "kind"} for each in kept]}
    )


@pytest.mark.parametrize(
    "secret",
    [
        ([SECRET],),
        ([SECRET, {**SECRET, "at": 99}],),
        ([{**SECRET, "at": 0}],),
        ([], set_secretly(own=False)),
        ([SECRET], cancelled),
        ([{**SECRET, "who": "nobody"}],),
        ([{**SECRET, "rule": fester.id, "who": "bo", "at": 99, "about": "pride"}],),
    ],
)
def test_two_worlds_that_differ_in_a_secret_deadline_look_the_same_to_players(secret: tuple[Any, ...]) -> None:
    other, plain = played(*secret), played([])
    for seat in ("ana's", "bo's"):
        assert sent(other, seat) == sent(plain, seat)
    assert sent(other, "gm") != sent(plain, "gm")
    assert sent(reopened(other), "bo's") == sent(plain, "bo's")


def test_a_deadline_of_ones_own_is_told_to_its_owner_and_to_no_one_else() -> None:
    own, plain = played([], set_secretly(own=True)), played([])
    assert sent(own, "bo's") == sent(plain, "bo's")
    assert sent(own, "ana's") != sent(plain, "ana's")
    fired = [item for item in Desk(own, "ana's").feed.items if item.get("rule") == "referee.clock.deadline"]
    assert [item["arguments"]["deadline"]["rule"] for item in fired] == ["trek.doom", "trek.fester", "trek.fester"]


def test_odds_do_not_know_of_a_secret_deadline_and_the_game_master_does() -> None:
    table = camp(clock={"kind": "Clock", "deadlines": [SECRET, {**WOUND, "audience": "owner"}]})
    seats = {
        Seat("gm", master=True): [3, 4],
        Seat("ana's", frozenset({"ana"})): [3],
        Seat("bo's", frozenset({"bo"})): [],
    }
    for seat, times in seats.items():
        clock = Scene(known_to(table.journal.state, seat))[CLOCK]
        assert [each.at for each in clock.deadlines] == times


def test_an_audience_is_not_compared_but_a_change_of_it_is_logged_and_told() -> None:
    table = camp(clock={"kind": "Clock", "deadlines": [SECRET]})
    before = table.journal.state
    assert Desk(table, "bo's").view()["scene"]["clock"]["deadlines"] == []
    master_desk.edit(Desk(table, "gm"), "clock", {"deadlines": [{**SECRET, "audience": "everyone"}]})
    assert table.journal.state == before
    told = {"at": 4, "order": 0, "who": "ana", "rule": "trek.doom"}
    for each in (table, reopened(table)):
        assert Desk(each, "bo's").view()["scene"]["clock"]["deadlines"] == [told]
        assert Desk(each, "bo's").feed.items[-1]["then"][0]["set"] == {"deadlines": [told]}


def test_an_old_log_without_about_and_audience_opens_and_is_written_the_same() -> None:
    old = {"now": 0, "deadlines": [{"at": 4, "order": 0, "who": "ana", "rule": "trek.doom"}]}
    clock = TREK.value({"kind": "Clock", **old})
    assert clock == Clock(0, (Deadline(4, 0, "ana", "trek.doom"),))
    assert TREK.plain_value(clock) == {"kind": "Clock", **old, "pending": [], "stands": False}


def test_a_secret_deadline_that_is_refused_or_void_is_told_to_the_game_master_only() -> None:
    void = camp(clock={"kind": "Clock", "deadlines": [{**SECRET, "who": "nobody", "at": 1}]})
    Desk(void, "gm").act("rest", None, {"hours": 2})
    keys = [each["story"] for item in Desk(void, "gm").feed.items for each in item.get("then", ()) if "story" in each]
    assert keys == ["deadline-void"]
    assert "deadline-void" not in json.dumps(Desk(void, "ana's").feed.items)


def test_time_that_passes_brings_what_is_due_at_once_even_without_passing() -> None:
    """A deadline at this very hour comes due by itself."""
    table = camp()
    Desk(table, "ana's").act("wound", "ana", {"where": "leg", "hours": 0})
    assert lines(table) == ("ana's leg at 0",)
