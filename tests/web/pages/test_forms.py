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
    assert '<option value="" selected>my own</option>' in form
    own = {"arg-skill": "Crafting", "arg-owner": "", "arg-thing": "Shortsword", "arg-tools": "smith's hammer"}
    workshop.post("/act", action="repair", who="Inga", **own)
    assert "repairs the Shortsword with Crafting." in workshop.get("?as=Inga")


def test_a_place_stands_beside_the_scene(workshop: Visitor) -> None:
    place = between(workshop.get("?as=Inga"), 'class="leaf scene-thing" aria-label="workshop"', "</section>")
    assert re.findall(r'<h2>(\w+) <span class="quiet small">(\w+)', place) == [("workshop", "workplace")]
    assert "Laboratory" in place
    assert sorted(re.findall(r'class="chip[^>]*>(?:<[^>]+>)?\s*([a-z]+)', place)) == ["forge", "garage", "workshop"]


def picked(visitor: Visitor, item: str) -> str:
    """The form of one item, as a browser asks for it."""
    sent = {"action": "craft", "who": "Inga", "arg-item": item}
    page = visitor.post("/pick", 200, **sent)
    assert "</form>" in page
    return between(page, f'id="form-craft-{item.replace(" ", "-")}"', "</form>")


def test_the_options_of_a_family_are_listed_by_heading_and_their_forms_come_later(workshop: Visitor) -> None:
    page = workshop.get("?as=Inga")
    listed = page[page.index('id="acts-craft"') : page.index('id="act-makeshift"')]
    headings = re.findall(r'data-rows="options-craft"[^>]*><summary><span>([^<]+)', listed)
    assert {"Smith", "Tailor", "Chef", "Builder"} < set(headings)
    assert len(headings) == len(set(headings))
    names = re.findall(r'class="level-name">([^<]+)', listed)
    assert len(names) > 100
    assert "Basic melee weapons" in names
    assert 'data-find="options-craft"' in listed
    assert "arg-tools" not in listed  # what an option takes is not worked out before it is opened
    assert len(listed) < 150_000


def test_an_option_asks_only_what_applies_to_it(workshop: Visitor) -> None:
    barrel, weapons = picked(workshop, "barrel"), picked(workshop, "basic melee weapons")
    assert '<input type="hidden" name="arg-item" value="barrel">' in barrel
    assert 'name="arg-by"' in barrel
    assert 'name="arg-make"' not in barrel
    assert "Broadsword" in between(weapons, 'name="arg-make"', "</select>")
    assert re.search(r'name="arg-make"[^>]* required', weapons)
    assert "rules/yearzero.crafting.items-dm" in barrel


def test_an_option_is_chosen_without_a_script(workshop: Visitor) -> None:
    sent = {"action": "craft", "who": "Inga", "arg-item": "barrel"}
    page = workshop.post("/pick", 200, **sent)
    assert re.search(r'<details class="act level-row" id="act-craft-barrel" open>', page)
    assert 'id="form-craft-barrel"' in page
    assert page.count('class="act level-row"') > 100


def test_what_cannot_be_made_says_why_when_it_is_opened(workshop: Visitor) -> None:
    sent = {"action": "craft", "who": "Inga", "arg-item": "castle of glass"}
    found = workshop.http.post(f"{workshop.table}/pick", data=sent, headers={"HX-Request": "true"}).text
    assert "it is not one of the options" in between(found, 'id="form-craft-castle-of-glass"', "</div>")


def test_an_option_of_a_family_is_taken_and_told(workshop: Visitor) -> None:
    sent = {"arg-item": "barrel", "arg-by": "Builder"}
    workshop.post("/act", action="craft", who="Inga", **sent)
    assert "works on an item (Builder): barrel." in workshop.get("?as=Inga")


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
