"""Seats, and what each may see of a scene. What a seat may not see is left out, never blanked."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, final, get_args, get_origin

from referee.core.audience import Audience, Hidden, audiences
from referee.core.cards import Card, Facing, Pile
from referee.core.effects import NONE, Effects
from referee.core.encounter import Playing
from referee.core.options import absent_fields
from referee.core.plain import Plain, frozen, hints, write
from referee.core.rulebook import BOOK
from referee.core.scene import State, Who


@final
@frozen
class Seat:
    """A place at the table: the characters it plays, and whether it is the game master's."""

    name: str
    controls: frozenset[str] = frozenset()
    master: bool = False

    def sees(self, audience: Audience, owner: str | None = None) -> bool:
        """Whether this seat may see something with this audience and owner."""
        if audience is Audience.PRIVATE:
            return owner in self.controls
        if self.master or audience is Audience.EVERYONE:
            return True
        return audience is Audience.OWNER and owner in self.controls

    def answers_for(self, who: str | None) -> bool:
        """Whether this seat answers for someone (None: for the game master)."""
        return self.master or (who is not None and who in self.controls)


class Exposure(Enum):
    """How much of a sheet is shown to those who do not play it."""

    STATE = "state"
    """A state in words, and nothing else."""
    BARS = "bars"
    """How full its vital signs are, without figures."""
    FIGURES = "figures"
    """Its vital signs and conditions."""
    SHEET = "sheet"


@final
@frozen
class Limit:
    """What others see of someone's sheet: no fields but these."""

    who: str
    level: Exposure
    fields: tuple[str, ...] = ()


@final
@frozen
class Veil:
    """What is hidden in the scene: for everyone but the game master it is not there. Of others only a part is shown."""

    names: Hidden[frozenset[str]] = frozenset()
    limits: Hidden[tuple[Limit, ...]] = ()

    def to_plain(self) -> dict[str, Plain]:
        return {"names": write(self.names), **({"limits": write(self.limits)} if self.limits else {})}


VEIL: Final = Who("veil", Veil)


def limits_in(state: State) -> dict[str, Limit]:
    """Of whom only a part is shown, by name."""
    veil = state.get(VEIL.name)
    return {each.who: each for each in veil.limits} if isinstance(veil, Veil) else {}


def shown_to(seat: Seat, name: str, limits: Mapping[str, Limit]) -> frozenset[str] | None:
    """The fields of someone's sheet that a seat may see at most; None if that is not limited."""
    limit = limits.get(name)
    return None if limit is None or seat.master or name in seat.controls else frozenset(limit.fields)


def hidden_names(state: State) -> frozenset[str]:
    """The hidden names, including those of their piles, and of secret piles."""
    veil = state.get(VEIL.name)
    names = veil.names if isinstance(veil, Veil) else frozenset[str]()
    return names | {name for name, value in state.items() if isinstance(value, Pile) and _is_hidden(value, names)}


def _is_hidden(pile: Pile, names: frozenset[str]) -> bool:
    return pile.owner in names or pile.facing is Facing.MASTER


def visible_scene(state: State, seat: Seat) -> Plain:
    """A scene as one seat may see it, sorted by name, because the order in which things were added may be a secret."""
    hidden = frozenset[str]() if seat.master else hidden_names(state)
    away = frozenset[str]() if seat.master else hidden | {VEIL.name}
    kept = {} if seat.master else counted_cards(state, hidden)
    limits = limits_in(state)
    return {
        name: _but_unshown(
            _seen_value(name, state[name], seat, hidden, state.get(BOOK.name), kept.get(name, ())),
            shown_to(seat, name, limits),
        )
        for name in sorted(state)
        if name not in away and not is_nothing(state[name], hidden)
    }


def _but_unshown(fields: Plain, shown: frozenset[str] | None) -> Plain:
    return fields if shown is None else {name: each for name, each in fields.items() if name in shown or name == "kind"}


def is_nothing(value: Hashable, hidden: frozenset[str]) -> bool:
    """Whether it is only about hidden people or encounters: to others it is not there."""
    if isinstance(value, Playing):
        return not value.encounter or value.encounter in hidden
    return isinstance(value, Effects) and mentions(value, hidden) and _fields_without(value, hidden) == fields_of(NONE)


def _fields_without(value: Hashable, hidden: frozenset[str]) -> dict[str, Any]:
    return without(type(value), fields_of(value), hidden)


def _seen_value(
    name: str, value: Hashable, seat: Seat, hidden: frozenset[str], book: object, kept: tuple[Card, ...] = ()
) -> Plain:
    if isinstance(value, Pile):
        return _seen_pile(value, seat, len(kept))
    value = seen_records(type(value), value, seat, name)
    whole = write(_fields_without(value, hidden) if mentions(value, hidden) else value)
    absent = absent_fields(type(value), book)
    present = {field: plain for field, plain in whole.items() if field not in absent} if absent else whole
    return {"kind": type(value).__name__, **visible_fields(name, type(value), present, seat)}


def visible_fields(name: str, kind: type[Any], fields: dict[str, Plain], seat: Seat) -> dict[str, Plain]:
    """The fields of a value of this kind that a seat may see."""
    declared = audiences(kind)
    return {field: plain for field, plain in fields.items() if seat.sees(declared.get(field, Audience.EVERYONE), name)}


# --- records that state their own audience ----------------------------------------------------------------------------


def seen_records(kind: Any, value: Any, seat: Seat, owner: str) -> Any:
    """A value of this kind without the records in its lists that a seat may not see.

    A record states who may see it in a field `audience: Audience`, and whose it is in a field `who`; without that
    field it belongs to the owner of the value.
    """
    if seat.master or value is None or not holds_records(kind):
        return value
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return seen_records(arguments[0], value, seat, owner)
    if origin in (Union, UnionType):
        fits = (each for each in arguments if isinstance(value, get_origin(each) or each))
        return seen_records(next(fits, Any), value, seat, owner)
    if isinstance(value, Mapping):
        seen = {key: each for key, each in value.items() if _sees_record(each, seat, owner)}
        return type(value)({key: seen_records(arguments[1], each, seat, owner) for key, each in seen.items()})  # type: ignore[call-arg]  # mappings of a sheet are made of a dict
    if isinstance(value, (tuple, frozenset)):
        several = (each for each in value if _sees_record(each, seat, owner))
        return type(value)(seen_records(arguments[0], each, seat, owner) for each in several)
    known = hints(kind)
    held = {each.name: known[each.name] for each in fields(value) if holds_records(known[each.name])}
    return replace(
        value, **{name: seen_records(hint, getattr(value, name), seat, owner) for name, hint in held.items()}
    )


def holds_records(kind: object) -> bool:
    """Whether values of this type may hold a list of records that state their own audience."""
    return _holds_records(kind)


@lru_cache(maxsize=4096)
def _holds_records(kind: Any) -> bool:
    return _holds(kind, frozenset())


def _holds(kind: Any, been: frozenset[Any]) -> bool:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _holds(arguments[0], been)
    if origin in (tuple, frozenset, dict):
        return any(_states_audience(each) or _holds(each, been) for each in arguments)
    if origin in (Union, UnionType):
        return any(_holds(each, been) for each in arguments)
    if not isinstance(kind, type) or not is_dataclass(kind) or kind in been:
        return False
    known = hints(kind)
    return any(_holds(known[each.name], been | {kind}) for each in fields(kind))


def _states_audience(kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType, Annotated):
        return any(map(_states_audience, get_args(kind)))
    return isinstance(kind, type) and is_dataclass(kind) and hints(kind).get("audience") is Audience


def _sees_record(record: Any, seat: Seat, owner: str) -> bool:
    stated = getattr(record, "audience", None) if is_dataclass(record) else None
    return not isinstance(stated, Audience) or seat.sees(stated, str(getattr(record, "who", owner)))


# --- cards ------------------------------------------------------------------------------------------------------------

LOOKS: Final = {
    Facing.UP: Audience.EVERYONE,
    Facing.HAND: Audience.OWNER,
    Facing.PRIVATE: Audience.PRIVATE,
    Facing.MASTER: Audience.MASTER,
}
"""Who may look at the cards of a pile; of one that is face down, no one."""


def may_look(pile: Pile, seat: Seat) -> bool:
    """Whether a seat may see which cards are in a pile."""
    for_whom = LOOKS.get(pile.facing)
    return for_whom is not None and seat.sees(for_whom, pile.owner)


def counted_cards(state: State, hidden: frozenset[str]) -> dict[str, tuple[Card, ...]]:
    """The cards of hidden piles, by the face-down pile to which others count them.

    A card that somebody hidden holds has left a pile they share with others. For those who do not know of them it is
    still there: in the face-down pile of the deck's owner, or else in the first one with cards of that deck.
    """
    away = sorted(card for name in hidden if isinstance(pile := state.get(name), Pile) for card in pile.cards)
    if not away:
        return {}
    down = {
        name: pile
        for name in sorted(state)
        if isinstance(pile := state[name], Pile) and pile.facing is Facing.DOWN and name not in hidden
    }
    found: dict[str, tuple[Card, ...]] = {}
    for card in away:
        owners = (name for name, pile in down.items() if pile.owner == card.deck)
        others = (name for name, pile in down.items() if any(each.deck == card.deck for each in pile.cards))
        if (home := next(chain(owners, others), None)) is not None:
            found[home] = (*found.get(home, ()), card)
    return found


def _seen_pile(pile: Pile, seat: Seat, more: int) -> Plain:
    shown = {"kind": "Pile", "owner": pile.owner, "facing": pile.facing.value, "count": len(pile) + more}
    return {**shown, "cards": write(pile.cards)} if may_look(pile, seat) else shown


def renamed(value: Any, old: str, new: str) -> Any:
    """A value in which one name is replaced by another, wherever it is mentioned."""
    if not mentions(value, {old}):
        return value
    if isinstance(value, str):
        return new
    if isinstance(value, Who):
        return Who(new, value.kind)
    if isinstance(value, Mapping):
        whole = {renamed_in(str(key), old, new): renamed(each, old, new) for key, each in value.items()}
        return type(value)(whole)  # type: ignore[call-arg]  # mappings of a sheet are made of a dict
    if isinstance(value, AbstractSet):
        return frozenset(renamed(each, old, new) for each in value)
    if isinstance(value, (tuple, list)):
        items = [renamed(each, old, new) for each in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return replace(value, **{name: renamed(each, old, new) for name, each in fields_of(value).items()})


def renamed_in(text: str, old: str, new: str) -> str:
    """A text in which one name is replaced by another, wherever it stands as a word."""
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text)


# --- hidden names -----------------------------------------------------------------------------------------------------

_GONE: Final[Any] = object()
Names = AbstractSet[str]


def mentions(value: object, names: Names) -> bool:
    """Whether a value, or plain data, mentions any of these names anywhere; what it keeps for itself does not count."""
    if not names or isinstance(value, str):
        return isinstance(value, str) and value in names
    if isinstance(value, Who):
        return value.name in names
    if isinstance(value, Mapping):
        return any(names_any(str(key), names) or mentions(each, names) for key, each in value.items())
    if isinstance(value, (tuple, list, AbstractSet)):
        return any(mentions(each, names) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        told = (each.name for each in fields(value) if not each.name.startswith("_"))
        return any(mentions(getattr(value, each), names) for each in told)
    return False


def names_any(text: str, names: Names) -> bool:
    """Whether a text is one of these names, or contains one: `al wolf`, `wolf helps`."""
    return text in names or any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def without(kind: Any, given: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """The fields of a value of this kind, without any mention of these names."""
    known = hints(kind)
    left = {name: _without(known.get(name, Any), value, names) for name, value in given.items()}
    return {name: value for name, value in left.items() if value is not _GONE}


def fields_of(value: Hashable) -> dict[str, Any]:
    """The fields of a value of the scene, by name."""
    return {each.name: getattr(value, each.name) for each in fields(value)}  # type: ignore[arg-type]  # a dataclass


def _without(kind: Any, value: Any, names: Names) -> Any:
    if not mentions(value, names):
        return value
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _without(arguments[0], value, names)
    if origin in (Union, UnionType):
        return None if NoneType in arguments and isinstance(value, str) else _within(arguments, value, names)
    if isinstance(value, Mapping):
        left = {
            key: each for key, each in value.items() if not names_any(str(key), names) and not mentions(each, names)
        }
        return type(value)(left)  # type: ignore[call-arg]  # mappings of a sheet are made of a dict
    if isinstance(value, AbstractSet):
        return frozenset(each for each in value if not mentions(each, names))
    if isinstance(value, tuple) and arguments[1:] == (...,):
        return tuple(_kept(_without(arguments[0], each, names) for each in value))
    return _GONE


def _within(kinds: Iterable[Any], value: Any, names: Names) -> Any:
    """What remains of a value that may be one of several kinds."""
    fits = (each for each in kinds if isinstance(value, get_origin(each) or each))
    return _without(next(fits, Any), value, names)


def _kept(values: Iterable[Any]) -> Iterable[Any]:
    return (each for each in values if each is not _GONE)
