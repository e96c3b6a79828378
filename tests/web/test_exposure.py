"""What others see of foes: a state in words, bars, figures or the whole sheet, as the game master says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from tests.web.conftest import Running, Visitor

from referee import registry
from referee.client import ApiError, Client
from referee.client.client import SeatClient

LEVELS = ("state", "bars", "figures", "sheet")
SECRET = ("skills", "attributes", "items", "melee_defense")


def road(client: Client, level: str = "sheet", **foe: Any) -> tuple[SeatClient, SeatClient]:
    """A roadblock with a game master and a player; the foe differs by some fields."""
    mo = client.create("Route 9", "distemper", sample="market", master="Mo")
    anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
    mo.settings(foes=level)
    mo.edit("raider", kind="Character", player=False, **{"wp": 8, "wp_full": 10, "skills": {"Athletics": 2}, **foe})
    return mo, anna


@pytest.mark.parametrize("level", LEVELS)
def test_no_more_of_a_foe_is_sent_than_the_level_allows(client: Client, level: str) -> None:
    mo, anna = road(client, level)
    sent = anna.view()
    raider = sent.scene["raider"]
    assert ("skills" in raider) is (level == "sheet")
    assert ("wp" in raider) is (level in ("figures", "sheet"))
    assert mo.view().scene["raider"]["skills"] == {"Athletics": 2}
    assert sent.scene["Ash"]["skills"]
    told: Mapping[str, Any] = sent.states
    by_level = {"state": {"state": "hurt"}, "figures": {"state": "hurt"}, "bars": {"share": 8, "bars": {"rp": 10}}}
    assert told.get("raider") == by_level.get(level)
    mo.edit("raider", wp=3, skills={"Athletics": 4})
    changes = [each for item in anna.log().items for each in item.model_dump().get("then", ())]
    seen = [each["set"] for each in changes if each.get("who") == "raider" and "set" in each]
    assert seen == {
        "sheet": [{"skills": {"Athletics": 4}, "wp": 3}],
        "figures": [{"wp": 3}],
    }.get(level, [])


def test_each_foe_can_be_set_apart_and_who_is_played_is_no_foe(client: Client) -> None:
    mo, anna = road(client, "state")
    assert "skills" not in anna.view().scene["trader"], "who is here already is set too"
    assert "skills" in anna.view().scene["Bell"], "a player's character is no foe"
    mo.expose("raider", "sheet")
    assert "skills" in anna.view().scene["raider"]
    assert "skills" not in anna.view().scene["trader"]
    ben = client.join(mo.invite().code, "Ben")
    mo.change_seat(ben.seat, controls=["trader"])
    assert "skills" in anna.view().scene["trader"]
    assert "skills" in ben.view().scene["trader"]
    with pytest.raises(ApiError, match="only the game master"):
        anna.expose("raider", "state")
    mo.remove("raider")
    mo.edit("raider", kind="Character", player=True)
    assert "skills" in anna.view().scene["raider"]


def _all_that_is_sent(client: Client, running: Running, **foe: Any) -> str:
    """Everything a player gets to see while a foe is hurt a little: view, log, pages, odds."""
    mo, anna = road(client, "state", **foe)
    page = Visitor(running.address, mo.campaign, anna.seated.token)
    mo.edit("raider", wp=foe.get("wp", 8) - 1)
    asked = anna.odds("opposed-check", "Ash", using="Barter", other="raider", answering="Athletics")
    sent = [
        anna.view().model_dump_json(),
        json.dumps([each.model_dump() for each in anna.log().items], default=str),
        asked.model_dump_json(),
        json.dumps([each.model_dump() for each in anna.actions("Ash")], default=str),
        *(page.raw(path) for path in ("", "/sheet/raider", "/sheet/Ash", "/history", "/encounter-forecast")),
    ]
    ids = (mo.campaign, mo.seat, anna.seat, mo.seated.token, anna.seated.token)
    page.http.close()
    text = "\n".join(sent)
    for number, each in enumerate(ids):
        text = text.replace(each, f"id-{number}")
    text = re.sub(r'datetime="[^"]+">[^<]*<', "<", text)
    return re.sub(r'"(created|at|seen)":[^,}]+|seen=[0-9a-f]+|mark=[0-9a-f]+|[0-9a-f]{64}', "", text)


def test_two_worlds_with_different_foes_look_the_same_to_a_player(client: Client, running: Running) -> None:
    one = _all_that_is_sent(client, running, wp=8, skills={"Athletics": 2}, items=[])
    other = _all_that_is_sent(client, running, wp=9, skills={"Athletics": 4}, items=[{"name": "pistol", "wp": 3}])
    assert one == other
    assert "badly hurt" in _all_that_is_sent(client, running, wp=4), "a state in words is told"


@pytest.mark.parametrize("level", ["state", "figures"])
def test_a_fight_goes_on_whatever_is_shown_of_the_foes(client: Client, running: Running, level: str) -> None:
    mo = client.create("Route 9", "distemper", sample="roadblock", master="Mo")
    anna = client.join(mo.invite(controls=["Ash", "Bell"]).code, "Anna")
    page = Visitor(running.address, mo.campaign, anna.seated.token)
    mo.settings(foes=level)
    for prompt in ("initiative-before", "initiative-after", "insight-before", "insight-after"):
        for seat in (mo, anna):
            seat.standing_answer(prompt, "no")
    for _ in range(5):
        text = page.get("?odds=1")
        assert "<h2>" in text
        assert page.get("/sheet/raider")
        for seat in (anna, mo):
            for question in seat.questions().questions[:1]:
                options = question.model_dump().get("options") or ()
                chosen = next(
                    (each for each in options if str(each).startswith("attack")), options[0] if options else None
                )
                seat.answer(question.key, chosen)
    page.http.close()


HURT: dict[str, tuple[dict[str, Any], str, int]] = {
    "d6": ({"player": False, "wound": "Wounded twice"}, "wounded twice", 5),
    "yearzero": ({"attributes": {"Strength": 4}, "damage": {"Strength": 1}}, "hurt", 8),
    "dime": ({"player": False, "hp_full": 8, "hp": 0}, "barely up", 1),
    "alien": ({"stress": 2}, "stressed", 10),
}


@pytest.mark.parametrize("system", HURT)
def test_every_system_says_how_a_foe_stands_by_a_word_or_by_a_bar_and_no_more(
    client: Client, running: Running, system: str
) -> None:
    sheet, word, tenths = HURT[system]
    mo = client.create("A table of one's own", system, master="Mo")
    mo.edit("wolf", kind=registry.load(system).sheet.__name__, **sheet)
    anna = client.join(mo.invite().code, "Anna")
    page = Visitor(running.address, mo.campaign, anna.seated.token)
    assert anna.view().states["wolf"] == {"state": word.replace(" ", "-")}, "an empty table begins with states"
    assert word in page.get("")
    mo.expose("wolf", "bars")
    assert anna.view().states["wolf"] == {"share": tenths, "bars": {}}
    assert f"{tenths} tenths left" in page.get("")
    assert set(anna.view().scene["wolf"]) <= {"kind", "player", "dead"}
    page.http.close()


def test_a_sample_shows_its_sheets_and_an_empty_table_does_not(client: Client) -> None:
    sample, own = client.create("A", "d6", sample="warehouse", master="Mo"), client.create("B", "d6", master="Mo")
    assert sample.view().settings["foes"] == "sheet"
    assert own.view().settings["foes"] == "state"


@pytest.mark.parametrize("level", ["state", "bars"])
def test_a_fight_of_the_d6_system_is_not_over_because_a_foes_wounds_are_not_shown(
    client: Client, running: Running, level: str
) -> None:
    mo = client.create("A table of one's own", "d6", master="Mo")
    mo.edit("Mara", kind="Hero")
    mo.edit("wolf", kind="Hero", player=False, wound="Wounded")
    mo.expose("wolf", level)
    anna = client.join(mo.invite(controls=["Mara"]).code, "Anna")
    mo.edit("fight", kind="IndividualCombat", sides=[["Mara"], ["wolf"]])
    page = Visitor(running.address, mo.campaign, anna.seated.token)
    text = page.get("")
    assert "over, Mara stands" not in text
    assert ("wounded" if level == "state" else "8 tenths left") in text
    page.http.close()


@pytest.mark.parametrize("level", ["state", "bars"])
def test_an_animal_is_somebody_and_a_fight_against_it_goes_on_whatever_is_shown(
    client: Client, running: Running, level: str
) -> None:
    mo = client.create("A table of one's own", "yearzero", master="Mo")
    mo.edit("Juno", kind="Survivor")
    mo.edit("Grey", kind="Animal", animal="wolves", wild=True, attributes={"Strength": 2}, damage={"Strength": 1})
    mo.expose("Grey", level)
    master = Visitor(running.address, mo.campaign, mo.seated.token)
    assert 'name="side-Grey"' in master.get("")
    anna = client.join(mo.invite(controls=["Juno"]).code, "Anna")
    mo.edit("battle", kind="Battle", sides=[["Juno"], ["Grey"]], initiative={"Juno": 61, "Grey": 22}, turn="Juno")
    page = Visitor(running.address, mo.campaign, anna.seated.token)
    text = page.get("")
    assert "Juno, it is your turn" in text
    assert "over, Juno stands" not in text
    assert ("badly hurt" if level == "state" else "5 tenths left") in text
    assert "wild" not in anna.view().scene["Grey"]
    for each in (master, page):
        each.http.close()
