"""A log as it stands in a file: an exported campaign, or an evening of `referee play` with its seed beside it.

Read for checking: what can be read is read, and what does not add up is told beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, final

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.journal.lines import FORMAT, Line
from referee.journal.seeded_dice import SeededDice
from referee.store.log_file import seed_file

_AFTER_HEADER: Final = 2
"""Line 0 of the log is line 2 of its file."""


class Mismatch(NamedTuple):
    """Something that cannot be as it is written, by the line of the file; None where it is no single line's."""

    line: int | None
    problem: str

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"


@final
@dataclass
class Written:
    """A log out of a file."""

    name: str
    system: str
    version: int
    scene: Mapping[str, Plain]
    commitment: str | None
    """What an evening in a terminal has committed to; a campaign says it in its lines."""
    lines: list[Line] = field(default_factory=list)
    seeds: list[SeededDice] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)


def line_of_file(number: int) -> int:
    """Where a line of the log stands in its file."""
    return number + _AFTER_HEADER


def read_written(path: Path) -> Written:
    """A log out of a file; `BadInput` if it is none."""
    raw = path.read_bytes().split(b"\n")
    if not raw[0]:
        raise BadInput(path.name, "the log has no beginning")
    incomplete = raw.pop()
    plains = [_parsed(text, path, at) for at, text in enumerate(raw, 1)]
    if not plains:
        raise BadInput(path.name, "the log has no beginning")
    found = _header(plains[0], path)
    if incomplete:
        found.mismatches.append(Mismatch(len(raw) + 1, "is incomplete: it was never acknowledged, or the file was cut"))
    if plains[0].get("kind") == "campaign":
        _read_campaign(found, plains, raw, path)
    else:
        found.lines += [_line(plain, path, at) for at, plain in enumerate(plains[1:], _AFTER_HEADER)]
        found.seeds += _seed_beside(path)
    return found


def _header(plain: Mapping[str, Any], path: Path) -> Written:
    version = plain.get("format" if plain.get("kind") == "campaign" else "referee")
    if version != FORMAT:
        raise BadInput(path.name, f"a log of format {version!r}; this Referee reads format {FORMAT}")
    system, of, scene, commitment = (plain.get(name) for name in ("system", "version", "scene", "commitment"))
    if not isinstance(system, str) or type(of) is not int or not isinstance(scene, dict):
        raise BadInput(f"{path.name}, line 1", "does not say how it began")
    return Written(str(plain.get("name", path.name)), system, of, scene, commitment)


def _read_campaign(found: Written, plains: list[dict[str, Any]], raw: list[bytes], path: Path) -> None:
    """The parts of an export: numbered lines, seeds and files, and a checksum as the last."""
    said = {name: plains[0].get(name) for name in ("lines", "seeds", "files")}
    counted = dict.fromkeys(said, 0)
    for at, plain in enumerate(plains[1:], 2):
        if "line" in plain:
            counted["lines"] += 1
            if plain.get("number") != len(found.lines):
                problem = f"is numbered {plain.get('number')} where {len(found.lines)} should be"
                found.mismatches.append(Mismatch(at, problem))
            found.lines.append(_line(plain["line"], path, at))
        elif "seed" in plain:
            counted["seeds"] += 1
            _add_seed(found, plain, at)
        elif "file" in plain:
            counted["files"] += 1
    for name, number in counted.items():
        if number != said[name]:
            found.mismatches.append(Mismatch(None, f"{number} {name} are here where there should be {said[name]}"))
    digest = hashlib.sha256(b"".join(text + b"\n" for text in raw[:-1])).hexdigest()
    if plains[-1].get("sha256") != digest:
        found.mismatches.append(Mismatch(len(raw), "the checksum does not fit: the file was changed or damaged"))


def _add_seed(found: Written, plain: Mapping[str, Any], at: int) -> None:
    try:
        seed = SeededDice(bytes.fromhex(plain["seed"]))
    except (TypeError, ValueError):
        found.mismatches.append(Mismatch(at, "a seed that cannot be read"))
        return
    if seed.commitment != plain.get("commitment"):
        found.mismatches.append(Mismatch(at, "this seed is not the one that was committed to"))
    found.seeds.append(seed)


def _seed_beside(path: Path) -> list[SeededDice]:
    """The seed of an evening, if it is there."""
    if not seed_file(path).exists():
        return []
    try:
        return [SeededDice(bytes.fromhex(seed_file(path).read_text(encoding="utf-8")))]
    except ValueError as problem:
        raise BadInput(seed_file(path).name, f"the seed of the dice cannot be read: {problem}") from None


def _parsed(text: bytes, path: Path, at: int) -> dict[str, Any]:
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{path.name}, line {at}", f"not JSON: {problem}") from None
    if not isinstance(plain, dict):
        raise BadInput(f"{path.name}, line {at}", f"not a line of a log: {str(plain)[:80]}")
    return plain


def _line(plain: Any, path: Path, at: int) -> Line:
    try:
        if not isinstance(plain, dict):
            raise BadInput("log", f"not a line of a log: {str(plain)[:80]}")
        return Line.from_plain(plain)
    except BadInput as problem:
        raise BadInput(f"{path.name}, line {at}", problem.problem) from None
