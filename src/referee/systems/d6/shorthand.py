"""The short form of a roll: `4D+2` is a roll of that code, `4D+2 against 15` one against a difficulty."""

from __future__ import annotations

import re
from typing import Final

from referee.core import Shorthand

_FORM: Final = re.compile(r"(\d+)D([+-]\d+)?(?:\s*(?:against|vs)\s*(\d+))?", re.IGNORECASE)


def shorthand(text: str) -> Shorthand | None:
    """A code as a roll of somebody with that attribute, and what it must reach (15, if nothing is said)."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        return None
    dice, pips, difficulty = int(found[1]), int(found[2] or 0), int(found[3] or 15)
    sheet = {"attributes": {"Agility": f"{dice + pips // 3}D+{pips % 3}"}}
    return Shorthand(sheet, "roll", {"using": "Agility", "difficulty": difficulty})
