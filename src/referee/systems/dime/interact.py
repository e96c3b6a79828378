"""Interact actions: coordinating, drawing and reloading, first aid, intimidating and tricking."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    Bands,
    Mods,
    Pick,
    Prompt,
    Scene,
    alter,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    offer,
    questions,
    refuse,
    rule,
    settled,
)
from referee.core.branches import LEFT_OUT
from referee.core.rules import Decide, Ends, outline
from referee.core.things import HELD
from referee.systems.dime.action_points import break_aim, check_ap, check_can_react, pay_ap
from referee.systems.dime.attacks import NO_FLIP
from referee.systems.dime.combat import combat_action
from referee.systems.dime.consequences import BLEEDING, STUN, gain, worsen
from referee.systems.dime.damage import stabilize, stop_bleeding
from referee.systems.dime.fight import FIGHT, ZoneFight, allies, foes, is_close, people
from referee.systems.dime.flip import (
    FLIPPED,
    Counted,
    Flip,
    GearName,
    Notation,
    flip_then,
    flip_total,
    gear_mods,
    judged,
    random_number,
    spelled_out,
)
from referee.systems.dime.flip_odds import total_ends
from referee.systems.dime.gear import Item
from referee.systems.dime.sheet import Adventurer, Person, severity_of, stat_level, willpower
from referee.systems.dime.weapons import check_target, shots_left

RESIST: Final = Prompt("resist")
TREAT: Final = Prompt("treat")
DYING: Final = "Dying"
FEAR: Final = "Fear"

DRAW_AP: Final = figure("dime.interact.draw-reload", "ap", int)
HARD_AP: Final = figure("dime.interact.draw-reload", "hard_to_reach_min_ap", int)
AID_AP: Final = figure("dime.interact.first-aid", "ap", int)
AID_FLIP: Final = figure("dime.interact.first-aid", "flip", str)
PER_TARGET: Final = figure("dime.interact.intimidate", "ap_per_target", int)
RESIST_AP: Final = figure("dime.reaction.resist", "ap", int)


@figures("dime.interact.coordinate")
class CoordinateFigures:
    """The flip, which stat limits how many are helped, and by how much."""

    flip: str
    max_allies: str
    severities: int
    severities_mag5: int


@figures("dime.interact.intimidate")
class IntimidateFigures:
    """The flip, and the Fear it causes."""

    flip: str
    fear: int
    fear_mag5: int


@figures("dime.interact.trick")
class TrickFigures:
    """The flip, the Stun it causes, and how often it is tried."""

    flip: str
    severities: int
    severities_mag5: int
    per_enemy_per_combat: int


# --- coordinate -------------------------------------------------------------------------------------------------------


def check_allies(scene: Scene, who: Person, helped: tuple[Person, ...]) -> None:
    """As many allies as Intelligence."""
    most = stat_level(scene, who, scene[CoordinateFigures].max_allies)
    if not 0 < len(helped) <= most:
        refuse(f"1 to {most} allies", legal=(each.name for each in allies(scene, who)))


Helped: TypeAlias = tuple[Annotated[Person, Pick(allies)], ...]


@combat_action(
    "Coordinate", "dime.interact.coordinate", key="coordinate", lapsed=NO_FLIP, bands=FLIPPED, check=check_allies
)
async def coordinate(scene: Scene, who: Person, helped: Helped, mods: Mods = ()) -> Flip:
    """Int/persuade-10: allies are Bolstered, the more with Mag 5."""
    figures = scene[CoordinateFigures]
    asked = spelled_out(scene, figures.flip)
    success, strong = bolster(helped, figures.severities), bolster(helped, figures.severities_mag5)
    return await hand_over(flip_then(who, asked, mods, None, success, strong))


@rule("dime.interact.coordinate/bolster", "dime.consequence.bolstered")
async def bolster(scene: Scene, helped: tuple[Person, ...], by: int) -> None:
    """Allies are Bolstered."""
    for each in helped:
        await worsen(each, "Bolstered", by)


# --- draw and reload --------------------------------------------------------------------------------------------------


def stowed(scene: Scene, who: Person) -> tuple[str, ...]:
    """What can be drawn: it is carried, or lies on the ground."""
    return tuple(each.name for each in scene[who].items if not each.held and not each.worn)


def hard(scene: Scene, ap: int, hard_to_reach: bool) -> int:
    """At least 2 AP for what is hard to reach."""
    return max(ap, scene[HARD_AP]) if hard_to_reach else ap


def is_hard(item: Item, said: bool) -> bool:
    """What lies in a container or on the ground is hard to reach, and whatever else is said to be."""
    return said or bool(item.inside) or item.dropped


def check_draw(scene: Scene, who: Person, item: str, hard_to_reach: bool = False) -> None:
    check_ap(scene, who, hard(scene, scene[DRAW_AP], is_hard(scene[who].item(item), hard_to_reach)))


Stowed: TypeAlias = Annotated[str, Pick(stowed)]


@combat_action("Draw/Reload", "dime.interact.draw-reload", key="draw-weapon", cost=DRAW_AP, check=check_draw)
async def draw_item(scene: Scene, who: Person, item: Stowed, hard_to_reach: bool = False) -> None:
    """Take a weapon in hand; it takes at least 2 AP if it is hard to reach."""
    found = scene[who].item(item)
    ap = hard(scene, scene[DRAW_AP], is_hard(found, hard_to_reach))
    if ap > scene[DRAW_AP]:
        await pay_ap(who, ap - scene[DRAW_AP])
    await alter(who, Adventurer.with_item, found.at(HELD))


@formula("dime.interact.draw-reload")
def reload_ap(scene: Scene, item: Item, hard_to_reach: bool = False) -> int:
    """The weapon's Reload in AP; at least 2 if the ammunition is hard to reach."""
    return hard(scene, item.rating(scene, "Reload"), hard_to_reach)


def reloadable(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].items if each.held and each.has("Shots"))


def check_reload(scene: Scene, who: Person, weapon: str) -> None:
    if weapon not in reloadable(scene, who):
        refuse("it takes no shots", what=weapon, rule="dime.weapon.properties", legal=reloadable(scene, who))
    item = scene[who].item(weapon)
    if shots_left(scene, item) == item.rating(scene, "Shots"):
        refuse("it is fully loaded", what=item.name, rule="dime.weapon.properties")
    check_ap(scene, who, reload_ap(scene, item))


def check_reload_ap(scene: Scene, who: Person, weapon: str, hard_to_reach: bool = False) -> None:
    check_ap(scene, who, reload_ap(scene, scene[who].item(weapon), hard_to_reach))


Reloadable: TypeAlias = Annotated[str, Pick(reloadable, check_reload)]


@combat_action("Draw/Reload", "dime.interact.draw-reload/reload", key="reload", cost=DRAW_AP, check=check_reload_ap)
async def reload(scene: Scene, who: Person, weapon: Reloadable, hard_to_reach: bool = False) -> None:
    """Fill a weapon up; it takes its Reload in AP."""
    item = scene[who].item(weapon)
    ap = reload_ap(scene, item, hard_to_reach)
    if ap > scene[DRAW_AP]:
        await pay_ap(who, ap - scene[DRAW_AP])
    await alter(who, Adventurer.with_item, replace(item, shots=item.rating(scene, "Shots")))


# --- first aid --------------------------------------------------------------------------------------------------------


def patients(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those in the same zone who bleed or are dying."""
    if FIGHT not in scene:
        return ()
    here = scene[FIGHT].zones.inside(scene[FIGHT].zones.where(who.name), scene[FIGHT].fighters)
    return tuple(each for each in people(here) if each in scene and ailments(scene, each))


def ailments(scene: Scene, patient: Person) -> tuple[str, ...]:
    """What first aid in combat can see to."""
    found = (BLEEDING,) if severity_of(scene, patient, BLEEDING) else ()
    return (*found, DYING) if scene[patient].dying is not None else found


def check_patient(scene: Scene, who: Person, patient: Person) -> None:
    if not ailments(scene, patient):
        refuse(f"{patient} neither bleeds nor is dying")
    if not is_close(scene, who, patient):
        refuse(f"{patient} is in another zone", rule="dime.combat.zones")


Patient: TypeAlias = Annotated[Person, Pick(patients, check_patient)]


@combat_action("First Aid", "dime.interact.first-aid", key="treat", lapsed=NO_FLIP, bands=FLIPPED, cost=AID_AP)
async def treat(scene: Scene, who: Person, patient: Patient, gear: GearName = "normal") -> Flip:
    """Dex/medicine-10 ends Bleeding, or stops somebody from dying; one of the two, and no HP."""
    ailment = await choose(who, TREAT, ailments(scene, patient))
    asked, helps = spelled_out(scene, scene[AID_FLIP]), stop_bleeding if ailment == BLEEDING else stabilize
    return await hand_over(flip_then(who, asked, await gear_mods(gear), patient, helps(patient), helps(patient)))


# --- intimidate and trick ---------------------------------------------------------------------------------------------


@rule("dime.reaction.resist")
async def resist(scene: Scene, target: Person, who: Person) -> int:
    """1 AP raises Willpower against it by a random number. Returns the Willpower that counts."""
    cost = questions.OptionCost(scene[RESIST_AP], "ap")

    def check(_: bool) -> None:
        check_can_react(scene, target, "Resist", scene[RESIST_AP])

    if not await offer(target, RESIST, (True,), check=check, about=who.name, reaction=True, cost=lambda _: cost):
        return willpower(scene, target)
    await pay_ap(target, scene[RESIST_AP])
    await break_aim(target)
    return willpower(scene, target) + await random_number(target)


@frozen
class Threat:
    """How an attempt to intimidate went: the flip against each target."""

    flips: tuple[tuple[str, Flip], ...] = ()
    frightened: tuple[str, ...] = ()


THREATENED: Final[Bands[Threat]] = Bands(
    of=lambda threat: (
        "failure" if not threat.frightened else "success" if len(threat.frightened) == len(threat.flips) else "partly"
    ),
    keys=("success", "partly", "failure"),
    good=("success", "partly"),
    bad={"joker": lambda threat: any(flipped.joker for _, flipped in threat.flips)},
)


def check_each_ap(scene: Scene, who: Person, targets: tuple[Person, ...]) -> None:
    """1 AP for each target."""
    if not targets:
        refuse("name somebody")
    check_ap(scene, who, len(targets) * scene[PER_TARGET])


Targets: TypeAlias = tuple[Annotated[Person, Pick(foes, check_target)], ...]


@combat_action(
    "Intimidate",
    "dime.interact.intimidate",
    key="intimidate",
    lapsed=Threat(),
    bands=THREATENED,
    cost=PER_TARGET,
    check=check_each_ap,
)
async def intimidate(scene: Scene, who: Person, targets: Targets, mods: Mods = ()) -> Threat:
    """Str/persuade against the Willpower of each; success gives Fear of oneself, more with Mag 5."""
    if len(targets) > 1:
        await pay_ap(who, (len(targets) - 1) * scene[PER_TARGET])
    asked = spelled_out(scene, scene[IntimidateFigures].flip)
    against = tuple([(each.name, await resist(each, who)) for each in targets])
    return await hand_over(threaten(who, asked, mods, targets[0] if len(targets) == 1 else None, against))


@rule("dime.interact.intimidate/threaten", "dime.interact.intimidate")
async def threaten(
    scene: Scene, who: Person, asked: Notation, mods: Mods, at: Person | None, against: tuple[tuple[str, int], ...]
) -> Threat:
    """One flip, compared with the Willpower of each."""
    threat = threat_of(scene, await flip_total(who, asked.stat, asked.skill, mods, at), against)
    return await settled(threat, then=frighten(who, threat))


def threat_of(scene: Scene, reached: Counted, against: tuple[tuple[str, int], ...]) -> Threat:
    flips = tuple((name, judged(scene, tn, reached)) for name, tn in against)
    return Threat(flips, tuple(name for name, flipped in flips if flipped.success))


@outline(threaten, keeps={Threat: ("flips", "frightened"), Flip: ("success", "joker")})
def threatened(
    scene: Scene,
    decide: Decide,
    who: Person,
    asked: Notation,
    mods: Mods,
    at: Person | None,
    against: tuple[tuple[str, int], ...],
) -> Ends[Threat] | None:
    """One threat for those that frighten the same people; it is played if the flip ends something."""
    ends = total_ends(scene, decide, who, asked.stat, asked.skill, mods, at)
    if ends is None:
        return None
    needed = sorted({tn for _, tn in against})
    found: dict[Any, tuple[Any, int]] = {}
    for reached, _, ways in ends:
        key = reached if reached is LEFT_OUT else (bisect_right(needed, reached.value), reached.joker)
        alike, before = found.get(key, (reached, 0))
        found[key] = (alike, before + ways)
    return [(each if each is LEFT_OUT else threat_of(scene, each, against), (), ways) for each, ways in found.values()]


@rule("dime.interact.intimidate/frighten", "dime.consequence.fear")
async def frighten(scene: Scene, who: Person, threat: Threat) -> None:
    """Fear of the intimidator; a worse one stays as it is."""
    figures = scene[IntimidateFigures]
    for name, flipped in threat.flips:
        if flipped.success:
            severity = figures.fear_mag5 if flipped.strong else figures.fear
            _ = await gain(people((name,))[0], FEAR, severity, who.name)


def check_trick(scene: Scene, who: Person, target: Person) -> None:
    """One attempt for each enemy in a combat."""
    check_target(scene, who, target)
    tried = scene[FIGHT].tricked.count((who.name, target.name))
    if tried >= scene[TrickFigures].per_enemy_per_combat:
        refuse(f"{who} has tried to trick {target} already")


Dupe: TypeAlias = Annotated[Person, Pick(foes, check_trick)]


@combat_action("Trick", "dime.interact.trick", key="trick", lapsed=NO_FLIP, bands=FLIPPED)
async def trick(scene: Scene, who: Person, target: Dupe, mods: Mods = ()) -> Flip:
    """Int/deception against Willpower: the foe's Stun increases, more with Mag 5."""
    figures = scene[TrickFigures]
    asked = spelled_out(scene, figures.flip)
    await alter(FIGHT, ZoneFight.tricking, who.name, target.name)
    against = replace(asked, tn=await resist(target, who))
    success, strong = stun(target, figures.severities), stun(target, figures.severities_mag5)
    return await hand_over(flip_then(who, against, mods, target, success, strong))


@rule("dime.interact.trick/stun", "dime.consequence.stun")
async def stun(scene: Scene, who: Person, by: int) -> None:
    """Somebody who was tricked is stunned."""
    await worsen(who, STUN, by)
