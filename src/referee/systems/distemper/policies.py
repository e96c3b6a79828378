"""Policies that can play any side of a fight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.core import Scene, Who, applying
from referee.core.actions import ActionChoice
from referee.core.questions import Choice
from referee.systems.distemper.combat import DEFENSE, TURN
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
    offers = [each for each in question.legal if isinstance(each, ActionChoice) and _sensible(scene, who, each)]
    for key in wanted:
        mine = [each for each in offers if each.action.key == key]
        if mine:
            return max(mine, key=_damage(scene, who))
    return offers[0] if offers else question.default


def _sensible(scene: Scene, who: Who[Character], offer: ActionChoice) -> bool:
    """No one attacks friends, and no one takes cover twice."""
    target = dict(offer.arguments).get("target")
    covered = offer.action.key in ("take-cover", "defend") and any(
        each.source.casefold().replace(" ", "-") == offer.action.key for each in applying(scene, who, DEFENSE).active
    )
    return target not in allies(scene, who) and not covered


def _damage(scene: Scene, who: Who[Character]) -> Callable[[ActionChoice], tuple[int, int]]:
    def worth(offer: ActionChoice) -> tuple[int, int]:
        given = dict(offer.arguments)
        weapon = next((item for item in scene[who].items if item.name == given.get("weapon")), None)
        target = given.get("target")
        return (weapon.wp + weapon.rp if weapon else 0, -scene[target].wp if target else 0)

    return worth
