"""Charges: running or riding into somebody, and what the impact does to both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import ceil
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    Bands,
    Mod,
    Mods,
    Pick,
    Scene,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.branches import LEFT_OUT, unless_left_out
from referee.core.composed import EndGroup, KernelCalls, WeightedEnds, after_all, joined
from referee.core.rules import Decide, Ends, kernel, outline
from referee.kits.dice_codes import Code
from referee.systems.d6.character import cautious_move, most_move
from referee.systems.d6.combat.blows import HARMS, MISS, BlowSituation, MeleeBlow, MeleeResult, Side, own_reach
from referee.systems.d6.combat.melee import (
    Target,
    check_melee_weapon,
    come_to_blows,
    exchange,
    exchange_outline,
    melee_weapons,
)
from referee.systems.d6.combat.reach import (
    SHORTEST,
    check_not_locked,
    check_not_prone,
    distance_between,
    impose_distance,
)
from referee.systems.d6.combat.reactions import was_hit
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.combat.weapons import item_of, weapon_damage
from referee.systems.d6.damage import harm_done, inflict
from referee.systems.d6.equipment import weapon_of
from referee.systems.d6.resolution import roll_against
from referee.systems.d6.sheet import Person
from referee.systems.d6.zones import check_legs_carry_fast


@figures("d6.maneuver.ramming")
class Ramming:
    """What ramming adds to the difficulty of moving, and what the second roll must reach."""

    movement_difficulty: int
    ram_roll_difficulty: int


@frozen
class ApproachRow:
    """Which speeds add up when two meet: one's own, and the other's."""

    name: str
    mine: int
    theirs: int


@frozen
class ImpactRow:
    """The damage of an impact."""

    name: str
    damage: Code


CHARGE: Final = "d6.combat.charge"
MOST_TIMES_MOVE: Final = figure(CHARGE, "most_times_move", int)
APPROACHES: Final = rows("d6.maneuver.ramming-damage", "approaches", ApproachRow)
IMPACTS: Final = rows("d6.maneuver.ramming-damage", "table", ImpactRow, by=("min", "max"))
MARGIN_PER_DIE: Final = figure("d6.maneuver.ramming-damage", "margin_per_die", int)
Approach: TypeAlias = Literal["head on", "rear", "other"]


@frozen
class ChargeResult:
    """What a charge came to: whether the way was run, and whether it struck home."""

    hit: bool
    moved: bool
    margin: int = 0
    reaction: str = ""
    harm: str = ""
    own_harm: str = ""


CHARGED: Final[Bands[ChargeResult]] = Bands(
    of=lambda found: (found.harm or "none").casefold().replace(" ", "-") if found.hit else MISS,
    keys=(MISS, *HARMS),
    good=HARMS[1:],
)


@formula("d6.maneuver.ramming-damage")
def impact_damage(scene: Scene, speed: int, other_speed: int = 0, approach: str = "other") -> Code:
    """What an impact deals at the speed at which two meet."""
    row = scene[APPROACHES][approach]
    return scene[IMPACTS].at(abs(row.mine * speed + row.theirs * other_speed)).damage


@formula("d6.maneuver.ramming-damage/own", "d6.maneuver.ramming-damage")
def rammer_mods(scene: Scene, margin: int) -> Mods:
    """What the margin spares whoever rams: a die for every five points of it, begun ones too."""
    dice = -ceil(margin / scene[MARGIN_PER_DIE])
    return (Mod(dice, f"margin {margin}", MARGIN_PER_DIE.rule),) if dice else ()


def check_engagement(scene: Scene, who: Person, target: Person, speed: int) -> None:
    """Only the attack that begins a melee is a charge, and it takes some speed."""
    if speed < 1:
        refuse("a charge takes speed, in metres a round", what=str(speed), rule=CHARGE, legal=("1 or more",))
    if distance_between(scene, who, target):
        refuse(f"{who} and {target} are at blows already", rule=CHARGE, legal=("melee-attack",))


ON_FOOT: Final = ("Running", "Acrobatics")


def check_on_foot(scene: Scene, who: Person, speed: int, using: str = "Running") -> None:
    """Whoever runs does not lie on the ground, and is no faster than their legs allow: all-out, at the most."""
    if using in ON_FOOT:
        check_not_prone(scene, who)
        if speed > (most := scene[MOST_TIMES_MOVE] * most_move(scene, who)):
            refuse(f"{who} runs at most {most:g} m a round", what=str(speed), rule=CHARGE, legal=(f"{most:g}",))
        if speed > cautious_move(scene, who):
            check_legs_carry_fast(scene, who)


def charging_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *melee_weapons(scene, who))


def check_charging(scene: Scene, who: Person, weapon: str) -> None:
    if weapon:
        check_melee_weapon(scene, who, weapon)


@fight_action(
    "charge",
    CHARGE,
    "d6.maneuver.ramming",
    bands=CHARGED,
    check=(check_on_foot, check_not_locked, check_engagement),
)
async def charge(
    scene: Scene,
    who: Person,
    target: Target,
    speed: Annotated[int, suggest(10)],
    weapon: Annotated[str, Pick(charging_weapons, check_charging)] = "",
    using: str = "Running",
    difficulty: int = 5,
    target_speed: int = 0,
    approach: Approach = "other",
    sides: tuple[Side, ...] = (),
    surprised: bool = False,
    mods: Mods = (),
) -> ChargeResult:
    """Run, or ride, into somebody: a movement roll, then the impact, which may be parried. Both take damage."""
    if not await gets_there(who, using, difficulty + scene[Ramming].movement_difficulty, mods):
        return ChargeResult(False, False)
    impact = impact_damage(scene, speed, target_speed, approach)
    return await hand_over(
        ram(who, target, using, impact, weapon, BlowSituation(sides=sides, surprised=surprised, mods=mods))
    )


@rule("d6.maneuver.ramming/movement", "d6.maneuver.ramming")
async def gets_there(scene: Scene, who: Person, using: str, difficulty: int, mods: Mods) -> bool:
    """The movement roll of a charge."""
    return await hand_over(roll_against(who, using, difficulty, mods), read=lambda moved: moved.success)


@rule("d6.maneuver.ramming", "d6.maneuver.ramming-damage")
async def ram(
    scene: Scene, who: Person, target: Person, using: str, impact: Code, weapon: str, at: BlowSituation, mods: Mods = ()
) -> ChargeResult:
    """The second roll of a charge, part of the same action; a lance adds its damage."""
    reach = weapon_of(scene, item_of(scene, who, weapon)).reach if weapon else scene[SHORTEST]
    blow = MeleeBlow(using, scene[Ramming].ram_roll_difficulty, reach, None, weapon)
    await come_to_blows(who, target, reach, at.surprised)
    lance = weapon_damage(scene, who, weapon).weapon if weapon else Code()
    return await hand_over(
        ram_outcome(who, target, blow, impact, lance, at.with_mods(*mods)),
        then=lambda found: collide(who, target, reach, found.harm, found.own_harm) if found.hit else None,
    )


@rule("d6.maneuver.ramming/outcome", "d6.maneuver.ramming", "d6.maneuver.ramming-damage")
async def ram_outcome(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, impact: Code, lance: Code, at: BlowSituation
) -> ChargeResult:
    """What a charge comes to, before anything is done to either."""
    found = await exchange(who, target, blow, at)
    if not found.hit:
        return rammed(found)
    harm = await harm_done(target, impact + lance, zone=at.zone)
    return rammed(found, harm, await harm_done(who, impact, rammer_mods(scene, found.margin)))


def rammed(found: MeleeResult, harm: str = "", own: str = "") -> ChargeResult:
    return ChargeResult(found.hit, True, found.margin, found.reaction, harm, own)


@kernel(ram_outcome)
def ram_outcomes(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    impact: Code,
    lance: Code,
    at: BlowSituation,
) -> Ends[ChargeResult]:
    """Every margin; those that hit, with everything that both suffer."""
    calls = KernelCalls.of(decide)
    harms = harm_done(target, impact + lance, zone=at.zone)

    def suffered(hit: MeleeResult, now: Scene) -> Iterable[EndGroup[ChargeResult]]:
        own = harm_done(who, impact, rammer_mods(scene, hit.margin))
        for changes, whole, both in calls.pairs(harms, own, now):
            yield changes, whole, [(LEFT_OUT if LEFT_OUT in pair else rammed(hit, *pair), ways) for pair, ways in both]

    return ram_ends(scene, calls.groups(exchange(who, target, blow, at), scene), suffered)


@outline(ram_outcome, keeps={ChargeResult: ("hit", "reaction", "harm")})
def ram_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    impact: Code,
    lance: Code,
    at: BlowSituation,
) -> Ends[ChargeResult]:
    """What the target suffers; neither margins nor what it costs whoever charges."""
    calls = KernelCalls.of(decide)
    harms = harm_done(target, impact + lance, zone=at.zone)

    def suffered(hit: MeleeResult, now: Scene) -> Iterable[EndGroup[ChargeResult]]:
        for changes, whole, done in calls.groups(harms, now):
            yield changes, whole, [(unless_left_out(harm, partial(rammed, hit)), ways) for harm, ways in done]

    return ram_ends(scene, exchange_outline(scene, decide, who, target, blow, at), suffered)


def ram_ends(
    scene: Scene,
    exchanged: Iterable[EndGroup[MeleeResult]],
    suffered: Callable[[MeleeResult, Scene], Iterable[EndGroup[ChargeResult]]],
) -> Ends[ChargeResult]:
    """What a charge comes to: misses as they are, hits with what is suffered."""
    found = WeightedEnds[ChargeResult]()
    for changes, whole, blows in exchanged:
        for each, ways in blows:
            if each is LEFT_OUT or not each.hit:
                found.add(unless_left_out(each, rammed), changes, ways, whole)
                continue
            for more, of, results in suffered(each, after_all(scene, changes)):
                found.add_all(results, joined(changes, more), ways, whole * of)
    return found.ends()


@rule("d6.maneuver.ramming-damage/collide", "d6.maneuver.ramming-damage")
async def collide(scene: Scene, who: Person, target: Person, reach: int, harm: str, own: str) -> None:
    """Both suffer from the impact."""
    await was_hit(target)
    await impose_distance(who, target, reach, own_reach(scene, target))
    await inflict(target, harm)
    await inflict(who, own)
