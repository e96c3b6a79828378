"""How a character of ALIEN is built: attributes, skills and resolve within the book's range, and two weapons.

There are no points to count yet, and no careers to say what gear there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from referee.core import (
    Creation,
    Draft,
    DraftOption,
    DraftStep,
    Levels,
    Part,
    PickSeveral,
    Reason,
    Scene,
    SpreadPoints,
    figure,
)
from referee.core.belongings import catalogue_in, rows_in
from referee.core.plain import Plain
from referee.core.starting_things import at_first, one_at_random, thing_options, things_picked, under_own_names
from referee.core.things import HELD
from referee.systems.alien.gear import GEAR_ITEMS, Item, used_with
from referee.systems.alien.sheet import PLAIN_ATTRIBUTE, SKILLS, Colonist, attribute_names

SCALE: Final = figure("alien.character.attributes", "scale", tuple[int, int])
MOST_SKILL: Final = figure("alien.character.skills", "maximum", int)
RESOLVE: Final = "alien.stress.stress-level"


def attributes(scene: Scene, draft: Draft) -> Iterator[Part]:
    least, most = scene[SCALE]
    why = Reason(f"an attribute is {least} to {most}", SCALE.rule)
    for name in attribute_names(scene):
        yield Part(name, least, most, why, start=PLAIN_ATTRIBUTE)


def skills(scene: Scene, draft: Draft) -> Iterator[Part]:
    why = Reason(f"a skill level is 0 to {scene[MOST_SKILL]}", MOST_SKILL.rule)
    for row in scene[SKILLS]:
        yield Part(row.name, 0, scene[MOST_SKILL], why, group=row.attribute)


def resolve(scene: Scene, draft: Draft) -> Iterator[Part]:
    yield Part("Resolve", 0, None, Reason("it is never below 0", RESOLVE))


def some_attributes(scene: Scene, draft: Draft, random: Random) -> Plain:
    return {name: random.randint(2, scene[SCALE][1]) for name in attribute_names(scene)}


def some_skills(scene: Scene, draft: Draft, random: Random) -> Plain:
    return {row.name: random.randint(1, 3) for row in random.sample(list(scene[SKILLS]), 4)}


def some_resolve(scene: Scene, draft: Draft, random: Random) -> Plain:
    return {"Resolve": random.randint(0, 3)}


def gear_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    return thing_options(catalogue_in(scene))


def most_gear(scene: Scene, draft: Draft) -> int:
    return scene[GEAR_ITEMS]


def some_gear(scene: Scene, draft: Draft, random: Random) -> Plain:
    """A weapon, sooner one of a skill that was learned."""
    skills = {row.key: used_with(scene, row.thing)[0] for row in rows_in(scene)}
    weights = {key: 1 + 4 * draft.level("skills", skill) for key, skill in skills.items()}
    return one_at_random(gear_options(scene, draft), weights, random)


def gear(scene: Scene, draft: Draft) -> tuple[Item, ...]:
    """What was picked: the first weapon is in hand."""
    owned = under_own_names(things_picked(catalogue_in(scene), draft.several("gear")))
    return at_first(owned, lambda item: bool(used_with(scene, item)[0]), HELD)


def colonist(scene: Scene, draft: Draft) -> Colonist:
    """The sheet of a draft."""
    learned = {row.name: draft.level("skills", row.name) for row in scene[SKILLS]}
    return Colonist(
        Levels({name: draft.level("attributes", name, PLAIN_ATTRIBUTE) for name in attribute_names(scene)}),
        Levels({name: level for name, level in learned.items() if level}),
        resolve=draft.level("resolve", "Resolve"),
        things=gear(scene, draft),
    )


CREATION: Final = Creation(
    steps=(
        DraftStep("attributes", (SpreadPoints("attributes", attributes, rule=SCALE.rule, chance=some_attributes),)),
        DraftStep("skills", (SpreadPoints("skills", skills, rule=MOST_SKILL.rule, chance=some_skills),)),
        DraftStep("resolve", (SpreadPoints("resolve", resolve, rule=RESOLVE, chance=some_resolve),)),
        DraftStep("gear", (PickSeveral("gear", gear_options, most=most_gear, rule=GEAR_ITEMS.rule, chance=some_gear),)),
    ),
    finish=colonist,
)
