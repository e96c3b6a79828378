"""What everyone may know is read once, and read on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.table import undo_desk
from referee.table.desk import Desk, DeskCommand

if TYPE_CHECKING:
    import pytest

    from referee.table.hub import Hub


def say(hub: Hub, at: Any, text: str) -> None:
    hub.act(at.campaign, at.seat, DeskCommand(Desk.note, text))


def test_it_is_read_on_from_where_it_was_left(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    mo = hub.create("Night", "alien", {}, "Mo")
    say(hub, mo, "one")
    read: list[int] = []
    lines = hub.store.lines

    def counted(campaign: str, start: int = 0, *more: Any) -> Any:
        for row in lines(campaign, start, *more):
            read.append(row.number)
            yield row

    monkeypatch.setattr(hub.store, "lines", counted)
    calls: list[int] = []

    def texts(items: list[dict[str, Any]]) -> list[str]:
        calls.append(len(items))
        return [item["text"] for item in items if item.get("about") == "note"]

    assert hub.public_story(mo.campaign).made("mo", texts) == ["one"]
    first = len(read)
    assert hub.public_story(mo.campaign).made("mo", texts) == ["one"]
    assert (len(read), len(calls)) == (first, 1)
    say(hub, mo, "two")
    assert hub.public_story(mo.campaign).made("mo", texts) == ["one", "two"]
    assert hub.public_story(mo.campaign).made("anna", texts) == ["one", "two"]
    assert read == list(range(first + 1))
    assert len(calls) == 3


def test_it_is_equal_to_a_story_read_anew(hub: Hub) -> None:
    mo = hub.create("Night", "alien", {}, "Mo")
    story = hub.public_story(mo.campaign)
    for text in ("one", "two", "three"):
        say(hub, mo, text)
        story.made("mo", list)
    hub.act(mo.campaign, mo.seat, DeskCommand(Desk.roll, "2d6"))
    rolled = hub.read(mo.campaign, mo.seat, lambda desk: desk.feed.cursor) - 1
    story.made("mo", list)
    hub.act(mo.campaign, mo.seat, DeskCommand(undo_desk.undo, rolled))
    assert story.made("mo", list) == type(story)(hub.store, mo.campaign).made("mo", list)
