"""Every step of a log run again on its answers, to see that the rules ask and change what is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, final

from referee.core.errors import Refused
from referee.core.plain import Plain
from referee.core.questions import Draw, Question, Roll
from referee.core.rules import rule_named
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.journal.journal import CANCEL
from referee.journal.lines import Item, Line, differences, fold, followed
from referee.journal.marks import bare
from referee.table import free_roll  # noqa: F401 - its rules must be known
from referee.verify.replay import BROKEN, LogReplay, equal


@final
class Rerun:
    """The open steps of a log, as the rules have them. A step that went astray is not followed further."""

    def __init__(self, course: LogReplay, system: System) -> None:
        self.course = course
        self.system = system
        self.scene = Scene(course.now.scene)
        self.steps = 0
        """How many steps were run again."""
        self._runs: dict[int | None, Run[Any]] = {}

    def follow(self, line: Line) -> Iterator[str]:
        """One line further, before the course is; what about it the rules would have otherwise."""
        if line.kind not in ("began", "answered", "held", "cancelled"):
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
        """After an undo or redo: the open steps as they stand now."""
        for step in list(self._runs):
            self._drop(step)
        still = self.course.now.steps
        if not still:
            return
        for number, line in self.course.since(min(each.began for each in still.values())):
            if line.step in still and line.kind in ("began", "answered"):
                self.scene.state = self.course.before(number).scene
                try:
                    self._carried_out(line)
                except BROKEN:
                    self._drop(line.step)

    def close(self) -> None:
        for step in list(self._runs):
            self._drop(step)

    def _differs(self, line: Line) -> str | None:
        if line.kind != "began" and line.step not in self._runs:
            return None
        if line.kind in ("answered", "held"):
            run = self._runs[line.step]
            part = line.what["part"]
            if part not in run.open:
                return "the rules do not ask this here"
            asked = _asked(run.asking[part], run)
            for name, found in asked.items():
                if not equal(line.what.get(name), found):
                    return f"{name} is {_brief(line.what.get(name))}; by the rules it is {_brief(found)}"
        if line.kind == "held":
            return None
        return _first_difference(line.then, self._carried_out(line))

    def _carried_out(self, line: Line) -> Sequence[Item]:
        """What follows from a line by the rules."""
        if line.kind == "cancelled":
            found = self._withdrawn(line, CANCEL)
            self._drop(line.step)
            return found
        if line.kind == "began":
            self.steps += 1
            rule = rule_named(line.what["rule"])
            run: Run[Any] = Run(self.scene, rule(*rule.arguments(line.what["arguments"])))
            self._runs[line.step] = run
            return followed(run.events, run)
        run = self._runs[line.step]
        since = len(run.events)
        question = run.asking[line.what["part"]]
        answer, throw = line.what["answer"], line.what.get("throw", 0)
        read = question.read(answer, throw) if isinstance(question, Roll) else question.read(answer)
        try:
            run.answer(read, line.what["part"])
        except Refused as why:
            self._drop(line.step)
            return ({"refused": str(why), "rules": [why.rule]}, *self._withdrawn(line, why.rule))
        return followed(run.events[since:], run)

    def _withdrawn(self, line: Line, rule: str) -> Sequence[Item]:
        """What changes back all that a step had changed, and leaves what others did meanwhile."""
        before = self.course.now.scene
        began = self.course.now.steps[line.step].began
        without: State = self.course.before(began).scene
        others = (each for _, each in self.course.since(began) if each.step != line.step)
        return differences(before, fold(self.system, without, others), (rule,))

    def _drop(self, step: int | None) -> None:
        if step in self._runs:
            self._runs.pop(step).close()


def _asked(question: Question[Any], run: Run[Any]) -> dict[str, Plain]:
    """What a line says of its question."""
    asked: dict[str, Plain] = {"asked": str(question.name), "of": question.who and question.who.name}
    asked |= {"parts": len(run.asking), "left": len(run.open) - 1}
    if isinstance(question, Roll):
        asked["dice"] = [[die.sides, count] for die, count in question.pool.groups]
    elif isinstance(question, Draw):
        asked["pile"] = question.pile.name
    return asked


def _first_difference(written: Sequence[Item], found: Sequence[Item]) -> str | None:
    """Where what is written parts from what the rules make of it."""
    plain = bare(written)
    if equal(plain, list(found)):
        return None
    for one, other in zip(plain, found, strict=False):
        if not equal(one, other):
            return f"{_brief(one)} followed; by the rules it is {_brief(other)}"
    more = [*plain[len(found) :], *found[len(plain) :]][0]
    return f"{_brief(more)} {'followed' if len(plain) > len(found) else 'is missing'} against the rules"


def _brief(plain: Plain) -> str:
    text = json.dumps(plain, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:117]}…"
