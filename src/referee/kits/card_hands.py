"""Games in which everyone has a deck, a hand and discards: cards turned into stacks, played from the hand, refilled.

A system builds its `CardTable` from its own figures and says who owns which piles; what is awaited here runs as a part
of the rule that awaits it, so that rule is its citation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, final

from referee.core import (
    Audience,
    Card,
    Facing,
    Levels,
    Mods,
    Pile,
    Prompt,
    Scene,
    Who,
    draw,
    frozen,
    offer,
    pile_of,
    refuse,
)
from referee.core.branches import LEFT_OUT
from referee.core.cards import JOKER
from referee.core.errors import TooLarge
from referee.core.questions import Choose
from referee.core.requests import move, move_all
from referee.core.rules import Ends
from referee.core.scene import Forgotten

if TYPE_CHECKING:
    from referee.odds.flips import FlipEnds, Ordered

M = TypeVar("M")
N = TypeVar("N")
T = TypeVar("T")
W = TypeVar("W", bound="Ordered")

DECK: Final = "deck"
HAND: Final = "hand"
IN_PLAY: Final = "in-play"
DISCARDS: Final = "discards"

MOST_LOST: Final = Fraction(1, 10**9)
"""The most that odds of a flip may leave out: flips so long that the deck runs out in the middle."""

Changes: TypeAlias = tuple[tuple[Who[Any], Hashable | None], ...]


@frozen
class Owner:
    """The piles of one owner. A pile that is missing is empty: someone without a hand."""

    name: str
    dealer: str = ""
    """Whose deck and discards are used, if not one's own: the game master's people share hers."""

    @property
    def deck(self) -> Who[Pile]:
        return pile_of(self.dealer or self.name, DECK)

    @property
    def hand(self) -> Who[Pile]:
        return pile_of(self.name, HAND)

    @property
    def in_play(self) -> Who[Pile]:
        return pile_of(self.name, IN_PLAY)

    @property
    def discards(self) -> Who[Pile]:
        return pile_of(self.dealer or self.name, DISCARDS)

    def held(self, scene: Scene) -> tuple[Card, ...]:
        return scene.get(self.hand, Pile()).cards

    def cards_left(self, scene: Scene) -> bool:
        """Whether a card can be drawn, from the deck or from the discards that would become a new one."""
        return bool(scene[self.deck]) or bool(scene[self.discards])


def new_piles(cards: Iterable[Card], *, hand: Facing | None = Facing.HAND) -> dict[str, Pile]:
    """A full deck and empty piles beside it, for `System.piles`; without a hand if `hand` is None."""
    piles = {DECK: Pile(tuple(cards)), IN_PLAY: Pile(facing=Facing.UP), DISCARDS: Pile(facing=Facing.UP)}
    return piles if hand is None else {**piles, HAND: Pile(facing=hand)}


# --- drawing, refilling, playing --------------------------------------------------------------------------------------


async def reshuffle_if_empty(scene: Scene, owner: Owner) -> None:
    """An empty deck is made anew from the discards; hands and cards in play stay out."""
    if not scene[owner.deck]:
        await move_all(owner.discards, owner.deck)


async def turn(scene: Scene, owner: Owner, who: Who[Any], name: Prompt, mods: Mods = ()) -> Card:
    """The top card of the deck comes into play; `mods` explain what the rule makes of it."""
    await reshuffle_if_empty(scene, owner)
    if not scene[owner.deck]:
        refuse(f"{owner.name} has no card left to turn")
    return await draw(name, owner.deck, owner.in_play, who=who, mods=mods)


async def refill(scene: Scene, owner: Owner, who: Who[Any], name: Prompt, up_to: int) -> None:
    """Draw into the hand up to a number of cards, as long as there are any; no one else sees them."""
    while owner.hand in scene and len(scene[owner.hand]) < up_to and owner.cards_left(scene):
        await reshuffle_if_empty(scene, owner)
        await draw(name, owner.deck, owner.hand, who=who, audience=Audience.OWNER)


def from_hand(scene: Scene, owner: Owner, who: Who[Any], name: Prompt, about: Any = None) -> Choose[Card | None]:
    """Offer the cards of the hand, or none of them. Everyone learns which was chosen, no one what there was."""
    return offer(who, name, owner.held(scene), about=about, options_for=Audience.OWNER)


def check_held(scene: Scene, owner: Owner, card: Card) -> None:
    """Refuse a card that has left the hand since it was offered: the game master may have changed the piles."""
    if card not in owner.held(scene):
        refuse(f"{card} is no longer in the hand of {owner.name}", legal=tuple(map(str, owner.held(scene))))


async def play(scene: Scene, owner: Owner, card: Card) -> None:
    """A card of the hand comes into play."""
    check_held(scene, owner, card)
    await move(card, owner.hand, owner.in_play)


async def discard_played(scene: Scene, owner: Owner) -> None:
    """What is in play is discarded."""
    await move_all(owner.in_play, owner.discards)


# --- stacks -----------------------------------------------------------------------------------------------------------


@frozen
class CardValues:
    """What the cards of a game are worth, by rank. A face adds its bonus and draws on; a joker is worth nothing."""

    numbers: Levels
    faces: Levels
    suits: tuple[str, ...] = ()
    """The suits from the lowest to the highest, if equal stacks are told apart by suit."""

    def worth(self, card: Card) -> int:
        return 0 if card.rank == JOKER else self.faces.get(card.rank) or self.numbers[card.rank]

    def draws_on(self, card: Card) -> bool:
        return card.rank in self.faces

    def rank_of(self, suit: str | None) -> int:
        return self.suits.index(suit) if suit in self.suits else -1


@frozen
class Stack:
    """Cards laid on each other: worth their sum, of the suit of the first."""

    cards: tuple[Card, ...]
    value: int

    @property
    def suit(self) -> str | None:
        return self.cards[0].suit

    @property
    def is_spoiled(self) -> bool:
        return self.cards[-1].rank == JOKER

    @property
    def key(self) -> str:
        return "-".join(card.name for card in self.cards)

    def count(self, trump: Trump) -> int:
        return sum(is_trump(card, trump) for card in self.cards)


Stacks: TypeAlias = tuple[Stack, ...]
Trump: TypeAlias = str | tuple[str, ...] | None
"""The suit, or the suits, that open a further stack."""


def is_trump(card: Card, trump: Trump) -> bool:
    return card.suit is not None and card.suit in ((trump,) if isinstance(trump, str) else trump or ())


def is_spoiled(stacks: Stacks) -> bool:
    """Whether a joker has come."""
    return any(stack.is_spoiled for stack in stacks)


def best_of(stacks: Stacks, values: CardValues) -> Stack:
    """The stack that is worth most; of equal ones, that of the highest suit."""
    return max(stacks, key=lambda stack: (stack.value, values.rank_of(stack.suit)))


def counted(stacks: Stacks, worth: Callable[[int, str], W]) -> W:
    """The most that one of the stacks is worth by its value and its suit: the one that its player lets count."""
    return max([worth(stack.value, stack.suit or "") for stack in stacks])


async def turn_stack(
    scene: Scene,
    owner: Owner,
    who: Who[Any],
    name: Prompt,
    values: CardValues,
    first: Card | None = None,
    mods: Mods = (),
) -> Stack:
    """The top card, or one from the hand; behind a face always another one from the deck."""
    if first is not None:
        await play(scene, owner, first)
    cards: tuple[Card, ...] = (first,) if first else ()
    while not cards or values.draws_on(cards[-1]):
        explained = len(cards) == (1 if first else 0)  # the first card that is turned
        cards += (await turn(scene, owner, who, name, mods if explained else ()),)
    return Stack(cards, sum(map(values.worth, cards)))


async def turn_stacks(
    scene: Scene,
    owner: Owner,
    who: Who[Any],
    name: Prompt,
    values: CardValues,
    trump: Trump,
    first: Card | None = None,
    mods: Mods = (),
) -> Stacks:
    """A stack, and beside it one more for every trump card that comes out, in whatever stack; a joker ends it."""
    stacks: Stacks = (await turn_stack(scene, owner, who, name, values, first, mods),)
    while not is_spoiled(stacks) and len(stacks) <= sum(stack.count(trump) for stack in stacks):
        stacks += (await turn_stack(scene, owner, who, name, values),)
    return stacks


# --- odds -------------------------------------------------------------------------------------------------------------


def flip_ends(
    scene: Scene,
    owner: Owner,
    values: CardValues,
    trump: Trump,
    opened: int = 1,
    begun: int = 0,
    steps: tuple[int, ...] | None = None,
) -> FlipEnds[int] | None:
    """For kernels: how turning stacks ends, by the value of the best one. None where it must be played.

    It counts over the cards that the viewer has not seen, of which some may be in a hidden hand. It must be played if
    the deck may run out on the way, and be made anew in the middle. A face from hand may have begun the first stack,
    and brought a bonus; then only values up to different steps may be told apart, which is quicker.
    """
    from referee.odds.flips import FlipCards, best_begun, best_stack  # loaded only when odds are asked for

    pile = scene[owner.deck] or scene[owner.discards]
    cards = pile.cards
    jokers = sum(card.rank == JOKER for card in cards)
    numbers, faces = list[tuple[int, bool]](), list[tuple[int, bool]]()
    for card in cards:
        if card.rank != JOKER:
            (faces if values.draws_on(card) else numbers).append((values.worth(card), is_trump(card, trump)))
    unseen = FlipCards.of(numbers, faces, jokers)
    ends = best_begun(unseen, begun, opened, len(pile), steps) if begun else best_stack(unseen, opened, len(pile))
    return ends if Fraction(ends.unended, ends.whole) < MOST_LOST else None


def flip_worths(
    scene: Scene,
    owner: Owner,
    values: CardValues,
    trump: str | Iterable[str] | None,
    worth: Callable[[int, str], W],
    opened: int = 1,
) -> FlipEnds[W] | None:
    """For kernels: the same by what the counted stack is worth, which may depend on its suit: the damage of a hit.

    Of the same suit a higher value must not be worth less. It must also be played if the suits of a large deck have
    different steps: a margin from which on the damage is doubled.
    """
    from referee.odds.flips import SuitedCards, best_worth  # loaded only when odds are asked for

    pile = scene[owner.deck] or scene[owner.discards]
    jokers, numbers, faces = 0, list[tuple[int, str]](), list[tuple[int, str]]()
    for card in pile.cards:
        if card.rank == JOKER:
            jokers += 1
        else:
            (faces if values.draws_on(card) else numbers).append((values.worth(card), card.suit or ""))
    suits = frozenset((trump,) if isinstance(trump, str) else trump or ())
    try:
        ends = best_worth(SuitedCards(tuple(numbers), tuple(faces), jokers, suits), worth, opened, len(pile))
    except TooLarge:
        return None
    return ends if Fraction(ends.unended, ends.whole) < MOST_LOST else None


@final
class RandomStacks:
    """For samplers: stacks of cards turned at random, some microseconds each."""

    def __init__(self, cards: Iterable[Card], values: CardValues, trump: Trump) -> None:
        self._trump, self._values = trump, values
        self._deck = [
            (card, values.worth(card), values.draws_on(card), is_trump(card, trump), card.rank == JOKER)
            for card in cards
        ]
        self._left = len(self._deck)
        self._random = Random(0).random  # the same figures each time
        self.ran_out = False

    def flip(self, first: Card | None = None) -> Stacks:
        """All stacks of a flip, the first one perhaps begun by a card of the hand; none if a joker has come."""
        self._left = len(self._deck)
        return self.more(first)

    def more(self, first: Card | None = None) -> Stacks:
        """The same, of the cards that this flip has left."""
        deck, left, random = self._deck, self._left, self._random
        stacks: list[Stack] = []
        opened = 1
        while len(stacks) < opened:
            cards, value, goes_on = list[Card](), 0, True
            if first is not None:
                if first.rank == JOKER:
                    return ()
                cards, value, goes_on = [first], self._values.worth(first), self._values.draws_on(first)
                opened, first = opened + is_trump(first, self._trump), None
            while goes_on:
                if not left:
                    self.ran_out = True
                    return ()
                at, left = int(random() * left), left - 1
                turned = deck[at]
                deck[at], deck[left] = deck[left], turned
                card, worth, goes_on, opens, is_joker = turned
                if is_joker:
                    return ()
                cards.append(card)
                value, opened = value + worth, opened + opens
            stacks.append(Stack(tuple(cards), value))
        self._left = left
        return tuple(stacks)


def forgotten(*piles: Who[Pile]) -> Changes:
    """For kernels: what a flip leaves in these piles is not kept; reading one later is an error."""
    return tuple((pile, Forgotten(Pile)) for pile in piles)


def contested_ends(mine: Ends[M], theirs: Ends[N], of: Callable[[M, N], T]) -> Ends[T]:
    """For kernels: the ends of two flips from different decks together, by what a contest makes of both."""
    found: defaultdict[tuple[T, Changes], int] = defaultdict(int)
    others = [(result, tuple(changes), ways) for result, changes, ways in theirs]
    for result, changes, ways in mine:
        here = tuple(changes)
        for other, there, more in others:
            if LEFT_OUT in (result, other):
                found[LEFT_OUT, ()] += ways * more
            else:
                found[of(result, other), (*here, *there)] += ways * more
    return [(result, changes, ways) for (result, changes), ways in found.items()]


def played_from_hand(scene: Scene, owner: Owner, card: Card) -> Mapping[Who[Pile], Pile]:
    """For kernels: the piles after a card of the hand alone was played and discarded."""
    return {owner.hand: scene[owner.hand].without(card), owner.discards: scene[owner.discards].plus(card)}
