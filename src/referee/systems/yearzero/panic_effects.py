"""What Panic Effects do: Stress, lost actions, flight, frenzy, accidents, a failing heart; and how they are ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Bands,
    Effect,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    applying,
    choose,
    figures,
    hand_over,
    lay,
    number_die,
    refuse,
    roll,
    rule,
    rule_on,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Adds, Forbids, Grants
from referee.core.rules import rule_named
from referee.core.things import DROPPED, HELD
from referee.kits.wounds import TimeSpan, how_long
from referee.systems.yearzero.action_types import SLOW_ACTION
from referee.systems.yearzero.activities import lay_for, lock, quarter_days
from referee.systems.yearzero.battle import BATTLE, ROUND_END, comrades, foes
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.equipment import table_of
from referee.systems.yearzero.gear import rating, wear
from referee.systems.yearzero.ground import within
from referee.systems.yearzero.harm import CALM_AGAIN, DEAD, OUT, check_able, die, stressed, suffer, waste_away
from referee.systems.yearzero.injuries import hit_location, injure
from referee.systems.yearzero.panic import (
    HEART_ATTACK,
    SPREAD,
    add_stress,
    calm,
    end_panic,
    lose_slow_action,
    panic_effects,
    throw_panic,
    witnessed,
)
from referee.systems.yearzero.panic_tables import (
    ACTIVITIES,
    PANIC,
    PANIC_EFFECTS,
    PANIC_TABLES,
    THIS_ACTIVITY,
    Doing,
    PanicEffect,
    PanicTableRow,
    activity_tag,
)
from referee.systems.yearzero.rolls import MUST_ATTACK, NO_ACTION, Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import STRENGTH, Helpers, Person, Survivor, others
from referee.systems.yearzero.skills import Gear, plain
from referee.systems.yearzero.time import rounds_in
from referee.systems.yearzero.trauma import sizes

EFFECTS: Final = "yearzero.panic.effects"
PHYSICAL: Final = "yearzero.panic.table-physical"
FINE_MOTOR: Final = "yearzero.panic.table-fine-motor"
END: Final = "yearzero.panic.end"

STRESS: Final = Prompt("panic-stress")
DROP: Final = Prompt("drop")
NEAR: Final = Prompt("comrade-near")
NEXT_ROLLS: Final = Prompt("next-rolls")
ROUNDS_AWAY: Final = Prompt("rounds-away")
NEAREST: Final = Prompt("nearest")
HURT: Final = Prompt("also-hurt")
HEART_STOPS: Final = Prompt("heart-stops")

COWARDICE: Final = "Cowardice"
BERSERK: Final = "Berserk"
PSYCHOTIC: Final = "Psychotic"
TOO_MUCH: Final = "Too much"
COMPOUNDING: Final = "Compounding Problems"
PANIC_END: Final = "panic end"
FOUND: Final[Bands[bool]] = Bands(of=lambda found: "success" if found else "failure", keys=("success", "failure"))


@figures(EFFECTS)
class PanicFigures:
    """Figures of single Panic Effects."""

    next_bonus: int
    next_rolls: int
    rounds_away: int
    heart_damage: int
    heart_dies_after: str
    gear_damage: int
    breaks: tuple[str, ...]


# --- a panic ----------------------------------------------------------------------------------------------------------


@rule(EFFECTS, "yearzero.panic.roll", "yearzero.panic.context")
async def panics(
    scene: Scene, who: Person, activity: str, result: int, doing: Doing, met: tuple[Person, ...] = ()
) -> None:
    """A Panic Effect by the table of the activity takes the place of one that somebody is under."""
    row = row_of(scene, activity, result)
    await end_panic(who)
    await take_effect(who, activity, result, row, doing, met)


def row_of(scene: Scene, activity: str, result: int) -> PanicTableRow:
    return scene[PANIC_TABLES[scene[ACTIVITIES][activity].table]].at(result)


@rule(f"{EFFECTS}/take", "yearzero.panic.end")
async def take_effect(
    scene: Scene,
    who: Person,
    activity: str,
    result: int,
    row: PanicTableRow,
    doing: Doing,
    met: tuple[Person, ...] = (),
) -> None:
    """What a panic does at once, what it does as long as it lasts, and what it does to those who are near."""
    effect = scene[PANIC_EFFECTS][row.panic]
    await tell("panics", who=who, effect=effect.name, says=effect.says, rule=PANIC_EFFECTS.rule)
    if row.trauma:
        await alter(who, shaken)
    if row.lasts:
        until = scene[CLOCK].now + rounds_in(scene, "turn", scene[PanicEnd].duration_turns)
        await alter(who, panicked, f"{PANIC}{effect.name}", result, until)
    await strike_oneself(who, activity, effect)
    near = await company(who, effect) if effect.comrades_stress or effect.checks else ()
    if effect.run:
        await rule_named(effect.run)(who, activity, result, doing)
    await witnessed(who, "panic", effect.name, near=near, met=met)


def shaken(sheet: Survivor) -> Survivor:
    return replace(sheet, shaken=True)


def panicked(sheet: Survivor, condition: str, result: int, until: int) -> Survivor:
    return replace(sheet.with_condition_until(condition, until), panic_result=result)


@rule(f"{EFFECTS}/oneself")
async def strike_oneself(scene: Scene, who: Person, activity: str, effect: PanicEffect) -> None:
    """Stress more or less, a fall, a thing dropped, a slow action lost, a next roll that is harder."""
    if effect.stress:
        await alter(who, stressed, max(await how_much(who, effect.stress), -scene[who].stress))
    if effect.falls:
        await alter(who, lambda sheet: replace(sheet, prone=True))
    held = [each.name for each in scene[who].things if each.place == HELD] if effect.drops else []
    if held:
        dropped = await choose(who, DROP, tuple(held)) if len(held) > 1 else held[0]
        await alter(who, Survivor.with_thing, scene[who].thing(dropped).at(DROPPED))
    if effect.loses_slow:
        await lose_slow_action(who, effect.name, EFFECTS)
    if effect.hampers and scene[who].stress:
        tag = activity_tag(activity) if effect.hampers == THIS_ACTIVITY else effect.hampers
        harder = Effect(Adds(-scene[who].stress), frozenset((tag,)), uses=1)
        await lay(who, harder, source=effect.name, by=EFFECTS)


@rule(f"{EFFECTS}/stress")
async def how_much(scene: Scene, who: Person, stress: str) -> int:
    """So much Stress, or as much as dice say."""
    if "D" not in stress:
        return int(stress)
    span = TimeSpan.from_plain(stress)
    return (await roll(STRESS, who, Pool.of((number_die(span.sides), span.dice)), Total)).total


@rule(f"{EFFECTS}/near")
async def company(scene: Scene, who: Person, effect: PanicEffect) -> tuple[Person, ...]:
    """Those who see or hear it: in a fight one's side, or everybody; elsewhere whom the game master names."""
    if BATTLE in scene and who.name in scene[BATTLE].initiative:
        heard = (*comrades(scene, who), *(foes(scene, who) if effect.checks == "everyone" else ()))
        return heard if effect.checks else within(scene, who, scene[SPREAD], heard)
    return await named(who, NEAR, others(scene, who))


@rule(f"{EFFECTS}/named")
async def named(scene: Scene, who: Person, prompt: Prompt, among: tuple[Person, ...]) -> tuple[Person, ...]:
    """The game master names people, one after the other, until it is enough."""
    found: tuple[Person, ...] = ()
    while left := tuple(each.name for each in among if each not in found):
        picked = await rule_on(prompt, "", options=("", *left))
        if not picked:
            break
        found = (*found, next(each for each in among if each.name == picked))
    return found


# --- effects with rules of their own ----------------------------------------------------------------------------------


@rule(f"{EFFECTS}/rush")
async def rush(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """Some next rolls are easier; in combat no longer than the panic lasts."""
    row = scene[PanicFigures]
    times = (await roll(NEXT_ROLLS, who, Pool.of((number_die(row.next_rolls), 1)), Total)).total
    until = PANIC_END if panic_effects(scene[who]) else None
    await lay(who, Effect(Adds(row.next_bonus), until=until, uses=times), source="Minor Adrenaline Rush", by=EFFECTS)


@rule(f"{EFFECTS}/compounding")
async def compound(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """Two more results of the same table; the same problem again is the row below it, so that it ends."""
    for _ in range(2):
        again = await throw_panic(who)
        row = row_of(scene, activity, again)
        while row.panic == COMPOUNDING:
            again -= 1
            row = row_of(scene, activity, again)
        await take_effect(who, activity, again, row, doing)


@rule(f"{EFFECTS}/cowardice")
async def cower(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """In a fight one has to find courage at once, or runs."""
    if BATTLE in scene and who.name in scene[BATTLE].initiative:
        _ = await find_courage(who)


@rule(f"{EFFECTS}/courage", bands=FOUND)
async def find_courage(scene: Scene, who: Person) -> bool:
    """Insight (Calm), or some rounds of flight, which comrades see."""
    calm_down = Attempt("Insight", "Calm", tags=("calm", NO_ACTION), surplus=False, while_broken=True)
    if (await roll_skill(who, calm_down)).success:
        await alter(who, Survivor.without_condition, f"{PANIC}{COWARDICE}")
        return True
    rounds = (await roll(ROUNDS_AWAY, who, Pool.of((number_die(scene[PanicFigures].rounds_away), 1)), Total)).total
    await lay(who, Effect(Forbids("courage"), until=ROUND_END, times_until=rounds), source=COWARDICE, by=EFFECTS)
    for each in comrades(scene, who):
        await add_stress(each, 1)
    return False


@rule(f"{EFFECTS}/frenzy")
async def run_amok(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """Whoever is nearest is attacked, friend or foe, until they are wounded, or Broken."""
    near = tuple(each.name for each in (*foes(scene, who), *comrades(scene, who))) or tuple(
        each.name for each in others(scene, who)
    )
    if near:
        nearest = await rule_on(NEAREST, near[0], options=near)
        effect = Effect(Grants(f"{MUST_ATTACK}{nearest}"), frozenset(("attack",)), PANIC_END)
        await lay(who, effect, source="frenzy", by=EFFECTS)


@rule(f"{EFFECTS}/critical-failure")
async def spoil(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """Everybody whom the damage concerns has Stress of it."""
    for each in await named(who, HURT, others(scene, who)):
        await add_stress(each, 1)


@rule(f"{EFFECTS}/too-much")
async def give_up(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """The task is not tried again in this Quarter Day, unless all Stress is gone."""
    quarter = quarter_days(scene)
    await lock(who, TOO_MUCH, (scene[CLOCK].now // quarter + 1) * quarter)
    if doing.goal:
        effect = Effect(Forbids("roll"), frozenset((doing.goal,)), until=CALM_AGAIN)
        await lay_for(who, effect, quarter - scene[CLOCK].now % quarter, TOO_MUCH, EFFECTS)


@rule(f"{PHYSICAL}/injury", PHYSICAL)
async def come_to_harm(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """An accident does damage that no armor stops."""
    await accident(who, scene[PANIC_EFFECTS]["Injury"].damage)


@rule(f"{FINE_MOTOR}/injury", FINE_MOTOR)
async def harm_others(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """The same comes to whoever panics, and to those whom the game master names."""
    points = scene[PANIC_EFFECTS]["PC injury"].damage
    for each in (who, *await named(who, HURT, others(scene, who))):
        await accident(each, points)


@rule(f"{PHYSICAL}/accident", "yearzero.injuries.critical-roll")
async def accident(scene: Scene, who: Person, points: int) -> None:
    """Damage; whoever has no Strength left by it has a critical injury, half as bad."""
    stood = STRENGTH not in scene[who].broken
    excess = points - scene[who].now(STRENGTH)
    await suffer(who, points)
    if stood and STRENGTH in scene[who].broken:
        _ = await injure(who, await hit_location(who), "blunt", excess, halved=True)


@rule(f"{PHYSICAL}/critical-injury", PHYSICAL)
async def break_oneself(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """Broken at once, with a critical injury."""
    await suffer(who, scene[who].now(STRENGTH))
    _ = await injure(who, await hit_location(who), "blunt")


@rule(f"{FINE_MOTOR}/damage", FINE_MOTOR)
async def damage_gear(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """What is handled is damaged; medical and computer equipment breaks."""
    if not doing.gear:
        return
    thing, row = scene[who].thing(doing.gear), scene[PanicFigures]
    breaks = thing.part == "electronic" or table_of(scene, thing.kind) in row.breaks
    await wear(who, doing.gear, rating(scene, thing) if breaks else row.gear_damage)


# --- a failing heart --------------------------------------------------------------------------------------------------


@rule(f"{EFFECTS}/heart")
async def heart_fails(scene: Scene, who: Person, activity: str, result: int, doing: Doing) -> None:
    """From now on every round does damage, until somebody helps."""
    await alter(who, Survivor.with_condition, HEART_ATTACK)


@rule(f"{EFFECTS}/heart-round", "yearzero.injuries.non-typical")
async def heart_round(scene: Scene, who: Person) -> None:
    """A point of Strength; when none is left, it is a matter of rounds."""
    await waste_away(who, scene[PanicFigures].heart_damage)
    if STRENGTH in scene[who].broken:
        span = TimeSpan.from_plain(scene[PanicFigures].heart_dies_after)
        left = await how_long(scene, who, HEART_STOPS, span, sizes(scene))
        await alter(who, Survivor.with_condition_until, HEART_ATTACK, scene[CLOCK].now + left)


@rule(f"{EFFECTS}/heart-death")
async def heart_stops(scene: Scene, who: Person) -> None:
    """Nobody has helped in time."""
    await alter(who, Survivor.without_condition, HEART_ATTACK)
    await die(who)


@due(Survivor, heart_round, heart_stops)
def heart_goes_on(scene: Scene, who: Person) -> Iterator[Due]:
    """A failing heart takes Strength every round, and then a life."""
    sheet = scene[who]
    if HEART_ATTACK not in sheet.conditions or DEAD in sheet.conditions:
        return
    if (at := sheet.end_of(HEART_ATTACK)) is not None:
        yield Due(heart_stops, at=at)
    else:
        yield Due(heart_round)


# --- what ends it -----------------------------------------------------------------------------------------------------


@figures(END)
class PanicEnd:
    """How long a panic lasts, and how hard it is to rally somebody out of it."""

    duration_turns: int
    range_m: int
    dm: int
    stress: int
    specialty: str


def panicking(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those who are in panic, or whose heart fails."""
    return tuple(
        each for each in others(scene, who) if panic_effects(scene[each]) or HEART_ATTACK in scene[each].conditions
    )


Panicking: TypeAlias = Annotated[Person, Pick(panicking)]


@action("rally", f"{END}/rally", END, bands=OUTCOME, price=SLOW_ACTION, turn=check_able)
async def rally(scene: Scene, who: Person, target: Panicking, gear: Gear = "", mods: Mods = ()) -> Outcome:
    """Talk somebody near out of a panic: it ends, and a point of Stress with it."""
    row = scene[PanicEnd]
    own = (*mods, Mod(row.dm, "rally", END))
    rolled = await roll_once(who, Attempt("Influence", row.specialty, gear, own, tags=("social",), surplus=False))
    if rolled.success:
        await calm(target, row.stress)
    return plain(rolled)


def failing_hearts(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(
        each
        for each in others(scene, who)
        if HEART_ATTACK in scene[each].conditions and DEAD not in scene[each].conditions
    )


@action("treat-heart", f"{EFFECTS}/heart-treated", bands=OUTCOME, price=SLOW_ACTION, turn=check_able)
async def treat_heart(
    scene: Scene,
    who: Person,
    patient: Annotated[Person, Pick(failing_hearts)],
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Medical Aid keeps a heart beating."""
    rolled = await roll_once(who, Attempt("Medical Aid", "", gear, mods, helpers, surplus=False))
    if rolled.success:
        await alter(patient, Survivor.without_condition, HEART_ATTACK)
    return plain(rolled)


def check_cowed(scene: Scene, who: Person) -> None:
    """Somebody in the grip of Cowardice, once the flight is over."""
    if f"{PANIC}{COWARDICE}" not in scene[who].conditions:
        refuse(f"{who} is no coward", rule=EFFECTS)
    applying(scene, who).check_allowed("courage", rule=EFFECTS)


@action("find-courage", f"{EFFECTS}/face-it", bands=FOUND, check=check_cowed, turn=check_able)
async def face_it(scene: Scene, who: Person) -> bool:
    """Try again to join the fight."""
    return await hand_over(find_courage(who))


# --- the end of a frenzy ----------------------------------------------------------------------------------------------


@rule(f"{EFFECTS}/frenzy-over")
async def end_frenzies(scene: Scene) -> None:
    """Berserk, one stops once the victim is wounded or unconscious; Psychotic, once it is Broken."""
    for who in scene.all(Survivor):
        for name, is_over in ((BERSERK, is_wounded), (PSYCHOTIC, is_down)):
            if f"{PANIC}{name}" in scene[who].conditions and all(is_over(scene, each) for each in victims(scene, who)):
                await end_panic(who)


def victims(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Whom somebody must attack."""
    applied = applying(scene, who, "attack")
    return tuple(each for each in others(scene, who) if applied.granted(f"{MUST_ATTACK}{each}"))


def is_wounded(scene: Scene, who: Person) -> bool:
    return bool(scene[who].damage.get(STRENGTH)) or bool(OUT.keys() & scene[who].conditions)


def is_down(scene: Scene, who: Person) -> bool:
    return bool(scene[who].broken) or bool(OUT.keys() & scene[who].conditions)
