"""Attacks of opportunity: a blow out of turn at an enemy who comes within reach, or leaves it."""

from __future__ import annotations

from functools import partial
from typing import Final

from referee.core import Mod, Mods, Prompt, Refused, Scene, alter, figure, react, rule
from referee.systems.yearzero.action_types import EXTRA, penalty
from referee.systems.yearzero.attacks import attack
from referee.systems.yearzero.battle import BATTLE, SLOW, Battle
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.gear import check_usable
from referee.systems.yearzero.ground import OPPORTUNITY, reaching
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.injury_tables import Wounding
from referee.systems.yearzero.melee import EFFECTS, MELEE, PUNCH, SLASH, STAB, Punch, armed, strike_with
from referee.systems.yearzero.rolls import Attempt
from referee.systems.yearzero.sheet import Person
from referee.systems.yearzero.weapons import features_of, in_hand

STRIKE_OUT: Final = Prompt("opportunity")
UNARMED: Final = "unarmed"
UNARMED_DM: Final = figure(OPPORTUNITY, "unarmed_dm", int)


def blows(scene: Scene, who: Person, only_reaching: bool) -> tuple[str, ...]:
    """What one may strike with out of turn."""
    if only_reaching:
        return tuple(item.name for item in reaching(scene, who))
    sharp = {"Edged", "Blunt", "Pointed"}
    return (*(item.name for item in in_hand(scene, who) if features_of(scene, item) & sharp), UNARMED)


def check_opportunity(scene: Scene, who: Person, mover: Person, way: str) -> None:
    check_able(scene, who)
    if scene[who].prone:
        raise Refused(way, because=f"{who} is prone", rule=OPPORTUNITY)
    if scene[who].holds or scene[who].held_by:
        raise Refused(way, because=f"{who} is in a grapple", rule=OPPORTUNITY)
    if way != UNARMED:
        check_usable(scene, who, way)


@rule(OPPORTUNITY)
async def strike_out(scene: Scene, who: Person, mover: Person, reaching: bool = False) -> None:
    """Who may strike at an enemy on the move decides whether to; it counts as a slow action, at what that costs."""
    way = await react(who, STRIKE_OUT, blows(scene, who, reaching), check=partial(check_opportunity, scene, who, mover))
    if way is None:
        return
    await alter(BATTLE, Battle.taking, who.name, SLOW)
    await blow_out_of_turn(who, mover, way)


@rule(f"{OPPORTUNITY}/blow")
async def blow_out_of_turn(scene: Scene, who: Person, target: Person, way: str) -> None:
    """A slash, a stab or a punch, which is harder if it is one action too many."""
    mods = late(scene, who)
    if way == UNARMED:
        strike = DeclaredAttack("Punch/Kick/Bite", scene[Punch].damage, per_x=scene[Punch].extra_per_x)
        bare = Mod(scene[UNARMED_DM], UNARMED, OPPORTUNITY)
        await attack(who, target, strike, Attempt(MELEE, "Brawler", mods=(*mods, bare), tags=PUNCH), EFFECTS.rule)
        return
    features = features_of(scene, scene[who].thing(way))
    kind, tags = ("Stab", STAB) if "Pointed" in features else ("Slash", SLASH)
    wounding: Wounding = "stab" if kind == "Stab" else "slash" if "Edged" in features else "blunt"
    strike = strike_with(scene, who, kind, way, wounding, "")
    await attack(who, target, strike, armed(scene, who, way, mods, *tags), EFFECTS.rule)


def late(scene: Scene, who: Person) -> Mods:
    """What it costs beyond the actions of the round."""
    battle = scene[BATTLE]
    taken = battle.slow.get(who.name, 0), battle.fast.get(who.name, 0), battle.reactions.get(who.name, 0)
    cost = penalty(scene, *taken)
    return (Mod(cost, "many actions", EXTRA),) if cost else ()
