"""A small, safe Markdown for chat: *emphasis*, **strong**, `code`, lines and lists. Everything else is text."""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

_WEIGHT: Final = re.compile(r"(?<!\*)\*\*(?=[^\s*])([^*]+?)(?<=\S)\*\*(?!\*)")
_STRESS: Final = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
_CODE: Final = re.compile(r"`([^`]+)`")
_ITEM: Final = re.compile(r"\s*[-*]\s+(.+)")


def marked_up(text: str) -> Markup:
    """A text as HTML; anything that looks like HTML in it is escaped."""
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        items = [_ITEM.fullmatch(line) for line in lines]
        if all(items):
            parts.append(f"<ul>{''.join(f'<li>{_inline(item[1])}</li>' for item in items if item)}</ul>")
        else:
            parts.append(f"<p>{'<br>'.join(map(_inline, lines))}</p>")
    return Markup("".join(parts))  # noqa: S704  # every piece of it was escaped


def _inline(line: str) -> str:
    """Code first: nothing inside it is marked up."""
    parts = _CODE.split(str(escape(line)))
    return "".join(f"<code>{each}</code>" if at % 2 else _stressed(each) for at, each in enumerate(parts))


def _stressed(text: str) -> str:
    return _STRESS.sub(r"<em>\1</em>", _WEIGHT.sub(r"<strong>\1</strong>", text))
