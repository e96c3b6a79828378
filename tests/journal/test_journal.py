"""The live table: a log that folds without rules, undo of anything, steps brought back."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, final

import pytest

from referee.core import (
    BOOK,
    CLOCK,
    D6,
    Audience,
    BadInput,
    Card,
    Hidden,
    Open,
    Own,
    Pile,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    System,
    Total,
    Who,
    advance_clock,
    alter,
    change,
    choose,
    draw,
    figure,
    roll,
    rule,
    set_deadline,
    tally,
    tell,
)
from referee.core.errors import ReplayMismatch, RuleFault
from referee.core.plain import same
from referee.drivers.exact import Exact
from referee.journal.changes import fold
from referee.journal.journal import Journal
from referee.journal.lines import AnswerGiven, Line
from referee.journal.log_items import FieldsChanged, StepEnded, StepRefused, StoryLine
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Handling

PRICE = figure("bazaar.buy", "price", int)


@final
@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5
    loot: Own[tuple[str, ...]] = ()
    luck: Hidden[int] = 0
    turns: Open[int] = tally()

    def paid(self, coins: int) -> Rogue:
        return replace(self, coins=self.coins - coins, turns=self.turns + 1)


ANA, BO = Who("ana", Rogue), Who("bo", Rogue)
DECK, HAND = Who("deck", Pile), Who("hand", Pile)
DIE, BUY, HAGGLE, PEEK = Prompt("die"), Prompt("buy"), Prompt("haggle"), Prompt("peek")


@rule("bazaar.buy")
async def buy(scene: Scene, who: Who[Rogue], what: Own[str] = "rope") -> int:
    """Haggle, then pay; who cannot pay is refused in the end."""
    await alter(who, Rogue.paid, 1)
    off = await choose(who, HAGGLE, (0, 1, 2))
    price = scene[PRICE] - off
    price += (await roll(DIE, who, Pool.of((D6, 1)), Total)).total // 3
    if scene[who].coins < price:
        raise Refused("buy", because=f"{who} has {scene[who].coins}", rule="bazaar.buy")
    await alter(who, Rogue.paid, price)
    await change(who, replace(scene[who], loot=(*scene[who].loot, what)))
    await tell("bought", who=who, what=what, audience=Audience.OWNER)
    await tell("paid", who=who, price=price)
    return price


@rule("bazaar.peek")
async def peek(scene: Scene, who: Who[Rogue]) -> None:
    """A card into the hand, and a secret throw."""
    await draw(PEEK, DECK, HAND, who=who, audience=Audience.OWNER)
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total, audience=Audience.MASTER)
    await change(who, replace(scene[who], luck=thrown.total))


@rule("bazaar.pay-day")
async def pay_day(scene: Scene, who: Who[Rogue]) -> None:
    """Comes due."""
    await alter(who, Rogue.paid, -1)


@rule("bazaar.wait")
async def wait(scene: Scene, units: int) -> None:
    """Pay day in five, and time passes."""
    await set_deadline(5, ANA, pay_day)
    await advance_clock(units)


@rule("bazaar.fault")
async def fault(scene: Scene, who: Who[Rogue]) -> None:
    """A fault in a rule."""
    await alter(who, Rogue.paid, 1)
    await choose(who, BUY, (True, False))
    raise ZeroDivisionError


@pytest.fixture
def den(tmp_path: Path) -> System:
    (tmp_path / "rulebook").mkdir()
    (tmp_path / "rulebook" / "bazaar.yaml").write_text(
        "rules:\n  - id: bazaar.buy\n    chapter: c\n    kind: mechanic\n    rule: r\n    values: {price: 3}\n",
        encoding="utf-8",
    )
    return System("bazaar", "Bazaar", tmp_path, 1, Rogue)


@pytest.fixture
def start(den: System) -> State:
    cards = {"kind": "Pile", "cards": ["7S", "QH"], "facing": "down"}
    return den.state({"ana": {}, "bo": {}, "deck": cards, "hand": {"kind": "Pile", "facing": "hand", "owner": "ana"}})


@pytest.fixture
def table(den: System, start: State) -> Journal:
    return Journal(den, start, SeededDice(b"den"))


@pytest.fixture
def real_dice(den: System, start: State) -> Journal:
    return Journal(den, start)


def written(journal: Journal) -> list[Line]:
    return [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in journal.lines]


def resumed(journal: Journal) -> Journal:
    return Journal(journal.system, journal.start, journal.source, written(journal))


def ana(journal: Journal) -> Rogue:
    return journal.scene[ANA]


# --- the log ----------------------------------------------------------------------------------------------------------


def test_a_change_is_logged_with_what_was_what_is_and_the_rules_behind_it(real_dice: Journal) -> None:
    real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    assert real_dice.lines[0].then == (
        FieldsChanged({"coins": 4, "turns": 1}, "ana", "Rogue", {"coins": 5, "turns": 0}, rules=("bazaar.buy",)),
    )


def test_answers_are_logged_in_plain_with_whose_they_were(real_dice: Journal) -> None:
    step = real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    real_dice.answer("Ana's", step, "2")
    real_dice.answer("Ana's", step, [6])
    given = {"kind": "answered", "by": "Ana's", "step": step, "of": "ana", "part": 0, "parts": 1}
    haggled, thrown = ({**line.to_plain(), "then": []} for line in real_dice.lines[1:])
    assert haggled == {**given, "prompt": "haggle", "answer": "2", "then": []}
    roll = {"dice": [{"die": "d6", "sides": 6}], "mods": []}
    dice = {"throw": 1, "dice": [[6, 1]], "roll": roll}
    assert thrown == {**given, "prompt": "die", "answer": [[6]], **dice, "then": []}
    assert real_dice.lines[-1].then[-1] == StepEnded(3)
    assert real_dice.lines[-1].ends


def test_real_dice_may_be_known_by_their_sum_alone(real_dice: Journal) -> None:
    step = real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    real_dice.answer("Ana's", step, 0)
    real_dice.answer("Ana's", step, {"total": 2})
    assert ana(real_dice).coins == 1
    assert ana(resumed(real_dice)).coins == 1


def test_the_fold_runs_no_rule_and_comes_to_the_same_tallies_included(den: System, table: Journal) -> None:
    for _ in range(3):
        step = table.begin("Ana's", "bazaar.buy", {"who": "bo"})
        with_refusal(table, step, 2)
    state = fold(den, table.start, (line for _, line in table.story))
    assert state == table.state
    assert all(same(state[name], table.state[name]) for name in state)


def with_refusal(journal: Journal, step: int, answer: int) -> None:
    try:
        journal.answer("somebody", step, answer)
    except Refused:
        assert isinstance(journal.lines[-1].then[0], StepRefused)


# --- editing ----------------------------------------------------------------------------------------------------------


def test_the_game_master_sets_brings_and_takes_away(table: Journal) -> None:
    table.edit("game master", "ana", coins=9, luck=2)
    table.edit("game master", "cy", kind="Rogue", coins=1)
    table.remove("game master", "bo")
    assert (table.state["ana"], table.state["cy"], "bo" in table.state) == (Rogue(9, luck=2), Rogue(1), False)
    assert resumed(table).state == table.state


@pytest.mark.parametrize("field", ["by", "name", "self", "kin"])
def test_a_field_that_does_not_exist_is_refused_whatever_it_is_called(table: Journal, field: str) -> None:
    with pytest.raises(BadInput, match=f"ana.{field}: '{field}' is not known"):
        table.edit("game master", "ana", **{field: 3})
    assert table.lines == []


def test_an_edit_of_nobody_is_refused_unless_it_says_what_comes(table: Journal) -> None:
    with pytest.raises(BadInput, match=r"scene: 'anna' is not known; did you mean 'ana'.* with a kind it would be new"):
        table.edit("game master", "anna", coins=1)
    assert table.lines == []
    table.edit("game master", "anna", kind="Rogue", coins=1)
    assert table.state["anna"] == Rogue(1)


def test_no_edit_doubles_a_card(table: Journal) -> None:
    with pytest.raises(BadInput, match="in more than one place: 7S"):
        table.edit("game master", "hand", cards=["7S"])
    table.edit("game master", "deck", cards=["QH"])
    table.edit("game master", "hand", cards=["7S"])
    assert table.scene[HAND].cards == (Card("7S"),)


def test_who_is_not_there_cannot_be_taken_away(table: Journal) -> None:
    with pytest.raises(BadInput, match="'cy' is not known"):
        table.remove("game master", "cy")


def test_the_campaigns_rulebook_may_change_in_the_middle_of_play(table: Journal) -> None:
    table.opt("game master", set={"bazaar.buy": {"price": 1}})
    assert table.scene[PRICE] == 1
    assert resumed(table).scene[PRICE] == 1
    table.undo("game master", 0)
    assert table.scene[PRICE] == 3
    with pytest.raises(BadInput, match="'prize' is not known; did you mean 'price'"):
        table.opt("game master", set={"bazaar.buy": {"prize": 1}})
    assert table.scene[BOOK].set == {}


# --- undo -------------------------------------------------------------------------------------------------------------


def test_any_of_two_hundred_lines_may_be_undone_and_redone(table: Journal) -> None:
    states = [table.state]
    for coins in range(200):
        table.edit("game master", "ana", coins=coins)
        states.append(table.state)
    for number in Random(1).sample(range(200), 25):
        table.undo("game master", number)
        assert same(table.state["ana"], states[number]["ana"])
        table.redo("game master")
        assert same(table.state["ana"], states[-1]["ana"])


def test_undo_of_an_undo_goes_back_one_at_a_time(table: Journal) -> None:
    for coins in (1, 2, 3):
        table.edit("game master", "ana", coins=coins)
    table.undo("game master", 2)
    table.undo("game master", 0)
    table.redo("game master")
    assert ana(table).coins == 2
    table.redo("game master")
    assert ana(table).coins == 3
    with pytest.raises(BadInput, match="nothing was undone just now"):
        table.redo("game master")


def test_what_is_not_in_force_cannot_be_undone(table: Journal) -> None:
    table.edit("game master", "ana", coins=1)
    table.undo("game master", 0)
    for number in (0, 1, 99, -1):
        with pytest.raises(BadInput, match="has been undone already"):
            table.undo("game master", number)


def test_what_would_go_is_listed_first(table: Journal) -> None:
    for coins in (1, 2, 3):
        table.edit("game master", "ana", coins=coins)
    assert [number for number, _ in table.would_undo(1)] == [1, 2]
    assert len(table.lines) == 3


def test_after_an_undo_the_throw_has_a_new_number_and_the_old_one_stays(table: Journal) -> None:
    for _ in range(3):
        step = table.begin("Ana's", "bazaar.buy", {"who": "ana"})
        table.answer("Ana's", step, 2)
        table.undo("game master", table.story[0][0])
    assert [line.thrown for line in table.lines if line.thrown] == [1, 2, 3]
    assert table.state == table.start


# --- steps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule_", "arguments", "complaint"),
    [
        ("bazaar.sell", {}, "bazaar.sell: no rule that runs bears this id"),
        ("bazaar.buy", {}, "who: is missing"),
        ("bazaar.buy", {"who": "ana", "waht": "x"}, "waht: 'waht' is not known; did you mean 'what'?"),
        ("bazaar.buy", {"who": "nobody"}, "scene: 'nobody' is not known"),
    ],
)
def test_a_step_that_cannot_begin_leaves_no_trace(
    table: Journal, rule_: str, arguments: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(BadInput) as told:
        table.begin("Ana's", rule_, arguments)
    assert str(told.value).startswith(complaint)
    assert (table.lines, table.state, table.asking) == ([], table.start, ())


def test_only_what_is_asked_can_be_answered(table: Journal) -> None:
    step = table.begin("Ana's", "bazaar.buy", {"who": "ana"})
    for number, part in ((step, 1), (step + 1, 0), (0, 0)):
        with pytest.raises(BadInput, match=f"step {number} does not ask that now"):
            table.answer("Ana's", number, 0, part)


def test_a_fault_in_a_rule_leaves_the_step_where_it_stood(table: Journal) -> None:
    step = table.begin("Ana's", "bazaar.fault", {"who": "ana"})
    with pytest.raises(RuleFault, match=r"bazaar\.fault"):
        table.answer("Ana's", step, "yes")
    assert [(each.step, each.question.name) for each in table.asking] == [(step, "buy")]
    assert ana(table).coins == 4
    assert len(table.lines) == 1


def test_a_refusal_takes_back_its_step_and_leaves_what_others_did_meanwhile(real_dice: Journal) -> None:
    first = real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    second = real_dice.begin("Bo's", "bazaar.buy", {"who": "bo"})
    real_dice.edit("game master", "ana", coins=1, luck=7)
    real_dice.answer("Ana's", first, 0)
    with pytest.raises(Refused, match="ana has 1"):
        real_dice.answer("Ana's", first, [6])
    assert (ana(real_dice).coins, ana(real_dice).luck) == (1, 7)
    assert real_dice.scene[BO].coins == 4
    assert [each.step for each in real_dice.asking] == [second]
    assert resumed(real_dice).state == real_dice.state


def test_time_that_passes_comes_to_its_deadlines_by_itself(table: Journal) -> None:
    table.begin("game master", "bazaar.wait", {"units": 12})
    assert [line.by for line in table.lines] == ["game master", "clock", "clock"]
    assert (table.scene[CLOCK].now, ana(table).coins) == (12, 6)
    assert resumed(table).state == table.state


def test_time_waits_while_a_step_is_open(table: Journal) -> None:
    step = table.begin("Ana's", "bazaar.buy", {"who": "ana"})
    table.begin("game master", "bazaar.wait", {"units": 12})
    assert table.scene[CLOCK].now == 0
    table.answer("Ana's", step, 2)
    assert table.scene[CLOCK].now == 12


@rule("bazaar.debt")
async def debt(scene: Scene, who: Who[Rogue]) -> None:
    """Comes due, throws, and is refused."""
    await alter(who, Rogue.paid, 1)
    await roll(DIE, who, Pool.of((D6, 1)), Total)
    raise Refused("debt", because=f"{who} has nothing", rule="bazaar.debt")


@rule("bazaar.trap")
async def trap(scene: Scene, who: Who[Rogue]) -> None:
    """Comes due, and is at fault."""
    raise ZeroDivisionError("a trap")


@rule("bazaar.owe")
async def owe(scene: Scene, units: int) -> None:
    """A debt and a trap come due before the pay day."""
    await set_deadline(1, ANA, debt)
    await set_deadline(2, ANA, trap)
    await set_deadline(3, ANA, pay_day)
    await advance_clock(units)


def test_a_deadline_that_is_refused_is_passed_over_and_the_clock_goes_on(table: Journal) -> None:
    table.begin("game master", "bazaar.owe", {"units": 9})
    assert (table.scene[CLOCK].now, table.scene[CLOCK].deadlines, ana(table).coins) == (9, (), 6)
    items = (item for line in table.lines for item in line.then if isinstance(item, StoryLine))
    told = [item for item in items if item.story == "deadline-refused"]
    assert [(each.rules[0], each.figures["because"]) for each in told] == [
        ("bazaar.debt", "debt: ana has nothing (bazaar.debt)"),
        ("bazaar.trap", "the code of bazaar.trap has failed: ZeroDivisionError: a trap"),
    ]
    assert resumed(table).state == table.state
    assert len(resumed(table).lines) == len(table.lines)


def test_a_fault_in_one_step_keeps_no_other_from_its_dice(den: System, start: State) -> None:
    """Ana is gone when her die falls. Bo's falls, and the fault is told of hers alone."""
    table = Journal(den, start, SeededDice(b"den"), handle=lambda waiting: Handling.LEAVE)
    first, second = (table.begin("somebody", "bazaar.buy", {"who": who}) for who in ("ana", "bo"))
    table.answer("somebody", first, 0)
    table.answer("somebody", second, 2)
    table.remove("game master", "ana")
    table.handle = lambda waiting: Handling.DO
    table.settle()
    assert [each.step for each in table.asking] == [first]
    assert list(table.faults) == [first]
    assert "loot" in str(table.lines[-1].then)
    table.cancel("game master", first)
    assert (table.asking, table.faults) == ((), {})


def test_a_table_that_is_halted_throws_nothing(den: System, start: State) -> None:
    table = Journal(den, start, SeededDice(b"den"), halted=True)
    step = table.begin("Ana's", "bazaar.buy", {"who": "ana"})
    table.answer("Ana's", step, 2)
    assert [str(each.question.name) for each in table.asking] == ["die"]
    table.halted = False
    table.settle()
    assert table.asking == ()


# --- throws that are held ---------------------------------------------------------------------------------------------


@pytest.fixture
def holding(den: System, start: State) -> Journal:
    table = Journal(den, start, SeededDice(b"den"), handle=lambda waiting: Handling.ASK)
    step = table.begin("Ana's", "bazaar.buy", {"who": "ana"})
    table.answer("Ana's", step, 2)
    return table


def test_a_held_throw_waits_and_is_let_stand(holding: Journal) -> None:
    ((place, held),) = holding.held.items()
    assert resumed_holding(holding).held == holding.held
    holding.accept_throw("game master", *place)
    line = holding.lines[-1]
    assert isinstance(line, AnswerGiven)
    assert (line.by, line.answer, line.throw) == ("game master", held.answer, held.throw)
    assert not line.overruled
    assert (holding.held, holding.asking) == ({}, ())


@pytest.mark.parametrize("pip", range(1, 7))
def test_a_held_throw_is_overruled_whatever_is_said_instead(holding: Journal, pip: int) -> None:
    ((place, held),) = holding.held.items()
    holding.answer("game master", place[0], [pip])
    line = holding.lines[-1]
    assert isinstance(line, AnswerGiven)
    assert line.overruled
    assert line.instead_of == (held.answer if held.answer != [[pip]] else None)


def test_what_was_held_goes_with_its_step(holding: Journal) -> None:
    ((place, _),) = holding.held.items()
    holding.cancel("game master", place[0])
    assert holding.held == {}
    holding.undo("game master", len(holding.lines) - 1)
    assert list(holding.held) == [place]
    holding.undo("game master", len(holding.lines) - 3)
    assert holding.held == {}
    with pytest.raises(BadInput, match="no throw of step 1 waits"):
        holding.accept_throw("game master", *place)


def resumed_holding(journal: Journal) -> Journal:
    return Journal(journal.system, journal.start, journal.source, written(journal), journal.handle)


def test_odds_from_the_middle_of_a_step_see_what_changed_meanwhile(real_dice: Journal) -> None:
    step = real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    real_dice.opt("game master", set={"bazaar.buy": {"price": 2}})
    real_dice.answer("Ana's", step, 1)
    call, state, trail = real_dice.trail(step)
    odds = Exact().of(call, state, trail)
    assert set(odds.of) == {1, 2, 3}
    assert all(Scene(after)[PRICE] == 2 for _, after, _ in odds.ends)


# --- bringing back ----------------------------------------------------------------------------------------------------


def test_an_open_step_is_brought_back_with_what_was_answered(real_dice: Journal) -> None:
    step = real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    real_dice.answer("Ana's", step, 1)
    again = resumed(real_dice)
    assert again.asking == real_dice.asking
    again.answer("Ana's", step, [1])
    assert ana(again).coins == 2


@pytest.mark.parametrize(
    "tamper",
    [
        lambda plain: plain[0]["then"].clear(),
        lambda plain: plain[0]["then"][0]["set"].update(coins=9),
        lambda plain: plain[1].update(asked="hagle"),
        lambda plain: plain[0]["arguments"].update(who="bo"),
    ],
)
def test_an_open_step_that_would_go_otherwise_now_says_so_instead_of_guessing(real_dice: Journal, tamper: Any) -> None:
    step = real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    real_dice.answer("Ana's", step, 1)
    plain = [json.loads(json.dumps(line.to_plain())) for line in real_dice.lines]
    tamper(plain)
    with pytest.raises(ReplayMismatch):
        Journal(real_dice.system, real_dice.start, None, [Line.from_plain(each) for each in plain])


def test_a_step_that_is_over_is_not_run_again(real_dice: Journal) -> None:
    step = real_dice.begin("Ana's", "bazaar.buy", {"who": "ana"})
    real_dice.answer("Ana's", step, 1)
    real_dice.answer("Ana's", step, [1])
    plain = [json.loads(json.dumps(line.to_plain())) for line in real_dice.lines]
    plain[0]["rule"] = "bazaar.of-another-version"
    again = Journal(real_dice.system, real_dice.start, None, [Line.from_plain(each) for each in plain])
    assert again.state == real_dice.state


def test_a_fork_counts_its_steps_and_throws_anew(table: Journal) -> None:
    for _ in range(2):
        step = table.begin("Ana's", "bazaar.buy", {"who": "ana"})
        table.answer("Ana's", step, 2)
        table.undo("game master", table.story[0][0])
    step = table.begin("Ana's", "bazaar.buy", {"who": "ana"})
    fork = table.fork(len(table.lines), SeededDice(b"other"))
    assert [each.step for each in fork.asking] == [1]
    assert len(fork.lines) == 1
    fork.answer("Ana's", 1, 2)
    assert fork.lines[-1].thrown == 1
    assert [each.step for each in table.asking] == [step]


def test_the_first_line_of_a_log_says_how_it_began(table: Journal) -> None:
    header = json.loads(json.dumps(table.header()))
    assert table.system.state(header["scene"]) == table.start
    assert (header["referee"], header["system"], header["version"]) == (2, "bazaar", 1)
    assert header["commitment"] == SeededDice(b"den").commitment


def test_real_dice_commit_to_nothing(real_dice: Journal) -> None:
    assert real_dice.header()["commitment"] is None
