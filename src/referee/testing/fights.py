"""A fight as people write it in a scenario: its sides and whose turn it is, `ana and cy against bo, bo's turn`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from referee.core.plain import Plain, hints, unknown
from referee.core.scene import Scene, State
from referee.core.system import HOUSE_NAMES, System
from referee.testing.expectations import Form, Misplaced, Where

AGAINST: Final = re.compile(r"\s+(?:against|versus|vs\.?)\s+", re.IGNORECASE)
AND: Final = re.compile(r"\s*(?:,|&|\band\b)\s*", re.IGNORECASE)
TURN: Final = re.compile(r"(.*?)[\s,;]+([^,;]+?)['’]s?\s+(?:turn|go)\s*", re.IGNORECASE)
FIGHT: Final[Form] = ("sides, as in 'ana against bo'", (str, list, Mapping))
FORM: Final = "must be such as 'ana and cy against bo, bo's turn' or {sides: [[ana, cy], [bo]], turn: bo}"


def is_short(plain: Plain) -> bool:
    """Whether something in a scene is a fight that says its sides, and leaves its kind to the system."""
    return isinstance(plain, Mapping) and "sides" in plain and "kind" not in plain


def place_of_fight(system: System) -> str:
    """The name under which the rules of a system look for its fight."""
    kind = hints(system.fight).get("return") if system.fight else None
    return system.place_of(getattr(kind, "__name__", ""), "fight")


def fight_of(system: System, state: State, plain: Plain, where: Where) -> tuple[str, dict[str, Plain]]:
    """A fight with its kind and all its fields, and the name under which the rules look for it."""
    if system.fight is None:
        raise Misplaced(where, f"{system.title} has no fights")
    fields = _fields(plain, where)
    scene = Scene(state)
    sides = tuple(_sides(fields.pop("sides", None), tuple(each for each in state if each not in HOUSE_NAMES), where))
    turn = str(fields.pop("turn", None) or "")
    here = [name for side in sides for name in side]
    if turn and turn not in here:
        raise Misplaced((*where, "turn"), unknown(turn, tuple(here)))
    fight: dict[str, Plain] = system.plain_value(system.fight(scene, sides, turn))
    for name in fields:
        if name not in fight:
            raise Misplaced((*where, str(name)), unknown(str(name), ("sides", "turn", *fight)))
    both = {name: {**fight[name], **each} for name, each in fields.items() if _are_names(each, fight[name])}
    return place_of_fight(system), {**fight, **fields, **both}


def _are_names(*values: Plain) -> bool:
    return all(isinstance(each, Mapping) for each in values)


def _fields(plain: Plain, where: Where) -> dict[str, Plain]:
    if isinstance(plain, list):
        return {"sides": plain}
    if isinstance(plain, str):
        found = TURN.fullmatch(plain)
        sides, turn = (found[1], found[2]) if found else (plain, "")
        return {"sides": [AND.split(side.strip()) for side in AGAINST.split(sides)], "turn": turn.strip()}
    if not isinstance(plain, Mapping):
        raise Misplaced(where, FORM)
    return dict(plain)


def _sides(plain: Plain, known: tuple[str, ...], where: Where) -> Iterator[tuple[str, ...]]:
    """The sides of a fight; a side of one may be a name."""
    listed = [each if isinstance(each, list) else [each] for each in plain] if isinstance(plain, list) else []
    if len(listed) < 2:
        raise Misplaced(where, FORM)
    met = set[str]()
    for side in listed:
        for name in map(str, side):
            if name not in known:
                raise Misplaced(where, unknown(name, known))
            if name in met:
                raise Misplaced(where, f"{name} is on two sides")
            met.add(name)
        yield tuple(map(str, side))
