"""Options: switches, choices and exclusions; what depends on one is absent while it is off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import pytest

from referee import registry
from referee.core import BadInput, OnlyWith, Open, Refused, Scene, State, System, Who, change, option, rule
from referee.core.describe import described
from referee.core.errors import IllegalAfterStep, RefereeError, RulebookError
from referee.core.options import OptionFigure, absent_fields, field_options
from referee.core.printed_book import PrintedBook
from referee.core.rulebook import Book
from referee.core.trace import watching
from referee.core.visibility import Seat, visible_scene
from referee.drivers.exact import Exact
from referee.drivers.scripted import play
from referee.testing.conformance import ConformanceWalk, agree
from referee.testing.scenarios import check, samples


@pytest.fixture
def system(systems: None) -> System:
    return registry.load("fair")


@pytest.fixture
def fair(system: System) -> Any:
    """The package itself, with its rules."""
    return import_module("fair")


def state_of(system: System, sheet: dict[str, Any] | None = None, **options: Any) -> State:
    dotted = {f"fair.{name.replace('__', '.')}": value for name, value in options.items()}
    return system.state({"book": {"kind": "Book", "options": dotted}, "ana": sheet or {}})


def book_of(system: System, options: dict[str, Any]) -> Book:
    return Book(system.printed_book, options=options)


# --- what a campaign may choose ---------------------------------------------------------------------------------------


def test_a_switch_is_off_until_it_is_turned_on(system: System) -> None:
    assert not book_of(system, {}).on("fair.luck.luck")
    assert book_of(system, {"fair.luck.luck": True}).on("fair.luck.luck")
    assert book_of(system, {"fair.luck.luck": True}).choice("fair.luck.luck") == "on"
    assert book_of(system, {"fair.luck.luck": False}).choice("fair.luck.luck") == "off"


def test_of_several_choices_the_first_is_played_until_another_is_chosen(system: System) -> None:
    assert book_of(system, {}).choice("fair.throw.order") == "young"
    chosen = book_of(system, {"fair.throw.order": "old"})
    assert chosen.choice("fair.throw.order") == "old"
    assert (chosen.on("fair.throw.order=old"), chosen.on("fair.throw.order=young")) == (True, False)


@pytest.mark.parametrize(
    ("setting", "choice"), [(False, "off"), ("off", "off"), (True, "again"), ("again", "again"), ("lost", "lost")]
)
def test_optional_choices_may_be_off(system: System, setting: Any, choice: str) -> None:
    book = book_of(system, {"fair.throw.one": setting})
    assert (book.choice("fair.throw.one"), book.on("fair.throw.one")) == (choice, choice != "off")


def test_what_was_chosen_is_written_and_read_back(system: System) -> None:
    book = book_of(system, {"fair.throw.one": True, "fair.throw.order": "old", "fair.luck.luck": False})
    assert book.to_plain()["options"] == {
        "fair.throw.one": "again",
        "fair.throw.order": "old",
        "fair.luck.luck": False,
    }
    assert Book.from_plain(book.to_plain()) == book
    assert book.but({"options": {"fair.throw.one": "lost"}}).choice("fair.throw.one") == "lost"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"fair.throw.order": False}, "options.fair.throw.order: 'False' is not known; one of young, old"),
        ({"fair.throw.order": True}, "options.fair.throw.order: 'True' is not known; one of young, old"),
        ({"fair.throw.order": "off"}, "options.fair.throw.order: 'off' is not known"),
        ({"fair.throw.one": "twice"}, "options.fair.throw.one: 'twice' is not known; one of again, lost, off"),
        ({"fair.luck.luck": "on"}, "options.fair.luck.luck: must be yes or no, not 'on'"),
        ({"fair.luck.push": True}, "fair.yaml: fair.luck.push: is not an optional rule"),
        ({"fair.luck.lcuk": True}, "'fair.luck.lcuk' is not known; did you mean 'fair.luck.luck'?"),
    ],
)
def test_a_setting_that_is_not_among_the_choices_is_refused(
    system: System, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(BadInput) as refused:
        book_of(system, options)
    assert problem in str(refused.value)


def test_two_options_that_exclude_each_other_are_refused_by_name(system: System) -> None:
    with pytest.raises(Refused) as refused:
        book_of(system, {"fair.luck.luck": True, "fair.luck.doom": True})
    assert str(refused.value) == ("options: fair.luck.doom and fair.luck.luck cannot be used together (fair.luck.doom)")
    with pytest.raises(Refused, match=r"fair\.luck\.doom and fair\.luck\.luck cannot be used together"):
        book_of(system, {"fair.luck.luck": True}).but({"options": {"fair.luck.doom": True}})
    assert book_of(system, {"fair.luck.luck": False, "fair.luck.doom": True}).on("fair.luck.doom")


def test_an_option_may_exclude_one_choice_of_another(system: System) -> None:
    luck = {"fair.luck.luck": True, "fair.luck.gamblers": True}
    assert book_of(system, {**luck, "fair.throw.one": "again"}).on("fair.luck.gamblers")
    with pytest.raises(Refused, match=r"fair\.luck\.gamblers and fair\.throw\.one=lost cannot be used together"):
        book_of(system, {**luck, "fair.throw.one": "lost"})


def test_an_option_that_depends_on_others_is_not_used_without_all_of_them(system: System) -> None:
    wanted = {"fair.luck.gamblers": True}
    assert not book_of(system, wanted).on("fair.luck.gamblers")
    assert not book_of(system, {**wanted, "fair.luck.luck": True}).on("fair.luck.gamblers")
    alone = book_of(system, {**wanted, "fair.throw.one": "lost"})  # not used, so it excludes nothing
    assert not alone.on("fair.luck.gamblers")
    assert alone.why_absent("fair.luck.gamblers") == "the optional rule fair.luck.luck is not used at this table"


ODD = """\
system: odd
rules:
  - id: odd.a
    chapter: Odd
    kind: option
    rule: A.
    {a}
  - id: odd.b
    chapter: Odd
    kind: option
    rule: B.
    {b}
  - id: odd.c
    chapter: Odd
    kind: mechanic
    rule: C.
"""


@pytest.mark.parametrize(
    ("a", "b", "problem"),
    [
        ("optional: true", "option: odd.x", "odd.yaml: odd.b: option: 'odd.x' is not known"),
        ("optional: true", "option: odd.c", "odd.yaml: odd.b: option: 'odd.c' is not known"),
        ("choices: [x, y]", "option: odd.a=z", "odd.yaml: odd.b: option: 'z' is not known; one of x, y"),
        ("optional: true", "option: odd.a=z", "odd.yaml: odd.b: option: 'z' is not known; there are none"),
        ("optional: perhaps", "optional: true", "odd.yaml: odd.a: optional: must be yes or no, not 'perhaps'"),
        ("optional: true", "excludes: [odd.a]", "odd.yaml: odd.b: excludes: only an option excludes another"),
        ("choices: [x]", "optional: true", "odd.yaml: odd.a: choices: one choice is none"),
        ("choices: {x: X, off: Y}", "optional: true", "odd.yaml: odd.a: choices: must be text, not False"),
        ("choices: {x: X, 'off': Y}", "optional: true", "odd.yaml: odd.a: choices: 'off' means"),
        ("choices: {x: 1, y: Y}", "optional: true", "odd.yaml: odd.a: choices.x: must be text, not 1"),
    ],
)
def test_an_option_that_is_printed_wrongly_is_told_by_file_id_and_field(
    tmp_path: Path, a: str, b: str, problem: str
) -> None:
    (tmp_path / "odd.yaml").write_text(ODD.format(a=a, b=b), encoding="utf-8")
    with pytest.raises(RulebookError) as wrong:
        _ = PrintedBook("odd", tmp_path).conditional
    assert problem in str(wrong.value)


def test_options_that_depend_on_each_other_are_an_error(tmp_path: Path) -> None:
    both = {"a": "optional: true\n    option: odd.b", "b": "optional: true\n    option: odd.a"}
    (tmp_path / "odd.yaml").write_text(ODD.format(**both), encoding="utf-8")
    with pytest.raises(RulebookError, match=r"odd\.yaml: odd\.a: option: depends on itself"):
        _ = PrintedBook("odd", tmp_path).conditional


# --- code reads them --------------------------------------------------------------------------------------------------


def test_a_choice_is_read_as_a_member_of_an_enum(system: System, fair: Any) -> None:
    assert Scene(state_of(system))[fair.ONE] is fair.One.OFF
    assert Scene(state_of(system, throw__one="lost"))[fair.ONE] is fair.One.LOST
    assert Scene(state_of(system))[fair.ORDER] is fair.Order.YOUNG
    assert Scene(state_of(system))[fair.LUCK] is False
    assert Scene(state_of(system, luck__luck=True))[fair.LUCK] is True


class TooFew(Enum):
    OFF = "off"
    AGAIN = "again"


class TooMany(Enum):
    YOUNG = "young"
    OLD = "old"
    OFF = "off"


@pytest.mark.parametrize(
    ("rule", "kind", "problem"),
    [
        ("fair.throw.one", TooFew, "fair.yaml: fair.throw.one: choices: 'lost' is missing in TooFew"),
        ("fair.throw.order", TooMany, "fair.yaml: fair.throw.order: choices: 'off' is not among the printed choices"),
        ("fair.luck.push", bool, "fair.yaml: fair.luck.push: is not an option"),
    ],
)
def test_an_enum_must_have_exactly_the_printed_choices(system: System, rule: str, kind: Any, problem: str) -> None:
    read: OptionFigure[Any] = OptionFigure(rule, "", kind)
    with pytest.raises(RulebookError) as wrong:
        _ = Scene(state_of(system))[read]
    assert str(wrong.value) == problem


@pytest.mark.parametrize(
    ("one", "answers", "coins"), [(False, "1", 4), ("again", ["1", "5"], 6), ("again", ["1", "1"], 4), ("lost", "1", 3)]
)
def test_a_rule_is_played_as_the_campaign_has_chosen(
    system: System, fair: Any, one: Any, answers: Any, coins: int
) -> None:
    state = state_of(system, {"coins": 5}, throw__one=one)
    assert play(fair.throw(Who("ana", fair.Guest)), state, {"ball": answers}).state["ana"] == fair.Guest(coins)


def test_odds_follow_the_choice(system: System, fair: Any) -> None:
    call = fair.throw(Who("ana", fair.Guest))
    assert agree(call, state_of(system)).of[True] == Fraction(1, 2)
    assert agree(call, state_of(system, throw__one="again")).of[True] == Fraction(1, 2) + Fraction(1, 12)


def test_a_choice_that_was_played_counts_as_a_row(system: System, fair: Any) -> None:
    assert system.printed_book.entry("fair.throw.one").rows == ("again", "lost")
    call = fair.throw(Who("ana", fair.Guest))
    with watching(set()) as seen:
        play(call, state_of(system), {"ball": "1"})
    assert not any(each.startswith("fair.throw.one#") for each in seen)
    with watching(set()) as seen:
        play(call, state_of(system, throw__one="lost"), {"ball": "1"})
    assert "fair.throw.one#lost" in seen


# --- rules and actions that depend on one -----------------------------------------------------------------------------

OFF = "the optional rule fair.luck.luck is not used at this table"


def test_a_rule_that_is_not_used_is_refused_with_the_option(system: System, fair: Any) -> None:
    ana = Who("ana", fair.Guest)
    with pytest.raises(Refused) as refused:
        play(fair.push(ana), state_of(system))
    assert str(refused.value) == f"push: {OFF} (fair.luck.push)"
    assert play(fair.push(ana), state_of(system, {"coins": 5}, luck__luck=True)).state["ana"] == fair.Guest(6, 1)


def test_a_rule_may_name_the_option_itself(system: System, fair: Any) -> None:
    ana = Who("ana", fair.Guest)
    assert play(fair.youngest_first(ana), state_of(system)).result == "ana"
    with pytest.raises(Refused) as refused:
        play(fair.youngest_first(ana), state_of(system, throw__order="old"))
    assert str(refused.value) == (
        "youngest first: this table plays fair.throw.order as 'old', not as 'young' (fair.throw.order)"
    )


def test_a_formula_that_is_not_used_is_refused(system: System, fair: Any) -> None:
    ana = Who("ana", fair.Guest)
    assert fair.steps_closer(Scene(state_of(system, throw__order="old")), ana) == 1
    with pytest.raises(Refused, match=r"this table plays fair\.throw\.order as 'young', not as 'old'"):
        fair.steps_closer(Scene(state_of(system)), ana)


@pytest.mark.parametrize(("luck", "result"), [(False, "debt"), (True, "luck")])
def test_a_rule_may_do_without_one_that_is_not_used(system: System, fair: Any, luck: bool, result: str) -> None:
    call, state = fair.luck_or_debt(Who("ana", fair.Guest)), state_of(system, luck__luck=luck)
    assert play(call, state).result == result
    assert agree(call, state).of == {result: 1}
    assert Exact(remember=False).of(call, state).of == {result: 1}


def test_an_action_of_a_rule_that_is_not_used_is_not_offered(system: System, fair: Any) -> None:
    ana, scene = Who("ana", fair.Guest), Scene(state_of(system))
    assert [each.key for each in system.actions_in(scene, master=False)] == ["throw", "debt"]
    push = system.action("push")
    assert list(push.legal(scene, ana)) == []
    assert str(push.may(scene, ana)) == f"push: {OFF} (fair.luck.push)"
    lucky = Scene(state_of(system, luck__luck=True))
    assert [each.key for each in system.actions_in(lucky, master=False)] == ["throw", "push", "debt"]
    assert push.may(lucky, ana) is None


# --- fields of a sheet that depend on one -----------------------------------------------------------------------------


def test_a_field_whose_option_is_off_is_not_shown(system: System) -> None:
    master = Seat("mo", master=True)
    assert visible_scene(state_of(system), master)["ana"] == {"kind": "Guest", "coins": 5}
    shown = visible_scene(state_of(system, luck__luck=True), master)["ana"]
    assert shown == {"kind": "Guest", "coins": 5, "luck": 2}


def test_a_field_whose_option_is_off_is_refused_in_a_file_by_name(system: System, fair: Any) -> None:
    with pytest.raises(BadInput) as refused:
        state_of(system, {"luck": 3})
    assert str(refused.value) == f"scene.ana.luck: {OFF}"
    assert state_of(system, {"luck": 3}, luck__luck=True)["ana"] == fair.Guest(luck=3)
    assert state_of(system, {"luck": 2})["ana"] == fair.Guest()  # a stored sheet has all its fields


def test_the_options_of_fields_are_known(system: System, fair: Any) -> None:
    assert field_options(fair.Guest) == {"luck": "fair.luck.luck"}
    assert absent_fields(fair.Guest, book_of(system, {})) == {"luck": "fair.luck.luck"}
    assert absent_fields(fair.Guest, book_of(system, {"fair.luck.luck": True})) == {}


@dataclass(frozen=True, slots=True)
class Bare:
    luck: Annotated[Open[int], OnlyWith("fair.luck.luck")]


def test_a_field_with_an_option_needs_a_default() -> None:
    with pytest.raises(RefereeError, match=r"Bare'>\.luck depends on an option, and needs a default"):
        field_options(Bare)


def test_what_an_entry_says_of_options_is_described(system: System) -> None:
    plain = described(system.printed_book.entry("fair.luck.gamblers"))
    assert (plain["option"], plain["excludes"]) == (["fair.luck.luck", "fair.throw.one"], ["fair.throw.one=lost"])
    assert described(system.printed_book.entry("fair.throw.order"))["choices"] == {
        "young": "The youngest.",
        "old": "The oldest.",
    }


def test_options_are_declared_like_figures(system: System, fair: Any) -> None:
    assert option("fair.luck.doom").rules == ("fair.luck.doom",)
    assert Scene(state_of(system, luck__doom=True))[option("fair.luck.doom")] is True


# --- the check after a step -------------------------------------------------------------------------------------------

WRONG = "after fair.debts.debt(ana): ana: coins: ana has -1 (fair.debts.none)"


def test_a_scripted_step_that_leaves_what_the_book_does_not_allow_is_an_error(system: System, fair: Any) -> None:
    call = fair.call_in(Who("ana", fair.Guest))
    assert play(call, state_of(system, {"coins": 3})).state["ana"] == fair.Guest(0)
    with pytest.raises(IllegalAfterStep) as wrong:
        play(call, state_of(system, {"coins": 2}))
    assert str(wrong.value) == WRONG


def test_so_is_a_step_of_a_scenario(systems: None) -> None:
    plain = {"scenario": "Debts", "system": "fair", "sheets": {"ana": {"coins": 2}}}
    report = check({**plain, "steps": [{"action": "debt", "who": "ana"}]})
    assert [str(each.problem) for each in report.differences] == [WRONG]
    refused = check({**plain, "steps": [{"action": "debt", "who": "ana", "refused": "fair.debts.none"}]})
    assert [str(each.problem) for each in refused.differences] == [WRONG]


def test_so_is_a_step_of_a_walk_and_of_compared_drivers(system: System, fair: Any) -> None:
    with pytest.raises(IllegalAfterStep, match="ana has -1"):
        agree(fair.call_in(Who("ana", fair.Guest)), state_of(system, {"coins": 2}))
    ((_, meadow),) = samples(system)
    with pytest.raises(AssertionError, match=r"after fair\.(debts\.debt|throw\.throw): \w+: coins: \w+ has -\d"):
        ConformanceWalk(system, meadow, seed=1).go(60)


@rule("fair.debts.none/wrongly")
async def wrongly(scene: Scene, who: Who[Any]) -> None:
    """Give luck where there is none."""
    await change(who, replace(scene[who], luck=9))


def test_a_field_set_while_its_option_is_off_is_an_error_too(system: System, fair: Any) -> None:
    with pytest.raises(IllegalAfterStep, match=r"ana\.luck: the optional rule fair\.luck\.luck is not used"):
        play(wrongly(Who("ana", fair.Guest)), state_of(system))
    assert play(wrongly(Who("ana", fair.Guest)), state_of(system, luck__luck=True)).state["ana"] == fair.Guest(luck=9)


def test_only_what_the_step_changed_is_checked(system: System, fair: Any) -> None:
    broke = state_of(system).but("bo", fair.Guest(-5))
    assert play(fair.throw(Who("ana", fair.Guest)), broke, {"ball": "6"}).result is True


def test_a_scene_without_a_book_is_played_without_a_check(fair: Any) -> None:
    bare = State({"ana": fair.Guest(1)})
    assert play(fair.push(Who("ana", fair.Guest)), bare).state["ana"] == fair.Guest(2, 1)
