"""The character of Dime Adventures: stats, skills, scores, things, consequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from statistics import median
from typing import Annotated, ClassVar, Final, TypeAlias

from referee.core import (
    Active,
    Effect,
    Levels,
    Open,
    Own,
    Pick,
    Refused,
    Scene,
    Unset,
    Who,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rows,
)
from referee.core.effects import Adds
from referee.core.plain import as_spelled
from referee.core.things import DROPPED, check_names
from referee.systems.dime.gear import PROPERTIES, Item, carried_slots, check_item

ABBREVIATIONS: Final = figure("dime.flip.notation", "stat_abbreviations", dict[str, str])
STATS: Final = figure("dime.chargen.stats", "stats", tuple[str, ...])
SEVERITIES: Final = figure("dime.consequence.severity", "severities", Levels)
MOST_SEVERE: Final = figure("dime.consequence.severity", "maximum", int)
SUIT_ORDER: Final = figure("dime.flip.suits", "order", tuple[str, ...])
ENCUMBERED: Final = "Encumbered"


@figures("dime.chargen.stats")
class StatRange:
    """What a stat of a person or of a creature may be, and what one is that a sheet does not list."""

    human_range: tuple[int, int]
    creature_max: int
    unlisted: int


@frozen
class MedianScore:
    """A score that is the middle one of three stats, and something more."""

    base: int
    median: tuple[str, ...]


@frozen
class SumScore:
    """A score that is the sum of stats."""

    sum: tuple[str, ...]


@figures("dime.chargen.scores")
class Scores:
    """What the scores are where nobody has written another number."""

    moxie: int
    dr: int
    defense: MedianScore
    willpower: MedianScore
    hp: SumScore
    encumbrance: MedianScore


@frozen
class SkillRow:
    """A skill, and whether it is learned field by field."""

    name: str
    fields: bool
    covers: str


SKILLS: Final = rows("dime.chargen.skill-list", "skills", SkillRow)
STAT_NAMES: Final = Pick(STATS, also=lambda scene: scene[ABBREVIATIONS])
SKILL_NAMES: Final = Pick(lambda scene, who: scene[SKILLS].names)


@frozen
class ConsequenceRow:
    """A consequence: its effects for each severity and besides, and what ends it."""

    name: str
    per_severity: tuple[Effect, ...] = ()
    effects: tuple[Effect, ...] = ()
    subject: bool = False
    """Whether it is about something: a fear of whom, a desire for what."""
    one_at_a_time: bool = False
    ends_at: tuple[str, ...] = ()
    """The moments that end it, whatever its severity."""
    ap_to_ignore: int = 0
    """What it costs to ignore it for a round; 0 if that cannot be done."""


_NAMED: Final = ("bolstered", "concealment", "cover", "dazed", "desire", "disabled", "encumbered", "fatigue", "fear")
CONSEQUENCES: Final = rows(
    "dime.consequence.bleeding",
    "consequence",
    ConsequenceRow,
    also=tuple(f"dime.consequence.{each}/consequence" for each in (*_NAMED, "fixated", "prone", "stun")),
)

ConsequenceName: TypeAlias = Annotated[str, CONSEQUENCES]


@frozen
class Consequence:
    """Something that troubles (or helps) a character, how badly, and about what."""

    known_by: ClassVar = ("name", "subject")
    name: str
    severity: int = 1
    subject: str = ""
    ignored: bool = False
    """Whether it has been bought off until the round ends."""
    compelling: bool = False
    """Whether a Desire must be indulged at the next opportunity."""

    def effects(self, scene: Scene) -> Iterator[Active]:
        if self.ignored:
            return
        row = scene[CONSEQUENCES].look(self.name)
        for effect in (*(times(each, self.severity) for each in row.per_severity), *row.effects):
            about = frozenset(tag.replace("subject", self.subject) for tag in effect.when)
            yield Active(replace(effect, when=about), row.name, scene[CONSEQUENCES].rule_of(row.name))


def times(effect: Effect, number: int) -> Effect:
    """An effect that adds, for each severity or each point of a rating."""
    if not isinstance(effect.does, Adds):
        return effect
    return replace(effect, does=replace(effect.does, amount=effect.does.amount * number))


@frozen
class Trait:
    """A trait in its player's words: whether it takes a Moxie, which suit it makes trump, and what it does."""

    name: str
    moxie: bool = False
    trump: str = ""
    effects: tuple[Effect, ...] = ()


@frozen
class Task:
    """An extended action in progress."""

    name: str
    stat: Annotated[str, STAT_NAMES]
    skill: str = ""
    tn: int = 10
    tally: int = 10
    minutes: int = 60
    """How long an interval takes."""
    total: int = 0
    intervals: int = 0


@frozen
class Invention:
    """An invention in progress, or finished: then its points of flaws are known."""

    name: str
    tn: int
    concept: str
    """The conceptual skill, such as academics (chemistry)."""
    applied: str
    """The applied skill, such as trade (clockmaking)."""
    stat: Annotated[str, STAT_NAMES] = "Dexterity"
    """The stat of the prototype."""
    minutes: int = 60
    cost: int | None = None
    """The Cost of an interval, if it is not half the TN."""
    total: int = 0
    intervals: int = 0
    flaws: int | None = None


@frozen
class Dying:
    """How the fight for one's life stands."""

    successes: int = 0
    failures: int = 0


@frozen
class Adventurer:
    """A player's character, or somebody of the game master's (`player: no`)."""

    in_play: ClassVar = (
        "lifestyle_used",
        "lifestyle_change",
        "tasks",
        "injured_at",
        "lasting_harm",
        "dying",
    )
    stats: Open[Annotated[Levels, STAT_NAMES]] = field(default_factory=Levels)
    skills: Open[Annotated[Levels, SKILL_NAMES]] = field(default_factory=Levels)
    player: Open[bool] = True
    creature: Open[bool] = False
    moxie: Open[Annotated[int | None, Unset("dime.chargen.scores/moxie")]] = None
    dr: Open[Annotated[int | None, Unset("dime.chargen.scores/dr")]] = None
    defense: Open[Annotated[int | None, Unset("dime.chargen.scores/defense")]] = None
    willpower: Open[Annotated[int | None, Unset("dime.chargen.scores/willpower")]] = None
    hp_full: Open[Annotated[int | None, Unset("dime.chargen.scores/hp")]] = None
    hp: Open[Annotated[int | None, Unset("dime.chargen.scores/hp")]] = None
    encumbrance: Open[Annotated[int | None, Unset("dime.chargen.scores")]] = None
    consequences: Open[tuple[Consequence, ...]] = ()
    items: Open[tuple[Item, ...]] = ()
    traits: Open[tuple[Trait, ...]] = ()
    wealth: Open[int] = 0
    lifestyle: Open[int] = 0
    lifestyle_used: Open[bool] = False
    """Whether it was called upon this month."""
    lifestyle_change: Open[int] = 0
    """A step announced for the end of the month."""
    tasks: Open[tuple[Task, ...]] = ()
    inventions: Open[tuple[Invention, ...]] = ()
    injured_at: Open[int | None] = None
    """When the latest injury was taken that first aid has not seen to."""
    lasting_harm: Open[Levels] = field(default_factory=Levels)
    """HP lost to sources that still affect the character, which nothing heals."""
    dying: Open[Dying | None] = None
    unconscious: Open[bool] = False
    dead: Open[bool] = False
    concept: Open[str] = ""
    background: Open[str] = ""
    experiences: Open[tuple[str, ...]] = ()
    creed: Open[str] = ""
    idiosyncrasy: Open[str] = ""
    languages: Open[tuple[str, ...]] = ()
    weaknesses: Own[tuple[str, ...]] = ()

    def item(self, name: str) -> Item:
        for item in self.items:
            if item.name.casefold() == name.casefold():
                return item
        raise Refused(name, because="it is not carried", rule=PROPERTIES.rule, legal=(each.name for each in self.items))

    def with_item(self, changed: Item) -> Adventurer:
        """An item changed, or a new one."""
        if changed.name not in (each.name for each in self.items):
            return replace(self, items=(*self.items, changed))
        return replace(self, items=tuple(changed if each.name == changed.name else each for each in self.items))

    def dropping(self) -> Adventurer:
        """Whatever is held falls to the ground."""
        return replace(self, items=tuple(each.at(DROPPED) if each.held else each for each in self.items))

    def consequence(self, name: str, subject: str = "") -> Consequence | None:
        return next((each for each in self.consequences if (each.name, each.subject) == (name, subject)), None)

    def with_consequence(self, changed: Consequence) -> Adventurer:
        """With a consequence as it is now; at severity 0 it is gone."""
        others = tuple(
            each for each in self.consequences if (each.name, each.subject) != (changed.name, changed.subject)
        )
        return replace(self, consequences=(*others, changed) if changed.severity > 0 else others)

    def with_task(self, task: Task) -> Adventurer:
        others = tuple(each for each in self.tasks if each.name != task.name)
        return replace(self, tasks=(*others, task))

    def without_task(self, name: str) -> Adventurer:
        return replace(self, tasks=tuple(each for each in self.tasks if each.name != name))

    def with_invention(self, invention: Invention) -> Adventurer:
        others = tuple(each for each in self.inventions if each.name != invention.name)
        return replace(self, inventions=(*others, invention))

    def effects(self, scene: Scene) -> Iterator[Active]:
        """What consequences, things in use and traits do."""
        for each in (*self.consequences, *encumbered(scene, self)):
            yield from each.effects(scene)
        for item in self.items:
            yield from item.effects(scene)
        for trait in self.traits:
            yield from (Active(each, trait.name, "dime.moxie.activate-trait") for each in trait.effects)


Person: TypeAlias = Who[Adventurer]


def others(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Adventurer) if each != who and not scene[each].dead)


def living(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Adventurer) if not scene[each].dead)


def every_stat(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return scene[STATS]


def check_stat(scene: Scene, who: Person | None, stat: str) -> None:
    """A stat by its name or its abbreviation, however it is written."""
    if stat_named(scene, stat) not in scene[STATS]:
        refuse("there is no such stat", what=stat, rule=STATS.rule, legal=scene[STATS])


def stat_named(scene: Scene, written: str) -> str:
    return as_spelled(written, scene[STATS], scene[ABBREVIATIONS])


def skill_named(scene: Scene, written: str) -> str:
    """A skill as the list has it, with its field if one is given."""
    name, bracket, rest = written.partition(" (")
    return as_spelled(name, scene[SKILLS].names) + bracket + rest


def learned_skills(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """No skill, or one that somebody has learned; any other adds nothing."""
    return ("", *(scene[who].skills if who else ()))


def check_skill(scene: Scene, who: Person | None, skill: str) -> None:
    """A skill of the list, with a field if it has any; or no skill."""
    name, _, rest = skill.partition(" (")
    if skill and (name not in scene[SKILLS] or (rest and not (scene[SKILLS].look(name).fields and rest.endswith(")")))):
        refuse("there is no such skill", what=skill, rule=SKILLS.rule, legal=scene[SKILLS].names)


# --- figures of a character -------------------------------------------------------------------------------------------


def stat_of(scene: Scene, sheet: Adventurer, stat: str) -> int:
    return sheet.stats.get(stat, scene[StatRange].unlisted)


@formula("dime.chargen.stats")
def stat_level(scene: Scene, who: Person, stat: str) -> int:
    """A stat; one that the sheet does not list is average."""
    return stat_of(scene, scene[who], stat)


@formula("dime.chargen.skills")
def skill_level(scene: Scene, who: Person, skill: str) -> int:
    """A skill; one that was never learned adds nothing."""
    return scene[who].skills.get(skill, 0)


def _median(scene: Scene, sheet: Adventurer, score: MedianScore) -> int:
    return score.base + int(median(stat_of(scene, sheet, each) for each in score.median))


@formula("dime.chargen.scores/moxie")
def moxie(scene: Scene, who: Person) -> int:
    """The size of the Moxie hand; the game master's people have none unless their sheet says so."""
    sheet = scene[who]
    return sheet.moxie if sheet.moxie is not None else scene[Scores].moxie if sheet.player else 0


@formula("dime.chargen.scores/dr")
def plain_dr(scene: Scene, who: Person) -> int:
    """Damage reduction without armor."""
    written = scene[who].dr
    return scene[Scores].dr if written is None else written


@formula("dime.chargen.scores/defense")
def defense(scene: Scene, who: Person) -> int:
    """The TN of attacks."""
    written = scene[who].defense
    return _median(scene, scene[who], scene[Scores].defense) if written is None else written


@formula("dime.chargen.scores/willpower")
def willpower(scene: Scene, who: Person) -> int:
    """The TN of mental attacks."""
    written = scene[who].willpower
    return _median(scene, scene[who], scene[Scores].willpower) if written is None else written


@formula("dime.chargen.scores/hp")
def hp_score(scene: Scene, who: Person) -> int:
    """The HP of somebody unhurt."""
    written = scene[who].hp_full
    return sum(stat_level(scene, who, each) for each in scene[Scores].hp.sum) if written is None else written


@formula("dime.damage.resolve/left")
def hp(scene: Scene, who: Person) -> int:
    """The HP somebody has left."""
    left = scene[who].hp
    return hp_score(scene, who) if left is None else left


def free_slots(scene: Scene, sheet: Adventurer) -> int:
    written = sheet.encumbrance
    return _median(scene, sheet, scene[Scores].encumbrance) if written is None else written


@formula("dime.chargen.scores")
def encumbrance(scene: Scene, who: Person) -> int:
    """The slots that are carried freely."""
    return free_slots(scene, scene[who])


def encumbered(scene: Scene, sheet: Adventurer) -> tuple[Consequence, ...]:
    """Encumbered, if more is carried than the score allows: one severity for each slot."""
    over = carried_slots(scene, sheet.items) - free_slots(scene, sheet)
    return (Consequence(ENCUMBERED, min(over, scene[MOST_SEVERE])),) if over > 0 else ()


@formula("dime.consequence.encumbered")
def encumbered_severity(scene: Scene, who: Person) -> int:
    """How much somebody is encumbered; 0 if not at all."""
    return sum(each.severity for each in encumbered(scene, scene[who]))


def without_ended(scene: Scene, sheet: Adventurer, moment: str) -> Adventurer:
    """Somebody without the consequences that a moment ends."""
    kept = tuple(each for each in sheet.consequences if moment not in scene[CONSEQUENCES].look(each.name).ends_at)
    return sheet if kept == sheet.consequences else replace(sheet, consequences=kept)


@formula("dime.consequence.severity")
def severity_of(scene: Scene, who: Person, name: ConsequenceName, subject: str = "") -> int:
    """How bad a consequence is; 0 if somebody does not have it."""
    if name == ENCUMBERED:
        return encumbered_severity(scene, who)
    found = scene[who].consequence(name, subject)
    return found.severity if found else 0


# --- what a sheet may be, and who may act -----------------------------------------------------------------------------


def check_sheet(scene: Scene, who: Person) -> None:
    """Only what the book has, within its ranges."""
    sheet, span = scene[who], scene[StatRange]
    least, most = span.human_range[0], span.creature_max if sheet.creature else span.human_range[1]
    for stat, level in sheet.stats.items():
        if stat not in scene[STATS]:
            refuse("there is no such stat", what=stat, rule=STATS.rule, legal=scene[STATS])
        if not least <= level <= most:
            refuse(f"{level} is out of range", what=stat, rule=STATS.rule, legal=(f"{least} to {most}",))
    for skill, level in sheet.skills.items():
        check_skill(scene, who, skill)
        if level < 0:
            refuse("a level is never below 0", what=skill, rule="dime.chargen.skills")
    if hp(scene, who) > hp_score(scene, who):
        refuse(f"{hp(scene, who)} are more than all {hp_score(scene, who)}", what="hp", rule="dime.chargen.scores")
    if (sheet.moxie or 0) < 0:
        refuse("it is never below 0", what="moxie", rule="dime.chargen.scores")
    if min(sheet.wealth, sheet.lifestyle) < 0:
        refuse("Wealth and Lifestyle are never below 0", what="wealth", rule="dime.wealth.costs")
    _check_consequences(scene, sheet)
    _check_items(scene, sheet)
    for trait in sheet.traits:
        if trait.trump:
            _check_suit(scene, trait.trump, "dime.flip.trump")


def _check_items(scene: Scene, sheet: Adventurer) -> None:
    check_names(sheet.items, rule=PROPERTIES.rule)
    for item in sheet.items:
        check_item(scene, sheet.items, item)
        for suit in item.damage:
            _check_suit(scene, suit, "dime.weapon.properties")
        if item.shots is not None and not 0 <= item.shots <= max(0, item.rating(scene, "Shots")):
            refuse(f"it holds 0 to {item.rating(scene, 'Shots')} shots", what=item.name, rule="dime.weapon.properties")


def _check_suit(scene: Scene, suit: str, rule: str) -> None:
    if suit not in scene[SUIT_ORDER]:
        refuse("there is no such suit", what=suit, rule=rule, legal=scene[SUIT_ORDER])


def written_names(scene: Scene) -> dict[str, tuple[str, ...]]:
    """The names that the book has for texts on a sheet."""
    return {
        "consequences.name": tuple(each for each in scene[CONSEQUENCES].names if each != ENCUMBERED),
        "traits.trump": scene[SUIT_ORDER],
    }


def _check_consequences(scene: Scene, sheet: Adventurer) -> None:
    most, held = scene[MOST_SEVERE], sheet.consequences
    for each in held:
        row = scene[CONSEQUENCES].look(each.name)
        rule = scene[CONSEQUENCES].rule_of(each.name)
        if row.name == ENCUMBERED:
            refuse("it follows from what is carried", what=each.name, rule=rule)
        if not 1 <= each.severity <= most:
            refuse(f"a severity is 1 to {most}", what=each.name, rule="dime.consequence.severity")
        if row.subject != bool(each.subject):
            refuse("it has a subject" if row.subject else "it has no subject", what=each.name, rule=rule)
        alike = [other for other in held if other.name == each.name]
        if len(alike) > 1 and (row.one_at_a_time or len({other.subject for other in alike}) < len(alike)):
            refuse("only one at a time", what=each.name, rule=rule)


def check_awake(scene: Scene, who: Person) -> None:
    """The dead and the unconscious do nothing."""
    if who not in scene:
        refuse(f"{who} is not here", rule="dime.damage.dying")
    if scene[who].dead:
        refuse(f"{who} is dead", rule="dime.damage.dying")
    if scene[who].unconscious:
        refuse(f"{who} is unconscious", rule="dime.damage.below-zero")
