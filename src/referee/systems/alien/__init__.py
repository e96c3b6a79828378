"""ALIEN's basics: pools of base and stress dice, pushing, stress responses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Action, Bands, System
from referee.systems.alien import kernels as kernels  # a rule gets its kernel when this is loaded
from referee.systems.alien.basics import Combat, SkillRoll, check_skill_roll, skill_roll
from referee.systems.alien.creation import CREATION
from referee.systems.alien.sheet import Colonist, check_sheet
from referee.systems.alien.shorthand import shorthand
from referee.systems.alien.stress import change_stress, check_end_response, end_response, held_responses
from referee.systems.alien.time import check_next_round, next_round, pass_time, units

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
    actions=(
        SKILL_ROLL,
        Action("change-stress", change_stress, offers={"by": lambda *_: (-1, 1)}, master=True),
        Action(
            "end-response", end_response, check=check_end_response, offers={"response": held_responses}, master=True
        ),
        Action("pass-time", pass_time, offers={"amount": lambda *_: range(1, 11)}, master=True),
        Action("next-round", next_round, check=check_next_round, master=True),
    ),
    check=check_sheet,
    units=units,
    shorthand=shorthand,
    creation=CREATION,
)
