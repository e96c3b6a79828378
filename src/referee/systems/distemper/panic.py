"""Panic: when Resilience drops to half, and its effects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from referee.core import (
    D6,
    Effect,
    Pool,
    Prompt,
    Scene,
    Total,
    Who,
    alter,
    choose,
    figure,
    formula,
    number_die,
    roll,
    rows,
    rule,
    tell,
)
from referee.core.effects import add_effect
from referee.core.rules import rule_named
from referee.systems.distemper.checks import dice_check
from referee.systems.distemper.fight import FIGHT, ROUND_END, Fight
from referee.systems.distemper.sheet import Character
from referee.systems.distemper.weapons import in_hand

SHARE: Final = figure("distemper.panic.trigger", "share", int)
CHECKS: Final = figure("distemper.panic.trigger", "checks", tuple[str, ...])
DICE: Final = figure("distemper.panic.table", "dice", int)
DURATION: Final = figure("distemper.panic.table", "duration", int)

KEEP_CONTROL: Final = Prompt("keep-control")
PANIC: Final = Prompt("panic")
ROUNDS: Final = Prompt("rounds")
VICTIM: Final = Prompt("victim")


@final
@dataclass(frozen=True, slots=True)
class PanicRow:
    """One row of the panic table."""

    name: str
    effects: tuple[Effect, ...] = ()
    lasts: bool = False
    attacks: str = ""
    drops: bool = False
    next_round: bool = False
    disengages: bool = False


TABLE: Final = rows(
    "distemper.panic.table",
    "table",
    PanicRow,
    by="roll",
    numbers=lambda book: range(book.read(DICE), D6.sides * book.read(DICE) + 1),
)
TABLE_RULE: Final = "distemper.panic.table"
LASHES_OUT: Final = "someone close by"
STRIKE: Final = "distemper.combat-actions.attack/strike"


@formula("distemper.panic.trigger")
def has_reached_half(scene: Scene, who: Who[Character], lost: int) -> bool:
    """Whether a loss has taken Resilience from above half of the original total to half or less."""
    now, share = scene[who].rp, scene[SHARE]
    return share * now <= scene[who].rp_full < share * (now + lost)


@rule("distemper.panic.trigger")
async def keep_control(scene: Scene, who: Who[Character]) -> str | None:
    """A successful check of the player's choice keeps control; otherwise the character panics."""
    using = await choose(who, KEEP_CONTROL, scene[CHECKS])
    if (await dice_check(who, using)).success:
        return None
    return await panic(who)


@rule(TABLE_RULE)
async def panic(scene: Scene, who: Who[Character]) -> str:
    """An unmodified 2d6 on the table."""
    thrown = await roll(PANIC, who, Pool.of((D6, scene[DICE])), Total)
    row = scene[TABLE].at(thrown.total)
    await tell("panicked", who=who, how=row.name, rule=TABLE_RULE)
    await suffer(who, row)
    return row.name


@rule("distemper.panic.table/suffer")
async def suffer(scene: Scene, who: Who[Character], row: PanicRow) -> None:
    """The effect of a row: at once, for some rounds after this one, or in the next."""
    rounds = (await roll(ROUNDS, who, Pool.of((number_die(scene[DURATION]), 1)), Total)).total if row.lasts else 0
    for effect in row.effects:
        lasting = replace(effect, until=ROUND_END, times_until=rounds + 1) if row.lasts else effect
        await add_effect(who, lasting, row.name, TABLE_RULE)
    if row.drops:
        await alter(who, dropped)
    if FIGHT in scene and row.next_round:
        await alter(FIGHT, Fight.freezing, who.name)
    if FIGHT in scene and row.disengages:
        await alter(FIGHT, Fight.leaving, who.name)
    if row.attacks == LASHES_OUT:
        await lash_out(who)
    elif FIGHT in scene and row.attacks:
        await alter(FIGHT, Fight.enraging, who.name)


@rule("distemper.panic.table/lash-out")
async def lash_out(scene: Scene, who: Who[Character]) -> None:
    """An immediate attack, no matter whose turn it is, on someone close by; the game master says on whom."""
    if victims := within(scene, who, 0):
        victim = await choose(None, VICTIM, victims)
        await rule_named(STRIKE)(who, victim, in_hand(scene, who), at_once=True)


def within(scene: Scene, who: Who[Character], bands: int) -> tuple[Who[Character], ...]:
    """Those who are alive and within this many range bands."""
    able = scene[FIGHT].able(scene) if FIGHT in scene else tuple(each.name for each in scene.all(Character))
    others = (Who(name, Character) for name in able if name != who.name)
    return tuple(
        each
        for each in others
        if not scene[each].dead and (FIGHT not in scene or scene[FIGHT].band(who.name, each.name) <= bands)
    )


def closest(scene: Scene, who: Who[Character]) -> tuple[Who[Character], ...]:
    """Those nearest to someone, friend or foe."""
    everybody = within(scene, who, 1_000)
    if FIGHT not in scene or not everybody:
        return everybody
    return within(scene, who, min(scene[FIGHT].band(who.name, each.name) for each in everybody))


def dropped(sheet: Character) -> Character:
    """Everything held is dropped and must be readied again."""
    return replace(sheet, items=tuple(replace(item, ready=False) for item in sheet.items))
