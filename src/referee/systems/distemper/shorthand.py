"""Distemper's short form: `2d6+3` is a check with a modifier of three."""

from __future__ import annotations

import re
from random import Random
from typing import Final

from referee.core import Levels, Refused, Scene, Shorthand
from referee.core.rulebook import BOOK, Book
from referee.systems.distemper.checks import CMOD, CModRange
from referee.systems.distemper.sheet import ATTRIBUTES, LISTED, Character

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


def at_random(scene: Scene, random: Random) -> Character:
    """A random character: the reference sheet has no creation, so attributes are 0 to 3, with a few skills."""
    attributes = {row.name: random.randint(0, 3) for row in scene[ATTRIBUTES]}
    skills = {row.name: random.randint(1, 3) for row in random.sample(list(scene[LISTED]), 6)}
    points = random.randint(8, 14)
    return Character(Levels(attributes), Levels(skills), wp=points, wp_full=points, rp=points, rp_full=points)
