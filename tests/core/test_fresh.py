"""Somebody as they were made, whatever play has done to them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from referee import registry
from referee.core.fresh import fresh
from referee.testing.scenarios import samples

HURT: dict[str, dict[str, Any]] = {
    "alien": {"stress": 7},
    "distemper": {"wp": 1, "rp": -2, "dead": True},
    "dime": {"hp": 1, "dead": True, "unconscious": True, "injured_at": 5, "lifestyle_used": True},
    "yearzero": {"stress": 4, "prone": True, "pain": True, "held_by": "bear", "conditions": frozenset({"cold"})},
    "d6": {"wound": "Wounded", "stuns": 2, "posture": "prone", "pinned": (), "first_aided": True, "hurt_since": 9},
}
SHEETS = [
    (system, sample, name)
    for system in registry.OURS
    for sample, state in samples(registry.load(system))
    for name, value in state.items()
    if isinstance(value, registry.load(system).sheet)
]


@pytest.mark.parametrize(("system", "sample", "name"), SHEETS)
def test_a_copy_has_nothing_of_what_was_suffered(system: str, sample: str, name: str) -> None:
    known = registry.load(system)
    made: Any = dict(samples(known))[sample][name]
    hurt: Any = replace(made, **HURT[system])
    assert hurt != made
    assert fresh(known, hurt) == fresh(known, made)
    assert fresh(known, fresh(known, made)) == fresh(known, made)


def test_a_copy_keeps_what_one_is_and_its_things_are_whole() -> None:
    distemper = registry.load("distemper")
    worn = {"name": "rifle", "condition": 1, "ready": False, "jammed": True, "wp": 4}
    value: Any = distemper.value({"wp": 2, "wp_full": 8, "skills": {"Stealth": 2}, "items": [worn]})
    made: Any = fresh(distemper, value)
    assert (made.wp, dict(made.skills)) == (8, {"Stealth": 2})
    assert [(each.name, each.condition, each.ready, each.jammed, each.wp) for each in made.items] == [
        ("rifle", 3, True, False, 4)
    ]
