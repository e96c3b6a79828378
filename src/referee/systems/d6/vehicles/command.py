"""Big ships under command: the captain's orders, the posts that carry them out phase by phase, and salvos."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Annotated, Any, Final, ParamSpec, TypeAlias, TypeVar

from referee.core import (
    YES,
    Action,
    Applies,
    Body,
    Call,
    CheckFunction,
    Levels,
    Mod,
    Mods,
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
    change,
    choose,
    figure,
    formula,
    frozen,
    hand_over,
    legal_choices,
    offer,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.effects import moment
from referee.core.questions import Choose
from referee.kits.dice_codes import Code
from referee.kits.posts import Phased, PostOrder, ShipSystem, holder
from referee.kits.rounds import in_this_order
from referee.systems.d6.codes import code_mods, mean, own_code
from referee.systems.d6.combat.ammunition import fire
from referee.systems.d6.combat.ranged import SHOT, Aim, ShotResult, resolve_shot, shooting_skill, shot_of
from referee.systems.d6.combat.ranges import check_ranged, check_reach
from referee.systems.d6.combat.reactions import ReactionWay
from referee.systems.d6.health import end_of_round, living
from referee.systems.d6.resolution import TESTED, TestResult, check_able, multiple_actions, roll_against
from referee.systems.d6.rolls import ANY_ROLL, ROUND_END, roll_for
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.tasks import COMMAND_SKILL, command_row
from referee.systems.d6.vehicles.crews import is_up, is_workable, position_of
from referee.systems.d6.vehicles.gunnery import arcs_of, average_mods, check_arc, served_weapons
from referee.systems.d6.vehicles.maneuvers import check_maneuver, maneuvers
from referee.systems.d6.vehicles.movement import CONTROLLED, ControlResult, Drive, DriveCourse, Terrain, control
from referee.systems.d6.vehicles.movers import piloting_skill, set_motion, signature_of
from referee.systems.d6.vehicles.speeds import speeds
from referee.systems.d6.vehicles.systems import CALLED, is_out_of_order, system_effect, systems_to_aim_at
from referee.systems.d6.vehicles.targets import ALSO_REACTS, ways_to_evade
from referee.systems.d6.vehicles.vehicle import PILOT, Craft, Vehicle, craft_with, vehicles

P = ParamSpec("P")
T = TypeVar("T")

ORDERS: Final = "d6.crew.orders"
DECLARE: Final = "d6.crew.declarations"
RESOLVE: Final = "d6.crew.resolving"
SALVO: Final = "d6.crew.salvo"
INITIATIVE: Final = Prompt("initiative")
ORDER: Final = Prompt("ship-order")
STATION: Final = Prompt("station")
UNSPENT: Final = Prompt("unspent-order")
BEGIN, COMMANDING, MOVEMENT, COMBAT, SENSORS = "begin new round", "orders", "movement", "combat", "sensors"
CAPTAIN: Final = "captain"
HELM: Final = "Helm"
FIRE, LOCATE, REACT, BONUS, SPEED, MANEUVER = "fire", "locate", "react", "bonus", "change speed", "maneuver"


@frozen
class OfficerRow:
    """What an officer's Command, so many pips below the captain's, adds to the orders of a round."""

    name: str
    orders: int


@frozen
class OrderRow:
    """Something that is ordered: at which control position, for how many orders, and whether it is an action."""

    name: str
    orders: int
    position: str = ""
    action: bool = False


OFFICERS: Final = rows(ORDERS, "per_officer", OfficerRow, by=("min", "max"))
BONUS_DICE: Final = figure(ORDERS, "bonus_dice", int)
COSTS: Final = rows(DECLARE, "costs", OrderRow)
SPENT_DICE: Final = figure(RESOLVE, "dice", int)
TACTICS: Final = figure("d6.crew.initiative", "skill", str)
GUNS_AT_LEAST: Final = figure(SALVO, "guns_at_least", int)
SENSING: Final = figure(DECLARE, "sensing", str)


@frozen
class ShipCombat(Phased):
    """Big ships against each other: orders left to each captain, and how often each helm has reacted."""

    gap: Open[float] = 500
    """How far apart the two sides are, in metres."""
    terrain: Open[str] = "Clear"
    orders_left: Open[Levels] = field(default_factory=Levels)
    """Orders that captains have left."""
    commanded: Open[frozenset[str]] = frozenset()
    """Ships whose orders are given."""
    steered: Open[frozenset[str]] = frozenset()
    """Ships that have moved in this round."""

    def is_able(self, scene: Scene, who: str) -> bool:
        """A ship that still works, with somebody to command it."""
        craft = Who(who, Vehicle)
        if who in self.gone or craft not in scene or is_out_of_order(scene, craft):
            return False
        return is_workable(scene, craft) and captain_of(scene, craft) is not None

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        able = self.in_order(self.able(scene))
        if self.phase in ("", BEGIN):
            return begin_ship_round()
        if self.phase == COMMANDING:
            waiting = self.uncommanded(able)
            return give_orders(Who(waiting[0], Vehicle)) if waiting else enter(MOVEMENT)
        if self.phase == MOVEMENT:
            waiting = tuple(name for name in able if name not in self.steered)
            return take_station(Who(waiting[0], Vehicle), HELM) if waiting else enter(COMBAT)
        what, position, then = (FIRE, "Combat", SENSORS) if self.phase == COMBAT else (LOCATE, "Sensors", "")
        waiting = tuple(name for name in able if self.ordered(name, what))
        if waiting:
            return take_station(Who(waiting[0], Vehicle), position)
        return enter(then) if then else end_ship_round(Who(me.name, ShipCombat))

    def uncommanded(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The ships that still wait for orders, the lowest initiative first."""
        waiting = (name for name in names if name not in self.commanded and self.orders_left.get(name, 0) > 0)
        return self.in_order(waiting, best_first=False)

    def commanding(self, orders: dict[str, int], totals: Levels) -> ShipCombat:
        """A round begins: the order of the captains, and how many orders each has."""
        begun = self.beginning(dict.fromkeys(orders, 1), totals)
        fresh = replace(begun, orders=(), commanded=frozenset(), steered=frozenset(), reactions=Levels())
        return replace(fresh, orders_left=Levels(orders), phase=COMMANDING)

    def spending_orders(self, ship: str, orders: int) -> ShipCombat:
        return replace(self, orders_left=self.orders_left.but(**{ship: self.orders_left.get(ship, 0) - orders}))

    def all_ordered(self, ship: str) -> ShipCombat:
        return replace(self, commanded=self.commanded | {ship})

    def moved(self, ship: str, gap: float) -> ShipCombat:
        return replace(self, steered=self.steered | {ship}, gap=max(0.0, gap))

    # --- what a screen shows ------------------------------------------------------------------------------------------

    def at(self, scene: Scene, mover: str, post: str) -> tuple[str, ...]:
        """Who is at a post: the captain, or those at a control position."""
        craft = Who(mover, Vehicle)
        if post != CAPTAIN:
            found = (each for each in scene[craft].posts if position_of(each) == post.casefold())
            return tuple(dict.fromkeys(each.who for each in found))
        captain = captain_of(scene, craft)
        return () if captain is None else (captain.name,)

    def acts_now(self, scene: Scene, mover: str, post: str) -> bool:
        """Whether a post is to act next."""
        if self.phase == COMMANDING:
            return post == CAPTAIN and self.uncommanded(self.able(scene))[:1] == (mover,)
        if self.phase == MOVEMENT:
            waiting = tuple(name for name in self.in_order(self.able(scene)) if name not in self.steered)
            return post == HELM and waiting[:1] == (mover,)
        what, position = (FIRE, "Combat") if self.phase == COMBAT else (LOCATE, "Sensors")
        waiting = tuple(name for name in self.in_order(self.able(scene)) if self.ordered(name, what))
        return self.phase in (COMBAT, SENSORS) and post == position and waiting[:1] == (mover,)

    def systems(self, scene: Scene, mover: str) -> tuple[ShipSystem, ...]:
        """The Body, the orders that are left, and each system with its damage."""
        of, left = scene[Who(mover, Vehicle)], self.orders_left.get(mover, 0)
        whole = ShipSystem("Body", str(of.body), of.damage, bool(of.damage))
        named = {each.system: each for each in of.systems}
        harmed = ((each, system_effect(scene, each)) for each in named.values())
        broken = (
            ShipSystem(each.weapon or each.system, each.level, does.says if does else "", each.level != "Minor")
            for each, does in harmed
        )
        guns = (ShipSystem(each.name, f"{each.amount:g}", str(each.damage or "")) for each in of.weapons)
        return (whole, ShipSystem("Orders", str(left)), *guns, *broken)


BATTLE: Final = Who("ship combat", ShipCombat)


# --- who commands -----------------------------------------------------------------------------------------------------


def captain_of(scene: Scene, craft: Craft) -> Person | None:
    """Who commands: the captain, or else the pilot, as long as they are up."""
    posts = scene[craft].posts
    name = holder(posts, CAPTAIN, PILOT)
    who = Who(name, Hero)
    return who if name and who in scene and is_up(scene, name) else None


def officer_at(scene: Scene, craft: Craft, position: str) -> Person:
    """Whoever leads a control position; where nobody does who is up, the captain gives the word."""
    led = sorted((p for p in scene[craft].posts if position_of(p) == position.casefold()), key=lambda p: not p.officer)
    found = (Who(each.who, Hero) for each in led if is_up(scene, each.who))
    return next((who for who in found if who in scene), captain_of(scene, craft) or Who("", Hero))


@formula(ORDERS)
def orders_of_a_round(scene: Scene, craft: Craft) -> int:
    """The dice of the captain's Command, and what each officer makes of them; never fewer than none."""
    captain, per_die = captain_of(scene, craft), scene[PIPS_PER_DIE]
    if captain is None:
        return 0
    mine = own_code(scene, captain, scene[COMMAND_SKILL])
    names = {each.who for each in scene[craft].posts if each.officer} - {captain.name}
    officers = (Who(name, Hero) for name in sorted(names))
    below = (
        max(0, mine.in_pips(per_die) - own_code(scene, who, scene[COMMAND_SKILL]).in_pips(per_die))
        for who in officers
        if who in scene and is_up(scene, who.name)
    )
    return max(0, mine.dice + sum(scene[OFFICERS].at(each).orders for each in below))


@formula(f"{RESOLVE}/crew", RESOLVE)
def crew_code(scene: Scene, craft: Craft, skill: str) -> Code | None:
    """The average skill of a crew: as it is written down, or the mean of those at posts."""
    written = scene[craft].crew_skills.get(skill)
    if written is not None:
        return written.code
    people = (Who(name, Hero) for name in scene[craft].at_posts)
    codes = tuple(own_code(scene, who, skill) for who in people if who in scene)
    return mean(scene, codes).code if len(codes) > 1 else None


def crew_mods(scene: Scene, craft: Craft, who: Person, skill: str, position: str) -> Mods:
    """The crew's average in place of the officer's own skill, and a die for each order that helps the position."""
    helped = len(scene[BATTLE].ordered(craft.name, BONUS, position)) if BATTLE in scene else 0
    bonus = (Mod(helped * scene[BONUS_DICE], "ordered", ORDERS),) if helped else ()
    return (*average_mods(scene, who, skill, crew_code(scene, craft, skill)), *bonus)


# --- the round --------------------------------------------------------------------------------------------------------


@rule("d6.crew.initiative", ORDERS)
async def begin_ship_round(scene: Scene) -> None:
    """Every captain rolls Strategy and Tactics, and has the orders of the round."""
    totals, orders = dict[str, int](), dict[str, int]()
    for craft in (Who(name, Vehicle) for name in scene[BATTLE].able(scene)):
        captain = captain_of(scene, craft)
        if captain is not None:
            rolled = await roll_for(captain, scene[TACTICS], (), (ANY_ROLL, "initiative"), prompt=INITIATIVE)
            totals[craft.name], orders[craft.name] = rolled.total, orders_of_a_round(scene, craft)
    names = sorted(totals, key=lambda name: (-totals[name], name))
    await change(BATTLE, scene[BATTLE].commanding(orders, in_this_order(names)))


@rule(f"{RESOLVE}/phase", RESOLVE)
async def enter(scene: Scene, phase: str) -> None:
    """The next posts act."""
    await alter(BATTLE, ShipCombat.entering, phase)


@rule(f"{RESOLVE}/end", RESOLVE)
async def end_ship_round(scene: Scene, me: Who[ShipCombat]) -> None:
    """Orders that are left lapse; what lasts for a round ends."""
    await moment(ROUND_END)
    for who in living(scene):
        await end_of_round(who)
    for craft in (Who(name, Vehicle) for name in scene[BATTLE].fighters):
        if craft in scene:
            await set_motion(craft, scene[craft].motion.round_over())
    await alter(BATTLE, ShipCombat.entering, BEGIN)
    await advance_clock(1, me)


# --- orders -----------------------------------------------------------------------------------------------------------

ORDER_ACTIONS: Final[list[Action[Any]]] = []
STATION_ACTIONS: Final[list[Action[Any]]] = []


def own_ship(scene: Scene, who: Person) -> Craft:
    return craft_with(scene, who.name) or refuse(f"{who} is aboard nothing", rule=ORDERS)


def check_commands(scene: Scene, who: Person) -> None:
    """A captain whose ship has not been given all its orders, in turn: the lowest initiative begins."""
    check_able(scene, who)
    if BATTLE not in scene:
        refuse("no big ships fight", rule=ORDERS, legal=("begin-ship-combat",))
    battle, ship = scene[BATTLE], own_ship(scene, who)
    if captain_of(scene, ship) != who:
        refuse(f"{who} does not command {ship}", rule=ORDERS)
    waiting = battle.uncommanded(battle.able(scene))
    if battle.phase != COMMANDING or not waiting:
        refuse("orders are given before anybody carries one out", rule=DECLARE)
    if waiting[0] != ship.name:
        refuse(f"{waiting[0]} is given its orders first", rule=DECLARE, legal=waiting[:1])


def listed(into: list[Action[Any]], key: str, *ids: str, **more: Any) -> Callable[[Body[P, T]], Rule[P, T]]:
    """Write an action that is among the choices of a captain, or of a station."""

    def decorate(body: Body[P, T]) -> Rule[P, T]:
        written: Rule[P, T] = action(key, *ids, **more)(body)
        into.append(action_of(written))
        return written

    return decorate


def orders_to_give(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(row.name for row in scene[COSTS] if row.orders)


def positions_for(scene: Scene, who: Person, order: str) -> tuple[str, ...]:
    """Where an order may go: its own position, or any for a bonus."""
    own = scene[COSTS].look(order).position
    return (own,) if own else tuple(dict.fromkeys(row.position for row in scene[COSTS] if row.position))


def enemies(scene: Scene, who: Person, order: str) -> tuple[Craft | None, ...]:
    """Whom it is about: a ship of another side for a shot or a search; otherwise nobody."""
    ship = craft_with(scene, who.name)
    if not scene[COSTS].look(order).action or ship is None or BATTLE not in scene:
        return (None,)
    battle = scene[BATTLE]
    mine = battle.side_of(ship.name)
    return tuple(Who(name, Vehicle) for name in battle.able(scene) if name not in mine)


@formula(DECLARE)
def check_order(scene: Scene, who: Person, order: str) -> None:
    """As long as there are orders left; speed and maneuvers are ordered once."""
    ship, battle, row = own_ship(scene, who), scene[BATTLE], scene[COSTS].look(order)
    if battle.orders_left.get(ship.name, 0) < row.orders:
        refuse("no order is left", what=order, legal=("orders-given",))
    if order in (SPEED, MANEUVER) and battle.ordered(ship.name, order):
        refuse("it has been ordered", what=order)


@listed(ORDER_ACTIONS, "give-order", f"{DECLARE}/give", DECLARE, turn=check_commands, check=check_order)
async def give_order(
    scene: Scene,
    who: Person,
    order: Annotated[str, Pick(orders_to_give)],
    position: Annotated[str, Pick(positions_for)],
    target: Annotated[Craft | None, Pick(enemies)] = None,
) -> int:
    """Give an order to a control position; how many are left."""
    ship, row = own_ship(scene, who), scene[COSTS][order]
    await alter(BATTLE, ShipCombat.spending_orders, ship.name, row.orders)
    await alter(BATTLE, ShipCombat.giving, ship.name, position, order, target.name if target else "")
    return scene[BATTLE].orders_left.get(ship.name, 0)


@listed(ORDER_ACTIONS, "orders-given", f"{DECLARE}/done", DECLARE, turn=check_commands)
async def orders_given(scene: Scene, who: Person) -> None:
    """Keep the other orders: each may better a roll of this round by a die."""
    await alter(BATTLE, ShipCombat.all_ordered, own_ship(scene, who).name)


@rule(f"{DECLARE}/ask", DECLARE)
async def give_orders(scene: Scene, craft: Craft) -> str:
    """The captain gives one order after the other."""
    captain = captain_of(scene, craft) or Who("", Hero)
    chosen = await choose(
        captain, ORDER, legal_choices(ORDER_ACTIONS, scene, captain), default=action_of(orders_given).by(captain)
    )
    await chosen.call
    return chosen.key


def may_spend(scene: Scene, craft: Craft) -> Choose[bool | None]:
    """An order that is left may better a roll by a die."""

    def check(_: Any) -> None:
        if BATTLE not in scene or scene[BATTLE].orders_left.get(craft.name, 0) < 1:
            refuse("no order is left", rule=RESOLVE)

    return offer(captain_of(scene, craft) or Who("", Hero), UNSPENT, YES, check=check)


@rule(f"{RESOLVE}/unspent", RESOLVE)
async def spend_order(scene: Scene, craft: Craft) -> Mods:
    """One order that is left, for one action: a die more."""
    if not await may_spend(scene, craft):
        return ()
    await alter(BATTLE, ShipCombat.spending_orders, craft.name, 1)
    return (Mod(scene[SPENT_DICE], "an order kept", RESOLVE),)


# --- stations ---------------------------------------------------------------------------------------------------------


@rule(RESOLVE)
async def take_station(scene: Scene, craft: Craft, position: str) -> str:
    """Whoever leads the position says how its order is carried out."""
    who = officer_at(scene, craft, position)
    legal = legal_choices(STATION_ACTIONS, scene, who)
    chosen = await choose(who, STATION, legal, default=action_of(let_go).by(who))
    await chosen.call
    return chosen.key


def station(phase: str, position: str) -> CheckFunction:
    """Whose station it is: whoever leads the position, in its phase, if something was ordered there."""

    def check_station(scene: Scene, who: Person) -> None:
        """At one's post, in its phase."""
        check_able(scene, who)
        if BATTLE not in scene or scene[BATTLE].phase != phase:
            refuse(f"this is done in the phase {phase}", rule=RESOLVE)
        ship, battle = own_ship(scene, who), scene[BATTLE]
        if officer_at(scene, ship, position) != who:
            refuse(f"{officer_at(scene, ship, position)} leads {position}", rule=RESOLVE)
        if (phase == MOVEMENT and ship.name in battle.steered) or (phase != MOVEMENT and not task(scene, ship)):
            refuse("nothing is ordered any more", rule=RESOLVE, legal=("next round",))

    return check_station


def task(scene: Scene, ship: Craft) -> PostOrder | None:
    """The order that a station carries out next."""
    what = FIRE if scene[BATTLE].phase == COMBAT else LOCATE
    return next(iter(scene[BATTLE].ordered(ship.name, what)), None)


def ordered_speeds(scene: Scene, who: Person) -> tuple[str, ...]:
    """Speeds within reach, if Engineering was ordered to change it; otherwise the one it has."""
    ship = craft_with(scene, who.name)
    if ship is None or BATTLE not in scene:
        return ()
    return speeds(scene, who) if scene[BATTLE].ordered(ship.name, SPEED) else (scene[ship].motion.speed,)


def ordered_maneuvers(scene: Scene, who: Person) -> tuple[str, ...]:
    """Maneuvers, if the helm was ordered to do them."""
    ship = craft_with(scene, who.name)
    ordered = ship is not None and BATTLE in scene and scene[BATTLE].ordered(ship.name, MANEUVER)
    return maneuvers(scene, who) if ordered else ("",)


COURSES: Final = {"keep the distance": 0, "closer": -1, "away": 1}


@listed(
    STATION_ACTIONS,
    "steer-ship",
    f"{RESOLVE}/movement",
    RESOLVE,
    bands=CONTROLLED,
    turn=station(MOVEMENT, HELM),
    check=check_maneuver,
)
async def steer_ship(
    scene: Scene,
    who: Person,
    speed: Annotated[str, Pick(ordered_speeds)],
    maneuver: Annotated[str, Pick(ordered_maneuvers)] = "",
    course: Annotated[str, Pick(lambda scene, who: tuple(COURSES))] = "keep the distance",
) -> ControlResult:
    """The movement of the round, which no one has to order: a changed speed and maneuvers have been."""
    ship = own_ship(scene, who)
    kept = await spend_order(ship)
    mods = (*crew_mods(scene, ship, who, piloting_skill(scene, ship, who), HELM), *kept)
    drive = Drive(speed, (maneuver,) if maneuver else (), DriveCourse(scene[BATTLE].terrain, mods=mods))
    found = await control(who, ship, drive)
    gap = scene[BATTLE].gap + COURSES[course] * (found.metres if found.in_control else 0)
    await alter(BATTLE, ShipCombat.moved, ship.name, gap)
    return found


def ordered_target(scene: Scene, ship: Craft) -> Craft:
    order = task(scene, ship)
    return Who(order.about if order else "", Vehicle)


@formula(SALVO)
def guns_for_salvo(scene: Scene, who: Person, weapon: str, shots: int) -> int:
    """How many guns fire at one target: all of the kind that bear, shared among the ordered shots."""
    found = next((each for each in served_weapons(scene, who) if each.name == weapon), None)
    return int(found.amount) // max(1, shots) if found is not None else 0


@formula(f"{SALVO}/closest", SALVO)
def closest_in_scale(scene: Scene, who: Person, target: Craft) -> str:
    """The weapons closest in scale to the target."""
    scale, mine = scene[target].scale, served_weapons(scene, who)
    return min(mine, key=lambda each: abs((each.scale or 1) - scale)).name if mine else ""


@formula(f"{SALVO}/bonus", SALVO, "d6.tasks.command-table-use")
def salvo_mods(scene: Scene, who: Person, guns: int, shots: int) -> Mods:
    """The officer's Command, less for several shots, as far as the number of guns allows."""
    if guns < scene[GUNS_AT_LEAST]:
        return ()
    several, per_die = multiple_actions(scene, shots), scene[PIPS_PER_DIE]
    command = own_code(scene, who, scene[COMMAND_SKILL]) + Code(sum(mod.amount for mod in several))
    most = Code(command_row(scene, guns).bonus)
    worth = min(command, most, key=lambda code: code.in_pips(per_die))
    return code_mods(worth, f"salvo of {guns}", SALVO) if worth.in_pips(per_die) > 0 else ()


def salvo_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """The weapons closest in scale come first."""
    if BATTLE not in scene or craft_with(scene, who.name) is None:
        return ()
    target = ordered_target(scene, own_ship(scene, who))
    scale = scene[target].scale if target in scene else 1
    return tuple(each.name for each in sorted(served_weapons(scene, who), key=lambda w: abs((w.scale or 1) - scale)))


def check_gun(scene: Scene, who: Person, weapon: str) -> None:
    check_ranged(scene, who, weapon)
    check_reach(scene, who, weapon, scene[BATTLE].gap)


def shots_ordered(scene: Scene, ship: Craft) -> int:
    """How many shots were ordered for this round, fired or not."""
    return sum(each.mover == ship.name and each.what == FIRE for each in scene[BATTLE].orders)


def ordered_systems(scene: Scene, who: Person) -> tuple[str, ...]:
    """What of the target that was ordered may be aimed at."""
    if BATTLE not in scene or craft_with(scene, who.name) is None:
        return ("",)
    target = ordered_target(scene, own_ship(scene, who))
    return ("", *systems_to_aim_at(scene, target)) if target in scene else ("",)


def check_system(scene: Scene, who: Person, system: str) -> None:
    """A system that the target has."""
    if system not in ordered_systems(scene, who):
        refuse("the target has no such system", what=system, rule=CALLED, legal=ordered_systems(scene, who)[1:])


@listed(
    STATION_ACTIONS,
    "fire-salvo",
    f"{SALVO}/fire",
    SALVO,
    bands=SHOT,
    turn=station(COMBAT, "Combat"),
    check=check_arc,
)
async def fire_salvo(
    scene: Scene,
    who: Person,
    weapon: Annotated[str, Pick(salvo_weapons, check_gun)],
    system: Annotated[str, Pick(ordered_systems, check_system)] = "",
    arc: Annotated[str, Pick(arcs_of), Applies()] = "",
) -> ShotResult:
    """Fire every gun of a kind at the target that was ordered: one roll, one reaction, damage once."""
    ship, battle = own_ship(scene, who), scene[BATTLE]
    order, target, shots = task(scene, ship), ordered_target(scene, ship), shots_ordered(scene, ship)
    skill = shooting_skill(scene, who, weapon)
    kept = await spend_order(ship)
    shot = shot_of(scene, who, target, weapon, Aim(battle.gap, system=system, arc=arc))
    guns = guns_for_salvo(scene, who, weapon, shots)
    mods = (*shot.mods, *crew_mods(scene, ship, who, skill, "Combat"), *salvo_mods(scene, who, guns, shots), *kept)
    await fire(who, weapon)
    if order is not None:
        await alter(BATTLE, ShipCombat.carried_out, order)
    return await hand_over(resolve_shot(who, target, replace(shot, mods=mods)))


@listed(STATION_ACTIONS, "scan-for", f"{RESOLVE}/sensors", RESOLVE, bands=TESTED, turn=station(SENSORS, "Sensors"))
async def scan_for(scene: Scene, who: Person) -> TestResult:
    """Locate the target that was ordered: the crew's sensors against its signature."""
    ship, order = own_ship(scene, who), task(scene, own_ship(scene, who))
    target = ordered_target(scene, ship)
    kept = await spend_order(ship)
    mods = (*crew_mods(scene, ship, who, scene[SENSING], "Sensors"), *kept)
    if order is not None:
        await alter(BATTLE, ShipCombat.carried_out, order)
    per_die = scene[PIPS_PER_DIE]
    needed = round(signature_of(scene, target).in_pips(per_die) * AVERAGE / per_die) if target in scene else 0
    return await hand_over(roll_against(who, scene[SENSING], needed, mods))


AVERAGE: Final = 3.5
"""What a die of signature comes to, where a crew looks for it."""


def check_station_now(scene: Scene, who: Person) -> None:
    """At the post whose phase it is."""
    check_able(scene, who)
    if BATTLE not in scene:
        refuse("no big ships fight", rule=RESOLVE)
    ship, phase = own_ship(scene, who), scene[BATTLE].phase
    position = {MOVEMENT: HELM, COMBAT: "Combat", SENSORS: "Sensors"}.get(phase, "")
    if not position or officer_at(scene, ship, position) != who:
        refuse("it is the turn of another post", rule=RESOLVE)


@listed(STATION_ACTIONS, "let-order-go", f"{RESOLVE}/let-go", RESOLVE, turn=check_station_now)
async def let_go(scene: Scene, who: Person) -> None:
    """Do not carry the order out; a ship that nobody steers goes straight on."""
    ship, order = own_ship(scene, who), task(scene, own_ship(scene, who))
    if scene[BATTLE].phase == MOVEMENT:
        await alter(BATTLE, ShipCombat.moved, ship.name, scene[BATTLE].gap)
    elif order is not None:
        await alter(BATTLE, ShipCombat.carried_out, order)


# --- reactions --------------------------------------------------------------------------------------------------------


@rule(f"{RESOLVE}/reaction", RESOLVE)
async def react_by_order(scene: Scene, craft: Craft) -> Mods:
    """A reaction uses up an order for one; movement and earlier reactions make it harder, an order kept easier."""
    order = next(iter(scene[BATTLE].ordered(craft.name, REACT)), None)
    before = scene[BATTLE].reactions.get(craft.name, 0)
    if order is not None:
        await alter(BATTLE, ShipCombat.carried_out, order)
    await alter(BATTLE, ShipCombat.reacting, craft.name)
    kept = await spend_order(craft)
    return (*multiple_actions(scene, before + 2), *kept)


def commanded_ways(scene: Scene, craft: Craft, scale: int) -> tuple[ReactionWay, ...] | None:
    """How a ship under command evades: only if that was ordered. None for any other."""
    if BATTLE not in scene or craft.name not in scene[BATTLE].fighters:
        return None
    if not scene[BATTLE].ordered(craft.name, REACT):
        return ()
    helm = officer_at(scene, craft, HELM)
    crew = crew_mods(scene, craft, helm, piloting_skill(scene, craft, helm), HELM)
    paid, ways = react_by_order(craft), ways_to_evade(scene, craft, scale)
    return tuple(replace(way, mods=(*way.mods, *crew), before=paid, then_using=way.using) for way in ways)


ALSO_REACTS.append(commanded_ways)


# --- beginning --------------------------------------------------------------------------------------------------------


def ships_and_people(scene: Scene, who: object) -> tuple[Who[Any], ...]:
    """Ships, and everybody who is aboard of one."""
    return (*vehicles(scene, who), *(each for each in scene.all(Hero) if craft_with(scene, each.name) is not None))


def check_aboard(scene: Scene, who: object, one: Who[Any]) -> None:
    ship_with(scene, one)


Ships: TypeAlias = tuple[Annotated[Who[Any], Pick(ships_and_people, check_aboard)], ...]


def ship_with(scene: Scene, one: Who[Any]) -> Craft:
    """A ship, or the one that somebody is aboard of."""
    if one in scene and isinstance(scene[one], Vehicle):
        return Who(one.name, Vehicle)
    return craft_with(scene, one.name) or refuse(f"{one} is aboard nothing", rule=ORDERS, legal=("take-post",))


def ships_with(scene: Scene, side: Ships) -> tuple[str, ...]:
    """The ships of a side, each once, however many of their people are named."""
    return tuple(dict.fromkeys(ship_with(scene, each).name for each in side))


def check_ships(scene: Scene, _: None, one: Ships, other: Ships) -> None:
    """Two sides of ships, each with somebody to command it."""
    if BATTLE in scene and scene[BATTLE].over(scene, BATTLE) is None:
        refuse("there is a fight of ships already", rule=ORDERS)
    sides = tuple(ships_with(scene, side) for side in (one, other))
    if not all(sides) or set(sides[0]) & set(sides[1]):
        refuse("a fight has two sides, and no ship is on both", rule=ORDERS)
    for name in (*sides[0], *sides[1]):
        if captain_of(scene, Who(name, Vehicle)) is None:
            refuse(f"nobody commands {name}", what=name, rule=ORDERS, legal=("take-post",))


@action("begin-ship-combat", f"{ORDERS}/begin", ORDERS, check=check_ships, master=True)
async def begin_ship_combat(
    scene: Scene,
    one: Ships,
    other: Ships,
    gap: Annotated[float, suggest(200.0, 500.0, 1000.0)] = 500.0,
    terrain: Terrain = "Clear",
) -> None:
    """Big ships meet, named themselves or by those aboard; their captains command them."""
    sides = (ships_with(scene, one), ships_with(scene, other))
    await change(BATTLE, ShipCombat(sides, gap=gap, terrain=terrain))
