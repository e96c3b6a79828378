"""Flips that are too long for exact odds: sampled once for a whole card, and as certain as the card says."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import Any, Final

import pytest

from referee import registry
from referee.core import Mod, Pile, Scene, State, Who
from referee.core.errors import TooLong
from referee.core.knowledge import fully_known
from referee.core.modifiers import Itemised
from referee.core.questions import Choice, Choose
from referee.core.rules import Call
from referee.core.visibility import Seat
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.forecast.bands import Forecast
from referee.forecast.figures import PLAYS, Budget, OddsLine, RuleSoFar, Spending, figured
from referee.forecast.risk import action_query
from referee.odds import stack_rows
from referee.systems.dime import flip_odds, flip_samples
from referee.systems.dime.attacks import STRUCK, AimedAttack, flip_at, turn_attack
from referee.systems.dime.flip import COUNTED, LUCK, Notation, count_suited, flip, lay_stacks, lay_value, opposed_flip
from referee.systems.dime.hits import AttackManner
from referee.systems.dime.reactions import Guard
from referee.systems.dime.sheet import Adventurer

DIME: Final = registry.load("dime")
ANA: Final = Who("ana", Adventurer)
BO: Final = Who("bo", Adventurer)
HAND: Final = ("8H", "JS", "3S")
DECK: Final = ("KS", "QD", "5S", "9D", "3C", "4H")
GUN: Final = {"name": "gun", "skill": "guns", "held": True, "damage": {"clubs": 1, "hearts": 4, "spades": 6}}
AT_ONCE: Final = AttackManner(reactions=False)
TIMES: Final = 3000


def scene_with(deck: tuple[str, ...] = (), hand: tuple[str, ...] = ()) -> State:
    piles = {
        "ana.hand": {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": [f"{each}@ana" for each in hand]},
    }
    if deck:
        piles["ana.deck"] = {"kind": "Pile", "owner": "ana", "cards": [f"{each}@ana" for each in deck]}
    ana = {"moxie": len(hand), "stats": {"Dexterity": 4}, "skills": {"guns": 2}, "items": [GUN]}
    return DIME.new_state({"ana": ana, "bo": {"moxie": 0, "hp_full": 30}, **piles})


def lowest(question: Choice[Any], scene: Scene) -> Any:
    """The worst stack counts; Luck for low values."""
    if isinstance(question, Choose) and question.name == COUNTED:
        return question.legal[0]
    is_low = isinstance(question, Choose) and question.name == LUCK and question.about < 8 and len(question.legal) > 3
    return question.legal[0] if is_low else question.default


POLICIES: Final = {
    "default": always(),
    "a face from hand": always(play="JS@ana"),
    "a number, and Luck": always(play="8H@ana", luck="3S@ana"),
    "the lowest": lowest,
}


def agrees(call: Call[Any], state: State, policy: Policy) -> None:
    """The sampler comes to what is played, within four standard errors of each result."""
    exact = Exact(policy, kernels=False).results(call, state).of
    sampled = call.rule.sampled(Scene(state), Exact(policy)._calls, TIMES, call.args)
    assert sampled is not None
    ends = [(result, times) for result, _, times in sampled if times]
    shares: dict[Any, float] = {}
    for result, times in ends:
        shares[result] = shares.get(result, 0) + times / sum(ways for _, ways in ends)
    assert shares.keys() <= exact.keys()
    for result, chance in exact.items():
        error = sqrt(float(chance) * (1 - float(chance)) / TIMES) + 1 / TIMES
        assert abs(shares.get(result, 0) - float(chance)) < 4 * error, result


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_suited_flips_fall_as_they_are_played(policy: Policy) -> None:
    agrees(count_suited(ANA, ("spades",), Itemised(()), True), scene_with(DECK, HAND), policy)


@pytest.mark.parametrize("policy", [always(), lowest], ids=["default", "the lowest"])
def test_flips_begun_by_a_card_of_the_hand_fall_as_they_are_played(policy: Policy) -> None:
    state = scene_with(DECK, HAND)
    jack = Scene(state)[Who("ana.hand", Pile)].cards[-1]
    assert jack.rank == "J"
    agrees(lay_value(ANA, ("spades",), 3, jack, Itemised(()), True), state, policy)


def test_a_joker_spoils_a_sampled_flip() -> None:
    agrees(count_suited(ANA, (), Itemised(()), False), scene_with(("Joker1", "KS", "9D", "3C")), always())


def test_a_whole_flip_and_an_attack_fall_as_they_are_played() -> None:
    agrees(flip(ANA, "Dexterity", "guns", 9, suited=True), scene_with(DECK, HAND), always())
    gun = Scene(scene_with(DECK))[ANA].items[0]
    attack = AimedAttack(gun, AT_ONCE, Guard(7), "Dexterity", "guns")
    agrees(flip_at(ANA, BO, attack), scene_with(DECK), always())


def test_a_contest_with_a_face_from_hand_falls_as_it_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flip_odds, "FEW_CARDS", 0)
    monkeypatch.setattr(stack_rows, "is_possible", lambda: False)  # without numpy it is sampled
    decks = {
        "ana.deck": {"kind": "Pile", "owner": "ana", "cards": ["5S@ana", "9D@ana", "4H@ana"]},
        "ana.hand": {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": ["JS@ana"]},
        "bo.deck": {"kind": "Pile", "owner": "bo", "cards": ["KS@bo", "2D@bo", "8C@bo"]},
    }
    state = DIME.new_state({"ana": {"moxie": 1}, "bo": {"moxie": 0}, **decks})
    call = opposed_flip(ANA, Notation("Strength"), BO, Notation("Endurance"))
    agrees(call, state, always(play="JS@ana"))


def test_exact_odds_of_many_cards_are_given_up_at_once() -> None:
    exact = Exact()
    with pytest.raises(TooLong, match="ana may turn too many cards"):
        exact.results(turn_attack(ANA, BO, "gun", AT_ONCE), scene_with())
    assert exact.runs < 20
    few = Exact(kernels=True).results(turn_attack(ANA, BO, "gun", AT_ONCE), scene_with(DECK)).of
    assert few == Exact(kernels=False).results(turn_attack(ANA, BO, "gun", AT_ONCE), scene_with(DECK)).of


def test_stacks_of_many_cards_are_given_up_at_once_unless_none_is_turned() -> None:
    """A plan of a flip with a hand would otherwise play all orders of a full deck."""
    state, spades = scene_with(hand=HAND), ("spades",)
    eight, three = (
        next(each for each in Scene(state)[Who("ana.hand", Pile)].cards if each.rank == rank) for rank in "83"
    )
    for first in (None, three):
        with pytest.raises(TooLong, match="ana may turn too many cards"):
            Exact().results(lay_stacks(ANA, spades, first), state)
    for many in (state, scene_with(DECK, HAND)):
        played = Exact(kernels=False).results(lay_stacks(ANA, spades, eight), many).of
        assert Exact().results(lay_stacks(ANA, spades, eight), many).of == played


def test_sampled_odds_say_in_how_many_plays() -> None:
    sampled = Exact(plays=500).results(turn_attack(ANA, BO, "gun", AT_ONCE), scene_with())
    assert sampled.samples == 500
    assert Exact(plays=500).results(flip(ANA, "Dexterity", tn=9), scene_with()).samples == 0


def test_all_ways_to_attack_on_a_card_share_one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled: list[int] = []
    real = flip_samples._counted_plays

    def noting(*args: Any) -> Any:
        sampled.append(1)
        return real(*args)

    monkeypatch.setattr(flip_samples, "_counted_plays", noting)
    state = fully_known(scene_with())
    lines = {
        str(amount): OddsLine(
            (RuleSoFar(turn_attack(ANA, BO, "gun", AT_ONCE, (Mod(amount, "wind", "dime.flip.basic"),)), state),),
            STRUCK,
            ANA,
            by_default,
            by_default,
        )
        for amount in range(3)
    }
    found = figured(lines, Spending(Budget(None)))
    assert [each.samples for each in found.values() if isinstance(each, Forecast)] == [PLAYS] * 3
    assert all(0 < each.error < 0.01 for each in found.values() if isinstance(each, Forecast))
    assert len(sampled) == 1


def test_a_number_from_hand_and_a_face_are_counted() -> None:
    pytest.importorskip("numpy")
    make = next(each for each in DIME.actions if each.key == "flip")
    offer = make.by(ANA, stat="Dexterity", tn=10)
    card = action_query(offer, fully_known(scene_with(hand=HAND)), Seat("", master=True), plan=False).card(Budget(None))
    (playing,) = (each for each in card.decisions if each.prompt == "play")
    assert {key: bool(each.samples) for key, each in playing.options.items()} == {
        "8H@ana": False,
        "3S@ana": False,
        "JS@ana": False,
    }


@pytest.mark.parametrize("play", ["JS@ana", "JS@ana with Luck"])
def test_a_flip_of_a_full_deck_begun_by_a_face_is_what_many_plays_come_to(play: str) -> None:
    pytest.importorskip("numpy")
    state, policy = scene_with(hand=HAND), always(play="JS@ana", luck="3S@ana" if "Luck" in play else None)
    jack = Scene(state)[Who("ana.hand", Pile)].cards[-1]
    call = lay_value(ANA, ("spades",), 0, jack, Itemised(()), True)
    exact = Exact(policy).results(call, state)
    assert not exact.samples
    assert exact.lost < Fraction(1, 10**9)
    sampled = call.rule.sampled(Scene(state), Exact(policy)._calls, TIMES, call.args)
    assert sampled is not None
    shares = Counter[Any]()
    for result, _, times in sampled:
        shares[result] += times
    for result, chance in exact.of.items():
        error = sqrt(float(chance) * (1 - float(chance)) / TIMES) + 1 / TIMES
        assert abs(shares[result] / TIMES - float(chance)) < 4 * error, result
