"""The scripted table: every way an answer may be written, none missing, none left over."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, final

import pytest

from referee.core import (
    D6,
    BadAnswer,
    BadInput,
    Call,
    Card,
    Encounter,
    Open,
    Pile,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    Total,
    Who,
    change,
    choose,
    draw,
    marked_die,
    offer,
    roll,
    rule,
    rule_on,
    together,
)
from referee.core.errors import TooLarge
from referee.core.questions import Barred
from referee.drivers.scripted import Script, play, play_out

BASE = marked_die("base", 6, six=6)
STRESS = marked_die("stress", 6, one=1, six=6)


class Side(Enum):
    LEFT = "left"
    FAR_LEFT = "far left"


@dataclass(frozen=True, slots=True)
class Guest:
    coins: Open[int] = 0


ANA, BO = Who("ana", Guest), Who("bo", Guest)
DECK, HAND = Who("deck", Pile), Who("hand", Pile)
STATE = State({"ana": Guest(), "bo": Guest(), "deck": Pile((Card("7S"), Card("QH"))), "hand": Pile()})


@rule("tests.scripted.throw")
async def throw(scene: Scene, times: int = 1) -> tuple[tuple[int, int, int], ...]:
    """Two base dice and one stress die: sixes of each, and ones."""
    shown = []
    for _ in range(times):
        thrown = await roll(Prompt("skill"), ANA, Pool.of((BASE, 2), (STRESS, 1)), SymbolCounts)
        shown.append((thrown.count("six", "base"), thrown.count("six", "stress"), thrown.count("one")))
    return tuple(shown)


@rule("tests.scripted.sum")
async def summed(scene: Scene, dice: int, times: int = 1) -> tuple[int, ...]:
    """The sum of some dice."""
    sums = []
    for _ in range(times):
        sums.append((await roll(Prompt("attack"), ANA, Pool.of((D6, dice)), Total)).total)  # noqa: PERF401  # awaits
    return tuple(sums)


@rule("tests.scripted.push")
async def push(scene: Scene) -> tuple[Any, ...]:
    """A choice, then a throw of the same name."""
    if not await choose(ANA, Prompt("push"), (True, False)):
        return (False,)
    return True, (await roll(Prompt("push"), ANA, Pool.of((D6, 3)), Total)).total


@rule("tests.scripted.pick")
async def pick(scene: Scene, options: tuple[Any, ...], times: int = 1) -> tuple[Any, ...]:
    """Picks some."""
    picked = []
    for _ in range(times):
        picked.append(await choose(ANA, Prompt("pick"), options))  # noqa: PERF401  # awaits
    return tuple(picked)


@rule("tests.scripted.flip")
async def flip(scene: Scene) -> str:
    """A card."""
    return (await draw(Prompt("flip"), DECK, HAND)).name


@rule("tests.scripted.both")
async def both(scene: Scene) -> tuple[Any, ...]:
    """Ana and Bo are asked the same."""
    return await together(choose(ANA, Prompt("show"), (1, 2, 3)), choose(BO, Prompt("show"), (1, 2, 3)))


@rule("tests.scripted.ruled")
async def ruled(scene: Scene) -> tuple[Any, ...]:
    """The game master rules a number and a text."""
    return await rule_on(Prompt("light"), 3, low=0, high=5), await rule_on(Prompt("place"), "somewhere")


# --- forms ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        "6 2 1",
        "6 2 | 1",
        "6, 2; 1",
        [6, 2, 1],
        (6, 2, 1),
        {"base": [6, 2], "stress": [1]},
        {"base": [6, 2], "stress": 1},
        {"base": {"six": 1}, "stress": {"one": 1}},
        "base 6 2 stress 1",
        "stress 1 base 6 2",
        "6 2 stress 1",
        ["6 2 1"],
        [[6, 2, 1]],
        [{"base": {"six": 1}, "stress": {"one": 1}}],
    ],
)
def test_dice_may_be_written_in_every_form(answer: Any) -> None:
    assert play(throw(), STATE, {"skill": answer}).result == ((1, 0, 1),)


@pytest.mark.parametrize("answer", [15, "15", "total 15", {"total": 15}, "4 5 6", [15], {"d6": [4, 5, 6]}])
def test_a_sum_may_be_written_in_every_form(answer: Any) -> None:
    assert play(summed(3), STATE, {"attack": answer}).result == (15,)


@pytest.mark.parametrize("answer", [4, "4", [4], "total 4", {"d6": 4}, {"total": 4}])
def test_one_die_is_its_pip_or_its_sum(answer: Any) -> None:
    assert play(summed(1), STATE, {"attack": answer}).result == (4,)


@pytest.mark.parametrize(
    "answer", [["4 5", "1 1"], [[4, 5], [1, 1]], "4 5 1 1", [4, 5, 1, 1], ["total 9", 2], ["9", {"total": 2}]]
)
def test_two_throws_of_one_name_are_answered_one_after_the_other(answer: Any) -> None:
    assert play(summed(2, 2), STATE, {"attack": answer}).result == (9, 2)


@pytest.mark.parametrize("answer", ["yes 6 6 2", "yes total 14", ["yes", "6 6 2"], [True, [6, 6, 2]], ["yes", 14]])
def test_a_choice_and_the_throw_of_the_same_name_may_be_written_together(answer: Any) -> None:
    assert play(push(), STATE, {"push": answer}).result == (True, 14)


@pytest.mark.parametrize("answer", ["no", False, "NO", [False], ["no"]])
def test_no_is_written_as_people_and_yaml_do(answer: Any) -> None:
    assert play(push(), STATE, {"push": answer}).result == (False,)


@pytest.mark.parametrize(
    ("options", "answer", "picked"),
    [
        (("duck", "jump"), "jump", "jump"),
        (("duck", "jump"), "JUMP", "jump"),
        ((1, 2), 2, 2),
        ((1, 2), "2", 2),
        (tuple(Side), "far left", Side.FAR_LEFT),
        (tuple(Side), "left", Side.LEFT),
        (((), ("bo",), ("bo", "cy")), "bo cy", ("bo", "cy")),
        (((), ("bo",), ("bo", "cy")), "bo", ("bo",)),
        (((), ("bo",)), "none", ()),
        ((ANA, BO), "bo", BO),
    ],
)
def test_an_option_is_written_by_its_key_the_longest_first(options: tuple[Any, ...], answer: Any, picked: Any) -> None:
    assert play(pick(options), STATE, {"pick": answer}).result == (picked,)


@pytest.mark.parametrize("answer", ["duck jump duck", ["duck", "jump", "duck"], ["duck jump", "duck"]])
def test_several_choices_of_one_name_are_answered_in_order(answer: Any) -> None:
    assert play(pick(("duck", "jump"), 3), STATE, {"pick": answer}).result == ("duck", "jump", "duck")


@pytest.mark.parametrize("answer", ["QH", "qh", ["QH"]])
def test_a_card_is_written_by_its_name(answer: Any) -> None:
    assert play(flip(), STATE, {"flip": answer}).result == "QH"


@pytest.mark.parametrize(
    "answers",
    [
        {"ana.show": 1, "bo.show": 3},
        {"show": [1, 3]},
        {"bo.show": 3, "show": 1},
        {"Ana.Show": "1", "BO.SHOW": "3"},
        {"show": "1 3"},
    ],
)
def test_an_answer_may_be_for_one_person_alone(answers: Any) -> None:
    assert play(both(), STATE, answers).result == (1, 3)


@pytest.mark.parametrize(
    ("answers", "result"),
    [
        ({"light": 5, "place": "behind the door"}, (5, "behind the door")),
        ({"light": "0"}, (0, "somewhere")),
        ({"game master.light": 4}, (4, "somewhere")),
        ({}, (3, "somewhere")),
    ],
)
def test_the_game_master_rules_or_the_default_holds(answers: Any, result: Any) -> None:
    assert play(ruled(), STATE, answers).result == result


# --- missing, wrong and left over -------------------------------------------------------------------------------------


def test_an_answer_that_is_missing_is_an_error_that_names_the_question_and_what_is_left() -> None:
    with pytest.raises(BadInput, match=r"answers: nothing answers pick: ana chooses a / b; left over: pcik: a"):
        play(pick(("a", "b")), STATE, {"pcik": "a"})
    with pytest.raises(BadInput, match=r"nothing answers ana.attack: throw 2 d6; left over: nothing"):
        play(summed(2), STATE)


@pytest.mark.parametrize("answers", [{"pick": "a", "push": "yes"}, {"pick": "a b"}, {"pick": ["a", "b"]}])
def test_an_answer_nobody_asked_for_is_an_error(answers: Any) -> None:
    with pytest.raises(BadInput, match="answers: never asked for: "):
        play(pick(("a", "b")), STATE, answers)


def test_with_an_answer_nobody_asked_for_it_is_said_what_was_asked_without_one() -> None:
    with pytest.raises(BadInput, match=r"never asked for: litgh: 2; asked without an answer: game master\.light"):
        play(ruled(), STATE, {"litgh": 2, "place": "here"})


@rule("tests.scripted.forced")
async def forced(scene: Scene) -> int:
    """There is one way to decide, and dice of the same name."""
    why = Refused("attack", because="it must be", rule="tests.must")
    await choose(ANA, Prompt("attack"), (True,), barred=(Barred(False, why),))
    return (await roll(Prompt("attack"), ANA, Pool.of((D6, 2)), Total)).total


def test_a_decision_that_is_none_may_be_said_before_its_dice() -> None:
    assert play(forced(), STATE, {"attack": "yes 1 2"}).result == 3
    assert play(forced(), STATE, {"attack": "1 2"}).result == 3
    with pytest.raises(Refused, match="it must be"):
        play(forced(), STATE, {"attack": "no"})


def test_a_name_with_a_comma_is_an_option_like_any_other() -> None:
    assert play(pick(("Shield, Small", "Shield")), STATE, {"pick": "shield, small"}).result == ("Shield, Small",)
    assert play(pick(("Shield, Small", "Shield")), STATE, {"pick": "Shield"}).result == ("Shield",)


@pytest.mark.parametrize("answers", [None, {}, {"pick": []}, {"pick": ""}, {"pick": [[]]}])
def test_nothing_is_no_answer(answers: Any) -> None:
    with pytest.raises(BadInput, match="nothing answers pick"):
        play(pick(("a", "b")), STATE, answers)


@pytest.mark.parametrize("answers", [3, "pick", ["pick"]])
def test_answers_are_given_by_name(answers: Any) -> None:
    with pytest.raises(BadInput, match="must be answers by the name of their question"):
        Script(answers)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("6 2", r"2 base \+ 1 stress are thrown \(3 in all\), but 2 pips are given"),
        ("6 2 9", "a stress die shows 1 to 6, not 9"),
        ("6 x 1", "'x' is not what a die shows"),
        ("stress 1 6 base 2", "but 3 pips are given"),
        ("²", "'²' is not what a die shows"),
        ("--6", "'--6' is not what a die shows"),
        ("total", "'total' is not what a die shows"),
        ({"base": {"one": 1}}, "base: shows blank, six"),
        (2, "but 1 pip is given"),
        ([None], "None is not what a die shows"),
    ],
)
def test_dice_that_cannot_be_so_are_a_bad_answer(answer: Any, complaint: str) -> None:
    with pytest.raises(BadAnswer, match=complaint):
        play(throw(), STATE, {"skill": answer})


@pytest.mark.parametrize("answer", ["c", "c a", 3, {"a": 1}, None])
def test_what_is_no_option_is_a_bad_answer(answer: Any) -> None:
    with pytest.raises(BadAnswer, match=r"pick: .* is not an option \(tests.scripted.pick\); legal: a, b"):
        play(pick(("a", "b")), STATE, {"pick": answer})


# --- what is not asked ------------------------------------------------------------------------------------------------


def barred(option: str) -> None:
    if option == "parry":
        raise Refused("parry", because="no weapon", rule="tests.no-weapon")


@rule("tests.scripted.dodge")
async def dodge(scene: Scene, options: tuple[str, ...]) -> str | None:
    """An offer."""
    return await offer(ANA, Prompt("react"), options, check=barred)


def test_an_offer_nobody_answers_is_declined() -> None:
    played = play(dodge(("duck",)), STATE)
    assert played.result is None
    assert [question.name for question in played.asked] == ["react"]


def test_an_offer_that_was_not_made_may_be_answered_no() -> None:
    played = play(dodge(("parry",)), STATE, {"react": "no"})
    assert played.result is None
    assert played.asked == ()
    assert [question.name for question in played.not_asked] == ["react"]


def test_who_answers_yes_to_what_is_barred_is_refused_for_the_reason_that_bars_it() -> None:
    for options in (("parry",), ("parry", "duck")):
        with pytest.raises(Refused, match=r"react: no weapon \(tests\.no-weapon\)"):
            play(dodge(options), STATE, {"react": "parry"})


def test_a_choice_of_one_may_be_answered_but_only_so() -> None:
    assert play(pick(("a",)), STATE, {"pick": "a"}).result == ("a",)
    with pytest.raises(BadAnswer, match="legal: a"):
        play(pick(("a",)), STATE, {"pick": "b"})


# --- whole encounters -------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Race(Encounter):
    at: Open[int] = 0
    goal: Open[int] = 5

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return run_on()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "there" if self.at >= self.goal else None


RACE = Who("race", Race)


@rule("tests.scripted.run")
async def run_on(scene: Scene) -> None:
    """Runs as far as the die says."""
    thrown = await roll(Prompt("run"), ANA, Pool.of((D6, 1)), Total)
    await change(RACE, replace(scene[RACE], at=scene[RACE].at + thrown.total))


def test_an_encounter_is_played_to_its_end_with_all_that_happened() -> None:
    played = play_out(RACE, State({"race": Race()}), {"run": "2 1 4"})
    assert (played.result, played.state) == ("there", State({"race": Race(7)}))
    assert (len(played.asked), len(played.events)) == (3, 3)


def test_an_encounter_leaves_no_answers_over_and_misses_none() -> None:
    with pytest.raises(BadInput, match="never asked for: run: 1"):
        play_out(RACE, State({"race": Race()}), {"run": "6 1"})
    with pytest.raises(BadInput, match=r"nothing answers \w+\.run"):
        play_out(RACE, State({"race": Race()}), {"run": "4"})


def test_an_encounter_that_does_not_end_is_an_error() -> None:
    with pytest.raises(TooLarge, match="race has not ended after 2 steps"):
        play_out(RACE, State({"race": Race()}), {"run": "1 1 1"}, most_steps=2)


def test_what_is_no_encounter_cannot_be_played_out() -> None:
    with pytest.raises(BadInput, match="ana: is not an encounter"):
        play_out(ANA, STATE)


def test_a_played_step_tells_the_scene_afterwards_and_what_was_asked() -> None:
    played = play(push(), STATE, {"push": "yes 1 1 1"})
    assert played.state == STATE
    assert [type(question).__name__ for question in played.asked] == ["Choose", "Roll"]


@rule("tests.scripted.barred-then-dice")
async def barred_then_dice(scene: Scene) -> int:
    """An offer that is barred, and a throw that its answer would have spared."""
    if await offer(ANA, Prompt("buy"), (True,), check=_too_dear):
        return 0
    return await thrown_by_bo()


@rule("tests.scripted.inner")
async def thrown_by_bo(scene: Scene) -> int:
    return (await roll(Prompt("roll"), BO, Pool.of((D6, 2)), Total)).total


def _too_dear(_: bool) -> None:
    raise Refused("buy", because="it is too dear", rule="tests.prices")


def test_an_answer_that_is_barred_is_refused_for_that_reason_even_if_another_is_missing() -> None:
    with pytest.raises(Refused, match="it is too dear") as refused:
        play(barred_then_dice(), STATE, {"buy": True})
    assert refused.value.rule == "tests.prices"


def test_a_missing_throw_says_whose_it_is_and_what_it_is_for() -> None:
    with pytest.raises(
        BadInput, match=r"nothing answers bo.roll: throw 2 d6 \(asked in tests.scripted.inner\); left over"
    ):
        play(barred_then_dice(), STATE)


def test_more_dice_than_are_thrown_are_told_as_such() -> None:
    with pytest.raises(BadInput, match="never asked for: roll: 3 4; all that was thrown is roll: 2 d6"):
        play(barred_then_dice(), STATE, {"roll": "1 2 3 4"})
