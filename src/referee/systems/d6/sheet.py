"""The character of the D6 System: attributes and skills as dice codes, merits and flaws, points, health, equipment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import Annotated, ClassVar, Final, TypeAlias

from referee.core import Active, Effect, Levels, OnlyWith, Open, Own, Scene, Who, figure, frozen, rows
from referee.core.effects import Forbids
from referee.core.plain import Plain, read_fields
from referee.core.things import added, with_thing, without_thing
from referee.kits.dice_codes import Code, Stat, Stats
from referee.kits.wounds import WoundLadder
from referee.systems.d6.bestiary import Creature, creature_size_effects
from referee.systems.d6.equipment import Item, armor_effects, worn_armor
from referee.systems.d6.funds import Funds
from referee.systems.d6.species import bulk_effects, species_effects
from referee.systems.d6.templates import appearance_effects
from referee.systems.d6.traits import CharacterTrait, trait_effects
from referee.systems.d6.vehicles.motion import AT_REST, Motion
from referee.systems.d6.wounds import HEALTHY, TORSO, ZoneState, health_effects, ladder_levels

AVERAGE_BULK: Final = 2
FATE_POINTS: Final = "d6.core.fate-points"
GRAPPLING: Final = "d6.combat.grappling"


@frozen
class AttributeDescription:
    """One of the seven attributes."""

    name: str
    group: str
    meaning: str = ""
    used_for: tuple[str, ...] = ()


@frozen
class SkillRow:
    """A skill of a list: basic, advanced (of no use without training) or abstract (only its fields are learned)."""

    name: str
    specializations: tuple[str, ...] = ()
    advanced: bool = False
    abstract: bool = False
    per: str = ""
    """A skill of its own for each of these, such as a weapon type."""
    alias: str = ""
    field: str = ""
    """What one may specialize in, where the list is open: a weapon type, an environment."""
    needs: tuple[str, ...] = ()
    """One of these is asked for first; `Firearms::` is any field of it, `Melee combat <>` any skill of that kind."""
    needs_merit: str = ""
    of_species: bool = False
    """Only for species that have it by nature."""
    involves: tuple[str, ...] = ()
    """What every use of it takes, which some lack: legs, an eye for distances."""


_LISTS: Final = ("coordination", "strength", "perception", "charisma", "knowledge", "technical")

ATTRIBUTES: Final = rows("d6.creation.attributes", "attributes", AttributeDescription)
SKILLS: Final = rows(
    "d6.creation.skill-list-agility",
    "skills",
    SkillRow,
    also=tuple(f"d6.creation.skill-list-{each}/skills" for each in _LISTS),
)
PIPS_PER_DIE: Final = figure("d6.core.dice-code", "pips_per_die", int)

Attribute: TypeAlias = Annotated[str, ATTRIBUTES]


@frozen
class KnownManeuver:
    """A maneuver of advanced combat that somebody has learned, or found by research and not learned yet."""

    known_by: ClassVar = ("name", "skill", "variant")
    name: str
    skill: str = ""
    """`Melee mastery <swords> (A)` or `Martial arts (A)`; without it, whichever of them one has."""
    variant: str = ""
    """Which of several, where a maneuver can be learned more than once."""
    dice: int = 0
    """The dice that a Power strike stakes."""
    zone: str = ""
    """Where a Death strike lands."""
    effects: tuple[Effect, ...] = ()
    """What a maneuver of one's own does."""
    acquired: bool = True
    """Whether it was learned; after research a Character Point is still due."""

    @classmethod
    def from_plain(cls, plain: Plain) -> KnownManeuver:
        """A name alone is enough."""
        if isinstance(plain, KnownManeuver):
            return plain
        found: KnownManeuver = read_fields(cls, {"name": plain} if isinstance(plain, str) else plain)
        return found


@frozen
class PinnedWeapon:
    """A weapon that somebody else holds fast: by whom, by which margin, and with which skill."""

    known_by: ClassVar = ("weapon",)
    weapon: str
    by: str
    margin: int = 0
    skill: str = ""


@frozen
class ZoneWound:
    """With localized wounds: how a zone of the body is, apart from the torso."""

    known_by: ClassVar = ("zone",)
    zone: str
    wound: str = HEALTHY


@frozen
class SprayZone:
    """A zone under spray fire: with which weapon, how wide, and how hard it is to get out of."""

    weapon: str
    width: int
    difficulty: int
    """What a Movement roll has to reach."""
    courage: int
    """What a Willpower roll has to reach before one dares to enter."""
    scale: int = 1
    lost: int | None = 0
    """Dice that an obstacle takes off the damage; None if nothing comes through."""
    inside: tuple[str, ...] = ()
    cover_distance: float = 0
    """How far those inside have to the next cover, in metres."""
    wound: str = HEALTHY
    """The wound of the shooter when it began: another one ends it."""


@frozen
class Engagement:
    """Whom somebody fights in close combat, and at which distance: close suits a short reach, far a long one."""

    known_by: ClassVar = ("foe",)
    foe: str
    distance: str = "far"


@frozen
class GrappleHold:
    """A grapple that locks two: with whom, and for the one who holds, how firmly."""

    foe: str
    margin: int = 0
    """The margin of success of whoever holds."""
    held: bool = False
    """Whether one is held, and does not hold."""


@frozen
class Unconscious:
    """Why somebody is unconscious, since when, and until when if that was rolled."""

    cause: str
    since: int = 0
    until: int | None = None


@frozen
class Bleeding:
    """How a mortal wound goes on: rounds until it threatens one's life, the rolls made, and what is done about it."""

    grace: int
    rolls: int = 0
    care: str = ""
    """`temporary` while somebody spends an action on it every round, `stable` once it is over."""
    kept_up: bool = False
    """Whether the temporary care was kept up this round."""
    died: int | None = None
    """The round in which it killed."""
    hopeless: bool = False
    """Whether no first aid and no medicine help."""


@frozen
class Work:
    """What somebody works on in a fight, for how many rounds they have, and the last of these rounds."""

    what: str
    rounds: int
    round: int


@frozen
class FailedTry:
    """What somebody has failed at: how often, and how good they were then; whether they may try again as they are."""

    known_by: ClassVar = ("use", "about")
    use: str
    about: str = ""
    times: int = 1
    barred: bool = False
    pips: int = 0
    bonus: int = 0
    found: int = 0
    """What has been found about it so far."""
    searches: int = 0
    """How often it was looked up."""
    ready: bool = False
    """Whether it was looked up, so that one may try to remember again."""


@frozen
class Hazard:
    """Something that wears somebody down: hunger, cold, a poison, a long run."""

    name: str
    kind: str
    """Which table it is from."""
    difficulty: int
    rolls: int = 0
    passes: int = 0
    period: int = 0
    """Rounds between rolls."""
    next: int | None = None
    """When the next roll comes; if nothing is said, after every period of the clock."""
    resting: bool = False
    """Whether somebody rests from it, so that no roll comes."""


@frozen
class Recovery:
    """How fatigue of a kind goes away: the next die at a time, another one after every so many rounds."""

    kind: str
    every: int
    next: int


@frozen
class InTraining:
    """What somebody trains: how much it grows by, what was paid for it, and how long it takes."""

    known_by: ClassVar = ("name", "kind")
    name: str
    kind: str
    """What is trained: `skill`, `specialization`, `advanced skill`, `attribute`, `Move`, `merit`, `flaw`, `looks`."""
    gain: int = 1
    """Pips, points of Move, or levels."""
    points: int = 0
    """The Character Points that were paid."""
    days: int = 0
    teacher: str = ""
    taught: bool = False
    """Whether Teaching was rolled for it."""
    since: int | None = None
    """The round in which it began; None while something else is trained first."""


@frozen
class GrowthLeave:
    """Something to buy that the game master has agreed to, and how many days it takes."""

    known_by: ClassVar = ("name",)
    name: str
    days: int = 0


@frozen
class Hero:
    """A player's character, or somebody of the game master's (`player: no`)."""

    in_play: ClassVar = (
        "wound",
        "stuns",
        "recoveries",
        "unconscious",
        "first_aided",
        "untreatable",
        "physician",
        "care",
        "zones",
        "states",
        "posture",
        "motion",
        "luck_points",
    )
    player: Open[bool] = True
    template: Open[str] = ""
    species: Open[str] = "Human"
    bulk: Open[int] = AVERAGE_BULK
    creature: Open[Creature | None] = None
    """What a creature has besides; None for whoever is sentient."""
    attributes: Open[Stats] = field(default_factory=Stats)
    skills: Open[Stats] = field(default_factory=Stats)
    """Basic skills above their attributes; the others are rolled with the attribute."""
    specializations: Open[Stats] = field(default_factory=Stats)
    """Written `Search::surprise`."""
    advanced_skills: Open[Stats] = field(default_factory=Stats)
    """Written `Medicine (A)`."""
    maneuvers: Open[tuple[KnownManeuver, ...]] = ()
    move: Open[int] = 10
    merits: Open[tuple[CharacterTrait, ...]] = ()
    flaws: Open[tuple[CharacterTrait, ...]] = ()
    appearance: Open[str] = "Average"
    social_status: Open[int] = 0
    wealth: Own[Stat] = Stat()
    funds: Own[Funds] = Funds()
    secrets_asked: Annotated[Own[Levels], OnlyWith("d6.merits.secret")] = field(default_factory=Levels)
    """Which secret merits and flaws the game master still has to choose, by their values."""
    fate_points: Annotated[Open[int], OnlyWith(FATE_POINTS)] = 0

    fate_total: Annotated[Open[int], OnlyWith(FATE_POINTS)] = 0
    """How many were given so far, where spent ones come back."""
    counterpart: Annotated[Open[int], OnlyWith("d6.setting.fate-counterparts")] = 0
    """Points of what opposes Fate: dishonor, corrupted energy, chaos."""
    bad_fate_points: Annotated[Open[int], OnlyWith("d6.creation.fate-points=bad fate")] = 0
    special_abilities: Annotated[Open[tuple[str, ...]], OnlyWith("d6.templates.special-abilities")] = ()
    character_points: Open[int] = 0
    luck_points: Open[int] = 0
    """Character Points for this adventure alone, and only for rolls."""
    veteran_points: Open[int] = 0
    training: Open[tuple[InTraining, ...]] = ()
    """What is trained, one after the other."""
    practised: Open[Levels] = field(default_factory=Levels)
    """Skills that were used, and for how many adventures yet they count as used lately."""
    improved: Open[tuple[str, ...]] = ()
    """Attributes that were improved in this adventure."""
    free_days: Open[int | None] = None
    """Days there are for training; None if nobody counts them."""
    agreed: Open[tuple[GrowthLeave, ...]] = ()
    """What the game master has agreed to, of what may not simply be bought."""
    wound: Open[str] = HEALTHY
    stuns: Open[int] = 0
    new_stuns: Open[int] = 0
    """How many of the stuns were received in this round."""
    fatigue: Open[Levels] = field(default_factory=Levels)
    """Dice of fatigue by where they come from, such as running."""
    recoveries: Open[tuple[Recovery, ...]] = ()
    """How fatigue goes away by itself."""
    hurt_since: Open[int] = 0
    rests_since: Open[Levels] = field(default_factory=Levels)
    """Since when each wounded zone has rested."""
    unconscious: Open[Unconscious | None] = None
    bleeding: Open[Bleeding | None] = None
    first_aided: Open[bool] = False
    """Whether First Aid has helped since the last wound."""
    untreatable: Open[str] = ""
    """What the wounds come from, if neither First Aid nor Medicine helps against it."""
    physician: Open[str] = ""
    """Who attends to the wounds."""
    care: Open[str] = "none"
    """How the wounds are cared for: by a physician, in a modern hospital."""
    hazards: Open[tuple[Hazard, ...]] = ()
    zones: Annotated[Open[tuple[ZoneWound, ...]], OnlyWith("d6.health.localized-zones")] = ()
    states: Annotated[Open[tuple[ZoneState, ...]], OnlyWith("d6.health.localized-zones")] = ()
    posture: Open[str] = "standing"
    """`standing`, `kneeling` or `prone`."""
    pinned: Open[tuple[PinnedWeapon, ...]] = ()
    """Weapons that others hold fast."""
    preparing: Open[int] = 0
    """Rounds spent on preparing the next shot."""
    prepared_in: Open[int] = -1
    """The last of these rounds, in a fight."""
    sighted: Open[str] = ""
    """The weapon whose targeting equipment is adjusted."""
    spraying: Open[SprayZone | None] = None
    """The zone that is kept under spray fire."""
    working: Open[Work | None] = None
    """What takes several rounds of a fight."""
    melee: Open[tuple[Engagement, ...]] = ()
    """Those whom one fights in close combat."""
    grapple: Open[GrappleHold | None] = None
    motion: Open[Motion] = AT_REST
    """How somebody moves in a chase: on foot, swimming, or as a mount."""
    equipment: Open[tuple[Item, ...]] = ()
    failed: Own[tuple[FailedTry, ...]] = ()
    """What one has failed at and may want to try again."""
    height: Open[str] = ""
    weight: Open[str] = ""
    relationships: Open[tuple[str, ...]] = ()
    description: Own[str] = ""
    background: Own[str] = ""
    motivation: Own[str] = ""

    def effects(self, scene: Scene) -> Iterator[Active]:
        """What merits, flaws, species, bulk, looks, armor and the state of one's health do."""
        traits = tuple(self.traits_at_work(scene))
        yield from traits
        yield from maneuver_effects(self.maneuvers)
        yield from armor_effects(scene, self.equipment)
        if self.grapple is not None:
            yield from (Active(Effect(Forbids(each)), "in a grapple", GRAPPLING) for each in ("parry", "dodge"))
        yield from health_effects(scene, self.wound, self.stuns, self.fatigue, self.states, traits)

    def ladder(self, scene: Scene) -> WoundLadder:
        """The levels of wounds that this one goes through."""
        return WoundLadder(ladder_levels(scene, self.traits_at_work(scene)))

    def traits_at_work(self, scene: Scene) -> Iterator[Active]:
        """What merits, flaws, species, bulk and looks do."""
        yield from trait_effects(scene, (*self.merits, *self.flaws), self.appearance)
        yield from species_effects(scene, self.species)
        if self.creature is None:
            yield from bulk_effects(scene, self.bulk)
        else:
            yield from creature_size_effects(scene, self.bulk)
        yield from appearance_effects(scene, self.appearance)

    def armor(self, scene: Scene, zone: str = "") -> Iterator[tuple[str, Code]]:
        """What is worn that adds to Strength when damage is resisted, where a zone is hit."""
        return ((each.name, each.protection) for each in worn_armor(scene, self.equipment, zone))

    def moving(self, motion: Motion) -> Hero:
        return replace(self, motion=motion)

    def tried(self, use: str, about: str = "") -> FailedTry | None:
        """How often one has failed at something."""
        return next((each for each in self.failed if (each.use, each.about) == (use, about)), None)

    def failing(self, failure: FailedTry) -> Hero:
        others = self.succeeding(failure.use, failure.about).failed
        return replace(self, failed=(*others, failure))

    def succeeding(self, use: str, about: str = "") -> Hero:
        """What one has managed in the end counts as failed no longer."""
        return replace(self, failed=tuple(each for each in self.failed if (each.use, each.about) != (use, about)))

    def with_item(self, changed: Item) -> Hero:
        """With a thing as it is now, or one more."""
        return replace(self, equipment=with_thing(self.equipment, changed))

    def prepared(self, rounds: int, now: int) -> Hero:
        """After so many rounds of preparing a shot, the last of them that of a fight."""
        return replace(self, preparing=self.preparing + rounds, prepared_in=now)

    def adjusted(self, weapon: str) -> Hero:
        return replace(self, sighted=weapon)

    def worked(self, work: Work | None) -> Hero:
        return replace(self, working=work)

    def after_shot(self) -> Hero:
        """What was prepared counts for one shot."""
        return replace(self, preparing=0, prepared_in=-1, sighted="")

    def disturbed(self, now: int) -> Hero:
        """Somebody reacts: spray fire ends, and a round of preparing does not count."""
        lost = 1 if self.preparing and self.prepared_in == now else 0
        return replace(
            self, spraying=None, preparing=self.preparing - lost, prepared_in=-1 if lost else self.prepared_in
        )

    def spraying_at(self, zone: SprayZone | None) -> Hero:
        return replace(self, spraying=zone)

    def distance_to(self, foe: str) -> str:
        """How far away a foe is in close combat; nothing if one does not fight them."""
        return next((each.distance for each in self.melee if each.foe == foe), "")

    def engaged_with(self, foe: str, distance: str) -> Hero:
        others = tuple(each for each in self.melee if each.foe != foe)
        return replace(self, melee=(*others, Engagement(foe, distance)))

    def disengaged_from(self, foes: tuple[str, ...]) -> Hero:
        return replace(self, melee=tuple(each for each in self.melee if each.foe not in foes))

    def in_grapple(self, hold: GrappleHold | None) -> Hero:
        return replace(self, grapple=hold)

    def wound_at(self, zone: str = TORSO) -> str:
        """The level of a zone's wound; the torso's is that of the whole person."""
        if zone == TORSO:
            return self.wound
        return next((each.wound for each in self.zones if each.zone == zone), HEALTHY)

    def wounded(self, level: str, zone: str = TORSO) -> Hero:
        if zone == TORSO:
            return replace(self, wound=level)
        others = tuple(each for each in self.zones if each.zone != zone)
        return replace(self, zones=others if level == HEALTHY else (*others, ZoneWound(zone, level)))

    def with_state(self, state: ZoneState) -> Hero:
        others = tuple(each for each in self.states if (each.zone, each.state) != (state.zone, state.state))
        return replace(self, states=(*others, state))

    def without_state(self, state: ZoneState) -> Hero:
        kept = tuple(each for each in self.states if (each.zone, each.state) != (state.zone, state.state))
        return replace(self, states=kept)

    def stunned(self, stuns: int) -> Hero:
        return replace(self, stuns=self.stuns + stuns, new_stuns=self.new_stuns + stuns)

    def less_stunned(self, stuns: int) -> Hero:
        left = max(0, self.stuns - stuns)
        return replace(self, stuns=left, new_stuns=min(self.new_stuns, left))

    def round_over(self, wears_off: int) -> Hero:
        """One stun of an earlier round wears off; those of this round are earlier ones from now on."""
        earlier = self.stuns - self.new_stuns
        return replace(self, stuns=self.stuns - min(wears_off, earlier), new_stuns=0)

    def tired(self, source: str, dice: int) -> Hero:
        """With so many dice of fatigue from a source, in all."""
        kept = {name: each for name, each in self.fatigue.items() if name != source}
        return replace(self, fatigue=Levels({**kept, source: dice} if dice > 0 else kept))

    def facing(self, hazard: Hazard) -> Hero:
        others = tuple(each for each in self.hazards if each.name != hazard.name)
        return replace(self, hazards=(*others, hazard))

    def recovering(self, recovery: Recovery) -> Hero:
        others = tuple(each for each in self.recoveries if each.kind != recovery.kind)
        return replace(self, recoveries=(*others, recovery))

    def recovered(self, kind: str) -> Hero:
        return replace(self, recoveries=tuple(each for each in self.recoveries if each.kind != kind))

    def resting(self, zone: str, now: int) -> Hero:
        """The rest of a zone begins anew, if it is wounded."""
        others = {name: since for name, since in self.rests_since.items() if name != zone}
        since = {} if self.wound_at(zone) == HEALTHY else {zone: now}
        return replace(self, rests_since=Levels({**others, **since}))

    def free_of(self, name: str) -> Hero:
        return replace(self, hazards=tuple(each for each in self.hazards if each.name != name))

    def hazard(self, name: str) -> Hazard | None:
        return next((each for each in self.hazards if each.name == name), None)

    def with_maneuver(self, maneuver: KnownManeuver) -> Hero:
        """With a maneuver learned, or found."""
        kept = tuple(each for each in self.maneuvers if maneuver_key(each) != maneuver_key(maneuver))
        return replace(self, maneuvers=(*kept, maneuver))

    def pinned_by(self, pin: PinnedWeapon) -> Hero:
        return replace(self, pinned=(*(each for each in self.pinned if each.weapon != pin.weapon), pin))

    def freed(self, weapon: str) -> Hero:
        """A weapon is no longer held fast."""
        return replace(self, pinned=tuple(each for each in self.pinned if each.weapon != weapon))

    def without_item(self, name: str) -> Hero:
        return replace(self, equipment=without_thing(self.equipment, name))

    def taking_item(self, item: Item) -> Hero:
        """With one more thing, which has a name of its own."""
        return replace(self, equipment=added(self.equipment, item))

    def learning(self, maneuver: KnownManeuver, found: KnownManeuver | None = None) -> Hero:
        """A maneuver is learned; if research had found it, that is done with."""
        kept = tuple(each for each in self.maneuvers if each != found)
        return replace(self, maneuvers=kept).with_maneuver(maneuver)

    def with_merit(self, merit: CharacterTrait) -> Hero:
        return replace(self, merits=(*self.merits, merit))

    def with_secrets(
        self, merits: tuple[CharacterTrait, ...], flaws: tuple[CharacterTrait, ...], asked: Levels
    ) -> Hero:
        """With merits and flaws that only the game master knows, and what he still has to choose."""
        return replace(self, merits=(*self.merits, *merits), flaws=(*self.flaws, *flaws), secrets_asked=asked)

    def beginning(self, luck: int, merits: tuple[CharacterTrait, ...]) -> Hero:
        """At the beginning of an adventure: with the points of luck, and the merits that last."""
        lately = Levels({name: left - 1 for name, left in self.practised.items() if left > 1})
        days = None if self.free_days is None else 0
        return replace(self, luck_points=luck, merits=merits, practised=lately, improved=(), free_days=days)

    def trains(self, *training: InTraining) -> Hero:
        return replace(self, training=training)

    def rewarded(self, points: int, days: int | None) -> Hero:
        """With Character Points, which count for good as well, and with days to train."""
        free = self.free_days if days is None else days + (self.free_days or 0)
        return replace(
            self,
            character_points=self.character_points + points,
            veteran_points=self.veteran_points + points,
            free_days=free,
        )

    def having_practised(self, skills: Iterable[str], adventures: int) -> Hero:
        return replace(self, practised=Levels({**self.practised, **dict.fromkeys(skills, adventures)}))

    def with_leave(self, leave: GrowthLeave) -> Hero:
        return replace(self, agreed=(*(each for each in self.agreed if each.name != leave.name), leave))

    def fated(self, points: int) -> Hero:
        """Fate Points are given, or taken away."""
        return replace(self, fate_points=self.fate_points + points, fate_total=max(0, self.fate_total + points))

    def fated_again(self) -> Hero:
        """Fate Points that were spent come back."""
        return replace(self, fate_points=self.fate_total)

    def opposed(self, points: int) -> Hero:
        return replace(self, counterpart=self.counterpart + points)

    def fallen(self) -> Hero:
        """No player's character any more."""
        return replace(self, player=False)

    def trained(self, orders: tuple[str, ...], by: tuple[str, ...]) -> Hero:
        """A creature obeys further orders, of its trainer and of its master."""
        own = self.creature or Creature()
        known = tuple(dict.fromkeys((*own.orders, *orders)))
        return replace(self, creature=replace(own, orders=known, trained_by=by))

    def with_funds(self, funds: Funds) -> Hero:
        return replace(self, funds=funds)

    def with_wealth(self, wealth: Stat, before: Stat | None = None) -> Hero:
        """With another Wealth, and the one that a subplot may bring back."""
        return replace(self, wealth=wealth, funds=replace(self.funds, before=before, effort=False))

    @property
    def points_for_rolls(self) -> int:
        """Character Points that may improve a roll, those of luck among them."""
        return self.character_points + self.luck_points

    def spending_on_roll(self, points: int = 1) -> Hero:
        """With a point less, or several; those of luck go first, since they do not last."""
        luck = min(self.luck_points, points)
        return replace(self, luck_points=self.luck_points - luck).spending(points - luck)

    def spending(self, character_points: int = 0, fate_points: int = 0) -> Hero:
        return replace(
            self,
            character_points=self.character_points - character_points,
            fate_points=self.fate_points - fate_points,
        )


def maneuver_effects(maneuvers: Iterable[KnownManeuver]) -> Iterator[Active]:
    """What maneuvers of somebody's own do."""
    for each in maneuvers:
        for effect in each.effects if each.acquired else ():
            yield Active(effect, each.name, "d6.advanced.inventing-maneuvers")


def maneuver_key(maneuver: KnownManeuver) -> tuple[str, str, str]:
    return maneuver.name, maneuver.skill, maneuver.variant


Person: TypeAlias = Who[Hero]


def others(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Hero) if each != who)
