"""Recomputes every throw and draw of a log from its number and the seed that was committed to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, final

from referee.core.cards import Pile
from referee.core.dice import thrown_pips
from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.core.scene import State
from referee.journal.journal import DICE
from referee.journal.lines import (
    AnswerGiven,
    AnswerLine,
    Aside,
    DraftThrown,
    Line,
    LinesUndone,
    SeatRemoved,
    SeatTaken,
    SeedCommitted,
    SeedRevealed,
    ThrowHeld,
)
from referee.journal.seeded_dice import SeededDice
from referee.verify.log_file import line_of_file
from referee.verify.replay import BROKEN, LogReplay, Moment, is_by_hand

MOST_DICE: Final = 10_000
"""No rule throws more at once, and a file must not keep the verifier busy."""
MOST_SIDES: Final = 2**32
ELSEWHERE: Final = ("fork", "import", "restored")
"""Reasons to change the seed that lie outside the log. Whoever wrote down the commitments can check them."""


class Word(NamedTuple):
    """A throw that someone made by hand or overruled."""

    line: int
    by: str
    """The name of the person who did it."""
    of: str | None
    prompt: str
    answer: Plain
    instead_of: Plain = None


@final
@dataclass
class Commitment:
    """A commitment in the log, its line, why it follows another, and how many throws depend on it."""

    commitment: str
    line: int
    because: str = ""
    throws: int = 0
    revealed: bool = False


@final
@dataclass
class DiceVerifier:
    """The throws and draws of a log so far."""

    course: LogReplay
    seeds: dict[str, SeededDice]
    is_fork: bool = False
    """Older forks do not say that they are the reason for their new seed, and their players stayed."""
    commitments: list[Commitment] = field(default_factory=list)
    checked: int = 0
    unchecked: int = 0
    """Throws whose seed is not known yet."""
    by_hand: list[Word] = field(default_factory=list)
    overruled: list[Word] = field(default_factory=list)
    _throws: int = 0
    _spent: set[str] = field(default_factory=set)
    """Commitments whose seed the log itself has revealed."""
    _after_undo: bool = False
    _at_fork: frozenset[str] | None = None
    """The seats when the log last said that it is a fork, while only seats have been taken and left since."""

    def commit(self, commitment: str, line: int, because: str = "") -> None:
        self.commitments.append(Commitment(commitment, line, because))

    def follow(self, line: Line) -> Iterator[str]:
        """Read the next line, before the replay does; yields what is wrong with its dice."""
        number = len(self.course.lines)
        if not isinstance(line, (SeatTaken, SeatRemoved)):
            yield from self.end()
        if isinstance(line, Aside):
            yield from self._aside(line, line_of_file(number))
            return
        if isinstance(line, AnswerLine) and line.throw is not None:
            yield from self._throw(line, line.throw, line_of_file(number), self.course.now)
        elif isinstance(line, AnswerLine) and line.instead_of is not None:
            yield "stands instead of a throw, and is none"
        self._after_undo = isinstance(line, LinesUndone)

    def _aside(self, line: Aside, at: int) -> Iterator[str]:
        if isinstance(line, SeedCommitted):
            if any(each.commitment == line.commitment for each in self.commitments):
                yield "commits to a seed that was committed to before"
            older = self.is_fork and not self._is_revealed and not any(each.because for each in self.commitments[1:])
            because = line.because or ("fork" if older else "")
            yield from self._changed(because)
            if line.because == "fork":
                self._at_fork = frozenset(self.course.setup.members)
                if not self.is_fork:
                    yield "says that it is a fork; this campaign was never forked"
            self.commit(line.commitment, at, because)
        elif isinstance(line, SeedRevealed):
            yield from self._revealed(line.commitment, line.seed)
        elif isinstance(line, DraftThrown):
            yield from self._draft_throw(line)

    def end(self) -> Iterator[str]:
        """What is wrong once no more seats are left: of those at the table, a fork keeps one, its game master's."""
        stayed = [each for each in self.course.setup.members.values() if each.id in (self._at_fork or ())]
        if len(stayed) > 1:
            yield f"says that it is a fork, but {' and '.join(each.name for each in stayed)} stayed at the table"
        self._at_fork = None

    @property
    def _is_revealed(self) -> bool:
        """Whether the log has revealed the seed that the dice come from now."""
        return not self.commitments or self.commitments[-1].commitment in self._spent

    def _changed(self, because: str) -> Iterator[str]:
        """Whoever changes the seed without revealing it could throw until they like the result."""
        if not self._is_revealed and because not in ELSEWHERE:
            yield "changes the seed of the dice without revealing the one before"

    def _draft_throw(self, line: DraftThrown) -> Iterator[str]:
        """Check a throw for a field of a draft; it is counted with all others."""
        expected = self._throws + 1
        self._throws = max(self._throws, line.throw)
        if line.throw != expected:
            yield f"is throw {line.throw} where throw {expected} should be"
        if line.by != DICE:
            yield f"a throw of the table's that {self.course.name(line.by)} made"
        yield from self._fallen(line, self.course.now)

    def _revealed(self, commitment: str, seed: str) -> Iterator[str]:
        self._spent.add(commitment)
        known = [each for each in self.commitments if each.commitment == commitment]
        if not known:
            yield "reveals a seed that nobody had committed to"
        if SeededDice(bytes.fromhex(seed)).commitment != commitment:
            yield "the seed it reveals is not the one that was committed to"

    def _throw(self, line: AnswerLine, throw: int, at: int, now: Moment) -> Iterator[str]:
        held = now.held.get((line.step, line.part)) if isinstance(line, AnswerGiven) else None
        expected = held.throw if held else self._throws + 1
        self._throws = max(self._throws, throw)
        if throw != expected:
            yield f"is throw {throw} where throw {expected} should be"
        if line.by == DICE and held is None:
            yield from self._fallen(line, now)
        elif isinstance(line, ThrowHeld):
            yield f"a throw of the table's that {self.course.name(line.by)} made"
        elif held is not None:
            yield from self._word(line, at, held)
        else:
            yield from self._typed(line, at, now)

    def _word(self, line: AnswerLine, at: int, held: ThrowHeld) -> Iterator[str]:
        """Check the game master's decision about a held throw."""
        fallen = held.answer
        if line.answer == fallen:
            if line.instead_of is not None:
                yield "stands instead of a throw that it lets stand"
            return
        self.overruled.append(self._noted(line, at, fallen))
        if line.instead_of is None:
            yield f"{line.answer} is not what had fallen ({fallen}), and does not say so"
        elif line.instead_of != fallen:
            yield f"stands instead of {line.instead_of}, but {fallen} had fallen"

    def _typed(self, line: AnswerLine, at: int, now: Moment) -> Iterator[str]:
        """Check a throw made by hand, which must have been announced; after an undo a throw may have been open."""
        if line.instead_of is not None:
            yield "stands instead of a throw that never fell"
        step = now.steps.get(line.step)
        setups = [self.course.setup, *([step.setup] if step else [])]
        if not self.commitments or any(is_by_hand(each, line) for each in setups):
            self.by_hand.append(self._noted(line, at))
            return
        self.overruled.append(self._noted(line, at))
        if not self._after_undo:
            yield f"{self.course.name(line.by)} made by hand a throw that was the table's to make"

    def _noted(self, line: AnswerLine, at: int, instead_of: Plain = None) -> Word:
        return Word(at, self.course.name(line.by), line.of, line.prompt, line.answer, instead_of)

    def _fallen(self, line: AnswerLine | DraftThrown, now: Moment) -> Iterator[str]:
        """Check a throw made by the table, which follows from the seed and its number."""
        if not self.commitments:
            yield "is thrown before any seed was committed to"
            return
        latest = self.commitments[-1]
        latest.throws += 1
        if latest.commitment in self._spent:
            yield "is thrown with a seed that was no secret any more"
        seed = self.seeds.get(latest.commitment)
        if seed is None:
            self.unchecked += 1
            return
        latest.revealed = True
        try:
            found = thrown(seed, line, now.steps[line.step].scene if line.step in now.steps else now.scene)
        except BROKEN as problem:
            yield f"what was thrown cannot be worked out: {problem}"
            return
        self.checked += 1
        if found != line.answer:
            yield f"shows {line.answer}; by the seed it is {found}"


def thrown(seed: SeededDice, line: AnswerLine | DraftThrown, scene: State) -> Plain:
    """What a seed throws. The line gives the sides and numbers of dice; the scene gives the cards of a pile."""
    below = seed.throw(line.thrown)
    if line.dice is not None:
        return [thrown_pips(sides, count, again, below) for sides, count, again in _few(line)]
    if line.pile is None:
        raise BadInput("", "the line says neither dice nor a pile")
    pile = scene.get(line.pile)
    if not isinstance(pile, Pile) or not pile.cards:
        raise BadInput(line.pile, "there is no such pile with cards in it here")
    return pile.cards[below(len(pile.cards))].to_plain()


def _few(line: AnswerLine | DraftThrown) -> list[tuple[int, int, tuple[int, ...]]]:
    """The dice a line names: sides, number, and the pips on which they are thrown again."""
    found: list[tuple[int, int, tuple[int, ...]]] = []
    dice = line.dice or ()
    for (sides, count), again in zip(dice, (*line.again, *[()] * len(dice)), strict=False):
        if len(set(again)) >= sides:
            raise BadInput("dice", f"dice of {sides} sides that are thrown again on {len(again)} of them never end")
        found.append((_within(sides, MOST_SIDES), _within(count, MOST_DICE, 0), again))
    _within(sum(count for _, count, _ in found), MOST_DICE)
    return found


def _within(number: int, most: int, least: int = 1) -> int:
    if not least <= number <= most:
        raise BadInput("dice", f"{number!r} is not a number of {least} to {most}")
    return number
