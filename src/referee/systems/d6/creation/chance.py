"""How chance builds a character: attributes shuffled by pips, some skills raised, a merit or flaw now and then."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, cast

from referee.core import BOOK, Draft, Scene
from referee.core.draft_form import DraftForm
from referee.core.drafts import SpreadPoints
from referee.core.plain import Plain


def nothing(scene: Scene, draft: Draft, random: Random) -> Plain:
    """Chance leaves it as it is."""
    return None


def form_of(scene: Scene, draft: Draft) -> DraftForm:
    from referee.systems.d6.creation import CREATION

    return DraftForm(CREATION, scene[BOOK], draft)


def points_left(form: DraftForm) -> int:
    """How many points chance may still spend; where none are counted, as many as a usual character has."""
    from referee.systems.d6.creation.points import CP, is_free, starting_cp

    return starting_cp(form.scene) if is_free(form.scene) else int(form.budget(CP).left)


def some_attributes(scene: Scene, draft: Draft, random: Random) -> Plain:
    """Pips move from one attribute to another, within the limits of the species."""
    form = form_of(scene, draft)
    parts, levels = form.parts("attributes"), form.levels("attributes")
    for name, part in parts.items():
        levels[name] = min(max(levels[name], part.least), part.most if part.most is not None else levels[name])
    for _ in range(random.randint(4, 14)):
        more, less = random.sample(list(parts), 2)
        most = parts[more].most
        if (most is None or levels[more] < most) and levels[less] > parts[less].least:
            levels[more] += 1
            levels[less] -= 1
    return levels


def some_skills(scene: Scene, draft: Draft, random: Random) -> Plain:
    """Most of the points go into a handful of skills; those that the template suggests come first."""
    from referee.systems.d6.creation.build import build_of

    form = form_of(scene, draft)
    template, parts = build_of(scene, draft).template, form.parts("skills")
    others = random.sample(list(parts), min(len(parts), random.randint(5, 8)))
    names = list(dict.fromkeys([*(template.skills if template else ()), *others]))
    levels, left = dict.fromkeys(names, 0), max(0, points_left(form) - random.randint(0, 8))
    while left > 0:
        open_ = [name for name in names if (most := parts[name].most) is None or levels[name] < most]
        if not open_:
            break
        levels[random.choice(open_)] += 1
        left -= 1
    return {name: level for name, level in levels.items() if level}


def some_specializations(scene: Scene, draft: Draft, random: Random) -> Plain:
    """Up to two fields, of different skills."""
    form = form_of(scene, draft)
    free = [each for each in form.options("specializations").values() if each.barred is None]
    wanted = min(random.randint(0, 2), max(0, points_left(form)))
    chosen = {each.group: each.name for each in random.sample(free, wanted)} if free else {}
    return list(chosen.values()) or None


def _a_few(key: str, most: int) -> Callable[[Scene, Draft, Random], Plain]:
    """Raise up to so many parts of a field to their first level, as far as points allow."""

    def some(scene: Scene, draft: Draft, random: Random) -> Plain:
        form, levels = form_of(scene, draft), {}
        for _ in range(random.randint(0, most)):
            field = cast("SpreadPoints", form.field(key))
            open_ = [each for each in form.part_states(field) if each.more is None and not each.level]
            if not open_:
                break
            chosen = random.choice(open_)
            levels[chosen.part.name] = 1
            form = form.at(form.draft.but(key, {**(form.draft.answers.get(key) or {}), chosen.part.name: 1}))
        return levels or None

    return some


some_advanced_skills: Final = _a_few("advanced_skills", 1)
some_merits: Final = _a_few("merits", 2)
some_flaws: Final = _a_few("flaws", 2)
