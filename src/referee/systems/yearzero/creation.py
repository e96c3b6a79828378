"""How a character is built: age, attributes, skills, specialties, talents, who they are, standing and gear."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from random import Random
from typing import Final

from referee.core import (
    D6,
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Levels,
    Part,
    PickOne,
    PickSeveral,
    Pool,
    Reason,
    Refused,
    RollDice,
    Scene,
    SpreadPoints,
    WriteText,
    figure,
    figures,
    formula,
    frozen,
    option,
    rows,
)
from referee.core.drafts import NAME, DraftField
from referee.core.plain import Plain
from referee.core.rulebook import from_book
from referee.core.wording import capital, spaced
from referee.systems.yearzero.development import ADVANCED, Advanced
from referee.systems.yearzero.rest import ACTIVITIES
from referee.systems.yearzero.scholar import RARITIES
from referee.systems.yearzero.sheet import (
    ATTRIBUTES,
    ENVIRONMENT,
    SKILLS,
    SPECIALTIES,
    Survivor,
    attribute_of,
)
from referee.systems.yearzero.starting_gear import (
    CAPITAL,
    CREDITS,
    LEVEL,
    WEALTH_LEVELS,
    WealthRow,
    after,
    credits_left,
    credits_to_spend,
    gear,
    gear_fields,
)
from referee.systems.yearzero.talents import TALENTS, Talent, anchor_limit, check_talents, parts

PROCEDURE: Final = "yearzero.creation.procedure"
AGE: Final = "yearzero.creation.age"
KEYS: Final = "yearzero.creation.key-attributes"
ATTRIBUTE_SCORES: Final = "yearzero.creation.attributes"
SKILL_LEVELS: Final = "yearzero.creation.skills"
CHOSEN_SPECIALTIES: Final = "yearzero.creation.specialties"
CHOSEN_TALENTS: Final = "yearzero.creation.talents"
PRIDE: Final = "yearzero.creation.pride"
DARK: Final = "yearzero.creation.dark-secret"
ANCHORS: Final = "yearzero.creation.anchors"
STANDING: Final = "yearzero.reputation.starting"


@frozen
class AgeRow:
    """An age category, and what it gives."""

    name: str
    years: str
    attribute_points: int
    skill_points: int
    specialties: int


@figures(KEYS)
class KeyAttributes:
    """How many selections there are, and how high an attribute may begin with none, one or two of them."""

    selections: int
    max_normal: int
    max_key: int
    max_key_twice: int


@frozen
class Score:
    """An attribute, and what it stands for."""

    name: str
    covers: str


@frozen
class LevelName:
    """What a level of a skill is called."""

    level: int
    name: str
    says: str = ""


@figures(CHOSEN_SPECIALTIES)
class SpecialtyFigures:
    """How far above its skill a specialty begins, and one for which another was given up."""

    bonus: int
    bonus_when_one_is_given_up: int
    may_give_up: int


@frozen
class Renown:
    """The reputation an age begins with, by social class."""

    name: str
    low: int
    middle: int
    upper: int


class Wages(Enum):
    """What kind of world it is, for wages."""

    MODERN = "modern"
    PREMODERN = "premodern"


AGES: Final = rows(AGE, "categories", AgeRow)
LEAST_SCORE: Final = figure(ATTRIBUTE_SCORES, "min", int)
SCORES: Final = rows(ATTRIBUTE_SCORES, "attributes", Score)
MOST_LEVEL: Final = figure(SKILL_LEVELS, "max_at_creation", int)
LEVEL_NAMES: Final = rows(SKILL_LEVELS, "levels", LevelName, by="level")
TALENT_COUNTS: Final = rows(CHOSEN_TALENTS, "by_age", int)
PRIDES: Final = figure(PRIDE, "suggestions", tuple[str, ...])
SECRETS: Final = figure(DARK, "suggestions", tuple[str, ...])
REPUTATIONS: Final = rows(STANDING, "rows", Renown)
REPUTATION_LEVEL: Final = figure(STANDING, "level", str)
TYPES: Final = figure("yearzero.reputation.types", "types", tuple[str, ...])
WORLD: Final = option(CAPITAL, Wages)

needs_age: Final = partial(after, "age", "choose an age first", AGE)
needs_class: Final = partial(after, LEVEL, "choose a social class first", CAPITAL)


# --- age and attributes -----------------------------------------------------------------------------------------------


def ages(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    for row in scene[AGES]:
        gives = f"{row.attribute_points} attribute points, {row.skill_points} skill points"
        count = scene[TALENT_COUNTS][row.name]
        talents = f"{count} talent{'s' if count > 1 else ''}"
        yield DraftOption(row.name, says=f"{row.years} years: {gives}, {row.specialties} specialties, {talents}")


@formula(AGE)
def age_of(scene: Scene, draft: Draft) -> AgeRow | None:
    """The age category that was chosen."""
    return scene[AGES].look(draft.one("age")) if draft.one("age") else None


def attribute_points(scene: Scene, draft: Draft) -> int:
    row = age_of(scene, draft)
    return row.attribute_points if row else scene[LEAST_SCORE] * len(scene[ATTRIBUTES].names)


def selections(scene: Scene, draft: Draft) -> int:
    return scene[KeyAttributes].selections


def key_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    most = scene[KeyAttributes].selections
    why = Reason(f"there are {most} selections", KEYS)
    return (Part(row.name, 0, most, why, says=row.covers) for row in scene[SCORES])


@formula(KEYS)
def highest(scene: Scene, times_key: int) -> int:
    """How high an attribute may begin that was selected so often as a key attribute."""
    found = scene[KeyAttributes]
    return (found.max_normal, found.max_key, found.max_key_twice)[min(times_key, 2)]


def score_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    for row in scene[SCORES]:
        keys = draft.level("keys", row.name)
        most = highest(scene, keys)
        named = ("", "as a key attribute ", "as a key attribute twice over ")[min(keys, 2)]
        why = Reason(f"{named}it begins at {scene[LEAST_SCORE]} to {most}".strip(), KEYS if keys else ATTRIBUTE_SCORES)
        yield Part(row.name, scene[LEAST_SCORE], most, why, says=row.covers)


# --- skills and specialties -------------------------------------------------------------------------------------------


def skill_points(scene: Scene, draft: Draft) -> int:
    row = age_of(scene, draft)
    return row.skill_points if row else 0


def skill_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    most = scene[MOST_LEVEL]
    for row in scene[SKILLS]:
        lacking = lacks(scene, draft, row.name)
        why = lacking or Reason(f"a skill begins at {most} at most", SKILL_LEVELS)
        called = level_name(scene, draft.level("skills", row.name))
        yield Part(row.name, 0, 0 if lacking else most, why, says=called, group=attribute_of(scene, row.name))


@formula(SKILL_LEVELS)
def level_name(scene: Scene, level: int) -> str:
    """What a level is called, if it has a name."""
    found = next((row for row in scene[LEVEL_NAMES] if row.level == level), None)
    return "" if found is None else ", ".join(filter(None, (found.name, found.says)))


def lacks(scene: Scene, draft: Draft, skill: str) -> Reason | None:
    """Why an advanced skill cannot be had: what it needs is held to its starting level."""
    for name, least in scene[Advanced].requires.get(skill, {}).items():
        parent, _, specialty = name.partition(": ")
        own = specialty_level(scene, draft, name) if specialty else 0
        if max(draft.level("skills", parent), own) < least:
            return Reason(f"needs {name} {least}", ADVANCED)
    return None


def specialty_count(scene: Scene, draft: Draft) -> int:
    """As many as the age allows, but for the one that is given up for another."""
    row = age_of(scene, draft)
    given_up = scene[SpecialtyFigures].may_give_up if draft.one("better") else 0
    return row.specialties - given_up if row else 0


def specialty_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    bonus = scene[SpecialtyFigures].bonus
    for skill, name, covers in all_specialties(scene):
        yield DraftOption(name, says=f"begins at {draft.level('skills', skill) + bonus}: {covers}", group=skill)


@from_book
def all_specialties(scene: Scene) -> tuple[tuple[str, str, str], ...]:
    """Every specialty: its skill, its name with the skill, and what it covers; environments one by one."""
    return tuple(
        (row.name, f"{row.name}: {name}", each.covers)
        for row in scene[SKILLS]
        for each in scene[SPECIALTIES[row.name]]
        for name in ([f"Environment ({one})" for one in each.examples] if each.name == ENVIRONMENT else [each.name])
    )


@formula(CHOSEN_SPECIALTIES)
def specialty_level(scene: Scene, draft: Draft, name: str) -> int:
    """Two above its skill, or four if another was given up for it; 0 if it is not chosen."""
    if name not in draft.several("specialties"):
        return 0
    found = scene[SpecialtyFigures]
    more = found.bonus_when_one_is_given_up if draft.one("better") == name else found.bonus
    return draft.level("skills", name.partition(": ")[0]) + more


def better_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    more = scene[SpecialtyFigures].bonus_when_one_is_given_up
    for name in draft.several("specialties"):
        yield DraftOption(name, says=f"begins at {draft.level('skills', name.partition(': ')[0]) + more}")


def needs_specialty(scene: Scene, draft: Draft) -> Reason | None:
    chosen = draft.several("specialties")
    return None if chosen else Reason("choose specialties first", CHOSEN_SPECIALTIES)


# --- talents ----------------------------------------------------------------------------------------------------------


@formula(CHOSEN_TALENTS)
def talent_count(scene: Scene, draft: Draft) -> int:
    """How many talents an age begins with, in all."""
    return scene[TALENT_COUNTS].look(draft.one("age")) if draft.one("age") else 0


def talent_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    """Every talent; one about something with what the book names, and one that counts again once it is chosen."""
    chosen, most = draft.several("talents"), talent_count(scene, draft)
    for row in scene[TALENTS]:
        for name in (f"{row.name}: {about}" for about in known_abouts(scene, row)) if row.about else (row.name,):
            yield DraftOption(name, says=row.says, group=group_of(scene, row))
            for time in range(2, min(most if row.at_most is None else row.at_most, most) + 1):
                if again(name, time - 1) in chosen:
                    yield DraftOption(again(name, time), says="once more", group=group_of(scene, row))


def group_of(scene: Scene, row: Talent) -> str:
    return capital(spaced(scene[TALENTS].rule_of(row.name).rpartition(".")[2]))


def known_abouts(scene: Scene, row: Talent) -> tuple[str, ...]:
    """What the book names that a talent may be about; anything else is written."""
    if row.about == "activity":
        return scene[ACTIVITIES].names
    return tuple(name for each in scene[RARITIES] for name in each.examples) if row.about == "language" else ()


def again(name: str, time: int) -> str:
    return name if time == 1 else f"{name} ({time})"


def first_of(name: str) -> tuple[str, int]:
    """A talent, and for which time it is taken: `Sprinter (2)`."""
    base, _, time = name.removesuffix(")").rpartition(" (")
    return (base, int(time)) if base and name.endswith(")") and time.isdecimal() else (name, 1)


def talents_of(scene: Scene, draft: Draft) -> Levels:
    counted: dict[str, int] = {}
    for name, _ in map(first_of, draft.several("talents")):
        counted[name] = counted.get(name, 0) + 1
    return Levels(counted)


def judge_talent(scene: Scene, draft: Draft, entry: str) -> Reason | None:
    """Why a talent in one's own words cannot be had: it is none of the book, or not about anything."""
    name, time = first_of(entry)
    if time > 1 and again(name, time - 1) not in draft.several("talents"):
        return Reason(f"choose {again(name, time - 1)} first", CHOSEN_TALENTS)
    try:
        check_talents(scene, {name: time})
    except Refused as why:
        return Reason(why.because, why.rule)
    return None if parts(name)[0] in scene[TALENTS] else Reason("it is no talent", CHOSEN_TALENTS)


# --- who one is -------------------------------------------------------------------------------------------------------


def one_of(suggested: Callable[[Scene], tuple[str, ...]], scene: Scene, draft: Draft, random: Random) -> Plain:
    return random.choice(suggested(scene))


def written(key: str, rule: str, suggested: Callable[[Scene], tuple[str, ...]]) -> WriteText:
    """Something that everybody has, in the player's own words; chance takes one that is suggested."""
    return WriteText(key, rule=rule, chance=partial(one_of, suggested))


def nothing(scene: Scene, draft: Draft) -> tuple[DraftOption, ...]:
    return ()


def most_anchors(scene: Scene, draft: Draft) -> int:
    return anchor_limit(scene, talents_of(scene, draft))


# --- standing ---------------------------------------------------------------------------------------------------------


def class_of(scene: Scene, draft: Draft) -> WealthRow | None:
    return scene[WEALTH_LEVELS].look(draft.one(LEVEL)) if draft.one(LEVEL) else None


def class_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    for row in scene[WEALTH_LEVELS]:
        wages = {
            Wages.MODERN: f"wages of {row.wage_dice}D6 × {row.wage_times} credits a month",
            Wages.PREMODERN: f"wages of {row.least_wage} to {row.most_wage} credits a month",
        }[scene[WORLD]]
        gear_money = f"{row.dice}D6 × {row.times} credits for gear where it is bought"
        yield DraftOption(row.name, says="; ".join(filter(None, (f"{gear_money}, {wages}", row.says))))


def wage_dice(scene: Scene, draft: Draft) -> Pool:
    row = class_of(scene, draft)
    return Pool.of((D6, row.wage_dice if row else 1))


def pay(scene: Scene, draft: Draft) -> Iterator[Part]:
    if (row := class_of(scene, draft)) is not None:
        why = Reason(f"{row.name} earns {row.least_wage} to {row.most_wage}", CAPITAL)
        yield Part("credits a month", row.least_wage, row.most_wage, why, lambda level: 0)


@formula(f"{CAPITAL}/wages")
def wages_of(scene: Scene, wealth: str, rolled: int = 0, picked: int = 0) -> int:
    """What is earned in a month: by the dice of the class, or in a premodern world as it was picked."""
    row = scene[WEALTH_LEVELS].look(wealth)
    return max(picked, row.least_wage) if scene[WORLD] is Wages.PREMODERN else rolled * row.wage_times


def earned(scene: Scene, draft: Draft) -> int:
    picked = draft.level("pay", "credits a month")
    return wages_of(scene, draft.one(LEVEL), sum(draft.dice("wages")), picked) if draft.one(LEVEL) else 0


@formula(STANDING)
def starting_reputation(scene: Scene, age: str, wealth: str) -> int:
    """The Regional Reputation that an age and a social class begin with."""
    score: int = getattr(scene[REPUTATIONS].look(age), scene[WEALTH_LEVELS].look(wealth).reputation)
    return score


def reputation_points(scene: Scene, draft: Draft) -> int:
    known = draft.one("age") and draft.one(LEVEL)
    return starting_reputation(scene, draft.one("age"), draft.one(LEVEL)) if known else 0


def reputation_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    points = reputation_points(scene, draft)
    why = Reason(f"{points} to divide at this age and in this class", STANDING)
    return (Part(f"{scene[REPUTATION_LEVEL]} {each}", 0, points, why) for each in scene[TYPES])


def standing_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    wages: DraftField = (
        RollDice("wages", wage_dice, fixes=(LEVEL,), rule=CAPITAL, when=needs_class)
        if scene[WORLD] is Wages.MODERN
        else SpreadPoints("pay", pay, rule=CAPITAL, when=needs_class, chance=some_pay)
    )
    divided = SpreadPoints("reputation", reputation_parts, budget="reputation", rule=STANDING, when=needs_standing)
    return (PickOne(LEVEL, class_options, rule=CAPITAL), wages, divided)


def some_pay(scene: Scene, draft: Draft, random: Random) -> Plain:
    return {part.name: random.randint(part.least, part.most or 0) for part in pay(scene, draft)}


def needs_standing(scene: Scene, draft: Draft) -> Reason | None:
    return needs_age(scene, draft) or needs_class(scene, draft)


# --- the sheet --------------------------------------------------------------------------------------------------------


def above_nothing(levels: Mapping[str, int]) -> Levels:
    return Levels({name: level for name, level in levels.items() if level})


@formula(PROCEDURE, DARK)
def survivor(scene: Scene, draft: Draft) -> Survivor:
    """The sheet of a draft: without Willpower and Stress, and with what is left of the money."""
    return Survivor(
        age=draft.one("age"),
        wealth=draft.one(LEVEL),
        wages=earned(scene, draft),
        credits=credits_left(scene, draft),
        attributes=Levels(
            {part.name: draft.level("attributes", part.name, part.begins) for part in score_parts(scene, draft)}
        ),
        skills=above_nothing({row.name: draft.level("skills", row.name) for row in scene[SKILLS]}),
        specialties=Levels({name: specialty_level(scene, draft, name) for name in draft.several("specialties")}),
        talents=talents_of(scene, draft),
        pride=draft.one("pride"),
        secret=draft.one("secret"),
        anchors=draft.several("anchors"),
        relationships=draft.several("relationships"),
        appearance=draft.one("appearance"),
        reputation=above_nothing(
            {part.name: draft.level("reputation", part.name) for part in reputation_parts(scene, draft)}
        ),
        things=gear(scene, draft),
    )


CREATION: Final = Creation(
    steps=(
        DraftStep("age", (PickOne("age", ages, rule=AGE),)),
        DraftStep(
            "attributes",
            (
                SpreadPoints("keys", key_parts, budget="keys", rule=KEYS),
                SpreadPoints(
                    "attributes", score_parts, budget="attribute-points", rule=ATTRIBUTE_SCORES, when=needs_age
                ),
            ),
        ),
        DraftStep(
            "skills", (SpreadPoints("skills", skill_parts, budget="skill-points", rule=SKILL_LEVELS, when=needs_age),)
        ),
        DraftStep(
            "specialties",
            (
                PickSeveral(
                    "specialties",
                    specialty_options,
                    least=specialty_count,
                    most=specialty_count,
                    rule=CHOSEN_SPECIALTIES,
                    when=needs_age,
                ),
                PickOne("better", better_options, optional=True, rule=CHOSEN_SPECIALTIES, when=needs_specialty),
            ),
        ),
        DraftStep(
            "talents",
            (
                PickSeveral(
                    "talents",
                    talent_options,
                    least=talent_count,
                    most=talent_count,
                    own=0,
                    judge=judge_talent,
                    rule=CHOSEN_TALENTS,
                    when=needs_age,
                ),
            ),
        ),
        DraftStep(
            "person",
            (
                written("pride", PRIDE, lambda scene: scene[PRIDES]),
                written("secret", DARK, lambda scene: scene[SECRETS]),
                PickSeveral("anchors", nothing, most=most_anchors, own=0, rule=ANCHORS),
                PickSeveral("relationships", nothing, own=0, rule="yearzero.creation.relationships"),
            ),
        ),
        DraftStep("standing", standing_fields),
        DraftStep("gear", gear_fields),
        DraftStep("name", (WriteText("appearance", optional=True, rule="yearzero.creation.appearance-name"), NAME)),
    ),
    budgets=(
        DraftBudget("keys", selections, rule=KEYS),
        DraftBudget("attribute-points", attribute_points, rule=PROCEDURE),
        DraftBudget("skill-points", skill_points, rule=PROCEDURE),
        DraftBudget("reputation", reputation_points, rule=STANDING),
        DraftBudget(CREDITS, credits_to_spend, rule=CAPITAL, exact=False),
    ),
    finish=survivor,
)
