"""Odds by outcome bands alone: as the kernels of the same rules have them."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from referee.core import Mod, Scene
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default, by_person
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.opposed import opposed_check
from referee.testing.conformance import compare_outline

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
    assert compare_outline(call, scene, policy, kernels=True)
