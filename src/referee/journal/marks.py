"""Marks on lines of the log, made when they are filed: what of them is not for everybody's eyes.

What a seat is told follows from the log alone (`telling`), so the log says who was in hiding when a line was filed, and
how far a refusal can be explained without telling what somebody does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from referee.core.audience import Audience
from referee.core.errors import Refused
from referee.core.knowledge import refused_to
from referee.core.plain import Plain
from referee.core.replay import Trail
from referee.core.rules import Call
from referee.core.scene import State
from referee.core.visibility import Seat, mentions
from referee.journal.lines import Item, Line

VEILED: Final = "veiled"
"""A line or an item that is not there for who may not see those in hiding."""
VEILS: Final = "veils"
"""Names in hiding that the rest of a line mentions."""


def marked(line: Line, hidden: frozenset[str], answer: object = None) -> Line:
    """A line with what it says of those in hiding marked; `answer` is what was answered, with its meaning."""
    if not hidden:
        return line
    then = tuple({**item, VEILED: True} if _is_about(item, hidden) else item for item in line.then)
    what = dict(line.what)
    arguments = what.get("arguments", {})
    if mentions([what.get("of"), answer], hidden) or are_about(arguments.values(), hidden):
        what[VEILED] = True
    rest = [arguments, what.get("seat"), what.get("with"), *(item for item in then if VEILED not in item)]
    if named := [name for name in sorted(hidden) if mentions(rest, {name})]:
        what[VEILS] = named
    return replace(line, then=then, what=what)


def bare(then: Sequence[Item]) -> list[Item]:
    """What followed, without marks."""
    return [{name: value for name, value in item.items() if name != VEILED} for item in then]


def explained_to(
    why: Refused, of: str | None, call: Call[Any], given: Mapping[str, Plain], state: State, trail: Trail
) -> Audience:
    """Who may be told why a step was refused: who would refuse it too, and in the same words, by what they know."""
    seats = {Audience.EVERYONE: Seat(""), Audience.OWNER: Seat("", frozenset({of}) if of else frozenset())}
    for audience, seat in seats.items():
        if str(refused_to(call, given, state, trail, seat)) == str(why):
            return audience
    return Audience.MASTER


def _is_about(item: Item, hidden: frozenset[str]) -> bool:
    """Whether something that followed concerns only those in hiding."""
    about = [item.get("who"), item.get("gone"), item.get("figures")]
    return mentions(about, hidden)


def are_about(arguments: Iterable[object], hidden: frozenset[str]) -> bool:
    """Whether a rule is called for those in hiding: one is named, or of several nobody else is."""
    return any(_is_only_of(each, hidden) for each in arguments)


def _is_only_of(argument: object, hidden: frozenset[str]) -> bool:
    if not isinstance(argument, (list, tuple)):
        return mentions(argument, hidden)
    return bool(argument) and all(mentions(each, hidden) for each in argument)
