"""Consumables: meals that comfort, and stimulants that push a body for a while."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypeAlias

from referee.core import Effect, Pick, Scene, action, alter, lay, rule, set_deadline
from referee.core.effects import Adds, Grants, remove_effects
from referee.kits.things import used_up
from referee.systems.yearzero.items import ITEMS, CraftRow
from referee.systems.yearzero.sheet import Person, Survivor
from referee.systems.yearzero.talents import having
from referee.systems.yearzero.time import rounds_in

RUNNING = "running"


def doses(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody has that works by being used up."""
    return tuple(each.name for each in scene[who].things if each.at_hand and row_of(scene, each.kind) is not None)


def row_of(scene: Scene, kind: str) -> CraftRow | None:
    row = scene[ITEMS].look(kind) if kind in scene[ITEMS] else None
    return row if row is not None and (row.heals or row.suppresses or row.gives) else None


def choices(scene: Scene, who: Person, thing: str) -> tuple[str, ...]:
    """What one of these may do: suppress a condition, give a talent, or speed."""
    row = row_of(scene, scene[who].thing(thing).kind)
    if row is None or row.heals:
        return ("",)
    return row.suppresses or (RUNNING, *row.gives)


Dose: TypeAlias = Annotated[str, Pick(doses)]
Choice: TypeAlias = Annotated[str, Pick(choices)]


@action("consume", "yearzero.crafting.items-dm4/consume", "yearzero.crafting.items-dm5", "yearzero.crafting.items-dm7")
async def consume(scene: Scene, who: Person, thing: Dose, choice: Choice = "") -> None:
    """Eat, drink or take something that was made for it."""
    item = scene[who].thing(thing)
    row = row_of(scene, item.kind)
    await alter(who, lambda sheet: replace(sheet, things=used_up(sheet.things, item.kind, 1)))
    if row is None:
        return
    for attribute, points in row.heals.items():
        await alter(who, Survivor.healing, attribute, points)
    if row.suppresses:
        await lay(who, Effect(Grants(f"ignore {choice}")), source=thing)
        await set_deadline(rounds_in(scene, "quarter day", item.potency), who, wears_off, about=thing)
    if row.gives:
        await stimulate(who, thing, choice, row.runs, item.potency)


@rule("yearzero.crafting.items-dm7/stimulate")
async def stimulate(scene: Scene, who: Person, thing: str, choice: str, runs: int, turns: int) -> None:
    """Faster legs, or a talent, for some turns."""
    if choice == RUNNING:
        await lay(who, Effect(Adds(runs), frozenset(("Move: Runner",))), source=thing)
    else:
        for each in having(scene, choice):
            await lay(who, each.effect, source=thing)
    await set_deadline(rounds_in(scene, "turn", turns), who, wears_off, about=thing)


@rule("yearzero.crafting.items-dm7/wears-off")
async def wears_off(scene: Scene, who: Person, about: str) -> None:
    """It works no longer."""
    await remove_effects(who, about)
