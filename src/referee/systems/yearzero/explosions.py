"""Explosions: how strong a blast is, how far it reaches, and what it does to everyone near."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Pick,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    action,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    number_die,
    refuse,
    roll,
    rows,
    rule,
    suggest,
    tell,
)
from referee.core.effects import use
from referee.systems.yearzero.attacks import AfterBlow, come_through
from referee.systems.yearzero.covers import behind, dice_of_layer
from referee.systems.yearzero.defence import DeclaredAttack, dodged_before, lying
from referee.systems.yearzero.dice import ARTIFACT
from referee.systems.yearzero.equipment import row_named
from referee.systems.yearzero.ground import ground_of, has_map, metres_between
from referee.systems.yearzero.harm import is_awake
from referee.systems.yearzero.panic import suppression_test
from referee.systems.yearzero.sheet import Item, Person, Target, people
from referee.systems.yearzero.vehicles.vehicle import vehicle_of

POWER: Final = "yearzero.explosions.blast-power"
BLAST: Final = Prompt("blast")
DICE: Final = figure(POWER, "dice", int)
PRONE_STEPS: Final = figure("yearzero.explosions.prone", "steps", int)
NO_COVER_M: Final = figure("yearzero.explosions.cover", "no_cover_within_m", int)
NEEDED: Final = figure("yearzero.explosions.resolution", "needed", int)
DUCKED: Final = "ducked from a blast"
"""What somebody is granted who has thrown themselves down in time."""


@frozen
class BlastStep:
    """A strength of explosion: so many dice of a size, and a base damage."""

    name: str
    die: int
    base_damage: int
    says: str = ""


STEPS: Final = rows(POWER, "steps", BlastStep)


@figures("yearzero.explosions.distance")
class BlastDistance:
    """How far a blast has its full power, and by how many metres it then loses a step."""

    full_within_m: int
    step_m: int


@figures("yearzero.explosions.point-blank")
class PointBlank:
    """How near a blast hurts whoever does not dodge, and which part of its base damage that is."""

    within_m: int
    part: int


def steps(scene: Scene, who: object = None) -> tuple[str, ...]:
    return scene[STEPS].names


@formula(f"{POWER}/code")
def step_named(scene: Scene, blast: str) -> str:
    """A step by its letter, or by dice of any number: 2D8 and 3D8 are one step."""
    if blast in scene[STEPS]:
        return blast
    size = blast.upper().rpartition("D")[2]
    found = next((row.name for row in scene[STEPS] if str(row.die) == size), "")
    if not found:
        refuse("there is no such Blast Power", what=blast, rule=POWER, legal=scene[STEPS].names)
    return found


def blast_of(scene: Scene, item: Item) -> str:
    """The step with which a thing explodes; nothing if it does not."""
    row = row_named(scene, item.kind)
    blast = item.blast or (f"D{row.blast}" if row and row.blast else "")
    return step_named(scene, blast) if blast else ""


@formula("yearzero.explosions.distance")
def steps_lost(scene: Scene, metres: float) -> int:
    """A step for every further stretch begun."""
    far = scene[BlastDistance]
    beyond = max(0, metres - far.full_within_m)
    return int(-(-beyond // far.step_m))


@formula("yearzero.explosions.cramped")
def steps_of_room(scene: Scene, who: Person) -> int:
    """By how many steps a blast is stronger where there is little room."""
    return sum(row.blast_steps for row in ground_of(scene, who))


@formula("yearzero.explosions.prone")
def step_at(scene: Scene, who: Person, blast: str, metres: float, shift: int = 0) -> BlastStep | None:
    """The step that reaches somebody: weaker by distance and for who lies down, stronger where it is cramped."""
    names = scene[STEPS].names
    at = names.index(step_named(scene, blast)) + steps_lost(scene, metres) - shift
    at -= steps_of_room(scene, who)
    at -= scene[PRONE_STEPS] if scene[who].prone else 0
    return scene[STEPS][names[max(0, at)]] if at < len(names) else None


# --- the explosion ----------------------------------------------------------------------------------------------------


@rule("yearzero.explosions.resolution")
async def explode(
    scene: Scene, blast: str, victims: tuple[Person, ...], metres: tuple[int, ...], wider: int = 0, shift: int = 0
) -> tuple[str, ...]:
    """Everybody within reach is rolled for alone, knocked down, and tested; what names came out of it hurt."""
    hurt = []
    await tell("explosion-near", power=scene[STEPS][step_named(scene, blast)].name, rule=POWER)
    for who, far in zip(victims, metres, strict=True):
        if await reach(who, blast, max(0, far - wider), shift, victims):
            hurt.append(who.name)
    return tuple(hurt)


@rule("yearzero.explosions.suppression")
async def reach(
    scene: Scene, who: Person, blast: str, metres: float, shift: int = 0, met: tuple[Person, ...] = ()
) -> bool:
    """The blast dice against one person, half the base damage if it is near, a fall, and a test for suppression."""
    step = step_at(scene, who, blast, metres, shift)
    if step is None and not _reaches(scene, who, blast, metres, shift):
        return False
    damage = await blast_damage(who, step, metres) if step is not None else 0
    strike = blast_strike(step, is_close(scene, metres))
    sheltered = is_sheltered(scene, who, strike)
    through = await come_through(who, strike, damage, AfterBlow()) if damage else None
    if not sheltered and is_awake(scene[who]):
        await alter(who, lying)
        await suppression_test(who, met)
    return through is not None and through.damage > 0


def _reaches(scene: Scene, who: Person, blast: str, metres: float, shift: int) -> bool:
    """Whether only lying down saves somebody."""
    at = scene[STEPS].names.index(step_named(scene, blast)) + steps_lost(scene, metres) - shift
    return at - steps_of_room(scene, who) < len(scene[STEPS].names)


@formula("yearzero.explosions.cover")
def is_close(scene: Scene, metres: float) -> bool:
    """Whether an explosion is so near that no cover helps."""
    return metres <= scene[NO_COVER_M]


def blast_strike(step: BlastStep | None, close: bool) -> DeclaredAttack:
    """A blast pierces armor, and near ones reach past any cover."""
    base = step.base_damage if step else 0
    return DeclaredAttack("Shoot", base, "ballistic", ranged=True, base=base, pierces=True, close=close, blast=True)


@formula("yearzero.explosions.suppression/sheltered")
def is_sheltered(scene: Scene, who: Person, strike: DeclaredAttack) -> bool:
    """Whoever is in a vehicle, or behind what the blast does not pierce, stays on their feet."""
    if vehicle_of(scene, who) is not None:
        return True
    cover = scene[who].cover
    if cover is None or not cover.full or strike.close:
        return False
    return any(dice_of_layer(scene, layer, strike) for layer in behind(scene, who, "Torso", strike))


@rule("yearzero.explosions.resolution/dice")
async def blast_damage(scene: Scene, who: Target, step: BlastStep, metres: float) -> int:
    """Three dice: a hit does the base damage, more for further successes; near ones hurt who does not dodge anyway."""
    seen = await roll(BLAST, who, Pool.of((number_die(step.die), scene[DICE])), SymbolCounts)
    hits = sum(scene[ARTIFACT].at(int(face)).x * count for _, faces in seen.dice for face, count in faces)
    hits = max(0, hits - await dodged_before(who, True))
    damage = step.base_damage + hits - scene[NEEDED] if hits >= scene[NEEDED] else 0
    ducked = applying(scene, who, DUCKED)
    if not ducked.granted(DUCKED):
        damage += near_damage(scene, step.base_damage, metres)
    if ducked.granted(DUCKED):
        await use(ducked)
    return damage


@formula("yearzero.explosions.point-blank")
def near_damage(scene: Scene, base: int, metres: float) -> int:
    """What a blast does anyway to who is near and does not dodge: half its base damage, rounded up."""
    return -(-base // scene[PointBlank].part) if metres <= scene[PointBlank].within_m else 0


# --- who is near ------------------------------------------------------------------------------------------------------


def near_blast(scene: Scene, centre: Person) -> tuple[tuple[Person, int], ...]:
    """Everybody whom a blast beside somebody may reach, and how far they are; without a map only that one."""
    if not has_map(scene):
        return ((centre, 0),)
    far = ((each, 0 if each == centre else metres_between(scene, centre, each)) for each in people(scene))
    return tuple((each, metres) for each, metres in far if metres is not None)


Metres: TypeAlias = Annotated[int, suggest(0, 3, 6, 9, 12)]


def check_step(scene: Scene, who: None, blast: str) -> None:
    """A blast power of the table."""
    _ = step_named(scene, blast)


Blast: TypeAlias = Annotated[str, Pick(steps, check_step)]
Victims: TypeAlias = tuple[Annotated[Person, Pick(people)], ...]


@action("explosion", POWER, master=True)
async def explosion(
    scene: Scene, blast: Blast, victims: Victims, metres: Metres = 0, others: Victims = (), others_metres: Metres = 6
) -> tuple[str, ...]:
    """Something explodes: who is at its heart, and who further away."""
    everyone = (*victims, *(each for each in others if each not in victims))
    far = (*(metres for _ in victims), *(others_metres for each in others if each not in victims))
    return await explode(blast, everyone, far)
