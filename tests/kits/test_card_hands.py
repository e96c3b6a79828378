"""Decks, hands and stacks, by the smallest game that flips: play, odds beside hidden hands, no card ever lost."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Any, Final

import pytest
from tests.hard_scenes.dime import (
    ANA,
    ANNE,
    BEN,
    BO,
    CARD,
    SYSTEM,
    VALUES,
    Adventurer,
    Attack,
    Flipped,
    alone,
    check,
    contest,
    flip,
    oppose,
    shot,
    strike,
    two,
)
from tests.seen import seen_by

from referee.core import Card, Facing, Pile, Refused, Scene, State, Who, draw, rule
from referee.core.cards import check_each_card_once, playing_cards
from referee.core.errors import NotKept, NotKnown
from referee.core.knowledge import known_to
from referee.core.questions import Chance, Choose
from referee.core.requests import move_all
from referee.core.scene import Forgotten
from referee.core.visibility import Seat, visible_scene
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.drivers.scripted import play
from referee.forecast.figures import Budget
from referee.forecast.question_odds import odds_at
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import Assumption
from referee.journal.journal import Journal
from referee.kits.card_hands import Owner, Stack, best_of, check_held, is_spoiled, new_piles
from referee.testing.conformance import agree

MINE: Final = Owner("ana")
GOOD: Final = ("critical", "success")
WITHOUT_TIME: Final = Budget(seconds=None, runs=60, plays=10)


def deck(cards: str, held: str = "", discards: str = "", moxie: int = 0) -> State:
    """Ana with this deck, hand and discards; trump is spades for Dexterity, which is 5."""

    def pile(names: str, facing: Facing) -> Pile:
        return Pile(tuple(Card(name, "ana") for name in names.split()), facing, "ana")

    return State({
        "ana": Adventurer(moxie=moxie),
        "ana.deck": pile(cards, Facing.DOWN),
        "ana.hand": pile(held, Facing.HAND),
        "ana.in-play": pile("", Facing.UP),
        "ana.discards": pile(discards, Facing.UP),
    })  # fmt: skip


def names(state: State, pile: str) -> list[str]:
    found = state[pile]
    assert isinstance(found, Pile)
    return [card.name for card in found.cards]


def stack(cards: str) -> Stack:
    laid = tuple(Card(name, "ana") for name in cards.split())
    return Stack(laid, sum(map(VALUES.worth, laid)))


# --- play -------------------------------------------------------------------------------------------------------------


def test_new_piles_are_a_full_deck_and_empty_piles_beside_it() -> None:
    piles = new_piles([Card("AS"), Card("2S")])
    assert {name: (len(pile), pile.facing) for name, pile in piles.items()} == {
        "deck": (2, Facing.DOWN),
        "in-play": (0, Facing.UP),
        "discards": (0, Facing.UP),
        "hand": (0, Facing.HAND),
    }
    assert "hand" not in new_piles([Card("AS")], hand=None)


@pytest.mark.parametrize(
    ("cards", "total"),
    [("KC 4H", 12), ("JH QC AS 2D", 9), ("5S 9H", 14), ("5S KS AS 7D 2C", 12), ("9H", 14)],
    ids=["face adds", "faces add, the ace is trump", "trump opens a stack", "trump chains", "a number"],
)
def test_stacks_come_out_until_none_is_open(cards: str, total: int) -> None:
    played = play(flip(ANA, "Dexterity"), deck(cards + " 3C"), {"card": cards})
    assert played.result == Flipped(total)
    assert Counter(names(played.state, "ana.discards")) == Counter(cards.split())
    assert names(played.state, "ana.deck") == ["3C"]


def test_a_joker_spoils_the_flip_and_refills_the_hand() -> None:
    state = deck("5S Joker1 4D 6D 7D", held="2C", moxie=3)
    played = play(flip(ANA, "Dexterity"), state, {"play-card": "no", "card": "5S Joker1", "moxie": "4D 6D"})
    assert played.result == Flipped(5, joker=True)
    assert names(played.state, "ana.hand") == ["2C", "4D", "6D"]


def test_a_card_of_the_hand_begins_the_first_stack() -> None:
    state = deck("4H 5H", held="KC")
    played = play(flip(ANA, "Dexterity"), state, {"play-card": "KC", "card": "4H"})
    assert played.result == Flipped(12)
    assert names(played.state, "ana.hand") == []


def test_luck_opens_another_stack() -> None:
    state = deck("4H 9H", held="2C")
    played = play(flip(ANA, "Dexterity"), state, {"play-card": "no", "card": "4H 9H", "luck": "2C"})
    assert played.result == Flipped(14)


def test_an_empty_deck_is_made_anew_in_the_middle_of_a_flip() -> None:
    played = play(flip(ANA, "Dexterity"), deck("KC", discards="4H"), {"card": "KC 4H"})
    assert played.result == Flipped(12)
    assert sorted(names(played.state, "ana.discards")) == ["4H", "KC"]


def test_without_any_card_left_a_flip_is_refused_and_nothing_has_happened() -> None:
    with pytest.raises(Refused, match="ana has no card left to turn") as refused:
        play(flip(ANA, "Dexterity"), deck("KC"), {"card": "KC"})
    assert refused.value.rule == "hard-dime.flip"


def test_a_hand_is_refilled_only_as_far_as_there_are_cards() -> None:
    played = play(flip(ANA, "Dexterity"), deck("Joker1 2H", moxie=4), {"card": "Joker1", "moxie": "2H Joker1"})
    assert names(played.state, "ana.hand") == ["2H", "Joker1"]


def test_it_takes_two_to_oppose() -> None:
    with pytest.raises(Refused, match="it takes two"):
        play(oppose(ANA, ANA, "Dexterity", "Dexterity"), two(), {})


@rule("tests.cards.hold")
async def hold(scene: Scene, card: Card) -> None:
    """Show a card of the hand."""
    check_held(scene, Owner("ana"), card)


def test_a_card_that_has_left_the_hand_since_it_was_offered_is_refused() -> None:
    state = State({"ana.hand": Pile((Card("9H", "ana"), Card("2C", "ana")), Facing.HAND, "ana")})
    play(hold(Card("9H", "ana")), state)
    with pytest.raises(Refused, match="10S is no longer in the hand of ana") as refused:
        play(hold(Card("10S", "ana")), state)
    assert sorted(refused.value.legal) == ["2C", "9H"]


def test_of_equal_stacks_the_highest_suit_is_best() -> None:
    assert best_of((stack("7H"), stack("4C")), VALUES) == stack("7H")
    assert best_of((stack("7D"), stack("KH 4S"), stack("7C")), VALUES) == stack("KH 4S")
    assert is_spoiled((stack("7D"), stack("KH Joker1")))


# --- odds -------------------------------------------------------------------------------------------------------------

SMALL: Final = "AS 5S KS QH 9H 2C 7D JC Joker1"


def both(state: State, **answers: str | bool) -> tuple[dict[Flipped, Fraction], dict[Flipped, Fraction]]:
    """The odds of a flip by the kernel, and as played card by card."""
    call, policy = flip(ANA, "Dexterity"), always(**answers)
    return Exact(policy).of(call, state).of, Exact(policy, kernels=False).of(call, state).of


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_small_deck_has_the_odds_of_play(size: int) -> None:
    for cards in combinations(SMALL.split(), size):
        state = deck(" ".join(cards), discards="3C 4C")
        kernel, played = both(state)
        assert kernel == played, cards


@pytest.mark.parametrize("seed", range(6))
def test_larger_decks_have_the_odds_of_play(seed: int) -> None:
    random = Random(seed)
    cards = random.sample(SMALL.split(), 5)
    kernel, played = both(deck(" ".join(cards), discards="3C"))
    assert kernel == played


@pytest.mark.parametrize("first", ["4H", "4S", "KH", "KS", "Joker2", "no"])
def test_a_card_from_the_hand_has_the_odds_of_play(first: str) -> None:
    state = deck("5S 9H 2C Joker1", held="4H 4S KH KS Joker2")
    kernel, played = both(state, **{"play-card": first})
    assert kernel == played


def test_luck_has_the_odds_of_play() -> None:
    kernel, played = both(deck("5S 9H 2C Joker1", held="4H"), luck="4H")
    assert kernel == played


def test_a_deck_that_is_empty_is_the_discards() -> None:
    kernel, played = both(deck("", discards="5S 9H 2C Joker1"))
    assert kernel == played


@pytest.mark.parametrize("bo", ["5D 9H Joker1", "KD 2C 3C", "AD QD 10H 4C 3C"])
def test_a_contest_of_small_decks_has_the_odds_of_play(bo: str) -> None:
    state = two(decks={"ana": "AS KH 9C Joker1", "bo": bo})
    call = oppose(ANA, BO, "Dexterity", "Perception")
    assert Exact().of(call, state).of == Exact(kernels=False).of(call, state).of


@pytest.mark.parametrize("doubled_from", [0, 2])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_damage_of_every_small_deck_has_the_odds_of_play(size: int, doubled_from: int) -> None:
    attack = Attack(5, 10, doubled_from)
    for cards in combinations(SMALL.split(), size):
        state, call = deck(" ".join(cards), discards="3C 4C"), strike(ANA, attack)
        assert Exact().of(call, state).of == Exact(kernels=False).of(call, state).of, cards


@pytest.mark.parametrize("doubled_from", [0, 5])
@pytest.mark.parametrize("cards", ["5S KH 9C QS 8D", "KD 8S AS 9D Joker1", "KS KC KH 10D 2S"])
def test_the_damage_of_larger_decks_has_the_odds_of_play(cards: str, doubled_from: int) -> None:
    state, call = deck(cards, discards="3C"), strike(ANA, Attack(5, 13, doubled_from))
    assert Exact().of(call, state).of == Exact(kernels=False).of(call, state).of


@pytest.mark.parametrize("first", ["8H", "4S", "9S", "KH", "KS", "Joker2", "no"])
def test_a_card_from_the_hand_has_the_damage_of_play(first: str) -> None:
    state, call = deck("5S 9H KC 2C Joker1", held="8H 4S 9S KH KS Joker2"), strike(ANA, Attack(5, 13))
    policy = always(**{"play-card": first})
    assert Exact(policy).of(call, state).of == Exact(policy, kernels=False).of(call, state).of


def test_all_drivers_agree_about_the_damage() -> None:
    found = agree(strike(ANA, Attack(5, 13)), deck("5S 9H KD 2C Joker1", held="4H", discards="3C"))
    first, after_the_five, after_king_and_five = Fraction(1, 5), Fraction(1, 20), Fraction(1, 60)
    assert found.of[3] == first + after_the_five + after_king_and_five  # the nine of hearts, in a stack of its own


def test_a_lower_stack_of_a_better_suit_counts() -> None:
    """A queen of trump brings two stacks: 6 of spades is enough, so that 9 of clubs does not count."""
    played = play(strike(ANA, Attack(5, 11)), deck("QS 4H 9C"), {"card": "QS 4H 9C"})
    assert played.result == 5


def test_a_full_deck_has_exact_odds_of_its_damage() -> None:
    card = odds_of(shot(), *seen_by(ANNE, two()), budget=Budget(seconds=None))
    assert card.now is not None, card.missing
    assert not card.now.samples
    found = {key: float(card.now.chance_of({key})) for key in ("heavy", "hit", "miss", "joker")}
    assert found["heavy"] == pytest.approx(0.12211224723269928, rel=1e-12)  # a seven of spades, or more
    assert found["heavy"] + found["hit"] == pytest.approx(
        chance(odds_of(alone(), *seen_by(ANNE, two()), budget=Budget(seconds=None))), rel=1e-10
    )


def test_a_full_deck_with_doubled_damage_has_exact_odds() -> None:
    card = odds_of(shot(doubled_from=5), *seen_by(ANNE, two()), budget=WITHOUT_TIME)
    assert card.now is not None
    assert card.now.samples == 0
    assert card.now.lost < Fraction(1, 10**9)


def test_all_drivers_agree_about_what_is_kept() -> None:
    found = agree(flip(ANA, "Dexterity"), deck("5S 9H KD 2C Joker1", held="4H", discards="3C", moxie=2))
    assert found.of[Flipped(5, joker=True)] == by_orders("5S 9H KD 2C Joker1")


def by_orders(cards: str) -> Fraction:
    """How many orders of a deck begin with a joker, or with what leads to it: the king, the five of trump, or both."""
    orders = list(permutations(cards.split()))
    spoiled = [order for order in orders if _comes_to_a_joker(order)]
    return Fraction(len(spoiled), len(orders))


def _comes_to_a_joker(order: tuple[str, ...]) -> bool:
    owed = 1
    for name in order:
        if name == "Joker1":
            return True
        owed += (name == "5S") - (name != "KD")
        if not owed:
            return False
    return False


@rule("tests.cards.twice")
async def twice(scene: Scene, who: Who[Adventurer]) -> int:
    """Two flips from one deck."""
    return (await flip(who, "Dexterity")).total + (await flip(who, "Dexterity")).total


def test_what_a_kernel_has_forgotten_is_an_error_to_read() -> None:
    state = deck("5S 9H 2C Joker1", discards="3C")
    after = Exact().of(flip(ANA, "Dexterity"), state).ends[0][1]
    assert isinstance(after.unread("ana.deck"), Forgotten)
    with pytest.raises(NotKept, match=r"ana\.deck"):
        _ = Scene(after)[MINE.deck]
    with pytest.raises(NotKept, match=r"ana\.deck"):
        _ = MINE.deck in Scene(after)
    with pytest.raises(NotKept, match=r"ana\.deck"):
        Exact().of(twice(ANA), state)
    assert sum(Exact(kernels=False).of(twice(ANA), state).of.values()) == 1


def test_what_is_forgotten_is_still_a_pile_among_piles() -> None:
    after = Exact().of(flip(ANA, "Dexterity"), deck("5S 9H 2C")).ends[0][1]
    assert MINE.deck in Scene(after).all(Pile)


# --- hidden hands -----------------------------------------------------------------------------------------------------

HANDS: Final = ("KS QH 9C 2D 10S", "Joker1 Joker2 AC AD AH", "2C 3C 4C 5C 6C")


def chance(card: Any) -> float:
    assert card.now is not None, card.missing
    assert not card.now.samples
    return float(card.now.chance_of(GOOD))


def test_two_full_decks_without_hands() -> None:
    card = odds_of(contest(), *seen_by(ANNE, two()), budget=Budget(seconds=None))
    assert chance(card) == pytest.approx(0.6109019254518965, rel=1e-10)
    assert (card.assumes, card.decisions, card.unknown) == ((), (), "")
    assert card.complete


def test_a_hidden_hand_is_among_the_unseen_cards_and_what_it_might_do_is_assumed() -> None:
    card = odds_of(contest(), *seen_by(ANNE, two(bo=HANDS[0])), budget=Budget(seconds=None))
    assert chance(card) == pytest.approx(0.6109019254518965, rel=1e-10)  # deck and hand together are the full deck
    assert card.now is not None
    assert card.now.lost < Fraction(1, 10**9)
    assert card.assumes == (Assumption("bo", "luck", "no"), Assumption("bo", "play-card", "no"))
    assert card.to_plain()["assumes"] == [
        {"who": "bo", "prompt": "luck", "answer": "no"},
        {"who": "bo", "prompt": "play-card", "answer": "no"},
    ]


def test_whoever_sees_the_hand_counts_without_it_and_assumes_nothing() -> None:
    cards = [
        odds_of(contest(), *seen_by(seat, two(bo=HANDS[0])), budget=Budget(seconds=None)) for seat in (BEN, MASTER)
    ]
    assert chance(cards[0]) == chance(cards[1]) == pytest.approx(0.6373386138829886, rel=1e-10)
    assert {card.assumes for card in cards} == {()}


def test_odds_of_someone_elses_flip_assume_what_their_hand_does() -> None:
    card = odds_of(alone(), *seen_by(BEN, two(ana=HANDS[2])), budget=Budget(seconds=None))
    assert card.assumes == (Assumption("ana", "luck", "no"), Assumption("ana", "play-card", "no"))
    assert chance(card) == pytest.approx(
        chance(odds_of(alone(), *seen_by(BEN, two()), budget=Budget(seconds=None))), rel=1e-12
    )
    assert card.decisions == ()


def test_ones_own_cards_have_their_worth() -> None:
    """A nine is enough for 14 with a Dexterity of 7; one of spades is trump, and a joker may follow."""
    state = two(ana="9H 9S 2C")
    card = odds_of(alone(14), *seen_by(ANNE, state), budget=WITHOUT_TIME)
    kept = chance(card)
    exact = {
        key: Exact(always(**{"play-card": key})).results(check(ANA, "Dexterity", 14), known_to(state, ANNE))
        for key in ("9H", "9S", "2C")
    }
    worth = {key: float(found.chance(lambda outcome: outcome in GOOD)) for key, found in exact.items()}
    assert worth["9H"] == 1.0
    assert worth["9S"] == pytest.approx(0.9267329861462231, rel=1e-10)  # unless a joker comes
    assert worth["2C"] == 0.0
    assert kept == pytest.approx(0.4847144395320288, rel=1e-10)


def test_luck_is_counted_as_one_more_open_stack_and_a_face_from_hand_is_exact() -> None:
    state = two(ana="9H KS", decks={"ana": "QS 2S 5H 4D 8C"})
    for policy in (always(luck="9H"), always(**{"play-card": "9H", "luck": "KS"})):
        fast, played = (Exact(policy, kernels=on).of(flip(ANA, "Dexterity"), state) for on in (True, False))
        assert {result: share for result, share in fast.of.items() if share} == played.of
    king = always(**{"play-card": "KS"})
    whole = Exact(king, plays=4000).results(flip(ANA, "Dexterity"), two(ana="9H KS"))
    assert whole.samples == 0
    assert whole.lost < Fraction(1, 10**9)
    few = Exact(king, kernels=False).results(flip(ANA, "Dexterity"), state).of
    rows = flip.sampled(Scene(state), Exact(king)._calls, 4000, (ANA, "Dexterity")) or ()
    shares = {result: times / 4000 for result, _, times in rows}
    assert all(abs(shares.get(result, 0) - float(share)) < 0.035 for result, share in few.items())


def test_damage_that_is_doubled_is_sampled_as_it_is_played() -> None:
    state, attack = two(decks={"ana": "QS 2S 5H 4D 8C"}), Attack(7, 12, doubled_from=3)
    few = Exact(kernels=False).results(strike(ANA, attack), state).of
    rows = strike.sampled(Scene(state), Exact()._calls, 4000, (ANA, attack)) or ()
    shares = {damage: times / 4000 for damage, _, times in rows}
    assert all(abs(shares.get(damage, 0) - float(share)) < 0.035 for damage, share in few.items())


MASTER: Final = Seat("Mo", master=True)


@pytest.mark.parametrize("held", ["", "9H 5S"])
def test_odds_and_views_do_not_depend_on_hidden_hands(held: str) -> None:
    worlds = [two(ana=held, bo=hand) for hand in HANDS]
    views = {json.dumps(visible_scene(world, ANNE)) for world in worlds}
    odds = {json.dumps(odds_of(contest(), *seen_by(ANNE, world), budget=WITHOUT_TIME).to_plain()) for world in worlds}
    assert len(views) == len(odds) == 1


def test_a_question_in_the_middle_says_what_it_assumes() -> None:
    table = Journal(SYSTEM, two(ana="9H", bo="9C 4D"))
    step = table.begin(
        BEN.name, oppose.id, {"who": "ana", "other": "bo", "stat": "Dexterity", "answering": "Perception"}
    )
    table.answer(BEN.name, step, "no")
    table.answer("table", step, "4H")
    table.answer(BEN.name, step, "no")
    (mine,) = table.asking
    card = odds_at(table, mine, ANNE, budget=WITHOUT_TIME)
    assert set(card.asked) == {"9H@ana", "no"}
    assert card.assumes == ()  # Bo has flipped; nothing more is asked of a hidden hand


def test_a_deck_beside_a_hidden_hand_can_run_out() -> None:
    """Two cards, of which one is in the hand: whichever is drawn, the discards are all that is left."""
    state = deck("KC", held="KD", discards="4H 5H")
    card = Exact(kernels=False).of(flip(ANA, "Dexterity"), known_to(state, BEN))
    assert card.of == {Flipped(12): Fraction(1, 2), Flipped(13): Fraction(1, 2)}
    assert Exact().of(flip(ANA, "Dexterity"), known_to(state, BEN)).of == card.of


@rule("tests.cards.shuffle-in")
async def shuffle_in(scene: Scene, who: Who[Adventurer]) -> int:
    """Discards are shuffled into a deck that is not empty."""
    await move_all(MINE.discards, MINE.deck)
    return VALUES.worth(await draw(CARD, MINE.deck, MINE.discards, who=who))


def test_discards_shuffled_into_unseen_cards_stay_unknown() -> None:
    with pytest.raises(NotKnown):
        Exact().of(shuffle_in(ANA), known_to(deck("KC 2C", held="KD", discards="4H"), BEN))


# --- no card is ever lost ---------------------------------------------------------------------------------------------


ALL_CARDS: Final = [card.name for card in playing_cards()]


def everything(state: State) -> Counter[Card]:
    return Counter(card for value in state.values() if isinstance(value, Pile) for card in value.cards)


@pytest.mark.parametrize("seed", range(8))
def test_every_card_is_in_one_place_through_flips_answers_and_undo(seed: int) -> None:
    random = Random(seed)
    decks = {who: " ".join(random.sample(ALL_CARDS, 14)) for who in ("ana", "bo")}
    table = Journal(SYSTEM, two(decks=decks))
    whole = everything(table.state)
    for _ in range(60):
        with suppress(Refused):
            _one_move(table, random)
        check_each_card_once(table.state)
        assert everything(table.state) == whole
    assert len(table.lines) > 30


def _one_move(table: Journal, random: Random) -> None:
    """Begin, answer at random, or go back."""
    if random.random() < 0.1 and len(table.lines) > 3:
        started = [number for number, _ in table.story]
        table.undo("Mo", random.choice(started[-6:]))
    elif waiting := table.asking:
        asked = random.choice(waiting)
        question = asked.question
        if isinstance(question, Chance):
            table.answer("table", asked.step, question.at_random(random.randrange), asked.part)
        elif isinstance(question, Choose):
            table.answer("Mo", asked.step, question.write(random.choice(question.legal)), asked.part)
    else:
        who, other = random.sample(["ana", "bo"], 2)
        arguments = {"who": who, "other": other, "stat": "Dexterity", "answering": "Perception"}
        table.begin("Mo", oppose.id, arguments)


def test_the_scenes_are_what_they_say() -> None:
    state = two(ana="KS", bo="2H 3H")
    assert (len(names(state, "ana.deck")), len(names(state, "bo.deck"))) == (53, 52)
    assert (ANA.name, BO.name) == ("ana", "bo")
