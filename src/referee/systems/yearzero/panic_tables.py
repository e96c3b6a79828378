"""The tables of panic: which one counts for what somebody was doing, and what each Panic Effect does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from referee.core import Active, Effect, Scene, formula, frozen, rows
from referee.core.rulebook import RowsOf

CONTEXT: Final = "yearzero.panic.context"
PANIC: Final = "panic: "
"""What the condition of somebody under a Panic Effect begins with."""
COMBAT: Final = "Combat"
THIS_ACTIVITY: Final = "this activity"


@frozen
class Activity:
    """Something one may be doing when panic comes, the skills that belong to it, and its table."""

    name: str
    table: str
    skills: tuple[str, ...]


ACTIVITIES: Final = rows(CONTEXT, "tables", Activity)


@frozen
class PanicTableRow:
    """What a result of a panic table brings; whether it lasts, and whether it may leave a trauma."""

    panic: str
    """Its Panic Effect."""
    lasts: bool = False
    trauma: bool = False


PANIC_TABLES: Final[dict[str, RowsOf[PanicTableRow]]] = {
    name: rows(f"yearzero.panic.table-{name}", "rows", PanicTableRow, by="result")
    for name in ("combat", "physical", "fine-motor", "negotiation", "observation")
}


@frozen
class PanicEffect:
    """What a Panic Effect does at once, and as long as it lasts."""

    name: str
    says: str
    effects: tuple[Effect, ...] = ()
    """What it does to somebody as long as it lasts."""
    stress: str = ""
    """The Stress that it adds, or takes away: `1`, `2D6`, `-1`."""
    comrades_stress: int = 0
    """The Stress of each comrade near who sees it."""
    checks: Literal["", "comrades", "everyone"] = ""
    """Who must keep calm because of it."""
    loses_slow: bool = False
    """Whether the next slow action is lost."""
    hampers: str = ""
    """The skill whose next roll is harder by all Stress, or THIS_ACTIVITY."""
    falls: bool = False
    drops: bool = False
    """Whether something that is held falls."""
    damage: int = 0
    run: str = ""
    """A rule of its own, called with who panics and what they were doing."""


PANIC_EFFECTS: Final = rows("yearzero.panic.effects", "effects", PanicEffect)


@frozen
class Doing:
    """What somebody was rolling for when panic came: the skill, the thing in hand, the goal."""

    skill: str = ""
    gear: str = ""
    goal: str = ""


IDLE: Final = Doing()


@formula(CONTEXT)
def activity_of(scene: Scene, skill: str) -> str:
    """The activity that a skill belongs to; nothing for a roll without a skill."""
    listed = scene[ACTIVITIES]
    return next((listed[name].name for name in listed.names if skill in listed.look(name).skills), "")


def activity_tag(activity: str) -> str:
    """The tag of rolls for an activity, in effects."""
    return f"activity: {activity}"


def panics_of(conditions: frozenset[str]) -> tuple[str, ...]:
    """The Panic Effects among conditions, as they are written on a sheet."""
    return tuple(sorted(each for each in conditions if each.startswith(PANIC)))


def panicking(scene: Scene, conditions: frozenset[str]) -> Iterator[Active]:
    """What Panic Effects do as long as they last."""
    for condition in panics_of(conditions):
        name = condition.removeprefix(PANIC)
        for effect in scene[PANIC_EFFECTS].look(name).effects if name in scene[PANIC_EFFECTS] else ():
            yield Active(effect, name, PANIC_EFFECTS.rule)
