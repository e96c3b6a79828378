"""The Combat Actions, in the order of the book. Each is checked and paid for by its declaration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES_NO,
    Bands,
    Effect,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    Who,
    adds,
    afterwards,
    alter,
    applying,
    choose,
    figure,
    figures,
    hand_over,
    lay,
    refuse,
    rule,
    settled,
)
from referee.core.things import HELD
from referee.systems.distemper.attacks import (
    UNARMED,
    Strike,
    attack_roll,
    hurt,
    ready_attack,
    roll_attack,
    strike,
    weapon_of,
)
from referee.systems.distemper.checks import CHECKED, Check, UsableAbility, dice_check
from referee.systems.distemper.combat import (
    ACTION_END,
    ATTACK,
    CATALOGUE,
    DEFENSE,
    FIGHT,
    MOVE,
    NEXT_ACTION,
    PANICKED,
    ROUND_END,
    Fight,
    Step,
    check_able,
    closest,
    combat_action,
    is_close,
    is_forbidden,
    next_action_mods,
    step_now,
    take_effect,
)
from referee.systems.distemper.opposed import FOUGHT, Opposed, opposed_check
from referee.systems.distemper.sheet import TRACKED, Ability, Character, Item, Person, carried, check_alive, others

SHOT: Final[Bands[tuple[Strike, ...]]] = Bands(
    of=lambda shots: f"{sum(shot.hit for shot in shots)}-hits",
    keys=("2-hits", "1-hits", "0-hits"),
    good=("2-hits", "1-hits"),
)
FREED: Final[Bands[Opposed]] = Bands(of=lambda fought: "lost" if fought.first_wins else "won", keys=("won", "lost"))
"""From the side of the one who breaks free; the holder is the first of the two."""


# --- what may be picked -----------------------------------------------------------------------------------------------


def check_target(scene: Scene, who: Person, target: Person) -> None:
    """Someone else, who is alive and has not left the fight."""
    check_alive(scene, target)
    if target == who:
        refuse("it needs somebody else", rule=CATALOGUE.rule)
    if FIGHT in scene and target.name in scene[FIGHT].gone:
        refuse(f"{target} has left the fight", rule=PANICKED)


def check_foe(scene: Scene, who: Person, target: Person) -> None:
    """Someone berserk attacks the closest person."""
    check_target(scene, who, target)
    if FIGHT in scene and who.name in scene[FIGHT].berserk and target not in closest(scene, who):
        refuse(f"{who} is berserk", rule=PANICKED, legal=(each.name for each in closest(scene, who)))


def check_fighter(scene: Scene, who: Person, target: Person) -> None:
    """Someone who is not in the fight has no Combat Actions to gain or lose."""
    check_target(scene, who, target)
    if FIGHT in scene and target.name not in scene[FIGHT].fighters:
        refuse(f"{target} does not fight", legal=scene[FIGHT].fighters)


def check_close_fighter(scene: Scene, who: Person, target: Person) -> None:
    if target == who:
        refuse("it needs somebody else")
    check_fighter(scene, who, target)
    if not is_close(scene, who, target):
        refuse(f"{target} is not close", legal=("move",))


def weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*carried(scene, who), UNARMED)))


def check_weapon(scene: Scene, who: Person, weapon: str) -> None:
    weapon_of(scene, who, weapon)


def check_close_weapon(scene: Scene, who: Person, weapon: str) -> None:
    check_skill(scene, who, weapon, scene[Charge].attacks)


def check_ranged_weapon(scene: Scene, who: Person, weapon: str) -> None:
    check_skill(scene, who, weapon, (scene[RANGED],))


def check_skill(scene: Scene, who: Person, weapon: str, skills: Iterable[str]) -> None:
    """A weapon in working order, and of the right kind for this."""
    item = weapon_of(scene, who, weapon)
    if item.skill not in skills:
        refuse("it is the wrong weapon for this", what=item.name, legal=skills)


def check_unready(scene: Scene, who: Person, weapon: str) -> None:
    """An item that is carried, and is not ready or is jammed."""
    item = scene[who].item(weapon)
    if item.ready and not item.jammed:
        refuse(f"{weapon} is ready")


def check_free(scene: Scene, who: Person) -> None:
    """Someone pinned or catatonic stays in place."""
    applying(scene, who).check_allowed("move", rule=PANICKED)
    if FIGHT in scene and scene[FIGHT].holders(who.name):
        refuse(f"{who} is pinned", rule=GRAPPLING, legal=("break-free",))


def check_way(scene: Scene, who: Person, closer: bool, target: Person) -> None:
    """No one comes closer than close."""
    if closer and FIGHT in scene and is_close(scene, who, target):
        refuse(f"{target} is close already", rule=TRACKED.rule)


def named(scene: Scene, names: Iterable[str]) -> tuple[Person, ...]:
    return tuple(Who(name, Character) for name in names if Who(name, Character) in scene)


def holders(scene: Scene, who: Person) -> tuple[Person, ...]:
    return named(scene, scene[FIGHT].holders(who.name)) if FIGHT in scene else ()


def held(scene: Scene, who: Person) -> tuple[Person, ...]:
    return named(scene, scene[FIGHT].held(who.name)) if FIGHT in scene else ()


Target: TypeAlias = Annotated[Person, Pick(others, check_target)]
Foe: TypeAlias = Annotated[Person, Pick(others, check_foe)]
Fighter: TypeAlias = Annotated[Person, Pick(others, check_fighter)]
CloseFighter: TypeAlias = Annotated[Person, Pick(others, check_close_fighter)]
Weapon: TypeAlias = Annotated[str, Pick(weapons, check_weapon)]
CloseWeapon: TypeAlias = Annotated[str, Pick(weapons, check_close_weapon)]
RangedWeapon: TypeAlias = Annotated[str, Pick(carried, check_ranged_weapon)]
Unready: TypeAlias = Annotated[str, Pick(carried, check_unready)]
Closer: TypeAlias = Annotated[bool, Pick(lambda scene, who: YES_NO, check_way)]
Either: TypeAlias = Annotated[bool, Pick(lambda scene, who: YES_NO)]


# --- the actions ------------------------------------------------------------------------------------------------------

AIM: Final = figure("distemper.combat-actions.aim", "cmod", int)


@combat_action("Aim", "distemper.combat-actions.aim")
async def aim(scene: Scene, who: Person, target: Target) -> None:
    """+2 on the very next action, if it is an attack on this target."""
    bonus = Effect.from_plain({"adds": scene[AIM], "when": [ATTACK], "uses": 1, "until": ACTION_END, "times_until": 2})
    await lay(who, bonus, against=target)


@combat_action("Attack", "distemper.combat-actions.attack", bands=CHECKED)
async def attack(scene: Scene, who: Person, target: Foe, weapon: Weapon = UNARMED, cmods: Mods = ()) -> Strike:
    """Make one attack roll."""
    await alter(FIGHT, Fight.calmed, who.name, if_present=True)
    return await hand_over(strike(who, target, weapon, cmods + next_action_mods(scene, who)))


@figures("distemper.combat-actions.charge")
class Charge:
    """How far it goes, and with which attacks it may end."""

    moves: int
    attacks: tuple[str, ...]


@combat_action("Charge", "distemper.combat-actions.charge", bands=CHECKED, check=check_free)
async def charge(scene: Scene, who: Person, target: Target, weapon: CloseWeapon = UNARMED, cmods: Mods = ()) -> Strike:
    """Both actions: two moves that end in a melee or unarmed attack."""
    await step_now(who, target, True, scene[Charge].moves * scene[MOVE])
    return await hand_over(strike(who, target, weapon, cmods + next_action_mods(scene, who)))


@figures("distemper.combat-actions.coordinate")
class Coordinate:
    """The check, and what it gives the others."""

    check: str
    cmod: int


@combat_action("Coordinate", "distemper.combat-actions.coordinate", bands=CHECKED)
async def coordinate(scene: Scene, who: Person, target: Target, cmods: Mods = ()) -> Check:
    """On a successful Tactics check, allies who are close have +2 on their next attack on one target."""
    check = await dice_check(who, scene[Coordinate].check, cmods + next_action_mods(scene, who))
    if check.success:
        return await settled(check, then=take_effect(who, direct(who, target)))
    return check


@rule("distemper.combat-actions.coordinate/direct")
async def direct(scene: Scene, who: Person, target: Person) -> None:
    """Allies who are close have +2 on their next attack on one target; the coordinator does not."""
    bonus = Effect.from_plain({"adds": scene[Coordinate].cmod, "when": [ATTACK], "uses": 1})
    for ally in allies(scene, who):
        if is_close(scene, who, ally) and ally != target:
            await lay(ally, bonus, source="Coordinate", against=target)


def allies(scene: Scene, who: Person) -> tuple[Person, ...]:
    """The others on one's side; outside a fight the others of the same kind, players or NPCs."""
    if FIGHT not in scene:
        return tuple(each for each in scene.all(Character) if each != who and scene[each].player == scene[who].player)
    able = scene[FIGHT].able(scene)
    return named(scene, (name for name in scene[FIGHT].side_of(who.name) if name != who.name and name in able))


COVER_FIRE: Final = figure("distemper.combat-actions.cover-fire", "cmod", int)
RANGED: Final = figure("distemper.combat-actions.fire-from-cover", "attack", str)


@combat_action("Cover Fire", "distemper.combat-actions.cover-fire", bands=CHECKED)
async def cover_fire(scene: Scene, who: Person, target: Target, weapon: RangedWeapon, cmods: Mods = ()) -> Check:
    """A hit does no damage, but hampers the target's next action."""
    check = await attack_roll(who, target, scene[RANGED], cmods + next_action_mods(scene, who))
    if check.success:
        return await settled(check, then=take_effect(who, hamper(target)))
    return check


@rule("distemper.combat-actions.cover-fire/hamper")
async def hamper(scene: Scene, who: Person) -> None:
    """-2 on the next action, whatever it is."""
    penalty = Effect.from_plain({"adds": scene[COVER_FIRE], "when": [NEXT_ACTION], "until": ACTION_END})
    await lay(who, penalty, source="Cover Fire")


DEFEND: Final = figure("distemper.combat-actions.defend", "defensive_modifier", int)


@combat_action("Defend", "distemper.combat-actions.defend")
async def defend(scene: Scene, who: Person) -> None:
    """+2 to both Defensive Modifiers for the rest of the round."""
    await take_effect(who, shelter(who, scene[DEFEND], "Defend", DEFEND.rule))


@rule("distemper.combat.defensive-modifiers/shelter")
async def shelter(scene: Scene, who: Person, amount: int, source: str, by: str) -> None:
    """Defend and Take Cover add up with each other, but neither with itself."""
    if not any(active.source == source for active in applying(scene, who, DEFENSE).active):
        bonus = Effect.from_plain({"adds": amount, "when": [DEFENSE], "until": ROUND_END})
        await lay(who, bonus, source=source, by=by)


@combat_action("Dice Check", "distemper.combat-actions.dice-check", bands=CHECKED)
async def check_action(scene: Scene, who: Person, using: UsableAbility, cmods: Mods = ()) -> Check:
    """Any attribute or skill check, as an action."""
    return await hand_over(dice_check(who, using, cmods + next_action_mods(scene, who)))


@figures("distemper.combat-actions.distract")
class Distract:
    """The checks it takes, and what it costs the other."""

    checks: tuple[str, ...]
    actions_lost: int


Distraction: TypeAlias = Annotated[Ability, Pick(lambda scene, who: scene[Distract].checks)]


@combat_action("Distract", "distemper.combat-actions.distract", bands=CHECKED)
async def distract(scene: Scene, who: Person, target: Fighter, using: Distraction, cmods: Mods = ()) -> Check:
    """On a success the target loses its next action."""
    check = await dice_check(who, using, cmods + next_action_mods(scene, who))
    if check.success:
        return await settled(check, then=take_effect(who, lose_action(target, scene[Distract].actions_lost)))
    return check


@rule("distemper.combat-actions.distract/lose")
async def lose_action(scene: Scene, who: Person, actions: int) -> None:
    """The next action is lost: one of this round, or else one of the next."""
    await alter(FIGHT, Fight.losing, who.name, actions, if_present=True)


def check_in_cover(scene: Scene, who: Person) -> None:
    """One must be in cover first."""
    if FIGHT in scene and who.name not in scene[FIGHT].cover:
        refuse(f"{who} is not in cover", legal=("take-cover",))


@combat_action("Fire from Cover", "distemper.combat-actions.fire-from-cover", bands=CHECKED, check=check_in_cover)
async def fire_from_cover(scene: Scene, who: Person, target: Target, weapon: RangedWeapon, cmods: Mods = ()) -> Strike:
    """Both actions: leave cover, make one ranged attack, and return to cover."""
    await afterwards(take_effect(who, shelter(who, scene[TAKE_COVER], "Take Cover", RANGED.rule)))
    return await hand_over(strike(who, target, weapon, cmods + next_action_mods(scene, who)))


GRAPPLING: Final = "distemper.combat-actions.grappling"
RESIST: Final = Prompt("resist")


@figures(GRAPPLING)
class Grapple:
    """With what one grapples, and with what one resists."""

    attacker: tuple[str, ...]
    target: tuple[str, ...]


@combat_action("Grappling", GRAPPLING, key="grapple", bands=FOUGHT)
async def grapple(scene: Scene, who: Person, target: Target, cmods: Mods = ()) -> Opposed:
    """An opposed check; if the grappler wins, the target is pinned in place."""
    pinned = take_effect(who, pin(target, who)) if FIGHT in scene else None
    return await hand_over(
        wrestle(who, target, cmods + next_action_mods(scene, who)),
        then=lambda fought: pinned if fought.first_wins else None,
    )


@rule(f"{GRAPPLING}/wrestle")
async def wrestle(scene: Scene, who: Person, target: Person, cmods: Mods = (), other_cmods: Mods = ()) -> Opposed:
    """Unarmed Combat against Unarmed Combat or Athletics, as the target chooses; both are involved."""
    await alter(FIGHT, Fight.involving, who.name, target.name, if_present=True)
    resisting = await choose(target, RESIST, scene[Grapple].target)
    return await hand_over(opposed_check(who, target, scene[Grapple].attacker[0], resisting, cmods, other_cmods))


@rule(f"{GRAPPLING}/pin")
async def pin(scene: Scene, who: Person, holder: Person) -> None:
    """Held in place, unless one of the two has left the fight in the meantime."""
    if all(scene[FIGHT].is_able(scene, each.name) for each in (holder, who)):
        await alter(FIGHT, Fight.pinning, holder.name, who.name)


def check_pinned(scene: Scene, who: Person, holder: Person | None = None) -> None:
    """Held by someone; the dead and those who fled hold no one."""
    found = holders(scene, who)
    if not found or (holder and holder not in found):
        refuse(f"{who} is not pinned", legal=(each.name for each in found))


Holder: TypeAlias = Annotated[Person, Pick(holders, check_pinned)]


@combat_action("Grappling", f"{GRAPPLING}/break-free", key="break-free", bands=FREED, check=check_pinned)
async def break_free(scene: Scene, who: Person, holder: Holder) -> Opposed:
    """Someone pinned spends an action and must win the same opposed check."""
    return await hand_over(
        wrestle(holder, who, (), next_action_mods(scene, who)),
        then=lambda fought: None if fought.first_wins else release(who, holder),
    )


@rule(f"{GRAPPLING}/release")
async def release(scene: Scene, who: Person, holder: Person) -> None:
    """Somebody is held no longer."""
    await alter(FIGHT, Fight.freeing, holder.name, who.name)


def check_holds(scene: Scene, who: Person, target: Person | None = None) -> None:
    found = held(scene, who)
    if not found or (target and target not in found):
        refuse(f"{who} holds nobody", legal=(each.name for each in found))


Held: TypeAlias = Annotated[Person, Pick(held, check_holds)]


@combat_action("let go", f"{GRAPPLING}/let-go", key="let-go", check=check_holds, free=True)
async def let_go(scene: Scene, who: Person, target: Held) -> None:
    """The grappler lets go; it costs nothing."""
    await release(target, who)


@figures("distemper.combat-actions.inspire")
class Inspire:
    """The check, and what it gives the other."""

    check: str
    extra_actions: int


@combat_action("Inspire", "distemper.combat-actions.inspire", bands=CHECKED)
async def inspire(scene: Scene, who: Person, target: CloseFighter, cmods: Mods = ()) -> Check:
    """On a success, someone close has one more Combat Action in this round."""
    check = await dice_check(who, scene[Inspire].check, cmods + next_action_mods(scene, who))
    if check.success and FIGHT in scene:
        return await settled(check, then=take_effect(who, gain_action(target, scene[Inspire].extra_actions)))
    return check


@rule("distemper.combat-actions.inspire/gain")
async def gain_action(scene: Scene, who: Person, actions: int) -> None:
    """One more Combat Action in this round; whoever may not act gains none."""
    if not is_forbidden(scene, who, "act"):
        await alter(FIGHT, Fight.gaining, who.name, actions)


@combat_action("Move", "distemper.combat-actions.move", check=check_free)
async def move(scene: Scene, who: Person, target: Target, closer: Closer = True) -> None:
    """Change the range to someone by one band."""
    await step_now(who, target, closer, scene[MOVE])


@figures("distemper.combat-actions.rapid-fire")
class RapidFire:
    """The modifier of each shot, for one action or for both."""

    one_action: tuple[int, ...]
    both_actions_each: tuple[int, ...]


@combat_action("Rapid Fire", "distemper.combat-actions.rapid-fire", bands=SHOT)
async def rapid_fire(
    scene: Scene, who: Person, target: Target, weapon: RangedWeapon, both: Either = False, cmods: Mods = ()
) -> tuple[Strike, ...]:
    """Two shots, each with its own roll; worse if both actions of the round are spent on it."""
    twice = both or (FIGHT in scene and who.name in scene[FIGHT].rapid)
    await afterwards(fire_rapidly(who))
    shots = scene[RapidFire].both_actions_each if twice else scene[RapidFire].one_action
    return await hand_over(fire_on(who, target, weapon, cmods, tuple(map(adds, shots))))


@rule("distemper.combat-actions.rapid-fire/on")
async def fire_on(
    scene: Scene,
    who: Person,
    target: Person,
    weapon: str,
    cmods: Mods,
    shots: Mods,
    hit: bool | None = None,
) -> tuple[Strike, ...]:
    """One shot after the other, each with its modifier, if another can follow; `hit` says how the last one ended."""
    ready = await ready_shot(who, target, weapon, hit)
    if ready is None:
        return ()
    own, outside, applied = ready
    each, *later = shots
    shot = await shoot(who, weapon_of(scene, who, weapon), own, (*cmods, *outside, each, *applied))
    if later:
        rest = fire_on(who, target, weapon, cmods, tuple(later), shot.hit)
        return await hand_over(rest, lambda more: (shot, *more))
    return await settled((shot,), then=hit_with(who, target, weapon)) if shot.hit else (shot,)


@rule("distemper.combat-actions.rapid-fire/fired")
async def fire_rapidly(scene: Scene, who: Person) -> None:
    """Who has fired rapidly in this round fires worse when they do it again."""
    await alter(FIGHT, Fight.firing_rapidly, who.name, if_present=True)


@rule("distemper.combat-actions.attack/ready-shot")
async def ready_shot(
    scene: Scene, who: Person, target: Person, weapon: str, hit: bool | None
) -> tuple[Mods, Mods, Mods] | None:
    """The damage of the shot before, if it hit; then the modifiers of the next one, or None if it cannot follow."""
    if hit:
        await hit_with(who, target, weapon)
    if hit is not None and not can_shoot_on(scene, who, target, weapon):
        return None
    outside = next_action_mods(scene, who)
    own, applied = await ready_attack(who, target, weapon_of(scene, who, weapon).skill)
    return own, outside, applied


@rule("distemper.combat-actions.attack/shoot")
async def shoot(scene: Scene, who: Person, item: Item, own: Mods, cmods: Mods) -> Strike:
    """One shot with known modifiers; its damage comes later."""
    check = await roll_attack(who, own, cmods)
    return Strike(check, True, item.wp, item.rp) if check.success else Strike(check, False)


@rule("distemper.combat-actions.attack/hit")
async def hit_with(scene: Scene, who: Person, target: Person, weapon: str) -> None:
    """A hit takes Wound Points and Resilience Points."""
    item = weapon_of(scene, who, weapon)
    await hand_over(take_effect(who, hurt(target, item.wp, item.rp)))


def can_shoot_on(scene: Scene, who: Person, target: Person, weapon: str) -> bool:
    """Whether another shot can follow: after the first, the target or the shooter may be out."""
    try:
        check_able(scene, who)
        check_target(scene, target, who)
        check_target(scene, who, target)
        check_ranged_weapon(scene, who, weapon)
    except Refused:
        return False
    return True


@combat_action("Ready Weapon", "distemper.combat-actions.ready-weapon")
async def ready_weapon(scene: Scene, who: Person, weapon: Unready) -> None:
    """Prepare a weapon, or clear a jam."""
    item = scene[who].item(weapon)
    readied = replace(item, jammed=False) if item.jammed else item.at(HELD)
    await alter(who, Character.with_item, readied)


@combat_action("Reposition", "distemper.combat-actions.reposition", check=check_free)
async def reposition(scene: Scene, who: Person, target: Target, closer: Closer = True) -> None:
    """Spend the action now; the move happens in the resolution phase."""
    await alter(FIGHT, Fight.stepping_later, Step(who.name, target.name, closer), if_present=True)


@figures("distemper.combat-actions.sprint")
class Sprint:
    """How far it goes, and what a failure costs."""

    times: int
    check: str
    actions_lost: int


@combat_action("Sprint", "distemper.combat-actions.sprint", bands=CHECKED, check=check_free)
async def sprint(scene: Scene, who: Person, target: Target, closer: Closer = True, cmods: Mods = ()) -> Check:
    """Three times the distance of a Move; a failed Athletics check costs an action of the next round."""
    check = await dice_check(who, scene[Sprint].check, cmods + next_action_mods(scene, who))
    await step_now(who, target, closer, scene[Sprint].times * scene[MOVE])
    if not check.success:
        await alter(FIGHT, Fight.losing_next, who.name, scene[Sprint].actions_lost, if_present=True)
    return check


@figures("distemper.combat-actions.subdue")
class Subdue:
    """The shares of the damage that it does."""

    wp_percent: int
    rp_percent: int


@combat_action("Subdue", "distemper.combat-actions.subdue", bands=CHECKED)
async def subdue(scene: Scene, who: Person, target: Target, weapon: Weapon = UNARMED, cmods: Mods = ()) -> Strike:
    """A restrained attack: half the Wound Points, all the Resilience Points."""
    mods = cmods + next_action_mods(scene, who)
    shares = scene[Subdue]
    return await hand_over(strike(who, target, weapon, mods, shares.wp_percent, shares.rp_percent))


TAKE_COVER: Final = figure("distemper.combat-actions.take-cover", "defensive_modifier", int)


@combat_action("Take Cover", "distemper.combat-actions.take-cover")
async def take_cover(scene: Scene, who: Person) -> None:
    """+2 against all attacks for the rest of the round, and cover to fire from."""
    await take_effect(who, shelter(who, scene[TAKE_COVER], "Take Cover", TAKE_COVER.rule))
    await alter(FIGHT, Fight.covering, who.name, if_present=True)
