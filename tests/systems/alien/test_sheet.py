"""What may stand on a colonist's sheet."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core import BadInput, Scene, State, Who
from referee.systems.alien import SYSTEM
from referee.systems.alien.condition import condition
from referee.systems.alien.sheet import Colonist

ANA = Who("ana", Colonist)


def scene_with(**sheet: Any) -> State:
    return SYSTEM.state({"ana": sheet})


def test_an_empty_sheet_is_calm_and_legal() -> None:
    ana = Scene(scene_with())[ANA]
    assert (ana.stress, ana.resolve, ana.responses, dict(ana.skills)) == (0, 0, (), {})


def test_a_sheet_read_back_from_its_plain_form_is_the_same() -> None:
    state = scene_with(
        attributes={"Wits": 4, "Empathy": 2},
        skills={"Comtech": 3, "Medical Aid": 1},
        stress=5,
        resolve=2,
        responses=["Shakes", "Jumpy"],
    )
    assert SYSTEM.state(SYSTEM.plain(state)) == state


def test_all_six_lasting_responses_may_be_held_at_once() -> None:
    held = ["Jumpy", "Tunnel Vision", "Aggravated", "Shakes", "Frantic", "Deflated"]
    assert Scene(scene_with(responses=held))[ANA].responses == tuple(held)


@pytest.mark.parametrize(
    ("sheet", "rule"),
    [
        ({"attributes": {"Charm": 3}}, "alien.skills.list"),
        ({"attributes": {"Piloting": 3}}, "alien.skills.list"),
        ({"attributes": {"Wits": -1}}, "alien.skills.list"),
        ({"skills": {"Cooking": 1}}, "alien.skills.list"),
        ({"skills": {"Wits": 1}}, "alien.skills.list"),
        ({"skills": {"Comtech": -1}}, "alien.skills.list"),
        ({"resolve": -1}, "alien.skills.list"),
        ({"stress": -1}, "alien.stress.stress-level"),
        ({"responses": ["Hiccups"]}, "alien.stress.table"),
        ({"responses": ["Keeping Cool"]}, "alien.stress.table"),
        ({"responses": ["Mess Up"]}, "alien.stress.table"),
        ({"responses": ["Jumpy", "Shakes", "Jumpy"]}, "alien.stress.repeat"),
    ],
)
def test_a_sheet_the_book_does_not_allow_is_refused_by_its_rule(sheet: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadInput, match=rf"^scene\.ana: .*\({rule}\)"):
        scene_with(**sheet)


@pytest.mark.parametrize(
    "sheet", [{"stress": "high"}, {"stress": True}, {"skills": {"Comtech": 1.5}}, {"responses": 3}, {"hope": 3}]
)
def test_a_sheet_of_the_wrong_form_is_refused(sheet: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"^scene\.ana"):
        scene_with(**sheet)


def test_attributes_and_skills_are_read_in_other_letters() -> None:
    ana = Scene(scene_with(attributes={"agility": 4}, skills={"medical-aid": 3}))[ANA]
    assert (dict(ana.attributes), dict(ana.skills)) == ({"Agility": 4}, {"Medical Aid": 3})


def test_a_response_in_other_letters_is_refused_rather_than_held_twice_bug() -> None:
    """It passed as a known response, and the same one could be gained beside it."""
    with pytest.raises(BadInput, match="the book spells it Tunnel Vision"):
        scene_with(responses=["tunnel vision"])


def test_levels_of_none_are_legal() -> None:
    ana = Scene(scene_with(attributes={"Wits": 0}, skills={"Comtech": 0}))[ANA]
    assert (ana.attribute("Wits"), ana.skills["Comtech"]) == (0, 0)


def test_a_short_form_is_a_roll_of_somebody_without_skill() -> None:
    found = SYSTEM.shorthand("5b3sr2")
    assert found is not None
    assert (found.action, dict(found.arguments)) == ("skill-roll", {"skill": "Stamina"})
    assert dict(found.sheet) == {"attributes": {"Strength": 5}, "stress": 3, "resolve": 2}
    assert SYSTEM.shorthand("five dice") is None


@pytest.mark.parametrize(
    ("sheet", "word"),
    [({}, "calm"), ({"stress": 1}, "stressed"), ({"stress": 1, "responses": ["Jumpy"]}, "rattled")],
)
def test_how_somebody_stands_is_how_calm_they_are(sheet: dict[str, Any], word: str) -> None:
    found = condition(Scene(scene_with(**sheet)), ANA)
    assert found.share == 1
    assert found.word == word
