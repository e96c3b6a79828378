"""Checkpoints: what a campaign had come to after some of its lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from referee.core.plain import Plain
from referee.drivers.journal import Base


@final
@dataclass(frozen=True)
class Checkpoint:
    """What follows from the first lines of a campaign, so that it opens quickly however long it is."""

    base: Base
    scene: Plain
    members: list[Plain]
    settings: Plain
    stopped: str
    commitment: str
    told: dict[str, int]

    def to_plain(self) -> Plain:
        return {**vars(self), "base": list(self.base)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Checkpoint:
        return cls(**{**plain, "base": Base(*plain["base"])})
