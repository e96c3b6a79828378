"""Who may see what. Every field of a sheet or an encounter declares its audience in its annotation."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

from referee.core.errors import RefereeError
from referee.core.plain import hints

T = TypeVar("T")


class Audience(Enum):
    """Who may see something. The game master sees everything that is not private."""

    EVERYONE = "everyone"
    OWNER = "owner"
    MASTER = "game master"
    PRIVATE = "private"
    """Whoever plays the owner and no one else, not even the game master: for cards, and for questions about them."""


Open: TypeAlias = Annotated[T, Audience.EVERYONE]
"""A field everyone at the table may see."""
Own: TypeAlias = Annotated[T, Audience.OWNER]
"""A field only the owner (and the game master) may see."""
Hidden: TypeAlias = Annotated[T, Audience.MASTER]
"""A field only the game master may see."""


def audiences(kind: object) -> dict[str, Audience]:
    """The audience of each field. A field without one is an error, so nothing is shown or hidden by accident."""
    return _audiences(kind)


@lru_cache(maxsize=1024)
def _audiences(kind: Any) -> dict[str, Audience]:
    found = {}
    for each in fields(kind) if is_dataclass(kind) else ():
        hint = hints(kind)[each.name]
        marks = [mark for mark in get_args(hint)[1:] if isinstance(mark, Audience)]
        if Audience.PRIVATE in marks:
            raise RefereeError(f"{kind}.{each.name}: a field cannot be private; write Own[…]")
        if get_origin(hint) is not Annotated or len(marks) != 1:
            raise RefereeError(f"{kind}.{each.name} states no audience: write Open[…], Own[…] or Hidden[…]")
        found[each.name] = marks[0]
    return found
