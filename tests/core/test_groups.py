"""Arguments in groups: one value in the text of a rule, an argument each for people."""

from __future__ import annotations

from typing import Annotated, Any, Final

import pytest

from referee.core import Fields, Grouped, Open, Pick, Refused, Scene, State, Who, action, action_of, frozen, refuse
from referee.core.errors import BadInput
from referee.drivers.scripted import play


@frozen
class Archer:
    """Whoever shoots."""

    arrows: Open[int] = 3


Person = Who[Archer]
ANA, BO = Who("ana", Archer), Who("bo", Archer)
STATE: Final = State({"ana": Archer(), "bo": Archer()})


@frozen
class Aim:
    """Circumstances of a shot."""

    metres: int = 10
    part: Annotated[str, Pick(lambda scene, who: ("chest", "head"))] = "chest"
    wind: int = 0
    called: tuple[str, ...] = ()


WINDY: Final = Aim(wind=2)


def others(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Archer) if each != who)


def check_wind(scene: Scene, who: Person, wind: int = 0) -> None:
    """A check takes a field of a group by its name, like any other argument."""
    if wind > 5:
        refuse("the wind is too strong", legal=("a wind of 5 or less",))


@action("loose", "test.groups.loose", check=check_wind)
async def loose(
    scene: Scene, who: Person, target: Annotated[Person, Pick(others)], aim: Grouped[Aim] = WINDY, high: bool = False
) -> tuple[str, Aim, bool]:
    """Shoot at somebody."""
    return (target.name, aim, high)


@action("volley", "test.groups.volley")
async def volley(scene: Scene, who: Person, aim: Annotated[Aim, Fields("metres wind")] = WINDY) -> Aim:
    """Shoot high up, at nobody's part."""
    return aim


@action("snap", "test.groups.snap")
async def snap(scene: Scene, who: Person, aim: Annotated[Aim, Fields(without="wind called")]) -> Aim:
    """Shoot at once."""
    return aim


def test_the_fields_of_a_group_are_arguments_where_it_stands_with_its_own_defaults() -> None:
    given = {name: each.default for name, each in action_of(loose).parameters.items()}
    assert given == {
        "target": action_of(loose).parameters["target"].empty,
        "metres": 10,
        "part": "chest",
        "wind": 2,
        "called": (),
        "high": False,
    }
    assert list(given) == ["target", "metres", "part", "wind", "called", "high"]


def test_a_rule_is_called_with_the_whole_group_or_with_any_of_its_fields() -> None:
    whole = loose(ANA, BO, Aim(30, "head", called=("left",)), high=True)
    assert whole == loose(ANA, BO, aim=Aim(30, "head", called=("left",)), high=True)
    flat: Any = loose
    assert whole == flat(ANA, BO, metres=30, part="head", wind=0, called=("left",), high=True)
    assert whole == flat(ANA, BO, 30, "head", 0, ("left",), True)
    assert play(whole, STATE).result == ("bo", Aim(30, "head", 0, ("left",)), True)
    assert play(loose(ANA, BO), STATE).result == ("bo", Aim(10, "chest", 2, ()), False)


def test_a_log_has_each_field_by_its_name() -> None:
    step = action_of(loose).do(ANA, target=BO, metres=30).plain()
    expected = {"who": "ana", "target": "bo", "metres": 30, "part": "chest", "wind": 2, "called": [], "high": False}
    assert step == expected
    assert loose.arguments({"who": "ana", "target": "bo", "metres": 30}) == (ANA, BO, 30, "chest", 2, (), False)
    with pytest.raises(BadInput, match="'aim' is not known"):
        loose.arguments({"who": "ana", "target": "bo", "aim": {"metres": 30}})


def test_some_fields_are_arguments_and_the_others_stay_as_they_are_by_default() -> None:
    assert list(action_of(volley).parameters) == ["metres", "wind"]
    assert play(volley(ANA), STATE).result == WINDY
    assert play(action_of(volley).do(ANA, metres=80), STATE).result == Aim(80, wind=2)
    assert list(action_of(snap).parameters) == ["metres", "part"]
    assert play(action_of(snap).do(ANA, part="head"), STATE).result == Aim(part="head")
    assert play(snap(ANA, Aim(5)), STATE).result == Aim(5)
    with pytest.raises(TypeError, match="of aim only metres, part may be given"):
        _ = snap(ANA, Aim(5, wind=3))


def test_picks_and_checks_of_a_field_hold() -> None:
    scene, shot = Scene(STATE), action_of(loose)
    assert [(way["target"], way["part"]) for way in shot.legal(scene, ANA)] == [(BO, "chest"), (BO, "head")]
    assert "foot" in str(shot.may(scene, ANA, target=BO, part="foot"))
    with pytest.raises(Refused, match="the wind is too strong"):
        play(shot.do(ANA, target=BO, wind=6), STATE)


def test_a_group_that_cannot_be_is_refused_where_it_is_declared() -> None:
    with pytest.raises(TypeError, match="Aim has no field height"):

        @action("a", "test.groups.a")
        async def unknown(scene: Scene, who: Person, aim: Annotated[Aim, Fields("height")] = WINDY) -> None:
            """A field there is not."""

    with pytest.raises(TypeError, match="wind would be an argument twice"):

        @action("b", "test.groups.b")
        async def twice(scene: Scene, who: Person, wind: int, aim: Grouped[Aim] = WINDY) -> None:
            """An argument of its own, and the same of a group."""
