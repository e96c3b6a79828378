"""Item upkeep."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import Mods, Refused, Scene, Who, alter, figure, rule
from referee.systems.distemper.checks import Check, dice_check
from referee.systems.distemper.sheet import Ability, Character, check_alive

SKILLS: Final = figure("distemper.upkeep.check", "skills", tuple[str, ...])
LEAST_LEVEL: Final = figure("distemper.upkeep.check", "least_level", int)
CONDITION: Final = figure("distemper.upkeep.check", "condition_change", int)

UPKEEP: Final = "distemper.upkeep.check"


@rule(UPKEEP)
async def upkeep(
    scene: Scene,
    who: Who[Character],
    item: str,
    using: Ability,
    cmods: Mods = (),
    owner: Who[Character] | None = None,
) -> Check:
    """After long or careless use: a failure costs the item, one's own or another's, a level of condition."""
    check_upkeep(scene, who, item, using, cmods, owner)
    check = await dice_check(who, using, cmods)
    if not check.success:
        await alter(owner or who, worn, item, scene[CONDITION])
    return check


def worn(sheet: Character, name: str, levels: int) -> Character:
    """An item in another condition, never below 0."""
    item = sheet.item(name)
    return sheet.with_item(replace(item, condition=max(0, item.condition + levels)))


def check_upkeep(
    scene: Scene,
    who: Who[Character],
    item: str | None = None,
    using: str | None = None,
    cmods: Mods = (),
    owner: Who[Character] | None = None,
) -> None:
    """Only someone with a level in one of the four skills, and with that skill."""
    check_alive(scene, who, "upkeep")
    legal = keeps_up_with(scene, who)
    if not legal or (using is not None and using not in legal):
        because = f"it takes level {scene[LEAST_LEVEL]} in one of {', '.join(scene[SKILLS])}"
        raise Refused("upkeep", because=because, rule=UPKEEP, legal=legal)
    if item is not None:
        scene[owner or who].item(item)


def keeps_up_with(scene: Scene, who: Who[Character] | None) -> tuple[str, ...]:
    """Those of the four skills in which someone has a level."""
    return tuple(name for name in scene[SKILLS] if who and scene[who].skills.get(name, 0) >= scene[LEAST_LEVEL])
