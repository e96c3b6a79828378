"""Turning somebody: work on a loyalty over many sessions, of which only the game master knows how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Audience,
    Grouped,
    Hidden,
    Mod,
    Mods,
    Open,
    Pick,
    Pool,
    Prompt,
    Refused,
    Rows,
    Scene,
    Total,
    Who,
    action,
    afterwards,
    alter,
    change,
    figure,
    figures,
    formula,
    frozen,
    number_die,
    refuse,
    roll,
    rows,
    rows_of,
    rule,
    rule_on,
    settled,
    suggest,
    tell,
)
from referee.core.clock import Due, due
from referee.core.modifiers import Itemised
from referee.kits import year_zero
from referee.kits.tracks import Track, Tracks, track_of, with_moved, with_track
from referee.systems.yearzero.activities import check_free, dawn_of, day_of, occupy, span
from referee.systems.yearzero.dice import PUSH, push_rules, throw_once
from referee.systems.yearzero.effects import OUTCOME
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.influence import NamedFactors, position
from referee.systems.yearzero.opposed import left_after
from referee.systems.yearzero.panic import add_stress
from referee.systems.yearzero.rolls import (
    Attempt,
    ExtraDice,
    RollCost,
    RolledPool,
    begin,
    check_attempt,
    check_willpower,
    found,
    itemise,
    judged,
    remember_success,
    roll_once,
    strain_from,
    throw_of,
)
from referee.systems.yearzero.sheet import Helpers, Person, Survivor, people

OVERVIEW: Final = "yearzero.turning.overview"
TURN_NUMBER: Final = "yearzero.turning.turn-number"
ATTITUDE: Final = "yearzero.turning.attitude"
SESSION: Final = "yearzero.turning.session"
EXTRA_DICE: Final = "yearzero.core.willpower-extra-dice"
PROGRESS_RULE: Final = "yearzero.turning.success"
HINTS_RULE: Final = "yearzero.turning.progress-description"
ASSESS: Final = "yearzero.turning.assess"
STRESS: Final = "yearzero.turning.victim-stress"
FAILURE: Final = "yearzero.turning.failure"
PUSHED: Final = "yearzero.turning.push"
CRITICAL: Final = "yearzero.turning.critical-failure"
SUSPICION_RULE: Final = "yearzero.turning.suspicion"
MEASURES: Final = "yearzero.turning.countermeasures"
COMPLETION: Final = "yearzero.turning.completion"
INTERRUPTION: Final = "yearzero.turning.interruption"

PROGRESS: Final = "Progress"
SUSPICION: Final = "Suspicion"
STONEWALLING: Final = "Stonewalling"
HOURS: Final = Prompt("session-hours")
VICTIM_STRESS: Final = Prompt("victim-stress")
HIDES: Final = Prompt("hides-progress")
HINT: Final = Prompt("turning-hint")
OWN_DEPTH: Final = Prompt("betrayal-depth")


@figures(OVERVIEW)
class Opposition:
    """What is rolled in a session, and where progress begins."""

    skill: str
    specialty: str
    against: str
    against_specialty: str
    start: int


@frozen
class Depth:
    """How much is asked of somebody, and how much work that takes."""

    name: str
    base: int
    asks: str


@frozen
class Attitude:
    """What somebody thinks of whoever works on them."""

    name: str
    modifier: int
    meaning: str
    loyalty: int | tuple[int, int] | None = None


@frozen
class HintRow:
    """What one is told of the progress, by quarters of the Turn Number."""

    name: str
    quarters: int


@frozen
class Countermeasure:
    """What somebody suspicious may do."""

    name: str
    condition: str
    says: str
    captive: bool = False
    """Whether only a captive does it."""
    free: bool = False
    """Whether only somebody who is no captive does it."""
    skill: str = ""
    specialty: str = ""
    modifier: int = 0
    bonus: int = 0
    feigns: bool = False
    """Whether progress seems to be made that is not."""
    ends: bool = False
    """Whether there are no more sessions."""
    turns: bool = False
    """Whether it is a turning campaign of their own."""


@figures(TURN_NUMBER)
class TurnNumbers:
    """How deep a betrayal may be, and the least that it takes."""

    depth: Rows[Depth] = rows_of()
    minimum: int


@figures(SESSION)
class SessionFigures:
    """How long a session lasts, and what suspicion costs in it."""

    hours_die: int
    modifier_per_suspicion: int


@figures(STRESS)
class StressFigures:
    """From which suspicion on being worked on is stressful, and by how much."""

    suspicion_threshold: int
    stress_die_per_x: int
    torture_stress_per_session: int


@figures(FAILURE)
class FailureFigures:
    """What a session that fails does to whom it was for."""

    suspicion: int
    stress: int


@figures(SUSPICION_RULE)
class SuspicionFigures:
    """Where suspicion begins, what betrays the manipulator, and from where on something is done about it."""

    start: int
    start_prisoner_or_known_enemy: int
    discovers_true_intent_otherwise: int
    countermeasures_from: int


@figures(ASSESS)
class AssessFigures:
    """How progress is judged, and how it is hidden."""

    skill: str
    opposed_by: str
    opposed_specialty: str
    bonus_per_suspicion: int
    typical_from_suspicion: int


ATTITUDES: Final = rows(ATTITUDE, "rows", Attitude, by="loyalty")
SAID: Final = rows(ATTITUDE, "said", Attitude)
HINTS: Final = rows(HINTS_RULE, "bands", HintRow, by="quarters")
COUNTERMEASURES: Final = rows(MEASURES, "rows", Countermeasure)
PER_X: Final = figure(PROGRESS_RULE, "progress_per_x", int)
HOURS_PER_X: Final = figure(PROGRESS_RULE, "hours_saved_per_x", int)
PER_BANE: Final = figure(PUSHED, "suspicion_per_bane", int)
LONGER_PER_BANE: Final = figure(CRITICAL, "turn_number_per_bane", int)
DAYS_WITHOUT: Final = figure(INTERRUPTION, "days_without_session", int)
FALLS_TO: Final = figure(INTERRUPTION, "progress", int)


@frozen
class Turning:
    """The work of somebody on somebody's loyalty. How far it is, and how suspicious it has made them, is hidden."""

    manipulator: Open[str]
    target: Open[str]
    captive: Open[bool] = False
    tracks: Open[Tracks] = ()
    last: Open[int] = 0
    """When the last session began."""
    loyal_to: Hidden[str] = ""
    """Whom the target is loyal to now."""
    wanted: Hidden[int] = 0
    """How loyal the target is to be to that master in the end."""
    measures: Hidden[tuple[str, ...]] = ()
    """What the target does about it."""

    def moving(self, track: str, by: int) -> Turning:
        return replace(self, tracks=with_moved(self.tracks, track, by))

    def longer(self, by: int) -> Turning:
        """With a higher Turn Number."""
        progress = track_of(self.tracks, PROGRESS)
        return replace(self, tracks=with_track(self.tracks, replace(progress, end=(progress.end or 0) + by)))


AnyBody: TypeAlias = Annotated[Person, Pick(people)]
Work: TypeAlias = Who[Turning]


def turning_of(who: Person, target: Person) -> Work:
    return Who(f"turning of {target} by {who}", Turning)


def always(scene: Scene, _: None) -> bool:
    """How far it is, is only for the game master."""
    return True


def progress_of(scene: Scene, me: Work) -> Track:
    return track_of(scene[me].tracks, PROGRESS)


def suspicion_of(scene: Scene, me: Work) -> int:
    return track_of(scene[me].tracks, SUSPICION).value


# --- how much it takes ------------------------------------------------------------------------------------------------


@formula(ATTITUDE)
def attitude_of(scene: Scene, loyalty: int, said: str = "") -> Attitude:
    """By the loyalty to whoever works on them, those beyond the table as its ends; or what the game master says."""
    if said:
        return scene[SAID].look(said) if said in scene[SAID] else scene[ATTITUDES].look(said)
    ends = [end for row in scene[ATTITUDES] for end in _ends(row.loyalty)]
    return scene[ATTITUDES].at(min(max(loyalty, *ends[:1]), ends[-1]))


def _ends(loyalty: int | tuple[int, int] | None) -> tuple[int, ...]:
    return () if loyalty is None else (loyalty,) if isinstance(loyalty, int) else loyalty


@formula(TURN_NUMBER)
def turn_number(scene: Scene, shift: int, modifier: int) -> int:
    """The successes it takes: the shift of loyalty, and what the attitude adds."""
    return max(scene[TurnNumbers].minimum, shift + modifier)


@formula(f"{TURN_NUMBER}/shift", TURN_NUMBER)
def shift_of(scene: Scene, target: Person, depth: str, loyal_to: str, wanted: int) -> int:
    """By the table, or else the difference of the loyalty that is there and the one that is wanted."""
    if depth:
        return scene[TurnNumbers].depth.look(depth).base
    return abs(scene[target].loyalties.get(loyal_to, 0) - wanted)


def depths(scene: Scene, _: None) -> tuple[str, ...]:
    return ("", *scene[TurnNumbers].depth.names)


def attitudes(scene: Scene, _: None) -> tuple[str, ...]:
    return ("", *scene[ATTITUDES].names, *scene[SAID].names)


def check_begin(scene: Scene, _: None, who: Person, target: Person, depth: str, loyal_to: str, wanted: int) -> None:
    """Two people, no work that goes on already, and something that is to change."""
    if who == target:
        refuse("nobody turns themselves", rule=OVERVIEW)
    if turning_of(who, target) in scene:
        refuse(f"{who} is at it already", rule=OVERVIEW)
    if not depth and not shift_of(scene, target, depth, loyal_to, wanted):
        refuse("neither a depth nor another loyalty is named", rule=TURN_NUMBER, legal=scene[TurnNumbers].depth.names)


@action("begin-turning", OVERVIEW, TURN_NUMBER, ATTITUDE, check=check_begin, master=True, secret=always)
async def begin_turning(
    scene: Scene,
    who: AnyBody,
    target: AnyBody,
    depth: Annotated[str, Pick(depths)] = "",
    loyal_to: str = "",
    wanted: Annotated[int, suggest(*range(-3, 7))] = 0,
    attitude: Annotated[str, Pick(attitudes)] = "",
    captive: bool = False,
    knows: bool = False,
    hidden: bool = False,
) -> int:
    """Somebody sets out to turn somebody: how many successes that takes is set, and known to nobody else."""
    row = attitude_of(scene, scene[target].loyalties.get(who.name, 0), attitude)
    needed = turn_number(scene, shift_of(scene, target, depth, loyal_to, wanted), row.modifier)
    suspicion, opposition = scene[SuspicionFigures], scene[Opposition]
    first = suspicion.start_prisoner_or_known_enemy if captive or knows else suspicion.start
    tracks = (
        Track(PROGRESS, opposition.start, needed, audience=Audience.MASTER),
        Track(SUSPICION, first, audience=Audience.MASTER),
    )
    work = Turning(who.name, target.name, captive, tracks, scene[CLOCK].now, loyal_to, wanted)
    await change(turning_of(who, target), work, hidden=hidden)
    return needed


# --- a session --------------------------------------------------------------------------------------------------------


@frozen
class TurningResult:
    """What a session came to: successes that were left, and how long it would take."""

    success: bool
    successes: int
    hours: int
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


def worked_on(scene: Scene, _: None, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Survivor) if turning_of(who, each) in scene)


Worked: TypeAlias = Annotated[Person, Pick(worked_on)]


def check_session(scene: Scene, _: None, who: Person, target: Person) -> None:
    """Somebody free and able, and somebody who still lets them come near."""
    check_able(scene, who)
    check_free(scene, who)
    check_able(scene, target)
    gone = [each for each in scene[turning_of(who, target)].measures if scene[COUNTERMEASURES].look(each).ends]
    if gone:
        refuse(f"{target} has broken off contact", rule=MEASURES)


@formula(SESSION)
def suspected(scene: Scene, me: Work) -> Mods:
    """Each point of Suspicion makes the session harder."""
    by = suspicion_of(scene, me) * scene[SessionFigures].modifier_per_suspicion
    return (Mod(by, SUSPICION, SESSION),) if by else ()


def walled(scene: Scene, me: Work) -> Mods:
    """What stonewalling adds for one session."""
    bonus = scene[COUNTERMEASURES].look(STONEWALLING).bonus if STONEWALLING in scene[me].measures else 0
    return (Mod(bonus, STONEWALLING, MEASURES),) if bonus else ()


@frozen
class SessionPlan:
    """What whoever works on somebody says beforehand, since nobody sees how the dice fall."""

    willpower: Annotated[int, suggest(0, 1, 2, 3, 4)] = 0
    push: bool = False
    hours_saved: Annotated[int, suggest(0, 1, 2, 3)] = 0
    """How many successes shorten the session rather than bring it forward."""


def check_declared(scene: Scene, _: None, who: Person, willpower: int, hours_saved: int) -> None:
    if willpower < 0 or hours_saved < 0:
        refuse("it is 0 or more", rule=SESSION)
    if willpower:
        check_willpower(scene, who, willpower)


CHECKS: Final = (check_session, check_declared)
NOTHING_SAID: Final = SessionPlan()


@action("turning-session", SESSION, OVERVIEW, bands=OUTCOME, check=CHECKS, master=True, secret=always)
async def hold_session(
    scene: Scene,
    who: AnyBody,
    target: Worked,
    factors: NamedFactors = (),
    torture: bool = False,
    declared: Grouped[SessionPlan] = NOTHING_SAID,
    mods: Mods = (),
    helpers: Helpers = (),
) -> TurningResult:
    """Some hours of work on somebody: Influence against Insight, harder with each point of Suspicion."""
    me, use = turning_of(who, target), scene[Opposition]
    die = Pool.of((number_die(scene[SessionFigures].hours_die), 1))
    hours = (await roll(HOURS, who, die, Total, audience=Audience.MASTER)).total
    own = (*mods, *position(scene, who, target, factors), *suspected(scene, me))
    attempt = Attempt(use.skill, use.specialty, "", own, helpers, target, ("social",))
    rolled, banes = await roll_unseen(who, attempt, declared.willpower, declared.push)
    walls = walled(scene, me)
    answer = Attempt(use.against, use.against_specialty, mods=walls, against=who, tags=("resist",), hidden=True)
    left = await left_after(rolled.successes, target, answer)
    rolled = replace(rolled, success=left >= 1, successes=left)
    result = TurningResult(rolled.success, left, hours, rolled.pushes, rolled.base_banes, rolled.gear_banes)
    then = come_of(me, who, target, rolled, banes, hours, min(declared.hours_saved, left), torture, helpers)
    return await settled(result, then=then)


@rule(f"{SESSION}/roll", PUSHED)
async def roll_unseen(
    scene: Scene, who: Person, attempt: Attempt, willpower: int, push: bool
) -> tuple[RolledPool, int]:
    """What was declared is thrown where only the game master sees it; what it came to, and the banes that lie."""
    check_attempt(scene, who, attempt)
    if willpower:
        await alter(who, Survivor.spending, willpower)
        attempt = attempt.adding(Mod(willpower * scene[ExtraDice].dice_per_wp, f"{who}'s Willpower", EXTRA_DICE))
    throw, items = throw_of(scene, who, attempt), Itemised(itemise(scene, who, attempt))
    await begin(who, attempt, found(scene, who, attempt))
    if throw.dice.is_hopeless:
        return RolledPool(False, 0), 0
    rules, pushes = push_rules(scene, who, throw), 0
    seen = await throw_once(who, throw.dice, items, True)
    if push and year_zero.again(seen, rules.kinds).size:
        seen = await replace(year_zero.throw_again(PUSH, who, seen, rules.kinds), audience=Audience.MASTER)
        pushes = 1
    rolled = judged(scene, rules.fall(seen, pushes), attempt)
    if rolled.success:
        await afterwards(remember_success(who, attempt.skill, attempt.specialty))
    await afterwards(strain_from(who, rolled, RollCost(throw.attribute, skill=attempt.skill)))
    return rolled, seen.count(year_zero.ONE)


@rule(f"{SESSION}/end")
async def come_of(
    scene: Scene,
    me: Work,
    who: Person,
    target: Person,
    rolled: RolledPool,
    banes: int,
    hours: int,
    saved: int,
    torture: bool,
    helpers: Helpers,
) -> None:
    """Progress or Suspicion, what banes betray, and the hours that it took."""
    wary = suspicion_of(scene, me) >= scene[StressFigures].suspicion_threshold
    if rolled.pushes and banes:
        await alter(me, Turning.moving, SUSPICION, banes * scene[PER_BANE], rule=PUSHED)
    if rolled.success:
        await alter(me, Turning.moving, PROGRESS, (rolled.successes - saved) * scene[PER_X], rule=PROGRESS_RULE)
    else:
        await fail_session(me, target, banes)
    await stress_victim(target, torture, rolled.successes if wary and rolled.success else 0)
    await change(me, replace(scene[me], last=scene[CLOCK].now, measures=_after_session(scene[me].measures)))
    left = shorter(scene, hours, saved if rolled.success else 0)
    await occupy(who, f"working on {target}", span(scene, left, "hour"), helpers=helpers)


@rule(STRESS)
async def stress_victim(scene: Scene, target: Person, torture: bool, successes: int) -> None:
    """Torture is stressful, and to somebody wary each success that is left against them."""
    stress = scene[StressFigures]
    if torture:
        await add_stress(target, stress.torture_stress_per_session)
    if successes:
        dice = Pool.of((number_die(stress.stress_die_per_x), successes))
        await add_stress(target, (await roll(VICTIM_STRESS, target, dice, Total, audience=Audience.MASTER)).total)


def _after_session(measures: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in measures if each != STONEWALLING)


@formula(PROGRESS_RULE)
def shorter(scene: Scene, hours: int, successes: int) -> int:
    """Successes may shorten a session instead of bringing it forward."""
    return max(0, hours - successes * scene[HOURS_PER_X])


@rule(FAILURE, CRITICAL)
async def fail_session(scene: Scene, me: Work, target: Person, banes: int) -> None:
    """Suspicion and Stress; each bane that shows, pushed or not, makes it take longer for good."""
    await alter(me, Turning.moving, SUSPICION, scene[FailureFigures].suspicion)
    if banes:
        await alter(me, Turning.longer, banes * scene[LONGER_PER_BANE], rule=CRITICAL)
    await add_stress(target, scene[FailureFigures].stress)


@rule(INTERRUPTION)
async def forget(scene: Scene, me: Work) -> None:
    """Three days without a session undo all progress; Suspicion and the Turn Number stay."""
    await alter(me, Turning.moving, PROGRESS, scene[FALLS_TO] - progress_of(scene, me).value)


@due(Turning, forget)
def forgetting(scene: Scene, me: Work) -> Iterator[Due]:
    """At the dawn after so many whole days without a session."""
    at = dawn_of(scene, day_of(scene, scene[me].last) + scene[DAYS_WITHOUT] + 1)
    if at > scene[CLOCK].now and progress_of(scene, me).value > scene[FALLS_TO]:
        yield Due(forget, at=at, audience=Audience.MASTER)


# --- what one notices -------------------------------------------------------------------------------------------------


@formula(HINTS_RULE)
def hint_of(scene: Scene, me: Work) -> str:
    """The hint nearest to the progress there is."""
    return scene[HINTS].at(progress_of(scene, me).share(len(scene[HINTS]) - 1)).name


def hints(scene: Scene, _: None) -> tuple[str, ...]:
    return ("", *scene[HINTS].names)


@action("convey-progress", HINTS_RULE, master=True)
async def convey(scene: Scene, who: AnyBody, target: Worked, told: Annotated[str, Pick(hints)] = "") -> None:
    """Tell how somebody seems to take it: as it is, or as they make it seem."""
    await tell("turning-hint", who=target, told=told or hint_of(scene, turning_of(who, target)))


def at_work_on(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those somebody works on, whoever it is."""
    worked = {scene[each].target for each in scene.all(Turning)}
    return tuple(each for each in scene.all(Survivor) if each.name in worked and each != who)


def manipulators(scene: Scene, who: Person, target: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Survivor) if turning_of(each, target) in scene)


@action("assess-turning", ASSESS, turn=check_able)
async def assess(
    scene: Scene,
    who: Person,
    target: Annotated[Person, Pick(at_work_on)],
    manipulator: Annotated[Person, Pick(manipulators)],
    mods: Mods = (),
    helpers: Helpers = (),
) -> None:
    """Judge by Insight how somebody takes it. Those who hide it answer with Influence, and nobody sees their dice."""
    me, use = turning_of(manipulator, target), scene[AssessFigures]
    rolled = await roll_once(who, Attempt(use.skill, mods=mods, helpers=helpers, against=target))
    sees = rolled.successes > 0
    if await rule_on(HIDES, hides(scene, me), options=(True, False), audience=Audience.MASTER):
        sees = await left_after(rolled.successes, target, hiding(scene, me, who)) > 0
    usual = noticed(scene, me) if sees else "no telling"
    hint = await rule_on(
        HINT, usual, options=(*scene[HINTS].names, FEIGNED, HOPELESS, "no telling"), audience=Audience.MASTER
    )
    await tell("turning-assessed", who=who, audience=Audience.OWNER, target=target.name, noticed=hint)


FEIGNED: Final = "something is off"
HOPELESS: Final = "beyond repair"


@formula(f"{ASSESS}/noticed", MEASURES)
def noticed(scene: Scene, me: Work) -> str:
    """What a success shows: that it is in vain, that it is feigned, or how far it is."""
    measures = [scene[COUNTERMEASURES].look(each) for each in scene[me].measures]
    if any(each.ends for each in measures):
        return HOPELESS
    return FEIGNED if any(each.feigns for each in measures) else hint_of(scene, me)


@formula(f"{ASSESS}/hides")
def hides(scene: Scene, me: Work) -> bool:
    """Whether somebody is likely to hide what they think."""
    return suspicion_of(scene, me) >= scene[AssessFigures].typical_from_suspicion


@formula(ASSESS)
def hiding(scene: Scene, me: Work, who: Person) -> Attempt:
    """How somebody hides it: better with each point of Suspicion."""
    use, suspicion = scene[AssessFigures], suspicion_of(scene, me)
    by = (Mod(suspicion * use.bonus_per_suspicion, SUSPICION, ASSESS),) if suspicion else ()
    return Attempt(use.opposed_by, use.opposed_specialty, mods=(*by, *walled(scene, me)), against=who, hidden=True)


# --- what comes of suspicion ------------------------------------------------------------------------------------------


@action("rouse-suspicion", SUSPICION_RULE, master=True, secret=always)
async def rouse_suspicion(scene: Scene, who: AnyBody, target: Worked) -> None:
    """Somebody finds out what is wanted of them, by other means than a session."""
    by = scene[SuspicionFigures].discovers_true_intent_otherwise
    await alter(turning_of(who, target), Turning.moving, SUSPICION, by)


def measures_open(scene: Scene, _: None, who: Person, target: Person) -> tuple[str, ...]:
    """What somebody in this place may do: captives feign, others leave."""
    captive = scene[turning_of(who, target)].captive
    return tuple(
        row.name for row in scene[COUNTERMEASURES] if not ((row.captive and not captive) or (row.free and captive))
    )


def check_measure(scene: Scene, _: None, measure: str, who: Person, target: Person) -> None:
    """From a Suspicion of 3 on, and only what fits."""
    me, least = turning_of(who, target), scene[SuspicionFigures].countermeasures_from
    if suspicion_of(scene, me) < least:
        refuse(f"Suspicion is {suspicion_of(scene, me)}, and it takes {least}", rule=MEASURES)
    if measure not in measures_open(scene, None, who, target):
        free = "a captive" if scene[me].captive else "nobody's captive"
        raise Refused(
            measure, because=f"{target} is {free}", rule=MEASURES, legal=measures_open(scene, None, who, target)
        )


@action("countermeasure", MEASURES, bands=OUTCOME, master=True, secret=always)
async def take_measure(
    scene: Scene, who: AnyBody, target: Worked, measure: Annotated[str, Pick(measures_open, check_measure)]
) -> TurningResult:
    """What somebody suspicious does about it; some of it takes a roll."""
    row, me = scene[COUNTERMEASURES][measure], turning_of(who, target)
    result = TurningResult(True, 0, 0)
    if row.skill:
        mods = (Mod(row.modifier, measure, MEASURES),) if row.modifier else ()
        rolled = await roll_once(target, Attempt(row.skill, row.specialty, mods=mods, against=who))
        result = replace(result, success=rolled.success, successes=rolled.successes)
    if result.success and measure not in scene[me].measures:
        await change(me, replace(scene[me], measures=(*scene[me].measures, measure)))
    if row.turns and turning_of(target, who) not in scene:
        depth = await rule_on(OWN_DEPTH, scene[TurnNumbers].depth.names[0], options=scene[TurnNumbers].depth.names)
        _ = await begin_turning(target, who, depth, hidden=True)
    return result


# --- the end ----------------------------------------------------------------------------------------------------------


def check_complete(scene: Scene, _: None, who: Person, target: Person) -> None:
    progress = progress_of(scene, turning_of(who, target))
    if not progress.is_full:
        refuse(f"Progress is {progress.value} of {progress.end}", rule=COMPLETION)


@action("complete-turning", COMPLETION, master=True, check=check_complete)
async def complete(
    scene: Scene, who: AnyBody, target: Worked, loyalty: Annotated[int, suggest(*range(-3, 7))] = 3
) -> None:
    """The shift shows: somebody is loyal to whoever has turned them, and no longer to their master."""
    me = turning_of(who, target)
    work, loyalties = scene[me], scene[target].loyalties
    mine = {who.name: loyalty} | ({work.loyal_to: work.wanted} if work.loyal_to else {})
    await change(target, replace(scene[target], loyalties=loyalties.but(**mine)))
    await tell("turned", who=target, by=who.name)
    await change(me, None)


@action("give-up-turning", f"{COMPLETION}/given-up", master=True)
async def give_up(scene: Scene, who: AnyBody, target: Worked) -> None:
    """Nobody works on somebody any more."""
    await change(turning_of(who, target), None)
