"""Boards and cards as pages: maps of zones, races, the hand at the lower edge, flips as stacks; for every seat."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.web.conftest import Visitor

from referee.kits.zones import Border, Zone, ZoneMap, ZonePlace
from referee.web.pages.master import zones
from referee.web.pages.parts.cards import Face
from referee.web.pages.parts.chances import ChanceRow, Chances
from referee.web.pages.parts.questions import Answer, Ask, Group
from referee.web.pages.parts.zones import COLUMNS, layout, way_kind, zone_board
from referee.web.pages.table_view import table_view

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client
    from referee.client.client import SeatClient


class Ford(NamedTuple):
    """The ambush at the ford: Anna plays Rourke, whose turn it is, and Ben plays Ada."""

    mo: Visitor
    anna: Visitor
    ben: Visitor
    tables: tuple[SeatClient, SeatClient, SeatClient]

    def answer(self, question: str, answer: str) -> None:
        by = self.tables[1] if question.startswith("Rourke") else self.tables[0]
        by.answer(question, answer)


@pytest.fixture
def ford(running: Running, client: Client) -> Iterator[Ford]:
    mo = client.create("Ford", "dime", sample="ambush", master="Mo")
    made = (
        mo,
        client.join(mo.invite(controls=["Rourke"]).code, "Anna"),
        client.join(mo.invite(controls=["Ada"]).code, "Ben"),
    )
    master, anna, ben = (Visitor(running.address, mo.campaign, each.seated.token) for each in made)
    yield Ford(master, anna, ben, made)
    for each in (master, anna, ben):
        each.http.close()


def box(page: str, zone: str) -> str:
    """What a zone of the map says."""
    inside = page.partition(f'data-zone="{zone}">')[2].partition("</section>")[0]
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", inside).split()))


# --- the layout -------------------------------------------------------------------------------------------------------


def test_zones_that_meet_stand_side_by_side() -> None:
    cells = layout(("A", "B", "C"), frozenset({("A", "B"), ("B", "C")}))
    assert cells == {"A": (0, 0), "B": (1, 0), "C": (2, 0)}
    assert layout(("A",), frozenset()) == {"A": (0, 0)}


@pytest.mark.parametrize("count", [1, 2, 4, 5, 6, 7, 12, 20])
def test_every_zone_has_a_place_of_its_own_that_fits_on_a_phone(count: int) -> None:
    names = tuple(f"zone {at}" for at in range(count))
    cells = layout(names, frozenset(pairwise(names)))
    assert len(set(cells.values())) == count
    assert all(0 <= column < COLUMNS and row >= 0 for column, row in cells.values())


def test_a_ring_of_four_is_drawn_with_all_its_borders() -> None:
    borders = (Border("A", "B"), Border("B", "C"), Border("C", "D"), Border("D", "A"))
    board = zone_board(ZoneMap(tuple(map(Zone, "ABCD")), borders), "zones", "", ())
    assert [way.kind for way in board.ways] == ["openway"] * 4
    assert not any(each.elsewhere for each in board.boxes)


def test_what_a_border_lets_through_says_how_it_is_drawn() -> None:
    assert way_kind(None) == "shut"
    assert way_kind(Border("A", "B")) == "openway"
    assert way_kind(Border("A", "B", sight=False)) == "door"
    assert way_kind(Border("A", "B", crossable=False)) == "window"
    assert way_kind(Border("A", "B", crossable=False, sight=False)) == "shut"


def test_a_border_that_cannot_be_drawn_is_told() -> None:
    names = tuple("ABCD")
    borders = tuple(Border(one, other) for one in names for other in names if one < other)
    found = ZoneMap(tuple(map(Zone, names)), borders, (ZonePlace("ana", "A"),))
    board = zone_board(found, "zones", "ana", ())
    told = sum(len(each.elsewhere) for each in board.boxes)
    assert told == 2 * (len(borders) - len(board.ways)) > 0
    assert {each.far for each in board.boxes} == {"here", "1 away"}


# --- the map ----------------------------------------------------------------------------------------------------------


def test_everyone_sees_the_map_from_where_they_are(ford: Ford) -> None:
    page = ford.anna.get("")
    assert box(page, "Road") == "Road open here Ada surprised Rourke"
    assert box(page, "Far bank") == "Far bank rocks 2 away Silas Crow"
    assert "to Ford: the wheels" in box(page, "Wagon")
    assert 'title="a steep bank, +1 to cross"' in page
    assert "Edit the map" not in page
    assert "Edit the map" in ford.mo.get("")


def test_the_game_master_puts_people_into_zones(ford: Ford) -> None:
    ford.mo.post("/zones/place", 303, encounter="fight", who="Thug", zone="Wagon")
    assert "Thug" in box(ford.anna.get(""), "Wagon")
    assert "Thug" not in box(ford.anna.get(""), "Ford")
    ford.mo.post("/zones/place", 422, encounter="fight", who="Thug", zone="Moon")
    ford.mo.post("/zones/place", 422, encounter="fight", who="Nobody", zone="Road")
    ford.mo.post("/zones/place", 422, encounter="Thug", who="Thug", zone="Road")


@pytest.mark.parametrize("late", ["place", "map"])
def test_what_two_people_drag_at_once_is_where_each_put_it(
    ford: Ford, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    """The second comes in after the first has been looked at, and before it is done."""
    looked = table_view
    others = [{"encounter": "fight", "who": "Rourke", "zone": "Wagon"}]

    def looked_and_then(*given: Any) -> Any:
        found = looked(*given)
        while others:
            ford.mo.post("/zones/place", 303, **others.pop())
        return found

    monkeypatch.setattr(zones, "table_view", looked_and_then)
    if late == "place":
        ford.mo.post("/zones/place", 303, encounter="fight", who="Thug", zone="Wagon")
        assert "Thug" in box(ford.anna.get(""), "Wagon")
    else:
        ford.mo.post("/zones/map", 303, encounter="fight", **{"zone-01": "Ford", "zone-02": "Wagon"})
    assert "Rourke" in box(ford.anna.get(""), "Wagon")


def test_the_map_is_drawn_anew_by_its_form(ford: Ford) -> None:
    rows: dict[str, Any] = {"zone-01": "Road", "features-01": "open, muddy", "zone-02": "Ford", "zone-99": "Mill"}
    borders: dict[str, Any] = {"one-01": "Road", "other-01": "Ford", "extra-01": "2", "sight-01": "yes"}
    ford.mo.post("/zones/map", 303, encounter="fight", **rows, **borders)
    page = ford.anna.get("")
    assert box(page, "Road").startswith("Road open muddy here")
    assert "Far bank" not in page
    assert "out of sight" in box(page, "Mill")
    assert "window" in page
    assert "Silas Crow" in box(page, "Road")  # whose zone is gone is in the first
    ford.mo.post("/zones/map", 422, encounter="fight", **rows, **{**borders, "extra-01": "lots"})
    ford.mo.post("/zones/map", 409, encounter="fight", **{**rows, "zone-02": "Road"})


# --- cards ------------------------------------------------------------------------------------------------------------


def test_a_hand_is_docked_for_its_owner_alone(ford: Ford) -> None:
    own, others = ("queen of clubs", "ace of spades"), ("king of diamonds", "7 of clubs", "jack of spades")
    page = ford.anna.get("")
    dock = page.partition('id="dock"')[2]
    assert all(each in dock for each in own)
    assert not any(each in page for each in others)
    assert "hand <b>5</b>" in page
    assert not any(each in ford.ben.get("") for each in own)


def test_a_card_is_tapped_and_the_flip_is_laid_out(ford: Ford) -> None:
    ford.answer("Rourke.turn-action", "attack Thug revolver")
    ford.answer("Thug.react", "no")
    page = ford.anna.get("")
    dock = page.partition('id="dock"')[2]
    assert "Play a card from hand?" in dock
    assert dock.count('class="held') == 6
    assert "Turn the top card" in dock
    assert "Play a card from hand?" not in ford.ben.get("")
    ford.answer("Rourke.play", "9H@Rourke")
    page = ford.ben.get("")
    row = page.partition('class="flipped')[2].partition("</section>")[0]
    assert 'aria-label="9 of hearts"' in row
    assert "plays the 9 of hearts from hand." in page
    assert "attacks Thug with the revolver." in page
    assert "9 of hearts" not in page.partition('id="dock"')[2]


def test_one_is_not_asked_for_cards_if_one_would_rather_just_flip(ford: Ford) -> None:
    for prompt in ("play", "luck"):
        ford.anna.post("/standing", 303, prompt=prompt, answer="no")
    ford.answer("Rourke.turn-action", "attack Thug revolver")
    ford.answer("Thug.react", "no")
    assert "Play a card from hand?" not in ford.anna.get("").partition('id="dock"')[2]


# --- other boards -----------------------------------------------------------------------------------------------------


def test_a_chase_shows_who_is_ahead(running: Running, client: Client) -> None:
    mo = client.create("Roofs", "dime", sample="rooftops", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    mo.edit("chase", interval=2, tallies={"quarry": 21, "pursuers": 14})
    page = visitor.get("")
    assert "Quarry: 7 ahead" in page
    assert "14 points" in page
    assert 'aria-label="2 / 5"' in page
    visitor.http.close()


def test_a_duel_shows_its_phase_and_the_antes_face_down(running: Running, client: Client) -> None:
    mo = client.create("Noon", "dime", sample="noon", master="Mo")
    delia = client.join(mo.invite(controls=["Delia"]).code, "Anna")
    visitor = Visitor(running.address, mo.campaign, delia.seated.token)
    page = visitor.get("")
    assert '<li aria-current="step">face-off</li>' in page
    assert "Cass Tolliver’s Ante" in page
    assert "6 of spades" not in page
    assert "ace of clubs" in page
    visitor.http.close()


def test_keeping_a_card_costs_what_it_would_gain() -> None:
    def answer(at: int, good: float, *faces: Face) -> Answer:
        return Answer(str(at), "", at, Chances((ChanceRow("success", good, ""),)), faces=faces)

    nine, two, deck = answer(0, 0.9, Face("9", "hearts")), answer(1, 0.1, Face("2", "clubs")), answer(2, 0.4)
    ask = Ask("ana.play", "", "ana", "choose", (Group("", (nine, two, deck)),))
    assert ask.is_hand
    assert ask.declined is deck
    assert [ask.gain(each) for each in ask.answers] == [pytest.approx(0.5), pytest.approx(-0.3), None]
