"""Things on their page, on the sheet and at the table, as a browser without scripts handles them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.web.conftest import Visitor

from referee import registry
from referee.core.catalogue import catalogue
from referee.core.rulebook import Book

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client

WITH_THINGS = [
    ("alien", "derelict"),
    ("d6", "customs-shed"),
    ("dime", "saloon"),
    ("distemper", "market"),
    ("yearzero", "camp"),
]
Sit = Callable[..., tuple[Visitor, ...]]


@pytest.fixture
def sit(running: Running, client: Client) -> Iterator[Sit]:
    """A table of a sample: its game master, and a player for each of the characters."""
    visitors: list[Visitor] = []

    def seated(system: str, sample: str, *played: str) -> tuple[Visitor, ...]:
        mo = client.create("Things", system, sample=sample, master="Mo")
        players = [client.join(mo.invite(controls=[who]).code, f"{who}'s player") for who in played]
        secrets = [each.seated.token for each in (mo, *players)]
        found = [Visitor(running.address, mo.campaign, secret) for secret in secrets]
        visitors.extend(found)
        return tuple(found)

    yield seated
    for each in visitors:
        each.http.close()


def api(visitor: Visitor) -> str:
    return visitor.table.replace("/table/", "/api/v1/campaigns/")


def scene(visitor: Visitor) -> dict[str, Any]:
    found: dict[str, Any] = visitor.http.get(api(visitor)).json()["scene"]
    return found


def edit(mo: Visitor, name: str, **changes: Any) -> None:
    mo.http.post(f"{api(mo)}/edits", json={"name": name, "changes": changes}).raise_for_status()


def names(visitor: Visitor, who: str) -> list[str]:
    """The names of what somebody has."""
    plain = scene(visitor)[who]
    field = next(each for each in ("items", "things", "equipment") if each in plain)
    return [each["name"] for each in plain[field]]


def thing(visitor: Visitor, who: str, name: str) -> dict[str, Any]:
    plain = scene(visitor)[who]
    field = next(each for each in ("items", "things", "equipment") if each in plain)
    return next(each for each in plain[field] if each["name"] == name)


def people(visitor: Visitor) -> list[str]:
    return [each for each, plain in scene(visitor).items() if {"items", "things", "equipment"} & set(plain)]


def told(visitor: Visitor) -> str:
    """The story, as text."""
    story = visitor.get("").partition('id="story"')[2].partition('class="all-pages')[0]
    return " ".join(re.sub(r"<[^>]+>", " ", story).split())


def last_item(visitor: Visitor) -> int:
    found = visitor.http.get(f"{api(visitor)}/log").json()["items"]
    return max(int(each["id"]) for each in found if each["kind"] in ("began", "edited"))


# --- the catalogue ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "sample"), WITH_THINGS)
def test_the_page_lists_the_whole_catalogue_and_the_game_master_gives_from_it(
    sit: Sit, system: str, sample: str
) -> None:
    (mo,) = sit(system, sample)
    loaded = registry.load(system)
    rows = [row for kind in catalogue(loaded, Book(loaded.printed_book)) for row in kind.rows]
    page = mo.get("/things")
    assert [each for each in rows if f'name="key" value="{each.key}"' not in page] == []
    who = people(mo)[0]
    row = rows[0]
    to = mo.post("/things/get", key=row.key, who=who)
    assert f"{who} gets {row.key}." in mo.get(to.removeprefix(mo.table))
    assert any(each.startswith(row.name) for each in names(mo, who))
    assert f"{who} gets" in told(mo)


def test_an_address_puts_no_words_into_the_pages_mouth(sit: Sit) -> None:
    (mo,) = sit("yearzero", "camp")
    who, key = people(mo)[0], next(iter(catalogue(registry.load("yearzero"), mo_book("yearzero")))).rows[0].key
    assert 'class="done"' in mo.get(f"/things?who={quote(who)}&said={quote(f'gave {key}')}")
    assert 'class="done"' not in mo.get(f"/things?who={quote(who)}&said={quote('gave your password to Mallory')}")
    assert 'class="done"' not in mo.get(f"/things?who=Mallory&said={quote(f'gave {key}')}")


def test_cards_say_what_the_row_says_and_by_which_rule(sit: Sit) -> None:
    (mo,) = sit("d6", "customs-shed")
    page = re.sub(r"<[^>]+>", " ", mo.get("/things?find=assault"))
    assert "Damage  5D" in page
    assert "5/10/30/60 m" in page
    assert "/rules/d6.weapons.firearms" in mo.get("/things?find=assault")


def test_the_catalogue_is_searched_by_every_word(sit: Sit) -> None:
    (mo,) = sit("yearzero", "camp")
    found = re.findall(r'name="key" value="([^"]+)"', mo.get("/things?find=edged+hook"))
    assert "Battleaxe" in found
    assert "Knife" not in found
    assert "Nothing matches all of these words" in mo.get("/things?find=zzz")


def test_several_are_given_at_once_and_undone_at_once(sit: Sit) -> None:
    (mo,) = sit("yearzero", "camp")
    who, before = people(mo)[0], names(mo, people(mo)[0])
    mo.post("/things/get", key="Knife", who=who, count="3")
    assert thing(mo, who, "Knife")["amount"] == 3
    assert f"{who} gets 3 × Knife." in told(mo)
    mo.post("/undo", item=last_item(mo))
    assert names(mo, who) == before


def test_a_game_whose_sheets_list_no_things_says_so(systems: None, sit: Sit) -> None:
    (mo,) = sit("coin", "saloon")
    assert "Write what somebody carries into the notes" in mo.get("/things")
    assert "list no things" in mo.post("/things/get", 409, key="knife", who="ana")
    assert '/things"' not in mo.get("")


# --- buying -----------------------------------------------------------------------------------------------------------


def test_a_player_buys_at_the_printed_cost(sit: Sit) -> None:
    (mo, *_) = sit("dime", "saloon")
    who = people(mo)[0]
    mo, player = sit("dime", "saloon", who)
    edit(mo, who, wealth=4, items=[])
    assert 'value="derringer"' in player.get("/things")
    player.post("/things/buy", key="derringer", who=who)
    bought = thing(player, who, "derringer")
    assert bought["cost"] == 3
    assert bought["damage"]
    player.post("/things/buy", key="derringer", who=who)
    assert names(player, who) == ["derringer", "derringer 2"]
    edit(mo, who, wealth=0)
    assert "too much for Wealth 0" in player.post("/things/buy", 409, key="derringer", who=who)


def test_a_campaign_of_the_d6_system_that_sets_prices_sells_things(running: Running, client: Client) -> None:
    mo = client.create("Things", "d6", sample="expedition", master="Mo")
    mo.house_rules(add={"d6.equipment.price": {"goods": [{"name": "Rope", "price": 3}]}})
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    who = people(visitor)[0]
    edit(visitor, who, wealth="3D")
    assert "gives it no price" in visitor.post("/things/buy", 409, key="Sword", who=who)
    visitor.post("/things/buy", key="Rope", who=who, count="1")
    assert scene(visitor)[who]["funds"]["used"] == "3D"
    assert f"{who.capitalize()} tries to buy this: Rope" in told(visitor)
    visitor.http.close()


def test_what_has_no_price_is_not_sold_and_the_page_says_why(sit: Sit) -> None:
    (mo, *_) = sit("dime", "saloon")
    who = people(mo)[0]
    _, player = sit("dime", "saloon", who)
    assert "The book gives it no price." in player.get("/things")
    assert "gives it no price" in player.post("/things/buy", 409, key="tools", who=who)
    assert "only the game master" in player.post("/things/get", 403, key="tools", who=who)


def test_where_goods_have_to_be_found_first_the_page_says_prices_and_why_nothing_is_sold(sit: Sit) -> None:
    _, player = sit("yearzero", "camp", "Juno")
    page = player.get("/things")
    assert "neither money on its sheets nor a rule for buying" not in page
    assert "Price 60" in page
    assert player.post("/things/buy", 409, key="Battleaxe", who="Juno")


# --- from hand to hand ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "sample"), WITH_THINGS)
def test_a_thing_goes_from_hand_to_hand_and_the_story_says_so(sit: Sit, system: str, sample: str) -> None:
    (mo,) = sit(system, sample)
    giver, taker = people(mo)[:2]
    key = "Knife" if system == "yearzero" else "derringer" if system == "dime" else ""
    key = key or next(iter(catalogue(registry.load(system), Book(registry.load(system).printed_book)))).rows[0].key
    mo.post("/things/get", key=key, who=giver)
    given = names(mo, giver)[-1]
    before = scene(mo)
    mo.post("/things/handle", who=giver, thing=given, way="give", to=taker)
    assert given not in names(mo, giver)
    assert any(each.startswith(given.partition(" 2")[0]) for each in names(mo, taker))
    said = told(mo)
    assert f"{giver} gives {taker}" in said or f"{giver} hands over" in said
    mo.post("/undo", item=last_item(mo))
    assert scene(mo)[giver] == before[giver]
    assert scene(mo)[taker] == before[taker]


@pytest.mark.parametrize(("system", "sample"), WITH_THINGS)
def test_a_thing_is_put_away_dropped_and_picked_up(sit: Sit, system: str, sample: str) -> None:
    (mo,) = sit(system, sample)
    who = people(mo)[0]
    key = {"alien": "Stun Baton", "yearzero": "Knife", "dime": "derringer", "distemper": "knife", "d6": "Sword"}[system]
    if key not in [each.key for k in catalogue(registry.load(system), mo_book(system)) for each in k.rows]:
        key = next(iter(catalogue(registry.load(system), mo_book(system)))).rows[0].key
    mo.post("/things/get", key=key, who=who)
    name = names(mo, who)[-1]
    for place, chip in (("held", "in hand"), ("carried", ""), ("dropped", "on the ground"), ("carried", "")):
        mo.post("/things/handle", who=who, thing=name, put=place)
        card = mo.get(f"/sheet/{quote(who)}").partition(f"<b>{name}</b>")[2].partition("</p>")[0]
        assert chip in card
        assert chip or "chip" not in card


def mo_book(system: str) -> Book:
    return Book(registry.load(system).printed_book)


def test_a_player_handles_what_is_theirs_and_nothing_else(sit: Sit) -> None:
    mo, player = sit("distemper", "market", "Ash")
    mo.post("/things/get", key="rifle", who="Ash")
    mo.post("/things/get", key="pistol", who="Bell")
    player.post("/things/handle", who="Ash", thing="rifle", way="give", to="Bell")
    assert "Ash gives Bell the rifle." in told(player)
    assert "you do not play Bell" in player.post(
        "/things/handle", 403, who="Bell", thing="pistol", way="give", to="Ash"
    )
    assert "you do not play Bell" in player.post("/things/handle", 403, who="Bell", thing="pistol", put="dropped")
    assert "only the game master" in player.post("/things/handle", 403, who="Bell", thing="pistol", way="lose")
    assert "Bell still has it" in player.post(
        "/things/handle", 409, who="Ash", owner="Bell", thing="pistol", way="take"
    )


def test_an_animal_keeps_what_it_carries_as_people_do(sit: Sit) -> None:
    mo, player = sit("yearzero", "wilderness-camp", "Juno")
    edit(mo, "Biscuit", things=[{"name": "saddle"}])
    assert "Biscuit still has it" in player.post(
        "/things/handle", 409, who="Juno", owner="Biscuit", thing="saddle", way="take"
    )
    assert names(mo, "Biscuit") == ["saddle"]


def test_in_a_fight_the_plain_way_is_the_game_masters(sit: Sit) -> None:
    mo, player = sit("distemper", "roadblock", "Ash")
    assert "is in the fight" in player.post("/things/handle", 409, who="Ash", thing="rifle", way="give", to="Bell")
    mo.post("/things/handle", who="Ash", thing="rifle", way="give", to="Bell")
    assert "rifle" not in names(mo, "Ash")


def test_the_fallen_are_looted_one_thing_at_a_time_or_all_at_once(sit: Sit) -> None:
    mo, player = sit("distemper", "market", "Ash")
    edit(mo, "Bell", dead=True, items=[{"name": "axe"}, {"name": "knife"}, {"name": "rope"}])
    assert "Bell is out" in player.get("")
    player.post("/things/handle", who="Ash", owner="Bell", thing="axe", way="take")
    assert "Ash takes the axe from Bell." in told(player)
    player.post("/things/handle", who="Ash", owner="Bell", way="take", all="yes")
    assert "Ash takes the knife and the rope from Bell." in told(player)
    assert names(mo, "Bell") == []
    assert {"axe", "knife", "rope"} <= set(names(mo, "Ash"))
    assert "Bell is out" not in player.get("/things")


def test_what_somebody_dropped_is_there_for_others(sit: Sit) -> None:
    mo, player = sit("distemper", "market", "Ash")
    edit(mo, "Bell", items=[{"name": "axe", "ready": False, "dropped": True}, {"name": "knife"}])
    assert "Bell dropped this" in player.get("/things")
    player.post("/things/handle", who="Ash", owner="Bell", thing="axe", way="take")
    assert thing(mo, "Ash", "axe")["dropped"] is False
    assert names(mo, "Bell") == ["knife"]


def test_part_of_what_is_counted_is_given(sit: Sit) -> None:
    mo, player = sit("yearzero", "camp", "Juno")
    other = next(each for each in people(mo) if each != "Juno" and scene(mo)[each]["kind"] == scene(mo)["Juno"]["kind"])
    edit(mo, "Juno", things=[{"name": "9mm", "amount": 12}])
    player.post("/things/handle", who="Juno", thing="9mm", way="give", to=other, amount="5")
    assert thing(mo, "Juno", "9mm")["amount"] == 7
    assert thing(mo, other, "9mm")["amount"] == 5
    mo.post("/things/handle", who="Juno", thing="9mm", way="lose", amount="3")
    assert thing(mo, "Juno", "9mm")["amount"] == 4
    assert "Juno no longer has 3 × 9mm." in told(player)
    assert "must be a number" in mo.post("/things/handle", 422, who="Juno", thing="9mm", way="lose", amount="all")


# --- secrets ----------------------------------------------------------------------------------------------------------


def test_what_is_given_to_somebody_whose_sheet_is_not_shown_is_not_told(sit: Sit) -> None:
    mo, player = sit("distemper", "market", "Ash")
    mo.http.post(f"{api(mo)}/exposure", json={"name": "Bell", "shown": "state"}).raise_for_status()
    before = told(player)
    mo.post("/things/get", key="rifle", who="Bell")
    mo.post("/things/handle", who="Bell", thing="rifle", put="dropped")
    assert "Bell gets the rifle." in told(mo)
    assert told(player) == before
    assert "you do not know what Bell has" in player.post(
        "/things/handle", 403, who="Ash", owner="Bell", thing="rifle", way="take"
    )
    mo.post("/things/handle", who="Bell", thing="rifle", way="give", to="Ash")
    assert "Bell gives Ash the rifle." in told(player)


BELL = [{"name": "axe"}, {"name": "knife", "condition": 1}]


def test_the_fallen_are_looted_although_their_sheet_is_not_shown(sit: Sit) -> None:
    mo, player = sit("distemper", "market", "Ash")
    edit(mo, "Bell", items=BELL)
    mo.http.post(f"{api(mo)}/exposure", json={"name": "Bell", "shown": "state"}).raise_for_status()
    assert "axe" not in player.get("/things").partition('id="left"')[0].partition("catalogue")[0]
    assert "you do not know what Bell has" in player.post(
        "/things/handle", 403, who="Ash", owner="Bell", thing="axe", way="take"
    )
    edit(mo, "Bell", dead=True)
    assert "items" not in scene(player)["Bell"]
    assert player.http.get(api(player)).json()["states"]["Bell"]["things"] == [
        {"name": "axe", "amount": 1},
        {"name": "knife", "amount": 1},
    ]
    assert "Bell is out" in player.get("")
    assert "rope" in player.post("/things/handle", 422, who="Ash", owner="Bell", thing="rope", way="take")
    player.post("/things/handle", who="Ash", owner="Bell", thing="axe", way="take")
    assert "Ash takes the axe from Bell." in told(player)
    player.post("/things/handle", who="Ash", owner="Bell", way="take", all="yes")
    assert thing(player, "Ash", "knife")["condition"] == 1, "with the wear it had"
    assert names(mo, "Bell") == []
    assert "Bell is out" not in player.get("/things")


def test_nobody_can_tell_what_a_foe_has_before_they_fall_nor_what_is_in_their_sack(sit: Sit) -> None:
    """Two worlds: what Crow has differs while he stands, and then only what lies in his satchel."""
    satchel = {"name": "satchel", "properties": {"Container": 4}}
    things = ([{"name": "knife"}, satchel], [{"name": "club"}, {"name": "rope"}, satchel])
    inside = (
        [{"name": "gold", "inside": "satchel"}],
        [{"name": each, "inside": "satchel"} for each in ("bread", "salt")],
    )
    seen: list[list[Any]] = [[], []]
    for at in range(2):
        mo, player = sit("dime", "saloon", "Ada")
        mo.http.post(f"{api(mo)}/exposure", json={"name": "Silas Crow", "shown": "state"}).raise_for_status()
        edit(mo, "Silas Crow", items=things[at])
        seen[at].append(known(player))
        edit(mo, "Silas Crow", items=[*things[0], *inside[at]])
        edit(mo, "Silas Crow", dead=True)
        seen[at].append(known(player))
        assert "gold" not in player.get("/things")
        assert known(player)["states"]["Silas Crow"]["things"] == [
            {"name": "knife", "amount": 1},
            {"name": "satchel", "amount": 1},
        ]
    assert seen[0] == seen[1]


def known(player: Visitor) -> Any:
    """All that a player is sent of the table, but for seats, seeds and times."""
    view = player.http.get(api(player)).json()
    log = player.http.get(f"{api(player)}/log").json()["items"]
    return {
        "scene": view["scene"],
        "states": view["states"],
        "cursor": view["cursor"],
        "log": [
            {name: each for name, each in item.items() if name not in ("at", "by")}
            for item in log
            if not {"commitment", "seat"} & set(item)
        ],
    }


def test_hidden_people_have_no_things_and_take_none(sit: Sit) -> None:
    mo, player = sit("distemper", "market", "Ash")
    edit(mo, "Bell", dead=True, items=[{"name": "axe"}])
    mo.post("/master/hide", name="Bell")
    before = told(player)
    mo.post("/things/get", key="rifle", who="Bell")
    assert "Bell" not in player.get("/things")
    assert told(player) == before
    mo.post("/things/get", key="rifle", who="Ash")
    refused = player.post("/things/handle", 422, who="Ash", thing="rifle", way="give", to="Bell")
    assert refused.replace("Bell", "Nobody") == player.post(
        "/things/handle", 422, who="Ash", thing="rifle", way="give", to="Nobody"
    )
    assert "not known" in refused
