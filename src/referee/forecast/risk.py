"""The risk card: the possible outcomes of a decision before it is made, from what the viewer knows and nothing else.

    card = odds_of(TOSS.by(ana, bet=2), state, seat)
    card.now.bands["success"], card.best.forecast.bands["success"], card.decisions

A card is asked for by a query, which holds what the viewer knows and nothing else: equal queries have equal cards,
whatever else is in the scene, and another process can compute them. Everything on a card shares one budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Final, TypeAlias, final

from referee.core.actions import ActionChoice, Bands
from referee.core.encounter import Encounter
from referee.core.errors import NotKnown, OutOfTime, TooLarge, TooLong
from referee.core.knowledge import known_call, known_question, known_to, possible_trails, seen_trail
from referee.core.plain import Plain, write
from referee.core.questions import Choice, Choose, Question, is_hidden, key_of
from referee.core.replay import Answered, OutsideChange, Trail, follow
from referee.core.rules import Call
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.unknown import Unknown
from referee.core.visibility import Seat
from referee.core.wording import phrase
from referee.drivers.policies import Policy, always, at_random, by_default, is_by_name
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.bands import Forecast, Vector, counted, mean
from referee.forecast.figures import NORMAL, Budget, OddsLine, Plays, Spending, figured
from referee.forecast.garbage import collecting_less
from referee.forecast.risk_card import Assumption, Deciding, Plan, RiskCard, Situation, Unfigured
from referee.forecast.tree import OfferedDecisions, Point, StepTree, at_once, by, decisions_of, price_of
from referee.journal.journal import Journal
from referee.journal.steps import Open

MOST_SITUATIONS: Final = 100
SEEN_IN: Final = 100
"""In how many random plays the decisions on the way are looked for, where there is no tree."""


def odds_of(
    offer: ActionChoice,
    scene: State | Scene,
    viewer: Seat,
    *,
    policy: Policy = by_default,
    mine: Policy = by_default,
    budget: Budget = NORMAL,
    decisions: bool = True,
    stop: Stop = NEVER_STOP,
) -> RiskCard:
    """The odds of an action, as far as a viewer can know. Everyone except the one who acts decides by policy.

    `mine` is what the one who acts has already decided; it sees only the question. Without `decisions` only the default
    odds are computed, which is quicker.
    """
    query = action_query(offer, scene, viewer, decisions=decisions)
    return replace(query, policy=policy, mine=mine).card(budget, stop)


def odds_at(
    journal: Journal,
    waiting: Open,
    viewer: Seat,
    *,
    policy: Policy = by_default,
    budget: Budget = NORMAL,
    stop: Stop = NEVER_STOP,
) -> RiskCard:
    """The odds for each answer to an open question, from there to the end of the action it belongs to."""
    query = question_query(journal, waiting, viewer)
    return (query if isinstance(query, UnknownQuery) else replace(query, policy=policy)).card(budget, stop)


# Queries.


@final
class Assuming:
    """A policy that notes what it answers about things the viewer may not see."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.is_by_name = is_by_name(policy)
        self._found: set[Assumption] = set()

    def __call__(self, question: Choice[Any], scene: Scene) -> Any:
        answer = self.policy(question, scene)
        if is_hidden(question) and not isinstance(answer, Unknown):
            self._found.add(Assumption(str(question.who or ""), str(question.name), key_of(answer)))
        return answer

    def found(self, *others: Assuming) -> tuple[Assumption, ...]:
        """What was assumed, here and by others."""
        return tuple(sorted(self._found.union(*(each._found for each in others))))


@final
@dataclass(frozen=True)
class UnknownQuery:
    """Odds that depend on something the viewer is not told."""

    what: str

    def card(self, budget: Budget, stop: Stop = NEVER_STOP) -> RiskCard:
        return RiskCard(unknown=self.what)

    def without(self, because: str) -> RiskCard:
        """The card without figures, and why it has none."""
        return RiskCard(unknown=self.what)


@final
@dataclass(frozen=True)
class ActionQuery:
    """What an action would do, in the scene as the viewer knows it; arguments they are not told are unknown."""

    offer: ActionChoice
    state: State
    decisions: bool = True
    plan: bool = True
    """Whether the best decisions are looked for too, which takes longest."""
    policy: Policy = by_default
    mine: Policy = by_default

    @collecting_less
    def card(self, budget: Budget, stop: Stop = NEVER_STOP) -> RiskCard:
        return self.spend(Spending(budget, stop))

    def without(self, because: str) -> RiskCard:
        return RiskCard(missing={"": Unfigured(because)})

    def spend(self, spending: Spending) -> RiskCard:
        """The card, within a part of a larger budget."""
        others, mine = Assuming(self.policy), Assuming(self.mine)
        card = replace(self, policy=others, mine=mine)._figured(spending)
        return replace(card, assumes=others.found(mine))

    def _figured(self, spending: Spending) -> RiskCard:
        offer = self.offer
        step = _Step(offer.call, self.state, offer.action.bands, offer.who, self.policy, mine=self.mine)
        try:
            return step.card(spending, plan=self.plan) if self.decisions else step.default(spending)
        except NotKnown as unknown:
            if unknown.what in offer.action.may_be and unknown.what in offer.arguments:
                return self._curve(unknown.what, spending)
            return RiskCard(unknown=unknown.what)

    def _curve(self, name: str, spending: Spending) -> RiskCard:
        """The odds for each value that a secret figure may have."""
        values = self.offer.action.may_be[name](Scene(self.state))
        guesses = (replace(self.offer, arguments={**self.offer.arguments, name: value}) for value in values)
        offers = {key_of(value): guess for value, guess in zip(values, guesses, strict=True)}
        found = figured({key: _line(each, self.state, self.policy) for key, each in offers.items()}, spending)
        hidden = next((each.what for each in found.values() if isinstance(each, Unfigured) and each.what), None)
        if hidden is not None:
            return RiskCard(unknown=hidden)
        curve, missing = _apart(found)
        return RiskCard(curve=curve, missing=missing, unknown=name)


@final
@dataclass(frozen=True)
class OffersQuery:
    """What each of several actions would do, without their decisions: those of a turn, the lines of a sheet."""

    offers: Mapping[str, ActionChoice]
    state: State
    policy: Policy = by_default
    decided: Mapping[str, Mapping[str, Plain]] = field(default_factory=dict)
    """By offer: what the one who acts would answer on the way, by prompt."""

    @collecting_less
    def card(self, budget: Budget, stop: Stop = NEVER_STOP) -> RiskCard:
        policy = Assuming(self.policy)
        mine = {key: always(**answers) for key, answers in self.decided.items()}
        lines = {
            key: replace(_line(each, self.state, policy), mine=mine.get(key, by_default))
            for key, each in self.offers.items()
        }
        asked, missing = _apart(figured(lines, Spending(budget, stop)))
        return RiskCard(asked=asked, missing=missing, assumes=policy.found())

    def without(self, because: str) -> RiskCard:
        return RiskCard(missing={key: Unfigured(because) for key in self.offers})


@final
@dataclass(frozen=True)
class QuestionQuery:
    """What each answer to an open question would bring: the action it belongs to, and what was seen of it so far."""

    call: Call[Any]
    state: State
    bands: Bands[Any]
    seen: tuple[Answered | OutsideChange, ...]
    asked: tuple[str, ...]
    """The names of everything that is asked now."""
    question: Question[Any]
    part: int
    seat: Seat
    at_once: tuple[tuple[int, Choice[Any]], ...] = ()
    """If several choose at once in secret: all their choices."""
    plan: bool = True
    """Whether the best answers are looked for too, which takes longest."""
    against: bool | None = False
    """Whether whoever is asked hopes that it fails; None if nobody can tell, and then no answer is best."""
    policy: Policy = by_default

    @collecting_less
    def card(self, budget: Budget, stop: Stop = NEVER_STOP) -> RiskCard:
        policy = Assuming(self.policy)
        card = self._figured(policy, Spending(budget, stop))
        return replace(card, assumes=policy.found(), against=self.against)

    def _figured(self, policy: Policy, spending: Spending) -> RiskCard:
        try:
            seen, check, plan = self.seen, spending.stop.check, self.plan and self.against is not None
            trails = possible_trails(self.call, self.state, seen, self.seat, self.asked, check, self.question)
            if not trails:
                raise NotKnown("how it came to this")
            who, against = self.question.who, bool(self.against)
            step = _Step(self.call, self.state, self.bands, who, policy, trails, against=against)
            if self.at_once:
                return step.card_of_pairs(self.at_once, spending)
            if isinstance(self.question, Choice):
                return step.card_at(self.question, self.part, spending, plan=plan)
            return step.card(spending, plan=plan)
        except NotKnown as unknown:
            return RiskCard(unknown=unknown.what)
        except TooLarge:
            if spending.budget.whole:
                raise
            return self.without("time")

    def without(self, because: str) -> RiskCard:
        answers = map(key_of, self.question.legal) if isinstance(self.question, Choice) and not self.at_once else ("",)
        return RiskCard(missing={key: Unfigured(because) for key in answers})


OddsQuery: TypeAlias = UnknownQuery | ActionQuery | OffersQuery | QuestionQuery


def action_query(
    offer: ActionChoice, scene: State | Scene, viewer: Seat, *, decisions: bool = True, plan: bool = True
) -> ActionQuery:
    """What an action would do, as far as a viewer can know."""
    state = known_to(scene.state if isinstance(scene, Scene) else scene, viewer)
    return ActionQuery(known_offer(offer, viewer), state, decisions, plan)


def offers_query(offers: Mapping[str, ActionChoice], scene: State | Scene, viewer: Seat) -> OffersQuery:
    """What each of several actions would do, as far as a viewer can know."""
    state = known_to(scene.state if isinstance(scene, Scene) else scene, viewer)
    return OffersQuery({key: known_offer(each, viewer) for key, each in offers.items()}, state)


def question_query(journal: Journal, waiting: Open, viewer: Seat, *, plan: bool = True) -> OddsQuery:
    """What each answer to an open question would bring. The journal is read now; the odds may be computed later."""
    now = journal.state
    question = known_question(waiting.question, now, viewer)
    call, state, trail, bands, given = action_at(journal, waiting.step)
    if bands is None:
        options = question.options if isinstance(question, Choose) else ()
        offers = (each for each in options if isinstance(each, ActionChoice) and len(each.action.bands.keys) > 1)
        return offers_query({each.key: each for each in offers}, now, viewer)
    trail, parts, asked = _before_secrets(call, state, trail)
    try:
        seen = seen_trail(trail, viewer)
    except NotKnown as unknown:
        return UnknownQuery(unknown.what)
    for each in (question, *(part for _, part in parts)):  # not even the options of a choice from a hidden hand
        if isinstance(each, Choose) and not viewer.sees(each.options_for, each.who and each.who.name):
            return UnknownQuery(f"what {each.who or 'the game master'} chooses")
    at_once = tuple((part, known_question(each, now, viewer)) for part, each in parts)
    known = known_call(call, viewer, given), known_to(state, viewer)
    against = is_against(journal.system, call, now, question)
    return QuestionQuery(*known, bands, seen, asked, question, waiting.part, viewer, at_once, plan, against)


def is_against(system: System, call: Call[Any], state: State, question: Question[Any]) -> bool | None:
    """Whether whoever is asked hopes that an action fails: they react to it, or are on another side.

    None if nobody can tell: they are somebody else, and there are no sides.
    """
    is_acted = any(each.rule is call.rule and not each.master for each in system.actions)
    actor, asked = call.args[0] if is_acted and call.args else question.who, question.who
    if asked is None or actor == asked:
        return False
    if isinstance(question, Choose) and question.reaction:
        return True
    parties = (each.parties() for each in state.values() if isinstance(each, Encounter))
    sides = [{name: at for at, side in enumerate(each) for name in side} for each in parties]
    by = actor.name if isinstance(actor, Who) else ""
    both = [each for each in sides if {by, asked.name} <= each.keys()]
    return both[0][by] != both[0][asked.name] if both else None


def known_offer(offer: ActionChoice, viewer: Seat) -> ActionChoice:
    """An action whose hidden arguments are unknown; its key, which would tell them, is that of the action."""
    call = known_call(offer.call, viewer, offer.arguments)
    named = dict(zip(call.rule.parameters, call.args, strict=False))
    return replace(offer, key=offer.action.key, arguments={name: named[name] for name in offer.arguments})


def _line(offer: ActionChoice, state: State, policy: Policy) -> OddsLine:
    return OddsLine(offer.call, state, offer.action.bands, offer.who, by_default, policy)


def _apart(found: Mapping[str, Forecast | Unfigured]) -> tuple[dict[str, Forecast], dict[str, Unfigured]]:
    """The figures, and what has none."""
    figures = {key: each for key, each in found.items() if isinstance(each, Forecast)}
    return figures, {key: each for key, each in found.items() if isinstance(each, Unfigured)}


def action_at(journal: Journal, step: int) -> tuple[Call[Any], State, Trail, Bands[Any] | None, Mapping[str, Any]]:
    """The action behind an open step, with its bands and arguments.

    An action chosen within the step (in a turn) begins where it was chosen.
    """
    call, state, trail = journal.trail(step)
    answered = ((at, each) for at, each in enumerate(trail) if isinstance(each, Answered))
    chosen = [(at, each.answer) for at, each in answered if isinstance(each.answer, ActionChoice)]
    if not chosen:
        bands = next((each.bands for each in journal.system.actions if each.rule is call.rule), None)
        return call, state, trail, bands, journal.record.began(step).arguments
    at, offer = chosen[-1]
    run = follow(call, Scene(state), trail[:at], pause_at_calls=False)
    run.close()
    return offer.call, run.scene.state, trail[at + 1 :], offer.action.bands, offer.arguments


def _before_secrets(
    call: Call[Any], state: State, trail: Trail
) -> tuple[Trail, list[tuple[int, Choice[Any]]], tuple[str, ...]]:
    """What is asked now. If several choose at once: their choices, and the trail without the answers already given."""
    run = follow(call, Scene(state), trail, pause_at_calls=False)
    run.close()
    asked = tuple(str(each.name) for each in run.asking)
    if not at_once(run):
        return trail, [], asked
    choices = [(part, each) for part, each in enumerate(run.asking) if isinstance(each, Choice)]
    without_choice = sum(isinstance(each, Choose) and each.is_no_choice for each in run.asking)
    given = len(run.asking) - len(run.open) - without_choice
    chosen = [at for at, each in enumerate(trail) if isinstance(each, Answered)][-given:] if given else ()
    return tuple(each for at, each in enumerate(trail) if at not in chosen), choices, asked


# Cards.


@final
@dataclass
class _Step:
    """A step as a viewer knows it, and who decides in it; `trails` are all trails it may have had so far."""

    call: Call[Any]
    state: State
    bands: Bands[Any]
    decider: Who[Any] | None
    policy: Policy
    trails: Sequence[tuple[Trail, int]] = (((), 1),)
    mine: Policy = by_default
    asked: OfferedDecisions = field(default_factory=OfferedDecisions)
    """The decisions that came up so far, with their options."""
    against: bool = False
    """Whether the one who decides hopes that it fails."""

    @property
    def hoped(self) -> tuple[str, ...]:
        """The bands that the one who decides hopes for."""
        good = self.bands.good
        return tuple(key for key in self.bands.keys if key not in good) if self.against else good

    def line(self, mine: Policy, *more: Answered) -> OddsLine:
        """One figure of the card: the step with some more answers, decided by a policy."""
        trails = tuple(((*trail, *more), weight) for trail, weight in self.trails)
        return OddsLine(self.call, self.state, self.bands, self.decider, mine, self.policy, trails, self.asked)

    def default(self, spending: Spending) -> RiskCard:
        """The card without decisions."""
        now = figured({"": self.line(self.mine)}, spending, strict=True)[""]
        return RiskCard(now) if isinstance(now, Forecast) else RiskCard(missing={"": now})

    def card(self, spending: Spending, *, plan: bool = True) -> RiskCard:
        """The card from where the step is now: the default odds, each decision on the way, the best ones."""
        now: Forecast | None = None
        try:
            part = spending.part(0.3 if spending.budget.plays else 1.0)
            now = self.line(self.mine).exactly(part.exact(self.line(self.mine)), part.stop)
            return self._with_tree(now, spending.part(0.5)) if plan else self._with_decisions(now, spending)
        except TooLong:
            if spending.budget.whole:
                raise
            return self._with_decisions(now or self.line(self.mine).nearly(spending.part(0.5)), spending)
        except TooLarge:
            if spending.budget.whole:
                raise
            return self._with_decisions(now, spending)

    def card_at(self, question: Choice[Any], part: int, spending: Spending, *, plan: bool = True) -> RiskCard:
        """The card for an open question: every answer, and which of them is best."""
        lines = {key_of(each): self.line(self.mine, Answered(question, part, each)) for each in question.legal}
        asked, missing = _apart(figured(lines, spending.part(0.6) if plan else spending))
        best = self._best_answer(question, asked, spending) if plan and len(asked) == len(lines) else None
        return RiskCard(asked.get(key_of(question.default)), asked, best=best, missing=missing)

    def card_of_pairs(self, parts: Sequence[tuple[int, Choice[Any]]], spending: Spending) -> RiskCard:
        """The card for choices made at once: every combination of them."""
        lines = {
            " / ".join(map(key_of, options)): self.line(
                self.mine,
                *(Answered(question, part, option) for (part, question), option in zip(parts, options, strict=True)),
            )
            for options in product(*(question.legal for _, question in parts))
        }
        pairs, missing = _apart(figured(lines, spending))
        return RiskCard(pairs=pairs, missing=missing)

    def _best_answer(self, question: Choice[Any], asked: Mapping[str, Forecast], spending: Spending) -> Plan | None:
        """The best answer and what to do after it, if everything is visible and exact."""
        if len(self.trails) > 1 or any(each.samples for each in asked.values()):
            return None
        if self.decider is None:
            worth = {key: each.chance_of(self.hoped) for key, each in asked.items()}
            here = Situation(str(question.name), _about(question), Fraction(1), worth)
            return Plan(self.hoped, asked[here.best[0]], (here,))
        try:
            (tree,) = self._trees(spending)
            return self._plan(tree[0])
        except TooLarge:
            if spending.budget.whole:
                raise
            return None

    # By a tree of chance and decisions.

    def _trees(self, spending: Spending) -> list[tuple[StepTree[Any], int]]:
        deciding = {self.decider.name} if self.decider else ()
        runs = spending.budget.runs
        return [
            (StepTree(self.call, self.state, deciding, self.policy, trail, None, runs, spending.stop), weight)
            for trail, weight in self.trails
        ]

    def _with_tree(self, now: Forecast, spending: Spending) -> RiskCard:
        """The card with its decisions and the best of them, all exact."""
        trees = self._trees(spending)
        options = decisions_of(*(each.results for each, _ in trees))
        decisions = tuple(
            Deciding(prompt, {key: self._forecast(trees, always(**{prompt: key})) for key in keys})
            for prompt, keys in options.items()
        )
        plan = self._plan(trees[0][0]) if options and len(trees) == 1 else None
        return RiskCard(now, decisions=decisions, best=plan, complete=True)

    def _forecast(self, trees: Sequence[tuple[StepTree[Any], int]], policy: Policy) -> Forecast:
        rows = [
            (each.weighed_by_result(self._width, self._counted, by(policy)).vector, weight) for each, weight in trees
        ]
        return Forecast.of_vector(mean(rows, sum(weight for _, weight in rows)), self.bands)

    def _plan(self, tree: StepTree[Any]) -> Plan:
        weighed = tree.weighed_by_result(self._width, self._counted)
        return Plan(self.hoped, Forecast.of_vector(weighed.vector, self.bands), _situations(weighed.points()))

    def _counted(self, result: Any) -> Vector:
        return counted(replace(self.bands, good=self.hoped), result)

    @property
    def _width(self) -> int:
        return 1 + len(self.bands.keys) + len(self.bands.extra) + len(self.bands.bad)

    # Without one.

    def _with_decisions(self, now: Forecast | None, spending: Spending) -> RiskCard:
        """The card with the decisions that come up, each option as a figure of its own.

        If not even the default odds could be exact, the others are not tried: all are sampled.
        """
        found: dict[str, Forecast | Unfigured] = {} if now is None else {"": now}
        if now is None:
            self._look_for_decisions(spending.part(0.15).stop, min(SEEN_IN, spending.budget.plays))
        while wanted := {key: self.line(policy) for key, policy in self._lines() if key not in found}:
            found |= figured(wanted, spending, exact=now is not None)
        figures, missing = _apart(found)
        decisions = tuple(
            Deciding(prompt, {key: figures[f"{prompt} {key}"] for key in keys if f"{prompt} {key}" in figures})
            for prompt, keys in self.asked.items()
            if self.asked.is_offered_whole(prompt)
        )
        return RiskCard(figures.get(""), decisions=decisions, missing=missing)

    def _lines(self) -> list[tuple[str, Policy]]:
        """The default odds, and every option of every decision that is known so far."""
        asked = ((prompt, keys) for prompt, keys in self.asked.items() if self.asked.is_offered_whole(prompt))
        options = [(prompt, key) for prompt, keys in asked for key in keys]
        return [("", self.mine), *((f"{prompt} {key}", always(**{prompt: key})) for prompt, key in options)]

    def _look_for_decisions(self, stop: Stop, most: int) -> None:
        """Play at random, to see which decisions come up."""
        plays = Plays(self.line(at_random(Random(0))))
        try:
            for _ in range(most):
                stop.check()
                plays.play()
        except OutOfTime:
            pass


def _situations(points: Sequence[Point]) -> tuple[Situation, ...]:
    """Decisions as situations; those that look alike and are worth the same are merged."""
    chances: defaultdict[tuple[str, Plain, tuple[tuple[str, Fraction], ...]], Fraction] = defaultdict(Fraction)
    about: dict[str, Plain] = {}
    for point in points:
        plain = _about(point.question)
        about[phrase(plain, whole=True)] = plain
        options = sorted(point.options, key=lambda each: price_of(point.question, each[0]))
        worth = tuple((key_of(option), vector[0]) for option, vector in options)
        chances[str(point.question.name), phrase(plain, whole=True), worth] += point.chance
    found = [Situation(prompt, about[told], chance, dict(worth)) for (prompt, told, worth), chance in chances.items()]
    return tuple(sorted(found, key=lambda each: -each.chance)[:MOST_SITUATIONS])


def _about(question: Choice[Any]) -> Plain:
    """What a decision is about, such as the throw on the table."""
    return write(question.about) if isinstance(question, Choose) else None
