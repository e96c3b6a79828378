"""Terminal output that a pipe does not get: bold, dim, colour, and tables as wide as the window.

Importing rich takes longer than a roll, so this small module replaces it. Nothing is shown by colour alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.plain import Plain
from referee.core.wording import phrase

BOLD: Final = "1"
DIM: Final = "2"
RED: Final = "31"
GREEN: Final = "32"
YELLOW: Final = "33"
CYAN: Final = "36"

NARROWEST: Final = 8
"""No column gets narrower than this."""
GAP: Final = "  "
NONE: Final = "–"


def on_terminal() -> bool:
    """Whether a person is looking; programs and files get plain lines."""
    return sys.stdout.isatty()


def paint(text: str, *how: str) -> str:
    """The text in colour, on a terminal without NO_COLOR (https://no-color.org); otherwise plain."""
    wanted = on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[{';'.join(how)}m{text}\x1b[0m" if wanted and text else text


def figures(values: Plain, indent: str = "") -> Iterator[str]:
    """Figures by name; a list of rows becomes a table below its name."""
    if not isinstance(values, Mapping):
        yield f"{indent}{phrase(values, nothing=NONE)}"
        return
    wide = max((len(str(name)) for name, value in values.items() if not _is_table(value)), default=0)
    for name, value in values.items():
        if _is_table(value):
            yield f"{indent}{paint(str(name), CYAN)}"
            yield from table(value, f"{indent}{GAP}")
        else:
            first, *more = _wrapped(phrase(value, nothing=NONE), _width() - len(indent) - wide - len(GAP))
            yield f"{indent}{paint(f'{name:{wide}}', CYAN)}{GAP}{first}"
            yield from (f"{indent}{' ' * wide}{GAP}{line}" for line in more)


def table(rows: Sequence[Mapping[str, Plain]], indent: str = "") -> Iterator[str]:
    """Rows in aligned columns; cells too wide for the window are wrapped."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [
        [str(name) for name in names],
        *([phrase(row[name], nothing=NONE) if name in row else "" for name in names] for row in rows),
    ]
    room = _width() - len(indent) - len(GAP) * (len(names) - 1)
    wide = _squeezed([max(map(len, column)) for column in zip(*cells, strict=True)], room)
    for at, row in enumerate(cells):
        broken = [_wrapped(text, width) for text, width in zip(row, wide, strict=True)]
        for line in range(max(map(len, broken))):
            parts = (b[line] if line < len(b) else "" for b in broken)
            text = GAP.join(f"{part:{width}}" for part, width in zip(parts, wide, strict=True)).rstrip()
            yield indent + (paint(text, BOLD) if at == 0 else text)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _squeezed(wide: list[int], room: int) -> list[int]:
    """Column widths that fit; the widest column is narrowed first."""
    while sum(wide) > room and max(wide) > NARROWEST:
        wide[wide.index(max(wide))] -= 1
    return wide


def _wrapped(text: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, max(width, NARROWEST)) or [""]


def _width() -> int:
    from shutil import get_terminal_size

    return get_terminal_size().columns
