"""The D6 System: dice codes with a wild die, Character and Fate Points, merits and flaws."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import System, actions_of
from referee.kits.breakdown import declare_breakdown
from referee.systems.d6 import (
    damage,
    exertion,
    hazards,
    health,
    merits_and_flaws,
    resolution,
    rolls,
    tasks,
    time,
    toxins,
    treatment,
    zones,
)
from referee.systems.d6.character import check_sheet
from referee.systems.d6.combat import (
    aid,
    ammunition,
    areas,
    battle,
    battle_setup,
    brawling,
    bursts,
    charges,
    cover,
    diceless,
    dodges,
    duel,
    fight_setup,
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
from referee.systems.d6.creation import CREATION
from referee.systems.d6.policies import aggressive, cautious
from referee.systems.d6.sheet import Hero
from referee.systems.d6.shorthand import shorthand
from referee.systems.d6.spelling import spelled_sheet
from referee.systems.d6.time import units

SYSTEM: Final = System(
    name="d6",
    title="D6 System",
    folder=Path(__file__).parent,
    version=4,
    sheet=Hero,
    kinds=(IndividualCombat, FastDrawDuel, LargeBattle, UnitSkirmish),
    places=(FIGHT, DUEL, BATTLE, SKIRMISH),
    actions=actions_of(
        resolution,
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
        tasks,
        battle_setup,
        battle,
        skirmish_setup,
        skirmish,
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
    ),
    check=check_sheet,
    spelled=spelled_sheet,
    units=units,
    shorthand=shorthand,
    creation=CREATION,
    policies={"aggressive": aggressive, "cautious": cautious},
)
declare_breakdown(IndividualCombat, PlainFight())
