"""The smallest Year Zero hybrid with hard odds: a pushed attack against a pushed parry and a vest, wounds, wear."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import Annotated, Final, TypeAlias

from referee.core import (
    D6,
    YES,
    Bands,
    Open,
    Pick,
    Pool,
    Prompt,
    Scene,
    State,
    SymbolCounts,
    Total,
    Who,
    action,
    action_of,
    afterwards,
    alter,
    formula,
    frozen,
    hand_over,
    number_die,
    react,
    refuse,
    roll,
    rule,
    settled,
)
from referee.core.actions import ActionChoice
from referee.core.branches import Branch, BranchEnd
from referee.core.composed import decides_by_name
from referee.core.dice import BLANK
from referee.core.questions import Request
from referee.core.rules import Decide, Ends, kernel
from referee.kits import year_zero
from referee.kits.year_zero import CANCELLED, ONE, SIX, SUCCESSES, Kinds, kind, larger_kind, shows

BASE, SKILL, GEAR, AMMO, NEGATIVE = "base", "skill", "gear", "ammo", "negative"
D8, D10, D12 = "d8", "d10", "d12"
WORTH: Final = (0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4)
"""What each side of an artifact die gives in successes."""
KINDS: Final[Kinds] = (
    kind(BASE, six=6, one=1),
    kind(SKILL, six=6, keeps=(SIX,)),
    kind(GEAR, six=6, one=1),
    kind(AMMO, six=6, one=1, counts=0),
    kind(NEGATIVE, six=6, keeps=(SIX,), counts=-1),
    larger_kind(D8, WORTH[:8]),
    larger_kind(D10, WORTH[:10]),
    larger_kind(D12, WORTH),
)
ATTACK: Final = Prompt("attack")
PUSH: Final = Prompt("push")
PARRY: Final = Prompt("parry")
LOCATION: Final = Prompt("location")
ARMOR: Final = Prompt("armor")
CRITICAL: Final = Prompt("critical")
LIMIT: Final = Prompt("limit")
HEALING: Final = Prompt("healing")

WITHOUT_PARRYING: Final = -2
MOST_WILLPOWER: Final = 10
CRITICAL_DIE: Final = number_die(12)
PER_EXCESS: Final = 2


class Region(Enum):
    """Where a blow lands."""

    LEG = "leg"
    TORSO = "torso"
    ARM = "arm"
    HEAD = "head"


LOCATIONS: Final = (Region.LEG, Region.TORSO, Region.TORSO, Region.TORSO, Region.ARM, Region.HEAD)


@frozen
class Weapon:
    """Its gear dice, what it does, and whether it is made to parry with."""

    bonus: int = 1
    damage: int = 2
    parrying: bool = False


@frozen
class Fighter:
    """Strength as it is now, the Melee skill, a weapon, a vest for the torso."""

    strength: Open[int] = 4
    melee: Open[int] = 2
    weapon: Open[Weapon] = Weapon()
    vest: Open[int] = 0
    pushes: Open[int] = 1
    """How often a roll may be pushed."""
    stress: Open[int] = 0
    willpower: Open[int] = 0
    injuries: Open[tuple[tuple[int, int, int], ...]] = ()
    """Of each the row of its table, the rounds until a death save, and the days until it is healed."""

    def hurt(self, points: int) -> Fighter:
        """Damage to Strength, not below 0; every point is one of stress."""
        return replace(self, strength=max(0, self.strength - points), stress=self.stress + points)

    def strained(self, base: int, gear: int) -> Fighter:
        """Banes after a push: those on base dice hurt and steel, those on gear dice wear the weapon."""
        worn = replace(self.weapon, bonus=max(0, self.weapon.bonus - gear))
        return replace(self.hurt(base), willpower=min(MOST_WILLPOWER, self.willpower + base), weapon=worn)

    def ablated(self, banes: int) -> Fighter:
        return replace(self, vest=max(0, self.vest - banes))

    def injured(self, row: int, limit: int, days: int) -> Fighter:
        return replace(self, injuries=(*self.injuries, (row, limit, days)))


Person: TypeAlias = Who[Fighter]


# --- a roll and its push ----------------------------------------------------------------------------------------------


@frozen
class Dice:
    """How many dice of each kind; skill dice below 0 are negative dice."""

    base: int = 0
    skill: int = 0
    gear: int = 0
    ammo: int = 0
    artifact: int = 0
    """The size of an artifact die, or 0."""

    @property
    def pool(self) -> Pool:
        plain = {BASE: self.base, GEAR: self.gear, AMMO: self.ammo}
        skill = {SKILL: max(0, self.skill), NEGATIVE: max(0, -self.skill)}
        return year_zero.pool(KINDS, plain | skill | ({f"d{self.artifact}": 1} if self.artifact else {}))


@frozen
class Thrown:
    """What counts of the final dice; banes only after a push."""

    successes: int
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0
    ammo_successes: int = 0
    ammo_banes: int = 0

    @classmethod
    def of(cls, seen: SymbolCounts, pushes: int) -> Thrown:
        base, gear, ammo = (seen.count(ONE, each) if pushes else 0 for each in (BASE, GEAR, AMMO))
        return cls(year_zero.successes(seen, KINDS), pushes, base, gear, seen.count(SIX, AMMO), ammo)


@rule("pools.push")
async def throw(scene: Scene, who: Person, dice: Dice) -> Thrown:
    """Everything is thrown; a push throws again what shows neither a six nor a bane."""
    seen, pushes = await roll(ATTACK, who, dice.pool, SymbolCounts), 0
    while await offer_push(scene, who, seen, pushes):
        seen = await year_zero.throw_again(PUSH, who, seen, KINDS)
        pushes += 1
    return Thrown.of(seen, pushes)


def offer_push(scene: Scene, who: Person, seen: SymbolCounts, pushes: int) -> Request[bool | None]:
    return year_zero.offer_push(PUSH, who, seen, lambda: check_push(scene, who, seen, pushes))


@formula("pools.push/check")
def check_push(scene: Scene, who: Person, seen: SymbolCounts, pushes: int) -> None:
    year_zero.check_push(seen, pushes, most=scene[who].pushes, rule="pools.push")
    year_zero.check_dice_left(seen, KINDS, rule="pools.push")


READS: Final = (
    SUCCESSES,
    CANCELLED,
    *(shows(die, face) for die, face in ((BASE, ONE), (GEAR, ONE), (AMMO, SIX), (AMMO, ONE))),
)


@kernel(throw)
def every_throw(scene: Scene, decide: Decide, who: Person, dice: Dice) -> Branch[Thrown] | Ends[Thrown]:
    """Branches, so that plans need not play it; the ends alone for a large pool, or where nobody looks at the dice."""
    if decides_by_name(decide) and not dice.ammo:
        return blind_ends(scene, decide, who, dice)
    branches = year_zero.push_branches(
        KINDS,
        dice.pool,
        offer=lambda seen, pushes: offer_push(scene, who, seen, pushes),
        scene_after=lambda pushes: scene,
        end=lambda seen, pushes: BranchEnd(Thrown.of(seen, pushes)),
    )
    return branches or ends_by_policy(scene, decide, who, dice)


def blind_ends(scene: Scene, decide: Decide, who: Person, dice: Dice) -> Ends[Thrown]:
    lying = SymbolCounts(tuple((die.name, ((BLANK, count),)) for die, count in dice.pool.groups if count))
    most = scene[who].pushes if decide(offer_push(scene, who, lying, 0), scene) else 0
    for won, pushes, ones, ways in year_zero.blind_ends(KINDS, dice.pool, (BASE, GEAR), most=most):
        yield Thrown(won, pushes, *ones), (), ways


def ends_by_policy(scene: Scene, decide: Decide, who: Person, dice: Dice) -> Ends[Thrown]:
    ends = year_zero.push_ends(
        KINDS,
        dice.pool,
        READS,
        most=scene[who].pushes,
        wants=lambda seen, pushes: bool(decide(offer_push(scene, who, seen, pushes), scene)),
    )
    for (won, taken, base, gear, ammo, jams), pushes, ways in ends:
        banes = (base, gear, ammo, jams) if pushes else (0, 0, ammo, 0)
        yield Thrown(max(0, won - taken), pushes, *banes), (), ways


@rule("pools.melee")
async def attempt(scene: Scene, who: Person, modifier: int = 0) -> int:
    """Strength, Melee and the weapon; after a push every bane counts. The successes are what is left to read."""
    sheet = scene[who]
    thrown = await throw(who, Dice(sheet.strength, sheet.melee + modifier, sheet.weapon.bonus))
    if thrown.base_banes or thrown.gear_banes:
        await alter(who, Fighter.strained, thrown.base_banes, thrown.gear_banes)
    return thrown.successes


# --- an attack --------------------------------------------------------------------------------------------------------


@frozen
class Blow:
    """What an attack came to: whether it hit, the damage that got through, and whether that broke the target."""

    hit: bool
    damage: int = 0
    broken: bool = False


BLOW: Final[Bands[Blow]] = Bands(
    of=lambda blow: "broken" if blow.broken else "damage" if blow.damage else "stopped" if blow.hit else "miss",
    keys=("broken", "damage", "stopped", "miss"),
    good=("broken", "damage"),
)


def others(scene: Scene, who: Person) -> Iterable[Person]:
    return (each for each in scene.all(Fighter) if each != who)


def check_parry(scene: Scene, who: Person) -> None:
    if not scene[who].weapon.bonus:
        refuse("the weapon is broken")


@action("attack", "pools.attack", "pools.parry", bands=BLOW)
async def attack(scene: Scene, who: Person, target: Annotated[Person, Pick(others)]) -> Blow:
    """The target says whether it parries; then the attack is rolled, and the parry, whose successes take away."""
    damage = scene[who].weapon.damage
    parries = await react(target, PARRY, YES, check=lambda _: check_parry(scene, target))
    mine = await attempt(who)
    theirs = await attempt(target, 0 if scene[target].weapon.parrying else WITHOUT_PARRYING) if parries and mine else 0
    if not (left := year_zero.opposed(mine, theirs)):
        return Blow(hit=False)
    return await hand_over(land(target, damage + left - 1, scene[target].strength, scene[target].vest))


@rule("pools.hit-location")
async def land(scene: Scene, target: Person, damage: int, strength: int, vest: int) -> Blow:
    """Where the blow lands, and what the vest leaves of it. It need not know what else a parry has cost the target."""
    where = LOCATIONS[(await roll(LOCATION, target, Pool.of((D6, 1)), Total)).total - 1]
    left, worn = await armor(target, damage, vest) if where is Region.TORSO else (damage, 0)
    if worn:
        await afterwards(ablate(target, worn))
    if not left:
        return Blow(hit=True)
    excess = left - strength
    return await settled(Blow(hit=True, damage=left, broken=excess >= 0), then=wound(target, left, excess))


@rule("pools.armor")
async def armor(scene: Scene, target: Person, damage: int, vest: int) -> tuple[int, int]:
    """Gear dice for the vest; each success stops a point, and if any gets through each bane wears the vest."""
    seen = await roll(ARMOR, target, year_zero.pool(KINDS, {GEAR: vest}), SymbolCounts)
    left = max(0, damage - seen.count(SIX))
    return left, seen.count(ONE) if left else 0


@rule("pools.armor/ablation")
async def ablate(scene: Scene, target: Person, banes: int) -> None:
    """The vest is worn."""
    await alter(target, Fighter.ablated, banes)


@rule("pools.broken")
async def wound(scene: Scene, target: Person, damage: int, excess: int) -> None:
    """Damage to Strength; with nothing left of it the target is Broken and has a critical injury."""
    await alter(target, Fighter.hurt, damage)
    if excess >= 0:
        await hand_over(injure(target, excess))


@rule("pools.critical-injury")
async def injure(scene: Scene, target: Person, excess: int) -> None:
    """A row of the table, two higher for each point beyond; its time limit and its days of healing are rolled."""
    row = (await roll(CRITICAL, target, Pool.of((CRITICAL_DIE, 1)), Total)).total + PER_EXCESS * excess
    limit = (await roll(LIMIT, target, Pool.of((D6, 1)), Total)).total
    days = (await roll(HEALING, target, Pool.of((D6, 3)), Total)).total
    await alter(target, Fighter.injured, row, limit, days)


# --- the scene --------------------------------------------------------------------------------------------------------

ANA: Final = Who("ana", Fighter)
BO: Final = Who("bo", Fighter)


def table(ana: Fighter = Fighter(), bo: Fighter = Fighter(weapon=Weapon(parrying=True), vest=3)) -> State:  # noqa: B008
    return State({"ana": ana, "bo": bo})


def attack_scene() -> tuple[ActionChoice, State]:
    """Four base, two skill and one gear die on either side, a parry, a vest of three dice."""
    return action_of(attack).by(ANA, target=BO), table()
