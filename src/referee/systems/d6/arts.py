"""Arts: pieces that are composed and performed, and what they do to an audience."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    PIPS,
    TOTAL,
    YES_NO,
    Bands,
    Effect,
    Hidden,
    Levels,
    Mod,
    Mods,
    Open,
    Pick,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    change,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.effects import Adds, Extra
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import Ability, mean, own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.fields import lacks_field, try_without_field
from referee.systems.d6.resolution import (
    QualityResult,
    check_skill_in,
    quality,
    roll_against,
)
from referee.systems.d6.rolls import ACTION, ANY_ROLL, is_secret_roll, points_limit, roll_for, rolled_mods, throw
from referee.systems.d6.sheet import Hero, Person, others
from referee.systems.d6.situations import Situation
from referee.systems.d6.skill_names import ADVANCED
from referee.systems.d6.social import SCENE_END, convinced
from referee.systems.d6.tasks import NO_MODIFIERS, Amount, CommandModifiers, command_mods, coordinate, task_time
from referee.systems.d6.time import UnitName
from referee.systems.d6.work import A_TASK, check_time, check_worker, take_time

PERFORMING: Final = "d6.skills.performing"
COMPOSITION: Final = "d6.arts.composition"
RESTITUTION: Final = "d6.arts.restitution"
AUDIENCE: Final = "d6.arts.audience-test"
FULL: Final = "d6.arts.full-effect"
BAND: Final = "d6.arts.team-work"
MOST_POINTS: Final = figure("d6.arts.points", "most_points", int)
SPOILT: Final = Prompt("spoilt")
LOWER: Final = Prompt("lower-quality")
STAGE: Final = Prompt("performing")
CROWD: Final = Prompt("crowd")
THE_CROWD: Final = "the crowd"
GIFT: Final = Prompt("gift-of-fate")
PENALTY: Final = figure("d6.arts.improvisation", "penalty_dice", int)
IMPROVISED_COMMAND: Final = figure(BAND, "improvisation_command", int)


@frozen
class AudienceRow:
    """How many people there are, what overcomes their number, and the dice that it costs otherwise."""

    name: str
    difficulty: int = 0
    penalty: int = 0


@frozen
class ArtEffect:
    """What a piece may be meant to do: to whom, for better or worse, and in which rolls."""

    name: str
    sign: int
    moves: Literal["audience", "subject", "speaker", "nobody"]
    when: tuple[str, ...] = (ANY_ROLL,)


@figures(FULL)
class Strength:
    """How strong the effect of a piece is, by its quality, and at most."""

    points_per_pip: int
    most_pips: int
    fate_quality: int


AUDIENCES: Final = rows(PERFORMING, "audiences", AudienceRow, by=("from", "to"))
EFFECTS: Final = rows(FULL, "effects", ArtEffect)
Intended: TypeAlias = Annotated[str, EFFECTS]


@frozen
class ArtPiece:
    """A work of art: how good it is, and what it is meant to do to those who hear or see it."""

    of: Open[str] = ""
    art: Open[str] = ""
    performed: Open[bool] = True
    """Whether it has to be performed; a picture speaks for itself."""
    quality: Hidden[int] = 0
    intended: Hidden[str] = "other"
    about: Hidden[str] = ""
    """Who or what it is about."""

    def improved(self, quality: int, spoils: bool) -> ArtPiece:
        """The better of two versions, unless the new one spoils it."""
        return replace(self, quality=(min if spoils else max)(self.quality, quality))


def pieces(scene: Scene, who: Person) -> tuple[Who[ArtPiece], ...]:
    return tuple(scene.all(ArtPiece))


def pictures(scene: Scene, who: Person) -> tuple[Who[ArtPiece], ...]:
    return tuple(each for each in scene.all(ArtPiece) if not scene[each].performed)


def check_improvised(scene: Scene, who: Person, name: str) -> None:
    if not name or name in scene.state:
        refuse("a new piece has a name of its own", what=name)


def check_audience(scene: Scene, who: Person, crowd: Code | None, important: tuple[Person, ...]) -> None:
    if crowd is None and not important:
        refuse("somebody has to listen", rule=AUDIENCE)


NewName: TypeAlias = Annotated[str, suggest("a song", "a picture")]
SomePiece: TypeAlias = Annotated[Who[ArtPiece], Pick(pieces)]
People: TypeAlias = Annotated[int, suggest(5, 20, 50, 100, 1000, 5000, 10000)]
Important: TypeAlias = tuple[Annotated[Person, Pick(others)], ...]


@formula("d6.arts.points")
def points_for_quality(scene: Scene) -> int:
    """How many Character Points may better a version of a piece; or a Fate Point instead."""
    return min(scene[MOST_POINTS], points_limit(scene))


# --- composing --------------------------------------------------------------------------------------------------------


def check_piece(scene: Scene, who: Person, name: str, base_time: int, unit: str) -> None:
    """A new piece, or one of one's own to improve; it takes its time."""
    check_time(scene, who, A_TASK, task_time(scene, base_time, unit))
    known = scene.state.get(name) if name in scene.state else None
    if not name or (known is not None and not (isinstance(known, ArtPiece) and known.of == who.name)):
        refuse("name a new piece, or one of your own", what=name)


@action(
    "compose",
    COMPOSITION,
    "d6.arts.improving",
    "d6.arts.points",
    "d6.arts.composition-fumble",
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_skill_in, check_piece),
    secret=is_secret_roll,
)
async def compose(
    scene: Scene,
    who: Person,
    name: NewName,
    using: Ability,
    intended: Hidden[Intended] = "other",
    about: Hidden[str] = "",
    performed: bool = True,
    base_time: Amount = 1,
    unit: UnitName = "week",
    band: Important = (),
    modifiers: CommandModifiers = NO_MODIFIERS,
    mods: Mods = (),
    situation: Situation = (),
) -> QualityResult:
    """Compose a piece, or work on one of your own once more: the better of both counts. The total is its quality."""
    if lacks_field(scene, who, using):
        await try_without_field(who, using)
    await take_time(who, task_time(scene, base_time, unit))
    together = await play_together(who, using, band, modifiers, improvised=False) if band else ()
    return await hand_over(
        roll_for(who, using, rolled_mods((*mods, *together)), (ACTION, ANY_ROLL, *situation)),
        read=lambda rolled: quality(scene, rolled),
        then=lambda found: composed(who, name, using, found, intended, about, performed),
    )


@rule(COMPOSITION + "/composed", COMPOSITION, "d6.arts.improving", "d6.arts.composition-fumble")
async def composed(
    scene: Scene, who: Person, name: str, using: str, found: QualityResult, intended: str, about: str, performed: bool
) -> None:
    """A first version stands as it is. Of two the better one counts, but a fumble may spoil what was there."""
    piece = Who(name, ArtPiece)
    if piece not in scene:
        await change(piece, ArtPiece(who.name, using, performed, found.total, intended, about))
        return
    spoils = found.fumble and await rule_on(SPOILT, True, options=YES_NO)
    rule = "d6.arts.composition-fumble" if found.fumble else "d6.arts.improving"
    await alter(piece, ArtPiece.improved, found.total, spoils, rule=rule)


# --- an audience ------------------------------------------------------------------------------------------------------


@formula(PERFORMING)
def audience_penalty(scene: Scene, people: int, overcome: int = 0) -> int:
    """The dice that an audience costs, less what a roll of Performing has overcome."""
    row = scene[AUDIENCES].at(people)
    if overcome >= row.difficulty:
        return 0
    reached = [each.penalty for each in scene[AUDIENCES] if each.difficulty <= overcome]
    return row.penalty - max(reached, default=0)


@rule(PERFORMING + "/roll", PERFORMING)
async def face_audience(scene: Scene, who: Person, people: int, for_effect: bool) -> int:
    """The dice that an audience costs: all of them without the skill; with it, what its roll has not overcome. Where no
    effect is wanted the skill alone is enough.
    """
    known = f"Performing{ADVANCED}"
    if known not in scene[who].advanced_skills and "Performing" not in scene[who].advanced_skills:
        return audience_penalty(scene, people)
    if not for_effect or not audience_penalty(scene, people):
        return 0
    rolled = await roll_for(who, known, prompt=STAGE)
    return audience_penalty(scene, people, rolled.total)


@frozen
class Listening:
    """How one of those who listen, or the crowd, took it: whether the full effect came over them."""

    who: str
    moved: bool


@frozen
class Performance:
    """How a piece was received: whether it was performed well, what was noticed, and the pips of its effect."""

    success: bool
    booed: bool = False
    audience: tuple[Listening, ...] = ()
    pips: int = 0

    @property
    def moved(self) -> bool:
        return self.success and any(each.moved for each in self.audience)


PERFORMED: Final[Bands[Performance]] = Bands(
    of=lambda found: "moved" if found.moved else "unmoved" if found.success else "failure",
    keys=("moved", "unmoved", "failure"),
    good=("moved",),
    bad={"booed": lambda found: found.booed},
)


@formula(FULL)
def effect_pips(scene: Scene, piece_quality: int) -> int:
    """How strong the effect of a piece is: a pip for every full 5 points of quality, at most 2D."""
    of = scene[Strength]
    return min(of.most_pips, max(0, piece_quality) // of.points_per_pip)


@formula(FULL + "/fate", FULL)
def moves_fate(scene: Scene, piece_quality: int) -> bool:
    """Whether a piece is so good that, if the game master agrees, it is worth a Fate Point."""
    return piece_quality >= scene[Strength].fate_quality


@rule(AUDIENCE)
async def audience_test(
    scene: Scene, piece_quality: int, using: str, crowd: Code | None, people: tuple[Person, ...]
) -> tuple[Listening, ...]:
    """Those who understand the art see through it: whoever reaches the quality is not moved. The crowd rolls once."""
    found: tuple[Listening, ...] = ()
    if crowd is not None:
        found = (Listening(THE_CROWD, (await throw(None, crowd, 0, Itemised(), prompt=CROWD)).total < piece_quality),)
    for each in people:
        test = await roll_against(each, using, piece_quality, tags=(ANY_ROLL,))
        found = (*found, Listening(each.name, not test.success))
    return found


@action(
    "perform",
    RESTITUTION,
    "d6.arts.restitution-fumble",
    AUDIENCE,
    PERFORMING,
    bands=PERFORMED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_skill_in, check_audience),
    secret=is_secret_roll,
)
async def perform(
    scene: Scene,
    who: Person,
    piece: SomePiece,
    using: Ability,
    people: People = 5,
    crowd: Code | None = None,
    important: Important = (),
    for_effect: bool = True,
    band: Important = (),
    modifiers: CommandModifiers = NO_MODIFIERS,
    mods: Mods = (),
    situation: Situation = (),
) -> Performance:
    """Perform a piece before an audience: it is as hard as the piece is good. A failure may be noticed; a fumble is."""
    if lacks_field(scene, who, using):
        await try_without_field(who, using)
    costs = await face_audience(who, people, for_effect)
    together = await play_together(who, using, band, modifiers, improvised=False) if band else ()
    every = (*mods, *stage_fright(costs), *together)
    return await hand_over(play_piece(who, piece, using, every, crowd, important, situation))


def stage_fright(dice: int) -> Mods:
    return (Mod(-dice, "audience", PERFORMING),) if dice else ()


@rule(RESTITUTION + "/play", RESTITUTION, "d6.arts.restitution-fumble")
async def play_piece(
    scene: Scene,
    who: Person,
    piece: Who[ArtPiece],
    using: str,
    mods: Mods,
    crowd: Code | None,
    important: tuple[Person, ...],
    situation: tuple[str, ...] = (),
) -> Performance:
    """The performance against the quality of the piece; then the audience either takes it in, or notices a failure."""
    good, art = scene[piece].quality, scene[piece].art
    test = await roll_against(who, using, good, mods, (ACTION, ANY_ROLL, *situation))
    if test.fumble:
        await tell("booed", who=who, rule="d6.arts.restitution-fumble")
        return Performance(False, booed=True)
    heard = await audience_test(good, art, crowd, important)
    if not test.success:
        return Performance(False, booed=any(not each.moved for each in heard))
    pips = effect_pips(scene, good)
    await take_effect(piece, tuple(Who(each.who, Hero) for each in heard if each.moved and each.who != THE_CROWD))
    return Performance(True, False, heard, pips)


# --- what it does -----------------------------------------------------------------------------------------------------


@rule(FULL + "/effect", FULL)
async def take_effect(scene: Scene, piece: Who[ArtPiece], moved: tuple[Person, ...]) -> None:
    """What the piece was meant to do comes over those whom it has moved, until the scene ends."""
    found, row = scene[piece], scene[EFFECTS][scene[piece].intended]
    pips = effect_pips(scene, found.quality) * row.sign
    lasts = Effect(Adds(pips, PIPS), frozenset(row.when), until=SCENE_END)
    for each in moved if pips else ():
        if row.moves == "audience":
            await lay(each, lasts, source=piece.name, by=FULL)
            await give_fate(each, found.quality, row.sign)
        elif row.moves == "subject" and Who(found.about, Hero) in scene:
            await lay(Who(found.about, Hero), lasts, source=piece.name, by=FULL, against=each)
        elif row.moves == "speaker":
            await lay(each, Effect(Extra(convinced(found.about), pips), until=SCENE_END), source=piece.name, by=FULL)


@rule(FULL + "/gift", FULL)
async def give_fate(scene: Scene, who: Person, piece_quality: int, sign: int) -> None:
    """A work of such greatness may give somebody a Fate Point, or take one, if the game master says so."""
    if moves_fate(scene, piece_quality) and await rule_on(GIFT, False, options=YES_NO):
        await alter(who, Hero.spending, 0, -1 if sign > 0 else min(1, scene[who].fate_points))


@rule(BAND + "/together", BAND)
async def play_together(
    scene: Scene, who: Person, using: str, band: tuple[Person, ...], modifiers: Levels, improvised: bool
) -> Mods:
    """What a band adds: its leader coordinates as many as the Command table says; improvising together is harder."""
    average = mean(scene, tuple(own_code(scene, each, using) for each in (who, *band))).code
    harder = (Mod(scene[IMPROVISED_COMMAND], "improvising together", BAND, unit=TOTAL),) if improvised else ()
    found = await coordinate(who, len(band) + 1, average, (*command_mods(scene, modifiers), *harder))
    return (Mod(found.bonus, "band", BAND),) if found.bonus else ()


@action(
    "exhibit",
    "d6.arts.non-performance",
    AUDIENCE,
    bands=PERFORMED,
    turn=check_worker,
    check=check_audience,
    secret=is_secret_roll,
)
async def exhibit(
    scene: Scene,
    who: Person,
    piece: Annotated[Who[ArtPiece], Pick(pictures)],
    crowd: Code | None = None,
    important: Important = (),
) -> Performance:
    """Show a picture or the like: it needs no performer, and always comes across."""
    heard = await audience_test(scene[piece].quality, scene[piece].art, crowd, important)
    await take_effect(piece, tuple(Who(each.who, Hero) for each in heard if each.moved and each.who != THE_CROWD))
    return Performance(True, False, heard, effect_pips(scene, scene[piece].quality))


@action(
    "improvise",
    "d6.arts.improvisation",
    bands=PERFORMED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_skill_in, check_audience, check_improvised),
    secret=is_secret_roll,
)
async def improvise(
    scene: Scene,
    who: Person,
    name: NewName,
    composing: Ability,
    using: Ability,
    intended: Hidden[Intended] = "other",
    about: Hidden[str] = "",
    people: People = 5,
    crowd: Code | None = None,
    important: Important = (),
    band: Important = (),
    modifiers: CommandModifiers = NO_MODIFIERS,
    mods: Mods = (),
    situation: Situation = (),
) -> Performance:
    """Compose and perform at once, each a die harder. Once composed, the artist may make it simpler to play."""
    for each in (composing, using):
        if lacks_field(scene, who, each):
            await try_without_field(who, each)
    both = (*mods, Mod(scene[PENALTY], "at once", "d6.arts.improvisation"))
    costs = await face_audience(who, people, for_effect=True)
    together = await play_together(who, using, band, modifiers, improvised=True) if band else ()
    made = await roll_for(who, composing, rolled_mods(both), (ACTION, ANY_ROLL, *situation))
    good = await choose(who, LOWER, tuple(range(max(1, made.total), 0, -1)))
    await change(Who(name, ArtPiece), ArtPiece(who.name, composing, True, good, intended, about))
    every = (*both, *stage_fright(costs), *together)
    return await hand_over(play_piece(who, Who(name, ArtPiece), using, every, crowd, important, situation))
