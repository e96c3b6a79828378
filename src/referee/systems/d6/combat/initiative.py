"""Initiative: how a round begins, and in which order everyone acts in it."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from referee.core import (
    YES,
    Bands,
    Levels,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    applying,
    figure,
    formula,
    hand_over,
    offer,
    option,
    refuse,
    rule,
    rule_on,
    tell,
    together,
)
from referee.core.encounter import encounters
from referee.core.questions import Request
from referee.core.rules import rule_named
from referee.kits.chases import Pursuit
from referee.kits.dice_codes import Rolled
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.fast_draw import DRAWS_FAST, fast_draw_order
from referee.systems.d6.combat.round import (
    DECLARE,
    FIGHT,
    FUMBLED,
    ROUND,
    IndividualCombat,
    RoundPhase,
    begin_to_act,
    declaration,
    fighters,
)
from referee.systems.d6.resolution import is_fumble
from referee.systems.d6.rolls import (
    ANY_ROLL,
    FATE_SCOPE,
    FateScope,
    Spend,
    audience,
    bettered_by_a_die,
    check_fate,
    fated_code,
    is_fated,
    modified_code,
    offer_point,
    roll_for,
    rolled_mods,
    spend_round_fate,
)
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person

INITIATIVE: Final = Prompt("initiative")
FIRST: Final = Prompt("first")
ROUND_FATE: Final = Prompt("round-fate-point")
INITIATIVE_POINT: Final = Prompt("initiative-point")

INITIATIVE_TAGS: Final = (ANY_ROLL, "initiative")
"""Health lowers the roll; several actions do not."""


class InitiativeMethod(Enum):
    """How the order of a round is found."""

    VARIABLE = "variable"
    FIXED = "fixed"


METHOD: Final = option("d6.combat.initiative-base", InitiativeMethod)
FUMBLES: Final = option(FUMBLED)
ABILITY: Final = figure("d6.combat.initiative-base", "ability", str)


# --- how a round begins -----------------------------------------------------------------------------------------------


@rule("d6.combat.round/begin", ROUND, "d6.combat.begin-round", "d6.combat.initiative-base")
async def begin_round(scene: Scene) -> None:
    """Fate Points that count for the whole round; then the order in which everyone acts."""
    if scene[FATE_SCOPE] is FateScope.ROUND:
        await declare_fate()
    await (determine_variable() if scene[METHOD] is InitiativeMethod.VARIABLE else determine_fixed())
    for who in fighters(scene):
        if scene[who].spraying is not None:
            await rule_named("d6.combat.spray-fire/goes-on")(who)
    if not scene[FIGHT].declarer(scene):
        await begin_to_act()


@rule("d6.combat.begin-round")
async def declare_fate(scene: Scene) -> None:
    """Before anything else: the game master for his people first, then the players."""
    for who in sorted(fighters(scene), key=lambda who: scene[who].player):
        if await offer_round_fate(scene, who):
            await spend_round_fate(who)


def offer_round_fate(scene: Scene, who: Person) -> Request[bool | None]:
    return offer(who, ROUND_FATE, YES, check=lambda _: check_fate(scene, who, (FateScope.ROUND,)))


def check_round_fate(scene: Scene, who: Person) -> None:
    """A point that counts until the round ends is spent outside of rolls; one for a whole round, before it begins."""
    check_fate(scene, who, (FateScope.MOMENT, FateScope.ROUND))
    if scene[FATE_SCOPE] is FateScope.ROUND and FIGHT in scene and scene[FIGHT].phase is not RoundPhase.BEGIN:
        refuse("a Fate Point for the whole round is declared at its beginning", rule="d6.combat.begin-round")


@action("spend-fate-point", "d6.core.fate-points/spend", "d6.core.fate-points", check=check_round_fate)
async def spend_fate_point(scene: Scene, who: Person) -> None:
    """Every code of this person is doubled until the round ends."""
    await spend_round_fate(who)


# --- the order --------------------------------------------------------------------------------------------------------


@formula("d6.combat.initiative-base")
def initiative_pips(scene: Scene, who: Person) -> int:
    """The Perception code as it counts now, in pips: with health, merits and flaws, and a Fate Point of this round."""
    own = own_code(scene, who, scene[ABILITY])
    applied = applying(scene, who, scene[ABILITY], "attribute", *INITIATIVE_TAGS).mods
    code, plus = modified_code(scene, fated_code(scene, own) if is_fated(scene, who) else own, rolled_mods(applied))
    return code.in_pips(scene[PIPS_PER_DIE]) + plus


FIRST_TO_ACT: Final[Bands[tuple[str, ...]]] = Bands(
    of=lambda order, who: "acts-first" if order[:1] == (who,) else "acts-later",
    keys=("acts-first", "acts-later"),
    each=True,
)


@rule("d6.combat.initiative-variable", bands=FIRST_TO_ACT)
async def determine_variable(scene: Scene) -> tuple[str, ...]:
    """Everyone rolls Perception. Equals: the higher code, then player characters, then as the game master says."""
    awake = tuple(who for who in fighters(scene) if who.name not in scene[FIGHT].surprised)
    thrown = [await roll_for(who, scene[ABILITY], (), INITIATIVE_TAGS, Spend.LATER, prompt=INITIATIVE) for who in awake]
    return await hand_over(plan_round(awake, tuple(thrown)))


@rule("d6.combat.initiative-variable/plans", "d6.combat.initiative-variable", DECLARE, "d6.core.character-points")
async def plan_round(scene: Scene, everyone: tuple[Person, ...], thrown: tuple[Rolled, ...]) -> tuple[str, ...]:
    """Everyone is asked at the same moment: for a better roll, and for the number of their actions."""
    fumbled = {who.name for who, rolled in zip(everyone, thrown, strict=True) if is_fumbled(scene, rolled)}
    points = (
        offer_point(scene, who, rolled, 0, is_fated(scene, who), INITIATIVE_POINT)
        for who, rolled in zip(everyone, thrown, strict=True)
    )
    asked = () if is_on_the_move(scene) else everyone
    said: tuple[Any, ...] = await together(*points, *(declaration(scene, who, who.name in fumbled) for who in asked))
    totals: dict[str, int] = {}
    for who, rolled, wants in zip(everyone, thrown, said, strict=False):
        final = await buy_initiative(who, rolled) if wants else rolled
        await tell("initiative", who=who, total=final.total, audience=audience(scene, who, hidden=False))
        totals[who.name] = final.total
    planned = Levels({who.name: actions for who, actions in zip(asked, said[len(everyone) :], strict=True)})
    await alter(FIGHT, IndividualCombat.planning, planned)
    return await hand_over(set_order(Levels(totals), frozenset(fumbled)))


def is_on_the_move(scene: Scene) -> bool:
    """Whether the fight is part of a chase, in which speeds are declared before actions."""
    standing = (scene[each] for each in encounters(scene))
    return any(isinstance(each, Pursuit) and each.within == FIGHT.name for each in standing)


def is_fumbled(scene: Scene, rolled: Rolled) -> bool:
    return scene[FUMBLES] and is_fumble(scene, rolled.luck)


@rule("d6.combat.initiative-variable/buy", "d6.core.character-points")
async def buy_initiative(scene: Scene, who: Person, rolled: Rolled, spent: int = 0) -> Rolled:
    """An extra die for a Character Point; and then perhaps another."""
    better = await bettered_by_a_die(who, rolled)
    if not await offer_point(scene, who, better, spent + 1, is_fated(scene, who), INITIATIVE_POINT):
        return better
    return await hand_over(buy_initiative(who, better, spent + 1))


@rule("d6.combat.initiative-variable/alone", "d6.combat.initiative-variable")
async def initiative_of(scene: Scene, who: Person) -> Rolled:
    """The initiative of one, as if nobody else rolled."""
    rolled = await roll_for(who, scene[ABILITY], (), INITIATIVE_TAGS, Spend.LATER, prompt=INITIATIVE)
    wants = await offer_point(scene, who, rolled, 0, is_fated(scene, who), INITIATIVE_POINT)
    return await hand_over(buy_initiative(who, rolled)) if wants else rolled


@rule("d6.combat.initiative-fixed")
async def determine_fixed(scene: Scene) -> None:
    """The order of Perception codes. Equals: player characters first, between whom the game master alternates."""
    awake = (who for who in fighters(scene) if who.name not in scene[FIGHT].surprised)
    await set_order(Levels({who.name: initiative_pips(scene, who) for who in awake}))


@rule("d6.combat.initiative-base/order", "d6.combat.initiative-base")
async def set_order(scene: Scene, totals: Levels, fumbled: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The order of a round; among equals as the game master says, where nothing else decides."""
    places = {name: standing_of(scene, name, total) for name, total in totals.items()}
    for place in sorted(set(places.values())):
        tied = tuple(name for name in scene[FIGHT].fighters if places.get(name) == place)
        if len(tied) > 1 and len(set(tied) - set(scene[FIGHT].preferred)) > 1:
            first = await rule_on(FIRST, tied[0], options=tied)
            await alter(FIGHT, IndividualCombat.preferring, (*scene[FIGHT].preferred, first))
    names = tuple(sorted(places, key=lambda name: (places[name], preference(scene, name))))
    if scene[DRAWS_FAST]:
        names = fast_draw_order(scene, names)
    await alter(FIGHT, IndividualCombat.ordered, names, totals, fumbled)
    return names


def standing_of(scene: Scene, name: str, total: int) -> tuple[int, int, bool]:
    """What decides between two: the total; with rolls, the code; then who is a player's."""
    who = Who(name, Hero)
    code = (
        own_code(scene, who, scene[ABILITY]).in_pips(scene[PIPS_PER_DIE])
        if scene[METHOD] is InitiativeMethod.VARIABLE
        else 0
    )
    return -total, -code, not scene[who].player


def preference(scene: Scene, name: str) -> int:
    """Among equals: whom the game master prefers, then as they are listed."""
    fight = scene[FIGHT]
    order = (*fight.preferred, *(each for each in fight.fighters if each not in fight.preferred))
    return (
        -order.index(name) if scene[METHOD] is InitiativeMethod.FIXED and alternates(scene, name) else order.index(name)
    )


@formula("d6.combat.initiative-fixed/alternate", "d6.combat.initiative-fixed")
def alternates(scene: Scene, name: str) -> bool:
    """Between players' characters with equal codes the order is the other way round every other round."""
    return scene[Who(name, Hero)].player and scene[FIGHT].round % 2 == 1
