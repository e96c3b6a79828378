"""What comes and goes with a character: the piles that its system declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

from referee.core.cards import Card, Facing, Pile, pile_of, without_dealt
from referee.core.errors import BadInput
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State, Who

Piles: TypeAlias = Callable[[Scene, Who[Any] | None], Mapping[str, Pile]]

PILES: Final[dict[str, tuple[type[Any], Piles]]] = {}
"""The sheets of each system, and the piles that a character with such a sheet comes with."""


def piles_with(state: State, who: Who[Any] | None) -> dict[str, Pile]:
    """The piles that someone new in a scene comes with (None: those of the scene), by their names in the scene.

    A pile that is there already stays as it is, and so does every card that lies somewhere.
    """
    found: dict[str, Pile] = {}
    for name, pile in _declared(state, who).items():
        if name not in state:
            found[name] = without_dealt(pile, {**state, **found})
            if pile and not found[name]:
                raise BadInput(name, "all of its cards lie elsewhere; name the deck of each: playing_cards(who.name)")
    return found


def piles_leaving(state: State, who: Who[Any]) -> dict[str, Pile | None]:
    """The piles that leave a scene with someone: their own, of those they came with.

    Cards of other decks that lie in them go back to the face-down piles of those whose decks they are.
    """
    found: dict[str, Pile | None] = {}
    for name in _declared(state, who):
        pile = state.get(name)
        if not isinstance(pile, Pile) or pile.owner != who.name:
            continue
        found[name] = None
        for card in pile.cards:
            home = next((each for each in sorted(state) if _is_home(state[each], card, who)), None)
            if home is not None:
                found[home] = (found.get(home) or cast(Pile, state[home])).plus(card)
    return found


def _declared(state: State, who: Who[Any] | None) -> dict[str, Pile]:
    book = state.get(BOOK.name)
    sheet, piles = PILES.get(book.printed_book.system if isinstance(book, Book) else "", (object, None))
    if piles is None or (who is not None and not isinstance(state.get(who.name), sheet)):
        return {}
    if who is None:
        return dict(piles(Scene(state), None))
    mine = piles(Scene(state), Who(who.name, sheet))
    return {pile_of(who, name).name: replace(pile, owner=who.name) for name, pile in mine.items()}


def _is_home(value: object, card: Card, leaving: Who[Any]) -> bool:
    if not isinstance(value, Pile) or value.facing is not Facing.DOWN:
        return False
    return value.owner == card.deck and value.owner != leaving.name
