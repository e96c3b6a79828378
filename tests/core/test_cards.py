"""Cards: each in exactly one pile, drawn as if nobody had peeked, moved and never lost."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import BadAnswer, BadInput, Card, Facing, Pile, Prompt, Refused, Scene, State, Who, draw, move, rule
from referee.core.cards import check_each_card_once, coarser, playing_cards
from referee.core.clock import Clock
from referee.core.questions import Draw
from referee.core.run import Run
from referee.drivers.exact import Exact
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play

FLIP = Prompt("flip")
DECK = Who("deck", Pile)
HAND = Who("hand", Pile)
GONE = Who("gone", Pile)
PILES = (DECK, HAND, GONE)


def cards(*names: str) -> tuple[Card, ...]:
    return tuple(map(Card.from_plain, names))


def modulo(number: int, bound: int) -> int:
    return number % bound


def table(*deck: str, hand: tuple[str, ...] = ()) -> State:
    return State({"deck": Pile(cards(*deck)), "hand": Pile(cards(*hand), Facing.HAND, "ana"), "gone": Pile()})


@rule("tests.cards.flip")
async def flip(scene: Scene, pile: Who[Pile], to: Who[Pile]) -> str:
    """Turn a card; its name is the result."""
    return (await draw(FLIP, pile, to)).name


@rule("tests.cards.two")
async def two(scene: Scene) -> tuple[str | None, ...]:
    """Two cards one after the other, of which only the suits count."""
    first = await draw(FLIP, DECK, HAND)
    second = await draw(FLIP, DECK, HAND)
    return first.suit, second.suit


def suit_alone(card: Card) -> Card:
    return Card(f"2{card.name[-1]}")


@rule("tests.cards.put")
async def put(scene: Scene, card: Card, pile: Who[Pile], to: Who[Pile]) -> None:
    """Move a card somebody knows."""
    await move(card, pile, to)


# --- cards ------------------------------------------------------------------------------------------------------------


def test_a_deck_holds_fifty_two_cards_and_its_jokers_each_once() -> None:
    assert len(set(playing_cards())) == 54
    assert len(playing_cards(jokers=0)) == 52
    assert Counter(card.suit for card in playing_cards()) == {
        "spades": 13,
        "hearts": 13,
        "diamonds": 13,
        "clubs": 13,
        None: 2,
    }
    assert Counter(card.rank for card in playing_cards())["10"] == 4
    assert Counter(card.rank for card in playing_cards())["Joker"] == 2


def test_two_decks_may_each_have_a_seven_of_spades() -> None:
    both = {*playing_cards("ana"), *playing_cards("bo")}
    assert len(both) == 108
    assert Card("7S", "ana") != Card("7S", "bo")


@pytest.mark.parametrize("name", ["7S", "10H", "Joker1", "KD@ana"])
def test_a_card_reads_back(name: str) -> None:
    assert Card.from_plain(name).to_plain() == name
    assert str(Card.from_plain(name)) == name.partition("@")[0]


def test_a_pile_has_no_order() -> None:
    assert Pile(cards("7S", "2H", "QD")) == Pile(cards("QD", "7S", "2H"))
    assert hash(Pile(cards("7S", "2H"))) == hash(Pile(cards("2H", "7S")))


def test_an_empty_pile_is_nothing_and_still_there() -> None:
    assert not Pile()
    assert len(Pile(cards("7S"))) == 1


def test_what_is_not_in_a_pile_cannot_be_taken_from_it() -> None:
    with pytest.raises(BadInput, match="QH is not in this pile"):
        Pile(cards("7S")).without(Card("QH"))


@pytest.mark.parametrize("said", ["7s", "7S", "7S@ana", "7s@ANA"])
def test_a_card_is_found_by_its_name_in_any_letters(said: str) -> None:
    assert Pile(cards("2H", "7S@ana")).named(said, rule="x") == Card("7S", "ana")


def test_a_card_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(Refused, match=r"QH: that card is not in the pile \(some\.rule\); legal: 2H, 7S"):
        Pile(cards("7S", "2H")).named("QH", rule="some.rule")


# --- each card once ---------------------------------------------------------------------------------------------------


def test_a_card_in_two_piles_is_refused_by_its_name() -> None:
    with pytest.raises(BadInput, match="piles: in more than one place: 7S"):
        check_each_card_once(table("7S", "2H", hand=("7S",)))


def test_a_card_twice_in_one_pile_is_refused() -> None:
    with pytest.raises(BadInput, match="in more than one place: 7S"):
        check_each_card_once(table("7S", "7S"))


def test_the_same_card_of_two_decks_may_lie_together() -> None:
    check_each_card_once(table("7S", "7S@ana", hand=("7S@bo",)))


# --- drawing ----------------------------------------------------------------------------------------------------------


def asked(state: State) -> Draw:
    """A draw as it is put to the table."""
    question = Run(Scene(state), flip(DECK, HAND)).asking[0]
    assert isinstance(question, Draw)
    return question


def test_every_card_left_is_equally_likely() -> None:
    odds = Exact().of(flip(DECK, HAND), table("7S", "2H", "QH", "KD"))
    assert odds.of == dict.fromkeys(("7S", "2H", "QH", "KD"), Fraction(1, 4))


def test_cards_made_the_same_are_one_outcome_of_their_weight() -> None:
    state = coarser(table("7S", "2H", "QH", "KD", "3D", "AD"), suit_alone)
    question = asked(state)
    assert dict(question.outcomes()) == {Card("2S"): 1, Card("2H"): 2, Card("2D"): 3}


def test_a_coarser_scene_gives_the_same_odds_of_what_is_left_in_it() -> None:
    state = table("7S", "2H", "QH", "KD", "3D", "AD", hand=("9C",))
    closely, coarsely = Exact().of(two(), state), Exact().of(two(), coarser(state, suit_alone))
    assert coarsely.of == closely.of
    assert coarsely.leaves < closely.leaves


def test_a_coarser_scene_changes_nothing_but_piles() -> None:
    state = table("7S").but("clock", Clock(3))
    assert coarser(state, lambda card: card) == state
    assert coarser(state, suit_alone) == table("2S").but("clock", Clock(3))


def test_a_card_drawn_lies_in_the_other_pile() -> None:
    played = play(flip(DECK, HAND), table("7S", "2H"), {"flip": "7s"})
    assert played.state == table("2H", hand=("7S",))


def test_a_card_that_is_not_in_the_pile_cannot_be_drawn() -> None:
    with pytest.raises(BadAnswer, match="QH is not among the 2 cards of deck"):
        play(flip(DECK, HAND), table("7S", "2H"), {"flip": "QH"})


def test_the_last_card_is_drawn_and_then_none() -> None:
    state = play(flip(DECK, HAND), table("7S"), {"flip": "7S"}).state
    with pytest.raises(BadInput, match="deck: the pile is empty; a rule must look before it draws"):
        Run(Scene(state), flip(DECK, HAND))


def test_a_draw_is_asked_again_only_with_the_same_cards() -> None:
    one, other = (asked(table(*deck)) for deck in (("7S", "2H"), ("7S", "3H")))
    assert one != other
    assert one == asked(table("2H", "7S"))


def test_at_random_every_card_comes() -> None:
    question = asked(table("7S", "2H", "QH"))
    assert {question.at_random(partial(modulo, at)) for at in range(3)} == {"7S", "2H", "QH"}


# --- moving -----------------------------------------------------------------------------------------------------------


def test_a_known_card_moves() -> None:
    assert play(put(Card("7S"), DECK, GONE), table("7S", "2H")).state["gone"] == Pile(cards("7S"))


def test_a_card_moved_to_where_it_lies_stays_there() -> None:
    assert play(put(Card("7S"), DECK, DECK), table("7S", "2H")).state == table("7S", "2H")


def test_a_card_that_is_not_there_does_not_move_and_nothing_is_changed() -> None:
    scene = Scene(table("7S"))
    with pytest.raises(BadInput, match="QH is not in this pile"):
        Run(scene, put(Card("QH"), DECK, HAND))
    assert scene.state == table("7S")


Play = tuple[str, int, int, int]
plays = st.lists(
    st.tuples(st.sampled_from(["draw", "move"]), st.integers(0, 2), st.integers(0, 2), st.integers(0, 99)),
    max_size=25,
)


@rule("tests.cards.any")
async def anything(scene: Scene, todo: tuple[Play, ...]) -> None:
    """Whatever is written: draws and moves between any piles."""
    for kind, here, there, which in todo:
        lying = scene[PILES[here]].cards
        if lying and kind == "move":
            await move(lying[which % len(lying)], PILES[here], PILES[there])
        elif lying:
            await draw(FLIP, PILES[here], PILES[there])


@settings(max_examples=60)
@given(plays, st.integers(0, 2**32))
def test_no_play_loses_or_doubles_a_card(todo: list[Play], seed: int) -> None:
    start = table("7S", "2H", "QH", "KD", "7S@ana", "Joker1", hand=("3C", "Joker2"))
    _, after = Sampled(Random(seed)).play(anything(tuple(todo)), start)
    check_each_card_once(after)
    assert all_cards(after) == all_cards(start)


def all_cards(state: State) -> Counter[Any]:
    return Counter(card for pile in state.values() if isinstance(pile, Pile) for card in pile.cards)


def test_a_question_tells_how_many_cards_there_are_and_not_which() -> None:
    assert str(asked(table("7S", "2H"))) == "flip: draw from deck (2 cards)"
