"""Marks on log lines, set when a line is written: which parts of it are not for everyone.

What a seat is told depends on the log alone, so the log says who was hidden when a line was written, and who may know
why an answer was refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from referee.core.audience import Audience
from referee.core.errors import Refused
from referee.core.knowledge import refused_to
from referee.core.plain import Plain
from referee.core.replay import Trail
from referee.core.rules import Call
from referee.core.scene import State
from referee.core.visibility import Seat, mentions
from referee.journal.lines import AnswerLine, Item, Line, SeatTaken, StepBegan, StoryLine


def marked(line: Line, hidden: frozenset[str], answer: object = None) -> Line:
    """A line with its mentions of hidden characters marked; `answer` is the answer itself, not its plain form."""
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


def explained_to(
    why: Refused, of: str | None, call: Call[Any], given: Mapping[str, Plain], state: State, trail: Trail
) -> Audience:
    """Who may be told why a step was refused: those who would get the same refusal from what they know."""
    seats = {Audience.EVERYONE: Seat(""), Audience.OWNER: Seat("", frozenset({of}) if of else frozenset())}
    for audience, seat in seats.items():
        if str(refused_to(call, given, state, trail, seat)) == str(why):
            return audience
    return Audience.MASTER


def _is_about(item: Item, hidden: frozenset[str]) -> bool:
    """Whether an item that followed is only about hidden characters."""
    return mentions([item.about, item.figures if isinstance(item, StoryLine) else None], hidden)


def are_about(arguments: Iterable[object], hidden: frozenset[str]) -> bool:
    """Whether a rule is called for hidden characters: one is an argument, or an argument lists only hidden ones."""
    return any(_is_only_of(each, hidden) for each in arguments)


def _is_only_of(argument: object, hidden: frozenset[str]) -> bool:
    if not isinstance(argument, (list, tuple)):
        return mentions(argument, hidden)
    return bool(argument) and all(mentions(each, hidden) for each in argument)
