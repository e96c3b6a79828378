"""Lists of counts packed into one int, so that adding dice means multiplying ints.

The counts of a distribution are the coefficients of a polynomial: one die is x + x² + … + x⁶, and nine dice are its
ninth power. Packed, the coefficient of xⁱ is in slot i, `width` bytes each, and CPython's big integers do the work.

Nothing may carry from one slot into the next. No count exceeds the total (the denominator), so slots are wide enough
for the total plus one: then the sum of all slots is the remainder of a division by a slot full of ones.
"""

from __future__ import annotations

from struct import pack as pack_words
from struct import unpack as unpack_words

from referee.odds.errors import too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

MOST_BYTES: Final = 512 * 1024
"""The most bytes one packed int may take; multiplying two of that size takes about a second."""

MOST_WIDTH: Final = 1785
"""The most bytes of one count, which is as much as Python writes out as digits."""

WORD: Final = 8
"""The bytes of the narrowest slot, which the machine reads in one go."""

AT_ONCE: Final = 512
"""The most slots split by one format, because formats are cached."""


def width_for(whole: int, size: int) -> int:
    """The bytes of a slot that can hold any count out of `whole`; refuses what would take too long."""
    width = max(WORD, (whole + 1).bit_length() + 7 >> 3)
    if width > MOST_WIDTH:
        raise too_large(f"counts of {width} bytes; at most {MOST_WIDTH} are worked out")
    if size * width > MOST_BYTES:
        raise too_large(
            f"{size} outcomes of {width} bytes are {size * width} bytes; at most {MOST_BYTES} are worked out"
        )
    return width


def check_power(whole: int, size: int, times: int) -> None:
    """Refuse a power before any of it, even its total, is computed."""
    bits, outcomes = (whole.bit_length() - 1) * times, (size - 1) * times + 1
    if bits * outcomes > 8 * MOST_BYTES:
        raise too_large(
            f"{times} times {size} outcomes take over {bits * outcomes // 8} bytes; at most {MOST_BYTES} are worked out"
        )


def pack(counts: Sequence[int], width: int) -> int:
    """One int made from counts that fit their slots."""
    if width == WORD:
        return int.from_bytes(pack_words(f"<{len(counts)}Q", *counts), "little")
    return int.from_bytes(b"".join([count.to_bytes(width, "little") for count in counts]), "little")


def unpack(packed: int, width: int, size: int) -> tuple[int, ...]:
    """The counts of the first `size` slots, which must be all there are."""
    if width == WORD:
        return unpack_words(f"<{size}Q", packed.to_bytes(size * WORD, "little"))
    # Read from the far end: big-endian is the default of `from_bytes`.
    return tuple(map(int.from_bytes, _slots(packed.to_bytes(size * width, "big"), width)))[::-1]


def _slots(data: bytes, width: int) -> Sequence[bytes]:
    if len(data) > AT_ONCE * width:
        return [data[at : at + width] for at in range(0, len(data), width)]
    return unpack_words(f"{width}s" * (len(data) // width), data)


def widened(packed: int, width: int, size: int, wider: int) -> int:
    """The same counts in wider slots."""
    if wider == width:
        return packed
    slots = _slots(packed.to_bytes(size * width, "little"), width)
    return int.from_bytes(bytes(wider - width).join(slots), "little")


def mirrored(packed: int, width: int, size: int, wider: int) -> int:
    """The same counts in reverse order, in slots at least as wide."""
    slots = _slots(packed.to_bytes(size * width, "little"), width)
    return int.from_bytes(bytes(wider - width).join(slots[::-1]), "little")


def ones(size: int, width: int) -> int:
    """A one in each of the first slots: a fair die of that many sides, counted from 0."""
    return ((1 << 8 * width * size) - 1) // ((1 << 8 * width) - 1)


def summed(packed: int, width: int) -> int:
    """The sum of all slots."""
    return packed % ((1 << 8 * width) - 1)


def span(packed: int, width: int) -> tuple[int, int]:
    """The first slot in use, and the number of slots from it to the last one in use."""
    first = ((packed & -packed).bit_length() - 1) // (8 * width)
    return first, (packed.bit_length() - 1) // (8 * width) + 1 - first


def folded(packed: int, block: int, size: int, kept: int, runs: int) -> int:
    """In each of several runs of `size` blocks of bits, add up all blocks from `kept` on into one."""
    before, run, after = block * kept, block * size, block * (kept + 1)
    found = 0
    for place in range(runs):
        blocks = packed >> place * run & (1 << run) - 1
        above = (blocks >> before) % ((1 << block) - 1)
        found |= (blocks & (1 << before) - 1 | above << before) << place * after
    return found
