"""Pictures by their bytes: of which kind they are, how large, and what of them is kept.

Nothing is decoded here. A picture is a row of parts; those that show it are kept, and all others (where and by whom it
was taken, thumbnails, colour profiles, moving frames, whatever follows its end) are left out. `docs/security.md` says
why.
"""

from __future__ import annotations

import re
import zlib
from typing import Final, Literal

from referee.web.errors import Problem

MEDIA: Final = ("image/png", "image/jpeg", "image/webp")
MOST_PIXELS: Final = 25_000_000
"""A phone's photograph has up to 24 million. Whoever sees a picture needs four bytes of memory for each."""
MOST_PARTS: Final = 10_000
"""How many parts a picture may have; large ones have some thousand."""
MOST_SEGMENTS: Final = 200
"""How many segments of a JPEG are looked at before its size; photographs have some twenty."""
MOST_SCANS: Final = 64
"""How often a JPEG may go over its pixels; each costs whoever sees it as much as a whole picture."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_KEPT_CHUNKS: Final = {b"PLTE": 768, b"tRNS": 256, b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"IDAT": 2**31}
"""The chunks of a PNG that show it, and how long each may be."""
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of a JPEG that are followed by its size."""
_SHOWN_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
"""Those of the kinds that browsers show."""
_TABLES: Final = frozenset({0xC4, 0xDB, 0xDD})
_SCAN, _END, _JFIF, _EXIF, _ADOBE = 0xDA, 0xD9, 0xE0, 0xE1, 0xEE
_MARKER: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
"""What ends the data of a scan."""
_FIRST_MARKER: Final = re.compile(rb"\xff+[^\xff]", re.DOTALL)
"""A marker, of whose first byte there may be many."""
_PLAIN_JFIF: Final = b"\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
_ORIENTATION: Final = 0x0112


def media_of(data: bytes) -> str | None:
    """The kind of a picture by its first bytes."""
    if data.startswith(_PNG):
        return MEDIA[0]
    if data.startswith(b"\xff\xd8\xff"):
        return MEDIA[1]
    return MEDIA[2] if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def size_of(data: bytes) -> tuple[int, int] | None:
    """The width and height a picture is shown with; None if it does not say."""
    read = {MEDIA[0]: _png_size, MEDIA[1]: _jpeg_size, MEDIA[2]: _webp_size}.get(media_of(data) or "")
    found = read(data) if read else None
    return found if found and min(found) > 0 else None


def cleaned(data: bytes) -> bytes:
    """A picture with nothing but what shows it; refused if it is none, or would cost too much to show."""
    clean = {MEDIA[0]: _clean_png, MEDIA[1]: _clean_jpeg, MEDIA[2]: _clean_webp}.get(media_of(data) or "")
    size = size_of(data)
    if clean is None or size is None:
        raise _no_picture("must be a picture: PNG, JPEG or WebP")
    if size[0] * size[1] > MOST_PIXELS:
        raise _no_picture(f"has {size[0]} × {size[1]} pixels; at most {MOST_PIXELS // 10**6} million are accepted")
    return clean(data)


def _no_picture(why: str) -> Problem:
    return Problem(422, "bad-input", f"body: {why}", where="body", legal=MEDIA)


def _damaged() -> Problem:
    return _no_picture("is a damaged picture")


def _too_many() -> Problem:
    return _no_picture("is a picture of too many parts")


# --- PNG --------------------------------------------------------------------------------------------------------------


def _png_size(data: bytes) -> tuple[int, int] | None:
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def _clean_png(data: bytes) -> bytes:
    kept, at = [_PNG], len(_PNG)
    for number in range(MOST_PARTS):
        size, kind = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        end = at + 12 + size
        if end > len(data) or int.from_bytes(data[end - 4 : end]) != zlib.crc32(memoryview(data)[at + 4 : end - 4]):
            raise _damaged()
        if (number == 0) != (kind == b"IHDR" and size == 13):
            raise _damaged()
        if number == 0 or size <= _KEPT_CHUNKS.get(kind, -1):
            kept.append(data[at:end])
        if kind == b"IEND":
            return b"".join((*kept, b"\0\0\0\0IEND\xae\x42\x60\x82"))
        at = end
    raise _too_many()


# --- JPEG -------------------------------------------------------------------------------------------------------------


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at, turned = 2, False
    for _ in range(MOST_SEGMENTS):
        head = data[at : at + 9]
        if len(head) < 9 or head[0] != 0xFF:
            return None
        length = int.from_bytes(head[2:4])
        if head[1] in _FRAMES:
            height, width = int.from_bytes(head[5:7]), int.from_bytes(head[7:9])
            return (height, width) if turned else (width, height)
        if head[1] == _EXIF:
            turned = turned or _orientation(data[at + 4 : at + 2 + length]) > 4
        at += 2 + length
    return None


def _clean_jpeg(data: bytes) -> bytes:
    kept, at, frames, scans = [b"\xff\xd8"], 2, 0, 0
    for _ in range(MOST_PARTS):
        if at >= len(data) and scans:  # cut off: what there is of it is shown
            break
        found = _FIRST_MARKER.match(data, at)
        if found is None:
            raise _damaged()
        at, marker = found.end() - 2, data[found.end() - 1]
        if marker == _END:
            break
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4])
        if marker < 0xC0 or not at + 4 <= end <= len(data):
            raise _damaged()
        part = data[at:end]
        frames += marker in _FRAMES
        if marker == _SCAN:
            scans += 1
            found = _MARKER.search(data, end)
            end = found.start() if found else len(data)
            part = data[at:end]
        elif marker in _FRAMES and (marker not in _SHOWN_FRAMES or frames > 1):
            raise _no_picture("is a JPEG that browsers do not show")
        elif marker not in _SHOWN_FRAMES | _TABLES:
            part = _plain_segment(marker, part[4:])
        kept.append(part)
        if scans > MOST_SCANS:
            raise _too_many()
        at = end
    else:
        raise _too_many()
    if not scans or not frames:
        raise _damaged()
    return b"".join((*kept, b"\xff\xd9"))


def _plain_segment(marker: int, body: bytes) -> bytes:
    """What is kept of a segment that says something about a picture: how its colours are meant, and which way is up."""
    if marker == _JFIF and body.startswith(b"JFIF\0"):
        return _PLAIN_JFIF
    if marker == _ADOBE and body.startswith(b"Adobe") and len(body) >= 12:
        return b"\xff\xee\x00\x0eAdobe\x00\x64\0\0\0\0" + body[11:12]
    if marker == _EXIF and (up := _orientation(body)) > 1:
        entry = _ORIENTATION.to_bytes(2) + b"\x00\x03\x00\x00\x00\x01" + up.to_bytes(2) + b"\0\0"
        return b"\xff\xe1\x00\x22Exif\0\0MM\0*\0\0\0\x08\0\x01" + entry + b"\0\0\0\0"
    return b""


def _orientation(body: bytes) -> int:
    """Which way up a photograph is, from 1 to 8, by its EXIF data; 1 if it does not say."""
    tiff = body[6:]
    if not body.startswith(b"Exif\0\0") or tiff[:2] not in (b"II", b"MM"):
        return 1
    order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"
    first = int.from_bytes(tiff[4:8], order)
    for number in range(min(100, int.from_bytes(tiff[first : first + 2], order))):
        entry = tiff[first + 2 + 12 * number :][:12]
        if int.from_bytes(entry[:2], order) == _ORIENTATION and int.from_bytes(entry[2:4], order) == 3:
            found = int.from_bytes(entry[8:10], order)
            return found if 1 <= found <= 8 else 1
    return 1


# --- WebP -------------------------------------------------------------------------------------------------------------


def _webp_size(data: bytes) -> tuple[int, int] | None:
    form = data[12:16]
    if form == b"VP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return _frame_size(form, data[20:30])


def _frame_size(form: bytes, body: bytes) -> tuple[int, int] | None:
    """The size of what is shown, by the first bytes of its data."""
    if form == b"VP8L" and len(body) >= 5:
        bits = int.from_bytes(body[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 " and len(body) >= 10:
        return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF
    return None


def _clean_webp(data: bytes) -> bytes:
    alpha, at = b"", 12
    for _ in range(MOST_PARTS):
        form, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + size]
        if len(form) < 4 or len(body) < size:
            raise _damaged()
        if form in (b"ANIM", b"ANMF"):
            raise _no_picture("is a moving picture")
        if form == b"ALPH":
            alpha = body
        elif form in (b"VP8 ", b"VP8L"):
            return _webp(form, body, alpha if form == b"VP8 " else b"")
        at += 8 + size + size % 2
    raise _too_many()


def _webp(form: bytes, body: bytes, alpha: bytes) -> bytes:
    """A WebP file of one picture."""
    size = _frame_size(form, body)
    if size is None or min(size) <= 0 or size[0] * size[1] > MOST_PIXELS:
        raise _damaged()
    parts = [_riff(form, body)]
    if alpha:
        width, height = ((each - 1).to_bytes(3, "little") for each in size)
        parts = [_riff(b"VP8X", b"\x10\0\0\0" + width + height), _riff(b"ALPH", alpha), *parts]
    whole = b"".join(parts)
    return b"RIFF" + (len(whole) + 4).to_bytes(4, "little") + b"WEBP" + whole


def _riff(form: bytes, body: bytes) -> bytes:
    return form + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)
