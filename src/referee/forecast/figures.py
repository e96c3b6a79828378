"""The figures of one card: all of them share one budget, each is exact, or sampled with its error, or says why not.

    found = figured({"attack": OddsLine(...), "aim": OddsLine(...)}, Spending(Budget(1.5), stop))

The quick ones come first and leave their time to the others; what does not fit is sampled, the least certain first.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final, NamedTuple, final

from referee.core.bands import Bands
from referee.core.errors import Cancelled, NotKnown, OutOfTime, Refused, TooLarge, TooLong
from referee.core.knowledge import KnownState
from referee.core.plain import frozen
from referee.core.questions import Chance, Choice, Question, is_hidden
from referee.core.replay import Answered, Trail, follow
from referee.core.rules import Call, Rule, foreseen
from referee.core.run import drive
from referee.core.scene import Scene, Who
from referee.drivers.exact import MOST_RUNS, Exact
from referee.drivers.memory import SharedOdds
from referee.drivers.policies import Policy, decided, is_by_name
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.bands import Forecast, Vector, counted, forecast, mean
from referee.forecast.risk_card import Unfigured
from referee.forecast.tree import OfferedDecisions

LOG: Final = logging.getLogger("referee.forecast")
EXACTLY: Final = 0.75
"""The share of the time in which figures are tried exactly; then they are sampled."""
SLICES: Final = (0.01, 0.08, 0.4)
"""What one figure may take of that, the first time it is tried, and later."""
FAILURES: Final = 2
"""After so many figures of one rule that did not fit, the others of that rule wait for the next time."""
BATCH: Final = 20
"""How many plays are counted before another figure has its turn."""
PLAYS: Final = 5000
"""In how many plays a rule is sampled that would take too long: the standard error is then at most 0.7 %."""
LEAST_PLAYS: Final = 10
"""A figure counted in fewer plays is not shown."""


@frozen
class Budget:
    """How much time and how many rule runs a card may take; beyond that, in how many plays its figures are counted.

    Sampling ends early once a figure is as certain as `error`; with no `plays` nothing is sampled, and what is not
    exact in time is left out. Without `seconds` the result is the same each time, however slow the machine.
    """

    seconds: float | None = 1.0
    runs: int = MOST_RUNS
    plays: int = 100_000
    error: float = 0.004
    whole: bool = False
    """All or nothing: if not everything is exact in time, `OutOfTime` is raised."""

    @property
    def exactly(self) -> float:
        """The share of the time in which figures are tried exactly."""
        return EXACTLY if self.plays else 1.0


NORMAL: Final = Budget()
GLANCE: Final = Budget(0.3, plays=0)
"""A first look: what is exact before anybody has read the question. The rest is asked for again."""


@final
@dataclass
class Spending:
    """One budget, being spent on one card. Parts of it share what has been computed."""

    budget: Budget = NORMAL
    stop: Stop = NEVER_STOP
    plays: int = 0
    """If not 0: in how many plays rules are sampled that would take too long."""
    _exacts: dict[tuple[Who[Any] | None, Policy, Policy, int], Exact] = field(default_factory=dict)
    _shared: SharedOdds = field(default_factory=SharedOdds)

    def __post_init__(self) -> None:
        self.stop = self.stop.within(self.budget.seconds)

    def part(self, share: float) -> Spending:
        """A share of what is left; what it does not use is left to the others."""
        left = None if self.budget.whole else self.stop.seconds_left
        seconds = None if left is None else left * share
        return Spending(replace(self.budget, seconds=seconds), self.stop, self.plays, self._exacts, self._shared)

    def sampling(self) -> Spending:
        """The same, but rules that would take too long are sampled, each once for all lines."""
        return Spending(self.budget, self.stop, min(PLAYS, self.budget.plays), self._exacts, self._shared)

    def exact(self, line: OddsLine) -> Exact:
        """The driver for a line: those decided alike share what it remembers."""
        key = line.decider, line.mine, line.others, self.plays
        if key not in self._exacts:
            shared = self._shared if is_by_name(line.mine) and is_by_name(line.others) else None
            exact = Exact(line.policy, most_runs=self.budget.runs, by_bands=True, plays=self.plays, shared=shared)
            self._exacts[key] = exact
        return self._exacts[key]


@final
class RuleSoFar(NamedTuple):
    """A rule as far as it may have got: how it was called, in which scene, what came since, and the weight of that."""

    call: Call[Any]
    state: KnownState
    trail: Trail = ()
    weight: int = 1

    @property
    def weighed(self) -> Call[Any]:
        """What is weighed: the rule, or a declaration with what it leads to."""
        return self.call if self.call.rule.foresees is None else foreseen(self.call)

    @property
    def of_each(self) -> bool:
        """Whether everybody hopes for something of their own in it."""
        return self.call.rule.bands is not None and self.call.rule.bands.each

    def then(self, *more: Answered) -> RuleSoFar:
        """The same after some more answers."""
        return self._replace(trail=(*self.trail, *more))


@final
@dataclass(frozen=True)
class OddsLine:
    """One figure: a rule as a viewer knows it, from any point it may have got to, and who decides how."""

    ways: tuple[RuleSoFar, ...]
    bands: Bands[Any]
    decider: Who[Any] | None
    mine: Policy
    others: Policy
    asked: OfferedDecisions = field(default_factory=OfferedDecisions, compare=False)
    """The decisions that came up while it was computed, with their options."""

    @property
    def rule(self) -> Rule[..., Any]:
        return self.ways[0].call.rule

    def policy(self, question: Choice[Any], scene: Scene) -> Any:
        """One policy for the one who decides, another for everyone else."""
        if question.who == self.decider and not is_hidden(question):
            self.asked.note(question)
        return (self.mine if question.who == self.decider else self.others)(question, scene)

    def exactly(self, exact: Exact, stop: Stop) -> Forecast:
        exact.stop = stop
        found = [(forecast(at.weighed, at.state, self.bands, exact, at.trail), at.weight) for at in self.ways]
        rows = [(each.vector(self.bands), weight) for each, weight in found]
        samples = min((each.samples for each, _ in found if each.samples), default=0)
        return Forecast.of_vector(mean(rows, sum(weight for _, weight in rows)), self.bands, samples)

    def nearly(self, spending: Spending) -> Forecast:
        """The figure with rules sampled that would take too long; it says in how many plays."""
        sampling = spending.sampling()
        return self.exactly(sampling.exact(self), sampling.stop)


@final
class Plays:
    """Random plays of a line, counted."""

    def __init__(self, line: OddsLine) -> None:
        self.line = line
        self._random = Random(0)
        self._counts: Counter[Vector] = Counter()
        self._weights = [each.weight for each in line.ways]

    @property
    def count(self) -> int:
        return self._counts.total()

    @property
    def forecast(self) -> Forecast:
        rows = list(self._counts.items())
        return Forecast.of_vector(mean(rows, self.count), self.line.bands, samples=self.count)

    def play(self) -> None:
        (at,) = self._random.choices(self.line.ways, self._weights)
        run = follow(at.weighed, Scene(at.state), at.trail, pause_at_calls=False)
        self._counts[counted(self.line.bands, drive(run, self._answer))] += 1

    def _answer(self, question: Question[Any], scene: Scene) -> Any:
        if isinstance(question, Chance):
            return question.read(question.at_random(self._random.randrange))
        return decided(self.line.policy, question, scene)


def figured(
    lines: Mapping[str, OddsLine], spending: Spending, *, strict: bool = False, exact: bool = True
) -> dict[str, Forecast | Unfigured]:
    """Every figure, or why there is none. If `strict`, what is refused or unknown is raised instead.

    Without `exact` they are sampled at once: where it is known that nothing else fits.
    """
    found: dict[str, Forecast | Unfigured] = {}
    waiting = list(lines)
    trying = spending.part(spending.budget.exactly)
    seconds = None if spending.budget.whole else trying.stop.seconds_left
    for share in (SLICES if seconds is not None else (1.0,)) if exact else ():
        waiting = _exactly(lines, waiting, trying, None if seconds is None else seconds * share, found, strict=strict)
    _sampled({key: lines[key] for key in waiting}, spending, found, strict=strict)
    return {key: found[key] for key in lines}


def _exactly(
    lines: Mapping[str, OddsLine],
    waiting: Sequence[str],
    spending: Spending,
    seconds: float | None,
    found: dict[str, Forecast | Unfigured],
    *,
    strict: bool,
) -> list[str]:
    """Add the exact figures that fit into so many seconds each; returns those that did not, the untried ones first.

    Rules with many figures come first, since these share what they remember.
    """
    rules = Counter(lines[key].rule for key in waiting)
    untried, failed, failures = list[str](), list[str](), Counter[Any]()
    for key in sorted(waiting, key=lambda key: -rules[lines[key].rule]):
        rule = lines[key].rule
        if seconds is not None and failures[rule] >= FAILURES:
            untried.append(key)
            continue
        try:
            found[key] = _as_exact_as_can_be(lines[key], spending, spending.stop.within(seconds))
        except TooLarge:
            if spending.budget.whole:
                raise
            failures[rule] += 1
            failed.append(key)
        except (Cancelled, MemoryError):
            raise
        except Exception as why:  # one option that fails must not take the figures of the others
            if strict:
                raise
            found[key] = unfigured(why)
    return [*untried, *failed]


def _as_exact_as_can_be(line: OddsLine, spending: Spending, stop: Stop) -> Forecast:
    """The exact figure, or the one in which only the rules are sampled that would take too long."""
    try:
        return line.exactly(spending.exact(line), stop)
    except TooLong:
        if spending.budget.whole:
            raise
        return line.nearly(spending)


def unfigured(why: Exception) -> Unfigured:
    """Why there is no figure, in a word and perhaps a name. A fault goes to the log, not to the screen."""
    match why:
        case NotKnown():
            return Unfigured("hidden", why.what)
        case Refused():
            return Unfigured("refused", why.because)
        case TooLarge():
            return Unfigured("time")
        case MemoryError():
            return Unfigured("memory")
        case _:
            LOG.error("odds failed", exc_info=why)
            return Unfigured("fault")


def _sampled(
    lines: Mapping[str, OddsLine], spending: Spending, found: dict[str, Forecast | Unfigured], *, strict: bool
) -> None:
    """Add sampled figures: all get some plays, then the least certain get more, until the time is up."""
    if not spending.budget.plays:
        found |= dict.fromkeys(lines, Unfigured("time"))
        return
    plays = {key: Plays(line) for key, line in lines.items()}
    budget = spending.budget
    waiting = dict(plays)
    try:
        while waiting:
            key = max(waiting, key=lambda each: _error(waiting[each]))
            try:
                for _ in range(min(BATCH, budget.plays - waiting[key].count)):
                    spending.stop.check()
                    waiting[key].play()
            except (Cancelled, OutOfTime, MemoryError):
                raise
            except Exception as why:  # one option that fails must not take the figures of the others
                if strict:
                    raise
                found[key] = unfigured(why)
                del waiting[key], plays[key]
                continue
            if waiting[key].count >= budget.plays or _error(waiting[key]) <= budget.error:
                del waiting[key]
    except OutOfTime:
        pass
    for key, each in plays.items():
        found[key] = each.forecast if each.count >= min(LEAST_PLAYS, budget.plays) else Unfigured("time")


def _error(plays: Plays) -> float:
    """What it is not certain of; a line that has not been played at all comes first."""
    return plays.forecast.error if plays.count else 1.0
