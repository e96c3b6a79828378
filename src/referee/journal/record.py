"""The lines of a log as they are filed: which are in force, what they count, and the scene before any of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, final

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.core.scene import State
from referee.core.system import System
from referee.journal.lines import Line, fold

SNAPSHOT_EVERY: Final = 64


class Base(NamedTuple):
    """Where a journal takes up a log that was begun earlier: the lines, steps and throws before it."""

    lines: int = 0
    begun: int = 0
    throws: int = 0


BEGINNING: Final = Base()


class Held(NamedTuple):
    """A throw that has fallen and waits for the game master's word."""

    throw: int
    answer: Plain


@final
class Log:
    """A log, from a base on."""

    def __init__(self, system: System, start: State, base: Base) -> None:
        self.system = system
        self.start = start
        self.base = base
        self.lines: list[Line] = []
        self.begun = base.begun
        self.throws = base.throws
        self.held: dict[tuple[int, int], Held] = {}
        """Throws that have fallen and wait, by step and part."""
        self._began: dict[int | None, Line] = {}
        self._in_force: list[int] = []
        self._undone: list[list[int]] = []
        self._snapshots: dict[int, State] = {}

    @property
    def count(self) -> int:
        """How many lines the log has."""
        return self.base.lines + len(self.lines)

    def line(self, number: int) -> Line:
        return self.lines[number - self.base.lines]

    @property
    def may_redo(self) -> bool:
        """Whether the last undo can be taken back: nothing else has happened since."""
        return bool(self._undone)

    @property
    def story(self) -> tuple[tuple[int, Line], ...]:
        """The lines in force, with their numbers."""
        return tuple((number, self.line(number)) for number in self._in_force)

    def last(self) -> Line | None:
        """The latest line in force."""
        return self.line(self._in_force[-1]) if self._in_force else None

    def began(self, step: int) -> Line:
        """The line a step began with."""
        return self._began[step]

    def of_step(self, step: int) -> Iterator[Line]:
        """The lines in force that belong to a step."""
        return (line for _, line in self.story if line.step == step)

    def refused_just_now(self, by: str, arguments: Mapping[str, Plain]) -> str | None:
        """Why a step was refused in its middle by the latest line, if somebody had begun it with these arguments."""
        last = self.last()
        refused = [item["refused"] for item in last.then if "refused" in item] if last else []
        if last is None or not refused:
            return None
        began = self.began(last.step or 0)
        return str(refused[0]) if (began.by, began.what["arguments"]) == (by, arguments) else None

    def from_line(self, number: int) -> tuple[tuple[int, Line], ...]:
        """A line and all in force after it."""
        if number not in self._in_force:
            raise BadInput("undo", "that has been undone already")
        return self.story[self._in_force.index(number) :]

    def file(self, line: Line) -> None:
        """Write a line down, and keep track of which lines are in force."""
        self.lines.append(line)
        if line.kind == "began":
            self.begun += 1
            self._began[line.step] = line
        self.throws = max(self.throws, line.what.get("throw", 0))
        if line.is_aside:
            return
        if line.kind == "undone":
            self._undone.append(self._in_force)
            self._in_force = [number for number in self._in_force if number < line.what["to"]]
        elif line.kind == "redone":
            self._in_force = self._undone.pop()
        else:
            self._undone.clear()
            self._in_force.append(self.count - 1)
        self._snapshots = {at: state for at, state in self._snapshots.items() if at <= len(self._in_force)}
        self.note_held(line)

    def note_held(self, line: Line) -> None:
        """Keep track of the throws that wait."""
        if line.kind == "held":
            self.held[line.step or 0, line.what["part"]] = Held(line.what["throw"], line.what["answer"])
        elif line.kind == "answered":
            self.held.pop((line.step or 0, line.what["part"]), None)
        if line.ends:
            self.held = {key: held for key, held in self.held.items() if key[0] != line.step}

    def state_before(self, at: int) -> State:
        """The scene before the line at a place among those in force, from the nearest snapshot on."""
        mark = max((each for each in self._snapshots if each <= at), default=0)
        state = self._snapshots.get(mark, self.start)
        for here in range(mark, at):
            state = fold(self.system, state, [self.line(self._in_force[here])])
            if (here + 1) % SNAPSHOT_EVERY == 0:
                self._snapshots[here + 1] = state
        return state
