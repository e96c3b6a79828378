"""Chances along something, as a chart and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from markupsafe import Markup

from referee.odds.svg import PLOT_ROOM, legend_mark, plot_lines
from referee.web.pages.page import percent


@final
@dataclass(frozen=True)
class Chart:
    """Lines by name, each with a chance at every value; None if it is unknown."""

    title: str
    along: str
    at: Sequence[str]
    lines: Mapping[str, Sequence[float | None]]
    now: str = ""
    """The current value."""
    error: float = 0.0
    height: int = PLOT_ROOM

    @property
    def plot(self) -> Markup:
        return Markup(plot_lines(self.at, self.lines, self.along, now=self.now, said=percent))  # noqa: S704 - escaped

    @property
    def legend(self) -> tuple[tuple[str, Markup], ...]:
        """The name of each line, with a sample of it."""
        return tuple((name, Markup(legend_mark(place))) for place, name in enumerate(self.lines))  # noqa: S704

    @property
    def rows(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The same as a table."""
        columns = zip(*self.lines.values(), strict=True)
        cells = (tuple("–" if chance is None else percent(chance) for chance in column) for column in columns)
        return tuple(zip(self.at, cells, strict=True))
