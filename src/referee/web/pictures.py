"""Pictures by their bytes: of which kind they are, and how large. What a file claims to be counts for nothing."""

from __future__ import annotations

from typing import Final

MEDIA: Final = ("image/png", "image/jpeg", "image/webp")
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of a JPEG that are followed by its size."""
MOST_SEGMENTS: Final = 200
"""How many segments of a JPEG are looked at; photographs have some twenty before their size."""


def media_of(data: bytes) -> str | None:
    """The kind of a picture by its first bytes."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return MEDIA[0]
    if data.startswith(b"\xff\xd8\xff"):
        return MEDIA[1]
    return MEDIA[2] if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def size_of(data: bytes) -> tuple[int, int] | None:
    """The width and height of a picture; None if it does not say."""
    read = {MEDIA[0]: _png_size, MEDIA[1]: _jpeg_size, MEDIA[2]: _webp_size}.get(media_of(data) or "")
    found = read(data) if read else None
    return found if found and min(found) > 0 else None


def _png_size(data: bytes) -> tuple[int, int] | None:
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    for _ in range(MOST_SEGMENTS):
        head = data[at : at + 9]
        if len(head) < 9 or head[0] != 0xFF:
            return None
        if head[1] in _FRAMES:
            return int.from_bytes(head[7:9]), int.from_bytes(head[5:7])
        at += 2 + int.from_bytes(head[2:4])
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    form = data[12:16]
    if form == b"VP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if form == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 " and len(data) >= 30:
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    return None
