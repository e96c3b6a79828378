"""What a store says no to, each in a sentence."""

from __future__ import annotations

from referee.core.errors import RefereeError
from referee.core.plain import Plain


class StoreError(RefereeError):
    """Something the storage cannot do now, in a sentence: the disk is full, the file cannot be written to."""


class Damaged(StoreError):
    """The database itself can no longer be read; a backup may."""


class TooNew(StoreError):
    """A database written by a later Referee."""


class UnknownCampaign(StoreError):
    """There is no campaign of that name."""

    def __init__(self, campaign: str) -> None:
        super().__init__(campaign)
        self.campaign = campaign

    def __str__(self) -> str:
        return f"there is no campaign {self.campaign!r}"


class Taken(StoreError):
    """A campaign of that name stands there already."""

    def __init__(self, campaign: str) -> None:
        super().__init__(campaign)
        self.campaign = campaign

    def __str__(self) -> str:
        return f"campaign {self.campaign!r} stands there already; a campaign is never overwritten"


class Conflict(StoreError):
    """Somebody wrote first: read what they wrote, and try again."""

    def __init__(self, campaign: str, expected: int, found: int) -> None:
        super().__init__(campaign, expected, found)
        self.campaign = campaign
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"campaign {self.campaign!r} has {self.found} lines, not {self.expected}; somebody wrote first"


class Repeated(StoreError):
    """What this key was given for has been done already; `outcome` is what came of it."""

    def __init__(self, campaign: str, key: str, outcome: Plain) -> None:
        super().__init__(campaign, key, outcome)
        self.campaign = campaign
        self.key = key
        self.outcome = outcome

    def __str__(self) -> str:
        return f"campaign {self.campaign!r} has done this already (key {self.key!r})"


class NotInvited(StoreError):
    """An invitation that is unknown, used up or expired."""

    def __init__(self) -> None:
        super().__init__("this invitation is unknown, used up or expired")


class BadRecord(StoreError):
    """One record that cannot be read. The other campaigns are not touched by it."""

    def __init__(self, campaign: str, line: int | None, problem: str) -> None:
        super().__init__(campaign, line, problem)
        self.campaign = campaign
        self.line = line
        """The number of the line, counted from 0; None where it is not a line."""
        self.problem = problem

    def __str__(self) -> str:
        at = "" if self.line is None else f", line {self.line}"
        return f"campaign {self.campaign!r}{at}: {self.problem}"
