"""The questions to a seat: each with its options, the odds of each, and why others are barred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

from referee.core.actions import ActionChoice
from referee.core.audience import Audience
from referee.core.plain import Plain
from referee.core.questions import Choose, Draw, Question, Roll, Ruling, key_of
from referee.core.system import System
from referee.core.wording import capital, faces
from referee.forecast.risk_card import BESIDE
from referee.kits.card_hands import Stack
from referee.web.pages.page import WORDS
from referee.web.pages.parts.board import EncounterPanel, encounters
from referee.web.pages.parts.cards import Face, faces_in, pile_title, stack_words
from referee.web.pages.parts.chances import Chances, chances, is_short_of_time, missing_words, silent_words
from referee.web.pages.parts.choosing import TurnChoice, turn_choice
from referee.web.pages.parts.control_grid import ControlGrid, control_grid
from referee.web.pages.parts.story import assumed, option_words
from referee.web.pages.table_view import OpenQuestion, TableView

MOST_BUTTONS: Final = 9
MOST_TOGETHER: Final = 7
"""A question with more answers than this has a card of its own."""


@final
@dataclass(frozen=True)
class Answer:
    """An option: what is sent, its words, and its odds."""

    value: str
    label: str
    at: int
    """Its place among all answers of the question."""
    chances: Chances | None = None
    around: Chances | None = None
    """Its odds for the rule around the one that the question is about."""
    beside: tuple[tuple[str, Chances], ...] = ()
    """If somebody else chooses at the same time: its odds for each answer of theirs."""
    unknown: str = ""
    """Why it has no odds, in words."""
    cost: str = ""
    """What it costs, in words."""
    best: bool = False
    """Whether it is recommended: the hoped-for outcomes are most likely, and least goes wrong."""
    default: bool = False
    """Whether it is the default of a ruling, and proposed."""
    faces: tuple[Face, ...] = ()
    """The cards it consists of."""


@final
@dataclass(frozen=True)
class StandingOffer:
    """An answer that may be given once and for all: to which prompt, and what its button says."""

    prompt: str
    answer: str
    words: str


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
        return len(self.answers) > MOST_BUTTONS and not any(each.faces for each in self.answers)

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
    is_short: bool = False
    """Whether more time would have given it more odds."""
    about: str = ""
    """What the odds are about, or why there are none, in words."""
    around: str = ""
    """What their second line is about: the rule around it, if that is open too."""
    assumes: tuple[str, ...] = ()
    """What the odds take for granted."""
    mark: str = ""
    """Whatever the odds depend on: figures with another mark belong to another question."""
    standing: StandingOffer | None = None
    """The prompt, if the offer may be declined once and for all."""
    usual: str = ""
    """The answer of someone who does not care."""
    turn: TurnChoice | None = None
    """If its options are actions: what to do, how, and at whom."""
    grid: ControlGrid | None = None
    """If its options are speeds with maneuvers, which one tap sets together."""

    @property
    def id(self) -> str:
        """An id for the page, made of characters that are safe in HTML."""
        return "ask-" + "".join(sign if sign.isalnum() else "-" for sign in self.key)

    def odds_id(self, what: int | str) -> str:
        """The id of the place on the page where the odds of an answer stand, or of a group of them."""
        return f"{self.id}-{self.mark}-{what}"

    @property
    def is_short_choice(self) -> bool:
        """Whether it is asked of this seat, and answered by one of a few words."""
        few = len(self.groups) == 1 and not self.groups[0].name and len(self.answers) <= MOST_TOGETHER
        return self.mine and self.kind == "choose" and self.turn is None and few and not self.is_hand

    @property
    def is_offer(self) -> bool:
        """Whether it may be declined."""
        return any(each.value == "no" for each in self.answers)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All of them, whatever their groups."""
        return tuple(each for group in self.groups for each in group.answers)

    @property
    def guesses(self) -> tuple[str, ...]:
        """What the others may choose at the same time, one guess each; the odds stand by these."""
        return next((tuple(other for other, _ in each.beside) for each in self.answers if each.beside), ())

    @property
    def is_hand(self) -> bool:
        """Whether cards answer it, which are tapped."""
        return any(len(each.faces) == 1 for each in self.answers)

    @property
    def declined(self) -> Answer | None:
        """The answer that plays no card."""
        return next((each for each in self.answers if not each.faces), None)

    def gain(self, answer: Answer) -> float | None:
        """How much more likely it goes well with a card than without: what it would cost to keep it in hand."""
        without = self.declined.chances if self.declined else None
        if not answer.faces or answer.chances is None or without is None:
            return None
        return answer.chances.good - without.good

    @property
    def is_long(self) -> bool:
        """Whether its options are better shown in groups."""
        return len(self.groups) > 1 or any(group.name for group in self.groups)


def asks(view: TableView) -> tuple[Ask, ...]:
    """Every question to this seat, its own first."""
    found = (ask(view, each) for each in view.asked)
    return tuple(sorted(found, key=lambda each: not each.mine))


def ask(view: TableView, asked: OpenQuestion, card: Mapping[str, Plain] | None = None, *, is_last: bool = True) -> Ask:
    """A question as it is shown; with a risk card, it has the odds of each answer.

    Unless this card is the last one, the odds that it was too short of time for are still to come.
    """
    question = asked.question
    who = question.who.name if question.who else WORDS.say("game-master")
    told: dict[str, Any] = {
        "key": asked.key,
        "who": who,
        "offered": asked.offered,
        "mine": asked.mine,
        "mark": asked.mark,
    }
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
    is_short = is_short_of_time(card or {})
    if card is not None and is_short and not is_last:
        card = {**card, "missing": {}}
    groups = _groups(view, question, options, card)
    barred = tuple(
        BarredOption(
            option_words(view.system, str(question.name), key_of(each.option)), each.why.because, each.why.rule
        )
        for each in (question.barred if isinstance(question, Choose) else ())
    )
    if card is not None and len(groups) == 1 and isinstance(question, Choose):
        costs = {key_of(each): question.price(each) for each in options}
        groups = (weighed(groups[0], costs, card.get("against", False), is_whole=not is_short),)
    if isinstance(question, Ruling) and asked.preselected:
        groups = tuple(_proposed(group, key_of(question.default)) for group in groups)
    played = _played(view, question.who.name) if question.who else None
    grid = _grid(view, question, groups)
    return Ask(
        **told,
        title=title,
        kind="choose",
        turn=_turn(view, question, groups, played) if question.who and grid is None else None,
        grid=grid,
        groups=groups,
        barred=barred,
        private=isinstance(question, Choose) and (question.reaction or question.options_for is not Audience.EVERYONE),
        has_odds=True,
        computed=card is not None and (is_last or not is_short),
        is_short=is_short,
        standing=_standing(view, question),
        usual=key_of(question.default) if isinstance(question, Choose) else "",
        about=_about(card or {}, view.system),
        around=_around(card or {}, view.system),
        assumes=assumed(card or {}, view.system),
    )


def _about(card: Mapping[str, Plain], system: System) -> str:
    """What the odds of a question are about, or why it has none."""
    is_told = card.get("about") and (card.get("asked") or card.get("pairs"))
    return WORDS.say("odds.about", what=system.called(str(card["about"]))) if is_told else silent_words(card)


def _around(card: Mapping[str, Plain], system: System) -> str:
    around: Mapping[str, Plain] | None = card.get("around")
    return system.called(str(around["about"])) if around else ""


def cost_words(view: TableView, question: Question[Any], option: object) -> str:
    """What an option costs, in words; empty if it declares nothing."""
    cost = question.cost(option) if isinstance(question, Choose) else None
    if isinstance(option, ActionChoice) and option.who is not None:
        price = getattr(option.action.price, "cost", None)  # not every price can say what it is
        cost = price(view.scene, option.who) if price is not None else None
    if cost is None or not cost.amount:
        return ""
    written = view.look.costs.get(cost.what)
    if written is not None:
        return (written.words if cost.amount == 1 else written.many or written.words).format(n=cost.amount)
    return view.system.words.say(f"costs.{cost.what}", count=cost.amount)


def _standing(view: TableView, question: Question[Any]) -> StandingOffer | None:
    """What may be answered once and for all: an offer is declined, any other question has its default."""
    if question.who is None or not isinstance(question, Choose) or question.name not in view.look.standing:
        return None
    is_nobodys = view.is_master and not any(question.who.name in each.controls for each in view.members.values())
    if question.who.name not in view.member.controls and not is_nobodys:
        return None
    prompt, answer = str(question.name), key_of(question.default)
    if question.may_decline:
        return StandingOffer(prompt, key_of(None), WORDS.say("ask.never"))
    label = capital(option_words(view.system, prompt, answer))
    return StandingOffer(prompt, answer, WORDS.say("ask.always", answer=label))


def _played(view: TableView, who: str) -> EncounterPanel | None:
    """The encounter in which someone has a turn, seen from where they are."""
    found = (each for each in encounters(view, who) if not each.over)
    return next((each for each in found if any(turn.name == who for turn in each.order)), None)


def _turn(
    view: TableView, question: Question[Any], groups: tuple[Group, ...], played: EncounterPanel | None
) -> TurnChoice | None:
    """The options as a turn, if all of them are actions and there are several."""
    options = question.options if isinstance(question, Choose) else ()
    actions = [each for each in options if isinstance(each, ActionChoice)]
    if question.who is None or len(actions) < 2 or len(actions) < len(options):
        return None
    odds = {answer.value: answer.chances for group in groups for answer in group.answers if answer.chances}
    last = view.lately.get((question.who.name, str(question.name)), "")
    return turn_choice(view, question.who.name, actions, odds, played, last)


def _grid(view: TableView, question: Question[Any], groups: tuple[Group, ...]) -> ControlGrid | None:
    answers = {answer.value: answer for group in groups for answer in group.answers}
    return control_grid(view, question, answers) if isinstance(question, Choose) else None


def _groups(
    view: TableView, question: Question[Any], options: Sequence[Any], card: Mapping[str, Plain] | None
) -> tuple[Group, ...]:
    """Options in groups: actions by their action, the others together."""
    system = view.system
    found: dict[str, list[Answer]] = {}
    odds: Mapping[str, Plain] = (card or {}).get("asked") or {}
    for at, option in enumerate(options):
        key = key_of(option)
        forecast, unknown = odds.get(key), missing_words(card or {}, key)
        cost = cost_words(view, question, option)
        if isinstance(option, ActionChoice):
            name = system.action_words(option.part)
            rest = key.partition(" ")[2]
            has_odds = option.action.bands.has_stake
            shown = chances(forecast, system, option.action.bands.good) if forecast and has_odds else None
            answer = Answer(key, rest or name, at, shown, unknown=unknown if has_odds else "", cost=cost)
            found.setdefault(name, []).append(answer)
        else:
            shown, around = _of_stake(card, key, system), _of_stake((card or {}).get("around"), key, system)
            label = stack_words(option) if isinstance(option, Stack) else option_words(system, str(question.name), key)
            beside = _beside(view, question, card or {}, key)
            answer = Answer(key, capital(label), at, shown, around, beside, unknown, cost, faces=faces_in(option))
            found.setdefault("", []).append(answer)
    return tuple(Group(name, tuple(answers)) for name, answers in found.items())


def weighed(group: Group, costs: Mapping[str, int], against: bool | None, *, is_whole: bool) -> Group:
    """Options without the rows that are zero for all of them, and with the best one marked, once all are known.

    Whoever is asked about something `against` them hopes that it fails; if nobody can tell (None), nothing is best. Of
    equal ones it is the one that costs least.
    """
    told = [each.chances for each in group.answers if each.chances]
    silent = {row.name for each in told for row in each.rows}
    silent -= {row.name for each in told for row in each.rows if row.chance or row.tone == "good"}
    able = [each for each in group.answers if each.chances]
    hopes = -1 if against else 1

    def worth(each: Answer) -> tuple[tuple[float, ...], int]:
        return tuple(hopes * part for part in (each.chances.worth if each.chances else ())), -costs[each.value]

    best = max(able, key=worth, default=None) if against is not None else None
    return Group(
        group.name,
        tuple(
            replace(each, chances=each.chances and each.chances.without(silent), best=is_whole and each is best)
            for each in group.answers
        ),
    )


def _proposed(group: Group, default: str) -> Group:
    """Options with the default of a ruling marked; what it leads to does not recommend another."""
    marked = (replace(each, default=each.value == default, best=False) for each in group.answers)
    return Group(group.name, tuple(marked))


def _of_stake(card: Mapping[str, Plain] | None, key: str, system: System) -> Chances | None:
    """The odds of an answer, for the rule that a card is about; as told to whoever hopes that it fails."""
    forecast = (card or {}).get("asked", {}).get(key)
    if card is None or not forecast:
        return None
    shown = chances(forecast, system, tuple(card["good"]))
    if not card["against"]:
        return shown
    return shown.for_others(system, tuple(card["good"]), is_oneself=not card["toward_others"])


def _beside(
    view: TableView, question: Question[Any], card: Mapping[str, Plain], key: str
) -> tuple[tuple[str, Chances], ...]:
    """The odds of an answer for each answer of somebody else who chooses at the same time."""
    own, prompt, good = key + BESIDE, str(question.name), tuple(card.get("good") or ())
    mine = {pair.removeprefix(own): each for pair, each in (card.get("pairs") or {}).items() if pair.startswith(own)}
    return tuple(
        (
            WORDS.say("odds.beside", answer=option_words(view.system, prompt, other)),
            chances(each, view.system, good),
        )
        for other, each in mine.items()
    )


def _dice(question: Question[Any]) -> tuple[DiceAsked, ...]:
    pool = question.pool if isinstance(question, Roll) else None
    kinds = ((die, count) for die, count in pool.groups if count) if pool else ()
    return tuple(DiceAsked(die.name, count, die.sides, die.again_pips) for die, count in kinds)
