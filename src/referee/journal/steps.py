"""The open steps of a log: rules that have begun and wait, what they ask, and what their answers set going."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple, TypeAlias, final

from referee.core.audience import Audience
from referee.core.errors import BadInput, Refused, ReplayMismatch
from referee.core.knowledge import is_no_choice
from referee.core.plain import Plain
from referee.core.questions import Chance, Draw, Question, Roll
from referee.core.replay import Answered, OutsideChange, Trail
from referee.core.rules import Call, rule_named
from referee.core.run import Event, Run, SubResults
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.visibility import hidden_names
from referee.journal.details import came_to, rolled
from referee.journal.lines import Line, differences, fold, followed
from referee.journal.marks import VEILED, bare, explained_to, marked
from referee.journal.record import Base, Log


class Open(NamedTuple):
    """A question that waits for an answer."""

    step: int
    part: int
    question: Question[Any]


@final
class Steps:
    """A scene, the record of how it came about, and the steps that are open in it."""

    def __init__(self, system: System, start: State, lines: Sequence[Line], base: Base) -> None:
        self.system = system
        self.record = Log(system, start, base)
        self.scene = Scene(start)
        self.open: dict[int, Run[Any]] = {}
        for line in lines:
            self.record.file(line)
        self.rebuild()

    @property
    def asking(self) -> tuple[Open, ...]:
        """Every open question, of every open step."""
        return tuple(Open(step, part, run.asking[part]) for step, run in self.open.items() for part in run.open)

    def file(self, line: Line, answer: object = None) -> None:
        """Write a line down, with marks on what is not for everybody; `answer` is what was answered by it."""
        self.record.file(marked(line, hidden_names(self.scene.state), answer))

    def begin(self, by: str, rule: str, arguments: dict[str, Plain], *, secret: bool = False) -> int:
        """Begin a step; gives its number. What is refused at once leaves no trace."""
        what: dict[str, Plain] = {"rule": rule, "arguments": arguments}
        what |= {"audience": Audience.MASTER.value} if secret else {}
        line = Line("began", by, self.record.begun + 1, what)
        before = self.scene.state
        try:
            events, run = self._carry_out(line)
        except Exception:
            self.scene.state = before
            raise
        self.file(self._with_what_followed(line, events, run))
        return self.record.begun

    def answer(self, by: str, step: int, part: int, plain: Plain, *, overrules: bool = False) -> None:
        """Answer an open question; `overrules` says of a throw that the table would have made it, or has."""
        run = self.open.get(step)
        if run is None or part not in run.open:
            raise BadInput("answer", f"step {step} does not ask that now")
        question = run.asking[part]
        answer = question.read(plain)  # an illegal answer stops here, and the question stays open
        what = self.answered(question, step, part, question.write(answer))
        what |= {"overruled": True} if overrules else {}
        what |= {VEILED: True} if is_no_choice(question, self.scene.state) else {}
        line = Line("answered", by, step, what)
        before = self.scene.state
        try:
            events, run = self._carry_out(line)
        except Refused as why:
            self.withdraw(line, before, (Answered(question, part, answer),), why)
            raise
        except Exception:
            self.rebuild()  # a fault in a rule: the step stands where it stood
            raise
        self.file(self._with_what_followed(line, events, run), answer)

    def answered(self, question: Question[Any], step: int, part: int, answer: Plain) -> dict[str, Plain]:
        """An answer as the log keeps it; a throw with its number and what was thrown, so that it can be checked."""
        what: dict[str, Plain] = {"asked": str(question.name), "of": question.who and question.who.name}
        run = self.open[step]
        what |= {"part": part, "parts": len(run.asking), "left": len(run.open) - 1, "answer": answer}
        if isinstance(question, Chance):
            held = self.record.held.get((step, part))
            what |= {"throw": held.throw if held else self.record.throws + 1, **self._thrown(question)}
            if held and held.answer != answer:
                what["instead_of"] = held.answer
        if question.audience is not Audience.EVERYONE:
            what["audience"] = question.audience.value
        if what["parts"] > 1 and not what["left"]:
            what["with"] = self._answered_at_once(step)
        return what

    def _thrown(self, question: Chance[Any]) -> dict[str, Plain]:
        """What was thrown: the sides and number of each kind of dice, or the pile a card came from."""
        if isinstance(question, Roll):
            dice = [[die.sides, count] for die, count in question.pool.groups]
            return {"dice": dice, "roll": rolled(question, hidden_names(self.scene.state))}
        return {"pile": question.pile.name} if isinstance(question, Draw) else {}

    def _answered_at_once(self, step: int) -> list[Plain]:
        """What was answered before the last of several questions put at once; nobody has been shown it so far."""
        lines = [line.what for line in self.record.of_step(step) if line.kind == "answered"]
        found: list[Plain] = []
        while lines and lines[-1]["left"]:
            what = lines.pop()
            kept = {name: what[name] for name in ("asked", "of", "answer", "roll", "audience", VEILED) if name in what}
            found.insert(0, {"audience": "everyone", **kept})
        return found

    def _carry_out(self, line: Line) -> tuple[Sequence[Event], Run[Any]]:
        """Run what a line sets going; the step stays open until it is done."""
        step = line.step or 0
        if line.kind == "began":
            run: Run[Any] = Run(self.scene, self._call(line), results=SubResults())
            self.open[step] = run
            since = 0
        else:
            run = self.open[step]
            if run.results is not None:
                run.results.came.clear()
            since = len(run.events)
            part = line.what["part"]
            question = run.asking[part] if part < len(run.asking) else None
            if question is None or question.name != line.what["asked"]:
                raise ReplayMismatch(line.what["asked"], question)
            answer, throw = line.what["answer"], line.what.get("throw", 0)
            run.answer(question.read(answer, throw) if isinstance(question, Roll) else question.read(answer), part)
        if run.done:
            del self.open[step]
        return run.events[since:], run

    def _with_what_followed(self, line: Line, events: Sequence[Event], run: Run[Any]) -> Line:
        """A line that has been carried out, with the events since, and what rules came to."""
        came = came_to(run, len(run.events) - len(events), hidden_names(self.scene.state))
        return replace(line, what={**line.what, **came}, then=followed(events, run))

    def _call(self, line: Line) -> Call[Any]:
        rule = rule_named(line.what["rule"])
        return rule(*rule.arguments(line.what["arguments"]))

    def withdraw(self, line: Line, before: State, answered: Trail, why: Refused | str) -> None:
        """A step refused or cancelled in its middle: all that it changed is changed back, and the log says why."""
        step = line.step or 0
        lines = [each for _, each in self.record.story]
        began = next(at for at, each in enumerate(lines) if each.step == step)
        others = (each for each in lines[began:] if each.step != step)
        without = fold(self.system, self.record.state_before(began), others)
        if isinstance(why, Refused):
            line = self._explained(line, lines[began], answered, why)
        self.open.pop(step).close()
        self.scene.state = without
        rule = why.rule if isinstance(why, Refused) else why
        refused = ({"refused": str(why), "rules": [rule]},) if isinstance(why, Refused) else ()
        self.file(replace(line, then=(*refused, *differences(before, without, (rule,)))))

    def _explained(self, line: Line, began: Line, answered: Trail, why: Refused) -> Line:
        """A line whose answer was refused, with who may know why where not everybody may."""
        call, start, trail = self.trail(line.step or 0)
        of = line.what["of"]
        audience = explained_to(why, of, call, began.what["arguments"], start, (*trail, *answered))
        return line if audience is Audience.EVERYONE else replace(line, what={**line.what, "because": audience.value})

    def rebuild(self) -> None:
        """The scene, and the open steps brought back by running them again."""
        for run in self.open.values():
            run.close()
        self.open.clear()
        self.record.held.clear()
        lines = [line for _, line in self.record.story]
        still = {line.step for line in lines if line.kind == "began"} - {line.step for line in lines if line.ends}
        first = next((at for at, line in enumerate(lines) if line.step in still), len(lines))
        self.scene.state = self.record.state_before(first)
        for line in lines[first:]:
            self.record.note_held(line)
            if line.step not in still or line.kind == "held":
                self.scene.state = fold(self.system, self.scene.state, [line])
                continue
            events, run = self._carry_out(line)
            again = followed(events, run)
            if bare(again) != bare(line.then):
                raise ReplayMismatch(line.then, again)

    def trail(self, step: int) -> tuple[Call[Any], State, Trail]:
        """How an open step came to where it is: its call, the scene it began in, and the way since; for odds."""
        lines = [line for _, line in self.record.story]
        began = next(at for at, line in enumerate(lines) if line.step == step)
        start = self.record.state_before(began)
        call = self._call(lines[began])
        run: Run[Any] = Run(Scene(start), call)
        trail: list[Answered | OutsideChange] = []
        for line in lines[began + 1 :]:
            if line.step == step and line.kind == "held":
                continue
            if line.step == step:
                question = run.asking[line.what["part"]]
                trail.append(Answered(question, line.what["part"], question.read(line.what["answer"])))
            else:
                trail.append(OutsideChange(fold(self.system, run.scene.state, [line])))
            trail[-1].onto(run)
        run.close()
        return call, start, tuple(trail)


class Handling(Enum):
    """How much of a throw is automatic."""

    DO = "do it"
    ASK = "ask"
    """The table throws; the game master lets it stand or says otherwise before anything follows from it."""
    LEAVE = "leave it"
    """It is thrown by hand."""


Handler: TypeAlias = Callable[[Open], Handling]


def do_it(waiting: Open) -> Handling:
    """Every throw is the table's."""
    return Handling.DO
