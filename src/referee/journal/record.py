"""The lines of a log as they are added: which are in force, their steps and throws, and the scene before each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, final

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.core.scene import State
from referee.core.system import System
from referee.journal.changes import fold
from referee.journal.lines import AnswerGiven, Line, LinesRedone, LinesUndone, StepBegan, ThrowHeld
from referee.journal.log_items import StepRefused
from referee.journal.undo import UndoStack

SNAPSHOT_EVERY: Final = 64


class Base(NamedTuple):
    """Where a journal continues a log begun earlier: the number of lines, steps and throws before it."""

    lines: int = 0
    begun: int = 0
    throws: int = 0


BEGINNING: Final = Base()


@final
class Log:
    """A log, starting from a base."""

    def __init__(self, system: System, start: State, base: Base) -> None:
        self.system = system
        self.start = start
        self.base = base
        self.lines: list[Line] = []
        self.begun = base.begun
        self.throws = base.throws
        self.held: dict[tuple[int, int], ThrowHeld] = {}
        """Throws that were made and wait for the game master, by step and part."""
        self._began: dict[int, StepBegan] = {}
        self._undo = UndoStack()
        self._snapshots: dict[int, State] = {}

    @property
    def count(self) -> int:
        """How many lines the log has."""
        return self.base.lines + len(self.lines)

    def line(self, number: int) -> Line:
        return self.lines[number - self.base.lines]

    @property
    def may_redo(self) -> bool:
        """Whether the last undo can be reversed: nothing else has happened since."""
        return bool(self._undo.undone)

    @property
    def story(self) -> tuple[tuple[int, Line], ...]:
        """The lines in force, with their numbers."""
        return tuple((number, self.line(number)) for number in self._undo.numbers)

    def last(self) -> Line | None:
        """The latest line in force."""
        return self.line(self._undo.numbers[-1]) if self._undo.numbers else None

    def began(self, step: int) -> StepBegan:
        """The line a step began with."""
        return self._began[step]

    def of_step(self, step: int) -> Iterator[Line]:
        """The lines in force that belong to a step."""
        return (line for _, line in self.story if line.step == step)

    def refused_just_now(self, by: str, arguments: Mapping[str, Plain]) -> str | None:
        """Why the latest line refused a step midway, if `by` began that step with these arguments."""
        last = self.last()
        refused = [item.refused for item in last.then if isinstance(item, StepRefused)] if last else []
        if last is None or not refused:
            return None
        began = self.began(last.step or 0)
        return refused[0] if (began.by, began.arguments) == (by, arguments) else None

    def from_line(self, number: int) -> tuple[tuple[int, Line], ...]:
        """A line and all later lines in force."""
        found = self._undo.since(number)
        if found is None:
            raise BadInput("undo", "that has been undone already")
        return tuple((each, self.line(each)) for each in found)

    def add(self, line: Line) -> None:
        """Add one more line."""
        moved = self._undo.add(self.count, line)
        self.lines.append(line)
        if moved:
            same = bisect_left(self._undo.numbers, moved[0])
            self._snapshots = {at: state for at, state in self._snapshots.items() if at <= same}
        if isinstance(line, StepBegan):
            self.begun += 1
            self._began[line.step] = line
        self.throws = max(self.throws, line.thrown)
        self.note_held(line)

    def note_held(self, line: Line) -> None:
        """Keep track of the throws that are held."""
        if isinstance(line, ThrowHeld):
            self.held[line.step, line.part] = line
        elif isinstance(line, AnswerGiven):
            self.held.pop((line.step, line.part), None)
        if line.ends:
            self.held = {key: held for key, held in self.held.items() if key[0] != line.step}

    def state_at(self, count: int) -> State:
        """The scene as it was when the log had so many lines, whatever has been undone since."""
        if not self.base.lines <= count <= self.count:
            raise BadInput("form", "was opened too long ago; open it again")
        later = self.lines[count - self.base.lines :]
        if not any(isinstance(line, (LinesUndone, LinesRedone)) for line in later):
            return self.state_before_line(count)
        then = UndoStack()
        for number in range(self.base.lines, count):
            then.add(number, self.line(number))
        return fold(self.system, self.start, [self.line(number) for number in then.numbers])

    def state_before_line(self, number: int) -> State:
        """The scene before a line in force."""
        return self.state_before(bisect_left(self._undo.numbers, number))

    def state_before(self, at: int) -> State:
        """The scene before the line at this position among those in force, rebuilt from the nearest snapshot."""
        mark = max((each for each in self._snapshots if each <= at), default=0)
        state = self._snapshots.get(mark, self.start)
        for here in range(mark, at):
            state = fold(self.system, state, [self.line(self._undo.numbers[here])])
            if (here + 1) % SNAPSHOT_EVERY == 0:
                self._snapshots[here + 1] = state
        return state
