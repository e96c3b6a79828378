"""The roll, in the book's order: one's own code, Fate, modifiers, the dice with their wild die, Character Points.

Every rule of this system that rolls awaits `roll_for` (an attribute or skill) or `roll_code` (any code), and so has all
of this, with its odds. Modifiers carry their unit: dice and pips change the code, `total` is added after the dice.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Final

from referee.core import (
    DICE,
    PIPS,
    TOTAL,
    YES,
    YES_NO,
    Audience,
    Die,
    Effect,
    Levels,
    Mod,
    Mods,
    Pool,
    Prompt,
    Scene,
    Total,
    alter,
    applying,
    by_unit,
    figure,
    formula,
    frozen,
    hand_over,
    lay,
    offer,
    option,
    refuse,
    roll,
    rule,
    rule_on,
    tell,
)
from referee.core.branches import Branch, BranchEnd, chosen, mapped
from referee.core.composed import decides_by_name
from referee.core.effects import EFFECTS, Adds, ApplicableEffects, Caps, Extra, after_use, use
from referee.core.modifiers import Itemised
from referee.core.questions import Choose, OptionCost, Request, Ruling
from referee.core.rules import Decide, Ends, after, kernel
from referee.core.trace import note
from referee.kits.dice_codes import (
    Code,
    CodeDice,
    Luck,
    Rolled,
    ScoreTable,
    WildTotal,
    open_die,
    point_branches,
)
from referee.systems.d6.codes import (
    ON_ONE,
    ON_SIX,
    SIDES,
    AbilityName,
    WildOneRule,
    WildSixRule,
    ability_name,
    code_dice,
    code_mods,
    dice_with,
    is_wild_one,
    own_code,
)
from referee.systems.d6.equipment import may_fail
from referee.systems.d6.restriction import (
    LIMIT,
    fated_restricted,
    is_dropped,
    limits,
    restricted_code,
    restricting_ability,
    unlimited,
)
from referee.systems.d6.sheet import FATE_POINTS, PIPS_PER_DIE, Hero, Person
from referee.systems.d6.wounds import DEAD, WOUND_PENALTY, health_effects

ROLL: Final = Prompt("roll")
WILD_SIX: Final = Prompt("wild-six")
WILD_ONE: Final = Prompt("wild-one")
WILD_AGAIN: Final = Prompt("wild-again")
CHARACTER_POINT: Final = Prompt("character-point")
EXTRA_DIE: Final = Prompt("extra-die")
FATE_POINT: Final = Prompt("fate-point")
BAD_LUCK: Final = Prompt("bad-luck")

ACTION: Final = "action"
"""The tag of rolls that are one of somebody's actions: several of them make each harder."""
ANY_ROLL: Final = "any roll"
"""The tag of rolls that health lowers: actions, skills, attributes, initiative; not what resists damage."""
LEGS: Final = "legs"
SPATIAL: Final = "spatial perception"
"""Tags of what fights take, and what those lack who limp or have one eye."""
ROUND_END: Final = "round end"
ADVENTURE: Final = "adventure"
"""The moment at which a new adventure begins."""
RE_ROLLS: Final = "re-roll by the game master"
"""How often the unlucky have to roll again in an adventure."""
IGNORES_STUNS: Final = "ignore stuns and fatigue"
DOUBLED: Final = "doubled code"
"""What a Fate Point gives until the round ends."""

MAX_POINTS: Final = figure("d6.core.character-points", "max_points_per_roll", int)
ROLLED_AGAIN: Final = figure("d6.core.character-points", "rolled_again", int)
POINTS_LIMIT: Final = figure("d6.core.character-points-limit", "max_points_per_roll", int)
OWN_LIMIT: Final = option("d6.core.character-points-limit")
MULTIPLIER: Final = figure(FATE_POINTS, "multiplier", int)


class FateScope(Enum):
    """How long a Fate Point doubles codes."""

    OFF = "off"
    ACTION = "single action"
    MOMENT = "from the moment spent"
    ROUND = "whole round"


class FateEffect(Enum):
    """What a Fate Point does."""

    DOUBLE = "double codes"
    RE_ROLL = "re-roll"


class Visibility(Enum):
    """Who sees the rolls of the game master's characters."""

    SECRET = "secret"  # noqa: S105  # no password
    OPEN = "open"


class Spend(Enum):
    """Which points may be spent on a roll."""

    ALL = "Character Points or a Fate Point"
    CHARACTER_POINTS = "Character Points"
    """Besides a Fate Point that was spent before."""
    FATE = "a Fate Point"
    LATER = "Character Points, once others have rolled, too"
    """Besides a Fate Point that was spent before; whoever asks for the roll offers them."""
    NOTHING = "nothing"


FATE_SCOPE: Final = option(FATE_POINTS, FateScope)
FATE_EFFECT: Final = option("d6.setting.fate-effects", FateEffect)
VISIBILITY: Final = option("d6.intro.roll-visibility", Visibility)


# --- the code of a roll -----------------------------------------------------------------------------------------------


def ability_used(scene: Scene, who: Person, using: str, tags: tuple[str, ...]) -> tuple[AbilityName, ApplicableEffects]:
    """What is rolled, with all that applies to it; in powered armor, say, its skill takes the place of others."""
    named = ability_name(scene, using)
    applied = felt(scene, who, *named.tags, *tags)
    swapped = applied.swapped(named.skill or named.attribute)
    if swapped == (named.skill or named.attribute):
        return named, applied
    return ability_name(scene, restricting_ability(scene, who, swapped, using)), applied


def caps_of(scene: Scene, applied: ApplicableEffects, named: AbilityName) -> Mods:
    """What surroundings limit a roll to, as modifiers: a skill in a strange place, unless that place is mastered."""
    found = ((each.effect.does, each.rule) for each in applied.active if isinstance(each.effect.does, Caps))
    per_die, own = scene[PIPS_PER_DIE], (named.key, named.skill, named.attribute)
    return tuple(
        Mod(Code.from_plain(cap.unless).in_pips(per_die) if cap.unless else 0, cap.by, rule, unit=LIMIT)
        for cap, rule in found
        if cap.by not in own and (cap.of == "*" or cap.of in own) and not is_dropped(scene)
    )


@frozen
class CodeUsed:
    """The code of an ability as it is rolled: with what restricts it, and its modifiers without that."""

    own: Code
    label: str
    mods: Mods
    using: str
    limiting: Mods = ()

    @classmethod
    def of(cls, scene: Scene, who: Person, named: AbilityName, mods: Mods) -> CodeUsed:
        if not (limiting := limits(mods)):
            return cls(own_code(scene, who, named.key), named.key, mods, named.key)
        for each in ("modifiers", "no-action", "character-points"):
            note(f"d6.skills.restrictive-{each}")
        own = restricted_code(scene, who, named.key, limiting)
        is_less = own != own_code(scene, who, named.key)
        limits_ = (restricting_ability(scene, who, mod.label, named.key) for mod in limiting if is_less)
        by = next((each for each in limits_ if own_code(scene, who, each) == own), "")
        return cls(own, f"{named.key}, limited by {by}" if by else named.key, unlimited(mods), named.key, limiting)

    def fated_as(self, scene: Scene, who: Person) -> Code | None:
        """What Fate makes of it, if that is not simply twice as much."""
        if not self.limiting:
            return None
        return fated_restricted(scene, who, self.using, self.limiting, scene[MULTIPLIER])


# --- the whole roll ---------------------------------------------------------------------------------------------------


@rule("d6.core.roll/ability", "d6.core.roll")
async def roll_for(
    scene: Scene,
    who: Person,
    using: str,
    mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    spend: Spend = Spend.ALL,
    hidden: bool = False,
    prompt: Prompt = ROLL,
) -> Rolled:
    """Roll an attribute or a skill, with everything that applies to it: merits, flaws, health, what was laid on one."""
    named, applied = ability_used(scene, who, using, tags)
    await use(limited(applied))
    found = CodeUsed.of(scene, who, named, (*mods, *rolled_mods(applied.mods), *caps_of(scene, applied, named)))
    return await hand_over(
        roll_code(who, found.own, found.label, found.mods, spend, hidden, prompt, found.fated_as(scene, who))
    )


@rule("d6.core.roll", "d6.core.core-resolution", "d6.skills.restrictive-character-points")
async def roll_code(
    scene: Scene,
    who: Person,
    own: Code,
    label: str = "",
    mods: Mods = (),
    spend: Spend = Spend.ALL,
    hidden: bool = False,
    prompt: Prompt = ROLL,
    by_fate: Code | None = None,
) -> Rolled:
    """One's own code, which Fate doubles; modifiers, which it does not; the dice; Character Points."""
    fated = await spend_fate(who, spend, hidden)
    doubled = (by_fate or fated_code(scene, own)) if fated else own
    code, plus = modified_code(scene, doubled, mods)
    shown = Itemised((*code_mods(doubled, label, "d6.core.dice-code"), *mods))
    points = may_better(scene, spend, hidden)
    return await hand_over(roll_with_points(who, code, plus, points, fated, shown, hidden, prompt))


def rolled_for(
    scene: Scene,
    decide: Decide,
    who: Person,
    using: str,
    mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    spend: Spend = Spend.ALL,
    hidden: bool = False,
    prompt: Prompt = ROLL,
) -> Branch[Rolled]:
    """Every score; what applies a few times only is used once more."""
    named, applied = ability_used(scene, who, using, tags)
    given, used, now = (*mods, *rolled_mods(applied.mods), *caps_of(scene, applied, named)), limited(applied), scene
    left = after_use(scene, used) if used.active else None
    if left is not None:
        now = after(scene, EFFECTS, left)
    found = CodeUsed.of(now, who, named, given)
    fated = found.fated_as(now, who)
    branch = rolled_code(now, decide, who, found.own, found.label, found.mods, spend, hidden, prompt, fated)
    if left is None:
        return branch
    return mapped(branch, lambda rolled: rolled, ((EFFECTS, left),))


kernel(roll_for)(rolled_for)


def rolled_code(
    scene: Scene,
    decide: Decide,
    who: Person,
    own: Code,
    label: str = "",
    mods: Mods = (),
    spend: Spend = Spend.ALL,
    hidden: bool = False,
    prompt: Prompt = ROLL,
    by_fate: Code | None = None,
) -> Branch[Rolled]:
    """Every score, with Fate and without."""

    def rolled(now: Scene, fated: bool) -> Branch[Rolled]:
        code, plus = modified_code(now, (by_fate or fated_code(now, own)) if fated else own, mods)
        points = may_better(scene, spend, hidden)
        return rolled_with_points(now, decide, who, code, plus, points, fated, Itemised(), hidden, prompt)

    if spend is Spend.NOTHING or scene[FATE_SCOPE] is FateScope.OFF:
        return rolled(scene, False)
    if is_fated(scene, who) or hidden or spend in (Spend.CHARACTER_POINTS, Spend.LATER):
        return rolled(scene, is_fated(scene, who))
    spent = scene[who].spending(0, 1)

    def way(fated: bool | None) -> Branch[Rolled]:
        return (
            mapped(rolled(after(scene, who, spent), True), lambda found: found, ((who, spent),))
            if fated
            else rolled(scene, False)
        )

    return chosen(offer_fate(scene, who), scene, way)


kernel(roll_code)(rolled_code)


@formula("d6.core.fate-before-modifiers")
def fated_code(scene: Scene, own: Code) -> Code:
    """One's own code is doubled before anything modifies it."""
    return own * scene[MULTIPLIER]


@formula("d6.core.modifier-types")
def modified_code(scene: Scene, own: Code, mods: Mods) -> tuple[Code, int]:
    """A code with its modifiers, as it is rolled, and what is added to the total. Modifiers without a unit are dice."""
    found = by_unit(mods, DICE, PIPS, TOTAL, rule="d6.core.modifier-types")
    return own + Code(found[DICE], found[PIPS]), found[TOTAL]


def felt(scene: Scene, who: Person, *tags: str) -> ApplicableEffects:
    """Every effect that applies; in rage neither stuns nor fatigue do, and wounds less."""
    applied = applying(scene, who, *tags)
    if ANY_ROLL not in tags or not applied.granted(IGNORES_STUNS):
        return applied
    sheet, traits = scene[who], tuple(scene[who].traits_at_work(scene))
    calm = tuple(health_effects(scene, sheet.wound, sheet.stuns, sheet.fatigue, (), traits))
    laid = (each for each in applying(scene, who, WOUND_PENALTY).active if each.number is not None)
    in_rage = health_effects(scene, sheet.wound, 0, Levels(), (), (*traits, *laid))
    others = (each for each in applied.active if each not in calm)
    return replace(applied, active=(*others, *(each for each in in_rage if each.effect.when <= set(tags))))


def limited(applied: ApplicableEffects) -> ApplicableEffects:
    """What adds to a roll so many times only."""
    adds = (each for each in applied.active if isinstance(each.effect.does, Adds))
    return replace(applied, active=tuple(each for each in adds if each.effect.uses is not None))


def rolled_mods(mods: Mods) -> Mods:
    """Modifiers without those that change the difficulty."""
    return tuple(mod for mod in mods if mod.unit != "difficulty")


@formula("d6.core.hidden-roll")
def may_better(scene: Scene, spend: Spend, hidden: bool) -> bool:
    """Whether Character Points may be spent on a roll: not on one that is hidden from whoever would spend them."""
    return spend in (Spend.ALL, Spend.CHARACTER_POINTS) and not hidden


@formula("d6.intro.roll-visibility")
def audience(scene: Scene, who: Person | None, hidden: bool) -> Audience:
    """Who sees a roll: a player's everyone, unless it is hidden; the game master's only the game master, by default.

    A roll of nobody's, such as the damage of a fall, is seen by everyone.
    """
    secret = hidden or (who is not None and not scene[who].player and scene[VISIBILITY] is Visibility.SECRET)
    return Audience.MASTER if secret else Audience.EVERYONE


def is_hidden_roll(scene: Scene, who: Person, hidden: bool) -> bool:
    """Whether a roll is the game master's secret: then the players do not even know that it was made."""
    return audience(scene, who, hidden) is Audience.MASTER


def is_secret_roll(scene: Scene, who: Person) -> bool:
    """The same of a roll that nobody hides: it is, if it is one of the game master's people."""
    return is_hidden_roll(scene, who, hidden=False)


# --- the dice ---------------------------------------------------------------------------------------------------------


@rule("d6.core.roll/dice", "d6.core.wild-die", "d6.core.wild-6", "d6.core.wild-1", "d6.core.wild-1-not-on-reroll")
async def throw(
    scene: Scene,
    who: Person | None,
    code: Code,
    plus: int,
    shown: Itemised,
    hidden: bool = False,
    prompt: Prompt = ROLL,
) -> Rolled:
    """The dice and the pips, and what the wild die does; without dice, the pips alone."""
    if code.dice <= 0:
        return flat(scene, code).plus(plus)
    dice, seen_by = dice_of(scene, who), audience(scene, who, hidden)
    seen = await roll(prompt, who, dice.pool(code), WildTotal, mods=shown.mods, audience=seen_by)
    more = 0
    if asks_about_one(scene, dice, seen):
        dice = dice_with(dice, one=await ask_about_one(seen_by))
    if asks_about_six(scene, dice, seen):
        six = await ask_about_six(seen_by)
        dice = dice_with(dice, six=six)
        if six is WildSixRule.RE_ROLL:
            again = Pool.of((open_die("wild", scene[SIDES], seen.wild), 1))
            more = (await roll(WILD_AGAIN, who, again, Total, audience=seen_by)).total
    rolled = dice.score(code, seen).plus(more + plus)
    if who is not None and scene[who].flaws and await has_bad_luck(who, seen_by):
        return await hand_over(throw(who, code, plus, shown, hidden, prompt))
    if rolled.luck is Luck.FORTUNE:
        await tell("good-fortune", who=who, audience=seen_by)
    elif rolled.luck is Luck.COMPLICATION:
        await tell("complication", who=who, audience=seen_by)
    return rolled


@rule("d6.flaws.mental-i-u/bad-luck", "d6.flaws.mental-i-u")
async def has_bad_luck(scene: Scene, who: Person, seen_by: Audience) -> bool:
    """The game master may make the unlucky roll again, so often in an adventure."""
    if applying(scene, who).extra(RE_ROLLS) <= 0 or not await rule_on(
        BAD_LUCK, False, options=YES_NO, audience=seen_by
    ):
        return False
    await lay(who, Effect(Extra(RE_ROLLS, -1), until=ADVENTURE), source="bad luck")
    return True


@formula("d6.core.dice-code-subtract/no-dice", "d6.core.dice-code-subtract")
def flat(scene: Scene, code: Code) -> Rolled:
    """Without dice the pips alone, less what the missing dice are worth; nothing is wild about it."""
    return code_dice(scene).flat(code)


def ask_about_one(seen_by: Audience) -> Ruling[WildOneRule]:
    options = (WildOneRule.IGNORE, WildOneRule.DISCARD, WildOneRule.COMPLICATION)
    return rule_on(WILD_ONE, WildOneRule.IGNORE, options=options, audience=seen_by)


def ask_about_six(seen_by: Audience) -> Ruling[WildSixRule]:
    options = (WildSixRule.RE_ROLL, WildSixRule.GOOD_FORTUNE)
    return rule_on(WILD_SIX, WildSixRule.RE_ROLL, options=options, audience=seen_by)


def asks_about_one(scene: Scene, dice: CodeDice, seen: WildTotal) -> bool:
    """Whether the game master decides what this wild one does."""
    if dice.wild is None or dice.fumbles_on_ones or scene[ON_ONE] is not WildOneRule.GAME_MASTER:
        return False
    return is_wild_one(scene, (seen.wild,))


def asks_about_six(scene: Scene, dice: CodeDice, seen: WildTotal) -> bool:
    """Whether the game master decides what this wild six does."""
    return dice.wild is not None and seen.wild == dice.wild.six and scene[ON_SIX] is WildSixRule.GAME_MASTER


def dice_of(scene: Scene, who: Person | None) -> CodeDice:
    """How somebody's codes are rolled: in the hands of who uses something damaged, a wild one is told."""
    dice = code_dice(scene)
    if (
        dice.wild is None
        or who is None
        or not any(each.ready and may_fail(scene, each) for each in scene[who].equipment)
    ):
        return dice
    return replace(dice, wild=replace(dice.wild, tells_one=True))


@kernel(throw)
def thrown(
    scene: Scene,
    decide: Decide,
    who: Person | None,
    code: Code,
    plus: int,
    shown: Itemised,
    hidden: bool = False,
    prompt: Prompt = ROLL,
) -> Ends[Rolled]:
    return score_table(scene, decide, who, code, plus, hidden).ends()


def score_table(scene: Scene, decide: Decide, who: Person | None, code: Code, plus: int, hidden: bool) -> ScoreTable:
    """Every score of a code. What the game master decides about the wild die is asked once for all throws."""
    if code.dice <= 0:
        return ScoreTable(((flat(scene, code).plus(plus), 1),))
    dice = dice_of(scene, who)
    if dice.wild is not None and scene[ON_ONE] is WildOneRule.GAME_MASTER and not dice.fumbles_on_ones:
        dice = dice_with(dice, one=decide(ask_about_one(audience(scene, who, hidden)), scene))
    if dice.wild is not None and scene[ON_SIX] is WildSixRule.GAME_MASTER:
        dice = dice_with(dice, six=decide(ask_about_six(audience(scene, who, hidden)), scene))
    return dice.scores(code).plus(plus)


# --- Character Points -------------------------------------------------------------------------------------------------


@rule("d6.core.character-points")
async def roll_with_points(
    scene: Scene,
    who: Person,
    code: Code,
    plus: int,
    points: bool,
    fated: bool,
    shown: Itemised,
    hidden: bool = False,
    prompt: Prompt = ROLL,
) -> Rolled:
    """After the roll an extra die may be bought, seen, then another; a six on it is rolled again and added."""
    rolled = await throw(who, code, plus, shown, hidden, prompt)
    return await hand_over(better(who, rolled, 0, fated, hidden)) if points else rolled


@rule("d6.core.character-points/extra-die", "d6.core.character-points")
async def better(scene: Scene, who: Person, rolled: Rolled, spent: int, fated: bool, hidden: bool) -> Rolled:
    """One more die for a Character Point, after so many were spent on this roll; and then perhaps another."""
    if not await offer_point(scene, who, rolled, spent, fated):
        return rolled
    return await hand_over(better(who, await bettered_by_a_die(who, rolled, hidden), spent + 1, fated, hidden))


@rule("d6.core.character-points/buy", "d6.core.character-points")
async def bettered_by_a_die(scene: Scene, who: Person, rolled: Rolled, hidden: bool = False) -> Rolled:
    """The extra die that a Character Point buys."""
    await alter(who, Hero.spending_on_roll)
    extra = await roll(EXTRA_DIE, who, Pool.of((extra_die(scene), 1)), Total, audience=audience(scene, who, hidden))
    return rolled.plus(extra.total)


def extra_die(scene: Scene) -> Die:
    return open_die("extra", scene[SIDES], scene[ROLLED_AGAIN])


def offer_point(
    scene: Scene, who: Person, rolled: Rolled, spent: int, fated: bool, prompt: Prompt = CHARACTER_POINT
) -> Choose[bool | None]:
    """One more die for a Character Point, if that is legal."""
    return offer(
        who,
        prompt,
        YES,
        check=lambda _: check_point(scene, who, spent, fated),
        about=rolled,
        audience=audience(scene, who, False),
        cost=lambda _: OptionCost(1, "character_points"),
    )


@formula("d6.core.character-points/check", "d6.core.character-points", "d6.core.fate-no-character-points")
def check_point(scene: Scene, who: Person, spent: int, fated: bool) -> None:
    """One must be left, only so many on one roll, and never together with Fate; the dead spend none."""
    check_alive(scene, who)
    if fated:
        refuse("a Fate Point doubles this roll", rule="d6.core.fate-no-character-points")
    if not scene[who].points_for_rolls:
        refuse("no Character Point is left", rule="d6.core.character-points")
    if spent >= points_limit(scene):
        by = POINTS_LIMIT if scene[OWN_LIMIT] else MAX_POINTS
        refuse(f"at most {points_limit(scene)} on a roll", rule=by.rule)


def check_alive(scene: Scene, who: Person) -> None:
    if scene[who].wound == DEAD:
        refuse(f"{who} is dead", rule="d6.health.wound-levels")


def points_limit(scene: Scene) -> int:
    """How many Character Points may be spent on one roll in this campaign."""
    return setting_points_limit(scene) if scene[OWN_LIMIT] else scene[MAX_POINTS]


@formula("d6.setting.character-points")
def setting_points_limit(scene: Scene) -> int:
    """The most Character Points for an action that this setting allows."""
    return scene[POINTS_LIMIT]


def rolled_with_points(
    scene: Scene,
    decide: Decide,
    who: Person,
    code: Code,
    plus: int,
    points: bool,
    fated: bool,
    shown: Itemised,
    hidden: bool = False,
    prompt: Prompt = ROLL,
) -> Branch[Rolled]:
    """Every score; with points to spend, every extra die that may be bought."""
    table = score_table(scene, decide, who, code, plus, hidden)
    return with_points(scene, decide, who, table, 0, fated) if points else table.branch()


kernel(roll_with_points)(rolled_with_points)


@kernel(better)
def bettered(
    scene: Scene, decide: Decide, who: Person, rolled: Rolled, spent: int, fated: bool, hidden: bool
) -> Branch[Rolled]:
    return with_points(scene, decide, who, ScoreTable(((rolled, 1),)), spent, fated)


def with_points(
    scene: Scene, decide: Decide, who: Person, table: ScoreTable, before: int, fated: bool
) -> Branch[Rolled]:
    """Every score with every extra die that may be bought, after so many were."""
    if fated or not scene[who].points_for_rolls:
        return table.branch()
    if decides_by_name(decide) and not decide(offer_point(scene, who, table.rows[0][0], before, fated), scene):
        return table.branch()  # whoever buys no first die, whatever it is for, buys none
    scenes = [scene]

    def scene_after(spent: int) -> Scene:
        while len(scenes) <= spent:
            scenes.append(after(scenes[-1], who, scenes[-1][who].spending_on_roll()))
        return scenes[spent]

    def end(rolled: Rolled, spent: int) -> BranchEnd[Rolled]:
        return BranchEnd(rolled, ((who, scene_after(spent)[who]),) if spent else ())

    return point_branches(
        table,
        extra_die(scene),
        offer=lambda rolled, spent: offer_point(scene_after(spent), who, rolled, before + spent, fated),
        scene_after=scene_after,
        end=end,
    )


# --- Fate Points ------------------------------------------------------------------------------------------------------


@rule("d6.core.roll/fate", "d6.core.roll")
async def spend_fate(scene: Scene, who: Person, spend: Spend, hidden: bool) -> bool:
    """Whether Fate doubles this roll: it does so already, or a point is spent on this action alone."""
    if spend is Spend.NOTHING or scene[FATE_SCOPE] is FateScope.OFF:
        return False
    if spend in (Spend.CHARACTER_POINTS, Spend.LATER) or hidden or not await offer_fate(scene, who):
        return is_fated(scene, who)
    await alter(who, Hero.spending, 0, 1, rule=FATE_POINTS)
    return True


def is_fated(scene: Scene, who: Person) -> bool:
    """Whether a Fate Point doubles everything this person rolls now."""
    return applying(scene, who).extra(DOUBLED) > 0  # not a query of Django


def offer_fate(scene: Scene, who: Person) -> Request[bool | None]:
    return offer(
        who,
        FATE_POINT,
        YES,
        check=lambda _: check_fate(scene, who, (FateScope.ACTION,)),
        audience=audience(scene, who, False),
        cost=lambda _: OptionCost(1, "fate_points"),
    )


@formula("d6.core.fate-points/check", FATE_POINTS)
def check_fate(scene: Scene, who: Person, scopes: tuple[FateScope, ...]) -> None:
    """One must be left, only one counts at a time, and it is spent as this campaign plays it."""
    check_alive(scene, who)
    if scene[FATE_EFFECT] is FateEffect.RE_ROLL:
        refuse("here Fate rolls again what has failed", rule="d6.setting.fate-effects", legal=("after a failed roll",))
    if is_fated(scene, who):
        refuse("a Fate Point counts already", rule=FATE_POINTS, legal=("another when it is over",))
    if scene[FATE_SCOPE] not in scopes:
        refuse(f"here a Fate Point counts for: {scene[FATE_SCOPE].value}", rule=FATE_POINTS)
    if not scene[who].fate_points:
        refuse("no Fate Point is left", rule=FATE_POINTS)


@rule(FATE_POINTS)
async def spend_round_fate(scene: Scene, who: Person) -> None:
    """Every code of this person is doubled until the round ends."""
    await alter(who, Hero.spending, 0, 1)
    await lay(who, Effect(Extra(DOUBLED), until=ROUND_END), source="Fate Point")
