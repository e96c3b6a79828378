"""Combat: who is where and has how many AP, whose turn it is, what actions cost, and what interrupts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from enum import Enum
from functools import wraps
from typing import Annotated, Any, Final, ParamSpec, TypeAlias, TypeVar, cast

from referee.core import (
    DONE,
    Action,
    Bands,
    Body,
    Call,
    Card,
    CheckFunction,
    Levels,
    Open,
    Pick,
    Prompt,
    Rule,
    Scene,
    Who,
    action,
    action_of,
    advance_clock,
    alter,
    applying,
    cancel_deadline,
    choose,
    draw,
    figure,
    figures,
    formula,
    frozen,
    legal_choices,
    offer,
    pile_of,
    questions,
    refuse,
    rule,
    set_deadline,
    total,
)
from referee.core.effects import EFFECTS, Effects, Forbids, moment, remove_effects, use
from referee.core.rulebook import Figure
from referee.core.trace import note_row
from referee.kits.card_hands import DECK, DISCARDS, Owner, reshuffle_if_empty
from referee.kits.rounds import Rounds
from referee.kits.zones import ZoneMap
from referee.systems.dime.consequences import (
    COVER,
    DISABLED,
    TURN,
    heed_again,
    ignorable,
    ignore,
    lose_turn,
    move_mods,
    turn_mods,
)
from referee.systems.dime.damage import fight_for_life, resolve_hit
from referee.systems.dime.deck import MASTER, card_values
from referee.systems.dime.flip import check_can_act
from referee.systems.dime.gear import Item
from referee.systems.dime.sheet import Adventurer, Person, check_awake, severity_of, stat_level

P = ParamSpec("P")
T = TypeVar("T")

CONCENTRATE: Final = "Concentrate"
ATTACK: Final = "Attack"
INTERACT: Final = "Interact"
MOVE: Final = "Move"
REACTION: Final = "Reaction"
CATEGORIES: Final = (CONCENTRATE, ATTACK, INTERACT, MOVE, REACTION)

TURN_END: Final = "turn end"
AIM: Final = "Aim"
FIGHTING_BLIND: Final = "Fighting Blind"
ARM: Final = "arm"
LEG: Final = "leg"

START_AP: Final = figure("dime.combat.ap", "ap", int)
CARRY_OVER: Final = figure("dime.combat.ap", "carry_over", bool)
ACTION_COST: Final = figure("dime.combat.ap", "default_action_cost", int)
SURPRISED_AP: Final = figure("dime.combat.surprise", "starting_ap", int)
IN_A_ROW: Final = figure("dime.combat.turn-order", "max_in_row_per_side", int)
ACROSS_ROUNDS: Final = figure("dime.combat.turn-order", "row_runs_across_rounds", bool)
WAIT_AP: Final = figure("dime.reaction.wait", "ap", int)
NAMED_ACTIONS: Final = {
    category: figure("dime.combat.action-categories", category, tuple[str, ...]) for category in CATEGORIES
}

NEXT: Final = Prompt("next-turn")
DO: Final = Prompt("turn-action")
IGNORE: Final = Prompt("ignore")
RELEASE: Final = Prompt("release")
SUPPRESSION: Final = Prompt("suppression")


@figures("dime.attack.fighting-blind")
class FightingBlind:
    """What an attack without sight costs in addition, and what after looking around."""

    extra_ap: int
    extra_ap_after_observe: int


@figures("dime.attack.suppressive-fire")
class SuppressiveFire:
    """Which cards hit, and for which actions the rating counts how often."""

    red: tuple[str, ...]
    move_multiplier: int


class Trigger(Enum):
    """What kind of action sets off a held one."""

    ANY = "any"
    CONCENTRATE = CONCENTRATE
    ATTACK = ATTACK
    INTERACT = INTERACT
    MOVE = MOVE


# --- the fight --------------------------------------------------------------------------------------------------------


@frozen
class Held:
    """An action that somebody holds back: what it waits for, and what it is."""

    known_by = ("who",)
    who: str
    action: str
    """The key of the action."""
    set_off_by: str = ""
    """Whose action sets it off; anyone's, if nobody is named."""
    trigger: Trigger = Trigger.ANY
    in_words: str = ""
    """The trigger as it was said."""

    def is_set_off(self, by: str, category: str) -> bool:
        return self.who != by and self.set_off_by in ("", by) and self.trigger.value in (Trigger.ANY.value, category)


@frozen
class Suppression:
    """A zone under suppressive fire."""

    known_by = ("by", "zone")
    by: str
    zone: str
    weapon: str


@frozen
class ZoneFight(Rounds):
    """A fight in zones: AP instead of actions, and turns that are handed on. `left` are the AP everyone has."""

    zones: Open[ZoneMap] = field(default_factory=ZoneMap)
    starter: Open[str] = ""
    """Whoever starts the combat."""
    surprised: Open[frozenset[str]] = frozenset()
    turn: Open[str] = ""
    """Whose turn it is, or will be next."""
    turn_begun: Open[bool] = False
    """Whether that turn has begun."""
    fresh: Open[bool] = False
    """Whether a round has begun in which nobody has been asked yet what to ignore."""
    acted: Open[frozenset[str]] = frozenset()
    last_turn: Open[str] = ""
    """Who had the turn before."""
    in_a_row: Open[int] = 0
    """How many turns in a row the side of the last one has had."""
    released: Open[frozenset[str]] = frozenset()
    """Those who carry out a held action now."""
    held_back: Open[tuple[Held, ...]] = ()
    suppressed: Open[tuple[Suppression, ...]] = ()
    grapples: Open[tuple[tuple[str, str], ...]] = ()
    """Who has hold of whom."""
    blind: Open[frozenset[str]] = frozenset()
    """Those who fight without sight."""
    observed: Open[frozenset[str]] = frozenset()
    """Those who have looked around since their last attack."""
    tricked: Open[tuple[tuple[str, str], ...]] = ()
    """Who has tried to trick whom."""

    # --- who can do what ----------------------------------------------------------------------------------------------

    def is_able(self, scene: Scene, who: str) -> bool:
        fighter = Who(who, Adventurer)
        return who not in self.gone and fighter in scene and not scene[fighter].dead and not scene[fighter].unconscious

    def has_turns(self, scene: Scene, who: str) -> bool:
        """The able act, and the dying fight for their lives."""
        fighter = Who(who, Adventurer)
        dying = who not in self.gone and fighter in scene and scene[fighter].dying is not None
        return dying or self.is_able(scene, who)

    def acts(self, scene: Scene, who: str) -> bool:
        return self.turn_begun and self.turn == who and self.is_able(scene, who)

    def group(self, scene: Scene) -> tuple[str, ...]:
        return (self.turn,) if self.turn_begun and self.turn else ()

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.round == 0:
            return begin_combat()
        if self.fresh:
            return begin_round()
        if not self.turn:
            return hand_on()
        who = Who(self.turn, Adventurer)
        if not self.has_turns(scene, self.turn):
            return end_turn(who)
        if not self.turn_begun:
            return begin_turn(who)
        return take_turn(who) if self.is_able(scene, self.turn) else end_turn(who)

    # --- turns --------------------------------------------------------------------------------------------------------

    def starting(self, ap: Levels, first: str) -> ZoneFight:
        return replace(self, round=1, left=ap, turn=first, fresh=True)

    def handed_to(self, who: str) -> ZoneFight:
        return replace(self, turn=who, turn_begun=False)

    def new_round(self) -> ZoneFight:
        return replace(self, round=self.round + 1, acted=frozenset(), fresh=True)

    def asked(self) -> ZoneFight:
        return replace(self, fresh=False)

    def taking_turn(self, who: str, ap: int) -> ZoneFight:
        """A turn begins: new AP replace the old, and what was held back or kept up until now is over."""
        again = self.last_turn and self.side_of(who) == self.side_of(self.last_turn)
        return replace(
            self,
            turn_begun=True,
            left=self.left.but(**{who: ap}),
            in_a_row=self.in_a_row + 1 if again else 1,
            held_back=tuple(each for each in self.held_back if each.who != who),
            suppressed=tuple(each for each in self.suppressed if each.by != who),
        )

    def ending_turn(self, who: str) -> ZoneFight:
        return replace(self, turn="", turn_begun=False, acted=self.acted | {who}, last_turn=who)

    def not_taken(self) -> ZoneFight:
        """Whoever was to act next cannot any more."""
        return replace(self, turn="", turn_begun=False)

    # --- what was done ------------------------------------------------------------------------------------------------

    def moved(self, who: str, zone: str) -> ZoneFight:
        return replace(self, zones=self.zones.moved(who, zone))

    def waiting(self, held: Held) -> ZoneFight:
        return replace(self, held_back=(*(each for each in self.held_back if each.who != held.who), held))

    def releasing(self, who: str) -> ZoneFight:
        return replace(self, released=self.released | {who})

    def holding_back(self, who: str) -> ZoneFight:
        return replace(self, released=self.released - {who})

    def done_waiting(self, who: str) -> ZoneFight:
        return replace(self, held_back=tuple(each for each in self.held_back if each.who != who))

    def suppressing(self, suppression: Suppression) -> ZoneFight:
        return replace(self, suppressed=(*self.suppressed, suppression))

    def grappling(self, who: str, target: str) -> ZoneFight:
        return replace(self.freeing(who, target), grapples=(*self.freeing(who, target).grapples, (who, target)))

    def freeing(self, who: str, target: str) -> ZoneFight:
        return replace(self, grapples=tuple(each for each in self.grapples if set(each) != {who, target}))

    def grappled_with(self, scene: Scene, who: str) -> tuple[str, ...]:
        """Everyone in the same grapple; those who are out of the fight hold nobody."""
        able = self.able(scene)
        found, edge = {who}, [who]
        while edge:
            edge = [
                name
                for pair in self.grapples
                for name in pair
                if name not in found and not found.isdisjoint(pair) and set(pair) <= {*able}
            ]
            found.update(edge)
        return tuple(name for name in self.fighters if name in found and name != who)

    def opponents(self, scene: Scene, who: str) -> tuple[str, ...]:
        """Those whom somebody has hold of, or who have hold of them."""
        able, pairs = self.able(scene), (each for each in self.grapples if who in each)
        found = (one if other == who else other for one, other in pairs)
        return tuple(name for name in found if name in able and who in able)

    def seeing(self, who: str, blind: bool) -> ZoneFight:
        return replace(self, blind=self.blind | {who} if blind else self.blind - {who})

    def observing(self, who: str) -> ZoneFight:
        return replace(self, observed=self.observed | {who})

    def having_attacked(self, who: str) -> ZoneFight:
        return replace(self, observed=self.observed - {who})

    def tricking(self, who: str, target: str) -> ZoneFight:
        return replace(self, tricked=(*self.tricked, (who, target)))


FIGHT: Final = Who("fight", ZoneFight)


def person(name: str) -> Person:
    return Who(name, Adventurer)


def people(names: Iterable[str]) -> tuple[Person, ...]:
    return tuple(map(person, names))


@formula("dime.combat.zones")
def zones_apart(scene: Scene, one: Person, other: Person) -> int | None:
    """How many zones away somebody is; None out of sight. Outside a fight everyone is in the same place."""
    return scene[FIGHT].zones.distance(one.name, other.name) if FIGHT in scene else 0


def is_close(scene: Scene, one: Person, other: Person) -> bool:
    """The same zone is melee range."""
    return FIGHT not in scene or scene[FIGHT].zones.same_zone(one.name, other.name)


def is_foe(scene: Scene, who: Person, other: Person) -> bool:
    fight = scene[FIGHT]
    return who != other and fight.side_of(who.name) != fight.side_of(other.name)


def fighters(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    """The others who are up in the fight."""
    return tuple(each for each in people(scene[FIGHT].able(scene)) if each != who) if FIGHT in scene else ()


def foes(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in fighters(scene, who) if who is not None and is_foe(scene, who, each))


def allies(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in fighters(scene, who) if who is not None and not is_foe(scene, who, each))


# --- AP ---------------------------------------------------------------------------------------------------------------


def ap_left(scene: Scene, who: Person) -> int:
    return scene[FIGHT].left.get(who.name, 0) if FIGHT in scene else 0


@formula("dime.combat.ap")
def ap_of_turn(scene: Scene, who: Person) -> int:
    """3, less what being Disabled takes and what was given up to ignore something."""
    return max(0, scene[START_AP] + total(turn_mods(scene, who)))


@rule("dime.combat.ap/pay")
async def pay_ap(scene: Scene, who: Person, ap: int) -> None:
    """AP are paid from what somebody holds."""
    await alter(FIGHT, ZoneFight.spending, who.name, ap)


def check_ap(scene: Scene, who: Person, ap: int) -> None:
    if ap > ap_left(scene, who):
        refuse(f"it takes {ap} AP, {ap_left(scene, who)} left", rule="dime.combat.ap")


@formula("dime.attack.fighting-blind")
def blind_ap(scene: Scene, who: Person) -> int:
    """What fighting blind adds to an attack; less for somebody who has looked around."""
    if FIGHT not in scene or who.name not in scene[FIGHT].blind:
        return 0
    figures = scene[FightingBlind]
    return figures.extra_ap_after_observe if who.name in scene[FIGHT].observed else figures.extra_ap


@formula("dime.consequence.prone/price")
def move_price(scene: Scene, who: Person, ap: int) -> int:
    """A move action costs more for somebody Prone."""
    return ap + total(move_mods(scene, who))


def nothing_more(scene: Scene, who: Person) -> int:
    return 0


@formula("dime.combat.action-categories/category")
def category_of(scene: Scene, name: str) -> str:
    """The category of an action, by its name in the book; empty if the book does not list it."""
    found = next((each for each, names in NAMED_ACTIONS.items() if name in scene[names]), "")
    if found:
        note_row("dime.combat.action-categories", name)
    return found


@frozen
class ActionPoints:
    """The price of an action in AP: its own, what its kind adds, and what its category adds just now."""

    name: str
    own: Figure[int] | None
    more: Callable[[Scene, Person], int] = nothing_more

    def amount(self, scene: Scene, who: Person) -> int:
        if self.own is None:
            return 0
        category = category_of(scene, self.name)
        surcharge = move_price(scene, who, 0) if category == MOVE else 0
        blindly = blind_ap(scene, who) if category == category_of(scene, FIGHTING_BLIND) else 0
        return scene[self.own] + self.more(scene, who) + surcharge + blindly

    def check(self, scene: Scene, who: Person) -> None:
        check_ap(scene, who, self.amount(scene, who))

    def cost(self, scene: Scene, who: Person) -> questions.OptionCost | None:
        """What the button says."""
        return None if self.own is None else questions.OptionCost(self.amount(scene, who), "ap")

    def pay(self, who: Person) -> Call[None]:
        return pay_for(who, self.key)

    def end(self, who: Person) -> Call[None]:
        return done(who, self.name)

    @property
    def key(self) -> str:
        return next(key for key, each in PRICES.items() if each is self)


PRICES: Final[dict[str, ActionPoints]] = {}
"""What the actions cost, by their keys."""


@rule("dime.combat.ap/action", "dime.concentrate.aim")
async def pay_for(scene: Scene, who: Person, key: str) -> None:
    """An action is paid for before it is taken. Whatever is no attack and no aiming breaks the aim."""
    price = PRICES[key]
    if (amount := price.amount(scene, who)) > 0:
        await pay_ap(who, amount)
    if price.own is not None and price.name != AIM and category_of(scene, price.name) != ATTACK:
        await break_aim(who)


@rule("dime.combat.ap/done")
async def done(scene: Scene, who: Person, name: str) -> None:
    """After an attack, one has to look around again."""
    if FIGHT in scene and who.name in scene[FIGHT].observed and category_of(scene, name) == ATTACK:
        await alter(FIGHT, ZoneFight.having_attacked, who.name)


@rule("dime.concentrate.aim/break")
async def break_aim(scene: Scene, who: Person) -> None:
    """Any other action, and any reaction, breaks the aim."""
    laid = scene.get(EFFECTS, Effects()).lasting
    if any(each.on == who.name and each.source == AIM for each in laid):
        await remove_effects(who, AIM)


# --- declaring actions ------------------------------------------------------------------------------------------------

COMBAT_ACTIONS: Final[list[Action[Any]]] = []


def check_has_turn(scene: Scene, who: Person) -> None:
    """It is one's turn, or the moment for which one has waited."""
    check_awake(scene, who)
    if FIGHT not in scene:
        refuse("there is no fight", rule="dime.combat.ap")
    fight = scene[FIGHT]
    if not (fight.acts(scene, who.name) or who.name in fight.released):
        refuse(
            f"it is not {who}'s turn", rule="dime.combat.turn-order", legal=(fight.turn,) if fight.turn_begun else ()
        )


def check_turn(scene: Scene, who: Person) -> None:
    """It is one's turn, and nothing keeps one from acting."""
    check_has_turn(scene, who)
    check_can_act(scene, who)


def combat_action(
    name: str,
    *ids: str,
    key: str,
    lapsed: Any = None,
    bands: Bands[Any] = DONE,
    check: CheckFunction | tuple[CheckFunction, ...] = (),
    turn: CheckFunction = check_turn,
    cost: Figure[int] | None = ACTION_COST,
    more: Callable[[Scene, Person], int] = nothing_more,
) -> Callable[[Body[P, T]], Rule[P, T]]:
    """Write an action of combat, by its name in the book, paid in AP; free if `cost` is None.

    `lapsed` is its result if somebody is stopped in the middle of it.
    """
    price = PRICES[key] = ActionPoints(name, cost, more)
    declare = action(key, *ids, bands=bands, check=check, turn=turn, price=price)

    def decorate(body: Body[P, T]) -> Rule[P, T]:
        @wraps(body)
        async def unless_stopped(scene: Scene, *args: P.args, **kwargs: P.kwargs) -> T:
            """What interrupts an action comes before it."""
            who = cast("Person", args[0])
            if cost is not None and may_be_stopped(scene, who, category_of(scene, name)):
                await interrupt(who, category_of(scene, name))
                if not can_go_on(scene, who):
                    return cast("T", lapsed)
            return await body(scene, *args, **kwargs)

        written = declare(cast("Body[P, T]", unless_stopped))
        COMBAT_ACTIONS.append(action_of(written))
        return written

    return decorate


# --- rounds and turns -------------------------------------------------------------------------------------------------


@rule("dime.combat.turn-order/begin", "dime.combat.ap", "dime.combat.surprise")
async def begin_combat(scene: Scene) -> None:
    """Everyone has 3 AP, the surprised none; whoever starts the combat acts first."""
    check_fight(scene)
    fight = scene[FIGHT]
    able = fight.able(scene)
    ap = Levels({name: starting_ap(scene, person(name)) for name in able})
    first = fight.starter or (await choose(None, NEXT, people(able))).name
    await alter(FIGHT, ZoneFight.starting, ap, first)


@formula("dime.combat.surprise")
def starting_ap(scene: Scene, who: Person) -> int:
    """The AP somebody has as combat begins: none when surprised."""
    return scene[SURPRISED_AP] if who.name in scene[FIGHT].surprised else scene[START_AP]


def check_fight(scene: Scene) -> None:
    """Only people in the scene fight, each on one side and in a zone of the map."""
    fight = scene[FIGHT]
    for name in fight.fighters:
        if person(name) not in scene:
            refuse(f"{name} is not here", what="fight", rule="dime.combat.zones")
    if len(set(fight.fighters)) < len(fight.fighters):
        refuse("nobody fights on two sides", what="fight", rule="dime.combat.turn-order")
    if fight.starter and fight.starter not in fight.able(scene):
        refuse(f"{fight.starter} cannot start it", what="fight", rule="dime.combat.turn-order")
    fight.zones.check()


@rule("dime.combat.turn-order/round", "dime.consequence.dazed", "dime.consequence.fear")
async def begin_round(scene: Scene) -> None:
    """As a round begins, everyone may give up AP of the coming turn to ignore being Dazed, or a Fear."""
    for who in people(scene[FIGHT].able(scene)):
        for held in ignorable(scene, who):
            if await offer(who, IGNORE, (held.name,), about=held.subject):
                await ignore(who, held.name, held.subject)
    await alter(FIGHT, ZoneFight.asked)


@formula("dime.combat.turn-order")
def next_in_turn(scene: Scene) -> tuple[str, ...]:
    """Those who may act next: nobody twice in a round, and not more than two of a side in a row if others are left."""
    fight = scene[FIGHT]
    everyone = [name for name in fight.fighters if fight.has_turns(scene, name)]
    left = [name for name in everyone if name not in fight.acted]
    counts = bool(left) or scene[ACROSS_ROUNDS]
    left = left or everyone
    if fight.last_turn and counts and fight.in_a_row >= scene[IN_A_ROW]:
        others = [name for name in left if fight.side_of(name) != fight.side_of(fight.last_turn)]
        left = others or left
    return tuple(left)


@rule("dime.combat.turn-order")
async def hand_on(scene: Scene) -> str:
    """Whoever has acted picks who acts next; the last of a round picks who begins the next one."""
    fight = scene[FIGHT]
    here = fight.last_turn and fight.has_turns(scene, fight.last_turn)
    chosen = await choose(person(fight.last_turn) if here else None, NEXT, people(next_in_turn(scene)))
    over = all(name in fight.acted for name in fight.fighters if fight.has_turns(scene, name))
    await alter(FIGHT, ZoneFight.handed_to, chosen.name)
    if over:
        await end_round()
    return chosen.name


@rule("dime.combat.turn-order/round-end")
async def end_round(scene: Scene) -> None:
    """A round has passed: what was ignored counts again, and Bleeding takes its toll as the next one begins."""
    for who in people(scene[FIGHT].fighters):
        if who in scene:
            await heed_again(who)
            if scene[who].dying is not None and scene[FIGHT].has_turns(scene, who.name):
                await await_turn(who)
    await alter(FIGHT, ZoneFight.new_round)
    await advance_clock(1, timekeeper(scene))


def timekeeper(scene: Scene) -> Who[Any]:
    """The encounter in which a round passes: inside something without a time of its own, that one."""
    outer: object = scene.read(scene[FIGHT].within)
    return Who(scene[FIGHT].within, type(outer)) if getattr(outer, "timeless", False) else FIGHT


@rule("dime.damage.dying/turn")
async def await_turn(scene: Scene, who: Person) -> None:
    """In a fight, a dying character flips on her turn, and not as the round begins."""
    await cancel_deadline(who, fight_for_life)
    await set_deadline(2, who, fight_for_life, 1)


@rule("dime.combat.ap/turn", "dime.consequence.disabled", "dime.damage.dying")
async def begin_turn(scene: Scene, who: Person) -> None:
    """New AP replace the old. A turn without AP lowers being Disabled; the dying flip for their lives."""
    if scene[who].dying is not None:
        await alter(FIGHT, ZoneFight.taking_turn, who.name, 0)
        await cancel_deadline(who, fight_for_life)
        await fight_for_life(who)
        await end_turn(who)
        return
    ap = ap_of_turn(scene, who) + (ap_left(scene, who) if scene[CARRY_OVER] else 0)
    await use(applying(scene, who, TURN))
    await alter(FIGHT, ZoneFight.taking_turn, who.name, ap)
    if ap == 0 and severity_of(scene, who, DISABLED):
        await lose_turn(who)


@rule("dime.combat.action-categories", "dime.combat.ap")
async def take_turn(scene: Scene, who: Person) -> str:
    """Take an action, or end the turn and keep what AP are left for reactions."""
    chosen = await choose(who, DO, legal_choices(COMBAT_ACTIONS, scene, who))
    await chosen.call
    return chosen.key


@rule("dime.combat.turn-order/end")
async def end_turn(scene: Scene, who: Person) -> None:
    """The turn is over; what lasted until then ends."""
    if not scene[FIGHT].turn_begun:
        await alter(FIGHT, ZoneFight.not_taken)
        return
    await moment(TURN_END, who)
    await alter(FIGHT, ZoneFight.ending_turn, who.name)


@combat_action("end turn", "dime.combat.turn-order/stop", key="end-turn", turn=check_has_turn, cost=None)
async def stop(scene: Scene, who: Person) -> None:
    """End the turn; AP that are left are kept for reactions until the next."""
    await end_turn(who)


# --- what interrupts an action ----------------------------------------------------------------------------------------


def may_be_stopped(scene: Scene, who: Person, category: str) -> bool:
    """Whether somebody waits for such an action, or it is taken under fire."""
    fight = scene[FIGHT]
    return any(each.is_set_off(who.name, category) for each in fight.held_back) or bool(fire_upon(scene, who))


def can_go_on(scene: Scene, who: Person) -> bool:
    """Whether somebody still can do what they have begun."""
    able = scene[FIGHT].is_able(scene, who.name)
    return able and not any(each.effect.does == Forbids("act") for each in applying(scene, who).active)


@rule("dime.reaction.wait/interrupt", "dime.attack.suppressive-fire")
async def interrupt(scene: Scene, who: Person, category: str) -> None:
    """Held actions come first, then fire upon the zone."""
    for held in scene[FIGHT].held_back:
        if held.is_set_off(who.name, category) and scene[FIGHT].is_able(scene, held.who):
            await release(person(held.who), held.action)
    for fire in fire_upon(scene, who):
        if can_go_on(scene, who):
            await come_under_fire(who, fire, category)


@rule("dime.reaction.wait/release", "dime.reaction.wait")
async def release(scene: Scene, who: Person, key: str) -> bool:
    """The trigger has come: the held action is paid for and carried out at once, if there are AP left for it."""
    await alter(FIGHT, ZoneFight.releasing, who.name)
    ways = legal_choices((each for each in COMBAT_ACTIONS if each.key == key), scene, who)
    chosen = await offer(who, RELEASE, ways, reaction=True)
    if chosen is not None:
        await alter(FIGHT, ZoneFight.done_waiting, who.name)
        await chosen.call
    await alter(FIGHT, ZoneFight.holding_back, who.name)
    return chosen is not None


def fire_upon(scene: Scene, who: Person) -> tuple[Suppression, ...]:
    """The suppressive fire of others upon the zone that somebody is in."""
    fight = scene[FIGHT]
    here = fight.zones.where(who.name)
    return tuple(each for each in fight.suppressed if each.zone == here and each.by != who.name)


@formula("dime.attack.suppressive-fire")
def fire_rating(scene: Scene, who: Person, fire: Suppression, category: str) -> int:
    """The Auto rating, twice for move actions, less the severity of Cover."""
    rating = scene[person(fire.by)].item(fire.weapon).rating(scene, "Auto")
    times = scene[SuppressiveFire].move_multiplier if category == MOVE else 1
    return rating * times - severity_of(scene, who, COVER)


@rule("dime.attack.suppressive-fire/card")
async def come_under_fire(scene: Scene, who: Person, fire: Suppression, category: str) -> int:
    """The game master turns a card: a red number up to the rating hits. Returns the damage."""
    await reshuffle_if_empty(scene, Owner(MASTER))
    card = await draw(SUPPRESSION, pile_of(MASTER, DECK), pile_of(MASTER, DISCARDS))
    if not fire_hits(scene, card, fire_rating(scene, who, fire, category)):
        return 0
    shooter = person(fire.by)
    strength = stat_level(scene, shooter, "Strength")
    return await resolve_hit(who, scene[shooter].item(fire.weapon), card.suit, strength)


def fire_hits(scene: Scene, card: Card, rating: int) -> bool:
    values = card_values(scene)
    number = card.rank in values.numbers
    return number and card.suit in scene[SuppressiveFire].red and values.worth(card) <= rating


def held_actions(scene: Scene, who: Person) -> tuple[str, ...]:
    """The actions that can be held back."""
    return tuple(dict.fromkeys(each.key for each in COMBAT_ACTIONS if each.key not in ("wait", "end-turn")))


Holdable: TypeAlias = Annotated[str, Pick(held_actions)]


@combat_action("Wait", "dime.reaction.wait", key="wait", cost=WAIT_AP)
async def wait(
    scene: Scene,
    who: Person,
    held_action: Holdable,
    set_off_by: Person | None = None,
    trigger: Trigger = Trigger.ANY,
    in_words: str = "",
) -> None:
    """Name a trigger and an action; when somebody sets it off, the action is paid for and taken at once."""
    await alter(
        FIGHT, ZoneFight.waiting, Held(who.name, held_action, set_off_by.name if set_off_by else "", trigger, in_words)
    )


# --- the game master's part -------------------------------------------------------------------------------------------

Fighter: TypeAlias = Annotated[Person, Pick(lambda scene, who: fighters(scene, None))]
ZoneName: TypeAlias = Annotated[str, Pick(lambda scene, who: scene[FIGHT].zones.names if FIGHT in scene else ())]


def check_a_fight(scene: Scene, _: None) -> None:
    if FIGHT not in scene:
        refuse("there is no fight", rule="dime.combat.ap")


@action("blind", "dime.attack.fighting-blind/set", master=True, check=check_a_fight)
async def set_blind(scene: Scene, who: Fighter, blind: bool = True) -> None:
    """The game master says who fights without sight: in the dark, in smoke, with blood in the eyes."""
    await alter(FIGHT, ZoneFight.seeing, who.name, blind)


@action("place", "dime.combat.zones/place", master=True, check=check_a_fight)
async def place(scene: Scene, who: Fighter, zone: ZoneName) -> None:
    """The game master puts somebody into a zone."""
    await alter(FIGHT, ZoneFight.moved, who.name, zone)


def free_hands(scene: Scene, who: Person) -> int:
    """Two, less the arms that cannot be used."""
    lamed = sum(each.effect.does == Forbids(ARM) for each in applying(scene, who).active)
    return max(0, 2 - lamed)


def hands_for(scene: Scene, item: Item) -> int:
    return item.rating(scene, "Hands")


def in_hand(scene: Scene, who: Person) -> tuple[Item, ...]:
    return tuple(each for each in scene[who].items if each.held)
