"""ALIEN's short form: `5b3s` is five base dice and three stress dice, `5b3sr2` the same with resolve 2."""

from __future__ import annotations

from referee.core import Shorthand
from referee.kits.year_zero import dice_text


def shorthand(text: str) -> Shorthand | None:
    """These base and stress dice, as an unskilled roll of someone with nothing else."""
    found = dice_text(text, "#b", "#s", "r#")
    if found is None:
        return None
    base, stress, resolve = found
    sheet = {"attributes": {"Strength": base}, "stress": stress, "resolve": resolve}
    return Shorthand(sheet, "skill-roll", {"skill": "Stamina"})
