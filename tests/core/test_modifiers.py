"""Modifiers: written as people say them, summed, and with their reason until the end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import DICE, DIFFICULTY, PIPS, TOTAL, BadInput, Mod, Mods, Refused, by_unit, total
from referee.core.plain import read, write


@pytest.mark.parametrize(
    ("plain", "mod"),
    [
        (2, Mod(2)),
        (-1, Mod(-1)),
        ("+2 flashlight", Mod(2, "flashlight")),
        ("-1 in the dark", Mod(-1, "in the dark")),
        ("2", Mod(2)),
        (" +3 dice  a good plan ", Mod(3, "a good plan", unit=DICE)),
        ("+1 die", Mod(1, unit=DICE)),
        ("+2 Dice", Mod(2, unit=DICE)),
        ("-1 pip wounded", Mod(-1, "wounded", unit=PIPS)),
        ("+2 pips", Mod(2, unit=PIPS)),
        ("+5 to the difficulty  fog", Mod(5, "fog", unit=DIFFICULTY)),
        ("-3 to the total", Mod(-3, unit=TOTAL)),
        ("+2 dicey plan", Mod(2, "dicey plan")),
        ("-2 difficulty", Mod(-2, "difficulty")),
        ("+2pipsqueak", Mod(2, "pipsqueak")),
        ({"amount": 1, "unit": "rounds"}, Mod(1, unit="rounds")),
        ({"amount": 2, "label": "flashlight", "rule": "some.rule"}, Mod(2, "flashlight", "some.rule")),
        ({"amount": 0}, Mod(0)),
    ],
)
def test_a_modifier_is_written_as_people_say_it(plain: Any, mod: Mod) -> None:
    assert Mod.from_plain(plain) == mod


@pytest.mark.parametrize(
    "plain", ["flashlight", "", "+", "++2", "+-2", True, None, 2.5, [2], {}, {"label": "x"}, {"amount": 1, "why": "x"}]
)
def test_what_is_no_modifier_is_refused_with_an_example(plain: Any) -> None:
    with pytest.raises(BadInput, match=r"must be a modifier such as '\+2 flashlight'"):
        Mod.from_plain(plain)


def test_the_amount_of_a_modifier_is_a_whole_number() -> None:
    with pytest.raises(BadInput, match="amount: must be a whole number, not 'two'"):
        Mod.from_plain({"amount": "two"})


def test_one_modifier_may_stand_for_several() -> None:
    assert read(Mods, "+2 flashlight") == read(Mods, ["+2 flashlight"]) == (Mod(2, "flashlight"),)


@settings(max_examples=30)
@given(st.lists(st.builds(Mod, st.integers(), st.text(), st.text(), st.booleans(), st.sampled_from(["", PIPS, "own"]))))
def test_modifiers_sum_up_and_read_back(mods: list[Mod]) -> None:
    assert total(mods) == sum(mod.amount for mod in mods)
    assert read(Mods, write(tuple(mods))) == tuple(mods)


@pytest.mark.parametrize(
    ("mod", "text"),
    [
        (Mod(2, "aim"), "+2 aim"),
        (Mod(-1), "-1"),
        (Mod(0, "even"), "+0 even"),
        (Mod(2, "rope", unit=DICE), "+2 dice rope"),
        (Mod(-1, "hurt", unit=DICE), "-1 die hurt"),
        (Mod(0, unit=DICE), "+0 dice"),
        (Mod(1, unit=PIPS), "+1 pip"),
        (Mod(-4, "wind", unit=PIPS), "-4 pips wind"),
        (Mod(3, "luck", unit=TOTAL), "+3 to the total luck"),
        (Mod(1, "fog", unit=DIFFICULTY), "+1 to the difficulty fog"),
    ],
)
def test_a_modifier_is_shown_with_its_sign_and_read_back(mod: Mod, text: str) -> None:
    assert str(mod) == text
    assert Mod.from_plain(text) == mod


def test_a_unit_of_a_systems_own_is_shown_by_its_own_word() -> None:
    assert str(Mod(2, "burst", unit="rounds")) == "+2 rounds burst"


def test_a_modifier_without_a_unit_is_written_as_it_always_was() -> None:
    assert write(Mod(2, "aim", "some.rule")) == {"amount": 2, "label": "aim", "rule": "some.rule"}
    assert write(Mod(2, "aim", unit=PIPS)) == {"amount": 2, "label": "aim", "rule": "", "unit": "pips"}


def test_one_call_gathers_modifiers_by_unit() -> None:
    """The smallest system with two units: a dice code. What has no unit is in the first of them."""
    code = by_unit((Mod(3, "Agility", unit=DICE), Mod(2, "Agility", unit=PIPS), Mod(-1, "hurt")), DICE, PIPS)
    assert code == {DICE: 2, PIPS: 2}
    assert code[DIFFICULTY] == 0
    assert by_unit((Mod(1), Mod(2, unit=TOTAL), Mod(3, unit=TOTAL))) == {"": 1, TOTAL: 5}
    assert by_unit((), DICE) == {}


def test_a_modifier_in_a_unit_the_rule_does_not_know_is_refused_and_says_which_are_known() -> None:
    with pytest.raises(Refused, match=r"\+2 pips aim: a modifier here is in dice or total \(some\.rule\)") as caught:
        by_unit((Mod(2, "aim", unit=PIPS),), DICE, TOTAL, rule="some.rule")
    assert caught.value.legal == (DICE, TOTAL)
