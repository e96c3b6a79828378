"""Characters of Dime Adventures: drafts at random, short forms, what threatens."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random
from typing import Any

import pytest

from referee import registry
from referee.core import Call, Encounter, Open, Refused, Scene, State, Who, action_of, frozen
from referee.core.draft_chance import random_sheet
from referee.core.rulebook import Book
from referee.drivers.scripted import play
from referee.systems.dime.condition import condition
from referee.systems.dime.creation import CREATION
from referee.systems.dime.duel import STARED_DOWN
from referee.systems.dime.equipment import kind_of_thing
from referee.systems.dime.flip import flip, take_stat
from referee.systems.dime.sheet import Adventurer, check_sheet

DIME = registry.load("dime")
ANA = Who("ana", Adventurer)


@pytest.mark.parametrize("seed", range(5))
def test_a_random_character_has_the_arrays(seed: int) -> None:
    sheet = random_sheet(CREATION, Book(DIME.printed_book), Random(seed))
    assert sorted(sheet.stats.values()) == [3, 4, 4, 5, 5, 6, 6, 7]
    assert sorted(sheet.skills.values()) == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    check_sheet(Scene(DIME.new_state({"ana": {}}).but("ana", sheet)), ANA)


def test_a_short_form_is_a_flip_by_somebody_without_moxie() -> None:
    found = DIME.shorthand("Dex 6/guns 3-12")
    assert found is not None
    state = DIME.new_state({"ana": found.sheet})
    call = DIME.action(found.action).do(ANA, **dict(found.arguments))
    assert play(call, state, {"turn": "2H"}).result.total == 11
    assert DIME.shorthand("Dex 6") is None
    assert DIME.shorthand("Luck 6-10") is None


@frozen
class Brawl(Encounter):
    """Something that threatens people."""

    rounds: Open[int] = 1

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return flip(ANA, "Strength")

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return None


def test_the_stat_is_not_taken_by_somebody_threatened() -> None:
    calm = DIME.new_state({"ana": {}})
    threatened = State({**calm, "brawl": Brawl()})
    assert action_of(take_stat).may(Scene(calm), ANA, stat="Strength", skill="") is None
    refusal = action_of(take_stat).may(Scene(threatened), ANA, stat="Strength", skill="")
    assert isinstance(refusal, Refused)
    assert refusal.rule == "dime.flip.taking-stat"


@pytest.mark.parametrize(
    ("sheet", "word"),
    [
        ({}, "unhurt"),
        ({"dying": {}}, "dying"),
        ({"unconscious": True}, "unconscious"),
        ({"dying": {}, "dead": True}, "dead"),
    ],
)
def test_how_somebody_is_in_a_word(sheet: dict[str, Any], word: str) -> None:
    assert condition(Scene(DIME.new_state({"ana": {"moxie": 0, **sheet}})), Who("ana", Adventurer)).word == word


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        ({"name": "colt", "skill": "guns", "damage": {"spades": 5}}, "guns"),
        ({"name": "vest", "properties": {"DR": 2}}, "armor"),
        ({"name": "rope"}, "other"),
    ],
)
def test_things_are_weapons_by_their_skill_armor_or_something_else(thing: dict[str, Any], kind: str) -> None:
    scene = Scene(DIME.new_state({"ana": {"moxie": 0, "items": [thing]}}))
    assert kind_of_thing(scene, scene[Who("ana", Adventurer)].items[0]) == kind


def test_each_duelist_is_told_of_their_own_stare() -> None:
    ana_stared = frozenset({"ana"})
    assert STARED_DOWN.told_to("ana").of(ana_stared) == "stares-down"
    assert STARED_DOWN.told_to("bo").of(ana_stared) == "no-effect"
