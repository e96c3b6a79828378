"""Sneak attacks and ambushes: who gets near unseen acts before anybody rolls for initiative."""

from __future__ import annotations

from typing import Annotated, Final

from referee.core import Mod, Mods, Pick, Scene, action, figure, formula, refuse, rule
from referee.core.effects import Effect, lay
from referee.kits import year_zero
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.ground import range_named
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.rolls import Attempt
from referee.systems.yearzero.sheet import Person, others
from referee.systems.yearzero.shooting import RANGES, UNSEEN
from referee.systems.yearzero.skills import Members, plain
from referee.systems.yearzero.stealth import STEALTH, condition_mods, conditions, conditions_of

SNEAK: Final = "yearzero.combat.sneak-attack"
AMBUSH: Final = "yearzero.combat.ambush"
PER_X: Final = figure(SNEAK, "per_x_beyond", int)
LYING_IN_WAIT: Final = figure(AMBUSH, "bonus", int)
OF_DISTANCE: Final = ("within 20 m", "moving into Arm's Reach unseen", "Long range (100 m) or further")
"""The circumstances that the range of the attack stands for."""


def distances(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[RANGES].names


def check_quiet(scene: Scene, who: Person) -> None:
    """Before a fight, not in one."""
    check_able(scene, who)
    if BATTLE in scene:
        refuse("the fight has begun", rule=SNEAK, legal=("sneak",))


def check_conditions(scene: Scene, who: Person, conditions: tuple[str, ...] = ()) -> None:
    if twice := [each for each in conditions if each in OF_DISTANCE]:
        refuse("the range of the attack says that already", what=twice[0], rule=SNEAK)


Distance = Annotated[str, Pick(distances)]
Conditions = tuple[Annotated[str, Pick(conditions, seldom=True)], ...]


@formula(f"{SNEAK}/mods")
def stalking(scene: Scene, target: Person, distance: str, named: tuple[str, ...]) -> Mods:
    """The further away the attack is made, the easier it is; circumstances as for sneaking."""
    row = scene[RANGES][range_named(scene, distance)]
    own = (Mod(row.sneak, row.name, RANGES.rule),) if row.sneak else ()
    return (*own, *condition_mods(scene, conditions_of(scene, target, named)))


@action("sneak-attack", SNEAK, bands=OUTCOME, check=(check_quiet, check_conditions))
async def sneak_attack(
    scene: Scene,
    who: Person,
    target: Annotated[Person, Pick(others)],
    distance: Distance = "Arm's Length",
    specialty: str = "Guerilla",
    conditions: Conditions = (),
    mods: Mods = (),
) -> Outcome:
    """Stalk somebody: who wins acts once, slow or fast, before initiative is rolled, and meets no defence."""
    attempt = Attempt(STEALTH, specialty, mods=(*mods, *stalking(scene, target, distance, conditions)), against=target)
    rolled = await oppose_once(who, attempt, target, Attempt("Observation", "Scout", against=who))
    if rolled.success:
        await unnoticed(who, target, rolled.successes)
    return plain(rolled)


@rule(f"{SNEAK}/unseen")
async def unnoticed(scene: Scene, who: Person, target: Person, successes: int) -> None:
    """The next attack meets no defence, and does more damage for each success beyond the needed."""
    await lay(who, Effect.from_plain({"grants": UNSEEN, "uses": 1}), source="a sneak attack", against=target)
    more = (successes - 1) * scene[PER_X]
    if more > 0:
        harder = {"extra": "damage", "times": more, "when": ["strike"], "uses": 1, "until": "action end"}
        await lay(who, Effect.from_plain(harder), source="a sneak attack", against=target)


def check_leader(scene: Scene, who: Person, group: tuple[Person, ...] = ()) -> None:
    """The one of a group who sneaks worst rolls for it."""
    levels = {each: scene[each].level(STEALTH) for each in (who, *group)}
    wanted = year_zero.rolls_for_group(levels, weakest=True)
    if who not in wanted:
        refuse(f"{' or '.join(map(str, wanted))} rolls for the group", rule=AMBUSH)


@formula(f"{AMBUSH}/who")
def sharpest(scene: Scene, targets: tuple[Person, ...]) -> Person:
    """Of several targets the one who watches best."""
    return max(targets, key=lambda each: scene[each].level("Observation", "Scout"))


@action("ambush", AMBUSH, bands=OUTCOME, check=(check_quiet, check_leader, check_conditions))
async def ambush(
    scene: Scene,
    who: Person,
    targets: tuple[Annotated[Person, Pick(others)], ...],
    group: Members = (),
    distance: Distance = "Short",
    conditions: Conditions = (),
    mods: Mods = (),
) -> Outcome:
    """Lie in wait, alone or with others: the worst of them rolls against the most watchful target."""
    target = sharpest(scene, targets)
    waiting = Mod(scene[LYING_IN_WAIT], "lying in wait", AMBUSH)
    own = (*mods, waiting, *stalking(scene, target, distance, conditions))
    rolled = await oppose_once(
        who,
        Attempt(STEALTH, "Guerilla", mods=own, against=target),
        target,
        Attempt("Observation", "Scout", against=who),
    )
    for each in (who, *group) if rolled.success else ():
        for one in targets:
            await unnoticed(each, one, rolled.successes)
    return plain(rolled)
