"""How deep in a battle somebody is, what the battle table makes of them, and how a round ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Call,
    Mod,
    Pick,
    Pool,
    Refused,
    Scene,
    Total,
    Who,
    action,
    action_of,
    advance_clock,
    alter,
    choose,
    formula,
    frozen,
    hand_over,
    number_die,
    refuse,
    roll,
    rule,
    rule_on,
    tell,
)
from referee.core.actions import legal_choices
from referee.core.modifiers import Itemised
from referee.core.questions import Barred
from referee.core.rules import settled
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import SIDES as DIE_SIDES
from referee.systems.d6.codes import check_ability, own_code
from referee.systems.d6.combat.battle import (
    BATTLE,
    BattlePhase,
    LargeBattle,
    check_battle,
    check_strategy,
    is_strategy,
)
from referee.systems.d6.combat.battle_tables import (
    ATTACKERS,
    BATTLE_DICE,
    BATTLE_SIDES,
    BATTLE_TURN,
    BODY,
    DEFENDERS,
    ENGAGEMENT,
    ENGAGEMENT_LEVELS,
    EVENT,
    LEVEL,
    MELEE,
    PARRY,
    RESULTS,
    ROUND,
    SPECOPS,
    STRATEGY,
    TABLE,
    BattleTable,
    battle_cell,
    check_level,
    episode,
    final_margin,
    outcome_of,
)
from referee.systems.d6.combat.generals import general_mods, oppose_generals, take_clash
from referee.systems.d6.damage import damage_roll, harm_done, inflict
from referee.systems.d6.health import living
from referee.systems.d6.resolution import check_able
from referee.systems.d6.rolls import modified_code, throw
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.time import rounds_of
from referee.systems.d6.wounds import TORSO
from referee.systems.d6.zones import LOCALIZED, hit_location

# --- the level of engagement ------------------------------------------------------------------------------------------


def check_muster(scene: Scene, who: Person) -> None:
    """Before a round, somebody who takes part and can act."""
    check_battle(scene)
    battle = scene[BATTLE]
    if battle.phase is not BattlePhase.ENGAGEMENT:
        refuse("levels are chosen before the generals roll", rule=ENGAGEMENT)
    if who.name not in battle.heroes:
        refuse(f"{who} takes no part in the battle", rule=ENGAGEMENT, legal=("join-battle",))
    check_able(scene, who)


def levels_for(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(row.name for row in scene[ENGAGEMENT_LEVELS])


def check_level_for(scene: Scene, who: Person, level: str) -> None:
    row = scene[ENGAGEMENT_LEVELS].look(level)
    check_level(scene, scene[BATTLE].round, scene[BATTLE].level_before(who.name), row.name)


Level: TypeAlias = Annotated[str, Pick(levels_for, check_level_for)]


@action("engage", "d6.battle.engagement-levels/choose", ENGAGEMENT, turn=check_muster)
async def engage(scene: Scene, who: Person, level: Level) -> None:
    """Choose how deep in the battle to be in this round."""
    await alter(BATTLE, LargeBattle.engaging, who.name, scene[ENGAGEMENT_LEVELS].look(level).name)


# --- the battle table -------------------------------------------------------------------------------------------------


def result_for(battle: LargeBattle, who: str) -> str:
    """How the generals' roll went for somebody's side."""
    if not battle.winner:
        return "Tie"
    return "Victory" if battle.side_of(who) == battle.winner else "Defeat"


@formula("d6.battle.table/damage", TABLE)
def battle_damage(scene: Scene, who: Person, damage: int, reduced_by: str = "") -> Code:
    """The damage of a cell, more by the era and in a crushing defeat, less by the skill that helps against it."""
    battle = scene[BATTLE]
    more = max(0, battle.margin - scene[BattleTable].margin_without_more_damage)
    lost = more if result_for(battle, who.name) == "Defeat" else 0
    skill = reduced_by or battle.era_skill
    less = Code() if not skill else parry_code(scene, who) if skill == PARRY else own_code(scene, who, skill)
    return Code(damage + battle.era_damage + lost) - less


def parry_code(scene: Scene, who: Person) -> Code:
    """The best code with a melee weapon; without one learned, that of Melee Combat."""
    sheet = scene[who]
    learned = (name for name in (*sheet.skills, *sheet.specializations) if name.casefold().startswith(MELEE))
    codes = (own_code(scene, who, "Melee Combat"), *(own_code(scene, who, name) for name in learned))
    return max(codes, key=lambda code: code.in_pips(scene[PIPS_PER_DIE]))


@frozen
class BattleFate:
    """What became of somebody in a battle round."""

    total: int
    damage: Code
    points: int
    event: bool
    result: str = "none"
    """What the damage did; `none` if it did nothing."""
    vehicle: int | None = None
    """By how much the damage was more than the Body of the vehicle, aboard one."""


FATES: Final[Bands[BattleFate]] = Bands(
    of=lambda fate: fate.result.casefold().replace(" ", "-"),
    keys=("none", "stunned", "wounded", "neutralized", "mortally-wounded", "dead"),
    extra={"event": lambda fate: fate.event},
    good=("none", "stunned"),
)


def check_fray(scene: Scene, who: Person) -> None:
    """Whoever is at a level of the table, after the generals' roll, once a round."""
    check_battle(scene)
    battle = scene[BATTLE]
    if battle.phase is not BattlePhase.FIGHT:
        refuse("the generals have not rolled yet", rule=TABLE, legal=("generals-roll",))
    if who.name in battle.rolled:
        refuse(f"{who} has rolled in this round", rule=TABLE)
    if scene[ENGAGEMENT_LEVELS].look(battle.level(who.name)).column is None:
        refuse(f"{who} is at {battle.level(who.name)}", rule=TABLE, legal=("Support", "Engaged", "First line"))
    check_able(scene, who)


def own_strategies(scene: Scene, who: Person) -> tuple[str, ...]:
    """Strategy & Tactics, and one's fields of it."""
    return (scene[STRATEGY], *(each for each in scene[who].specializations if is_strategy(scene, each)))


def check_reduced_by(scene: Scene, who: Person, reduced_by: str) -> None:
    if reduced_by and reduced_by != PARRY:
        check_ability(scene, who, reduced_by)


def no_vehicle(scene: Scene, who: Person) -> tuple[Code | None, ...]:
    return (None,)


def any_body(scene: Scene, who: Person, vehicle_body: Code | None) -> None:
    if vehicle_body is not None and vehicle_body.dice < 1:
        refuse("a vehicle has a Body of at least 1D", rule=TABLE)


OwnStrategy: TypeAlias = Annotated[str, Pick(own_strategies, check_strategy)]
ReducedBy: TypeAlias = Annotated[str, Pick(lambda scene, who: ("",), check_reduced_by)]
VehicleBody: TypeAlias = Annotated[Code | None, Pick(no_vehicle, any_body)]


@action("battle-roll", TABLE, bands=FATES, turn=check_fray)
async def battle_roll(
    scene: Scene,
    who: Person,
    using: OwnStrategy = "Strategy and Tactics",
    reduced_by: ReducedBy = "",
    vehicle_body: VehicleBody = None,
) -> BattleFate:
    """Two dice and the dice of Strategy & Tactics say what becomes of somebody in this round.

    Aboard a vehicle its Body resists, and the piloting skill lowers the damage.
    """
    battle = scene[BATTLE]
    total = await table_dice(who, own_code(scene, who, using).dice, using)
    cell = battle_cell(scene, result_for(battle, who.name), battle.level(who.name), total)
    fate = BattleFate(total, battle_damage(scene, who, cell.damage, reduced_by), cell.points, cell.event)
    zone = TORSO
    if fate.damage.dice > 0 and vehicle_body is not None:
        fate = replace(fate, vehicle=await vehicle_difference(fate.damage, vehicle_body))
    elif fate.damage.dice > 0:
        zone = await hit_location() if scene[LOCALIZED] else TORSO
        fate = replace(fate, result=await harm_done(who, fate.damage, (), zone))
    return await settled(fate, then=take_fate(who, fate, zone))


@rule("d6.battle.engagement-levels/foreseen", ENGAGEMENT)
async def round_at_level(scene: Scene, who: Person) -> BattleFate | None:
    """What a level leads to: the generals' roll, and then what becomes of somebody. Only odds ask for it."""
    if scene[BATTLE].level(who.name) == SPECOPS:
        refuse("a special operation is played by itself", what=SPECOPS, rule=ENGAGEMENT)
    attack, defence = (general_mods(scene, side) for side in BATTLE_SIDES)
    await take_clash(await oppose_generals(attack, defence))
    return await hand_over(battle_roll(who)) if who in scene[BATTLE].fighting(scene) else None


def fate_that_follows(scene: Scene, who: Person) -> Call[BattleFate | None]:
    """What a level leads to, if the armies clash without a special operation."""
    return round_at_level(who)


@rule("d6.battle.engagement-levels/ask", ENGAGEMENT, bands=FATES.if_tried("none"), foresees=fate_that_follows)
async def pick_level(scene: Scene, who: Person) -> None:
    """Before each round each character picks a level."""
    legal, barred = list[str](), list[Barred[str]]()
    for level in levels_for(scene, who):
        try:
            check_level_for(scene, who, level)
        except Refused as why:
            barred.append(Barred(level, why))
        else:
            legal.append(level)
    before = scene[BATTLE].level_before(who.name)
    await engage(who, await choose(who, LEVEL, legal, default=before if before in legal else legal[0], barred=barred))


@rule("d6.battle.table/dice", TABLE)
async def table_dice(scene: Scene, who: Person, plus: int, using: str) -> int:
    """Two plain dice, and the number of dice of a skill."""
    shown = (Mod(plus, using, TABLE),)
    pool = Pool.of((number_die(scene[DIE_SIDES]), scene[BattleTable].dice))
    return (await roll(BATTLE_DICE, who, pool, Total, mods=shown)).total + plus


@rule("d6.battle.table/vehicle", TABLE)
async def vehicle_difference(scene: Scene, damage: Code, body: Code) -> int:
    """Damage at the scale of the vehicle, resisted by its Body."""
    dealt = await damage_roll(None, damage)
    code, plus = modified_code(scene, body, ())
    resisted = await throw(None, code, plus, Itemised(), prompt=BODY)
    return dealt.total - resisted.total


@rule("d6.battle.table/fate", TABLE)
async def take_fate(scene: Scene, who: Person, fate: BattleFate, zone: str = TORSO) -> None:
    """What the table says happens: damage, tactical points for one's general, and perhaps an event."""
    if fate.vehicle is not None:
        await tell("vehicle-hit", who=who, difference=fate.vehicle)
    else:
        await inflict(who, fate.result, zone=zone)
    points = fate.points
    if fate.event:
        await tell("battle-event", who=who, event=await episode())
        points += await rule_on(EVENT, 0, low=0, high=scene[BattleTable].most_for_an_event)
    await alter(BATTLE, LargeBattle.gaining, who.name, points)
    await tell("tactical-points", who=who, points=points)


@rule("d6.battle.table/turn", TABLE)
async def battle_turn(scene: Scene, who: Person) -> None:
    """Each character who fights rolls on the battle table, with the field of the skill that fits."""
    chosen = await choose(who, BATTLE_TURN, legal_choices((action_of(battle_roll),), scene, who))
    await chosen.call


# --- how it ends ------------------------------------------------------------------------------------------------------


@rule(RESULTS, ROUND)
async def conclude(scene: Scene, me: Who[LargeBattle]) -> None:
    """A round ends the battle, or leaves it undecided; then another follows, with the advantages of this one.

    It is long enough for every stun to wear off.
    """
    margin = margin_left(scene, me)
    outcome = outcome_of(scene, margin)
    first_decides = bool(scene[me].winner) and not scene[me].involves_heroes(scene)
    number, winner = scene[me].round, scene[me].winner or "neither side"
    ends = outcome.decides or first_decides
    await alter(me, LargeBattle.ending if ends else LargeBattle.going_on, margin, outcome.name)
    for who in living(scene):
        if scene[who].stuns:
            await alter(who, Hero.less_stunned, scene[who].stuns, rule="d6.health.stun-stacking")
    await tell("battle-round", number=number, winner=winner, outcome=outcome.name)
    await advance_clock(rounds_of(scene, scene[me].minutes, "minute"), me)


def margin_left(scene: Scene, me: Who[LargeBattle]) -> int:
    """The margin of the generals' roll, as the heroes of the losing side have left it."""
    battle = scene[me]
    if not battle.winner:
        return 0
    loser = DEFENDERS if battle.winner == ATTACKERS else ATTACKERS
    return final_margin(scene, battle.margin, battle.points_of(loser))
