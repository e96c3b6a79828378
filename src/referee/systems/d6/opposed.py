"""Opposed rolls: two who roll against each other, openly or in secret."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import DIFFICULTY, TOTAL, Bands, Mods, Pick, Scene, action, alter, applying, frozen, hand_over, rule
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.rules import Decide, Ends, kernel
from referee.kits.dice_codes import Contest, Rolled, contests
from referee.systems.d6.codes import Ability, abilities, ability_name, own_code
from referee.systems.d6.fields import lacks_field, try_without_field
from referee.systems.d6.resolution import (
    Actions,
    at_once,
    check_able,
    check_conscious,
    check_skill,
    check_skill_in,
    is_critical,
    is_fumble,
    offer_again,
)
from referee.systems.d6.rolls import (
    ACTION,
    ANY_ROLL,
    FATE_EFFECT,
    FateEffect,
    check_alive,
    is_secret_roll,
    roll_for,
    rolled_mods,
)
from referee.systems.d6.sheet import Hero, Person, others
from referee.systems.d6.situations import OtherSituation, Situation, noticed


@frozen
class OpposedResult:
    """What an opposed roll came to, for whoever acts."""

    success: bool
    margin: int
    fumble: bool = False
    critical: bool = False
    opponent_fumble: bool = False


OPPOSED: Final[Bands[OpposedResult]] = Bands(
    of=lambda result: "success" if result.success else "failure",
    keys=("success", "failure"),
    extra={"critical": lambda result: result.critical, "opponent-fumble": lambda result: result.opponent_fumble},
    bad={"fumble": lambda result: result.fumble},
)


def check_seduced(scene: Scene, who: Person, other: Person, using: str) -> None:
    """Some cannot be seduced."""
    if ability_name(scene, using).skill == "Seduction":
        applying(scene, other).check_allowed("be seduced", rule="d6.flaws.physical-e-w")


def check_other(scene: Scene, who: Person, other: Person, against: str) -> None:
    """The other rolls as well: nobody does who is out, nor with a skill while Neutralized."""
    check_alive(scene, other)
    check_conscious(scene, other)
    check_skill(scene, other, against)


def abilities_of_other(scene: Scene, who: Person, other: Person) -> tuple[str, ...]:
    return abilities(scene, other)


def check_ability_of_other(scene: Scene, who: Person, using: str, other: Person) -> None:
    own_code(scene, other, using)


Other: TypeAlias = Annotated[Person, Pick(others)]
OtherAbility: TypeAlias = Annotated[str, Pick(abilities_of_other, check_ability_of_other)]


@rule("d6.core.opposed-roll/contest", "d6.core.opposed-roll")
async def contest(
    scene: Scene,
    who: Person,
    using: str,
    other: Person,
    against: str,
    mods: Mods = (),
    other_mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    other_tags: tuple[str, ...] | None = None,
) -> Contest:
    """The other's total is the difficulty of one's own roll."""
    theirs = await roll_for(other, against, rolled_mods(other_mods), tags if other_tags is None else other_tags)
    if scene[FATE_EFFECT] is FateEffect.RE_ROLL:
        return await hand_over(contest_till_fate_fails(who, using, theirs, rolled_mods(mods), tags))
    mine = await roll_for(who, using, rolled_mods(mods), tags)
    return Contest.of(mine, theirs)


@rule("d6.setting.fate-effects/opposed", "d6.setting.fate-effects")
async def contest_till_fate_fails(
    scene: Scene, who: Person, using: str, theirs: Rolled, mods: Mods, tags: tuple[str, ...]
) -> Contest:
    """Whoever acts and does not reach the other's roll makes theirs again for a Fate Point, as often as points last."""
    found = Contest.of(await roll_for(who, using, mods, tags), theirs)
    if found.margin >= 0 or not await offer_again(scene, who, opposed_result(scene, found)):
        return found
    await alter(who, Hero.spending, 0, 1)
    return await hand_over(contest_till_fate_fails(who, using, theirs, mods, tags))


@kernel(contest)
def contested(
    scene: Scene,
    decide: Decide,
    who: Person,
    using: str,
    other: Person,
    against: str,
    mods: Mods = (),
    other_mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    other_tags: tuple[str, ...] | None = None,
) -> Ends[Contest] | None:
    """Every margin, with whatever both of them spend."""
    if scene[FATE_EFFECT] is FateEffect.RE_ROLL:
        return None
    theirs = roll_for(other, against, rolled_mods(other_mods), tags if other_tags is None else other_tags)
    mine = roll_for(who, using, rolled_mods(mods), tags)
    found, calls = WeightedEnds[Contest](), KernelCalls.of(decide)
    for changes, whole, difficulties in calls.groups(theirs, scene):
        for more, of, rolls in calls.groups(mine, after_all(scene, changes)):
            found.add_all(contests(rolls, difficulties), joined(changes, more), 1, whole * of)
    return found.ends()


def opposed_result(scene: Scene, found: Contest) -> OpposedResult:
    """On a tie, whoever acts succeeds."""
    return OpposedResult(
        found.margin >= 0,
        abs(found.margin),
        fumble=is_fumble(scene, found.mine, found.margin),
        critical=is_critical(scene, found.margin),
        opponent_fumble=is_fumble(scene, found.theirs, -found.margin),
    )


def is_secret_contest(scene: Scene, who: Person, other: Person) -> bool:
    """What two of the game master's people roll against each other is his alone."""
    return is_secret_roll(scene, who) and is_secret_roll(scene, other)


@action(
    "opposed-roll",
    "d6.core.opposed-roll",
    bands=OPPOSED,
    turn=check_able,
    check=(check_skill_in, check_seduced, check_other),
    secret=is_secret_contest,
)
async def opposed_roll(
    scene: Scene,
    who: Person,
    other: Other,
    using: Ability,
    against: OtherAbility,
    mods: Mods = (),
    other_mods: Mods = (),
    actions: Actions = 1,
    situation: Situation = (),
    other_situation: OtherSituation = (),
) -> OpposedResult:
    """Roll against somebody else's roll: the higher total wins, and on a tie whoever acts."""
    mine, theirs = ((ACTION, ANY_ROLL, *noticed(scene, who, other, each)) for each in (situation, other_situation))
    own, others = (*mods, *at_once(scene, actions), *harder_for(other_mods)), (*other_mods, *harder_for(mods))
    if lacks_field(scene, who, using):
        await try_without_field(who, using)
    return await hand_over(
        contest(who, using, other, against, own, others, mine, theirs),
        read=lambda found: opposed_result(scene, found),
    )


def harder_for(mods: Mods) -> Mods:
    """What makes an opposed roll harder: it is added to the total that is its difficulty."""
    return tuple(replace(mod, unit=TOTAL) for mod in mods if mod.unit == DIFFICULTY)
