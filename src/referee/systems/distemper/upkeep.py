"""Item upkeep."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from referee.core import Mods, Pick, Scene, action, alter, figures, refuse
from referee.systems.distemper.checks import CHECKED, Check, dice_check
from referee.systems.distemper.sheet import Ability, Character, Person, carried, check_alive


@figures("distemper.upkeep.check")
class Upkeep:
    """The skills it takes, at which level, and what a failure costs."""

    skills: tuple[str, ...]
    least_level: int
    condition_change: int


def keeps_up_with(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """Those of the four skills in which someone has a level."""
    least = scene[Upkeep].least_level
    return tuple(name for name in scene[Upkeep].skills if who and scene[who].skills.get(name, 0) >= least)


def check_maintainer(scene: Scene, who: Person, using: Ability | None = None) -> None:
    """Only someone with a level in one of the four skills, and with that skill."""
    legal = keeps_up_with(scene, who)
    if not legal or (using is not None and using not in legal):
        names = ", ".join(scene[Upkeep].skills)
        refuse(f"it takes level {scene[Upkeep].least_level} in one of {names}", legal=legal)


def check_owned(scene: Scene, who: Person, item: str, owner: Person | None) -> None:
    scene[owner or who].item(item)


Skill: TypeAlias = Annotated[Ability, Pick(keeps_up_with, check_maintainer)]
OwnItem: TypeAlias = Annotated[str, Pick(carried, lambda scene, who, value: None)]


@action("upkeep", "distemper.upkeep.check", bands=CHECKED, turn=check_alive, check=(check_maintainer, check_owned))
async def upkeep(
    scene: Scene, who: Person, item: OwnItem, using: Skill, cmods: Mods = (), owner: Person | None = None
) -> Check:
    """After long or careless use: a failure costs the item, one's own or another's, a level of condition."""
    check = await dice_check(who, using, cmods)
    if not check.success:
        await alter(owner or who, Character.wearing, item, scene[Upkeep].condition_change)
    return check
