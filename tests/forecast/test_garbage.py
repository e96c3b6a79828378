"""While odds are computed, garbage is looked for less often; afterwards as before, also if they fail."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from referee.forecast.garbage import AT_LEAST, collecting_less


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(500, 7, 8)
    yield
    gc.set_threshold(*before)


@collecting_less
def compute(inner: bool, *, fails: bool = False) -> tuple[int, ...]:
    if inner:
        compute(inner=False)
    if fails:
        raise ValueError("no odds")
    return gc.get_threshold()


def test_it_is_less_often_inside_and_as_before_afterwards() -> None:
    assert compute(inner=False) == compute(inner=True) == (AT_LEAST, 7, 8)
    assert gc.get_threshold() == (500, 7, 8)


def test_a_failure_leaves_it_as_it_was() -> None:
    with pytest.raises(ValueError, match="no odds"):
        compute(inner=True, fails=True)
    assert gc.get_threshold() == (500, 7, 8)


def test_one_who_collects_even_less_is_left_alone() -> None:
    gc.set_threshold(2 * AT_LEAST, 7, 8)
    assert compute(inner=False) == (2 * AT_LEAST, 7, 8)
