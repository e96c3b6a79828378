"""Seats, and what each may see of a scene. What a seat may not see is left out, never blanked."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

from referee.core.audience import Audience, audiences
from referee.core.cards import Facing, Pile
from referee.core.plain import Plain, write
from referee.core.scene import State


@final
@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table: whom it plays, and whether it is the game master's."""

    name: str
    controls: frozenset[str] = frozenset()
    master: bool = False

    def sees(self, audience: Audience, owner: str | None = None) -> bool:
        """Whether something for these eyes, belonging to somebody, may be shown here."""
        if self.master or audience is Audience.EVERYONE:
            return True
        return audience is Audience.OWNER and owner in self.controls

    def answers_for(self, who: str | None) -> bool:
        """Whether a question to somebody (None: to the game master) is this seat's to answer."""
        return self.master or (who is not None and who in self.controls)


def seen(state: State, seat: Seat) -> Plain:
    """A scene as one seat may see it."""
    return {name: _seen_value(name, value, seat) for name, value in state.items()}


def _seen_value(name: str, value: Hashable, seat: Seat) -> Plain:
    if isinstance(value, Pile):
        return _seen_pile(value, seat)
    return {"kind": type(value).__name__, **seen_fields(name, value, write(value), seat)}


def seen_fields(name: str, value: Any, fields: dict[str, Plain], seat: Seat) -> dict[str, Plain]:
    """Of some fields of a value, those a seat may see."""
    declared = audiences(type(value))
    return {field: plain for field, plain in fields.items() if seat.sees(declared.get(field, Audience.EVERYONE), name)}


def may_look(pile: Pile, seat: Seat) -> bool:
    """Whether a seat may see which cards are in a pile."""
    return pile.facing is Facing.UP or (pile.facing is Facing.HAND and seat.sees(Audience.OWNER, pile.owner))


def _seen_pile(pile: Pile, seat: Seat) -> Plain:
    shown = {"kind": "Pile", "owner": pile.owner, "facing": pile.facing.value, "count": len(pile)}
    return {**shown, "cards": write(pile.cards)} if may_look(pile, seat) else shown
