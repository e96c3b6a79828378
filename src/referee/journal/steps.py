"""The open steps of a log: rules that have begun and wait, what they ask, and what follows from the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias, final

from referee.core.audience import Audience
from referee.core.cards import Pile
from referee.core.dice import Pool
from referee.core.errors import BadInput, RefereeError, Refused, ReplayMismatch, RuleFault
from referee.core.knowledge import is_no_choice
from referee.core.plain import Plain
from referee.core.questions import Chance, Draw, Question, Roll
from referee.core.replay import Answered, OutsideChange, Trail
from referee.core.rules import Call, rule_named
from referee.core.run import MOST_ASKED, Changed, Event, Run, SubResults
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.visibility import hidden_names, limits_in
from referee.journal.changes import differences, fold, followed
from referee.journal.details import draw_details, logged_results, result_kind, throw_details
from referee.journal.lines import (
    AnswerGiven,
    CheckFailed,
    Line,
    LinesRedone,
    LinesUndone,
    StepBegan,
    StepCancelled,
    ThrowHeld,
)
from referee.journal.log_items import JointAnswer, LogItem, StepRefused
from referee.journal.marks import explained_to, marked, with_unset
from referee.journal.record import Base, Log

TABLE: Final = "table"
"""The actor behind what the table does by itself: steps of an encounter, answers that are no one's choice, checks."""


class Open(NamedTuple):
    """A question waiting for an answer."""

    step: int
    part: int
    question: Question[Any]


@final
class Steps:
    """A scene, the log that led to it, and the steps open in it."""

    def __init__(self, system: System, start: State, lines: Sequence[Line], base: Base) -> None:
        self.system = system
        self.record = Log(system, start, base)
        self.scene = Scene(start)
        self._before = start
        """The scene after the last line: a hidden pile that has left it since is still not to be told of."""
        self.open: dict[int, Run[Any]] = {}
        for line in lines:
            self.record.add(line)
        self.rebuild()

    @property
    def asking(self) -> tuple[Open, ...]:
        """Every open question, of every open step."""
        return tuple(Open(step, part, run.asking[part]) for step, run in self.open.items() for part in run.open)

    @property
    def not_asked(self) -> tuple[Open, ...]:
        """The choices of every open step that no one was asked, because only one answer was legal."""
        return tuple(Open(step, 0, each) for step, run in self.open.items() for each in run.not_asked)

    def add(self, line: Line, answer: object = None) -> None:
        """Write a line, marking what is not for everyone; `answer` is the answer it gives."""
        state = self.scene.state
        gone = {name for name in hidden_names(self._before) if isinstance(self._before.get(name), Pile)} - set(state)
        found = marked(line, hidden_names(state) | gone, answer, limits_in(state))
        self.record.add(with_unset(found, state))
        self._before = state

    def begin(
        self,
        by: str,
        rule: str,
        arguments: dict[str, Plain],
        *,
        audience: Audience = Audience.EVERYONE,
        call: Call[Any] | None = None,
    ) -> int:
        """Begin a step and return its number. An immediate refusal leaves no trace."""
        line = StepBegan(by, self.record.begun + 1, rule, arguments, audience)
        before = self.scene.state
        try:
            events, run = self._carry_out(line, call)
            done = self._with_what_followed(line, events, run)
            self._check_stored(before, done)
        except Exception as why:
            self.scene.state = before
            self.open.pop(line.step, None)
            if isinstance(why, RefereeError):
                raise
            raise RuleFault.of(why, line.rule) from why
        self.add(done)
        self._check(run, line.rule)
        return self.record.begun

    def answer(
        self, by: str, step: int, part: int, plain: Plain, *, overrules: bool = False, by_default: bool = False
    ) -> None:
        """Answer an open question; `overrules` says that the table would have made this throw, or has made it."""
        run = self.open.get(step)
        if run is None or part not in run.open:
            raise BadInput("answer", f"step {step} does not ask that now")
        question = run.asking[part]
        answer = question.read(plain)  # an illegal answer stops here, and the question stays open
        line = self.answered(by, Open(step, part, question), question.write(answer))
        hidden = is_no_choice(question, self.scene.state)
        line = replace(line, overruled=overrules, by_default=by_default, hidden=hidden)
        before = self.scene.state
        rule = self.record.began(step).rule
        try:
            events, run = self._carry_out(line)
            done = self._with_what_followed(line, events, run)
            self._check_stored(before, done)
        except Refused as why:
            self.withdraw(line, before, (Answered(question, part, answer),), why)
            raise
        except Exception as why:
            self.rebuild()  # a fault in a rule: the step stays where it was
            if isinstance(why, RefereeError):
                raise
            raise RuleFault.of(why, rule) from why
        self.add(done, answer)
        self._check(run, rule)

    def _check_stored(self, before: State, line: StepBegan | AnswerGiven) -> None:
        """What is stored of a step must lead to a scene again, or the table could not be opened any more."""
        try:
            fold(self.system, before, [line])
        except RefereeError as why:
            rule = line.rule if isinstance(line, StepBegan) else self.record.began(line.step).rule
            raise RuleFault(rule) from why

    def _check(self, run: Run[Any], rule: str) -> None:
        """When a step is over, tell the game master what it has left that the book does not allow."""
        if not run.done:
            return
        changed = (event.who for event in run.events if isinstance(event, Changed))
        for who, why in self.system.faults(self.scene.state, changed):
            self.add(CheckFailed(TABLE, rule, who, str(why), to=()))

    def hold(self, by: str, waiting: Open, answer: Plain) -> None:
        """Record dice that were thrown and wait for the game master's decision."""
        line = self.answered(by, waiting, answer)
        given = {each.name: getattr(line, each.name) for each in fields(ThrowHeld) if each.init}
        self.add(ThrowHeld(**given))

    def answered(self, by: str, waiting: Open, answer: Plain) -> AnswerGiven:
        """An answer as the log stores it; a throw with its number and dice, so that it can be checked."""
        step, part, question = waiting
        run = self.open[step]
        left = len(run.open) - 1
        line = AnswerGiven(
            by,
            step,
            str(question.name),
            question.who.name if question.who else None,
            part,
            len(run.asking),
            answer,
            left,
            self._answered_at_once(step) if len(run.asking) > 1 and not left else (),
            audience=question.audience,
        )
        return self._with_throw(line, question) if isinstance(question, Chance) else line

    def _with_throw(self, line: AnswerGiven, question: Chance[Any]) -> AnswerGiven:
        """Add what was thrown: the sides and number of each kind of dice, or the pile a card came from."""
        held = self.record.held.get((line.step, line.part))
        line = replace(line, throw=held.throw if held else self.record.throws + 1)
        if held and held.answer != line.answer:
            line = replace(line, instead_of=held.answer)
        hidden = hidden_names(self.scene.state)
        if isinstance(question, Roll):
            dice, again = dice_of(question), again_of(question.pool)
            return replace(line, dice=dice, again=again, roll=throw_details(question, hidden))
        if isinstance(question, Draw):
            return replace(line, pile=question.pile.name, roll=draw_details(question, hidden))
        return line

    def _answered_at_once(self, step: int) -> tuple[JointAnswer, ...]:
        """The answers given before the last of several questions asked at once; no one has been told them yet."""
        lines = [line for line in self.record.of_step(step) if isinstance(line, AnswerGiven)]
        found: list[JointAnswer] = []
        while lines and lines[-1].left:
            line = lines.pop()
            given = (line.prompt, line.of, line.answer, line.roll, line.audience, line.by_default, line.hidden)
            found.insert(0, JointAnswer(*given))
        return tuple(found)

    def _carry_out(
        self, line: StepBegan | AnswerGiven, call: Call[Any] | None = None
    ) -> tuple[Sequence[Event], Run[Any]]:
        """Run the rule a line begins or answers; the step stays open until the rule is done."""
        step = line.step
        if isinstance(line, StepBegan):
            run: Run[Any] = Run(self.scene, call or call_of(line), results=SubResults(), most_asked=MOST_ASKED)
            self.open[step] = run
            since = 0
        else:
            run = self.open[step]
            if run.results is not None:
                run.results.came.clear()
            since = len(run.events)
            question = run.asking[line.part] if line.part < len(run.asking) else None
            if question is None or question.name != line.prompt:
                raise ReplayMismatch(line.prompt, question)
            run.answer(answer_in(line, question), line.part)
        if run.done:
            del self.open[step]
        return run.events[since:], run

    def _with_what_followed(
        self, line: StepBegan | AnswerGiven, events: Sequence[Event], run: Run[Any]
    ) -> StepBegan | AnswerGiven:
        """A line that was carried out, with the events that followed and the results of the rules it called."""
        results = logged_results(run, len(run.events) - len(events), hidden_names(self.scene.state))
        return replace(line, sub_results=results, result_kind=result_kind(run), then=followed(events, run))

    def withdraw(self, line: AnswerGiven | StepCancelled, before: State, answered: Trail, why: Refused | str) -> None:
        """Withdraw a step refused or cancelled midway: everything it changed is reverted, and the log says why."""
        step = line.step
        lines = [each for _, each in self.record.story]
        began = next(at for at, each in enumerate(lines) if each.step == step)
        others = (each for each in lines[began:] if each.step != step)
        without = fold(self.system, self.record.state_before(began), others)
        if isinstance(why, Refused) and isinstance(line, AnswerGiven):
            line = self._explained(line, answered, why)
        self.open.pop(step).close()
        self.scene.state = without
        rule = why.rule if isinstance(why, Refused) else why
        refused: tuple[LogItem, ...] = (StepRefused(str(why), rules=(rule,)),) if isinstance(why, Refused) else ()
        self.add(replace(line, then=(*refused, *differences(before, without, (rule,)))))

    def _explained(self, line: AnswerGiven, answered: Trail, why: Refused) -> AnswerGiven:
        """A line whose answer was refused, with the audience that may know why."""
        call, start, trail = self.trail(line.step)
        given = self.record.began(line.step).arguments
        return replace(line, because=explained_to(why, line.of, call, given, start, (*trail, *answered)))

    def follow(self, lines: Sequence[Line]) -> None:
        """Take in lines written elsewhere. Where steps are open or something was undone, all is built anew."""
        was_open = bool(self.open)
        for line in lines:
            self.record.add(line)
        ended = {line.step for line in lines if line.ends}
        began = {line.step for line in lines if isinstance(line, StepBegan)}
        if was_open or began - ended or any(isinstance(line, (LinesUndone, LinesRedone)) for line in lines):
            self.rebuild()
        else:
            self.scene.state = self._before = fold(self.system, self.scene.state, lines)

    def rebuild(self) -> None:
        """Rebuild the scene, and restore the open steps by running them again."""
        for run in self.open.values():
            run.close()
        self.open.clear()
        self.record.held.clear()
        lines = [line for _, line in self.record.story]
        still = {line.step for line in lines if isinstance(line, StepBegan)} - {
            line.step for line in lines if line.ends
        }
        first = next((at for at, line in enumerate(lines) if line.step in still), len(lines))
        self.scene.state = self.record.state_before(first)
        for line in lines[first:]:
            self.record.note_held(line)
            if line.step not in still or not isinstance(line, (StepBegan, AnswerGiven)):
                self.scene.state = fold(self.system, self.scene.state, [line])
                continue
            events, run = self._carry_out(line)
            again = followed(events, run)
            if again != (written := tuple(item.bare for item in line.then)):
                raise ReplayMismatch(written, again)
        self._before = self.scene.state

    def trail(self, step: int) -> tuple[Call[Any], State, Trail]:
        """How an open step got to where it is: its call, the scene it began in, and its trail since then; for odds."""
        lines = [line for _, line in self.record.story]
        began = next(at for at, line in enumerate(lines) if line.step == step)
        start = self.record.state_before(began)
        call = call_of(self.record.began(step))
        run: Run[Any] = Run(Scene(start), call, most_asked=MOST_ASKED)
        trail: list[Answered | OutsideChange] = []
        for line in lines[began + 1 :]:
            if line.step == step and isinstance(line, AnswerGiven):
                question = run.asking[line.part]
                trail.append(Answered(question, line.part, question.read(line.answer)))
            elif line.step == step:
                continue
            else:
                trail.append(OutsideChange(fold(self.system, run.scene.state, [line])))
            trail[-1].onto(run)
        run.close()
        return call, start, tuple(trail)


def call_of(line: StepBegan) -> Call[Any]:
    """The call a step began with."""
    rule = rule_named(line.rule)
    return rule(*rule.arguments(line.arguments))


def answer_in(line: AnswerGiven, question: Question[Any]) -> Any:
    """The answer a line gives to a question; dice remember the number of their throw."""
    return question.read(line.answer, line.thrown) if isinstance(question, Roll) else question.read(line.answer)


def dice_of(question: Roll[Any]) -> tuple[tuple[int, int], ...]:
    """The sides and number of each kind of dice of a throw."""
    return tuple((die.sides, count) for die, count in question.pool.groups)


def again_of(pool: Pool) -> tuple[tuple[int, ...], ...]:
    """The pips on which each kind of dice of a pool is thrown again; nothing if none is."""
    again = tuple(die.again_pips for die, _ in pool.groups)
    return again if any(again) else ()


class Handling(Enum):
    """How much of a throw or a ruling is automatic."""

    DO = "do it"
    """The table throws; a ruling is its default."""
    ASK = "ask"
    """The game master accepts what the table throws, or the default of a ruling, or overrules it; then it counts."""
    LEAVE = "leave it"
    """It is thrown by hand; the game master rules without a proposal."""


Handler: TypeAlias = Callable[[Open], Handling]


def do_it(waiting: Open) -> Handling:
    """The table makes every throw."""
    return Handling.DO
