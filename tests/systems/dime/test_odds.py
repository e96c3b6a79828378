"""Odds of flips: the kernel is as the rule is played, and full decks are counted, not guessed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from referee import registry
from referee.core import State, Who
from referee.core.plain import Plain
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.systems.dime.flip import Notation, flip, flip_value, make_flip, opposed_flip
from referee.systems.dime.sheet import Adventurer

DIME = registry.load("dime")
ANA = Who("ana", Adventurer)
BO = Who("bo", Adventurer)

SMALL_DECKS = (
    ("2H", "5S", "9D"),
    ("KS", "2H", "5D", "4C", "9C"),
    ("KS", "5S", "9D", "3C", "AH"),
    ("QS", "JD", "5S", "9D", "3C", "4H"),
    ("Joker1", "5S", "9D", "KS", "2C", "10H"),
    ("Joker1", "Joker2", "KS", "9S", "3D"),
)


def with_deck(*cards: str, **sheet: Plain) -> State:
    deck = {"kind": "Pile", "owner": "ana", "cards": [f"{each}@ana" for each in cards]}
    return DIME.new_state({"ana": {"moxie": 0, **sheet}, "ana.deck": deck})


@pytest.mark.parametrize("cards", SMALL_DECKS, ids=" ".join)
@pytest.mark.parametrize("trump", [(), ("spades",), ("spades", "hearts")], ids=str)
def test_the_kernel_is_as_the_rule_is_played(cards: tuple[str, ...], trump: tuple[str, ...]) -> None:
    played = Exact(kernels=False).of(flip_value(ANA, trump), with_deck(*cards))
    counted = Exact().of(flip_value(ANA, trump), with_deck(*cards))
    assert {result: share for result, share in counted.of.items() if share} == played.of


def test_a_flip_without_faces_or_trump_counts_pips() -> None:
    found = Exact().of(flip(ANA, "Strength", "", 10), with_deck("4H", "5H", "6H", "9D"))
    assert found.chance(lambda flip: flip.success) == Fraction(3, 4)
    assert found.chance(lambda flip: flip.strong and flip.success) == 0


def test_odds_of_a_full_deck_are_those_of_many_flips() -> None:
    """The figures are those of 400,000 flips of a shuffled deck."""
    state = DIME.new_state({"ana": {"stats": {"Dexterity": 6}, "skills": {"guns": 3}}})
    found = Exact().of(make_flip(ANA, "Dexterity", "guns", 15), state)
    assert found.lost < Fraction(1, 10**9)
    assert float(found.chance(lambda flip: flip.joker)) == pytest.approx(0.0685, abs=0.002)
    assert float(found.chance(lambda flip: flip.success)) == pytest.approx(0.5847, abs=0.003)


def test_both_sides_of_an_opposed_flip_are_counted_from_their_own_decks() -> None:
    state = DIME.new_state({"ana": {}, "bo": {}})
    found = Exact().of(opposed_flip(ANA, Notation("Strength", "melee"), BO, Notation("Endurance")), state)
    assert found.lost < Fraction(1, 10**8)
    assert float(found.chance(lambda flip: flip.success)) == pytest.approx(0.536, abs=0.004)


def test_a_card_that_is_played_from_hand_is_played_out() -> None:
    hand = {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": ["10H@ana"]}
    state = DIME.new_state({"ana": {}, "ana.hand": hand})
    policy = always(play="10H@ana")
    assert Exact(policy).of(flip(ANA, "Strength", "", 15), state).chance(lambda flip: flip.success) == 1


def test_the_kernel_reads_the_figures_of_the_campaign() -> None:
    deck = {"kind": "Pile", "owner": "ana", "cards": ["KH@ana", "2H@ana", "3C@ana"]}
    house = {"kind": "Book", "set": {"dime.flip.face-cards": {"bonus/K": 7}}}
    state = DIME.new_state({"book": house, "ana": {"moxie": 0}, "ana.deck": deck})
    assert Exact().of(flip_value(ANA, ()), state).chance(lambda counted: counted.value == 9) == Fraction(1, 6)


@pytest.mark.parametrize(
    "extra", [{}, {"consequences": [{"name": "Bolstered", "severity": 2}]}], ids=["plain", "bolstered"]
)
def test_the_kernel_of_an_opposed_flip_is_as_the_rule_is_played(extra: dict[str, Plain]) -> None:
    decks = {"ana": ("KC", "5H", "9D", "3C", "8S"), "bo": ("QD", "4H", "Joker1", "6C", "7D")}
    piles = {
        f"{name}.deck": {"kind": "Pile", "owner": name, "cards": [f"{each}@{name}" for each in cards]}
        for name, cards in decks.items()
    }
    state = DIME.new_state({"ana": {"moxie": 0, **extra}, "bo": {"moxie": 0}, **piles})
    call = opposed_flip(ANA, Notation("Strength", "melee"), BO, Notation("Perception"))
    counted = {result: share for result, share in Exact().of(call, state).of.items() if share}
    assert counted == Exact(kernels=False).of(call, state).of
