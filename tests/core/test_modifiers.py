"""Modifiers: written as people say them, summed, and with their reason until the end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import BadInput, Mod, Mods, total
from referee.core.plain import read, write


@pytest.mark.parametrize(
    ("plain", "mod"),
    [
        (2, Mod(2)),
        (-1, Mod(-1)),
        ("+2 flashlight", Mod(2, "flashlight")),
        ("-1 in the dark", Mod(-1, "in the dark")),
        ("2", Mod(2)),
        (" +3 dice  a good plan ", Mod(3, "a good plan")),
        ("+1 die", Mod(1)),
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
@given(st.lists(st.builds(Mod, st.integers(), st.text(), st.text())))
def test_modifiers_sum_up_and_read_back(mods: list[Mod]) -> None:
    assert total(mods) == sum(mod.amount for mod in mods)
    assert read(Mods, write(tuple(mods))) == tuple(mods)


@pytest.mark.parametrize(("mod", "text"), [(Mod(2, "aim"), "+2 aim"), (Mod(-1), "-1"), (Mod(0, "even"), "+0 even")])
def test_a_modifier_is_shown_with_its_sign_and_read_back(mod: Mod, text: str) -> None:
    assert str(mod) == text
    assert Mod.from_plain(text) == mod
