"""What a store holds, its limits, and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from referee.core.errors import RefereeError
from referee.core.plain import Plain, frozen

LINE_LIMIT: Final = 16 * 2**20
"""The largest line, scene or checkpoint, in bytes of JSON."""
FILE_LIMIT: Final = 8 * 2**20
"""The largest attachment, in bytes."""
OUTCOME_LIMIT: Final = 64 * 2**10
"""The largest stored outcome, in bytes of JSON."""


@final
@frozen
class Header:
    """How a campaign began."""

    id: str
    name: str
    system: str
    version: int
    """Of the system's rules."""
    format: int
    """Of the log."""
    scene: Plain
    """Everything in the scene at the start."""
    created: float
    forked_from: str | None = None


@final
@frozen
class Summary:
    """A campaign in the list of all campaigns. One that cannot be read is listed too, with its problem."""

    id: str
    name: str
    system: str
    created: float
    forked_from: str | None
    lines: int
    active: float
    """When its last line was written."""
    archived: float | None
    problem: str | None = None


@final
@frozen
class LogRow:
    """A line of the log with its number, counted from 0, and when it was written."""

    number: int
    at: float
    line: Mapping[str, Plain]


@final
@frozen
class CheckpointRecord:
    """What follows from the first `number` lines. Losing it loses nothing."""

    number: int
    plain: Plain


@final
@frozen
class Seed:
    """A seed of the table's dice, and when it was revealed."""

    commitment: str
    seed: bytes
    revealed: float | None = None


@final
@frozen
class Token:
    """What a browser or a program sends to be let in; only its digest is stored."""

    digest: str
    campaign: str
    seat: str
    kind: str
    created: float
    expires: float | None = None


@final
@frozen
class Invitation:
    """A way in for someone new; of its code the digest is stored."""

    digest: str
    campaign: str
    role: str
    controls: tuple[str, ...] = ()
    expires: float | None = None
    uses: int = 1
    """How many more times it can be used."""
    code: str | None = None
    """The code itself, if it stays until it is revoked and is shown again."""


@final
@frozen
class Admission:
    """Someone admitted together with the lines by which they sit down: their token, and how they got in."""

    token: Token
    invitation: str | None = None
    """The digest of the invitation they use."""


@final
@frozen
class FileInfo:
    """An attachment without its bytes; `id` is their SHA-256."""

    id: str
    name: str
    media: str
    size: int


@final
@frozen
class File:
    """An attachment. `id` is the SHA-256 of its bytes, in hexadecimal."""

    id: str
    name: str
    media: str
    data: bytes


@final
@frozen
class StoreProblem:
    """Something `check` found. Without a campaign it concerns the whole database."""

    campaign: str | None
    line: int | None
    text: str

    def __str__(self) -> str:
        where = "the database" if self.campaign is None else f"campaign {self.campaign!r}"
        return f"{where}{'' if self.line is None else f', line {self.line}'}: {self.text}"


class StoreError(RefereeError):
    """Something the storage cannot do now, in a sentence: the disk is full, the file cannot be written to."""


class Damaged(StoreError):
    """The database itself can no longer be read; a backup may help."""


class LinesLost(StoreError):
    """The database holds fewer lines than it once did."""


class TooNew(StoreError):
    """A database written by a later Referee."""


class UnknownCampaign(StoreError):
    """There is no campaign with that id."""

    def __init__(self, campaign: str) -> None:
        super().__init__(campaign)
        self.campaign = campaign

    def __str__(self) -> str:
        return f"there is no campaign {self.campaign!r}"


class Taken(StoreError):
    """A campaign with that id already exists."""

    def __init__(self, campaign: str) -> None:
        super().__init__(campaign)
        self.campaign = campaign

    def __str__(self) -> str:
        return f"campaign {self.campaign!r} stands there already; a campaign is never overwritten"


class Conflict(StoreError):
    """Someone else wrote first: read what they wrote, and try again."""

    def __init__(self, campaign: str, expected: int, found: int) -> None:
        super().__init__(campaign, expected, found)
        self.campaign = campaign
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"campaign {self.campaign!r} has {self.found} lines, not {self.expected}; somebody wrote first"


class Repeated(StoreError):
    """The request with this key was already carried out; `outcome` is its result."""

    def __init__(self, campaign: str, key: str, outcome: Plain) -> None:
        super().__init__(campaign, key, outcome)
        self.campaign = campaign
        self.key = key
        self.outcome = outcome

    def __str__(self) -> str:
        return f"campaign {self.campaign!r} has done this already (key {self.key!r})"


class Busy(StoreError):
    """The database could not do it now; nothing was written, and the same may be tried again."""


class NotInvited(StoreError):
    """An invitation that is unknown, used up or expired."""

    def __init__(self) -> None:
        super().__init__("this invitation is unknown, used up or expired")


class BadRecord(StoreError):
    """One record that cannot be read. Other campaigns are not affected."""

    def __init__(self, campaign: str, line: int | None, problem: str) -> None:
        super().__init__(campaign, line, problem)
        self.campaign = campaign
        self.line = line
        """The number of the line, counted from 0; None if it is not a line."""
        self.problem = problem

    def __str__(self) -> str:
        at = "" if self.line is None else f", line {self.line}"
        return f"campaign {self.campaign!r}{at}: {self.problem}"
