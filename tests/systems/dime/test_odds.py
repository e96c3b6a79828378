"""Odds of flips: the kernel is as the rule is played, and full decks are counted, not guessed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest

from referee import registry
from referee.core import Bands, Pile, Scene, State, Who, rule
from referee.core.errors import NotKept
from referee.core.knowledge import known_to, possible_ways, seen_trail
from referee.core.modifiers import Itemised
from referee.core.plain import Plain
from referee.core.questions import Choice, Choose
from referee.core.replay import Answered
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.visibility import Seat
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always
from referee.forecast.figures import Budget
from referee.forecast.question_odds import question_query
from referee.forecast.risk import QuestionQuery
from referee.forecast.risk_card import RiskCard, Unfigured
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.systems.dime.deck import REFILL
from referee.systems.dime.flip import LUCK, PLAY, Notation, flip, flip_value, lay_value, make_flip, opposed_flip
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


HAND = ("8H", "JS", "3S", "10D")


def low_only(question: Choice[Any], scene: Scene) -> Any:
    """Luck for low values, with any card."""
    is_low = isinstance(question, Choose) and question.name == LUCK and question.about < 6
    return question.legal[0] if is_low else question.default


@pytest.mark.parametrize("cards", SMALL_DECKS[1:5], ids=" ".join)
@pytest.mark.parametrize(
    "policy",
    [
        always(play="8H@ana"),
        always(play="3S@ana"),
        always(play="JS@ana"),
        always(luck="8H@ana"),
        always(play="8H@ana", luck="JS@ana"),
        always(play="3S@ana", luck="8H@ana"),
        low_only,
    ],
)
def test_cards_from_hand_are_counted_as_they_are_played(cards: tuple[str, ...], policy: Policy) -> None:
    hand = {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": [f"{each}@ana" for each in HAND]}
    deck = {"kind": "Pile", "owner": "ana", "cards": [f"{each}@ana" for each in cards]}
    state = DIME.new_state({"ana": {"moxie": len(HAND)}, "ana.deck": deck, "ana.hand": hand})
    call = flip_value(ANA, ("spades",))
    counted, played = (Exact(policy, kernels=on).results(call, state) for on in (True, False))
    assert {result: share for result, share in counted.of.items() if share} == played.of


@pytest.mark.parametrize("cards", SMALL_DECKS[1:5], ids=" ".join)
@pytest.mark.parametrize("tn", [None, 7, 14])
def test_a_whole_flip_is_counted_as_it_is_played(cards: tuple[str, ...], tn: int | None) -> None:
    call, state = flip(ANA, "Dexterity", "guns", tn), with_deck(*cards, skills={"guns": 2})
    counted, played = (Exact(kernels=on).results(call, state) for on in (True, False))
    assert {result: share for result, share in counted.of.items() if share} == played.of


@pytest.mark.parametrize("first", [None, "8H", "3S", "JS"])
@pytest.mark.parametrize("so_far", [0, 7])
def test_what_follows_in_the_middle_of_a_flip_is_counted_as_it_is_played(so_far: int, first: str | None) -> None:
    hand = {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": [f"{each}@ana" for each in HAND]}
    deck = {"kind": "Pile", "owner": "ana", "cards": [f"{each}@ana" for each in SMALL_DECKS[3]]}
    state = DIME.new_state({"ana": {"moxie": len(HAND)}, "ana.deck": deck, "ana.hand": hand})
    card = next((each for each in Scene(state)[Who("ana.hand", Pile)].cards if each.name == first), None)
    call = lay_value(ANA, ("spades",), so_far, card, Itemised(()), True)
    for policy in (always(), always(luck="10D@ana")):
        counted, played = (Exact(policy, kernels=on).results(call, state) for on in (True, False))
        assert {result: share for result, share in counted.of.items() if share} == played.of


def test_the_hand_after_a_flip_lacks_what_was_played_and_what_luck_cost() -> None:
    hand = {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": [f"{each}@ana" for each in HAND]}
    state = DIME.new_state({"ana": {"moxie": len(HAND)}, "ana.hand": hand})
    found = Exact(always(play="3S@ana", luck="8H@ana")).of(flip_value(ANA, ("spades",)), state)
    hand_of = Who("ana.hand", Pile)
    left = {tuple(card.rank for card in Scene(after)[hand_of].cards) for end, after, _ in found.ends if not end.joker}
    assert left == {("10", "J")}


def test_the_cards_of_a_hidden_hand_are_not_looked_at() -> None:
    """The other's hand is not known to the one who asks; both flips are counted all the same."""
    hand = {"kind": "Pile", "facing": "hand", "owner": "bo", "cards": ["9H@bo", "KS@bo"]}
    state = DIME.new_state({"ana": {"moxie": 0}, "bo": {"moxie": 2}, "bo.hand": hand})
    known = known_to(state, Seat("Anna", frozenset({"ana"})))
    found = Exact().results(opposed_flip(ANA, Notation("Strength"), BO, Notation("Endurance")), known)
    assert found.lost < Fraction(1, 10**8)
    assert sum(found.of.values()) + found.lost == 1


SCORED: Final = Bands[int](of=lambda total: "high" if total > 7 else "low", keys=("high", "low"), good=("high",))


@rule("docs.two-flips", bands=SCORED)
async def two_flips(scene: Scene, who: Who[Adventurer]) -> int:
    """One flip after the other, in one step."""
    first = await flip_value(who, ())
    return first.value + (await flip_value(who, ())).value


@pytest.mark.parametrize("cards", SMALL_DECKS[:3], ids=" ".join)
def test_a_second_flip_is_not_counted_from_the_deck_that_the_first_began_with(cards: tuple[str, ...]) -> None:
    with pytest.raises(NotKept, match=r"ana\.deck"):
        Exact().results(two_flips(ANA), with_deck(*cards))


def test_a_card_of_another_deck_goes_back_to_its_own_discards() -> None:
    cards = {
        "gm.deck": {"kind": "Pile", "owner": "gm", "cards": ["JC@gm", "4H@gm"]},
        "ana.deck": {"kind": "Pile", "owner": "ana", "cards": ["2H@ana", "5S@ana"]},
        "ana.hand": {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": ["8H@gm"]},
    }
    state = DIME.new_state({"ana": {"moxie": 1}, **cards})
    found = Exact(always(luck="8H@gm")).of(flip_value(ANA, ()), state)
    discards = Who("gm.discards", Pile)
    after = {tuple(card.name for card in Scene(each)[discards].cards) for end, each, _ in found.ends if not end.joker}
    assert after == {("8H",)}


def test_a_card_that_luck_cost_was_the_one_drawn_in_secret() -> None:
    """After a Joker a hand is refilled unseen; what its owner plays and turns later in the step tells which card."""
    deck = {"kind": "Pile", "owner": "bo", "cards": [f"{each}@bo" for each in ("Joker1", "5H", "JD", "4C", "9C")]}
    state = DIME.new_state({"ana": {"moxie": 0}, "bo": {"moxie": 1}, "bo.deck": deck})
    run, trail, seat = Run(Scene(state), two_flips(BO)), list[Answered](), Seat("Anna", frozenset({"ana"}))
    refilled = list[set[str]]()
    for answer in ("Joker1", "JD@bo", None, "4C", "JD@bo"):
        question = run.asking[0]
        card = question.read(answer) if answer else None
        trail.append(Answered(question, 0, card))
        run.answer(card, 0)
        asked, seen = tuple(str(each.name) for each in run.asking), seen_trail(tuple(trail), seat, state)
        found = possible_ways(two_flips(BO), known_to(state, seat), seen, seat, asked)
        drawn = (
            each for way in found for each in way.trail if isinstance(each, Answered) and each.question.name == REFILL
        )
        refilled.append({each.answer.name for each in drawn})
    run.close()
    assert refilled[1:] == [{"5H", "JD", "4C", "9C"}, {"5H", "JD", "4C", "9C"}, {"5H", "JD", "9C"}, {"JD"}]


def card_after(call: Call[int], state: State, seat: Seat, *answers: str | None) -> RiskCard:
    """The odds at the question that is open after these answers, by what a seat has seen and may see."""
    run, trail = Run(Scene(state), call), list[Answered]()
    for answer in answers:
        question = run.asking[0]
        trail.append(Answered(question, 0, question.read(answer) if answer else None))
        run.answer(trail[-1].answer, 0)
    asked, seen = tuple(str(each.name) for each in run.asking), seen_trail(tuple(trail), seat, state)
    query = QuestionQuery(call, known_to(state, seat), seen, asked, run.asking[0], 0, seat)
    run.close()
    return query.card(Budget(seconds=None))


def test_odds_at_luck_after_a_hand_was_refilled_are_those_of_the_hand_that_is_there() -> None:
    """In one step: a Joker refills the hand, and the next flip asks about it."""
    deck = {"kind": "Pile", "owner": "bo", "cards": [f"{each}@bo" for each in ("Joker1", "5H", "9H", "4C", "8C")]}
    state = DIME.new_state({"ana": {"moxie": 0}, "bo": {"moxie": 1}, "bo.deck": deck})
    for seat in (Seat("Ben", frozenset({"bo"})), Seat("Mo", master=True)):
        card = card_after(two_flips(BO), state, seat, "Joker1", "9H", None, "4C")
        assert {key: each.chance_of({"high"}) for key, each in card.asked.items()} == {
            "9H@bo": Fraction(1, 2),  # a 5 or an 8 beside the 4
            "no": Fraction(0),
        }
        assert not card.missing


def test_a_card_that_came_again_from_discards_that_nobody_sees_leaves_odds_unknown() -> None:
    """Players do not know when the game master's discards became a new deck."""
    cards = {
        "gm.deck": {"kind": "Pile", "owner": "gm", "cards": ["JC@gm", "4H@gm"]},
        "gm.discards": {"kind": "Pile", "owner": "gm", "facing": "game master", "cards": ["7D@gm"]},
        "foe.hand": {"kind": "Pile", "owner": "foe", "facing": "hand", "cards": ["2D@gm"]},
    }
    state = DIME.new_state({"foe": {"player": False, "moxie": 1}, **cards})
    foe, answers = Who("foe", Adventurer), (None, "JC", "4H", None, None, "JC", "7D")
    assert card_after(two_flips(foe), state, Seat("Fay", frozenset({"foe"})), *answers).unknown == "how it came to this"
    assert card_after(two_flips(foe), state, Seat("Mo", master=True), *answers).missing == {"": Unfigured("same")}


def test_nobody_is_told_the_options_of_a_hidden_hand_by_its_odds() -> None:
    hand = {"kind": "Pile", "facing": "hand", "owner": "bo", "cards": ["9H@bo", "KS@bo"]}
    state = DIME.new_state({"ana": {"moxie": 0}, "bo": {"moxie": 2}, "bo.hand": hand})
    journal = Journal(DIME, state, SeededDice(b"hand"))
    journal.begin("Ben", "dime.flip.basic/action", {"who": "bo", "stat": "Strength"})
    (waiting,) = journal.asking
    assert waiting.question.name == PLAY
    card = question_query(journal, waiting, Seat("Anna", frozenset({"ana"}))).card(Budget(seconds=None))
    assert card == RiskCard(unknown="what bo chooses")


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
