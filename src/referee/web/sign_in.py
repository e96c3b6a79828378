"""Who is asking: a seat, by the secret in `Authorization: Bearer …` or in the cookie of a browser.

A browser may sit at several tables; its cookie holds a secret for each. What a cookie does must come from our own
pages: a write by cookie shows an `Origin` or `Sec-Fetch-Site` that is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated, Final, NamedTuple, TypeVar, final

from fastapi import Depends, Header, Path, Request, Response, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.concurrency import run_in_threadpool

from referee.table.access import A_YEAR
from referee.table.desk import Desk
from referee.table.hub import Hub
from referee.web.errors import Problem, not_found, not_seated
from referee.web.limits import address_of
from referee.web.state import Repeats, check_same, served
from referee.wire.replies import Done

T = TypeVar("T")

COOKIE: Final = "referee"
MOST_TABLES: Final = 24
"""At how many tables one browser sits; the oldest is forgotten first."""
LONGEST_SECRET: Final = 128
LONGEST_KEY: Final = 100
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

BEARER: Final = HTTPBearer(auto_error=False, description="The token of a seat.")
COOKIE_SCHEME: Final = APIKeyCookie(name=COOKIE, auto_error=False, description="What a browser keeps its seats by.")


class KnownVisitor(NamedTuple):
    """A secret, and the seat it opens."""

    campaign: str
    seat: str
    secret: str


def secrets_of(request: Request) -> tuple[tuple[str, ...], bool]:
    """The secrets a request shows, and whether a cookie holds them."""
    said = request.headers.get("authorization")
    if said is not None:
        scheme, _, secret = said.partition(" ")
        if scheme.casefold() != "bearer" or not 0 < len(secret.strip()) <= LONGEST_SECRET:
            raise not_seated("Authorization: must be Bearer <token>")
        return (secret.strip(),), False
    kept = request.cookies.get(COOKIE, "")[: MOST_TABLES * (LONGEST_SECRET + 1)]
    return tuple(each for each in kept.split(".") if 0 < len(each) <= LONGEST_SECRET), True


def seats_of(hub: Hub, secrets: Sequence[str]) -> list[KnownVisitor]:
    """The seats that secrets open, the newest last."""
    found = ((secret, hub.seat_of(secret)) for secret in secrets[-MOST_TABLES:])
    return [KnownVisitor(*seat, secret) for secret, seat in found if seat is not None and hub.is_seated(*seat)]


def check_origin(request: Request, *, by_cookie: bool) -> None:
    """A write that a browser sends by itself must come from a page of ours."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if request.method in SAFE or site == "same-origin":
        return
    set_to = served(request).settings.origin
    ours = {set_to} if set_to else {f"{request.url.scheme}://{request.headers.get('host', '')}"}
    is_foreign = origin not in ours if origin is not None else by_cookie and site != "none"
    if is_foreign:
        raise _foreign()


def _foreign() -> Problem:
    message = "this came from a page that is not ours"
    return Problem(403, "cross-site", message, legal=("use a page of this server", "Authorization: Bearer <token>"))


def keep_seat(request: Request, response: Response, campaign: str, secret: str) -> None:
    """Set the cookie by which a browser is known again."""
    secrets, by_cookie = secrets_of(request)
    others = seats_of(served(request).hub, secrets) if by_cookie else []
    kept = [each.secret for each in others if each.campaign != campaign]
    set_cookie(request, response, [*kept, secret])


def set_cookie(request: Request, response: Response, secrets: Sequence[str]) -> None:
    origin = served(request).settings.origin or str(request.url)
    value = ".".join(secrets[-MOST_TABLES:])
    age = int(A_YEAR) if value else 0
    response.set_cookie(
        COOKIE, value, max_age=age, httponly=True, samesite="lax", secure=origin.startswith("https:"), path="/"
    )


# --- at a table -------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Here:
    """A request from a seat: what it may look at and do goes through here."""

    hub: Hub
    campaign: str
    seat: str
    secret: str
    key: str | None = None
    expected: int | None = None
    of: str = ""
    """What is asked for, so that a key is not used for two things."""

    def look(self, read: Callable[[Desk], T]) -> T:
        return self.hub.look(self.campaign, self.seat, read)

    def do(self, work: Callable[[Desk], object], expected: int | None = None) -> Done:
        """Do something once, however often it is asked for, unless the seat has been told more than it expects."""
        known = self.expected if expected is None else expected
        found = self.hub.do(self.campaign, self.seat, work, key=self.key, expected=known, of=self.of)
        check_same(found.get("of", ""), self.of)
        return Done(cursor=found.get("cursor", 0))

    def once(self, repeats: Repeats, make: Callable[[], T]) -> T:
        """Make something once that is no line of the log."""
        return repeats.once(self.key and f"{self.campaign} {self.seat} {self.key}", self.of, make)


CampaignId = Annotated[str, Path(description="The id of the campaign.", max_length=64, examples=["5f0c6a1e9b3d2c48"])]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="The same key again does nothing more, and answers the same.",
        min_length=1,
        max_length=LONGEST_KEY,
        pattern=r"^[!-~]+$",
        examples=["3f1c9a52-77a4-4a51-bf36-0b6f2c3a9c11"],
    ),
]
Match = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The cursor of this seat when it decided; if it has moved since, nothing is done.",
        pattern=r'^"?[0-9]{1,9}"?$',
        examples=['"12"'],
    ),
]


async def looking(
    request: Request,
    campaign: CampaignId,
    _bearer: object = Security(BEARER),
    _cookie: object = Security(COOKIE_SCHEME),
) -> Here:
    """The seat that is asking, at the campaign that is asked for."""
    secrets, by_cookie = secrets_of(request)
    table = served(request)
    if not secrets:
        table.newcomers.take(address_of(request.scope), 0.1)
        raise not_seated()
    check_origin(request, by_cookie=by_cookie)
    known = await run_in_threadpool(seats_of, table.hub, secrets)
    if not known:
        table.newcomers.take(address_of(request.scope), 0.1)
        raise not_seated("this token is unknown, expired, or its seat was taken away")
    mine = [each for each in known if each.campaign == campaign]
    if not mine:
        raise not_found("there is no such campaign at which you have a seat", where="campaign")
    table.seats.take(mine[-1].seat)
    return Here(table.hub, campaign, mine[-1].seat, mine[-1].secret)


Looking = Annotated[Here, Depends(looking)]
"""What an endpoint asks for that only looks."""


async def doing(request: Request, here: Looking, idempotency_key: Key = None, if_match: Match = None) -> Here:
    """The same, with what it does once and what it expects."""
    of = fingerprint(request, await request.body()) if idempotency_key else ""
    expected = None if if_match is None else int(if_match.strip('"'))
    return replace(here, key=idempotency_key, expected=expected, of=of)


Table = Annotated[Here, Depends(doing)]
"""What an endpoint asks for that does something."""


def fingerprint(request: Request, body: bytes) -> str:
    """What is asked for, in short."""
    whole = (request.method.encode(), request.url.path.encode(), request.url.query.encode(), body)
    return sha256(b"\0".join(whole)).hexdigest()[:32]
