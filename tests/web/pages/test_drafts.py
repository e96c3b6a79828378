"""Building a character by forms, without a script: every step, every reason, every purse, from the declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from tests.pictures import png
from tests.web.conftest import Running, Visitor
from tests.web.pages.test_portrait import picture_in, upload

from referee.client import Client


class Hall(NamedTuple):
    mo: Visitor
    ann: Visitor
    bob: Visitor
    gil: Visitor


@pytest.fixture
def hall(systems: None, running: Running, client: Client) -> Iterator[Hall]:
    mo = client.create("The hall", "guild", master="Mo", scene={"Mara": {"xp": 12}})
    ann, bob = (client.join(mo.invite().code, name) for name in ("Ann", "Bob"))
    gil = client.join(mo.invite("spectator").code, "Gil")
    seats = [Visitor(running.address, mo.campaign, each.seated.token) for each in (mo, ann, bob, gil)]
    yield Hall(*seats)
    for each in seats:
        each.http.close()


def begun(seat: Visitor, **fields: str) -> str:
    """Begin a draft; its address at the table."""
    return seat.post("/drafts", **fields).removeprefix(seat.table).partition("?")[0]


def test_a_character_is_built_by_forms_alone(hall: Hall) -> None:
    ann = hall.ann
    assert "Build a character" in ann.get("")
    draft = begun(ann)
    page = ann.get(draft)
    assert "Young" in page
    assert "choose one" in page
    assert "choose an age first" in ann.get(f"{draft}?step=traits")
    assert ann.post(f"{draft}/answer", step="age", field="age", answer="Young").endswith("step=age")
    page = ann.get(f"{draft}?step=traits")
    assert "of 6 points left" in page
    assert "What are you made of?" in page
    for name, level in (("Brawn", 4), ("Wits", 3), ("Grace", 2)):
        ann.post(f"{draft}/answer", step="traits", field="traits", level=f"{level} {name}")
    page = ann.get(f"{draft}?step=traits")
    assert "costs 1, nothing left" in page
    assert "needs Grace 3" in ann.get(f"{draft}?step=trade")
    ann.post(f"{draft}/answer", step="trade", field="trade", toggle="Smith")
    assert re.search(r'aria-pressed="true"[^>]*>.*?Smith', ann.raw(f"{draft}?step=trade"), re.DOTALL)
    assert "Roll 2 d6" in ann.get(f"{draft}?step=gear")
    ann.post(f"{draft}/roll", step="gear", field="purse")
    assert "These dice are kept." in ann.get(f"{draft}?step=gear")
    ann.post(f"{draft}/answer", step="gear", field="tools", own="a bag of nails")
    assert "a bag of nails" in ann.get(f"{draft}?step=gear")
    where = ann.post(f"{draft}/texts", step="person", go="name", t__secret="I cannot read.", t__motto="")
    assert where.endswith("step=name")
    assert ann.post(f"{draft}/texts", step="name", go="finish", t__name="Tam") == ann.table
    assert "Tam" in ann.get("/sheet/Tam")
    assert "Finished, and in the story." in ann.get("/drafts")
    assert ann.http.get(f"{ann.table}{draft}").headers["location"] == f"{ann.table}/drafts"
    assert "joins the story" in hall.bob.get("")
    assert "I cannot read." not in hall.bob.get("/sheet/Tam")


def test_what_is_refused_is_said_on_the_step_with_its_rule(hall: Hall) -> None:
    ann = hall.ann
    draft = begun(ann)
    ann.post(f"{draft}/answer", step="age", field="age", answer="Young")
    page = ann.post(f"{draft}/answer", 422, step="traits", field="traits", level="99 Brawn")
    assert "a trait is 1 to 4" in page
    assert "/rules/guild.creation.traits" in page
    assert "What are you made of?" in page
    page = ann.post(f"{draft}/texts", 422, step="name", go="finish", t__name="Tam")
    assert "points: 6 left to spend" in page
    assert 'value="Tam"' in page  # the text was saved all the same


def test_ticking_another_replaces_where_only_one_may_be_ticked(hall: Hall) -> None:
    draft = begun(hall.ann)
    for flaw in ("Vain", "Slow"):
        hall.ann.post(f"{draft}/answer", step="traits", field="flaws", toggle=flaw)
    page = hall.ann.raw(f"{draft}?step=traits")
    assert re.findall(r'value="(Vain|Slow)"[^>]*aria-pressed="(true|false)"', page) == [
        ("Slow", "true"),
        ("Vain", "false"),
    ]
    hall.ann.post(f"{draft}/answer", step="traits", field="flaws", toggle="Slow")
    assert 'aria-pressed="true"' not in hall.ann.raw(f"{draft}?step=traits")


def test_the_list_tells_progress_and_the_game_master_sees_everybodys(hall: Hall) -> None:
    draft = begun(hall.ann, template="Journeyman")
    assert "Coins: roll the dice" in hall.ann.get("/drafts")
    assert "Ann’s draft" in hall.mo.get("/drafts")
    assert "Ann’s draft" in hall.mo.get(draft)
    assert "You are not building a character yet" in hall.bob.get("/drafts")
    assert "you have no such draft" in hall.bob.get(draft, 422)
    hall.ann.post(f"{draft}/discard")
    assert "You are not building a character yet" in hall.ann.get("/drafts")


def test_random_is_the_same_steps_answered_by_chance(hall: Hall) -> None:
    assert "/master/add/random" in hall.mo.raw("/master/add")
    draft = begun(hall.mo, chance="yes")
    page = hall.mo.get(draft)
    assert "Still to choose" in page
    assert "Secret: write something" in page
    assert "points" not in page.partition("Still to choose")[2].partition("</ul>")[0]


def test_the_game_master_finishes_in_hiding(hall: Hall) -> None:
    draft = begun(hall.mo, chance="yes")
    hall.mo.post(f"{draft}/texts", step="person", go="name", t__secret="x")
    hall.mo.post(f"{draft}/texts", step="name", go="name", t__name="Spy")
    hall.mo.post(f"{draft}/finish", step="name", hidden="yes")
    assert "Spy" in hall.mo.get("/master")
    assert "Spy" not in hall.ann.get("")


def test_a_spectator_builds_nobody(hall: Hall) -> None:
    assert "Build a character" not in hall.gil.get("")
    assert 'name="chance"' not in hall.gil.get("/drafts")
    hall.gil.post("/drafts", 403)


def test_growth_begins_from_the_list(hall: Hall, client: Client) -> None:
    assert "Advance a character" not in hall.ann.get("/drafts")
    draft = begun(hall.mo, character="Mara")
    page = hall.mo.get(draft)
    assert "of 12 left after the plan" in page
    hall.mo.post(f"{draft}/answer", step="traits", field="traits", level="2 Wits")
    assert hall.mo.post(f"{draft}/finish", step="traits") == hall.mo.table
    assert "has advanced" in hall.ann.get("")


def test_names_and_texts_are_escaped(hall: Hall) -> None:
    draft = begun(hall.ann)
    hall.ann.post(f"{draft}/texts", step="name", go="name", t__name="<b>Tam</b>")
    for page in (draft, "/drafts"):
        assert "<b>Tam</b>" not in hall.ann.raw(page)
        assert "&lt;b&gt;Tam" in hall.ann.raw(page)


def test_an_unknown_step_is_the_first(hall: Hall) -> None:
    draft = begun(hall.ann)
    assert '<h1 id="asked">Age</h1>' in hall.ann.raw(f"{draft}?step=magic")


def test_a_system_without_steps_says_so(systems: None, running: Running, client: Client) -> None:
    mo = client.create("The den", "den", master="Mo", scene={})
    page = Visitor(running.address, mo.campaign, mo.seated.token)
    assert "has no steps to build a character by" in page.get("/drafts")
    assert 'name="chance"' not in page.get("/master")
    page.http.close()


def test_the_last_answer_can_be_taken_back(hall: Hall) -> None:
    ann = hall.ann
    draft = begun(ann)
    assert "Undo the last change" not in ann.get(draft)
    ann.post(f"{draft}/answer", step="age", field="age", answer="Young")
    ann.post(f"{draft}/answer", step="traits", field="traits", level="4 Brawn")
    page = ann.get(f"{draft}?step=traits")
    assert "Undo the last change: Brawn" in page
    assert "1 → 4" in page
    ann.post(f"{draft}/undo", step="traits")
    assert "of 6 points left" in (page := ann.get(f"{draft}?step=traits"))
    assert "1 → 4" not in page
    ann.post(f"{draft}/answer", step="age", field="age", answer="Old")
    ann.post(f"{draft}/undo", step="age")
    assert re.search(r'aria-pressed="true"[^>]*>.*?Young', ann.raw(draft), re.DOTALL)


def test_the_game_master_sees_at_the_table_how_far_a_draft_is(hall: Hall) -> None:
    draft = begun(hall.ann)
    before = re.search(r"Ann, (\d) of (\d) steps done", hall.mo.get(""))
    assert before
    hall.ann.post(f"{draft}/answer", step="age", field="age", answer="Young")
    assert f"Ann, {int(before[1]) + 1} of {before[2]} steps done" in hall.mo.get("")
    assert f"{int(before[1]) + 1} of {before[2]} steps done" in hall.ann.get("")
    assert "steps done" not in hall.bob.get("")


def test_a_picture_goes_with_the_draft_to_the_character(hall: Hall) -> None:
    draft = begun(hall.ann, template="Journeyman", chance="yes")
    upload(hall.ann, png(8, 8), draft=draft.rpartition("/")[2])
    hall.bob.get(f"/portrait?draft={draft.rpartition('/')[2]}", 422)
    where = picture_in(hall.ann.raw(draft))
    assert where
    assert hall.bob.http.get(where).status_code == 404
    hall.ann.post(f"{draft}/texts", step="person", go="name", t__secret="I cannot read.", t__motto="")
    hall.ann.post(f"{draft}/texts", step="name", go="finish", t__name="Tam")
    assert picture_in(hall.bob.raw("/sheet/Tam")) == where
    assert hall.bob.http.get(where).status_code == 200


def test_the_chance_of_a_plain_roll_stands_beside_each_level(running: Running, client: Client) -> None:
    mo = client.create("The ship", "alien", master="Mo")
    seat = Visitor(running.address, mo.campaign, mo.seated.token)
    draft = begun(seat)
    for name, level in (("Strength", 3), ("Agility", 5)):
        seat.post(f"{draft}/answer", step="attributes", field="attributes", level=f"{level} {name}")
    seat.post(f"{draft}/answer", step="skills", field="skills", level="2 Mobility")
    assert f'hx-get="{seat.table}{draft}/chances?step=skills"' in seat.raw(f"{draft}?step=skills")
    found = dict(re.findall(r'id="chance-skills-([^"]+)" data-late>([^<]*)<', seat.raw(f"{draft}/chances?step=skills")))
    assert found["Mobility"] == "72 %"  # a 6 with seven dice: 1 - (5/6) ** 7
    assert found["Heavy%20Machinery"] == "42 %"  # with three
    assert "hx-get" not in seat.raw(f"{draft}?step=name").partition('class="ask-step"')[2].partition(">")[0]
    seat.http.close()


def note_of(page: str) -> str:
    """What is named above the button that finishes."""
    return page.partition('class="leaf pad left-over"')[2].partition("</div>")[0]


def test_points_and_steps_that_are_left_are_named_before_finish(running: Running, client: Client) -> None:
    mo = client.create("The office", "d6", master="Mo")
    seat = Visitor(running.address, mo.campaign, mo.seated.token)
    draft = begun(seat)
    page = seat.raw(f"{draft}?step=name")
    assert "Template: choose one" in note_of(page)
    assert ">Finish</button>" in page
    seat.post(f"{draft}/answer", step="template", field="template", answer="own design")
    assert note_of(seat.raw(f"{draft}?step=skills")) == ""
    page = seat.raw(f"{draft}?step=name")
    assert "30 Creation Points are left. They become Character Points." in note_of(page)
    assert re.findall(r"step=([a-z-]+)", note_of(page)) == ["skills", "merits-and-flaws", "equipment"]
    assert ">Finish anyway</button>" in page
    seat.post(f"{draft}/answer", step="skills", field="skills", level="6 Search")
    assert "24 Creation Points are left." in note_of(seat.raw(f"{draft}?step=name"))
    assert seat.post(f"{draft}/texts", step="name", go="finish", t__name="Ines") == seat.table
    seat.http.close()


def test_nothing_is_named_where_nothing_is_left(running: Running, client: Client) -> None:
    mo = client.create("The ship", "alien", master="Mo")
    seat = Visitor(running.address, mo.campaign, mo.seated.token)
    draft = begun(seat, chance="yes")
    page = seat.raw(f"{draft}?step=name")
    assert note_of(page) == ""
    assert ">Finish</button>" in page
    seat.http.close()


def test_a_price_stands_on_the_button_that_spends_it(running: Running, client: Client) -> None:
    mo = client.create("The road", "yearzero", master="Mo")
    seat = Visitor(running.address, mo.campaign, mo.seated.token)
    draft = begun(seat)
    seat.post(f"{draft}/answer", step="age", field="age", answer="Adult")
    page = seat.raw(f"{draft}?step=skills")
    melee = r'id="more-skills-Melee" aria-label="Melee, one more, costs 1 skill point">\+<small>1</small>'
    assert re.search(melee, page)
    seat.http.close()


def test_what_can_be_paid_says_its_price_and_what_cannot_says_why(running: Running, client: Client) -> None:
    mo = client.create("The town", "dime", master="Mo")
    seat = Visitor(running.address, mo.campaign, mo.seated.token)
    draft = begun(seat)
    assert "Cost 4 is too much for Wealth 0" in seat.get(f"{draft}?step=equipment")
    seat.post(f"{draft}/answer", step="equipment", field="money", level="3 Wealth")
    page = seat.get(f"{draft}?step=equipment")
    assert "costs 1 Wealth" in page
    assert "of 3 Wealth left" in page
    seat.post(f"{draft}/answer", step="equipment", field="equipment", toggle="six-shooter")
    assert "<b>2</b><span>of 3 Wealth left" in seat.raw(f"{draft}?step=equipment")
    assert "Wealth" not in note_of(seat.raw(f"{draft}?step=name"))
    seat.http.close()


@pytest.mark.parametrize(
    ("system", "step", "says"),
    [
        ("alien", "skills", "at least one six in a roll of it with what is in hand, before any push"),
        ("distemper", "skills", "success in a check of it, with two dice and its own modifiers"),
        ("yearzero", "skills", "at least one six in a roll of it, with no gear and before any push"),
        ("d6", "skills", "a roll of it against difficulty 15"),
    ],
)
def test_the_page_says_what_its_chances_are_about(
    running: Running, client: Client, system: str, step: str, says: str
) -> None:
    mo = client.create("The table", system, master="Mo")
    seat = Visitor(running.address, mo.campaign, mo.seated.token)
    draft = begun(seat)
    assert f"The % beside a line: {says}" in seat.get(f"{draft}?step={step}")
    assert "The % beside" not in seat.get(f"{draft}?step=name")
    seat.http.close()


def test_how_many_are_chosen_is_counted_where_only_a_few_may_be(running: Running, client: Client) -> None:
    mo = client.create("The ship", "alien", master="Mo")
    seat = Visitor(running.address, mo.campaign, mo.seated.token)
    draft = begun(seat)
    assert "0 of 2 chosen" in seat.get(f"{draft}?step=gear")
    seat.post(f"{draft}/answer", step="gear", field="gear", toggle="Combat Knife")
    assert "1 of 2 chosen" in seat.get(f"{draft}?step=gear")
    seat.post(f"{draft}/answer", step="gear", field="gear", toggle="Fire Axe")
    page = seat.get(f"{draft}?step=gear")
    assert "2 of 2 chosen" in page
    assert "at most 2" not in page  # it need not stand beside every other weapon
    seat.http.close()
