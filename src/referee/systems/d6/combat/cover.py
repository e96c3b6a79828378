"""Cover: avoiding an obstacle or shooting through it, and what is left of the damage behind it."""

from __future__ import annotations

from typing import Final

from referee.core import Mod, Mods, Prompt, Scene, formula, frozen, refuse, rows, rule
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods
from referee.systems.d6.damage import damage_roll
from referee.systems.d6.rolls import throw
from referee.systems.d6.sheet import Person

AVOID: Final = "d6.combat.cover-avoid"
THROUGH: Final = "d6.combat.cover-shoot-through"
OBSTACLE: Final = Prompt("obstacle")


@frozen
class CoverRow:
    """How much of somebody is hidden, and what avoiding the obstacle costs."""

    name: str
    penalty: int = 0
    through: bool = False
    """Whether there is nothing left to aim at, so that the obstacle must be shot through."""


@frozen
class ObstacleRow:
    """Something to hide behind."""

    name: str
    body: Code


@frozen
class HoleRow:
    """What a shot leaves of an obstacle, and how much less damage comes through; none at all, if it does not say."""

    name: str
    target_damage: int | None = None


HIDDEN: Final = rows(AVOID, "hidden_portion", CoverRow, by="hidden", numbers=range(101))
OBSTACLES: Final = rows(THROUGH, "body", ObstacleRow)
HOLES: Final = rows(THROUGH, "pass_through", HoleRow, by=("min", "max"))


@frozen
class Breach:
    """What shooting through did: to the obstacle, and to the damage of the weapon."""

    difference: int
    obstacle: str
    target_damage: int | None = None
    """Dice off the damage; None if nothing comes through."""

    @property
    def mods(self) -> Mods:
        lost = self.target_damage
        return () if lost is None else (Mod(lost, f"through the obstacle: {self.obstacle}", THROUGH),)


@formula(AVOID)
def avoiding_mods(scene: Scene, hidden: int) -> Mods:
    """What it costs to aim past an obstacle that hides so much of the target, in percent."""
    row = scene[HIDDEN].at(hidden)
    if row.through:
        refuse("nothing of the target can be seen", rule=AVOID, legal=("shoot through the obstacle",))
    return (Mod(row.penalty, row.name, AVOID),) if row.penalty else ()


@formula(THROUGH)
def pass_through(scene: Scene, difference: int) -> Breach:
    """What damage less Body leaves of an obstacle, and of the damage behind it."""
    row = scene[HOLES].at(difference)
    return Breach(difference, row.name, row.target_damage)


@rule(THROUGH + "/breach", THROUGH)
async def breach(
    scene: Scene,
    by: Person | None,
    damage: Code,
    obstacle: str,
    mods: Mods = (),
    own: Code = Code(),  # noqa: B008  # a frozen value
) -> Breach:
    """The damage of the weapon against the Body of an obstacle."""
    return pass_through(scene, await breach_difference(by, damage, scene[OBSTACLES][obstacle].body, mods, own))


@rule(THROUGH + "/difference", THROUGH)
async def breach_difference(
    scene: Scene,
    by: Person | None,
    damage: Code,
    body: Code,
    mods: Mods = (),
    own: Code = Code(),  # noqa: B008  # a frozen value
) -> int:
    """What a source deals less what an obstacle withstands."""
    dealt = await damage_roll(by, damage, mods, own)
    withstood = await throw(None, body, 0, Itemised(code_mods(body, "Body", THROUGH)), prompt=OBSTACLE)
    return dealt.total - withstood.total


def check_percent(scene: Scene, who: object, hidden: int) -> None:
    if not 0 <= hidden <= 100:
        refuse("cover is 0 to 100 percent", rule=AVOID)
