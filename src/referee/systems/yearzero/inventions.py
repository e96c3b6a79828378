"""Inventions and makeshift things: what is beyond the age, and what has to do for once."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Grouped,
    Levels,
    Mods,
    Pick,
    Scene,
    action,
    alter,
    figure_at,
    figures,
    frozen,
    refuse,
    rule,
    rule_on,
    settled,
    suggest,
)
from referee.systems.yearzero.activities import beside_other_things, occupy
from referee.systems.yearzero.crafting import (
    ALONE,
    CRAFTED,
    CRAFTING,
    MAKESHIFT,
    TIME_NEEDED,
    WORKED,
    Crafted,
    Makeshift,
    Materials,
    WorkAid,
    Worked,
    aimed,
    check_work,
    finish_work,
    new_thing,
    outcome,
    receive,
    share,
    specialty_level,
    spend_materials,
    worked,
)
from referee.systems.yearzero.items import CraftRow
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import Helpers, Item, Person
from referee.systems.yearzero.time import rounds_in
from referee.systems.yearzero.workplace import time_of

# --- makeshift things


GearDice: TypeAlias = Annotated[int, Pick(lambda scene, who: tuple(row.gear_dice for row in scene[Makeshift].versions))]


def check_makeshift(
    scene: Scene, who: Person, thing: str, gear_dice: int, materials: tuple[str, ...] = (), foraged: bool = False
) -> None:
    """Material from one's own stock, or from a Forage roll that was won."""
    check_work(scene, who)
    sources = scene[Makeshift].materials
    has = {"won Forage roll": foraged, "own stock of raw material": bool(materials)}
    if not any(sources[each] for each in sources.names if has.get(each)):
        refuse(f"it takes a {' or '.join(sources.names)}", rule=MAKESHIFT, legal=sources.names)
    if scene[Makeshift].special_tools and not any(item.kind.endswith("Tools") for item in scene[who].things):
        refuse("it takes special tools", rule=MAKESHIFT)


@action("makeshift", MAKESHIFT, bands=CRAFTED, check=check_makeshift)
async def make_makeshift(
    scene: Scene,
    who: Person,
    thing: Annotated[str, suggest("torch", "spear", "ladder", "rope")],
    gear_dice: GearDice = 0,
    materials: Materials = (),
    foraged: bool = False,
    intended: bool = True,
    helpers: Helpers = (),
    mods: Mods = (),
) -> Crafted:
    """Jury-rig something that works once. It takes no special tools."""
    version = scene[Makeshift].versions.at(gear_dice)
    attempt = Attempt(CRAFTING, "Jury-Rigging", "", mods, helpers, surplus=False, tags=("craft",))
    attempt = beside_other_things(scene, who, attempt)
    attempt = aimed(attempt, version.dm, "makeshift", MAKESHIFT) if intended else replace(attempt, needed=version.x)
    row = CraftRow(thing, ("Jury-Rigging",), gear_bonus=gear_dice, makeshift=True)
    rolled = await roll_once(who, attempt)
    new = new_thing(scene, row, "", rolled)
    crafted = outcome(scene, row, new, rolled)
    return await settled(crafted, then=finish_makeshift(who, new, materials, crafted, helpers))


@rule(f"{MAKESHIFT}/finish")
async def finish_makeshift(
    scene: Scene, who: Person, new: Item, materials: tuple[str, ...], crafted: Crafted, helpers: Helpers = ()
) -> None:
    """Material is used, and it takes a Quarter Day."""
    await spend_materials(who, Levels(), materials, share(scene, crafted))
    if crafted.success:
        await receive(who, new)
    await occupy(who, f"making {new.kind}", time_of(scene, scene[Makeshift].time), helpers=helpers)


# --- inventions


INVENTION: Final = "yearzero.crafting.invention"


@frozen
class FirstAndLater:
    """A penalty for the first attempt, and for every later one."""

    first: int
    later: int


@figures(INVENTION)
class Inventing:
    """The levels it takes to invent something, by which specialties, and the penalties."""

    specialty_level_required: int
    crafting_level_alternative: int
    specialties: tuple[str, ...]
    by_specialty: FirstAndLater = figure_at("dm/specialty")
    by_crafting_only: FirstAndLater = figure_at("dm/crafting_only")


def inventing_specialties(scene: Scene, who: Person) -> tuple[str, ...]:
    """Those of which one may be the most relevant; none, if the game master finds none."""
    return ("", *scene[Inventing].specialties)


def check_invention(scene: Scene, who: Person, specialty: str, tools: str = "", helpers: Helpers = ()) -> None:
    """Level 3 in the specialty, or level 5 in Crafting where none is relevant."""
    check_work(scene, who, tools, helpers)
    inventing = scene[Inventing]
    level = specialty_level(scene, who, specialty) if specialty else scene[who].skills.get(CRAFTING, 0)
    needed = inventing.specialty_level_required if specialty else inventing.crafting_level_alternative
    if level < needed:
        refuse(f"it takes {specialty or CRAFTING} {needed}, and {who} has {level}", rule=INVENTION)


@action("invent", INVENTION, bands=WORKED, check=check_invention)
async def invent(
    scene: Scene,
    who: Person,
    invention: Annotated[str, suggest("printing press", "glider", "cannon", "microscope")],
    specialty: Annotated[str, Pick(inventing_specialties)] = "",
    aid: Grouped[WorkAid] = ALONE,
) -> Worked:
    """Invent something that is beyond the age. The first attempt is the hardest."""
    needed = await rule_on(TIME_NEEDED, 1, low=0)
    inventing = scene[Inventing]
    penalties = inventing.by_specialty if specialty else inventing.by_crafting_only
    dm = penalties.later if invention in scene[who].inventions else penalties.first
    level = specialty_level(scene, who, specialty) if specialty else scene[who].skills.get(CRAFTING, 0)
    attempt = aid.attempt(scene, who, CRAFTING, level=level, surplus=False, tags=("craft",))
    attempt = beside_other_things(scene, who, aimed(attempt, dm, "invention", INVENTION))
    done = worked(await roll_once(who, attempt), invention)
    return await settled(done, then=finish_invention(who, invention, done.success, needed, aid.helpers))


@rule(f"{INVENTION}/finish")
async def finish_invention(
    scene: Scene, who: Person, invention: str, success: bool, quarter_days: int, helpers: Helpers = ()
) -> None:
    """The first attempt is behind one; a success is a prototype."""
    await alter(who, lambda sheet: replace(sheet, inventions=sheet.inventions | {invention}))
    await finish_work(
        who,
        invention if success else "",
        f"inventing {invention}",
        rounds_in(scene, "quarter day", quarter_days),
        helpers,
    )
