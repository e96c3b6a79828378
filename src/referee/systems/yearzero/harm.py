"""Harm: damage to attributes, the Stress and the pain that come with it, and being Broken."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import (
    CLOCK,
    Mod,
    Mods,
    Prompt,
    Reason,
    Refused,
    Scene,
    alter,
    applying,
    change,
    choose,
    figure,
    figures,
    formula,
    frozen,
    rows,
    rule,
)
from referee.core.clock import AnyRule
from referee.core.effects import moment
from referee.core.rules import rule_named
from referee.core.things import DROPPED, HELD
from referee.systems.yearzero.injury_tables import OUTBURST, WITHDRAWAL
from referee.systems.yearzero.panic_tables import panics_of
from referee.systems.yearzero.sheet import AGILITY, EMPATHY, STRENGTH, WITS, Person, Survivor

UNCONSCIOUS: Final = "Unconscious"
DEAD: Final = "Dead"
OUT: Final = {
    DEAD: "yearzero.medical-aid.death-save",
    UNCONSCIOUS: "yearzero.medical-aid.revive-unconscious",
}
"""Conditions in which nobody does anything, and the rules that say so."""
STRESS_PER_POINT: Final = figure("yearzero.core.push-stress", "stress_per_damage_point", int)
KEPT_BY_PUSH: Final = figure("yearzero.combat.broken-empathy", "withdraw/kept_by_push", bool)
BROKEN_EMPATHY: Final = Prompt("broken-empathy")
PAIN: Final = figure("yearzero.combat.pain", "modifier", int)


@frozen
class DamageKind:
    """What damage to an attribute stands for; the kind of most attacks is the default."""

    attribute: str
    means: str
    default: bool = False


DAMAGE_KINDS: Final = rows("yearzero.combat.damage-kinds", "kinds", DamageKind)


@formula("yearzero.combat.damage-kinds/kind")
def kind_of_damage(scene: Scene, attribute: str = "") -> DamageKind:
    """What damage to an attribute stands for; if none is named, it is that of most attacks."""
    kinds = scene[DAMAGE_KINDS]
    named = attribute or next(each.attribute for each in kinds if each.default)
    if named not in kinds:
        raise Refused(named, because="it takes no damage", rule=kinds.rule, legal=kinds.names)
    return kinds[named]


@formula("yearzero.core.push-stress")
def stress_of(scene: Scene, points: int) -> int:
    """The Stress that comes with damage: a point for each."""
    return points * scene[STRESS_PER_POINT]


CALM_AGAIN: Final = "no Stress"
"""The moment when the last Stress is gone."""


def stressed(sheet: Survivor, points: int) -> Survivor:
    return replace(sheet, stress=sheet.stress + points)


BLOCKING: Final = figure("yearzero.stress.relief", "blocked_by", tuple[str, ...])


@formula("yearzero.stress.relief/possible", "yearzero.trauma.table")
def relievable(scene: Scene, who: Person) -> int:
    """How much of somebody's Stress can go: a trauma may keep the rest, want of sleep and cold all of it."""
    if relief_blocked(scene, who):
        return 0
    return max(0, scene[who].stress - applying(scene, who).extra("stress that stays"))


def relief_blocked(scene: Scene, who: Person) -> bool:
    """Whether nothing takes Stress away from somebody now."""
    if not {*scene[BLOCKING]}.isdisjoint(scene[who].conditions):
        return True
    try:
        applying(scene, who).check_allowed("relief", rule=BLOCKING.rule)
    except Refused:
        return True
    return False


@rule("yearzero.trauma.table/relieved")
async def relieve(scene: Scene, who: Person, points: int) -> None:
    """Some Stress is gone, as far as it can go."""
    await alter(who, stressed, -min(points, relievable(scene, who)))
    if not scene[who].stress:
        await moment(CALM_AGAIN, who)


@rule("yearzero.combat.damage-kinds", "yearzero.core.push-stress", "yearzero.combat.broken")
async def suffer(
    scene: Scene, who: Person, points: int, attribute: str = "", by: Person | None = None, pushed: bool = False
) -> None:
    """Damage to an attribute; every point is one of Stress, and the next action hurts."""
    attribute = kind_of_damage(scene, attribute).attribute
    for each in applying(scene, who).at("damage") if points > 0 else ():
        points = await rule_named(each)(who, points)
    if points <= 0:
        return
    stood = attribute not in scene[who].broken
    hurt = scene[who].losing(attribute, points)
    stress = scene[who].stress + stress_of(scene, points)
    aid = tuple(each for each in hurt.aid if each.attribute != attribute)
    await change(who, replace(hurt, stress=stress, pain=True, aid=aid))
    if stood and attribute in scene[who].broken:
        await collapse(who, attribute, pushed)
        for each in applying(scene, by).at("enemy broken") if by is not None else ():
            await rule_named(each)(by)


@rule("yearzero.injuries.non-typical")
async def waste_away(scene: Scene, who: Person, points: int, attribute: str = STRENGTH) -> None:
    """Poison, hunger, cold, disease, drowning and a failing heart break somebody without a critical injury."""
    await suffer(who, points, attribute)


@rule(
    "yearzero.combat.broken",
    "yearzero.combat.broken-strength",
    "yearzero.combat.broken-agility",
    "yearzero.combat.broken-wits",
    "yearzero.combat.broken-empathy",
)
async def collapse(scene: Scene, who: Person, attribute: str, pushed: bool = False) -> None:
    """Without Strength or Agility one falls and drops everything; without Empathy one lashes out or withdraws."""
    await rule_named("yearzero.combat.recovery-unaided/begin")(who, attribute)
    if panics_of(scene[who].conditions):
        await rule_named("yearzero.panic.end")(who)
    if attribute in (STRENGTH, AGILITY):
        breaks = scene[BrokenStrength] if attribute == STRENGTH else scene[BrokenAgility]
        await alter(who, fallen, breaks.prone, breaks.drop_items)
    elif attribute == EMPATHY:
        way = await choose(who, BROKEN_EMPATHY, (OUTBURST, WITHDRAWAL))
        await alter(who, Survivor.with_condition, way)
        if way == WITHDRAWAL and not (pushed and scene[KEPT_BY_PUSH]):
            await alter(who, fallen, False, True)


@figures("yearzero.combat.broken-strength")
class BrokenStrength:
    """What happens to whoever has no Strength left."""

    critical_injury: bool
    prone: bool
    drop_items: bool


@figures("yearzero.combat.broken-agility")
class BrokenAgility:
    """What happens to whoever has no Agility left."""

    critical_injury: bool
    prone: bool
    drop_items: bool


@formula("yearzero.combat.broken/injury")
def breaks_bones(scene: Scene, attribute: str) -> bool:
    """Whether losing the last point of an attribute is a critical injury."""
    if attribute == STRENGTH:
        return injured_by_strength(scene)
    return attribute == AGILITY and injured_by_agility(scene)


@formula("yearzero.combat.broken-strength/injury")
def injured_by_strength(scene: Scene) -> bool:
    """Whether whoever has no Strength left has a critical injury."""
    return scene[BrokenStrength].critical_injury


@formula("yearzero.combat.broken-agility/injury")
def injured_by_agility(scene: Scene) -> bool:
    """Whether whoever has no Agility left has one."""
    return scene[BrokenAgility].critical_injury


@rule("yearzero.combat.broken/death")
async def die(scene: Scene, who: Person, injured: bool = False) -> None:
    """Somebody is dead, and those close to them may see it, and the injury that did it."""
    await alter(who, Survivor.with_condition, DEAD)
    await rule_named("yearzero.panic.triggers/witness")(who, "death", "", injured)


NOTHING_LOST: Final[tuple[str, ...]] = ()


def lost(scene: Scene, who: Person, attribute: str, stood: bool = True) -> tuple[str, ...]:
    """What a Panic Check may ask about: an attribute that is at 0 and was not before."""
    return (f"no {attribute}",) if stood and attribute in scene[who].broken else NOTHING_LOST


def fallen(sheet: Survivor, prone: bool, drops: bool) -> Survivor:
    dropped = tuple(thing.at(DROPPED) if drops and thing.place == HELD else thing for thing in sheet.things)
    return replace(sheet, prone=prone or sheet.prone, things=dropped)


@formula("yearzero.combat.broken/awake")
def check_awake(scene: Scene, who: Person) -> None:
    """Whoever is unconscious or dead does nothing at all."""
    if why := why_out(scene, who):
        raise Refused("roll", because=why.because, rule=why.rule)


def why_out(scene: Scene, who: Person) -> Reason | None:
    """What takes somebody out: being unconscious, or dead."""
    found = ((condition, by) for condition, by in OUT.items() if condition in scene[who].conditions)
    return next((Reason(f"{who} is {condition.casefold()}", by) for condition, by in found), None)


def is_awake(sheet: Survivor) -> bool:
    """Whether somebody is neither unconscious nor dead."""
    return not sheet.conditions & OUT.keys()


WHILE_BROKEN: Final = "acting while Broken"


@formula("yearzero.combat.broken-willpower-actions/dice")
def bought_dice(scene: Scene, who: Person) -> int:
    """How many dice somebody Broken has bought an action with; none if they have bought no action."""
    return applying(scene, who).extra(WHILE_BROKEN) if scene[who].broken else 0


def lashes_out(sheet: Survivor) -> bool:
    """Whether somebody Broken acts nevertheless: without Empathy, and nothing else lost."""
    return sheet.broken == (EMPATHY,) and OUTBURST in sheet.conditions


def can_act(sheet: Survivor) -> bool:
    """Whether somebody can act at all."""
    return is_awake(sheet) and (not sheet.broken or lashes_out(sheet))


@formula("yearzero.combat.broken/check")
def check_able(scene: Scene, who: Person) -> None:
    """Whoever is Broken, paralysed, unconscious or dead makes no skill rolls, except in an outburst."""
    check_awake(scene, who)
    applying(scene, who).check_allowed("roll", rule="yearzero.core.roll-procedure")
    broken = scene[who].broken
    if broken and not bought_dice(scene, who) and not lashes_out(scene[who]):
        rule_id = f"yearzero.combat.broken-{broken[0].casefold()}"
        raise Refused("roll", because=f"{who} is Broken: no {broken[0]} is left", rule=rule_id)


LEFT_TO: Final = {
    each: figure(f"yearzero.combat.broken-{each.casefold()}", "allowed", tuple[str, ...])
    for each in (STRENGTH, AGILITY, WITS, EMPATHY)
}
"""The actions that are left to whoever has lost the last of an attribute."""


@formula("yearzero.combat.broken/left")
def is_left(scene: Scene, who: Person, action: str) -> bool:
    """Whether somebody Broken can still do this: crawl, or flee, by what they have lost."""
    broken = scene[who].broken
    return bool(broken) and not can_act(scene[who]) and all(action in scene[LEFT_TO[each]] for each in broken)


def is_helpless(scene: Scene, who: Person) -> bool:
    """Whether somebody makes no skill rolls now."""
    try:
        check_able(scene, who)
    except Refused:
        return True
    return False


@rule("yearzero.combat.pain/over")
async def work_off_pain(scene: Scene, who: Person) -> None:
    """An action without a roll uses the pain up, too."""
    if scene[who].pain:
        await change(who, replace(scene[who], pain=False))


@formula("yearzero.combat.pain")
def pain(scene: Scene, who: Person) -> Mods:
    """After damage the next action is harder."""
    if not scene[who].pain or applying(scene, who).granted("no pain"):
        return ()
    numbed = applying(scene, who).extra("pain ignored")
    return (Mod(min(0, scene[PAIN] + numbed), "pain", PAIN.rule),)


def over_at(scene: Scene, who: Person, condition: str, run: AnyRule) -> int | None:
    """When a condition is over by itself, if ever; in an older log the clock has it."""
    sheet = scene[who]
    if condition not in sheet.conditions or sheet.end_of(condition) is not None:
        return sheet.end_of(condition)
    return scene[CLOCK].ahead(who, run)
