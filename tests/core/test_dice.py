"""Dice: every reading counts what a brute force over pips counts, and pips are taken only as they can fall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.dice import (
    BLANK,
    D3,
    D6,
    MOST_DICE,
    Die,
    Faces,
    Pips,
    Pool,
    Reading,
    Record,
    SymbolCounts,
    Total,
    marked_die,
    number_die,
    pips_of,
)
from referee.core.errors import BadAnswer, BadInput, TooLarge
from referee.core.questions import Prompt, Roll
from referee.core.requests import roll

BASE = marked_die("base", 6, six=6)
STRESS = marked_die("stress", 6, one=1, six=6)
COIN = marked_die("coin", 2, heads=2)
FUDGE = Die("fudge", (-1, -1, 0, 0, 1, 1))
NAME = Prompt("throw")

READINGS: list[type[Reading]] = [SymbolCounts, Total, Faces]


def all_pips(pool: Pool) -> Iterator[Pips]:
    """Every way the dice can fall, die by die."""
    groups = [list(product(range(1, die.sides + 1), repeat=count)) for die, count in pool.groups]
    yield from product(*groups)


def by_brute_force(question: Roll[Any]) -> dict[Reading, Fraction]:
    counted = Counter(question.read([list(group) for group in pips]) for pips in all_pips(question.pool))
    return {reading: Fraction(n, counted.total()) for reading, n in counted.items()}


def by_outcomes(question: Roll[Any]) -> dict[Reading, Fraction]:
    outcomes = question.outcomes()
    whole = sum(weight for _, weight in outcomes)
    assert len({reading for reading, _ in outcomes}) == len(outcomes)
    return {reading: Fraction(weight, whole) for reading, weight in outcomes}


def pools(*dice: Die, most: int) -> st.SearchStrategy[Pool]:
    counts = st.lists(st.integers(0, most), min_size=len(dice), max_size=len(dice))
    return counts.map(lambda each: Pool(tuple(zip(dice, each, strict=True))))


# --- outcomes ---------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(pools(BASE, STRESS, COIN, most=2))
def test_symbols_are_counted_as_a_brute_force_over_pips_counts_them(pool: Pool) -> None:
    question = roll(NAME, None, pool, SymbolCounts)
    assert by_outcomes(question) == by_brute_force(question)


@settings(max_examples=25)
@given(pools(D6, D3, FUDGE, most=2), st.sampled_from(READINGS))
def test_numbers_are_counted_as_a_brute_force_over_pips_counts_them(pool: Pool, reading: type[Reading]) -> None:
    question = roll(NAME, None, pool, reading)
    assert by_outcomes(question) == by_brute_force(question)


@settings(max_examples=20)
@given(pools(BASE, STRESS, most=2), pools(STRESS, BASE, most=2), st.data())
def test_symbols_kept_are_counted_with_the_new_ones(fresh: Pool, earlier: Pool, data: st.DataObject) -> None:
    kept = SymbolCounts.of(earlier, data.draw(st.sampled_from(list(all_pips(earlier))))).showing("six")
    question = roll(NAME, None, fresh, SymbolCounts, kept=kept)
    assert by_outcomes(question) == by_brute_force(question)
    for reading, _ in question.outcomes():
        assert reading.count("six") >= kept.count("six")


@settings(max_examples=15)
@given(pools(D6, D3, most=2), pools(D6, D3, most=2), st.sampled_from([Total, Faces]), st.data())
def test_numbers_kept_are_counted_with_the_new_ones(
    fresh: Pool, earlier: Pool, reading: type[Total | Faces], data: st.DataObject
) -> None:
    kept = reading.of(earlier, data.draw(st.sampled_from(list(all_pips(earlier)))))
    question: Roll[Any] = Roll(NAME, None, fresh, reading, kept)
    assert by_outcomes(question) == by_brute_force(question)
    assert min(each.total for each, _ in question.outcomes()) == kept.total + fresh.size


def test_eight_dice_of_three_symbols_are_forty_five_outcomes() -> None:
    assert len(SymbolCounts.outcomes(Pool.of((STRESS, 8)))) == 45


def test_a_throw_of_no_dice_has_one_outcome() -> None:
    for reading in READINGS:
        assert [weight for _, weight in reading.outcomes(Pool.of((D6, 0)))] == [1]
        assert [weight for _, weight in reading.outcomes(Pool.of())] == [1]


def test_a_hundred_dice_are_summed_at_once() -> None:
    outcomes = Total.outcomes(Pool.of((D6, 100)))
    assert len(outcomes) == 501
    assert sum(weight for _, weight in outcomes) == 6**100


def test_more_outcomes_than_can_be_counted_are_an_error_not_a_hang() -> None:
    with pytest.raises(TooLarge, match="200 d6 can show"):
        Faces.outcomes(Pool.of((D6, 200)))


# --- pools ------------------------------------------------------------------------------------------------------------


def test_two_hundred_dice_may_be_thrown_and_no_more() -> None:
    assert MOST_DICE == 200
    assert Pool.of((D6, 120), (BASE, 80)).size == 200
    with pytest.raises(TooLarge, match="201 dice in one throw; at most 200"):
        Pool.of((D6, 120), (BASE, 81))
    with pytest.raises(TooLarge):
        Pool.of((D6, 200)).plus(D6, 1)


def test_no_pool_holds_fewer_than_no_dice() -> None:
    with pytest.raises(BadInput, match="a negative number of dice"):
        Pool.of((D6, -1))
    with pytest.raises(BadInput, match="a negative number of dice"):
        Pool.of((D6, 1)).plus(D6, -2)


def test_dice_of_one_name_are_one_group() -> None:
    with pytest.raises(BadInput, match="dice of one name are one group"):
        Pool.of((D6, 1), (D6, 2))
    with pytest.raises(BadInput, match="dice of one name are one group"):
        Pool.of((BASE, 1), (marked_die("base", 6, six=5), 2))


def test_dice_join_their_own_kind_or_stand_beside() -> None:
    pool = Pool.of((BASE, 2)).plus(STRESS, 1).plus(BASE, 3)
    assert pool == Pool.of((BASE, 5), (STRESS, 1))
    assert (pool.count(BASE), pool.count(STRESS), pool.count(D6), pool.size) == (5, 1, 0, 6)


def test_a_pool_is_told_without_the_dice_it_does_not_have() -> None:
    assert str(Pool.of((BASE, 2), (STRESS, 0))) == "2 base"
    assert str(Pool.of((BASE, 2), (STRESS, 1))) == "2 base + 1 stress"
    assert str(Pool.of((BASE, 0))) == "no dice"
    assert Pool.of((BASE, 2), (STRESS, 0)).to_plain() == {"base": 2, "stress": 0}


def test_a_die_has_sides() -> None:
    assert (D6.sides, D6.faces, number_die(20).name) == (6, (1, 2, 3, 4, 5, 6), "d20")
    with pytest.raises(BadInput, match="at least one side"):
        number_die(0)


def test_dice_of_one_name_with_other_faces_are_other_dice() -> None:
    assert marked_die("base", 6, six=5) != BASE
    assert BASE.faces == (BLANK,) * 5 + ("six",)


# --- pips -------------------------------------------------------------------------------------------------------------

POOL = Pool.of((BASE, 2), (STRESS, 1))


@pytest.mark.parametrize(
    "plain",
    [
        [4, 6, 1],
        (4, 6, 1),
        [[4, 6], [1]],
        {"base": [4, 6], "stress": [1]},
        {"stress": 1, "base": [4, 6]},
    ],
)
def test_pips_may_be_given_flat_by_group_or_by_name(plain: Any) -> None:
    assert pips_of(POOL, plain) == ((4, 6), (1,))


@pytest.mark.parametrize("plain", [{"base": {"six": 1}}, {"total": 3}, 3, "4 6 1", None, {"bass": [1]}])
def test_what_names_no_pips_is_left_to_the_reading(plain: Any) -> None:
    assert pips_of(POOL, plain) is None


@pytest.mark.parametrize(
    ("plain", "given_pips"),
    [
        ([4, 6], 2),
        ([4, 6, 1, 1], 4),
        ([], 0),
        ([[4, 6, 1]], 3),
        ([[4], [6, 1]], 3),
        ([[4, 6], [1], []], 3),
        ({"base": [4, 6]}, 2),
        ({"base": 4, "stress": 1}, 2),
        ({}, 0),
    ],
)
def test_wrong_numbers_of_pips_are_refused_with_both_numbers(plain: Any, given_pips: int) -> None:
    with pytest.raises(BadInput) as told:
        pips_of(POOL, plain)
    assert str(told.value) == f"2 base + 1 stress are thrown (3 in all), but {given_pips} pips are given"


@pytest.mark.parametrize("pip", [0, 7, -1, True, "3", 3.0, None, [3]])
def test_a_die_shows_only_its_own_pips(pip: Any) -> None:
    with pytest.raises(BadInput) as told:
        pips_of(POOL, [4, 6, pip])
    assert str(told.value) == f"a stress die shows 1 to 6, not {pip!r}"


def test_pips_for_no_dice_at_all_are_refused() -> None:
    assert pips_of(Pool.of(), []) == ()
    with pytest.raises(BadInput, match="no dice are thrown"):
        pips_of(Pool.of(), [3])


@settings(max_examples=40)
@given(pools(D6, STRESS, COIN, most=4), st.data())
def test_pips_read_back_from_any_of_their_forms(pool: Pool, data: st.DataObject) -> None:
    pips = [
        data.draw(st.lists(st.integers(1, die.sides), min_size=count, max_size=count)) for die, count in pool.groups
    ]
    by_name = {die.name: shown for (die, _), shown in zip(pool.groups, pips, strict=True)}
    wanted = tuple(map(tuple, pips))
    assert pips_of(pool, pips) == pips_of(pool, [p for group in pips for p in group]) == wanted
    assert pips_of(pool, by_name) == wanted


# --- readings alone ---------------------------------------------------------------------------------------------------


def test_dice_not_named_show_nothing_that_counts() -> None:
    read = SymbolCounts.alone(POOL, {"base": {"six": 1}})
    assert read == SymbolCounts.of(POOL, ((6, 2), (3,)))
    assert SymbolCounts.alone(POOL, {"stress": {"one": 1}, "base": {"blank": 2}}) == SymbolCounts.of(
        POOL, ((2, 2), (1,))
    )


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ({"bass": {"six": 1}}, "bass: 'bass' is not known; did you mean 'base'? one of base, stress"),
        ({"base": {"one": 1}}, "base: shows blank, six"),
        ({"base": {"six": 3}}, "base: 2 are thrown, 3 are named"),
        ({"base": {"six": 1, "blank": 2}}, "base: 2 are thrown, 3 are named"),
        ({"base": {"six": -1}}, "a face cannot show on a negative number of dice: {'base': {'six': -1}}"),
        (2, "2 base + 1 stress are thrown (3 in all), but 1 pip is given"),
        ("six", "must be faces by die, such as {base: {six: 1}}, not 'six'"),
        ({"base": "six"}, "must be faces by die, such as {base: {six: 1}}, not {'base': 'six'}"),
        ({"total": 3}, "must be faces by die, such as {base: {six: 1}}, not {'total': 3}"),
    ],
)
def test_a_reading_the_dice_cannot_show_is_refused(plain: Any, complaint: str) -> None:
    with pytest.raises(BadInput) as told:
        SymbolCounts.alone(POOL, plain)
    assert str(told.value) == complaint


def test_numbers_may_be_told_by_what_they_show_if_all_are_named() -> None:
    pool = Pool.of((D6, 3))
    assert SymbolCounts.alone(pool, {"d6": {6: 1, "2": 2}}) == SymbolCounts.of(pool, ((2, 6, 2),))
    with pytest.raises(BadInput, match="d6: 3 are thrown, 1 are named"):
        SymbolCounts.alone(pool, {"d6": {6: 1}})


@pytest.mark.parametrize("plain", [7, {"total": 7}])
def test_a_sum_may_be_told_alone(plain: Any) -> None:
    assert Total.alone(Pool.of((D6, 2)), plain) == Total(7)


@pytest.mark.parametrize("plain", ["7", True, {"sum": 7}, {"total": "7"}, None, 7.0])
def test_a_sum_is_a_number(plain: Any) -> None:
    with pytest.raises(BadInput, match="must be the dice, or their total"):
        Total.alone(Pool.of((D6, 2)), plain)


@pytest.mark.parametrize("total", [1, 13])
def test_a_sum_is_one_the_dice_can_show(total: int) -> None:
    with pytest.raises(BadInput, match=f"2 d6 come to 2 to 12, not {total}"):
        Total.alone(Pool.of((D6, 2)), total)


def test_who_reads_each_number_needs_each_number() -> None:
    with pytest.raises(BadInput, match="must be the faces of all 2 dice"):
        Faces.alone(Pool.of((D6, 2)), 7)


@settings(max_examples=40)
@given(pools(BASE, STRESS, D6, most=3), st.data())
def test_a_reading_written_without_its_pips_is_read_back(pool: Pool, data: st.DataObject) -> None:
    shown, _ = data.draw(st.sampled_from(SymbolCounts.outcomes(pool)))
    assert SymbolCounts.alone(pool, shown.to_plain()) == shown
    assert SymbolCounts.from_plain(shown.to_plain()) == shown
    total, _ = data.draw(st.sampled_from(Total.outcomes(Pool.of((D6, pool.size)))))
    assert Total.alone(Pool.of((D6, pool.size)), total.to_plain()) == total


# --- questions --------------------------------------------------------------------------------------------------------


def test_a_refused_throw_names_its_question_and_stays_a_bad_answer() -> None:
    with pytest.raises(BadAnswer, match=r"throw: 2 base \+ 1 stress are thrown") as told:
        roll(NAME, None, POOL, SymbolCounts).read([1])
    assert told.value.what == "throw"


def test_pips_stay_on_the_record_and_are_written_by_group() -> None:
    question = roll(NAME, None, POOL, SymbolCounts)
    read = question.read([4, 6, 1], 7)
    assert read.record == Record(7, ((4, 6), (1,)))
    assert question.write(read) == [[4, 6], [1]]
    assert question.read(question.write(read)) == read


def test_a_throw_upon_another_remembers_it() -> None:
    first = roll(NAME, None, POOL, SymbolCounts).read([6, 6, 2], 1)
    again = roll(NAME, None, Pool.of((STRESS, 1)), SymbolCounts, kept=first.showing("six")).read([1], 2)
    assert again.record is not None
    assert again.record.upon == Record(1, ((6, 6), (2,)))
    assert (again.count("six"), again.count("one")) == (2, 1)


@settings(max_examples=50)
@given(pools(BASE, STRESS, most=3), st.data())
def test_dice_kept_are_counted_once_when_a_reading_alone_is_written_and_read_back_bug(
    pool: Pool, data: st.DataObject
) -> None:
    kept = SymbolCounts((("base", (("six", 2),)), ("stress", (("six", 1),))))
    question = roll(NAME, None, pool, SymbolCounts, kept=kept)
    fresh, _ = data.draw(st.sampled_from(SymbolCounts.outcomes(pool)))
    answer = question.read(fresh.to_plain())
    assert answer == fresh.joined(kept)
    assert question.read(question.write(answer)) == answer


def test_a_sum_kept_is_added_once_when_it_is_written_and_read_back_bug() -> None:
    question = roll(NAME, None, Pool.of((D6, 2)), Total, kept=Total(6))
    answer = question.read({"total": 5})
    assert answer == Total(11)
    assert question.write(answer) == {"total": 5}
    assert question.read(question.write(answer)) == answer


def test_throws_that_read_the_same_are_equal_whatever_pips_they_had() -> None:
    question = roll(NAME, None, POOL, SymbolCounts)
    assert question.read([4, 6, 3], 1) == question.read([6, 2, 5], 2)
    assert hash(question.read([4, 6, 3], 1)) == hash(question.read([6, 2, 5], 2))


def test_symbols_are_counted_by_face_and_by_kind() -> None:
    shown = SymbolCounts.of(Pool.of((BASE, 3), (STRESS, 3)), ((6, 6, 1), (1, 6, 2)))
    assert (shown.count("six"), shown.count("six", "stress"), shown.count("one"), shown.count("two")) == (3, 1, 1, 0)
    assert (shown.others("six", die="base"), shown.others("one", "six", die="stress")) == (1, 1)
    assert shown.showing("six").count("six") == 3
    assert shown.showing("six").count("one") == 0


def test_faces_are_listed_lowest_first_with_their_sum() -> None:
    faces = Faces.of(Pool.of((D6, 2), (D3, 1)), ((5, 1), (2,)))
    assert (faces.faces, faces.total, faces.to_plain()) == ((1, 2, 5), 8, [1, 2, 5])


# --- places -----------------------------------------------------------------------------------------------------------


def on_table(reading: Reading) -> list[tuple[str, tuple[tuple[int, ...], ...]]]:
    assert reading.record is not None
    return [(die.name, dice) for die, dice in reading.record.table or ()]


def test_a_pushed_die_keeps_its_place() -> None:
    first = roll(NAME, None, Pool.of((BASE, 4), (STRESS, 1)), SymbolCounts).read([[2, 6, 3, 6], [5]])
    push = roll(NAME, None, Pool.of((BASE, 2), (STRESS, 2)), SymbolCounts, kept=first.showing("six"))
    assert push.places == ((BASE, ((), (6,), (), (6,))), (STRESS, ((), ())))
    second = push.read([[1, 6], [4, 6]])
    assert on_table(second) == [("base", ((1,), (6,), (6,), (6,))), ("stress", ((4,), (6,)))]
    third = roll(NAME, None, Pool.of((BASE, 1), (STRESS, 1)), SymbolCounts, kept=second.showing("six")).read([[3], [2]])
    assert on_table(third) == [("base", ((3,), (6,), (6,), (6,))), ("stress", ((2,), (6,)))]


def test_a_kind_of_which_every_die_is_kept_stays_on_the_table() -> None:
    first = roll(NAME, None, Pool.of((BASE, 1), (STRESS, 1)), SymbolCounts).read([[6], [5]])
    push = roll(NAME, None, Pool.of((STRESS, 1)), SymbolCounts, kept=first.showing("six"))
    assert on_table(push.read([[1]])) == [("base", ((6,),)), ("stress", ((1,),))]


def test_numbers_that_are_kept_are_found_by_what_they_show() -> None:
    first = roll(NAME, None, Pool.of((D6, 3)), Faces).read([5, 2, 5])
    push = roll(NAME, None, Pool.of((D6, 1)), Faces, kept=Faces((2, 5), record=first.record))
    assert push.places == ((D6, ((5,), (2,), ())),)
    assert push.read([1]).faces == (1, 2, 5)


def test_where_places_cannot_be_known_none_are_told() -> None:
    pool = Pool.of((BASE, 2))
    alone = roll(NAME, None, pool, SymbolCounts).read({"base": {"six": 1}})
    assert roll(NAME, None, Pool.of((BASE, 1)), SymbolCounts, kept=alone.showing("six")).places is None
    total = roll(NAME, None, Pool.of((D6, 2)), Total).read([3, 4])
    assert roll(NAME, None, Pool.of((D6, 1)), Total, kept=total).places is None
    seen = roll(NAME, None, pool, SymbolCounts).read([2, 6])
    assert roll(NAME, None, Pool.of((STRESS, 1)), SymbolCounts, kept=seen.showing("six")).places is None
    assert roll(NAME, None, pool, SymbolCounts).places is None


def test_symbols_are_told_by_kind_of_die() -> None:
    seen = SymbolCounts.of(Pool.of((BASE, 2), (STRESS, 3)), ((6, 2), (1, 1, 6)))
    assert seen.by_kind("one") == {"stress": 2}
    assert seen.by_kind("six") == {"base": 1, "stress": 1}
    assert seen.by_kind("two") == {}
