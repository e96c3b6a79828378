"""Critical effects: one of the attacker's choice beside the damage of a critical hit."""

from __future__ import annotations

from typing import Final

from referee.core import Prompt, Scene, alter, choose, frozen, offer, refuse, rows, rule
from referee.systems.dime.consequences import worsen
from referee.systems.dime.fight import FIGHT, ZoneFight, fighters, zones_apart
from referee.systems.dime.flip import Flip
from referee.systems.dime.gear import Item
from referee.systems.dime.hits import PLAIN, AttackManner, deal, drop
from referee.systems.dime.reactions import guard_of
from referee.systems.dime.sheet import Person
from referee.systems.dime.weapons import reach

CRITICAL: Final = Prompt("critical")
SECOND: Final = Prompt("second-target")
DROP: Final = Prompt("drop")
AUTOMATIC: Final = "automatic fire"


@frozen
class CriticalRow:
    """A critical effect."""

    name: str
    says: str
    called_shot: bool = False
    worsens: str = ""
    disarms: bool = False
    grapples: bool = False
    only: str = ""
    second_target: bool = False
    suit: str = ""
    times: int = 1


CRITICALS: Final = rows("dime.critical.effects", "effects", CriticalRow)


def check_critical(
    scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner, row: CriticalRow
) -> None:
    """Which effects there are for this attack."""
    kind = AUTOMATIC if manner.auto else item.skill if not manner.thrown else ""
    if row.only and row.only != kind:
        refuse(f"{row.only} only", what=row.name, rule="dime.critical.effects")
    if row.called_shot and manner.shot:
        refuse("a Called Shot was declared already", what=row.name, rule="dime.critical.effects")
    if row.disarms and not any(each.held for each in scene[target].items):
        refuse(f"{target} holds nothing", what=row.name, rule="dime.critical.effects")
    if row.grapples and FIGHT not in scene:
        refuse("there is no fight", what=row.name, rule="dime.critical.effects")
    if row.second_target and not second_targets(scene, who, target, item, manner):
        refuse("nobody else is in reach", what=row.name, rule="dime.critical.effects")
    if (row.suit or row.times > 1) and manner.harmless:
        refuse("it does no damage", what=row.name, rule="dime.critical.effects")


@rule("dime.critical.effects/choose")
async def choose_critical(
    scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner, only: tuple[str, ...] = ()
) -> CriticalRow | None:
    """The attacker chooses one effect."""

    def check(name: str) -> None:
        check_critical(scene, who, target, item, manner, scene[CRITICALS][name])

    name = await offer(who, CRITICAL, only or scene[CRITICALS].names, check=check, about=target.name)
    return None if name is None else scene[CRITICALS][name]


@rule("dime.critical.effects/apply")
async def critical_effect(
    scene: Scene, who: Person, target: Person, item: Item, row: CriticalRow, flipped: Flip
) -> None:
    """What comes in addition to the damage."""
    if row.worsens and not scene[target].dead:
        await worsen(target, row.worsens)
    if row.disarms:
        await drop_weapon(who, target)
    if row.grapples and scene[FIGHT].is_able(scene, target.name):
        await alter(FIGHT, ZoneFight.grappling, who.name, target.name)
    if row.second_target and not scene[FIGHT].is_able(scene, target.name):
        await two_birds(who, target, item, flipped)


def second_targets(
    scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner = PLAIN
) -> tuple[Person, ...]:
    """Others whom the weapon can reach."""
    if FIGHT not in scene:
        return ()
    far, found = reach(scene, item, manner.thrown), (each for each in fighters(scene, who) if each != target)
    return tuple(each for each in found if (apart := zones_apart(scene, who, each)) is not None and apart <= far)


@rule("dime.critical.effects/two-birds", "dime.critical.effects")
async def two_birds(scene: Scene, who: Person, target: Person, item: Item, flipped: Flip) -> bool:
    """The attack has dropped its target: the same total may hit a second one."""
    if not (others := second_targets(scene, who, target, item)):
        return False
    second = await choose(who, SECOND, others)
    struck = flipped.total >= guard_of(scene, who, second, item).defense
    if struck:
        _ = await deal(who, second, item, flipped.suit, flipped.suit)
    return struck


@rule("dime.critical.effects/disarm")
async def drop_weapon(scene: Scene, who: Person, target: Person) -> None:
    """The target drops a weapon; of several, one of the attacker's choice."""
    held = tuple(each.name for each in scene[target].items if each.held)
    if held:
        await drop(target, await choose(who, DROP, held))
