"""What talents and vows do to a roll before its dice fall, and to its banes afterwards."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from referee.core import (
    DICE,
    YES,
    Effect,
    Mod,
    Mods,
    Pool,
    Prompt,
    Refused,
    Scene,
    Total,
    alter,
    applying,
    figure,
    formula,
    frozen,
    number_die,
    offer,
    roll,
    rows,
    rule,
)
from referee.core.effects import Adds, ApplicableEffects, Grants, Swaps, use
from referee.core.questions import OptionCost
from referee.systems.yearzero.action_types import take_listed
from referee.systems.yearzero.dice import ArtifactDie
from referee.systems.yearzero.sheet import Person, Survivor

WILLPOWER_USE: Final = "yearzero.core.willpower-uses"
UPGRADES: Final = "yearzero.talents.bonus-die-upgrade"
VOW: Final = "yearzero.talents.sacred-vow"
MOUNTED: Final = figure("yearzero.combat.mounted-attacks", "modifier", int)

BONUS_DIE: Final = "bonus die"
"""The unit of a bonus that Willpower turns into an artifact die."""
AUTOMATIC: Final = "automatic success"
FREE_PARRY: Final = "free parry"
IGNORE_BANES: Final = "ignore-banes"

UPGRADE: Final = Prompt("upgrade")
SACRED_VOW: Final = Prompt("vow")
NO_ROLL: Final = Prompt("no-roll")
SEEN_IT_ALL: Final = Prompt("ignore-banes")


@frozen
class BoughtDie:
    """What an artifact die costs."""

    wp: int
    die: ArtifactDie


ELSEWHERE: Final = rows(WILLPOWER_USE, "elsewhere", str)
"""What else Willpower is good for; each use has a rule of its own."""
OF_TALENTS: Final = "talents: bonus dice, Parrying, Resilient"
UPGRADED: Final = figure(UPGRADES, "upgrades", tuple[BoughtDie, ...])
VOWED: Final = figure(VOW, "dice", tuple[BoughtDie, ...])


def die_for(bought: tuple[BoughtDie, ...], wp: int) -> ArtifactDie:
    return next(each.die for each in bought if each.wp == wp)


def granted_by(applied: ApplicableEffects, what: str) -> ApplicableEffects:
    """Only the effects that grant something."""
    return replace(applied, active=tuple(each for each in applied.active if each.effect.does == Grants(what)))


# --- which attribute


@formula("yearzero.talents.attribute-swaps")
def attributes_for(scene: Scene, who: Person, own: str, tags: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes a roll may be made with: the skill's own, and those that talents allow in its place."""
    swaps = (each.effect.does for each in applying(scene, who, *tags).active if isinstance(each.effect.does, Swaps))
    return tuple(dict.fromkeys((own, *(swap.this for swap in swaps if swap.for_ == own))))


def best_attribute(scene: Scene, who: Person, own: str, tags: tuple[str, ...]) -> str:
    """The one of which most is left; the skill's own of equal ones."""
    return max(attributes_for(scene, who, own, tags), key=scene[who].now)


def matters(effect: Effect) -> bool:
    """Whether an effect does something to a roll before it is made."""
    match effect.does:
        case Adds(unit=unit):
            return unit in ("", DICE, BONUS_DIE)
        case Grants(action=what):
            return what in (AUTOMATIC, "vow")
        case does:
            return isinstance(does, Swaps)


# --- dice for Willpower


def in_dice(mods: Mods, upgraded: tuple[str, ...] = ()) -> Mods:
    """The modifiers that count in dice; a bonus that became an artifact die does not."""
    ours = (mod for mod in mods if mod.unit in ("", DICE, BONUS_DIE) and not is_upgraded(mod.label, mod.unit, upgraded))
    return tuple(replace(mod, unit="") if mod.unit == BONUS_DIE else mod for mod in ours)


def is_upgraded(label: str, unit: str, upgraded: tuple[str, ...]) -> bool:
    return unit == BONUS_DIE and label in upgraded


@frozen
class Boost:
    """Artifact dice that were bought, and the talents whose bonus they replace."""

    artifact: tuple[ArtifactDie, ...] = ()
    upgraded: tuple[str, ...] = ()


@rule(UPGRADES, VOW)
async def boost(scene: Scene, who: Person, applied: ApplicableEffects) -> Boost:
    """Before the dice fall, Willpower turns a talent's bonus into a larger die, or calls upon a vow."""
    bought = Boost()
    for each in applied.active:
        if isinstance(each.effect.does, Adds) and each.effect.does.unit == BONUS_DIE:
            dice = await buy_die(who, UPGRADE, scene[UPGRADED], UPGRADES, each.source, OF_TALENTS)
            bought = Boost((*bought.artifact, *dice), (*bought.upgraded, each.source) if dice else bought.upgraded)
    if applied.granted("vow"):
        dice = await buy_die(who, SACRED_VOW, scene[VOWED], VOW, "vow", "Sacred Vow")
        if dice:
            await take_listed(who, "activating Sacred Vow")
        bought = replace(bought, artifact=(*bought.artifact, *dice))
    return bought


@rule(f"{WILLPOWER_USE}/die")
async def buy_die(
    scene: Scene, who: Person, name: Prompt, dice: tuple[BoughtDie, ...], by: str, about: str, use: str
) -> tuple[ArtifactDie, ...]:
    """One artifact die for Willpower, or none."""
    wp = await offer(
        who,
        name,
        tuple(each.wp for each in dice),
        check=lambda wp: check_wp(scene, who, wp, by),
        cost=lambda wp: OptionCost(wp, "willpower"),
        about=about,
    )
    if not wp:
        return ()
    await pay(who, wp, use)
    return (die_for(dice, wp),)


def check_wp(scene: Scene, who: Person, wp: int, by: str) -> None:
    """No more Willpower than there is."""
    if scene[who].willpower < wp:
        raise Refused("willpower", because=f"{who} has {scene[who].willpower}", rule=by)


@rule(WILLPOWER_USE)
async def pay(scene: Scene, who: Person, wp: int, use: str) -> None:
    """Willpower is spent on something that has a rule of its own; nobody pays for what is not listed."""
    _ = scene[ELSEWHERE][use]
    await alter(who, Survivor.spending, wp)


# --- no roll, no banes


def _check(applied: ApplicableEffects, action: str, _: bool) -> None:
    """What a talent grants has a use left."""
    applied.check_granted(action)


@rule("yearzero.talents.other/automatic")
async def needs_no_roll(scene: Scene, who: Person, applied: ApplicableEffects) -> bool:
    """What a talent, a map or practice lets succeed by itself, if somebody wants that."""
    unspent = partial(_check, applied, AUTOMATIC)
    if not applied.knows(AUTOMATIC) or not await offer(who, NO_ROLL, YES, check=unspent):
        return False
    first = next(each for each in applied.active if each.effect.does == Grants(AUTOMATIC))
    await use(replace(applied, active=(first,)))
    return True


@rule("yearzero.talents.stress-healing/seen-it-all")
async def ignores_banes(scene: Scene, who: Person) -> bool:
    """Once per session somebody may ignore every bane, and gains no Willpower by them."""
    seen = applying(scene, who, "banes")
    unspent = partial(_check, seen, IGNORE_BANES)
    if not seen.knows(IGNORE_BANES) or not await offer(who, SEEN_IT_ALL, YES, check=unspent):
        return False
    await use(replace(seen, active=tuple(each for each in seen.active if each.effect.does == Grants(IGNORE_BANES))))
    return True


@formula("yearzero.combat.mounted-attacks")
def mounted(scene: Scene, who: Person, applied: ApplicableEffects) -> Mods:
    """Attacks from a mount or vehicle that has moved are harder, but not for whoever is used to it."""
    amount = applied.figure(scene, MOUNTED)
    return (Mod(amount, "mounted", MOUNTED.rule),) if amount else ()


# --- criticals


REROLL: Final = Prompt("re-roll")


@rule("yearzero.injuries.reroll")
async def lower_of_two(scene: Scene, who: Person, thrown: int, sides: int, tag: str) -> int:
    """A talent allows another throw of a critical die, and the lower one counts."""
    if not applying(scene, who, tag).extra("critical") or not await offer(who, REROLL, YES, about=tag):
        return thrown
    again = await roll(REROLL, who, Pool.of((number_die(sides), 1)), Total)
    return min(thrown, again.total)


@formula("yearzero.talents.stress-healing/fast-healer")
def healing_days(scene: Scene, who: Person, rolled: int) -> int:
    """The days an injury takes; for a Fast Healer half of them, rounded up."""
    return (rolled + 1) // 2 if applying(scene, who).granted("heal in half the time") else rolled
