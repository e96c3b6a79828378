"""Concentrate actions: aiming, ending consequences, looking around, paranormal abilities."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Effect,
    Mods,
    Pick,
    Scene,
    alter,
    applying,
    figure,
    figures,
    formula,
    hand_over,
    lay,
    refuse,
    suggest,
    tell,
)
from referee.core.effects import Adds
from referee.systems.dime.action_points import AIM, break_aim, check_ap, pay_ap
from referee.systems.dime.attacks import NO_FLIP
from referee.systems.dime.combat import check_has_turn, combat_action
from referee.systems.dime.consequences import STUN, EndConsequence, concentrate_on
from referee.systems.dime.fight import ATTACK, FIGHT, ZoneFight
from referee.systems.dime.flip import FLIPPED, Flip, flip, spelled_out
from referee.systems.dime.sheet import Consequence, Person, severity_of, stat_level
from referee.systems.dime.weapons import Target

OBSERVE: Final = figure("dime.concentrate.observe-recall", "flip", str)


@figures("dime.concentrate.aim")
class AimFigures:
    """What each AP of aiming adds, and the stat that limits it."""

    bonus_per_ap: int
    max_bonus: str


@formula("dime.concentrate.aim")
def aim_bonus(scene: Scene, who: Person, target: Person) -> int:
    """What has been aimed at somebody so far."""
    laid = applying(scene, who, ATTACK, against=target).active
    return sum(each.effect.does.amount for each in laid if each.source == AIM and isinstance(each.effect.does, Adds))


def check_may_aim(scene: Scene, who: Person, target: Person) -> None:
    """The bonus is at most Perception."""
    if aim_bonus(scene, who, target) >= stat_level(scene, who, scene[AimFigures].max_bonus):
        refuse(f"{who} cannot aim any better")


@combat_action(AIM, "dime.concentrate.aim", key="aim", check=check_may_aim)
async def aim(scene: Scene, who: Person, target: Target) -> int:
    """+2 on the next attack on one target, up to Perception; aiming on adds to it. Returns the bonus."""
    figures = scene[AimFigures]
    most = stat_level(scene, who, figures.max_bonus)
    bonus = min(most, aim_bonus(scene, who, target) + figures.bonus_per_ap)
    await break_aim(who)
    await lay(who, Effect(Adds(bonus), frozenset({ATTACK})), source=AIM, against=target)
    return bonus


def label(held: Consequence) -> str:
    return f"{held.name}: {held.subject}" if held.subject else held.name


def endable(scene: Scene, who: Person) -> tuple[str, ...]:
    """The consequences that concentrating can end."""
    return tuple(label(each) for each in scene[who].consequences if each.name in scene[EndConsequence].consequences)


def called(scene: Scene, who: Person, value: str) -> tuple[Consequence, ...]:
    """The consequences that a name stands for: with its subject, or without one if that is clear."""
    return tuple(each for each in scene[who].consequences if value in (each.name, label(each)))


def check_endable(scene: Scene, who: Person, value: str) -> None:
    meant = called(scene, who, value)
    if len(meant) != 1 or label(meant[0]) not in endable(scene, who):
        refuse(f"concentrating does not end it: {value}", legal=endable(scene, who))
    if severity_of(scene, who, STUN) and value != STUN:
        refuse("the Stun must end first", rule="dime.consequence.stun", legal=(STUN,))


def check_divided(scene: Scene, who: Person, consequences: tuple[str, ...], ap: int | None = None) -> None:
    """One AP for each at least, and no more than there are severities."""
    if not consequences:
        refuse("name a consequence")
    most = sum(each.severity for value in consequences for each in called(scene, who, value))
    if ap is not None and not len(consequences) <= ap <= most:
        refuse(f"{len(consequences)} to {most} AP", what=f"{ap} AP")
    check_ap(scene, who, len(consequences) if ap is None else ap)


Endable: TypeAlias = tuple[Annotated[str, Pick(endable, check_endable)], ...]


@combat_action(
    "End Consequence",
    "dime.concentrate.end-consequence/action",
    key="end-consequence",
    turn=check_has_turn,
    check=check_divided,
)
async def end_consequence(scene: Scene, who: Person, consequences: Endable, ap: int | None = None) -> None:
    """Each AP takes a severity off a consequence: one off each that is named, and what is left off the first ones."""
    if (more := (ap or len(consequences)) - 1) > 0:
        await pay_ap(who, more)
    left = (ap or len(consequences)) - len(consequences)
    for held in [called(scene, who, each)[0] for each in consequences]:
        by = 1 + min(left, held.severity - 1)
        left -= by - 1
        for _ in range(by):
            _ = await concentrate_on(who, held.name, held.subject)


@combat_action("Observe/Recall", "dime.concentrate.observe-recall", key="observe", lapsed=NO_FLIP, bands=FLIPPED)
async def observe(scene: Scene, who: Person, tn: int | None = None, mods: Mods = ()) -> Flip:
    """Notice the surroundings, or recall facts; whoever has looked around fights blind for less."""
    asked = spelled_out(scene, scene[OBSERVE])
    await alter(FIGHT, ZoneFight.observing, who.name)
    return await hand_over(flip(who, asked.stat, asked.skill, tn, mods))


def check_power(scene: Scene, who: Person, ap: int = 1) -> None:
    if ap < 1:
        refuse("it takes 1 AP at least")
    check_ap(scene, who, ap)


Power: TypeAlias = Annotated[str, Pick(lambda scene, who: tuple(each.name for each in scene[who].traits))]
Ap: TypeAlias = Annotated[int, suggest(1)]


@combat_action("Paranormal Ability", "dime.concentrate.paranormal", key="paranormal", check=check_power)
async def paranormal(scene: Scene, who: Person, power: Power, ap: Ap = 1) -> None:
    """Call upon a paranormal power, one of the traits; it may take more AP."""
    if ap > 1:
        await pay_ap(who, ap - 1)
    await tell("power", who=who, power=power)
