"""Marks on log lines, set when a line is written: which parts of it are not for everyone.

What a seat is told depends on the log alone, so the log says who was hidden when a line was written, and who may know
why an answer was refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from referee.core.audience import Audience, audiences
from referee.core.errors import RefereeError, Refused
from referee.core.knowledge import known_to, refused_to
from referee.core.plain import Plain, write
from referee.core.replay import Trail
from referee.core.rules import FORMULAS, Call
from referee.core.scene import Scene, State, Who
from referee.core.value_changes import unset_fields
from referee.core.visibility import Limit, Seat, mentions
from referee.journal.lines import AnswerLine, Line, SeatTaken, StepBegan
from referee.journal.log_items import FieldsChanged, LogItem, StoryLine, ValueAdded


def marked(
    line: Line, hidden: frozenset[str], answer: object = None, limits: Mapping[str, Limit] = MappingProxyType({})
) -> Line:
    """A line with its mentions of hidden characters marked, and what may be shown of those whose sheets are limited.

    `answer` is the answer itself, not its plain form.
    """
    line = _limited(line, limits) if limits else line
    if not hidden:
        return line
    then = tuple(replace(item, hidden=True) if _is_about(item, hidden) else item for item in line.then)
    rest: list[object] = [item for item in then if not item.hidden]
    is_hidden = line.hidden
    match line:
        case StepBegan():
            is_hidden |= are_about(line.arguments.values(), hidden)
            rest.append(line.arguments)
        case AnswerLine():
            is_hidden |= mentions([line.of, answer], hidden)
            rest.append(line.with_)
        case SeatTaken():
            rest.append(line.seat)
        case _:
            pass
    named = tuple(name for name in sorted(hidden) if mentions(rest, {name}))
    return replace(line, then=then, hidden=is_hidden, hidden_names=named)


def _limited(line: Line, limits: Mapping[str, Limit]) -> Line:
    then = tuple(
        replace(item, shown=limits[item.who].fields)
        if isinstance(item, (FieldsChanged, ValueAdded)) and item.who in limits
        else item
        for item in line.then
    )
    return replace(line, then=then)


def with_unset(line: Line, state: State) -> Line:
    """A line that says what fields that are or were None stand for; `state` is the scene after it."""
    then = tuple(_meaning(item, state) if isinstance(item, FieldsChanged) else item for item in line.then)
    return line if then == line.then else replace(line, then=then)


def _meaning(item: FieldsChanged, state: State) -> FieldsChanged:
    value: Any = state.get(item.who)
    found: dict[str, Plain] = {}
    for name, formula in unset_fields(type(value)).items():
        if name not in item.set or (item.set[name] is not None and (item.was or {}).get(name, "") is not None):
            continue
        if item.shown is not None and name not in item.shown:
            continue
        seat = _least(audiences(type(value))[name], item)
        try:
            scene = Scene(known_to(state.but(item.who, replace(value, **{name: None})), seat))
            found[name] = write(FORMULAS[formula](scene, Who(item.who, type(value))))
        except RefereeError:  # it depends on something that those who see the field may not know
            continue
    return replace(item, unset=found) if found else item


def _least(audience: Audience, item: FieldsChanged) -> Seat:
    """A seat that knows the least of those who are told about a field."""
    is_masters = item.hidden or audience is Audience.MASTER
    return Seat("", frozenset({item.who}) if audience is Audience.OWNER else frozenset(), master=is_masters)


def explained_to(
    why: Refused, of: str | None, call: Call[Any], given: Mapping[str, Plain], state: State, trail: Trail
) -> Audience:
    """Who may be told why a step was refused: those who would get the same refusal from what they know."""
    seats = {Audience.EVERYONE: Seat(""), Audience.OWNER: Seat("", frozenset({of}) if of else frozenset())}
    for audience, seat in seats.items():
        if str(refused_to(call, given, state, trail, seat)) == str(why):
            return audience
    return Audience.MASTER


def _is_about(item: LogItem, hidden: frozenset[str]) -> bool:
    """Whether an item that followed is only about hidden characters."""
    return mentions([item.about, item.figures if isinstance(item, StoryLine) else None], hidden)


def are_about(arguments: Iterable[object], hidden: frozenset[str]) -> bool:
    """Whether a rule is called for hidden characters: one is an argument, or an argument lists only hidden ones."""
    return any(_is_only_of(each, hidden) for each in arguments)


def _is_only_of(argument: object, hidden: frozenset[str]) -> bool:
    if not isinstance(argument, (list, tuple)):
        return mentions(argument, hidden)
    return bool(argument) and all(mentions(each, hidden) for each in argument)
