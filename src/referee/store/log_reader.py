"""Reads the parts of a log in a file: its header and its lines. Session files, exports and `verify` share it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.journal.lines import FORMAT, Line
from referee.store.encoding import mapping

AFTER_HEADER: Final = 2
"""Line 0 of a log is line 2 of its file."""


@final
@dataclass(frozen=True)
class LogStart:
    """How a log began."""

    system: str
    version: int
    scene: Mapping[str, Plain]
    commitment: str | None = None
    """The seed commitment of a terminal session; a campaign has it in its lines."""
    is_fork: bool = False


def read_record(text: bytes, where: str) -> dict[str, Plain]:
    """One line of a file: a JSON object."""
    try:
        return mapping(text.decode())
    except UnicodeDecodeError as problem:
        raise BadInput(where, f"not JSON: {problem}") from None
    except ValueError as problem:
        raise BadInput(where, str(problem)) from None


def read_start(plain: Mapping[str, Any], name: str) -> LogStart:
    """Read the first line of a file, either of a session or of an exported campaign."""
    check_format(plain.get("format" if plain.get("kind") == "campaign" else "referee"), name)
    system, version, scene, commitment = (plain.get(each) for each in ("system", "version", "scene", "commitment"))
    if not isinstance(system, str) or type(version) is not int or not isinstance(scene, dict):
        raise BadInput(f"{name}, line 1", "does not say how it began")
    return LogStart(system, version, scene, commitment, plain.get("forked_from") is not None)


def check_format(number: object, where: str) -> None:
    """Check that this is a log of the current format or an earlier one."""
    if type(number) is not int or not 1 <= number <= FORMAT:
        raise BadInput(where, f"a log of format {number!r}; this Referee reads up to {FORMAT}")


def read_line(plain: Plain, where: str) -> Line:
    """Read a line of the log; `BadInput` says where it is and what is wrong with it."""
    try:
        return Line.from_plain(plain)
    except BadInput as problem:
        raise BadInput(where, problem.problem) from None
