"""Range bands are between two who fight, named in either order."""

from __future__ import annotations

from typing import Any

from referee.testing.scenarios import check


def differences(bands: dict[str, int], *steps: Any) -> list[str]:
    fight = {"kind": "Fight", "sides": [["al"], ["bo", "c d"]], "phase": "actions", "bands": bands}
    sheets = {"al": {"player": False}, "bo": {"player": False}, "c d": {"player": False}, "fight": fight}
    return [str(each) for each in check({"system": "distemper", "sheets": sheets, "steps": list(steps)}).differences]


def test_either_order_is_understood() -> None:
    seen = {"edit": {}, "expect": {"sheets": {"fight": {"bands": {"al bo": 2, "al c d": 1}}}}}
    assert not differences({"bo al": 2, "c d al": 1}, seen)


def test_people_who_are_not_there_are_refused() -> None:
    for pair in ("al zoe", "zoe", "zoe yan"):
        [found] = differences({pair: 2}, {"edit": {}})
        assert "must be two people in the scene, such as 'al bo'" in found
    [found] = differences({}, {"edit": {"fight": {"bands": {"al zoe": 1}}}})
    assert "bands.al zoe: must be two people in the scene" in found


def test_a_pair_named_twice_is_refused() -> None:
    [found] = differences({"al bo": 2, "bo al": 1}, {"edit": {}})
    assert "a pair is named twice, in both orders" in found
