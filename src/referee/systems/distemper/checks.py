"""Dice checks: 2d6 and modifiers against the table of outcomes; group checks and initiative checks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    D6,
    Bands,
    Faces,
    Hidden,
    Levels,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    action,
    action_of,
    adds,
    applying,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    roll,
    rows,
    rule,
    together,
    total,
)
from referee.core.branches import Branch, Changed
from referee.core.composed import KernelCalls, after_all
from referee.core.effects import use
from referee.core.modifiers import Itemised
from referee.core.rulebook import BOOK, Book
from referee.core.rules import Decide, Ends, kernel
from referee.systems.distemper.insight import (
    AFTER_INITIATIVE,
    BEFORE_INITIATIVE,
    Dice,
    bought_for,
    buy,
    gain_insight,
    improve,
    moment_of,
    offer_use,
    spend_after,
    spend_before,
    spends_after,
    throw_dice,
    throw_extra,
    thrown_dice,
    throws_of,
    uses_after,
    uses_before,
    with_moment,
)
from referee.systems.distemper.sheet import (
    Ability,
    Initiative,
    Person,
    SkillRow,
    abbreviations,
    amod,
    attribute_of,
    check_alive,
    every_ability,
    init_mod,
    party,
    skill_row,
    smod,
)

CHECK_DICE: Final = figure("distemper.checks.dice-check", "dice", int)

CHECK: Final = Prompt("check")
ROLLER: Final = Prompt("roller")
INITIATIVE: Final = Prompt("initiative")

CMOD: Final = "distemper.checks.cmod"
MOST_SCORES: Final = 30_000
"""So many combinations of initiative scores are listed at most: those of four people, one of them with a third die."""


@figures(CMOD)
class CModRange:
    """How far conditional modifiers go."""

    min: int
    max: int


@figures("distemper.checks.group")
class GroupCheck:
    """Who counts as a group, and what each further member adds."""

    cmod_per_contributor: int
    least_members: int


@frozen
class OutcomeRow:
    """A band of totals."""

    name: str
    succeeds: bool


OUTCOMES: Final = rows("distemper.checks.outcomes", "table", OutcomeRow, by=("from", "to"))


@frozen
class Check:
    """The result of a check."""

    total: int
    outcome: str
    success: bool
    moment: str | None = None


CHECKED: Final[Bands[Any]] = Bands(
    of=lambda result: result.outcome.casefold().replace(" ", "-"),
    keys=("wild-success", "success", "failure", "dire-failure"),
    good=("wild-success", "success"),
    extra={"insight-die": lambda result: result.moment is not None},
)
"""For a check, and for whatever has the outcome of one."""


def check_ability(scene: Scene, who: Person | None, using: Ability) -> None:
    """Any attribute or skill of the book."""
    attribute_of(scene, using)


def any_cmod(scene: Scene) -> range:
    """The possible values of a conditional modifier."""
    return range(scene[CModRange].min, scene[CModRange].max + 1)


UsableAbility: TypeAlias = Annotated[Ability, Pick(every_ability, check_ability, also=abbreviations)]


@action(
    "check",
    "distemper.checks.dice-check",
    CMOD,
    name="check",
    bands=CHECKED,
    turn=check_alive,
    may_be={"secret": any_cmod},
)
async def dice_check(
    scene: Scene, who: Person, using: UsableAbility, cmods: Mods = (), hidden: bool = False, secret: Hidden[int] = 0
) -> Check:
    """2d6 + AMod + SMod + CMod; the outcome table, or a double, decides. Part of the CMod may be kept secret."""
    own, outside = check_mods(scene, who, using, cmods, secret)
    return await hand_over(check_with(who, own, outside, True, hidden))


def check_mods(scene: Scene, who: Person, using: Ability, cmods: Mods, secret: int = 0) -> tuple[Mods, Mods]:
    """One's own modifiers on a check, and those from outside."""
    kept: Mods = (Mod(secret, "kept secret", CMOD, secret=True),) if secret else ()
    return own_mods(scene, who, using), cmods + kept + applying(scene, who, "check").mods


@rule("distemper.checks.dice-check/with")
async def check_with(
    scene: Scene, who: Person, own: Mods, cmods: Mods = (), spend: bool = True, hidden: bool = False
) -> Check:
    """A check with known modifiers: dice, Insight, outcome, and the Insight Die a moment gives."""
    dice = await throw_dice(who, CHECK, scene[CHECK_DICE], Itemised(cited(own, cmods)), spend, hidden)
    return await check_result(who, dice, own, cmods)


@kernel(dice_check)
def dice_checked(
    scene: Scene,
    decide: Decide,
    who: Person,
    using: UsableAbility,
    cmods: Mods = (),
    hidden: bool = False,
    secret: Hidden[int] = 0,
) -> Ends[Check] | Branch[Check] | None:
    """As the check it hands over to; where it is refused, it is played."""
    action_of(dice_check).refuse(scene, who, {"using": using, "cmods": cmods, "hidden": hidden, "secret": secret})
    own, outside = check_mods(scene, who, using, cmods, secret)
    return checked(scene, decide, who, own, outside, True, hidden)


@kernel(check_with)
def checked(
    scene: Scene, decide: Decide, who: Person, own: Mods, cmods: Mods = (), spend: bool = True, hidden: bool = False
) -> list[tuple[Check, Changed, int]]:
    """Every result of the dice, with what is bought before and after the throw."""
    count = scene[CHECK_DICE]
    bought, changes, improves = KernelCalls.of(decide).known(bought_for, scene, who, count, spend, hidden)
    if improves:
        thrown = thrown_dice(scene, decide, who, count, spend, hidden)
        return [check_end(after_all(scene, paid), who, dice, own, cmods, paid, ways) for dice, paid, ways in thrown]
    return check_ends(after_all(scene, changes), who, bought, own, cmods, changes)


def check_end(
    scene: Scene, who: Person, dice: Dice, own: Mods, cmods: Mods, changes: Changed, ways: int
) -> tuple[Check, Changed, int]:
    """For kernels: the end of a check after its dice: `check_result`."""
    result = known_outcome(scene[BOOK], dice.faces, dice.sum + total(own) + cmod(scene, cmods + dice.bonus))
    gaining = with_moment(scene, who) if result.moment is not None else None
    return result, changes if gaining is None else ((who, gaining),), ways


def check_ends(
    scene: Scene, who: Person, bought: Dice, own: Mods, cmods: Mods, changes: Changed
) -> list[tuple[Check, Changed, int]]:
    """For kernels: every end of a check from the throw on, after what was bought is paid for."""
    shift = total(own) + cmod(scene, cmods + bought.bonus)
    found = results_of(scene[BOOK], bought, scene[CHECK_DICE], shift)
    gaining = with_moment(scene, who) if any(result.moment is not None for result, _ in found) else None
    gained = changes if gaining is None else ((who, gaining),)
    return [(result, changes if result.moment is None else gained, ways) for result, ways in found]


@lru_cache(maxsize=512)
def results_of(book: Book, bought: Dice, count: int, shift: int) -> tuple[tuple[Check, int], ...]:
    """The results of every throw with modifiers that come to `shift`, each with its number of ways."""
    scene, found = Scene({BOOK.name: book}), Counter[Check]()
    for dice, ways in throws_of(bought, count):
        found[outcome_of(scene, dice.faces, dice.sum + shift)] += ways
    return tuple(found.items())


@lru_cache(maxsize=1024)
def known_outcome(book: Book, faces: tuple[int, ...], result: int) -> Check:
    """For kernels, which ask for the outcome of many throws."""
    return outcome_of(Scene({BOOK.name: book}), faces, result)


def cited(own: Mods, cmods: Mods) -> Mods:
    """The modifiers of a check, each with its rule."""
    return (*own, *(replace(mod, rule=mod.rule or CMOD) for mod in cmods))


@rule("distemper.checks.dice-check/result")
async def check_result(scene: Scene, who: Person, dice: Dice, own: Mods, cmods: Mods) -> Check:
    """The result of the dice of a check, and the Insight Die a moment gives."""
    result = outcome(scene, dice.faces, dice.sum, own, cmods + dice.bonus)
    if result.moment is not None:
        await gain_insight(who)
    return result


@formula("distemper.checks.outcomes")
def outcome(scene: Scene, faces: tuple[int, ...], thrown: int, own: Mods, cmods: Mods) -> Check:
    """The outcome of a total; double one and double six override it."""
    return outcome_of(scene, faces, thrown + total(own) + cmod(scene, cmods))


def outcome_of(scene: Scene, faces: tuple[int, ...], result: int) -> Check:
    moment = moment_of(scene, faces)
    row = scene[OUTCOMES][moment.outcome] if moment else scene[OUTCOMES].at(result)
    return Check(result, row.name, row.succeeds, moment.name if moment else None)


@formula("distemper.checks.cmod")
def cmod(scene: Scene, cmods: Mods) -> int:
    """All conditional modifiers count as one, limited as a whole."""
    return max(scene[CModRange].min, min(scene[CModRange].max, total(cmods)))


def own_mods(scene: Scene, who: Person, using: Ability) -> Mods:
    """The AMod, and for a skill the SMod."""
    attribute = attribute_of(scene, using)
    mods: Mods = (Mod(amod(scene, who, attribute), attribute, "distemper.checks.amod"),)
    row = skill_row(scene, using)
    return mods if row is None else (*mods, skill_mod(scene, who, row))


def skill_mod(scene: Scene, who: Person, row: SkillRow) -> Mod:
    """The SMod, with the rule it comes from."""
    unlearned = row.starred and row.name not in scene[who].skills
    by = "distemper.checks.untrained-starred" if unlearned else "distemper.checks.smod"
    return Mod(smod(scene, who, row.name), row.name, by)


def check_member(scene: Scene, who: None, member: Person) -> None:
    check_alive(scene, member)


def check_group(scene: Scene, who: None, members: Members) -> None:
    """At least two members."""
    if len(members) < scene[GroupCheck].least_members:
        refuse(f"a group is {scene[GroupCheck].least_members} or more different people", rule="distemper.checks.group")


Member: TypeAlias = Annotated[Person, Pick(lambda scene, who: party(scene), check_member, "distemper.checks.group")]
Members: TypeAlias = tuple[Member, ...]


@action("group-check", "distemper.checks.group", bands=CHECKED, check=check_group, master=True)
async def group_check(scene: Scene, members: Members, using: UsableAbility, cmods: Mods = ()) -> Check:
    """The best of the group rolls with the group's best modifiers and +1 for each other member; no Insight."""
    roller = await choose(members[0], ROLLER, best_of(scene, members, using))
    bonus = scene[GroupCheck].cmod_per_contributor
    helping = tuple(adds(bonus, f"{member} contributes") for member in members if member != roller)
    attribute, skill = attribute_of(scene, using), skill_row(scene, using)
    mods: Mods = (Mod(max(amod(scene, each, attribute) for each in members), attribute, "distemper.checks.amod"),)
    if skill:
        mods += (max((skill_mod(scene, each, skill) for each in members), key=lambda mod: mod.amount),)
    return await check_with(roller, mods, cmods + applying(scene, roller, "check").mods + helping, False)


def best_of(scene: Scene, members: Members, using: Ability) -> Members:
    """Who may roll: those with the highest individual value in the skill or attribute."""
    skill = skill_row(scene, using)

    def value(who: Person) -> int:
        return smod(scene, who, skill.name) if skill else amod(scene, who, attribute_of(scene, using))

    best = max(map(value, members))
    return tuple(member for member in members if value(member) == best)


@rule("distemper.combat.initiative-check")
async def initiative_check(scene: Scene, who: Person) -> int:
    """2d6 + Init Mod and any effects on this roll; doubles mean nothing here."""
    bought = await spend_before(who, Dice(()))
    dice, mods = await throw_initiative(who, bought)
    return initiative_score(scene, await spend_after(who, dice), mods)


@rule("distemper.combat.initiative-check/throw", "distemper.combat.initiative-check")
async def throw_initiative(scene: Scene, who: Person, bought: Dice) -> tuple[Dice, Mods]:
    """The dice, and the Init Mod with any effects on this roll, which are used up by it."""
    applied = applying(scene, who, INITIATIVE)
    await use(applied)
    mods = (adds(init_mod(scene, who), "Init Mod"), *applied.mods)
    pool = Pool.of((D6, scene[Initiative].dice))
    thrown = await roll(INITIATIVE, who, pool, Faces, mods=mods + bought.bonus)
    return Dice(thrown.faces, await throw_extra(who, bought.extra), bought.bonus), mods


FIRST: Final[Bands[Levels]] = Bands(
    of=lambda scores, who: "acts-first" if scores[who] == max(scores.values()) else "acts-later",
    keys=("acts-first", "acts-later"),
    each=True,
)


@rule(
    "distemper.combat.initiative-check/everyone",
    "distemper.combat.initiative-check",
    "distemper.insight.uses",
    bands=FIRST,
)
async def initiative_checks(scene: Scene, everyone: tuple[Person, ...]) -> Levels:
    """A round of checks: all declare Insight before the roll at the same time, all roll, and all declare it after."""
    before = await together(
        *(offer_use(scene, who, BEFORE_INITIATIVE, uses_before(scene), Dice(())) for who in everyone)
    )
    declared = zip(everyone, before, strict=True)
    bought = [Dice(()) if what is None else await buy(who, Dice(()), what) for who, what in declared]
    return await hand_over(roll_initiatives(everyone, tuple(bought)))


@rule("distemper.combat.initiative-check/roll", "distemper.combat.initiative-check", "distemper.insight.uses")
async def roll_initiatives(scene: Scene, everyone: tuple[Person, ...], bought: tuple[Dice, ...]) -> Levels:
    """All roll, and then all declare Insight after the roll at the same time."""
    thrown = [await throw_initiative(who, had) for who, had in zip(everyone, bought, strict=True)]
    after = await together(
        *(
            offer_use(scene, who, AFTER_INITIATIVE, uses_after(scene), dice)
            for who, (dice, _) in zip(everyone, thrown, strict=True)
        )
    )
    scores = {}
    for who, (dice, mods), what in zip(everyone, thrown, after, strict=True):
        improved = dice if what is None else await improve(who, dice, what)
        scores[who.name] = initiative_score(scene, improved, mods)
    return Levels(scores)


def initiative_score(scene: Scene, dice: Dice, mods: Mods) -> int:
    return dice.sum + total(mods) + cmod(scene, dice.bonus)


@kernel(initiative_check)
def initiative_scores(scene: Scene, decide: Decide, who: Person) -> list[tuple[int, Changed, int]] | None:
    """Every score, unless an effect on it is used up: then it is played."""
    more, found = lasting_mods(scene, who), Counter[tuple[int, Mods, Changed]]()
    if more is None:
        return None
    for dice, changes, ways in thrown_dice(scene, decide, who, scene[Initiative].dice, True, False):
        found[dice.sum, dice.bonus, changes] += ways
    return [(score + more + cmod(scene, bonus), changes, ways) for (score, bonus, changes), ways in found.items()]


@kernel(roll_initiatives)
def rolled_initiatives(
    scene: Scene, decide: Decide, everyone: tuple[Person, ...], bought: tuple[Dice, ...]
) -> list[tuple[Levels, Changed, int]] | None:
    """Every combination of scores, unless something is spent or used up, or there are too many: then it is played."""
    found: dict[tuple[int, ...], int] = {(): 1}
    for who, had in zip(everyone, bought, strict=True):
        more = lasting_mods(scene, who)
        if more is None or spends_after(scene, decide, who, had, scene[Initiative].dice, AFTER_INITIATIVE):
            return None
        scores = Counter[int]()
        for dice, ways in throws_of(had, scene[Initiative].dice):
            scores[dice.sum + more + cmod(scene, dice.bonus)] += ways
        found = {(*one, score): ways * times for one, ways in found.items() for score, times in scores.items()}
        if len(found) > MOST_SCORES:
            return None
    names = tuple(who.name for who in everyone)
    return [(Levels(dict(zip(names, one, strict=True))), (), ways) for one, ways in found.items()]


def lasting_mods(scene: Scene, who: Person) -> int | None:
    """What is added to initiative; None if an effect on it is used up by this."""
    applied = applying(scene, who, INITIATIVE)
    if any(active.effect.uses is not None for active in applied.active):
        return None
    return init_mod(scene, who) + total(applied.mods)
