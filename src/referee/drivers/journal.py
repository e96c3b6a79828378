"""The live table without I/O: a log, and the scene, the open steps and their questions that follow from it.

Answers are needed only to bring back a step that is still open, by running it again and checking that it asks and
changes the same. Undo goes back to before a line; everything later goes too, and the log remembers both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, final

from referee.core.audience import Audience
from referee.core.cards import check_each_card_once
from referee.core.clock import PASSING
from referee.core.errors import BadInput, Refused, ReplayMismatch
from referee.core.plain import Plain
from referee.core.questions import Chance, Question, Roll
from referee.core.rulebook import BOOK
from referee.core.rules import Call, rule_named
from referee.core.run import Event, Run
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.drivers.fair import Fair
from referee.drivers.log import FORMAT, Line, difference, differences, folded, followed, patched
from referee.drivers.trails import Answered, Moved, Trail

DICE: Final = "dice"
CLOCK: Final = "clock"
EDIT: Final = "referee.table.edit"
SNAPSHOT_EVERY: Final = 64


class Open(NamedTuple):
    """A question that waits for an answer."""

    step: int
    part: int
    question: Question[Any]


@final
class Journal:
    """A table: its log, and what follows from it."""

    def __init__(self, system: System, start: State, source: Fair | None = None, lines: Sequence[Line] = ()) -> None:
        self.system = system
        self.start = start
        self.source = source
        """Where dice and cards come from. None: every throw is asked for, as with real dice."""
        self.lines: list[Line] = []
        self.scene = Scene(start)
        self._in_force: list[int] = []
        self._undone: list[list[int]] = []
        self._steps: dict[int, Run[Any]] = {}
        self._begun = 0
        self._throws = 0
        self._snapshots: dict[int, State] = {}
        for line in lines:
            self._file(line)
        self._rebuild()
        self._settle()

    @property
    def state(self) -> State:
        return self.scene.state

    @property
    def asking(self) -> tuple[Open, ...]:
        """Every open question, of every open step."""
        return tuple(Open(step, part, run.asking[part]) for step, run in self._steps.items() for part in run.open)

    @property
    def story(self) -> tuple[tuple[int, Line], ...]:
        """The lines in force, with their numbers."""
        return tuple((number, self.lines[number]) for number in self._in_force)

    def header(self) -> Plain:
        """What a written log begins with."""
        return {
            "referee": FORMAT,
            "system": self.system.name,
            "version": self.system.version,
            "scene": self.system.plain(self.start),
            "commitment": self.source.commitment if self.source else None,
        }

    # What people do.

    def begin(self, by: str, rule: str, arguments: Mapping[str, Plain] | None = None) -> int:
        """Begin a step. A refusal at once leaves no trace."""
        step = self._begin(by, rule, dict(arguments or {}))
        self._settle()
        return step

    def answer(self, by: str, step: int, plain: Plain, part: int = 0) -> None:
        """Answer an open question. An unlawful answer leaves it open; a refusal takes back the whole step."""
        self._answer(by, step, part, plain)
        self._settle()

    def edit(self, by: str, name: str, /, **changes: Plain) -> None:
        """The game master sets fields of anything; `kind=…` puts something new into the scene."""
        before = self.state.get(name)
        new = before is None or "kind" in changes
        self._set(
            by, name, self.system.value(changes, name) if new or before is None else patched(before, changes, name)
        )

    def remove(self, by: str, name: str) -> None:
        """The game master takes something out of the scene."""
        self._set(by, self.scene.who(name).name, None)

    def opt(self, by: str, /, **overlay: Plain) -> None:
        """Turn options on or off, change figures, add rows: the campaign's own rulebook."""
        self._set(by, BOOK.name, self.scene[BOOK].but(overlay))

    def would_undo(self, number: int) -> tuple[tuple[int, Line], ...]:
        """What goes if this line is undone: itself and everything after it."""
        if number not in self._in_force:
            raise BadInput("undo", f"line {number} is not in force")
        return self.story[self._in_force.index(number) :]

    def undo(self, by: str, number: int) -> None:
        """Go back to before a line. Dice already thrown are not thrown again: new throws will be new."""
        self.would_undo(number)
        self._file(Line("undone", by, what={"to": number}))
        self._rebuild()

    def redo(self, by: str) -> None:
        """Take back the last undo, while nothing new has happened."""
        if not self._undone:
            raise BadInput("redo", "nothing was undone just now")
        self._file(Line("redone", by))
        self._rebuild()
        self._settle()

    def fork(self, before: int, source: Fair | None) -> Journal:
        """A table of its own, with its own dice, that shares everything before a line."""
        kept = [self.lines[number] for number in self._in_force if number < before]
        steps = {line.step: at for at, line in enumerate((each for each in kept if each.kind == "began"), 1)}
        lines = [replace(line, step=steps.get(line.step)) for line in kept]
        return Journal(self.system, self.start, source, lines)

    def trail(self, step: int) -> tuple[Call[Any], State, Trail]:
        """How an open step came to where it is: its call, the scene it began in, and the way since; for odds."""
        lines = [self.lines[number] for number in self._in_force]
        began = next(at for at, line in enumerate(lines) if line.step == step)
        start = self._state_before(began)
        call = self._call(lines[began])
        run: Run[Any] = Run(Scene(start), call)
        trail: list[Answered | Moved] = []
        for line in lines[began + 1 :]:
            if line.step == step:
                question = run.asking[line.what["part"]]
                trail.append(Answered(question, line.what["part"], question.read(line.what["answer"])))
            else:
                trail.append(Moved(folded(self.system, run.scene.state, [line])))
            trail[-1].onto(run)
        run.close()
        return call, start, tuple(trail)

    # How it is done.

    def _set(self, by: str, name: str, after: Any) -> None:
        """An edit: one value of the scene, replaced from outside."""
        then = difference(name, self.state.get(name), after, (EDIT,))
        edited = self.state.but(name, after)
        self.system.check_sheet(edited, name)
        check_each_card_once(edited)
        self.scene.state = edited
        self._file(Line("edited", by, then=then))
        self._settle()

    def _begin(self, by: str, rule: str, arguments: dict[str, Plain]) -> int:
        line = Line("began", by, self._begun + 1, {"rule": rule, "arguments": arguments})
        before = self.state
        try:
            events, run = self._carry_out(line)
        except Exception:
            self.scene.state = before
            raise
        self._file(replace(line, then=followed(events, run)))
        return self._begun

    def _answer(self, by: str, step: int, part: int, plain: Plain) -> None:
        run = self._steps.get(step)
        if run is None or part not in run.open:
            raise BadInput("answer", f"step {step} does not ask that now")
        question = run.asking[part]
        answer = question.read(plain)  # an unlawful answer stops here, and the question stays open
        line = Line("answered", by, step, self._answered(question, part, len(run.asking), question.write(answer)))
        before = self.state
        try:
            events, run = self._carry_out(line)
        except Refused as why:
            self._withdraw(line, before, why)
            raise
        except Exception:
            self._rebuild()  # a fault in a rule: the step stands where it stood
            raise
        self._file(replace(line, then=followed(events, run)))

    def _answered(self, question: Question[Any], part: int, parts: int, answer: Plain) -> dict[str, Plain]:
        what: dict[str, Plain] = {"asked": str(question.name), "of": question.who and question.who.name}
        what |= {"part": part, "parts": parts, "answer": answer}
        if isinstance(question, Chance):
            what["throw"] = self._throws + 1
        if question.audience is not Audience.EVERYONE:
            what["audience"] = question.audience.value
        return what

    def _carry_out(self, line: Line) -> tuple[Sequence[Event], Run[Any]]:
        """Run what a line sets going; the step stays open until it is done."""
        step = line.step or 0
        if line.kind == "began":
            run: Run[Any] = Run(self.scene, self._call(line))
            self._steps[step] = run
            since = 0
        else:
            run = self._steps[step]
            since = len(run.events)
            part = line.what["part"]
            question = run.asking[part] if part < len(run.asking) else None
            if question is None or question.name != line.what["asked"]:
                raise ReplayMismatch(line.what["asked"], question)
            answer, throw = line.what["answer"], line.what.get("throw", 0)
            run.answer(question.read(answer, throw) if isinstance(question, Roll) else question.read(answer), part)
        if run.done:
            del self._steps[step]
        return run.events[since:], run

    def _call(self, line: Line) -> Call[Any]:
        rule = rule_named(line.what["rule"])
        return rule(self.scene, *rule.arguments(line.what["arguments"]))

    def _settle(self) -> None:
        """Let the table's own dice answer, and time that passes come to its deadlines."""
        while True:
            chance = next((each for each in self.asking if isinstance(each.question, Chance)), None)
            if self.source is not None and chance is not None and isinstance(chance.question, Chance):
                thrown = chance.question.at_random(self.source.throw(self._throws + 1))
                self._answer(DICE, chance.step, chance.part, thrown)
            elif not self._steps and PASSING in self.scene and self.scene[PASSING].over(self.scene) is None:
                call = self.scene[PASSING].next_step(self.scene)
                self._begin(CLOCK, call.rule.id, call.plain())
            else:
                return

    def _withdraw(self, line: Line, before: State, why: Refused) -> None:
        """A step refused in its middle: all that it changed is changed back, and the log says why."""
        lines = [self.lines[number] for number in self._in_force]
        began = next(at for at, each in enumerate(lines) if each.step == line.step)
        others = (each for each in lines[began:] if each.step != line.step)
        without = folded(self.system, self._state_before(began), others)
        self._steps.pop(line.step or 0).close()
        self.scene.state = without
        refused = {"refused": str(why), "rules": [why.rule]}
        self._file(replace(line, then=(refused, *differences(before, without, (why.rule,)))))

    def _file(self, line: Line) -> None:
        """Write a line down, and keep track of which lines are in force."""
        self.lines.append(line)
        self._begun += line.kind == "began"
        self._throws += "throw" in line.what
        if line.kind == "undone":
            self._undone.append(self._in_force)
            self._in_force = [number for number in self._in_force if number < line.what["to"]]
        elif line.kind == "redone":
            self._in_force = self._undone.pop()
        else:
            self._undone.clear()
            self._in_force.append(len(self.lines) - 1)
        self._snapshots = {at: state for at, state in self._snapshots.items() if at <= len(self._in_force)}

    def _rebuild(self) -> None:
        """The scene, and the open steps brought back by running them again."""
        for run in self._steps.values():
            run.close()
        self._steps.clear()
        lines = [self.lines[number] for number in self._in_force]
        still = {line.step for line in lines if line.kind == "began"} - {line.step for line in lines if line.ends}
        first = next((at for at, line in enumerate(lines) if line.step in still), len(lines))
        self.scene.state = self._state_before(first)
        for line in lines[first:]:
            if line.step not in still:
                self.scene.state = folded(self.system, self.state, [line])
                continue
            events, run = self._carry_out(line)
            if (again := followed(events, run)) != line.then:
                raise ReplayMismatch(line.then, again)

    def _state_before(self, at: int) -> State:
        """The scene before the line at a place among those in force, from the nearest snapshot on."""
        mark = max((each for each in self._snapshots if each <= at), default=0)
        state = self._snapshots.get(mark, self.start)
        for here in range(mark, at):
            state = folded(self.system, state, [self.lines[self._in_force[here]]])
            if (here + 1) % SNAPSHOT_EVERY == 0:
                self._snapshots[here + 1] = state
        return state
