"""Dice checks: 2d6 and modifiers against the table of outcomes; group checks and initiative checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from referee.core import (
    Hidden,
    Mod,
    Mods,
    Prompt,
    Refused,
    Scene,
    Who,
    applying,
    choose,
    figure,
    formula,
    rows,
    rule,
    total,
)
from referee.core.effects import use
from referee.systems.distemper.insight import Dice, gain_insight, moment_of, throw_dice
from referee.systems.distemper.sheet import (
    Ability,
    Character,
    SkillRow,
    amod,
    attribute_of,
    check_alive,
    init_mod,
    skill_row,
    smod,
)

CHECK_DICE: Final = figure("distemper.checks.dice-check", "dice", int)
INITIATIVE_DICE: Final = figure("distemper.combat.initiative-check", "dice", int)
LEAST_CMOD: Final = figure("distemper.checks.cmod", "min", int)
MOST_CMOD: Final = figure("distemper.checks.cmod", "max", int)
PER_CONTRIBUTOR: Final = figure("distemper.checks.group", "cmod_per_contributor", int)
LEAST_MEMBERS: Final = figure("distemper.checks.group", "least_members", int)

CHECK: Final = Prompt("check")
ROLLER: Final = Prompt("roller")
INITIATIVE: Final = Prompt("initiative")

CMOD: Final = "distemper.checks.cmod"

Members = tuple[Who[Character], ...]


@final
@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """A band of totals."""

    name: str
    succeeds: bool


OUTCOMES: Final = rows("distemper.checks.outcomes", "table", OutcomeRow, by=("from", "to"))


@final
@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check."""

    total: int
    outcome: str
    success: bool
    moment: str | None = None


@rule("distemper.checks.dice-check", "distemper.checks.cmod")
async def dice_check(
    scene: Scene,
    who: Who[Character],
    using: Ability,
    cmods: Mods = (),
    hidden: bool = False,
    secret: Hidden[int] = 0,
) -> Check:
    """2d6 + AMod + SMod + CMod; the outcome table, or a double, decides. Part of the CMod may be kept secret."""
    check_dice_check(scene, who, using)
    kept: Mods = (Mod(secret, "kept secret", CMOD, secret=True),) if secret else ()
    outside = cmods + kept + applying(scene, who, "check").mods
    return await check_with(who, own_mods(scene, who, using), outside, True, hidden)


def check_dice_check(
    scene: Scene,
    who: Who[Character],
    using: Ability | None = None,
    cmods: Mods = (),
    hidden: bool = False,
    secret: int = 0,
) -> None:
    """Someone alive, with an attribute or skill from the book."""
    check_alive(scene, who, "check")
    if using is not None:
        attribute_of(scene, using)


def any_cmod(scene: Scene) -> range:
    """The possible values of a conditional modifier."""
    return range(scene[LEAST_CMOD], scene[MOST_CMOD] + 1)


def check_listed(using: str | None, legal: tuple[str, ...], by: str) -> None:
    """Only the checks that the rule names are allowed."""
    if using is not None and using not in legal:
        raise Refused(using, because="that check does not do here", rule=by, legal=legal)


@rule("distemper.checks.dice-check/with")
async def check_with(
    scene: Scene, who: Who[Character], own: Mods, cmods: Mods = (), spend: bool = True, hidden: bool = False
) -> Check:
    """A check with known modifiers: dice, Insight, outcome, and the Insight Die a moment gives."""
    dice = await throw_dice(who, CHECK, scene[CHECK_DICE], cited(own, cmods), spend, hidden)
    return await check_result(who, dice, own, cmods)


def cited(own: Mods, cmods: Mods) -> Mods:
    """The modifiers of a check, each with its rule."""
    return (*own, *(replace(mod, rule=mod.rule or CMOD) for mod in cmods))


@rule("distemper.checks.dice-check/result")
async def check_result(scene: Scene, who: Who[Character], dice: Dice, own: Mods, cmods: Mods) -> Check:
    """The result of the dice of a check, and the Insight Die a moment gives."""
    result = outcome(scene, dice.faces, dice.sum, own, cmods + dice.bonus)
    if result.moment is not None:
        await gain_insight(who)
    return result


@formula("distemper.checks.outcomes")
def outcome(scene: Scene, faces: tuple[int, ...], thrown: int, own: Mods, cmods: Mods) -> Check:
    """The outcome of a total; double one and double six override it."""
    result = thrown + total(own) + cmod(scene, cmods)
    moment = moment_of(scene, faces)
    row = scene[OUTCOMES][moment.outcome] if moment else scene[OUTCOMES].at(result)
    return Check(result, row.name, row.succeeds, moment.name if moment else None)


@formula("distemper.checks.cmod")
def cmod(scene: Scene, cmods: Mods) -> int:
    """All conditional modifiers count as one, limited as a whole."""
    return max(scene[LEAST_CMOD], min(scene[MOST_CMOD], total(cmods)))


def own_mods(scene: Scene, who: Who[Character], using: Ability) -> Mods:
    """The AMod, and for a skill the SMod."""
    attribute = attribute_of(scene, using)
    mods: Mods = (Mod(amod(scene, who, attribute), attribute, "distemper.checks.amod"),)
    row = skill_row(scene, using)
    return mods if row is None else (*mods, skill_mod(scene, who, row))


def skill_mod(scene: Scene, who: Who[Character], row: SkillRow) -> Mod:
    """The SMod, with the rule it comes from."""
    unlearned = row.starred and row.name not in scene[who].skills
    by = "distemper.checks.untrained-starred" if unlearned else "distemper.checks.smod"
    return Mod(smod(scene, who, row.name), row.name, by)


@rule("distemper.checks.group")
async def group_check(scene: Scene, members: Members, using: Ability, cmods: Mods = ()) -> Check:
    """The best of the group rolls with the group's best modifiers and +1 for each other member; no Insight."""
    check_group(scene, members, using)
    roller = await choose(members[0], ROLLER, best_of(scene, members, using))
    helping = tuple(
        Mod(scene[PER_CONTRIBUTOR], f"{member} contributes", "distemper.checks.group")
        for member in members
        if member != roller
    )
    attribute, skill = attribute_of(scene, using), skill_row(scene, using)
    mods: Mods = (Mod(max(amod(scene, each, attribute) for each in members), attribute, "distemper.checks.amod"),)
    if skill:
        mods += (max((skill_mod(scene, each, skill) for each in members), key=lambda mod: mod.amount),)
    return await check_with(roller, mods, cmods + applying(scene, roller, "check").mods + helping, False)


def check_group(scene: Scene, members: Members | None = None, using: Ability | None = None, cmods: Mods = ()) -> None:
    """At least two members, no one twice, all with the same attribute or skill."""
    for member in members or ():
        check_dice_check(scene, member, using)
    if members is not None and len(set(members)) < max(scene[LEAST_MEMBERS], len(members)):
        because = f"a group is {scene[LEAST_MEMBERS]} or more different people"
        raise Refused("group check", because=because, rule="distemper.checks.group")


def best_of(scene: Scene, members: Members, using: Ability) -> Members:
    """Who may roll: those with the highest individual value in the skill or attribute."""
    skill = skill_row(scene, using)

    def value(who: Who[Character]) -> int:
        return smod(scene, who, skill.name) if skill else amod(scene, who, attribute_of(scene, using))

    best = max(map(value, members))
    return tuple(member for member in members if value(member) == best)


@rule("distemper.combat.initiative-check")
async def initiative_check(scene: Scene, who: Who[Character]) -> int:
    """2d6 + Init Mod and any effects on this roll; doubles mean nothing here."""
    applied = applying(scene, who, INITIATIVE)
    await use(applied)
    own = Mod(init_mod(scene, who), "Init Mod", "distemper.combat.initiative-check")
    dice = await throw_dice(who, INITIATIVE, scene[INITIATIVE_DICE], (own, *applied.mods), True, False)
    return dice.sum + init_mod(scene, who) + total(applied.mods) + cmod(scene, dice.bonus)
