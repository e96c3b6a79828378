"""Kernels against play: the same odds by the exact driver, played branch by branch and by kernels.

First both are checked to come to the same results and scenes, as fractions. Then they are timed, as processor time, the
best of several rounds in which they take turns; nothing is remembered from one round to the next.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from fractions import Fraction
from time import process_time
from typing import Any, Final

from referee import registry
from referee.core import D6, Pool, Prompt, Scene, State, SymbolCounts, Total, Who, dice, marked_die, questions
from referee.core.questions import Choice, Choose, Roll
from referee.core.rules import Call
from referee.drivers import kernels
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.systems.alien.basics import skill_roll
from referee.systems.alien.sheet import Colonist

ROUNDS: Final = 5
LONG: Final = 1.0
THROW: Final = Prompt("throw")
ANA: Final = Who("ana", Colonist)
CACHES: Final[tuple[Any, ...]] = (
    dice._enumerated,
    dice._multisets,
    dice._sums,
    questions._outcomes,
    kernels._shown,
    kernels._totals,
    dice.symbol_falls,
)

Ways = tuple[Callable[[], Any], Callable[[], Any]]
"""The same question by play and by kernel; the answers compare."""


def if_failed(question: Choice[Any], scene: Scene) -> Any:
    assert isinstance(question, Choose)
    return None if question.about.count("six") else True


POLICIES: Final[dict[str, Policy]] = {"never": by_default, "if failed": if_failed, "always": always(push=True)}


def shares(exact: Exact, call: Call[Any], state: State) -> dict[Any, Fraction]:
    odds = exact.of(call, state)
    return {(result, after): Fraction(weight, odds.whole) for result, after, weight in odds.ends}


def skill(base: int, stress: int, pushed: str) -> Ways:
    """A whole skill roll of ALIEN, stress responses and all."""
    state = registry.load("alien").state({"ana": {"attributes": {"Wits": base}, "stress": stress}})
    call, policy = skill_roll(Scene(state), ANA, "Comtech"), POLICIES[pushed]
    return (
        lambda: shares(Exact(policy, kernels=False), call, state),
        lambda: shares(Exact(policy), call, state),
    )


def throw(question: Roll[Any]) -> Ways:
    return lambda: dict(question.outcomes()), lambda: dict(kernels.outcomes(question))


def symbols(**counts: int) -> Roll[SymbolCounts]:
    kinds = ((marked_die(name, 6, one=1, six=6), count) for name, count in counts.items())
    return Roll(THROW, None, Pool.of(*kinds), SymbolCounts)


PROBLEMS: Final[dict[str, Callable[[], Ways]]] = {
    **{
        f"skill roll, {base} base + {stress} stress, pushed {pushed}": lambda b=base, s=stress, p=pushed: skill(b, s, p)
        for base, stress in ((4, 1), (5, 2), (7, 3), (10, 8))
        for pushed in POLICIES
    },
    "total of 50d6": lambda: throw(Roll(THROW, None, Pool.of((D6, 50)), Total)),
    "symbols on 12 base + 10 stress dice": lambda: throw(symbols(base=12, stress=10)),
    "symbols on 5 base + 3 skill + 2 gear + 2 ammo dice": lambda: throw(symbols(base=5, skill=3, gear=2, ammo=2)),
}


def once(way: Callable[[], Any]) -> float:
    for cache in CACHES:
        cache.cache_clear()
    begun = process_time()
    way()
    return process_time() - begun


def timed(ways: Ways) -> tuple[float, float]:
    """The best of several rounds, each way in turn; a slow one is not repeated often."""
    played, kernel = once(ways[0]), once(ways[1])
    for _ in range(ROUNDS - 1):
        played = played if played > LONG else min(played, once(ways[0]))
        kernel = min(kernel, once(ways[1]))
    return played, kernel


def main() -> None:
    problems = {problem: make() for problem, make in PROBLEMS.items()}
    for problem, (play, kernel) in problems.items():
        assert play() == kernel(), problem
    print("results and scenes equal as fractions on all problems")
    print(f"{'ms':<52}{'played':>10}{'kernel':>10}{'factor':>9}")
    gc.disable()
    for problem, ways in problems.items():
        played, kernel_time = timed(ways)
        print(f"{problem:<52}{1000 * played:>10.2f}{1000 * kernel_time:>10.2f}{played / kernel_time:>8.1f}x")


if __name__ == "__main__":
    main()
