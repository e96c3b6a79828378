"""A fight: initiative, whose go it is, slow and fast actions, reactions, and what acting more often costs."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    D6,
    Call,
    Die,
    Levels,
    Mod,
    Mods,
    Open,
    Pick,
    Pool,
    Prompt,
    Refused,
    Scene,
    SymbolCounts,
    Who,
    action,
    advance_clock,
    alter,
    applying,
    change,
    figures,
    formula,
    frozen,
    refuse,
    roll,
    rows,
    rule,
    suggest,
)
from referee.core.effects import ApplicableEffects, Forbids, Grants, moment, use
from referee.core.rulebook import Figure
from referee.core.rules import rule_named
from referee.systems.yearzero.harm import DEAD, UNCONSCIOUS, bought_dice, check_able, check_awake
from referee.systems.yearzero.sheet import Person, Survivor, others, people

ALLOWANCE: Final = "yearzero.combat.action-allowance"
EXTRA: Final = "yearzero.combat.extra-action-penalty"
TYPES: Final = "yearzero.core.action-types"
REACTIVE: Final = "yearzero.combat.reactive-actions"
INITIATIVE: Final = Prompt("initiative")
TENS: Final = Die("tens", D6.faces)
ONES: Final = Die("ones", D6.faces)
D66: Final = Pool.of((TENS, 1), (ONES, 1))
ROUND_END: Final = "round end"
CARRYING: Final = "run while carrying a person"
WHIRLWIND: Final = "run action and repeat attack of Whirlwind"

Cost: TypeAlias = Literal["slow", "fast"]
SLOW: Final[Cost] = "slow"
FAST: Final[Cost] = "fast"
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


@frozen
class Battle:
    """A fight in progress."""

    sides: Open[tuple[tuple[str, ...], ...]] = ()
    round: Open[int] = 1
    initiative: Open[Levels] = field(default_factory=Levels)
    ties: Open[Levels] = field(default_factory=Levels)
    """What equals have rolled among themselves."""
    turn: Open[str] = ""
    """Whose go it is."""
    acted: Open[frozenset[str]] = frozenset()
    """Those whose go of this round is over."""
    slow: Open[Levels] = field(default_factory=Levels)
    """Slow actions taken in this round."""
    fast: Open[Levels] = field(default_factory=Levels)
    reactions: Open[Levels] = field(default_factory=Levels)
    declared: Open[tuple[tuple[str, int, int], ...]] = ()
    """Slow and fast actions that were declared for a go, where they are not the usual ones."""
    willpower: Open[Levels] = field(default_factory=Levels)
    """Willpower spent on dice in this round."""
    suppressed: Open[Levels] = field(default_factory=Levels)
    """For how many rounds in a row somebody has been Suppressed."""
    round_order: Open[tuple[str, ...]] = ()
    """The order of this round, where values that were traded count only from the next."""
    acting: Open[Cost | None] = None
    """The kind of action that is under way: whoever helps with it pays the same."""

    def spent(self, who: str) -> int:
        """Actions of this round that are used, by oneself or by reacting."""
        return self.slow.get(who, 0) + self.fast.get(who, 0) + self.reactions.get(who, 0)

    def taking(self, who: str, cost: Cost) -> Battle:
        if cost == SLOW:
            return replace(self, slow=self.slow.but(**{who: self.slow.get(who, 0) + 1}))
        return replace(self, fast=self.fast.but(**{who: self.fast.get(who, 0) + 1}))

    def has_slow_ahead(self, who: str) -> bool:
        """Whether a slow action of this round is still to come for somebody."""
        return who in self.initiative and who not in self.acted and not self.slow.get(who, 0)

    def during(self, kind: Cost | None) -> Battle:
        return replace(self, acting=kind)

    def giving_back(self, who: str, cost: Cost) -> Battle:
        """An action was free after all."""
        if cost == SLOW:
            return replace(self, slow=self.slow.but(**{who: max(0, self.slow.get(who, 0) - 1)}))
        return replace(self, fast=self.fast.but(**{who: max(0, self.fast.get(who, 0) - 1)}))

    def reacting(self, who: str) -> Battle:
        return replace(self, reactions=self.reactions.but(**{who: self.reactions.get(who, 0) + 1}))

    def declaring(self, who: str, slow: int, fast: int) -> Battle:
        return replace(self, declared=(*(each for each in self.declared if each[0] != who), (who, slow, fast)))

    def willing(self, who: str, points: int) -> Battle:
        return replace(self, willpower=self.willpower.but(**{who: self.willpower.get(who, 0) + points}))

    def plan(self, who: str) -> tuple[int, int] | None:
        return next(((slow, fast) for name, slow, fast in self.declared if name == who), None)

    def counting(self, suppressed: tuple[str, ...]) -> Battle:
        """After a round in which these were Suppressed."""
        return replace(self, suppressed=Levels({name: self.suppressed.get(name, 0) + 1 for name in suppressed}))

    def outmaneuvering(self, one: str, other: str) -> Battle:
        """The values change at once, and count from the next round on: the order of this one stands."""
        return replace(self.swapping(one, other), round_order=self.round_order or self.order())

    def swapping(self, one: str, other: str) -> Battle:
        """Two trade their values, and what they have rolled against equals."""
        mine, theirs = self.initiative.get(one, 0), self.initiative.get(other, 0)
        ties = self.ties.but(**{one: self.ties.get(other, 0), other: self.ties.get(one, 0)})
        return replace(self, initiative=self.initiative.but(**{one: theirs, other: mine}), ties=ties)

    def order(self) -> tuple[str, ...]:
        return tuple(sorted(self.initiative, key=lambda name: (-self.initiative[name], -self.ties.get(name, 0))))

    def group(self, scene: Scene) -> tuple[str, ...]:
        """Whose go it is, for the screen."""
        return (self.turn,) if self.turn else ()

    def side_of(self, who: str) -> tuple[str, ...]:
        return next((side for side in self.sides if who in side), ())

    def next_go(self, able: tuple[str, ...]) -> Battle:
        """The next in the order; after the last a round begins."""
        acted = self.acted | {self.turn} if self.turn else self.acted
        waiting = [name for name in self.round_order or self.order() if name in able and name not in acted]
        if waiting:
            return replace(self, turn=waiting[0], acted=acted)
        fresh: Levels = Levels()
        first = next((name for name in self.order() if name in able), "")
        return replace(
            self,
            round=self.round + 1,
            turn=first,
            acted=frozenset(),
            round_order=(),
            slow=fresh,
            fast=fresh,
            reactions=fresh,
            willpower=fresh,
            declared=(),
        )


BATTLE: Final = Who("battle", Battle)


# --- actions and what they cost ---------------------------------------------------------------------------------------


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
    """Whether somebody may act now: on their own go, or on that of another by a plan or by orders."""
    battle = scene[BATTLE]
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


@formula(f"{TYPES}/kind")
def kind_of_action(scene: Scene, action: str) -> str:
    """Which kind of action something is: slow, fast, a reaction, free, or none at all."""
    for kind, listed in KINDS_OF_ACTION.items():
        if action in scene[listed]:
            _ = scene[listed][action]  # it takes part
            return kind
    every = tuple(name for listed in KINDS_OF_ACTION.values() for name in scene[listed].names)
    raise Refused(action, because="it is not listed", rule=TYPES, legal=every)


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

    def check(self, scene: Scene, who: Person) -> None:
        check_able(scene, who)
        check_free(scene, who, held=self.held, holding=self.holding)
        if BATTLE in scene:
            applying(scene, who).check_allowed(f"{self.kind} action")
            check_rising(scene, who, rising=self.rising)
        check_go(scene, who, self.kind)

    def pay(self, who: Person) -> Call[None]:
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
        if kind in COSTS and not (self.reaction and is_reacting(scene, who)):
            ActionPrice(COSTS[kind], self.held, self.holding).check(scene, who)
        else:
            (check_awake if kind == FREE else check_able)(scene, who)
            check_free(scene, who, held=self.held, holding=self.holding)

    def pay(self, who: Person) -> Call[None]:
        return take_listed(who, self.name, self.reaction)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


def is_reacting(scene: Scene, who: Person) -> bool:
    """Whether it is somebody else's go."""
    return BATTLE in scene and not has_go(scene, who)


@rule(f"{TYPES}/take")
async def take_listed(scene: Scene, who: Person, name: str, reaction: str = "") -> None:
    """What an action uses up of the round, by the kind it is listed under: free ones nothing."""
    if reaction and is_reacting(scene, who):
        await use_reaction(who, reaction)
    elif cost := COSTS.get(kind_of_action(scene, name)):
        await take_action(who, cost)


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
        ListedPrice(run_listed_as(scene, who)).check(scene, who)

    def pay(self, who: Person) -> Call[None]:
        return take_run(who)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


@rule(f"{TYPES}/take-run")
async def take_run(scene: Scene, who: Person) -> None:
    """What a run uses up of the round."""
    name, granted = run_listed_as(scene, who), applying(scene, who)
    await take_listed(who, name)
    await use(replace(granted, active=tuple(each for each in granted.active if each.effect.does == Grants(name))))


@rule(f"{TYPES}/give-back")
async def give_back(scene: Scene, who: Person, name: str) -> None:
    """An action of the round was free after all."""
    if cost := COSTS.get(kind_of_action(scene, name)):
        await alter(BATTLE, Battle.giving_back, who.name, cost, if_present=True)


SLOW_ACTION: Final = ActionPrice(SLOW)
FAST_ACTION: Final = ActionPrice(FAST)
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

    def pay(self, who: Person) -> Call[None]:
        return take_printed_action(who, self.cost.rule)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


@rule("yearzero.combat.action-allowance/printed")
async def take_printed_action(scene: Scene, who: Person, by: str) -> None:
    """An action of the round is used, of the kind that an entry prints."""
    await take_action(who, COSTS[scene[PRINTED_COSTS[by]]])


@rule(ALLOWANCE)
async def take_action(scene: Scene, who: Person, kind: Cost) -> None:
    """An action of the round is used, unless an order has made it free."""
    if is_ordered(scene, who, kind):
        await use(ordered(scene, who, kind))
    else:
        await alter(BATTLE, Battle.taking, who.name, kind, if_present=True)
    await alter(BATTLE, Battle.during, kind, if_present=True)


@rule("yearzero.combat.action-allowance/end")
async def end_action(scene: Scene, who: Person) -> None:
    """The action is over, and so is what lasted until then."""
    await alter(BATTLE, Battle.during, None, if_present=True)
    await moment("action end", who)


def check_declare(scene: Scene, who: Person, slow: int, fast: int) -> None:
    """On one's go, before any action of it."""
    if BATTLE not in scene:
        refuse("there is no fight")
    battle = scene[BATTLE]
    if not has_go(scene, who):
        refuse(f"it is the go of {battle.turn}")
    if battle.slow.get(who.name, 0) or battle.fast.get(who.name, 0):
        refuse("actions are declared before the first of them")
    if slow < 0 or fast < 0:
        refuse("a number of actions is not below 0")


@action("declare-actions", "yearzero.combat.extra-action-penalty/declare", check=check_declare)
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


# --- the course of a fight --------------------------------------------------------------------------------------------


def check_no_battle(scene: Scene, _: None) -> None:
    if BATTLE in scene:
        refuse("there is a fight already")


def check_battle(scene: Scene, _: None) -> None:
    if BATTLE not in scene:
        refuse("there is no fight", legal=("begin-battle",))


Fighters: TypeAlias = tuple[Annotated[Person, Pick(people)], ...]


@action("begin-battle", "yearzero.combat.initiative", check=check_no_battle, master=True)
async def begin_battle(scene: Scene, one: Fighters, other: Fighters) -> None:
    """Everyone rolls two dice, read as tens and ones; the highest acts first, equals roll again among themselves."""
    scores = {who.name: await roll_initiative(who) for who in (*one, *other)}
    ties = await roll_off((*one, *other), Levels(scores))
    names = tuple(tuple(each.name for each in side) for side in (one, other))
    battle = Battle(names, initiative=Levels(scores), ties=ties)
    await change(BATTLE, battle.next_go(able(scene, battle)))


def tens_and_ones(seen: SymbolCounts) -> int:
    """A D66: two dice as a number, the first is the tens."""
    (_, ((tens, _),)), (_, ((ones, _),)) = seen.dice
    return 10 * int(tens) + int(ones)


@rule("yearzero.combat.initiative/roll")
async def roll_initiative(scene: Scene, who: Person) -> int:
    """Two dice as a number: the first is the tens. Some roll more than once, and the highest counts."""
    best = 0
    for _ in range(1 + applying(scene, who).extra("initiative")):
        best = max(best, tens_and_ones(await roll(INITIATIVE, who, D66, SymbolCounts)))
    return best


@rule("yearzero.combat.initiative/ties")
async def roll_off(scene: Scene, fighters: Fighters, scores: Levels) -> Levels:
    """Equals roll again among themselves; that decides only the order between them."""
    found: dict[str, int] = {}
    for score in sorted(set(scores.values())):
        tied = [who for who in fighters if scores[who.name] == score]
        while len(tied) > 1:
            again = {who.name: await roll_initiative(who) for who in tied}
            found |= {name: found.get(name, 0) * 100 + value for name, value in again.items()}
            tied = [who for who in tied if sum(found[who.name] == other for other in found.values()) > 1]
    return Levels(found)


def able(scene: Scene, battle: Battle) -> tuple[str, ...]:
    """Those in the fight who can still act."""
    here = {who.name: scene[who] for who in scene.all(Survivor)}
    return tuple(name for name in battle.initiative if name in here and is_able(here[name]))


def is_able(sheet: Survivor) -> bool:
    """Whether somebody can act at all."""
    return not sheet.broken and not sheet.conditions & {DEAD, UNCONSCIOUS}


def check_turn(scene: Scene, who: Person) -> None:
    if BATTLE not in scene:
        refuse("there is no fight, and so no go to end", legal=("begin-battle",))
    if scene[BATTLE].turn != who.name:
        refuse(f"it is the go of {scene[BATTLE].turn}", legal=(f"end-go by {scene[BATTLE].turn}",))


@action("end-go", "yearzero.core.action-types", check=check_turn)
async def end_go(scene: Scene, who: Person) -> None:
    """One's go is over; the next begins theirs, or a new round begins."""
    await hand_on()


@action("next-go", "yearzero.core.action-types/next", check=check_battle, master=True)
async def next_go(scene: Scene) -> None:
    """The game master ends a go: of somebody Broken, or who does nothing."""
    await hand_on()


@rule("yearzero.core.action-types/go")
async def hand_on(scene: Scene) -> None:
    """The next in the order begins their go; what lasted until then is over."""
    await end_rampages()
    before = scene[BATTLE].round
    await change(BATTLE, scene[BATTLE].next_go(able(scene, scene[BATTLE])))
    if scene[BATTLE].round > before:
        await moment(ROUND_END)
        await rule_named("yearzero.panic.triggers/round")()
        await advance_clock(1)
    await moment(f"turn of {scene[BATTLE].turn}")


@action("end-battle", "yearzero.core.action-types/end", check=check_battle, master=True)
async def end_battle(scene: Scene) -> None:
    """The fight is over."""
    await change(BATTLE, None)


@rule("yearzero.combat.initiative-exchange")
async def swap_initiative(scene: Scene, who: Person, other: Person) -> None:
    """Two people trade their places in the order, from the next round on."""
    await alter(BATTLE, Battle.outmaneuvering, who.name, other.name, if_present=True)


def comrades(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of one's own side."""
    side = scene[BATTLE].side_of(who.name) if BATTLE in scene else ()
    return tuple(each for each in others(scene, who) if each.name in side)


def foes(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of other sides who are not Broken."""
    fighting = scene[BATTLE].initiative if BATTLE in scene else ()
    mine = (who, *comrades(scene, who))
    near = (each for each in others(scene, who) if each.name in fighting and each not in mine)
    return tuple(each for each in near if not scene[each].broken and not scene[each].conditions & {DEAD, UNCONSCIOUS})


RAMPAGE: Final = "panic: Overkill"
"""The panic of somebody who attacks until they or all enemies are Broken."""


@formula("yearzero.talents.combat/rampage")
def check_rampage(scene: Scene, who: Person) -> None:
    """Whoever attacks without end does nothing else, as long as an enemy stands."""
    if RAMPAGE in scene[who].conditions and (standing := foes(scene, who)):
        names = tuple(each.name for each in standing)
        refuse(f"{who} attacks until every enemy is Broken", rule="yearzero.talents.combat", legal=names)


@rule("yearzero.talents.combat/overkill-over")
async def end_rampages(scene: Scene) -> None:
    """Whoever attacked without end stops once they, or all their enemies, are Broken."""
    for who in scene.all(Survivor):
        if RAMPAGE in scene[who].conditions and (scene[who].broken or not foes(scene, who)):
            await alter(who, Survivor.without_condition, RAMPAGE)


def speaking(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Comrades one can speak to."""
    return tuple(each for each in comrades(scene, who) if not scene[each].conditions & {DEAD, UNCONSCIOUS})


def check_exchange(scene: Scene, who: Person, other: Person) -> None:
    """Between comrades, at the start of a round."""
    if BATTLE not in scene:
        refuse("there is no fight")
    battle = scene[BATTLE]
    if battle.acted or any(battle.spent(name) for name in battle.initiative):
        refuse("initiative is exchanged at the start of a round")


@action("exchange-initiative", "yearzero.combat.initiative-exchange/comrades", check=check_exchange, turn=check_awake)
async def exchange_initiative(scene: Scene, who: Person, other: Annotated[Person, Pick(speaking)]) -> None:
    """Two comrades who can speak to each other swap their initiative at the start of a round."""
    swapped = scene[BATTLE].swapping(who.name, other.name)
    await change(BATTLE, replace(swapped, turn="").next_go(able(scene, swapped)))
