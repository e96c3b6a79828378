"""Adding people on the game master's page, as a browser without scripts does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.web.conftest import Visitor

from referee import registry
from referee.web.demo import samples
from referee.web.pages.master.fields import Blank, blanks

if TYPE_CHECKING:
    from tests.web.conftest import Market, Running

    from referee.client import Client


@pytest.fixture
def opened(running: Running, client: Client, request: Any) -> Iterator[Visitor]:
    """The game master of a table opened empty."""
    mo = client.create("Empty", request.param, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    yield visitor
    visitor.http.close()


def keys(visitor: Visitor, query: str = "") -> list[str]:
    return re.findall(r'name="copy" value="([^"]+)"', visitor.get(f"/master/add{query}"))


def present(visitor: Visitor) -> dict[str, Any]:
    found: dict[str, Any] = visitor.http.get(f"/api/v1/campaigns/{visitor.table.rpartition('/')[2]}").json()["scene"]
    return found


@pytest.mark.parametrize("opened", registry.OURS, indirect=True)
def test_everyone_listed_can_be_added_to_an_empty_table(opened: Visitor) -> None:
    listed = keys(opened)
    assert listed
    for key in listed:
        opened.post("/master/add", copy=key)
    assert opened.get("/master/add").count('value="scene/') == len(listed)


@pytest.mark.parametrize("opened", registry.OURS, indirect=True)
def test_somebody_at_random_is_in_the_scene_after_one_tap(opened: Visitor) -> None:
    for _ in range(2):
        opened.post("/master/add/random")
    assert opened.get("/master/add").count('value="scene/') == 2


@pytest.mark.parametrize("opened", ["dime"], indirect=True)
def test_whoever_comes_or_goes_is_told_without_their_piles_of_cards(opened: Visitor) -> None:
    opened.post("/master/add", copy="ambush/Ada")
    assert set(re.findall(r"([\w.]+) appears\.", page := opened.get(""))) == {"Ada"}
    assert "changed something" not in page, "the sentence says it all"
    assert f'href="{opened.table}/master/add"' in page, "foes are added from the table as well"
    opened.post("/master/remove", name="Ada")
    assert set(re.findall(r"([\w.]+) is gone\.", opened.get(""))) == {"Ada"}


@pytest.mark.parametrize("opened", ["dime"], indirect=True)
def test_the_sentence_about_somebody_ends_before_their_levels_begin(opened: Visitor) -> None:
    assert "The clockmaker's daughter. Intelligence 7" in opened.get("/master/add")


@pytest.mark.parametrize("opened", ["dime"], indirect=True)
def test_from_the_page_for_adding_a_tap_leads_to_the_table(opened: Visitor) -> None:
    way = f'<a class="button first" href="{opened.table}">To the table</a>'
    assert way not in opened.get("/master/add"), "somebody has to be added first"
    opened.post("/master/add", copy="ambush/Ada")
    assert way in opened.get("/master/add")


@pytest.mark.parametrize("opened", ["distemper"], indirect=True)
def test_several_are_numbered_by_themselves(opened: Visitor) -> None:
    to = opened.post("/master/add", copy="roadblock/raider", count="3")
    assert "Added: raider 1, raider 2, raider 3." in opened.get(to.removeprefix(opened.table))
    opened.post("/master/add", copy="roadblock/raider")
    assert {"raider 1", "raider 2", "raider 3", "raider 4"} <= set(present(opened))
    assert "1 to 12" in opened.post("/master/add", 422, copy="roadblock/raider", count="13")
    assert "not known" in opened.post("/master/add", 422, copy="roadblock/nobody")


@pytest.mark.parametrize("opened", ["distemper"], indirect=True)
def test_the_list_is_searched_without_a_script(opened: Visitor) -> None:
    assert keys(opened, "?find=RAIDER") == ["roadblock/raider"]
    assert "Nobody ready-made matches." in opened.get("/master/add?find=nobody+at+all")


def test_a_duplicate_is_fresh_and_hidden_if_wanted(market: Market) -> None:
    market.mo.post("/master/person", name="Bell", **{"f-wp": "2", "f-dead": "yes"})
    market.mo.post("/master/add", copy="scene/Bell", hidden="yes")
    found = present(market.mo)["Bell 2"]
    assert (found["wp"], found["dead"]) == (found["wp_full"], False)
    assert "Bell 2" not in market.anna.get("")
    assert present(market.mo)["Bell"]["wp"] == 2


class Fields(HTMLParser):
    """What a browser sends of the form of somebody that nobody has touched."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}
        self.select = self.area = ""
        self.picked: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        name = said.get("name", "")
        if tag == "select":
            self.select, self.picked = name, None
        elif tag == "option" and self.select and ("selected" in said or self.picked is None):
            self.picked = said.get("value", "\0")
        elif tag == "textarea":
            self.area = name
            self.found[name] = [""]
        elif tag == "input" and name and (said.get("type") != "checkbox" or "checked" in said):
            self.found.setdefault(name, []).append(said.get("value", ""))

    def handle_data(self, data: str) -> None:
        if self.picked == "\0":
            self.picked = data
        if self.area:
            self.found[self.area][0] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "option" and self.picked == "\0":
            self.picked = ""
        if tag == "select":
            self.found[self.select] = [self.picked or ""]
            self.select = ""
        if tag == "textarea":
            self.area = ""


def untouched(visitor: Visitor, name: str) -> dict[str, list[str]]:
    page = visitor.raw(f"/master/person?name={quote(name)}")
    fields = Fields()
    fields.feed(page[page.index('class="stack sheet-form"') :])
    return {each: sent for each, sent in fields.found.items() if each == "name" or each.startswith("f-")}


SAMPLES = [(system, sample) for system in registry.OURS for sample in samples(system)]


@pytest.mark.parametrize(("system", "sample"), SAMPLES)
def test_a_form_saves_nothing_untouched_and_one_field_alone(
    running: Running, client: Client, system: str, sample: str
) -> None:
    mo = client.create("A table", system, sample=sample, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    try:
        check_forms(visitor, registry.load(system).sheet.__name__)
    finally:
        visitor.http.close()


def check_forms(visitor: Visitor, sheets: str) -> None:
    before = present(visitor)
    for name in [each for each, plain in before.items() if plain["kind"] == sheets]:
        form = untouched(visitor, name)
        assert len(form) > 4
        visitor.post("/master/person", **form)
        assert present(visitor)[name] == before[name], name
        field = next(each for each, sent in form.items() if each.count(".") == 0 and sent[0].isdecimal())
        value = int(form[field][0])
        visitor.post("/master/person", **{**form, field: str(value - 1 if value else 1)})
        after = present(visitor)
        now, was = after[name], before[name]
        assert {each for each in now if now[each] != was.get(each)} == {field.removeprefix("f-")}, name
        before = after


def test_no_page_asks_for_raw_data() -> None:
    for system in map(registry.load, registry.OURS):
        for kind in (system.sheet, *system.kinds):
            kinds = {each.kind for each in every(blanks(kind, {}, str.title, lambda _: ()))}
            assert kinds <= {"number", "check", "text", "pick", "lines", "levels", "rows"}, kind


def every(found: Iterable[Blank]) -> Iterator[Blank]:
    for each in found:
        yield each
        yield from (inner for row in each.rows for inner in every(row.blanks))


def test_an_empty_row_is_there_on_demand_and_nothing_is_saved(market: Market) -> None:
    assert "f-items.1.name" not in market.mo.raw("/master/person?name=Bell")
    before = present(market.mo)
    page = market.mo.post("/master/person", 200, **{**untouched(market.mo, "Bell"), "more": "f-items"})
    assert 'name="f-items.1.name"' in page
    assert present(market.mo) == before
    sent = {**untouched(market.mo, "Bell"), "f-items.1.name": "rope"}
    market.mo.post("/master/person", **sent)
    assert [each["name"] for each in present(market.mo)["Bell"]["items"]] == ["axe", "rope"]
    market.mo.post("/master/person", **untouched(market.mo, "Bell"), drop="f-items.0")
    assert [each["name"] for each in present(market.mo)["Bell"]["items"]] == ["rope"]


def test_a_program_still_sets_whatever_it_likes(running: Running, client: Client) -> None:
    mo = client.create("A table", "yearzero", sample="camp", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    who = next(name for name, plain in present(visitor).items() if plain["kind"] == "Survivor")
    mo.edit(who, training=[["Strength", 3]])
    assert present(visitor)[who]["training"] == [["Strength", 3]]
    visitor.http.close()


@pytest.mark.parametrize("opened", registry.OURS, indirect=True)
def test_the_chances_of_everybody_come_after_the_page(opened: Visitor) -> None:
    page, places = opened.get("/master/add"), r'id="(ready-[^"]+)"'
    assert not re.findall(r"\d\s%", page), "nobody waits for them"
    assert "/master/add/chances" in page
    found = opened.get("/master/add/chances")
    assert sorted(re.findall(places, found)) == sorted(re.findall(places, page))
    assert len(re.findall(r"\d\s%", found)) >= len(re.findall(places, found))
    assert re.findall(places, opened.get("/master/add/whole")) == re.findall(places, page)


@pytest.mark.parametrize("opened", ["distemper"], indirect=True)
def test_a_chance_is_said_in_a_sentence_with_what_it_is_about(opened: Visitor) -> None:
    """A lookout adds 3 to two dice and needs a 9: a 6 or more, 26 of 36."""
    says = "Hits somebody without defences with Ranged Combat 72\N{NO-BREAK SPACE}%."
    assert says in opened.get("/master/add/chances?find=lookout")
    assert says in opened.get("/master/add/whole?find=lookout")
    assert "Barter" not in opened.get("/master/add/chances?find=lookout")


@pytest.mark.parametrize("opened", ["yearzero"], indirect=True)
def test_outside_a_fight_the_list_of_people_says_how_they_stand(opened: Visitor) -> None:
    opened.post("/master/add", copy="roadblock/Juno")
    roster = opened.get("").partition('id="roster"')[2].partition("</ul>")[0]
    assert 'aria-label="Strength 4"' in roster
