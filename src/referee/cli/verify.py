"""`referee verify`: check a log, with every throw and draw in it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.cli.show import WORDS
from referee.cli.terminal import DIM, GREEN, RED, YELLOW, paint
from referee.core.errors import BadInput
from referee.journal.lines import SeedRevealed
from referee.journal.seeded_dice import SeededDice
from referee.verify.dice import ELSEWHERE, Word
from referee.verify.log_file import read_written
from referee.verify.report import Report, verify


def verify_file(
    file: str, others: Sequence[str], seeds: Sequence[str], commitments: Sequence[str], *, as_json: bool
) -> bool:
    """Whether a file passes; seeds may be given, or revealed in other files, such as the campaign it is a fork of."""
    given = [_seed(text) for text in seeds]
    for other in map(Path, others):
        given += _revealed(other)
    report = verify(read_written(Path(file)), given, [_commitment(text) for text in commitments])
    if as_json:
        print(json.dumps({"file": file, **report.to_plain()}, ensure_ascii=False, indent=1))
    else:
        for line in _told(file, report):
            print(line)
    return report.holds


def _seed(text: str) -> SeededDice:
    try:
        return SeededDice(bytes.fromhex(text))
    except ValueError:
        raise BadInput("--seed", WORDS.say("verify-seed")) from None


def _commitment(text: str) -> str:
    """A commitment as someone wrote it down; its first eight digits will do."""
    if not re.fullmatch(r"[0-9a-fA-F]{8,64}", text):
        raise BadInput("--commitment", WORDS.say("verify-commitment"))
    return text


def _revealed(path: Path) -> list[SeededDice]:
    """The seeds revealed in another file."""
    log = read_written(path)
    return [*log.seeds, *(_seed(line.seed) for line in log.lines if isinstance(line, SeedRevealed))]


def _told(file: str, report: Report) -> Iterator[str]:
    yield WORDS.say("verify-lines", file=file, lines=report.lines, steps=report.steps)
    yield "  " + WORDS.say("verify-checked", throws=report.checked)
    if report.by_hand:
        names = Counter(word.by for word in report.by_hand)
        who = ", ".join(f"{name} {count}" for name, count in names.most_common())
        yield "  " + WORDS.say("verify-by-hand", throws=len(report.by_hand), who=who)
    if report.overruled:
        yield "  " + WORDS.say("verify-overruled", throws=len(report.overruled))
        yield from (f"    {_word(word)}" for word in report.overruled)
    undone = {name: count for name, count in report.undone.items() if count}
    if undone:
        who = ", ".join(f"{name} {count}" for name, count in undone.items())
        yield "  " + WORDS.say("verify-undone", throws=sum(undone.values()), who=who)
    for each in report.commitments:
        key = f"verify-seed-{each.because}" if each.because in ELSEWHERE else "verify-seed-at"
        said = WORDS.say(key, line=each.line, commitment=each.commitment[:16], throws=each.throws)
        yield "  " + (paint(said, YELLOW) if each.because in ELSEWHERE else said)
    if report.unchecked:
        open_ = [each for each in report.commitments if each.throws and not each.revealed]
        names_ = ", ".join(f"{each.commitment[:12]}…" for each in open_)
        yield "  " + paint(WORDS.say("verify-unchecked", throws=report.unchecked, commitments=names_), YELLOW)
    for left in report.left_out:
        yield "  " + paint(left, DIM)
    if report.holds:
        yield paint(WORDS.say("verify-holds"), GREEN)
        return
    yield paint(WORDS.say("verify-differs", count=len(report.mismatches)), RED)
    yield from (f"  {mismatch}" for mismatch in report.mismatches)


def _word(word: Word) -> str:
    key = "verify-by-hand-after" if word.instead_of is None else "verify-instead"
    of = word.of or WORDS.say("nobody")
    said = {"by": word.by, "of": of, "asked": word.prompt, "answer": word.answer, "fallen": word.instead_of}
    return WORDS.say(key, line=word.line, **said)
