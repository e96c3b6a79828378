"""Devices: programs on a device, a pulse against electronics, handcuffs, hidden weapons, and doses that are taken."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Final

from referee.core import (
    D6,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
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
    set_deadline,
    suggest,
)
from referee.core.effects import Effect
from referee.core.things import HELD
from referee.systems.yearzero.activities import Route, check_time, lay_for, lock, locked, now, occupy, span
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.equipment import EQUIPMENT, EquipmentRow, row_named, table_of
from referee.systems.yearzero.gear import bonus_at_first, count_use, rating
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.loads import printed_weight
from referee.systems.yearzero.move import BOUND
from referee.systems.yearzero.panic import add_stress
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import STRENGTH, Item, Person, Survivor, others, people
from referee.systems.yearzero.skills import plain
from referee.systems.yearzero.weapons import is_weapon

ELECTRONICS: Final = "yearzero.gear.electronics"
PULSE: Final = "yearzero.gear.emp-grenade"
COMBAT_GEAR: Final = "yearzero.gear.misc-combat"
HIDING: Final = "yearzero.gear.concealment"
MEDICINE: Final = "yearzero.gear.medical-supplies"


# --- programs ---------------------------------------------------------------------------------------------------------


LOAD_MINUTES: Final = figure(ELECTRONICS, "load_minutes", int)


def computers(scene: Scene, who: Person) -> tuple[str, ...]:
    rows_ = ((each, row_named(scene, each.kind)) for each in scene[who].things if each.at_hand)
    return tuple(each.name for each, row in rows_ if row is not None and row.memory)


def computer_row(scene: Scene, who: Person, device: str) -> EquipmentRow:
    row = row_named(scene, scene[who].thing(device).kind)
    if row is None or not row.memory:
        refuse("it is no computer", what=device, rule=ELECTRONICS, legal=computers(scene, who))
    return row


def check_load(scene: Scene, who: Person, device: str, program: str) -> None:
    """A unit of memory for each program or file, and each is there once."""
    row, item = computer_row(scene, who, device), scene[who].thing(device)
    if program in item.programs:
        refuse(f"it is on the {device}", what=program, rule=ELECTRONICS)
    if not program or len(item.programs) >= row.memory:
        refuse(f"the memory holds {row.memory}", what=program or "program", rule=ELECTRONICS, legal=item.programs)


Computer = Annotated[str, Pick(computers)]


@action("load-program", ELECTRONICS, check=(check_time, check_load), turn=check_able)
async def load_program(scene: Scene, who: Person, device: Computer, program: Annotated[str, suggest()]) -> None:
    """Load a program or a file from a chip, which takes a quarter of an hour."""
    await occupy(who, f"loading {program}", span(scene, scene[LOAD_MINUTES], "minute"))
    await alter(who, with_programs, device, program, "load")


def with_programs(sheet: Survivor, device: str, program: str, what: str) -> Survivor:
    item = sheet.thing(device)
    loaded = (*item.programs, program) if what == "load" else item.programs
    if what == "erase":
        loaded = tuple(each for each in item.programs if each != program)
    running = tuple(each for each in item.running if each != program)
    return sheet.with_thing(replace(item, programs=loaded, running=(*running, program) if what == "run" else running))


def programs(scene: Scene, who: Person, device: str) -> tuple[str, ...]:
    return scene[who].thing(device).programs


def check_run(scene: Scene, who: Person, device: str, program: str) -> None:
    """As many at once as the CPU has room for."""
    row, item = computer_row(scene, who, device), scene[who].thing(device)
    if program in item.running or len(item.running) >= row.cpu:
        refuse(
            f"{len(item.running)} of {row.cpu} programs are running", what=program, rule=ELECTRONICS, legal=item.running
        )


Program = Annotated[str, Pick(programs)]


@action("run-program", f"{ELECTRONICS}/run", check=check_run, turn=check_able)
async def run_program(scene: Scene, who: Person, device: Computer, program: Program, immediate: bool = False) -> None:
    """Run a program; an immediate one ends by itself."""
    if not immediate:
        await alter(who, with_programs, device, program, "run")


@action("end-program", f"{ELECTRONICS}/end")
async def end_program(scene: Scene, who: Person, device: Computer, program: Program, erase: bool = False) -> None:
    """End a program that is running, or erase it; that is an instant action."""
    await alter(who, with_programs, device, program, "erase" if erase else "end")


# --- a pulse ----------------------------------------------------------------------------------------------------------


@figures(PULSE)
class PulseFigures:
    """The dice of a pulse, what it is divided by, and what it does to those who rely on electronics."""

    pulse_dice: int
    divided_by: int
    hardened_from: int
    implant_effect: Effect


PULSED: Final = Prompt("pulse")
IMPLANT_ROUNDS: Final = Prompt("implant-rounds")


@formula(f"{PULSE}/resists")
def resists_pulse(scene: Scene, pulse: int, gear_dice: int, shielded_by: int = 0) -> bool:
    """Hardened devices resist with more Gear Dice than a third of the pulse; a shield takes some off first."""
    found, left = scene[PulseFigures], pulse - shielded_by
    hardened = gear_dice >= found.hardened_from or shielded_by > 0
    return left <= 0 or (hardened and gear_dice > Fraction(left, found.divided_by))


@action("emp-pulse", PULSE, master=True)
async def emp_pulse(
    scene: Scene,
    targets: Annotated[tuple[Annotated[Person, Pick(people)], ...], suggest()],
    implanted: Annotated[tuple[Annotated[Person, Pick(people)], ...], suggest()] = (),
) -> int:
    """An EMP grenade has gone off: electronics break, and those with implants or powered armor roll Endurance."""
    pulse = (await roll(PULSED, None, Pool.of((D6, scene[PulseFigures].pulse_dice)), Total)).total
    for each in targets:
        for name in [item.name for item in scene[each].things if is_electronic(scene, item)]:
            item = scene[each].thing(name)
            if not resists_pulse(scene, pulse, bonus_at_first(scene, item)):
                await alter(each, Survivor.with_thing, item.worn(rating(scene, item), rating(scene, item)))
    for each in implanted:
        await fail_implants(each)
    return pulse


def is_electronic(scene: Scene, item: Item) -> bool:
    return item.part == "electronic" or table_of(scene, item.kind) == "electronics"


@rule(f"{PULSE}/implants")
async def fail_implants(scene: Scene, who: Person) -> None:
    """Implants and powered armor fail for some rounds if Endurance does."""
    rolled = await roll_once(who, Attempt("Endurance", tags=("no action",), surplus=False))
    if not rolled.success:
        rounds = (await roll(IMPLANT_ROUNDS, who, Pool.of((D6, 1)), Total)).total
        harder = scene[PulseFigures].implant_effect
        await lay_for(who, harder, span(scene, rounds, "round"), "implants failing", PULSE)


# --- handcuffs --------------------------------------------------------------------------------------------------------


@frozen
class Escape:
    """A way out of handcuffs."""

    name: str
    skill: str
    dm: int
    x: int
    specialty: str = ""


ESCAPES: Final = rows(COMBAT_GEAR, "escapes", Escape)
CUFFS: Final = "Handcuffs"


def has_cuffs(scene: Scene, who: Person) -> None:
    if not any(each.kind == CUFFS and each.at_hand for each in scene[who].things):
        refuse(f"{who} has no {CUFFS.casefold()}", rule=COMBAT_GEAR)


def check_cuffed(scene: Scene, who: Person, target: Person) -> None:
    """Somebody who cannot resist: held, broken or out."""
    sheet = scene[target]
    if not (sheet.held_by or sheet.broken or "Unconscious" in sheet.conditions):
        refuse(f"{target} must be held, Broken or unconscious", rule=COMBAT_GEAR)


@action("cuff", f"{COMBAT_GEAR}/cuff", check=(has_cuffs, check_cuffed), turn=check_able)
async def cuff(scene: Scene, who: Person, target: Annotated[Person, Pick(others)]) -> None:
    """Put handcuffs on somebody who cannot resist."""
    await alter(target, Survivor.with_condition, BOUND)


def check_bound(scene: Scene, who: Person) -> None:
    if BOUND not in scene[who].conditions:
        refuse(f"{who} is not bound", rule=COMBAT_GEAR)


@action("slip-cuffs", COMBAT_GEAR, bands=OUTCOME, check=check_bound, turn=check_able)
async def slip_cuffs(
    scene: Scene, who: Person, by_way_of: Annotated[str, ESCAPES], intended: bool = True, mods: Mods = ()
) -> Outcome:
    """Slip out of handcuffs, or break them: at a penalty, or with more successes."""
    row = scene[ESCAPES][by_way_of]
    attempt = Attempt(row.skill, row.specialty, mods=mods, surplus=False)
    rolled = await roll_once(who, Route(row.dm, row.x).of(attempt, by_way_of, COMBAT_GEAR, aimed=intended))
    if rolled.success:
        await alter(who, Survivor.without_condition, BOUND)
    return plain(rolled)


# --- hidden weapons ---------------------------------------------------------------------------------------------------


@frozen
class HidingRow:
    """What a weapon of a weight does to hiding it."""

    name: str
    up_to: float
    modification: int


HIDING_ROWS: Final = rows(HIDING, "rows", HidingRow)
HIDING_SPECIALTY: Final = figure(HIDING, "specialty", str)


def weapons_of(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].things if each.at_hand and is_weapon(scene, each))


@formula(f"{HIDING}/modification")
def hiding(scene: Scene, weight: float) -> Mod:
    """The lighter a weapon, the easier it is hidden; the heaviest are not hidden on the body at all."""
    row = next((each for each in scene[HIDING_ROWS] if weight <= each.up_to), None)
    if row is None:
        refuse("it is too heavy to hide on the body", rule=HIDING)
    return Mod(row.modification, f"{row.name} weapon", HIDING)


def check_hidden(scene: Scene, who: Person, weapon: str) -> None:
    if weapon not in weapons_of(scene, who):
        refuse("it is no weapon", what=weapon, rule=HIDING, legal=weapons_of(scene, who))
    hiding(scene, printed_weight(scene, scene[who].thing(weapon)))


@action("hide-weapon", HIDING, bands=OUTCOME, turn=check_able)
async def hide_weapon(
    scene: Scene, who: Person, weapon: Annotated[str, Pick(weapons_of, check_hidden)], mods: Mods = ()
) -> Outcome:
    """Hide a weapon on the body, by sleight of hand."""
    own = (*mods, hiding(scene, printed_weight(scene, scene[who].thing(weapon))))
    rolled = await roll_once(who, Attempt("Stealth", scene[HIDING_SPECIALTY], mods=own, surplus=False))
    if rolled.success and scene[who].thing(weapon).place == HELD:
        await alter(who, Survivor.with_thing, scene[who].thing(weapon).at("carried"))
    return plain(rolled)


# --- doses ------------------------------------------------------------------------------------------------------------


@frozen
class AdrenalineFigures:
    """The dice of the minutes that adrenaline works, and what more doses in how many hours cost."""

    dice: int
    doses_hours: int
    damage_per_further_dose: int


PAIN_MINUTES: Final = figure(MEDICINE, "pain_minutes", int)
ADRENALINE: Final = figure(MEDICINE, "adrenaline", AdrenalineFigures)
MINUTES: Final = Prompt("adrenaline-minutes")
DOSE = "adrenaline"
RELIEF = "pain relief"
PAIN_RELIEVER: Final = "Pain Reliever"


def doses(scene: Scene, who: Person) -> tuple[str, ...]:
    rows_ = ((each, row_named(scene, each.kind)) for each in scene[who].things if each.at_hand)
    return tuple(each.name for each, row in rows_ if row is not None and (row.heals or row.ends or row.stress))


def check_dose(scene: Scene, who: Person, thing: str) -> None:
    if thing not in doses(scene, who):
        refuse("it is nothing to take", what=thing, rule=MEDICINE, legal=doses(scene, who))


@action("take-dose", MEDICINE)
async def take_dose(scene: Scene, who: Person, thing: Annotated[str, Pick(doses, check_dose)]) -> None:
    """Take a pain reliever, adrenaline or an antidote; it is then used up."""
    row = row_named(scene, scene[who].thing(thing).kind)
    await use_up(who, thing)
    if row is None:
        return
    if row.ends:
        await alter(who, Survivor.without_condition, row.ends)
    elif row.stress:
        await take_adrenaline(who, row.strength, row.stress)
    elif not locked(scene, who, RELIEF):
        await lock(who, RELIEF, now(scene) + span(scene, 1, "quarter day"))
        await set_deadline(span(scene, scene[PAIN_MINUTES], "minute"), who, pain_eases)


@rule(f"{MEDICINE}/used")
async def use_up(scene: Scene, who: Person, thing: str) -> None:
    """One of several doses, or the only one."""
    item = scene[who].thing(thing)
    if item.amount > 1:
        await alter(who, Survivor.with_thing, replace(item, amount=item.amount - 1))
    else:
        await count_use(who, thing)


@rule(f"{MEDICINE}/pain")
async def pain_eases(scene: Scene, who: Person) -> None:
    """After a quarter of an hour a pain reliever works."""
    for attribute, points in scene[EQUIPMENT].look(PAIN_RELIEVER).heals.items():
        await alter(who, Survivor.healing, attribute, points)


@rule(f"{MEDICINE}/adrenaline")
async def take_adrenaline(scene: Scene, who: Person, strength: int, stress: int) -> None:
    """Strength rises at once, and falls back when it wears off; further doses of a day then hurt."""
    found, before = scene[ADRENALINE], locked(scene, who, DOSE)
    await lock(who, DOSE, now(scene) + span(scene, found.doses_hours, "hour"))
    await add_stress(who, stress)
    minutes = (await roll(MINUTES, who, Pool.of((D6, found.dice)), Total)).total
    full = scene[who].full(STRENGTH)
    await change(who, replace(scene[who], attributes=scene[who].attributes.but(**{STRENGTH: full + strength})))
    about = f"{strength} {before * found.damage_per_further_dose}"
    await set_deadline(span(scene, minutes, "minute"), who, adrenaline_ends, about=about)


@rule(f"{MEDICINE}/adrenaline-ends")
async def adrenaline_ends(scene: Scene, who: Person, about: str) -> None:
    """Strength is what it was before; all damage stays, and a further dose costs more of it."""
    strength, damage = map(int, about.split())
    sheet = scene[who]
    full = sheet.full(STRENGTH) - strength
    lost = min(full, sheet.damage.get(STRENGTH, 0))
    weaker = replace(sheet, attributes=sheet.attributes.but(**{STRENGTH: full}))
    await change(who, replace(weaker, damage=sheet.damage.but(**{STRENGTH: lost})).losing(STRENGTH, damage))
