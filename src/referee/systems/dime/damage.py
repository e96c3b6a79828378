"""Damage, dying and healing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Bands,
    Levels,
    Mods,
    Pick,
    Scene,
    action,
    advance_clock,
    cancel_deadline,
    change,
    figure,
    figures,
    formula,
    hand_over,
    refuse,
    rule,
    settled,
    suggest,
)
from referee.core.clock import Due, due
from referee.core.rules import Decide, Ends, outline
from referee.systems.dime.fight import FIGHT
from referee.systems.dime.flip import (
    FLIPPED,
    Flip,
    GearName,
    check_calm,
    check_can_act,
    check_has_time,
    flip,
    gear_mods,
    spelled_out,
)
from referee.systems.dime.flip_odds import FLIP_KEPT, flip_outline
from referee.systems.dime.gear import PIERCE, Item, armor_dr
from referee.systems.dime.sheet import (
    SUIT_ORDER,
    Adventurer,
    Dying,
    Person,
    hp,
    hp_score,
    living,
    plain_dr,
    severity_of,
    stat_level,
    without_ended,
)
from referee.systems.dime.time import minutes

HP_LOSS: Final = figure("dime.consequence.bleeding", "hp_loss", dict[int, int])
BELOW_ZERO: Final = figure("dime.damage.below-zero", "flip", str)
NIGHT_HOURS: Final = figure("dime.healing.natural", "hours", int)
BLEEDING: Final = "Bleeding"
FIRST_AID: Final = "first aid"


@figures("dime.damage.dying")
class DyingFigures:
    """The flip for one's life, how many successes save, how many failures kill, and when one counts for more."""

    flip: str
    successes_needed: int
    failures_to_die: int
    mag_for_two: int
    for_two: int


@figures("dime.healing.first-aid")
class FirstAid:
    """How long it takes, how soon it must come, and the flip."""

    minutes: int
    within_minutes: int
    flip: str


# --- a hit ------------------------------------------------------------------------------------------------------------


@formula("dime.flip.suits")
def higher_suit(scene: Scene, suit: str | None) -> str | None:
    """One suit higher; spades stay spades."""
    order = scene[SUIT_ORDER]
    return order[min(order.index(suit) + 1, len(order) - 1)] if suit else None


@formula("dime.damage.resolve")
def weapon_damage(scene: Scene, weapon: Item, suit: str | None, strength: int, bonus: int = 0, times: int = 1) -> int:
    """The figure of a suit, with the wielder's Strength where it counts, then bonuses, then doubling."""
    if suit is None or suit not in weapon.damage:
        return max(0, bonus) * times
    figure_of_suit = weapon.damage[suit] + (strength if weapon.strength else 0)
    return (max(0, figure_of_suit) + bonus) * times


@formula("dime.damage.resolve/dr")
def damage_reduction(
    scene: Scene, who: Person, suit: str | None, where: str = "", pierce: int = 0, cover: int = 0
) -> int:
    """DR of the body, of armor that works against this suit and place, and of cover; Pierce lowers it."""
    worn = armor_dr(scene, scene[who].items, suit, where)
    return max(0, plain_dr(scene, who) + worn + cover - pierce)


@rule("dime.damage.resolve")
async def resolve_hit(
    scene: Scene,
    target: Person,
    weapon: Item,
    suit: str | None,
    strength: int = 0,
    counts_as: str | None = None,
    bonus: int = 0,
    times: int = 1,
    where: str = "",
    cover: int = 0,
) -> int:
    """The damage of a hit, in the book's order; `counts_as` is the suit its figure is read by, if another."""
    dealt = weapon_damage(scene, weapon, counts_as or suit, strength, bonus, times)
    reduced = damage_reduction(scene, target, suit, where, weapon.rating(scene, PIERCE), cover)
    points = max(0, dealt - reduced)
    await take_damage(target, points)
    return points


@rule("dime.damage.resolve/take")
async def take_damage(scene: Scene, who: Person, points: int, source: str = "") -> None:
    """HP are lost; below 0 it takes a flip to stay up. `source` is what goes on hurting."""
    if points <= 0 or scene[who].dead:
        return
    left = hp(scene, who) - points
    await change(who, without_hp(scene, who, points, source, scene[CLOCK].now))
    if left < 0 and not scene[who].unconscious:
        _ = await stay_up(who)
    elif left < 0 and scene[who].dying is None:
        await start_dying(who)


def without_hp(scene: Scene, who: Person, points: int, source: str, now: int) -> Adventurer:
    """Somebody who has lost HP, some of them to what goes on hurting."""
    harm = scene[who].lasting_harm
    lasting = harm.but(**{source: harm.get(source, 0) + points}) if source else harm
    return replace(scene[who], hp=hp(scene, who) - points, injured_at=now, lasting_harm=lasting)


STAYS_UP: Final[Bands[bool]] = Bands(of=lambda up: "stays-up" if up else "falls", keys=("stays-up", "falls"))


@rule("dime.damage.below-zero", bands=STAYS_UP)
async def stay_up(scene: Scene, who: Person) -> bool:
    """Endurance against the amount below 0, or somebody falls unconscious and starts dying."""
    asked = spelled_out(scene, scene[BELOW_ZERO])
    if (await flip(who, asked.stat, asked.skill, -hp(scene, who), act=False)).success:
        return True
    return await settled(False, then=start_dying(who))


@rule("dime.damage.below-zero/dying")
async def start_dying(scene: Scene, who: Person) -> None:
    """Somebody is unconscious and dying; further damage starts it again for those who had stopped."""
    await change(who, replace(scene[who], unconscious=True, dying=Dying()))


@rule("dime.damage.dying")
async def fight_for_life(scene: Scene, who: Person) -> None:
    """End-10 each round: three successes save, three failures kill, and Mag 5 counts as two."""
    if scene[who].dying is None:
        return
    asked = spelled_out(scene, scene[DyingFigures].flip)
    flipped = await flip(who, asked.stat, asked.skill, asked.tn, act=False)
    after, limits = counted_flip(scene, who, flipped), scene[DyingFigures]
    if after.failures >= limits.failures_to_die:
        await die(who)
    elif after.successes >= limits.successes_needed:
        await stabilize(who)
    else:
        await change(who, replace(scene[who], dying=after))


def counted_flip(scene: Scene, who: Person, flipped: Flip) -> Dying:
    """The tally of a dying character after one more flip."""
    before, limits = scene[who].dying or Dying(), scene[DyingFigures]
    more = limits.for_two if flipped.mag >= limits.mag_for_two else 1
    if flipped.success:
        return replace(before, successes=before.successes + more)
    return replace(before, failures=before.failures + more)


@rule("dime.damage.dying/die")
async def die(scene: Scene, who: Person) -> None:
    """Somebody dies; nothing comes due for the dead."""
    after = without_ended(scene, scene[who], "death")
    await change(who, replace(after, dead=True, unconscious=True, dying=None, lasting_harm=Levels()))
    await cancel_deadline(who)


@rule("dime.damage.dying/stabilize")
async def stabilize(scene: Scene, who: Person) -> None:
    """Somebody stops dying, and stays unconscious."""
    await change(who, replace(scene[who], dying=None))


# --- sources that go on hurting ---------------------------------------------------------------------------------------


@rule("dime.consequence.bleeding")
async def bleed(scene: Scene, who: Person) -> None:
    """At the start of each round, the square of the severity in HP, which no DR lowers."""
    severity = severity_of(scene, who, BLEEDING)
    if severity:
        await take_damage(who, scene[HP_LOSS][severity], BLEEDING)


def bled(scene: Scene, who: Person, times: int, last: int) -> tuple[Adventurer, int]:
    """Somebody who has bled for so many rounds, as long as it takes no flip to stay up."""
    loss = scene[HP_LOSS][severity_of(scene, who, BLEEDING)]
    covered = min(times, max(0, hp(scene, who) // loss))
    return without_hp(scene, who, covered * loss, BLEEDING, last - (times - covered)), covered


@due(Adventurer, bleed, fight_for_life)
def bleeding_or_dying(scene: Scene, who: Person) -> Iterator[Due]:
    """Whoever bleeds loses HP every round; the dying fight for their lives, those in a fight on their turns."""
    if scene[who].dead:
        return
    if severity_of(scene, who, BLEEDING):
        yield Due(bleed, folded=bled)
    fights = FIGHT in scene and who.name in scene[FIGHT].fighters and scene[FIGHT].has_turns(scene, who.name)
    if scene[who].dying is not None and not fights:
        yield Due(fight_for_life, order=1)


@rule("dime.healing.not-until-over")
async def stop_source(scene: Scene, who: Person, source: str) -> None:
    """What went on hurting somebody is over, so its damage can be healed."""
    if source in scene[who].lasting_harm:
        left = Levels({name: points for name, points in scene[who].lasting_harm.items() if name != source})
        await change(who, replace(scene[who], lasting_harm=left))


def sources_of(scene: Scene, _: None, who: Person) -> tuple[str, ...]:
    return tuple(scene[who].lasting_harm)


Somebody: TypeAlias = Annotated[Person, Pick(living)]
Points: TypeAlias = Annotated[int, suggest(1, 2, 3, 4, 5, 6, 8, 10)]
Source: TypeAlias = Annotated[str, Pick(sources_of)]


@action("hurt", "dime.damage.resolve/hurt", master=True)
async def hurt(scene: Scene, who: Somebody, points: Points, source: str = "") -> int:
    """Somebody takes damage that no DR lowers; `source` is what goes on hurting, such as a poison. Returns HP left."""
    await take_damage(who, points, source)
    return hp(scene, who)


@action("source-over", "dime.healing.not-until-over/over", master=True)
async def source_over(scene: Scene, who: Somebody, source: Source) -> None:
    """What went on hurting somebody is over."""
    await stop_source(who, source)


# --- healing ----------------------------------------------------------------------------------------------------------


@rule("dime.healing.not-until-over/heal")
async def heal(scene: Scene, who: Person, points: int) -> int:
    """HP come back, up to the score, but not those lost to what still hurts; returns how many."""
    most = hp_score(scene, who) - sum(scene[who].lasting_harm.values())
    gained = max(0, min(points, most - hp(scene, who)))
    if gained:
        await change(who, replace(scene[who], hp=hp(scene, who) + gained))
    if hp(scene, who) >= 0 and scene[who].unconscious:
        await stabilize(who)
        await change(who, replace(scene[who], unconscious=False))
    return gained


@rule("dime.healing.first-aid/bleeding")
async def stop_bleeding(scene: Scene, who: Person) -> None:
    """First aid ends Bleeding, whatever its severity."""
    if severity_of(scene, who, BLEEDING):
        await change(who, without_ended(scene, scene[who], FIRST_AID))
        await stop_source(who, BLEEDING)


def check_patient(scene: Scene, who: Person, patient: Person) -> None:
    """Within an hour of the injury, and once for each set of wounds."""
    injured = scene[patient].injured_at
    if scene[patient].dead:
        refuse(f"{patient} is dead", rule="dime.damage.dying")
    if injured is None:
        refuse(f"{patient} has no wounds that first aid has not seen to")
    if scene[CLOCK].now - injured > minutes(scene, scene[FirstAid].within_minutes):
        refuse(f"the injury is more than {scene[FirstAid].within_minutes} minutes old")


Patient: TypeAlias = Annotated[Person, Pick(living, check_patient)]


@action("first-aid", "dime.healing.first-aid", bands=FLIPPED, turn=check_can_act, check=check_calm)
async def first_aid(scene: Scene, who: Person, patient: Patient, gear: GearName = "normal") -> Flip:
    """Ten minutes and Dex/medicine-10: the patient heals Endurance in HP and bleeds no more."""
    return await hand_over(give_first_aid(who, patient, await gear_mods(gear)))


@rule("dime.healing.first-aid/flip", "dime.healing.first-aid")
async def give_first_aid(scene: Scene, who: Person, patient: Person, mods: Mods) -> Flip:
    """The flip, and what it heals."""
    asked = spelled_out(scene, scene[FirstAid].flip)
    flipped = await flip(who, asked.stat, asked.skill, asked.tn, mods, patient)
    if flipped.success:
        await stop_bleeding(patient)
        _ = await heal(patient, stat_level(scene, patient, "Endurance"))
        await change(patient, replace(scene[patient], injured_at=None))
    await advance_clock(minutes(scene, scene[FirstAid].minutes))
    return flipped


@outline(give_first_aid, keeps=FLIP_KEPT)
def first_aid_given(scene: Scene, decide: Decide, who: Person, patient: Person, mods: Mods) -> Ends[Flip] | None:
    """That of the flip."""
    asked = spelled_out(scene, scene[FirstAid].flip)
    return flip_outline(scene, decide, who, asked.stat, asked.skill, asked.tn, mods, patient)


def check_may_rest(scene: Scene, _: None, who: tuple[Person, ...]) -> None:
    for each in who:
        if scene[each].dying is not None:
            refuse(f"{each} is dying", rule="dime.damage.dying")


Sleepers: TypeAlias = tuple[Annotated[Person, Pick(living)], ...]


@action(
    "night", "dime.healing.natural", "dime.consequence.fatigue", master=True, check=(check_has_time, check_may_rest)
)
async def night(scene: Scene, who: Sleepers) -> None:
    """A night of rest: everyone heals Endurance in HP, and Fatigue ends."""
    for each in who:
        _ = await heal(each, stat_level(scene, each, "Endurance"))
        if (after := without_ended(scene, scene[each], "night")) != scene[each]:
            await change(each, after)
    await advance_clock(minutes(scene, scene[NIGHT_HOURS] * 60))
