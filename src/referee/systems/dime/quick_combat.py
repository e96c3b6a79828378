"""Quick combat: one flip each decides a fight."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Bands, Pick, Prompt, Scene, action, choose, frozen, offer, refuse, rows, rule
from referee.systems.dime.damage import take_damage
from referee.systems.dime.flip import FLIPPED, Flip, flip, random_number
from referee.systems.dime.sheet import Adventurer, Person, every_stat, learned_skills

STAT: Final = Prompt("stat")
SKILL: Final = Prompt("skill")


@frozen
class FoesRow:
    """How dangerous foes are, and the TN of fighting them."""

    name: str
    tn: int


FOES: Final = rows("dime.quick-combat.scene", "tn", FoesRow)

FoesName: TypeAlias = Annotated[str, FOES]


@frozen
class QuickCombat:
    """How a quick combat went: who succeeded, and who was hurt how badly."""

    won: bool
    succeeded: tuple[str, ...]
    hurt: tuple[tuple[str, int], ...]


FOUGHT: Final = Bands[QuickCombat](
    of=lambda fight: "won" if fight.won else "lost",
    keys=("won", "lost"),
    bad={"someone-hurt": lambda fight: any(points for _, points in fight.hurt)},
)


def heroes(scene: Scene, _: None) -> tuple[Person, ...]:
    return tuple(
        each
        for each in scene.all(Adventurer)
        if scene[each].player and not (scene[each].dead or scene[each].unconscious)
    )


def check_someone(scene: Scene, _: None, who: tuple[Person, ...]) -> None:
    if not who:
        refuse("somebody must fight")


Heroes: TypeAlias = tuple[Annotated[Person, Pick(heroes)], ...]


@action("quick-combat", "dime.quick-combat.resolution", master=True, bands=FOUGHT, check=check_someone)
async def quick_combat(scene: Scene, foes: FoesName, who: Heroes) -> QuickCombat:
    """Everyone makes one fitting flip against the TN of the foes; one success is enough to win."""
    flipped: dict[Person, Flip] = {}
    for each in who:
        flipped[each] = await fight_quickly(each, foes)
    hurt: tuple[tuple[str, int], ...] = ()
    for each in who:
        if not flipped[each].success:
            hurt += ((each.name, await injure(each, flipped[each].mag)),)
    succeeded = tuple(each.name for each in who if flipped[each].success)
    return QuickCombat(bool(succeeded), succeeded, hurt)


@rule("dime.quick-combat.scene", bands=FLIPPED)
async def fight_quickly(scene: Scene, who: Person, foes: str) -> Flip:
    """A tactic in one's own words, by a stat and perhaps a skill."""
    stat = await choose(who, STAT, every_stat(scene, who))
    skill = await offer(who, SKILL, (each for each in learned_skills(scene, who) if each))
    return await flip(who, stat, skill or "", scene[FOES][foes].tn)


@rule("dime.quick-combat.injury")
async def injure(scene: Scene, who: Person, mag: int) -> int:
    """Whoever failed takes a random number and the Mag of the failure; DR does not help."""
    points = await random_number(who) + mag
    await take_damage(who, points)
    return points
