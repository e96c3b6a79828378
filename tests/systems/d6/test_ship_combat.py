"""Ships under command and fights with vehicles by random legal choices; golden transcripts with their claims.

`VEHICLE_FIGHTS=1000 pytest -m slow tests/systems/d6/test_ship_combat.py` plays so many, every tenth again from its log.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import pytest
from tests.systems.test_random_fights import BROKEN, check_again

from referee import registry
from referee.core import State
from referee.core.errors import TooLarge
from referee.core.files import load_yaml
from referee.core.plain import Plain
from referee.drivers.sampled import Sampled
from referee.systems.d6.combat.round import FIGHT
from referee.systems.d6.vehicles.command import BATTLE
from referee.testing.conformance import ConformanceWalk
from referee.testing.scenarios import ScenarioReport, check, samples

SYSTEM: Final = registry.load("d6")
FIGHTS: Final = int(os.environ.get("VEHICLE_FIGHTS", "10"))
FIRST: Final = int(os.environ.get("FIRST", "0"))
MOVES: Final = int(os.environ.get("MOVES", "60"))
AGAIN: Final = 10
HERE = Path(__file__).parent
TOLD: Final = ("dogfight", "patrol")
OPTIONS: Final = ("d6.scale.simplified", "d6.core.wild-die", "d6.vehicle-damage.legend", "d6.crew.reduced")


def gunner(random: Random) -> dict[str, Plain]:
    dice = {name: f"{random.randint(2, 4)}D" for name in ("Coordination", "Strength", "Perception", "Charisma")}
    skills = ("Mounted Weaponry", "Piloting - Air Vehicles", "Firearms", "Command", "Strategy and Tactics", "Sensors")
    return {"attributes": dice, "skills": {name: f"{random.randint(4, 6)}D" for name in skills}}


def plane(random: Random, names: tuple[str, ...]) -> dict[str, Plain]:
    """Something with wings, guns, rockets and missiles, and two aboard."""
    guns: list[Plain] = [
        {"name": "guns", "scale": random.randint(1, 3), "skill": "Mounted Weaponry", "damage": "4D", "range": [800]},
        {
            "name": "rocket",
            "skill": "Mounted Weaponry",
            "damage": "6D",
            "range": [2000],
            "propelled": True,
            "speed": 90,
        },
        {
            "name": "missile",
            "skill": "Mounted Weaponry",
            "damage": "6D",
            "range": [3000],
            "propelled": True,
            "speed": random.choice((200, 900)),
            "guidance": "4D",
            "lasts": 4,
        },
        {"name": "laser", "skill": "Mounted Weaponry", "range": [2000], "mark": "1D"},
    ]
    posts: list[Plain] = [{"post": "pilot", "who": names[0]}, {"post": "gunner", "who": names[1], "weapon": "guns"}]
    speed = random.choice(("Stop", "Cruise", "High"))
    return {
        "kind": "Vehicle",
        "category": "Air vehicle",
        "scale": random.randint(1, 4),
        "body": f"{random.randint(2, 5)}D",
        "maneuverability": "1D",
        "move": {"air": 60},
        "take_off": "VTOL",
        "motion": {"speed": speed, "medium": "air", "metres": 0 if speed == "Stop" else 60},
        "weapons": guns,
        "posts": posts,
        "crew": 2,
        "minimum_crew": 1,
    }


def fight_by_chance(random: Random) -> State:
    """Two planes with two aboard each, shooting at each other."""
    values: dict[str, Plain] = {name: gunner(random) for name in ("al", "bo", "cy", "di")}
    values |= {"hawk": plane(random, ("al", "bo")), "kite": plane(random, ("cy", "di"))}
    values["fight"] = {"kind": "IndividualCombat", "sides": [["al", "bo"], ["cy", "di"]]}
    values["clock"] = {"kind": "Clock"}
    chosen: dict[str, Plain] = {
        id_: random.choice([*SYSTEM.printed_book.entry(id_).choices] or [True])
        for id_ in OPTIONS
        if random.random() < 0.4
    }
    values["book"] = {"kind": "Book", "options": chosen}
    return SYSTEM.new_state(values)


def play_by_chance(number: int, again: bool) -> None:
    walk = ConformanceWalk(SYSTEM, fight_by_chance(Random(number)), number, check=False, actions=SYSTEM.actions)
    try:
        for _ in range(MOVES):
            if FIGHT.name not in walk.journal.state or not walk.move():
                break
        for name in walk.journal.state:
            SYSTEM.check_sheet(walk.journal.state, name)
        if again:
            check_again(SYSTEM, walk.journal)
    except BROKEN as why:
        raise AssertionError(f"fight {number}: {why!r}") from why


@pytest.mark.slow
def test_random_fights_with_vehicles_break_nothing_and_come_back_from_their_log() -> None:
    for number in range(FIRST, FIRST + FIGHTS):
        play_by_chance(number, number % AGAIN == 0)


@pytest.mark.parametrize("number", [1, 2])
def test_a_fight_of_planes_by_chance(number: int) -> None:
    play_by_chance(number, False)


@pytest.mark.parametrize("policy", ["aggressive", "cautious"])
def test_policies_play_ships_under_command_to_their_end(policy: str) -> None:
    state = dict(samples(SYSTEM))["patrol-ship"]
    with suppress(TooLarge):  # a captain of few words may leave both afloat for long
        ended, _ = Sampled(Random(7), SYSTEM.policies[policy]).play_out(BATTLE, state, 60)
        assert ended in ("Steadfast", "Gull", "nobody")


@cache
def played(name: str) -> ScenarioReport:
    return check(load_yaml((HERE / f"golden_{name}.yaml").read_text("utf-8")))


@pytest.mark.parametrize("name", TOLD)
def test_every_claim_holds(name: str) -> None:
    assert not played(name).differences


@pytest.mark.parametrize("name", TOLD)
def test_the_story_is_as_recorded(name: str) -> None:
    told, recording = "\n".join(played(name).story) + "\n", HERE / f"golden_{name}.txt"
    if os.environ.get("REFEREE_RECORD"):
        recording.write_text(told, "utf-8")
    assert told == recording.read_text("utf-8")
