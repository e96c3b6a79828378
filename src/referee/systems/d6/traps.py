"""Traps: built, hidden, found, taken apart, and sprung."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    TOTAL,
    Hidden,
    Mod,
    Mods,
    Open,
    Pick,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    change,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rule,
    suggest,
)
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import Ability
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.combat.surroundings import VISIBILITIES, noticing_ability, visibility_mods
from referee.systems.d6.damage import Harm, hit
from referee.systems.d6.fields import with_field
from referee.systems.d6.hazards import Victim
from referee.systems.d6.resolution import (
    TESTED,
    QualityResult,
    TestResult,
    check_skilled,
    quality,
    roll_against,
)
from referee.systems.d6.restriction import restricting
from referee.systems.d6.rolls import ACTION, ANY_ROLL, is_secret_roll, roll_for, rolled_mods, throw
from referee.systems.d6.sheet import Person
from referee.systems.d6.skill_uses import USED, UseResult
from referee.systems.d6.tasks import Amount, Pace, task_time, work
from referee.systems.d6.time import UnitName
from referee.systems.d6.work import A_TASK, check_time, check_worker

TRAPS: Final = "d6.skills.traps"
SKILL: Final = "Traps"
STRIKES: Final = Prompt("trap-strikes")


@figures(TRAPS)
class TrapFigures:
    """How hard each die of a trap is to build, and what further victims cost it."""

    difficulty_per_die: int
    dice_per_further_target: int


@frozen
class Trap:
    """A trap that somebody has built: what it can do, and how hard it is to find and to take apart."""

    of: Open[str] = ""
    set: Open[bool] = False
    accuracy: Hidden[Code] = Code()  # a frozen value
    damage: Hidden[Code] = Code()  # a frozen value
    hide: Hidden[int] = 0
    """What its shape adds to hiding it, or takes from it."""
    complexity: Hidden[int] = 0
    hidden: Hidden[int] = 0
    """What has to be reached to find it."""
    restricted_by: Hidden[tuple[str, ...]] = ()
    """What whoever takes it apart has to understand as well, such as explosives."""

    def put_in_place(self, hidden: int) -> Trap:
        return replace(self, set=True, hidden=hidden)

    def away(self) -> Trap:
        return replace(self, set=False)


def traps(scene: Scene, who: object, *, in_place: bool) -> tuple[Who[Trap], ...]:
    return tuple(each for each in scene.all(Trap) if scene[each].set is in_place)


def traps_to_set(scene: Scene, who: object) -> tuple[Who[Trap], ...]:
    return traps(scene, who, in_place=False)


def traps_set(scene: Scene, who: object) -> tuple[Who[Trap], ...]:
    return traps(scene, who, in_place=True)


TrapToSet: TypeAlias = Annotated[Who[Trap], Pick(traps_to_set)]
TrapSet: TypeAlias = Annotated[Who[Trap], Pick(traps_set)]
SomeVisibility: TypeAlias = Annotated[str, VISIBILITIES]
Dice: TypeAlias = Annotated[Code, suggest(*(Code(dice) for dice in range(1, 7)))]


@formula(TRAPS + "/difficulty", TRAPS)
def trap_difficulty(scene: Scene, accuracy: Code, damage: Code, hide: int = 0) -> int:
    """How hard a trap is to build: by its dice of accuracy and of damage, and by how well its shape hides it."""
    return scene[TrapFigures].difficulty_per_die * (accuracy.dice + damage.dice) + hide


def check_building(
    scene: Scene, who: Person, name: str, accuracy: Code, damage: Code, base_time: int, unit: str, pace: Pace
) -> None:
    check_skilled(scene, who)
    check_time(scene, who, A_TASK, task_time(scene, base_time, unit, pace))
    if name in scene.state:
        refuse("this name is taken", what=name)
    if not name or accuracy.dice + damage.dice < 1:
        refuse("a trap has a name, and some dice")


@action(
    "build-trap",
    TRAPS + "/build",
    TRAPS,
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_building,),
    secret=is_secret_roll,
)
async def build_trap(
    scene: Scene,
    who: Person,
    name: Annotated[str, suggest("a trap")],
    accuracy: Dice,
    damage: Dice,
    hide: Annotated[int, suggest(0, 5, -5)] = 0,
    base_time: Amount = 1,
    unit: UnitName = "round",
    pace: Pace = "usual",
    explosive: bool = False,
    restricted_by: tuple[str, ...] = (),
    mods: Mods = (),
) -> TestResult:
    """Build a trap: the margin is how hard it is to take apart. Explosives limit the skill if there are any in it."""
    by = (*(("Explosives",) if explosive else ()), *restricted_by)
    needed, limits = trap_difficulty(scene, accuracy, damage, hide), restricting(scene, by)
    rounds = task_time(scene, base_time, unit, pace)
    return await hand_over(
        work(who, with_field(scene, who, SKILL, "trap building"), needed, rounds, pace, (*mods, *limits)),
        then=lambda found: trap_built(who, name, accuracy, damage, hide, by, found),
    )


@rule(TRAPS + "/built", TRAPS)
async def trap_built(
    scene: Scene,
    who: Person,
    name: str,
    accuracy: Code,
    damage: Code,
    hide: int,
    by: tuple[str, ...],
    found: TestResult,
) -> None:
    """A trap that works, and is as hard to take apart as it was built well."""
    if found.success:
        await change(Who(name, Trap), Trap(who.name, False, accuracy, damage, hide, found.margin, restricted_by=by))


@action(
    "set-trap",
    TRAPS + "/set",
    TRAPS,
    turn=check_worker,
    price=DeclaredAction(),
    check=check_skilled,
    secret=is_secret_roll,
)
async def set_trap(scene: Scene, who: Person, trap: TrapToSet, mods: Mods = ()) -> QualityResult:
    """Hide a trap: the total, with what its shape adds, is what has to be reached to find it. Traps limit Hide."""
    shape = (Mod(scene[trap].hide, "its shape", TRAPS, unit=TOTAL),) if scene[trap].hide else ()
    return await hand_over(
        roll_for(who, "Hide", rolled_mods((*mods, *shape, *restricting(scene, (SKILL,))))),
        read=lambda rolled: quality(scene, rolled),
        then=lambda found: trap_hidden(trap, found.total),
    )


@rule(TRAPS + "/hidden", TRAPS)
async def trap_hidden(scene: Scene, trap: Who[Trap], total: int) -> None:
    """The trap is in its place."""
    await alter(trap, Trap.put_in_place, total)


@action(
    "remove-trap",
    TRAPS + "/remove",
    TRAPS,
    bands=USED,
    turn=check_worker,
    price=DeclaredAction(),
    check=check_skilled,
    secret=is_secret_roll,
)
async def remove_trap(scene: Scene, who: Person, trap: TrapSet, mods: Mods = ()) -> UseResult:
    """Take a trap apart; how hard that is shows how well it was built."""
    return await hand_over(
        roll_against(
            who,
            with_field(scene, who, SKILL, "trap removing"),
            scene[trap].complexity,
            (*mods, *restricting(scene, scene[trap].restricted_by)),
        ),
        read=without_margin,
        then=lambda found: trap_removed(trap) if found.success else None,
    )


@rule(TRAPS + "/removed", TRAPS)
async def trap_removed(scene: Scene, trap: Who[Trap]) -> None:
    """The trap does nothing any more."""
    await alter(trap, Trap.away)


@action("find-trap", TRAPS + "/find", TRAPS, bands=USED, turn=check_worker, check=check_skilled, secret=is_secret_roll)
async def find_trap(
    scene: Scene,
    who: Person,
    trap: TrapSet,
    attentive: bool = True,
    mods: Mods = (),
    visibility: SomeVisibility = "",
    visibility_dice: int = 0,
) -> UseResult:
    """Notice a trap, by Search if one is looking, otherwise by Perception; bad sight makes it harder."""
    seen = (*mods, *visibility_mods(scene, who, visibility, visibility_dice))
    using = noticing_ability(scene, attentive)
    return await hand_over(roll_against(who, using, scene[trap].hidden, seen), read=without_margin)


def without_margin(test: TestResult) -> UseResult:
    """How a roll against a secret went: by how much would give it away."""
    luck = (test.fumble, test.critical, test.good_fortune, test.complication)
    return UseResult(test.success, None, test.total, "", 0, *luck)


@formula(TRAPS + "/accuracy", TRAPS)
def accuracy_against(scene: Scene, trap: Who[Trap], victims: int) -> Code:
    """How well a trap hits: every victim beyond the first costs it a die."""
    return scene[trap].accuracy - Code((victims - 1) * scene[TrapFigures].dice_per_further_target)


@frozen
class Sprung:
    """What a trap did to one of its victims."""

    who: str
    hit: bool
    harm: Harm | None = None


def check_victims(scene: Scene, who: None, victims: tuple[Person, ...]) -> None:
    if not victims:
        refuse("somebody has to be in it", rule=TRAPS)


@action("spring-trap", TRAPS, check=check_victims, master=True)
async def spring_trap(
    scene: Scene, trap: TrapSet, victims: tuple[Victim, ...], using: Ability = "Agility", damages: bool = True
) -> tuple[Sprung, ...]:
    """A trap strikes everyone in it: each may avoid it by a reaction that the game master names; others are hurt."""
    attack = accuracy_against(scene, trap, len(victims))
    thrown = await throw(None, attack, 0, Itemised(), prompt=STRIKES)
    found: tuple[Sprung, ...] = ()
    for each in victims:
        escaped = (await roll_for(each, using, (), (ACTION, ANY_ROLL))).total > thrown.total
        harm = await hit(each, scene[trap].damage) if damages and not escaped else None
        found = (*found, Sprung(each.name, not escaped, harm))
    await alter(trap, Trap.away)
    return found
