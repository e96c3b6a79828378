"""ALIEN's basics: pools of base and stress dice, pushing, stress responses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Action, Bands, System, actions_of
from referee.systems.alien import kernels as kernels  # a rule gets its kernel when this is loaded
from referee.systems.alien import stress, time
from referee.systems.alien.basics import Combat, SkillRoll, check_skill_roll, skill_roll
from referee.systems.alien.sheet import Colonist, check_sheet
from referee.systems.alien.shorthand import at_random, shorthand
from referee.systems.alien.time import units

SKILL_ROLL: Final[Action[SkillRoll]] = Action(
    "skill-roll",
    skill_roll,
    Bands(
        of=lambda result: "success" if result.success else "failure",
        keys=("success", "failure"),
        extra={"extra-success": lambda result: result.extra > 0},
        bad={
            "stress-response": lambda result: result.response is not None,
            "mess-up": lambda result: result.messed_up,
        },
    ),
    check=check_skill_roll,
)

SYSTEM: Final = System(
    name="alien",
    title="ALIEN",
    folder=Path(__file__).parent,
    version=1,
    sheet=Colonist,
    kinds=(Combat,),
    actions=(SKILL_ROLL, *actions_of(stress, time)),
    check=check_sheet,
    units=units,
    shorthand=shorthand,
    at_random=at_random,
)
