"""Who did what: lines by an actor, about a character or by a rule, and who undid what after seeing which dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, final

from referee.core.plain import Plain, frozen
from referee.journal.lines import AnswerLine, Line, LinesRedone, LinesUndone, SeatTaken, StepBegan
from referee.journal.undo import UndoStack


class Undone(NamedTuple):
    """The line that undid something, and who wrote it."""

    line: int
    by: str


@final
@frozen
class Audited:
    """A line of the log, as needed to find out what happened."""

    number: int
    line: Line
    rule: str
    """The rule of the step it belongs to, if it belongs to one."""
    undone: Undone | None = None
    """How it was undone, if it is no longer in force."""
    gone: tuple[int, ...] = ()
    """For an undo: the lines it removed."""
    dice: tuple[Plain, ...] = ()
    """For an undo: the throws and draws in those lines, which could be seen before it."""

    def to_plain(self) -> dict[str, Plain]:
        plain = {"number": self.number, **self.line.to_plain()}
        if self.rule:
            plain["rule"] = self.rule
        if self.undone:
            plain["undone"] = self.undone._asdict()
        if isinstance(self.line, LinesUndone):
            plain |= {"gone": list(self.gone), "dice": list(self.dice)}
        return plain


class AuditPage(NamedTuple):
    """One page of lines, and who has undone how many throws and draws in all."""

    lines: list[Audited]
    undone_throws: dict[str, int]
    """The most first. Those that were redone count as well."""


def audit(
    lines: Iterable[tuple[int, Line]], *, by: str = "", who: str = "", rule: str = "", start: int = 0, most: int = 100
) -> AuditPage:
    """The lines by an actor, about a character, or by a rule or chapter of rules: one page, starting at a line number.

    An undo is about everyone its undone lines are about. The next page starts after the last number of this one.
    """
    story = dict(lines)
    gone = dict[int, Undone]()
    throws = Counter[str]()
    found = list[Audited]()
    for each in _entries(story, gone):
        throws[each.line.by] += len(each.dice)
        if (
            each.number >= start
            and (not by or each.line.by == by)
            and (not who or any(who in _names(story[number]) for number in (each.number, *each.gone)))
            and (not rule or any(_is_of(cited, rule) for cited in _cited(each, story)))
        ):
            found.append(each)
    page = [replace(each, undone=gone.get(each.number)) for each in found[: max(0, most)]]
    return AuditPage(page, {by: count for by, count in throws.most_common() if count})


def _entries(story: dict[int, Line], undone: dict[int, Undone]) -> Iterator[Audited]:
    """Every line; `undone` is filled with the lines that are not in force in the end."""
    undo = UndoStack()
    rules: dict[int | None, str] = {}
    for number, line in story.items():
        moved = undo.add(number, line)
        if isinstance(line, StepBegan):
            rules[line.step] = line.rule
        if isinstance(line, LinesRedone):
            for each in moved:
                undone.pop(each, None)
        if not isinstance(line, LinesUndone):
            yield Audited(number, line, rules.get(line.step, ""))
            continue
        undone |= {each: Undone(number, line.by) for each in moved}
        gone = ((each, story[each]) for each in moved)
        dice = tuple(_throw(each, it) for each, it in gone if isinstance(it, AnswerLine) and it.throw is not None)
        yield Audited(number, line, "", gone=tuple(moved), dice=dice)


def _throw(number: int, line: AnswerLine) -> Plain:
    kept = ("throw", "prompt", "of", "answer", "instead_of", "audience")
    plain = line.to_plain()
    return {"line": number, "by": line.by, **{name: plain[name] for name in kept if name in plain}}


def _names(line: Line) -> set[str]:
    """The characters a line is about."""
    named = {item.about for item in line.then if item.about}
    match line:
        case StepBegan():
            return {*named, *(each for each in line.arguments.values() if isinstance(each, str))}
        case AnswerLine():
            return {*named, str(line.of)}
        case SeatTaken():
            return {*named, *line.seat.controls}
        case _:
            return named


def _cited(entry: Audited, story: dict[int, Line]) -> set[str]:
    """The rules behind a line."""
    lines = [story[number] for number in (entry.number, *entry.gone)]
    begun = (line.rule for line in lines if isinstance(line, StepBegan))
    return {entry.rule, *begun, *(cited for line in lines for item in line.then for cited in item.rules)}


def _is_of(cited: str, rule: str) -> bool:
    """Whether it is this rule, or one in this chapter."""
    return cited == rule or cited.startswith((f"{rule}.", f"{rule}/"))
