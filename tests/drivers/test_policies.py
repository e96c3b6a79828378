"""Policies: what somebody who is not asked would decide, held to the same law as people."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from referee.core import D6, BadAnswer, Clock, Pool, Prompt, Refused, Scene, Total, Who, choose, offer, roll, rule_on
from referee.core.questions import Choice
from referee.drivers.exact import Exact
from referee.drivers.policies import Decisions, always, at_random, by_default, decided
from referee.registry import load

ANA = Who("ana", Clock)
BO = Who("bo", Clock)
PUSH = Prompt("push")
QUICK = Prompt("quick-draw")
SCENE = Scene({})


def barred(option: int) -> None:
    if option > 1:
        raise Refused("push", because="too far", rule="x")


def test_silence_is_the_default() -> None:
    assert by_default(choose(ANA, PUSH, (1, 2)), SCENE) == 2
    assert by_default(offer(ANA, PUSH, (1, 2)), SCENE) is None
    assert by_default(rule_on(PUSH, 7), SCENE) == 7


@pytest.mark.parametrize(
    ("policy", "question", "answer"),
    [
        ({"push": True}, choose(ANA, PUSH, (True, False)), True),
        ({"push": "yes"}, choose(ANA, PUSH, (True, False)), True),
        ({"PUSH": 1}, choose(ANA, PUSH, (1, 2)), 1),
        ({"ana.push": 1}, choose(ANA, PUSH, (1, 2)), 1),
        ({"Ana.Push": 1}, choose(ANA, PUSH, (1, 2)), 1),
        ({"ana.push": 1}, choose(BO, PUSH, (1, 2)), 2),
        ({"ana.push": 1, "push": 2}, choose(ANA, PUSH, (1, 2, 3)), 1),
        ({"ana.push": 1, "push": 2}, choose(BO, PUSH, (1, 2, 3)), 2),
        ({"quick_draw": 1}, choose(ANA, QUICK, (1, 2)), 1),
        ({"quick-draw": 1}, choose(ANA, QUICK, (1, 2)), 1),
        ({"dodge": 1}, choose(ANA, PUSH, (1, 2)), 2),
        ({"push": 9}, choose(ANA, PUSH, (1, 2)), 2),
        ({"push": 2}, offer(ANA, PUSH, (1, 2), check=barred), None),
        ({"push": 4}, rule_on(PUSH, 3, low=0, high=5), 4),
        ({"push": 9}, rule_on(PUSH, 3, low=0, high=5), 3),
    ],
)
def test_always_answers_by_name_where_that_is_legal_and_by_default_elsewhere(
    policy: dict[str, Any], question: Choice[Any], answer: Any
) -> None:
    assert always(**policy)(question, SCENE) == answer


def test_at_random_every_legal_answer_comes_and_no_other() -> None:
    policy = at_random(Random(3))
    question = offer(ANA, PUSH, (0, 1, 2, 3), check=barred)
    assert {policy(question, SCENE) for _ in range(50)} == {0, 1, None}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (choose(ANA, PUSH, (1, 2)), 3),
        (choose(ANA, PUSH, (1, 2)), "1"),
        (choose(ANA, PUSH, (1, 2)), None),
        (offer(ANA, PUSH, (1, 2), check=barred), 2),
        (rule_on(PUSH, 3, low=0, high=5), 6),
        (rule_on(PUSH, 3, low=0, high=5), "dark"),
        (rule_on(PUSH, "a", options=("a", "b")), "c"),
    ],
)
def test_an_illegal_policy_is_refused(question: Choice[Any], answer: Any) -> None:
    with pytest.raises(BadAnswer, match="push: "):
        decided(lambda *_: answer, question, SCENE)


def test_a_legal_policy_is_taken_at_its_word() -> None:
    assert decided(lambda *_: 1, choose(ANA, PUSH, (1, 2)), SCENE) == 1
    assert decided(lambda *_: 5, rule_on(PUSH, 3, low=0, high=5), SCENE) == 5
    assert decided(lambda *_: "b", rule_on(PUSH, "a", options=("a", "b")), SCENE) == "b"


def test_nobody_decides_what_dice_show() -> None:
    with pytest.raises(TypeError, match="neither chance nor choice"):
        decided(by_default, roll(PUSH, ANA, Pool.of((D6, 1)), Total), SCENE)


def test_a_decision_that_was_never_legal_is_refused() -> None:
    alien = load("alien")
    state = alien.state({"ana": {}})
    call = alien.action("skill-roll").rule(Who("ana", alien.sheet), "Comtech")
    decisions = Decisions({"push": "if-failed"})
    Exact(decisions).of(call, state)
    with pytest.raises(BadAnswer, match="'if-failed' is not an option"):
        decisions.check(call.rule.prompts)
