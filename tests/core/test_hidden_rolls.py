"""Throws that somebody cannot see: one way for all results after which everything goes on the same."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest

from referee.core import (
    D6,
    YES_NO,
    Audience,
    Call,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    change,
    choose,
    frozen,
    roll,
    rule,
    settled,
)
from referee.core.hidden_rolls import told_apart
from referee.core.knowledge import fully_known, possible_ways
from referee.core.replay import Answered, Trail, follow
from referee.core.visibility import Seat

THROW: Final = Prompt("throw")
GO_ON: Final = Prompt("go-on")


@frozen
class Porter:
    tired: Open[int] = 0


PIA: Final = Who("pia", Porter)
STATE: Final = fully_known(State({"pia": Porter()}))
NOBODY: Final = Seat("")
PAIR: Final = {total: 6 - abs(7 - total) for total in range(2, 13)}


@rule("test.hidden.lift")
async def lift(scene: Scene, who: Who[Porter]) -> bool:
    """Five or more; nobody sees the dice."""
    return (await roll(THROW, who, Pool.of((D6, 2)), Total, audience=Audience.MASTER)).total >= 5


@rule("test.hidden.carry")
async def carry(scene: Scene, who: Who[Porter]) -> bool:
    """How low the dice are is how tired one gets."""
    total = (await roll(THROW, who, Pool.of((D6, 2)), Total, audience=Audience.MASTER)).total
    await change(who, Porter(max(0, 5 - total)))
    return total >= 5


@rule("test.hidden.drag")
async def drag(scene: Scene, who: Who[Porter]) -> bool:
    """The same, after the result stands."""
    total = (await roll(THROW, who, Pool.of((D6, 2)), Total, audience=Audience.MASTER)).total
    return await settled(total >= 5, then=tire(who, max(0, 5 - total)))


@rule("test.hidden.tire")
async def tire(scene: Scene, who: Who[Porter], by: int) -> None:
    """One may be asked about it."""
    await choose(who, GO_ON, YES_NO)
    await change(who, Porter(by))


@rule("test.hidden.twice")
async def twice(scene: Scene, who: Who[Porter]) -> bool:
    """The same throw a second time, if the first was too low."""
    first = (await roll(THROW, who, Pool.of((D6, 1)), Total, audience=Audience.MASTER)).total
    if first >= 5:
        return True
    return (await roll(THROW, who, Pool.of((D6, 1)), Total, audience=Audience.MASTER)).total + first >= 5


@rule("test.hidden.work")
async def work(scene: Scene, who: Who[Porter], how: str) -> tuple[bool, int, bool]:
    """Something is done, and then one is asked."""
    done = await {"lift": lift, "carry": carry, "drag": drag, "twice": twice}[how](who)
    tired = scene[who].tired
    return done, tired, await choose(who, GO_ON, YES_NO)


def ways(how: str, asked: str = GO_ON) -> list[tuple[Trail, int]]:
    return [(way.trail, way.weight) for way in possible_ways(work(PIA, how), STATE, (), NOBODY, (asked,))]


def ends(call: Call[Any], trails: list[tuple[Trail, int]]) -> Counter[tuple[Any, State]]:
    """Where ways lead if everything else is answered with yes."""
    found = Counter[tuple[Any, State]]()
    for trail, weight in trails:
        run = follow(call, Scene(STATE), trail, pause_at_calls=False)
        while not run.done:
            run.answer(True)
        found[run.result, run.scene.state] += weight
    return found


def one_by_one(how: str) -> list[tuple[Trail, int]]:
    """Every result by itself."""
    run = follow(work(PIA, how), Scene(STATE), (), pause_at_calls=False)
    (question,) = run.asking
    return [((Answered(question, 0, Total(total)),), weight) for total, weight in PAIR.items()]


@pytest.mark.parametrize(("how", "count"), [("lift", 2), ("carry", 4), ("drag", 4)])
def test_results_after_which_all_is_the_same_are_one_way(how: str, count: int) -> None:
    """Totals 2, 3 and 4 fail; where they tire differently, they are told apart, even if that is yet to come."""
    found = ways(how)
    assert len(found) == count
    assert sum(weight for _, weight in found) == 36
    assert ends(work(PIA, how), found) == ends(work(PIA, how), one_by_one(how))


def test_a_throw_within_a_rule_that_throws_again_is_told_apart_as_long_as_it_counts() -> None:
    """5 and 6 are enough; 1 to 4 ask for a second throw, which decides together with the first."""
    found = Counter[bool]()
    for trail, weight in ways("twice"):
        run = follow(work(PIA, "twice"), Scene(STATE), trail, pause_at_calls=False)
        run.answer(True)
        found[run.result[0]] += weight * (6 if len(trail) == 1 else 1)
    assert found.total() == 36
    assert found[True] == 12 + sum(1 for one in range(1, 5) for other in range(1, 7) if one + other >= 5)
    assert len(ways("twice")) == 1 + 4 * 2 - 1  # after a 4, any second throw will do


def test_it_can_be_given_up_at_any_time() -> None:
    run = follow(work(PIA, "lift"), Scene(STATE), (), pause_at_calls=False)
    (question,) = run.asking

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        told_apart(work(PIA, "lift"), STATE, (), 0, question, stop)  # type: ignore[arg-type]
