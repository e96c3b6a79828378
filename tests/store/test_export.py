"""A whole campaign as one file: out, in, and all the ways in which such a file can be wrong."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.core.errors import BadInput
from referee.journal.lines import Line
from referee.journal.seeded_dice import SeededDice
from referee.store.base import Store
from referee.store.export import export_campaign, import_campaign
from referee.store.records import BadRecord, Header, LogRow, Seed, Taken, UnknownCampaign
from referee.store.sqlite import SQLiteStore

SAMPLES = Path(__file__).parent.parent / "table" / "samples"
HEADER = Header("lamp", "Die Lampe ✨", "alien", 3, 1, {"ana": {"kind": "Colonist", "stress": 0}}, 1000.25, "moth")
OLD, NEW = SeededDice(b"the old seed"), SeededDice(b"the new seed")
MAP = bytes(range(256)) * 3


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A campaign of three lines, two seeds of which one is revealed, and a map."""
    opened = SQLiteStore.open(tmp_path / "referee.sqlite")
    opened.create(HEADER)
    opened.append("lamp", 0, lines(3), "key", {"ok": 1})
    for each in (OLD, NEW):
        opened.keep_seed("lamp", each.commitment, each.seed)
    opened.reveal_seed("lamp", OLD.commitment, 2000.0)
    opened.keep_file("lamp", "map.png", "image/png", MAP)
    opened.keep_checkpoint("lamp", 3, {})
    yield opened
    opened.close()


def lines(count: int) -> list[LogRow]:
    return [
        LogRow(at, 1000.5 + at, {"kind": "edited", "by": "gm", "then": [{"gone": f"zeile {at} ü\ud800", "rules": []}]})
        for at in range(count)
    ]


def exported(store: Store, seeds: bool = False, stop: int | None = None) -> bytes:
    file = io.BytesIO()
    export_campaign(store, "lamp", file, seeds, stop)
    return file.getvalue()


def imported(store: Store, content: bytes, new_id: str = "new", **more: Any) -> Header:
    return import_campaign(store, io.BytesIO(content), new_id, **more)


def signed(records: list[Any]) -> bytes:
    """A file with a checksum that fits."""
    body = b"".join(json.dumps(each).encode() + b"\n" for each in records)
    return body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


def records(content: bytes) -> list[Any]:
    return [json.loads(line) for line in content.splitlines()[:-1]]


# --- there and back ---------------------------------------------------------------------------------------------------


def test_a_campaign_comes_back_whole_under_a_new_id(store: Store) -> None:
    assert imported(store, exported(store, seeds=True)) == replace(HEADER, id="new")
    assert store.header("new") == replace(HEADER, id="new")
    assert list(store.lines("new")) == list(store.lines("lamp")) == lines(3)
    assert store.files("new") == store.files("lamp")
    (info,) = store.files("new")
    assert store.file("new", info.id) == store.file("lamp", info.id)
    assert store.seeds("new") == [Seed(OLD.commitment, OLD.seed, 2000.0)]
    assert store.headers()[-1].active == store.headers()[0].active == 1002.5
    assert store.check() == []
    again = exported(store)
    file = io.BytesIO()
    export_campaign(store, "new", file)
    assert file.getvalue().splitlines()[1:-1] == again.splitlines()[1:-1]


def test_secrets_stay_at_home(store: Store) -> None:
    without, with_seeds = exported(store), exported(store, seeds=True)
    for secret in (OLD.seed, NEW.seed):
        assert secret.hex().encode() not in without
        assert secret not in without
    assert OLD.seed.hex().encode() in with_seeds
    assert NEW.seed.hex().encode() not in with_seeds
    assert b"key" not in without


def test_the_file_is_what_its_description_says(store: Store) -> None:
    header, *rest = records(exported(store, seeds=True))
    assert header == {
        "referee": 1,
        "kind": "campaign",
        "id": "lamp",
        "name": "Die Lampe ✨",
        "system": "alien",
        "version": 3,
        "format": 1,
        "scene": HEADER.scene,
        "created": 1000.25,
        "forked_from": "moth",
        "lines": 3,
        "seeds": 1,
        "files": 1,
    }
    assert rest[0] == {"number": 0, "at": 1000.5, "line": lines(1)[0].line}
    assert rest[3] == {"commitment": OLD.commitment, "seed": OLD.seed.hex(), "revealed": 2000.0}
    data = base64.b64encode(MAP).decode()
    assert rest[4] == {"file": hashlib.sha256(MAP).hexdigest(), "name": "map.png", "media": "image/png", "data": data}


def test_the_first_lines_can_be_had_alone(store: Store) -> None:
    imported(store, exported(store, stop=2))
    assert list(store.lines("new")) == lines(2)
    imported(store, exported(store, stop=99), "newer")
    assert store.count("newer") == 3


def test_a_campaign_with_a_bad_line_is_no_export_but_the_lines_before_it_are(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "referee.sqlite")) as connection, connection:
        connection.execute("UPDATE lines SET line = '{' WHERE number = 2")
    file = io.BytesIO()
    with pytest.raises(BadRecord, match="'lamp', line 2"):
        export_campaign(store, "lamp", file)
    with pytest.raises(BadInput, match="cut off"):
        imported(store, file.getvalue())
    imported(store, exported(store, stop=2))
    assert list(store.lines("new")) == lines(2)


def test_an_unknown_campaign_is_not_exported(store: Store) -> None:
    with pytest.raises(UnknownCampaign):
        export_campaign(store, "nobody", io.BytesIO())


def test_an_import_never_overwrites(store: Store) -> None:
    with pytest.raises(Taken):
        imported(store, exported(store), "lamp")
    with pytest.raises(BadInput, match="campaign: must have 1 to 64"):
        imported(store, exported(store), "../up")


def test_many_lines_go_through_in_a_stream(store: Store) -> None:
    store.append("lamp", 3, lines(5000)[3:])
    imported(store, exported(store))
    assert list(store.lines("new")) == lines(5000)


# --- what is wrong with it --------------------------------------------------------------------------------------------


def test_a_file_cut_off_anywhere_is_recognised(store: Store) -> None:
    content = exported(store, seeds=True)
    for end in [*range(0, len(content), 23), *range(len(content) - 80, len(content))]:
        with pytest.raises(BadInput, match=r"cut off|is empty"):
            imported(store, content[:end])
    assert [each.id for each in store.headers()] == ["lamp"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(at=st.integers(0), value=st.integers(0, 255))
def test_a_changed_byte_is_recognised(store: Store, at: int, value: int) -> None:
    content = bytearray(exported(store, seeds=True))
    at %= len(content)
    if content[at] == value:
        return
    content[at] = value
    with pytest.raises(BadInput):
        imported(store, bytes(content))
    assert [each.id for each in store.headers()] == ["lamp"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300))
def test_any_bytes_get_a_sentence(store: Store, content: bytes) -> None:
    with pytest.raises(BadInput, match=r"^line \d"):
        imported(store, content)


def test_windows_line_ends_are_a_change(store: Store) -> None:
    with pytest.raises(BadInput, match="the checksum does not fit: the file was changed or damaged"):
        imported(store, exported(store).replace(b"\n", b"\r\n"))


Change = Callable[[list[Any]], object]


def put(at: int, /, **values: Any) -> Change:
    return lambda file: file[at].update(values)


def drop(at: int, name: str) -> Change:
    return lambda file: file[at].pop(name)


WRONG: list[tuple[str, Change, str]] = [
    ("another kind of file", put(0, kind="sheet"), r"^line 1: is not the header of a campaign"),
    ("a later format", put(0, referee=2), r"^line 1: a campaign of format 2; this Referee reads format 1"),
    ("a later log", put(0, format=3), r"^line 1: format: a log of format 3"),
    ("no scene", drop(0, "scene"), r"^line 1: scene: is missing"),
    ("something unknown", put(0, colour="red"), r"^line 1: colour: is not known"),
    ("no name", put(0, name=""), r"^line 1: name: must have"),
    ("a name that is none", put(0, name=["x"]), r"^line 1: name: must be text"),
    ("a version that is none", put(0, version="3"), r"^line 1: version: must be a whole number"),
    ("a huge version", put(0, version=10**30), r"^line 1: version"),
    ("a bad origin", put(0, forked_from="a/b"), r"^line 1: forked_from"),
    ("no time", put(0, created=None), r"^line 1: created: must be a time"),
    ("no count", drop(0, "lines"), r"^line 1: lines: is missing"),
    ("a count that is none", put(0, files="many"), r"^line 1: files: must be a whole number"),
    ("too small a count", put(0, lines=2), r"^line 4: there are more lines than the first line says"),
    ("too large a count", put(0, lines=4), r"^line 7: 1 lines are missing"),
    ("a missing file", put(0, files=2), r"^line 7: 1 files are missing"),
    ("a gap", put(2, number=2), r"^line 3: number: is 2 where 1 should be"),
    ("a repeated line", put(2, number=0), r"^line 3: number: is 0 where 1 should be"),
    ("a number that is none", put(2, number="1"), r"^line 3: number: must be"),
    ("a number that is a truth", put(2, number=True), r"^line 3: number: must be"),
    ("a line that is none", put(2, line=[1]), r"^line 3: line: must be an object, not list"),
    ("a time that is none", put(2, at="now"), r"^line 3: at: must be a time"),
    ("a line without its time", drop(2, "at"), r"^line 3: is not part of a campaign"),
    ("a line with more", put(2, more=1), r"^line 3: is not part of a campaign"),
    ("a seed not committed to", put(4, seed="00"), r"^line 5: seed: is not the one that was committed to"),
    ("a seed that is none", put(4, seed="xyz"), r"^line 5: seed: is not hexadecimal"),
    ("a seed that is a number", put(4, seed=5), r"^line 5: seed: must be text"),
    ("a seed not revealed", put(4, revealed=None), r"^line 5: revealed: must be a time"),
    ("other bytes", put(5, data="AAAA"), r"^line 6: map.png: its bytes are not those it is named after"),
    ("bytes that are none", put(5, data="§"), r"^line 6: data: is not base64"),
    ("bytes that are a list", put(5, data=[1]), r"^line 6: data: is not base64"),
    ("a file without a name", put(5, name=""), r"^line 6: name of the file"),
    ("a file named by a number", put(5, file=7), r"^line 6: map.png: its bytes"),
    ("a line that is no object", lambda file: file.insert(1, [1]), r"^line 2: not an object but list"),
    ("nothing but a header", lambda file: file.__delitem__(slice(1, None)), r"^line 2: 3 lines are missing"),
    ("a second header", lambda file: file.insert(1, file[0]), r"^line 2: is not part of a campaign"),
]


@pytest.mark.parametrize(("change", "why"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_a_file_with_a_fitting_checksum_can_still_be_wrong(store: Store, change: Change, why: str) -> None:
    file = records(exported(store, seeds=True))
    change(file)
    with pytest.raises(BadInput, match=why):
        imported(store, signed(file))
    assert [each.id for each in store.headers()] == ["lamp"]
    assert store.check() == []


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"number": 0, "at": NaN, "line": {}}', "NaN is not a number"),
        (b'{"number": 0, "at": 1e999, "line": {}}', "1e999 is not a number"),
        (b'{"number": 0, "at": 1.0, "line": {"x": -Infinity}}', "-Infinity is not a number"),
        (b'{"number": 0, "at": 1.0, "line": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"number": 0, "at": 1.0, "line": {"x": ' + b"9" * 5000 + b"}}", "not JSON"),
        (b'{"number": 0, "at": 1.0, "line": {"x": "\xff"}}', "decode"),
        (b"", "not JSON"),
    ],
)
def test_json_that_is_none_is_named(store: Store, raw: bytes, why: str) -> None:
    head = json.dumps(records(exported(store))[0] | {"lines": 1, "files": 0}).encode()
    body = head + b"\n" + raw + b"\n"
    content = body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"
    with pytest.raises(BadInput, match=f"^line 2: .*{why}"):
        imported(store, content)


def test_nothing_may_follow_the_checksum(store: Store) -> None:
    with pytest.raises(BadInput, match=r"^line 7: nothing may follow the checksum"):
        imported(store, exported(store) + b"\n")


def test_a_checksum_alone_is_no_campaign(store: Store) -> None:
    with pytest.raises(BadInput, match=r"^line 1: is not the header of a campaign"):
        imported(store, signed([]))


def test_a_file_has_limits(store: Store) -> None:
    content = exported(store)
    with pytest.raises(BadInput, match="the file is too large"):
        imported(store, content, limit=len(content) - 1)
    imported(store, content, limit=len(content))
    with pytest.raises(BadInput, match=r"^line 1: is too long"):
        imported(store, b'{"x": "' + b"y" * 2**24 * 2, "newer")


def test_lines_can_be_held_to_what_a_log_is(store: Store) -> None:
    imported(store, exported(store), "good", check_line=Line.from_plain)
    file = records(exported(store))
    file[2]["line"] = {"kind": "sung"}
    imported(store, signed(file), "unchecked")
    with pytest.raises(BadInput, match=r"^line 3: log: not a line of a log"):
        imported(store, signed(file), check_line=Line.from_plain)


# --- files of earlier releases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("campaign-*.jsonl")), ids=lambda path: path.stem)
def test_a_campaign_exported_by_an_older_referee_still_opens(store: Store, sample: Path) -> None:
    with sample.open("rb") as file:
        header = import_campaign(store, file, "sample", check_line=Line.from_plain)
    assert header.system == "coin"
    assert [row.line["kind"] for row in store.lines("sample")] == ["began", "answered", "edited", "undone"]
    assert [each.name for each in store.files("sample")] == ["note.txt"]
    assert [SeededDice(each.seed).commitment for each in store.seeds("sample")] == [SeededDice(b"sample").commitment]


def test_there_is_a_sample_of_every_format() -> None:
    assert [path.name for path in sorted(SAMPLES.glob("campaign-*.jsonl"))] == ["campaign-1.jsonl"]
