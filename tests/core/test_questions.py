"""Questions: each reads its answer from plain data, or refuses it with what would do, and writes it back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    D6,
    Audience,
    BadAnswer,
    Card,
    Mod,
    Open,
    Pile,
    Pool,
    Prompt,
    Refused,
    Total,
    Who,
    choose,
    draw,
    offer,
    react,
    roll,
    rule_on,
)
from referee.core.questions import Ruling, described, key_of


class Side(Enum):
    HEADS = "heads"
    TAILS = "tails"


@dataclass(frozen=True, slots=True)
class Stance:
    key: str
    bonus: Open[int] = 0


ANA = Who("ana", Stance)
DECK = Who("deck", Pile)
HAND = Who("hand", Pile)
ASK = Prompt("ask")


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "key"),
    [
        (True, "yes"),
        (False, "no"),
        (None, "no"),
        (3, "3"),
        ("parry", "parry"),
        (Side.HEADS, "heads"),
        ((), "none"),
        (("bo", "cy"), "bo cy"),
        ([Side.TAILS, 2], "tails 2"),
        (Card("7S", "ana"), "7S@ana"),
        (ANA, "ana"),
        (Stance("low", 2), "low"),
    ],
)
def test_every_option_has_a_key(option: object, key: str) -> None:
    assert key_of(option) == key


# --- choices ----------------------------------------------------------------------------------------------------------

OPTIONS: tuple[Any, ...] = (True, False, 3, "parry", Side.HEADS, ("bo", "cy"), Card("7S"), ANA, Stance("low"))


@settings(max_examples=40)
@given(st.lists(st.sampled_from(OPTIONS), unique_by=key_of, min_size=1), st.data())
def test_whatever_is_chosen_reads_back_from_the_log(options: list[Any], data: st.DataObject) -> None:
    question = choose(ANA, ASK, options)
    option = data.draw(st.sampled_from(options))
    assert question.read(json.loads(json.dumps(question.write(option)))) is option


@pytest.mark.parametrize("said", ["HEADS", "heads", Side.HEADS])
def test_an_option_is_named_in_any_letters_or_itself(said: Any) -> None:
    assert choose(ANA, ASK, tuple(Side)).read(said) is Side.HEADS


@pytest.mark.parametrize("said", ["edge", "", "head", 7, None, [], {}, ["heads", "tails"]])
def test_what_is_no_option_is_refused_with_those_that_are(said: Any) -> None:
    with pytest.raises(BadAnswer, match=r"ask: '.*' is not an option \(referee\.table\.answers\); legal: heads, tails"):
        choose(ANA, ASK, tuple(Side)).read(said)


def test_a_choice_does_not_depend_on_what_people_are_told_beside_it() -> None:
    one = choose(ANA, ASK, (1, 2), about="this throw", audience=Audience.OWNER)
    assert one == choose(ANA, ASK, (1, 2), about="that throw")
    assert one != choose(ANA, ASK, (1, 3))
    assert one != choose(None, ASK, (1, 2))
    assert one != choose(ANA, ASK, (1, 2), default=1)


# --- rulings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "number"), [(0, 0), (5, 5), ("3", 3), ("+4", 4)])
def test_the_game_master_rules_a_number_within_its_bounds(said: Any, number: int) -> None:
    assert rule_on(ASK, 1, low=0, high=5).read(said) == number


@pytest.mark.parametrize("said", ["x", "", None, True, 2.5, [3], "²", "+-3", "٣x"])
def test_what_is_no_number_is_refused(said: Any) -> None:
    with pytest.raises(BadAnswer, match="must be a whole number, not"):
        rule_on(ASK, 1, low=0, high=5).read(said)


@pytest.mark.parametrize("said", [-1, 6, "99"])
def test_a_number_out_of_bounds_is_refused_with_the_bounds(said: Any) -> None:
    with pytest.raises(BadAnswer, match=r"ask: -?\d+ is out of bounds \(referee\.table\.answers\); legal: 0 to 5"):
        rule_on(ASK, 1, low=0, high=5).read(said)


def test_a_ruling_may_be_one_of_some_options() -> None:
    question = rule_on(ASK, Side.TAILS, options=tuple(Side))
    assert question.legal == tuple(Side)
    assert question.read("heads") is Side.HEADS
    assert question.write(Side.HEADS) == "heads"
    with pytest.raises(BadAnswer, match="legal: heads, tails"):
        question.read("edge")


def test_an_open_ruling_is_whatever_the_game_master_says() -> None:
    question: Ruling[str] = rule_on(ASK, "in the dark")
    assert question.legal == ("in the dark",)
    assert question.read(question.write("behind the door")) == "behind the door"


# --- told as plain data -----------------------------------------------------------------------------------------------


def bar(option: str) -> None:
    if option == "parry":
        raise Refused(option, because="no weapon", rule="some.rule")


def test_a_question_is_told_by_who_is_asked_and_what() -> None:
    common = {"prompt": "ask", "who": "ana", "audience": "everyone"}
    assert described(roll(ASK, ANA, Pool.of((D6, 2)), Total, mods=(Mod(1, "aim"),))) == {
        **common,
        "dice": {"d6": 2},
        "mods": [{"amount": 1, "label": "aim", "rule": ""}],
    }
    assert described(react(ANA, ASK, ("parry", "dodge"), check=bar)) == {
        **common,
        "options": ["dodge", "no"],
        "barred": {"parry": "some.rule"},
        "reaction": True,
    }
    assert described(offer(ANA, ASK, ("dodge",)))["reaction"] is False


def test_a_question_to_nobody_in_the_scene_is_the_game_masters() -> None:
    assert described(rule_on(ASK, 3, audience=Audience.MASTER)) == {
        "prompt": "ask",
        "who": "game master",
        "audience": "game master",
        "default": "3",
        "options": [],
    }


def test_a_draw_tells_its_piles_and_how_many_cards_but_not_which() -> None:
    told = described(draw(ASK, DECK, HAND, who=ANA).among(Pile((Card("7S"), Card("2H")))))
    assert told == {
        "prompt": "ask",
        "who": "ana",
        "audience": "everyone",
        "pile": "deck",
        "to": "hand",
        "cards": 2,
        "mods": [],
    }


def test_yes_takes_the_only_thing_that_is_offered() -> None:
    assert offer(ANA, ASK, ("slip",)).read("yes") == "slip"
    for question in (offer(ANA, ASK, ("slip", "strike")), choose(ANA, ASK, ("slip", "stay"))):
        with pytest.raises(BadAnswer, match="'yes' is not an option"):
            question.read("yes")


def test_a_question_is_spoken_in_one_line() -> None:
    assert str(roll(ASK, ANA, Pool.of((D6, 2)), Total)) == "ask: throw 2 d6"
    assert str(choose(ANA, ASK, (True, False))) == "ask: ana chooses yes / no"
    assert str(choose(None, ASK, (True, False))) == "ask: the game master chooses yes / no"
    assert str(rule_on(ASK, 3)) == "ask: the game master rules (default 3)"


def test_a_draw_carries_its_modifiers_with_rule_and_unit_but_is_the_same_draw() -> None:
    plain = draw(ASK, DECK, HAND, who=ANA)
    modified = draw(ASK, DECK, HAND, who=ANA, mods=(Mod(2, "steady hand", "some.rule", unit="value"),))
    assert modified == plain
    told = described(modified.among(Pile((Card("7S"),))))["mods"]
    assert told == [{"amount": 2, "label": "steady hand", "rule": "some.rule", "unit": "value"}]
