"""Fast-Draw: a weapon that is drawn and used in one movement, and who goes first where weapons are sheathed."""

from __future__ import annotations

from typing import Final

from referee.core import Scene, Who, formula, option
from referee.core.things import DROPPED, HELD
from referee.core.trace import note
from referee.systems.d6.combat.maneuvers import type_of, with_mark
from referee.systems.d6.equipment import is_weapon, weapon_of
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.skill_names import ADVANCED

FAST_DRAW: Final = "d6.advanced.fast-draw"
SKILL: Final = "Fast draw"
DRAWS_FAST: Final = option(FAST_DRAW)


def carried_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """The weapons that somebody has with them, in hand or not."""
    return tuple(each.name for each in scene[who].equipment if each.place != DROPPED and is_weapon(scene, each))


def fast_draw_skill(scene: Scene, who: Person, weapon: str) -> str:
    """The Fast draw of somebody that covers a weapon, by its name, its row or the kind of its skill; empty, if none."""
    item = next((each for each in scene[who].equipment if each.name == weapon), None)
    if item is None:
        return ""
    names = {item.name, item.kind, *map(type_of, weapon_of(scene, item).skills)}
    wanted = {_plain(each) for each in names if each}
    for each in map(with_mark, scene[who].advanced_skills):
        bare = each.removesuffix(ADVANCED)
        kind = _plain(type_of(each))
        if bare == SKILL or (bare.startswith(SKILL) and (kind in wanted or kind in item.kind.casefold())):
            return each
    return ""


def _plain(name: str) -> str:
    """A name without its ending and capitals: colts are drawn like a Colt."""
    return name.casefold().removesuffix("s")


def is_unarmed(scene: Scene, who: Person) -> bool:
    """Whether somebody carries weapons, and has none of them in hand."""
    mine = [each for each in scene[who].equipment if each.place != DROPPED and is_weapon(scene, each)]
    return bool(mine) and not any(each.place == HELD for each in mine)


@formula(FAST_DRAW, "d6.skills.fast-draw")
def fast_draw_order(scene: Scene, names: tuple[str, ...]) -> tuple[str, ...]:
    """Of those whose weapons are sheathed, the ones with Fast draw go before the others; no one else is passed over."""
    note("d6.skills.fast-draw")
    sheathed = [name for name in names if is_unarmed(scene, Who(name, Hero))]
    quick = [name for name in sheathed if draws_fast(scene, Who(name, Hero))]
    order = list(names)
    for name in quick:
        slower = [at for at, each in enumerate(order) if each in sheathed and each not in quick]
        if slower and slower[0] < order.index(name):
            order.remove(name)
            order.insert(slower[0], name)
    return tuple(order)


def draws_fast(scene: Scene, who: Person) -> bool:
    return any(fast_draw_skill(scene, who, each) for each in carried_weapons(scene, who))
