"""One run of a step: rules on an explicit stack, advanced until they ask the table something.

The run carries out everything that needs no answer (another rule, a change, a line of the story) and stops at
questions. A driver answers them; the run never knows which one.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Iterable
from dataclasses import is_dataclass, replace
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, cast, final

from referee.core.arrivals import piles_leaving, piles_with
from referee.core.cards import Card, Pile
from referee.core.errors import BadInput, Endless, ForeignAwait, RefereeError, Refused
from referee.core.plain import frozen, same
from referee.core.questions import Choose, Draw, Question, Request, Roll, asked_by
from referee.core.requests import Alter, Change, Move, Tell, Together
from referee.core.rules import Afterwards, Call, HandOver, Repeat, Settled
from referee.core.scene import Scene, State, Who
from referee.core.trace import RUNNING, Citable, note
from referee.core.visibility import VEIL, Veil


@final
@frozen
class SubResult:
    """The result of a rule that another rule called."""

    calls: tuple[Call[Any], ...]
    """The call itself and those it ran within, innermost first."""
    result: Any
    after: int
    """How many events came before it."""


@final
class SubResults:
    """The results of the rules in a run. A rule that only passes on the result of a rule it called adds nothing."""

    def __init__(self) -> None:
        self.came: list[SubResult] = []
        self.handed_on = False
        """Whether the result of the step itself is already listed."""
        self._given: list[tuple[int, object]] = []
        """Results with their depth; deeper ones only until the rule that called them is over."""

    def note(self, calls: tuple[Call[Any], ...], result: Any, after: int) -> None:
        """A rule has ended with a record as its result."""
        depth, handed_on = len(calls), False
        while self._given and self._given[-1][0] > depth:
            below, given = self._given.pop()
            handed_on |= below == depth + 1 and given is result
        self._given.append((depth, result))
        if depth == 1:
            self.handed_on = handed_on
        elif not handed_on:
            self.came.append(SubResult(calls, result, after))


def is_record(result: object) -> bool:
    """Whether a result has fields that can be shown to people; a name has none."""
    return is_dataclass(result) and not isinstance(result, (type, Who))


T = TypeVar("T")

_WAITING: Final[Any] = object()

MOST_WORK: Final = 100_000
"""How much one step may do: rules begun and gone on with, changes, lines of the story. Few of ours do a hundred; three
hundred people who panic at once do some thirty thousand."""
MOST_ASKED: Final = 1_000
"""How many questions, throws and draws included, one step may ask at a table, where each is a line of the log."""


@final
@frozen
class Changed:
    """These rules (innermost first) replaced a value of the scene."""

    who: str
    before: Hashable | None
    after: Hashable | None
    rules: tuple[str, ...]


@final
@frozen
class Told:
    """A line of the story."""

    line: Tell
    rules: tuple[str, ...]


Event: TypeAlias = Changed | Told


class _Consequence(NamedTuple):
    """A rule to be played once the result of another stands, or none; and the rules it is cited with."""

    after: Callable[[Any], Call[Any] | None]
    within: tuple[str, ...]

    def of(self, reads: Callable[[Any], Any]) -> _Consequence:
        """The same for a result of which something else is made first."""
        return self._replace(after=lambda result: self.after(reads(result)))


@final
class Stake(NamedTuple):
    """A rule in progress that declares bands: how it was called, in which scene, and after how much of a trail."""

    call: Call[Any]
    state: State
    given: int


class _Frame(NamedTuple):
    """A rule on the stack: the rules running down to it, how it was called, and its coroutine."""

    rules: tuple[str, ...]
    call: Call[Any]
    coroutine: Coroutine[Any, Any, Any]
    repeats: Repeat[Any] | None
    then: tuple[_Consequence, ...] = ()
    """What is to be played once its result stands."""
    due: tuple[tuple[Call[Any], tuple[str, ...]], ...] = ()
    """What is left of it, once it does."""
    result: Any = _WAITING
    """Its result, while the consequences are played."""
    reads: Callable[[Any], Any] | None = None
    """What rules that ended with it make of its result."""
    by: Citable | None = None
    """What it carries out, if that is not its own: an option of a family."""
    stakes: tuple[Stake, ...] = ()
    """What it decides, and what rules decide that ended with it; outermost first."""

    @property
    def stands(self) -> bool:
        return self.result is not _WAITING

    def standing(self, result: Any) -> _Frame:
        """Its result stands, as rules that ended with it read it; what follows from it is due."""
        calls = ((each.after(result), each.within) for each in self.then)
        due = tuple((call, within) for call, within in calls if call is not None)
        return self._replace(then=(), due=due, result=result if self.reads is None else self.reads(result), reads=None)


@final
class Run(Generic[T]):
    """A step in progress. It is `done`, or `asking` holds open questions, or it has paused `at_call`."""

    def __init__(
        self,
        scene: Scene,
        call: Call[T],
        *,
        pause_at_calls: bool = False,
        results: SubResults | None = None,
        silent: bool = False,
        most_asked: int = MOST_WORK,
    ) -> None:
        self.scene = scene
        self.most_asked = most_asked
        self.pause_at_calls = pause_at_calls
        self.silent = silent
        """Whether no one will read the story: no events are kept, and only the innermost rule is known."""
        self.results = results
        """The results of its rules, if someone wants to know them."""
        self.at_call: Call[Any] | None = None
        self.repeats: Repeat[Any] | None = None
        """Set together with `at_call` if the rule starts over until it has a result."""
        self.hands_over = False
        """Set together with `at_call` if the paused rule ends with that call."""
        self.asking: tuple[Question[Any], ...] = ()
        self.not_asked: list[Choose[Any]] = []
        """Choices that no one was asked, because only one answer was legal; each keeps its reasons."""
        self.events: list[Event] = []
        self.done = False
        self.given = 0
        """How many items of a trail it has gone along."""
        self._work = 0
        self._asked = 0
        self._result: T | None = None
        self._answers: list[Any] = []
        self._together = False
        self._began = scene.state
        self._stack: list[_Frame] = []
        self._push(call)
        self._go(None)

    @property
    def result(self) -> T:
        """The result of the step, once it stands."""
        return cast(T, self._result if self.done else self._stack[0].result)

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules now running, each once, innermost first."""
        return self._stack[-1].rules

    @property
    def depth(self) -> int:
        """How many rules are on the stack."""
        return len(self._stack)

    @property
    def open(self) -> tuple[int, ...]:
        """Which of the questions are still unanswered."""
        return tuple(part for part, given in enumerate(self._answers) if given is _WAITING)

    def answer(self, answer: Any, part: int = 0) -> None:
        """Answer one of the open questions; after the last answer the rules continue."""
        if part not in self.open:
            raise BadInput("answer", "that question is not open")
        self.given += 1
        self._answers[part] = answer
        if not self.open:
            self._go(self._answered())

    @property
    def read(self) -> Callable[[Any], Any] | None:
        """What the paused rule makes of the result of the call that it ends with, if not the same."""
        return self._stack[-1].reads if self.hands_over else None

    @property
    def stakes(self) -> tuple[Stake, ...]:
        """What is still to be decided by the rules in progress, outermost first."""
        return tuple(stake for frame in self._stack if not frame.stands for stake in frame.stakes)

    @property
    def result_stands(self) -> bool:
        """Whether the result of the step is known, and only consequences are left to be played."""
        return self.done or (bool(self._stack) and self._stack[0].stands)

    @property
    def at_consequence(self) -> bool:
        """Whether the rule it has paused at only follows from a result that stands."""
        return self._stack[-1].stands

    @property
    def ends_here(self) -> bool:
        """Whether nothing is left of the step but the rule it has paused at."""
        last = self._stack[0]
        return len(self._stack) == 1 and not (last.then or last.due) and (self.hands_over or self.at_consequence)

    def enter(self) -> None:
        """Run the rule the step has paused at."""
        repeats, hands_over = self.repeats, self.hands_over
        call = self._left_call()
        problem: Exception | None = None
        try:
            if hands_over:
                self._replace(call)
            else:
                self._push(call, repeats)
        except Refused as absent:  # a rule that this campaign does not use; the caller may catch it
            self._leave_settled()
            problem = absent
        self._go(None, problem)

    def skip(self, result: Any, changes: Iterable[tuple[str, Hashable | None]]) -> None:
        """Skip the rule the step has paused at, because its result and its changes are known."""
        self.given += 1
        repeats, hands_over = self.repeats, self.hands_over
        _ = self._left_call()
        for name, value in changes:
            self.scene.write(name, value)
        frame = self._stack[-1]
        answer = result
        if frame.stands:
            answer = self._ended(frame.result)
        elif hands_over:
            frame.coroutine.close()
            answer = self._ended(result)
        elif repeats is not None and result is None:
            answer = self._begin_again(repeats)
        if answer is not _WAITING:
            self._go(answer)

    def refuse(self, why: Refused, changes: Iterable[tuple[str, Hashable | None]]) -> None:
        """Skip the rule the step has paused at, because it is known to refuse, after some changes."""
        self.given += 1
        hands_over = self.hands_over
        _ = self._left_call()
        for name, value in changes:
            self.scene.write(name, value)
        if hands_over:
            self._stack.pop().coroutine.close()
        self._leave_settled()
        self._go(None, why)

    def close(self) -> None:
        """Abandon the step."""
        while self._stack:
            self._stack.pop().coroutine.close()

    def _left_call(self) -> Call[Any]:
        call, self.at_call, self.repeats, self.hands_over = self.at_call, None, None, False
        if call is None:
            raise BadInput("run", "the step has not paused at a rule")
        return call

    def _returned(self, frame: _Frame, result: Any) -> Any:
        """What a rule returns to its caller; a repeated rule without a result starts over."""
        return self._begin_again(frame.repeats) if frame.repeats is not None and result is None else result

    def _begin_again(self, repeat: Repeat[Any]) -> Any:
        if self.pause_at_calls:
            self.at_call, self.repeats = repeat.call, repeat
            return _WAITING
        self._push(repeat.call, repeat)
        return None

    def _ended(self, result: Any) -> Any:
        """The innermost rule has its result: its consequences are played, and then its caller gets it."""
        frame = self._stack[-1]
        if not frame.stands and (frame.then or frame.reads):
            self._stack[-1] = frame._replace(result=result)  # what raises now is for those who called it
            frame = frame.standing(result)
            result = frame.result
        if frame.due:
            (call, within), *later = frame.due
            self._stack[-1] = frame._replace(due=tuple(later))
            return self._begin(call, within)
        if self.results is not None and is_record(result):
            self.results.note(self._calls(), result, len(self.events))
        self._stack.pop()
        if self._stack and self._stack[-1].stands:
            return self._ended(self._stack[-1].result)
        return self._returned(frame, result)

    def _leave_settled(self) -> None:
        """Leave rules whose result stands: what a consequence raises is for those who called them."""
        while self._stack and self._stack[-1].stands:
            self._stack.pop()

    def _add_consequence(self, then: Callable[[Any], Call[Any] | None]) -> None:
        """A rule to be played once the result of the innermost one stands, before those named earlier."""
        frame = self._stack[-1]
        self._stack[-1] = frame._replace(then=(_Consequence(then, frame.rules), *frame.then))

    def _add_reading(self, reads: Callable[[Any], Any]) -> None:
        """The innermost rule makes something of the result of the rule that it ends with; then those that ended so."""
        frame = self._stack[-1]
        later = frame.reads
        both = reads if later is None else lambda result: later(reads(result))
        self._stack[-1] = frame._replace(reads=both, then=tuple(each.of(reads) for each in frame.then))

    def _begin(self, call: Call[Any], within: tuple[str, ...] | None = None) -> Any:
        """Run a rule, or pause at it."""
        if self.pause_at_calls:
            self.at_call = call
            return _WAITING
        self._push(call, within=within)
        return None

    def _replace(self, call: Call[Any]) -> None:
        """Run a rule in place of the one that ends with it."""
        left = self._stack.pop()
        left.coroutine.close()
        self._push(call, left.repeats, left.rules)
        frame = self._stack[-1]
        self._stack[-1] = frame._replace(then=left.then, reads=left.reads, stakes=left.stakes + frame.stakes)

    def _push(self, call: Call[Any], repeats: Repeat[Any] | None = None, within: tuple[str, ...] | None = None) -> None:
        by = None if call.rule.member is None else call.rule.citing(self.scene, call.args)
        rules: tuple[str, ...] = call.rule.cited if by is None else by.cited
        if not self.silent:
            outer = within if within is not None else self._stack[-1].rules if self._stack else ()
            rules = outer if outer[:1] == rules else (*rules, *(each for each in outer if each not in rules))
        frame = _Frame(rules, call, call.rule.start(self.scene, call.args), repeats, by=by)
        if by is not None:
            note(by.cites)
        if call.rule.bands is not None and repeats is None:  # what starts over has no result to hope for yet
            frame = frame._replace(stakes=(Stake(call, self.scene.state, self.given),))
        self._stack.append(frame)

    def _go(self, answer: Any, problem: Exception | None = None) -> None:
        """Advance the innermost rule until the table must be asked. A caller may catch what a rule raises."""
        before = RUNNING.rule
        try:
            while self._stack:
                frame = self._stack[-1]
                self._work += 1
                if self._work > MOST_WORK or self._asked > self.most_asked:
                    problem = Endless(frame.call.rule.title, frame.call.rule.id)
                    self.close()
                    break
                coroutine, RUNNING.rule, ended = frame.coroutine, frame.by or frame.call.rule, False
                try:
                    request = coroutine.send(answer) if problem is None else coroutine.throw(problem)
                except StopIteration as stop:
                    request, ended = stop.value, True
                except Exception as raised:  # noqa: BLE001  # handed to the rule that called, and in the end raised
                    if not isinstance(raised, RefereeError) and not hasattr(raised, "__notes__"):
                        raised.add_note(frame.call.rule.id)
                    self._stack.pop()
                    self._leave_settled()
                    problem = raised
                    continue
                try:
                    answer, problem = self._ended(request) if ended else self._met(request), None
                except Exception as raised:  # noqa: BLE001  # so is what a sheet raises while it is altered
                    self._leave_settled()
                    problem = raised
                if answer is _WAITING:
                    return
        finally:
            RUNNING.rule = before
        if problem is not None:
            if not self.pause_at_calls:  # who goes rule by rule sees what it had changed: its caller may catch this
                self.scene.state = self._began
            raise problem
        self.done, self._result = True, answer

    def _calls(self) -> tuple[Call[Any], ...]:
        return tuple(frame.call for frame in reversed(self._stack))

    def _met(self, request: Request[Any]) -> Any:
        """Carry out a request, or wait for the table."""
        match request:
            case Question():
                return self._ask((request,), together=False)
            case Together():
                return self._ask(request.questions, together=True)
            case Call() | HandOver() | Settled() | Afterwards() | Repeat():
                return self._next_rule(request)
            case Change():
                self._check_no_cards(request.who, request.to)
                if request.hidden:
                    self._hide(request.who.name, request.rule)
                self._change(request.who, request.to, request.rule)
            case Alter():
                self._alter(request)
            case Move():
                self._move(request)
            case Tell() if self.silent:
                _ = self._cited(request.rule)
            case Tell():
                self.events.append(Told(request, self._cited(request.rule)))
            case _:
                raise ForeignAwait(request, self.rules[0])
        return None

    def _next_rule(self, request: Call[Any] | HandOver[Any] | Settled[Any] | Afterwards | Repeat[Any]) -> Any:
        """Run another rule: now, in place of this one, or once the result of this one stands."""
        match request:
            case Call():
                return self._begin(request)
            case HandOver():
                if request.then is not None:
                    self._add_consequence(request.then)
                if request.read is not None:
                    self._add_reading(request.read)
                if self.pause_at_calls:
                    self.at_call, self.hands_over = request.call, True
                    return _WAITING
                self._replace(request.call)
            case Settled():
                self._add_consequence(lambda _: request.then)
                self._stack[-1].coroutine.close()
                return self._ended(request.result)
            case Afterwards():
                self._add_consequence(lambda _: request.then)
            case Repeat():
                return self._begin_again(request)
        return None

    def _ask(self, questions: tuple[Question[Any], ...], *, together: bool) -> Any:
        """Ask the table. A choice with one option is no choice and is not asked."""
        piles = [question.pile for question in questions if isinstance(question, Draw)]
        if len(set(piles)) < len(piles):
            raise BadInput(piles[0].name, "two cannot draw from one pile at once: the cards would be the same")
        rule = self.rules[0]
        if piles:
            questions = tuple(self._laid_out(each) if isinstance(each, Draw) else each for each in questions)
        questions = tuple([asked_by(each, rule) for each in questions])
        self._asked += len(questions)
        self.asking, self._together = questions, together
        self._answers = []
        for question in questions:
            if isinstance(question, (Roll, Draw)):
                note(*(mod.rule for mod in question.mods if mod.rule))
            if isinstance(question, Choose) and question.is_no_choice:
                self.not_asked.append(question)
                self._answers.append(question.options[0])
            else:
                self._answers.append(_WAITING)
        return _WAITING if self.open else self._answered()

    def _laid_out(self, question: Draw) -> Draw:
        """A draw with the cards it is made from. A missing pile is noticed while the step can still be rolled back."""
        _ = self.scene[question.to]
        return question.among(self.scene[question.pile])

    def _answered(self) -> Any:
        """All answers are in: drawn cards move, and the rule gets what it asked for."""
        questions, answers = self.asking, tuple(self._answers)
        self.asking, self._answers = (), []
        for question, answer in zip(questions, answers, strict=True):
            if isinstance(question, Draw):
                self._move(Move((answer,), question.pile, question.to))
        return answers if self._together else answers[0]

    def _alter(self, request: Alter[Any]) -> None:
        if request.if_present and request.who not in self.scene:
            return
        after = request.how(self.scene[request.who])
        self._check_no_cards(request.who, after)
        self._change(request.who, after, request.rule)

    def _check_no_cards(self, who: Who[Any], after: Hashable | None) -> None:
        """Piles may be added and removed only while they are empty."""
        for pile in (self.scene.state.get(who.name), after):
            if isinstance(pile, Pile) and pile.cards:
                raise BadInput(who.name, "cards move by draw() and move(), so that none is lost")

    def _change(self, who: Who[Any], to: Hashable | None, rule: str | None) -> None:
        before = self.scene.state.get(who.name)
        leaving = piles_leaving(self.scene.state, who) if to is None else {}
        self._write(who.name, before, to, rule)
        arriving = piles_with(self.scene.state, who) if before is None else {}
        if leaving or arriving:
            self.scene.read_everything()  # which cards come depends on where they all lie
        for name, pile in {**leaving, **arriving}.items():
            self._write(name, self.scene.state.get(name), pile, rule)

    def _hide(self, name: str, rule: str | None) -> None:
        """What a rule adds is hidden before it is there; something that others know already is not."""
        veil = self.scene.get(VEIL, Veil())
        if name in veil.names:
            return
        if name in self.scene.state:
            raise BadInput(name, "is not hidden: a rule hides only what it adds to the scene")
        self._write(VEIL.name, self.scene.state.get(VEIL.name), replace(veil, names=veil.names | {name}), rule)

    def _write(self, name: str, before: Hashable | None, to: Hashable | None, rule: str | None) -> None:
        self.scene.write(name, to)
        if self.silent:
            _ = self._cited(rule)
        elif not same(before, to):
            self.events.append(Changed(name, before, to, self._cited(rule)))

    def _move(self, move: Move) -> None:
        pile, to = self.scene[move.pile], self.scene[move.to]
        if move.cards is None and pile.elsewhere:  # the backs of a hand can be moved, possible cards cannot
            pile.check_known()
        cards = pile.cards if move.cards is None else move.cards
        left = replace(pile, cards=()) if move.cards is None else pile.without(*cards)
        if cards and move.pile != move.to:
            self._change(move.pile, left, move.rule)
            self._change(move.to, to.plus(*cards), move.rule)
            if not pile.is_known and move.cards is not None:
                self._found(cards)

    def _found(self, cards: tuple[Card, ...]) -> None:
        """Cards came out of a pile that the viewer may not look at: they cannot be in another."""
        for name, value in self.scene.state.items():
            if isinstance(value, Pile) and any(value.may_hold(card) for card in cards):
                self.scene.read(name)
                self.scene.write(name, value.cannot_hold(cards))

    def _cited(self, rule: str | None) -> tuple[str, ...]:
        if rule is None:
            return self.rules
        note(rule)
        return (rule, *(each for each in self.rules if each != rule))


def drive(run: Run[T], answer: Callable[[Question[Any], Scene], Any]) -> T:
    """Answer every question of a run, in order, to its end."""
    try:
        while not run.done:
            part = run.open[0]
            run.answer(answer(run.asking[part], run.scene), part)
    finally:
        run.close()
    return run.result
