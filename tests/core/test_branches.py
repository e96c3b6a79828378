"""Branches that a kernel gives: walked by a policy, searched for the best, each place once."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import pytest

from referee.core import D3, YES, Pool, Prompt, Scene, State, Total, Who, alter, frozen, offer, refuse, roll, rule
from referee.core.branches import LEFT_OUT, Branch, BranchEnd, ByChance, ByChoice, LaterRows, chosen, ends_by, mapped
from referee.core.questions import Choose
from referee.core.requests import choose
from referee.core.rules import Decide, after, kernel
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.forecast.tree import StepTree
from referee.testing.conformance import agree

HERE: Final = Scene({})
DIG: Final = Prompt("dig")
BET: Final = Prompt("bet")
SHARE: Final = Prompt("share")


def ask(*options: Any) -> Choose[Any]:
    question = choose(None, BET, options)
    assert isinstance(question, Choose)
    return question


def first(question: Any, scene: Scene) -> Any:
    return question.options[0]


# --- ends by a policy -------------------------------------------------------------------------------------------------


def test_a_branch_may_be_an_end() -> None:
    assert list(ends_by(BranchEnd("done"), first)) == [("done", (), 1), (LEFT_OUT, (), 0)]


def test_ways_are_counted_out_of_one_whole_however_deep_the_ends_lie() -> None:
    deep: Branch[str] = ByChance([(BranchEnd("deep"), 2), (BranchEnd("deeper"), 1)])
    ends = list(ends_by(ByChance([(BranchEnd("near"), 1), (deep, 1)]), first))
    assert {result: ways for result, _, ways in ends} == {"near": 3, "deep": 2, "deeper": 1, LEFT_OUT: 0}


def test_what_is_left_out_counts_in_the_whole_at_every_depth() -> None:
    deep: Branch[str] = ByChance([(BranchEnd("deep"), 1)], left_out=1)
    ends = list(ends_by(ByChance([(BranchEnd("near"), 1), (deep, 2)], left_out=1), first))
    whole = sum(ways for _, _, ways in ends)
    assert {result: Fraction(ways, whole) for result, _, ways in ends} == {
        "near": Fraction(1, 4),
        "deep": Fraction(1, 4),
        LEFT_OUT: Fraction(1, 4) + Fraction(1, 4),
    }


def test_a_place_to_which_several_ways_lead_is_decided_once() -> None:
    asked: list[Any] = []

    def decide(question: Any, scene: Scene) -> Any:
        asked.append(question)
        return "b"

    thrown: Branch[int] = ByChance([(BranchEnd(2), 1), (BranchEnd(3), 1)])
    place: Branch[int] = ByChoice(ask("a", "b"), HERE, [("a", BranchEnd(1)), ("b", thrown)])
    deeper: Branch[int] = ByChance([(place, 1), (BranchEnd(0), 1)])
    root: Branch[int] = ByChance([(place, 1), (deeper, 1)])
    ends = {result: ways for result, _, ways in ends_by(root, decide)}
    assert len(asked) == 1
    assert ends == {0: 2, 2: 3, 3: 3, LEFT_OUT: 0}


def test_a_choice_with_one_option_is_not_asked() -> None:
    end = BranchEnd(1)
    assert chosen(ask("only"), HERE, {"only": end}.__getitem__) is end
    branch = chosen(ask("a", "b"), HERE, BranchEnd)
    assert isinstance(branch, ByChoice)
    assert [option for option, _ in branch.options] == ["a", "b"]


# --- the smallest rule with branches ----------------------------------------------------------------------------------


@frozen
class Digger:
    """Who digs, and may pay to dig deeper."""

    coins: int = 2
    fed_up: bool = False

    def paying(self) -> Digger:
        return replace(self, coins=self.coins - 1)


ANA: Final = Who("ana", Digger)
BO: Final = Who("bo", Digger)


def check_bet(scene: Scene, who: Who[Digger]) -> None:
    if not scene[who].coins:
        refuse("no coin is left", rule="tests.branches.dig")


@rule("tests.branches.dig")
async def dig(scene: Scene, who: Who[Digger], friend: Who[Digger]) -> int:
    """A die; a coin buys another; then a friend may share and takes one of what was found."""
    found = (await roll(DIG, who, Pool.of((D3, 1)), Total)).total
    if await offer(who, BET, YES, check=lambda _: check_bet(scene, who), about=found):
        await alter(who, Digger.paying)
        found += (await roll(DIG, who, Pool.of((D3, 1)), Total)).total
    return found - 1 if await offer(friend, SHARE, YES, about=found) else found


@kernel(dig)
def dug(scene: Scene, decide: Decide, who: Who[Digger], friend: Who[Digger]) -> Branch[int] | None:
    if scene[who].fed_up:
        return None

    def shared(found: int, now: Scene, changes: Any) -> Branch[int]:
        return chosen(
            offer(friend, SHARE, YES, about=found),
            now,
            {True: BranchEnd(found - 1, changes), None: BranchEnd(found, changes)}.__getitem__,
        )

    def bet(found: int) -> Branch[int]:
        question = offer(who, BET, YES, check=lambda _: check_bet(scene, who), about=found)
        if question.is_no_choice:
            return shared(found, scene, ())
        paid = scene[who].paying()
        later = after(scene, who, paid)
        more = ByChance([(shared(found + n, later, ((who, paid),)), 1) for n in (1, 2, 3)])
        return chosen(question, scene, {True: more, None: shared(found, scene, ())}.__getitem__)

    return ByChance([(bet(found), 1) for found in (1, 2, 3)])


def table(coins: int = 1, *, fed_up: bool = False) -> State:
    return State({"ana": Digger(coins, fed_up), "bo": Digger()})


def shares_much(question: Any, scene: Scene) -> Any:
    return True if question.name == "share" and question.about > 2 and scene[ANA].coins == 0 else None


POLICIES: Final[dict[str, Policy]] = {
    "no": by_default,
    "bet": always(bet=True),
    "all": always(bet=True, share=True),
    "much": lambda question, scene: True if question.name == "bet" else shares_much(question, scene),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("coins", [0, 1])
@pytest.mark.parametrize("fed_up", [False, True])
def test_branches_come_to_the_same_as_play(coins: int, policy: str, *, fed_up: bool) -> None:
    call, state = dig(ANA, BO), table(coins, fed_up=fed_up)
    fast, slow = Exact(POLICIES[policy]), Exact(POLICIES[policy], kernels=False, remember=False)

    def ends(exact: Exact) -> Any:
        return exact.of(call, state).by_end(lambda result, scene: (result, scene.state))

    assert ends(fast) == ends(slow)
    agree(call, state, POLICIES[policy])


@rule("tests.branches.week")
async def week(scene: Scene) -> bool:
    """Dig once; four is enough."""
    return await dig(ANA, BO) >= 4


@pytest.mark.parametrize("deciding", [{"ana"}, {"bo"}, {"ana", "bo"}, set()])
@pytest.mark.parametrize("policy", ["no", "all", "much"])
def test_the_best_is_the_same_with_branches_and_grown_by_play(
    deciding: set[str], policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> Any:
        tree = StepTree(week(), table(), deciding, POLICIES[policy])
        weighed = tree.weighed(1, lambda won, scene: (Fraction(won) + Fraction(scene[ANA].coins, 50),))
        by_result = tree.weighed_by_result(1, lambda won: (Fraction(won),))
        points = sorted((str(p.question), p.chance, str(p.taken), str(p.options)) for p in weighed.points())
        return weighed.vector, by_result.vector, points

    fast = found()
    monkeypatch.setattr(dig, "kernel", None)
    assert fast == found()


def test_the_best_by_hand() -> None:
    """With a coin, four is reached from one by a three, from two by two or three, from three by anything."""
    tree = StepTree(week(), table(), {"ana"})
    assert tree.weighed_by_result(1, lambda won: (Fraction(won),)).vector == (Fraction(1 + 2 + 3, 9),)


def test_a_kernel_that_refuses_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Exact(always(bet=True)).of(dig(ANA, BO), table()).of
    monkeypatch.setattr(dig, "kernel", lambda *_: refuse("it will not", rule="tests.branches.dig"))
    assert Exact(always(bet=True)).of(dig(ANA, BO), table()).of == before
    assert StepTree(week(), table(), {"ana"}).weighed_by_result(1, lambda won: (Fraction(won),)).vector == (
        Fraction(2, 3),
    )


# --- rows that are made when somebody looks ---------------------------------------------------------------------------


def test_later_rows_are_made_once_and_only_if_somebody_looks() -> None:
    made = list[str]()

    def rows(name: str) -> LaterRows[str]:
        def make() -> list[tuple[Branch[str], int]]:
            made.append(name)
            return [(BranchEnd(name), 2), (BranchEnd("rest"), 1)]

        return LaterRows(make)

    left, right = ByChance(rows("left")), ByChance(rows("right"), left_out=1)
    root = ByChoice(ask("left", "right"), HERE, (("left", left), ("right", right)))
    assert {result: ways for result, _, ways in ends_by(root, first)} == {"left": 2, "rest": 1, LEFT_OUT: 0}
    assert made == ["left"]
    assert (right.whole, len(right.rows), right.rows[0][1], right.rows[1:][0][1]) == (4, 2, 2, 1)
    assert made == ["left", "right"]


def test_ends_that_are_made_late_are_not_mistaken_for_branches_that_are_gone() -> None:
    """What was mapped first is kept, or an end that is made later could be found where it had been."""
    late: Branch[int] = ByChance(
        LaterRows(list), 0, lambda _: ByChance([(BranchEnd(number), 1) for number in range(40)])
    )

    def question() -> Branch[str]:
        other: Branch[int] = ByChance([(BranchEnd(-number), 1) for number in range(40)])
        return mapped(ByChoice(ask("late", "other"), HERE, [("late", late), ("other", other)]), str)

    ends = ends_by(question(), lambda *_: "late")
    assert {result for result, _, ways in ends if ways} == {str(number) for number in range(40)}
