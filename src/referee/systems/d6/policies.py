"""Policies that can play any side of a fight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from referee.core import Scene, Who, applying
from referee.core.actions import ways_of
from referee.core.questions import Choice
from referee.systems.d6.codes import ability_name, own_code
from referee.systems.d6.combat.reactions import ADDED, REACTION, ReactionOffer, ReactionWay
from referee.systems.d6.combat.round import FIGHT, TURN
from referee.systems.d6.combat.skirmish import UNIT_ACTIONS
from referee.systems.d6.combat.skirmish_attacks import UNIT_TURN
from referee.systems.d6.rolls import ACTION, ANY_ROLL, LEGS, SPATIAL, modified_code, rolled_mods
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.vehicles.chase import SPEED, drive_of
from referee.systems.d6.vehicles.command import ORDER, STATION
from referee.systems.d6.vehicles.maneuvers import RAMMING
from referee.systems.d6.vehicles.movement import control_mods, control_skill, movement_difficulty, takes_roll
from referee.systems.d6.vehicles.movers import mover_of
from referee.systems.d6.vehicles.speeds import SPEEDS
from referee.systems.d6.wounds import NEUTRALIZED, TORSO, WOUND_LEVELS

ATTACKS: Final = ("melee-attack", "shoot", "brawl")
"""What is tried, in this order; whatever else an attack may be said to be is left as it usually is."""
OTHERWISE: Final = ("ready-weapon", "reload", "stand-up", "forgo")
AVERAGE: Final = 3.5
"""What a die comes to."""


def aggressive(question: Choice[Any], scene: Scene) -> Any:
    """Declares one action, attacks the foe in the worst state, and reacts if that helps and costs no attack."""
    if question.name in (UNIT_ACTIONS, UNIT_TURN):
        return _unit(question, reactions=0)
    if question.name in (ORDER, STATION):
        return _command(question)
    if question.who is None or FIGHT not in scene:
        return question.default
    who = Who(question.who.name, Hero)
    if question.name == SPEED:
        return _drive(question, scene, who)
    if question.name == TURN:
        return _turn(question, scene, who)
    if question.name == REACTION and not scene[FIGHT].left.get(who.name, 0):
        return _reaction(question, scene, who)
    return question.default


def cautious(question: Choice[Any], scene: Scene) -> Any:
    """The same, but gives up an attack for a reaction that helps; a unit keeps an action for reactions."""
    if question.name in (UNIT_ACTIONS, UNIT_TURN):
        return _unit(question, reactions=1)
    if question.who is not None and FIGHT in scene and question.name == REACTION:
        return _reaction(question, scene, Who(question.who.name, Hero))
    return aggressive(question, scene)


def _command(question: Choice[Any]) -> Any:
    """Every order is to fire, and whoever has it does."""
    found = ways_of(question.legal, "give-order", order="fire".__eq__) or ways_of(question.legal, "fire-salvo")
    return found[0] if found else question.default


def _unit(question: Choice[Any], reactions: int) -> Any:
    """One action for an attack, besides those kept for reactions; the first target there is."""
    declared = {"actions": (1 + reactions).__eq__, "reactions": reactions.__eq__}
    found = ways_of(question.legal, "declare-unit", **declared) or ways_of(question.legal, "unit-attack")
    return found[0] if found else question.default


def _turn(question: Choice[Any], scene: Scene, who: Person) -> Any:
    """The first attack there is at the foe in the worst state; otherwise whatever makes one possible."""
    for target in sorted(_foes(scene, who), key=lambda foe: target_rank(scene, foe)):
        for key in ATTACKS:
            if found := ways_of(question.legal, key, target=target.__eq__, **PLAIN):
                return found[0]
    for key in OTHERWISE:
        if found := ways_of(question.legal, key):
            return found[0]
    return question.default


def _drive(question: Choice[Any], scene: Scene, who: Person) -> Any:
    """As fast as the roll allows that is expected; a ram, if it can be expected at that speed as well."""
    for row in sorted(scene[SPEEDS], key=lambda row: -row.rank):
        for maneuver in (RAMMING, ""):
            found = ways_of(question.legal, "declare-speed", speed=row.name.__eq__, maneuver=maneuver.__eq__)
            if found and row.rank and _keeps_control(scene, who, row.name, maneuver):
                return found[0]
    return question.default


def _keeps_control(scene: Scene, who: Person, speed: str, maneuver: str) -> bool:
    """Whether the average roll is enough."""
    mover, drive = mover_of(scene, who), drive_of(scene, who, speed, maneuver)
    if not takes_roll(scene, mover, drive):
        return True
    using = control_skill(scene, who, mover, drive.course)
    mods = rolled_mods((*control_mods(scene, who, mover, drive), *applying(scene, who, using, ACTION, ANY_ROLL).mods))
    code, plus = modified_code(scene, own_code(scene, who, using), mods)
    return AVERAGE * code.dice + code.pips + plus >= movement_difficulty(scene, mover, drive)


PLAIN: Final[dict[str, Callable[[Any], bool]]] = {
    "zone": TORSO.__eq__,
    "direction": "front".__eq__,
    "above": False.__eq__,
    "sides": ().__eq__,
    "surprised": False.__eq__,
    "visibility": "".__eq__,
    "lethal": False.__eq__,
    "obstacle": "".__eq__,
    "shoot_through": False.__eq__,
    "sees_through": False.__eq__,
    "mounted": False.__eq__,
    "situation": ().__eq__,
}
"""An attack from the front at the torso, in plain sight."""


def _foes(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of other sides who still fight."""
    fight = scene[FIGHT]
    foes = (Who(name, Hero) for name in fight.foes(scene, who.name))
    return tuple(each for each in foes if is_target(scene, each))


def is_target(scene: Scene, who: Person) -> bool:
    """Whether somebody still fights, and is worth an attack."""
    return scene[FIGHT].is_able(scene, who.name) and scene[who].wound != NEUTRALIZED


def target_rank(scene: Scene, who: Person) -> tuple[int, int]:
    """How much somebody can still take: the worst wound first, then the most stuns."""
    return -scene[WOUND_LEVELS].names.index(scene[who].wound), -scene[who].stuns


def _reaction(question: Choice[Any], scene: Scene, who: Person) -> Any:
    """The reaction that is expected to come to most, if that is more than the attack has to reach without it."""
    at = getattr(question, "about", None)
    legal = [each for each in question.legal if isinstance(each, str) and not each.endswith(ADDED)]
    if not isinstance(at, ReactionOffer):
        return question.default
    ways = [each for each in at.ways if each.key in legal and not each.full and each.needs is None]
    best = max(ways, key=lambda way: _expected(scene, who, way), default=None)
    if best is None or _expected(scene, who, best) <= at.difficulty:
        return question.default
    return best.key


def _expected(scene: Scene, who: Person, way: ReactionWay) -> float:
    """What a reaction comes to on average; one on top of what was declared is a die harder."""
    fight, named = scene[FIGHT], ability_name(scene, way.using)
    mods = rolled_mods(
        (*way.mods, *applying(scene, who, *named.tags, ACTION, ANY_ROLL, "reaction", LEGS, SPATIAL).mods)
    )
    code, plus = modified_code(scene, own_code(scene, who, way.using), mods)
    on_top = not way.free and not fight.left.get(who.name, 0) and fight.total_actions(who.name) > 0
    return AVERAGE * (code.dice - on_top) + code.pips + plus
