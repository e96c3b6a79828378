"""Drafts over HTTP: a character is built by programs, field by field, from what the system declares."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from referee.client import ApiError, Client, SeatClient


class Hall(NamedTuple):
    """A table of the guild: its game master, two players and somebody who looks on."""

    mo: SeatClient
    ann: SeatClient
    bob: SeatClient
    gil: SeatClient


@pytest.fixture
def hall(systems: None, client: Client) -> Hall:
    mo = client.create("The hall", "guild", master="Mo", scene={"Mara": {"xp": 12}})
    ann, bob = (client.join(mo.invite().code, name) for name in ("Ann", "Bob"))
    return Hall(mo, ann, bob, client.join(mo.invite("spectator").code, "Gil"))


def test_a_character_is_built_finished_and_played(hall: Hall) -> None:
    draft = hall.ann.begin_draft()
    hall.ann.answer_draft(draft, "age", "Young")
    hall.ann.answer_draft(draft, "traits", 4, "Brawn")
    found = hall.ann.draft(draft)
    assert found.budgets[0] == {
        "key": "points",
        "total": 6,
        "spent": 3,
        "left": 3,
        "exact": True,
        "rule": "guild.creation.traits",
    }
    assert [each.because for each in found.lacks if each.key == "points"] == ["3 left to spend"]
    trade = next(field for step in found.steps for field in step["fields"] if field["key"] == "trade")
    assert {each["name"]: each["barred"] and each["barred"]["because"] for each in trade["options"]} == {
        "Baker": None,
        "Smith": None,
        "Scribe": "needs Wits 3",
        "Dancer": "needs Grace 3",
    }
    assert found.templates == ["Journeyman"]
    hall.ann.roll_draft(draft, "purse")
    hall.ann.fill_draft(draft)
    hall.ann.answer_draft(draft, "secret", "none")
    hall.ann.answer_draft(draft, "name", "Tam")
    assert hall.ann.draft(draft).lacks == []
    hall.ann.finish_draft(draft)
    assert hall.ann.view().you.controls == ["Tam"]
    assert hall.bob.view().scene["Tam"]["traits"]["Brawn"] == 4
    assert hall.ann.drafts()[0].finished == "Tam"


def test_a_refusal_names_its_rule_and_what_would_be_legal(hall: Hall) -> None:
    draft = hall.ann.begin_draft(answers={"age": "Young"})
    with pytest.raises(ApiError) as why:
        hall.ann.answer_draft(draft, "traits", 99, "Brawn")
    assert (why.value.status, why.value.error, why.value.rule) == (409, "refused", "guild.creation.traits")
    assert why.value.legal == ("1 to 4",)
    with pytest.raises(ApiError) as why:
        hall.ann.finish_draft(draft)
    assert "points: 6 left to spend" in why.value.message


def test_drafts_are_seen_by_their_player_and_the_game_master_alone(hall: Hall) -> None:
    draft = hall.ann.begin_draft(template="Journeyman")
    assert [each.id for each in hall.mo.drafts()] == [draft]
    for other in (hall.bob, hall.gil):
        assert other.drafts() == []
        with pytest.raises(ApiError, match="draft: you have no such draft"):
            other.draft(draft)
        with pytest.raises(ApiError, match="draft: you have no such draft"):
            other.answer_draft(draft, "age", "Old")
        with pytest.raises(ApiError, match="draft: you have no such draft"):
            other.discard_draft(draft)
    assert "Journeyman" not in json.dumps([each.model_dump() for each in hall.bob.log().items])


def test_the_same_key_begins_one_draft(hall: Hall) -> None:
    first = hall.ann.begin_draft(key="k1")
    assert hall.ann.begin_draft(key="k1") == first
    assert len(hall.ann.drafts()) == 1
    assert hall.bob.begin_draft(key="k1") != first


def test_a_draft_is_discarded_and_its_dice_are_kept(hall: Hall) -> None:
    draft = hall.ann.begin_draft(answers={"age": "Old"})
    hall.ann.roll_draft(draft, "purse")
    dice = hall.ann.draft(draft).answers["purse"]
    hall.ann.discard_draft(draft)
    assert hall.ann.drafts() == []
    assert hall.ann.draft(hall.ann.begin_draft()).answers == {"age": "Old", "purse": dice}


def test_somebody_grows(hall: Hall) -> None:
    hall.mo.hand_over(hall.ann.seat, "Mara")
    draft = hall.ann.begin_draft("advancement", character="Mara")
    hall.ann.answer_draft(draft, "traits", 2, "Wits")
    hall.ann.finish_draft(draft)
    assert hall.bob.view().scene["Mara"]["xp"] == 6


def test_an_undone_character_can_be_finished_again(hall: Hall) -> None:
    draft = hall.ann.begin_draft(template="Journeyman", fill=True)
    hall.ann.answer_draft(draft, "secret", "none")
    hall.ann.answer_draft(draft, "name", "Tam")
    hall.ann.finish_draft(draft)
    item = next(each.id for each in hall.mo.log().items if each.kind == "began")
    hall.mo.undo(item)
    hall.ann.reopen_draft(draft)
    hall.ann.finish_draft(draft)
    assert "Tam" in hall.bob.view().scene


def test_a_template_can_be_taken_over_later(hall: Hall) -> None:
    draft = hall.ann.begin_draft()
    hall.ann.fill_draft(draft, template="Journeyman")
    assert hall.ann.draft(draft).answers["trade"] == ["Smith"]
    with pytest.raises(ApiError, match="Master"):
        hall.ann.fill_draft(draft, template="Master")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"kind": "rebirth"}, "kind"),
        ({"answers": {"weapon": 1}}, "weapon"),
        ({"answers": {"purse": [[6, 6]]}}, "is rolled, not set"),
        ({"kind": "advancement"}, "character"),
        ({"kind": "advancement", "character": "Mara"}, "Mara"),
        ({"seat": "nobody"}, "seat"),
    ],
)
def test_what_does_not_fit_is_refused(hall: Hall, body: dict[str, object], said: str) -> None:
    with pytest.raises(ApiError, match=said) as why:
        hall.ann.begin_draft(**body)  # type: ignore[arg-type]  # that is the point
    assert why.value.status < 500
    assert hall.ann.drafts() == []
