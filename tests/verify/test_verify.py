"""Whether a log can be as it is written: honest evenings hold, and every kind of tampering is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from referee import registry
from referee.cli.verify import verify_file
from referee.core.errors import BadInput, Refused
from referee.core.system import System
from referee.journal.lines import SeatData, SeatTaken
from referee.journal.seeded_dice import SeededDice
from referee.store.export import export_campaign
from referee.store.log_file import LogFile, seed_file
from referee.table import master_desk, seat_desk, undo_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.verify.log_file import Mismatch, read_written
from referee.verify.report import Report, verify

Lines: TypeAlias = list[dict[str, Any]]

SCENE: dict[str, Any] = {
    "ana": {"coins": 9},
    "bo": {"coins": 9},
    "deck": {"kind": "Pile", "facing": "down", "cards": [f"{rank}{suit}" for suit in "SH" for rank in "A23456789JQK"]},
    "ana-hand": {"kind": "Pile", "facing": "hand", "owner": "ana"},
    "bo-hand": {"kind": "Pile", "facing": "hand", "owner": "bo"},
}


# --- honest evenings --------------------------------------------------------------------------------------------------


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("system", ["den", "coin", "alien", "distemper", "guild"])
def test_random_play_holds(begin_evening: Any, tmp_path: Path, system: str, seed: int) -> None:
    evening = begin_evening(system, seed)
    evening.go(60)
    evening.reveal()
    report = verify(read_written(evening.export(tmp_path / "evening.jsonl")), evening.seeds())
    assert report.mismatches == ()
    assert report.left_out == ()
    assert report.unchecked == 0


def test_evenings_at_which_characters_are_built_hold(begin_evening: Any, tmp_path: Path) -> None:
    """Throws of drafts among others, undone steps of finishing, forks, new seeds, servers that start anew."""
    evening = begin_evening("guild", 4)
    evening.go(300)
    evening.reveal()
    report = verify(read_written(evening.export(tmp_path / "evening.jsonl")), evening.seeds())
    assert evening.done >= {"draft", "finish a draft", "undo", "fork", "reveal", "forget"}
    assert (report.mismatches, report.left_out, report.unchecked) == ((), (), 0)
    assert report.checked > 2


def test_random_play_does_everything_there_is_to_check(begin_evening: Any, tmp_path: Path) -> None:
    evening = begin_evening("den", 8)
    evening.go(300)
    report = verify(read_written(evening.export(tmp_path / "evening.jsonl")), evening.seeds())
    done = {"play", "undo", "redo", "fork", "cancel", "reveal", "roll", "whisper", "hide", "forget"}
    assert evening.done >= done | {"change_handling", "take_real_dice", "let stand", "overrule", "type in"}
    assert report.holds
    assert min(report.checked, len(report.by_hand), len(report.overruled), report.steps, len(report.commitments)) > 2


def test_throws_of_a_seed_that_is_still_secret_are_counted(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    report = exported(hub, mo, tmp_path)
    assert (report.holds, report.checked, report.unchecked) == (True, 0, 2)
    hub.reveal(*mo[:2])
    report = exported(hub, mo, tmp_path)
    assert (report.holds, report.checked, report.unchecked) == (True, 2, 0)
    assert [(each.throws, each.revealed) for each in report.commitments] == [(2, True), (0, False)]


def test_a_fork_is_checked_with_the_seeds_of_where_it_came_from(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    hub.act(*mo[:2], DeskCommand(Desk.note, "what if"))
    forked = hub.fork(*mo[:2], hub.read(*mo[:2], Desk.view)["cursor"] - 1, "Otherwise")
    hub.act(*forked[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    hub.reveal(*forked[:2])
    report = exported(hub, forked, tmp_path)
    assert (report.holds, report.checked, report.unchecked) == (True, 2, 2)
    before = SeededDice(bytes.fromhex(hub.reveal(*mo[:2])))
    report = verify(read_written(export(hub, forked, tmp_path)), [before])
    assert (report.holds, report.checked, report.unchecked) == (True, 4, 0)


def export(hub: Hub, seated: Admitted, folder: Path) -> Path:
    path = folder / "evening.jsonl"
    with path.open("wb") as file:
        export_campaign(hub.store, seated.campaign, file, seeds=True)
    return path


def exported(hub: Hub, seated: Admitted, folder: Path) -> Report:
    return verify(read_written(export(hub, seated, folder)))


def test_a_default_that_was_taken_holds_and_must_be_the_default(hub: Hub, tmp_path: Path) -> None:
    path = sleight(hub, tmp_path, "do it")
    assert verify(read_written(path)).holds
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    (ruled,) = (line["line"] for line in lines if line.get("line", {}).get("by_default"))
    assert (ruled["by"], ruled["answer"]) == ("table", 0)
    ruled["answer"] = 3
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert "answer is 3; the default is 0" in str(verify(read_written(path)).mismatches)


def test_a_default_that_was_taken_though_the_table_asks_is_noticed(hub: Hub, tmp_path: Path) -> None:
    path = sleight(hub, tmp_path, "ask")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    (ruled,) = (line["line"] for line in lines if line.get("line", {}).get("prompt") == "noticed")
    ruled |= {"by": "table", "by_default": True}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert "the default was taken, but the table's settings say to ask" in str(verify(read_written(path)).mismatches)


def test_a_throw_is_no_ruling(hub: Hub, tmp_path: Path) -> None:
    path = sleight(hub, tmp_path, "do it")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    (thrown,) = (line["line"] for line in lines if line.get("line", {}).get("prompt") == "sleight")
    thrown["by_default"] = True
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert "is no ruling, so it has no default" in str(verify(read_written(path)).mismatches)


def sleight(hub: Hub, folder: Path, how: str) -> Path:
    """An evening with one ruling."""
    mo = hub.create("Saloon", "coin", {"ana": {}}, "Mo")
    hub.act(*mo[:2], DeskCommand(master_desk.settings, {"rulings": {"*": how}}))
    hub.act(*mo[:2], DeskCommand(Desk.act, "sleight", "ana"))
    if how != "do it":
        hub.act(*mo[:2], DeskCommand(Desk.answer, "game master.noticed", None))
    hub.reveal(*mo[:2])
    return export(hub, mo, folder)


# --- what people did --------------------------------------------------------------------------------------------------


def test_real_dice_typed_in_are_told_with_who_typed_them(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    ana = hub.join(hub.invite(*mo[:2], Role.PLAYER, frozenset({"ana"})), "Ana")
    hub.act(*ana[:2], DeskCommand(seat_desk.change_seat, ana.seat, real_dice=True))
    hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    hub.act(*ana[:2], DeskCommand(Desk.answer, "ana.duel", [[6, 6]]))
    hub.reveal(*mo[:2])
    report = exported(hub, ana, tmp_path)
    assert report.holds
    (word,) = report.by_hand
    assert (word.by, word.of, word.prompt, word.answer) == ("Ana", "ana", "duel", [[6, 6]])
    assert report.checked == 1


def test_an_overruled_throw_is_told_with_who_said_so_and_what_had_fallen(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    hub.act(*mo[:2], DeskCommand(master_desk.settings, {"throws": {"duel": "ask"}}))
    hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    fallen = hub.read(*mo[:2], lambda desk: desk.view()["questions"][0]["held"])
    other = [[1, 1]] if fallen != [[1, 1]] else [[2, 2]]
    hub.act(*mo[:2], DeskCommand(Desk.answer, "ana.duel", other))
    hub.act(*mo[:2], DeskCommand(Desk.answer, "bo.duel", None))
    hub.reveal(*mo[:2])
    report = exported(hub, mo, tmp_path)
    assert report.holds
    (word,) = report.overruled
    assert (word.by, word.answer, word.instead_of) == ("Mo", other, fallen)
    assert report.checked == 2


def test_a_throw_set_by_hand_after_an_undo_counts_as_overruled(den: System) -> None:
    """An undo may leave a throw open; who then types it in has overruled the table."""
    lines = honest_lines()
    at, line = next((at, line) for at, line in enumerate(lines) if line.get("dice"))
    del lines[at:]
    undone = {"kind": "undone", "by": "Mo", "to": at, "then": []}
    report = checked([*lines, line, undone, {**line, "by": "Mo", "throw": line["throw"] + 1}])
    assert report.holds
    assert [each.by for each in report.overruled] == ["Mo"]


# --- tampering --------------------------------------------------------------------------------------------------------


SEED = SeededDice(b"tamper")


@pytest.fixture(autouse=True)
def _systems(systems: None) -> None:
    """Every test here may load the systems that only tests know."""


def honest() -> tuple[dict[str, Any], Lines]:
    """Duels, cards, a throw that is held and stands, one that is overruled, an undo, a step refused in its middle."""
    from referee.journal.journal import Journal
    from referee.journal.steps import Handling

    den = registry.load("den")
    how = {"duel": Handling.DO}
    journal = Journal(
        den, den.state(SCENE), SEED, handle=lambda waiting: how.get(str(waiting.question.name), Handling.DO)
    )
    journal.say(SeatTaken("mo", SeatData("mo", "Mo", "game master", (), real_dice=False)))
    journal.begin("mo", "den.dice.duel", {"who": "ana", "against": "bo"})
    journal.begin("mo", "den.cards.deal", {"who": "ana"})
    journal.answer("mo", 2, "no")
    journal.edit("mo", "bo", coins=7)
    journal.begin("mo", "den.dice.duel", {"who": "bo", "against": "ana"})
    journal.undo("mo", journal.count - 3)
    journal.begin("mo", "den.cards.deal", {"who": "bo"})
    journal.answer("mo", 4, "yes")
    how["duel"] = Handling.ASK
    journal.begin("mo", "den.dice.duel", {"who": "ana", "against": "bo"})
    (one, two) = journal.asking
    fallen = journal.held[two.step, two.part].answer
    journal.answer("mo", one.step, journal.held[one.step, one.part].answer, one.part)
    journal.answer("mo", two.step, [[1, 1]] if fallen != [[1, 1]] else [[2, 2]], two.part)
    how["duel"] = Handling.DO
    journal.begin("mo", "den.debts.borrow", {"who": "bo"})
    with pytest.raises(Refused):  # in its middle, by the die that SEED throws
        journal.answer("mo", 6, "2")
    journal.begin("mo", "den.dice.duel", {"who": "ana", "against": "bo"})
    return dict(journal.header()), [json.loads(json.dumps(line.to_plain())) for line in journal.lines]


def honest_lines() -> Lines:
    return honest()[1]


def checked(
    lines: Lines, seed: SeededDice = SEED, header: dict[str, Any] | None = None, folder: Path | None = None
) -> Report:
    """What `referee verify` finds of a log with these lines."""
    import tempfile

    path = Path(folder or tempfile.mkdtemp()) / "evening.jsonl"
    text = "".join(json.dumps(line) + "\n" for line in (header or honest()[0], *lines))
    path.write_text(text, encoding="utf-8")
    seed_file(path).write_text(seed.seed.hex(), encoding="utf-8")
    return verify(read_written(path))


def where(lines: Lines, **what: Any) -> list[int]:
    return [at for at, line in enumerate(lines) if all(line.get(name) == value for name, value in what.items())]


def test_the_evening_that_is_tampered_with_holds() -> None:
    report = checked(honest_lines())
    assert report.mismatches == ()
    assert report.checked >= 12
    assert len(report.overruled) == 1


def test_any_pip_changed_is_noticed() -> None:
    lines = honest_lines()
    for at in where(lines, by="dice"):
        if "dice" not in lines[at]:
            continue
        changed = json.loads(json.dumps(lines))
        changed[at]["answer"][0][0] = changed[at]["answer"][0][0] % 6 + 1
        report = checked(changed)
        assert at + 2 in [each.line for each in report.mismatches]
        assert "by the seed it is" in str(report.mismatches)


def test_any_card_swapped_is_noticed() -> None:
    lines = honest_lines()
    drawn = [at for at in where(lines, by="dice") if "pile" in lines[at]]
    assert len(drawn) == 3
    for at in drawn:
        changed = json.loads(json.dumps(lines).replace(f'"{lines[at]["answer"]}"', '"Joker1"'))
        report = checked(changed)
        assert at + 2 in [each.line for each in report.mismatches]


def test_any_line_removed_is_noticed_by_what_comes_after_it() -> None:
    """But for an answer on which nothing hangs: what does not count can be left out of any log that is not numbered."""
    lines = honest_lines()
    counts = [at for at, line in enumerate(lines[:-1]) if line["kind"] != "said" and line.get("prompt") != "keep"]
    assert len(counts) > 20
    for at in counts:
        assert not checked(lines[:at] + lines[at + 1 :]).holds, lines[at]


def test_any_line_doubled_is_noticed() -> None:
    lines = honest_lines()
    for at in range(1, len(lines)):
        assert not checked(lines[: at + 1] + lines[at:]).holds, lines[at]


def test_any_two_lines_of_a_step_that_change_places_are_noticed() -> None:
    lines = honest_lines()
    pairs = [at for at in range(len(lines) - 1) if lines[at].get("step", 0) == lines[at + 1].get("step")]
    assert len(pairs) > 10
    for at in pairs:
        report = checked([*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]])
        assert not report.holds, lines[at : at + 2]


@pytest.mark.parametrize("by", [-1, 1, 1000, "more", None])
def test_any_counter_changed_is_noticed(by: Any) -> None:
    lines = honest_lines()
    for at in (at for at, line in enumerate(lines) if "throw" in line):
        changed = json.loads(json.dumps(lines))
        changed[at]["throw"] = changed[at]["throw"] + by if isinstance(by, int) else by
        assert at + 2 in [each.line for each in checked(changed).mismatches]


def test_another_seed_is_noticed() -> None:
    report = checked(honest_lines(), SeededDice(b"other"))
    assert (report.checked, report.unchecked) == (0, 12)
    header, lines = honest()
    report = checked(lines, SeededDice(b"other"), {**header, "commitment": SeededDice(b"other").commitment})
    assert len(report.mismatches) >= 10


def test_an_overrule_that_is_hidden_is_noticed() -> None:
    lines = honest_lines()
    (at,) = (at for at, line in enumerate(lines) if "instead_of" in line)
    line = lines[at]
    hidden = {name: value for name, value in line.items() if name != "instead_of"}
    for changed, told in (
        ([*lines[:at], hidden, *lines[at + 1 :]], "is not what had fallen"),
        ([*lines[:at], {**line, "instead_of": [[3, 3]]}, *lines[at + 1 :]], "stands instead of [[3, 3]]"),
        ([*lines[:at], {**hidden, "by": "dice"}, *lines[at + 1 :]], "is not what had fallen"),
    ):
        (mismatch, *_) = checked(changed).mismatches
        assert mismatch.line == at + 2
        assert told in mismatch.problem
    (held,) = (each for each in where(lines, kind="held") if lines[each]["part"] == line["part"])
    report = checked([*lines[:held], *lines[held + 1 : at], hidden, *lines[at + 1 :]])
    assert "made by hand a throw that was the table's to make" in str(report.mismatches)


def test_a_throw_of_the_tables_passed_off_as_made_by_hand_is_noticed() -> None:
    lines = honest_lines()
    for at in where(lines, by="dice", kind="answered"):
        report = checked([*lines[:at], {**lines[at], "by": "mo"}, *lines[at + 1 :]])
        if lines[at - 1]["kind"] != "undone":
            assert at + 2 in [each.line for each in report.mismatches]


def test_what_did_not_follow_by_the_rules_is_noticed() -> None:
    """Whoever pays for a lost duel, and how much, is the rules' to say, not only the dice's."""
    lines = honest_lines()
    for at in (at for at, line in enumerate(lines) if any("set" in item for item in line["then"])):
        changed = json.loads(json.dumps(lines))
        item = next(item for item in changed[at]["then"] if "set" in item)
        item["set"] = {name: item["was"][name] for name in item["set"]}
        report = checked(changed)
        assert not report.holds


def test_fewer_dice_than_the_rules_throw_are_noticed() -> None:
    lines = honest_lines()
    (at, *_) = (at for at, line in enumerate(lines) if line.get("dice"))
    below = SEED.throw(lines[at]["throw"])
    lines[at] |= {"dice": [[6, 1]], "answer": [[below(6) + 1]]}
    (mismatch, *_) = checked(lines).mismatches
    assert mismatch.line == at + 2
    assert mismatch.problem == "dice is [[6, 1]]; by the rules it is [[6, 2]]"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"about": "seed", "commitment": SEED.commitment}, "commits to a seed that was committed to before"),
        ({"about": "revealed", "commitment": "abc", "seed": SEED.seed.hex()}, "nobody had committed to"),
        ({"about": "revealed", "commitment": SEED.commitment, "seed": b"x".hex()}, "not the one that was committed to"),
        ({"about": "revealed", "commitment": SEED.commitment, "seed": "xyz"}, "cannot be read"),
    ],
)
def test_what_is_said_of_seeds_must_fit(line: dict[str, Any], problem: str) -> None:
    said = {"kind": "said", "by": "table", **line, "then": []}
    mismatches = checked([*honest_lines(), said]).mismatches
    assert {each.line for each in mismatches} == {len(honest_lines()) + 2}
    assert problem in str(mismatches)


def seed_line(seed: SeededDice, **more: Any) -> dict[str, Any]:
    return {"kind": "said", "by": "table", "about": "seed", "commitment": seed.commitment, **more, "then": []}


def test_a_server_that_changes_its_seed_until_it_likes_the_throw_is_noticed() -> None:
    """It throws in secret, and before a throw it does not like it commits to another seed."""
    lines = honest_lines()
    first = where(lines, by="dice")[0]
    wanted = next(seed for n in range(1000) if SeededDice(seed := b"%d" % n).throw(1)(6) == 5)
    swapped = [*lines[:first], seed_line(SeededDice(wanted)), *lines[first:]]
    report = checked(swapped)
    assert Mismatch(first + 2, "changes the seed of the dice without revealing the one before") in report.mismatches
    assert [each.commitment for each in report.commitments] == [SEED.commitment, SeededDice(wanted).commitment]


@pytest.mark.parametrize("because", ["import", "restored"])
def test_a_change_of_seed_for_a_reason_elsewhere_is_told_and_written_commitments_show_it(
    because: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = SeededDice(b"other")
    report = checked([*honest_lines(), seed_line(other, because=because)], folder=tmp_path)
    assert report.mismatches == ()
    assert [each.because for each in report.commitments] == ["", because]
    file = str(tmp_path / "evening.jsonl")
    assert verify_file(file, (), (), [SEED.commitment[:8], other.commitment], as_json=False)
    assert f"seed {other.commitment[:16]}…, 0 throws; " in capsys.readouterr().out
    assert not verify_file(file, (), (), [other.commitment, SEED.commitment], as_json=False)
    assert f"the commitment {SEED.commitment} was written down, and is not in the log" in capsys.readouterr().out
    assert not verify_file(file, (), (), ["0123456789"], as_json=False)
    with pytest.raises(BadInput, match="first eight hexadecimal digits"):
        verify_file(file, (), (), ["none"], as_json=False)


def test_a_change_of_seed_that_claims_a_fork_in_a_campaign_that_never_forked_is_noticed() -> None:
    report = checked([*honest_lines(), seed_line(SeededDice(b"other"), because="fork")])
    assert [each.problem for each in report.mismatches] == ["says that it is a fork; this campaign was never forked"]


def test_a_fork_claimed_while_players_stay_is_noticed(hub: Hub, tmp_path: Path) -> None:
    """A true fork begins with the game master alone; a seed changed at a table where players stay is no fork."""
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    hub.join(hub.invite(*mo[:2], Role.PLAYER, frozenset({"ana"})), "Ana")
    hub.act(*mo[:2], DeskCommand(Desk.note, "what if"))
    forked = hub.fork(*mo[:2], hub.read(*mo[:2], Desk.view)["cursor"] - 1, "Otherwise")
    hub.join(hub.invite(*forked[:2], Role.PLAYER, frozenset({"ana"})), "Ana")
    hub.act(*forked[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    again = hub.fork(*forked[:2], hub.read(*forked[:2], Desk.view)["cursor"] - 1, "Once more")
    assert exported(hub, forked, tmp_path).mismatches == ()
    path = export(hub, again, tmp_path)
    assert verify(read_written(path)).mismatches == ()
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    at = max(at for at, line in enumerate(lines) if line.get("line", {}).get("about") == "seed")
    kept = [line for line in lines[at + 1 :] if line.get("line", {}).get("about") != "left"]
    assert len(kept) < len(lines[at + 1 :])
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines[: at + 1], *kept]), encoding="utf-8")
    told = [each.problem for each in verify(read_written(path)).mismatches]
    assert "says that it is a fork, but Mo and Ana stayed at the table" in told


def test_throws_that_were_undone_are_counted_by_person(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    for _ in range(2):
        hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
        began = hub.read(*mo[:2], lambda desk: max(at["id"] for at in desk.feed.items if at["kind"] == "began"))
        hub.act(*mo[:2], DeskCommand(undo_desk.undo, began))
    assert exported(hub, mo, tmp_path).undone == {"Mo": 4}


def test_a_throw_with_a_seed_that_was_revealed_before_is_noticed() -> None:
    lines = honest_lines()
    said = {"kind": "said", "by": "mo", "about": "revealed", "commitment": SEED.commitment, "seed": SEED.seed.hex()}
    report = checked([{**said, "then": []}, *lines])
    assert {each.problem for each in report.mismatches} >= {"is thrown with a seed that was no secret any more"}


def test_a_throw_before_any_commitment_is_noticed() -> None:
    header, lines = honest()
    report = checked(lines, SEED, {**header, "commitment": None})
    assert {each.problem for each in report.mismatches} >= {"is thrown before any seed was committed to"}


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ("then", [{"who": "nobody", "set": {"coins": 1}, "was": {"coins": 2}, "rules": []}]),
        ("then", [{"who": "ana", "set": {"colour": 1}, "was": {"colour": 2}, "rules": []}]),
        ("then", [{"who": "ana", "set": {"coins": "many"}, "was": {"coins": 9}, "rules": []}]),
        ("then", [{"gone": "nobody", "rules": []}]),
        ("then", [{"who": "eve", "new": {"kind": "Dragon"}, "rules": []}]),
        ("then", ["nothing"]),
        ("then", [{"ended": True}]),
        ("part", 7),
        ("part", "one"),
        ("step", 99),
        ("dice", [[6, 10**9]]),
        ("dice", [[0, 2]]),
        ("dice", "many"),
        ("dice", None),
        ("prompt", "sum"),
        ("of", "bo"),
        ("answer", None),
        ("throw", 2**70),
        ("by", "somebody"),
    ],
)
def test_whatever_a_line_says_there_is_an_answer_and_never_a_fault(of: str, value: Any) -> None:
    lines = honest_lines()
    (at, *_) = (at for at, line in enumerate(lines) if line.get("dice"))
    lines[at][of] = value
    assert at + 2 in [each.line for each in checked(lines).mismatches]


@pytest.mark.parametrize("to", [0, 9, 10_000, "one", None])
def test_an_undo_of_what_is_not_in_force_is_noticed(to: Any) -> None:
    undone = {"kind": "undone", "by": "mo", "to": to, "then": []}
    assert not checked([*honest_lines(), undone]).holds
    assert not checked([*honest_lines(), {"kind": "redone", "by": "mo", "then": []}]).holds


# --- files ------------------------------------------------------------------------------------------------------------


def test_an_evening_in_the_terminal_is_checked_with_the_seed_beside_it(den: System, tmp_path: Path) -> None:
    file = LogFile.create(tmp_path / "evening.jsonl", den, den.state(SCENE), SeededDice(b"evening"))
    file.journal.begin("Mo", "den.dice.duel", {"who": "ana", "against": "bo"})
    file.save()
    report = verify(read_written(file.path))
    assert (report.holds, report.lines, report.checked, report.unchecked, report.steps) == (True, 3, 2, 0, 1)
    seed_file(file.path).unlink()
    report = verify(read_written(file.path))
    assert (report.holds, report.checked, report.unchecked) == (True, 0, 2)


def rewritten(path: Path, change: Callable[[Lines], Lines], *, checksum: bool = True) -> Report:
    """An export somebody has changed, who also mends its numbers and its checksum."""
    *plains, _ = (json.loads(text) for text in path.read_text("utf-8").splitlines())
    texts = "".join(json.dumps(plain) + "\n" for plain in change(plains))
    digest = hashlib.sha256(texts.encode()).hexdigest() if checksum else "0"
    path.write_text(texts + json.dumps({"sha256": digest}) + "\n", encoding="utf-8")
    return verify(read_written(path))


@pytest.fixture
def export_file(hub: Hub, tmp_path: Path) -> Path:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    hub.act(*mo[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    hub.act(*mo[:2], DeskCommand(Desk.note, "hm"))
    hub.reveal(*mo[:2])
    return export(hub, mo, tmp_path)


def test_an_export_written_anew_as_it_was_holds(export_file: Path) -> None:
    assert rewritten(export_file, lambda plains: plains).mismatches == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda plains: [*plains[:3], *plains[4:]], "number: is 3 where 2 should be"),
        (lambda plains: [*plains[:4], plains[3], *plains[4:]], "number: is 2 where 3 should be"),
        (lambda plains: [*plains[:-1]], "1 seeds are missing that the first line counts"),
        (lambda plains: [*plains[:-1], {**plains[-1], "seed": "00"}], "not the one that was committed to"),
        (lambda plains: [*plains[:-1], {**plains[-1], "seed": "zz"}], "seed: is not hexadecimal"),
    ],
)
def test_the_parts_of_an_export_must_be_all_there(
    export_file: Path, change: Callable[[Lines], Lines], problem: str
) -> None:
    assert problem in str(rewritten(export_file, change).mismatches)


def test_a_wrong_checksum_is_told_and_the_rest_is_checked_all_the_same(export_file: Path) -> None:
    report = rewritten(export_file, lambda plains: plains, checksum=False)
    (mismatch,) = report.mismatches
    assert "the checksum does not fit" in mismatch.problem
    assert report.checked == 2


def test_an_incomplete_file_is_told(export_file: Path) -> None:
    export_file.write_bytes(export_file.read_bytes()[:-9])
    (mismatch,) = verify(read_written(export_file)).mismatches
    assert mismatch.problem == "the file ends before its checksum: it was cut off"


@pytest.mark.parametrize("line", [{"kind": "sang"}, {"kind": "edited", "by": "x", "then": [], "colour": "red"}, {}])
def test_a_line_that_cannot_be_read_is_told_and_the_rest_is_checked_all_the_same(line: Any) -> None:
    lines = honest_lines()
    report = checked([*lines, line])
    (mismatch,) = report.mismatches
    assert mismatch.line == len(lines) + 2
    assert mismatch.problem.startswith("not a line of a log: ")
    assert report.checked == checked(lines).checked


def test_a_log_that_goes_on_from_format_1_verifies() -> None:
    names = {"prompt": "asked", "hidden": "veiled", "hidden_names": "veils", "sub_results": "came"}
    header, lines = honest()
    old = [{names.get(name, name): value for name, value in line.items()} for line in lines[:9]]
    assert checked([*old, *lines[9:]], header={**header, "referee": 1}).mismatches == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "evening.jsonl: the log has no beginning"),
        ('{"referee": 1}', "evening.jsonl: the log has no beginning"),
        ("\n", "evening.jsonl: the log has no beginning"),
        ("nonsense\n", "evening.jsonl, line 1: not JSON"),
        ("[]\n", "evening.jsonl, line 1: not an object but list"),
        ('{"referee": 3}\n', "evening.jsonl: a log of format 3; this Referee reads up to 2"),
        ('{"referee": 1}\n', "evening.jsonl, line 1: does not say how it began"),
        ('{"kind": "campaign", "format": 3}\n', "evening.jsonl: a log of format 3"),
        (
            '{"referee": 1, "system": "den", "version": 1, "scene": {}}\n[]\n',
            "evening.jsonl, line 2: not an object but list",
        ),
        (
            '{"kind": "campaign", "format": 1, "system": "den", "version": 1, "scene": {}}\n{"line": 3}\n',
            "evening.jsonl, line 1: a campaign of format None",
        ),
    ],
)
def test_what_is_no_log_is_told_in_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "evening.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as told:
        read_written(tmp_path / "evening.jsonl")
    assert str(told.value).startswith(problem)


def test_a_system_that_is_not_here_leaves_the_dice_to_check(export_file: Path) -> None:
    report = rewritten(export_file, lambda plains: [{**plains[0], "system": "lost"}, *plains[1:]])
    assert report.holds
    assert (report.checked, report.steps) == (2, 0)
    assert report.left_out == ("scenes, steps and draws were not checked: the system 'lost' is not installed here",)


def test_steps_of_other_rules_are_not_run_again(export_file: Path) -> None:
    report = rewritten(export_file, lambda plains: [{**plains[0], "version": 0}, *plains[1:]])
    assert report.holds
    assert (report.checked, report.steps) == (2, 0)
    assert report.left_out == ("steps were not run again: they are of version 0 of the rules, not 1",)


def test_a_report_is_plain_data(export_file: Path) -> None:
    plain = json.loads(json.dumps(rewritten(export_file, lambda plains: plains).to_plain()))
    assert (plain["holds"], plain["lines"], plain["checked"], plain["mismatches"]) == (True, 8, 2, [])
    assert [each["throws"] for each in plain["commitments"]] == [2, 0]


def test_desk_and_verify_agree_on_what_a_step_is(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    hub.act(*mo[:2], DeskCommand(Desk.act, "borrow", "ana"))
    hub.act(*mo[:2], DeskCommand(master_desk.cancel, "ana.sum"))
    hub.act(*mo[:2], DeskCommand(Desk.stop))
    assert exported(hub, mo, tmp_path).mismatches == ()


# --- dice thrown again ------------------------------------------------------------------------------------------------


def gambled(hub: Hub, throws: int) -> Admitted:
    """Someone gambles until luck was thrown again, and a few times more."""
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    for _ in range(throws):
        hub.act(*mo[:2], DeskCommand(Desk.act, "gamble", "ana", {}))
    hub.reveal(*mo[:2])
    return mo


def lines_of(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_dice_thrown_again_are_checked_throw_by_throw(hub: Hub, tmp_path: Path) -> None:
    path = export(hub, gambled(hub, 120), tmp_path)
    report = verify(read_written(path))
    lines = [line["line"] for line in lines_of(path) if "line" in line]
    luck = [line["answer"][1] for line in lines if line.get("prompt") == "gamble" and line["kind"] == "answered"]
    assert (report.holds, report.unchecked) == (True, 0)
    assert len(luck) == 120
    assert {tuple(each) for each in luck if len(each) > 1}
    assert all(each[-1] != 6 and set(each[:-1]) <= {6} for each in luck)


def test_a_throw_left_out_of_a_die_thrown_again_is_noticed(hub: Hub, tmp_path: Path) -> None:
    path = export(hub, gambled(hub, 120), tmp_path)
    lines = lines_of(path)
    line = next(
        each["line"]
        for each in lines
        if each.get("line", {}).get("prompt") == "gamble" and len(each["line"]["answer"][1]) > 1
    )
    line["answer"][1] = line["answer"][1][-1:]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    report = verify(read_written(path))
    assert not report.holds
    assert any("by the seed it is" in str(each) for each in report.mismatches)


def test_a_log_that_says_otherwise_when_a_die_is_thrown_again_is_noticed(hub: Hub, tmp_path: Path) -> None:
    path = export(hub, gambled(hub, 5), tmp_path)
    lines = lines_of(path)
    for each in lines:
        if each.get("line", {}).get("prompt") == "gamble":
            each["line"]["again"] = [[], [5, 6]]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    assert not verify(read_written(path)).holds


def test_a_log_cannot_make_the_verifier_throw_without_end(hub: Hub, tmp_path: Path) -> None:
    path = export(hub, gambled(hub, 1), tmp_path)
    lines = lines_of(path)
    for each in lines:
        if each.get("line", {}).get("prompt") == "gamble":
            each["line"]["again"] = [[], [1, 2, 3, 4, 5, 6]]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    report = verify(read_written(path))
    assert any("never end" in str(each) for each in report.mismatches)


def test_real_dice_thrown_again_and_the_modifiers_of_a_draw_are_on_the_log(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    ana = hub.join(hub.invite(*mo[:2], Role.PLAYER, frozenset({"ana"})), "Ana")
    hub.act(*ana[:2], DeskCommand(seat_desk.change_seat, ana.seat, real_dice=True))
    hub.act(*mo[:2], DeskCommand(Desk.act, "gamble", "ana", {}))
    with pytest.raises(Refused, match="is thrown again; what it shows then is missing"):
        hub.act(*ana[:2], DeskCommand(Desk.answer, "ana.gamble", [[2], [6]]))
    hub.act(*ana[:2], DeskCommand(Desk.answer, "ana.gamble", [[2], [6, 6, 1]]))
    nerve = {"amount": 1, "label": "nerve", "rule": "den.dice.gamble", "unit": "pips"}
    log = hub.read(*ana[:2], lambda desk: desk.feed.items)
    told = {item["prompt"]: item for item in log if item.get("kind") == "answered"}
    assert told["gamble"]["answer"] == [[2], [6, 6, 1]]
    assert told["gamble"]["roll"] == {
        "dice": [{"die": "d6", "sides": 6}, {"die": "luck", "sides": 6, "again": [6]}],
        "mods": [nerve],
    }
    asked = hub.read(*ana[:2], Desk.view)["questions"]
    if "prize" in told:
        assert told["prize"]["roll"] == {"dice": [], "mods": [nerve]}
    else:
        assert asked[0]["mods"] == [nerve]


def test_hidden_edits_that_outlast_an_undo_hold_through_redo_reopening_and_fork(hub: Hub, tmp_path: Path) -> None:
    mo = hub.create("Cellar", "den", SCENE, "Mo")
    ana = hub.join(hub.invite(*mo[:2], Role.PLAYER, frozenset({"ana"})), "Ana")
    hub.act(*mo[:2], DeskCommand(master_desk.settings, {"undo": "anyone"}))
    hub.act(*mo[:2], DeskCommand(master_desk.add, "cy", {"kind": "Rogue", "coins": 1}, hidden=True))
    item = hub.read(*ana[:2], lambda desk: desk.feed.cursor)
    hub.act(*ana[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    hub.act(*mo[:2], DeskCommand(master_desk.edit, "cy", {"coins": 7}))
    hub.act(*ana[:2], DeskCommand(undo_desk.undo, item))

    def coins() -> Any:
        return hub.read(*mo[:2], lambda desk: desk.view()["scene"]["cy"]["coins"])

    assert coins() == 7
    hub.evict_idle(-1)
    assert coins() == 7
    hub.act(*mo[:2], DeskCommand(undo_desk.redo))
    assert coins() == 7
    hub.act(*ana[:2], DeskCommand(undo_desk.undo, item))
    hub.act(*ana[:2], DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}))
    last = hub.read(*mo[:2], lambda desk: desk.feed.cursor) - 1
    forked = hub.fork(*mo[:2], last, "Another cellar")
    assert hub.read(*forked[:2], lambda desk: desk.view()["scene"]["cy"]["coins"]) == 7
    hub.reveal(*mo[:2])
    report = exported(hub, mo, tmp_path)
    assert (report.mismatches, report.left_out, report.unchecked) == ((), (), 0)
