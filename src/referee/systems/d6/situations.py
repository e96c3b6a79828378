"""Situations: what a roll is about besides its skill, as far as merits, flaws, species, bulk and looks care.

A roll about hearing is `hearing`; one to win somebody over by talking is `interaction` and `speech`. Whoever rolls says
so, and what applies then applies.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Final, TypeAlias

from referee.core import Pick, Scene, applying, from_book, frozen, refuse, rows
from referee.systems.d6.sheet import ATTRIBUTES, SKILLS, Hero, Person
from referee.systems.d6.species import BULK
from referee.systems.d6.templates import APPEARANCE, CLASSES, WITH_OTHERS, in_use
from referee.systems.d6.traits import NATURE, TABLES, all_effects

NOT_SAID: Final = ("any roll", "about")
BUILDING: Final = frozenset({"creation", "advancement"})
"""Tags of what a character costs, not of rolls."""


def situations(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """Whatever makes a difference for somebody: everything that an effect on the sheet asks for."""
    if who is None:
        return ()
    wanted = (each.effect.when for each in scene[who].effects(scene) if not BUILDING & each.effect.when)
    tags = {tag for when in wanted for tag in when}
    return tuple(sorted(tags - {*scene[ATTRIBUTES].names, *scene[SKILLS].names, "any roll", "about"}))


@frozen
class SituationRow:
    """A situation, and what somebody must be able to do in it."""

    name: str
    takes: str


TAKES: Final = rows(NATURE, "situations", SituationRow)


def check_situation(scene: Scene, who: Person | None, value: str) -> None:
    """A situation there is; nobody sees who is blind, nor hears who is deaf, nor speaks who is mute."""
    check_known(scene, value)
    if who is not None and value in scene[TAKES]:
        applying(scene, who).check_allowed(scene[TAKES][value].takes, legal=("a roll without it",))


@from_book
def known_situations(scene: Scene) -> tuple[str, ...]:
    """Every situation that a merit, a flaw, a species, bulk or looks care about, whoever has them."""
    printed = [effect for table in TABLES for row in scene[table] for effect in all_effects(row)]
    printed += [effect for row in (*scene[BULK], *scene[CLASSES]) for effect in row.effects]
    tags = {tag for effect in printed if not BUILDING & effect.when for tag in effect.when}
    tags |= {*scene[TAKES].names, *(each for row in scene[SKILLS] for each in row.involves)}
    return tuple(sorted(tags - {*scene[ATTRIBUTES].names, *scene[SKILLS].names, *NOT_SAID}))


def check_known(scene: Scene, value: str) -> None:
    """A word that changes nothing for anybody is a mistake: it is refused with those there are."""
    known = known_situations(scene)
    if value in known or value in (*scene[ATTRIBUTES].names, *scene[SKILLS].names):
        return
    for each in scene.all(Hero):
        own = {tag for effect in scene[each].effects(scene) for tag in effect.effect.when}
        if value in own or any(value == trait.about for trait in (*scene[each].merits, *scene[each].flaws)):
            return
    near = tuple(get_close_matches(value, known, 3))
    refuse("no such situation is known", what=value, rule=NATURE, legal=(*near, *sorted({*known} - {*near})))


def check_situations(scene: Scene, who: Person, situation: tuple[str, ...] = ()) -> None:
    """The same for all situations of a roll."""
    for each in situation:
        check_situation(scene, who, each)


def noticed(scene: Scene, who: Person, other: Person, situation: tuple[str, ...]) -> tuple[str, ...]:
    """A situation between two people: looks make no difference between player characters."""
    if not (situation and in_use(scene, APPEARANCE) and scene[who].player and scene[other].player):
        return situation
    return tuple(each for each in situation if each not in scene[WITH_OTHERS])


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
