"""The combat round: declared actions, who acts in which pass, and the end of the round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from enum import Enum
from typing import Annotated, Any, ClassVar, Final, ParamSpec, TypeVar

from referee.core import (
    DONE,
    Action,
    Bands,
    Body,
    Call,
    CheckFunction,
    Effect,
    Hidden,
    Levels,
    Open,
    Prompt,
    Rule,
    Scene,
    Who,
    action,
    action_of,
    advance_clock,
    alter,
    choose,
    figure,
    formula,
    frozen,
    lay,
    legal_choices,
    refuse,
    rule,
    suggest,
    tell,
    together,
)
from referee.core.actions import LegalChoices
from referee.core.branches import Changed
from referee.core.effects import EFFECTS, Adds, Effects, moment, remove_effects, with_effect
from referee.core.questions import Choose
from referee.core.rules import rule_named
from referee.kits.rounds import Rounds, in_this_order
from referee.systems.d6.combat.reach import disengage
from referee.systems.d6.health import end_of_round, living
from referee.systems.d6.resolution import (
    PER_FURTHER_ACTION,
    check_able,
    check_conscious,
    check_skilled,
    is_kept_from,
    multiple_actions,
)
from referee.systems.d6.rolls import ACTION, ROUND_END, check_alive
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.wounds import DEAD, EXERTION, MORTAL, NEUTRALIZED, ZONE_STATES
from referee.systems.d6.zones import exert_oneself

P = ParamSpec("P")
T = TypeVar("T")

ROUND: Final = "d6.combat.round"
DECLARE: Final = "d6.combat.declare-actions"
RESOLVE: Final = "d6.combat.resolve-actions"
SURPRISE: Final = "d6.combat.surprise"
FUMBLED: Final = "d6.combat.initiative-fumble"
FULL: Final = "d6.combat.full-reaction"

TURN: Final = Prompt("action")
DECLARATION: Final = Prompt("actions")


class RoundPhase(Enum):
    """The phases of a round that the table waits in; those between them pass by themselves."""

    BEGIN = "begin new round"
    DECLARE = "declare actions"
    RESOLVE = "resolve actions"


class AttackKind(Enum):
    """What an attack is, for whoever reacts to it: parries are against melee, dodges against ranged attacks."""

    MELEE = "melee"
    RANGED = "ranged"

    @property
    def reaction(self) -> str:
        return "parry" if self is AttackKind.MELEE else "dodge"


PHASES: Final = figure(ROUND, "phases", tuple[str, ...])


@frozen
class FullReaction:
    """Somebody who does nothing else this round than dodge, or parry, everything."""

    known_by: ClassVar = ("who",)
    who: str
    kind: AttackKind
    total: int
    key: str = ""
    """How the reaction is called."""
    hit: bool = False


@frozen
class IndividualCombat(Rounds):
    """A fight: who is on which side, in which order they act, what they have declared and what is left of it."""

    phase: Open[RoundPhase] = RoundPhase.BEGIN
    initiative: Hidden[Levels] = field(default_factory=Levels)
    """What everyone has rolled, or pips of Perception, which players are told of their own; `scores` is the order."""
    preferred: Open[tuple[str, ...]] = ()
    """Whom the game master lets act first among equals."""
    declared: Open[Levels] = field(default_factory=Levels)
    """Actions declared for this round; those who have not declared yet are not in it."""
    added: Open[Levels] = field(default_factory=Levels)
    """Reactions of this round that came on top of what was declared."""
    planned: Open[Levels] = field(default_factory=Levels)
    """Actions that were said together with initiative, before they are declared."""
    taken: Open[Levels] = field(default_factory=Levels)
    """How often everyone has acted at their rank in this round."""
    acting: Open[str] = ""
    """Who acts, or has acted last."""
    surprised: Open[frozenset[str]] = frozenset()
    """Those who declare nothing this round, and do not react."""
    fumbled: Open[frozenset[str]] = frozenset()
    """Those who can do nothing this round but a full reaction."""
    full: Open[tuple[FullReaction, ...]] = ()
    sheltered: Open[frozenset[str]] = frozenset()
    """Those who came through a full dodge and lie behind cover."""

    # --- who takes part -----------------------------------------------------------------------------------------------

    def is_able(self, scene: Scene, who: str) -> bool:
        """Here, awake and alive."""
        fighter = Who(who, Hero)
        if who in self.gone or fighter not in scene:
            return False
        # The wound first: to whoever does not know it, an unknown cause would look like one.
        return scene[fighter].wound not in (MORTAL, DEAD) and scene[fighter].unconscious is None

    def standing(self, scene: Scene) -> tuple[tuple[str, ...], ...]:
        """The sides that have someone who can still fight; whoever is Neutralized cannot."""
        fit = {name for name in self.able(scene) if scene[Who(name, Hero)].wound != NEUTRALIZED}
        return tuple(side for side in self.sides if any(name in fit for name in side))

    def foes(self, scene: Scene, who: str) -> tuple[str, ...]:
        """Those of other sides who are still here, able or not."""
        own = self.side_of(who)
        return tuple(
            name for name in self.fighters if name not in own and name not in self.gone and name in scene.state
        )

    # --- whose turn it is ---------------------------------------------------------------------------------------------

    def may_declare(self, scene: Scene, who: str) -> bool:
        done = who in self.declared or self.full_reaction(who) is not None
        return not done and who not in self.surprised and self.is_able(scene, who)

    def declarers(self, scene: Scene) -> tuple[str, ...]:
        """Those who have not declared yet, the lowest initiative first."""
        waiting = (name for name in self.fighters if self.may_declare(scene, name))
        return tuple(sorted(waiting, key=lambda name: self.scores.get(name, 0)))

    def declarer(self, scene: Scene) -> str:
        """Who declares next."""
        return next(iter(self.declarers(scene)), "")

    def is_ready(self, scene: Scene, who: str) -> bool:
        return self.phase is RoundPhase.RESOLVE and Rounds.is_ready(self, scene, who)

    def place(self, who: str, taken: int) -> tuple[int, int]:
        """When somebody acts: the pass, and the rank within it."""
        return taken, -self.scores.get(who, 0)

    def comes_first(self, scene: Scene, who: str) -> bool:
        """Everyone acts once, from the best to the lowest initiative, before anybody acts again."""
        mine = self.place(who, self.taken.get(who, 0))
        return not any(
            self.place(name, self.taken.get(name, 0)) < mine for name in self.left if self.is_ready(scene, name)
        )

    def rank_has_come(self, who: str) -> bool:
        """Whether somebody's first initiative rank of this round has come."""
        if self.phase is not RoundPhase.RESOLVE or not self.acting:
            return False
        now = self.place(self.acting, self.taken.get(self.acting, 0) - 1)
        return self.taken.get(who, 0) > 0 or self.place(who, 0) <= now

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.phase is RoundPhase.BEGIN:
            return rule_named("d6.combat.round/begin")()
        if self.phase is RoundPhase.DECLARE:
            return take_declarations() if self.declarer(scene) else begin_to_act()
        group = self.group(scene)
        return take_turn(Who(group[0], Hero)) if group else end_combat_round(Who(me.name, IndividualCombat))

    def reduced(self) -> IndividualCombat:
        """Of initiative only the order matters."""
        return replace(self, initiative=Levels())

    # --- what happens to it -------------------------------------------------------------------------------------------

    def ordered(self, names: tuple[str, ...], totals: Levels, fumbled: frozenset[str]) -> IndividualCombat:
        """The order of this round is found, and actions are declared."""
        begun = self.beginning({}, in_this_order(names))
        return replace(begun, phase=RoundPhase.DECLARE, initiative=totals, fumbled=fumbled)

    def ranking(self, scores: Levels) -> IndividualCombat:
        """In another order, as in a chase, where nobody acts before their pilot."""
        return replace(self, scores=scores)

    def preferring(self, names: tuple[str, ...]) -> IndividualCombat:
        return replace(self, preferred=names)

    def planning(self, planned: Levels) -> IndividualCombat:
        return replace(self, planned=planned)

    def declaring(self, who: str, actions: int) -> IndividualCombat:
        return replace(
            self,
            declared=self.declared.but(**{who: actions}),
            left=self.left.but(**{who: actions}) if actions else self.left,
        )

    def resolving(self) -> IndividualCombat:
        return replace(self, phase=RoundPhase.RESOLVE, planned=Levels())

    def taking(self, who: str) -> IndividualCombat:
        """One of the declared actions is taken at its rank."""
        return replace(self.spending(who, 1), taken=self.taken.but(**{who: self.taken.get(who, 0) + 1}), acting=who)

    def taking_back(self, who: str) -> IndividualCombat:
        """What was done at one's rank was no action after all."""
        taken = max(0, self.taken.get(who, 0) - 1)
        return replace(self.gaining(who, 1), taken=self.taken.but(**{who: taken}))

    def doing_nothing_else(self, who: str) -> IndividualCombat:
        """Actions that are left are not taken in this round."""
        return self.spending(who, self.left.get(who, 0))

    def waiting(self, who: str) -> IndividualCombat:
        """Somebody lets a rank go by, without using up an action."""
        return replace(self, taken=self.taken.but(**{who: self.taken.get(who, 0) + 1}), acting=who)

    def adding(self, who: str) -> IndividualCombat:
        """A reaction comes on top of what was declared."""
        return replace(self, added=self.added.but(**{who: self.added.get(who, 0) + 1}))

    def total_actions(self, who: str) -> int:
        """Declared actions and added reactions of this round."""
        return self.declared.get(who, 0) + self.added.get(who, 0)

    def reacting_fully(self, reaction: FullReaction) -> IndividualCombat:
        """Somebody does nothing else in this round."""
        fresh = replace(self, full=(*self.full, reaction)).reacting(reaction.who)
        return fresh.spending(reaction.who, self.left.get(reaction.who, 0))

    def full_reaction(self, who: str) -> FullReaction | None:
        return next((each for each in self.full if each.who == who), None)

    def hitting(self, who: str) -> IndividualCombat:
        """Somebody was hit: a full reaction did not bring them to safety."""
        return replace(self, full=tuple(replace(each, hit=each.hit or each.who == who) for each in self.full))

    def sheltering(self, names: frozenset[str]) -> IndividualCombat:
        """Those who came through a full dodge lie behind cover, until the next round is over."""
        return replace(self, sheltered=names)

    def surprising(self, who: str) -> IndividualCombat:
        return replace(self, surprised=self.surprised | {who})

    def ended(self) -> IndividualCombat:
        """The round is over; the next begins with initiative."""
        none, nothing = frozenset[str](), Levels()
        cleared = replace(
            self, phase=RoundPhase.BEGIN, left=nothing, reactions=nothing, declared=nothing, added=nothing
        )
        return replace(cleared, planned=nothing, taken=nothing, acting="", surprised=none, fumbled=none, full=())


FIGHT: Final = Who("fight", IndividualCombat)


@formula("d6.combat.round/phases", ROUND)
def phases(scene: Scene) -> tuple[str, ...]:
    """The phases of a round, in their order."""
    return scene[PHASES]


def fighters(scene: Scene) -> tuple[Person, ...]:
    """Those in the fight who can act."""
    return tuple(Who(name, Hero) for name in scene[FIGHT].able(scene))


# --- declarations -----------------------------------------------------------------------------------------------------


def check_declaration(scene: Scene, who: Person, actions: int) -> None:
    """From the lowest initiative to the highest, once. Outside of a fight, at least one, by whoever is awake."""
    check_alive(scene, who)
    check_conscious(scene, who)
    if FIGHT not in scene:
        if actions < 1:
            refuse("at least one action", rule="d6.core.multiple-actions")
        laid = scene.get(EFFECTS, Effects()).lasting
        if any(each.on == who.name and each.rule == count_actions.id for each in laid):
            refuse("actions are declared once, until the round ends", rule=DECLARE, legal=("end-round",))
        return
    fight = scene[FIGHT]
    if actions < 0:
        refuse("a number of actions is not below 0", rule=DECLARE)
    if who.name in fight.surprised:
        refuse(f"{who} is surprised", rule=SURPRISE)
    if who.name in fight.fumbled and actions > 1:
        refuse(f"{who} fumbled initiative: only a full reaction", rule=FUMBLED, legal=("0", "1"))
    if fight.full_reaction(who.name) is not None:
        refuse(f"{who} has reacted fully, and does nothing else in this round", rule=FULL)
    if fight.phase is not RoundPhase.DECLARE or who.name in fight.declared:
        refuse("actions are declared once, before anybody acts", rule=DECLARE)
    if (turn := fight.declarer(scene)) != who.name:
        refuse(f"{turn} declares first: the lowest initiative begins", rule=DECLARE, legal=(turn,))


@rule("d6.core.multiple-actions-rounds")
async def count_actions(scene: Scene, who: Person, actions: int) -> None:
    """All actions of a round suffer for their number, from its declaration to the end of the round."""
    for mod in multiple_actions(scene, actions):
        await lay(who, Effect(Adds(mod.amount), frozenset({ACTION}), until=ROUND_END), source=mod.label)


@action("declare-actions", DECLARE, "d6.core.multiple-actions-rounds", check=check_declaration)
async def declare_actions(scene: Scene, who: Person, actions: Annotated[int, suggest(0, 1, 2, 3)]) -> None:
    """Declare how many actions one takes this round: all of them suffer for it, whether they are carried out or not.

    Reactions to fire that has gone on from the round before count with them.
    """
    reacted = FIGHT in scene and scene[FIGHT].added.get(who.name, 0) > 0
    await count_actions(who, actions + reacted)
    await alter(FIGHT, IndividualCombat.declaring, who.name, actions, if_present=True)
    if FIGHT in scene and not scene[FIGHT].declarer(scene):
        await begin_to_act()


@rule("d6.combat.declare-actions/ask", DECLARE)
async def take_declarations(scene: Scene) -> Levels:
    """All say at the same moment how many actions they take; what was said with initiative is not asked again."""
    fight = scene[FIGHT]
    declaring = tuple(Who(name, Hero) for name in fight.declarers(scene))
    asked = tuple(who for who in declaring if who.name not in fight.planned)
    said = await together(*(declaration(scene, who, who.name in fight.fumbled) for who in asked)) if asked else ()
    plans = fight.planned.but(**{who.name: actions for who, actions in zip(asked, said, strict=True)})
    for who in declaring:
        await declare_actions(who, plans[who.name])
    return plans


def declaration(scene: Scene, who: Person, is_fumbled: bool) -> Choose[int]:
    """How many actions somebody takes this round: as many as they like, each of them a die harder."""
    most = 1 if is_fumbled else most_actions(scene, who)
    return choose(who, DECLARATION, tuple(range(most + 1)), default=1)


def most_actions(scene: Scene, who: Person) -> int:
    """As many as are worth asking for: with more, no roll has a die left."""
    sheet = scene[who]
    codes = (*sheet.attributes.values(), *sheet.skills.values(), *sheet.specializations.values())
    return max(3, *(each.code.dice for each in codes)) if codes else 3


@rule("d6.combat.resolve-actions/begin", RESOLVE)
async def begin_to_act(scene: Scene) -> None:
    """Everyone has declared; the best initiative begins."""
    await alter(FIGHT, IndividualCombat.resolving)


# --- turns ------------------------------------------------------------------------------------------------------------

FIGHT_ACTIONS: Final[list[Action[Any]]] = []


def check_turn(scene: Scene, who: Person) -> None:
    """Able to act, and in a fight at one's initiative rank."""
    check_able(scene, who)
    check_rank(scene, who)


def check_rank(scene: Scene, who: Person) -> None:
    """In a fight at one's initiative rank, whatever one is able to do there."""
    check_conscious(scene, who)
    if FIGHT not in scene:
        return
    fight = scene[FIGHT]
    if fight.acts(scene, who.name) or fight.over(scene, FIGHT) is not None:
        return
    if who.name not in fight.fighters:
        refuse(f"{who} is not in the fight", rule=RESOLVE, legal=fight.group(scene))
    if who.name in fight.surprised:
        refuse(f"{who} is surprised", rule=SURPRISE)
    if fight.phase is not RoundPhase.RESOLVE:
        refuse("actions are declared first", rule=DECLARE, legal=("declare-actions",))
    if (full := fight.full_reaction(who.name)) is not None:
        refuse(f"{who} does nothing else than a full {full.kind.reaction} this round", rule=FULL, legal=("next round",))
    turn = " and ".join(fight.group(scene)) or "nobody"
    if not fight.left.get(who.name, 0):
        refuse(f"{who} has no declared action left this round", rule="d6.combat.adapting-actions", legal=(turn,))
    refuse(f"it is not {who}'s turn", rule=RESOLVE, legal=(turn,))


@frozen
class DeclaredAction:
    """The price of what must be declared: one of the actions that are left. Outside of a fight it costs nothing."""

    full: bool = False
    """Whether it is a full reaction, which alone is left to those who fumbled initiative."""

    def check(self, scene: Scene, who: Person) -> None:
        if FIGHT in scene and who.name in scene[FIGHT].fumbled and not self.full:
            refuse(f"{who} fumbled initiative: only a full reaction", rule=FUMBLED)

    def pay(self, who: Person) -> Call[None]:
        return take_action(who)

    def end(self, who: Person) -> Call[None]:
        return moment("action end", who)


@rule(RESOLVE)
async def take_action(scene: Scene, who: Person) -> None:
    """One of the declared actions is used, at its rank. Whoever does something else ceases spray fire."""
    if scene[who].spraying is not None:
        await alter(who, Hero.spraying_at, None)
    await alter(FIGHT, IndividualCombat.taking, who.name, if_present=True)


def fight_action(
    key: str,
    *ids: str,
    bands: Bands[Any] = DONE,
    check: CheckFunction | tuple[CheckFunction, ...] = (),
    turn: CheckFunction = check_turn,
    free: bool = False,
    full: bool = False,
    skilled: bool = True,
) -> Callable[[Body[P, T]], Rule[P, T]]:
    """Write an action of a fight: taken at one's rank for one of the declared actions or, if `free`, for none.

    What is rolled for (what has bands) is a skill, which not everybody can use, unless `skilled` says otherwise.
    """
    checks = check if isinstance(check, tuple) else (check,)
    checks = (*checks, check_skilled) if skilled and bands is not DONE else checks
    declare = action(key, *ids, bands=bands, check=checks, turn=turn, price=None if free else DeclaredAction(full))

    def decorate(body: Body[P, T]) -> Rule[P, T]:
        written = declare(body)
        FIGHT_ACTIONS.append(action_of(written))
        return written

    return decorate


@rule("d6.combat.adapting-actions")
async def take_turn(scene: Scene, who: Person) -> str:
    """What an action is used for is chosen when it is resolved; whoever says nothing lets it go by."""
    legal = ways_to_act(scene, who)
    if not legal:
        await take_action(who)
        if dazed_by(scene, who):
            await action_lost(who)
        return "nothing"
    chosen = await choose(who, TURN, legal, default=action_of(forgo).by(who))
    await chosen.call
    return chosen.key


def ways_to_act(scene: Scene, who: Person) -> LegalChoices:
    """What somebody may do at their rank: nothing if they are kept from it; with broken ribs they may try."""
    ways = FIGHT_ACTIONS
    if is_kept_from(scene, who, EXERTION):
        trying = action_of(exert_oneself)
        ways = [trying, action_of(forgo)] if legal_choices([trying], scene, who) else []
    return legal_choices([] if is_kept_from(scene, who, "act") else ways, scene, who)


def check_in_fight(scene: Scene, who: Person) -> None:
    """Outside of a fight nobody has declared anything, and there is nothing to leave."""
    if FIGHT not in scene:
        refuse("there is no fight", rule=RESOLVE, legal=("begin-fight",))


@fight_action("forgo", "d6.combat.resolve-actions/forgo", check=check_in_fight, full=True, turn=check_rank)
async def forgo(scene: Scene, who: Person) -> None:
    """Let a declared action go by; whoever is kept from acting can do that as well."""
    if dazed_by(scene, who):
        await action_lost(who)


def dazed_by(scene: Scene, who: Person) -> tuple[str, ...]:
    """The states of somebody that are over once an action has been lost to them."""
    laid = {each.source for each in scene.get(EFFECTS, Effects()).lasting if each.on == who.name}
    known = (scene[ZONE_STATES].look(each) for each in sorted(laid) if each in scene[ZONE_STATES])
    return tuple(row.name for row in known if row.costs_action)


@rule("d6.health.localized-effects/action-lost", "d6.health.localized-effects")
async def action_lost(scene: Scene, who: Person) -> None:
    """Whoever was dazed has lost their next action by this, and acts again."""
    for state in dazed_by(scene, who):
        await remove_effects(who, state)


# --- the end of the round ---------------------------------------------------------------------------------------------


@rule("d6.combat.end-of-round")
async def end_combat_round(scene: Scene, me: Who[IndividualCombat]) -> None:
    """Full reactions that nobody hit, stuns, mortal wounds; then the next round begins."""
    safe = tuple(each for each in scene[FIGHT].full if not each.hit and scene[FIGHT].is_able(scene, each.who))
    dodged = frozenset(each.who for each in safe if each.kind is AttackKind.RANGED)
    if dodged != scene[FIGHT].sheltered:
        await alter(FIGHT, IndividualCombat.sheltering, dodged)
    for each in safe:
        await come_through(Who(each.who, Hero), each.kind)
    await moment(ROUND_END)
    for who in living(scene):
        await end_of_round(who)
    await alter(FIGHT, IndividualCombat.ended)
    await advance_clock(1, me)


@rule("d6.combat.full-reaction/safe", FULL)
async def come_through(scene: Scene, who: Person, kind: AttackKind) -> None:
    """Nobody has hit: the dodger is behind cover, the parrying fighter disengaged."""
    if kind is AttackKind.MELEE:
        await disengage(who)
    await tell("behind-cover" if kind is AttackKind.RANGED else "disengaged", who=who)


@formula("d6.core.multiple-actions-rounds/add", "d6.combat.adapting-actions", "d6.core.multiple-actions-rounds")
def with_reaction(scene: Scene, who: Person, added: bool) -> Changed:
    """What a reaction costs: a declared action, or a die less for it and for the rest of the round, if it is added to
    others.
    """
    fight, ended = scene[FIGHT].reacting(who.name), disturbed(scene, who)
    if not added and fight.left.get(who.name, 0):
        return (FIGHT, fight.spending(who.name, 1)), *ended
    fight = fight.adding(who.name)
    if fight.total_actions(who.name) <= 1:
        return (FIGHT, fight), *ended
    harder = Effect(Adds(scene[PER_FURTHER_ACTION]), frozenset({ACTION}), until=ROUND_END)
    laid = with_effect(scene, who, harder, "added reaction", "d6.combat.adapting-actions")
    return (FIGHT, fight), (EFFECTS, laid), *ended


def disturbed(scene: Scene, who: Person) -> Changed:
    """Whoever reacts ceases spray fire, and has not spent this round on preparing a shot."""
    now = scene[who].disturbed(scene[FIGHT].round if FIGHT in scene else -1)
    return ((who, now),) if now != scene[who] else ()
