"""Hard scene (b): an attack by cards.

A Dodge from another deck is declared before the attacker's card turns; face cards draw on, trump and Luck open further
stacks, value is weighed against suit, a Joker spoils all and refills the hand. No card is ever lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias, final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    YES,
    Audience,
    BadAnswer,
    BadInput,
    Card,
    Facing,
    Levels,
    Open,
    Pile,
    Prompt,
    Refused,
    Scene,
    State,
    System,
    Who,
    alter,
    change,
    choose,
    draw,
    move,
    offer,
    playing_cards,
    react,
    rule,
    together,
)
from referee.core.cards import JOKER, check_each_card_once, coarser
from referee.core.questions import Choice, Choose, Question, key_of
from referee.core.requests import move_all
from referee.core.rules import Rule
from referee.core.run import Run, drive
from referee.core.visibility import Seat, visible_scene
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.policies import at_random
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import Played, play
from referee.journal.journal import Journal
from referee.testing.conformance import agree
from referee.views.questions import view

# --- the sheets -------------------------------------------------------------------------------------------------------

SPADES: Final = "spades"
FACES: Final = ("J", "Q", "K")
WORTH: Final = {"A": 1, **{str(n): n for n in range(2, 11)}, "J": 1, "Q": 2, "K": 3, JOKER: 0}
REVOLVER: Final = Levels({"spades": 8, "hearts": 6, "diamonds": 5, "clubs": 3})

CARD: Final = Prompt("card")
MOXIE: Final = Prompt("moxie")
DODGE: Final = Prompt("dodge")
PLAY_CARD: Final = Prompt("play-card")
LUCK: Final = Prompt("luck")
STACK: Final = Prompt("stack")
VITAL_HIT: Final = Prompt("vital-hit")


class Stat(Enum):
    """A stat, and the suit that is trump on its flips."""

    STRENGTH = "clubs"
    DEXTERITY = "spades"
    PERCEPTION = "diamonds"
    CHARISMA = "hearts"


@final
@dataclass(frozen=True, slots=True)
class Gunman:
    """Whoever shoots, or is shot at."""

    dexterity: Open[int] = 5
    guns: Open[int] = 2
    defense: Open[int] = 10
    hp: Open[int] = 12
    moxie: Open[int] = 2
    ap: Open[int] = 3
    aware: Open[bool] = True
    damage: Open[Levels] = REVOLVER

    def acted(self) -> Gunman:
        return replace(self, ap=self.ap - 1)

    def hurt(self, damage: int) -> Gunman:
        return replace(self, hp=self.hp - damage)


def deck(who: Who[Gunman]) -> Who[Pile]:
    return Who(f"{who}.deck", Pile)


def hand(who: Who[Gunman]) -> Who[Pile]:
    return Who(f"{who}.hand", Pile)


def in_play(who: Who[Gunman]) -> Who[Pile]:
    return Who(f"{who}.in-play", Pile)


def discards(who: Who[Gunman]) -> Who[Pile]:
    return Who(f"{who}.discards", Pile)


@final
@dataclass(frozen=True, slots=True)
class Stack:
    """Cards laid on each other: worth their sum, of the suit of the first."""

    cards: tuple[Card, ...]

    @property
    def value(self) -> int:
        return 0 if self.spoilt else sum(WORTH[card.rank] for card in self.cards)

    @property
    def suit(self) -> str:
        return self.cards[0].suit or "none"

    @property
    def spoilt(self) -> bool:
        return self.cards[-1].rank == JOKER

    @property
    def key(self) -> str:
        return "-".join(map(str, self.cards))

    def count(self, suit: str) -> int:
        return sum(card.suit == suit for card in self.cards)


Stacks: TypeAlias = tuple[Stack, ...]


@final
@dataclass(frozen=True, slots=True)
class Seen:
    """What lies on the table when a decision falls: the stacks, and the value that one of them must reach."""

    needed: int
    stacks: Stacks = ()


class Outcome(Enum):
    """How an attack may end."""

    CRITICAL_HIT = "critical hit"
    HIT = "hit"
    MISS = "miss"
    CRITICAL_FAILURE = "critical failure"


@final
@dataclass(frozen=True, slots=True)
class Attack:
    """What an attack came to."""

    outcome: Outcome
    dealt: int = 0


# --- the rules --------------------------------------------------------------------------------------------------------


@rule("hard.flip.attack", "hard.flip.ap", "hard.flip.damage")
async def attack(scene: Scene, attacker: Who[Gunman], target: Who[Gunman]) -> Attack:
    """Dex/guns against Defense; the suit of the counted stack decides the damage, on a critical hit perhaps spades."""
    check_attack(scene[attacker])
    await alter(attacker, Gunman.acted)
    dodged = await dodge(target)
    needed = scene[target].defense + dodged - scene[attacker].dexterity - scene[attacker].guns
    counted = await flip(attacker, Stat.DEXTERITY, needed)
    outcome = outcome_of(counted, needed)
    if counted is None or outcome in (Outcome.MISS, Outcome.CRITICAL_FAILURE):
        return Attack(outcome)
    vital = outcome is Outcome.CRITICAL_HIT and await offer(attacker, VITAL_HIT, YES)
    dealt = scene[attacker].damage[SPADES if vital else counted.suit]
    await alter(target, Gunman.hurt, dealt)
    return Attack(outcome, dealt)


@rule("hard.flip.dodge", "hard.flip.random-number")
async def dodge(scene: Scene, who: Who[Gunman]) -> int:
    """Before the attacker's card turns, 1 AP raises Defense by a random number."""
    if not await react(who, DODGE, YES, check=lambda _: check_dodge(scene[who])):
        return 0
    await alter(who, Gunman.acted)
    turned = await stack(who)
    await settle(who, turned.spoilt)
    return turned.value


@rule("hard.flip.flip", "hard.flip.stacks", "hard.flip.play-card", "hard.flip.luck", "hard.flip.joker")
async def flip(scene: Scene, who: Who[Gunman], stat: Stat, needed: int) -> Stack | None:
    """Stacks come out until neither trump nor Luck opens another; one of them counts, with a Joker none."""
    first = await from_hand(scene, who, PLAY_CARD, Seen(needed))
    stacks = await trumped(who, stat, first)
    while not spoilt(stacks):
        spent = await from_hand(scene, who, LUCK, Seen(needed, stacks))
        if spent is None:
            break
        await move(spent, hand(who), in_play(who))
        stacks += await trumped(who, stat)
    counted = None if spoilt(stacks) else await choose(who, STACK, stacks, about=Seen(needed, stacks))
    await settle(who, spoilt(stacks))
    return counted


@rule("hard.flip.trump")
async def trumped(scene: Scene, who: Who[Gunman], stat: Stat, first: Card | None = None) -> Stacks:
    """A stack, and beside it one more for every trump card that comes out, in whatever stack."""
    stacks: Stacks = (await stack(who, first),)
    while not spoilt(stacks) and len(stacks) <= sum(each.count(stat.value) for each in stacks):
        stacks += (await stack(who),)
    return stacks


@rule("hard.flip.stack", "hard.flip.face-cards")
async def stack(scene: Scene, who: Who[Gunman], first: Card | None = None) -> Stack:
    """The top card, or one from hand; behind a face card always another from the deck."""
    if first is not None:
        await move(first, hand(who), in_play(who))
    cards: tuple[Card, ...] = (first or await top_card(who),)
    while cards[-1].rank in FACES:
        cards += (await top_card(who),)
    return Stack(cards)


@rule("hard.flip.settle", "hard.flip.refresh")
async def settle(scene: Scene, who: Who[Gunman], spoilt: bool) -> None:
    """What lay in play is discarded; a Joker then refills the hand."""
    await move_all(in_play(who), discards(who))
    while spoilt and len(scene[hand(who)]) < scene[who].moxie and cards_left(scene, who):
        await reshuffle_if_empty(who)
        await draw(MOXIE, deck(who), hand(who), who=who, audience=Audience.OWNER)


@rule("hard.flip.top-card")
async def top_card(scene: Scene, who: Who[Gunman]) -> Card:
    """The top card of the own deck comes into play."""
    await reshuffle_if_empty(who)
    if not scene[deck(who)]:
        raise Refused("flip", because=f"{who} has no card left to turn", rule="hard.flip.deck")
    return await draw(CARD, deck(who), in_play(who), who=who)


@rule("hard.flip.deck")
async def reshuffle_if_empty(scene: Scene, who: Who[Gunman]) -> None:
    """An empty deck is made anew from the discards; hands and the running flip stay out."""
    if not scene[deck(who)]:
        await move_all(discards(who), deck(who))


def from_hand(scene: Scene, who: Who[Gunman], name: Prompt, about: Seen) -> Choose[Card | None]:
    """A card of the own hand, or none; nobody else may know which there are."""
    return offer(who, name, scene[hand(who)].cards, about=about, audience=Audience.OWNER)


def check_attack(attacker: Gunman) -> None:
    if attacker.ap < 1:
        raise Refused("attack", because="no AP is left", rule="hard.flip.ap")


def check_dodge(target: Gunman) -> None:
    if not target.aware:
        raise Refused("dodge", because="the attack is not seen coming", rule="hard.flip.dodge")
    if target.ap < 1:
        raise Refused("dodge", because="no AP is left", rule="hard.flip.ap")


def outcome_of(counted: Stack | None, needed: int) -> Outcome:
    """Hit or miss by the value; by five or more, or by a Joker, critically."""
    if counted is None or counted.value <= needed - 5:
        return Outcome.CRITICAL_FAILURE
    if counted.value < needed:
        return Outcome.MISS
    return Outcome.CRITICAL_HIT if counted.value >= needed + 5 else Outcome.HIT


def spoilt(stacks: Stacks) -> bool:
    return any(each.spoilt for each in stacks)


def cards_left(scene: Scene, who: Who[Gunman]) -> int:
    return len(scene[deck(who)]) + len(scene[discards(who)])


# --- the people -------------------------------------------------------------------------------------------------------

ANA: Final = Who("ana", Gunman)
BO: Final = Who("bo", Gunman)


def piles(who: Who[Gunman], cards: str, held: str = "", thrown: str = "") -> dict[str, Hashable]:
    """The four piles of one person."""

    def pile(names: str, facing: Facing) -> Pile:
        return Pile(tuple(Card(name, who.name) for name in names.split()), facing, who.name)

    return {
        deck(who).name: pile(cards, Facing.DOWN),
        hand(who).name: pile(held, Facing.HAND),
        in_play(who).name: pile("", Facing.UP),
        discards(who).name: pile(thrown, Facing.UP),
    }


PLAIN: Final = Gunman()
UNAWARE: Final = Gunman(aware=False)
TWELVE: Final = "AS 5S KS QH 9H 2C 7D JC 10C 3D KC Joker1"


def scene_of(
    ana: str = TWELVE,
    bo: str = TWELVE,
    *,
    held: str = "",
    thrown: str = "",
    shooter: Gunman = PLAIN,
    target: Gunman = PLAIN,
) -> State:
    """Ana shoots at Bo. She needs a value of 3 (Defense 10 - Dexterity 5 - guns 2), of 8 for a critical hit."""
    return State({"ana": shooter, "bo": target, **piles(ANA, ana, held, thrown), **piles(BO, bo)})


SHOT: Final = attack(ANA, BO)


def shoot(state: State, **answers: str) -> Played[Attack]:
    """Ana shoots; answers by name, `bo_play_card` for the card Bo plays."""
    said = {name.replace("_", ".", 1).replace("_", "-"): answer for name, answer in answers.items()}
    return play(SHOT, state, said)


def options_of(played: Played[Any], name: Prompt) -> list[str]:
    """What there was to choose from, the last time this was asked."""
    asked = [question for question in played.asked if isinstance(question, Choose) and question.name == name]
    return [key_of(option) for option in asked[-1].options]


def names(played: Played[Any], pile: Who[Pile]) -> list[str]:
    return [card.name for card in Scene(played.state)[pile].cards]


def all_cards(state: State) -> Counter[Card]:
    return Counter(card for value in state.values() if isinstance(value, Pile) for card in value.cards)


# --- the flip ---------------------------------------------------------------------------------------------------------


def test_a_face_card_adds_the_next_card_to_its_stack() -> None:
    shot = shoot(scene_of(), bo_dodge="no", ana_card="KC 3D")
    assert shot.result.outcome is Outcome.HIT  # 3 + 3 = 6 against 3, for 8 a critical hit


def test_the_suit_of_a_stack_is_that_of_the_card_that_began_it() -> None:
    shot = shoot(scene_of(), bo_dodge="no", ana_card="KC 3D")
    assert shot.result.dealt == 3  # clubs, not diamonds
    assert Scene(shot.state)[BO].hp == 9


def test_face_cards_in_a_row_go_on_adding() -> None:
    shot = shoot(scene_of(), bo_dodge="no", ana_card="QH JC KC 2C", ana_vital_hit="no")
    assert shot.result == Attack(Outcome.CRITICAL_HIT, 6)  # 2 + 1 + 3 + 2 = 8 of hearts; Vital Hit declined


@pytest.mark.parametrize(
    ("counts", "came_to"), [("5S", Attack(Outcome.HIT, 8)), ("9H", Attack(Outcome.CRITICAL_HIT, 6))]
)
def test_trump_opens_another_stack_and_value_is_weighed_against_suit(counts: str, came_to: Attack) -> None:
    vital = {"ana_vital_hit": "no"} if counts == "9H" else {}
    assert shoot(scene_of(), bo_dodge="no", ana_card="5S 9H", ana_stack=counts, **vital).result == came_to


def test_trump_added_behind_a_face_card_opens_another_stack_too() -> None:
    shot = shoot(scene_of(), bo_dodge="no", ana_card="QH 5S 2C", ana_stack="QH-5S")
    assert options_of(shot, STACK) == ["QH-5S", "2C"]


def test_trump_chains_and_every_trump_card_opens_one_stack() -> None:
    shot = shoot(scene_of(), bo_dodge="no", ana_card="5S KS AS 7D 2C", ana_stack="2C")
    assert options_of(shot, STACK) == ["5S", "KS-AS", "7D", "2C"]  # three spades, three stacks beside the first


@pytest.mark.parametrize(("stat", "cards"), [(Stat.DEXTERITY, "5S 9H"), (Stat.STRENGTH, "5S")])
def test_the_stat_decides_which_suit_is_trump(stat: Stat, cards: str) -> None:
    flipped = play(flip(ANA, stat, 3), scene_of(), {"card": cards, "stack": "5S"})
    assert flipped.result == Stack((Card("5S", "ana"),))


def test_on_a_critical_hit_a_vital_hit_does_the_damage_of_spades() -> None:
    assert shoot(scene_of(), bo_dodge="no", ana_card="9H", ana_vital_hit="yes").result.dealt == 8


@pytest.mark.parametrize(("defense", "came_to"), [(13, Outcome.MISS), (14, Outcome.CRITICAL_FAILURE)])
def test_missing_by_five_is_a_critical_failure(defense: int, came_to: Outcome) -> None:
    state = scene_of(target=Gunman(defense=defense))  # a value of 6, or 7, is needed
    assert shoot(state, bo_dodge="no", ana_card="2C").result == Attack(came_to)


# --- Luck, and cards played from hand ---------------------------------------------------------------------------------


def test_luck_discards_any_card_and_opens_another_stack() -> None:
    state = scene_of(held="4C")
    shot = shoot(state, bo_dodge="no", ana_play_card="no", ana_card="2C 7D", ana_luck="4C", ana_stack="7D")
    assert shot.result == Attack(Outcome.HIT, 5)
    assert names(shot, discards(ANA)) == ["2C", "4C", "7D"]


def test_luck_may_be_repeated_and_what_it_opens_may_be_trump() -> None:
    state = scene_of(held="4C 4D")
    shot = shoot(
        state,
        bo_dodge="no",
        ana_play_card="no",
        ana_card="2C AS JC 3D 9H",
        ana_luck="4D 4C",
        ana_stack="9H",
        ana_vital_hit="no",
    )
    assert options_of(shot, STACK) == ["2C", "AS", "JC-3D", "9H"]


def test_without_a_hand_neither_luck_nor_a_card_to_play_is_offered() -> None:
    shot = shoot(scene_of(), bo_dodge="no", ana_card="2C")
    assert [question.name for question in shot.asked] == [DODGE, CARD]


def test_luck_takes_only_cards_of_the_own_hand() -> None:
    with pytest.raises(BadAnswer, match=r"'9H' is not an option .*legal: 4C@ana, no"):
        shoot(scene_of(held="4C"), bo_dodge="no", ana_play_card="no", ana_card="2C", ana_luck="9H")


def test_a_card_played_from_hand_draws_on_from_the_deck() -> None:
    shot = shoot(scene_of(held="KD"), bo_dodge="no", ana_play_card="KD", ana_card="2C")
    assert shot.result == Attack(Outcome.HIT, 5)  # 3 + 2 of diamonds
    assert names(shot, hand(ANA)) == []


# --- the Joker --------------------------------------------------------------------------------------------------------


def test_a_joker_in_whatever_stack_spoils_the_flip_and_refills_the_hand() -> None:
    shot = shoot(scene_of(), bo_dodge="no", ana_card="5S Joker1", ana_moxie="9H 7D")
    assert shot.result == Attack(Outcome.CRITICAL_FAILURE)
    assert names(shot, hand(ANA)) == ["7D", "9H"]


def test_after_a_joker_there_is_no_luck() -> None:
    shot = shoot(scene_of(held="4C"), bo_dodge="no", ana_play_card="no", ana_card="Joker1", ana_moxie="9H")
    assert LUCK not in [question.name for question in shot.asked]


def test_a_joker_draws_nothing_to_a_full_hand() -> None:
    shot = shoot(scene_of(held="4C 4D"), bo_dodge="no", ana_play_card="no", ana_card="Joker1")
    assert names(shot, hand(ANA)) == ["4C", "4D"]


def test_a_joker_played_from_hand_is_a_joker() -> None:
    shot = shoot(scene_of(held="Joker2"), bo_dodge="no", ana_play_card="Joker2", ana_moxie="9H 2C")
    assert shot.result.outcome is Outcome.CRITICAL_FAILURE


def test_a_joker_spent_on_luck_does_nothing() -> None:
    state = scene_of(held="Joker2")
    shot = shoot(state, bo_dodge="no", ana_play_card="no", ana_card="2C 7D", ana_luck="Joker2", ana_stack="7D")
    assert shot.result.outcome is Outcome.HIT


# --- the Dodge --------------------------------------------------------------------------------------------------------


def test_a_dodge_is_declared_and_turned_before_the_attackers_card() -> None:
    shot = shoot(scene_of(), bo_dodge="yes", bo_card="2C", ana_card="7D")
    assert [(question.name, str(question.who)) for question in shot.asked] == [
        ("dodge", "bo"),
        ("card", "bo"),
        ("card", "ana"),
    ]


def test_a_dodge_raises_defense_by_a_random_number_for_one_ap() -> None:
    shot = shoot(scene_of(), bo_dodge="yes", bo_card="QH 7D", ana_card="10C")
    assert shot.result.outcome is Outcome.MISS  # 3 + 9 = 12 needed
    assert Scene(shot.state)[BO].ap == 2


def test_a_random_number_knows_no_trump() -> None:
    shot = shoot(scene_of(), bo_dodge="yes", bo_card="5S", ana_card="9H")
    assert shot.result == Attack(Outcome.HIT, 6)  # 3 + 5 = 8 needed


def test_a_joker_on_a_dodge_adds_nothing_and_refills_the_dodgers_hand() -> None:
    shot = shoot(scene_of(), bo_dodge="yes", bo_card="KC Joker1", bo_moxie="2C 3D", ana_card="3D")
    assert shot.result.outcome is Outcome.HIT
    assert names(shot, hand(BO)) == ["2C", "3D"]


@pytest.mark.parametrize(
    ("target", "because"),
    [(UNAWARE, "the attack is not seen coming"), (Gunman(ap=0), "no AP is left")],
)
def test_who_cannot_dodge_is_not_asked_and_the_table_knows_why(target: Gunman, because: str) -> None:
    shot = shoot(scene_of(target=target), ana_card="2C")
    assert [question.name for question in shot.asked] == [CARD]
    assert [barred.why.because for barred in shot.not_asked[0].barred] == [because]
    with pytest.raises(BadAnswer, match=because):
        shoot(scene_of(target=target), ana_card="2C", bo_dodge="yes")


def test_no_attack_without_ap() -> None:
    with pytest.raises(Refused, match=r"attack: no AP is left \(hard.flip.ap\)"):
        shoot(scene_of(shooter=Gunman(ap=0)))


# --- decks and piles --------------------------------------------------------------------------------------------------


def test_an_empty_deck_is_made_anew_from_the_discards_without_the_running_flip() -> None:
    shot = shoot(
        scene_of("KC", thrown="2C 3D", held="4C"), bo_dodge="no", ana_play_card="no", ana_card="KC 2C", ana_luck="no"
    )
    assert (names(shot, deck(ANA)), names(shot, discards(ANA))) == (["3D"], ["2C", "KC"])


def test_a_card_that_is_not_in_the_deck_cannot_be_turned() -> None:
    with pytest.raises(BadAnswer, match=r"4H is not among the 12 cards of ana\.deck"):
        shoot(scene_of(), bo_dodge="no", ana_card="4H")


def test_without_any_card_left_the_whole_attack_is_taken_back() -> None:
    scene = Scene(scene_of("KC"))
    run = Run(scene, SHOT)
    run.answer(None)
    with pytest.raises(Refused, match="ana has no card left to turn"):
        run.answer(Card("KC", "ana"))
    assert scene.state == scene_of("KC")


FULL: Final = [card.name for card in playing_cards()]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.sampled_from(FULL), min_size=4, max_size=16, unique=True).map(" ".join))
def test_every_card_is_always_in_exactly_one_pile(seed: int, cards: str) -> None:
    random = Random(seed)
    table = Sampled(random, at_random(random))
    scene = Scene(scene_of(cards, cards, shooter=Gunman(ap=9), target=Gunman(ap=9)))
    whole = all_cards(scene.state)

    def answer(question: Question[Any], scene: Scene) -> Any:
        check_each_card_once(scene.state)
        assert all_cards(scene.state) == whole
        return table.answer(question, scene)

    for one, other in ((ANA, BO), (BO, ANA)) * 3:
        with suppress(Refused):  # the cards have run out; the attack is taken back
            drive(Run(scene, attack(one, other)), answer)
        assert all_cards(scene.state) == whole
        assert not scene[in_play(one)]


# --- exact odds -------------------------------------------------------------------------------------------------------

EIGHT: Final = "5S KS QH 9H 2C 7D JC Joker1"
SIX: Final = "5S QH 9H 2C 7D Joker1"
THREE: Final = "KD 3C Joker1"


def cool(question: Choice[Any], scene: Scene) -> Any:
    """Dodges; spends Luck while no stack hits; counts the stack that hits for most damage, else the highest."""
    if not isinstance(question, Choose) or question.name == PLAY_CARD:
        return question.default
    if question.name in (LUCK, STACK):
        best = max(question.about.stacks, key=lambda each: (deals(scene, each, question.about.needed), each.value))
        if question.name == STACK:
            return best
        return None if deals(scene, best, question.about.needed) else question.options[0]
    return question.options[0]


def deals(scene: Scene, each: Stack, needed: int) -> int:
    """The damage a stack would do, 0 if it misses."""
    return scene[ANA].damage[each.suit] if each.value >= needed else 0


def ends(odds: Odds[Attack]) -> dict[tuple[str, int], Fraction]:
    return odds.by(lambda attack: (attack.outcome.value, attack.dealt))


def test_odds_of_four_cards_by_hand() -> None:
    """5S draws on: 9H or 2C beside it, or the Joker that spoils it. The others stand alone."""
    state = scene_of("5S 9H 2C Joker1", shooter=Gunman(moxie=0), target=UNAWARE)
    found = Exact(cool).of(SHOT, state)
    assert ends(found) == {
        ("hit", 8): Fraction(1, 4) * Fraction(2, 3),
        ("critical hit", 8): Fraction(1, 4),
        ("miss", 0): Fraction(1, 4),
        ("critical failure", 0): Fraction(1, 4) + Fraction(1, 4) * Fraction(1, 3),
    }
    assert found.leaves == 6


def test_odds_with_luck_are_those_of_all_orders_of_the_deck() -> None:
    state = scene_of(EIGHT, held="4C", shooter=Gunman(moxie=1), target=UNAWARE)
    assert ends(Exact(cool).of(SHOT, state)) == by_all_orders(EIGHT, "Joker1", luck=1)


def test_every_driver_tells_the_same_story_of_all_orders_of_two_decks() -> None:
    state = scene_of(SIX, THREE, held="4C", shooter=Gunman(moxie=1), target=Gunman(moxie=0))
    found = agree(SHOT, state, cool)
    assert ends(found) == by_all_orders(SIX, THREE, luck=1)
    assert found.leaves == 173


def by_all_orders(own: str, theirs: str, luck: int) -> dict[tuple[str, int], Fraction]:
    """Twin of the attack on the names of two decks' cards, played through in every order they can lie."""
    dodges = Counter(lay(iter(order))[0] for order in permutations(theirs.split()))
    found: Counter[tuple[str, int]] = Counter()
    for dodged, ways in dodges.items():
        for order in permutations(own.split()):
            found[shot(iter(order), 3 + dodged, luck)] += ways
    return {end: Fraction(ways, found.total()) for end, ways in found.items()}


def lay(cards: Iterator[str]) -> tuple[int, str, int, bool]:
    """Value, suit, number of spades, Joker or not of one stack."""
    value, laid = 0, ""
    for card in cards:
        if card[0] == "J" and card[1] == "o":
            return 0, laid, 0, True
        laid += card[-1]
        value += {"A": 1, "J": 1, "Q": 2, "K": 3}.get(card[0]) or int(card[:-1])
        if card[0] not in "JQK":
            break
    return value, laid[0], laid.count("S"), False


def shot(cards: Iterator[str], needed: int, luck: int) -> tuple[str, int]:
    """One attack with a deck in a known order."""
    hits, best, owed = [], 0, 1
    while owed:
        value, suit, spades, joker = lay(cards)
        if joker:
            return "critical failure", 0
        owed += spades - 1
        best = max(best, value)
        if value >= needed:
            hits.append(({"S": 8, "H": 6, "D": 5, "C": 3}[suit], value))
        if not owed and not hits and luck:
            owed, luck = 1, luck - 1
    if not hits:
        return ("critical failure" if best <= needed - 5 else "miss"), 0
    dealt, value = max(hits)
    return ("critical hit", 8) if value >= needed + 5 else ("hit", dealt)


FLAT: Final = Gunman(moxie=1, damage=Levels({"spades": 8, "hearts": 5, "diamonds": 5, "clubs": 5}))


def flat(card: Card) -> Card:
    """All that a shot by somebody with FLAT's gun reads of a card: its rank, and of Ana's whether it is of spades."""
    if card.deck == "bo" or card.rank == JOKER:
        return Card(card.rank, card.deck)
    return Card(card.rank + ("S" if card.suit == SPADES else "C"), card.deck)


def test_merging_cards_that_read_alike_changes_no_odds() -> None:
    state = scene_of("5S QH QC 9H 9D 2C 2D Joker1 Joker2", THREE, shooter=FLAT)
    apart, alike = Exact(cool).of(SHOT, state), Exact(cool).of(SHOT, coarser(state, flat))
    assert ends(alike) == ends(apart)
    assert (apart.leaves, alike.leaves) == (828, 215)


def test_every_driver_tells_the_same_story_of_merged_cards() -> None:
    agree(SHOT, coarser(scene_of("9H 9D 2C Joker1", shooter=FLAT, target=UNAWARE), flat), cool)


def test_of_a_full_deck_exact_odds_are_a_bracket_that_sampled_play_falls_into() -> None:
    """Too many cards draw on: even merged, a floor leaves some of the weight open, and says how much."""
    state = coarser(scene_of(" ".join(FULL), shooter=FLAT, target=UNAWARE), flat)
    found = Exact(cool, floor=Fraction(1, 500)).of(SHOT, state)
    sure = found.chance(lambda attack: attack.dealt > 0)
    assert found.lost + sum(found.of.values()) == 1
    table = Sampled(Random(1), cool)
    hit = sum(table.play(SHOT, state)[0].dealt > 0 for _ in range(500))
    assert sure < Fraction(hit, 500) < sure + found.lost


# --- what no rule can do with cards -----------------------------------------------------------------------------------

TWO: Final = "2H 2D"


@rule("hard.flip.second-suit")
async def second_suit(scene: Scene, who: Who[Gunman]) -> str | None:
    """One card is put aside unseen; of the next the suit is read."""
    await draw(CARD, deck(who), discards(who))
    return (await draw(CARD, deck(who), in_play(who))).suit


@rule("hard.flip.both-at-once")
async def both_at_once(scene: Scene, who: Who[Gunman]) -> tuple[Card, ...]:
    """Two cards of one deck, turned together."""
    return await together(*(draw(CARD, deck(who), in_play(who)) for _ in range(2)))


@rule("hard.flip.drop")
async def drop(scene: Scene, who: Who[Gunman]) -> None:
    """A deck is thrown out of the window."""
    await change(deck(who), None)


@rule("hard.flip.sleeve")
async def palm(scene: Scene, who: Who[Gunman]) -> None:
    """A card vanishes up a sleeve."""
    await alter(deck(who), Pile.without, Card("2H", who.name))


@rule("hard.flip.nowhere")
async def draw_to_nowhere(scene: Scene, who: Who[Gunman]) -> None:
    """The pile it goes to is not in the scene."""
    await alter(who, Gunman.acted)
    await draw(CARD, deck(who), Who("nowhere", Pile))


def test_a_card_put_aside_does_not_skew_the_next() -> None:
    found = Exact().of(second_suit(ANA), scene_of(TWO))
    assert found.of == {"hearts": Fraction(1, 2), "diamonds": Fraction(1, 2)}


def test_who_looks_closer_than_cards_were_merged_finds_nothing_there() -> None:
    ranks = coarser(scene_of(TWO), lambda card: Card(card.rank, card.deck))
    assert Exact().of(second_suit(ANA), ranks).of == {None: 1}


def test_two_cards_of_one_deck_are_not_drawn_together() -> None:
    with pytest.raises(BadInput, match=r"ana\.deck: two cannot draw from one pile at once"):
        play(both_at_once(ANA), scene_of(TWO))


@pytest.mark.parametrize("losing", [drop, palm])
def test_no_rule_can_lose_a_card(losing: Rule[[Who[Gunman]], None]) -> None:
    with pytest.raises(BadInput, match=r"ana\.deck: cards move by draw\(\) and move\(\)"):
        play(losing(ANA), scene_of(TWO))


def test_where_a_card_would_be_drawn_to_nowhere_nothing_has_happened() -> None:
    scene = Scene(scene_of(TWO))
    with pytest.raises(BadInput, match="nowhere"):
        drive(Run(scene, draw_to_nowhere(ANA)), Sampled().answer)
    assert scene.state == scene_of(TWO)


# --- what others may see ----------------------------------------------------------------------------------------------

ANAS: Final = Seat("Ana's player", frozenset({"ana"}))
BOS: Final = Seat("Bo's player", frozenset({"bo"}))
FLIP: Final = System("flip", "Flips", Path(), version=1, sheet=Gunman)


def test_a_hand_is_hidden_from_the_others_and_a_deck_from_all() -> None:
    view = visible_scene(scene_of(held="4C"), BOS)
    assert (view["ana.hand"]["count"], view["ana.deck"]["count"]) == (1, 12)
    assert not {"cards"} & (view["ana.hand"].keys() | view["ana.deck"].keys())


def test_a_refused_card_does_not_tell_what_is_in_the_deck() -> None:
    with pytest.raises(BadAnswer) as refused:
        shoot(scene_of(TWO, held="9C"), bo_dodge="no", ana_play_card="no", ana_card="4H")
    assert "2D" not in str(refused.value)


def test_what_is_offered_from_a_hidden_hand_or_drawn_to_it_is_for_its_owner_alone() -> None:
    table = Journal(FLIP, scene_of("Joker1 9H", held="4C", target=UNAWARE))
    step = table.begin(ANAS.name, attack.id, {"attacker": "ana", "target": "bo"})
    for said in ("no", "Joker1", "9H"):  # she plays no card, spoils the flip, and refills her hand
        assert "4C" in str(view(table, ANAS))
        assert "4C" not in str(view(table, BOS))
        table.answer(ANAS.name, step, said)
    assert "9H" in str(view(table, ANAS))
    assert "9H" not in str(view(table, BOS))
