"""The conformance suite finds what it is for: readings, answers and rules that do not tell one story."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, final

import pytest

from referee.core import (
    D6,
    Action,
    Open,
    Pick,
    Pool,
    Prompt,
    Reading,
    Scene,
    State,
    System,
    Total,
    Who,
    action,
    action_of,
    alter,
    change,
    choose,
    roll,
    rule,
)
from referee.core.dice import Pips
from referee.drivers.policies import always
from referee.testing.conformance import ConformanceWalk, agree

DIE = Prompt("die")


@final
@dataclass(frozen=True, slots=True)
class Pot:
    coins: Open[int] = 0

    def plus(self, coins: int) -> Pot:
        return Pot(self.coins + coins)


POT = Who("pot", Pot)
STATE = State({"pot": Pot()})


@rule("tests.conformance.honest")
async def honest(scene: Scene) -> int:
    """A throw, a choice, a change."""
    thrown = await roll(DIE, None, Pool.of((D6, 1)), Total)
    if await choose(POT, Prompt("keep"), (True, False)):
        await alter(POT, Pot.plus, thrown.total)
    return thrown.total


def test_an_honest_rule_passes_and_its_odds_are_given() -> None:
    odds = agree(honest(), STATE, always(keep=True))
    assert len(odds.ends) == 6
    assert sum(weight for *_, weight in odds.ends) == odds.whole


@final
@dataclass(frozen=True, slots=True)
class Lying(Reading):
    """Forgets sixes when all outcomes are asked for, or what it read when it is written."""

    total: int

    @classmethod
    def of(cls, pool: Pool, pips: Pips) -> Lying:
        return cls(sum(map(sum, pips)))

    def joined(self, kept: Any) -> Lying:
        return self

    @classmethod
    def alone(cls, pool: Pool, plain: Any) -> Lying:
        return cls(plain)

    @classmethod
    def outcomes(cls, pool: Pool) -> tuple[tuple[Lying, int], ...]:
        return tuple((cls(total), 1) for total in range(1, 6))

    def to_plain(self) -> Any:
        return self.total


@rule("tests.conformance.lies")
async def lies(scene: Scene) -> int:
    """Throws a die whose reading lies about its outcomes."""
    return (await roll(DIE, None, Pool.of((D6, 1)), Lying)).total


def test_a_reading_that_forgets_an_outcome_is_found_out() -> None:
    with pytest.raises(AssertionError, match="which exact odds do not know"):
        agree(lies(), STATE)


@rule("tests.conformance.peeks")
async def peeks(scene: Scene) -> Any:
    """Looks at the scene behind the handle's back."""
    return scene.state["pot"]


@rule("tests.conformance.peeks-twice")
async def peeks_twice(scene: Scene) -> tuple[Any, Any]:
    """Looks, changes, looks again."""
    before = await peeks()
    await change(POT, Pot(9))
    return before, await peeks()


def test_a_rule_that_looks_past_the_handle_is_found_out() -> None:
    with pytest.raises(AssertionError, match=r"remembered and unremembered odds of .* differ"):
        agree(peeks_twice(), STATE)


COUNT = [0]


@rule("tests.conformance.counts")
async def counts(scene: Scene, who: Who[Pot]) -> int:
    """Changes something by a number that is in no log."""
    COUNT[0] += 1
    await change(who, Pot(COUNT[0]))
    return 1 if await choose(who, Prompt("keep"), (True, False)) else 0


def test_a_step_that_goes_otherwise_when_it_is_brought_back_is_found_out(tmp_path: Path) -> None:
    system = System("pots", "Pots", tmp_path, 1, Pot, actions=(Action("count", counts),))
    with pytest.raises(Exception, match="run again, the rule asked"):
        ConformanceWalk(system, system.state({"pot": {}})).go(5)


def test_a_walk_ends_where_nobody_can_act(tmp_path: Path) -> None:
    system = System("pots", "Pots", tmp_path, 1, Pot)
    walk = ConformanceWalk(system, system.state({"pot": {}}))
    walk.go(5)
    assert walk.journal.lines == []


def test_the_same_walk_is_walked_again_from_its_seed(tmp_path: Path) -> None:
    system = System("pots", "Pots", tmp_path, 1, Pot, actions=(Action("honest", keeps),))
    lines = []
    for _ in range(2):
        walk = ConformanceWalk(system, system.state({"pot": {}}), 7)
        walk.go(12)
        lines.append(walk.journal.lines)
    assert lines[0] == lines[1]
    assert len(lines[0]) >= 12


@rule("tests.conformance.keeps")
async def keeps(scene: Scene, who: Who[Pot]) -> bool:
    """A throw that may be kept."""
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total)
    kept = await choose(who, Prompt("keep"), (True, False))
    if kept:
        await alter(who, Pot.plus, thrown.total)
    return kept


Odd = Annotated[int, Pick(lambda scene, who: ("one", "two"))]


@action("stir", "tests.conformance.stir")
async def stir(scene: Scene, who: Who[Pot], times: Odd) -> int:
    """Its options are words where numbers are wanted."""
    return times


def test_options_that_are_not_of_the_arguments_type_are_found_out(tmp_path: Path) -> None:
    system = System("pots", "Pots", tmp_path, 1, Pot, actions=(action_of(stir),))
    with pytest.raises(AssertionError, match=r"stir: '(one|two)' may be picked for 'times', which is whole number"):
        ConformanceWalk(system, system.state({"pot": {}})).go(5)
