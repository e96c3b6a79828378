"""Sign-in: a request belongs to a seat, by the secret in `Authorization: Bearer …` or in the cookie of a browser.

A browser may sit at several tables; its cookie holds a secret for each. A write by cookie must come from our own
pages, according to its `Origin` or `Sec-Fetch-Site`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated, Final, TypeVar, final

from fastapi import Depends, Header, Path, Request, Response, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.concurrency import run_in_threadpool

from referee.table.access import A_YEAR
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.web.errors import Problem, not_found, not_seated
from referee.web.limits import address_of
from referee.web.state import IdempotencyCache, server_state
from referee.web.stream import Session
from referee.wire.replies import Done

T = TypeVar("T")

COOKIE: Final = "referee"
MOST_TABLES: Final = 24
"""At how many tables one browser may sit; the oldest is dropped first."""
LONGEST_SECRET: Final = 128
LONGEST_KEY: Final = 100
SHORTEST_STRANGER_KEY: Final = 16
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

BEARER: Final = HTTPBearer(auto_error=False, description="The token of a seat.")
COOKIE_SCHEME: Final = APIKeyCookie(name=COOKIE, auto_error=False, description="Holds the seats of a browser.")


def secrets_of(request: Request) -> tuple[tuple[str, ...], bool]:
    """The secrets a request sends, and whether they come from a cookie."""
    header = request.headers.get("authorization")
    if header is not None:
        scheme, _, secret = header.partition(" ")
        if scheme.casefold() != "bearer" or not 0 < len(secret.strip()) <= LONGEST_SECRET:
            raise not_seated("Authorization: must be Bearer <token>")
        return (secret.strip(),), False
    cookie = request.cookies.get(COOKIE, "")[: MOST_TABLES * (LONGEST_SECRET + 1)]
    return tuple(each for each in cookie.split(".") if 0 < len(each) <= LONGEST_SECRET), True


def sessions_of(hub: Hub, secrets: Sequence[str]) -> list[Session]:
    """The seats that secrets belong to, newest last. A seat may have been removed since: then its desk refuses."""
    found = ((secret, hub.seat_of(secret)) for secret in secrets[-MOST_TABLES:])
    return [Session(*seat, secret) for secret, seat in found if seat is not None]


def remembered_sessions(hub: Hub, secrets: Sequence[str]) -> list[Session]:
    """The same for secrets that have all been shown lately, otherwise none: nothing is read from the store."""
    found = [(secret, hub.remembered_seat(secret)) for secret in secrets[-MOST_TABLES:]]
    known = [Session(*seat, secret) for secret, seat in found if seat is not None]
    return known if len(known) == len(found) else []


def seated_sessions(hub: Hub, secrets: Sequence[str]) -> list[Session]:
    """Those of the sessions whose seats still exist."""
    return [each for each in sessions_of(hub, secrets) if hub.is_seated(each.campaign, each.seat)]


def check_origin(request: Request, *, by_cookie: bool) -> None:
    """A write that a browser sends must come from one of our pages."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if request.method in SAFE or site == "same-origin":
        return
    configured = server_state(request).settings.origin
    own = {configured} if configured else {f"{request.url.scheme}://{request.headers.get('host', '')}"}
    is_foreign = origin not in own if origin is not None else by_cookie and site != "none"
    if is_foreign:
        raise _foreign()


def _foreign() -> Problem:
    message = "this came from a page that is not ours"
    return Problem(403, "cross-site", message, legal=("use a page of this server", "Authorization: Bearer <token>"))


def remember_seat(request: Request, response: Response, campaign: str, secret: str) -> None:
    """Add a seat to the browser's cookie."""
    secrets, by_cookie = secrets_of(request)
    others = seated_sessions(server_state(request).hub, secrets) if by_cookie else []
    kept = [each.secret for each in others if each.campaign != campaign]
    set_cookie(request, response, [*kept, secret])


def set_cookie(request: Request, response: Response, secrets: Sequence[str]) -> None:
    origin = server_state(request).settings.origin or str(request.url)
    value = ".".join(secrets[-MOST_TABLES:])
    age = int(A_YEAR) if value else 0
    response.set_cookie(
        COOKIE, value, max_age=age, httponly=True, samesite="lax", secure=origin.startswith("https:"), path="/"
    )


# --- at a table -------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Visitor:
    """The sender of a request from a seat; everything they read or do goes through this class."""

    hub: Hub
    campaign: str
    seat: str
    secret: str
    key: str | None = None
    expected: int | None = None
    request: str = ""
    """The digest of the request, so that a key is not reused for something else."""

    @property
    def session(self) -> Session:
        return Session(self.campaign, self.seat, self.secret)

    @property
    def whose(self) -> tuple[str, str]:
        """Which seat it is, for what the server keeps for each."""
        return self.campaign, self.seat

    def read(self, read: Callable[[Desk], T]) -> T:
        """Read something from the seat's desk."""
        return self.hub.read(self.campaign, self.seat, read)

    def act(self, command: DeskCommand, expected: int | None = None) -> Done:
        """Perform a command once, however often it is sent; refuse it if the seat has more items than expected."""
        known = self.expected if expected is None else expected
        cursor = self.hub.act(self.campaign, self.seat, command, key=self.key, expected=known, request=self.request)
        return Done(cursor=cursor)

    def check_seated(self) -> None:
        """Refuse a visitor whose seat has been removed since they signed in."""
        self.read(lambda desk: desk.member)

    def check_master(self, what: str) -> None:
        """Refuse everyone except the game master."""
        self.read(lambda desk: desk.check_role(what, Role.MASTER))

    def once(self, cache: IdempotencyCache, make: Callable[[], T]) -> T:
        """Make something that is not a line of the log, but only once per key."""
        return cache.once(self.key and f"{self.campaign} {self.seat} {self.key}", self.request, make)


CampaignId = Annotated[str, Path(description="The id of the campaign.", max_length=64, examples=["5f0c6a1e9b3d2c48"])]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="The same key again does nothing more, and gets the same reply.",
        min_length=1,
        max_length=LONGEST_KEY,
        pattern=r"^[!-~]+$",
        examples=["3f1c9a52-77a4-4a51-bf36-0b6f2c3a9c11"],
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The cursor of this seat when it decided; if it has moved since, nothing is done.",
        pattern=r'^"?[0-9]{1,9}"?$',
        examples=['"12"'],
    ),
]


async def current_visitor(
    request: Request,
    campaign: CampaignId,
    _bearer: object = Security(BEARER),
    _cookie: object = Security(COOKIE_SCHEME),
) -> Visitor:
    """The seat that sends the request, in the campaign of the path."""
    return await signed_in(request, campaign)


async def signed_in(request: Request, campaign: str) -> Visitor:
    """The seat that sends a request. It is looked up once, before the body is read."""
    if not hasattr(request.state, "visitor"):
        request.state.visitor = await _sign_in(request, campaign)
    found: Visitor = request.state.visitor
    return found


async def _sign_in(request: Request, campaign: str) -> Visitor:
    secrets, by_cookie = secrets_of(request)
    state = server_state(request)
    if not secrets:
        state.newcomers.take(address_of(request.scope), 0.1)
        raise not_seated()
    check_origin(request, by_cookie=by_cookie)
    known = remembered_sessions(state.hub, secrets) or await run_in_threadpool(sessions_of, state.hub, secrets)
    if not known:
        state.newcomers.take(address_of(request.scope), 0.1)
        raise not_seated("this token is unknown, expired, or its seat was taken away")
    mine = [each for each in known if each.campaign == campaign]
    if not mine:
        raise not_found("there is no campaign with this id at which you have a seat", where="campaign")
    state.seats.take(mine[-1].seat)
    return Visitor(state.hub, *mine[-1])


CurrentVisitor = Annotated[Visitor, Depends(current_visitor)]
"""For endpoints that only read."""


async def acting_visitor(
    request: Request, visitor: CurrentVisitor, idempotency_key: IdempotencyKey = None, if_match: IfMatch = None
) -> Visitor:
    """The same, with the idempotency key and the version the request expects."""
    digest = request_digest(request, await request.body()) if idempotency_key else ""
    expected = None if if_match is None else int(if_match.strip('"'))
    return replace(visitor, key=idempotency_key, expected=expected, request=digest)


ActingVisitor = Annotated[Visitor, Depends(acting_visitor)]
"""For endpoints that change something."""


def stranger_key(request: Request, what: str, key: str | None) -> str | None:
    """The idempotency key of someone without a seat. It belongs to their address, and is too long to be guessed."""
    if key is None:
        return None
    if len(key) < SHORTEST_STRANGER_KEY:
        message = f"Idempotency-Key: {SHORTEST_STRANGER_KEY} characters or more, so that no one else has the same"
        raise Problem(422, "bad-input", message, where="Idempotency-Key", legal=("a UUID",))
    return f"{what} {address_of(request.scope)} {key}"


def request_digest(request: Request, body: bytes) -> str:
    """A digest of everything a request asks for."""
    whole = (request.method.encode(), request.url.path.encode(), request.url.query.encode(), body)
    return sha256(b"\0".join(whole)).hexdigest()[:32]
