"""Who did what, to whom, by which rule, and who undid it after seeing which dice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from referee.table import master_desk, undo_desk
from referee.table.access import Admitted
from referee.table.audit import Audited, Undone
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import NotAllowed, Role

SCENE: dict[str, Any] = {"ana": {"coins": 6}, "bo": {"coins": 6}, "cy": {"coins": 6}}


@pytest.fixture
def mo(hub: Hub) -> Admitted:
    return hub.create("Cellar", "den", SCENE, "Mo")


@pytest.fixture
def ana(hub: Hub, mo: Admitted) -> Admitted:
    """Ana, who duels, sees that she has lost or won, and takes it back, as one could once; then Bo borrows."""
    seated = hub.join(hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"ana"})), "Ana")
    hub.act(*seated[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    hub.act(*seated[:2], DeskCommand(lambda desk: desk.journal.undo(desk.member.id, desk.line(began(desk)))))
    hub.act(*mo[:2], DeskCommand(Desk.act, "borrow", "bo"))
    hub.act(*mo[:2], DeskCommand(master_desk.edit, "cy", {"coins": 9}))
    return seated


def began(desk: Desk) -> int:
    return next(number for number, item in enumerate(desk.feed.items) if item["kind"] == "began")


@pytest.fixture
def audit(hub: Hub, mo: Admitted, ana: Admitted) -> Callable[..., list[Audited]]:
    return lambda **what: hub.audit(*mo[:2], **what).lines


Audit = Callable[..., list[Audited]]


def kinds(found: list[Audited]) -> list[str]:
    return [each.line.kind for each in found]


def test_everything_in_order(audit: Audit) -> None:
    found = audit()
    assert kinds(found) == ["said"] * 3 + ["began", "answered", "answered", "undone", "began", "edited"]
    assert [each.number for each in found] == list(range(9))


def test_by_an_actor(audit: Audit, ana: Admitted, mo: Admitted) -> None:
    assert kinds(audit(by=ana.seat)) == ["said", "began", "undone"]
    assert kinds(audit(by=mo.seat)) == ["said", "began", "edited"]
    assert kinds(audit(by="dice")) == ["answered", "answered"]
    assert audit(by="nobody") == []


def test_about_a_character_undone_or_not(audit: Audit) -> None:
    assert kinds(audit(who="ana")) == ["said", "began", "answered", "answered", "undone"]
    assert kinds(audit(who="bo")) == ["began", "answered", "undone", "began"]
    assert kinds(audit(who="cy")) == ["edited"]


def test_by_a_rule_or_its_chapter(audit: Audit) -> None:
    duel = ["began", "answered", "answered", "undone"]
    assert kinds(audit(rule="den.dice.duel")) == kinds(audit(rule="den.dice")) == duel
    assert kinds(audit(rule="den.debts.borrow")) == ["began"]
    assert kinds(audit(rule="den")) == [*duel, "began"]
    assert kinds(audit(rule="referee.table.edit")) == ["edited"]
    assert audit(rule="den.dic") == []


def test_what_was_undone_says_by_whom(audit: Audit, ana: Admitted) -> None:
    undone = [each.number for each in audit() if each.undone]
    assert undone == [3, 4, 5]
    assert {each.undone for each in audit() if each.undone} == {Undone(6, ana.seat)}


def test_an_undo_says_what_went_and_which_dice_had_been_seen(audit: Audit, ana: Admitted) -> None:
    (undo,) = audit(by=ana.seat, rule="den.dice")[1:]
    assert undo.gone == (3, 4, 5)
    dice = [{name: each[name] for name in ("line", "by", "throw", "of", "prompt")} for each in undo.dice]
    assert dice == [
        {"line": 4, "by": "dice", "throw": 1, "of": "ana", "prompt": "duel"},
        {"line": 5, "by": "dice", "throw": 2, "of": "bo", "prompt": "duel"},
    ]
    assert [each["answer"] for each in undo.dice] == [audit()[at].line.to_plain()["answer"] for at in (4, 5)]


def test_what_was_redone_is_in_force_again(hub: Hub, mo: Admitted) -> None:
    hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    hub.act(*mo[:2], DeskCommand(lambda desk: undo_desk.undo(desk, began(desk))))
    hub.act(*mo[:2], DeskCommand(undo_desk.redo))
    assert all(each.undone is None for each in hub.audit(*mo[:2]).lines)


def test_by_pages(audit: Audit) -> None:
    pages: list[Audited] = []
    while page := audit(who="bo", start=pages[-1].number + 1 if pages else 0, most=2):
        assert len(page) <= 2
        pages += page
    assert pages == audit(who="bo")
    assert audit(most=0) == audit(most=-1) == []


def test_as_plain_data(audit: Audit, ana: Admitted) -> None:
    plain = [each.to_plain() for each in audit(who="ana")]
    assert [each["number"] for each in plain] == [2, 3, 4, 5, 6]
    assert plain[2]["rule"] == "den.dice.duel"
    assert plain[2]["undone"] == {"line": 6, "by": ana.seat}
    assert plain[4]["gone"] == [3, 4, 5]
    assert len(plain[4]["dice"]) == 2
    assert plain[3]["then"][0]["set"].keys() == {"coins"}


def test_undone_throws_are_counted_by_who_undid_them(hub: Hub, mo: Admitted, ana: Admitted) -> None:
    assert hub.audit(*mo[:2]).undone_throws == {ana.seat: 2}
    with pytest.raises(NotAllowed):
        hub.audit(*ana[:2])
