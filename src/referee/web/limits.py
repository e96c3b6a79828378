"""Limits on requests: bytes, nesting, characters, and rate."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from threading import Lock
from time import monotonic
from typing import Any, Final, final

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.core.plain import Plain
from referee.store.records import FILE_LIMIT
from referee.web.errors import Problem, problem_of, too_large

BODY_LIMIT: Final = 2**20
"""The longest JSON body, in bytes."""
MAX_DEPTH: Final = 32
MAX_INTEGER: Final = 2**53 - 1
"""The largest whole number that every JSON parser reads exactly."""
MAX_CALLERS: Final = 10_000
"""How many callers' rates are remembered."""
IMPORT_LIMIT: Final = 64 * 2**20


# --- bytes ------------------------------------------------------------------------------------------------------------


@final
class BodyLimit:
    """Refuses bodies that are too long, by their `Content-Length` and by what really arrives."""

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
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise _too_long(most)
            return message

        await self.app(scope, counted, send)


def limit_of(path: str) -> int:
    """The longest body that a path accepts, in bytes."""
    if path.endswith(("/files", "/handouts")):
        return FILE_LIMIT
    return IMPORT_LIMIT if path.endswith("/imports") else BODY_LIMIT


def _too_long(most: int) -> Problem:
    return too_large(f"at most {most} bytes are accepted here")


# --- JSON -------------------------------------------------------------------------------------------------------------


class CheckedRequest(Request):
    """A request whose JSON is checked, so that every part of Referee can store and show it."""

    async def json(self) -> Any:
        if not hasattr(self, "_checked"):
            self._checked = checked_json(await self.body())
        return self._checked


class CheckedRoute(APIRoute):
    """A route that reads its JSON through `CheckedRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def checked(request: Request) -> Response:
            return await handler(CheckedRequest(request.scope, request.receive))

        return checked


def checked_json(raw: bytes) -> Plain:
    """JSON without what cannot be stored or shown: deep nesting, NUL, lone surrogates, infinite numbers."""
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

    def take(self, caller: str, cost: float = 1.0) -> None:
        """Take from a caller's bucket, or refuse and say how long to wait."""
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(caller, (self.burst, now))
            left = min(self.burst, left + (now - at) * self.per_second)
            enough = left >= cost
            self._left[caller] = (left - cost if enough else left, now)
            while len(self._left) > MAX_CALLERS:
                self._left.popitem(last=False)
        if not enough:
            wait = max(1, math.ceil((cost - left) / self.per_second))
            message = f"too many requests; wait {wait} seconds"
            raise Problem(429, "rate-limited", message, legal=("wait",), headers={"Retry-After": str(wait)})


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
    """The network address of the caller."""
    client = scope.get("client")
    return str(client[0]) if client else "local"
