"""Lines drawn on the server: chances along something, as SVG from the tokens, with the same in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from referee.web.pages.page import percent

TOP: Final = 14
TALL: Final = 196
"""How tall the chart is between none and all, in pixels; its width is whatever there is."""
LEFT: Final = 13.0
WIDE: Final = 83.0
MOST_TICKS: Final = 12
SHAPES: Final = ("round", "square", "diamond", "cross")
"""Lines differ by shape and dash, not by colour alone."""


@final
@dataclass(frozen=True)
class ChartPoint:
    x: float
    y: float
    at: str
    chance: float

    @property
    def text(self) -> str:
        return percent(self.chance)


@final
@dataclass(frozen=True)
class Stroke:
    """From one point to the next."""

    a: ChartPoint
    b: ChartPoint


@final
@dataclass(frozen=True)
class ChartLine:
    """One line; where nothing is known it is broken."""

    name: str
    shape: str
    points: tuple[ChartPoint | None, ...]

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        pairs = zip(self.points, self.points[1:], strict=False)
        return tuple(Stroke(a, b) for a, b in pairs if a is not None and b is not None)


@final
@dataclass(frozen=True)
class Tick:
    place: float
    text: str


@final
@dataclass(frozen=True)
class Chart:
    """Chances along something."""

    title: str
    along: str
    at: tuple[str, ...]
    lines: tuple[ChartLine, ...]
    now: float | None
    """Where things stand, from the left."""
    error: float = 0.0

    @property
    def bottom(self) -> int:
        return TOP + TALL

    @property
    def height(self) -> int:
        return self.bottom + 46

    @property
    def across(self) -> tuple[Tick, ...]:
        """The marks below; every second or third where they are many."""
        step = -(-len(self.at) // MOST_TICKS)
        return tuple(Tick(_x(at, len(self.at)), text) for at, text in enumerate(self.at) if at % step == 0)

    @property
    def up(self) -> tuple[Tick, ...]:
        return tuple(Tick(_y(share / 4), percent(share / 4)) for share in range(5))

    @property
    def rows(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The same as a table."""
        return tuple(
            (at, tuple("–" if point is None else point.text for point in (line.points[place] for line in self.lines)))
            for place, at in enumerate(self.at)
        )


def chart(
    title: str,
    along: str,
    at: Sequence[str],
    lines: Mapping[str, Sequence[float | None]],
    now: str = "",
    error: float = 0.0,
) -> Chart:
    """Lines by their names, each with a chance at every place."""
    drawn = tuple(
        ChartLine(
            name,
            SHAPES[number % len(SHAPES)],
            tuple(
                None if chance is None else ChartPoint(_x(place, len(at)), _y(chance), at[place], chance)
                for place, chance in enumerate(chances)
            ),
        )
        for number, (name, chances) in enumerate(lines.items())
    )
    stands = _x(list(at).index(now), len(at)) if now in at else None
    return Chart(title, along, tuple(at), drawn, stands, error)


def _x(place: int, count: int) -> float:
    return round(LEFT + WIDE / 2 if count == 1 else LEFT + WIDE * place / (count - 1), 2)


def _y(chance: float) -> float:
    return round(TOP + (1 - chance) * TALL, 1)
