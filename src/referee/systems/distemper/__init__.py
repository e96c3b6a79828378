"""Distemper: 2d6 and modifiers against 9, Insight Dice, combat rounds of two actions, panic, negotiations."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Action, Bands, Scene, Shorthand, System, Unit, Who
from referee.core.rulebook import Book
from referee.systems.distemper.attacks import check_die, check_hurt, die, hurt
from referee.systems.distemper.checks import any_cmod, check_dice_check, check_group, dice_check, group_check
from referee.systems.distemper.creation import CREATION
from referee.systems.distemper.fight import Fight
from referee.systems.distemper.insight import bend_reality, check_bend_reality
from referee.systems.distemper.opposed import check_opposed, opposed_check
from referee.systems.distemper.policies import aggressive, cautious
from referee.systems.distemper.sheet import Character, check_sheet, every_ability, party
from referee.systems.distemper.shorthand import shorthand
from referee.systems.distemper.social import (
    GAMBIT_CHECKS,
    IMPRESSION_CHECKS,
    INSTINCT_CHECKS,
    Instinct,
    Negotiation,
    check_first_impression,
    check_gut_instinct,
    check_negotiate,
    first_impression,
    gut_instinct,
    negotiate,
)
from referee.systems.distemper.turns import CHECKED, COMBAT_ACTIONS, FOUGHT, carried, others
from referee.systems.distemper.upkeep import check_upkeep, keeps_up_with, upkeep

NEGOTIATED: Final[Bands[Negotiation]] = Bands(
    of=lambda result: result.end.replace(" ", "-"),
    keys=("agreed", "deal", "left-open", "no-common-ground", "fallen-apart"),
    good=("agreed", "deal"),
)
READ: Final[Bands[Instinct]] = Bands(
    of=lambda result: "insight" if result.insight else "misled" if result.misled else "nothing",
    keys=("insight", "nothing", "misled"),
)


def newcomers(scene: Scene, who: Who[Character] | None) -> tuple[tuple[Who[Character], ...], ...]:
    """Who may meet someone: each member of the party alone, or all together."""
    return tuple(dict.fromkeys((*((each,) for each in party(scene)), party(scene))))


def units(scene: Scene) -> tuple[Unit, ...]:
    """The book counts only rounds."""
    return (Unit("Round", 1),)


def short_form(text: str) -> Shorthand | None:
    """A check in the short form, within the limits of the printed book."""
    return shorthand(text, Book(SYSTEM.printed_book))


SYSTEM: Final = System(
    name="distemper",
    title="Distemper",
    folder=Path(__file__).parent,
    version=1,
    sheet=Character,
    kinds=(Fight,),
    actions=(
        Action("check", dice_check, CHECKED, check_dice_check, {"using": every_ability}, may_be={"secret": any_cmod}),
        Action(
            "opposed-check",
            opposed_check,
            FOUGHT,
            check_opposed,
            {"other": others, "using": every_ability, "answering": every_ability},
        ),
        *COMBAT_ACTIONS,
        Action(
            "gut-instinct",
            gut_instinct,
            READ,
            check_gut_instinct,
            {"using": lambda scene, _: scene[INSTINCT_CHECKS], "hidden": lambda *_: (False, True)},
        ),
        Action(
            "negotiate",
            negotiate,
            NEGOTIATED,
            check_negotiate,
            {"other": others, "using": lambda scene, _: scene[GAMBIT_CHECKS]},
        ),
        Action("upkeep", upkeep, CHECKED, check_upkeep, {"item": carried, "using": keeps_up_with}),
        Action("bend-reality", bend_reality, check=check_bend_reality),
        Action(
            "first-impression",
            first_impression,
            CHECKED,
            check_first_impression,
            {"who": newcomers, "using": lambda scene, _: scene[IMPRESSION_CHECKS]},
            master=True,
        ),
        Action(
            "group-check",
            group_check,
            CHECKED,
            check_group,
            {"members": lambda scene, _: (party(scene),), "using": every_ability},
            master=True,
        ),
        Action(
            "hurt",
            hurt,
            check=check_hurt,
            offers={"wp": lambda *_: range(4), "rp": lambda *_: range(4)},
            master=True,
        ),
        Action("would-die", die, check=check_die, master=True),
    ),
    policies={"aggressive": aggressive, "cautious": cautious},
    check=check_sheet,
    units=units,
    shorthand=short_form,
    creation=CREATION,
)
