"""Talents: what each does, as effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from referee.core import Active, Effect, Scene, figure, frozen, rows


@frozen
class Talent:
    """A talent and its effects; one that may be taken several times says how often."""

    name: str
    effects: tuple[Effect, ...] = ()
    at_most: int = 1
    says: str = ""


TALENTS: Final = rows("yearzero.talents.extra-pushes", "talents", Talent)
EXTRA_PUSH_STRESS: Final = figure("yearzero.talents.extra-pushes", "extra_push_stress", int)


def talent_effects(scene: Scene, talents: Mapping[str, int]) -> Iterator[Active]:
    """The effects of someone's talents, each as often as the talent was taken."""
    for name, times in talents.items():
        if (base := name.partition(":")[0]) in scene[TALENTS]:
            row = scene[TALENTS].look(base)
            for effect in row.effects * times:
                yield Active(effect, name, scene[TALENTS].rule_of(base))
