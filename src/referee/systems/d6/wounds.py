"""The ladder of wounds, stuns and fatigue as data, and what they do to rolls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from referee.core import Active, Effect, Levels, Scene, figure, frozen, rows
from referee.core.effects import Adds, Extra, Forbids

HEALTHY: Final = "Healthy"
WOUNDED: Final = "Wounded"
TWICE: Final = "Wounded twice"
NEUTRALIZED: Final = "Neutralized"
MORTAL: Final = "Mortally wounded"
DEAD: Final = "Dead"
PUNCTURED: Final = "Punctured lungs"
TORSO: Final = "Torso"

WOUND_PENALTY: Final = "wound penalty"
"""The tag of what lessens or worsens the penalties of wounds and stuns."""
EXERTION: Final = "exertion"
PASSED: Final = "passed"
FAILED: Final = "failed"
WOUND_LEVEL: Final = "wound level"
"""What merits, flaws and bulk give: further levels of the ladder, or fewer."""
EARLY_WOUND_LEVEL: Final = "wound level before Wounded twice"


@frozen
class WoundLevel:
    """A level of the ladder. One that is `extra` is only for those who can take more than others.

    One that is `early` comes before Wounded twice, and is for huge creatures.
    """

    name: str
    extra: bool = False
    early: bool = False
    effects: tuple[Effect, ...] = ()


WOUND_LEVELS: Final = rows("d6.health.wound-levels", "levels", WoundLevel)
STUN_DICE: Final = figure("d6.health.wound-levels", "stun_dice", int)
FATIGUE_DICE: Final = figure("d6.health.fatigue", "dice_each", int)


@frozen
class ZoneState:
    """With localized wounds: what a wound did to a zone of the body."""

    known_by: ClassVar = ("zone", "state")
    zone: str
    state: str
    fixed: bool = False
    """Whether somebody has fixed it, so that the limb can be used again, if badly."""
    tries: int = 0
    """How often it was tried to end it."""
    exertion: str = ""
    """With broken ribs: whether somebody has `passed` or `failed` the roll to exert themselves in this round."""
    since: int = 0
    until: int | None = None
    """When it is over by itself, if that was rolled."""


@frozen
class ZoneStateRow:
    """A state that a localized wound leaves: what it does, how long, what resists it and what mends it."""

    name: str
    effects: tuple[Effect, ...] = ()
    until: str = ""
    times_until: int = 1
    costs_action: bool = False
    """Whether it is over as soon as an action has been lost to it."""
    unconscious: str = ""
    flaw: str = ""
    level: int = 1
    permanent: bool = False
    lasts: str = ""
    period: str = ""
    ends_with: str = ""
    difficulty: int = 0
    bonus_each: int = 0
    limb: bool = False
    drops: bool = False
    """Whether what the hand of the struck arm holds is dropped."""
    falls: bool = False
    """Whether somebody lies on the ground after it."""
    standing_dice: int = 0
    """What standing on such a leg costs, until somebody has fixed it."""
    resisted_with: str = ""
    fixed_effects: tuple[Effect, ...] = ()
    fixed_with: str = ""
    fix_difficulty: int = 0
    acts_with: str = ""
    act_difficulty: int = 0
    says: str = ""


ZONE_STATES: Final = rows("d6.health.localized-effects", "states", ZoneStateRow)


def health_effects(
    scene: Scene, wound: str, stuns: int, fatigue: Levels, states: Iterable[ZoneState], traits: Iterable[Active]
) -> Iterator[Active]:
    """What wounds, stuns, fatigue and localized states do; merits and flaws may lessen or worsen the penalties."""
    own = tuple(each for each in wound_effects(scene, wound, stuns))
    yield from own
    penalty = -sum(each.effect.does.amount for each in own if isinstance(each.effect.does, Adds))
    for trait in traits:
        if penalty and isinstance(trait.effect.does, Adds) and WOUND_PENALTY in trait.effect.when:
            amount = min(penalty, trait.effect.does.amount)
            penalty -= amount
            yield Active(Effect(Adds(amount), frozenset({"any roll"})), trait.source, trait.rule)
    if tired := sum(fatigue.values()):
        yield Active(Effect(Adds(tired * scene[FATIGUE_DICE]), frozenset({"any roll"})), "fatigue", FATIGUE_DICE.rule)
    for state in states:
        row = scene[ZONE_STATES].look(state.state)
        for effect in row.fixed_effects if state.fixed else row.effects:
            if state.exertion == PASSED and effect.does == Forbids(EXERTION):
                continue
            yield Active(effect, f"{state.zone}: {row.name}", ZONE_STATES.rule)


def wound_effects(scene: Scene, wound: str, stuns: int) -> Iterator[Active]:
    """What the level of a wound does, and each stun."""
    for effect in scene[WOUND_LEVELS].look(wound).effects:
        yield Active(effect, wound, WOUND_LEVELS.rule)
    if stuns:
        yield Active(Effect(Adds(stuns * scene[STUN_DICE]), frozenset({"any roll"})), "stunned", STUN_DICE.rule)


def ladder_levels(scene: Scene, traits: Iterable[Active]) -> tuple[str, ...]:
    """The levels of somebody's ladder: merits, flaws and bulk add some after Wounded twice, or take some away."""
    further = [each.effect.does for each in traits if isinstance(each.effect.does, Extra)]
    more, soon = (sum(each.times for each in further if each.of == of) for of in (WOUND_LEVEL, EARLY_WOUND_LEVEL))
    extra = [row.name for row in scene[WOUND_LEVELS] if row.extra and not row.early][: max(0, more)]
    extra += [row.name for row in scene[WOUND_LEVELS] if row.early][:soon]
    fewer = {TWICE, WOUNDED} if more < -1 else {TWICE} if more < 0 else set[str]()
    return tuple(row.name for row in scene[WOUND_LEVELS] if (row.name in extra if row.extra else row.name not in fewer))
