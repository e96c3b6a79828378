"""The D6 System: dice codes with a wild die, Character and Fate Points, merits and flaws."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import System, actions_of
from referee.kits.breakdown import declare_breakdown
from referee.kits.skill_uses import KeptRoll
from referee.systems.d6 import (
    advancement,
    arts,
    building,
    creatures,
    damage,
    environments,
    equipment_value,
    exertion,
    hazards,
    health,
    knowledge,
    market,
    merits_and_flaws,
    opposed,
    poison_making,
    repair,
    resolution,
    rolls,
    settings,
    skill_uses,
    skills,
    social,
    tasks,
    time,
    toxins,
    traps,
    treatment,
    wealth,
    work,
    zones,
)
from referee.systems.d6.bestiary import printed_people
from referee.systems.d6.character import check_sheet, written_names
from referee.systems.d6.combat import (
    aid,
    ammunition,
    areas,
    battle_setup,
    brawling,
    bursts,
    charges,
    cover,
    diceless,
    dodges,
    duel,
    engagement,
    fight_setup,
    generals,
    initiative,
    learning,
    martial_arts,
    mastery,
    mastery_parries,
    melee,
    melee_shots,
    missiles,
    parries,
    pins,
    preparation,
    ranged,
    reactions,
    skirmish,
    skirmish_attacks,
    skirmish_setup,
    surroundings,
    teasing,
    weapons,
)
from referee.systems.d6.combat import round as combat_round
from referee.systems.d6.combat.battle import BATTLE, LargeBattle
from referee.systems.d6.combat.breakdown import PlainFight
from referee.systems.d6.combat.duel import DUEL, FastDrawDuel
from referee.systems.d6.combat.round import FIGHT, IndividualCombat
from referee.systems.d6.combat.skirmish import SKIRMISH, UnitSkirmish
from referee.systems.d6.condition import condition
from referee.systems.d6.creation import CREATION
from referee.systems.d6.equipment import CATALOGUE
from referee.systems.d6.growth import ADVANCEMENT
from referee.systems.d6.policies import aggressive, cautious
from referee.systems.d6.sheet import Hero
from referee.systems.d6.shorthand import shorthand
from referee.systems.d6.skill_names import in_words
from referee.systems.d6.spelling import spelled_sheet
from referee.systems.d6.time import units
from referee.systems.d6.vehicles import chase, crews, gunnery, movement, posts, ramming, take_off, targets
from referee.systems.d6.vehicles import damage as vehicle_damage
from referee.systems.d6.vehicles.vehicle import Vehicle

SYSTEM: Final = System(
    name="d6",
    title="D6 System",
    folder=Path(__file__).parent,
    version=9,
    sheet=Hero,
    kinds=(
        IndividualCombat,
        FastDrawDuel,
        LargeBattle,
        UnitSkirmish,
        KeptRoll,
        traps.Trap,
        arts.ArtPiece,
        building.Design,
        Vehicle,
        chase.VehicleChase,
    ),
    new_table={
        "d6.core.wild-die": True,
        "d6.core.wild-6": "re-roll",
        "d6.core.wild-1": "complication",
        "d6.core.fate-points": "single action",
    },
    places=(FIGHT, DUEL, BATTLE, SKIRMISH, chase.CHASE),
    fight=fight_setup.fight_between,
    actions=actions_of(
        resolution,
        opposed,
        rolls,
        merits_and_flaws,
        damage,
        health,
        treatment,
        zones,
        hazards,
        exertion,
        toxins,
        time,
        work,
        tasks,
        advancement,
        skill_uses,
        skills,
        knowledge,
        poison_making,
        environments,
        creatures,
        settings,
        traps,
        social,
        arts,
        wealth,
        market,
        repair,
        building,
        equipment_value,
        battle_setup,
        engagement,
        generals,
        skirmish_setup,
        skirmish,
        skirmish_attacks,
        fight_setup,
        initiative,
        combat_round,
        aid,
        diceless,
        reactions,
        weapons,
        ammunition,
        preparation,
        ranged,
        bursts,
        areas,
        melee_shots,
        dodges,
        cover,
        surroundings,
        parries,
        melee,
        charges,
        brawling,
        mastery,
        teasing,
        pins,
        mastery_parries,
        missiles,
        martial_arts,
        learning,
        duel,
        posts,
        movement,
        ramming,
        take_off,
        chase,
        vehicle_damage,
        gunnery,
        targets,
        crews,
    ),
    condition=condition,
    check=check_sheet,
    spelled=spelled_sheet,
    written=written_names,
    in_words=in_words,
    units=units,
    shorthand=shorthand,
    creation=CREATION,
    printed_people=printed_people,
    advancement=ADVANCEMENT,
    catalogue=CATALOGUE,
    may_be={
        KeptRoll: {"total": skill_uses.possible_totals},
        traps.Trap: {"hidden": skill_uses.possible_totals, "complexity": skill_uses.possible_totals},
        arts.ArtPiece: {"quality": skill_uses.possible_totals},
    },
    policies={"aggressive": aggressive, "cautious": cautious},
)
declare_breakdown(IndividualCombat, PlainFight())
