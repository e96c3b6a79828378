"""Who is oneself, a friend or a foe."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from referee.core.encounter import Playing
from referee.core.plain import frozen
from referee.core.relation import Relation, by_sides, in_encounters, relation


@frozen
class Bout:
    sides: tuple[tuple[str, ...], ...]
    within: str = ""

    def parties(self) -> tuple[tuple[str, ...], ...]:
        return self.sides


SIDES = (("ana", "bo"), ("wolf",))
PLAYERS = {"ana", "bo"}


@pytest.mark.parametrize(
    ("who", "other", "found"),
    [
        ("ana", "ana", Relation.ONESELF),
        ("ana", "bo", Relation.FRIEND),
        ("ana", "wolf", Relation.FOE),
        ("wolf", "bo", Relation.FOE),
        ("ana", "crow", None),
        ("crow", "crow", None),
    ],
)
def test_the_sides_of_an_encounter_say_it(who: str, other: str, found: Relation | None) -> None:
    assert by_sides(SIDES, who, other) is found
    assert in_encounters({"fight": Bout(SIDES)}, who, other) is found


def test_the_innermost_encounter_counts() -> None:
    outer, inner = Bout((("ana", "wolf"), ("bo",))), Bout(SIDES, within="chase")
    scene: dict[str, Hashable] = {"chase": outer, "fight": inner}
    assert in_encounters(scene, "ana", "wolf") is Relation.FOE


def test_of_two_beside_each_other_the_one_that_is_played_counts() -> None:
    one, two = Bout((("ana", "wolf"), ("bo",))), Bout(SIDES)
    scene: dict[str, Hashable] = {"a": one, "b": two, "playing": Playing("b")}
    assert in_encounters(scene, "ana", "wolf") is Relation.FOE
    assert in_encounters({**scene, "playing": Playing("a")}, "ana", "wolf") is Relation.FRIEND


@pytest.mark.parametrize(
    ("who", "other", "found"),
    [
        ("ana", "ana", Relation.ONESELF),
        ("ana", "bo", Relation.FRIEND),
        ("ana", "wolf", Relation.FOE),
        ("wolf", "crow", Relation.FRIEND),
    ],
)
def test_apart_from_encounters_it_goes_by_who_plays_whom(who: str, other: str, found: Relation) -> None:
    assert relation({}, who, other, is_players=PLAYERS.__contains__) is found
