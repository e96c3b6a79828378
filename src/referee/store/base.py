"""What the live table needs from its storage. SQLite and PostgreSQL implement it, held to the same tests.

Every call that writes has reached the disk when it returns. A campaign's lines are only ever added to. Secrets (seeds,
tokens, invitations) are kept apart from the log, so that a log can be shown. The store does not interpret lines: it
keeps plain JSON, in order, and reports when it can no longer read it. `docs/storage.md` explains it all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from referee.core.plain import Plain
from referee.store.records import (
    Admission,
    CheckpointRecord,
    File,
    FileInfo,
    Header,
    Invitation,
    LogRow,
    Seed,
    StoreProblem,
    Summary,
    Token,
)

Heard: TypeAlias = Callable[[str, str], None]
"""Called with a campaign and what has happened to it: how many lines it has now, or a word."""


class Store(ABC):
    """Campaigns on disk. Several threads may call at once.

    Every method that names a campaign raises `UnknownCampaign` if there is none, and any may raise `StoreError`.
    """

    write_problem: str
    """Why the last write failed; empty if it did not."""
    is_shared: bool = False
    """Whether other servers write to it too: what is in memory may then be behind it."""

    def turn(self, campaign: str) -> AbstractContextManager[int | None]:
        """Everything done in it is one transaction, in which nobody else changes the campaign.

        It gives the number of lines if others may have added some. What was done counts once it has ended well.
        """
        return nullcontext()

    def announce(self, campaign: str, what: str) -> None:  # noqa: B027  # nobody else writes, unless a store is shared
        """Tell other servers about something that is no line: a name, a revoked token, somebody who is here."""

    def listen(self, heard: Heard, missed: Callable[[], None]) -> None:  # noqa: B027
        """Call back for what other servers announce or write, and once for all that may have been missed."""

    # Campaigns.

    def create(self, header: Header) -> None:
        """Create a campaign; `Taken` if the id is in use."""
        self.add_campaign(header, ())

    @abstractmethod
    def add_campaign(self, header: Header, parts: Iterable[LogRow | File | Seed | Token]) -> None:
        """Import a whole campaign at once: all of it, or nothing if anything is wrong or the parts raise on the way."""

    @abstractmethod
    def header(self, campaign: str) -> Header:
        """How a campaign began; `BadRecord` if it cannot be read."""

    @abstractmethod
    def headers(self) -> list[Summary]:
        """All campaigns, newest first, archived and unreadable ones included."""

    @abstractmethod
    def rename(self, campaign: str, name: str) -> None:
        """Give a campaign another name. Its id stays the same."""

    @abstractmethod
    def raise_format(self, campaign: str, number: int) -> None:
        """From here on a campaign has lines of a later format of the log."""

    @abstractmethod
    def archive(self, campaign: str, at: float | None) -> None:
        """Archive a campaign, or bring it back with None. No line is ever deleted."""

    # The log.

    @abstractmethod
    def append(
        self,
        campaign: str,
        expected: int,
        rows: Sequence[LogRow],
        key: str | None = None,
        outcome: Plain = None,
        admits: Admission | None = None,
    ) -> None:
        """Add lines, all or none, to a campaign that has exactly `expected` of them; otherwise `Conflict`.

        The outcome is stored with them under the key. A key that is already stored raises `Repeated`, whatever was
        expected. No rows at all is legal: only the key is stored. If someone is admitted with the lines, their token is
        stored and their invitation used in the same step; `NotInvited` if it cannot be used (any more).
        """

    @abstractmethod
    def remembered(self, campaign: str, key: str) -> Plain:
        """The outcome stored under a key, or None."""

    @abstractmethod
    def forget_keys(self, before: float) -> int:
        """Forget the keys of lines written before a time; returns how many there were."""

    @abstractmethod
    def count(self, campaign: str) -> int:
        """How many lines a campaign has."""

    @abstractmethod
    def lines(self, campaign: str, start: int = 0, stop: int | None = None) -> Iterator[LogRow]:
        """The lines from one number up to but not including another, as many as there are now, read in chunks.

        A line that is missing or cannot be read raises `BadRecord` when it is reached.
        """

    @abstractmethod
    def times(self, campaign: str, numbers: Iterable[int]) -> dict[int, float]:
        """When each of these lines was written; `BadRecord` if one is missing or its time cannot be read."""

    # What may be lost.

    @abstractmethod
    def keep_checkpoint(self, campaign: str, number: int, plain: Plain) -> None:
        """Store what follows from the first `number` lines."""

    @abstractmethod
    def checkpoint(self, campaign: str, at_most: int | None = None) -> CheckpointRecord | None:
        """The newest readable checkpoint that covers at most this many lines."""

    @abstractmethod
    def drop_checkpoints(self, campaign: str, below: int | None = None) -> None:
        """Drop the checkpoints that cover fewer than this many lines, or all."""

    # Secrets.

    @abstractmethod
    def keep_seed(self, campaign: str, commitment: str, seed: bytes) -> None:
        """Store a seed before the line that commits to it is written. Storing the same one again changes nothing."""

    @abstractmethod
    def seed(self, campaign: str, commitment: str) -> bytes | None: ...

    @abstractmethod
    def reveal_seed(self, campaign: str, commitment: str, at: float) -> bytes:
        """Mark a seed as revealed and return it. Only revealed seeds are ever exported."""

    @abstractmethod
    def seeds(self, campaign: str) -> list[Seed]: ...

    @abstractmethod
    def keep_token(self, token: Token) -> None: ...

    @abstractmethod
    def token(self, digest: str, now: float | None = None) -> Token | None:
        """A token that has not expired."""

    @abstractmethod
    def tokens(self, campaign: str) -> list[Token]: ...

    @abstractmethod
    def revoke_token(self, digest: str) -> bool:
        """Revoke a token; returns whether it existed."""

    @abstractmethod
    def revoke_seat(self, campaign: str, seat: str) -> int:
        """Revoke every token of a seat; returns how many there were."""

    @abstractmethod
    def keep_invitation(self, invitation: Invitation) -> None: ...

    @abstractmethod
    def invitation(self, digest: str, now: float | None = None) -> Invitation | None:
        """An invitation that can still be used."""

    @abstractmethod
    def invitations(self, campaign: str) -> list[Invitation]:
        """All invitations, used up and expired ones included."""

    @abstractmethod
    def revoke_invitation(self, digest: str) -> bool:
        """Revoke an invitation; returns whether it existed."""

    # Attachments.

    @abstractmethod
    def keep_file(self, campaign: str, name: str, media: str, data: bytes, seat: str = "") -> str:
        """Store an attachment and return its id. Repeated bytes keep their first name; `TooLarge` above the limit.

        With a seat, it is remembered as one of those this seat has uploaded.
        """

    @abstractmethod
    def file(self, campaign: str, file_id: str) -> File | None:
        """An attachment; `BadRecord` if its bytes have changed."""

    @abstractmethod
    def files(self, campaign: str, seat: str | None = None) -> list[FileInfo]:
        """The attachments of a campaign, or those that a seat has uploaded."""

    # Upkeep.

    @abstractmethod
    def check(self) -> list[StoreProblem]:
        """Read everything, and report what cannot be read or is inconsistent."""

    @abstractmethod
    def close(self) -> None: ...
