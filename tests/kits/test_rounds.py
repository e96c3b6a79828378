"""Rounds: whose turn it is in an order that is fixed, rolled, drawn or handed on, and acting at once."""

from __future__ import annotations

from typing import Any, Final

import pytest

from referee.core import Call, Levels, Open, Scene, State, Who, alter, frozen, rule
from referee.core.deferred import Deferred
from referee.core.plain import read, write
from referee.drivers.scripted import play
from referee.kits.rounds import Rounds, in_this_order, lowest_first


@frozen
class Dancer:
    """Someone on the floor."""

    tired: Open[bool] = False


@frozen
class Dance(Rounds):
    """The smallest game of rounds: whoever has the turn takes a step."""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        group = self.group(scene)
        return step_out(Who(group[0], Dancer)) if group else next_dance()


DANCE: Final = Who("dance", Dance)


@rule("dance.step")
async def step_out(scene: Scene, who: Who[Dancer], mood: str = "merry") -> str:
    """A step."""
    await alter(DANCE, Dance.spending, who.name, 1)
    return f"{who} is {mood}"


@rule("dance.next")
async def next_dance(scene: Scene) -> None:
    """The next dance begins."""
    await alter(DANCE, Dance.beginning, dict.fromkeys(scene[DANCE].able(scene), 1))


def floor(**fields: Any) -> Scene:
    people = {name: Dancer() for name in ("ana", "bo", "cy")}
    return Scene(State({**people, "dance": Dance((("ana", "bo"), ("cy",)), **fields)}))


def turns(scene: Scene) -> list[str]:
    """Who has the turn, until no one is left in this round."""
    found = []
    while group := scene[DANCE].group(scene):
        found.append("+".join(group))
        dance = scene[DANCE]
        for name in group:
            dance = dance.spending(name, 1)
        scene = Scene(scene.state.but("dance", dance))
    return found


ONE_EACH: Final = Levels({"ana": 1, "bo": 1, "cy": 1})


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        (in_this_order(("cy", "ana", "bo")), ["cy", "ana", "bo"]),
        (Levels({"ana": 4, "bo": 11, "cy": 7}), ["bo", "cy", "ana"]),
        (lowest_first({"ana": 8, "bo": 3, "cy": 9}), ["bo", "ana", "cy"]),
        (Levels({"ana": 5, "bo": 9, "cy": 5}), ["bo", "ana+cy"]),
    ],
    ids=["fixed", "rolled", "drawn", "at once"],
)
def test_the_order_of_turns(scores: Levels, order: list[str]) -> None:
    assert turns(floor(scores=scores, left=ONE_EACH)) == order


def test_the_turn_is_handed_on() -> None:
    dance = Dance((("ana", "bo"), ("cy",)), scores=in_this_order(("ana", "bo", "cy")), left=ONE_EACH)
    scene = floor()
    assert dance.group(scene) == ("ana",)
    dance = dance.spending("ana", 1).handing_on("cy")
    assert dance.group(scene) == ("cy",)
    dance = dance.spending("cy", 1).handing_on("bo")
    assert dance.group(scene) == ("bo",)


def test_who_passes_is_asked_again_when_the_others_have_acted() -> None:
    scene = floor()
    dance = Dance((("ana", "bo"), ("cy",)), scores=in_this_order(("ana", "bo", "cy")), left=ONE_EACH).passing("ana")
    assert dance.group(scene) == ("bo",)
    dance = dance.spending("bo", 1)
    assert dance.group(scene) == ("cy",)
    dance = dance.spending("cy", 1).passing("ana")
    assert dance.group(scene) == ("ana",)


def test_several_actions_of_one_turn_come_before_the_next_turn() -> None:
    left = Levels({"ana": 2, "bo": 1})
    assert turns(floor(scores=in_this_order(("ana", "bo")), left=left)) == ["ana", "ana", "bo"]


def test_a_round_begins_without_reactions_and_passes() -> None:
    dance = Dance((("ana",), ("bo",)), passed=frozenset({"bo"})).reacting("ana").reacting("ana")
    assert dance.reactions == Levels({"ana": 2})
    begun = dance.beginning({"ana": 2, "bo": 0})
    assert (begun.round, begun.left, begun.reactions, begun.passed) == (1, Levels({"ana": 2}), Levels(), frozenset())
    assert begun.beginning({"bo": 1}, in_this_order(("bo",))).scores == Levels({"bo": 1})


def test_actions_are_gained_and_never_fall_below_none() -> None:
    dance = Dance((("ana",),), left=Levels({"ana": 1}))
    assert dance.spending("ana", 3).left == Levels({"ana": 0})
    assert dance.gaining("bo", 1).left == Levels({"ana": 1, "bo": 1})


def test_the_last_side_standing_wins() -> None:
    scene = floor()
    dance = scene[DANCE]
    assert dance.over(scene, DANCE) is None
    assert dance.leaving("cy").over(scene, DANCE) == "ana and bo"
    assert dance.leaving("ana").over(scene, DANCE) is None
    assert dance.leaving("ana").leaving("bo").leaving("cy").over(scene, DANCE) == "nobody"
    assert dance.side_of("bo") == ("ana", "bo")
    assert dance.side_of("zed") == ()


def test_it_is_not_over_while_results_wait() -> None:
    scene = floor()
    waiting = scene[DANCE].leaving("cy").deferring(Deferred("ana", step_out(Who("bo", Dancer))))
    assert waiting.over(scene, DANCE) is None
    assert waiting.settling().over(scene, DANCE) == "ana and bo"


# --- acting at once ---------------------------------------------------------------------------------------------------

AT_ONCE: Final = Levels({"ana": 5, "bo": 5, "cy": 3})


def test_those_of_one_score_act_together_also_after_one_has_paid() -> None:
    scene = floor(scores=AT_ONCE, left=ONE_EACH)
    assert scene[DANCE].acts_with_another(scene, "ana")
    paid = scene[DANCE].spending("ana", 1)
    assert paid.acts_with_another(scene, "ana")
    assert not paid.acts_with_another(scene, "cy")
    alone = Dance((("ana", "bo"), ("cy",)), scores=AT_ONCE, left=Levels({"ana": 1, "cy": 1}))
    assert not alone.acts_with_another(scene, "ana")


def test_results_are_due_when_the_whole_group_has_acted() -> None:
    scene = floor(scores=AT_ONCE, left=ONE_EACH)
    waiting = scene[DANCE].spending("ana", 1).deferring(Deferred("ana", step_out(Who("bo", Dancer))))
    assert not waiting.awaits_results(scene)
    assert waiting.spending("bo", 1).awaits_results(scene)
    assert not scene[DANCE].awaits_results(scene)


@frozen
class Mood:
    """An argument that is neither a name nor a number."""

    name: str
    strength: tuple[int, ...] = ()


@rule("dance.cheer")
async def cheer(scene: Scene, who: Who[Dancer], mood: Mood, loud: bool = False) -> str:
    """Any argument may wait with its result."""
    return f"{who} {mood.name} {mood.strength} {loud}"


def test_a_waiting_result_keeps_any_argument_through_the_log() -> None:
    waiting = Deferred("ana", cheer(Who("bo", Dancer), Mood("glad", (1, 2)), True))
    plain = write(waiting)
    assert plain == {
        "by": "ana",
        "rule": "dance.cheer",
        "arguments": {"who": "bo", "mood": {"name": "glad", "strength": [1, 2]}, "loud": True},
    }
    again: Deferred = read(Deferred, plain)
    assert again == waiting
    assert play(again.call, floor().state).result == "bo glad (1, 2) True"


def test_results_of_older_logs_have_their_arguments_in_pairs() -> None:
    old = {"by": "ana", "rule": "dance.cheer", "arguments": [["who", "bo"], ["mood", {"name": "glad"}]]}
    assert read(Deferred, old) == Deferred("ana", cheer(Who("bo", Dancer), Mood("glad")))
