"""The second step: skills, specializations and advanced skills."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial

from referee.core import Draft, DraftOption, Part, PickSeveral, Reason, Scene, SpreadPoints
from referee.core.drafts import DraftField, Price
from referee.systems.d6.creation.build import Build, build_of, family, spoken, stat
from referee.systems.d6.creation.chance import nothing, some_advanced_skills, some_skills, some_specializations
from referee.systems.d6.creation.points import (
    ADVANCED_COST,
    ADVANCING,
    FIELD_COST,
    FIELD_CP,
    FIELDS_PER_CP,
    PIPS_PER_CP,
    SKILL_COST,
    SKILL_LIMIT,
    SPECIALIZING,
    AdvancedFigures,
    Advancing,
    FieldFigures,
    SkillFigures,
    SkillLimit,
    Specializing,
    advanced_cost,
    budget_of,
    is_free,
    skill_cost,
    specialization_cost,
)
from referee.systems.d6.creation.template import joint
from referee.systems.d6.sheet import SKILLS, SkillRow
from referee.systems.d6.skill_names import ADVANCED, FIELD
from referee.systems.d6.species import pips

# --- skills by type ---------------------------------------------------------------------------------------------------


def kind_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    """Samples of skills of which there is one for each type."""
    general = {row.name.casefold(): row for row in scene[SKILLS] if not row.per}
    samples: dict[str, str] = {}
    for row in scene[SKILLS]:
        same = general.get(family(row).casefold()) if row.per else None
        samples |= {f"{family(row)} <{each}>": family(row) for each in (same.specializations if same else ())}
    own = {name: name.partition(" <")[0] for name in draft.several("kinds")}
    yield from (DraftOption(name, group=group) for name, group in {**samples, **own}.items())


def judge_kind(scene: Scene, draft: Draft, name: str) -> Reason | None:
    """Why a name is no skill by type, such as `Melee combat <swords>`."""
    bare = name.removesuffix(ADVANCED)
    row = next((row for row in scene[SKILLS] if row.per and bare.startswith(f"{family(row)} <")), None)
    if row is None or not bare.endswith(">") or row.advanced is not name.endswith(ADVANCED):
        because = "write a skill and its type, such as Melee combat <swords> or Melee mastery <swords> (A)"
        return Reason(because, "d6.creation.skill-list-agility")
    return None


def spoken_skill(scene: Scene, draft: Draft, name: str, written: str) -> int:
    """What is bought of a skill that is written as a code: all of it with a plus, else what its attribute lacks."""
    build = build_of(scene, draft)
    base = build.attributes.get(build.attribute_of.get(name, ""), 0) if is_code(written) else 0
    return spoken(scene, name, written) - base


def is_code(written: str) -> bool:
    """Whether a text is a whole code, as a sheet has it: 4D+1, not +1D nor 3."""
    return "d" in written.casefold() and not written.startswith("+")


def spoken_advanced(scene: Scene, name: str, written: str) -> int:
    """The level of an advanced skill that is written as a code."""
    return spoken(scene, name, written) - pips(scene, scene[AdvancedFigures].acquire_code) + 1


# --- basic skills -----------------------------------------------------------------------------------------------------


def skill_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Pips above the attribute, up to the limit."""
    build, limit = build_of(scene, draft), scene[SkillFigures].max_over_attribute
    most = None if scene[SKILL_LIMIT] is SkillLimit.WAIVED or is_free(scene) else pips(scene, limit)
    why = Reason(f"at most {limit} above its attribute, unless the game master waives it", SKILL_COST)
    usual = partial(_skill_price, scene, scene[PIPS_PER_CP])
    for name in build.basic_skills:
        attribute = build.attribute_of[name]
        price = partial(_skill_price, scene, build.figure(PIPS_PER_CP, name, attribute)) if build.sets else usual
        yield Part(name, 0, most, why, price, says=build.written(build.skill(name)), group=attribute, write=build.above)


def _skill_price(scene: Scene, at_once: int, level: int) -> Price:
    return skill_cost(scene, level, at_once) if level else 0


# --- specializations --------------------------------------------------------------------------------------------------


def field_group(name: str) -> tuple[str, ...]:
    """What a specialization is of; sign languages are apart from those that are spoken."""
    skill, _, field = name.partition(FIELD)
    if skill != "Languages":
        return (skill,)
    return (skill, "sign language" if "sign" in field.casefold() else "spoken language")


def field_total(build: Build, dice: Mapping[str, int]) -> Price:
    """What specializations cost together, skill by skill."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for name, level in dice.items():
        if level:
            groups.setdefault(field_group(name), []).append(level)
    return sum(
        specialization_cost(build.scene, tuple(mine), build.figure(FIELDS_PER_CP, *tags), build.figure(FIELD_CP, *tags))
        for tags, mine in groups.items()
    )


def field_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    """Fields of skills, as far as the lists name some; a second one of a basic skill is the game master's to allow."""
    build = build_of(scene, draft)
    chosen = dict.fromkeys(build.specializations, 1)
    prices = joint(chosen, dict.fromkeys(chosen, 0), partial(field_total, build))
    whole = field_total(build, chosen)
    marginal: dict[tuple[str, ...], Price] = {}
    listed = (f"{row.name}{FIELD}{each}" for row in scene[SKILLS] if not row.per for each in row.specializations)
    taken, usual = {name.partition(FIELD)[0] for name in chosen}, specialization_cost(scene, (1,))
    for name in dict.fromkeys((*listed, *chosen)):
        skill, group = name.partition(FIELD)[0], field_group(name)
        if build.sets and name not in chosen and group not in marginal:
            marginal[group] = field_total(build, {**chosen, name: 1}) - whole
        price = prices[name](1) if name in chosen else marginal.get(group, usual)
        barred = judge_field(scene, draft, name) if skill in taken or skill not in build.by_field else None
        yield DraftOption(name, price, barred, group=skill)


def judge_field(scene: Scene, draft: Draft, name: str) -> Reason | None:
    """Why a specialization cannot be had."""
    build, (skill, has_field, field) = build_of(scene, draft), name.partition(FIELD)
    row = build.by_field.get(skill)
    if row is None or not has_field or not field.strip():
        return Reason("write a skill and its field, such as Search::surprise", FIELD_COST)
    if not row.field and field not in row.specializations:
        return Reason(f"{skill} has no such specialization", FIELD_COST)
    others = sum(one != name and one.partition(FIELD)[0] == skill for one in build.specializations)
    several = scene[SPECIALIZING] in (Specializing.MORE_FIELDS, Specializing.FREE) or is_free(scene)
    if not row.abstract and not several and others >= scene[FieldFigures].max_fields:
        return Reason(f"more specializations of {skill} are the game master's to allow", FIELD_COST)
    return None


def field_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """More dice for specializations: one more for a field of an abstract skill, others if the game master allows it."""
    build, found = build_of(scene, draft), scene[FieldFigures]
    names = [name for name in build.specializations if name.partition(FIELD)[0] in build.by_field]
    prices = joint({name: build.dice(name) for name in names}, dict.fromkeys(names, 1), partial(field_total, build))
    free = scene[SPECIALIZING] in (Specializing.DEEPER, Specializing.FREE) or is_free(scene)
    for name in names:
        most = found.max_dice_abstract if build.by_field[name.partition(FIELD)[0]].abstract else found.max_dice
        why = Reason(f"at most {most}D for it, unless the game master waives it", FIELD_COST)
        says = build.written(build.specialization(name))
        yield Part(name, 0, None if free else most - 1, why, partial(_one_more, prices[name]), says=says)


def _one_more(price: Callable[[int], Price], level: int) -> Price:
    return price(level + 1)


# --- advanced skills --------------------------------------------------------------------------------------------------


def advanced_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Level 1 is the first die, each further one a pip; prerequisites come first."""
    build, found = build_of(scene, draft), scene[AdvancedFigures]
    over, start = pips(scene, found.suggested_max_over_attribute), pips(scene, found.acquire_code)
    asks = scene[ADVANCING] in (Advancing.USUAL, Advancing.WITHOUT_MAXIMUM) and not is_free(scene)
    capped = scene[ADVANCING] in (Advancing.USUAL, Advancing.WITHOUT_PREREQUISITES) and not is_free(scene)
    for name, row in build.advanced_skills.items():
        attribute = build.attributes[build.attribute_of[name]]
        most = attribute + over - start + 1 if capped else None
        why = Reason(f"at most {stat(scene, attribute + over)}, unless the game master waives it", ADVANCED_COST)
        if asks and not has_prerequisite(build, name, row):
            most, why = 0, Reason(f"needs {needs_words(scene, row)}", ADVANCED_COST)
        price = partial(_advanced_price, build, attribute)
        yield Part(name, 0, most, why, price, group=build.attribute_of[name], write=build.advanced_code)


def _advanced_price(build: Build, attribute: int, level: int) -> Price:
    return Fraction(advanced_cost(build.scene, build.advanced(level), stat(build.scene, attribute)))


def needs_words(scene: Scene, row: SkillRow) -> str:
    """What an advanced skill asks for, in words."""
    if row.needs_merit:
        return f"the merit {row.needs_merit}"
    named = " or ".join(dict.fromkeys(each.removesuffix(" <>").removesuffix(FIELD) for each in row.needs))
    return f"{named} at {scene[AdvancedFigures].prerequisite}, developed above its attribute"


def has_prerequisite(build: Build, name: str, row: SkillRow) -> bool:
    """One of the skills that are asked for, developed above its attribute, or the merit."""
    if row.needs_merit:
        return any(trait.name == row.needs_merit for trait in build.traits)
    kind = name.partition("<")[2].partition(">")[0]
    known = {one: build.skill(one) for one in build.basic_skills if build.draft.level("skills", one)}
    by_field = (one for one in build.specializations if one.partition(FIELD)[0] in build.by_field)
    known |= {one: build.specialization(one) for one in by_field}
    least = pips(build.scene, build.scene[AdvancedFigures].prerequisite)
    return any(code >= least and any(fits(one, need, kind) for need in row.needs) for one, code in known.items())


def fits(known: str, need: str, kind: str) -> bool:
    """Whether a skill is one that is asked for; of a skill by type, the same type."""
    if need.endswith("<>"):
        return known == f"{need[:-1]}{kind}>" if kind else known.startswith(need[:-1])
    if need.endswith(FIELD):
        return known == need + kind if kind else known.startswith(need)
    return known == need


def skill_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    pays = budget_of(scene)
    return (
        PickSeveral("kinds", kind_options, own=0, judge=judge_kind, rule="d6.creation.skills-general"),
        SpreadPoints(
            "skills",
            skill_parts,
            level=partial(spoken_skill, scene, draft),
            rule=SKILL_COST,
            budget=pays,
            chance=some_skills,
        ),
        PickSeveral(
            "specializations",
            field_options,
            own=1,
            judge=judge_field,
            rule=FIELD_COST,
            budget=pays,
            chance=some_specializations,
        ),
        SpreadPoints("specialization_dice", field_parts, rule=FIELD_COST, budget=pays, chance=nothing),
        SpreadPoints(
            "advanced_skills",
            advanced_parts,
            level=partial(spoken_advanced, scene),
            rule=ADVANCED_COST,
            budget=pays,
            chance=some_advanced_skills,
        ),
    )
