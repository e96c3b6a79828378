"""Taking one's turn: the Combat Actions as forms, commands and policies know them, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from referee.core import YES_NO, Action, Bands, Prompt, Scene, alter, choose, rule
from referee.core.system import Offer, offers
from referee.systems.distemper.actions import (
    ACTIONS_RULE,
    DISTRACT_CHECKS,
    Person,
    aim,
    attack,
    break_free,
    charge,
    check_act,
    check_action,
    check_attack,
    check_break_free,
    check_charge,
    check_cover_fire,
    check_distract,
    check_fire_from_cover,
    check_inspire,
    check_let_go,
    check_moving,
    check_rapid_fire,
    check_ready_weapon,
    check_subdue,
    check_target,
    coordinate,
    cover_fire,
    defend,
    distract,
    fire_from_cover,
    grapple,
    inspire,
    let_go,
    move,
    rapid_fire,
    ready_weapon,
    reposition,
    sprint,
    subdue,
    take_cover,
)
from referee.systems.distemper.attacks import Strike
from referee.systems.distemper.checks import check_dice_check
from referee.systems.distemper.fight import FIGHT, TURN, Fight
from referee.systems.distemper.sheet import ATTRIBUTES, Character
from referee.systems.distemper.weapons import UNARMED

ACTION: Final = Prompt("action")


def outcome_of(result: Any) -> str:
    """The band of a check, or of the check behind a strike."""
    check = result.check if isinstance(result, Strike) else result
    return str(check.outcome).casefold().replace(" ", "-")


CHECKED: Final[Bands[Any]] = Bands(
    of=outcome_of,
    keys=("wild-success", "success", "failure", "dire-failure"),
    extra={"insight-die": lambda result: (result.check if isinstance(result, Strike) else result).moment is not None},
)
FOUGHT: Final[Bands[Any]] = Bands(of=lambda fought: "won" if fought.first_wins else "lost", keys=("won", "lost"))
SHOT: Final[Bands[Any]] = Bands(
    of=lambda shots: f"{sum(shot.hit for shot in shots)}-hits", keys=("2-hits", "1-hits", "0-hits")
)


def others(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Character) if each != who and not scene[each].dead)


def weapons(scene: Scene, who: Person | None) -> tuple[str, ...]:
    names = carried(scene, who)
    return names if UNARMED in names else (*names, UNARMED)


def carried(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].items) if who else ()


def abilities(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return (*scene[ATTRIBUTES].names, *(scene[who].skills if who else ()))


def distractions(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return scene[DISTRACT_CHECKS]


def either(scene: Scene, who: Person | None) -> tuple[bool, ...]:
    return YES_NO


ON: Final = {"target": others}
ARMED: Final = {"target": others, "weapon": weapons}
SHOOTING: Final = {"target": others, "weapon": carried}
MOVING: Final = {"target": others, "closer": either}


def _upon(action: str) -> Callable[..., None]:
    """The check of an action that needs no more than a target, if that."""

    def check(scene: Scene, who: Person, target: Person | None = None, **_: Any) -> None:
        check_target(scene, who, target, action)

    return check


def _moving(action: str) -> Callable[..., None]:
    """The check of an action that changes the range."""

    def check(scene: Scene, who: Person, target: Person | None = None, closer: bool | None = None, **_: Any) -> None:
        check_moving(scene, who, target, closer, action)

    return check


WAYS: Final[tuple[tuple[str, Action[Any]], ...]] = (
    ("Aim", Action("aim", aim, check=_upon("Aim"), offers=ON)),
    ("Attack", Action("attack", attack, CHECKED, check_attack, ARMED)),
    ("Charge", Action("charge", charge, CHECKED, check_charge, ARMED)),
    ("Coordinate", Action("coordinate", coordinate, CHECKED, _upon("Coordinate"), ON)),
    ("Cover Fire", Action("cover-fire", cover_fire, CHECKED, check_cover_fire, SHOOTING)),
    ("Defend", Action("defend", defend)),
    ("Dice Check", Action("dice-check", check_action, CHECKED, check_dice_check, {"using": abilities})),
    ("Distract", Action("distract", distract, CHECKED, check_distract, {**ON, "using": distractions})),
    ("Fire from Cover", Action("fire-from-cover", fire_from_cover, CHECKED, check_fire_from_cover, SHOOTING)),
    ("Grappling", Action("grapple", grapple, FOUGHT, _upon("Grappling"), ON)),
    ("Grappling", Action("break-free", break_free, FOUGHT, check_break_free, {"holder": others})),
    ("Inspire", Action("inspire", inspire, CHECKED, check_inspire, ON)),
    ("Move", Action("move", move, check=_moving("Move"), offers=MOVING)),
    ("Rapid Fire", Action("rapid-fire", rapid_fire, SHOT, check_rapid_fire, {**SHOOTING, "both": either})),
    ("Ready Weapon", Action("ready-weapon", ready_weapon, check=check_ready_weapon, offers={"weapon": carried})),
    ("Reposition", Action("reposition", reposition, check=_moving("Reposition"), offers=MOVING)),
    ("Sprint", Action("sprint", sprint, CHECKED, _moving("Sprint"), MOVING)),
    ("Subdue", Action("subdue", subdue, CHECKED, check_subdue, ARMED)),
    ("Take Cover", Action("take-cover", take_cover)),
)
"""Each action by its name in the catalogue, with the check of its arguments alone."""


def _in_turn(name: str, way: Action[Any]) -> Action[Any]:
    """The whole action: one must be able to act, and the arguments must do."""

    def check(scene: Scene, who: Person, **given: Any) -> None:
        check_act(scene, who, name)
        way.check(scene, who, **given)

    return replace(way, check=check)


LET_GO: Final = Action("let-go", let_go, check=check_let_go, offers=ON)
COMBAT_ACTIONS: Final = (LET_GO, *(_in_turn(name, way) for name, way in WAYS))


def lawful_actions(scene: Scene, who: Person) -> tuple[Offer, ...]:
    """Everything somebody may do with the next action.

    Whether they may act at all is asked once for each action, and not for every target and weapon.
    """
    able = (way for (_, way), action in zip(WAYS, COMBAT_ACTIONS[1:], strict=True) if action.may(scene, who) is None)
    return offers((LET_GO, *able), scene, who)


@rule(TURN, ACTIONS_RULE)
async def take_turn(scene: Scene, who: Person) -> str:
    """Choose among the lawful Combat Actions, and take it. Who can do nothing loses the action."""
    lawful = lawful_actions(scene, who)
    if not lawful:
        await alter(FIGHT, Fight.spending, who.name, 1)
        return "nothing"
    chosen = await choose(who, ACTION, lawful)
    await chosen.call(scene, who)
    return chosen.key
