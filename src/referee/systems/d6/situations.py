"""Situations: what a roll is about besides its skill, as far as merits, flaws, species, bulk and looks care.

A roll about hearing is `hearing`; one to win somebody over by talking is `interaction` and `speech`. Whoever rolls says
so, and what applies then applies.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Pick, Scene, applying
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


TAKES: Final = {"sight": "see", "hearing": "hear", "speech": "speak", "lying": "lie"}
"""What somebody must be able to do in a situation."""


def check_situation(scene: Scene, who: Person | None, value: str) -> None:
    """Nobody sees who is blind, nor hears who is deaf, nor speaks who is mute, nor lies who cannot."""
    if who is not None and value in TAKES:
        applying(scene, who).check_allowed(TAKES[value], legal=("a roll without it",))


def check_situations(scene: Scene, who: Person, situation: tuple[str, ...] = ()) -> None:
    """The same for all situations of a roll."""
    for each in situation:
        check_situation(scene, who, each)


def situations_of_other(scene: Scene, who: object, other: Person) -> tuple[str, ...]:
    """Whatever makes a difference for whoever rolls against one."""
    return situations(scene, other)


def check_situation_of_other(scene: Scene, who: object, value: str, other: Person) -> None:
    """The same holds for whoever rolls against one."""
    check_situation(scene, other, value)


def situations_of(scene: Scene, who: object, victim: Person) -> tuple[str, ...]:
    """Whatever makes a difference for somebody to whom something happens."""
    return situations(scene, victim)


def any_situation_of(scene: Scene, who: object, value: str, victim: Person) -> None:
    """Any word will do here too."""


VictimSituation: TypeAlias = tuple[Annotated[str, Pick(situations_of, any_situation_of)], ...]
"""What somebody suffers from: heat or cold, sound, light, one form of harm."""
Situation: TypeAlias = tuple[Annotated[str, Pick(situations, check_situation)], ...]
OtherSituation: TypeAlias = tuple[Annotated[str, Pick(situations_of_other, check_situation_of_other)], ...]
