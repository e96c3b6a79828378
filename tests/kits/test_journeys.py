"""Journeys: the map, who still has to choose, what is played in which order, and who knows which hex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from referee.core import (
    CLOCK,
    Audience,
    Call,
    Clock,
    Open,
    Refused,
    Scene,
    State,
    Who,
    advance_clock,
    alter,
    frozen,
    rule,
)
from referee.core.agenda import next_of
from referee.core.knowledge import NOBODY, known_to
from referee.core.plain import read, write
from referee.drivers.scripted import play, play_out
from referee.kits.journeys import ChosenActivity, Expedition, JourneyEvent, MapHex, QuarterActivity, RouteMap

ROWS: Final[Mapping[str, QuarterActivity]] = {
    "lead": QuarterActivity("lead", leads=True),
    "walk": QuarterActivity("walk"),
}


@frozen
class Walker:
    """Somebody on the way."""

    did: Open[tuple[str, ...]] = ()


@frozen
class Trek(Expedition):
    """A small journey: leading enters the next hex."""

    def is_free(self, scene: Scene, who: str) -> bool:
        return Who(who, Walker) in scene

    def ask(self, me: Who[Any], who: str) -> Call[Any]:
        return walk_along(me, who)

    def play(self, me: Who[Any], chosen: ChosenActivity) -> Call[Any]:
        return do(me, chosen.who, chosen.activity)

    def happens(self, me: Who[Any], event: JourneyEvent) -> Call[Any]:
        return forget(me)

    def quarter_ends(self, me: Who[Any]) -> Call[Any]:
        return turn(me)

    def place_of(self, chosen: ChosenActivity) -> int:
        return 0 if ROWS[chosen.activity].leads else 1


@rule("kit.journeys.ask")
async def walk_along(scene: Scene, me: Who[Trek], who: str) -> None:
    """Whoever is asked walks."""
    await alter(me, Trek.choosing_this, ChosenActivity(who, "walk"))


@rule("kit.journeys.do")
async def do(scene: Scene, me: Who[Trek], who: str, what: str) -> None:
    """What was laid down."""
    await alter(Who(who, Walker), lambda sheet: replace(sheet, did=(*sheet.did, f"{what} at {scene[me].whereabouts}")))
    await alter(me, Trek.having_played, who)
    if ROWS[what].leads:
        await alter(me, Trek.entered, scene[me].route[0])


@rule("kit.journeys.happens")
async def forget(scene: Scene, me: Who[Trek]) -> None:
    """It is over."""
    await alter(me, Trek.after_event)


@rule("kit.journeys.turn")
async def turn(scene: Scene, me: Who[Trek]) -> None:
    """Six hours, and that is all."""
    await alter(me, Trek.next_quarter)
    await alter(me, lambda trek: replace(trek, ended="over"))
    await advance_clock(6, me)


MAP: Final = RouteMap(
    (
        MapHex("town", column=0),
        MapHex("ford", column=1),
        MapHex("den", column=2, audience=Audience.MASTER),
        MapHex("hill", column=0, row=1),
    )
)
TREK: Final = Who("trek", Trek)


def trek(**more: Any) -> State:
    found = Trek(party=("ana", "bo"), map=MAP, whereabouts="town", route=("ford",), **more)
    return State({"clock": Clock(), "ana": Walker(), "bo": Walker(), "trek": found})


def test_hexes_border_on_six_others_and_odd_rows_are_shifted() -> None:
    assert [each.name for each in MAP.around("town")] == ["ford", "hill"]
    assert [each.name for each in MAP.around("hill")] == ["town", "ford"]
    assert [each.name for each in MAP.around("den")] == ["ford"]


def test_a_route_goes_hex_by_hex() -> None:
    MAP.check_route("town", ("ford", "den"))
    with pytest.raises(Refused, match="not next to town"):
        MAP.check_route("town", ("den",))
    with pytest.raises(Refused, match="no such place"):
        MAP.check_route("sea", ("ford",))


@pytest.mark.parametrize("twin", [MapHex("town", column=9), MapHex("other", column=0)])
def test_two_hexes_of_one_name_or_place_are_refused(twin: MapHex) -> None:
    with pytest.raises(Refused):
        replace(MAP, hexes=(*MAP.hexes, twin)).check()


def test_a_map_is_written_as_a_row_of_names() -> None:
    found: RouteMap = read(RouteMap, ["town", {"name": "ford", "terrain": "wet"}])
    assert [(each.name, each.column) for each in found.hexes] == [("town", 0), ("ford", 1)]
    assert read(RouteMap, write(MAP)) == MAP


def test_the_table_waits_for_whoever_has_not_chosen_and_then_plays_who_leads_first() -> None:
    state = trek(laid_down=(ChosenActivity("ana", "walk"),))
    found = next_of(Scene(state))
    assert found is not None
    assert found.awaited == ("bo",)
    state = state.but("trek", state["trek"].choosing_this(ChosenActivity("bo", "lead")))  # type: ignore[attr-defined]
    played = play_out(TREK, state)
    assert played.scene[TREK].whereabouts == "ford"
    assert played.scene[Who("ana", Walker)].did == ("walk at ford",)
    assert played.scene[Who("bo", Walker)].did == ("lead at town",)
    assert played.scene[CLOCK].now == 6


def test_who_plays_by_policies_is_asked() -> None:
    played = play_out(TREK, trek())
    assert played.scene[Who("bo", Walker)].did == ("walk at town",)


def test_what_comes_up_is_played_before_anything_else() -> None:
    state = trek(events=(JourneyEvent("encounter", "wolves"),))
    found = next_of(Scene(state))
    assert found is not None
    assert (found.awaited, found.call.rule.id) == ((), "kit.journeys.happens")
    assert play(found.call, state).scene[TREK].events == ()


def test_a_choice_is_replaced_or_taken_back() -> None:
    found = trek()["trek"]
    assert isinstance(found, Trek)
    twice = found.choosing_this(ChosenActivity("ana", "walk")).choosing_this(ChosenActivity("ana", "lead"))
    assert [each.activity for each in twice.laid_down] == ["lead"]
    assert twice.without_choice("ana").laid_down == ()


def test_choices_are_written_with_the_rule_that_plays_them() -> None:
    chosen = ChosenActivity("ana", "walk", walk_along(TREK, "ana"))
    assert read(ChosenActivity, write(chosen)) == chosen


def test_a_hex_that_only_the_game_master_knows_is_not_on_anybody_elses_map() -> None:
    known = known_to(trek(), NOBODY)["trek"]
    assert isinstance(known, Trek)
    assert known.map.names == ("town", "ford", "hill")
