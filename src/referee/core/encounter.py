"""What lasts longer than one step: a fight, a chase, a negotiation, a stretch of time.

An encounter is a frozen value in the scene. It says which step comes next and when it is over; the table repeats that
step, and exact odds treat it as a chain of scenes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

from referee.core.rules import Call
from referee.core.scene import Scene


class Encounter(ABC):
    """Whose turn it is, what was declared, what is left: everything a screen shows about it is in its fields."""

    __slots__ = ()

    @abstractmethod
    def next_step(self, scene: Scene) -> Call[Any]:
        """The step that comes next."""

    @abstractmethod
    def over(self, scene: Scene) -> Hashable | None:
        """How it ended, or None while it continues."""
