"""Takes the pictures of the screens in docs/pictures: `make screenshots`. A new screen is a line of `SCREENS`.

pytest does not find this file by itself, so that pictures are taken only when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import pytest
from PIL import Image

if TYPE_CHECKING:
    from tests.browser.conftest import People, User

FOLDER = Path(__file__).parent.parent.parent / "docs/pictures"
SIZES = {"wide": (1280, 800), "narrow": (360, 740)}
MOST_BYTES = 60_000
COLOURS = (128, 64, 32)
"""The most that come out small enough are taken."""

Prepare = Callable[["User", "People"], Mapping[str, str]]
"""What is done before a picture is taken; it gives what the address leaves open."""


def nothing(mo: User, people: People) -> Mapping[str, str]:
    return {}


def derelict(mo: User, people: People) -> Mapping[str, str]:
    """Mo runs the derelict, Anna plays Ripa, and a little has happened."""
    begun = mo.post("/api/v1/campaigns", name="Thursday nights", system="alien", sample="derelict", master="Mo")
    table = f"/api/v1/campaigns/{begun['campaign']}"
    invited = mo.post(f"{table}/invitations", role="player", controls=["Ripa"])
    anna = people("Anna")
    anna.post("/api/v1/join", code=invited["code"], name="Anna")
    mo.post(f"{table}/notes", text="The airlock is open. The lights beyond it are not on.")
    anna.post(f"{table}/notes", text="I look first, then I go in.")
    anna.post(f"{table}/actions", action="skill-roll", who="Ripa", arguments={"skill": "Observation"})
    return {"campaign": begun["campaign"]}


class Screen(NamedTuple):
    """The name of a picture, the address it is taken at (`/table/{campaign}`), and what is done before."""

    name: str
    address: str
    prepare: Prepare = nothing


SCREENS = (Screen("home", "/", derelict), Screen("table", "/table/{campaign}", derelict))


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_picture(people: People, screen: Screen, size: str, scheme: Literal["light", "dark"]) -> None:
    mo = people("Mo", viewport=SIZES[size], scheme=scheme)
    page = mo.open(screen.address.format_map(screen.prepare(mo, people)))
    page.evaluate("document.fonts.ready.then(() => null)")
    page.wait_for_timeout(300)  # for what comes by the live stream
    (FOLDER / f"{screen.name}-{size}-{scheme}.png").write_bytes(small(page.screenshot()))


def small(picture: bytes) -> bytes:
    """The same picture with fewer colours."""
    whole = Image.open(BytesIO(picture)).convert("RGB")
    made = (_with_colours(whole, each) for each in COLOURS)
    return next((each for each in made if len(each) <= MOST_BYTES), _with_colours(whole, COLOURS[-1]))


def _with_colours(whole: Image.Image, number: int) -> bytes:
    file = BytesIO()
    whole.quantize(number, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()
