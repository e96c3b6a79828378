"""Scenes whose odds are hard, each with the time they should take. `make bench-play` asks them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from _hard_cards import CARD_SCENES
from _hard_dice import DICE_SCENES
from referee.core.plain import frozen
from referee.drivers.call_odds import Odds
from referee.forecast.bands import Forecast
from referee.forecast.risk_card import RiskCard

Asked: TypeAlias = Callable[[], RiskCard | Forecast | Odds[Any]]
"""Computes the odds, from nothing: it is called once, and timed."""


@frozen
class HardScene:
    """A scene, how long its odds may take, and how to set it up; setting it up is not timed."""

    name: str
    aim_seconds: float
    build: Callable[[], Asked]


HARD_SCENES: Final = [HardScene(*each) for each in (*DICE_SCENES, *CARD_SCENES)]
