"""A step of a scenario, recorded so that a live table can play it again and say what each seat is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from referee.core.agenda import next_of
from referee.core.clock import PASSING
from referee.core.plain import Plain, write
from referee.core.rules import Call
from referee.core.scene import State
from referee.core.system import System
from referee.journal.journal import Journal


@final
@dataclass
class Recording:
    """A step as it was played, to be played again at a table: what was begun, with its answers, or edited."""

    before: State
    by: str = "game master"
    secret: bool = False
    begun: list[tuple[Call[Any], list[Plain]]] = field(default_factory=list)
    edits: dict[str, Plain] = field(default_factory=dict)

    def journal(self, system: System, answered: int | None = None) -> Journal:
        """The table after the step, or at the question that comes after so many answers."""
        journal = Journal(system, self.before, halted=True)
        for name, plain in self.edits.items():
            if plain is None:
                journal.remove(self.by, name)
            else:
                journal.edit(self.by, name, **plain)
        for call, answers in self.begun:
            if not self._begins_by_itself(journal, call):
                journal.halted = True
                journal.begin(self.by, call.rule.id, _given(call), secret=self.secret, call=call)
            for given in answers:
                if answered == 0:
                    return journal
                answered = None if answered is None else answered - 1
                step, part, question = journal.asking[0]
                journal.answer(question.who.name if question.who else "game master", step, given, part)
            journal.halted = False
            journal.settle()
        return journal

    @staticmethod
    def _begins_by_itself(journal: Journal, call: Call[Any]) -> bool:
        """Whether it is a step of time passing; the table begins those."""
        if journal.asking:
            return True
        following = next_of(journal.scene, PASSING)
        if following is None or following.call != call or not following.is_clocks:
            return False
        journal.halted = False
        journal.settle()
        return True


def _given(call: Call[Any]) -> dict[str, Plain]:
    """The arguments that say something: nobody at a table names one that is as it is without a word."""
    pairs = zip(call.rule.parameters.items(), call.args, strict=True)
    return {name: write(value) for (name, parameter), value in pairs if value != parameter.default}
