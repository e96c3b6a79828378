"""How a character of Dime Adventures is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final, NamedTuple

from referee.core import (
    Creation,
    Draft,
    DraftBudget,
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
from referee.core.belongings import catalogue_in, rows_in
from referee.core.catalogue import CatalogueRow
from referee.core.plain import Plain
from referee.core.starting_things import (
    at_first,
    one_at_random,
    rows_picked,
    thing_options,
    things_picked,
    under_own_names,
)
from referee.core.things import HELD, ON_BODY
from referee.systems.dime.gear import DR, Item
from referee.systems.dime.sheet import SKILLS, STATS, Adventurer, Trait, check_skill
from referee.systems.dime.wealth import most_cost

STAT_ARRAY: Final = figure("dime.chargen.stats", "array", tuple[int, ...])
SKILL_ARRAY: Final = figure("dime.chargen.skills", "array", tuple[int, ...])
STEPS: Final = "dime.chargen.steps"
STATS_RULE: Final = "dime.chargen.stats"
SKILLS_RULE: Final = "dime.chargen.skills"
COSTS: Final = "dime.wealth.costs"
WEALTH: Final = "Wealth"
AUTO: Final = "Auto"


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
    yield Part(WEALTH, 0, None, why)
    yield Part("Lifestyle", 0, None, why)


def wealth_to_spend(scene: Scene, draft: Draft) -> int:
    return draft.level("money", WEALTH)


def some_money(scene: Scene, draft: Draft, random: Random) -> Plain:
    wealth = random.randint(2, 6)
    return {"Wealth": wealth, "Lifestyle": random.randint(1, wealth)}


# --- equipment --------------------------------------------------------------------------------------------------------


class Purchase(NamedTuple):
    """What buying something takes from Wealth, and why it cannot be bought."""

    loss: int
    barred: Reason | None


def purchase(scene: Scene, wealth: int, row: CatalogueRow) -> Purchase:
    """A Cost up to Wealth takes nothing. What has no Cost is agreed with the game master."""
    cost = row.thing.cost
    if cost > most_cost(scene, wealth):
        return Purchase(0, Reason(f"Cost {cost} is too much for Wealth {wealth}", COSTS))
    return Purchase(max(0, cost - wealth), None)


def purchases(scene: Scene, draft: Draft) -> tuple[dict[str, Purchase], int]:
    """Everything that was picked of the catalogue, bought one after the other; and the Wealth that is left."""
    wealth, bought = draft.level("money", WEALTH), dict[str, Purchase]()
    for row in rows_picked(catalogue_in(scene), draft.several("equipment")):
        if isinstance(row, CatalogueRow):
            bought[row.key] = purchase(scene, wealth, row)
            wealth -= bought[row.key].loss
    return bought, wealth


def equipment_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    bought, wealth = purchases(scene, draft)
    rows = {row.key: row for row in rows_in(scene)}
    for option in thing_options(catalogue_in(scene)):
        row = rows[option.name]
        cost, found = row.thing.cost, bought.get(row.key) or purchase(scene, wealth, row)
        says = ", ".join(filter(None, (f"Cost {cost}" if cost else "", option.says)))
        yield replace(option, price=found.loss, barred=found.barred, says=says)


def some_equipment(scene: Scene, draft: Draft, random: Random) -> Plain:
    """A weapon that can be paid for, sooner one of a skill that was learned; nothing that fires bursts."""
    learned = dict(chosen_skills(scene, draft))
    rows = (row for row in rows_in(scene) if row.thing.damage and not row.thing.has(AUTO))
    weights = {row.key: 1 + 4 * learned.get(row.thing.skill, 0) for row in rows}
    return one_at_random(equipment_options(scene, draft), weights, random)


def equipment(scene: Scene, draft: Draft) -> tuple[Item, ...]:
    """What was picked: the first weapon in hand, the first armor worn."""
    owned = under_own_names(things_picked(catalogue_in(scene), draft.several("equipment"), Item))
    armed = at_first(owned, lambda item: bool(item.damage), HELD)
    return at_first(armed, lambda item: item.has(DR), ON_BODY)


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
        items=equipment(scene, draft),
        wealth=purchases(scene, draft)[1],
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
        DraftStep(
            "equipment",
            (
                SpreadPoints("money", money, rule=STEPS, chance=some_money),
                PickSeveral("equipment", equipment_options, own=0, rule=COSTS, budget=WEALTH, chance=some_equipment),
            ),
        ),
        DraftStep("traits", (_text("creed"), _text("idiosyncrasy"), _own("languages"), _own("weaknesses"))),
    ),
    budgets=(DraftBudget(WEALTH, wealth_to_spend, rule=COSTS, exact=False, spare=False),),
    finish=character,
    check=check_skills,
)
