"""Seeds, tokens and invitations: what must not be in a log that is shown."""

from __future__ import annotations

import time
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, delete, or_, select, update
from sqlalchemy import Row as Record

from referee.core.errors import BadInput
from referee.store.connection import Database, check_known
from referee.store.encoding import check_number, check_text, check_time, parsed, written
from referee.store.records import Admission, BadRecord, Invitation, NotInvited, Seed, Token
from referee.store.schema import invitations, put, seeds, tokens

SEED_LIMIT: Final = 1024
_TOKEN: Final = select(tokens).where(
    tokens.c.digest == bindparam("digest"), or_(tokens.c.expires.is_(None), tokens.c.expires > bindparam("now"))
)


class Secrets(Database):
    """The part of a store that holds secrets."""

    def keep_seed(self, campaign: str, commitment: str, seed: bytes) -> None:
        with self._writing() as connection:
            check_known(connection, campaign)
            insert_seed(connection, campaign, Seed(commitment, seed))

    def seed(self, campaign: str, commitment: str) -> bytes | None:
        with self._reading() as connection:
            check_known(connection, campaign)
            found = connection.execute(_seed(campaign, commitment)).one_or_none()
        return None if found is None else _read_seed(campaign, found).seed

    def reveal_seed(self, campaign: str, commitment: str, at: float) -> bytes:
        mine = (seeds.c.campaign == campaign) & (seeds.c.commitment == commitment)
        with self._writing() as connection:
            check_known(connection, campaign)
            found = connection.execute(_seed(campaign, commitment)).one_or_none()
            if found is None:
                raise BadInput(commitment, "no seed with this commitment is kept here")
            if found.revealed is None:
                connection.execute(update(seeds).where(mine).values(revealed=check_time(at, "revealed")))
        return _read_seed(campaign, found).seed

    def retire_seeds(self, at: float) -> None:
        """Mark every seed as revealed: each campaign commits to a new one when it is opened."""
        with self._writing() as connection:
            connection.execute(update(seeds).where(seeds.c.revealed.is_(None)).values(revealed=check_time(at, "at")))

    def seeds(self, campaign: str) -> list[Seed]:
        with self._reading() as connection:
            check_known(connection, campaign)
            found = connection.execute(select(seeds).where(seeds.c.campaign == campaign).order_by(seeds.c.commitment))
            return [_read_seed(campaign, each) for each in found]

    # Tokens.

    def keep_token(self, token: Token) -> None:
        with self._writing() as connection:
            insert_token(connection, token)

    def token(self, digest: str, now: float | None = None) -> Token | None:
        asked = {"digest": digest, "now": time.time() if now is None else now}
        with self._reading() as connection:
            found = connection.execute(_TOKEN, asked).one_or_none()
        return None if found is None else Token(*found)

    def tokens(self, campaign: str) -> list[Token]:
        with self._reading() as connection:
            check_known(connection, campaign)
            found = connection.execute(select(tokens).where(tokens.c.campaign == campaign).order_by(tokens.c.created))
            return [Token(*each) for each in found]

    def revoke_token(self, digest: str) -> bool:
        with self._writing() as connection:
            return bool(connection.execute(delete(tokens).where(tokens.c.digest == digest)).rowcount)

    def revoke_seat(self, campaign: str, seat: str) -> int:
        theirs = (tokens.c.campaign == campaign) & (tokens.c.seat == seat)
        with self._writing() as connection:
            check_known(connection, campaign)
            return connection.execute(delete(tokens).where(theirs)).rowcount

    # Invitations.

    def keep_invitation(self, invitation: Invitation) -> None:
        values = {
            "digest": check_text(invitation.digest, "invitation"),
            "campaign": invitation.campaign,
            "role": check_text(invitation.role, "role"),
            "controls": written(list(invitation.controls), "controls"),
            "expires": None if invitation.expires is None else check_time(invitation.expires, "expires"),
            "uses": check_number(invitation.uses, "uses"),
            "code": None if invitation.code is None else check_text(invitation.code, "code"),
        }
        with self._writing() as connection:
            check_known(connection, invitation.campaign)
            put(connection, invitations, values)

    def invitation(self, digest: str, now: float | None = None) -> Invitation | None:
        usable = select(invitations).where(_usable(digest, time.time() if now is None else now))
        with self._reading() as connection:
            found = connection.execute(usable).one_or_none()
        return None if found is None else _invitation(found)

    def invitations(self, campaign: str) -> list[Invitation]:
        theirs = select(invitations).where(invitations.c.campaign == campaign).order_by(invitations.c.digest)
        with self._reading() as connection:
            check_known(connection, campaign)
            return [_invitation(each) for each in connection.execute(theirs)]

    def revoke_invitation(self, digest: str) -> bool:
        with self._writing() as connection:
            return bool(connection.execute(delete(invitations).where(invitations.c.digest == digest)).rowcount)


def insert_seed(connection: Connection, campaign: str, seed: Seed) -> None:
    """Store a seed. The same one again changes nothing; a different one under the same commitment is refused."""
    if not 0 < len(seed.seed) <= SEED_LIMIT:
        raise BadInput("seed", f"must have 1 to {SEED_LIMIT} bytes")
    values = {"commitment": check_text(seed.commitment, "commitment"), "seed": seed.seed, "revealed": seed.revealed}
    put(connection, seeds, {"campaign": campaign, **values}, keep=True)
    if connection.execute(_seed(campaign, seed.commitment)).one().seed != seed.seed:
        raise BadInput(seed.commitment, "another seed is kept under this commitment")


def insert_token(connection: Connection, token: Token) -> None:
    """Store a token, replacing one with the same digest."""
    values = {
        "digest": check_text(token.digest, "token"),
        "campaign": token.campaign,
        "seat": check_text(token.seat, "seat"),
        "kind": check_text(token.kind, "kind"),
        "created": check_time(token.created, "created"),
        "expires": None if token.expires is None else check_time(token.expires, "expires"),
    }
    check_known(connection, token.campaign)
    put(connection, tokens, values)


def admit(connection: Connection, admission: Admission) -> None:
    """Use an invitation once, if one is needed, and store the token of the person it admits."""
    if admission.invitation is not None:
        usable = update(invitations).where(_usable(admission.invitation, admission.token.created))
        if not connection.execute(usable.values(uses=invitations.c.uses - 1)).rowcount:
            raise NotInvited
    insert_token(connection, admission.token)


def _usable(digest: str, now: float) -> ColumnElement[bool]:
    alive = or_(invitations.c.expires.is_(None), invitations.c.expires > now)
    return and_(invitations.c.digest == digest, invitations.c.uses > 0, alive)


def _seed(campaign: str, commitment: str) -> Select[Any]:
    return select(seeds).where(seeds.c.campaign == campaign, seeds.c.commitment == commitment)


def _read_seed(campaign: str, found: Record[Any]) -> Seed:
    if not isinstance(found.seed, bytes):
        raise BadRecord(campaign, None, f"the seed of {found.commitment} cannot be read")
    return Seed(found.commitment, found.seed, found.revealed)


def _invitation(found: Record[Any]) -> Invitation:
    try:
        controls = tuple(map(str, parsed(found.controls)))
    except (TypeError, ValueError):
        raise BadRecord(found.campaign, None, "an invitation cannot be read") from None
    return Invitation(found.digest, found.campaign, found.role, controls, found.expires, found.uses, found.code)
