"""A command: something to be done from a seat, as a plain value that can be handed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Final, ParamSpec, final

from referee.table.desk import Desk

P = ParamSpec("P")


@final
class DeskCommand:
    """A method of the desk and its arguments: `DeskCommand(Desk.act, "attack", "otis", {"target": "raider"})`."""

    def __init__(self, method: Callable[Concatenate[Desk, P], object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._method: Final[Callable[..., object]] = method
        self._args: Final[tuple[Any, ...]] = args
        self._kwargs: Final[dict[str, Any]] = kwargs

    def perform(self, desk: Desk) -> None:
        """Do it, at a desk."""
        self._method(desk, *self._args, **self._kwargs)
