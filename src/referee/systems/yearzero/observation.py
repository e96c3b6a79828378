"""Observation: noticing, surveying, spotting."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    Audience,
    Effect,
    Mod,
    Mods,
    Open,
    Pick,
    Prompt,
    Scene,
    SymbolCounts,
    Who,
    action,
    applying,
    change,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    refuse,
    roll,
    rows,
    rule,
    settled,
    suggest,
    tell,
)
from referee.core.effects import Adds, Forbids, Grants, remove_effects
from referee.systems.yearzero.action_types import ListedPrice
from referee.systems.yearzero.activities import (
    ActivityResult,
    check_free,
    has_bane,
    now,
    occupy,
    quarter_days,
    result,
    running,
    sharing,
    span,
)
from referee.systems.yearzero.attacks import DEVIATES, INDIRECT, SPOTTED
from referee.systems.yearzero.effects import OUTCOME, Outcome, effect_table, effects_of, roll_for_effects
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.initiative import D66, tens_and_ones
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import Helpers, Person, others
from referee.systems.yearzero.skills import AwakeOther, Gear, Members, Other, have_tried, plain

USE: Final = "yearzero.observation.use"
GROUP: Final = "yearzero.observation.group"
GENERAL: Final = "yearzero.observation.general-effects"
SPOTTER: Final = "yearzero.observation.forward-observer"
SURVEY: Final = "yearzero.observation.survey-the-land"

EFFECTS: Final = effect_table(GENERAL, "Observation", bonus="bonus_effects", general=True)
SCOUT: Final = figure(USE, "specialty", str)
OPPOSED_BY: Final = figure(USE, "opposed_by", str)
WATCH: Final = "keep watch"
WATCH_TIME: Final = figure(USE, "watch/time_qd", int)
WATCH_SPECIALTY: Final = figure(USE, "watch/specialty", str)
QUESTION: Final = Prompt("question")


@frozen
class SceneQuestion:
    """A question about what one sees, and how long it takes to find the answer."""

    name: str
    minutes: int


QUESTIONS: Final = rows(GENERAL, "questions", SceneQuestion)


# --- noticing ---------------------------------------------------------------------------------------------------------


@rule(f"{GENERAL}/ask")
async def ask(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """The game master answers a question; one about the scene takes a quarter of an hour."""
    question = await choose(who, QUESTION, scene[QUESTIONS].names)
    minutes = scene[QUESTIONS][question].minutes
    if minutes:
        await occupy(who, question, span(scene, minutes, "minute"))
    await tell("question", who=who, audience=Audience.OWNER, question=question)


def observing_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, EFFECTS)


@action("observe", USE, GENERAL, GROUP, bands=OUTCOME, turn=check_able)
async def observe(
    scene: Scene,
    who: Person,
    effect: Annotated[str, Pick(observing_effects)] = "",
    members: Members = (),
    specialty: Literal["", "Military Intel", "Investigator", "Scout"] = "",
    gear: Gear = "",
    mods: Mods = (),
    goal: str = "",
) -> Outcome:
    """Learn more about what is seen at a distance. For a group one rolls, whoever it is, and nobody helps."""
    attempt = Attempt("Observation", specialty, gear, mods, goal=goal)
    if goal:
        await have_tried(who, members, attempt.approach)
    return await hand_over(roll_for_effects(who, attempt, GENERAL, effect))


@action("notice", f"{USE}/notice", bands=OUTCOME, turn=check_able)
async def notice(
    scene: Scene, who: Person, target: AwakeOther, members: Members = (), gear: Gear = "", mods: Mods = ()
) -> Outcome:
    """Notice somebody who sneaks up: Observation against their Stealth."""
    attempt = Attempt("Observation", scene[SCOUT], gear, mods, against=target, surplus=False)
    return plain(await oppose_once(who, attempt, target, Attempt(scene[OPPOSED_BY], against=who)))


@action(
    "keep-watch", f"{USE}/watch", bands=OUTCOME, check=lambda scene, who: check_free(scene, who, WATCH), turn=check_able
)
async def keep_watch(scene: Scene, who: Person, gear: Gear = "", mods: Mods = ()) -> ActivityResult:
    """Keep watch for a Quarter Day."""
    attempt = Attempt("Observation", scene[WATCH_SPECIALTY], gear, (*mods, *sharing(scene, who)), tags=(WATCH,))
    await occupy(who, WATCH, quarter_days(scene, scene[WATCH_TIME]))
    return result(await roll_once(who, attempt))


# --- the forward observer ---------------------------------------------------------------------------------------------


@figures(SPOTTER)
class Spotting:
    """The specialty of a spotter."""

    specialty: str


CORRECTION: Final = figure(SPOTTER, "correction/bonus_each", int)
MOST_CORRECTIONS: Final = figure(SPOTTER, "correction/max_total_bonus", int)
CORRECTED: Final = "corrections called"
UNAIMED: Final = "the duty to re-aim"


def gunners(scene: Scene, who: Person, target: Person) -> tuple[Person, ...]:
    return tuple(each for each in others(scene, who) if each != target)


Gunner: TypeAlias = Annotated[Person, Pick(gunners)]


SPOTTING: Final = ListedPrice("Forward Observer, calling corrections and the gunner's re-aiming")


@action("forward-observer", SPOTTER, bands=OUTCOME, price=SPOTTING, turn=check_able)
async def spot(scene: Scene, who: Person, target: Other, gunner: Gunner, gear: Gear = "", mods: Mods = ()) -> Outcome:
    """Direct indirect fire: if this fails the shot deviates, otherwise the gunner attacks as normal."""
    attempt = Attempt("Observation", scene[Spotting].specialty, gear, mods, against=target, surplus=False)
    rolled = await roll_once(who, attempt)
    name = SPOTTED if rolled.success else DEVIATES
    once = None if rolled.success else 1
    effect = Effect(Grants(name), frozenset((INDIRECT,)), uses=once)
    await lay(gunner, effect, source=name, by=SPOTTER, against=target)
    return plain(rolled)


def check_correction(scene: Scene, who: Person, target: Person, gunner: Person) -> None:
    """After a target was spotted, up to three times."""
    applied = applying(scene, gunner, INDIRECT, "attack", against=target)
    if not applied.granted(SPOTTED):
        refuse(f"nobody has spotted {target} for {gunner}", rule=SPOTTER)
    called = sum(mod.amount for mod in applied.mods if mod.label == CORRECTED)
    if called >= scene[MOST_CORRECTIONS]:
        refuse(f"corrections give at most +{scene[MOST_CORRECTIONS]}", rule=SPOTTER)


@action("call-correction", f"{SPOTTER}/correction", check=check_correction, price=SPOTTING, turn=check_able)
async def call_correction(scene: Scene, who: Person, target: Other, gunner: Gunner) -> None:
    """Correct the fire: the next attack on the target is easier, once the gunner has aimed anew."""
    bonus = Effect(Adds(scene[CORRECTION]), frozenset((INDIRECT,)), uses=1)
    await lay(gunner, bonus, source=CORRECTED, by=SPOTTER, against=target)
    if not any(a.source == UNAIMED for a in applying(scene, gunner, INDIRECT).active):
        await lay(gunner, Effect(Forbids("roll"), frozenset((INDIRECT,))), source=UNAIMED, by=SPOTTER)


def check_unaimed(scene: Scene, who: Person) -> None:
    if not any(a.source == UNAIMED for a in applying(scene, who, INDIRECT).active):
        refuse("no corrections were called", rule=SPOTTER)


@action("re-aim", f"{SPOTTER}/re-aim", check=check_unaimed, price=SPOTTING, turn=check_able)
async def re_aim(scene: Scene, who: Person) -> None:
    """After corrections the gunner aims anew, which is a slow action."""
    await remove_effects(who, UNAIMED)


# --- surveying --------------------------------------------------------------------------------------------------------


@frozen
class Area:
    """What became of surveys of an area."""

    name: str
    surveys: int = 0
    """Those that succeeded."""
    features: tuple[int, ...] = ()
    """The numbers for the table of features, one for each of them."""
    complications: tuple[int, ...] = ()
    closed_until: int = 0
    """Until when every survey fails."""
    scrounged: int = 0
    """How often it was searched for scrap."""
    scrounged_until: int = 0
    """When the Quarter Day of the last search is over."""
    scroungers: int = 0
    """How many have searched in that Quarter Day."""
    searched: bool = False
    """Whether there was a quick search."""


@frozen
class Land:
    """The areas that were surveyed."""

    areas: Open[tuple[Area, ...]] = ()

    def area(self, name: str) -> Area:
        return next((each for each in self.areas if each.name == name), Area(name))

    def with_area(self, area: Area) -> Land:
        return replace(self, areas=(*(each for each in self.areas if each.name != area.name), area))


@figures(SURVEY)
class Survey:
    """How a survey goes."""

    time_qd: int
    specialty: str
    also_keep_watch_dm_each_roll: int
    d66_per_success: int
    failure_lockout_days: int
    lead_surveyors: int
    assistance_allowed: bool


@frozen
class SurveyResult:
    """What a survey came to. The numbers for the tables of features and complications are kept with the land."""

    success: bool
    successes: int = 0
    survey: int = 0
    """Which successful survey of the area it is."""
    ambush: bool = False
    """Whether a complication notices the party first."""
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


LAND: Final = Who("land", Land)
FEATURE: Final = Prompt("feature")
COMPLICATION: Final = Prompt("complication")


@formula(SURVEY)
def is_closed(scene: Scene, area: str) -> bool:
    """Whether a survey of an area fails in any case."""
    return scene.get(LAND, Land()).area(area).closed_until > now(scene)


def surveying(area: str) -> str:
    """What somebody is busy with who surveys an area."""
    return f"survey of {area}"


def check_survey(scene: Scene, who: Person, area: str, helpers: Helpers = ()) -> None:
    """Somebody free; one leads, and the others may assist."""
    check_free(scene, who, "survey")
    leading = [each for each in others(scene, who) if any(it.name == surveying(area) for it in running(scene, each))]
    if len(leading) >= scene[Survey].lead_surveyors and not is_closed(scene, area):
        refuse(f"{leading[0]} leads the survey, and others may help", rule=SURVEY)
    if helpers and not scene[Survey].assistance_allowed:
        refuse("nobody may assist", rule=SURVEY)


@action("survey-the-land", SURVEY, bands=OUTCOME, check=check_survey, turn=check_able)
async def survey_the_land(
    scene: Scene,
    who: Person,
    area: Annotated[str, suggest("here", "the valley", "the hills")],
    keep_watch: bool = False,
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> SurveyResult:
    """Look over an area for a Quarter Day. The more often it has been surveyed, the lower the numbers."""
    figures_ = scene[Survey]
    beside = WATCH if keep_watch else ""
    await occupy(who, surveying(area), quarter_days(scene, figures_.time_qd), beside, helpers=helpers)
    if is_closed(scene, area):
        await tell("survey-closed", who=who, area=area)
        return SurveyResult(False)
    watching = (Mod(figures_.also_keep_watch_dm_each_roll, WATCH, SURVEY),) if keep_watch else ()
    attempt = Attempt("Observation", figures_.specialty, gear, (*mods, *watching), helpers, surplus=False)
    rolled = await roll_once(who, attempt)
    banes = (has_bane(rolled), rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if not rolled.success:
        return await settled(SurveyResult(False, rolled.successes, 0, *banes), then=close(area))
    survey = scene.get(LAND, Land()).area(area).surveys + 1
    return await settled(SurveyResult(True, rolled.successes, survey, *banes), then=surveyed(area, survey))


@rule(f"{SURVEY}/close")
async def close(scene: Scene, area: str) -> None:
    """Nothing is found there for a week."""
    land = scene.get(LAND, Land())
    until = now(scene) + span(scene, scene[Survey].failure_lockout_days, "day")
    await change(LAND, land.with_area(replace(land.area(area), closed_until=until)))


@rule(f"{SURVEY}/surveyed")
async def surveyed(scene: Scene, area: str, survey: int) -> None:
    """One more successful survey of the area: numbers for what is there, and for what may go wrong."""
    feature, complication = await lowest(FEATURE, survey), await lowest(COMPLICATION, survey)
    land = scene.get(LAND, Land())
    known = land.area(area)
    found = replace(
        known,
        surveys=survey,
        features=(*known.features, feature),
        complications=(*known.complications, complication),
    )
    await change(LAND, land.with_area(found))
    await tell("surveyed", area=area, feature=feature, complication=complication)


@rule(f"{SURVEY}/numbers")
async def lowest(scene: Scene, what: Prompt, survey: int) -> int:
    """As many D66, a die of tens and one of ones, as there were successful surveys; the lowest counts."""
    thrown = [await d66(what) for _ in range(survey * scene[Survey].d66_per_success)]
    return min(thrown)


@rule(f"{SURVEY}/d66")
async def d66(scene: Scene, what: Prompt) -> int:
    """Two dice, read as tens and ones."""
    return tens_and_ones(await roll(what, None, D66, SymbolCounts))
