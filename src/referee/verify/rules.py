"""Runs every step of a log again with its answers, to check that the rules ask and change what is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, final

from referee.core.errors import Refused
from referee.core.questions import Draw, Question, Roll, Ruling
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.journal.changes import differences, fold, followed
from referee.journal.journal import CANCEL
from referee.journal.lines import AnswerGiven, AnswerLine, Line, StepBegan, StepLine, ThrowHeld
from referee.journal.log_items import LogItem, StepRefused
from referee.journal.steps import Handling, again_of, answer_in, call_of, dice_of
from referee.table import draft_desk, free_roll  # noqa: F401 - registers their rules
from referee.verify.replay import BROKEN, LogReplay, brief, equal


@final
class Rerun:
    """The open steps of a log, run by the rules. A step that differs from the log is not followed further."""

    def __init__(self, course: LogReplay, system: System) -> None:
        self.course = course
        self.system = system
        self.scene = Scene(course.now.scene)
        self.steps = 0
        """How many steps were run again."""
        self._runs: dict[int | None, Run[Any]] = {}

    def follow(self, line: Line) -> Iterator[str]:
        """Read the next line, before the replay does; yields where it differs from the rules."""
        if not isinstance(line, StepLine):
            return
        self.scene.state = self.course.now.scene
        try:
            problem = self._differs(line)
        except BROKEN as why:
            problem = f"by the rules this cannot be: {why}"
        if problem:
            self._drop(line.step)
            yield problem

    def went_back(self) -> None:
        """After an undo or redo, run the steps that are open now again."""
        for step in list(self._runs):
            self._drop(step)
        still = self.course.now.steps
        if not still:
            return
        for number, line in self.course.since(min(each.began for each in still.values())):
            if line.step in still and isinstance(line, (StepBegan, AnswerGiven)):
                self.scene.state = self.course.before(number).scene
                try:
                    self._carried_out(line)
                except BROKEN:
                    self._drop(line.step)

    def close(self) -> None:
        for step in list(self._runs):
            self._drop(step)

    def _differs(self, line: StepLine) -> str | None:
        if not isinstance(line, StepBegan) and line.step not in self._runs:
            return None
        if isinstance(line, AnswerLine):
            run = self._runs[line.step]
            if line.part not in run.open:
                return "the rules do not ask this here"
            for name, found in _asked(run.asking[line.part], run).items():
                if getattr(line, name) != found:
                    return f"{name} is {brief(getattr(line, name), 120)}; by the rules it is {brief(found, 120)}"
            if line.by_default:
                return self._by_default(line, run.asking[line.part]) or self._followed(line)
        return self._followed(line)

    def _followed(self, line: StepLine) -> str | None:
        return None if isinstance(line, ThrowHeld) else _first_difference(line.then, self._carried_out(line))

    def _by_default(self, line: AnswerLine, question: Question[Any]) -> str | None:
        """What is wrong with an answer that is said to be the default of a ruling, taken by the table's settings."""
        if not isinstance(question, Ruling):
            return "is no ruling, so it has no default"
        if line.answer != question.write(question.default):
            return f"answer is {brief(line.answer)}; the default is {brief(question.write(question.default))}"
        if self.course.setup.settings.ruling(line.prompt) is not Handling.DO:
            return "the default was taken, but the table's settings say to ask"
        return None

    def _carried_out(self, line: StepLine) -> Sequence[LogItem]:
        """What follows from a line according to the rules."""
        match line:
            case StepBegan():
                self.steps += 1
                run: Run[Any] = Run(self.scene, call_of(line))
                self._runs[line.step] = run
                return followed(run.events, run)
            case AnswerGiven():
                run = self._runs[line.step]
                since = len(run.events)
                try:
                    run.answer(answer_in(line, run.asking[line.part]), line.part)
                except Refused as why:
                    self._drop(line.step)
                    return (StepRefused(str(why), rules=(why.rule,)), *self._withdrawn(line, why.rule))
                return followed(run.events[since:], run)
            case _:
                withdrawn = self._withdrawn(line, CANCEL)
                self._drop(line.step)
                return withdrawn

    def _withdrawn(self, line: StepLine, rule: str) -> Sequence[LogItem]:
        """The items that revert everything a step had changed, and leave what others did meanwhile."""
        before = self.course.now.scene
        began = self.course.now.steps[line.step].began
        without: State = self.course.before(began).scene
        others = (each for _, each in self.course.since(began) if each.step != line.step)
        return differences(before, fold(self.system, without, others), (rule,))

    def _drop(self, step: int | None) -> None:
        if step in self._runs:
            self._runs.pop(step).close()


def _asked(question: Question[Any], run: Run[Any]) -> dict[str, object]:
    """What a line must say about its question, by field name."""
    return {
        "prompt": str(question.name),
        "of": question.who.name if question.who else None,
        "parts": len(run.asking),
        "left": len(run.open) - 1,
        **({"dice": dice_of(question), "again": again_of(question.pool)} if isinstance(question, Roll) else {}),
        **({"pile": question.pile.name} if isinstance(question, Draw) else {}),
    }


def _first_difference(written: Sequence[LogItem], found: Sequence[LogItem]) -> str | None:
    """The first place where the log differs from the rules."""
    plain, expected = ([item.bare.to_plain() for item in each] for each in (written, found))
    for one, other in zip(plain, expected, strict=False):
        if not equal(one, other):
            return f"{brief(one, 120)} followed; by the rules it is {brief(other, 120)}"
    if len(plain) == len(expected):
        return None
    more = [*plain[len(expected) :], *expected[len(plain) :]][0]
    return f"{brief(more, 120)} {'followed' if len(plain) > len(expected) else 'is missing'} against the rules"
