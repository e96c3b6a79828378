"""ALIEN's basics: pools of base and stress dice, pushing, stress responses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Action, Bands, System
from referee.systems.alien.basics import Combat, check_skill_roll, skill_roll
from referee.systems.alien.sheet import Colonist, check_sheet
from referee.systems.alien.time import units

SKILL_ROLL: Final = Action(
    "skill-roll",
    skill_roll,
    Bands(
        of=lambda result: "success" if result.success else "failure",
        keys=("success", "failure"),
        extra={"extra-success": lambda result: result.extra > 0},
        bad={
            "stress-response": lambda result: result.response is not None,
            "mess-up": lambda result: result.response == "Mess Up",
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
    actions=(SKILL_ROLL,),
    check=check_sheet,
    units=units,
)
