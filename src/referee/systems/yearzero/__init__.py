"""A Year Zero hybrid: pools of base, skill and gear dice, pushes that hurt, effects aimed for or hoped for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import System, actions_of
from referee.systems.yearzero import (
    animals,
    consumables,
    crafting,
    development,
    influence,
    insight,
    inventions,
    medical_aid,
    melee,
    observation,
    repair,
    scholar,
    skills,
    survival,
    talent_actions,
    technical,
    time,
    willpower,
    workplace,
)
from referee.systems.yearzero.sheet import Survivor, check_sheet
from referee.systems.yearzero.shorthand import shorthand
from referee.systems.yearzero.time import units
from referee.systems.yearzero.workplace import Workplace

CHAPTERS: Final = (
    skills,
    melee,
    observation,
    survival,
    crafting,
    inventions,
    repair,
    consumables,
    scholar,
    technical,
    insight,
    influence,
    animals,
    medical_aid,
    talent_actions,
    workplace,
    development,
    willpower,
    time,
)
"""The modules whose actions the game has; a new chapter is named here."""

SYSTEM: Final = System(
    name="yearzero",
    title="Year Zero",
    folder=Path(__file__).parent,
    version=1,
    sheet=Survivor,
    kinds=(Workplace,),
    actions=actions_of(*CHAPTERS),
    check=check_sheet,
    units=units,
    shorthand=shorthand,
)
