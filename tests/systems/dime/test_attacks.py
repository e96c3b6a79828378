"""Attacks outside a fight, as in a duel; odds of what needs no suit; policies that end a fight."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from referee import registry
from referee.core import Scene, State, Who
from referee.drivers.exact import Exact
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play
from referee.systems.dime.attacks import AttackResult, strike
from referee.systems.dime.combat import CATEGORIES, COMBAT_ACTIONS, FIGHT, NAMED_ACTIONS, PRICES, category_of
from referee.systems.dime.grapples import grapple
from referee.systems.dime.hits import AttackManner
from referee.systems.dime.sheet import Adventurer, hp
from referee.testing.scenarios import samples

DIME: Final = registry.load("dime")
ANA: Final = Who("ana", Adventurer)
BO: Final = Who("bo", Adventurer)
GUN: Final = {"name": "gun", "skill": "guns", "held": True, "damage": {"hearts": 4}}


def shot(manner: AttackManner, card: str) -> tuple[AttackResult, State]:
    state = DIME.new_state(
        {
            "ana": {"moxie": 0, "stats": {"Dexterity": 4, "Speed": 7}, "skills": {"guns": 2}, "items": [GUN]},
            "bo": {"moxie": 0, "dr": 1, "hp_full": 30},
        }
    )
    played = play(strike(ANA, BO, "gun", manner), state, {"turn": card})
    return played.result, played.state


def test_an_opening_shot_by_speed_doubles_the_damage_before_dr() -> None:
    result, after = shot(AttackManner(stat="Speed", times=2, reactions=False), "AH")
    assert (result.hit, result.flip.total, result.damage) == (True, 10, 7)
    assert hp(Scene(after), BO) == 23


def test_an_opening_shot_for_safety_is_an_ordinary_attack() -> None:
    result, after = shot(AttackManner(), "4H")
    assert (result.hit, result.flip.total, result.damage) == (True, 10, 3)
    assert hp(Scene(after), BO) == 27
    assert not shot(AttackManner(), "3H")[0].hit


def test_outside_a_fight_a_joker_hits_no_friend() -> None:
    result, after = shot(AttackManner(), "Joker1")
    assert result.flip.joker
    assert hp(Scene(after), ANA) == 10


def test_every_action_of_the_book_is_declared_with_its_category() -> None:
    scene = Scene(DIME.new_state({"ana": {}}))
    declared = {each.name for each in PRICES.values()}
    reactions = {"Dodge", "Parry", "Resist", "Take Cover", "Zone of Control"}
    variants = {"Fighting Blind", "Improvised Weapons", "Unarmed Attack"}
    for category in CATEGORIES:
        for name in scene[NAMED_ACTIONS[category]]:
            assert category_of(scene, name) == category
            assert name in declared | reactions | variants
    assert len({each.key for each in COMBAT_ACTIONS}) == len(COMBAT_ACTIONS) == 27


def test_the_odds_of_a_grapple_are_those_of_its_flip() -> None:
    """Str 5 and melee 2 against 10: a stack of 3 or more, with clubs trump and no Joker."""
    fight = {"kind": "ZoneFight", "sides": [["ana"], ["bo"]], "round": 1, "turn": "ana", "turn_begun": True}
    deck = {"kind": "Pile", "owner": "ana", "cards": ["2H@ana", "3H@ana", "9D@ana", "Joker1@ana"]}
    state = DIME.new_state(
        {
            "ana": {"moxie": 0, "skills": {"melee": 2}},
            "bo": {"player": False},
            "ana.deck": deck,
            "fight": {**fight, "left": {"ana": 3}},
        }
    )
    found = Exact().of(grapple(ANA, BO), state)
    assert found.chance(lambda flip: flip.success) * 4 == 2
    assert found.chance(lambda flip: flip.joker) * 4 == 1


@pytest.mark.parametrize("name", ["aggressive", "cautious"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_policy_plays_a_fight_to_its_end(name: str, seed: int) -> None:
    start = dict(samples(DIME))["ambush"]
    ending, _ = Sampled(Random(seed), DIME.policies[name]).play_out(FIGHT, start)
    assert ending in ("Ada and Rourke", "Silas Crow and Thug and Gunner", "nobody")
