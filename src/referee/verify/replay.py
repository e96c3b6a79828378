"""Replays a log line by line without running rules: the scene, the open steps, the held throws."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, final

from referee.core.errors import RefereeError
from referee.core.plain import Plain, same, write
from referee.core.scene import State
from referee.core.system import System
from referee.journal.changes import after, fold, patched
from referee.journal.lines import (
    AnswerGiven,
    AnswerLine,
    Aside,
    Line,
    LinesRedone,
    LinesUndone,
    SceneEdited,
    StepBegan,
    ThrowHeld,
)
from referee.journal.log_items import FieldsChanged, LogItem, ValueRemoved
from referee.journal.steps import Handling
from referee.journal.undo import UndoStack
from referee.table.setup import TableSetup
from referee.verify.log_file import line_of_file

BROKEN: Final = (
    RefereeError,
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Errors that a malformed line can cause."""


def is_by_hand(setup: TableSetup, line: AnswerLine) -> bool:
    """Whether a throw was to be made by hand: by a seat with real dice that may see it, or by the table's settings."""
    mine = (each for each in setup.members.values() if each.real_dice and line.of in each.controls)
    return (
        any(each.seat.sees(line.audience, line.of) for each in mine)
        or setup.settings.handling(line.prompt) is Handling.LEAVE
    )


class LoggedStep(NamedTuple):
    """An open step: the line it began with, and the scene and setup when its open questions were asked."""

    began: int
    scene: State
    setup: TableSetup


class Moment(NamedTuple):
    """The state of a table between two lines."""

    scene: State
    steps: Mapping[int | None, LoggedStep]
    held: Mapping[tuple[int | None, int], ThrowHeld]


@final
class LogReplay:
    """A log so far."""

    def __init__(self, system: System | None, start: State) -> None:
        self.system = system
        """None if the system is not installed here; then scenes cannot be followed."""
        self.now = Moment(start, {}, {})
        self.setup = TableSetup()
        self.lines: list[Line | None] = []
        self._undo = UndoStack()
        self._before: dict[int, Moment] = {}
        self._undone: dict[int, tuple[Moment, Mapping[int, Moment]]] = {}
        """For each undo, by the first line it removed: the moments before it, and before each line it left in force."""
        self.undone_throws: Counter[str] = Counter()
        """How many throws each person has undone, by name."""
        self._begun = 0

    def before(self, number: int) -> Moment:
        """The state of the table before a line in force."""
        return self._before[number]

    def name(self, seat: str) -> str:
        """The name of the person in a seat, as everyone had been told."""
        return self.setup.members[seat].name if seat in self.setup.members else seat

    def since(self, number: int) -> Iterator[tuple[int, Line]]:
        """The lines in force, starting from this one."""
        found = ((each, self.lines[each]) for each in self._undo.numbers if each >= number)
        return ((each, line) for each, line in found if line is not None)

    def follow(self, line: Line) -> Iterator[str]:
        """Read the next line; yields what is wrong with it."""
        number = len(self.lines)
        self.lines.append(line)
        if isinstance(line, Aside):
            self.setup = self.setup.after(line)
            return
        moved = self._undo.add(number, line)
        if isinstance(line, LinesUndone):
            gone = (self.lines[each] for each in moved)
            self.undone_throws[self.name(line.by)] += sum(
                isinstance(each, AnswerGiven) and each.throw is not None for each in gone
            )
            self._undone[moved[0]] = self.now, {each: self._before[each] for each in line.but}
            self.now = self._before[moved[0]]
            yield from self._kept(line.but)
        elif isinstance(line, LinesRedone):
            self.now, before = self._undone[moved[0]]
            self._before |= before
        else:
            yield from self._step(line)
            self._before[number] = self.now
            scene = yield from self._folded(line)
            self.now = self._moved(number, line, scene)

    def _kept(self, numbers: Iterable[int]) -> Iterator[str]:
        """Lines that an undo left in force: they change the scene as before, wherever it stands now."""
        for number in numbers:
            line = self.lines[number]
            if line is None or self.system is None:
                continue
            self._before[number] = self.now
            try:
                self.now = self.now._replace(scene=fold(self.system, self.now.scene, [line]))
            except BROKEN as problem:
                yield f"line {line_of_file(number)} cannot have stayed in force: {problem}"

    def pass_over(self) -> None:
        """Skip a line that cannot be read."""
        self.lines.append(None)

    def _step(self, line: Line) -> Iterator[str]:
        if isinstance(line, StepBegan):
            self._begun += 1
            if line.step != self._begun:
                yield f"begins step {line.step} where step {self._begun} should begin"
        elif not isinstance(line, SceneEdited) and line.step not in self.now.steps:
            yield f"step {line.step} is not open here"

    def _folded(self, line: Line) -> Any:
        """The scene after a line; yields what in the line does not fit the scene before it."""
        scene = self.now.scene
        if self.system is None:
            return scene
        for item in line.then:
            try:
                yield from _astray(item, scene)
                scene = after(self.system, scene, item)
            except BROKEN as problem:
                yield f"cannot have followed: {problem}"
        return scene

    def _moved(self, number: int, line: Line, scene: State) -> Moment:
        steps, held = dict(self.now.steps), dict(self.now.held)
        if isinstance(line, ThrowHeld):
            held[line.step, line.part] = line
        elif isinstance(line, AnswerGiven):
            held.pop((line.step, line.part), None)
        if line.ends:
            steps.pop(line.step, None)
            held = {key: each for key, each in held.items() if key[0] != line.step}
        elif isinstance(line, StepBegan):
            steps[line.step] = LoggedStep(number, scene, self.setup)
        elif isinstance(line, AnswerGiven) and not line.left and line.step in steps:
            steps[line.step] = steps[line.step]._replace(scene=scene, setup=self.setup)
        return Moment(scene, steps, held)


def equal(written: Plain, found: Plain) -> bool:
    """Whether a value equals what a file says; JSON has neither tuples nor numbers as keys."""
    return bool(written == found) or bool(written == json.loads(json.dumps(found)))


def _astray(item: LogItem, scene: State) -> Iterator[str]:
    """What an item wrongly says about the scene before it."""
    if isinstance(item, FieldsChanged):
        value, before = scene.get(item.who), item.was or {}
        if value is None:
            yield f"{item.who} is not in the scene"
            return
        if item.set.keys() != before.keys():
            yield f"{item.who}: what was and what is do not name the same fields"
        for name, was in before.items():
            if not equal(was, write(getattr(value, name))) and not _has_gained(value, name, was, item.who):
                yield f"{item.who}.{name} was {brief(write(getattr(value, name)))} here, not {brief(was)}"
    elif isinstance(item, ValueRemoved) and item.gone not in scene:
        yield f"{item.gone} is not in the scene"


def _has_gained(value: Hashable, name: str, was: Plain, who: str) -> bool:
    """Whether a field is as it was, but for fields inside it that logs of that time did not write yet."""
    return same(getattr(patched(value, {name: was}, who), name), getattr(value, name))


def brief(plain: Plain, most: int = 60) -> str:
    """Plain data as text, cut off if it is long."""
    text = json.dumps(plain, ensure_ascii=False)
    return text if len(text) <= most else f"{text[: most - 3]}…"
