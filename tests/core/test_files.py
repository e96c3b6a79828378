"""YAML: safe, loud about a key that stands twice, and never another error than ours."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.errors import BadInput
from referee.core.files import load_all_yaml, load_yaml


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3\n", "x: {a: 1, a: 2}", "- {a: 1, b: 2, a: 3}"])
def test_a_key_that_stands_twice_is_an_error_and_not_the_last_of_both(text: str) -> None:
    with pytest.raises(BadInput, match="not YAML: 'a' is there twice"):
        load_yaml(text)


def test_the_same_key_may_stand_in_two_places() -> None:
    assert load_yaml("a: {b: 1}\nc: {b: 2}\n") == {"a": {"b": 1}, "c": {"b": 2}}


def test_a_number_and_its_name_are_two_keys() -> None:
    assert load_yaml("{1: a, '1': b}") == {1: "a", "1": "b"}


@pytest.mark.parametrize("text", ["a: [", "a: b: c", "2020-13-45", "!!python/object:os.system {}", "[" * 5000, "*x"])
def test_what_is_broken_is_a_complaint(text: str) -> None:
    with pytest.raises(BadInput, match="not YAML: "):
        load_yaml(text)


@given(st.text(max_size=30))
def test_any_text_is_read_or_complained_of(text: str) -> None:
    with suppress(BadInput):
        load_yaml(text)


def test_every_document_comes_with_its_lines() -> None:
    found = load_all_yaml("a: 1\n---\nb: 2\n")
    assert [(plain, node.start_mark.line) for plain, node in found] == [({"a": 1}, 0), ({"b": 2}, 2)]
