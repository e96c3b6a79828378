"""Reputation: Justice and Cruelty at a site, in a region and in the world, and the deeds that make them grow.

A score is written with its level and type, and for a site or region with its name: `Village Justice: Oak Hill`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Pick,
    Refused,
    Scene,
    action,
    alter,
    change,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.rulebook import from_book
from referee.systems.yearzero.activities import lock, locked, now, span
from referee.systems.yearzero.sheet import Person, Survivor, people

TYPES_RULE: Final = "yearzero.reputation.types"
GROWTH: Final = "yearzero.reputation.growth"
CAP: Final = "yearzero.reputation.village-cap"
CONVERSION: Final = "yearzero.reputation.conversion"
VILLAGE, REGIONAL, GLOBAL = "Village", "Regional", "Global"


@frozen
class ReputationLevel:
    """How far a reputation reaches."""

    name: str
    scope: str
    also_called: str = ""


@frozen
class KnownDeed:
    """A deed, and the reputation that it gives once it is known."""

    name: str
    justice: int = 0
    cruelty: int = 0
    per: str = ""
    """How often it counts, if not every time."""
    by_itself: bool = False
    """Whether it follows from another score, and is not awarded."""

    @property
    def kind(self) -> str:
        return "Justice" if self.justice else "Cruelty"

    @property
    def points(self) -> int:
        return self.justice or self.cruelty


@figures(CONVERSION)
class Conversion:
    """What makes a point at the next level."""

    village_per_regional: int
    regional_per_global: int


KINDS: Final = figure(TYPES_RULE, "types", tuple[str, ...])
LEVELS: Final = rows(TYPES_RULE, "levels", ReputationLevel)
MOST: Final = figure(CAP, "max_total", int)
LOCKS: Final = figure(CAP, "locks", str)
ONE_GLOBAL: Final = figure(CONVERSION, "global", int)
ACTS: Final = rows(
    "yearzero.reputation.village-just",
    "acts",
    KnownDeed,
    also=tuple(
        f"yearzero.reputation.{each}"
        for each in (
            "village-cruel/acts",
            "regional-acts/just",
            "regional-acts/cruel",
            "global-just/acts",
            "global-cruel/acts",
        )
    ),
)


# --- what somebody is known for ---------------------------------------------------------------------------------------


@from_book
def score(scene: Scene, name: str) -> tuple[str, str, str]:
    """The level, the type and the place of a score as it is written; an older one says less."""
    words, _, place = name.partition(": ")
    said, _, kind = words.partition(" ")
    level = next((row.name for row in scene[LEVELS] if said in (row.name, row.also_called)), said)
    return level, kind, place


@formula(TYPES_RULE)
def known_for(scene: Scene, who: Person, level: str, kind: str = "") -> int:
    """How well somebody is known where they are, for both types together or for one; anywhere, if that is not said."""
    sheet, totals = scene[who], dict[str, int]()
    here = {VILLAGE: sheet.site, REGIONAL: sheet.region}.get(level, "")
    for name, points in sheet.reputation.items():
        of, type_, place = score(scene, name)
        if of == level and kind in ("", type_):
            totals[place] = totals.get(place, 0) + points
    everywhere = totals.pop("", 0)
    return everywhere + (totals.get(here, 0) if here else max(totals.values(), default=0))


@action("arrive", f"{TYPES_RULE}/arrive", master=True)
async def arrive(
    scene: Scene,
    target: Annotated[Person, Pick(people)],
    site: Annotated[str, suggest("the village")],
    region: str = "",
) -> None:
    """Somebody comes to a village, borough or organization, perhaps of another region, and is known there or not."""
    await alter(target, lambda sheet: replace(sheet, site=site, region=region or sheet.region))


# --- deeds ------------------------------------------------------------------------------------------------------------


def acts(scene: Scene, _: None) -> tuple[str, ...]:
    return tuple(row.name for row in scene[ACTS] if not row.by_itself)


def level_of_act(scene: Scene, act: str) -> str:
    """At which level a deed counts, by the table that prints it."""
    table = scene[ACTS].rule_of(act).rpartition(".")[2]
    return next(row.name for row in scene[LEVELS] if table.startswith(row.name.casefold()))


def place_of(scene: Scene, target: Person, act: str, at: str) -> str:
    """Where a deed is known: at the site it was done, or where its doer is."""
    sheet = scene[target]
    return at or {VILLAGE: sheet.site, REGIONAL: sheet.region}.get(level_of_act(scene, act), "")


def check_deed(scene: Scene, _: None, target: Person, deed: str, at: str = "") -> None:
    """A deed of the village has a site; one that counts by the week counts once in each."""
    place = place_of(scene, target, deed, at)
    if level_of_act(scene, deed) == VILLAGE and not place:
        refuse("say at which site", what=deed, rule=scene[ACTS].rule_of(deed))
    if scene[ACTS][deed].per and locked(scene, target, f"{deed}, {place}"):
        raise Refused(deed, because="it counts once a week", rule=GROWTH)


Deed: TypeAlias = Annotated[str, Pick(acts)]


@action("known-deed", GROWTH, master=True, check=check_deed)
async def known_deed(scene: Scene, target: Annotated[Person, Pick(people)], deed: Deed, at: str = "") -> int:
    """A deed has become known, and is remembered at a site, in a region or in the whole world."""
    row, place = scene[ACTS][deed], place_of(scene, target, deed, at)
    if row.per:
        await lock(target, f"{deed}, {place}", now(scene) + span(scene, 1, "week"))
    return await gain_reputation(target, level_of_act(scene, deed), row.kind, row.points, place)


def written(level: str, kind: str, place: str) -> str:
    return f"{level} {kind}: {place}" if place else f"{level} {kind}"


@rule(f"{GROWTH}/gain")
async def gain_reputation(scene: Scene, who: Person, level: str, kind: str, points: int, place: str = "") -> int:
    """Points at a level, of which some are heard of further away."""
    name, was = written(level, kind, place), scene[who].reputation.get(written(level, kind, place), 0)
    scores = {name: was + points}
    if level == VILLAGE:
        other = next(each for each in scene[KINDS] if each != kind)
        rival = written(level, other, place)
        scores = dict(
            zip((name, rival), capped(scene, kind, was, scene[who].reputation.get(rival, 0), points), strict=True)
        )
    changed = {each: points for each, points in scores.items() if points != scene[who].reputation.get(each, 0)}
    if changed:
        await alter(who, lambda sheet: replace(sheet, reputation=sheet.reputation.but(**changed)))
    await spread_fame(who, level, kind, place, was, scores[name])
    return scores[name] - was


@rule(CONVERSION)
async def spread_fame(scene: Scene, who: Person, level: str, kind: str, place: str, was: int, is_now: int) -> None:
    """Ten of one type at a site are heard of in the region, once; every ten there in the world. Nothing is used up."""
    name, found = written(level, kind, place), scene[Conversion]
    if level == VILLAGE and is_now >= found.village_per_regional and name not in scene[who].renowned:
        await change(who, replace(scene[who], renowned=scene[who].renowned | {name}))
        await gain_reputation(who, REGIONAL, kind, widely_known(scene, kind), scene[who].region)
    more = is_now // found.regional_per_global - was // found.regional_per_global
    if level == REGIONAL and more > 0:
        await gain_reputation(who, GLOBAL, kind, more * scene[ONE_GLOBAL])


@formula("yearzero.reputation.regional-acts")
def widely_known(scene: Scene, kind: str) -> int:
    """What it is worth in a region to be known for one thing at a site as well as can be."""
    return next(row.points for row in scene[ACTS] if row.by_itself and row.kind == kind)


@formula(CAP)
def capped(scene: Scene, kind: str, own: int, other: int, points: int) -> tuple[int, int]:
    """Both types after a gain of one: never more than ten together; what is all Cruelty stays so."""
    most = scene[MOST]
    if kind != scene[LOCKS] and other >= most:
        return own, other
    gained = min(most, own + points)
    return gained, min(other, most - gained)


def check_reputation(scene: Scene, sheet: Survivor) -> None:
    """Nobody is known for both at one site more than ten times over."""
    totals: dict[str, int] = {}
    for name, points in sheet.reputation.items():
        level, _, place = score(scene, name)
        if level == VILLAGE and place:
            totals[place] = totals.get(place, 0) + points
    for place, total in totals.items():
        if total > scene[MOST]:
            raise Refused(place, because=f"Justice and Cruelty are {scene[MOST]} together at most", rule=CAP)
