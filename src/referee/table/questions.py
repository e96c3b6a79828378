"""The open questions of a table: who answers them, and who everyone knows the table is waiting for."""

from __future__ import annotations

from typing import final

from referee.core.plain import Plain
from referee.core.questions import Chance, Choose
from referee.journal.journal import Journal
from referee.journal.steps import Handler, Handling, Open
from referee.table.members import Member, Role
from referee.views.questions import is_asked, is_known


@final
class TableQuestions:
    """The open questions of a journal, for each seat of a table."""

    def __init__(self, journal: Journal, handling: Handler) -> None:
        self.journal = journal
        self.handling = handling

    def of(self, member: Member) -> dict[str, Open]:
        """The questions a seat answers, by keys that reveal nothing about other steps."""
        found: dict[str, Open] = {}
        for each in self.journal.asking:
            if self.is_of(each, member):
                key = f"{each.question.who or Role.MASTER.value}.{each.question.name}"
                again = sum(known == key or known.startswith(f"{key}.") for known in found)
                found[f"{key}.{again + 1}" if again else key] = each
        return found

    def is_of(self, waiting: Open, member: Member) -> bool:
        """Whether a seat answers a question. Only the game master may answer for a throw that the table makes."""
        if member.role is Role.SPECTATOR or not is_asked(waiting, self.journal, member.seat):
            return False
        return member.is_master or not self._is_the_tables(waiting)

    def awaited(self, member: Member) -> list[Plain]:
        """Who the table is waiting for, whether or not a seat will be told the answer.

        It is told only that something is being resolved when someone else reacts, or when the table itself throws.
        """
        names: dict[str, None] = {}
        for each in self.journal.asking:
            mine = is_asked(each, self.journal, member.seat)
            if not mine and not is_known(each, self.journal, member.seat):
                continue
            who = each.question.who.name if each.question.who else Role.MASTER.value
            secret = isinstance(each.question, Choose) and each.question.reaction and not mine
            names[Role.MASTER.value if secret or self._is_the_tables(each) else who] = None
        return sorted(names)  # the order in which they were asked may be a secret

    def _is_the_tables(self, waiting: Open) -> bool:
        """Whether it is a throw that the table makes or has made, not one made by hand."""
        if (waiting.step, waiting.part) in self.journal.held:
            return True
        is_thrown = isinstance(waiting.question, Chance) and self.journal.source is not None
        return is_thrown and self.handling(waiting) is not Handling.LEAVE
