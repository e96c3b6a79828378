"""The last flips as rows of stacks: what was turned, what counts, which suit was trump, and the sum.

They are read from what the seat was told, so a row shows nothing that its reader has not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, final

from referee.core.cards import JOKER, Card
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import CardTable
from referee.core.plain import Plain
from referee.core.rules import FORMULAS
from referee.core.scene import Who
from referee.journal.journal import CLOCK
from referee.journal.steps import TABLE
from referee.kits.card_hands import CardValues
from referee.web.pages.page import WORDS, signed
from referee.web.pages.parts.cards import Face, face_of
from referee.web.pages.parts.dice import Summand, summands
from referee.web.pages.table_view import TableView

MOST_ROWS: Final = 4


@final
@dataclass(frozen=True)
class StackShown:
    """Cards laid on each other, and what they are worth."""

    faces: tuple[Face, ...]
    sum: str
    value: int
    counts: bool
    is_out: bool
    """Whether another stack counts."""
    opened_by: str
    """What opened it, if it is not the first."""


@final
@dataclass(frozen=True)
class FlipRow:
    """The flip of one person."""

    who: str
    is_mine: bool
    stacks: tuple[StackShown, ...]
    trump: tuple[str, ...]
    terms: tuple[Summand, ...]
    counted: int | None
    """What counts, once that is known."""
    is_spoiled: bool
    is_open: bool
    """Whether it is still going on."""

    @property
    def total(self) -> int | None:
        if self.counted is None or self.is_spoiled:
            return None
        return self.counted + sum(each.amount for each in self.terms)

    @property
    def added(self) -> str:
        """What is added to the stack, in words."""
        return " ".join(f"{signed(each.amount)} {each.label}" for each in self.terms)


@final
@dataclass
class _Flip:
    """A flip while it is read."""

    who: str
    cards: list[Card] = field(default_factory=list)
    terms: tuple[Summand, ...] = ()
    chosen: str = ""
    is_open: bool = True


def flips(view: TableView, me: str | None) -> tuple[FlipRow, ...]:
    """The flips of what was done last, until somebody does something else."""
    table = view.look.cards
    if table is None or not table.turn or not table.values:
        return ()
    try:
        values: CardValues = FORMULAS[table.values](view.scene)
        found = [_row(view, table, values, each, me) for each in _read(view, table)]
    except (NotKnown, RefereeError):
        return ()
    return tuple(each for each in found if each.stacks)[-MOST_ROWS:]


def _read(view: TableView, table: CardTable) -> list[_Flip]:
    found: list[_Flip] = []
    actions = {each.key for each in view.system.actions}
    for item in view.recent:
        if _is_new_action(item, actions):
            found.clear()
        if item["kind"] == "answered":
            _answered(found, item, table)
        for each in item.get("then", ()):
            emptied = str(each.get("who", "")).removesuffix(f".{table.flip}")
            if emptied != each.get("who") and (each.get("set") or {}).get("cards") == []:
                for one in found:
                    one.is_open = one.is_open and one.who != emptied
    return found


def _is_new_action(item: Mapping[str, Plain], actions: set[str]) -> bool:
    if item["kind"] in ("undone", "redone"):
        return True
    if item["kind"] == "began":
        return item["by"] not in (TABLE, CLOCK)
    answer = item.get("answer")
    return item["kind"] == "answered" and isinstance(answer, str) and answer.partition(" ")[0] in actions


def _answered(found: list[_Flip], item: Mapping[str, Plain], table: CardTable) -> None:
    prompt, who, answer = item.get("prompt"), str(item.get("of") or ""), item.get("answer")
    going = next((each for each in reversed(found) if each.who == who and each.is_open), None)
    if prompt == table.first:
        found.append(_Flip(who, [] if answer == "no" else [Card.from_plain(answer)]))
    elif prompt == table.turn:
        if going is None:
            found.append(going := _Flip(who))
        going.cards.append(Card.from_plain(answer))
        going.terms = going.terms or summands(item.get("roll"))
    elif going is not None and prompt == table.counts:
        going.chosen = str(answer)


def _row(view: TableView, table: CardTable, values: CardValues, flip: _Flip, me: str | None) -> FlipRow:
    stacks = list(_stacks(flip.cards, values))
    is_spoiled = any(card.rank == JOKER for card in flip.cards)
    worths = [sum(map(values.worth, cards)) for cards in stacks]
    named = ["-".join(card.name for card in cards) for cards in stacks]
    best = max(range(len(stacks)), key=lambda at: (worths[at], values.rank_of(stacks[at][0].suit)), default=None)
    chosen = named.index(flip.chosen) if flip.chosen in named else None if flip.is_open else best
    chosen = None if is_spoiled else chosen
    trump = _trump(view, table, flip)
    shown = tuple(
        StackShown(
            tuple(map(face_of, cards)),
            _sum(cards, values),
            worths[at],
            at == chosen,
            is_spoiled or (chosen is not None and at != chosen),
            _opened(stacks[:at], trump) if at else "",
        )
        for at, cards in enumerate(stacks)
    )
    counted = None if chosen is None else worths[chosen]
    return FlipRow(flip.who, flip.who == me, shown, trump, flip.terms, counted, is_spoiled, flip.is_open)


def _stacks(cards: list[Card], values: CardValues) -> Iterator[tuple[Card, ...]]:
    """A face is laid under the next card, everything else closes its stack."""
    lying: list[Card] = []
    for card in cards:
        lying.append(card)
        if not values.draws_on(card):
            yield tuple(lying)
            lying = []
    if lying:
        yield tuple(lying)


def _sum(cards: tuple[Card, ...], values: CardValues) -> str:
    return " + ".join(str(values.worth(card)) for card in cards)


def _opened(before: list[tuple[Card, ...]], trump: tuple[str, ...]) -> str:
    """What opened the next stack: a trump card before it, or something else."""
    seen = sum(card.suit in trump for cards in before for card in cards)
    return WORDS.say("laid.trump-opened" if seen >= len(before) else "laid.another")


def _trump(view: TableView, table: CardTable, flip: _Flip) -> tuple[str, ...]:
    """The trump suits, by the stat among the terms of the sum."""
    stat = next((each.label for each in flip.terms if each.rule == table.stat), None)
    if stat is None or not table.trump:
        return ()
    who: Who[Any] = Who(flip.who, view.system.sheet)
    return tuple(FORMULAS[table.trump](view.scene, who, stat))
