"""How a character of Distemper is built: attributes, skills and points within the book's range; no CDP to count yet.

Everyone starts with two weapons. The tables of weapons are not here yet, so they are those of the samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

from referee.core import (
    Creation,
    Draft,
    DraftOption,
    DraftStep,
    Levels,
    Part,
    PickOne,
    Reason,
    Scene,
    SpreadPoints,
    figure,
    formula,
)
from referee.core.belongings import catalogue_in, rows_in
from referee.core.plain import Plain
from referee.core.starting_things import one_at_random, thing_options, things_picked, under_own_names
from referee.systems.distemper.sheet import (
    ATTRIBUTES,
    LISTED,
    TRACKED,
    UNLISTED,
    AttributeRange,
    Character,
    Item,
    SkillRange,
    SkillRow,
)

AMOD: Final = "distemper.checks.amod"
SMOD: Final = "distemper.checks.smod"
POINTS: Final = ("Wound Points", "Resilience Points")
USUAL_POINTS: Final = Character().wp_full
STARTING: Final = "distemper.creation.starting-gear"
WEAPONS: Final = figure(STARTING, "weapons", tuple[str, ...])


def attributes(scene: Scene, draft: Draft) -> Iterator[Part]:
    least, most = scene[AttributeRange].least, scene[AttributeRange].most
    why = Reason(f"an attribute is {least} to {most}", AMOD)
    for row in scene[ATTRIBUTES]:
        yield Part(row.name, least, most, why, start=0)


def skills(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Every skill; one at 0 is not learned, and below 0 nobody learns it."""
    why = Reason(f"a skill is 0 to {scene[SkillRange].most}", SMOD)
    for row in skill_rows(scene):
        yield Part(
            row.name, 0, scene[SkillRange].most, why, group=row.attribute, says="needs training" if row.starred else ""
        )


def skill_rows(scene: Scene) -> tuple[SkillRow, ...]:
    return (*scene[LISTED], *scene[UNLISTED])


def points(scene: Scene, draft: Draft) -> Iterator[Part]:
    for name in POINTS:
        yield Part(name, 1, None, Reason("nobody starts without a point", TRACKED.rule), start=USUAL_POINTS)


def some_attributes(scene: Scene, draft: Draft, random: Random) -> Plain:
    return {row.name: random.randint(0, 3) for row in scene[ATTRIBUTES]}


def some_skills(scene: Scene, draft: Draft, random: Random) -> Plain:
    return {row.name: random.randint(1, 3) for row in random.sample(list(scene[LISTED]), 6)}


def some_points(scene: Scene, draft: Draft, random: Random) -> Plain:
    return dict.fromkeys(POINTS, random.randint(8, 14))


@formula(STARTING)
def starting_weapons(scene: Scene) -> tuple[str, ...]:
    """The weapons that everyone starts with."""
    return scene[WEAPONS]


def weapons_on_offer(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    return thing_options(catalogue_in(scene))


def weapon_fields(scene: Scene, draft: Draft) -> tuple[PickOne, ...]:
    """One field for each weapon that a character starts with."""
    return tuple(
        PickOne(key, weapons_on_offer, optional=True, rule=STARTING, chance=partial(some_weapon, key))
        for key in starting_weapons(scene)
    )


def some_weapon(key: str, scene: Scene, draft: Draft, random: Random) -> Plain:
    """A weapon, sooner one of a skill that was learned; none twice."""
    others = {draft.one(other) for other in starting_weapons(scene) if other != key}
    rows = (row for row in rows_in(scene) if row.key not in others)
    weights = {row.key: 1 + 4 * draft.level("skills", row.thing.skill) for row in rows}
    return next(iter(one_at_random(weapons_on_offer(scene, draft), weights, random)), None)


def weapons(scene: Scene, draft: Draft) -> tuple[Item, ...]:
    """The weapons that were chosen: the first is in hand, the others must be readied."""
    picked = things_picked(catalogue_in(scene), filter(None, map(draft.one, starting_weapons(scene))))
    items = under_own_names(picked)
    return tuple(replace(item, ready=number == 0) for number, item in enumerate(items))


def character(scene: Scene, draft: Draft) -> Character:
    """The sheet of a draft."""
    learned = {row.name: draft.level("skills", row.name) for row in skill_rows(scene)}
    wounds, resilience = (draft.level("points", name, USUAL_POINTS) for name in POINTS)
    return Character(
        Levels({row.name: draft.level("attributes", row.name) for row in scene[ATTRIBUTES]}),
        Levels({name: level for name, level in learned.items() if level}),
        wp=wounds,
        wp_full=wounds,
        rp=resilience,
        rp_full=resilience,
        items=weapons(scene, draft),
    )


CREATION: Final = Creation(
    steps=(
        DraftStep("attributes", (SpreadPoints("attributes", attributes, rule=AMOD, chance=some_attributes),)),
        DraftStep("skills", (SpreadPoints("skills", skills, rule=SMOD, chance=some_skills),)),
        DraftStep("points", (SpreadPoints("points", points, rule=TRACKED.rule, chance=some_points),)),
        DraftStep("equipment", weapon_fields),
    ),
    finish=character,
)
