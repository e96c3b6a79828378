"""What rules came to that other rules called: collected for whoever tells people of it, and for nobody else."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from typing import Any, final

from referee.core.rules import Call
from referee.core.scene import Who


@final
@dataclass(frozen=True, slots=True)
class Came:
    """A rule that another had called came to something."""

    calls: tuple[Call[Any], ...]
    """It, and the rules it ran within, the innermost first."""
    result: Any
    after: int
    """How many events there were before."""


@final
class Results:
    """What the rules of a run came to. A rule that only hands on what one it called came to adds nothing."""

    def __init__(self) -> None:
        self.came: list[Came] = []
        self.handed_on = False
        """Whether the result of the step itself is one that was told."""
        self._given: list[tuple[int, object]] = []
        """Results with their depth; deeper ones only as long as the rule that called is not over."""

    def note(self, calls: tuple[Call[Any], ...], result: Any, after: int) -> None:
        """A rule is over, with a record of what it came to."""
        depth, handed_on = len(calls), False
        while self._given and self._given[-1][0] > depth:
            below, given = self._given.pop()
            handed_on |= below == depth + 1 and given is result
        self._given.append((depth, result))
        if depth == 1:
            self.handed_on = handed_on
        elif not handed_on:
            self.came.append(Came(calls, result, after))


def is_record(result: object) -> bool:
    """Whether a result has fields that people can be told; a name has none."""
    return is_dataclass(result) and not isinstance(result, (type, Who))
