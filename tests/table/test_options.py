"""Options at the live table, and what the game master is told where a step leaves what the book does not allow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain
from referee.core.rulebook import Book
from referee.core.scene import State
from referee.core.system import SYSTEMS, System
from referee.journal.journal import Journal
from referee.journal.lines import CheckFailed, Line
from referee.journal.seeded_dice import SeededDice
from referee.store.export import export_campaign
from referee.table import master_desk, undo_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.verify.log_file import read_written
from referee.verify.report import verify

LUCK = "fair.luck.luck"
DOOM = "fair.luck.doom"
ONE = "fair.throw.one"


@pytest.fixture
def mo(hub: Hub) -> Admitted:
    return hub.create("Meadow", "fair", {"ana": {"coins": 6}, "bo": {"coins": 2}}, "Mo")


@pytest.fixture
def anna(hub: Hub, mo: Admitted) -> Admitted:
    return hub.join(hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"ana", "bo"})), "Anna")


def play_with(hub: Hub, mo: Admitted, **options: Any) -> None:
    given = {f"fair.{name.replace('__', '.')}": setting for name, setting in options.items()}
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.house_rules, {"options": given}))


def scene(hub: Hub, seat: Admitted) -> dict[str, Plain]:
    return dict(hub.read(seat.campaign, seat.seat, lambda desk: desk.view()["scene"]))


def told(hub: Hub, seat: Admitted) -> list[dict[str, Plain]]:
    return hub.story(seat.campaign, seat.seat, 0, 1000)


def offered(hub: Hub, seat: Admitted) -> list[str]:
    actions = hub.read(seat.campaign, seat.seat, lambda desk: desk.actions("ana"))
    return [str(each["action"]) for each in actions]


# --- options ----------------------------------------------------------------------------------------------------------


def test_a_choice_is_made_kept_and_undone(hub: Hub, mo: Admitted) -> None:
    play_with(hub, mo, throw__one="lost")
    hub.evict_idle(-1)
    assert scene(hub, mo)["book"]["options"] == {ONE: "lost"}
    hub.act(mo.campaign, mo.seat, DeskCommand(undo_desk.undo, told(hub, mo)[-1]["id"]))
    assert scene(hub, mo)["book"]["options"] == {}


def test_two_that_exclude_each_other_are_refused_and_nothing_changes(hub: Hub, mo: Admitted) -> None:
    play_with(hub, mo, luck__luck=True)
    before = told(hub, mo)
    with pytest.raises(Refused, match=r"fair\.luck\.doom and fair\.luck\.luck cannot be used together"):
        play_with(hub, mo, luck__doom=True)
    assert (told(hub, mo), scene(hub, mo)["book"]["options"]) == (before, {LUCK: True})
    play_with(hub, mo, luck__luck=False, luck__doom=True)
    assert scene(hub, mo)["book"]["options"] == {LUCK: False, DOOM: True}


def test_an_action_is_offered_only_with_its_option_and_refused_with_the_reason(
    hub: Hub, mo: Admitted, anna: Admitted
) -> None:
    assert offered(hub, anna) == ["throw", "debt"]
    for seat in (anna, mo):
        with pytest.raises(Refused) as refused:
            hub.act(seat.campaign, seat.seat, DeskCommand(Desk.act, "push", "ana", {}))
        assert str(refused.value) == (
            "push: the optional rule fair.luck.luck is not used at this table (fair.luck.push)"
        )
    play_with(hub, mo, luck__luck=True)
    assert offered(hub, anna) == ["throw", "push", "debt"]
    hub.act(anna.campaign, anna.seat, DeskCommand(Desk.act, "push", "ana", {}))
    assert scene(hub, anna)["ana"] == {"kind": "Guest", "coins": 7, "luck": 1}


def test_a_field_comes_and_goes_with_its_option_and_keeps_nothing(hub: Hub, mo: Admitted, anna: Admitted) -> None:
    assert scene(hub, anna)["ana"] == {"kind": "Guest", "coins": 6}
    with pytest.raises(BadInput, match=r"ana\.luck: the optional rule fair\.luck\.luck is not used at this table"):
        hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "ana", {"luck": 4}))
    play_with(hub, mo, luck__luck=True)
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "ana", {"luck": 4}))
    play_with(hub, mo, luck__luck=False)
    assert scene(hub, anna)["ana"] == {"kind": "Guest", "coins": 6}
    assert told(hub, anna)[-1]["then"][-1]["set"] == {"luck": 2}
    play_with(hub, mo, luck__luck=True)
    assert scene(hub, anna)["ana"]["luck"] == 2
    hub.evict_idle(-1)
    assert scene(hub, anna)["ana"]["luck"] == 2


def test_turned_off_and_undone_the_field_is_what_it_was(hub: Hub, mo: Admitted) -> None:
    play_with(hub, mo, luck__luck=True)
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "ana", {"luck": 4}))
    play_with(hub, mo, luck__luck=False)
    hub.act(mo.campaign, mo.seat, DeskCommand(undo_desk.undo, told(hub, mo)[-1]["id"]))
    assert scene(hub, mo)["ana"]["luck"] == 4


def test_that_somebody_hidden_loses_a_field_is_not_told(hub: Hub, mo: Admitted, anna: Admitted) -> None:
    play_with(hub, mo, luck__luck=True)
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.add, "cid", {"kind": "Guest", "luck": 9}, hidden=True))
    play_with(hub, mo, luck__luck=False)
    assert [item["who"] for item in told(hub, mo)[-1]["then"]] == ["book", "cid"]
    assert [item["who"] for item in told(hub, anna)[-1]["then"]] == ["book"]
    assert "cid" not in str(told(hub, anna))


def test_a_log_with_options_is_verified(hub: Hub, mo: Admitted, tmp_path: Path) -> None:
    play_with(hub, mo, luck__luck=True, throw__one="again")
    hub.act(mo.campaign, mo.seat, DeskCommand(Desk.act, "throw", "ana", {}))
    hub.act(mo.campaign, mo.seat, DeskCommand(Desk.act, "push", "ana", {}))
    play_with(hub, mo, luck__luck=False)
    hub.act(mo.campaign, mo.seat, DeskCommand(Desk.act, "debt", "bo", {}))
    file = tmp_path / "fair.jsonl"
    with file.open("wb") as out:
        export_campaign(hub.store, mo.campaign, out)
    report = verify(read_written(file))
    assert (report.mismatches, report.steps) == ((), 3)


def test_a_campaign_that_only_knows_switches_opens_as_it_was(systems: None) -> None:
    """As campaigns wrote them before there were choices."""
    system = registry.load("fair")
    plain = {"kind": "Book", "system": "fair", "options": {LUCK: True, ONE: False}, "set": {}, "add": {}}
    book = system.value(plain)
    assert isinstance(book, Book)
    assert (book.on(LUCK), book.on(ONE), book.choice("fair.throw.order")) == (True, False, "young")
    assert book.to_plain()["options"] == plain["options"]


def test_a_campaign_opens_though_the_book_has_become_stricter(hub: Hub, mo: Admitted, systems: None) -> None:
    """Two options that exclude each other today, a choice and a rule that are gone: stored as legal then."""
    system = registry.load("fair")
    options = {LUCK: True, DOOM: True, ONE: "thrice", "fair.gone.gone": True}
    plain = {"kind": "Book", "system": "fair", "options": options, "set": {"fair.throw.throw": {"gone": 3}}}
    book = system.value(plain)
    assert isinstance(book, Book)
    assert (book.on(LUCK), book.on(DOOM), book.choice(ONE)) == (True, True, "again")
    assert book.to_plain()["options"] == options
    with pytest.raises((BadInput, Refused)):
        system.state({"book": plain})
    with pytest.raises((BadInput, Refused)):
        hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "book", plain))


# --- the check after a step -------------------------------------------------------------------------------------------

WRONG = "bo: coins: bo has -1 (fair.debts.none)"


def test_a_step_that_leaves_what_the_book_does_not_allow_stands_and_the_game_master_is_told(
    hub: Hub, mo: Admitted, anna: Admitted
) -> None:
    hub.act(anna.campaign, anna.seat, DeskCommand(Desk.act, "debt", "bo", {}))
    assert scene(hub, anna)["bo"]["coins"] == -1
    said = {name: value for name, value in told(hub, mo)[-1].items() if name not in ("id", "at")}
    assert said == {
        "kind": "said",
        "by": "table",
        "about": "check",
        "rule": "fair.debts.debt",
        "who": "bo",
        "text": WRONG,
        "to": [],
    }
    assert "check" not in [
        each.get("about") for each in (*told(hub, anna), *hub.public_story(mo.campaign).made("", list))
    ]


def test_players_cannot_tell_whether_the_game_master_was_told(hub: Hub, systems: None) -> None:
    """Two tables, one of which the check objects to; all that differs to the player are the coins."""
    heard = []
    for coins in (2, 3):
        mo = hub.create("Meadow", "fair", {"ana": {"coins": 6}, "bo": {"coins": coins}}, "Mo")
        anna = hub.join(hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"ana"})), "Anna")
        before = len(told(hub, anna))
        hub.act(mo.campaign, mo.seat, DeskCommand(Desk.act, "debt", "bo", {}))
        hub.act(mo.campaign, mo.seat, DeskCommand(Desk.note, "Next."))
        items = told(hub, anna)[before:]
        heard.append([(each["id"], each["kind"], sorted(set(each) - {"at"})) for each in items])
        assert (told(hub, mo)[-2].get("about") == "check") is (coins == 2)
    assert heard[0] == heard[1]


def test_it_is_told_once_and_not_again_when_the_campaign_is_opened(hub: Hub, mo: Admitted) -> None:
    hub.act(mo.campaign, mo.seat, DeskCommand(Desk.act, "debt", "bo", {}))
    before = told(hub, mo)
    hub.evict_idle(-1)
    assert told(hub, mo) == before
    assert [each.get("about") for each in before].count("check") == 1
    hub.act(mo.campaign, mo.seat, DeskCommand(undo_desk.undo, before[-2]["id"]))
    assert scene(hub, mo)["bo"]["coins"] == 2


def test_a_step_that_asks_is_checked_when_it_is_over(systems: None) -> None:
    system = registry.load("fair")
    journal = Journal(system, system.state({"ana": {"coins": 0}}), None)
    step = journal.begin("mo", "fair.throw.throw", {"who": "ana"})
    assert [type(line) for line in journal.lines if isinstance(line, CheckFailed)] == []
    journal.answer("mo", step, [[2]])
    (failed,) = (line for line in journal.lines if isinstance(line, CheckFailed))
    assert (failed.rule, failed.who, failed.to) == ("fair.throw.throw", "ana", ())
    assert Line.from_plain(failed.to_plain()) == failed


def test_the_check_of_one_sheet_costs_little_in_a_crowd(systems: None) -> None:
    """Only what a step has changed is checked: of a thousand, one."""
    system = registry.load("fair")
    checked: list[str] = []

    def noting(scene: Any, who: Any) -> None:
        checked.append(who.name)

    crowd = State({**system.state({}), **{f"guest {n}": system.value({}) for n in range(1000)}})
    journal = Journal(_checking(system, noting), crowd, SeededDice(b"fair"))
    for _ in range(20):
        journal.begin("mo", "fair.debts.debt", {"who": "guest 7"})
    assert checked == ["guest 7"] * 20


def _checking(system: System, check: Any) -> System:
    """The system with another check; the one that others use stays registered."""
    made = replace(system, check=check)
    SYSTEMS[system.name] = system
    return made
