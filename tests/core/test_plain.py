"""The codec: whatever is written is read back, and whatever does not fit is named by its place."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, make_dataclass
from enum import Enum, IntEnum
from types import GenericAlias
from typing import Annotated, Any, Literal, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.cards import Card, Facing, Pile
from referee.core.clock import Clock, Deadline
from referee.core.effects import Adds, At, Effect, Effects, Extra, Forbids, Grants, Lasting, Sets, Swaps
from referee.core.errors import BadInput
from referee.core.modifiers import Mod
from referee.core.plain import Levels, meant, read, same, spoken, tally, unknown, write
from referee.core.scene import Who


class Colour(Enum):
    RED = "red"
    DARK_BLUE = "dark blue"


class Rank(IntEnum):
    LOW = 1
    HIGH = 10


@dataclass(frozen=True, slots=True)
class Blade:
    name: str
    edge: int = 0


@dataclass(frozen=True, slots=True)
class Bag:
    blades: tuple[Blade, ...] = ()
    best: Blade | None = None
    for_: str = ""
    of_colour: Colour = Colour.RED


# --- round trips ------------------------------------------------------------------------------------------------------

Kind = tuple[Any, st.SearchStrategy[Any]]

texts = st.text(max_size=6)
SCALARS: list[Kind] = [
    (int, st.integers()),
    (bool, st.booleans()),
    (float, st.floats(allow_nan=False)),
    (str, texts),
    (Colour, st.sampled_from(Colour)),
    (Rank, st.sampled_from(Rank)),
    (Literal["a", "B c", 3], st.sampled_from(["a", "B c", 3])),
    (Annotated[int, "with a mark"], st.integers()),
    (Levels, st.dictionaries(texts, st.integers(), max_size=3).map(Levels)),
    (Mod, st.builds(Mod, st.integers(), texts, texts)),
    (Card, st.builds(Card, st.sampled_from(["7S", "10H", "Joker1"]), st.sampled_from(["", "ana"]))),
    (Who[Blade], texts.map(lambda name: Who(name, Blade))),
    (Deadline, st.builds(Deadline, st.integers(), st.integers(), texts, texts)),
]


def several(kinds: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    """Kinds made of other kinds."""
    pairs = st.tuples(kinds, kinds)
    return st.one_of(
        kinds.map(lambda k: (GenericAlias(tuple, (k[0], ...)), st.lists(k[1], max_size=3).map(tuple))),
        kinds.map(lambda k: (GenericAlias(frozenset, (k[0],)), st.frozensets(k[1], max_size=3))),
        kinds.map(lambda k: (Optional[k[0]], st.none() | k[1])),  # noqa: UP045  # made at run time
        pairs.map(lambda p: (GenericAlias(tuple, (p[0][0], p[1][0])), st.tuples(p[0][1], p[1][1]))),
        pairs.map(record),
    )


def record(pair: tuple[Kind, Kind]) -> Kind:
    """A dataclass of two fields, one of them named like a word of the language."""
    (one, ones), (two, twos) = pair
    made = make_dataclass("Record", [("for_", one), ("two", two)], frozen=True)
    return made, st.builds(made, ones, twos)


@settings(max_examples=70)
@given(st.data())
def test_every_kind_of_annotation_reads_back_what_it_wrote(data: st.DataObject) -> None:
    kind, values = data.draw(st.recursive(st.sampled_from(SCALARS), several, max_leaves=6))
    value = data.draw(values)
    assert read(kind, json.loads(json.dumps(write(value)))) == value


@settings(max_examples=40)
@given(st.dictionaries(st.integers(), texts, max_size=4))
def test_a_mapping_by_numbers_survives_json_which_has_only_names(value: dict[int, str]) -> None:
    assert read(dict[int, str], json.loads(json.dumps(write(value)))) == value
    assert read(dict[int, str], value) == value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (dict[str, tuple[int, ...]], {"a": (1, 2), "b": ()}),
        (dict[Colour, int], {Colour.DARK_BLUE: 2}),
        (dict[str, Blade | None], {"a": None, "b": Blade("knife")}),
        (Any, {"anything": [1, None, {"goes": True}]}),
        (type(None), None),
        (tuple[()], ()),
        (Blade | Clock, Clock(3, (Deadline(4, 0, "ana", "x"),))),
        (tuple[int | None, ...] | None, None),
        (tuple[int | None, ...] | None, (None,)),
        (frozenset[int | None] | None, None),
    ],
)
def test_mappings_unions_and_nothing_read_back_too(kind: Any, value: Any) -> None:
    assert read(kind, json.loads(json.dumps(write(value)))) == value


doings = st.one_of(
    st.builds(Adds, st.integers()),
    st.builds(Sets, texts, st.integers() | st.booleans() | texts),
    st.builds(Swaps, texts, texts),
    st.builds(Grants, texts),
    st.builds(Forbids, texts),
    st.builds(Extra, texts, st.integers(1, 9)),
    st.builds(At, texts, texts),
)
whole_effects = st.builds(
    Effect,
    doings,
    st.frozensets(texts),
    st.none() | texts,
    st.integers(1, 5),
    st.none() | st.integers(0, 5),
    st.none() | texts,
)


@settings(max_examples=40)
@given(whole_effects)
def test_every_kind_of_effect_reads_back_with_all_its_conditions(effect: Effect) -> None:
    assert read(Effect, json.loads(json.dumps(write(effect)))) == effect


@settings(max_examples=40)
@given(st.builds(Lasting, st.integers(), texts, whole_effects, texts, texts, st.none() | texts))
def test_effects_lying_in_a_scene_read_back(lasting: Lasting) -> None:
    lying = Effects((lasting,), (("ana", "talent", "adds 1", 1),), Levels({"ana": 7}))
    assert read(Effects, json.loads(json.dumps(write(lying)))) == lying


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["7S", "10H", "Joker1", "7S@ana"]), unique=True), st.sampled_from(Facing), texts)
def test_a_pile_reads_back(cards: list[str], facing: Facing, owner: str) -> None:
    pile = Pile(tuple(map(Card.from_plain, cards)), facing, owner)
    assert read(Pile, json.loads(json.dumps(write(pile)))) == pile


def test_what_has_no_plain_form_says_how_to_get_one() -> None:
    with pytest.raises(TypeError, match=r"object has no plain form: give it to_plain\(\) and from_plain\(\)"):
        write(object())


def test_a_type_that_cannot_be_read_is_the_programmers_error() -> None:
    with pytest.raises(TypeError, match="cannot be read from plain data"):
        read(complex, 1)


def test_sets_are_written_in_one_order_whatever_order_they_had() -> None:
    assert write(frozenset("cab")) == ["a", "b", "c"]


# --- what people may write --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plain", [{"of-colour": "red"}, {"of colour": "RED"}, {"of_colour": "Red"}])
def test_names_of_fields_may_be_parted_as_people_do_and_values_in_any_letters(plain: dict[str, str]) -> None:
    assert read(Bag, plain) == Bag(of_colour=Colour.RED)


def test_a_field_named_like_a_word_of_the_language_is_written_without_its_mark() -> None:
    assert read(Bag, {"for": "ana"}) == read(Bag, {"for_": "ana"}) == Bag(for_="ana")


def test_one_may_stand_where_several_may() -> None:
    assert read(Bag, {"blades": {"name": "knife"}}) == Bag(blades=(Blade("knife"),))
    assert read(frozenset[str], "a") == frozenset("a")


def test_a_value_that_is_already_of_its_kind_stays_itself() -> None:
    blade = Blade("knife")
    assert read(Bag, {"best": blade}).best is blade


def test_a_whole_number_may_stand_for_a_number_but_not_the_other_way_round() -> None:
    assert type(read(float, 2)) is float
    with pytest.raises(BadInput, match=r"must be a whole number, not 2\.0"):
        read(int, 2.0)


# --- complaints -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "plain", "complaint"),
    [
        (int, "3", "must be a whole number, not '3'"),
        (int, True, "must be a whole number, not True"),
        (bool, 1, "must be yes or no, not 1"),
        (bool, "yes", "must be yes or no, not 'yes'"),
        (str, 3, "must be text, not 3"),
        (str, None, "must be text, not None"),
        (float, "x", "must be a number, not 'x'"),
        (float, True, "must be a number, not True"),
        (type(None), 0, "must be nothing, not 0"),
        (Colour, "rad", "'rad' is not known; did you mean 'red'? one of red, dark blue"),
        (Colour, "zzz", "'zzz' is not known; one of red, dark blue"),
        (Literal["left", "right"], "rigth", "'rigth' is not known; did you mean 'right'? one of left, right"),
        (tuple[int, ...], [1, "x"], "[1]: must be a whole number, not 'x'"),
        (tuple[int, str], [1], "must be 2 values, not 1"),
        (tuple[int, str], [1, "a", 2], "must be 2 values, not 3"),
        (frozenset[int], ["x"], "[0]: must be a whole number, not 'x'"),
        (dict[str, int], [1], "must be names with values, not [1]"),
        (dict[str, int], {"a": "x"}, "a: must be a whole number, not 'x'"),
        (dict[int, int], {"x": 1}, "must be a whole number, not 'x'"),
        (Levels, {"Wits": "x"}, "Wits: must be a whole number, not 'x'"),
        (Levels, {3: 1}, "must be a name, not 3"),
        (Levels, [3], "must be names with whole numbers, not [3]"),
        (Blade, {"edge": 1}, "name: is missing"),
        (Blade, "knife", "must be fields of a Blade (name, …), not 'knife'"),
        (Blade, {"name": "k", "egde": 1}, "egde: 'egde' is not known; did you mean 'edge'? one of name, edge"),
        (Blade, {3: 1}, "must be a name, not 3"),
        (Bag, {"blades": [{"name": "k"}, {"name": 3}]}, "blades[1].name: must be text, not 3"),
        (Bag, {"best": {"edge": 1}}, "best.name: is missing"),
        (Bag, {"for": 3}, "for: must be text, not 3"),
        (int | None, "x", "must be a whole number, not 'x'"),
        (int | bool, "x", "must be a whole number, not 'x'; or must be yes or no, not 'x'"),
        (Who[Blade], 3, "must be a name in the scene, not 3"),
        (Mod, "flashlight", "must be a modifier such as '+2 flashlight', not 'flashlight'"),
    ],
)
def test_a_complaint_names_its_place_and_what_would_do(kind: Any, plain: Any, complaint: str) -> None:
    with pytest.raises(BadInput) as told:
        read(kind, plain)
    assert str(told.value) == complaint


def test_two_spellings_of_one_field_are_not_silently_one() -> None:
    with pytest.raises(BadInput, match="a field is given twice: of-colour, of_colour"):
        read(Bag, {"of-colour": "red", "of_colour": "dark blue"})


def test_the_place_is_told_from_where_the_reader_stands() -> None:
    with pytest.raises(BadInput) as told:
        read(tuple[Bag, ...], [{}, {"best": {"name": "k", "edge": None}}], "sheets.ana")
    assert (told.value.where, told.value.problem) == (
        "sheets.ana[1].best.edge",
        "must be a whole number, not None",
    )


scalars = st.none() | st.booleans() | st.integers() | texts


@settings(max_examples=60)
@given(st.recursive(scalars, lambda k: st.lists(k) | st.dictionaries(texts, k), max_leaves=8))
def test_whatever_is_given_is_read_or_complained_of_and_never_a_crash(plain: Any) -> None:
    for kind in (Bag, Blade, Effects, Clock, Pile, Levels, Effect, dict[str, tuple[Blade, ...]]):
        with suppress(BadInput):
            value: Any = read(kind, plain)
            assert read(kind, json.loads(json.dumps(write(value)))) == value


# --- tallies, levels, words -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fight:
    foes: int = 2
    round: int = field(default_factory=int, compare=True)
    seconds: int = tally(1)


def test_a_tally_is_written_and_read_but_not_compared() -> None:
    assert Fight(seconds=3) == Fight(seconds=9)
    assert hash(Fight(seconds=3)) == hash(Fight(seconds=9))
    assert write(Fight(seconds=9)) == {"foes": 2, "round": 0, "seconds": 9}
    assert same(read(Fight, {"seconds": 9}), Fight(seconds=9))


def test_the_same_is_stricter_than_equal_about_tallies_only() -> None:
    assert not same(Fight(seconds=3), Fight(seconds=9))
    assert same(Fight(), Fight())
    assert not same(Fight(), None)
    assert not same(Fight(foes=1), Fight())
    assert same(Levels({"a": 1}), Levels({"a": 1}))


def test_a_tally_begins_where_it_is_told() -> None:
    assert Fight().seconds == 1


@settings(max_examples=40)
@given(st.dictionaries(texts, st.integers()))
def test_levels_are_a_value_whatever_order_they_were_given_in(levels: dict[str, int]) -> None:
    turned = Levels(dict(reversed(list(levels.items()))))
    assert turned == Levels(levels)
    assert hash(turned) == hash(Levels(levels))
    assert dict(turned) == levels
    assert len(turned) == len(levels)


def test_levels_do_not_follow_the_mapping_they_were_made_of() -> None:
    given_levels = {"Wits": 3}
    levels = Levels(given_levels)
    given_levels["Wits"] = 4
    assert levels["Wits"] == 3
    assert levels.but(Wits=5, Agility=1) == Levels({"Agility": 1, "Wits": 5})
    assert levels["Wits"] == 3


def test_an_unknown_level_is_an_error() -> None:
    with pytest.raises(KeyError):
        Levels({"Wits": 3})["Wit"]


def test_levels_are_not_equal_to_a_bare_mapping() -> None:
    assert Levels({"a": 1}) != {"a": 1}


def test_where_nothing_is_known_the_complaint_says_so() -> None:
    assert unknown("x", ()) == "'x' is not known; there are none"


def test_a_long_list_of_names_is_cut() -> None:
    assert unknown("x", tuple(str(n) for n in range(100))).count(",") == 39


def test_names_are_known_however_they_are_written() -> None:
    assert spoken("Take-Cover") == spoken("take_cover") == spoken("take cover")
    assert spoken("Take Cover") != spoken("takecover")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Take Cover", "Take Cover"),
        ("take-cover", "Take Cover"),
        ("undisciplined", "Undisciplined (irregulars)"),
        ("smoke", "Fog or smoke"),
        ("sport i", "Sport I (running)"),
        ("sport", None),
        ("wooden door", "Wooden door, furniture"),
        ("door", None),
        ("Rain", None),
    ],
)
def test_a_name_is_known_by_what_it_is_called_unless_two_are_so_called(said: str, name: str | None) -> None:
    known = (
        *("Take Cover", "Undisciplined (irregulars)", "Fog or smoke", "Sport I (running)", "Wooden door, furniture"),
        *("Rain (light)", "Rain (heavy)"),
    )
    assert meant(said, known) == name
