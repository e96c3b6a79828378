"""Marksmanship: shooting and throwing, called shots, the size of targets, rapid fire."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Mod,
    Mods,
    Pick,
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
)
from referee.core.things import HELD
from referee.systems.yearzero.action_types import SLOW_ACTION, ListedPrice, PrintedPrice
from referee.systems.yearzero.attacks import BLOW, DEVIATES, INDIRECT, SPOTTED, BodyPart, StruckBlow, attack, parts_of
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.effects import OUTCOME, Outcome, check_aim, effect_table, effects_of
from referee.systems.yearzero.gear import check_usable, damage_at_first
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.injury_tables import Wounding
from referee.systems.yearzero.panic import fire_fully
from referee.systems.yearzero.rolls import Attempt, RolledPool, roll_once
from referee.systems.yearzero.sheet import SPECIALTIES, Helpers, Item, Person, Survivor, others
from referee.systems.yearzero.skills import plain
from referee.systems.yearzero.weapons import check_hands, features_of, in_hand, rounds_fired, specialty_for

MARKSMANSHIP: Final = "Marksmanship"
EFFECTS: Final = effect_table("yearzero.marksmanship.effects", MARKSMANSHIP, general=True)
AMMO_DICE: Final = "yearzero.combat.ammo-dice"
SHORT: Final = "Short"
ARMS_LENGTH: Final = "Arm's Length"
RAPID: Final = figure("yearzero.talents.combat", "machinegunner_rof", int)


@frozen
class SizeRow:
    """A size of target."""

    name: str
    modification: int


@frozen
class RangeRow:
    """A range: how far it goes, and what it does to shooting and to sneaking."""

    name: str
    max_m: int
    shooting: int
    sneak: int
    colour: str
    shooting_small_arms: int | None = None


@frozen
class MetreRow:
    """Up to how many metres a range goes."""

    name: str
    up_to_m: int


SIZES: Final = rows("yearzero.marksmanship.target-size", "rows", SizeRow)
RANGES: Final = rows("yearzero.combat.ranges", "ranges", RangeRow)
METRES: Final = rows("yearzero.core.ranges-and-time", "ranges", MetreRow)
PRONE_TARGET: Final = figure("yearzero.combat.prone-target", "modifier", int)
ALIASES: Final = figure("yearzero.combat.ranges", "aliases", dict[str, str])
MOVING_VEHICLE: Final = figure("yearzero.combat.moving-target", "from_moving_vehicle", int)
MOVING: Final = figure("yearzero.combat.moving-target", "moving_target", int)
NEAR: Final = figure("yearzero.combat.prone-target", "no_effect_within_m", int)
FEWEST_AMMO: Final = figure(AMMO_DICE, "min", int)


# --- what may be picked -----------------------------------------------------------------------------------------------


def is_ranged(scene: Scene, item: Item) -> bool:
    """By a magazine or a feature, or by its name, if a specialty covers it: bow, hunting rifle."""
    return bool(item.magazine or {"Ranged", "Thrown", "Bow"} & {*item.features}) or is_named_ranged(scene, item.kind)


@formula("yearzero.marksmanship.specialties/weapons")
def is_named_ranged(scene: Scene, kind: str) -> bool:
    """Whether a specialty of Marksmanship covers a weapon by its name, or by the end of it: a hunting bow is a bow."""
    return any(ends_with(kind, row.weapons) for row in scene[SPECIALTIES[MARKSMANSHIP]])


def ends_with(name: str, words: Iterable[str]) -> bool:
    """Whether the last words of a name are these."""
    return f" {name}".casefold().endswith(tuple(f" {each}".casefold() for each in words))


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
    if item.magazine and not item.loaded:
        raise Refused(weapon, because="it is empty", rule="yearzero.combat.single-shot")


def ammo_dice(scene: Scene, who: Person, weapon: str) -> tuple[int, ...]:
    """No more than the rate of fire, nor than there are rounds."""
    item = scene[who].thing(weapon)
    return (0, *range(scene[FEWEST_AMMO], min(item.rate_of_fire, item.loaded) + 1))


def check_ammo(scene: Scene, who: Person, ammo: int, weapon: str) -> None:
    if ammo not in (legal := ammo_dice(scene, who, weapon)):
        raise Refused(
            "ammo dice", because=f"none, or {scene[FEWEST_AMMO]} to {legal[-1]}", rule=AMMO_DICE, legal=map(str, legal)
        )


def marks(scene: Scene, who: Person, weapon: str, ammo: int, distance: str) -> tuple[str, ...]:
    return effects_of(scene, EFFECTS, *shot_tags(scene, scene[who].thing(weapon), ammo, range_named(scene, distance)))


def check_mark(scene: Scene, who: Person, effect: str, weapon: str, ammo: int, distance: str, part: str) -> None:
    check_aim(scene, EFFECTS, effect, *shot_tags(scene, scene[who].thing(weapon), ammo, range_named(scene, distance)))
    may_hit = parts_of(scene, EFFECTS.rule, (effect,))
    if part and may_hit and part not in may_hit:
        refuse(f"it hits other parts than {part}", what=effect, rule=EFFECTS.rule, legal=may_hit)


def sizes(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[SIZES].names


def ranges(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[RANGES].names


def check_range(scene: Scene, who: Person, distance: str, weapon: str) -> None:
    row = scene[RANGES].look(range_named(scene, distance))
    longest = scene[RANGES].look(scene[LONGEST_THROW])
    if is_thrown(scene, scene[who].thing(weapon)) and row.max_m > longest.max_m:
        legal = (each.name for each in scene[RANGES] if each.max_m <= longest.max_m)
        refuse(f"{weapon} is not thrown so far", what=distance, rule=EFFECTS.rule, legal=legal)


def is_thrown(scene: Scene, item: Item) -> bool:
    return "Thrown" in features_of(scene, item) and not item.magazine


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


@formula("yearzero.combat.ranges/name")
def range_named(scene: Scene, distance: str) -> str:
    """A range by its name, by another that the book uses for it, or by a distance such as 15 m."""
    metres = distance.removesuffix("m").strip()
    return range_of(scene, int(metres)) if metres.isdecimal() else scene[ALIASES].get(distance, distance)


@formula("yearzero.core.ranges-and-time/range")
def range_of(scene: Scene, metres: int) -> str:
    """The range of so many metres."""
    reaching = (row.name for row in scene[METRES] if metres <= row.up_to_m)
    if (found := next(reaching, None)) is None:
        refuse("no range reaches that far", what=f"{metres} m", rule=METRES.rule, legal=scene[METRES].names)
    return found


def specialties(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[SPECIALTIES[MARKSMANSHIP]].names)


Weapon: TypeAlias = Annotated[str, Pick(ranged_weapons, check_ranged)]
Ammo: TypeAlias = Annotated[int, Pick(ammo_dice, check_ammo)]


@formula("yearzero.combat.ranges", "yearzero.marksmanship.target-size")
def shooting_mods(scene: Scene, who: Person, target: Person, weapon: str, distance: str, size: str, part: str) -> Mods:
    """Range, the size of the target unless a part of it is aimed at, and whether it moves or lies on the ground."""
    row = scene[RANGES][distance]
    small = is_small_arm(scene, scene[who].thing(weapon)) and row.shooting_small_arms is not None
    found = [Mod((row.shooting_small_arms or 0) if small else row.shooting, row.name, RANGES.rule)]
    if not part:
        found.append(Mod(scene[SIZES][size].modification, size, SIZES.rule))
    found += [*prone_target(scene, target, row.max_m), *moving_target(scene, target)]
    return tuple(mod for mod in found if mod.amount)


SMALL_ARMS: Final = figure("yearzero.combat.ranges", "small_arms", tuple[str, ...])


@formula("yearzero.combat.ranges/small-arms")
def is_small_arm(scene: Scene, item: Item) -> bool:
    """By its feature, or by its name or the end of it: an old pistol is a pistol."""
    return "Smallarm" in features_of(scene, item) or ends_with(item.kind, scene[SMALL_ARMS])


@formula("yearzero.combat.prone-target")
def prone_target(scene: Scene, target: Person, metres: int) -> Mods:
    """Somebody on the ground is harder to hit from further than 10 m."""
    far = scene[target].prone and metres > scene[NEAR]
    return (Mod(scene[PRONE_TARGET], f"{target} is prone", PRONE_TARGET.rule),) if far else ()


@formula("yearzero.combat.moving-target")
def moving_target(scene: Scene, target: Person) -> Mods:
    """Somebody who has moved since is harder to hit."""
    moves = applying(scene, target).granted("moving")
    return (Mod(scene[MOVING], f"{target} moves", MOVING.rule),) if moves else ()


def shot_tags(scene: Scene, item: Item, ammo: int, distance: str) -> tuple[str, ...]:
    """What effects may ask of a shot: with what, from how near, how rapidly."""
    kinds = {"Thrown": "thrown", "Harpoon": "harpoon", "Explosive": "explosive", "2H": "two-handed"}
    fits = {tag: feature in features_of(scene, item) for feature, tag in kinds.items()}
    fits |= {"gun": item.magazine > 0, "arm's length": distance == ARMS_LENGTH, "ROF 4": ammo >= scene[RAPID]}
    return ("ranged", *(tag for tag, has in fits.items() if has))


@formula("yearzero.injuries.critical-trigger/shot")
def wound_by(scene: Scene, item: Item) -> Wounding:
    """Bullets and blasts tear, stones and the like bruise, arrows and blades pierce."""
    features = features_of(scene, item)
    if item.magazine or "Explosive" in features:
        return "ballistic"
    return "blunt" if "Blunt" in features else "stab"


@formula("yearzero.observation.forward-observer/indirect")
def is_spotted(scene: Scene, who: Person, target: Person) -> bool:
    """Whether a spotter directs somebody's fire at a target: it is then indirect, said or not."""
    applied = applying(scene, who, INDIRECT, against=target)
    return applied.granted(SPOTTED) or applied.granted(DEVIATES)


@action("shoot", "yearzero.marksmanship.use", bands=BLOW, price=ListedPrice("Shoot"))
async def shoot(
    scene: Scene,
    who: Person,
    target: Annotated[Person, Pick(others)],
    weapon: Weapon,
    ammo: Ammo = 0,
    distance: Annotated[str, Pick(ranges, check_range)] = SHORT,
    part: BodyPart = "",
    size: Annotated[str, Pick(sizes)] = "human body",
    effect: Annotated[str, Pick(marks, check_mark)] = "",
    specialty: Annotated[str, Pick(specialties)] = "",
    mods: Mods = (),
    alerts: bool = False,
    from_moving_vehicle: bool = False,
    indirect: bool = False,
    helpers: Helpers = (),
) -> StruckBlow:
    """Shoot or throw at somebody; ammo dice, in place of gear dice, fire rapidly and never help to hit."""
    item = scene[who].thing(weapon)
    firearm = bool(item.magazine)
    strike = DeclaredAttack(
        "Shoot",
        damage_at_first(scene, item),
        wound_by(scene, item),
        part=part,
        ranged=True,
        firearm=firearm,
        surprise=alerts and not ammo,
        alerts=alerts and ammo > 0,
    )
    distance = range_named(scene, distance)
    own = shooting_mods(scene, who, target, weapon, distance, size, part)
    if from_moving_vehicle:
        own = (*own, Mod(scene[MOVING_VEHICLE], "from a moving vehicle or mount", MOVING_VEHICLE.rule))
    arcing = (INDIRECT,) if indirect or is_spotted(scene, who, target) else ()
    tags = (*shot_tags(scene, item, ammo, distance), *arcing)
    specialty = specialty or ranged_specialty(scene, item)
    attempt = Attempt(MARKSMANSHIP, specialty, weapon, (*mods, *own), tags=tags, ammo=ammo, helpers=helpers)
    attempt = throwing(scene, item, distance, effect, attempt)
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule, effect or called(scene, part)))


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
async def spend_rounds(scene: Scene, who: Person, weapon: str, ammo: int, rolled: RolledPool) -> None:
    """The rounds an attack takes: one, or the sum of the ammo dice; two ammo banes after a push jam the weapon."""
    item = scene[who].thing(weapon)
    rounds = rounds_fired(scene, item, ammo, rolled.rounds)
    jammed = item.jammed or jams(scene, rolled.ammo_banes, rolled.pushes)
    await alter(who, Survivor.with_thing, replace(item, loaded=item.loaded - rounds, jammed=jammed))
    if ammo and ammo == item.rate_of_fire:
        await fire_fully(who)


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
    item = scene[who].thing(weapon)
    if not item.magazine or item.loaded >= item.magazine:
        refuse(f"{weapon} is full or takes no rounds", rule="yearzero.combat.single-shot")


def firearms(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].things if item.magazine)


def ammunition(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].things if item.amount and "Ammunition" in item.features)


@action("reload", "yearzero.combat.single-shot/reload", price=SLOW_ACTION, check=check_reload)
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
    loaded = reloaded(scene[who].things, weapon, item.magazine, scene[who].thing(ammunition).kind)
    await change(who, replace(scene[who], things=loaded))
