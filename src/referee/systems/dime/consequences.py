"""Consequences: how they worsen and ease, what they are about, what ends them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Effect,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    adds,
    alter,
    applying,
    change,
    figures,
    formula,
    lay,
    refuse,
    rule,
    rule_on,
    tell,
    total,
)
from referee.core.clock import Due, due
from referee.core.effects import Adds, moment
from referee.systems.dime.damage import stop_source
from referee.systems.dime.flip import check_can_act, flip, spelled_out
from referee.systems.dime.sheet import (
    CONSEQUENCES,
    ENCUMBERED,
    MOST_SEVERE,
    SEVERITIES,
    Adventurer,
    Consequence,
    ConsequenceName,
    Person,
    check_awake,
    living,
    severity_of,
    without_ended,
)

BLEEDING: Final = "Bleeding"
DESIRE: Final = "Desire"
STUN: Final = "Stun"
DISABLED: Final = "Disabled"
COVER: Final = "Cover"
AP: Final = "AP"
DEFENSE: Final = "Defense"
TURN: Final = "turn"

NATURE: Final = Prompt("nature")
ORDINARY: Final = "ordinary"
AGAINST_NATURE: Final = "against nature"
SELF_HARM: Final = "self-harm"


@figures("dime.consequence.desire")
class DesireFigures:
    """The flip against a Desire, and what helps it."""

    flip: str
    bonus_against_nature: int
    bonus_self_harm: int


@figures("dime.consequence.disabled")
class DisabledFigures:
    """What a turn lost to it takes off it."""

    severity_per_lost_turn: int


@figures("dime.concentrate.end-consequence")
class EndConsequence:
    """What concentrating can end, and how much of it each AP takes away."""

    severity_per_ap: int
    consequences: tuple[str, ...]


@formula("dime.consequence.severity/name")
def severity_name(scene: Scene, severity: int) -> str:
    """Light, moderate, heavy, extreme."""
    return next(name for name, level in scene[SEVERITIES].items() if level == severity)


# --- worse and better -------------------------------------------------------------------------------------------------


@rule("dime.consequence.severity")
async def worsen(scene: Scene, who: Person, name: ConsequenceName, by: int = 1, subject: str = "") -> int:
    """A consequence increases, up to its maximum; returns its severity."""
    before = severity_of(scene, who, name, subject)
    left = await displace(who, name, by, subject) if scene[CONSEQUENCES][name].one_at_a_time else by
    now = min(severity_of(scene, who, name, subject) + left, scene[MOST_SEVERE])
    if now <= before:
        return now
    held = scene[who].consequence(name, subject) or Consequence(name, 0, subject)
    await alter(who, Adventurer.with_consequence, replace(held, severity=now), rule=scene[CONSEQUENCES].rule_of(name))
    if name == DESIRE:
        await resist_desire(who, subject)
    return now


@rule("dime.consequence.fixated", "dime.consequence.desire")
async def displace(scene: Scene, who: Person, name: str, by: int, subject: str) -> int:
    """A new Desire or fixation first removes the old one, severity for severity; returns what is left of the new."""
    old = next((each for each in scene[who].consequences if each.name == name and each.subject != subject), None)
    if old is None:
        return by
    await alter(who, Adventurer.with_consequence, replace(old, severity=max(0, old.severity - by)))
    return max(0, by - old.severity)


@rule("dime.consequence.severity/ease")
async def ease(scene: Scene, who: Person, name: ConsequenceName, by: int = 1, subject: str = "") -> int:
    """A consequence decreases; at 0 it is gone. Returns its severity."""
    held = scene[who].consequence(name, subject)
    if held is None:
        refuse(f"{who} does not have {name}", rule=scene[CONSEQUENCES].rule_of(name))
    left = max(0, held.severity - by)
    await alter(who, Adventurer.with_consequence, replace(held, severity=left), rule=scene[CONSEQUENCES].rule_of(name))
    if not left:
        await stop_source(who, name)
    return left


@rule("dime.consequence.severity/set")
async def gain(scene: Scene, who: Person, name: ConsequenceName, severity: int, subject: str = "") -> int:
    """Somebody gains a consequence of some severity; if it is as bad already, it stays as it is."""
    more = severity - severity_of(scene, who, name, subject)
    return await worsen(who, name, more, subject) if more > 0 else severity_of(scene, who, name, subject)


def afflictions(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """Every consequence that is laid on people; being Encumbered follows from what they carry."""
    return tuple(name for name in scene[CONSEQUENCES].names if name != ENCUMBERED)


def check_by(scene: Scene, _: None, by: int) -> None:
    if by < 1:
        refuse("one severity at least", rule="dime.consequence.severity")


def check_subject(scene: Scene, _: None, consequence: str, subject: str = "") -> None:
    if scene[CONSEQUENCES].look(consequence).subject != bool(subject):
        rule_id = scene[CONSEQUENCES].rule_of(consequence)
        refuse(f"say what it is about: {consequence}" if not subject else "it is about nothing", rule=rule_id)


def held_by(scene: Scene, _: None, who: Person) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.name for each in scene[who].consequences))


def subjects_of(scene: Scene, _: None, who: Person, consequence: str) -> tuple[str, ...]:
    return tuple(each.subject for each in scene[who].consequences if each.name == consequence)


Somebody: TypeAlias = Annotated[Person, Pick(living)]
Affliction: TypeAlias = Annotated[str, Pick(afflictions)]
Held: TypeAlias = Annotated[str, Pick(held_by)]
HeldSubject: TypeAlias = Annotated[str, Pick(subjects_of)]


@action("worsen", "dime.consequence.severity/worsen", master=True, check=(check_by, check_subject))
async def worsen_action(scene: Scene, who: Somebody, consequence: Affliction, by: int = 1, subject: str = "") -> int:
    """The game master lays a consequence on somebody, or makes it worse."""
    return await worsen(who, consequence, by, subject)


@action("ease", "dime.consequence.severity/end", master=True, check=check_by)
async def ease_action(scene: Scene, who: Somebody, consequence: Held, subject: HeldSubject = "", by: int = 4) -> int:
    """A consequence gets better or is over: the light is back, the cover is gone."""
    return await ease(who, consequence, by, subject)


# --- what they compel and forbid --------------------------------------------------------------------------------------


RESISTED: Final[Bands[bool]] = Bands(
    of=lambda resisted: "resists" if resisted else "gives-in", keys=("resists", "gives-in")
)


@rule("dime.consequence.desire", bands=RESISTED)
async def resist_desire(scene: Scene, who: Person, subject: str) -> bool:
    """Det-12, or the desired action is done at the next opportunity; easier where it goes against one's nature."""
    asked = spelled_out(scene, scene[DesireFigures].flip)
    kind = await rule_on(NATURE, ORDINARY, options=(ORDINARY, AGAINST_NATURE, SELF_HARM))
    resisted = (await flip(who, asked.stat, asked.skill, asked.tn, desire_mods(scene, kind), act=False)).success
    held = scene[who].consequence(DESIRE, subject)
    if held is not None:
        await alter(who, Adventurer.with_consequence, replace(held, compelling=not resisted))
    return resisted


def desire_mods(scene: Scene, kind: str) -> Mods:
    bonus = {AGAINST_NATURE: scene[DesireFigures].bonus_against_nature, SELF_HARM: scene[DesireFigures].bonus_self_harm}
    return (adds(bonus[kind], kind),) if kind in bonus else ()


def check_desires(scene: Scene, who: Person) -> None:
    if not any(each.name == DESIRE for each in scene[who].consequences):
        refuse(f"{who} has no Desire", rule="dime.consequence.desire")


@action("indulge", "dime.consequence.desire/indulge", turn=check_can_act, check=check_desires)
async def indulge(scene: Scene, who: Person) -> None:
    """The Desire is indulged, and ends."""
    desire = next(each for each in scene[who].consequences if each.name == DESIRE)
    await tell("indulged", who=who, what=desire.subject)
    await alter(who, Adventurer.with_consequence, replace(desire, severity=0))


def check_approach(scene: Scene, who: Person, target: Person) -> None:
    """Fear bars what is aimed at its subject, or brings one nearer to it."""
    applying(scene, who, f"at {target}").check_allowed("approach", rule="dime.consequence.fear")


# --- what they are worth in a fight -----------------------------------------------------------------------------------


def mods_in(scene: Scene, who: Person, unit: str, tags: tuple[str, ...]) -> Mods:
    """The modifiers in a unit of a fight, from consequences, things and whatever was laid on somebody."""
    return tuple(mod for mod in applying(scene, who, *tags).mods if mod.unit == unit)


@formula("dime.consequence.concealment")
def defense_mods(scene: Scene, who: Person, tags: tuple[str, ...] = ()) -> Mods:
    """What raises Defense against an attack: Concealment, Cover, a weapon; `tags` say how the attack comes."""
    return mods_in(scene, who, DEFENSE, ("attacked", *tags))


@formula("dime.consequence.cover")
def cover_bonus(scene: Scene, who: Person) -> int:
    """What Cover alone adds to Defense."""
    return total(mod for mod in defense_mods(scene, who) if mod.label == COVER)


@formula("dime.consequence.prone")
def reaction_mods(scene: Scene, who: Person, reaction: str, tags: tuple[str, ...] = ()) -> Mods:
    """What adds to a Dodge or Parry, or to the attack of a Zone of Control."""
    return mods_in(scene, who, "", (reaction, *tags))


@formula("dime.consequence.prone/move")
def move_mods(scene: Scene, who: Person) -> Mods:
    """What a move action costs in addition, in AP."""
    return mods_in(scene, who, AP, ("Move",))


@formula("dime.consequence.disabled/ap")
def turn_mods(scene: Scene, who: Person) -> Mods:
    """What somebody lacks of the AP of a turn: being Disabled, and what was bought off."""
    return mods_in(scene, who, AP, (TURN,))


# --- in rounds --------------------------------------------------------------------------------------------------------


def ignorable(scene: Scene, who: Person) -> tuple[Consequence, ...]:
    """What may be bought off as a round begins."""
    held = scene[who].consequences
    return tuple(each for each in held if scene[CONSEQUENCES].look(each.name).ap_to_ignore and not each.ignored)


@rule("dime.consequence.dazed", "dime.consequence.fear")
async def ignore(scene: Scene, who: Person, name: ConsequenceName, subject: str = "") -> None:
    """For one AP less on the coming turn, a consequence is ignored until the round ends."""
    held = scene[who].consequence(name, subject)
    if held is None or held not in ignorable(scene, who):
        refuse(f"{who} cannot ignore {name}", rule=scene[CONSEQUENCES].rule_of(name))
    price = scene[CONSEQUENCES][name].ap_to_ignore
    await alter(who, Adventurer.with_consequence, replace(held, ignored=True))
    await lay(who, Effect(Adds(-price, AP), frozenset({TURN}), uses=1), source=name)


@rule("dime.consequence.dazed/back")
async def heed_again(scene: Scene, who: Person) -> None:
    """The round is over: what was bought off counts again."""
    back = tuple(replace(each, ignored=False) for each in scene[who].consequences)
    if back != scene[who].consequences:
        await change(who, replace(scene[who], consequences=back))


@due(Adventurer, heed_again)
def counts_again(scene: Scene, who: Person) -> Iterator[Due]:
    """With the next round, also where no fight counts it."""
    if any(each.ignored for each in scene[who].consequences):
        yield Due(heed_again)


@rule("dime.consequence.disabled")
async def lose_turn(scene: Scene, who: Person) -> None:
    """A turn that being Disabled leaves without AP lowers it by one severity."""
    _ = await ease(who, DISABLED, scene[DisabledFigures].severity_per_lost_turn)


@rule("dime.concentrate.end-consequence", "dime.consequence.stun")
async def concentrate_on(scene: Scene, who: Person, name: ConsequenceName, subject: str = "", ap: int = 1) -> int:
    """Each AP takes a severity off a consequence; while stunned, off the Stun first. Returns what is left of it."""
    check_awake(scene, who)
    if name not in scene[EndConsequence].consequences:
        refuse(f"concentrating does not end {name}", legal=scene[EndConsequence].consequences)
    if name != STUN and severity_of(scene, who, STUN):
        refuse("the Stun must end first", rule="dime.consequence.stun", legal=(STUN,))
    return await ease(who, name, ap * scene[EndConsequence].severity_per_ap, subject)


@action("end-scene", "dime.consequence.bolstered/scene", master=True)
async def end_scene(scene: Scene) -> None:
    """The scene is over: consequences that last only for it end."""
    for who in scene.all(Adventurer):
        if (after := without_ended(scene, scene[who], "scene")) != scene[who]:
            await change(who, after)
    await moment("scene")
