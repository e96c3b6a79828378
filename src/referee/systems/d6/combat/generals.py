"""The generals of a battle, who roll against each other, with whatever helps or hinders their armies."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, cast

from referee.core import (
    TOTAL,
    YES_NO,
    Bands,
    Call,
    Mod,
    Mods,
    Scene,
    action,
    alter,
    formula,
    frozen,
    hand_over,
    refuse,
    rule,
    rule_on,
    tell,
)
from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls, WeightedEnds
from referee.core.rules import Decide, Ends, kernel, settled
from referee.kits.dice_codes import Rolled
from referee.systems.d6.combat.battle import (
    BATTLE,
    PARTED,
    BattlePhase,
    LargeBattle,
    check_battle,
)
from referee.systems.d6.combat.battle_tables import (
    ARMIES_CLASH,
    ATTACKERS,
    BATTLE_MODIFIERS,
    BATTLE_SIDES,
    DEFENDERS,
    ENGAGEMENT,
    GENERAL,
    GENERALS,
    RESULTS,
    ROUND,
    SPECOPS_ATTACKERS,
    SPECOPS_DEFENDERS,
    SPECOPS_EFFECT,
    condition_points,
    outcome_of,
)
from referee.systems.d6.rolls import roll_for


@frozen
class Clash:
    """What the generals' roll came to."""

    winner: str
    """Neither side on a tie."""
    margin: int
    outcome: str
    loser_total: int = 0
    """A hint at how long it took, where the first roll decides."""


_DEGREES: Final = ("Flawless victory", "Great victory", "Small victory", "Strategic advantage")


def clash_band(clash: Clash) -> str:
    if clash.outcome == PARTED:
        return "parted"
    return f"{clash.winner}-{clash.outcome}".casefold().replace(" ", "-") if clash.winner else "tie"


CLASH: Final[Bands[Clash]] = Bands(
    of=clash_band,
    keys=(
        *(f"{ATTACKERS}-{each}".casefold().replace(" ", "-") for each in _DEGREES),
        "tie",
        *(f"{DEFENDERS}-{each}".casefold().replace(" ", "-") for each in reversed(_DEGREES)),
        "parted",
    ),
    good=tuple(f"{ATTACKERS}-{each}".casefold().replace(" ", "-") for each in _DEGREES),
)


@formula("d6.battle.generals-roll/mods", GENERALS)
def general_mods(scene: Scene, side: str) -> Mods:
    """Everything that adds to a general's roll: conditions, and the advantages of the round before."""
    battle = scene[BATTLE]
    found = {name: condition_points(scene, name, amount) for name, amount in battle.conditions(side).items()}
    for name, carried in (("tactical", battle.tactical), ("strategic", battle.strategic)):
        if carried.get(side, 0):
            found[scene[BATTLE_MODIFIERS][f"Previous round {name} advantage"].name] = carried[side]
    return tuple(Mod(amount, name, GENERALS, unit=TOTAL) for name, amount in found.items() if amount)


def check_clash(scene: Scene, _: None) -> None:
    """Once everyone has a level; both generals must be able to command, or the armies can only part."""
    check_battle(scene)
    battle = scene[BATTLE]
    if battle.phase is not BattlePhase.ENGAGEMENT:
        refuse("the generals have rolled in this round", rule=GENERALS)
    if waiting := battle.undecided(scene):
        refuse(f"{waiting[0]} has not chosen a level", rule=ENGAGEMENT, legal=("engage",))
    for side in battle.leaderless(scene):
        if able := battle.successors(scene, side):
            because = f"{battle.general(side)} cannot command the {side}: name who takes over"
            refuse(because, rule=GENERALS, legal=(f"name-general {each}" for each in able))


@action("generals-roll", GENERALS, RESULTS, "d6.skills.strategy-tactics", bands=CLASH, master=True, check=check_clash)
async def generals_roll(scene: Scene) -> Clash:
    """The generals roll Strategy & Tactics against each other, with whatever helps or hinders their armies.

    The game master may let the armies part instead.
    """
    led = not scene[BATTLE].leaderless(scene)
    if not await rule_on(ARMIES_CLASH, led, options=YES_NO if led else (False,)):
        return await settled(Clash("", 0, PARTED), then=part_armies())
    special = dict[str, Mods]()
    for side in BATTLE_SIDES:
        effect = await specops_effect(side) if scene[BATTLE].has_specops else 0
        special[side] = (Mod(effect, SPECOPS_EFFECT, GENERALS, unit=TOTAL),) if effect else ()
    attack, defence = ((*general_mods(scene, side), *special[side]) for side in BATTLE_SIDES)
    return await hand_over(clash_armies(attack, defence))


@rule("d6.battle.generals-roll/armies", GENERALS)
async def clash_armies(scene: Scene, attack: Mods, defence: Mods) -> Clash:
    """The rolls of the generals, with what applies to each."""
    clash = await oppose_generals(attack, defence)
    return await settled(clash, then=take_clash(clash))


@rule("d6.battle.generals-roll/opposed", GENERALS, RESULTS)
async def oppose_generals(scene: Scene, attack: Mods, defence: Mods) -> Clash:
    """The two rolls, and what their difference means."""
    mine = await command_roll(scene, ATTACKERS, attack)
    theirs = await command_roll(scene, DEFENDERS, defence)
    hint = 0 if scene[BATTLE].involves_heroes(scene) else min(mine.total, theirs.total)
    return clash_of(scene, mine.total - theirs.total, hint)


def command_roll(scene: Scene, side: str, mods: Mods) -> Call[Rolled]:
    """The roll of a general."""
    battle = scene[BATTLE]
    return roll_for(battle.general(side), battle.skills[BATTLE_SIDES.index(side)], mods, prompt=GENERAL)


def clash_of(scene: Scene, margin: int, hint: int) -> Clash:
    """Who has won by how much; how long it took is only asked for where the first roll decides."""
    winner = ATTACKERS if margin > 0 else DEFENDERS if margin < 0 else ""
    return Clash(winner, abs(margin), outcome_of(scene, abs(margin)).name, hint)


@kernel(oppose_generals)
def opposed_generals(scene: Scene, decide: Decide, attack: Mods, defence: Mods) -> Ends[Clash]:
    """Every difference, with whatever both generals spend."""
    mine, theirs = command_roll(scene, ATTACKERS, attack), command_roll(scene, DEFENDERS, defence)
    found, hints = WeightedEnds[Clash](), not scene[BATTLE].involves_heroes(scene)
    for changes, whole, both in KernelCalls.of(decide).pairs(mine, theirs, scene):
        margins = defaultdict[tuple[int, int], int](int)
        for (one, other), ways in both:
            if one is LEFT_OUT or other is LEFT_OUT:
                found.add(cast(Clash, LEFT_OUT), changes, ways, whole)
            else:
                margins[one.total - other.total, min(one.total, other.total) if hints else 0] += ways
        found.add_all(((clash_of(scene, *each), ways) for each, ways in margins.items()), changes, 1, whole)
    return found.ends()


@rule("d6.battle.round/part", ROUND)
async def part_armies(scene: Scene) -> None:
    """Nobody has won."""
    await alter(BATTLE, LargeBattle.ending, 0, PARTED)


@rule("d6.battle.generals-roll/specops", GENERALS)
async def specops_effect(scene: Scene, side: str) -> int:
    """What a special operation comes to for a side, as the game master judges."""
    if side == ATTACKERS:
        return await rule_on(SPECOPS_ATTACKERS, 0)
    return await rule_on(SPECOPS_DEFENDERS, 0)


@rule("d6.battle.generals-roll/clash", GENERALS)
async def take_clash(scene: Scene, clash: Clash) -> None:
    """One side has the upper hand, or neither; now everyone rolls on the battle table."""
    await alter(BATTLE, LargeBattle.clashing, clash.winner, clash.margin)
    await tell("clash", winner=clash.winner or "neither side", margin=clash.margin, outcome=clash.outcome)
