"""Pictures of characters: each is a square cut out of a file that the table keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Final

from referee.core import frozen
from referee.core.errors import BadInput
from referee.core.plain import Plain, read, write
from referee.journal.lines import DraftEnded, Line, PortraitSet

SMALLEST: Final = 10
"""The smallest share of the shorter side, in per cent, that a square may have."""
LARGEST: Final = 20_000
"""The longest side of a picture."""


@frozen
class Portrait:
    """A square of a picture: `left` and `top` say where it lies, `share` how much of the shorter side it takes."""

    file: str
    width: int
    height: int
    left: int = 50
    top: int = 50
    share: int = 100

    def __post_init__(self) -> None:
        if not (0 < self.width <= LARGEST and 0 < self.height <= LARGEST):
            raise BadInput("picture", f"must be at most {LARGEST} pixels wide and high")
        if not (0 <= self.left <= 100 and 0 <= self.top <= 100 and SMALLEST <= self.share <= 100):
            raise BadInput("crop", f"must be 0 to 100 per cent, and {SMALLEST} to 100 for the size")

    @property
    def box(self) -> str:
        """The square as the view box of an SVG with the whole picture in it."""
        side = min(self.width, self.height) * self.share / 100
        left, top = (self.width - side) * self.left / 100, (self.height - side) * self.top / 100
        return f"{left:.1f} {top:.1f} {side:.1f} {side:.1f}"

    def line(self, by: str, *, who: str = "", draft: str = "", to: tuple[str, ...] = ()) -> PortraitSet:
        """The line of the log by which someone gets this picture."""
        crop = (self.left, self.top, self.share)
        return PortraitSet(by, who, draft, self.file, (self.width, self.height), crop, to=to)

    @classmethod
    def of(cls, line: PortraitSet) -> Portrait | None:
        """The picture that a line sets; None if it sets none, or (in an imported log) one that cannot be."""
        try:
            return cls(line.file, *line.size, *line.crop) if line.file else None
        except (BadInput, TypeError):
            return None


@frozen
class Portraits:
    """The pictures of a table, by the character or by the draft they belong to."""

    people: Mapping[str, Portrait] = field(default_factory=dict)
    drafts: Mapping[str, Portrait] = field(default_factory=dict)

    def after(self, line: Line) -> Portraits:
        match line:
            case PortraitSet() if line.draft:
                return replace(self, drafts=_with(self.drafts, line.draft, Portrait.of(line)))
            case PortraitSet():
                return replace(self, people=_with(self.people, line.who, Portrait.of(line)))
            case DraftEnded() if line.name is None:
                return replace(self, drafts=_with(self.drafts, line.draft, None))
            case _:
                return self

    def to_plain(self) -> dict[str, Plain]:
        return {"people": write(self.people), "drafts": write(self.drafts)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Portraits:
        kinds = dict[str, Portrait]
        return cls(read(kinds, plain["people"], "portraits"), read(kinds, plain["drafts"], "portraits"))


def _with(known: Mapping[str, Portrait], key: str, portrait: Portrait | None) -> dict[str, Portrait]:
    others = {each: one for each, one in known.items() if each != key}
    return others if portrait is None else {**others, key: portrait}
