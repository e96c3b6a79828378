"""The questions to a seat: each with its options, the odds of each, and why others are barred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, final

from referee.core.actions import DONE, ActionChoice, Bands
from referee.core.audience import Audience
from referee.core.plain import Plain
from referee.core.questions import Choose, Draw, Question, Roll, Ruling, key_of
from referee.core.system import System
from referee.core.wording import capital, faces
from referee.web.pages.page import WORDS
from referee.web.pages.parts.cards import pile_title
from referee.web.pages.parts.chances import Chances, chances
from referee.web.pages.parts.story import assumed, option_words
from referee.web.pages.table_view import OpenQuestion, TableView

MOST_BUTTONS: Final = 9


@final
@dataclass(frozen=True)
class Answer:
    """An option: what is sent, its words, and its odds."""

    value: str
    label: str
    chances: Chances | None = None
    best: bool = False
    """Whether it is recommended: the hoped-for outcomes are most likely, and least goes wrong."""
    default: bool = False
    """Whether it is the default of a ruling, and proposed."""


@final
@dataclass(frozen=True)
class BarredOption:
    """An option that is not legal now."""

    label: str
    because: str
    rule: str


@final
@dataclass(frozen=True)
class Group:
    """Options of one kind."""

    name: str
    answers: tuple[Answer, ...]

    @property
    def is_list(self) -> bool:
        """Whether there are too many for a button each."""
        return len(self.answers) > MOST_BUTTONS

    @property
    def best(self) -> Answer:
        """The one with the best chance, or the first."""
        return max(self.answers, key=lambda each: each.chances.good if each.chances else -1.0)


@final
@dataclass(frozen=True)
class DiceAsked:
    """Dice that someone throws by hand."""

    name: str
    count: int
    sides: int
    again: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        said = {"count": self.count, "name": self.name, "sides": self.sides}
        if not self.again:
            return WORDS.say("ask.dice-of", **said)
        return WORDS.say("ask.dice-again", again=" or ".join(map(str, self.again)), **said)


@final
@dataclass(frozen=True)
class Ask:
    """A question, ready to be answered."""

    key: str
    title: str
    who: str
    kind: str
    """`choose`, `number`, `text`, `dice`, `card` or `held`."""
    groups: tuple[Group, ...] = ()
    barred: tuple[BarredOption, ...] = ()
    dice: tuple[DiceAsked, ...] = ()
    low: int | None = None
    high: int | None = None
    value: str = ""
    held: str = ""
    offered: bool = False
    mine: bool = True
    private: bool = False
    has_odds: bool = False
    computed: bool = False
    """Whether the odds are in it."""
    assumes: tuple[str, ...] = ()
    """What the odds take for granted."""

    @property
    def id(self) -> str:
        """An id for the page, made of characters that are safe in HTML."""
        return "ask-" + "".join(sign if sign.isalnum() else "-" for sign in self.key)

    @property
    def is_long(self) -> bool:
        """Whether its options are better shown in groups."""
        return len(self.groups) > 1 or any(group.name for group in self.groups)


def asks(view: TableView) -> tuple[Ask, ...]:
    """Every question to this seat, its own first."""
    found = (ask(view, each) for each in view.asked)
    return tuple(sorted(found, key=lambda each: not each.mine))


def ask(view: TableView, asked: OpenQuestion, card: Mapping[str, Plain] | None = None) -> Ask:
    """A question as it is shown; with a risk card, it has the odds of each answer."""
    question = asked.question
    who = question.who.name if question.who else WORDS.say("game-master")
    told: dict[str, Any] = {"key": asked.key, "who": who, "offered": asked.offered, "mine": asked.mine}
    if asked.held is not None:
        return Ask(
            **told, title=WORDS.say("ask.held", who=who), kind="held", held=faces(asked.held), dice=_dice(question)
        )
    if isinstance(question, Roll):
        title = WORDS.say("ask.dice", who=who, what=view.system.words.say(f"throws.{question.name}"))
        return Ask(**told, title=title, kind="dice", dice=_dice(question))
    if isinstance(question, Draw):
        return Ask(**told, title=WORDS.say("ask.card", who=who, pile=pile_title(view, question.pile.name)), kind="card")
    title = view.system.words.say(f"prompts.{question.name}")
    if isinstance(question, Ruling) and not question.options:
        kind = "number" if isinstance(question.default, int) else "text"
        value = key_of(question.default) if asked.preselected else ""
        return Ask(**told, title=title, kind=kind, low=question.low, high=question.high, value=value)
    options = question.options if isinstance(question, (Choose, Ruling)) else ()
    groups = _groups(view.system, str(question.name), options, (card or {}).get("asked") or {})
    barred = tuple(
        BarredOption(
            option_words(view.system, str(question.name), key_of(each.option)), each.why.because, each.why.rule
        )
        for each in (question.barred if isinstance(question, Choose) else ())
    )
    if card is not None and len(groups) == 1 and not isinstance(question, Ruling):
        groups = (_weighed(groups[0]),)
    if isinstance(question, Ruling) and asked.preselected:
        groups = tuple(_proposed(group, key_of(question.default)) for group in groups)
    return Ask(
        **told,
        title=title,
        kind="choose",
        groups=groups,
        barred=barred,
        private=isinstance(question, Choose) and (question.reaction or question.options_for is not Audience.EVERYONE),
        has_odds=True,
        computed=card is not None,
        assumes=assumed(card or {}, view.system),
    )


def _groups(system: System, prompt: str, options: tuple[Any, ...], odds: Mapping[str, Plain]) -> tuple[Group, ...]:
    """Options in groups: actions by their action, the others together."""
    found: dict[str, list[Answer]] = {}
    for option in options:
        key = key_of(option)
        forecast = odds.get(key)
        if isinstance(option, ActionChoice):
            name = system.words.say(f"actions.{option.action.key}")
            rest = key.partition(" ")[2]
            told = forecast if forecast and option.action.bands is not DONE else None
            shown = chances(told, system, option.action.bands.good) if told else None
            found.setdefault(name, []).append(Answer(key, rest or name, shown))
        else:
            good = _good(forecast, system) if forecast else ()
            shown = chances(forecast, system, good) if forecast and good else None
            found.setdefault("", []).append(Answer(key, capital(option_words(system, prompt, key)), shown))
    return tuple(Group(name, tuple(answers)) for name, answers in found.items())


def _weighed(group: Group) -> Group:
    """Options without the rows that are zero for all of them, and with the best one marked."""
    told = [each.chances for each in group.answers if each.chances]
    silent = {row.name for each in told for row in each.rows}
    silent -= {row.name for each in told for row in each.rows if row.chance or row.tone == "good"}
    best = max(group.answers, key=lambda each: each.chances.worth if each.chances else (-1.0, 0.0))
    return Group(
        group.name,
        tuple(
            replace(each, chances=each.chances and each.chances.without(silent), best=each is best)
            for each in group.answers
        ),
    )


def _proposed(group: Group, default: str) -> Group:
    """Options with the default of a ruling marked; what it leads to does not recommend another."""
    marked = (replace(each, default=each.value == default, best=False) for each in group.answers)
    return Group(group.name, tuple(marked))


def _good(forecast: Mapping[str, Plain], system: System) -> tuple[str, ...]:
    """The good bands of the action that these bands belong to."""
    bands: list[Bands[Any]] = [each.bands for each in system.actions if each.bands is not DONE]
    return next((each.good for each in bands if list(each.keys) == list(forecast["bands"])), ())


def _dice(question: Question[Any]) -> tuple[DiceAsked, ...]:
    pool = question.pool if isinstance(question, Roll) else None
    kinds = ((die, count) for die, count in pool.groups if count) if pool else ()
    return tuple(DiceAsked(die.name, count, die.sides, die.again_pips) for die, count in kinds)
