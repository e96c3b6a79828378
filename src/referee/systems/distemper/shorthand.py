"""Distemper's short form: `2d6+3` is a check with a modifier of three."""

from __future__ import annotations

import re
from typing import Final

from referee.core import Refused, Scene, Shorthand
from referee.core.rulebook import BOOK, Book
from referee.systems.distemper.checks import CMOD, CModRange

_FORM: Final = re.compile(r"2d6([+-]\d+)?")


def shorthand(text: str, book: Book) -> Shorthand | None:
    """A plain Reason check of someone without Insight; the modifier is its CMod."""
    found = _FORM.fullmatch(text.casefold().replace(" ", ""))
    if found is None:
        return None
    check_modifier(text, int(found[1] or 0), book)
    mods = [f"{found[1]} as said"] if found[1] else []
    return Shorthand({"insight": 0}, "check", {"using": "Reason", "cmods": mods})


def check_modifier(text: str, amount: int, book: Book) -> None:
    """Several modifiers are limited as a whole; a single figure beyond the limits must be a mistake."""
    limits = Scene({BOOK.name: book})[CModRange]
    least, most = limits.min, limits.max
    if not least <= amount <= most:
        because = f"a conditional modifier is {least:+d} to {most:+d}"
        raise Refused(text, because=because, rule=CMOD, legal=(f"2d6{least:+d} to 2d6{most:+d}",))
