"""Exports a whole campaign to one file and imports it again: JSON lines, the last with a checksum of the others.

`docs/storage.md` describes the file.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO, Final, TypeAlias

from referee.core.errors import BadInput, TooLarge
from referee.core.plain import Plain
from referee.journal.seeded_dice import SeededDice
from referee.store.base import Store
from referee.store.encoding import check_file, check_id, check_number, check_text, check_time, header_row, written
from referee.store.log_reader import check_format, read_record
from referee.store.records import LINE_LIMIT, File, Header, LogRow, Seed

FORMAT: Final = 1
SIZE_LIMIT: Final = 512 * 2**20
"""The size of the largest file that can be imported, in bytes."""
_LONGEST: Final = LINE_LIMIT + 4096

CheckLine = Callable[[Plain], object]
"""Raises `BadInput` if the data is not a line of a log."""
Part: TypeAlias = Header | LogRow | File | Seed
Complain: TypeAlias = Callable[[int, str], None]
"""Called with what is wrong with a line of the file; it raises if only undamaged campaigns are wanted."""


# --- export -----------------------------------------------------------------------------------------------------------


def export_campaign(store: Store, campaign: str, file: BinaryIO, seeds: bool = False, stop: int | None = None) -> None:
    """Write a campaign, or its first lines, as it is now; with `seeds`, its revealed seeds too.

    A campaign with a bad line raises `BadRecord`; what was written by then has no checksum and cannot be imported.
    """
    digest = hashlib.sha256()
    for plain in _parts(store, campaign, seeds, stop):
        text = written(plain, "export", _LONGEST).encode() + b"\n"
        digest.update(text)
        file.write(text)
    file.write(written({"sha256": digest.hexdigest()}, "export").encode() + b"\n")


def _parts(store: Store, campaign: str, seeds: bool, stop: int | None) -> Iterator[Plain]:
    header, lines, files = store.header(campaign), store.count(campaign), store.files(campaign)
    lines = lines if stop is None else max(0, min(stop, lines))
    revealed = [each for each in store.seeds(campaign) if seeds and each.revealed is not None]
    yield {
        "referee": FORMAT,
        "kind": "campaign",
        **{name: getattr(header, name) for name in _HEADER},
        "lines": lines,
        "seeds": len(revealed),
        "files": len(files),
    }
    for row in store.lines(campaign, 0, lines):
        yield {"number": row.number, "at": row.at, "line": row.line}
    for each in revealed:
        yield {"commitment": each.commitment, "seed": each.seed.hex(), "revealed": each.revealed}
    for info in files:
        if (found := store.file(campaign, info.id)) is not None:
            data = base64.b64encode(found.data).decode()
            yield {"file": found.id, "name": found.name, "media": found.media, "data": data}


_HEADER: Final = ("id", "name", "system", "version", "format", "scene", "created", "forked_from")


# --- import -----------------------------------------------------------------------------------------------------------


def import_campaign(
    store: Store, file: BinaryIO, new_id: str, limit: int = SIZE_LIMIT, check_line: CheckLine | None = None
) -> Header:
    """Import an exported campaign under a new id: all of it, or nothing and a `BadInput` that names the bad line.

    The file is read twice, so that a bad file never makes other writers wait; it must be seekable.
    """
    check_id(new_id)
    begin = file.tell()
    header: Header | None = None
    for _, part in read_export(file, limit=limit, check_line=check_line):
        header = replace(part, id=new_id) if isinstance(part, Header) else header
    if header is None:  # it is read first
        raise BadInput("line 1", "is not the header of a campaign")
    file.seek(begin)
    parts = (part for _, part in read_export(file, limit=limit, check_line=check_line))
    store.add_campaign(header, (part for part in parts if not isinstance(part, Header)))
    return header


def _refuse(number: int, problem: str) -> None:
    raise BadInput(f"line {number}", problem)


def read_export(
    file: BinaryIO, complain: Complain = _refuse, *, limit: int = SIZE_LIMIT, check_line: CheckLine | None = None
) -> Iterator[tuple[int, Part]]:
    """The header and then the parts of a campaign, each with its line number in the file.

    After the last part, everything is known to be complete and unchanged, or a complaint was made. A file that does not
    begin with a campaign header is always refused.
    """
    awaited: dict[str, int] = {}
    number = rows = 0
    for number, plain in _records(file, limit, complain):
        if number == 1:
            header, awaited = _header(plain)
            yield number, header
            continue
        try:
            part = _part(plain, awaited)
            if isinstance(part, LogRow) and check_line is not None:
                check_line(part.line)
        except (BadInput, TooLarge) as problem:
            complain(number, str(problem))
            continue
        if isinstance(part, LogRow):
            if part.number != rows:
                complain(number, f"number: is {part.number} where {rows} should be")
            rows += 1
        yield number, part
    if not number:
        raise BadInput("line 1", "is not the header of a campaign")
    for kind, missing in awaited.items():
        if missing > 0:
            complain(number + 1, f"{missing} {kind} are missing that the first line counts")


def _part(plain: Mapping[str, Plain], awaited: dict[str, int]) -> LogRow | File | Seed:
    """A line, a seed or a file, if one more of its kind is expected."""
    kind = next((kind for kind, names in _FIELDS.items() if plain.keys() == names), None)
    if kind is None:
        raise BadInput("", f"is not part of a campaign: {str(plain)[:80]}")
    awaited[kind] -= 1
    if awaited[kind] < 0:
        raise BadInput("", f"there are more {kind} than the first line says")
    return _PARTS[kind](plain)


def _records(file: BinaryIO, limit: int, complain: Complain) -> Iterator[tuple[int, dict[str, Plain]]]:
    """All lines of a file except the last, which must be the checksum of the others."""
    digest = hashlib.sha256()
    size = number = 0
    plain: dict[str, Plain] = {}
    while plain.keys() != {"sha256"}:
        number += 1
        raw = file.readline(_LONGEST + 1)
        size += len(raw)
        if problem := _cut_short(raw, number, size > limit):
            return complain(number, problem)
        try:
            plain = read_record(raw, "")
        except BadInput as why:
            complain(number, why.problem)
            plain = {}
        if plain.keys() != {"sha256"}:
            digest.update(raw)
            yield number, plain
    if plain["sha256"] != digest.hexdigest():
        complain(number, "the checksum does not fit: the file was changed or damaged")
    if file.read(1):
        complain(number + 1, "nothing may follow the checksum")
    return None


def _cut_short(raw: bytes, number: int, too_large: bool) -> str:
    """Why a line of a file cannot be read to its end; empty if it can."""
    if too_large or len(raw) > _LONGEST:
        return "the file is too large" if too_large else "is too long"
    if not raw.endswith(b"\n"):
        return "the file ends before its checksum: it was cut off" if raw or number > 1 else "is empty"
    return ""


def _header(plain: Mapping[str, Plain]) -> tuple[Header, dict[str, int]]:
    """The first line of the file, and the number of parts of each kind that it announces."""
    try:
        if plain.get("kind") != "campaign":
            raise BadInput("", "is not the header of a campaign")
        if plain.get("referee") != FORMAT:
            raise BadInput("", f"a campaign of format {plain.get('referee')!r}; this Referee reads format {FORMAT}")
        known = {"referee", "kind", "lines", "seeds", "files", *_HEADER}
        for name in [*(known - plain.keys()), *(plain.keys() - known)]:
            raise BadInput(str(name), "is missing" if name in known else "is not known")
        header = Header(**{name: plain[name] for name in _HEADER})
        header_row(header)
        check_format(header.format, "format")
        return header, {kind: check_number(plain[kind], kind) for kind in _FIELDS}
    except (BadInput, TooLarge) as problem:
        raise BadInput("line 1", str(problem)) from None


def _row(plain: Mapping[str, Plain]) -> LogRow:
    line = plain["line"]
    if not isinstance(line, dict):
        raise BadInput("line", f"must be an object, not {type(line).__name__}")
    return LogRow(check_number(plain["number"], "number"), check_time(plain["at"], "at"), line)


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
