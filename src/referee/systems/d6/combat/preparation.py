"""Preparing a shot: rounds of aiming, and targeting equipment."""

from __future__ import annotations

from typing import Annotated, Final

from referee.core import Mod, Mods, Pick, Scene, alter, figures, formula, refuse, rule
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods, own_code
from referee.systems.d6.combat.ranges import ranged_weapons, weapon_in_hand
from referee.systems.d6.combat.round import FIGHT, IndividualCombat, fight_action
from referee.systems.d6.resolution import check_skilled
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person

PREPARING: Final = "d6.combat.preparing-shot"


@figures(PREPARING)
class Preparing:
    """What each round of preparing gives, and what limits it."""

    per_round: int
    limited_by: str


@formula(PREPARING)
def preparing_bonus(scene: Scene, who: Person, rounds: int) -> Code:
    """A die for each round of preparing, at most the Perception attribute."""
    limit = own_code(scene, who, scene[Preparing].limited_by)
    bonus = Code(rounds * scene[Preparing].per_round)
    pips = scene[PIPS_PER_DIE]
    return bonus if bonus.in_pips(pips) <= limit.in_pips(pips) else limit


# --- preparing --------------------------------------------------------------------------------------------------------


def check_whole_round(scene: Scene, who: Person) -> None:
    """Nothing else may be done in this round, and nothing was."""
    if FIGHT in scene and (scene[FIGHT].taken.get(who.name, 0) or scene[FIGHT].reactions.get(who.name, 0)):
        refuse("it takes the whole round", legal=("next round",))


@rule("d6.combat.resolve-actions/whole-round")
async def spend_round(scene: Scene, who: Person) -> None:
    """Whatever else was declared is not done."""
    if FIGHT in scene:
        await alter(FIGHT, IndividualCombat.spending, who.name, scene[FIGHT].left.get(who.name, 0))


def check_rounds(scene: Scene, who: Person, rounds: int = 1) -> None:
    """In a fight a round at a time; otherwise as many as there is time for."""
    if rounds < 1 or (FIGHT in scene and rounds > 1):
        refuse("a shot is prepared round by round", what=f"{rounds} rounds", rule=PREPARING, legal=("1",))


def check_armed(scene: Scene, who: Person) -> None:
    """Who has nothing to shoot with, or cannot shoot, prepares no shot."""
    check_skilled(scene, who)
    if not ranged_weapons(scene, who):
        refuse(f"{who} has no ranged weapon in hand", rule=PREPARING, legal=("ready-weapon",))


@fight_action("prepare-shot", PREPARING + "/prepare", PREPARING, check=(check_armed, check_whole_round, check_rounds))
async def prepare_shot(scene: Scene, who: Person, rounds: int = 1) -> Code:
    """Do nothing but prepare a shot; each round of it adds a die to the next shot, up to Perception."""
    await spend_round(who)
    await alter(who, Hero.prepared, rounds, scene[FIGHT].round if FIGHT in scene else -1)
    return preparing_bonus(scene, who, scene[who].preparing)


def aimed_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons in hand that have targeting equipment."""
    return tuple(name for name in ranged_weapons(scene, who) if weapon_in_hand(scene, who, name).targeting != Code())


@fight_action("adjust-sights", PREPARING + "/adjust", PREPARING, free=True)
async def adjust_sights(scene: Scene, who: Person, weapon: Annotated[str, Pick(aimed_weapons)]) -> None:
    """Adjust targeting equipment: it costs no action, but the shot waits for one's next initiative rank."""
    await alter(who, Hero.adjusted, weapon)
    await alter(FIGHT, IndividualCombat.waiting, who.name, if_present=True)


@formula(PREPARING + "/mods", PREPARING)
def prepared_mods(scene: Scene, who: Person, weapon: str) -> Mods:
    """What preparation and targeting equipment add to the next shot."""
    sheet = scene[who]
    found: list[Mod] = []
    if sheet.preparing:
        found += code_mods(preparing_bonus(scene, who, sheet.preparing), "prepared", PREPARING)
    targeting = weapon_in_hand(scene, who, weapon).targeting
    if targeting != Code() and (sheet.preparing or sheet.sighted == weapon):
        found += code_mods(targeting, "targeting equipment", PREPARING)
    return tuple(found)
