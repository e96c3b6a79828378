"""Two worlds that differ in what a duelist antes and chooses: nobody else can tell, until it is shown."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from referee import registry
from referee.table.rehearsal import open_table
from referee.testing.scenarios import samples
from referee.testing.two_worlds.secrets import differing
from referee.testing.two_worlds.usual import usual_stage
from referee.testing.two_worlds.walk import ScriptMove, Secret, Stage, Walk

DIME: Final = registry.load("dime")


def hand(who: str, *cards: str) -> dict[str, object]:
    return {"kind": "Pile", "facing": "hand", "owner": who, "cards": [f"{card}@{who}" for card in cards]}


SCENE: Final = DIME.plain(
    DIME.new_state(
        {"ana": {"moxie": 2}, "bo": {"moxie": 1}, "ana.hand": hand("ana", "2C", "QD"), "bo.hand": hand("bo", "9S")}
    )
)


def duel_secret(random: Random) -> tuple[Secret, ...]:
    return (Secret("what ana antes and chooses", frozenset({"ann"})),)


@pytest.fixture(params=[10**9, pytest.param(2, marks=pytest.mark.slow)], ids=["without odds", "with odds"])
def walk(request: pytest.FixtureRequest) -> Walk:
    stage = Stage(DIME, SCENE, {"ann": ("ana",), "ben": ("bo",)}, duel_secret, (), odds_every=request.param)
    return Walk(stage, open_table, 3)


def alike(walk: Walk, seat: str, does: str, *given: object) -> None:
    walk.make(ScriptMove.alike(seat, does, *given))
    assert walk.script[-1][1:] == ("", ""), walk.script[-1]


def to_the_antes(walk: Walk) -> None:
    alike(walk, "ann", "act", "challenge", "ana", {"other": "bo", "zones_apart": 0})
    alike(walk, "ben", "answer", "bo.accept", "yes")


def answer_flips(walk: Walk) -> None:
    """Nobody plays a card from hand, or pushes their luck."""
    for seat, key in (("ann", "ana.play"), ("ann", "ana.luck"), ("ben", "bo.play"), ("ben", "bo.luck")):
        if key in walk.worlds[0].table.questions(seat):
            alike(walk, seat, "answer", key, "no")


def test_an_ante_is_known_to_its_owner_alone(walk: Walk) -> None:
    to_the_antes(walk)
    walk.make(differing("ann", "answer", ("ana.ante", "2C@ana"), ("ana.ante", "QD@ana")))
    alike(walk, "ben", "answer", "bo.ante", "9S@bo")
    here, there = (world.table.journal.state["ana.ante"] for world in walk.worlds)
    assert here != there
    assert walk.viewers == ["ben", "guest"]
    alike(walk, "ann", "answer", "ana.tactic", "Chr/empathy")
    alike(walk, "ben", "answer", "bo.tactic", "Chr/socialize")
    answer_flips(walk)
    assert walk.viewers == ["ben", "guest"]
    assert walk.compared >= 12


def test_the_owner_and_the_game_master_do_know_the_ante(walk: Walk) -> None:
    to_the_antes(walk)
    walk.make(differing("ann", "answer", ("ana.ante", "2C@ana"), ("ana.ante", "QD@ana")))
    alike(walk, "ben", "answer", "bo.ante", "9S@bo")
    table = walk.worlds[0].table
    seen = {seat: table.desk(seat).view()["scene"]["ana.ante"] for seat in ("gm", "ann", "ben", "guest")}
    assert seen["ann"]["cards"] == seen["gm"]["cards"] == ["2C@ana"]
    assert seen["ben"] == seen["guest"] == {"kind": "Pile", "owner": "ana", "facing": "hand", "count": 1}


def test_speed_or_safety_is_not_told_before_both_have_chosen(walk: Walk) -> None:
    to_the_antes(walk)
    alike(walk, "ann", "answer", "ana.ante", "2C@ana")
    alike(walk, "ben", "answer", "bo.ante", "9S@bo")
    alike(walk, "ann", "answer", "ana.tactic", "Chr/empathy")
    alike(walk, "ben", "answer", "bo.tactic", "Chr/socialize")
    answer_flips(walk)
    walk.make(differing("ann", "answer", ("ana.pace", "speed"), ("ana.pace", "safety")))
    assert walk.script[-1][1:] == ("", "")
    assert walk.viewers == ["ben", "guest"]
    alike(walk, "ben", "answer", "bo.pace", "safety")
    assert walk.viewers == []
    assert walk.revealed == ["ben", "guest"]


@pytest.mark.parametrize("sample", ["noon", "rooftops"])
@pytest.mark.parametrize("seed", range(2))
def test_no_hidden_hand_or_ante_shows_in_the_samples(sample: str, seed: int) -> None:
    stage = usual_stage(DIME, dict(samples(DIME))[sample])
    assert stage is not None
    Walk(stage, open_table, seed).go(12)
