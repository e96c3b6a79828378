"""Cards as a screen draws them, and the piles of a scene."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, final

from referee.core.cards import JOKER, Card, Pile
from referee.core.plain import Plain
from referee.core.wording import capital
from referee.web.pages.page import WORDS
from referee.web.pages.table_view import TableView

SIGNS: Final = {"spades": "♠", "hearts": "♥", "diamonds": "♦", "clubs": "♣"}
_PRINTED: Final = re.compile(rf"(?:(?:A|[2-9]|10|J|Q|K)[SHDC]|{JOKER}\d*)(?:@.*)?")


@final
@dataclass(frozen=True)
class Face:
    """A card, face up."""

    rank: str
    sign: str
    suit: str

    @property
    def text(self) -> str:
        """Its name, for those who cannot see it."""
        return WORDS.say("cards.of", rank=self.rank, suit=self.suit) if self.suit else self.rank


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


def face(plain: Plain) -> Face | None:
    """A card by its name; None if it is not one of the playing cards."""
    if not isinstance(plain, str) or not _PRINTED.fullmatch(plain):
        return None
    card = Card.from_plain(plain)
    return Face(card.rank, SIGNS.get(card.suit or "", "★"), card.suit or "")


def pile_title(view: TableView, name: str) -> str:
    """A pile in words: `ana.hand` is Ana's hand, or whatever the game calls it (`piles.hand`)."""
    owner = str(view.data["scene"].get(name, {}).get("owner") or "")
    own = name.removeprefix(f"{owner}.") if owner else name
    words = view.system.words
    said = words.say(f"piles.{own}") if f"piles.{own}" in words else own
    return said if own == name else WORDS.say("cards.whose", owner=capital(owner), pile=said)


def piles(view: TableView) -> tuple[PileShown, ...]:
    """Every pile in the scene, as far as this seat may look."""
    found: list[PileShown] = []
    for name, plain in view.data["scene"].items():
        if plain.get("kind") == Pile.__name__:
            cards = plain.get("cards")
            known = None if cards is None else tuple(face(each) or Face(str(each), "", "") for each in cards)
            found.append(
                PileShown(name, pile_title(view, name), str(plain.get("owner") or ""), int(plain["count"]), known)
            )
    return tuple(found)
