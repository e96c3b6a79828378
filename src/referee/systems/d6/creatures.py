"""Riding what is frightened, and training creatures: Orneriness against those who handle them."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    DICE,
    TOTAL,
    Bands,
    Call,
    Mod,
    Mods,
    Pick,
    Scene,
    action,
    alter,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.effects import remove_effects
from referee.core.wording import phrase
from referee.kits.dice_codes import Code
from referee.systems.d6.bestiary import ORNERINESS
from referee.systems.d6.codes import code_mods, own_code
from referee.systems.d6.combat.round import FIGHT, check_turn, take_action
from referee.systems.d6.damage import hit
from referee.systems.d6.environments import places
from referee.systems.d6.equipment import thing_says
from referee.systems.d6.hazards import FallSkill, Ground, check_fall_skill, fall_damage
from referee.systems.d6.opposed import contest
from referee.systems.d6.resolution import check_able
from referee.systems.d6.rolls import ANY_ROLL, check_alive
from referee.systems.d6.sheet import FailedTry, Hero, Person
from referee.systems.d6.skill_names import in_words
from referee.systems.d6.skill_uses import best_of
from referee.systems.d6.time import rounds_of
from referee.systems.d6.work import check_no_fight, check_worker, take_time
from referee.systems.d6.wounds import HEALTHY

ORNERY: Final = "d6.creature.orneriness"
TRAINING: Final = "d6.creature.training"
INSTINCT: Final = "against its instinct"


@frozen
class FrightRow:
    """What frightens a mount: whether it takes an action, what it adds to Orneriness, whom it does not bother."""

    name: str
    counts: bool = False
    whole_round: bool = False
    trained: str = ""
    """An order that whatever obeys it is not frightened."""
    per_wound: int = 0
    refuses_first: bool = False
    """Whether the mount only refuses to move at first."""


@figures(ORNERY)
class RidersSeat:
    """What helps a rider, how much worse a fall from a mount is, and with what one stays in the saddle."""

    saddle_dice: int
    raised_by: Code
    skills: tuple[str, ...]
    mounts: tuple[str, ...]


@figures(TRAINING)
class TrainingFigures:
    """With what creatures are trained, for how long, and what they think of everybody else."""

    skill: str
    base_time: int
    unit: str
    others_times: int


@frozen
class RideResult:
    """Whether a rider stays on a frightened mount."""

    success: bool
    margin: int
    thrown: bool = False


@frozen
class TrainingResult:
    """Whether a creature obeys, and by how much: what it has learned beyond that is for the game master to say."""

    success: bool
    margin: int


RIDDEN: Final[Bands[RideResult]] = Bands(
    of=lambda found: "in-the-saddle" if found.success else "thrown" if found.thrown else "balks",
    keys=("in-the-saddle", "balks", "thrown"),
    good=("in-the-saddle",),
)
TRAINED: Final[Bands[TrainingResult]] = Bands(
    of=lambda found: "success" if found.success else "failure", keys=("success", "failure")
)
FRIGHTS: Final = rows(ORNERY, "events", FrightRow)


# --- the stat block ---------------------------------------------------------------------------------------------------

ENTRIES: Final = rows("d6.creature.stat-block", "entries", str)


@formula("d6.creature.scope")
def is_creature(scene: Scene, who: Person) -> bool:
    """Whether somebody is a beast or a monster: whatever is not sentient."""
    return scene[who].creature is not None


@formula("d6.creature.special-abilities")
def special_abilities(scene: Scene, who: Person) -> tuple[str, ...]:
    """What a creature has by nature: weapons that add to Strength, armor that does, what its description says."""
    own = (thing_says(scene, each) for each in scene[who].equipment)
    worth = (says.get("damage") or says.get("protection") or "" for says in own)
    return tuple(f"{each.name} {of}".strip() for each, of in zip(scene[who].equipment, worth, strict=True))


@formula("d6.creature.stat-block")
def stat_block(scene: Scene, who: Person) -> dict[str, str]:
    """A creature by the entries of its description; nothing of whoever is none."""
    sheet, of = scene[who], scene[who].creature
    if of is None:
        return {}
    skills = {**sheet.skills, **sheet.specializations}
    found = {
        "name": who.name,
        "category": of.category,
        "size": of.size,
        "bulk": str(sheet.bulk),
        "attributes": phrase([f"{name} {code}" for name, code in sheet.attributes.items()]),
        "skills": phrase([f"{in_words(name)} {code}" for name, code in skills.items()]),
        "movement": phrase([f"{metres} m ({where})" for where, metres in of.movement.items()]),
        "orneriness": str(of.orneriness or ""),
        "special abilities": phrase(special_abilities(scene, who)),
    }
    return {each: found[each] for each in scene[ENTRIES].names if found[each]}


@formula("d6.creature.stat-block/says", "d6.creature.stat-block")
def creature_says(scene: Scene, who: Person) -> str:
    """What kind of creature somebody is, for the sheet."""
    of, block = scene[who].creature, stat_block(scene, who)
    told = [block[each] for each in ("category", "size", "movement") if each in block]
    told += [f"{ORNERINESS} {block['orneriness']}"] if "orneriness" in block else []
    return ", ".join((*told, *(f"obeys: {each}" for each in (of.orders if of is not None else ()))))


# --- orneriness -------------------------------------------------------------------------------------------------------


def creatures(scene: Scene, who: object) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Hero) if each != who and scene[each].creature is not None)


def check_creature(scene: Scene, who: object, creature: Person) -> None:
    """Any creature that is alive."""
    if scene[creature].creature is None:
        refuse(f"{creature} is no creature", rule="d6.creature.scope")
    check_alive(scene, creature)


@formula(ORNERY + "/others", TRAINING)
def stranger_mods(scene: Scene, creature: Person, who: Person) -> Mods:
    """What was trained for one master is twice as ornery towards all others but its trainer."""
    of = scene[creature].creature
    if of is None or not of.trained_by or who.name in of.trained_by:
        return ()
    more = own_code(scene, creature, ORNERINESS) * (scene[TrainingFigures].others_times - 1)
    return code_mods(more, "trained by others", TRAINING)


@formula(ORNERY + "/wounds", ORNERY)
def wound_mods(scene: Scene, mount: Person, fright: str) -> Mods:
    """What each wound of the mount adds to its roll, where wounds are what frightens it."""
    levels = scene[mount].ladder(scene).levels
    wounds = levels.index(scene[mount].wound) - levels.index(HEALTHY)
    more = scene[FRIGHTS][fright].per_wound * wounds
    return (Mod(more, "wounds", ORNERY, unit=TOTAL),) if more else ()


def riding_skills(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[RidersSeat].skills)


def check_fright(scene: Scene, who: Person, mount: Person, fright: str) -> None:
    """What takes an action needs one left; a first contact takes the whole round. The well-trained fear no combat."""
    row, of = scene[FRIGHTS].look(fright), scene[mount].creature
    if of is not None and row.trained and row.trained in of.orders:
        refuse(f"{mount} is trained for it, and nobody rolls", what=fright, legal=("go on",))
    if of is not None and of.orneriness is None:
        refuse(f"{mount} has no Orneriness, and nobody rolls", what=fright, legal=("go on",))
    if row.per_wound and scene[mount].wound == HEALTHY:
        refuse(f"{mount} is not wounded", what=fright)
    if row.counts or row.whole_round:
        check_turn(scene, who)
    if row.whole_round and FIGHT in scene and scene[FIGHT].declared.get(who.name, 1) != 1:
        refuse("it is all one does in the round", what=fright, legal=("one declared action",))


def check_landing(scene: Scene, who: Person, resist: FallSkill) -> None:
    """Whoever falls must have learned that with which the fall is resisted."""
    check_fall_skill(scene, None, who, resist)


CreatureName: TypeAlias = Annotated[Person, Pick(creatures, check_creature)]
Fright: TypeAlias = Annotated[str, FRIGHTS]


@action("calm-mount", ORNERY, "d6.skills.riding", bands=RIDDEN, turn=check_able, check=(check_fright, check_landing))
async def calm_mount(
    scene: Scene,
    who: Person,
    mount: CreatureName,
    fright: Fright,
    using: Annotated[str, Pick(riding_skills)] = "",
    saddle: bool = True,
    height: Annotated[float, suggest(1.0, 2.0, 3.0)] = 2.0,
    ground: Ground = "ordinary",
    resist: FallSkill = FallSkill.STRENGTH,
    mods: Mods = (),
    other_mods: Mods = (),
) -> RideResult:
    """Stay on a mount that is frightened: Riding or Animal handling against its Orneriness."""
    row = scene[FRIGHTS][fright]
    if row.counts or row.whole_round:
        await take_action(who)
    skill = using or best_of(scene, who, scene[RidersSeat].skills)
    mine = (*mods, *((Mod(scene[RidersSeat].saddle_dice, "saddle", ORNERY, unit=DICE),) if saddle else ()))
    theirs = (*other_mods, *wound_mods(scene, mount, fright), *stranger_mods(scene, mount, who))
    balks = row.refuses_first and scene[who].tried(INSTINCT, mount.name) is None
    damage = fall_damage(scene, height, ground) + scene[RidersSeat].raised_by
    return await hand_over(
        contest(who, skill, mount, ORNERINESS, mine, theirs, other_tags=(ANY_ROLL,)),
        read=lambda found: RideResult(found.margin >= 0, abs(found.margin), found.margin < 0 and not balks),
        then=lambda found: after_fright(who, mount, row, found, damage, resist.value),
    )


def after_fright(
    who: Person, mount: Person, row: FrightRow, found: RideResult, damage: Code, resist: str
) -> Call[None] | None:
    if found.thrown:
        return thrown(who, mount, damage, resist)
    return remember_fright(who, mount, not found.success) if row.refuses_first else None


@rule(ORNERY + "/remember", ORNERY)
async def remember_fright(scene: Scene, who: Person, mount: Person, refused: bool) -> None:
    """A mount that has refused once throws its rider the next time; then, or once it obeys, that is forgotten."""
    if refused:
        await alter(who, Hero.failing, FailedTry(INSTINCT, mount.name))
    elif scene[who].tried(INSTINCT, mount.name) is not None:
        await alter(who, Hero.succeeding, INSTINCT, mount.name)


@rule(ORNERY + "/thrown", ORNERY, "d6.health.falling")
async def thrown(scene: Scene, who: Person, mount: Person, damage: Code, resist: str) -> None:
    """The rider is thrown, and falls from the height of the mount."""
    await remember_fright(who, mount, False)
    for each in scene[RidersSeat].mounts:
        if each in places(scene, who):
            await remove_effects(who, each)
    await hit(who, damage, resist=resist)


# --- training ---------------------------------------------------------------------------------------------------------


def check_trainable(scene: Scene, who: Person, creature: Person, special_means: bool) -> None:
    """What is neither ornery nor born in captivity learns nothing without powers or equipment for it."""
    check_no_fight(scene, who)
    of = scene[creature].creature
    if of is not None and of.orneriness is None and not of.captive_born and not special_means:
        refuse(f"{creature} has no Orneriness and was not born in captivity", legal=("special powers or equipment",))


def anybody(scene: Scene, who: Person) -> tuple[Person | None, ...]:
    return (None, *(each for each in scene.all(Hero) if scene[each].creature is None))


@action("train-creature", TRAINING, bands=TRAINED, turn=check_worker, check=check_trainable)
async def train_creature(
    scene: Scene,
    who: Person,
    creature: CreatureName,
    orders: Annotated[tuple[str, ...], suggest(("mount",), ("combat",))] = ("mount",),
    master: Annotated[Person | None, Pick(anybody)] = None,
    special_means: bool = False,
    mods: Mods = (),
    other_mods: Mods = (),
) -> TrainingResult:
    """Train a creature for a month: to be a mount, to stand combat, to obey orders."""
    of = scene[TrainingFigures]
    await take_time(who, rounds_of(scene, of.base_time, of.unit))
    theirs = (*other_mods, *stranger_mods(scene, creature, who))
    by = tuple(dict.fromkeys((who.name, (master or who).name)))
    return await hand_over(
        contest(who, of.skill, creature, ORNERINESS, mods, theirs, other_tags=(ANY_ROLL,)),
        read=lambda found: TrainingResult(found.margin >= 0, abs(found.margin)),
        then=lambda found: obeys(creature, orders, by) if found.success else None,
    )


@rule(TRAINING + "/obeys", TRAINING)
async def obeys(scene: Scene, creature: Person, orders: tuple[str, ...], by: tuple[str, ...]) -> None:
    """From now on the creature obeys its trainer and its master."""
    await alter(creature, Hero.trained, orders, by)
