"""Dice codes: their arithmetic, the abilities of a character as codes, and how a campaign rolls them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from referee.core import (
    DICE,
    PIPS,
    Mod,
    Mods,
    Pick,
    Refused,
    Scene,
    figure,
    formula,
    from_book,
    frozen,
    option,
    refuse,
    rows,
)
from referee.core.plain import meant
from referee.core.trace import note
from referee.kits import dice_codes
from referee.kits.dice_codes import Code, CodeDice, Stat, WildDie, WildOne, WildSix
from referee.systems.d6.bestiary import NATURE as CREATURE_NATURE
from referee.systems.d6.bestiary import ORNERINESS, CreatureAbilities, lacks
from referee.systems.d6.sheet import ATTRIBUTES, PIPS_PER_DIE, SKILLS, Hero, Person, SkillRow
from referee.systems.d6.skill_names import ADVANCED, FIELD

STAT_PIPS: Final = figure("d6.core.dice-code", "stat_pips_allowed", tuple[int, ...])
SIDES: Final = figure("d6.core.dice-code", "die_sides", int)
UNLISTED: Final = figure("d6.core.dice-code", "unlisted", Stat)
PER_DIE: Final = figure("d6.core.average-roll", "per_die", float)
WILD_6: Final = figure("d6.core.wild-die", "wild_6", int)
WILD_1: Final = figure("d6.core.wild-die", "wild_1", int)

DEFAULTING: Final = "d6.creation.skills-general"


class Rounding(Enum):
    """Which whole number of pips a mean is."""

    UP = "up"
    DOWN = "down"
    NEAREST = "nearest"


class WildSixRule(Enum):
    """What this campaign does with a six on the wild die."""

    RE_ROLL = "re-roll"
    GOOD_FORTUNE = "good fortune"
    GAME_MASTER = "game master"


class WildOneRule(Enum):
    """What this campaign does with a one on the wild die."""

    IGNORE = "ignore"
    DISCARD = "discard"
    COMPLICATION = "complication"
    GAME_MASTER = "game master"


class Fumbles(Enum):
    """What this campaign calls a fumble."""

    WILD_1 = "wild 1"
    ALL_ONES = "all ones"
    HIGH_MARGIN = "high margin of failure"
    NONE = "none"


ROUNDING: Final = option("d6.core.dice-code-average", Rounding)
WILD_DIE: Final = option("d6.core.wild-die")
ON_SIX: Final = option("d6.core.wild-6", WildSixRule)
ON_ONE: Final = option("d6.core.wild-1", WildOneRule)
FUMBLES: Final = option("d6.core.fumble-selection", Fumbles)
ALL_ONES: Final = option("d6.core.fumble-all-ones")
HIGH_MARGIN: Final = option("d6.core.high-margin")


# --- arithmetic -------------------------------------------------------------------------------------------------------


@formula("d6.core.dice-code")
def stat(scene: Scene, code: Code) -> Stat:
    """A code as a stat is written: never with the pips of a whole die."""
    return Stat.of(code, scene[PIPS_PER_DIE])


@formula("d6.core.dice-code-add")
def added(scene: Scene, code: Code, bonus: Code) -> Code:
    """Dice to dice and pips to pips; three pips are not made a die."""
    return code + bonus


@formula("d6.core.dice-code-subtract")
def subtracted(scene: Scene, code: Code, penalty: Code) -> Code:
    """Dice from dice and pips from pips; the pips may fall below 0."""
    return code - penalty


@formula("d6.core.dice-code-multiply")
def multiplied(scene: Scene, code: Code, times: int) -> Code:
    """Dice and pips, each so many times."""
    return code * times


@formula("d6.core.dice-code-average")
def mean(scene: Scene, codes: tuple[Code, ...]) -> Stat:
    """The mean of several codes in whole pips, rounded as the campaign does; a stat."""
    return dice_codes.average(codes, scene[PIPS_PER_DIE], scene[ROUNDING].value)


@formula("d6.core.average-roll")
def average_total(scene: Scene, code: Code) -> float:
    """What a code comes to on average, to estimate difficulties."""
    return float(Fraction(scene[PER_DIE]) * code.dice + code.pips)


def code_mods(code: Code, label: str, rule: str) -> Mods:
    """A code as modifiers: its dice, and its pips if it has any."""
    dice = (Mod(code.dice, label, rule, unit=DICE),) if code.dice or not code.pips else ()
    return (*dice, Mod(code.pips, label, rule, unit=PIPS)) if code.pips else dice


# --- abilities --------------------------------------------------------------------------------------------------------


@frozen
class NameElsewhere:
    """A name under which other chapters speak of a skill, and what it is called."""

    name: str
    means: str


SETTING_SKILLS: Final = "d6.setting.skills-abilities"
ELSEWHERE: Final = rows("d6.skills.names-elsewhere", "same", NameElsewhere, also=(f"{SETTING_SKILLS}/merged",))
NO_SKILLS: Final = figure(SETTING_SKILLS, "no_skills", tuple[str, ...])


@frozen
class AbilityName:
    """The name of an attribute or a skill, taken apart: `Search::surprise` is a field of Search, of Perception."""

    attribute: str
    skill: str = ""
    """The basic or advanced skill; none for an attribute."""
    field: str = ""
    advanced: bool = False
    involves: tuple[str, ...] = ()
    listed: str = ""
    """The rule that lists the skill."""

    @property
    def key(self) -> str:
        """As a sheet writes it."""
        named = f"{self.skill}{FIELD}{self.field}" if self.field else self.skill or self.attribute
        return named + ADVANCED if self.advanced else named

    @property
    def tags(self) -> tuple[str, ...]:
        """What effects may name: itself, its skill, its attribute, what it involves, whether it is a skill."""
        kind = "skill" if self.skill else "attribute"
        named = (self.key, self.skill, self.attribute, kind, *self.involves)
        return tuple(dict.fromkeys(each for each in named if each))


@from_book
def ability_name(scene: Scene, text: str) -> AbilityName:
    """An attribute or a skill by its name, however it is capitalised; any other is refused."""
    text = listed_name(scene, text)
    bare, _, field = text.removesuffix(ADVANCED).partition(FIELD)
    for name in (*scene[ATTRIBUTES].names, ORNERINESS):
        if name.casefold() == text.casefold():
            return AbilityName(name)
    row, own = _skill_row(scene, bare, text)
    attribute = attribute_of(scene, row)
    if text.endswith(ADVANCED) and not row.advanced:
        raise Refused(text, because=f"{row.name} is no advanced skill", rule=DEFAULTING, legal=(row.name,))
    return AbilityName(attribute, own, field, row.advanced, row.involves, scene[SKILLS].rule_of(row.name))


@formula("d6.skills.names-elsewhere")
def listed_name(scene: Scene, text: str) -> str:
    """A skill as the lists call it; other chapters have names of their own for some."""
    bare, _, field = text.partition(FIELD)
    found = next((name for name in scene[ELSEWHERE].names if name.casefold() == bare.casefold()), None)
    if found is None:
        return text
    means = scene[ELSEWHERE][found].means
    return f"{means}{FIELD}{field}" if field and FIELD not in means else means


def _skill_row(scene: Scene, bare: str, text: str) -> tuple[SkillRow, str]:
    """The row of a skill, and the skill itself: of `Melee combat <weapon type>` there is one for each type."""
    for row in scene[SKILLS]:
        family, is_family, _ = row.name.partition(" <")
        if bare.casefold() in names_of(row):
            return row, row.name
        if is_family and bare.casefold().startswith(f"{family.casefold()} <") and bare.endswith(">"):
            return row, f"{family} <{bare[len(family) + 2 : -1]}>"
    for row in scene[SKILLS]:  # an advanced skill for each type may also be named by the family alone
        if row.advanced and row.name.partition(" <")[0].casefold() == bare.casefold():
            return row, row.name.partition(" <")[0]
    raise Refused(
        text,
        because="there is no such attribute or skill",
        rule=DEFAULTING,
        legal=(*scene[ATTRIBUTES].names, *scene[SKILLS].names),
    )


def names_of(row: SkillRow) -> tuple[str, ...]:
    """What a skill is called: its whole name, an alias, the halves of `Lifting / Throwing`, the `Sport I` of a list."""
    return tuple(
        each.casefold() for each in (row.name, row.alias, *row.name.split(" / "), row.name.partition(" (")[0]) if each
    )


def attribute_of(scene: Scene, row: SkillRow) -> str:
    """The attribute that a skill of the lists belongs to."""
    return scene[_ATTRIBUTE_OF[scene[SKILLS].rule_of(row.name)]]


_ATTRIBUTE_OF: Final = {
    rule: figure(rule, "attribute", str) for rule in (SKILLS.rule, *(rule for rule, _ in SKILLS.also))
}


@formula(DEFAULTING, "d6.skills.defaulting", "d6.skills.specialization", "d6.skills.advanced")
def own_code(scene: Scene, who: Person, using: str) -> Code:
    """The code of an ability: a field not learned is its skill's, a skill not learned its attribute's.

    An advanced skill that was not learned cannot be used.
    """
    sheet, named = scene[who], ability_name(scene, using)
    if named.listed:
        note(named.listed)
    if sheet.creature is not None and not named.advanced and creature_lacks(scene, who, named):
        own = sheet.creature.orneriness
        return own.code if own is not None and named.attribute == ORNERINESS else scene[CreatureAbilities].missing
    attribute = sheet.attributes.get(named.attribute, scene[UNLISTED])
    if named.advanced:
        note("d6.skills.advanced")
        known = sheet.advanced_skills.get(named.key) or sheet.advanced_skills.get(named.key.removesuffix(ADVANCED))
        if known is None:
            refuse(f"{who} has not learned {named.key}, and no one can do without", what=named.key)
        return known.code
    if named.field and (field := meant(named.key, sheet.specializations)) is not None:
        note("d6.skills.specialization")
        return sheet.specializations[field].code
    if named.skill and named.skill not in sheet.skills:
        note("d6.skills.defaulting")
    return sheet.skills.get(named.skill, attribute).code


def creature_lacks(scene: Scene, who: Person, named: AbilityName) -> bool:
    """Whether a creature has neither the skill nor what it would be rolled with instead."""
    sheet = scene[who]
    own = named.skill in sheet.skills or meant(named.key, sheet.specializations) is not None
    return lacks(scene, named.attribute in sheet.attributes, named.skill, own)


def abilities(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """What may be rolled: attributes, skills, and what a sheet has beyond the lists."""
    left_out = scene[NO_SKILLS]
    listed = (
        row.name for row in scene[SKILLS] if not row.advanced and "<" not in row.name and row.name not in left_out
    )
    own: Iterable[str] = ()
    if who is not None:
        sheet = scene[who]
        own = (*sheet.skills, *sheet.specializations, *sheet.advanced_skills)
    found = tuple(dict.fromkeys((*scene[ATTRIBUTES].names, *listed, *own)))
    if who is None or scene[who].creature is None:
        return found
    return tuple(each for each in found if not creature_lacks(scene, who, ability_name(scene, each)))


def check_ability(scene: Scene, who: Person | None, using: str) -> None:
    """Any attribute or skill of the book; an advanced skill only by those who have learned it."""
    named = ability_name(scene, using)
    check_in_setting(scene, named)
    if who is None:
        return
    if scene[who].creature is not None and not named.advanced and creature_lacks(scene, who, named):
        refuse(f"{who} has no {named.key}", what=named.key, rule=CREATURE_NATURE, legal=abilities(scene, who))
    if scene[who].creature is None and named.attribute == ORNERINESS:
        refuse(f"{who} is no creature", what=ORNERINESS, rule=CREATURE_NATURE)
    own_code(scene, who, using)


@formula(SETTING_SKILLS)
def check_in_setting(scene: Scene, named: AbilityName) -> None:
    """A skill that the setting leaves out is rolled by nobody of their own accord."""
    if named.skill and {named.skill, named.key} & set(scene[NO_SKILLS]):
        refuse("there is no such skill in this setting", what=named.key, legal=(named.attribute,))


Ability: TypeAlias = Annotated[str, Pick(abilities, check_ability)]


# --- how this campaign rolls ------------------------------------------------------------------------------------------


@from_book
def fumbles(scene: Scene) -> Fumbles:
    """What a fumble is here: the campaign's choice, or the alternative it has switched on."""
    if scene[ALL_ONES]:
        return Fumbles.ALL_ONES
    return Fumbles.HIGH_MARGIN if scene[HIGH_MARGIN] else scene[FUMBLES]


_ONES: Final = {
    WildOneRule.IGNORE: WildOne.IGNORE,
    WildOneRule.DISCARD: WildOne.DISCARD,
    WildOneRule.COMPLICATION: WildOne.COMPLICATION,
    WildOneRule.GAME_MASTER: WildOne.IGNORE,
}
_SIXES: Final = {
    WildSixRule.RE_ROLL: WildSix.AGAIN,
    WildSixRule.GOOD_FORTUNE: WildSix.FORTUNE,
    WildSixRule.GAME_MASTER: WildSix.FORTUNE,
}


@formula("d6.core.wild-1")
def on_wild_one(scene: Scene) -> WildOne:
    """What a one on the wild die does here; nothing, where all ones are a fumble instead."""
    return WildOne.IGNORE if fumbles(scene) is Fumbles.ALL_ONES else _ONES[scene[ON_ONE]]


@formula("d6.core.wild-6")
def on_wild_six(scene: Scene) -> WildSix:
    """What a six on the wild die does here."""
    return _SIXES[scene[ON_SIX]]


@formula("d6.core.wild-die")
def wild_die(scene: Scene) -> WildDie:
    """One of the dice is wild: which faces are, and what they do."""
    return WildDie(scene[WILD_1], scene[WILD_6], on_wild_one(scene), on_wild_six(scene))


@formula("d6.core.wild-1-not-on-reroll")
def is_wild_one(scene: Scene, shown: tuple[int, ...]) -> bool:
    """Whether a wild die shows a wild one: only when it is first thrown, not when a six is thrown again."""
    return shown[:1] == (scene[WILD_1],)


def code_dice(scene: Scene) -> CodeDice:
    """How codes are rolled here. What the game master decides each time is not part of it."""
    wild = wild_die(scene) if scene[WILD_DIE] else None
    return CodeDice(scene[SIDES], scene[PIPS_PER_DIE], wild, fumbles_on_ones=fumbles(scene) is Fumbles.ALL_ONES)


def dice_with(dice: CodeDice, one: WildOneRule | None = None, six: WildSixRule | None = None) -> CodeDice:
    """How a roll is scored once the game master has ruled on its wild die."""
    if dice.wild is None:
        return dice
    on_one = dice.wild.on_one if one is None else _ONES[one]
    return replace(
        dice, wild=replace(dice.wild, on_one=on_one, on_six=dice.wild.on_six if six is None else _SIXES[six])
    )


# --- what a sheet may say ---------------------------------------------------------------------------------------------


def check_sheet(scene: Scene, who: Person) -> None:
    """Abilities that the book knows, written as it writes them, at legal codes; no points below 0."""
    sheet = scene[who]
    for name, each in (*_stats_of(sheet), ("wealth", sheet.wealth)):
        dice_codes.check_stat(each, scene[PIPS_PER_DIE], rule="d6.core.dice-code")
        if each.pips not in scene[STAT_PIPS]:
            legal = tuple(f"+{pips}" if pips else "no pips" for pips in scene[STAT_PIPS])
            raise Refused(str(each), because="no stat has so many pips", rule=STAT_PIPS.rule, legal=legal)
        if each.code.in_pips(scene[PIPS_PER_DIE]) < 0:
            raise Refused(name, because="a stat is never below 0", rule="d6.core.dice-code")
    for name in sheet.attributes:
        _check_spelled(name, AbilityName(scene[ATTRIBUTES].look(name).name))
    for name in (*sheet.skills, *sheet.specializations, *sheet.advanced_skills):
        _check_spelled(name, ability_name(scene, name))
    _check_kinds(scene, sheet)
    for name in ("character_points", "fate_points", "veteran_points", "stuns", "new_stuns", "move"):
        if getattr(sheet, name) < 0:
            raise Refused(name.replace("_", " "), because="it is never below 0", rule="d6.creation.character-sheet")


def _stats_of(sheet: Hero) -> Iterable[tuple[str, Stat]]:
    for stats in (sheet.attributes, sheet.skills, sheet.specializations, sheet.advanced_skills):
        yield from stats.items()


def _check_spelled(name: str, named: AbilityName) -> None:
    """A sheet must spell names as the book does; otherwise they would be listed but never found."""
    if name not in (named.key, named.key.removesuffix(ADVANCED)):
        raise Refused(name, because=f"it is written {named.key}", rule=DEFAULTING, legal=(named.key,))


def _check_kinds(scene: Scene, sheet: Hero) -> None:
    """Each skill stands where it belongs: basic, a field of one, or advanced."""
    for name in sheet.skills:
        named = ability_name(scene, name)
        if named.advanced or named.field or not named.skill:
            raise Refused(name, because="it is no basic skill", rule=DEFAULTING)
    for name in sheet.specializations:
        if not ability_name(scene, name).field:
            raise Refused(name, because="a specialization is written Skill::field", rule=DEFAULTING)
    for name in sheet.advanced_skills:
        if not ability_name(scene, name).advanced:
            raise Refused(name, because="it is no advanced skill", rule=DEFAULTING)
