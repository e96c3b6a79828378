"""How a battle is set up: armies with their generals, who joins, and what helps or hinders each side."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Audience,
    Levels,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    change,
    refuse,
    rule,
    rule_on,
    tell,
)
from referee.systems.d6.codes import check_ability
from referee.systems.d6.combat.battle import BATTLE, LargeBattle, check_battle, check_strategy, strategies
from referee.systems.d6.combat.battle_tables import (
    ATTACKERS,
    BATTLE_MODIFIERS,
    BATTLE_SIDES,
    DEFENDERS,
    ENGAGEMENT,
    ERAS,
    GENERALS,
    PARRY,
    ROUND,
    TABLE,
    BattleTime,
    as_printed,
    check_conditions,
    check_one_side,
    condition_points,
)
from referee.systems.d6.sheet import Hero, Person

# --- beginning --------------------------------------------------------------------------------------------------------


def anyone_here(scene: Scene, _: None) -> tuple[Person, ...]:
    return scene.all(Hero)


def check_minutes(scene: Scene, _: None, minutes: int) -> None:
    """A round is half an hour to an hour."""
    low, high = scene[BattleTime].shortest_minutes, scene[BattleTime].longest_minutes
    if not low <= minutes <= high:
        refuse(f"a battle round is {low} to {high} minutes", rule=ROUND)


def eras(scene: Scene, _: None) -> tuple[str, ...]:
    return scene[ERAS].names


def check_era_damage(scene: Scene, _: None, era_damage: int | None, era: str) -> None:
    """Only for wars of the future the game master says how much worse their weapons are."""
    row = scene[ERAS].look(era)
    if era_damage is None:
        return
    if era_damage < row.damage or (era_damage > row.damage and not row.at_least):
        refuse(f"{row.name}: {'at least ' if row.at_least else ''}+{row.damage}D", rule=TABLE)


def check_era_skill(scene: Scene, _: None, era_skill: str, era: str) -> None:
    """Only for wars of the future the game master says which skill helps."""
    row = scene[ERAS].look(era)
    if era_skill and not row.at_least and era_skill != row.skill:
        refuse(f"{row.name}: {row.skill}", what=era_skill, rule=TABLE, legal=(row.skill,))
    if era_skill and era_skill != PARRY:
        check_ability(scene, None, era_skill)


def check_armies(
    scene: Scene,
    _: None,
    attacking_general: Person,
    defending_general: Person,
    attackers: tuple[Person, ...],
    defenders: tuple[Person, ...],
) -> None:
    """One battle at a time, and nobody on both sides."""
    if BATTLE in scene:
        refuse("a battle goes on already", rule=ROUND)
    if {attacking_general, *attackers} & {defending_general, *defenders}:
        refuse("nobody fights on two sides", rule=GENERALS)


def no_conditions(scene: Scene, _: None) -> tuple[Levels, ...]:
    return (Levels(),)


def check_attacking(scene: Scene, _: None, conditions: Levels) -> None:
    check_conditions(scene, ATTACKERS, conditions)


def check_defending(scene: Scene, _: None, conditions: Levels, attacking_conditions: Levels) -> None:
    check_conditions(scene, DEFENDERS, conditions)
    check_one_side(scene, conditions, attacking_conditions)


AnyoneHere: TypeAlias = Annotated[Person, Pick(anyone_here)]
AttackingConditions: TypeAlias = Annotated[Levels, Pick(no_conditions, check_attacking)]
DefendingConditions: TypeAlias = Annotated[Levels, Pick(no_conditions, check_defending)]
NONE: Final[Levels] = Levels()
ArmyPeople: TypeAlias = tuple[AnyoneHere, ...]
BattleMinutes: TypeAlias = Annotated[int, Pick(lambda scene, who: (30, 45, 60), check_minutes)]
EraName: TypeAlias = Annotated[str, Pick(eras)]
EraDamage: TypeAlias = Annotated[int | None, Pick(lambda scene, who: (None,), check_era_damage)]
EraSkill: TypeAlias = Annotated[str, Pick(lambda scene, who: ("",), check_era_skill)]
GeneralSkill: TypeAlias = Annotated[str, Pick(strategies, check_strategy)]


@action("begin-battle", ROUND, master=True, check=check_armies)
async def begin_battle(
    scene: Scene,
    attacking_general: AnyoneHere,
    defending_general: AnyoneHere,
    attackers: ArmyPeople = (),
    defenders: ArmyPeople = (),
    era: EraName = "Medieval and before",
    minutes: BattleMinutes = 60,
    attacking_skill: GeneralSkill = "Strategy and Tactics",
    defending_skill: GeneralSkill = "Strategy and Tactics",
    era_damage: EraDamage = None,
    era_skill: EraSkill = "",
    attacking_conditions: AttackingConditions = NONE,
    defending_conditions: DefendingConditions = NONE,
) -> None:
    """Two armies meet: their generals, and the characters who choose where they fight."""
    row = scene[ERAS][era]
    sides = ((attacking_general, *attackers), (defending_general, *defenders))
    battle = LargeBattle(
        sides=tuple(tuple(dict.fromkeys(each.name for each in side)) for side in sides),
        generals=(attacking_general.name, defending_general.name),
        skills=(attacking_skill, defending_skill),
        heroes=frozenset(each.name for each in (*attackers, *defenders)),
        era=row.name,
        era_damage=row.damage if era_damage is None else era_damage,
        era_skill=era_skill or row.skill,
        minutes=minutes,
        attackers=as_printed(scene, attacking_conditions),
        defenders=as_printed(scene, defending_conditions),
    )
    await change(BATTLE, battle)


def battle_sides(scene: Scene, _: object) -> tuple[str, ...]:
    return BATTLE_SIDES


BattleSide: TypeAlias = Annotated[str, Pick(battle_sides)]
ATTACKERS_COMMAND: Final = Prompt("command-of-attackers")
DEFENDERS_COMMAND: Final = Prompt("command-of-defenders")
COMMANDS: Final = {ATTACKERS: ATTACKERS_COMMAND, DEFENDERS: DEFENDERS_COMMAND}


def check_joining(scene: Scene, _: None, who: Person, side: str) -> None:
    """Somebody who is on neither side, or on this one without fighting."""
    check_battle(scene)
    battle = scene[BATTLE]
    if who.name in battle.heroes:
        refuse(f"{who} takes part already", rule=ENGAGEMENT)
    if any(who.name in battle.people(each) for each in BATTLE_SIDES if each != side):
        refuse("nobody fights on two sides", rule=GENERALS)


@action("join-battle", ENGAGEMENT, master=True, check=check_joining)
async def join_battle(scene: Scene, who: AnyoneHere, side: BattleSide) -> None:
    """Somebody comes to the battle. From the second round on they begin at Support."""
    await alter(BATTLE, LargeBattle.joined_by, who.name, BATTLE_SIDES.index(side))


def check_leaderless(scene: Scene, _: None, side: str) -> None:
    """Only a general who cannot command is followed by another: the book says nothing of others."""
    check_battle(scene)
    if side not in (sides := scene[BATTLE].leaderless(scene)):
        refuse(f"{scene[BATTLE].general(side)} commands the {side}", rule=GENERALS, legal=sides)


def successors(scene: Scene, _: None, side: str) -> tuple[Person, ...]:
    return scene[BATTLE].successors(scene, side) if BATTLE in scene else ()


@action("name-general", "d6.battle.generals-roll/successor", GENERALS, master=True, check=check_leaderless)
async def name_general(scene: Scene, side: BattleSide, who: Annotated[Person, Pick(successors)]) -> None:
    """Somebody takes over from a general who cannot command; the book says nothing of it, so the game master does."""
    await change(BATTLE, scene[BATTLE].commanded_by(scene, who, side))
    await tell("new-general", who=who, side=side)


@rule("d6.battle.generals-roll/command", GENERALS)
async def fill_command(scene: Scene, side: str) -> None:
    """Before the generals roll, the game master is asked who takes over from one who cannot."""
    able = scene[BATTLE].successors(scene, side)
    await name_general(side, await rule_on(COMMANDS[side], able[0], options=able, audience=Audience.MASTER))


# --- conditions -------------------------------------------------------------------------------------------------------


def settable(scene: Scene, _: None, side: str) -> tuple[str, ...]:
    """The conditions that the game master gives a side."""
    return tuple(row.name for row in scene[BATTLE_MODIFIERS] if not row.carried and row.only in ("", side))


def check_condition(scene: Scene, _: None, condition: str, side: str) -> None:
    """One of the table that is not carried over, and for this side."""
    check_battle(scene)
    row = scene[BATTLE_MODIFIERS].look(condition)
    if row.carried:
        refuse("it comes from the round before", what=row.name, rule=GENERALS, legal=settable(scene, None, side))
    if row.only not in ("", side):
        refuse(f"it is for the {row.only}", what=row.name, rule=GENERALS, legal=settable(scene, None, side))


def usual_amounts(scene: Scene, _: None, condition: str) -> tuple[int, ...]:
    """The ends of its range and what lies between, or some percentages."""
    row = scene[BATTLE_MODIFIERS].look(condition)
    if row.min is None or row.max is None:
        return (0, 10, 20, 50, 100) if row.per else (-10, -5, 0, 5, 10)
    return tuple(dict.fromkeys((0, *range(row.min, row.max + 1, 5))))


def check_amount(scene: Scene, _: None, amount: int, side: str, condition: str) -> None:
    """Within its range, and not for both sides where only one can have it; 0 takes it away."""
    given = as_printed(scene, Levels({condition: amount}))
    check_conditions(scene, side, given)
    check_one_side(scene, given, scene[BATTLE].conditions(DEFENDERS if side == ATTACKERS else ATTACKERS))


Condition: TypeAlias = Annotated[str, Pick(settable, check_condition)]
ConditionAmount: TypeAlias = Annotated[int, Pick(usual_amounts, check_amount)]


@action("battle-condition", "d6.battle.generals-roll/set", GENERALS, master=True, turn=check_battle)
async def battle_condition(scene: Scene, side: BattleSide, condition: Condition, amount: ConditionAmount) -> int:
    """The game master says what helps or hinders a general: points, or for troops and numbers the percentage."""
    row = scene[BATTLE_MODIFIERS].look(condition)
    now = as_printed(scene, scene[BATTLE].conditions(side).but(**{row.name: amount}))
    await alter(BATTLE, LargeBattle.with_conditions, side, now)
    return condition_points(scene, row.name, amount)


def check_bonus(scene: Scene, _: None, points: int) -> None:
    if points < 1:
        refuse("a tactical bonus is at least 1", rule=GENERALS)


@action("tactical-bonus", "d6.battle.generals-roll/bonus", GENERALS, master=True, turn=check_battle)
async def tactical_bonus(
    scene: Scene, side: BattleSide, points: Annotated[int, Pick(lambda scene, who: range(1, 11), check_bonus)]
) -> None:
    """For heroes and major characters who are not rolled for, their side has a bonus in the next round."""
    await alter(BATTLE, LargeBattle.promising, side, points)
