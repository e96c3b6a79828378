"""Social challenges: one flip, read on a table."""

from __future__ import annotations

from typing import Final

from referee.core import Bands, Mods, Scene, action, figure, frozen, refuse, rows
from referee.systems.dime.flip import Flip, Skill, check_can_act, flip
from referee.systems.dime.sheet import STATS, Person

USUAL_STAT: Final = figure("dime.social.challenge", "default_stat", str)


@frozen
class SocialRow:
    """A band of totals; one of them is also what a Joker brings."""

    name: str
    succeeds: bool
    joker: bool = False


SOCIAL: Final = rows("dime.social.challenge", "table", SocialRow, by=("from", "to"))


@frozen
class Challenge:
    """How a social challenge went."""

    total: int
    outcome: str
    success: bool
    joker: bool = False


CHALLENGED: Final = Bands[Challenge](
    of=lambda result: result.outcome.casefold().replace(" ", "-"),
    keys=(
        "overwhelming-success",
        "success",
        "partial-success",
        "partial-failure",
        "failure",
        "utter-failure",
    ),
    good=("overwhelming-success", "success", "partial-success"),
    bad={"joker": lambda result: result.joker},
)


def check_stat(scene: Scene, who: Person, stat: str) -> None:
    if stat and stat not in scene[STATS]:
        refuse("there is no such stat", what=stat, rule=STATS.rule, legal=scene[STATS])


@action("social-challenge", "dime.social.challenge", bands=CHALLENGED, turn=check_can_act, check=check_stat)
async def social_challenge(
    scene: Scene, who: Person, skill: Skill, stat: str = "", mods: Mods = (), just: bool = False
) -> Challenge:
    """A flip with a fitting skill, usually with Charisma; the total says how well it goes."""
    flipped: Flip = await flip(who, stat or scene[USUAL_STAT], skill, 0, mods, ask=not just)
    spoilt = next(row for row in scene[SOCIAL] if row.joker)
    row = scene[SOCIAL][spoilt.name] if flipped.joker else scene[SOCIAL].at(flipped.total)
    return Challenge(flipped.total, row.name, row.succeeds, flipped.joker)
