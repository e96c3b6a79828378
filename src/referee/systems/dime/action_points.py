"""Action points: what actions cost, and what paying for them does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from referee.core import (
    Action,
    Call,
    Scene,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    questions,
    refuse,
    rule,
    total,
)
from referee.core.effects import EFFECTS, Effects, remove_effects
from referee.core.rulebook import Figure
from referee.core.trace import note_row
from referee.systems.dime.consequences import (
    move_mods,
    turn_mods,
)
from referee.systems.dime.fight import ATTACK, CATEGORIES, FIGHT, MOVE, REACTION, ZoneFight
from referee.systems.dime.sheet import Person

AIM: Final = "Aim"
FIGHTING_BLIND: Final = "Fighting Blind"
START_AP: Final = figure("dime.combat.ap", "ap", int)
CARRY_OVER: Final = figure("dime.combat.ap", "carry_over", bool)
ACTION_COST: Final = figure("dime.combat.ap", "default_action_cost", int)
NAMED_ACTIONS: Final = {
    category: figure("dime.combat.action-categories", category, tuple[str, ...]) for category in CATEGORIES
}


@figures("dime.attack.fighting-blind")
class FightingBlind:
    """What an attack without sight costs in addition, and what after looking around."""

    extra_ap: int
    extra_ap_after_observe: int


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


@formula("dime.reaction.general/check")
def check_can_react(scene: Scene, who: Person, reaction: str, ap: int = 0) -> None:
    """Up, not stunned, and in a fight with as many AP left, with something that the book lists among the reactions."""
    if FIGHT not in scene:
        refuse("there is no fight", what=reaction, rule="dime.reaction.general")
    if not scene[FIGHT].is_able(scene, who.name):
        refuse(f"{who} cannot act", what=reaction, rule="dime.reaction.general")
    applying(scene, who).check_allowed("react", rule="dime.reaction.general")
    if category_of(scene, reaction) != REACTION:
        refuse("it is not listed among the reactions", what=reaction, rule="dime.combat.action-categories")
    if ap > ap_left(scene, who):
        refuse(f"it takes {ap} AP, and {ap_left(scene, who)} are left", what=reaction, rule="dime.reaction.general")


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


COMBAT_ACTIONS: Final[list[Action[Any]]] = []
