"""Kernels of vehicles, against the same rules played die by die."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from referee import registry
from referee.core.rules import Call
from referee.core.scene import State, Who
from referee.drivers.exact import Exact
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods
from referee.systems.d6.vehicles.damage import body_difference, random_system
from referee.systems.d6.vehicles.rockets import codes_against
from referee.systems.d6.vehicles.vehicle import Vehicle

D6 = registry.load("d6")
CRAFT = Who("car", Vehicle)


def scene(**vehicle: Any) -> State:
    return D6.new_state({"ana": {"kind": "Hero"}, "car": {"kind": "Vehicle", "pilot": "ana", "move": 30, **vehicle}})


def compared(call: Call[Any], state: State) -> dict[Any, Fraction]:
    """What comes of a rule, by its kernel and as it is played."""
    fast, played = Exact().of(call, state), Exact(kernels=False).of(call, state)
    for result in {**fast.of, **played.of}:
        apart = fast.of.get(result, Fraction(0)) - played.of.get(result, Fraction(0))
        assert abs(apart) <= Fraction(fast.lost) + Fraction(played.lost), result
    return dict(fast.of)


@pytest.mark.parametrize(("body", "damage"), [("1D", "2D"), ("2D+1", "1D+2"), ("2D", "2D")])
def test_damage_against_body_by_body_differences(body: str, damage: str) -> None:
    found = compared(body_difference(Code.from_plain(body), Code.from_plain(damage)), scene())
    assert len(found) > 6


def test_one_code_against_another_by_codes_differences() -> None:
    mine = code_mods(Code.from_plain("2D"), "Guidance", "d6.vehicle-combat.missile-lock")
    theirs = code_mods(Code.from_plain("1D+1"), "Signature", "d6.vehicle-combat.missile-lock")
    assert len(compared(codes_against(mine, theirs), scene())) > 6


def test_a_system_at_random_by_random_systems() -> None:
    """Whoever has no weapon rolls again where it would be hit: the others keep their proportions."""
    armed = compared(random_system(CRAFT), scene(cargo=100, weapons=[{"name": "gun", "damage": "4D"}]))
    unarmed = Exact().of(random_system(CRAFT), scene(cargo=100)).of
    (missing,) = armed.keys() - unarmed.keys()
    assert unarmed == {name: chance / (1 - armed[missing]) for name, chance in armed.items() if name != missing}
