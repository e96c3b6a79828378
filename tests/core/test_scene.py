"""The scene: one hashable value, read through a handle that knows what was read before it was written."""

from __future__ import annotations

import pickle
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import BadInput, Open, Scene, State, Who
from referee.core.plain import read
from referee.core.scene import EVERYTHING, NamesOf, Read


@dataclass(frozen=True, slots=True)
class Cat:
    lives: Open[int] = 9


@dataclass(frozen=True, slots=True)
class Dog:
    tricks: Open[int] = 0


TOM = Who("tom", Cat)
REX = Who("rex", Dog)
NOBODY = Who("nobody", Cat)

values = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 3))


# --- states -----------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(values, values)
def test_two_scenes_are_equal_exactly_if_the_same_is_in_them(one: dict[str, int], other: dict[str, int]) -> None:
    assert (State(one) == State(other)) is (one == other)
    if one == other:
        assert hash(State(one)) == hash(State(dict(reversed(list(other.items())))))


@settings(max_examples=40)
@given(values, st.sampled_from("abcde"), st.none() | st.integers(0, 3))
def test_a_change_makes_a_new_scene_and_leaves_the_old(one: dict[str, int], name: str, value: int | None) -> None:
    before = State(one)
    after = before.but(name, value)
    assert before == State(one)
    assert after.get(name) == value
    assert {k: v for k, v in after.items() if k != name} == {k: v for k, v in one.items() if k != name}
    assert (name in after) is (value is not None)


def test_a_scene_does_not_follow_what_it_was_made_of() -> None:
    given_values: dict[str, Hashable] = {"a": 1}
    state = State(given_values)
    given_values["a"] = 2
    assert state["a"] == 1


def test_a_scene_is_not_its_mapping() -> None:
    assert State({"a": 1}) != {"a": 1}


def test_values_are_picked_by_name_and_the_whole_by_its_own_sign() -> None:
    state = State({"a": 1, "b": 2})
    assert state.at(["b", "x", "a"]) == (2, None, 1)
    assert state.at([EVERYTHING]) == (state,)


# --- who --------------------------------------------------------------------------------------------------------------


def test_a_name_is_compared_alone() -> None:
    assert Who("tom", Cat) == Who("tom", Dog)
    assert hash(Who("tom", Cat)) == hash(Who("tom", Dog))
    assert Who("tom", Cat) != "tom"
    assert str(TOM) == "tom"


def test_a_name_is_read_with_the_kind_its_annotation_states() -> None:
    found: Who[Cat] = read(Who[Cat], "tom")
    assert (found.name, found.kind) == ("tom", Cat)
    anybody: Who[Any] = read(Who[Any], "tom")
    assert anybody.kind is object
    assert Scene({"tom": Cat()})[anybody] == Cat()


# --- reading ----------------------------------------------------------------------------------------------------------


def scene(reads: set[Read] | None = None) -> Scene:
    return Scene({"tom": Cat(), "rex": Dog(), "kit": Cat(1)}, reads)


def test_a_scene_travels_without_what_this_process_has_looked_up() -> None:
    class OnlyHere: ...

    state = State({"ana": 1})
    assert state.names_of(OnlyHere) == ()
    assert hash(state)
    assert pickle.loads(pickle.dumps(state)) == state


def test_who_is_there_is_read_by_name() -> None:
    assert scene()[TOM] == Cat()
    assert TOM in scene()
    assert scene().get(TOM, Cat(0)) == Cat()


def test_who_is_not_there_is_an_error_that_names_who_is() -> None:
    with pytest.raises(BadInput, match="scene: 'tomm' is not known; did you mean 'tom'\\? one of tom, rex, kit"):
        scene()[Who("tomm", Cat)]
    with pytest.raises(BadInput, match="'nobody' is not known"):
        scene().who("nobody")
    assert NOBODY not in scene()
    assert scene().get(NOBODY, Cat(0)) == Cat(0)


def test_who_is_of_another_kind_is_not_there() -> None:
    with pytest.raises(BadInput, match="scene: rex is a Dog, not a Cat"):
        scene()[Who("rex", Cat)]
    assert Who("rex", Cat) not in scene()
    assert scene().get(Who("rex", Cat), Cat(0)) == Cat(0)


def test_everyone_of_a_kind_is_listed_by_name() -> None:
    assert [who.name for who in scene().all(Cat)] == ["kit", "tom"]
    assert scene().all(int) == ()
    assert (scene().who("rex").kind, scene().who("rex")) == (Dog, REX)


@pytest.mark.parametrize(
    ("look", "reads"),
    [
        (lambda s: s[TOM], {"tom"}),
        (lambda s: TOM in s, {"tom"}),
        (lambda s: NOBODY in s, {"nobody"}),
        (lambda s: s.get(NOBODY, None), {"nobody"}),
        (lambda s: s.who("rex"), {"rex"}),
        (lambda s: s.all(Cat), {NamesOf(Cat)}),
        (lambda s: None, set()),
    ],
)
def test_whatever_is_looked_at_is_noted_absence_included(look: Any, reads: set[Read]) -> None:
    seen: set[Read] = set()
    look(scene(seen))
    assert seen == reads


def test_what_was_written_first_is_not_noted_when_it_is_read() -> None:
    seen: set[Read] = set()
    handle = scene(seen)
    handle.write("tom", Cat(3))
    assert handle[TOM] == Cat(3)
    handle.write("nobody", None)
    assert NOBODY not in handle
    assert seen == set()
    assert handle.written == {"tom", "nobody"}


def test_what_was_read_first_stays_noted() -> None:
    seen: set[Read] = set()
    handle = scene(seen)
    assert TOM in handle
    handle.write("tom", None)
    assert TOM not in handle
    assert seen == {"tom"}


def test_a_handle_moves_with_the_state_behind_it() -> None:
    handle = scene()
    before = handle.state
    handle.write("tom", Cat(8))
    assert handle[TOM].lives == 8
    assert before["tom"] == Cat(9)
