"""Odds as SVG, without any dependency. Colours and fonts are the page's custom properties, or else plain ones."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from zlib import crc32

from referee.odds.errors import bad_input
from referee.odds.text import RARE, grouped, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final

    from referee.odds.distribution import Distribution
    from referee.odds.joint import Joint

LEAF: Final = "var(--leaf, #ffffff)"
INK: Final = "var(--ink, #22211f)"
QUIET: Final = "var(--ink-2, #67635b)"
LINE: Final = "var(--line, #e3ddd0)"
ACCENT: Final = "var(--accent, #1f6f5c)"
FONT: Final = "var(--ui, system-ui, sans-serif)"
SERIES: Final = (ACCENT, "var(--bad, #a8321f)", "var(--warn, #8a5a00)", "var(--good, #1d7a3d)")
DASHES: Final = ("none", "7 4", "2 4", "10 4 2 4")

WIDE, HIGH, LEFT, TOP, BOTTOM, RIGHT = 640, 280, 52, 44, 36, 16
PLOT_WIDE: Final = WIDE - LEFT - RIGHT
PLOT_HIGH: Final = HIGH - TOP - BOTTOM
MOST_BARS: Final = 80
MOST_LABELS: Final = 14
MOST_LINES: Final = 12
MOST_SHADES: Final = 1024
DEEPEST: Final = 0.45
"""The deepest shade that words can be read on, in light and in dark."""


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, *, fill: str = QUIET, size: int = 12, anchor: str = "middle") -> str:
    at = f'x="{number(x)}" y="{number(y)}"'
    return f'<text {at} fill="{fill}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def picture(title: str, told: str, parts: Iterable[str], *, wide: int = WIDE, high: int = HIGH) -> str:
    """A whole SVG that tells a screen reader what it shows."""
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
    """Lines across at round shares, as far as they go."""
    step = next(step for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25) if top / step <= 5)
    lines = []
    for tick in range(int(top / step) + 1):
        y = TOP + PLOT_HIGH * (1 - tick * step / top)
        at = f'x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{number(y)}" y2="{number(y)}"'
        lines += [
            f'<line {at} stroke="{LINE}"/>',
            text(LEFT - 8, y + 4, f"{number(100 * tick * step)}%", anchor="end"),
        ]
    return lines


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
    at: Sequence[str], lines: Mapping[str, Sequence[float]], title: str, *, across: str = "", told: str = ""
) -> str:
    """Chances at each place along something, a line for each of several; told apart by colour and by dashes."""
    if not at or not 1 <= len(lines) <= MOST_LINES:
        raise bad_input("curves", f"must be from 1 to {MOST_LINES} lines, not {len(lines)}")
    room, legend, parts = PLOT_WIDE / max(1, len(at) - 1), 18 * len(lines), _grid(1.0)
    for place, (name, chances) in enumerate(lines.items()):
        points = [
            f"{number(LEFT + room * x)},{number(TOP + PLOT_HIGH * (1 - chance))}" for x, chance in enumerate(chances)
        ]
        colour, dash = SERIES[place % len(SERIES)], DASHES[(place + place // len(SERIES)) % len(DASHES)]
        stroke = f'fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"'
        y = HIGH + 8 + 18 * place
        parts += [
            f'<polyline points="{" ".join(points)}" {stroke}/>',
            f'<line x1="{LEFT}" x2="{LEFT + 40}" y1="{y}" y2="{y}" {stroke}/>',
            text(LEFT + 50, y + 4, name, fill=INK, size=13, anchor="start"),
        ]
    every = -(-len(at) // MOST_LABELS)
    for x, label in enumerate(at):
        if x % every == 0:
            parts.append(text(LEFT + room * x, HIGH - BOTTOM + 18, label))
    parts.append(text(WIDE - RIGHT, HIGH - BOTTOM + 34, across, anchor="end"))
    ends = [f"{name}: {percent(line[0])} at {at[0]}, {percent(line[-1])} at {at[-1]}" for name, line in lines.items()]
    return picture(title, told or f"{'; '.join(ends)}.", parts, high=HIGH + legend + 4)


def svg_map(shares: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], title: str = "") -> str:
    """A table of chances in percent, shaded by them."""
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
    """Two axes as a map of shades, without rare ends; any other number as a chart of the first axis."""
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
