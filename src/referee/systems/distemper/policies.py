"""Policies that can play any side of a fight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.core import Scene, Who, applying
from referee.core.actions import ActionChoice, ways_of
from referee.core.questions import Choice
from referee.systems.distemper.combat import COMBAT_ACTIONS, DEFENSE, TURN
from referee.systems.distemper.combat_actions import allies
from referee.systems.distemper.sheet import Character


def aggressive(question: Choice[Any], scene: Scene) -> Any:
    """Attacks the weakest target with the weapon that hurts most; charges, readies or closes in if it cannot attack."""
    return _first(question, scene, ("attack", "charge", "rapid-fire", "ready-weapon", "move", "break-free"))


def cautious(question: Choice[Any], scene: Scene) -> Any:
    """Takes cover, defends, and attacks only from cover; the hurt run."""
    who = question.who
    hurt = who is not None and isinstance(scene[who], Character) and 2 * scene[who].wp <= scene[who].wp_full
    wanted = ("take-cover", "defend", "sprint") if hurt else ("take-cover", "attack", "defend", "ready-weapon")
    return _first(question, scene, wanted)


def _first(question: Choice[Any], scene: Scene, wanted: tuple[str, ...]) -> Any:
    if question.name != TURN or question.who is None:
        return question.default
    who = Who(question.who.name, Character)
    friends, covered = frozenset(allies(scene, who)), _covered(scene, who)
    every = (each.key for each in COMBAT_ACTIONS if each.key not in wanted)
    for key in (*wanted, *every):  # no one attacks friends, and no one takes cover twice
        mine = () if key in covered else ways_of(question.legal, key, target=lambda target: target not in friends)
        if mine:
            return max(mine, key=_damage(scene, who)) if key in wanted else mine[0]
    return question.default


def _covered(scene: Scene, who: Who[Character]) -> frozenset[str]:
    """Whether someone has taken cover or defends already, as actions."""
    return frozenset(each.source.casefold().replace(" ", "-") for each in applying(scene, who, DEFENSE).active) & {
        "take-cover",
        "defend",
    }


def _damage(scene: Scene, who: Who[Character]) -> Callable[[ActionChoice], tuple[int, int]]:
    def worth(offer: ActionChoice) -> tuple[int, int]:
        given = dict(offer.arguments)
        weapon = next((item for item in scene[who].items if item.name == given.get("weapon")), None)
        target = given.get("target")
        return (weapon.wp + weapon.rp if weapon else 0, -scene[target].wp if target else 0)

    return worth
