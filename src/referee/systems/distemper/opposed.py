"""Opposed checks: two people work against each other, and the higher total wins."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
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
    action_of,
    applying,
    formula,
    frozen,
    refuse,
    roll,
    rule,
    together,
    until_settled,
)
from referee.core.branches import LEFT_OUT, UNLIKELY, Changed
from referee.core.composed import KernelCalls, WeightedEnds, after_all, by_changes, joined
from referee.core.rulebook import BOOK, Book
from referee.core.rules import Decide, kernel
from referee.systems.distemper.checks import (
    CHECK,
    CHECK_DICE,
    Check,
    UsableAbility,
    check_end,
    check_ends,
    check_result,
    cited,
    dice_check,
    initiative_check,
    own_mods,
)
from referee.systems.distemper.insight import (
    Dice,
    bought_before,
    improved_throws,
    spend_after,
    spend_before,
    spends_after,
    throw_extra,
)
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


@kernel(opposed_check)
def opposed_ends(
    scene: Scene,
    decide: Decide,
    one: Person,
    other: Opponent,
    using: UsableAbility,
    answering: UsableAbility,
    cmods: Mods = (),
    other_cmods: Mods = (),
) -> list[tuple[Opposed, Changed, int]]:
    """One attempt after the other; those after which nothing has changed are left out."""
    given = {"other": other, "using": using, "answering": answering, "cmods": cmods, "other_cmods": other_cmods}
    action_of(opposed_check).refuse(scene, one, given)
    calls, found = KernelCalls.of(decide), WeightedEnds[Opposed]()
    attempts: list[tuple[Changed, int, int]] = [((), 1, 1)]
    while attempts:
        before, top, of = attempts.pop()
        if top * UNLIKELY < of:
            found.add(LEFT_OUT, (), top, of)
            continue
        groups = calls.groups(oppose(one, other, using, answering, cmods, other_cmods), after_all(scene, before))
        counted = [
            (joined(before, changes), [row for row in rows if row[0] is not None or changes])
            for changes, _, rows in groups
        ]
        whole, again = sum(ways for _, rows in counted for _, ways in rows), Counter[Changed]()
        for changes, rows in counted:
            again[changes] += sum(ways for result, ways in rows if result is None)
            found.add_all(((result, ways) for result, ways in rows if result is not None), changes, top, of * whole)
        attempts += [(changes, top * ways, of * whole) for changes, ways in again.items() if ways]
    return found.ends()


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
    return attempted(scene, one, other, first, second)


@kernel(oppose)
def attempt_ends(
    scene: Scene,
    decide: Decide,
    one: Person,
    other: Person,
    using: Ability,
    answering: Ability,
    cmods: Mods,
    other_cmods: Mods,
) -> list[tuple[Opposed | None, Changed, int]]:
    """Every pair of checks, in the order of initiative."""
    calls, found, book = KernelCalls.of(decide), WeightedEnds[Opposed | None](), scene[BOOK]
    first, second = dice_check(one, using, cmods), dice_check(other, answering, other_cmods)
    at_once = check_at_once(one, other, using, answering, cmods, other_cmods)
    for leads, before, ways, whole in calls.ends(who_leads(one, other), scene):
        now = after_all(scene, before)
        if leads is None:
            ends = calls.groups(at_once, now)
        else:
            ends = calls.pairs(first, second, now) if leads == one else calls.pairs(second, first, now)
        is_first = leads in (None, one)
        for changes, of, pairs in ends:
            checks = ((both if is_first else both[::-1], times) for both, times in pairs)
            rows = ((known_attempt(book, one, other, *both), times) for both, times in checks)
            found.add_all(rows, joined(before, changes), ways, whole * of)
    return found.ends()


def attempted(scene: Scene, one: Person, other: Person, first: Check, second: Check) -> Opposed | None:
    """What two checks against each other come to; None means no clear winner."""
    won = one_wins(scene, first, second)
    return None if won is None else Opposed(one.name if won else other.name, won, first, second)


@lru_cache(maxsize=4096)
def known_attempt(book: Book, one: Person, other: Person, first: Check, second: Check) -> Opposed | None:
    """The same for kernels, which ask for many pairs."""
    return attempted(Scene({BOOK.name: book}), one, other, first, second)


@rule("distemper.checks.opposed/initiative")
async def who_leads(scene: Scene, one: Person, other: Person) -> Person | None:
    """Which of the two has the initiative; with equal scores neither has."""
    mine = await initiative_check(one)
    theirs = await initiative_check(other)
    return None if mine == theirs else one if mine > theirs else other


@kernel(who_leads)
def leader_ends(scene: Scene, decide: Decide, one: Person, other: Person) -> list[tuple[Person | None, Changed, int]]:
    """Every pair of scores."""
    found = WeightedEnds[Person | None]()
    scores = KernelCalls.of(decide).pairs(initiative_check(one), initiative_check(other), scene)
    for changes, whole, rows in scores:
        leads = ((None if mine == theirs else one if mine > theirs else other, ways) for (mine, theirs), ways in rows)
        found.add_all(leads, changes, 1, whole)
    return found.ends()


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


@kernel(check_at_once)
def at_once_ends(
    scene: Scene,
    decide: Decide,
    one: Person,
    other: Person,
    using: Ability,
    answering: Ability,
    cmods: Mods,
    other_cmods: Mods,
) -> list[tuple[tuple[Check, Check], Changed, int]]:
    """Every pair of throws, with what is bought before and after them."""
    sides = (side_of(scene, one, using, cmods), side_of(scene, other, answering, other_cmods))
    paid, bought = scene, list[Dice]()
    for side in sides:
        dice, paid = bought_before(paid, decide, side.who)
        bought.append(dice)
    before = tuple((side.who, paid[side.who]) for side in sides if paid[side.who] is not scene[side.who])

    def ends(at: int, now: Scene) -> list[tuple[Check, Changed, int]]:
        who, own, mods = sides[at].who, sides[at].own, sides[at].cmods
        if not KernelCalls.of(decide).known(spends_after, now, who, bought[at], now[CHECK_DICE]):
            return check_ends(now, who, bought[at], own, mods, ())
        thrown = improved_throws(now, decide, who, bought[at], now[CHECK_DICE])
        return [check_end(after_all(now, paid), who, dice, own, mods, paid, ways) for dice, paid, ways in thrown]

    found = WeightedEnds[tuple[Check, Check]]()
    for changes, mine in by_changes(ends(0, paid)).items():
        second = ends(1, after_all(paid, changes))
        whole = sum(ways for _, _, ways in second)
        for more, theirs in by_changes(second).items():
            rows = (((check, against), ways * times) for against, times in theirs for check, ways in mine)
            found.add_all(rows, joined(before, joined(changes, more)), 1, whole)
    return found.ends()


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
