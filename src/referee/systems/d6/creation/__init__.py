"""How a character is built: a template, skills, merits and flaws, finishing touches and Fate, from one pool of points.

Everything is priced against the template: what it has costs nothing, what is changed is paid or given at the book's
rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from referee.core import (
    BOOK,
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Lack,
    Levels,
    Part,
    PickSeveral,
    Reason,
    Scene,
    SpreadPoints,
    WriteText,
    formula,
)
from referee.core.draft_form import DraftForm
from referee.core.drafts import DraftField, Price
from referee.core.plain import Plain
from referee.core.trace import note
from referee.kits.dice_codes import Stat, Stats
from referee.systems.d6 import templates
from referee.systems.d6.creation.build import Build, build_of, stat
from referee.systems.d6.creation.chance import nothing
from referee.systems.d6.creation.equipment import THINGS_FIELD, things_of
from referee.systems.d6.creation.points import (
    CP,
    DEFAULT_APPEARANCE,
    DEFAULT_STATUS,
    FATE,
    FLESH_OUT,
    POOLS,
    READY,
    READY_MADE,
    RELATIONSHIPS,
    SECRETS,
    STEPS,
    TEMPLATE_COST,
    FateAtStart,
    FateFigures,
    available_cp,
    budget_of,
    fate_choice,
    fate_cost,
    starting_character_points,
)
from referee.systems.d6.creation.skills import skill_fields
from referee.systems.d6.creation.template import move_parts, template_fields
from referee.systems.d6.creation.traits import SECRET_FLAW, SECRET_MERIT, barred, trait_fields
from referee.systems.d6.sheet import ATTRIBUTES, Hero
from referee.systems.d6.species import FORMAT, bulk_of
from referee.systems.d6.spelling import spelled_answers
from referee.systems.d6.templates import in_use
from referee.systems.d6.traits import split

TEXTS: Final = ("height", "weight", "description", "background", "motivation")


def relationship_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    yield from (DraftOption(each) for each in scene[RELATIONSHIPS])


@formula("d6.creation.relationships")
def relationship(scene: Scene, text: str) -> str:
    """A relationship of the list, or in the players' own words."""
    known = scene[RELATIONSHIPS]
    return known[text] if text in known else text  # noqa: SIM401  # a look-up of rows counts as a use


def touch_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    return (
        *(WriteText(key, optional=True, rule=FLESH_OUT) for key in TEXTS),
        PickSeveral("relationships", relationship_options, own=0, rule=RELATIONSHIPS.rule),
    )


def fate_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """One point is free; how many more may be bought, and whether bad fate may be taken, the campaign says."""
    found, choice = scene[FateFigures], fate_choice(scene)
    most = {FateAtStart.FREE: found.free, FateAtStart.EXCEPTIONAL: None}.get(
        choice or FateAtStart.FREE, found.notable_above
    )
    upper = "or more" if most is None else f"to {most}, unless the game master allows more"
    why = Reason(f"{found.free} {upper}", FATE)
    yield Part("Fate Points", found.free, most, why, partial(_fate_price, scene))
    if choice is FateAtStart.BAD_FATE:
        why = Reason(f"at most {found.max_bad_fate_points}", FATE)
        yield Part("Bad Fate Points", 0, found.max_bad_fate_points, why, partial(fate_cost, scene, found.free))


def _fate_price(scene: Scene, level: int) -> Price:
    return fate_cost(scene, level)


def fate_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    fate = SpreadPoints("fate_points", fate_parts, rule=FATE, budget=budget_of(scene), chance=nothing)
    return (fate,) if fate_choice(scene) else ()


def no_fate(scene: Scene, draft: Draft) -> Reason | None:
    return None if fate_choice(scene) else Reason("there are no Fate Points in this campaign", FATE)


# --- the whole --------------------------------------------------------------------------------------------------------


def check_whole(scene: Scene, draft: Draft) -> Iterator[Lack]:
    """What concerns several answers at once."""
    build, step = build_of(scene, draft), "merits-and-flaws"
    if "attributes" not in draft.answers:  # those of a template may not fit another species
        outside = {
            name: each for name, each in build.bounds.items() if not each[0] <= build.attributes[name] <= each[1]
        }
        limits = (f"{name} is {build.written(low)} to {build.written(high)}" for name, (low, high) in outside.items())
        if outside:
            yield Lack("template", "attributes", f"of a {build.species.name}, {', '.join(limits)}", FORMAT)
    highest = [name for name, (_, high) in build.bounds.items() if build.attributes[name] == high]
    most = scene[templates.AttributeFigures].max_attributes_at_species_maximum
    if scene[templates.AT_MAXIMUM] is templates.AtMaximum.LIMITED and len(highest) > most:
        because = f"{', '.join(highest)} stand at the maximum of the species, at most {most} may"
        yield Lack("template", "attributes", because, templates.ATTRIBUTES)
    for key, rows in (("merits", build.merit_rows), ("flaws", build.flaw_rows)):
        for name in build.merits if key == "merits" else build.flaws:
            if (why := barred(build, rows[name], split(name)[1])) is not None:
                yield Lack(step, key, f"{name}: {why.because}", why.rule)
    for row in build.asking:
        if row.implies and row.implies not in {trait.name for trait in build.traits}:
            yield Lack(step, "flaws", f"{row.name} means {row.implies}", build.rule_of[row.name])


@formula(POOLS)
def point_pools(scene: Scene, left: float) -> dict[str, int]:
    """The pools of a new character: what is left becomes Character Points; a veteran is made in play."""
    return {"character_points": starting_character_points(scene, left), "veteran_points": 0}


@formula(STEPS)
def character(scene: Scene, draft: Draft) -> Hero:
    """The sheet of a draft."""
    build = build_of(scene, draft)
    pools = point_pools(scene, float(DraftForm(CREATION, scene[BOOK], draft).budget(CP).left))
    advanced = {name: build.advanced(draft.level("advanced_skills", name)) for name in build.advanced_skills}
    sheet = Hero(
        template=build.template.name if build.template else "",
        species=build.species.name,
        bulk=bulk_of(scene, build.species),
        attributes=_stats(build, {name: build.attributes[name] for name in scene[ATTRIBUTES].names}),
        skills=_stats(build, {name: build.skill(name) for name in build.basic_skills if draft.level("skills", name)}),
        specializations=_stats(build, {name: build.specialization(name) for name in build.specializations}),
        advanced_skills=Stats({name: code for name, code in advanced.items() if code}),
        move=draft.level("move", "Move", next(move_parts(scene, draft)).begins),
        merits=tuple(build.merits.values()),
        flaws=tuple(build.flaws.values()),
        relationships=tuple(relationship(scene, each) for each in draft.several("relationships")),
        equipment=things_of(scene, draft),
        character_points=pools["character_points"],
        veteran_points=pools["veteran_points"],
        height=draft.one("height"),
        weight=draft.one("weight"),
        description=draft.one("description"),
        background=draft.one("background"),
        motivation=draft.one("motivation"),
    )
    return with_options(build, sheet)


def _stats(build: Build, codes: Mapping[str, int]) -> Stats:
    return Stats({name: stat(build.scene, code) for name, code in codes.items()})


def with_options(build: Build, sheet: Hero) -> Hero:
    """What a character has only in some campaigns; in the others, the book's default."""
    scene, draft = build.scene, build.draft
    note(DEFAULT_STATUS.rule)
    sheet = replace(sheet, appearance=scene[DEFAULT_APPEARANCE], social_status=scene[DEFAULT_STATUS])
    if in_use(scene, templates.APPEARANCE):
        sheet = replace(sheet, appearance=build.appearance)
    if in_use(scene, templates.STATUS):
        sheet = replace(sheet, social_status=build.status)
    if in_use(scene, templates.WEALTH):
        sheet = replace(sheet, wealth=Stat(draft.level("wealth", "Wealth", build.base_wealth)))
    if in_use(scene, templates.ABILITIES):
        sheet = replace(sheet, special_abilities=draft.several("special_abilities"))
    if (fate := fate_choice(scene)) is not None:
        sheet = replace(sheet, fate_points=draft.level("fate_points", "Fate Points", scene[FateFigures].free))
    if fate is FateAtStart.BAD_FATE:
        sheet = replace(sheet, bad_fate_points=draft.level("fate_points", "Bad Fate Points"))
    if scene[SECRETS]:
        asked = {name: draft.level("secrets", name) for name in (SECRET_FLAW, SECRET_MERIT)}
        sheet = replace(sheet, secrets_asked=Levels({name: value for name, value in asked.items() if value}))
    return sheet


def ready_made(scene: Scene) -> Mapping[str, Mapping[str, Plain]]:
    """Characters that the game master hands out, where that is how the campaign begins."""
    return {row.name: row.answers for row in scene[READY]} if scene[READY_MADE] else {}


def points_to_spend(scene: Scene, draft: Draft) -> Price:
    return available_cp(scene, build_of(scene, draft).template)


CREATION: Final = Creation(
    steps=(
        DraftStep("template", template_fields),
        DraftStep("skills", skill_fields),
        DraftStep("merits-and-flaws", trait_fields),
        DraftStep("finishing-touches", touch_fields),
        DraftStep("equipment", (THINGS_FIELD,)),
        DraftStep("fate-points", fate_fields, when=no_fate),
    ),
    budgets=(DraftBudget(CP, points_to_spend, rule=TEMPLATE_COST, exact=False),),
    finish=character,
    templates=ready_made,
    spelled=spelled_answers,
    check=check_whole,
)
