"""`referee conform`: everything that any system is held to, for one system, wherever it is installed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, final

from referee.core.errors import Refused
from referee.core.plain import Plain
from referee.core.proofreading import faults
from referee.core.scene import State
from referee.core.system import System
from referee.core.trace import watching
from referee.testing.conformance import AnswerComparison, ConformanceWalk, OddsComparison
from referee.testing.rulebook import rulebook_faults
from referee.testing.scenarios import samples
from referee.testing.two_worlds.usual import usual_stage
from referee.testing.two_worlds.walk import OpenTable, Walk

MOST_COMPARING: Final = 3
"""So many walks from each sample look for actions whose odds are compared."""

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
    """Rules that random play did not reach; no fault by itself, as one may be off or rare."""
    too_large: tuple[str, ...] = ()
    """Actions whose odds take too long to be compared; no fault by itself, but slow at the table too."""

    def to_plain(self) -> Plain:
        return {
            "part": self.part,
            "done": self.done,
            "problems": [*self.problems],
            "unreached": [*self.unreached],
            "too_large": [*self.too_large],
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


def conform(system: System, open_table: OpenTable, effort: Effort, told: Progress) -> Iterator[Finding]:
    """Check a system, part by part. What cannot be played is not tried: the parts before must be in order."""
    texts = Finding("words and look", "proofread", tuple(map(str, faults(system))))
    yield texts
    book = Finding("rulebook", f"{len(system.printed_book.ids)} rules", tuple(rulebook_faults(system)))
    yield book
    if texts.problems or book.problems:
        return
    try:
        scenes = samples(system)
    except Exception as problem:  # noqa: BLE001  # whatever stands in the way is a finding
        yield Finding("samples", "read", (_said(problem),))
        return
    if not scenes:
        yield Finding("samples", "read", ("there is none, so nothing can be played; write samples/NAME.yaml",))
        return
    yield from _played(system, scenes, open_table, effort, told)


Scenes = list[tuple[str, State]]


def _played(system: System, scenes: Scenes, open_table: OpenTable, effort: Effort, told: Progress) -> Iterator[Finding]:
    seen: set[str] = set()
    with watching(seen):
        yield _walked(system, scenes, effort, told)
        yield _compared(system, scenes, effort, told)
        yield _answered(system, scenes, effort, told)
        yield _two_worlds(system, scenes, open_table, effort, told)
    entries = [system.printed_book.entry(id_) for id_ in system.printed_book.ids]
    computable = [entry.id for entry in entries if entry.computable]
    missing = tuple(id_ for id_ in computable if id_ not in seen)
    yield Finding("rules reached", f"{len(computable) - len(missing)} of {len(computable)}", unreached=missing)


def _walked(system: System, scenes: Scenes, effort: Effort, told: Progress) -> Finding:
    """Random legal play under every driver."""
    moves = compared = walks = 0
    problems: list[str] = []
    for at, (title, state, seed) in enumerate(_each(scenes, effort)):
        told("walks", at, len(scenes) * effort.walks)
        try:
            walk = ConformanceWalk(system, state, seed)
            walk.go(effort.moves)
        except Exception as problem:  # noqa: BLE001  # whatever a rule raises is a finding
            problems.append(f"{title}, seed {seed}: {_said(problem)}")
            break
        walks, moves, compared = walks + 1, moves + len(walk.journal.lines), compared + walk.compared
    if not problems and not moves:
        problems.append("nobody could do anything in any sample")
    done = f"{walks} walks, {moves} lines of the log, {compared} results found among the exact odds"
    return Finding("walks", done, tuple(problems))


def _compared(system: System, scenes: Scenes, effort: Effort, told: Progress) -> Finding:
    """Odds that read results alone are those of whole steps, for every action that is met."""
    compared: set[str] = set()
    too_large: set[str] = set()
    problems: list[str] = []
    for at, (title, state) in enumerate(scenes):
        told("odds", at, len(scenes))
        comparison = OddsComparison(system, state, effort.seconds)
        problems += _gone(comparison, title, effort)
        compared |= comparison.compared
        too_large |= {f"{title}: {key}" for key in comparison.too_large}
    done = f"{len(compared)} of {len(system.actions)} actions by their results alone and as whole steps"
    return Finding("odds", done, tuple(problems), too_large=tuple(sorted(too_large)))


def _answered(system: System, scenes: Scenes, effort: Effort, told: Progress) -> Finding:
    """What would come of an answer is the same by kernels and as played, at every question that is met."""
    compared, problems = 0, list[str]()
    for at, (title, state) in enumerate(scenes):
        told("answers", at, len(scenes))
        comparison = AnswerComparison(system, state, effort.seconds)
        problems += _gone(comparison, title, effort)
        compared += comparison.compared
    return Finding("answers", f"the odds of {compared} answers by kernels and as played", tuple(problems))


def _gone(comparison: OddsComparison | AnswerComparison, title: str, effort: Effort) -> Iterator[str]:
    """Walk from a scene and compare; what is wrong with it."""
    try:
        for seed in range(effort.seed, effort.seed + min(effort.walks, MOST_COMPARING)):
            comparison.go(seed, effort.moves)
    except Exception as problem:  # noqa: BLE001  # whatever a rule raises is a finding
        yield f"{title}: {_said(problem)}"


def _two_worlds(system: System, scenes: Scenes, open_table: OpenTable, effort: Effort, told: Progress) -> Finding:
    """The same script with different secrets looks the same to those who may not know them."""
    pairs = compared = revealed = 0
    problems: list[str] = []
    for at, (title, state, seed) in enumerate(_each(scenes, effort)):
        told("two worlds", at, len(scenes) * effort.walks)
        stage = usual_stage(system, state)
        if stage is None:
            continue
        try:
            walk = Walk(stage, open_table, seed)
            walk.go(effort.moves)
        except Exception as problem:  # noqa: BLE001  # whatever a rule raises is a finding
            problems.append(f"{title}, seed {seed}: {_said(problem)}")
            break
        pairs, compared, revealed = pairs + walk.pairs, compared + walk.compared, revealed + len(walk.revealed)
    done = f"{pairs} viewers of two worlds, {compared} comparisons, {revealed} told by a rule"
    return Finding("two worlds", done, tuple(problems))


def _each(scenes: Scenes, effort: Effort) -> Iterator[tuple[str, State, int]]:
    for title, state in scenes:
        yield from ((title, state, seed) for seed in range(effort.seed, effort.seed + effort.walks))


def _said(problem: Exception) -> str:
    if isinstance(problem, Refused):
        return f"offered as legal, but refused: {problem}"
    return str(problem) if isinstance(problem, AssertionError) else f"{type(problem).__name__}: {problem}"
