"""A chase in a game that has no rules for chases: nothing is rolled, and the game master moves everybody by hand.

A game takes it with a line: `kinds=(…, ChaseTracker)`, `actions=(…, *actions_of(chase_tracker))`, and its look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final

from referee.core import Call, Pick, Scene, Who, action, alter, frozen, refuse, rule
from referee.kits.chases import CAUGHT, ESCAPED, PURSUER, QUARRY, ChaseBand, Declaring, Mover, Pursuit, band_at

BY_HAND: Final = "referee.chase.by-hand"
OUT_OF_SIGHT: Final = "out of sight"
BANDS: Final = (
    ChaseBand("right behind", 0),
    ChaseBand("close", 1),
    ChaseBand("in sight", 2),
    ChaseBand("far behind", 3),
)
HEAD_START: Final = 2


@frozen
class ChaseTracker(Pursuit):
    """Who flees, who follows, and how far behind: as the game master says."""

    declares: ClassVar = Declaring.AT_ONCE
    by_hand: ClassVar = True

    def bands(self, scene: Scene) -> Sequence[ChaseBand]:
        return BANDS

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return wait_for_master()

    @property
    def all_movers(self) -> tuple[Mover, ...]:
        """Whoever flees has a head start, until somebody is moved."""
        moved = {mover.name for mover in self.movers}
        found = Pursuit.all_movers.fget(self)  # type: ignore[attr-defined]  # a property of the class it derives from
        return tuple(
            mover if mover.name in moved or mover.name not in self.sides[0] else replace(mover, at=HEAD_START)
            for mover in found
        )


CHASE: Final = Who("chase", ChaseTracker)


@rule(BY_HAND)
async def wait_for_master(scene: Scene) -> None:
    """Nothing comes next by itself: the game master moves everybody."""
    refuse("a chase without rules has no steps of its own", legal=("move somebody",))


def check_goes_on(scene: Scene, _: None) -> None:
    if CHASE not in scene:
        refuse("nobody is being chased", legal=("start a chase",))


def followers(scene: Scene, _: None) -> tuple[str, ...]:
    """Those who follow, by the names of what moves."""
    return tuple(mover.name for mover in scene[CHASE].running(scene, PURSUER))


def places(scene: Scene, _: None) -> tuple[str, ...]:
    return (*(band.name for band in BANDS), OUT_OF_SIGHT)


@action("chase-move", f"{BY_HAND}/move", master=True, check=check_goes_on)
async def move_in_chase(
    scene: Scene, mover: Annotated[str, Pick(followers)], band: Annotated[str, Pick(places)]
) -> None:
    """Somebody who follows closes in, or falls back; whoever is out of sight is out of the chase."""
    if band == OUT_OF_SIGHT:
        await alter(CHASE, ChaseTracker.losing, mover)
        return
    now = scene[CHASE]
    gap = next(each.up_to or 0 for each in BANDS if each.name == band)
    nearest = min(now.running(scene, QUARRY), key=lambda each: abs(now.gap(mover, each.name)))
    await alter(CHASE, ChaseTracker.set_apart, mover, nearest.name, gap)


@action("chase-end", f"{BY_HAND}/end", master=True, check=check_goes_on)
async def end_chase(scene: Scene, how: Annotated[str, Pick(lambda scene, _: (ESCAPED, CAUGHT))]) -> None:
    """The chase is over: whoever fled gets away, or is caught."""
    await alter(CHASE, ChaseTracker.ending, how)


def band_of(scene: Scene, name: str) -> str:
    """The band somebody is in."""
    found = band_at(BANDS, scene[CHASE].gap_to_quarry(scene, name))
    return found.name if found else OUT_OF_SIGHT
