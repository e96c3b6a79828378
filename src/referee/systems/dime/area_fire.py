"""Attacks on a whole zone: area weapons and suppressive fire."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Bands, Mods, Pick, Scene, alter, figure, frozen, refuse, rule, settled
from referee.core.things import DROPPED
from referee.systems.dime.action_points import break_aim
from referee.systems.dime.combat import combat_action
from referee.systems.dime.consequences import COVER, worsen
from referee.systems.dime.critical_effects import choose_critical
from referee.systems.dime.damage import resolve_hit
from referee.systems.dime.fight import FIGHT, Suppression, ZoneFight, people, person
from referee.systems.dime.flip import Critical, flip_total
from referee.systems.dime.hits import PLAIN
from referee.systems.dime.reactions import guard_of
from referee.systems.dime.sheet import Adventurer, Person, severity_of, stat_level
from referee.systems.dime.weapons import (
    AREA,
    THROWN,
    BasicAttack,
    check_automatic,
    check_shots,
    check_wields,
    held_weapons,
    reach,
    spend_shots,
    weapon_of,
)

AREA_CRITICALS: Final = figure("dime.attack.area", "critical_effects", tuple[str, ...])
AREA_COVER: Final = figure("dime.attack.area", "cover_as_dr", int)


def check_zone(scene: Scene, who: Person, zone: str, weapon: str) -> None:
    """A zone within the weapon's Range."""
    zones, item = scene[FIGHT].zones, weapon_of(scene, who, weapon)
    far = reach(scene, item, thrown=item.has(THROWN))
    apart = zones.zones_between(zones.where(who.name), zone)
    if zone not in zones.names or apart is None:
        refuse(f"{zone} is out of sight", rule="dime.attack.range", legal=zones.names)
    if apart > far:
        refuse(f"{zone} is {apart} zones away, it reaches {far}", rule="dime.attack.range")


def check_area_weapon(scene: Scene, who: Person, weapon: str) -> None:
    check_wields(scene, who, weapon)
    item = scene[who].item(weapon)
    if not item.has(AREA):
        refuse("it strikes one target", what=item.name, rule="dime.attack.area")
    check_shots(scene, item)


def check_suppressing(scene: Scene, who: Person, weapon: str) -> None:
    check_wields(scene, who, weapon)
    check_shots(scene, check_automatic(scene, who, weapon), auto=True)


def zone_names(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[FIGHT].zones.names


AreaWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_area_weapon)]

SuppressingWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_suppressing)]

ZoneInReach: TypeAlias = Annotated[str, Pick(zone_names, check_zone)]


@frozen
class Burst:
    """An attack on a whole zone: its total, and the suit that decides the damage of everyone there."""

    total: int
    suit: str | None
    joker: bool = False


BURST: Final[Bands[Burst]] = Bands(
    of=lambda burst: "spoiled" if burst.joker or burst.suit is None else "burst", keys=("burst", "spoiled")
)


@combat_action("Area Attack", "dime.attack.area", key="area-attack", lapsed=Burst(0, None), bands=BURST)
async def area_attack(scene: Scene, who: Person, weapon: AreaWeapon, zone: ZoneInReach, mods: Mods = ()) -> Burst:
    """Everyone in a zone takes the damage of the card, friend or foe. What is made for throwing is thrown."""
    item = scene[who].item(weapon)
    await spend_shots(who, weapon)
    await break_aim(who)
    skill = scene[BasicAttack].thrown_skill if item.has(THROWN) else item.skill
    reached = await flip_total(who, scene[BasicAttack].stat, skill, mods, suited=True)
    burst = Burst(reached.value, reached.suit, reached.joker)
    return await settled(burst, then=go_off(who, weapon, zone, burst))


@rule("dime.attack.area/go-off", "dime.attack.area")
async def go_off(scene: Scene, who: Person, weapon: str, zone: str, burst: Burst) -> None:
    """Cover counts as DR; a total of 5 above somebody's Defense is critical, and can knock them down."""
    item, fight = scene[who].item(weapon), scene[FIGHT]
    if item.has(THROWN):
        await alter(who, Adventurer.with_item, item.at(DROPPED))
    if burst.joker:
        return
    present = [name for name in fight.zones.inside(zone, fight.fighters) if person(name) in scene]
    for target in people(name for name in present if name not in fight.gone and not scene[person(name)].dead):
        cover = severity_of(scene, target, COVER) * scene[AREA_COVER]
        strength = stat_level(scene, who, "Strength")
        _ = await resolve_hit(target, item, burst.suit, strength, cover=cover)
        plain = guard_of(scene, who, target, item)
        if burst.total - (plain.defense - plain.cover) >= scene[Critical].critical_hit_mag and not scene[target].dead:
            row = await choose_critical(who, target, item, PLAIN, scene[AREA_CRITICALS])
            if row is not None and row.worsens:
                await worsen(target, row.worsens)


@combat_action("Suppressive Fire", "dime.attack.suppressive-fire", key="suppressive-fire")
async def suppressive_fire(scene: Scene, who: Person, weapon: SuppressingWeapon, zone: ZoneInReach) -> None:
    """Until one's next turn, every action that others take in a zone may be hit."""
    await break_aim(who)
    await spend_shots(who, weapon, True)
    await alter(FIGHT, ZoneFight.suppressing, Suppression(who.name, zone, weapon))
