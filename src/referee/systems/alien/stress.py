"""Stress: its level, the responses it triggers, and how they end."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    D6,
    Mod,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    Who,
    action,
    alter,
    change,
    figure,
    refuse,
    roll,
    rule,
    settled,
    suggest,
    tell,
    total,
)
from referee.systems.alien.sheet import LEAST_STRESS, RESPONSES, Colonist, Response

REPEAT_STRESS: Final = figure("alien.stress.repeat", "stress", int)

RESPONSE: Final = Prompt("response")


@action("change-stress", "alien.stress.stress-level", master=True)
async def change_stress(scene: Scene, who: Who[Colonist], by: Annotated[int, suggest(-1, 1)]) -> int:
    """Stress rises, or is relieved, but not below 0."""
    await change(who, stressed(scene, who, by))
    return scene[who].stress


def stressed(scene: Scene, who: Who[Colonist], by: int) -> Colonist:
    """Someone with this much more stress, or less."""
    return replace(scene[who], stress=max(scene[LEAST_STRESS], scene[who].stress + by))


@rule("alien.stress.trigger", "alien.stress.table", "alien.stress.repeat")
async def stress_response(scene: Scene, who: Who[Colonist]) -> Response:
    """A response by the table, and what comes of it."""
    response = await roll_response(who)
    return await settled(response, then=suffer(who, response))


@rule("alien.stress.trigger/roll", "alien.stress.table")
async def roll_response(scene: Scene, who: Who[Colonist]) -> Response:
    """One response, no matter how many ones: D6 + stress - resolve on the table."""
    sheet = scene[who]
    mods = (Mod(sheet.stress, "stress", LEAST_STRESS.rule), Mod(-sheet.resolve, "resolve", "alien.stress.trigger"))
    thrown = await roll(RESPONSE, who, Pool.of((D6, 1)), Total, mods=mods)
    response = scene[RESPONSES].at(thrown.total + total(mods))
    await tell("stress-response", who=who, response=response.name, rule=RESPONSES.rule)
    return response


@rule("alien.stress.trigger/suffer", "alien.stress.table", "alien.stress.repeat")
async def suffer(scene: Scene, who: Who[Colonist], response: Response) -> None:
    """A response that lasts is held, or repeated; some raise stress."""
    if response.lasting and response.name in scene[who].responses:
        await repeat_response(who)
    elif response.lasting:
        await change(who, scene[who].holding(response.name), rule=RESPONSES.rule)
    if response.stress:
        await change_stress(who, response.stress)


@rule("alien.stress.repeat")
async def repeat_response(scene: Scene, who: Who[Colonist]) -> None:
    """A response already held is not gained again; stress rises instead."""
    await change_stress(who, scene[REPEAT_STRESS])


def with_responses(scene: Scene, _: None) -> tuple[Who[Colonist], ...]:
    return tuple(who for who in scene.all(Colonist) if scene[who].responses)


def check_has_response(scene: Scene, _: None, who: Who[Colonist]) -> None:
    if not scene[who].responses:
        refuse(f"{who} has no stress response")


def check_any_response(scene: Scene, _: None) -> None:
    if not with_responses(scene, None):
        refuse("no one has a stress response")


def responses_of(scene: Scene, _: None, who: Who[Colonist]) -> tuple[str, ...]:
    return scene[who].responses


def check_response(scene: Scene, _: None, response: str, who: Who[Colonist]) -> None:
    """Only a response that someone has can end."""
    if response not in scene[who].responses:
        refuse(f"{who} does not have {response}", legal=scene[who].responses)


Stressed = Annotated[Who[Colonist], Pick(with_responses, check_has_response)]
HeldResponse = Annotated[str, Pick(responses_of, check_response)]


@action("end-response", "alien.stress.table/end", check=check_any_response, master=True)
async def end_response(scene: Scene, who: Stressed, response: HeldResponse) -> None:
    """The game master, or rest, ends a response that lasts."""
    await alter(who, Colonist.without, response)
