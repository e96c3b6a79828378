"""The third step: merits, which cost, and flaws, which give; by level, and by parts where a value is worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from referee.core import Draft, DraftOption, Part, PickSeveral, Reason, Scene, SpreadPoints
from referee.core.drafts import DraftField, Price
from referee.systems.d6.creation.build import Build, build_of
from referee.systems.d6.creation.chance import nothing, some_flaws, some_merits
from referee.systems.d6.creation.points import (
    FLAWS_CAPPED,
    MERIT_COST,
    SECRET,
    SECRETS,
    budget_of,
    flaw_cap,
    secret_change,
)
from referee.systems.d6.species import pips
from referee.systems.d6.traits import FLAWS, MERITS, TraitRow, parts_of, split, step_named, usual_step

SECRET_FLAW: Final = "Secret flaw"  # noqa: S105  # no password
SECRET_MERIT: Final = "Secret merit"  # noqa: S105  # no password


def judge_subject(scene: Scene, draft: Draft, name: str) -> Reason | None:
    """Why a text names no merit or flaw with its subject, such as `Phobia (spiders)`."""
    bare, about = split(name)
    if not about or (bare not in scene[MERITS] and bare not in scene[FLAWS]):
        return Reason("write a merit or flaw and what it is about, such as Phobia (spiders)", MERIT_COST)
    return None


def barred(build: Build, row: TraitRow, about: str = "") -> Reason | None:
    """Why a merit or flaw cannot be had: what its entry asks for, or something that does not go with it."""
    if not (row.needs or row.appearance or row.excludes or build.asking) or build.is_waived:
        return None
    scene, rule = build.scene, build.rule_of[row.name]
    for name, code in row.needs.items():
        if build.attributes[name] < pips(scene, code):
            return Reason(f"needs {name} {code}", rule)
    for trait, other in zip(build.traits, build.asking, strict=True):
        apart = row.same_subject and about and trait.about and about != trait.about
        if not apart and (other.name in row.excludes or row.name in other.excludes):
            return Reason(f"does not go with {other.name}", rule)
    if row.appearance and build.uses_looks and build.appearance not in row.appearance:
        return Reason(f"does not go with {build.appearance} looks", rule)
    return None


def highest(build: Build, row: TraitRow) -> tuple[int | None, Reason | None]:
    """The highest level that this character may have, and why no higher."""
    scene, rule, most = build.scene, build.rule_of[row.name], row.most_level
    why = Reason(f"it has {most} level{'' if most == 1 else 's'}", rule) if most is not None else None
    if not (row.levels or row.pc_max_level) or build.is_waived:
        return most, why
    if row.pc_max_level is not None:
        most, why = row.pc_max_level, Reason(f"player characters have at most level {row.pc_max_level}", rule)
    for level in row.levels if most is None else row.levels[:most]:
        if level.npc_only:
            return level.level - 1, Reason(f"level {level.level} is not for player characters", rule)
        for name, code in level.needs.items():
            if build.skill(name) < pips(scene, code):
                return level.level - 1, Reason(f"level {level.level} needs {name} {code}", rule)
    return most, why


def trait_part(build: Build, key: str, name: str, row: TraitRow, price: Callable[[int], Price]) -> Part:
    """A merit or flaw as a part to spend points on: its highest level, and what it says at the level it has."""
    base, level = build.base_traits.get(name), build.level(key, name)
    most, why = highest(build, row)
    if not level and base is None and (no := barred(build, row, split(name)[1])) is not None:
        most, why = 0, no
    printed = row.level(level or 1)
    words = (row.notation, printed.name, printed.says, row.says) if printed else (row.notation, row.says)
    says = " – ".join(each for each in words if each)
    return Part(name, 0, most, why, price, base.level if base else 0, says)


def merit_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    build = build_of(scene, draft)
    for name, row in build.merit_rows.items():
        base = build.base_traits.get(name)
        free = build.merit_price(name, base.level) if base else 0
        yield trait_part(build, "merits", name, row, partial(_merit_price, build, name, free))


def _merit_price(build: Build, name: str, free: int, level: int) -> Price:
    return (build.merit_price(name, level) if level else 0) - free


def flaw_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Flaws give points; where they are capped, what lies above the cap gives nothing."""
    build = build_of(scene, draft)
    cap, gained = flaw_cap(scene) if scene[FLAWS_CAPPED] else None, 0
    for name, row in build.flaw_rows.items():
        base = build.base_traits.get(name)
        free = build.flaw_value(name, base.level) if base else 0
        yield trait_part(build, "flaws", name, row, partial(_flaw_price, build, name, free, cap, gained))
        gained += max(0, build.flaw_value(name, build.level("flaws", name)) - free)


def _flaw_price(build: Build, name: str, free: int, cap: int | None, before: int, level: int) -> Price:
    gain = build.flaw_value(name, level) - free
    if cap is None or gain <= 0:
        return -gain
    return min(before, cap) - min(before + gain, cap)


def composed_fields(scene: Scene, draft: Draft) -> Iterator[DraftField]:
    """A field for each merit or flaw whose value is worked out from its parts."""
    build = build_of(scene, draft)
    for name in (*build.merits, *build.flaws):
        row = build.merit_rows.get(name) or build.flaw_rows[name]
        if row.parts:
            rule = build_of(scene, draft).rule_of[row.name]
            yield SpreadPoints(
                name,
                partial(step_parts, name, row),
                level=partial(step_named, scene, row),
                rule=rule,
                budget=budget_of(scene),
                chance=nothing,
            )


def step_parts(name: str, row: TraitRow, scene: Scene, draft: Draft) -> Iterator[Part]:
    """The steps of each part; what they are worth is in the price of the merit or flaw."""
    base = build_of(scene, draft).base_traits.get(name)
    for part, steps in parts_of(scene, row).items():
        start = base.parts.get(part, usual_step(row, part)) if base else usual_step(row, part)
        now = steps[min(len(steps), max(1, draft.level(name, part, start))) - 1]
        why = Reason(f"there are {len(steps)} steps", build_of(scene, draft).rule_of[row.name])
        yield Part(part, 1, len(steps), why, _nothing, start, f"{now.name} – {now.says}" if now.says else now.name)


def _nothing(level: int) -> Price:
    return 0


def secret_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """What the game master is asked to choose in secret, by its value."""
    for name in (SECRET_FLAW, SECRET_MERIT):
        says = "its value; the game master chooses, and tells when it shows"
        yield Part(name, price=partial(_secret_price, scene, name == SECRET_MERIT), says=says)


def _secret_price(scene: Scene, merit: bool, level: int) -> Price:
    return -secret_change(scene, level, merit) if level else 0


def trait_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    pays = budget_of(scene)
    secrets = SpreadPoints("secrets", secret_parts, rule=SECRET, budget=pays, chance=nothing)
    return (
        PickSeveral("subjects", subject_options, own=0, judge=judge_subject, rule=MERIT_COST),
        SpreadPoints("merits", merit_parts, rule=MERIT_COST, budget=pays, chance=some_merits),
        SpreadPoints("flaws", flaw_parts, rule=MERIT_COST, budget=pays, chance=some_flaws),
        *composed_fields(scene, draft),
        *((secrets,) if scene[SECRETS] else ()),
    )


def subject_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    """Only entries in one's own words; those there are can be taken away."""
    return (DraftOption(each) for each in draft.several("subjects"))
