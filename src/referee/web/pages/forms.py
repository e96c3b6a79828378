"""Handling a form: who sends it, what it contains, where to go afterwards, and how a problem is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, final
from urllib.parse import urlencode, urlsplit

from fastapi import Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from referee.core.plain import Plain, is_number
from referee.web.errors import Problem
from referee.web.limits import check_characters
from referee.web.pages.page import HEADERS, show, show_part
from referee.wire.replies import ErrorReply

MOST_FIELDS: Final = 5000
"""How many fields a form may have. The largest is a sheet of the D6 System: some 430, and 52 more for each thing on it;
a sheet with fifty things has 3,000."""
IN_HERE: Final = re.compile(r"/(?![/\\])")
"""How the path of our pages begins; browsers take `//` and `/\\` for the beginning of another host."""
LONGEST: Final = 20_000
"""The longest text that a field accepts."""


@final
@dataclass(frozen=True)
class Form:
    """The content of a form."""

    fields: Mapping[str, list[str]]
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)

    def one(self, name: str) -> str:
        """A field, without surrounding whitespace; empty if it was not sent."""
        return (self.fields.get(name) or [""])[-1].strip()

    def some(self, name: str) -> str | None:
        return self.one(name) or None

    def all(self, name: str) -> list[str]:
        return [each for each in self.fields.get(name, []) if each.strip()]


def whole_number(text: str) -> Plain:
    """A whole number, or the text as typed, which is refused later."""
    text = text.replace("\N{MINUS SIGN}", "-")
    return int(text) if is_number(text) and len(text) < 12 else text


def number(text: str) -> Plain:
    """A number; one with a point where that is written."""
    text = text.replace("\N{MINUS SIGN}", "-")
    whole, point, rest = text.partition(".")
    written = point and len(text) < 12 and is_number(whole) and re.fullmatch("[0-9]+", rest)
    return float(text) if written else whole_number(text)


async def read_form(request: Request) -> Form:
    """The form in a request, limited to what can be stored and shown."""
    fields: dict[str, list[str]] = {}
    files: dict[str, tuple[str, bytes]] = {}
    async with request.form(max_fields=MOST_FIELDS, max_files=1) as sent:
        for name, value in sent.multi_items():
            if isinstance(value, UploadFile):
                files[name] = (value.filename or "", await value.read())
                continue
            if len(value) > LONGEST:
                raise Problem(422, "too-large", f"{name}: at most {LONGEST} letters are accepted", where=name)
            fields.setdefault(check_characters(name, "form"), []).append(
                check_characters(value.replace("\r\n", "\n"), name)
            )
    return Form(fields, files)


Sent = Annotated[Form, Depends(read_form)]
"""The parameter of an endpoint that receives a form."""


def is_live(request: Request) -> bool:
    """Whether the request comes from our own script, whose page is updated by the stream."""
    return request.headers.get("hx-request") == "true"


def done(request: Request, back: str) -> Response:
    """The request is done: a live page is updated by the stream, any other is shown again."""
    if is_live(request):
        return Response(status_code=204)
    return RedirectResponse(back, 303, HEADERS)


def go(request: Request, to: str) -> Response:
    """Redirect to another page."""
    if is_live(request):
        return Response(status_code=204, headers={"HX-Redirect": to})
    return RedirectResponse(to, 303, HEADERS)


def at(address: str, **query: str | None) -> str:
    """An address with a query made of the values that are given."""
    said = {name: value for name, value in query.items() if value}
    return f"{address}?{urlencode(said)}" if said else address


@final
@dataclass(frozen=True)
class ProblemScreen:
    """Something went wrong: what, by which rule, and what would be legal."""

    template: ClassVar[str] = "problem.html"
    shape: ErrorReply
    system: str
    back: str
    status: int = 422


def problem_page(request: Request, problem: Problem) -> Response:
    """A problem for people: next to its cause if our script asked, otherwise on a page of its own."""
    system = (problem.shape.rule or "").partition(".")[0]
    screen = ProblemScreen(problem.shape, system, came_from(request), problem.status_code)
    if is_live(request):
        return show_part(screen, "beside", problem.status_code)
    return show(screen, problem.status_code, dict(problem.headers or {}))


def came_from(request: Request) -> str:
    """The page of ours that a request came from, by its `Referer`; the start page if it names none."""
    came = urlsplit(request.headers.get("referer", ""))
    if not IN_HERE.match(came.path):
        return "/"
    return at(came.path, **dict([came.query.split("=", 1)]) if came.query.count("=") == 1 else {})
