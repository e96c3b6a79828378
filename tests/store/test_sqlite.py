"""What SQLite in particular must bear: damage, a full disk, older and newer schemas."""

from __future__ import annotations

import random
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from referee.store import copies, schema, sqlite
from referee.store.records import BadRecord, Damaged, Header, Invitation, LinesLost, LogRow, StoreError, TooNew
from referee.store.schema import Migration
from referee.store.sqlite import SQLiteStore, upgrade


def header(campaign: str) -> Header:
    return Header(campaign, campaign.title(), "alien", 1, 1, {"ana": {}}, 1000.0)


def rows(first: int, count: int = 1, text: str = "") -> list[LogRow]:
    return [LogRow(at, 1000.5 + at, {"kind": "edited", "n": at, "text": text}) for at in range(first, first + count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "referee.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    """A store with two campaigns of three lines each."""
    opened = SQLiteStore.open(path)
    for campaign in ("lamp", "moth"):
        opened.create(header(campaign))
        opened.append(campaign, 0, rows(0, 3), "key", {"ok": True})
    yield opened
    opened.close()


def raw(path: Path, sql: str, *values: Any) -> None:
    """Write to a database behind the store's back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql, values).rowcount != 0


# --- data that is gone ------------------------------------------------------------------------------------------------


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def deleted(path: Path) -> None:
    path.unlink()


def made_anew(path: Path) -> None:
    path.unlink()
    with closing(SQLiteStore.open(path, in_service=False)):
        pass


def older(path: Path) -> None:
    raw(path, "DELETE FROM lines WHERE campaign = 'moth' AND number = 2")
    raw(path, "UPDATE campaigns SET lines = 2 WHERE id = 'moth'")


@pytest.mark.parametrize("lose", [emptied, deleted, made_anew, older])
def test_a_database_that_has_lost_lines_is_not_opened(
    store: SQLiteStore, path: Path, lose: Callable[[Path], None]
) -> None:
    store.close()
    lose(path)
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    with pytest.raises(
        LinesLost, match=r"held 6 lines and now holds (0|5)\..*referee restore.*delete referee.sqlite.lines"
    ):
        SQLiteStore.open(path)
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before
    path.with_name("referee.sqlite.lines").unlink()
    SQLiteStore.open(path).close()


def test_a_database_without_its_write_ahead_log_is_not_opened(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    """As a copy of the one file of a running server is."""
    there = tmp_path / "there"
    there.mkdir()
    for name in ("referee.sqlite", "referee.sqlite.lines"):
        (there / name).write_bytes(path.with_name(name).read_bytes())
    with pytest.raises(LinesLost, match=r"it has lost its write-ahead log \(referee.sqlite-wal\)"):
        SQLiteStore.open(there / "referee.sqlite")
    wal = path.with_name("referee.sqlite-wal")
    (there / "referee.sqlite-wal").write_bytes(wal.read_bytes())
    with closing(SQLiteStore.open(there / "referee.sqlite")) as opened:
        assert opened.all_lines() == 6


@pytest.mark.parametrize("text", ["", "many", "-3", "\xff"])
def test_a_count_that_cannot_be_read_is_no_count(store: SQLiteStore, path: Path, text: str) -> None:
    store.close()
    path.with_name("referee.sqlite.lines").write_text(text, encoding="latin-1")
    with closing(SQLiteStore.open(path)) as opened:
        opened.append("lamp", 3, rows(3, 2))
    assert path.with_name("referee.sqlite.lines").read_text("ascii").strip() == "8"


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("CREATE TABLE songs (title TEXT)", "a table that is not Referee's: songs"),
        ("CREATE TRIGGER echo AFTER INSERT ON lines BEGIN DELETE FROM tokens; END", "a trigger that is not Referee's"),
        ("CREATE VIEW all_seeds AS SELECT seed FROM seeds", "a view that is not Referee's: all_seeds"),
    ],
)
def test_a_database_with_foreign_parts_is_refused(store: SQLiteStore, path: Path, sql: str, named: str) -> None:
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql)
    with pytest.raises(Damaged, match=named):
        SQLiteStore.open(path)


# --- how it is kept ---------------------------------------------------------------------------------------------------


def test_every_connection_waits_for_the_disk_and_holds_to_the_foreign_keys(store: SQLiteStore) -> None:
    with store._reading() as one, store._reading() as other:
        for connection in (one, other):
            found = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            ]
            assert found == ["wal", 2, 1, 10_000]


def test_only_its_owner_can_read_it(store: SQLiteStore, path: Path) -> None:
    beside = [path, *path.parent.glob("*-wal"), *path.parent.glob("*-shm")]
    assert len(beside) == 3
    assert {stat.S_IMODE(each.stat().st_mode) for each in beside} == {0o600}


def test_closed_it_is_one_file(store: SQLiteStore, path: Path) -> None:
    store.close()
    assert {each.name for each in path.parent.iterdir()} == {path.name, f"{path.name}.lines"}


def test_a_missing_database_is_made_only_if_wanted(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database at"):
        SQLiteStore.open(tmp_path / "none.sqlite", create_new=False)
    assert list(tmp_path.iterdir()) == []


def test_a_database_deleted_under_a_running_store_is_not_made_anew(store: SQLiteStore, path: Path) -> None:
    store.close()
    path.unlink()
    with pytest.raises(StoreError, match="cannot be opened; look at the rights"):
        store.count("lamp")
    assert not path.exists()


def test_a_file_left_empty_by_a_crash_is_filled(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with closing(SQLiteStore.open(path)) as store:
        store.create(header("lamp"))
        assert store.check() == []


def test_an_error_tells_no_secret(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    raw(store.path, "DROP TABLE seeds")
    with pytest.raises(StoreError) as raised:
        store.keep_seed("lamp", "commitment", b"the secret seed")
    assert "secret" not in str(raised.value) + str(raised.value.__cause__)


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("garbage", "why"),
    [
        ("{torn", "not JSON"),
        ("", "not JSON"),
        ("[1, 2]", "not an object but list"),
        ("null", "not an object"),
        ('{"x": NaN}', "not JSON: NaN is not a number"),
        ('{"x": 1e999}', "not JSON: 1e999 is not a number"),
        ('{"x": ' + "9" * 5000 + "}", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (b"\x00\xff\x00", "not text but bytes"),
        (12, "not JSON|not text|not an object"),
    ],
)
def test_a_bad_line_is_named_and_blocks_nothing_else(store: SQLiteStore, path: Path, garbage: object, why: str) -> None:
    raw(path, "UPDATE lines SET line = ? WHERE campaign = 'lamp' AND number = 1", garbage)
    reading = store.lines("lamp")
    assert next(reading) == rows(0)[0]
    with pytest.raises(BadRecord, match=why) as raised:
        next(reading)
    assert (raised.value.campaign, raised.value.line) == ("lamp", 1)
    assert str(raised.value).startswith("campaign 'lamp', line 1: cannot be read: ")
    assert list(store.lines("lamp", 2)) == rows(2)
    assert list(store.lines("moth")) == rows(0, 3)
    assert [(each.campaign, each.line) for each in store.check()] == [("lamp", 1)]
    store.close()
    with closing(SQLiteStore.open(path)) as again:
        again.append("moth", 3, rows(3))
        again.append("lamp", 3, rows(3))
        assert [each.id for each in again.headers()] == ["lamp", "moth"]


def test_text_that_is_no_utf8_spoils_one_line(store: SQLiteStore, path: Path) -> None:
    raw(path, "UPDATE lines SET line = CAST(x'7b2261223a2022ff227d' AS TEXT) WHERE campaign = 'lamp' AND number = 2")
    assert list(store.lines("lamp", 0, 2)) == rows(0, 2)
    with pytest.raises(BadRecord, match="line 2"):
        list(store.lines("lamp"))


def test_a_missing_line_is_named(store: SQLiteStore, path: Path) -> None:
    raw(path, "DELETE FROM lines WHERE campaign = 'lamp' AND number = 1")
    with pytest.raises(BadRecord, match=r"^campaign 'lamp', line 1: is missing$"):
        list(store.lines("lamp"))
    told = [str(each) for each in store.check()]
    assert told == [
        "campaign 'lamp': 2 lines are kept where there should be 3",
        "campaign 'lamp', line 1: is missing",
    ]


def test_a_line_too_many_is_found(store: SQLiteStore, path: Path) -> None:
    raw(path, "INSERT INTO lines VALUES ('lamp', 7, 1.0, '{}')")
    assert [str(each) for each in store.check()] == ["campaign 'lamp': 4 lines are kept where there should be 3"]


def test_a_line_of_no_campaign_is_found(store: SQLiteStore, path: Path) -> None:
    raw(path, "INSERT INTO lines VALUES ('nobody', 0, 1.0, '{}')")
    assert [str(each) for each in store.check()] == ["the database: a record of lines belongs to no campaign"]


def test_thousands_of_missing_lines_do_not_make_thousands_of_problems(store: SQLiteStore, path: Path) -> None:
    raw(path, "UPDATE campaigns SET lines = 2000000000 WHERE id = 'lamp'")
    problems = store.check()
    assert len(problems) == 22
    assert "further lines were not looked at" in str(problems[-1])


@pytest.mark.parametrize(
    "damage",
    [
        "name = x'ff'",
        "version = 'three'",
        "created = 'today'",
        "scene = '{'",
        "lines = 'many'",
        "name = CAST(x'ff' AS TEXT)",
    ],
)
def test_a_bad_header_is_named_and_blocks_nothing_else(store: SQLiteStore, path: Path, damage: str) -> None:
    raw(path, f"UPDATE campaigns SET {damage} WHERE id = 'lamp'")
    with pytest.raises(BadRecord) as raised:
        store.header("lamp")
    assert (raised.value.campaign, raised.value.line) == ("lamp", None)
    assert store.header("moth") == header("moth")
    assert {each.id for each in store.headers()} == {"lamp", "moth"}
    assert [each.problem for each in store.headers() if each.id == "moth"] == [None]
    assert {each.campaign for each in store.check()} == {"lamp"}
    store.append("moth", 3, rows(3))


def test_a_bad_count_is_no_conflict(store: SQLiteStore, path: Path) -> None:
    raw(path, "UPDATE campaigns SET lines = 'many' WHERE id = 'lamp'")
    with pytest.raises(BadRecord, match="the number of its lines cannot be read"):
        store.append("lamp", 3, rows(3))


def test_a_bad_checkpoint_gives_way_to_an_older_one(store: SQLiteStore, path: Path) -> None:
    store.keep_checkpoint("lamp", 1, "one")
    store.keep_checkpoint("lamp", 2, "two")
    raw(path, "UPDATE checkpoints SET plain = '{' WHERE number = 2")
    found = store.checkpoint("lamp")
    assert found is not None
    assert found.plain == "one"
    raw(path, "UPDATE checkpoints SET plain = x'00'")
    assert store.checkpoint("lamp") is None
    assert store.check() == []


@pytest.mark.parametrize("damage", ["data = x'00'", "data = 'text'"])
def test_a_file_that_is_no_longer_itself_is_not_given(store: SQLiteStore, path: Path, damage: str) -> None:
    kept = store.keep_file("lamp", "map.png", "image/png", b"map")
    raw(path, f"UPDATE files SET {damage}")
    with pytest.raises(BadRecord, match="is no longer what it was"):
        store.file("lamp", kept)
    assert [each.campaign for each in store.check()] == ["lamp"]


def test_a_bad_remembered_outcome_is_named(store: SQLiteStore, path: Path) -> None:
    raw(path, "UPDATE keys SET outcome = '{' WHERE campaign = 'lamp'")
    with pytest.raises(BadRecord, match="the outcome remembered under 'key'"):
        store.remembered("lamp", "key")
    assert store.remembered("moth", "key") == {"ok": True}


def page_of(path: Path, text: bytes) -> int:
    """The place in the file of the page that holds a text."""
    found = path.read_bytes().index(text)
    return found - found % 4096


def test_a_damaged_page_costs_the_lines_on_it_and_no_more(store: SQLiteStore, path: Path) -> None:
    store.append("lamp", 3, rows(3, 400, "lamp" * 100))
    store.append("moth", 3, rows(3, 400, "moth" * 100))
    store.close()
    with path.open("r+b") as file:
        file.seek(page_of(path, b'"n":200,"text":"lamp'))
        file.write(b"\xa5" * 4096)
    with closing(SQLiteStore.open(path)) as again:
        read: list[LogRow] = []
        with pytest.raises(BadRecord, match="cannot be read") as raised:
            read.extend(again.lines("lamp"))
        assert 190 < len(read) <= 200
        assert (raised.value.campaign, raised.value.line) == ("lamp", len(read))
        assert sum(1 for _ in again.lines("moth")) == 403
        again.append("moth", 403, rows(403))
        assert {each.campaign for each in again.check()} >= {None, "lamp"}
        assert "moth" not in {each.campaign for each in again.check()}


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough" * 100, b"x", b"\0" * 511, random.Random(1).randbytes(8192)]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(content)
    with pytest.raises(Damaged, match=r"the database is damaged|too short to be a database"):
        SQLiteStore.open(path)
    assert path.read_bytes() == content


def test_a_database_of_somebody_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "music.sqlite"
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE songs (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(Damaged, match="is not a database of Referee's"):
        SQLiteStore.open(path)
    assert path.read_bytes() == before


def test_random_damage_gives_sentences_and_nothing_else(tmp_path: Path) -> None:
    """Whatever byte of the file is wrong: a store that opens or refuses, and campaigns that read or complain."""
    whole = tmp_path / "whole.sqlite"
    with closing(SQLiteStore.open(whole)) as store:
        for campaign in ("lamp", "moth"):
            store.create(header(campaign))
            store.append(campaign, 0, rows(0, 30, campaign * 20), "key", 1)
    content = whole.read_bytes()
    chooser = random.Random(5)
    for at in range(60):
        path = tmp_path / f"{at}.sqlite"
        place, length = chooser.randrange(len(content)), chooser.choice((1, 16, 600))
        path.write_bytes(content[:place] + chooser.randbytes(length) + content[place + length :])
        try:
            with closing(SQLiteStore.open(path)) as store:
                store.check()
                for each in store.headers():
                    list(store.lines(each.id))
        except StoreError:
            continue  # anything else would fail the test


# --- a disk that refuses ----------------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_what_was_there_stays(store: SQLiteStore) -> None:
    store.close()
    event.listen(store._engine, "connect", lambda connection, _: connection.execute("PRAGMA max_page_count = 40"))
    with pytest.raises(StoreError, match="the disk is full; nothing was written"):
        store.append("lamp", 3, rows(3, 1000, "x" * 400), "full")
    assert list(store.lines("lamp")) == rows(0, 3)
    assert store.remembered("lamp", "full") is None
    assert "the disk is full" in store.write_problem
    store.append("lamp", 3, rows(3))
    assert store.check() == []


FILLING = """
import resource, sys
from pathlib import Path
from referee.store.sqlite import SQLiteStore
from referee.store.records import LogRow, StoreError
store = SQLiteStore.open(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
at = store.count("lamp")
try:
    while True:
        store.append("lamp", at, [LogRow(at, 1.0, {"x": "y" * 5000}), LogRow(at + 1, 1.0, {"x": "y" * 5000})])
        at += 2
except StoreError as told:
    print(at, told)
assert len(list(store.lines("lamp"))) == at
"""


def test_a_file_that_cannot_grow_is_told_and_nothing_acknowledged_is_lost(store: SQLiteStore, path: Path) -> None:
    store.close()
    done = subprocess.run([sys.executable, "-c", FILLING, str(path)], capture_output=True, text=True, check=False)
    acknowledged, _, told = done.stdout.partition(" ")
    assert "the disk refused to read or write" in told or "the disk is full" in told, done.stderr
    with closing(SQLiteStore.open(path)) as again:
        assert again.count("lamp") == int(acknowledged) > 3
        assert again.check() == []
        again.append("lamp", int(acknowledged), rows(int(acknowledged)))


def test_a_database_that_may_not_be_written_to_can_be_read(
    store: SQLiteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "connect", lambda path: copies.connect(path, "ro"))
    with closing(SQLiteStore.open(path)) as reader:
        assert list(reader.lines("lamp")) == rows(0, 3)
        for write in WRITES:
            with pytest.raises(StoreError, match="cannot be written to; look at the rights of its file and folder"):
                write(reader)


WRITES: list[Callable[[SQLiteStore], object]] = [
    lambda store: store.append("lamp", 3, rows(3)),
    lambda store: store.create(header("new")),
    lambda store: store.rename("lamp", "x"),
    lambda store: store.keep_seed("lamp", "c", b"s"),
]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        SQLiteStore.open(tmp_path / "file" / "referee.sqlite")


def test_a_writer_from_elsewhere_is_waited_for_and_then_told(
    store: SQLiteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "BUSY", 0.2)
    store.close()  # its next connections wait less
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.count("lamp") == 3
        with pytest.raises(StoreError, match="another process is writing to the database; nothing was written"):
            store.append("lamp", 3, rows(3))
        other.execute("ROLLBACK")
    store.append("lamp", 3, rows(3))


# --- schemas ----------------------------------------------------------------------------------------------------------


def add_colour(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE campaigns ADD COLUMN colour TEXT")


def fail(connection: Connection) -> None:
    connection.exec_driver_sql("CREATE TABLE half (x)")
    connection.exec_driver_sql("SELECT nonsense FROM nowhere")


def columns(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {each[1] for each in connection.execute("PRAGMA table_info(campaigns)")}


def schema_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("SELECT value FROM about").fetchone()[0]
        return found


def test_an_older_database_is_upgraded_after_a_copy(
    store: SQLiteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, Migration("campaigns have a colour", add_colour)))
    assert upgrade(path, dry_run=True) == ("to schema 4: campaigns have a colour",)
    assert schema_of(path) == 3
    assert {each.name for each in path.parent.iterdir()} == {path.name, f"{path.name}.lines"}

    assert upgrade(path) == ("to schema 4: campaigns have a colour",)
    assert schema_of(path) == 4
    assert "colour" in columns(path)
    (copy,) = path.parent.glob("*.before-schema-4.*")
    assert schema_of(copy) == 3
    assert "colour" not in columns(copy)
    with closing(SQLiteStore.open(path)) as again:
        assert list(again.lines("lamp")) == rows(0, 3)
    assert upgrade(path, dry_run=True) == upgrade(path) == ()
    assert len(list(path.parent.glob("*.before-schema-*"))) == 1


def test_a_database_from_before_standing_invitations_keeps_one_after_its_upgrade(
    store: SQLiteStore, path: Path
) -> None:
    store.close()
    raw(path, "DROP TABLE uploads")
    raw(path, "ALTER TABLE invitations DROP COLUMN code")
    raw(path, "UPDATE about SET value = 1")
    with closing(SQLiteStore.open(path)) as again:
        assert again.check() == []
        again.keep_invitation(Invitation("d", "lamp", "player", uses=9, code="amber-river-piano-tiger-47"))
        assert again.invitations("lamp")[-1].code == "amber-river-piano-tiger-47"
        again.keep_file("lamp", "map.png", "image/png", b"map", "ana")
        assert [each.name for each in again.files("lamp", "ana")] == ["map.png"]
    assert schema_of(path) == 3


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    store: SQLiteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "STEPS", (*schema.STEPS, Migration("a colour", add_colour), Migration("fails", fail)))
        assert len(upgrade(path, dry_run=True)) == 2
        with pytest.raises(StoreError, match="no such table: nowhere"):
            SQLiteStore.open(path)
    assert schema_of(path) == 3
    assert "colour" not in columns(path)
    with closing(SQLiteStore.open(path)) as again:
        assert again.check() == []


def test_a_newer_database_is_refused_with_a_sentence_and_left_alone(store: SQLiteStore, path: Path) -> None:
    store.close()
    raw(path, "UPDATE about SET value = 7")
    with pytest.raises(TooNew, match=r"was written by a later Referee \(schema 7\); this one reads up to 3"):
        SQLiteStore.open(path)
    with pytest.raises(TooNew):
        upgrade(path, dry_run=True)
    assert schema_of(path) == 7


@pytest.mark.parametrize("value", ["'one'", "0", "-3", "x'00'"])
def test_a_schema_that_is_none_is_refused(store: SQLiteStore, path: Path, value: str) -> None:
    store.close()
    raw(path, f"UPDATE about SET value = {value}")
    with pytest.raises(Damaged, match="is not a database of Referee's"):
        SQLiteStore.open(path)


# --- how long it takes ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_fifty_thousand_lines(path: Path, record_property: Callable[[str, object], None]) -> None:
    """Timed, not judged: `pytest -rP` shows the figures."""
    with closing(SQLiteStore.open(path)) as store:
        store.create(header("long"))
        clock = time.perf_counter()
        store.append("long", 0, rows(0, 50_000, "x" * 100))
        wrote = time.perf_counter()
        assert sum(1 for _ in store.lines("long")) == 50_000
        read = time.perf_counter()
        assert store.check() == []
        checked = time.perf_counter()
        for at in range(50_000, 50_100):
            store.append("long", at, rows(at), str(at))
        single = time.perf_counter()
    for name, took in (("write", wrote - clock), ("read", read - wrote), ("check", checked - read)):
        record_property(name, took)
    record_property("one durable append", (single - checked) / 100)
