"""The ground of a fight: zones and what they do, how far it is, running, retreating, crawling.

Without a map, distances are for the table to say, and nothing here bars anything.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Mod,
    Mods,
    Pick,
    Prevented,
    Refused,
    Scene,
    action,
    alter,
    applying,
    figure,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
)
from referee.core.effects import Effect, lay
from referee.core.rules import rule_named
from referee.systems.yearzero.action_types import MovementPrice, RunPrice, check_unhindered, enemies_near
from referee.systems.yearzero.battle import BATTLE, Battle, comrades, other_sides
from referee.systems.yearzero.defence import lying
from referee.systems.yearzero.encumbrance import bear_load
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.loads import check_can_move
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_once
from referee.systems.yearzero.sheet import IN_COVER, Item, Person, Survivor, Target, is_somebody, is_target
from referee.systems.yearzero.weapons import features_of, in_hand

RUN: Final = "yearzero.combat.run"
RETREAT: Final = "yearzero.combat.retreat"
CLOSE: Final = "yearzero.combat.close-combat"
OPPORTUNITY: Final = "yearzero.combat.attack-of-opportunity"
BORDER_M: Final = figure(RUN, "distance_m", int)
WITHIN_M: Final = figure("yearzero.combat.zones", "within_zone_m", int)
CRAWL_M: Final = figure("yearzero.combat.slow-actions", "crawl_m", int)
RETREAT_TO: Final = figure(RETREAT, "to", str)
RETREAT_SKILL: Final = figure(RETREAT, "skill", str)


@frozen
class MetreRow:
    """Up to how many metres a range goes."""

    name: str
    up_to_m: int


METRES: Final = rows("yearzero.core.ranges-and-time", "ranges", MetreRow)
ALIASES: Final = figure("yearzero.combat.ranges", "aliases", dict[str, str])
ARMS_LENGTH: Final = "Arm's Length"
SHORT: Final = "Short"


@frozen
class ZoneFeature:
    """What a feature of a zone does to a fight in it."""

    name: str
    features: tuple[str, ...] = ()
    """What maps call it, if not by its name."""
    definition: str = ""
    says: str = ""
    heavy_attack: int = 0
    no_swing: bool = False
    blast_steps: int = 0
    move_roll: bool = False
    """Whether running into it takes a Move roll."""
    circumstance: str = ""
    """The circumstance that every shot into it has."""
    bars_shots: bool = False
    """Whether nobody shoots through it."""


FEATURES: Final = rows("yearzero.combat.zone-features", "features", ZoneFeature)


# --- what a zone does -------------------------------------------------------------------------------------------------


def has_map(scene: Scene) -> bool:
    return BATTLE in scene and scene[BATTLE].has_map


@formula("yearzero.combat.zone-features")
def features_there(scene: Scene, zone: str) -> tuple[ZoneFeature, ...]:
    """What the rules know of a zone's features; the others are words."""
    named = {each.casefold() for each in scene[BATTLE].zones.zone(zone).features} if has_map(scene) else set()
    return tuple(scene[FEATURES][row.name] for row in scene[FEATURES] if named & {row.name, *row.features})


def where(scene: Scene, who: Target) -> str:
    """The zone somebody is in; nothing without a map."""
    return scene[BATTLE].zones.where(who.name) if has_map(scene) else ""


@formula("yearzero.combat.zone-features/around")
def ground_of(scene: Scene, who: Person) -> tuple[ZoneFeature, ...]:
    """What the ground does where somebody stands."""
    return features_there(scene, where(scene, who)) if has_map(scene) else ()


@formula("yearzero.combat.zone-features/heavy")
def cramped_mods(scene: Scene, who: Person, heavy: bool) -> Mods:
    """Heavy weapons are in the way where there is little room."""
    found = ground_of(scene, who) if heavy else ()
    return tuple(Mod(row.heavy_attack, row.name, FEATURES.rule) for row in found if row.heavy_attack)


@formula("yearzero.combat.zone-features/swing")
def check_room(scene: Scene, who: Person) -> None:
    """There is no room to swing a weapon where it is cramped."""
    for row in ground_of(scene, who):
        if row.no_swing:
            refuse(f"{where(scene, who)} is {row.name}", rule=FEATURES.rule)


# --- how far it is ----------------------------------------------------------------------------------------------------


@formula("yearzero.combat.zones/metres")
def metres_between(scene: Scene, who: Person, other: Target) -> int | None:
    """How far somebody is, on a map; None out of sight, and where nothing says it."""
    if not has_map(scene):
        return None
    if other.name in scene[BATTLE].near(who.name):
        return scene[METRES].look(ARMS_LENGTH).up_to_m
    apart = scene[BATTLE].zones.distance(who.name, other.name)
    return None if apart is None else apart * scene[BORDER_M] or scene[WITHIN_M]


def within(scene: Scene, who: Person, metres: int, among: tuple[Person, ...]) -> tuple[Person, ...]:
    """Those of some people who are so near, in sight; without a map all of them."""
    if not has_map(scene):
        return among
    far = ((each, metres_between(scene, who, each)) for each in among)
    return tuple(each for each, apart in far if apart is not None and apart <= metres)


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


@formula("yearzero.combat.ranges/between")
def range_between(scene: Scene, who: Person, other: Target, said: str = "") -> str:
    """The range from one to another: as it was said, or as the map has it; Short where nothing says it."""
    if said or not has_map(scene):
        return range_named(scene, said) if said else SHORT
    if (metres := metres_between(scene, who, other)) is None:
        refuse(f"{other} is out of sight", what="distance", rule=METRES.rule)
    return range_of(scene, metres)


@formula("yearzero.combat.close-combat/reach")
def check_in_reach(scene: Scene, who: Person, target: Target, reaches: bool) -> None:
    """Close combat is at Arm's Length; a weapon with Reach strikes as far as Short, unless one is prone."""
    if not is_target(scene, target):
        refuse(f"{target} is nothing to strike at", rule=CLOSE)
    if not is_somebody(scene, target):
        check_beside(scene, who, target)
        return
    if not has_map(scene) or target.name in (*scene[BATTLE].near(who.name), scene[who].holds, scene[who].held_by):
        return
    metres = metres_between(scene, who, target)
    if not reaches or scene[who].prone or metres is None or metres > scene[METRES].look(SHORT).up_to_m:
        refuse(f"{target} is not within reach", rule=CLOSE, legal=("charge",))


@formula("yearzero.combat.close-combat/thing")
def check_beside(scene: Scene, who: Person, target: Target) -> None:
    """A thing is struck from anywhere in its zone."""
    if has_map(scene) and where(scene, who) != where(scene, target):
        refuse(f"{target} is in {where(scene, target)}", rule=CLOSE, legal=("run",))


def reaching(scene: Scene, who: Person) -> tuple[Item, ...]:
    """The weapons in hand that strike further than Arm's Length."""
    return tuple(item for item in in_hand(scene, who) if "Reach" in features_of(scene, item))


# --- getting there ----------------------------------------------------------------------------------------------------


def check_map(scene: Scene, who: Person) -> None:
    if not has_map(scene):
        refuse("no map says where anybody is", rule="yearzero.combat.zones", legal=("keep-moving", "charge"))


def next_zones(scene: Scene, who: Person) -> tuple[str, ...]:
    """The zones one can get into from where one is."""
    return scene[BATTLE].zones.neighbours(where(scene, who)) if has_map(scene) else ()


NextZone: TypeAlias = Annotated[str, Pick(next_zones)]


@action("run", RUN, price=RunPrice(), check=(check_map, check_can_move))
async def run(scene: Scene, who: Person, to: NextZone) -> Prevented | None:
    """Run into the next zone, away from nobody: with an enemy at Arm's Length one retreats."""
    await work_off_pain(who)
    if not await bear_load(who):
        return None
    return await hand_over(arrive(who, to))


@rule(f"{RUN}/arrive", "yearzero.combat.zone-features")
async def arrive(scene: Scene, who: Person, zone: str) -> Prevented | None:
    """Somebody comes into a zone, through whatever waits for them there; rough ground may bring them down."""
    if scene[BATTLE].fields and (stopped := await rule_named("yearzero.combat.field-of-fire/cross")(who, zone)):
        return Prevented(str(stopped.because))
    known = within_reach_of(scene, who)
    await alter(BATTLE, Battle.placing, who.name, zone)
    await leave_cover(who)
    await in_motion(who)
    if any(row.move_roll for row in features_there(scene, zone)) and not await keeps_footing(who):
        await alter(who, lying)
    for enemy in within_reach_of(scene, who):
        if enemy not in known:
            await rule_named(OPPORTUNITY)(enemy, who, reaching=True)
    return None


@rule("yearzero.combat.cover-seek/leave")
async def leave_cover(scene: Scene, who: Person) -> None:
    """Whoever moves away is no longer behind anything; a shield stays where it is held."""
    cover = scene[who].cover
    if IN_COVER in scene[who].conditions and not (cover and cover.areas):
        await alter(who, Survivor.leaving_cover)


FOOTING: Final[Bands[bool]] = Bands(of=lambda kept: "success" if kept else "failure", keys=("success", "failure"))


@rule("yearzero.combat.zone-features/rough", bands=FOOTING)
async def keeps_footing(scene: Scene, who: Person) -> bool:
    """A Move roll, which is no action, to stay on one's feet."""
    rolled = await roll_once(who, Attempt("Move", "Runner", tags=(NO_ACTION, "movement"), surplus=False))
    return rolled.success


def within_reach_of(scene: Scene, who: Person) -> tuple[Person, ...]:
    """The enemies who could strike at somebody from further than Arm's Length."""
    near = within(scene, who, scene[METRES].look(SHORT).up_to_m, other_sides(scene, who))
    return tuple(each for each in near if reaching(scene, each))


@rule("yearzero.combat.moving-target/in-motion")
async def in_motion(scene: Scene, who: Person) -> None:
    """Whoever has moved is harder to shoot until their next go."""
    moved = Effect.from_plain({"grants": "moving", "until": f"turn of {who}"})
    if not applying(scene, who).granted("moving"):
        await lay(who, moved, source="movement", by="yearzero.combat.moving-target")


@rule(f"{RUN}/engage")
async def engage(scene: Scene, who: Person, target: Person) -> None:
    """Two are at Arm's Length of each other, in the zone of the one who was attacked."""
    known = within_reach_of(scene, who)
    if where(scene, who) != where(scene, target):
        await alter(BATTLE, Battle.placing, who.name, where(scene, target))
        await leave_cover(who)
    await alter(BATTLE, Battle.engaging, who.name, target.name)
    await in_motion(who)
    for enemy in within_reach_of(scene, who):
        if enemy not in known:
            await rule_named(OPPORTUNITY)(enemy, who, reaching=True)


def charged(scene: Scene, who: Person) -> tuple[Person | None, ...]:
    """Whom one can run up to; without a map that is for the table to say."""
    if not has_map(scene):
        return (None,)
    near = within(scene, who, scene[BORDER_M], tuple(each for each in other_sides(scene, who)))
    here, beyond = where(scene, who), next_zones(scene, who)
    return tuple(each for each in near if where(scene, each) in (here, *beyond))


def check_charged(scene: Scene, who: Person, target: Person | None) -> None:
    """On a map one charges somebody within a run."""
    if has_map(scene) and target not in charged(scene, who):
        legal = tuple(str(each) for each in charged(scene, who))
        raise Refused("charge", because=f"{target or 'nobody'} is not within a run", rule=RUN, legal=legal)


Charged: TypeAlias = Annotated[Person | None, Pick(charged, check_charged)]


def ways_out(scene: Scene, who: Person) -> tuple[str, ...]:
    """Where one may retreat to: a few steps away, or into the next zone."""
    return ("", *next_zones(scene, who))


def check_engaged(scene: Scene, who: Person) -> None:
    if not enemies_near(scene, who):
        refuse("no enemy is at Arm's Length", rule=RETREAT, legal=("run",))


RETREATED: Final[Bands[bool]] = Bands(of=lambda safe: "success" if safe else "failure", keys=("success", "failure"))


@action("retreat", RETREAT, bands=RETREATED, price=MovementPrice("Retreat"), check=(check_map, check_engaged))
async def retreat(scene: Scene, who: Person, to: Annotated[str, Pick(ways_out)] = "", mods: Mods = ()) -> bool:
    """Get away from enemies at Arm's Length; whoever fails the Move roll may be struck while doing so."""
    attempt = Attempt(scene[RETREAT_SKILL], mods=mods, tags=("movement",), surplus=False, while_broken=True)
    rolled = await roll_once(who, attempt)
    for enemy in enemies_near(scene, who) if not rolled.success else ():
        await rule_named(OPPORTUNITY)(enemy, who)
    await alter(BATTLE, Battle.apart, who.name)
    if to:
        await arrive(who, to)
    else:
        await in_motion(who)
    return rolled.success


def check_crawls(scene: Scene, who: Person) -> None:
    applying(scene, who).check_allowed("crawl", rule="yearzero.combat.slow-actions")
    if not scene[who].prone:
        refuse(f"{who} is on their feet", rule="yearzero.combat.slow-actions", legal=("run",))


@action(
    "crawl", "yearzero.combat.slow-actions/crawl", price=MovementPrice("Crawl"), check=(check_crawls, check_unhindered)
)
async def crawl(scene: Scene, who: Person, to: Annotated[str, Pick(ways_out)] = "") -> int:
    """Move on the ground, half as far as one runs; the second half of the way leads into the next zone."""
    await work_off_pain(who)
    if to:
        await arrive(who, to)
    return scene[CRAWL_M]


def friends_near(scene: Scene, who: Person, metres: int) -> tuple[Person, ...]:
    """The comrades within so many metres, in sight."""
    return within(scene, who, metres, comrades(scene, who))
