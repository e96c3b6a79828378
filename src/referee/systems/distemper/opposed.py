"""Opposed checks: two people work against each other, and the higher total wins."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Final, TypeAlias, TypeVar

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
    formula,
    frozen,
    refuse,
    roll,
    rule,
    together,
    until_settled,
)
from referee.core.branches import LEFT_OUT, UNLIKELY, Changed, unless_left_out
from referee.core.composed import EndGroup, KernelCalls, WeightedEnds, after_all, by_changes, joined
from referee.core.rulebook import BOOK, Book
from referee.core.rules import Call, Decide, kernel, outline
from referee.systems.distemper.checks import (
    CHECK,
    CHECK_DICE,
    Check,
    UsableAbility,
    check_end,
    check_ends,
    check_mods,
    check_result,
    cited,
    dice_check,
    initiative_check,
    outcome_of,
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

T = TypeVar("T")


@frozen
class Opposed:
    """How an opposed check ended: who won, and what both rolled."""

    winner: str
    first_wins: bool
    first: Check
    second: Check


FOUGHT: Final[Bands[Opposed]] = Bands(of=lambda fought: "won" if fought.first_wins else "lost", keys=("won", "lost"))


@frozen
class Side:
    """One side of an opposed check, and its modifiers."""

    who: Person
    using: Ability
    cmods: Mods

    def check(self) -> Call[Check]:
        return dice_check(self.who, self.using, self.cmods)

    def mods(self, scene: Scene) -> tuple[Mods, Mods]:
        """Their own, and those from outside."""
        return check_mods(scene, self.who, self.using, self.cmods)


@frozen
class Opponents:
    """Two people against each other."""

    one: Side
    other: Side

    def result(self, scene: Scene, first: Check, second: Check) -> Opposed | None:
        """What two checks against each other come to; None means no clear winner."""
        won = one_wins(scene, first, second)
        return None if won is None else self.won(won, first, second)

    def won(self, by_one: bool, first: Check, second: Check) -> Opposed:
        return Opposed((self.one if by_one else self.other).who.name, by_one, first, second)


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
    return await until_settled(oppose(Opponents(Side(one, using, cmods), Side(other, answering, other_cmods))))


@rule("distemper.checks.opposed/attempt")
async def oppose(scene: Scene, two: Opponents) -> Opposed | None:
    """One attempt: the winner of initiative rolls first; None means no clear winner."""
    one, other = two.one, two.other
    leads = await who_leads(one.who, other.who)
    if leads is None:
        first, second = await check_at_once(two)
    elif leads == one.who:
        first = await one.check()
        second = await other.check()
    else:
        second = await other.check()
        first = await one.check()
    return two.result(scene, first, second)


@rule("distemper.checks.opposed/initiative")
async def who_leads(scene: Scene, one: Person, other: Person) -> Person | None:
    """Which of the two has the initiative; with equal scores neither has."""
    mine = await initiative_check(one)
    theirs = await initiative_check(other)
    return None if mine == theirs else one if mine > theirs else other


@rule("distemper.checks.opposed/at-once", "distemper.checks.dice-check")
async def check_at_once(scene: Scene, two: Opponents) -> tuple[Check, Check]:
    """After equal initiative both throw before either may improve the dice; the one who started is asked first."""
    sides = [(side.who, *side.mods(scene)) for side in (two.one, two.other)]
    bought = [await spend_before(who, Dice(())) for who, _, _ in sides]
    pool = Pool.of((D6, scene[CHECK_DICE]))
    thrown = await together(
        *(
            roll(CHECK, who, pool, Faces, mods=cited(own, cmods) + dice.bonus)
            for (who, own, cmods), dice in zip(sides, bought, strict=True)
        )
    )
    extra = [await throw_extra(who, dice.extra) for (who, _, _), dice in zip(sides, bought, strict=True)]
    dice = [Dice(shown.faces, more, had.bonus) for shown, more, had in zip(thrown, extra, bought, strict=True)]
    first, second = [
        await check_result(who, await spend_after(who, mine), own, cmods)
        for (who, own, cmods), mine in zip(sides, dice, strict=True)
    ]
    return first, second


@formula("distemper.checks.opposed-insight")
def one_wins(scene: Scene, first: Check, second: Check) -> bool | None:
    """A double six wins, a double one loses, whatever the totals; the same moment on both sides settles nothing."""
    mine, theirs = rank(first), rank(second)
    return None if mine == theirs else mine > theirs


Rank: TypeAlias = tuple[int, int]
Checks: TypeAlias = list[tuple[Check, int]]
"""Each with its number of ways."""


def rank(check: Check) -> Rank:
    """The higher of two wins; those of the same moment are equal."""
    return ({"High": 1, "Low": -1}[check.moment], 0) if check.moment else (0, check.total)


# --- odds -------------------------------------------------------------------------------------------------------------


def refuse_opposed(scene: Scene, two: Opponents) -> None:
    """Refuse what the action would refuse."""
    one, other = two.one, two.other
    given = {"other": other.who, "using": one.using, "answering": other.using}
    action_of(opposed_check).refuse(scene, one.who, {**given, "cmods": one.cmods, "other_cmods": other.cmods})


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
    two = Opponents(Side(one, using, cmods), Side(other, answering, other_cmods))
    refuse_opposed(scene, two)
    return settled_ends(scene, decide, lambda calls, now: calls.groups(oppose(two), now))


@outline(opposed_check, keeps={Opposed: ("winner", "first_wins")}, changes=True)
def opposed_outline(
    scene: Scene,
    decide: Decide,
    one: Person,
    other: Opponent,
    using: UsableAbility,
    answering: UsableAbility,
    cmods: Mods = (),
    other_cmods: Mods = (),
) -> list[tuple[Opposed, Changed, int]]:
    """Who wins; what both rolled is left open."""
    two = Opponents(Side(one, using, cmods), Side(other, answering, other_cmods))
    refuse_opposed(scene, two)
    ends = settled_ends(scene, decide, lambda calls, now: calls.known(attempt_outline, now, two))
    check = outcome_of(scene, (), 0)
    result = lambda won: two.won(won, check, check)  # noqa: E731
    return [(unless_left_out(won, result), changes, ways) for won, changes, ways in ends]


def settled_ends(
    scene: Scene, decide: Decide, attempt: Callable[[KernelCalls, Scene], list[EndGroup[T | None]]]
) -> list[tuple[T, Changed, int]]:
    """Attempts until one has a result; each that has none starts over in the scene it leaves."""
    calls, found = KernelCalls.of(decide), WeightedEnds[T]()
    attempts: dict[Changed, Fraction] = {(): Fraction(1)}
    while attempts:
        again: defaultdict[Changed, Fraction] = defaultdict(Fraction)
        for before, chance in attempts.items():
            if chance * UNLIKELY < 1:
                found.add(LEFT_OUT, (), *chance.as_integer_ratio())
                continue
            counted = [
                (joined(before, changes), [row for row in rows if row[0] is not None or changes])
                for changes, _, rows in attempt(calls, after_all(scene, before))
            ]
            top, of = (chance / sum(ways for _, rows in counted for _, ways in rows)).as_integer_ratio()
            for changes, rows in counted:
                found.add_all(((result, ways) for result, ways in rows if result is not None), changes, top, of)
                if unsettled := sum(ways for result, ways in rows if result is None):
                    again[changes] += Fraction(top * unsettled, of)
        attempts = again
    return found.ends()


@kernel(oppose)
def attempt_ends(scene: Scene, decide: Decide, two: Opponents) -> list[tuple[Opposed | None, Changed, int]]:
    """Every pair of checks, in the order of initiative."""
    calls, found, book = KernelCalls.of(decide), WeightedEnds[Opposed | None](), scene[BOOK]
    one, other = two.one, two.other
    for leads, before, ways, whole in calls.ends(who_leads(one.who, other.who), scene):
        now = after_all(scene, before)
        if leads is None:
            ends = calls.groups(check_at_once(two), now)
        else:
            first, second = (one, other) if leads == one.who else (other, one)
            ends = calls.pairs(first.check(), second.check(), now)
        is_first = leads in (None, one.who)
        for changes, of, pairs in ends:
            checks = ((both if is_first else both[::-1], times) for both, times in pairs)
            rows = ((known_result(book, two, *both), times) for both, times in checks)
            found.add_all(rows, joined(before, changes), ways, whole * of)
    return found.ends()


def attempt_outline(scene: Scene, decide: KernelCalls, two: Opponents) -> list[EndGroup[bool | None]]:
    """Who wins an attempt, by what has changed."""
    found, one, other = WeightedEnds[bool | None](), two.one, two.other
    for leads, before, ways, whole in decide.ends(who_leads(one.who, other.who), scene):
        now = after_all(scene, before)
        if leads is None:
            for changes, checks, against, of in thrown_at_once(now, decide, two):
                found.add_all(compared(ranked(checks), ranked(against)), joined(before, changes), ways, whole * of)
            continue
        first, second = (one, other) if leads == one.who else (other, one)
        for changes, of, mine in decide.known(ranked_groups, now, first):
            for more, of_them, theirs in decide.known(ranked_groups, after_all(now, changes), second):
                rows = compared(mine, theirs) if first is one else compared(theirs, mine)
                found.add_all(rows, joined(before, joined(changes, more)), ways, whole * of * of_them)
    ends = found.ends()
    return [(changes, 1, rows) for changes, rows in by_changes(ends).items()]


def ranked_groups(scene: Scene, decide: KernelCalls, side: Side) -> list[EndGroup[Rank]]:
    """The checks of a side by rank, and by what has changed."""
    return [(changes, whole, ranked(rows)) for changes, whole, rows in decide.groups(side.check(), scene)]


def ranked(checks: Checks) -> list[tuple[Rank, int]]:
    found = Counter[Rank]()
    for check, ways in checks:
        found[rank(check)] += ways
    return list(found.items())


def compared(mine: list[tuple[Rank, int]], theirs: list[tuple[Rank, int]]) -> list[tuple[bool | None, int]]:
    """In how many ways the first wins, loses, or neither."""
    whole = sum(ways for _, ways in mine) * sum(times for _, times in theirs)
    won = sum([ways * times for each, ways in mine for other, times in theirs if each > other])
    lost = sum([ways * times for each, ways in mine for other, times in theirs if each < other])
    return [(won_by, ways) for won_by, ways in ((True, won), (False, lost), (None, whole - won - lost)) if ways]


@lru_cache(maxsize=4096)
def known_result(book: Book, two: Opponents, first: Check, second: Check) -> Opposed | None:
    """For kernels, which ask for many pairs."""
    return two.result(Scene({BOOK.name: book}), first, second)


@kernel(who_leads)
def leader_ends(scene: Scene, decide: Decide, one: Person, other: Person) -> list[tuple[Person | None, Changed, int]]:
    """Every pair of scores."""
    found = WeightedEnds[Person | None]()
    scores = KernelCalls.of(decide).pairs(initiative_check(one), initiative_check(other), scene)
    for changes, whole, rows in scores:
        leads = ((None if mine == theirs else one if mine > theirs else other, ways) for (mine, theirs), ways in rows)
        found.add_all(leads, changes, 1, whole)
    return found.ends()


@kernel(check_at_once)
def at_once_ends(scene: Scene, decide: Decide, two: Opponents) -> list[tuple[tuple[Check, Check], Changed, int]]:
    """Every pair of throws, with what is bought before and after them."""
    found = WeightedEnds[tuple[Check, Check]]()
    for changes, mine, theirs, whole in thrown_at_once(scene, decide, two):
        rows = (((check, against), ways * times) for against, times in theirs for check, ways in mine)
        found.add_all(rows, changes, 1, whole)
    return found.ends()


def thrown_at_once(scene: Scene, decide: Decide, two: Opponents) -> Iterator[tuple[Changed, Checks, Checks, int]]:
    """By what has changed: every check of both, and the whole that all pairs are out of."""
    calls, sides = KernelCalls.of(decide), [(side.who, *side.mods(scene)) for side in (two.one, two.other)]
    paid, bought = scene, list[Dice]()
    for who, _, _ in sides:
        dice, paid = bought_before(paid, decide, who)
        bought.append(dice)
    before = tuple((who, paid[who]) for who, _, _ in sides if paid[who] is not scene[who])
    for changes, of, mine in calls.known(groups_at_once, paid, *sides[0], bought[0]):
        for more, whole, theirs in calls.known(groups_at_once, after_all(paid, changes), *sides[1], bought[1]):
            yield joined(before, joined(changes, more)), mine, theirs, of * whole


def groups_at_once(
    scene: Scene, decide: KernelCalls, who: Person, own: Mods, cmods: Mods, bought: Dice
) -> list[EndGroup[Check]]:
    """The checks of one side from the throw on, by what has changed."""
    if decide.known(spends_after, scene, who, bought, scene[CHECK_DICE]):
        thrown = improved_throws(scene, decide, who, bought, scene[CHECK_DICE])
        ends = [check_end(after_all(scene, paid), who, dice, own, cmods, paid, ways) for dice, paid, ways in thrown]
    else:
        ends = check_ends(scene, who, bought, own, cmods, ())
    whole = sum(ways for _, _, ways in ends)
    return [(changes, whole, rows) for changes, rows in by_changes(ends).items()]
