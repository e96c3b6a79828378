"""Two worlds that differ in which maneuver somebody lays down: nobody else can tell, until all are revealed."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from referee import registry
from referee.table.rehearsal import open_table
from referee.testing.scenarios import samples
from referee.testing.two_worlds.secrets import differing
from referee.testing.two_worlds.walk import ScriptMove, Secret, Stage, Walk

YEARZERO: Final = registry.load("yearzero")
HIGHWAY: Final = YEARZERO.plain(dict(samples(YEARZERO))["highway"])


def chase_secret(random: Random) -> tuple[Secret, ...]:
    return (Secret("which maneuver Juno lays down", frozenset({"ann"})),)


@pytest.fixture(params=[10**9, pytest.param(2, marks=pytest.mark.slow)], ids=["without odds", "with odds"])
def walk(request: pytest.FixtureRequest) -> Walk:
    seats = {"ann": ("Juno", "Okonkwo"), "ben": ("Rusk", "Gus", "Vee")}
    return Walk(Stage(YEARZERO, HIGHWAY, seats, chase_secret, (), odds_every=request.param), open_table, 3)


def test_nobody_can_tell_which_maneuver_was_laid_down(walk: Walk) -> None:
    walk.make(differing("ann", "answer", ("Juno.maneuver", "Flee"), ("Juno.maneuver", "Block")))
    assert walk.script[-1][1:] == ("", "")
    assert walk.viewers == ["ben", "guest"]
    assert all("Vee.maneuver" in world.table.questions("ben") for world in walk.worlds)
    assert walk.compared > 0


def test_all_can_tell_once_everybody_has_chosen(walk: Walk) -> None:
    walk.make(differing("ann", "answer", ("Juno.maneuver", "Flee"), ("Juno.maneuver", "Block")))
    walk.make(ScriptMove.alike("ben", "answer", "Vee.maneuver", "Pursue"))
    told = [str(world.table.desk("ben").view()["scene"]["chase"]["plans"]) for world in walk.worlds]
    assert "Flee" in told[0]
    assert "Block" in told[1]


def test_what_the_game_master_has_placed_is_in_nobody_elses_view(walk: Walk) -> None:
    walk.make(ScriptMove.alike("gm", "act", "place-obstacle", None, {"obstacle": "massive barrier"}))
    table = walk.worlds[0].table
    seen = {seat: str(table.desk(seat).view()["scene"]["chase"]) for seat in ("gm", "ann", "ben")}
    assert "massive barrier" in seen["gm"]
    assert "massive barrier" not in seen["ann"] + seen["ben"]
