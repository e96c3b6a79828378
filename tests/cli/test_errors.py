"""Whatever is typed wrongly is answered by one sentence that says what would be right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli.main import main

REFEREE = str(Path(sys.executable).parent / "referee")
SKILL_ROLL = "roll alien skill-roll who=Ripa skill=Piloting"


def said(line: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [REFEREE, *line.split()], capture_output=True, text=True, check=False, cwd=folder, stdin=subprocess.DEVNULL
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x80")
    (tmp_path / "empty.yaml").touch()
    (tmp_path / "list.yaml").write_text("- 1\n", encoding="utf-8")
    (tmp_path / "folder.yaml").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "roll alein 5b",
            "system: 'alein' is not known; did you mean 'alien'? one of alien, d6, dime, distemper, yearzero",
        ),
        (
            "roll distemper 2d6+",
            "2d6+: is neither a short form (such as 2d6+3) nor an action",
        ),
        ("roll alien 99999b", "99999 dice in one throw; at most 200"),
        (f"roll alien {'9' * 5000}b", "is neither a short form"),
        ("roll alien skil-roll", "did you mean 'skill-roll'? one of skill-roll, change-stress"),
        ("roll alien 5b --scene derelict", "--scene: a short form needs no scene"),
        ("roll alien skill-roll", "who: is missing; it takes one of Brekk, Dallow, Ripa"),
        ("roll alien skill-roll who=Ripa", "skill: is missing; it takes one of Heavy Machinery, Stamina, Close Combat"),
        ("odds alien pass-time unit=Shift", "amount: is missing; it takes whole number"),
        (f"{SKILL_ROLL} colour=red", "colour: 'colour' is not known; one of who, skill, mods, helpers"),
        (f"{SKILL_ROLL} who=Brekk", "who: is given twice"),
        (f"{SKILL_ROLL} mods", "mods: must be name=value, such as skill=Piloting"),
        (f"{SKILL_ROLL} =3", "=3: must be name=value, such as skill=Piloting"),
        (f"{SKILL_ROLL} mods=[", "mods: not YAML: while parsing a flow node did not find expected node content (line"),
        ("roll alien change-stress who=Ripa by=lots", "by: must be a whole number, not 'lots'"),
        (f"{SKILL_ROLL} --decide push", "push: must be name=value, such as push=yes"),
        (
            "odds alien 5b --decide push=maybe",
            "push: 'maybe' is not an option (alien.basics.skill-roll); legal: yes, no",
        ),
        ("odds alien 5b --decide psuh=yes", "psuh: 'psuh' is not known; did you mean 'push'? one of "),
        (f"{SKILL_ROLL} --scene folder.yaml", "folder.yaml: Is a directory"),
        (f"{SKILL_ROLL} --scene binary.yaml", "binary.yaml: not a text in UTF-8: "),
        (f"{SKILL_ROLL} --scene empty.yaml", "empty.yaml: must be scenario, system, "),
        (f"{SKILL_ROLL} --scene list.yaml", "list.yaml: must be scenario, system, "),
        ("check nowhere.yaml", "nowhere.yaml: No such file or directory"),
        ("check folder.yaml", "folder.yaml: Is a directory"),
        ("sheet validate binary.yaml", "binary.yaml: not a text in UTF-8: "),
        ("sheet show alien nobody", "nobody: 'nobody' is not known; one of Brekk, Dallow, Ripa"),
        ("sheet show alien book", "book: 'book' is not known; one of Brekk, Dallow, Ripa"),
        (
            "rules show push",
            "'push' is not a rule; expected an id such as game.chapter.rule (find one with: referee rules search",
        ),
        ("rules show alien.push.proceedure", "did you mean 'alien.push.procedure'? one of alien.push.procedure"),
        ("play alien --log empty.yaml", "empty.yaml: the log has no beginning"),
    ],
)
def test_what_is_wrong_and_what_would_be_right(folder: Path, line: str, sentence: str) -> None:
    code, complaint = said(line, folder)
    assert code == 2
    assert complaint.startswith("referee: ")
    assert complaint.count("\n") == 1
    assert sentence in complaint


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("plya", "Did you mean 'play'?"),
        ("roll alien", "Missing argument"),
        ("roll alien 5b --seed", "requires an argument"),
        ("roll alien 5b --seeed x", "--seed"),
    ],
)
def test_what_is_no_command_line_is_said_by_typer(folder: Path, line: str, sentence: str) -> None:
    code, complaint = said(line, folder)
    assert code == 2
    assert sentence in complaint


def test_a_file_without_a_scenario_is_named(folder: Path) -> None:
    done = subprocess.run([REFEREE, "check", "empty.yaml"], capture_output=True, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stdout) == (1, "empty.yaml contains no scenario\n0 passed, 0 failed\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_who_leaves_early_is_no_error(unbuffered: str) -> None:
    command = f"'{REFEREE}' rules search the --json | head -1"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True, env=environment)
    assert (done.stdout, done.stderr) == ("[\n", "")


def test_a_terminal_that_cannot_draw_gets_something_else() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [REFEREE, "odds", "alien", "2b"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert r"\u2588" in done.stdout


@pytest.mark.parametrize("at", ["referee.cli.main._run", "referee.cli.roll.asked"])
def test_an_interruption_is_no_traceback(
    at: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(at, interrupted)
    monkeypatch.setattr(sys, "argv", ["referee", "roll", "alien", "5b"])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, capsys.readouterr()) == (130, ("", ""))


def test_an_evening_interrupted_says_how_to_go_on(tmp_path: Path) -> None:
    words = [REFEREE, "play", "alien", "--log", "evening.jsonl"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    ) as running:
        assert running.stdout is not None
        while "game master" not in running.stdout.readline():  # the last of those who may act
            pass
        running.send_signal(signal.SIGINT)
        told, complaint = running.communicate()
    assert (running.returncode, complaint) == (0, "")
    assert "To continue: referee play alien --log evening.jsonl" in told
