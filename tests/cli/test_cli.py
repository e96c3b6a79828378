"""The `referee` command: exit codes, JSON, a whole evening typed in, and never a traceback for what people type."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee import __version__, registry
from referee.cli.main import main
from referee.cli.table import Left, TerminalTable
from referee.journal.journal import Journal
from referee.journal.lines import AnswerGiven
from referee.journal.seeded_dice import SeededDice
from referee.store.log_file import LogFile

SIXTH = Path(__file__).parent.parent / "sixth"
REFEREE = Path(sys.executable).parent / "referee"

GOOD = """\
scenario: One six is enough
system: alien
sheets: {ana: {}}
steps:
  - action: skill-roll
    who: ana
    with: {skill: Comtech}
    answers: {skill: 6 2 3, push: no}
    expect: {result: {success: yes}}
"""
BAD = GOOD.replace("success: yes", "sixes: 2")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Referee = Callable[..., Done]


@pytest.fixture
def referee(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Referee:
    """The command, within this process."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "argv", ["referee", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        told = capsys.readouterr()
        return Done(code, told.out, told.err)

    return run


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"good": GOOD, "bad": BAD, "both": f"{GOOD}---\n{BAD}", "empty": "", "broken": "a: [\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return {name: tmp_path / f"{name}.yaml" for name in texts}


def outside(*arguments: object, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command as people start it."""
    return subprocess.run(
        [str(REFEREE), *map(str, arguments)], input=stdin, capture_output=True, text=True, check=False, cwd=cwd
    )


# --- check ------------------------------------------------------------------------------------------------------------


def test_check_exits_with_zero_if_all_plays_as_it_says_and_with_one_if_not(files: dict[str, Path]) -> None:
    good, bad = outside("check", files["good"]), outside("check", files["good"], files["bad"])
    assert (good.returncode, bad.returncode) == (0, 1)
    assert good.stdout.splitlines() == [f"ok      {files['good']}: One six is enough", "1 passed, 0 failed"]
    assert bad.stdout.splitlines()[1:] == [
        f"differs {files['bad']}: One six is enough",
        f"  {files['bad']}:9: steps[1].expect.result.sixes: 2 expected, but it is 1",
        "1 passed, 1 failed",
    ]
    assert good.stderr == bad.stderr == ""


@pytest.mark.parametrize(("name", "code"), [("good", 0), ("bad", 1), ("both", 1), ("empty", 1), ("broken", 1)])
def test_check_fails_for_what_differs_is_broken_or_holds_nothing(
    referee: Referee, files: dict[str, Path], name: str, code: int
) -> None:
    assert referee("check", files[name]).code == code


def test_check_gives_json_to_programs(referee: Referee, files: dict[str, Path]) -> None:
    done = referee("check", files["both"], "--json")
    good, bad = json.loads(done.out)
    assert done.code == 1
    assert (good["scenario"], good["passed"], good["steps"], good["differences"]) == ("One six is enough", True, 1, [])
    assert bad["differences"] == [
        {"line": 19, "where": ["steps", 0, "expect", "result", "sixes"], "problem": "2 expected, but it is 1"}
    ]
    assert (bad["file"], bad["passed"]) == (str(files["both"]), False)
    assert "  skill: throw 3 base -> [[6, 2, 3], []]" in good["story"]


def test_check_says_the_new_word_for_an_old_one_and_rewrites_files(referee: Referee, tmp_path: Path) -> None:
    file = tmp_path / "old.yaml"
    file.write_text("system: alien\nsteps:\n  - {table: alien.stress.table, named: Jumpy, expect: {name: Jumpy}}\n")
    done = referee("check", file)
    assert done.code == 0
    assert f"  {file}:3: steps[1].named: `named` is now `row`" in done.out.splitlines()
    assert "--rewrite" in done.out
    renamed = [{"line": 3, "where": ["steps", 0, "named"], "new": "row"}]
    assert json.loads(referee("check", file, "--json").out)[0]["renamed"] == renamed
    done = referee("check", file, "--rewrite")
    assert (done.code, done.out.splitlines()[0]) == (0, f"{file}: 1 renamed keys replaced")
    assert "row: Jumpy" in file.read_text()
    assert "is now" not in referee("check", file).out


def test_check_explains_the_run(referee: Referee, files: dict[str, Path]) -> None:
    plain, explained = referee("check", files["good"]), referee("check", files["good"], "--explain")
    assert "throw 3 base" not in plain.out
    assert "      skill: throw 3 base -> [[6, 2, 3], []]" in explained.out.splitlines()


def test_check_of_a_file_that_is_not_there_is_a_sentence(referee: Referee, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.yaml", tmp_path):
        done = referee("check", path)
        assert done.code == 2
        assert "Traceback" not in done.err
    assert referee("check").code == 2


# --- rules ------------------------------------------------------------------------------------------------------------


def test_a_rule_is_shown_with_its_text_figures_and_how_it_is_called(referee: Referee) -> None:
    done = referee("rules", "show", "alien.push.restrictions")
    assert done.code == 0
    assert done.out.startswith("alien.push.restrictions  (Basics / Pushing Your Roll; mechanic)")
    assert 'figures: {"pushes_per_roll": 1}' in done.out
    assert "our reading: Ones on base dice are not mentioned" in done.out
    assert "formula check_push(who: Who Colonist, seen: SymbolCounts, pushes: whole number)" in done.out
    assert "see also: alien.stress.trigger, alien.stress.table" in done.out


def test_a_rule_is_shown_to_programs_with_arguments_questions_and_tables(referee: Referee) -> None:
    shown = json.loads(referee("rules", "show", "alien.basics.skill-roll", "--json").out)
    (run,) = shown["runs"]
    assert (run["as"], run["name"], set(run["asks"])) == ("rule", "skill_roll", {"skill", "push", "response"})
    assert run["arguments"]["skill"] == {"type": "a name from alien.skills.list", "required": True}
    assert run["arguments"]["mods"] == {"type": "list of Mod", "required": False, "default": []}
    table = json.loads(referee("rules", "show", "alien.stress.table", "--json").out)
    assert table["tables"] == ["table"]
    assert "alien.stress.trigger" in table["also_carried_out_by"]


@pytest.mark.parametrize(
    ("id_", "complaint"),
    [
        ("alien.push.proceedure", "did you mean 'alien.push.procedure'?"),
        ("alein.push.procedure", "did you mean 'alien'?"),
        ("alien", "'alien' is not a rule"),
        ("", "'' is not a rule"),
    ],
)
def test_a_rule_that_is_not_there_is_a_sentence_with_the_nearest(referee: Referee, id_: str, complaint: str) -> None:
    done = referee("rules", "show", id_)
    assert done.code == 2
    assert done.err.startswith("referee: ")
    assert complaint in done.err


@pytest.mark.parametrize("words", [("push",), ("pushing", "roll"), ("pusing", "yuor", "rol")])
def test_search_finds_the_push_whatever_the_typing(referee: Referee, words: tuple[str, ...]) -> None:
    found = json.loads(referee("rules", "search", *words, "--system", "alien", "--json").out)
    assert "alien.push.procedure" in [each["id"] for each in found[:3]]


def test_search_prints_ids_with_the_beginning_of_their_text(referee: Referee) -> None:
    done = referee("rules", "search", "stress", "response", "--system", "alien")
    lines = done.out.splitlines()
    assert lines[0].startswith("alien.")
    assert all(line.startswith("    ") for line in lines[1::2])
    assert max(map(len, lines)) <= 165


def test_search_for_what_no_rule_speaks_of_says_so(referee: Referee) -> None:
    assert referee("rules", "search", "xylophone", "--system", "alien").out == "no rule mentions 'xylophone'\n"
    assert json.loads(referee("rules", "search", "xylophone", "--system", "alien", "--json").out) == []


def test_search_in_an_unknown_system_is_a_sentence(referee: Referee) -> None:
    done = referee("rules", "search", "push", "--system", "alein")
    assert (done.code, done.err.startswith("referee: system: 'alein' is not known")) == (2, True)


# --- play -------------------------------------------------------------------------------------------------------------

SCENE = """\
scenario: The hatch
system: alien
sheets:
  Ripa: {attributes: {Wits: 5}, skills: {Observation: 2}, stress: 1, resolve: 2}
  Brekk: {attributes: {Wits: 2}}
"""
# Of the seed "one" the first throw is 5 2 3 6 3 1 1 | 2, the second 3 2 4 1 1 2 | 3 6.
ROLL = "Ripa\nskill\nObservation\n\n"


@pytest.fixture
def hatch(tmp_path: Path) -> tuple[str, ...]:
    """The arguments of an evening whose dice are known."""
    (tmp_path / "hatch.yaml").write_text(SCENE, encoding="utf-8")
    return ("play", "alien", "--scene", "hatch.yaml", "--log", "evening.jsonl", "--seed", "one")


def stress(path: Path) -> int:
    journal = LogFile.open(path).journal
    return int(journal.system.plain(journal.state)["Ripa"]["stress"])


def test_a_whole_evening_typed_into_the_real_command(tmp_path: Path, hatch: tuple[str, ...]) -> None:
    (tmp_path / "hatch.yaml").write_text(SCENE, encoding="utf-8")
    first = outside(*hatch, stdin=f"{ROLL}yes\nundo\nredo\nedit Ripa stress 5\nlog\nquit\n", cwd=tmp_path)
    assert (first.returncode, first.stderr) == (0, "")
    told = [line.removeprefix("> ").strip() for line in first.stdout.splitlines()]
    for line in (
        "ALIEN: The hatch. The log is evening.jsonl.",
        "Ripa throws the skill roll: 5 2 3 6 3 1 1 | 2",
        "Ripa: stress 1 → 2  [alien.stress.stress-level]",
        "Ripa throws the push: 3 2 4 1 1 2 | 3 6",
        "= success yes, sixes 2, extra 1, pushes 1, messed up no",
        "Undone: 2 lines.",
        "Redone.",
        "Ripa: stress 2 → 5  [referee.table.edit]",
        "To continue: referee play alien --log evening.jsonl",
    ):
        assert line in told, line
    again = outside(*hatch[:6], stdin="sheets\n", cwd=tmp_path)
    assert again.returncode == 0
    assert "Resumed at line 7 of evening.jsonl." in again.stdout
    assert again.stdout.count("Stress 5, Resolve 2") == 2


def test_the_odds_stand_beside_each_choice(referee: Referee, hatch: tuple[str, ...]) -> None:
    out = referee(*hatch, stdin=ROLL).out
    assert "Observation        ███████████████·····  76.7%" in out
    assert "success 76.7%  failure 23.3%  an extra success 39.5%  a stress response 16.7%  messing up 0.0%" in out
    assert "Push           success 100.0%  failure 0.0%  an extra success 76.7%  a stress response 30.6%" in out
    assert "Let it stand   success 100.0%  failure 0.0%  an extra success 0.0%  a stress response 0.0%" in out


def test_a_long_list_of_actions_is_asked_for_in_two_steps(referee: Referee) -> None:
    typed = "\n\nattack\nraider, machete\nsheet Ash\nsheet\nbarred\n"
    given = (
        "--scene",
        "roadblock",
        "--seed",
        "b",
        *(word for who in ("raider", "lookout") for word in ("--auto", f"{who}=cautious")),
    )
    out = referee("play", "distemper", *given, stdin="\n" * 3 + typed).out
    assert "   2  Attack: 9 ways " in out
    assert "Ash: Attack. How?" in out
    assert "Wounds 11 of 11" in out
    assert "Skills" in out
    assert "sheet: whose? Such as: sheet ana" in out


def test_an_evening_left_in_the_middle_of_a_question_is_resumed_there(
    referee: Referee, hatch: tuple[str, ...], tmp_path: Path
) -> None:
    assert referee(*hatch, stdin=ROLL).code == 0
    resumed = referee(*hatch[:6], stdin="1\n")
    assert "Push the roll?" in resumed.out
    assert "Ripa throws the push: 3 2 4 1 1 2 | 3 6" in resumed.out
    assert stress(tmp_path / "evening.jsonl") == 2


def test_undo_brings_the_question_back_and_a_new_decision_stands(
    referee: Referee, hatch: tuple[str, ...], tmp_path: Path
) -> None:
    out = referee(*hatch, stdin=f"{ROLL}yes\nundo\nno\n").out
    assert out.count("Push the roll?") == 2
    assert "= success yes, sixes 1, extra 0, pushes 0, messed up no\n" in out
    assert stress(tmp_path / "evening.jsonl") == 1


def test_a_push_made_anew_after_an_undo_throws_new_dice(referee: Referee, hatch: tuple[str, ...]) -> None:
    out = referee(*hatch, stdin=f"{ROLL}yes\nundo\nyes\n").out
    first, second = (line for line in out.splitlines() if "throws the push" in line)
    assert first.removeprefix("> ") != second.removeprefix("> ")


def test_undo_and_redo_with_nothing_to_do_say_so(referee: Referee, hatch: tuple[str, ...]) -> None:
    out = referee(*hatch, stdin="undo\nredo\n").out
    assert "undo: Nothing has happened yet." in out
    assert "redo: nothing was undone just now" in out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("edit", "edit: Edit as game master: edit NAME FIELD VALUE"),
        ("edit Ripa stress", "edit: Edit as game master"),
        ("edit Ripa stres 3", "Ripa.stres: 'stres' is not known; did you mean 'stress'?"),
        ("edit Ripa stress many", "Ripa.stress: must be a whole number, not 'many'"),
        ("edit Rippa stress 3", "'Rippa' is not known; did you mean 'Ripa'?"),
        ("edit Ripa stress [", "not YAML: "),
        ("edit Ripa stress 2020-13-45", "not YAML: "),
        ("edit Ripa name x", "Ripa.name: 'name' is not known"),
        ("edit Ripa by x", "Ripa.by: 'by' is not known"),
        ("edit book options {}", "is not known"),
        ("'", '"\'" is not one of the options.'),
        ('it"s', "'it\"s' is not one of the options."),
        ("²", "'²' is not one of the options."),
        ("99", "'99' is not one of the options."),
        ("0", "'0' is not one of the options."),
        ("-1", "'-1' is not one of the options."),
        ("", "'' is not one of the options."),
        ("xyz", "'xyz' is not one of the options."),
        ("why", "why: Nothing has happened yet."),
        ("why alien.nothing", "'alien.nothing' is not known"),
        ("help", "Choose by number or by name."),
        ("log", "Who acts?"),
    ],
)
def test_whatever_is_typed_is_answered_and_never_a_traceback(
    referee: Referee, hatch: tuple[str, ...], typed: str, said: str
) -> None:
    done = referee(*hatch, stdin=f"{typed}\n")
    assert (done.code, done.err) == (0, "")
    assert said in done.out


def test_somebody_is_chosen_by_number_by_name_or_by_the_beginning_of_it(
    referee: Referee, hatch: tuple[str, ...], tmp_path: Path
) -> None:
    for typed in ("2", "Ripa", "ripa", "ri"):
        assert "What does Ripa do?" in referee(*hatch, stdin=f"{typed}\n").out
        (tmp_path / "evening.jsonl").unlink()
        (tmp_path / "evening.jsonl.seed").unlink()


def test_circumstances_that_are_none_are_asked_for_again(referee: Referee, hatch: tuple[str, ...]) -> None:
    out = referee(*hatch, stdin="Ripa\nskill\nObservation\nlots\n+1 torch\n").out
    assert "mods[0]: must be a modifier such as '+2 flashlight', not 'lots'" in out
    assert "Ripa throws the skill roll: 5 2 3 6 3 1 1 2 |" in out


def test_why_tells_the_rule_behind_the_last_change(referee: Referee, hatch: tuple[str, ...]) -> None:
    assert (
        "alien.stress.stress-level: Every character tracks a Stress Level"
        in referee(*hatch, stdin=f"{ROLL}yes\nwhy\n").out
    )


def test_offers_may_be_declined_from_now_on(referee: Referee, hatch: tuple[str, ...]) -> None:
    out = referee(*hatch, stdin=f"decline push\n{ROLL}").out
    assert "Declined from now on: push." in out
    assert "Push the roll?" not in out
    assert "= success yes, sixes 1" in out


def test_one_may_be_played_by_a_policy(referee: Referee, hatch: tuple[str, ...]) -> None:
    out = referee(*hatch, "--auto", "Ripa=default", stdin=ROLL).out
    assert "Push the roll?" not in out
    assert "= success yes, sixes 1" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("alein",), "system: 'alein' is not known; did you mean 'alien'?"),
        (("alien", "--scene", "nowhere"), "scene: 'nowhere' is neither a file nor one of"),
        (("alien", "--scene", "nowhere.yaml"), "scene: 'nowhere.yaml' is neither a file nor one of"),
        (("alien", "--scene", "broken.yaml"), "not YAML: "),
        (("alien", "--scene", "empty.yaml"), "scenario, system"),
        (("alien", "--scene", "odd.yaml"), "scene.ana.stres: 'stres' is not known"),
        (("alien", "--scene", "binary.yaml"), "codec can't decode"),
        (("alien", "--log", "good.yaml"), "good.yaml, line 1: not JSON"),
        (("alien", "--log", "."), "Is a directory"),
        (("alien", "--auto", "Ripa=bold"), "'bold' is not known"),
        (("alien", "--auto", "nobody=default"), "'nobody' is not known"),
        (("alien", "--auto", "Ripa"), "'' is not known"),
    ],
)
def test_an_evening_that_cannot_begin_is_a_sentence(
    referee: Referee, files: dict[str, Path], tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    assert files["good"].exists()
    (tmp_path / "odd.yaml").write_text("system: alien\nsheets: {ana: {stres: 1}}\n", encoding="utf-8")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x80")
    done = referee("play", *arguments)
    assert done.code == 2
    assert done.err.startswith("referee: ")
    assert complaint in done.err


def test_a_scene_of_another_system_is_refused(
    referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    (tmp_path / "saloon.yaml").write_text("system: coin\n", encoding="utf-8")
    done = referee("play", "alien", "--scene", "saloon.yaml")
    assert (done.code, done.err) == (2, "referee: scene: saloon.yaml is a scene of Three coins\n")


def test_without_a_name_the_log_lies_with_the_data_of_the_user(referee: Referee, tmp_path: Path) -> None:
    assert referee("play", "alien").code == 0
    assert (tmp_path / "data" / "referee" / "alien-the-derelict.jsonl").exists()


def test_a_system_from_another_package_is_played_like_ours(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    out = referee(
        "play", "coin", "--log", "saloon.jsonl", "--seed", "x", stdin="ana\ntoss\n3\nbo\nbluff\nana\nheads\ntails\n"
    )
    assert (out.code, out.err) == (0, "")
    assert "ana: purse 5 →" in out.out
    assert len(LogFile.open(tmp_path / "saloon.jsonl").journal.story) == 5


def test_who_has_nothing_to_do_is_told_so_and_somebody_else_may_act(
    referee: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    out = referee("play", "coin", stdin="game master\nana\n").out
    assert "There is nothing to choose from, so this cannot be done." in out
    assert "What does ana do?" in out


@pytest.mark.parametrize(
    ("typed", "told", "by"),
    [
        ("ana\nsleight\n\n", "Enter for 0, the default", [("game master", 0, False)]),
        ("ana\nsleight\n3\n", "game master: noticed", [("game master", 3, False)]),
        (
            "ana\nsleight\nrulings leave\n\n2\n",
            "noticed: must be a whole number, not None",
            [("game master", 2, False)],
        ),
        ("rulings do noticed\nana\nsleight\n", "noticed 0 (the default, taken automatically)", [("table", 0, True)]),
        ("rulings do\nrulings\nana\nsleight\n", "Rulings (* is all others): * do it.", [("table", 0, True)]),
        ("rulings perhaps\nana\nsleight\n1\n", "rulings: How you are asked to rule", [("game master", 1, False)]),
    ],
)
def test_rulings_are_asked_proposed_or_taken_by_default(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, typed: str, told: str, by: list[Any]
) -> None:
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    out = referee("play", "coin", "--log", "saloon.jsonl", "--seed", "x", stdin=typed)
    assert told in out.out
    ruled = [line for line in LogFile.open(tmp_path / "saloon.jsonl").journal.lines if isinstance(line, AnswerGiven)]
    assert [(line.by, line.answer, line.by_default) for line in ruled if line.prompt == "noticed"] == by
    assert referee("verify", "saloon.jsonl").code == 0


class Typist:
    """Types what it is given, then leaves."""

    def __init__(self, typed: list[str]) -> None:
        self.typed = iter(typed)

    def __call__(self, prompt: str) -> str:
        try:
            return next(self.typed)
        except StopIteration:
            raise Left from None


words = st.sampled_from(
    [
        "1",
        "2",
        "3",
        "4",
        "Ripa",
        "game",
        "skill",
        "Obs",
        "yes",
        "no",
        "undo",
        "redo",
        "+1",
        "",
        "'",
        "edit Ripa stress 2",
    ]
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(words | st.text(max_size=5), max_size=12))
def test_whatever_an_evening_goes_like_its_log_brings_it_back(
    tmp_path_factory: pytest.TempPathFactory, typed: list[str]
) -> None:
    system = registry.load("alien")
    state = system.state({"Ripa": {"attributes": {"Wits": 1}}})
    path = tmp_path_factory.mktemp("evening") / "log.jsonl"
    file = LogFile.create(path, system, state, SeededDice(b"any"))
    with pytest.raises(Left):
        TerminalTable(system, file, {}, Typist(typed)).play()
    again: Journal = LogFile.open(path).journal
    assert (again.state, again.asking, again.lines) == (file.journal.state, file.journal.asking, file.journal.lines)


# --- roll, odds, sheets -----------------------------------------------------------------------------------------------


def test_an_action_is_taken_once_by_its_short_form(referee: Referee) -> None:
    done = referee("roll", "alien", "5b3s", "--seed", "one", "--json")
    rolled = json.loads(done.out)
    assert [len(group) for group in rolled["throws"][0]["dice"]] == [5, 3]
    assert rolled["result"]["sixes"] == sum(pip == 6 for group in rolled["throws"][0]["dice"] for pip in group)
    assert referee("roll", "alien", "5b3s", "--seed", "one", "--json").out == done.out


def test_the_odds_of_a_short_form_are_exact(referee: Referee) -> None:
    told = json.loads(referee("odds", "alien", "2b0s", "--json").out)
    assert {band: chance["exact"] for band, chance in told["now"]["bands"].items()} == {
        "success": "11/36",
        "failure": "25/36",
    }
    pushed = json.loads(referee("odds", "alien", "1b0s", "--decide", "push=yes", "--json").out)
    assert pushed["now"]["bands"]["success"]["exact"] == "535/1296"  # 1/6 · 35/36 + 5/6 · 65/216
    assert pushed["decisions"][0]["options"]["yes"] == pushed["now"]
    assert pushed["best"]["situations"][0]["best"] == ["yes"]


def test_a_short_form_may_have_several_words_and_says_what_it_had_to_reach(referee: Referee) -> None:
    told = referee("roll", "d6", "1d+1", "against", "9").out
    assert told.rstrip().endswith("against 9.")
    assert "total" in told
    assert referee("roll", "yearzero", "2b1s").out.splitlines()[0].count("|") == 1


def test_what_can_happen_is_never_told_as_impossible(referee: Referee) -> None:
    told = referee("odds", "d6", "5d", "against", "30").out  # five sixes
    assert "<0.1%  1/7776" in told
    assert ">99.9%  7775/7776" in told


def test_the_odds_show_what_each_decision_changes(referee: Referee) -> None:
    told = referee("odds", "alien", "1b0s").out
    assert "Push the roll? yes ████████············  41.3%" in told
    assert "best play" in told


def test_a_curve_along_anything_and_against_another(referee: Referee, tmp_path: Path) -> None:
    told = referee("odds", "alien", "1b0s", "--along", "mods=0..1", "--picture", str(tmp_path / "curve.svg")).out
    assert told.splitlines()[0].split() == ["mods", "as", "it", "stands", "push", "yes", "best"]
    assert told.splitlines()[2].split()[:2] == ["1", "30.6%"]
    assert (tmp_path / "curve.svg").read_text("utf-8").startswith("<svg")
    both = json.loads(referee("odds", "alien", "1b0s", "--along", "mods=0..1", "--against", "2b0s", "--json").out)
    assert [each["exact"] for each in both["lines"]["1b0s"]] == ["1/6", "11/36"]
    assert [each["exact"] for each in both["lines"]["2b0s"]] == ["11/36", "91/216"]


@pytest.mark.parametrize("along", ["mods", "mods=1", "mods=3..1", "=1..2", "mods=1..99999"])
def test_a_curve_needs_a_range(referee: Referee, along: str) -> None:
    assert "must be a name and a range" in referee("odds", "alien", "1b0s", "--along", along).err


def test_a_curve_along_nothing_known_says_what_is(referee: Referee) -> None:
    assert "'luck' is not known" in referee("odds", "alien", "1b0s", "--along", "luck=0..1").err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("alien", "5x"), "5x: is neither a short form"),
        (("alien", "skill-roll"), "who: is missing"),
        (("alien", "skill-roll", "who"), "who: must be name=value"),
        (("alien", "skill-roll", "who=Ripa", "skill=["), "not YAML"),
        (("alien", "skill-roll", "who=Ripa", "skill=Cooking"), "Cooking: the book has none of this name"),
        (("alien", "skill-roll", "who=nobody", "skill=Comtech"), "'nobody' is not known"),
    ],
)
@pytest.mark.parametrize("command", ["roll", "odds"])
def test_a_roll_that_cannot_be_is_a_sentence(
    referee: Referee, command: str, arguments: tuple[str, ...], complaint: str
) -> None:
    done = referee(command, *arguments)
    assert done.code == 2
    assert done.err.startswith("referee: ")
    assert complaint in done.err


def test_a_sheet_is_shown_validated_and_made_by_chance(referee: Referee, hatch: tuple[str, ...]) -> None:
    shown = json.loads(referee("sheet", "show", "alien", "Ripa", "--scene", hatch[3], "--json").out)
    assert shown["Ripa"]["stress"] == 1
    assert referee("sheet", "validate", hatch[3]).out == "legal: Brekk, Ripa\n"
    made: Any = json.loads(referee("sheet", "random", "alien", "--seed", "x", "--json").out)
    assert made == json.loads(referee("sheet", "random", "alien", "--seed", "x", "--json").out)


def test_a_character_is_created_in_words(referee: Referee, tmp_path: Path) -> None:
    done = referee("create", "alien", "attributes.Strength=99")
    assert (done.code, "an attribute is 1 to 5 (alien.character.attributes); legal: 1 to 5" in done.err) == (2, True)
    told = referee("create", "alien", "attributes.Strength=5", "skills.Piloting=2").out
    assert "attributes: Strength 5, Agility 3, Wits 3, Empathy 3" in told
    assert "Still missing\n  name: write something (referee.table.drafts)" in told
    made = json.loads(referee("create", "alien", "name=Ana", "attributes={Wits: 4}", "--json").out)
    assert made["sheet"]["attributes"] == {"Agility": 3, "Empathy": 3, "Strength": 3, "Wits": 4}
    (tmp_path / "ana.yaml").write_text("{name: Ana, skills: {Piloting: 3}}", encoding="utf-8")
    again = referee("create", "alien", "--from", "ana.yaml", "--random", "--seed", "x").out
    assert "skills           Piloting 3" in again
    assert again == referee("create", "alien", "--from", "ana.yaml", "--random", "--seed", "x").out
    for words in (["Strength"], ["strength=3"], ["attributes.Luck=3"], ["attributes=x"], ["--template", "Marine"]):
        assert referee("create", "alien", *words).code == 2


def test_dice_are_rolled_for_a_created_character(referee: Referee, systems: None) -> None:
    told = referee("create", "guild", "age=Old", "purse=roll", "tools=Quill,nails", "--seed", "x").out
    assert "coins: " in told
    assert "* Quill (2)" in told
    assert "Scribe: needs Wits 3 (guild.creation.crafts)" in told
    assert "has no steps" in referee("create", "den").err


def test_a_sheet_that_is_not_there_or_not_legal_is_a_sentence(
    referee: Referee, hatch: tuple[str, ...], files: dict[str, Path], tmp_path: Path
) -> None:
    assert "did you mean 'Ripa'?" in referee("sheet", "show", "alien", "Rippa", "--scene", hatch[3]).err
    (tmp_path / "odd.yaml").write_text("system: alien\nsheets: {ana: {stress: -1}}\n", encoding="utf-8")
    assert "it is never below 0" in referee("sheet", "validate", "odd.yaml").err
    assert referee("sheet", "validate", files["broken"]).err.startswith(f"referee: {files['broken']}: not YAML: ")
    assert referee("sheet", "validate", tmp_path).code == 2


# --- the command ------------------------------------------------------------------------------------------------------


def test_help_is_plain_and_names_every_command(referee: Referee) -> None:
    done = referee("--help")
    assert done.code == 0
    for name in ("play", "roll", "odds", "check", "rules", "sheet"):
        assert f"  {name} " in done.out


def test_an_unknown_command_is_a_sentence(referee: Referee) -> None:
    done = referee("plya")
    assert done.code == 2
    assert "Traceback" not in done.err


def test_what_a_campaign_decides_is_listed_by_chapter(referee: Referee, systems: None) -> None:
    out = referee("rules", "options", "fair").out
    assert [line for line in out.splitlines() if not line.startswith(" ")] == ["Throwing", "Luck"]
    assert (
        "  fair.throw.order\n    Who throws first.\n    young: The youngest. (unless a campaign says otherwise)\n"
        in out
    )
    assert "    not together with: fair.luck.luck\n" in out
    assert "    only with: fair.luck.luck, fair.throw.one\n" in out
    listed = json.loads(referee("rules", "options", "fair", "--json").out)
    assert [each["id"] for each in listed] == [
        "fair.throw.one",
        "fair.throw.order",
        "fair.luck.luck",
        "fair.luck.doom",
        "fair.luck.gamblers",
    ]
    assert referee("rules", "options", "alien").out == "ALIEN has no optional rules\n"
    assert "again: It is thrown again." in referee("rules", "show", "fair.throw.one").out


def test_what_the_book_does_not_allow_is_told_after_a_step(referee: Referee, systems: None) -> None:
    out = referee("play", "fair", stdin="bo\ndebt\n").out
    assert "Push your luck" not in out
    assert "luck 2" not in referee("play", "fair", stdin="sheets\n").out
    assert "The book does not allow this: bo: coins: bo has -1 (fair.debts.none)" in out


def test_a_sheet_is_shown_without_fields_whose_option_is_off(referee: Referee, systems: None) -> None:
    assert json.loads(referee("sheet", "show", "fair", "ana", "--json").out) == {"ana": {"coins": 6}}


# --- forecasts --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_forecast_draws_who_wins_who_is_out_and_how_long_it_takes(referee: Referee) -> None:
    done = referee("forecast", "distemper", "roadblock", "--fights", "40", "--compare", "Ash.wp=3")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "The roadblock"
    assert lines[1] == "Who wins"
    assert re.fullmatch(r"  Ash and Bell +[█·]{20} +[\d.]+%  ≈ ±[\d.]+%", lines[2])
    assert "Out by the end" in lines
    assert "With Ash.wp=3:" in lines
    assert any(re.fullmatch(r"  Ash and Bell: [-+][\d.]+%  ≈ ±[\d.]+%", line) for line in lines)
    assert lines[-1].startswith("Counted in 40 fights; ")


@pytest.mark.slow
def test_a_forecast_as_json_is_the_same_with_the_same_seed(referee: Referee) -> None:
    one, two, other = (
        referee("forecast", "distemper", "roadblock", "--fights", "30", "--seed", seed, "--json") for seed in "112"
    )
    assert one.out == two.out != other.out
    assert json.loads(one.out)["sides"][0]["people"] == ["Ash", "Bell"]


@pytest.mark.slow
def test_ctrl_c_shows_what_is_known_so_far() -> None:
    command = [str(REFEREE), "forecast", "distemper", "roadblock", "--fights", "100000000", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        sleep(12)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 0, err
    assert 0 < json.loads(out)["fights"] < 100_000_000


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("distemper", "market"),
            "scene: nothing is fought in The market; samples with something to forecast: roadblock",
        ),
        (("distemper", "roadblock", "--with", "Ash=brave"), "'brave' is not known"),
        (("distemper", "roadblock", "--fights", "none"), "fights: must be a whole number from 1"),
        (("distemper", "roadblock", "--processes", "0"), "processes: must be a whole number from 1"),
        ((), "name a system and a sample"),
    ],
)
def test_a_forecast_of_what_cannot_be_is_refused(referee: Referee, arguments: tuple[str, ...], says: str) -> None:
    done = referee("forecast", *arguments)
    assert done.code == 2
    assert says in done.err


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (("distemper", "2d6+3", "--seed", "a"), "The result is wild success, with a total of 14."),
        (("alien", "5b3s", "--seed", "one", "--decide", "push=yes"), None),
    ],
)
def test_a_roll_ends_in_a_sentence(referee: Referee, words: tuple[str, ...], last: str | None) -> None:
    lines = referee("roll", *words).out.splitlines()
    assert lines[-1].startswith("The result is ")
    assert lines[-1].endswith(".")
    assert lines[-1] == (last or lines[-1])


def test_what_a_roll_brings_besides_is_said(referee: Referee) -> None:
    said = [referee("roll", "alien", "9b9s", "--seed", each).out.splitlines()[-1] for each in ("a", "b")]
    assert said == [
        "The result is success; it also brings an extra success.",
        "The result is failure; it also brings a stress response and messing up.",
    ]


def test_the_version_is_printed(referee: Referee) -> None:
    assert referee("--version").out == f"Referee {__version__}\n"


def test_names_of_systems_and_people_need_no_capitals(referee: Referee) -> None:
    done = referee("roll", "Distemper", "group-check", "members=[ash, BELL]", "using=tactics", "--seed", "x")
    assert (done.code, done.err) == (0, "")


def test_a_name_that_is_nearly_right_is_suggested(referee: Referee) -> None:
    assert "did you mean 'Ash'?" in referee("roll", "distemper", "check", "who=Aish", "using=Reason").err
    assert "did you mean 'distemper.combat-actions.aim'?" in referee("rules", "show", "distemper.aim").err


def test_a_short_form_of_several_words_is_shown_whole_as_an_example(referee: Referee) -> None:
    assert "(such as Dex 6/guns 3-10)" in referee("roll", "dime", "Dex/guns-10").err


def test_cards_of_a_roll_are_told_without_their_deck(referee: Referee) -> None:
    lines = referee("roll", "dime", "Dex", "6/guns", "3-10", "--seed", "ford").out.splitlines()
    assert re.fullmatch(r"a card: (10|[A2-9JQK])[SHDC]", lines[0])


def test_a_figure_with_something_left_out_is_no_fraction(referee: Referee) -> None:
    told = referee("odds", "dime", "Det", "5-12").out
    assert "left out as too unlikely" in told
    assert "/" not in told


def test_in_a_fight_a_near_miss_is_suggested_and_barred_says_why_not(referee: Referee) -> None:
    typed = "\n\n\n\natack\nbarred\nquit\n"
    told = referee("play", "distemper", "--scene", "roadblock", "--seed", "b", "--log", "log.jsonl", stdin=typed).out
    assert "'atack' is not one of the options; did you mean attack?" in told
    assert "Fire from Cover: Ash is not in cover (distemper.combat-actions.fire-from-cover); legal: take-cover" in told


def test_turned_cards_are_told(referee: Referee, tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("{system: dime, sheets: {ana: {moxie: 0}}, piles: {ana.deck: [7H], gm.deck: [2H]}}", "utf-8")
    typed = "ana\nrandom\nquit\n"
    assert "ana draws 7H" in referee("play", "dime", "--scene", scene, "--log", "log.jsonl", stdin=typed).out


def test_a_character_is_built_with_names_in_other_letters(referee: Referee) -> None:
    told = referee("create", "distemper", "name=Al", "Attributes.reason=2", "skills.lock picking=1", "--json").out
    assert json.loads(told)["answers"] == {"name": "Al", "attributes": {"Reason": 2}, "skills": {"Lock-Picking": 1}}
    assert referee("sheet", "show", "distemper", "ash").out.startswith("Ash")


def test_a_change_of_a_forecast_that_is_nearly_right_is_suggested(referee: Referee) -> None:
    done = referee("forecast", "distemper", "roadblock", "--with", "ash.wpp=3")
    assert "'wpp' is not known; did you mean 'wp'?" in done.err


def test_flags_of_serve_take_precedence_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import referee.cli.serve
    from referee.web.settings import ServerSettings

    seen: list[ServerSettings] = []
    monkeypatch.setattr(referee.cli.serve, "serve_until_stopped", lambda settings, ready: seen.append(settings))
    monkeypatch.setenv("REFEREE_PORT", "9000")
    monkeypatch.setenv("REFEREE_RATE", "7")
    line = ["referee", "serve", "--port", "9001", "--host", "127.0.0.2", "--data", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", line)
    with pytest.raises(SystemExit, match="0"):
        main()
    (settings,) = seen
    assert (settings.port, settings.host, settings.data, settings.rate) == (9001, "127.0.0.2", tmp_path, 7)
