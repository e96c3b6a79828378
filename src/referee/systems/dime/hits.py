"""What a hit does: the manner of an attack, the damage by suit, Called Shots."""

from __future__ import annotations

from typing import Final

from referee.core import Effect, Scene, alter, formula, frozen, lay, rows, rule
from referee.core.effects import Forbids
from referee.core.things import DROPPED
from referee.systems.dime.consequences import worsen
from referee.systems.dime.damage import damage_reduction, higher_suit, resolve_hit, weapon_damage
from referee.systems.dime.flip import Flip
from referee.systems.dime.gear import HEAD, PIERCE, Item
from referee.systems.dime.sheet import Adventurer, Person, stat_level
from referee.systems.dime.turn_order import TURN_END
from referee.systems.dime.weapons import damage_bonus


@frozen
class ShotRow:
    """A Called Shot: what it costs in addition, and what a hit there does."""

    name: str
    extra_ap: int
    says: str
    drops: bool = False
    disables: str = ""
    suits_higher: int = 0
    where: str = ""
    worsens: str = ""


SHOTS: Final = rows("dime.attack.called-shots", "shots", ShotRow)


@frozen
class AttackManner:
    """How an attack is made. A duel's opening shot has another stat, doubled damage, and perhaps no reactions."""

    shot: str = ""
    """The Called Shot."""
    disarm: str = ""
    """The weapon to strike out of the target's hand."""
    harmless: bool = False
    """Whether it does no damage."""
    auto: bool = False
    thrown: bool = False
    unaware: bool = False
    """Whether the target is unaware of it."""
    strength: int | None = None
    """A lower Strength than one's own, if punches are pulled."""
    stat: str = ""
    times: int = 1
    reactions: bool = True


PLAIN: Final = AttackManner()


@formula("dime.attack.pulling-punches")
def strength_of(scene: Scene, who: Person, manner: AttackManner) -> int:
    """One's own Strength, or less if punches are pulled."""
    own = stat_level(scene, who, "Strength")
    return own if manner.strength is None else min(own, manner.strength)


def counted_suit(scene: Scene, suit: str | None, shot: str) -> str | None:
    """The suit the damage is read by: one higher for a shot at the head."""
    for _ in range(scene[SHOTS][shot].suits_higher if shot else 0):
        suit = higher_suit(scene, suit)
    return suit


def shot_place(scene: Scene, shot: str) -> str:
    return scene[SHOTS][shot].where if shot else ""


def hit_damage(
    scene: Scene, who: Person, target: Person, item: Item, flipped: Flip, manner: AttackManner, by: str = ""
) -> int:
    """The damage of a hit; `by` is the suit its figure is read by, if a critical effect says so."""
    if manner.harmless:
        return 0
    suit = by or counted_suit(scene, flipped.suit, manner.shot)
    strength = strength_of(scene, who, manner)
    dealt = weapon_damage(scene, item, suit, strength, damage_bonus(scene, item), manner.times)
    place, pierce = shot_place(scene, manner.shot), item.rating(scene, PIERCE)
    return max(0, dealt - damage_reduction(scene, target, flipped.suit, place, pierce))


@rule("dime.damage.resolve/deal", "dime.damage.resolve")
async def deal(
    scene: Scene,
    who: Person,
    target: Person,
    item: Item,
    suit: str | None,
    counts_as: str | None,
    shot: str = "",
    manner: AttackManner = PLAIN,
) -> int:
    """The damage of one hit."""
    bonus, strength = damage_bonus(scene, item), strength_of(scene, who, manner)
    place = shot_place(scene, shot)
    return await resolve_hit(target, item, suit, strength, counts_as, bonus, manner.times, place)


@rule("dime.attack.called-shots/hit", "dime.attack.called-shots")
async def called_shot_hits(scene: Scene, target: Person, shot: str, item: Item, points: int) -> None:
    """What a hit on that place does: things fall, a limb is no use until the end of the target's next turn."""
    row = scene[SHOTS][shot]
    if row.drops:
        await alter(target, Adventurer.dropping)
    if row.worsens and not scene[target].dead:
        await worsen(target, row.worsens)
    if row.disables:
        await lay(target, Effect(Forbids(row.disables), until=TURN_END), source=f"hit in the {row.disables}")
    if row.where == HEAD and item.has("Stun") and points > 0 and not scene[target].dead:
        await worsen(target, "Stun")


@rule("dime.attack.disarm/drop")
async def drop(scene: Scene, who: Person, item: str) -> None:
    """Something falls to the ground."""
    if scene[who].item(item).held:
        await alter(who, Adventurer.with_item, scene[who].item(item).at(DROPPED))
