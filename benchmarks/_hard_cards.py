"""The hard scenes of cards, each with the time its odds may take; run alone, it prints what they take.

To join them to others: `HARD_SCENES += [HardScene(*each) for each in CARD_SCENES]`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

from referee.core import State
from referee.core.actions import ActionChoice
from referee.core.knowledge import known_to
from referee.drivers.stop import timed_by
from referee.forecast.figures import Budget
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import RiskCard
from referee.odds import flips, suited_rows

sys.path.insert(0, str(Path(__file__).parents[1]))  # the scenes are those that tests prove

from tests.hard_scenes import dime  # found by the line above

EXACT: Final = Budget(seconds=None)
HELD: Final = "KS QH 9C 2D 10S"
OTHERS: Final = "5H AC 7S KD 9S"


def card(offer: ActionChoice, state: State, budget: Budget = EXACT) -> Callable[[], RiskCard]:
    """The whole card as Ana's player sees it, with nothing remembered from before."""

    def asked() -> RiskCard:
        kept = (flips.best_stack, flips._shapes, flips._checked, flips._none_above, flips._chance_of_none_above)
        for cached in (*kept, suited_rows._laid):
            cached.cache_clear()
        return odds_of(offer, known_to(state, dime.ANNE), dime.ANNE, budget=budget)

    return asked


CARD_SCENES: Final[tuple[tuple[str, float, Callable[[], Callable[[], RiskCard]]], ...]] = (
    ("dime: a flip of a full deck", 0.05, lambda: card(dime.alone(), dime.two())),
    ("dime: a contested flip of two full decks", 0.3, lambda: card(dime.contest(), dime.two())),
    ("dime: the same against a hidden hand", 0.3, lambda: card(dime.contest(), dime.two(bo=HELD))),
    ("dime: the damage of a shot, by suit", 0.5, lambda: card(dime.shot(), dime.two())),
    ("dime: the same, doubled from 5 on", 1.5, lambda: card(dime.shot(doubled_from=5), dime.two(), Budget(1.5))),
    (
        "dime: a flip with five cards to play, or to spend on Luck",
        1.5,
        lambda: card(dime.alone(), dime.two(ana=OTHERS), Budget(1.5)),
    ),
)


def main() -> None:
    with timed_by(process_time):
        measure()


def measure() -> None:
    for name, aim, build in CARD_SCENES:
        asked = build()
        began, before = perf_counter(), process_time()
        found = asked()
        spent, waited = process_time() - before, perf_counter() - began
        assert found.now is not None, found.missing
        figures = [found.now, *(each for decision in found.decisions for each in decision.options.values())]
        exact = sum(not each.samples for each in figures)
        print(
            f"{name:60} {1000 * spent:5.0f} ms of CPU, {1000 * waited:5.0f} ms in all (aim {1000 * aim:.0f}); "
            f"{exact} of {len(figures) + len(found.missing)} figures exact, lost {float(found.now.lost):.1e}"
        )


if __name__ == "__main__":
    main()
