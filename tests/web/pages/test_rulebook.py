"""The rulebook as pages: search, browsing, every rule with its tables, and as a table plays it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import httpx
import pytest
from tests.web.conftest import Running, Visitor

from referee import registry
from referee.client import Client, SeatClient
from referee.core.printed_book import Entry
from referee.web.pages.book.citations import cited_in, is_of
from referee.web.pages.book.search import excerpt, marked, title_of
from referee.web.pages.book.typesetting import printed

if TYPE_CHECKING:
    from tests.web.conftest import Market, Party

ALIEN = registry.load("alien")
SIXTH = Path(__file__).parent.parent.parent / "sixth"
Visit: TypeAlias = Callable[[SeatClient], Visitor]
FRAGMENT = {"HX-Request": "true"}


@pytest.fixture
def reader(running: Running) -> Iterator[httpx.Client]:
    """Somebody who reads without sitting anywhere."""
    with httpx.Client(base_url=running.address, timeout=60) as browser:
        yield browser


@pytest.fixture
def visit(running: Running) -> Iterator[Callable[[SeatClient], Visitor]]:
    """A browser for somebody who sits at a table."""
    made: list[Visitor] = []

    def visitor(seat: SeatClient) -> Visitor:
        made.append(Visitor(running.address, seat.campaign, seat.seated.token))
        return made[-1]

    yield visitor
    for each in made:
        each.http.close()


def read(reader: httpx.Client, path: str, status: int = 200) -> str:
    found = reader.get(path)
    assert found.status_code == status, found.text
    return found.text


# --- search -----------------------------------------------------------------------------------------------------------


def test_what_was_found_is_marked_with_its_kind_and_chapter(reader: httpx.Client) -> None:
    page = read(reader, "/rules/alien?q=push+stress")
    first = page[page.index('<ol class="leaves">') :].partition("</li>")[0]
    assert "<mark>Pushing</mark> a roll" in first
    assert '<span class="chip">procedure</span>' in first
    assert "Basics / Pushing Your Roll" in first
    assert 'href="/rules/alien/alien.push.procedure"' in first
    assert "rules found, the best first." in page


def test_a_word_of_a_table_shows_the_row_it_stands_in(reader: httpx.Client) -> None:
    page = read(reader, "/rules?q=jumpy")
    assert '<span class="row-hit small"><mark>Jumpy</mark></span>' in page


def test_a_misspelt_word_is_forgiven(reader: httpx.Client) -> None:
    assert "alien.stress.trigger" in read(reader, "/rules?q=trigegr")


def test_what_only_resembles_is_left_out_where_the_word_itself_is_found(reader: httpx.Client) -> None:
    assert "/rules/distemper/" not in read(reader, "/rules?q=push").partition('id="results"')[2]


def test_a_search_of_one_book_finds_nothing_of_another(reader: httpx.Client) -> None:
    page = read(reader, "/rules/distemper?q=panic")
    assert "/rules/distemper/distemper." in page
    assert "/rules/alien/alien." not in page


def test_nothing_found_is_said_with_what_to_try(reader: httpx.Client) -> None:
    page = html.unescape(read(reader, "/rules?q=qqqqqqq"))
    assert "Nothing found for “qqqqqqq”." in page
    assert "Try fewer words" in page


def test_our_script_gets_the_results_alone_and_history_the_whole_page(reader: httpx.Client) -> None:
    part = reader.get("/rules?q=push", headers=FRAGMENT).text
    assert "<html" not in part
    assert "<mark>Pushing</mark>" in part
    assert 'hx-swap-oob="innerHTML:#found"' in part
    whole = reader.get("/rules?q=push", headers={**FRAGMENT, "HX-History-Restore-Request": "true"}).text
    assert "<html" in whole


def test_the_search_is_a_form_that_needs_no_script(reader: httpx.Client) -> None:
    page = read(reader, "/rules")
    form = page[page.index('<form class="search"') :].partition("</form>")[0]
    assert 'role="search" action="/rules" method="get"' in form
    assert 'hx-trigger="input changed delay:150ms, search"' in form
    assert 'hx-push-url="true"' in form
    assert 'role="status"' in page


def test_what_is_searched_for_is_text(reader: httpx.Client) -> None:
    page = read(reader, "/rules?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize(("path", "status"), [("/rules?q=" + "x" * 300, 422), ("/rules?q=%00", 422)])
def test_a_search_beyond_measure_is_refused(reader: httpx.Client, path: str, status: int) -> None:
    read(reader, path, status)


def test_marks_are_of_whole_words_that_begin_so() -> None:
    found = marked("A pushed roll, a push; pu sh", ("push",))
    assert [each.text for each in found if each.hit] == ["pushed", "push"]
    assert "".join(each.text for each in found) == "A pushed roll, a push; pu sh"
    assert [each.text for each in marked("resolve is high", ("reslove",)) if each.hit] == ["resolve"]


def test_an_excerpt_is_where_the_word_is() -> None:
    long = "word " * 100 + "needle and thread " + "word " * 100
    assert excerpt(long, ("needle",)).startswith("… word")
    assert "needle and thread" in excerpt(long, ("needle",))
    assert excerpt(long).startswith("word")
    assert len(excerpt(long)) < 190
    assert excerpt("short") == "short"


# --- browsing ---------------------------------------------------------------------------------------------------------


def test_every_book_is_on_the_shelf(reader: httpx.Client) -> None:
    page = read(reader, "/rules")
    for each in ("ALIEN", "Distemper"):
        assert f">{each}</a></h3>" in page
    assert "16 rules" in page
    assert 'href="/rules/distemper#chapter-panic"' in page


def test_a_book_is_open_at_all_its_chapters(reader: httpx.Client) -> None:
    page = read(reader, "/rules/alien")
    assert '<h2 id="chapter-basics-pushing-your-roll">' in page
    assert page.count('<a class="hit"') == 21


def test_a_large_book_is_opened_chapter_by_chapter(reader: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.web.pages.book.rulebook.MANY", 5)
    page = read(reader, "/rules/alien")
    assert '<a class="hit"' not in page
    assert "Open a chapter, or search." in page
    opened = read(reader, "/rules/alien?chapter=Basics+/+Pushing+Your+Roll")
    assert opened.count('<a class="hit"') == 2


def test_an_unknown_system_is_refused_with_those_there_are(reader: httpx.Client) -> None:
    assert "alien, d6, dime, distemper" in read(reader, "/rules/chess", 404)


# --- a rule -----------------------------------------------------------------------------------------------------------


def test_a_table_is_a_table_in_a_box_that_scrolls(reader: httpx.Client) -> None:
    page = read(reader, "/rules/alien/alien.stress.table")
    box = page[page.index('<div class="scroll leaf"') :].partition("</div>")[0]
    assert 'tabindex="0" role="region" aria-labelledby="table-1"' in box
    assert '<caption class="hide">Stress responses</caption>' in box
    assert '<th scope="col">Result</th><th scope="col">Name</th>' in box
    assert '<th scope="row">0 or less</th><td>Keeping Cool</td>' in box
    assert '<th scope="row">7 or more</th><td>Mess Up</td>' in box
    assert "adds −2, when Wits" in box
    assert '<a href="/rules/alien/alien.push.procedure">Pushing a roll</a>, stress gain, to 2' in box
    assert len(re.findall(r"<table", page)) == len(re.findall(r'<div class="scroll', page))


def test_a_rule_has_its_text_figures_reading_links_and_id(reader: httpx.Client) -> None:
    page = read(reader, "/rules/alien/alien.push.procedure")
    assert "<h1>Pushing a roll</h1>" in page
    assert "one stress die joins the pool" in page
    assert '<th scope="row">Stress gain</th><td>1</td>' in page
    assert "How we read it" in page
    assert "Push the roll?" in page
    names, _, named_by = page.partition('id="named-by"')
    assert 'href="/rules/alien/alien.push.restrictions"' in names
    assert 'href="/rules/alien/alien.basics.skill-roll"' in named_by
    assert '<code class="id">alien.push.procedure</code>' in page


def test_headings_follow_each_other(reader: httpx.Client) -> None:
    for path in ("/rules", "/rules/alien", "/rules?q=push", "/rules/alien/alien.stress.table", "/rules/alien/none"):
        levels = [int(each) for each in re.findall(r"<h([1-6])", reader.get(path).text)]
        assert levels.count(1) == 1, path
        assert all(after <= before + 1 for before, after in pairwise(levels)), (path, levels)


def test_a_helper_is_shown_as_the_rule_it_helps(reader: httpx.Client, market: Market) -> None:
    page = read(reader, "/rules/distemper/distemper.combat.initiative-check/mod")
    assert "<h1>Initiative</h1>" in page
    assert "<h1>Initiative</h1>" in market.anna.get("/rules/distemper.combat.initiative-check/mod")


def test_an_id_that_no_book_has_gets_a_friendly_page(reader: httpx.Client, market: Market) -> None:
    page = read(reader, "/rules/alien/alien.push.prosedure", 404)
    assert "<h1>No such rule</h1>" in page
    assert 'href="/rules/alien/alien.push.procedure"' in page
    assert "Open the rulebook" in page
    ours = market.anna.get("/rules/referee.table.seats")
    assert "This is how the table itself works." in ours


def test_an_unknown_id_is_text(reader: httpx.Client) -> None:
    page = read(reader, "/rules/alien/%3Cscript%3Ealert(1)%3C/script%3E", 404)
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("id_", "title"),
    [
        ("alien.basics.skill-roll", "Skill rolls"),
        ("alien.push.procedure", "Pushing a roll"),
        ("distemper.checks.amod", "Attribute modifier"),
        ("distemper.combat.initiative-check/mod", "Initiative"),
        ("dime.attack.line-of-fire", "Line of fire"),
        ("coin.toss.marked", "Toss marked"),
        ("coin.manners", "Manners"),
    ],
)
def test_a_rule_is_called_as_its_system_says_or_by_its_id(id_: str, title: str) -> None:
    assert title_of(id_) == title


def test_figures_of_every_form_are_set() -> None:
    """As later books have them: lists, things by name, rows in rows, examples."""
    values = {
        "dice": 2,
        "names": ["a", "b"],
        "by_name": {"small": 1, "large": -2},
        "of_more": {"sword": {"harm": 3, "from": 1, "to": 2}, "axe": {"harm": 4}},
        "pairs": [[1, "one"], [2, "two"]],
        "single": {"only": 5},
    }
    examples = ({"given": {"dice": 2}, "expect": {"total": 7}}, "a plain one")
    entry = Entry("alien.push.procedure", "x", "table", "A rule.", values=values, examples=examples)
    found = printed(entry, ALIEN.printed_book)
    figures = {each.name: "".join(span.text for span in each.value) for each in found.figures}
    assert figures == {"Dice": "2", "Names": "a, b", "Single": "only 5"}
    tables = {
        each.caption: [["".join(span.text for span in cell) for cell in line.cells] for line in each.lines]
        for each in found.tables
    }
    assert tables == {
        "By name": [["Small", "1"], ["Large", "−2"]],
        "Of more": [["1 to 2", "Sword", "3"], ["–", "Axe", "4"]],
        "Pairs": [["1", "one"], ["2", "two"]],
    }
    given = ["".join(span.text for span in each) for each, _ in found.examples]
    assert given == ["dice 2", "a plain one"]


@pytest.mark.parametrize("every", [25, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", registry.names())
def test_the_rules_of_a_book_have_their_pages(reader: httpx.Client, name: str, every: int) -> None:
    for id_ in tuple(registry.load(name).printed_book.ids)[::every]:
        assert "<h1>" in read(reader, f"/rules/{name}/{id_}")


# --- as it is played --------------------------------------------------------------------------------------------------


def test_a_tables_own_figures_and_rows_are_told_from_the_printed(visit: Visit, party: Party) -> None:
    party.mo.house_rules(
        set={"alien.push.procedure": {"stress_gain": 2}},
        add={"alien.skills.list": {"skills": [{"name": "Scavenging", "attribute": "Wits"}]}},
    )
    anna = visit(party.anna)
    page = anna.get("/rules/alien.push.procedure")
    assert '<td>2 <span class="chip on">here; printed 1</span></td>' in page
    skills = anna.get("/rules/alien.skills.list")
    assert '<th scope="row">Scavenging</th><td>Wits</td><td><span class="chip on">added here</span></td>' in skills
    assert skills.count("added here") == 1
    assert "ALIEN, as played here" in anna.get("/rules")


def test_a_rule_shows_where_it_was_used(visit: Visit, party: Party) -> None:
    anna = visit(party.anna)
    assert "Not yet, or not lately." in anna.get("/rules/alien.basics.skill-roll")
    party.anna.act("skill-roll", "Ripa", skill="Stamina")
    page = anna.get("/rules/alien.basics.skill-roll")
    used = page[page.index('id="uses"') :]
    assert re.search(rf'href="{anna.table}/history/\d+"', used)
    assert "Ripa" in used
    assert "Not yet" not in used


def test_what_was_undone_is_no_use(visit: Visit, party: Party) -> None:
    party.mo.act("skill-roll", "Ripa", skill="Stamina")
    item = next(each.id for each in party.mo.log().items if each.kind == "began")
    party.mo.undo(item)
    assert "Not yet, or not lately." in visit(party.mo).get("/rules/alien.basics.skill-roll")


def test_a_use_that_a_seat_was_not_told_of_is_not_on_its_page(visit: Visit, client: Client) -> None:
    mo = client.create("Secrets", "distemper", sample="market", master="Mo")
    anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
    mo.act("check", "Ash", using="Reason", hidden=True)
    path = "/rules/distemper.checks.dice-check"
    assert re.search(r'/history/\d+"', visit(mo).get(path))
    assert '<span class="dice"' not in visit(anna).get(path)


def test_citations_are_found_wherever_an_item_has_them() -> None:
    item = {
        "rule": "a.b",
        "then": [{"rules": ["c.d", "e.f"]}, {}],
        "roll": {"mods": [{"rule": "g.h"}, {"rule": ""}]},
        "sub_results": [{"rule": "i.j"}],
    }
    assert [*cited_in(item)] == ["a.b", "c.d", "e.f", "g.h", "i.j"]
    assert [*cited_in({"roll": None, "sub_results": None})] == []
    assert is_of("a.b/helper", "a.b")
    assert not is_of("a.bc", "a.b")


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system from outside, with an optional rule."""
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    yield
    registry.load.cache_clear()


@pytest.mark.usefixtures("coin")
def test_an_optional_rule_says_what_being_off_means(visit: Visit, client: Client, reader: httpx.Client) -> None:
    alone = read(reader, "/rules/coin/coin.toss.marked")
    assert "A table that leaves it off plays as if it were not written." in alone
    mo = client.create("The saloon", "coin", sample="saloon", master="Mo")
    page = visit(mo).get("/rules/coin.toss.marked")
    assert "<b>Off at this table.</b> Play goes on as if it were not written." in page
    assert "off here" in visit(mo).get("/rules")
    mo.house_rules(options={"coin.toss.marked": True})
    assert "<b>On at this table.</b>" in visit(mo).get("/rules/coin.toss.marked")
