"""ALIEN's rulebook: what it holds, and which overlays a campaign may lay on it."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core import BadInput, Scene
from referee.core.errors import RulebookError
from referee.core.rulebook import Book
from referee.systems.alien import SYSTEM
from referee.systems.alien.basics import Helping
from referee.systems.alien.sheet import RESPONSES, SKILLS
from referee.systems.alien.time import UNITS

LEDGER = {
    "alien.basics.skill-roll",
    "alien.basics.bonus-successes",
    "alien.basics.modifiers",
    "alien.basics.helping",
    "alien.basics.no-skill",
    "alien.push.procedure",
    "alien.push.restrictions",
    "alien.stress.stress-level",
    "alien.stress.trigger",
    "alien.stress.table",
    "alien.stress.repeat",
    "alien.skills.list",
    "alien.time.units",
    "alien.basics.source-frame",
}
OF_CHARACTERS = {"alien.character.attributes", "alien.character.skills", "alien.character.creation"}
"""What building a character needs of the chapter on characters."""
OF_GEAR = {f"alien.gear.{each}" for each in ("weapon-fields", "handguns", "rifles", "melee")}
"""What a weapon in hand needs of the chapter on gear."""


def test_the_book_holds_the_fourteen_rules_of_the_ledger_and_what_new_characters_need() -> None:
    assert set(SYSTEM.printed_book.ids) == LEDGER | OF_CHARACTERS | OF_GEAR
    assert len(SYSTEM.printed_book.ids) == 21


def test_only_the_frame_is_guidance_and_nothing_is_optional() -> None:
    entries = [SYSTEM.printed_book.entry(id_) for id_ in SYSTEM.printed_book.ids]
    assert [entry.id for entry in entries if not entry.computable] == ["alien.basics.source-frame"]
    assert not any(entry.optional for entry in entries)


def test_every_reference_leads_to_a_rule_of_the_book() -> None:
    assert {
        ref for id_ in SYSTEM.printed_book.ids for ref in SYSTEM.printed_book.entry(id_).refs
    } <= LEDGER | OF_CHARACTERS | OF_GEAR


def test_the_tables_have_eight_responses_twelve_skills_and_three_units() -> None:
    scene = Scene(SYSTEM.state({}))
    assert scene[RESPONSES].names == (
        "Keeping Cool",
        "Jumpy",
        "Tunnel Vision",
        "Aggravated",
        "Shakes",
        "Frantic",
        "Deflated",
        "Mess Up",
    )
    assert len(scene[SKILLS]) == 12
    assert scene[UNITS].names == ("Round", "Stretch", "Shift")


@pytest.mark.parametrize("result", range(-30, 31))
def test_every_result_has_exactly_the_printed_response(result: int) -> None:
    printed = ("Jumpy", "Tunnel Vision", "Aggravated", "Shakes", "Frantic", "Deflated")
    expected = "Keeping Cool" if result <= 0 else "Mess Up" if result >= 7 else printed[result - 1]
    assert Scene(SYSTEM.state({}))[RESPONSES].at(result).name == expected


def overlaid(**overlay: Any) -> Scene:
    return Scene(SYSTEM.state({"book": {"kind": "Book", **overlay}}))


def test_an_overlay_reaches_its_own_campaign_only() -> None:
    assert overlaid(set={"alien.basics.helping": {"max_helpers": 5}})[Helping].max_helpers == 5
    assert Scene(SYSTEM.state({}))[Helping].max_helpers == 3


def test_two_campaigns_with_the_same_overlay_have_equal_books() -> None:
    overlay = {"alien.basics.helping": {"max_helpers": 5}}
    assert overlaid(set=overlay).state == overlaid(set=overlay).state
    assert overlaid(set=overlay).state != overlaid().state


@pytest.mark.parametrize(
    ("rule", "field", "now"),
    [
        ("alien.basics.helpling", "max_helpers", 4),
        ("alien.basics.helping", "most_helpers", 4),
        ("alien.basics.helping", "max_helpers", "four"),
        ("alien.basics.helping", "max_helpers", 3.5),
        ("alien.basics.helping", "max_helpers", True),
        ("alien.basics.helping", "max_helpers", None),
        ("alien.basics.helping", "max_helpers/0", 1),
        ("alien.basics.source-frame", "max_helpers", 1),
        ("alien.stress.table", "table/Hiccups/stress", 1),
        ("alien.stress.table", "table/8/stress", 1),
        ("alien.stress.table", "table/Jumpy/lasting", "yes"),
        ("alien.stress.table", "table/Shakes/effects/0/adds", "-3"),
        ("alien.stress.table", "table/Shakes/effects", [{"hurts": 3}]),
        ("alien.stress.table", "table", {}),
        ("alien.time.units", "units/Round/min", "long"),
    ],
)
def test_a_changed_figure_that_does_not_fit_is_refused_by_rule_and_field(rule: str, field: str, now: Any) -> None:
    with pytest.raises(BadInput) as refused:
        overlaid(set={rule: {field: now}})
    assert rule in str(refused.value)
    assert field.partition("/")[0] in str(refused.value) or rule not in LEDGER


@pytest.mark.parametrize(
    ("rule", "table", "row", "because"),
    [
        ("alien.skills.list", "skills", {"name": "Cooking"}, "Cooking.attribute: is missing"),
        ("alien.skills.list", "skills", {"name": "Cooking", "attribute": "Wits", "cost": 3}, "Cooking.cost"),
        ("alien.skills.list", "talents", {"name": "Cooking", "attribute": "Wits"}, "'talents' is not known"),
        ("alien.stress.table", "table", {"from": "seven", "to": 7, "name": "Frozen", "lasting": True}, "Frozen.from"),
        ("alien.stress.table", "table", {"from": 7, "to": 7, "name": "Frozen"}, "Frozen.lasting: is missing"),
    ],
)
def test_an_added_row_that_does_not_fit_is_refused_with_the_reason(
    rule: str, table: str, row: dict[str, Any], because: str
) -> None:
    with pytest.raises(BadInput, match=f"{rule}.*{because}"):
        overlaid(add={rule: {table: [row]}})


@pytest.mark.parametrize("rule", sorted(LEDGER))
def test_no_rule_can_be_left_out(rule: str) -> None:
    with pytest.raises(BadInput, match=f"{rule}: is not an optional rule"):
        overlaid(options={rule: False})


def test_a_book_of_unknown_parts_is_refused() -> None:
    with pytest.raises(BadInput, match="house"):
        overlaid(house={})


@pytest.mark.parametrize("face", [0, 7, 9])
def test_a_house_rule_by_which_no_roll_could_succeed_is_refused(face: int) -> None:
    rule = "alien.basics.skill-roll"
    with pytest.raises(RulebookError, match=rf"alien\.yaml: {rule}: success_face: must be from 1 to 6, not {face}"):
        Book(SYSTEM.printed_book, set={rule: {"success_face": face}})
    never = Book(SYSTEM.printed_book, set={"alien.stress.trigger": {"trigger_face": 9}})  # nothing triggers
    assert never.entry("alien.stress.trigger").values["trigger_face"] == 9
