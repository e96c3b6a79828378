"""The hash of a frozen value is worked out once, and never travels with it."""

from __future__ import annotations

import pickle
from copy import copy
from dataclasses import field, fields, replace

import pytest

from referee.core.plain import frozen, tally


class Counted:
    """Counts how often its hash is asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def __hash__(self) -> int:
        self.asked += 1
        return 7

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counted)


@frozen
class Sheet:
    name: str = "al"
    load: object = 0
    round: int = tally()


@frozen
class Longer(Sheet):
    more: int = 0


@frozen
class Particular:
    name: str

    def __hash__(self) -> int:
        return 42


@frozen
class Unhashable:
    items: list[int] = field(default_factory=list)


def test_it_is_worked_out_once() -> None:
    load = Counted()
    sheet = Sheet(load=load)
    assert hash(sheet) == hash(sheet)
    assert load.asked == 1


def test_equal_values_have_equal_hashes_and_a_changed_one_has_its_own() -> None:
    sheet = Sheet("al", 1)
    assert hash(sheet) == hash(Sheet("al", 1)) == hash(replace(sheet, round=3))
    assert hash(replace(sheet, load=2)) == hash(Sheet("al", 2)) != hash(sheet)
    assert replace(sheet, load=2) != sheet


def test_it_is_no_field_and_is_not_stored() -> None:
    sheet = Sheet("al", 1)
    _ = hash(sheet)
    assert [each.name for each in fields(Sheet)] == ["name", "load", "round"]
    for again in (pickle.loads(pickle.dumps(sheet)), copy(sheet)):
        assert again == sheet
        assert not hasattr(again, "_hash")
    assert repr(sheet) == "Sheet(name='al', load=1, round=0)"


def test_a_value_with_more_fields_has_another_hash() -> None:
    assert hash(Longer("al", 1, more=1)) == hash(Longer("al", 1, more=1)) != hash(Longer("al", 1, more=2))
    assert not hasattr(Longer(), "__dict__")


def test_a_hash_of_its_own_stays() -> None:
    assert hash(Particular("al")) == 42


def test_what_cannot_be_hashed_still_cannot() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Unhashable())
