"""Weapons: ready items in working order, or bare hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from referee.core import Refused, Scene, Who, rows
from referee.systems.distemper.sheet import Character, Item


@final
@dataclass(frozen=True, slots=True)
class AttackRow:
    """An attack skill, and the defense against it."""

    name: str
    defense: str


ATTACKS: Final = rows("distemper.combat.attack-roll", "attacks", AttackRow)
UNARMED: Final = "Unarmed Combat"


def weapon_of(scene: Scene, who: Who[Character], weapon: str) -> Item:
    """An item that is carried, held and working; or bare hands."""
    if weapon == UNARMED:
        return next((each for each in scene[who].items if each.name == UNARMED), Item(UNARMED, UNARMED))
    item = scene[who].item(weapon)
    for wrong, because in ((item.jammed, "it is jammed"), (not item.ready, "it is not ready")):
        if wrong:
            raise Refused(
                item.name, because=because, rule="distemper.combat-actions.ready-weapon", legal=("ready-weapon",)
            )
    if item.condition <= 0:
        raise Refused(item.name, because="it no longer works", rule="distemper.upkeep.check")
    if item.skill not in scene[ATTACKS]:
        raise Refused(item.name, because="nobody attacks with it", rule=ATTACKS.rule, legal=scene[ATTACKS].names)
    return item


def check_weapon(
    scene: Scene, who: Who[Character], weapon: str | None, skills: tuple[str, ...] = (), by: str = ""
) -> None:
    """In working order, and of the right kind for this."""
    if weapon is not None:
        item = weapon_of(scene, who, weapon)
        if skills and item.skill not in skills:
            raise Refused(item.name, because="it is the wrong weapon for this", rule=by, legal=skills)


def in_hand(scene: Scene, who: Who[Character]) -> str:
    """The first held item that can be used to attack, or bare hands."""
    usable = (
        item
        for item in scene[who].items
        if item.ready
        and not item.jammed
        and item.condition > 0
        and item.skill in scene[ATTACKS]
        and (item.wp or item.rp)
    )
    return next((item.name for item in usable), UNARMED)
