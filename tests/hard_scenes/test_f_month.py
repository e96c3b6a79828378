"""Hard scene (f): a month of upkeep. Food, a wound, a falcon in training and a community's week come due by themselves.

Rules of the ledger: yearzero.conditions.hungry and .disease, yearzero.injuries.healing-time and .wound-infection,
yearzero.medical-aid.long-term-care, yearzero.animal-handling.training; distemper.community.fed-clothed, .morale-check,
.morale-modifiers, .morale-outcomes, .dissolution, .structure and .threshold. Time is counted in days.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias, final

import pytest

from referee.core import (
    CLOCK,
    D6,
    YES,
    Clock,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    Total,
    Who,
    advance_clock,
    alter,
    change,
    marked_die,
    offer,
    roll,
    rule,
    set_deadline,
    tell,
)
from referee.core.clock import PASSING, Deadline, cancel_deadline, run_deadline
from referee.core.plain import Plain
from referee.core.questions import Question
from referee.core.run import Changed, Event, Run, Told, drive
from referee.drivers.chain import EncounterOdds, ends_of
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import Script, play, play_out
from referee.testing.conformance import agree

DAY: Final = 1
WEEK: Final = 7


class Hour(IntEnum):
    """What comes first where several things fall on one day."""

    BREAKFAST = 0
    ROUNDS = 1
    FEVER = 2
    LESSON = 3
    HEALING = 4
    NIGHT = 5
    COUNCIL = 6


# --- the people and their place ---------------------------------------------------------------------------------------


class Attribute(Enum):
    """What wears down, and what base dice come from."""

    STRENGTH = "strength"
    AGILITY = "agility"
    EMPATHY = "empathy"


@final
@dataclass(frozen=True, slots=True)
class Survivor:
    """As much of a character as a month wears down."""

    strength: Open[int] = 3
    agility: Open[int] = 3
    empathy: Open[int] = 3
    endurance: Open[int] = 0
    whisperer: Open[int] = 0
    medicine: Open[int] = 0
    influence: Open[int] = 0
    """Attribute and skill together, for the Morale Check."""
    rations: Open[int] = 0
    hungry: Open[bool] = False
    sick: Open[int | None] = None
    """The virulence of the disease, from 0 down to -6."""
    dead: Open[bool] = False

    def level(self, attribute: Attribute) -> int:
        return int(getattr(self, attribute.value))

    def worn(self, attribute: Attribute, damage: int) -> Survivor:
        """An attribute stops at 0."""
        left: dict[str, Any] = {attribute.value: max(0, self.level(attribute) - damage)}
        return replace(self, **left)

    def given(self, rations: int) -> Survivor:
        return replace(self, rations=self.rations + rations)

    def fed(self) -> Survivor:
        return replace(self, rations=self.rations - 1, hungry=False)


@final
@dataclass(frozen=True, slots=True)
class Wound:
    """A critical injury by stab or slash: whose it is, and the heal time that was rolled."""

    of: Open[str]
    heal_days: Open[int]


@final
@dataclass(frozen=True, slots=True)
class Pupil:
    """An animal that is taught a command: by whom, at which modification, and how many days in a row so far."""

    trainer: Open[str]
    modification: Open[int]
    worked: Open[int] = 0
    taught: Open[bool] = False


@final
@dataclass(frozen=True, slots=True)
class Community:
    """Thirteen members or more, most of them with a task."""

    leader: Open[str]
    members: Open[int] = 20
    gatherers: Open[int] = 6
    maintainers: Open[int] = 4
    safety: Open[int] = 1
    mood: Open[int] = 0
    failures: Open[int] = 0
    dissolved: Open[bool] = False

    def after(self, morale: Outcome) -> Community:
        """A share of all leaves, rounded down: those without a task, then gatherers, maintainers and guards."""
        leaving = self.members * QUARTERS_LEAVING[morale] // 4
        idle = self.members - self.gatherers - self.maintainers - self.safety
        stay: list[int] = []
        for there in (idle, self.gatherers, self.maintainers, self.safety):
            stay.append(max(0, there - leaving))
            leaving = max(0, leaving - there)
        tasks = replace(self, members=sum(stay), gatherers=stay[1], maintainers=stay[2], safety=stay[3])
        return replace(tasks, mood=MOOD[morale], failures=0 if morale in GOOD else self.failures + 1)


def survivor(name: str) -> Who[Survivor]:
    return Who(name, Survivor)


MEDIC: Final = survivor("cy")

# --- a skill roll -----------------------------------------------------------------------------------------------------

PUSH: Final = Prompt("push")

BASE: Final = marked_die("base", 6, one=1, six=6)
SKILL: Final = marked_die("skill", 6, six=6)
NEGATIVE: Final = marked_die("negative", 6, six=6)


@final
@dataclass(frozen=True, slots=True)
class SkillRoll:
    """Whether it succeeded, and its banes, which count only where it was pushed."""

    success: bool
    banes: int = 0


def skill_pool(base: int, skill: int) -> Pool:
    """Skill dice below nothing are negative dice."""
    return Pool.of((BASE, base), (SKILL, max(0, skill)), (NEGATIVE, max(0, -skill)))


def successes(thrown: SymbolCounts) -> int:
    return max(0, thrown.count("six", "base") + thrown.count("six", "skill") - thrown.count("six", "negative"))


@rule("hard.month.skill-roll")
async def skill_roll(scene: Scene, name: Prompt, who: Who[Survivor], attribute: Attribute, skill: int) -> SkillRoll:
    """One six is enough; each six on a negative die removes one. Pushed, the ones on base dice hurt."""
    thrown = await roll(name, who, skill_pool(scene[who].level(attribute), skill), SymbolCounts)
    if not await offer(who, PUSH, YES, check=lambda _: check_push(thrown), about=thrown):
        return SkillRoll(successes(thrown) > 0)
    kept = thrown.showing("one", "six")
    again = skill_pool(
        thrown.count("blank", "base"), thrown.count("blank", "skill") - thrown.count("blank", "negative")
    )
    thrown = await roll(PUSH, who, again, SymbolCounts, kept=kept)
    banes = thrown.count("one", "base")
    await hurt(who, attribute, banes)
    return SkillRoll(successes(thrown) > 0, banes)


def check_push(thrown: SymbolCounts) -> None:
    if successes(thrown):
        raise Refused("push", because="it succeeded", rule="yearzero.core.push-after-success")
    if not thrown.count("blank"):
        raise Refused("push", because="no die is left to roll again", rule="yearzero.core.push")


@rule("hard.month.hurt")
async def hurt(scene: Scene, who: Who[Survivor], attribute: Attribute, damage: int) -> None:
    """Who is sick and without strength dies after another day."""
    await alter(who, Survivor.worn, attribute, damage)
    last = scene[who].sick is not None and scene[who].strength == 0
    if last and scene[CLOCK].when(who, die_of_fever) is None:
        await set_deadline(DAY, who, die_of_fever, Hour.NIGHT)


# --- food -------------------------------------------------------------------------------------------------------------


@rule("hard.month.eat")
async def eat(scene: Scene, who: Who[Survivor]) -> None:
    """A ration a day. A day without one: hungry, until one eats."""
    await set_deadline(DAY, who, eat, Hour.BREAKFAST)
    if scene[who].rations:
        await alter(who, Survivor.fed)
        await cancel_deadline(who, starve)
        await cancel_deadline(who, die_of_hunger)
    elif not scene[who].hungry:
        await change(who, replace(scene[who], hungry=True))
        await set_deadline(WEEK, who, starve, Hour.NIGHT)


@rule("hard.month.starve")
async def starve(scene: Scene, who: Who[Survivor]) -> None:
    """A week of hunger costs a point of strength; without any left, another week is the last."""
    await hurt(who, Attribute.STRENGTH, 1)
    await set_deadline(WEEK, who, starve if scene[who].strength else die_of_hunger, Hour.NIGHT)


# --- wounds and fevers ------------------------------------------------------------------------------------------------

HEAL_TIME: Final = Prompt("heal-time")
ENDURANCE: Final = Prompt("endurance")
TEND: Final = Prompt("tend")


@rule("hard.month.wound")
async def wound(scene: Scene, who: Who[Survivor], name: str) -> None:
    """The heal time is rolled at once; the day after, an untended wound is infected."""
    days = (await roll(HEAL_TIME, who, Pool.of((D6, 1)), Total)).total
    cut = Who(name, Wound)
    await change(cut, Wound(who.name, days))
    await set_deadline(DAY, cut, tend, Hour.ROUNDS)
    await set_deadline(DAY, cut, infect, Hour.FEVER)
    await set_deadline(days, cut, heal, Hour.HEALING)


@rule("hard.month.tend")
async def tend(scene: Scene, cut: Who[Wound]) -> None:
    """Care that succeeds makes the day count double, and before the infection starts it keeps it away."""
    await set_deadline(DAY, cut, tend, Hour.ROUNDS)
    if not await offer(MEDIC, TEND, YES, check=lambda _: check_tend(scene, cut), about=cut):
        return
    cared = await skill_roll(TEND, MEDIC, Attribute.EMPATHY, scene[MEDIC].medicine)
    if cared.success:
        await cancel_deadline(cut, infect)
        await heal_sooner(cut)


def check_tend(scene: Scene, cut: Who[Wound]) -> None:
    if MEDIC not in scene or scene[MEDIC].dead or scene[MEDIC].empathy == 0:
        raise Refused("tend", because="there is nobody to care", rule="yearzero.medical-aid.long-term-care")
    if scene[cut].of == MEDIC.name:
        raise Refused("tend", because="nobody nurses himself", rule="yearzero.medical-aid.long-term-care")


@rule("hard.month.heal-sooner")
async def heal_sooner(scene: Scene, cut: Who[Wound]) -> None:
    """A day off what is left of the heal time."""
    now = scene[CLOCK].now
    heals = scene[CLOCK].when(cut, heal) or now
    await cancel_deadline(cut, heal)
    await set_deadline(max(0, heals - now - 1), cut, heal, Hour.HEALING)


@rule("hard.month.infect")
async def infect(scene: Scene, cut: Who[Wound]) -> None:
    """As virulent as the heal time was long: endure it, or be sick from the next day on."""
    who = survivor(scene[cut].of)
    virulence = -min(6, scene[cut].heal_days)
    endured = await skill_roll(ENDURANCE, who, Attribute.STRENGTH, scene[who].endurance + virulence)
    if not endured.success and scene[who].sick is None:
        await change(who, replace(scene[who], sick=virulence))
        await set_deadline(DAY, who, break_out, Hour.FEVER)


@rule("hard.month.heal")
async def heal(scene: Scene, cut: Who[Wound]) -> None:
    """The wound is closed, and with it the need for care."""
    await cancel_deadline(cut)
    await change(cut, None)


@rule("hard.month.break-out")
async def break_out(scene: Scene, who: Who[Survivor]) -> None:
    """The illness breaks out; from the next day on it is fought daily."""
    await weaken(who)
    await set_deadline(DAY, who, fever, Hour.FEVER)


@rule("hard.month.fever")
async def fever(scene: Scene, who: Who[Survivor]) -> None:
    """Endure it and be well; or be weaker, and fight again tomorrow."""
    virulence = scene[who].sick or 0
    fought = await skill_roll(ENDURANCE, who, Attribute.STRENGTH, scene[who].endurance + virulence)
    if fought.success:
        await change(who, replace(scene[who], sick=None))
        await cancel_deadline(who, die_of_fever)
    else:
        await weaken(who)
        await set_deadline(DAY, who, fever, Hour.FEVER)


@rule("hard.month.weaken")
async def weaken(scene: Scene, who: Who[Survivor]) -> None:
    """A disease costs strength and agility."""
    await hurt(who, Attribute.AGILITY, 1)
    await hurt(who, Attribute.STRENGTH, 1)


@rule("hard.month.die-of-fever")
async def die_of_fever(scene: Scene, who: Who[Survivor]) -> None:
    """Not well after another day."""
    await die(who)


@rule("hard.month.die-of-hunger")
async def die_of_hunger(scene: Scene, who: Who[Survivor]) -> None:
    """Another week without food."""
    await die(who)


@rule("hard.month.die")
async def die(scene: Scene, who: Who[Survivor]) -> None:
    """Nothing more comes due for the dead, nor for their wounds."""
    await change(who, replace(scene[who], dead=True))
    await cancel_deadline(who)
    for cut in scene.all(Wound):
        if scene[cut].of == who.name:
            await cancel_deadline(cut)
    await tell("dies", who=who)


# --- a falcon in training ---------------------------------------------------------------------------------------------

WORK: Final = Prompt("work")
TEACH: Final = Prompt("teach")


def training_days(modification: int) -> int:
    return max(1, abs(modification) - 2)


@rule("hard.month.train")
async def train(scene: Scene, pupil: Who[Pupil]) -> None:
    """Some hours of work every day, or it begins anew; the roll comes at the end."""
    await set_deadline(DAY, pupil, train, Hour.LESSON)
    trainer = survivor(scene[pupil].trainer)
    works = await offer(trainer, WORK, YES, check=lambda _: check_work(scene[trainer]), about=pupil)
    await change(pupil, replace(scene[pupil], worked=scene[pupil].worked + 1 if works else 0))
    if scene[pupil].worked == training_days(scene[pupil].modification):
        await teach(pupil)


def check_work(trainer: Survivor) -> None:
    if trainer.dead or trainer.strength == 0 or trainer.empathy == 0:
        raise Refused("work", because="the trainer is broken or dead", rule="yearzero.animal-handling.training")


@rule("hard.month.teach")
async def teach(scene: Scene, pupil: Who[Pupil]) -> None:
    """It took; or it may be begun again at +2, and at -2 for each bane."""
    trainer = survivor(scene[pupil].trainer)
    skill = scene[trainer].whisperer + scene[pupil].modification
    taught = await skill_roll(TEACH, trainer, Attribute.EMPATHY, skill)
    if taught.success:
        await change(pupil, replace(scene[pupil], taught=True))
        await cancel_deadline(pupil, train)
    else:
        harder = scene[pupil].modification + 2 - 2 * taught.banes
        await change(pupil, replace(scene[pupil], modification=harder, worked=0))


# --- the community's week ---------------------------------------------------------------------------------------------

FED: Final = Prompt("fed")
CLOTHED: Final = Prompt("clothed")
MORALE: Final = Prompt("morale")
HOLD_TOGETHER: Final = Prompt("hold-together")


class Outcome(Enum):
    """How a check of two dice comes out."""

    HIGH_INSIGHT = "6+6"
    WILD_SUCCESS = "wild success"
    SUCCESS = "success"
    FAILURE = "failure"
    DIRE_FAILURE = "dire failure"
    LOW_INSIGHT = "1+1"


GOOD: Final = (Outcome.HIGH_INSIGHT, Outcome.WILD_SUCCESS, Outcome.SUCCESS)
MOOD: Final = dict(zip(Outcome, (2, 1, 0, -1, -2, -3), strict=True))
QUARTERS_LEAVING: Final = dict(zip(Outcome, (0, 0, 0, 1, 2, 3), strict=True))
RATIONS: Final = dict(zip(Outcome, (7, 7, 7, 3, 0, 0), strict=True))
"""What a week's Fed Check hands to each survivor. Our figures: the ledger has words (needs met, one meal a day)."""


def outcome_of(dice: int, modifier: int) -> Outcome:
    match dice, dice + modifier:
        case 2, _:
            return Outcome.LOW_INSIGHT
        case 12, _:
            return Outcome.HIGH_INSIGHT
        case _, total if total <= 3:
            return Outcome.DIRE_FAILURE
        case _, total if total <= 8:
            return Outcome.FAILURE
        case _, total if total <= 13:
            return Outcome.SUCCESS
        case _:
            return Outcome.WILD_SUCCESS


@rule("hard.month.check")
async def check(scene: Scene, name: Prompt, who: Who[Survivor] | None, modifier: int) -> Outcome:
    """Two dice and a modifier; doubles of one and six override the total."""
    return outcome_of((await roll(name, who, Pool.of((D6, 2)), Total)).total, modifier)


@rule("hard.month.week")
async def week(scene: Scene, place: Who[Community]) -> None:
    """Gatherers feed, maintainers clothe, and the leader finds out who stays. A mere group has no such week."""
    await set_deadline(WEEK, place, week, Hour.COUNCIL)
    if scene[place].members < 13:
        return
    fed = await check(FED, None, 1)
    await share_out(fed)
    clothed = await check(CLOTHED, None, 1)
    leader = survivor(scene[place].leader)
    if scene[leader].dead:
        raise Refused("morale", because=f"{leader} is dead; name who leads", rule="distemper.community.morale-check")
    modifier = morale_modifier(scene[place], fed, clothed)
    await take(place, await check(MORALE, leader, scene[leader].influence + modifier))


def morale_modifier(place: Community, fed: Outcome, clothed: Outcome) -> int:
    """Mood, Fed, Clothed, Enough Hands and Someone To Watch Over Me, within -5 and +5."""
    short = sum(
        (
            place.gatherers < place.members * 33 // 100,
            place.maintainers < place.members * 20 // 100,
            place.safety * 100 < place.members * 5,
        )
    )
    watched = 1 if place.safety * 10 >= place.members else -1 if place.safety * 20 < place.members else 0
    return max(-5, min(5, place.mood + MOOD[fed] + MOOD[clothed] + (-short or 1) + watched))


@rule("hard.month.share-out")
async def share_out(scene: Scene, fed: Outcome) -> None:
    """What was gathered goes to everybody alive."""
    for who in scene.all(Survivor):
        if not scene[who].dead:
            await alter(who, Survivor.given, RATIONS[fed])


@rule("hard.month.morale")
async def take(scene: Scene, place: Who[Community], morale: Outcome) -> None:
    """Some leave, the mood turns, and the third failure in a row is the last but for one more check."""
    await alter(place, Community.after, morale)
    if scene[place].failures < 3:
        return
    leader = survivor(scene[place].leader)
    held = await check(HOLD_TOGETHER, leader, scene[leader].influence + MOOD[morale])
    if held in GOOD:
        await change(place, replace(scene[place], failures=2))
    else:
        await change(place, replace(scene[place], dissolved=True))
        await cancel_deadline(place, week)


# --- a month, step by step --------------------------------------------------------------------------------------------

ANA, BO, CY = (survivor(name) for name in ("ana", "bo", "cy"))
CUT: Final = Who("cut", Wound)
FALCON: Final = Who("falcon", Pupil)
HAVEN: Final = Who("haven", Community)


@rule("hard.month.begin")
async def begin(scene: Scene) -> None:
    """Breakfast and lessons from tomorrow on, and in a week the council."""
    for who in scene.all(Survivor):
        await set_deadline(DAY, who, eat, Hour.BREAKFAST)
    for pupil in scene.all(Pupil):
        await set_deadline(DAY, pupil, train, Hour.LESSON)
    for place in scene.all(Community):
        await set_deadline(WEEK, place, week, Hour.COUNCIL)


def camp(**sheets: Hashable) -> State:
    return play(begin(), State({"clock": Clock(), **sheets})).state


def wounded(state: State, heal_days: int) -> State:
    return play(wound(BO, CUT.name), state, {"heal-time": heal_days}).state


def spoken(deadline: Deadline) -> str:
    return f"{deadline.at} {deadline.who} {deadline.rule.removeprefix('hard.month.')}"


def came_due(events: Iterable[Event]) -> Iterator[Deadline]:
    """By the log: what the clock lost each time it moved to a deadline."""
    for each in events:
        if isinstance(each, Changed) and isinstance(each.before, Clock) and isinstance(each.after, Clock):
            assert not each.rules[0].startswith("referee.clock.dead"), "the game's rule is cited first"
            gone = Counter(each.before.deadlines) - Counter(each.after.deadlines)
            is_now = each.rules[1:] == (run_deadline.id,)
            yield from (due for due in gone if is_now and (due.at, due.rule) == (each.after.now, each.rules[0]))


def pass_days(state: State, days: int, answers: Mapping[str, Plain] | None = None) -> tuple[Scene, list[str]]:
    """Days pass with written answers: the scene after them, and what came due on the way."""
    played = play_out(PASSING, play(advance_clock(days), state).state, answers)
    return Scene(played.state), list(map(spoken, came_due(played.events)))


def step_by_step(scene: Scene, answer: Callable[[Question[Any], Scene], Any]) -> Iterator[Event]:
    """What is due comes due on this very scene."""
    while scene[PASSING].over(scene, PASSING) is None:
        run = Run(scene, scene[PASSING].next_step(scene, PASSING))
        drive(run, answer)
        yield from run.events


def test_a_month_by_hand() -> None:
    state = camp(
        ana=Survivor(whisperer=5, rations=30),
        bo=Survivor(endurance=5, rations=5),
        cy=Survivor(medicine=2, influence=3, rations=30),
        falcon=Pupil("ana", modification=-7),
        haven=Community("cy"),
    )
    answers = {
        # Care fails on the first day, succeeds on the second and is left on the third, on which the wound closes.
        "tend": "yes 1 2 3 4 5, yes 6 1 1 1 1, no",
        "cy.push": "no",
        # Bo is infected (3 + 1 dice), weak on day 2, weaker on 3 and 4, and on his last day well by one skill die.
        "endurance": "1 2 3 4, 1 2 3, 2 2, 6",
        "bo.push": "no no no",
        # Five days, a failure pushed to two banes (-7 + 2 - 4 = -9, so seven days), a day missed, and seven days more.
        "work": "yes yes yes yes yes, yes yes no, yes yes yes yes yes yes yes",
        "teach": "1 2 3 4 5, 6 1 1 1 1",
        "ana.push": "yes 1 4 2 3",
        # 8 is a Failure: 5 of 20 leave. Then 9 in spite of a 1+1 is a Success. Then 1+1: of 15 a group of 4 is left.
        "fed": "3 4, 6 6, 1 2",
        "clothed": "6 2, 1 1, 4 4",
        "morale": "2 3, 5 2, 1 1",
    }
    scene, _ = pass_days(wounded(state, heal_days=4), 30, answers)
    assert scene[CLOCK].now == 30
    assert scene[FALCON] == Pupil("ana", modification=-9, worked=7, taught=True)
    assert scene[HAVEN] == Community("cy", members=4, gatherers=0, maintainers=3, safety=1, mood=-3, failures=1)
    assert scene[ANA] == Survivor(empathy=1, whisperer=5, rations=30 + 3 + 7 + 3 - 30)
    # Bo ate on days 1 to 5, 8 to 10, 15 to 21 and 22 to 24.
    assert scene[BO] == Survivor(strength=0, agility=0, endurance=5, hungry=True)
    assert list(map(spoken, scene[CLOCK].deadlines)) == [
        "31 ana eat",
        "31 bo eat",
        "31 cy eat",
        "32 bo starve",
        "35 haven week",
    ]


def test_what_falls_on_one_day_fires_by_order_then_by_name() -> None:
    sheets = {name: Survivor(rations=9) for name in ("cy", "bo", "ana")}
    state = wounded(camp(**sheets, haven=Community("cy", members=12), falcon=Pupil("ana", -7)), heal_days=1)
    _, fired = pass_days(state, 1, {"tend": "no", "endurance": "6 1 1 1", "work": "yes"})
    assert fired == ["1 ana eat", "1 bo eat", "1 cy eat", "1 cut tend", "1 cut infect", "1 falcon train", "1 cut heal"]


def test_care_on_the_first_day_calls_off_the_infection_and_brings_the_healing_forward() -> None:
    state = wounded(camp(bo=Survivor(rations=9), cy=Survivor(rations=9)), heal_days=3)
    scene, fired = pass_days(state, 3, {"tend": "yes 6 1 1, no"})
    assert [each for each in fired if "eat" not in each] == ["1 cut tend", "2 cut tend", "2 cut heal"]
    assert CUT not in scene


def test_nobody_is_asked_to_care_where_nobody_can() -> None:
    state = wounded(camp(bo=Survivor(rations=9), cy=Survivor(rations=9, empathy=0)), heal_days=1)
    pass_days(state, 1, {"endurance": "6 1 1 1"})


def test_death_comes_a_day_after_the_last_strength_and_calls_off_all_else() -> None:
    state = wounded(camp(bo=Survivor(strength=1, rations=9)), heal_days=6)
    scene, fired = pass_days(state, 9, {"endurance": "1 1 1 1 1 1 1, 1 1 1 1 1 1", "push": "no no"})
    assert [each for each in fired if "eat" not in each and "tend" not in each] == [
        "1 cut infect",
        "2 bo break-out",
        "3 bo fever",
        "3 bo die-of-fever",
    ]
    assert scene[BO].dead
    assert scene[CLOCK].deadlines == ()


def test_who_has_no_strength_when_the_fever_breaks_out_dies_a_day_after() -> None:
    state = wounded(camp(bo=Survivor(strength=0, rations=9)), heal_days=6)
    scene, fired = pass_days(state, 9, {"endurance": "1 1 1 1 1 1, 1 1 1 1 1 1", "push": "no no"})
    assert fired[-1] == "3 bo die-of-fever"
    assert scene[BO].dead


def test_eating_calls_off_starvation() -> None:
    hungry = play(eat(BO), camp(bo=Survivor())).state
    assert Scene(hungry)[CLOCK].when(BO, starve) == 7
    fed = play(eat(BO), hungry.but("bo", replace(Scene(hungry)[BO], rations=1))).state
    assert {due.rule for due in Scene(fed)[CLOCK].deadlines} == {eat.id}


def test_three_weeks_of_hunger_take_the_strength_and_a_fourth_the_life() -> None:
    # Hungry on day 1; a point on days 8, 15 and 22; dead on day 29.
    state = camp(bo=Survivor())
    assert not pass_days(state, 28)[0][BO].dead
    assert pass_days(state, 29)[0][BO] == Survivor(strength=0, hungry=True, dead=True)


def test_a_missed_day_begins_the_training_anew() -> None:
    state = camp(ana=Survivor(whisperer=5, rations=9), falcon=Pupil("ana", -7))
    scene, _ = pass_days(state, 6, {"work": "yes yes yes yes no yes"})
    assert scene[FALCON] == Pupil("ana", -7, worked=1)


def test_a_broken_trainer_misses_the_day_unasked() -> None:
    state = camp(ana=Survivor(strength=0, rations=9), falcon=Pupil("ana", -7, worked=4))
    assert pass_days(state, 1)[0][FALCON].worked == 0


def test_a_refusal_rolls_back_the_step_it_falls_in_and_no_other() -> None:
    state = camp(ana=Survivor(influence=1, rations=7), cy=Survivor(dead=True, rations=7), haven=Community("cy"))
    scene = Scene(play(advance_clock(7), state).state)
    with pytest.raises(Refused, match=r"morale: cy is dead; name who leads \(distemper.community.morale-check\)"):
        list(step_by_step(scene, Script({"fed": "4 4", "clothed": "4 4"}).answer))
    assert scene[CLOCK].now == 7
    assert scene[ANA].rations == 0  # seven days were eaten, and what the Fed Check brought is not there
    assert scene[CLOCK].when(HAVEN, week) == 7

    state = scene.state.but("haven", replace(scene[HAVEN], leader="ana"))
    played = play_out(PASSING, state, {"fed": "4 4", "clothed": "4 4", "morale": "4 4"})
    assert list(map(spoken, came_due(played.events))) == ["7 haven week"]
    assert Scene(played.state)[ANA].rations == 7


def test_the_third_failure_in_a_row_dissolves_the_community_and_ends_its_weeks() -> None:
    state = camp(cy=Survivor(influence=2, rations=9), haven=Community("cy", mood=-1, failures=2))
    answers = {"fed": "4 4", "clothed": "4 4", "morale": "3 3", "hold-together": "4 3"}  # 6 + 2 - 1 + 1, then 7 + 2 - 1
    scene, _ = pass_days(state, 21, answers)
    assert scene[HAVEN].dissolved
    assert {due.who for due in scene[CLOCK].deadlines} == {"cy"}


def test_a_leader_may_hold_the_community_together_once_more() -> None:
    state = camp(cy=Survivor(influence=2, rations=9), haven=Community("cy", mood=-1, failures=2))
    answers = {"fed": "4 4", "clothed": "4 4", "morale": "3 3", "hold-together": "4 4"}
    scene, _ = pass_days(state, 7, answers)
    assert scene[HAVEN] == Community("cy", members=15, mood=-1, failures=2)


def test_a_group_of_less_than_thirteen_has_no_council() -> None:
    state = camp(cy=Survivor(rations=30), haven=Community("cy", members=12))
    assert pass_days(state, 30)[0][HAVEN] == Community("cy", members=12)


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(Refused, match=r"time: time cannot run backwards; use undo \(referee.clock.pass\)"):
        play(advance_clock(-1), camp())


def test_no_more_time_is_let_pass_while_something_is_due() -> None:
    state = play(advance_clock(1), camp(bo=Survivor())).state
    with pytest.raises(Refused, match=r"time: what is due must be played first \(referee.clock.pass\)"):
        play(advance_clock(1), state)


def test_what_comes_due_twice_for_one_person_at_one_time_happens_twice() -> None:
    state = camp(bo=Survivor(rations=9))
    assert pass_days(play(begin(), state).state, 1)[0][BO].rations == 7


def test_a_deadline_for_somebody_gone_is_void_and_told() -> None:
    gone = play(advance_clock(1), camp(bo=Survivor(rations=9)).but("bo", None)).state
    told = [each.line for each in play_out(PASSING, gone).events if isinstance(each, Told)]
    assert [(line.key, line.rule, line.figures) for line in told] == [("deadline-void", eat.id, (("whom", "bo"),))]


# --- months by chance -------------------------------------------------------------------------------------------------

WILLING: Final = always(tend=True, work=True)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(0, 100, 25))
def test_whatever_happens_in_a_month_these_things_hold(seed: int) -> None:
    state = camp(
        ana=Survivor(whisperer=5, rations=4),
        bo=Survivor(endurance=2, rations=3),
        cy=Survivor(medicine=2, influence=0, rations=60),
        falcon=Pupil("ana", -7),
        haven=Community("cy", members=60, gatherers=19, maintainers=12, safety=3),
    )
    for each in range(seed, seed + 25):
        table = Sampled(Random(each), WILLING)
        _, month = table.play(wound(BO, CUT.name), state)
        _, month = table.play(advance_clock(30), month)
        scene = Scene(month)
        check_month(scene, list(came_due(step_by_step(scene, table.answer))))


def check_month(scene: Scene, past: list[Deadline]) -> None:
    """What holds after any month."""
    assert past == sorted(past)
    clock, place, pupil = scene[CLOCK], scene[HAVEN], scene[FALCON]
    assert clock.now == 30
    assert all(due.at > 30 for due in clock.deadlines)
    assert len(set(clock.deadlines)) == len(clock.deadlines)
    waiting = {tuple(spoken(due).split()[1:]) for due in clock.deadlines}
    for who in scene.all(Survivor):
        sheet = scene[who]
        own = {run for name, run in waiting if name == who.name}
        assert ("eat" in own) is not sheet.dead
        assert bool(own & {"starve", "die-of-hunger"}) is (sheet.hungry and not sheet.dead)
        assert bool(own & {"break-out", "fever"}) is (sheet.sick is not None and not sheet.dead)
        meals = sum((due.who, due.rule) == (who.name, eat.id) for due in past)
        assert meals == 30 or sheet.dead
        assert min(sheet.strength, sheet.agility, sheet.empathy, sheet.rations) >= 0
    assert (("cut", "heal") in waiting) <= (CUT in scene)
    assert (("falcon", "train") in waiting) is not pupil.taught
    assert pupil.worked <= training_days(pupil.modification)
    assert (("haven", "week") in waiting) is not place.dissolved
    assert place.gatherers + place.maintainers + place.safety <= place.members <= 60
    assert 0 <= place.failures <= 3


# --- odds -------------------------------------------------------------------------------------------------------------


def ends_after(days: int, state: State) -> EncounterOdds:
    return ends_of(PASSING, play(advance_clock(days), state).state, Exact(WILLING))


def test_a_stretch_of_time_surely_ends() -> None:
    ends = ends_after(8, wounded(camp(bo=Survivor(), cy=Survivor()), 3))
    assert ends.of == {8: Fraction(1)}
    assert ends.lost == 0


def test_a_falcon_taught_by_hand() -> None:
    # -7: five days, 3 base against 2 negative dice. -5: three days, 3 base dice. -3: one day, 3 base and 2 skill dice.
    against_two = Fraction(75 * 25 + 15 * 35 + 1 * 36, 216 * 36)
    three, five = 1 - Fraction(5, 6) ** 3, 1 - Fraction(5, 6) ** 5
    state = camp(falcon=Pupil("ana", -7), ana=Survivor(whisperer=5, rations=30))
    for days, chance in (
        (4, Fraction(0)),
        (5, against_two),
        (8, against_two + (1 - against_two) * three),
        (9, against_two + (1 - against_two) * (three + (1 - three) * five)),
    ):
        assert ends_after(days, state).by(lambda scene: scene[FALCON].taught).get(True, 0) == chance


@cache
def chance_of_success(base: int, skill: int) -> Fraction:
    """By every pip of every die."""
    rolls = list(product(range(1, 7), repeat=base + abs(skill)))
    good = 0
    for pips in rolls:
        sixes, other = pips[:base].count(6), pips[base:].count(6)
        good += sixes + other > 0 if skill >= 0 else sixes > other
    return Fraction(good, len(rolls))


class Patient(NamedTuple):
    """A wounded man: his strength, and the days on which the wound heals, the fever broke out and he dies."""

    heals: int
    strength: int = 3
    fever: int | None = None
    dies: int | None = None
    spared: bool = False
    dead: bool = False


def one_day_on(patient: Patient, day: int, *, cared: bool, endured: bool) -> Patient:
    if patient.dead:
        return patient
    if cared:
        patient = patient._replace(heals=max(day, patient.heals - 1), spared=patient.spared or day == 1)
    if day == 1 and not patient.spared and not endured:
        patient = patient._replace(fever=2)
    elif patient.fever and patient.fever < day and endured:
        patient = patient._replace(fever=None, dies=None)
    elif patient.fever and patient.fever <= day:
        last = patient.strength == 1
        patient = patient._replace(strength=max(0, patient.strength - 1), dies=day + 1 if last else patient.dies)
    return patient._replace(dead=patient.dies == day)


def fever_by_brute_force(heal_days: int, endurance: int, days: int) -> dict[tuple[int, bool, bool], Fraction]:
    """Strength, sickness and death of a wounded man who is nursed with three base and two skill dice."""
    now: dict[Patient, Fraction] = {Patient(heal_days): Fraction(1)}
    for day in range(1, days + 1):
        after: defaultdict[Patient, Fraction] = defaultdict(Fraction)
        for patient, chance in now.items():
            cares = chance_of_success(3, 2) if patient.heals >= day else Fraction(0)
            endures = chance_of_success(patient.strength, endurance - heal_days)
            for cared, endured in product((True, False), repeat=2):
                share = (cares if cared else 1 - cares) * (endures if endured else 1 - endures)
                after[one_day_on(patient, day, cared=cared, endured=endured)] += chance * share
        now = dict(after)
    ends: defaultdict[tuple[int, bool, bool], Fraction] = defaultdict(Fraction)
    for patient, chance in now.items():
        if chance:
            ends[patient.strength, patient.fever is not None, patient.dead] += chance
    return dict(ends)


@pytest.mark.parametrize(("heal_days", "days"), [(1, 4), (2, 5), (3, 4), (3, 6), (5, 10)])
def test_a_wound_ends_as_the_brute_force_finds_it(heal_days: int, days: int) -> None:
    state = camp(bo=Survivor(endurance=3, rations=30), cy=Survivor(medicine=2, rations=30))
    assert ends_after(days, wounded(state, heal_days)).by(how_bo_is) == fever_by_brute_force(heal_days, 3, days)


def how_bo_is(scene: Scene) -> tuple[int, bool, bool]:
    return scene[BO].strength, scene[BO].sick is not None, scene[BO].dead


Fold: TypeAlias = tuple[int, int, int, int, int, int, bool]
"""Members, gatherers, maintainers, guards, mood, failures in a row, dissolved."""


def band(pips: tuple[int, int], modifier: int) -> int:
    """Outcomes by what they do to the mood."""
    if pips in ((1, 1), (6, 6)):
        return -3 if pips == (1, 1) else 2
    number = sum(pips) + modifier
    return -2 if number < 4 else -1 if number < 9 else 0 if number < 14 else 1


TWO_DICE: Final = [(one, other) for one in range(1, 7) for other in range(1, 7)]
NEEDS: Final = Counter(band(fed, 1) + band(clothed, 1) for fed, clothed in product(TWO_DICE, repeat=2))
"""What the Fed and the Clothed Check do to the mood, with their ways."""


def weeks_by_brute_force(start: Fold, weeks: int) -> dict[Fold, Fraction]:
    """Where a community led at +1 can be after some councils: every pip of every check."""
    now: dict[Fold, Fraction] = {start: Fraction(1)}
    for _ in range(weeks):
        after: defaultdict[Fold, Fraction] = defaultdict(Fraction)
        for fold, chance in now.items():
            if fold[0] < 13 or fold[6]:
                after[fold] += chance
                continue
            for (needs, ways), council in product(NEEDS.items(), TWO_DICE):
                mood = band(council, 1 + council_modifier(fold, needs))
                for then, share in held_together(left_by(fold, mood)).items():
                    after[then] += chance * share * ways / 36**3
        now = dict(after)
    return {fold: chance for fold, chance in now.items() if chance}


def council_modifier(fold: Fold, fed_and_clothed: int) -> int:
    members, gatherers, maintainers, guards, mood, _, _ = fold
    hands = -(gatherers < int(members * 0.33)) - (maintainers < int(members * 0.2)) - (guards / members < 0.05)
    guarded = (guards / members >= 0.1) - (guards / members < 0.05)
    return sorted((-5, mood + fed_and_clothed + (hands or 1) + guarded, 5))[1]


def left_by(fold: Fold, mood: int) -> Fold:
    members, gatherers, maintainers, guards, _, failures, _ = fold
    idle = members - gatherers - maintainers - guards
    queue = "i" * idle + "g" * gatherers + "m" * maintainers + "s" * guards
    stay = queue[int(members * {-1: 0.25, -2: 0.5, -3: 0.75}.get(mood, 0)) :]
    row = failures + 1 if mood < 0 else 0
    return len(stay), stay.count("g"), stay.count("m"), stay.count("s"), mood, row, False


@cache
def held_together(fold: Fold) -> dict[Fold, Fraction]:
    if fold[5] < 3:
        return {fold: Fraction(1)}
    holds = Fraction(sum(band(pips, 1 + fold[4]) >= 0 for pips in TWO_DICE), 36)
    return {(*fold[:5], 2, False): holds, (*fold[:6], True): 1 - holds}


def fold_of(place: Community) -> Fold:
    tasks = place.gatherers, place.maintainers, place.safety
    return place.members, *tasks, place.mood, place.failures, place.dissolved


@pytest.mark.parametrize(
    ("place", "weeks"), [(Community("cy"), 2), (Community("cy", members=40, gatherers=13, mood=-1, failures=2), 1)]
)
def test_weeks_end_as_the_brute_force_finds_them(place: Community, weeks: int) -> None:
    state = camp(haven=place, cy=Survivor(influence=1, rations=60))
    ends = ends_after(weeks * WEEK, state)
    assert ends.by(lambda scene: fold_of(scene[HAVEN])) == weeks_by_brute_force(fold_of(place), weeks)


def test_all_drivers_tell_the_same_story_of_a_lesson_pushed() -> None:
    # Neither of the dice pushed may have shown a six before: 13/18 a base die, 25/36 a skill die.
    state = camp(ana=Survivor(empathy=2, whisperer=5), falcon=Pupil("ana", -4))
    odds = agree(teach(FALCON), state, always(push=True))
    assert odds.by_end(lambda _, scene: scene[FALCON].taught)[True] == 1 - Fraction(13, 18) ** 2 * Fraction(25, 36)


def test_all_drivers_tell_the_same_story_of_a_council() -> None:
    state = camp(haven=Community("cy"), cy=Survivor(influence=1, rations=60))
    council = Deadline(7, Hour.COUNCIL, HAVEN.name, week.id)
    found = agree(run_deadline(council), state).by_end(lambda _, scene: fold_of(scene[HAVEN]))
    assert found == weeks_by_brute_force(fold_of(Community("cy")), 1)


def test_all_drivers_tell_the_same_story_of_a_failure_that_may_be_the_last() -> None:
    place = Community("cy", failures=2)
    state = camp(haven=place, cy=Survivor(influence=1, rations=60))
    found = agree(take(HAVEN, Outcome.FAILURE), state).by_end(lambda _, scene: fold_of(scene[HAVEN]))
    assert found == held_together(left_by(fold_of(place), -1))
