"""Checks whether a log can be true: its dice by their seeds, its scenes by a fold, its steps by the rules.

Every throw ever made is checked, including undone, held, overruled and forked ones. `docs/fair-dice.md` says what this
proves and what it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

from referee import registry
from referee.core.errors import BadInput, RefereeError
from referee.core.plain import Plain
from referee.core.scene import State
from referee.core.system import System
from referee.journal.lines import Line, LinesRedone, LinesUndone, SeedRevealed
from referee.journal.seeded_dice import SeededDice
from referee.table.storage import scene_of
from referee.verify.dice import Commitment, DiceVerifier, Word
from referee.verify.log_file import Mismatch, Written, line_of_file
from referee.verify.replay import BROKEN, LogReplay
from referee.verify.rules import Rerun


@final
@dataclass(frozen=True)
class Report:
    """The findings. Line numbers are those of the file, counted from 1."""

    lines: int
    checked: int
    """Throws and draws by the table that were compared with their seed."""
    unchecked: int
    """Throws and draws whose seed is not revealed yet."""
    by_hand: tuple[Word, ...]
    overruled: tuple[Word, ...]
    undone: Mapping[str, int]
    """How many throws each person has undone, by name."""
    commitments: tuple[Commitment, ...]
    steps: int
    """How many steps were run again."""
    left_out: tuple[str, ...]
    """What could not be checked, and why."""
    mismatches: tuple[Mismatch, ...]

    @property
    def holds(self) -> bool:
        return not self.mismatches

    def to_plain(self) -> dict[str, Plain]:
        plain: dict[str, Any] = asdict(self)
        for name in ("by_hand", "overruled", "mismatches"):
            plain[name] = [each._asdict() for each in getattr(self, name)]
        return {"holds": self.holds, **plain}


def verify(log: Written, seeds: Iterable[SeededDice] = (), commitments: Sequence[str] = ()) -> Report:
    """Check a log, with additional seeds that were revealed elsewhere, and commitments that someone wrote down."""
    left_out: list[str] = []
    system, start = _system(log, left_out)
    course = LogReplay(system, start)
    dice = DiceVerifier(course, _known_seeds(log, seeds), log.start.is_fork)
    if log.start.commitment is not None:
        dice.commit(log.start.commitment, 1)
    rerun = Rerun(course, system) if system is not None and system.version == log.start.version else None
    if system is not None and rerun is None:
        left_out.append(
            f"steps were not run again: they are of version {log.start.version} of the rules, not {system.version}"
        )
    mismatches = list(log.mismatches)
    for number, line in enumerate(log.lines):
        if line is None:
            course.pass_over()
            continue
        mismatches += [Mismatch(line_of_file(number), problem) for problem in _problems(line, course, dice, rerun)]
    if rerun is not None:
        rerun.close()
    mismatches += [Mismatch(line_of_file(len(log.lines)), problem) for problem in dice.end()]
    mismatches += _never_told(commitments, dice.commitments)
    return Report(
        lines=len(log.lines),
        checked=dice.checked,
        unchecked=dice.unchecked,
        by_hand=tuple(dice.by_hand),
        overruled=tuple(dice.overruled),
        undone=dict(course.undone_throws),
        commitments=tuple(dice.commitments),
        steps=rerun.steps if rerun is not None else 0,
        left_out=tuple(left_out),
        mismatches=tuple(mismatches),
    )


def _never_told(written: Sequence[str], told: Sequence[Commitment]) -> Iterator[Mismatch]:
    """Commitments that someone wrote down, perhaps only their beginnings, and that are not in the log in this order."""
    left = iter(told)
    for each in written:
        if not any(one.commitment.startswith(each.lower()) for one in left):
            yield Mismatch(1, f"the commitment {each} was written down, and is not in the log at its place")


def _problems(line: Line, course: LogReplay, dice: DiceVerifier, rerun: Rerun | None) -> list[str]:
    """What is wrong with a line, by all checks."""
    found: list[str] = []
    try:
        found += dice.follow(line)
    except BROKEN as problem:
        found.append(f"what it says of chance cannot be read: {problem!r}")
    if rerun is not None:
        found += rerun.follow(line)
    try:
        found += course.follow(line)
    except BROKEN as problem:
        found.append(str(problem) if isinstance(problem, RefereeError) else f"cannot be followed: {problem!r}")
    if rerun is not None and isinstance(line, (LinesUndone, LinesRedone)):
        rerun.went_back()
    return found


def _system(log: Written, left_out: list[str]) -> tuple[System | None, State]:
    """The system of a log and the scene it began with, if the system is installed here."""
    try:
        system = registry.load(log.start.system)
    except BadInput:
        left_out.append(
            f"scenes, steps and draws were not checked: the system {log.start.system!r} is not installed here"
        )
        return None, State()
    return system, scene_of(system, log.start.scene)


def _known_seeds(log: Written, more: Iterable[SeededDice]) -> dict[str, SeededDice]:
    """All known seeds, by their own commitment; one that does not match the log's commitment is never looked up."""
    revealed = (_seed(line.seed) for line in log.lines if isinstance(line, SeedRevealed))
    return {each.commitment: each for each in (*log.seeds, *more, *revealed) if each is not None}


def _seed(text: str) -> SeededDice | None:
    try:
        return SeededDice(bytes.fromhex(text))
    except ValueError:
        return None
