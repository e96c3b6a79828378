"""The character of ALIEN: attributes, skills, stress and what it does to people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Annotated, ClassVar, Final, TypeAlias

from referee.core import Active, Effect, Levels, Open, Pick, Refused, Scene, Who, figure, frozen, rows
from referee.kits.things import check_things
from referee.systems.alien.gear import Item

PLAIN_ATTRIBUTE: Final = 3
"""The value of an attribute that a sheet does not list."""


@frozen
class SkillRow:
    """A skill and the attribute it goes with."""

    name: str
    attribute: str


@frozen
class Response:
    """One row of the stress responses."""

    name: str
    lasting: bool
    effects: tuple[Effect, ...] = ()
    fails: bool = False
    stress: int = 0


SKILLS: Final = rows("alien.skills.list", "skills", SkillRow)
RESPONSES: Final = rows("alien.stress.table", "table", Response, by=("from", "to"))
LEAST_STRESS: Final = figure("alien.stress.stress-level", "minimum", int)

Skill: TypeAlias = Annotated[str, SKILLS]
ATTRIBUTE_NAMES: Final = Pick(lambda scene, who: attribute_names(scene))
SKILL_NAMES: Final = Pick(lambda scene, who: scene[SKILLS].names)


@frozen
class Colonist:
    """A character. Nothing here is secret: ALIEN's basics have no hidden traits."""

    in_play: ClassVar = ("stress",)
    attributes: Open[Annotated[Levels, ATTRIBUTE_NAMES]] = field(default_factory=Levels)
    skills: Open[Annotated[Levels, SKILL_NAMES]] = field(default_factory=Levels)
    stress: Open[int] = 0
    resolve: Open[int] = 0
    responses: Open[tuple[str, ...]] = ()
    things: Open[tuple[Item, ...]] = ()

    def attribute(self, name: str) -> int:
        return self.attributes.get(name, PLAIN_ATTRIBUTE)

    def holding(self, response: str) -> Colonist:
        return replace(self, responses=(*self.responses, response))

    def without(self, response: str) -> Colonist:
        return replace(self, responses=tuple(each for each in self.responses if each != response))

    def effects(self, scene: Scene) -> Iterator[Active]:
        """The effects of the responses that last."""
        for name in self.responses:
            for effect in scene[RESPONSES].look(name).effects:
                yield Active(effect, name, RESPONSES.rule)


def attribute_names(scene: Scene) -> tuple[str, ...]:
    """The attributes, as the skills name them."""
    return tuple(dict.fromkeys(row.attribute for row in scene[SKILLS]))


def check_sheet(scene: Scene, who: Who[Colonist]) -> None:
    """Only attributes, skills and lasting responses from the book, and nothing below its minimum."""
    sheet = scene[who]
    attributes = attribute_names(scene)
    for name in sheet.attributes:
        if name not in attributes:
            raise Refused(name, because="there is no such attribute", rule=SKILLS.rule, legal=attributes)
    for name in sheet.skills:
        _check_spelled(name, scene[SKILLS].look(name).name, SKILLS.rule)
    for name, level in (*sheet.attributes.items(), *sheet.skills.items(), ("resolve", sheet.resolve)):
        if level < 0:
            raise Refused(name, because="a level is never below 0", rule=SKILLS.rule)
    if sheet.stress < scene[LEAST_STRESS]:
        raise Refused("stress", because=f"it is never below {scene[LEAST_STRESS]}", rule=LEAST_STRESS.rule)
    for name in sheet.responses:
        _check_spelled(name, scene[RESPONSES].look(name).name, RESPONSES.rule)
        if not scene[RESPONSES].look(name).lasting:
            raise Refused(name, because="it does not last", rule=RESPONSES.rule)
    check_things(sheet.things)
    if len(set(sheet.responses)) < len(sheet.responses):
        raise Refused("responses", because="no response is held twice", rule="alien.stress.repeat")


def _check_spelled(name: str, printed: str, rule: str) -> None:
    """A sheet must spell names as the book does; otherwise they would be listed but never found."""
    if name != printed:
        raise Refused(name, because=f"the book spells it {printed}", rule=rule, legal=(printed,))
