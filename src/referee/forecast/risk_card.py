"""The risk card: the odds of an action, what each decision would change, what is best. `risk` fills it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, final

from referee.core.plain import Plain
from referee.forecast.bands import Forecast

NO_FIGURES: Final = ("no-stake", "same")
"""Why a question has no figures though none is missing: they would say nothing."""
BESIDE: Final = " / "
"""Between the answers of several who choose at once."""


@final
@dataclass(frozen=True)
class Unfigured:
    """Why there is no figure, in a word.

    `hidden` (then `what` is what the viewer is not told), `refused` (then it is why), `time`, `memory`, `busy`, `ended`
    or `fault`; at an open question also `no-stake` (no rule in progress decides anything people hope for) and `same`
    (whatever is answered, it comes to the same).
    """

    because: str
    what: str = ""

    def to_plain(self) -> dict[str, Plain]:
        return {"because": self.because, "what": self.what}


@final
@dataclass(frozen=True, order=True)
class Assumption:
    """A decision about something that the viewer may not see, such as a hidden hand, and how the odds answer it."""

    who: str
    prompt: str
    answer: str

    def to_plain(self) -> dict[str, Plain]:
        return {"who": self.who, "prompt": self.prompt, "answer": self.answer}


@final
@dataclass(frozen=True)
class Deciding:
    """A decision during an action: the odds of each option, if it is taken whenever it is legal."""

    prompt: str
    options: dict[str, Forecast]


@final
@dataclass(frozen=True)
class Situation:
    """A way in which a decision comes up: what each option is worth then, the cheapest first, and all that are best."""

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
    """The best decisions throughout an action."""

    good: tuple[str, ...]
    """The bands whose chance is maximised."""
    forecast: Forecast
    situations: tuple[Situation, ...]
    """The most likely first."""


@final
@dataclass(frozen=True)
class RiskCard:
    """The odds of an action, or of the rest of it."""

    now: Forecast | None = None
    """The default odds, if nothing further is decided; None if they are unknown."""
    asked: dict[str, Forecast] = field(default_factory=dict)
    """For an open question: the odds of each answer."""
    pairs: dict[str, Forecast] = field(default_factory=dict)
    """If several choose at once and in secret: the odds of every combination, the answer of whoever is asked first.

    There is no best one among these.
    """
    decisions: tuple[Deciding, ...] = ()
    best: Plan | None = None
    """None if no one decides anything, if it is too large to compute, or if something is hidden."""
    curve: dict[str, Forecast] = field(default_factory=dict)
    """If the game master keeps a figure secret: the odds for each value it may have."""
    unknown: str = ""
    """What the odds depend on and the viewer is not told."""
    complete: bool = False
    """Whether every decision on the way is in it: one that is not listed does not come up."""
    missing: dict[str, Unfigured] = field(default_factory=dict)
    """What has no figure, and why: answers, `prompt option` of a decision, points of a curve; "" is the card itself."""
    assumes: tuple[Assumption, ...] = ()
    """What all figures take for granted: decisions of others about what the viewer may not see."""
    against: bool | None = False
    """Whether whoever is asked hopes that it fails: the best answer is then the one that lets it succeed least.

    None if nobody can tell.
    """
    toward_others: bool = False
    """Whether that rule does not name whoever is asked, such as an attack on a friend."""
    about: str = ""
    """The rule whose outcomes these are, at an open question: the innermost in progress that decides something."""
    good: tuple[str, ...] = ()
    """The bands that are good for whoever that rule is about."""
    around: RiskCard | None = None
    """The same for the rule around it, if that is still open and its figures differ."""

    @property
    def is_settled(self) -> bool:
        """Whether every answer leads to the same, for certain: nothing is left to weigh."""
        figures = [*self.asked.values(), *self.pairs.values()]
        is_whole = len(figures) > 1 and not self.missing and not any(each.samples for each in figures)
        return is_whole and all(each == figures[0] for each in figures)

    def to_plain(self) -> dict[str, Plain]:
        return {
            "now": self.now and self.now.to_plain(),
            "asked": _plain(self.asked),
            "pairs": _plain(self.pairs),
            "decisions": [{"prompt": each.prompt, "options": _plain(each.options)} for each in self.decisions],
            "best": self.best and _plain_plan(self.best),
            "curve": _plain(self.curve),
            "unknown": self.unknown,
            "complete": self.complete,
            "missing": {key: each.to_plain() for key, each in self.missing.items()},
            "assumes": [each.to_plain() for each in self.assumes],
            "against": self.against,
            "toward_others": self.toward_others,
            "about": self.about,
            "good": list(self.good),
            "around": self.around and self.around.to_plain(),
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
