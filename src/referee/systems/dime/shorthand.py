"""Dime's short form: `Dex 6/guns 3-10` is a flip with Dexterity 6 and guns 3 against 10, `Det 5-12` one of the stat."""

from __future__ import annotations

import re
from typing import Final

from referee.core import Scene, Shorthand
from referee.core.rulebook import BOOK, Book
from referee.systems.dime.sheet import ABBREVIATIONS

_FORM: Final = re.compile(r"([a-z]+) ?(\d+)(?:/([a-z]+(?: \([^)]+\))?) ?(\d+))?-(\d+)")


def shorthand(text: str, book: Book) -> Shorthand | None:
    """Such a flip by somebody without Moxie."""
    found = _FORM.fullmatch(" ".join(text.casefold().split()))
    stats = {short.casefold(): name for short, name in Scene({BOOK.name: book})[ABBREVIATIONS].items()}
    if found is None or found[1] not in stats:
        return None
    skill, level = found[3] or "", int(found[4] or 0)
    sheet = {"stats": {stats[found[1]]: int(found[2])}, "skills": {skill: level} if skill else {}, "creature": True}
    return Shorthand(sheet, "flip", {"stat": stats[found[1]], "skill": skill, "tn": int(found[5]), "just": True})
