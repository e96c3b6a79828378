"""Time: rounds of a few seconds, minutes, hours, days and longer."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Pick, Scene, Unit, action, advance_clock, formula, frozen, rows, suggest, unit_named
from referee.core.errors import RulebookError


@frozen
class Term:
    """A term of the book. Some carry a figure: a round is so many seconds."""

    name: str
    meaning: str
    abbreviation: str = ""
    alias: str = ""
    mark: str = ""
    list: tuple[str, ...] = ()
    seconds: int | None = None
    optional: bool = False


TERMS: Final = rows("d6.glossary.terms", "terms", Term)
ROUND: Final = "Round"
_SECONDS: Final = {"minute": 60, "hour": 3600, "day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400}


@formula("d6.glossary.terms")
def round_seconds(scene: Scene) -> int:
    """How many seconds a round is."""
    if (seconds := scene[TERMS][ROUND].seconds) is None:
        raise RulebookError(TERMS.rule, "it is not said how long a round is")
    return seconds


def units(scene: Scene) -> tuple[Unit, ...]:
    """The units of time, counted in rounds."""
    return (Unit("round", 1), *(Unit(name, seconds // round_seconds(scene)) for name, seconds in _SECONDS.items()))


def unit_names(scene: Scene, who: None) -> tuple[str, ...]:
    return tuple(unit.name for unit in units(scene))


def rounds_of(scene: Scene, amount: int, unit: str) -> int:
    """How many rounds an amount of time is."""
    return amount * unit_named(units(scene), unit).size


def check_unit(scene: Scene, who: None, unit: str) -> None:
    """A unit of time, in the singular or the plural."""
    rounds_of(scene, 1, unit)


UnitName: TypeAlias = Annotated[str, Pick(unit_names, check_unit)]


@action("pass-time", "d6.glossary.terms/pass-time", master=True)
async def pass_time(scene: Scene, amount: Annotated[int, suggest(*range(1, 11))], unit: UnitName) -> None:
    """Time passes; what is due on the way comes due."""
    await advance_clock(rounds_of(scene, amount, unit))
