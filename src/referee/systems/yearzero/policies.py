"""Policies that can play any side of a fight."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from referee.core import Scene, SymbolCounts, Who
from referee.core.actions import ActionChoice, ways_of
from referee.core.questions import Choice, Choose
from referee.kits.year_zero import SIX
from referee.systems.yearzero.battle import BATTLE, other_sides
from referee.systems.yearzero.defence import DODGES, REACTION, STANDING
from referee.systems.yearzero.dice import PUSH
from referee.systems.yearzero.explosives import DROP, GRENADE
from referee.systems.yearzero.gear import damage_at_first
from referee.systems.yearzero.goes import TURN
from referee.systems.yearzero.ground import has_map, where
from referee.systems.yearzero.harm import can_act
from referee.systems.yearzero.opportunity import STRIKE_OUT
from referee.systems.yearzero.overwatch import SHOOT_FIRST
from referee.systems.yearzero.rapid_fire import AMMO_EFFECT, MORE
from referee.systems.yearzero.sheet import STRENGTH, Person, Survivor

ATTACKS: Final = ("shoot", "slash", "stab", "punch", "grapple-attack")
READY: Final = ("break-free", "stand-up", "clear-jam", "reload")
CLOSER: Final = ("charge", "run")
"""How one comes nearer, where a map says that nobody is within reach."""
PLAIN: Final = {
    "ammo": 0,
    "distance": "",
    "part": "",
    "size": "human body",
    "location": "",
    "specialty": "",
    "alerts": False,
    "from_moving_vehicle": False,
    "indirect": False,
    "reacting": False,
}
"""How attacks are made that aim for nothing."""
AT_ONCE: Final = {AMMO_EFFECT: MORE, GRENADE: DROP}
"""What anybody does whom nothing better comes to mind."""


def aggressive(question: Choice[Any], scene: Scene) -> Any:
    """Attacks the weakest foe with what hurts most, pushes what has failed, and never defends itself."""
    if question.name == PUSH:
        return True if True in question.legal and _has_failed(question) else question.default
    if question.name in (SHOOT_FIRST, STRIKE_OUT):
        return next((each for each in question.legal if each is not None), question.default)
    return _go(question, scene, (*ATTACKS, *CLOSER, *READY))


def cautious(question: Choice[Any], scene: Scene) -> Any:
    """Gets up and ready before it attacks, parries or dodges whatever it can, and never pushes."""
    if question.name == REACTION:
        return _defence(question, scene)
    if question.name in (SHOOT_FIRST, STRIKE_OUT):
        return next((each for each in question.legal if each is not None), question.default)
    return _go(question, scene, (*READY, *ATTACKS, *CLOSER))


def _has_failed(question: Choice[Any]) -> bool:
    seen = question.about if isinstance(question, Choose) else None
    return isinstance(seen, SymbolCounts) and not seen.count(SIX)


def _defence(question: Choice[Any], scene: Scene) -> Any:
    """A parry with what is in hand, or else a dodge on one's feet, or any other."""
    ways = [each for each in question.legal if each is not None]
    parries = [each for each in ways if each not in scene[DODGES]]
    return next(iter((*parries, *(each for each in ways if each == STANDING), *ways)), question.default)


def _go(question: Choice[Any], scene: Scene, wanted: tuple[str, ...]) -> Any:
    if (at_once := AT_ONCE.get(question.name)) in question.legal and at_once is not None:
        return at_once
    if question.name != TURN or question.who is None:
        return question.default
    who = Who(question.who.name, Survivor)
    enemies = [each for each in other_sides(scene, who) if can_act(scene[each])]
    plain = {name: partial(_is, value) for name, value in PLAIN.items()}
    for key in wanted:
        if key == "run":
            plain |= {"to": partial(_is, _towards(scene, who, enemies))}
        mine = ways_of(question.legal, key, target=enemies.__contains__, effect=partial(_is, ""), **plain)
        if mine:
            return max(mine, key=_worth(scene, who))
    return question.default


def _towards(scene: Scene, who: Person, enemies: list[Person]) -> str:
    """The zone next to one's own that is nearest to an enemy; nothing if one is no nearer there."""
    if not has_map(scene):
        return ""
    zones, here = scene[BATTLE].zones, where(scene, who)

    def far(zone: str) -> int:
        steps = (zones.zones_between(zone, where(scene, each)) for each in enemies)
        return min((each for each in steps if each is not None), default=MANY)

    nearer = [each for each in zones.neighbours(here) if far(each) < far(here)]
    return min(nearer, key=far, default="")


MANY: Final = 99
"""More zones than any map has."""


def _is(wanted: object, value: object) -> bool:
    return value == wanted


def _worth(scene: Scene, who: Person) -> Callable[[ActionChoice], tuple[int, int]]:
    def worth(way: ActionChoice) -> tuple[int, int]:
        weapon, target = way.arguments.get("weapon"), way.arguments.get("target")
        damage = damage_at_first(scene, scene[who].thing(weapon)) if weapon else 0
        return damage, -scene[target].now(STRENGTH) if target else 0

    return worth
