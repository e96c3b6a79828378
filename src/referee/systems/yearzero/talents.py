"""Talents: what each does, as effects. A talent about something is written with it: `Signature Ride: Old Betsy`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from referee.core import Active, Effect, Refused, Scene, figure, formula, frozen, rows
from referee.core.effects import Adds

ABOUT: Final = "what it is about"
"""In an effect, the tag that stands for what a talent is about: this vehicle, that language."""
LANGUAGE: Final = "Language"


@frozen
class Talent:
    """A talent and its effects, and how often it may be taken."""

    name: str
    effects: tuple[Effect, ...] = ()
    at_most: int | None = 1
    about: str = ""
    """What must be named with it: a vehicle, a language, an activity."""
    says: str = ""


@frozen
class FluencyRow:
    """How well a language is spoken at a rank, and what that costs where it matters."""

    rank: int
    fluency: str
    social_dm: int
    basic_topics_dm: int = 0
    basic_topics_roll: bool = True
    complex_topics_dm: int = 0
    complex_topics_roll: bool = True


TALENTS: Final = rows(
    "yearzero.talents.combat",
    "talents",
    Talent,
    also=tuple(
        f"yearzero.talents.{each}/talents"
        for each in ("attribute-swaps", "extra-pushes", "stress-healing", "other", "language", "sacred-vow")
    ),
)
FLUENCY: Final = rows("yearzero.talents.language", "ranks", FluencyRow, by="rank")
EXTRA_PUSH_STRESS: Final = figure("yearzero.talents.extra-pushes", "extra_push_stress", int)
MOST_ANCHORS: Final = figure("yearzero.stress.anchor", "max_anchors", int)
ANCHORS: Final = "anchors"
SOCIAL: Final = ("Influence", "Insight")


def parts(name: str) -> tuple[str, str]:
    """A talent's own name, and what it is about."""
    base, _, about = name.partition(": ")
    return base, about


def talent_effects(scene: Scene, talents: Mapping[str, int]) -> Iterator[Active]:
    """The effects of someone's talents, each as often as the talent was taken."""
    for name, times in talents.items():
        base, about = parts(name)
        if base == LANGUAGE:
            yield from speaking(scene, name, about, times)
        elif base in scene[TALENTS]:
            yield from having(scene, name, times)


def having(scene: Scene, name: str, times: int = 1) -> Iterator[Active]:
    """The effects of a talent: limited ones can be used more often, the others count more than once."""
    base, about = parts(name)
    row = scene[TALENTS][base] if about else scene[TALENTS].look(base)
    for effect in row.effects:
        when = frozenset(about if tag == ABOUT else tag for tag in effect.when)
        active = Active(replace(effect, when=when), name, scene[TALENTS].rule_of(base))
        if effect.uses is not None:
            yield replace(active, effect=replace(active.effect, uses=effect.uses * times))
        else:
            yield from (active,) * times


@formula("yearzero.talents.language")
def speaking(scene: Scene, name: str, language: str, rank: int) -> Iterator[Active]:
    """What a rank of fluency takes from social rolls in a language."""
    penalty = scene[FLUENCY].at(rank).social_dm
    for skill in SOCIAL if penalty else ():
        effect = Effect(Adds(penalty), frozenset((skill, language)))
        yield Active(effect, name, scene[TALENTS].rule_of(scene[TALENTS][LANGUAGE].name))


@formula("yearzero.stress.anchor/limit", "yearzero.creation.anchors")
def anchor_limit(scene: Scene, talents: Mapping[str, int]) -> int:
    """How many Anchors somebody with these talents may have."""
    more = [name for name in talents if any(ANCHORS in each.effect.when for each in having(scene, name))]
    rows_ = {name: scene[TALENTS][parts(name)[0]] for name in more}
    does = [(each.does, talents[name]) for name, row in rows_.items() for each in row.effects]
    return scene[MOST_ANCHORS] + sum(one.amount * times for one, times in does if isinstance(one, Adds))


def check_talents(scene: Scene, talents: Mapping[str, int]) -> None:
    """Talents of the book, about something where they must be, and no oftener than they may be taken."""
    for name, times in talents.items():
        base, about = parts(name)
        row = scene[TALENTS].look(base)
        by = scene[TALENTS].rule_of(base)
        if bool(about) is not bool(row.about):
            because = f"it is written with its {row.about}, as {base}: …" if row.about else f"it is just {base}"
            raise Refused(name, because=because, rule=by)
        if times < 1 or (row.at_most is not None and times > row.at_most):
            raise Refused(name, because=f"it is taken {row.at_most} times at most", rule=by)
