"""Move: speed and motor control. Feats, feints, cover, and defending others; dodges are rolled in an attack."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    applying,
    change,
    figure,
    figures,
    formula,
    hand_over,
    offer,
    option,
    refuse,
    rule,
)
from referee.core.effects import Effect, lay
from referee.systems.yearzero.action_types import ListedPrice, RunPrice, give_back, is_reacting
from referee.systems.yearzero.attacks import StruckBlow, attack
from referee.systems.yearzero.boosts import pay
from referee.systems.yearzero.covers import Structure, take_cover
from referee.systems.yearzero.defence import DODGE_RULE, DODGES, AlertedDodge, DeclaredAttack, end_dodge
from referee.systems.yearzero.effects import OUTCOME, Outcome, effect_table, effects_of, roll_for_effects
from referee.systems.yearzero.encumbrance import bear_load
from referee.systems.yearzero.ground import in_motion
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.initiative import swap_initiative
from referee.systems.yearzero.loads import check_can_move
from referee.systems.yearzero.rolls import DEFENDING, Attempt, dice_of, roll_once
from referee.systems.yearzero.sheet import Helpers, Person
from referee.systems.yearzero.skills import AwakeOther, plain
from referee.systems.yearzero.vehicles.vehicle import check_on_foot

MOVE: Final = "Move"
EFFECTS: Final = effect_table("yearzero.move.effects", MOVE, bonus="bonus_effects", general=True)
FEATS: Final = effect_table("yearzero.move.acrobatic-feats", MOVE)
GUARDS: Final = effect_table("yearzero.move.defend-other", MOVE)
FEINTS: Final = effect_table("yearzero.move.dirty-fighting", MOVE)
ACROBATICS: Final = "Acrobatic Feats"
FEINTING: Final = ListedPrice("Feint and other Dirty Fighting")
MORE: Final = Prompt("softer-fall")
COVER: Final = "yearzero.move.seek-cover"
SUPPRESSION_OPTION: Final = option("yearzero.move.suppression-option")


@figures("yearzero.move.acrobatic-feats")
class FallRoll:
    """How much of a fall a roll takes away, and how much more Willpower can."""

    fall_reduction: int
    most_willpower: int


@formula("yearzero.move.use")
def agility_in_motion(scene: Scene, who: Person) -> int:
    """The dice to jump, climb, run or dodge."""
    return dice_of(scene, who, MOVE)


def feats(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, FEATS)


def feints(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, FEINTS)[1:]


@action("acrobatic-feat", FEATS.rule, bands=OUTCOME, price=ListedPrice(ACROBATICS))
async def acrobatic_feat(
    scene: Scene, who: Person, effect: Annotated[str, Pick(feats)], mods: Mods = (), helpers: Helpers = ()
) -> Outcome:
    """A feat of Acrobatics, aimed for or hoped for."""
    attempt = Attempt(MOVE, "Acrobat", mods=mods, helpers=helpers, tags=("acrobatics",))
    return await hand_over(roll_for_effects(who, attempt, FEATS.rule, effect))


@rule("yearzero.move.acrobatic-feats/kip")
async def kip_up(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """On one's feet without an action, and a kick is then a fast one."""
    await give_back(who, ACROBATICS)
    await change(who, replace(scene[who], prone=False))
    kick = {"grants": "fast kick", "when": ["fast kick"], "until": "round end", "uses": 1}
    await lay(who, Effect.from_plain(kick), source="Fast Kip")


BOUND: Final = "bound"


@rule("yearzero.move.acrobatic-feats/slip-out")
async def slip_out(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Ropes, chains and other restraints hold somebody no longer."""
    await change(who, scene[who].without_condition(BOUND))


@rule("yearzero.move.acrobatic-feats/fall")
async def soften_fall(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """A fall does four points less, and one more for each point of Willpower."""
    most = min(scene[FallRoll].most_willpower, scene[who].willpower)
    more = (await offer(who, MORE, range(1, most + 1)) if most else None) or 0
    if more:
        await pay(who, more, "Fall roll")
    softer = {"extra": "softer fall", "times": scene[FallRoll].fall_reduction + more, "uses": 1}
    await lay(who, Effect.from_plain(softer), source="Fall roll")


# --- feints -----------------------------------------------------------------------------------------------------------


@action("feint", FEINTS.rule, bands=OUTCOME, price=FEINTING)
async def feint(
    scene: Scene, who: Person, target: AwakeOther, effect: Annotated[str, Pick(feints)] = "Feint", mods: Mods = ()
) -> Outcome:
    """A plain feint trades initiative without a roll; the dirtier ones are rolled for."""
    if effect == "Feint":
        await work_off_pain(who)
        await trade_initiative(who, target, 0)
        return Outcome(True, 0, ("Feint",))
    sleight = effect == "Blind Target"
    skill, specialty = ("Stealth", "Sleight of Hand") if sleight else (MOVE, "Dirty Fighter")
    attempt = Attempt(skill, specialty, mods=mods, against=target, tags=("feint",))
    if sleight:
        thrown = DeclaredAttack("Shoot", harms=False, ranged=True)
        return await hand_over(attack(who, target, thrown, attempt, FEINTS.rule, effect), StruckBlow.as_outcome)
    return await hand_over(roll_for_effects(who, attempt, FEINTS.rule, effect, target))


@rule("yearzero.move.dirty-fighting/feint")
async def trade_initiative(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Two opponents trade their initiative."""
    if target is not None:
        await swap_initiative(who, target)


@rule("yearzero.move.dirty-fighting/hard")
async def feint_hard(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """If the next attack of this round damages the target, it loses all its actions."""
    if target is not None:
        grants = {"grants": "lose actions", "when": ["strike"], "until": "round end", "uses": 1}
        await lay(who, Effect.from_plain(grants), source="Hard Feint", against=target)


@rule("yearzero.move.dirty-fighting/blind")
async def blind(scene: Scene, who: Person, target: Person | None, successes: int) -> None:
    """Dust in the eyes: for a round for each success it is as in total darkness, in which no shot hits."""
    if target is not None and successes:
        blinded = {"forbids": "shoot", "until": "round end", "times_until": successes}
        await lay(target, Effect.from_plain(blinded), source="dust in the eyes")


@formula("yearzero.move.suppression-option")
def suppression_tests(scene: Scene, who: Person, met: int) -> int:
    """How many suppression tests of a crossing must be made: only the first, if the others are cancelled."""
    cancels = scene[SUPPRESSION_OPTION] and applying(scene, who).granted("cancel suppression")
    return min(1, met) if cancels else met


# --- under fire -------------------------------------------------------------------------------------------------------


COVER_WITHIN: Final = figure(COVER, "max_distance_m", int)


def check_cover(scene: Scene, who: Person, distance_m: int = 0) -> None:
    """Only what gives cover within 10 m, and nothing for whoever sits in a vehicle."""
    check_on_foot(scene, who)
    if distance_m > (most := scene[COVER_WITHIN]):
        refuse(f"cover must be within {most} m", rule=COVER)


TO_COVER: Final = ListedPrice("Seek Cover", reaction="Seek Cover")


@action("seek-cover", COVER, bands=OUTCOME, price=TO_COVER, check=check_cover)
async def seek_cover(
    scene: Scene,
    who: Person,
    reacting: bool = False,
    mods: Mods = (),
    distance_m: int = 0,
    structure: Structure = "",
    full: bool = False,
) -> Outcome:
    """Get behind cover within 10 m: on one's own go without a roll, as a reaction with a Move roll."""
    if not (reacting or is_reacting(scene, who)):
        await work_off_pain(who)
        await take_cover(who, structure, full)
        return Outcome(True, 0)
    attempt = Attempt(MOVE, "Fast Footwork", mods=mods, tags=("reaction", "cover"), surplus=False)
    rolled = await roll_once(who, attempt)
    if rolled.success:
        await take_cover(who, structure, full)
    return plain(rolled)


DROPPING: Final = ListedPrice("Hit the Dirt (on own turn)", reaction="Hit the Dirt (as reaction)")


def check_upright(scene: Scene, who: Person) -> None:
    if scene[who].prone:
        refuse(f"{who} is on the ground", rule="yearzero.move.dodge-gunfire", legal=("stand-up",))


@action(
    "hit-the-dirt",
    "yearzero.move.dodge-gunfire",
    price=DROPPING,
    check=check_upright,
)
async def hit_the_dirt(scene: Scene, who: Person) -> None:
    """Drop to the ground, free on one's own go and otherwise a reaction: shots from further than 10 m are harder."""
    await change(who, replace(scene[who].leaving_cover(), prone=True))


def dodges(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[DODGES].names


@action("dodge-in-advance", "yearzero.move.dodge-gunfire/ahead", bands=OUTCOME, price=ListedPrice("Dodge"))
async def dodge_ahead(scene: Scene, who: Person, dodge: Annotated[str, Pick(dodges)], mods: Mods = ()) -> Outcome:
    """Dodge the next shot, or with a Flying Dodge every attack, before one's next go."""
    own = (*mods, Mod(scene[DODGES][dodge].modification, dodge, DODGE_RULE))
    rolled = await roll_once(who, Attempt(MOVE, "Fast Footwork", mods=own, tags=("dodge", DEFENDING)))
    await end_dodge(who, dodge, rolled.successes, reacting=False)
    return plain(rolled)


@action("keep-moving", "yearzero.move.dodge-gunfire/moving", price=RunPrice(), check=check_can_move)
async def keep_moving(scene: Scene, who: Person) -> int:
    """Keep moving: whoever shoots at one before one's next go has a penalty."""
    await work_off_pain(who)
    if not await bear_load(who):
        return 0
    await in_motion(who)
    return scene[AlertedDodge].moving_penalty
