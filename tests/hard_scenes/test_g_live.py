"""(g) An edit and another's roll while a question is open; undo, fork, kill -9 and resume; every seat's view."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from referee import registry
from referee.core.errors import BadAnswer, BadInput, Refused
from referee.core.plain import Plain
from referee.core.system import System
from referee.core.visibility import Seat
from referee.journal.journal import Journal
from referee.journal.lines import AnswerGiven
from referee.journal.log_items import StepRefused
from referee.journal.seeded_dice import SeededDice
from referee.store.log_file import LogFile
from referee.views.questions import view

SIXTH = Path(__file__).parent.parent / "sixth"
MASTER = Seat("game master", master=True)
ANA = Seat("Ana's", frozenset({"ana"}))
BO = Seat("Bo's", frozenset({"bo"}))
GUEST = Seat("guest")


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> System:
    """A system another package brings, found through its entry point."""
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    return registry.load("coin")


@pytest.fixture
def table(coin: System) -> Journal:
    scene = coin.state({"ana": {"purse": 5, "mark": "heads", "nerve": 2}, "bo": {"purse": 5, "nerve": 1}})
    return Journal(coin, scene, SeededDice(b"seven"))


def purses(table: Journal) -> dict[str, int]:
    plain = table.system.plain(table.state)
    return {name: plain[name]["purse"] for name in ("ana", "bo")}


def asked(table: Journal, seat: Seat) -> list[Plain]:
    return [f"{each['who']}.{each['prompt']}" for each in view(table, seat)["questions"]]


def test_a_step_waits_while_the_game_master_edits_and_another_plays(table: Journal) -> None:
    step = table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    table.answer("Ana's", step, "heads", part=0)
    table.edit("game master", "bo", purse=9)
    table.begin("Bo's", "coin.toss.toss", {"who": "bo", "bet": 4})
    assert purses(table)["bo"] in (5, 13)
    before = purses(table)
    table.answer("Bo's", step, "heads", part=1)
    assert purses(table) == {"ana": before["ana"] + 1, "bo": before["bo"] - 1}


def test_two_open_steps_are_both_brought_back(table: Journal) -> None:
    first = table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    second = table.begin("Bo's", "coin.sleight.sleight", {"who": "bo"})
    table.answer("Bo's", first, "tails", part=1)
    again = Journal(table.system, table.start, table.source, table.lines)
    assert again.asking == table.asking
    assert [(each.step, each.part) for each in again.asking] == [(first, 0), (second, 0)]
    again.answer("game master", second, 3)
    again.answer("Ana's", first, "tails", part=0)
    assert again.asking == ()


def test_a_secret_choice_is_seen_by_nobody_else_until_all_are_in(table: Journal) -> None:
    step = table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    other = table.fork(len(table.lines), None)
    table.answer("Ana's", step, "heads", part=0)
    other.answer("Ana's", step, "tails", part=0)
    for seat in (BO, GUEST):
        assert json.dumps(view(table, seat)) == json.dumps(view(other, seat))
    assert "heads" in json.dumps(view(table, ANA)["log"])
    table.answer("Bo's", step, "tails", part=1)
    for seat in (ANA, BO, GUEST):
        last = next(item for item in reversed(view(table, seat)["log"]) if item["kind"] == "answered")
        assert [*(each["answer"] for each in last["with"]), last["answer"]] == ["heads", "tails"]


def test_each_seat_is_asked_only_what_is_its_own(table: Journal) -> None:
    table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    assert asked(table, ANA) == ["ana.show"]
    assert asked(table, BO) == ["bo.show"]
    assert asked(table, MASTER) == ["ana.show", "bo.show"]
    assert asked(table, GUEST) == []
    assert [view(table, seat)["waiting"] for seat in (ANA, BO, MASTER, GUEST)] == [True, True, False, True]


def test_fields_are_shown_to_their_audience_only(table: Journal) -> None:
    assert view(table, GUEST)["scene"]["ana"] == {"kind": "Gambler", "purse": 5}
    assert view(table, BO)["scene"]["ana"] == {"kind": "Gambler", "purse": 5}
    assert view(table, ANA)["scene"]["ana"] == {"kind": "Gambler", "purse": 5, "mark": "heads"}
    assert view(table, MASTER)["scene"]["ana"] == {"kind": "Gambler", "purse": 5, "mark": "heads", "nerve": 2}


def test_a_hidden_throw_leaves_no_trace_in_the_views_of_others(coin: System) -> None:
    worlds = []
    for thrown, noticed in ((2, 0), (3, 4)):
        table = Journal(coin, coin.state({"ana": {}, "bo": {}}))
        step = table.begin("Ana's", "coin.sleight.sleight", {"who": "ana"})
        table.answer("dice", step, [[thrown]])
        table.answer("game master", step, noticed)
        worlds.append([json.dumps(view(table, seat)) for seat in (ANA, BO, GUEST)])
        assert f"[[{thrown}]]" in json.dumps(view(table, MASTER))
    assert worlds[0] == worlds[1]


def test_undo_of_any_line_brings_back_the_scene_before_it(table: Journal) -> None:
    seen = []
    for bet in (1, 2, 1):
        seen.append((len(table.lines), table.state))
        table.begin("Ana's", "coin.toss.toss", {"who": "ana", "bet": bet})
    for number, state in reversed(seen):
        assert [at for at, _ in table.would_undo(number)] == [number, number + 1]
        table.undo("game master", number)
        assert table.state == state
    for _ in seen:
        table.redo("game master")
    assert len(table.story) == 6


def test_undoing_an_answer_opens_its_question_again(table: Journal) -> None:
    step = table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    table.answer("Ana's", step, "heads", part=0)
    table.edit("game master", "bo", purse=7)
    table.answer("Bo's", step, "heads", part=1)
    table.undo("game master", 1)
    assert purses(table) == {"ana": 5, "bo": 5}
    assert [(each.step, each.part) for each in table.asking] == [(step, 0), (step, 1)]


def test_after_an_undo_new_throws_are_new_and_the_old_stay_in_the_log(table: Journal) -> None:
    for _ in range(6):
        table.begin("Ana's", "coin.toss.toss", {"who": "ana", "bet": 1})
        table.undo("game master", len(table.lines) - 2)
    throws = [line for line in table.lines if isinstance(line, AnswerGiven) and line.throw]
    assert [line.throw for line in throws] == [1, 2, 3, 4, 5, 6]
    assert len({str(line.answer) for line in throws}) > 1
    assert purses(table) == {"ana": 5, "bo": 5}


def test_redo_is_gone_once_something_new_has_happened(table: Journal) -> None:
    table.begin("Ana's", "coin.toss.toss", {"who": "ana", "bet": 1})
    table.undo("game master", 0)
    table.edit("game master", "bo", purse=1)
    with pytest.raises(BadInput, match="nothing was undone just now"):
        table.redo("game master")


def test_a_fork_goes_its_own_way(table: Journal) -> None:
    step = table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    table.answer("Ana's", step, "heads", part=0)
    fork = table.fork(len(table.lines), SeededDice(b"another"))
    table.answer("Bo's", step, "heads", part=1)
    fork.answer("Bo's", step, "tails", part=1)
    assert purses(table) == {"ana": 6, "bo": 4}
    assert purses(fork) == {"ana": 4, "bo": 6}


def test_a_refusal_in_the_middle_takes_back_that_step_only(table: Journal) -> None:
    table.edit("game master", "bo", purse=0)
    step = table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    table.answer("Ana's", step, "heads", part=0)
    table.edit("game master", "ana", purse=8)
    with pytest.raises(Refused, match="bo cannot pay"):
        table.answer("Bo's", step, "heads", part=1)
    assert purses(table) == {"ana": 8, "bo": 0}
    assert table.asking == ()
    assert isinstance(table.lines[-1].then[0], StepRefused)
    again = Journal(table.system, table.start, table.source, table.lines)
    assert (again.state, again.asking) == (table.state, ())


def test_a_refusal_at_once_leaves_no_trace(table: Journal) -> None:
    with pytest.raises(Refused, match="ana has 5"):
        table.begin("Ana's", "coin.toss.toss", {"who": "ana", "bet": 6})
    assert table.lines == []


def test_an_illegal_answer_leaves_the_question_open(table: Journal) -> None:
    step = table.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    with pytest.raises(BadAnswer, match="'edge' is not an option"):
        table.answer("Ana's", step, "edge", part=0)
    assert len(table.asking) == 2
    assert len(table.lines) == 1


PLAYER = """
import sys
from pathlib import Path
from random import Random
from referee.store.log_file import LogFile
from referee.testing.conformance import ConformanceWalk

path, seed = Path(sys.argv[1]), int(sys.argv[2])
file = LogFile.open(path)
walk = ConformanceWalk(file.journal.system, file.journal.start, seed)
walk.journal = file.journal
while True:
    walk.move()
    file.save()
    print(len(file.journal.lines), hash_of(file.journal), flush=True)
"""
HASH = """
import json
from hashlib import sha256

def hash_of(journal):
    return sha256(json.dumps(journal.system.plain(journal.state), sort_keys=True).encode()).hexdigest()
"""


@pytest.mark.parametrize("kills", [2, pytest.param(12, marks=pytest.mark.slow)])
def test_kill_9_at_any_point_loses_nothing_acknowledged(coin: System, tmp_path: Path, kills: int) -> None:
    space: dict[str, object] = {}
    exec(HASH, space)
    hash_of = space["hash_of"]
    assert callable(hash_of)
    path = tmp_path / "evening.jsonl"
    LogFile.create(path, coin, coin.state({"ana": {"purse": 500}, "bo": {"purse": 500}}), SeededDice(b"killed"))
    random = Random(9)
    told: list[tuple[int, str]] = []
    for attempt in range(kills):
        command = [sys.executable, "-c", HASH + PLAYER, str(path), str(attempt)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(SIXTH)}) as player:
            assert player.stdout is not None
            told += [_line(player.stdout.readline()) for _ in range(random.randint(1, 25))]
            player.send_signal(signal.SIGKILL)
            told += [_line(line) for line in player.stdout if line.endswith("\n")]
        if attempt % 3 == 0:  # and a line torn in its middle
            with path.open("a", encoding="utf-8") as file:
                file.write('{"kind": "edi')
        journal = LogFile.open(path).journal
        assert len(journal.lines) >= told[-1][0]
        for lines, state in told[-3:]:
            assert hash_of(Journal(coin, journal.start, None, journal.lines[:lines])) == state
    assert len(told) > 8 * kills


def _line(text: str) -> tuple[int, str]:
    lines, state = text.split()
    return int(lines), state
