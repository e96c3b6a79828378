"""Every kind of encounter of every system, started from the game master's page as its form stands: it plays, or it is
refused at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import pytest
from tests.web.conftest import Visitor

from referee import registry
from referee.client import ApiError, Client, SeatClient
from referee.core.encounter import Encounter, encounters
from referee.web.pages.parts.board import kinds_of
from referee.web.plain_browser import Page

if TYPE_CHECKING:
    from tests.web.conftest import Running

KINDS: Final = [
    (system.name, kind)
    for system in map(registry.load, registry.OURS)
    for kind in kinds_of(system)
    if issubclass(system.kind(kind), Encounter)  # the others play no steps of their own
]


def form_of(page: str, kind: str) -> dict[str, str]:
    """What a browser sends of the form that starts a kind of encounter, if nobody touches it."""
    return dict(next(each for each in Page("/", page).to("/master/encounter") if each.one("kind") == kind).fields)


@pytest.fixture
def own_table(running: Running, client: Client, request: pytest.FixtureRequest) -> Iterator[tuple[Visitor, SeatClient]]:
    """A table with two people whose sheets are as they come."""
    mo = client.create("Own table", request.param, scene={"Ana": {}, "Bo": {}}, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    yield visitor, mo
    visitor.http.close()


@pytest.mark.parametrize(("own_table", "kind"), KINDS, indirect=["own_table"])
def test_an_encounter_started_from_its_form_asks_somebody_or_is_refused(
    running: Running, own_table: tuple[Visitor, SeatClient], kind: str
) -> None:
    visitor, mo = own_table
    page = visitor.get("/master")
    if f'name="kind" value="{kind}"' not in page:
        assert re.search("The optional rule “[^”]+” is off.", page)
        return
    form = form_of(page, kind)
    sides = {name: number for name, number in (("side-Ana", "1"), ("side-Bo", "2")) if name in form}
    answer = visitor.http.post(f"{visitor.table}/master/encounter", data={**form, **sides})
    kinds = [each["kind"] for each in mo.view().scene.values()]
    if answer.status_code in (409, 422):
        assert kind not in kinds
    else:
        assert answer.status_code == 303
        assert running.hub.read(mo.campaign, mo.seat, lambda desk: desk.campaign.stuck) == ""
        asked = mo.questions()
        is_waited_for = asked.questions or asked.waiting_for or "it is your turn" in visitor.get("")
        assert is_waited_for or moved_by_hand(running, mo)


def moved_by_hand(running: Running, mo: SeatClient) -> bool:
    """Whether an encounter waits for nothing but what the game master does with it."""
    scene = running.hub.read(mo.campaign, mo.seat, lambda desk: desk.journal.scene)
    return any(scene[each].by_hand for each in encounters(scene))


def test_an_encounter_under_another_name_than_the_rules_know_is_refused_at_once(client: Client) -> None:
    mo = client.create("Own table", "dime", scene={"Ana": {}, "Bo": {}}, master="Mo")
    with pytest.raises(ApiError, match="the rules look for it under the name fight"):
        mo.edit("brawl", kind="ZoneFight", sides=[["Ana"], ["Bo"]])
    assert "brawl" not in mo.view().scene


def test_an_encounter_whose_first_step_is_refused_is_not_added(client: Client) -> None:
    mo = client.create("Own table", "dime", scene={"Ana": {}, "Bo": {}}, master="Mo")
    with pytest.raises(ApiError, match="Cid is not here"):
        mo.edit("fight", kind="ZoneFight", sides=[["Ana"], ["Bo", "Cid"]])
    assert "fight" not in mo.view().scene
