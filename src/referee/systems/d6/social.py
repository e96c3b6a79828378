"""Social interactions: one talks others into something, or two want something of each other; the higher total wins."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    DICE,
    TOTAL,
    Bands,
    Levels,
    Mod,
    Mods,
    Pick,
    Refused,
    Scene,
    action,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import Ability, ability_name, check_ability, code_mods
from referee.systems.d6.opposed import check_seduced, is_secret_contest
from referee.systems.d6.resolution import check_able, check_conscious, check_skill, check_skill_in
from referee.systems.d6.rolls import ACTION, ANY_ROLL, check_alive, roll_for, rolled_mods, throw
from referee.systems.d6.sheet import Person, others
from referee.systems.d6.situations import Situation, noticed

INTERACTION: Final = "interaction"
ONE_WAY: Final = "d6.social.one-way"
MULTIPLE: Final = "d6.social.multiple-interlocutors"
PER_POINT: Final = figure("d6.social.status-modifier", "dice_per_point", int)

Circles: TypeAlias = Literal["neither", "formal", "hostile"]
"""Where one talks: rank counts in formal settings, and is held against one in hostile circles."""
Officer: TypeAlias = Literal["not identified", "respected", "resented"]


@frozen
class InteractionWay:
    """A way to talk somebody into something: with which skills, and against which."""

    name: str
    attack: tuple[str, ...] = ()
    defense: tuple[str, ...] = ()
    situation: tuple[str, ...] = ()
    may_change: bool = False
    """Whether one may go on in another way, and carry the margin over."""


@figures("d6.social.authority-modifier")
class Authority:
    """The merit of officers, what a level of it counts, and what they must be."""

    merit: str
    dice_per_level: int
    situation: str


WAYS: Final = rows(
    "d6.social.fast-talk", "ways", InteractionWay, also=("d6.social.eloquence/ways", "d6.social.intimidation/ways")
)


@frozen
class InteractionResult:
    """Whom one has won over, and by how much; a margin of 0 is a tie, a negative one is lost."""

    outcome: str
    margins: Levels


def outcome_of(margins: Levels) -> str:
    """A tie has no winner: another roll, or the talk is over."""
    if all(margin > 0 for margin in margins.values()):
        return "success"
    if any(margin > 0 for margin in margins.values()):
        return "partly"
    return "tie" if 0 in margins.values() else "failure"


INTERACTED: Final[Bands[InteractionResult]] = Bands(
    of=lambda result: result.outcome, keys=("success", "partly", "tie", "failure"), good=("success", "partly")
)


# --- what counts ------------------------------------------------------------------------------------------------------


@formula("d6.social.status-modifier")
def status_mods(scene: Scene, own: int, other: int, circles: Circles) -> Mods:
    """A die for each point of status above the other in formal settings, against one in hostile circles."""
    points = max(0, own - other) * scene[PER_POINT]
    amount = {"neither": 0, "formal": points, "hostile": -points}[circles]
    return (Mod(amount, "social status", PER_POINT.rule, unit=DICE),) if amount else ()


@formula("d6.social.authority-modifier")
def authority_mods(scene: Scene, who: Person, officer: Officer) -> Mods:
    """An officer who is resented has as many dice less as the merit would give."""
    found = scene[Authority]
    level = sum(each.level for each in scene[who].merits if each.name == found.merit)
    amount = -level * found.dice_per_level if officer == "resented" else 0
    return (Mod(amount, found.merit, "d6.social.authority-modifier", unit=DICE),) if amount else ()


@formula("d6.social.reputation-modifier")
def reputation_mods(scene: Scene, reputation: int) -> Mods:
    """What deeds of the past are worth here; the game master says how much."""
    return (Mod(reputation, "reputation", "d6.social.reputation-modifier", unit=TOTAL),) if reputation else ()


@formula("d6.social.fast-talk/carried", "d6.social.fast-talk")
def carried_mods(scene: Scene, carried: int) -> Mods:
    """The margin of a talk that was not settled helps in the next one, in another way."""
    return (Mod(carried, "talked before", "d6.social.fast-talk", unit=TOTAL),) if carried else ()


def standing_tags(scene: Scene, way: str, officer: Officer) -> tuple[str, ...]:
    """What the talk is about, for whatever merits and flaws say of it."""
    row = (scene[Authority].situation,) if officer == "respected" else ()
    return (INTERACTION, *(scene[WAYS][way].situation if way in scene[WAYS] else ()), *row)


# --- the roll ---------------------------------------------------------------------------------------------------------


@rule("d6.social.opposed-roll", MULTIPLE)
async def talk(
    scene: Scene,
    who: Person,
    using: str,
    facing: tuple[Person, ...],
    against: str,
    mods: Mods = (),
    tags: tuple[str, ...] = (),
    circles: Circles = "neither",
    crowd: Code | None = None,
) -> InteractionResult:
    """One roll against that of each of those who listen, and against one for a crowd; each is read by itself."""
    status = max((scene[each].social_status for each in facing), default=scene[who].social_status)
    own = (*mods, *status_mods(scene, scene[who].social_status, status, circles))
    heard = tags if len(facing) != 1 else noticed(scene, who, facing[0], tags)
    mine = await roll_for(who, using, rolled_mods(own), (ACTION, ANY_ROLL, *heard))
    margins: dict[str, int] = {}
    for other in facing:
        higher = status_mods(scene, scene[other].social_status, scene[who].social_status, circles)
        theirs = await roll_for(other, against, higher, (ANY_ROLL,))
        margins[other.name] = mine.total - theirs.total
    if crowd is not None:
        shown = Itemised(code_mods(crowd, "the crowd", MULTIPLE))
        margins["crowd"] = mine.total - (await throw(None, crowd, 0, shown)).total
    return InteractionResult(outcome_of(Levels(margins)), Levels(margins))


def attacks(scene: Scene, who: Person, manner: str) -> tuple[str, ...]:
    return scene[WAYS][manner].attack


def defenses(scene: Scene, who: Person, manner: str) -> tuple[str, ...]:
    return scene[WAYS][manner].defense


def check_attack(scene: Scene, who: Person, using: str, manner: str) -> None:
    """A skill of the way, or a field of one."""
    check_ability(scene, who, using)
    if ability_name(scene, using).skill not in scene[WAYS][manner].attack:
        raise Refused(
            using,
            because=f"it does not serve {manner}",
            rule=scene[WAYS].rule_of(manner),
            legal=attacks(scene, who, manner),
        )


def check_defense(scene: Scene, who: Person, against: str, manner: str) -> None:
    """Willpower, or what may take its place."""
    if ability_name(scene, against).skill not in scene[WAYS][manner].defense:
        known = defenses(scene, who, manner)
        raise Refused(
            against, because=f"it is no defense against {manner}", rule=scene[WAYS].rule_of(manner), legal=known
        )


def check_facing(
    scene: Scene, who: Person, facing: tuple[Person, ...], against: str, crowd: Code | None = None
) -> None:
    """Somebody listens, and can answer; nobody is listed twice."""
    if not facing and crowd is None:
        refuse("nobody listens", rule=MULTIPLE)
    for each in facing:
        check_alive(scene, each)
        check_conscious(scene, each)
        check_skill(scene, each, against)


def check_seduced_each(scene: Scene, who: Person, facing: tuple[Person, ...], using: str) -> None:
    for each in facing:
        check_seduced(scene, who, each, using)


def check_carried(scene: Scene, who: Person, margin_before: int, manner: str) -> None:
    """Only a margin, and into another way than the one it comes from."""
    if margin_before < 0 or (margin_before and scene[WAYS][manner].may_change):
        refuse("a margin of fast talk is carried over to another way", rule="d6.social.fast-talk", legal=("0",))


def check_both(scene: Scene, who: Person, other: Person, using: str) -> None:
    """Both roll the same skill."""
    check_facing(scene, who, (other,), using)


def is_secret_talk(scene: Scene, who: Person, facing: tuple[Person, ...]) -> bool:
    """What the game master's people say to each other is his alone."""
    return bool(facing) and all(is_secret_contest(scene, who, each) for each in facing)


Way: TypeAlias = Annotated[str, Pick(lambda scene, who: scene[WAYS].names)]
Facing: TypeAlias = tuple[Annotated[Person, Pick(others)], ...]
CrowdCode: TypeAlias = Annotated[Code | None, suggest(None, Code(2), Code(3), Code(4))]


@action(
    "interact",
    ONE_WAY,
    "d6.social.fast-talk",
    "d6.social.eloquence",
    "d6.social.intimidation",
    MULTIPLE,
    "d6.social.status-modifier",
    "d6.social.authority-modifier",
    "d6.social.reputation-modifier",
    bands=INTERACTED,
    turn=check_able,
    check=(check_skill_in, check_facing, check_seduced_each),
    secret=is_secret_talk,
)
async def interact(
    scene: Scene,
    who: Person,
    manner: Way,
    facing: Facing,
    using: Annotated[str, Pick(attacks, check_attack)],
    against: Annotated[str, Pick(defenses, check_defense)] = "Willpower",
    mods: Mods = (),
    circles: Circles = "neither",
    officer: Officer = "not identified",
    reputation: Annotated[int, suggest(-5, 0, 5)] = 0,
    margin_before: Annotated[int, Pick(lambda scene, who: (0,), check_carried)] = 0,
    crowd: CrowdCode = None,
    situation: Situation = (),
) -> InteractionResult:
    """Talk somebody into something: by confusion, by what one says, or by fear. Each listener answers for itself."""
    own = (*mods, *authority_mods(scene, who, officer), *reputation_mods(scene, reputation))
    tags = (*standing_tags(scene, manner, officer), *situation)
    return await talk(who, using, facing, against, (*own, *carried_mods(scene, margin_before)), tags, circles, crowd)


@action(
    "bargain-together",
    "d6.social.two-way",
    "d6.social.opposed-roll",
    bands=INTERACTED,
    turn=check_able,
    check=(check_skill_in, check_both),
    secret=is_secret_contest,
)
async def bargain_together(
    scene: Scene,
    who: Person,
    other: Annotated[Person, Pick(others)],
    using: Ability,
    mods: Mods = (),
    circles: Circles = "neither",
    situation: Situation = (),
) -> InteractionResult:
    """Two want something of each other: nobody attacks, and both roll the same skill."""
    return await talk(who, using, (other,), using, mods, (INTERACTION, *situation), circles)
