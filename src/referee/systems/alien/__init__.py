"""ALIEN's basics: pools of base and stress dice, pushing, stress responses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Action, System, action_of, actions_of
from referee.systems.alien import basics, stress, time
from referee.systems.alien.basics import COMBAT, Combat, SkillRoll, skill_roll
from referee.systems.alien.creation import CREATION
from referee.systems.alien.sheet import Colonist, check_sheet
from referee.systems.alien.shorthand import shorthand
from referee.systems.alien.time import units

SKILL_ROLL: Final[Action[SkillRoll]] = action_of(skill_roll)

SYSTEM: Final = System(
    name="alien",
    title="ALIEN",
    folder=Path(__file__).parent,
    version=1,
    sheet=Colonist,
    kinds=(Combat,),
    places=(COMBAT,),
    actions=actions_of(basics, stress, time),
    check=check_sheet,
    units=units,
    shorthand=shorthand,
    creation=CREATION,
)
