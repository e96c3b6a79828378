"""A system from elsewhere whose rules raise, go on for ever, print and return nonsense; one of them is in order."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast, final

from referee.core import (
    D6,
    Action,
    Call,
    Encounter,
    Open,
    Pool,
    Prompt,
    Scene,
    System,
    Total,
    Unit,
    Who,
    advance_clock,
    alter,
    change,
    choose,
    roll,
    rule,
    set_deadline,
)

THROW: Final = Prompt("throw")
AGREE: Final = Prompt("agree")


@final
@dataclass(frozen=True, slots=True)
class Guest:
    steps: Open[int] = 0

    def walked(self) -> Guest:
        return replace(self, steps=self.steps + 1)


@final
@dataclass(frozen=True, slots=True)
class Dance(Encounter):
    """It never ends. Each turn the same person is asked, if anybody is."""

    asks: Open[str] = ""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return turn(me)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return None


async def throw(who: Who[Guest]) -> int:
    return (await roll(THROW, who, Pool.of((D6, 1)), Total)).total


@rule("faulty.step")
async def step(scene: Scene, who: Who[Guest]) -> None:
    """This one is in order."""
    await alter(who, Guest.walked)


@rule("faulty.turn")
async def turn(scene: Scene, me: Who[Dance]) -> None:
    """A turn of the dance."""
    asks = scene[me].asks
    if asks:
        await choose(Who(asks, Guest), AGREE, (True, False))
    await alter(Who("ana", Guest), Guest.walked)


@rule("faulty.raise")
async def raise_at_once(scene: Scene, who: Who[Guest]) -> None:
    """It fails after it has changed something."""
    await alter(who, Guest.walked)
    raise KeyError("nothing")


@rule("faulty.raise-after-throw")
async def raise_after_throw(scene: Scene, who: Who[Guest]) -> None:
    """It fails after a throw."""
    await alter(who, Guest.walked)
    await throw(who)
    raise KeyError("nothing")


@rule("faulty.raise-after-answer")
async def raise_after_answer(scene: Scene, who: Who[Guest]) -> None:
    """It fails after an answer."""
    await alter(who, Guest.walked)
    if await choose(who, AGREE, (True, False)):
        raise KeyError("nothing")


def fails(scene: Scene, who: Who[Any]) -> None:
    raise KeyError("nothing")


@rule("faulty.check")
async def with_bad_check(scene: Scene, who: Who[Guest]) -> None:
    """Its check fails."""


@rule("faulty.loop")
async def loop(scene: Scene, who: Who[Guest]) -> None:
    """It changes something for ever."""
    while True:
        await alter(who, Guest.walked)


@rule("faulty.loop-throwing")
async def loop_throwing(scene: Scene, who: Who[Guest]) -> None:
    """It throws for ever."""
    while True:
        await throw(who)


@rule("faulty.loop-calling")
async def loop_calling(scene: Scene, who: Who[Guest]) -> None:
    """It calls itself for ever."""
    await loop_calling(who)


@rule("faulty.loop-catching")
async def loop_catching(scene: Scene, who: Who[Guest]) -> None:
    """It changes something for ever, whatever happens."""
    while True:
        try:
            await alter(who, Guest.walked)
        except Exception:  # noqa: BLE001  # that is what is wrong with it
            continue


@rule("faulty.loop-alone")
async def loop_alone(scene: Scene, who: Who[Guest]) -> None:
    """It counts for ever, and asks the table nothing."""
    await alter(who, Guest.walked)
    counted = 0
    while True:
        counted += 1


@rule("faulty.count-on")
async def count_on(scene: Scene, who: Who[Guest]) -> None:
    """It counts until something stops it, and then ends as if nothing had been."""
    await alter(who, Guest.walked)
    counted = 0
    with suppress(BaseException):
        while True:
            counted += 1


class Counting:
    most = 0


@rule("faulty.count-and-ask")
async def count_and_ask(scene: Scene, who: Who[Guest]) -> None:
    """It counts as far as a test says, and asks."""
    for _ in range(Counting.most):
        pass
    await choose(who, AGREE, (True, False))
    await alter(who, Guest.walked)


@rule("faulty.print")
async def prints(scene: Scene, who: Who[Guest]) -> None:
    """It prints."""
    print("a rule was here")  # noqa: T201
    await alter(who, Guest.walked)


@rule("faulty.result")
async def odd_result(scene: Scene, who: Who[Guest]) -> Any:
    """Its result is nothing that can be written down."""
    await alter(who, Guest.walked)
    return [object(), {1: {2}}]


@dataclass(frozen=True)
class Odd:
    what: Any


@rule("faulty.result-record")
async def odd_record(scene: Scene, who: Who[Guest]) -> Any:
    """Its result is a record of something that cannot be written down."""
    await alter(who, Guest.walked)
    return Odd(object())


@rule("faulty.value")
async def odd_value(scene: Scene, who: Who[Guest]) -> None:
    """It makes a text of a number."""
    await change(who, replace(scene[who], steps=cast("int", "many")))


@rule("faulty.kind")
async def odd_kind(scene: Scene, who: Who[Guest]) -> None:
    """It puts something into the scene that is no sheet."""
    await change(who, cast("Guest", "a text"))


@rule("faulty.unhashable")
async def odd_list(scene: Scene, who: Who[Guest]) -> None:
    """It puts a list into the scene."""
    await change(who, cast("Guest", [1, 2]))


@rule("faulty.object")
async def odd_object(scene: Scene, who: Who[Guest]) -> None:
    """It puts an object into a sheet."""
    await change(who, replace(scene[who], steps=cast("int", object())))


@rule("faulty.await")
async def odd_await(scene: Scene, who: Who[Guest]) -> None:
    """It awaits something that is no request."""
    await cast("Any", _Odd())


class _Odd:
    def __await__(self) -> Iterator[int]:
        yield 7


@rule("faulty.again")
async def again(scene: Scene, who: Who[Guest]) -> None:
    """It comes due again at the same moment."""
    await alter(who, Guest.walked)
    await set_deadline(0, who, again)


@rule("faulty.wind")
async def wind(scene: Scene, who: Who[Guest]) -> None:
    """It comes due in an hour."""
    await set_deadline(1, who, again)


@rule("faulty.rest")
async def rest(scene: Scene, hours: int = 1) -> None:
    """Time passes."""
    await advance_clock(hours)


RULES: Final = (
    step, raise_at_once, raise_after_throw, raise_after_answer, loop, loop_throwing, loop_calling, loop_catching,
    loop_alone, count_on, count_and_ask, prints, odd_result, odd_record, odd_value, odd_kind, odd_list,
    odd_object, odd_await, wind,
)  # fmt: skip

FAULTY: Final = System(
    "faulty",
    "Faulty",
    Path(__file__).parent / "faulty_package",
    1,
    Guest,
    (Dance,),
    (
        *(Action(each.id.removeprefix("faulty."), each) for each in RULES),
        Action("check", with_bad_check, check=fails),
        Action("rest", rest, master=True),
    ),
    units=lambda _: (Unit("Hour", 1),),
)
