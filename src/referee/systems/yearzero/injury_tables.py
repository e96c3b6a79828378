"""The tables of critical injuries, by location and kind of damage; what injuries and the like do while they last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NoReturn, TypeAlias

from referee.core import Active, Effect, Refused, Scene, figure, frozen, rows
from referee.core.effects import Adds, Forbids
from referee.core.errors import BadInput
from referee.core.rulebook import RowsOf
from referee.kits.wounds import TimeSpan, Wound

Wounding: TypeAlias = Literal["ballistic", "blunt", "slash", "stab"]
PERMANENT: Final = "permanent"
LETHAL: Final = "yearzero.injuries.lethal"


@frozen
class InjuryRow:
    """A critical injury: whether it kills and how soon, what it does, and how long it lasts."""

    name: str
    lethal: bool
    limit: str = ""
    lethal_dm: int = 0
    heal_days: str = ""
    effects: tuple[Effect, ...] = ()
    says: str = ""
    infection_extra: int = 0
    falls: bool = False
    """Whether it brings somebody to the ground."""
    needs_care: bool = False
    """Whether it stays for good unless a day's care has worked before its time is over."""


LOCATIONS: Final = ("Head", "Torso", "Arms", "Legs")


def location_named(name: str) -> str:
    """A part of the body as the tables spell it, however it is written: leg and Legs are one."""
    said = name.casefold()
    return next((each for each in LOCATIONS if said in (each.casefold(), each.casefold().removesuffix("s"))), name)


KINDS: Final[Sequence[Wounding]] = ("ballistic", "blunt", "slash", "stab")
TABLES: Final[dict[tuple[str, str], RowsOf[InjuryRow]]] = {
    (place, kind): rows(f"yearzero.injuries.table-{place.casefold()}-{kind}", "rows", InjuryRow, by="d12")
    for place in LOCATIONS
    for kind in KINDS
}


def written_names(scene: Scene) -> dict[str, list[str]]:
    """The injuries that the book prints, each once."""
    return {"injuries.row": list(dict.fromkeys(name for each in TABLES.values() for name in scene[each].names))}


def injury_effects(scene: Scene, injuries: Sequence[Wound]) -> Iterator[Active]:
    """What critical injuries do as long as they last."""
    for injury in injuries:
        for table in printed_in(scene, injury.kind, injury.table)[:1]:
            for effect in scene[table].look(injury.kind).effects:
                yield Active(effect, injury.name, table.rule)


def printed_in(scene: Scene, name: str, table: str = "") -> tuple[RowsOf[InjuryRow], ...]:
    """The table that an injury is of, or those that print its name, each injury once; none for one of our own."""
    found: dict[InjuryRow, RowsOf[InjuryRow]] = {}
    for each in TABLES.values():
        if (not table or each.rule == table) and name in scene[each]:
            found.setdefault(scene[each].look(name), each)
    return tuple(found.values())


@frozen
class LimitCategory:
    """Into which category of stabilising a time limit falls, by its unit."""

    name: str
    category: str


CATEGORIES: Final = rows(LETHAL, "stabilise_category", LimitCategory)


def unit_of_limit(scene: Scene, injury: Wound) -> LimitCategory:
    """The unit in which the limit of an injury is said."""
    try:
        unit = TimeSpan.from_plain(injury.limit).unit.casefold()
    except BadInput as problem:
        raise Refused(injury.name, because=f"its limit {problem.problem}", rule=LETHAL) from None
    for name in (unit, unit.removesuffix("s")):
        if name in scene[CATEGORIES]:
            return scene[CATEGORIES][name]
    because = f"its limit is in no unit of time: {injury.limit}"
    raise Refused(injury.name, because=because, rule=LETHAL, legal=scene[CATEGORIES].names)


def check_injuries(scene: Scene, injuries: Sequence[Wound]) -> None:
    """An injury that does one thing in one table and another in others says of which it is; its limit is a time."""
    for injury in injuries:
        if injury.limit:
            unit_of_limit(scene, injury)
        found = printed_in(scene, injury.kind, injury.table)
        if len({scene[each].look(injury.kind).effects for each in found}) > 1:
            refuse_unnamed(injury.name, found)


def refuse_unnamed(injury: str, tables: Sequence[RowsOf[InjuryRow]]) -> NoReturn:
    why = "several tables have it, each its own way: it must be said of which it is"
    raise Refused(injury, because=why, rule=tables[0].rule, legal=[each.rule for each in tables])


@frozen
class TraumaRow:
    """A lasting mental trauma, and what it does to rolls."""

    name: str
    says: str
    weeks: str
    effects: tuple[Effect, ...] = ()


SICK: Final = "Sick"
DISEASE: Final = "yearzero.conditions.disease"
SICK_ATTRIBUTES: Final = figure(DISEASE, "damage/attributes", tuple[str, ...])


def sickness_effects(scene: Scene, conditions: frozenset[str]) -> Iterator[Active]:
    """Strength and Agility of the sick do not recover by themselves."""
    for attribute in scene[SICK_ATTRIBUTES] if SICK in conditions else ():
        yield Active(Effect(Forbids("recover"), frozenset((attribute,))), SICK, DISEASE)


OUTBURST: Final = "outburst"
WITHDRAWAL: Final = "withdrawal"
BROKEN_EMPATHY: Final = "yearzero.combat.broken-empathy"
OUTBURST_MODIFIER: Final = figure(BROKEN_EMPATHY, "outburst/modifier", int)


def outburst_effects(scene: Scene, conditions: frozenset[str]) -> Iterator[Active]:
    """Whoever lashes out does everything worse."""
    if OUTBURST in conditions:
        yield Active(Effect(Adds(scene[OUTBURST_MODIFIER])), OUTBURST, BROKEN_EMPATHY)


TRAUMAS: Final = rows("yearzero.trauma.table", "rows", TraumaRow, by="result")


def trauma_effects(scene: Scene, conditions: frozenset[str]) -> Iterator[Active]:
    """What Trauma Effects do as long as they last."""
    for name in sorted(conditions):
        if name in scene[TRAUMAS]:
            for effect in scene[TRAUMAS].look(name).effects:
                yield Active(effect, name, TRAUMAS.rule)
