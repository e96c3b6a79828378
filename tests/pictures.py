"""Small pictures to upload."""

from __future__ import annotations

import zlib


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


def png(width: int = 1, height: int = 1, *more: bytes) -> bytes:
    """A grey picture, with more chunks before its pixels."""
    head = width.to_bytes(4) + height.to_bytes(4) + bytes((8, 0, 0, 0, 0))
    squeezing = zlib.compressobj()
    rows = b"".join([squeezing.compress(b"\0" + b"\x99" * width) for _ in range(height)]) + squeezing.flush()
    parts = (chunk(b"IHDR", head), *more, chunk(b"IDAT", rows), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
