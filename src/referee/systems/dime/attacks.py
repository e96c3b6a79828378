"""Attacks: the flip against Defense, what it hits, and the actions that strike one target."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    YES_NO,
    Bands,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    alter,
    applying,
    choose,
    figure,
    formula,
    frozen,
    hand_over,
    rule,
    rule_on,
    settled,
    tell,
)
from referee.core.branches import unless_left_out
from referee.core.rules import Decide, Ends, kernel, outline, sampler
from referee.core.things import DROPPED
from referee.systems.dime.action_points import break_aim
from referee.systems.dime.combat import combat_action
from referee.systems.dime.consequences import COVER, cover_bonus, ease
from referee.systems.dime.critical_effects import AUTOMATIC, CRITICALS, choose_critical, critical_effect
from referee.systems.dime.damage import weapon_damage
from referee.systems.dime.fight import ATTACK, FIGHT, allies, is_close, people
from referee.systems.dime.flip import Flip, flip
from referee.systems.dime.flip_odds import FLIP_KEPT, flip_ends_of, flip_outline
from referee.systems.dime.flip_samples import flip_plays
from referee.systems.dime.gear import Item
from referee.systems.dime.hits import (
    PLAIN,
    SHOTS,
    AttackManner,
    called_shot_hits,
    counted_suit,
    deal,
    drop,
    hit_damage,
    strength_of,
)
from referee.systems.dime.reactions import Guard, defend, grapple_cover, guard_of
from referee.systems.dime.sheet import SUIT_ORDER, Adventurer, Person, severity_of
from referee.systems.dime.weapons import (
    AUTO,
    IMPROVISED,
    UNARMED,
    AutomaticFire,
    AutoWeapon,
    BasicAttack,
    Target,
    ThrownWeapon,
    UnarmedAttack,
    Weapon,
    check_strength,
    damage_bonus,
    improvised_mods,
    is_armed,
    spend_shots,
    weapon_of,
)

WHERE: Final = Prompt("shot-place")
FRIEND: Final = Prompt("friend")
COVER_HOLDS: Final = Prompt("cover-holds")
DISARM_AP: Final = figure("dime.attack.disarm", "extra_ap", int)


@frozen
class AttackResult:
    """An attack: its flip, whether it hit, the damage that brings, and the critical effect that was chosen."""

    flip: Flip
    hit: bool
    damage: int = 0
    cover: bool = False
    """Whether the cover was struck instead."""
    effect: str = ""
    """The critical effect, if one was chosen."""
    shot: str = ""
    """Where a Called Shot hits that is the critical effect."""

    @property
    def success(self) -> bool:
        return self.hit

    @property
    def total(self) -> int:
        return self.flip.total

    @property
    def mag(self) -> int:
        return self.flip.mag

    @property
    def critical(self) -> bool:
        return self.flip.critical

    @property
    def suit(self) -> str | None:
        return self.flip.suit

    @property
    def joker(self) -> bool:
        return self.flip.joker


NO_FLIP: Final = Flip(0, success=False, mag=0, strong=False, critical=False)

STOPPED: Final = AttackResult(NO_FLIP, hit=False)


def _band(strike: AttackResult) -> str:
    if strike.hit:
        return "critical-hit" if strike.flip.critical else "hit"
    return "critical-failure" if strike.flip.critical else "miss"


STRUCK: Final[Bands[AttackResult]] = Bands(
    of=_band,
    keys=("critical-hit", "hit", "miss", "critical-failure"),
    good=("critical-hit", "hit"),
    bad={"joker": lambda strike: strike.flip.joker},
)
STRUCK_IF_TRIED: Final = STRUCK.if_tried("miss")
"""Whether to attack is open, too."""


@frozen
class TurnedAttack:
    """An attack whose cards are turned, before it takes effect."""

    who: Person
    target: Person
    weapon: str
    strike: AttackResult
    manner: AttackManner


@frozen
class AimedAttack:
    """An attack before its card turns: with what, how it is flipped, and what stands against it."""

    item: Item
    manner: AttackManner
    guard: Guard
    stat: str
    skill: str
    mods: Mods = ()


@rule("dime.attack.basic/strike", "dime.attack.basic", "dime.consequence.cover", bands=STRUCK)
async def strike(
    scene: Scene, who: Person, target: Person, weapon: str, manner: AttackManner = PLAIN, mods: Mods = ()
) -> AttackResult:
    """An attack flip against Defense; reactions come before the card turns, consequences after the result."""
    await spend_shots(who, weapon, manner.auto)
    return await hand_over(strike_with(who, target, weapon, await declare_attack(who, target, weapon, manner, mods)))


@rule("dime.attack.basic/strike-with", "dime.attack.basic", "dime.consequence.cover")
async def strike_with(scene: Scene, who: Person, target: Person, weapon: str, attack: AimedAttack) -> AttackResult:
    """The card turns, and the attack takes effect."""
    result = await with_effect(who, target, attack.item, attack.manner, await flip_at(who, target, attack))
    return await settled(result, then=land(who, target, weapon, result, attack.manner))


@rule("dime.attack.basic/take-effect")
async def take_effect(
    scene: Scene, who: Person, target: Person, weapon: str, found: AttackResult, manner: AttackManner
) -> None:
    """An attack whose cards have turned takes effect."""
    with_all = await with_effect(who, target, weapon_of(scene, who, weapon), manner, found)
    await land(who, target, weapon, with_all, manner)


@rule("dime.attack.basic/effect", "dime.critical.effects", "dime.flip.critical")
async def with_effect(
    scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner, found: AttackResult
) -> AttackResult:
    """On a critical hit one effect of the attacker's choice besides, which may change the damage."""
    row = await choose_critical(who, target, item, manner) if found.hit and found.flip.critical else None
    if row is None:
        return found
    shot = await choose(who, WHERE, scene[SHOTS].names) if row.called_shot else ""
    called = replace(manner, shot=shot) if shot else manner
    points = hit_damage(scene, who, target, item, found.flip, called, row.suit) * row.times
    return replace(found, damage=points, effect=row.name, shot=shot)


@rule("dime.attack.basic/flip", "dime.attack.basic", "dime.consequence.cover", bands=STRUCK)
async def turn_attack(
    scene: Scene, who: Person, target: Person, weapon: str, manner: AttackManner = PLAIN, mods: Mods = ()
) -> AttackResult:
    """The cards of an attack, before it takes effect: in a duel two of them are turned at once."""
    return await hand_over(flip_at(who, target, await declare_attack(who, target, weapon, manner, mods)))


@rule("dime.attack.basic/declare", "dime.attack.basic")
async def declare_attack(
    scene: Scene, who: Person, target: Person, weapon: str, manner: AttackManner, mods: Mods
) -> AimedAttack:
    """What an attack is flipped with, and what its target does about it before the card turns."""
    item = weapon_of(scene, who, weapon)
    every = mods + attack_mods(scene, who, target, item, manner)
    if weapon == IMPROVISED:
        every += await improvised_mods()
    await break_aim(who)
    guard = guard_of(scene, who, target, item)
    if manner.reactions:
        guard = await defend(target, who, item, manner.unaware)
    skill = scene[BasicAttack].thrown_skill if manner.thrown else item.skill
    return AimedAttack(item, manner, guard, manner.stat or scene[BasicAttack].stat, skill, every)


@rule("dime.attack.basic/flip-at", "dime.attack.basic", "dime.consequence.cover")
async def flip_at(scene: Scene, who: Person, target: Person, attack: AimedAttack) -> AttackResult:
    """The flip itself, and the damage that a hit will bring."""
    flipped = await flip(who, attack.stat, attack.skill, attack.guard.defense, attack.mods, target, suited=True)
    points = hit_damage(scene, who, target, attack.item, flipped, attack.manner) if flipped.success else 0
    return _struck(flipped, attack.guard, points)


def _struck(flipped: Flip, guard: Guard, points: int) -> AttackResult:
    covered = not flipped.success and not flipped.joker and flipped.total >= guard.defense - guard.cover
    return AttackResult(flipped, flipped.success, points, covered)


@outline(strike_with, keeps={**FLIP_KEPT, AttackResult: ("flip", "hit")})
def struck_by_value(
    scene: Scene, decide: Decide, who: Person, target: Person, weapon: str, attack: AimedAttack
) -> Ends[AttackResult] | None:
    """Hit or miss by the value of the best stack; which suit it has, and the damage, are left open."""
    using, against = (attack.stat, attack.skill), attack.guard.defense
    ends = flip_outline(scene, decide, who, *using, against, attack.mods, target, suited=True)
    if ends is None:
        return None
    struck = lambda flipped: _struck(flipped, attack.guard, 0)  # noqa: E731
    return [(unless_left_out(each, struck), to, ways) for each, to, ways in ends]


@kernel(flip_at)
def flipped_at(
    scene: Scene, decide: Decide, who: Person, target: Person, attack: AimedAttack
) -> Ends[AttackResult] | None:
    """It is played as the flip is, unless that would take too long."""
    against = attack.guard.defense
    _ = flip_ends_of(scene, decide, who, attack.stat, attack.skill, against, attack.mods, target, suited=True)
    return None


@sampler(flip_at)
def sampled_at(
    scene: Scene, decide: Decide, plays: int, who: Person, target: Person, attack: AimedAttack
) -> Ends[AttackResult] | None:
    """So many flips; the damage of each suit is worked out once."""
    using, against = (attack.stat, attack.skill), attack.guard.defense
    flips = flip_plays(scene, decide, plays, who, *using, against, attack.mods, target, suited=True)
    if flips is None:
        return None
    damage: dict[str | None, int] = {}

    def points_of(flipped: Flip) -> int:
        if flipped.success and flipped.suit not in damage:
            damage[flipped.suit] = hit_damage(scene, who, target, attack.item, flipped, attack.manner)
        return damage[flipped.suit] if flipped.success else 0

    return [(_struck(flipped, attack.guard, points_of(flipped)), to, times) for flipped, to, times in flips]


@formula("dime.concentrate.aim/attack", "dime.attack.unarmed/armed")
def attack_mods(scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner) -> Mods:
    """What is on attacks: the aim, bare hands against a melee weapon, automatic fire."""
    laid = applying(scene, who, ATTACK, against=target).active
    found = tuple(mod for each in laid if ATTACK in each.effect.when for mod in _mod(each))
    if item.name == UNARMED and is_armed(scene, target):
        found += (Mod(scene[UnarmedAttack].penalty_vs_armed, "bare hands", "dime.attack.unarmed"),)
    if manner.auto:
        amount = item.rating(scene, AUTO) * scene[AutomaticFire].bonus_per_rating
        found += (Mod(amount, AUTOMATIC, "dime.attack.automatic-fire"),)
    return found


def _mod(active: Any) -> Mods:
    amount = getattr(active.effect.does, "amount", None)
    return () if amount is None else (Mod(amount, active.source, active.rule),)


@rule("dime.attack.basic/land")
async def land(
    scene: Scene, who: Person, target: Person, weapon: str, found: AttackResult, manner: AttackManner
) -> None:
    """What follows: a hit, a cover struck, or a friend in the line of fire; what was thrown lies there."""
    item = weapon_of(scene, who, weapon)
    if found.hit:
        await hit(who, target, item, found, manner)
    elif found.cover:
        await strike_cover(who, target, item, found.flip, manner)
    elif found.flip.critical:
        await hit_friend(who, target, item, found.flip, manner)
    if manner.thrown and scene[who].item(weapon).held:
        await alter(who, Adventurer.with_item, scene[who].item(weapon).at(DROPPED))


@rule("dime.attack.basic/hit", "dime.critical.effects", "dime.flip.critical")
async def hit(scene: Scene, who: Person, target: Person, item: Item, found: AttackResult, manner: AttackManner) -> None:
    """The weapon's damage for the suit, and what the critical effect adds that was chosen."""
    flipped, row = found.flip, scene[CRITICALS][found.effect] if found.effect else None
    shot = found.shot or manner.shot
    suit = row.suit if row is not None and row.suit else counted_suit(scene, flipped.suit, shot)
    points = 0
    if not manner.harmless:
        for _ in range(row.times if row is not None else 1):
            points += await deal(who, target, item, flipped.suit, suit, shot, manner)
    if shot:
        await called_shot_hits(target, shot, item, points)
    if manner.disarm:
        await drop(target, manner.disarm)
    if row is not None:
        await critical_effect(who, target, item, row, flipped)


@rule("dime.consequence.cover/struck", "dime.consequence.cover")
async def strike_cover(
    scene: Scene, who: Person, target: Person, item: Item, flipped: Flip, manner: AttackManner
) -> None:
    """Cover made the difference: it is struck, be it a thing or somebody in the grapple."""
    strength, bonus = strength_of(scene, who, manner), damage_bonus(scene, item)
    points = weapon_damage(scene, item, counted_suit(scene, flipped.suit, manner.shot), strength, bonus, manner.times)
    if grapple_cover(scene, who, target) > cover_bonus(scene, target):
        others = people(scene[FIGHT].grappled_with(scene, target.name))
        _ = await deal(who, await choose(None, FRIEND, others), item, flipped.suit, flipped.suit, "", manner)
        return
    await tell("cover-struck", who=target, points=points)
    if not await rule_on(COVER_HOLDS, True, options=YES_NO) and severity_of(scene, target, COVER):
        _ = await ease(target, COVER, severity_of(scene, target, COVER))


@rule("dime.attack.line-of-fire", "dime.flip.critical")
async def hit_friend(
    scene: Scene, who: Person, target: Person, item: Item, flipped: Flip, manner: AttackManner
) -> None:
    """A critical failure hits a friend beside the target; after a Joker with the lowest suit."""
    friends = in_line(scene, who, target)
    if not friends:
        return
    friend = await choose(None, FRIEND, friends)
    suit = flipped.suit or scene[SUIT_ORDER][0]
    await tell("friend-hit", who=friend, by=who.name)
    _ = await deal(who, friend, item, suit, suit, "", manner)


@formula("dime.attack.line-of-fire")
def in_line(scene: Scene, who: Person, target: Person) -> tuple[Person, ...]:
    """Friends in the target's zone, or in a grapple with the target."""
    if FIGHT not in scene:
        return ()
    held = scene[FIGHT].grappled_with(scene, target.name)
    return tuple(
        each for each in allies(scene, who) if each != target and (is_close(scene, each, target) or each.name in held)
    )


@combat_action("Basic Attack", "dime.attack.basic", key="attack", lapsed=STOPPED, bands=STRUCK, check=check_strength)
async def attack(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Weapon,
    mods: Mods = (),
    strength: int | None = None,
    unaware: bool = False,
) -> AttackResult:
    """Dexterity and the skill of the weapon against Defense; the suit decides the damage."""
    return await hand_over(strike(who, target, weapon, AttackManner(strength=strength, unaware=unaware), mods))


@combat_action("Basic Attack", "dime.attack.basic/throw", key="throw-weapon", lapsed=STOPPED, bands=STRUCK)
async def throw(
    scene: Scene, who: Person, target: Target, weapon: ThrownWeapon, mods: Mods = (), unaware: bool = False
) -> AttackResult:
    """Throw a weapon, with Dexterity and athletics; it lies where it falls."""
    return await hand_over(strike(who, target, weapon, AttackManner(thrown=True, unaware=unaware), mods))


def arm_ap(scene: Scene, who: Person) -> int:
    return scene[SHOTS]["Arm"].extra_ap


def head_ap(scene: Scene, who: Person) -> int:
    return scene[SHOTS]["Head"].extra_ap


def leg_ap(scene: Scene, who: Person) -> int:
    return scene[SHOTS]["Leg"].extra_ap


@combat_action(
    "Called Shot (Arm)",
    "dime.attack.called-shots/arm",
    key="shot-at-arm",
    lapsed=STOPPED,
    bands=STRUCK,
    more=arm_ap,
    check=check_strength,
)
async def shot_at_arm(
    scene: Scene, who: Person, target: Target, weapon: Weapon, mods: Mods = (), strength: int | None = None
) -> AttackResult:
    """A hit makes the target drop what she holds, and the arm is no use until the end of her next turn."""
    return await hand_over(strike(who, target, weapon, AttackManner("Arm", strength=strength), mods))


@combat_action(
    "Called Shot (Head)",
    "dime.attack.called-shots/head",
    key="shot-at-head",
    lapsed=STOPPED,
    bands=STRUCK,
    more=head_ap,
    check=check_strength,
)
async def shot_at_head(
    scene: Scene, who: Person, target: Target, weapon: Weapon, mods: Mods = (), strength: int | None = None
) -> AttackResult:
    """A hit counts as one suit higher than the card."""
    return await hand_over(strike(who, target, weapon, AttackManner("Head", strength=strength), mods))


@combat_action(
    "Called Shot (Leg)",
    "dime.attack.called-shots/leg",
    key="shot-at-leg",
    lapsed=STOPPED,
    bands=STRUCK,
    more=leg_ap,
    check=check_strength,
)
async def shot_at_leg(
    scene: Scene, who: Person, target: Target, weapon: Weapon, mods: Mods = (), strength: int | None = None
) -> AttackResult:
    """A hit throws the target down, and the leg is no use until the end of her next turn."""
    return await hand_over(strike(who, target, weapon, AttackManner("Leg", strength=strength), mods))


def disarm_ap(scene: Scene, who: Person) -> int:
    return scene[DISARM_AP]


def their_weapons(scene: Scene, who: Person, target: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[target].items if each.held)


TheirWeapon: TypeAlias = Annotated[str, Pick(their_weapons)]


@combat_action("Disarm", "dime.attack.disarm", key="disarm", lapsed=STOPPED, bands=STRUCK, more=disarm_ap)
async def disarm(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Weapon,
    what: TheirWeapon,
    harmless: bool = False,
    mods: Mods = (),
) -> AttackResult:
    """A hit makes the target drop a weapon; it need do no damage."""
    return await hand_over(strike(who, target, weapon, AttackManner(disarm=what, harmless=harmless), mods))


@combat_action("Automatic Fire", "dime.attack.automatic-fire", key="automatic-fire", lapsed=STOPPED, bands=STRUCK)
async def automatic_fire(
    scene: Scene, who: Person, target: Target, weapon: AutoWeapon, mods: Mods = ()
) -> AttackResult:
    """The Auto rating is added to the flip, and its square in shots is used up."""
    return await hand_over(strike(who, target, weapon, AttackManner(auto=True), mods))
