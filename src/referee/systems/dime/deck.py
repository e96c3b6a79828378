"""Decks, discards and hands: who turns cards from which deck, and where they go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
    figure,
    formula,
    move,
    pile_of,
    playing_cards,
    rule,
)
from referee.core.cards import JOKER
from referee.core.requests import move_all
from referee.systems.dime.sheet import Character, Person, moxie

JOKERS: Final = figure("dime.flip.deck", "jokers", int)
CARD_VALUES: Final = figure("dime.flip.deck", "card_values", Levels)
FACE_BONUS: Final = figure("dime.flip.face-cards", "bonus", Levels)

TURN: Final = Prompt("turn")
REFILL: Final = Prompt("refill")

MASTER: Final = "gm"
"""Whose deck the game master's people use."""


def poker(scene: Scene, whose: str) -> tuple[Card, ...]:
    """The cards of one deck."""
    return playing_cards(whose, jokers=scene[JOKERS])


def piles(scene: Scene, who: Who[Any] | None) -> Mapping[str, Pile]:
    """A player has a deck, discards and a hand; somebody of the game master's a hand, and her deck serves them all."""
    if who is None:
        return {
            f"{MASTER}.deck": Pile(poker(scene, MASTER), owner=MASTER),
            f"{MASTER}.discards": Pile(facing=Facing.MASTER, owner=MASTER),
        }
    mine = {"hand": Pile(facing=Facing.HAND), "flip": Pile(facing=Facing.UP)}
    if not scene[Who(who.name, Character)].player:
        return mine
    return {"deck": Pile(poker(scene, who.name)), "discards": Pile(facing=Facing.UP), **mine}


@formula("dime.flip.deck")
def dealer(scene: Scene, who: Person | None) -> str:
    """Whose deck somebody turns cards from: their own, or the game master's."""
    return who.name if who is not None and pile_of(who, "deck") in scene else MASTER


def hand_of(who: Person) -> Who[Pile]:
    return pile_of(who, "hand")


def table_of(who: Person) -> Who[Pile]:
    """The cards of a running flip."""
    return pile_of(who, "flip")


def value_of(scene: Scene, card: Card) -> int:
    """What a card adds to its stack."""
    if card.rank == JOKER:
        return 0
    return scene[FACE_BONUS].get(card.rank, 0) or scene[CARD_VALUES].get(card.rank, 0) or int(card.rank)


@rule("dime.flip.deck/turn")
async def turn(scene: Scene, who: Person, mods: Mods = ()) -> Card | None:
    """The next card of the deck; an empty deck is made of the discards. None if no card is left anywhere."""
    whose = dealer(scene, who)
    deck = pile_of(whose, "deck")
    await reshuffle(whose)
    return await draw(TURN, deck, table_of(who), who=who, mods=mods) if scene[deck] else None


@rule("dime.flip.deck/reshuffle")
async def reshuffle(scene: Scene, whose: str) -> None:
    """When the deck is empty, the discards are shuffled into a new one."""
    deck, discards = pile_of(whose, "deck"), pile_of(whose, "discards")
    if not scene[deck] and scene[discards]:
        await move_all(discards, deck)


@rule("dime.flip.deck/discard")
async def discard(scene: Scene, pile: Who[Pile], cards: tuple[Card, ...]) -> None:
    """Cards go to the discards of the deck they belong to."""
    for whose in dict.fromkeys(card.deck for card in cards):
        await move((card for card in cards if card.deck == whose), pile, pile_of(whose, "discards"))


@rule("dime.moxie.refresh/refill")
async def refill(scene: Scene, who: Person) -> None:
    """Cards are drawn until the hand is as large as the Moxie score; only their owner sees them."""
    deck = pile_of(dealer(scene, who), "deck")
    while len(scene[hand_of(who)]) < moxie(scene, who):
        await reshuffle(dealer(scene, who))
        if not scene[deck]:
            return
        _ = await draw(REFILL, deck, hand_of(who), who=who, audience=Audience.OWNER)
