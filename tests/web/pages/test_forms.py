"""Forms of actions: what may be nobody's has words of its own, and can be sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.web.conftest import Visitor
from tests.web.pages.test_fight import between

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client


@pytest.fixture
def workshop(running: Running, client: Client) -> Iterator[Visitor]:
    mo = client.create("The workshop", "yearzero", sample="workshop", master="Mo")
    found = Visitor(running.address, mo.campaign, mo.seated.token)
    yield found
    found.http.close()


def test_one_mends_what_is_ones_own(workshop: Visitor) -> None:
    form = between(workshop.get("?as=Inga"), 'id="act-repair"', "</form>")
    assert re.search(r'value="" checked><span>my own</span>', form)
    own = {"arg-skill": "Crafting", "arg-owner": "", "arg-thing": "Shortsword", "arg-tools": "smith's hammer"}
    workshop.post("/act", action="repair", who="Inga", **own)
    assert "repairs the Shortsword with Crafting." in workshop.get("?as=Inga")


def test_a_place_stands_beside_the_scene(workshop: Visitor) -> None:
    place = between(workshop.get("?as=Inga"), 'class="leaf scene-thing" aria-label="workshop"', "</section>")
    assert re.findall(r'<h2>(\w+) <span class="quiet small">(\w+)', place) == [("workshop", "workplace")]
    assert "Laboratory" in place
    assert sorted(re.findall(r'class="chip[^>]*>(?:<[^>]+>)?\s*([a-z]+)', place)) == ["forge", "garage", "workshop"]


def test_a_list_with_nothing_to_choose_from_is_left_out(workshop: Visitor) -> None:
    form = between(workshop.get("?as=Inga"), 'id="act-craft"', "</form>")
    assert 'name="arg-item"' in form
    assert 'name="arg-make"' not in form


def test_whoever_is_preselected_has_what_is_preselected(client: Client, running: Running) -> None:
    mo = client.create("The road", "yearzero", sample="roadblock", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    form = between(visitor.get("?as=Okonkwo"), 'id="act-disarm"', "</form>")
    assert re.findall(r'name="arg-target" value="(\w+)" checked', form) == ["Rusk"]
    assert '<input type="hidden" name="arg-weapon" value="Crowbar">' in form  # they hold nothing else
    sent = {"action": "disarm", "who": "Okonkwo", "arg-target": "Rusk", "arg-weapon": "Crowbar"}
    folded = visitor.post("/forecast?brief=true&folded=true&again=2", 200, **sent)
    assert re.fullmatch(r'<span class="p"[^>]*>42 %</span>', folded.strip())
    beside = dict(
        re.findall(r'id="whom-disarm-target-(\w+)" data-late>([^<]+)<', visitor.post("/beside?again=2", 200, **sent))
    )
    assert beside == {"Rusk": "42 %", "Vee": "42 %", "Juno": "42 %"}  # each with what they hold
    visitor.http.close()
