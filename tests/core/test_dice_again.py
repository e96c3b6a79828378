"""Dice that are thrown again on some faces: one roll, one record, one distribution that says what it left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    D6,
    BadAnswer,
    BadInput,
    Die,
    Faces,
    Pool,
    Prompt,
    Reading,
    Scene,
    State,
    SymbolCounts,
    Total,
    Who,
    roll,
    rule,
)
from referee.core.branches import LEFT_OUT
from referee.core.dice import MOST_THROWS, Pips, die_numbers, marked_die, number_die, thrown_pips
from referee.core.errors import TooLarge
from referee.core.questions import Roll
from referee.core.rules import Decide, Ends, kernel
from referee.drivers.exact import Exact
from referee.drivers.kernels import outcomes
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play
from referee.odds import Distribution, Exploding, dice, die

THROW: Final = Prompt("throw")
OPEN: Final = Die("open", D6.faces, again={6})
COIN: Final = Die("coin", (0, 1), again={1})
SMALL: Final = Die("small", (1, 2, 3), again={2, 3})
HIT: Final = Die("hit", ("blank", "blank", "hit", "crit"), again={"crit"})
KINDS: Final = (OPEN, COIN, SMALL, HIT)


# --- the die ----------------------------------------------------------------------------------------------------------


def test_a_die_is_thrown_again_only_on_faces_it_has_and_not_on_all_of_them() -> None:
    with pytest.raises(BadInput, match="open: has no face 7"):
        Die("open", D6.faces, again={7})
    with pytest.raises(BadInput, match="open: a die that is thrown again on every face never ends"):
        Die("open", (1, 1, 2), again={1, 2})
    assert Die("d6", D6.faces) == D6 != Die("d6", D6.faces, again={6})


def test_pips_are_divided_into_dice_by_what_they_show() -> None:
    assert OPEN.split((6, 6, 3, 1, 6, 2)) == ((6, 6, 3), (1,), (6, 2))
    assert OPEN.split((6,)) == ((6,),)
    assert D6.split((6, 6, 3)) == ((6,), (6,), (3,))
    assert HIT.split((4, 4, 3, 1)) == ((4, 4, 3), (1,))


def test_a_die_that_never_stops_is_stopped() -> None:
    pips = thrown_pips(6, 2, (6,), lambda bound: bound - 1)
    assert pips == [6] * 2 * MOST_THROWS
    assert OPEN.split(pips) == ((6,) * MOST_THROWS,) * 2
    assert thrown_pips(6, 3, (), lambda bound: bound - 1) == [6, 6, 6]


# --- reading ----------------------------------------------------------------------------------------------------------


def test_as_a_number_a_die_is_the_sum_of_its_throws_and_as_symbols_all_its_faces_count() -> None:
    pool = Pool.of((D6, 2), (OPEN, 2))
    pips = ((6, 6), (6, 6, 3, 1))
    assert Total.of(pool, pips).total == 28
    assert Faces.of(pool, pips).faces == (1, 6, 6, 15)
    assert SymbolCounts.of(Pool.of((HIT, 2)), ((4, 4, 3, 1),)).to_plain() == {"hit": {"blank": 1, "crit": 2, "hit": 1}}


@pytest.mark.parametrize("given", [[[2], [6, 6, 3]], [2, 6, 6, 3], {"d6": 2, "open": [6, 6, 3]}])
def test_real_dice_are_typed_in_throw_by_throw(given: Any) -> None:
    question = roll(THROW, None, Pool.of((D6, 1), (OPEN, 1)), Total)
    assert question.read(given).total == 17
    assert question.write(question.read(given)) == [[2], [6, 6, 3]]
    assert question.read(question.write(question.read(given))) == Total(17)


@pytest.mark.parametrize(
    ("given", "because"),
    [
        ([[6]], "a open die that shows 6 is thrown again; what it shows then is missing"),
        ([[6, 6]], "a open die that shows 6 is thrown again; what it shows then is missing"),
        ([[2, 3]], r"1 open are thrown \(1 in all\), but 2 pips are given"),
        ([[6, 3, 2]], r"1 open are thrown \(1 in all\), but 2 pips are given"),
        ([[6, 7]], "a open die shows 1 to 6, not 7"),
        ([], r"1 open are thrown \(1 in all\), but 0 pips are given"),
        (0, "come to 1 to"),
    ],
)
def test_dice_typed_in_too_short_or_too_long_are_refused(given: Any, because: str) -> None:
    with pytest.raises(BadAnswer, match=because):
        roll(THROW, None, Pool.of((OPEN, 1)), Total).read(given)


def test_a_kind_of_which_no_die_is_thrown_may_be_left_out_of_what_is_typed_in() -> None:
    question = roll(THROW, None, Pool.of((D6, 0), (OPEN, 1)), Total)
    assert question.read([[6, 2]]) == question.read([[], [6, 2]]) == Total(8)


def test_a_total_alone_has_no_upper_limit_but_the_plain_dice_have() -> None:
    assert Total.alone(Pool.of((OPEN, 1)), 500).total == 500
    with pytest.raises(BadInput, match="2 d6 come to 2 to 12, not 13"):
        Total.alone(Pool.of((D6, 2), (OPEN, 0)), 13)


def test_symbols_alone_name_the_faces_of_every_throw() -> None:
    pool = Pool.of((HIT, 2))
    found = SymbolCounts.alone(pool, {"hit": {"crit": 3, "hit": 1}})
    assert found.to_plain() == {"hit": {"blank": 1, "crit": 3, "hit": 1}}
    with pytest.raises(BadInput, match="2 are thrown, 3 are named"):
        SymbolCounts.alone(pool, {"hit": {"hit": 3}})
    with pytest.raises(BadInput, match="0 are thrown"):
        SymbolCounts.alone(Pool.of((HIT, 0)), {"hit": {"crit": 1}})


# --- odds -------------------------------------------------------------------------------------------------------------


def chances(question: Roll[Any]) -> dict[Any, Fraction]:
    rows = question.outcomes()
    whole = sum(ways for _, ways in rows) + question.left_out
    return {found: Fraction(ways, whole) for found, ways in rows}


def lost(question: Roll[Any]) -> Fraction:
    return 1 - sum(chances(question).values(), Fraction(0))


def test_an_open_die_has_exact_chances_and_says_what_it_left_out() -> None:
    question = roll(THROW, None, Pool.of((OPEN, 1)), Total)
    found = chances(question)
    assert found[Total(1)] == found[Total(5)] == Fraction(1, 6)
    assert found[Total(7)] == found[Total(11)] == Fraction(1, 36)
    assert found[Total(13)] == Fraction(1, 216)
    assert not {Total(6), Total(12)} & set(found)
    assert lost(question) == Fraction(1, 6**16)
    assert (OPEN.throws, Fraction(1, 6**16) <= Fraction(1, 10**12) < Fraction(1, 6**15)) == (16, True)


def test_plain_dice_leave_nothing_out() -> None:
    assert roll(THROW, None, Pool.of((D6, 3)), Total).left_out == 0
    assert lost(roll(THROW, None, Pool.of((D6, 2), (OPEN, 0)), Faces)) == 0


def test_what_several_dice_leave_out_is_that_any_of_them_is_left_out() -> None:
    pool = Pool.of((OPEN, 2), (COIN, 1), (D6, 1))
    kept = (1 - Fraction(1, 6**16)) ** 2 * (1 - Fraction(1, 2**COIN.throws))
    assert COIN.throws == 40
    assert lost(roll(THROW, None, pool, Total)) == 1 - kept


def test_a_die_that_hardly_ever_stops_leaves_out_much_and_says_so() -> None:
    stubborn = Die("stubborn", (0, *[1] * 99), again={1})
    assert stubborn.throws == MOST_THROWS
    assert lost(roll(THROW, None, Pool.of((stubborn, 1)), Total)) == Fraction(99, 100) ** 100


def falls(kind: Die, depth: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Throw by throw and face by face, as people do it, without merging anything."""
    for pip in range(1, kind.sides + 1):
        share = Fraction(1, kind.sides)
        if kind.faces[pip - 1] not in kind.again:
            yield (pip,), share
        elif depth > 1:
            for more, chance in falls(kind, depth - 1):
                yield (pip, *more), share * chance


def brute_force(pool: Pool, reading: type[Reading], depth: int) -> dict[Any, Fraction]:
    found: defaultdict[Any, Fraction] = defaultdict(Fraction)
    each_die = [list(falls(kind, depth)) for kind, count in pool.groups for _ in range(count)]
    for fallen in product(*each_die):
        groups: list[tuple[int, ...]] = []
        shown = iter(fallen)
        share = Fraction(1)
        for _, count in pool.groups:
            group: tuple[int, ...] = ()
            for _ in range(count):
                pips, chance = next(shown)
                group, share = group + pips, share * chance
            groups.append(group)
        pips_: Pips = tuple(groups)
        found[reading.of(pool, pips_)] += share
    return dict(found)


@pytest.mark.parametrize("reading", [Total, Faces, SymbolCounts])
@pytest.mark.parametrize(
    "pool",
    [
        Pool.of((OPEN, 1)),
        Pool.of((OPEN, 2)),
        Pool.of((D6, 2), (OPEN, 1)),
        Pool.of((COIN, 3)),
        Pool.of((SMALL, 1), (D6, 1)),
        Pool.of((HIT, 2), (marked_die("plain", 6, hit=6), 1)),
    ],
    ids=str,
)
def test_chances_equal_a_brute_force_over_every_throw_but_for_what_both_leave_out(
    pool: Pool, reading: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if reading is not SymbolCounts and "hit" in str(pool):
        pytest.skip("symbols are no numbers")
    depth = 4
    monkeypatch.setattr("referee.core.dice.MOST_THROWS", depth)
    monkeypatch.setattr("referee.core.dice.RAREST", Fraction(0))
    question = roll(THROW, None, Pool(tuple((Die(k.name + "!", k.faces, k.again), n) for k, n in pool.groups)), reading)
    expected = brute_force(question.pool, reading, depth)
    assert chances(question) == expected
    whole = sum(ways for _, ways in outcomes(question)) + question.left_out
    assert {found: Fraction(ways, whole) for found, ways in outcomes(question)} == expected
    assert lost(question) == 1 - sum(expected.values())


@pytest.mark.parametrize("count", [1, 2, 5])
def test_totals_equal_the_closed_form_of_the_odds_kernels(count: int) -> None:
    """`odds.Exploding` knows the exact tail of a single open die beside others."""
    question = roll(THROW, None, Pool.of((D6, count - 1), (OPEN, 1)), Total)
    closed = Exploding(die(6), [6], dice(count - 1))
    found = chances(question)
    for bar in (count, 7, 12, 20, 30):
        tail = sum(chance for reading, chance in found.items() if reading.total >= bar)
        assert 0 <= closed.at_least(bar) - tail <= lost(question)
    assert found[Total(count)] == closed[count]


def test_many_open_dice_are_quick_by_kernel_and_equal_to_sums_die_by_die() -> None:
    question = roll(THROW, None, Pool.of((OPEN, 9), (D6, 1)), Total)
    assert dict(outcomes(question)) == dict(question.outcomes())
    hits = roll(THROW, None, Pool.of((HIT, 12)), SymbolCounts)
    rows = outcomes(hits)
    whole = sum(ways for _, ways in rows) + hits.left_out
    none = sum(ways for found, ways in rows if not found.count("crit"))
    assert Fraction(none, whole) == Fraction(3, 4) ** 12


def test_what_is_too_large_to_be_enumerated_says_so() -> None:
    with pytest.raises(TooLarge, match="12 hit can show"):
        SymbolCounts.outcomes(Pool.of((HIT, 12)))
    wide = Die("wide", tuple(range(100)), again=frozenset(range(1, 100)))
    with pytest.raises(TooLarge, match="a wide die can show too many different things"):
        Total.outcomes(Pool.of((wide, 1)))


def test_the_numbers_of_a_die_are_a_distribution() -> None:
    assert die_numbers(number_die(4)) == {1: 1, 2: 1, 3: 1, 4: 1}
    found = Distribution(die_numbers(OPEN))
    assert found.low == 1
    assert float(found.mean) == pytest.approx(4.2)


# --- in a rule --------------------------------------------------------------------------------------------------------


@rule("again.reach")
async def reach(scene: Scene, who: Who[int], bar: int) -> bool:
    """The smallest system that needs it: an open die against a bar."""
    return (await roll(THROW, who, Pool.of((OPEN, 1)), Total)).total >= bar


@rule("again.twice")
async def twice(scene: Scene, who: Who[int], bar: int) -> int:
    """Twice, one after the other, and remembered."""
    first = await reach(who, bar)
    return first + await reach(who, bar)


ANA: Final = Who("ana", int)
SCENE: Final = State({"ana": 1})


@pytest.mark.parametrize("kernels", [True, False])
@pytest.mark.parametrize("remember", [True, False])
def test_exact_odds_report_what_is_lost(kernels: bool, remember: bool) -> None:
    odds = Exact(kernels=kernels, remember=remember).of(reach(ANA, 7), SCENE)
    cut = Fraction(1, 6**16)
    assert odds.lost == cut
    assert odds.of == {True: Fraction(1, 6) - cut, False: Fraction(5, 6)}
    assert odds.leaves == 80


def test_what_is_lost_adds_up_through_sub_rules() -> None:
    odds = Exact().of(twice(ANA, 7), SCENE)
    cut = Fraction(1, 6**16)
    assert odds.lost == 1 - (1 - cut) ** 2
    assert sum(odds.of.values()) + odds.lost == 1
    assert odds.of[0] == Fraction(25, 36)


def test_sampled_play_throws_again() -> None:
    sampled = Sampled(Random(5))
    reached = sum(sampled.play(reach(ANA, 7), SCENE)[0] for _ in range(3000))
    assert abs(reached / 3000 - 1 / 6) < 0.03


@pytest.mark.parametrize("answer", ["6 6 1", [6, 6, 1], "open 6 6 1", "total 13", {"open": [6, 6, 1]}])
def test_scripted_dice_are_as_many_as_are_shown(answer: Any) -> None:
    assert play(reach(ANA, 13), SCENE, {"throw": answer}).result is True


def test_scripted_dice_of_several_throws_follow_each_other() -> None:
    assert play(twice(ANA, 7), SCENE, {"throw": "6 2 3"}).result == 1
    with pytest.raises(BadAnswer, match="is thrown again"):
        play(twice(ANA, 7), SCENE, {"throw": "6 2 6"})
    with pytest.raises(BadInput, match="never asked for"):
        play(reach(ANA, 7), SCENE, {"throw": "3 2"})


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 4)), max_size=3, unique_by=lambda group: group[0].name)
)
def test_dice_at_random_are_read_and_written_back(groups: list[tuple[Die, int]]) -> None:
    question = roll(THROW, None, Pool(tuple(groups)), SymbolCounts)
    plain = question.at_random(Random(3).randrange)
    assert [len(kind.split(shown)) for (kind, _), shown in zip(groups, plain, strict=True)] == [n for _, n in groups]
    assert question.write(question.read(plain)) == plain


@rule("again.long")
async def long(scene: Scene, who: Who[int]) -> int:
    """How often a coin is thrown again before it stops."""
    return (await roll(THROW, who, Pool.of((COIN, 1)), Total)).total


@rule("again.outer")
async def outer(scene: Scene, who: Who[int]) -> bool:
    """Calls a rule whose kernel leaves something out."""
    return await long(who) >= 2


@kernel(long)
def three_throws(scene: Scene, decide: Decide, who: Who[int]) -> Ends[int]:
    """Looks at three throws only."""
    return ((0, (), 4), (1, (), 2), (2, (), 1), (LEFT_OUT, (), 1))


def test_what_a_kernel_leaves_out_is_lost_and_counts_in_the_whole() -> None:
    odds = Exact().of(long(ANA), SCENE)
    assert odds.of == {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 8)}
    assert odds.lost == Fraction(1, 8)
    around = Exact().of(outer(ANA), SCENE)
    assert (around.of, around.lost) == ({False: Fraction(3, 4), True: Fraction(1, 8)}, Fraction(1, 8))
    played = Exact(kernels=False).of(long(ANA), SCENE)
    assert all(abs(chance - played.of[n]) <= odds.lost for n, chance in odds.of.items())
