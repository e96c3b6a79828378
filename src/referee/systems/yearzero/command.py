"""Command: orders that make allies act."""

from __future__ import annotations

from itertools import permutations
from typing import Annotated, Final

from referee.core import (
    Effect,
    Mods,
    Pick,
    Scene,
    action,
    alter,
    choose,
    figure,
    frozen,
    lay,
    refuse,
    rows,
    rule,
)
from referee.core.effects import Extra, Grants
from referee.core.rules import rule_named
from referee.systems.yearzero.action_types import PrintedPrice, go_of, why_no_action
from referee.systems.yearzero.activities import (
    Route,
    lay_until_turn,
)
from referee.systems.yearzero.battle import BATTLE, ROUND_END, SLOW, Battle
from referee.systems.yearzero.dice import D8, D10, D12, ArtifactDie
from referee.systems.yearzero.effects import (
    OUTCOME,
    WHOM,
    EffectRow,
    Outcome,
    aiming,
    effect_table,
    effects_of,
    reached,
)
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.influence import Several, outcome
from referee.systems.yearzero.panic import calm
from referee.systems.yearzero.rolls import (
    Attempt,
    roll_once,
)
from referee.systems.yearzero.sheet import Helpers, Person
from referee.systems.yearzero.skills import Gear

COMMAND: Final = "yearzero.influence.command"
COMMANDS: Final = effect_table(COMMAND, "Influence")


@frozen
class OrderDie:
    """The die of an order, by the successes beyond those needed."""

    die: str


ORDER_DICE: Final = rows(COMMAND, "order_dice", OrderDie, by="extra_successes")
COMMANDER: Final = figure(COMMAND, "specialty", str)
COMMAND_PRICE: Final = PrintedPrice(figure(COMMAND, "action", str))
DICE_BY_NAME: Final[dict[str, ArtifactDie]] = {"D8": D8, "D10": D10, "D12": D12}
MOST_EXTRA: Final = 2
"""More extra successes stay at the largest die."""


def command_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, COMMANDS)


def check_allies(scene: Scene, who: Person, allies: Several) -> None:
    if not allies:
        refuse("whom?", rule=COMMAND)


@action("command", COMMAND, bands=OUTCOME, check=check_allies, price=COMMAND_PRICE, turn=check_able)
async def command(
    scene: Scene,
    who: Person,
    allies: Several,
    effect: Annotated[str, Pick(command_effects)] = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Steer allies within range: a plan, an order, a free action, or a rally."""
    attempt = Attempt("Influence", scene[COMMANDER], gear, mods, helpers)
    rolled = await roll_once(who, aiming(scene, COMMANDS, attempt, effect))
    row = await reached(who, rolled, attempt, COMMAND, effect)
    if row is None:
        return outcome(rolled)
    beyond = Route(row.dm, row.x).beyond(rolled, aimed=bool(effect))
    await commanded(who, allies, row, beyond)
    return outcome(rolled, (row.name,), beyond)


@rule(f"{COMMAND}/effect", "yearzero.core.artifact-dice")
async def commanded(scene: Scene, who: Person, allies: Several, row: EffectRow, beyond: int) -> None:
    """One ally acts for free; or all of them calm down, have a plan, or have a die for one roll."""
    if row.affects == "ally":
        ally = await choose(who, WHOM, allies)
        for effect in row.lays:
            await lay_until_turn(ally, effect, who, row.name, COMMAND)
        return
    if row.run:
        await rule_named(row.run)(who, allies)
        return
    for each in allies:
        if row.amount:
            await calm(each, int(row.amount))
        else:
            die = scene[ORDER_DICE].at(min(beyond, MOST_EXTRA)).die
            await lay(each, Effect(Extra(DICE_BY_NAME[die]), uses=1), source=f"order of {who}", by=COMMAND)


@rule(f"{COMMAND}/plan")
async def make_a_plan(scene: Scene, who: Person, allies: Several) -> None:
    """Allies give up a slow action; in the next round each of them, and whoever commands, acts on anyone's go."""
    if BATTLE not in scene:
        return
    willing = tuple(each for each in allies if not why_no_action(scene, each, SLOW))
    for each in willing:
        await alter(BATTLE, Battle.taking, each.name, SLOW)
    following = scene[BATTLE].round + 1
    for one, other in permutations((who, *willing), 2):
        shared = Effect(Grants(go_of(other.name, following)), until=ROUND_END, times_until=2)
        await lay(one, shared, source="Make a Plan", by=COMMAND)
