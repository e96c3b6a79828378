"""ALIEN's basics: pools of base and stress dice, pushing, stress responses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Action, System, action_of, actions_of
from referee.kits import chase_tracker
from referee.kits.chase_tracker import CHASE, ChaseTracker
from referee.systems.alien import basics, stress, time
from referee.systems.alien.basics import COMBAT, Combat, SkillRoll, combat_between, skill_roll
from referee.systems.alien.condition import condition
from referee.systems.alien.creation import CREATION
from referee.systems.alien.gear import CATALOGUE
from referee.systems.alien.sheet import Colonist, check_sheet
from referee.systems.alien.shorthand import shorthand
from referee.systems.alien.time import units

SKILL_ROLL: Final[Action[SkillRoll]] = action_of(skill_roll)

SYSTEM: Final = System(
    name="alien",
    title="ALIEN",
    folder=Path(__file__).parent,
    version=2,
    sheet=Colonist,
    kinds=(Combat, ChaseTracker),
    places=(COMBAT, CHASE),
    fight=combat_between,
    actions=actions_of(basics, stress, time, chase_tracker),
    condition=condition,
    check=check_sheet,
    units=units,
    shorthand=shorthand,
    creation=CREATION,
    catalogue=CATALOGUE,
)
