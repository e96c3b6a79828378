"""Fights a second: played at a journal, sampled by plain Python, and walked through a table, on one core and on two.

First the ways are checked to agree: the chances that the first side wins, each within four standard errors of the
others, or of the exact chance where there is one. `learning` starts with an empty table; `known` walks fights that the
table has seen, the most it can come to. On two cores each process plays half of the fights through a table of its own.

All rates are by processor time, on two cores by that of the process that took longer: what two free cores would do. A
machine that others use too makes time pass, not processors slower; beside it stands the rate by the time that passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from multiprocessing import get_context
from random import Random
from time import perf_counter, process_time
from typing import Any, Final

from referee import registry
from referee.core.agenda import next_of
from referee.core.encounter import ending
from referee.core.questions import Choice, key_of
from referee.core.scene import Who
from referee.drivers.policies import Policy, by_default, decided
from referee.drivers.sampled import Sampled
from referee.drivers.walk import Walker, has_numba, played, walk_compiled, walk_plainly
from referee.forecast.encounters import Prepared, exact_forecast
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.testing.scenarios import samples
from referee.testing.skirmish import FIGHT, Brawler, duel, skirmish

SEED: Final = 7


@dataclass(frozen=True)
class Problem:
    """A fight: how to set it up, how often it is played each way, and the first side's name."""

    make: Callable[[], Prepared]
    first: str
    journal: int
    sampled: int
    walked: int
    again: int


def roadblock() -> Prepared:
    system = registry.load("distemper")
    state = dict(samples(system))["roadblock"]
    return Prepared(Who("fight", type(state["fight"])), state, system.policies["aggressive"])


def one_on_one() -> Prepared:
    return Prepared(FIGHT, duel(Brawler(3, 2, 3, 3), Brawler(3, 3, 3, 2)), by_default)


def four_on_four() -> Prepared:
    reds = {f"red {at}": Brawler(4, 3, 4, 3) for at in range(1, 5)}
    blues = {f"blue {at}": Brawler(4, 3, 3, 3) for at in range(1, 5)}
    return Prepared(FIGHT, skirmish(reds, blues), by_default)


PROBLEMS: Final = {
    "Distemper, two against two": Problem(roadblock, "Ash and Bell", 10, 40, 300, 300),
    "a duel with dice codes": Problem(one_on_one, "al", 0, 100, 2_000, 1_000_000),
    "four against four with dice codes": Problem(
        four_on_four, " and ".join(f"red {at}" for at in range(1, 5)), 0, 30, 20_000, 200_000
    ),
}


def at_a_journal(plan: Prepared, fights: int) -> list[str]:
    """Fights as they are played at a table, decisions by policy, every line of the log written."""
    found: list[str] = []
    for number in range(fights):
        journal = Journal(registry.load("distemper"), plan.state, SeededDice(number.to_bytes(8, "big")))
        while (how := ending(journal.scene, plan.encounter)) is None:
            _go_on(journal, plan.encounter, plan.policy)
        found.append(key_of(how))
    return found


def _go_on(journal: Journal, encounter: Who[Any], policy: Policy) -> None:
    if journal.asking:
        waiting = journal.asking[0]
        question = waiting.question
        assert isinstance(question, Choice)
        answer = question.write(decided(policy, question, journal.scene))
        journal.answer("somebody", waiting.step, answer, waiting.part)
    elif (following := next_of(journal.scene, encounter)) is not None:
        journal.begin("somebody", following.call.rule.id, following.call.plain())


def sampled(plan: Prepared, fights: int) -> list[str]:
    table = Sampled(Random(SEED), plan.policy)
    return [key_of(table.play_out(plan.encounter, plan.state)[0]) for _ in range(fights)]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = process_time()
    found = work()
    return found, process_time() - begun


def walk_twice(name: str, half: int) -> tuple[float, float, float]:
    """In a process of its own: half of the fights through an empty table, and then once more, as known ones.

    How long they took by processor time, and the first ones by the time that passed.
    """
    problem = PROBLEMS[name]
    played(one_on_one().table(), range(2_000))  # loads numba
    table = problem.make().table()
    begun, passed = process_time(), perf_counter()
    played(table, range(half * problem.walked // 2, (half + 1) * problem.walked // 2), SEED)
    learned, passed = process_time() - begun, perf_counter() - passed
    known = range(10**7 * (half + 1), 10**7 * (half + 1) + problem.again // 2)
    played(table, known, SEED)
    begun = process_time()
    played(table, known, SEED)
    return learned, process_time() - begun, passed


def agreement(counts: dict[str, tuple[int, int]], exact: float | None) -> str:
    """The shares of each way, and whether they agree within four standard errors."""
    pooled = exact if exact is not None else sum(won for won, _ in counts.values()) / sum(n for _, n in counts.values())
    worst = 0.0
    for won, n in counts.values():
        p = (won + 1) / (n + 2)
        worst = max(worst, abs(won / n - pooled) / sqrt(p * (1 - p) / n))
    assert worst < 4, (counts, exact)
    shares = ", ".join(f"{way} {won / n:.4f}" for way, (won, n) in counts.items())
    return f"{shares}{'' if exact is None else f', exact {exact:.4f}'}; at most {worst:.1f} standard errors apart"


def main() -> None:
    walkers: dict[str, Walker] = {"python": walk_plainly}
    if has_numba():
        walkers["numba"] = walk_compiled
        played(one_on_one().table(), range(2_000), walker=walk_compiled)  # compiled before anything is timed
    print(f"{'fights a second':<36}{'journal':>10}{'sampled':>10}{'learning':>10}", end="")
    print(
        "".join(f"{f'known, {name}':>16}" for name in walkers),
        f"{'two cores: learning':>22}{'(as it passed)':>14}{'known':>12}",
    )
    best: tuple[float, float, str] | None = None
    for name, problem in PROBLEMS.items():
        best = _measured(name, problem, walkers) if best is None else max(best, _measured(name, problem, walkers))
    assert best is not None
    print(f"forecast: {best[0]:,.0f} fights a second on one core, {best[1]:,.0f} on two ({best[2]})")


def _measured(name: str, problem: Problem, walkers: dict[str, Walker]) -> tuple[float, float, str]:
    plan = problem.make()
    counts: dict[str, tuple[int, int]] = {}
    rates: dict[str, float] = {}
    for way, fights, play in (("journal", problem.journal, at_a_journal), ("sampled", problem.sampled, sampled)):
        if fights:
            found, seconds = timed(lambda play=play, fights=fights: play(plan, fights))
            counts[way], rates[way] = (found.count(problem.first), fights), fights / seconds
    table = plan.table()
    fights, seconds = timed(lambda: played(table, range(problem.walked), SEED))
    rates["learning"] = problem.walked / seconds
    for way, walker in walkers.items():
        n = problem.again if way == "numba" else problem.again // 10
        played(table, range(10**6, 10**6 + n), SEED, walker=walker)
        fights, seconds = timed(lambda walker=walker, n=n: played(table, range(10**6, 10**6 + n), SEED, walker=walker))
        ends = dict(table.end_nodes)
        won = sum(times for node, times in Counter(fights.nodes).items() if key_of(ends[node].ending) == problem.first)
        counts[way], rates[way] = (won, n), n / seconds
    with get_context("spawn").Pool(2) as pool:
        halves = pool.starmap(walk_twice, [(name, 0), (name, 1)], chunksize=1)
    learning, known, passed = (max(each) for each in zip(*halves, strict=True))
    told = [rates.get(way) for way in ("journal", "sampled", "learning")]
    print(f"{name:<36}" + "".join(f"{'–' if rate is None else f'{rate:,.0f}':>10}" for rate in told), end="")
    print("".join(f"{rates[way]:>16,.0f}" for way in walkers), end=" ")
    print(f"{problem.walked / learning:>22,.0f}{problem.walked / passed:>14,.0f}{problem.again / known:>12,.0f}")
    exact = exact_forecast(plan, plan.table(), 5.0)
    share = float(exact.endings[problem.first].share) if exact is not None else None
    print(f"    {agreement(counts, share)}")
    return max(rates[way] for way in walkers), problem.again / known, name


if __name__ == "__main__":
    main()
