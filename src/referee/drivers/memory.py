"""What is remembered of a call: it holds wherever all that the call had read is as it was."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, final

from referee.core.rules import Call
from referee.core.scene import State

W = TypeVar("W")


@final
@dataclass
class Memory(Generic[W]):
    """By call, then by the names it read, then by the values they had."""

    _kept: dict[Call[Any], dict[tuple[str, ...], dict[tuple[Hashable | None, ...], W]]] = field(default_factory=dict)

    def recall(self, call: Call[Any], state: State) -> W | None:
        for reads, known in self._kept.get(call, {}).items():
            if (found := known.get(state.at(reads))) is not None:
                return found
        return None

    def keep(self, call: Call[Any], state: State, reads: tuple[str, ...], found: W) -> None:
        self._kept.setdefault(call, {}).setdefault(reads, {})[state.at(reads)] = found
