"""Merits and flaws in play: the rolls they ask for, guilt, connections, secrets, and what an adventure brings back."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Audience,
    Hidden,
    Levels,
    Mods,
    Pick,
    Refused,
    Scene,
    action,
    alter,
    applying,
    cancel_deadline,
    figure,
    formula,
    lay,
    refuse,
    rule,
    set_deadline,
    suggest,
    tell,
)
from referee.core.effects import EFFECTS, Effects, Extra, Grants, moment, remove_effects, renew_uses
from referee.core.plain import meant, spoken
from referee.kits.wounds import how_long
from referee.systems.d6.creation.points import SECRET, SecretFigures
from referee.systems.d6.creation.traits import SECRET_FLAW, SECRET_MERIT
from referee.systems.d6.damage import Anybody
from referee.systems.d6.hazards import FLAW, face
from referee.systems.d6.health import (
    DURATION,
    WHILE_WOUNDED,
    WOUND_A_MINUTE,
    check_knock_out,
    cumulated,
    set_level,
    tire,
    wounded,
)
from referee.systems.d6.resolution import (
    TESTED,
    TestResult,
    any_difficulty,
    difficulty_number,
    roll_against,
    usual_difficulties,
)
from referee.systems.d6.rolls import ACTION, ADVENTURE, ANY_ROLL, ROUND_END, Spend, check_alive, is_hidden_roll
from referee.systems.d6.sheet import Hazard, Hero, Person
from referee.systems.d6.situations import Situation
from referee.systems.d6.time import rounds_of, units
from referee.systems.d6.traits import (
    MERITS,
    NATURE,
    CharacterTrait,
    TraitRoll,
    TraitRow,
    check_trait,
    effects_of,
    is_merit,
    label,
    split,
    step_of,
    trait_row,
    trait_value,
)
from referee.systems.d6.wounds import DEAD, MORTAL, WOUND_LEVELS, WOUNDED

RESIST: Final = "d6.flaws.mental-b-g/resist"
GUILT: Final = "Guilt"
FAVOR: Final = "Favor"
ALLY: Final = "Ally"
DIE_OF_FATIGUE: Final = "die of fatigue"
LUCK: Final = "Character Point"


# --- the traits that somebody has -------------------------------------------------------------------------------------


def has_roll(scene: Scene, trait: CharacterTrait) -> bool:
    return roll_of(scene, trait) is not None


def roll_of(scene: Scene, trait: CharacterTrait) -> TraitRoll | None:
    """The roll that a merit or flaw asks for at its level."""
    row = trait_row(scene, trait.name)[0]
    level = row.level(trait.level)
    return (level.roll if level else None) or row.roll


def in_words(scene: Scene, trait: CharacterTrait) -> str:
    """A merit or flaw as a sheet says it: its name, what it is about, its level where there are several, its parts."""
    row = trait_row(scene, trait.name)[0]
    level = row.level(trait.level)
    said = [level.name if level and level.name else f"level {trait.level}"] if row.most_level != 1 else []
    for part in row.parts:
        step = step_of(scene, trait, part.name).name
        said.append(f"{part.name} {step}" if step.isdigit() else step)
    said += ["secret"] if trait.secret else []
    return f"{label(trait)}: {', '.join(said)}" if said else label(trait)


@formula("d6.creation.merits-flaws-nature/merits", "d6.creation.merits-flaws-nature")
def merits_in_words(scene: Scene, who: Person) -> str:
    """Somebody's merits, as a sheet says them."""
    return "; ".join(in_words(scene, each) for each in scene[who].merits)


@formula("d6.creation.merits-flaws-nature/flaws", "d6.creation.merits-flaws-nature")
def flaws_in_words(scene: Scene, who: Person) -> str:
    """Somebody's flaws, as a sheet says them."""
    return "; ".join(in_words(scene, each) for each in scene[who].flaws)


def traits_with_roll(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(label(each) for each in open_traits(scene, who) if has_roll(scene, each))


def open_traits(scene: Scene, who: Person) -> tuple[CharacterTrait, ...]:
    return tuple(each for each in (*scene[who].merits, *scene[who].flaws) if not each.secret)


def trait_named(scene: Scene, who: Person, name: str) -> CharacterTrait:
    """A merit or flaw that somebody has, by its name alone if that is enough."""
    had = {label(each): each for each in open_traits(scene, who)}
    if (found := meant(name, had)) is not None:
        return had[found]
    several = any(spoken(each.name) == spoken(name) for each in had.values())
    because = f"{who} has several of them" if several else f"{who} has no such merit or flaw"
    raise Refused(name, because=because, rule=NATURE, legal=tuple(had))


def with_trait(sheet: Hero, was: CharacterTrait, now: CharacterTrait | None) -> Hero:
    """A sheet with one of its merits or flaws changed, or gone."""

    def changed(traits: tuple[CharacterTrait, ...]) -> tuple[CharacterTrait, ...]:
        return tuple(each for one in traits if (each := now if one == was else one) is not None)

    return replace(sheet, merits=changed(sheet.merits), flaws=changed(sheet.flaws))


# --- rolls that merits and flaws ask for ------------------------------------------------------------------------------


@formula("d6.flaws.mental-b-g/difficulty", "d6.flaws.addiction", "d6.flaws.mental-i-u", "d6.flaws.physical-e-w")
def trait_difficulty(scene: Scene, trait: CharacterTrait, difficulty: int = 0) -> int:
    """What a roll against a flaw must reach: more for stronger drugs, greater greed, and each roll in a row.

    What the game master sets stands for all of that, but where it is only how strong the stimulus is.
    """
    row, asked = trait_row(scene, trait.name)[0], roll_of(scene, trait)
    if difficulty and not (asked and asked.by_stimulus):
        return difficulty
    if asked is None or asked.difficulty is None:
        refuse("the game master sets the difficulty", what=trait.name, rule=rule_of(scene, trait))
    step = asked.step_each or asked.step_after_success or asked.step_after_failure
    stronger = sum(step_of(scene, trait, part.name).difficulty for part in row.parts)
    greed = asked.per_value_above_least * (trait_value(scene, trait) - (row.least or 0)) if row.least else 0
    return (difficulty or asked.difficulty) + asked.harder + stronger + greed + step * trait.tries


def rule_of(scene: Scene, trait: CharacterTrait) -> str:
    row, table = trait_row(scene, trait.name)
    return scene[table].rule_of(row.name)


def tries_after(asked: TraitRoll, tries: int, success: bool) -> int:
    """How many rolls in a row count for the next difficulty."""
    if asked.step_each:
        return tries + 1
    counts = success if asked.step_after_success else not success
    return tries + 1 if counts and (asked.step_after_success or asked.step_after_failure) else 0


def check_roll(scene: Scene, who: Person, name: str) -> None:
    """A merit or flaw that somebody has, and that asks for a roll; its name is enough, if there is only one."""
    if not has_roll(scene, trait_named(scene, who, name)):
        refuse("it asks for no roll", what=name, legal=traits_with_roll(scene, who))


def own_or_usual(scene: Scene, who: Person) -> tuple[int, ...]:
    return (0, *usual_difficulties(scene, who))


def is_rolled_in_secret(scene: Scene, who: Person, trait: str) -> bool:
    """Whether the game master makes the roll of a merit or flaw, such as Danger sense, and nobody is told of it."""
    asked = roll_of(scene, trait_named(scene, who, trait))
    return is_hidden_roll(scene, who, asked is not None and asked.secret)


TraitName: TypeAlias = Annotated[str, Pick(traits_with_roll, check_roll)]


@action(
    "resist",
    RESIST,
    "d6.flaws.mental-b-g",
    "d6.flaws.mental-i-u",
    "d6.flaws.addiction",
    "d6.flaws.physical-a-c",
    "d6.flaws.physical-e-w",
    bands=TESTED,
    turn=check_alive,
    secret=is_rolled_in_secret,
)
async def resist(
    scene: Scene,
    who: Person,
    trait: TraitName,
    difficulty: Annotated[int, Pick(own_or_usual, any_difficulty, named=difficulty_number)] = 0,
    mods: Mods = (),
    situation: Situation = (),
) -> TestResult:
    """Make the roll that a merit or flaw asks for, and take what comes of it. 0: the difficulty of the book."""
    had = trait_named(scene, who, trait)
    if (asked := roll_of(scene, had)) is None:
        refuse("it asks for no roll", what=trait, legal=traits_with_roll(scene, who))
    needed = trait_difficulty(scene, had, difficulty)
    tags = (*((ACTION,) if asked.action else ()), ANY_ROLL, had.name, *situation)
    using = asked.advanced if asked.advanced in scene[who].advanced_skills else asked.skill
    result = await roll_against(
        who, using, needed, mods, tags, Spend.NOTHING if asked.secret else Spend.ALL, asked.secret
    )
    tries = tries_after(asked, had.tries, result.success)
    if result.success and lasts_on(asked):
        await alter(who, with_trait, had, replace(had, tries=tries))
        return result
    since = None if result.success else begun(scene, had)
    await alter(who, with_trait, had, replace(had, tries=tries, since=since))
    await free(who, label(had))
    for effect in asked.on_success if result.success else asked.on_failure:
        if effect.does == Extra(WOUND, 1):
            await wounded_by(who, had)
            continue
        await lay(who, effect, source=label(had), by=rule_of(scene, had))
    if not result.success:
        await trouble_lasts(who, had)
    return result


def lasts_on(asked: TraitRoll) -> bool:
    """Whether what a failure brought goes on after a success: an addict needs a dose, a seizure or a rage its end."""
    return not asked.on_success and any(each.until not in ("", ROUND_END) for each in asked.on_failure)


@rule("d6.flaws.physical-e-w/lasts", "d6.flaws.physical-e-w")
async def trouble_lasts(scene: Scene, who: Person, trait: CharacterTrait) -> None:
    """A seizure lasts as long as the book says, and ends by itself."""
    level = trait_row(scene, trait.name)[0].level(trait.level)
    if level is None or level.lasts is None:
        return
    sizes = {unit.name: unit.size for unit in units(scene)}
    await cancel_deadline(who, trouble_passes, about=label(trait))
    await set_deadline(
        await how_long(scene, who, DURATION, level.lasts, sizes), who, trouble_passes, about=label(trait)
    )


@rule("d6.flaws.physical-e-w/passes", "d6.flaws.physical-e-w")
async def trouble_passes(scene: Scene, who: Person, about: str) -> None:
    """The time of a seizure is over."""
    if any(about == label(each) for each in open_traits(scene, who)):
        await trouble_over(who, trait_named(scene, who, about))


def begun(scene: Scene, trait: CharacterTrait) -> int | None:
    """Since when somebody suffers from a flaw that tires, if it begins now or goes on."""
    if not dice_of_fatigue(scene, trait):
        return None
    return scene[CLOCK].now if trait.since is None else trait.since


def dice_of_fatigue(scene: Scene, trait: CharacterTrait) -> int:
    """How many dice of fatigue a flaw leaves."""
    does = (each.effect.does for each in effects_of(scene, trait))
    return sum(each.times for each in does if isinstance(each, Extra) and each.of == DIE_OF_FATIGUE)


@rule("d6.flaws.mental-b-g/free", "d6.flaws.mental-b-g")
async def free(scene: Scene, who: Person, name: str) -> None:
    """What a flaw has laid on somebody ends."""
    laid = scene.get(EFFECTS, Effects()).lasting
    if any(each.on == who.name and each.source == name for each in laid):
        await remove_effects(who, name)


def troubles(scene: Scene, who: None, hero: Person) -> tuple[str, ...]:
    return traits_with_roll(scene, hero)


def check_trouble(scene: Scene, who: None, name: str, hero: Person) -> None:
    check_roll(scene, hero, name)


@action("end-of-trouble", "d6.flaws.addiction/dose", "d6.flaws.addiction", master=True)
async def end_of_trouble(scene: Scene, hero: Anybody, trait: Annotated[str, Pick(troubles, check_trouble)]) -> None:
    """A dose, the end of a journey, of contact, of rage: what a flaw did ends, and rolls start anew."""
    had = trait_named(scene, hero, trait)
    await cancel_deadline(hero, trouble_passes, about=label(had))
    await trouble_over(hero, had)


@rule("d6.flaws.physical-e-w/over", "d6.flaws.physical-e-w", "d6.flaws.mental-b-g")
async def trouble_over(scene: Scene, who: Person, trait: CharacterTrait) -> None:
    """What a flaw did to somebody ends; a seizure or a rage leaves them tired."""
    await free(who, label(trait))
    await alter(who, with_trait, trait, replace(trait, tries=0, since=None))
    if trait.since is not None:
        await aftermath(who, trait)


@rule("d6.flaws.physical-e-w/aftermath", "d6.flaws.physical-e-w", "d6.flaws.mental-b-g")
async def aftermath(scene: Scene, who: Person, trait: CharacterTrait) -> None:
    """After a seizure or a rage one is tired for a while, and what was ignored so far counts."""
    await check_knock_out(who)
    span, now = trait_row(scene, trait.name)[0].fatigue_lasts, scene[CLOCK].now
    sizes = {unit.name: unit.size for unit in units(scene)}
    rounds = await how_long(scene, who, DURATION, span, sizes) if span else now - (trait.since or 0)
    await tire(who, trait.name, scene[who].fatigue.get(trait.name, 0) + dice_of_fatigue(scene, trait))
    await set_deadline(max(1, rounds), who, refreshed, about=trait.name)


@rule("d6.flaws.physical-e-w/refreshed", "d6.flaws.physical-e-w", "d6.flaws.mental-b-g")
async def refreshed(scene: Scene, who: Person, about: str) -> None:
    """The fatigue of a seizure or a rage is over."""
    await tire(who, about, 0)


# --- wounds that flaws bring ------------------------------------------------------------------------------------------

WOUND: Final = "wound"
WOUND_A_PERIOD: Final = "wound a period"
DIE_OF_IT: Final = "die of it"


def exposure_rounds(scene: Scene, trait: CharacterTrait) -> int:
    """After how many rounds of contact, or of want, a flaw wounds; 0 if it never does so."""
    for each in effects_of(scene, trait):
        if isinstance(does := each.effect.does, Extra) and WHILE_WOUNDED not in each.effect.when:
            if does.of == WOUND_A_MINUTE:
                return rounds_of(scene, 1, "minute")
            if does.of == WOUND_A_PERIOD:
                return rounds_of(scene, step_of(scene, trait, "frequency").minutes, "minute")
    return 0


def exposures(scene: Scene, who: object, victim: Person) -> tuple[str, ...]:
    """The flaws that wound somebody in contact with something, or without it."""
    return tuple(label(each) for each in open_traits(scene, victim) if exposure_rounds(scene, each))


def check_exposure(scene: Scene, who: object, flaw: str, victim: Person) -> None:
    if not exposure_rounds(scene, trait_named(scene, victim, flaw)):
        refuse("it wounds nobody by and by", what=flaw, legal=exposures(scene, who, victim))


@action("expose", "d6.flaws.physical-a-c/exposure", "d6.flaws.physical-a-c", "d6.flaws.dependence", master=True)
async def expose_to(scene: Scene, victim: Anybody, flaw: Annotated[str, Pick(exposures, check_exposure)]) -> None:
    """Somebody is in contact with what they cannot bear, or without what they need: it wounds them by and by."""
    had = trait_named(scene, victim, flaw)
    period = exposure_rounds(scene, had)
    await face(victim, Hazard(label(had), FLAW, 0, period=period), period)


@rule("d6.flaws.physical-a-c/due", "d6.flaws.physical-a-c", "d6.flaws.dependence")
async def exposure_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """Another minute of contact, or another period of want: another wound, as long as it can get worse."""
    if await wounded_by(who, trait_named(scene, who, hazard.name)) and scene[who].wound != DEAD:
        await face(who, replace(hazard, rolls=hazard.rolls + 1), hazard.period)


@rule("d6.flaws.physical-a-c/wound", "d6.flaws.physical-a-c", "d6.flaws.dependence")
async def wounded_by(scene: Scene, who: Person, trait: CharacterTrait) -> bool:
    """A flaw wounds, up to the worst it can do; what one can die of kills who is Mortally wounded by it."""
    row, names = trait_row(scene, trait.name)[0], scene[WOUND_LEVELS].names
    level = row.level(trait.level)
    worst = (level.worst if level else "") or row.worst
    deadly = any(each.effect.does == Grants(DIE_OF_IT) for each in effects_of(scene, trait))
    if deadly and scene[who].wound == MORTAL:
        await set_level(who, DEAD)
        return True
    after = cumulated(scene, who, WOUNDED)
    if after == scene[who].wound or names.index(after) > names.index(worst):
        return False
    await wounded(who, WOUNDED, bleeds=row.death_check)
    return True


# --- guilt ------------------------------------------------------------------------------------------------------------


def check_guilt(scene: Scene, who: Person) -> None:
    """Only the guilty atone."""
    trait_named(scene, who, GUILT)


@action("week-of-guilt", "d6.flaws.mental-b-g/guilt", "d6.flaws.mental-b-g", check=check_guilt)
async def week_of_guilt(scene: Scene, who: Person, atone: bool = True) -> None:
    """A week passes: a Character Point is spent, or everything is a die harder. Points may be made up for later."""
    had, price = trait_named(scene, who, GUILT), trait_row(scene, GUILT)[0].character_points
    if atone:
        check_points(scene, who, price, "d6.flaws.mental-b-g")
        await alter(who, Hero.spending, price)
    else:
        await alter(who, with_trait, had, replace(had, missed=had.missed + 1))


@action("atone", "d6.flaws.mental-b-g/atone", "d6.flaws.mental-b-g", check=check_guilt)
async def atone(scene: Scene, who: Person) -> None:
    """The point of a missed week is spent after all, and its die comes back."""
    had, price = trait_named(scene, who, GUILT), trait_row(scene, GUILT)[0].character_points
    if not had.missed:
        refuse("no week has been missed", rule="d6.flaws.mental-b-g")
    check_points(scene, who, price, "d6.flaws.mental-b-g")
    await alter(who, Hero.spending, price)
    await alter(who, with_trait, had, replace(had, missed=had.missed - 1))


def check_points(scene: Scene, who: Person, price: int, by: str) -> None:
    if scene[who].character_points < price:
        refuse(f"it takes {price} Character Point, and {who} has {scene[who].character_points}", rule=by)


# --- connections and adventures ---------------------------------------------------------------------------------------


def check_connection(scene: Scene, who: Person) -> None:
    """It takes a merit that grants it, and a point."""
    if not applying(scene, who).granted("omni-connection"):
        refuse(f"{who} knows no one who could help", rule="d6.merits.list-m-v")
    check_points(scene, who, connection_row(scene).character_points, "d6.merits.list-m-v")


def connection_row(scene: Scene) -> TraitRow:
    return next(row for row in scene[MERITS] if row.ally_value)


@action(
    "omni-connection",
    "d6.merits.list-m-v/connection",
    "d6.merits.list-m-v",
    turn=check_alive,
    check=check_connection,
)
async def omni_connection(
    scene: Scene, who: Person, ally: Annotated[str, suggest("a friend of a friend")] = "a friend of a friend"
) -> None:
    """A Character Point makes a connection for the rest of the adventure, if the game master agrees."""
    row = connection_row(scene)
    found = CharacterTrait(ALLY, value=row.ally_value, about=ally, until=ADVENTURE)
    await alter(who, Hero.spending, row.character_points)
    await alter(who, Hero.with_merit, found)


def favors(scene: Scene, who: Person) -> tuple[str, ...]:
    """Whoever owes somebody a favor."""
    return tuple(each.about for each in scene[who].merits if each.name == FAVOR)


def favor_meant(scene: Scene, who: Person, favor: str) -> str | None:
    """Whose favor is meant, also as a sheet names it: Favor (the judge), or Favor alone, if there is only one."""
    owed = favors(scene, who)
    if len(owed) == 1 and spoken(favor) == spoken(FAVOR):
        return owed[0]
    return meant(split(favor)[1] or favor, owed)


def check_favor(scene: Scene, who: Person, favor: str) -> None:
    if favor_meant(scene, who, favor) is None:
        refuse(f"nobody owes {who} a favor" + " of that kind" * bool(favors(scene, who)), legal=favors(scene, who))


@action("call-in-favor", "d6.merits.list-d-l/call-in", "d6.merits.list-d-l")
async def call_in_favor(scene: Scene, who: Person, favor: Annotated[str, Pick(favors, check_favor)] = "") -> None:
    """Call in a favor that somebody owes: once it is used, the merit is lost."""
    about = favor_meant(scene, who, favor)
    owed = next((each for each in scene[who].merits if each.name == FAVOR and each.about == about), None)
    if owed is None:
        refuse(f"nobody owes {who} a favor", rule="d6.merits.list-d-l", legal=favors(scene, who))
    await alter(who, without_merit, owed)


def without_merit(sheet: Hero, merit: CharacterTrait) -> Hero:
    at = sheet.merits.index(merit)
    return replace(sheet, merits=(*sheet.merits[:at], *sheet.merits[at + 1 :]))


@action("begin-adventure", "d6.merits.list-d-l/adventure", "d6.merits.list-d-l", master=True)
async def begin_adventure(scene: Scene) -> None:
    """A new adventure: the lucky have points for it alone, what was had for the last one is gone."""
    await moment(ADVENTURE)
    for who in scene.all(Hero):
        luck = applying(scene, who).extra(LUCK)  # not a query of Django
        kept = tuple(each for each in scene[who].merits if each.until != ADVENTURE)
        await alter(who, Hero.beginning, luck, kept)
        await renew_uses(ADVENTURE, who)


# --- secrets ----------------------------------------------------------------------------------------------------------


@formula(SECRET)
def check_gift(scene: Scene, merits: tuple[CharacterTrait, ...], flaws: tuple[CharacterTrait, ...]) -> None:
    """What the game master gives of his own accord is balanced: a secret flaw by a secret merit of equal value."""
    given = sum(trait_value(scene, each) for each in merits) - sum(trait_value(scene, each) for each in flaws)
    if given != scene[SecretFigures].gm_gift_difference:
        refuse(f"merits and flaws differ by {abs(given)}; they should be worth the same", rule=SECRET)


def check_given(
    scene: Scene, who: None, merits: tuple[CharacterTrait, ...] = (), flaws: tuple[CharacterTrait, ...] = ()
) -> None:
    """A secret is something."""
    if not merits and not flaws:
        refuse("name a merit or a flaw", rule=SECRET)


def always(scene: Scene, who: None) -> bool:
    """That there is a secret is one."""
    return True


@action("give-secret", SECRET + "/give", SECRET, check=check_given, master=True, secret=always)
async def give_secret(
    scene: Scene,
    hero: Anybody,
    merits: Hidden[tuple[CharacterTrait, ...]] = (),
    flaws: Hidden[tuple[CharacterTrait, ...]] = (),
) -> None:
    """Merits and flaws that only the game master knows: those that were asked for, or a balanced gift."""
    for each in (*merits, *flaws):
        check_trait(scene, each)
    asked, values = scene[hero].secrets_asked, {SECRET_FLAW: flaws, SECRET_MERIT: merits}
    given = {name: sum(trait_value(scene, each) for each in traits) for name, traits in values.items() if traits}
    if not asked:
        check_gift(scene, merits, flaws)
    elif any(asked.get(name) != value for name, value in given.items()):
        refuse(f"asked for: {', '.join(f'{name} of {value}' for name, value in asked.items())}", rule=SECRET)
    left = Levels({name: value for name, value in asked.items() if name not in given})
    await alter(hero, Hero.with_secrets, hidden(merits), hidden(flaws), left)


def hidden(traits: tuple[CharacterTrait, ...]) -> tuple[CharacterTrait, ...]:
    """Merits or flaws that only the game master is told of."""
    return tuple(replace(each, audience=Audience.MASTER) for each in traits)


def secrets(scene: Scene, who: None, hero: Person) -> tuple[str, ...]:
    return tuple(label(each) for each in (*scene[hero].merits, *scene[hero].flaws) if each.secret)


def check_secret(scene: Scene, who: None, trait: str, hero: Person) -> None:
    if trait not in secrets(scene, who, hero):
        refuse(f"{hero} has no such secret", rule=SECRET, legal=secrets(scene, who, hero))


@action("reveal-secret", SECRET + "/reveal", SECRET, master=True)
async def reveal_secret(
    scene: Scene, hero: Anybody, trait: Annotated[Hidden[str], Pick(secrets, check_secret)]
) -> None:
    """A secret merit or flaw shows in play; from now on everyone knows it, and it does what it does."""
    await alter(hero, with_trait_shown, trait)
    await tell("secret-shown", who=hero, trait=trait)


def with_trait_shown(sheet: Hero, name: str) -> Hero:
    def shown(traits: tuple[CharacterTrait, ...]) -> tuple[CharacterTrait, ...]:
        return tuple(replace(one, audience=Audience.EVERYONE) if label(one) == name else one for one in traits)

    return replace(sheet, merits=shown(sheet.merits), flaws=shown(sheet.flaws))


# --- what a sheet may say ---------------------------------------------------------------------------------------------


NO_TRAITS: Final = figure("d6.setting.creation", "no_traits", tuple[str, ...])


def check_traits(scene: Scene, who: Person) -> None:
    """Merits among the merits, flaws among the flaws, at levels that there are."""
    for key, merit in (("merits", True), ("flaws", False)):
        for each in getattr(scene[who], key):
            check_trait(scene, each)
            if each.name in scene[NO_TRAITS]:
                raise Refused(each.name, because=f"there are no such {key} in this setting", rule=NO_TRAITS.rule)
            if is_merit(scene, each.name) is not merit:
                raise Refused(each.name, because=f"it is not among the {key}", rule="d6.creation.merits-flaws-nature")
