"""The few pages there are until the table has its own: what this is, how to join, and the addresses of the API."""

from __future__ import annotations

from html import escape
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse

from referee import registry

router = APIRouter(include_in_schema=False)
POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"


def page(title: str, *body: str) -> HTMLResponse:
    """A plain page; what it is given must be escaped already."""
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
    head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return HTMLResponse(
        f"{head}<main><h1>{escape(title)}</h1>{''.join(body)}</main></html>",
        headers={"Content-Security-Policy": POLICY},
    )


@router.get("/")
def home() -> HTMLResponse:
    titles = "".join(f"<li>{escape(registry.load(name).title)}</li>" for name in registry.names())
    return page(
        "Referee",
        "<p>A digital table that knows the rules of role-playing games. It is running.</p>",
        f"<p>What can be played here:</p><ul>{titles}</ul>",
        '<p>Programs and browsers speak with it by its <a href="/docs">HTTP API</a> '
        '(<a href="/openapi.json">schema</a>).</p>',
    )


@router.get("/join/{code}")
def join(code: Annotated[str, Path(max_length=64)]) -> HTMLResponse:
    shown = escape(code)
    return page(
        "Join a table",
        f"<p>You are invited. Your code is <strong>{shown}</strong>.</p>",
        f"<p>A program joins with <code>POST /api/v1/join</code> and "
        f'<code>{{"code": "{shown}", "name": "your name"}}</code>; see <a href="/docs">the API</a>.</p>',
    )


@router.get("/docs")
def docs(request: Request) -> HTMLResponse:
    schema: dict[str, Any] = request.app.openapi()
    by_tag: dict[str, list[str]] = {}
    for path, methods in schema["paths"].items():
        for method, what in methods.items():
            by_tag.setdefault((what.get("tags") or ["server"])[0], []).append(_operation(method, path, what))
    parts = [f"<h2>{escape(tag)}</h2>{''.join(found)}" for tag, found in by_tag.items()]
    return page("Referee: the HTTP API", f"<p>{escape(schema['info']['description'])}</p>", *parts)


def _operation(method: str, path: str, what: dict[str, Any]) -> str:
    says = f"<p>{escape(what['description'])}</p>" if what.get("description") else ""
    given = "".join(
        f"<li><code>{escape(each['name'])}</code> ({escape(each['in'])}) {escape(each.get('description', ''))}</li>"
        for each in what.get("parameters", ())
    )
    return (
        f"<h3>{escape(what.get('summary', path))}</h3><p><code>{method.upper()} {escape(path)}</code></p>"
        f"{says}{f'<ul>{given}</ul>' if given else ''}"
    )
