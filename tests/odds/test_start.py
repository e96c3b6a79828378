"""Odds start in a blink: importing them loads neither the core nor what is only for type checkers or pictures."""

from __future__ import annotations

import subprocess
import sys

ASK = """
import sys
from referee.odds import wild_dice
answer = wild_dice(10, extra=10).at_least(40)
print(answer, *sorted(sys.modules))
"""


def test_an_answer_loads_nothing_it_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    answer, *loaded = done.stdout.split()
    assert answer == "9865419323/39182082048"
    heavy = {"referee.core", "referee.odds.svg", "referee.odds.plain", "typing", "dataclasses", "json", "yaml"}
    assert heavy.isdisjoint(loaded)
