"""The fourth step: what a new character has. The book prints no prices, so the game master judges it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from referee.core import Draft, DraftOption, PickSeveral, Scene, figure, formula
from referee.core.belongings import catalogue_in, rows_in
from referee.core.plain import Plain
from referee.core.starting_things import at_first, one_at_random, thing_options, things_picked, under_own_names
from referee.core.things import HELD, ON_BODY
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import average_total
from referee.systems.d6.equipment import FIREARM, HEAVY, MELEE, THROWN, Item, armor_of, weapon_of

STARTING: Final = "d6.equipment.starting-budget"
THINGS: Final = "things"
ARMS: Final = (MELEE, THROWN, FIREARM, HEAVY)
MULTIPLE: Final = figure(STARTING, "multiple", int)


@formula(STARTING)
def starting_budget(scene: Scene, wealth: Code) -> float:
    """The points of the Price index that years of saving come to."""
    return scene[MULTIPLE] * average_total(scene, wealth)


def things_on_offer(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    return thing_options(catalogue_in(scene))


def some_things(scene: Scene, draft: Draft, random: Random) -> Plain:
    """A weapon that is carried by hand, sooner one of a skill that was learned."""
    learned = {_family(name) for key in ("skills", "specializations") for name in draft.answers.get(key) or ()}
    weights: dict[str, int] = {}
    for row in rows_in(scene):
        weapon = weapon_of(scene, row.thing)
        if weapon.category in ARMS and weapon.category != HEAVY:
            weights[row.key] = 20 if learned & {_family(each) for each in weapon.skills} else 1
    return one_at_random(things_on_offer(scene, draft), weights, random)


def _family(skill: str) -> str:
    """The skill without its type or field: `melee combat` of `Melee combat <swords>`."""
    return skill.partition(" <")[0].partition("::")[0].casefold()


def things_of(scene: Scene, draft: Draft) -> tuple[Item, ...]:
    """What was picked: the first weapon in hand, the first armor worn; then what the game master has put a price on."""
    picked = things_picked(catalogue_in(scene), draft.several(THINGS), Item)
    owned = under_own_names((*picked, *map(Item, draft.several("equipment"))))
    armed = at_first(owned, lambda item: weapon_of(scene, item).category in ARMS, HELD)
    return at_first(armed, lambda item: armor_of(scene, item) is not None, ON_BODY)


THINGS_FIELD: Final = PickSeveral(THINGS, things_on_offer, own=0, rule=STARTING, chance=some_things)
