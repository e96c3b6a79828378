"""The game master's pages, by forms as a browser without scripts sends them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from fastapi.routing import APIRoute
from tests.pictures import png
from tests.web.conftest import Visitor

from referee import registry
from referee.client import Client
from referee.web.demo import samples
from referee.web.pages import master_routes
from referee.web.pages.forms import Form
from referee.web.pages.master.fields import Blank, blanks, changed

if TYPE_CHECKING:
    from tests.web.conftest import Market, Running

PNG = png()
SCRIPT = "<script>alert(1)</script> \N{WOLF FACE} ->"
PAGES = ("/master", "/master/person", "/master/seats", "/master/rules", "/master/table", "/history/audit")
FORMS = (
    "/master/time/on",
    "/distance",
    "/history/0/fork",
    "/history/recap",
    "/master/add",
    "/master/add/random",
    "/master/backup",
    "/master/encounter",
    "/master/encounter/drop",
    "/master/encounter/end",
    "/master/encounter/part",
    "/master/encounter/prepare",
    "/master/encounter/prepared",
    "/master/encounter/sample",
    "/master/encounter/play",
    "/master/expose",
    "/master/hand-over",
    "/master/hide",
    "/master/invitations",
    "/master/invitations/0/revoke",
    "/master/person",
    "/master/remove",
    "/master/rename",
    "/master/restore",
    "/master/resume",
    "/master/reveal",
    "/master/rules",
    "/master/rules/as-printed",
    "/master/rules/preview",
    "/master/seats/0",
    "/master/seats/0/dismiss",
    "/master/seats/0/link",
    "/master/settings",
    "/master/show",
    "/master/stop",
    "/master/time",
    "/zones/place",
    "/zones/map",
    "/journey/map",
)


def seat_form(name: str, role: str, **more: object) -> dict[str, object]:
    return {"name": name, "role": role, **more}


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_are_the_game_masters(market: Market, page: str) -> None:
    assert market.mo.get(page)
    for other in (market.anna, market.zoe):
        assert "game master" in other.get(page, 403)


@pytest.mark.parametrize("form", FORMS)
def test_a_player_is_refused_whatever_the_form(market: Market, form: str) -> None:
    text = market.anna.post(form, 403, name="Bell", text="x", what="table", kind="Fight", amount="1", band="1")
    assert "game master" in text


def test_every_form_of_the_game_masters_is_tried_by_a_player() -> None:
    routes = [route for route in master_routes() if isinstance(route, APIRoute)]
    masters = {route.path.removeprefix("/table/{campaign}") for route in routes if "POST" in (route.methods or ())}
    tried = {re.sub(r"/0(?=/|$)", "/{}", each) for each in FORMS}
    assert {re.sub(r"\{[^}]*\}", "{}", each) for each in masters} <= tried


def test_who_has_no_seat_is_asked_to_join(running: Running, market: Market) -> None:
    from httpx import get

    assert get(f"{running.address}{market.mo.table}/master").status_code == 401


# --- people and scenes ------------------------------------------------------------------------------------------------


def test_somebody_is_brought_in_by_a_sheet(market: Market) -> None:
    to = market.mo.post(
        "/master/person",
        new="yes",
        name="Cole",
        **{
            "f-player": "no",
            "f-wp": "7",
            "f-wp_full": "9",
            "f-attributes.Dexterity": "2",
            "f-attributes.Reason": "",
            "f-skills.Stealth": "1",
            "f-items.0.name": "knife",
            "f-items.0.wp": "2",
            "f-items.1.name": "",
        },
    )
    assert to == f"{market.mo.table}/master?said=brought"
    assert "Everyone sees them" in market.mo.get("/master?said=brought")
    assert "Cole appears." in market.anna.get("")
    sheet = market.mo.raw("/master/person?name=Cole")
    assert 'name="f-wp" value="7"' in sheet
    assert 'name="f-attributes.Dexterity" value="2"' in sheet
    assert 'name="f-attributes.Reason" value=""' in sheet
    assert 'name="f-items.0.name" value="knife"' in sheet


def test_a_sheet_the_book_does_not_allow_is_refused(market: Market) -> None:
    text = market.mo.post("/master/person", 422, new="yes", name="Cole", **{"f-attributes.Dexterity": "99"})
    assert "99 is out of range" in text
    assert "Cole" not in market.mo.get("/master")


def test_a_number_that_is_none_is_told_so(market: Market) -> None:
    assert "must be a whole number" in market.mo.post("/master/person", 422, name="Bell", **{"f-wp": "many"})


@pytest.mark.parametrize(
    ("name", "why"), [("", "1 to 60 characters"), ("Bell", "already"), ("effects", "reserved name")]
)
def test_a_name_has_to_be_free(market: Market, name: str, why: str) -> None:
    assert why in market.mo.post("/master/person", 422, new="yes", name=name)
    assert why in market.mo.post("/master/person", 422, new="yes", name=name, hidden="yes")


def test_only_what_changed_of_somebody_is_set(market: Market) -> None:
    market.mo.post("/master/person", name="Bell", **{"f-wp": "4", "f-wp_full": "10", "f-dead": "no"})
    assert "Bell: Wounds 10 → 4" in re.sub(r"<[^>]+>", "", market.anna.get(""))
    assert "Mo edits Bell." in market.anna.get("")
    before = market.anna.get("/history").count("edits Bell")
    market.mo.post("/master/person", name="Bell", **{"f-wp": "4"})
    assert market.anna.get("/history").count("edits Bell") == before


def test_a_row_without_a_name_is_taken_away(market: Market) -> None:
    market.mo.post("/master/person", name="Bell", **{"f-items.0.name": ""})
    assert 'value="axe">' not in market.mo.raw("/master/person?name=Bell").partition("+pick")[0]


def sent(form: Iterable[Blank]) -> dict[str, list[str]]:
    """What a browser sends of a form that nobody has touched."""
    fields: dict[str, list[str]] = {}
    for each in form:
        if each.kind == "check":
            fields[each.field] = ["no", "yes"] if each.value else ["no"]
        elif each.kind == "rows":
            for row in each.rows:
                fields |= sent(row.blanks)
        else:
            fields |= {level.field: [level.value] for level in each.levels} or {each.field: [each.value]}
    return fields


@pytest.mark.parametrize("system", ["alien", "distemper"])
def test_a_form_that_nobody_touched_says_what_was_there(system: str) -> None:
    known = registry.load(system)
    lasting = {"number": 0, "on": "Ash", "effect": {"adds": -3}, "source": "Rain", "rule": "x", "against": None}
    more = {"effects": {"kind": "Effects", "lasting": [lasting], "used": [["Ash", "a", "b", 1]], "count": {"Ash": 1}}}
    for _, scene in samples(system).values():
        for plain in ({**scene, **more}).values():
            kind = known.kind(str(plain["kind"]))
            if is_dataclass(kind):
                whole = {name: value for name, value in known.plain_value(known.value(plain)).items() if name != "kind"}
                form = blanks(kind, whole, str.title, lambda _: ("Reason", "Wits"))
                assert changed(kind, Form(sent(form)), whole) == {}


def test_a_copy_has_a_name_that_is_free(market: Market) -> None:
    assert 'name="name" value="trader 2"' in market.mo.raw("/master/person?copy=scene/trader")
    assert 'name="name" value="raider"' in market.mo.raw("/master/person?copy=roadblock/raider")
    assert 'name="f-items.0.name" value="machete"' in market.mo.raw("/master/person?copy=roadblock/raider")
    assert "not known" in market.mo.get("/master/person?copy=roadblock/nobody", 422)


def test_who_is_prepared_in_hiding_is_nowhere_until_shown(market: Market) -> None:
    told = market.anna.get("/history")
    market.mo.post("/master/person", new="yes", name="Stalker", hidden="yes", **{"f-player": "no"})
    assert "hidden" in market.mo.get("/master")
    for page in ("", "/history", "/history/recap", "/history/recap.md"):
        assert "Stalker" not in market.anna.get(page)
    assert market.anna.get("/history") == told
    market.mo.post("/master/show", name="Stalker")
    assert "Stalker appears." in market.anna.get("")
    market.mo.post("/master/hide", name="Stalker")
    assert "Stalker is gone." in market.anna.get("")


def test_somebody_is_taken_out_and_house_things_are_not(market: Market) -> None:
    market.mo.post("/master/remove", name="trader")
    assert "Trader is gone." in market.anna.get("")
    assert "every scene needs it" in market.mo.post("/master/remove", 422, name="clock")


def test_names_are_escaped(market: Market) -> None:
    market.mo.post("/master/person", new="yes", name=SCRIPT)
    for page in ("/master", "/master/seats", "/history", "/history/recap", "/master/person?name=" + SCRIPT):
        raw = market.mo.raw(page)
        assert "<script>alert" not in raw
        assert "&lt;script&gt;alert(1)&lt;/script&gt; \N{WOLF FACE} -&gt;" in raw


def test_a_fight_begins_with_two_sides_and_ends(market: Market) -> None:
    sides = {"side-Ash": "1", "side-Bell": "", "side-trader": "2"}
    assert "two sides" in market.mo.post("/master/encounter", 422, kind="Fight", **{"side-Ash": "1"})
    assert market.mo.post("/master/encounter", kind="Fight", **sides).endswith("said=began")
    page = market.mo.get("/master")
    assert 'Ash <span class="quiet">against</span> trader' in page
    assert "Ash and trader" in page
    assert "already" in market.mo.post("/master/encounter", 422, kind="Fight", **sides)
    market.mo.post("/master/encounter/end", name="fight")
    assert "Start: The fight" in market.mo.get("/master")
    assert "not known" in market.mo.post("/master/encounter/end", 422, name="trader")


def test_a_distance_is_set_between_two_who_fight(market: Market) -> None:
    market.mo.post("/master/encounter", kind="Fight", **{"side-Ash": "1", "side-trader": "2"})
    assert market.mo.post("/distance", encounter="fight", pair="Ash trader", band="3") == market.mo.table
    assert 'value="Ash trader"' in market.mo.raw("/master")
    assert 'name="band" min="0" max="9" value="3"' in market.mo.raw("/master")
    assert "0 to 9" in market.mo.post("/distance", 422, encounter="fight", pair="Ash trader", band="10")
    assert "not known" in market.mo.post("/distance", 422, encounter="fight", pair="trader Ash", band="1")
    assert "distances" in market.mo.post("/distance", 422, encounter="Ash", pair="Ash trader", band="1")
    assert market.anna.post("/distance", 403, encounter="fight", pair="Ash trader", band="0")


BAD = {
    "f-sides": ["&a [x, *a]", "[[Ash", "2026-01-01: 5", "[[Ash, [[[[]]]]]]", "1" * 5000],
    "f-bands": ["Ash trader", "Ash trader: far"],
    "f-round": ["", "9" * 5000, "one"],
    "f-phase": ["teatime"],
}


def test_what_does_not_fit_is_refused_and_nothing_is_changed(market: Market) -> None:
    market.mo.post("/master/encounter", kind="Fight", **{"side-Ash": "1", "side-trader": "2"})
    before = market.mo.get("/master/person?name=fight")
    for field, texts in BAD.items():
        for text in texts:
            answer = market.mo.http.post(f"{market.mo.table}/master/person", data={"name": "fight", field: text})
            assert answer.status_code == (422 if text else 303), (field, text)
    assert market.mo.get("/master/person?name=fight") == before


@pytest.mark.parametrize("field", ["band", "amount", "uses"])
def test_numbers_without_end_are_refused(market: Market, field: str) -> None:
    where = {"band": "/distance", "amount": "/master/time", "uses": "/master/invitations"}[field]
    market.mo.post(where, 422, **{field: "9" * 5000, "role": "player"})


# --- seats ------------------------------------------------------------------------------------------------------------


def test_an_invitation_is_shown_once_with_a_picture_and_lets_somebody_in(running: Running, market: Market) -> None:
    from httpx import Client

    page = market.mo.post("/master/invitations", 200, role="player", controls="Bell", uses="1")
    code = re.search(r'<code class="code">([^<]+)</code>', page)
    assert code
    assert f'href="{running.address}/join/{code[1]}"' in page
    assert "Only this computer can reach this table, so phones cannot join." in page
    assert '<div class="qr"' not in page  # a picture for phones, which cannot come
    assert code[1] not in market.mo.get("/master/seats")
    assert "plays Bell" in market.mo.get("/master/seats")
    with Client(base_url=running.address, headers={"Origin": running.address}) as ben:
        assert "Join" in ben.get(f"/join/{code[1]}").text
        joined = ben.post("/join", data={"code": code[1], "name": "Ben"})
        assert joined.headers["location"] == market.mo.table
        assert ben.get(market.mo.table).status_code == 200
        assert ben.post("/join", data={"code": code[1], "name": "Bo"}).status_code == 422
    assert "Ben" in market.mo.get("/master/seats")
    assert "None is open." in market.mo.get("/master/seats")


def test_an_invitation_has_an_address_that_phones_can_reach(
    market: Market, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.web.addresses._candidates", lambda: iter(["192.168.1.5"]))
    monkeypatch.setattr(running.served, "settings", replace(running.served.settings, host="0.0.0.0"))
    page = market.mo.post("/master/invitations", 200, role="player", uses="3")
    code = re.search(r'<code class="code">([^<]+)</code>', page)
    assert code
    near = f"http://192.168.1.5:{running.server.port}"
    assert f'href="{near}/join/{code[1]}"' in page
    assert f"people open {near} and type it there" in page
    assert "127.0.0.1" not in page
    assert "Only this computer" not in page
    picture = page[page.index('<div class="qr"') :].partition("</div>")[0]
    assert "<svg viewBox=" in picture
    assert "style" not in picture


def test_an_invitation_can_be_taken_back(market: Market) -> None:
    market.mo.post("/master/invitations", 200, role="spectator", uses="5")
    revoke = re.search(r'action="[^"]*(/master/invitations/[0-9a-f]+/revoke)"', market.mo.raw("/master/seats"))
    assert revoke
    assert market.mo.post(revoke[1]).endswith("said=uninvited")
    assert "None is open." in market.mo.get("/master/seats")


def test_an_invitation_to_a_character_is_used_once(market: Market) -> None:
    assert "used once" in market.mo.post("/master/invitations", 422, role="player", controls="Bell", uses="2")
    assert "a whole number" in market.mo.post("/master/invitations", 422, role="player", uses="some")


def test_a_seat_is_changed_and_taken_away(market: Market) -> None:
    seat = market.seats["Anna"]
    form = seat_form("Änne", "player", controls=["Ash", "Bell"], real_dice="yes")
    market.mo.post(f"/master/seats/{seat}", **form)
    page = market.mo.get("/master/seats")
    assert "Player · plays Ash, Bell · throws real dice" in page
    assert "a table needs a game master" in market.mo.post(
        f"/master/seats/{market.seats['Mo']}", 409, **seat_form("Mo", "player")
    )
    assert "a spectator plays no character" in market.mo.post(
        f"/master/seats/{market.seats['Zoe']}", 409, **seat_form("Zoe", "spectator", controls=["trader"])
    )
    market.mo.post(f"/master/seats/{seat}/dismiss")
    market.anna.get("/history", 401)


def test_a_character_and_the_table_are_handed_over(market: Market) -> None:
    market.mo.post("/master/hand-over", character="trader", to=market.seats["Anna"])
    assert "plays Ash, trader" in market.mo.get("/master/seats")
    assert market.mo.post("/master/hand-over", what="table", to=market.seats["Anna"]) == market.mo.table
    market.mo.get("/master", 403)
    assert market.anna.get("/master")


# --- rules ------------------------------------------------------------------------------------------------------------

DICE = "distemper.checks.dice-check"


def rows_of(page: str) -> dict[str, tuple[str, str]]:
    """The chances of the first check that is shown, now and then."""
    table = page[page.index("<caption>Ash") :].partition("</table>")[0]
    found = re.findall(r'<th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]+?) ?<', table)
    return {name: (now, then) for name, now, then in found}


@pytest.mark.slow
def test_the_odds_are_shown_before_a_figure_is_changed(market: Market) -> None:
    """Barter goes with Acumen: 2d6 + 3 comes to 9 or more in 26 of 36, 3d6 + 3 in 206 of 216."""
    assert 'name="figure-dice" value="2"' in market.mo.raw(f"/master/rules?rule={DICE}")
    shown = market.mo.post("/master/rules/preview", 200, rule=DICE, figure__dice="3")
    assert "dice <b>2 → 3</b>" in shown
    assert "<caption>Ash: Barter</caption>" in shown
    assert rows_of(shown)["success"] == ("72 %", "95 %")
    assert "Everything is as printed." in market.mo.get("/master/rules")


def test_a_figure_is_changed_and_is_as_printed_again(market: Market) -> None:
    assert market.mo.post("/master/rules", rule=DICE, figure__dice="3").endswith("said=rules")
    assert "dice <b>2 → 3</b>" in market.mo.get("/master/rules")
    assert "changed the rules of this table." in market.anna.get("")
    market.mo.post("/master/rules/as-printed", rule=DICE, path="dice")
    assert "Everything is as printed." in market.mo.get("/master/rules")


@pytest.mark.slow
def test_a_row_of_a_table_is_changed_by_its_name(market: Market) -> None:
    rule = "distemper.checks.outcomes"
    sent = {"rule": rule, "figure-table/Success/from": "8", "figure-table/Failure/to": "7"}
    assert rows_of(market.mo.post("/master/rules/preview", 200, **sent))["success"] == ("72 %", "83 %")


def test_nothing_changed_and_no_number_are_told_so(market: Market) -> None:
    rule = "distemper.checks.smod"
    assert "nothing is changed" in market.mo.post("/master/rules/preview", 422, rule=rule, **{"figure-most": "4"})
    assert "a whole number" in market.mo.post("/master/rules", 422, rule=rule, **{"figure-most": "four"})
    assert "nothing is changed" in market.mo.post("/master/rules", 422, rule="no.such.rule", **{"figure-most": "5"})


# --- the table --------------------------------------------------------------------------------------------------------


def test_the_table_is_set(market: Market) -> None:
    form = {"undo": "anyone", "offer_after": "5", "throw-*": "ask", "throw-check": "leave it", "throw-panic": ""}
    market.mo.post("/master/settings", **form)
    page = market.mo.raw("/master/table")
    assert '<option value="anyone" selected>' in page
    assert 'name="offer_after" min="0" max="86400" value="5"' in page
    assert 'name="turns" value="yes">' in page
    assert page.count(" selected>") == 5
    assert "offer_after" in market.mo.post("/master/settings", 422, undo="own", offer_after="soon")


def test_what_the_game_master_rules_on_is_set(market: Market) -> None:
    page = market.mo.raw("/master/table")
    assert "whether reality may be bent" in page
    assert '<option value="ask" selected>Ask me and propose the default</option>' in page
    form = {
        "undo": "own",
        "offer_after": "60",
        "ruling-*": "leave it",
        "ruling-consent": "do it",
        "ruling-misleads": "",
    }
    market.mo.post("/master/settings", **form)
    settings = market.mo.http.get(f"/api/v1/campaigns/{market.mo.table.rpartition('/')[2]}").json()["settings"]
    assert settings["rulings"] == {"*": "leave it", "consent": "do it"}
    page = market.mo.raw("/master/table")
    assert page.count('<option value="leave it" selected>Ask me</option>') == 1
    assert page.count('<option value="do it" selected>Take the default</option>') == 1


def test_a_setting_that_the_page_has_no_words_for_is_kept(market: Market) -> None:
    table = f"/api/v1/campaigns/{market.mo.table.rpartition('/')[2]}"
    market.mo.http.patch(f"{table}/settings", json={"rulings": {"odd-one": "do it"}})
    assert 'name="ruling-odd-one"' in market.mo.raw("/master/table")


def test_the_table_is_renamed(market: Market) -> None:
    market.mo.post("/master/rename", name=SCRIPT)
    assert "&lt;script&gt;" in market.anna.raw("/history")
    assert "name" in market.mo.post("/master/rename", 422, name="")


def test_a_stop_is_called_and_play_goes_on(market: Market) -> None:
    market.mo.post("/master/stop")
    assert "Play is paused." in market.mo.get("/master/table")
    market.mo.post("/master/resume")
    assert "Call a stop" in market.mo.get("/master/table")


def test_time_passes_by_the_systems_units(market: Market) -> None:
    market.mo.post("/master/time", amount="3", unit="Round")
    assert "3 Rounds" in market.mo.get("/master/table")
    assert "1 to 10000" in market.mo.post("/master/time", 422, amount="0", unit="Round")
    assert "not known" in market.mo.post("/master/time", 422, amount="1", unit="Aeon")


def test_a_backup_is_made_and_not_another_at_once(running: Running, market: Market) -> None:
    first = market.mo.http.post(f"{market.mo.table}/master/backup")
    again = market.mo.http.post(f"{market.mo.table}/master/backup")
    assert first.status_code in (303, 422)  # another test may have made one a moment ago
    assert again.status_code == 422
    made = list((Path(running.folder) / "backups").glob("referee-by-hand-*.db"))
    assert len(made) == 1
    assert "UTC" in market.mo.get("/master/table")


def test_a_seed_is_revealed(market: Market) -> None:
    assert market.mo.post("/master/reveal").endswith("said=revealed")
    assert re.search(r"Revealed</span><code class=\"breaks\">[0-9a-f]{64}", market.mo.get("/master/table"))
    assert "they can be checked" in market.anna.get("")


def send(who: Visitor, data: bytes, status: int, **fields: str) -> str:
    answer = who.http.post(
        f"{who.table}/notes/handouts", data=fields, files={"picture": ("map <b>.png", data, "image/png")}
    )
    assert answer.status_code == status, answer.text
    return answer.text


def test_a_picture_is_handed_out_to_some(market: Market) -> None:
    send(market.mo, PNG, 303, text="The *map*", to=market.seats["Anna"])
    assert "/files/" in market.anna.get("")
    assert "/files/" not in market.zoe.get("")
    assert 'alt="A picture from Mo"' in market.mo.raw("/notes")
    assert "PNG, JPEG or WebP" in send(market.mo, b"GIF89a", 422)
    assert "give it a title, or choose a picture" in send(market.mo, b"", 422)


def test_with_scripts_an_error_stands_beside_the_form_and_success_leads_on(market: Market) -> None:
    asked = {"HX-Request": "true"}
    bad = market.mo.http.post(f"{market.mo.table}/master/rename", data={"name": ""}, headers=asked)
    assert bad.status_code == 422
    assert "<html" not in bad.text
    assert 'role="alert"' in bad.text
    good = market.mo.http.post(f"{market.mo.table}/master/rename", data={"name": "Dusk"}, headers=asked)
    assert (good.status_code, good.headers["HX-Redirect"]) == (204, f"{market.mo.table}/master/table?said=renamed")
    invited = market.mo.http.post(f"{market.mo.table}/master/invitations", data={"role": "player"}, headers=asked)
    assert invited.headers["HX-Retarget"] == "#invitations"
    assert "<html" not in invited.text


# --- a system from outside, without a look ----------------------------------------------------------------------------

SIXTH = Path(__file__).parent.parent.parent / "sixth"


@pytest.fixture
def saloon(running: Running, client: Client, monkeypatch: pytest.MonkeyPatch, market: Market) -> Iterator[Visitor]:
    """The game master of a table that plays with three coins."""
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    seat = client.create("The saloon", "coin", sample="saloon", master="Mo")
    mo = type(market.mo)(running.address, seat.campaign, seat.seated.token)
    yield mo
    mo.http.close()
    registry.load.cache_clear()


def test_an_option_is_tried_turned_on_and_off_again(saloon: Visitor) -> None:
    """Two heads of three come in half of all tosses, one of three in seven of eight."""
    page = saloon.get("/master/rules")
    assert "Who carries a marked coin needs one head fewer." in page
    option = {"option": "coin.toss.marked", "on": "yes"}
    shown = saloon.post("/master/rules/preview", 200, **option)
    toss = shown[shown.index("<caption>Ana: Toss</caption>") :].partition("</table>")[0]
    assert re.findall(r"<td>([^<]+?) ?<", toss)[:2] == ["50 %", "88 %"]
    assert "Everything is as printed." in saloon.get("/master/rules")
    saloon.post("/master/rules", **option)
    assert "Turn it off" in saloon.get("/master/rules")
    saloon.post("/master/rules/as-printed", rule="coin.toss.marked", path="")
    assert "Everything is as printed." in saloon.get("/master/rules")


def test_what_is_no_option_cannot_be_turned_on(saloon: Visitor) -> None:
    assert "is not an optional rule" in saloon.post("/master/rules", 422, option="coin.toss.toss", on="no")


def test_every_page_is_there_for_a_system_without_a_look(saloon: Visitor) -> None:
    assert 'name="f-nerve" value="2"' in saloon.get("/master/person?name=ana")
    assert "This system has no encounters." in saloon.get("/master")
    assert "Make one by chance" not in saloon.get("/master")
    for page in ("/master/seats", "/master/table", "/history", "/history/0", "/history/recap", "/history/audit"):
        assert saloon.get(page)


def test_somebody_whose_browser_forgot_them_takes_their_seat_again_once(market: Market, running: Running) -> None:
    page = market.mo.post(f"/master/seats/{market.seats['Anna']}/link", 200)
    link = re.search(r'href="[^"]*(/sit/[\w-]+)"', page)
    assert link is not None
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=60) as browser:
        asked = browser.get(link[1])
        assert asked.status_code == 200
        secret = link[1].rpartition("/")[2]
        assert browser.get(market.anna.table, headers={"Cookie": f"referee={secret}"}).status_code == 401
        sat = browser.post("/sit", data={"secret": secret})
        assert sat.status_code == 303
        assert "you play Ash" in browser.get(sat.headers["location"]).text
        assert "unknown, used or expired" in browser.post("/sit", data={"secret": secret}).text
    assert "you play Ash" in market.anna.get("")  # the old browser still knows, too


def test_only_the_game_master_gives_links_to_seats(market: Market) -> None:
    market.anna.post(f"/master/seats/{market.seats['Mo']}/link", 403)
    market.mo.post("/master/seats/nobody/link", 422)


def test_a_table_is_opened_as_a_backup_has_it_and_stays_as_it_is(serve: Callable[..., Running]) -> None:
    running = serve()
    with Client(running.address) as client:
        mo = client.create("The market", "distemper", sample="market", master="Mo")
        anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
        page = Visitor(running.address, mo.campaign, mo.seated.token)
        mo.note("before")
        page.post("/master/backup")
        mo.note("after")
        name = re.search(r'name="backup" value="([^"]+)"', page.get("/master/table"))
        assert name
        assert "there is no such backup" in page.post("/master/restore", 422, backup="../referee.db")
        there = page.post("/master/restore", backup=name[1])
        assert there != page.table
        copy = page.http.get(there).text  # the browser keeps the new seat
        assert "before" in copy
        assert "after" not in copy
        assert ", as of " in copy
        assert "after" in page.get("")
        assert "Anna" in page.http.get(f"{there}/master/seats").text
        stranger = Visitor(running.address, there.rpartition("/")[2], anna.seated.token)
        stranger.get("", 404)  # a seat in the copy opens by a new link only
        late = client.create("Newer", "distemper", sample="market", master="Mo")
        other = Visitor(running.address, late.campaign, late.seated.token)
        assert "did not exist yet" in other.post("/master/restore", 422, backup=name[1])
        for each in (page, other, stranger):
            each.http.close()


def test_an_exported_table_is_imported_on_the_start_page(running: Running, market: Market) -> None:
    market.mo.post("/say", text="Remember this.")
    file = market.mo.http.get(f"/api/v1/campaigns/{market.mo.table.rpartition('/')[2]}/export").content
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=60) as ina:
        assert "Import a table" in ina.get("/").text
        sent = ina.post("/imports", data={"master": "Ina"}, files={"campaign": ("market.jsonl", file)})
        assert sent.status_code == 303
        there = sent.headers["location"]
        assert there != market.mo.table
        page = ina.get(there).text
        assert "Remember this." in page
        assert "game master" in page
        assert ina.get(f"{there}/master").status_code == 200
        bad = ina.post("/imports", data={"master": "Ina"}, files={"campaign": ("market.jsonl", file[:-200])})
        assert bad.status_code == 422
        assert ina.post("/imports", data={"master": "Ina"}).status_code == 422
    assert "Ina" not in market.mo.get("/master/seats")


def test_nobody_imports_where_nobody_may_open_a_table(serve: Callable[..., Running]) -> None:
    running = serve(create=False)
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=60) as ina:
        assert "Import a table" not in ina.get("/").text
        assert ina.post("/imports", files={"campaign": ("market.jsonl", b"{}")}).status_code == 403


def test_house_rules_are_named_in_words(market: Market) -> None:
    page = market.mo.get(f"/master/rules?rule={DICE}")
    assert f"<h3>{DICE}</h3>" not in page
    assert "<h3>Checks</h3>" in page
    assert "<p>Checks: dice <b>2 → 3</b></p>" in market.mo.post(
        "/master/rules/preview", 200, rule=DICE, figure__dice="3"
    )
    market.mo.post("/master/rules", rule=DICE, figure__dice="3")
    assert ">Checks</a>: dice" in market.mo.get("/master/rules")


@pytest.mark.slow
def test_a_change_is_previewed_on_the_checks_it_touches(market: Market) -> None:
    """A better second shot moves no plain check of anyone; it moves Rapid Fire, of the one who has a rifle."""
    sent = {
        "rule": "distemper.combat-actions.rapid-fire",
        "figure-one_action/1": "3",
        "figure-both_actions_each/1": "3",
    }
    shown = market.mo.post("/master/rules/preview", 200, **sent)
    assert re.search("<caption>Ash: Rapid Fire: [^<]*rifle", shown)
    assert "None of these chances moves" not in shown
    assert "<caption>Ash: Barter</caption>" not in shown
