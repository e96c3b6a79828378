"""A Year Zero hybrid: pools of base, skill and gear dice, pushes that hurt, effects aimed for or hoped for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import System, Who, actions_of
from referee.systems.yearzero import (
    action_types,
    aiming,
    ambush,
    animals,
    comfort,
    command,
    consumables,
    covers,
    crafting,
    development,
    devices,
    disease,
    domination,
    downtime,
    driving,
    encumbrance,
    endurance,
    experience,
    explosions,
    explosives,
    exposure,
    goes,
    grapples,
    ground,
    influence,
    initiative,
    insight,
    inventions,
    journeys,
    marksmanship,
    medical_aid,
    melee,
    might,
    mines,
    mishaps,
    money,
    move,
    observation,
    opportunity,
    outdoor_mishaps,
    overwatch,
    panic,
    panic_effects,
    performance,
    pride,
    rapid_fire,
    repair,
    reputation,
    rest,
    scholar,
    scrounging,
    skills,
    stealth,
    structures,
    supply,
    survival,
    talent_actions,
    technical,
    time,
    trauma,
    turning,
    willpower,
    workplace,
)
from referee.systems.yearzero.advancement import ADVANCEMENT
from referee.systems.yearzero.animals import Animal
from referee.systems.yearzero.battle import BATTLE, Battle
from referee.systems.yearzero.catalogue import CATALOGUE
from referee.systems.yearzero.chases import chase, obstacles, rounds
from referee.systems.yearzero.chases.chase import CHASE, RangeChase
from referee.systems.yearzero.checks import check_survivor
from referee.systems.yearzero.condition import condition
from referee.systems.yearzero.creation import CREATION
from referee.systems.yearzero.downtime import DOWNTIME, Downtime
from referee.systems.yearzero.endurance import Interrogation, torture_of
from referee.systems.yearzero.initiative import battle_between
from referee.systems.yearzero.injury_tables import written_names
from referee.systems.yearzero.journeys import JOURNEY
from referee.systems.yearzero.mines import Minefield
from referee.systems.yearzero.observation import LAND, Land
from referee.systems.yearzero.policies import aggressive, cautious
from referee.systems.yearzero.sheet import Survivor
from referee.systems.yearzero.shorthand import shorthand
from referee.systems.yearzero.structures import Structure
from referee.systems.yearzero.terrain import Journey
from referee.systems.yearzero.time import units
from referee.systems.yearzero.turning import Turning
from referee.systems.yearzero.vehicles import crew, critical_damage, firing, ramming, repairs
from referee.systems.yearzero.vehicles import driving as vehicle_driving
from referee.systems.yearzero.vehicles.vehicle import RatedVehicle
from referee.systems.yearzero.workplace import Workplace

CHAPTERS: Final = (
    skills,
    might,
    endurance,
    melee,
    grapples,
    stealth,
    move,
    marksmanship,
    aiming,
    overwatch,
    ground,
    covers,
    opportunity,
    rapid_fire,
    ambush,
    explosions,
    explosives,
    mines,
    structures,
    mishaps,
    exposure,
    driving,
    action_types,
    initiative,
    goes,
    panic,
    panic_effects,
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
    domination,
    command,
    performance,
    animals,
    medical_aid,
    disease,
    trauma,
    comfort,
    talent_actions,
    workplace,
    rest,
    development,
    willpower,
    pride,
    time,
    experience,
    reputation,
    money,
    supply,
    encumbrance,
    devices,
    chase,
    obstacles,
    rounds,
    crew,
    vehicle_driving,
    ramming,
    firing,
    critical_damage,
    repairs,
    turning,
    scrounging,
    outdoor_mishaps,
    journeys,
    downtime,
)
"""The modules whose actions the game has; a new chapter is named here."""

SYSTEM: Final = System(
    name="yearzero",
    title="Year Zero",
    folder=Path(__file__).parent,
    version=9,
    sheet=Survivor,
    kinds=(
        Animal,
        Battle,
        Downtime,
        Interrogation,
        Journey,
        Land,
        Minefield,
        RangeChase,
        RatedVehicle,
        Structure,
        Turning,
        Workplace,
    ),
    places=(BATTLE, CHASE, LAND, JOURNEY, DOWNTIME),
    passing_names={torture_of(Who("*", Survivor)).name: Interrogation},
    fight=battle_between,
    actions=actions_of(*CHAPTERS),
    policies={"aggressive": aggressive, "cautious": cautious},
    condition=condition,
    check=check_survivor,
    written=written_names,
    creation=CREATION,
    advancement=ADVANCEMENT,
    catalogue=CATALOGUE,
    units=units,
    shorthand=shorthand,
)
