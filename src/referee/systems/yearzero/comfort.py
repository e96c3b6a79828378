"""Comfort: words and songs that take Stress away from others."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import CLOCK, Mod, Mods, Pick, Scene, action, figures, formula, frozen, refuse, rows
from referee.kits.wounds import TimeSpan
from referee.systems.yearzero.activities import check_free, lock, locked, occupy, quarter_days
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.harm import check_able, relieve
from referee.systems.yearzero.rolls import Attempt, roll_skill
from referee.systems.yearzero.sheet import Helpers, Person
from referee.systems.yearzero.skills import AwakeOther, Gear, plain
from referee.systems.yearzero.trauma import psychology, sizes

RELIEF: Final = "yearzero.stress.social-relief"
COMFORTED: Final = "comforted"
FRIENDS: Final = ("follower or friend (loyalty 3-4)", "true believer, old friend or cohort (loyalty 5-6)", "Anchor")
"""Of these only the best counts."""


@frozen
class ReliefWay:
    """A way to lose Stress."""

    name: str
    time: str
    stress: str
    limit: str = ""


WAYS: Final = rows("yearzero.stress.relief", "ways", ReliefWay)


@formula("yearzero.stress.relief")
def ways_to_lose_stress(scene: Scene) -> tuple[str, ...]:
    """Everything that takes Stress away, as the book lists it; each way has a rule of its own."""
    return scene[WAYS].names


@frozen
class ReliefModifier:
    """Something that makes it easier or harder to comfort people."""

    name: str
    dm: int
    specialty: str = ""
    people: tuple[int | None, ...] = ()
    """From how many to how many people."""
    time: TimeSpan | None = None
    time_in_qd: int = 0
    """Which time of the Quarter Day it is."""


MODIFIERS: Final = rows(RELIEF, "modifiers", ReliefModifier)


@figures(RELIEF)
class ReliefFigures:
    """What a success takes away, and how often in a Quarter Day."""

    per_x: int
    pushed_bane_stress: int
    most_in_qd: int


def spans(scene: Scene, who: Person) -> tuple[str, ...]:
    """How long it may take."""
    return tuple(each.name for each in scene[MODIFIERS] if each.time is not None)


def circumstances(scene: Scene, who: Person) -> tuple[str, ...]:
    """What may be said besides; the rest follows from the sheets."""
    follows = (each for each in scene[MODIFIERS] if not (each.people or each.time or each.time_in_qd))
    return tuple(each.name for each in follows if each.name != "Anchor")


def check_comfort(scene: Scene, who: Person, targets: tuple[Person, ...]) -> None:
    """Somebody, and nobody too often."""
    check_free(scene, who)
    if not targets:
        refuse("whom?", rule=RELIEF)
    for each in targets:
        if locked(scene, each, COMFORTED) >= (most := scene[ReliefFigures].most_in_qd):
            refuse(f"{each} was comforted {most} times in this Quarter Day", rule=RELIEF)


@formula(RELIEF)
def relief_mods(
    scene: Scene, who: Person, targets: tuple[Person, ...], duration: str, named: tuple[str, ...]
) -> tuple[Mods, str]:
    """What the number of people, the time, how often it was done and who they are come to; and the specialty."""
    listed, count = scene[MODIFIERS], len(targets)
    many = next(each for each in listed if each.people and is_between(count, each.people))
    before = max(locked(scene, each, COMFORTED) for each in targets)
    often = [each.name for each in listed if each.time_in_qd == before + 1]
    anchors = ("Anchor",) if all(who.name in scene[each].anchors for each in targets) else ()
    close = max((*named, *anchors), key=lambda name: listed.look(name).dm if name in FRIENDS else 0, default="")
    other = [name for name in named if name not in FRIENDS]
    found = dict.fromkeys((many.name, duration, *often, *((close,) if close in FRIENDS else ()), *other))
    mods = tuple(Mod(listed[name].dm, name, RELIEF) for name in found if listed[name].dm)
    return mods, many.specialty


def is_between(count: int, ends: tuple[int | None, ...]) -> bool:
    low, high = ends
    return count >= (low or 0) and (high is None or count <= high)


People: TypeAlias = tuple[AwakeOther, ...]
Duration: TypeAlias = Annotated[str, Pick(spans)]


@action("comfort", f"{RELIEF}/comfort", RELIEF, bands=OUTCOME, check=check_comfort, turn=check_able)
async def comfort(
    scene: Scene,
    who: Person,
    targets: People,
    duration: Duration = "takes 15 minutes",
    circumstances: tuple[Annotated[str, Pick(circumstances)], ...] = (),
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Talk to somebody, or perform for several: each success takes a point of Stress from each of them."""
    own, specialty = relief_mods(scene, who, targets, duration, circumstances)
    learned = psychology(scene, who) if len(targets) == 1 else ()
    attempt = Attempt("Influence", specialty, gear, (*mods, *own, *learned), helpers, tags=("social",))
    row = scene[MODIFIERS][duration].time
    if row is not None:
        await occupy(who, "comforting others", row.plus * row.size(sizes(scene)), helpers=helpers)
    quarter = quarter_days(scene)
    for each in targets:
        await lock(each, COMFORTED, (scene[CLOCK].now // quarter + 1) * quarter)
    # The Stress of a push (a point for each bane) is the one that the book names here: it is not counted twice.
    rolled = await roll_skill(who, attempt)
    for each in targets if rolled.success else ():
        await relieve(each, rolled.successes * scene[ReliefFigures].per_x)
    return plain(rolled)
