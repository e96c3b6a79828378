"""Taking a turn: the Combat Actions as forms, commands and policies know them, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Final, TypeAlias

from referee.core import YES_NO, Action, Bands, Prompt, Refused, Scene, alter, choose, rule
from referee.core.system import Offer
from referee.systems.distemper import attacking, defending, grappling, helping, moving, shooting
from referee.systems.distemper.actions import (
    ACTIONS_RULE,
    Person,
    check_act,
    check_action,
    check_cost,
    check_ready_weapon,
    check_target,
    check_turn,
    ready_weapon,
)
from referee.systems.distemper.attacks import Strike
from referee.systems.distemper.checks import check_dice_check
from referee.systems.distemper.fight import FIGHT, TURN, Fight
from referee.systems.distemper.sheet import Character, every_ability
from referee.systems.distemper.weapons import UNARMED, check_weapon

ACTION: Final = Prompt("action")

Offered: TypeAlias = Callable[[Scene, Person | None], tuple[Any, ...]]


# Results of an action.


def outcome_of(result: Any) -> str:
    """The band of a check, or of the check behind a strike."""
    check = result.check if isinstance(result, Strike) else result
    return str(check.outcome).casefold().replace(" ", "-")


CHECKED: Final[Bands[Any]] = Bands(
    of=outcome_of,
    keys=("wild-success", "success", "failure", "dire-failure"),
    good=("wild-success", "success"),
    extra={"insight-die": lambda result: (result.check if isinstance(result, Strike) else result).moment is not None},
)
FOUGHT: Final[Bands[Any]] = Bands(of=lambda fought: "won" if fought.first_wins else "lost", keys=("won", "lost"))
FREED: Final[Bands[Any]] = Bands(of=lambda fought: "lost" if fought.first_wins else "won", keys=("won", "lost"))
"""From the side of the one who breaks free; the holder is the first of the two."""
SHOT: Final[Bands[Any]] = Bands(
    of=lambda shots: f"{sum(shot.hit for shot in shots)}-hits",
    keys=("2-hits", "1-hits", "0-hits"),
    good=("2-hits", "1-hits"),
)


# Values to choose from.


def others(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Character) if each != who and not scene[each].dead)


def weapons(scene: Scene, who: Person | None) -> tuple[str, ...]:
    names = carried(scene, who)
    return names if UNARMED in names else (*names, UNARMED)


def carried(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].items) if who else ()


def distractions(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return scene[helping.DISTRACT_CHECKS]


def either(scene: Scene, who: Person | None) -> tuple[bool, ...]:
    return YES_NO


def is_allowed(check: Callable[..., None], *arguments: Any) -> bool:
    """Whether a check allows something."""
    try:
        check(*arguments)
    except Refused:
        return False
    return True


def allowed(values: Offered, check: Callable[..., None]) -> Offered:
    """Those values that a check allows someone to choose."""

    def offered(scene: Scene, who: Person | None) -> tuple[Any, ...]:
        return tuple(each for each in values(scene, who) if is_allowed(check, scene, who, each)) if who else ()

    return offered


def _upon(action: str) -> Callable[..., None]:
    """The check of an action that needs at most a target."""

    def check(scene: Scene, who: Person, target: Person | None = None, **_: Any) -> None:
        check_target(scene, who, target, action)

    return check


def _moving(action: str) -> Callable[..., None]:
    """The check of an action that changes the range."""

    def check(scene: Scene, who: Person, target: Person | None = None, closer: bool | None = None, **_: Any) -> None:
        moving.check_moving(scene, who, target, closer, action)

    return check


def _with(check: Callable[..., None]) -> Callable[..., None]:
    """The check of an action, limited to its weapon."""
    return lambda scene, who, weapon: check(scene, who, None, weapon)


TARGETS: Final = allowed(others, _upon("target"))
READY: Final = allowed(weapons, check_weapon)
LOADED: Final = allowed(carried, _with(shooting.check_cover_fire))

ON: Final = {"target": TARGETS}
ATTACKED: Final = {"target": allowed(others, attacking.check_attack), "weapon": READY}
CHARGED: Final = {"target": TARGETS, "weapon": allowed(weapons, _with(attacking.check_charge))}
DISTRACTED: Final = {"target": allowed(others, helping.check_distract), "using": distractions}
HOLDING: Final = {"holder": allowed(others, grappling.check_break_free)}
INSPIRED: Final = {"target": allowed(others, helping.check_inspire)}
MOVING: Final = {"target": TARGETS, "closer": either}
SHOOTING: Final = {"target": TARGETS, "weapon": LOADED}
SUBDUED: Final = {"target": TARGETS, "weapon": READY}
UNREADY: Final = {"weapon": allowed(carried, check_ready_weapon)}


# The actions.

WAYS: Final[tuple[tuple[str, Action[Any]], ...]] = (
    ("Aim", Action("aim", attacking.aim, check=_upon("Aim"), offers=ON)),
    ("Attack", Action("attack", attacking.attack, CHECKED, attacking.check_attack, ATTACKED)),
    ("Charge", Action("charge", attacking.charge, CHECKED, attacking.check_charge, CHARGED)),
    ("Coordinate", Action("coordinate", helping.coordinate, CHECKED, _upon("Coordinate"), ON)),
    ("Cover Fire", Action("cover-fire", shooting.cover_fire, CHECKED, shooting.check_cover_fire, SHOOTING)),
    ("Defend", Action("defend", defending.defend)),
    ("Dice Check", Action("dice-check", check_action, CHECKED, check_dice_check, {"using": every_ability})),
    ("Distract", Action("distract", helping.distract, CHECKED, helping.check_distract, DISTRACTED)),
    (
        "Fire from Cover",
        Action("fire-from-cover", shooting.fire_from_cover, CHECKED, shooting.check_fire_from_cover, SHOOTING),
    ),
    ("Grappling", Action("grapple", grappling.grapple, FOUGHT, _upon("Grappling"), ON)),
    ("Grappling", Action("break-free", grappling.break_free, FREED, grappling.check_break_free, HOLDING)),
    ("Inspire", Action("inspire", helping.inspire, CHECKED, helping.check_inspire, INSPIRED)),
    ("Move", Action("move", moving.move, check=_moving("Move"), offers=MOVING)),
    (
        "Rapid Fire",
        Action("rapid-fire", shooting.rapid_fire, SHOT, shooting.check_rapid_fire, {**SHOOTING, "both": either}),
    ),
    ("Ready Weapon", Action("ready-weapon", ready_weapon, check=check_ready_weapon, offers=UNREADY)),
    ("Reposition", Action("reposition", moving.reposition, check=_moving("Reposition"), offers=MOVING)),
    ("Sprint", Action("sprint", moving.sprint, CHECKED, _moving("Sprint"), MOVING)),
    ("Subdue", Action("subdue", attacking.subdue, CHECKED, attacking.check_subdue, SUBDUED)),
    ("Take Cover", Action("take-cover", defending.take_cover)),
)
"""Each action by its name in the catalogue, with the check of its arguments only."""


def _in_turn(name: str, way: Action[Any]) -> Action[Any]:
    """The whole action: one must be able to act, and the arguments must be legal."""

    def check(scene: Scene, who: Person, **given: Any) -> None:
        check_act(scene, who, name)
        way.check(scene, who, **given)

    return replace(way, check=check)


HELD: Final = {"target": allowed(others, grappling.check_let_go)}
LET_GO: Final = Action("let-go", grappling.let_go, check=grappling.check_let_go, offers=HELD)
COMBAT_ACTIONS: Final = (LET_GO, *(_in_turn(name, way) for name, way in WAYS))


def legal_actions(scene: Scene, who: Person) -> tuple[Offer, ...]:
    """Everything someone may do with their next action.

    The turn is checked once, and shared choices are computed once for all actions. Each choice is legal by itself; only
    for a move, direction and target are checked together.
    """
    turn = WAYS if is_allowed(check_turn, scene, who, "act") else ()
    paid = (way for name, way in turn if is_allowed(check_cost, scene, who, name))
    choices = cache(lambda offered: offered(scene, who))
    can_move = cache(lambda step: is_allowed(moving.check_moving, scene, who, *step, "Move"))
    return tuple(
        way.by(who, **dict(zip(way.offers, values, strict=True)))
        for way in (LET_GO, *paid)
        if way.may(scene, who) is None
        for values in product(*map(choices, way.offers.values()))
        if way.offers is not MOVING or can_move(values)
    )


@rule(TURN, ACTIONS_RULE)
async def take_turn(scene: Scene, who: Person) -> str:
    """Choose one of the legal Combat Actions and take it. Someone who can do nothing loses the action."""
    legal = legal_actions(scene, who)
    if not legal:
        await alter(FIGHT, Fight.spending, who.name, 1)
        return "nothing"
    chosen = await choose(who, ACTION, legal)
    await chosen.call
    return chosen.key
