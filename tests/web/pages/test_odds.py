"""The odds as pages: a check in short or at a table, bars, chart, decisions, advice, two compared, and no secrets."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlencode

import httpx
import pytest
from tests.web.conftest import Running, Visitor

from referee import registry
from referee.client import Client, SeatClient
from referee.core.plain import Plain
from referee.forecast.transport import Query
from referee.web.odds_service import OddsService
from referee.web.pages.odds.advice import when
from referee.web.pages.odds.charts import Chart

if TYPE_CHECKING:
    from tests.web.conftest import Market, Party

Visit: TypeAlias = Callable[[SeatClient], Visitor]
SIXTH = Path(__file__).parent.parent.parent / "sixth"


@pytest.fixture
def reader(running: Running) -> Iterator[httpx.Client]:
    """Somebody who asks without sitting anywhere."""
    with httpx.Client(base_url=running.address, timeout=30) as browser:
        yield browser


@pytest.fixture
def visit(running: Running) -> Iterator[Visit]:
    """A browser for somebody who sits at a table."""
    made: list[Visitor] = []

    def visitor(seat: SeatClient) -> Visitor:
        made.append(Visitor(running.address, seat.campaign, seat.seated.token))
        return made[-1]

    yield visitor
    for each in made:
        each.http.close()


def ask(reader: httpx.Client, path: str, /, **said: str) -> str:
    """A page, as people read it."""
    query = urlencode({name.replace("_", "-"): value for name, value in said.items()})
    found = reader.get(f"{path}?{query}")
    assert found.status_code == 200, found.text
    return html.unescape(found.text)


def chances(page: str) -> dict[str, str]:
    """The first bars of a page: what they are called, and the chance."""
    box = page[page.index('id="outcome-1"') :].partition("</article>")[0]
    rows = re.findall(r'<span class="row-name">([^<]+)</span>.*?<b[^>]*>([^<]+)</b>', box, re.DOTALL)
    return dict(reversed(rows))  # what is hoped for stands first


def twin(page: str) -> dict[str, list[str]]:
    """The chart as its table tells it."""
    table = page[page.index('id="chart-table"') :].partition("</table>")[0]
    rows = re.findall(r'<th scope="row">([^<]+)</th>(.*?)</tr>', table)
    return {at: re.findall(r"<td>([^<]+)</td>", cells) for at, cells in rows}


# --- in short ---------------------------------------------------------------------------------------------------------


def test_a_check_in_short_has_its_chances_with_exact_fractions(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/alien", check="5b3s")
    assert chances(page) == {
        "success": "61 %",
        "failure": "39 %",
        "an extra success": "32 %",
        "a stress response": "42 %",
        "messing up": "21 %",
    }
    assert 'title="76333/124416"' in page
    assert 'href="/rules/alien/alien.basics.skill-roll"' in page


def test_without_messing_up_eight_dice_have_a_six_in_77_of_a_hundred(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/alien", check="5b3sr9")
    assert chances(page)["success"] == "77 %"
    assert chances(page)["messing up"] == "0 %"


def test_bands_that_are_hoped_for_are_told_together_and_apart(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/distemper", check="2d6+3")
    assert chances(page) == {
        "success": "72 %",
        "wild success": "8 %",
        "plain success": "64 %",
        "failure": "25 %",
        "dire failure": "3 %",
        "an Insight Die": "6 %",
    }
    assert 'title="23/36"' in page


def test_the_page_begins_with_an_example(reader: httpx.Client) -> None:
    page = ask(reader, "/odds")
    assert chances(page)["success"] == "61 %"
    assert '<a href="/odds/alien?check=8b0s">8b0s</a>' in page
    assert '<a href="/odds/distemper">Distemper</a>' in page


@pytest.mark.parametrize(
    ("system", "check", "says", "legal"),
    [
        ("alien", "zzz", "“zzz” is no check of ALIEN in short.", "5b3s"),
        ("alien", "5b999s", "1004 dice in one throw; at most 200", ""),
        ("distemper", "2d6+9", "A conditional modifier is -5 to +5", "2d6-5 to 2d6+5"),
    ],
)
def test_what_cannot_be_read_is_said_beside_the_field(
    reader: httpx.Client, system: str, check: str, says: str, legal: str
) -> None:
    page = ask(reader, f"/odds/{system}", check=check)
    box = page[page.index('<div id="check-box"') :].partition("</div></div>")[0]
    assert says in box
    assert legal in box
    assert 'role="alert"' in box
    assert 'aria-describedby="check-box"' in page
    assert "The odds follow as soon as the check can be read." in page


def test_what_is_typed_is_text(reader: httpx.Client) -> None:
    found = reader.get("/odds/alien", params={"check": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in found


def test_an_unknown_system_is_refused_with_those_there_are(reader: httpx.Client) -> None:
    found = reader.get("/odds/chess")
    assert found.status_code == 404
    assert "alien, d6, dime, distemper" in found.text


# --- the chart --------------------------------------------------------------------------------------------------------


def test_the_chart_moves_along_what_is_picked(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/alien", check="5b3s", along="stress", **{"from": "0", "to": "5"})
    assert twin(page) == {
        "0": ["60 %"],
        "1": ["65 %"],
        "2": ["65 %"],
        "3": ["61 %"],
        "4": ["54 %"],
        "5": ["43 %"],
    }
    assert "Chance of success, by Stress" in page


def test_a_modifier_comes_on_top_of_what_is_said(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/distemper", check="2d6+3", **{"from": "-3", "to": "2"})
    assert twin(page) == {
        "−3": ["28 %"],
        "−2": ["42 %"],
        "−1": ["58 %"],
        "0": ["72 %"],
        "+1": ["83 %"],
        "+2": ["92 %"],
    }


def test_decisions_join_the_chart_in_a_while(reader: httpx.Client) -> None:
    said = {"check": "3b1s", "along": "stress", "from": "0", "to": "1"}
    page = ask(reader, "/odds/alien/chart", **said)
    heads = re.findall(r'<th scope="col">([^<]+)</th>', page)
    assert heads == ["Stress", "as it stands", "decided best", "always: Push"]
    assert [len(cells) for cells in twin(page).values()] == [3, 3]
    assert page.count("<polyline") == 3
    assert "<html" not in page


def test_the_chart_is_drawn_without_inline_styles(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/alien", check="5b3s", against="8b0s")
    assert '<svg class="plot"' in page
    assert 'role="img" aria-labelledby="chart-title"' in page
    assert "style=" not in page
    assert "<title>8b0s, Further base dice 0: 77 %</title>" in page


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [("5", "1", "From the lower to the higher"), ("0", "99", "at most 21 steps"), ("x", "2", "Two whole numbers")],
)
def test_a_range_that_cannot_be_is_said_beside_it(reader: httpx.Client, low: str, high: str, says: str) -> None:
    page = ask(reader, "/odds/alien", check="5b3s", along="stress", **{"from": low, "to": high})
    assert says in page[page.index('<div id="range-box"') :]
    assert chances(page)["success"] == "61 %"
    assert 'id="chart-table"' not in page


def test_a_chart_and_its_table_show_what_is_unknown() -> None:
    found = Chart("t", "a", ("1", "2", "3"), {"one": (0.0, None, 1.0), "two": (0.5, 0.5, 0.5)}, "2")
    assert found.rows[1] == ("2", ("–", "50 %"))
    assert "<title>two, a 2: 50 %</title>" in found.plot
    assert [name for name, _ in found.legend] == ["one", "two"]


def test_odds_without_time_say_that_they_take_too_long(reader: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(service: OddsService, table: str, query: Query, *_: object, **__: object) -> Plain:
        return query.without("time").to_plain()

    monkeypatch.setattr(OddsService, "card", late)
    assert "Odds unknown: they take too long." in ask(reader, "/odds/alien", check="5b3s")


# --- what to do -------------------------------------------------------------------------------------------------------


def test_the_plan_says_what_is_best_and_what_it_is_worth(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/alien/plan", check="5b3s")
    assert "success comes to 68 %, against 61 % if nothing is decided." in page
    assert "<b>Push</b> 12 % of the time, for example with base: 5 × blank; stress: 3 × blank." in page
    assert "It brings 54 %, otherwise 0 %." in page
    assert "<b>Let it stand</b>" in page
    assert (
        '<th scope="row">base: 4 × blank, 1 × six; stress: 3 × blank</th><td>12 %</td><td><b>Let it stand</b>' in page
    )
    assert "<h3>Push the roll?</h3>" in page
    assert "54 %" in page[page.index("<h3>Push the roll?</h3>") :]
    assert "<html" not in page


def test_the_page_asks_for_the_plan_by_itself_or_has_it_at_once(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/alien", check="3b1s")
    assert 'hx-get="/odds/alien/plan?check=3b1s" hx-trigger="load"' in page
    assert '<a href="/odds/alien?check=3b1s&whole=1">' in page
    whole = ask(reader, "/odds/alien", check="3b1s", whole="1")
    assert "Decided as well as can be" in whole
    assert "decided best" in whole
    assert 'hx-trigger="load"' not in whole


def test_where_nothing_is_decided_there_is_no_plan(reader: httpx.Client) -> None:
    assert "What to do" not in ask(reader, "/odds/distemper/plan", check="2d6+3")


def test_a_situation_is_told_in_words() -> None:
    assert when({"base": {"blank": 4, "six": 1}, "stress": {}}) == "base: 4 × blank, 1 × six"
    assert when({"faces": [1, 2], "extra": 0, "bonus": []}) == "faces 1 2"
    assert when({"faces": [], "extra": 0}) == ""
    assert when(None) == ""


# --- two compared, and shared -----------------------------------------------------------------------------------------


def test_two_checks_stand_side_by_side_and_in_one_chart(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/distemper", check="2d6+3", against="2d6")
    assert '<div class="outcomes pair">' in page
    assert "2d6+3 is better, by 44 in a hundred." in page
    assert twin(page)["0"] == ["72 %", "28 %"]


def test_equals_are_said_to_be_equal(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/distemper", check="2d6", against="2d6")
    assert "Both are equally good." in page
    assert twin(page)["0"] == ["28 %", "28 %"]


def test_a_bad_comparison_leaves_the_first_standing(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/distemper", check="2d6+3", against="d20")
    assert chances(page)["success"] == "72 %"
    assert "“d20” is no check of Distemper in short." in page[page.index('<div id="against-box"') :]


def test_the_address_says_everything_and_nothing_empty(reader: httpx.Client) -> None:
    said = {"check": "5b3s", "against": "", "along": "stress", "from": "", "to": ""}
    found = reader.get("/odds/alien", params=said, headers={"HX-Request": "true"})
    assert "<html" not in found.text
    assert found.headers["hx-push-url"] == "/odds/alien?check=5b3s&along=stress"
    back = reader.get("/odds/alien", params=said, headers={"HX-Request": "true", "HX-History-Restore-Request": "true"})
    assert "<html" in back.text
    page = ask(reader, "/odds/alien", **said)
    assert '<a class="small" href="/odds/alien?check=5b3s&along=stress">' in page


def test_it_is_a_form_that_needs_no_script(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/alien", check="5b3s")
    assert 'id="odds-form" action="/odds/alien" method="get"' in page
    assert 'form="odds-form" name="along"' in page
    assert '<noscript><input type="hidden" name="whole" value="1"></noscript>' in page


def test_controls_have_labels_and_headings_follow_each_other(reader: httpx.Client) -> None:
    check_labels_and_headings(ask(reader, "/odds/alien", check="5b3s", whole="1"))


@pytest.mark.slow
def test_so_they_do_where_all_actions_are_compared(market: Market) -> None:
    check_labels_and_headings(market.mo.get("/odds?compare=yes&whole=1"))


def check_labels_and_headings(page: str) -> None:
    controls = re.findall(r'<(?:input|select)[^>]*? id="([^"]+)"', page)
    assert len(controls) == len(set(controls))
    levels = [int(each) for each in re.findall(r"<h([1-6])", page)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    for each in re.findall(r"<(?:input|select)[^>]*>", page):
        if 'type="hidden"' not in each:
            assert re.search(rf"<label[^>]*>(?:(?!</label>).)*{re.escape(each)}", page, re.DOTALL), each


# --- at a table -------------------------------------------------------------------------------------------------------


def test_at_a_table_somebodys_action_is_picked(visit: Visit, party: Party) -> None:
    page = visit(party.anna).get("/odds?who=Ripa&action=skill-roll&arg-skill=Observation")
    assert "Ripa: Skill roll, Observation" in page
    assert '<option value="Observation" selected>' in page
    anna = party.anna.odds("skill-roll", "Ripa", skill="Observation")
    assert anna.now is not None
    exact = anna.now["bands"]["success"]["exact"]
    assert f'title="{exact}"' in page


def test_at_a_table_a_check_in_short_goes_first(visit: Visit, party: Party) -> None:
    assert chances(visit(party.anna).get("/odds?check=5b3s&who=Ripa"))["success"] == "61 %"


def test_a_tables_house_rules_apply(visit: Visit, party: Party) -> None:
    anna = visit(party.anna)
    assert chances(anna.get("/odds?check=5b0s"))["success"] == "60 %"
    party.mo.house_rules(set={"alien.basics.skill-roll": {"sixes_needed": 2}})
    assert chances(anna.get("/odds?check=5b0s"))["success"] == "20 %"


def test_modifiers_and_helpers_are_said_as_on_the_form(visit: Visit, party: Party) -> None:
    anna = visit(party.anna)
    plain = chances(anna.get("/odds?who=Ripa&arg-skill=Stamina"))
    helped = anna.get("/odds?who=Ripa&arg-skill=Stamina&arg-mods=%2B2+crowbar,+−1+dark&arg-helpers=Dallow")
    assert chances(helped)["success"] > plain["success"]
    assert re.search(r'value="Dallow" checked', helped)
    assert 'value="+2 crowbar, −1 dark"' in helped


def test_a_bad_modifier_is_said_beside_its_field(visit: Visit, party: Party) -> None:
    page = visit(party.anna).get("/odds?who=Ripa&arg-skill=Stamina&arg-mods=dark")
    assert "Must be a modifier such as '+2 flashlight'" in page[page.index('<div id="arg-mods-box"') :]


def test_what_is_not_legal_now_says_why(visit: Visit, client: Client) -> None:
    mo = client.create("Roadblock", "distemper", sample="roadblock", master="Mo")
    page = visit(mo).get("/odds?who=Ash&action=attack")
    assert "Initiative comes first" in page
    assert re.search(r'class="why" href="/table/\w+/rules/distemper\.', page)


def test_two_actions_are_compared(visit: Visit, party: Party) -> None:
    said = "/odds?who=Ripa&arg-skill=Stamina&compare=yes&vs-who=Dallow&vs-arg-skill=Piloting"
    page = visit(party.zoe).get(said)
    assert "Ripa: Skill roll, Stamina" in page
    assert "Dallow: Skill roll, Piloting" in page
    assert 'name="vs-arg-skill"' in page


def test_who_is_hidden_is_not_known_to_the_odds(visit: Visit, party: Party) -> None:
    party.mo.hide("Brekk")
    page = visit(party.anna).get("/odds?who=Brekk&arg-helpers=Brekk")
    assert 'value="Brekk"' not in page
    assert "Brekk" not in page.replace("who=Brekk&arg-helpers=Brekk", "")
    assert 'value="Brekk"' in visit(party.mo).get("/odds")


def test_a_secret_is_not_a_players_to_say(market: Market) -> None:
    plain = market.anna.get("/odds?who=Ash&action=check&arg-using=Reason")
    said = market.anna.get("/odds?who=Ash&action=check&arg-using=Reason&arg-secret=4")
    assert chances(said) == chances(plain)
    assert "Secret modifier" not in said
    master = market.mo.get("/odds?who=Ash&action=check&arg-using=Reason&arg-secret=4")
    assert chances(master) != chances(plain)


def test_a_stranger_sees_nothing(reader: httpx.Client, market: Market) -> None:
    assert reader.get(f"{market.mo.table}/odds").status_code == 401


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system from outside, with figures that only some may see and no short form."""
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    yield
    registry.load.cache_clear()


@pytest.mark.usefixtures("coin")
def test_a_hidden_figure_is_on_no_players_page(visit: Visit, client: Client) -> None:
    scene = {"ana": {"purse": 5, "mark": "scratched-queen", "nerve": 4711}, "bo": {"purse": 3}}
    mo = client.create("The saloon", "coin", scene=scene, master="Mo")
    bea = client.join(mo.invite(controls=["bo"]).code, "Bea")
    mo.house_rules(options={"coin.toss.marked": True})
    path = "/odds?who=ana&action=toss&arg-bet=1"
    page = visit(bea).get(path)
    assert "It depends on something you are not told: ana: mark." in page
    for secret in ("4711", "scratched-queen", "nerve", "88 %"):
        assert secret not in page
    master = visit(mo).get(path)
    assert chances(master)["won"] == "88 %"
    assert '<option value="nerve"' in master


@pytest.mark.usefixtures("coin")
def test_a_system_without_a_short_form_says_so(reader: httpx.Client) -> None:
    page = ask(reader, "/odds/coin")
    assert "Three coins has no short form." in page
