"""Limits on requests: bytes, nesting, characters, and rate."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Lock
from time import monotonic
from typing import Final, final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.core.plain import Plain
from referee.store.records import FILE_LIMIT
from referee.web.errors import Problem, problem_of, too_large

BODY_LIMIT: Final = 256 * 2**10
"""The longest JSON body or form, in bytes."""
MOST_VALUES: Final = 20_000
"""How many values a JSON body may have. They are counted by its commas and brackets before it is parsed, so that
parsing never takes more than a few milliseconds of the time that all tables share."""
MAX_DEPTH: Final = 32
MAX_INTEGER: Final = 2**53 - 1
"""The largest whole number that every JSON parser reads exactly."""
MAX_CALLERS: Final = 10_000
"""How many callers' rates are remembered."""
IMPORT_LIMIT: Final = 64 * 2**20
LARGE_BODIES: Final = (
    (re.compile(r"/api/v1/campaigns/[^/]+/files"), FILE_LIMIT),
    (re.compile(r"/table/[^/]+/(notes/handouts|portrait)"), FILE_LIMIT),
    (re.compile(r"(/api/v1)?/imports"), IMPORT_LIMIT),
)
"""The routes that accept more than `BODY_LIMIT`, by their whole paths."""
PATIENCE: Final = 20.0
"""Seconds in which an ordinary body must have arrived."""
MORE_PATIENCE: Final = 300.0
"""Seconds for a large one."""


# --- bytes ------------------------------------------------------------------------------------------------------------


@final
class BodyLimit:
    """Refuses bodies that are too long, by their `Content-Length` and by what really arrives, or that stop arriving."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = limit_of(scope["path"])
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length[:20]) > most:
            await _too_long(most).answer()(scope, receive, send)
            return
        received, is_whole = 0, False
        until = asyncio.get_running_loop().time() + (PATIENCE if most == BODY_LIMIT else MORE_PATIENCE)

        async def counted() -> Message:
            nonlocal received, is_whole
            if is_whole:
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise _too_slow() from None
            received += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if received > most:
                raise _too_long(most)
            return message

        await self.app(scope, counted, send)


def limit_of(path: str) -> int:
    """The longest body that a path accepts, in bytes."""
    return next((most for route, most in LARGE_BODIES if route.fullmatch(path)), BODY_LIMIT)


def _too_long(most: int) -> Problem:
    return too_large(f"at most {most} bytes are accepted here")


def _too_slow() -> Problem:
    return Problem(408, "too-slow", "the rest of the request did not arrive", legal=("send it again",))


# --- JSON -------------------------------------------------------------------------------------------------------------


def checked_json(raw: bytes) -> Plain:
    """JSON without what cannot be stored or shown: deep nesting, NUL, lone surrogates, infinite numbers."""
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MOST_VALUES:
        raise too_large(f"body: at most {MOST_VALUES} values are accepted")
    try:
        plain = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise _bad("is not UTF-8") from None
    except RecursionError:
        raise _bad(f"is nested deeper than {MAX_DEPTH}") from None
    except ValueError as problem:
        raise _bad(f"is not JSON: {problem}") from None
    level = [plain]
    for _ in range(MAX_DEPTH):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return plain
    raise _bad(f"is nested deeper than {MAX_DEPTH}")


def _inside(plain: Plain) -> list[Plain]:
    """Check a value, and return the values inside it."""
    match plain:
        case dict():
            return [*plain, *plain.values()]
        case list():
            return plain
        case str() if "\0" in plain or (not plain.isascii() and _has_lone_surrogate(plain)):
            raise _bad("has characters that do not belong in a text")
        case bool():
            return []
        case int() if abs(plain) > MAX_INTEGER:
            raise _bad(f"has a whole number beyond {MAX_INTEGER}")
        case float() if not math.isfinite(plain):
            raise _bad("has a number that is not finite")
        case _:
            return []


def _has_lone_surrogate(text: str) -> bool:
    """Whether the text contains half a surrogate pair on its own, which no encoding can write."""
    return any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _bad(message: str) -> Problem:
    return Problem(422, "bad-input", f"body: {message}", where="body")


def check_characters(text: str, where: str) -> str:
    """The same check for a text from a URL or a header."""
    if "\0" in text or _has_lone_surrogate(text):
        raise Problem(422, "bad-input", f"{where}: has characters that do not belong in a text", where=where)
    return text


# --- rate -------------------------------------------------------------------------------------------------------------


@final
class TokenBuckets:
    """A token bucket for each caller, refilled at a constant rate; a caller whose bucket is empty has to wait."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self.per_second = per_second
        self.burst = burst
        self._clock = clock
        self._lock = Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    @contextmanager
    def paying(self, caller: str, most: float) -> Iterator[None]:
        """Take the seconds that something may last at most, before it begins; give back those that it did not last."""
        self.take(caller, most)
        began = self._clock()
        try:
            yield
        finally:
            now = self._clock()
            with self._lock:
                self._keep(caller, self._left_of(caller, now) + max(0.0, most - (now - began)), now)

    def take(self, caller: str, cost: float = 1.0) -> None:
        """Take from a caller's bucket, or refuse and say how long to wait."""
        now = self._clock()
        with self._lock:
            left = self._left_of(caller, now)
            enough = left >= cost
            self._keep(caller, left - cost if enough else left, now)
        if not enough:
            wait = max(1, math.ceil((cost - left) / self.per_second))
            message = f"too many requests; wait {wait} seconds"
            raise Problem(429, "rate-limited", message, legal=("wait",), headers={"Retry-After": str(wait)})

    def __len__(self) -> int:
        return len(self._left)

    def _left_of(self, caller: str, now: float) -> float:
        left, at = self._left.get(caller, (self.burst, now))
        return min(self.burst, left + (now - at) * self.per_second)

    def _keep(self, caller: str, left: float, now: float) -> None:
        """Remember what a caller has left; forget full buckets, and the oldest of too many."""
        self._left[caller] = (left, now)
        self._left.move_to_end(caller)
        while self._left and (len(self._left) > MAX_CALLERS or self._is_full(next(iter(self._left)), now)):
            self._left.popitem(last=False)

    def _is_full(self, caller: str, now: float) -> bool:
        return self._left_of(caller, now) >= self.burst


@final
class RateLimit:
    """Limits the requests of one network address. Seats have buckets of their own (`sign_in`)."""

    def __init__(self, app: ASGIApp, buckets: TokenBuckets) -> None:
        self.app = app
        self.buckets = buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                self.buckets.take(address_of(scope))
            except Problem as problem:
                await problem_of(problem).answer()(scope, receive, send)
                return
        await self.app(scope, receive, send)


def address_of(scope: Scope) -> str:
    """The network address of the caller. Callers whose proxy names no address count as one."""
    client = scope.get("client")
    return network_of(client[0]) if client else "local"


def network_of(address: str) -> str:
    """Whoever one counts as: an address, or, as everyone at home has thousands of millions of them, an IPv6 network."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> 64 << 64)}/64"
