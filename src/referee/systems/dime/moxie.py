"""Moxie: the hand that comes back with each session, and what its cards buy apart from flips."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES_NO,
    Audience,
    Card,
    Pick,
    Prompt,
    Scene,
    action,
    change,
    choose,
    figure,
    pile_of,
    refuse,
    rule,
    rule_on,
    tell,
)
from referee.core.effects import renew_uses
from referee.core.requests import move_all
from referee.systems.dime.deck import ANTE, MASTER, discard, owner, refill
from referee.systems.dime.flip import check_can_act
from referee.systems.dime.sheet import Adventurer, Person, check_awake

TRAIT_COST: Final = figure("dime.moxie.activate-trait", "cost", int)
SERENDIPITY_COST: Final = figure("dime.moxie.serendipity", "cost", int)

SPEND: Final = Prompt("spend")
CONSENT: Final = Prompt("consent")


def check_moxie(scene: Scene, who: Person, cost: int = 1) -> None:
    """With an empty hand none of the uses of Moxie is possible."""
    if len(scene[owner(scene, who).hand]) < cost:
        refuse(f"{who} has no Moxie left", rule="dime.moxie.hand", legal=("whoever has a card in hand",))


@rule("dime.moxie.hand")
async def spend_moxie(scene: Scene, who: Person, cost: int = 1) -> tuple[Card, ...]:
    """One Moxie is one card of the player's choice, which is discarded."""
    check_moxie(scene, who, cost)
    spent: tuple[Card, ...] = ()
    for _ in range(cost):
        card = await choose(who, SPEND, scene[owner(scene, who).hand].cards, options_for=Audience.OWNER)
        await discard(owner(scene, who).hand, (card,))
        spent += (card,)
    return spent


def moxie_traits(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].traits if each.moxie) if who else ()


def check_trait_cost(scene: Scene, who: Person) -> None:
    check_moxie(scene, who, scene[TRAIT_COST])


def check_serendipity_cost(scene: Scene, who: Person) -> None:
    check_moxie(scene, who, scene[SERENDIPITY_COST])


TraitName: TypeAlias = Annotated[str, Pick(moxie_traits)]


@action("activate-trait", "dime.moxie.activate-trait", turn=check_can_act, check=check_trait_cost)
async def activate_trait(scene: Scene, who: Person, trait: TraitName) -> None:
    """A trait that needs a Moxie is activated by discarding a card."""
    _ = await spend_moxie(who, scene[TRAIT_COST])


@action("serendipity", "dime.moxie.serendipity", turn=check_awake, check=check_serendipity_cost)
async def serendipity(scene: Scene, who: Person, what: str = "") -> bool:
    """A small convenient coincidence, if the game master agrees; otherwise the card is kept."""
    if not await rule_on(CONSENT, True, options=YES_NO):
        return False
    _ = await spend_moxie(who, scene[SERENDIPITY_COST])
    await tell("coincidence", who=who, what=what)
    return True


@action("start-session", "dime.moxie.refresh", master=True)
async def start_session(scene: Scene) -> None:
    """Deck, discards and old hands are shuffled together, and everyone draws a hand as large as the Moxie score."""
    people = scene.all(Adventurer)
    for who in people:
        for pile in (owner(scene, who).hand, owner(scene, who).in_play, pile_of(who, ANTE)):
            if pile in scene:
                await discard(pile, scene[pile].cards)
        if pile_of(who, ANTE) in scene:
            await change(pile_of(who, ANTE), None)
    for whose in (MASTER, *(who.name for who in people if pile_of(who, "deck") in scene)):
        if scene[pile_of(whose, "discards")]:
            await move_all(pile_of(whose, "discards"), pile_of(whose, "deck"))
    for who in people:
        await refill(who)
        await renew_uses("session", who)
