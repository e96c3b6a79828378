"""Odds by outcome bands alone: as the kernels of the same rules have them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from referee.core import Mod, Scene, State
from referee.core.branches import LEFT_OUT
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default, by_person
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.opposed import opposed_check

POLICIES: Final[dict[str, Policy]] = {
    "nothing": by_default,
    "before": always(**{"insight-before": "extra die"}),
    "low": always(**{"insight-after": "re-roll low"}),
    "both": always(**{"insight-after": "re-roll both"}),
}
TWO: Final[dict[str, dict[str, Any]]] = {
    "players": {"al": {"insight": 1, "attributes": {"Reason": 3}}, "bo": {"insight": 0}},
    "a player and someone else": {"al": {"insight": 1}, "bo": {"player": False, "insight": 0}},
}


@pytest.mark.parametrize(("way", "who"), list(product(POLICIES, TWO)))
def test_who_wins_an_opposed_check_by_its_outline_and_by_its_kernel(way: str, who: str) -> None:
    """The same by everything but what both rolled, whoever spends Insight on it; the scene too."""
    scene = SYSTEM.state(TWO[who])
    al, bo = Scene(scene).who("al"), Scene(scene).who("bo")
    call, policy = (
        opposed_check(al, bo, "Reason", "Athletics", (), (Mod(-1, "mud"),)),
        by_person({"al": POLICIES[way]}, by_default),
    )
    outlined, full = Exact(policy, by_bands=True), Exact(policy)
    results = [exact.results(call, scene).by(lambda fought: fought.winner) for exact in (outlined, full)]
    assert results[0] == results[1]
    assert outlined.runs == 0
    rows = call.rule.outlined(Scene(scene), outlined._calls, call.args)
    assert rows is not None
    whole, ends = sum(ways for _, _, ways in rows), Counter[tuple[str, State]]()
    for fought, changes, ways in rows:
        if fought is not LEFT_OUT:
            ends[fought.winner, scene.after((each.name, value) for each, value in changes)] += ways
    assert full.of(call, scene).by_end(lambda fought, after: (fought.winner, after.state)) == {
        end: Fraction(ways, whole) for end, ways in ends.items()
    }
