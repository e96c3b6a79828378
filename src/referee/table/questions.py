"""The open questions of a table: whose they are to answer, and whom everybody knows the table to wait for."""

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
    """The open questions of a journal, by seat."""

    def __init__(self, journal: Journal, handling: Handler) -> None:
        self.journal = journal
        self.handling = handling

    def of(self, member: Member) -> dict[str, Open]:
        """The questions that are a seat's to answer, by keys that tell nothing of other steps."""
        found: dict[str, Open] = {}
        for each in self.journal.asking:
            if self.is_of(each, member):
                key = f"{each.question.who or Role.MASTER.value}.{each.question.name}"
                again = sum(known == key or known.startswith(f"{key}.") for known in found)
                found[f"{key}.{again + 1}" if again else key] = each
        return found

    def is_of(self, waiting: Open, member: Member) -> bool:
        """Whether a question is a seat's to answer. A throw that the table makes is the game master's at most."""
        if member.role is Role.SPECTATOR or not is_asked(waiting, self.journal, member.seat):
            return False
        return member.is_master or not self._is_the_tables(waiting)

    def awaited(self, member: Member) -> list[Plain]:
        """Whom the table waits for, as far as a seat will be told the answer.

        Of another's reaction it is only told that something is being resolved, and so of a throw that the table makes.
        """
        names: dict[str, None] = {}
        for each in self.journal.asking:
            mine = is_asked(each, self.journal, member.seat)
            if not mine and not is_known(each, self.journal, member.seat):
                continue
            who = each.question.who.name if each.question.who else Role.MASTER.value
            secret = isinstance(each.question, Choose) and each.question.reaction and not mine
            names[Role.MASTER.value if secret or self._is_the_tables(each) else who] = None
        return list(names)

    def _is_the_tables(self, waiting: Open) -> bool:
        """Whether it is a throw that is not made by hand, or was not."""
        if (waiting.step, waiting.part) in self.journal.held:
            return True
        is_thrown = isinstance(waiting.question, Chance) and self.journal.source is not None
        return is_thrown and self.handling(waiting) is not Handling.LEAVE
