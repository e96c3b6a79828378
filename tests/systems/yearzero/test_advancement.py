"""XP spent by the same form as a character is built with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from referee.core import Draft, Levels, Refused
from referee.core.draft_form import DraftForm
from referee.core.rulebook import Book
from referee.systems.yearzero import SYSTEM
from referee.systems.yearzero.sheet import Survivor

ANA: Final = Survivor(
    attributes=Levels({"Wits": 3}),
    skills=Levels({"Melee": 2}),
    xp=40,
    skill_xp=5,
    resting=0,
    succeeded=frozenset({"Might", "Melee: Axes"}),
    practised=frozenset({"Packrat"}),
    training=tuple(("Wits", day * 14_400) for day in range(5)),
)


def form(sheet: Survivor = ANA, **answers: Any) -> DraftForm:
    assert SYSTEM.advancement is not None
    found = DraftForm(SYSTEM.advancement, Book(SYSTEM.printed_book), Draft({}, sheet))
    for field, plain in answers.items():
        found = found.at(found.answered(field, plain))
    return found


def test_skills_and_specialties_are_paid_step_by_step_first_with_xp_made_of_willpower() -> None:
    grown = form(skills={"Melee": 3, "Might": 1}, specialties={"Melee: Axes": 3}).finished()
    assert (grown.xp, grown.skill_xp) == (20, 0)  # 15 + 5 + 5 of 45
    assert dict(grown.skills) == {"Melee": 3, "Might": 1}
    assert dict(grown.specialties) == {"Melee: Axes": 3}


@pytest.mark.parametrize(
    ("answers", "rule"),
    [
        ({"skills": {"Stealth": 1}}, "yearzero.development.new-skill-requirement"),
        ({"specialties": {"Melee: Sword": 3}}, "yearzero.development.specialization-requirement"),
        ({"specialties": {"Melee: Axes": 4}}, "yearzero.development.specialization-requirement"),
        ({"attributes": {"Strength": 4}}, "yearzero.development.attribute-training"),
        ({"attributes": {"Wits": 5}}, "yearzero.development.attribute-training"),
        ({"skills": {"Melee": 5}}, "yearzero.development.spending-xp"),  # 15 + 20 + 25
    ],
)
def test_what_the_book_does_not_allow_is_refused_by_its_rule(answers: dict[str, Any], rule: str) -> None:
    with pytest.raises(Refused) as refused:
        form(**answers)
    assert refused.value.rule == rule


def test_nobody_spends_xp_who_does_not_rest() -> None:
    with pytest.raises(Refused, match="rest or sleep"):
        form(replace(ANA, resting=None), skills={"Melee": 3})


def test_an_attribute_costs_its_skills_and_three_times_the_new_score_and_uses_up_the_training() -> None:
    grown = form(attributes={"Wits": 4}).finished()
    assert dict(grown.attributes) == {"Wits": 4}
    assert (grown.xp, grown.skill_xp, grown.training) == (3, 5, ())  # 5 skills at 0: 25, and 12


def test_xp_made_of_willpower_buy_no_attribute() -> None:
    lacks = form(replace(ANA, xp=35, skill_xp=5), attributes={"Wits": 4}).lacks
    assert [each.because for each in lacks] == ["attributes and talents cost 37 XP, and 35 are good for them"]


@pytest.mark.parametrize(("pips", "talents", "xp"), [([6, 2, 3], {"Packrat": 1}, 30), ([5, 2, 3], {}, 40)])
def test_a_talent_takes_practice_and_a_wits_roll_and_is_paid_for_only_if_it_succeeds(
    pips: list[int], talents: dict[str, int], xp: int
) -> None:
    chosen = form(talent="Packrat")
    assert [each.because for each in chosen.lacks] == ["roll the dice"]
    grown = chosen.at(chosen.thrown("wits", pips)).finished()
    assert (dict(grown.talents), grown.xp, grown.practised) == (talents, xp, frozenset())
    assert grown.missed == (frozenset() if talents else {"Packrat"})
