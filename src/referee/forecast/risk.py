"""The risk card: the possible outcomes of a decision before it is made, from what the viewer knows and nothing else.

    card = odds_of(TOSS.by(ana, bet=2), known_to(state, seat), seat)
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
from math import prod
from random import Random
from typing import Any, Final, TypeAlias, final

from referee.core.actions import ACTIONS, ActionChoice
from referee.core.bands import DONE, Bands
from referee.core.cards import Pile
from referee.core.encounter import HasSides
from referee.core.errors import NotKnown, OutOfTime, TooLarge, TooLong
from referee.core.knowledge import KnownState, PossibleWay, known_call, possible_ways, supposing
from referee.core.plain import Plain, write
from referee.core.questions import Choice, Choose, Question, is_hidden, key_of
from referee.core.relation import Relation, in_encounters
from referee.core.replay import Answered, OutsideChange
from referee.core.rules import Call
from referee.core.scene import Scene, Who
from referee.core.system import system_of
from referee.core.unknown import Unknown
from referee.core.visibility import Seat
from referee.core.wording import phrase
from referee.drivers.policies import Policy, always, at_random, by_default, is_by_name
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.bands import Forecast, Vector, counted, mean
from referee.forecast.figures import NORMAL, Budget, OddsLine, Plays, RuleSoFar, Spending, figured
from referee.forecast.garbage import collecting_less
from referee.forecast.risk_card import BESIDE, NO_FIGURES, Assumption, Deciding, Plan, RiskCard, Situation, Unfigured
from referee.forecast.tree import OfferedDecisions, Point, StepTree, by, decisions_of, price_of

MOST_SITUATIONS: Final = 100
MOST_COMBINATIONS: Final = 64
"""How many combinations of choices made at once have figures: a table larger than that is not read, nor in time."""
SEEN_IN: Final = 100
"""In how many random plays the decisions on the way are looked for, where there is no tree."""


def odds_of(
    offer: ActionChoice,
    known: KnownState,
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
    query = action_query(offer, known, viewer, decisions=decisions)
    return replace(query, policy=policy, mine=mine).card(budget, stop)


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
    state: KnownState
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
        step = _Step((RuleSoFar(offer.call, self.state),), offer.action.bands, offer.who, self.policy, mine=self.mine)
        try:
            return step.card(spending, plan=self.plan) if self.decisions else step.default(spending)
        except NotKnown as unknown:
            if unknown.what in offer.action.may_be and unknown.what in offer.arguments:
                values = offer.action.may_be[unknown.what](Scene(self.state))
                guesses = [replace(offer, arguments={**offer.arguments, unknown.what: value}) for value in values]
                places = [(guess, self.state) for guess in guesses]
            elif (possible := _possible(self.state, unknown.what)) is not None:
                values, (name, _, path) = possible, unknown.what.rpartition(".")
                places = [(offer, supposing(self.state, name, path, write(value))) for value in values]
            else:
                return RiskCard(unknown=unknown.what)
            return self._curve(unknown.what, dict(zip(map(key_of, values), places, strict=True)), spending)

    def _curve(self, name: str, places: Mapping[str, tuple[ActionChoice, KnownState]], spending: Spending) -> RiskCard:
        """The odds for each value that a secret figure may have."""
        found = figured({key: _line(*place, self.policy) for key, place in places.items()}, spending)
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
    state: KnownState
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
    """What each answer to an open question would bring: the step it belongs to, and what was seen of it so far."""

    call: Call[Any]
    state: KnownState
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
    policy: Policy = by_default

    @collecting_less
    def card(self, budget: Budget, stop: Stop = NEVER_STOP) -> RiskCard:
        policy = Assuming(self.policy)
        card = self._figured(policy, Spending(budget, stop))
        return replace(card, assumes=policy.found())

    def _figured(self, policy: Policy, spending: Spending) -> RiskCard:
        """The card about the innermost rule that decides something and is still open, and the one around it."""
        found: RiskCard | None = None
        try:
            check = spending.stop.check
            ways = possible_ways(self.call, self.state, self.seen, self.seat, self.asked, check, self.question)
            if not ways:
                raise NotKnown("how it came to this")
            stakes = [each for each in _at_stake(ways) if self.question.who or not each[0].of_each]
            for left, stake in zip(range(len(stakes), 0, -1), stakes, strict=True):
                card = self._about(stake, policy, spending.part(0.6) if left > 1 else spending, is_first=found is None)
                if found is not None and card.asked != found.asked and not card.is_settled:
                    return replace(found, around=card)
                if found is None and not card.is_settled:
                    found = card
        except NotKnown as unknown:
            return found or RiskCard(unknown=unknown.what)
        except TooLarge:
            if spending.budget.whole:
                raise
            return found or self.without("time")
        return found or self.without("same" if stakes else "no-stake")

    def _about(self, stake: tuple[RuleSoFar, ...], policy: Policy, spending: Spending, *, is_first: bool) -> RiskCard:
        """The card about one of the rules in progress."""
        call, state, _, _ = stake[0]
        bands, who = call.rule.bands or DONE, self.question.who
        against = False if bands.each else is_against(call, state, self.question)
        step = _Step(stake, bands.told_to(str(who)), who, policy, against=bool(against))
        plan = self.plan and is_first and against is not None
        if isinstance(self.question, Choice) and self._is_read_with_the_others:
            others = tuple(each for each in self.at_once if each[0] != self.part)
            card = step.card_of_pairs(((self.part, self.question), *others), spending)
        elif isinstance(self.question, Choice):
            plan = plan and not self.at_once
            card = step.card_at(self.question, self.part, spending, plan=plan)
        else:
            card = step.card(spending, plan=plan)
        toward_others = who is not None and who not in call.args
        return replace(card, against=against, toward_others=toward_others, about=call.rule.id, good=step.bands.good)

    @property
    def _is_read_with_the_others(self) -> bool:
        """Whether each combination with what others choose at once has a figure; else the others choose as usual."""
        combinations = prod(len(each.legal) for _, each in self.at_once)
        return bool(self.at_once) and not self._others_may_decline and combinations <= MOST_COMBINATIONS

    @property
    def _others_may_decline(self) -> bool:
        """Whether all others who choose at once may decline: then they do, as in all that is asked later."""
        others = (each for part, each in self.at_once if part != self.part)
        return all(isinstance(each, Choose) and each.may_decline for each in others)

    def without(self, because: str) -> RiskCard:
        if because in NO_FIGURES:
            return RiskCard(missing={"": Unfigured(because)})
        answers = map(key_of, self.question.legal) if isinstance(self.question, Choice) and not self.at_once else ("",)
        return RiskCard(missing={key: Unfigured(because) for key in answers})


def _at_stake(ways: Sequence[PossibleWay]) -> list[tuple[RuleSoFar, ...]]:
    """What is still to be decided on every way that a step may have gone, innermost first."""
    by_rule = [{each.call.rule: each for each in way.stakes} for way in ways]
    return [
        tuple(
            RuleSoFar(here[rule].call, here[rule].state, way.trail[here[rule].given :], way.weight)
            for way, here in zip(ways, by_rule, strict=True)
        )
        for rule in reversed(by_rule[0])
        if all(rule in each for each in by_rule)
    ]


OddsQuery: TypeAlias = UnknownQuery | ActionQuery | OffersQuery | QuestionQuery


def _possible(state: KnownState, what: str) -> Sequence[Any] | None:
    """What a field of the scene that the viewer does not know may be, if its system says so."""
    system = system_of(state)
    return None if system is None else system.possible(Scene(state), what)


def action_query(
    offer: ActionChoice, known: KnownState, viewer: Seat, *, decisions: bool = True, plan: bool = True
) -> ActionQuery:
    """What an action would do, as far as a viewer can know."""
    return ActionQuery(known_offer(offer, viewer), known, decisions, plan)


def offers_query(offers: Mapping[str, ActionChoice], known: KnownState, viewer: Seat) -> OffersQuery:
    """What each of several actions would do, as far as a viewer can know."""
    return OffersQuery({key: known_offer(each, viewer) for key, each in offers.items()}, known)


def is_against(call: Call[Any], known: KnownState, question: Question[Any]) -> bool | None:
    """Whether whoever is asked hopes that a rule goes badly for its first person: they are on another side.

    So does whoever reacts to an action. None if nobody can tell: they are somebody else, and no sides are known.
    """
    action, asked = ACTIONS.get(call.rule.id), question.who
    named = (each for each in call.args if isinstance(each, Who))
    whose = next((each for each in named if not isinstance(known.get(each.name), (HasSides, Pile))), None)
    if asked is None or whose in (None, asked) or (action is not None and action.master):
        return False
    if action is not None and isinstance(question, Choose) and question.reaction:
        return True
    found = in_encounters(known, asked.name, whose.name)
    return None if found is None else found is Relation.FOE


def known_offer(offer: ActionChoice, viewer: Seat) -> ActionChoice:
    """An action whose hidden arguments are unknown; its key, which would tell them, is that of the action."""
    call = known_call(offer.call, viewer, offer.arguments)
    named = dict(zip(call.rule.parameters, call.args, strict=False))
    return replace(offer, key=offer.action.key, arguments={name: named[name] for name in offer.arguments})


def _line(offer: ActionChoice, state: KnownState, policy: Policy) -> OddsLine:
    return OddsLine((RuleSoFar(offer.call, state),), offer.action.bands, offer.who, by_default, policy)


def _apart(found: Mapping[str, Forecast | Unfigured]) -> tuple[dict[str, Forecast], dict[str, Unfigured]]:
    """The figures, and what has none."""
    figures = {key: each for key, each in found.items() if isinstance(each, Forecast)}
    return figures, {key: each for key, each in found.items() if isinstance(each, Unfigured)}


# Cards.


@final
@dataclass
class _Step:
    """A rule as a viewer knows it, as far as it may have got, and who decides in it."""

    ways: tuple[RuleSoFar, ...]
    bands: Bands[Any]
    decider: Who[Any] | None
    policy: Policy
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
        """One figure of the card: the rule with some more answers, decided by a policy."""
        ways = tuple(each.then(*more) for each in self.ways)
        return OddsLine(ways, self.bands, self.decider, mine, self.policy, self.asked)

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
        """The card for choices made at once: every combination of them, one's own answer first.

        If what the others choose makes no difference, it has a figure for each answer of one's own instead.
        """
        lines = {
            BESIDE.join(map(key_of, options)): self.line(
                self.mine,
                *(Answered(question, part, option) for (part, question), option in zip(parts, options, strict=True)),
            )
            for options in product(*(question.legal for _, question in parts))
        }
        pairs, missing = _apart(figured(lines, spending))
        by_answer: defaultdict[str, list[Forecast]] = defaultdict(list)
        for key, each in pairs.items():
            by_answer[key.partition(BESIDE)[0]].append(each)
        if not missing and all(each == found[0] for found in by_answer.values() for each in found):
            return RiskCard(asked={key: found[0] for key, found in by_answer.items()})
        return RiskCard(pairs=pairs, missing=missing)

    def _best_answer(self, question: Choice[Any], asked: Mapping[str, Forecast], spending: Spending) -> Plan | None:
        """The best answer and what to do after it, if everything is visible and exact."""
        if len(self.ways) > 1 or any(each.samples for each in asked.values()):
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
            (StepTree(at.weighed, at.state, deciding, self.policy, at.trail, None, runs, spending.stop), at.weight)
            for at in self.ways
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
