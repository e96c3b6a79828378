"""Which lines of a log are in force. Undo takes lines out, redo brings them back, and both are lines themselves."""

from __future__ import annotations

from typing import final

from referee.core.errors import BadInput
from referee.journal.lines import Line


@final
class InForce:
    """The numbers of the lines in force, as lines are filed one after the other."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._undone: list[list[int]] = []

    @property
    def may_redo(self) -> bool:
        """Whether the last undo could be taken back."""
        return bool(self._undone)

    def file(self, number: int, line: Line) -> list[int]:
        """One more line; the numbers of those that went or came back by it."""
        if line.is_aside:
            return []
        if line.kind == "undone":
            return self._undo(line.what["to"])
        if line.kind == "redone":
            return self._redo()
        self._undone.clear()
        self.numbers.append(number)
        return []

    def _undo(self, to: int) -> list[int]:
        gone = [number for number in self.numbers if number >= to]
        if not gone or gone[0] != to:
            raise BadInput("undone", f"line {to} was not in force")
        self._undone.append(gone)
        del self.numbers[len(self.numbers) - len(gone) :]
        return gone

    def _redo(self) -> list[int]:
        if not self._undone:
            raise BadInput("redone", "nothing had been undone just before")
        back = self._undone.pop()
        self.numbers += back
        return back
