"""Terrain and the journey: what each kind of land does to travel, food and search, and the party that crosses it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from referee.core import Call, Mod, Mods, Open, Scene, Who, figure, formula, frozen, refuse, rows
from referee.core.rules import rule_named
from referee.kits.journeys import ChosenActivity, Expedition, JourneyEvent, MapHex, QuarterActivity
from referee.systems.yearzero.activities import quarter_days, running, span
from referee.systems.yearzero.harm import can_act
from referee.systems.yearzero.sheet import Person, Survivor

WILDERNESS: Final = "yearzero.journeys.terrain-wilderness"
MODERN: Final = "yearzero.journeys.terrain-modern"
ROAD: Final = "Road"

OnLand: TypeAlias = Literal["forage", "hunt", "scrounge", "driving"]
Craft: TypeAlias = Literal["foot", "raft", "boat", "vehicle"]
TerrainSet: TypeAlias = Literal["wilderness", "modern"]


@frozen
class WildTerrain:
    """A kind of land in the wild: how one gets through it, and what it gives."""

    name: str
    movement: Literal["open", "difficult"]
    forage: int = 0
    hunt: int = 0
    as_: str = ""
    """The terrain of the modern set that has its other figures."""
    barred: tuple[str, ...] = ()
    """What is impossible in it."""
    by: tuple[str, ...] = ()
    """What one must travel by."""
    skill: str = ""
    specialty: str = ""
    level: int = 0
    """What every traveller must know, and how well."""


@frozen
class ModernTerrain:
    """A kind of land with roads: how fast one gets through it, and what it gives."""

    name: str
    speed: tuple[int, int]
    """The share of the usual distance, as two numbers."""
    driving: int = 0
    forage: int = 0
    hunt: int = 0
    scrounge: int = 0
    around: bool = False
    """Whether food is as in the land around it."""
    barred: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


WILD_LAND: Final = rows(WILDERNESS, "terrain", WildTerrain)
MODERN_LAND: Final = rows(MODERN, "terrain", ModernTerrain)
HEXES: Final = figure(WILDERNESS, "hexes_per_qd", dict[str, int])


# --- the journey ------------------------------------------------------------------------------------------------------


ACTIVITIES: Final[Mapping[str, QuarterActivity]] = {
    each.name: each
    for each in (
        QuarterActivity("Lead the way", "lead-the-way", leads=True),
        QuarterActivity("Keep watch", "keep-watch"),
        QuarterActivity("Forage", "forage"),
        QuarterActivity("Hunt", "hunt"),
        QuarterActivity("Fish", "fish"),
        QuarterActivity("Just walk"),
        QuarterActivity("Make camp", "make-camp", stays=True),
        QuarterActivity("Rest", "rest", stays=True),
        QuarterActivity("Sleep", "rest", stays=True),
        QuarterActivity("Sleep rough", "sleep-rough", stays=True),
        QuarterActivity("Scrounge", "scrounge", stays=True),
        QuarterActivity("Survey the land", "survey-the-land", stays=True),
        QuarterActivity("Help"),
    )
}
"""What a traveller may do in a quarter of the day."""


@frozen
class Journey(Expedition):
    """A party on its way, quarter by quarter."""

    goal: Open[str] = ""
    terrains: Open[TerrainSet] = "wilderness"
    """Which set of terrain the map is drawn with."""
    travel_by: Open[Craft] = "foot"
    walked: Open[int] = 0
    """The minutes that were walked towards the next hex."""
    camp: Open[Literal["none", "good", "poor"]] = "none"
    """What camp there is where the party is: one to sleep in, or only one to rest in."""
    weather: Open[str] = ""
    sight: Open[int] = 0
    """What the weather does to finding the way and to keeping watch."""
    shelter: Open[int] = 0
    """What it does to making camp."""
    watched: Open[int] = 0
    """The most successes of whoever keeps watch in this quarter."""

    def is_free(self, scene: Scene, who: str) -> bool:
        traveller = Who(who, Survivor)
        return traveller in scene and can_act(scene[traveller]) and not running(scene, traveller)

    def ask(self, me: Who[Any], who: str) -> Call[Any]:
        return rule_named("yearzero.survival.pathfinding/ask")(me, Who(who, Survivor))

    def play(self, me: Who[Any], chosen: ChosenActivity) -> Call[Any]:
        return rule_named("yearzero.survival.pathfinding/play")(me, Who(chosen.who, Survivor))

    def happens(self, me: Who[Any], event: JourneyEvent) -> Call[Any]:
        return rule_named("yearzero.survival.pathfinding/happens")(me)

    def quarter_ends(self, me: Who[Any]) -> Call[Any]:
        return rule_named("yearzero.survival.pathfinding/quarter")(me)

    def place_of(self, chosen: ChosenActivity) -> int:
        """Whoever leads the way goes first, for the others are then where it leads."""
        return 0 if ACTIVITIES[chosen.activity].leads else 1

    @property
    def marches(self) -> bool:
        """Whether the party goes on in this quarter."""
        return any(ACTIVITIES[each.activity].leads for each in self.laid_down)

    @property
    def here(self) -> MapHex | None:
        return self.map.hex(self.whereabouts) if self.whereabouts else None


def journey_of(scene: Scene, who: Person) -> Who[Journey] | None:
    """The journey somebody is on."""
    for each in scene.all(Journey):
        if who.name in scene[each].party and not scene[each].ended:
            return each
    return None


# --- what land does ---------------------------------------------------------------------------------------------------


def terrains(scene: Scene, who: object) -> tuple[str, ...]:
    """Every terrain of both sets; without one it is that of the journey, or none."""
    return ("", *dict.fromkeys((*scene[WILD_LAND].names, *scene[MODERN_LAND].names)))


@formula(WILDERNESS, MODERN)
def land_figure(scene: Scene, terrain: str, activity: OnLand, modern: bool = False, road: bool = False) -> int:
    """What land adds to a roll for something; where that is impossible, or not known, it is refused."""
    if road and activity in ("scrounge", "driving"):
        terrain = ROAD
    if terrain in scene[MODERN_LAND] and (modern or terrain not in scene[WILD_LAND]):
        row = scene[MODERN_LAND][terrain]
        check_not_barred(row, activity, MODERN)
        if row.around and activity in ("forage", "hunt"):
            refuse("it is as in the land the road runs through: name that", what=terrain, rule=MODERN)
        return int(getattr(row, activity))
    wild = scene[WILD_LAND][terrain]
    check_not_barred(wild, activity, WILDERNESS)
    if activity in ("forage", "hunt"):
        return int(getattr(wild, activity))
    return land_figure(scene, wild.as_, activity, True)


def check_not_barred(row: WildTerrain | ModernTerrain, activity: str, rule: str) -> None:
    if activity in row.barred:
        refuse(f"it is impossible in {row.name}", what=activity, rule=rule)


def land_mods(scene: Scene, who: Person, activity: OnLand, terrain: str = "") -> Mods:
    """What the land adds where somebody is: as is said, or by the map of their journey."""
    journey = journey_of(scene, who)
    here = scene[journey].here if journey is not None else None
    if terrain:
        amount = land_figure(scene, terrain, activity)
    elif journey is not None and here is not None and here.terrain:
        terrain, modern = here.terrain, scene[journey].terrains == "modern"
        amount = land_figure(scene, terrain, activity, modern, here.path == "road")
    else:
        return ()
    rule = WILDERNESS if terrain in scene[WILD_LAND] else MODERN
    return (Mod(amount, terrain, rule),) if amount else ()


@formula(f"{WILDERNESS}/time")
def minutes_into(scene: Scene, journey: Journey, hex_: MapHex) -> int:
    """How long it takes to enter a hex: by its terrain, or by the share of the usual distance."""
    quarter = quarter_days(scene) // span(scene, 1, "minute")
    if journey.terrains == "modern":
        row = scene[MODERN_LAND][ROAD if hex_.path == "road" else hex_.terrain]
        return int(Fraction(quarter, scene[HEXES]["open"]) / Fraction(*row.speed))
    open_ = hex_.path == "road" or not hex_.terrain or scene[WILD_LAND][hex_.terrain].movement == "open"
    return quarter // scene[HEXES]["open" if open_ else "difficult"]


@formula(f"{WILDERNESS}/check")
def check_enter(scene: Scene, journey: Journey, hex_: MapHex) -> None:
    """Some land takes a boat or a raft, some takes climbers."""
    if not hex_.terrain:
        return
    modern = journey.terrains == "modern"
    row: WildTerrain | ModernTerrain = scene[MODERN_LAND][hex_.terrain] if modern else scene[WILD_LAND][hex_.terrain]
    rule = MODERN if modern else WILDERNESS
    if row.by and journey.travel_by not in row.by and hex_.path != "road":
        refuse(f"{hex_.name} takes a {' or a '.join(row.by)}", what=hex_.name, rule=rule, legal=row.by)
    if not isinstance(row, WildTerrain) or not row.skill:
        return
    for name in journey.party:
        if scene[Who(name, Survivor)].level(row.skill, row.specialty) < row.level:
            refuse(f"it takes {row.skill}: {row.specialty} {row.level}, and {name} has less", what=hex_.name, rule=rule)
