"""Restrictive skills: in an unusual environment one does what one does no better than one masters that environment."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final

from referee.core import Mod, Mods, Scene, formula, from_book, frozen, option, rows
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import ability_name, own_code
from referee.systems.d6.sheet import PIPS_PER_DIE, Person
from referee.systems.d6.skill_names import FIELD

RESTRICTIVE: Final = "d6.skills.restrictive"
FATED: Final = "d6.skills.restrictive-fate-point"
LIMIT: Final = "limit"
"""The unit of a modifier that limits a code: its label is the skill that does, its amount the pips that master it."""


class Restriction(Enum):
    """Whether this campaign lets an environment restrict skills."""

    PLAYED = "played"
    DROPPED = "dropped"


@frozen
class RestrictiveField:
    """A specialization of a restrictive skill, and the skills for which it counts in its place; `*` is all of them."""

    name: str
    counts_for: tuple[str, ...]


@frozen
class RestrictiveRow:
    """A skill that restricts others, and the code from which on it does not; without one it always does."""

    name: str
    restricts: str
    mastery: Code | None = None
    fields: tuple[RestrictiveField, ...] = ()


RESTRICTING: Final = rows(RESTRICTIVE, "skills", RestrictiveRow)
PLAYED: Final = option(RESTRICTIVE, Restriction)


@formula("d6.skills.restrictive-mastery")
def mastery(scene: Scene, by: str) -> Code | None:
    """From which code on a skill restricts nothing any more."""
    usual = scene[RESTRICTING].names[0]
    listed = next((name for name in scene[RESTRICTING].names if by.startswith(name)), usual)
    return scene[RESTRICTING][listed].mastery


@from_book
def restrictive_fields(scene: Scene, skill: str) -> frozenset[str]:
    """The specializations of a skill that count only for what it restricts."""
    row = scene[RESTRICTING].look(skill) if skill in scene[RESTRICTING].names else None
    return frozenset(each.name for each in row.fields) if row is not None else frozenset()


@formula(RESTRICTIVE + "/field", RESTRICTIVE)
def restricting_ability(scene: Scene, who: Person, by: str, using: str) -> str:
    """What restricts the use of a skill: a restrictive skill or, for what it was learned for, its specialization."""
    if FIELD in by or by not in scene[RESTRICTING].names:
        return by
    skill = ability_name(scene, using).skill
    family = skill.partition(" <")[0]
    counting = [each.name for each in scene[RESTRICTING].look(by).fields if {"*", skill, family} & {*each.counts_for}]
    own = (f"{by}{FIELD}{name}" for name in (skill, *counting))
    return next((each for each in own if each in scene[who].specializations), by)


def is_dropped(scene: Scene) -> bool:
    """Whether this campaign lets nothing restrict a skill."""
    return scene[PLAYED] is Restriction.DROPPED


@formula(RESTRICTIVE + "/by", RESTRICTIVE)
def restricting(scene: Scene, by: Iterable[str]) -> Mods:
    """What skills do that restrict a roll: as modifiers that limit it. It is no action of its own."""
    if is_dropped(scene):
        return ()
    per_die = scene[PIPS_PER_DIE]
    return tuple(
        Mod(0 if (full := mastery(scene, each)) is None else full.in_pips(per_die), each, RESTRICTIVE, unit=LIMIT)
        for each in by
    )


def capping(by: Iterable[str], rule: str) -> Mods:
    """What limits a roll however good one is at it."""
    return tuple(Mod(0, each, rule, unit=LIMIT) for each in by)


def unlimited(mods: Mods) -> Mods:
    """Modifiers without those that limit."""
    return tuple(mod for mod in mods if mod.unit != LIMIT)


def limits(mods: Mods) -> Mods:
    return tuple(mod for mod in mods if mod.unit == LIMIT)


@formula(RESTRICTIVE, "d6.skills.restrictive-modifiers", "d6.skills.restrictive-no-action")
def restricted_code(scene: Scene, who: Person, using: str, limiting: Mods) -> Code:
    """The lower of one's own code and of each skill that restricts it and is not mastered, before any modifier."""
    per_die, found = scene[PIPS_PER_DIE], own_code(scene, who, using)
    for mod in limiting:
        limit = own_code(scene, who, restricting_ability(scene, who, mod.label, using))
        mastered = mod.amount and limit.in_pips(per_die) >= mod.amount
        if not mastered and limit.in_pips(per_die) < found.in_pips(per_die):
            found = limit
    return found


@formula(FATED)
def fated_restricted(scene: Scene, who: Person, using: str, limiting: Mods, times: int) -> Code:
    """What Fate makes of a restricted code: twice it; if that is mastery, twice one's own and no restriction."""
    per_die, doubled = scene[PIPS_PER_DIE], restricted_code(scene, who, using, limiting) * times
    lifted = all(mod.amount and doubled.in_pips(per_die) >= mod.amount for mod in limiting)
    return own_code(scene, who, using) * times if lifted else doubled
