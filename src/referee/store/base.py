"""What the live table asks of its storage; SQLite keeps it now, another database may later, held to the same tests.

Every call that writes has reached the disk when it returns. A campaign's lines are only ever added to. Secrets (seeds,
tokens, invitations) lie apart from the log, so that a log can be shown. The store gives lines no meaning: it keeps
plain JSON, in order, and says so when it can no longer read it. `docs/storage.md` tells the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

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


class Store(ABC):
    """Campaigns on disk. Several threads may call at once.

    Every method that names a campaign raises `UnknownCampaign` if there is none, and any may raise `StoreError`.
    """

    # Campaigns.

    def create(self, header: Header) -> None:
        """Begin a campaign; `Taken` if there is one of that id."""
        self.add_campaign(header, ())

    @abstractmethod
    def add_campaign(self, header: Header, parts: Iterable[LogRow | File | Seed | Token]) -> None:
        """A whole campaign at once: all of it, or nothing if anything is wrong or the parts raise in the middle."""

    @abstractmethod
    def header(self, campaign: str) -> Header:
        """How a campaign began; `BadRecord` if that cannot be read."""

    @abstractmethod
    def headers(self) -> list[Summary]:
        """All campaigns, newest first, archived and unreadable ones included."""

    @abstractmethod
    def rename(self, campaign: str, name: str) -> None:
        """Give a campaign another name. Its id stays."""

    @abstractmethod
    def archive(self, campaign: str, at: float | None) -> None:
        """Set a campaign aside, or bring it back with None. No line is ever deleted."""

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

        The outcome is remembered under the key with them. A key that is remembered already raises `Repeated`, whatever
        was expected. No rows at all is legal: the key is remembered. Who is let in with the lines has their token
        kept and their invitation used with them; `NotInvited` if it cannot be used (any more).
        """

    @abstractmethod
    def remembered(self, campaign: str, key: str) -> Plain:
        """The outcome that was remembered under a key, or None."""

    @abstractmethod
    def forget_keys(self, before: float) -> int:
        """Forget the keys of lines written before a time; how many there were."""

    @abstractmethod
    def count(self, campaign: str) -> int:
        """How many lines a campaign has."""

    @abstractmethod
    def lines(self, campaign: str, start: int = 0, stop: int | None = None) -> Iterator[LogRow]:
        """The lines from one number up to before another, as many as there are now, read a chunk at a time.

        A line that is missing or cannot be read raises `BadRecord` when it is come to.
        """

    @abstractmethod
    def times(self, campaign: str, numbers: Iterable[int]) -> dict[int, float]:
        """When each of some lines was written; `BadRecord` if one is missing or its time cannot be read."""

    # What can be lost.

    @abstractmethod
    def keep_checkpoint(self, campaign: str, number: int, plain: Plain) -> None:
        """Keep what follows from the first `number` lines."""

    @abstractmethod
    def checkpoint(self, campaign: str, at_most: int | None = None) -> CheckpointRecord | None:
        """The newest readable checkpoint of at most so many lines."""

    @abstractmethod
    def drop_checkpoints(self, campaign: str, below: int | None = None) -> None:
        """Drop the checkpoints of fewer than so many lines, or all."""

    # Secrets.

    @abstractmethod
    def keep_seed(self, campaign: str, commitment: str, seed: bytes) -> None:
        """Keep a seed, before the line that commits to it is written. The same again changes nothing."""

    @abstractmethod
    def seed(self, campaign: str, commitment: str) -> bytes | None: ...

    @abstractmethod
    def reveal_seed(self, campaign: str, commitment: str, at: float) -> bytes:
        """Mark a seed as revealed, and give it. Only revealed seeds are ever exported."""

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
        """Whether there was such a token."""

    @abstractmethod
    def revoke_seat(self, campaign: str, seat: str) -> int:
        """Revoke every token of a seat; how many there were."""

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
        """Whether there was such an invitation."""

    # Attachments.

    @abstractmethod
    def keep_file(self, campaign: str, name: str, media: str, data: bytes) -> str:
        """Keep an attachment and give its id. The same bytes again keep their first name; `TooLarge` past the limit."""

    @abstractmethod
    def file(self, campaign: str, file_id: str) -> File | None:
        """An attachment; `BadRecord` if its bytes are no longer what they were."""

    @abstractmethod
    def files(self, campaign: str) -> list[FileInfo]: ...

    # Upkeep.

    @abstractmethod
    def check(self) -> list[StoreProblem]:
        """Read everything, and tell what cannot be read or does not add up."""

    @abstractmethod
    def close(self) -> None: ...
