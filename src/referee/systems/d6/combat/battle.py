"""Large scale combat: generals who roll against each other, and what becomes of the characters in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import field, replace
from enum import Enum
from typing import Annotated, Any, ClassVar, Final, TypeAlias, cast

from referee.core import (
    TOTAL,
    YES_NO,
    Bands,
    Call,
    Encounter,
    Levels,
    Mod,
    Mods,
    Open,
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
from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls, WeightedEnds
from referee.core.modifiers import Itemised
from referee.core.questions import Barred
from referee.core.rules import Decide, Ends, kernel, settled
from referee.kits.dice_codes import Code, Rolled
from referee.systems.d6.codes import SIDES as DIE_SIDES
from referee.systems.d6.codes import check_ability, own_code
from referee.systems.d6.combat.battle_tables import (
    ARMIES_CLASH,
    ATTACKERS,
    BATTLE_DICE,
    BATTLE_MODIFIERS,
    BATTLE_SIDES,
    BATTLE_TURN,
    BODY,
    DEFENDERS,
    ENGAGEMENT,
    ENGAGEMENT_LEVELS,
    EVENT,
    GENERAL,
    GENERALS,
    LEVEL,
    MELEE,
    NOT_INVOLVED,
    PARRY,
    RESULTS,
    ROUND,
    SPECOPS,
    SPECOPS_ATTACKERS,
    SPECOPS_DEFENDERS,
    SPECOPS_EFFECT,
    STRATEGY,
    TABLE,
    BattleTable,
    battle_cell,
    check_conditions,
    check_level,
    check_one_side,
    condition_points,
    episode,
    final_margin,
    outcome_of,
)
from referee.systems.d6.damage import damage_roll, harm_done, inflict
from referee.systems.d6.health import living
from referee.systems.d6.resolution import check_able
from referee.systems.d6.rolls import modified_code, roll_for, throw
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.time import rounds_of
from referee.systems.d6.wounds import TORSO
from referee.systems.d6.zones import LOCALIZED, hit_location

# --- the battle -------------------------------------------------------------------------------------------------------


class BattlePhase(Enum):
    """What comes next in a battle round."""

    ENGAGEMENT = "engagement"
    FIGHT = "fight"
    OVER = "over"


@frozen
class Post:
    """How deep in the battle somebody is."""

    known_by: ClassVar = ("who",)
    who: str
    level: str


@frozen
class LargeBattle(Encounter):
    """A battle: two armies with their generals, and the characters in them."""

    sides: Open[tuple[tuple[str, ...], ...]]
    """The attackers and the defenders who are known by name, generals among them."""
    generals: Open[tuple[str, ...]]
    skills: Open[tuple[str, ...]] = ("Strategy and Tactics", "Strategy and Tactics")
    """What each general rolls."""
    heroes: Open[frozenset[str]] = frozenset()
    """Those who choose a level of engagement and roll on the battle table."""
    era: Open[str] = "Medieval and before"
    era_damage: Open[int] = 0
    era_skill: Open[str] = PARRY
    """What lowers the damage; nothing, if it is empty."""
    minutes: Open[int] = 60
    round: Open[int] = 1
    phase: Open[BattlePhase] = BattlePhase.ENGAGEMENT
    attackers: Open[Levels] = field(default_factory=Levels)
    """What the game master gives the attackers' general, by the names of the table; of troops, the percentage."""
    defenders: Open[Levels] = field(default_factory=Levels)
    before: Open[tuple[Post, ...]] = ()
    """The levels of the round before."""
    posts: Open[tuple[Post, ...]] = ()
    """The levels chosen for this round."""
    winner: Open[str] = ""
    """The side that won the generals' roll of this round; neither on a tie."""
    margin: Open[int] = 0
    rolled: Open[frozenset[str]] = frozenset()
    """Those who have rolled on the battle table in this round."""
    gained: Open[Levels] = field(default_factory=Levels)
    """The tactical points that characters have gained in this round, by side."""
    promised: Open[Levels] = field(default_factory=Levels)
    """Tactical points that the game master gives a side for the next round."""
    tactical: Open[Levels] = field(default_factory=Levels)
    """The tactical advantage of each side from the round before."""
    strategic: Open[Levels] = field(default_factory=Levels)
    """The strategic advantage from the round before."""
    outcome: Open[str] = ""
    """How the last round ended."""
    within: Open[str] = ""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.phase is BattlePhase.ENGAGEMENT:
            waiting = self.undecided(scene)
            return pick_level(waiting[0]) if waiting else generals_roll()
        fighting = self.fighting(scene)
        return battle_turn(fighting[0]) if fighting else conclude(me)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return self.winner if self.phase is BattlePhase.OVER else None

    def told_ending(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        if self.over(scene, me) is None:
            return None
        return f"{self.outcome} of the {self.winner}" if self.winner else "the armies part"

    def parties(self) -> tuple[tuple[str, ...], ...]:
        return self.sides

    def check(self, scene: Scene) -> None:
        """Two sides, a general on each, and levels that the book knows."""
        if len(self.sides) != 2 or len(self.generals) != 2 or len(self.skills) != 2:
            raise Refused("battle", because="there are two sides, each with a general", rule=GENERALS)
        for side in BATTLE_SIDES:
            check_conditions(scene, side, self.conditions(side))
        check_one_side(scene, self.attackers, self.defenders)
        for post in (*self.before, *self.posts):
            scene[ENGAGEMENT_LEVELS].look(post.level)

    def conditions(self, side: str) -> Levels:
        return self.attackers if side == ATTACKERS else self.defenders

    def people(self, side: str) -> tuple[str, ...]:
        return self.sides[BATTLE_SIDES.index(side)]

    def side_of(self, who: str) -> str:
        return ATTACKERS if who in self.people(ATTACKERS) else DEFENDERS

    def general(self, side: str) -> Person:
        return Who(self.generals[BATTLE_SIDES.index(side)], Hero)

    def level_before(self, who: str) -> str:
        return next((post.level for post in self.before if post.who == who), NOT_INVOLVED)

    def level(self, who: str) -> str:
        return next((post.level for post in self.posts if post.who == who), NOT_INVOLVED)

    def has_chosen(self, who: str) -> bool:
        return any(post.who == who for post in self.posts)

    def able_heroes(self, scene: Scene) -> tuple[Person, ...]:
        """Those who take part and can act, in the order of the sides."""
        names = (name for side in self.sides for name in side if name in self.heroes)
        return tuple(who for name in names if (who := Who(name, Hero)) in scene and can_act(scene, who))

    def undecided(self, scene: Scene) -> tuple[Person, ...]:
        return tuple(who for who in self.able_heroes(scene) if not self.has_chosen(who.name))

    def fighting(self, scene: Scene) -> tuple[Person, ...]:
        """Those who have still to roll on the battle table."""
        return tuple(
            who
            for who in self.able_heroes(scene)
            if who.name not in self.rolled and scene[ENGAGEMENT_LEVELS].look(self.level(who.name)).column is not None
        )

    def group(self, scene: Scene) -> tuple[str, ...]:
        """Whose turn it is, for the screen."""
        if self.phase is BattlePhase.OVER:
            return ()
        here = self.undecided(scene) if self.phase is BattlePhase.ENGAGEMENT else self.fighting(scene)
        return tuple(who.name for who in here)

    def involves_heroes(self, scene: Scene) -> bool:
        """Whether somebody of the players' is in the battle, as a general or at some level."""
        here = [*self.generals, *(post.who for post in self.posts if post.level != NOT_INVOLVED)]
        return any((who := Who(name, Hero)) in scene and scene[who].player for name in here)

    @property
    def has_specops(self) -> bool:
        return any(post.level == SPECOPS for post in self.posts)

    def points_of(self, side: str) -> int:
        """The tactical points that a side's characters have gained in this round."""
        return self.gained.get(side, 0)

    # --- what happens to it -------------------------------------------------------------------------------------------

    def with_conditions(self, side: str, conditions: Levels) -> LargeBattle:
        return replace(self, attackers=conditions) if side == ATTACKERS else replace(self, defenders=conditions)

    def joined(self, who: str, side: str) -> LargeBattle:
        people = {each: self.people(each) for each in BATTLE_SIDES}
        if who not in people[side]:
            people[side] = (*people[side], who)
        return replace(self, sides=tuple(people.values()), heroes=self.heroes | {who})

    def engaging(self, who: str, level: str) -> LargeBattle:
        others = tuple(post for post in self.posts if post.who != who)
        return replace(self, posts=(*others, Post(who, level)))

    def clashing(self, winner: str, margin: int) -> LargeBattle:
        return replace(self, phase=BattlePhase.FIGHT, winner=winner, margin=margin)

    def gaining(self, who: str, points: int) -> LargeBattle:
        side = self.side_of(who)
        gained = self.gained.but(**{side: self.points_of(side) + points})
        return replace(self, gained=gained, rolled=self.rolled | {who})

    def promising(self, side: str, points: int) -> LargeBattle:
        return replace(self, promised=self.promised.but(**{side: self.promised.get(side, 0) + points}))

    def ending(self, margin: int, outcome: str) -> LargeBattle:
        return replace(self, margin=margin, outcome=outcome, phase=BattlePhase.OVER)

    def going_on(self, margin: int, outcome: str) -> LargeBattle:
        """Undecided: the advantages of this round count in the next."""
        won = {side: self.points_of(side) + self.promised.get(side, 0) for side in BATTLE_SIDES}
        none = Levels()
        return replace(
            self,
            round=self.round + 1,
            phase=BattlePhase.ENGAGEMENT,
            before=self.posts,
            posts=(),
            rolled=frozenset(),
            gained=none,
            promised=none,
            tactical=Levels({side: points for side, points in won.items() if points}),
            strategic=Levels({self.winner: margin}) if self.winner and margin else none,
            winner="",
            margin=0,
            outcome=outcome,
            attackers=without_specops(self.attackers),
            defenders=without_specops(self.defenders),
        )


PARTED: Final = "Parted"
BATTLE: Final = Who("battle", LargeBattle)


def without_specops(conditions: Levels) -> Levels:
    """What a special operation has done counts for one round."""
    return Levels({name: amount for name, amount in conditions.items() if name != SPECOPS_EFFECT})


def can_act(scene: Scene, who: Person) -> bool:
    try:
        check_able(scene, who)
    except Refused:
        return False
    return True


def check_battle(scene: Scene, who: Person | None = None) -> None:
    if BATTLE not in scene:
        refuse("there is no battle", rule=ROUND, legal=("begin-battle",))


def strategies(scene: Scene, _: None) -> tuple[str, ...]:
    return (scene[STRATEGY],)


def is_strategy(scene: Scene, using: str) -> bool:
    """Whether a name is Strategy & Tactics or a field of it."""
    return using.partition("::")[0].casefold() in (scene[STRATEGY].casefold(), "strategy & tactics")


def check_strategy(scene: Scene, _: object, using: str) -> None:
    """Strategy & Tactics, or a specialization of it."""
    if not is_strategy(scene, using):
        refuse(f"a battle is about {scene[STRATEGY]}", what=using, rule=GENERALS, legal=(scene[STRATEGY],))


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


@rule("d6.battle.engagement-levels/ask", ENGAGEMENT)
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


# --- the generals -----------------------------------------------------------------------------------------------------


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
    """Once everyone has a level; both generals must be able to command."""
    check_battle(scene)
    battle = scene[BATTLE]
    if battle.phase is not BattlePhase.ENGAGEMENT:
        refuse("the generals have rolled in this round", rule=GENERALS)
    if waiting := battle.undecided(scene):
        refuse(f"{waiting[0]} has not chosen a level", rule=ENGAGEMENT, legal=("engage",))
    for side in BATTLE_SIDES:
        check_able(scene, battle.general(side))


@action("generals-roll", GENERALS, RESULTS, "d6.skills.strategy-tactics", bands=CLASH, master=True, check=check_clash)
async def generals_roll(scene: Scene) -> Clash:
    """The generals roll Strategy & Tactics against each other, with whatever helps or hinders their armies.

    The game master may let the armies part instead.
    """
    if not await rule_on(ARMIES_CLASH, True, options=YES_NO):
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
