"""`referee conform` finds what it is for, says it plainly, and can be stopped."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.core.errors import Refused
from referee.core.scene import Scene, Who
from referee.core.system import System
from referee.drivers.stop import Stop, timed_by
from referee.table.rehearsal import open_table
from referee.testing.conform import Effort, Finding, PagesPart, Progress, conform
from referee.web.own_table import OWN_TABLE

SIXTH = Path(__file__).parent.parent / "sixth"


@pytest.fixture
def coin(systems: None) -> Iterator[System]:
    yield registry.load("coin")
    registry.load.cache_clear()


def silent(part: str, done: int, of: int) -> None:
    pass


def found(
    system: System,
    walks: int = 3,
    seed: int = 0,
    told: Callable[[str, int, int], None] = silent,
    pages: Sequence[PagesPart] = (),
    minutes: float | None = None,
) -> dict[str, Finding]:
    effort = Effort(walks, 20, seed, minutes=minutes)
    return {each.part: each for each in conform(system, open_table, pages, effort, told)}


def test_a_system_that_conforms_has_no_problems(coin: System) -> None:
    parts = found(coin, pages=OWN_TABLE)
    assert list(parts) == [
        "words and look",
        "rulebook",
        "sheets",
        "people",
        "encounters",
        "walks",
        "odds",
        "answers",
        "cards",
        "two worlds",
        "rules reached",
    ]
    assert [each.problems for each in parts.values()] == [()] * 11
    assert all(each.complete for each in parts.values())
    assert parts["rules reached"].unreached == ("coin.toss.marked",)
    assert parts["rules reached"].done == "3 of 4"


def test_progress_is_told_walk_by_walk(coin: System) -> None:
    told: list[tuple[str, int, int]] = []
    found(coin, 2, told=lambda *each: told.append(each))
    assert told == [
        ("walks", 0, 2),
        ("walks", 1, 2),
        ("odds", 0, 1),
        ("answers", 0, 1),
        ("cards", 0, 1),
        ("two worlds", 0, 2),
        ("two worlds", 1, 2),
    ]


def test_all_parts_share_one_budget_of_time(coin: System) -> None:
    """A part that takes no time leaves its share to the others; with no time, nothing is walked, and that is said."""
    moment = 0.0
    shares: list[float | None] = []

    def looks_around(system: System, stop: Stop, told: Progress, /) -> Finding:
        nonlocal moment
        shares.append(stop.seconds_left)
        moment += 14
        return Finding("pages", "looked around")

    with timed_by(lambda: moment):
        found(coin, 1, pages=(looks_around, looks_around), minutes=1)
    assert shares == [pytest.approx(60 * 3 / 11), pytest.approx((60 - 14) * 3 / 8)]
    cut = found(coin, pages=OWN_TABLE, minutes=0)
    assert {part for part, each in cut.items() if not each.complete} >= {"sheets", "people", "walks", "two worlds"}
    assert not any(each.problems for each in cut.values())
    assert cut["walks"].done.startswith("0 walks")


def test_a_walk_through_pages_that_comes_to_no_end_is_a_finding(coin: System) -> None:
    def stumbles(system: System, stop: Stop, told: Progress, /) -> Finding:
        raise LookupError("no such page")

    (problem,) = found(coin, 1, pages=(stumbles,))["stumbles"].problems
    assert re.fullmatch(r"LookupError: no such page \(.*test_conform\.py:\d+\)", problem)


MUTATIONS: dict[str, Callable[..., Any]] = {
    "referee.core.visibility.visible_fields": lambda name, kind, fields, seat: fields,
    "referee.views.feed._hears": lambda line, seat: True,
}


@pytest.mark.parametrize("where", MUTATIONS)
def test_a_secret_that_is_told_is_a_leak(coin: System, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setattr(where, MUTATIONS[where])
    (problem,) = found(coin, 20)["two worlds"].problems
    assert "can tell by" in problem


def test_cards_that_everyone_sees_are_a_leak(den: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.core.visibility.may_look", lambda *_: True)
    (problem,) = found(den, 20)["two worlds"].problems
    assert "can tell by" in problem
    assert '"cards": [' in problem


def test_an_action_that_is_offered_but_refused_is_named_with_its_seed(den: System) -> None:
    (problem,) = found(den, 10)["walks"].problems
    assert re.match(r"cellar, seed \d: offered as legal, but refused: borrow: ", problem)


def test_a_sheet_that_the_book_does_not_allow_is_found(coin: System) -> None:
    def check(scene: Scene, who: Who[Any]) -> None:
        if scene[who].purse > 5:
            raise Refused("purse", because=f"{who} has {scene[who].purse}", rule="coin.toss.toss")

    (problem,) = found(replace(coin, check=check))["walks"].problems
    assert "purse: " in problem


def without(coin: System, folder: Path, part: str) -> System:
    """A copy of the system without a part of its folder."""
    shutil.copytree(coin.folder, folder / "coin")
    shutil.rmtree(folder / "coin" / part)
    return replace(coin, folder=folder / "coin")


def test_without_samples_nothing_can_be_played(coin: System, tmp_path: Path) -> None:
    parts = found(without(coin, tmp_path, "samples"))
    assert parts["samples"].problems == ("there is none, so nothing can be played; write samples/NAME.yaml",)
    assert "walks" not in parts


def test_a_system_in_which_nobody_can_act_does_not_conform(coin: System, tmp_path: Path) -> None:
    idle = replace(without(coin, tmp_path, "words"), actions=())
    assert found(idle)["walks"].problems == ("nobody could do anything in any sample",)


def test_a_sample_that_cannot_be_read_is_named(coin: System, tmp_path: Path) -> None:
    broken = without(coin, tmp_path, "words")
    (broken.folder / "samples" / "saloon.yaml").write_text("system: coin\nsheets: {ana: {purse: many}}\n", "utf-8")
    (problem,) = found(broken)["samples"].problems
    assert "scene.ana.purse: must be a whole number, not 'many'" in problem


# --- the command ------------------------------------------------------------------------------------------------------


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "referee", "conform", *words]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SIXTH)}


def test_programs_get_it_as_data() -> None:
    words = command("coin", "--walks", "1", "--moves", "5", "--json")
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    plain = json.loads(done.stdout)
    assert plain["conforms"] is True
    first = {
        "part": "words and look",
        "done": "proofread",
        "problems": [],
        "unreached": [],
        "too_large": [],
        "complete": True,
    }
    unworded = plain["parts"][0].pop("unworded")
    assert "changes.purse.changed" in unworded
    assert plain["parts"][0] == first


def test_a_system_that_is_not_installed_is_refused() -> None:
    done = subprocess.run(command("coyn"), capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("referee: system: 'coyn' is not known; did you mean 'coin'?")


def test_it_can_be_stopped() -> None:
    words = command("coin", "--walks", "100000")
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, "PYTHONUNBUFFERED": "1"}
    ) as started:
        assert started.stdout is not None
        while not started.stdout.readline().startswith("ok      rulebook"):
            pass
        started.send_signal(signal.SIGINT)
        try:
            _, said = started.communicate(timeout=20)
        finally:
            started.kill()
    assert (said, started.returncode) == ("Stopped after 2 parts.\n", 130)
