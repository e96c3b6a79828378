"""Cards as a screen draws them: faces, the piles of a scene, everyone's hand, deck and discards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, final

from referee.core.cards import JOKER, Card, Pile
from referee.core.plain import Plain
from referee.core.wording import capital
from referee.kits.card_hands import Stack
from referee.web.pages.page import WORDS
from referee.web.pages.table_view import TableView

SUITS: Final = {"spades": "S", "hearts": "H", "diamonds": "D", "clubs": "C"}
_PRINTED: Final = re.compile(rf"(?:(?:A|[2-9]|10|J|Q|K)[SHDC]|{JOKER}\d*)(?:@.*)?")
MOST_BACKS: Final = 6
"""How many backs of a hand are drawn side by side."""


@final
@dataclass(frozen=True)
class Face:
    """A card, face up."""

    rank: str
    suit: str

    @property
    def code(self) -> str:
        """Its name in the picture of all cards; empty if it is not one of the playing cards."""
        if self.suit:
            return f"{self.rank}{SUITS[self.suit]}"
        return JOKER if self.rank.startswith(JOKER) else ""

    @property
    def text(self) -> str:
        """Its name in words."""
        if not self.suit:
            return JOKER if self.code else self.rank
        key = f"cards.ranks.{self.rank}"
        return WORDS.say("cards.of", rank=WORDS.say(key) if key in WORDS else self.rank, suit=self.suit)


@final
@dataclass(frozen=True)
class PileShown:
    """A pile: its cards if this seat may look, and how many there are."""

    name: str
    title: str
    """Whose it is, by the game's name for it."""
    owner: str
    count: int
    faces: tuple[Face, ...] | None

    @property
    def backs(self) -> int:
        """How many backs are drawn for it."""
        return min(self.count, MOST_BACKS)


@final
@dataclass(frozen=True)
class OwnPiles:
    """The piles of one person, as far as there are any."""

    hand: PileShown | None
    deck: PileShown | None
    spent: PileShown | None

    @property
    def top(self) -> Face | None:
        """A card of the discards."""
        return self.spent.faces[-1] if self.spent and self.spent.faces else None


def face(plain: Plain) -> Face | None:
    """A card by its name; None if it is not one of the playing cards."""
    if not isinstance(plain, str) or not _PRINTED.fullmatch(plain):
        return None
    return face_of(Card.from_plain(plain))


def face_of(card: Card) -> Face:
    return Face(card.rank, card.suit or "")


def faces_in(option: Any) -> tuple[Face, ...]:
    """The cards that an option consists of: one, or a stack of them; none if it is something else."""
    if isinstance(option, Card):
        return (face_of(option),)
    return tuple(map(face_of, option.cards)) if isinstance(option, Stack) else ()


def stack_words(option: Stack) -> str:
    """A stack: its cards and what they are worth."""
    named = ", ".join(each.text for each in faces_in(option))
    return WORDS.say("cards.sum", cards=named, value=option.value)


def pile_title(view: TableView, name: str) -> str:
    """A pile in words: `ana.hand` is Ana's hand, or whatever the game calls it (`piles.hand`)."""
    owner = str(view.data["scene"].get(name, {}).get("owner") or "")
    own = name.removeprefix(f"{owner}.") if owner else name
    words = view.system.words
    said = words.say(f"piles.{own}") if f"piles.{own}" in words else own
    if own == name:
        return said
    whose = WORDS.say("game-master") if owner not in view.people else owner
    return WORDS.say("cards.whose", owner=capital(whose), pile=said)


def piles(view: TableView) -> tuple[PileShown, ...]:
    """Every pile in the scene, as far as this seat may look."""
    found: list[PileShown] = []
    for name, plain in view.data["scene"].items():
        if plain.get("kind") == Pile.__name__:
            cards = plain.get("cards")
            known = None if cards is None else tuple(face(each) or Face(str(each), "") for each in cards)
            found.append(
                PileShown(name, pile_title(view, name), str(plain.get("owner") or ""), int(plain["count"]), known)
            )
    return tuple(found)


def own_piles(view: TableView, found: tuple[PileShown, ...], who: str) -> OwnPiles | None:
    """The hand, deck and discards of somebody, if the system says which piles these are."""
    table = view.look.cards
    if table is None:
        return None
    by_name = {each.name: each for each in found}
    hand, deck, spent = (by_name.get(f"{who}.{name}") for name in (table.hand, table.deck, table.spent))
    return OwnPiles(hand, deck, spent) if hand or deck else None


def other_piles(view: TableView, found: tuple[PileShown, ...]) -> tuple[PileShown, ...]:
    """The piles that have no place of their own on the screen, as far as there are cards in them."""
    table = view.look.cards
    if table is None:
        return found
    placed = {f".{name}" for name in (table.hand, table.deck, table.spent, table.flip) if name}
    people = set(view.people)
    return tuple(
        each
        for each in found
        if each.count and not (each.owner in people and each.name.removeprefix(each.owner) in placed)
    )
