"""Evenings that Referees of every released format have exported still open, are what they were, and verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.core.plain import Plain
from referee.journal.lines import FORMAT, SeatTaken
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.verify.log_file import Written, read_written
from referee.verify.report import verify

SAMPLES = sorted((Path(__file__).parent / "samples").glob("evening-*.jsonl"))
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)


def test_there_are_evenings_of_two_systems_in_every_format() -> None:
    made = [path.stem.split("-")[1] for path in SAMPLES]
    assert all(made.count(str(number)) >= 2 for number in range(1, FORMAT + 1))


@each_sample
def test_it_verifies(sample: Path, systems: None) -> None:
    log = read_written(sample)
    report = verify(log)
    assert report.mismatches == ()
    assert report.unchecked == 0
    assert min(report.checked, len(report.by_hand), len(report.overruled)) >= 1
    if registry.load(log.start.system).version == log.start.version:
        assert report.steps >= 10


@each_sample
def test_it_opens_and_is_what_it_was(sample: Path, hub: Hub) -> None:
    with sample.open("rb") as file:
        header = hub.import_file(file)
    log, expected = read_written(sample), json.loads(sample.with_suffix(".json").read_text("utf-8"))
    view = hub.read(header.id, _master(log), Desk.view)
    if registry.load(log.start.system).version == log.start.version:
        assert [each["key"] for each in view["questions"]] == [each["key"] for each in expected["asked"]]
        _check_has(view["scene"], expected["scene"])
    assert [file.name for file in hub.store.files(header.id)] == ["map.txt"]
    hub.act(header.id, _master(log), DeskCommand(Desk.roll, "1d6"))
    assert hub.store.header(header.id).format == FORMAT


def _master(log: Written) -> str:
    seats = (line.seat for line in log.lines if isinstance(line, SeatTaken))
    return next(seat.id for seat in seats if seat.role == "game master")


def _check_has(found: Plain, expected: Plain) -> None:
    """All that is expected is there; a later Referee may know more of it."""
    if not isinstance(expected, dict):
        assert found == expected
        return
    fields: dict[str, Any] = expected
    for name, value in fields.items():
        assert name in found
        _check_has(found[name], value)


def test_the_evenings_are_rich(systems: None) -> None:
    """Every kind of line and whatever is said beside the story is in one of them."""
    lines = [line.to_plain() for sample in SAMPLES for line in read_written(sample).lines if line is not None]
    assert {line["kind"] for line in lines} == {
        "began", "answered", "held", "cancelled", "edited", "undone", "redone", "said"
    }  # fmt: skip
    said = {line["about"] for line in lines if line["kind"] == "said"}
    assert said >= {"seat", "standing", "settings", "note", "stopped", "resumed", "seed", "revealed"}
    fields = {name for line in lines for name in line}
    assert fields >= {"throw", "dice", "pile", "instead_of", "with", "audience", "hidden", "file", "to"}
    items = {name for line in lines for item in line["then"] for name in item}
    assert items >= {"set", "was", "kind", "story", "ended", "refused", "rules"}
