"""Social challenges: one flip, read on a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import Bands, Mods, Scene, action, figure, formula, frozen, hand_over, rows, rule
from referee.core.rules import Decide, Ends, outline
from referee.systems.dime.flip import Counted, Flip, Skill, check_can_act, flip
from referee.systems.dime.flip_odds import outlined_totals
from referee.systems.dime.sheet import Person, check_stat, stat_named

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


def check_other_stat(scene: Scene, who: Person, stat: str) -> None:
    """A stat, or none: then it is the usual one."""
    if stat:
        check_stat(scene, who, stat)


@action("social-challenge", "dime.social.challenge", bands=CHALLENGED, turn=check_can_act, check=check_other_stat)
async def social_challenge(
    scene: Scene, who: Person, skill: Skill, stat: str = "", mods: Mods = (), just: bool = False
) -> Challenge:
    """A flip with a fitting skill, usually with Charisma; the total says how well it goes."""
    return await hand_over(challenge(who, stat_named(scene, stat) or scene[USUAL_STAT], skill, mods, not just))


@rule("dime.social.challenge/flip", "dime.social.challenge")
async def challenge(scene: Scene, who: Person, stat: str, skill: str, mods: Mods, ask: bool) -> Challenge:
    """The flip, read on the table."""
    flipped: Flip = await flip(who, stat, skill, 0, mods, ask=ask)
    return read_table(scene, Counted(flipped.total, joker=flipped.joker))


@formula("dime.social.challenge/table")
def read_table(scene: Scene, reached: Counted) -> Challenge:
    """What a total comes to; a Joker has a row of its own."""
    spoilt = next(row for row in scene[SOCIAL] if row.joker)
    row = scene[SOCIAL][spoilt.name] if reached.joker else scene[SOCIAL].at(reached.value)
    return Challenge(reached.value, row.name, row.succeeds, reached.joker)


@outline(challenge, keeps={Challenge: ("outcome", "success", "joker")})
def challenge_outline(
    scene: Scene, decide: Decide, who: Person, stat: str, skill: str, mods: Mods, ask: bool
) -> Ends[Challenge] | None:
    """One total for each row of the table."""
    without_total = lambda reached: replace(read_table(scene, reached), total=0)  # noqa: E731
    return outlined_totals(scene, decide, who, stat, skill, mods, None, ask, without_total)
