"""Skills as people read them, and never as rules do."""

from __future__ import annotations

import pytest

from referee.systems.d6 import SYSTEM


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Firearms", "Firearms"),
        ("Firearms::pistols", "Firearms (pistols)"),
        ("Heavy gunnery::guns on rail", "Heavy gunnery (guns on rail)"),
        ("Melee combat <swords>", "Melee combat (swords)"),
        ("Melee combat <swords>::rapier", "Melee combat (swords, rapier)"),
        ("Medicine (A)", "Medicine (A)"),
        ("Piloting - Space Vehicles::shuttles", "Piloting - Space Vehicles (shuttles)"),
    ],
)
def test_a_skill_with_its_kind_and_field(name: str, says: str) -> None:
    assert SYSTEM.in_words(name) == says
