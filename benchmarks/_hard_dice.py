"""The hard scenes of dice, each with the time its odds may take; run alone, it prints what they take."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Final, TypeAlias

from referee.core import State
from referee.core.actions import ActionChoice
from referee.core.knowledge import fully_known
from referee.core.visibility import Seat
from referee.drivers.policies import Policy, always, by_default
from referee.forecast.figures import Budget
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import RiskCard

sys.path.insert(0, str(Path(__file__).parents[1]))  # the scenes are those that tests prove

from tests.hard_scenes import d6, year_zero  # found by the line above

GAME_MASTER: Final = Seat("", master=True)
Scene: TypeAlias = tuple[ActionChoice, State]

EVERYTHING_SEEN: Final = Seat("", master=True)


def card(scene: Callable[[], Scene], policy: Policy = by_default, mine: Policy = by_default) -> Callable[[], RiskCard]:
    """The whole risk card of a scene, as people see it: odds, what each decision changes, and the plan."""
    offer, state = scene()
    budget = Budget(seconds=None)
    return lambda: odds_of(offer, fully_known(state), GAME_MASTER, policy=policy, mine=mine, budget=budget)


BOTH_PUSH: Final = always(parry=True, push=True)
DICE_SCENES: Final[tuple[tuple[str, float, Callable[[], Callable[[], RiskCard]]], ...]] = (
    ("d6: opposed 5D+1 against 4D+2, wild dice", 0.1, lambda: card(d6.opposed_scene)),
    ("d6: 5D+1 against 25, three Character Points", 0.3, lambda: card(d6.points_scene)),
    ("d6: the same with a Fate Point", 0.3, lambda: card(lambda: d6.points_scene(fate=1))),
    (
        "year zero: 4+2+1 against a parry and a vest, both pushed",
        1.0,
        lambda: card(year_zero.attack_scene, BOTH_PUSH, always(push=True)),
    ),
)


def main() -> None:
    for name, aim, build in DICE_SCENES:
        asked = build()
        before = process_time()
        found = asked()
        spent = process_time() - before
        assert found.now is not None
        exact = "exact" if not found.now.samples else f"≈ ± {found.now.error:.3f}"
        print(
            f"{name:60} {1000 * spent:7.0f} ms of CPU (aim {1000 * aim:.0f}), {exact}, lost {float(found.now.lost):.1e}"
        )


if __name__ == "__main__":
    main()
