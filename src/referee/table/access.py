"""Access to campaigns: invitations, tokens and links. Only digests of their secrets are stored."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final, NamedTuple

from referee.core.errors import Refused
from referee.store.base import Store
from referee.store.records import Invitation, Token
from referee.table.codes import new_code
from referee.table.members import Role

A_WEEK: Final = 7 * 86_400.0
A_YEAR: Final = 365 * 86_400.0
LINK: Final = "link"
"""A kind of token that can only be exchanged for another."""


class Admitted(NamedTuple):
    """A seat someone has taken, and the secret that opens it."""

    campaign: str
    seat: str
    token: str


class Access:
    """Who may enter the campaigns of a store."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store = store
        self.clock = clock

    def new_invitation(
        self, campaign: str, role: Role = Role.MASTER, controls: frozenset[str] = frozenset(), uses: int = 1
    ) -> str:
        """A code to join with, given out by the person who runs the server."""
        code = new_code()
        self.store.keep_invitation(
            Invitation(digest(code), campaign, role.value, tuple(sorted(controls)), self.clock() + A_WEEK, uses)
        )
        return code

    def new_token(self, campaign: str, seat: str, kind: str = "browser") -> str:
        """A secret that opens a seat."""
        secret = new_secret()
        self.store.keep_token(self.token_record(secret, campaign, seat, kind))
        return secret

    def new_link(self, campaign: str, seat: str) -> str:
        """A one-time secret for getting back into one's own seat after the browser has lost it."""
        secret, now = new_secret(), self.clock()
        self.store.keep_token(Token(digest(secret), campaign, seat, LINK, now, now + A_WEEK))
        return secret

    def rejoin(self, secret: str) -> Admitted:
        """Get back into one's own seat with a link."""
        found = self.store.token(digest(secret), self.clock())
        if found is None or found.kind != LINK or not self.store.revoke_token(found.digest):
            because = "this link is unknown, used or expired"
            raise Refused(
                "sit", because=because, rule="referee.table.seats", legal=("ask the game master for a new one",)
            )
        return Admitted(found.campaign, found.seat, self.new_token(found.campaign, found.seat))

    def token_record(self, secret: str, campaign: str, seat: str, kind: str = "browser") -> Token:
        """What the store holds for the secret of a seat."""
        now = self.clock()
        return Token(digest(secret), campaign, seat, kind, now, now + A_YEAR)

    def seat_of(self, secret: str) -> tuple[str, str] | None:
        """The campaign and seat that a secret opens."""
        found = self.store.token(digest(secret), self.clock())
        return (found.campaign, found.seat) if found and found.kind != LINK else None


def new_secret() -> str:
    return token_urlsafe(32)


def digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
