"""Drivers with different policies share what they know, and rules read what they hand over to: the same odds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from referee.core import (
    D6,
    YES,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    alter,
    frozen,
    hand_over,
    offer,
    roll,
    rule,
)
from referee.core.rules import Decide, Ends, kernel
from referee.drivers.exact import Exact
from referee.drivers.memory import SharedOdds
from referee.drivers.policies import always, by_default, is_by_name

THROW: Final = Prompt("throw")
AGAIN: Final = Prompt("again")
SCARF: Final = Prompt("scarf")


@frozen
class Juggler:
    tired: Open[int] = 0

    def tiring(self, by: int) -> Juggler:
        return replace(self, tired=self.tired + by)


MIA: Final = Who("mia", Juggler)
START: Final = State({"mia": Juggler()})


@frozen
class Act:
    caught: int
    scarf: bool = False
    cost: int = 0


@rule("tests.shared.throw")
async def throw(scene: Scene, who: Who[Juggler]) -> int:
    """A die; whoever wants throws it again, and is tired."""
    seen = (await roll(THROW, who, Pool.of((D6, 1)), Total)).total
    if await offer(who, AGAIN, YES, about=seen):
        await alter(who, Juggler.tiring, 1)
        seen = (await roll(THROW, who, Pool.of((D6, 1)), Total)).total
    return seen


@rule("tests.shared.catch")
async def catch(scene: Scene, who: Who[Juggler], from_: int) -> Act:
    """High throws are caught; a scarf may be added."""
    caught = int(from_ > 3)
    return Act(caught, bool(await offer(who, SCARF, YES)))


@rule("tests.shared.act")
async def act(scene: Scene, who: Who[Juggler]) -> Act:
    """A throw, a catch, and what it has cost, which the catch need not know."""
    seen = await throw(who)
    tired = scene[who].tired
    return await hand_over(catch(who, seen), lambda found: replace(found, cost=tired))


@rule("tests.shared.twice")
async def twice(scene: Scene, who: Who[Juggler]) -> int:
    """Reads what a rule that has handed over came to."""
    return await hand_over(act(who), lambda first: 10 * first.caught + first.cost)


@rule("tests.shared.blind")
async def blind(scene: Scene, who: Who[Juggler]) -> int:
    """As `throw`, but with a kernel."""
    return await hand_over(throw(who))


@kernel(blind)
def every_blind(scene: Scene, decide: Decide, who: Who[Juggler]) -> Ends[int]:
    ends: list[tuple[int, Any, int]] = []
    for seen in range(1, 7):
        if decide(offer(who, AGAIN, YES, about=seen), scene):
            ends += [(n, ((who, scene[who].tiring(1)),), 1) for n in range(1, 7)]
        else:
            ends.append((seen, (), 6))
    return ends


POLICIES: Final = (by_default, always(again=True), always(scarf=True), always(again=True, scarf=True))


@pytest.mark.parametrize("call", [act(MIA), twice(MIA), blind(MIA)], ids=str)
def test_shared_odds_are_those_of_plain_play(call: Any) -> None:
    shared = SharedOdds()
    for policy in POLICIES:
        played = Exact(policy, remember=False, kernels=False)
        assert Exact(policy, shared=shared).of(call, START).of == played.of(call, START).of
        assert Exact(policy, shared=shared).results(call, START).of == played.of(call, START).of


def test_what_another_policy_decides_alike_is_not_worked_out_again() -> None:
    shared = SharedOdds()
    first, other, third = (Exact(policy, shared=shared) for policy in (by_default, always(scarf=True), by_default))
    for exact in (first, other, third):
        exact.results(act(MIA), START)
    assert other.runs < first.runs
    assert third.runs == 0


def test_a_policy_that_looks_at_the_dice_is_not_by_name() -> None:
    assert is_by_name(by_default)
    assert is_by_name(always(again=True))
    assert not is_by_name(lambda question, scene: question.default)


def test_what_is_read_of_the_other_rule_is_the_result_in_play_too() -> None:
    from referee.core.run import Run

    run = Run(Scene(START), twice(MIA))
    for answer in (_thrown(run, 5), None, None):
        run.answer(answer)
    assert run.done
    assert run.result == 10


def _thrown(run: Any, pips: int) -> Any:
    return run.asking[0].read([pips])
