"""What interrupts an action: held actions, and fire upon the zone."""

from __future__ import annotations

from typing import Final

from referee.core import (
    Card,
    Prompt,
    Refused,
    Scene,
    alter,
    applying,
    draw,
    figures,
    formula,
    legal_choices,
    offer,
    pile_of,
    rule,
)
from referee.core.actions import ActionChoice
from referee.core.effects import Forbids
from referee.kits.card_hands import DECK, DISCARDS, Owner, reshuffle_if_empty
from referee.systems.dime.action_points import COMBAT_ACTIONS, check_can_react
from referee.systems.dime.consequences import (
    COVER,
)
from referee.systems.dime.damage import resolve_hit
from referee.systems.dime.deck import MASTER, card_values
from referee.systems.dime.fight import FIGHT, MOVE, Suppression, ZoneFight, person
from referee.systems.dime.sheet import Person, severity_of, stat_level

RELEASE: Final = Prompt("release")
WAIT: Final = "Wait"
SUPPRESSION: Final = Prompt("suppression")


@figures("dime.attack.suppressive-fire")
class SuppressiveFire:
    """Which cards hit, and for which actions the rating counts how often."""

    red: tuple[str, ...]
    move_multiplier: int


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

    def check(way: object) -> None:
        check_can_react(scene, who, WAIT)
        if isinstance(way, str):
            raise next(iter(ways.barred()), Refused(key, because="there is no legal way to", rule="dime.reaction.wait"))

    options: tuple[ActionChoice | str, ...] = tuple(ways) or (key,)
    chosen = await offer(who, RELEASE, options, check=check, reaction=True)
    if isinstance(chosen, ActionChoice):
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
