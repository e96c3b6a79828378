"""Rounds and turns: who acts next, what a turn brings, waiting."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    Call,
    Levels,
    Pick,
    Prompt,
    Scene,
    Who,
    advance_clock,
    alter,
    applying,
    choose,
    figure,
    formula,
    legal_choices,
    offer,
    refuse,
    rule,
)
from referee.core.effects import moment, use
from referee.core.encounter import Sides
from referee.systems.dime.action_points import CARRY_OVER, COMBAT_ACTIONS, START_AP, ap_left, ap_of_turn
from referee.systems.dime.combat import check_has_turn, combat_action
from referee.systems.dime.consequences import (
    DISABLED,
    TURN,
    heed_again,
    ignorable,
    ignore,
    lose_turn,
)
from referee.systems.dime.damage import fight_for_life
from referee.systems.dime.fight import FIGHT, Held, Trigger, ZoneFight, people, person
from referee.systems.dime.sheet import Person, severity_of

TURN_END: Final = "turn end"
SURPRISED_AP: Final = figure("dime.combat.surprise", "starting_ap", int)
IN_A_ROW: Final = figure("dime.combat.turn-order", "max_in_row_per_side", int)
ACROSS_ROUNDS: Final = figure("dime.combat.turn-order", "row_runs_across_rounds", bool)
WAIT_AP: Final = figure("dime.reaction.wait", "ap", int)
NEXT: Final = Prompt("next-turn")
DO: Final = Prompt("turn-action")
IGNORE: Final = Prompt("ignore")


def next_step(scene: Scene, fight: ZoneFight) -> Call[Any]:
    """What comes next in a fight."""
    if fight.round == 0:
        return begin_combat()
    if fight.fresh:
        return begin_round()
    if not fight.turn:
        return hand_on()
    who = person(fight.turn)
    if not fight.has_turns(scene, fight.turn):
        return end_turn(who)
    if not fight.turn_begun:
        return begin_turn(who)
    return take_turn(who) if fight.is_able(scene, fight.turn) else end_turn(who)


@rule("dime.combat.turn-order/begin", "dime.combat.ap", "dime.combat.surprise")
async def begin_combat(scene: Scene) -> None:
    """Everyone has 3 AP, the surprised none; whoever starts the combat acts first."""
    check_fight(scene)
    fight = scene[FIGHT]
    able = fight.able(scene)
    ap = Levels({name: starting_ap(scene, person(name)) for name in able})
    first = fight.starter or (await choose(None, NEXT, people(able))).name
    await alter(FIGHT, ZoneFight.starting, ap, first)


def fight_between(scene: Scene, sides: Sides, turn: str) -> ZoneFight:
    """A fight about to begin, or in its first round, with the AP everyone begins with; somebody's turn has begun."""
    fight = ZoneFight(sides)
    if not turn:
        return fight
    there = Scene(scene.state.but(FIGHT.name, fight))
    begun = fight.starting(Levels({name: starting_ap(there, person(name)) for name in fight.fighters}), turn)
    return begun.asked().taking_turn(turn, ap_of_turn(there, person(turn)))


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
    await alter(FIGHT, ZoneFight.new_round)
    await advance_clock(1, timekeeper(scene))


def timekeeper(scene: Scene) -> Who[Any]:
    """The encounter in which a round passes: inside something without a time of its own, that one."""
    outer: object = scene.read(scene[FIGHT].within)
    return Who(scene[FIGHT].within, type(outer)) if getattr(outer, "timeless", False) else FIGHT


@rule("dime.combat.ap/turn", "dime.consequence.disabled", "dime.damage.dying")
async def begin_turn(scene: Scene, who: Person) -> None:
    """New AP replace the old. A turn without AP lowers being Disabled; the dying flip for their lives."""
    if scene[who].dying is not None:
        await alter(FIGHT, ZoneFight.taking_turn, who.name, 0)
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
    legal = legal_choices(COMBAT_ACTIONS, scene, who)
    chosen = await choose(who, DO, legal, default=legal.of("end-turn")[0])
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
