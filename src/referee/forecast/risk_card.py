"""The risk card: what can come of an action, what each decision would change, what is best. `risk` fills it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from referee.core.plain import Plain
from referee.forecast.bands import Forecast


@final
@dataclass(frozen=True)
class Deciding:
    """A decision on the way: what would come of each option, taken whenever it is legal."""

    prompt: str
    options: dict[str, Forecast]


@final
@dataclass(frozen=True)
class Situation:
    """What to do when a decision comes up like this: what each option is worth, and every one that is best."""

    prompt: str
    about: Plain
    chance: Fraction
    worth: dict[str, Fraction]

    @property
    def best(self) -> tuple[str, ...]:
        top = max(self.worth.values())
        return tuple(option for option, worth in self.worth.items() if worth == top)


@final
@dataclass(frozen=True)
class Plan:
    """Everything decided as well as can be."""

    good: tuple[str, ...]
    """The bands whose chance is made as great as can be."""
    forecast: Forecast
    situations: tuple[Situation, ...]
    """The likeliest first."""


@final
@dataclass(frozen=True)
class RiskCard:
    """What can come of an action, or of the rest of it."""

    now: Forecast | None = None
    """If nothing more is decided than has been; None where that is unknown."""
    asked: dict[str, Forecast] = field(default_factory=dict)
    """For the question that is open: what would come of each answer."""
    pairs: dict[str, Forecast] = field(default_factory=dict)
    """Where several choose at once and in secret: what would come of every combination. There is no best of these."""
    decisions: tuple[Deciding, ...] = ()
    best: Plan | None = None
    """None where nobody decides anything, where it is too large to say, or where something is hidden."""
    curve: dict[str, Forecast] = field(default_factory=dict)
    """Where the game master keeps a figure secret: what would come of it for each that it may be."""
    unknown: str = ""
    """What the viewer is not told and the odds depend on."""

    def to_plain(self) -> dict[str, Plain]:
        return {
            "now": self.now and self.now.to_plain(),
            "asked": _plain(self.asked),
            "pairs": _plain(self.pairs),
            "decisions": [{"prompt": each.prompt, "options": _plain(each.options)} for each in self.decisions],
            "best": self.best and _plain_plan(self.best),
            "curve": _plain(self.curve),
            "unknown": self.unknown,
        }


def _plain(forecasts: Mapping[str, Forecast]) -> Plain:
    return {key: each.to_plain() for key, each in forecasts.items()}


def _plain_plan(plan: Plan) -> Plain:
    situations = [
        {
            "prompt": each.prompt,
            "about": each.about,
            "chance": str(each.chance),
            "worth": {key: str(worth) for key, worth in each.worth.items()},
            "best": list(each.best),
        }
        for each in plan.situations
    ]
    return {"good": list(plan.good), "forecast": plan.forecast.to_plain(), "situations": situations}
