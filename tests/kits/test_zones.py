"""Maps of zones: a smallest system with borders and features, distances and moves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field, replace
from typing import Any

import pytest

from referee.core import Call, Encounter, Open, Refused, Scene, State, Who, alter, frozen, refuse, rule
from referee.core.plain import read, write
from referee.drivers.scripted import play
from referee.kits.zones import Border, Zone, ZoneMap, ZonePlace

HOUSE = ZoneMap(
    (Zone("hall"), Zone("stair", ("steep",)), Zone("attic", ("dark", "cramped")), Zone("yard")),
    (
        Border("hall", "stair", extra=1),
        Border("stair", "attic"),
        Border("hall", "yard", crossable=False, says="a window"),
        Border("yard", "attic", sight=False),
    ),
    (ZonePlace("ana", "hall"), ZonePlace("bo", "attic")),
)


@frozen
class Walker:
    """Somebody who walks about."""

    tired: Open[int] = 0


@frozen
class Hunt(Encounter):
    """The smallest encounter with a map."""

    zones: Open[ZoneMap] = field(default_factory=ZoneMap)

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return walk(Who("ana", Walker), "stair")

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "found" if self.zones.same_zone("ana", "bo") else None

    def moved(self, who: str, zone: str) -> Hunt:
        return replace(self, zones=self.zones.moved(who, zone))


HUNT = Who("hunt", Hunt)


@rule("test.walk")
async def walk(scene: Scene, who: Who[Walker], to: str) -> int:
    """To a zone next door, for 1 and what the border costs."""
    zones = scene[HUNT].zones
    if to not in zones.neighbours(zones.where(who.name)):
        refuse(f"{to} is not next door", legal=zones.neighbours(zones.where(who.name)))
    border = zones.border(zones.where(who.name), to)
    await alter(HUNT, Hunt.moved, who.name, to)
    return 1 + (border.extra if border else 0)


def test_a_walk_costs_what_the_border_adds_and_ends_in_the_same_zone() -> None:
    state = State({"ana": Walker(), "bo": Walker(), "hunt": Hunt(HOUSE)})
    ana = Who("ana", Walker)
    first = play(walk(ana, "stair"), state)
    assert first.result == 2
    second = play(walk(ana, "attic"), first.state)
    assert second.result == 1
    assert second.scene[HUNT].over(second.scene, HUNT) == "found"
    with pytest.raises(Refused, match="yard is not next door"):
        play(walk(ana, "yard"), state)


def test_distance_counts_borders_that_can_be_seen_across() -> None:
    assert HOUSE.distance("ana", "ana") == 0
    assert HOUSE.distance("ana", "bo") == 2
    assert HOUSE.zones_between("hall", "yard") == 1
    assert HOUSE.zones_between("yard", "attic") == 3
    assert ZoneMap((Zone("a"), Zone("b"))).zones_between("a", "b") is None


def test_neighbours_are_the_zones_that_can_be_entered() -> None:
    assert HOUSE.neighbours("hall") == ("stair",)
    assert HOUSE.neighbours("yard") == ("attic",)
    assert HOUSE.border("hall", "attic") is None


def test_of_two_borders_the_easier_is_crossed() -> None:
    both = ZoneMap((Zone("a"), Zone("b")), (Border("a", "b", crossable=False), Border("b", "a", extra=2)))
    border = both.border("a", "b")
    assert border is not None
    assert (border.crossable, border.extra) == (True, 2)
    assert both.neighbours("a") == ("b",)


def test_who_was_not_placed_is_in_the_first_zone_and_without_zones_all_are_together() -> None:
    assert HOUSE.where("cy") == "hall"
    assert HOUSE.same_zone("cy", "ana")
    assert ZoneMap().same_zone("ana", "bo")
    assert ZoneMap().distance("ana", "bo") == 0
    assert HOUSE.inside("hall", ("ana", "bo", "cy")) == ("ana", "cy")


def test_features_are_those_of_the_zone_one_is_in() -> None:
    assert HOUSE.features("bo") == ("dark", "cramped")
    assert HOUSE.moved("bo", "stair").features("bo") == ("steep",)
    assert ZoneMap().features("bo") == ()


def test_somebody_is_in_one_place_only() -> None:
    moved = HOUSE.moved("ana", "stair").moved("ana", "attic")
    assert [each.zone for each in moved.places if each.who == "ana"] == ["attic"]
    assert HOUSE.where("ana") == "hall"
    with pytest.raises(Refused, match="no such zone"):
        HOUSE.moved("ana", "cellar")


@pytest.mark.parametrize(
    ("wrong", "because"),
    [
        (ZoneMap((Zone("a"), Zone("a"))), "two have one name"),
        (ZoneMap((Zone("a"),), (Border("a", "b"),)), "no such zone"),
        (ZoneMap((Zone("a"),), (Border("a", "a"),)), "does not border on itself"),
        (ZoneMap((Zone("a"),), (), (ZonePlace("ana", "b"),)), "no such zone"),
    ],
)
def test_a_map_that_cannot_be_is_refused(wrong: ZoneMap, because: str) -> None:
    with pytest.raises(Refused, match=because):
        wrong.check()
    HOUSE.check()


def test_a_map_is_plain_data() -> None:
    assert read(ZoneMap, write(HOUSE)) == HOUSE


def test_a_map_may_be_written_by_names_alone() -> None:
    short = {"zones": ["yard", {"name": "road"}], "borders": [["yard", "road"]], "places": {"ana": "road"}}
    whole = {
        "zones": [{"name": "yard"}, {"name": "road"}],
        "borders": [{"one": "yard", "other": "road"}],
        "places": [{"who": "ana", "zone": "road"}],
    }
    assert read(ZoneMap, short) == read(ZoneMap, whole)
