"""Attacks: reactions to them, what they hit, critical effects, and every action of the attack group."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    YES_NO,
    Bands,
    Effect,
    Levels,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    alter,
    applying,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    offer,
    questions,
    refuse,
    rows,
    rule,
    rule_on,
    settled,
    tell,
    total,
)
from referee.core.effects import Forbids
from referee.systems.dime.combat import (
    ATTACK,
    FIGHT,
    TURN_END,
    Suppression,
    ZoneFight,
    allies,
    ap_left,
    break_aim,
    combat_action,
    fighters,
    free_hands,
    hands_for,
    is_close,
    pay_ap,
    people,
    person,
    zones_apart,
)
from referee.systems.dime.consequences import (
    COVER,
    check_approach,
    cover_bonus,
    defense_mods,
    ease,
    reaction_mods,
    worsen,
)
from referee.systems.dime.damage import (
    damage_reduction,
    higher_suit,
    resolve_hit,
    weapon_damage,
)
from referee.systems.dime.flip import (
    FLIPPED,
    Critical,
    Flip,
    flip,
    flip_total,
    gear_mods,
    opposed_flip,
    random_number,
    spelled_out,
)
from referee.systems.dime.gear import DROPPED, HEAD, PIERCE, PROPERTIES, Item
from referee.systems.dime.sheet import SUIT_ORDER, Adventurer, Person, defense, severity_of, skill_level, stat_level

UNARMED: Final = "unarmed"
IMPROVISED: Final = "improvised"
AUTO: Final = "Auto"
AREA: Final = "Area"
MELEE: Final = "melee"
AUTOMATIC: Final = "automatic fire"
DODGE: Final = "Dodge"
PARRY: Final = "Parry"
TAKE_COVER: Final = "Take Cover"
ZONE_OF_CONTROL: Final = "Zone of Control"

WEAPON: Final = Prompt("weapon")
REACT: Final = Prompt("react")
CRITICAL: Final = Prompt("critical")
WHERE: Final = Prompt("shot-place")
SECOND: Final = Prompt("second-target")
FRIEND: Final = Prompt("friend")
DROP: Final = Prompt("drop")
COVER_HOLDS: Final = Prompt("cover-holds")

DISARM_AP: Final = figure("dime.attack.disarm", "extra_ap", int)
AREA_CRITICALS: Final = figure("dime.attack.area", "critical_effects", tuple[str, ...])
AREA_COVER: Final = figure("dime.attack.area", "cover_as_dr", int)
LEAST_STR: Final = figure("dime.attack.pulling-punches", "least_str", int)
IMPROVISED_DAMAGE: Final = figure("dime.attack.improvised-weapons", "damage", int)
DODGE_AP: Final = figure("dime.reaction.dodge", "ap", int)
PARRY_AP: Final = figure("dime.reaction.parry", "ap", int)
COVER_AP: Final = figure("dime.reaction.take-cover", "ap", int)
COVER_TIMES: Final = figure("dime.reaction.take-cover", "multiplier", int)
REACTIONS: Final = {DODGE: DODGE_AP, PARRY: PARRY_AP, TAKE_COVER: COVER_AP}


@figures("dime.attack.basic")
class BasicAttack:
    """The stat of attacks, their skills, and the one for throwing."""

    stat: str
    skills: tuple[str, ...]
    thrown_skill: str


@figures("dime.attack.unarmed")
class UnarmedAttack:
    """What bare hands do beside Strength, and their penalty against a melee weapon."""

    penalty_vs_armed: int
    damage: Levels


@figures("dime.attack.automatic-fire")
class AutomaticFire:
    """What each point of the rating adds, and which power of it is shot."""

    bonus_per_rating: int
    shots_power: int


@figures("dime.attack.grapple")
class GrappleFigures:
    """The flips of a grapple, the Cover it gives, and what cannot be used in one."""

    start: str
    choke: str
    choke_against: str
    cover_to_others: int
    fatigue: int
    forbidden: tuple[str, ...]


BREAK: Final = figure("dime.attack.grapple", "break", str)


@frozen
class ShotRow:
    """A Called Shot: what it costs in addition, and what a hit there does."""

    name: str
    extra_ap: int
    says: str
    drops: bool = False
    disables: str = ""
    suits_higher: int = 0
    where: str = ""
    worsens: str = ""


@frozen
class CriticalRow:
    """A critical effect."""

    name: str
    says: str
    called_shot: bool = False
    worsens: str = ""
    disarms: bool = False
    grapples: bool = False
    only: str = ""
    second_target: bool = False
    suit: str = ""
    times: int = 1


SHOTS: Final = rows("dime.attack.called-shots", "shots", ShotRow)
CRITICALS: Final = rows("dime.critical.effects", "effects", CriticalRow)


@frozen
class AttackManner:
    """How an attack is made. A duel's opening shot has another stat, doubled damage, and perhaps no reactions."""

    shot: str = ""
    """The Called Shot."""
    disarm: str = ""
    """The weapon to strike out of the target's hand."""
    harmless: bool = False
    """Whether it does no damage."""
    auto: bool = False
    thrown: bool = False
    unaware: bool = False
    """Whether the target is unaware of it."""
    strength: int | None = None
    """A lower Strength than one's own, if punches are pulled."""
    stat: str = ""
    times: int = 1
    reactions: bool = True


PLAIN: Final = AttackManner()


@frozen
class AttackResult:
    """An attack: its flip, whether it hit, the damage that brings apart from critical effects."""

    flip: Flip
    hit: bool
    damage: int = 0
    cover: bool = False
    """Whether the cover was struck instead."""

    @property
    def success(self) -> bool:
        return self.hit

    @property
    def total(self) -> int:
        return self.flip.total


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


# --- weapons ----------------------------------------------------------------------------------------------------------


@formula("dime.attack.unarmed")
def weapon_of(scene: Scene, who: Person, weapon: str) -> Item:
    """Something in hand; bare hands; or whatever lies about, which strikes like bare hands."""
    if weapon in (UNARMED, IMPROVISED):
        return Item(weapon, damage=scene[UnarmedAttack].damage, strength=True)
    return scene[who].item(weapon)


@formula("dime.attack.range")
def reach(scene: Scene, item: Item, thrown: bool = False) -> int:
    """How many zones away a weapon can strike: its Range, or when it is thrown 1 if it has none."""
    if thrown and not item.has("Range"):
        return scene[PROPERTIES]["Thrown"].range
    return item.rating(scene, "Range")


def is_weapon(scene: Scene, item: Item) -> bool:
    return item.held and item.skill in scene[BasicAttack].skills and bool(item.damage)


def is_armed(scene: Scene, who: Person) -> bool:
    """Whether somebody has a melee weapon in hand."""
    return any(is_weapon(scene, each) and each.skill == MELEE for each in scene[who].items)


def shots_left(scene: Scene, item: Item) -> int | None:
    """The shots in a weapon; None for one that needs none."""
    if not item.has("Shots"):
        return None
    return item.rating(scene, "Shots") if item.shots is None else item.shots


@formula("dime.attack.automatic-fire")
def shots_needed(scene: Scene, item: Item, auto: bool = False) -> int:
    """One for an ordinary attack, the square of the Auto rating for automatic fire."""
    if not item.has("Shots"):
        return 0
    if auto:
        return int(item.rating(scene, AUTO) ** scene[AutomaticFire].shots_power)
    return scene[PROPERTIES]["Shots"].per_attack


def check_shots(scene: Scene, item: Item, auto: bool = False) -> None:
    left, needed = shots_left(scene, item), shots_needed(scene, item, auto)
    if left is not None and left < needed:
        because = "it is empty" if left == 0 else f"it takes {needed} shots, {left} left"
        legal = ("reload",)
        refuse(because, what=item.name, rule="dime.attack.automatic-fire" if auto else PROPERTIES_RULE, legal=legal)


PROPERTIES_RULE: Final = "dime.weapon.properties"


def check_wields(scene: Scene, who: Person, weapon: str) -> None:
    """In hand, with hands to use it, and not too long for a grapple."""
    if weapon in (UNARMED, IMPROVISED):
        return
    item = scene[who].item(weapon)
    if not is_weapon(scene, item):
        refuse("it is no weapon in hand", what=item.name, rule="dime.interact.draw-reload", legal=("draw-weapon",))
    if hands_for(scene, item) > free_hands(scene, who):
        refuse(f"it takes {hands_for(scene, item)} hands", what=item.name, rule="dime.attack.called-shots")
    if FIGHT in scene and scene[FIGHT].opponents(scene, who.name) and item.build in scene[GrappleFigures].forbidden:
        refuse(f"a {item.build} is no use in a grapple", what=item.name, rule="dime.attack.grapple")


def check_reach(scene: Scene, who: Person, target: Person, item: Item, thrown: bool = False) -> None:
    """A target is at most as many zones away as the weapon's Range."""
    apart, far = zones_apart(scene, who, target), reach(scene, item, thrown)
    if apart is None:
        refuse(f"{target} is out of sight", rule="dime.attack.range")
    if apart > far:
        refuse(f"{target} is {apart} zones away, it reaches {far}", what=item.name, rule="dime.attack.range")


def check_weapon(scene: Scene, who: Person, weapon: str, target: Person) -> None:
    check_wields(scene, who, weapon)
    item = weapon_of(scene, who, weapon)
    if item.has(AREA):
        refuse("it strikes a whole zone", what=item.name, rule="dime.attack.area", legal=("area-attack",))
    check_shots(scene, item)
    check_reach(scene, who, target, item)


def check_auto(scene: Scene, who: Person, weapon: str, target: Person) -> None:
    check_weapon(scene, who, weapon, target)
    item = check_automatic(scene, who, weapon)
    check_shots(scene, item, auto=True)


def check_automatic(scene: Scene, who: Person, weapon: str) -> Item:
    item = weapon_of(scene, who, weapon)
    if not item.has(AUTO):
        refuse("it does not fire automatically", what=item.name, rule=PROPERTIES_RULE)
    return item


def check_thrown(scene: Scene, who: Person, weapon: str, target: Person) -> None:
    check_wields(scene, who, weapon)
    item = scene[who].item(weapon)
    if not item.has("Thrown"):
        refuse("it is not made for throwing", what=item.name, rule=PROPERTIES_RULE)
    check_reach(scene, who, target, item, thrown=True)


def weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """What is in hand, and bare hands; improvised weapons are at hand anywhere."""
    held = (each.name for each in scene[who].items if is_weapon(scene, each))
    return (*held, UNARMED, IMPROVISED)


def ready_weapons(scene: Scene, who: Person, target: Person) -> tuple[str, ...]:
    """What somebody can attack with at once, without drawing or reloading anything."""

    def is_ready(weapon: str) -> bool:
        try:
            check_weapon(scene, who, weapon, target)
        except Refused:
            return False
        return True

    return tuple(filter(is_ready, weapons(scene, who)))


@rule("dime.attack.basic/weapon")
async def pick_weapon(scene: Scene, who: Person, target: Person) -> str:
    """One of the weapons that are ready."""
    if not (ready := ready_weapons(scene, who, target)):
        refuse(f"{who} has no weapon ready that reaches {target}", rule="dime.attack.range")
    return await choose(who, WEAPON, ready)


def held_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].items if is_weapon(scene, each))


def check_target(scene: Scene, who: Person, target: Person) -> None:
    """Somebody else who is up; Fear bars what is aimed at its subject."""
    if target == who:
        refuse("it needs somebody else")
    if FIGHT in scene and target not in fighters(scene, who):
        refuse(f"{target} is out of the fight", legal=(each.name for each in fighters(scene, who)))
    check_approach(scene, who, target)


def check_close(scene: Scene, who: Person, target: Person) -> None:
    check_target(scene, who, target)
    if not is_close(scene, who, target):
        refuse(f"{target} is in another zone", rule="dime.combat.zones", legal=("move",))


def check_strength(scene: Scene, who: Person, strength: int | None = None) -> None:
    """Punches are pulled with a lower Strength than one's own."""
    own = stat_level(scene, who, "Strength")
    if strength is not None and not scene[LEAST_STR] <= strength <= own:
        refuse(f"Strength {strength}", rule="dime.attack.pulling-punches", legal=(f"{scene[LEAST_STR]} to {own}",))


Target: TypeAlias = Annotated[Person, Pick(fighters, check_target)]
CloseTarget: TypeAlias = Annotated[Person, Pick(fighters, check_close)]
Weapon: TypeAlias = Annotated[str, Pick(weapons, check_weapon)]
AutoWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_auto)]
ThrownWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_thrown)]


# --- reactions --------------------------------------------------------------------------------------------------------


@frozen
class Guard:
    """What stands against an attack: the Defense in all, and how much of it is Cover."""

    defense: int
    cover: int = 0


def attack_tags(scene: Scene, who: Person, target: Person, item: Item) -> tuple[str, ...]:
    """How an attack comes: from melee range, and by somebody without Reach."""
    close = (MELEE,) if is_close(scene, who, target) else ()
    return close if any(each.has("Reach") for each in (item,)) else (*close, "no reach")


@formula("dime.attack.grapple/cover")
def grapple_cover(scene: Scene, who: Person, target: Person) -> int:
    """Those in a grapple give each other Cover against attacks from outside."""
    if FIGHT not in scene:
        return 0
    others = scene[FIGHT].grappled_with(scene, target.name)
    return scene[GrappleFigures].cover_to_others if others and who.name not in others else 0


@formula("dime.consequence.cover/guard")
def guard_of(scene: Scene, who: Person, target: Person, item: Item) -> Guard:
    """Defense and what raises it; of Cover from a grapple and from elsewhere, the better counts."""
    tags = attack_tags(scene, who, target, item)
    own = cover_bonus(scene, target)
    cover = max(own, grapple_cover(scene, who, target))
    return Guard(defense(scene, target) + total(defense_mods(scene, target, tags)) - own + cover, cover)


def can_react(scene: Scene, who: Person) -> bool:
    """Up, not stunned, and in a fight with AP left."""
    if FIGHT not in scene or not scene[FIGHT].is_able(scene, who.name) or ap_left(scene, who) <= 0:
        return False
    return not any(each.effect.does == Forbids("react") for each in applying(scene, who).active)


@rule("dime.reaction.general/defend", "dime.reaction.general")
async def defend(scene: Scene, target: Person, who: Person, item: Item, unaware: bool) -> Guard:
    """Before the card turns, the target may react, each reaction once and each paid for."""
    guard, used = guard_of(scene, who, target, item), set[str]()
    tags = attack_tags(scene, who, target, item)
    while can_react(scene, target):
        options = [each for each in REACTIONS if each not in used]

        def check(option: str, cover: int = guard.cover) -> None:
            check_reaction(scene, target, who, option, cover, unaware)

        chosen = await offer(target, REACT, options, check=check, about=who.name, reaction=True, cost=_ap(scene))
        if chosen is None:
            break
        used.add(chosen)
        await pay_reaction(target, chosen)
        guard = await raise_guard(target, chosen, guard, tags)
    return guard


def _ap(scene: Scene) -> Any:
    return lambda option: questions.OptionCost(scene[REACTIONS[option]], "ap")


def check_reaction(scene: Scene, target: Person, who: Person, reaction: str, cover: int, unaware: bool) -> None:
    if scene[REACTIONS[reaction]] > ap_left(scene, target):
        refuse("too few AP are left", what=reaction, rule="dime.reaction.general")
    if reaction == DODGE and unaware:
        refuse(f"{target} is not aware of it", what=reaction, rule="dime.reaction.dodge")
    if reaction == PARRY and not is_close(scene, who, target):
        refuse(f"{who} is in another zone", what=reaction, rule="dime.reaction.parry")
    if reaction == TAKE_COVER and cover <= 0:
        refuse(f"{target} has no Cover", what=reaction, rule="dime.reaction.take-cover")


@rule("dime.reaction.general/pay", "dime.concentrate.aim")
async def pay_reaction(scene: Scene, who: Person, reaction: str) -> None:
    """Reactions are paid with held AP, and break the aim."""
    await pay_ap(who, scene[REACTIONS[reaction]])
    await break_aim(who)


@rule("dime.reaction.general/raise")
async def raise_guard(scene: Scene, who: Person, reaction: str, guard: Guard, tags: tuple[str, ...]) -> Guard:
    """What a reaction adds to the Defense."""
    if reaction == TAKE_COVER:
        more = take_cover(scene, guard.cover)
        return Guard(guard.defense + more, guard.cover + more)
    more = parry(scene, who, tags) if reaction == PARRY else await dodge(who, tags)
    return replace(guard, defense=guard.defense + more)


@rule("dime.reaction.dodge")
async def dodge(scene: Scene, who: Person, tags: tuple[str, ...]) -> int:
    """A random number, with what Reach adds and being Prone takes; never below 0."""
    number = await random_number(who)
    return max(0, number + total(reaction_mods(scene, who, DODGE, tags)))


@formula("dime.reaction.parry")
def parry(scene: Scene, who: Person, tags: tuple[str, ...]) -> int:
    """The melee skill, with what Reach adds and being Prone takes; never below 0."""
    return max(0, skill_level(scene, who, MELEE) + total(reaction_mods(scene, who, PARRY, tags)))


@formula("dime.reaction.take-cover")
def take_cover(scene: Scene, cover: int) -> int:
    """Cover counts double: what is added to it."""
    return cover * (scene[COVER_TIMES] - 1)


# --- the strike -------------------------------------------------------------------------------------------------------


@rule("dime.attack.basic/strike", "dime.attack.basic", "dime.consequence.cover")
async def strike(
    scene: Scene, who: Person, target: Person, weapon: str, manner: AttackManner = PLAIN, mods: Mods = ()
) -> AttackResult:
    """An attack flip against Defense; reactions come before the card turns, consequences after the result."""
    await spend_shots(who, weapon, manner.auto)
    result = await turn_attack(who, target, weapon, manner, mods)
    return await settled(result, then=land(who, target, weapon, result, manner))


@rule("dime.attack.basic/flip", "dime.attack.basic", "dime.consequence.cover")
async def turn_attack(
    scene: Scene, who: Person, target: Person, weapon: str, manner: AttackManner = PLAIN, mods: Mods = ()
) -> AttackResult:
    """The cards of an attack, before it takes effect: in a duel two of them are turned at once."""
    item = weapon_of(scene, who, weapon)
    every = mods + attack_mods(scene, who, target, item, manner)
    if weapon == IMPROVISED:
        every += await improvised_mods()
    await break_aim(who)
    guard = guard_of(scene, who, target, item)
    if manner.reactions:
        guard = await defend(target, who, item, manner.unaware)
    skill = scene[BasicAttack].thrown_skill if manner.thrown else item.skill
    stat = manner.stat or scene[BasicAttack].stat
    flipped = await flip(who, stat, skill, guard.defense, every, target, suited=True)
    covered = not flipped.success and not flipped.joker and flipped.total >= guard.defense - guard.cover
    points = hit_damage(scene, who, target, item, flipped, manner) if flipped.success else 0
    return AttackResult(flipped, flipped.success, points, covered)


@rule("dime.attack.improvised-weapons")
async def improvised_mods(scene: Scene) -> Mods:
    """What lies about is worse than a weapon by 0 to 2, as the game master says."""
    return await gear_mods(IMPROVISED)


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


@rule("dime.weapon.properties/shots", "dime.attack.automatic-fire")
async def spend_shots(scene: Scene, who: Person, weapon: str, auto: bool = False) -> None:
    """Shots are used up: one, or the square of the rating."""
    item = weapon_of(scene, who, weapon)
    left, needed = shots_left(scene, item), shots_needed(scene, item, auto)
    if left is not None and needed:
        await alter(who, Adventurer.with_item, replace(item, shots=left - needed))


@formula("dime.attack.pulling-punches")
def strength_of(scene: Scene, who: Person, manner: AttackManner) -> int:
    """One's own Strength, or less if punches are pulled."""
    own = stat_level(scene, who, "Strength")
    return own if manner.strength is None else min(own, manner.strength)


def damage_bonus(scene: Scene, item: Item) -> int:
    return scene[IMPROVISED_DAMAGE] if item.name == IMPROVISED else 0


def counted_suit(scene: Scene, suit: str | None, shot: str) -> str | None:
    """The suit the damage is read by: one higher for a shot at the head."""
    for _ in range(scene[SHOTS][shot].suits_higher if shot else 0):
        suit = higher_suit(scene, suit)
    return suit


def shot_place(scene: Scene, shot: str) -> str:
    return scene[SHOTS][shot].where if shot else ""


def hit_damage(scene: Scene, who: Person, target: Person, item: Item, flipped: Flip, manner: AttackManner) -> int:
    """The damage of a hit, apart from critical effects."""
    if manner.harmless:
        return 0
    suit = counted_suit(scene, flipped.suit, manner.shot)
    strength = strength_of(scene, who, manner)
    dealt = weapon_damage(scene, item, suit, strength, damage_bonus(scene, item), manner.times)
    place, pierce = shot_place(scene, manner.shot), item.rating(scene, PIERCE)
    return max(0, dealt - damage_reduction(scene, target, flipped.suit, place, pierce))


@rule("dime.attack.basic/land")
async def land(
    scene: Scene, who: Person, target: Person, weapon: str, found: AttackResult, manner: AttackManner
) -> None:
    """What follows: a hit, a cover struck, or a friend in the line of fire; what was thrown lies there."""
    item = weapon_of(scene, who, weapon)
    if found.hit:
        await hit(who, target, item, found.flip, manner)
    elif found.cover:
        await strike_cover(who, target, item, found.flip, manner)
    elif found.flip.critical:
        await hit_friend(who, target, item, found.flip, manner)
    if manner.thrown and scene[who].item(weapon).held:
        await alter(who, Adventurer.with_item, scene[who].item(weapon).at(DROPPED))


@rule("dime.attack.basic/hit", "dime.critical.effects", "dime.flip.critical")
async def hit(scene: Scene, who: Person, target: Person, item: Item, flipped: Flip, manner: AttackManner) -> None:
    """The weapon's damage for the suit; on a critical hit one effect of the attacker's choice besides."""
    row = await choose_critical(who, target, item, manner) if flipped.critical else None
    shot = manner.shot
    if row is not None and row.called_shot:
        shot = await choose(who, WHERE, scene[SHOTS].names)
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


@rule("dime.damage.resolve/deal", "dime.damage.resolve")
async def deal(
    scene: Scene,
    who: Person,
    target: Person,
    item: Item,
    suit: str | None,
    counts_as: str | None,
    shot: str = "",
    manner: AttackManner = PLAIN,
) -> int:
    """The damage of one hit."""
    bonus, strength = damage_bonus(scene, item), strength_of(scene, who, manner)
    place = shot_place(scene, shot)
    return await resolve_hit(target, item, suit, strength, counts_as, bonus, manner.times, place)


@rule("dime.attack.called-shots/hit", "dime.attack.called-shots")
async def called_shot_hits(scene: Scene, target: Person, shot: str, item: Item, points: int) -> None:
    """What a hit on that place does: things fall, a limb is no use until the end of the target's next turn."""
    row = scene[SHOTS][shot]
    if row.drops:
        await alter(target, Adventurer.dropping)
    if row.worsens and not scene[target].dead:
        await worsen(target, row.worsens)
    if row.disables:
        await lay(target, Effect(Forbids(row.disables), until=TURN_END), source=f"hit in the {row.disables}")
    if row.where == HEAD and item.has("Stun") and points > 0 and not scene[target].dead:
        await worsen(target, "Stun")


# --- critical effects -------------------------------------------------------------------------------------------------


def check_critical(
    scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner, row: CriticalRow
) -> None:
    """Which effects there are for this attack."""
    kind = AUTOMATIC if manner.auto else item.skill if not manner.thrown else ""
    if row.only and row.only != kind:
        refuse(f"{row.only} only", what=row.name, rule="dime.critical.effects")
    if row.called_shot and manner.shot:
        refuse("a Called Shot was declared already", what=row.name, rule="dime.critical.effects")
    if row.disarms and not any(each.held for each in scene[target].items):
        refuse(f"{target} holds nothing", what=row.name, rule="dime.critical.effects")
    if row.grapples and FIGHT not in scene:
        refuse("there is no fight", what=row.name, rule="dime.critical.effects")
    if row.second_target and not second_targets(scene, who, target, item, manner):
        refuse("nobody else is in reach", what=row.name, rule="dime.critical.effects")
    if (row.suit or row.times > 1) and manner.harmless:
        refuse("it does no damage", what=row.name, rule="dime.critical.effects")


@rule("dime.critical.effects/choose")
async def choose_critical(
    scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner, only: tuple[str, ...] = ()
) -> CriticalRow | None:
    """The attacker chooses one effect."""

    def check(name: str) -> None:
        check_critical(scene, who, target, item, manner, scene[CRITICALS][name])

    name = await offer(who, CRITICAL, only or scene[CRITICALS].names, check=check, about=target.name)
    return None if name is None else scene[CRITICALS][name]


@rule("dime.critical.effects/apply")
async def critical_effect(
    scene: Scene, who: Person, target: Person, item: Item, row: CriticalRow, flipped: Flip
) -> None:
    """What comes in addition to the damage."""
    if row.worsens and not scene[target].dead:
        await worsen(target, row.worsens)
    if row.disarms:
        await drop_weapon(who, target)
    if row.grapples and scene[FIGHT].is_able(scene, target.name):
        await alter(FIGHT, ZoneFight.grappling, who.name, target.name)
    if row.second_target and not scene[FIGHT].is_able(scene, target.name):
        await two_birds(who, target, item, flipped)


def second_targets(
    scene: Scene, who: Person, target: Person, item: Item, manner: AttackManner = PLAIN
) -> tuple[Person, ...]:
    """Others whom the weapon can reach."""
    if FIGHT not in scene:
        return ()
    far, found = reach(scene, item, manner.thrown), (each for each in fighters(scene, who) if each != target)
    return tuple(each for each in found if (apart := zones_apart(scene, who, each)) is not None and apart <= far)


@rule("dime.critical.effects/two-birds", "dime.critical.effects")
async def two_birds(scene: Scene, who: Person, target: Person, item: Item, flipped: Flip) -> bool:
    """The attack has dropped its target: the same total may hit a second one."""
    if not (others := second_targets(scene, who, target, item)):
        return False
    second = await choose(who, SECOND, others)
    struck = flipped.total >= guard_of(scene, who, second, item).defense
    if struck:
        _ = await deal(who, second, item, flipped.suit, flipped.suit)
    return struck


@rule("dime.attack.disarm/drop")
async def drop(scene: Scene, who: Person, item: str) -> None:
    """Something falls to the ground."""
    if scene[who].item(item).held:
        await alter(who, Adventurer.with_item, scene[who].item(item).at(DROPPED))


@rule("dime.critical.effects/disarm")
async def drop_weapon(scene: Scene, who: Person, target: Person) -> None:
    """The target drops a weapon; of several, one of the attacker's choice."""
    held = tuple(each.name for each in scene[target].items if each.held)
    if held:
        await drop(target, await choose(who, DROP, held))


# --- what else is hit -------------------------------------------------------------------------------------------------


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


# --- the actions ------------------------------------------------------------------------------------------------------


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


# --- on zones ---------------------------------------------------------------------------------------------------------


def check_zone(scene: Scene, who: Person, zone: str, weapon: str) -> None:
    """A zone within the weapon's Range."""
    zones, far = scene[FIGHT].zones, reach(scene, weapon_of(scene, who, weapon))
    apart = zones.zones_between(zones.where(who.name), zone)
    if zone not in zones.names or apart is None:
        refuse(f"{zone} is out of sight", rule="dime.attack.range", legal=zones.names)
    if apart > far:
        refuse(f"{zone} is {apart} zones away, it reaches {far}", rule="dime.attack.range")


def check_area_weapon(scene: Scene, who: Person, weapon: str) -> None:
    check_wields(scene, who, weapon)
    item = scene[who].item(weapon)
    if not item.has(AREA):
        refuse("it strikes one target", what=item.name, rule="dime.attack.area")
    check_shots(scene, item)


def check_suppressing(scene: Scene, who: Person, weapon: str) -> None:
    check_wields(scene, who, weapon)
    check_shots(scene, check_automatic(scene, who, weapon), auto=True)


def zone_names(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[FIGHT].zones.names


AreaWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_area_weapon)]
SuppressingWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_suppressing)]
ZoneInReach: TypeAlias = Annotated[str, Pick(zone_names, check_zone)]


@frozen
class Burst:
    """An attack on a whole zone: its total, and the suit that decides the damage of everyone there."""

    total: int
    suit: str | None
    joker: bool = False


BURST: Final[Bands[Burst]] = Bands(
    of=lambda burst: "spoiled" if burst.joker or burst.suit is None else "burst", keys=("burst", "spoiled")
)


@combat_action("Area Attack", "dime.attack.area", key="area-attack", lapsed=Burst(0, None), bands=BURST)
async def area_attack(scene: Scene, who: Person, weapon: AreaWeapon, zone: ZoneInReach, mods: Mods = ()) -> Burst:
    """Everyone in a zone takes the damage of the card, friend or foe."""
    item = scene[who].item(weapon)
    await spend_shots(who, weapon)
    await break_aim(who)
    reached = await flip_total(who, scene[BasicAttack].stat, item.skill, mods, suited=True)
    burst = Burst(reached.value, reached.suit, reached.joker)
    return await settled(burst, then=go_off(who, weapon, zone, burst))


@rule("dime.attack.area/go-off", "dime.attack.area")
async def go_off(scene: Scene, who: Person, weapon: str, zone: str, burst: Burst) -> None:
    """Cover counts as DR; a total of 5 above somebody's Defense is critical, and can knock them down."""
    item, fight = scene[who].item(weapon), scene[FIGHT]
    if burst.joker:
        return
    present = [name for name in fight.zones.inside(zone, fight.fighters) if person(name) in scene]
    for target in people(name for name in present if name not in fight.gone and not scene[person(name)].dead):
        cover = severity_of(scene, target, COVER) * scene[AREA_COVER]
        strength = stat_level(scene, who, "Strength")
        _ = await resolve_hit(target, item, burst.suit, strength, cover=cover)
        plain = guard_of(scene, who, target, item)
        if burst.total - (plain.defense - plain.cover) >= scene[Critical].critical_hit_mag and not scene[target].dead:
            row = await choose_critical(who, target, item, PLAIN, scene[AREA_CRITICALS])
            if row is not None and row.worsens:
                await worsen(target, row.worsens)


@combat_action("Suppressive Fire", "dime.attack.suppressive-fire", key="suppressive-fire")
async def suppressive_fire(scene: Scene, who: Person, weapon: SuppressingWeapon, zone: ZoneInReach) -> None:
    """Until one's next turn, every action that others take in a zone may be hit."""
    await break_aim(who)
    await spend_shots(who, weapon, True)
    await alter(FIGHT, ZoneFight.suppressing, Suppression(who.name, zone, weapon))


# --- grapples ---------------------------------------------------------------------------------------------------------


def check_not_grappled(scene: Scene, who: Person, target: Person) -> None:
    if target.name in scene[FIGHT].opponents(scene, who.name):
        refuse(f"{who} and {target} are in a grapple", legal=("choke", "break-free"))


def check_grappled(scene: Scene, who: Person) -> None:
    if FIGHT not in scene or not scene[FIGHT].opponents(scene, who.name):
        refuse(f"{who} is in no grapple", legal=("grapple",))


def opponents(scene: Scene, who: Person) -> tuple[Person, ...]:
    return people(scene[FIGHT].opponents(scene, who.name)) if FIGHT in scene else ()


def check_opponent(scene: Scene, who: Person, target: Person) -> None:
    if target not in opponents(scene, who):
        refuse(f"{target} is not in the grapple", legal=(each.name for each in opponents(scene, who)))
    check_approach(scene, who, target)


Opponent: TypeAlias = Annotated[Person, Pick(opponents, check_opponent)]


@combat_action("Grapple", "dime.attack.grapple", key="grapple", lapsed=NO_FLIP, bands=FLIPPED, check=check_not_grappled)
async def grapple(scene: Scene, who: Person, target: CloseTarget, mods: Mods = ()) -> Flip:
    """Str/melee against Defense establishes a grapple."""
    flipped = await wrestle(who, target, scene[GrappleFigures].start, mods)
    if flipped.success:
        return await settled(flipped, then=hold(who, target))
    return flipped


@rule("dime.attack.grapple/wrestle")
async def wrestle(scene: Scene, who: Person, target: Person, notation: str, mods: Mods = ()) -> Flip:
    """A flip against Defense, to which the target may react."""
    asked, hands = spelled_out(scene, notation), weapon_of(scene, who, UNARMED)
    every = mods + attack_mods(scene, who, target, replace(hands, name="grapple"), PLAIN)
    await break_aim(who)
    guard = await defend(target, who, hands, False)
    return await flip(who, asked.stat, asked.skill, guard.defense, every, target)


@rule("dime.attack.grapple/hold")
async def hold(scene: Scene, who: Person, target: Person) -> None:
    """Both are in a grapple: no move actions, no longarms or polearms."""
    await alter(FIGHT, ZoneFight.grappling, who.name, target.name)


@combat_action(
    "Grapple", "dime.attack.grapple/break", key="break-free", lapsed=NO_FLIP, bands=FLIPPED, check=check_grappled
)
async def break_free(scene: Scene, who: Person, target: Opponent, mods: Mods = ()) -> Flip:
    """Str/melee against the opponent's Defense ends the grapple with them."""
    flipped = await wrestle(who, target, scene[BREAK], mods)
    if flipped.success:
        return await settled(flipped, then=let_go(who, target))
    return flipped


@rule("dime.attack.grapple/let-go")
async def let_go(scene: Scene, who: Person, target: Person) -> None:
    """The two have no hold of each other any more."""
    await alter(FIGHT, ZoneFight.freeing, who.name, target.name)


@combat_action("Grapple", "dime.attack.grapple/choke", key="choke", lapsed=NO_FLIP, bands=FLIPPED, check=check_grappled)
async def choke(scene: Scene, who: Person, target: Opponent, mods: Mods = ()) -> Flip:
    """Str/melee against Endurance; on a success the opponent's Fatigue increases."""
    asked, theirs = (
        spelled_out(scene, scene[GrappleFigures].choke),
        spelled_out(scene, scene[GrappleFigures].choke_against),
    )
    await break_aim(who)
    flipped = await opposed_flip(who, asked.stat, asked.skill, target, theirs.stat, theirs.skill, mods)
    if flipped.success:
        return await settled(flipped, then=tire(target))
    return flipped


@rule("dime.attack.grapple/tire", "dime.consequence.fatigue")
async def tire(scene: Scene, who: Person) -> None:
    """Choking makes tired."""
    await worsen(who, "Fatigue", scene[GrappleFigures].fatigue)
