"""The start page, the table and the sheet, as pages: without a script, for every seat."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import httpx
import pytest
from tests.web.conftest import Market, Running, Visitor
from tests.web.pages.test_fight import between

from referee.client import Client
from referee.forecast.figures import Budget
from referee.web.pages import home
from referee.web.pages.table import forecast, table

if TYPE_CHECKING:
    from tests.web.conftest import Market, Party


class Derelict(NamedTuple):
    """The derelict in a browser each."""

    mo: Visitor
    anna: Visitor
    ben: Visitor
    zoe: Visitor


@pytest.fixture
def derelict(running: Running, party: Party) -> Iterator[Derelict]:
    made = [Visitor(running.address, each.campaign, each.seated.token) for each in party]
    yield Derelict(*made)
    for each in made:
        each.http.close()


def by_hand(derelict: Derelict) -> None:
    """All dice are thrown by hand from now on."""
    table = derelict.mo.table.replace("/table/", "/api/v1/campaigns/")
    assert derelict.mo.http.patch(f"{table}/settings", json={"throws": {"*": "leave it"}}).status_code == 200


@pytest.fixture
def stranger(running: Running) -> Iterator[httpx.Client]:
    """A browser that has no seat yet."""
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=60) as browser:
        yield browser


@pytest.mark.parametrize(
    ("system", "sample", "who"),
    [
        ("yearzero", "roadblock", "Okonkwo"),  # her turn comes first, though Juno stands before her
        ("yearzero", "camp", "Juno"),
        ("distemper", "roadblock", "Ash"),
        ("alien", "derelict", "Brekk"),
        ("dime", "ambush", "Rourke"),
        ("d6", "warehouse", "Mara"),
    ],
)
def test_a_demo_opens_on_whoever_has_the_turn(stranger: httpx.Client, system: str, sample: str, who: str) -> None:
    opened = stranger.post(f"/demo/{system}", data={"sample": sample})
    sheet = between(stranger.get(opened.headers["location"]).text, '<div id="sheet"', "</h2>")
    assert sheet.endswith(f">{who}</a>")


def test_a_demo_goes_on_to_the_next_turn(stranger: httpx.Client) -> None:
    opened = stranger.post("/demo/yearzero", data={"sample": "roadblock"})
    table = opened.headers["location"]
    assert "Okonkwo, it is your turn" in html.unescape(stranger.get(table).text)
    stranger.post(f"{table}/act", data={"action": "end-go", "who": "Okonkwo"})
    assert "Rusk, it is your turn" in html.unescape(stranger.get(table).text)


def test_the_start_page_leads_to_a_demonstration(stranger: httpx.Client) -> None:
    page = stranger.get("/").text
    assert "The derelict" in page
    assert "The roadblock" in page
    opened = stranger.post("/demo/alien", data={"sample": "derelict"})
    assert opened.status_code == 303
    table = stranger.get(opened.headers["location"])
    assert table.status_code == 200
    assert "<h1>The derelict</h1>" in table.text
    assert "Your tables" in stranger.get("/").text


def test_a_table_of_ones_own_with_any_name(stranger: httpx.Client) -> None:
    sent = {"system": "distemper", "name": '<Cold> "Harbour" 🧊 -> x', "master": "Mo & Co"}
    opened = stranger.post("/tables", data=sent)
    page = stranger.get(opened.headers["location"]).text
    assert "<h1>&lt;Cold&gt; &#34;Harbour&#34; 🧊 -&gt; x</h1>" in page
    assert "Mo &amp; Co" in page
    assert "Nobody is here yet." in page


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"code": "nonsense", "name": "Eve"}, "unknown, used up or expired"),
        ({"code": "", "name": ""}, "unknown, used up or expired"),
    ],
)
def test_a_code_that_is_none_is_refused_where_it_was_typed(
    stranger: httpx.Client, sent: dict[str, str], says: str
) -> None:
    answer = stranger.post("/join", data=sent)
    assert answer.status_code == 422
    assert says in answer.text
    assert f'value="{sent["name"]}"' in answer.text


def test_an_invitation_seats_somebody(stranger: httpx.Client, client: Client) -> None:
    mo = client.create("T", "alien", sample="derelict", master="Mo")
    code = mo.invite(controls=["Ripa"]).code
    assert code in stranger.get(f"/join/{code}").text
    joined = stranger.post("/join", data={"code": code, "name": "Anna"})
    assert joined.status_code == 303
    assert "you play Ripa" in stranger.get(joined.headers["location"]).text


@pytest.mark.parametrize("rest", ["", "/live", "/sheet/Ripa", "/ask?question=x", "/chances", "/story?before=3"])
def test_who_has_no_seat_sees_no_table(stranger: httpx.Client, derelict: Derelict, rest: str) -> None:
    answer = stranger.get(f"{derelict.mo.table}{rest}")
    assert answer.status_code == 401
    assert "<!doctype html>" in answer.text
    assert "Ripa" not in answer.text


def test_a_foreign_page_does_nothing_at_a_table(derelict: Derelict) -> None:
    answer = derelict.anna.http.post(
        f"{derelict.anna.table}/say", data={"text": "hello"}, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 403
    assert "hello" not in derelict.mo.get("")


def test_each_seat_gets_its_own_table(derelict: Derelict) -> None:
    assert "ALIEN · game master" in derelict.mo.get("")
    assert "ALIEN · you play Ripa" in derelict.anna.get("")
    watching = derelict.zoe.get("")
    assert "ALIEN · you watch" in watching
    assert 'name="action"' not in watching
    assert 'id="talk"' not in watching


def test_a_player_acts_for_nobody_else(derelict: Derelict) -> None:
    assert "you play Ripa" in derelict.anna.get("?as=Dallow")
    said = derelict.anna.post("/act", 403, action="skill-roll", who="Dallow", arg__skill="Piloting")
    assert "you do not play Dallow" in said


def test_a_roll_is_told_with_its_reasons(derelict: Derelict) -> None:
    by_hand(derelict)
    derelict.anna.post("/act", action="skill-roll", who="Ripa", arg__skill="Observation", arg__mods="+1 lamp")
    derelict.anna.post("/answer", question="Ripa.skill", dice__00=[2, 2, 3, 4, 6, 5, 2, 2], dice__01=[4])
    page = derelict.ben.get("")
    for part in ("<b>Ripa</b> tries Observation.", "Wits +5", "Observation +2", "lamp +1", "stress +1"):
        assert part in page
    assert len(re.findall(r'<(?:span|svg) class="die', page)) == 9
    assert '/rules/alien.basics.skill-roll"' in page


def test_every_refusal_has_its_rule_and_what_would_be_legal(derelict: Derelict) -> None:
    said = derelict.anna.post("/act", 409, action="skill-roll", who="Ripa", arg__skill="Knitting")
    assert "Knitting" in said
    assert "Observation" in said
    said = derelict.anna.post("/act", 409, action="skill-roll", who="Ripa", arg__skill="Survival", arg__helpers="Ripa")
    assert "everybody else helps once" in said
    assert "/rules/alien/alien.basics.helping" in said


def test_our_script_gets_a_refusal_to_put_beside_its_form(derelict: Derelict) -> None:
    answer = derelict.anna.http.post(
        f"{derelict.anna.table}/act",
        data={"action": "skill-roll", "who": "Ripa", "arg-skill": "Survival", "arg-mods": "many"},
        headers={"HX-Request": "true"},
    )
    assert answer.status_code == 422
    assert answer.text.strip().startswith('<div class="problem" role="alert">')
    assert "<html" not in answer.text


def test_our_script_gets_nothing_where_all_is_well(derelict: Derelict) -> None:
    answer = derelict.anna.http.post(
        f"{derelict.anna.table}/say", data={"text": "hello"}, headers={"HX-Request": "true"}
    )
    assert (answer.status_code, answer.text) == (204, "")


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("/act", {"action": "fly"}, 422),
        ("/act", {}, 422),
        ("/answer", {"question": "Ripa.push", "answer": "yes"}, 422),
        ("/answer", {}, 422),
        ("/undo", {"item": "soon"}, 422),
        ("/undo", {"item": "99"}, 422),
        ("/undo", {"item": "9" * 5000}, 422),
        ("/answer", {"question": "Ripa.skill", "dice-00": "x" * 5000}, 422),
        ("/answer", {"question": "Ripa.skill", "dice-00": "9" * 5000}, 422),
        ("/redo", {}, 403),
        ("/resume", {}, 303),
        ("/cancel", {"question": "x"}, 403),
        ("/say", {"text": " "}, 422),
        ("/say", {"text": "x" * 20_001}, 422),
        ("/say", {"text": "a\x00b"}, 422),
        ("/say", {"text": "/roll 99d99999"}, 422),
        ("/say", {"text": "hello", "to": "nobody"}, 422),
    ],
)
def test_bad_forms_are_refused_on_a_page(derelict: Derelict, path: str, fields: dict[str, str], status: int) -> None:
    before = derelict.mo.get("").count("<article")
    answer = derelict.anna.http.post(f"{derelict.anna.table}{path}", data=fields)
    assert answer.status_code == status, html.unescape(answer.text)
    if status >= 400:
        assert "<!doctype html>" in answer.text
        assert "Traceback" not in answer.text
    assert derelict.mo.get("").count("<article") == before


def test_a_page_that_is_not_there_says_so_kindly(stranger: httpx.Client) -> None:
    answer = stranger.get("/nowhere")
    assert answer.status_code == 404
    assert "there is nothing at this address" in answer.text


def test_a_sheet_explains_every_figure(market: Market) -> None:
    page = market.anna.get("/sheet/Ash")
    assert "Ash" in page
    for part in ("Wounds", "Insight Dice", "Init Mod", "why?", "What can be rolled"):
        assert part in page
    assert "Roll" in page
    assert 'name="arg-using"' in page
    assert 'name="arg-using"' not in market.anna.get("/sheet/Bell")  # she does not play Bell
    assert 'name="arg-using"' not in market.zoe.get("/sheet/Ash")


def test_notes_on_a_sheet_are_ones_own(market: Market) -> None:
    market.anna.post("/sheet/Ash/notes", text="Bell owes me. <b>")
    assert "Bell owes me. <b>" in market.anna.get("/sheet/Ash")
    assert "Bell owes me." not in market.zoe.get("/sheet/Ash")
    market.zoe.post("/sheet/Ash/notes", 403, text="hm")


def test_a_sheet_of_nobody_is_not_there(market: Market) -> None:
    assert "nobody of that name is here" in market.anna.get("/sheet/Nobody", 404)


def test_the_odds_stand_on_every_answer(derelict: Derelict) -> None:
    """Of real dice without a six: 7 base and 2 stress dice are thrown again, 1 - (5/6)^9 and 1 - (5/6)^2."""
    by_hand(derelict)
    derelict.anna.post("/act", action="skill-roll", who="Ripa", arg__skill="Observation")
    derelict.anna.post("/answer", question="Ripa.skill", dice__00=[2, 2, 3, 4, 5, 5, 2], dice__01=[4])
    asked = derelict.anna.odds("Ripa.push")
    assert re.findall(r"<b[^>]*>([^<]*)</b>", asked) == ["81 %", "31 %"]
    assert "for certain: failure" in asked
    assert 'title="8124571/10077696"' in asked
    places = re.findall(r'class="odds-here( best)?" id="([^"]*)" data-late', asked)
    assert [best for best, _ in places] == [" best", ""]
    page = derelict.anna.get("")
    assert all(f'<span class="odds-here" id="{place}">' in page for _, place in places)
    assert "<button" not in asked
    derelict.anna.post("/answer", question="Ripa.push", answer="no")
    assert "lets the roll stand." in derelict.mo.get("")


def test_odds_that_do_not_come_at_once_are_asked_for_again(derelict: Derelict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "LOOKS", (Budget(0.0, plays=0), *table.LOOKS[1:]))
    by_hand(derelict)
    derelict.anna.post("/act", action="skill-roll", who="Ripa", arg__skill="Observation")
    derelict.anna.post("/answer", question="Ripa.skill", dice__00=[2, 2, 3, 4, 5, 5, 2], dice__01=[4])
    first = derelict.anna.get("/ask?question=Ripa.push")
    assert "%" not in re.sub("%[0-9A-F]{2}", "", first)
    assert first.count('class="odds pending"') == 2
    assert "too long" not in first
    assert " best" not in first
    assert "again=1" in first
    second = derelict.anna.odds("Ripa.push")
    assert re.findall(r"<b[^>]*>([^<]*)</b>", second) == ["81 %", "31 %"]
    assert "again=" not in second
    derelict.anna.get("/ask?question=Ripa.push&again=3", 422)


def test_a_form_asks_again_too(derelict: Derelict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "LOOKS", (Budget(0.0, plays=0), *table.LOOKS[1:]))
    fields = {"action": "skill-roll", "who": "Ripa", "arg__skill": "Observation"}
    first = derelict.anna.post("/forecast", 200, **fields)
    assert "%" not in first
    assert "/forecast?again=1" in first
    assert "77 %" in derelict.anna.post("/forecast?again=2", 200, **fields)


def test_older_pages_of_the_story_are_there_when_they_are_asked_for(derelict: Derelict) -> None:
    for number in range(70):
        derelict.mo.post("/say", text=f"word {number}")
    page = derelict.anna.get("")
    assert "word 69" in page
    assert "word 5<" not in page
    before = re.search(r"story\?before=(\d+)", page)
    assert before is not None
    assert "word 5<" in derelict.anna.get(f"/story?before={before[1]}")


def test_our_own_files_may_be_kept_and_come_from_us_alone(stranger: httpx.Client) -> None:
    page = stranger.get("/").text
    linked = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(linked) >= 5
    for each in linked:
        answer = stranger.get(html.unescape(each))
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert not re.findall(r'(?:href|src)="(?:https?:)?//', page)
    assert "style=" not in page
    assert "onclick" not in page
    assert stranger.get("/static/../page.py").status_code == 404
    assert stranger.get("/static/%2e%2e/page.py").status_code == 404


def test_a_fault_of_ours_is_told_on_a_page_by_its_number(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()

    def breaks(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(home, "_seats", breaks)
    answer = httpx.get(f"{server.address}/")
    assert answer.status_code == 500
    assert answer.headers["content-type"].startswith("text/html")
    assert re.search(r"nothing was changed \(error [0-9a-f]{8}\)", answer.text)
    assert "secret detail" not in answer.text


# --- rulings and changes ----------------------------------------------------------------------------------------------


def bending(market: Market, how: str) -> None:
    table = f"/api/v1/campaigns/{market.mo.table.rpartition('/')[2]}"
    assert market.mo.http.patch(f"{table}/settings", json={"rulings": {"*": how}}).status_code == 200
    market.anna.post("/act", action="bend-reality", who="Ash", arg__what="A key under the mat.")


def test_a_proposed_ruling_has_its_default_marked_and_one_without_proposal_does_not(market: Market) -> None:
    bending(market, "ask")
    assert re.search(
        r'name="answer" value="yes"><span><span class="option-label">Yes</span> \(default\)</span>',
        market.mo.raw(""),
    )
    market.mo.post("/answer", question="game master.consent", answer="no")
    bending(market, "leave it")
    assert "(default)" not in market.mo.raw("")


def test_a_ruling_by_default_is_told_as_such_and_what_it_cost_in_figures_that_were_true(market: Market) -> None:
    bending(market, "do it")
    for who in (market.mo, market.anna, market.zoe):
        page = who.get("")
        assert "Does the game master consent? yes (the default, taken automatically)." in page
        assert "Ash: Insight Dice <b>2 → 1</b>" in page
        assert "nothing →" not in page


def test_who_dies_dies_in_the_story_the_history_and_the_recap(market: Market) -> None:
    market.mo.post("/act", action="hurt", arg__who="Ash", arg__wp="90", arg__rp="0")
    market.mo.post("/answer", question="Ash.cheat-death", answer="no")
    items = market.mo.http.get(f"/api/v1/campaigns/{market.mo.table.rpartition('/')[2]}/log").json()["items"]
    died = next(item["id"] for item in items if any("dead" in each.get("set", {}) for each in item.get("then", ())))
    for page in ("", "/history", f"/history/{died}", "/history/recap"):
        assert "Ash dies." in market.anna.get(page)
        assert "no → yes" not in market.anna.get(page)
