"""The panic tables, by what somebody was doing, and what each Panic Effect does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from referee.core import Active, Effect, Scene, figure, formula, frozen, rows
from referee.core.rulebook import RowsOf

EFFECTS_OF: Final = "yearzero.panic.effects"
PANIC_IS: Final = "panic: "
"""How the condition of somebody who panics begins."""


@frozen
class PanicRow:
    """A result of a panic table: its effect, whether it lasts, and whether it may leave a trauma."""

    name: str
    lasts: bool = False
    trauma: bool = False


@frozen
class PanicEffectRow:
    """What a Panic Effect does."""

    name: str
    effects: tuple[Effect, ...] = ()
    """What it does to rolls and actions while it lasts."""
    stress: int = 0
    stress_dice: int = 0
    allies_stress: int = 0
    far: bool = False
    """Whether all allies have that Stress, not only those near."""
    spreads: bool = False
    """Whether every ally must keep calm."""
    loses: bool = False
    """Whether the next slow action is lost."""
    drops: bool = False
    falls: bool = False
    must: str = ""
    """The only thing the next fast action may be."""
    adds: int = 0
    rolls_die: int = 0
    """The die for how many rolls have so many dice more."""
    flees_die: int = 0
    """The die for how many rounds nothing is attacked."""
    rages: bool = False
    """Whether one attacks whoever is there."""
    twice: bool = False
    hazard: str = ""
    breaks: int = 0
    """How much what one handles is worn."""
    next_by_stress: tuple[str, ...] = ()
    """Skills whose next roll is as much harder as there is Stress."""
    next_fine: tuple[str, ...] = ()
    harm: int = 0
    halves: bool = False
    breaks_down: bool = False
    says: str = ""


@frozen
class PanicContext:
    """The skills whose rolls a table is for."""

    name: str
    skills: tuple[str, ...]


CONTEXTS: Final = rows("yearzero.panic.context", "tables", PanicContext)
PANIC_EFFECTS: Final = rows(EFFECTS_OF, "effects", PanicEffectRow)
NEAR_M: Final = figure(EFFECTS_OF, "within_m", int)
TABLES: Final[dict[str, RowsOf[PanicRow]]] = {
    name: rows(f"yearzero.panic.table-{name.replace(' ', '-')}", "rows", PanicRow, by=("from", "to"))
    for name in ("combat", "physical", "fine motor", "negotiation", "observation")
}


@formula("yearzero.panic.context")
def table_for(scene: Scene, skill: str, fighting: bool) -> str:
    """The table for what somebody was doing: in a fight always that of combat, and so where nothing is known."""
    found = next((row.name for row in scene[CONTEXTS] if skill in row.skills), "combat")
    return scene[CONTEXTS]["combat" if fighting else found].name


@formula("yearzero.panic.roll/running")
def result_after(scene: Scene, table: str, result: int, running: str) -> PanicRow:
    """The row of a result; one that is milder than what runs already makes that one step worse."""
    listed = scene[TABLES[table]]
    named = {number: listed.at(number).name for number in range(1, MOST)} if running else {}
    at = next((number for number, name in named.items() if name == running), 0)
    if at <= result or listed.at(result).name == running:
        return listed.at(result)
    return listed.at(next((number for number in range(at, MOST) if named[number] != running), at))


MOST: Final = 22
"""One more than any row begins with."""


def panic_condition_effects(scene: Scene, conditions: frozenset[str]) -> Iterator[Active]:
    """What Panic Effects do while they last."""
    for name in sorted(each.removeprefix(PANIC_IS) for each in conditions if each.startswith(PANIC_IS)):
        if name in scene[PANIC_EFFECTS]:
            for effect in scene[PANIC_EFFECTS].look(name).effects:
                yield Active(effect, name, EFFECTS_OF)
