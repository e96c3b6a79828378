"""Several servers, one PostgreSQL: one of them killed, stopped, or without its connection, and no table notices.

Twice in `make test-long`; `REFEREE_KILLS=100` for more. Half of the seats are at each server; whoever got no answer
asks the other one.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from tests.postgres import new_database
from tests.web.test_kill import LONGEST, Evening, Listener, Newcomer, Present, Writer, seated_party, serving

from referee.client import Client
from referee.store.postgres import PostgresStore

KILLS = int(os.environ.get("REFEREE_KILLS", "2"))


@pytest.fixture
def database() -> str:
    return new_database(f"evening_{uuid4().hex}")


class Shared(Evening):
    """An evening at two servers, of which one goes on whatever happens to the other."""

    def among(self, here: Client, there: Client) -> Present:
        """Everybody, the writers in turn at one server and at the other."""
        masters = [here.at_seat(each.master) for each in self.parties]
        seats = [each for party in self.parties for each in party.seats]
        return Present(
            writers=[Writer((here, there)[at % 2], *each) for at, each in enumerate(seats)],
            listeners=[Listener(here, each.master) for each in self.parties],
            newcomer=Newcomer(here, [mo.invite("spectator").code for mo in masters]),
            cursors={mo.campaign: mo.view().cursor for mo in masters},
        )

    def until_killed(self, chooser: random.Random, lasting: Client, database: str) -> None:
        """The other server starts, everybody writes, and it is killed; its people ask the one that goes on."""
        with serving(self.folder / str(self.tried["kills"]), DATABASE=database) as (client, process):
            if self.present is None:
                self.parties = [seated_party(lasting) for _ in range(2)]
            present = self.present = self.among(client, lasting)
            for each in present.everybody:
                each.start()
            time.sleep(chooser.uniform(0.2, LONGEST))
            process.kill()
            time.sleep(0.2)
            for writer in present.writers:
                writer.is_tired = True
            for each in present.everybody:
                each.join()
        self.tried["kills"] += 1
        assert [fault for writer in present.writers for fault in writer.faults] == []
        with closing(PostgresStore.open(database)) as store:
            self.look_at_the_store(store, present)
        self.take_up(lasting)


@pytest.mark.slow
def test_one_of_two_servers_is_killed_and_nothing_acknowledged_is_lost(tmp_path: Path, database: str) -> None:
    seed = random.randrange(2**32)
    chooser, evening = random.Random(seed), Shared(tmp_path, Counter())
    with serving(tmp_path / "lasting", DATABASE=database) as (lasting, _):
        for _ in range(KILLS):
            evening.until_killed(chooser, lasting, database)
    print({**evening.tried, "seed": seed})  # noqa: T201 - `pytest -rP` shows what was tried
    assert evening.tried["acknowledged"] > KILLS


@pytest.mark.slow
def test_what_is_done_at_one_server_is_seen_at_the_other(tmp_path: Path, database: str) -> None:
    with (
        serving(tmp_path / "one", DATABASE=database) as (one, _),
        serving(tmp_path / "other", DATABASE=database) as (other, _),
    ):
        party = seated_party(one)
        mo, ripa = other.at_seat(party.master), one.at_seat(party.players["Ripa"])
        heard = Listener(other, party.master)
        heard.start()
        for number in range(5):
            mo.edit("Brekk", resolve=number)
            ripa.act("skill-roll", "Ripa", skill="Observation")
            assert [each.key for each in ripa.questions().questions] == [
                each.key for each in other.at_seat(party.players["Ripa"]).questions().questions
            ]
            for question in ripa.questions().questions:
                other.at_seat(party.players["Ripa"]).answer(question.key, "no")
        mo.reveal()
        ripa.act("skill-roll", "Ripa", skill="Observation")
        assert one.at_seat(party.master).view() == mo.view()


@pytest.mark.slow
def test_a_server_that_stands_still_in_its_turn_holds_nobody_up_for_long(tmp_path: Path, database: str) -> None:
    with serving(tmp_path / "one", DATABASE=database) as (one, _):
        party = seated_party(one)
        campaign = party.master.campaign
        with psycopg.connect(database, options="-c idle_in_transaction_session_timeout=5s") as paused:
            paused.execute("SELECT lines FROM campaigns WHERE id = %s FOR UPDATE", (campaign,))
            begun = time.monotonic()
            one.at_seat(party.master).note("hello")  # waits until the other has lost its turn
            assert time.monotonic() - begun < 8
            with pytest.raises(psycopg.Error):
                paused.execute("SELECT 1")


def test_another_version_does_not_serve_the_same_database(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresStore.open(database)) as first, closing(PostgresStore.open(database)) as second:
        first.listen(lambda campaign, what: None, lambda: None)
        monkeypatch.setattr("referee.store.postgres._VERSION", 7)
        with pytest.raises(Exception, match="another version"):
            second.listen(lambda campaign, what: None, lambda: None)


def test_a_restored_copy_throws_new_dice(database: str) -> None:
    from tests.store.test_store import HEADER

    with closing(PostgresStore.open(database)) as store:
        store.create(HEADER)
        store.keep_seed("lamp", "promise", b"seed")
    with closing(PostgresStore.open(database)) as store:
        assert store.seeds("lamp")[0].revealed is None
    with psycopg.connect(database, autocommit=True) as connection:  # as pg_restore makes its tables anew
        connection.execute("ALTER TABLE lines RENAME TO old_lines")
        connection.execute("CREATE TABLE lines (LIKE old_lines INCLUDING ALL)")
        connection.execute("INSERT INTO lines SELECT * FROM old_lines")
        connection.execute("DROP TABLE old_lines")
    with closing(PostgresStore.open(database)) as store:
        assert store.seeds("lamp")[0].revealed is not None


def test_a_database_that_may_lose_what_it_acknowledged_is_refused(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(SQL("ALTER DATABASE {} SET synchronous_commit = off").format(Identifier(name)))
    with pytest.raises(Exception, match="synchronous_commit = off"):
        PostgresStore.open(database)


def test_a_killed_listener_hears_again(database: str, tmp_path: Path) -> None:
    heard: list[str] = []
    with closing(PostgresStore.open(database)) as one, closing(PostgresStore.open(database)) as other:
        one.listen(lambda campaign, what: heard.append(what), lambda: heard.append("missed"))
        deadline = time.monotonic() + 20
        with psycopg.connect(database, autocommit=True) as connection:
            killed = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
            connection.execute(killed)
        while heard.count("missed") < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        other.announce("lamp", "hello")
    assert heard[:2] == ["missed", "missed"]
