"""Cards are held to what is played: at random play, those that seats meet are compared with plays that know no odds.

    python -m referee.testing.cards d6 warehouse --seed 3 --move 12     # what one moment of one walk came to

A card's chances are compared with every outcome of the rule played by itself, without kernels, where it is small; else
with 2,000 plays, of which they may differ by four standard errors. What differs is played ten times as often before it
is called a difference.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any, Final, final

from referee import registry
from referee.core.actions import ActionChoice
from referee.core.bands import DONE, Bands
from referee.core.errors import BadInput, NotKnown, OutOfTime, Refused, TooLarge
from referee.core.knowledge import known_to, possible_ways
from referee.core.questions import Choice, Choose, Question, key_of
from referee.core.replay import Answered, follow
from referee.core.run import drive
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.visibility import Seat
from referee.core.wording import phrase
from referee.drivers.exact import Exact
from referee.drivers.sampled import Sampled
from referee.drivers.stop import Stop
from referee.forecast.bands import Forecast, Vector, counted, mean
from referee.forecast.figures import Budget, RuleSoFar
from referee.forecast.question_odds import question_query
from referee.forecast.risk import OffersQuery, QuestionQuery, UnknownQuery, action_query
from referee.forecast.risk_card import RiskCard
from referee.journal.steps import Open
from referee.testing.conformance import ConformanceWalk, legal_way
from referee.testing.scenarios import samples

GM: Final = Seat("gm", master=True)
PLAYS: Final = 2000
ERRORS: Final = 4
"""By so many standard errors a card may differ from plays."""
AGAIN: Final = 10
"""What differs is played so many times as often, with other dice."""
SMALL: Final = 0.3
"""So many seconds every outcome may take, for a card to be compared with all of them."""
MOST_RUNS: Final = 3000
LONGEST: Final = 3.0
"""So many seconds the plays of one card may take; fewer plays have larger errors."""
LEAST: Final = 100
"""A card that is played less often in that time is not compared."""
MOST_FIGURES: Final = 6
"""So many of the figures of one card are compared, picked at random."""
TIMES: Final = 2
"""How often the card of an action or a question is compared in a sample."""


@final
@dataclass(frozen=True)
class Met:
    """Where a card was met, and whose it is."""

    system: str
    sample: str
    seed: int
    move: int
    seat: Seat
    what: str

    def __str__(self) -> str:
        seat = "game master" if self.seat.master else " and ".join(sorted(self.seat.controls))
        again = f"python -m referee.testing.cards {self.system} {self.sample} --seed {self.seed} --move {self.move}"
        return f"{self.what}, as the {seat} sees it ({again})"


@final
@dataclass(frozen=True)
class PlayedChances:
    """The chances of bands and side effects as they were played: exact, or counted in so many plays."""

    vector: Vector
    plays: int = 0
    lost: Fraction = Fraction(0)


@final
@dataclass
class CardComparison:
    """Walks from a sample, and compares the cards that seats meet on the way."""

    system: System
    sample: str
    start: State
    stop: Stop = field(default_factory=Stop)
    every: bool = False
    """Whether cards are compared that were compared often enough."""
    compared: int = 0
    exactly: int = 0
    """How many of them with every outcome."""
    not_played: int = 0
    """How many figures could not be played in time."""
    problems: list[str] = field(default_factory=list)
    _times: Counter[str] = field(default_factory=Counter)

    def go(self, seed: int, moves: int, only: int | None = None) -> None:
        """Walk from the sample; with `only`, cards are looked at before that move alone."""
        walk = ConformanceWalk(self.system, self.start, seed, check=False)
        for move in range(moves):
            if only in (None, move):
                self._look(walk, seed, move)
            if move == only or not walk.move():
                return

    def _look(self, walk: ConformanceWalk, seed: int, move: int) -> None:
        """Compare what the seats meet at this moment."""
        journal = walk.journal
        for waiting in journal.asking:
            self._question(walk, waiting, seed, move)
        for action in () if journal.asking else self.system.actions:
            random = Random(f"{seed} {move} {action.key}")
            people = [None] if action.master else list(journal.scene.all(self.system.sheet))
            random.shuffle(people)
            for who in people if self._is_wanted(action.key) else ():
                if (way := legal_way(action, journal.scene, who, random)) is not None:
                    self._times[action.key] += 1
                    self._action(action.by(who, **way), journal.scene, Met(*self._at(seed, move), GM, ""))
                    break

    def _at(self, seed: int, move: int) -> tuple[str, str, int, int]:
        return self.system.name, self.sample, seed, move

    def _is_wanted(self, key: str) -> bool:
        self.stop.check()
        return self.every or self._times[key] < TIMES

    def _seats(self, who: Who[Any] | None) -> Iterator[Seat]:
        yield GM
        if who is not None:
            yield Seat(who.name, frozenset({who.name}))

    def _action(self, offer: ActionChoice, scene: Scene, met: Met) -> None:
        """The card of an action, for the game master, and for whoever acts if they know less."""
        known = list[State]()
        for seat in self._seats(offer.who):
            query = action_query(offer, known_to(scene.state, seat), seat, decisions=False)
            if any(_is_the_same(query.state, each) for each in known):
                continue
            known.append(query.state)
            here = replace(met, seat=seat, what=str(offer.call))
            card = self._card(query, here)
            if card is not None and card.now is not None:
                self._compare(card.now, (RuleSoFar(query.offer.call, query.state),), offer.action.bands, here)

    def _question(self, walk: ConformanceWalk, waiting: Open, seed: int, move: int) -> None:
        """The card of an open question, for the game master, and for whoever is asked if they know less."""
        journal, question = walk.journal, waiting.question
        call = journal.trail(waiting.step)[0]
        key = f"{call.rule.id} asks {question.name}"
        if not self._is_wanted(key):
            return
        self._times[key] += 1
        known = list[Any]()
        for seat in self._seats(question.who):
            here = Met(*self._at(seed, move), seat, f"{question.name} in {call}")
            query = question_query(journal, waiting, seat)
            told = (query.state, getattr(query, "seen", ())) if not isinstance(query, UnknownQuery) else None
            if told is None or any(_is_the_same(told, each) for each in known):
                continue
            known.append(told)
            card = self._card(query, here)
            if card is None or card.unknown:
                continue
            if isinstance(query, OffersQuery):
                for name in self._some(card.asked, seed):
                    offer = query.offers[name]
                    so_far = (RuleSoFar(offer.call, query.state),)
                    self._compare(card.asked[name], so_far, offer.action.bands, here, name)
            elif isinstance(query, QuestionQuery):
                for each in filter(None, (card, card.around)):
                    self._answers(each, query, here)

    def _some(self, keys: Iterable[str], seed: int) -> list[str]:
        """A few of many figures."""
        names = sorted(keys)
        return Random(seed).sample(names, min(MOST_FIGURES, len(names)))

    def _card(self, query: Any, met: Met) -> RiskCard | None:
        try:
            card: RiskCard = query.card(Budget(1.0, plays=PLAYS), self.stop)
        except (Refused, TooLarge):
            self.stop.check()
            return None
        for key, why in card.missing.items():
            if why.because == "fault":
                self.problems.append(f"{met}: {key or 'the card'} has no figure because of a fault")
        return card

    def _answers(self, card: RiskCard, query: QuestionQuery, met: Met) -> None:
        """The figures of all answers, that something is still open, and that the best is best."""
        question = query.question
        ways = self._ways(card, query)
        if not ways:
            return
        bands = (ways[0].call.rule.bands or DONE).told_to(str(question.who))
        if isinstance(question, Choice) and not query.at_once:
            wanted = self._some(card.asked, met.seed)
            for each in (each for each in question.legal if key_of(each) in wanted):
                then = tuple(way.then(Answered(question, query.part, each)) for way in ways)
                name = f"{card.about}, {question.name} {key_of(each)}"
                self._compare(card.asked[key_of(each)], then, bands, met, name)
        elif card.now is not None and not query.at_once:
            self._compare(card.now, ways, bands, met, card.about)
        self.problems += (f"{met}: {each}" for each in faults_of(card, question, ways[0], bands))

    def _ways(self, card: RiskCard, query: QuestionQuery) -> tuple[RuleSoFar, ...]:
        """What the card is about, on every way that the seat holds possible."""
        try:
            found = possible_ways(
                query.call, query.state, query.seen, query.seat, query.asked, self.stop.check, query.question
            )
        except NotKnown:
            return ()
        stakes = [(way, [each for each in way.stakes if each.call.rule.id == card.about]) for way in found]
        return tuple(
            RuleSoFar(at[-1].call, at[-1].state, way.trail[at[-1].given :], way.weight) for way, at in stakes if at
        )

    def _compare(
        self, figure: Forecast, ways: Sequence[RuleSoFar], bands: Bands[Any], met: Met, about: str = ""
    ) -> None:
        self.stop.check()
        if len(bands.keys) == 1 and not (bands.extra or bands.bad):
            return  # it is done, whatever comes
        try:
            played = every_outcome(ways, bands) or plays_of(ways, bands, self.stop)
            if played is not None and _differing(figure, played, bands) and played.plays:
                played = plays_of(ways, bands, self.stop, PLAYS * AGAIN, seed=1)
        except NotKnown:
            return
        except Refused as why:
            self.problems.append(f"{met}: {about} has figures, but is refused as it is played: {why}")
            return
        if played is None:
            self.not_played += 1
            return
        self.compared += 1
        self.exactly += not played.plays
        for name, shown, came in _differing(figure, played, bands):
            how = f"in {played.plays} plays" if played.plays else "as it is played, outcome by outcome"
            card = f"about {shown:.2%} in {figure.samples} plays" if figure.samples else f"{shown:.3%}"
            of = f"{about}: {name}" if about else name
            self.problems.append(f"{met}: {of} is {card} on the card, {came:.3%} {how}")


def _is_the_same(one: object, other: object) -> bool:
    """Whether two seats know the same; what one of them does not know is not the same."""
    try:
        return one == other
    except NotKnown:
        return False


def every_outcome(ways: Sequence[RuleSoFar], bands: Bands[Any]) -> PlayedChances | None:
    """The chances by every outcome, played without kernels and remembering nothing; None if these are too many."""
    rows = []
    lost = Fraction(0)
    try:
        for way in ways:
            exact = Exact(kernels=False, remember=False, most_runs=MOST_RUNS, seconds=SMALL)
            odds = exact.of(way.call, way.state, way.trail)
            found = [(counted(bands, result), weight) for result, _, weight in odds.ends]
            rows.append((mean(found, odds.whole), way.weight))
            lost = max(lost, odds.lost)
    except TooLarge:
        return None
    return PlayedChances(mean(rows, sum(each.weight for each in ways)), 0, lost)


def plays_of(
    ways: Sequence[RuleSoFar], bands: Bands[Any], stop: Stop, plays: int = PLAYS, seed: int = 0
) -> PlayedChances | None:
    """The chances as they come in plays, decided by default; None if there is no time for enough of them."""
    random = Random(seed)
    table, weights = Sampled(random), [way.weight for way in ways]
    found: Counter[Vector] = Counter()
    until = stop.within(LONGEST * plays / PLAYS)
    try:
        for _ in range(plays):
            until.check()
            (way,) = random.choices(ways, weights)
            run = follow(way.call, Scene(way.state), way.trail, pause_at_calls=False)
            found[counted(bands, drive(run, table.answer))] += 1
    except OutOfTime:
        stop.check()
    played = found.total()
    return PlayedChances(mean(list(found.items()), played), played) if played >= LEAST else None


def _differing(figure: Forecast, played: PlayedChances, bands: Bands[Any]) -> list[tuple[str, float, float]]:
    """What differs by more than chance explains: its name, and both chances."""
    shown: Mapping[str, Fraction] = {**figure.bands, **figure.extra, **figure.bad}
    names = (*bands.keys, *bands.extra, *bands.bad)
    found = []
    for name, came in zip(names, played.vector[1:], strict=True):
        chance = shown[name]
        allowed = ERRORS * sqrt(_square(chance, came, figure.samples) + _square(chance, came, played.plays))
        if abs(float(chance - came)) > allowed + float(figure.lost + played.lost) + 1e-9:
            found.append((name, float(chance), float(came)))
    return found


def _square(chance: Fraction, came: Fraction, plays: int) -> float:
    """The square of the standard error of so many plays; none if they are exact."""
    if not plays:
        return 0.0
    between = (float(chance + came) / 2 * plays + 1) / (plays + 2)
    return between * (1 - between) / plays


def faults_of(card: RiskCard, question: Question[Any], way: RuleSoFar, bands: Bands[Any]) -> Iterator[str]:
    """What a card must not be: about something decided, or with a best that is not best for whoever is asked."""
    figures = list(card.asked.values()) or ([card.now] if card.now else [])
    certain = {band for each in figures for band, chance in each.bands.items() if chance == 1 and not each.samples}
    varies = any(0 < chance < 1 for each in figures for chance in (*each.extra.values(), *each.bad.values()))
    if figures and not varies and len(certain) == 1 and all(each.bands[next(iter(certain))] == 1 for each in figures):
        others = {(*each.extra.values(), *each.bad.values()) for each in figures}
        if len(others) == 1:
            yield f"{card.about} is decided ({next(iter(certain))}), and the card is about it"
    hopes = _hopes(way, question, bands)
    if card.best is None or not card.best.situations or hopes is None:
        return
    if set(card.best.good) != set(hopes):
        hoped, good = ", ".join(hopes), ", ".join(card.best.good)
        yield f"{card.about}: the best is best for {good}, but {question.who} hopes for {hoped}"
    here = card.best.situations[0]
    for key, figure in card.asked.items():
        if here.prompt == question.name and key in here.worth and here.worth[key] < figure.chance_of(hopes):
            yield f"{card.about}: {key} is worth {here.worth[key]}, less than {figure.chance_of(hopes)} by default"


def _hopes(way: RuleSoFar, question: Question[Any], bands: Bands[Any]) -> tuple[str, ...] | None:
    """The bands that whoever is asked hopes for; None where it is not plain whose side they are on."""
    people = [each for each in way.call.args if isinstance(each, Who) and each.name in way.state]
    if question.who is None or not people:
        return None
    is_everybodys = way.call.rule.bands is not None and way.call.rule.bands.each
    if people[0] == question.who or is_everybodys:
        return bands.good
    against = isinstance(question, Choose) and question.reaction
    for each in way.state.values():
        sides = getattr(each, "sides", ())
        mine = next((side for side in sides if question.who.name in side), None)
        if mine is not None and any(people[0].name in side for side in sides):
            against = people[0].name not in mine
            break
    else:
        if not against:
            return None
    return tuple(key for key in bands.keys if key not in bands.good) if against else bands.good


def compare_cards(
    system: System, scenes: Sequence[tuple[str, State]], *, seconds: float | None, walks: int, moves: int, seed: int = 0
) -> list[CardComparison]:
    """Walk from every sample, until all walks are walked or its share of the time is up."""
    whole, found = Stop.after(seconds), list[CardComparison]()
    for at, (title, state) in enumerate(scenes):
        each = CardComparison(system, title, state, whole.share(Fraction(1, len(scenes) - at)))
        found.append(each)
        with suppress(OutOfTime):
            for walk in range(seed, seed + walks):
                each.go(walk, moves)
    return found


def main() -> None:
    """Compare the cards of one moment of a walk, or of walks from one sample."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("system")
    parser.add_argument("sample")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--move", type=int)
    parser.add_argument("--moves", type=int, default=40)
    given = parser.parse_args()
    system = registry.load(given.system)
    scenes = dict(samples(system))
    if given.sample not in scenes:
        raise BadInput("sample", phrase(f"one of {', '.join(scenes)}"))
    comparison = CardComparison(system, given.sample, scenes[given.sample], every=given.move is not None)
    comparison.go(given.seed, given.moves if given.move is None else given.move + 1, given.move)
    print(f"{comparison.compared} figures compared, {comparison.exactly} of them outcome by outcome")
    for problem in comparison.problems:
        print(problem)


if __name__ == "__main__":
    main()
