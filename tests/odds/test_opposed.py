"""Win tables against margins, pair by pair."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.errors import BadInput, TooLarge
from referee.odds import Distribution, dice, wild_dice, win_table

ROLLS = st.lists(
    st.dictionaries(st.integers(-9, 9), st.integers(1, 10**25), min_size=1, max_size=4).map(Distribution),
    min_size=1,
    max_size=3,
)


@given(ROLLS, ROLLS)
def test_every_cell_is_a_margin(rows: list[Distribution], columns: list[Distribution]) -> None:
    table = win_table(rows, columns)
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        margin = row.margin(column)
        assert table.win(i, j) == table.wins()[i][j] == margin.at_least(1)
        assert table.tie(i, j) == margin[0]
        assert table.lose(i, j) == margin.at_most(-1)


def test_problem_g_of_the_research_page() -> None:
    pools = [wild_dice(count, extra=10) for count in range(1, 21)]
    table = win_table(pools)
    assert table.win(7, 6) == Fraction(125389880610282738490775123, 191007866638713621225406464)
    for i, j in product(range(20), repeat=2):
        assert table.win(i, j) + table.win(j, i) + table.tie(i, j) == 1
    assert table.floats()[0][19] < 1e-6


def test_equal_tables_are_equal() -> None:
    assert win_table([dice(1)]) == win_table([dice(1)], [dice(1)])
    assert hash(win_table([dice(1)])) == hash(win_table([dice(1)], [dice(1)]))
    assert win_table([dice(1)]) != win_table([dice(2)])
    assert win_table([dice(1)]).to_plain() == {"wins": [["5/12"]]}
    assert repr(win_table([dice(1)])) == "<WinTable 1 × 1>"


def test_what_makes_no_sense_or_is_too_large_is_refused() -> None:
    with pytest.raises(BadInput, match="at least one"):
        win_table([])
    with pytest.raises(TooLarge, match="pairs"):
        win_table([dice(1)] * 101, [dice(1)] * 100)
    with pytest.raises(TooLarge, match="steps"):
        win_table([dice(200)] * 100)
