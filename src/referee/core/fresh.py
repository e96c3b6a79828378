"""Somebody as they were made: a sheet without what play has done to it.

What play changes follows from the system's look: conditions, countdowns, points that are spent, vitals below their
maximum, wear and rounds of items. A class names the rest: `in_play: ClassVar = ("busy", "holds")` for fields that begin
with their default, `filled_by: ClassVar = {"loaded": "magazine"}` for those that begin with another field's value.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from referee.core.value_changes import unset_fields

if TYPE_CHECKING:
    from referee.core.look import ItemLook, Look
    from referee.core.system import System

T = TypeVar("T", bound=Hashable)

SPENT: Final = ("bar", "squares", "rounds", "gems")
"""How vitals are drawn whose points are lost or spent."""


def fresh(system: System, value: T) -> T:
    """Somebody or something as it was made: unhurt, with no condition, with all its points and nothing under way."""
    look = system.look
    is_sheet = isinstance(value, system.sheet)
    begins = _defaults(value, _of_look(look, type(value)) if is_sheet else ())
    full = {each.field: each.of for each in look.vitals if each.field and each.of} if is_sheet else {}
    begins |= {name: getattr(value, of) for name, of in full.items()}
    carried = look.items if is_sheet else ""
    for each in fields(value) if is_dataclass(value) else ():
        if each.name not in begins and isinstance(held := getattr(value, each.name), tuple):
            item = look.item if each.name == carried else None
            begins[each.name] = tuple(_fresh_part(part, item) for part in held)
    found: T = _with(value, begins)
    return found


def in_play(system: System) -> frozenset[str]:
    """The fields of a sheet that play changes: what is fresh about somebody."""
    named = (*_of_look(system.look, system.sheet), *getattr(system.sheet, "in_play", ()))
    return frozenset((*named, *(each.field for each in system.look.vitals if each.field and each.of)))


def _of_look(look: Look, kind: type[Any]) -> tuple[str, ...]:
    """The fields of a sheet that begin with their defaults, as far as the look says so."""
    unset = unset_fields(kind)
    spent = (each.field for each in look.vitals if each.field in unset and each.drawn in SPENT and not each.of)
    clocks = (each.field for each in look.clocks)
    return tuple(
        filter(None, (*look.chips, *(each for each in look.quiet if "." not in each), *clocks, look.out, *spent))
    )


def _fresh_part(part: Any, item: ItemLook | None) -> Any:
    """A record of a sheet as it was made: an item whole and loaded."""
    if not is_dataclass(part) or isinstance(part, type):
        return part
    begins = _defaults(part, ())
    for count in (item.wear, item.rounds) if item else ():
        if count is not None and (count.of or count.most):
            begins[count.field] = getattr(part, count.of) if count.of else count.most
    whole: Any = part
    return _with(whole, begins)


def _defaults(value: object, names: tuple[str, ...]) -> dict[str, Any]:
    """These fields, and those its class names, as they begin."""
    kind: Any = type(value)
    wanted = {*names, *getattr(kind, "in_play", ())}
    found = {each.name: default_of(each) for each in fields(kind) if each.name in wanted} if is_dataclass(kind) else {}
    filled: Mapping[str, str] = getattr(kind, "filled_by", {})
    return found | {name: getattr(value, of) for name, of in filled.items() if getattr(value, of)}


def default_of(field: Any) -> Any:
    """What a field begins with; nothing for one that must be said."""
    if field.default is field.default_factory:
        return None
    return field.default if field.default is not MISSING else field.default_factory()


def _with(value: Any, begins: Mapping[str, Any]) -> Any:
    changes = {name: each for name, each in begins.items() if getattr(value, name) != each}
    return replace(value, **changes) if changes else value
