"""How much is taken from outside: bytes, nesting, characters, and how often."""

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
"""The longest JSON that is taken, in bytes."""
DEEPEST: Final = 32
LARGEST: Final = 2**53 - 1
"""The largest whole number every program reads alike."""
MOST_KNOWN: Final = 10_000
"""How many callers the rates are kept of."""
IMPORT_LIMIT: Final = 64 * 2**20


# --- bytes ------------------------------------------------------------------------------------------------------------


@final
class BodyLimit:
    """Refuses bodies that are too long, by what they say of themselves and by what comes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = limit_of(scope["path"])
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said[:20]) > most:
            await _too_long(most).answer()(scope, receive, send)
            return
        come = 0

        async def counted() -> Message:
            nonlocal come
            message = await receive()
            come += len(message.get("body", b""))
            if come > most:
                raise _too_long(most)
            return message

        await self.app(scope, counted, send)


def limit_of(path: str) -> int:
    """The longest body an address takes."""
    if path.endswith("/files"):
        return FILE_LIMIT
    return IMPORT_LIMIT if path.endswith("/imports") else BODY_LIMIT


def _too_long(most: int) -> Problem:
    return too_large(f"at most {most} bytes are taken here")


# --- JSON -------------------------------------------------------------------------------------------------------------


class CheckedRequest(Request):
    """A request whose JSON is held to what every part of Referee can keep and show."""

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
    """JSON without what cannot be kept or shown: deep nesting, NUL, half a sign, numbers without end."""
    try:
        plain = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise _bad("is not UTF-8") from None
    except RecursionError:
        raise _bad(f"is nested deeper than {DEEPEST}") from None
    except ValueError as problem:
        raise _bad(f"is not JSON: {problem}") from None
    level = [plain]
    for _ in range(DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return plain
    raise _bad(f"is nested deeper than {DEEPEST}")


def _inside(plain: Plain) -> list[Plain]:
    """What a value holds; the value itself is checked."""
    match plain:
        case dict():
            return [*plain, *plain.values()]
        case list():
            return plain
        case str() if "\0" in plain or (not plain.isascii() and _is_torn(plain)):
            raise _bad("has characters that cannot be printed")
        case bool():
            return []
        case int() if abs(plain) > LARGEST:
            raise _bad(f"has a whole number beyond {LARGEST}")
        case float() if not math.isfinite(plain):
            raise _bad("has a number without end")
        case _:
            return []


def _is_torn(text: str) -> bool:
    """Whether half a sign stands alone (a lone surrogate), which no encoding can write."""
    return any(0xD800 <= ord(sign) <= 0xDFFF for sign in text)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _bad(message: str) -> Problem:
    return Problem(422, "bad-input", f"body: {message}", where="body")


def check_characters(text: str, where: str) -> str:
    """A text of an address or a header, held to the same."""
    if "\0" in text or _is_torn(text):
        raise Problem(422, "bad-input", f"{where}: has characters that cannot be printed", where=where)
    return text


# --- how often --------------------------------------------------------------------------------------------------------


@final
class Buckets:
    """For each caller a bucket of tokens that fills evenly; whoever finds it empty waits."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self.per_second = per_second
        self.burst = burst
        self._clock = clock
        self._lock = Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, cost: float = 1.0) -> None:
        """Take from a caller's bucket, or refuse with the time after which there is enough."""
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(caller, (self.burst, now))
            left = min(self.burst, left + (now - at) * self.per_second)
            enough = left >= cost
            self._left[caller] = (left - cost if enough else left, now)
            while len(self._left) > MOST_KNOWN:
                self._left.popitem(last=False)
        if not enough:
            wait = max(1, math.ceil((cost - left) / self.per_second))
            message = f"that is too much at once; wait {wait} seconds"
            raise Problem(429, "rate-limited", message, legal=("wait",), headers={"Retry-After": str(wait)})


@final
class RateLimit:
    """So much from one address, whoever is behind it. Seats have buckets of their own (`security`)."""

    def __init__(self, app: ASGIApp, buckets: Buckets) -> None:
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
    """Who calls, by network address."""
    client = scope.get("client")
    return str(client[0]) if client else "local"
