"""How a character begins: as somebody of a sample, with XP that the table gives spent by the rules of development.

Starting scores are in the companion's chapter on creation, which is not here yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Final

from referee.core import (
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Levels,
    Part,
    PickOne,
    Reason,
    Scene,
    SpreadPoints,
    WriteText,
)
from referee.core.files import load_yaml_file
from referee.core.fresh import fresh
from referee.core.plain import read
from referee.systems.yearzero.development import (
    ADVANCED,
    SKILL_COST,
    SKILL_COSTS,
    SPECIALIZATION_COST,
    SPECIALIZATION_COSTS,
    Advanced,
    skill_cost,
    specialization_cost,
)
from referee.systems.yearzero.sheet import SKILLS, SPECIALTIES, Survivor
from referee.systems.yearzero.starting_gear import (
    CAPITAL,
    CREDITS,
    credits_to_spend,
    gear,
    gear_fields,
    kept_at_first,
)

SAMPLES: Final = Path(__file__).parent / "samples"
GIVEN_XP: Final = (0, 20, 40, 60)
"""How many XP a table may give to a newcomer; the book does not say."""


@cache
def beginners() -> dict[str, Survivor]:
    """Everybody of the samples, by name and where they are from, as they were before anything happened to them."""
    from referee.systems.yearzero import SYSTEM

    found: dict[str, Survivor] = {}
    for file in sorted(SAMPLES.glob("*.yaml")):
        sample = load_yaml_file(file)
        for name, plain in sample["sheets"].items():
            found[f"{name}: {sample['scenario']}"] = fresh(SYSTEM, read(Survivor, plain, f"{file.stem}.{name}"))
    return found


def start_of(draft: Draft) -> Survivor:
    """The sheet a draft begins with."""
    return beginners().get(draft.one("start"), Survivor())


def starts(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    for name, sheet in beginners().items():
        skills = ", ".join(f"{skill} {level}" for skill, level in sheet.skills.items())
        things = ", ".join(each.name for each in kept_at_first(scene, sheet.things))
        yield DraftOption(name, says=f"{skills}; has {things}" if things else skills)


def gifts(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    return (DraftOption(str(xp)) for xp in GIVEN_XP)


def given_xp(scene: Scene, draft: Draft) -> int:
    return start_of(draft).xp + int(draft.one("xp") or 0)


def paid(cost: Callable[[Scene, int], int], scene: Scene, begins: int, level: int) -> int:
    """What it costs to get from a level to another, one step at a time."""
    return sum(cost(scene, each) for each in range(begins + 1, level + 1))


def skills(scene: Scene, draft: Draft) -> Iterator[Part]:
    most = len(scene[SKILL_COSTS].names)
    for row in scene[SKILLS]:
        begins = start_of(draft).skills.get(row.name, 0)
        lacking = None if begins else lacks(scene, draft, row.name)
        top, why = (0, lacking) if lacking else (most, Reason(f"the table ends at {most}", SKILL_COST))
        price = partial(paid, skill_cost, scene, begins)
        yield Part(row.name, begins, max(begins, top), why, price, group=row.attribute)


def lacks(scene: Scene, draft: Draft, skill: str) -> Reason | None:
    """Why an advanced skill cannot be learned yet."""
    for name, least in scene[Advanced].requires.get(skill, {}).items():
        parent, _, specialty = name.partition(": ")
        level = draft.level("skills", parent, start_of(draft).skills.get(parent, 0))
        own = draft.level("specialties", name, start_of(draft).specialties.get(name, 0)) if specialty else 0
        if max(level, own) < least:
            return Reason(f"needs {name} {least}", ADVANCED)
    return None


def specialties(scene: Scene, draft: Draft) -> Iterator[Part]:
    most = len(scene[SPECIALIZATION_COSTS].names)
    why = Reason(f"the table ends at {most}", SPECIALIZATION_COST)
    for row in scene[SKILLS]:
        level = draft.level("skills", row.name, start_of(draft).skills.get(row.name, 0))
        for each in scene[SPECIALTIES[row.name]].names:
            begins = start_of(draft).specialties.get(f"{row.name}: {each}", level)
            price = partial(paid, specialization_cost, scene, begins)
            yield Part(f"{row.name}: {each}", begins, max(begins, most), why, price, group=row.name)


def survivor(scene: Scene, draft: Draft) -> Survivor:
    """The sheet of a draft."""
    start = start_of(draft)
    learned = {part.name: draft.level("skills", part.name, part.begins) for part in skills(scene, draft)}
    own = {part.name: draft.level("specialties", part.name, part.begins) for part in specialties(scene, draft)}
    begun = {part.name: part.begins for part in specialties(scene, draft)}
    detached = {name: level for name, level in own.items() if name in start.specialties or level > begun[name]}
    spent = sum(part.price(learned[part.name]) for part in skills(scene, draft))
    spent += sum(part.price(own[part.name]) for part in specialties(scene, draft))
    return replace(
        start,
        skills=Levels({name: level for name, level in learned.items() if level}),
        specialties=Levels(detached),
        pride=draft.one("pride") or start.pride,
        xp=max(0, given_xp(scene, draft) - int(spent)),
        things=gear(scene, draft, start.things),
    )


CREATION: Final = Creation(
    steps=(
        DraftStep("start", (PickOne("start", starts), PickOne("xp", gifts))),
        DraftStep("skills", (SpreadPoints("skills", skills, budget="xp", rule=SKILL_COST),)),
        DraftStep("specialties", (SpreadPoints("specialties", specialties, budget="xp", rule=SPECIALIZATION_COST),)),
        DraftStep("gear", gear_fields),
        DraftStep("pride", (WriteText("pride", optional=True, rule="yearzero.pride.use"),)),
    ),
    budgets=(
        DraftBudget("xp", given_xp, rule="yearzero.development.spending-xp", exact=False),
        DraftBudget(CREDITS, credits_to_spend, rule=CAPITAL, exact=False),
    ),
    finish=survivor,
)
