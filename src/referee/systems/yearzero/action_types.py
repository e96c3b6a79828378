"""Slow, fast, free and reactive actions: what a go may be made of, and what more actions cost every roll of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Final

from referee.core import (
    Action,
    Call,
    Mod,
    Mods,
    Prevented,
    Refused,
    Scene,
    action,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.actions import ACTIONS
from referee.core.effects import EFFECTS, ApplicableEffects, Forbids, Grants, moment, remove_effects, use
from referee.core.rulebook import Figure
from referee.core.rules import rule_named
from referee.systems.yearzero.battle import BATTLE, FAST, SLOW, Battle, Cost, check_fighting
from referee.systems.yearzero.harm import bought_dice, can_act, check_able, check_awake, is_left
from referee.systems.yearzero.sheet import Person
from referee.systems.yearzero.vehicles.vehicle import check_on_foot

ALLOWANCE: Final = "yearzero.combat.action-allowance"
EXTRA: Final = "yearzero.combat.extra-action-penalty"
TYPES: Final = "yearzero.core.action-types"
REACTIVE: Final = "yearzero.combat.reactive-actions"
CARRYING: Final = "run while carrying a person"
SLOW_LIST: Final = "yearzero.combat.slow-actions"
FAST_LIST: Final = "yearzero.combat.fast-actions"
MOVE_LIMIT: Final = figure("yearzero.combat.move-limit", "max_move_actions_per_round", int)
KEEPS_READY: Final = figure("yearzero.combat.bows-and-thrown", "keeps_ready", tuple[str, ...])
AIM: Final = "Aim"
"""Where the effect of aiming comes from."""
OTHER_ACTION: Final = "any action but shooting"
"""The moment that ends what only shooting keeps: an aim, an arrow on the string, overwatch."""
WHIRLWIND: Final = "run action and repeat attack of Whirlwind"

FREE: Final = "free"
NONE: Final = "no_action"
COSTS: Final[dict[str, Cost]] = {SLOW: SLOW, FAST: FAST, "fast_reactive": FAST}
"""What actions of a kind cost on one's own go; the others are free, or no actions at all."""


@figures(EXTRA)
class ExtraActions:
    """What each action beyond the allowance adds to the penalty, and what is taken off the sum."""

    extra_fast: int
    extra_slow: int
    reduction: int


@figures(REACTIVE)
class Reactions:
    """How many actions a round has, and what a reaction costs after both are used."""

    actions_per_round: int
    reaction_after_both_actions_used: int


@formula(EXTRA)
def penalty(scene: Scene, slow: int, fast: int, reactions: int = 0) -> int:
    """What so many actions on one go cost every roll of them; a reaction has used up one of the two that are free."""
    free = usual_go(scene, with_slow=slow > 0)
    left_fast = free.fast - reactions
    more_fast = max(0, fast - max(0, left_fast))
    more_slow = max(0, slow - max(0, free.slow + min(0, left_fast)))
    figures_ = scene[ExtraActions]
    points = more_slow * figures_.extra_slow + more_fast * figures_.extra_fast
    if points == 0 or (more_slow, more_fast) == (0, 1):
        return -points
    return -(points - figures_.reduction)


@formula("yearzero.combat.action-allowance/check")
def check_go(scene: Scene, who: Person, cost: Cost) -> None:
    """On one's own go, within what is free or what was declared."""
    if BATTLE not in scene or bought_dice(scene, who):
        return
    battle = scene[BATTLE]
    if is_ordered(scene, who, cost):
        return
    if not has_go(scene, who):
        absent = who.name not in battle.initiative
        refuse(f"{who} is not in the fight" if absent else f"it is the go of {battle.turn}", rule=ALLOWANCE)
    check_has_action(scene, who, cost, ALLOWANCE)


@formula("yearzero.combat.action-allowance/go")
def has_go(scene: Scene, who: Person) -> bool:
    """Whether somebody may act now: on their own go, or on that of another by a plan or by orders.

    The Broken have none: what is left to them they may do on anybody's.
    """
    battle = scene[BATTLE]
    if who.name in battle.initiative and scene[who].broken and not can_act(scene[who]):
        return True
    shared = (go_of(battle.turn), go_of(battle.turn, battle.round))
    return battle.turn == who.name or any(applying(scene, who).granted(each) for each in shared)


def go_of(name: str, number: int = 0) -> str:
    """What lets somebody act on another's go, in any round or in one of them."""
    return f"go of {name} in round {number}" if number else f"go of {name}"


@formula("yearzero.influence.command/free")
def is_ordered(scene: Scene, who: Person, cost: Cost) -> bool:
    """Whether an order pays for an action, on whose go ever; it pays for the first that it can."""
    return BATTLE in scene and bool(ordered(scene, who, cost).active)


def ordered(scene: Scene, who: Person, cost: Cost) -> ApplicableEffects:
    """The first order that makes an action free."""
    applied = applying(scene, who, f"{cost} action")
    free = tuple(each for each in applied.active if each.effect.does == Grants(f"free {cost} action"))
    return replace(applied, active=free[:1])


@formula("yearzero.combat.action-allowance/left")
def check_has_action(scene: Scene, who: Person, cost: Cost, rule: str) -> None:
    """Somebody in a fight has such an action left: of the usual ones, or of those declared."""
    if why := why_no_action(scene, who, cost):
        refuse(why, rule=rule, legal=() if scene[BATTLE].plan(who.name) else ("declare-actions",))


def why_no_action(scene: Scene, who: Person, cost: Cost) -> str:
    """Why somebody in a fight has no such action left; nothing if they have one."""
    battle = scene[BATTLE]
    after = battle.taking(who.name, cost)
    slow, fast = after.slow.get(who.name, 0), after.fast.get(who.name, 0)
    plan = battle.plan(who.name)
    if plan is not None:
        over = slow > plan[0] or fast > plan[1]
        return f"{who} has declared {plan[0]} slow and {plan[1]} fast actions" if over else ""
    if not penalty(scene, slow, fast, battle.reactions.get(who.name, 0)):
        return ""
    usual = " or ".join(scene[PER_ROUND].names)
    return f"{who} has no {cost} action left: a go is {usual}, and more must be declared before the first"


@formula("yearzero.combat.action-allowance/more")
def has_action_left(scene: Scene, who: Person) -> bool:
    """Whether a go may go on: as long as nothing was taken of it, more may still be declared."""
    battle = scene[BATTLE]
    begun = battle.slow.get(who.name, 0) or battle.fast.get(who.name, 0) or battle.plan(who.name)
    costs: tuple[Cost, ...] = (SLOW, FAST)
    return not begun or any(is_ordered(scene, who, cost) or not why_no_action(scene, who, cost) for cost in costs)


@frozen
class UsualGo:
    """Actions that a go may be made of at no cost."""

    name: str
    slow: int
    fast: int


PER_ROUND: Final = rows(TYPES, "per_round", UsualGo)


@formula(f"{TYPES}/usual")
def usual_go(scene: Scene, with_slow: bool) -> UsualGo:
    """What a go with a slow action, or without one, is made of."""
    listed = scene[PER_ROUND]
    return next(listed[name] for name in listed.names if bool(listed.look(name).slow) is with_slow)


KINDS_OF_ACTION: Final = {kind: rows(TYPES, kind, str) for kind in (*COSTS, FREE, NONE)}


@frozen
class ListedAction:
    """An action of a fight: what it needs, what is rolled, what it does."""

    name: str
    needs: str = ""
    skill: str = ""
    says: str = ""
    reactive: bool = False


FIGHT_ACTIONS: Final = {
    SLOW: rows(SLOW_LIST, "attacks", ListedAction, also=(f"{SLOW_LIST}/non_attacks",)),
    FAST: rows(FAST_LIST, "attacks", ListedAction, also=(f"{FAST_LIST}/non_attacks",)),
}


@formula(f"{TYPES}/kind")
def kind_of_action(scene: Scene, action: str) -> str:
    """Which kind of action something is: slow, fast, a reaction, free, or none at all."""
    found = next((kind for kind, listed in KINDS_OF_ACTION.items() if action in scene[listed]), "")
    if found:
        _ = scene[KINDS_OF_ACTION[found]][action]  # it takes part
    printed = listed_in_fights(scene, action)
    if not found and not printed:
        every = tuple(name for listed in KINDS_OF_ACTION.values() for name in scene[listed].names)
        raise Refused(action, because="it is not listed", rule=TYPES, legal=every)
    return found or printed


@formula(SLOW_LIST, FAST_LIST)
def listed_in_fights(scene: Scene, action: str) -> str:
    """Whether the lists for fights have an action as slow or as fast; nothing if they do not have it."""
    for kind, listed in FIGHT_ACTIONS.items():
        if action in scene[listed]:
            _ = scene[listed][action]  # it takes part
            return kind
    return ""


ATTACKS: Final = tuple(rows(each, "attacks", ListedAction) for each in (SLOW_LIST, FAST_LIST))


def is_attack(scene: Scene, action: str) -> bool:
    """Whether the lists for fights have an action among the attacks."""
    return any(action in scene[listed] for listed in ATTACKS)


@formula("yearzero.might.grapple/check")
def check_free(scene: Scene, who: Person, held: bool = False, holding: bool = False) -> None:
    """Whoever is held can only break free; whoever holds somebody can only attack in the grapple, or let go."""
    if scene[who].held_by and not held:
        refuse(f"{scene[who].held_by} holds {who}", rule="yearzero.melee.grapple", legal=("break-free",))
    if scene[who].holds and not holding:
        refuse(f"{who} holds {scene[who].holds}", rule="yearzero.melee.grapple", legal=("grapple-attack", "let-go"))


def but_rising(number: int) -> str:
    """What somebody cannot do in a round in which one may only stand up."""
    return f"anything but standing up in round {number}"


@formula("yearzero.move.dodge/next-round")
def check_rising(scene: Scene, who: Person, rising: bool) -> None:
    """In the round after a Flying Dodge one may stand up, and do nothing else."""
    barred = Forbids(but_rising(scene[BATTLE].round))
    why = next((each for each in applying(scene, who).active if each.effect.does == barred), None)
    if why is not None and not rising:
        refuse(f"{who} is {why.source}", rule="yearzero.move.dodge", legal=("stand-up",))


@frozen
class ActionPrice:
    """A slow or a fast action of the round, in a fight; most are not for those who hold somebody or are held."""

    kind: Cost
    held: bool = False
    holding: bool = False
    rising: bool = False
    """Whether it is what one may do even where all other actions are lost: stand up."""
    left: str = ""
    """Its name in the lists, if it may be what is left to somebody Broken."""

    def check(self, scene: Scene, who: Person) -> None:
        (check_awake if self.left and is_left(scene, who, self.left) else check_able)(scene, who)
        check_free(scene, who, held=self.held, holding=self.holding)
        if BATTLE in scene:
            applying(scene, who).check_allowed(f"{self.kind} action")
            check_rising(scene, who, rising=self.rising)
        check_go(scene, who, self.kind)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_action(who, self.kind)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


@frozen
class ListedPrice:
    """An action of the kind under which the book lists it."""

    name: str
    reaction: str = ""
    """What it is listed as where somebody reacts with it, outside of their own go; nothing if nobody can."""
    held: bool = False
    holding: bool = False

    def check(self, scene: Scene, who: Person) -> None:
        kind = kind_of_action(scene, self.name)
        if is_attack(scene, self.name):
            applying(scene, who, "attack").check_allowed("roll", rule="yearzero.core.roll-procedure")
        if kind in COSTS and not (self.reaction and is_reacting(scene, who)):
            ActionPrice(COSTS[kind], self.held, self.holding, left=self.name).check(scene, who)
        else:
            (check_awake if kind == FREE else check_able)(scene, who)
            check_free(scene, who, held=self.held, holding=self.holding)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_listed(who, self.name, self.reaction)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


def is_reacting(scene: Scene, who: Person) -> bool:
    """Whether it is somebody else's go."""
    return BATTLE in scene and not has_go(scene, who)


@rule(f"{TYPES}/take")
async def take_listed(scene: Scene, who: Person, name: str, reaction: str = "") -> Prevented | None:
    """What an action uses up of the round, by the kind it is listed under: free ones nothing."""
    if reaction and is_reacting(scene, who):
        return await hand_over(use_reaction(who, reaction), lambda _: None)
    if cost := COSTS.get(kind_of_action(scene, name)):
        return await hand_over(take_action(who, cost, name))
    return None


@formula(f"{TYPES}/run")
def run_listed_as(scene: Scene, who: Person) -> str:
    """A run is a fast action, a slow one with a hurt leg or somebody on one's back, and free after a whirlwind."""
    granted = applying(scene, who)
    plain = CARRYING if granted.granted("slow run") else "move 10 m (as in Charge)"
    return next((name for name in (WHIRLWIND, CARRYING) if granted.granted(name)), plain)


@frozen
class RunPrice:
    """What it costs to run, whatever for."""

    def check(self, scene: Scene, who: Person) -> None:
        applying(scene, who).check_allowed("run", rule=TYPES)
        check_on_foot(scene, who)
        ListedPrice(run_listed_as(scene, who)).check(scene, who)
        check_unhindered(scene, who)
        check_moves(scene, who)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_run(who)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


@rule(f"{TYPES}/take-run")
async def take_run(scene: Scene, who: Person) -> Prevented | None:
    """What a run uses up of the round."""
    name, granted = run_listed_as(scene, who), applying(scene, who)
    await use(replace(granted, active=tuple(each for each in granted.active if each.effect.does == Grants(name))))
    if name != WHIRLWIND:
        await count_move(who)
    return await hand_over(take_listed(who, name))


@formula("yearzero.combat.move-limit")
def check_moves(scene: Scene, who: Person) -> None:
    """No more than so many movement actions in a round, whatever else one declares."""
    taken = scene[BATTLE].movements.get(who.name, 0) if BATTLE in scene else 0
    if taken >= (most := scene[MOVE_LIMIT]) and run_listed_as(scene, who) != WHIRLWIND:
        refuse(f"{who} has moved {most} times in this round", rule=MOVE_LIMIT.rule)


@rule("yearzero.combat.move-limit/count")
async def count_move(scene: Scene, who: Person) -> None:
    """A movement action is taken."""
    await alter(BATTLE, Battle.moving, who.name, if_present=True)


@formula("yearzero.combat.run/check")
def check_unhindered(scene: Scene, who: Person) -> None:
    """Nobody runs from an enemy at Arm's Length who can act."""
    if near := enemies_near(scene, who):
        refuse(f"{near[0]} is at Arm's Length", rule="yearzero.combat.run", legal=("retreat",))


def enemies_near(scene: Scene, who: Person) -> tuple[Person, ...]:
    """The enemies at Arm's Length who can act."""
    if BATTLE not in scene or not scene[BATTLE].engaged:
        return ()
    mine = scene[BATTLE].side_of(who.name)
    near = (scene.who(name) for name in scene[BATTLE].near(who.name) if name not in mine)
    return tuple(each for each in near if each in scene and can_act(scene[each]))


@frozen
class MovementPrice:
    """A movement action that is no run."""

    name: str

    def check(self, scene: Scene, who: Person) -> None:
        check_on_foot(scene, who)
        ListedPrice(self.name).check(scene, who)
        check_moves(scene, who)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_move(who, self.name)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


@rule("yearzero.combat.move-limit/take")
async def take_move(scene: Scene, who: Person, name: str) -> Prevented | None:
    """What a movement uses up of the round."""
    await count_move(who)
    return await hand_over(take_listed(who, name))


@rule(f"{TYPES}/give-back")
async def give_back(scene: Scene, who: Person, name: str) -> None:
    """An action of the round was free after all."""
    if cost := COSTS.get(kind_of_action(scene, name)):
        await alter(BATTLE, Battle.giving_back, who.name, cost, if_present=True)


SLOW_ACTION: Final = ActionPrice(SLOW)
FAST_ACTION: Final = ActionPrice(FAST)
SPEAKING: Final = ActionPrice(SLOW, held=True, holding=True)
"""What is said in a fight is a slow action, as rolls of skills usually are; whoever is held can speak."""
TO_RISE: Final = ActionPrice(FAST, rising=True)
PRINTED_COSTS: Final[dict[str, Figure[str]]] = {}
"""The kinds of action that entries print, by rule."""


@frozen
class PrintedPrice:
    """An action of the kind that its own entry prints; the list has the same."""

    cost: Figure[str]

    def __post_init__(self) -> None:
        PRINTED_COSTS[self.cost.rule] = self.cost

    def check(self, scene: Scene, who: Person) -> None:
        ActionPrice(COSTS[scene[self.cost]]).check(scene, who)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_printed_action(who, self.cost.rule)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


@rule("yearzero.combat.action-allowance/printed")
async def take_printed_action(scene: Scene, who: Person, by: str) -> Prevented | None:
    """An action of the round is used, of the kind that an entry prints."""
    return await hand_over(take_action(who, COSTS[scene[PRINTED_COSTS[by]]]))


@rule(ALLOWANCE)
async def take_action(scene: Scene, who: Person, kind: Cost, name: str = "") -> Prevented | None:
    """An action of the round is used, unless an order has made it free; who lies in wait for it may prevent it."""
    if is_ordered(scene, who, kind):
        await use(ordered(scene, who, kind))
    else:
        await alter(BATTLE, Battle.taking, who.name, kind, if_present=True)
    await alter(BATTLE, Battle.during, kind, if_present=True)
    if name not in scene[KEEPS_READY] and keeps_something(scene, who):
        await lose_aim(who)
    return await hand_over(rule_named(WAITED_FOR)(who)) if is_waited_for(scene, who) else None


@rule("yearzero.combat.aim/lost")
async def lose_aim(scene: Scene, who: Person) -> None:
    """Anything but shooting ends an aim, what lies on the string, and a watch that is kept."""
    await moment(OTHER_ACTION, who)
    if has_laid(scene, who, AIM):
        await remove_effects(who, AIM)


WAITED_FOR: Final = "yearzero.combat.overwatch/waited-for"


def keeps_something(scene: Scene, who: Person) -> bool:
    """Whether somebody has what only shooting keeps."""
    lasting = scene[EFFECTS].lasting if EFFECTS in scene else ()
    return any(each.on == who.name and (each.source == AIM or each.effect.until == OTHER_ACTION) for each in lasting)


def has_laid(scene: Scene, who: Person, source: str) -> bool:
    """Whether something of this name waits or lasts on somebody."""
    lasting = scene[EFFECTS].lasting if EFFECTS in scene else ()
    return any(each.on == who.name and each.source == source for each in lasting)


def is_waited_for(scene: Scene, who: Person) -> bool:
    """Whether anybody watches over a place, or has fired into one, so that an action may not go ahead."""
    if BATTLE not in scene:
        return False
    lasting = scene[EFFECTS].lasting if EFFECTS in scene else ()
    return bool(scene[BATTLE].fields) or any(each.source == OVERWATCH and each.on != who.name for each in lasting)


OVERWATCH: Final = "Overwatch"
"""Where the effect comes from that lets somebody shoot before others act."""


@rule("yearzero.combat.action-allowance/end")
async def end_action(scene: Scene, who: Person) -> None:
    """The action is over, and so is what lasted until then."""
    await alter(BATTLE, Battle.during, None, if_present=True)
    await moment("action end", who)


@formula("yearzero.combat.action-declaration")
def check_declare(scene: Scene, who: Person, slow: int, fast: int) -> None:
    """On one's go, before any action of it."""
    check_fighting(scene)
    battle = scene[BATTLE]
    if not has_go(scene, who) or not (can_act(scene[who]) or bought_dice(scene, who)):
        refuse(f"it is the go of {battle.turn}")
    if battle.plan(who.name) == (slow, fast):
        refuse("that is what was declared")
    if battle.slow.get(who.name, 0) or battle.fast.get(who.name, 0):
        refuse("actions are declared before the first of them")
    if slow < 0 or fast < 0:
        refuse("a number of actions is not below 0")


@action(
    "declare-actions",
    "yearzero.combat.extra-action-penalty/declare",
    check=check_declare,
)
async def declare_actions(
    scene: Scene, who: Person, slow: Annotated[int, suggest(0, 1, 2)], fast: Annotated[int, suggest(0, 1, 2, 3)]
) -> int:
    """All actions of a go are declared before the first; more than the usual ones cost every roll of them."""
    await alter(BATTLE, Battle.declaring, who.name, slow, fast)
    return penalty(scene, slow, fast, scene[BATTLE].reactions.get(who.name, 0))


@formula("yearzero.combat.extra-action-penalty/roll")
def battle_mods(scene: Scene, who: Person, tags: tuple[str, ...]) -> Mods:
    """What the number of actions costs a roll: of one's own go, or a reaction after both actions."""
    if BATTLE not in scene:
        return ()
    battle = scene[BATTLE]
    if "reaction" in tags:
        late = battle.spent(who.name) > scene[Reactions].actions_per_round
        return (Mod(scene[Reactions].reaction_after_both_actions_used, "no action left", REACTIVE),) if late else ()
    plan = battle.plan(who.name)
    if plan is None or not has_go(scene, who):
        return ()
    cost = penalty(scene, *plan, battle.reactions.get(who.name, 0))
    return (Mod(cost, "many actions", EXTRA),) if cost else ()


@rule("yearzero.combat.reactive-actions/spend")
async def use_reaction(scene: Scene, who: Person, name: str) -> None:
    """A reaction uses up one of the actions of the round, unless it is listed as free."""
    if kind_of_action(scene, name) in COSTS:
        await alter(BATTLE, Battle.reacting, who.name, if_present=True)
    if keeps_something(scene, who):
        await lose_aim(who)


@cache
def actions_of_a_go() -> tuple[Action[Any], ...]:
    """What a go may be made of: everything that has a price, which is one in actions, and declaring more of them."""
    ours = (each for each in ACTIONS.values() if each.rule.id.startswith("yearzero."))
    return tuple(each for each in ours if each.price is not None or each.key == "declare-actions")
