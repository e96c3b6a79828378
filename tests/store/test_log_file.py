"""A log in a file: durable, never overwritten, cut where it is incomplete, and loud about what is not a log."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.core.errors import BadInput
from referee.core.system import System
from referee.journal.seeded_dice import SeededDice
from referee.store.log_file import LogFile, seed_file

SIXTH = Path(__file__).parent.parent / "sixth"


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    return registry.load("coin")


@pytest.fixture
def evening(coin: System, tmp_path: Path) -> LogFile:
    """A log of one toss and one bluff that waits."""
    state = coin.state({"ana": {"purse": 5}, "bo": {"purse": 5}})
    file = LogFile.create(tmp_path / "evening.jsonl", coin, state, SeededDice(b"evening"))
    file.journal.begin("Ana's", "coin.toss.toss", {"who": "ana", "bet": 1})
    file.journal.begin("Ana's", "coin.bluff.bluff", {"who": "ana", "against": "bo"})
    file.save()
    return file


def same_table(one: LogFile, other: LogFile) -> bool:
    return (one.journal.state, one.journal.asking, one.journal.lines) == (
        other.journal.state,
        other.journal.asking,
        other.journal.lines,
    )


# --- writing ----------------------------------------------------------------------------------------------------------


def test_the_first_line_says_how_the_evening_began(evening: LogFile) -> None:
    header = json.loads(evening.path.read_text("utf-8").splitlines()[0])
    assert {name: header[name] for name in ("referee", "system", "version", "commitment")} == {
        "referee": 2,
        "system": "coin",
        "version": 1,
        "commitment": SeededDice(b"evening").commitment,
    }
    assert header["scene"]["ana"] == {"kind": "Gambler", "purse": 5, "mark": "", "nerve": 0}


def test_the_seed_lies_beside_the_log_and_not_in_it(evening: LogFile) -> None:
    assert seed_file(evening.path).read_text("utf-8") == b"evening".hex()
    assert b"evening".hex() not in evening.path.read_text("utf-8")


def test_each_line_of_the_log_is_one_line_of_the_file(evening: LogFile) -> None:
    lines = evening.path.read_text("utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in lines[1:]] == ["began", "answered", "began"]
    assert len(lines) == 1 + len(evening.journal.lines)


def test_saving_writes_only_what_is_new(evening: LogFile) -> None:
    before = evening.path.read_bytes()
    evening.save()
    assert evening.path.read_bytes() == before
    evening.journal.edit("game master", "bo", purse=9)
    evening.save()
    assert evening.path.read_bytes().startswith(before)
    assert evening.path.read_bytes().count(b"\n") == before.count(b"\n") + 1


@pytest.mark.parametrize("there", ["evening.jsonl", "evening.jsonl.seed"])
def test_an_existing_file_is_never_overwritten(coin: System, tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("precious", encoding="utf-8")
    with pytest.raises(BadInput, match=rf"^{re.escape(there)}: exists already"):
        LogFile.create(tmp_path / "evening.jsonl", coin, coin.state({}))
    assert [(file.name, file.read_text("utf-8")) for file in tmp_path.iterdir()] == [(there, "precious")]


def test_a_log_may_begin_in_a_folder_that_is_not_there_yet(coin: System, tmp_path: Path) -> None:
    path = tmp_path / "some" / "where" / "evening.jsonl"
    LogFile.create(path, coin, coin.state({}))
    assert LogFile.open(path).journal.lines == []


def test_two_evenings_have_dice_of_their_own(coin: System, tmp_path: Path) -> None:
    seeds = set()
    for name in ("one", "two"):
        LogFile.create(tmp_path / name, coin, coin.state({}))
        seeds.add(seed_file(tmp_path / name).read_text("utf-8"))
    assert len(seeds) == 2


# --- opening ----------------------------------------------------------------------------------------------------------


def test_a_log_opened_stands_where_it_stood(evening: LogFile) -> None:
    assert same_table(LogFile.open(evening.path), evening)


@pytest.mark.parametrize("text", ["Zoë – “née”", "two\u2028lines\u2029of\u0085one", "tab\tand\nbreak\r", "🂡"])
def test_any_text_in_a_sheet_survives_bug(evening: LogFile, text: str) -> None:
    evening.journal.edit("game master", "ana", mark=text)
    evening.save()
    assert same_table(LogFile.open(evening.path), evening)


@pytest.mark.parametrize("incomplete", ['{"kind": "edi', "{", "ë"[:1], '{"kind": "edited", "by": "x", "then": []}'])
def test_an_incomplete_last_line_is_cut_off_and_the_rest_stands(evening: LogFile, incomplete: str) -> None:
    whole = evening.path.read_bytes()
    evening.path.write_bytes(whole + incomplete.encode("utf-8"))
    assert same_table(LogFile.open(evening.path), evening)
    assert evening.path.read_bytes() == whole


def test_a_line_torn_within_a_letter_is_cut_off(evening: LogFile) -> None:
    whole = evening.path.read_bytes()
    evening.path.write_bytes(whole + '{"kind": "é'.encode()[:-1])
    LogFile.open(evening.path)
    assert evening.path.read_bytes() == whole


def test_a_cut_log_goes_on_as_if_nothing_had_been(evening: LogFile) -> None:
    evening.path.write_bytes(evening.path.read_bytes() + b'{"kind"')
    again = LogFile.open(evening.path)
    again.journal.edit("game master", "bo", purse=9)
    again.save()
    assert same_table(LogFile.open(evening.path), again)


def test_dice_that_were_lost_in_a_crash_fall_as_they_would_have(evening: LogFile) -> None:
    """The throw is a function of the seed and its number: a step begun and not saved comes out the same again."""
    evening.journal.begin("Bo's", "coin.toss.toss", {"who": "bo", "bet": 1})
    lost = LogFile.open(evening.path)
    lost.journal.begin("Bo's", "coin.toss.toss", {"who": "bo", "bet": 1})
    assert lost.journal.lines == evening.journal.lines


def replace_line(file: LogFile, number: int, text: str) -> None:
    lines = file.path.read_text("utf-8").split("\n")
    lines[number - 1] = text
    file.path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("not json", "evening.jsonl, line 3: not JSON: "),
        ("", "evening.jsonl, line 3: not JSON: "),
        ('{"kind": "edited"', "evening.jsonl, line 3: not JSON: "),
        ("[]", "evening.jsonl, line 3: not an object but list"),
        ("3", "evening.jsonl, line 3: not an object but int"),
        ("{}", "evening.jsonl, line 3: not a line of a log: kind: is missing: {}"),
        ('{"kind": "sang", "by": "x", "then": []}', "evening.jsonl, line 3: not a line of a log: "),
        ('{"kind": "edited", "by": 3, "then": []}', "evening.jsonl, line 3: not a line of a log: "),
        ('{"kind": "edited", "by": "x"}', "evening.jsonl, line 3: not a line of a log: "),
        (
            '{"kind": "undone", "by": "x", "then": []}',
            "evening.jsonl, line 3: not a line of a log: to: is missing",
        ),
        (
            '{"kind": "began", "by": "x", "then": []}',
            "evening.jsonl, line 3: not a line of a log: step: is missing",
        ),
    ],
)
def test_what_is_no_line_of_a_log_is_told_by_its_number(evening: LogFile, text: str, complaint: str) -> None:
    replace_line(evening, 3, text)
    before = evening.path.read_bytes()
    with pytest.raises(BadInput) as told:
        LogFile.open(evening.path)
    assert str(told.value).startswith(complaint)
    assert evening.path.read_bytes() == before


def test_bytes_that_are_no_text_are_told_by_their_line(evening: LogFile) -> None:
    evening.path.write_bytes(evening.path.read_bytes() + b'{"kind": "\xff"}\n')
    with pytest.raises(BadInput, match=r"evening\.jsonl, line 5: not JSON"):
        LogFile.open(evening.path)


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ({"referee": 3}, "a log of format 3; this Referee reads up to 2"),
        ({"referee": "1"}, "a log of format '1'; this Referee reads up to 2"),
        ({}, "a log of format None; this Referee reads up to 2"),
        ({"referee": 1}, "line 1: does not say how it began"),
        ({"referee": 1, "scene": {}}, "line 1: does not say how it began"),
        (
            {"referee": 1, "scene": {}, "system": "coyn", "version": 1},
            "system: 'coyn' is not known; did you mean 'coin'?",
        ),
        ([], "line 1: not an object but list"),
    ],
)
def test_a_foreign_format_is_refused_by_name(evening: LogFile, header: Any, complaint: str) -> None:
    replace_line(evening, 1, json.dumps(header))
    with pytest.raises(BadInput) as told:
        LogFile.open(evening.path)
    assert complaint in str(told.value)


@pytest.mark.parametrize("text", ["", '{"referee": 1'])
def test_a_file_without_a_whole_first_line_is_no_log(tmp_path: Path, text: str) -> None:
    (tmp_path / "empty").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="empty: the log has no beginning"):
        LogFile.open(tmp_path / "empty")


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        (None, "the seed of the dice cannot be read"),
        ("xyz", "the seed of the dice cannot be read"),
        (b"another".hex(), "is not the seed this log has committed to"),
    ],
)
def test_only_the_seed_that_was_committed_to_throws_the_dice(
    evening: LogFile, seed: str | None, complaint: str
) -> None:
    if seed is None:
        seed_file(evening.path).unlink()
    else:
        seed_file(evening.path).write_text(seed, encoding="utf-8")
    with pytest.raises(BadInput, match=f"evening.jsonl.seed: {complaint}"):
        LogFile.open(evening.path)
