"""What may stand on the sheet of a character, and what is reckoned from it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import BadInput, Draft, Scene, State, Who
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.condition import condition
from referee.systems.distemper.creation import skills
from referee.systems.distemper.sheet import Character, Item, amod, init_mod, insight, smod, thing_says

AL = Who("al", Character)

STARRED = (
    "Armorsmith",
    "Demolitions",
    "Lock-Picking",
    "Pharmacology",
    "Psychology",
    "Surgery",
    "Tactics",
    "Vehicle Repair",
    "Weaponsmith",
)
PLAIN = (
    "Animal Handling",
    "Athletics",
    "Barter",
    "Entertainment",
    "Farming",
    "First Aid",
    "General Knowledge",
    "Hunting",
    "Inspiration",
    "Intimidation",
    "Manipulation",
    "Melee Combat",
    "Navigation",
    "Ranged Combat",
    "Research",
    "Scavenging",
    "Sleight of Hand",
    "Stealth",
    "Survival",
    "Tinkerer",
    "Unarmed Combat",
)
UNLISTED = ("Perception", "Charm", "Deception")
ATTRIBUTES = ("Reason", "Acumen", "Physicality", "Influence", "Dexterity")


def scene_with(**sheet: Any) -> State:
    return SYSTEM.state({"al": sheet})


def test_an_empty_sheet_is_a_players_and_unhurt() -> None:
    al = Scene(scene_with())[AL]
    assert (al.player, al.dead, al.insight, dict(al.attributes), dict(al.skills)) == (True, False, None, {}, {})
    assert (al.wp, al.wp_full, al.rp, al.rp_full, al.melee_defense, al.ranged_defense) == (10, 10, 10, 10, 0, 0)


def test_a_sheet_read_back_from_its_plain_form_is_the_same() -> None:
    state = scene_with(
        attributes={"Reason": -2, "Dexterity": 4},
        skills={"Barter": 4, "Surgery": 0, "Charm": 1},
        insight=3,
        wp=-1,
        rp=2,
        items=[{"name": "rifle", "skill": "Ranged Combat", "wp": 4, "rp": 3, "jammed": True}, {"name": "rope"}],
        dead=True,
    )
    assert SYSTEM.state(SYSTEM.plain(state)) == state


def test_an_item_that_says_nothing_is_a_ready_melee_weapon_in_good_condition() -> None:
    (item,) = Scene(scene_with(items=[{"name": "stick"}]))[AL].items
    assert (item.skill, item.wp, item.rp, item.condition) == ("Melee Combat", 0, 0, 3)
    assert item.ready
    assert not item.jammed


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize("level", [-2, 0, 4])
def test_attributes_run_from_minus_two_to_four(name: str, level: int) -> None:
    assert amod(Scene(scene_with(attributes={name: level})), AL, name) == level


@pytest.mark.parametrize("name", [*PLAIN, *STARRED, *UNLISTED])
def test_learned_skills_run_from_none_to_four(name: str) -> None:
    for level in (0, 4):
        assert smod(Scene(scene_with(skills={name: level})), AL, name) == level
    for level in (-3, -1, 5):
        with pytest.raises(BadInput, match=rf"{name}: {level} is out of range \(distemper\.checks\.smod"):
            scene_with(skills={name: level})


def test_thirty_skills_are_listed_and_nine_of_them_are_starred() -> None:
    assert len(PLAIN) + len(STARRED) == 30
    assert [smod(Scene(scene_with()), AL, name) for name in STARRED] == [-3] * 9
    assert [smod(Scene(scene_with()), AL, name) for name in (*PLAIN, *UNLISTED)] == [0] * 24


@pytest.mark.parametrize(
    ("sheet", "because", "rule"),
    [
        ({"attributes": {"Luck": 1}}, "Luck: the book has none of this name", "distemper.checks.amod"),
        ({"attributes": {"Barter": 1}}, "Barter: the book has none of this name", "distemper.checks.amod"),
        ({"attributes": {"Reason": 5}}, "Reason: 5 is out of range", "distemper.checks.amod"),
        ({"attributes": {"Reason": -3}}, "Reason: -3 is out of range", "distemper.checks.amod"),
        ({"skills": {"Cooking": 1}}, "Cooking: the book has none of this name", "distemper.skills.list"),
        ({"skills": {"Barter": 5}}, "Barter: 5 is out of range", "distemper.checks.smod"),
        ({"skills": {"Surgery": -3}}, "Surgery: -3 is out of range", "distemper.checks.smod"),
        ({"wp": 11}, "points: 11 of 10 are more than all", "distemper.sheet.tracked-values"),
        ({"rp": 4, "rp_full": 3}, "points: 4 of 3 are more than all", "distemper.sheet.tracked-values"),
        ({"insight": -1}, "insight: nobody owes Insight Dice", "distemper.insight.dice-economy"),
        ({"items": [{"name": "axe"}, {"name": "axe"}]}, "axe: two of one name", "distemper.sheet.tracked-values"),
    ],
)
def test_a_sheet_the_book_does_not_allow_is_refused_by_its_rule(sheet: dict[str, Any], because: str, rule: str) -> None:
    with pytest.raises(BadInput) as refused:
        scene_with(**sheet)
    assert f"scene.al: {because}" in str(refused.value)
    assert f"({rule}" in str(refused.value)


def test_attributes_and_skills_are_read_in_other_letters_and_by_abbreviations() -> None:
    al = Scene(scene_with(attributes={"reason": 3, "DEX": 1}, skills={"lock picking": 2}))[AL]
    assert (dict(al.attributes), dict(al.skills)) == ({"Dexterity": 1, "Reason": 3}, {"Lock-Picking": 2})


def test_an_attribute_named_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="RSN: the book has none of this name"):
        scene_with(attributes={"Reason": 3, "RSN": 2})


def test_an_attribute_among_the_skills_is_refused_bug() -> None:
    """It passed as a skill, and no check ever counted it."""
    with pytest.raises(BadInput, match="Reason: the book has none of this name"):
        scene_with(skills={"Reason": 3})


def test_insight_dice_are_the_players_bug() -> None:
    """An NPC's sheet could hold some, and then spent them."""
    with pytest.raises(BadInput, match=r"Insight Dice are the players' \(distemper\.insight\.dice-economy"):
        scene_with(player=False, insight=1)
    assert insight(Scene(scene_with(player=False, insight=0)), AL) == insight(Scene(scene_with(player=False)), AL) == 0


@pytest.mark.parametrize("sheet", [{"wp": "many"}, {"skills": {"Barter": 1.5}}, {"items": [{}]}, {"hope": 3}])
def test_a_sheet_of_the_wrong_form_is_refused(sheet: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"^scene\.al"):
        scene_with(**sheet)


@given(
    attributes=st.fixed_dictionaries({name: st.integers(-2, 4) for name in ATTRIBUTES}),
    perception=st.none() | st.integers(0, 4),
)
def test_the_init_mod_is_dexterity_acumen_and_perception(attributes: dict[str, int], perception: int | None) -> None:
    skills = {} if perception is None else {"Perception": perception}
    scene = Scene(scene_with(attributes=attributes, skills=skills))
    assert init_mod(scene, AL) == attributes["Dexterity"] + attributes["Acumen"] + (perception or 0)


@pytest.mark.parametrize(
    ("sheet", "word"),
    [
        ({}, "unhurt"),
        ({"rp": 6}, "unhurt"),
        ({"rp": 5}, "shaken"),
        ({"rp": 5, "wp": 9}, "hurt"),
        ({"dead": True}, "dead"),
    ],
)
def test_the_unhurt_are_shaken_at_half_their_resilience(sheet: dict[str, Any], word: str) -> None:
    assert condition(Scene(SYSTEM.state({"al": sheet})), AL).word == word


@pytest.mark.parametrize(
    ("wp", "rp", "said"),
    [(3, 0, "3 Wounds, 0 Resilience"), (0, 2, "0 Wounds, 2 Resilience"), (0, 0, "")],
)
def test_a_thing_that_hurts_at_all_says_how_much(wp: int, rp: int, said: str) -> None:
    assert thing_says(Scene(SYSTEM.state({})), Item("thing", wp=wp, rp=rp))["damage"] == said


def test_skills_with_a_star_are_said_to_need_training() -> None:
    said = {part.name: part.says for part in skills(Scene(SYSTEM.state({})), Draft({}))}
    assert (said["Surgery"], said["Athletics"]) == ("needs training", "")
