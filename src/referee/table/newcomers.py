"""Names for those who are added: several of a kind are numbered by themselves."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import count as numbers
from typing import Final

_NUMBERED: Final = re.compile(r"(?P<base>.*\S) (?P<number>[0-9]{1,3})")


def base_name(name: str) -> str:
    """A name without its number: `raider 2` is a raider."""
    found = _NUMBERED.fullmatch(name)
    return found["base"] if found else name


def names_for(name: str, count: int, taken: Container[str]) -> tuple[str, ...]:
    """Free names for so many: somebody alone keeps the plain name, several are `raider 1` to `raider 3`."""
    base = base_name(name)
    if count == 1 and base not in taken and f"{base} 1" not in taken:
        return (base,)
    first = 2 if base in taken else 1
    free = (f"{base} {number}" for number in numbers(first) if f"{base} {number}" not in taken)
    return tuple(next(free) for _ in range(count))
