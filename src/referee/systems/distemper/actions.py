"""The Combat Actions. Each checks, acts, and costs what the catalogue says; outside a fight none costs anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from referee.core import (
    Mod,
    Mods,
    Prompt,
    Refused,
    Scene,
    Who,
    alter,
    applying,
    choose,
    figure,
    rows,
    rule,
)
from referee.core.effects import Effect, lay, moment
from referee.systems.distemper.attacks import DEFENSE, Strike, attack_roll, strike
from referee.systems.distemper.checks import Check, Opposed, dice_check, opposed_check
from referee.systems.distemper.fight import (
    ACTION_END,
    FIGHT,
    MOVE,
    ROUND_END,
    Fight,
    Step,
    is_close,
    step_now,
    take_effect,
)
from referee.systems.distemper.panic import closest
from referee.systems.distemper.sheet import TRACKED, Ability, Character, check_alive
from referee.systems.distemper.weapons import UNARMED, weapon_of

ACTIONS_RULE: Final = "distemper.combat.actions-per-round"
AIM: Final = figure("distemper.combat-actions.aim", "cmod", int)
CHARGE_MOVES: Final = figure("distemper.combat-actions.charge", "moves", int)
CHARGE_ATTACKS: Final = figure("distemper.combat-actions.charge", "attacks", tuple[str, ...])
COORDINATE: Final = figure("distemper.combat-actions.coordinate", "cmod", int)
COORDINATE_CHECK: Final = figure("distemper.combat-actions.coordinate", "check", str)
COVER_FIRE: Final = figure("distemper.combat-actions.cover-fire", "cmod", int)
DEFEND: Final = figure("distemper.combat-actions.defend", "defensive_modifier", int)
DISTRACT_CHECKS: Final = figure("distemper.combat-actions.distract", "checks", tuple[str, ...])
DISTRACT: Final = figure("distemper.combat-actions.distract", "actions_lost", int)
FIRE_ATTACK: Final = figure("distemper.combat-actions.fire-from-cover", "attack", str)
GRAPPLE_WITH: Final = figure("distemper.combat-actions.grappling", "attacker", tuple[str, ...])
RESIST_WITH: Final = figure("distemper.combat-actions.grappling", "target", tuple[str, ...])
INSPIRE: Final = figure("distemper.combat-actions.inspire", "extra_actions", int)
INSPIRE_CHECK: Final = figure("distemper.combat-actions.inspire", "check", str)
RAPID_ONCE: Final = figure("distemper.combat-actions.rapid-fire", "one_action", tuple[int, ...])
RAPID_TWICE: Final = figure("distemper.combat-actions.rapid-fire", "both_actions_each", tuple[int, ...])
SPRINT_TIMES: Final = figure("distemper.combat-actions.sprint", "times", int)
SPRINT_CHECK: Final = figure("distemper.combat-actions.sprint", "check", str)
SPRINT_LOST: Final = figure("distemper.combat-actions.sprint", "actions_lost", int)
SUBDUE_WP: Final = figure("distemper.combat-actions.subdue", "wp_percent", int)
SUBDUE_RP: Final = figure("distemper.combat-actions.subdue", "rp_percent", int)
TAKE_COVER: Final = figure("distemper.combat-actions.take-cover", "defensive_modifier", int)

ACTING: Final = "action"
RESIST: Final = Prompt("resist")

Person = Who[Character]


@final
@dataclass(frozen=True, slots=True)
class ActionRow:
    """A Combat Action and what it costs."""

    name: str
    cost: int


CATALOGUE: Final = rows("distemper.combat-actions.catalogue", "actions", ActionRow)


def check_act(scene: Scene, who: Person, action: str) -> None:
    """Alive and able to act, at one's turn, with actions enough; who is berserk only attacks."""
    check_alive(scene, who, action)
    applying(scene, who).check_allowed("act", rule="distemper.panic.table")
    if FIGHT not in scene:
        return
    fight = scene[FIGHT]
    if not fight.acts(scene, who.name):
        turn = " and ".join(fight.group(scene)) or "nobody"
        by = "distemper.combat.initiative-order"
        raise Refused(action, because=f"it is not {who}'s turn", rule=by, lawful=(turn,))
    cost, left = scene[CATALOGUE].look(action).cost, fight.left[who.name]
    if left < cost:
        raise Refused(action, because=f"it takes {cost} Combat Actions, {left} left", rule=ACTIONS_RULE)
    if who.name in fight.berserk and action != "Attack":
        raise Refused(action, because=f"{who} is berserk", rule="distemper.panic.table", lawful=("attack",))


def check_target(scene: Scene, who: Person, target: Person | None, action: str) -> None:
    """Somebody else, who is alive and has not left the fight."""
    if target is None:
        return
    check_alive(scene, target, action)
    if target == who:
        raise Refused(action, because="it needs somebody else", rule=CATALOGUE.rule)
    if FIGHT in scene and target.name in scene[FIGHT].gone:
        raise Refused(action, because=f"{target} has left the fight", rule="distemper.panic.table")


def check_fighter(scene: Scene, who: Person, target: Person | None, action: str, by: str) -> None:
    """Who is not in the fight has no Combat Actions to win or lose."""
    check_target(scene, who, target, action)
    if target is not None and FIGHT in scene and target.name not in scene[FIGHT].fighters:
        raise Refused(action, because=f"{target} does not fight", rule=by, lawful=scene[FIGHT].fighters)


def acting(scene: Scene, who: Person) -> Mods:
    """What lies on somebody's next action, whatever it is."""
    return applying(scene, who, ACTING).mods


@rule("distemper.combat.actions-per-round/end", "distemper.combat.actions-per-round")
async def end_action(scene: Scene, who: Person, action: str) -> None:
    """The action is paid for, and what was to last until it is over."""
    cost = scene[CATALOGUE][action].cost
    await moment(scene, ACTION_END, who)
    if FIGHT in scene:
        await alter(FIGHT, Fight.spending, who.name, cost)


def check_move(scene: Scene, who: Person, action: str) -> None:
    """The pinned and the catatonic stay where they are."""
    applying(scene, who).check_allowed("move", rule="distemper.panic.table")
    if FIGHT in scene and scene[FIGHT].pinned(who.name):
        raise Refused(
            action, because=f"{who} is pinned", rule="distemper.combat-actions.grappling", lawful=("break-free",)
        )


def check_near(scene: Scene, who: Person, target: Person, action: str, by: str) -> None:
    """Close range is needed."""
    if not is_close(scene, who, target):
        raise Refused(action, because=f"{target} is not close", rule=by, lawful=("move",))


# Attacks.


@rule("distemper.combat-actions.attack")
async def attack(scene: Scene, who: Person, target: Person, weapon: str = UNARMED, cmods: Mods = ()) -> Strike:
    """Make one attack roll."""
    check_act(scene, who, "Attack")
    check_attack(scene, who, target, weapon)
    if FIGHT in scene:
        await alter(FIGHT, Fight.calmed, who.name)
    struck = await strike(scene, who, target, weapon, cmods + acting(scene, who))
    await end_action(scene, who, "Attack")
    return struck


def check_attack(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """With a weapon in order; who is berserk attacks the closest."""
    check_target(scene, who, target, "Attack")
    check_weapon(scene, who, weapon)
    if target and FIGHT in scene and who.name in scene[FIGHT].berserk and target not in closest(scene, who):
        near = (each.name for each in closest(scene, who))
        raise Refused("Attack", because=f"{who} is berserk", rule="distemper.panic.table", lawful=near)


def check_weapon(scene: Scene, who: Person, weapon: str | None, skills: tuple[str, ...] = (), by: str = "") -> None:
    """In order, and of a kind that does for this."""
    if weapon is not None:
        item = weapon_of(scene, who, weapon)
        if skills and item.skill not in skills:
            raise Refused(item.name, because="it is the wrong weapon for this", rule=by, lawful=skills)


@rule("distemper.combat-actions.aim")
async def aim(scene: Scene, who: Person, target: Person) -> None:
    """+2 on the very next action, if it is an attack on this target."""
    check_act(scene, who, "Aim")
    check_target(scene, who, target, "Aim")
    bonus = Effect.from_plain(
        {"adds": scene[AIM], "when": ["attack"], "uses": 1, "until": ACTION_END, "times_until": 2}
    )
    await lay(scene, who, bonus, "Aim", "distemper.combat-actions.aim", target)
    await end_action(scene, who, "Aim")


@rule("distemper.combat-actions.charge")
async def charge(scene: Scene, who: Person, target: Person, weapon: str = UNARMED, cmods: Mods = ()) -> Strike:
    """Both actions: two moves, ending in a melee or unarmed attack."""
    check_act(scene, who, "Charge")
    check_charge(scene, who, target, weapon)
    await step_now(scene, who, target, True, scene[CHARGE_MOVES] * scene[MOVE])
    struck = await strike(scene, who, target, weapon, cmods + acting(scene, who))
    await end_action(scene, who, "Charge")
    return struck


def check_charge(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """Free to move, with a weapon for close quarters."""
    check_target(scene, who, target, "Charge")
    check_move(scene, who, "Charge")
    check_weapon(scene, who, weapon, scene[CHARGE_ATTACKS], "distemper.combat-actions.charge")


@rule("distemper.combat-actions.cover-fire")
async def cover_fire(scene: Scene, who: Person, target: Person, weapon: str, cmods: Mods = ()) -> Check:
    """A shot that hits does no damage, but hampers the target's next action."""
    check_act(scene, who, "Cover Fire")
    check_cover_fire(scene, who, target, weapon)
    check = await attack_roll(scene, who, target, scene[FIRE_ATTACK], cmods + acting(scene, who))
    if check.success:
        await take_effect(scene, who, hamper.call(target))
    await end_action(scene, who, "Cover Fire")
    return check


def check_cover_fire(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """With something to shoot with."""
    check_target(scene, who, target, "Cover Fire")
    check_weapon(scene, who, weapon, (scene[FIRE_ATTACK],), "distemper.combat-actions.cover-fire")


@rule("distemper.combat-actions.cover-fire/hamper")
async def hamper(scene: Scene, who: Person) -> None:
    """-2 on the next action, whatever it is."""
    penalty = Effect.from_plain({"adds": scene[COVER_FIRE], "when": [ACTING], "until": ACTION_END})
    await lay(scene, who, penalty, "Cover Fire", "distemper.combat-actions.cover-fire")


@rule("distemper.combat-actions.fire-from-cover")
async def fire_from_cover(scene: Scene, who: Person, target: Person, weapon: str, cmods: Mods = ()) -> Strike:
    """Both actions: out of cover, one ranged attack, and back into it."""
    check_act(scene, who, "Fire from Cover")
    check_fire_from_cover(scene, who, target, weapon)
    struck = await strike(scene, who, target, weapon, cmods + acting(scene, who))
    back = shelter.call(who, scene[TAKE_COVER], "Take Cover", "distemper.combat-actions.fire-from-cover")
    await take_effect(scene, who, back)
    await end_action(scene, who, "Fire from Cover")
    return struck


def check_fire_from_cover(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """Needs cover to come out of."""
    check_target(scene, who, target, "Fire from Cover")
    check_weapon(scene, who, weapon, (scene[FIRE_ATTACK],), "distemper.combat-actions.fire-from-cover")
    if FIGHT in scene and who.name not in scene[FIGHT].cover:
        by = "distemper.combat-actions.fire-from-cover"
        raise Refused("Fire from Cover", because=f"{who} is not in cover", rule=by, lawful=("take-cover",))


@rule("distemper.combat-actions.rapid-fire")
async def rapid_fire(
    scene: Scene, who: Person, target: Person, weapon: str, both: bool = False, cmods: Mods = ()
) -> tuple[Strike, ...]:
    """Two shots, each its own roll; worse if both actions of the round go to it."""
    check_act(scene, who, "Rapid Fire")
    check_rapid_fire(scene, who, target, weapon)
    twice = both or (FIGHT in scene and who.name in scene[FIGHT].rapid)
    shots: list[Strike] = []
    for amount in scene[RAPID_TWICE] if twice else scene[RAPID_ONCE]:
        if shots and not can_shoot_on(scene, who, target, weapon):
            break
        mod = Mod(amount, "Rapid Fire", "distemper.combat-actions.rapid-fire")
        shots.append(await strike(scene, who, target, weapon, (*cmods, *acting(scene, who), mod)))
    if FIGHT in scene:
        await alter(FIGHT, lambda fight: replace(fight, rapid=fight.rapid | {who.name}))
    await end_action(scene, who, "Rapid Fire")
    return tuple(shots)


def check_rapid_fire(
    scene: Scene,
    who: Person,
    target: Person | None = None,
    weapon: str | None = None,
    both: bool = False,
    cmods: Mods = (),
) -> None:
    """With something to shoot with."""
    check_target(scene, who, target, "Rapid Fire")
    check_weapon(scene, who, weapon, (scene[FIRE_ATTACK],), "distemper.combat-actions.rapid-fire")


def can_shoot_on(scene: Scene, who: Person, target: Person, weapon: str) -> bool:
    """Whether another shot can follow: the first may have ended the target, or what it set off the shooter."""
    try:
        check_target(scene, target, who, "Rapid Fire")
        check_rapid_fire(scene, who, target, weapon)
        applying(scene, who).check_allowed("act", rule="distemper.panic.table")
    except Refused:
        return False
    return True


@rule("distemper.combat-actions.subdue")
async def subdue(scene: Scene, who: Person, target: Person, weapon: str = UNARMED, cmods: Mods = ()) -> Strike:
    """An attack that spares: half the Wound Points, all the Resilience Points."""
    check_act(scene, who, "Subdue")
    check_subdue(scene, who, target, weapon)
    mods = cmods + acting(scene, who)
    struck = await strike(scene, who, target, weapon, mods, scene[SUBDUE_WP], scene[SUBDUE_RP])
    await end_action(scene, who, "Subdue")
    return struck


def check_subdue(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """With a weapon in order."""
    check_target(scene, who, target, "Subdue")
    check_weapon(scene, who, weapon)


# Defence.


@rule("distemper.combat-actions.defend")
async def defend(scene: Scene, who: Person) -> None:
    """+2 to both Defensive Modifiers for the rest of the round."""
    check_act(scene, who, "Defend")
    await take_effect(scene, who, shelter.call(who, scene[DEFEND], "Defend", "distemper.combat-actions.defend"))
    await end_action(scene, who, "Defend")


@rule("distemper.combat-actions.take-cover")
async def take_cover(scene: Scene, who: Person) -> None:
    """+2 against all attacks for the rest of the round, and cover to fire from."""
    check_act(scene, who, "Take Cover")
    covered = shelter.call(who, scene[TAKE_COVER], "Take Cover", "distemper.combat-actions.take-cover")
    await take_effect(scene, who, covered)
    if FIGHT in scene:
        await alter(FIGHT, lambda fight: replace(fight, cover=fight.cover | {who.name}))
    await end_action(scene, who, "Take Cover")


@rule("distemper.combat.defensive-modifiers/shelter")
async def shelter(scene: Scene, who: Person, amount: int, source: str, by: str) -> None:
    """Defend and Take Cover add up with each other, but neither with itself."""
    if not any(active.source == source for active in applying(scene, who, DEFENSE).active):
        bonus = Effect.from_plain({"adds": amount, "when": [DEFENSE], "until": ROUND_END})
        await lay(scene, who, bonus, source, by)


# Helping and hindering.


@rule("distemper.combat-actions.coordinate")
async def coordinate(scene: Scene, who: Person, target: Person, cmods: Mods = ()) -> Check:
    """On a successful Tactics check allies who are close have +2 on their next attack on one target."""
    check_act(scene, who, "Coordinate")
    check_target(scene, who, target, "Coordinate")
    check = await dice_check(scene, who, scene[COORDINATE_CHECK], cmods + acting(scene, who))
    if check.success:
        await take_effect(scene, who, direct.call(who, target))
    await end_action(scene, who, "Coordinate")
    return check


@rule("distemper.combat-actions.coordinate/direct")
async def direct(scene: Scene, who: Person, target: Person) -> None:
    """Allies who are close have +2 on their next attack on one target; who coordinates has not."""
    bonus = Effect.from_plain({"adds": scene[COORDINATE], "when": ["attack"], "uses": 1})
    for ally in allies(scene, who):
        if is_close(scene, who, ally) and ally != target:
            await lay(scene, ally, bonus, "Coordinate", "distemper.combat-actions.coordinate", target)


def allies(scene: Scene, who: Person) -> tuple[Person, ...]:
    """The others of one's side; outside a fight the others of one's kind, players or NPCs."""
    if FIGHT in scene:
        side = next((side for side in scene[FIGHT].sides if who.name in side), ())
        return tuple(Who(name, Character) for name in side if name != who.name and name in scene[FIGHT].able(scene))
    return tuple(each for each in scene.all(Character) if each != who and scene[each].player == scene[who].player)


@rule("distemper.combat-actions.distract")
async def distract(scene: Scene, who: Person, target: Person, using: Ability, cmods: Mods = ()) -> Check:
    """On a success the target loses its next action."""
    check_act(scene, who, "Distract")
    check_distract(scene, who, target, using)
    check = await dice_check(scene, who, using, cmods + acting(scene, who))
    if check.success:
        await take_effect(scene, who, lose_action.call(target, scene[DISTRACT]))
    await end_action(scene, who, "Distract")
    return check


def check_distract(
    scene: Scene, who: Person, target: Person | None = None, using: str | None = None, cmods: Mods = ()
) -> None:
    """Somebody who fights, by one of the checks the rule names."""
    check_fighter(scene, who, target, "Distract", "distemper.combat-actions.distract")
    check_one_of(using, scene[DISTRACT_CHECKS], "distemper.combat-actions.distract")


def check_one_of(using: str | None, lawful: tuple[str, ...], by: str) -> None:
    """The rule names the checks it allows."""
    if using is not None and using not in lawful:
        raise Refused(using, because="that check does not do here", rule=by, lawful=lawful)


@rule("distemper.combat-actions.distract/lose")
async def lose_action(scene: Scene, who: Person, actions: int) -> None:
    """The next action is lost: of this round, or else of the next."""
    if FIGHT in scene:
        await alter(FIGHT, Fight.losing, who.name, actions)


@rule("distemper.combat-actions.inspire")
async def inspire(scene: Scene, who: Person, target: Person, cmods: Mods = ()) -> Check:
    """On a success somebody close has one more Combat Action in this round."""
    check_act(scene, who, "Inspire")
    check_inspire(scene, who, target)
    check = await dice_check(scene, who, scene[INSPIRE_CHECK], cmods + acting(scene, who))
    if check.success and FIGHT in scene:
        await take_effect(scene, who, gain_action.call(target, scene[INSPIRE]))
    await end_action(scene, who, "Inspire")
    return check


def check_inspire(scene: Scene, who: Person, target: Person | None = None, cmods: Mods = ()) -> None:
    """Somebody close who fights."""
    check_fighter(scene, who, target, "Inspire", "distemper.combat-actions.inspire")
    if target is not None:
        check_near(scene, who, target, "Inspire", "distemper.combat-actions.inspire")


@rule("distemper.combat-actions.inspire/gain")
async def gain_action(scene: Scene, who: Person, actions: int) -> None:
    """One more Combat Action in this round."""
    await alter(FIGHT, Fight.gaining, who.name, actions)


@rule("distemper.combat-actions.grappling")
async def grapple(scene: Scene, who: Person, target: Person, cmods: Mods = ()) -> Opposed:
    """An opposed check; if the grappler wins, the target is pinned in place."""
    check_act(scene, who, "Grappling")
    check_target(scene, who, target, "Grappling")
    fought = await wrestle(scene, who, target, cmods + acting(scene, who))
    if fought.winner == who.name and FIGHT in scene:
        await take_effect(scene, who, pin.call(target, who))
    await end_action(scene, who, "Grappling")
    return fought


@rule("distemper.combat-actions.grappling/wrestle")
async def wrestle(scene: Scene, who: Person, target: Person, cmods: Mods = (), other_cmods: Mods = ()) -> Opposed:
    """Unarmed Combat against Unarmed Combat or Athletics, as the target chooses; both are involved."""
    if FIGHT in scene:
        await alter(FIGHT, Fight.involving, who.name, target.name)
    resisting = await choose(target, RESIST, scene[RESIST_WITH])
    return await opposed_check(scene, who, target, scene[GRAPPLE_WITH][0], resisting, cmods, other_cmods)


@rule("distemper.combat-actions.grappling/pin")
async def pin(scene: Scene, who: Person, holder: Person) -> None:
    """Held in place, unless one of the two is out of the fight by now."""
    held = (holder.name, who.name)
    if all(scene[FIGHT].is_able(scene, name) for name in held):
        await alter(FIGHT, lambda fight: replace(fight, pins=(*(each for each in fight.pins if each != held), held)))


@rule("distemper.combat-actions.grappling/break-free")
async def break_free(scene: Scene, who: Person, holder: Person) -> Opposed:
    """The pinned spend an action and must win the same opposed check."""
    check_act(scene, who, "Grappling")
    check_break_free(scene, who, holder)
    fought = await wrestle(scene, holder, who, (), acting(scene, who))
    if fought.winner == who.name:
        await alter(
            FIGHT, lambda fight: replace(fight, pins=tuple(p for p in fight.pins if p != (holder.name, who.name)))
        )
    await end_action(scene, who, "Grappling")
    return fought


def check_break_free(scene: Scene, who: Person, holder: Person | None = None) -> None:
    """Held by somebody; the dead and the fled hold nobody."""
    held_by = tuple(grappler for grappler, target in scene[FIGHT].pins if target == who.name) if FIGHT in scene else ()
    if not held_by or (holder and holder.name not in held_by):
        by = "distemper.combat-actions.grappling"
        raise Refused("break free", because=f"{who} is not pinned", rule=by, lawful=held_by)


@rule("distemper.combat-actions.grappling/let-go")
async def let_go(scene: Scene, who: Person, target: Person) -> None:
    """The grappler lets go; it costs nothing."""
    check_let_go(scene, who, target)
    await alter(FIGHT, lambda fight: replace(fight, pins=tuple(p for p in fight.pins if p != (who.name, target.name))))


def check_let_go(scene: Scene, who: Person, target: Person | None = None) -> None:
    """Holding somebody, and in a state to do anything at all."""
    applying(scene, who).check_allowed("act", rule="distemper.panic.table")
    held = tuple(name for grappler, name in scene[FIGHT].pins if grappler == who.name) if FIGHT in scene else ()
    if not held or (target and target.name not in held):
        raise Refused("let go", because=f"{who} holds nobody", rule="distemper.combat-actions.grappling", lawful=held)


# Moving, readying, checking.


@rule("distemper.combat-actions.move")
async def move(scene: Scene, who: Person, target: Person, closer: bool = True) -> None:
    """Change the range to somebody by one band."""
    check_act(scene, who, "Move")
    check_moving(scene, who, target, closer, "Move")
    await step_now(scene, who, target, closer, scene[MOVE])
    await end_action(scene, who, "Move")


def check_moving(scene: Scene, who: Person, target: Person | None, closer: bool | None, action: str) -> None:
    """Free to move; nobody comes closer than close."""
    check_target(scene, who, target, action)
    check_move(scene, who, action)
    if target is not None and closer and FIGHT in scene and is_close(scene, who, target):
        raise Refused(action, because=f"{target} is close already", rule=TRACKED.rule)


@rule("distemper.combat-actions.reposition")
async def reposition(scene: Scene, who: Person, target: Person, closer: bool = True) -> None:
    """Spend the action now; the move happens in the resolution phase."""
    check_act(scene, who, "Reposition")
    check_moving(scene, who, target, closer, "Reposition")
    if FIGHT in scene:
        step = Step(who.name, target.name, closer)
        await alter(FIGHT, lambda fight: replace(fight, steps=(*fight.steps, step)))
    await end_action(scene, who, "Reposition")


@rule("distemper.combat-actions.sprint")
async def sprint(scene: Scene, who: Person, target: Person, closer: bool = True, cmods: Mods = ()) -> Check:
    """Three times the ground of a Move; a failed Athletics check costs an action of the next round."""
    check_act(scene, who, "Sprint")
    check_moving(scene, who, target, closer, "Sprint")
    check = await dice_check(scene, who, scene[SPRINT_CHECK], cmods + acting(scene, who))
    await step_now(scene, who, target, closer, scene[SPRINT_TIMES] * scene[MOVE])
    if not check.success and FIGHT in scene:
        await alter(FIGHT, Fight.losing_next, who.name, scene[SPRINT_LOST])
    await end_action(scene, who, "Sprint")
    return check


@rule("distemper.combat-actions.ready-weapon")
async def ready_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """Prepare a weapon, or clear a jam."""
    check_act(scene, who, "Ready Weapon")
    check_ready_weapon(scene, who, weapon)
    item = scene[who].item(weapon)
    readied = replace(item, jammed=False) if item.jammed else replace(item, ready=True)
    await alter(who, Character.with_item, readied)
    await end_action(scene, who, "Ready Weapon")


def check_ready_weapon(scene: Scene, who: Person, weapon: str | None = None) -> None:
    """Something carried that is not ready, or jammed."""
    if weapon is not None and (item := scene[who].item(weapon)).ready and not item.jammed:
        raise Refused("Ready Weapon", because=f"{weapon} is ready", rule="distemper.combat-actions.ready-weapon")


@rule("distemper.combat-actions.dice-check")
async def check_action(scene: Scene, who: Person, using: Ability, cmods: Mods = ()) -> Check:
    """Any attribute or skill check, as an action."""
    check_act(scene, who, "Dice Check")
    check = await dice_check(scene, who, using, cmods + acting(scene, who))
    await end_action(scene, who, "Dice Check")
    return check
