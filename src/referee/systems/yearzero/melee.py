"""Melee: attacks in close combat, armed and unarmed, shoves and disarming."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Call,
    Mod,
    Mods,
    Pick,
    Prevented,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    applying,
    change,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rule,
    tell,
)
from referee.core.effects import Effect, lay
from referee.core.things import DROPPED, HELD
from referee.systems.yearzero.action_types import (
    ALLOWANCE,
    TO_RISE,
    ListedPrice,
    RunPrice,
    check_has_action,
    is_ordered,
    take_listed,
    why_no_action,
)
from referee.systems.yearzero.attacks import BLOW, STRIKE_TWO, SWEEPING, BodyPart, StruckBlow, attack, enemies
from referee.systems.yearzero.battle import BATTLE, FAST, SLOW, Battle
from referee.systems.yearzero.defence import DeclaredAttack, lying
from referee.systems.yearzero.effects import check_aim, effect_table, effects_of
from referee.systems.yearzero.gear import check_usable, damage_at_first
from referee.systems.yearzero.ground import (
    Charged,
    check_in_reach,
    engage,
    has_map,
    reaching,
)
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.initiative import swap_initiative
from referee.systems.yearzero.injury_tables import Wounding
from referee.systems.yearzero.rolls import ATTACKING, Attempt
from referee.systems.yearzero.sheet import STRENGTH, Helpers, Item, Person, Survivor, others
from referee.systems.yearzero.sheet import Target as AnyTarget
from referee.systems.yearzero.skills import check_gear
from referee.systems.yearzero.vehicles.vehicle import vehicle_of, vehicles
from referee.systems.yearzero.weapons import (
    armor_multiple,
    check_hands,
    features_of,
    in_hand,
    is_shield,
    is_weapon,
    melee_specialty,
    parry_mod,
)

MELEE: Final = "Melee"
EFFECTS: Final = effect_table("yearzero.melee.effects", MELEE, bonus="bonus_effects", general=True)
WAY: Final = Prompt("prone-or-back")
SHIELD_ATTACK: Final = "Shield Attack"
SLEIGHT: Final = "sleight of hand attack"
WHIP_GRAPPLE: Final = "Whip Grapple"


@figures("yearzero.melee.punch")
class Punch:
    """What an unarmed blow does."""

    damage: int
    extra_per_x: int


@figures("yearzero.melee.disarm")
class Disarm:
    """How many successes it takes to disarm."""

    one_handed_x: int
    two_handed_x: int


@figures("yearzero.melee.shove")
class Shove:
    """How many successes a shove takes, and how far it goes."""

    x_needed: int
    x_needed_if_stronger: int
    back_m: int


@figures("yearzero.combat.close-combat")
class WeaponReach:
    """Where close combat is, and how far weapons with Reach strike."""

    range: str
    reach_range: str


# --- what may be picked -----------------------------------------------------------------------------------------------


def edged_or_blunt(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons in hand to slash with."""
    return tuple(item.name for item in in_hand(scene, who) if features_of(scene, item) & {"Edged", "Blunt"})


def pointed(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons in hand to stab with."""
    return tuple(item.name for item in in_hand(scene, who) if "Pointed" in features_of(scene, item))


def check_slash(scene: Scene, who: Person, weapon: str) -> None:
    """An edged or blunt weapon; a shield strikes as a feat."""
    if weapon in shields(scene, who):
        check_usable(scene, who, weapon)
    else:
        legal = (*edged_or_blunt(scene, who), *shields(scene, who))
        _check_weapon(scene, who, weapon, {"Edged", "Blunt"}, "yearzero.melee.slash", legal)


def check_stab(scene: Scene, who: Person, weapon: str) -> None:
    _check_weapon(scene, who, weapon, {"Pointed"}, "yearzero.melee.stab", pointed(scene, who))


def _check_weapon(
    scene: Scene, who: Person, weapon: str, features: set[str], rule_id: str, legal: tuple[str, ...]
) -> None:
    item = scene[who].thing(weapon)
    if item.place != HELD:
        raise Refused(weapon, because=f"it is {item.place}, not held", rule=rule_id, legal=legal)
    if not features_of(scene, item) & features:
        kinds = " or ".join(sorted(features)).casefold()
        raise Refused(weapon, because=f"it is not {kinds}, and a weapon in hand must be", rule=rule_id, legal=legal)
    check_usable(scene, who, weapon)
    check_hands(scene, who, item, rule_id)


def in_reach(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Whom one can strike: on a map those at Arm's Length, and near ones with a weapon that reaches."""
    far = bool(reaching(scene, who))
    return tuple(each for each in others(scene, who) if is_in_reach(scene, who, each, far))


def is_in_reach(scene: Scene, who: Person, target: AnyTarget, reaches: bool) -> bool:
    try:
        check_in_reach(scene, who, target, reaches)
    except Refused:
        return False
    return True


def check_target(scene: Scene, who: Person, target: AnyTarget) -> None:
    check_in_reach(scene, who, target, bool(reaching(scene, who)))


def strikable(scene: Scene, who: Person) -> tuple[AnyTarget, ...]:
    """Whom one can strike, and the vehicles beside one."""
    mine, far = vehicle_of(scene, who), bool(reaching(scene, who))
    beside = (each for each in vehicles(scene) if each != mine and is_in_reach(scene, who, each, far))
    return (*in_reach(scene, who), *beside)


Target: TypeAlias = Annotated[Person, Pick(in_reach, check_target)]
Struck: TypeAlias = Annotated[AnyTarget, Pick(strikable, check_target)]
Slashing: TypeAlias = Annotated[str, Pick(edged_or_blunt, check_slash)]
Stabbing: TypeAlias = Annotated[str, Pick(pointed, check_stab)]


@formula("yearzero.combat.prone-melee/attacker")
def check_standing(scene: Scene, who: Person) -> None:
    """Whoever lies on the ground may shove, or strike with a weapon that reaches; nothing else."""
    if scene[who].prone:
        refuse(f"{who} is prone", rule="yearzero.combat.prone-melee", legal=("shove", "stand-up"))


def check_upright(scene: Scene, who: Person, target: AnyTarget, weapon: str) -> None:
    """Whoever lies on the ground strikes only with a weapon that reaches; others strike as far as their weapon does."""
    reaches = "Reach" in features_of(scene, scene[who].thing(weapon))
    if not reaches:
        check_standing(scene, who)
    check_in_reach(scene, who, target, reaches)


PRONE_REACH: Final = figure("yearzero.combat.prone-melee", "prone_reach_attack", int)


@formula("yearzero.combat.prone-melee/reach")
def from_the_ground(scene: Scene, who: Person) -> Mods:
    """A weapon that reaches strikes from the ground at a penalty, and no further than Arm's Length."""
    return (Mod(scene[PRONE_REACH], "prone", PRONE_REACH.rule),) if scene[who].prone else ()


@formula("yearzero.combat.close-combat")
def reach_of(scene: Scene, item: Item) -> str:
    """How far a weapon strikes."""
    return scene[WeaponReach].reach_range if "Reach" in features_of(scene, item) else scene[WeaponReach].range


# --- armed ------------------------------------------------------------------------------------------------------------


def armed(scene: Scene, who: Person, weapon: str, mods: Mods, *tags: str) -> Attempt:
    """A roll with a weapon: its Gear Bonus, the specialty that covers it, and what effects ask for."""
    item = scene[who].thing(weapon)
    features = features_of(scene, item)
    kinds = {
        "axe": melee_specialty(scene, item) == "Axes",
        "blunt": "Blunt" in features,
        "whip": melee_specialty(scene, item) == "Whip" or "Whip" in features,
    }
    kinds |= {"two-handed": "2H" in features, "shield": is_shield(scene, item)}
    sleight = "Light" in features and applying(scene, who, SLEIGHT).granted(SLEIGHT)
    skill, specialty = ("Stealth", "Sleight of Hand") if sleight else (MELEE, melee_specialty(scene, item))
    kinds |= {SLEIGHT: sleight}
    named = tuple(tag for tag, fits in kinds.items() if fits)
    return Attempt(skill, specialty, weapon, mods, tags=(*tags, *named))


def check_second(scene: Scene, who: Person, target: AnyTarget, effect: str) -> None:
    """Whoever strikes at two needs a second enemy."""
    if effect == STRIKE_TWO and not enemies(scene, who, target):
        refuse("there is no second enemy", what=effect, rule=EFFECTS.rule)


def aims(*tags: str) -> Pick:
    """The effects of an unarmed attack of a kind."""
    return Pick(
        lambda scene, who: effects_of(scene, EFFECTS, *tags),
        lambda scene, who, effect: check_aim(scene, EFFECTS, effect, *tags),
    )


def armed_aims(*tags: str) -> Pick:
    """The effects of an attack with a weapon, which depend on the weapon too."""

    def effects(scene: Scene, who: Person, weapon: str) -> tuple[str, ...]:
        return effects_of(scene, EFFECTS, *armed(scene, who, weapon, (), *tags).tags)

    def check(scene: Scene, who: Person, effect: str, weapon: str) -> None:
        bare = not features_of(scene, scene[who].thing(weapon)) & {"Edged", "Blunt", "Pointed"}
        if bare and effect != SHIELD_ATTACK:
            refuse(f"{weapon} strikes only as a feat", rule=EFFECTS.rule, legal=(SHIELD_ATTACK, "shield-attack"))
        check_aim(scene, EFFECTS, effect, *armed(scene, who, weapon, (), *tags).tags)

    return Pick(effects, check)


SLASH: Final = ("slash", SWEEPING)
STAB: Final = ("stab",)
PUNCH: Final = ("unarmed", SWEEPING, "blunt")


def strike_with(scene: Scene, who: Person, kind: str, weapon: str, wounding: Wounding, part: str) -> DeclaredAttack:
    item = scene[who].thing(weapon)
    features = features_of(scene, item)
    weak, parry = armor_multiple(scene, features), parry_mod(scene, features)
    return DeclaredAttack(
        kind, damage_at_first(scene, item), wounding, part=part, parry=parry, armor_multiple=weak, weapon=weapon
    )


SLASH_PRICE: Final = ListedPrice("Slash")
SHIELD_PRICE: Final = ListedPrice("Shield Attack (Slash with a shield, feat)")


@frozen
class SlashPrice:
    """What a slash costs: for whoever has no slow action left but a shield, what striking with that costs."""

    def check(self, scene: Scene, who: Person) -> None:
        (SHIELD_PRICE if only_bashes(scene, who) else SLASH_PRICE).check(scene, who)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_slash(who)

    def end(self, who: Person) -> Call[None]:
        return SLASH_PRICE.end(who)


@formula(f"{EFFECTS.rule}/only-shield")
def only_bashes(scene: Scene, who: Person) -> bool:
    """Whether somebody in a fight can slash only with a shield, as a fast action."""
    if BATTLE not in scene or not shields(scene, who) or is_ordered(scene, who, SLOW):
        return False
    return bool(why_no_action(scene, who, SLOW))


@rule("yearzero.melee.slash/price")
async def take_slash(scene: Scene, who: Person) -> Prevented | None:
    """A slash uses up a slow action, a blow with a shield a fast one."""
    return await hand_over(take_listed(who, SHIELD_PRICE.name if only_bashes(scene, who) else SLASH_PRICE.name))


def check_slow_left(scene: Scene, who: Person, effect: str) -> None:
    """Only a blow with a shield is a fast action."""
    if effect != SHIELD_ATTACK and only_bashes(scene, who):
        check_has_action(scene, who, SLOW, ALLOWANCE)


SLASH_CHECKS: Final = (check_upright, check_second, check_slow_left)


@action("slash", "yearzero.melee.slash", bands=BLOW, price=SlashPrice(), check=SLASH_CHECKS)
async def slash(
    scene: Scene,
    who: Person,
    target: Struck,
    weapon: Slashing,
    effect: Annotated[str, armed_aims(*SLASH)] = "",
    mods: Mods = (),
    location: BodyPart = "",
    helpers: Helpers = (),
) -> StruckBlow:
    """Slash with an edged or blunt weapon; easier to dodge. A shield strikes as a feat, which is a fast action."""
    if effect == SHIELD_ATTACK:
        await as_fast(who, target, 0)
        return await hand_over(bash(who, target, weapon, effect, mods, location, helpers))
    edged = "Edged" in features_of(scene, scene[who].thing(weapon))
    kind = "Grapple" if effect == WHIP_GRAPPLE else "Slash"
    strike = strike_with(scene, who, kind, weapon, "slash" if edged else "blunt", location)
    attempt = replace(armed(scene, who, weapon, (*mods, *from_the_ground(scene, who)), *SLASH), helpers=helpers)
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule, effect))


@action("stab", "yearzero.melee.stab", bands=BLOW, price=ListedPrice("Stab"), check=check_upright)
async def stab(
    scene: Scene,
    who: Person,
    target: Struck,
    weapon: Stabbing,
    effect: Annotated[str, armed_aims(*STAB)] = "",
    mods: Mods = (),
    location: BodyPart = "",
    helpers: Helpers = (),
) -> StruckBlow:
    """Stab with a pointed weapon; harder to parry with a weapon, easier with a shield."""
    strike = strike_with(scene, who, "Stab", weapon, "stab", location)
    attempt = replace(armed(scene, who, weapon, (*mods, *from_the_ground(scene, who)), *STAB), helpers=helpers)
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule, effect))


def shields(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in in_hand(scene, who) if is_shield(scene, item))


def check_shield(scene: Scene, who: Person, weapon: str) -> None:
    if weapon not in shields(scene, who):
        refuse(f"{weapon} is no shield in hand", rule=EFFECTS.rule, legal=shields(scene, who))
    check_usable(scene, who, weapon)


@action("shield-attack", f"{EFFECTS.rule}/shield", bands=BLOW, price=SHIELD_PRICE, check=check_standing)
async def shield_attack(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Annotated[str, Pick(shields, check_shield)],
    effect: Annotated[str, Pick(lambda scene, who: (SHIELD_ATTACK, ""))] = SHIELD_ATTACK,
    mods: Mods = (),
    location: BodyPart = "",
    helpers: Helpers = (),
) -> StruckBlow:
    """Slash with a shield as a fast action: at a penalty, or with as many successes as the feat takes."""
    return await hand_over(bash(who, target, weapon, effect, mods, location, helpers))


@rule(f"{EFFECTS.rule}/bash")
async def bash(
    scene: Scene, who: Person, target: Person, weapon: str, effect: str, mods: Mods, location: str, helpers: Helpers
) -> StruckBlow:
    """A blow with a shield does what the feat says, whatever shield it is."""
    feat = scene[EFFECTS.rows][SHIELD_ATTACK]
    strike = DeclaredAttack("Slash", int(feat.amount), "blunt", part=location)
    attempt = replace(armed(scene, who, weapon, mods, *SLASH), helpers=helpers, needed=1 if effect else feat.x)
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule, effect))


@rule(f"{EFFECTS.rule}/fast")
async def as_fast(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """What was paid for as a slow action is a fast one."""
    if BATTLE in scene and scene[BATTLE].acting == SLOW:
        await alter(BATTLE, Battle.giving_back, who.name, SLOW)
        await alter(BATTLE, Battle.taking, who.name, FAST)
        await alter(BATTLE, Battle.during, FAST)


@action("charge", "yearzero.melee.charge", price=RunPrice(), check=check_standing)
async def charge(scene: Scene, who: Person, target: Charged = None) -> None:
    """Move from 10 m to Arm's Length; the attack that follows in this round is a charge."""
    await work_off_pain(who)
    if target is not None and has_map(scene):
        await engage(who, target)
    charging = {"grants": "charging", "when": [ATTACKING], "until": "round end", "uses": 1}
    await lay(who, Effect.from_plain(charging), source="Charge")


def held_weapons(scene: Scene, who: Person, target: Person) -> tuple[str, ...]:
    """Weapons that the target holds; a shield cannot be struck from a hand."""
    return tuple(item.name for item in in_hand(scene, target) if is_weapon(scene, item) and not is_shield(scene, item))


def own_weapon(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *(item.name for item in in_hand(scene, who)))


def check_disarm(scene: Scene, who: Person, weapon: str, target: Person) -> None:
    if weapon not in held_weapons(scene, who, target):
        refuse(f"{target} does not hold {weapon} as a weapon", rule="yearzero.melee.disarm")


@action("disarm", "yearzero.melee.disarm", bands=BLOW, price=ListedPrice("Disarm"), check=(check_standing, check_gear))
async def disarm(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Annotated[str, Pick(held_weapons, check_disarm)],
    gear: Annotated[str, Pick(own_weapon)] = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> StruckBlow:
    """Strike a weapon from somebody's hand: one success, two for a two-handed one."""
    two_handed = "2H" in features_of(scene, scene[target].thing(weapon))
    needed = scene[Disarm].two_handed_x if two_handed else scene[Disarm].one_handed_x
    attempt = replace(
        armed(scene, who, gear, mods, "disarm") if gear else Attempt(MELEE, "Brawler", mods=mods),
        helpers=helpers,
    )
    strike = DeclaredAttack("Disarm", harms=False)
    blow = await attack(who, target, strike, replace(attempt, needed=needed, surplus=False), NOTHING.rule)
    if blow.hit:
        await alter(target, dropping, weapon)
    return blow


def dropping(sheet: Survivor, thing: str) -> Survivor:
    return sheet.with_thing(sheet.thing(thing).at(DROPPED))


NOTHING: Final = effect_table("yearzero.melee.use", MELEE, path="effects")
"""For attacks whose only effect is what they are for."""


# --- unarmed ----------------------------------------------------------------------------------------------------------


@action(
    "punch",
    "yearzero.melee.punch",
    bands=BLOW,
    price=ListedPrice("Punch/Kick/Bite"),
    check=(check_standing, check_second),
)
async def punch(
    scene: Scene,
    who: Person,
    target: Target,
    effect: Annotated[str, aims(*PUNCH)] = "",
    mods: Mods = (),
    fangs: bool = False,
    location: BodyPart = "",
    helpers: Helpers = (),
) -> StruckBlow:
    """Punch, kick or bite."""
    blow = scene[Punch]
    kind: Wounding = "slash" if fangs else "blunt"
    strike = DeclaredAttack("Punch/Kick/Bite", blow.damage, kind, part=location, per_x=blow.extra_per_x)
    attempt = Attempt(MELEE, "Brawler", mods=mods, tags=PUNCH, helpers=helpers)
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule, effect))


FAST_KICK_TAG: Final = "fast kick"
FAST_KICK: Final = ListedPrice("Fast Kip failure or the Kick it allows")


def check_fast_kick(scene: Scene, who: Person) -> None:
    if not applying(scene, who, FAST_KICK_TAG).granted(FAST_KICK_TAG):
        refuse("it takes a Fast Kip", rule="yearzero.move.acrobatic-feats")


@action("fast-kick", "yearzero.melee.punch/fast", bands=BLOW, price=FAST_KICK, check=check_fast_kick)
async def fast_kick(scene: Scene, who: Person, target: Target, mods: Mods = ()) -> StruckBlow:
    """A kick as a fast action, after getting up with a Fast Kip."""
    attempt = Attempt(MELEE, "Brawler", mods=mods, tags=("unarmed", "blunt", FAST_KICK_TAG))
    kick = DeclaredAttack("Punch/Kick/Bite", scene[Punch].damage, per_x=scene[Punch].extra_per_x)
    return await hand_over(attack(who, target, kick, attempt, EFFECTS.rule))


# --- shoving, and getting up ------------------------------------------------------------------------------------------


@formula("yearzero.combat.shields")
def shoves_with(scene: Scene, who: Person) -> tuple[str, ...]:
    """A shield or a weapon with a hook lends its Gear Bonus."""
    useful = (item for item in in_hand(scene, who) if is_shield(scene, item) or "Hook" in features_of(scene, item))
    return ("", *(item.name for item in useful))


@action("shove", "yearzero.melee.shove", bands=BLOW, price=ListedPrice("Shove"), check=check_gear)
async def shove(
    scene: Scene,
    who: Person,
    target: Target,
    gear: Annotated[str, Pick(shoves_with)] = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> StruckBlow:
    """Push somebody over or a metre back; somebody stronger takes two successes."""
    stronger = scene[target].now(STRENGTH) > scene[who].now(STRENGTH)
    needed = scene[Shove].x_needed_if_stronger if stronger else scene[Shove].x_needed
    attempt = replace(
        armed(scene, who, gear, mods, "shove") if gear else Attempt(MELEE, "Brawler", mods=mods, tags=("shove",)),
        helpers=helpers,
    )
    attempt = replace(attempt, needed=needed, surplus=False)
    blow = await attack(who, target, DeclaredAttack("Shove", harms=False), attempt, NOTHING.rule)
    if blow.hit and applying(scene, target).granted("grounded"):
        return replace(blow, hit=False)
    if blow.hit:
        await fall(who, target, 0)
    return blow


@rule("yearzero.melee.effects/fall")
async def fall(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """The opponent falls prone, or is pushed back a metre."""
    if target is None:
        return
    if await choose(who, WAY, ("prone", "back")) == "prone":
        await alter(target, lying)
    else:
        await push_back(target)


@rule("yearzero.melee.shove/back")
async def push_back(scene: Scene, target: Person) -> None:
    """Somebody is pushed back a metre."""
    await tell("pushed-back", who=target, metres=scene[Shove].back_m)


@rule("yearzero.melee.effects/disarm")
async def disarmed(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """The opponent's two-handed weapon drops."""
    for item in in_hand(scene, target) if target is not None else ():
        if target is not None and "2H" in features_of(scene, item):
            await alter(target, dropping, item.name)
            return


@rule("yearzero.melee.effects/outmaneuver")
async def outmaneuver(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Two opponents trade their initiative, from the next round on."""
    if target is not None and BATTLE in scene:
        await swap_initiative(who, target)


def check_prone(scene: Scene, who: Person) -> None:
    if not scene[who].prone:
        refuse(f"{who} is on their feet", rule="yearzero.combat.prone-melee")


@action("stand-up", "yearzero.combat.prone-melee/stand-up", price=TO_RISE, check=check_prone)
async def stand_up(scene: Scene, who: Person) -> None:
    """Get on one's feet."""
    await work_off_pain(who)
    await change(who, replace(scene[who], prone=False))
