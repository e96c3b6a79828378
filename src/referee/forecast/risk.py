"""The risk card: the possible outcomes of a decision before it is made, from what the viewer knows and nothing else.

    card = odds_of(TOSS.by(ana, bet=2), state, seat)
    card.now.bands["success"], card.best.forecast.bands["success"], card.decisions

Odds are computed exactly within a time budget; beyond it, figures are sampled and carry their error.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from time import monotonic
from typing import Any, Final, final

from referee.core.actions import ActionChoice, Bands
from referee.core.errors import NotKnown, TooLarge
from referee.core.knowledge import known_call, known_question, known_to, possible_trails
from referee.core.plain import Plain, write
from referee.core.questions import Chance, Choice, Choose, Question, key_of
from referee.core.replay import Answered, Trail, follow
from referee.core.rules import Call
from referee.core.run import drive
from referee.core.scene import Scene, State, Who
from referee.core.visibility import Seat
from referee.core.wording import phrase
from referee.drivers.exact import MOST_RUNS, Exact
from referee.drivers.policies import Policy, always, at_random, by_default, decided
from referee.forecast.bands import Forecast, Vector, counted, forecast, mean
from referee.forecast.risk_card import Deciding, Plan, RiskCard, Situation
from referee.forecast.tree import Point, StepTree, at_once, by, decisions_of, note_options
from referee.journal.journal import Journal
from referee.journal.steps import Open

MOST_SITUATIONS: Final = 100


@final
@dataclass(frozen=True)
class Budget:
    """How much time and how many rule runs exact odds may take; beyond that, in how many plays figures are counted.

    Without `seconds` the result is the same each time, however slow the machine.
    """

    seconds: float | None = 1.0
    runs: int = MOST_RUNS
    plays: int = 100_000
    least_plays: int = 100

    def share(self, of: int) -> Budget:
        """One of `of` equal parts, for sampling, which gets half of the time."""
        seconds = None if self.seconds is None else self.seconds / 2 / of
        return replace(self, seconds=seconds)

    @property
    def until(self) -> float | None:
        return None if self.seconds is None else monotonic() + self.seconds


NORMAL: Final = Budget()
EVERYTHING_SEEN: Final = Seat("", master=True)


def odds_of(
    offer: ActionChoice,
    scene: State | Scene,
    viewer: Seat,
    *,
    policy: Policy = by_default,
    mine: Policy = by_default,
    budget: Budget = NORMAL,
    decisions: bool = True,
    exact: Exact | None = None,
) -> RiskCard:
    """The odds of an action, as far as a viewer can know. Everyone except the one who acts decides by policy.

    `mine` is what the one who acts has already decided; it sees only the question. Without `decisions` only the default
    odds are computed, which is quicker; `exact` then remembers what several actions of the same character share.
    """
    state = known_to(scene.state if isinstance(scene, Scene) else scene, viewer)
    call = known_call(offer.call, viewer, offer.arguments)
    step = _Step(call, state, offer.action.bands, offer.who, policy, budget, mine=mine, exact=exact)
    try:
        return step.card() if decisions else RiskCard(step.default())
    except NotKnown as unknown:
        if unknown.what in offer.action.may_be and unknown.what in offer.arguments:
            return _curve(offer, unknown.what, state, policy, budget)
        return RiskCard(unknown=unknown.what)


def _curve(offer: ActionChoice, name: str, state: State, policy: Policy, budget: Budget) -> RiskCard:
    """The odds for each value that a secret figure may have, in the scene as the viewer knows it."""
    values = offer.action.may_be[name](Scene(state))
    curve: dict[str, Forecast] = {}
    for value in values:
        guess = replace(offer, arguments={**offer.arguments, name: value})
        card = odds_of(guess, state, EVERYTHING_SEEN, policy=policy, budget=budget, decisions=False)
        if card.now is None:
            return card
        curve[key_of(value)] = card.now
    return RiskCard(curve=curve, unknown=name)


def odds_at(
    journal: Journal, waiting: Open, viewer: Seat, *, policy: Policy = by_default, budget: Budget = NORMAL
) -> RiskCard:
    """The odds for each answer to an open question, from there to the end of the action it belongs to."""
    return odds_later(journal, waiting, viewer, policy)(budget)


def odds_later(
    journal: Journal, waiting: Open, viewer: Seat, policy: Policy = by_default
) -> Callable[[Budget], RiskCard]:
    """The same, but the journal is read now, so that the odds can be computed while play continues."""
    found, now = _action_at(journal, waiting.step), journal.state
    return lambda budget: _odds_at(found, now, waiting, viewer, policy, budget)


def _odds_at(
    found: tuple[Call[Any], State, Trail, Bands[Any] | None, Mapping[str, Any]],
    now: State,
    waiting: Open,
    viewer: Seat,
    policy: Policy,
    budget: Budget,
) -> RiskCard:
    question = known_question(waiting.question, now, viewer)
    call, state, trail, bands, given = found
    try:
        if bands is None:
            return _offered(question, now, viewer, policy, budget)
        trail, parts, asked = _before_secrets(call, state, trail)
        call, state = known_call(call, viewer, given), known_to(state, viewer)
        step = _Step(
            call, state, bands, question.who, policy, budget, possible_trails(call, state, trail, viewer, asked)
        )
        if parts:
            return step.card_of_pairs([(part, known_question(each, now, viewer)) for part, each in parts])
        return step.card_at(question, waiting.part) if isinstance(question, Choice) else step.card()
    except NotKnown as unknown:
        return RiskCard(unknown=unknown.what)


def _action_at(journal: Journal, step: int) -> tuple[Call[Any], State, Trail, Bands[Any] | None, Mapping[str, Any]]:
    """The action behind an open step, with its bands and arguments.

    An action chosen within the step (in a turn) begins where it was chosen.
    """
    call, state, trail = journal.trail(step)
    answered = ((at, each) for at, each in enumerate(trail) if isinstance(each, Answered))
    chosen = [at for at, each in answered if isinstance(each.answer, ActionChoice)]
    if not chosen:
        bands = next((each.bands for each in journal.system.actions if each.rule is call.rule), None)
        return call, state, trail, bands, journal.record.began(step).arguments
    at = chosen[-1]
    offer = trail[at].answer  # type: ignore[union-attr]  # it was looked for among answers
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


def _offered(question: Question[Any], state: State, viewer: Seat, policy: Policy, budget: Budget) -> RiskCard:
    """For a choice of actions: the odds of each. The slow ones are computed last."""
    options = question.options if isinstance(question, Choose) else ()
    offers = [each for each in options if isinstance(each, ActionChoice) and len(each.action.bands.keys) > 1]
    first = {offer.action.key: offer for offer in reversed(offers)}
    waiting = deque([*first.values(), *(each for each in offers if each is not first[each.action.key])])
    by_who: dict[Who[Any] | None, Exact] = {}
    asked: dict[str, Forecast] = {}
    slow: set[str] = set()
    until = budget.until
    while waiting:
        if waiting[0].action.key in slow and any(each.action.key not in slow for each in waiting):
            waiting.rotate(-1)
            continue
        left = None if until is None else max(0.0, until - monotonic()) / len(waiting)
        offer = waiting.popleft()
        exact = by_who.setdefault(offer.who, Exact(_together(offer.who, by_default, policy)))
        share = replace(budget, seconds=left)
        now = odds_of(offer, state, viewer, policy=policy, budget=share, decisions=False, exact=exact).now
        if now is not None:
            asked[offer.key] = now
            slow |= {offer.action.key} if now.samples else set()
    return RiskCard(asked={offer.key: asked[offer.key] for offer in offers if offer.key in asked})


@final
@dataclass
class _Step:
    """A step as a viewer knows it, and who decides in it; `trails` are all trails it may have had so far."""

    call: Call[Any]
    state: State
    bands: Bands[Any]
    decider: Who[Any] | None
    policy: Policy
    budget: Budget
    trails: Sequence[tuple[Trail, int]] = (((), 1),)
    mine: Policy = by_default
    exact: Exact | None = None
    """The driver for the default odds; it may remember what it has already computed."""

    def card(self, *more: Answered) -> RiskCard:
        """The card from where the step is now, or after some more answers."""
        try:
            return self._exactly(more)
        except TooLarge:
            return self._roughly(more)

    def card_at(self, question: Choice[Any], part: int) -> RiskCard:
        """The card for an open question: every answer, and which of them is best."""
        cards = {key_of(each): self.card(Answered(question, part, each)) for each in question.legal}
        asked = {key: card.now for key, card in cards.items() if card.now is not None}
        best = {key: card.best.forecast if card.best else asked[key] for key, card in cards.items()}
        return RiskCard(asked.get(key_of(question.default)), asked, best=self._best_answer(question, cards, best))

    def card_of_pairs(self, parts: Sequence[tuple[int, Choice[Any]]]) -> RiskCard:
        """The card for choices made at once: every combination of them."""
        pairs = {
            " / ".join(map(key_of, options)): self.card(
                *(Answered(question, part, option) for (part, question), option in zip(parts, options, strict=True))
            )
            for options in product(*(question.legal for _, question in parts))
        }
        return RiskCard(pairs={key: card.now for key, card in pairs.items() if card.now is not None})

    def _best_answer(
        self, question: Choice[Any], cards: Mapping[str, RiskCard], best: Mapping[str, Forecast]
    ) -> Plan | None:
        """The best answer and what to do after it, if everything is visible and exact."""
        if len(self.trails) > 1 or any(each.samples for each in best.values()):
            return None
        worth = {key: each.chance_of(self.bands.good) for key, each in best.items()}
        here = Situation(str(question.name), _about(question), Fraction(1), worth)
        later = cards[here.best[0]].best
        return Plan(self.bands.good, best[here.best[0]], (here, *(later.situations if later else ())))

    # Exact.

    def _exactly(self, more: tuple[Answered, ...]) -> RiskCard:
        deciding = {self.decider.name} if self.decider else ()
        until = self.budget.until
        trees = [
            (StepTree(self.call, self.state, deciding, self.policy, (*trail, *more), until, self.budget.runs), weight)
            for trail, weight in self.trails
        ]
        options = decisions_of(*(each.results for each, _ in trees))
        plan = self._plan(trees[0][0]) if options and len(trees) == 1 else None
        return RiskCard(
            self._forecast(trees, self.mine),
            decisions=tuple(
                Deciding(prompt, {key: self._forecast(trees, always(**{prompt: key})) for key in keys})
                for prompt, keys in options.items()
            ),
            best=plan,
        )

    def _forecast(self, trees: Sequence[tuple[StepTree[Any], int]], policy: Policy) -> Forecast:
        rows = [
            (each.weighed_by_result(self._width, self._counted, by(policy)).vector, weight) for each, weight in trees
        ]
        return Forecast.of_vector(mean(rows, sum(weight for _, weight in rows)), self.bands)

    def _plan(self, tree: StepTree[Any]) -> Plan:
        weighed = tree.weighed_by_result(self._width, self._counted)
        return Plan(self.bands.good, Forecast.of_vector(weighed.vector, self.bands), _situations(weighed.points()))

    def _counted(self, result: Any) -> Vector:
        return counted(self.bands, result)

    @property
    def _width(self) -> int:
        return 1 + len(self.bands.keys) + len(self.bands.extra) + len(self.bands.bad)

    # Sampled.

    def _roughly(self, more: tuple[Answered, ...]) -> RiskCard:
        """Beyond the budget: the default odds are exact if possible, all others are sampled."""
        options = self._seen_by_chance(more)
        share = self.budget.share(1 + sum(map(len, options.values())))
        decisions = (
            Deciding(prompt, {key: self._sampled(more, always(**{prompt: key}), share)[0] for key in keys})
            for prompt, keys in options.items()
        )
        return RiskCard(self.default(*more), decisions=tuple(decisions))

    def default(self, *more: Answered) -> Forecast:
        """The default odds: exact if there is time, otherwise sampled."""
        try:
            exact = self.exact or Exact(_together(self.decider, self.mine, self.policy))
            exact.seconds, exact.most_runs = self.budget.seconds, self.budget.runs
            found = [(forecast(self.call, self.state, self.bands, exact, (*t, *more)), w) for t, w in self.trails]
        except TooLarge:
            return self._sampled(more, self.mine, self.budget.share(1))[0]
        rows = [(each.vector(self.bands), weight) for each, weight in found]
        return Forecast.of_vector(mean(rows, sum(weight for _, weight in rows)), self.bands)

    def _seen_by_chance(self, more: tuple[Answered, ...]) -> dict[str, dict[str, None]]:
        """The decisions that come up when everything is decided at random."""
        _, asked = self._sampled(more, at_random(Random(0)), replace(self.budget, plays=self.budget.least_plays))
        return asked

    def _sampled(
        self, more: tuple[Answered, ...], mine: Policy, budget: Budget
    ) -> tuple[Forecast, dict[str, dict[str, None]]]:
        """A forecast from as many plays as there is time for, and the decisions that came up."""
        random, policy, asked = Random(0), _together(self.decider, mine, self.policy), dict[str, dict[str, None]]()
        trails, weights = zip(*self.trails, strict=True)

        def answer(question: Question[Any], scene: Scene) -> Any:
            if isinstance(question, Chance):
                return question.read(question.at_random(random.randrange))
            if question.who == self.decider and isinstance(question, Choice):
                note_options(asked, question)
            return decided(policy, question, scene)

        counts: Counter[Vector] = Counter()
        until = budget.until
        while (n := counts.total()) < budget.plays:
            if n >= budget.least_plays and until is not None and monotonic() > until:
                break
            (trail,) = random.choices(trails, weights)
            run = follow(self.call, Scene(self.state), (*trail, *more), pause_at_calls=False)
            counts[counted(self.bands, drive(run, answer))] += 1
        return Forecast.of_vector(mean(list(counts.items()), n), self.bands, samples=n), asked


def _together(decider: Who[Any] | None, mine: Policy, others: Policy) -> Policy:
    """One policy for the one who decides, another for everyone else."""
    return lambda question, scene: (mine if question.who == decider else others)(question, scene)


def _situations(points: Sequence[Point]) -> tuple[Situation, ...]:
    """Decisions as situations; those that look alike and are worth the same are merged."""
    chances: defaultdict[tuple[str, Plain, tuple[tuple[str, Fraction], ...]], Fraction] = defaultdict(Fraction)
    about: dict[str, Plain] = {}
    for point in points:
        plain = _about(point.question)
        about[phrase(plain, whole=True)] = plain
        worth = tuple((key_of(option), vector[0]) for option, vector in point.options)
        chances[str(point.question.name), phrase(plain, whole=True), worth] += point.chance
    found = [Situation(prompt, about[told], chance, dict(worth)) for (prompt, told, worth), chance in chances.items()]
    return tuple(sorted(found, key=lambda each: -each.chance)[:MOST_SITUATIONS])


def _about(question: Choice[Any]) -> Plain:
    """What a decision is about, such as the throw on the table."""
    return write(question.about) if isinstance(question, Choose) else None
