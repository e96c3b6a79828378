"""Situations: what a roll is about besides its skill, as far as merits, flaws, species, bulk and looks care.

A roll about hearing is `hearing`; one to win somebody over by talking is `interaction` and `speech`. Whoever rolls says
so, and what applies then applies.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Pick, Scene
from referee.systems.d6.sheet import ATTRIBUTES, SKILLS, Person

BUILDING: Final = frozenset({"creation", "advancement"})
"""Tags of what a character costs, not of rolls."""


def situations(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """Whatever makes a difference for somebody: everything that an effect on the sheet asks for."""
    if who is None:
        return ()
    wanted = (each.effect.when for each in scene[who].effects(scene) if not BUILDING & each.effect.when)
    tags = {tag for when in wanted for tag in when}
    return tuple(sorted(tags - {*scene[ATTRIBUTES].names, *scene[SKILLS].names, "any roll", "about"}))


def any_situation(scene: Scene, who: Person | None, value: str) -> None:
    """Any word will do: most say something only to those with some merit or flaw."""


Situation: TypeAlias = tuple[Annotated[str, Pick(situations, any_situation)], ...]
