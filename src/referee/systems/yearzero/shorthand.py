"""The short form of a roll: `4b2s1g` is four base, two skill and one gear die; `4b2n` has two negative dice."""

from __future__ import annotations

from referee.core import Shorthand
from referee.kits.year_zero import dice_text


def shorthand(text: str) -> Shorthand | None:
    """These dice, as a roll of Might of someone with nothing else."""
    found = dice_text(text, "#b", "#s", "#g", "#n")
    if found is None:
        return None
    base, skill, gear, negative = found
    things = [{"name": "tool", "gear_bonus": gear, "place": "held"}] if gear else []
    sheet = {"attributes": {"Strength": base}, "skills": {"Endurance": skill}, "things": things}
    mods = {"mods": [f"-{negative} modification"]} if negative else {}
    return Shorthand(sheet, "skill-roll", {"skill": "Endurance", **({"gear": "tool"} if gear else {}), **mods})
