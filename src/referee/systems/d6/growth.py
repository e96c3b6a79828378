"""How a character grows: what Character Points buy now, what it takes, and what is planned; a draft upon the sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Final, final

from referee.core import (
    Active,
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Levels,
    Part,
    PickOne,
    PickSeveral,
    Reason,
    Scene,
    SpreadPoints,
    figure,
    formula,
    option,
)
from referee.core.drafts import DraftField, Planned
from referee.core.errors import NotKnown, RefereeError
from referee.core.plain import read
from referee.kits.dice_codes import Code, Stat
from referee.kits.growth import GrowthStep, steps
from referee.systems.d6.advancement import (
    ADVANCED_SKILL,
    ATTRIBUTE,
    FLAW,
    GROWING,
    LEAVE,
    LOOKS,
    MERIT,
    MOVE,
    PARTLY,
    PARTS,
    PURE,
    PURE_PIPS,
    SKILL,
    SPECIALIZATION,
    TEACHER,
    TRAINING,
    UNTAUGHT,
    USUAL_FIELDS,
    NewAdvancedSkill,
    TrainingTime,
    WithoutTraining,
    advanced_pip,
    attribute_pip,
    can_teach,
    code_of,
    dice_of,
    free_days,
    improved,
    modified_pip,
    move_point,
    new_skill_cost,
    pure_days,
    queued,
    skill_pip,
    specialization_pip,
    training_days,
    trait_price,
    trait_worth,
)
from referee.systems.d6.codes import ability_name, own_code
from referee.systems.d6.creation.points import AdvancedFigures, trait_cost
from referee.systems.d6.creation.skills import fits, needs_words
from referee.systems.d6.settings import EXPERIENCE, may_grow
from referee.systems.d6.sheet import ATTRIBUTES, SKILLS, Hero, InTraining, SkillRow
from referee.systems.d6.skill_names import ADVANCED, FIELD
from referee.systems.d6.species import PIPS_PER_DIE, SPECIES, pips
from referee.systems.d6.templates import CLASSES, appearance_tp
from referee.systems.d6.time import rounds_of
from referee.systems.d6.traits import MERITS, CharacterTrait, label, split, trait_row

POINTS: Final = "character points"
PER_ADVENTURE: Final = figure("d6.advancement.attribute-per-adventure", "max_pips", int)
EXCEEDING: Final = option("d6.advancement.attribute-exceed-limit")
MOST_EXCEEDING: Final = figure("d6.advancement.attribute-exceed-limit", "attributes", int)
NEVER: Final = figure("d6.advancement.what-can-improve", "never", tuple[str, ...])
BETTER_LOOKS: Final = option("d6.advancement.appearance")
LOOKS_TIMES: Final = figure("d6.advancement.appearance", "multiplier", int)
RANK: Final = option("d6.advancement.social-status")
RICHES: Final = option("d6.advancement.wealth")
KINDS: Final[Mapping[str, str]] = {
    "skills": SKILL,
    "specializations": SPECIALIZATION,
    "advanced_skills": ADVANCED_SKILL,
    "attributes": ATTRIBUTE,
    "move": MOVE,
    "merits": MERIT,
    "flaws": FLAW,
}
"""What is improved in each field of levels."""
RULES: Final[Mapping[str, str]] = {
    SKILL: "d6.advancement.basic-skill-cost",
    SPECIALIZATION: "d6.advancement.specialization-cost",
    ADVANCED_SKILL: "d6.advancement.advanced-skill-cost",
    ATTRIBUTE: "d6.advancement.attribute-cost",
    MOVE: "d6.advancement.move",
    MERIT: LEAVE,
    FLAW: LEAVE,
}
NOT_AGREED: Final = Reason("ask the game master", LEAVE)


@final
class Growth:
    """A draft upon a sheet: what each step costs and takes, and what is planned."""

    def __init__(self, scene: Scene, draft: Draft) -> None:
        self.scene, self.draft = scene, draft
        self.sheet: Hero = with_training(scene, draft.sheet)

    @cached_property
    def effects(self) -> tuple[Active, ...]:
        """Whatever changes what improving costs."""
        return tuple(each for each in self.sheet.effects(self.scene) if GROWING in each.effect.when)

    @cached_property
    def day(self) -> int:
        """A day, in rounds."""
        return rounds_of(self.scene, 1, "day")

    @cached_property
    def agreed(self) -> Mapping[str, int]:
        """What the game master has agreed to, and its days."""
        return {each.name: each.days for each in self.sheet.agreed}

    @cached_property
    def start(self) -> Callable[[str, str], int]:
        return partial(starting_level, self.scene, self.sheet)

    def now(self, key: str, name: str) -> int:
        """The level that is planned."""
        return self.draft.level(key, name, self.start(KINDS[key], name))

    # Prices.

    def price(self, kind: str, name: str, level: int) -> int:
        """What the step up from a level costs."""
        scene = self.scene
        if kind == MOVE:
            return move_point(scene, level)
        if kind in (MERIT, FLAW):
            return self._trait_price(kind, name, level)
        if kind == ADVANCED_SKILL and level == 0:
            return new_skill_cost(scene)
        lower, times = modified_pip(scene, self.effects, name)
        code = self.code(kind, level)
        dice = dice_of(scene, code) - lower
        if kind == ADVANCED_SKILL:
            attribute = code_of(scene, self.sheet, ability_name(scene, name).attribute)
            return advanced_pip(scene, dice, code, attribute) * times
        by_kind = {SKILL: skill_pip, SPECIALIZATION: specialization_pip, ATTRIBUTE: attribute_pip}
        return by_kind[kind](scene, dice) * times

    def code(self, kind: str, level: int) -> int:
        """A level in pips; the first of an advanced skill is its first die."""
        if kind != ADVANCED_SKILL:
            return level
        return pips(self.scene, self.scene[NewAdvancedSkill].starting_code) + level - 1 if level else 0

    def _trait_price(self, kind: str, name: str, level: int) -> int:
        trait = self.trait(name)
        now, then = (level, level + 1) if kind == MERIT else (trait.level - level, trait.level - level - 1)
        return trait_price(self.scene, abs(trait_worth(self.scene, trait, then) - trait_worth(self.scene, trait, now)))

    def trait(self, name: str) -> CharacterTrait:
        """A merit or flaw of the sheet; one that is to be acquired."""
        bare, about = split(name)
        known = {label(each): each for each in (*self.sheet.merits, *self.sheet.flaws)}
        return known.get(name) or CharacterTrait(bare, about=about)

    # Time.

    def untrained(self, kind: str, name: str, level: int) -> bool:
        """Whether a step needs no training: the first pip of a skill that was used lately."""
        lately, pips_ = self.sheet.practised.get(name, 0), self.scene[WithoutTraining].max_pips
        return kind in (SKILL, SPECIALIZATION, ADVANCED_SKILL) and lately > 0 and level < self.start(kind, name) + pips_

    def teacher(self, kind: str, name: str, level: int) -> str:
        """Who teaches a step: the first of the teachers who is far enough above."""
        if kind in UNTAUGHT:
            return ""
        student = code_of(self.scene, self.sheet, name)
        able = (each for each in self.draft.several("teachers") if self.teaches(each, name, student, level))
        return next(able, "")

    def teaches(self, who: str, name: str, student: int, wanted: int) -> bool:
        try:
            teacher = self.scene.who(who)
            return can_teach(self.scene, own_code(self.scene, teacher, name), student, wanted)
        except RefereeError:  # whoever is unknown, or has not learned it, teaches nobody
            return False

    def days(self, kind: str, name: str, level: int) -> int:
        """How many days the step up from a level takes, without hurrying."""
        if self.untrained(kind, name, level):
            return 0
        if kind in (MERIT, FLAW):
            return self.agreed.get(name, 0)
        taught = bool(self.teacher(kind, name, self.code(kind, level + 1)))
        return training_days(self.scene, kind, self.price(kind, name, level), taught)

    # The plan.

    @cached_property
    def plan(self) -> tuple[InTraining, ...]:
        """Everything that is planned, each with its price and its days."""
        return tuple(self._planned())

    def _planned(self) -> Iterator[InTraining]:
        for key, kind in KINDS.items():
            for name in self.draft.answers.get(key) or {}:
                yield from self._steps(key, kind, name)
        if looks := self.draft.one("appearance"):
            yield InTraining(looks, LOOKS, 1, looks_price(self.scene, self.sheet, looks), self.agreed.get(LOOKS, 0))
        for key, name, kind in self.pure:
            start = self.now(key, name)
            price, wanted = self.price(kind, name, start), self.code(kind, start + 1)
            teacher = self.teacher(kind, name, wanted)
            yield InTraining(
                name,
                kind,
                self.gain(kind, start, start + 1),
                0,
                pure_days(self.scene, kind, price, bool(teacher)),
                teacher,
            )

    @property
    def pure(self) -> Iterator[tuple[str, str, str]]:
        """What is improved by training alone: the field it is otherwise bought in, its name and kind."""
        for name, level in (self.draft.answers.get("by_training") or {}).items():
            if level:
                key = "move" if name == "Move" else field_of(self.scene, name)
                yield key, name, KINDS[key]

    def _steps(self, key: str, kind: str, name: str) -> Iterator[InTraining]:
        """What is bought of one thing: what needs no training, and the rest."""
        start, now = self.start(kind, name), self.now(key, name)
        levels = range(start, now)
        free = [level for level in levels if self.untrained(kind, name, level)]
        rest = [level for level in levels if level not in free]
        for some in (free, rest):
            if some:
                points = sum(self.price(kind, name, level) for level in some)
                days = self._rest_days(kind, name, points, some[-1] + 1) if some is rest else 0
                teacher = self.teacher(kind, name, self.code(kind, some[-1] + 1)) if days else ""
                yield InTraining(name, kind, self.gain(kind, some[0], some[-1] + 1), points, days, teacher)

    def gain(self, kind: str, was: int, now: int) -> int:
        return self.code(kind, now) - self.code(kind, was)

    def _rest_days(self, kind: str, name: str, points: int, to: int) -> int:
        if kind in (MERIT, FLAW):
            return self.agreed.get(name, 0)
        taught = bool(self.teacher(kind, name, self.code(kind, to)))
        return training_days(self.scene, kind, points, taught, self.hurry(name))

    def hurry(self, name: str) -> int:
        """The points that are paid to train faster."""
        return self.draft.level("hurry", name)

    @cached_property
    def days_planned(self) -> int:
        """All days of training that are planned."""
        return sum(each.days for each in self.plan)

    # Reasons.

    def barred(self, key: str, name: str, level: int) -> Reason | None:
        """The one reason why the step up from a level cannot be taken."""
        kind = KINDS[key]
        return _BARRED.get(kind, nothing_bars)(self, name, level) or self._no_time(key, kind, name, level)

    def _no_time(self, key: str, kind: str, name: str, level: int) -> Reason | None:
        free = free_days(self.scene, self.sheet)
        if free is None:
            return None
        days = 0 if level < self.now(key, name) else self.days(kind, name, level)
        left = max(0, free - self.days_planned)
        if self.days_planned + days <= free or not (days or level < self.now(key, name)):
            return None
        return Reason(f"takes {days_words(days)}, {left} free" if days else f"only {days_words(free)} free", TRAINING)


def with_training(scene: Scene, sheet: Hero) -> Hero:
    """A sheet as it will be when all that is trained now is done: more of it is priced from there."""
    for each in sheet.training:
        sheet = improved(scene, sheet, each)
    return sheet


def days_words(days: int) -> str:
    return f"{days} day{'' if days == 1 else 's'}"


def starting_level(scene: Scene, sheet: Hero, kind: str, name: str) -> int:
    """Where something stands before it is improved."""
    match kind:
        case "Move":
            return sheet.move
        case "merit":
            return next((each.level for each in sheet.merits if label(each) == name), 0)
        case "flaw":
            return 0
        case "advanced skill":
            code = code_of(scene, sheet, name)
            return code - pips(scene, scene[NewAdvancedSkill].starting_code) + 1 if code else 0
        case _:
            return code_of(scene, sheet, name)


def field_of(scene: Scene, name: str) -> str:
    """The field in which an ability is improved."""
    named = ability_name(scene, name)
    if named.advanced:
        return "advanced_skills"
    return "specializations" if named.field else "skills" if named.skill else "attributes"


# --- the reasons ------------------------------------------------------------------------------------------------------


def nothing_bars(growth: Growth, name: str, level: int) -> Reason | None:
    return None


def attribute_barred(growth: Growth, name: str, level: int) -> Reason | None:
    """A pip for each attribute in an adventure; where the campaign says so, only so many above the species' maximum."""
    scene, sheet = growth.scene, growth.sheet
    if not may_grow(scene).raise_attributes:
        return Reason("attributes are never raised in this setting", EXPERIENCE)
    raised = level - growth.start(ATTRIBUTE, name) + sheet.improved.count(name)
    if raised >= scene[PER_ADVENTURE]:
        return Reason(f"at most {scene[PER_ADVENTURE]} pip in an adventure", PER_ADVENTURE.rule)
    most = {key: pips(scene, limit[1]) for key, limit in scene[SPECIES].look(sheet.species).attributes.items()}
    above = [key for key in most if key != name and growth.now("attributes", key) > most[key]]
    if scene[EXCEEDING] and level + 1 > most[name] and len(above) >= scene[MOST_EXCEEDING]:
        return Reason(f"{written(scene, most[name])} is the most of a {sheet.species}", EXCEEDING.rule)
    return None


@formula("d6.advancement.move/most", "d6.advancement.move")
def most_move(scene: Scene, sheet: Hero) -> int:
    """Move is never above the most that the species has."""
    return scene[SPECIES].look(sheet.species).move[1]


def move_barred(growth: Growth, name: str, level: int) -> Reason | None:
    most = most_move(growth.scene, growth.sheet)
    return Reason(f"{most} is the most of a {growth.sheet.species}", "d6.advancement.move") if level >= most else None


def advanced_barred(growth: Growth, name: str, level: int) -> Reason | None:
    """A new advanced skill asks for others first."""
    row = row_of(growth.scene, name)
    if level or is_prepared(growth.scene, growth.sheet, name, row):
        return None
    return Reason(f"needs {needs_words(growth.scene, row)}", "d6.advancement.advanced-skill-acquire")


def trait_barred(growth: Growth, name: str, level: int) -> Reason | None:
    """Merits and flaws are the game master's to agree to; no level is higher than the highest."""
    most, trait = trait_row(growth.scene, growth.trait(name).name)[0].most_level, growth.trait(name)
    allowed, is_flaw = may_grow(growth.scene), label(trait) in {label(each) for each in growth.sheet.flaws}
    if not (allowed.buy_off_flaws if is_flaw else allowed.gain_merits):
        return Reason("nobody buys it in this setting", EXPERIENCE)
    if name in growth.agreed:
        highest = trait.level if is_flaw else most
        return Reason("there is no more of it", LEAVE) if highest is not None and level >= highest else None
    return NOT_AGREED


_BARRED: Final[Mapping[str, Callable[[Growth, str, int], Reason | None]]] = {
    ATTRIBUTE: attribute_barred,
    MOVE: move_barred,
    ADVANCED_SKILL: advanced_barred,
    MERIT: trait_barred,
    FLAW: trait_barred,
}


def row_of(scene: Scene, name: str) -> SkillRow:
    """The row of the lists that a skill is of."""
    bare = name.removesuffix(ADVANCED)
    family = bare.partition(" <")[0]
    rows = [row for row in scene[SKILLS] if row.name == bare] or [
        row for row in scene[SKILLS] if row.per and row.name.partition(" <")[0] == family and row.advanced
    ]
    return rows[0]


@formula("d6.advancement.advanced-skill-acquire/prepared", "d6.advancement.advanced-skill-acquire")
def is_prepared(scene: Scene, sheet: Hero, name: str, row: SkillRow) -> bool:
    """Whether somebody has what an advanced skill asks for: a skill developed far enough, or a merit."""
    if row.needs_merit:
        return any(each.name == row.needs_merit for each in sheet.merits)
    kind, least = name.partition("<")[2].partition(">")[0], pips(scene, scene[AdvancedFigures].prerequisite)
    known = {**sheet.skills, **sheet.specializations}
    return any(
        pips(scene, code) >= least and any(fits(one, need, kind) for need in row.needs) for one, code in known.items()
    )


# --- the fields -------------------------------------------------------------------------------------------------------


def written(scene: Scene, level: int) -> str:
    return str(Stat.of(Code(0, level), scene[PIPS_PER_DIE]))


def levels(growth: Growth, key: str, names: Mapping[str, str]) -> Iterator[Part]:
    """What may be improved in a field; names with their groups."""
    kind = KINDS[key]
    for name, group in names.items():

        def step(level: int, name: str = name) -> GrowthStep:
            if (why := growth.barred(key, name, level)) is not None and kind in (MERIT, FLAW):
                return GrowthStep(barred=why)  # of a level that there is not, nothing can be said
            price, days = growth.price(kind, name, level), growth.days(kind, name, level)
            return GrowthStep(price, days * growth.day, why)

        write = partial(_code_written, growth, kind) if kind not in (MOVE, MERIT, FLAW) else str
        start = growth.start(kind, name)
        yield steps(name, start, growth.now(key, name), step, write=write, says=said(growth, key, name), group=group)


def _code_written(growth: Growth, kind: str, level: int) -> str:
    return written(growth.scene, growth.code(kind, level)) if level else "–"


def said(growth: Growth, key: str, name: str) -> str:
    """What matters of it before it is bought."""
    kind = KINDS[key]
    level = max(growth.start(kind, name), growth.now(key, name) - 1)
    if kind == ATTRIBUTE:
        return "its skills rise with it; a roll at the end decides"
    if kind in (MOVE, MERIT, FLAW):
        return ""
    if growth.untrained(kind, name, level):
        return "used lately: one pip without training"
    teacher = growth.teacher(kind, name, growth.code(kind, level + 1))
    return f"{teacher} teaches" if teacher else "no teacher: twice as long"


def skill_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    left_out = ("advanced", "abstract", "per", "of_species")
    listed = (row.name for row in scene[SKILLS] if not any(getattr(row, each) for each in left_out))
    names = dict.fromkeys((*draft.sheet.skills, *listed))
    groups = {name: ability_name(scene, name).attribute for name in names}
    return levels(Growth(scene, draft), "skills", groups)


def field_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    names = dict.fromkeys((*draft.sheet.specializations, *draft.several("new_fields")))
    groups = {name: name.partition(FIELD)[0] for name in names}
    return levels(Growth(scene, draft), "specializations", groups)


def field_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    """Specializations that the lists name, of skills in which one has none yet or the game master agrees."""
    listed = (f"{row.name}{FIELD}{each}" for row in scene[SKILLS] if not row.per for each in row.specializations)
    for name in dict.fromkeys((*listed, *draft.several("new_fields"))):
        if name not in draft.sheet.specializations:
            yield DraftOption(name, barred=judge_field(scene, draft, name), group=name.partition(FIELD)[0])


def judge_field(scene: Scene, draft: Draft, name: str) -> Reason | None:
    """Why a specialization cannot be learned: more than one of a basic skill is the game master's to allow."""
    skill, has_field, field = name.partition(FIELD)
    row = next((row for row in scene[SKILLS] if row.name == skill and not row.advanced), None)
    if row is None or not has_field or not field.strip():
        return Reason("write a skill and its field, such as Search::surprise", RULES[SPECIALIZATION])
    known = {*draft.sheet.specializations, *draft.several("new_fields")} - {name}
    several = sum(each.partition(FIELD)[0] == skill for each in known)
    agreed = name in {each.name for each in draft.sheet.agreed} or row.abstract
    return None if agreed or several < scene[USUAL_FIELDS] else Reason("ask the game master", RULES[SPECIALIZATION])


def advanced_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    listed = (f"{row.name}{ADVANCED}" for row in scene[SKILLS] if row.advanced and not row.per)
    typed = (
        f"{row.name.partition(' <')[0]} <{kind}>{ADVANCED}"
        for row in scene[SKILLS]
        if row.advanced and row.per
        for kind in kinds_known(scene, draft.sheet, row)
    )
    names = dict.fromkeys((*(ability_name(scene, each).key for each in draft.sheet.advanced_skills), *listed, *typed))
    groups = {name: ability_name(scene, name).attribute for name in names}
    return levels(Growth(scene, draft), "advanced_skills", groups)


def kinds_known(scene: Scene, sheet: Hero, row: SkillRow) -> Iterator[str]:
    """The types in which somebody has what an advanced skill by type asks for."""
    for need in row.needs:
        family = need.removesuffix(" <>").removesuffix(FIELD)
        for name in (*sheet.skills, *sheet.specializations):
            if name.startswith((f"{family} <", f"{family}{FIELD}")):
                yield name.removeprefix(family).strip(" <>:")


def attribute_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    return levels(Growth(scene, draft), "attributes", dict.fromkeys(scene[ATTRIBUTES].names, ""))


def move_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    return levels(Growth(scene, draft), "move", {"Move": ""})


def merit_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    agreed = (each.name for each in draft.sheet.agreed if split(each.name)[0] in scene[MERITS])
    names = dict.fromkeys((*agreed, *(label(each) for each in draft.sheet.merits if not each.secret)))
    return levels(Growth(scene, draft), "merits", dict.fromkeys(names, ""))


def flaw_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Levels that are taken off a flaw; with the last of them it is gone."""
    names = dict.fromkeys(label(each) for each in draft.sheet.flaws if not each.secret)
    return levels(Growth(scene, draft), "flaws", dict.fromkeys(names, ""))


def standing_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """What no points buy."""
    for name, rule in zip(scene[NEVER], (RANK, RICHES), strict=True):
        if scene[rule]:
            yield Part(name, 0, 0, Reason("only what happens in play changes it", rule.rule))


@formula("d6.advancement.appearance")
def looks_price(scene: Scene, sheet: Hero, looks: str) -> int:
    """Better looks cost four times the difference in what they are worth."""
    worth = trait_cost(scene, appearance_tp(scene, sheet.appearance), appearance_tp(scene, looks))
    return int(worth) * scene[LOOKS_TIMES]


def looks_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    agreed = {each.name: each.days for each in draft.sheet.agreed}
    for row in scene[CLASSES]:
        if (price := looks_price(scene, draft.sheet, row.name)) > 0:
            barred = None if LOOKS in agreed else NOT_AGREED._replace(rule=BETTER_LOOKS.rule)
            yield DraftOption(row.name, price, barred, takes=rounds_of(scene, agreed.get(LOOKS, 0), "day"))


# --- training ---------------------------------------------------------------------------------------------------------


def teacher_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    """Whoever is known to be far enough above in something that is trained, or might be."""
    growth = Growth(scene, draft)
    for who in scene.all(Hero):
        if who.name == draft.who:
            continue
        try:
            better = [name for name in scene[who].skills if _could_teach(growth, who.name, name)]
        except NotKnown:
            continue
        if better or who.name in draft.several("teachers"):
            yield DraftOption(who.name, says=", ".join(better[:3]))


def _could_teach(growth: Growth, who: str, name: str) -> bool:
    student = code_of(growth.scene, growth.sheet, name)
    return growth.teaches(who, name, student, student + 1)


def hurry_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """A point for each day that is saved, down to the last."""
    growth, least = Growth(scene, draft), scene[TrainingTime].minimum_days
    why = Reason(f"at least {days_words(least)}", "d6.advancement.training-time")
    for each in growth.plan:
        if each.points and each.days and each.kind not in (MERIT, FLAW, LOOKS):
            hurry = growth.hurry(each.name)
            most = max(0, each.days + hurry * scene[TrainingTime].days_off_per_point - least)
            yield Part(each.name, 0, most, why)


def pure_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """What may rise by training alone: a pip of anything that one has."""
    growth, most = Growth(scene, draft), scene[PURE_PIPS]
    why = Reason(f"at most {most} pip", PURE.rule)
    known = (*draft.sheet.skills, *draft.sheet.specializations, *draft.sheet.advanced_skills)
    names = (*(ability_name(scene, name).key for name in known), *scene[ATTRIBUTES].names, "Move")
    for name in dict.fromkeys(names):
        key = "move" if name == "Move" else field_of(scene, name)
        barred = growth.barred(key, name, growth.now(key, name)) if not draft.level("by_training", name) else None
        yield Part(name, 0, 0 if barred else most, barred or why, price=_nothing)


def _nothing(level: int) -> int:
    return 0


def judge_merit(scene: Scene, draft: Draft, name: str) -> Reason | None:
    """A merit that nobody has agreed to."""
    return NOT_AGREED if split(name)[0] in scene[MERITS] else None


def by_points(key: str, parts: Callable[[Scene, Draft], Iterator[Part]], scene: Scene | None = None) -> SpreadPoints:
    """Levels that are bought; codes may be written as codes."""
    level = None if scene is None else partial(level_meant, scene, KINDS[key])
    return SpreadPoints(key, parts, rule=RULES[KINDS[key]], budget=POINTS, level=level)


def level_meant(scene: Scene, kind: str, name: str, code: str) -> int:
    """The level of a code as a sheet writes it."""
    meant: Code = read(Code, code)
    start = pips(scene, scene[NewAdvancedSkill].starting_code) - 1 if kind == ADVANCED_SKILL else 0
    return pips(scene, meant) - start


def code_fields(
    key: str, parts: Callable[[Scene, Draft], Iterator[Part]]
) -> Callable[[Scene, Draft], tuple[DraftField, ...]]:
    return lambda scene, draft: (by_points(key, parts, scene),)


def specialization_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    new = PickSeveral("new_fields", field_options, own=0, judge=judge_field, rule=RULES[SPECIALIZATION])
    return (new, by_points("specializations", field_parts, scene))


def trait_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    looks = PickOne("appearance", looks_options, optional=True, rule=BETTER_LOOKS.rule, budget=POINTS)
    standing = SpreadPoints("standing", standing_parts, rule="d6.advancement.what-can-improve")
    return (
        replace(by_points("merits", merit_parts), judge=judge_merit),
        by_points("flaws", flaw_parts),
        *((looks,) if scene[BETTER_LOOKS] else ()),
        *((standing,) if scene[RANK] or scene[RICHES] else ()),
    )


def training_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    pure = SpreadPoints("by_training", pure_parts, rule=PURE.rule)
    return (
        PickSeveral("teachers", teacher_options, rule=TEACHER),
        SpreadPoints("hurry", hurry_parts, rule="d6.advancement.training-time", budget=POINTS),
        *((pure,) if scene[PURE] else ()),
    )


# --- the whole --------------------------------------------------------------------------------------------------------


@formula("d6.advancement.what-can-improve", "d6.advancement.character-points-use")
def growing(scene: Scene, draft: Draft) -> Hero:
    """Everything is paid; what needs no training is better at once, the rest is trained, one thing after the other."""
    growth, sheet = Growth(scene, draft), draft.sheet
    plan = growth.plan
    spent = sum(each.points + growth.hurry(each.name) * bool(each.days) for each in plan)
    for each in plan:
        if not each.days:
            sheet = improved(scene, sheet, each)
    bought = {each.name for each in plan}
    days = sum(each.days for each in plan)
    used = days * scene[PARTS] if scene[PARTLY] else days
    done = {each.name for each in plan if not each.days}
    sheet = replace(
        sheet.spending(spent),
        free_days=None if sheet.free_days is None else max(0, sheet.free_days - used),
        practised=Levels({name: left for name, left in sheet.practised.items() if name not in done}),
        agreed=tuple(each for each in sheet.agreed if each.name not in bought),
    )
    return queued(scene, sheet, tuple(each for each in plan if each.days))


def outlook(scene: Scene, draft: Draft) -> Hero:
    """The sheet once everything that is planned has been trained."""
    growth = Growth(scene, draft)
    sheet = growth.sheet
    for each in growth.plan:
        sheet = improved(scene, sheet, each)
    return sheet


def planned(scene: Scene, draft: Draft) -> Iterator[Planned]:
    """What is planned: what it comes to, its price and its time."""
    growth = Growth(scene, draft)
    sheet = growth.sheet
    for each in growth.plan:
        sheet = improved(scene, sheet, each)
        code = growth_written(scene, sheet, each)
        hurry = growth.hurry(each.name) if each.days and each.points else 0
        says = f"with {each.teacher}" if each.teacher else ""
        yield Planned(each.name, code, each.points + hurry, rounds_of(scene, each.days, "day"), says)


def growth_written(scene: Scene, sheet: Hero, what: InTraining) -> str:
    """What has grown, as a sheet writes it."""
    if what.kind == MOVE:
        return str(sheet.move)
    return "" if what.kind in (MERIT, FLAW, LOOKS) else written(scene, code_of(scene, sheet, what.name))


def time_left(scene: Scene, draft: Draft) -> int | None:
    """The days that are still free after the plan."""
    free = free_days(scene, draft.sheet)
    return None if free is None else rounds_of(scene, free - Growth(scene, draft).days_planned, "day")


def points_there(scene: Scene, draft: Draft) -> int:
    return int(draft.sheet.character_points)


ADVANCEMENT: Final = Creation(
    steps=(
        DraftStep("skills", code_fields("skills", skill_parts)),
        DraftStep("specializations", specialization_fields),
        DraftStep("advanced-skills", code_fields("advanced_skills", advanced_parts)),
        DraftStep("attributes", code_fields("attributes", attribute_parts)),
        DraftStep("move", (by_points("move", move_parts),)),
        DraftStep("merits-and-flaws", trait_fields),
        DraftStep("training", training_fields),
    ),
    budgets=(DraftBudget(POINTS, points_there, rule="d6.advancement.character-points-use", exact=False),),
    finish=growing,
    grown=outlook,
    plan=planned,
    time_left=time_left,
)
