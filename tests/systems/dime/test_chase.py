"""Chases: what a scenario cannot say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee import registry
from referee.core.cards import Card
from referee.core.errors import RefereeError
from referee.core.scene import Scene
from referee.kits.chases import QUARRY
from referee.systems.dime.chase import CHASE, OBSTACLES, PURSUERS, able, rank_of
from referee.testing.scenarios import samples

DIME = registry.load("dime")


def test_the_joker_is_the_highest_card_there_is() -> None:
    scene = Scene(dict(samples(DIME))["rooftops"])
    highest = rank_of(scene, Card("Joker1", "gm"))
    assert (highest, scene[OBSTACLES].at(14).name) == (14, "Opening")
    with pytest.raises(RefereeError, match="15"):
        scene[OBSTACLES].at(15)


def test_someone_removed_from_the_scene_runs_no_more() -> None:
    state = dict(samples(DIME))["rooftops"]
    for name in ("Lucie", "Constable"):
        state = state.but(name, None)
    scene = Scene(state)
    assert [who.name for who in able(scene, scene[CHASE], QUARRY)] == ["Anton"]
    assert [who.name for who in able(scene, scene[CHASE], PURSUERS)] == ["Inspector Hruby"]
    assert scene[CHASE].over(scene, CHASE) is None
    without = Scene(state.but("Anton", None))
    assert without[CHASE].over(without, CHASE) == "caught"


def test_figures_of_a_side_are_kept_by_its_name() -> None:
    chase = {"kind": "Chase", "sides": [["ana"], ["bo"]], "tallies": {"ana": 20}}
    with pytest.raises(RefereeError, match=r"tallies\.ana: 'ana' is not known; one of quarry, pursuers"):
        DIME.state({"ana": {}, "bo": {}, "chase": chase})


def test_whoever_changes_sides_takes_no_leg_up_along() -> None:
    scene = Scene(dict(samples(DIME))["rooftops"])
    chase = replace(scene[CHASE], leg_up=frozenset({"Lucie", "Anton"}))
    assert not chase.joined_by("Lucie", 1).has_leg_up(PURSUERS)
    assert chase.left_by("Lucie").has_leg_up(QUARRY)
    assert not chase.left_by("Lucie").left_by("Anton").has_leg_up(QUARRY)
