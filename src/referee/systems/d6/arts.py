"""Arts: a piece is composed, improved and performed, and does to its audience what the artist meant it to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    DICE,
    PIPS,
    TOTAL,
    Audience,
    Bands,
    Effect,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    choose,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.effects import Adds, lay
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code, Rolled, Stat
from referee.systems.d6.codes import Ability, code_mods
from referee.systems.d6.resolution import check_able, check_skill, is_fumble
from referee.systems.d6.rolls import ACTION, ANY_ROLL, FATE_SCOPE, FateScope, roll_for, throw
from referee.systems.d6.sheet import ArtWork, Hero, Person, others
from referee.systems.d6.species import PIPS_PER_DIE, pips
from referee.systems.d6.tasks import NO_MODIFIERS, Amount, CommandModifiers, command_mods, coordinate
from referee.systems.d6.time import UnitName, rounds_of
from referee.systems.d6.work import take_time

NO_BAND: Final = Code(2)
COMPOSITION: Final = "d6.arts.composition"
AUDIENCE: Final = "d6.arts.audience-test"
BAND: Final = "d6.arts.team-work"
WORSE: Final = Prompt("worse-work")
FATE_MOVED: Final = Prompt("fate-moved")
LOWER: Final = Prompt("lower-quality")


@figures("d6.arts.full-effect")
class FullEffect:
    """How much quality a pip of the effect takes, the most that there is, and the quality at which fate is moved."""

    quality_per_pip: int
    most: Stat
    fate_point_at: int


@frozen
class ArtEffect:
    """What a piece may do: to whom, whether it adds or takes away, and on which rolls."""

    name: str
    felt_by: str
    sign: int
    when: tuple[str, ...] = ()


EFFECTS: Final = rows("d6.arts.full-effect", "effects", ArtEffect)
IMPROVISED: Final = figure("d6.arts.improvisation", "dice", int)
BAND_IMPROVISED: Final = figure(BAND, "improvised", int)


@frozen
class Performance:
    """How a piece was received: by whom it was, and how strong it is for them, in pips."""

    outcome: str
    strength: int = 0
    moved: tuple[str, ...] = ()
    noticed: tuple[str, ...] = ()
    """Who noticed that the performance failed."""


PERFORMED: Final[Bands[Performance]] = Bands(
    of=lambda found: found.outcome, keys=("moved", "unmoved", "failure"), good=("moved",)
)


@formula("d6.arts.full-effect")
def strength(scene: Scene, quality: int) -> int:
    """A pip for every five points of quality, up to two dice."""
    found = scene[FullEffect]
    return min(max(0, quality) // found.quality_per_pip, pips(scene, found.most))


# --- making it --------------------------------------------------------------------------------------------------------


def effects_there_are(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[EFFECTS].names


def check_name(scene: Scene, who: Person, name: str) -> None:
    """A new piece has a name of its own."""
    if not name or any(each.name == name for each in scene[who].artworks):
        refuse("a new piece needs a name of its own", what=name, rule=COMPOSITION)


@rule(COMPOSITION + "/roll", COMPOSITION, "d6.arts.points", BAND)
async def make(
    scene: Scene, who: Person, art: str, mods: Mods = (), people: int = 1, average: Code = NO_BAND
) -> Rolled:
    """The roll of whoever makes a piece; Character Points or a Fate Point may better it, and a band adds to it."""
    return await roll_for(who, art, (*mods, *await together_with(who, people, average)), (ACTION, ANY_ROLL))


@rule(BAND)
async def together_with(scene: Scene, who: Person, people: int, average: Code, mods: Mods = ()) -> Mods:
    """Artists who aim at the same effect are coordinated like any team: dice for as many as play together."""
    if people < 2:
        return ()
    found = await coordinate(who, people, average, mods)
    return (Mod(found.bonus, f"{found.coordinated} play together", BAND, unit=DICE),) if found.bonus else ()


BandSize: TypeAlias = Annotated[int, suggest(1, 2, 4, 6, 10)]
BandCode: TypeAlias = Annotated[Code, suggest(Code(2), Code(3), Code(4))]


@action("compose", COMPOSITION, "d6.arts.points", turn=check_able, check=check_skill)
async def compose(
    scene: Scene,
    who: Person,
    name: Annotated[str, Pick(lambda scene, who: ("a song", "a painting"), check_name)],
    using: Ability,
    effect: Annotated[str, Pick(effects_there_are)] = "other",
    concerning: Annotated[str, suggest("")] = "",
    base_time: Amount = 1,
    unit: UnitName = "day",
    secret_effect: bool = False,
    people: BandSize = 1,
    average: BandCode = NO_BAND,
    mods: Mods = (),
) -> int:
    """Make a piece of art: after the base time a roll says how good it is. What it is to do may stay a secret."""
    await take_time(who, rounds_of(scene, base_time, unit))
    quality = (await make(who, using, mods, people, average)).total
    seen_by = Audience.OWNER if secret_effect else Audience.EVERYONE
    await alter(who, Hero.with_work, ArtWork(name, using, quality, effect, concerning, seen_by))
    return quality


def own_works(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].artworks)


OwnWork: TypeAlias = Annotated[str, Pick(own_works)]


def work_of(scene: Scene, who: Person, name: str) -> ArtWork:
    return next(each for each in scene[who].artworks if each.name == name)


@action("improve-work", "d6.arts.improving", "d6.arts.composition-fumble", "d6.arts.points", turn=check_able)
async def improve_work(
    scene: Scene, who: Person, work: OwnWork, base_time: Amount = 1, unit: UnitName = "day", mods: Mods = ()
) -> int:
    """Another base time allows another roll: the better counts. After a fumble the game master may say, the worse."""
    await take_time(who, rounds_of(scene, base_time, unit))
    piece = work_of(scene, who, work)
    rolled = await make(who, piece.art, mods)
    worse = is_fumble(scene, rolled.luck) and await rule_on(WORSE, True, options=(True, False))
    quality = min(piece.quality, rolled.total) if worse else max(piece.quality, rolled.total)
    await alter(who, Hero.with_work, replace(work_of(scene, who, work), quality=quality))
    return quality


# --- before an audience -----------------------------------------------------------------------------------------------


@rule(AUDIENCE, "d6.arts.full-effect")
async def show(
    scene: Scene, piece: ArtWork, listeners: tuple[Person, ...], crowd: Code | None, against: str
) -> Performance:
    """Who does not see through a piece is moved by it: one roll for each who matters, and one for the crowd."""
    moved = []
    for each in listeners:
        if (await roll_for(each, against, (), (ANY_ROLL,))).total < piece.quality:
            await move(each, piece)
            moved.append(each.name)
    if crowd is not None and (await throw(None, crowd, 0, crowd_shown(crowd))).total < piece.quality:
        moved.append("crowd")
    return Performance("moved" if moved else "unmoved", strength(scene, piece.quality), tuple(moved))


@rule("d6.arts.full-effect/felt", "d6.arts.full-effect")
async def move(scene: Scene, who: Person, piece: ArtWork) -> None:
    """The piece does to somebody what it was meant to do; how long it lasts the game master says."""
    row, force = scene[EFFECTS][piece.effect], strength(scene, piece.quality)
    if row.felt_by == "audience":
        await impress(who, piece, force, None)
    subject = next((each for each in scene.all(Hero) if each.name == piece.about), None)
    if row.felt_by == "subject" and subject is not None:
        await impress(subject, piece, force, who)
    await move_fate(who, row, piece.quality)
    await tell("moved-by-art", who=who, work=piece.name, effect=piece.effect, pips=force)


@rule("d6.arts.full-effect/laid", "d6.arts.full-effect")
async def impress(scene: Scene, who: Person, piece: ArtWork, force: int, against: Person | None) -> None:
    """Dice and pips, for better or worse, on the rolls that the effect is about."""
    row = scene[EFFECTS][piece.effect]
    for amount, unit in zip(divmod(force, scene[PIPS_PER_DIE]), (DICE, PIPS), strict=True):
        if amount and row.sign:
            effect = Effect(Adds(amount * row.sign, unit), when=frozenset(row.when or (ANY_ROLL,)))
            await lay(who, effect, source=piece.name, against=against)


@rule("d6.arts.full-effect/fate", "d6.arts.full-effect")
async def move_fate(scene: Scene, who: Person, row: ArtEffect, quality: int) -> None:
    """A great piece that stirs gives a Fate Point, one that crushes takes it, if the game master says so."""
    if is_fateful(scene, row, quality) and await rule_on(FATE_MOVED, False, options=(True, False)):
        await alter(who, Hero.spending, 0, -row.sign if row.sign > 0 else min(1, scene[who].fate_points))


def is_fateful(scene: Scene, row: ArtEffect, quality: int) -> bool:
    """Whether a piece that stirs or crushes is great enough to give or take a Fate Point."""
    stirs = row.felt_by == "audience" and row.sign != 0
    return stirs and scene[FATE_SCOPE] is not FateScope.OFF and quality >= scene[FullEffect].fate_point_at


def crowd_shown(crowd: Code) -> Itemised:
    return Itemised(code_mods(crowd, "the crowd", AUDIENCE))


@rule("d6.arts.restitution/failed", "d6.arts.restitution", "d6.arts.restitution-fumble")
async def fails(
    scene: Scene, piece: ArtWork, listeners: tuple[Person, ...], crowd: Code | None, against: str, fumble: bool
) -> Performance:
    """A failure has no effect; whoever sees through the piece notices it, and a fumble anybody may."""
    noticed = [
        each.name
        for each in listeners
        if fumble or (await roll_for(each, against, (), (ANY_ROLL,))).total >= piece.quality
    ]
    if crowd is not None and (fumble or (await throw(None, crowd, 0, crowd_shown(crowd))).total >= piece.quality):
        noticed.append("crowd")
    return Performance("failure", 0, (), tuple(noticed))


@rule("d6.arts.restitution/performed", "d6.arts.restitution", "d6.arts.restitution-fumble")
async def restitute(
    scene: Scene,
    who: Person,
    using: str,
    piece: ArtWork,
    listeners: tuple[Person, ...],
    crowd: Code | None,
    against: str,
    mods: Mods = (),
) -> Performance:
    """The performance against the quality of the piece; then the audience."""
    rolled = await roll_for(who, using, mods, (ACTION, ANY_ROLL))
    if rolled.total >= piece.quality:
        return await show(piece, listeners, crowd, against)
    return await fails(piece, listeners, crowd, against, is_fumble(scene, rolled.luck))


def check_listeners(
    scene: Scene, who: Person, listeners: tuple[Person, ...], against: str, crowd: Code | None = None
) -> None:
    if not listeners and crowd is None:
        refuse("nobody is there to see or hear it", rule=AUDIENCE)
    for each in listeners:
        check_skill(scene, each, against)


def works_there_are(scene: Scene, who: Person, by: Person) -> tuple[str, ...]:
    return own_works(scene, by)


def artists(scene: Scene, who: Person) -> tuple[Person, ...]:
    return (who, *others(scene, who))


Listeners: TypeAlias = tuple[Annotated[Person, Pick(others)], ...]
Artist: TypeAlias = Annotated[Person, Pick(artists)]
SomeWork: TypeAlias = Annotated[str, Pick(works_there_are)]
CrowdSkill: TypeAlias = Annotated[Code | None, suggest(None, Code(2), Code(3))]


@action(
    "perform",
    "d6.arts.restitution",
    AUDIENCE,
    "d6.arts.full-effect",
    "d6.arts.restitution-fumble",
    bands=PERFORMED,
    turn=check_able,
    check=(check_skill, check_listeners),
)
async def perform(
    scene: Scene,
    who: Person,
    by: Artist,
    work: SomeWork,
    using: Ability,
    listeners: Listeners = (),
    against: Ability = "Perception",
    crowd: CrowdSkill = None,
    people: BandSize = 1,
    average: BandCode = NO_BAND,
    modifiers: CommandModifiers = NO_MODIFIERS,
    mods: Mods = (),
) -> Performance:
    """Perform a piece, one's own or somebody else's, alone or as a band."""
    band = await together_with(who, people, average, command_mods(scene, modifiers))
    return await restitute(who, using, work_of(scene, by, work), listeners, crowd, against, (*mods, *band))


@action("exhibit", "d6.arts.non-performance", AUDIENCE, bands=PERFORMED, turn=check_able, check=check_listeners)
async def exhibit(
    scene: Scene,
    who: Person,
    work: OwnWork,
    listeners: Listeners = (),
    against: Ability = "Perception",
    crowd: CrowdSkill = None,
) -> Performance:
    """Show a painting or another piece that needs no performer: nothing can go wrong with it."""
    return await show(work_of(scene, who, work), listeners, crowd, against)


def lower(quality: int) -> tuple[int, ...]:
    """What the artist may say the piece is worth."""
    return tuple(range(quality, -1, -1))


@action(
    "improvise",
    "d6.arts.improvisation",
    AUDIENCE,
    bands=PERFORMED,
    turn=check_able,
    check=(check_skill, check_listeners),
)
async def improvise(
    scene: Scene,
    who: Person,
    using: Ability,
    playing: Ability,
    listeners: Listeners = (),
    against: Ability = "Perception",
    effect: Annotated[str, Pick(effects_there_are)] = "other",
    concerning: Annotated[str, suggest("")] = "",
    crowd: CrowdSkill = None,
    people: BandSize = 1,
    average: BandCode = NO_BAND,
) -> Performance:
    """Compose and perform at once: a die less for both, and the piece may be made as easy as one likes."""
    less = (Mod(scene[IMPROVISED], "improvised", "d6.arts.improvisation", unit=DICE),)
    command = (Mod(scene[BAND_IMPROVISED], "improvised", BAND, unit=TOTAL),)
    band = await together_with(who, people, average, command)
    made = max(0, (await make(who, using, (*less, *band))).total)
    quality = await choose(who, LOWER, lower(made))
    piece = ArtWork("the improvisation", using, quality, effect, concerning)
    return await restitute(who, playing, piece, listeners, crowd, against, (*less, *band))
