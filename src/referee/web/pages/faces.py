"""Faces of the people in the samples, drawn from a few parts each, as one picture per system.

A system says in `faces.yaml` what somebody looks like: `Ada: {skin: fair, hair: bun red, wear: dress green}`. Whoever
has a picture of their own is shown by that, and whoever has neither by their initials.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from referee import registry
from referee.core.files import load_yaml_file
from referee.core.system import System
from referee.web.errors import not_found

router = APIRouter(include_in_schema=False)
FILE: Final = "faces.yaml"
SAID: Final = frozenset(("skin", "hair", "wear", "hat", "mark", "beast"))
"""What is said of a face."""

SKIN: Final = {"pale": "#f3d9c8", "fair": "#e8bf9f", "tan": "#d09a6d", "brown": "#a06a42", "dark": "#6d4530"}
COLOURS: Final = {
    "black": "#2b2726", "brown": "#5b3a24", "blond": "#d9b25f", "red": "#a8482a", "grey": "#8d8b88", "white": "#e9e6e0",
    "blue": "#3d5a80", "green": "#52704a", "ochre": "#b5862f", "wine": "#7b2d3b", "sand": "#b7a27e", "teal": "#2f6f6d",
}  # fmt: skip
INK: Final = "#241f1c"

PARTS: Final = Path(__file__).with_suffix(".svg")
"""The drawings of the parts, a group each."""
OVER_HAIR: Final = ("mark-goggles",)
GROUP: Final = re.compile(r'<g id="([a-z-]+)">(.*)</g>')


@router.get("/faces/{system}.svg")
def faces(system: str) -> Response:
    """The faces of a system, each under the name of its person."""
    if system not in registry.names():
        raise not_found("no such system", where="system")
    text = "".join(
        f'<symbol id="{face_id(name)}" viewBox="0 0 100 100">{drawn}</symbol>' for name, drawn in _all(system)
    )
    headers = {"Cache-Control": "max-age=3600", "Content-Security-Policy": "default-src 'none'; sandbox"}
    return Response(
        f'<svg xmlns="http://www.w3.org/2000/svg">{text}</svg>', media_type="image/svg+xml", headers=headers
    )


def drawn_face(system: System, name: str) -> str:
    """Where the drawn face of somebody is; empty if there is none. Namesakes, `soldier 2`, share one."""
    plain = re.sub(r" \d+$", "", name)
    return f"/faces/{system.name}.svg#{face_id(plain)}" if plain in said_faces(system) else ""


def face_id(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


@lru_cache(maxsize=64)
def said_faces(system: System) -> Mapping[str, Mapping[str, str]]:
    """What a system says of its people, by name."""
    file = system.folder / FILE
    found: Mapping[str, Mapping[str, str]] = load_yaml_file(file) if file.exists() else {}
    return found


def _all(system: str) -> Iterator[tuple[str, str]]:
    yield from ((name, drawing(said)) for name, said in said_faces(registry.load(system)).items())


def drawing(said: Mapping[str, str]) -> str:
    """A face of its parts; KeyError for a part that there is not."""
    if unknown := {*said} - SAID:
        raise KeyError(*sorted(unknown))
    parts = drawn_parts()
    if "beast" in said:
        return _ground(COLOURS["sand"]) + parts[f"beast-{said['beast']}"]
    style, hair = _two(said.get("hair", "short brown"))
    wear, cloth = _two(said.get("wear", "shirt grey"))
    on, hat = _two(said.get("hat", ""))
    marks = [f"mark-{each}" for each in said.get("mark", "").split()]
    over = [each for each in marks if each in OVER_HAIR]
    under = [each for each in marks if each not in OVER_HAIR]
    names = [f"hair-{style}-behind", "body", f"wear-{wear}", "head", "face", *under, f"hair-{style}", *over]
    drawn = "".join(parts[each] for each in (*names, *([f"hat-{on}"] if on else [])))
    colours = {"skin": SKIN[said.get("skin", "fair")], "hair": hair, "cloth": cloth, "hat": hat}
    for name, colour in colours.items():
        drawn = drawn.replace(f'"{name}"', f'"{colour}"')
    return _ground(cloth) + drawn


@lru_cache(maxsize=1)
def drawn_parts() -> Mapping[str, str]:
    """The drawing of each part, by its name."""
    return dict(GROUP.findall(PARTS.read_text(encoding="utf-8")))


def _two(said: str) -> tuple[str, str]:
    """A part and its colour: `coat blue`."""
    part, _, colour = said.partition(" ")
    return part, COLOURS[colour] if colour else INK


def _ground(colour: str) -> str:
    return (
        f'<rect width="100" height="100" fill="#f1ece2"/><rect width="100" height="100" fill="{colour}" opacity=".22"/>'
    )
