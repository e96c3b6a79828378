"""Access to campaigns: invitations, tokens and links.

Only digests of their secrets are stored, but for the code of the one invitation that stays: the table shows it again.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe
from threading import Lock
from typing import Final, NamedTuple

from referee.core.errors import Refused
from referee.store.base import Store
from referee.store.records import Invitation, Token
from referee.table.codes import new_code
from referee.table.members import Role

A_WEEK: Final = 7 * 86_400.0
A_YEAR: Final = 365 * 86_400.0
MOST_USES: Final = 1_000_000
"""More often than anybody joins: an invitation that stays is not used up."""
ANYBODY: Final = "*"
"""In place of a character: an invitation that gives whoever joins a free one."""
MOST_KNOWN: Final = 5_000
"""How many tokens are remembered."""
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
        self._first: dict[str, Callable[[], None]] = {}
        self._known: OrderedDict[str, Token] = OrderedDict()
        """The tokens that were shown last, by their digests, so that not every request has to read the store."""
        self._knowing = Lock()
        self._revocations = 0

    def when_joined(self, code: str, make: Callable[[], None]) -> None:
        """Make something, such as a campaign and its invitations, before anybody joins by a code."""
        self._first[digest(code)] = make

    def _make_for(self, digested: str) -> None:
        if (make := self._first.get(digested)) is not None:
            make()
            self._first.pop(digested, None)

    def new_invitation(
        self,
        campaign: str,
        role: Role = Role.MASTER,
        controls: frozenset[str] = frozenset(),
        uses: int = 1,
        code: str | None = None,
    ) -> str:
        """A code to join with, given out by the person who runs the server."""
        code = code or new_code()
        self.store.keep_invitation(
            Invitation(digest(code), campaign, role.value, tuple(sorted(controls)), self.clock() + A_WEEK, uses)
        )
        return code

    def standing_invitation(self, campaign: str) -> str:
        """The code that lets players join until it is revoked; empty if there is none."""
        kept = (each.code for each in self.store.invitations(campaign) if each.code and each.uses > 0)
        return next(kept, "")

    def keep_standing_invitation(self, campaign: str) -> str:
        """The same; a new one is made if there is none."""
        if code := self.standing_invitation(campaign):
            return code
        code = new_code()
        self.store.keep_invitation(Invitation(digest(code), campaign, Role.PLAYER.value, uses=MOST_USES, code=code))
        return code

    def revoke_standing_invitation(self, campaign: str) -> None:
        """From now on nobody joins by it."""
        if code := self.standing_invitation(campaign):
            self.store.revoke_invitation(digest(code))

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
        return self.remembered_seat(secret) or self._stored_seat(digest(secret))

    def remembered_seat(self, secret: str) -> tuple[str, str] | None:
        """The same, if it was asked for lately: this reads nothing from the store."""
        found = self._known.get(digest(secret))
        return (found.campaign, found.seat) if found and (found.expires or math.inf) > self.clock() else None

    def revoke_token(self, digested: str) -> bool:
        """Whether there was such a token; from now on it opens nothing."""
        revoked = self.store.revoke_token(digested)
        self._forget(lambda each: each.digest == digested)
        return revoked

    def revoke_seat(self, campaign: str, seat: str) -> None:
        """No token opens this seat any more."""
        self.store.revoke_seat(campaign, seat)
        self._forget(lambda each: (each.campaign, each.seat) == (campaign, seat))

    def _stored_seat(self, digested: str) -> tuple[str, str] | None:
        before = self._revocations
        found = self.store.token(digested, self.clock())
        if found is None or found.kind == LINK:
            return None
        with self._knowing:
            # Otherwise it may have been revoked since it was read, or may be at any time by another server.
            if before == self._revocations and not self.store.is_shared:
                self._known[digested] = found
                while len(self._known) > MOST_KNOWN:
                    self._known.popitem(last=False)
        return found.campaign, found.seat

    def _forget(self, is_revoked: Callable[[Token], bool]) -> None:
        with self._knowing:
            self._revocations += 1
            for each in [each for each in self._known.values() if is_revoked(each)]:
                del self._known[each.digest]


def new_secret() -> str:
    return token_urlsafe(32)


def digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
