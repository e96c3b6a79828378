"""What all parts of the client share: sending, and reading answers."""

from __future__ import annotations

from time import sleep
from typing import Any, Final, TypeVar
from uuid import uuid4

import httpx

from referee.core.errors import RefereeError
from referee.core.plain import Plain
from referee.web import replies
from referee.web.errors import ErrorShape

R = TypeVar("R", bound=replies.Reply)

TRIES: Final = 3


class ApiError(RefereeError):
    """What the server said no to, in the one shape of its errors."""

    def __init__(self, status: int, shape: ErrorShape) -> None:
        super().__init__(status, shape)
        self.status = status
        self.error = shape.error
        self.message = shape.message
        self.rule = shape.rule
        self.lawful = tuple(shape.lawful)
        self.where = shape.where

    def __str__(self) -> str:
        return f"{self.message} ({self.status} {self.error})"


class Caller:
    """Sends requests, and reads answers."""

    def __init__(self, http: httpx.Client, token: str | None = None) -> None:
        self.http = http
        self.token = token

    def send(
        self, method: str, path: str, *, key: str | None = None, expected: int | None = None, **rest: Any
    ) -> httpx.Response:
        """Send a request, again if no answer comes, and give the answer if it is a good one."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if method != "GET":
            headers["Idempotency-Key"] = key or uuid4().hex
        if expected is not None:
            headers["If-Match"] = f'"{expected}"'
        headers |= rest.pop("headers", {})
        for left in reversed(range(TRIES)):
            try:
                return checked(self.http.request(method, f"/api/v1{path}", headers=headers, **rest))
            except httpx.TransportError:
                if not left:
                    raise
                sleep(0.2)
        raise AssertionError

    def get(self, reply: type[R], path: str, **query: Plain) -> R:
        given = {name: value for name, value in query.items() if value is not None}
        return reply.model_validate_json(self.send("GET", path, params=given).content)

    def post(self, reply: type[R], path: str, plain: Plain = None, method: str = "POST", **how: Any) -> R:
        return reply.model_validate_json(
            self.send(method, path, json=plain if plain is not None else {}, **how).content
        )


def checked(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    response.read()
    try:
        shape = ErrorShape.model_validate_json(response.content)
    except ValueError:
        shape = ErrorShape(error="error", message=response.text[:200] or response.reason_phrase)
    raise ApiError(response.status_code, shape)


class AtTable(Caller):
    """A seat at a table."""

    def __init__(self, http: httpx.Client, seated: replies.Seated) -> None:
        super().__init__(http, seated.token)
        self.seated = seated
        self.campaign = seated.campaign
        self.seat = seated.seat
        self.path = f"/campaigns/{seated.campaign}"

    def do(self, path: str, method: str = "POST", key: str | None = None, **plain: Plain) -> int:
        """Do something; gives how much this seat has been told by then."""
        expected = plain.pop("expected", None)
        return self.post(replies.Told, self.path + path, plain, method, key=key, expected=expected).told
