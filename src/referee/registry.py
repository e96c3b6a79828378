"""The systems by name: ours, and those that other packages add through the entry point group `referee.systems`."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from referee.core.errors import BadInput, RefereeError
from referee.core.plain import as_spelled, unknown
from referee.core.system import System

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OURS: Final = ("alien", "d6", "dime", "distemper", "yearzero")
GROUP: Final = "referee.systems"


def names() -> tuple[str, ...]:
    """Every system that can be loaded."""
    return (*OURS, *sorted(_brought().keys() - set(OURS)))


@lru_cache(maxsize=64)
def load(name: str) -> System:
    """A system by name. Loading one loads no other. A foreign one is proofread; ours are proofread by the tests."""
    found = unchecked(name if name in OURS else as_spelled(name, names()))
    if found.name not in OURS:
        from referee.core.proofreading import check_texts  # a fifth of a start; ours do not need it

        check_texts(found)
    return found


def unchecked(name: str) -> System:
    """A system whose words and look are not proofread, for those who list what is wrong with them."""
    if name in OURS:
        found = import_module(f"referee.systems.{name}").SYSTEM
    else:
        points = _brought()
        if name not in points:
            raise BadInput("system", unknown(name, names()))
        found = points[name].load()
    if not isinstance(found, System) or found.name != name:
        raise RefereeError(f"the entry point {name} does not give a system of that name")
    found.printed_book  # noqa: B018  # reads its rulebook in
    return found


def _brought() -> dict[str, EntryPoint]:
    """The systems that other packages add, by name."""
    from importlib.metadata import entry_points  # slow to import, and our own systems do not need it

    return {point.name: point for point in entry_points(group=GROUP)}
