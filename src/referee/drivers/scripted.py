"""The scripted table: answers written in advance. Running out of them, or leaving any over, is an error.

No answer is needed for offers, which are then declined, and for rulings, where the book's default applies.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final, Generic, TypeVar, final

from referee.core.agenda import ending_of, next_of
from referee.core.errors import BadAnswer, BadInput, BarredAnswer, TooLarge
from referee.core.plain import Plain, is_number
from referee.core.questions import Choose, Draw, Question, Roll, Ruling, key_of
from referee.core.rules import Call
from referee.core.run import Event, Run, drive
from referee.core.scene import Scene, State, Who
from referee.core.system import check_step
from referee.core.wording import phrase

T = TypeVar("T")

_WORDS: Final = re.compile(r"[^\s,|;]+")


@final
class NoAnswer(BadInput):
    """Nothing in a script answers a question: whose it is, what it is for, and what is left over."""

    def __init__(self, question: Question[Any], left: Sequence[str], rules: Sequence[str] = ()) -> None:
        whose = f"{question.who}." if question.who and isinstance(question, Roll) else ""
        inside = tuple(dict.fromkeys(each.partition("/")[0] for each in rules[:-1]))
        asked_in = f" (asked in {', '.join(inside)})" if inside else ""
        over = ", ".join(left) or "nothing"
        super().__init__("answers", f"nothing answers {whose}{question}{asked_in}; left over: {over}")
        self.question = question
        self.left = left


@final
class Script:
    """Answers by the name of their question, `attack` or `ana.attack`; order matters only between equal names.

    An answer is written as people would say it: `4 5 2`, `yes`, `yes 1 2`, `total 15`, `QH`, or as plain data.
    """

    def __init__(self, answers: Mapping[str, Plain] | None = None) -> None:
        if not isinstance(answers or {}, Mapping):
            raise BadInput("answers", f"must be answers by the name of their question, not {answers!r}")
        self._left: dict[str, deque[deque[Any]]] = {
            str(name).casefold(): deque(_items(answer)) for name, answer in (answers or {}).items()
        }
        self._thrown: dict[int, Roll[Any]] = {}
        """What was thrown by the answers whose dice have been read."""
        self._unanswered: list[str] = []
        """What was asked without an answer."""
        self._asked: set[str] = set()
        """The names of all questions."""

    @property
    def left(self) -> tuple[str, ...]:
        return tuple(
            f"{name}: {' '.join(map(phrase, item))}" for name, items in self._left.items() for item in items if item
        )

    def answer(self, question: Question[Any], scene: Scene) -> Any:
        self._asked.update(_names(question))
        item = self._item(question)
        if item is None:
            self._unanswered.append(f"{question.who or 'game master'}.{question.name}")
            return _default_answer(question)
        if isinstance(question, Roll):
            self._check_decided(question, item)
            self._thrown[id(item)] = question
            answer = question.read(_dice(question, item))
        elif isinstance(question, Draw):
            answer = question.read(item.popleft())
        else:
            answer = _option(question, item)
        return answer

    def _item(self, question: Question[Any]) -> deque[Any] | None:
        for name in _names(question):
            if items := self._nonempty(name):
                return items[0]
        if isinstance(question, Ruling) or (isinstance(question, Choose) and question.may_decline):
            return None
        raise NoAnswer(question, self.left)

    def _check_decided(self, question: Roll[Any], item: deque[Any]) -> None:
        """Before dice may stand the answer to a choice of their name that was none: `yes` was all it could be."""
        if item[0] is False or item[0] == "no":
            raise NoAnswer(question, self.left)
        if len(item) > 1 and (item[0] is True or item[0] == "yes"):
            item.popleft()

    def _nonempty(self, name: str) -> deque[deque[Any]]:
        items = self._left.get(name, deque())
        while items and not items[0]:
            items.popleft()
        return items

    def check_used_up(self, not_asked: Iterable[Choose[Any]] = ()) -> None:
        """Refuse answers that are left over, unless they give the one legal answer to a choice that was not asked.

        Any other answer to such a choice is refused for the reason that bars it.
        """
        for question in not_asked:
            item = next((items[0] for name in _names(question) if (items := self._nonempty(name))), None)
            if item is not None:
                _option(question, item)
        if self.left:
            dice = (self._thrown.get(id(item)) for items in self._left.values() for item in items if item)
            thrown = ", ".join(f"{each.name}: {each.pool}" for each in dice if each is not None)
            more = f"; all that was thrown is {thrown}" if thrown else ""
            if self._unanswered:
                more += f"; asked without an answer: {', '.join(dict.fromkeys(self._unanswered))}"
            for name in (name for name, items in self._left.items() if any(items) and name not in self._asked):
                if near := get_close_matches(name, sorted(self._asked), 1):
                    more += f"; did you mean {near[0]!r} by {name!r}?"
            raise BadInput("answers", f"never asked for: {', '.join(self.left)}{more}")

    def check_barred(self, not_asked: Iterable[Choose[Any]]) -> None:
        """Refuse an answer that waits for a choice which was not asked because a rule bars it."""
        for question in not_asked:
            item = next((items[0] for name in _names(question) if (items := self._nonempty(name))), None)
            if item is not None:
                try:
                    _option(question, deque(item))
                except BarredAnswer:
                    raise
                except BadAnswer:
                    continue  # it is for another question of this name


def _default_answer(question: Question[Any]) -> Any:
    """An offer without an answer is declined; a ruling without an answer is the default."""
    return question.default if isinstance(question, (Choose, Ruling)) else None


def _names(question: Question[Any]) -> tuple[str, str]:
    return f"{question.who or 'game master'}.{question.name}".casefold(), question.name.casefold()


def _items(answer: Plain) -> Iterator[deque[Any]]:
    """A text is one answer of several words; a list of numbers is one answer, another list several answers."""
    if isinstance(answer, str):
        yield deque(int(word) if is_number(word) else word for word in _WORDS.findall(answer))
    elif isinstance(answer, (list, tuple)) and not all(type(each) is int for each in answer):
        for each in answer:
            yield from _items(each)
    else:
        yield deque(answer if isinstance(answer, (list, tuple)) else [answer])


def _dice(question: Roll[Any], item: deque[Any]) -> Plain:
    """As many pips as the dice that are thrown show, or one reading for all of them."""
    if isinstance(item[0], Mapping):
        return item.popleft()
    if item[0] == "total" and len(item) > 1:
        item.popleft()
        return item.popleft()
    if len(item) == 1 and question.pool.size != 1 and type(item[0]) is int:
        return item.popleft()
    dice = {die.name: die for die, _ in question.pool.groups}
    in_order = [die for die, count in question.pool.groups for _ in range(count)]
    pips: dict[str, list[int]] = {}
    kind = None
    fallen, begun = 0, 0
    while item and fallen < len(in_order):
        word = item.popleft()
        if word in dice:
            kind = word
        elif type(word) is not int:
            raise question.bad(f"{word!r} is not what a die shows")
        else:
            shown = pips.setdefault(kind or "", [])
            shown.append(word)
            begun += 1
            if not (in_order[fallen] if kind is None else dice[kind]).goes_on(shown[-begun:]):
                fallen, begun = fallen + 1, 0
    return pips.get("", []) if kind is None else {name or next(iter(dice)): shown for name, shown in pips.items()}


def _option(question: Question[Any], item: deque[Any]) -> Any:
    """The longest sequence of words that names an option."""
    words = list(item)
    problem = question.bad("no answer is given")
    for many in range(len(words), 0, -1):
        spoken = words[0] if many == 1 else " ".join(map(key_of, words[:many]))
        try:
            answer = question.read(spoken)
        except BarredAnswer:
            raise
        except BadAnswer as why:
            problem = why if many == len(words) else problem
            continue
        for _ in range(many):
            item.popleft()
        return answer
    raise problem


@final
@dataclass(frozen=True)
class Played(Generic[T]):
    """The result of a scripted step."""

    result: T
    state: State
    events: tuple[Event, ...]
    asked: tuple[Question[Any], ...]
    not_asked: tuple[Choose[Any], ...] = ()

    @property
    def scene(self) -> Scene:
        """The scene afterwards."""
        return Scene(self.state)


def play(call: Call[T], state: State, answers: Mapping[str, Plain] | None = None) -> Played[T]:
    """Play one step with scripted answers, all of which must be used up."""
    script = Script(answers)
    played = _play(call, Scene(state), script)
    script.check_used_up(played.not_asked)
    return played


def play_out(
    encounter: Who[Any], state: State, answers: Mapping[str, Plain] | None = None, most_steps: int = 1000
) -> Played[Hashable]:
    """Play an encounter, and what comes due in it, to its end with scripted answers, all of which must be used up."""
    script = Script(answers)
    scene = Scene(state)
    whole: Played[Hashable] = Played(None, state, (), ())
    for _ in range(most_steps):
        following = next_of(scene, encounter)
        if following is None:
            script.check_used_up(whole.not_asked)
            return replace(whole, result=ending_of(scene, encounter), state=scene.state)
        step = _play(following.call, scene, script)
        whole = Played(
            None, scene.state, whole.events + step.events, whole.asked + step.asked, whole.not_asked + step.not_asked
        )
    raise TooLarge(f"{encounter} has not ended after {most_steps} steps")


def answer_in(run: Run[Any], script: Script, question: Question[Any], scene: Scene) -> Any:
    """The answer of a script to a question of a run.

    Without one, an answer that a rule has barred is the reason; otherwise it is said what the question is for.
    """
    try:
        return script.answer(question, scene)
    except NoAnswer as why:
        script.check_barred(run.not_asked)
        raise NoAnswer(question, why.left, run.rules) from None


def _play(call: Call[T], scene: Scene, script: Script) -> Played[T]:
    asked: list[Question[Any]] = []

    def answer(question: Question[Any], at: Scene) -> Any:
        asked.append(question)
        return answer_in(run, script, question, at)

    before = scene.state
    run = Run(scene, call)
    result = drive(run, answer)
    check_step(call, before, scene.state)
    return Played(result, scene.state, tuple(run.events), tuple(asked), tuple(run.not_asked))
