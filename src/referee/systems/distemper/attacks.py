"""Combat attacks: the attack roll, Defensive Modifiers, damage, and who would die."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from referee.core import Mod, Mods, Refused, Scene, Who, alter, applying, change, formula, rule, total
from referee.core.effects import use
from referee.systems.distemper.checks import Check, check_with, own_mods
from referee.systems.distemper.fight import FIGHT, Fight
from referee.systems.distemper.insight import cheat_death
from referee.systems.distemper.panic import has_reached_half, keep_control
from referee.systems.distemper.rounds import take_effect
from referee.systems.distemper.sheet import Character, check_alive
from referee.systems.distemper.weapons import ATTACKS, weapon_of

MELEE: Final = "Melee"
DEFENSE: Final = "defense"
ATTACK: Final = "attack"


@final
@dataclass(frozen=True, slots=True)
class Strike:
    """An attack: its roll, and the damage it does on a hit."""

    check: Check
    hit: bool
    wp: int = 0
    rp: int = 0


@rule("distemper.combat.attack-roll", "distemper.combat.defensive-modifiers")
async def attack_roll(scene: Scene, who: Who[Character], target: Who[Character], skill: str, cmods: Mods = ()) -> Check:
    """2d6 + AMod + SMod + CMod - the target's Defensive Modifier; both are now involved."""
    row = scene[ATTACKS][skill]
    applied = applying(scene, who, "check", ATTACK, against=target)
    defense = Mod(-defensive_modifier(scene, target, row.defense), f"{target}'s defense", DEFENSE_RULE)
    await use(applied)
    if FIGHT in scene:
        await alter(FIGHT, Fight.involving, who.name, target.name)
    return await check_with(who, (*own_mods(scene, who, row.name), defense), cmods + applied.mods)


DEFENSE_RULE: Final = "distemper.combat.defensive-modifiers"


@formula(DEFENSE_RULE)
def defensive_modifier(scene: Scene, target: Who[Character], defense: str) -> int:
    """The modifier on the sheet plus what Defend and Take Cover add."""
    sheet = scene[target]
    own = sheet.melee_defense if defense == MELEE else sheet.ranged_defense
    return own + total(applying(scene, target, DEFENSE).mods)


@rule("distemper.combat-actions.attack/strike", "distemper.combat.damage-tracks")
async def strike(
    scene: Scene,
    who: Who[Character],
    target: Who[Character],
    weapon: str,
    cmods: Mods = (),
    wp_percent: int = 100,
    rp_percent: int = 100,
    at_once: bool = False,
) -> Strike:
    """One attack with one weapon; a hit takes Wound Points and Resilience Points, or a share of them rounded down."""
    item = weapon_of(scene, who, weapon)
    check = await attack_roll(who, target, item.skill, cmods)
    if not check.success:
        return Strike(check, False)
    wp, rp = item.wp * wp_percent // 100, item.rp * rp_percent // 100
    if at_once:
        await hurt(target, wp, rp)
    else:
        await take_effect(who, hurt(target, wp, rp))
    return Strike(check, True, wp, rp)


@rule("distemper.combat.damage-tracks", "distemper.panic.trigger")
async def hurt(scene: Scene, who: Who[Character], wp: int, rp: int) -> None:
    """Points are lost. Resilience at half its total or less can cause panic; without Wound Points, one would die."""
    check_hurt(scene, who, wp, rp)
    await alter(who, wounded, wp, rp)
    shaken = has_reached_half(scene, who, rp)
    if scene[who].wp <= 0 and not scene[who].dead:
        await die(who)
    if shaken and not scene[who].dead:
        await keep_control(who)


def check_hurt(scene: Scene, who: Who[Character] | None = None, wp: int = 0, rp: int = 0) -> None:
    """Damage takes points and never gives any."""
    if wp < 0 or rp < 0:
        raise Refused("hurt", because="damage gives no points", rule="distemper.combat.damage-tracks")


def wounded(sheet: Character, wp: int, rp: int) -> Character:
    return replace(sheet, wp=sheet.wp - wp, rp=sheet.rp - rp)


@rule("distemper.combat.damage-tracks/die", "distemper.insight.cheat-death")
async def die(scene: Scene, who: Who[Character]) -> None:
    """Someone who would die may cheat death with Insight; otherwise they are dead."""
    check_die(scene, who)
    if not await cheat_death(who):
        await change(who, replace(scene[who], dead=True))
        if FIGHT in scene:
            await alter(FIGHT, Fight.without, who.name)


def check_die(scene: Scene, who: Who[Character] | None = None) -> None:
    """No one dies twice."""
    if who is not None:
        check_alive(scene, who, "die")
