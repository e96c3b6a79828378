"""Which lines of a log are in force. Undo removes lines, redo restores them, and both are lines themselves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import final

from referee.core.errors import BadInput
from referee.journal.lines import Aside, Line, LinesRedone, LinesUndone


@final
class UndoStack:
    """The numbers of the lines in force, as lines are added one after the other."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._undone: list[list[int]] = []

    @property
    def undone(self) -> Sequence[Sequence[int]]:
        """The lines removed by each undo that can still be reversed, the latest last."""
        return self._undone

    def add(self, number: int, line: Line) -> Sequence[int]:
        """Add one more line; returns the numbers of the lines it removed or restored."""
        match line:
            case Aside():
                return ()
            case LinesUndone():
                return self._undo(line.to, frozenset(line.but))
            case LinesRedone():
                return self._redo()
            case _:
                self._undone.clear()
                self.numbers.append(number)
                return ()

    def since(self, number: int) -> Sequence[int] | None:
        """A line and all later lines in force; None if the line itself is not in force."""
        at = bisect_left(self.numbers, number)
        return self.numbers[at:] if number in self.numbers[at : at + 1] else None

    def _undo(self, to: int, but: Collection[int]) -> Sequence[int]:
        later = self.since(to)
        if later is None:
            raise BadInput("undone", f"line {to} was not in force")
        if not set(but) <= set(later[1:]):
            raise BadInput("undone", "a line that is to stay was not in force after it")
        gone = [number for number in later if number not in but]
        self._undone.append(gone)
        self.numbers[-len(later) :] = sorted(but)
        return gone

    def _redo(self) -> Sequence[int]:
        if not self._undone:
            raise BadInput("redone", "nothing had been undone just before")
        back = self._undone.pop()
        self.numbers = sorted((*self.numbers, *back))
        return back
