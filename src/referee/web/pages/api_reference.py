"""The HTTP API as a page: every address, its parameters, and what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from referee.web.pages.page import show

router = APIRouter(include_in_schema=False)


@final
@dataclass(frozen=True)
class Operation:
    """One operation of the API."""

    name: str
    method: str
    path: str
    says: str
    given: tuple[tuple[str, str, str], ...]
    """Name, place and meaning of each parameter."""


@final
@dataclass(frozen=True)
class ProgramsScreen:
    template: ClassVar[str] = "programs.html"
    says: str
    chapters: dict[str, list[Operation]]


@router.get("/docs")
def programs(request: Request) -> HTMLResponse:
    schema: dict[str, Any] = request.app.openapi()
    chapters: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        for method, what in methods.items():
            chapters.setdefault((what.get("tags") or ["server"])[0], []).append(_operation(method, path, what))
    return show(ProgramsScreen(schema["info"]["description"], chapters))


def _operation(method: str, path: str, what: dict[str, Any]) -> Operation:
    given = tuple((each["name"], each["in"], each.get("description", "")) for each in what.get("parameters", ()))
    return Operation(what.get("summary", path), method.upper(), path, what.get("description", ""), given)
