"""A fork shares every line before an event, and goes on with dice of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.journal.seeded_dice import SeededDice
from referee.store.records import LogRow, StoreError
from referee.table import master_desk, seat_desk, undo_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role

SCENE: dict[str, Plain] = {
    "ana": {"coins": 6},
    "bo": {"coins": 6},
    "deck": {"kind": "Pile", "cards": ["7S", "8S", "9S"]},
}
SCENE |= {f"{who}-hand": {"kind": "Pile", "facing": "hand", "owner": who} for who in ("ana", "bo")}


@pytest.fixture
def mo(hub: Hub) -> Admitted:
    return hub.create("Cellar", "den", SCENE, "Mo")


@pytest.fixture
def ana(hub: Hub, mo: Admitted) -> Admitted:
    return hub.join(hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"ana"})), "Ana")


@pytest.fixture
def played(hub: Hub, mo: Admitted, ana: Admitted) -> Admitted:
    """Two duels, of which the second was undone, a whisper, a card that is being dealt."""
    hub.act(*mo[:2], DUEL)
    hub.act(*ana[:2], DeskCommand(Desk.note, "psst", to=[mo.seat]))
    hub.act(*mo[:2], DUEL)
    hub.act(
        *mo[:2],
        DeskCommand(lambda desk: undo_desk.undo(desk, max(i["id"] for i in desk.feed.items if i["kind"] == "began"))),
    )
    hub.act(*ana[:2], DeskCommand(Desk.act, "deal", "ana"))
    return mo


DUEL = DeskCommand(Desk.act, "duel", "ana", {"against": "bo"})


def look(hub: Hub, seated: Admitted, read: Callable[[Desk], Any]) -> Any:
    return hub.read(seated.campaign, seated.seat, read)


def lines(hub: Hub, seated: Admitted) -> list[LogRow]:
    return list(hub.store.lines(seated.campaign))


def fork(hub: Hub, seated: Admitted, item: int) -> Admitted:
    return hub.fork(*seated[:2], item, "Otherwise")


def fork_before(hub: Hub, seated: Admitted, number: int) -> Admitted:
    """A fork from the first item that comes from a line."""
    feed = look(hub, seated, lambda desk: desk.feed)
    return fork(hub, seated, next(item for item in range(feed.cursor) if feed.line_of(item) == number))


def test_a_fork_from_any_event_shares_all_lines_before_it_as_they_were(hub: Hub, played: Admitted) -> None:
    whole = lines(hub, played)
    feed = look(hub, played, lambda desk: desk.feed)
    assert {feed.line_of(item) for item in range(feed.cursor)} == set(range(len(whole)))
    for item in range(feed.cursor):
        number = feed.line_of(item)
        forked = lines(hub, fork(hub, played, item))
        assert forked[:number] == whole[:number]
        seed = forked[number].line
        assert (seed["about"], seed["by"]) == ("seed", "table")
        assert seed["commitment"] not in [row.line.get("commitment") for row in whole]
        dice = [each for each in forked if "throw" in each.line]
        assert [each.line["throw"] for each in dice] == list(range(1, len(dice) + 1))
    assert lines(hub, played) == whole


def test_a_fork_says_where_it_comes_from_and_has_its_own_name(hub: Hub, played: Admitted) -> None:
    forked = fork_before(hub, played, 5)
    header, before = (hub.store.header(each.campaign) for each in (forked, played))
    assert (header.name, header.forked_from) == ("Otherwise", played.campaign)
    assert (header.system, header.version, header.scene) == (before.system, before.version, before.scene)


def test_who_forks_is_known_in_the_fork_and_nobody_else_is(hub: Hub, played: Admitted, ana: Admitted) -> None:
    forked = fork_before(hub, played, 8)
    assert hub.seat_of(forked.token) == (forked.campaign, played.seat)
    assert look(hub, forked, Desk.view)["you"]["role"] == "game master"
    assert [token.seat for token in hub.store.tokens(forked.campaign)] == [played.seat]
    assert not hub.is_seated(forked.campaign, ana.seat)
    assert [each["name"] for each in look(hub, forked, Desk.view)["seats"]] == ["Mo"]
    assert hub.is_seated(played.campaign, ana.seat)


def test_a_fork_waits_for_nobody_who_cannot_enter(hub: Hub, played: Admitted) -> None:
    cursor = look(hub, played, Desk.view)["cursor"]
    hub.act(*played[:2], DeskCommand(Desk.note, "and now"))
    forked = fork(hub, played, cursor)
    assert look(hub, played, Desk.view)["waiting_for"] == ["ana"]
    view = look(hub, forked, Desk.view)
    assert (view["waiting_for"], [each["key"] for each in view["questions"]]) == (["ana"], ["ana.keep"])
    assert view["seats"] == [{**view["seats"][0], "name": "Mo", "role": "game master"}]


def test_who_was_not_game_master_then_is_so_in_the_fork(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    hub.act(*mo[:2], DeskCommand(seat_desk.change_seat, ana.seat, role="game master"))
    for item in range(4):
        forked = hub.fork(*ana[:2], item, "Mine")
        you = look(hub, forked, Desk.view)["you"]
        assert (you["id"], you["role"], you["name"]) == (ana.seat, "game master", "Ana")
        assert you["controls"] == (["ana"] if item == 3 else [])


def test_an_open_step_goes_on_in_the_fork(hub: Hub, played: Admitted, ana: Admitted) -> None:
    before = look(hub, played, Desk.view)
    (asked,) = before["questions"]
    assert asked["key"] == "ana.keep"
    hub.act(*played[:2], DeskCommand(Desk.note, "and now"))
    forked = fork(hub, played, before["cursor"])
    assert look(hub, forked, Desk.view)["questions"] == before["questions"]
    hub.act(*forked[:2], DeskCommand(Desk.answer, "ana.keep", "yes"))
    assert look(hub, forked, Desk.view)["questions"] == []
    assert len(look(hub, forked, Desk.view)["scene"]["ana-hand"]["cards"]) == 1
    assert look(hub, played, Desk.view)["questions"] == before["questions"]


def test_what_falls_in_a_fork_comes_from_its_own_seed(hub: Hub, played: Admitted) -> None:
    """The throws of a step that was forked from its middle are thrown anew, and the counter goes on."""
    began = max(row.number for row in lines(hub, played) if row.line["kind"] == "began" and "duel" in row.line["rule"])
    forked = fork_before(hub, played, began + 1)
    assert look(hub, forked, Desk.view)["questions"] == []
    (seed,) = hub.store.seeds(forked.campaign)
    added = [row.line for row in lines(hub, forked)[began + 1 :]]
    assert added[0]["commitment"] == seed.commitment == SeededDice(seed.seed).commitment
    thrown = [line for line in added if "throw" in line]
    assert [line["throw"] for line in thrown] == [3, 4]
    for line in thrown:
        below = SeededDice(seed.seed).throw(line["throw"])
        assert line["answer"] == [[below(6) + 1 for _ in range(2)]]


def test_a_throw_that_waits_for_the_game_master_waits_in_the_fork(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    hub.act(*mo[:2], DeskCommand(master_desk.settings, {"throws": {"*": "ask"}}))
    hub.act(*mo[:2], DUEL)
    hub.act(*mo[:2], DeskCommand(Desk.note, "hm"))
    asked = look(hub, mo, Desk.view)["questions"]
    assert [each["held"] for each in asked] == [
        row.line["answer"] for row in lines(hub, mo) if row.line["kind"] == "held"
    ]
    forked = fork(hub, mo, look(hub, mo, lambda desk: desk.feed.cursor - 1))
    assert look(hub, forked, Desk.view)["questions"] == asked


def test_a_fork_from_before_the_checkpoint(hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.table.storage.CHECKPOINT_EVERY", 10)
    for _ in range(10):
        hub.act(*mo[:2], DUEL)
    hub.evict_idle(-1)
    forked = hub.fork(*mo[:2], 2, "From the beginning")
    assert [row.line.get("about") for row in lines(hub, forked)] == ["seed", "seat", "seed"]
    assert look(hub, forked, Desk.view)["scene"]["ana"]["coins"] == 6


def test_a_fork_of_a_long_campaign_opens_quickly_too(hub: Hub, mo: Admitted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.table.storage.CHECKPOINT_EVERY", 10)
    for _ in range(10):
        hub.act(*mo[:2], DUEL)
    newest = hub.store.checkpoint(mo.campaign)
    assert newest is not None
    hub.act(*mo[:2], DeskCommand(Desk.note, "what if"))
    forked = fork_before(hub, mo, newest.number + 1)
    assert hub.store.checkpoint(forked.campaign) == newest
    before = look(hub, forked, Desk.view)["scene"]
    hub.store.drop_checkpoints(forked.campaign)
    hub.evict_idle(-1)
    assert look(hub, forked, Desk.view)["scene"] == before


@pytest.mark.parametrize("item", [-1, 1000])
def test_nobody_forks_from_what_they_were_not_told(hub: Hub, played: Admitted, item: int) -> None:
    with pytest.raises(BadInput, match="your log has no such item"):
        fork(hub, played, item)
    assert len(hub.store.headers()) == 1


def test_pictures_go_with_the_story(hub: Hub, mo: Admitted) -> None:
    picture, later = (hub.store.keep_file(mo.campaign, name, "image/png", name.encode()) for name in ("map", "plan"))
    hub.act(*mo[:2], DeskCommand(Desk.note, "", file=picture))
    hub.act(*mo[:2], DeskCommand(Desk.note, "", file=later))
    forked = fork(hub, mo, 3)
    assert [each.id for each in hub.store.files(forked.campaign)] == [hashlib.sha256(b"map").hexdigest()]


def test_a_fork_that_fails_leaves_nothing(hub: Hub, played: Admitted, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("referee.store.campaigns.insert_seed", fail)
    with pytest.raises(StoreError):
        fork(hub, played, 5)
    assert len(hub.store.headers()) == 1


def test_a_fork_of_a_fork(hub: Hub, played: Admitted) -> None:
    one = fork_before(hub, played, 8)
    hub.act(*one[:2], DUEL)
    two = fork(hub, one, look(hub, one, lambda desk: desk.feed.cursor - 1))
    committed = [row.line["commitment"] for row in lines(hub, two) if row.line.get("about") == "seed"]
    assert len(set(committed)) == 3
    assert hub.store.header(two.campaign).forked_from == one.campaign
