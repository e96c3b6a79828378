"""Decks, discards and hands: who turns cards from which deck, what they are worth, and where they go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from referee.core import (
    Card,
    Facing,
    Levels,
    Pile,
    Prompt,
    Scene,
    Who,
    figure,
    formula,
    move,
    pile_of,
    playing_cards,
    rule,
)
from referee.kits import card_hands
from referee.kits.card_hands import DECK, DISCARDS, HAND, IN_PLAY, CardValues, Owner, new_piles
from referee.systems.dime.sheet import SUIT_ORDER, Adventurer, Person, moxie

JOKERS: Final = figure("dime.flip.deck", "jokers", int)
CARD_VALUES: Final = figure("dime.flip.deck", "card_values", Levels)
FACE_BONUS: Final = figure("dime.flip.face-cards", "bonus", Levels)
PIPS: Final = tuple(range(2, 11))

REFILL: Final = Prompt("refill")

ANTE: Final = "ante"
"""What a duelist has set aside; the pile is there only during a duel."""

MASTER: Final = "gm"
"""Whose deck the game master's people use."""


def poker(scene: Scene, whose: str) -> tuple[Card, ...]:
    """The cards of one deck."""
    return playing_cards(whose, jokers=scene[JOKERS])


def piles(scene: Scene, who: Who[Any] | None) -> Mapping[str, Pile]:
    """A player has a deck, discards and a hand; somebody of the game master's a hand, and her deck serves them all."""
    if who is None:
        return {
            f"{MASTER}.{DECK}": Pile(poker(scene, MASTER), owner=MASTER),
            f"{MASTER}.{DISCARDS}": Pile(facing=Facing.MASTER, owner=MASTER),
        }
    if scene[Who(who.name, Adventurer)].player:
        return new_piles(poker(scene, who.name))
    return {HAND: Pile(facing=Facing.HAND), IN_PLAY: Pile(facing=Facing.UP)}


@formula("dime.flip.deck")
def dealer(scene: Scene, who: Person) -> str:
    """Whose deck somebody turns cards from: their own, or the game master's."""
    return who.name if pile_of(who, DECK) in scene else MASTER


def owner(scene: Scene, who: Person) -> Owner:
    """The piles somebody plays with."""
    return Owner(who.name, dealer(scene, who))


@formula("dime.flip.face-cards")
def card_values(scene: Scene) -> CardValues:
    """What cards are worth: numbers their pips, an Ace 1; a face adds its bonus and draws on."""
    numbers = {**{str(pips): pips for pips in PIPS}, **scene[CARD_VALUES]}
    return CardValues(Levels(numbers), scene[FACE_BONUS], scene[SUIT_ORDER])


@rule("dime.flip.deck/discard")
async def discard(scene: Scene, pile: Who[Pile], cards: tuple[Card, ...]) -> None:
    """Cards go to the discards of the deck they belong to."""
    for whose in dict.fromkeys(card.deck for card in cards):
        await move((card for card in cards if card.deck == whose), pile, pile_of(whose, DISCARDS))


@rule("dime.moxie.refresh/refill")
async def refill(scene: Scene, who: Person) -> None:
    """Cards are drawn until the hand is as large as the Moxie score; only their owner sees them."""
    await card_hands.refill(scene, owner(scene, who), who, REFILL, moxie(scene, who))
