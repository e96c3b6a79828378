"""What one seat is told about a log: a stream of items that only ever grows.

It depends on the log alone, so it is the same after a restart. Each seat counts its own items, so gaps in the numbers
reveal nothing. Each thing that followed in a step is a separate item (`happened`): how much followed from which answer
could reveal that someone hidden has answered too. What follows from a step that the seat was never told of is `unseen`:
it is no consequence of what the seat was told before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, final

from referee.core.plain import Plain
from referee.core.system import System
from referee.core.visibility import Seat
from referee.journal.json_fields import to_plain
from referee.journal.lines import (
    AnswerGiven,
    AnswerLine,
    Aside,
    DraftBegan,
    Line,
    LinesRedone,
    LinesUndone,
    SceneEdited,
    SeatTaken,
    StepBegan,
    StepCancelled,
    ThrowHeld,
    UndoAsked,
)
from referee.journal.log_items import FieldsChanged, JointAnswer, LogItem, StepEnded, StepRefused, ValueAdded
from referee.journal.undo import UndoStack
from referee.views.redaction import for_master, redacted, redacted_arguments, redacted_roll, told_changes

UNEXPLAINED: Final = StepRefused("", rules=())
"""A refusal whose reason a seat may not know."""


@final
class Feed:
    """The stream of items for one seat."""

    def __init__(self, system: System, cursor: int = 0) -> None:
        self.system = system
        self.before = cursor
        """How many items came before those in memory here."""
        self.items: list[dict[str, Plain]] = []
        self.places: list[int] = []
        """The line behind each item."""
        self._causes: list[int] = []
        """For each item, the line it follows from, among those the seat was told about."""
        self._last: dict[int | None, int] = {}
        """The latest line of each step that the seat was told about."""
        self._told: Counter[int | None] = Counter()
        self._undo = UndoStack()
        self._first: dict[int, int] = {}
        """The first item of each line that the seat was told about and that can be undone."""
        self._seen_steps: set[int | None] = set()
        self._unseen_steps: set[int | None] = set()
        """Steps whose beginning was hidden."""
        self._hidden_steps: set[int | None] = set()
        """Steps in which something was hidden."""
        self._blind_steps: set[int | None] = set()
        """Steps in which an answer was hidden, and with it perhaps dice that are kept for another throw."""

    @property
    def cursor(self) -> int:
        """How many items the seat has been told so far."""
        return self.before + len(self.items)

    @property
    def went_back(self) -> bool:
        """Whether something the seat was told about has been undone, and nothing has happened since."""
        return any(number in self._first for gone in self._undo.undone for number in gone)

    def told_of(self, step: int) -> int:
        """How many items of a step the seat has been told, undone ones included."""
        return self._told[step]

    def since(self, cursor: int) -> list[dict[str, Plain]]:
        """The items from a cursor on."""
        return self.items[max(0, cursor - self.before) :]

    def item_of(self, line: int) -> int | None:
        """The first item of a line, by the seat's own count; None if the seat was not told about it."""
        return self._first.get(line)

    def line_of(self, item: int) -> int | None:
        """The line behind an item, by the seat's own count; for what followed, the last line the seat was told."""
        at = item - self.before
        return self._causes[at] if 0 <= at < len(self._causes) else None

    def add(self, number: int, line: Line, seat: Seat) -> None:
        """Add a line of the log: for this seat it may be one item, several, or none."""
        moved = [each for each in self._undo.add(number, line) if each in self._first]
        match line:
            case LinesUndone():  # names the first item that is gone; a seat that saw none of it is told nothing
                if moved:
                    kept = [self._first[each] for each in line.but if each in self._first]
                    but = {"but": kept} if kept else {}
                    self._tell(number, {"kind": line.kind, "by": line.by, "to": self._first[moved[0]], **but})
            case LinesRedone():
                if moved:
                    self._tell(number, {"kind": line.kind, "by": line.by, "from": self._first[moved[0]]})
            case UndoAsked():  # names the item of the seat's own count
                if _hears(line, seat):
                    asked = None if line.line is None else self._first.get(line.line)
                    told = {"about": line.about, "seat": line.seat, "item": asked}
                    self._tell(number, {"kind": line.kind, "by": line.by, **told})
            case Aside():
                if _hears(line, seat):
                    self._tell(number, {"kind": line.kind, "by": line.by, **_said(line, seat)})
            case _:
                for item in self._line(number, line, seat):
                    self._first.setdefault(number, self.cursor)
                    self._told[line.step] += 1
                    self._tell(number, item, self._last.get(line.step, number))

    def _tell(self, number: int, item: dict[str, Plain], cause: int | None = None) -> None:
        self.items.append({"id": self.cursor, **item})
        self.places.append(number)
        self._causes.append(number if cause is None else cause)

    def _line(self, number: int, line: Line, seat: Seat) -> Iterator[dict[str, Plain]]:
        """A line as far as a seat may know it. If part of a step was hidden, its result could reveal that part."""
        hidden = self._hides(line, seat)
        if hidden and isinstance(line, StepBegan):
            self._unseen_steps.add(line.step)
        if line.step in self._unseen_steps or not _sees(line, seat) or _keeps_secret(line, seat):
            self._hidden_steps.add(line.step)
        if line.step in self._unseen_steps or (not _sees(line, seat) and not line.hidden):
            self._blind_steps.add(line.step)
        followed = list(self._followed(line, seat, hidden=hidden))
        kept = seat.master or line.step not in self._blind_steps
        if hidden or (isinstance(line, StepCancelled) and line.step not in self._seen_steps):
            joint = _joint_answers(line, seat, kept=kept)
            unseen = {"unseen": True} if line.step in self._unseen_steps and not seat.master else {}
            yield from _happened([{"with": joint, "then": []}] if joint else [])
            yield from _happened({**each, **unseen} for each in followed)
        elif followed or not isinstance(line, SceneEdited):
            self._seen_steps.add(line.step)
            if line.step is not None:
                self._last[line.step] = number
            goes_on = isinstance(line, (StepBegan, AnswerGiven))  # until it asks again, perhaps someone else
            together = [] if goes_on else [item for each in followed for item in each["then"]]
            yield {"kind": line.kind, "by": line.by, **_what(line, seat, kept=kept), "then": together}
            yield from _happened(followed if goes_on else ())

    def _hides(self, line: Line, seat: Seat) -> bool:
        """Whether what came from outside is hidden from a seat; what follows from it may still be visible."""
        if seat.master:
            return not _sees(line, seat)
        if line.hidden or isinstance(line, ThrowHeld) or not _sees(line, seat):
            return True
        if not isinstance(line, AnswerGiven):
            return False
        return (line.left > 0 or line.step in self._unseen_steps) and not seat.answers_for(line.of)

    def _followed(self, line: Line, seat: Seat, *, hidden: bool) -> Iterator[dict[str, Plain]]:
        """What followed from a line, one item at a time and in order, as far as a seat may know it."""
        results = self._sub_results(line, seat)
        for at, item in enumerate(line.then):
            yield from ({"then": [], "sub_results": [each]} for after, each in results if after == at)
            shown = self._shown(item, line, seat, hidden=hidden)
            if shown is not None:
                yield {"then": [self._plain(shown, seat)], **_result_kind(shown, line)}
        yield from ({"then": [], "sub_results": [each]} for after, each in results if after == len(line.then))

    def _plain(self, item: LogItem, seat: Seat) -> Plain:
        """An item that followed, as it is sent: changed fields with what changed inside them."""
        if isinstance(item, ValueAdded):
            return replace(item, shown=None).to_plain()
        if not isinstance(item, FieldsChanged):
            return item.to_plain()
        plain = replace(item, was=None, unset=None, shown=None).to_plain()
        return {**plain, "changes": told_changes(self.system, item, seat)}

    def _sub_results(self, line: Line, seat: Seat) -> list[tuple[int, Plain]]:
        """The results of rules, as far as a seat may know them, each with the number of items that come before it."""
        if not isinstance(line, (StepBegan, AnswerGiven)) or not self._tells_results(line, seat):
            return []
        known = (each for each in line.sub_results if seat.master or not each.hidden)
        return [(each.after, {name: v for name, v in to_plain(each).items() if name != "after"}) for each in known]

    def _shown(self, item: LogItem, line: Line, seat: Seat, *, hidden: bool) -> LogItem | None:
        """An item that followed, as far as a seat may know it."""
        if not self._tells_results(line, seat) and isinstance(item, (StepEnded, StepRefused)):
            return None
        if seat.master:
            told = for_master(item, seat)
            return None if isinstance(told, FieldsChanged) and not told.set and line.step is not None else told
        explained = UNEXPLAINED if isinstance(item, StepRefused) and not _explains(line, seat) else item
        return redacted(self.system, explained, seat, frozenset(line.hidden_names), hidden=hidden)

    def _tells_results(self, line: Line, seat: Seat) -> bool:
        """Whether a seat may know the results of a step and of the rules in it."""
        return line.step not in self._hidden_steps


def _happened(items: Iterable[dict[str, Plain]]) -> Iterator[dict[str, Plain]]:
    return ({"kind": "happened", **item} for item in items)


def _result_kind(item: LogItem, line: Line) -> dict[str, Plain]:
    """For the end of a step, the kind of its result."""
    kind = line.result_kind if isinstance(line, (StepBegan, AnswerGiven)) else ""
    return {"result_kind": kind} if kind and isinstance(item, StepEnded) else {}


def _sees(line: Line, seat: Seat) -> bool:
    """Whether a seat may see a line."""
    if isinstance(line, StepBegan):
        return seat.sees(line.audience, _owner(line))
    return not isinstance(line, AnswerLine) or seat.sees(line.audience, line.of)


def _owner(line: StepBegan) -> str | None:
    """Whose step it is, if it is not for everyone: the person its rule, or its deadline, is for."""
    first = next(iter(line.arguments.values()), None)
    whose = first.get("who") if isinstance(first, Mapping) else first
    return whose if isinstance(whose, str) else None


def _hears(line: Aside, seat: Seat) -> bool:
    """An aside is for everyone, or for the seats it names, the speaker, and the game master."""
    return seat.master or line.to is None or seat.name in line.to or seat.name == line.by


def _said(line: Aside, seat: Seat) -> dict[str, Plain]:
    """The content of an aside; the others are not told that a seat plays a hidden character."""
    names = line.hidden_names
    if isinstance(line, SeatTaken) and names and not seat.master:
        line = replace(
            line, seat=replace(line.seat, controls=tuple(each for each in line.seat.controls if each not in names))
        )
    if isinstance(line, DraftBegan) and not seat.master:
        line = replace(line, sheet=None)  # it may hold what its player is not told
    return {"about": line.about, **to_plain(replace(line, hidden_names=()))}


def _what(line: Line, seat: Seat, *, kept: bool) -> dict[str, Plain]:
    """What a line says about what came from outside."""
    if isinstance(line, StepBegan):
        return {"rule": line.rule, "arguments": redacted_arguments(line, seat)}
    if not isinstance(line, AnswerLine):
        return {}
    what: dict[str, Plain] = {"prompt": line.prompt, "of": line.of, "answer": line.answer}
    if line.roll is not None:
        what["roll"] = to_plain(redacted_roll(line.roll, seat, kept=kept))
    if line.overruled or line.instead_of is not None:
        what["overruled"] = True
    if line.by_default:
        what["by_default"] = True
    if line.instead_of is not None and seat.master:
        what["instead_of"] = line.instead_of
    if line.with_:
        what["with"] = _joint_answers(line, seat, kept=kept)
    return what


def _joint_answers(line: Line, seat: Seat, *, kept: bool) -> list[Plain]:
    """The answers given at the same time, as far as a seat may know them."""

    def told(each: JointAnswer) -> Plain:
        roll = redacted_roll(each.roll, seat, kept=kept) if each.roll else None
        return {"audience": each.audience.value, **to_plain(replace(each, roll=roll, hidden=False))}

    found = line.with_ if isinstance(line, AnswerLine) else ()
    return [told(each) for each in found if (seat.master or not each.hidden) and seat.sees(each.audience, each.of)]


def _explains(line: Line, seat: Seat) -> bool:
    """Whether a seat may know why a line was refused."""
    return not isinstance(line, AnswerLine) or seat.sees(line.because, line.of)


def _keeps_secret(line: Line, seat: Seat) -> bool:
    """Whether a step begins with an argument that a seat is not told."""
    return isinstance(line, StepBegan) and len(redacted_arguments(line, seat)) < len(line.arguments)
