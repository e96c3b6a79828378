"""Opposed checks: two people work against each other, and the higher total wins."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    D6,
    Bands,
    Faces,
    Mods,
    Pick,
    Pool,
    Scene,
    action,
    applying,
    formula,
    frozen,
    refuse,
    roll,
    rule,
    together,
    until_settled,
)
from referee.systems.distemper.checks import (
    CHECK,
    CHECK_DICE,
    Check,
    UsableAbility,
    check_result,
    cited,
    dice_check,
    initiative_check,
    own_mods,
)
from referee.systems.distemper.insight import Dice, spend_after, spend_before, throw_extra
from referee.systems.distemper.sheet import Ability, Person, check_alive, others


@frozen
class Opposed:
    """How an opposed check ended: who won, and what both rolled."""

    winner: str
    first_wins: bool
    first: Check
    second: Check


FOUGHT: Final[Bands[Opposed]] = Bands(of=lambda fought: "won" if fought.first_wins else "lost", keys=("won", "lost"))


def check_opponent(scene: Scene, one: Person, other: Person) -> None:
    """Two characters against each other."""
    if one == other:
        refuse("it takes two")
    check_alive(scene, other)


Opponent: TypeAlias = Annotated[Person, Pick(others, check_opponent)]


@action("opposed-check", "distemper.checks.opposed", "distemper.checks.opposed-insight", bands=FOUGHT, turn=check_alive)
async def opposed_check(
    scene: Scene,
    one: Person,
    other: Opponent,
    using: UsableAbility,
    answering: UsableAbility,
    cmods: Mods = (),
    other_cmods: Mods = (),
) -> Opposed:
    """Initiative, then check against check; the higher total wins, and without a clear winner it all starts over."""
    return await until_settled(oppose(one, other, using, answering, cmods, other_cmods))


@rule("distemper.checks.opposed/attempt")
async def oppose(
    scene: Scene,
    one: Person,
    other: Person,
    using: Ability,
    answering: Ability,
    cmods: Mods,
    other_cmods: Mods,
) -> Opposed | None:
    """One attempt: the winner of initiative rolls first; None means no clear winner."""
    leads = await who_leads(one, other)
    if leads is None:
        first, second = await check_at_once(one, other, using, answering, cmods, other_cmods)
    elif leads == one:
        first = await dice_check(one, using, cmods)
        second = await dice_check(other, answering, other_cmods)
    else:
        second = await dice_check(other, answering, other_cmods)
        first = await dice_check(one, using, cmods)
    won = one_wins(scene, first, second)
    return None if won is None else Opposed(one.name if won else other.name, won, first, second)


@rule("distemper.checks.opposed/initiative")
async def who_leads(scene: Scene, one: Person, other: Person) -> Person | None:
    """Which of the two has the initiative; with equal scores neither has."""
    mine = await initiative_check(one)
    theirs = await initiative_check(other)
    return None if mine == theirs else one if mine > theirs else other


@frozen
class Side:
    """One side of an opposed check, and its modifiers."""

    who: Person
    own: Mods
    cmods: Mods


@rule("distemper.checks.opposed/at-once", "distemper.checks.dice-check")
async def check_at_once(
    scene: Scene,
    one: Person,
    other: Person,
    using: Ability,
    answering: Ability,
    cmods: Mods,
    other_cmods: Mods,
) -> tuple[Check, Check]:
    """After equal initiative both throw before either may improve the dice; the one who started is asked first."""
    sides = (side_of(scene, one, using, cmods), side_of(scene, other, answering, other_cmods))
    bought = [await spend_before(side.who, Dice(())) for side in sides]
    pool = Pool.of((D6, scene[CHECK_DICE]))
    thrown = await together(
        *(
            roll(CHECK, side.who, pool, Faces, mods=cited(side.own, side.cmods) + dice.bonus)
            for side, dice in zip(sides, bought, strict=True)
        )
    )
    extra = [await throw_extra(side.who, dice.extra) for side, dice in zip(sides, bought, strict=True)]
    dice = [Dice(shown.faces, more, had.bonus) for shown, more, had in zip(thrown, extra, bought, strict=True)]
    first, second = [
        await check_result(side.who, await spend_after(side.who, mine), side.own, side.cmods)
        for side, mine in zip(sides, dice, strict=True)
    ]
    return first, second


def side_of(scene: Scene, who: Person, using: Ability, cmods: Mods) -> Side:
    return Side(who, own_mods(scene, who, using), cmods + applying(scene, who, "check").mods)


@formula("distemper.checks.opposed-insight")
def one_wins(scene: Scene, first: Check, second: Check) -> bool | None:
    """A double six wins, a double one loses, whatever the totals; the same moment on both sides settles nothing."""
    if first.moment != second.moment:
        for check, other in ((first, True), (second, False)):
            if check.moment == "High":
                return other
        return second.moment == "Low"
    if first.moment is not None or first.total == second.total:
        return None
    return first.total > second.total
