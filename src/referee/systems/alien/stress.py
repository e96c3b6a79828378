"""Stress: its level, the responses it triggers, and how they end."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import (
    D6,
    Mod,
    Pool,
    Prompt,
    Refused,
    Scene,
    Total,
    Who,
    alter,
    change,
    figure,
    roll,
    rule,
    tell,
    total,
)
from referee.systems.alien.sheet import LEAST_STRESS, RESPONSES, Colonist, Response

REPEAT_STRESS: Final = figure("alien.stress.repeat", "stress", int)

RESPONSE: Final = Prompt("response")


@rule("alien.stress.stress-level")
async def change_stress(scene: Scene, who: Who[Colonist], by: int) -> int:
    """Stress rises, or is relieved, but not below 0."""
    await change(who, stressed(scene, who, by))
    return scene[who].stress


def stressed(scene: Scene, who: Who[Colonist], by: int) -> Colonist:
    """Someone with this much more stress, or less."""
    return replace(scene[who], stress=max(scene[LEAST_STRESS], scene[who].stress + by))


@rule("alien.stress.trigger", "alien.stress.table", "alien.stress.repeat")
async def stress_response(scene: Scene, who: Who[Colonist]) -> Response:
    """One response, no matter how many ones: D6 + stress - resolve on the table."""
    sheet = scene[who]
    mods = (Mod(sheet.stress, "stress", LEAST_STRESS.rule), Mod(-sheet.resolve, "resolve", "alien.stress.trigger"))
    thrown = await roll(RESPONSE, who, Pool.of((D6, 1)), Total, mods=mods)
    response = scene[RESPONSES].at(thrown.total + total(mods))
    await tell("stress-response", who=who, response=response.name, rule=RESPONSES.rule)
    if response.lasting and response.name in scene[who].responses:
        await repeat_response(who)
    elif response.lasting:
        await change(who, scene[who].holding(response.name), rule=RESPONSES.rule)
    if response.stress:
        await change_stress(who, response.stress)
    return response


@rule("alien.stress.repeat")
async def repeat_response(scene: Scene, who: Who[Colonist]) -> None:
    """A response already held is not gained again; stress rises instead."""
    await change_stress(who, scene[REPEAT_STRESS])


@rule("alien.stress.table/end")
async def end_response(scene: Scene, who: Who[Colonist], response: str) -> None:
    """The game master, or rest, ends a response that lasts."""
    check_end_response(scene, who, response)
    await alter(who, Colonist.without, response)


def check_end_response(scene: Scene, who: Who[Colonist] | None = None, response: str | None = None) -> None:
    """Only a response that someone has can end."""
    held = scene[who].responses if who else held_responses(scene)
    if not held:
        because = f"{who} has no stress response" if who else "no one has a stress response"
        raise Refused("end response", because=because, rule=RESPONSES.rule)
    if response not in (None, *held):
        because = f"{who} does not have {response}" if who else f"no one has {response}"
        raise Refused("end response", because=because, rule=RESPONSES.rule, legal=held)


def held_responses(scene: Scene, _: object = None) -> tuple[str, ...]:
    """Every response anyone has."""
    return tuple(dict.fromkeys(name for who in scene.all(Colonist) for name in scene[who].responses))
