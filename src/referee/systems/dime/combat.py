"""Actions of combat: how they are declared, and what the game master says of a fight."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final, ParamSpec, TypeAlias, TypeVar, cast

from referee.core import (
    DONE,
    Bands,
    Body,
    CheckFunction,
    Pick,
    Rule,
    Scene,
    action,
    action_of,
    alter,
    applying,
    refuse,
)
from referee.core.effects import Forbids
from referee.core.rulebook import Figure
from referee.systems.dime.action_points import (
    ACTION_COST,
    COMBAT_ACTIONS,
    PRICES,
    ActionPoints,
    category_of,
    nothing_more,
)
from referee.systems.dime.fight import FIGHT, ZoneFight, fighters
from referee.systems.dime.flip import check_can_act
from referee.systems.dime.gear import Item
from referee.systems.dime.interruptions import can_go_on, interrupt, may_be_stopped
from referee.systems.dime.sheet import Person, check_awake

P = ParamSpec("P")
T = TypeVar("T")
ARM: Final = "arm"
LEG: Final = "leg"


def check_has_turn(scene: Scene, who: Person) -> None:
    """It is one's turn, or the moment for which one has waited."""
    check_awake(scene, who)
    if FIGHT not in scene:
        refuse("there is no fight", rule="dime.combat.ap", legal=("begin a ZoneFight with its sides",))
    fight = scene[FIGHT]
    if fight.acts(scene, who.name) or who.name in fight.released:
        return
    if fight.turn == who.name and not fight.turn_begun:
        refuse(f"{who}'s turn has not begun", rule="dime.combat.turn-order", legal=("play the fight on, until it has",))
    refuse(f"it is not {who}'s turn", rule="dime.combat.turn-order", legal=(fight.turn,) if fight.turn_begun else ())


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


Fighter: TypeAlias = Annotated[Person, Pick(lambda scene, who: fighters(scene, None))]
ZoneName: TypeAlias = Annotated[str, Pick(lambda scene, who: scene[FIGHT].zones.names if FIGHT in scene else ())]


def check_a_fight(scene: Scene, _: None) -> None:
    if FIGHT not in scene:
        refuse("there is no fight", rule="dime.combat.ap", legal=("begin a ZoneFight with its sides",))


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
