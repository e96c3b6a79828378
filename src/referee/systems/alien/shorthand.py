"""ALIEN's short form: `5b3s` is five base dice and three stress dice, `5b3sr2` the same with resolve 2."""

from __future__ import annotations

from random import Random

from referee.core import Levels, Scene, Shorthand
from referee.kits.year_zero import dice_text
from referee.systems.alien.sheet import SKILLS, Colonist


def shorthand(text: str) -> Shorthand | None:
    """These base and stress dice, as an unskilled roll of someone with nothing else."""
    found = dice_text(text, "#b", "#s", "r#")
    if found is None:
        return None
    base, stress, resolve = found
    sheet = {"attributes": {"Strength": base}, "stress": stress, "resolve": resolve}
    return Shorthand(sheet, "skill-roll", {"skill": "Stamina"})


def at_random(scene: Scene, random: Random) -> Colonist:
    """A random character: the basics have no character creation, so attributes are 2 to 5, with a few skills."""
    rows = list(scene[SKILLS])
    attributes = {row.attribute: random.randint(2, 5) for row in rows}
    skills = {row.name: random.randint(1, 3) for row in random.sample(rows, 4)}
    return Colonist(Levels(attributes), Levels(skills), resolve=random.randint(0, 3))
