"""Things: a smallest game of porters with knives, arrows and sacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import Open, Refused, Scene, State, Who, frozen, rule
from referee.core.plain import read, write
from referee.core.things import (
    CARRIED,
    DROPPED,
    HELD,
    Amount,
    added,
    containers_of,
    inside,
    thing_of,
    with_thing,
    without_thing,
)
from referee.drivers.scripted import play
from referee.kits.things import Stash, Thing, amount_of, check_things, give, load, of_kind, reloaded, used_up

WEIGHTS: Final[dict[str, Amount]] = {"sack": 1, "purse": 0.5}
ROOM: Final[dict[str, Amount]] = {"sack": 6, "purse": 1}
FULL: Final = 3


@frozen
class Tool(Thing):
    """A thing that can also jam."""

    jammed: bool = False


@frozen
class Porter:
    """Somebody who carries things."""

    things: Open[tuple[Tool, ...]] = ()


ANA, BO, STORE = Who("ana", Porter), Who("bo", Porter), Who("store", Stash)


def weigh(thing: Thing) -> Amount:
    return WEIGHTS.get(thing.kind, 1)


def room(thing: Thing) -> Amount:
    return ROOM.get(thing.kind, 0)


@rule("porters.give")
async def hand_on(scene: Scene, who: Who[Porter], to: Who[Porter], name: str, amount: float | None = None) -> None:
    """One porter hands something to another."""
    await give(scene, who, to, name, amount)


def porters(*things: Tool, bo: tuple[Tool, ...] = ()) -> State:
    return State({"ana": Porter(things), "bo": Porter(bo), "store": Stash()})


def names(scene: Scene, who: Who[Porter]) -> Iterator[str]:
    return (f"{each.name} {each.amount}" for each in scene[who].things)


def test_a_thing_is_written_as_far_as_it_differs() -> None:
    plain = {"name": "old knife", "row": "knife", "wear": 1}
    assert read(Tool, plain) == Tool("old knife", "knife", wear=1)
    assert read(Tool, write(read(Tool, plain))) == read(Tool, plain)


def test_wear_is_taken_from_the_rating_of_the_row_and_never_below_nothing() -> None:
    knife = Tool("knife")
    assert [knife.worn(FULL, lost).rating(FULL) for lost in (0, 1, 3, 4)] == [3, 2, 0, 0]
    assert knife.worn(FULL, 9).repaired(1).rating(FULL) == 1


def test_a_repair_never_goes_above_the_full_rating() -> None:
    assert Tool("knife", wear=1).repaired(5).rating(FULL) == 3


def test_what_is_lost_for_good_no_repair_brings_back() -> None:
    blunt = Tool("knife", wear=2).settled()
    assert (blunt.rating(FULL), blunt.full(FULL), blunt.repaired(2).rating(FULL)) == (1, 1, 1)


def test_a_better_full_rating_does_not_repair() -> None:
    better = Tool("knife", wear=1).changed(FULL, 1)
    assert (better.rating(FULL), better.full(FULL), better.repaired(9).rating(FULL)) == (2, 4, 4)


def test_a_worse_full_rating_takes_only_what_it_no_longer_allows() -> None:
    assert Tool("knife", wear=2).changed(FULL, -1).rating(FULL) == 1
    assert Tool("knife").changed(FULL, -1).rating(FULL) == 2
    assert Tool("knife").changed(FULL, -9).full(FULL) == 0


def test_firing_takes_rounds_and_no_more_than_there_are() -> None:
    assert Tool("pistol", loaded=6).firing(4).loaded == 2
    with pytest.raises(Refused, match="2 rounds are left"):
        Tool("pistol", loaded=2).firing(3)


def test_reloading_takes_what_fits_from_all_the_ammunition_there_is() -> None:
    things = (Tool("pistol", loaded=1), Tool("9mm", amount=2), Tool("box", "9mm", amount=10))
    now = reloaded(things, "pistol", 8, "9mm")
    assert (thing_of(now, "pistol").loaded, amount_of(now, "9mm")) == (8, 5)
    assert [each.name for each in now] == ["pistol", "box"]


def test_a_full_weapon_and_an_empty_pouch_are_not_reloaded() -> None:
    with pytest.raises(Refused, match="it is full"):
        reloaded((Tool("pistol", loaded=8), Tool("9mm")), "pistol", 8, "9mm")
    with pytest.raises(Refused, match="there is no 9mm"):
        reloaded((Tool("pistol"), Tool("9mm", place=DROPPED)), "pistol", 8, "9mm")


def test_half_a_unit_may_be_used_up() -> None:
    assert amount_of(used_up((Tool("iron", amount=2),), "iron", 0.5), "iron") == 1.5
    assert used_up((Tool("iron", amount=0.5),), "iron", 0.5) == ()
    with pytest.raises(Refused, match="it takes 3, and there is 2"):
        used_up((Tool("iron", amount=2),), "iron", 3)


def test_what_is_counted_joins_and_a_single_thing_gets_its_own_name() -> None:
    assert added((Tool("arrow", amount=5),), Tool("arrow")) == (Tool("arrow", amount=6),)
    two = added((Tool("knife", wear=1),), Tool("knife"))
    assert [(each.name, each.kind, each.wear) for each in two] == [("knife", "knife", 1), ("knife 2", "knife", 0)]
    assert [each.name for each in added(two, Tool("knife"))] == ["knife", "knife 2", "knife 3"]


def test_an_unknown_thing_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refused) as refused:
        thing_of((Tool("knife"),), "spoon", rule="porters.give")
    assert (refused.value.rule, refused.value.legal) == ("porters.give", ("knife",))


def test_the_load_leaves_out_what_lies_on_the_ground_with_its_contents() -> None:
    things = (Tool("sack"), Tool("bread", amount=2, place="sack"), Tool("knife"))
    assert load(things, weigh) == 4
    assert load(with_thing(things, things[0].at(DROPPED)), weigh) == 1


def test_containers_hold_what_finds_room() -> None:
    things = (Tool("sack"), Tool("purse", place="sack"), Tool("coin", place="purse"))
    check_things(things, room, weigh)
    assert containers_of(things, things[2]) == ("purse", "sack")
    assert [each.name for each in inside(things, "sack")] == ["purse", "coin"]
    with pytest.raises(Refused, match="it has room for 1, not 2"):
        check_things(with_thing(things, replace(things[2], amount=2)), room, weigh)


@pytest.mark.parametrize(
    "things",
    [
        (Tool("knife"), Tool("Knife")),
        (Tool("coin", place="purse"),),
        (Tool("knife"), Tool("coin", place="knife")),
        (Tool("sack", place="sack"),),
        (Tool("sack", place="purse"), Tool("purse", place="sack")),
    ],
    ids=["one name", "no container there", "a knife holds nothing", "in itself", "in each other"],
)
def test_places_that_cannot_be_are_refused(things: tuple[Tool, ...]) -> None:
    with pytest.raises(Refused):
        check_things(things, room, weigh)


def test_a_thing_is_given_with_all_that_is_in_it() -> None:
    state = porters(Tool("sack"), Tool("coin", amount=3, place="sack"), bo=(Tool("sack"), Tool("knife", place=HELD)))
    played = play(hand_on(ANA, BO, "sack"), state)
    assert played.scene[ANA].things == ()
    assert [(each.name, each.place) for each in played.scene[BO].things] == [
        ("sack", CARRIED),
        ("knife", HELD),
        ("sack 2", CARRIED),
        ("coin", "sack 2"),
    ]


def test_a_part_is_given_and_joins_what_is_there() -> None:
    played = play(hand_on(ANA, BO, "arrow", 2), porters(Tool("arrow", amount=5), bo=(Tool("arrow", amount=1),)))
    assert (list(names(played.scene, ANA)), list(names(played.scene, BO))) == (["arrow 3"], ["arrow 3"])


@pytest.mark.parametrize("amount", [0, -1, 6])
def test_no_more_is_given_than_there_is(amount: int) -> None:
    with pytest.raises(Refused, match="the amount is 5"):
        play(hand_on(ANA, BO, "arrow", amount), porters(Tool("arrow", amount=5)))


def test_what_was_dropped_can_be_taken_by_another() -> None:
    played = play(hand_on(ANA, BO, "knife"), porters(Tool("knife", place=DROPPED, jammed=True)))
    assert played.scene[BO].things == (Tool("knife", place=CARRIED, jammed=True),)


def test_a_container_that_is_gone_leaves_its_contents() -> None:
    assert without_thing((Tool("sack"), Tool("coin", place="sack")), "sack") == (Tool("coin", place=CARRIED),)


def test_a_store_holds_things_that_nobody_carries() -> None:
    state = porters(Tool("iron", amount=3)).but("store", Stash((Thing("iron", amount=2),)))
    assert of_kind(Stash().things, "iron") == ()
    played = play(hand_on(ANA, STORE, "iron", 1), state)  # type: ignore[arg-type]  # whatever has things may hold them
    assert amount_of(played.scene[STORE].things, "iron") == 3


@given(st.lists(st.tuples(st.sampled_from(["worn", "repaired", "changed", "settled"]), st.integers(-3, 5))))
def test_a_rating_stays_within_its_bounds(steps: list[tuple[str, int]]) -> None:
    thing = Tool("knife")
    for step, points in steps:
        match step:
            case "worn":
                thing = thing.worn(FULL, abs(points))
            case "repaired":
                thing = thing.repaired(abs(points))
            case "changed":
                thing = thing.changed(FULL, points)
            case _:
                thing = thing.settled()
        assert 0 <= thing.rating(FULL) <= thing.full(FULL)
        assert thing.wear >= 0


def test_a_game_may_count_single_things_too() -> None:
    assert added((Tool("iron"),), Tool("iron"), counted=True) == (Tool("iron", amount=2),)
