"""Where code and rulebook do not agree is found and named."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee import registry
from referee.core.printed_book import PRINTED_BOOKS
from referee.core.system import System
from referee.testing.rulebook import rulebook_faults


@pytest.fixture
def coin(systems: None, tmp_path: Path) -> Iterator[System]:
    """A copy of the coins, to be spoiled."""
    original = registry.load("coin")
    shutil.copytree(original.folder, tmp_path / "coin")
    yield replace(original, folder=tmp_path / "coin")
    PRINTED_BOOKS["coin"] = original.printed_book
    registry.load.cache_clear()


def test_nothing_is_wrong_with_the_coins(coin: System) -> None:
    assert list(rulebook_faults(coin)) == []


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    [
        ("  - id: coin.manners", "  -\n    id: coin.manners", "coin.manners is not found; its entry must begin with"),
        ("  - id: coin.sleight.sleight", "  - id: coin.sleight.slight", "cites coin.sleight.sleight, which is not in"),
        ("  - id: coin.manners", "  - id: manners.coin", "manners.coin: an id begins with the name of the system"),
        ("rule: Smile while you lose.", "rule: ''", "coin.manners: says nothing"),
        ("rule: Smile while", "refs: [coin.smile]\n    rule: Smile while", "coin.manners: refers to coin.smile, which"),
        ("values: {fewer: 1}", "values: {fewer: 1, effect: One head less.}", "coin.toss.marked: effect is prose"),
        ("values: {fewer: 1}", "values: {fewer: few}", "coin.toss.marked"),
        ("values: {fewer: 1}", "values: {}", "coin.toss.marked"),
        ("kind: guidance", "kind: procedure", "coin.manners: no code and no table stands behind it"),
        ("kind: guidance", "kind: gossip", "gossip"),
    ],
)
def test_a_fault_is_named(coin: System, good: str, bad: str, problem: str) -> None:
    file = coin.folder / "rulebook" / "coin.yaml"
    text = file.read_text("utf-8")
    assert good in text
    file.write_text(text.replace(good, bad), "utf-8")
    found = list(rulebook_faults(coin))
    assert any(problem in each for each in found), found
