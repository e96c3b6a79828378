"""Before a shot: aiming, by eye and by telescope, an arrow on the string; afterwards, what was shot."""

from __future__ import annotations

from typing import Annotated, Final

from referee.core import Mods, Pick, Scene, action, alter, figure, figures, formula, refuse, rule
from referee.core.effects import Effect, lay, remove_effects
from referee.core.things import DROPPED, HELD, inside
from referee.systems.yearzero.action_types import AIM, OTHER_ACTION, ListedPrice, has_laid
from referee.systems.yearzero.battle import BATTLE, ROUND_END
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.equipment import row_named
from referee.systems.yearzero.harm import is_helpless, work_off_pain
from referee.systems.yearzero.marksmanship import MARKSMANSHIP, NOCKED, SLOW_AIM, is_bow, is_thrown, ranged_weapons
from referee.systems.yearzero.panic import hurt
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import Helpers, Item, Person, Survivor, others
from referee.systems.yearzero.skills import plain
from referee.systems.yearzero.weapons import features_of, in_hand

AIM_RULE: Final = "yearzero.combat.aim"
TELESCOPIC: Final = "yearzero.combat.telescopic-aim"
BOWS: Final = "yearzero.combat.bows-and-thrown"
AIM_BONUS: Final = figure(AIM_RULE, "bonus", int)
PULLED_OUT: Final = figure(BOWS, "failure_damage", int)
PULLED_BY: Final = figure(BOWS, "skill", str)


@figures(TELESCOPIC)
class SlowAim:
    """What aiming through a telescopic sight adds, and from something stable."""

    bonus: int
    bonus_stable: int


Target = Annotated[Person, Pick(others)]


def check_aimed(scene: Scene, who: Person, target: Person) -> None:
    """Something to shoot with, and nobody aware and active at Arm's Length."""
    if not ranged_weapons(scene, who):
        refuse(f"{who} has no ranged weapon in hand", rule=AIM_RULE)
    if BATTLE in scene and target.name in scene[BATTLE].near(who.name) and not is_helpless(scene, target):
        refuse(f"{target} is at Arm's Length", rule=AIM_RULE, legal=("shoot", "retreat"))


@action("aim", AIM_RULE, price=ListedPrice("Aim"), check=check_aimed)
async def aim(scene: Scene, who: Person, target: Target) -> None:
    """Aim at somebody: shots at them in this round are easier, as long as one does nothing but shoot."""
    await work_off_pain(who)
    if has_laid(scene, who, AIM):
        await remove_effects(who, AIM)
    adds = {"adds": scene[AIM_BONUS], "when": [MARKSMANSHIP, "ranged"], "until": ROUND_END}
    await lay(who, Effect.from_plain(adds), source=AIM, against=target)


def has_sight(scene: Scene, who: Person) -> bool:
    """Whether a weapon in hand has a telescopic sight, or a scope is fitted to it."""
    return any("Telescopic" in features_of(scene, item) or has_scope(scene, who, item) for item in in_hand(scene, who))


def has_scope(scene: Scene, who: Person, item: Item) -> bool:
    """Whether a scope is fitted to a weapon: it is where the weapon is."""
    fitted = (row_named(scene, each.kind) for each in inside(scene[who].things, item.name))
    return any(row is not None and row.fits for row in fitted)


def check_sight(scene: Scene, who: Person) -> None:
    if not has_sight(scene, who):
        refuse("no weapon in hand has a telescopic sight", rule=TELESCOPIC, legal=("aim",))


@action("telescopic-aim", TELESCOPIC, price=ListedPrice("Telescopic aim"), check=(check_sight, check_aimed))
async def telescopic_aim(scene: Scene, who: Person, target: Target) -> None:
    """Aim through a telescopic sight, as a slow action: one shot without ammo dice is easier, in any round."""
    await work_off_pain(who)
    await aim_slowly(who, target)


@rule(f"{TELESCOPIC}/lay")
async def aim_slowly(scene: Scene, who: Person, target: Person | None = None) -> None:
    """What a slow aim adds, kept until the shot or until one does something else."""
    stable = is_stable(scene, who)
    adds = scene[SlowAim].bonus_stable if stable else scene[SlowAim].bonus
    shot = {"when": [MARKSMANSHIP, "ranged"], "until": OTHER_ACTION, "uses": 1}
    await lay(who, Effect.from_plain({"adds": adds, **shot}), source="slow aim", against=target)
    await lay(who, Effect.from_plain({"grants": SLOW_AIM, **shot, "when": []}), source="slow aim", against=target)


@formula(f"{TELESCOPIC}/stable")
def is_stable(scene: Scene, who: Person) -> bool:
    """Prone, behind cover, or with a weapon on a bipod."""
    rests = any({"Bipod", "Platform"} & features_of(scene, item) for item in in_hand(scene, who))
    return scene[who].prone or scene[who].cover is not None or rests


# --- bows -------------------------------------------------------------------------------------------------------------


def bows(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in in_hand(scene, who) if is_bow(scene, item))


@action("nock", BOWS, price=ListedPrice("Nock arrow / prepare sling"))
async def nock(scene: Scene, who: Person, weapon: Annotated[str, Pick(bows)]) -> None:
    """Put an arrow on the string: it is ready for a shot as long as one does nothing but aim and shoot."""
    await work_off_pain(who)
    ready = {"grants": NOCKED, "when": [], "until": OTHER_ACTION, "uses": 1}
    await lay(who, Effect.from_plain(ready), source=weapon)


def spent_missiles(scene: Scene, who: Person) -> tuple[str, ...]:
    """Thrown weapons of one's own that lie about."""
    return tuple(item.name for item in scene[who].things if item.place == DROPPED and is_thrown(scene, item))


@action("pick-up-missile", f"{BOWS}/ground", price=ListedPrice("Pick up arrow or thrown weapon from the ground"))
async def pick_up(scene: Scene, who: Person, weapon: Annotated[str, Pick(spent_missiles)]) -> None:
    """Take a weapon that was thrown and has missed."""
    await work_off_pain(who)
    await alter(who, taking_up, weapon)


@action("pull-out-missile", f"{BOWS}/target", bands=OUTCOME, price=ListedPrice("Heal other"))
async def pull_out(
    scene: Scene,
    who: Person,
    weapon: Annotated[str, Pick(spent_missiles)],
    victim: Target,
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Take a missile out of whoever it has hit; done badly, that hurts."""
    rolled = await roll_once(who, Attempt(scene[PULLED_BY], mods=mods, helpers=helpers, surplus=False))
    await alter(who, taking_up, weapon)
    if not rolled.success:
        await hurt(victim, scene[PULLED_OUT])
    return plain(rolled)


def taking_up(sheet: Survivor, weapon: str) -> Survivor:
    return sheet.with_thing(sheet.thing(weapon).at(HELD))
