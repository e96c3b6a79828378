"""Names as people write them, turned into those that the book prints: on a sheet, and in the answers of a draft."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Final

from referee.core import Refused, Scene
from referee.core.plain import Plain, meant
from referee.systems.d6.codes import ability_name
from referee.systems.d6.sheet import SKILLS
from referee.systems.d6.skill_names import ADVANCED, FIELD
from referee.systems.d6.traits import CharacterTrait, TraitRow, split, steps_named, trait_row

ABILITIES: Final = ("attributes", "skills", "specializations", "advanced_skills")
TRAITS: Final = ("merits", "flaws")
FIELDS: Final = frozenset(each.name for each in fields(CharacterTrait))


def spelled_sheet(scene: Scene, sheet: dict[str, Plain]) -> dict[str, Plain]:
    """The fields of a sheet: `{skills: {search: 4D}, flaws: [phobia (spiders)]}` has Search and a Phobia of spiders."""
    found = dict(sheet)
    for key in ABILITIES:
        if isinstance(given := found.get(key), Mapping):
            found[key] = {spelled_ability(scene, str(name)): each for name, each in given.items()}
    for key in TRAITS:
        if isinstance(given := found.get(key), (Mapping, list, tuple)):
            found[key] = [spelled_trait(scene, each) for each in as_written(given)]
    return found


def spelled_answers(scene: Scene, answers: dict[str, Plain]) -> dict[str, Plain]:
    """The answers of a draft: merits and flaws as a sheet writes them are levels, subjects and the steps of parts."""
    found, subjects = with_skills(scene, answers), list(answers.get("subjects") or ())
    for key in TRAITS:
        if not isinstance(given := found.get(key), (Mapping, list, tuple)):
            continue
        levels = found[key] = {}
        for each in as_written(given):
            apart = found.pop(meant(str(each.get("name")), found) or "", None) or {}
            trait = spelled_trait(scene, {**each, "parts": {**(each.get("parts") or {}), **apart}})
            name = f"{trait['name']} ({trait['about']})" if trait.get("about") else trait["name"]
            subjects += [name] if trait.get("about") and name not in subjects else []
            levels[name] = trait["level"] if "level" in trait else level_worth(scene, trait)
            found |= {name: trait["parts"]} if trait.get("parts") else {}
    return {**found, "subjects": subjects} if subjects else found


def with_skills(scene: Scene, answers: dict[str, Plain]) -> dict[str, Plain]:
    """The same for skills: one of a type is of that kind, and the dice of a specialization may stand with its name."""
    found, kinds = dict(answers), list(answers.get("kinds") or ())
    for key in ("attributes", "skills", "advanced_skills"):
        if isinstance(given := found.get(key), Mapping):
            found[key] = {spelled_ability(scene, str(name), advanced=True): each for name, each in given.items()}
            kinds += [name for name in found[key] if name.removesuffix(ADVANCED).endswith(">") and name not in kinds]
    for name in found["skills"] if isinstance(found.get("skills"), Mapping) else ():
        if any(row.abstract and row.name == name for row in scene[SKILLS]):
            because = "it is developed only in its specializations"
            raise Refused(name, because=because, rule=scene[SKILLS].rule_of(name), legal=(f"{name}{FIELD}…",))
    if isinstance(given := found.get("specializations"), Mapping):
        found["specializations"] = list(given)
        more = {name: dice - 1 for name, dice in given.items() if isinstance(dice, int) and dice > 1}
        found["specialization_dice"] = {**more, **(found.get("specialization_dice") or {})}
    return {**found, "kinds": kinds} if kinds else found


def as_written(given: Plain) -> Iterator[dict[str, Plain]]:
    """Merits or flaws by their fields: from names alone, names with a level, or names with fields."""
    if isinstance(given, Mapping):
        for name, each in given.items():
            yield {"name": name, **(each if isinstance(each, Mapping) else {"level": 1 if each is True else each})}
    else:
        yield from (dict(each) if isinstance(each, Mapping) else {"name": each} for each in given)


def spelled_ability(scene: Scene, name: str, *, advanced: bool = False) -> str:
    """An attribute or a skill as the book writes it; one that it does not know is refused later."""
    try:
        found = ability_name(scene, name)
    except Refused:
        return name
    return found.key if advanced or name.endswith(ADVANCED) else found.key.removesuffix(ADVANCED)


def spelled_trait(scene: Scene, given: dict[str, Plain]) -> dict[str, Plain]:
    """A merit or flaw by its fields: its subject, its level, the steps of its parts, which may be among the fields."""
    bare, about = split(str(given.get("name")))
    row, _ = trait_row(scene, bare)
    found = {name: each for name, each in given.items() if name in FIELDS and name != "parts"}
    found |= {"name": row.name} | ({"about": about} if about else {})
    parts = {**{name: each for name, each in given.items() if name not in FIELDS}, **(given.get("parts") or {})}
    if (level := parts.pop(row.level_is, given.get("level"))) is not None:
        found["level"] = level_named(row, level)
    if parts:
        found["parts"] = steps_named(scene, row, parts)
    return found


def level_worth(scene: Scene, trait: dict[str, Plain]) -> Plain:
    """The level of a merit or flaw whose value is the game master's; the first, if nothing is said."""
    least = trait_row(scene, trait["name"])[0].least
    return trait["value"] - least + 1 if "value" in trait and least is not None else 1


def level_named(row: TraitRow, level: Plain) -> Plain:
    """A level by its name: a Serious phobia."""
    names = {each.name: each.level for each in row.levels if each.name}
    return names.get(meant(level, names) or "", level) if isinstance(level, str) else level
