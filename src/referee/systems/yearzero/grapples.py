"""Grapples: taking hold of somebody, tackling them to the ground, hurting whoever is held, and getting free."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import Bands, Mods, Pick, Scene, action, alter, change, figures, hand_over, refuse, rule
from referee.core.things import DROPPED, HELD
from referee.systems.yearzero.action_types import NONE, ListedPrice, kind_of_action
from referee.systems.yearzero.attacks import BLOW, StruckBlow, attack
from referee.systems.yearzero.defence import DeclaredAttack, declare_reaction, defended
from referee.systems.yearzero.effects import effect_table
from referee.systems.yearzero.ground import METRES, SHORT, engage, has_map, metres_between
from referee.systems.yearzero.harm import is_helpless
from referee.systems.yearzero.melee import EFFECTS, MELEE, NOTHING, Punch, Target, aims, check_standing
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_dice
from referee.systems.yearzero.sheet import STRENGTH, Helpers, Person, Survivor, others

GRAPPLE_ATTACK: Final = ("unarmed", "grapple attack", "blunt")


@figures("yearzero.melee.tackle")
class Tackle:
    """Who is too strong for a tackle."""

    immune_strength: int


# --- holding somebody -------------------------------------------------------------------------------------------------


@action("grapple", "yearzero.melee.grapple", bands=BLOW, price=ListedPrice("Grapple"), check=check_standing)
async def grapple(scene: Scene, who: Person, target: Target, mods: Mods = (), helpers: Helpers = ()) -> StruckBlow:
    """Take hold of somebody: both fall, the other drops what they hold and can only break free."""
    attempt = Attempt(MELEE, "Brawler", mods=mods, tags=("unarmed", "grapple"), surplus=False, helpers=helpers)
    blow = await attack(who, target, DeclaredAttack("Grapple", harms=False), attempt, NOTHING.rule)
    if blow.hit:
        await hold(who, target, 0)
    return blow


@rule("yearzero.melee.effects/hold")
async def hold(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Somebody is held in a grapple."""
    if target is None:
        return
    await alter(who, holding, target.name)
    await alter(target, held, who.name)


def holding(sheet: Survivor, whom: str) -> Survivor:
    return replace(sheet, prone=True, holds=whom)


def held(sheet: Survivor, by: str) -> Survivor:
    dropped = tuple(item.at(DROPPED) if item.place == HELD else item for item in sheet.things)
    return replace(sheet, prone=True, held_by=by, things=dropped)


def check_holds(scene: Scene, who: Person) -> None:
    if not scene[who].holds:
        refuse(f"{who} holds nobody", rule="yearzero.might.grapple")


@action(
    "grapple-attack",
    "yearzero.might.grapple",
    bands=BLOW,
    price=ListedPrice("Grapple Attack", holding=True),
    check=check_holds,
)
async def grapple_attack(
    scene: Scene,
    who: Person,
    effect: Annotated[str, aims(*GRAPPLE_ATTACK)] = "",
    mods: Mods = (),
    might: bool = False,
) -> StruckBlow:
    """Hurt whoever one holds; that can neither be dodged nor parried."""
    target = scene.who(scene[who].holds)
    strike = DeclaredAttack("Grapple Attack", scene[Punch].damage, per_x=scene[Punch].extra_per_x)
    skill, specialty = ("Might", "Grappler") if might else (MELEE, "Brawler")
    attempt = Attempt(skill, specialty, mods=mods, tags=GRAPPLE_ATTACK)
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule, effect))


def check_held(scene: Scene, who: Person) -> None:
    if not scene[who].held_by:
        refuse(f"nobody holds {who}", rule="yearzero.might.grapple")


FREED: Final[Bands[bool]] = Bands(of=lambda free: "success" if free else "failure", keys=("success", "failure"))


@action(
    "break-free",
    "yearzero.might.grapple/break-free",
    bands=FREED,
    price=ListedPrice("Break Free", held=True),
    check=check_held,
)
async def break_free(scene: Scene, who: Person, might: bool = False, mods: Mods = ()) -> bool:
    """Win an opposed roll, of Melee or of Might, against whoever holds one."""
    by = scene.who(scene[who].held_by)
    skill, specialty = ("Might", "Grappler") if might else (MELEE, "Brawler")
    theirs = max((MELEE, "Brawler"), ("Might", "Grappler"), key=lambda each: scene[by].level(*each))
    breaking = DeclaredAttack("Break Free", harms=False)
    reaction = await declare_reaction(by, breaking, who)
    rolled = await oppose_once(who, Attempt(skill, specialty, mods=mods), by, Attempt(*theirs, against=who))
    dodged = await defended(reaction, breaking, who, rolled.successes) if reaction and rolled.success else 0
    if free := rolled.successes > dodged:
        await released(by)
    return free


@rule("yearzero.melee.grapple/over")
async def released(scene: Scene, who: Person) -> None:
    """A grapple is over; both stay on the ground."""
    other = scene.who(scene[who].holds)
    await change(who, replace(scene[who], holds=""))
    await change(other, replace(scene[other], held_by=""))


@action("let-go", "yearzero.melee.grapple/let-go", check=check_holds)
async def let_go(scene: Scene, who: Person) -> None:
    """Let go of whoever one holds, at no cost."""
    await released(who)


# --- tackling ---------------------------------------------------------------------------------------------------------


TACKLES: Final = effect_table("yearzero.melee.tackle", MELEE, path="rows")


def tackled(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Whom one can throw oneself at: on a map somebody near, in sight."""
    far = {each: metres_between(scene, who, each) for each in others(scene, who)}
    most = scene[METRES].look(SHORT).up_to_m
    return tuple(each for each, metres in far.items() if not has_map(scene) or (metres is not None and metres <= most))


def check_tackle(scene: Scene, who: Person, target: Person) -> None:
    immune = scene[Tackle].immune_strength
    if scene[target].now(STRENGTH) >= immune:
        legal = tuple(each.name for each in others(scene, who) if scene[each].now(STRENGTH) < immune)
        why = f"{target} is too strong: Strength {immune} or more cannot be tackled"
        refuse(why, rule="yearzero.melee.tackle", legal=legal)


@action(
    "tackle", "yearzero.melee.tackle", bands=BLOW, price=ListedPrice("Tackle"), check=(check_standing, check_tackle)
)
async def tackle(
    scene: Scene,
    who: Person,
    target: Annotated[Person, Pick(tackled)],
    effect: Annotated[str, Pick(lambda scene, who: ("Tackle", ""))] = "Tackle",
    mods: Mods = (),
    helpers: Helpers = (),
) -> StruckBlow:
    """Throw oneself at somebody within 10 m: both drop what they hold and fall, and the other is held."""
    attempt = Attempt(MELEE, "Brawler", mods=mods, tags=("unarmed", "tackle"), surplus=not effect, helpers=helpers)
    blow = await attack(who, target, DeclaredAttack("Tackle", harms=False), attempt, TACKLES.rule, effect)
    if not blow.hit or "Tackle" not in blow.effects:
        return replace(blow, hit=False)
    if await stands_firm(target, who):
        return replace(blow, hit=False)
    await alter(who, held, "")
    if has_map(scene):
        await engage(who, target)
    await hold(who, target, 0)
    return blow


@rule("yearzero.melee.tackle/stand", bands=FREED)
async def stands_firm(scene: Scene, who: Person, by: Person) -> bool:
    """Somebody stronger who makes skill rolls may keep standing with a Might roll, which is no action."""
    if scene[who].now(STRENGTH) <= scene[by].now(STRENGTH) or is_helpless(scene, who):
        return False
    apart = (NO_ACTION,) if kind_of_action(scene, STAY_STANDING) == NONE else ()
    rolled = await roll_dice(who, Attempt("Might", "Steady", against=by, surplus=False, tags=apart))
    return rolled.success


STAY_STANDING: Final = "Might roll to stay standing against Tackle"
