"""All errors. `Refused` is for the people at the table, the others are for those who write rules or data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from referee.core.trace import RUNNING, note


class RefereeError(Exception):
    """The base of every error that Referee raises itself."""


class Refused(RefereeError):
    """Something a rule does not allow: what was tried, why not, by which rule, and what would be legal instead.

    Raised from a step, it rolls the whole step back.
    """

    def __init__(self, what: str, *, because: str, rule: str, legal: Iterable[str] = ()) -> None:
        super().__init__(what, because, rule)
        self.what = what
        self.because = because
        self.rule = rule
        self.legal = tuple(legal)
        note(rule)

    def __str__(self) -> str:
        instead = f"; legal: {', '.join(self.legal)}" if self.legal else ""
        return f"{self.what}: {self.because} ({self.rule}){instead}"


def refuse(because: str, *, legal: Iterable[str] = (), rule: str = "", what: str = "") -> NoReturn:
    """Refuse what the running rule would do. Another rule is named where it is that one which bars it."""
    if RUNNING.rule is None and not (rule and what):
        raise TypeError(f"{because!r}: outside a running rule a refusal says what is refused, and by which rule")
    title, cites = (RUNNING.rule.title, RUNNING.rule.cites) if RUNNING.rule else ("", "")
    raise Refused(what or title, because=because, rule=rule or cites, legal=legal)


class Endless(Refused):
    """A step that did not come to an end. It was stopped, and nothing of it stays."""

    def __init__(self, what: str, rule: str) -> None:
        super().__init__(what, because="it does not come to an end, so it was stopped", rule=rule)


class BadAnswer(Refused):
    """An answer that does not fit its question. The question stays open; nothing is rolled back."""


class BarredAnswer(BadAnswer):
    """An answer that names an option which a rule bars at the moment."""


class BadInput(RefereeError):
    """Data from outside in the wrong form: where it is, and what is wrong with it."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(where, problem)
        self.where = where
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}" if self.where else self.problem

    def within(self, outer: str) -> BadInput:
        """The same error, with its place seen from one level further out."""
        joint = "" if not self.where or self.where.startswith("[") else "."
        return BadInput(f"{outer}{joint}{self.where}", self.problem)


class RulebookError(BadInput):
    """A rulebook entry that is missing or malformed. Names file, id and field."""

    def within(self, outer: str) -> RulebookError:
        """The place is in the rulebook, no matter where it was read from."""
        return self


class IllegalAfterStep(RefereeError):
    """A step has left something in the scene that its system does not allow: the rule is wrong, or the check is."""

    def __init__(self, step: object, why: RefereeError) -> None:
        super().__init__(step, why)
        self.step = step
        self.why = why

    def __str__(self) -> str:
        return f"after {self.step}: {self.why}"


class RuleFault(RefereeError):
    """The code of a rule has failed, or has left what cannot be stored: whoever wrote it has to mend it.

    Nothing of the step stays. What exactly failed may name what is hidden: only the game master and the log are told.
    """

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule

    @classmethod
    def of(cls, why: Exception, step: str) -> RuleFault:
        """What failed in a step, by the innermost rule that was running."""
        found = cls(next(iter(getattr(why, "__notes__", ())), step))
        found.__cause__ = why
        return found

    @property
    def details(self) -> str:
        why = self.__cause__
        return f"{self}: {type(why).__name__}: {why}"

    def __str__(self) -> str:
        return f"the code of {self.rule} has failed"


class ReplayMismatch(RefereeError):
    """A rule asked something else when it was run again: it reads something it was not given, or it has changed."""

    def __init__(self, first: object, second: object) -> None:
        super().__init__(first, second)
        self.first = first
        self.second = second

    def __str__(self) -> str:
        return f"run again, the rule asked {self.second} where it had first asked {self.first}"


class ForeignAwait(RefereeError):
    """A rule awaited something that is not one of Referee's requests (asyncio, I/O)."""

    def __init__(self, thing: object, rule: str) -> None:
        super().__init__(thing, rule)
        self.thing = thing
        self.rule = rule

    def __str__(self) -> str:
        return f"{self.rule} awaited {self.thing!r}; a rule awaits requests only (roll, choose, change, another rule …)"


class NotKnown(RefereeError):
    """Something was read that the viewer does not know."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return f"{self.what} is not known here"


class TooLarge(RefereeError):
    """Work that would exceed a stated limit; none of it was started."""


class NotKept(TooLarge):
    """Something was read that a kernel has not kept; odds that need it are not exact."""


class TooLong(TooLarge):
    """What a kernel says of a rule that it cannot work out, and that would take minutes to be played in every way."""


class OutOfTime(TooLarge):
    """Work that was stopped because it took longer than allowed."""


class Cancelled(RefereeError):
    """Work that was stopped because no one wants its result any more. Unlike `TooLarge`, nothing takes its place."""
