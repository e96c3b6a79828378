"""Advice in words: the odds of each decision along the way, and the best choice in the likeliest situations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from referee.core.plain import Plain
from referee.core.system import System
from referee.core.wording import capital, phrase, spaced
from referee.web.pages.page import WORDS
from referee.web.pages.parts.chances import Chances, chances
from referee.web.pages.parts.story import option_words

LIKELIEST: Final = 6
MOST_HABITS: Final = 4
DECLINE: Final = "no"
"""Declining costs nothing; if it is as good as the other options, it is the advice."""


@final
@dataclass(frozen=True)
class DecisionAdvice:
    """A decision that may come up, with the odds of each option if it is taken whenever possible."""

    prompt: str
    options: tuple[tuple[str, Chances], ...]


@final
@dataclass(frozen=True)
class Case:
    """A situation, what to do in it, and the chance of success that gives."""

    when: str
    chance: float
    do: str
    worth: float
    otherwise: float | None


@final
@dataclass(frozen=True)
class Habit:
    """The same advice in many situations."""

    prompt: str
    do: str
    chance: float
    likeliest: Case


@final
@dataclass(frozen=True)
class Advice:
    """The best decisions."""

    best: Chances
    gain: float
    """How much the chance of success increases."""
    habits: tuple[Habit, ...]
    cases: tuple[Case, ...]
    more: int
    """How many situations are left out."""


def decisions(card: Mapping[str, Plain], system: System, good: tuple[str, ...]) -> tuple[DecisionAdvice, ...]:
    """The decisions along the way, in words."""
    return tuple(
        DecisionAdvice(
            system.words.say(f"prompts.{each['prompt']}"),
            tuple(
                (capital(option_words(system, str(each["prompt"]), key)), chances(told, system, good))
                for key, told in each["options"].items()
            ),
        )
        for each in card["decisions"]
    )


def advice(card: Mapping[str, Plain], system: System, good: tuple[str, ...]) -> Advice | None:
    """The best plan, in words; None if there is no plan or nothing to decide."""
    plan = card["best"]
    if not plan or not card["now"]:
        return None
    best = chances(plan["forecast"], system, good)
    gain = best.good - chances(card["now"], system, good).good
    found = [(each, _case(each, system)) for each in plan["situations"]]
    habits: dict[tuple[str, str], list[Case]] = {}
    for each, case in found:
        habits.setdefault((system.words.say(f"prompts.{each['prompt']}"), case.do), []).append(case)
    told = [Habit(prompt, do, _often(cases), cases[0]) for (prompt, do), cases in habits.items()]
    told.sort(key=lambda habit: -habit.chance)
    few = tuple(case for _, case in found[:LIKELIEST])
    return Advice(best, gain, tuple(told[:MOST_HABITS]), few, max(0, len(found) - LIKELIEST))


def _often(cases: list[Case]) -> float:
    return min(1.0, sum(case.chance for case in cases))


def _case(situation: Mapping[str, Plain], system: System) -> Case:
    worth = {key: float(Fraction(each)) for key, each in situation["worth"].items()}
    best = [str(each) for each in situation["best"]]
    best = [DECLINE] if DECLINE in best else best
    do = WORDS.say("odds-page.or").join(capital(option_words(system, str(situation["prompt"]), key)) for key in best)
    others = [each for each in worth.values() if each < worth[best[0]]]
    chance = float(Fraction(situation["chance"]))
    return Case(when(situation["about"]), chance, do, worth[best[0]], max(others, default=None))


def when(about: Plain) -> str:
    """A situation in words: the dice and cards on the table, without empty parts; empty before anything is thrown."""
    if not isinstance(about, dict):
        return phrase(about) if about else ""
    parts = []
    for name, value in about.items():
        if isinstance(value, dict) and value and all(isinstance(each, int) for each in value.values()):
            counts = ", ".join(f"{count} \N{MULTIPLICATION SIGN} {face}" for face, count in value.items() if count)
            parts.append(f"{spaced(name)}: {counts}")
        elif isinstance(value, list) and value:
            parts.append(f"{spaced(name)} {' '.join(map(phrase, value))}")
        elif value:
            parts.append(f"{spaced(name)} {phrase(value)}")
    return "; ".join(parts)
