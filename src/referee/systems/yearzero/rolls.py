"""The roll that every skill uses: attribute, skill or specialty, gear, modifications, help, Willpower, push, Pride.

An action says what is tried (`Attempt`) and awaits one of these: `roll_skill` (one roll, Pride if it fails) or
`roll_dice` (without Pride); rolls against somebody's are in `opposed`. docs/yearzero.md shows how a skill is written.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from referee.core import (
    CLOCK,
    DICE,
    YES,
    Mod,
    Mods,
    Prompt,
    Refused,
    Scene,
    afterwards,
    alter,
    applying,
    by_unit,
    change,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    offer,
    refuse,
    rows,
    rule,
    settled,
)
from referee.core.branches import Branch
from referee.core.effects import ApplicableEffects, Grants, use
from referee.core.modifiers import Itemised
from referee.core.questions import OptionCost
from referee.core.rules import Decide, Ends, kernel, rule_named
from referee.kits import year_zero
from referee.systems.yearzero.action_types import battle_mods, check_has_action
from referee.systems.yearzero.battle import BATTLE, Battle, check_rampage
from referee.systems.yearzero.boosts import (
    AUTOMATIC,
    IGNORE_BANES,
    Boost,
    best_attribute,
    boost,
    ignores_banes,
    in_dice,
    mounted,
    needs_no_roll,
)
from referee.systems.yearzero.dice import (
    D8,
    D10,
    D12,
    NEEDED,
    ArtifactDie,
    DicePool,
    NoPush,
    PoolFall,
    PoolThrow,
    ends_by_name,
    every_branch,
    is_success,
    throw_and_push,
)
from referee.systems.yearzero.gear import check_usable, count_use, gear_bonus, helpful, points_of_wear, wear
from referee.systems.yearzero.harm import (
    NOTHING_LOST,
    bought_dice,
    check_able,
    lost,
    pain,
    stressed,
    suffer,
)
from referee.systems.yearzero.loads import laden
from referee.systems.yearzero.panic_tables import Doing, activity_of, activity_tag
from referee.systems.yearzero.pride import PrideDie, proud, rest_content
from referee.systems.yearzero.sheet import (
    MOST_WILLPOWER,
    SPECIALTIES,
    Helpers,
    Person,
    Survivor,
    Target,
    attribute_of,
    others,
    printed_specialty,
)
from referee.systems.yearzero.talents import EXTRA_PUSH_STRESS

NET_FLOOR: Final = figure("yearzero.core.negative-dice", "net_floor", int)
DAMAGE: Final = figure("yearzero.core.push-banes-active", "damage_per_base_bane", int)
WILLPOWER_PER_BANE: Final = figure("yearzero.core.willpower-from-push", "wp_per_base_bane", int)
HELP: Final = "yearzero.core.help"
MODIFICATION: Final = "yearzero.core.modification"
ONE_CHANCE: Final = "yearzero.core.only-one-chance"

WILLPOWER: Final = Prompt("willpower")
BUY: Final = Prompt("buy")
MOUNTED_TAG: Final = "mounted"
NO_ACTION: Final = "no action"
"""The tag of a roll that is no action: pain and the number of actions do not count."""
ATTACKING: Final = "attack"
DEFENDING: Final = "defending"
"""The tags of attacks, and of dodges and parries: what counts for all rolls of a fight is laid for both."""
SUCCESS: Final = "success"
"""What an effect may give besides dice: a success."""


@figures(HELP)
class Help:
    """What each helper adds, and how many may help."""

    bonus_per_helper: int
    max_helpers: int


@figures("yearzero.core.willpower-extra-dice")
class ExtraDice:
    """What a point of Willpower adds to a roll, and how many may be spent."""

    dice_per_wp: int
    max_wp_per_round: int


@figures("yearzero.core.willpower-buy-success")
class BoughtSuccess:
    """What a success costs that is not rolled for, and how many dice one must have."""

    cost_wp: int
    min_dice: int
    successes: int


@figures("yearzero.combat.ammo-dice")
class AmmoDice:
    """What rapid fire leaves of a firearm's gear dice, and whether its sixes help to hit."""

    gear_dice: int
    counts_to_hit: bool


@frozen
class Difficulty:
    """A grade of difficulty."""

    name: str
    modification: int


DIFFICULTIES: Final = rows("yearzero.core.difficulty-table", "difficulties", Difficulty)


@frozen
class FiguresDice:
    """Base dice of a figure of a thing. Banes on them are paid by a rule of its own."""

    dice: int
    label: str
    rule: str
    of: Target
    paid_by: str
    """Called with the thing, who rolls, and the banes of a pushed roll."""


@frozen
class Attempt:
    """What is declared before the dice fall. Every action with a roll makes one."""

    skill: str = ""
    """The skill; none for a roll of the attribute alone."""
    specialty: str = ""
    """The specialty that covers the roll; the higher of the two levels counts."""
    gear: str = ""
    """The thing that helps."""
    mods: Mods = ()
    helpers: Helpers = ()
    against: Person | None = None
    tags: tuple[str, ...] = ()
    """What effects may ask for besides skill, specialty and attribute: attack, ranged, parry."""
    attribute: str = ""
    """Another attribute than the skill's own."""
    goal: str = ""
    """What is tried: nobody rolls twice for one goal in the same way."""
    needed: int = 1
    surplus: bool = True
    """Whether successes beyond those needed would help; if not, a success is not pushed."""
    no_push: NoPush | None = None
    """Why it may not be pushed, if it may not."""
    ammo: int = 0
    """Ammo dice, in place of the gear dice."""
    artifact: tuple[ArtifactDie, ...] = ()
    level: int | None = None
    """The level, if it is not that of the skill or specialty: the average of two."""
    gear_dice: int = 0
    """Gear dice of a place, such as a laboratory."""
    upgraded: tuple[str, ...] = ()
    """Talents whose bonus has become an artifact die."""

    dice_of: Person | None = None
    """Whose attribute is rolled, if it is not one's own: a mount's. Banes then hurt the mount."""
    in_place: FiguresDice | None = None
    """Base dice of a thing, in place of an attribute: the Maneuverability of what is driven."""
    while_broken: bool = False
    """Whether even somebody Broken makes this roll: a death save."""
    hidden: bool = False
    """Whether only the game master sees the dice."""
    owed: bool = False
    """Whether what the dice cost is paid later, by whoever asked for the roll: see `roll_once`."""

    @property
    def approach(self) -> str:
        """The goal and the way to it; nothing without a goal."""
        return f"{self.goal} by {self.skill or self.attribute}" if self.goal else ""

    def boosted(self, by: Boost) -> Attempt:
        return replace(self, artifact=(*self.artifact, *by.artifact), upgraded=by.upgraded)

    def adding(self, *mods: Mod) -> Attempt:
        return replace(self, mods=(*self.mods, *mods))


@frozen
class RollCost:
    """What the dice of a roll cost, once its result stands: banes hurt an attribute and wear a thing."""

    attribute: str
    gear: str = ""
    dice_of: Person | None = None
    strains: tuple[str, ...] = ()
    """Rules for whoever must not roll without harm: an injury that opens."""
    skill: str = ""
    goal: str = ""
    """What was rolled and what for, which says how somebody panics because of it."""
    in_place: FiguresDice | None = None


@frozen
class RolledPool:
    """What a roll came to."""

    success: bool
    successes: int
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0
    ammo_successes: int = 0
    ammo_banes: int = 0
    rounds: int = 0
    bought: bool = False
    pride: bool = False
    """Whether Pride was used."""
    owes: RollCost | None = None
    """What its dice still cost; None if that was paid."""

    @property
    def bare(self) -> RolledPool:
        """What was rolled, whatever it cost: all that effects depend on."""
        return RolledPool(self.success, self.successes, bought=self.bought, pride=self.pride)


# --- the one roll of an action ----------------------------------------------------------------------------------------


async def roll_once(who: Person, attempt: Attempt) -> RolledPool:
    """The one roll of an action. What its dice cost is paid once the result of the action stands: odds of the result
    need not look at it. Where something is read afterwards that banes change (a second roll), await `roll_skill`.
    """
    return await end_later(who, await roll_dice(who, replace(attempt, owed=True)), attempt)


async def end_later(who: Person, rolled: RolledPool, attempt: Attempt) -> RolledPool:
    """Pride, if a roll has failed; what else follows from it comes once the result of the action stands."""
    rolled = await pay_later(who, rolled)
    if not rolled.success:
        rolled = with_pride(rolled, await proud(who, attempt.needed, rolled.successes))
    if rolled.success and attempt.skill:
        await afterwards(remember_success(who, attempt.skill, attempt.specialty))
    return rolled


async def pay_later(who: Person, rolled: RolledPool) -> RolledPool:
    """What the dice of an attempt that was `owed` cost is paid once the result of the rule that awaits this stands."""
    if rolled.owes is not None:
        await afterwards(strain_from(who, replace(rolled, owes=None), rolled.owes))
    return replace(rolled, owes=None)


# --- the steps of a roll ----------------------------------------------------------------------------------------------


@rule("yearzero.core.roll-procedure", "yearzero.core.sixes-success", "yearzero.core.unskilled-roll")
async def roll_skill(scene: Scene, who: Person, attempt: Attempt) -> RolledPool:
    """A roll with all that may be decided about it; if it fails, Pride may still help."""
    rolled = await roll_dice(who, attempt)
    return await hand_over(conclude(who, rolled, attempt))


@rule("yearzero.core.roll-procedure/end", "yearzero.development.new-skill-requirement")
async def conclude(scene: Scene, who: Person, rolled: RolledPool, attempt: Attempt) -> RolledPool:
    """Pride if the roll has failed; a success is remembered, because it may teach something."""
    if not rolled.success:
        rolled = with_pride(rolled, await proud(who, attempt.needed, rolled.successes))
    if not rolled.success or not attempt.skill:
        return rolled
    return await settled(rolled, then=remember_success(who, attempt.skill, attempt.specialty))


def with_pride(rolled: RolledPool, die: PrideDie | None) -> RolledPool:
    """A roll that has failed, with the die of Pride if it was thrown."""
    if die is None:
        return rolled
    return replace(rolled, success=die.enough, successes=rolled.successes + die.successes, pride=True)


@rule("yearzero.core.roll-procedure/success", "yearzero.development.new-skill-requirement")
async def remember_success(scene: Scene, who: Person, skill: str, specialty: str) -> None:
    """What somebody has succeeded at."""
    names = {skill, *((f"{skill}: {specialty}",) if specialty else ())}
    if not names <= scene[who].succeeded:
        await change(who, replace(scene[who], succeeded=scene[who].succeeded | names))
    await rest_content(who)


@rule("yearzero.core.roll-procedure/dice", "yearzero.core.dice-pool", MODIFICATION, "yearzero.core.negative-dice")
async def roll_dice(scene: Scene, who: Person, attempt: Attempt) -> RolledPool:
    """Everything is declared, Willpower is spent, the dice are thrown and perhaps pushed, and banes are paid for."""
    check_attempt(scene, who, attempt)
    if await needs_no_roll(who, found(scene, who, attempt)):
        return RolledPool(True, max(attempt.needed, scene[NEEDED]))
    attempt = attempt.boosted(await boost(who, found(scene, who, attempt)))
    bought_dice = await spend_willpower(who, attempt)
    attempt = attempt.adding(*bought_dice)
    throw, itemised, applied = (
        throw_of(scene, who, attempt),
        Itemised(itemise(scene, who, attempt)),
        found(scene, who, attempt),
    )
    if await buys_success(who, throw.dice):
        await begin(who, attempt, replace(applied, active=()))
        return RolledPool(True, scene[BoughtSuccess].successes, bought=True)
    await begin(who, attempt, applied)
    return await hand_over(
        throw_dice(who, throw, attempt, applied.extra(SUCCESS), applied.at("roll"), itemised),
    )


@rule("yearzero.core.roll-procedure/throw")
async def throw_dice(
    scene: Scene,
    who: Person,
    throw: PoolThrow,
    attempt: Attempt,
    given: int,
    strains: tuple[str, ...],
    itemised: Itemised,
) -> RolledPool:
    """What was declared is thrown and perhaps pushed, banes are paid for, and what strains whoever rolls follows."""
    thrown = await throw_and_push(who, throw, itemised)
    if thrown.pushes and has_banes(thrown) and await ignores_banes(who):
        thrown = replace(thrown, base_banes=0, gear_banes=0, ammo_banes=0)
    result = judged(scene, thrown, attempt, given)
    if not thrown.pushes and not attempt.gear and not strains:
        return result
    cost = cost_of(throw, attempt, strains)
    return replace(result, owes=cost) if attempt.owed else await settled(result, then=strain_from(who, result, cost))


def cost_of(throw: PoolThrow, attempt: Attempt, strains: tuple[str, ...]) -> RollCost:
    """What the dice of an attempt will cost, whatever they show."""
    return RollCost(
        throw.attribute, attempt.gear, attempt.dice_of, strains, attempt.skill, attempt.goal, attempt.in_place
    )


@kernel(throw_dice)
def every_roll(
    scene: Scene,
    decide: Decide,
    who: Person,
    throw: PoolThrow,
    attempt: Attempt,
    given: int,
    strains: tuple[str, ...],
    itemised: Itemised,
) -> Branch[RolledPool] | Ends[RolledPool] | None:
    """What every course of the dice comes to, where their cost is owed and nobody may ignore it."""
    if not attempt.owed or applying(scene, who, "banes").granted(IGNORE_BANES):
        return None
    cost = cost_of(throw, attempt, strains)
    free = not attempt.gear and not strains

    def rolled(fall: PoolFall) -> RolledPool:
        return replace(judged(scene, fall, attempt, given), owes=None if free and not fall.pushes else cost)

    if (ends := ends_by_name(scene, decide, who, throw)) is not None:
        return [(rolled(fall), (), ways) for fall, ways in ends]
    return every_branch(scene, who, throw, rolled)


@rule("yearzero.core.roll-procedure/strain")
async def strain_from(scene: Scene, who: Person, rolled: RolledPool, cost: RollCost) -> None:
    """What follows from the dice, whatever they were thrown for: banes, wear, and what strains whoever rolls."""
    if rolled.pushes:
        await suffer_banes(who, rolled, cost)
    if cost.gear:
        await count_use(who, cost.gear)
    for strain in cost.strains:
        await rule_named(strain)(who)


@rule("yearzero.core.roll-procedure/begin", ONE_CHANCE, "yearzero.combat.pain")
async def begin(scene: Scene, who: Person, attempt: Attempt, applied: ApplicableEffects) -> None:
    """The goal is tried, pain is over after this action, and effects that were waiting for the roll are used."""
    await use(replace(applied, active=tuple(each for each in applied.active if each.effect.does != Grants(AUTOMATIC))))
    hurts = scene[who].pain and NO_ACTION in attempt.tags
    about = scene[who].situation if NO_ACTION in attempt.tags else frozenset()
    if scene[who].pain != hurts or scene[who].situation != about:
        await change(who, replace(scene[who], pain=hurts, situation=about))
    if attempt.goal:
        await change(who, replace(scene[who], tried=(*scene[who].tried, attempt.approach)))
    if scene[who].resting is not None and NO_ACTION not in attempt.tags:
        await rule_named("yearzero.journeys.rest/strain")(who, rolled_attribute(scene, who, attempt))
    kind = scene[BATTLE].acting if attempt.helpers and BATTLE in scene else None
    if kind is not None:
        for each in attempt.helpers:
            await alter(BATTLE, Battle.taking, each.name, kind, rule=HELP)


def judged(scene: Scene, thrown: PoolFall, attempt: Attempt, given: int = 0) -> RolledPool:
    to_hit = thrown.ammo_successes if attempt.ammo and scene[AmmoDice].counts_to_hit else 0
    successes = max(scene[NET_FLOOR], thrown.successes + given + to_hit)
    return RolledPool(
        is_success(scene, successes, attempt.needed),
        successes,
        thrown.pushes,
        thrown.base_banes,
        thrown.gear_banes,
        thrown.ammo_successes,
        thrown.ammo_banes,
        thrown.rounds,
    )


@rule("yearzero.core.push-banes-active", "yearzero.core.willpower-from-push", "yearzero.core.push-stress")
async def suffer_banes(scene: Scene, who: Person, rolled: RolledPool, cost: RollCost) -> None:
    """After a push every bane on the table counts: base dice hurt and steel, gear dice wear the thing."""
    before, events = scene[who].stress, NOTHING_LOST
    if cost.gear:
        banes = rolled.base_banes, rolled.gear_banes, rolled.ammo_banes
        await wear(who, cost.gear, points_of_wear(scene, scene[who].thing(cost.gear), *banes))
    if rolled.pushes > 1:
        await alter(who, stressed, (rolled.pushes - 1) * scene[EXTRA_PUSH_STRESS], rule=EXTRA_PUSH_STRESS.rule)
    if rolled.base_banes and cost.in_place is not None:
        await rule_named(cost.in_place.paid_by)(cost.in_place.of, who, rolled.base_banes)
    elif rolled.base_banes and cost.dice_of is not None:
        await exhaust(cost.dice_of, who, cost.attribute, rolled.base_banes)
    elif rolled.base_banes:
        await steel(who, rolled.base_banes)
        await suffer(who, damage_of_push(scene, rolled.base_banes), cost.attribute, pushed=True)
        events = lost(scene, who, cost.attribute)
    await rule_named("yearzero.panic.triggers")(who, before, events, doing=Doing(cost.skill, cost.gear, cost.goal))


@formula("yearzero.combat.damage-sources")
def damage_of_push(scene: Scene, banes: int) -> int:
    """What base dice of a push do to the attribute that was rolled; armor and cover never help."""
    return banes * scene[DAMAGE]


@rule("yearzero.animal-handling.ride/banes")
async def exhaust(scene: Scene, mount: Person, rider: Person, attribute: str, banes: int) -> None:
    """Banes of a rider's push exhaust the mount, and give the rider Willpower."""
    await alter(mount, Survivor.losing, attribute, banes * scene[DAMAGE])
    await gain_willpower(rider, banes * scene[Riding].wp_per_base_bane_to_rider)
    await alter(rider, stressed, banes * scene[Riding].stress_to_rider)


@figures("yearzero.animal-handling.ride")
class Riding:
    """What banes of a push in the saddle do to the rider."""

    wp_per_base_bane_to_rider: int
    stress_to_rider: int


@rule("yearzero.core.willpower-from-push")
async def steel(scene: Scene, who: Person, banes: int) -> None:
    """Banes on base dice hurt, and give Willpower."""
    await gain_willpower(who, banes * scene[WILLPOWER_PER_BANE])


def has_banes(thrown: PoolFall) -> bool:
    return bool(thrown.base_banes or thrown.gear_banes or thrown.ammo_banes)


@rule("yearzero.core.willpower-cap")
async def gain_willpower(scene: Scene, who: Person, points: int) -> None:
    """Nobody holds more than 10; what is above is lost."""
    await change(who, replace(scene[who], willpower=min(scene[MOST_WILLPOWER], scene[who].willpower + points)))


# --- what is thrown ---------------------------------------------------------------------------------------------------


def rolled_attribute(scene: Scene, who: Person, attempt: Attempt) -> str:
    """The attribute that is rolled: the one named, or the skill's, or what a talent puts in its place."""
    return attempt.attribute or best_attribute(
        scene, who, attribute_of(scene, attempt.skill), tags_of(scene, who, attempt)
    )


def tags_of(scene: Scene, who: Person, attempt: Attempt) -> tuple[str, ...]:
    specialty = (f"{attempt.skill}: {attempt.specialty}",) if attempt.specialty else ()
    named = tuple(each for each in (attempt.gear, attempt.goal, attempt.approach) if each)
    situation = () if NO_ACTION in attempt.tags else tuple(sorted(scene[who].situation))
    activity = (activity_tag(activity_of(scene, attempt.skill)),) if attempt.skill else ()
    own = (attempt.skill, *activity) if attempt.skill else ("attribute",)
    return (*own, *specialty, *attempt.tags, *named, *situation)


def found(scene: Scene, who: Person, attempt: Attempt) -> ApplicableEffects:
    """The effects that apply to a roll, by its skill, specialty, attribute and tags."""
    tags = (*tags_of(scene, who, attempt), rolled_attribute(scene, who, attempt))
    return applying(scene, who, *tags, against=attempt.against)


@formula(MODIFICATION, HELP, "yearzero.core.modification-sources")
def modifications(scene: Scene, who: Person, attempt: Attempt) -> Mods:
    """All modifications of a roll, which are added together and change nothing but skill dice."""
    given = tuple(replace(mod, rule=mod.rule or MODIFICATION) for mod in attempt.mods)
    helped = year_zero.help_from(attempt.helpers, scene[Help].bonus_per_helper, rule=HELP)
    applied = found(scene, who, attempt)
    ridden = mounted(scene, who, applied) if MOUNTED_TAG in attempt.tags else ()
    acting = () if NO_ACTION in attempt.tags else (*battle_mods(scene, who, attempt.tags), *pain(scene, who))
    things = (*helpful(scene, who, attempt.gear, attempt.skill, attempt.tags), *laden(scene, who, attempt.skill))
    return given + helped + things + acting + ridden + in_dice(applied.mods, attempt.upgraded)


def thing_dice(scene: Scene, who: Person, attempt: Attempt) -> int:
    """The gear dice of the thing that helps; a firearm that fires rapidly has none."""
    if not attempt.gear:
        return 0
    return scene[AmmoDice].gear_dice if attempt.ammo else gear_bonus(scene, who, attempt.gear)


@formula("yearzero.core.dice-pool", "yearzero.core.unskilled-roll", "yearzero.development.specialization-detach")
def throw_of(scene: Scene, who: Person, attempt: Attempt) -> PoolThrow:
    """Base dice by the attribute as it is now, skill dice by level and modifications, gear dice by the bonus."""
    attribute = rolled_attribute(scene, who, attempt)
    skill = level_of(scene, who, attempt) + by_unit(modifications(scene, who, attempt), DICE, rule=MODIFICATION)[DICE]
    gear = attempt.gear_dice + thing_dice(scene, who, attempt)
    base = base_dice(scene, who, attempt, attribute)
    dice = DicePool(base, skill, gear, attempt.ammo, artifact_dice(scene, who, attempt))
    if not attempt.while_broken and (bought := bought_dice(scene, who)):
        dice = dice.at_most(bought)
    needed = max(attempt.needed, scene[NEEDED])
    return PoolThrow(dice, attribute, attempt.surplus, attempt.no_push, needed, attempt.hidden)


def base_dice(scene: Scene, who: Person, attempt: Attempt, attribute: str) -> int:
    """What is left of an attribute; all of it for who does not feel the loss."""
    if attempt.in_place is not None:
        return attempt.in_place.dice
    sheet = scene[attempt.dice_of or who]
    numb = sheet.damage.get(attribute, 0) and applying(scene, who, attribute).granted("full dice")
    return sheet.full(attribute) if numb else sheet.now(attribute)


@formula("yearzero.core.npcs")
def is_rolled_for(scene: Scene, affects_player: bool) -> bool:
    """Whether the game master rolls for somebody nobody plays: only if it helps or hurts a player's character."""
    return affects_player


def dice_of(scene: Scene, who: Person, skill: str, specialty: str = "") -> int:
    """How many dice a plain roll of a skill has that can succeed."""
    return throw_of(scene, who, Attempt(skill, specialty)).dice.that_succeed


@formula("yearzero.core.unskilled-roll")
def level_of(scene: Scene, who: Person, attempt: Attempt) -> int:
    """The level that is rolled: the one given, or that of the skill or specialty."""
    if attempt.level is not None:
        return attempt.level
    if attempt.specialty:
        skill, specialty = printed_specialty(attempt.skill, attempt.specialty)
        _ = scene[SPECIALTIES[skill]][specialty]  # it takes part in the roll
    return scene[who].level(attempt.skill, attempt.specialty) if attempt.skill else 0


def artifact_dice(scene: Scene, who: Person, attempt: Attempt) -> tuple[ArtifactDie, ...]:
    """Those of the attempt, and those that effects give."""
    effects = found(scene, who, attempt)
    sizes: tuple[ArtifactDie, ...] = (D8, D10, D12)
    return (*attempt.artifact, *(size for size in sizes for _ in range(effects.extra(size))))


def itemise(scene: Scene, who: Person, attempt: Attempt) -> Mods:
    """Every die of a roll with its reason, for people."""
    attribute = rolled_attribute(scene, who, attempt)
    label, by = attribute, "yearzero.core.dice-pool"
    if attempt.in_place is not None:
        label, by = attempt.in_place.label, attempt.in_place.rule
    own = [Mod(base_dice(scene, who, attempt, attribute), label, by)]
    if level := level_of(scene, who, attempt):
        by_specialty = attempt.specialty and level > scene[who].skills.get(attempt.skill, 0)
        own.append(Mod(level, attempt.specialty if by_specialty else attempt.skill, "yearzero.core.dice-pool"))
    if bonus := thing_dice(scene, who, attempt):
        own.append(Mod(bonus, attempt.gear, "yearzero.gear.gear-dice"))
    return (*own, *modifications(scene, who, attempt))


@formula("yearzero.core.roll-procedure/check", HELP, ONE_CHANCE)
def check_attempt(scene: Scene, who: Person, attempt: Attempt) -> None:
    """Somebody able, gear that works, helpers who are here, and a goal that was not tried before."""
    if not attempt.while_broken:
        check_able(scene, who)
    if attempt.dice_of is not None:
        check_able(scene, attempt.dice_of)
    if attempt.gear:
        check_usable(scene, who, attempt.gear)
    year_zero.check_helpers(scene, who, attempt.helpers, most=scene[Help].max_helpers, rule=HELP)
    for each in attempt.helpers:
        check_helper(scene, who, each)
    tried = {attempt.goal, attempt.approach} & {*scene[who].tried} if attempt.goal else ()
    if tried and not found(scene, who, attempt).granted(AUTOMATIC):
        raise Refused(attempt.goal, because=f"{who} has rolled for this already", rule=ONE_CHANCE)
    if not attempt.while_broken:  # fear and the fight for life come to those who cannot move, too
        found(scene, who, attempt).check_allowed("roll", rule="yearzero.core.roll-procedure")
        check_taunted(scene, who, attempt)
        if not {ATTACKING, "swing", "reaction", NO_ACTION} & {*attempt.tags}:
            check_rampage(scene, who)


MUST_ATTACK: Final = "must attack "


@formula("yearzero.influence.performance/taunted")
def check_taunted(scene: Scene, who: Person, attempt: Attempt) -> None:
    """Whoever was taunted attacks the one who did it, as long as that one is here and on their feet."""
    if "attack" not in attempt.tags or attempt.against is None:
        return
    applied = found(scene, who, attempt)
    standing = (each.name for each in others(scene, who) if not scene[each].broken)
    taunters = tuple(name for name in standing if applied.granted(f"{MUST_ATTACK}{name}"))
    if taunters and attempt.against.name not in taunters:
        refuse(f"{who} was taunted by {taunters[0]}", rule="yearzero.influence.performance", legal=taunters)


@formula("yearzero.core.help/check")
def check_helper(scene: Scene, who: Person, helper: Person) -> None:
    """Somebody able, with time; in a fight helping takes the same kind of action as what is helped with."""
    try:
        check_able(scene, helper)
    except Refused as helpless:
        raise Refused("help", because=helpless.because, rule=helpless.rule) from None
    now = scene[CLOCK].now
    for each in scene[helper].busy:
        if each.until > now and not each.beside and each.name != helping(who):
            raise Refused("help", because=f"{helper} is busy: {each.name}", rule=HELP)
    kind = scene[BATTLE].acting if BATTLE in scene else None
    if kind is not None:
        check_has_action(scene, helper, kind, HELP)


def helping(who: Person) -> str:
    """What a helper is doing."""
    return f"helping {who}"


# --- Willpower --------------------------------------------------------------------------------------------------------


@rule("yearzero.core.willpower-extra-dice", HELP)
async def spend_willpower(scene: Scene, who: Person, attempt: Attempt) -> Mods:
    """Before the dice fall, whoever rolls and whoever helps may spend Willpower on further dice."""
    spent: list[Mod] = []
    for each in (who, *attempt.helpers):
        points = await offer(
            each,
            WILLPOWER,
            range(1, scene[ExtraDice].max_wp_per_round + 1),
            check=partial(check_willpower, scene, each),
            cost=lambda points: OptionCost(points, "willpower"),
        )
        if points:
            await alter(each, Survivor.spending, points)
            await alter(BATTLE, Battle.willing, each.name, points, if_present=True)
            spent.append(
                Mod(points * scene[ExtraDice].dice_per_wp, f"{each}'s Willpower", "yearzero.core.willpower-extra-dice")
            )
    return tuple(spent)


@formula("yearzero.core.willpower-extra-dice/check")
def check_willpower(scene: Scene, who: Person, points: int) -> None:
    """No more than there is."""
    if scene[who].willpower < points:
        raise Refused(
            "willpower", because=f"{who} has {scene[who].willpower}", rule="yearzero.core.willpower-extra-dice"
        )
    spent = scene[BATTLE].willpower.get(who.name, 0) if BATTLE in scene else 0
    if spent + points > scene[ExtraDice].max_wp_per_round:
        why = f"{spent} were spent in this round"
        raise Refused("willpower", because=why, rule="yearzero.core.willpower-extra-dice")


@rule("yearzero.core.willpower-buy-success")
async def buys_success(scene: Scene, who: Person, dice: DicePool) -> bool:
    """With six dice or more a success may be bought; then nothing is rolled."""
    if not await offer(who, BUY, YES, check=lambda _: check_buy(scene, who, dice)):
        return False
    await alter(who, Survivor.spending, scene[BoughtSuccess].cost_wp)
    return True


@formula("yearzero.core.willpower-buy-success/check")
def check_buy(scene: Scene, who: Person, dice: DicePool) -> None:
    """Enough dice that could succeed, and enough Willpower."""
    bought = scene[BoughtSuccess]
    if dice.that_succeed < bought.min_dice:
        why = f"it takes {bought.min_dice} dice, and there are {dice.that_succeed}"
        raise Refused("buy", because=why, rule="yearzero.core.willpower-buy-success")
    if scene[who].willpower < bought.cost_wp:
        why = f"it costs {bought.cost_wp} Willpower"
        raise Refused("buy", because=why, rule="yearzero.core.willpower-buy-success")
