"""The character of Distemper: RAPID attributes, skills, and the values the reference sheet lists for a character."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, TypeAlias, final

from referee.core import Levels, Open, Refused, Scene, Unset, Who, figure, formula, rows
from referee.core.plain import Plain


@final
@dataclass(frozen=True, slots=True)
class AttributeRow:
    """One of the five RAPID attributes."""

    name: str
    abbr: str


@final
@dataclass(frozen=True, slots=True)
class SkillRow:
    """A skill, the attribute it goes with, and whether it needs training."""

    name: str
    category: str
    attribute: str
    starred: bool


@final
@dataclass(frozen=True, slots=True)
class TrackedRow:
    """A value that a character has."""

    name: str
    closest: str = ""


ATTRIBUTES: Final = rows("distemper.checks.amod", "attributes", AttributeRow)
LEAST_AMOD: Final = figure("distemper.checks.amod", "least", int)
MOST_AMOD: Final = figure("distemper.checks.amod", "most", int)
LEAST_SMOD: Final = figure("distemper.checks.smod", "least", int)
MOST_SMOD: Final = figure("distemper.checks.smod", "most", int)
UNLEARNED: Final = figure("distemper.checks.smod", "unlearned", int)
UNTRAINED: Final = figure("distemper.checks.untrained-starred", "untrained_smod", int)
STARTING_INSIGHT: Final = figure("distemper.insight.dice-economy", "starting", int)
LISTED: Final = rows("distemper.skills.list", "skills", SkillRow)
UNLISTED: Final = rows("distemper.skills.unlisted-referenced", "skills", SkillRow)
TRACKED: Final = rows("distemper.sheet.tracked-values", "tracked", TrackedRow)
INIT_ATTRIBUTES: Final = figure("distemper.combat.initiative-check", "attributes", tuple[str, ...])
INIT_SKILLS: Final = figure("distemper.combat.initiative-check", "skills", tuple[str, ...])

Ability: TypeAlias = str
"""The name of a skill or of an attribute."""
Tracked: TypeAlias = Annotated[str, TRACKED]


@final
@dataclass(frozen=True, slots=True)
class Item:
    """A weapon or other item: the skill it attacks with, its damage, and its condition.

    The reference sheet has no tables of items, so they are given.
    """

    name: str
    skill: str = "Melee Combat"
    wp: int = 0
    rp: int = 0
    condition: int = 3
    """How many levels of condition are left."""
    ready: bool = True
    jammed: bool = False


@final
@dataclass(frozen=True, slots=True)
class Character:
    """A player's character, or an NPC (`player: no`)."""

    attributes: Open[Levels] = field(default_factory=Levels)
    skills: Open[Levels] = field(default_factory=Levels)
    player: Open[bool] = True
    insight: Open[Annotated[int | None, Unset("distemper.insight.dice-economy")]] = None
    """Insight Dice; if a sheet does not say, the number a player starts with."""
    wp: Open[int] = 10
    wp_full: Open[int] = 10
    rp: Open[int] = 10
    rp_full: Open[int] = 10
    melee_defense: Open[int] = 0
    ranged_defense: Open[int] = 0
    items: Open[tuple[Item, ...]] = ()
    dead: Open[bool] = False

    def item(self, name: str) -> Item:
        for item in self.items:
            if item.name.casefold() == name.casefold():
                return item
        raise Refused(name, because="it is not carried", rule=TRACKED.rule, legal=(item.name for item in self.items))

    def with_item(self, changed: Item) -> Character:
        return replace(self, items=tuple(changed if each.name == changed.name else each for each in self.items))

    def with_insight(self, dice: int) -> Character:
        return replace(self, insight=dice)


def skill_row(scene: Scene, name: str) -> SkillRow | None:
    """A skill of the list, or one of the three that other rules use."""
    for listed in (LISTED, UNLISTED):
        if name in scene[listed]:
            return scene[listed][name]
    return None


def every_ability(scene: Scene, who: Who[Character] | None) -> tuple[str, ...]:
    """Everything that can be checked: anyone may attempt any skill, learned or not."""
    return (*scene[ATTRIBUTES].names, *scene[LISTED].names, *scene[UNLISTED].names)


def party(scene: Scene) -> tuple[Who[Character], ...]:
    """The players' characters who are alive."""
    return tuple(each for each in scene.all(Character) if scene[each].player and not scene[each].dead)


def attribute_of(scene: Scene, ability: Ability) -> str:
    """The attribute behind a skill; an attribute is its own."""
    if ability in scene[ATTRIBUTES]:
        return scene[ATTRIBUTES][ability].name
    row = skill_row(scene, ability)
    if row is None:
        legal = every_ability(scene, None)
        raise Refused(ability, because="there is no such attribute or skill", rule=LISTED.rule, legal=legal)
    return row.attribute


@formula("distemper.checks.amod")
def amod(scene: Scene, who: Who[Character], attribute: str) -> int:
    """The number of an attribute is itself the modifier."""
    return scene[who].attributes.get(attribute, 0)


@formula("distemper.checks.smod", "distemper.checks.untrained-starred")
def smod(scene: Scene, who: Who[Character], skill: str) -> int:
    """The level of a skill; if never learned, it is 0, or -3 if the skill needs training."""
    level = scene[who].skills.get(skill)
    if level is not None:
        return level
    row = skill_row(scene, skill)
    return untrained(scene) if row is not None and row.starred else scene[UNLEARNED]


@formula("distemper.checks.untrained-starred")
def untrained(scene: Scene) -> int:
    """The modifier for a starred skill without training; it replaces the level."""
    return scene[UNTRAINED]


@formula("distemper.insight.dice-economy")
def insight(scene: Scene, who: Who[Character]) -> int:
    """The Insight Dice someone has: a player starts with two, others have none."""
    sheet = scene[who]
    if sheet.insight is not None:
        return sheet.insight
    return scene[STARTING_INSIGHT] if sheet.player else 0


@formula("distemper.combat.initiative-check/mod")
def init_mod(scene: Scene, who: Who[Character]) -> int:
    """Dexterity, Acumen and Perception."""
    return sum(amod(scene, who, each) for each in scene[INIT_ATTRIBUTES]) + sum(
        smod(scene, who, each) for each in scene[INIT_SKILLS]
    )


@formula("distemper.sheet.tracked-values")
def tracked(scene: Scene, who: Who[Character], value: Tracked) -> Plain:
    """A value of a character, by its name on the sheet."""
    sheet = scene[who]
    row = scene[TRACKED][value]
    match row.name:
        case "Insight Dice":
            return insight(scene, who)
        case "Wound Points":
            return {"original": sheet.wp_full, "current": sheet.wp}
        case "Resilience Points":
            return {"original": sheet.rp_full, "current": sheet.rp}
        case "Init Mod":
            return init_mod(scene, who)
        case "Melee Defensive Modifier":
            return sheet.melee_defense
        case "Ranged Defensive Modifier":
            return sheet.ranged_defense
        case "Item Condition":
            return {item.name: item.condition for item in sheet.items}
        case "Weapon damage":
            return {item.name: {"wp": item.wp, "rp": item.rp} for item in sheet.items}
        case _:
            return {"closest": row.closest}


def check_sheet(scene: Scene, who: Who[Character]) -> None:
    """Only attributes and skills from the book, within its ranges, and no more points than the original totals."""
    sheet = scene[who]
    for name, level in sheet.attributes.items():
        _check_known(name, scene[ATTRIBUTES].names, ATTRIBUTES.rule)
        if not scene[LEAST_AMOD] <= level <= scene[MOST_AMOD]:
            raise Refused(name, because=f"{level} is out of range", rule=ATTRIBUTES.rule, legal=_range(scene))
    for name, level in sheet.skills.items():
        _check_known(name, (*scene[LISTED].names, *scene[UNLISTED].names), LISTED.rule)
        if not scene[LEAST_SMOD] <= level <= scene[MOST_SMOD]:
            legal = (f"{scene[LEAST_SMOD]} to {scene[MOST_SMOD]}",)
            raise Refused(name, because=f"{level} is out of range", rule=LEAST_SMOD.rule, legal=legal)
    for points, full in ((sheet.wp, sheet.wp_full), (sheet.rp, sheet.rp_full)):
        if points > full:
            raise Refused("points", because=f"{points} of {full} are more than all", rule=TRACKED.rule)
    if sheet.insight is not None and sheet.insight < 0:
        raise Refused("insight", because="nobody owes Insight Dice", rule=STARTING_INSIGHT.rule)
    if sheet.insight and not sheet.player:
        raise Refused("insight", because="Insight Dice are the players'", rule=STARTING_INSIGHT.rule)
    names = [item.name for item in sheet.items]
    if len(set(names)) < len(names):
        raise Refused("items", because="two of one name cannot be told apart", rule=TRACKED.rule)


def _check_known(name: str, known: tuple[str, ...], rule: str) -> None:
    """A sheet must spell names as the book does; otherwise they would be listed but never found."""
    if name not in known:
        raise Refused(name, because="the book has none of this name", rule=rule, legal=known)


def check_alive(scene: Scene, who: Who[Character], what: str) -> None:
    """The dead do nothing, and no one can act on someone who is not here."""
    if who not in scene:
        raise Refused(what, because=f"{who} is not here", rule=TRACKED.rule)
    if scene[who].dead:
        raise Refused(what, because=f"{who} is dead", rule="distemper.combat.damage-tracks")


def _range(scene: Scene) -> Iterator[str]:
    yield f"{scene[LEAST_AMOD]} to {scene[MOST_AMOD]}"
