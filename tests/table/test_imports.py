"""Files that someone has changed: each is imported whole and can be played, or is refused and leaves nothing behind."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.core.errors import BadInput, Refused, TooLarge
from referee.core.plain import Plain
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub

SAMPLES = sorted((Path(__file__).parent / "samples").glob("evening-2-*.jsonl"))
ODD: tuple[Plain, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "x" * 100,
    "\0",
    "ana",
    [],
    {},
    [[]],
    {"kind": "Pile"},
    "NaN",
)


def places(plain: Plain, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path in a piece of plain data."""
    yield here
    inside: Any = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in inside:
        yield from places(value, (*here, key))


def mutated(raw: bytes, random: Random) -> bytes:
    """The file with one or two things changed somewhere, and a checksum that fits."""
    records = [json.loads(line) for line in raw.splitlines()][:-1]
    for _ in range(random.randint(1, 2)):
        at = random.randrange(len(records))
        found = list(places(records[at]))
        *way, last = random.choice(found[1:]) if len(found) > 1 else ("",)
        inside: Any = records[at]
        for key in way:
            inside = inside[key]
        match random.randrange(4):
            case 0 if isinstance(inside, dict) and last in inside:
                del inside[last]
            case 1 if isinstance(inside, dict):
                inside[random.choice(["kind", "extra", "step", "to", "but"])] = random.choice(ODD)
            case 2:
                records.insert(at, records[random.randrange(len(records))])
            case _:
                inside[last] = random.choice(ODD)
    if random.random() < 0.8:  # numbers and counts that fit, so that more than the first check is reached
        rows = [each for each in records if "line" in each]
        for number, each in enumerate(rows):
            each["number"] = number
        records[0] |= {"lines": len(rows), "seeds": sum("seed" in each for each in records)}
    text = b"".join(json.dumps(each).encode() + b"\n" for each in records)
    return text + json.dumps({"sha256": hashlib.sha256(text).hexdigest()}).encode() + b"\n"


def try_out(hub: Hub, raw: bytes) -> bool:
    """Whether a file was imported; then its campaign can be played on, from the seat that came with it."""
    before = [each.id for each in hub.store.headers()]
    try:
        admitted = hub.import_as(io.BytesIO(raw), "Zoe")
    except (BadInput, Refused, TooLarge):
        assert [each.id for each in hub.store.headers()] == before
        return False
    assert hub.read(admitted.campaign, admitted.seat, Desk.view)["you"]["name"] == "Zoe"
    hub.act(admitted.campaign, admitted.seat, DeskCommand(Desk.note, "Still here."))
    return True


@pytest.mark.sweep(4)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("seed", range(12))
def test_a_changed_file_is_imported_whole_or_leaves_nothing_behind(hub: Hub, sample: Path, seed: int) -> None:
    try_out(hub, mutated(sample.read_bytes(), Random(seed)))


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_thousand_changed_files(hub: Hub, sample: Path) -> None:
    raw = sample.read_bytes()
    imported = sum(try_out(hub, mutated(raw, Random(f"{sample.name} {seed}"))) for seed in range(1000))
    assert 20 < imported < 980


def test_a_file_as_it_was_written_is_imported(hub: Hub) -> None:
    assert try_out(hub, SAMPLES[0].read_bytes())
