"""Falls, flashes and stuns, helmets given up and thrown off, and getting up unaided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    YES,
    Bands,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    action,
    alter,
    applying,
    choose,
    figure,
    figures,
    frozen,
    offer,
    refuse,
    roll,
    rows,
    rule,
    suggest,
)
from referee.core.clock import Due, due
from referee.core.effects import Effect, lay, use
from referee.core.rules import rule_named
from referee.core.things import CARRIED, ON_BODY
from referee.kits.year_zero import SIX
from referee.systems.yearzero.action_types import ListedPrice
from referee.systems.yearzero.activities import dawn_of, day_of, lock, locked
from referee.systems.yearzero.attacks import AfterBlow, come_through
from referee.systems.yearzero.battle import ROUND_END
from referee.systems.yearzero.covers import gear_die
from referee.systems.yearzero.defence import DeclaredAttack, lying
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.ground import friends_near
from referee.systems.yearzero.harm import DEAD, is_helpless, work_off_pain
from referee.systems.yearzero.panic import suppression_test
from referee.systems.yearzero.rapid_fire import base_die
from referee.systems.yearzero.rest import is_blocked
from referee.systems.yearzero.rolls import ATTACKING, NO_ACTION, Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import WITS, Item, Person, Survivor, TimeLimit, others, people
from referee.systems.yearzero.skills import plain
from referee.systems.yearzero.time import rounds_in
from referee.systems.yearzero.weapons import areas_of, armor_of

FALLING: Final = "yearzero.combat.falling"
STUN: Final = "yearzero.combat.stun"
FALL: Final = Prompt("fall")
LANDS: Final = Prompt("land-standing")
AnyBody: TypeAlias = Annotated[Person, Pick(people)]


# --- falls ------------------------------------------------------------------------------------------------------------


@figures(FALLING)
class Falling:
    """From how high a fall hurts, and what lessens it."""

    min_height_m: int
    fixed_damage: int
    dice_below: int
    controlled_jump: int
    stand_dm: int


@action("fall", FALLING, master=True)
async def fall(scene: Scene, who: AnyBody, metres: Annotated[int, suggest(3, 4, 6, 10)], jump: bool = False) -> int:
    """Somebody falls onto hard ground: a point and a die for each metre above two, less what a Move roll saves."""
    table = scene[Falling]
    if metres < table.min_height_m:
        refuse(f"a fall of less than {table.min_height_m} m does no harm", rule=FALLING)
    seen = await roll(FALL, who, Pool.of((base_die(scene), metres - table.dice_below)), SymbolCounts)
    stands = not is_helpless(scene, who) and bool(await offer(who, LANDS, YES))
    mods: Mods = (Mod(table.stand_dm, "on one's feet", FALLING),) if stands else ()
    saved = await saved_by_moving(who, mods)
    softer = applying(scene, who)
    less = softer.extra("softer fall") + (table.controlled_jump if jump else 0)
    if less:
        await use(
            replace(
                softer,
                active=tuple(each for each in softer.active if getattr(each.effect.does, "of", "") == "softer fall"),
            )
        )
    damage = max(0, table.fixed_damage + seen.count(SIX) - saved - less)
    hit = (
        await come_through(who, DeclaredAttack("Shoot", damage, "blunt", falls=True), damage, AfterBlow())
        if damage
        else None
    )
    if not (stands and saved) or (hit is not None and hit.broken):
        await alter(who, lying)
    return hit.damage if hit is not None else 0


@rule(f"{FALLING}/move")
async def saved_by_moving(scene: Scene, who: Person, mods: Mods) -> int:
    """The successes of a Move roll, which is no action; whoever is helpless makes none."""
    if is_helpless(scene, who):
        return 0
    return (await roll_skill(who, Attempt("Move", "Acrobat", mods=mods, tags=("fall", NO_ACTION)))).successes


# --- stuns ------------------------------------------------------------------------------------------------------------


@figures(STUN)
class StunFigures:
    """How strong a stun may be, and what is left of one that is withstood."""

    mildest: int
    worst: int
    limited_next_action: int


@frozen
class StunRow:
    """Something that stuns."""

    name: str
    rating: int


STUNS: Final = rows(STUN, "examples", StunRow)
STUNNED: Final[Bands[bool]] = Bands(of=lambda well: "success" if well else "failure", keys=("success", "failure"))
STUNNED_BY: Final = "stunned"


def ratings(scene: Scene, _: object) -> tuple[str, ...]:
    return (
        *scene[STUNS].names,
        *(str(each) for each in range(scene[StunFigures].mildest, scene[StunFigures].worst - 1, -1)),
    )


@action("stun", STUN, bands=STUNNED, master=True)
async def stun(scene: Scene, who: AnyBody, by: Annotated[str, Pick(ratings)]) -> bool:
    """A flash, a bang or a shock: who withstands it is hampered once, who does not is out for some rounds."""
    rating = scene[STUNS][by].rating if by in scene[STUNS] else int(by)
    attempt = Attempt("Endurance", mods=(Mod(rating, "stun", STUN),), tags=("resist", NO_ACTION), surplus=False)
    rolled = await roll_skill(who, replace(attempt, while_broken=True))
    if rolled.success:
        hampers = Effect.from_plain({"adds": scene[StunFigures].limited_next_action, "uses": 1})
        await lay(who, hampers, source=STUNNED_BY)
        return True
    for what in ("roll", "slow action", "fast action"):
        out = Effect.from_plain({"forbids": what, "until": ROUND_END, "times_until": -rating})
        await lay(who, out, source=STUNNED_BY)
    await suppression_test(who)
    return False


# --- helmets ----------------------------------------------------------------------------------------------------------


HELMET: Final = "yearzero.combat.sacrifice-helmet"
HELMET_NEEDED: Final = figure(HELMET, "needed", int)
HELMET_AFTER: Final = figure(HELMET, "helmet_rating_after", int)
GIVE_HELMET: Final = Prompt("sacrifice-helmet")
HELMET_ROLL: Final = Prompt("helmet")


@rule(HELMET)
async def sacrifice_helmet(scene: Scene, who: Person) -> bool:
    """A helmet may take a critical injury of the head: with a success of its dice it is ruined, and one is stunned."""
    good = tuple(name for name in helmets(scene, who) if rating_of(scene, scene[who].thing(name)))
    helmet = await offer(who, GIVE_HELMET, good)
    if helmet is None:
        return False
    item = scene[who].thing(helmet)
    seen = await roll(HELMET_ROLL, who, Pool.of((gear_die(scene), rating_of(scene, item))), SymbolCounts)
    if seen.count(SIX) < scene[HELMET_NEEDED]:
        return False
    await alter(
        who, Survivor.with_thing, item.worn(armor_of(scene, item), rating_of(scene, item) - scene[HELMET_AFTER])
    )
    return True


OFF: Final = "yearzero.combat.remove-helmet-bonus"
OFF_DIE: Final = figure(OFF, "die", str)
OFF_PER_DAY: Final = figure(OFF, "per_day", int)
HELMET_OFF: Final = "helmet off"


def rating_of(scene: Scene, item: Item) -> int:
    """What is left of an Armor Rating."""
    return item.rating(armor_of(scene, item))


def helmets(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].things if item.place == ON_BODY and "Head" in areas_of(scene, item))


def check_once(scene: Scene, who: Person) -> None:
    if locked(scene, who, HELMET_OFF):
        refuse(f"{who} has done that today", rule=OFF)


@action("helmet-off", OFF, price=ListedPrice("Take off helmet"), check=check_once)
async def take_helmet_off(scene: Scene, who: Person, helmet: Annotated[str, Pick(helmets)]) -> None:
    """Throw the helmet off in a fight, once a day: the next attack has an artifact die more."""
    await work_off_pain(who)
    await alter(who, bareheaded, helmet)
    await lay(who, Effect.from_plain({"extra": scene[OFF_DIE], "when": [ATTACKING], "uses": 1}), source="no helmet")
    await lock(who, HELMET_OFF, dawn_of(scene, day_of(scene) + scene[OFF_PER_DAY]))


def bareheaded(sheet: Survivor, helmet: str) -> Survivor:
    return sheet.with_thing(sheet.thing(helmet).at(CARRIED))


# --- getting up unaided -----------------------------------------------------------------------------------------------


UNAIDED: Final = "yearzero.combat.recovery-unaided"
HEALS: Final = figure(UNAIDED, "heals", int)
UNAIDED_QD: Final = figure(UNAIDED, "after_qd", int)


@rule(f"{UNAIDED}/begin")
async def goes_down(scene: Scene, who: Person, attribute: str) -> None:
    """Somebody is Broken from now on, and gets up unaided after a Quarter Day."""
    until = scene[CLOCK].now + rounds_in(scene, "quarter day", scene[UNAIDED_QD])
    await alter(who, down_until, TimeLimit(attribute, until))


def down_until(sheet: Survivor, limit: TimeLimit) -> Survivor:
    return replace(sheet, down=(*(each for each in sheet.down if each.name != limit.name), limit))


@rule(UNAIDED)
async def gets_up(scene: Scene, who: Person, about: str) -> None:
    """Whom nobody has helped in a Quarter Day gets up by themselves, with one point."""
    if about in scene[who].broken and not is_blocked(scene, who, about):
        await alter(who, Survivor.healing, about, scene[HEALS])
    await alter(who, no_longer_down, about)


def no_longer_down(sheet: Survivor, attribute: str) -> Survivor:
    return replace(sheet, down=tuple(each for each in sheet.down if each.name != attribute))


@due(Survivor, gets_up)
def getting_up(scene: Scene, who: Person) -> Iterator[Due]:
    """Whoever is Broken gets up at their time, unless something keeps them from recovering."""
    sheet = scene[who]
    for each in sheet.down if DEAD not in sheet.conditions else ():
        if each.name in sheet.broken:
            yield Due(gets_up, at=each.until, about=each.name)


# --- rallying from fear -----------------------------------------------------------------------------------------------


FEAR: Final = "yearzero.combat.rally-fear-option"
FEAR_M: Final = figure(FEAR, "range_m", int)
FEAR_PER_X: Final = figure(FEAR, "per_extra_x", int)
RALLY_DM: Final = figure(FEAR, "dm", int)
RALLIED: Final = Prompt("rallied")


def afraid(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Comrades near who are Broken by fear."""
    near = friends_near(scene, who, scene[FEAR_M]) or others(scene, who)
    return tuple(each for each in near if WITS in scene[each].broken)


def check_afraid(scene: Scene, who: Person) -> None:
    if not afraid(scene, who):
        refuse("nobody near is Broken by fear", rule=FEAR)


@action("rally-from-fear", FEAR, bands=OUTCOME, price=ListedPrice("Command"), check=check_afraid, option=FEAR)
async def rally_from_fear(scene: Scene, who: Person, mods: Mods = ()) -> Outcome:
    """Comrades Broken by fear are rid of their panic; each further success gives one of them a point of Wits."""
    aimed = Mod(scene[RALLY_DM], "aimed for", FEAR)
    rolled = await roll_once(who, Attempt("Influence", "Command", mods=(*mods, aimed)))
    scared = afraid(scene, who) if rolled.success else ()
    for each in scared:
        await rule_named("yearzero.panic.end")(each)
    for _ in range(min(len(scared), max(0, rolled.successes - 1) * scene[FEAR_PER_X])):
        one = await choose(who, RALLIED, tuple(each for each in scared if WITS in scene[each].broken))
        await alter(one, Survivor.healing, WITS, 1)
    return plain(rolled)
