"""Encodes and checks what goes into and comes out of a store: JSON text, short texts, numbers and times."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from referee.core.errors import BadInput, TooLarge
from referee.core.plain import Plain
from referee.store.records import FILE_LIMIT, LINE_LIMIT, File, Header, LogRow

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LARGEST: Final = 2**31 - 1
TEXT_LIMIT: Final = 200
"""The longest name, in characters."""


def _finite(text: str) -> float:
    """JSON has no infinity, so a number too large for a float is refused."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number")
    return number


_DECODER: Final = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)


def written(plain: Plain, where: str, limit: int = LINE_LIMIT) -> str:
    """Plain data as JSON text, in ASCII so that any text survives."""
    try:
        text = json.dumps(plain, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as problem:
        raise BadInput(where, f"cannot be written as JSON: {_why(problem)}") from None
    if len(text) > limit:
        raise TooLarge(f"{where}: {len(text)} bytes of JSON; at most {limit} are kept")
    return text


def parsed(text: object) -> Plain:
    """The value of a JSON text; raises a ValueError that says why if it is not JSON."""
    if not isinstance(text, str):
        raise ValueError(f"not text but {type(text).__name__}")  # noqa: TRY004 - the data is wrong, not the program
    try:
        if not text.isascii():
            text.encode()  # bytes that are not UTF-8 arrive as lone surrogates
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"not JSON: {_why(problem)}") from None


def mapping(text: object) -> dict[str, Plain]:
    """The value of a JSON text, which must be an object."""
    plain = parsed(text)
    if not isinstance(plain, dict):
        raise ValueError(f"not an object but {type(plain).__name__}")  # noqa: TRY004 - as above
    return plain


def _why(problem: Exception) -> str:
    return "nested too deeply" if isinstance(problem, RecursionError) else str(problem)


# --- checks on input --------------------------------------------------------------------------------------------------


def check_text(value: object, where: str, most: int = TEXT_LIMIT, least: int = 1) -> str:
    """A short text on one line, without characters that a database or a screen cannot handle."""
    if not isinstance(value, str):
        raise BadInput(where, f"must be text, not {type(value).__name__}")
    if not least <= len(value) <= most:
        raise BadInput(where, f"must have {least} to {most} characters, not {len(value)}")
    if any(ord(sign) < 32 or 0xD800 <= ord(sign) <= 0xDFFF for sign in value):
        raise BadInput(where, "has characters that cannot be printed")
    return value


def check_number(value: object, where: str) -> int:
    """A whole number that every database can store."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise BadInput(where, f"must be a whole number from 0 to {_LARGEST}")
    return value


def check_time(value: object, where: str) -> float:
    """Seconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(where, "must be a time in seconds")
    return float(value)


def check_id(value: object, where: str = "campaign") -> str:
    """The id of a campaign, which appears in addresses and file names."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise BadInput(where, "must have 1 to 64 letters, digits, - and _, the first a letter or digit")
    return value


def check_file(file: File) -> None:
    """An attachment must be small enough and have a name, and its id must be the digest of its content."""
    check_text(file.name, "name of the file")
    check_text(file.media, "media type of the file")
    if len(file.data) > FILE_LIMIT:
        raise TooLarge(f"{file.name}: {len(file.data)} bytes; at most {FILE_LIMIT} are kept")
    if hashlib.sha256(file.data).hexdigest() != file.id:
        raise BadInput(file.name, "its bytes are not those it is named after")


def header_row(header: Header) -> dict[str, object]:
    """A header as the database stores it."""
    forked_from = header.forked_from
    created = check_time(header.created, "created")
    return {
        "id": check_id(header.id),
        "name": check_text(header.name, "name"),
        "system": check_text(header.system, "system"),
        "version": check_number(header.version, "version"),
        "format": check_number(header.format, "format"),
        "scene": written(header.scene, "scene"),
        "created": created,
        "forked_from": None if forked_from is None else check_id(forked_from, "forked_from"),
        "lines": 0,
        "active": created,
        "archived": None,
    }


def line_rows(campaign: str, first: int, rows: Sequence[LogRow]) -> list[dict[str, object]]:
    """Lines as the database stores them; their numbers must be consecutive, starting with the first."""
    kept: list[dict[str, object]] = []
    for number, row in enumerate(rows, first):
        where = f"line {number}"
        if row.number != number:
            raise BadInput(where, f"is numbered {row.number}; lines are numbered without a gap")
        if not isinstance(row.line, Mapping):
            raise BadInput(where, f"must be an object, not {type(row.line).__name__}")
        at = check_time(row.at, f"{where}, at")
        kept.append({"campaign": campaign, "number": number, "at": at, "line": written(dict(row.line), where)})
    return kept
