"""Mines and improvised explosives: laying, spotting, crossing and clearing them, and what sets them off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    D6,
    Bands,
    Levels,
    Mod,
    Mods,
    Open,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    Who,
    action,
    alter,
    change,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    roll,
    rows,
    rule,
    settled,
    suggest,
    tell,
)
from referee.kits.things import used_up
from referee.systems.yearzero.activities import check_free, occupy
from referee.systems.yearzero.attacks import AfterBlow, come_through
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.explosions import (
    STEPS,
    Blast,
    Metres,
    Victims,
    explode,
    step_named,
)
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.items import spare_part
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import Person, Survivor
from referee.systems.yearzero.skills import Members, plain
from referee.systems.yearzero.time import rounds_in

PLACE: Final = "yearzero.explosives.place-mines"
CLEAR: Final = "yearzero.explosives.clear-mines"
CROSS: Final = "yearzero.explosives.anti-personnel-mines"
TANKS: Final = "yearzero.explosives.anti-tank-mines"
IED: Final = "yearzero.explosives.ied"
DIRECTED: Final = "yearzero.explosives.directional-mines"
SET_OFF: Final = Prompt("mine")
Skill: TypeAlias = Literal["Technical", "Crafting"]
PLACE_MINUTES: Final = figure(PLACE, "minutes", int)
CLEAR_MINUTES: Final = figure(CLEAR, "minutes", int)
IED_MINUTES: Final = figure(IED, "minutes", int)
CRAFTING: Final = {each: figure(each, "crafting_dm", int) for each in (PLACE, CLEAR, IED)}
CAREFUL_M: Final = figure(CROSS, "careful_speed_m_per_move", int)


@figures(TANKS)
class TankMines:
    """How anti-tank mines are seen, and how slowly one drives among them."""

    spot_bonus: int
    from_vehicle: int
    careful_speed_m_per_round: int


@figures(DIRECTED)
class DirectedBlast:
    """How far a directional mine has its full power, and by how many metres it then loses a step."""

    full_within_m: int
    step_m: int


@frozen
class Minefield:
    """An area of 10 m with mines in it, or a single device."""

    mines: Open[int] = 1
    damage: Open[int] = 0
    """What a mine does to whoever sets it off, besides its blast."""
    blast: Open[str] = "C"
    tank: Open[bool] = False
    """Whether only vehicles set them off."""
    spotted: Open[bool] = False
    """Whether everybody sees it."""


Field: TypeAlias = Who[Minefield]


def fields(scene: Scene, who: object = None) -> tuple[Field, ...]:
    return scene.all(Minefield)


AField: TypeAlias = Annotated[Field, Pick(fields)]
Name: TypeAlias = Annotated[str, suggest("minefield", "roadside bomb")]
Count: TypeAlias = Annotated[int, suggest(1, 2, 3, 4, 5, 6)]
Damage: TypeAlias = Annotated[int, suggest(0, 1, 2, 3, 4)]


def demolition(scene: Scene, skill: str, rule: str, mods: Mods = ()) -> Attempt:
    """Demolitions of Technical, or of Crafting at a penalty."""
    harder = (Mod(scene[CRAFTING[rule]], "Crafting", rule),) if skill == "Crafting" else ()
    return Attempt(skill, "Demolitions", mods=(*mods, *harder), surplus=False)


def check_idle(scene: Scene, who: Person) -> None:
    """It takes longer than a fight, and both hands."""
    check_free(scene, who)


@rule("yearzero.explosives.place-mines/work")
async def work(scene: Scene, who: Person, minutes: int, activity: str) -> None:
    """Work with explosives takes its time."""
    await occupy(who, activity, rounds_in(scene, "minute", minutes))


# --- laying -----------------------------------------------------------------------------------------------------------


@action("place-mines", PLACE, bands=OUTCOME, check=(check_able, check_idle))
async def place_mines(
    scene: Scene,
    who: Person,
    name: Name,
    mines: Count = 1,
    damage: Damage = 0,
    blast: Blast = "C",
    tank: bool = False,
    skill: Skill = "Technical",
    mods: Mods = (),
) -> Outcome:
    """Mine 10 m of ground in a quarter of an hour; done badly, everybody sees it. Once more may hide it better."""
    await work(who, scene[PLACE_MINUTES], "laying mines")
    rolled = await roll_once(who, demolition(scene, skill, PLACE, mods))
    await change(Who(name, Minefield), Minefield(mines, damage, step_named(scene, blast), tank, not rolled.success))
    return plain(rolled)


@action("clear-mines", CLEAR, bands=OUTCOME, check=(check_able, check_idle))
async def clear_mines(scene: Scene, who: Person, at: AField, skill: Skill = "Technical", mods: Mods = ()) -> Outcome:
    """Clear 10 m of ground in a quarter of an hour, with a knife or a stick at least; a failure sets off a mine."""
    await work(who, scene[CLEAR_MINUTES], "clearing mines")
    rolled = await roll_once(who, demolition(scene, skill, CLEAR, mods))
    if not rolled.success:
        return await settled(plain(rolled), then=go_off(at, who, (who,)))
    await change(at, None)
    return plain(rolled)


# --- crossing ---------------------------------------------------------------------------------------------------------


@frozen
class MineCrossing:
    """How somebody came through a minefield."""

    success: bool
    noticed: bool = False
    set_off: bool = False
    metres: int = 0
    """How far one gets with each movement, if one goes carefully."""


CROSSED: Final[Bands[MineCrossing]] = Bands(
    of=lambda result: "success" if result.success else "failure", keys=("success", "failure")
)


def check_foot(scene: Scene, who: Person, at: Field, vehicle: bool = False) -> None:
    if scene[at].tank and not vehicle:
        refuse("only vehicles set these off", rule=TANKS)


@action("cross-minefield", CROSS, bands=CROSSED, check=(check_able, check_foot))
async def cross_minefield(
    scene: Scene, who: Person, at: AField, vehicle: bool = False, group: Members = (), mods: Mods = ()
) -> MineCrossing:
    """Come upon mines: who notices them goes carefully and rolls for it, who does not may tread on one."""
    noticed = scene[at].spotted or await notices(who, at, vehicle, mods)
    metres = careful(scene, vehicle) if noticed else 0
    safe = noticed and await goes_carefully(who, vehicle)
    if safe or not await treads_on_one(who, at, vehicle and not noticed):
        return MineCrossing(True, noticed, False, metres)
    set_off = go_off(at, who, (who, *(each for each in group if vehicle)))
    return await settled(MineCrossing(False, noticed, True, metres), then=set_off)


@formula(TANKS)
def careful(scene: Scene, vehicle: bool) -> int:
    """How far one gets among mines that are known: with a movement on foot, or in a round of driving."""
    return scene[TankMines].careful_speed_m_per_round if vehicle else scene[CAREFUL_M]


@rule(f"{CROSS}/notice")
async def notices(scene: Scene, who: Person, at: Field, vehicle: bool, mods: Mods) -> bool:
    """Observation (Scout), which is no action; tank mines are easier to see, and harder from a vehicle."""
    row = scene[TankMines]
    extra: Mods = (Mod(row.spot_bonus, "tank mines", TANKS),) if scene[at].tank else ()
    extra += (Mod(row.from_vehicle, "from a vehicle", TANKS),) if scene[at].tank and vehicle else ()
    rolled = await roll_skill(
        who, Attempt("Observation", "Scout", mods=(*mods, *extra), tags=(NO_ACTION,), surplus=False)
    )
    return rolled.success


@rule(f"{CROSS}/carefully")
async def goes_carefully(scene: Scene, who: Person, vehicle: bool) -> bool:
    """Through a known field one rolls for each 10 m: Scout on foot, Driving at the wheel."""
    attempt = Attempt("Driving") if vehicle else Attempt("Observation", "Scout")
    return (await roll_skill(who, replace(attempt, tags=(NO_ACTION,), surplus=False))).success


@rule(f"{CROSS}/tread")
async def treads_on_one(scene: Scene, who: Person, at: Field, unaware_driver: bool) -> bool:
    """A die, and a mine goes off on as many mines as there are or less; who drives in unaware always sets one off."""
    if unaware_driver:
        return True
    return (await roll(SET_OFF, who, Pool.of((D6, 1)), Total)).total <= scene[at].mines


@rule(f"{CROSS}/explode")
async def go_off(scene: Scene, at: Field, who: Person, victims: tuple[Person, ...]) -> None:
    """A mine does its damage to the legs of whoever set it off, and explodes; there is one fewer."""
    await tell("mine", who=who, rule=CROSS)
    if scene[at].damage:
        await come_through(who, on_the_legs(scene[at].damage), scene[at].damage, AfterBlow())
    await explode(scene[at].blast, victims, tuple(0 for _ in victims))
    await change(at, one_fewer(scene[at]))


def on_the_legs(damage: int) -> DeclaredAttack:
    return DeclaredAttack("Shoot", damage, "ballistic", part="leg", ranged=True, base=damage, close=True)


def one_fewer(field: Minefield) -> Minefield | None:
    return replace(field, mines=field.mines - 1) if field.mines > 1 else None


# --- directional mines ------------------------------------------------------------------------------------------------


@formula(DIRECTED)
def directed_metres(scene: Scene, metres: int) -> int:
    """How far somebody counts to be from a directional mine: its steps are longer."""
    row = scene[DirectedBlast]
    lost = -(-max(0, metres - row.full_within_m) // row.step_m)
    return 3 + 3 * lost if lost else 0


@action("directional-mine", f"{DIRECTED}/fire", master=True)
async def fire_directional_mine(scene: Scene, blast: Blast, victims: Victims, metres: Metres = 0) -> tuple[str, ...]:
    """Everybody in the arc before a mine is in its blast, which reaches ten times as far as others."""
    far = directed_metres(scene, metres)
    return await explode(blast, victims, tuple(far for _ in victims))


# --- improvised devices -----------------------------------------------------------------------------------------------


@frozen
class TriggerRow:
    """What sets a device off, and the parts it takes."""

    name: str
    parts: Levels


@frozen
class DeviceBuildRow:
    """How a device is built: what that costs and takes, and what it does to its blast."""

    name: str
    dm: int = 0
    parts: Levels = field(default_factory=Levels)
    blast_steps: int = 0
    direct_damage: int = 0
    blast_steps_for_others: int = 0


TRIGGERS: Final = rows(IED, "triggers", TriggerRow)
BUILDS: Final = rows(IED, "builds", DeviceBuildRow)
Trigger: TypeAlias = Annotated[str, TRIGGERS]
Build: TypeAlias = Annotated[str, BUILDS]


@formula(f"{IED}/blast")
def built_blast(scene: Scene, blast: str, build: str, others: bool = False) -> str:
    """The step of a device: shrapnel makes it stronger, a shaped charge weaker for everyone but its target."""
    row, names = scene[BUILDS][build], scene[STEPS].names
    at = names.index(step_named(scene, blast)) - row.blast_steps - (row.blast_steps_for_others if others else 0)
    return names[min(max(0, at), len(names) - 1)]


def parts_needed(scene: Scene, trigger: str, build: str) -> Iterator[tuple[str, int]]:
    """The spare parts of a device, by kind."""
    found = dict(scene[TRIGGERS][trigger].parts)
    for kind, amount in scene[BUILDS][build].parts.items():
        found[kind] = found.get(kind, 0) + amount
    yield from ((spare_part(scene, kind), amount) for kind, amount in found.items())


def check_parts(scene: Scene, who: Person, trigger: str, build: str) -> None:
    for part, amount in parts_needed(scene, trigger, build):
        have = sum(item.amount for item in scene[who].things if item.kind == part)
        if have < amount:
            refuse(f"it takes {amount} {part}, and there are {have:g}", rule=IED)


@action("set-device", IED, bands=OUTCOME, check=(check_able, check_idle, check_parts))
async def set_device(
    scene: Scene,
    who: Person,
    name: Name,
    trigger: Trigger,
    build: Build = "plain",
    damage: Damage = 0,
    blast: Blast = "C",
    skill: Skill = "Technical",
    mods: Mods = (),
) -> Outcome:
    """Set up and arm a device in a quarter of an hour; a failure sets it off at once."""
    row = scene[BUILDS][build]
    await work(who, scene[IED_MINUTES], "setting a device")
    for part, amount in parts_needed(scene, trigger, build):
        await alter(who, using_up, part, amount)
    harder = (Mod(row.dm, row.name, IED),) if row.dm else ()
    rolled = await roll_once(who, demolition(scene, skill, IED, (*mods, *harder)))
    device = Minefield(6, damage + row.direct_damage, built_blast(scene, blast, build, row.blast_steps_for_others != 0))
    here = Who(name, Minefield)
    await change(here, device)
    return plain(rolled) if rolled.success else await settled(plain(rolled), then=blow_up(here, who))


@rule(f"{IED}/gone")
async def blow_up(scene: Scene, at: Field, who: Person) -> None:
    """A device that goes off in somebody's hands is gone."""
    await go_off(at, who, (who,))
    if at in scene:
        await change(at, None)


def using_up(sheet: Survivor, part: str, amount: int) -> Survivor:
    return replace(sheet, things=used_up(sheet.things, part, amount))
