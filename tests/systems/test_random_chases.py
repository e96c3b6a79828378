"""Chases between anybody by random legal choices: nothing breaks, they end, and the log alone brings every one back.

`CHASES=2000 pytest -m slow tests/systems/test_random_chases.py` plays so many, every tenth again from its log.
"""

from __future__ import annotations

import os
from random import Random
from typing import Final

import pytest
from tests.systems.test_random_fights import AGAIN, BROKEN, NAMES, book_by_chance, check_again, people

from referee import registry
from referee.core import State
from referee.core.options import present_fields
from referee.core.plain import Plain
from referee.core.scene import Scene
from referee.core.system import System
from referee.kits.chases import Pursuit
from referee.testing.conformance import ConformanceWalk

CHASES: Final = int(os.environ.get("CHASES", "10"))
MOVES: Final = 600
KINDS: Final = {"dime": "Chase", "yearzero": "RangeChase"}
MODELS: Final = {"yearzero": ("RatedVehicle", ("Jeep", "Bus", "Motorcycle: Hog", "Bicycle", "APC", "Speed boat"))}
"""The kind of vehicle of a game in whose chases people drive, and a few models."""


def scene_by_chance(system: System, kind: str, random: Random) -> State:
    """Two to five people of samples, some of whom flee from the others."""
    book = book_by_chance(system, random)
    names = NAMES[: random.randint(2, len(NAMES))]
    cut = random.randint(1, len(names) - 1)
    values: dict[str, Plain] = {"book": {"kind": "Book", **book.to_plain()}}
    for name in names:
        sheet = random.choice(people(system))
        values[name] = {"kind": type(sheet).__name__, **present_fields(sheet, book)}
    movers = [drives(system, values, name, random) for name in names] if system.name in MODELS else []
    sides: Plain = [list(names[:cut]), list(names[cut:])]
    driven: Plain = {"movers": [each for each in movers if each]} if movers else {}
    return system.new_state({**values, "chase": {"kind": kind, "sides": sides, **driven}})


def drives(system: System, values: dict[str, Plain], name: str, random: Random) -> dict[str, Plain]:
    """Somebody drives or runs, some way along the road."""
    kind, models = MODELS[system.name]
    if random.random() < 0.5:
        return {"name": name, "at": 0}
    riders: Plain = [{"who": name, "role": "driver"}]
    values[f"car of {name}"] = {"kind": kind, "model": random.choice(models), "running": True, "riders": riders}
    return {"name": f"car of {name}", "pilot": name, "at": 0}


def play(system: System, kind: str, number: int) -> ConformanceWalk:
    """A chase to its end."""
    random = Random(f"{system.name} {number}")
    walk = ConformanceWalk(system, scene_by_chance(system, kind, random), number, check=False, actions=())
    for _ in range(MOVES):
        chase = walk.journal.state.get("chase")
        if chase is None:
            return walk
        assert isinstance(chase, Pursuit)
        check_road(walk.journal.state, chase)
        if not walk.move():
            break
    raise AssertionError(f"chase {number} goes on and on")


def check_road(state: State, chase: Pursuit) -> None:
    """Everybody is in one mover, each on a side, and whoever flees has no gap to themselves."""
    riding = [name for mover in chase.all_movers for name in mover.people]
    assert sorted(riding) == sorted(set(riding))
    assert set(chase.fighters) <= set(riding)
    scene = Scene(state)
    assert all(chase.gap_to_quarry(scene, mover.name) == 0 for mover in chase.running(scene, "quarry"))


@pytest.mark.parametrize("chases", [2, pytest.param(CHASES, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_chases_end_by_legal_choices_and_every_tenth_is_played_again_from_its_log(
    name: str, kind: str, chases: int
) -> None:
    system, failed = registry.load(name), dict[int, str]()
    for number in range(chases):
        try:
            walk = play(system, kind, number)
            if number % AGAIN == 0:
                check_again(system, walk.journal)
        except BROKEN as problem:
            failed[number] = repr(problem)
    assert not failed
