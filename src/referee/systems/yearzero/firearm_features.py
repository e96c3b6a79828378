"""What some firearms are besides: scary, good for one shot, fired from a stand only, guided to their target."""

from __future__ import annotations

from typing import Final

from referee.core import Scene, alter, applying, formula, refuse, rule, tell
from referee.core.effects import Effect, lay, remove_effects
from referee.core.rules import rule_named
from referee.systems.yearzero.action_types import OTHER_ACTION, has_laid
from referee.systems.yearzero.battle import BATTLE, Battle, GuidedShot
from referee.systems.yearzero.ground import has_map, where
from referee.systems.yearzero.harm import can_act, is_awake
from referee.systems.yearzero.items import FIREARM_FEATURES
from referee.systems.yearzero.panic import check_panic
from referee.systems.yearzero.sheet import Item, Person, people
from referee.systems.yearzero.shooting import RANGES, STANDS, has_stand, printed_features

FEATURES: Final = FIREARM_FEATURES.rule
IN_FLIGHT: Final = "a missile in flight"
"""Where what keeps a missile on its way comes from: the aim of whoever has fired it."""


# --- from a stand, and once only --------------------------------------------------------------------------------------


@formula(f"{FEATURES}/check-stand")
def check_stand(scene: Scene, who: Person, item: Item) -> None:
    """Some weapons are fired from a stand only, and none while its missile is on its way."""
    if BATTLE in scene and any((each.by, each.weapon) == (who.name, item.name) for each in scene[BATTLE].guided):
        refuse("its missile is on its way", what=item.name, rule=FEATURES)
    if any(row.platform for row in printed_features(scene, item)) and not item.mount and not has_stand(scene, who):
        refuse(f"it is fired only from a {' or a '.join(scene[STANDS])}", what=item.name, rule=FEATURES)


@formula(f"{FEATURES}/disposable")
def check_loads_again(scene: Scene, item: Item) -> None:
    """Some weapons are good for one shot, and then useless."""
    if any(row.shots for row in printed_features(scene, item)):
        refuse("it was good for one shot", what=item.name, rule=FEATURES)


# --- scary ------------------------------------------------------------------------------------------------------------


@rule(f"{FEATURES}/scares")
async def scare(scene: Scene, who: Person, item: Item, target: Person) -> None:
    """When a scary weapon is first fired into a zone in a fight, everybody there must keep calm at once."""
    if not any(row.scares for row in printed_features(scene, item)):
        return
    heard = scene[BATTLE].scared if BATTLE in scene else frozenset()
    there = tuple(each for each in people(scene) if has_map(scene) and where(scene, each) == where(scene, target))
    fresh = tuple(each for each in there or (target,) if each != who and each.name not in heard)
    fresh = tuple(each for each in fresh if is_awake(scene[each]))
    await alter(BATTLE, Battle.scaring, tuple(each.name for each in fresh), if_present=True)
    for each in fresh:
        await check_panic(each, met=fresh)


# --- guided -----------------------------------------------------------------------------------------------------------


@formula(f"{FEATURES}/guided")
def is_guided(scene: Scene, item: Item, distance: str) -> bool:
    """Whether a missile is on its way until the next go of whoever fires it: from so far on, in a fight."""
    table = scene[RANGES]
    starts = (table.look(row.guided_from).max_m for row in printed_features(scene, item) if row.guided_from)
    return BATTLE in scene and any(table.look(distance).max_m >= least for least in starts)


@rule(f"{FEATURES}/launch")
async def launch(scene: Scene, shot: GuidedShot, who: Person) -> None:
    """A missile is on its way; whatever else its gunner does but shoot spoils the aim."""
    await alter(BATTLE, Battle.launching, shot)
    kept = Effect.from_plain({"grants": IN_FLIGHT, "until": OTHER_ACTION})
    await lay(who, kept, source=IN_FLIGHT)
    await tell("missile-flies", who=who, target=scene.who(shot.target), rule=FEATURES)


@rule(f"{FEATURES}/arrive")
async def arrives(scene: Scene, who: Person) -> None:
    """When the next go of its gunner begins a missile strikes, or misses if the aim was spoiled."""
    shots = tuple(each for each in scene[BATTLE].guided if each.by == who.name) if BATTLE in scene else ()
    if not shots:
        return
    await alter(BATTLE, Battle.landing, who.name)
    kept = applying(scene, who).granted(IN_FLIGHT) and can_act(scene[who])
    if has_laid(scene, who, IN_FLIGHT):
        await remove_effects(who, IN_FLIGHT)
    for shot in shots:
        await rule_named(shot.rule)(who, scene.who(shot.target), shot.weapon, shot.distance, kept)
