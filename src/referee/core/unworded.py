"""What a system has no words for: the story would tell it in plain English made from names of fields.

`referee conform` lists it. A figure that the look draws with a label of its own (a vital, a level of a tile or of what
is rolled) needs no sentence, nor does what the look calls quiet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args, get_origin

from referee.core.audience import Audience
from referee.core.encounter import Encounter
from referee.core.fresh import in_play
from referee.core.plain import hints
from referee.core.value_changes import unset_fields

if TYPE_CHECKING:
    from referee.core.system import System

ENTRIES: Final = ("gained", "lost")


def unworded(system: System) -> tuple[str, ...]:
    """Actions, throws, endings and changes of fields without words, each by the key under which they would stand."""
    return tuple(dict.fromkeys((*_tales(system), *_endings(system), *_changes(system))))


def _tales(system: System) -> Iterator[str]:
    for action in system.actions:
        key = f"tales.{action.key}"
        if key not in system.words and not any(each.startswith(f"{key}.") for each in system.words.texts):
            yield key


def _endings(system: System) -> Iterator[str]:
    for kind in system.kinds:
        ends = (f"endings.{kind.__name__}.",)
        if issubclass(kind, Encounter) and not any(each.startswith(ends) for each in system.words.texts):
            yield f"endings.{kind.__name__}.otherwise"


def _changes(system: System) -> Iterator[str]:
    """Places of a sheet, as keys of words."""
    look = system.look
    vitals = {each.field for each in look.vitals}
    drawn = {look.tiles.field if look.tiles else "", look.rolls.learned if look.rolls else ""}
    drawn |= {each.of for each in look.vitals}
    changing = {*in_play(system), *look.chips, look.items}
    own, stands_for = hints(system.sheet), unset_fields(system.sheet)
    for name, hint in ((each.name, own[each.name]) for each in fields(system.sheet)):
        if name not in drawn and name not in stands_for and (name in changing or not _is_plain(hint)):
            yield from _of_field(system, (name,), hint, drawn=name in vitals, whole=name in changing)


def _is_plain(hint: Any) -> bool:
    """Whether a field is a text, several, or yes or no: what only edits change is told well enough as it is."""
    every = [one for each in _members(hint)[0] for one in ([*get_args(each)] if get_args(each) else [each])]
    return all(each in (str, bool, ...) for each in every)


def _of_field(
    system: System, path: tuple[str, ...], hint: Any, *, drawn: bool = False, whole: bool = True
) -> Iterator[str]:
    """How a field changes for which there are no words; if not the `whole`, then without the fields inside it."""
    if system.look.is_quiet(path):
        return
    kinds, is_optional = _members(hint)
    record = next((each for each in kinds if _is_record(each)), None)
    several = any(get_origin(each) in (tuple, frozenset) for each in kinds)
    has_entries = several or any(isinstance(each, type) and hasattr(each, "but") for each in kinds)
    if record is not None or several:
        yield from _missing(system, path, ENTRIES if several else ("set", "cleared"))
        inner = record or next((one for each in kinds for one in get_args(each) if _is_record(one)), None)
        for name, each in hints(inner).items() if inner is not None and whole else ():
            if name in _changing(inner) and _audience(each) is not Audience.MASTER:
                yield from _of_field(system, (*path, name), each)
    elif has_entries:
        yield from _missing(system, path, (*ENTRIES, "changed"))
    elif bool in kinds:
        yield from _missing(system, path, ("yes", "no"))
    elif not drawn or str in kinds:
        wanted = ("set", "cleared") if is_optional or str in kinds else ("changed",)
        if str not in kinds or not (f"changes.{'.'.join(path)}.changed" in system.words or _becomes(system, path)):
            yield from _missing(system, path, wanted)


def _missing(system: System, path: tuple[str, ...], ends: tuple[str, ...]) -> Iterator[str]:
    keys = (f"changes.{'.'.join(path)}.{end}" for end in ends)
    yield from (each for each in keys if each not in system.words)


def _becomes(system: System, path: tuple[str, ...]) -> bool:
    start = f"changes.{'.'.join(path)}.becomes."
    return any(each.startswith(start) for each in system.words.texts)


def _changing(kind: Any) -> frozenset[str]:
    """The fields of a record that play changes: all of them, unless its class says which; not what it is known by."""
    named = getattr(kind, "in_play", None)
    known_by = {*getattr(kind, "known_by", ()), "name"}
    return frozenset(named if named is not None else (each.name for each in fields(kind) if each.name not in known_by))


def _members(hint: Any) -> tuple[tuple[Any, ...], bool]:
    """The types of a field, without marks; and whether it may be None."""
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    every = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return tuple(each for each in every if each is not NoneType), NoneType in every


def _audience(hint: Any) -> Audience | None:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((each for each in marks if isinstance(each, Audience)), None)


def _is_record(kind: Any) -> bool:
    return (
        isinstance(kind, type) and is_dataclass(kind) and (not hasattr(kind, "to_plain") or hasattr(kind, "known_by"))
    )
