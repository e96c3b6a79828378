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
from tests.browser.tables import begun, by_hand, joined

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


def derelict(anna: User, people: People) -> Mapping[str, str]:
    """Mo runs the derelict; Anna plays Ripa and is asked whether to push."""
    mo = begun(people("Mo"), "alien", "derelict")
    seated = joined(mo, anna, "Ripa")
    by_hand(seated)
    mo.user.post(f"{mo.api}/notes", text="The airlock is open. The lights beyond it are *not* on.")
    anna.post(f"{mo.api}/notes", text="I look first, then I go in.")
    given = {"skill": "Observation", "mods": ["+1 flashlight"]}
    anna.post(f"{mo.api}/actions", action="skill-roll", who="Ripa", arguments=given)
    anna.post(f"{mo.api}/answers", question="Ripa.skill", answer=[[5, 4, 2, 2, 3, 5, 4, 2], [4]])
    return {"campaign": mo.campaign}


def pushed(anna: User, people: People) -> Mapping[str, str]:
    """The same, and Ripa has pushed."""
    found = derelict(anna, people)
    api = f"/api/v1/campaigns/{found['campaign']}"
    anna.post(f"{api}/answers", question="Ripa.push", answer="yes")
    anna.post(f"{api}/answers", question="Ripa.push", answer=[[6, 4, 2, 2, 3, 6, 4, 2], [4, 2]])
    return found


def roadblock(mo: User, people: People) -> Mapping[str, str]:
    """Mo runs the roadblock; Anna and Ben have thrown initiative, and Ash has acted."""
    table = begun(mo, "distemper", "roadblock")
    anna, ben = joined(table, people("Anna"), "Ash"), joined(table, people("Ben"), "Bell")
    for name in ("Ash.initiative-before", "Bell.initiative-before", "Ash.initiative-after", "Bell.initiative-after"):
        asked = mo.context.request.get(f"{table.api}/questions").json()["questions"]
        if name in [each["key"] for each in asked]:
            (anna if name.startswith("Ash") else ben).user.post(f"{table.api}/answers", question=name, answer="no")
    mo.post(f"{table.api}/notes", text="A truck lies across the road. Two of them, one on the roof.")
    return {"campaign": table.campaign}


def drafted(anna: User, people: People) -> Mapping[str, str]:
    """Mo runs the derelict; Anna builds a character, and is at her skills."""
    seated = joined(begun(people("Mo"), "alien", "derelict"), anna)
    answers = {
        "attributes": {"Strength": 2, "Agility": 4, "Wits": 5},
        "skills": {"Piloting": 3, "Ranged Combat": 1, "Comtech": 2, "Observation": 1},
    }
    made = anna.post(f"{seated.api}/drafts", answers=answers)
    return {"campaign": seated.campaign, "draft": made["draft"]}


def played(system: str, sample: str, *who: str) -> Prepare:
    """Mo runs a sample; Anna plays somebody in it."""

    def prepare(anna: User, people: People) -> Mapping[str, str]:
        return {"campaign": joined(begun(people("Mo"), system, sample), anna, *who).campaign}

    return prepare


class Screen(NamedTuple):
    """The name of a picture, the address it is taken at (`/table/{campaign}`), and what is done before."""

    name: str
    address: str
    prepare: Prepare = nothing
    by: str = "Mo"
    """Whose screen it is."""


SCREENS = (
    Screen("home", "/", derelict, "Anna"),
    Screen("table", "/table/{campaign}", derelict, "Anna"),
    Screen("story", "/table/{campaign}", pushed, "Anna"),
    Screen("fight", "/table/{campaign}?as=Ash", roadblock),
    Screen("dime", "/table/{campaign}", played("dime", "ambush", "Rourke"), "Anna"),
    Screen("yearzero", "/table/{campaign}", played("yearzero", "roadblock", "Juno", "Okonkwo"), "Anna"),
    Screen("d6", "/table/{campaign}", played("d6", "loading-dock", "Mara"), "Anna"),
    Screen("sheet", "/table/{campaign}/sheet/Ash", roadblock),
    Screen("draft", "/table/{campaign}/drafts/{draft}?step=skills", drafted, "Anna"),
    Screen("master", "/table/{campaign}/master", roadblock),
    Screen("seats", "/table/{campaign}/master/seats", roadblock),
    Screen("rules", "/rules?q=stress"),
    Screen("rule", "/rules/distemper/distemper.checks.outcomes"),
    Screen("odds", "/odds/alien?check=5b3s&along=stress"),
    Screen("history", "/table/{campaign}/history", pushed, "Anna"),
)


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_picture(people: People, screen: Screen, size: str, scheme: Literal["light", "dark"]) -> None:
    user = people(screen.by, viewport=SIZES[size], scheme=scheme)
    page = user.open(screen.address.format_map(screen.prepare(user, people)))
    page.evaluate("document.fonts.ready.then(() => null)")
    page.wait_for_timeout(6_000)  # for what comes by the live stream, and for odds
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
