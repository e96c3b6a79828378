"""The run: rules on their own stack, refusals and roll-back, questions in any order, citations of every change."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import pytest

from referee.core import (
    D6,
    YES,
    YES_NO,
    BadInput,
    Call,
    Mod,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    Total,
    Who,
    alter,
    change,
    choose,
    offer,
    react,
    roll,
    rule,
    tally,
    tell,
    together,
)
from referee.core.errors import ForeignAwait
from referee.core.questions import Barred, Choose, Question, Roll
from referee.core.rules import until_settled
from referee.core.run import Changed, Run, SubResults, Told, drive
from referee.core.trace import watching


@dataclass(frozen=True, slots=True)
class Walker:
    steps: Open[int] = 0
    seen: Open[int] = tally()

    def on(self, by: int = 1) -> Walker:
        return replace(self, steps=self.steps + by)

    def stumble(self) -> Walker:
        raise ZeroDivisionError


ANA = Who("ana", Walker)
BO = Who("bo", Walker)
NEW = Who("new", Walker)
DIE = Prompt("die")
SIDE = Prompt("side")
DODGE = Prompt("dodge")
START = State({"ana": Walker(), "bo": Walker()})


def die(who: Who[Any] | None = ANA) -> Roll[Total]:
    return roll(DIE, who, Pool.of((D6, 1)), Total)


def no(what: str = "step") -> Refused:
    return Refused(what, because="the way is barred", rule="tests.run.barred", legal=("stay",))


def ran(call: Call[Any], state: State = START) -> tuple[Run[Any], Scene]:
    scene = Scene(state)
    return Run(scene, call), scene


# --- depth ------------------------------------------------------------------------------------------------------------


@rule("tests.run.down")
async def down(scene: Scene, levels: int, at_the_bottom: str = "") -> int:
    """One rule within another."""
    if levels:
        return 1 + await down(levels - 1, at_the_bottom)
    if at_the_bottom == "refuse":
        raise no()
    if at_the_bottom == "roll":
        return (await die()).total
    await alter(ANA, Walker.on)
    return 0


def test_five_thousand_rules_may_be_nested() -> None:
    run, scene = ran(down(5000))
    assert (run.result, scene[ANA].steps) == (5000, 1)


def test_a_question_at_the_bottom_of_five_thousand_rules_is_asked_and_answered() -> None:
    run, _ = ran(down(5000, "roll"))
    assert run.depth == 5001
    assert run.rules == ("tests.run.down",)
    run.answer(die().read([4]))
    assert run.result == 5004


def test_a_refusal_comes_up_through_five_thousand_rules() -> None:
    with pytest.raises(Refused, match="the way is barred"):
        ran(down(5000, "refuse"))


# --- refusals ---------------------------------------------------------------------------------------------------------


@rule("tests.run.hurt-and-refuse")
async def hurt_and_refuse(scene: Scene) -> None:
    """Something is changed, and then refused."""
    await alter(BO, Walker.on)
    await die()
    raise no()


@rule("tests.run.try")
async def try_it(scene: Scene, catch: bool) -> str:
    """A refusal may be caught by the rule that called."""
    await alter(ANA, Walker.on)
    try:
        await hurt_and_refuse()
    except Refused as why:
        if not catch:
            raise
        return why.because
    return "allowed"


def test_a_refusal_may_be_caught_by_the_rule_that_called() -> None:
    run, scene = ran(try_it(True))
    run.answer(die().read([1]))
    assert run.result == "the way is barred"
    assert scene[ANA].steps == 1


def test_a_refusal_nobody_catches_puts_the_scene_back() -> None:
    run, scene = ran(try_it(False))
    assert scene.state != START
    with pytest.raises(Refused):
        run.answer(die().read([1]))
    assert scene.state == START
    assert not run.done


@rule("tests.run.stumble")
async def stumble(scene: Scene, catch: bool) -> str:
    """A sheet's own function fails while it is applied."""
    await alter(ANA, Walker.on)
    try:
        await alter(BO, Walker.stumble)
    except ZeroDivisionError:
        if not catch:
            raise
        return "caught"
    return "passed"


def test_any_other_error_puts_the_scene_back_too() -> None:
    scene = Scene(START)
    with pytest.raises(ZeroDivisionError):
        Run(scene, stumble(False))
    assert scene.state == START


def test_what_goes_wrong_while_something_is_altered_reaches_the_rule_that_asked_for_it() -> None:
    run, scene = ran(stumble(True))
    assert (run.result, scene[ANA].steps) == ("caught", 1)


@rule("tests.run.nobody")
async def nobody(scene: Scene) -> bool:
    """Altering who is not there is an error where it is tried."""
    try:
        await alter(NEW, Walker.on)
    except BadInput:
        return True
    return False


def test_who_is_not_there_cannot_be_altered() -> None:
    assert ran(nobody())[0].result


TIDIED: list[str] = []


@rule("tests.run.tidy")
async def tidy(scene: Scene) -> None:
    """Whatever comes of the question, this is tidied up."""
    try:
        await die()
    finally:
        TIDIED.append("tidied")


def test_a_run_given_up_is_tidied_up() -> None:
    TIDIED.clear()
    run, _ = ran(tidy())
    run.close()
    assert TIDIED == ["tidied"]
    run.close()


def test_driving_a_run_tidies_up_when_no_answer_comes() -> None:
    TIDIED.clear()
    run, _ = ran(tidy())

    def fails(question: Question[Any], scene: Scene) -> Any:
        raise KeyError(question.name)

    with pytest.raises(KeyError, match="die"):
        drive(run, fails)
    assert TIDIED == ["tidied"]


# --- foreign awaits ---------------------------------------------------------------------------------------------------


class Foreign:
    def __await__(self) -> Generator[Any, Any, None]:
        yield "something else"


@rule("tests.run.foreign")
async def foreign(scene: Scene, kind: str) -> str:
    """Awaits what is no request."""
    await alter(ANA, Walker.on)
    try:
        await (asyncio.sleep(0) if kind == "asyncio" else Foreign())
    except ForeignAwait:
        if kind == "caught":
            return "caught"
        raise
    return "slept"


@pytest.mark.parametrize(("kind", "thing"), [("asyncio", "None"), ("own", "'something else'")])
def test_awaiting_anything_foreign_is_an_error_that_names_the_rule_and_the_thing(kind: str, thing: str) -> None:
    scene = Scene(START)
    with pytest.raises(ForeignAwait, match=f"tests.run.foreign awaited {thing}; a rule awaits requests only"):
        Run(scene, foreign(kind))
    assert scene.state == START


def test_a_foreign_await_is_raised_where_it_was_awaited() -> None:
    assert ran(foreign("caught"))[0].result == "caught"


# --- together ---------------------------------------------------------------------------------------------------------


@rule("tests.run.at-once")
async def at_once(scene: Scene) -> tuple[int, str, str]:
    """A throw and two decisions at once."""
    thrown, mine, theirs = await together(
        die(), choose(ANA, SIDE, ("heads", "tails")), choose(BO, SIDE, ("heads", "tails"))
    )
    return thrown.total, mine, theirs


ANSWERS: tuple[Any, ...] = (Total(4), "heads", "tails")


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_questions_put_together_may_be_answered_in_any_order(order: tuple[int, ...]) -> None:
    run, _ = ran(at_once())
    for at, part in enumerate(order):
        assert not run.done
        assert run.open == tuple(sorted(order[at:]))
        run.answer(ANSWERS[part], part)
    assert run.result == (4, "heads", "tails")
    assert run.asking == ()


def test_no_question_is_answered_twice() -> None:
    run, _ = ran(at_once())
    run.answer("heads", 1)
    for part in (1, 3, -1):
        with pytest.raises(BadInput, match="that question is not open"):
            run.answer("tails", part)
    assert run.open == (0, 2)


def test_nothing_is_open_once_the_step_is_done() -> None:
    run, _ = ran(down(0))
    with pytest.raises(BadInput, match="that question is not open"):
        run.answer(1)


@rule("tests.run.nothing-at-once")
async def nothing_at_once(scene: Scene) -> tuple[Any, ...]:
    """Nobody is asked, and one who has no choice is not either."""
    empty: tuple[Any, ...] = await together()
    only: tuple[Any, ...] = await together(choose(ANA, SIDE, ("heads",)))
    mixed = await together(choose(ANA, SIDE, ("heads",)), choose(BO, SIDE, ("heads", "tails")))
    return empty, only, mixed


def test_of_several_asked_at_once_who_has_one_answer_only_is_not_asked() -> None:
    run, _ = ran(nothing_at_once())
    assert run.open == (1,)
    run.answer("tails", 1)
    assert run.result == ((), ("heads",), ("heads", "tails"))
    assert len(run.not_asked) == 2


# --- choices that are none --------------------------------------------------------------------------------------------


def check_dodge(kind: str) -> None:
    if kind != "duck":
        raise Refused(kind, because="it is too narrow", rule="tests.run.narrow")


@rule("tests.run.offers")
async def offers(scene: Scene, options: tuple[str, ...]) -> str | None:
    """An offer with what is legal of it."""
    return await offer(ANA, DODGE, options, check=check_dodge)


def test_an_offer_of_which_nothing_is_legal_is_not_made_and_the_reason_is_known() -> None:
    run, _ = ran(offers(("jump", "roll")))
    assert run.done
    assert run.result is None
    (spared,) = run.not_asked
    assert [(each.option, each.why.rule) for each in spared.barred] == [
        ("jump", "tests.run.narrow"),
        ("roll", "tests.run.narrow"),
    ]


def test_an_offer_of_nothing_is_not_made() -> None:
    assert ran(offers(()))[0].result is None


def test_an_offer_is_made_with_what_is_legal_of_it_and_may_be_declined() -> None:
    run, _ = ran(offers(("jump", "duck")))
    (question,) = run.asking
    assert isinstance(question, Choose)
    assert (question.options, question.default, question.may_decline) == (("duck", None), None, True)
    with pytest.raises(Refused, match=r"dodge: it is too narrow \(tests\.run\.narrow\); legal: duck, no"):
        question.read("jump")
    assert question.read("no") is None


@rule("tests.run.choices")
async def choices(scene: Scene, options: tuple[str, ...]) -> str:
    """Something has to be chosen."""
    return await choose(ANA, SIDE, options)


def test_a_choice_of_one_is_not_asked() -> None:
    run, _ = ran(choices(("heads",)))
    assert run.result == "heads"
    assert [question.name for question in run.not_asked] == ["side"]


def test_a_choice_of_none_is_the_rules_mistake() -> None:
    with pytest.raises(BadInput, match="side: a choice needs at least one legal option"):
        ran(choices(()))


def test_silence_means_the_default_or_else_the_last_option() -> None:
    assert choose(ANA, SIDE, ("heads", "tails")).default == "tails"
    assert choose(ANA, SIDE, ("heads", "tails"), default="heads").default == "heads"
    assert offer(ANA, DODGE, YES).default is None


def test_a_reaction_is_an_offer_that_says_so() -> None:
    assert react(ANA, DODGE, YES).reaction
    assert not offer(ANA, DODGE, YES).reaction


# --- changes ----------------------------------------------------------------------------------------------------------


@rule("tests.run.twice")
async def twice(scene: Scene) -> None:
    """Two changes prepared before the first is made."""
    first, second = alter(ANA, Walker.on, 2), alter(ANA, Walker.on, 3)
    await first
    await second


def test_altering_reads_at_the_time_it_changes() -> None:
    assert ran(twice())[1][ANA].steps == 5


@rule("tests.run.changes")
async def changes(scene: Scene) -> tuple[int, ...]:
    """Comes, changes, stays as it is, goes."""
    await change(NEW, Walker(7))
    await change(NEW, Walker(7))
    seen = [scene[NEW].steps]
    await change(NEW, replace(scene[NEW], seen=1))
    await change(NEW, None)
    await change(NEW, None)
    return (*seen, int(NEW in scene))


def test_a_change_is_an_event_only_if_something_changed_tallies_included() -> None:
    run, scene = ran(changes())
    assert run.result == (7, 0)
    assert scene.state == START
    assert run.events == [
        Changed("new", None, Walker(7), ("tests.run.changes",)),
        Changed("new", Walker(7), Walker(7), ("tests.run.changes",)),
        Changed("new", Walker(7), None, ("tests.run.changes",)),
    ]


# --- citations --------------------------------------------------------------------------------------------------------


@rule("tests.run.inner/push")
async def inner(scene: Scene, rule_: str | None = None) -> None:
    """Changes something, and says so."""
    await change(ANA, scene[ANA].on(), rule=rule_)
    await tell("moved", who=ANA, steps=scene[ANA].steps, rule=rule_)


@rule("tests.run.inner")
async def inner_itself(scene: Scene, rule_: str | None = None) -> None:
    """Calls another operation of the same rule."""
    await inner(rule_)


@rule("tests.run.outer", "tests.run.also")
async def outer(scene: Scene, again: int = 0, rule_: str | None = None) -> None:
    """Calls itself and others."""
    if again:
        await outer(again - 1, rule_)
    else:
        await inner_itself(rule_)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (inner(), ("tests.run.inner",)),
        (inner_itself(), ("tests.run.inner",)),
        (outer(), ("tests.run.inner", "tests.run.outer")),
        (outer(3), ("tests.run.inner", "tests.run.outer")),
        (outer(0, "some.table"), ("some.table", "tests.run.inner", "tests.run.outer")),
        (outer(0, "tests.run.outer"), ("tests.run.outer", "tests.run.inner")),
        (inner("tests.run.inner"), ("tests.run.inner",)),
    ],
)
def test_a_change_cites_the_rules_behind_it_innermost_first_each_once(call: Call[Any], rules: tuple[str, ...]) -> None:
    run, _ = ran(call)
    assert [event.rules for event in run.events] == [rules, rules]


@rule("tests.run.and-back")
async def and_back(scene: Scene) -> None:
    """Goes on after another rule."""
    await inner()
    await tell("back")


def test_when_a_rule_is_over_it_is_no_longer_cited() -> None:
    run, _ = ran(and_back())
    assert run.events[-1].rules == ("tests.run.and-back",)


@rule("tests.run.a")
async def a_calls_b(scene: Scene, times: int) -> None:
    """Rules that call each other in turn."""
    if times:
        await b_calls_a(times - 1)
    else:
        await tell("bottom")


@rule("tests.run.b")
async def b_calls_a(scene: Scene, times: int) -> None:
    """As above."""
    await a_calls_b(times)


def test_rules_that_call_each_other_are_cited_once_each_the_innermost_first() -> None:
    assert ran(a_calls_b(3))[0].events[0].rules == ("tests.run.a", "tests.run.b")


def test_a_line_of_the_story_has_its_figures_and_whom_it_is_about() -> None:
    (event,) = (event for event in ran(inner())[0].events if isinstance(event, Told))
    assert (event.line.key, event.line.figures, event.line.who) == ("moved", (("steps", 1),), ANA)


def test_rules_of_modifiers_changes_and_refusals_take_part() -> None:
    with watching(set()) as seen:
        ran(outer(0, "some.table"))
        run, _ = ran(modified())
        run.close()
        with pytest.raises(Refused):
            ran(down(1, "refuse"))
    assert seen == {
        "tests.run.outer",
        "tests.run.inner",
        "some.table",
        "tests.run.modified",
        "some.mod",
        "tests.run.down",
        "tests.run.barred",
    }


@rule("tests.run.modified")
async def modified(scene: Scene) -> None:
    """A throw with a modifier that names its rule, and one that does not."""
    await roll(DIE, ANA, Pool.of((D6, 1)), SymbolCounts, mods=(Mod(1, "aim", "some.mod"), Mod(-1, "dark")))


# --- starting over ----------------------------------------------------------------------------------------------------


@rule("tests.run.no-tie")
async def no_tie(scene: Scene) -> int | None:
    """A one settles nothing."""
    thrown = await die()
    await alter(ANA, Walker.on)
    return thrown.total if thrown.total > 1 else None


@rule("tests.run.until")
async def until(scene: Scene) -> int:
    """Thrown again until it is settled."""
    return await until_settled(no_tie())


def test_a_rule_starts_over_until_it_comes_to_something() -> None:
    run, scene = ran(until())
    for _ in range(900):
        run.answer(Total(1))
        assert run.depth == 2
    run.answer(Total(5))
    assert (run.result, scene[ANA].steps) == (5, 901)


def test_each_time_it_starts_over_is_cited_alike() -> None:
    run, _ = ran(until())
    for total in (1, 1, 2):
        run.answer(Total(total))
    assert {event.rules for event in run.events} == {("tests.run.no-tie", "tests.run.until")}


# --- pausing ----------------------------------------------------------------------------------------------------------


@rule("tests.run.sum")
async def summed(scene: Scene) -> tuple[int, int]:
    """What another rule gives, and what it has changed."""
    result = await no_tie() or 0
    return result, scene[ANA].steps


def test_a_run_may_pause_at_each_rule_and_be_told_what_it_comes_to() -> None:
    run = Run(Scene(START), summed(), pause_at_calls=True)
    assert run.at_call == no_tie()
    run.skip(6, (("ana", Walker(9)),))
    assert run.result == (6, 9)


def test_a_run_may_be_told_that_the_rule_it_has_paused_at_refuses() -> None:
    run = Run(Scene(START), summed(), pause_at_calls=True)
    with pytest.raises(Refused, match="too steep"):
        run.refuse(Refused("walk", because="too steep", rule="tests.run.sum"), (("ana", Walker(9)),))
    assert run.scene[ANA] == Walker(9)  # what it had changed by then: whoever goes rule by rule sees to it


def test_only_a_run_that_has_paused_can_go_on_from_there() -> None:
    run, _ = ran(until())
    with pytest.raises(BadInput, match="the step has not paused at a rule"):
        run.refuse(Refused("walk", because="too steep", rule="tests.run.sum"), ())
    with pytest.raises(BadInput, match="the step has not paused at a rule"):
        run.skip(1, ())


def test_yes_and_no_are_options_like_others() -> None:
    question = choose(ANA, SIDE, YES_NO, barred=[Barred("perhaps", no("perhaps"))])
    assert (question.read("yes"), question.read("NO"), question.read(True)) == (True, False, True)
    with pytest.raises(Refused, match=r"side: the way is barred \(tests\.run\.barred\); legal: yes, no"):
        question.read("Perhaps")


# --- what rules came to -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stride:
    length: int


@dataclass(frozen=True, slots=True)
class March:
    strides: tuple[Stride, ...]


@rule("tests.run.stride")
async def stride(scene: Scene, who: Who[Walker], by: int) -> Stride:
    """A step of some length."""
    await alter(who, Walker.on, by)
    return Stride(by)


@rule("tests.run.stride/on")
async def stride_on(scene: Scene, by: int, who: Who[Walker]) -> Stride:
    """A step, and its result handed on."""
    return await stride(who, by)


@rule("tests.run.other-stride")
async def other_stride(scene: Scene, length: int) -> Stride:
    """One that is equal to another."""
    return Stride(length)


@rule("tests.run.leader")
async def leader(scene: Scene) -> Who[Walker]:
    """A name, which is no record."""
    return ANA


@rule("tests.run.march")
async def march(scene: Scene) -> March:
    """Several steps, with a question between."""
    first = await stride_on(1, ANA)
    await choose(ANA, SIDE, ("left", "right"))
    await leader()
    second = await stride(BO, 2)
    return March((first, second, await other_stride(second.length)))


@rule("tests.run.march/on")
async def march_on(scene: Scene) -> March:
    """A march, and its result handed on."""
    return await march()


def told(results: SubResults) -> list[tuple[str, Any, int]]:
    return [(each.calls[0].rule.id, each.result, each.after) for each in results.came]


def test_what_rules_came_to_is_collected_in_order_and_once() -> None:
    results = SubResults()
    run = Run(Scene(START), march(), results=results)
    assert told(results) == [("tests.run.stride", Stride(1), 1)]
    assert [call.rule.id for call in results.came[0].calls] == [
        "tests.run.stride", "tests.run.stride/on", "tests.run.march"
    ]  # fmt: skip
    run.answer("left")
    second = Stride(2)
    assert told(results)[1:] == [("tests.run.stride", second, 2), ("tests.run.other-stride", second, 2)]
    assert results.came[1].result is not results.came[2].result
    assert run.result == March((Stride(1), second, second))
    assert not results.handed_on


def test_a_result_the_step_only_hands_on_was_told_already() -> None:
    results = SubResults()
    run = Run(Scene(START), march_on(), results=results)
    run.answer("left")
    assert told(results)[-1] == ("tests.run.march", run.result, 2)
    assert results.handed_on


def test_nothing_is_collected_unless_somebody_wants_to_know() -> None:
    run = Run(Scene(START), march())
    run.answer("left")
    assert run.results is None


@rule("tests.run.if-present")
async def maybe(scene: Scene, who: Who[Walker]) -> None:
    """A change of something that may not be there, by another rule."""
    await alter(who, Walker.on, 2, rule="tests.run.other", if_present=True)


def test_what_is_not_there_is_left_alone_if_that_is_said() -> None:
    run, scene = ran(maybe(Who("nobody", Walker)))
    assert run.events == []
    assert "nobody" not in scene.state


def test_an_alteration_may_name_the_rule_behind_it() -> None:
    run, scene = ran(maybe(ANA))
    assert scene[ANA].steps == 2
    assert [event.rules for event in run.events] == [("tests.run.other", "tests.run.if-present")]


@rule("tests.run.stroll")
async def stroll(scene: Scene, who: Who[Walker]) -> int:
    """A walk that is told, with another rule inside."""
    await tell("strolls", who=who)
    await alter(who, Walker.on, (await die(who)).total)
    await change(BO, Walker(await choose(who, SIDE, (1, 2))), rule="tests.run.other")
    return scene[who].steps


def test_a_silent_run_comes_to_the_same_and_keeps_no_story() -> None:
    def answer(question: Question[Any], scene: Scene) -> Any:
        assert question.rule == "tests.run.stroll"
        return Total(4) if isinstance(question, Roll) else 2

    told, silent = Run(Scene(START), stroll(ANA)), Run(Scene(START), stroll(ANA), silent=True)
    with watching(set()) as noted:
        assert drive(told, answer) == 4
    with watching(set()) as noted_silently:
        assert drive(silent, answer) == 4
    assert told.scene.state == silent.scene.state
    assert len(told.events) == 3
    assert silent.events == []
    assert noted == noted_silently
