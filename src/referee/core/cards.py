"""Cards and piles. A pile has no order: chance decides only when a card is drawn, so nothing can peek.

Every card is always in exactly one pile; the only requests that touch piles move a card from one to another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, final

from referee.core.errors import BadInput, NotKnown, Refused
from referee.core.plain import Plain, frozen
from referee.core.scene import State, Who
from referee.core.unknown import Unknown

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


def is_unknown(card: object) -> bool:
    """Whether the viewer sees only the back of a card."""
    return isinstance(card, Unknown)


class Facing(Enum):
    """Who may look at the cards of a pile. Everyone may know how many there are, unless it is secret."""

    DOWN = "down"
    """No one."""
    HAND = "hand"
    """The owner, and the game master."""
    PRIVATE = "private"
    """The owner alone, not even the game master."""
    MASTER = "game master"
    """The game master alone: for the others the pile is not there, and its cards might be in the face-down pile."""
    UP = "up"
    """Everyone."""


@final
@frozen
class Pile:
    """Cards in no order."""

    cards: tuple[Card, ...] = ()
    facing: Facing = Facing.DOWN
    owner: str = ""
    elsewhere: int = 0
    """In a pile the viewer may not look at, `cards` lists all that might be in it; this many of them are elsewhere."""

    def __post_init__(self) -> None:
        unseen = tuple(filter(is_unknown, self.cards))
        seen = (card for card in self.cards if not is_unknown(card)) if unseen else self.cards
        object.__setattr__(self, "cards", (*unseen, *sorted(seen)))

    def __len__(self) -> int:
        return len(self.cards) - self.elsewhere

    def __bool__(self) -> bool:
        return len(self) > 0

    @property
    def is_known(self) -> bool:
        """Whether the viewer knows which cards are in the pile."""
        return not self.elsewhere and not any(map(is_unknown, self.cards))

    def without(self, *cards: Card) -> Pile:
        """The pile without some cards. A card that comes out of an unseen hand was one of its unknown cards."""
        unseen = list(filter(is_unknown, self.cards))
        left = list(self.cards[len(unseen) :])
        for card in cards:
            if card in left:
                left.remove(card)
            elif unseen:
                unseen.pop()
            else:
                raise BadInput("pile", f"{card} is not in this pile")
        return replace(self, cards=(*unseen, *left))

    def may_hold(self, card: Card) -> bool:
        """Whether a card is one of those of which the viewer knows only that they may be in the pile."""
        return not is_unknown(self.elsewhere) and self.elsewhere > 0 and card in self.cards

    def cannot_hold(self, cards: Iterable[Card]) -> Pile:
        """A pile of which only the possible cards are known, when some of them were found elsewhere."""
        found = [card for card in cards if card in self.cards]
        left = tuple(card for card in self.cards if card not in found)
        return replace(self, cards=left, elsewhere=self.elsewhere - len(found))

    def plus(self, *cards: Card) -> Pile:
        if self.elsewhere and not self:  # it is empty: every card that it might hold is elsewhere
            return replace(self, cards=cards, elsewhere=0)
        if self.elsewhere:  # among the possible cards, one that is surely there could not be told apart
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
        """Refuse to read a pile that the viewer may not look at."""
        if not self.is_known:
            raise NotKnown("which cards are in the pile")


def pile_of(owner: Who[Any] | str, name: str) -> Who[Pile]:
    """A pile of someone's by the name the game gives it: `pile_of(ana, "hand")` is `ana.hand`."""
    return Who(f"{owner}.{name}", Pile)


def without_dealt(pile: Pile, state: Mapping[str, object]) -> Pile:
    """A pile without the cards that lie in the piles of a scene."""
    dealt = {card for value in state.values() if isinstance(value, Pile) for card in value.cards}
    return replace(pile, cards=tuple(card for card in pile.cards if card not in dealt))


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
