"""One shape for all errors, and the one place where errors become responses.

    {"error": "refused", "message": "toss: ana has 0", "rule": "coin.toss.toss",
     "legal": ["let it stand"], "where": null}

No response contains a traceback or a secret. A server fault has a number, which finds it in the log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from secrets import token_hex
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from referee.core.errors import BadAnswer, BadInput, NotKnown, RefereeError, Refused, RuleFault, TooLarge
from referee.store.records import Busy, Conflict, StoreError, Taken, UnknownCampaign
from referee.table.hub import KeyReused, OutOfDate
from referee.table.members import NotAllowed, NotSeated, UnknownSeat
from referee.wire.replies import ErrorReply

LOG: Final = logging.getLogger("referee.web")


class Problem(HTTPException):
    """An error as a response: status, kind, message, rule, what would be legal, and where."""

    def __init__(
        self,
        status: int,
        error: str,
        message: str,
        *,
        rule: str | None = None,
        legal: Iterable[str] = (),
        where: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, dict(headers or {}))
        self.shape = ErrorReply(error=error, message=message, rule=rule, legal=list(legal), where=where or None)

    def answer(self) -> JSONResponse:
        return JSONResponse(self.shape.model_dump(), self.status_code, self.headers)


def not_seated(message: str = "join by a code, or send the token of your seat") -> Problem:
    legal = ("POST /api/v1/join with a code and a name", "Authorization: Bearer <token>")
    return Problem(401, "not-signed-in", message, legal=legal, headers={"WWW-Authenticate": "Bearer"})


def not_found(message: str, *, where: str | None = None, legal: Iterable[str] = ()) -> Problem:
    return Problem(404, "not-found", message, where=where, legal=legal)


def too_large(message: str, where: str = "body") -> Problem:
    return Problem(413, "too-large", message, where=where)


def problem_of(error: Exception) -> Problem:
    """Any error as a response."""
    for kind, answer in _ANSWERS.items():
        if isinstance(error, kind):
            return answer(error)
    return fault(error)


def fault(error: Exception) -> Problem:
    """An unexpected error: the response has a number, under which the log has the details."""
    while (
        isinstance(error, ExceptionGroup) and len(error.exceptions) == 1
    ):  # of a stream, which reads and listens at once
        error = error.exceptions[0]
    number = token_hex(4)
    LOG.error("fault", exc_info=error, extra={"fault": number})
    return Problem(500, "server-error", f"something went wrong on the server, and nothing was changed (error {number})")


def _failed(error: RuleFault) -> Problem:
    """A rule's own code has failed; the log has what and where."""
    number = token_hex(4)
    LOG.error("a rule failed", exc_info=error, extra={"fault": number})
    return Problem(500, "rule-failed", f"{error}, and nothing was changed (error {number})", rule=error.rule)


def _refused(status: int, kind: str) -> Callable[[Any], Problem]:
    def answer(error: Refused) -> Problem:
        return Problem(status, kind, f"{error.what}: {error.because}", rule=error.rule, legal=error.legal)

    return answer


def _storage(error: StoreError) -> Problem:
    """The details (which file, which line) are only logged."""
    LOG.error("storage: %s", error)
    message = "the server cannot read or save the table right now, so nothing was changed; its log says why"
    return Problem(503, "storage", message, legal=("try again later",), headers={"Retry-After": "5"})


def _busy(_error: StoreError) -> Problem:
    """Another server holds the campaign, or the database gave up one of two changes."""
    message = "the table is being changed elsewhere right now, so nothing was changed here"
    return Problem(503, "storage", message, legal=("try again",), headers={"Retry-After": "1"})


def _wrote_first(_error: StoreError) -> Problem:
    """Does not say how many lines were written, because some of them are secret."""
    return Problem(409, "out-of-date", "someone else changed the table first", legal=("look again, and try again",))


def _invalid(error: RequestValidationError) -> Problem:
    """The first field that is not valid: its place, and pydantic's own message."""
    first: dict[str, Any] = next(iter(error.errors()), {"loc": (), "msg": "does not fit"})
    place = ".".join(str(step) for step in first["loc"] if step != "body") or "body"
    legal = [str(first["ctx"]["expected"])] if "expected" in first.get("ctx", {}) else []
    return Problem(422, "bad-input", f"{place}: {first['msg']}", where=place, legal=legal)


_WORDS: Final = {
    400: ("bad-input", "the request cannot be read"),
    404: ("not-found", "there is nothing at this address"),
    405: ("method-not-allowed", "this address does not support this method"),
}


def _of_http(error: HTTPException) -> Problem:
    kind, message = _WORDS.get(error.status_code, ("error", str(error.detail)))
    status = 422 if error.status_code == 400 else error.status_code
    legal = [f"see {error.headers['Allow']}"] if error.headers and "Allow" in error.headers else []
    return Problem(status, kind, message, legal=legal, headers=error.headers)


_ANSWERS: Final[dict[type[Exception], Callable[[Any], Problem]]] = {
    Problem: lambda error: error,
    OutOfDate: _refused(409, "out-of-date"),
    NotSeated: lambda error: not_seated(error.because),
    NotAllowed: _refused(403, "not-allowed"),
    BadAnswer: _refused(422, "bad-answer"),
    Refused: _refused(409, "refused"),
    UnknownSeat: lambda error: not_found("there is no such seat at this table", where="seat", legal=error.seats),
    KeyReused: lambda error: Problem(422, "key-reused", str(error), where="Idempotency-Key", legal=("another key",)),
    RuleFault: _failed,
    BadInput: lambda error: Problem(422, "bad-input", str(error), where=error.where),
    NotKnown: lambda error: Problem(422, "hidden-from-you", str(error)),
    TooLarge: lambda error: Problem(422, "too-large", str(error)),
    UnknownCampaign: lambda error: not_found(str(error), where="campaign"),
    Conflict: _wrote_first,
    Taken: _wrote_first,
    Busy: _busy,
    StoreError: _storage,
    RequestValidationError: _invalid,
    HTTPException: _of_http,
}
"""Subclasses come before their base classes."""


PROGRAMS: Final = ("/api/", "/health", "/ready", "/metrics", "/openapi.json")
"""Paths for programs; all others are pages."""


def is_page(request: Request) -> bool:
    return not request.url.path.startswith(PROGRAMS)


def map_errors(app: FastAPI, as_page: Callable[[Request, Problem], Response]) -> None:
    """Turn every error into a response with `problem_of`: JSON for programs, a page for people."""

    def answer(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        return as_page(request, problem) if is_page(request) else problem.answer()

    for kind in (RefereeError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, answer)


RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    401: {"model": ErrorReply, "description": "Not seated: the token is missing, unknown or expired."},
    403: {"model": ErrorReply, "description": "Not this seat's to do."},
    404: {"model": ErrorReply, "description": "There is no such thing, or not for you."},
    409: {"model": ErrorReply, "description": "A rule refuses it, or the table has moved on."},
    413: {"model": ErrorReply, "description": "More was sent than is accepted."},
    422: {"model": ErrorReply, "description": "What was sent does not fit."},
    429: {"model": ErrorReply, "description": "Too many requests."},
    503: {"model": ErrorReply, "description": "The storage is not available now."},
}
"""The error responses of every endpoint, for the schema."""
