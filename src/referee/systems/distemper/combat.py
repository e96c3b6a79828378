"""Combat rounds: who is where, initiative, whose turn it is and what a Combat Action costs, the resolution phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from enum import Enum
from functools import lru_cache
from typing import Any, ClassVar, Final, ParamSpec, TypeVar

from referee.core import (
    DONE,
    Action,
    Bands,
    Body,
    Call,
    CheckFunction,
    Effect,
    Levels,
    Mods,
    Open,
    Prompt,
    Rule,
    Scene,
    Who,
    action,
    action_of,
    alter,
    applying,
    choose,
    figure,
    figures,
    formula,
    frozen,
    lay,
    legal_choices,
    questions,
    refuse,
    rows,
    rule,
)
from referee.core.deferred import Deferred
from referee.core.effects import Forbids, moment
from referee.core.encounter import Sides
from referee.core.errors import BadInput
from referee.kits.rounds import Rounds, in_this_order, in_turn
from referee.systems.distemper.checks import INITIATIVE, initiative_checks
from referee.systems.distemper.sheet import TRACKED, Character, Person, check_alive, others

P = ParamSpec("P")
T = TypeVar("T")

ATTACK: Final = "attack"
DEFENSE: Final = "defense"
NEXT_ACTION: Final = "action"
"""Tags of effects: on attacks, on the defense against them, on whatever someone does next."""
ACTION_END: Final = "action end"
ROUND_END: Final = "round end"
PANICKED: Final = "distemper.panic.table"


# --- the fight --------------------------------------------------------------------------------------------------------


class Phase(Enum):
    """The three phases of a round."""

    INITIATIVE = "initiative"
    ACTIONS = "actions"
    RESOLUTION = "resolution"


@frozen
class Step:
    """A move that waits for the resolution phase."""

    who: str
    target: str
    closer: bool


@frozen
class Fight(Rounds):
    """A fight: rounds of two actions each, with who is where and who holds whom."""

    by_kernels: ClassVar[bool] = True

    phase: Open[Phase] = Phase.INITIATIVE
    lost: Open[Levels] = field(default_factory=Levels)
    """Combat Actions lost in the next round."""
    frozen: Open[frozenset[str]] = frozenset()
    """Those who lose the whole next round."""
    berserk: Open[frozenset[str]] = frozenset()
    """Those who must attack the closest person with their next action."""
    involved: Open[frozenset[str]] = frozenset()
    """Those who have attacked or been attacked in this round."""
    rapid: Open[frozenset[str]] = frozenset()
    """Those who have used Rapid Fire in this round, or declared it with both actions."""
    cover: Open[frozenset[str]] = frozenset()
    pins: Open[tuple[tuple[str, str], ...]] = ()
    """Who holds whom."""
    bands: Open[Levels] = field(default_factory=Levels)
    """Range bands between two people, `al bo`; pairs not listed are close."""
    steps: Open[tuple[Step, ...]] = ()

    def __post_init__(self) -> None:
        if self.bands:
            object.__setattr__(self, "bands", _in_order(self.bands, self.sides))

    def check(self, scene: Scene) -> None:
        """Range bands are between two who are there."""
        for pair in self.bands:
            if not any(one in scene.state and other in scene.state for one, other in _splits(pair)):
                raise BadInput(f"bands.{pair}", "must be two people in the scene, such as 'al bo'")

    def is_able(self, scene: Scene, who: str) -> bool:
        fighter = Who(who, Character)
        return who not in self.gone and fighter in scene and not scene[fighter].dead

    def is_ready(self, scene: Scene, who: str) -> bool:
        return self.phase is Phase.ACTIONS and Rounds.is_ready(self, scene, who)

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.phase is Phase.INITIATIVE:
            return begin_round()
        if self.awaits_results(scene):
            return settle()
        group = self.group(scene)
        return take_turn(Who(group[0], Character)) if group else resolution()

    def reduced(self) -> Fight:
        """Of initiative only the order matters."""
        return self.in_ranks()

    def begun(self, left: Levels, actions: int) -> Fight:
        """A round begins: lost actions are deducted as far as this round's actions go, and no one is involved yet."""
        owed = Levels({name: lost - actions for name, lost in self.lost.items() if lost > actions})
        none: frozenset[str] = frozenset()
        return replace(self.beginning(left), phase=Phase.ACTIONS, lost=owed, frozen=none, involved=none, rapid=none)

    def resolved(self) -> Fight:
        """A round is over: no one has a score, an action or a move left, and initiative comes next."""
        return replace(self, phase=Phase.INITIATIVE, steps=(), scores=Levels(), left=Levels())

    def losing(self, who: str, actions: int) -> Fight:
        """The next action is lost: one of this round, or else one of the next."""
        here = min(actions, self.left.get(who, 0))
        return self.spending(who, here).losing_next(who, actions - here)

    def stopping(self, who: str) -> Fight:
        """Whoever may not act has no action left: the turn is that of the next."""
        return self.spending(who, self.left[who]) if self.left.get(who) else self

    def losing_next(self, who: str, actions: int) -> Fight:
        return replace(self, lost=self.lost.but(**{who: self.lost.get(who, 0) + actions})) if actions else self

    def involving(self, *names: str) -> Fight:
        return replace(self, involved=self.involved.union(names))

    def band(self, one: str, other: str) -> int:
        return self.bands.get(_pair(one, other), 0)

    def moved(self, who: str, target: str, bands: int) -> Fight:
        """The range changes, never below close, and whoever moves leaves cover."""
        now = max(0, self.band(who, target) + bands)
        return replace(self, bands=self.bands.but(**{_pair(who, target): now}), cover=self.cover - {who})

    def covering(self, who: str) -> Fight:
        return replace(self, cover=self.cover | {who})

    def stepping_later(self, step: Step) -> Fight:
        return replace(self, steps=(*self.steps, step))

    def firing_rapidly(self, who: str) -> Fight:
        return replace(self, rapid=self.rapid | {who})

    def holders(self, who: str) -> tuple[str, ...]:
        return tuple(holder for holder, held in self.pins if held == who)

    def held(self, who: str) -> tuple[str, ...]:
        return tuple(held for holder, held in self.pins if holder == who)

    def pinning(self, holder: str, target: str) -> Fight:
        return replace(self, pins=(*self.freeing(holder, target).pins, (holder, target)))

    def freeing(self, holder: str, target: str) -> Fight:
        return replace(self, pins=tuple(pin for pin in self.pins if pin != (holder, target)))

    def freezing(self, who: str) -> Fight:
        return replace(self, frozen=self.frozen | {who})

    def enraging(self, who: str) -> Fight:
        return replace(self, berserk=self.berserk | {who})

    def calmed(self, who: str) -> Fight:
        """Someone berserk has attacked and is no longer berserk."""
        return replace(self, berserk=self.berserk - {who})

    def without(self, who: str) -> Fight:
        """Someone is out of it: holds no one, is held by no one, and has no move left to make."""
        pins = tuple(pin for pin in self.pins if who not in pin)
        steps = tuple(step for step in self.steps if step.who != who)
        return replace(self.calmed(who), pins=pins, steps=steps)

    def disengaging(self, who: str) -> Fight:
        return self.without(who).leaving(who)

    def left_by(self, who: str) -> Fight:
        return self.disengaging(who)


FIGHT: Final = Who("fight", Fight)


def _pair(one: str, other: str) -> str:
    return " ".join(sorted((one, other)))


def _splits(pair: str) -> list[tuple[str, str]]:
    """The two names that a pair may stand for; names may have spaces in them."""
    words = pair.split(" ")
    return [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]


@lru_cache(maxsize=256)
def _in_order(bands: Levels, sides: tuple[tuple[str, ...], ...]) -> Levels:
    """Range bands with each pair in the order of its names, whichever way it was written."""
    fighters = {name for side in sides for name in side}

    def known(names: tuple[str, str]) -> int:
        return len(fighters.intersection(names))

    pairs = {pair: _pair(*max(_splits(pair) or [(pair, "")], key=known)) for pair in bands}
    found = Levels({pairs[pair]: apart for pair, apart in bands.items()})
    if len(found) < len(bands):
        raise BadInput("bands", "a pair is named twice, in both orders")
    return found


def is_close(scene: Scene, one: Person, other: Person) -> bool:
    """Close is the one range the book names; outside a fight everyone is close."""
    return FIGHT not in scene or scene[FIGHT].band(one.name, other.name) == 0


def within(scene: Scene, who: Person, bands: int) -> tuple[Person, ...]:
    """Those who are alive and within this many range bands."""
    if FIGHT not in scene:
        return others(scene, who)
    near = (name for name in scene[FIGHT].able(scene) if scene[FIGHT].band(who.name, name) <= bands)
    return tuple(Who(name, Character) for name in near if name != who.name)


def closest(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those nearest to someone, friend or foe."""
    everyone = within(scene, who, 1_000)
    if FIGHT not in scene or not everyone:
        return everyone
    return within(scene, who, min(scene[FIGHT].band(who.name, each.name) for each in everyone))


def is_forbidden(scene: Scene, who: Person, what: str) -> bool:
    """Whether an effect forbids someone to act or move."""
    return any(active.effect.does == Forbids(what) for active in applying(scene, who).active)


# --- rounds -----------------------------------------------------------------------------------------------------------

ACTIONS: Final = figure("distemper.combat.actions-per-round", "actions", int)
UNINVOLVED: Final = figure("distemper.combat.initiative-uninvolved-bonus", "bonus", int)


@figures("distemper.combat.round")
class RoundLength:
    """How long a round takes."""

    least_seconds: int
    most_seconds: int


@formula("distemper.combat.round/seconds")
def seconds(scene: Scene, rounds: int) -> tuple[int, int]:
    """How long a number of rounds takes, at least and at most."""
    return rounds * scene[RoundLength].least_seconds, rounds * scene[RoundLength].most_seconds


@rule("distemper.combat.round", "distemper.combat.initiative-order", ACTIONS.rule)
async def begin_round(scene: Scene) -> None:
    """Everyone rolls initiative, the highest acts first, and has two Combat Actions, less those that were lost."""
    check_fight(scene)
    everyone = tuple(Who(name, Character) for name in scene[FIGHT].able(scene))
    scores = await initiative_checks(everyone)
    for who in everyone:
        await alter(FIGHT, Fight.scoring, who.name, scores[who.name])
    for name in sorted(scene[FIGHT].frozen.intersection(scene[FIGHT].able(scene))):
        await freeze(Who(name, Character))
    await alter(FIGHT, Fight.begun, actions_of_round(scene), scene[ACTIONS])


def check_fight(scene: Scene) -> None:
    """Only people in the scene start a fight, each on one side; someone removed from the scene later has left it."""
    fighters = scene[FIGHT].fighters
    for fighter in fighters:
        if Who(fighter, Character) not in scene and scene[FIGHT].round == 0:
            refuse(f"{fighter} is not here", rule=TRACKED.rule, what="fight")
    if len(set(fighters)) < len(fighters):
        refuse("nobody fights on two sides", what="fight")


@rule(f"{PANICKED}/freeze")
async def freeze(scene: Scene, who: Person) -> None:
    """Frozen in place, or screaming: no actions in this round, not even one that someone inspires."""
    await lay(who, Effect(Forbids("act"), until=ROUND_END), source="frozen")


def fight_between(scene: Scene, sides: Sides, turn: str) -> Fight:
    """A fight about to begin, or in its first round, in which everyone still has all their actions."""
    fight = Fight(sides)
    if not turn:
        return fight
    ordered = replace(fight, scores=in_this_order(in_turn(sides, turn)))
    return ordered.begun(actions_of_round(Scene(scene.state.but(FIGHT.name, ordered))), scene[ACTIONS])


@formula(ACTIONS.rule)
def actions_of_round(scene: Scene) -> Levels:
    """Two each, less those that were lost; someone who may not act has none."""
    fight = scene[FIGHT]
    acting = (name for name in fight.able(scene) if not is_forbidden(scene, Who(name, Character), "act"))
    return Levels({name: left for name in acting if (left := scene[ACTIONS] - fight.lost.get(name, 0)) > 0})


@rule("distemper.combat.initiative-order/results")
async def settle(scene: Scene) -> None:
    """Everyone in the group has acted: now the results take effect, in the order of the actions."""
    while scene[FIGHT].deferred:
        first = scene[FIGHT].deferred[0]
        await alter(FIGHT, Fight.settling)
        await first.call


@rule("distemper.combat.initiative-order/results/take-effect")
async def take_effect(scene: Scene, by: Person, result: Call[Any]) -> None:
    """What an action does to others: at once, or with the results of those who act at the same time."""
    if FIGHT in scene and scene[FIGHT].acts_with_another(scene, by.name):
        await alter(FIGHT, Fight.deferring, Deferred(by.name, result))
    else:
        await result


@rule("distemper.combat.resolution-phase", "distemper.combat-actions.reposition", UNINVOLVED.rule)
async def resolution(scene: Scene) -> None:
    """Delayed moves, highest initiative first; round-long effects end; a quiet round helps the next initiative."""
    for step in sorted(scene[FIGHT].steps, key=lambda step: -scene[FIGHT].scores.get(step.who, 0)):
        await step_now(Who(step.who, Character), Who(step.target, Character), step.closer, scene[MOVE])
    for name in scene[FIGHT].able(scene):
        if name not in scene[FIGHT].involved:
            await stay_out(Who(name, Character))
    await moment(ROUND_END)
    await alter(FIGHT, Fight.resolved)


@rule(UNINVOLVED.rule)
async def stay_out(scene: Scene, who: Person) -> None:
    """Someone who neither attacked nor was attacked has +1 on the next initiative roll only."""
    if not any(active.rule == UNINVOLVED.rule for active in applying(scene, who, INITIATIVE).active):
        bonus = Effect.from_plain({"adds": scene[UNINVOLVED], "when": [INITIATIVE], "uses": 1})
        await lay(who, bonus, source="a quiet round")


# --- turns ------------------------------------------------------------------------------------------------------------

TURN: Final = Prompt("action")


@frozen
class ActionRow:
    """A Combat Action and what it costs."""

    name: str
    cost: int


CATALOGUE: Final = rows("distemper.combat-actions.catalogue", "actions", ActionRow)
COMBAT_ACTIONS: Final[list[Action[Any]]] = []


def check_able(scene: Scene, who: Person) -> None:
    """Alive, and able to act at all."""
    check_alive(scene, who)
    applying(scene, who).check_allowed("act", rule=PANICKED)


def check_turn(scene: Scene, who: Person) -> None:
    """Able to act, and it is no one else's turn."""
    check_able(scene, who)
    if FIGHT in scene and scene[FIGHT].phase is Phase.INITIATIVE:
        refuse("initiative comes first", rule="distemper.combat.initiative-order", legal=("play the fight on",))
    if FIGHT in scene and not scene[FIGHT].acts(scene, who.name):
        turn = " and ".join(scene[FIGHT].group(scene)) or "nobody"
        refuse(f"it is not {who}'s turn", rule="distemper.combat.initiative-order", legal=(turn,))


@frozen
class Cost:
    """The price of a Combat Action, by its name in the catalogue. Outside a fight they cost nothing."""

    action: str

    def check(self, scene: Scene, who: Person) -> None:
        """Enough actions left to pay for it; someone berserk may only attack."""
        if FIGHT not in scene:
            return
        cost, left = scene[CATALOGUE].look(self.action).cost, scene[FIGHT].left[who.name]
        if left < cost:
            refuse(f"it takes {cost} Combat Actions, {left} left", rule=ACTIONS.rule)
        if who.name in scene[FIGHT].berserk and self.action != "Attack":
            refuse(f"{who} is berserk", rule=PANICKED, legal=("attack",))

    def cost(self, scene: Scene, who: Person) -> questions.OptionCost | None:
        """What the button says."""
        return (
            questions.OptionCost(scene[CATALOGUE].look(self.action).cost, "combat-actions") if FIGHT in scene else None
        )

    def pay(self, who: Person) -> Call[None]:
        return spend_actions(who, self.action)

    def end(self, who: Person) -> Call[None]:
        return moment(ACTION_END, who)


@rule(f"{ACTIONS.rule}/spend", ACTIONS.rule)
async def spend_actions(scene: Scene, who: Person, action: str) -> None:
    """An action is paid for before it is taken."""
    await alter(FIGHT, Fight.spending, who.name, scene[CATALOGUE][action].cost, if_present=True)


def combat_action(
    name: str,
    id_: str,
    *,
    key: str = "",
    bands: Bands[Any] = DONE,
    check: CheckFunction | tuple[CheckFunction, ...] = (),
    free: bool = False,
) -> Callable[[Body[P, T]], Rule[P, T]]:
    """Write a Combat Action: taken at one's turn and paid for as the catalogue says, or free at any time."""
    declare = action(
        key or name.casefold().replace(" ", "-"),
        id_,
        name=name,
        bands=bands,
        check=check,
        turn=check_able if free else check_turn,
        price=None if free else Cost(name),
    )

    def decorate(body: Body[P, T]) -> Rule[P, T]:
        written = declare(body)
        COMBAT_ACTIONS.append(action_of(written))
        return written

    return decorate


@rule(CATALOGUE.rule, ACTIONS.rule)
async def take_turn(scene: Scene, who: Person) -> str:
    """Choose one of the legal Combat Actions and take it. Someone who can do nothing loses the action."""
    legal = legal_choices(COMBAT_ACTIONS, scene, who)
    if not legal:
        await alter(FIGHT, Fight.spending, who.name, 1)
        return "nothing"
    chosen = await choose(who, TURN, legal)
    await chosen.call
    return chosen.key


def next_action_mods(scene: Scene, who: Person) -> Mods:
    """The modifiers on someone's next action, whatever it is."""
    return applying(scene, who, NEXT_ACTION).mods


# --- moving -----------------------------------------------------------------------------------------------------------

MOVE: Final = figure("distemper.combat-actions.move", "range_bands", int)


@rule("distemper.combat-actions.move/step")
async def step_now(scene: Scene, who: Person, target: Person, closer: bool, bands: int) -> None:
    """The range between two people changes. The pinned and the catatonic stay in place."""
    if FIGHT in scene and not scene[FIGHT].holders(who.name) and not is_forbidden(scene, who, "move"):
        await alter(FIGHT, Fight.moved, who.name, target.name, -bands if closer else bands)
