"""Options on the pages: grouped by chapter, their choices in words; what depends on one comes and goes with it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import httpx
import pytest
from tests.web.conftest import Running, Visitor

from referee import registry
from referee.client import ApiError, Client, SeatClient
from referee.core.errors import RulebookError
from referee.core.look import Look, Vital

LUCK = "fair.luck.luck"
ORDER = "fair.throw.order"


@pytest.fixture
def seat(client: Client, systems: None) -> SeatClient:
    return client.create("The meadow", "fair", sample="meadow", master="Mo")


@pytest.fixture
def mo(running: Running, seat: SeatClient) -> Iterator[Visitor]:
    browser = Visitor(running.address, seat.campaign, seat.seated.token)
    yield browser
    browser.http.close()


def options_on(page: str) -> str:
    section = page[page.index('<section class="stack" aria-labelledby="options">') :]
    return section[: section.index("</section>")]


def test_options_stand_by_chapter_with_their_choices_in_words(mo: Visitor) -> None:
    section = options_on(mo.get("/master/rules"))
    assert re.findall(r"<h3>(.*?)</h3>", section) == ["Throwing", "Luck"]
    assert re.findall(r'name="choice" value="(\w+)"( checked)?> ([^<]+)<', section) == [
        ("off", " checked", "Not used"),
        ("again", "", "It is thrown again."),
        ("lost", "", "It loses a second coin."),
        ("young", " checked", "The youngest."),
        ("old", "", "The oldest."),
    ]
    assert "Not together with Luck luck." in section
    assert "Only with Luck luck, Throw one." in section
    assert "Not together with Throw one: It loses a second coin." in section
    assert section.count("Turn it on") == 3


def test_a_choice_is_previewed_made_and_put_back(mo: Visitor) -> None:
    shown = mo.post("/master/rules/preview", 200, option=ORDER, choice="old")
    assert "Throw order: <b>The oldest.</b>" in shown
    assert '<input type="hidden" name="choice" value="old">' in shown
    mo.post("/master/rules", option=ORDER, choice="old")
    page = mo.get("/master/rules")
    assert 'value="old" checked> The oldest.' in page
    assert ">Throw order</a> <b>The oldest.</b>" in page
    mo.post("/master/rules/as-printed", rule=ORDER, path="")
    assert 'value="young" checked> The youngest.' in mo.get("/master/rules")
    assert "Everything is as printed." in mo.get("/master/rules")


def test_two_that_exclude_each_other_are_refused_on_the_page(mo: Visitor) -> None:
    mo.post("/master/rules", option=LUCK, on="yes")
    text = mo.post("/master/rules", 409, option="fair.luck.doom", on="yes")
    assert "fair.luck.doom and fair.luck.luck cannot be used together" in text


def test_field_action_and_look_come_and_go_with_the_option(mo: Visitor) -> None:
    def seen() -> tuple[bool, bool, bool, bool, bool]:
        table, sheet = mo.get("?as=ana"), mo.get("/sheet/ana")
        form = mo.get("/master/person?name=ana"), mo.get("/master/person")
        return (
            "Push your luck" in table,
            "Luck left" in table + sheet,
            "luck" in sheet.casefold(),
            'name="f-luck"' in form[0],
            'name="f-luck"' in form[1],
        )

    assert seen() == (False,) * 5
    mo.post("/master/rules", option=LUCK, on="yes")
    assert seen() == (True,) * 5
    mo.post("/master/rules", option=LUCK, on="no")
    assert seen() == (False,) * 5


def test_a_figure_of_a_rule_that_is_not_used_is_not_drawn(mo: Visitor) -> None:
    assert "Steps closer" not in mo.get("/sheet/ana")
    mo.post("/master/rules", option=ORDER, choice="old")
    assert "Steps closer" in mo.get("/sheet/ana")


def test_a_forced_action_is_refused_with_the_reason(mo: Visitor) -> None:
    text = mo.post("/act", 409, action="push", who="ana")
    assert "the optional rule fair.luck.luck is not used at this table" in text


def test_the_rule_itself_says_how_it_is_played(mo: Visitor) -> None:
    page = mo.get(f"/rules/{ORDER}")
    assert re.search(r"The youngest\. <span class=\"chip on\">", page)
    assert "<b>Off at this table.</b>" in mo.get("/rules/fair.luck.push")


def test_a_new_table_is_opened_with_its_options(running: Running, systems: None) -> None:
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=30) as browser:
        page = html.unescape(browser.post("/tables", data={"system": "fair", "choose": "yes"}).text)
        assert '<select name="choice-fair.throw.order"><option value="young" selected>The youngest.' in page
        form = {"system": "fair", "sample": "meadow", "option": LUCK, f"choice-{ORDER}": "old"}
        table = browser.post("/tables", data=form).headers["location"].split("?")[0]
        rules = html.unescape(browser.get(f"{table}/master/rules").text)
        assert 'value="old" checked> The oldest.' in rules
        assert "Turn it off" in rules
        assert "Luck left" in browser.get(f"{table}/sheet/ana").text
        wrong = browser.post("/tables", data={"system": "fair", "option": [LUCK, "fair.luck.doom"]})
        assert (wrong.status_code, "cannot be used together" in wrong.text) == (409, True)


def test_programs_choose_and_read_options_too(client: Client, seat: SeatClient) -> None:
    options = {each["id"]: each for each in client.system("fair").options}
    assert options["fair.throw.one"]["choices"] == {
        "again": "It is thrown again.",
        "lost": "It loses a second coin.",
    }
    assert options["fair.luck.doom"]["excludes"] == [LUCK]
    (sheet,) = (each for each in client.system("fair").sheets if each["kind"] == "Guest")
    assert [field["option"] for field in sheet["fields"]] == [None, LUCK]
    seat.house_rules(options={"fair.throw.one": "lost", LUCK: True})
    rules = {each.id: (each.on, each.choice) for each in seat.rules()}
    assert (rules["fair.throw.one"], rules[ORDER]) == ((True, "lost"), (True, "young"))
    assert (rules["fair.luck.push"], rules["fair.luck.doom"]) == ((True, None), (False, None))
    with pytest.raises(ApiError, match="cannot be used together"):
        seat.house_rules(options={"fair.luck.doom": True})


def test_the_game_master_reads_what_the_book_does_not_allow(client: Client, mo: Visitor, seat: SeatClient) -> None:
    anna = client.join(seat.invite(controls=["bo"]).code, "Anna")
    anna.act("debt", "bo")
    told = (
        "The book does not allow this for bo: bo: coins: bo has -1 (fair.debts.none). It stands; change it if you like."
    )
    assert told in mo.get("")
    assert "does not allow" not in str(anna.log().items)


def test_a_look_that_names_no_option_is_an_error(systems: None) -> None:
    assert registry.load("fair").look.options == {LUCK, "fair.throw.order=old"}
    look = Look(vitals=(Vital("Luck", "luck", option="fair.luck.luk"),))
    (wrong,) = look.options
    book = registry.load("fair").printed_book
    with pytest.raises(RulebookError, match=r"look\.yaml: option: 'fair\.luck\.luk' is not known; did you mean"):
        book.check_option("look.yaml: option", wrong)
