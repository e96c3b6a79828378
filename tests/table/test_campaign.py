"""A campaign goes on by itself as far as it may: encounters, time, deadlines, and seats that come later."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, final

import pytest

from referee.core import (
    D6,
    Action,
    BadInput,
    Call,
    Encounter,
    Open,
    Pick,
    Pool,
    Prompt,
    Refused,
    Scene,
    System,
    Total,
    Who,
    advance_clock,
    alter,
    change,
    choose,
    roll,
    rule,
    set_deadline,
    suggest,
    tell,
)
from referee.core.files import load_yaml_file
from referee.core.plain import Plain
from referee.journal.lines import Line, SeatTaken, StepBegan
from referee.journal.log_items import StoryLine
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import TABLE
from referee.systems.distemper import SYSTEM as DISTEMPER
from referee.table import master_desk, seat_desk, undo_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Member, Role
from referee.table.seat_desk import new_seat

# --- a small inn: time that passes, and a round of drinks -------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Guest:
    coins: Open[int] = 5
    tired: Open[int] = 0

    def paid(self, coins: int) -> Guest:
        return replace(self, coins=self.coins - coins)

    def tiring(self) -> Guest:
        return replace(self, tired=self.tired + 1)


@final
@dataclass(frozen=True, slots=True)
class Round(Encounter):
    """Everybody drinks in turn."""

    order: Open[tuple[str, ...]]
    at: Open[int] = 0

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return drink(Who(self.order[self.at], Guest))

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "drunk" if self.at >= len(self.order) else None


ROUND: Final = Who("round", Round)
DIE, MORE, YAWN = Prompt("die"), Prompt("more"), Prompt("yawn")


@rule("tavern.drink")
async def drink(scene: Scene, who: Who[Guest]) -> bool:
    """A drink costs what a die says; who has nothing left is refused."""
    more = await choose(who, MORE, (True, False))
    if more:
        await alter(who, Guest.paid, (await roll(DIE, who, Pool.of((D6, 1)), Total)).total // 3)
    await change(ROUND, replace(scene[ROUND], at=scene[ROUND].at + 1))
    return more


@rule("tavern.tire")
async def tire(scene: Scene, who: Who[Guest]) -> None:
    """Comes due."""
    await alter(who, Guest.tiring)
    await tell("tired", who=who, at=scene[Who("clock", object)].now)  # type: ignore[attr-defined]  # the clock


@rule("tavern.bill")
async def bill(scene: Scene, who: Who[Guest]) -> None:
    """Comes due, and is refused who has not the coins; only after a die was thrown."""
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total)
    if scene[who].coins < thrown.total + 90:
        raise Refused("bill", because=f"{who} cannot pay", rule="tavern.bill")


@rule("tavern.closing-time")
async def closing_time(scene: Scene, who: Who[Guest]) -> None:
    """Comes due, and is refused at once."""
    raise Refused("closing time", because="nobody leaves", rule="tavern.closing-time")


@rule("tavern.yawn")
async def yawn(scene: Scene, who: Who[Guest]) -> None:
    """Comes due, and asks."""
    if await choose(who, YAWN, (True, False)):
        await alter(who, Guest.tiring)


RULES: Final = {"tire": tire, "bill": bill, "closing-time": closing_time, "yawn": yawn}


@rule("tavern.remind")
async def remind(
    scene: Scene,
    whom: Who[Guest],
    of: Annotated[str, Pick(lambda scene, who: tuple(RULES))],
    after: Annotated[int, suggest(1)],
    order: int = 0,
) -> None:
    """Something will come due."""
    await set_deadline(after, whom, RULES[of], order)


@rule("tavern.wait")
async def wait(scene: Scene, units: Annotated[int, suggest(5)]) -> None:
    """Time passes."""
    await advance_clock(units)


INN: Final = System(
    "inn",
    "The inn",
    Path(__file__).parent,
    1,
    Guest,
    (Round,),
    (
        Action("remind", remind, master=True),
        Action("wait", wait, master=True),
    ),
)


def seated(campaign: Campaign, **plays: str) -> Campaign:
    roles = {"gm": Role.MASTER, "ana's": Role.PLAYER, "bo's": Role.PLAYER, "guest": Role.SPECTATOR}
    for seat, role in roles.items():
        who = plays.get(seat.partition("'")[0])
        sits = {"id": seat, "name": seat, "role": role.value, "controls": [who] if who else [], "real_dice": False}
        campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
    campaign.advance()
    return campaign


def at(table: Campaign, seat: str) -> Desk:
    return Desk(table, seat)


def asked(table: Campaign, seat: str) -> list[str]:
    return [each["key"] for each in at(table, seat).view()["questions"]]


def reopened(table: Campaign) -> Campaign:
    lines = [Line.from_plain(line.to_plain()) for line in table.journal.lines]
    return Campaign(table.system, table.journal.start, table.journal.source, lines)


@pytest.fixture
def inn() -> Campaign:
    return seated(Campaign(INN, INN.state({"ana": {}, "bo": {}}), SeededDice(b"inn")), ana="ana", bo="bo")


def remind_of(table: Campaign, what: str, whom: str, after: int, order: int = 0) -> None:
    given: dict[str, Plain] = {"whom": whom, "of": what, "after": after, "order": order}
    at(table, "gm").act("remind", None, given)


# --- encounters -------------------------------------------------------------------------------------------------------


def test_an_encounter_takes_its_turns_by_itself_and_asks_who_is_next(inn: Campaign) -> None:
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["ana", "bo"]})
    assert asked(inn, "ana's") == ["ana.more"]
    at(inn, "ana's").answer("ana.more", "yes")
    assert (asked(inn, "ana's"), asked(inn, "bo's")) == ([], ["bo.more"])
    at(inn, "bo's").answer("bo.more", "no")
    assert inn.journal.asking == ()
    assert "round" not in at(inn, "guest").view()["scene"]
    assert {line.by for line in inn.journal.lines if line.kind == "began"} == {TABLE}


def test_an_encounter_waits_where_turns_are_switched_off(inn: Campaign) -> None:
    master_desk.settings(at(inn, "gm"), {"turns": False})
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["ana"]})
    assert inn.journal.asking == ()
    master_desk.settings(at(inn, "gm"), {"turns": True})
    assert asked(inn, "ana's") == ["ana.more"]


def test_an_encounter_waits_while_the_table_is_stopped(inn: Campaign) -> None:
    at(inn, "guest").stop()
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["ana"]})
    assert inn.journal.asking == ()
    assert reopened(inn).journal.asking == ()
    at(inn, "gm").resume()
    assert asked(inn, "ana's") == ["ana.more"]


def test_an_encounter_waits_while_anything_is_open(inn: Campaign) -> None:
    remind_of(inn, "yawn", "bo", 1)
    at(inn, "gm").act("wait", None, {"units": 1})
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["ana"]})
    assert [str(each.question.name) for each in inn.journal.asking] == ["yawn"]
    at(inn, "bo's").answer("bo.yawn", "no")
    assert asked(inn, "ana's") == ["ana.more"]


def test_an_encounter_that_cannot_go_on_is_the_game_masters_to_mend(inn: Campaign) -> None:
    """Whoever else did something is not refused for it, and the campaign still opens."""
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["ana", "cy"]})
    at(inn, "ana's").answer("ana.more", "no")
    assert asked(inn, "gm") == ["cy.more"]
    with pytest.raises(BadInput, match="'cy' is not known"):
        at(inn, "gm").answer("cy.more", "yes")
    at(inn, "bo's").note("who is cy?")
    again = reopened(inn)
    for table in (inn, again):
        assert "'cy' is not known" in at(table, "gm").view()["stuck"]
        assert "stuck" not in at(table, "bo's").view()
    master_desk.edit(at(inn, "gm"), "cy", {"kind": "Guest"})
    assert "stuck" not in at(inn, "gm").view()
    assert "round" not in at(inn, "gm").view()["scene"]


def test_a_fighter_taken_out_of_the_scene_stops_the_fight_and_nothing_else() -> None:
    plain = load_yaml_file(DISTEMPER.folder / "samples" / "roadblock.yaml")
    scene = DISTEMPER.state({**plain["sheets"], **plain["scene"]})
    table = seated(Campaign(DISTEMPER, scene, SeededDice(b"road")), ana="Ash")
    master_desk.settings(at(table, "gm"), {"throws": {"*": "leave it"}})
    while table.journal.asking:
        master_desk.cancel(at(table, "gm"), asked(table, "gm")[0])
        master_desk.settings(at(table, "gm"), {"turns": False})
    master_desk.remove(at(table, "gm"), "raider")
    master_desk.settings(at(table, "gm"), {"turns": True})
    assert "raider" in at(table, "gm").view()["stuck"]
    at(table, "ana's").note("what now?")
    master_desk.remove(at(table, "gm"), "fight")
    assert "stuck" not in at(table, "gm").view()


def test_a_step_whose_actor_is_gone_keeps_nobody_from_playing(inn: Campaign) -> None:
    master_desk.settings(at(inn, "gm"), {"throws": {"*": "leave it"}})
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["ana"]})
    at(inn, "ana's").answer("ana.more", "yes")
    master_desk.remove(at(inn, "gm"), "ana")
    master_desk.settings(at(inn, "gm"), {"throws": {}})
    assert "'ana' is not known" in at(inn, "gm").view()["stuck"]
    at(inn, "bo's").roll("1d6")
    assert at(reopened(inn), "gm").view()["scene"] == at(inn, "gm").view()["scene"]
    master_desk.cancel(at(inn, "gm"), "ana.die")
    assert "stuck" not in at(inn, "gm").view()
    assert asked(inn, "gm") == ["ana.more"]  # the round still calls for ana


# --- time -------------------------------------------------------------------------------------------------------------


def due(table: Campaign) -> list[tuple[str, str]]:
    """What came due, in order: the rule and for whom."""
    began = [line for line in table.journal.lines if line.by == "clock" and isinstance(line, StepBegan)]
    deadlines = [line.arguments["deadline"] for line in began if line.rule == "referee.clock.deadline"]
    return [(each["rule"], each["who"]) for each in deadlines]


def test_deadlines_come_due_by_themselves_in_the_stated_order(inn: Campaign) -> None:
    """By time, then by their order, then by name."""
    for whom, after, order in (("bo", 3, 0), ("ana", 3, 0), ("bo", 2, 9), ("ana", 2, 5), ("ana", 9, 0)):
        remind_of(inn, "tire", whom, after, order)
    at(inn, "gm").act("wait", None, {"units": 5})
    assert due(inn) == [("tavern.tire", who) for who in ("ana", "bo", "ana", "bo")]
    scene = at(inn, "guest").view()["scene"]
    assert (scene["clock"]["now"], scene["ana"]["tired"], scene["bo"]["tired"]) == (5, 2, 2)
    assert [each["at"] for each in scene["clock"]["deadlines"]] == [9]


def test_time_is_undone_with_all_that_came_due_in_it(inn: Campaign) -> None:
    remind_of(inn, "tire", "ana", 3)
    before = at(inn, "guest").view()["scene"]
    item = at(inn, "gm").feed.cursor
    at(inn, "gm").act("wait", None, {"units": 5})
    after = at(inn, "guest").view()["scene"]
    assert after["ana"]["tired"] == 1
    undo_desk.undo(at(inn, "gm"), item)
    assert at(inn, "guest").view()["scene"] == before
    undo_desk.redo(at(inn, "gm"))
    assert at(inn, "guest").view()["scene"] == after


def test_going_back_to_a_deadline_leaves_time_standing_until_somebody_goes_on(inn: Campaign) -> None:
    remind_of(inn, "tire", "ana", 3)
    at(inn, "gm").act("wait", None, {"units": 5})
    (item,) = [each["id"] for each in at(inn, "gm").feed.items if each.get("rule") == "referee.clock.deadline"]
    undo_desk.undo(at(inn, "gm"), item)
    assert at(inn, "gm").view()["scene"]["clock"]["now"] == 0
    assert at(reopened(inn), "gm").view()["scene"]["clock"]["now"] == 0
    at(inn, "gm").resume()
    assert at(inn, "gm").view()["scene"]["clock"]["now"] == 5


def test_time_stands_while_a_deadline_asks(inn: Campaign) -> None:
    remind_of(inn, "yawn", "ana", 2)
    remind_of(inn, "tire", "bo", 4)
    at(inn, "gm").act("wait", None, {"units": 5})
    assert (asked(inn, "ana's"), at(inn, "guest").view()["scene"]["clock"]["now"]) == (["ana.yawn"], 2)
    at(inn, "ana's").answer("ana.yawn", "yes")
    scene = at(inn, "guest").view()["scene"]
    assert (scene["clock"]["now"], scene["ana"]["tired"], scene["bo"]["tired"]) == (5, 1, 1)


@pytest.mark.parametrize("what", ["closing-time", "bill"])
def test_a_deadline_that_is_refused_is_told_and_passed_over(inn: Campaign, what: str) -> None:
    """At once, or in its middle after dice were thrown; the clock goes on either way."""
    remind_of(inn, what, "ana", 2)
    remind_of(inn, "tire", "bo", 4)
    at(inn, "gm").act("wait", None, {"units": 5})
    scene = at(inn, "guest").view()["scene"]
    assert (scene["clock"]["now"], scene["clock"]["deadlines"], scene["bo"]["tired"]) == (5, [], 1)
    items = (each for line in inn.journal.lines for each in line.then if isinstance(each, StoryLine))
    told = [each for each in items if each.story == "deadline-refused"]
    (passed,) = told
    assert passed.figures["whom"] == "ana"
    assert passed.rules[0] == f"tavern.{what}"
    assert "deadline-refused" in str(at(inn, "gm").feed.items)
    assert "deadline-refused" not in str(at(inn, "guest").feed.items)
    assert at(reopened(inn), "guest").view() == at(inn, "guest").view()


def test_whoever_a_deadline_was_for_may_be_gone(inn: Campaign) -> None:
    remind_of(inn, "tire", "ana", 2)
    master_desk.remove(at(inn, "gm"), "ana")
    at(inn, "gm").act("wait", None, {"units": 5})
    assert at(inn, "gm").view()["scene"]["clock"] == {
        "kind": "Clock",
        "now": 5,
        "deadlines": [],
        "pending": [],
        "stands": False,
    }


# --- seats that come later --------------------------------------------------------------------------------------------


def test_who_comes_later_hears_the_earlier_story(inn: Campaign) -> None:
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["ana", "bo"]})
    at(inn, "ana's").answer("ana.more", "yes")
    at(inn, "gm").note("psst", to=["ana's"])
    at(inn, "gm").roll("1d6", hidden=True)
    at(inn, "bo's").answer("bo.more", "no")
    undo_desk.undo(at(inn, "gm"), at(inn, "gm").feed.cursor - 2)
    late = new_seat(inn, "", "Late", Role.SPECTATOR)
    mine, theirs = at(inn, late).feed.items, at(inn, "guest").feed.items
    assert mine == theirs
    assert mine[-1]["seat"]["name"] == "Late"
    assert "psst" not in str(mine)


def test_who_comes_later_is_asked_what_is_open(inn: Campaign) -> None:
    master_desk.edit(at(inn, "gm"), "cy", {"kind": "Guest"})
    master_desk.edit(at(inn, "gm"), "round", {"kind": "Round", "order": ["cy"]})
    late = new_seat(inn, "", "Late", Role.PLAYER, frozenset({"cy"}))
    assert asked(inn, late) == ["cy.more"]
    at(inn, late).answer("cy.more", "no")


def test_what_is_said_beside_the_story_no_undo_touches(inn: Campaign) -> None:
    master_desk.edit(at(inn, "gm"), "ana", {"coins": 9})
    item = at(inn, "gm").feed.cursor - 1
    at(inn, "ana's").note("I am rich")
    master_desk.settings(at(inn, "gm"), {"offer_after": 5})
    late = new_seat(inn, "", "Late", Role.PLAYER)
    undo_desk.undo(at(inn, "gm"), item)
    assert at(inn, "ana's").view()["scene"]["ana"]["coins"] == 5
    assert at(inn, late).view()["settings"]["offer_after"] == 5
    assert "I am rich" in str(at(inn, late).feed.items)


def test_a_seat_that_is_not_there_is_refused(inn: Campaign) -> None:
    with pytest.raises(Refused, match="not at this table"):
        Desk(inn, "nobody")
    with pytest.raises(BadInput, match="nobody"):
        seat_desk.change_seat(at(inn, "gm"), "nobody", name="x")


def test_a_fight_goes_on_without_somebody_whom_the_game_master_takes_out_of_the_scene() -> None:
    plain = load_yaml_file(DISTEMPER.folder / "samples" / "roadblock.yaml")
    scene = DISTEMPER.state({**plain["sheets"], **plain["scene"]})
    desk = Desk(seated(Campaign(DISTEMPER, scene, SeededDice(b"road")), ana="Ash"), "gm")
    while desk.view()["questions"][0]["prompt"] != "action":
        desk.answer(desk.view()["questions"][0]["key"], "no")
    master_desk.remove(desk, "lookout")
    rounds = 1
    while rounds < 2 and desk.view()["questions"]:
        asked = desk.view()["questions"][0]
        assert asked["who"] != "lookout"
        assert {each["action"] for each in desk.actions("Ash")} >= {"attack", "check"}
        desk.answer(asked["key"], "no" if "no" in asked["options"] else "defend")
        rounds = desk.view()["scene"]["fight"]["round"]
    assert rounds == 2
    assert "stuck" not in desk.view()
