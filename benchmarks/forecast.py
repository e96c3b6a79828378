"""Fights a second: played at a journal, sampled by plain Python, and forecast, on one core and on two.

First the ways are checked to agree: who wins, how many rounds it takes and how many are out, each within four standard
errors of the others, or of the exact chance where there is one. `learning` starts with nothing known; `known` walks
fights that were met before, the most it can come to. On two cores each process learns for itself from half of them.

For a four against four of the D6 System the same rules stand here once more as a plain loop, written by hand for these
eight and nothing else: what a forecast by rules is measured against. Numba compiles that loop as it stands.

All rates are by processor time, on two cores by that of the process that took longer: what two free cores would do. A
machine that others use too makes time pass, not processors slower; beside it stands the rate by the time that passed.
A word after the name of this file measures only the fights that have it in theirs: `militia`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from multiprocessing import get_context
from time import perf_counter, process_time
from typing import Any, Final

from referee import registry
from referee.core.agenda import next_of
from referee.core.encounter import ending
from referee.core.knowledge import fully_known
from referee.core.questions import Choice, key_of
from referee.core.scene import Scene, Who
from referee.drivers.policies import Policy, by_default, decided
from referee.drivers.sampled import Sampled
from referee.drivers.walk import Walker, has_numba, walk_compiled, walk_plainly
from referee.forecast.encounters import Prepared, Sampler, Tally, exact_forecast
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.testing.scenarios import samples
from referee.testing.skirmish import FIGHT, Brawler, duel, skirmish

SEED: Final = 7
REDS: Final = tuple(f"red {at}" for at in range(1, 5))
BLUES: Final = tuple(f"blue {at}" for at in range(1, 5))


@dataclass
class Outcomes:
    """What came of fights: how many the first side won, the rounds and the casualties of each."""

    won: int = 0
    rounds: list[float] = field(default_factory=list)
    out: list[float] = field(default_factory=list)

    def add(self, won: bool, rounds: float, out: float) -> None:
        self.won += won
        self.rounds.append(rounds)
        self.out.append(out)

    def figures(self) -> tuple[float, float, float]:
        """The share that the first side won, and the means of rounds and casualties."""
        n = len(self.rounds)
        return self.won / n, sum(self.rounds) / n, sum(self.out) / n

    def spreads(self) -> tuple[float, float, float]:
        """How far a single fight is from these on average; from one fight more and one less, never nothing."""
        n, (_, rounds, out) = len(self.rounds), self.figures()
        share = (self.won + 1) / (n + 2)
        return sqrt(share * (1 - share)), _spread(self.rounds, rounds), _spread(self.out, out)


def _spread(values: list[float], mean: float) -> float:
    return sqrt(sum((each - mean) ** 2 for each in values) / len(values)) + 1e-9


@dataclass(frozen=True)
class Problem:
    """A fight: how to set it up, how often it is played each way, and perhaps a plain loop of the same rules."""

    make: Callable[[], Prepared]
    system: str
    journal: int
    sampled: int
    walked: int
    again: int
    loop: Callable[[int, int], list[tuple[int, int, int]]] | None = None


def roadblock() -> Prepared:
    system = registry.load("distemper")
    state = dict(samples(system))["roadblock"]
    return Prepared(Who("fight", type(state["fight"])), fully_known(state), system.policies["aggressive"])


def one_on_one() -> Prepared:
    return Prepared(FIGHT, fully_known(duel(Brawler(3, 2, 3, 3), Brawler(3, 3, 3, 2))), by_default)


def four_on_four() -> Prepared:
    reds, blues = dict.fromkeys(REDS, Brawler(4, 3, 4, 3)), dict.fromkeys(BLUES, Brawler(4, 3, 3, 3))
    return Prepared(FIGHT, fully_known(skirmish(reds, blues)), by_default)


def swords(red: str, blue: str) -> Prepared:
    """Four against four with swords, of the D6 System."""
    system = registry.load("d6")
    attributes = dict.fromkeys(("Agility", "Coordination", "Strength", "Perception"), "3D")

    def people(names: tuple[str, ...], melee: str, player: bool) -> dict[str, Any]:
        sword = {"name": "Sword", "place": "held"}
        sheet = {"attributes": attributes, "skills": {"Melee Combat": melee}, "equipment": [sword], "player": player}
        return dict.fromkeys(names, sheet)

    fight = {"kind": "IndividualCombat", "sides": [list(REDS), list(BLUES)]}
    book = {"kind": "Book", "system": "d6", "options": {}}
    scene = {**people(REDS, red, True), **people(BLUES, blue, False), "fight": fight, "book": book}
    state = system.state(scene)
    return Prepared(Who("fight", type(state["fight"])), fully_known(state), system.policies["aggressive"])


def militia() -> Prepared:
    """Their parries come to less than the difficulty of an attack, so nobody parries."""
    return swords("3D+2", "3D+1")


def fencers() -> Prepared:
    """Whoever has acted parries; swords clash and break."""
    return swords("4D+1", "4D")


# --- the militia by hand ----------------------------------------------------------------------------------------------


def militia_loop(fights: int, seed: int) -> list[tuple[int, int, int]]:
    """The D6 System as far as eight of the militia need it: which side won (0, 1), rounds, how many were out."""
    random.seed(seed)
    found = [(0, 0, 0)]
    for _ in range(fights):
        wound, stuns, fresh, out = [0] * 8, [0] * 8, [0] * 8, [0] * 8
        place, preferred = [0] * 8, [99] * 8
        rounds = 0
        while sum(out[:4]) < 4 and sum(out[4:]) < 4:
            rounds += 1
            score = [-1] * 8
            for who in range(8):
                if out[who] == 0:
                    score[who] = militia_dice(3 - wound[who] - stuns[who]) * 2 + (1 if who < 4 else 0)
            militia_order(score, place, preferred)
            for at in range(8):
                who = -1
                for each in range(8):
                    if score[each] >= 0 and place[each] == at:
                        who = each
                if who < 0 or out[who] == 1:
                    continue
                target = militia_target(4 if who < 4 else 0, wound, stuns, out)
                if target < 0:
                    break
                pips = 2 if who < 4 else 1
                if militia_dice(3 - wound[who] - stuns[who]) + pips < 10:
                    continue
                militia_hit(target, militia_dice(5) - militia_dice(3), wound, stuns, fresh, out)
            for who in range(8):
                stuns[who] -= 1 if stuns[who] > fresh[who] else 0
                fresh[who] = 0
        found.append((0 if sum(out[4:]) == 4 else 1, rounds, sum(out)))
    return found[1:]


def militia_dice(dice: int) -> int:
    total = 0
    for _ in range(dice):
        total += int(random.random() * 6) + 1
    return total


def militia_order(score: list[int], place: list[int], preferred: list[int]) -> None:
    """By score; of equals the game master prefers the first he has to decide about, and stays with it."""
    for best in range(40, -1, -1):
        first, new = -1, 0
        for who in range(8):
            if score[who] == best:
                first = who if first < 0 else first
                new += 1 if preferred[who] == 99 else 0
        if new > 1 and preferred[first] == 99:
            preferred[first] = sum([1 for each in preferred if each < 99])
    for who in range(8):
        place[who] = 0
        for other in range(8):
            if score[other] > score[who] or (
                score[other] == score[who]
                and (preferred[other] < preferred[who] or (preferred[other] == preferred[who] and other < who))
            ):
                place[who] += 1


def militia_target(first: int, wound: list[int], stuns: list[int], out: list[int]) -> int:
    """The worst wound, then the most stuns."""
    found = -1
    for each in range(first, first + 4):
        if out[each] == 0 and (
            found < 0 or wound[each] > wound[found] or (wound[each] == wound[found] and stuns[each] > stuns[found])
        ):
            found = each
    return found


def militia_hit(
    target: int, difference: int, wound: list[int], stuns: list[int], fresh: list[int], out: list[int]
) -> None:
    """0 to 5 stuns, 6 to 10 wounds, more takes out; so do a third wound, and as many dice of penalty as Stamina has."""
    if difference < 0:
        return
    if difference <= 5:
        stuns[target] += 1
        fresh[target] += 1
    elif difference <= 10:
        wound[target] += 1
    else:
        wound[target] = 3
    if wound[target] + stuns[target] >= 3:
        out[target] = 1


def compiled_loop() -> Callable[[int, int], list[tuple[int, int, int]]]:
    """The same loop by numba."""
    import numba

    here = globals()
    plain = {name: here[name] for name in ("militia_dice", "militia_order", "militia_target", "militia_hit")}
    here.update({name: numba.njit(each) for name, each in plain.items()})
    try:
        found: Any = numba.njit(militia_loop)
        found(10, SEED)
    finally:
        here.update(plain)
    return found  # type: ignore[no-any-return]


PROBLEMS: Final = {
    "Distemper, two against two": Problem(roadblock, "distemper", 10, 100, 5_000, 200_000),
    "a duel with dice codes": Problem(one_on_one, "", 0, 100, 2_000, 1_000_000),
    "four against four with dice codes": Problem(four_on_four, "", 0, 30, 20_000, 200_000),
    "D6 System, four against four, militia": Problem(militia, "d6", 3, 25, 20_000, 500_000, militia_loop),
    "D6 System, four against four, fencers": Problem(fencers, "d6", 0, 10, 500, 2_000),
}


# --- the ways to play them --------------------------------------------------------------------------------------------


def at_a_journal(problem: Problem, plan: Prepared, fights: int) -> Outcomes:
    """Fights as they are played at a table, decisions by policy, every line of the log written."""
    found = Outcomes()
    for number in range(fights):
        journal = Journal(registry.load(problem.system), plan.state, SeededDice(number.to_bytes(8, "big")))
        while (how := ending(journal.scene, plan.encounter)) is None:
            _go_on(journal, plan.encounter, plan.policy)
        _count(found, plan, how, journal.scene)
    return found


def _count(found: Outcomes, plan: Prepared, how: Any, scene: Scene) -> None:
    fight: Any = scene[plan.encounter]
    found.add(key_of(how) == " and ".join(plan.parties[0]), getattr(fight, "round", 0), len(fight.out(scene)))


def _go_on(journal: Journal, encounter: Who[Any], policy: Policy) -> None:
    if journal.asking:
        waiting = journal.asking[0]
        question = waiting.question
        assert isinstance(question, Choice)
        answer = question.write(decided(policy, question, journal.scene))
        journal.answer("somebody", waiting.step, answer, waiting.part)
    elif (following := next_of(journal.scene, encounter)) is not None:
        journal.begin("somebody", following.call.rule.id, following.call.plain())


def sampled(problem: Problem, plan: Prepared, fights: int) -> Outcomes:
    table, found = Sampled(random.Random(SEED), plan.policy), Outcomes()
    for _ in range(fights):
        how, after = table.play_out(plan.encounter, plan.state)
        _count(found, plan, how, Scene(after))
    return found


def by_hand(loop: Callable[[int, int], list[tuple[int, int, int]]], fights: int) -> Outcomes:
    found = Outcomes()
    for won, rounds, out in loop(fights, SEED):
        found.add(won == 0, rounds, out)
    return found


def counted(plan: Prepared, tally: Tally | None) -> Outcomes:
    assert tally is not None
    found, first = Outcomes(), " and ".join(plan.parties[0])
    for (how, out, rounds), times in tally.counts[0].items():
        found.won += times * (how == first)
        found.rounds.extend([rounds] * times)
        found.out.extend([len(out)] * times)
    return found


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = process_time()
    found = work()
    return found, process_time() - begun


def walk_twice(name: str, half: int) -> tuple[float, float, float]:
    """In a process of its own: half of the fights with nothing known, and then others once more, as known ones.

    How long they took by processor time, and the first ones by the time that passed.
    """
    problem = PROBLEMS[name]
    Sampler([one_on_one()], SEED).play(range(2_000))  # loads numba
    sampler = Sampler([problem.make()], SEED, break_down=True)
    begun, passed = process_time(), perf_counter()
    sampler.play(range(half * problem.walked // 2, (half + 1) * problem.walked // 2))
    learned, passed = process_time() - begun, perf_counter() - passed
    known = range(10**7 * (half + 1), 10**7 * (half + 1) + problem.again // 2)
    sampler.play(known)
    begun = process_time()
    sampler.play(known)
    return learned, process_time() - begun, passed


def agreement(found: dict[str, Outcomes], exact: float | None) -> str:
    """What each way found, and whether they agree within four standard errors: winner, rounds, casualties."""
    figures, most = (
        {way: each.figures() for way, each in found.items()},
        max(found.values(), key=lambda o: len(o.rounds)),
    )
    pooled = [sum(figures[way][at] * len(found[way].rounds) for way in found) for at in range(3)]
    means = [each / sum(len(each.rounds) for each in found.values()) for each in pooled]
    means[0] = means[0] if exact is None else exact
    worst = max(
        abs(figures[way][at] - means[at]) / (most.spreads()[at] / sqrt(len(found[way].rounds)))
        for at in range(3)
        for way in found
    )
    assert worst < 4, (figures, exact)
    told = (f"{way} {each[0]:.4f} / {each[1]:.2f} / {each[2]:.2f}" for way, each in figures.items())
    known = "" if exact is None else f"; exact {exact:.4f}"
    return f"won / rounds / out: {', '.join(told)}{known}; at most {worst:.1f} standard errors apart"


def main() -> None:
    walkers: dict[str, Walker] = {"python": walk_plainly}
    if has_numba():
        walkers["numba"] = walk_compiled
        for plan in (one_on_one(), militia()):
            Sampler([plan], SEED, walk_compiled, break_down=True).play(range(10))  # compiled before anything is timed
    print(f"{'fights a second':<40}{'journal':>10}{'sampled':>10}{'learning':>10}", end="")
    print("".join(f"{f'known, {name}':>16}" for name in walkers), end="")
    print(f"{'two cores: learning':>22}{'(as it passed)':>15}{'known':>12}{'plain loop':>14}{'loop, numba':>14}")
    wanted = sys.argv[1] if sys.argv[1:] else ""
    best = max(_measured(name, problem, walkers) for name, problem in PROBLEMS.items() if wanted in name)
    print(f"forecast: {best[0]:,.0f} fights a second on one core, {best[1]:,.0f} on two ({best[2]})")


def _measured(name: str, problem: Problem, walkers: dict[str, Walker]) -> tuple[float, float, str]:
    plan = problem.make()
    found: dict[str, Outcomes] = {}
    rates: dict[str, float] = {}
    for way, fights, play in (("journal", problem.journal, at_a_journal), ("sampled", problem.sampled, sampled)):
        if fights:
            found[way], seconds = timed(lambda play=play, fights=fights: play(problem, plan, fights))
            rates[way] = fights / seconds
    sampler = Sampler([plan], SEED, break_down=True)
    _, seconds = timed(lambda: sampler.play(range(problem.walked)))
    rates["learning"] = problem.walked / seconds
    for way, walker in walkers.items():
        n, sampler.walker = problem.again if way == "numba" else min(5_000, problem.again), walker
        known = range(10**6, 10**6 + n)
        sampler.play(known)
        tally, seconds = timed(lambda known=known: sampler.play(known))
        found[way], rates[way] = counted(plan, tally), n / seconds
    _by_hand(problem, found, rates)
    with get_context("spawn").Pool(2) as pool:
        halves = pool.starmap(walk_twice, [(name, 0), (name, 1)], chunksize=1)
    learning, known_again, passed = (max(each) for each in zip(*halves, strict=True))

    def told(way: str, width: int) -> str:
        return f"{f'{rates[way]:,.0f}' if way in rates else '–':>{width}}"

    print(f"{name:<40}" + "".join(told(way, 10) for way in ("journal", "sampled", "learning")), end="")
    print("".join(told(way, 16) for way in walkers), end="")
    print(
        f"{problem.walked / learning:>22,.0f}{problem.walked / passed:>15,.0f}{problem.again / known_again:>12,.0f}",
        end="",
    )
    print(told("loop", 14) + told("loop, numba", 14))
    exact = None if sampler.turn_rows[0] is not None else exact_forecast(plan, plan.table(), 5.0)
    share = float(exact.wins(plan.parties[0]).share) if exact is not None else None
    print(f"    {'turn by turn' if sampler.turn_rows[0] is not None else 'by a table of scenes'}; ", end="")
    print(agreement(found, share), flush=True)
    return max(rates[way] for way in walkers), problem.again / known_again, name


def _by_hand(problem: Problem, found: dict[str, Outcomes], rates: dict[str, float]) -> None:
    """The plain loop, where there is one."""
    if problem.loop is None:
        return
    loops = {"loop": (problem.loop, 10_000)}
    if has_numba():
        loops["loop, numba"] = compiled_loop(), problem.again
    for way, (loop, fights) in loops.items():
        _, seconds = timed(lambda loop=loop, fights=fights: loop(fights, SEED))
        found[way], rates[way] = by_hand(loop, min(fights, 100_000)), fights / seconds


if __name__ == "__main__":
    main()
