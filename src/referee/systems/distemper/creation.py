"""How a character of Distemper is built: attributes, skills and points within the book's range; no CDP to count yet."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from referee.core import Creation, Draft, DraftStep, Levels, Part, Reason, Scene, SpreadPoints
from referee.core.plain import Plain
from referee.systems.distemper.sheet import (
    ATTRIBUTES,
    LISTED,
    TRACKED,
    UNLISTED,
    AttributeRange,
    Character,
    SkillRange,
    SkillRow,
)

AMOD: Final = "distemper.checks.amod"
SMOD: Final = "distemper.checks.smod"
POINTS: Final = ("Wound Points", "Resilience Points")
USUAL_POINTS: Final = Character().wp_full


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
    )


CREATION: Final = Creation(
    steps=(
        DraftStep("attributes", (SpreadPoints("attributes", attributes, rule=AMOD, chance=some_attributes),)),
        DraftStep("skills", (SpreadPoints("skills", skills, rule=SMOD, chance=some_skills),)),
        DraftStep("points", (SpreadPoints("points", points, rule=TRACKED.rule, chance=some_points),)),
    ),
    finish=character,
)
