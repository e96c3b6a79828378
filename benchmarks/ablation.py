"""What each kernel, outline and sampler brings: the cards of `play` without it, one fast path left out at a time.

A fast path is worth its lines if cards are late without it, or take at least twice as long. Each is left out in a
process of its own. Only cards are looked at: what forecasts and plans need is seen by `forecast` and the hard scenes of
`play`.
`python benchmarks/ablation.py d6`; `make bench-ablation` takes a quarter of an hour. All times are processor time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from multiprocessing import get_context
from time import process_time
from typing import Any, Final, Literal, NamedTuple

from play import AIM, Card, good_enough, sample_cards
from referee import registry
from referee.core.rules import RULES, Rule
from referee.drivers.stop import timed_by
from referee.forecast.worker import load_numpy

Kind = Literal["kernel", "outline", "sampler"]
KINDS: Final[tuple[Kind, ...]] = ("kernel", "outline", "sampler")
WORTH: Final = 2.0
"""How many times as long some card must take without a fast path for it to be worth having."""
NOTICED: Final = 0.02
"""Seconds below which a card is quick with or without."""


class FastPath(NamedTuple):
    rule: Rule[..., Any]
    kind: Kind

    def __str__(self) -> str:
        return f"{self.kind} of {self.rule.name}"


def fast_paths(system: str) -> Iterator[FastPath]:
    """Those of the rules of a system."""
    registry.load(system)
    package = f"referee.systems.{system}."
    for rule in RULES.values():
        for kind in KINDS if rule.body.__module__.startswith(package) else ():
            if getattr(rule, kind) is not None:
                yield FastPath(rule, kind)


def cards_without(left_out: FastPath | None, system: str) -> dict[str, Card]:
    """The cards of a system's samples, without one fast path."""
    if left_out is not None:
        setattr(left_out.rule, left_out.kind, None)
    with timed_by(process_time):
        cards = chain.from_iterable(cards for _, cards in sample_cards([system]))
        return {f"{number} {card.where}": card for number, card in enumerate(cards)}


def in_a_process(left_out: FastPath | None, system: str) -> dict[str, Card]:
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=lambda: theirs.send(cards_without(left_out, system)))
    child.start()
    found: dict[str, Card] = ours.recv()
    child.join()
    return found


def late(cards: dict[str, Card]) -> int:
    """Options without a figure in time."""
    return sum(len(each.errors) - each.on_time for each in cards.values())


def told(left_out: FastPath, before: dict[str, Card], after: dict[str, Card]) -> str:
    slower = {
        where: each.seconds / max(before[where].seconds, 0.001)
        for where, each in after.items()
        if where in before and each.seconds > NOTICED and each.seconds > WORTH * before[where].seconds
    }
    worst = max(slower.values(), default=1.0)
    both = [where for where in before if where in after]
    missing = sum(good_enough(before[each].errors) - good_enough(after[each].errors) for each in both)
    estimated = sum(before[each].errors.count(0) - after[each].errors.count(0) for each in both)
    over = sum(after[where].seconds > AIM >= before[where].seconds for where in slower)
    missed = late(after) - late(before)
    verdict = (
        "needed"
        if missing > 0 or estimated > 0 or missed > 2 or over
        else "worth it"
        if slower
        else "brings nothing here"
    )
    return f"{left_out!s:52} {verdict:20} {missed:5} {missing:7} {estimated:9} {len(slower):6} {over:7} {worst:8.1f}"


def main() -> None:
    load_numpy()
    for system in sys.argv[1:] or registry.names():
        found = list(fast_paths(system))
        before = in_a_process(None, system)
        print(f"\n{system}: {len(before)} cards, {len(found)} fast paths, {late(before)} options late with all of them")
        print(f"{'without':52} {'verdict':20} {'late':>5} {'missing':>7} {'estimated':>9}", end="")
        print(f" {'slower':>6} {'> 300ms':>7} {'at most':>8}")
        for each in found:
            print(told(each, before, in_a_process(each, system)), flush=True)


if __name__ == "__main__":
    main()
