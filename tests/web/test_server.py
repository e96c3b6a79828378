"""Running a server: settings, the command, demonstrations, logs, health, and a stop that loses nothing."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic

import httpx
import pytest
from tests.web.conftest import Running

from referee.client import Client
from referee.core.errors import BadInput, RefereeError
from referee.store.folders import DATABASE
from referee.store.records import StoreError
from referee.store.sole_server import LOCK, sole_server
from referee.table.hub import Hub
from referee.web.access_log import JsonLines
from referee.web.demo import demonstrations
from referee.web.errors import fault
from referee.web.server import listening
from referee.web.settings import ServerSettings, settings_of

REFEREE = str(Path(sys.executable).parent / "referee")


# --- settings ---------------------------------------------------------------------------------------------------------


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    found = settings_of({"REFEREE_PORT": "8080", "REFEREE_DATA": str(tmp_path), "REFEREE_BROWSER": "no", "HOME": "/"})
    assert found == ServerSettings(port=8080, data=tmp_path, browser=False)


def test_settings_come_from_a_file_and_the_environment_counts_more(tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text('port = 8080\nbase_url = "https://table.example.org"\ndemo = false\n')
    found = settings_of({"REFEREE_CONFIG": str(file), "REFEREE_PORT": "9090"})
    assert (found.port, found.origin, found.demo) == (9090, "https://table.example.org", False)
    assert settings_of({}, file).port == 8080


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"REFEREE_PROT": "1"}, "did you mean 'REFEREE_PORT'"),
        ({"REFEREE_PORT": "many"}, "whole number"),
        ({"REFEREE_PORT": "70000"}, "0 to 65535"),
        ({"REFEREE_BROWSER": "perhaps"}, "yes or no"),
        ({"REFEREE_LOG": "loud"}, "one of auto, json, plain, none"),
        ({"REFEREE_BASE_URL": "table.example.org"}, "https://"),
        ({"REFEREE_BASE_URL": "https://table.example.org/deep"}, "without a path"),
        ({"REFEREE_RATE": "0"}, "1 or more"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused_in_a_sentence(environment: Mapping[str, str], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        settings_of(environment)


@pytest.mark.parametrize(
    ("text", "complaint"), [("prot = 1", "did you mean 'port'"), ("port = [", "is not TOML"), ("port = 1.5", "whole")]
)
def test_a_file_that_does_not_fit_is_refused_in_a_sentence(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "referee.toml"
    file.write_text(text)
    with pytest.raises(BadInput, match=complaint):
        settings_of({}, file)


def test_a_port_that_is_taken_is_a_sentence() -> None:
    with listening(ServerSettings(port=0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RefereeError, match="choose another REFEREE_PORT"):
            listening(ServerSettings(port=port))


# --- demonstrations ---------------------------------------------------------------------------------------------------


def test_a_new_server_has_a_demonstration_of_each_system(hub: Hub, tmp_path: Path) -> None:
    first = demonstrations(hub, tmp_path)
    assert [each.system for each in first] == ["ALIEN", "D6 System", "Dime Adventures", "Distemper", "Year Zero"]
    assert [each.name for each in first] == [
        "The derelict",
        "The barricade",
        "Ambush at the ford",
        "The market",
        "A camp by the river",
    ]
    assert hub.store.headers() == []
    assert hub.join(first[0].master, "Mo").campaign == hub.join(first[0].player, "Anna").campaign
    assert [each.name for each in hub.store.headers()] == ["The derelict"]
    again = demonstrations(hub, tmp_path)
    assert [each.name for each in again] == [each.name for each in first]
    assert hub.join(again[0].player.upper().replace("-", " "), "Ben").campaign == hub.store.headers()[0].id
    assert hub.join(again[4].player, "Cleo").campaign == hub.join(again[4].master, "Mo").campaign
    assert sorted(each.name for each in hub.store.headers()) == ["A camp by the river", "The derelict"]


def test_demonstrations_that_an_older_server_made_at_once_are_kept(hub: Hub, tmp_path: Path) -> None:
    made = hub.create("Ours", "alien", {}, "Mo").campaign
    (tmp_path / "demonstrations.json").write_text(json.dumps([made, "gone"]))
    (found,) = demonstrations(hub, tmp_path)
    assert (found.name, found.system) == ("Ours", "ALIEN")
    assert hub.join(found.master, "Mo").campaign == made


def test_a_server_with_campaigns_gets_no_demonstration(hub: Hub, tmp_path: Path) -> None:
    hub.create("Ours", "alien", {}, "Mo")
    assert demonstrations(hub, tmp_path) == []


# --- logs -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("referee")
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


def test_a_fault_is_told_by_a_number_and_found_in_the_log_by_it(lines: io.StringIO) -> None:
    try:
        raise KeyError("a secret")
    except KeyError as error:
        problem = fault(error)
    logged = json.loads(lines.getvalue())
    assert logged["fault"] in problem.shape.message
    assert (logged["error"], logged["level"]) == ("KeyError", "error")
    assert logged["trace"][0].endswith("test_a_fault_is_told_by_a_number_and_found_in_the_log_by_it")
    assert "a secret" not in problem.shape.message + lines.getvalue()


def test_the_log_says_where_a_fault_came_from_within_a_group_and_behind_another(lines: io.StringIO) -> None:
    try:
        try:
            raise KeyError("a secret")
        except KeyError as error:
            raise ValueError("another") from error
    except ValueError as error:
        fault(ExceptionGroup("of a stream", [error]))
    logged = json.loads(lines.getvalue())
    assert (logged["error"], logged["cause"]) == ("ValueError", "KeyError")
    assert len(logged["cause_trace"]) == len(logged["trace"]) == 1
    assert "a secret" not in lines.getvalue()


# --- the command ------------------------------------------------------------------------------------------------------


class Served:
    """`referee serve` in a process of its own."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        given = {"REFEREE_DATA": str(folder), "REFEREE_PORT": "0", "CI": "1", **environment}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
        self.process = subprocess.Popen(
            [REFEREE, "serve"],
            env={**clean, **given},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.told: list[str] = []
        for line in self.process.stdout:
            self.told.append(line.strip())
            if line.startswith("Press Ctrl-C"):
                break
        self.address = self.told[0].removeprefix("Referee is at ").replace("localhost", "127.0.0.1")
        deadline = monotonic() + 20
        while monotonic() < deadline:
            try:
                if httpx.get(f"{self.address}/health").status_code == 200:
                    break
            except httpx.TransportError:
                continue

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[str, str]:
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=20)
        assert self.process.returncode == 0
        return out, err


def code(told: list[str], what: str) -> str:
    return next(line for line in told if line.startswith(what)).rpartition("/")[2]


@pytest.mark.slow
def test_the_command_serves_until_it_is_stopped_and_loses_nothing(tmp_path: Path) -> None:
    server = Served(tmp_path)
    with Client(server.address) as client:
        mo = client.join(code(server.told, "run it:"), "Mo")
        anna = client.join(code(server.told, "play:"), "Anna")
        told = anna.note("still there?")
        stream = anna.events()
        assert next(stream).kind == "view"
        out, err = server.stop()
        assert list(stream) == []
    assert "Everything is saved" in out
    check_log(err, mo.token or "", anna.token or "", code(server.told, "run it:"))
    assert len(list((tmp_path / "backups").glob("*.db"))) == 1

    again = Served(tmp_path)
    with Client(again.address) as client:
        assert client.at_seat(anna.seated).view().cursor == told
        assert client.health().status == "ok"
    again.stop(signal.SIGINT)


def check_log(err: str, *secrets: str) -> None:
    """Every line is JSON with a time and a level, and no secret stands in any."""
    logged = [json.loads(line) for line in err.splitlines()]
    assert all({"at", "level", "event"} <= each.keys() for each in logged)
    requests = [each for each in logged if each["event"] == "request"]
    assert {"/api/v1/join", "/api/v1/campaigns/{campaign}/notes"} <= {each["path"] for each in requests}
    assert all({"method", "path", "status", "ms"} <= each.keys() for each in requests)
    assert not [secret for secret in secrets if secret in err]


def test_the_command_refuses_settings_in_a_sentence() -> None:
    environment = {**os.environ, "REFEREE_PROT": "1"}
    done = subprocess.run([REFEREE, "serve"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("referee: REFEREE_PROT: ")


def test_a_second_server_for_the_same_folder_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with sole_server(tmp_path):
        environment = {**os.environ, "REFEREE_DATA": str(tmp_path), "REFEREE_PORT": "0", "REFEREE_BROWSER": "no"}
        done = subprocess.run([REFEREE, "serve"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"another Referee (process {os.getpid()}) serves the folder {tmp_path}" in done.stderr
    with sole_server(tmp_path):
        assert not (tmp_path / "referee.db").exists()


@pytest.mark.parametrize("named", ["lock deleted", "folder linked", "database linked"])
def test_however_a_folder_is_named_a_second_server_of_its_database_is_refused(tmp_path: Path, named: str) -> None:
    folder, other = tmp_path / "real", tmp_path / "other"
    folder.mkdir()
    (folder / DATABASE).touch()
    with sole_server(folder):
        if named == "lock deleted":
            (folder / LOCK).unlink()
            other = folder
        elif named == "folder linked":
            other.symlink_to(folder)
        else:
            other.mkdir()
            (other / DATABASE).symlink_to(folder / DATABASE)
        with pytest.raises(StoreError, match="another Referee"), sole_server(other):
            pass
    with sole_server(other):
        pass


@pytest.mark.parametrize(
    ("path", "leads_to"), [("/join/abc/", "/join/abc"), ("/docs/", "/docs"), ("/api/v1/systems/", "/api/v1/systems")]
)
def test_an_address_with_a_slash_too_many_is_found_from_the_first_request_on(
    serve: Callable[..., Running], path: str, leads_to: str
) -> None:
    server = serve()
    assert httpx.get(f"{server.address}{path}").headers["location"] == f"{server.address}{leads_to}"
    assert httpx.get(f"{server.address}{leads_to}").status_code == 200
    assert httpx.get(f"{server.address}/api/v1/nothing").json()["error"] == "not-found"
