"""Odds as SVG, without dependencies. Colours and fonts are the page's custom properties, with plain fallbacks."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from zlib import crc32

from referee.odds.errors import bad_input
from referee.odds.text import RARE, grouped, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Final

    from referee.odds.distribution import Distribution
    from referee.odds.joint import Joint

LEAF: Final = "var(--leaf, #ffffff)"
INK: Final = "var(--ink, #22211f)"
QUIET: Final = "var(--ink-2, #67635b)"
LINE: Final = "var(--line, #e3ddd0)"
EDGE: Final = "var(--edge, #8f897c)"
ACCENT: Final = "var(--accent, #1f6f5c)"
FONT: Final = "var(--ui, system-ui, sans-serif)"
SERIES: Final = (ACCENT, "var(--calm, #3565a8)", "var(--warn, #7a4f00)", QUIET)
DASHES: Final = ("none", "7 5", "1 5", "12 4 2 4")
MARKS: Final = (
    '<circle r="4.5"/>',
    '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
    '<path d="M0-6 6 0 0 6-6 0z"/>',
    '<path d="M-1.5-6h3v4.5H6v3H1.5V6h-3V1.5H-6v-3h4.5z"/>',
)
"""The marks at the points of a line: lines differ by mark and dashes, not by colour alone."""

WIDE, HIGH, LEFT, TOP, BOTTOM, RIGHT = 640, 280, 52, 44, 36, 16
PLOT_WIDE: Final = WIDE - LEFT - RIGHT
PLOT_HIGH: Final = HIGH - TOP - BOTTOM
MOST_BARS: Final = 80
MOST_LABELS: Final = 12
MOST_LINES: Final = 12
MOST_MARKS: Final = 60
PLOT_TOP: Final = 14
PLOT_ROOM: Final = PLOT_TOP + PLOT_HIGH + 46
"""The height of a plot, with the words above and below its lines."""
PLOT_LEFT, PLOT_SHARE = 13.0, 83.0
"""Where the lines begin and how wide they are, in percent of the width, because a page may have any width."""
MOST_SHADES: Final = 1024
DEEPEST: Final = 0.45
"""The deepest shade on which text is still readable, in light and dark mode."""


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, *, fill: str = QUIET, size: int = 12, anchor: str = "middle") -> str:
    at = f'x="{number(x)}" y="{number(y)}"'
    return f'<text {at} fill="{fill}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def picture(title: str, told: str, parts: Iterable[str], *, wide: int = WIDE, high: int = HIGH) -> str:
    """A complete SVG with a title and a description for screen readers."""
    body = "\n".join(parts)
    mark = f"odds-{crc32(f'{title}{told}{body}'.encode()):08x}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img"'
            f' aria-labelledby="{mark}-title {mark}-desc" font-family="{FONT}">',
            f'<title id="{mark}-title">{escape(title)}</title>',
            f'<desc id="{mark}-desc">{escape(told)}</desc>',
            f'<rect width="{wide}" height="{high}" rx="8" fill="{LEAF}"/>',
            text(16, 26, title, fill=INK, size=15, anchor="start"),
            body,
            "</svg>\n",
        ]
    )


def svg_chart(odds: Distribution, title: str = "", *, at_least: bool = False) -> str:
    """A bar for each outcome: its chance, or the chance of at least that much."""
    rows = grouped(odds, MOST_BARS)
    title = title or ("Chance of at least" if at_least else "Chance of each outcome")
    if at_least:
        shares = list(rows.values())
        rows = {label: min(1.0, sum(shares[place:])) for place, label in enumerate(rows)}
    likeliest = max(odds.items(), key=lambda item: item[1])
    told = (
        f"Outcomes from {odds.low} to {odds.high}, mean {float(odds.mean):.4g}, middle {odds.median}; "
        f"the likeliest is {likeliest[0]} with {percent(likeliest[1] / odds.whole)}."
    )
    top = 1.0 if at_least else max(rows.values())
    return picture(title, told, [*_grid(top), *_bars(rows, top)])


def _grid(top: float) -> list[str]:
    """Horizontal grid lines at round percentages, up to the top."""
    lines = []
    for share in _round_shares(top):
        y = TOP + PLOT_HIGH * (1 - share / top)
        at = f'x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{number(y)}" y2="{number(y)}"'
        lines += [f'<line {at} stroke="{LINE}"/>', text(LEFT - 8, y + 4, f"{number(100 * share)}%", anchor="end")]
    return lines


def _round_shares(top: float) -> list[float]:
    step = next(step for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25) if top / step <= 5)
    return [tick * step for tick in range(int(top / step) + 1)]


def _bars(rows: Mapping[str, float], top: float) -> list[str]:
    parts, room = [], PLOT_WIDE / len(rows)
    every = -(-len(rows) // MOST_LABELS)
    for place, (label, share) in enumerate(rows.items()):
        x, tall = LEFT + place * room, PLOT_HIGH * share / top
        box = (
            f'x="{number(x + room * 0.1)}" y="{number(TOP + PLOT_HIGH - tall)}" '
            f'width="{number(room * 0.8)}" height="{number(tall)}"'
        )
        parts.append(f'<rect {box} fill="{ACCENT}"><title>{escape(label)}: {percent(share)}</title></rect>')
        if place == len(rows) - 1 or (place % every == 0 and place < len(rows) - every):
            parts.append(text(x + room / 2, HIGH - BOTTOM + 18, label))
    return parts


def svg_curves(named: Mapping[str, Distribution], title: str = "") -> str:
    """The chance of at least each number, for several rolls in one picture."""
    if not named:
        raise bad_input("curves", f"must be from 1 to {MOST_LINES} rolls")
    first = min([_likely(odds).start for odds in named.values()])
    last = max([_likely(odds).stop for odds in named.values()])
    bars = range(first, last + 1, -(-(last - first) // 400) or 1)
    lines = {name: [float(odds.at_least(bar)) for bar in bars] for name, odds in named.items()}
    told = "; ".join([f"{name}: mean {float(odds.mean):.4g}, middle {odds.median}" for name, odds in named.items()])
    return svg_lines([*map(str, bars)], lines, title or "Chance of at least", told=f"{told}.")


def svg_lines(
    at: Sequence[str], lines: Mapping[str, Sequence[float | None]], title: str, *, across: str = "", told: str = ""
) -> str:
    """A chart of chances along something, with one line per name; None is unknown."""
    legend = []
    for place, name in enumerate(lines):
        y = TOP + PLOT_ROOM + 8 + 18 * place
        legend += [
            f'<svg x="{LEFT}" y="{y - 7}" width="34" height="14">{legend_mark(place)}</svg>',
            text(LEFT + 44, y + 4, name, fill=INK, size=13, anchor="start"),
        ]
    where = f'x="16" y="{TOP - PLOT_TOP}" width="{WIDE - 32}" height="{PLOT_ROOM}"'
    drawn = f'<svg {where} overflow="visible">{plot_lines(at, lines, across)}</svg>'
    high = TOP + PLOT_ROOM + 18 * len(lines) + 4
    return picture(title, told or f"{'; '.join(_ends(at, lines))}.", [drawn, *legend], high=high)


def _ends(at: Sequence[str], lines: Mapping[str, Sequence[float | None]]) -> Iterator[str]:
    """The first and last chance of each line, in words."""
    for name, line in lines.items():
        first, last = ["unknown" if chance is None else percent(chance) for chance in (line[0], line[-1])]
        yield f"{name}: {first} at {at[0]}, {last} at {at[-1]}"


def plot_lines(
    at: Sequence[str],
    lines: Mapping[str, Sequence[float | None]],
    across: str = "",
    *,
    now: str = "",
    said: Callable[[float], str] = percent,
) -> str:
    """The lines of a chart with their grid, for an SVG of any width that is `PLOT_ROOM` high.

    A line is interrupted where nothing is known. `now` is the current value, `said` puts a chance into words.
    """
    if not at or not 1 <= len(lines) <= MOST_LINES:
        raise bad_input("curves", f"must be from 1 to {MOST_LINES} lines, not {len(lines)}")
    parts, bottom, every = [], PLOT_TOP + PLOT_HIGH, -(-len(at) // MOST_LABELS)
    for share in _round_shares(1.0):
        y = _down(share)
        parts += [
            f'<line x1="0" x2="100%" y1="{y}" y2="{y}" stroke="{LINE}"/>',
            f'<text y="{number(float(y) - 4)}" fill="{QUIET}" font-size="12">{number(100 * share)} %</text>',
        ]
    if now in at:
        now_at = f'x1="{_along(at.index(now), len(at))}" x2="{_along(at.index(now), len(at))}"'
        parts.append(f'<line {now_at} y1="{PLOT_TOP}" y2="{bottom}" stroke="{EDGE}" stroke-dasharray="2 4"/>')
    for place, (name, chances) in enumerate(lines.items()):
        parts += _line(place, chances)
        for x, chance in enumerate(chances if len(at) <= MOST_MARKS else ()):
            if chance is not None:
                where = f'x="{_along(x, len(at))}" y="{_down(chance)}"'
                tip = f"<title>{escape(f'{name}, {across} {at[x]}: {said(chance)}')}</title>"
                parts.append(f"<svg {where} {_ink(place)}>{tip}{_mark(place)}</svg>")
    for x in range(0, len(at), every):
        where = f'x="{_along(x, len(at))}" y="{bottom + 18}"'
        ink = f'fill="{INK}" font-weight="700"' if at[x] == now else f'fill="{QUIET}"'
        parts.append(f'<text {where} {ink} font-size="13" text-anchor="middle">{escape(at[x])}</text>')
    middle = f'x="{number(PLOT_LEFT + PLOT_SHARE / 2)}%" y="{bottom + 38}" fill="{INK}"'
    parts.append(f'<text {middle} font-size="13" font-weight="600" text-anchor="middle">{escape(across)}</text>')
    return "\n".join(parts)


def legend_mark(place: int) -> str:
    """A short piece of a line with its mark, for an SVG of 34 by 14."""
    return f'<path d="M1 7h32" {_stroke(place)}/><svg x="17" y="7" {_ink(place)}>{_mark(place)}</svg>'


def _line(place: int, chances: Sequence[float | None]) -> Iterator[str]:
    """A line in pieces, each stretched to the available width without stretching its stroke."""
    where = f'x="{PLOT_LEFT}%" y="{PLOT_TOP}" width="{PLOT_SHARE}%" height="{PLOT_HIGH}" overflow="visible"'
    box = f'{where} viewBox="0 0 1000 {PLOT_HIGH}" preserveAspectRatio="none"'
    room = 1000 / max(1, len(chances) - 1)
    pieces: list[list[str]] = [[]]
    for x, chance in enumerate(chances):
        if chance is None:
            pieces.append([])
        else:
            pieces[-1].append(f"{number(room * x)},{number(PLOT_HIGH * (1 - chance))}")
    for points in pieces:
        if len(points) > 1:
            drawn = f'<polyline points="{" ".join(points)}" {_stroke(place)} vector-effect="non-scaling-stroke"/>'
            yield f"<svg {box}>{drawn}</svg>"


def _stroke(place: int) -> str:
    colour, dash = SERIES[place % len(SERIES)], DASHES[(place + place // len(SERIES)) % len(DASHES)]
    return f'fill="none" stroke="{colour}" stroke-width="2.5" stroke-linecap="round" stroke-dasharray="{dash}"'


def _ink(place: int) -> str:
    return f'overflow="visible" fill="{SERIES[place % len(SERIES)]}" stroke="{LEAF}" stroke-width="1.5"'


def _mark(place: int) -> str:
    return MARKS[(place + place // len(SERIES)) % len(MARKS)]


def _along(place: int, count: int) -> str:
    return f"{number(PLOT_LEFT + PLOT_SHARE * (0.5 if count == 1 else place / (count - 1)))}%"


def _down(chance: float) -> str:
    return number(PLOT_TOP + PLOT_HIGH * (1 - chance))


def svg_map(shares: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], title: str = "") -> str:
    """A table of chances in percent; the higher the chance, the deeper the shade."""
    if len(shares) * len(columns) > MOST_SHADES:
        raise bad_input("picture", f"{len(shares) * len(columns)} cells; at most {MOST_SHADES} are drawn")
    wide, high, left, top = 34, 24, 56, 64
    most, title = max([max(row) for row in shares]) or 1.0, title or "Chance in percent"
    parts = [text(left + wide * (x + 0.5), top - 8, name, size=11) for x, name in enumerate(columns)]
    for y, (name, row) in enumerate(zip(rows, shares, strict=True)):
        parts.append(text(left - 8, top + high * (y + 0.66), name, size=11, anchor="end"))
        for x, share in enumerate(row):
            box = f'x="{left + wide * x}" y="{top + high * y}" width="{wide - 1}" height="{high - 1}"'
            tip = f"<title>{escape(name)}, {escape(columns[x])}: {percent(share)}</title>"
            shade = number(DEEPEST * share / most)
            figure = "" if share == 0 else f"{100 * share:.0f}" if share >= 0.005 else "<1"
            parts += [
                f'<rect {box} fill="{ACCENT}" fill-opacity="{shade}">{tip}</rect>',
                text(left + wide * (x + 0.5), top + high * (y + 0.66), figure, fill=INK, size=12),
            ]
    told = f"{len(rows)} rows from {rows[0]} to {rows[-1]}, {len(columns)} columns from {columns[0]} to {columns[-1]}."
    across = max(left + wide * len(columns) + 16, 32 + 9 * len(title))
    return picture(title, told, parts, wide=across, high=top + high * len(rows) + 16)


def svg_joint(odds: Joint, title: str = "") -> str:
    """Two axes as a shaded map, without rare outcomes at the ends; any other number as a chart of the first axis."""
    if len(odds.axes) != 2:
        return svg_chart(odds.axis(odds.axes[0]), title or odds.axes[0])
    down, across = [_likely(odds.axis(axis)) for axis in odds.axes]
    shares = odds.floats()
    cells = [[shares.get((row, column), 0.0) for column in across] for row in down]
    named = title or f"{odds.axes[0]} down, {odds.axes[1]} across"
    return svg_map(cells, [*map(str, down)], [*map(str, across)], named)


def _likely(odds: Distribution) -> range:
    return range(odds.quantile(Fraction(1, RARE)), odds.quantile(1 - Fraction(1, RARE)) + 1)


def html_figure(odds: Distribution | Joint) -> str:
    """For notebooks: the picture, and its figures in words."""
    return f"<figure>{odds.svg()}<figcaption>{escape(repr(odds)[1:-1])}</figcaption></figure>"
