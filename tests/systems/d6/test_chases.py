"""Chases between all kinds of movers by random legal choices and by policies; odds of maneuvers, by every throw.

`CHASES=2000 pytest -m slow tests/systems/d6/test_chases.py` plays so many, every tenth again from its log.
"""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from tests.systems.test_random_fights import BROKEN, check_again

from referee import registry
from referee.core import Scene, State
from referee.core.errors import TooLarge
from referee.core.plain import Plain
from referee.core.rulebook import BOOK
from referee.core.scene import Who
from referee.drivers.exact import Exact
from referee.drivers.sampled import Sampled
from referee.systems.d6.sheet import Hero
from referee.systems.d6.vehicles.chase import CHASE, VehicleChase
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.movement import CONTROLLED, Drive, DriveCourse, control
from referee.systems.d6.vehicles.vehicle import VEHICLES, Vehicle
from referee.testing.conformance import ConformanceWalk

SYSTEM: Final = registry.load("d6")
CHASES: Final = int(os.environ.get("CHASES", "10"))
FIRST: Final = int(os.environ.get("FIRST", "0"))
MOVES: Final = int(os.environ.get("MOVES", "80"))
AGAIN: Final = 10
SKILLS: Final = (
    "Driving - Land Vehicles",
    "Piloting - Air Vehicles",
    "Boating",
    "Running",
    "Animal handling",
    "Firearms",
)
GROUND: Final = ("Motorbike", "Saloon car", "Sports car", "Off-roader", "Lorry", "Carriage")
TERRAINS: Final = ("Clear", "Minor obstacles, light traffic", "Rough terrain, moderate traffic")
OPTIONS: Final = ("d6.scale.simplified", "d6.movement.onboard-effects", "d6.core.wild-die")


def person(random: Random) -> dict[str, Plain]:
    return {
        "attributes": {
            "Coordination": "3D",
            "Agility": "3D",
            "Strength": "3D",
            "Perception": f"{random.randint(2, 4)}D",
        },
        "skills": {name: f"{random.randint(3, 6)}D" for name in SKILLS},
        "equipment": [{"name": "pistol", "row": "Automatic pistol (Colt .45)", "held": True}],
    }


def chase_by_chance(random: Random) -> State:
    """One to three movers on either side: on foot, mounted, in all kinds of vehicles, with somebody aboard."""
    values: dict[str, Any] = {"book": {"kind": "Book", "options": {}}}
    if random.random() < 0.7:
        values["book"]["options"] = {each: True for each in OPTIONS if random.random() < 0.4}
        values["book"]["options"]["d6.combat.initiative-base"] = random.choice(["fixed", "variable"])
        values["book"]["options"]["d6.chase.initiative-order"] = random.choice(["by code", "rolled"])
    catalogue, sides, movers = Scene(State({BOOK.name: SYSTEM.state({})[BOOK.name]}))[VEHICLES], [], []
    for at in range(2):
        side: list[str] = []
        for number in range(random.randint(1, 2)):
            driver, rider = f"{'qp'[at]}{number}", f"{'qp'[at]}{number} rider"
            values[driver] = person(random)
            mover: dict[str, Plain] = {"name": driver, "at": random.randint(20, 120) * (1 - at)}
            side.append(driver)
            if random.random() < 0.8:
                kind = random.choice(GROUND)
                sheet = {**catalogue[kind].sheet, "posts": [{"post": "pilot", "who": driver}]}
                if random.random() < 0.5:
                    values[rider], sheet["passengers"] = person(random), [rider]
                    side.append(rider)
                sheet["motion"] = {"speed": random.choice(["Cautious", "Cruise", "High"])}
                values[f"{kind} {at}{number}"] = {"kind": "Vehicle", **sheet}
                mover |= {"name": f"{kind} {at}{number}", "pilot": driver, "passengers": sheet.get("passengers", [])}
            else:
                values[driver]["motion"] = {"speed": "Cruise"}
            movers.append(mover)
        sides.append(side)
    values["fight"] = {"kind": "IndividualCombat", "sides": sides}
    values["chase"] = {
        "kind": "VehicleChase",
        "sides": sides,
        "movers": movers,
        "terrain": random.choice(["Clear", "Minor obstacles, light traffic", "Rough terrain, moderate traffic"]),
    }
    return SYSTEM.new_state(values)


def chased(number: int) -> ConformanceWalk:
    """A chase as far as we have patience."""
    random = Random(f"chase {number}")
    walk = ConformanceWalk(SYSTEM, chase_by_chance(random), number, check=False, actions=SYSTEM.actions)
    for _ in range(MOVES):
        if CHASE.name not in walk.journal.state or not walk.move():
            break
        check_places(walk.journal.state)
    for name in walk.journal.state:
        SYSTEM.check_sheet(walk.journal.state, name)
    return walk


def check_places(state: State) -> None:
    """Whoever is in a chase is in one mover, and nothing goes backwards in time."""
    chase = state.get(CHASE.name)
    if isinstance(chase, VehicleChase):
        names = Counter(name for mover in chase.all_movers for name in mover.people)
        assert max(names.values(), default=0) <= 1, names


@pytest.mark.parametrize("chases", [1, pytest.param(CHASES, marks=pytest.mark.slow)])
def test_chases_are_played_by_legal_choices_and_every_tenth_again_from_its_log(chases: int) -> None:
    failed = dict[int, str]()
    for number in range(FIRST, FIRST + chases):
        try:
            walk = chased(number)
            if number % AGAIN == 0:
                check_again(SYSTEM, walk.journal)
        except BROKEN as problem:
            failed[number] = repr(problem)[:400]
    assert not failed


@pytest.mark.parametrize("chases", [2, pytest.param(CHASES, marks=pytest.mark.slow)])
def test_drivers_by_policy_play_chases_to_their_end(chases: int) -> None:
    """Whoever drives as fast as they dare escapes, catches, crashes, or is still on the road after a while."""
    ended = Counter[str]()
    for number in range(FIRST, FIRST + chases):
        state = chase_by_chance(Random(f"policy {number}"))
        sampled = Sampled(Random(number), SYSTEM.policies["aggressive"])
        try:
            how, _ = sampled.play_out(CHASE, state, MOVES)
        except TooLarge:
            how = "goes on"
        ended[str(how)] += 1
    assert set(ended) <= {"escaped", "caught", "nobody", "goes on"}


LEVELS: Final = {
    (1, 3): "slight-slip",
    (4, 6): "slip",
    (7, 10): "spin",
    (11, 15): "minor-collision",
    (16, 20): "collision",
    (21, 99): "major-collision",
}


def counted(dice: int, needed: int) -> dict[str, Fraction]:
    """Every throw of some dice, by what it comes to."""
    found = Counter[str]()
    for throw in product(range(1, 7), repeat=dice):
        missing = needed - sum(throw)
        found["in-control" if missing <= 0 else next(k for (a, b), k in LEVELS.items() if a <= missing <= b)] += 1
    return {band: Fraction(ways, 6**dice) for band, ways in found.items()}


@pytest.mark.parametrize(
    ("speed", "maneuver", "dice", "needed"),
    [
        ("High", "Tight turn", 4, 15),
        ("High", "Very tight turn", 4, 20),
        ("High", "Bootlegger turn", 4, 25),
        ("All-out", "", 5, 15),
        ("Cruise", "Bootlegger turn", 5, 15),
    ],
)
def test_the_odds_of_a_maneuver_are_those_of_every_throw(speed: str, maneuver: str, dice: int, needed: int) -> None:
    sheets = {"ana": {"skills": {"Driving - Land Vehicles": "4D"}}}
    car = {"kind": "Vehicle", "pilot": "ana", "speed": "High", "maneuverability": "1D", "move": 30}
    state = SYSTEM.state({**sheets, "car": car})
    drive = Drive(speed, (maneuver,) if maneuver else (), DriveCourse("Minor obstacles, light traffic"))
    found = Exact().results(control(Who("ana", Hero), Who("car", Vehicle), drive), state)
    wanted = counted(dice, needed)
    for band, chance in wanted.items():
        assert found.chance(lambda it, of=band: CONTROLLED.of(it) == of) == chance  # type: ignore[misc]


def test_what_stops_in_a_crash_is_at_rest() -> None:
    state = SYSTEM.state({"ana": {}, "car": {"kind": "Vehicle", "pilot": "ana", "speed": "High", "move": 30}})
    drive = Drive("High", ("Bootlegger turn",), DriveCourse("Very hard terrain, traffic jam"))
    call = control(Who("ana", Hero), Who("car", Vehicle), drive)
    _, after = Sampled(Random(1)).play(call, state)
    motion = after["car"].motion  # type: ignore[attr-defined]
    assert (motion.speed, motion.metres) == (STOP, 0)
