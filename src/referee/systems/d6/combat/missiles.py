"""Parrying missiles: what a master turns aside, blocks, or catches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from referee.core import (
    Bands,
    Mod,
    Mods,
    Pick,
    Scene,
    action,
    applying,
    change,
    formula,
    frozen,
    refuse,
    rows,
    rule,
    suggest,
    tell,
)
from referee.kits.dice_codes import Code
from referee.systems.d6.combat.dodges import FURTHER_REACTIONS
from referee.systems.d6.combat.maneuvers import DEFENSIVE, MARTIAL, is_martial, known, maneuver_row
from referee.systems.d6.combat.mastery import check_may_react, fits
from referee.systems.d6.combat.parries import parrying_things
from referee.systems.d6.combat.ranged import AFTER_REACTION, Shot
from referee.systems.d6.combat.reactions import AttackMargin, ReactionWay
from referee.systems.d6.combat.round import FIGHT, with_reaction
from referee.systems.d6.combat.weapons import damage_thing, is_heavy, item_of
from referee.systems.d6.equipment import THROWN, Weapon, weapon_of
from referee.systems.d6.resolution import LEVELS, roll_against
from referee.systems.d6.rolls import ACTION, ANY_ROLL, LEGS, SPATIAL
from referee.systems.d6.sheet import KnownManeuver, Person

MISSILES_PARRY: Final = "Missiles parry"
KEY: Final = "missiles-parry"
TAGS: Final = (ACTION, ANY_ROLL, "reaction", "parry", "melee", LEGS, SPATIAL)


@frozen
class MissileRow:
    """A kind of missile: how hard it is to parry, and whether it is only blocked."""

    name: str
    level: str = ""
    """Without one, what the attack has rolled."""
    blocked: bool = False
    """Whether the parrying weapon takes the damage."""
    allowed: bool = True
    """Whether this campaign lets anybody parry it."""


MISSILES: Final = rows(DEFENSIVE, "missiles", MissileRow)


def missile_of(weapon: Weapon) -> str:
    """What a weapon shoots or is: a thrown weapon, an arrow or bolt, a bullet, or a beam."""
    if weapon.category == THROWN:
        return "thrown weapon"
    if any(each.startswith("Missile weapons") for each in weapon.skills):
        return "propelled missile"
    return "energy weapon" if any(each.startswith("Energy") for each in weapon.skills) else "firearm"


@formula("d6.combat.combat-reaction/missile", DEFENSIVE)
def missile_difficulty(scene: Scene, missile: str) -> int | None:
    """What a parry of a missile must reach; None, if it is what the attack rolls."""
    level = scene[MISSILES][missile].level
    return (scene[LEVELS][level].number or scene[LEVELS][level].min) if level else None


def parrying(scene: Scene, who: Person) -> Iterator[tuple[KnownManeuver, str]]:
    """With which skill, and with what, somebody parries missiles."""
    for mine in known(scene, who, MISSILES_PARRY):
        things = ("",) if is_martial(scene, mine.skill) else parrying_things(scene, who)
        yield from ((mine, each) for each in things if fits(scene, who, mine.skill, each))


def missile_mods(scene: Scene, who: Person, mine: KnownManeuver, weapon: str) -> Mods:
    """A heavy weapon is too slow for it, a short one or a bare hand too short."""
    row = maneuver_row(scene, MISSILES_PARRY, mine.skill)
    found = weapon_of(scene, item_of(scene, who, weapon)) if weapon else None
    heavy = (Mod(row.heavy, "heavy weapon", DEFENSIVE),) if found is not None and is_heavy(scene, found) else ()
    short = row.always_reach_0 or found is None or found.reach == 0
    return (*heavy, Mod(row.reach_0, "reach 0", DEFENSIVE)) if short else heavy


def missile_parries(scene: Scene, target: Person, weapon: Weapon) -> Iterator[ReactionWay]:
    """The parry of a missile as a reaction of its target."""
    missile = missile_of(weapon)
    if scene[MISSILES].look(missile).allowed:
        for mine, thing in parrying(scene, target):
            needs = missile_difficulty(scene, missile)
            yield ReactionWay(KEY, mine.skill, missile_mods(scene, target, mine, thing), needs=needs, parries=True)
            return


FURTHER_REACTIONS.append(missile_parries)


@rule("d6.combat.combat-reaction/missile-parried", DEFENSIVE, MARTIAL)
async def after_missile(
    scene: Scene, who: Person, target: Person, weapon: Weapon, shot: Shot, attack: AttackMargin
) -> None:
    """A shot that is only blocked damages what blocks it; bare hands may catch what is thrown."""
    mine, thing = next(parrying(scene, target))
    if attack.margin >= 0:
        return
    if scene[MISSILES].look(missile_of(weapon)).blocked and thing:
        await damage_thing(target, thing, shot.damage, shot.damage_mods, who, shot.own)
    catches = maneuver_row(scene, MISSILES_PARRY, mine.skill).catch_margin
    if catches is not None and -attack.margin > catches:
        await tell("missile-caught", who=target)


AFTER_REACTION[KEY] = after_missile


# --- for whoever stands behind ----------------------------------------------------------------------------------------


@frozen
class MissileResult:
    """Whether a missile is parried, by which margin, and whether it is caught."""

    success: bool
    margin: int
    caught: bool = False


PARRIED: Final[Bands[MissileResult]] = Bands(
    of=lambda found: "success" if found.success else "failure",
    keys=("success", "failure"),
    extra={"caught": lambda found: found.caught},
)


def check_missile(scene: Scene, who: Person, missile: str, attack: int = 0) -> None:
    """Learned, with a weapon of the mastery in hand; what campaigns may forbid, and the roll of whoever throws."""
    if next(parrying(scene, who), None) is None:
        refuse(f"{who} cannot parry missiles", rule=DEFENSIVE)
    applying(scene, who).check_allowed("parry")
    if not scene[MISSILES][missile].allowed:
        refuse("nobody parries such a shot here", what=missile, rule=DEFENSIVE)
    if missile_difficulty(scene, missile) is None and not attack:
        refuse("say what the attack has rolled", what=missile, rule=DEFENSIVE)


@action(
    "parry-missile",
    "d6.combat.combat-reaction/parry-missile",
    DEFENSIVE,
    MARTIAL,
    bands=PARRIED,
    turn=check_may_react,
    check=check_missile,
)
async def parry_missile(
    scene: Scene,
    who: Person,
    missile: Annotated[str, Pick(lambda scene, who: tuple(scene[MISSILES].names))],
    attack: Annotated[int, suggest(5, 10, 15, 20)] = 0,
    damage: Code = Code(),  # noqa: B008  # a frozen value
    added: bool = False,
    mods: Mods = (),
) -> MissileResult:
    """Parry a missile aimed at oneself or at somebody behind, as a reaction; what is blocked damages the weapon."""
    mine, thing = next(parrying(scene, who))
    if FIGHT in scene:
        for value, now in with_reaction(scene, who, added):
            await change(value, now, rule="d6.combat.adapting-actions")
    difficulty = missile_difficulty(scene, missile) or attack
    found = await roll_against(who, mine.skill, difficulty, (*mods, *missile_mods(scene, who, mine, thing)), TAGS)
    if found.success and scene[MISSILES].look(missile).blocked and thing and damage != Code():
        await damage_thing(who, thing, damage)
    catches = maneuver_row(scene, MISSILES_PARRY, mine.skill).catch_margin
    return MissileResult(found.success, found.margin, found.success and catches is not None and found.margin >= catches)
