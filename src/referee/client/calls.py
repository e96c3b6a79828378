"""What all parts of the client share: sending requests, reading replies and the stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from time import sleep
from typing import Any, Final, NamedTuple, TypeVar
from uuid import uuid4

import httpx

from referee.core.errors import RefereeError
from referee.core.plain import Plain
from referee.wire import replies
from referee.wire.replies import ErrorReply

R = TypeVar("R", bound=replies.Reply)

TRIES: Final = 3


class ApiError(RefereeError):
    """An error reply from the server; all of them have the same shape."""

    def __init__(self, status: int, shape: ErrorReply) -> None:
        super().__init__(status, shape)
        self.status = status
        self.error = shape.error
        self.message = shape.message
        self.rule = shape.rule
        self.legal = tuple(shape.legal)
        self.where = shape.where

    def __str__(self) -> str:
        return f"{self.message} ({self.status} {self.error})"


class Caller:
    """Sends requests and reads replies."""

    def __init__(self, http: httpx.Client, token: str | None = None) -> None:
        self.http = http
        self.token = token

    def send(
        self, method: str, path: str, *, key: str | None = None, expected: int | None = None, **rest: Any
    ) -> httpx.Response:
        """Send a request, and retry if no reply comes; an error reply is raised as `ApiError`."""
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
        shape = ErrorReply.model_validate_json(response.content)
    except ValueError:
        shape = ErrorReply(error="error", message=response.text[:200] or response.reason_phrase)
    raise ApiError(response.status_code, shape)


class SeatCaller(Caller):
    """A caller that has a seat at a table."""

    def __init__(self, http: httpx.Client, seated: replies.NewSeat) -> None:
        super().__init__(http, seated.token)
        self.seated = seated
        self.campaign = seated.campaign
        self.seat = seated.seat
        self.path = f"/campaigns/{seated.campaign}"

    def do(self, path: str, method: str = "POST", key: str | None = None, **plain: Plain) -> int:
        """Do something; returns how many items this seat has been sent by then."""
        expected = plain.pop("expected", None)
        return self.post(replies.Done, self.path + path, plain, method, key=key, expected=expected).cursor


class Event(NamedTuple):
    """Something that happened, from the stream."""

    kind: str
    """`item`, `view`, `reset` or `seat-removed`."""
    data: Plain
    id: int | None = None
    """For an item: how many items the client has, including this one."""


def events_in(lines: Iterable[str]) -> Iterator[Event]:
    """The events of a stream; its comments are only heartbeats."""
    kind, number, data = "message", None, list[str]()
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield Event(kind, json.loads("\n".join(data)), number)
            kind, number, data = "message", None, []
        elif name == "event":
            kind = value
        elif name == "id":
            number = int(value)
        elif name == "data":
            data.append(value)


def apply_view_patch(view: dict[str, Plain], patch: dict[str, Plain]) -> dict[str, Plain]:
    """A view with the changes of a `view` event applied."""
    if patch.get("full"):
        return {name: part for name, part in patch.items() if name != "full"}
    scene = {**view["scene"], **patch.get("scene", {})}
    return {**view, **patch, "scene": {name: value for name, value in scene.items() if value is not None}}
