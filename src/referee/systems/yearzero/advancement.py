"""Advancement: XP spent step by step upon a sheet: skills, specialties, attributes that were trained, a talent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from referee.core import (
    CLOCK,
    D6,
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Levels,
    Part,
    PickOne,
    Pool,
    Reason,
    RollDice,
    Scene,
    SpreadPoints,
)
from referee.core.drafts import Lack, Price
from referee.systems.yearzero.development import (
    ADVANCED,
    REST,
    SKILL_COST,
    SKILL_COSTS,
    SPECIALIZATION_COST,
    SPECIALIZATION_COSTS,
    TALENT_XP,
    Advanced,
    AttributeCost,
    AttributeTraining,
    having_tried_talent,
    paying,
    skill_cost,
    specialization_cost,
)
from referee.systems.yearzero.dice import is_success
from referee.systems.yearzero.sheet import ATTRIBUTES, SKILLS, SPECIALTIES, WITS, Survivor, attribute_of
from referee.systems.yearzero.talents import TALENTS, parts
from referee.systems.yearzero.time import rounds_in

NEW_SKILL: Final = "yearzero.development.new-skill-requirement"
SPECIALTY_USE: Final = "yearzero.development.specialization-requirement"
TRAINING: Final = "yearzero.development.attribute-training"
ATTRIBUTE_COST: Final = "yearzero.development.attribute-cost"
SIX: Final = 6


def sheet_of(draft: Draft) -> Survivor:
    sheet: Survivor = draft.sheet or Survivor()
    return sheet


def resting(scene: Scene, draft: Draft) -> Reason | None:
    """Why XP cannot be spent now: they are spent in a Quarter Day of rest or sleep."""
    began = sheet_of(draft).resting
    over = began is not None and CLOCK in scene and scene[CLOCK].now - began > rounds_in(scene, "quarter day")
    return Reason("XP are spent in a Quarter Day of rest or sleep", REST) if began is None or over else None


def paid(cost: Callable[[Scene, int], int], scene: Scene, begins: int, level: int) -> Price:
    """What it costs to get from a level to another, one step at a time."""
    return sum(cost(scene, each) for each in range(begins + 1, level + 1))


# --- skills and specialties -------------------------------------------------------------------------------------------


def skills(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Every skill from its level on; a new one was used with success, or taught, and has what it needs."""
    sheet, most = sheet_of(draft), len(scene[SKILL_COSTS].names)
    for row in scene[SKILLS]:
        begins = sheet.skills.get(row.name, 0)
        why = None if begins else unlearned(scene, draft, row.name)
        price = partial(paid, skill_cost, scene, begins)
        end = Reason(f"the table ends at {most}", SKILL_COST)
        yield Part(
            row.name,
            begins,
            begins if why else max(begins, most),
            why or end,
            price,
            group=attribute_of(scene, row.name),
        )


def unlearned(scene: Scene, draft: Draft, skill: str) -> Reason | None:
    """Why a new skill cannot be learned yet."""
    sheet = sheet_of(draft)
    if skill not in sheet.succeeded | sheet.taught:
        return Reason("it was neither used with success in this session nor taught", NEW_SKILL)
    for name, least in scene[Advanced].requires.get(skill, {}).items():
        parent, _, specialty = name.partition(": ")
        own = draft.level("specialties", name, sheet.specialties.get(name, 0)) if specialty else 0
        if max(draft.level("skills", parent, sheet.skills.get(parent, 0)), own) < least:
            return Reason(f"it takes {name} {least}", ADVANCED)
    return None


def specialties(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Every specialty that was used with success or taught, by one step: each step needs another."""
    sheet, most = sheet_of(draft), len(scene[SPECIALIZATION_COSTS].names)
    for row in scene[SKILLS]:
        for each in scene[SPECIALTIES[row.name]].names:
            name = f"{row.name}: {each}"
            begins = sheet.specialties.get(name, sheet.skills.get(row.name, 0))
            known = name in sheet.succeeded | sheet.taught
            why = Reason("each step takes a success in this session, or a better teacher", SPECIALTY_USE)
            price = partial(paid, specialization_cost, scene, begins)
            yield Part(
                name, begins, max(begins, min(begins + 1, most)) if known else begins, why, price, group=row.name
            )


# --- attributes and talents -------------------------------------------------------------------------------------------


def attributes(scene: Scene, draft: Draft) -> Iterator[Part]:
    """By one, after five Quarter Days of training within a week."""
    sheet, needed = sheet_of(draft), scene[AttributeTraining].quarter_days
    for row in scene[ATTRIBUTES]:
        begins, done = sheet.full(row.name), training(scene, draft, row.name)
        why = Reason(f"it takes {needed} Quarter Days of training within a week, and there were {done}", TRAINING)
        price = partial(attribute_price, scene, draft, row.name)
        yield Part(row.name, begins, begins + (done >= needed), why, price)


def training(scene: Scene, draft: Draft, attribute: str) -> int:
    """The most Quarter Days of training that fall within one week, up to now if the time is known."""
    within = rounds_in(scene, "day", scene[AttributeTraining].within_days)
    when = sorted(at for name, at in sheet_of(draft).training if name == attribute)
    ends = [scene[CLOCK].now] if CLOCK in scene else when
    return max((sum(end - within <= at <= end for at in when) for end in ends), default=0)


def attribute_price(scene: Scene, draft: Draft, attribute: str, level: int) -> Price:
    """What raising each of its skills would cost, and three times the new score."""
    sheet, cost = sheet_of(draft), scene[AttributeCost]
    if level <= sheet.full(attribute):
        return 0
    names = (row.name for row in scene[SKILLS] if attribute_of(scene, row.name) == attribute)
    levels = sum(cost.per_skill_level * (sheet.skills.get(name, 0) + 1) for name in names)
    return levels + cost.per_attribute_level * level


def talents(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    """Talents that were practised since they were last tried; the XP are paid if the roll succeeds."""
    sheet = sheet_of(draft)
    for name in sorted(sheet.practised):
        row = scene[TALENTS].look(parts(name)[0])
        full = row.at_most is not None and sheet.talents.get(name, 0) >= row.at_most
        barred = Reason("there is no more of it", TALENT_XP.rule) if full else None
        yield DraftOption(name, talent_price(scene, draft), barred, row.says)


def talent_price(scene: Scene, draft: Draft) -> int:
    return 0 if draft.dice("wits") and not has_gained(scene, draft) else scene[TALENT_XP]


def has_gained(scene: Scene, draft: Draft) -> bool:
    """Whether the Wits roll for the talent has succeeded."""
    return is_success(scene, sum(pip == SIX for pip in draft.dice("wits")), 1)


def wits_dice(scene: Scene, draft: Draft) -> Pool:
    return Pool.of((D6, max(1, sheet_of(draft).now(WITS))))


def needs_talent(scene: Scene, draft: Draft) -> Reason | None:
    why = resting(scene, draft)
    return why or (None if draft.one("talent") else Reason("choose a talent that was practised", TALENT_XP.rule))


# --- the sheet --------------------------------------------------------------------------------------------------------


def spent_on(parts_: Iterator[Part], field: str, draft: Draft) -> int:
    return int(sum(part.price(draft.level(field, part.name, part.begins)) for part in parts_))


def xp(scene: Scene, draft: Draft) -> int:
    return sheet_of(draft).xp + sheet_of(draft).skill_xp


def check_skill_xp(scene: Scene, draft: Draft) -> Iterator[Lack]:
    """XP made of Willpower pay for skills and specialties only."""
    talent = talent_price(scene, draft) if draft.one("talent") else 0
    others = spent_on(attributes(scene, draft), "attributes", draft) + talent
    if others > sheet_of(draft).xp:
        because = f"attributes and talents cost {others} XP, and {sheet_of(draft).xp} are good for them"
        yield Lack("attributes", "attributes", because, "yearzero.core.willpower-to-xp")


def grown(scene: Scene, draft: Draft) -> Survivor:
    """The sheet once the XP are spent: what was taught, trained and practised for it is used up."""
    sheet = sheet_of(draft)
    learned = {part.name: draft.level("skills", part.name, part.begins) for part in skills(scene, draft)}
    better = {part.name: draft.level("specialties", part.name, part.begins) for part in specialties(scene, draft)}
    own = {part.name: better[part.name] for part in specialties(scene, draft) if better[part.name] > part.begins}
    scores = {part.name: draft.level("attributes", part.name, part.begins) for part in attributes(scene, draft)}
    raised = {name for name, score in scores.items() if score > sheet.full(name)}
    cheap = spent_on(skills(scene, draft), "skills", draft) + spent_on(specialties(scene, draft), "specialties", draft)
    paying_all = paying(sheet, cheap, skills=True)
    for name in raised:
        paying_all = paying(paying_all, int(attribute_price(scene, draft, name, scores[name])))
    new = {name for name, level in learned.items() if level > sheet.skills.get(name, 0)} | set(own)
    after = replace(
        paying_all,
        skills=Levels({name: level for name, level in learned.items() if level}),
        specialties=sheet.specialties.but(**own) if own else sheet.specialties,
        attributes=sheet.attributes.but(**{name: scores[name] for name in raised}) if raised else sheet.attributes,
        taught=sheet.taught - new,
        training=tuple(each for each in sheet.training if each[0] not in raised),
    )
    return with_talent(scene, draft, after)


def with_talent(scene: Scene, draft: Draft, sheet: Survivor) -> Survivor:
    """After the try to gain a talent, if there was one."""
    name = draft.one("talent")
    if not name or not draft.dice("wits"):
        return sheet
    tried = having_tried_talent(sheet, name, has_gained(scene, draft))
    if not has_gained(scene, draft):
        return tried
    paid_for = paying(tried, scene[TALENT_XP])
    return replace(paid_for, talents=paid_for.talents.but(**{name: paid_for.talents.get(name, 0) + 1}))


ADVANCEMENT: Final = Creation(
    steps=(
        DraftStep("skills", (SpreadPoints("skills", skills, budget="xp", rule=SKILL_COST, when=resting),)),
        DraftStep(
            "specialties",
            (SpreadPoints("specialties", specialties, budget="xp", rule=SPECIALIZATION_COST, when=resting),),
        ),
        DraftStep(
            "attributes", (SpreadPoints("attributes", attributes, budget="xp", rule=ATTRIBUTE_COST, when=resting),)
        ),
        DraftStep(
            "talents",
            (
                PickOne("talent", talents, optional=True, budget="xp", rule=TALENT_XP.rule, when=resting),
                RollDice("wits", wits_dice, fixes=("talent",), rule=TALENT_XP.rule, when=needs_talent),
            ),
        ),
    ),
    budgets=(DraftBudget("xp", xp, rule=REST, exact=False),),
    finish=grown,
    check=check_skill_xp,
)
