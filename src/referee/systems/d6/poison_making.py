"""Making poisons and drugs: how hard one is to make follows from all that it does."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Grouped,
    Levels,
    Mods,
    Open,
    Pick,
    Scene,
    action,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
)
from referee.kits.wounds import TimeSpan
from referee.systems.d6.codes import check_ability
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.fields import fields_known
from referee.systems.d6.resolution import TESTED, TestResult, check_skilled
from referee.systems.d6.rolls import is_secret_roll
from referee.systems.d6.sheet import Person
from referee.systems.d6.tasks import work
from referee.systems.d6.time import rounds_of
from referee.systems.d6.work import A_TASK, check_time, check_worker

POISONS: Final = "d6.skills.poisons"
SKILL: Final = "Poisons"
NOTHING: Final = Levels()


@frozen
class PartRow:
    """A part of what a poison does, and how much harder it makes it; some count for each unit of it."""

    name: str
    adds: int
    each: int = 0
    least: int = 0
    most: int = 0

    def counts(self, number: int) -> int:
        return self.adds + self.each * number


VECTORS: Final = rows(POISONS, "vectors", PartRow)
LATENCIES: Final = rows(POISONS, "latencies", PartRow)
EFFECTS: Final = rows(POISONS, "effects", PartRow)
ENDINGS: Final = rows(POISONS, "endings", PartRow)


@figures(POISONS)
class PoisonFigures:
    """How long it takes, how much effects count that come even after a success, and what hides and heals a poison."""

    time: TimeSpan
    on_success_times: int
    notice_less: int
    diagnostic_less: int
    treatment_less: int


def check_count(scene: Scene, who: Person, count: int, latency: str) -> None:
    """So many rounds, minutes or hours as the book has an entry for."""
    row = scene[LATENCIES].look(latency)
    if row.each and not row.least <= count <= row.most:
        refuse(f"it is {row.least} to {row.most} {row.name}", what=str(count), rule=POISONS)


def check_effects(scene: Scene, who: Person, effects: Levels) -> None:
    """Effects that the book has an entry for."""
    for name, number in effects.items():
        if number < 1:
            refuse("it does it once or more often", what=scene[EFFECTS].look(name).name, rule=POISONS)


def usual_effects(scene: Scene, who: Person) -> tuple[Levels, ...]:
    return (Levels(), *(Levels({name: 1}) for name in scene[EFFECTS].names))


PoisonEffects: TypeAlias = Annotated[Levels, Pick(usual_effects, check_effects)]


@frozen
class PoisonDesign:
    """A poison as it is planned: how hard to resist, how it gets in, how often it strikes, what it does."""

    resisted: Open[int] = 15
    vector: Open[Annotated[str, VECTORS]] = "ingested"
    latency: Open[Annotated[str, LATENCIES]] = "minutes"
    count: Open[Annotated[int, Pick(lambda scene, who: (1, 2, 5, 10), check_count)]] = 5
    """How many rounds, minutes, tens of minutes or hours lie between its rolls."""
    ending: Open[Annotated[str, ENDINGS]] = "one success"
    effects: Open[PoisonEffects] = NOTHING
    even_on_success: Open[PoisonEffects] = NOTHING
    notice: Open[int] = 10
    diagnostic: Open[int] = 15
    treatment: Open[int] = 20


MILD: Final = PoisonDesign()


@formula(POISONS + "/difficulty", POISONS)
def poison_difficulty(scene: Scene, design: PoisonDesign) -> int:
    """How hard a poison is to make: the sum of all its parts; some of them make it easier."""
    of = scene[PoisonFigures]
    failed = sum(scene[EFFECTS][name].adds * number for name, number in design.effects.items())
    passed = sum(scene[EFFECTS][name].adds * number for name, number in design.even_on_success.items())
    hidden = design.notice - of.notice_less + design.diagnostic - of.diagnostic_less
    return (
        design.resisted
        + scene[VECTORS][design.vector].adds
        + scene[LATENCIES][design.latency].counts(design.count)
        + scene[ENDINGS][design.ending].adds
        + failed
        + passed * of.on_success_times
        + hidden
        + design.treatment
        - of.treatment_less
    )


PoisonSkill: TypeAlias = Annotated[
    str, Pick(lambda scene, who: fields_known(scene, who, SKILL), check_ability, seldom=True)
]


def check_making(scene: Scene, who: Person) -> None:
    check_skilled(scene, who)
    check_time(scene, who, A_TASK, making_time(scene))


def check_smaller(scene: Scene, who: Person, effects: Levels, even_on_success: Levels) -> None:
    """What it does to those who resist is less than what it does to others."""
    worst = sum(scene[EFFECTS].look(name).adds * number for name, number in effects.items())
    if even_on_success and sum(scene[EFFECTS].look(name).adds * n for name, n in even_on_success.items()) >= worst:
        refuse("it does less to those who resist it", rule=POISONS)


def making_time(scene: Scene) -> int:
    return rounds_of(scene, scene[PoisonFigures].time.plus, scene[PoisonFigures].time.unit)


@action(
    "make-poison",
    POISONS,
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_making, check_smaller),
    secret=is_secret_roll,
)
async def make_poison(
    scene: Scene, who: Person, design: Grouped[PoisonDesign] = MILD, mods: Mods = (), using: PoisonSkill = SKILL
) -> TestResult:
    """Make a poison or a drug in two hours: the more it does, and the less it shows, the harder it is."""
    return await hand_over(work(who, using, poison_difficulty(scene, design), making_time(scene), "usual", mods))
