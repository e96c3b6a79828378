"""Brawling: bare hands and improvised weapons, and grapples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Effect,
    Fields,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    applying,
    change,
    formula,
    frozen,
    hand_over,
    lay,
    react,
    refuse,
    rows,
    rule,
)
from referee.core.effects import Forbids
from referee.core.trace import note
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import ability_name, own_code
from referee.systems.d6.combat.blows import (
    LANDED,
    MELEE_TAGS,
    PLAIN_BLOW,
    STRUCK,
    Blow,
    BlowSituation,
    MeleeBlow,
    MeleeResult,
    own_reach,
    with_hand,
)
from referee.systems.d6.combat.maneuvers import check_lethal, extra_damages
from referee.systems.d6.combat.melee import (
    Target,
    allowed_in_hold,
    check_above,
    come_to_blows,
    exchange,
    is_surprised,
    strike,
)
from referee.systems.d6.combat.parries import FURTHER_PARRIES, ParryWay, combat_parry
from referee.systems.d6.combat.reach import SHORTEST, check_short_enough, impose_distance
from referee.systems.d6.combat.reactions import was_hit
from referee.systems.d6.combat.round import FIGHT, fight_action, with_reaction
from referee.systems.d6.combat.weapons import (
    NATURAL,
    WeaponDamage,
    check_in_order,
    check_unpinned,
    held,
    item_of,
    part_of_body,
    weapon_damage,
)
from referee.systems.d6.equipment import weapon_of
from referee.systems.d6.opposed import OPPOSED, OpposedResult, contest, opposed_result
from referee.systems.d6.resolution import check_able
from referee.systems.d6.rolls import ROUND_END
from referee.systems.d6.sheet import GRAPPLING, GrappleHold, Hero, Person
from referee.systems.d6.zones import check_arms

BRAWLING_ATTACK: Final = "d6.combat.brawling-attack"
STRIKE_SKILL: Final = "Brawling::unarmed attack"
WRESTLE: Final = "Brawling::wrestling"
BRAWL: Final = "Brawling"
HIT: Final = "Hit"
IMPROVISED: Final = "Improvised weapon"
GRAPPLE: Final = "Grappling"
SLIP: Final = Prompt("slip-free")
FREE: Final = "free attack or parry"
LIMB_PARRY: Final = "limb-parry"


@frozen
class BrawlRow:
    """A basic maneuver of brawling."""

    name: str
    difficulty: int
    damage: Code | None = None
    """What is added to Strength; None for what does no damage."""
    stun: bool = False


BRAWL_ROWS: Final = rows(BRAWLING_ATTACK, "maneuvers", BrawlRow)


# --- hitting ----------------------------------------------------------------------------------------------------------


@formula(BRAWLING_ATTACK, "d6.skills.brawling")
def brawl_blow(scene: Scene, who: Person, maneuver: str, thing: str = "", limb: bool = False) -> MeleeBlow:
    """A maneuver of brawling as an attack: with bare hands, a natural weapon, or whatever is in hand."""
    note("d6.skills.brawling")
    row = scene[BRAWL_ROWS][maneuver]
    skill = {HIT: STRIKE_SKILL, GRAPPLE: WRESTLE}.get(maneuver, BRAWL)
    item = item_of(scene, who, thing) if thing else None
    own = Code() if row.damage is None else own_code(scene, who, "Strength")
    more = () if thing else extra_damages(scene, who)
    dealt = None if row.damage is None else WeaponDamage(own, row.damage, more, row.stun)
    if thing == NATURAL:
        dealt = weapon_damage(scene, who, NATURAL)
    return MeleeBlow(
        with_hand(scene, who, skill, limb or (item is not None and item.off_hand)),
        row.difficulty,
        scene[SHORTEST] if item is None or thing == NATURAL else weapon_of(scene, item).reach,
        dealt,
        thing,
        unarmed=item is None,
        tags=(*MELEE_TAGS, *ability_name(scene, skill).tags),
        row=None if item is None else weapon_of(scene, item),
    )


def natural_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """Bare hands, or claws and the like."""
    return ("", NATURAL) if part_of_body(scene, who, NATURAL) else ("",)


@fight_action("brawl", BRAWLING_ATTACK + "/hit", BRAWLING_ATTACK, bands=STRUCK, check=(check_above, check_lethal))
async def brawl(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Annotated[str, Pick(natural_weapons)] = "",
    lethal: bool = False,
    at: Blow = PLAIN_BLOW,
) -> MeleeResult:
    """Hit somebody with bare hands, which is not lethal unless one has learned it, or with a natural weapon."""
    await allowed_in_hold(who)
    blow = brawl_blow(scene, who, HIT, weapon).about(at.situation)
    return await hand_over(strike(who, target, blow.deadly() if lethal else blow, at))


def check_improvised(scene: Scene, who: Person, thing: str) -> None:
    """Anything in hand that is in one piece."""
    item = item_of(scene, who, thing)
    if not item.ready:
        raise Refused(thing, because="it is not in hand", rule=BRAWLING_ATTACK, legal=held(scene, who))
    if item.condition:
        check_in_order(scene, item)
    check_unpinned(scene, who, thing)
    check_arms(scene, who, item)
    check_short_enough(scene, who, thing, weapon_of(scene, item).reach)


Improvised: TypeAlias = Annotated[str, Pick(held, check_improvised)]


@fight_action("improvised-attack", BRAWLING_ATTACK + "/improvised", BRAWLING_ATTACK, bands=STRUCK, check=check_above)
async def improvised_attack(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Improvised,
    at: Blow = PLAIN_BLOW,
) -> MeleeResult:
    """Strike with what was not made for it: a chair, a shield, the butt of a rifle. That is lethal."""
    await allowed_in_hold(who)
    blow = brawl_blow(scene, who, IMPROVISED, weapon).about(at.situation)
    return await hand_over(strike(who, target, blow, at))


def check_limb(scene: Scene, who: Person) -> None:
    """Those with a further limb, once a round."""
    applied = applying(scene, who)
    if applied.extra(FREE) < 1:
        refuse(f"{who} has no further limb", rule="d6.species.exotic-advantages")
    applied.check_allowed(FREE, rule="d6.species.exotic-advantages")


@fight_action("strike-with-limb", BRAWLING_ATTACK + "/limb", BRAWLING_ATTACK, bands=STRUCK, check=check_limb, free=True)
async def strike_with_limb(scene: Scene, who: Person, target: Target, mods: Mods = ()) -> MeleeResult:
    """Strike with a further limb, as Ambidexterity allows: once a round it costs no action."""
    await use_limb(who)
    return await hand_over(strike(who, target, brawl_blow(scene, who, HIT, limb=True), BlowSituation(mods=mods)))


def limb_parries(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation) -> Iterator[ParryWay]:
    """A parry with a further limb, in place of the free strike: once a round it costs no action."""
    applied = applying(scene, target)
    if applied.extra(FREE) < 1 or any(each.effect.does == Forbids(FREE) for each in applied.active):
        return
    bare = combat_parry(scene, who, target, blow, at, "")
    using = with_hand(scene, target, bare.way.using, off_hand=True)
    yield ParryWay(replace(bare.way, key=LIMB_PARRY, using=using, free=True, before=use_limb(target)))


@rule(BRAWLING_ATTACK + "/use-limb", BRAWLING_ATTACK)
async def use_limb(scene: Scene, who: Person) -> Mods:
    """The free attack or parry of this round is made."""
    await lay(who, Effect(Forbids(FREE), until=ROUND_END), source="further limb")
    return ()


FURTHER_PARRIES.append(limb_parries)


# --- grappling --------------------------------------------------------------------------------------------------------


def check_free_hands(scene: Scene, who: Person, target: Person) -> None:
    """Neither of the two is in a grapple already."""
    for each in (who, target):
        if scene[each].grapple is not None:
            refuse(f"{each} is in a grapple", rule=GRAPPLING, legal=("tighten", "break-free", "release"))


@fight_action("grapple", GRAPPLING, BRAWLING_ATTACK, bands=LANDED, check=check_free_hands)
async def grapple(
    scene: Scene,
    who: Person,
    target: Target,
    at: Annotated[BlowSituation, Fields(without="zone unparried")] = PLAIN_BLOW,
) -> MeleeResult:
    """Take hold of somebody: both are locked, by the margin of success."""
    blow = brawl_blow(scene, who, GRAPPLE).about(at.situation)
    await come_to_blows(who, target, blow.reach, at.surprised)
    return await hand_over(
        exchange(who, target, blow, at),
        then=lambda found: take_hold(who, target, blow.reach, found.margin) if found.hit else None,
    )


@rule(GRAPPLING + "/take-hold", GRAPPLING)
async def take_hold(scene: Scene, who: Person, target: Person, reach: int, margin: int) -> None:
    """The grip lands as a blow does."""
    await was_hit(target)
    await impose_distance(who, target, reach, own_reach(scene, target))
    await lock(who, target, margin)


@rule(GRAPPLING + "/lock", GRAPPLING)
async def lock(scene: Scene, who: Person, target: Person, margin: int) -> None:
    """One holds the other, so firmly."""
    await alter(who, Hero.in_grapple, GrappleHold(target.name, margin))
    await alter(target, Hero.in_grapple, GrappleHold(who.name, held=True))


@rule(GRAPPLING + "/over", GRAPPLING)
async def let_go_of(scene: Scene, who: Person) -> None:
    """A grapple is over for both."""
    for each in locked(scene, who):
        await alter(each, Hero.in_grapple, None)


def locked(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Both who are in a grapple."""
    hold = scene[who].grapple
    foe = hold is not None and scene.read(hold.foe) is not None
    return (who, scene.who(hold.foe)) if hold is not None and foe else (who,)


def held_by(scene: Scene, who: Person) -> Person:
    """Who holds somebody."""
    hold = scene[who].grapple
    if hold is None or not hold.held:
        refuse(f"nobody holds {who}", rule=GRAPPLING)
    found: Person = scene.who(hold.foe)
    return found


def held_foe(scene: Scene, who: Person) -> Person:
    """Whom somebody holds."""
    hold = scene[who].grapple
    if hold is None or hold.held:
        refuse(f"{who} holds nobody", rule=GRAPPLING, legal=("grapple",))
    found: Person = scene.who(hold.foe)
    return found


def check_held(scene: Scene, who: Person) -> None:
    held_by(scene, who)


def check_holds(scene: Scene, who: Person) -> None:
    held_foe(scene, who)


def hold_bonus(scene: Scene, holder: Person) -> Mods:
    """What the margin of a hold adds."""
    hold = scene[holder].grapple
    margin = hold.margin if hold is not None else 0
    return (Mod(margin, "hold", GRAPPLING, unit="total"),) if margin else ()


@fight_action("break-free", GRAPPLING + "/break-free", GRAPPLING, bands=OPPOSED, check=check_held, skilled=False)
async def break_free(scene: Scene, who: Person, mods: Mods = ()) -> OpposedResult:
    """Win an opposed Strength roll against whoever holds one, and adds the margin of the hold."""
    holder = held_by(scene, who)
    return await hand_over(
        contest(who, "Strength", holder, "Strength", mods, hold_bonus(scene, holder)),
        partial(opposed_result, scene),
        then=lambda found: let_go_of(who) if found.success else None,
    )


@fight_action("tighten", GRAPPLING + "/tighten", GRAPPLING, bands=OPPOSED, check=check_holds)
async def tighten(scene: Scene, who: Person, mods: Mods = ()) -> OpposedResult:
    """Win an opposed Brawling roll, with the hold as a bonus: its margin is that of the hold. Otherwise it slips."""
    target = held_foe(scene, who)
    return await hand_over(
        contest(who, BRAWL, target, BRAWL, (*mods, *hold_bonus(scene, who))),
        partial(opposed_result, scene),
        then=lambda found: hold_tighter(who, target, found.margin) if found.success else slip_free(target),
    )


@rule(GRAPPLING + "/tighter", GRAPPLING)
async def hold_tighter(scene: Scene, who: Person, target: Person, margin: int) -> None:
    """The margin of the roll is that of the hold now."""
    await alter(who, Hero.in_grapple, GrappleHold(target.name, margin))


def check_slip(scene: Scene, who: Person, way: str) -> None:
    """A reaction; the surprised have none."""
    check_able(scene, who)
    if is_surprised(scene, who):
        refuse(f"{who} is surprised", rule="d6.combat.surprise")


FREED: Final[Bands[bool]] = Bands(of=lambda free: "free" if free else "held", keys=("free", "held"))


@rule(GRAPPLING + "/slip", GRAPPLING, bands=FREED)
async def slip_free(scene: Scene, who: Person) -> bool:
    """Whoever is held may free oneself as a reaction: for a declared action, or on top of them."""
    left = FIGHT in scene and scene[FIGHT].left.get(who.name, 0) > 0
    ways = ("slip", "slip-added") if left else ("slip",)
    way = await react(who, SLIP, ways, check=lambda each: check_slip(scene, who, each))
    if way is None:
        return False
    if FIGHT in scene:
        for value, now in with_reaction(scene, who, way == "slip-added"):
            await change(value, now, rule="d6.combat.adapting-actions")
    await let_go_of(who)
    return True


@action("release", GRAPPLING + "/release", GRAPPLING, check=check_holds)
async def release(scene: Scene, who: Person) -> None:
    """Let go of whoever one holds, at any time and at no cost."""
    await let_go_of(who)
