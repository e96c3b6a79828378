"""Localized wounds: zones of the body with ladders of their own, and the states that wounds leave there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import (
    CLOCK,
    Mod,
    Pool,
    Prompt,
    Refused,
    Scene,
    Total,
    action,
    alter,
    figure,
    formula,
    frozen,
    lay,
    number_die,
    option,
    refuse,
    roll,
    rows,
    rule,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Adds
from referee.core.things import DROPPED
from referee.kits.wounds import TimeSpan
from referee.systems.d6.codes import SIDES
from referee.systems.d6.equipment import Item, weapon_of
from referee.systems.d6.health import DURATION, fall_unconscious, set_level, strength_dice, stunned, wounded
from referee.systems.d6.resolution import TESTED, TestResult, check_conscious, roll_against
from referee.systems.d6.rolls import ANY_ROLL, roll_for
from referee.systems.d6.sheet import Bleeding, Hero, Person
from referee.systems.d6.time import rounds_of
from referee.systems.d6.traits import CharacterTrait
from referee.systems.d6.wounds import (
    DEAD,
    FAILED,
    PASSED,
    PUNCTURED,
    TORSO,
    WOUNDED,
    ZONE_STATES,
    ZoneState,
    ZoneStateRow,
)

LOCALIZED: Final = option("d6.health.localized-zones")
ZONES: Final = figure("d6.health.localized-zones", "zones", tuple[str, ...])
DEFAULT_ZONE: Final = figure("d6.health.localized-zones", "default_zone", str)
LOCATION: Final = Prompt("location")
LOCATION_DICE: Final = figure("d6.health.localization-roll", "dice", int)
BROKEN_RIBS: Final = "Broken ribs"
STUN: Final = "Stun"


@frozen
class ZoneRow:
    """Where a random hit lands."""

    name: str
    zone: str = ""


@frozen
class PlaceRow:
    """A place that can be hit: how hard it is to aim at, in which zone it lies, and what each wound leaves there."""

    name: str
    called_shot: int
    states: tuple[str, ...]
    in_: str = ""
    replaces: bool = False


@frozen
class WoundColumn:
    """A column of the table: how bad the wound is."""

    name: str


@frozen
class RibRow:
    """What exertion with broken ribs does."""

    name: str
    becomes: str = ""
    unconscious: str = ""
    wounds: int = 0
    stuns: int = 0


LOCATIONS: Final = rows("d6.health.localization-roll", "rows", ZoneRow, by="roll", numbers=tuple(range(2, 13)))
PLACES: Final = rows("d6.health.localized-table", "rows", PlaceRow)
COLUMNS: Final = rows("d6.health.localized-table", "columns", WoundColumn)
RIBS: Final = rows("d6.health.broken-ribs", "rows", RibRow, by=("min", "max"))


@action("hit-location", "d6.health.localization-roll", master=True)
async def hit_location(scene: Scene) -> str:
    """Where a hit lands at random."""
    shown = await roll(LOCATION, None, Pool.of((number_die(scene[SIDES]), scene[LOCATION_DICE])), Total)
    row = scene[LOCATIONS].at(shown.total)
    return row.zone or row.name


@formula("d6.health.localized-table/called-shot", "d6.health.localized-table")
def called_shot(scene: Scene, place: str) -> tuple[Mod, ...]:
    """What aiming at a place costs."""
    row = scene[PLACES][place]
    return (Mod(row.called_shot, f"aims at: {row.name}", PLACES.rule),) if row.called_shot else ()


@rule("d6.health.localized-table")
async def struck(scene: Scene, who: Person, result: str, place: str = TORSO) -> str:
    """A wound lands somewhere: the zone's own ladder goes on, and states are left there, of lower levels too."""
    row = scene[PLACES][place]
    zone = row.in_ or row.name
    if zone == TORSO and not row.replaces:
        level = await as_usual(who, result)
    elif row.replaces or result == "Stunned":
        level = scene[who].wound_at(zone)
    else:
        level = await wounded(who, result, zone)
    as_bad_as = result if row.replaces or result == "Stunned" or level not in scene[COLUMNS] else level
    for state in states_left(scene, row, as_bad_as):
        await leave_state(who, state, zone)
    if row.in_ and not row.replaces and zone != TORSO:
        for state in states_left(scene, scene[PLACES][zone], as_bad_as):
            await leave_state(who, state, zone)
    return scene[who].wound_at(zone)


@rule("d6.health.localized-zones/torso", "d6.health.localized-zones")
async def as_usual(scene: Scene, who: Person, result: str) -> str:
    """The torso is wounded like anybody without localized wounds."""
    if result == "Stunned":
        await stunned(who, 1)
        return scene[who].wound
    return await wounded(who, result)


def states_left(scene: Scene, row: PlaceRow, result: str) -> tuple[str, ...]:
    """What a level leaves at a place: its own state and those of the levels below it; Wounded twice is Wounded.

    Where it kills, nothing else matters.
    """
    column = scene[COLUMNS][result if result in scene[COLUMNS] else WOUNDED].name
    upto = row.states[: scene[COLUMNS].names.index(column) + 1]
    return (DEAD,) if DEAD in upto else tuple(dict.fromkeys(each for each in upto if each))


@rule("d6.health.localized-effects")
async def leave_state(scene: Scene, who: Person, state: str, zone: str) -> None:
    """A state that a wound leaves, unless it is resisted; a limb that breaks may also knock somebody out.

    A hand that holds nothing drops nothing.
    """
    row = scene[ZONE_STATES][state]
    has_it = any((each.zone, each.state) == (zone, row.name) for each in scene[who].states)
    if has_it or (row.drops and not any(held_with(scene, who, zone))):
        return
    short = await falls_short(who, row)
    if row.resisted_with and not short and not row.limb:
        return
    await state_begins(who, row, zone)
    if row.says and not row.effects:
        await tell("zone-state", who=who, state=row.name, zone=zone)
    if row.limb and short:
        await fall_unconscious(who, TimeSpan(plus=short, unit="minutes"), "broken limb")


@rule("d6.health.localized-effects/resist", "d6.health.localized-effects")
async def falls_short(scene: Scene, who: Person, row: ZoneStateRow) -> int:
    """By how much somebody fails to resist a state; 0 if it is resisted, or cannot be."""
    if not row.resisted_with:
        return 0
    tried = await roll_against(who, row.resisted_with, row.difficulty, tags=(ANY_ROLL,))
    return 0 if tried.success else tried.margin


@rule("d6.health.localized-effects/begin", "d6.health.localized-effects")
async def state_begins(scene: Scene, who: Person, row: ZoneStateRow, zone: str) -> None:
    """What a state does at once, and what of it lasts."""
    if row.drops:
        await alter(who, letting_go, tuple(held_with(scene, who, zone)))
    if row.falls:
        await alter(who, fallen)
    if row.name == DEAD:
        await set_level(who, DEAD)
    elif row.name == STUN:
        await stunned(who, 1)
    elif row.unconscious:
        await fall_unconscious(who, TimeSpan.from_plain(row.unconscious), "unconscious")
    elif row.flaw:
        await alter(who, with_flaw, CharacterTrait(row.flaw, row.level))
    elif row.until:
        for effect in row.effects:
            await lay(who, replace(effect, until=row.until, times_until=row.times_until), source=row.name)
    elif row.effects:
        await alter(who, Hero.with_state, await lasting(who, row, zone))
    if row.name == PUNCTURED:
        await alter(who, bleeding_inside, strength_dice(scene, who))


def letting_go(sheet: Hero, names: tuple[str, ...]) -> Hero:
    """What was in a hand lies on the ground."""
    things = (each.at(DROPPED) if each.name in names else each for each in sheet.equipment)
    return replace(sheet, equipment=tuple(things))


def fallen(sheet: Hero) -> Hero:
    return replace(sheet, posture="prone")


def with_flaw(sheet: Hero, flaw: CharacterTrait) -> Hero:
    return replace(sheet, flaws=(*(each for each in sheet.flaws if each.name != flaw.name), flaw))


def bleeding_inside(sheet: Hero, grace: int) -> Hero:
    return replace(sheet, bleeding=Bleeding(grace, hopeless=True))


@rule("d6.health.localized-effects/last", "d6.health.localized-effects")
async def lasting(scene: Scene, who: Person, row: ZoneStateRow, zone: str) -> ZoneState:
    """A state that begins now; one that passes by itself does so after a time that is rolled."""
    now = scene[CLOCK].now
    if not row.lasts:
        return ZoneState(zone, row.name, since=now)
    span = TimeSpan.from_plain(row.lasts)
    rolled = (await roll(DURATION, who, Pool.of((number_die(scene[SIDES]), span.dice)), Total)).total
    return ZoneState(zone, row.name, since=now, until=now + rounds_of(scene, rolled, span.unit))


def state_named(scene: Scene, who: Person, about: str) -> ZoneState | None:
    return next((each for each in scene[who].states if f"{each.zone}: {each.state}" == about), None)


@rule("d6.health.localized-effects/pass", "d6.health.localized-effects")
async def state_passes(scene: Scene, who: Person, about: str) -> None:
    """A state is over."""
    if (state := state_named(scene, who, about)) is not None:
        await alter(who, Hero.without_state, state)


@rule("d6.health.localized-effects/try", "d6.health.localized-effects")
async def state_tried(scene: Scene, who: Person, about: str) -> None:
    """A roll ends the state, or another period of it begins, and the next roll is easier."""
    state = state_named(scene, who, about)
    if state is None:
        return
    row = scene[ZONE_STATES].look(state.state)
    easier = (Mod(state.tries * row.bonus_each, "tried before", ZONE_STATES.rule, unit="total"),)
    tried = await roll_against(who, row.ends_with, row.difficulty, easier, tags=(ANY_ROLL,))
    if tried.success:
        await alter(who, Hero.without_state, state)
    else:
        await alter(who, Hero.with_state, replace(state, tries=state.tries + 1))


@due(Hero, state_passes, state_tried)
def states_end(scene: Scene, who: Person) -> Iterator[Due]:
    """What passes by itself does so at its time; what has to be overcome is tried after every period of it."""
    for each in scene[who].states:
        row, about = scene[ZONE_STATES].look(each.state), f"{each.zone}: {each.state}"
        until = scene[CLOCK].ahead(who, state_passes, about) if each.until is None else each.until
        if row.lasts and until is not None:
            yield Due(state_passes, at=until, about=about)
        if row.period and scene[who].wound != DEAD:
            span = TimeSpan.from_plain(row.period)
            every, at = rounds_of(scene, span.plus, span.unit), scene[CLOCK].ahead(who, state_tried, about)
            yield Due(state_tried, every=every, since=each.since, at=at, about=about)


# --- arms and legs ----------------------------------------------------------------------------------------------------

RIGHT_ARM: Final = "Right arm"
LEFT_ARM: Final = "Left arm"
LEGS: Final = ("Right leg", "Left leg")


def arms_for(scene: Scene, item: Item) -> tuple[str, ...]:
    """The arms that something takes: the right one, the left one for the off hand, both for what takes two hands."""
    if weapon_of(scene, item).hands > 1:
        return (RIGHT_ARM, LEFT_ARM)
    return (LEFT_ARM,) if item.off_hand else (RIGHT_ARM,)


def held_with(scene: Scene, who: Person, arm: str) -> Iterator[str]:
    """What an arm holds."""
    return (each.name for each in scene[who].equipment if each.ready and arm in arms_for(scene, each))


def useless(scene: Scene, who: Person, zone: str) -> str:
    """What makes a limb useless: a state of it that nobody has fixed; nothing if it can be used."""
    states = (each for each in scene[who].states if each.zone == zone and not each.fixed)
    return next((each.state for each in states if scene[ZONE_STATES].look(each.state).limb), "")


def check_arms(scene: Scene, who: Person, item: Item) -> None:
    """Only an arm that can be used, or has been fixed, handles anything."""
    if scene[who].states:
        check_usable(scene, who, item)


def arm_mods(scene: Scene, who: Person, item: Item) -> tuple[Mod, ...]:
    """What it costs that an arm was only fixed, where wounds are localized."""
    return fixed_arm_mods(scene, who, item) if scene[who].states else ()


def leg_mods(scene: Scene, who: Person) -> tuple[Mod, ...]:
    """What it costs to stand on a bad leg, where wounds are localized."""
    return bad_leg_mods(scene, who) if scene[who].states and scene[who].posture == "standing" else ()


@formula("d6.health.localized-effects/arm", "d6.health.localized-effects")
def check_usable(scene: Scene, who: Person, item: Item) -> None:
    """Only an arm that can be used, or has been fixed, handles anything."""
    for arm in arms_for(scene, item):
        if state := useless(scene, who, arm):
            legal = ("fix-limb", LEFT_ARM if arm == RIGHT_ARM else RIGHT_ARM)
            raise Refused(
                item.name, because=f"the {arm.lower()} of {who} is {state}", rule=ZONE_STATES.rule, legal=legal
            )


def has_arms_for(scene: Scene, who: Person, item: Item) -> bool:
    """Whether every arm that something takes can be used."""
    return not scene[who].states or not any(useless(scene, who, arm) for arm in arms_for(scene, item))


@formula("d6.health.localized-effects/arm-mods", "d6.health.localized-effects")
def fixed_arm_mods(scene: Scene, who: Person, item: Item) -> tuple[Mod, ...]:
    """An arm that was fixed hinders whatever is done with it."""
    found: dict[str, Mod] = {}
    for each in scene[who].states:
        if each.fixed and each.zone in arms_for(scene, item):
            for effect in scene[ZONE_STATES].look(each.state).fixed_effects:
                if isinstance(effect.does, Adds):
                    found[each.zone] = Mod(effect.does.amount, f"{each.zone}: {each.state}", ZONE_STATES.rule)
    return tuple(found.values())


@formula("d6.health.localized-effects/leg-mods", "d6.health.localized-effects")
def bad_leg_mods(scene: Scene, who: Person) -> tuple[Mod, ...]:
    """Whoever stands on a leg that nobody has fixed is hindered in all that needs standing."""
    bad = tuple((zone, useless(scene, who, zone)) for zone in LEGS)
    rows_of = ((zone, scene[ZONE_STATES].look(state)) for zone, state in bad if state)
    return tuple(Mod(row.standing_dice, f"{zone}: {row.name}", ZONE_STATES.rule) for zone, row in rows_of)[:1]


def has_bad_leg(scene: Scene, who: Person) -> bool:
    """Whether a leg is no good for more than cautious speed, fixed or not."""
    return any(each.zone in LEGS and scene[ZONE_STATES].look(each.state).limb for each in scene[who].states)


def check_legs_carry_fast(scene: Scene, who: Person) -> None:
    """On a bad leg, fixed or not, nobody moves faster than at cautious speed."""
    if has_bad_leg(scene, who):
        refuse("a bad leg allows cautious speed at most", rule=ZONE_STATES.rule, legal=("move",))


@rule("d6.health.localized-effects/stand", "d6.health.localized-effects")
async def legs_carry(scene: Scene, who: Person) -> bool:
    """Whether somebody manages to stand, or to move, on a bad leg; on a severed one nobody does."""
    for zone in LEGS:
        if not (state := useless(scene, who, zone)):
            continue
        row = scene[ZONE_STATES].look(state)
        if (
            not row.acts_with
            or not (await roll_against(who, row.acts_with, row.act_difficulty, tags=(ANY_ROLL,))).success
        ):
            return False
    return True


# --- fixing limbs -----------------------------------------------------------------------------------------------------


@frozen
class FixRow:
    """What treating a localized wound takes."""

    name: str
    state: str
    skill: str
    difficulty: int
    limb: str = ""
    cause: str = ""


FIXES: Final = rows("d6.health.localized-treatment", "rows", FixRow)


def limbs(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    """The limbs that are disabled or broken."""
    return tuple(each.zone for each in scene[patient].states if fix_for(scene, patient, each.zone) is not None)


def fix_for(scene: Scene, patient: Person, zone: str) -> FixRow | None:
    """How a limb is fixed: the worst state counts."""
    held = {each.state for each in scene[patient].states if each.zone == zone and not each.fixed}
    fits = [row for row in scene[FIXES] if row.limb and zone.endswith(row.limb) and row.state in held]
    return max(fits, key=lambda row: row.state == "Broken", default=None)


def all_fixed(sheet: Hero, zone: str) -> Hero:
    fixed = tuple(
        replace(each, fixed=True) if each.zone == zone and each.state in ("Disabled", "Broken") else each
        for each in sheet.states
    )
    return replace(sheet, states=fixed)


# --- ribs and lungs ---------------------------------------------------------------------------------------------------


def ribs_of(scene: Scene, who: Person) -> ZoneState | None:
    """Broken ribs, or the punctured lung that they have become, which is worse."""
    found = (each for each in scene[who].states if each.state in (BROKEN_RIBS, PUNCTURED))
    return max(found, key=lambda each: each.state == PUNCTURED, default=None)


def check_ribs(scene: Scene, who: Person) -> None:
    """Only broken ribs take it, and whoever fails does nothing in this round."""
    if (state := ribs_of(scene, who)) is None:
        refuse(f"{who} has no broken ribs, and acts without it")
    if state.exertion == FAILED:
        refuse(f"{who} could not bear it in this round", legal=("cautious movement", "exert-oneself in the next round"))


def exerted(sheet: Hero, how: str) -> Hero:
    """Whether the ribs let somebody act in this round."""
    ribs = (BROKEN_RIBS, PUNCTURED)
    return replace(
        sheet, states=tuple(replace(each, exertion=how) if each.state in ribs else each for each in sheet.states)
    )


@action(
    "exert-oneself",
    "d6.health.broken-ribs",
    "d6.health.punctured-lungs",
    bands=TESTED,
    turn=check_conscious,
    check=check_ribs,
)
async def exert_oneself(scene: Scene, who: Person) -> TestResult:
    """With broken ribs anything but cautious movement takes a Stamina roll first; it counts for the round, at whose
    end it may do harm.
    """
    state = ribs_of(scene, who)
    row = scene[ZONE_STATES][state.state if state else BROKEN_RIBS]
    result = await roll_against(who, row.acts_with, row.act_difficulty, tags=(ANY_ROLL,))
    if row.name == PUNCTURED and not result.success:
        await set_level(who, DEAD)
        return result
    await alter(who, exerted, PASSED if result.success else FAILED)
    return result


@rule("d6.health.broken-ribs/strain", "d6.health.broken-ribs")
async def strain_ribs(scene: Scene, who: Person) -> str:
    """At the end of a round of exertion a Strength roll says what it does to the ribs."""
    await alter(who, exerted, "")
    shown = (await roll_for(who, "Strength", (), ("ribs",))).total
    row = scene[RIBS].at(shown)
    if row.becomes:
        state = ribs_of(scene, who)
        if state is not None:
            await alter(who, Hero.without_state, state)
        await leave_state(who, row.becomes, TORSO)
    if row.unconscious:
        await fall_unconscious(who, TimeSpan.from_plain(row.unconscious), "unconscious")
    for _ in range(row.wounds):
        await wounded(who, WOUNDED)
    if row.stuns:
        await stunned(who, row.stuns)
    return row.name
