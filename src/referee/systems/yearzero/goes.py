"""A go: whoever has it acts, ends it, and the next begins theirs; after the last a round is over."""

from __future__ import annotations

from typing import Final

from referee.core import (
    Prompt,
    Scene,
    Who,
    action,
    action_of,
    advance_clock,
    change,
    choose,
    legal_choices,
    refuse,
    rule,
)
from referee.core.effects import moment
from referee.core.rules import rule_named
from referee.systems.yearzero.action_types import TYPES, actions_of_a_go
from referee.systems.yearzero.battle import BATTLE, ROUND_END, check_fighting, end_rampages
from referee.systems.yearzero.sheet import Person, Survivor

TURN: Final = Prompt("turn-action")


def check_battle(scene: Scene, _: None) -> None:
    check_fighting(scene)


def check_turn(scene: Scene, who: Person) -> None:
    check_fighting(scene)
    if scene[BATTLE].turn != who.name:
        refuse(f"it is the go of {scene[BATTLE].turn}", legal=(f"end-go by {scene[BATTLE].turn}",))


@action("end-go", "yearzero.core.action-types", check=check_turn)
async def end_go(scene: Scene, who: Person) -> None:
    """One's go is over; the next begins theirs, or a new round begins."""
    await hand_on()


@action("next-go", "yearzero.core.action-types/next", check=check_battle, master=True)
async def next_go(scene: Scene) -> None:
    """The game master ends a go: of somebody Broken, or who does nothing."""
    await hand_on()


@rule("yearzero.core.action-types/go")
async def hand_on(scene: Scene) -> None:
    """The next in the order begins their go; what lasted until then is over."""
    await end_rampages()
    await rule_named("yearzero.panic.effects/frenzy-over")()
    before = scene[BATTLE].round
    await change(BATTLE, scene[BATTLE].next_go(scene[BATTLE].able(scene)))
    if scene[BATTLE].round > before:
        await moment(ROUND_END)
        await rule_named("yearzero.panic.triggers/round")()
        await advance_clock(1, BATTLE)
    await moment(f"turn of {scene[BATTLE].turn}")
    if scene[BATTLE].guided:
        await rule_named("yearzero.gear.firearm-features/arrive")(Who(scene[BATTLE].turn, Survivor))


@action("end-battle", "yearzero.core.action-types/end", check=check_battle, master=True)
async def end_battle(scene: Scene) -> None:
    """The fight is over."""
    await change(BATTLE, None)


@rule(f"{TYPES}/take-go", TYPES)
async def take_go(scene: Scene, who: Person) -> str:
    """Whoever has the go takes one of the actions it may be made of, or ends it."""
    legal = legal_choices((*actions_of_a_go(), action_of(end_go)), scene, who)
    chosen = await choose(who, TURN, legal, default=action_of(end_go).by(who))
    await chosen.call
    return chosen.key
