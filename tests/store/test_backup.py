"""Backups that are whole, and a restore after which the old database is still there."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.core.errors import BadInput
from referee.store import backup as backups
from referee.store import copies, schema
from referee.store.backup import automatic_backups, backup_by_hand, restore
from referee.store.records import Conflict, Damaged, Header, LogRow, StoreError, TooNew
from referee.store.schema import Migration
from referee.store.sqlite import SQLiteStore

NOON = datetime(2026, 5, 9, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def rows(first: int, count: int = 1) -> list[LogRow]:
    return [LogRow(at, 1000.5 + at, {"kind": "edited", "n": at}) for at in range(first, first + count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "referee.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    opened = SQLiteStore.open(path)
    opened.create(Header("lamp", "The Lamp", "alien", 1, 1, {}, 1000.0))
    opened.append("lamp", 0, rows(0, 3))
    yield opened
    opened.close()


def count(path: Path) -> int:
    with closing(SQLiteStore.open(path, create_new=False, in_service=False)) as opened:
        assert opened.check() == []
        return opened.count("lamp")


def spoil(path: Path, sql: str = "UPDATE lines SET line = '{' WHERE number = 1") -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql)


# --- backups ----------------------------------------------------------------------------------------------------------


def test_a_backup_is_one_whole_file_for_its_owner(store: SQLiteStore, tmp_path: Path) -> None:
    target = tmp_path / "away" / "copy.sqlite"
    store.backup(target)
    assert list(target.parent.iterdir()) == [target]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_bytes()[18:20] == b"\1\1"  # no write-ahead log: it can be read where nothing can be written
    assert count(target) == 3
    assert list(target.parent.iterdir()) == [target]


def test_a_backup_never_overwrites(store: SQLiteStore, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite"
    target.write_text("a letter")
    with pytest.raises(StoreError, match="exists already; a backup never overwrites a file"):
        store.backup(target)
    assert target.read_text() == "a letter"
    with pytest.raises(StoreError, match="never overwrites"):
        store.backup(store.path)
    assert store.check() == []


def test_what_comes_to_stand_there_meanwhile_is_not_overwritten_either(
    store: SQLiteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.sqlite"
    monkeypatch.setattr(copies, "_copy", lambda source, part: target.write_text("a letter"))
    with pytest.raises(StoreError, match="never overwrites"):
        store.backup(target)
    assert target.read_text() == "a letter"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["copy.sqlite", "data"]


def test_a_backup_is_of_one_moment_while_play_goes_on(store: SQLiteStore, tmp_path: Path) -> None:
    stop = threading.Event()

    def play() -> None:
        while not stop.is_set():
            at = store.count("lamp")
            store.append("lamp", at, rows(at, 5))

    player = threading.Thread(target=play)
    player.start()
    try:
        counts = []
        for number in range(6):
            store.backup(tmp_path / f"{number}.sqlite")
            counts.append(count(tmp_path / f"{number}.sqlite"))
    finally:
        stop.set()
        player.join()
    assert counts == sorted(counts)
    assert all(each % 5 == 3 for each in counts)
    assert counts[-1] > counts[0]


def test_a_backup_that_fails_leaves_nothing(
    store: SQLiteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("_copy", "sync", "put_new"):
        with monkeypatch.context() as patch:
            patch.setattr(copies, name, full)
            with pytest.raises(StoreError, match=r"cannot be copied to .*: No space left on device"):
                store.backup(tmp_path / "away" / "copy.sqlite")
        assert [each for each in (tmp_path / "away").iterdir() if each.suffix != ".sqlite"] == []
        assert not (tmp_path / "away" / "copy.sqlite").exists()


# --- every day --------------------------------------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir() if each.suffix != ".lines")


def test_a_copy_is_made_once_a_day(store: SQLiteStore, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    assert automatic_backups(store, folder, now=NOON) == folder / "referee-20260509T120000Z.sqlite"
    assert automatic_backups(store, folder, now=NOON + DAY / 2) is None
    assert automatic_backups(store, folder, now=NOON + DAY) == folder / "referee-20260510T120000Z.sqlite"
    assert names(folder) == ["referee-20260509T120000Z.sqlite", "referee-20260510T120000Z.sqlite"]
    assert count(folder / "referee-20260510T120000Z.sqlite") == 3


def test_only_the_newest_are_kept_and_other_files_are_let_be(store: SQLiteStore, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    others = [
        "holiday.sqlite",
        "referee-before-the-party.sqlite",
        "other-20200101T000000Z.sqlite",
        "referee-20200101.txt",
    ]
    for name in others:
        (folder / name).write_text("mine")
    for day in range(5):
        automatic_backups(store, folder, keep=3, now=NOON + day * DAY)
    assert names(folder) == sorted([*others, *(f"referee-202605{day}T120000Z.sqlite" for day in (11, 12, 13))])


@pytest.mark.parametrize("keep", [1, 0, -5])
def test_the_newest_is_never_pruned(store: SQLiteStore, tmp_path: Path, keep: int) -> None:
    for day in range(3):
        made = automatic_backups(store, tmp_path / "backups", keep=keep, now=NOON + day * DAY)
        assert made is not None
        assert names(tmp_path / "backups") == [made.name]


def test_a_clock_that_was_wrong_does_not_stop_the_backups(store: SQLiteStore, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    automatic_backups(store, folder, keep=1, now=NOON + 900 * DAY)
    made = automatic_backups(store, folder, keep=1, now=NOON)
    assert made is not None
    assert names(folder) == [made.name]


def test_nothing_is_pruned_while_the_newest_has_problems(store: SQLiteStore, tmp_path: Path) -> None:
    automatic_backups(store, tmp_path / "backups", keep=1, now=NOON)
    spoil(store.path)
    for day in (1, 2):
        assert automatic_backups(store, tmp_path / "backups", keep=1, now=NOON + day * DAY)
    assert len(names(tmp_path / "backups")) == 3
    assert count(tmp_path / "backups" / "referee-20260509T120000Z.sqlite") == 3


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_a_copy_by_hand_never_pushes_out_a_daily_one(store: SQLiteStore, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    automatic_backups(store, folder, keep=1, now=NOON)
    for hour in range(7):
        backup_by_hand(store, folder, now=NOON + timedelta(hours=hour))
    assert len(names(folder)) == 6
    assert "referee-20260509T120000Z.sqlite" in names(folder)
    assert next(iter(backups.backups(store, folder))).name == "referee-by-hand-20260509T180000Z.sqlite"
    automatic_backups(store, folder, keep=1, now=NOON + DAY)
    assert len(names(folder)) == 6
    assert count(folder / "referee-by-hand-20260509T180000Z.sqlite") == 3


def test_a_copy_by_hand_is_refused_shortly_after_the_last(store: SQLiteStore, tmp_path: Path) -> None:
    backup_by_hand(store, tmp_path, now=NOON)
    with pytest.raises(BadInput, match="after 5 minutes"):
        backup_by_hand(store, tmp_path, now=NOON + timedelta(minutes=4))


# --- going back -------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(store: SQLiteStore, path: Path, tmp_path: Path) -> Path:
    """A backup of three lines; the database has five, and is closed."""
    target = tmp_path / "saved.sqlite"
    store.backup(target)
    store.append("lamp", 3, rows(3, 2))
    store.close()
    return target


def test_the_old_database_lies_beside_the_restored_one(saved: Path, path: Path) -> None:
    aside = restore(saved, path, now=NOON)
    assert aside == path.with_name("referee.sqlite.before-restore.20260509T120000Z")
    assert (count(path), count(aside), count(saved)) == (3, 5, 3)
    assert names(path.parent) == [path.name, aside.name]
    again = restore(aside, path, now=NOON)
    assert again == aside.with_name(f"{aside.name}-2")
    assert (count(path), count(aside), count(again)) == (5, 5, 3)


def test_a_restored_database_is_played_on(saved: Path, path: Path) -> None:
    restore(saved, path)
    with closing(SQLiteStore.open(path)) as store:
        with pytest.raises(Conflict):
            store.append("lamp", 5, rows(5))
        store.append("lamp", 3, rows(3))
    assert count(path) == 4
    assert count(saved) == 3


def test_a_backup_can_be_put_where_nothing_stands(saved: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.sqlite"
    assert restore(saved, target) is None
    assert count(target) == 3


def test_an_open_database_is_not_pulled_away(saved: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "BUSY", 0.2)
    with closing(SQLiteStore.open(path)) as server:
        server.count("lamp")
        with pytest.raises(StoreError, match="is in use; stop the server first"):
            restore(saved, path)
        server.append("lamp", 5, rows(5))
    assert count(path) == 6
    assert names(path.parent) == [path.name]


def bad(how: str, saved: Path) -> None:
    match how:
        case "missing":
            saved.unlink()
        case "empty":
            saved.write_bytes(b"")
        case "cut off":
            saved.write_bytes(saved.read_bytes()[:-5000])
        case "no database":
            saved.write_bytes(b"a long letter " * 1000)
        case "somebody else's":
            saved.unlink()
            spoil(saved, "CREATE TABLE songs (name)")
        case "a bad line":
            spoil(saved)
        case "from the future":
            spoil(saved, "UPDATE about SET value = 9")


@pytest.mark.parametrize(
    ("how", "error", "why"),
    [
        ("missing", StoreError, "there is no backup"),
        ("empty", Damaged, "is empty; nothing was restored"),
        ("cut off", Damaged, "damaged"),
        ("no database", Damaged, "damaged"),
        ("somebody else's", Damaged, "not a database of Referee's"),
        ("a bad line", Damaged, "campaign 'lamp', line 1: cannot be read"),
        ("from the future", TooNew, "a later Referee"),
    ],
)
def test_a_bad_backup_changes_nothing(saved: Path, path: Path, how: str, error: type[StoreError], why: str) -> None:
    before = path.read_bytes()
    bad(how, saved)
    with pytest.raises(error, match=why):
        restore(saved, path)
    assert path.read_bytes() == before
    assert names(path.parent) == [path.name]


def test_a_backup_with_problems_can_be_wanted_all_the_same(saved: Path, path: Path) -> None:
    spoil(saved)
    restore(saved, path, despite=True)
    with closing(SQLiteStore.open(path)) as store:
        assert [each.line for each in store.check()] == [1]


def test_an_older_backup_is_upgraded_on_the_way(saved: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()
    step = Migration(
        "campaigns have a colour", lambda c: c.exec_driver_sql("ALTER TABLE campaigns ADD COLUMN colour TEXT")
    )
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, step))
    restore(saved, path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT value FROM about").fetchone() == (4,)
    assert saved.read_bytes() == before


def test_a_database_that_is_damaged_itself_is_kept_with_all_that_belongs_to_it(saved: Path, path: Path) -> None:
    path.write_bytes(b"ruined " * 2000)
    path.with_name("referee.sqlite-wal").write_bytes(b"its log")
    aside = restore(saved, path)
    assert aside is not None
    assert aside.read_bytes() == b"ruined " * 2000
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == b"its log"
    assert count(path) == 3
    assert names(path.parent) == [path.name, aside.name, f"{aside.name}-wal"]


def test_what_a_killed_server_left_in_its_log_is_kept(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    store.backup(tmp_path / "saved.sqlite")
    store.append("lamp", 3, rows(3, 2))
    left = tmp_path / "left"
    left.mkdir()
    for each in path.parent.iterdir():  # as it lies on disk while the server runs
        (left / each.name).write_bytes(each.read_bytes())
    assert (left / "referee.sqlite-wal").stat().st_size > 0
    aside = restore(tmp_path / "saved.sqlite", left / path.name)
    assert aside is not None
    assert count(aside) == 5
    assert count(left / path.name) == 3


Patched = Callable[..., Any]


def failing(real: Patched, at: int) -> Patched:
    """Fails the n-th time it is called."""
    calls = iter(range(1000))

    def call(*arguments: Any, **more: Any) -> Any:
        if next(calls) == at:
            raise OSError(5, "Input/output error")
        return real(*arguments, **more)

    return call


@pytest.mark.parametrize("ruined", [False, True])
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("name", ["os.replace", "Path.rename", "Path.hardlink_to", "sync", "os.fsync"])
def test_whatever_fails_the_old_database_is_in_its_place(
    saved: Path, path: Path, monkeypatch: pytest.MonkeyPatch, name: str, links: bool, ruined: bool
) -> None:
    """Each call to the file system fails once, on file systems with links and without."""
    if ruined:
        path.write_bytes(b"ruined " * 2000)
        path.with_name("referee.sqlite-wal").write_bytes(b"its log")
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    owner: Any = {"os": os, "Path": Path}.get(name.split(".", maxsplit=1)[0], backups)
    failed = 0
    for at in range(6):
        with monkeypatch.context() as patch:
            if not links:
                patch.setattr(Path, "hardlink_to", failing_always)
            attribute = name.rsplit(".", maxsplit=1)[-1]
            patch.setattr(owner, attribute, failing(getattr(owner, attribute), at))
            try:
                restore(saved, path, now=NOON)
            except StoreError as told:
                problem = str(told)
            else:
                break  # it did not come to the n-th call, or could do without it
        failed += 1
        assert "Input/output error" in problem
        after = {each.name: each.read_bytes() for each in path.parent.iterdir()}
        assert after.keys() == before.keys()
        assert ruined or count(path) == 5
        assert not ruined or after == before
    assert failed or name.startswith("Path.")
    assert count(path) == 3


def failing_always(*_: object) -> None:
    raise OSError(95, "Operation not supported")


def test_a_copy_that_holds_less_pushes_no_fuller_one_out(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    for day in range(3):
        automatic_backups(store, folder, keep=3, now=NOON + day * DAY)
    store.close()
    path.unlink()
    path.with_name("referee.sqlite.lines").unlink()
    with closing(SQLiteStore.open(path)) as anew:
        for day in range(3, 8):
            automatic_backups(anew, folder, keep=3, now=NOON + day * DAY)
    left = {each.name: backups._lines_in(each) for each in folder.iterdir()}
    assert sorted(left.values(), reverse=True) == [3, 3, 3, 0, 0, 0]


def test_dice_of_a_restored_backup_come_from_a_new_seed(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    store.keep_seed("lamp", "c" * 64, b"secret")
    saved = tmp_path / "saved.sqlite"
    store.backup(saved)
    store.close()
    restore(saved, path, now=NOON)
    with closing(SQLiteStore.open(path)) as opened:
        (seed,) = opened.seeds("lamp")
        assert seed.revealed == NOON.timestamp()


def test_a_backup_with_a_trigger_is_refused(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.sqlite"
    store.backup(saved)
    spoil(saved, "CREATE TRIGGER echo AFTER INSERT ON lines BEGIN DELETE FROM tokens; END")
    store.close()
    with pytest.raises(Damaged, match="a trigger that is not Referee's: echo"):
        restore(saved, path, despite=True)
