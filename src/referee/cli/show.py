"""How things look in a terminal: chances and sheets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.cli.terminal import DIM, GREEN, paint
from referee.core.words import Words

if TYPE_CHECKING:  # only types are needed here; a roll imports none of it
    from fractions import Fraction
    from typing import Any

    from referee.core.bands import Bands
    from referee.core.system import System
    from referee.forecast.bands import Forecast

MASTER: Final = "game master"
WORDS: Final = Words(Path(__file__).parent / "words")


def percent(chance: Fraction, *, is_estimate: bool = False) -> str:
    """A chance to one decimal: never 0.0% for what can happen, nor 100.0% for what can fail; an estimate is neither."""
    if 0 < chance < 0.0005:
        return "<0.1%"
    if is_estimate and chance in (0, 1):
        return ">99%" if chance else "<1%"
    return ">99.9%" if 0.9995 <= chance < 1 else f"{float(chance):.1%}"


def bar(chance: Fraction, colour: str = GREEN, width: int = 20, *, is_estimate: bool = False) -> str:
    """A chance as a bar and as a percentage."""
    full = round(chance * width)
    said = percent(chance, is_estimate=is_estimate)
    return f"{paint('█' * full, colour)}{paint('·' * (width - full), DIM)} {said:>6}"


def hoped(odds: Forecast, bands: Bands[Any]) -> str:
    """The chance of success; sampled figures are marked."""
    return bar(odds.chance_of(bands.good), is_estimate=bool(odds.samples)) + (
        f" ≈ ±{odds.error:.1%}" if odds.samples else ""
    )


def chances(odds: Forecast, system: System) -> str:
    """Every chance of a forecast on one line."""
    parts = [*odds.bands.items(), *odds.extra.items(), *odds.bad.items()]
    return "  ".join(
        f"{system.words.say(f'bands.{key}')} {percent(chance, is_estimate=bool(odds.samples))}" for key, chance in parts
    ) + (f"  ≈ ±{odds.error:.1%}" if odds.samples else "")
