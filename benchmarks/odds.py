"""Exact odds: problems A to G through `referee.odds`, icepool and dyce, in one run.

First the answers are checked to be equal as fractions. Then three things are timed, as processor time:

- warm: the best of several rounds, in which the sides take turns; every call works the problem out anew;
- first: the first call after import, each in a fresh process;
- start: a whole `python -c` that prints the chance of 40 or more with 10D, one of them wild.

A     10 or 20 dice, one of them wild: it explodes on 6, at most ten times (A10w: a wild 1 takes the highest die too)
B     8 against 7 such dice, the whole margin
C     a pool of 5 base, 3 skill, 2 gear and 2 ammo dice, pushed once; successes, base banes and gear banes together
D     8 base and 4 stress dice, pushed with a stress die more if there is no 6 and no stress 1; successes, any stress 1
E     the best two of 3d6, then keep, re-roll one or both, whatever is best for 9 or more at +1 (Eall: at -10 to +11)
F1    cards drawn on trumps: 13 of a suit and two jokers of 54; their sum
G     the chance to win for every pair of 1 to 20 wild dice

"Answers" are whole distributions with every count in hand. What a side keeps between calls is its own affair: icepool
remembers sums of dice, dyce and we remember nothing.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from math import exp, log
from pathlib import Path
from time import process_time
from typing import Any, Final

HERE: Final = Path(__file__).parent
SIDES: Final = {"referee": "_odds_ours", "icepool": "_odds_icepool", "dyce": "_odds_dyce"}
OURS: Final = "referee"
ROUNDS: Final = 9
FRESH: Final = 5
BATCH: Final = 0.01
LONG: Final = 0.2
START: Final = {
    "bare Python": "",
    "referee": "from referee.odds import wild_dice; print(wild_dice(10, extra=10).at_least(40))",
    "icepool": "from icepool import d6; print((9 @ d6 + d6.explode(depth=10)).probability('>=', 40))",
    "dyce": "from dyce import H, explode_n; odds = 9 @ H(6) + explode_n(H(6), n=10); "
    "print(sum(count for total, count in odds.items() if total >= 40) / odds.total)",
}
FIRST: Final = """
import sys; sys.path.insert(0, {here!r})
from time import process_time
from {module} import PROBLEMS
answer = PROBLEMS[{problem!r}]
begun = process_time(); answer(); print(process_time() - begun)
"""

Times = dict[str, dict[str, float]]


def check_equal(modules: dict[str, Any]) -> None:
    """Every answer of every side is the same, fraction for fraction."""
    for problem, answer in modules[OURS].PROBLEMS.items():
        ours = modules[OURS].plain(problem, answer())
        for side, module in modules.items():
            if problem in module.PROBLEMS and side != OURS:
                assert module.plain(problem, module.PROBLEMS[problem]()) == ours, f"{side} differs on {problem}"


def once(call: Any, times: int) -> float:
    begun = process_time()
    for _ in range(times):
        call()
    return (process_time() - begun) / times


def warm(modules: dict[str, Any]) -> Times:
    """The best of several rounds; the sides take turns within a round."""
    found: Times = {}
    for problem in modules[OURS].PROBLEMS:
        calls = {side: module.PROBLEMS[problem] for side, module in modules.items() if problem in module.PROBLEMS}
        best = {side: once(call, 1) for side, call in calls.items()}
        for turn in range(ROUNDS):
            for side, call in calls.items():
                if best[side] < LONG or turn < 2:
                    best[side] = min(best[side], once(call, max(1, int(BATCH / best[side]))))
        found[problem] = best
    return found


def child(code: str, cache: str) -> tuple[float, str]:
    """Run code in a fresh Python whose modules are compiled already: processor time, and what it printed."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(  # noqa: S603 - our own code, in a Python of its own
        [sys.executable, "-W", "ignore", "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env={**known, "PYTHONPYCACHEPREFIX": cache},
    ) as process:
        printed = process.stdout.read() if process.stdout else ""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, code
    return used.ru_utime + used.ru_stime, printed


def first(modules: dict[str, Any], warmed: Times, cache: str) -> Times:
    found: Times = {}
    for problem, sides in warmed.items():
        found[problem] = {}
        for side, seconds in sides.items():
            code = FIRST.format(here=str(HERE), module=modules[side].__name__, problem=problem)
            fresh = [float(child(code, cache)[1]) for _ in range(FRESH if seconds < LONG else 2)]
            found[problem][side] = min(fresh[1:])  # the first one may have compiled its modules
    return found


def start(cache: str) -> dict[str, float]:
    return {side: min([child(code, cache)[0] for _ in range(2 * FRESH)][1:]) for side, code in START.items()}


def factor(times: dict[str, float]) -> float:
    """How many times as long the fastest peer takes."""
    return min(seconds for side, seconds in times.items() if side != OURS) / times[OURS]


def table(warmed: Times, cold: Times) -> None:
    sides = list(SIDES)
    group = "".join(f"{side:>11}" for side in sides) + f"{'factor':>8}"
    print(f"{'ms':<6}{'warm':>11}{'':>{len(group) - 11}} | {'first call':>11}")
    print(f"{'':<6}{group} | {group}")
    for problem in warmed:
        line = f"{problem:<6}"
        for times in (warmed[problem], cold[problem]):
            line += "".join(f"{1000 * times[side]:>11.3f}" if side in times else f"{'-':>11}" for side in sides)
            line += f"{factor(times):>7.1f}x" + (" | " if times is warmed[problem] else "")
        print(line)


def by_letter(times: Times) -> dict[str, float]:
    """Every problem counts once, by the slowest of its rows."""
    found: dict[str, float] = {}
    for problem, row in times.items():
        found[problem[0]] = min(found.get(problem[0], factor(row)), factor(row))
    return found


def in_short(times: Times) -> str:
    factors = by_letter(times)
    mean = exp(sum(map(log, factors.values())) / len(factors))
    slowest = min(factors, key=lambda letter: factors[letter])
    return f"{mean:.0f}x the fastest exact peer (geometric mean), slowest {factors[slowest]:.0f}x on {slowest}"


def main() -> None:
    sys.path.insert(0, str(HERE))
    modules = {side: import_module(module) for side, module in SIDES.items()}
    check_equal(modules)
    print("answers equal as fractions: A to G, icepool on all of them, dyce on all but F")
    gc.disable()
    warmed = warm(modules)
    gc.enable()
    with tempfile.TemporaryDirectory() as cache:
        cold = first(modules, warmed, cache)
        started = start(cache)
    table(warmed, cold)
    print("start to answer, ms: " + ", ".join(f"{side} {1000 * used:.1f}" for side, used in started.items()))
    print(f"first call: {in_short(cold)}")
    print(f"odds: {in_short(warmed)}")


if __name__ == "__main__":
    main()
