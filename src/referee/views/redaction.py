"""What followed from a line of the log, as far as a seat that is not the game master's may know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from referee.core.audience import Audience
from referee.core.cards import Facing, Pile
from referee.core.clock import CLOCK
from referee.core.effects import EFFECTS, Effects
from referee.core.plain import Plain, hints, read, write
from referee.core.system import System
from referee.core.visibility import VEIL, Seat, may_look, mentions, seen_fields, without
from referee.journal.lines import Item
from referee.journal.marks import VEILED

SHARED: Final = frozenset({CLOCK.name, EFFECTS.name})
"""What is kept in one place for all: that it is there, and what it was before, could tell of those in hiding."""
NO_EFFECTS: Final[dict[str, Plain]] = write(Effects())


def redacted(system: System, item: Item, seat: Seat, veils: frozenset[str], *, hidden: bool) -> Item | None:
    """A change or a line of the story; `hidden` is what it followed from."""
    if VEILED in item or VEIL.name in (item.get("who"), item.get("gone")):
        return None
    if "hid" in item:
        return {"gone": item["hid"], "rules": item["rules"]}
    if "told" in item:
        return item if seat.sees(Audience(item["audience"]), item["who"]) else None
    if "set" not in item and "new" not in item:
        return None if mentions(item.get("ended"), veils) else item
    kind = system.kind(item.get("kind") or item["new"]["kind"])
    if kind is Pile:
        return _shown_pile(item, seat)
    if hidden and item["who"] == CLOCK.name:
        return None  # that time stops on its way, for something nobody knows of
    return _shown_change(kind, item, seat, veils)


def _shown_change(kind: type[Any], item: Item, seat: Seat, veils: frozenset[str]) -> Item | None:
    """Of a value that changed, or is new, the fields a seat may see."""
    who = item["who"]
    parts = {
        part: _left(kind, seen_fields(who, kind, dict(item[part]), seat), veils)
        for part in ("set", "was", "new")
        if part in item
    }
    if "set" in parts:
        parts["set"] = {name: value for name, value in parts["set"].items() if parts["was"].get(name, item) != value}
        parts["was"] = {name: value for name, value in parts["was"].items() if name in parts["set"]}
    if who in SHARED:
        parts = {"set": _beyond_nothing(parts["new"]) if "new" in parts else parts["set"]}
        item = {"who": who, "kind": kind.__name__, "set": {}, "rules": item["rules"]}
    return {**item, **parts} if any(parts.values()) else None


def _left(kind: type[Any], fields: dict[str, Plain], veils: frozenset[str]) -> dict[str, Plain]:
    """Plain fields of a value, without any mention of those in hiding."""
    if not mentions(fields, veils):
        return fields
    known = hints(kind)
    typed = {name: read(known[name], value, name) if name in known else value for name, value in fields.items()}
    left: dict[str, Plain] = write(without(kind, typed, veils))
    return left


def _beyond_nothing(fields: Mapping[str, Plain]) -> dict[str, Plain]:
    """Of effects that are the first to be laid, what there is."""
    return {name: value for name, value in fields.items() if name != "kind" and value != NO_EFFECTS.get(name)}


def _shown_pile(item: Item, seat: Seat) -> Item | None:
    """The cards of a pile are told to who may look at it; those it had before, to who might look then."""
    fields = item.get("set") or item["new"]
    now = {name: item.get(name) or fields.get(name) or "" for name in ("facing", "owner")}
    if not may_look(Pile(facing=Facing(now["facing"]), owner=now["owner"]), seat):
        return None
    was = {**now, **item.get("was", {})}
    if may_look(Pile(facing=Facing(was["facing"]), owner=was["owner"]), seat):
        return item
    return {name: value for name, value in item.items() if name != "was"}
