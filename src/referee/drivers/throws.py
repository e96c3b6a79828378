"""How much of a throw is automatic at a live table."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from referee.drivers.steps import Open


class Handling(Enum):
    """How much of a throw is automatic."""

    DO = "do it"
    ASK = "ask"
    """The table throws; the game master lets it stand or says otherwise before anything follows from it."""
    LEAVE = "leave it"
    """It is thrown by hand."""


Handler: TypeAlias = Callable[[Open], Handling]


def do_it(waiting: Open) -> Handling:
    """Every throw is the table's."""
    return Handling.DO
