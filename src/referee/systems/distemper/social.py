"""First impressions, gut instincts and negotiations."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES_NO,
    Audience,
    Bands,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    choose,
    figure,
    frozen,
    rows,
    rule,
    rule_on,
)
from referee.systems.distemper.checks import CHECKED, Check, Members, check_group, dice_check, group_check
from referee.systems.distemper.opposed import Opponent
from referee.systems.distemper.sheet import Ability, Person, check_alive

IMPRESSION_CHECKS: Final = figure("distemper.social.first-impressions", "checks", tuple[str, ...])
INSTINCT_CHECKS: Final = figure("distemper.social.gut-instincts", "checks", tuple[str, ...])
GAMBIT_CHECKS: Final = figure("distemper.social.negotiation-gambit", "checks", tuple[str, ...])
REBUTTAL_CHECKS: Final = figure("distemper.social.negotiation-rebuttal", "checks", tuple[str, ...])

USING: Final = Prompt("using")
AGREES: Final = Prompt("agrees")
REBUTS: Final = Prompt("rebuts")
MISLEADS: Final = Prompt("misleads")


@frozen
class GambitRow:
    """What the outcome of a gambit means for the rebuttal."""

    name: str
    rebuttal_cmod: int = 0
    falls_apart: bool = False


@frozen
class RebuttalRow:
    """Whether a deal can be reached."""

    name: str
    deal: bool


GAMBIT: Final = rows("distemper.social.negotiation-gambit", "outcomes", GambitRow)
REBUTTAL: Final = rows("distemper.social.negotiation-rebuttal", "outcomes", RebuttalRow)


def check_newcomers(scene: Scene, _: None, who: Members) -> None:
    """One, or a group."""
    if len(who) != 1:
        check_group(scene, None, who)


@action("first-impression", IMPRESSION_CHECKS.rule, bands=CHECKED, check=check_newcomers, master=True)
async def first_impression(
    scene: Scene, who: Members, using: Annotated[Ability, Pick(IMPRESSION_CHECKS)], cmods: Mods = ()
) -> Check:
    """How an NPC reacts to a character on first meeting; several together make one group check."""
    match who:
        case (alone,):
            return await dice_check(alone, using, cmods)
        case _:
            return await group_check(who, using, cmods)


@frozen
class Instinct:
    """What a character reads in an NPC: the truth, nothing, or what the game master makes up after a failure."""

    check: Check
    insight: bool
    misled: bool


READ: Final[Bands[Instinct]] = Bands(
    of=lambda result: "insight" if result.insight else "misled" if result.misled else "nothing",
    keys=("insight", "nothing", "misled"),
)
Either: TypeAlias = Annotated[bool, Pick(lambda scene, who: (False, True))]


@action("gut-instinct", INSTINCT_CHECKS.rule, bands=READ, turn=check_alive)
async def gut_instinct(
    scene: Scene,
    who: Person,
    using: Annotated[Ability, Pick(INSTINCT_CHECKS)],
    cmods: Mods = (),
    hidden: Either = False,
) -> Instinct:
    """A success gives true insight; after a failure the game master may mislead."""
    check = await dice_check(who, using, cmods, hidden)
    misled = not check.success and await rule_on(MISLEADS, True, options=YES_NO, audience=Audience.MASTER)
    return Instinct(check, check.success, misled)


@frozen
class Negotiation:
    """How a negotiation ended: agreed, fallen apart, deal, no common ground, or left open."""

    end: str
    gambit: Check
    rebuttal: Check | None = None


NEGOTIATED: Final[Bands[Negotiation]] = Bands(
    of=lambda result: result.end.replace(" ", "-"),
    keys=("agreed", "deal", "left-open", "no-common-ground", "fallen-apart"),
    good=("agreed", "deal"),
)


@action("negotiate", GAMBIT_CHECKS.rule, bands=NEGOTIATED, turn=check_alive)
async def negotiate(
    scene: Scene,
    who: Person,
    other: Opponent,
    using: Annotated[Ability, Pick(GAMBIT_CHECKS)],
    cmods: Mods = (),
    other_cmods: Mods = (),
) -> Negotiation:
    """The gambit; the other side may agree, or answer with a rebuttal that the gambit has made harder or easier."""
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


@rule("distemper.social.negotiation-rebuttal", bands=CHECKED)
async def rebut(scene: Scene, who: Person, cmods: Mods = ()) -> Check:
    """The other side's answer, with a check of its choice."""
    using = await choose(who, USING, scene[REBUTTAL_CHECKS])
    return await dice_check(who, using, cmods)
