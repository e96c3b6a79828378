"""Maneuvers of advanced combat as rows: who knows which, how often one works on an opponent, and what it asks for.

A maneuver belongs to a skill: a Melee mastery of one kind of weapon, or Martial arts. Those of one name work alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import (
    BOOK,
    PIPS,
    Effect,
    Mod,
    Mods,
    Refused,
    Scene,
    applying,
    figure,
    formula,
    from_book,
    frozen,
    lay,
    refuse,
    rows,
    rule,
)
from referee.core.effects import Extra
from referee.core.encounter import stands
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6.codes import code_mods, own_code
from referee.systems.d6.sheet import PIPS_PER_DIE, KnownManeuver, Person
from referee.systems.d6.skill_names import ADVANCED

SYMBOLS: Final = "d6.advanced.maneuver-symbols"
MARTIAL_ARTS: Final = "d6.advanced.martial-arts"
MELEE_MASTERY: Final = "d6.advanced.melee-mastery"
GENERAL: Final = "d6.advanced.mastery-general"
OFFENSIVE: Final = "d6.advanced.mastery-offensive"
DEFENSIVE: Final = "d6.advanced.mastery-defensive"
MARTIAL: Final = "d6.advanced.martial-arts-maneuvers"
MASTERY: Final = "Melee mastery"
COMBAT_END: Final = "combat end"
"""The moment at which maneuvers work on everyone again."""

REPEATABLE: Final = figure(SYMBOLS, "repeatable", str)
VARIANTS: Final = figure(SYMBOLS, "variants", str)
IGNORES: Final = figure(SYMBOLS, "ignores_multiple_actions", str)
MARTIAL_SKILL: Final = figure(MARTIAL_ARTS, "skill", str)
NEEDED: Final = figure(MELEE_MASTERY, "prerequisite", Stat)


@frozen
class ManeuverRow:
    """A maneuver: when it is used, what is rolled, and its figures."""

    name: str
    use: str = ""
    """attack, parry, missiles, action, hold, any, or passive: it counts by itself."""
    as_mastery: bool = False
    """Whether it is the maneuver of this name of a weapon's mastery."""
    repeatable: bool = False
    variants: bool = False
    ignores_multiple_actions: bool = False
    prerequisites: tuple[str, ...] = ()
    merit: str = ""
    """A merit that is asked for, such as that of a school; only maneuvers of a campaign ask for one."""
    with_mastery: bool = False
    """Whether mastery is rolled in place of the weapon skill."""
    off_hand: bool = False
    free: bool = False
    """Whether it is no action for the penalty of several."""
    per_round: bool = False
    """Whether it is used at most as often a round as the skill has dice."""
    at_most_dice: bool = False
    """Whether it is learned at most as often as the skill has dice."""
    difficulty: int = 0
    bonus: int = 0
    divisor: int = 1
    two_handed_parry: int = 0
    metres_per_die: int = 0
    catch_difficulty: int = 0
    least_dice: int = 0
    reach: int = 0
    damage: int = 0
    unusual_pips: int = 0
    heavy: int = 0
    reach_0: int = 0
    always_reach_0: bool = False
    catch_margin: int | None = None
    prone: int = 0
    pips: int = 0
    hold: int = 0
    effects: tuple[Effect, ...] = ()
    says: str = ""


MASTERY_ROWS: Final = rows(GENERAL, "maneuvers", ManeuverRow, also=(f"{OFFENSIVE}/maneuvers", f"{DEFENSIVE}/maneuvers"))
MARTIAL_ROWS: Final = rows(MARTIAL, "general", ManeuverRow, also=(f"{MARTIAL}/offensive", f"{MARTIAL}/defensive"))


# --- rows -------------------------------------------------------------------------------------------------------------


@from_book
def is_martial(scene: Scene, skill: str) -> bool:
    return with_mark(skill) == scene[MARTIAL_SKILL]


def with_mark(skill: str) -> str:
    """The name of an advanced skill with its mark."""
    return skill if not skill or skill.endswith(ADVANCED) else skill + ADVANCED


def catalogue_of(scene: Scene, name: str, skill: str) -> str:
    """The rule under which a maneuver of a skill is printed."""
    table = scene[MARTIAL_ROWS] if is_martial(scene, skill) else scene[MASTERY_ROWS]
    return table.rule_of(name)


@from_book
def maneuver_names(scene: Scene, skill: str) -> tuple[str, ...]:
    return tuple((scene[MARTIAL_ROWS] if is_martial(scene, skill) else scene[MASTERY_ROWS]).names)


@from_book
def maneuver_row(scene: Scene, name: str, skill: str) -> ManeuverRow:
    """What a maneuver does with a skill; one of a weaponless fighter may be that of a weapon's mastery."""
    if name not in maneuver_names(scene, skill):
        raise Refused(name, because=f"{skill} has no such maneuver", rule=SYMBOLS, legal=maneuver_names(scene, skill))
    if not is_martial(scene, skill):
        return scene[MASTERY_ROWS][name]
    own = scene[MARTIAL_ROWS][name]
    if not own.as_mastery:
        return own
    like = scene[MASTERY_ROWS].look(name)
    return replace(
        like,
        as_mastery=True,
        repeatable=own.repeatable,
        variants=own.variants,
        ignores_multiple_actions=own.ignores_multiple_actions,
        prerequisites=own.prerequisites or like.prerequisites,
        always_reach_0=own.always_reach_0,
        catch_margin=own.catch_margin,
    )


def check_played(scene: Scene, name: str, skill: str) -> None:
    """A list of maneuvers that this campaign does not use is of no use to anybody."""
    catalogue = catalogue_of(scene, name, skill)
    if not scene[BOOK].on(catalogue):
        raise Refused(name, because=scene[BOOK].why_absent(catalogue), rule=catalogue)


@formula(SYMBOLS)
def symbols(scene: Scene, maneuver: str, skill: str = "") -> str:
    """The symbols of a maneuver: any number of times, several variants, without the penalty of several actions."""
    row = maneuver_row(scene, maneuver, skill)
    marks = (
        (row.repeatable, scene[REPEATABLE]),
        (row.variants, scene[VARIANTS]),
        (row.ignores_multiple_actions, scene[IGNORES]),
    )
    return "".join(mark for flag, mark in marks if flag)


# --- skills -----------------------------------------------------------------------------------------------------------


def combat_skills(scene: Scene, who: Person) -> tuple[str, ...]:
    """The advanced skills of somebody that have maneuvers."""
    learned = map(with_mark, scene[who].advanced_skills)
    return tuple(each for each in learned if each.startswith(MASTERY) or is_martial(scene, each))


def skill_of(scene: Scene, who: Person, maneuver: KnownManeuver) -> str:
    """The skill that a maneuver is used with: its own, or the first of which it is one."""
    if maneuver.skill:
        return with_mark(maneuver.skill)
    fitting = (each for each in combat_skills(scene, who) if maneuver.name in maneuver_names(scene, each))
    return next(fitting, "")


def type_of(ability: str) -> str:
    """The kind of weapon in the name of a skill: of `Melee combat <swords>` and `Melee Combat::swords`, swords."""
    _, is_kind, kind = ability.partition(" <")
    return kind.partition(">")[0] if is_kind else ability.removesuffix(ADVANCED).partition("::")[2]


WEAPON_SKILLS: Final = ("Melee combat <{}>", "Heavy Melee <{}>", "Melee Combat::{}")


@formula(MELEE_MASTERY, "d6.skills.melee-mastery")
def may_learn_mastery(scene: Scene, who: Person, weapon: str) -> bool:
    """Whether somebody is good enough with a kind of weapon to learn its mastery; each kind has one of its own."""
    least = scene[NEEDED].code.in_pips(scene[PIPS_PER_DIE])
    return weapon_pips(scene, who, weapon) >= least


def weapon_pips(scene: Scene, who: Person, weapon: str) -> int:
    """The best skill with a kind of weapon, in pips."""
    sheet = scene[who]
    learned = {**sheet.skills, **sheet.specializations}
    wanted = {each.format(weapon).casefold() for each in WEAPON_SKILLS}
    found = (stat.code for name, stat in learned.items() if name.casefold() in wanted)
    return max((code.in_pips(scene[PIPS_PER_DIE]) for code in found), default=0)


# --- what somebody knows ----------------------------------------------------------------------------------------------


def known(scene: Scene, who: Person, name: str, skill: str = "") -> Iterator[KnownManeuver]:
    """The maneuvers of a name that somebody has learned, with this skill or with any; several, if it has variants."""
    for each in scene[who].maneuvers:
        own = skill_of(scene, who, each)
        if each.name == name and each.acquired and own and skill in ("", own) and is_played(scene, name, own):
            yield replace(each, skill=own)


@from_book
def is_played(scene: Scene, name: str, skill: str) -> bool:
    """Whether a skill has this maneuver, and the campaign uses the list it is in."""
    return name in maneuver_names(scene, skill) and scene[BOOK].on(catalogue_of(scene, name, skill))


def knows(scene: Scene, who: Person, name: str, skill: str = "") -> bool:
    return any(True for _ in known(scene, who, name, skill))


def check_known(scene: Scene, who: Person, name: str, skill: str = "") -> None:
    """Only those who have learned a maneuver can use it."""
    if not knows(scene, who, name, skill):
        listed = tuple(dict.fromkeys(each.name for each in scene[who].maneuvers if each.acquired))
        for own in (skill,) if skill else combat_skills(scene, who):
            if name in maneuver_names(scene, own) and any(each.name == name for each in scene[who].maneuvers):
                check_played(scene, name, own)
        refuse(f"{who} has not learned {name}", what=name, rule="d6.advanced.acquiring-maneuvers", legal=listed)


@formula("d6.combat.melee-attack/maneuvers")
def maneuvers_in_words(scene: Scene, who: Person) -> str:
    """Somebody's maneuvers, as a sheet says them: with what is their own, and what is still to be paid."""
    return "; ".join(map(in_words, scene[who].maneuvers))


def in_words(maneuver: KnownManeuver) -> str:
    own = (maneuver.variant, f"{maneuver.dice}D" if maneuver.dice else "", maneuver.zone)
    said = ", ".join(each for each in (*own, "" if maneuver.acquired else "found, not learned") if each)
    return f"{maneuver.name} ({said})" if said else maneuver.name


# --- how often one works ----------------------------------------------------------------------------------------------


def use_name(maneuver: KnownManeuver) -> str:
    """What a use is counted by: each variant by itself."""
    return f"use of {maneuver.name} ({maneuver.variant})" if maneuver.variant else f"use of {maneuver.name}"


def fresh(scene: Scene, who: Person, name: str, opponent: Person, skill: str = "") -> tuple[KnownManeuver, ...]:
    """The variants of a maneuver that still work on an opponent: each once in a combat, unless it is repeatable.

    A fight that is over is forgotten, whether the game master has ended it or not.
    """
    used = applying(scene, who, against=opponent)
    if scene.read("fight") is not None and not stands(scene, "fight"):
        return tuple(known(scene, who, name, skill))
    return tuple(
        each
        for each in known(scene, who, name, skill)
        if maneuver_row(scene, name, each.skill).repeatable or not used.extra(use_name(each))  # not a query of Django
    )


def check_fresh(scene: Scene, who: Person, name: str, opponent: Person, skill: str = "") -> None:
    """A maneuver works once on each opponent in a combat, unless it is repeatable."""
    check_known(scene, who, name, skill)
    if not fresh(scene, who, name, opponent, skill):
        refuse(f"{opponent} has seen it: it works once on each opponent in a combat", what=name, rule=SYMBOLS)


@rule("d6.combat.melee-attack/maneuver-used", SYMBOLS)
async def note_use(scene: Scene, who: Person, maneuver: KnownManeuver, opponent: Person) -> None:
    """From now on the opponent knows this maneuver; until the combat ends."""
    if not maneuver_row(scene, maneuver.name, maneuver.skill).repeatable:
        await lay(
            who, Effect(Extra(use_name(maneuver)), until=COMBAT_END), source=maneuver.name, by=SYMBOLS, against=opponent
        )


# --- what counts by itself --------------------------------------------------------------------------------------------


def parry_with(weapon: str) -> str:
    """What somebody may be kept from: parrying with one weapon."""
    return f"parry with {weapon}"


def spared_in_chock(scene: Scene, who: Person, skills: tuple[str, ...]) -> bool:
    """Whether a clash does no harm to what parries: with a Neat parry to a weapon, with a Weapon parry to an arm."""
    if not skills:
        return knows(scene, who, "Weapon parry")
    kinds = {type_of(each).casefold().removesuffix("s") for each in skills}
    return any(type_of(each.skill).casefold().removesuffix("s") in kinds for each in known(scene, who, "Neat parry"))


def prone_relief(scene: Scene, who: Person, penalty: int) -> Mods:
    """Prone fighting cancels the penalty of lying on the ground, as far as the skill goes."""
    for each in known(scene, who, "Prone fighting"):
        return cancelled(scene, penalty, own_code(scene, who, each.skill), "Prone fighting", MARTIAL)
    return ()


def cancelled(scene: Scene, penalty: int, code: Code, label: str, by: str) -> Mods:
    """What a code cancels of a penalty in dice: never more than all of it."""
    per_die = scene[PIPS_PER_DIE]
    if code.in_pips(per_die) >= -penalty * per_die:
        return (Mod(-penalty, label, by),)
    return code_mods(code, label, by)


def extra_damages(scene: Scene, who: Person) -> Mods:
    """A pip of damage with bare hands for each Extra damages, at most as many as the skill has dice."""
    learned = tuple(known(scene, who, "Extra damages"))
    if not learned:
        return ()
    skill = learned[0].skill
    pips = min(len(learned), own_code(scene, who, skill).dice) * maneuver_row(scene, "Extra damages", skill).pips
    return (Mod(pips, "Extra damages", MARTIAL, unit=PIPS),)


def check_lethal(scene: Scene, who: Person, lethal: bool) -> None:
    """Bare hands are lethal only for those who have learned it."""
    if lethal:
        check_known(scene, who, "Lethal damages")
