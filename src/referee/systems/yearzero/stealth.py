"""Stealth: unseen, alone or with others."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Mod, Mods, Pick, Refused, Scene, action, applying, formula, frozen, hand_over, rows
from referee.kits import year_zero
from referee.systems.yearzero.action_types import SLOW_ACTION
from referee.systems.yearzero.effects import OUTCOME, Outcome, aiming, effect_table, effects_of, take_effects
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.rolls import Attempt
from referee.systems.yearzero.sheet import SPECIALTIES, Person
from referee.systems.yearzero.skills import AwakeOther, Members

STEALTH: Final = "Stealth"
GROUP: Final = "yearzero.stealth.group"
EFFECTS: Final = effect_table("yearzero.stealth.effects", STEALTH, bonus="bonus_effects", general=True)
GUIDE: Final = "guide the party"


@frozen
class StealthCondition:
    """A circumstance that helps to stay hidden, or does not."""

    name: str
    modification: int


CONDITIONS: Final = rows("yearzero.stealth.conditions", "rows", StealthCondition)


def conditions(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[CONDITIONS].names


@formula("yearzero.stealth.conditions")
def condition_mods(scene: Scene, names: tuple[str, ...]) -> Mods:
    """All that apply are added."""
    found = (scene[CONDITIONS][name] for name in names)
    return tuple(Mod(row.modification, row.name, CONDITIONS.rule) for row in found)


DISTRACTED: Final = "opponent distracted"


def conditions_of(scene: Scene, target: Person, named: tuple[str, ...]) -> tuple[str, ...]:
    """The conditions that are named, and that of somebody whom a performance has distracted."""
    distracted = (DISTRACTED,) if applying(scene, target).granted("distracted") else ()
    return tuple(dict.fromkeys((*named, *distracted)))


def stealth_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, EFFECTS)


def specialties(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[SPECIALTIES[STEALTH]].names)


@formula(GROUP)
def check_group(scene: Scene, who: Person, group: tuple[Person, ...] = (), effect: str = "") -> None:
    """With others only the one with the lowest Stealth rolls, unless somebody guides the party."""
    if not group or effect == GUIDE:
        return
    levels = {each: scene[each].level(STEALTH) for each in (who, *group)}
    wanted = year_zero.rolls_for_group(levels, weakest=True)
    if who not in wanted:
        raise Refused("sneak", because=f"{' or '.join(map(str, wanted))} rolls for the group", rule=GROUP)


Conditions: TypeAlias = tuple[Annotated[str, Pick(conditions)], ...]


@action("sneak", "yearzero.stealth.use", bands=OUTCOME, price=SLOW_ACTION, check=check_group)
async def sneak(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    effect: Annotated[str, Pick(stealth_effects)] = "",
    specialty: Annotated[str, Pick(specialties)] = "",
    conditions: Conditions = (),
    group: Members = (),
    mods: Mods = (),
) -> Outcome:
    """Pass unseen, or stay hidden: Stealth against the other's Observation. In a group it counts for everyone."""
    circumstances = (*mods, *condition_mods(scene, conditions_of(scene, target, conditions)))
    attempt = Attempt(STEALTH, specialty, mods=circumstances, against=target, tags=("sneak",))
    aimed = aiming(scene, EFFECTS, attempt, effect)
    rolled = await oppose_once(who, aimed, target, Attempt("Observation", "Scout", against=who))
    return await hand_over(take_effects(who, rolled, attempt, EFFECTS.rule, effect, target))
