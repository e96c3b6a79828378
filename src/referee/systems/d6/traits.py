"""Merits and flaws as a character has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar

from referee.core import Active, Audience, Effect, Scene, frozen


@frozen
class CharacterTrait:
    """A merit or a flaw that a character has: at which level, and about what. A secret one is the game master's."""

    known_by: ClassVar = ("name", "about")
    name: str
    level: int = 1
    """Which of its levels, from 1 on."""
    value: int | None = None
    """Its value in Creation Points, where the book leaves it open: a range, at least so many, a formula."""
    about: str = ""
    """What it concerns: an area, a community, a drug, a phobia's source."""
    effects: tuple[Effect, ...] = ()
    """What it does besides what the book says of it: a campaign's own."""
    audience: Audience = field(default=Audience.EVERYONE, compare=False)


def trait_effects(scene: Scene, traits: tuple[CharacterTrait, ...]) -> Iterator[Active]:
    """What merits and flaws do."""
    for trait in traits:
        for effect in trait.effects:
            yield Active(effect, trait.name, "d6.creation.merits-flaws-nature")
