"""Campaigns from a terminal: verify, campaigns, export, import, backup, restore, upgrade."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from referee.cli.main import main
from referee.journal.seeded_dice import SeededDice
from referee.store import schema
from referee.store.folders import data_folder, database_file
from referee.store.log_file import LogFile
from referee.store.sqlite import SQLiteStore
from referee.table import master_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role

Run: TypeAlias = Callable[..., tuple[int, str, str]]
SCENE = {"ana": {"attributes": {"Agility": 4}, "stress": 2}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where everything happens: an empty data folder, and the place we are at."""
    monkeypatch.setenv("REFEREE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command: its exit code, what it printed, what it complained of."""

    def command(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["referee", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return int(ended.value.code or 0), printed.out, printed.err

    return command


@pytest.fixture
def mo(folder: Path) -> Admitted:
    """The game master of a campaign in which dice were thrown and their seed revealed."""
    hub = Hub(SQLiteStore.open(database_file()))
    seated = hub.create("The derelict", "alien", SCENE, "Mo")
    hub.act(*seated[:2], DeskCommand(Desk.roll, "3d6"))
    hub.reveal(*seated[:2])
    hub.close()
    return seated


# --- folders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"REFEREE_DATA": "/srv/referee", "XDG_DATA_HOME": "/data"}, "/srv/referee"),
        ({"REFEREE_DATA": "", "XDG_DATA_HOME": "/data"}, "/data/referee"),
        ({"REFEREE_DATA": "~/tables"}, "/home/mo/tables"),
        ({"XDG_DATA_HOME": ""}, "/home/mo/.local/share/referee"),
    ],
)
def test_data_lies_where_the_environment_says(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REFEREE_DATA", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/mo", **environment}.items():
        monkeypatch.setenv(name, value)
    assert data_folder() == Path(expected)
    assert database_file() == Path(expected) / "referee.db"


# --- campaigns, export, import ----------------------------------------------------------------------------------------


def test_campaigns_are_listed_with_what_one_wants_to_know(run: Run, mo: Admitted) -> None:
    code, out, _ = run("campaigns")
    assert code == 0
    head, row = out.splitlines()
    assert head.split() == ["campaign", "name", "system", "lines", "last", "played"]
    assert row.split()[:5] == [mo.campaign, "The", "derelict", "alien", "6"]
    _, out, _ = run("campaigns", "--json")
    (plain,) = json.loads(out)
    assert {name: plain[name] for name in ("id", "name", "system", "lines", "archived", "forked_from")} == {
        "id": mo.campaign,
        "name": "The derelict",
        "system": "alien",
        "lines": 6,
        "archived": None,
        "forked_from": None,
    }


def test_no_campaigns_are_no_error_and_no_database_is_made_by_looking(run: Run) -> None:
    assert run("campaigns") == (0, "No campaigns yet.\n", "")
    assert run("campaigns", "--json") == (0, "[]\n", "")
    assert not database_file().exists()


@pytest.mark.parametrize("called", ["id", "The derelict", "the derelict"])
def test_a_campaign_goes_out_verifies_and_comes_back(run: Run, mo: Admitted, folder: Path, called: str) -> None:
    code, out, _ = run("export", mo.campaign if called == "id" else called, "out.jsonl")
    assert (code, out) == (0, f"{mo.campaign}: 6 lines written to out.jsonl\n")
    assert [path.name for path in folder.iterdir() if path.is_file()] == ["out.jsonl"]
    assert run("verify", "out.jsonl")[0] == 0
    code, out, _ = run("import", "out.jsonl", "--json")
    plain = json.loads(out)
    assert (code, plain["name"]) == (0, "The derelict")
    assert plain["campaign"] != mo.campaign
    hub = Hub(SQLiteStore.open(database_file()))
    seated = hub.join(plain["invitation"], "Mo again")
    assert seated.campaign == plain["campaign"]
    assert hub.read(*seated[:2], Desk.view)["you"]["role"] == Role.MASTER.value
    hub.close()


def test_an_export_never_overwrites_and_leaves_no_half_of_itself(run: Run, mo: Admitted, folder: Path) -> None:
    (folder / "out.jsonl").write_text("precious", encoding="utf-8")
    code, _, err = run("export", mo.campaign, "out.jsonl")
    assert (code, err) == (2, "referee: out.jsonl exists already; an export never overwrites a file\n")
    assert (folder / "out.jsonl").read_text("utf-8") == "precious"
    assert run("export", mo.campaign, "nowhere/out.jsonl")[0] == 2
    assert sorted(path.name for path in folder.iterdir()) == ["data", "out.jsonl"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("export", "lost", "out.jsonl"), "campaign: 'lost' is not known; one of "),
        (("import", "lost.jsonl"), "lost.jsonl: No such file or directory"),
        (("import", "empty.jsonl"), "empty.jsonl: line 1: is empty"),
        (("verify", "empty.jsonl"), "empty.jsonl: the log has no beginning"),
        (("verify", "out.jsonl", "--seed", "xyz"), "--seed: must be a seed in hexadecimal"),
        (("restore", "lost.db"), "there is no backup at lost.db"),
        (("restore", "empty.jsonl"), "empty.jsonl is empty; nothing was restored"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(
    run: Run, mo: Admitted, folder: Path, words: tuple[str, ...], complaint: str
) -> None:
    (folder / "empty.jsonl").touch()
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"referee: {complaint}")
    assert err.count("\n") == 1


def test_two_campaigns_of_one_name_are_told_apart_by_their_ids(run: Run, mo: Admitted) -> None:
    run("export", mo.campaign, "out.jsonl")
    run("import", "out.jsonl")
    code, _, err = run("export", "The derelict", "again.jsonl")
    assert code == 2
    assert "several campaigns have this name" in err
    assert mo.campaign in err


@pytest.mark.parametrize("words", [("export", "x", "out"), ("backup", "out"), ("upgrade",), ("upgrade", "--dry-run")])
def test_nothing_is_made_where_there_is_no_database(run: Run, words: tuple[str, ...]) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert err.startswith("referee: there is no database at ")
    assert not database_file().exists()


# --- backup, restore, upgrade -----------------------------------------------------------------------------------------


def test_a_backup_is_restored_and_what_was_there_is_laid_aside(run: Run, mo: Admitted, folder: Path) -> None:
    assert run("backup", "copy.db")[:2] == (0, "1 campaigns backed up to copy.db\n")
    store = SQLiteStore.open(database_file())
    store.rename(mo.campaign, "Otherwise")
    store.close()
    code, out, _ = run("restore", "copy.db", "--json")
    plain = json.loads(out)
    assert (code, plain["database"]) == (0, str(database_file()))
    assert "The derelict" in run("campaigns")[1]
    aside = SQLiteStore.open(Path(plain["before"]))
    assert aside.header(mo.campaign).name == "Otherwise"
    aside.close()
    assert run("backup", "copy.db")[0] == 2


def test_a_backup_comes_into_an_empty_folder(
    run: Run, mo: Admitted, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("backup", "copy.db")
    monkeypatch.setenv("REFEREE_DATA", str(folder / "new"))
    assert run("restore", "copy.db")[:2] == (0, f"copy.db is now at {folder / 'new' / 'referee.db'}\n")
    assert "The derelict" in run("campaigns")[1]


def test_an_upgrade_tells_first_what_it_would_do(run: Run, mo: Admitted, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("upgrade", "--dry-run")[:2] == (0, "Up to date.\n")
    step = schema.Migration("nothing changes", lambda connection: None)
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, step))
    code, out, _ = run("upgrade", "--dry-run")
    assert (code, out.splitlines()[-1]) == (0, "1 steps to run; a copy is made first.")
    assert "nothing changes" in out
    assert json.loads(run("upgrade", "--dry-run", "--json")[1])["done"] is False
    assert run("upgrade")[1].splitlines()[-1] == "1 steps done."
    assert run("upgrade")[:2] == (0, "Up to date.\n")
    assert len(list(database_file().parent.glob(f"referee.db.before-schema-{len(schema.STEPS) + 1}.*"))) == 1


# --- verify -----------------------------------------------------------------------------------------------------------


def test_an_evening_in_the_terminal_verifies_with_the_seed_beside_it(run: Run, folder: Path) -> None:
    from referee import registry

    alien = registry.load("alien")
    file = LogFile.create(folder / "evening.jsonl", alien, alien.state(SCENE), SeededDice(b"evening"))
    file.journal.begin("Mo", "alien.basics.skill-roll", {"who": "ana", "skill": "Piloting"})
    file.save()
    thrown = sum(line.thrown > 0 for line in file.journal.lines)
    code, out, _ = run("verify", "evening.jsonl")
    assert code == 0
    assert out.splitlines() == [
        f"evening.jsonl: {len(file.journal.lines)} lines; 1 steps replayed by the rules",
        f"  {thrown} throws and draws match the seed of the table",
        f"  line 1: seed {SeededDice(b'evening').commitment[:16]}…, {thrown} throws",
        "The log is consistent.",
    ]


def test_a_pip_that_was_changed_is_told_and_the_exit_code_says_so(run: Run, mo: Admitted, folder: Path) -> None:
    run("export", mo.campaign, "out.jsonl")
    lines = (folder / "out.jsonl").read_text("utf-8").splitlines()
    (at,) = (at for at, line in enumerate(lines) if '"throw"' in line and '"answered"' in line)
    plain = json.loads(lines[at])
    pips = plain["line"]["answer"][0]
    plain["line"]["answer"][0] = [pips[0] % 6 + 1, *pips[1:]]
    lines[at] = json.dumps(plain)
    (folder / "out.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, out, _ = run("verify", "out.jsonl")
    assert code == 1
    assert "The log is not consistent:" in out
    assert f"  line {at + 1}: shows" in out
    assert "the checksum does not fit" in out
    code, out, _ = run("verify", "out.jsonl", "--json")
    found = json.loads(out)
    assert (code, found["holds"]) == (1, False)
    assert at + 1 in [each["line"] for each in found["mismatches"]]


def test_a_fork_is_checked_with_what_it_was_forked_from(run: Run, mo: Admitted) -> None:
    hub = Hub(SQLiteStore.open(database_file()))
    hub.act(*mo[:2], DeskCommand(Desk.roll, "3d6"))
    hub.act(*mo[:2], DeskCommand(Desk.note, "what if"))
    forked = hub.fork(*mo[:2], hub.read(*mo[:2], Desk.view)["cursor"] - 1, "Otherwise")
    seed = hub.reveal(*mo[:2])
    hub.close()
    run("export", forked.campaign, "fork.jsonl")
    run("export", mo.campaign, "whole.jsonl")
    assert "1 cannot be checked yet, because their seed is not revealed" in run("verify", "fork.jsonl")[1]
    for more in (("--with", "whole.jsonl"), ("--seed", seed)):
        code, out, _ = run("verify", "fork.jsonl", *more)
        assert code == 0
        assert "2 throws and draws match the seed of the table" in out
        assert "cannot be checked yet" not in out


def test_what_people_said_otherwise_is_told_by_name(run: Run, mo: Admitted) -> None:
    hub = Hub(SQLiteStore.open(database_file()))
    hub.act(*mo[:2], DeskCommand(master_desk.settings, {"throws": {"*": "ask"}}))
    hub.act(*mo[:2], DeskCommand(Desk.roll, "1d6"))
    (held,) = hub.read(*mo[:2], Desk.view)["questions"]
    hub.act(*mo[:2], DeskCommand(Desk.answer, held["key"], [[held["held"][0][0] % 6 + 1]]))
    hub.act(*mo[:2], DeskCommand(master_desk.settings, {"throws": {"*": "leave it"}}))
    hub.act(*mo[:2], DeskCommand(Desk.roll, "1d6"))
    hub.act(*mo[:2], DeskCommand(Desk.answer, held["key"], [[6]]))
    hub.close()
    run("export", mo.campaign, "out.jsonl")
    code, out, _ = run("verify", "out.jsonl")
    assert code == 0
    assert "  1 made by hand: Mo 1" in out
    chosen, shown = [[held["held"][0][0] % 6 + 1]], held["held"]
    assert f"Mo chose {chosen} for the throw of no one in particular; the dice showed {shown}" in out


# --- starting up ------------------------------------------------------------------------------------------------------


def imported(*words: str, folder: Path) -> set[str]:
    """What a command imports."""
    told = "import atexit, sys; atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
    code = f"{told}sys.argv = {['referee', *words]!r}\nfrom referee.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder)
    return set(done.stderr.split())


def test_no_command_imports_what_it_does_not_need(run: Run, mo: Admitted, folder: Path) -> None:
    run("export", mo.campaign, "out.jsonl")
    found: Any = imported("verify", "out.jsonl", folder=folder)
    assert "referee.systems.alien" in found
    assert not {"sqlalchemy", "fastapi", "pydantic", "rich", "asyncio", "referee.systems.distemper"} & found
    found = imported("campaigns", folder=folder)
    assert "sqlalchemy" in found
    assert not {"fastapi", "pydantic", "rich", "referee.systems.alien"} & found
