"""Seats, and what each may see of a scene. What a seat may not see is left out, never blanked."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final, final

from referee.core.audience import Audience, Hidden, audiences
from referee.core.cards import Facing, Pile
from referee.core.effects import NONE, Effects
from referee.core.plain import Plain, write
from referee.core.scene import State, Who
from referee.core.veil import fields_of, mentions, without


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


@final
@dataclass(frozen=True, slots=True)
class Veil:
    """What of the scene is in hiding: to everybody but the game master it is not there."""

    names: Hidden[frozenset[str]] = frozenset()


VEIL: Final = Who("veil", Veil)


def veiled(state: State) -> frozenset[str]:
    """The names in hiding, those of their piles included."""
    veil = state.get(VEIL.name)
    names = veil.names if isinstance(veil, Veil) else frozenset[str]()
    piles = (name for name, value in state.items() if isinstance(value, Pile) and value.owner in names)
    return names.union(piles) if names else names


def seen(state: State, seat: Seat) -> Plain:
    """A scene as one seat may see it, by name: in which order things came into it may be a secret."""
    hidden = frozenset[str]() if seat.master else veiled(state)
    away = frozenset[str]() if seat.master else hidden | {VEIL.name}
    return {
        name: _seen_value(name, state[name], seat, hidden)
        for name in sorted(state)
        if name not in away and not is_nothing(state[name], hidden)
    }


def is_nothing(value: Hashable, hidden: frozenset[str]) -> bool:
    """Whether effects lie on those in hiding only: there are none, then."""
    return isinstance(value, Effects) and mentions(value, hidden) and _without(value, hidden) == fields_of(NONE)


def _without(value: Hashable, hidden: frozenset[str]) -> dict[str, Any]:
    return without(type(value), fields_of(value), hidden)


def _seen_value(name: str, value: Hashable, seat: Seat, hidden: frozenset[str]) -> Plain:
    if isinstance(value, Pile):
        return _seen_pile(value, seat)
    whole = write(_without(value, hidden) if mentions(value, hidden) else value)
    return {"kind": type(value).__name__, **seen_fields(name, type(value), whole, seat)}


def seen_fields(name: str, kind: type[Any], fields: dict[str, Plain], seat: Seat) -> dict[str, Plain]:
    """Of some fields of a value of this kind, those a seat may see."""
    declared = audiences(kind)
    return {field: plain for field, plain in fields.items() if seat.sees(declared.get(field, Audience.EVERYONE), name)}


def may_look(pile: Pile, seat: Seat) -> bool:
    """Whether a seat may see which cards are in a pile."""
    return pile.facing is Facing.UP or (pile.facing is Facing.HAND and seat.sees(Audience.OWNER, pile.owner))


def _seen_pile(pile: Pile, seat: Seat) -> Plain:
    shown = {"kind": "Pile", "owner": pile.owner, "facing": pile.facing.value, "count": len(pile)}
    return {**shown, "cards": write(pile.cards)} if may_look(pile, seat) else shown
