"""Marksmanship: shooting and throwing, called shots, the size of targets, rapid fire."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Call,
    Grouped,
    Mod,
    Mods,
    Pick,
    Prevented,
    Refused,
    Scene,
    action,
    alter,
    applying,
    change,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    tell,
)
from referee.core.rules import rule_named
from referee.core.things import HELD
from referee.systems.yearzero.action_types import (
    COSTS,
    FREE,
    SLOW_ACTION,
    ActionPrice,
    ListedPrice,
    PrintedPrice,
    take_action,
)
from referee.systems.yearzero.attacks import (
    BLOW,
    DEVIATES,
    INDIRECT,
    SPOTTED,
    BodyPart,
    StruckBlow,
    attack,
    nature,
    parts_of,
)
from referee.systems.yearzero.battle import BATTLE, SLOW, GuidedShot, comrades
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.dice import NoPush
from referee.systems.yearzero.effects import OUTCOME, Outcome, check_aim, effect_table, effects_of
from referee.systems.yearzero.equipment import row_named, table_of
from referee.systems.yearzero.firearm_features import check_loads_again, check_stand, is_guided, launch, scare
from referee.systems.yearzero.gear import check_usable, damage_at_first
from referee.systems.yearzero.ground import ARMS_LENGTH, SHORT, has_map, range_between, where, within
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.injury_tables import Wounding
from referee.systems.yearzero.panic import fire_fully
from referee.systems.yearzero.rolls import Attempt, FiguresDice, RolledPool, roll_once
from referee.systems.yearzero.sheet import SPECIALTIES, Helpers, Item, Person, Survivor, Target, is_somebody, others
from referee.systems.yearzero.shooting import (
    RANGES,
    SIZES,
    base_damage,
    check_hands_free,
    check_visible,
    circumstances_of,
    ends_with,
    pierces_armor,
    shooting_mods,
)
from referee.systems.yearzero.skills import plain
from referee.systems.yearzero.vehicles.vehicle import (
    is_destroyed,
    is_on_the_move,
    size_of_vehicle,
    vehicle_of,
    vehicles,
)
from referee.systems.yearzero.weapons import (
    check_hands,
    features_of,
    in_hand,
    magazine_of,
    rate_of_fire_of,
    rounds_fired,
    specialty_for,
)

MARKSMANSHIP: Final = "Marksmanship"
EFFECTS: Final = effect_table("yearzero.marksmanship.effects", MARKSMANSHIP, general=True)
AMMO_DICE: Final = "yearzero.combat.ammo-dice"
RAPID: Final = figure("yearzero.talents.combat", "machinegunner_rof", int)


MOVING_VEHICLE: Final = figure("yearzero.combat.moving-target", "from_moving_vehicle", int)
FEWEST_AMMO: Final = figure(AMMO_DICE, "min", int)


# --- what may be picked -----------------------------------------------------------------------------------------------


def is_ranged(scene: Scene, item: Item) -> bool:
    """By a magazine or a feature, or by its name, if a specialty covers it: bow, hunting rifle."""
    return bool(magazine_of(scene, item) or {"Ranged", "Thrown", "Bow"} & features_of(scene, item)) or is_named_ranged(
        scene, item.kind
    )


@formula("yearzero.marksmanship.specialties/weapons")
def is_named_ranged(scene: Scene, kind: str) -> bool:
    """Whether a specialty of Marksmanship covers a weapon by its name, or by the end of it: a hunting bow is a bow."""
    return any(ends_with(kind, row.weapons) for row in scene[SPECIALTIES[MARKSMANSHIP]])


@formula("yearzero.marksmanship.specialties/covers")
def ranged_specialty(scene: Scene, item: Item) -> str:
    """The specialty that covers a weapon: by its name, or as one that is thrown or a bow."""
    return specialty_for(scene, MARKSMANSHIP, item)


def ranged_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in in_hand(scene, who) if is_ranged(scene, item))


def check_ranged(scene: Scene, who: Person, weapon: str) -> None:
    item = scene[who].thing(weapon)
    if item.place != HELD or not is_ranged(scene, item):
        why = "it is no ranged weapon in hand: a firearm with a magazine, or one that is Ranged, Thrown or a Bow"
        raise Refused(weapon, because=why, rule="yearzero.marksmanship.use", legal=ranged_weapons(scene, who))
    check_usable(scene, who, weapon)
    applying(scene, who).check_allowed("shoot", rule="yearzero.move.dirty-fighting")
    check_hands(scene, who, item, "yearzero.marksmanship.use")
    check_stand(scene, who, item)
    if magazine_of(scene, item) and not item.loaded:
        raise Refused(weapon, because="it is empty", rule="yearzero.combat.single-shot")


def ammo_dice(scene: Scene, who: Person, weapon: str) -> tuple[int, ...]:
    """No more than the rate of fire, nor than there are rounds."""
    item = scene[who].thing(weapon)
    return (0, *range(scene[FEWEST_AMMO], min(rate_of_fire_of(scene, item), item.loaded) + 1))


def check_ammo(scene: Scene, who: Person, ammo: int, weapon: str) -> None:
    if ammo not in (legal := ammo_dice(scene, who, weapon)):
        raise Refused(
            "ammo dice", because=f"none, or {scene[FEWEST_AMMO]} to {legal[-1]}", rule=AMMO_DICE, legal=map(str, legal)
        )


def targets(scene: Scene, who: Person) -> tuple[Target, ...]:
    """Everybody else, and every vehicle but one's own."""
    mine = vehicle_of(scene, who)
    return (*others(scene, who), *(each for each in vehicles(scene) if each != mine and not is_destroyed(scene, each)))


def marks(scene: Scene, who: Person, target: Target, weapon: str, ammo: int, distance: str) -> tuple[str, ...]:
    far = range_between(scene, who, target, distance)
    tags = shot_tags(scene, scene[who].thing(weapon), ammo, far)
    return effects_of(scene, EFFECTS, *tags, *nature(scene, target))


def check_mark(
    scene: Scene, who: Person, effect: str, target: Target, weapon: str, ammo: int, distance: str, part: str
) -> None:
    far = range_between(scene, who, target, distance)
    tags = shot_tags(scene, scene[who].thing(weapon), ammo, far)
    check_aim(scene, EFFECTS, effect, *tags, *nature(scene, target))
    may_hit = parts_of(scene, EFFECTS.rule, (effect,))
    if part and may_hit and part not in may_hit:
        refuse(f"it hits other parts than {part}", what=effect, rule=EFFECTS.rule, legal=may_hit)


def sizes(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[SIZES].names


def ranges(scene: Scene, who: Person) -> tuple[str, ...]:
    """As the map has it; without one a range is said, or it is Short."""
    return ("",) if has_map(scene) else ("", *(name for name in scene[RANGES].names if name != SHORT))


@formula("yearzero.combat.ranges/most")
def check_range(scene: Scene, who: Person, distance: str, target: Target, weapon: str) -> None:
    """No further than one sees, than a weapon is fired, or than one throws."""
    item, far = scene[who].thing(weapon), range_between(scene, who, target, distance)
    row, longest = scene[RANGES].look(far), scene[RANGES].look(scene[LONGEST_THROW])
    if is_thrown(scene, item) and row.max_m > longest.max_m:
        legal = (each.name for each in scene[RANGES] if each.max_m <= longest.max_m)
        refuse(f"{weapon} is not thrown so far", what=far, rule=EFFECTS.rule, legal=legal)
    if (most := most_range(scene, item)) and row.max_m > scene[RANGES].look(most).max_m:
        refuse(f"{weapon} does not reach so far", what=far, rule=RANGES.rule, legal=(most,))
    check_hands_free(scene, who, item, far)


def is_thrown(scene: Scene, item: Item) -> bool:
    return "Thrown" in features_of(scene, item) and not magazine_of(scene, item)


USUAL_THROW: Final = figure(EFFECTS.rule, "throws/usual", str)
LONGEST_THROW: Final = figure(EFFECTS.rule, "throws/longest", str)
LONG_THROW: Final = "long throw"


@formula(f"{EFFECTS.rule}/throw")
def throwing(scene: Scene, item: Item, distance: str, effect: str, attempt: Attempt) -> Attempt:
    """A throw further than usual takes the effect for it: aimed for, or as many successes as it takes by luck."""
    far = scene[RANGES].look(distance).max_m > scene[RANGES].look(scene[USUAL_THROW]).max_m
    if not is_thrown(scene, item) or not far or effect == LONG_THROW:
        return attempt
    return replace(attempt, needed=scene[EFFECTS.rows][LONG_THROW].x)


def specialties(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[SPECIALTIES[MARKSMANSHIP]].names)


Weapon: TypeAlias = Annotated[str, Pick(ranged_weapons, check_ranged)]
Ammo: TypeAlias = Annotated[int, Pick(ammo_dice, check_ammo)]


def shot_tags(scene: Scene, item: Item, ammo: int, distance: str) -> tuple[str, ...]:
    """What effects may ask of a shot: with what, from how near, how rapidly."""
    kinds = {"Thrown": "thrown", "Harpoon": "harpoon", "Explosive": "explosive", "2H": "two-handed"}
    fits = {tag: feature in features_of(scene, item) for feature, tag in kinds.items()}
    fits |= {
        "gun": magazine_of(scene, item) > 0,
        "arm's length": distance == ARMS_LENGTH,
        "ROF 4": ammo >= scene[RAPID],
    }
    return ("ranged", *(tag for tag, has in fits.items() if has))


@formula("yearzero.injuries.critical-trigger/shot")
def wound_by(scene: Scene, item: Item) -> Wounding:
    """Bullets and blasts tear, stones and the like bruise, arrows and blades pierce."""
    features = features_of(scene, item)
    if magazine_of(scene, item) or "Explosive" in features:
        return "ballistic"
    return "blunt" if "Blunt" in features else "stab"


@formula("yearzero.observation.forward-observer/indirect")
def is_spotted(scene: Scene, who: Person, target: Person) -> bool:
    """Whether a spotter directs somebody's fire at a target: it is then indirect, said or not."""
    applied = applying(scene, who, INDIRECT, against=target)
    return applied.granted(SPOTTED) or applied.granted(DEVIATES)


def sides_of(scene: Scene, who: Person, target: Person) -> tuple[bool, ...]:
    """Whoever is behind something may be shot at from the front or past it."""
    return (False, True) if scene[target].cover else (False,)


Distance: TypeAlias = Annotated[str, Pick(ranges, check_range)]
Circumstances: TypeAlias = tuple[Annotated[str, Pick(circumstances_of, seldom=True)], ...]


@frozen
class ShotSituation:
    """Under which circumstances somebody shoots."""

    distance: Distance = ""
    """The range; as far as the map has it, or Short."""
    part: BodyPart = ""
    size: Annotated[str, Pick(sizes)] = "human body"
    circumstances: Circumstances = ()
    """Light, weather, smoke, ground."""
    alerts: bool = False
    from_moving_vehicle: bool = False
    indirect: bool = False
    flanking: Annotated[bool, Pick(sides_of, seldom=True)] = False
    """Whether it comes past the target's cover."""
    friends: Helpers = ()
    """Friends in the line of fire."""


PLAIN_SHOT: Final = ShotSituation()


def check_shot(
    scene: Scene, who: Person, target: Target, weapon: str, ammo: int, circumstances: tuple[str, ...] = ()
) -> None:
    """Something that is ready, and a target that can be seen; a careful aim is for a single shot."""
    check_visible(scene, who, target, circumstances)
    check_looks_out(scene, who)
    if ammo and applying(scene, who, against=target).granted(SLOW_AIM):
        refuse("it was aimed for a single shot", what="ammo dice", rule="yearzero.combat.telescopic-aim", legal=("0",))
    if is_bow(scene, scene[who].thing(weapon)) and BATTLE in scene and not applying(scene, who).granted(NOCKED):
        refuse(f"{weapon} is not prepared", rule="yearzero.combat.bows-and-thrown", legal=("nock",))


@formula("yearzero.combat.emerge-from-cover/check")
def check_looks_out(scene: Scene, who: Person) -> None:
    """Whoever is out of sight in a fight must lean out before they shoot."""
    cover = scene[who].cover
    if BATTLE in scene and cover is not None and cover.full:
        refuse(f"{who} is in full cover", rule="yearzero.combat.emerge-from-cover", legal=("emerge",))


SLOW_AIM: Final = "slow aim"
NOCKED: Final = "arrow on the string"


def most_range(scene: Scene, item: Item) -> str:
    """The furthest range a weapon is used at; nothing if that is not said."""
    row = row_named(scene, item.kind)
    return item.max_range or (row.range if row else "")


@formula("yearzero.combat.magazine")
def caliber_of(scene: Scene, item: Item) -> str:
    """The only ammunition that a firearm takes."""
    row = row_named(scene, item.kind)
    return item.caliber or (row.ammo if row else "")


@formula("yearzero.combat.bows-and-thrown/which")
def is_bow(scene: Scene, item: Item) -> bool:
    """What must be prepared before each shot: a bow or a sling, and no crossbow."""
    bow = "Bow" in features_of(scene, item) or ends_with(item.kind, scene[RELOADS].look("arrow or sling").weapons)
    return bow and not magazine_of(scene, item) and "crossbow" not in item.kind.casefold()


@frozen
class ReloadRow:
    """What loading a kind of weapon costs, and what it costs those who are fast at it."""

    name: str
    action: str
    faster: str
    most: int = 0
    """The rounds one loads at once; all of them, if nothing says so."""
    weapons: tuple[str, ...] = ()


RELOADS: Final = rows("yearzero.combat.reloading", "rows", ReloadRow)


@action(
    "shoot",
    "yearzero.marksmanship.use",
    "yearzero.combat.ranged-attack",
    bands=BLOW,
    price=ListedPrice("Shoot"),
    check=check_shot,
)
async def shoot(
    scene: Scene,
    who: Person,
    target: Annotated[Target, Pick(targets)],
    weapon: Weapon,
    ammo: Ammo = 0,
    at: Grouped[ShotSituation] = PLAIN_SHOT,
    effect: Annotated[str, Pick(marks, check_mark)] = "",
    specialty: Annotated[str, Pick(specialties)] = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> StruckBlow:
    """Shoot or throw at somebody; ammo dice, in place of gear dice, fire rapidly and never help to hit."""
    distance = range_between(scene, who, target, at.distance)
    if is_guided(scene, scene[who].thing(weapon), distance):
        shot = GuidedShot(who.name, target.name, weapon, distance, "yearzero.combat.ranged-attack/guided")
        return await hand_over(launch(shot, who), lambda _: StruckBlow(False, struck=target.name))
    return await hand_over(fire(who, target, weapon, ammo, at, effect, specialty, mods, helpers))


@rule("yearzero.combat.ranged-attack/guided", "yearzero.gear.firearm-features")
async def strike_guided(scene: Scene, who: Person, target: Person, weapon: str, distance: str, kept: bool) -> None:
    """A guided missile arrives: it is rolled for as any shot, unless the aim was spoiled."""
    if kept and target in scene and scene[who].thing(weapon).loaded:
        await fire(who, target, weapon, 0, ShotSituation(distance))
        return
    await alter(who, Survivor.with_thing, scene[who].thing(weapon).firing(1))
    await tell("missile-misses", who=who, rule="yearzero.gear.firearm-features")


@rule("yearzero.combat.ranged-attack/fire")
async def fire(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: str,
    ammo: int = 0,
    at: ShotSituation = PLAIN_SHOT,
    effect: str = "",
    specialty: str = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> StruckBlow:
    """A shot, whoever takes it and when: what it can do, what it is rolled with."""
    item, distance = scene[who].thing(weapon), range_between(scene, who, target, at.distance)
    strike = shot_with(scene, item, distance, at, ammo)
    size = at.size if is_somebody(scene, target) else size_of_vehicle(scene, target)
    own = shooting_mods(scene, who, target, weapon, distance, size, at.part, at.circumstances, at.alerts)
    if at.from_moving_vehicle and not is_on_the_move(scene, who):
        own = (*own, Mod(scene[MOVING_VEHICLE], "from a moving vehicle or mount", MOVING_VEHICLE.rule))
    arcing = (INDIRECT,) if at.indirect or is_spotted(scene, who, target) else ()
    tags = (*shot_tags(scene, item, ammo, distance), *arcing)
    specialty = specialty or ranged_specialty(scene, item)
    attempt = Attempt(MARKSMANSHIP, specialty, weapon, (*mods, *own), tags=tags, ammo=ammo, helpers=helpers)
    attempt = throwing(scene, item, distance, effect, by_itself(attempt, item, target))
    strike = replace(strike, friends=in_line(scene, who, target, at.friends))
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule, effect or called(scene, at.part)))


SYSTEM_FIRES: Final = "yearzero.chase.firing"


def by_itself(attempt: Attempt, item: Item, target: Target) -> Attempt:
    """A weapon that fires by itself has its own Marksmanship, and pushes nothing."""
    if not item.automated:
        return attempt
    dice = FiguresDice(item.automated, item.name, SYSTEM_FIRES, target, "")
    return replace(attempt, in_place=dice, level=0, specialty="", no_push=NoPush("it fires by itself", SYSTEM_FIRES))


def shot_with(scene: Scene, item: Item, distance: str, at: ShotSituation = PLAIN_SHOT, ammo: int = 0) -> DeclaredAttack:
    """What a shot with a weapon does where it hits."""
    damage = base_damage(scene, item, damage_at_first(scene, item), distance)
    return DeclaredAttack(
        "Shoot",
        damage,
        wound_by(scene, item),
        part=at.part,
        ranged=True,
        firearm=bool(magazine_of(scene, item)),
        surprise=at.alerts and not ammo,
        alerts=at.alerts and ammo > 0,
        base=damage_at_first(scene, item),
        pierces=pierces_armor(scene, item),
        flanking=at.flanking,
        distance=distance,
    )


FRIENDS_M: Final = figure("yearzero.combat.friendly-fire", "within_m", int)


@formula("yearzero.combat.friendly-fire/line")
def in_line(scene: Scene, who: Person, target: Person, named: Helpers) -> Helpers:
    """Friends near the target; without a map those who are said to be."""
    if not has_map(scene):
        return named
    near = within(scene, target, scene[FRIENDS_M], comrades(scene, who))
    return tuple(dict.fromkeys((*named, *(each for each in near if each != target))))


@formula("yearzero.marksmanship.called-shot/effect")
def called(scene: Scene, part: str) -> str:
    """To call a shot at a part of the body is to aim for the effect that hits it."""
    return next((row.name for row in EFFECTS.effects(scene) if part in row.parts), "")


@figures("yearzero.combat.weapon-jam")
class WeaponJam:
    """How many ammo banes jam a weapon, and how it is cleared."""

    ammo_banes: int
    only_if_pushed: bool
    clear_skill: str
    retry: bool


@formula("yearzero.combat.weapon-jam")
def jams(scene: Scene, banes: int, pushes: int) -> bool:
    """Two ammo banes jam a weapon, but only after a push."""
    jam = scene[WeaponJam]
    return banes >= jam.ammo_banes and (pushes > 0 or not jam.only_if_pushed)


@rule("yearzero.combat.ammo-spent", AMMO_DICE, "yearzero.combat.single-shot", "yearzero.combat.weapon-jam")
async def spend_rounds(
    scene: Scene, who: Person, weapon: str, ammo: int, rolled: RolledPool, target: Person | None = None
) -> None:
    """The rounds an attack takes: one, or the sum of the ammo dice; two ammo banes after a push jam the weapon."""
    item = scene[who].thing(weapon)
    rounds = rounds_fired(scene, item, ammo, rolled.rounds)
    jammed = item.jammed or jams(scene, rolled.ammo_banes, rolled.pushes)
    await alter(who, Survivor.with_thing, replace(item, loaded=item.loaded - rounds, jammed=jammed))
    if ammo and ammo == rate_of_fire_of(scene, item):
        await fire_fully(who)
    if target is not None:
        await scare(who, item, target)
    if ammo and target is not None and has_map(scene):
        await rule_named("yearzero.combat.field-of-fire")(who, where(scene, target), rounds)


def jammed_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].things if item.jammed)


def clearing_specialties(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[SPECIALTIES[scene[WeaponJam].clear_skill]].names)


@action(
    "clear-jam",
    "yearzero.combat.weapon-jam/clear",
    bands=OUTCOME,
    price=PrintedPrice(figure("yearzero.combat.weapon-jam", "clear_action", str)),
)
async def clear_jam(
    scene: Scene,
    who: Person,
    weapon: Annotated[str, Pick(jammed_weapons)],
    specialty: Annotated[str, Pick(clearing_specialties)] = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """A Technical roll clears a jam, as often as it takes."""
    jam = scene[WeaponJam]
    goal = "" if jam.retry else f"clear {weapon}"
    attempt = Attempt(jam.clear_skill, specialty, mods=mods, helpers=helpers, goal=goal, surplus=False)
    rolled = await roll_once(who, attempt)
    if rolled.success:
        await alter(who, cleared, weapon)
    return plain(rolled)


def cleared(sheet: Survivor, weapon: str) -> Survivor:
    return sheet.with_thing(replace(sheet.thing(weapon), jammed=False))


def check_reload(scene: Scene, who: Person, weapon: str, ammunition: str) -> None:
    item, rounds = scene[who].thing(weapon), scene[who].thing(ammunition)
    if not magazine_of(scene, item) or item.loaded >= magazine_of(scene, item):
        refuse(f"{weapon} is full or takes no rounds", rule="yearzero.combat.single-shot")
    check_loads_again(scene, item)
    if (caliber := caliber_of(scene, item)) and caliber not in (rounds.kind, rounds.caliber):
        refuse(f"{weapon} takes {caliber}", what=ammunition, rule="yearzero.combat.magazine")


def firearms(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].things if magazine_of(scene, item))


def ammunition(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].things if item.amount and is_ammunition(scene, item))


def is_ammunition(scene: Scene, item: Item) -> bool:
    """By its table, or by its feature."""
    return "Ammunition" in item.features or table_of(scene, item.kind) == "ammunition"


@figures("yearzero.combat.ammo-tracking")
class SpareWeights:
    """What a spare magazine or belt weighs."""

    magazine_weight: float
    ammo_belt_weight: float


@formula("yearzero.combat.ammo-tracking")
def spare_weight(scene: Scene, item: Item) -> float:
    """What a spare magazine of a firearm weighs, or a belt of one that is fed by belts."""
    belt = "Belt" in features_of(scene, item)
    return scene[SpareWeights].ammo_belt_weight if belt else scene[SpareWeights].magazine_weight


@formula("yearzero.combat.reloading")
def loading(scene: Scene, item: Item) -> ReloadRow:
    """How a weapon is loaded: by its kind, or else by magazine or clip."""
    listed = scene[RELOADS]
    named = (row.name for row in listed if ends_with(item.kind, row.weapons))
    return listed[next(named, listed.names[0])]


@frozen
class LoadingPrice:
    """What it costs to load, by the weapon in hand that is not full; those who are fast at it load for less."""

    def check(self, scene: Scene, who: Person) -> None:
        if (kind := loading_kind(scene, who)) != FREE:
            ActionPrice(COSTS[kind]).check(scene, who)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_loading(who)

    def end(self, who: Person) -> Call[None]:
        return SLOW_ACTION.end(who)


@formula("yearzero.combat.reloading/kind")
def loading_kind(scene: Scene, who: Person) -> str:
    """The slowest of what one might load; a talent makes it one level faster."""
    mine = [
        loading(scene, item)
        for item in in_hand(scene, who)
        if magazine_of(scene, item) and item.loaded < magazine_of(scene, item)
    ]
    fast = applying(scene, who).granted("rapid reload")
    kinds = [row.faster if fast else row.action for row in mine] or [SLOW]
    return SLOW if SLOW in kinds else kinds[0]


@rule("yearzero.combat.reloading/take")
async def take_loading(scene: Scene, who: Person) -> Prevented | None:
    """What loading uses up of the round."""
    kind = loading_kind(scene, who)
    return None if kind == FREE else await hand_over(take_action(who, COSTS[kind]))


@action("reload", "yearzero.combat.single-shot/reload", price=LoadingPrice(), check=check_reload)
async def reload(
    scene: Scene,
    who: Person,
    weapon: Annotated[str, Pick(firearms)],
    ammunition: Annotated[str, Pick(ammunition)],
) -> None:
    """Load a firearm from the ammunition one carries."""
    from referee.kits.things import reloaded

    await work_off_pain(who)
    item = scene[who].thing(weapon)
    most = loading(scene, item).most
    full = min(magazine_of(scene, item), item.loaded + most) if most else magazine_of(scene, item)
    loaded = reloaded(scene[who].things, weapon, full, scene[who].thing(ammunition).kind)
    await change(who, replace(scene[who], things=loaded))
