"""How a character of Dime Adventures is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

from referee.core import (
    Creation,
    Draft,
    DraftOption,
    DraftStep,
    Lack,
    Levels,
    Part,
    PickOne,
    PickSeveral,
    Reason,
    Refused,
    Scene,
    SpreadPoints,
    WriteText,
    figure,
    formula,
)
from referee.core.plain import Plain
from referee.systems.dime.gear import Item
from referee.systems.dime.sheet import SKILLS, STATS, Adventurer, Trait, check_skill

STAT_ARRAY: Final = figure("dime.chargen.stats", "array", tuple[int, ...])
SKILL_ARRAY: Final = figure("dime.chargen.skills", "array", tuple[int, ...])
STEPS: Final = "dime.chargen.steps"
STATS_RULE: Final = "dime.chargen.stats"
SKILLS_RULE: Final = "dime.chargen.skills"


def levels(scene: Scene, stat: str) -> Iterator[tuple[int, int]]:
    """The numbers of the array, and how often each is in it."""
    yield from sorted(Counter(scene[STAT_ARRAY]).items(), reverse=True)


def stat_fields(scene: Scene, draft: Draft) -> tuple[PickOne, ...]:
    """One field for each stat, with the numbers that are left of the array."""

    def options(stat: str) -> PickOne:
        def numbers(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
            taken = Counter(draft.one(other) for other in scene[STATS] if other != stat)
            for number, often in levels(scene, stat):
                used = Reason(f"{number} is assigned already", STATS_RULE) if taken[str(number)] >= often else None
                yield DraftOption(str(number), barred=used)

        return PickOne(stat, numbers, rule=STATS_RULE)

    return tuple(map(options, scene[STATS]))


def skill_fields(scene: Scene, draft: Draft) -> tuple[PickSeveral, ...]:
    """For each number of the array, as many different skills as it has."""
    counts = Counter(scene[SKILL_ARRAY])

    def skills_at(level: int) -> PickSeveral:
        def options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
            elsewhere = {name for other in counts if other != level for name in draft.several(skill_key(other))}
            for row in scene[SKILLS]:
                if not row.fields:
                    why = Reason("it has another level already", SKILLS_RULE) if row.name in elsewhere else None
                    yield DraftOption(row.name, barred=why, says=row.covers)

        return PickSeveral(skill_key(level), options, least=counts[level], most=counts[level], own=0, rule=SKILLS_RULE)

    return tuple(map(skills_at, sorted(counts, reverse=True)))


def skill_key(level: int) -> str:
    return f"skills-{level}"


def nothing(scene: Scene, draft: Draft) -> tuple[DraftOption, ...]:
    """Only entries in one's own words: the reference has no list."""
    return ()


def money(scene: Scene, draft: Draft) -> Iterator[Part]:
    why = Reason("it is never below 0", STEPS)
    yield Part("Wealth", 0, None, why)
    yield Part("Lifestyle", 0, None, why)


def some_money(scene: Scene, draft: Draft, random: Random) -> Plain:
    wealth = random.randint(2, 6)
    return {"Wealth": wealth, "Lifestyle": random.randint(1, wealth)}


def chosen_skills(scene: Scene, draft: Draft) -> Iterator[tuple[str, int]]:
    for level in sorted(set(scene[SKILL_ARRAY]), reverse=True):
        yield from ((name, level) for name in draft.several(skill_key(level)))


def check_skills(scene: Scene, draft: Draft) -> Iterator[Lack]:
    """Nine different skills of the list; one with fields is taken field by field."""
    names = Counter(name for name, _ in chosen_skills(scene, draft))
    for name, level in chosen_skills(scene, draft):
        why = "it is taken twice" if names[name] > 1 else not_a_skill(scene, name)
        if why:
            yield Lack("skills", skill_key(level), f"{name}: {why}", SKILLS_RULE)


def not_a_skill(scene: Scene, name: str) -> str:
    """Why a name is no skill to learn; empty if it is one."""
    try:
        check_skill(scene, None, name)
    except Refused as why:
        return why.because
    return "say which field, such as (law)" if "(" not in name and scene[SKILLS].look(name).fields else ""


@formula("dime.chargen.steps")
def character(scene: Scene, draft: Draft) -> Adventurer:
    """The sheet of a draft; its scores are computed from the stats."""
    return Adventurer(
        stats=Levels({stat: int(draft.one(stat) or 0) for stat in scene[STATS]}),
        skills=Levels(dict(chosen_skills(scene, draft))),
        traits=tuple(Trait(name) for name in draft.several("traits")),
        items=tuple(Item(name) for name in draft.several("equipment")),
        wealth=draft.level("money", "Wealth"),
        lifestyle=draft.level("money", "Lifestyle"),
        concept=draft.one("concept"),
        background=draft.one("background"),
        experiences=draft.several("experiences"),
        creed=draft.one("creed"),
        idiosyncrasy=draft.one("idiosyncrasy"),
        languages=draft.several("languages"),
        weaknesses=draft.several("weaknesses"),
    )


def _own(key: str) -> PickSeveral:
    return PickSeveral(key, nothing, own=0, rule=STEPS)


def _text(key: str) -> WriteText:
    return WriteText(key, optional=True, rule=STEPS)


CREATION: Final = Creation(
    steps=(
        DraftStep("concept", (_text("concept"),)),
        DraftStep("background", (_text("background"), _own("experiences"), _own("traits"))),
        DraftStep("stats", stat_fields),
        DraftStep("skills", skill_fields),
        DraftStep("equipment", (SpreadPoints("money", money, rule=STEPS, chance=some_money), _own("equipment"))),
        DraftStep("traits", (_text("creed"), _text("idiosyncrasy"), _own("languages"), _own("weaknesses"))),
    ),
    finish=character,
    check=check_skills,
)
