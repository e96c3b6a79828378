"""Structured logs: one JSON line for each request and each fault, without secrets.

Paths are logged as templates and queries not at all, so no code, token or name gets into a log.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final, TextIO, final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.errors import Problem, fault, is_page
from referee.web.limits import address_of
from referee.web.metrics import REQUESTS

LOG: Final = logging.getLogger("referee.web.requests")
LOGGERS: Final = ("referee", "uvicorn.error")
HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
POLICY: Final = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
GONE: Final = 499
"""The status in the log of a request whose sender left before it had arrived."""
_STANDARD_FIELDS: Final = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "color_message",
    "taskName",
}


@final
class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        plain: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.casefold(),
            "from": record.name,
            "event": record.getMessage(),
        }
        plain |= {name: value for name, value in vars(record).items() if name not in _STANDARD_FIELDS}
        if record.exc_info and record.exc_info[1]:
            error = record.exc_info[1]
            plain["error"] = type(error).__name__
            plain["trace"] = _places(error)
            if error.__cause__ is not None:
                plain |= {"cause": type(error.__cause__).__name__, "cause_trace": _places(error.__cause__)}
        return json.dumps(plain, default=str)


def _places(error: BaseException) -> list[str]:
    """Where an error came through; not what it says, which may be secret."""
    return [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)]


def set_up_logs(kind: str, stream: TextIO | None = None) -> None:
    """Log as JSON lines, as plain lines, or not at all; `auto` shows only problems on a terminal."""
    to = stream or sys.stderr
    for_people = kind == "auto" and to.isatty()
    handler: logging.Handler = logging.NullHandler() if kind == "none" else logging.StreamHandler(to)
    if kind == "json" or (kind == "auto" and not for_people):
        handler.setFormatter(JsonLines())
    elif kind == "plain" or for_people:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING if for_people else logging.INFO)


@final
class AccessLog:
    """The outermost middleware: logs every request, answers every fault, adds security headers to every response."""

    def __init__(self, app: ASGIApp, as_page: Callable[[Request, Problem], Response]) -> None:
        self.app = app
        self.as_page = as_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_headers(message["headers"])
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            status = GONE
        except Exception as error:  # noqa: BLE001  # every request gets a response, whatever goes wrong
            problem = fault(error)
            if not status:
                await self._answer(Request(scope), problem)(scope, receive, send_with_headers)
        finally:
            seconds, path = perf_counter() - began, _template(scope)
            REQUESTS.add(scope["method"], path, status, seconds)
            entry = {"method": scope["method"], "path": path, "status": status, "ms": round(seconds * 1000, 1)}
            LOG.info("request", extra={**entry, "address": address_of(scope)})

    def _answer(self, request: Request, problem: Problem) -> Response:
        """A page for people, if pages can still be rendered."""
        if is_page(request):
            try:
                return self.as_page(request, problem)
            except Exception:
                LOG.exception("the page about a fault could not be made")
        return problem.answer()


def _with_headers(headers: Any) -> list[tuple[bytes, bytes]]:
    given = {name.lower() for name, _ in headers}
    added = [*HEADERS, POLICY, (b"cache-control", b"no-store")]
    return [*headers, *(each for each in added if each[0] not in given)]


def _template(scope: Scope) -> str:
    """The path without its parameters, which may be secret."""
    if "route" not in scope:
        return "(nothing)"
    filled = {str(value): f"{{{name}}}" for name, value in scope.get("path_params", {}).items()}
    steps: list[str] = scope["path"].split("/")
    return "/".join(filled.get(step, step) for step in steps)
