"""The parts of a log line that one seat may know: what followed, how throws were made, arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from referee.core.cards import Facing, Pile
from referee.core.clock import CLOCK
from referee.core.effects import EFFECTS, Effects
from referee.core.encounter import PLAYING
from referee.core.errors import RefereeError
from referee.core.knowledge import hidden_arguments
from referee.core.plain import Plain, hints, read, write
from referee.core.rules import rule_named
from referee.core.system import System
from referee.core.visibility import VEIL, Seat, holds_records, may_look, mentions, seen_records, visible_fields, without
from referee.journal.changes import told
from referee.journal.lines import StepBegan
from referee.journal.log_items import (
    FieldsChanged,
    LogItem,
    StepEnded,
    StoryLine,
    ThrowDetails,
    ThrownMod,
    ValueAdded,
    ValueRemoved,
    WentIntoHiding,
)

SHARED: Final = frozenset({CLOCK.name, EFFECTS.name, PLAYING.name})
"""Values shared by all characters: that one exists, and what it was before, could reveal hidden characters."""
RECORDS: Final = frozenset({"deadlines", "pending", "lasting"})
"""Their lists of records. Each record is about someone; what is left without hidden characters may be told."""
NO_EFFECTS: Final[dict[str, Plain]] = write(Effects())


# --- what followed ----------------------------------------------------------------------------------------------------


def redacted(system: System, item: LogItem, seat: Seat, names: frozenset[str], *, hidden: bool) -> LogItem | None:
    """An item that followed, for a seat that is not the game master's; None if the seat is told nothing about it.

    `names` are the hidden ones; `hidden` says whether the cause of the item is hidden from the seat.
    """
    if item.hidden or item.about == VEIL.name:
        return None
    match item:
        case WentIntoHiding():
            return ValueRemoved(item.hid, rules=item.rules)
        case StoryLine():
            return item if seat.sees(item.audience, item.who) else None
        case StepEnded():
            return None if mentions(item.ended, names) else item
        case FieldsChanged() | ValueAdded():
            return _redacted_change(system, item, seat, names, hidden=hidden)
        case _:
            return item


def for_master(item: LogItem, seat: Seat) -> LogItem | None:
    """An item that followed, for the game master: everything but what is private, and the cards in unseen piles."""
    match item:
        case StoryLine():
            return item if seat.sees(item.audience, item.who) else None
        case ValueAdded() if item.new.get("kind") == Pile.__name__:
            shown = item.new if _may_look(item.new, seat) else _but_cards(item.new)
            return replace(item, new=shown)
        case FieldsChanged() if item.kind == Pile.__name__:
            told = _redacted_pile(item, seat)
            return told or replace(item, set=_but_cards(item.set), was=_but_cards(item.was or {}))
        case _:
            return item


def _but_cards(pile: Mapping[str, Plain]) -> dict[str, Plain]:
    return {name: value for name, value in pile.items() if name != "cards"}


def _redacted_change(
    system: System, item: FieldsChanged | ValueAdded, seat: Seat, names: frozenset[str], *, hidden: bool
) -> LogItem | None:
    """The fields of a changed or new value that a seat may see."""
    kind = system.kind(item.new["kind"] if isinstance(item, ValueAdded) else item.kind)
    if kind is Pile:
        return _redacted_pile(item, seat)
    if hidden and item.who == PLAYING.name:
        return None  # something no one knows about has ended

    def shown(fields: Mapping[str, Plain]) -> dict[str, Plain]:
        seen = _seen_records(kind, visible_fields(item.who, kind, dict(fields), seat), seat, item.who)
        if item.shown is not None and item.who not in seat.controls:
            seen = {name: value for name, value in seen.items() if name in item.shown or name == "kind"}
        return _left(kind, seen, names)

    if isinstance(item, ValueAdded):
        new = shown(item.new)
        if item.who not in SHARED:
            return replace(item, new=new) if new else None
        laid = _beyond_nothing(new)
        return _shared_change(laid, NO_EFFECTS, item, kind) if laid else None
    is_, was = shown(item.set), shown(item.was or {})
    is_ = {name: value for name, value in is_.items() if name not in was or was[name] != value}
    if hidden and item.who == CLOCK.name:
        is_.pop("now", None)  # time stopping midway, for something no one knows about
    if not is_:
        return None
    if item.who in SHARED:
        return _shared_change(is_, was, item, kind)
    was = {name: value for name, value in was.items() if name in is_}
    unset = {name: value for name, value in (item.unset or {}).items() if name in is_}
    return replace(item, set=is_, was=was, unset=unset or None)


def _shared_change(
    now: Mapping[str, Plain], was: Mapping[str, Plain], item: FieldsChanged | ValueAdded, kind: type[Any]
) -> FieldsChanged:
    before = {name: was[name] for name in now if name in RECORDS and name in was}
    return FieldsChanged(now, item.who, kind.__name__, before or None, rules=item.rules)


def told_changes(system: System, item: FieldsChanged, seat: Seat) -> list[Plain]:
    """What changed inside a value, as far as a seat may know it; the item is already redacted for that seat."""
    return [each.to_plain() for each in told(system, item) if seat.sees(each.audience, each.owner or item.who)]


def _seen_records(kind: type[Any], fields: dict[str, Plain], seat: Seat, owner: str) -> dict[str, Plain]:
    """Plain fields of a value, without the records in their lists that a seat may not see."""
    if not holds_records(kind):
        return fields
    held = {name: hint for name, hint in hints(kind).items() if name in fields and holds_records(hint)}
    seen = {name: seen_records(hint, read(hint, fields[name], name), seat, owner) for name, hint in held.items()}
    return {**fields, **{name: write(value) for name, value in seen.items()}}


def _left(kind: type[Any], fields: dict[str, Plain], names: frozenset[str]) -> dict[str, Plain]:
    """Plain fields of a value, without any mention of hidden characters."""
    if not mentions(fields, names):
        return fields
    known = hints(kind)
    typed = {name: read(known[name], value, name) if name in known else value for name, value in fields.items()}
    left: dict[str, Plain] = write(without(kind, typed, names))
    return left


def _beyond_nothing(fields: Mapping[str, Plain]) -> dict[str, Plain]:
    """The fields of the first effects in the scene that are not empty."""
    return {name: value for name, value in fields.items() if name != "kind" and value != NO_EFFECTS.get(name)}


def _redacted_pile(item: FieldsChanged | ValueAdded, seat: Seat) -> LogItem | None:
    """A pile's cards are told to those who may look at it, its earlier cards to those who could look then."""
    if isinstance(item, ValueAdded):
        return item if _may_look(item.new, seat) else None
    now = {**item.set, "facing": item.facing or item.set.get("facing"), "owner": item.owner or item.set.get("owner")}
    if not _may_look(now, seat):
        return None
    return item if _may_look({**now, **(item.was or {})}, seat) else replace(item, was=None)


def _may_look(pile: Mapping[str, Plain], seat: Seat) -> bool:
    return may_look(Pile(facing=Facing(pile.get("facing") or ""), owner=pile.get("owner") or ""), seat)


# --- what came from outside -------------------------------------------------------------------------------------------


def redacted_arguments(line: StepBegan, seat: Seat) -> Mapping[str, Plain]:
    """The arguments of a step, without hidden characters and without any `Own[…]` or `Hidden[…]` not for this seat."""
    if seat.master:
        return line.arguments
    try:
        hidden = hidden_arguments(rule_named(line.rule), seat, line.arguments)
    except RefereeError:  # a rule of another version: what a seat may see of it is unknown
        return {}
    names = frozenset(line.hidden_names)
    return {name: _but(value, names) for name, value in line.arguments.items() if name not in hidden}


def _but(argument: Plain, names: frozenset[str]) -> Plain:
    """An argument; hidden characters are left out of a list of several."""
    several = isinstance(argument, list) and names
    return [each for each in argument if not mentions(each, names)] if several else argument


def redacted_mods(mods: Iterable[ThrownMod], seat: Seat) -> tuple[ThrownMod, ...]:
    """Modifiers as far as a seat may know them."""
    return tuple(mod for mod in mods if seat.master or not (mod.secret or mod.hidden))


def redacted_roll(roll: ThrowDetails, seat: Seat, *, kept: bool) -> ThrowDetails:
    """How a throw was made, for a seat that is told its result; `kept` says whether it also saw the dice before it."""
    roll = replace(roll, mods=redacted_mods(roll.mods, seat))
    if kept:
        return roll
    thrown = [die for die, places in zip(roll.dice, roll.places, strict=True) if () in places] if roll.places else ()
    dice = roll.dice[: roll.dice.index(thrown[-1]) + 1] if thrown else roll.dice
    return replace(roll, dice=dice, kept=None, places=())
