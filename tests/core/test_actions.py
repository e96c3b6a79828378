"""An action declared once: its turn, its price, its picks and its checks, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from typing import Annotated, Any, Final

import pytest

from referee.core import (
    ActionChoice,
    Bands,
    Call,
    Effect,
    Mod,
    Mods,
    Open,
    Pick,
    Prompt,
    Refused,
    Scene,
    State,
    Who,
    action,
    action_of,
    actions_of,
    adds,
    alter,
    applying,
    choose,
    formula,
    frozen,
    lay,
    legal_choices,
    refuse,
    rule,
    suggest,
)
from referee.core.actions import LegalChoices, ways_of
from referee.core.trace import RUNNING, watching
from referee.drivers.scripted import play

# --- the smallest system that needs it: a kitchen, where a cook serves a guest one of the dishes that guest likes -----


@frozen
class Cook:
    """Whoever cooks: dishes, and whom they serve."""

    turns: Open[int] = 1
    coins: Open[int] = 3
    dishes: Open[tuple[str, ...]] = ("soup", "stew", "pie")
    likes: Open[tuple[str, ...]] = ("soup", "pie")
    gone: Open[bool] = False

    def paying(self, coins: int) -> Cook:
        return replace(self, coins=self.coins - coins)

    def without(self, dish: str) -> Cook:
        return replace(self, dishes=tuple(each for each in self.dishes if each != dish))


Person = Who[Cook]
ASKED: Final[list[str]] = []
"""Which functions of the declaration were asked, in order."""


def check_turn(scene: Scene, who: Person) -> None:
    ASKED.append("turn")
    if not scene[who].turns:
        refuse(f"{who} has no turn", rule="kitchen.turns")


class Coins:
    """A price of two coins."""

    def check(self, scene: Scene, who: Person) -> None:
        ASKED.append("price")
        if scene[who].coins < 2:
            refuse(f"it costs 2, {who} has {scene[who].coins}", rule="kitchen.coins")

    def pay(self, who: Person) -> Call[None]:
        return spend(who, 2)

    def end(self, who: Person) -> Call[None]:
        return spend(who, 1)


@rule("kitchen.coins")
async def spend(scene: Scene, who: Person, coins: int) -> None:
    """Coins are spent."""
    await alter(who, Cook.paying, coins)


def guests(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Cook) if each != who)


def check_guest(scene: Scene, who: Person, guest: Person) -> None:
    ASKED.append("guest")
    if scene[guest].gone:
        refuse(f"{guest} has left")


def liked(scene: Scene, who: Person, guest: Person) -> tuple[str, ...]:
    return scene[guest].likes


def check_dish(scene: Scene, who: Person, dish: str, guest: Person) -> None:
    ASKED.append("dish")
    if dish not in scene[guest].likes:
        refuse(f"{guest} does not like {dish}", legal=scene[guest].likes)
    if dish not in scene[who].dishes:
        refuse(f"{who} has no {dish}")


def check_whole(scene: Scene, who: Person, guest: Person, dish: str) -> None:
    ASKED.append("whole")
    if (guest.name, dish) == ("bo", "pie"):
        refuse("bo has had pie")


Guest = Annotated[Person, Pick(guests, check_guest)]
Dish = Annotated[str, Pick(liked, check_dish)]
SERVED: Final[Bands[str]] = Bands(of=lambda dish: dish, keys=("soup", "stew", "pie"))


@action(
    "serve",
    "kitchen.serve",
    name="Serve",
    bands=SERVED,
    turn=check_turn,
    price=Coins(),
    check=check_whole,
)
async def serve(scene: Scene, who: Person, guest: Guest, dish: Dish = "soup", mods: Mods = ()) -> str:
    """Serve a guest a dish."""
    assert scene[who].coins < 3, "the price is paid before the body runs"
    await alter(who, Cook.without, dish)
    return dish


SERVE: Final = action_of(serve)
ANA, BO, CY = (Who(name, Cook) for name in ("ana", "bo", "cy"))


def kitchen(**cooks: Cook) -> Scene:
    return Scene(State({"ana": Cook(), "bo": Cook(), "cy": Cook(likes=("stew",)), **cooks}))


@pytest.fixture(autouse=True)
def nobody_asked() -> None:
    ASKED.clear()


def refusal(**arguments: Any) -> str:
    return str(SERVE.may(kitchen(**arguments.pop("cooks", {})), ANA, **arguments))


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_what_is_legal_is_played_and_paid_for_before_and_after() -> None:
    played = play(serve(ANA, BO, "soup"), kitchen().state)
    assert played.result == "soup"
    assert played.scene[ANA] == Cook(coins=0, dishes=("stew", "pie"))


def test_refusals_come_in_the_order_turn_price_picks_whole() -> None:
    poor = Cook(turns=0, coins=0, dishes=("pie",))
    wrong: dict[str, Any] = {"guest": BO, "dish": "pie"}
    assert refusal(cooks={"ana": poor, "bo": Cook(gone=True)}, **wrong) == "Serve: ana has no turn (kitchen.turns)"
    assert ASKED == ["turn"]
    assert refusal(cooks={"ana": replace(poor, turns=1), "bo": Cook(gone=True)}, **wrong) == (
        "Serve: it costs 2, ana has 0 (kitchen.coins)"
    )
    rich = replace(poor, turns=1, coins=9)
    assert refusal(cooks={"ana": rich, "bo": Cook(gone=True)}, **wrong) == "Serve: bo has left (kitchen.serve)"
    assert refusal(cooks={"ana": replace(rich, dishes=())}, **wrong) == "Serve: ana has no pie (kitchen.serve)"
    ASKED.clear()
    assert refusal(cooks={"ana": rich}, **wrong) == "Serve: bo has had pie (kitchen.serve)"
    assert ASKED == ["turn", "price", "guest", "dish", "whole"]


@pytest.mark.parametrize(
    ("guest", "dish"), [(BO, "soup"), (BO, "pie"), (BO, "stew"), (CY, "soup"), (CY, "stew"), (ANA, "cake")]
)
def test_asking_and_doing_refuse_alike(guest: Person, dish: str) -> None:
    asked = SERVE.may(kitchen(), ANA, guest=guest, dish=dish)
    assert done(SERVE.do(ANA, guest=guest, dish=dish)) == (str(asked) if asked else "done")


def done(call: Call[Any]) -> str:
    try:
        play(call, kitchen().state)
    except Refused as why:
        return str(why)
    return "done"


def test_a_refused_action_costs_nothing() -> None:
    scene = kitchen()
    with pytest.raises(Refused, match="cy does not like pie"):
        play(serve(ANA, CY, "pie"), scene.state)
    assert scene[ANA].coins == 3


def test_a_default_is_an_option_like_any_other_and_is_checked() -> None:
    assert refusal(guest=CY) == "Serve: cy does not like soup (kitchen.serve); legal: stew"
    with pytest.raises(Refused, match="cy does not like soup"):
        play(serve(ANA, CY), kitchen().state)


def test_without_arguments_it_is_asked_whether_it_may_be_tried_at_all() -> None:
    assert SERVE.may(kitchen(), ANA) is None
    assert ASKED == ["turn", "price"]
    assert str(SERVE.may(kitchen(ana=Cook(turns=0)), ANA)) == "Serve: ana has no turn (kitchen.turns)"


# --- picks ------------------------------------------------------------------------------------------------------------


def test_a_later_pick_depends_on_an_earlier_one() -> None:
    assert SERVE.choices(kitchen(), ANA) == {"guest": (BO, CY), "dish": ("soup", "pie")}
    assert SERVE.choices(kitchen(), ANA, {"guest": CY}) == {"guest": (BO, CY), "dish": ("stew",)}
    assert SERVE.picks["dish"].depends_on == ("guest",)
    assert SERVE.description()["depends_on"] == {"dish": ["guest"]}


def test_every_legal_way_is_found_from_left_to_right() -> None:
    assert list(SERVE.legal(kitchen(), ANA)) == [{"guest": BO, "dish": "soup"}, {"guest": CY, "dish": "stew"}]
    assert list(SERVE.legal(kitchen(ana=Cook(coins=1)), ANA)) == []
    assert list(SERVE.legal(kitchen(bo=Cook(gone=True)), ANA)) == [{"guest": CY, "dish": "stew"}]


def test_one_of_the_legal_ways_is_found_at_random() -> None:
    found = [SERVE.legal_at_random(kitchen(), ANA, Random(seed)) for seed in range(20)]
    legal = list(SERVE.legal(kitchen(), ANA))
    assert [way for way in legal if way in found] == legal
    assert all(way in legal for way in found)
    assert SERVE.legal_at_random(kitchen(ana=Cook(coins=1)), ANA, Random(0)) is None


def test_of_the_choices_of_a_turn_one_is_found_at_random_and_is_legal() -> None:
    legal = legal_choices((SERVE,), kitchen(), ANA)
    found = [legal.at_random("serve", Random(seed)) for seed in range(20)]
    assert {each.key for each in found if each} == {each.key for each in legal_choices((SERVE,), kitchen(), ANA)}
    assert all(each in legal for each in found)
    assert legal_choices((SERVE,), kitchen(ana=Cook(coins=1)), ANA).at_random("serve", Random(0)) is None
    assert legal.at_random("dance", Random(0)) is None
    assert legal.of("serve")
    assert legal.at_random("serve", Random(0)) in legal.of("serve")


def test_what_may_not_be_picked_says_why() -> None:
    scene = kitchen(bo=Cook(gone=True), ana=Cook(dishes=("pie",)))
    assert {who.name: str(why) for who, why in SERVE.barred(scene, ANA, "guest").items()} == {
        "bo": "Serve: bo has left (kitchen.serve)"
    }
    assert {dish: why.because for dish, why in SERVE.barred(scene, ANA, "dish", {"guest": BO}).items()} == {
        "soup": "ana has no soup"
    }


def test_actions_that_share_picks_work_them_out_once() -> None:
    twice = [SERVE, SERVE]
    found = legal_choices(twice, kitchen(), ANA)
    assert [each.key for each in found] == ["serve bo soup", "serve cy stew"] * 2
    assert ASKED.count("guest") == 2
    assert all(isinstance(each, ActionChoice) for each in found)
    assert found[0].call == serve(ANA, BO, "soup")


Sides = Annotated[str, Pick(lambda scene, who: ("left", "right"))]


@action("turn", "kitchen.turn", name="Turn")
async def turn(scene: Scene, who: Person, side: Sides) -> str:
    """A side that is one of two."""
    return side


def test_without_a_check_the_options_are_all_there_is() -> None:
    assert list(action_of(turn).legal(kitchen(), ANA)) == [{"side": "left"}, {"side": "right"}]
    assert str(action_of(turn).may(kitchen(), ANA, side="up")) == (
        "up: it is not one of the options (kitchen.turn); legal: left, right"
    )
    with pytest.raises(Refused, match="it is not one of the options"):
        play(turn(ANA, "up"), kitchen().state)


def test_options_are_known_however_their_names_are_written() -> None:
    assert SERVE.arguments(kitchen(), {"who": "ana", "guest": "bo", "dish": "Soup"}) == (ANA, BO, "soup", ())
    assert SERVE.arguments(kitchen(), {"who": "ana", "guest": "bo", "dish": "Cake"}) == (ANA, BO, "Cake", ())
    # whoever is not there likes nothing; that is said when it is begun
    assert SERVE.arguments(kitchen(), {"who": "ana", "guest": "di", "dish": "Soup"})[2] == "Soup"


def test_a_choice_is_taken_in_short_without_what_is_so_by_default() -> None:
    ways = LegalChoices([SERVE], kitchen(), ANA)
    question = choose(ANA, Prompt("action"), ways)
    assert question.read("serve bo soup") == question.read("serve bo") == SERVE.by(ANA, guest=BO, dish="soup")
    with pytest.raises(Refused, match="'serve cy' is not an option"):
        question.read("serve cy")


@pytest.mark.parametrize(("said", "offered"), [("Left", "left"), ("LEFTS", "left"), ("left", "left"), ("up", "up")])
def test_what_is_picked_is_found_however_it_is_written(said: str, offered: str) -> None:
    assert action_of(turn).arguments(kitchen(), {"who": "ana", "side": said}) == (ANA, offered)


@action("tip", "kitchen.tip")
async def tip(scene: Scene, who: Person, coins: Annotated[int, suggest(1, 2)]) -> int:
    """Any number of coins; one or two are usual."""
    return coins


def test_suggested_values_are_offered_and_others_are_legal() -> None:
    assert action_of(tip).choices(kitchen(), ANA) == {"coins": (1, 2)}
    assert action_of(tip).may(kitchen(), ANA, coins=9) is None
    assert play(tip(ANA, 9), kitchen().state).result == 9


def check_table(scene: Scene, who: Person, guests: tuple[Person, ...]) -> None:
    if len(guests) < 2:
        refuse("a table is for two or more")


@action("seat", "kitchen.seat", check=check_table)
async def seat(scene: Scene, who: Person, guests: tuple[Guest, ...]) -> int:
    """Seat several guests together."""
    return len(guests)


SEAT: Final = action_of(seat)


def test_several_are_picked_one_by_one_and_each_once() -> None:
    assert SEAT.choices(kitchen(), ANA) == {"guests": (BO, CY)}
    assert SEAT.may(kitchen(), ANA, guests=(BO, CY)) is None
    assert str(SEAT.may(kitchen(), ANA, guests=(BO, BO))) == "seat: bo is picked twice (kitchen.seat)"
    assert str(SEAT.may(kitchen(), ANA, guests=(BO,))) == "seat: a table is for two or more (kitchen.seat)"
    assert str(SEAT.may(kitchen(cy=Cook(gone=True)), ANA, guests=(BO, CY))) == "seat: cy has left (kitchen.seat)"


def test_of_several_each_alone_and_all_together_are_ways() -> None:
    assert list(SEAT.legal(kitchen(), ANA)) == [{"guests": (BO, CY)}]
    assert list(SEAT.legal(kitchen(cy=Cook(gone=True)), ANA)) == []


LOOKED_AT: Final[list[int]] = []


def many_numbers(scene: Scene, who: Person) -> Iterator[int]:
    for number in range(100):
        LOOKED_AT.append(number)
        yield number


def check_left(scene: Scene, who: Person, first: int, fourth: int) -> None:
    LOOKED_AT.append(first)
    if not any(scene[each].gone for each in (ANA, BO)):
        refuse("nobody has left")


Numbers = Annotated[int, Pick(many_numbers)]


@action("count", "kitchen.count", check=check_left)
async def count(scene: Scene, who: Person, first: Numbers, second: Numbers, third: Numbers, fourth: Numbers) -> None:
    """One of a hundred million ways."""


@pytest.mark.parametrize(
    "find",
    [
        lambda scene: next(action_of(count).legal(scene, ANA)),
        lambda scene: action_of(count).legal_at_random(scene, ANA, Random(0)),
        lambda scene: next(iter(legal_choices((action_of(count),), scene, ANA))),
        lambda scene: legal_choices((action_of(count),), scene, ANA)[0],
        lambda scene: bool(legal_choices((action_of(count),), scene, ANA)),
        lambda scene: (
            action_of(count).by(ANA, first=5, second=6, third=7, fourth=8)
            in legal_choices((action_of(count),), scene, ANA)
        ),
    ],
)
def test_one_way_of_very_many_looks_at_the_values_of_each_argument_once(find: Callable[[Scene], Any]) -> None:
    LOOKED_AT.clear()
    assert find(kitchen(bo=Cook(gone=True)))
    assert len(LOOKED_AT) <= 4 * 100 + 1


def test_an_argument_that_changes_nothing_is_not_tried_again_where_no_way_is_legal() -> None:
    LOOKED_AT.clear()
    assert next(action_of(count).legal(kitchen(), ANA), None) is None
    assert action_of(count).legal_at_random(kitchen(), ANA, Random(0)) is None
    # the check reads the first and the fourth: the second and the third stay at their first value
    assert len(LOOKED_AT) <= 2 * (4 * 100 + 100 * 100)


def test_the_rule_runs_only_while_its_ways_are_looked_for() -> None:
    ways = SERVE.legal(kitchen(), ANA)
    next(ways)
    assert RUNNING.rule is None


@action("prepare", "kitchen.prepare")
async def prepare(scene: Scene, who: Person, guests: tuple[Guest, ...] = ()) -> int:
    """Lay the table, for guests or not."""
    return len(guests)


def test_of_several_none_is_a_way_where_that_is_usual() -> None:
    found = [way["guests"] for way in action_of(prepare).legal(kitchen(), ANA)]
    assert found == [(), (BO,), (CY,), (BO, CY)]


# --- what a declaration may not say -----------------------------------------------------------------------------------


def declared(options: Any, check: Any = None, whole: Any = ()) -> None:
    mark = Pick(options, check)

    async def body(scene: Scene, who: Person, guest: Guest, dish: str = "", later: str = "") -> None:
        """A body."""

    body.__annotations__ = {**body.__annotations__, "dish": Annotated[str, mark]}
    action("bad", f"kitchen.bad-{id(mark)}", check=whole)(body)


@pytest.mark.parametrize(
    ("options", "check", "whole", "problem"),
    [
        (lambda scene, who, later: (), None, (), "the pick of 'dish' takes 'later', which is no earlier argument"),
        (lambda scene, who, plate: (), None, (), "takes 'plate', which is no earlier argument; it may take guest"),
        (lambda scene, who: (), lambda scene, who, value, dish: None, (), "takes 'dish', which is no earlier argument"),
        (lambda scene, who: (), None, lambda scene, who, plate: None, "its check takes 'plate'"),
    ],
)
def test_a_function_that_takes_no_earlier_argument_fails_at_import(
    options: Any, check: Any, whole: Any, problem: str
) -> None:
    with pytest.raises(TypeError, match=problem):
        declared(options, check, whole)


def test_the_actions_of_a_module_are_found_in_the_order_of_its_text() -> None:
    names = [each.key for each in actions_of(__name__)]
    assert names[:4] == ["serve", "turn", "tip", "seat"]


# --- what the running rule gives --------------------------------------------------------------------------------------


@rule("kitchen.spice")
async def spice_up(scene: Scene, who: Person) -> Mod:
    """A modifier and an effect of this rule."""
    await lay(who, Effect.from_plain({"adds": 2, "when": ["taste"]}))
    return adds(-1, "pepper", unit="pips")


@formula("kitchen.taste")
def taste(scene: Scene, who: Person) -> int:
    """Refuses by itself."""
    if scene[who].gone:
        refuse(f"{who} is gone")
    return 3


def test_modifiers_and_effects_take_their_rule_from_the_one_that_runs() -> None:
    played = play(spice_up(ANA), kitchen().state)
    assert played.result == Mod(-1, "pepper", "kitchen.spice", unit="pips")
    assert applying(Scene(played.scene.state), ANA, "taste").mods == (Mod(2, "spice up", "kitchen.spice"),)


def test_a_refusal_takes_rule_and_source_from_what_runs_innermost() -> None:
    with pytest.raises(Refused, match=r"taste: ana is gone \(kitchen\.taste\)"):
        taste(kitchen(ana=Cook(gone=True)), ANA)
    assert RUNNING.rule is None


def test_outside_a_rule_both_must_be_said() -> None:
    with pytest.raises(TypeError, match="outside a running rule a refusal says what is refused, and by which rule"):
        refuse("no")
    with pytest.raises(Refused, match=r"door: shut \(kitchen\.door\)"):
        refuse("shut", what="door", rule="kitchen.door")
    with pytest.raises(TypeError, match="a modifier is a Mod that names its rule"):
        adds(1)


def test_odds_beside_the_table_do_not_mix_up_their_rules() -> None:
    def many(_: int) -> set[str]:
        return {str(SERVE.may(kitchen(), ANA, guest=CY, dish="pie")) for _ in range(50)} | {
            str(action_of(turn).may(kitchen(), ANA, side="up")) for _ in range(50)
        }

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(many, range(4)):
            assert len(found) == 2


def test_a_refusal_while_buttons_are_worked_out_counts_as_its_rule() -> None:
    with watching(set()) as seen:
        SERVE.may(kitchen(), ANA, guest=CY, dish="pie")
    assert seen == {"kitchen.serve"}


# --- options that are worked out when someone looks -------------------------------------------------------------------


KITCHEN: Final = (SERVE, action_of(tip), action_of(turn))


def test_options_of_a_turn_compare_and_count_like_a_tuple() -> None:
    found = legal_choices(KITCHEN, kitchen(), ANA)
    every = tuple(found)
    assert len(found) == len(every) > 1
    assert found == every
    assert every == found
    assert hash(found) == hash(every)
    assert found[0] == every[0]
    assert found[-1] == every[-1]
    assert found[1:] == every[1:]
    assert tuple(reversed(found)) == every[::-1]
    assert every[0] in found
    assert SERVE.by(ANA, guest=CY, dish="pie") not in found  # cy does not like it
    assert legal_choices((), kitchen(), ANA) == ()
    assert not legal_choices((), kitchen(), ANA)


def test_options_stay_those_of_the_scene_in_which_they_were_asked_for() -> None:
    scene = kitchen()
    found = legal_choices(KITCHEN, scene, ANA)
    scene.write("ana", replace(scene[ANA], dishes=()))
    assert found == legal_choices(KITCHEN, kitchen(), ANA)


def test_a_policy_looks_only_at_the_action_and_the_values_it_wants() -> None:
    looked: list[str] = []

    def wanted(dish: str) -> bool:
        looked.append(dish)
        return dish == "soup"

    found = legal_choices(KITCHEN, kitchen(), ANA)
    serves = found.of("serve", dish=wanted)
    assert serves == tuple(each for each in found if each.action.key == "serve" and each.arguments["dish"] == "soup")
    assert set(looked) >= {"soup"}
    assert ways_of(tuple(found), "serve", dish=wanted) == serves
    assert ways_of(found, "sing") == ()


def test_whether_there_is_anything_to_do_is_known_without_listing_it_all() -> None:
    found = legal_choices(KITCHEN, kitchen(), ANA)
    assert found
    assert found._of == {}
    (one, *_) = found.of(found.keys[0])
    assert one in found
    assert list(found._of) == [found.keys[0]]
