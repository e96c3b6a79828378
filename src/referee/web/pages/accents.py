"""The accent colours of the systems, each from its own look, as one stylesheet."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from referee import registry
from referee.core.look import Accent

router = APIRouter(include_in_schema=False)


@router.get("/accents.css")
def accents() -> Response:
    """A rule for every system that has an accent."""
    looks = ((name, registry.front(name).accent) for name in registry.names())
    text = "\n".join(_rule(name, accent) for name, accent in looks if accent)
    return Response(text, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


def _rule(system: str, accent: Accent) -> str:
    tokens = {"--accent": accent.colour, "--accent-soft": accent.soft, "--accent-ink": accent.ink}
    said = " ".join(f"{token}: light-dark({', '.join(colours)});" for token, colours in tokens.items())
    return f'[data-system="{system}"] {{ {said} }}'
