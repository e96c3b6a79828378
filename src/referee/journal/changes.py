"""Changes between scenes as the log stores them, and the fold that rebuilds a scene from them without running rules."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from referee.core.cards import Pile
from referee.core.errors import BadInput
from referee.core.plain import Plain, hints, read, same, unknown, write
from referee.core.run import Changed, Event, Run
from referee.core.scene import State
from referee.core.system import System
from referee.core.value_changes import ValueChange, value_changes
from referee.journal.lines import Line
from referee.journal.log_items import FieldsChanged, LogItem, StepEnded, StoryLine, ValueAdded, ValueRemoved


def fold(system: System, state: State, lines: Iterable[Line]) -> State:
    """The scene after some lines."""
    for line in lines:
        for item in line.then:
            state = after(system, state, item)
    return state


def after(system: System, state: State, item: LogItem) -> State:
    """The scene after one item that followed."""
    match item:
        case FieldsChanged():
            return state.but(item.who, patched(state[item.who], item.set, item.who))
        case ValueAdded():
            return state.but(item.who, system.value(item.new, item.who))
        case ValueRemoved():
            return state.but(item.gone, None)
        case _:
            return state


def patched(value: Hashable | None, changes: Mapping[str, Plain], where: str = "") -> Hashable:
    """A value with some fields changed, from plain data."""
    known = hints(type(value))
    for name in changes:
        if name not in known:
            raise BadInput(f"{where}.{name}", unknown(name, known))
    whole: Any = value
    after: Hashable = replace(whole, **{name: read(known[name], v, f"{where}.{name}") for name, v in changes.items()})
    return after


def difference(
    name: str, before: Hashable | None, after: Hashable | None, rules: tuple[str, ...]
) -> tuple[LogItem, ...]:
    """One change as the log stores it: the fields that changed, their old values, and the rules behind it."""
    if same(before, after):
        return ()
    if after is None:
        return (ValueRemoved(name, rules=rules),)
    if type(before) is not type(after) or not is_dataclass(after):
        return (ValueAdded({"kind": type(after).__name__, **write(after)}, name, rules=rules),)
    changed = [f.name for f in fields(after) if not same(getattr(before, f.name), getattr(after, f.name))]
    was, now = ({each: write(getattr(value, each)) for each in changed} for value in (before, after))
    found = FieldsChanged(now, name, type(after).__name__, was, rules=rules)
    pile: object = after
    return (replace(found, facing=pile.facing.value, owner=pile.owner) if isinstance(pile, Pile) else found,)


def differences(before: State, after: State, rules: tuple[str, ...]) -> tuple[LogItem, ...]:
    """All changes from one scene to another."""
    return tuple(
        item for name in {**before, **after} for item in difference(name, before.get(name), after.get(name), rules)
    )


def followed(events: Iterable[Event], run: Run[Any]) -> tuple[LogItem, ...]:
    """What a run did, as the log stores it."""
    then: list[LogItem] = []
    for event in events:
        if isinstance(event, Changed):
            then += difference(event.who, event.before, event.after, event.rules)
        else:
            line = event.line
            who = line.who.name if line.who else None
            then.append(StoryLine(line.key, write(dict(line.figures)), who, line.audience, rules=event.rules))
    if run.done:
        then.append(StepEnded(write(run.result)))
    return tuple(then)


def told(system: System, item: FieldsChanged) -> tuple[ValueChange, ...]:
    """What changed inside a value, as people are told it. A kind that the system no longer has is read by its data."""
    try:
        kind = system.kind(item.kind)
    except BadInput:
        kind = None
    return tuple(value_changes(kind, item.was, item.set, item.unset))
