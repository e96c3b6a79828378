"""Chance that can be checked: even for every die, a function of seed and number, committed to beforehand."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.journal.seeded_dice import SeededDice


@pytest.mark.parametrize("sides", [2, 3, 4, 6, 7, 8, 10, 12, 20, 52, 54, 100, 255, 256, 257, 300])
def test_every_face_of_every_die_comes_as_often_as_another(sides: int) -> None:
    fair = SeededDice(b"even")
    thrown: Counter[int] = Counter()
    for throw in range(5):
        below = fair.throw(throw)
        thrown.update(below(sides) for _ in range(8 * sides))
    expected = 40
    assert set(thrown) <= set(range(sides))
    chi_square = sum((thrown[face] - expected) ** 2 / expected for face in range(sides))
    freedom = sides - 1
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5 + 4


@settings(max_examples=50)
@given(st.binary(max_size=40), st.integers(0, 2**40), st.lists(st.integers(1, 1000), max_size=20))
def test_the_same_seed_and_number_throw_the_same_and_nothing_out_of_bounds(
    seed: bytes, number: int, bounds: list[int]
) -> None:
    one, other = SeededDice(seed).throw(number), SeededDice(seed).throw(number)
    thrown = [one(bound) for bound in bounds]
    assert thrown == [other(bound) for bound in bounds]
    assert all(0 <= each < bound for each, bound in zip(thrown, bounds, strict=True))


def test_another_number_or_another_seed_is_another_throw() -> None:
    def throws(fair: SeededDice, number: int) -> list[int]:
        below = fair.throw(number)
        return [below(6) for _ in range(20)]

    seen = [throws(SeededDice(seed), number) for seed in (b"one", b"two") for number in range(4)]
    assert len({tuple(each) for each in seen}) == 8


def test_the_throw_is_the_one_the_documentation_tells_how_to_check() -> None:
    seed = b"an evening"
    stream = b"".join(sha256(seed + (3).to_bytes(8, "big") + block.to_bytes(8, "big")).digest() for block in range(2))
    expected = [byte % 6 + 1 for byte in stream if byte < 252][:40]
    below = SeededDice(seed).throw(3)
    assert [below(6) + 1 for _ in range(40)] == expected


def test_the_commitment_tells_the_seed_apart_and_does_not_tell_it() -> None:
    fair = SeededDice(b"secret")
    assert fair.commitment == sha256(b"referee seed" + b"secret").hexdigest()
    assert fair.commitment != SeededDice(b"secret ").commitment
    assert b"secret".hex() not in fair.commitment


def test_the_commitment_is_of_no_use_for_throws() -> None:
    fair = SeededDice(b"secret")
    first_block = sha256(fair.seed + bytes(16)).hexdigest()
    assert fair.commitment != first_block


def test_fresh_seeds_differ_and_are_long() -> None:
    seeds = {SeededDice.fresh().seed for _ in range(20)}
    assert len(seeds) == 20
    assert {len(seed) for seed in seeds} == {32}
