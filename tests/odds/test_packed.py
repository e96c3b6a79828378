"""Counts in one int: nothing carries, whatever is done to them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from referee.core.errors import TooLarge
from referee.odds.packed import (
    AT_ONCE,
    MOST_BYTES,
    check_power,
    mirrored,
    ones,
    pack,
    span,
    summed,
    unpack,
    widened,
    width_for,
)

COUNTS = st.lists(st.integers(0, 2**200), min_size=1, max_size=12)


def slots(counts: list[int]) -> int:
    return width_for(sum(counts), len(counts))


@given(COUNTS)
def test_what_is_packed_is_unpacked(counts: list[int]) -> None:
    assert unpack(pack(counts, slots(counts)), slots(counts), len(counts)) == tuple(counts)


@given(COUNTS)
def test_the_slots_add_up_even_when_one_of_them_is_full(counts: list[int]) -> None:
    assert summed(pack(counts, slots(counts)), slots(counts)) == sum(counts)


@pytest.mark.parametrize("whole", [2**64 - 2, 2**64 - 1, 2**64, 2**72 - 2, 2**72 - 1, 2**72])
def test_a_whole_at_the_edge_of_a_slot_is_not_taken_for_nothing(whole: int) -> None:
    width = width_for(whole, 3)
    assert summed(pack([0, whole, 0], width), width) == whole
    assert unpack(pack([0, whole, 0], width), width, 3) == (0, whole, 0)


@given(COUNTS, COUNTS)
def test_a_product_never_carries(first: list[int], second: list[int]) -> None:
    size, whole = len(first) + len(second) - 1, sum(first) * sum(second)
    assume(whole)
    width = width_for(whole, size)
    counted = [0] * size
    for i, one in enumerate(first):
        for j, two in enumerate(second):
            counted[i + j] += one * two
    product = widened(pack(first, slots(first)), slots(first), len(first), width) * pack(second, width)
    assert unpack(product, width, size) == tuple(counted)


@given(COUNTS, st.integers(0, 5))
def test_mirrored_counts_are_in_reverse_and_wider(counts: list[int], more: int) -> None:
    width = slots(counts)
    back = mirrored(pack(counts, width), width, len(counts), width + more)
    assert unpack(back, width + more, len(counts)) == tuple(reversed(counts))


@pytest.mark.parametrize("size", [AT_ONCE - 1, AT_ONCE, AT_ONCE + 1])
@pytest.mark.parametrize("width", [8, 9])
def test_long_lists_are_cut_apart_as_short_ones(size: int, width: int) -> None:
    counts = list(range(size))
    packed = pack(counts, width)
    assert unpack(packed, width, size) == tuple(counts)
    assert unpack(widened(packed, width, size, 11), 11, size) == tuple(counts)
    assert unpack(mirrored(packed, width, size, 11), 11, size) == tuple(counts[::-1])


def test_ones_are_a_fair_die() -> None:
    assert unpack(ones(6, 9), 9, 6) == (1,) * 6


def test_the_span_leaves_out_empty_slots() -> None:
    assert span(pack([0, 0, 5, 0, 7, 0], 8), 8) == (2, 3)


def test_what_would_take_too_long_is_refused_before_it_is_begun() -> None:
    with pytest.raises(TooLarge, match=str(MOST_BYTES)):
        width_for(10**1000, 10**6)
    with pytest.raises(TooLarge, match=str(MOST_BYTES)):
        check_power(6, 6, 10**30)
    check_power(1, 1, 10**30)
