"""Pride: a die after a failure, once in a session; and a new one after it is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    YES,
    Pool,
    Prompt,
    Refused,
    Scene,
    SymbolCounts,
    action,
    alter,
    change,
    figure,
    formula,
    frozen,
    offer,
    refuse,
    roll,
    rule,
    rule_on,
    suggest,
)
from referee.kits import year_zero
from referee.systems.yearzero.dice import D12, is_success, kinds
from referee.systems.yearzero.sheet import Person, Survivor

PRIDE_USES: Final = figure("yearzero.pride.use", "uses_per_session", int)
RELEVANCE: Final = figure("yearzero.creation.pride", "requires_relevance", bool)
PRIDE: Final = Prompt("pride")
RELEVANT: Final = Prompt("pride-is-relevant")


@rule("yearzero.pride.use", "yearzero.pride.loss")
async def proud(scene: Scene, who: Person, needed: int, so_far: int) -> PrideDie | None:
    """After a failure a D12 may be added, once in a session and if it matters here; if that fails too, it is gone."""
    if not await offer(who, PRIDE, YES, check=lambda _: check_pride(scene, who)):
        return None
    if not await matters_here():
        return None
    die = next(each for each in kinds(scene) if each.name == D12)
    seen = await roll(PRIDE, who, Pool.of((die.die, 1)), SymbolCounts)
    successes = year_zero.successes(seen, kinds(scene))
    enough = is_success(scene, so_far + successes, needed)
    if enough:
        await alter(who, pride_kept)
    else:
        await lose_pride(who)
    return PrideDie(successes, enough)


@rule("yearzero.creation.pride")
async def matters_here(scene: Scene) -> bool:
    """A Pride is used only where it has to do with the situation; the game master may say that it has not."""
    return not scene[RELEVANCE] or await rule_on(RELEVANT, True, options=(True, False))


@rule("yearzero.experience.change-pride", "yearzero.pride.loss")
async def lose_pride(scene: Scene, who: Person) -> None:
    """A Pride that was drawn on in vain is gone at once; a whole session passes without one."""
    await alter(who, pride_lost)


@frozen
class PrideDie:
    """The successes of the die, and whether they are enough."""

    successes: int
    enough: bool


@formula("yearzero.pride.use/check")
def check_pride(scene: Scene, who: Person) -> None:
    """Whoever has a Pride, once per session."""
    if not scene[who].pride:
        raise Refused("pride", because=f"{who} has none", rule="yearzero.pride.use")
    if int(scene[who].pride_used) >= scene[PRIDE_USES]:
        raise Refused("pride", because="it was used in this session", rule="yearzero.pride.use")


@rule("yearzero.pride.use/success")
async def rest_content(scene: Scene, who: Person) -> None:
    """Pride does not help a roll that has succeeded."""
    await offer(who, PRIDE, YES, check=lambda _: refuse("the roll has succeeded", rule="yearzero.pride.use"))


SESSIONS_WITHOUT: Final = 2
"""The session in which a Pride is lost, and a whole one after it."""


def pride_kept(sheet: Survivor) -> Survivor:
    return replace(sheet, pride_used=True)


def pride_lost(sheet: Survivor) -> Survivor:
    return replace(sheet, pride="", pride_used=True, pride_lock=SESSIONS_WITHOUT)


# --- once it is lost --------------------------------------------------------------------------------------------------


def check_choose_pride(scene: Scene, who: Person) -> None:
    if scene[who].pride:
        refuse(f"{who} has a Pride", rule="yearzero.pride.loss")
    if scene[who].pride_lock:
        refuse("a whole session must pass without Pride", rule="yearzero.pride.loss")


@action("choose-pride", "yearzero.pride.loss", check=check_choose_pride)
async def choose_pride(
    scene: Scene, who: Person, pride: Annotated[str, suggest("I never leave a friend behind")]
) -> None:
    """A new Pride, once a whole session has passed without one."""
    await change(who, replace(scene[who], pride=pride))
