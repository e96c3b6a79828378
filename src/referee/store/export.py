"""A whole campaign as one file, and back: JSON lines, the last of which tells whether the others are all there.

`docs/storage.md` describes the file.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO, Final

from referee.core.errors import BadInput, TooLarge
from referee.core.plain import Plain
from referee.journal.lines import FORMAT as LOG_FORMAT
from referee.journal.seeded_dice import SeededDice
from referee.store.attachments import check_file
from referee.store.base import Store
from referee.store.encoding import check_id, check_number, check_text, check_time, header_row, mapping, written
from referee.store.records import LINE_LIMIT, File, Header, LogRow, Seed

FORMAT: Final = 1
SIZE_LIMIT: Final = 512 * 2**20
"""The largest file that is read, in bytes."""
_LONGEST: Final = LINE_LIMIT + 4096

CheckLine = Callable[[Plain], object]
"""Raises `BadInput` if a line of the log is none."""


# --- out --------------------------------------------------------------------------------------------------------------


def export_campaign(store: Store, campaign: str, file: BinaryIO, seeds: bool = False, stop: int | None = None) -> None:
    """Write a campaign, or its first lines, as it is now. Of the seeds only those that were revealed, if asked for.

    A campaign with a bad line raises `BadRecord`; what was written until then has no checksum and is no export.
    """
    digest = hashlib.sha256()
    for plain in _parts(store, campaign, seeds, stop):
        text = written(plain, "export", _LONGEST).encode() + b"\n"
        digest.update(text)
        file.write(text)
    file.write(written({"sha256": digest.hexdigest()}, "export").encode() + b"\n")


def _parts(store: Store, campaign: str, seeds: bool, stop: int | None) -> Iterator[Plain]:
    header, count, files = store.header(campaign), store.count(campaign), store.files(campaign)
    count = count if stop is None else max(0, min(stop, count))
    revealed = [each for each in store.seeds(campaign) if seeds and each.revealed is not None]
    yield {
        "referee": FORMAT,
        "kind": "campaign",
        **{name: getattr(header, name) for name in _HEADER},
        "lines": count,
        "seeds": len(revealed),
        "files": len(files),
    }
    for row in store.lines(campaign, 0, count):
        yield {"number": row.number, "at": row.at, "line": row.line}
    for each in revealed:
        yield {"commitment": each.commitment, "seed": each.seed.hex(), "revealed": each.revealed}
    for info in files:
        if (found := store.file(campaign, info.id)) is not None:
            data = base64.b64encode(found.data).decode()
            yield {"file": found.id, "name": found.name, "media": found.media, "data": data}


_HEADER: Final = ("id", "name", "system", "version", "format", "scene", "created", "forked_from")


# --- in ---------------------------------------------------------------------------------------------------------------


def import_campaign(
    store: Store, file: BinaryIO, new_id: str, limit: int = SIZE_LIMIT, check_line: CheckLine | None = None
) -> Header:
    """Import an exported campaign under a new id: all of it, or nothing and `BadInput` naming the line of the file.

    The file is read twice, so that nobody who writes waits for one that turns out bad; it must be able to go back.
    """
    check_id(new_id)
    begin = file.tell()
    for _ in _read(file, limit, check_line):
        pass
    file.seek(begin)
    parts = _read(file, limit, check_line)
    header = next(parts)
    if not isinstance(header, Header):  # `_read` gives it first
        raise BadInput("line 1", "is not the header of a campaign")
    header = replace(header, id=new_id)
    store.add_campaign(header, (part for part in parts if not isinstance(part, Header)))
    return header


def _read(file: BinaryIO, limit: int, check_line: CheckLine | None) -> Iterator[Header | LogRow | File | Seed]:
    """The header and then the parts of a campaign; past the last of them all is known to be there and unchanged."""
    awaited: dict[str, int] = {}
    number = rows = 0
    for number, plain in _records(file, limit):
        try:
            part = _header(plain) if number == 1 else _part(plain, awaited)
            if isinstance(part, Header):
                awaited = {kind: check_number(plain[kind], kind) for kind in _FIELDS}
            elif isinstance(part, LogRow):
                _check_row(part, rows, check_line)
                rows += 1
        except (BadInput, TooLarge) as problem:
            raise BadInput(f"line {number}", str(problem)) from None
        yield part
    if not number:
        raise BadInput("line 1", "is not the header of a campaign")
    for kind, missing in awaited.items():
        if missing:
            raise BadInput(f"line {number + 1}", f"{missing} {kind} are missing that the first line counts")


def _part(plain: Mapping[str, Plain], awaited: dict[str, int]) -> LogRow | File | Seed:
    """A line, a seed or a file, if one more of its kind is awaited."""
    kind = next((kind for kind, names in _FIELDS.items() if plain.keys() == names), None)
    if kind is None:
        raise BadInput("", f"is not part of a campaign: {str(plain)[:80]}")
    awaited[kind] -= 1
    if awaited[kind] < 0:
        raise BadInput("", f"there are more {kind} than the first line says")
    return _PARTS[kind](plain)


def _records(file: BinaryIO, limit: int) -> Iterator[tuple[int, dict[str, Plain]]]:
    """The lines of a file but the last, which must be the checksum of the others."""
    digest = hashlib.sha256()
    size, number = 0, 0
    while True:
        number += 1
        raw = file.readline(_LONGEST + 1)
        size += len(raw)
        plain = _record(raw, number, size > limit)
        if plain.keys() == {"sha256"}:
            break
        digest.update(raw)
        yield number, plain
    if plain["sha256"] != digest.hexdigest():
        raise BadInput(f"line {number}", "the checksum does not fit: the file was changed or damaged")
    if file.read(1):
        raise BadInput(f"line {number + 1}", "nothing may follow the checksum")


def _record(raw: bytes, number: int, too_large: bool) -> dict[str, Plain]:
    where = f"line {number}"
    if too_large or len(raw) > _LONGEST:
        raise BadInput(where, "the file is too large" if too_large else "is too long")
    if not raw.endswith(b"\n"):
        raise BadInput(where, "the file ends before its checksum: it was cut off" if raw or number > 1 else "is empty")
    try:
        return mapping(raw.decode())
    except ValueError as problem:
        raise BadInput(where, str(problem)) from None


def _header(plain: Mapping[str, Plain]) -> Header:
    if plain.get("kind") != "campaign":
        raise BadInput("", "is not the header of a campaign")
    if plain.get("referee") != FORMAT:
        raise BadInput("", f"a campaign of format {plain.get('referee')!r}; this Referee reads format {FORMAT}")
    known = {"referee", "kind", "lines", "seeds", "files", *_HEADER}
    for name in [*(known - plain.keys()), *(plain.keys() - known)]:
        raise BadInput(str(name), "is missing" if name in known else "is not known")
    header = Header(**{name: plain[name] for name in _HEADER})
    header_row(header)
    if header.format > LOG_FORMAT:
        raise BadInput("format", f"a log of format {header.format}; this Referee reads up to {LOG_FORMAT}")
    return header


def _row(plain: Mapping[str, Plain]) -> LogRow:
    line = plain["line"]
    if not isinstance(line, dict):
        raise BadInput("line", f"must be an object, not {type(line).__name__}")
    return LogRow(check_number(plain["number"], "number"), check_time(plain["at"], "at"), line)


def _check_row(row: LogRow, expected: int, check_line: CheckLine | None) -> None:
    if row.number != expected:
        raise BadInput("number", f"is {row.number} where {expected} should be")
    if check_line is not None:
        check_line(row.line)


def _seed(plain: Mapping[str, Plain]) -> Seed:
    try:
        seed = bytes.fromhex(check_text(plain["seed"], "seed", 2048))
    except ValueError:
        raise BadInput("seed", "is not hexadecimal") from None
    if SeededDice(seed).commitment != plain["commitment"]:
        raise BadInput("seed", "is not the one that was committed to")
    return Seed(plain["commitment"], seed, check_time(plain["revealed"], "revealed"))


def _file(plain: Mapping[str, Plain]) -> File:
    try:
        data = base64.b64decode(plain["data"], validate=True)
    except (TypeError, ValueError):
        raise BadInput("data", "is not base64") from None
    file = File(plain["file"], plain["name"], plain["media"], data)
    check_file(file)
    return file


_FIELDS: Final = {
    "lines": {"number", "at", "line"},
    "seeds": {"commitment", "seed", "revealed"},
    "files": {"file", "name", "media", "data"},
}
_PARTS: Final[dict[str, Callable[[Mapping[str, Any]], LogRow | File | Seed]]] = {
    "lines": _row,
    "seeds": _seed,
    "files": _file,
}
