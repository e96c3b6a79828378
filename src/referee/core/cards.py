"""Cards and piles. A pile has no order: chance decides only when a card is drawn, so nothing can peek.

Every card is always in exactly one pile; the only requests that touch piles move a card from one to another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, final

from referee.core.errors import BadInput, NotKnown, Refused
from referee.core.plain import Plain
from referee.core.scene import State

SUITS: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
JOKER: Final = "Joker"


@final
@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One card: its name, and the deck it belongs to (two decks may each have a seven of spades)."""

    name: str
    deck: str = ""

    @property
    def rank(self) -> str:
        return JOKER if self.name.startswith(JOKER) else self.name.rstrip("SHDC")

    @property
    def suit(self) -> str | None:
        return None if self.name.startswith(JOKER) else SUITS.get(self.name[-1])

    def __str__(self) -> str:
        return self.name

    @classmethod
    def from_plain(cls, plain: Plain) -> Card:
        name, _, deck = str(plain).partition("@")
        return cls(name, deck)

    def to_plain(self) -> Plain:
        return f"{self.name}@{self.deck}" if self.deck else self.name


def playing_cards(deck: str = "", *, jokers: int = 2) -> tuple[Card, ...]:
    """The 52 cards and their jokers."""
    plain = [Card(rank + suit, deck) for suit in SUITS for rank in RANKS]
    return (*plain, *(Card(f"{JOKER}{n}", deck) for n in range(1, jokers + 1)))


class Facing(Enum):
    """Who may look at the cards of a pile. Everyone may know how many there are."""

    DOWN = "down"
    HAND = "hand"
    UP = "up"


@final
@dataclass(frozen=True, slots=True)
class Pile:
    """Cards in no order."""

    cards: tuple[Card, ...] = ()
    facing: Facing = Facing.DOWN
    owner: str = ""
    elsewhere: int = 0
    """In a pile the viewer may not look at, `cards` lists all that might be in it; this many of them are elsewhere."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))

    def __len__(self) -> int:
        return len(self.cards) - self.elsewhere

    def __bool__(self) -> bool:
        return len(self) > 0

    def without(self, *cards: Card) -> Pile:
        left = list(self.cards)
        for card in cards:
            if card not in left:
                raise BadInput("pile", f"{card} is not in this pile")
            left.remove(card)
        return replace(self, cards=tuple(left))

    def plus(self, *cards: Card) -> Pile:
        self.check_known()
        return replace(self, cards=(*self.cards, *cards))

    def named(self, name: str, *, rule: str) -> Card:
        """The card of this name in the pile."""
        self.check_known()
        for card in self.cards:
            if name.casefold() in (card.name.casefold(), str(card.to_plain()).casefold()):
                return card
        raise Refused(name, because="that card is not in the pile", rule=rule, legal=(str(c) for c in self.cards[:60]))

    def check_known(self) -> None:
        """Refuse to read a pile of which only the possible cards are known."""
        if self.elsewhere:
            raise NotKnown("which cards are in the pile")


def coarser(state: State, meaning: Callable[[Card], Card]) -> State:
    """A scene in which cards with the same meaning are the same card, for the odds of rules that read only the meaning.

    A rule that looks closer finds nothing, so the odds cannot be silently wrong: what was merged is gone.
    """
    for name, value in state.items():
        if isinstance(value, Pile):
            state = state.but(name, replace(value, cards=tuple(map(meaning, value.cards))))
    return state


def check_each_card_once(state: State) -> None:
    """Every card in exactly one pile."""
    piles: Iterable[Pile] = (value for value in state.values() if isinstance(value, Pile))
    twice = [card.to_plain() for card, n in Counter(c for pile in piles for c in pile.cards).items() if n > 1]
    if twice:
        raise BadInput("piles", f"in more than one place: {', '.join(twice)}")
