"""Fields of skills: which skills only group them, and who may try one without having learned it."""

from __future__ import annotations

from enum import Enum
from typing import Final

from referee.core import YES_NO, Prompt, Scene, from_book, option, refuse, rule, rule_on
from referee.systems.d6.codes import ability_name
from referee.systems.d6.sheet import SKILLS, Person
from referee.systems.d6.skill_names import FIELD


class AbstractSkills(Enum):
    """How this campaign plays skills that only group fields."""

    FIELDS = "independent fields"
    ORDINARY = "ordinary skills"


ABSTRACT: Final = option("d6.skills.abstract", AbstractSkills)
WITHOUT_FIELD: Final = Prompt("without-field")
FOREIGN: Final = "Languages"


@from_book
def is_abstract(scene: Scene, skill: str) -> bool:
    """Whether a skill only groups fields here, each of which is learned by itself."""
    grouping = any(row.abstract and row.name == skill for row in scene[SKILLS])
    return grouping and scene[ABSTRACT] is AbstractSkills.FIELDS


def lacks_field(scene: Scene, who: Person, using: str) -> bool:
    """Whether somebody has not learned the field of an abstract skill that they are about to use."""
    named = ability_name(scene, using)
    learned = named.field and named.key in scene[who].specializations
    return is_abstract(scene, named.skill) and not learned


@rule("d6.skills.abstract")
async def try_without_field(scene: Scene, who: Person, using: str) -> None:
    """Whoever has not learned a field may try it if the game master lets them; not a foreign language, as a rule."""
    usual = ability_name(scene, using).skill != FOREIGN
    if not await rule_on(WITHOUT_FIELD, usual, options=YES_NO):
        refuse(f"{who} has not learned it", what=using)


def fields_known(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    """A skill, and the specializations of it that somebody has."""
    return (skill, *(each for each in scene[who].specializations if each.startswith(skill + FIELD)))


def with_field(scene: Scene, who: Person, skill: str, field: str) -> str:
    """A skill, or its specialization in what is done, for whoever has learned that."""
    return next((each for each in fields_known(scene, who, skill) if each == f"{skill}{FIELD}{field}"), skill)
