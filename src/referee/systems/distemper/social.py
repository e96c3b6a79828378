"""First impressions, gut instincts and negotiations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from referee.core import YES_NO, Audience, Mod, Mods, Prompt, Refused, Scene, Who, choose, figure, rows, rule, rule_on
from referee.systems.distemper.checks import (
    Check,
    Members,
    check_dice_check,
    check_group,
    check_listed,
    dice_check,
    group_check,
)
from referee.systems.distemper.sheet import Ability, Character, check_alive

IMPRESSION_CHECKS: Final = figure("distemper.social.first-impressions", "checks", tuple[str, ...])
INSTINCT_CHECKS: Final = figure("distemper.social.gut-instincts", "checks", tuple[str, ...])
GAMBIT_CHECKS: Final = figure("distemper.social.negotiation-gambit", "checks", tuple[str, ...])
REBUTTAL_CHECKS: Final = figure("distemper.social.negotiation-rebuttal", "checks", tuple[str, ...])

USING: Final = Prompt("using")
AGREES: Final = Prompt("agrees")
REBUTS: Final = Prompt("rebuts")
MISLEADS: Final = Prompt("misleads")


@final
@dataclass(frozen=True, slots=True)
class GambitRow:
    """What the outcome of a gambit means for the rebuttal."""

    name: str
    rebuttal_cmod: int = 0
    falls_apart: bool = False


@final
@dataclass(frozen=True, slots=True)
class RebuttalRow:
    """Whether a deal can be reached."""

    name: str
    deal: bool


GAMBIT: Final = rows("distemper.social.negotiation-gambit", "outcomes", GambitRow)
REBUTTAL: Final = rows("distemper.social.negotiation-rebuttal", "outcomes", RebuttalRow)


@rule("distemper.social.first-impressions")
async def first_impression(scene: Scene, who: Members, using: Ability, cmods: Mods = ()) -> Check:
    """How an NPC reacts to a character on first meeting; several together make one group check."""
    check_first_impression(scene, who, using)
    match who:
        case (alone,):
            return await dice_check(alone, using, cmods)
        case _:
            return await group_check(who, using, cmods)


def check_first_impression(
    scene: Scene, who: Members | None = None, using: str | None = None, cmods: Mods = ()
) -> None:
    """One of the checks the rule names, by one character or by a group."""
    check_listed(using, scene[IMPRESSION_CHECKS], "distemper.social.first-impressions")
    match who:
        case None:
            return
        case (alone,):
            check_dice_check(scene, alone, using)
        case _:
            check_group(scene, who, using)


@final
@dataclass(frozen=True, slots=True)
class Instinct:
    """What a character reads in an NPC: the truth, nothing, or what the game master makes up after a failure."""

    check: Check
    insight: bool
    misled: bool


@rule("distemper.social.gut-instincts")
async def gut_instinct(
    scene: Scene, who: Who[Character], using: Ability, cmods: Mods = (), hidden: bool = False
) -> Instinct:
    """A success gives true insight; after a failure the game master may mislead."""
    check_gut_instinct(scene, who, using)
    check = await dice_check(who, using, cmods, hidden)
    misled = not check.success and await rule_on(MISLEADS, True, options=YES_NO, audience=Audience.MASTER)
    return Instinct(check, check.success, misled)


def check_gut_instinct(
    scene: Scene,
    who: Who[Character] | None = None,
    using: str | None = None,
    cmods: Mods = (),
    hidden: bool = False,
) -> None:
    """One of the checks the rule names, by someone alive."""
    if who is not None:
        check_alive(scene, who, "gut instinct")
    check_listed(using, scene[INSTINCT_CHECKS], "distemper.social.gut-instincts")


@final
@dataclass(frozen=True, slots=True)
class Negotiation:
    """How a negotiation ended: agreed, fallen apart, deal, no common ground, or left open."""

    end: str
    gambit: Check
    rebuttal: Check | None = None


@rule("distemper.social.negotiation-gambit")
async def negotiate(
    scene: Scene,
    who: Who[Character],
    other: Who[Character],
    using: Ability,
    cmods: Mods = (),
    other_cmods: Mods = (),
) -> Negotiation:
    """The gambit; the other side may agree, or answer with a rebuttal that the gambit has made harder or easier."""
    check_negotiate(scene, who, other, using)
    gambit = await dice_check(who, using, cmods)
    # Simply agreeing ends it, however poor the gambit was; "otherwise" the outcome says what follows.
    if await choose(other, AGREES, YES_NO):
        return Negotiation("agreed", gambit)
    row = scene[GAMBIT][gambit.outcome]
    if row.falls_apart:
        return Negotiation("fallen apart", gambit)
    if not await choose(other, REBUTS, YES_NO, default=True):
        return Negotiation("left open", gambit)
    carried = Mod(row.rebuttal_cmod, f"{gambit.outcome} of the gambit", "distemper.social.negotiation-gambit")
    answer = await rebut(other, (*other_cmods, carried))
    return Negotiation("deal" if scene[REBUTTAL][answer.outcome].deal else "no common ground", gambit, answer)


def check_negotiate(
    scene: Scene,
    who: Who[Character] | None = None,
    other: Who[Character] | None = None,
    using: str | None = None,
    cmods: Mods = (),
    other_cmods: Mods = (),
) -> None:
    """Two people who are alive, and one of the checks the rule names."""
    if who is not None and who == other:
        raise Refused("negotiate", because="it takes two", rule="distemper.social.negotiation-gambit")
    for side in (who, other):
        if side is not None:
            check_alive(scene, side, "negotiate")
    check_listed(using, scene[GAMBIT_CHECKS], "distemper.social.negotiation-gambit")


@rule("distemper.social.negotiation-rebuttal")
async def rebut(scene: Scene, who: Who[Character], cmods: Mods = ()) -> Check:
    """The other side's answer, with a check of its choice."""
    using = await choose(who, USING, scene[REBUTTAL_CHECKS])
    return await dice_check(who, using, cmods)
