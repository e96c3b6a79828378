"""Structured logs: one JSON line for each request and each fault, without secrets.

Paths are written as templates and queries not at all, so no code, token or name of a whisper stands in a log.
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

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.errors import Problem, fault, is_page
from referee.web.limits import address_of

LOG: Final = logging.getLogger("referee.web.requests")
OURS: Final = ("referee", "uvicorn.error")
HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
POLICY: Final = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
_KNOWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


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
        plain |= {name: value for name, value in vars(record).items() if name not in _KNOWN}
        if record.exc_info and record.exc_info[1]:
            plain["error"] = type(record.exc_info[1]).__name__
            plain["trace"] = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(record.exc_info[2])]
        return json.dumps(plain, default=str)


def set_up_logs(kind: str, stream: TextIO | None = None) -> None:
    """Log as lines of JSON, plainly, or not at all."""
    handler: logging.Handler = logging.NullHandler() if kind == "none" else logging.StreamHandler(stream or sys.stderr)
    if kind == "json":
        handler.setFormatter(JsonLines())
    elif kind == "plain":
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name in OURS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)


@final
class AccessLog:
    """Outermost: every request is logged, every fault answered, every answer carries the headers of the house."""

    def __init__(self, app: ASGIApp, as_page: Callable[[Request, Problem], Response]) -> None:
        self.app = app
        self.as_page = as_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = perf_counter(), 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_ours(message["headers"])
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception as error:  # noqa: BLE001  # nothing that goes wrong leaves a request without an answer
            problem = fault(error)
            if not status:
                await self._answer(Request(scope), problem)(scope, receive, watched)
        finally:
            took = round((perf_counter() - began) * 1000, 1)
            told = {"method": scope["method"], "path": _template(scope), "status": status, "ms": took}
            LOG.info("request", extra={**told, "address": address_of(scope)})

    def _answer(self, request: Request, problem: Problem) -> Response:
        """To people on a page, if pages can still be made."""
        if is_page(request):
            try:
                return self.as_page(request, problem)
            except Exception:
                LOG.exception("a fault could not be shown")
        return problem.answer()


def _with_ours(headers: Any) -> list[tuple[bytes, bytes]]:
    given = {name.lower() for name, _ in headers}
    ours = [*HEADERS, POLICY, (b"cache-control", b"no-store")]
    return [*headers, *(each for each in ours if each[0] not in given)]


def _template(scope: Scope) -> str:
    """The path without what is filled into it, which may be a secret."""
    if "route" not in scope:
        return "(nothing)"
    filled = {str(value): f"{{{name}}}" for name, value in scope.get("path_params", {}).items()}
    steps: list[str] = scope["path"].split("/")
    return "/".join(filled.get(step, step) for step in steps)
