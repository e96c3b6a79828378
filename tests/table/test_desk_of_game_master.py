"""What the game master prepares and writes down: of the one nobody hears, of the other everybody."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.store.export import export_campaign
from referee.table import master_desk, undo_desk
from referee.table.access import Admitted
from referee.table.desk import DeskCommand
from referee.table.hub import Hub
from referee.table.members import NotAllowed, Role
from referee.verify.log_file import read_written
from referee.verify.report import verify


@pytest.fixture
def mo(hub: Hub) -> Admitted:
    return hub.create("Cellar", "den", {"ana": {"coins": 6}, "bo": {"coins": 6}}, "Mo")


@pytest.fixture
def anna(hub: Hub, mo: Admitted) -> Admitted:
    return hub.join(hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"ana"})), "Anna")


def told(hub: Hub, seat: Admitted) -> list[dict[str, Plain]]:
    return hub.story(seat.campaign, seat.seat, 0, 1000)


def test_of_what_is_prepared_the_others_are_told_nothing(hub: Hub, mo: Admitted, anna: Admitted) -> None:
    before = told(hub, anna)
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.add, "cid", {"kind": "Rogue", "coins": 3}, hidden=True))
    assert told(hub, anna) == before
    assert "cid" in hub.read(mo.campaign, mo.seat, lambda desk: desk.view()["scene"])
    assert "cid" not in hub.read(mo.campaign, anna.seat, lambda desk: desk.view()["scene"])
    assert "cid" not in str(hub.public_story(mo.campaign).made("", list))
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.hide, "cid", hidden=False))
    assert [item["then"][0]["who"] for item in told(hub, anna)[len(before) :]] == ["cid"]


def test_what_cannot_be_prepared_leaves_nothing_behind(hub: Hub, mo: Admitted) -> None:
    before = told(hub, mo)
    for name, kind in (("ana", "Rogue"), ("cid", "Ghost"), ("clock", "Rogue")):
        with pytest.raises(BadInput):
            hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.add, name=name, changes={"kind": kind}, hidden=True))
    assert told(hub, mo) == before
    assert hub.read(mo.campaign, mo.seat, lambda desk: "veil" in desk.journal.state) is False


def test_nobody_is_called_like_what_every_scene_has(hub: Hub, mo: Admitted) -> None:
    with pytest.raises(BadInput, match="reserved name"):
        hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "clock", {"kind": "Rogue"}))
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "clock", {"kind": "Clock", "now": 4}))


def test_a_recap_is_told_to_everybody_and_outlives_an_undo_and_a_restart(
    hub: Hub, mo: Admitted, anna: Admitted
) -> None:
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "bo", {"coins": 1}))
    item = told(hub, mo)[-1]["id"]
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.recap, "Bo lost it all."))
    hub.act(mo.campaign, mo.seat, DeskCommand(undo_desk.undo, item))
    hub.evict_idle(-1)
    assert [each["text"] for each in told(hub, anna) if each.get("about") == "recap"] == ["Bo lost it all."]
    heard = [each for each in hub.public_story(mo.campaign).made("", list) if each.get("about") == "recap"]
    assert [(each["text"], each["by"]) for each in heard] == [("Bo lost it all.", mo.seat)]
    with pytest.raises(NotAllowed):
        hub.act(mo.campaign, anna.seat, DeskCommand(master_desk.recap, "Mine."))
    for text in (" ", "x" * 20_001):
        with pytest.raises(BadInput):
            hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.recap, text=text))


def test_whether_one_may_go_back_is_told_beforehand(hub: Hub, mo: Admitted, anna: Admitted) -> None:
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.edit, "bo", {"coins": 1}))
    mine, hers = told(hub, mo)[-1]["id"], told(hub, anna)[-1]["id"]
    assert hub.read(mo.campaign, mo.seat, lambda desk: undo_desk.may_undo(desk, mine)) is None
    why = hub.read(mo.campaign, anna.seat, lambda desk: undo_desk.may_undo(desk, hers))
    assert str(why) == "undo: others have made decisions since (referee.table.undo); legal: ask the game master"
    assert "no such item" in str(hub.read(mo.campaign, anna.seat, lambda desk: undo_desk.may_undo(desk, 999)))


def test_a_log_with_something_prepared_and_a_recap_verifies(hub: Hub, mo: Admitted, tmp_path: Path) -> None:
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.add, "cid", {"kind": "Rogue"}, hidden=True))
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.recap, "Cid waits."))
    with (tmp_path / "evening.jsonl").open("wb") as file:
        export_campaign(hub.store, mo.campaign, file, seeds=True)
    assert verify(read_written(tmp_path / "evening.jsonl")).holds
