"""A scene in a terminal: what someone may do, and how they are."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from referee.core.actions import ActionChoice
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import Vital, look_in
from referee.core.options import present_fields
from referee.core.plain import write
from referee.core.questions import key_of
from referee.core.rulebook import BOOK
from referee.core.rules import FORMULAS
from referee.core.scene import Scene, Who
from referee.core.system import System
from referee.core.wording import heading, phrase

BRIEF: Final = 30
"""How many characters a word about somebody may have: descriptions are left to the sheet."""


def choice_words(system: System, option: ActionChoice) -> str:
    """An action and how it is taken: Attack (lookout, rifle)."""
    title, way = system.action_words(option.part), way_words(system, option)
    return f"{title} ({way})" if way else title


def way_words(system: System, option: ActionChoice) -> str:
    """How an action is taken: its arguments, but for the option of a family; numbers, and yes and no, say of what."""
    family = option.action.family
    said = (name for name in option.arguments if family is None or name != family.name)
    return ", ".join(_value(system, name, option.arguments[name]) for name in said)


def _value(system: System, name: str, value: Any) -> str:
    if (key := f"values.{name}.{key_of(value)}") in system.words:
        return system.words.say(key)
    said = phrase(write(value)) if isinstance(value, tuple) else system.in_words(key_of(value))
    return f"{argument_words(system, name)}: {said}" if isinstance(value, int) else said


def argument_words(system: System, name: str) -> str:
    """What an argument is called."""
    return system.words.say_or(f"arguments.{name}", heading(name))


def state_words(system: System, scene: Scene, who: Who[Any]) -> str:
    """How somebody is, by the vital signs that the system draws; without any, all fields of the sheet."""
    vitals = look_in(system.look, scene[BOOK]).vitals
    told = [f"{vital.words} {value}" for vital in vitals if (value := _sign(scene, who, vital))]
    return ", ".join(told) if vitals else phrase(present_fields(scene[who], scene[BOOK]))


def _sign(scene: Scene, who: Who[Any], vital: Vital) -> str:
    """A vital sign, with the most it can be; nothing if it is not known, or too long to be told here."""
    values = present_fields(scene[who], scene[BOOK])
    value, most = (_formula(scene, who, vital.formula), None) if vital.formula else _fields(values, vital)
    if isinstance(value, bool) or not isinstance(value, (int, str, Fraction)) or len(str(value)) > BRIEF:
        return ""
    most = _formula(scene, who, vital.full) if vital.full and not vital.of else most
    return f"{value} of {most}" if isinstance(most, int) and isinstance(value, int) else str(value)


def _fields(values: Any, vital: Vital) -> Iterator[Any]:
    for path in (vital.field, vital.of):
        first, _, level = path.partition(".")
        value = values.get(first)
        yield (value.get(level) if isinstance(value, dict) else None) if level else value


def _formula(scene: Scene, who: Who[Any], formula: str) -> Any:
    try:
        return write(FORMULAS[formula](scene, who))
    except (NotKnown, RefereeError):
        return None
