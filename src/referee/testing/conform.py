"""`referee conform`: everything that any system is held to, for one system, wherever it is installed from.

All parts share one budget of time: each has its share of what is left, and what it does not need is there for the
others. What no part may import, the pages of a table, is handed in as further parts.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, Protocol, final

from referee.core.errors import Refused
from referee.core.plain import Plain
from referee.core.proofreading import faults
from referee.core.scene import State
from referee.core.system import System
from referee.core.trace import watching
from referee.core.unworded import unworded
from referee.drivers.stop import Stop
from referee.testing.cards import compare_cards
from referee.testing.conformance import AnswerComparison, ConformanceWalk, OddsComparison
from referee.testing.rulebook import rulebook_faults
from referee.testing.scenarios import samples
from referee.testing.two_worlds.usual import usual_stage
from referee.testing.two_worlds.walk import OpenTable, Walk

MOST_COMPARING: Final = 3
"""So many walks from each sample look for actions whose odds are compared."""

PAGES_WEIGH: Final = 3
"""So much more time than any other part has each that walks through pages: it is the way everybody goes."""

Progress = Callable[[str, int, int], None]
"""Told what is being checked, how much of it is done, and of how much."""


@final
@dataclass(frozen=True)
class Finding:
    """What came of one part: what was done, and what is wrong."""

    part: str
    done: str
    problems: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    """Rules that random play to its end did not reach; no fault by itself, as one may be off or rare."""
    too_large: tuple[str, ...] = ()
    """Actions whose odds take too long to be compared; no fault by itself, but slow at the table too."""
    unworded: tuple[str, ...] = ()
    """What has no words of its own, by their keys; no fault by itself, but the story tells it by names of fields."""
    complete: bool = True
    """Whether all of it was done in the time there was."""

    def to_plain(self) -> Plain:
        return {
            "part": self.part,
            "done": self.done,
            "problems": [*self.problems],
            "unreached": [*self.unreached],
            "too_large": [*self.too_large],
            "unworded": [*self.unworded],
            "complete": self.complete,
        }


@final
@dataclass(frozen=True)
class Effort:
    """How much is played: this many walks and scripts of each sample, of so many moves, from a seed on."""

    walks: int = 10
    moves: int = 30
    seed: int = 0
    seconds: float = 1.0
    """How long the odds of one action may take, to be compared."""
    minutes: float | None = 2.0
    """How long all of it may take; None: as long as it takes."""


class PagesPart(Protocol):
    """A part that walks through the pages of a table."""

    def __call__(self, system: System, stop: Stop, told: Progress, /) -> Finding: ...


@final
class SharedTime:
    """The time that all parts share, by how much each weighs."""

    def __init__(self, minutes: float | None, weights: int) -> None:
        self._stop = Stop.after(None if minutes is None else 60 * minutes)
        self._left = weights

    def share(self, weight: int = 1) -> Stop:
        """The share of the next part in the time that is left for it and those still to come."""
        share = self._stop.share(Fraction(weight, self._left))
        self._left -= weight
        return share


Scenes = list[tuple[str, State]]


@final
@dataclass(frozen=True)
class _Check:
    """What the parts have in common."""

    system: System
    scenes: Scenes
    effort: Effort
    told: Progress
    stop: Stop


def conform(
    system: System, open_table: OpenTable, pages: Sequence[PagesPart], effort: Effort, told: Progress
) -> Iterator[Finding]:
    """Check a system, part by part. What cannot be played is not tried: the parts before must be in order."""
    texts = Finding("words and look", "proofread", tuple(map(str, faults(system))), unworded=unworded(system))
    yield texts
    book = Finding("rulebook", f"{len(system.printed_book.ids)} rules", tuple(rulebook_faults(system)))
    yield book
    if texts.problems or book.problems:
        return
    try:
        scenes = samples(system)
    except Exception as problem:  # noqa: BLE001  # whatever stands in the way is a finding
        yield Finding("samples", "read", (said(problem, system.folder),))
        return
    if not scenes:
        yield Finding("samples", "read", ("there is none, so nothing can be played; write samples/NAME.yaml",))
        return
    played = (_walked, _compared, _answered, _carded)
    complete = True
    time = SharedTime(effort.minutes, PAGES_WEIGH * len(pages) + len(played) + 1)
    for walk in pages:
        yield _walked_through(walk, system, time.share(PAGES_WEIGH), told)
    seen: set[str] = set()
    for part in played:
        with watching(seen):
            found = part(_Check(system, scenes, effort, told, time.share()))
        complete = complete and found.complete
        yield found
    with watching(seen):
        found = _two_worlds(_Check(system, scenes, effort, told, time.share()), open_table)
    yield found
    entries = [system.printed_book.entry(id_) for id_ in system.printed_book.ids]
    computable = [entry.id for entry in entries if entry.computable]
    missing = tuple(id_ for id_ in computable if id_ not in seen)
    done, complete = f"{len(computable) - len(missing)} of {len(computable)}", complete and found.complete
    yield Finding("rules reached", done, unreached=missing if complete else (), complete=complete)


def _walked_through(walk: PagesPart, system: System, stop: Stop, told: Progress) -> Finding:
    """A part that walks through pages; what it does not come to the end of is a finding too."""
    try:
        return walk(system, stop, told)
    except Exception as problem:  # noqa: BLE001  # whatever stands in the way is a finding
        return Finding(getattr(walk, "__name__", "pages"), "walked", (said(problem, system.folder),))


def _walked(check: _Check) -> Finding:
    """Random legal play under every driver."""
    moves = compared = walks = 0
    every, problems = _each(check), list[str]()
    for title, state, seed in every:
        check.told("walks", walks, len(every))
        if check.stop.is_past:
            break
        try:
            walk = ConformanceWalk(check.system, state, seed, stop=check.stop)
            walk.go(check.effort.moves)
        except Exception as problem:  # noqa: BLE001  # whatever a rule raises is a finding
            problems.append(f"{title}, seed {seed}: {said(problem, check.system.folder)}")
            break
        walks, moves, compared = walks + 1, moves + len(walk.journal.lines), compared + walk.compared
    if not problems and walks and not moves:
        problems.append("nobody could do anything in any sample")
    done = f"{walks} walks, {moves} lines of the log, {compared} results found among the exact odds"
    return Finding("walks", done, tuple(problems), complete=_is_complete(check, problems))


def _compared(check: _Check) -> Finding:
    """Odds that read results alone are those of whole steps, for every action that is met."""
    compared: set[str] = set()
    too_large: set[str] = set()
    problems: list[str] = []
    for at, (title, state) in enumerate(check.scenes):
        check.told("odds", at, len(check.scenes))
        comparison = OddsComparison(
            check.system, state, check.effort.seconds, stop=check.stop.share(Fraction(1, len(check.scenes) - at))
        )
        problems += _gone(comparison, title, check)
        compared |= comparison.compared
        too_large |= {f"{title}: {key}" for key in comparison.too_large}
    done = f"{len(compared)} of {len(check.system.actions)} actions by their results alone and as whole steps"
    complete = _is_complete(check, problems)
    return Finding("odds", done, tuple(problems), too_large=tuple(sorted(too_large)), complete=complete)


def _answered(check: _Check) -> Finding:
    """What would come of an answer is the same by kernels and as played, at every question that is met."""
    compared, problems = 0, list[str]()
    for at, (title, state) in enumerate(check.scenes):
        check.told("answers", at, len(check.scenes))
        comparison = AnswerComparison(
            check.system, state, check.effort.seconds, stop=check.stop.share(Fraction(1, len(check.scenes) - at))
        )
        problems += _gone(comparison, title, check)
        compared += comparison.compared
    done = f"the odds of {compared} answers by kernels and as played"
    return Finding("answers", done, tuple(problems), complete=_is_complete(check, problems))


def _carded(check: _Check) -> Finding:
    """What cards say is what is played, none is about something decided, and the best is best for whoever is asked."""
    check.told("cards", 0, 1)
    effort = check.effort
    try:
        found = compare_cards(
            check.system,
            check.scenes,
            seconds=check.stop.seconds_left,
            walks=effort.walks,
            moves=effort.moves,
            seed=effort.seed,
        )
    except Exception as problem:  # noqa: BLE001  # whatever a rule raises is a finding
        return Finding("cards", "compared", (said(problem, check.system.folder),))
    compared, exactly = sum(each.compared for each in found), sum(each.exactly for each in found)
    done = f"{compared} figures compared with plays, {exactly} of them outcome by outcome"
    problems = tuple(problem for each in found for problem in each.problems)
    return Finding("cards", done, problems, complete=_is_complete(check, problems))


def _gone(comparison: OddsComparison | AnswerComparison, title: str, check: _Check) -> Iterator[str]:
    """Walk from a scene and compare; what is wrong with it."""
    effort = check.effort
    try:
        for seed in range(effort.seed, effort.seed + min(effort.walks, MOST_COMPARING)):
            comparison.go(seed, effort.moves)
    except Exception as problem:  # noqa: BLE001  # whatever a rule raises is a finding
        yield f"{title}: {said(problem, check.system.folder)}"


def _two_worlds(check: _Check, open_table: OpenTable) -> Finding:
    """The same script with different secrets looks the same to those who may not know them."""
    pairs = compared = revealed = 0
    every, problems = _each(check), list[str]()
    for at, (title, state, seed) in enumerate(every):
        check.told("two worlds", at, len(every))
        if check.stop.is_past:
            break
        stage = usual_stage(check.system, state)
        if stage is None:
            continue
        try:
            walk = Walk(stage, open_table, seed, stop=check.stop)
            walk.go(check.effort.moves)
        except Exception as problem:  # noqa: BLE001  # whatever a rule raises is a finding
            problems.append(f"{title}, seed {seed}: {said(problem, check.system.folder)}")
            break
        pairs, compared, revealed = pairs + walk.pairs, compared + walk.compared, revealed + len(walk.revealed)
    done = f"{pairs} viewers of two worlds, {compared} comparisons, {revealed} told by a rule"
    return Finding("two worlds", done, tuple(problems), complete=_is_complete(check, problems))


def _each(check: _Check) -> list[tuple[str, State, int]]:
    """Every sample with every seed: all samples once before any is walked again."""
    seeds = range(check.effort.seed, check.effort.seed + check.effort.walks)
    return [(title, state, seed) for seed in seeds for title, state in check.scenes]


def _is_complete(check: _Check, problems: Sequence[str]) -> bool:
    """Whether time was not what ended a part."""
    return bool(problems) or not check.stop.is_past


def said(problem: BaseException, folder: Path) -> str:
    """What was raised, in words; of what no rule means to raise, with the place in the code: the system's, if it is."""
    if isinstance(problem, Refused):
        return f"offered as legal, but refused: {problem}"
    if isinstance(problem, AssertionError):
        return str(problem)
    frames = traceback.extract_tb(problem.__traceback__)
    own = [each for each in frames if Path(each.filename).is_relative_to(folder)]
    where = "".join(f" ({each.filename}:{each.lineno})" for each in (own or frames)[-1:])
    return f"{type(problem).__name__}: {problem}{where}"
