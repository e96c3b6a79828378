"""Time: rounds, minutes, days and months."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Pick, Scene, Unit, action, advance_clock, figure, suggest, unit_named

ROUND_SECONDS: Final = figure("dime.combat.turn-order", "round_seconds", int)
MONTH_DAYS: Final = figure("dime.lifestyle.upkeep", "month_days", int)


def minutes(scene: Scene, number: int) -> int:
    """Minutes in rounds, which the clock counts."""
    return number * 60 // scene[ROUND_SECONDS]


def month(scene: Scene) -> int:
    """A month in rounds."""
    return minutes(scene, scene[MONTH_DAYS] * 24 * 60)


def units(scene: Scene) -> tuple[Unit, ...]:
    hour = minutes(scene, 60)
    return (
        Unit("Round", 1),
        Unit("Minute", minutes(scene, 1)),
        Unit("Hour", hour),
        Unit("Day", 24 * hour),
        Unit("Month", month(scene)),
    )


def unit_names(scene: Scene, who: None) -> tuple[str, ...]:
    return tuple(each.name for each in units(scene))


def check_unit(scene: Scene, who: None, unit: str) -> None:
    unit_named(units(scene), unit)


UnitName: TypeAlias = Annotated[str, Pick(unit_names, check_unit)]


@action("pass-time", "dime.combat.turn-order/time", master=True)
async def pass_time(scene: Scene, amount: Annotated[int, suggest(*range(1, 11))], unit: UnitName) -> None:
    """Time passes; what comes due on the way happens."""
    await advance_clock(amount * unit_named(units(scene), unit).size)
