"""What the forms of the D6 System offer to choose from."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core import Scene, Who
from referee.registry import load
from referee.systems.d6.combat.battle_setup import usual_amounts
from referee.systems.d6.combat.bursts import burst_weapons
from referee.systems.d6.combat.duel import sheathed
from referee.systems.d6.combat.learning import all_maneuvers
from referee.systems.d6.equipment import kind_of_thing
from referee.systems.d6.sheet import Hero

SYSTEM = load("d6")
ANA = Who("ana", Hero)


def scene_with(**sheet: Any) -> Scene:
    return Scene(SYSTEM.state({"ana": sheet}))


def test_only_weapons_that_fire_bursts_are_offered_for_one() -> None:
    uzi = {"name": "Uzi", "row": "Submachine gun (Uzi)", "held": True}
    colt = {"name": "Colt", "row": "Automatic pistol (Colt .45)", "held": True}
    assert burst_weapons(scene_with(equipment=[uzi, colt]), ANA) == ("Uzi",)


def test_maneuvers_are_those_of_ones_skills_and_what_one_has_researched() -> None:
    researched = {"name": "Sweep", "acquired": False}
    scene = scene_with(advanced_skills={"Martial arts (A)": "2D"}, maneuvers=[researched, {"name": "Throw"}])
    everything, mine = all_maneuvers(scene, None), all_maneuvers(scene, ANA)
    assert {"Feint", "Disarm", "Throw"} <= set(everything)
    assert "Sweep" not in everything
    assert "Sweep" in mine
    assert "Throw" in mine
    assert mine.count("Throw") == 1
    assert all_maneuvers(scene_with(maneuvers=[{"name": "Throw"}]), ANA) == ()


def test_usual_amounts_of_a_condition_lie_in_its_range() -> None:
    scene = scene_with()
    assert usual_amounts(scene, None, "Entrenched") == (0, 5, 10, 15, 20)
    assert usual_amounts(scene, None, "Elite troops") == (0, 10, 20, 50, 100)


def test_only_weapons_not_yet_drawn_are_offered_for_a_fast_draw() -> None:
    colt = {"name": "Colt", "row": "Automatic pistol (Colt .45)"}
    magnum = {"name": "Magnum", "row": "Heavy Pistol (.357 Magnum)", "held": True}
    assert sheathed(scene_with(equipment=[colt, magnum], advanced_skills={"Fast draw (A)": "3D"}), ANA) == ("Colt",)


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        ({"name": "Colt", "row": "Automatic pistol (Colt .45)"}, "firearm"),
        ({"name": "Chain mail"}, "armor"),
        ({"name": "rope"}, "small-things"),
    ],
)
def test_things_are_of_the_kind_of_their_row(thing: dict[str, Any], kind: str) -> None:
    scene = scene_with(equipment=[thing])
    assert kind_of_thing(scene, scene[ANA].equipment[0]) == kind
