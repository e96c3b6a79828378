"""Campaigns played before a landing, stopped in the middle of a step: they open, show what they showed, and go on.

`tests/table/samples/golden/DATE` has those of one landing, made by `make_golden.py`.
"""

from __future__ import annotations

import io
import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from referee import registry
from referee.core.clock import CLOCK, Clock, coming
from referee.core.plain import Plain
from referee.core.scene import Scene
from referee.journal.lines import LinesUndone, StepBegan
from referee.journal.steps import TABLE
from referee.store.export import export_campaign
from referee.store.sqlite import SQLiteStore
from referee.table import undo_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.verify.log_file import Written, read_written
from referee.verify.report import verify

GOLDEN: Final = sorted((Path(__file__).parent / "samples" / "golden").glob("*/*.jsonl.xz"))
SERVERS: Final = sorted((Path(__file__).parent / "samples" / "golden").glob("*/server.db.xz"))
NOW_HIDDEN: Final = {"2026-11-18/d6": "initiative"}
"""What players saw then and are not told any more: the total of an initiative roll, from which foes' codes follow."""

BLEEDING: Final = {
    "2026-11-18/dime": ["Ada", "Thug"],
    "2026-11-18/yearzero": ["Rusk"],
    "2026-11-19/dime": ["Ada"],
    "2026-11-19/yearzero": ["Rusk"],
}
"""Who bleeds in the next round. The Thug's bleeding, edited onto the sheet, did nothing in those days."""
VOID: Final = {"2026-11-19/dime": [(107, "Thug", "dime.damage.dying")]}
"""What stands on a clock and is not waited for: in a fight, the dying flip on their turns."""

OVERTAKEN: Final = {"2026-11-18/yearzero": "Juno", "2026-11-19/yearzero": "Juno"}
"""Who rolled while they rested: today that ends the rest, so the open step is undone, and can be begun again."""

each_golden = pytest.mark.parametrize(
    "golden", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.name.split('.')[0]}"
)


@dataclass
class Reopened:
    """A golden campaign at a table of today, and what each seat saw when it was kept."""

    hub: Hub
    campaign: str
    seen: dict[str, Any]

    @property
    def master(self) -> str:
        return next(iter(self.seen))

    def look(self, seat: str = "") -> Any:
        return self.hub.read(self.campaign, seat or self.master, Desk.view)

    def do(self, command: DeskCommand) -> None:
        self.hub.act(self.campaign, self.master, command)

    def answer_all(self) -> None:
        """Whatever is asked now, and what follows from it: the first option."""
        for _ in range(60):
            if not (asked := self.look()["questions"]):
                return
            self.do(DeskCommand(_answer_first, asked[0]["key"]))
        raise AssertionError("there is always one more question")

    def written(self, folder: Path) -> Written:
        path = folder / "again.jsonl"
        with path.open("wb") as file:
            export_campaign(self.hub.store, self.campaign, file, seeds=True)
        return read_written(path)


def _answer_first(desk: Desk, key: str) -> None:
    waiting = desk.asked()[key]
    question: Any = waiting.question
    desk.answer(key, None if (waiting.step, waiting.part) in desk.journal.held else question.write(question.legal[0]))


def opened(hub: Hub, golden: Path) -> Reopened:
    header = hub.import_file(io.BytesIO(lzma.decompress(golden.read_bytes())))
    return Reopened(hub, header.id, seen_by(golden.with_name(golden.name.replace(".jsonl.", ".json."))))


def seen_by(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(lzma.decompress(path.read_bytes()))
    return found


def unpacked(golden: Path, folder: Path) -> Path:
    path = folder / "golden.jsonl"
    path.write_bytes(lzma.decompress(golden.read_bytes()))
    return path


def name_of(golden: Path) -> str:
    return f"{golden.parent.name}/{golden.name.split('.')[0]}"


# --- what there is ----------------------------------------------------------------------------------------------------


def test_there_is_one_of_every_system_of_ours_and_none_is_large() -> None:
    for folder in {path.parent for path in GOLDEN}:
        kept = {path.name.split(".")[0] for path in folder.glob("*.jsonl.xz")}
        assert kept >= {"alien", "d6", "dime", "distemper", "yearzero"}
        assert all(path.stat().st_size < 100_000 for path in folder.iterdir())


@each_golden
def test_it_is_stopped_in_the_middle_of_a_step_with_throws_still_secret(golden: Path, tmp_path: Path) -> None:
    log = read_written(unpacked(golden, tmp_path))
    seen = seen_by(golden.with_name(golden.name.replace(".jsonl.", ".json.")))
    assert [each["key"] for each in next(iter(seen.values()))["asked"]]
    report = verify(log)
    assert min(report.checked, report.unchecked) > 0
    kinds = {line.to_plain()["kind"] for line in log.lines if line is not None}
    assert kinds >= {"began", "answered", "edited", "undone", "redone", "said"}


# --- opening ----------------------------------------------------------------------------------------------------------


@each_golden
def test_every_seat_sees_what_it_saw(golden: Path, hub: Hub) -> None:
    if name_of(golden) not in OVERTAKEN:
        check_seen(opened(hub, golden), NOW_HIDDEN.get(name_of(golden), ""))


def check_seen(table: Reopened, hidden: str = "") -> None:
    for seat, was in table.seen.items():
        now = table.look(seat)
        told = table.hub.story(table.campaign, seat, 0, len(was["story"]))
        assert [*gone(was["scene"], now["scene"], "scene")] == []
        assert [*gone(was["asked"], now["questions"], "asked")] == []
        before, after = (
            (was["story"], told) if seat == table.master else (without(each, hidden) for each in (was["story"], told))
        )
        assert [*gone(before, after, "story")] == []


def gone(was: Plain, now: Plain, where: str) -> Any:
    """What differs; fields that there are today and that there were not then are no difference."""
    if isinstance(was, dict) and isinstance(now, dict):
        for name, value in was.items():
            if name in now:
                yield from gone(value, now[name], f"{where}.{name}")
            else:
                yield f"{where}.{name} is missing"
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for at, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from gone(one, other, f"{where}[{at}]")
    elif was != now:
        yield f"{where}: {was} is {now} today"


def without(plain: Any, name: str) -> Any:
    """Plain data without a field, and without what is told of how that field has changed."""
    if isinstance(plain, dict):
        return {key: without(value, name) for key, value in plain.items() if key != name}
    if isinstance(plain, list):
        return [
            without(each, name) for each in plain if not (isinstance(each, dict) and name in each.get("path", [])[:1])
        ]
    return plain


@each_golden
def test_no_step_is_undone_because_the_rules_have_changed(golden: Path, hub: Hub, tmp_path: Path) -> None:
    log = opened(hub, golden).written(tmp_path)
    undone = [line.to for line in log.lines if isinstance(line, LinesUndone) and line.by == TABLE]
    if (who := OVERTAKEN.get(name_of(golden))) is None:
        assert not undone
        return
    (number,) = undone  # of one step alone
    began = log.lines[number]
    assert isinstance(began, StepBegan)
    assert (began.rule, began.arguments["who"]) == ("yearzero.core.roll-procedure/use", who)


@pytest.mark.parametrize("server", SERVERS, ids=lambda path: path.parent.name)
def test_the_database_of_a_server_opens_and_goes_on_with_the_same_dice(server: Path, tmp_path: Path) -> None:
    path = tmp_path / "referee.db"
    path.write_bytes(lzma.decompress(server.read_bytes()))
    hub = Hub(SQLiteStore.open(path))
    (header,) = hub.store.headers()
    table = Reopened(hub, header.id, seen_by(server.with_name(f"{header.system}.json.xz")))
    check_seen(table, NOW_HIDDEN.get(f"{server.parent.name}/{header.system}", ""))
    seeds = len(hub.store.seeds(header.id))
    table.answer_all()
    assert len(hub.store.seeds(header.id)) == seeds
    hub.reveal(header.id, table.master)
    report = verify(table.written(tmp_path))
    assert (report.mismatches, report.unchecked) == ((), 0)
    assert hub.store.check() == []
    hub.close()


# --- going on ---------------------------------------------------------------------------------------------------------


@each_golden
def test_the_open_step_goes_on_to_its_end(golden: Path, hub: Hub, tmp_path: Path) -> None:
    table = opened(hub, golden)
    told = table.look()["cursor"]
    if (who := OVERTAKEN.get(name_of(golden))) is not None:
        assert table.look()["questions"] == []
        table.do(DeskCommand(Desk.act, "skill-roll", who, {"skill": "Might"}))
    table.answer_all()
    new = hub.story(table.campaign, table.master, told, table.look()["cursor"])
    assert any("ended" in item for each in new for item in each.get("then", ()))
    assert not any("refused" in item for each in new for item in each.get("then", ()))


@each_golden
def test_what_was_done_before_is_undone_and_redone_after(golden: Path, hub: Hub) -> None:
    table = opened(hub, golden)
    before = table.look()
    was = table.seen[table.master]["story"]
    began = [each["id"] for each in was if each["kind"] in ("began", "edited")]
    table.do(DeskCommand(undo_desk.undo, began[-6]))
    assert table.look()["scene"] != before["scene"]
    table.do(DeskCommand(undo_desk.redo))
    after = table.look()
    assert (after["scene"], after["questions"]) == (before["scene"], before["questions"])


@each_golden
def test_what_was_on_its_clock_comes_due_at_its_time_and_once(golden: Path, hub: Hub) -> None:
    """Rules that set it then let it follow from the sheet now; old sheets do not say when, so the clock still does."""
    table = opened(hub, golden)
    state = table.hub.read(table.campaign, table.master, lambda desk: desk.journal.state)
    stored = sorted((each.at, each.who, each.rule) for each in state.get(CLOCK.name, Clock()).deadlines)
    due = sorted((each.at, each.who, each.rule) for each in coming(Scene(state)))
    assert [each for each in stored if due.count(each) != stored.count(each)] == VOID.get(name_of(golden), [])


@each_golden
def test_time_passes_and_what_comes_due_on_the_way_does_so_once(golden: Path, hub: Hub, tmp_path: Path) -> None:
    table = opened(hub, golden)
    table.answer_all()
    system = registry.load(hub.store.header(table.campaign).system)
    if "pass-time" not in {each.key for each in system.actions}:
        return
    before = len(table.written(tmp_path).lines)
    unit = system.units(Scene(table.hub.read(table.campaign, table.master, lambda desk: desk.journal.state)))[0]
    table.do(DeskCommand(Desk.act, "pass-time", None, {"amount": 1, "unit": unit.name}))
    table.answer_all()
    new = [line for line in table.written(tmp_path).lines[before:] if isinstance(line, StepBegan)]
    came = [json.dumps(line.arguments["deadline"]) for line in new if line.rule == "referee.clock.deadline"]
    assert len(came) == len(set(came))
    bled = sorted(json.loads(each)["who"] for each in came if "bleed" in each)
    assert bled == BLEEDING.get(name_of(golden), [])


# --- verifying --------------------------------------------------------------------------------------------------------


@each_golden
def test_it_verifies_as_far_as_its_rules_are_these(golden: Path, hub: Hub, tmp_path: Path) -> None:
    check_verified(read_written(unpacked(golden, tmp_path)))
    table = opened(hub, golden)
    table.answer_all()
    table.hub.reveal(table.campaign, table.master)
    check_verified(table.written(tmp_path))


def check_verified(log: Written) -> None:
    report = verify(log)
    assert report.mismatches == ()
    if (version := registry.load(log.start.system).version) == log.start.version:
        assert report.left_out == ()
        assert report.steps > 10
    else:
        assert report.left_out == (
            f"steps were not run again: they are of version {log.start.version} of the rules, not {version}",
        )
