"""`@rule`: arguments from plain data, calls that compare, ids that are claimed once, prompts that can be told."""

from __future__ import annotations

from types import ModuleType
from typing import Annotated, Any

import pytest

from referee.core import (
    D6,
    BadInput,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    choose,
    formula,
    roll,
    rule,
)
from referee.core.clock import Clock
from referee.core.errors import RulebookError
from referee.core.questions import Question
from referee.core.rules import FORMULAS, RULES, Rule, rule_named

THROW = Prompt("throw")
SIDE = Prompt("side")
NEVER = Prompt("never")
ANA = Who("ana", Clock)


@rule("tests.rules.aim", "tests.rules.also")
async def aim(scene: Scene, who: Who[Clock], at_whom: str, mods: Mods = ()) -> int:
    """Aims at somebody."""
    return await shoot(who) + len(at_whom) + len(mods)


@rule("tests.rules.shoot/quickly")
async def shoot(scene: Scene, who: Who[Clock]) -> int:
    """Shoots."""
    return (await _thrown(who)).total


@rule("tests.rules.loop")
async def loop(scene: Scene, who: Who[Clock]) -> int:
    """Asks for a side, and calls itself."""
    return await loop(who) if await choose(who, SIDE, ("heads", "tails")) == "heads" else await shoot(who)


@formula("tests.rules.aim")
def bonus(scene: Scene, by: int = 2) -> int:
    """Only reckons."""
    return by


@formula("tests.rules.reach")
def reach(scene: Scene, by: Annotated[int, Pick(lambda *_: (1,), named=lambda _, text: len(text))] = 1) -> int:
    """A name stands for its length."""
    return by


def _thrown(who: Who[Clock]) -> Question[Total]:
    return roll(THROW, who, Pool.of((D6, 1)), Total)


# --- arguments --------------------------------------------------------------------------------------------------------


def test_arguments_are_read_by_name_and_the_rest_is_the_default() -> None:
    who, whom, mods = aim.arguments({"who": "ana", "at-whom": "bo", "mods": ["+2 torch", -1]})
    assert (who, who.kind, whom, mods) == (ANA, Clock, "bo", (Mod(2, "torch"), Mod(-1)))
    assert shoot.arguments({"who": "ana"}) == (ANA,)
    assert bonus.arguments(None) == bonus.arguments({}) == (2,)


def test_an_argument_may_be_given_by_a_name_that_the_book_has_for_it() -> None:
    scene = Scene(State({}))
    assert [reach.arguments({"by": given}, scene) for given in ("five", 3)] == [(4,), (3,)]
    with pytest.raises(BadInput, match="whole number"):
        reach.arguments({"by": "five"})


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ({"who": "ana"}, "at_whom: is missing"),
        ({}, "who: is missing"),
        (None, "who: is missing"),
        ({"who": "ana", "at_whom": 3}, "at_whom: must be text, not 3"),
        ({"who": "ana", "at_whom": "bo", "mod": 2}, "mod: 'mod' is not known; did you mean 'mods'?"),
        ({"who": "ana", "at_whom": "bo", "mods": ["x"]}, "mods[0]: must be a modifier such as '+2 flashlight'"),
        ({"who": 3, "at_whom": "bo"}, "who: must be a name in the scene, not 3"),
        ({True: 3}, "True: 'True' is not known"),
        (["ana"], "must be arguments by name, not ['ana']"),
        ("ana", "must be arguments by name, not 'ana'"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(plain: Any, complaint: str) -> None:
    with pytest.raises(BadInput) as told:
        aim.arguments(plain)
    assert str(told.value).startswith(complaint)


def test_the_same_call_is_equal_however_it_is_written() -> None:
    calls = [
        aim(ANA, "bo", ()),
        aim(ANA, "bo"),
        aim(who=ANA, at_whom="bo"),
        aim(ANA, at_whom="bo", mods=()),
    ]
    assert len(set(calls)) == 1
    assert calls[0].args == (ANA, "bo", ())
    assert shoot(ANA) != loop(ANA)


def test_a_call_with_too_few_or_too_many_arguments_is_the_programmers_error() -> None:
    with pytest.raises(TypeError, match="missing a required argument"):
        _ = shoot()  # type: ignore[call-arg]  # that is the error
    with pytest.raises(TypeError, match="too many positional arguments"):
        _ = shoot(ANA, 3)  # type: ignore[call-arg]  # that is the error


def test_a_call_is_written_by_the_names_of_its_arguments_and_read_back() -> None:
    call = loop(ANA)
    assert call.plain() == {"who": "ana"}
    assert loop(*loop.arguments(call.plain())) == call
    assert str(call) == "tests.rules.loop(ana)"


def test_no_argument_may_be_given_by_name_only() -> None:
    async def named(scene: Scene, *, who: str) -> None:
        """Would not compare."""

    with pytest.raises(TypeError, match="a rule takes no keyword-only arguments"):
        rule("tests.rules.named")(named)
    assert "tests.rules.named" not in RULES


# --- ids --------------------------------------------------------------------------------------------------------------


def test_a_rule_is_found_by_its_id_and_an_operation_by_its_own() -> None:
    assert rule_named("tests.rules.aim") is aim
    assert rule_named("tests.rules.shoot/quickly") is shoot
    assert FORMULAS["tests.rules.aim"] is bonus
    for id_ in ("tests.rules.also", "tests.rules.shoot", "nothing"):
        with pytest.raises(RulebookError, match=f"{id_}: no rule that runs bears this id"):
            rule_named(id_)


def test_an_operation_cites_the_rule_of_the_book() -> None:
    assert (shoot.id, shoot.cites) == ("tests.rules.shoot/quickly", "tests.rules.shoot")
    assert (aim.id, aim.cites, aim.ids[1:]) == ("tests.rules.aim", "tests.rules.aim", ("tests.rules.also",))
    assert (str(aim), aim.name, aim.says) == ("tests.rules.aim", "aim", "Aims at somebody.")


def test_a_rule_reads_back_from_its_id() -> None:
    assert Rule.from_plain(aim.to_plain()) is aim
    assert Rule.from_plain(aim) is aim


def test_two_functions_cannot_claim_one_id() -> None:
    with pytest.raises(RulebookError, match=r"tests\.rules\.loop: both loop and other claim this rule"):

        @rule("tests.rules.loop")
        async def other(scene: Scene) -> None:
            """Another."""

    assert rule_named("tests.rules.loop") is loop


def test_two_modules_cannot_claim_one_id() -> None:
    module = ModuleType("elsewhere")
    code = (
        "from referee.core import Scene, rule\n@rule('tests.rules.loop')\nasync def loop(scene: Scene) -> None: ...\n"
    )
    with pytest.raises(RulebookError, match=r"test_rules and elsewhere both claim this rule"):
        exec(compile(code, "elsewhere.py", "exec"), module.__dict__)


# --- what a rule may ask ----------------------------------------------------------------------------------------------


def test_the_prompts_of_a_rule_are_those_of_the_rules_and_functions_it_calls_each_once() -> None:
    assert shoot.prompts == (THROW,)
    assert aim.prompts == (THROW,)
    assert set(loop.prompts) == {SIDE, THROW}
    assert NEVER not in loop.prompts


def test_a_formula_is_called_like_a_function() -> None:
    assert bonus(Scene({}), by=5) == 5
    assert (aim.gives, bonus.gives) == (int, int)
