"""Bad sight in close combat, and those who have learned to fight without it."""

from __future__ import annotations

from enum import Enum
from typing import Final

from referee.core import Mods, Scene, applying, figure, formula, option
from referee.core.effects import Forbids
from referee.core.trace import note
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.maneuvers import cancelled, with_mark
from referee.systems.d6.combat.surroundings import visibility_mods
from referee.systems.d6.sheet import PIPS_PER_DIE, Person

BLIND: Final = "d6.advanced.blind-combat"
SKILL: Final = "Blind combat (A)"
DARKNESS: Final = "Complete darkness"


class BlindCombat(Enum):
    """Whether a long weapon hinders whoever fights blindly."""

    OFF = "off"
    WHOLE = "whole skill"
    BY_REACH = "less by reach"


PLAYED: Final = option(BLIND, BlindCombat)
NEEDED: Final = figure(BLIND, "prerequisite", Stat)
PER_POINT: Final = figure(BLIND, "per_point_of_reach", int)


def melee_sight(scene: Scene, who: Person, using: str, reach: int, visibility: str, dice: int = 0) -> Mods:
    """What bad sight costs in close combat; the blind fight as in complete darkness. Some can do without sight."""
    sightless = any(each.effect.does == Forbids("see") for each in applying(scene, who).active)
    found = visibility_mods(scene, who, DARKNESS) if sightless else visibility_mods(scene, who, visibility, dice)
    penalty = sum(mod.amount for mod in found)
    if not penalty or scene[PLAYED] is BlindCombat.OFF or not has_learned(scene, who, using):
        return found
    return (*found, *blind_combat(scene, who, penalty, reach))


def has_learned(scene: Scene, who: Person, using: str) -> bool:
    """One skill serves every way of fighting that is good enough."""
    per_die = scene[PIPS_PER_DIE]
    learned = SKILL in map(with_mark, scene[who].advanced_skills)
    return learned and own_code(scene, who, using).in_pips(per_die) >= scene[NEEDED].code.in_pips(per_die)


@formula(BLIND, "d6.skills.blind-combat")
def blind_combat(scene: Scene, who: Person, penalty: int, reach: int = 1) -> Mods:
    """The skill is taken off what bad sight costs, down to nothing; perhaps a die less for each point of reach."""
    note("d6.skills.blind-combat")
    less = scene[PER_POINT] * reach if scene[PLAYED] is BlindCombat.BY_REACH else 0
    code = own_code(scene, who, SKILL) + Code(less)
    if code.in_pips(scene[PIPS_PER_DIE]) <= 0:
        return ()
    return cancelled(scene, penalty, code, SKILL, BLIND)
