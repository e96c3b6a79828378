"""How an encounter would go: who wins, how long it takes, who is out by its end, and what a change does to that.

Fights are walked through a table of chances (`drivers/table.py`) that grows on the way. A table that is small enough is
worked out whole, and its chances are exact. `EncounterPlan` describes what is asked, so that
processes can work on it, and `Tally` counts what came of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Final, final

from referee import registry
from referee.core.encounter import Encounter, encounters, stands
from referee.core.errors import BadInput, NotKnown, TooLarge
from referee.core.knowledge import KnownState, supposing, supposing_option
from referee.core.plain import Plain, as_spelled, is_number, unknown
from referee.core.questions import key_of
from referee.core.scene import Scene, Who
from referee.core.system import HOUSE_NAMES, System
from referee.drivers.chain import absorbed
from referee.drivers.policies import Policy, answering, by_default, by_person
from referee.drivers.stop import Stop
from referee.drivers.table import CHANCE, EncounterEnd, Table
from referee.drivers.walk import Walker, played, walk_compiled
from referee.forecast.round_walk import each_end, ends_of, walked
from referee.forecast.rule_ends import NoTurnRows
from referee.forecast.turn_rows import TurnRows

SMALL: Final = 400
"""Up to this many places, the chances of an encounter are worked out as fractions."""
EXACT_SECONDS: Final = 1.0
"""How long it may take to find out whether an encounter is small."""
RAREST: Final = 1e-9
"""Lengths of exact forecasts leave out what is less likely than this."""
CHECK_SECONDS: Final = 10.0
"""How much processor time may be spent on checking that a fight can be broken down."""
POLICY: Final = "policy"


@final
@dataclass(frozen=True)
class EncounterPlan:
    """What is forecast: a scene as somebody knows it, an encounter in it, and changes (`Ash=cautious`)."""

    system: str
    known: KnownState
    encounter: str = ""
    changes: tuple[str, ...] = ()

    def prepared(self) -> Prepared:
        return prepared(registry.load(self.system), self.known, self.encounter, self.changes)


@final
@dataclass(frozen=True)
class Prepared:
    """What is forecast: an encounter in a scene, and how everyone decides."""

    encounter: Who[Any]
    state: KnownState
    policy: Policy

    @property
    def parties(self) -> tuple[tuple[str, ...], ...]:
        value: Encounter = Scene(self.state)[self.encounter]
        return value.parties()

    def table(self) -> Table:
        return Table(self.encounter, self.state, self.policy)

    def turn_rows(self) -> TurnRows | None:
        """The fight broken down into turns, if it falls apart as its game says; that is checked by playing some.

        Where that takes long, so would learning what turns come to: then it is not worth it.
        """
        try:
            parts = TurnRows(self.encounter, self.state, self.policy)
            parts.check(seconds=CHECK_SECONDS)
        except NoTurnRows:
            return None
        return parts


def prepared(system: System, known: KnownState, encounter: str = "", changes: Iterable[str] = ()) -> Prepared:
    """Read changes and apply them to a scene as somebody knows it.

    The first policy of the system decides, unless a change says otherwise:
    `policy=cautious` for everyone, `Ash=cautious` for one person, `Ash.action=take-cover` or `push=yes` for a decision,
    `Ash.wp=5` or `Ash.attributes.Wits=3` for a field, `some.rule=on` for an option of the campaign.
    """
    policies: dict[str, Policy] = {**system.policies, "default": by_default}
    otherwise, people, answers = next(iter(policies.values())), dict[str, Policy](), dict[str, Plain]()
    there = {name for name in known if name not in HOUSE_NAMES}
    for change in changes:
        name, is_change, value = change.partition("=")
        name, value = name.strip(), value.strip()
        who, dot, rest = name.partition(".")
        who = as_spelled(who, known)
        name = f"{who}{dot}{rest}"
        if not is_change or not name:
            raise BadInput(change, "must be a change such as Ash=cautious or Ash.wp=5")
        if name == POLICY or name in there:
            if value not in policies:
                raise BadInput(change, unknown(value, policies))
            if name == POLICY:
                otherwise = policies[value]
            else:
                people[name] = policies[value]
        elif name in {each.id for each in system.printed_book.options}:
            known = supposing_option(known, name, _plain(value))
        elif rest and who in there and rest.partition(".")[0] in _fields(known[who]):
            known = supposing(known, who, rest, _plain(value))
            with suppress(NotKnown):  # whether the book allows it may depend on what they are not told
                system.check_sheet(known, who)
        elif f"prompts.{rest or name}" in system.words:
            answers[name] = value
        elif rest and who in there:
            raise BadInput(change, unknown(rest, _fields(known[who])))
        else:
            people_there = (each.name for each in Scene(known).all(system.sheet))
            raise BadInput(change, unknown(name, (POLICY, *people_there)))
    policy = by_person(people, otherwise) if people else otherwise
    policy = answering(answers, policy) if answers else policy
    return Prepared(_encounter(Scene(known), encounter), known, policy)


def _encounter(scene: Scene, name: str) -> Who[Any]:
    """The encounter of a name, or the only one that is not over."""
    here = [each for each in encounters(scene) if _may_stand(scene, each.name)]
    for each in here:
        if each.name == name:
            return scene.who(name)
    if name or not here:
        raise BadInput("encounter", unknown(name, tuple(each.name for each in here)) if name else "there is none here")
    if len(here) > 1:
        raise BadInput("encounter", f"which one: {', '.join(each.name for each in here)}?")
    return scene.who(here[0].name)


def _may_stand(scene: Scene, name: str) -> bool:
    """Whether an encounter is not over, as far as is known."""
    try:
        return stands(scene, name)
    except NotKnown:
        return True


def _fields(value: object) -> tuple[str, ...]:
    return tuple(each.name for each in fields(value)) if is_dataclass(value) else ()


def _plain(value: str) -> Plain:
    """A value as people type it."""
    if is_number(value):
        return int(value)
    return {"yes": True, "no": False, "on": True, "off": False}.get(value, value)


# --- what came of it --------------------------------------------------------------------------------------------------


@final
@dataclass
class Tally:
    """What came of some fights of each plan: how they ended, who was out, and after how many rounds."""

    counts: list[Counter[tuple[str, tuple[str, ...], int]]]
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    """With two plans: how the same fight ended in each of them."""
    fights: int = 0
    steps: int = 0

    @classmethod
    def of(cls, courses: Sequence[Course]) -> Tally:
        """Count fights that were played, by plan."""
        counts = [Counter[tuple[str, tuple[str, ...], int]]() for _ in courses]
        for course, mine in zip(courses, counts, strict=True):
            for (end, rounds), times in course.ends.items():
                mine[said(end), end.out, rounds] += times
        tally = cls(counts, fights=counts[0].total(), steps=sum(course.steps for course in courses))
        if len(courses) > 1:
            both = (map(said, course.each()) for course in courses[:2])
            tally.pairs.update(zip(*both, strict=True))
        return tally

    def add(self, other: Tally) -> None:
        for mine, more in zip(self.counts, other.counts, strict=True):
            mine.update(more)
        self.pairs.update(other.pairs)
        self.fights += other.fights
        self.steps += other.steps

    def drop(self, other: Tally) -> None:
        """Take back what was counted before."""
        for mine, less in zip(self.counts, other.counts, strict=True):
            mine.subtract(less)
        self.pairs.subtract(other.pairs)
        self.fights -= other.fights
        self.steps -= other.steps


def said(end: EncounterEnd) -> str:
    """How an encounter ended, as a key."""
    return key_of(end.ending)


@final
@dataclass(frozen=True)
class Estimate:
    """A chance with its standard error; an exact one has none."""

    share: Fraction
    fights: int = 0

    @property
    def error(self) -> float:
        """From one fight more and one less, so that what never happened is not taken for certain."""
        if not self.fights:
            return 0.0
        share = (float(self.share) * self.fights + 1) / (self.fights + 2)
        return sqrt(share * (1 - share) / self.fights)

    def to_plain(self) -> Plain:
        exact = {} if self.fights else {"exact": str(self.share)}
        return {"float": float(self.share), "error": self.error, **exact}


@final
@dataclass(frozen=True)
class EncounterForecast:
    """How an encounter would go: counted in `fights`, or exact if there are none."""

    parties: tuple[tuple[str, ...], ...]
    endings: Mapping[str, Estimate]
    out: Mapping[str, Estimate]
    """For everyone who takes part, the chance to be out of it by its end."""
    rounds: Mapping[int, float]
    """How long it takes."""
    fights: int = 0

    @property
    def is_exact(self) -> bool:
        return not self.fights

    @property
    def mean_rounds(self) -> float:
        return sum(rounds * share for rounds, share in self.rounds.items())

    @property
    def told(self) -> tuple[str, ...]:
        """The endings to tell: each side first, unless it ends otherwise than by a victory, as a chase does."""
        sides = tuple(" and ".join(side) for side in self.parties)
        by_victory = any(each in self.endings for each in sides) or {*self.endings} <= {"nobody", "unfinished"}
        return tuple(dict.fromkeys((*(sides if by_victory else ()), *self.endings)))

    def wins(self, side: Sequence[str]) -> Estimate:
        """The chance that a side wins."""
        return self.endings.get(" and ".join(side), Estimate(Fraction(0), self.fights))

    @classmethod
    def counted(
        cls, parties: tuple[tuple[str, ...], ...], counts: Counter[tuple[str, tuple[str, ...], int]]
    ) -> EncounterForecast:
        counts = Counter({what: times for what, times in counts.items() if times})
        fights = counts.total()
        endings, out, rounds = Counter[str](), Counter[str](), Counter[int]()
        for (ending, gone, length), times in counts.items():
            endings[ending] += times
            rounds[length] += times
            out.update(dict.fromkeys(gone, times))
        people = (name for side in parties for name in side)
        return cls(
            parties,
            {ending: Estimate(Fraction(times, fights), fights) for ending, times in endings.most_common()},
            {name: Estimate(Fraction(out[name], fights), fights) for name in people},
            {length: times / fights for length, times in sorted(rounds.items())},
            fights,
        )

    def to_plain(self) -> Plain:
        return {
            "fights": self.fights,
            "sides": [{"people": list(side), "wins": self.wins(side).to_plain()} for side in self.parties],
            "endings": {ending: chance.to_plain() for ending, chance in self.endings.items()},
            "out": {name: chance.to_plain() for name, chance in self.out.items()},
            "rounds": {str(length): share for length, share in self.rounds.items()},
            "mean_rounds": self.mean_rounds,
        }


@final
@dataclass(frozen=True)
class Shift:
    """How much likelier an ending becomes by a change, with its standard error."""

    share: float
    error: float

    def to_plain(self) -> Plain:
        return {"float": self.share, "error": self.error}


def difference(tally: Tally, ending: str) -> Shift:
    """How a change moves the chance of an ending; both plans had the same luck, so much of it cancels out."""
    only_before = sum(times for (one, two), times in tally.pairs.items() if one == ending != two)
    only_after = sum(times for (one, two), times in tally.pairs.items() if two == ending != one)
    n = tally.fights
    share = (only_after - only_before) / n
    return Shift(share, sqrt(max((only_after + only_before + 1) / n - share**2, 0.0) / n))


# --- working it out ---------------------------------------------------------------------------------------------------


def exact_forecast(plan: Prepared, table: Table, seconds: float = EXACT_SECONDS) -> EncounterForecast | None:
    """The chances as fractions, if the encounter is small enough and there is time; otherwise None."""
    stop = Stop.after(seconds)
    try:
        for _ in table.expand(SMALL):
            stop.check()
        rows = {node: _row(table, node) for node in range(len(table.first)) if table.end[node] == CHANCE}
        start = table.start.node
        ends = absorbed(rows, start)[0] if start in rows else {start: Fraction(1)}
    except TooLarge:
        return None
    endings, out = defaultdict[str, Fraction](Fraction), defaultdict[str, Fraction](Fraction)
    for node, chance in ends.items():
        end = table.ends[table.end[node]]
        endings[said(end)] += chance
        for name in end.out:
            out[name] += chance
    people = (name for side in plan.parties for name in side)
    return EncounterForecast(
        plan.parties,
        {ending: Estimate(endings[ending]) for ending in sorted(endings, key=lambda each: -endings[each])},
        {name: Estimate(out[name]) for name in people},
        _lengths(table),
    )


def _row(table: Table, node: int) -> dict[int, Fraction]:
    """Where a node leads, with the chance of each."""
    row: defaultdict[int, int] = defaultdict(int)
    for slot in table.slots_of(node):
        row[table.to[slot]] += table.weight(slot)
    whole = sum(row.values())
    return {to: Fraction(weight, whole) for to, weight in row.items()}


def _lengths(table: Table) -> dict[int, float]:
    """How many rounds it takes, by following all that may happen at once until next to nothing is left."""
    lengths: defaultdict[int, float] = defaultdict(float)
    rows = {
        node: [(table.to[slot], table.more_rounds[slot], table.weight(slot) / table.upto[slots[-1]]) for slot in slots]
        for node in range(len(table.first))
        if (slots := table.slots_of(node))
    }
    here = {(table.start.node, table.start.rounds): 1.0}
    left = 1.0
    while here and left > RAREST:
        after: defaultdict[tuple[int, int], float] = defaultdict(float)
        for (node, rounds), share in here.items():
            if node not in rows:
                lengths[rounds] += share
                left -= share
            elif share > RAREST / len(rows):
                for to, more, part in rows[node]:
                    after[to, rounds + more] += share * part
        here = after
    return dict(sorted(lengths.items()))


@final
@dataclass(frozen=True)
class Course:
    """What became of fights of one plan."""

    ends: Counter[tuple[EncounterEnd, int]]
    """How they ended after how many rounds."""
    each: Callable[[], Iterable[EncounterEnd]]
    """How each of them ended, in the order of their numbers."""
    steps: int


@final
class Sampler:
    """Plays fights of one plan, or of two with the same luck; what it has learned stays with it.

    Fights are walked through a table. With `break_down` one that falls apart into turns is walked turn by turn, which
    pays if there are many.
    """

    def __init__(
        self, plans: Sequence[Prepared], seed: int = 0, walker: Walker | None = None, *, break_down: bool = False
    ) -> None:
        self.plans = tuple(plans)
        self.seed = seed
        self.walker = walker
        self.tables = [plan.table() for plan in plans]
        self._by_turn: Tally | None = None
        """What was counted turn by turn so far."""
        nothing: list[TurnRows | None] = [None for _ in self.plans]
        self._turn_rows = None if break_down else nothing

    @property
    def turn_rows(self) -> list[TurnRows | None]:
        """By plan: the fight as turns, if it falls apart."""
        if self._turn_rows is None:
            self._turn_rows = [plan.turn_rows() for plan in self.plans]
        return self._turn_rows

    def exact(self, seconds: float = EXACT_SECONDS) -> list[EncounterForecast] | None:
        """The exact chances of all plans, if every one is small."""
        found: list[EncounterForecast] = []
        for plan, table in zip(self.plans, self.tables, strict=True):
            one = exact_forecast(plan, table, seconds / len(self.plans))
            if one is None:
                return None
            found.append(one)
        return found

    def play(self, numbers: range, stop: Callable[[], bool] | None = None) -> Tally | None:
        """Fights by number; None if they were stopped.

        If it turns out that a fight does not fall apart, those before it are taken back: they are the ones in which
        that did not show.
        """
        courses: list[Course] = []
        is_refused = False
        for at in range(len(self.plans)):
            parts = self.turn_rows[at]
            course = self._by_turns(parts, numbers, stop) if parts is not None else None
            if parts is not None and course is None and not (stop is not None and stop()):
                self.turn_rows[at], is_refused = None, True
            course = course or self._by_table(at, numbers, stop)
            if course is None:
                return None
            courses.append(course)
        return self._counted(Tally.of(courses), is_refused)

    def _counted(self, tally: Tally, is_refused: bool) -> Tally:
        found = Tally([Counter(each) for each in tally.counts], Counter(tally.pairs), tally.fights, tally.steps)
        if is_refused and self._by_turn is not None:
            found.drop(self._by_turn)
            self._by_turn = None
        if any(self.turn_rows):
            self._by_turn = self._by_turn or Tally([Counter() for _ in self.plans])
            self._by_turn.add(tally)
        return found

    def _by_turns(self, parts: TurnRows, numbers: range, stop: Callable[[], bool] | None) -> Course | None:
        """Fights as turns; None if they were stopped, or if it turns out that they do not fall apart."""
        by_numba = None if self.walker is None else self.walker is walk_compiled
        try:
            fights = walked(parts, numbers, self.seed, by_numba=by_numba, stop=stop)
            if fights is None:
                return None
            ends = ends_of(parts, fights)
        except NoTurnRows:
            return None
        return Course(ends, lambda: each_end(parts, fights), sum(fights.steps))

    def _by_table(self, at: int, numbers: range, stop: Callable[[], bool] | None) -> Course | None:
        table = self.tables[at]
        fights = played(table, numbers, self.seed, walker=self.walker, stop=stop)
        if fights is None:
            return None
        ends = dict(table.end_nodes)
        counted: Counter[tuple[EncounterEnd, int]] = Counter()
        for (node, rounds), times in Counter(zip(fights.nodes, fights.rounds, strict=True)).items():
            counted[ends[node], rounds] += times
        return Course(counted, lambda: (ends[node] for node in fights.nodes), sum(fights.steps))


def forecasts(plans: Sequence[Prepared], tally: Tally) -> list[EncounterForecast]:
    """What was counted, plan by plan."""
    return [EncounterForecast.counted(plan.parties, counts) for plan, counts in zip(plans, tally.counts, strict=True)]
