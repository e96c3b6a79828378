"""The character of Distemper: RAPID attributes, skills, and the values the reference sheet lists for a character."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Annotated, ClassVar, Final, TypeAlias

from referee.core import Levels, Open, Pick, Refused, Scene, Unset, Who, figure, figures, formula, frozen, refuse, rows
from referee.core.catalogue import Catalogue, unworn
from referee.core.plain import Plain
from referee.core.things import CARRIED, DROPPED, HELD, check_names


@frozen
class AttributeRow:
    """One of the five RAPID attributes."""

    name: str
    abbr: str


@frozen
class SkillRow:
    """A skill, the attribute it goes with, and whether it needs training."""

    name: str
    category: str
    attribute: str
    starred: bool


@frozen
class TrackedRow:
    """A value that a character has."""

    name: str
    closest: str = ""


ATTRIBUTES: Final = rows("distemper.checks.amod", "attributes", AttributeRow)
UNTRAINED: Final = figure("distemper.checks.untrained-starred", "untrained_smod", int)
STARTING_INSIGHT: Final = figure("distemper.insight.dice-economy", "starting", int)
LISTED: Final = rows("distemper.skills.list", "skills", SkillRow)
UNLISTED: Final = rows("distemper.skills.unlisted-referenced", "skills", SkillRow)
TRACKED: Final = rows("distemper.sheet.tracked-values", "tracked", TrackedRow)


@figures("distemper.checks.amod")
class AttributeRange:
    """What an attribute may be."""

    least: int
    most: int


@figures("distemper.checks.smod")
class SkillRange:
    """What a skill may be, and what it is if it was never learned."""

    least: int
    most: int
    unlearned: int


@figures("distemper.combat.initiative-check")
class Initiative:
    """The dice of initiative, and what is added to them."""

    dice: int
    attributes: tuple[str, ...]
    skills: tuple[str, ...]


Ability: TypeAlias = str
"""The name of a skill or of an attribute."""
Tracked: TypeAlias = Annotated[str, TRACKED]


def abbreviations(scene: Scene) -> dict[str, str]:
    """The attributes by their abbreviations in the book."""
    return {row.abbr: row.name for row in scene[ATTRIBUTES]}


def every_skill(scene: Scene, who: Who[Character] | None) -> tuple[str, ...]:
    return (*scene[LISTED].names, *scene[UNLISTED].names)


ATTRIBUTE_NAMES: Final = Pick(lambda scene, who: scene[ATTRIBUTES].names, also=abbreviations)
SKILL_NAMES: Final = Pick(every_skill)


@frozen
class Item:
    """A weapon or other item: the skill it attacks with, its damage, and its condition.

    The reference sheet has no tables of items, so they are given.
    """

    in_play: ClassVar = ("condition", "ready", "jammed", "dropped")
    name: str
    skill: str = "Melee Combat"
    wp: int = 0
    rp: int = 0
    condition: int = 3
    """How many levels of condition are left."""
    ready: bool = True
    jammed: bool = False
    dropped: bool = False
    """Whether it lies on the ground; readying it picks it up."""

    @property
    def place(self) -> str:
        """In hand, put away, or on the ground."""
        return DROPPED if self.dropped else HELD if self.ready else CARRIED

    def at(self, place: str) -> Item:
        return replace(self, ready=place == HELD, dropped=place == DROPPED)


@frozen
class Character:
    """A player's character, or an NPC (`player: no`)."""

    attributes: Open[Annotated[Levels, ATTRIBUTE_NAMES]] = field(default_factory=Levels)
    skills: Open[Annotated[Levels, SKILL_NAMES]] = field(default_factory=Levels)
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

    def losing(self, wp: int, rp: int) -> Character:
        return replace(self, wp=self.wp - wp, rp=self.rp - rp)

    def recovering(self, wp: int, rp: int) -> Character:
        """Points are regained, counted from 0 if below it, and never beyond the original totals."""
        wp, rp = min(self.wp_full, max(0, self.wp) + wp), min(self.rp_full, max(0, self.rp) + rp)
        return replace(self, wp=wp, rp=rp, dead=False)

    def dropping(self) -> Character:
        """Everything held is dropped and must be readied again."""
        return replace(self, items=tuple(replace(item, ready=False) for item in self.items))

    def wearing(self, name: str, levels: int) -> Character:
        """An item in another condition, never below 0."""
        item = self.item(name)
        return self.with_item(replace(item, condition=max(0, item.condition + levels)))


Person: TypeAlias = Who[Character]


def living(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Character) if not scene[each].dead)


def others(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in living(scene, who) if each != who)


def carried(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].items) if who else ()


def skill_row(scene: Scene, name: str) -> SkillRow | None:
    """A skill of the list, or one of the three that other rules use."""
    for listed in (LISTED, UNLISTED):
        if name in scene[listed]:
            return scene[listed][name]
    return None


def every_ability(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """Everything that can be checked: anyone may attempt any skill, learned or not."""
    return (*scene[ATTRIBUTES].names, *every_skill(scene, who))


def party(scene: Scene) -> tuple[Person, ...]:
    """The players' characters who are alive."""
    return tuple(each for each in scene.all(Character) if scene[each].player and not scene[each].dead)


def attribute_of(scene: Scene, ability: Ability) -> str:
    """The attribute behind a skill; an attribute is its own."""
    if ability in scene[ATTRIBUTES]:
        return scene[ATTRIBUTES][ability].name
    row = skill_row(scene, ability)
    if row is None:
        legal = every_ability(scene, None)
        refuse("there is no such attribute or skill", what=ability, rule=LISTED.rule, legal=legal)
    return row.attribute


@formula("distemper.checks.amod")
def amod(scene: Scene, who: Person, attribute: str) -> int:
    """The number of an attribute is itself the modifier."""
    return scene[who].attributes.get(attribute, 0)


@formula("distemper.checks.smod", "distemper.checks.untrained-starred")
def smod(scene: Scene, who: Person, skill: str) -> int:
    """The level of a skill; if never learned, it is 0, or -3 if the skill needs training."""
    level = scene[who].skills.get(skill)
    if level is not None:
        return level
    row = skill_row(scene, skill)
    return untrained(scene) if row is not None and row.starred else scene[SkillRange].unlearned


@formula("distemper.checks.untrained-starred")
def untrained(scene: Scene) -> int:
    """The modifier for a starred skill without training; it replaces the level."""
    return scene[UNTRAINED]


@formula("distemper.insight.dice-economy")
def insight(scene: Scene, who: Person) -> int:
    """The Insight Dice someone has: a player starts with two, others have none."""
    sheet = scene[who]
    if sheet.insight is not None:
        return sheet.insight
    return scene[STARTING_INSIGHT] if sheet.player else 0


@formula("distemper.combat.initiative-check/mod")
def init_mod(scene: Scene, who: Person) -> int:
    """Dexterity, Acumen and Perception."""
    added = scene[Initiative]
    return sum(amod(scene, who, each) for each in added.attributes) + sum(
        smod(scene, who, each) for each in added.skills
    )


@formula("distemper.sheet.tracked-values")
def tracked(scene: Scene, who: Person, value: Tracked) -> Plain:
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


def check_sheet(scene: Scene, who: Person) -> None:
    """Only attributes and skills from the book, within its ranges, and no more points than the original totals."""
    sheet, a, k = scene[who], scene[AttributeRange], scene[SkillRange]
    _check_levels(sheet.attributes, scene[ATTRIBUTES].names, ATTRIBUTES.rule, a.least, a.most, ATTRIBUTES.rule)
    _check_levels(sheet.skills, every_skill(scene, who), LISTED.rule, k.least, k.most, "distemper.checks.smod")
    for points, full in ((sheet.wp, sheet.wp_full), (sheet.rp, sheet.rp_full)):
        if points > full:
            refuse(f"{points} of {full} are more than all", what="points", rule=TRACKED.rule)
    if sheet.insight is not None and sheet.insight < 0:
        refuse("nobody owes Insight Dice", what="insight", rule=STARTING_INSIGHT.rule)
    if sheet.insight and not sheet.player:
        refuse("Insight Dice are the players'", what="insight", rule=STARTING_INSIGHT.rule)
    for item in sheet.items:
        if item.condition < 0:
            refuse("its condition is never below 0", what=item.name, rule="distemper.upkeep.check")
    check_names(sheet.items, rule=TRACKED.rule)


def _check_levels(levels: Levels, known: tuple[str, ...], listed: str, least: int, most: int, ranged: str) -> None:
    """A sheet must spell names as the book does; otherwise they would be listed but never found."""
    for name, level in levels.items():
        if name not in known:
            refuse("the book has none of this name", what=name, rule=listed, legal=known)
        if not least <= level <= most:
            refuse(f"{level} is out of range", what=name, rule=ranged, legal=(f"{least} to {most}",))


def check_alive(scene: Scene, who: Person) -> None:
    """The dead do nothing, and no one can act on someone who is not here."""
    if who not in scene:
        refuse(f"{who} is not here", rule=TRACKED.rule)
    if scene[who].dead:
        refuse(f"{who} is dead", rule="distemper.combat.damage-tracks")


def thing_says(scene: Scene, item: Item) -> dict[str, Plain]:
    return {"damage": f"{item.wp} Wounds, {item.rp} Resilience" if item.wp or item.rp else "", "skill": item.skill}


CATALOGUE: Final = Catalogue(kind=lambda scene, item: item.skill, says=thing_says, places=unworn)
