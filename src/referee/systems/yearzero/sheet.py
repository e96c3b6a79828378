"""The character: attributes, skills, specialties, talents, points, gear, and what a session leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import Annotated, Any, ClassVar, Final, Literal, Protocol, TypeAlias

from referee.core import Active, Hidden, Levels, Open, Own, Pick, Refused, Scene, Who, figure, formula, frozen, rows
from referee.core.things import added, thing_of, with_thing
from referee.kits.hazards import HazardExposure
from referee.kits.things import Thing
from referee.kits.wounds import Wound, with_wound, without_wound, wound_of
from referee.systems.yearzero.hazard_tables import drunk_effects, exposure_effects
from referee.systems.yearzero.injury_tables import (
    LOCATIONS,
    OUTBURST,
    SICK,
    WITHDRAWAL,
    check_injuries,
    injury_effects,
    location_named,
    outburst_effects,
    sickness_effects,
    trauma_effects,
)
from referee.systems.yearzero.items import check_features, spelled, thing_effects
from referee.systems.yearzero.panic_tables import panicking
from referee.systems.yearzero.talents import anchor_limit, check_talents, talent_effects

PLAIN_ATTRIBUTE: Final = 3
"""The score of an attribute that a sheet does not list."""


@frozen
class AttributeName:
    """An attribute and the short form of its name."""

    name: str
    abbreviation: str


@frozen
class SkillRow:
    """A skill, the attribute it belongs to (by its short form), and whether it has a prerequisite."""

    name: str
    attribute: str
    advanced: bool


@frozen
class SpecialtyRow:
    """A specialty of a skill and the rolls it covers."""

    name: str
    covers: str = ""
    also_called: str = ""
    legacy_name: str = ""
    examples: tuple[str, ...] = ()
    weapons: tuple[str, ...] = ()
    """The weapons it covers, and those whose kind ends like one of them: a longsword is a sword."""
    features: tuple[str, ...] = ()
    """Features of other weapons that it covers."""
    note: str = ""
    dm: int = 0


LIST: Final = "yearzero.core.skills-and-attributes"
ATTRIBUTES: Final = rows(LIST, "attributes", AttributeName)
SKILLS: Final = rows(LIST, "skills", SkillRow)
LEGACY: Final = figure(LIST, "legacy_names_in_text", dict[str, str])
MOST_WILLPOWER: Final = figure("yearzero.core.willpower-cap", "max_wp", int)

CHAPTERS: Final = {
    "Might": "might",
    "Endurance": "endurance",
    "Melee": "melee",
    "Stealth": "stealth",
    "Move": "move",
    "Marksmanship": "marksmanship",
    "Driving": "driving",
    "Piloting": "piloting",
    "Observation": "observation",
    "Survival": "survival",
    "Crafting": "crafting",
    "Scholar": "scholar",
    "Technical": "technical",
    "Insight": "insight",
    "Influence": "influence",
    "Animal Handling": "animal-handling",
    "Medical Aid": "medical-aid",
}
"""The chapter of each skill, as ids name it."""
SPECIALTIES: Final = {
    skill: rows(f"yearzero.{chapter}.specialties", "specialties", SpecialtyRow) for skill, chapter in CHAPTERS.items()
}

ENVIRONMENT: Final = "Environment (choose one)"
"""The specialty of Survival that is taken for an environment, `Environment (Forest)`; it helps Endurance there too."""


def is_environment(specialty: str) -> bool:
    return specialty.startswith("Environment (") and specialty.endswith(")")


def printed_specialty(skill: str, specialty: str) -> tuple[str, str]:
    """Where the book prints a specialty: one row of Survival stands for every environment."""
    return ("Survival", ENVIRONMENT) if is_environment(specialty) else (skill, specialty)


STRENGTH, AGILITY, WITS, EMPATHY = "Strength", "Agility", "Wits", "Empathy"


def abbreviations(scene: Scene) -> dict[str, str]:
    """The attributes by their short forms in the book."""
    return {row.abbreviation: row.name for row in scene[ATTRIBUTES]}


ATTRIBUTE_NAMES: Final = Pick(lambda scene, who: scene[ATTRIBUTES].names, also=abbreviations)
SKILL_NAMES: Final = Pick(lambda scene, who: scene[SKILLS].names)
Attribute: TypeAlias = Annotated[str, ATTRIBUTES]
Skill: TypeAlias = Annotated[str, SKILLS]


@frozen
class Item(Thing):
    """A thing with a Gear Bonus or a Reliability of its own, where no catalogue has its row."""

    in_play: ClassVar = (*Thing.in_play, "jammed", "barred", "running")
    filled_by: ClassVar = {"loaded": "magazine"}
    gear_bonus: int | None = None
    """The bonus at first; None if the catalogue says it."""
    reliability: int | None = None
    """The rating at first of gear that wears by Reliability; None if the catalogue says it, or it has none."""
    features: tuple[str, ...] = ()
    damage: int | None = None
    jammed: bool = False
    hardened: int = 0
    """Points of wear that it will ignore."""
    improved: bool = False
    """Whether its bonus or damage was raised; that is done only once."""
    inferior: bool = False
    uses: int | None = None
    """How often it can be used before it is gone; None if that is not counted."""
    potency: int = 0
    """How strong it came out: Quarter Days or turns that it works."""
    price_multiple: int = 1
    part: str = "general"
    """The kind of spare part a repair takes: vehicle, weapon, electronic or general."""
    barred: tuple[str, ...] = ()
    """Those who have failed to repair it, until somebody else has."""
    rate_of_fire: int = 0
    """The most ammo dice a firearm rolls; 0 if it does not fire rapidly."""
    magazine: int = 0
    """The rounds it holds; 0 for what needs none."""
    armor: int = 0
    """Its Armor Rating at first, if it is worn."""
    areas: tuple[str, ...] = ()
    """The parts of the body it protects: Head, Torso, Arms, Legs."""
    programs: tuple[str, ...] = ()
    """What is on a computer."""
    running: tuple[str, ...] = ()
    """The programs that run on it."""
    material: str = ""
    """What it is made of, if that is weaker than metal: wood, leather, plastic."""
    partly: tuple[str, ...] = ()
    """The parts of the body it protects only in part: an open visor, greaves."""
    max_range: str = ""
    """The furthest range it is fired at; as far as one sees, if nothing says so."""
    caliber: str = ""
    """The only ammunition it takes; any, if nothing says so."""
    blast: str = ""
    """The step of Blast Power with which it explodes: A, B, C, D, or dice such as 3D8."""
    poisoned: str = ""
    """The poison on it."""
    mount: str = ""
    """The vehicle that it is mounted on, if somebody is at it."""
    targeting: bool = False
    """Whether a weapon on a mount has a targeting system, so that the vehicle may move."""
    automated: int = 0
    """The Marksmanship of a weapon on a mount that fires by itself; 0 if it does not."""
    scrap: str = ""
    """The row of the scrap table that it was found by."""
    shattered: Levels = field(default_factory=Levels)
    """Points of its rating that ablative armor lost in one of several parts of the body."""

    def rating_at(self, rating: int, location: str) -> int:
        """What is left of its rating in a part of the body."""
        return max(0, self.rating(rating) - self.shattered.get(location, 0))

    def shattering(self, rating: int, location: str, points: int) -> Item:
        """After losing rating in a part of the body, down to nothing."""
        lost = self.shattered.get(location, 0) + min(points, self.rating_at(rating, location))
        return replace(self, shattered=self.shattered.but(**{location: lost}))

    def repaired(self, points: int) -> Item:
        """After a repair: of what wore all of it first, and then part by part."""
        mended, left = replace(self, wear=max(0, self.wear - points)), max(0, points - self.wear)
        for part, lost in self.shattered.items():
            mended = replace(mended, shattered=mended.shattered.but(**{part: max(0, lost - left)}))
            left = max(0, left - lost)
        return mended

    @property
    def is_worn(self) -> bool:
        """Whether a repair can bring back anything of its rating."""
        return self.wear > 0 or any(self.shattered.values())

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(map(spelled, self.features)))
        for name in ("areas", "partly"):
            if getattr(self, name):
                object.__setattr__(self, name, tuple(map(location_named, getattr(self, name))))


@frozen
class FailedCraft:
    """An item that did not come out, and with what skill, help and tools it was tried."""

    name: str
    level: int = 0
    helpers: int = 0
    tools: int = 0


@frozen
class Cover:
    """What somebody is behind: a structure of the table, or a shield and the parts of the body it covers."""

    name: str = ""
    full: bool = False
    """Whether nothing of them shows, and they see nothing."""
    areas: tuple[str, ...] = ()
    """The parts it covers; those of a structure depend on who fires from behind it."""
    since: int = 0
    """The round in which it was raised, if it is a shield."""


@frozen
class TimeLimit:
    """Something that lasts until a moment of the clock: an activity, or a lock on another try."""

    known_by: ClassVar = ("name",)
    name: str
    until: int
    beside: str = ""
    """What else may be done at the same time, at a penalty; `anything`, or nothing."""


@frozen
class Injury(Wound):
    """A critical injury."""

    lethal_dm: int = 0
    """What a printed "-1" beside lethal takes from rolls to stabilise it."""
    permanent: bool = False
    awaiting_save: bool = False
    """Whether a try to stabilise it has failed, so that a death save must come first."""
    since: int = 0
    """Since when its time limit runs: it was taken, or the last death save was passed."""
    heals_at: int | None = None
    """When it heals by itself, which is rolled as it is taken."""
    virulence: int = 0
    """How bad the infection of the wound will be, unless it has had care by then; 0 if it stays clean."""
    infects_at: int | None = None
    """When the infection sets in."""


@frozen
class Aid:
    """First aid that somebody gave for damage to an attribute."""

    known_by: ClassVar = ("attribute", "by")
    attribute: str
    by: str
    bonus: int
    """The Gear Bonus it was given with."""
    success: bool


@frozen
class Infection:
    """An illness that somebody has caught."""

    virulence: int = 0
    illness: Literal["bacteria", "virus", "radiation sickness"] = "bacteria"
    since: int = 0
    broke_out: int | None = None
    """When it broke out, from which its days count."""
    strengthless: int | None = None
    """Since when it has left no Strength."""


IN_COVER: Final = "in cover"


@frozen
class Supply:
    """Something that is on offer: how many of it, and whether somebody sells it who does not ask."""

    name: str
    units: int
    illegally: bool = False


CONDITIONS: Final = {
    name.casefold(): name
    for name in (
        "Unconscious",
        "Dead",
        SICK,
        "hungry",
        "thirsty",
        "sleepy",
        "cold",
        "suppressed",
        IN_COVER,
        "mounted",
        "bound",
    )
}
"""Conditions that rules ask for, by their names in small letters."""


def condition_named(name: str) -> str:
    """A condition as the rules spell it, however it is written: unconscious and Unconscious are one."""
    return CONDITIONS.get(name.casefold(), name)


@frozen
class Survivor:
    """A character, played or not."""

    defends_by: ClassVar = "yearzero.combat.reactive-actions/target"
    suffers_by: ClassVar = "yearzero.combat.attack-procedure/through"
    shaken_by: ClassVar = "yearzero.stress.suppression"
    in_play: ClassVar = (
        "damage",
        "stress",
        "pride_used",
        "pride_lock",
        "failed_crafts",
        "situation",
        "anchored",
        "pain",
        "prone",
        "holds",
        "held_by",
        "tried",
        "questions_had",
        "supplies",
        "succeeded",
        "taught",
        "practised",
        "missed",
        "training",
        "injuries",
        "infection",
        "aid",
        "busy",
        "locks",
        "temporary_willpower",
        "wits_meditations",
        "condition_ends",
        "bleeds",
        "cover",
        "exposures",
        "hygiene",
        "down",
        "resting",
        "away",
        "weeks_home",
        "panic_result",
        "shaken",
        "sleeping",
        "loyalties",
        "tainted",
    )
    age: Open[str] = ""
    """Young, Adult or Old."""
    wealth: Open[str] = ""
    """The social class."""
    wages: Open[int] = 0
    """What is earned in a month, in credits."""
    credits: Open[int] = 0
    has_savings: Open[bool] = False
    """Whether savings were rolled for."""
    permits: Open[frozenset[str]] = frozenset()
    """Restrictions that somebody may buy under: F, R, X."""
    supplies: Open[tuple[Supply, ...]] = ()
    """What was found on offer, and can be bought."""
    site: Open[str] = ""
    """The village, borough or organization where somebody is."""
    region: Open[str] = ""
    attributes: Open[Annotated[Levels, ATTRIBUTE_NAMES]] = field(default_factory=Levels)
    """Full scores."""
    damage: Open[Annotated[Levels, ATTRIBUTE_NAMES]] = field(default_factory=Levels)
    """Points of each attribute that are lost now."""
    skills: Open[Annotated[Levels, SKILL_NAMES]] = field(default_factory=Levels)
    specialties: Open[Levels] = field(default_factory=Levels)
    """Improved specialties by skill and name, `Might: Grappler`, each with a level of its own."""
    talents: Open[Levels] = field(default_factory=Levels)
    """Talents by name, with how often each was taken."""
    willpower: Open[int] = 0
    stress: Open[int] = 0
    pride: Open[str] = ""
    pride_used: Open[bool] = False
    """Whether it was used in this session."""
    pride_lock: Open[int] = 0
    """Sessions, this one included, that must end before a lost Pride is replaced."""
    things: Open[tuple[Item, ...]] = ()
    failed_crafts: Open[tuple[FailedCraft, ...]] = ()
    """Items that did not come out in the last week: the next one of the kind is harder to make."""
    inventions: Open[frozenset[str]] = frozenset()
    """Inventions that were tried before."""
    anchors: Open[tuple[str, ...]] = ()
    secret: Own[str] = ""
    """The Dark Secret, a cue for playing."""
    relationships: Open[tuple[str, ...]] = ()
    appearance: Open[str] = ""
    situation: Open[frozenset[str]] = frozenset()
    """What the next roll is about, where a talent or vow asks for it: `vow`, `seduction`."""
    monster: Open[bool] = False
    """Whether this is a horrifying or unnatural creature."""
    anchored: Open[int] = 0
    """How often Stress was relieved with an Anchor in this session."""
    pain: Open[bool] = False
    """Damage suffered since the last action: the next one is harder."""
    prone: Open[bool] = False
    conditions: Open[frozenset[str]] = frozenset()
    holds: Open[str] = ""
    """Whom one holds in a grapple."""
    held_by: Open[str] = ""
    tried: Own[tuple[str, ...]] = ()
    """Goals that were rolled for, and with what, `the gate by Might`; a goal alone stands for any way to it."""
    questions_had: Open[frozenset[str]] = frozenset()
    """Questions after this session that gave XP."""
    succeeded: Open[frozenset[str]] = frozenset()
    """Skills and specialties with a success in this session."""
    taught: Open[frozenset[str]] = frozenset()
    """Skills and specialties that a teacher has taught for a Quarter Day."""
    practised: Open[frozenset[str]] = frozenset()
    """Talents practised for a Quarter Day since they were last tried."""
    missed: Open[frozenset[str]] = frozenset()
    """Talents tried without success."""
    training: Open[tuple[tuple[str, int], ...]] = ()
    """Quarter Days of training for an attribute: which, and when each ended."""
    xp: Open[int] = 0
    skill_xp: Open[int] = 0
    """XP made of Willpower, which pay for skills and specialties only."""
    injuries: Open[tuple[Injury, ...]] = ()
    """Critical injuries."""
    infection: Open[Infection | None] = None
    """The illness of somebody, who is then sick."""
    aid: Open[tuple[Aid, ...]] = ()
    """First aid since the damage was done."""
    busy: Open[tuple[TimeLimit, ...]] = ()
    """What takes this person's time, and until when."""
    locks: Open[tuple[TimeLimit, ...]] = ()
    """What may not be tried again, and until when."""
    temporary_willpower: Open[int] = 0
    """How much of the Willpower is lost at dawn; it is spent first."""
    wits_meditations: Open[int] = 0
    """Meditations for Wits that succeeded."""
    factions: Open[Levels] = field(default_factory=Levels)
    reputation: Open[Levels] = field(default_factory=Levels)
    """Scores by level and type, and for a site or region its name: `Village Justice: Oak Hill`."""
    renowned: Open[frozenset[str]] = frozenset()
    """Scores at a site that have been heard of in the region."""
    condition_ends: Open[Levels] = field(default_factory=Levels)
    """When conditions are over by themselves, by their names; what is not named here lasts until something ends it."""
    bleeds: Open[str] = ""
    """The part of the body that bleeds in every round, until Strength is Broken."""
    cover: Open[Cover | None] = None
    exposures: Open[tuple[HazardExposure, ...]] = ()
    """What wears somebody down by the clock: hunger, cold, poison."""
    down: Open[tuple[TimeLimit, ...]] = ()
    """When somebody Broken gets up unaided, by attribute."""
    hygiene: Open[int | None] = None
    """Points of cleanliness, where that is played."""
    resting: Open[int | None] = None
    """When the Quarter Day of rest or sleep began."""
    away: Open[int | None] = None
    """When the Stronghold was left; None at home."""
    weeks_home: Open[int] = 0
    """Weeks at home since coming back that gave Willpower."""
    panic_result: Open[int] = 0
    """The result of the Panic Effect somebody is under."""
    shaken: Open[bool] = False
    """Whether a panic may leave a trauma, at the next rest."""
    trauma_points: Open[int] = 0
    """How often somebody was rolled a trauma for: the next one is worse."""
    sleeping: Open[bool] = False
    """Whether the Quarter Day of rest is one of sleep."""
    tainted: Hidden[Levels] = field(default_factory=Levels)
    """Poisons in what somebody has picked to eat, which they do not know of: `lethal -3`."""
    loyalties: Hidden[Levels] = field(default_factory=Levels)
    """How loyal somebody is, to persons and masters by name."""

    def __post_init__(self) -> None:
        sick = (SICK,) if self.infection is not None else ()
        if self.conditions or sick:
            over = {OUTBURST, WITHDRAWAL} if self.now(EMPATHY) else set()
            named = frozenset(map(condition_named, (*self.conditions, *sick)))
            object.__setattr__(self, "conditions", named - over)

    def behind(self, cover: Cover) -> Survivor:
        return replace(self.with_condition(IN_COVER), cover=cover)

    def leaving_cover(self) -> Survivor:
        return replace(self.without_condition(IN_COVER), cover=None)

    def full(self, attribute: str) -> int:
        return self.attributes.get(attribute, PLAIN_ATTRIBUTE)

    def now(self, attribute: str) -> int:
        return max(0, self.full(attribute) - self.damage.get(attribute, 0))

    @property
    def broken(self) -> tuple[str, ...]:
        """The attributes that nothing is left of."""
        return tuple(name for name in (STRENGTH, AGILITY, WITS, EMPATHY) if self.now(name) == 0)

    def losing(self, attribute: str, points: int) -> Survivor:
        """After damage to an attribute, which never falls below 0."""
        lost = min(self.full(attribute), self.damage.get(attribute, 0) + points)
        return replace(self, damage=self.damage.but(**{attribute: lost}))

    def healing(self, attribute: str, points: int) -> Survivor:
        left = max(0, self.damage.get(attribute, 0) - points)
        kept = {name: lost for name, lost in {**self.damage, attribute: left}.items() if lost}
        return replace(self, damage=Levels(kept))

    def level(self, skill: str, specialty: str = "") -> int:
        """The level of a skill, or of a specialty that covers the roll if that is higher."""
        own = self.skills.get(skill, 0)
        of = "Survival" if is_environment(specialty) else skill
        return max(own, self.specialties.get(f"{of}: {specialty}", 0)) if specialty else own

    @property
    def environments(self) -> tuple[str, ...]:
        """The environments somebody has a specialty of Survival for."""
        names = (name.removeprefix("Survival: ") for name in self.specialties)
        return tuple(name for name in names if is_environment(name))

    def spending(self, willpower: int) -> Survivor:
        """After Willpower is spent, first of all what would be lost at dawn."""
        left = max(0, self.temporary_willpower - willpower)
        return replace(self, willpower=self.willpower - willpower, temporary_willpower=left)

    def thing(self, name: str) -> Item:
        return thing_of(self.things, name)

    def with_thing(self, thing: Item) -> Survivor:
        return replace(self, things=with_thing(self.things, thing))

    def with_more(self, name: str, amount: float) -> Survivor:
        """With more of something that is counted."""
        return replace(self, things=added(self.things, Item(name, amount=amount), counted=True))

    def injury(self, name: str) -> Injury:
        return wound_of(self.injuries, name)

    def with_injury(self, injury: Injury) -> Survivor:
        return replace(self, injuries=with_wound(self.injuries, injury))

    def without_injury(self, name: str) -> Survivor:
        return replace(self, injuries=without_wound(self.injuries, name))

    def with_condition(self, *names: str) -> Survivor:
        return replace(self, conditions=self.conditions | set(names))

    def with_condition_until(self, name: str, until: int) -> Survivor:
        return replace(self.with_condition(name), condition_ends=self.condition_ends.but(**{name: until}))

    def end_of(self, condition: str) -> int | None:
        """When a condition is over by itself."""
        return self.condition_ends.get(condition) if condition in self.conditions else None

    def without_condition(self, *names: str) -> Survivor:
        left = Levels({name: at for name, at in self.condition_ends.items() if name not in names})
        return replace(self, conditions=self.conditions - set(names), condition_ends=left)

    def falling_sick(self, infection: Infection) -> Survivor:
        return replace(self, infection=infection)

    def getting_well(self) -> Survivor:
        return replace(self, infection=None, conditions=self.conditions - {SICK})

    def effects(self, scene: Scene) -> Iterator[Active]:
        """The effects of talents, of things at hand, of critical injuries, sickness and traumas."""
        yield from talent_effects(scene, self.talents)
        yield from thing_effects(scene, self.things)
        yield from injury_effects(scene, self.injuries)
        yield from sickness_effects(scene, self.conditions)
        yield from outburst_effects(scene, self.conditions)
        yield from trauma_effects(scene, self.conditions)
        yield from panicking(scene, self.conditions)
        yield from exposure_effects(scene, self.exposures)
        yield from drunk_effects(scene, self.conditions)


class TargetSheet(Protocol):
    """What can be attacked, whoever or whatever it is: how it stands, and the rules by which it answers a blow."""

    prone: bool
    monster: bool
    held_by: str
    defends_by: ClassVar[str]
    """How it defends itself: called with the target, the attack and who makes it, before the dice fall."""
    suffers_by: ClassVar[str]
    """What comes through to it: called with the target, the attack, its damage and what follows from the blow."""
    shaken_by: ClassVar[str]
    """What fire does to it that does no damage."""

    @property
    def cover(self) -> Cover | None: ...

    @property
    def broken(self) -> tuple[str, ...]: ...

    @property
    def conditions(self) -> frozenset[str]: ...


Person: TypeAlias = Who[Survivor]
Target: TypeAlias = Who[Any]
"""Anything in the scene with a `TargetSheet`."""
Helpers: TypeAlias = tuple[Person, ...]


def is_target(scene: Scene, target: Target) -> bool:
    """Whether there is such a target in the scene."""
    return hasattr(scene.read(target.name), "suffers_by")


def is_somebody(scene: Scene, target: Target) -> bool:
    """Whether a target is a person or an animal, and not a thing."""
    return isinstance(scene[target], Survivor)


def people(scene: Scene, who: Person | None = None) -> tuple[Person, ...]:
    return scene.all(Survivor)


def others(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Survivor) if each != who)


def attribute_of(scene: Scene, skill: str) -> str:
    """The attribute a skill belongs to, by its full name."""
    short = scene[SKILLS].look(skill).attribute
    return next(row.name for row in scene[ATTRIBUTES] if row.abbreviation == short)


@formula("yearzero.core.dice-pool/strength")
def strength_now(scene: Scene, who: Person) -> int:
    """What is left of Strength."""
    return scene[who].now(STRENGTH)


@formula("yearzero.core.dice-pool/agility")
def agility_now(scene: Scene, who: Person) -> int:
    """What is left of Agility."""
    return scene[who].now(AGILITY)


@formula("yearzero.core.dice-pool/wits")
def wits_now(scene: Scene, who: Person) -> int:
    """What is left of Wits."""
    return scene[who].now(WITS)


@formula("yearzero.core.dice-pool/empathy")
def empathy_now(scene: Scene, who: Person) -> int:
    """What is left of Empathy."""
    return scene[who].now(EMPATHY)


def check_sheet(scene: Scene, who: Person) -> None:
    """Only what the book knows, each within its bounds."""
    sheet = scene[who]
    known = tuple(row.name for row in scene[ATTRIBUTES])
    for name in (*sheet.attributes, *sheet.damage):
        if name not in known:
            raise Refused(name, because="there is no such attribute", rule=LIST, legal=known)
    for name in sheet.skills:
        check_current(scene, name)
        _check_spelled(name, scene[SKILLS].look(name).name)
    for name in sheet.specialties:
        check_specialty(scene, name)
    for name, lost in sheet.damage.items():
        if not 0 <= lost <= sheet.full(name):
            raise Refused(name, because=f"{lost} of {sheet.full(name)} cannot be lost", rule="yearzero.core.dice-pool")
    if not 0 <= sheet.willpower <= scene[MOST_WILLPOWER]:
        raise Refused("willpower", because=f"it is 0 to {scene[MOST_WILLPOWER]}", rule=MOST_WILLPOWER.rule)
    counts = {
        "wages": sheet.wages,
        "credits": sheet.credits,
        "stress": sheet.stress,
        "xp": sheet.xp,
        "skill xp": sheet.skill_xp,
        "pride lock": sheet.pride_lock,
    }
    counts["trauma points"] = sheet.trauma_points
    for name, number in {**counts, **sheet.attributes, **sheet.skills, **sheet.specialties}.items():
        if number < 0:
            raise Refused(name, because="it is never below 0", rule=LIST)
    check_talents(scene, sheet.talents)
    check_injuries(scene, sheet.injuries)
    check_counts(sheet.things)
    if len(sheet.anchors) > (most := anchor_limit(scene, sheet.talents)):
        raise Refused("anchors", because=f"at most {most}", rule="yearzero.stress.anchor")
    check_features(scene, frozenset(each for thing in sheet.things for each in thing.features))
    struck = (sheet.bleeds,) if sheet.bleeds and location_named(sheet.bleeds) not in LOCATIONS else ()
    for area in (*struck, *(each for thing in sheet.things for each in thing.areas if each not in LOCATIONS)):
        raise Refused(area, because="it is no part of the body", rule="yearzero.combat.hit-location", legal=LOCATIONS)


def check_counts(things: Iterable[Item]) -> None:
    """Nothing is better than new, and nobody has less than none of it."""
    for thing in things:
        for name in ("amount", "wear", "loaded"):
            if getattr(thing, name) < 0:
                raise Refused(thing.name, because=f"{name} is never below 0", rule="yearzero.gear.wear-gear-bonus")


def check_specialty(scene: Scene, name: str) -> None:
    """A specialty is written with its skill, and for an environment with that."""
    skill, colon, specialty = name.partition(": ")
    if not colon or not specialty:
        raise Refused(name, because="a specialty is written with its skill, as Might: Grappler", rule=LIST)
    _check_spelled(skill, scene[SKILLS].look(skill).name)
    if not (skill == "Survival" and is_environment(specialty)):
        _check_spelled(specialty, scene[SPECIALTIES[skill]].look(specialty).name)


def check_current(scene: Scene, name: str) -> None:
    """Skills have the names of today; older ones, which the text still uses, say what they are called now."""
    if (now := current_name(scene, name)) != name:
        raise Refused(name, because=f"it is called {now} now", rule=LIST, legal=(now.partition(" (")[0],))


@formula("yearzero.core.skills-and-attributes/legacy")
def current_name(scene: Scene, name: str) -> str:
    """What a skill is called today, if it is named as in an older edition or in short."""
    return scene[LEGACY].get(name.upper(), name)


def _check_spelled(name: str, printed: str) -> None:
    """A sheet must spell names as the book does; otherwise they would be listed but never found."""
    if name != printed:
        raise Refused(name, because=f"the book spells it {printed}", rule=LIST, legal=(printed,))
