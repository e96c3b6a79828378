"""Combat Actions that make someone harder to hit for the rest of the round: Defend and Take Cover."""

from __future__ import annotations

from typing import Final

from referee.core import Scene, alter, applying, figure, rule
from referee.core.effects import Effect, add_effect
from referee.systems.distemper.actions import Person, check_act, end_action
from referee.systems.distemper.attacks import DEFENSE
from referee.systems.distemper.fight import FIGHT, ROUND_END, Fight
from referee.systems.distemper.rounds import take_effect

DEFEND: Final = figure("distemper.combat-actions.defend", "defensive_modifier", int)
TAKE_COVER: Final = figure("distemper.combat-actions.take-cover", "defensive_modifier", int)


@rule("distemper.combat-actions.defend")
async def defend(scene: Scene, who: Person) -> None:
    """+2 to both Defensive Modifiers for the rest of the round."""
    check_act(scene, who, "Defend")
    await take_effect(who, shelter(who, scene[DEFEND], "Defend", "distemper.combat-actions.defend"))
    await end_action(who, "Defend")


@rule("distemper.combat-actions.take-cover")
async def take_cover(scene: Scene, who: Person) -> None:
    """+2 against all attacks for the rest of the round, and cover to fire from."""
    check_act(scene, who, "Take Cover")
    covered = shelter(who, scene[TAKE_COVER], "Take Cover", "distemper.combat-actions.take-cover")
    await take_effect(who, covered)
    if FIGHT in scene:
        await alter(FIGHT, Fight.covering, who.name)
    await end_action(who, "Take Cover")


@rule("distemper.combat.defensive-modifiers/shelter")
async def shelter(scene: Scene, who: Person, amount: int, source: str, by: str) -> None:
    """Defend and Take Cover add up with each other, but neither with itself."""
    if not any(active.source == source for active in applying(scene, who, DEFENSE).active):
        bonus = Effect.from_plain({"adds": amount, "when": [DEFENSE], "until": ROUND_END})
        await add_effect(who, bonus, source, by)
