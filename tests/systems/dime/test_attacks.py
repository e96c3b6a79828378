"""Attacks outside a fight, as in a duel; odds of what needs no suit; policies that end a fight."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from referee import registry
from referee.core import Prompt, Refused, Scene, State, Who, choose
from referee.core.errors import RefereeError
from referee.core.knowledge import known_question
from referee.core.trace import running
from referee.core.visibility import Seat, hidden_names
from referee.drivers.exact import Exact
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play
from referee.systems.dime.action_points import COMBAT_ACTIONS, NAMED_ACTIONS, PRICES, category_of
from referee.systems.dime.attacks import AttackResult, strike
from referee.systems.dime.chase import OBSTACLES
from referee.systems.dime.fight import CATEGORIES, FIGHT
from referee.systems.dime.grapples import grapple
from referee.systems.dime.hits import AttackManner
from referee.systems.dime.sheet import Adventurer, hp
from referee.systems.dime.weapons import check_strength, improvised_mods
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
    named = {
        "Concentrate": ("Aim", "End Consequence", "Observe/Recall", "Paranormal Ability"),
        "Attack": (
            *("Basic Attack", "Area Attack", "Automatic Fire", "Called Shot (Arm)", "Called Shot (Head)"),
            *("Called Shot (Leg)", "Disarm", "Fighting Blind", "Grapple", "Improvised Weapons", "Suppressive Fire"),
            "Unarmed Attack",
        ),
        "Interact": ("Coordinate", "Draw/Reload", "First Aid", "Intimidate", "Trick"),
        "Move": ("Basic Move", "Obstacle", "Posture"),
        "Reaction": ("Dodge", "Parry", "Resist", "Take Cover", "Wait", "Zone of Control"),
    }
    assert {category: scene[NAMED_ACTIONS[category]] for category in CATEGORIES} == named
    for category, names in named.items():
        for name in names:
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


def test_odds_that_were_worked_out_take_no_option_away() -> None:
    """An action remembers the last scene it was checked in, with the game master's discards, which are hidden."""
    state = DIME.new_state({"ana": {}, "bo": {}})
    flip = DIME.action("flip").by(ANA, stat="Strength")
    question = choose(ANA, Prompt("turn-action"), (flip, DIME.action("random-number").by(ANA)))
    flip.action.refuse_once(Scene(state, set()), ANA, flip.arguments)
    assert "gm.discards" in hidden_names(state)
    assert len(known_question(question, state, Seat("Ann", frozenset({"ana"}))).options) == 2


def test_an_improvised_weapon_is_worse_by_0_to_2() -> None:
    state = DIME.new_state({"ana": {}})
    for amount, expected in ((-2, [-2]), (-1, [-1]), (0, [])):
        assert [each.amount for each in play(improvised_mods(), state, {"gear": amount}).result] == expected
    for amount in (-3, 1):
        with pytest.raises(RefereeError, match="-2 to 0"):
            play(improvised_mods(), state, {"gear": amount})


def test_punches_are_pulled_down_to_no_strength_at_all() -> None:
    scene = Scene(DIME.new_state({"ana": {"stats": {"Strength": 5}}}))
    check_strength(scene, ANA, 0)
    check_strength(scene, ANA, 5)
    for strength in (-1, 6):
        with running(strike), pytest.raises(Refused):
            check_strength(scene, ANA, strength)


def test_the_obstacles_of_a_chase_end_with_the_opening() -> None:
    obstacles = Scene(DIME.new_state({}))[OBSTACLES]
    assert obstacles.at(14).name == "Opening"
    for rank in (0, 15):
        with pytest.raises(RefereeError):
            obstacles.at(rank)
