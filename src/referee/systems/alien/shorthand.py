"""ALIEN's short form: `5b3s` is five base dice and three stress dice, `5b3sr2` the same with resolve 2."""

from __future__ import annotations

import re
from typing import Final

from referee.core import Shorthand

_FORM: Final = re.compile(r"(\d+)b(?:(\d+)s)?(?:r(\d+))?")


def shorthand(text: str) -> Shorthand | None:
    """These base and stress dice, as an unskilled roll of someone with nothing else."""
    found = _FORM.fullmatch(text.casefold().replace(" ", ""))
    if found is None:
        return None
    base, stress, resolve = (int(part or 0) for part in found.groups())
    sheet = {"attributes": {"Strength": base}, "stress": stress, "resolve": resolve}
    return Shorthand(sheet, "skill-roll", {"skill": "Stamina"})
