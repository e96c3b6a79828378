"""The tables of what wears people down: hunger, thirst, cold, water, poison; what each does while it is felt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from referee.core import Active, Effect, Scene, figure, rows
from referee.core.effects import Adds, Extra, Grants
from referee.kits.hazards import HazardExposure, HazardRow, effects_of

POISONS: Final = rows("yearzero.poison.kinds", "kinds", HazardRow)
HAZARDS: Final = rows(
    "yearzero.conditions.hungry",
    "rows",
    HazardRow,
    also=(
        "yearzero.conditions.thirsty/rows",
        "yearzero.conditions.sleepy/rows",
        "yearzero.conditions.cold/rows",
        "yearzero.conditions.addicted/rows",
        "yearzero.combat.drowning/rows",
    ),
)


def hazard_row(scene: Scene, name: str) -> tuple[HazardRow, str]:
    """The row of a hazard or a poison, and the rule that prints it."""
    listed = scene[POISONS] if name in scene[POISONS] else scene[HAZARDS]
    return listed[name], listed.rule_of(name)


DRUNK: Final = "intoxicated"
INTOXICATED: Final = "yearzero.conditions.intoxicated"
DRUNK_MOD: Final = figure(INTOXICATED, "modifier", int)
FULL_DICE: Final = figure(INTOXICATED, "full_dice", tuple[str, ...])
NUMBED: Final = figure(INTOXICATED, "pain_ignored", int)
FILTHY: Final = "filthy"
FILTH: Final = "yearzero.conditions.filthy"
FILTHY_MOD: Final = figure(FILTH, "manipulation", int)


def drunk_effects(scene: Scene, conditions: frozenset[str]) -> Iterator[Active]:
    """Who has drunk too much does everything worse, and feels less of what was lost; nobody likes the filthy."""
    if DRUNK in conditions:
        yield Active(Effect(Adds(scene[DRUNK_MOD])), DRUNK, INTOXICATED)
        yield Active(Effect(Extra("pain ignored", scene[NUMBED])), DRUNK, INTOXICATED)
        for attribute in scene[FULL_DICE]:
            yield Active(Effect(Grants("full dice"), frozenset((attribute,))), DRUNK, INTOXICATED)
    if FILTHY in conditions:
        yield Active(Effect(Adds(scene[FILTHY_MOD]), frozenset(("manipulation",))), FILTHY, FILTH)


def exposure_effects(scene: Scene, exposures: Iterable[HazardExposure]) -> Iterator[Active]:
    """What everything that somebody feels of hunger, cold and the like does to them."""
    return effects_of(exposures, lambda name: hazard_row(scene, name))
