"""Policies that can play any side of a fight."""

from __future__ import annotations

from typing import Any

from referee.core import Scene, Who
from referee.core.actions import ActionChoice
from referee.core.questions import Choice
from referee.systems.dime.action_points import ap_left
from referee.systems.dime.fight import FIGHT, allies, foes, zones_apart
from referee.systems.dime.reactions import DODGE, PARRY, REACT, TAKE_COVER
from referee.systems.dime.sheet import Adventurer, Person, hp
from referee.systems.dime.turn_order import DO
from referee.systems.dime.weapons import weapon_of


def aggressive(question: Choice[Any], scene: Scene) -> Any:
    """Attacks the weakest foe with what hurts most, closes in or reloads if it cannot, and never reacts."""
    return _turn(question, scene, ("attack", "reload", "break-free", "end-consequence", "move"))


def cautious(question: Choice[Any], scene: Scene) -> Any:
    """Attacks once or twice, keeps AP for reactions, and reacts in the cheapest way that helps."""
    if question.name == REACT:
        return next((each for each in (TAKE_COVER, PARRY, DODGE) if each in question.legal), question.default)
    if question.name == DO and question.who is not None and _spent(scene, Who(question.who.name, Adventurer)):
        return _named(question, "end-turn") or question.default
    return _turn(question, scene, ("treat", "attack", "reload", "break-free", "end-consequence", "move"))


def _spent(scene: Scene, who: Person) -> bool:
    """Whether only one AP is left."""
    return ap_left(scene, who) <= 1


def _turn(question: Choice[Any], scene: Scene, wanted: tuple[str, ...]) -> Any:
    if question.name != DO or question.who is None:
        return question.default
    who = Who(question.who.name, Adventurer)
    offers = [each for each in question.legal if isinstance(each, ActionChoice) and _sensible(scene, who, each)]
    for key in wanted:
        mine = [each for each in offers if each.action.key == key]
        if mine:
            return max(mine, key=lambda offer: _worth(scene, who, offer))
    return _named(question, "end-turn") or question.default


def _named(question: Choice[Any], key: str) -> Any:
    return next((each for each in question.legal if isinstance(each, ActionChoice) and each.action.key == key), None)


def _sensible(scene: Scene, who: Person, offer: ActionChoice) -> bool:
    """Nobody attacks friends, or walks on the spot or away from everyone."""
    given = dict(offer.arguments)
    if offer.action.key == "move":
        return _nearer(scene, who, given["to"]) > 0
    return given.get("target") not in allies(scene, who)


def _nearer(scene: Scene, who: Person, to: str) -> int:
    """How much nearer a zone brings somebody to the nearest foe."""
    zones = scene[FIGHT].zones
    now = [apart for each in foes(scene, who) if (apart := zones_apart(scene, who, each)) is not None]
    then = [
        apart for each in foes(scene, who) if (apart := zones.zones_between(to, zones.where(each.name))) is not None
    ]
    return min(now, default=99) - min(then, default=99)


def _worth(scene: Scene, who: Person, offer: ActionChoice) -> tuple[int, int]:
    given = dict(offer.arguments)
    target, weapon = given.get("target"), given.get("weapon")
    damage = sum(weapon_of(scene, who, weapon).damage.values()) if isinstance(weapon, str) else 0
    if "to" in given:
        return (_nearer(scene, who, given["to"]), 0)
    return (damage, -hp(scene, target) if target else 0)
