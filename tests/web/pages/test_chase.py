"""The chase board: bands behind the quarry, what lies ahead, three outcomes beside each other."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from tests.web.conftest import Visitor

from referee import registry
from referee.core import Pick, Prompt, Scene, State, Who, action, action_of, frozen, legal_choices
from referee.core.look import ChaseLook, Look, Places
from referee.core.questions import Choose
from referee.web.pages.parts.chances import chances
from referee.web.pages.parts.control_grid import control_grid
from referee.web.pages.parts.questions import Answer

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client
    from referee.client.client import SeatClient

DIME = registry.load("dime")


def table_page(running: Running, seat: SeatClient) -> str:
    visitor = Visitor(running.address, seat.campaign, seat.seated.token)
    page = visitor.get("")
    visitor.http.close()
    return page


def bands(page: str) -> dict[str, str]:
    """What stands in each band of the road, the furthest first."""
    found = re.findall(r'<li class="chase-band[^>]*>(.*?)</li>', page, re.DOTALL)
    texts = [html.unescape(" ".join(re.sub(r"<[^>]+>", " ", each).split())) for each in found]
    names = [re.search(r"<span>(.*?)</span>", each).group(1) for each in found]  # type: ignore[union-attr]  # each band has a name
    return {name: text.removeprefix(name).strip() for name, text in zip(names, texts, strict=True)}


def test_pursuers_stand_in_the_band_of_their_lead(running: Running, client: Client) -> None:
    mo = client.create("Roofs", "dime", sample="rooftops", master="Mo")
    mo.edit("chase", interval=2, tallies={"quarry": 27, "pursuers": 24})
    page = table_page(running, mo)
    found = bands(page)
    assert list(found) == ["6 or more", "3 to 5", "1 or 2 behind", "level", "ahead of them"]
    assert "Inspector Hruby" in found["3 to 5"]
    assert "Constable" in found["3 to 5"]
    assert {text for name, text in found.items() if name != "3 to 5"} == {"nobody"}
    assert "Quarry: 3 ahead" in page
    assert "24 points" in page


def test_pursuers_who_have_passed_the_quarry_are_ahead_of_it(running: Running, client: Client) -> None:
    mo = client.create("Roofs", "dime", sample="rooftops", master="Mo")
    mo.edit("chase", interval=2, tallies={"quarry": 20, "pursuers": 24}, obstacle="Open Ground")
    page = table_page(running, mo)
    assert "Inspector Hruby" in bands(page)["ahead of them"]
    assert "<b>Open Ground</b>" in page


def test_players_who_are_not_shown_foes_sheets_see_where_they_are(running: Running, client: Client) -> None:
    mo = client.create("Roofs", "dime", master="Mo")
    mo.edit("ana", kind="Adventurer")
    for name in ("bo", "cy"):
        mo.edit(name, kind="Adventurer", player=False)
    mo.edit("chase", kind="Chase", sides=[["ana"], ["bo", "cy"]], interval=1, tallies={"quarry": 14, "pursuers": 12})
    page = table_page(running, client.join(mo.invite(controls=["ana"]).code, "Anna"))
    assert "bo" in bands(page)["1 or 2 behind"]


def forecast(**bands: float) -> dict[str, object]:
    return {"bands": {key: {"float": share, "exact": ""} for key, share in bands.items()}, "extra": {}, "bad": {}}


def test_three_outcomes_stand_beside_each_other_where_the_look_names_all_of_them() -> None:
    found = chances(forecast(gain=0.36, same=0.29, lose=0.35), DIME, ("gain",))
    assert [(row.tone, row.chance) for row in found.three] == [("gain", 0.36), ("same", 0.29), ("lose", 0.35)]
    assert [(tone, round(at, 1), round(long, 1)) for tone, at, long in found.split] == [
        ("gain", 0.0, 35.2),
        ("same", 36.0, 28.2),
        ("lose", 65.0, 35.0),
    ]


def test_what_cannot_come_of_it_is_no_part_of_the_bar() -> None:
    found = chances(
        {**forecast(**{"gone": 0.62, "works": 0.0, "without-effect": 0.0, "still-chased": 0.38})}, DIME, ("gone",)
    )
    assert [(row.name, row.tone) for row in found.three] == [("gone", "gain"), ("still chased", "lose")]
    sure = chances(forecast(gone=1.0, works=0.0), DIME, ("gone",))
    assert sure.split == (("gain", 0.0, 100.0),)
    assert chances(forecast(success=0.5, failure=0.5), DIME, ("success",)).three == ()


# --- speed and maneuver in one grid -----------------------------------------------------------------------------------


@frozen
class Driver:
    """Somebody at a wheel."""


def maneuvers(scene: Scene, who: Who[Driver], speed: str) -> tuple[str, ...]:
    return ("", "turn", "ram") if speed == "fast" else ("", "turn")


def rammed(scene: Scene, who: Who[Driver], maneuver: str) -> tuple[Who[Driver] | None, ...]:
    return tuple(each for each in scene.all(Driver) if each != who) if maneuver == "ram" else (None,)


@action("grid-drive", "grid.drive")
async def drive(
    scene: Scene,
    who: Who[Driver],
    speed: Annotated[str, Pick(lambda scene, who: ("slow", "fast"))],
    maneuver: Annotated[str, Pick(maneuvers)] = "",
    target: Annotated[Who[Driver] | None, Pick(rammed)] = None,
) -> None:
    """Drive as declared."""


def test_a_grid_has_a_cell_for_every_pair_that_is_legal_and_a_row_for_everybody_who_may_be_rammed() -> None:
    scene = Scene(State({name: Driver() for name in ("al", "bo", "cy")}))
    al = Who("al", Driver)
    ways = tuple(legal_choices([action_of(drive)], scene, al))
    usual = action_of(drive).by(al, speed="fast", maneuver="", target=None)
    look = Look(encounters={"Drive": Places(chase=ChaseLook(control="grid-drive", speed="speed", maneuver="maneuver"))})
    view: Any = SimpleNamespace(look=look, system=DIME)
    answers = {each.key: Answer(each.key, "", at) for at, each in enumerate(ways)}
    grid = control_grid(view, Choose(Prompt("drive"), al, ways, default=usual), answers)
    assert grid is not None
    assert grid.speeds == ("slow", "fast")
    cells = {row.words: [cell.answer is not None for cell in row.cells] for row in grid.rows}
    assert cells == {
        "Straight on": [True, True],
        "Turn": [True, True],
        "Ram, bo": [False, True],
        "Ram, cy": [False, True],
    }
    assert grid.usual == usual.key
    mixed: Choose[Any] = Choose(Prompt("drive"), al, (*ways, "wait"), default="wait")
    assert control_grid(view, mixed, answers) is None


# --- a game without rules for chases ----------------------------------------------------------------------------------


def test_a_game_without_rules_for_chases_says_so_and_moves_people_by_hand(running: Running, client: Client) -> None:
    mo = client.create("Vents", "alien", sample="derelict", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    names = [each for each in mo.view().scene if mo.view().scene[each]["kind"] == "Colonist"]
    mo.edit("chase", kind="ChaseTracker", sides=[names[:1], names[1:]])
    page = visitor.get("")
    assert "This game has no rules for chases." in page
    assert names[1] in bands(page)["in sight"]
    visitor.post("/act", action="chase-move", **{"arg-mover": names[1], "arg-band": "close"})
    assert names[1] in bands(visitor.get(""))["close"]
    visitor.post("/act", action="chase-move", **{"arg-mover": names[1], "arg-band": "out of sight"})
    page = visitor.get("")
    assert all(names[1] not in text for text in bands(page).values())
    visitor.http.close()
