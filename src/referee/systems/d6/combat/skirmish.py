"""Skirmishes: small units that act as one, under a leader who commands them."""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    Call,
    Levels,
    Mods,
    Open,
    Pick,
    Prompt,
    Refused,
    Scene,
    Who,
    action,
    action_of,
    advance_clock,
    alter,
    choose,
    formula,
    frozen,
    hand_over,
    legal_choices,
    refuse,
    rule,
    settled,
    tell,
)
from referee.core.effects import moment
from referee.core.rules import rule_named
from referee.kits.dice_codes import Code, Stat
from referee.kits.rounds import Rounds, in_this_order
from referee.systems.d6.codes import check_ability, own_code
from referee.systems.d6.combat.battle_tables import STRATEGY
from referee.systems.d6.combat.initiative import ABILITY, INITIATIVE, INITIATIVE_TAGS, METHOD, InitiativeMethod
from referee.systems.d6.combat.units import (
    COMMANDED,
    FightingUnit,
    unit_average,
)
from referee.systems.d6.health import end_of_round, living
from referee.systems.d6.resolution import check_able, multiple_actions
from referee.systems.d6.rolls import (
    ROUND_END,
    is_hidden_roll,
    roll_for,
)
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.tasks import (
    COORDINATED,
    NO_MODIFIERS,
    CommandModifiers,
    Coordination,
    HeroicNumber,
    command_mods,
    coordinate,
    working_code,
)
from referee.systems.d6.wounds import DEAD, HEALTHY, MORTAL, NEUTRALIZED

UNIT: Final = "d6.skirmish.unit"
LEADING: Final = "d6.skirmish.initiative"
DECLARED: Final = "d6.skirmish.declare-actions"
WOUNDS: Final = "d6.skirmish.damage"

ORDERS: Final = Prompt("unit-orders")
LEADS_BY: Final = Prompt("unit-initiative")
UNIT_ACTIONS: Final = Prompt("unit-actions")
DODGE: Final = "Dodge"


class SkirmishPhase(Enum):
    """What the units do next."""

    COMMAND = "command rolls"
    DECLARE = "declare actions"
    RESOLVE = "resolve actions"


@frozen
class UnitSkirmish(Rounds):
    """A fight between units. Ranks, declared actions and what is left of them are their leaders'."""

    units: Open[tuple[FightingUnit, ...]] = ()
    difficulty: Open[int] = 15
    """What attacks have to reach where nothing else is said: by range, or by weapon."""
    phase: Open[SkirmishPhase] = SkirmishPhase.COMMAND
    declared: Open[Levels] = field(default_factory=Levels)
    taken: Open[Levels] = field(default_factory=Levels)

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        waiting = self.waiting(scene)
        if self.phase is SkirmishPhase.COMMAND:
            return give_orders(waiting[0]) if waiting else order_of_units()
        if self.phase is SkirmishPhase.DECLARE and waiting:
            return declare_for_unit(waiting[0])
        group = self.group(scene)
        return rule_named("d6.skirmish.resolve-actions/turn")(Who(group[0], Hero)) if group else end_skirmish_round(me)

    def waiting(self, scene: Scene) -> tuple[Person, ...]:
        """The leaders who have still to command, or to declare: from the lowest initiative on."""
        here = [unit for unit in self.units if self.is_able(scene, unit.leader)]
        if self.phase is SkirmishPhase.COMMAND:
            return tuple(Who(unit.leader, Hero) for unit in here if not unit.commanded)
        if self.phase is not SkirmishPhase.DECLARE:
            return ()
        left = [unit.leader for unit in here if unit.coordinated and unit.leader not in self.declared]
        return tuple(Who(name, Hero) for name in sorted(left, key=lambda name: self.scores.get(name, 0)))

    def is_able(self, scene: Scene, who: str) -> bool:
        """Here, awake and fit to fight."""
        fighter = Who(who, Hero)
        if who in self.gone or fighter not in scene:
            return False
        return scene[fighter].wound not in (NEUTRALIZED, MORTAL, DEAD) and scene[fighter].unconscious is None

    def standing(self, scene: Scene) -> tuple[tuple[str, ...], ...]:
        """The sides that still have a unit with members who can fight; a leader who only commands is none."""
        units = [unit for unit in self.units if self.team(scene, unit)]
        return tuple(side for side in self.sides if any(name in side for unit in units for name in unit.people))

    def is_ready(self, scene: Scene, who: str) -> bool:
        return self.phase is SkirmishPhase.RESOLVE and Rounds.is_ready(self, scene, who)

    def comes_first(self, scene: Scene, who: str) -> bool:
        """Each unit acts once, from the best to the lowest initiative, before any acts again."""
        mine = self.place(who)
        return not any(self.place(name) < mine for name in self.left if self.is_ready(scene, name))

    def place(self, who: str) -> tuple[int, int]:
        return self.taken.get(who, 0), -self.scores.get(who, 0)

    def unit_of(self, who: str) -> FightingUnit:
        """The unit of somebody, leader or not."""
        for unit in self.units:
            if who in unit.people:
                return unit
        raise Refused(who, because="they are in no unit", rule=UNIT, legal=(unit.leader for unit in self.units))

    def team(self, scene: Scene, unit: FightingUnit) -> tuple[Person, ...]:
        """Those of a unit who can fight."""
        return tuple(Who(name, Hero) for name in unit.members if self.is_able(scene, name))

    def at_work(self, scene: Scene, unit: FightingUnit) -> tuple[Person, ...]:
        """Those of a unit who are coordinated and can still fight."""
        return tuple(Who(name, Hero) for name in unit.coordinated if self.is_able(scene, name))

    # --- what happens to it -------------------------------------------------------------------------------------------

    def joined_by(self, who: str, side: int) -> UnitSkirmish:
        """Whoever joins fights in the first unit of the side; orders reach them with the next round."""
        moved = super(UnitSkirmish, self).joined_by(who, side)  # noqa: UP008  # super() knows no class with slots
        first = next((unit for unit in self.units if unit.leader in moved.sides[side]), None)
        others = tuple(
            replace(unit, members=tuple(each for each in unit.members if each != who)) for unit in self.units
        )
        return replace(
            moved,
            units=tuple(
                replace(unit, members=(*unit.members, who)) if first and unit.leader == first.leader else unit
                for unit in others
            ),
        )

    def with_unit(self, changed: FightingUnit) -> UnitSkirmish:
        return replace(self, units=tuple(changed if each.leader == changed.leader else each for each in self.units))

    def commanding(self, who: str, names: tuple[str, ...], bonus: int) -> UnitSkirmish:
        unit = self.unit_of(who)
        return self.with_unit(replace(unit, commanded=True, coordinated=names, bonus=bonus))

    def ranked(self, names: tuple[str, ...], tactics: frozenset[str]) -> UnitSkirmish:
        units = tuple(replace(unit, tactics=unit.leader in tactics) for unit in self.units)
        begun = self.beginning({}, in_this_order(names))
        return replace(begun, units=units, phase=SkirmishPhase.DECLARE)

    def declaring(self, who: str, actions: int, reactions: int) -> UnitSkirmish:
        """Some of the actions are kept for reactions, the others are taken at the leader's rank."""
        changed = self.with_unit(replace(self.unit_of(who), actions=actions, reactions=reactions))
        left = self.left.but(**{who: actions - reactions}) if actions > reactions else self.left
        return replace(changed, declared=self.declared.but(**{who: actions}), left=left)

    def resolving(self) -> UnitSkirmish:
        return replace(self, phase=SkirmishPhase.RESOLVE)

    def acting(self, who: str) -> UnitSkirmish:
        return replace(self.spending(who, 1), taken=self.taken.but(**{who: self.taken.get(who, 0) + 1}))

    def opening_reactions(self, who: str) -> UnitSkirmish:
        """The leader spends an action, and each member may react once."""
        unit = self.unit_of(who)
        return self.with_unit(replace(unit, reactions=unit.reactions - 1, reacting=True))

    def member_reacting(self, who: str) -> UnitSkirmish:
        unit = self.unit_of(who)
        return self.with_unit(replace(unit, reacted=unit.reacted | {who}))

    def replacing(self, wounded: str, by: str) -> UnitSkirmish:
        """One takes the place of another, who stands back."""
        unit = self.unit_of(wounded)
        members = tuple(by if name == wounded else name for name in unit.members if name != by)
        idle = tuple(name for name in unit.idle if name != by)
        return self.with_unit(replace(unit, members=members, reserve=(*unit.reserve, wounded), idle=idle))

    def round_over(self) -> UnitSkirmish:
        none = Levels()
        cleared = replace(self, phase=SkirmishPhase.COMMAND, left=none, scores=none, declared=none, taken=none)
        return replace(cleared, units=tuple(unit.fresh() for unit in self.units))

    def led_by(self, old: str, new: str) -> UnitSkirmish:
        units = tuple(replace(unit, leader=new) if unit.leader == old else unit for unit in self.units)
        return replace(self, units=units)


SKIRMISH: Final = Who("skirmish", UnitSkirmish)


def check_skirmish(scene: Scene, who: Person | None = None) -> None:
    if SKIRMISH not in scene:
        refuse("there is no skirmish", rule=UNIT, legal=("begin-skirmish",))


def check_leader(scene: Scene, who: Person) -> None:
    """Only the leader of a unit decides for it."""
    check_skirmish(scene)
    check_able(scene, who)
    unit = scene[SKIRMISH].unit_of(who.name)
    if unit.leader != who.name:
        refuse(f"{unit.leader} leads this unit", rule=UNIT, legal=(unit.leader,))


def check_phase(scene: Scene, phase: SkirmishPhase, rule: str) -> None:
    if scene[SKIRMISH].phase is not phase:
        refuse(f"the phase is '{scene[SKIRMISH].phase.value}'", rule=rule)


@formula("d6.skirmish.command-roll/lowest", COMMANDED)
def lowest_average(scene: Scene, unit: FightingUnit, skills: tuple[str, ...]) -> Stat:
    """The lowest of the averages of all the skills that are planned."""
    people = scene[SKIRMISH].team(scene, unit)
    averages = (unit_average(scene, unit, people, using) for using in skills or ("",))
    return min(averages, key=lambda stat: stat.code.in_pips(scene[PIPS_PER_DIE]))


def usual_skills(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", DODGE)


def check_planned_skill(scene: Scene, who: Person, using: str) -> None:
    """Any ability; nothing stands for an attack with the weapons in hand."""
    if using:
        check_ability(scene, None, using)


def check_command_phase(scene: Scene, who: Person) -> None:
    check_leader(scene, who)
    check_phase(scene, SkirmishPhase.COMMAND, COMMANDED)
    if scene[SKIRMISH].unit_of(who.name).commanded:
        refuse("the unit is commanded already in this round", rule=COMMANDED)


PlannedSkills: TypeAlias = tuple[Annotated[str, Pick(usual_skills, check_planned_skill)], ...]


@action("command-unit", COMMANDED, "d6.tasks.command-table-use", bands=COORDINATED, turn=check_command_phase)
async def command_unit(
    scene: Scene,
    who: Person,
    skills: PlannedSkills = (),
    modifiers: CommandModifiers = NO_MODIFIERS,
    mods: Mods = (),
    heroic: HeroicNumber = None,
) -> Coordination:
    """Roll Command for one's unit, by the lowest average of the skills planned; who is not coordinated does nothing.

    Nobody needs to be commanded to fight alone.
    """
    unit = scene[SKIRMISH].unit_of(who.name)
    people = len(scene[SKIRMISH].team(scene, unit))
    if people < 2:
        alone = Coordination(people, people, 0, 0, "")
        return await settled(alone, then=take_command(who, alone))
    average = lowest_average(scene, unit, skills)
    also = multiple_actions(scene, 2) if who.name in unit.members else ()
    orders = (*mods, *also, *command_mods(scene, modifiers))
    return await hand_over(lead(who, people, average.code, orders, heroic))


@rule("d6.skirmish.command-roll/lead", COMMANDED)
async def lead(scene: Scene, who: Person, people: int, average: Code, mods: Mods, heroic: int | None) -> Coordination:
    """The roll itself, and who follows."""
    found = await coordinate(who, people, average, mods, heroic)
    return await settled(found, then=take_command(who, found))


@rule("d6.skirmish.command-roll/take", COMMANDED)
async def take_command(scene: Scene, who: Person, found: Coordination) -> None:
    """The first so many are coordinated; the others stay in cover. Everybody sees who follows, if not the roll."""
    unit = scene[SKIRMISH].unit_of(who.name)
    names = tuple(each.name for each in scene[SKIRMISH].team(scene, unit))[: found.coordinated]
    await alter(SKIRMISH, UnitSkirmish.commanding, who.name, names, found.bonus)
    if found.people > 1 and is_hidden_roll(scene, who, hidden=False):
        await tell("commands", who=who, coordinated=found.coordinated, people=found.people, bonus=found.bonus)


@rule("d6.skirmish.command-roll/ask", COMMANDED)
async def give_orders(scene: Scene, who: Person) -> None:
    """At the beginning of a round the leader says what is planned, and rolls Command for it."""
    plans = {"attack": ("",), "attack and dodge": ("", DODGE), "dodge": (DODGE,)}
    await command_unit(who, plans[await choose(who, ORDERS, tuple(plans), default="attack")])


# --- replacing the wounded --------------------------------------------------------------------------------------------


def own_wounded(scene: Scene, who: Person) -> tuple[Person, ...]:
    unit = scene[SKIRMISH].unit_of(who.name)
    return tuple(Who(name, Hero) for name in unit.members if scene[Who(name, Hero)].wound != HEALTHY)


def check_own_wounded(scene: Scene, who: Person, wounded: Person) -> None:
    """A member who is wounded."""
    if wounded.name not in scene[SKIRMISH].unit_of(who.name).members:
        refuse(f"{wounded} is not in this unit", rule=WOUNDS)
    if scene[wounded].wound == HEALTHY:
        refuse(f"{wounded} is not wounded", rule=WOUNDS)


def own_idle(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(Who(name, Hero) for name in scene[SKIRMISH].unit_of(who.name).idle)


def check_idle(scene: Scene, who: Person, by: Person) -> None:
    """Only one who was not coordinated in the round before."""
    if by.name not in scene[SKIRMISH].unit_of(who.name).idle:
        idle = scene[SKIRMISH].unit_of(who.name).idle
        refuse(f"{by} was coordinated in the round before, or is not in the unit", rule=WOUNDS, legal=idle)
    check_able(scene, by)


@action("replace-member", WOUNDS, turn=check_command_phase)
async def replace_member(
    scene: Scene,
    who: Person,
    wounded: Annotated[Person, Pick(own_wounded, check_own_wounded)],
    by: Annotated[Person, Pick(own_idle, check_idle)],
) -> None:
    """A wounded member stands back, and does not lower the average; another takes the place."""
    await alter(SKIRMISH, UnitSkirmish.replacing, wounded.name, by.name)


# --- initiative -------------------------------------------------------------------------------------------------------


@rule(LEADING, "d6.skills.strategy-tactics")
async def order_of_units(scene: Scene) -> None:
    """Each leader rolls Perception, or Strategy & Tactics, which is then one of his actions."""
    totals, tactics = dict[str, int](), set[str]()
    for unit in scene[SKIRMISH].units:
        who = Who(unit.leader, Hero)
        if not scene[SKIRMISH].is_able(scene, unit.leader):
            continue
        using = await choose(who, LEADS_BY, (scene[ABILITY], *strategies(scene, who)), default=scene[ABILITY])
        if using != scene[ABILITY]:
            tactics.add(who.name)
        totals[who.name] = await unit_initiative(who, using)
    names = sorted(totals, key=lambda name: (-totals[name], *tie_of(scene, name)))
    await alter(SKIRMISH, UnitSkirmish.ranked, tuple(names), frozenset(tactics))
    if not scene[SKIRMISH].waiting(scene):
        await alter(SKIRMISH, UnitSkirmish.resolving)


def strategies(scene: Scene, who: Person) -> tuple[str, ...]:
    """Strategy & Tactics, and one's fields of it."""
    fields = (each for each in scene[who].specializations if each.partition("::")[0] == scene[STRATEGY])
    return (scene[STRATEGY], *fields)


def tie_of(scene: Scene, name: str) -> tuple[int, bool]:
    """Among equals the higher Perception, then players."""
    who = Who(name, Hero)
    return -own_code(scene, who, scene[ABILITY]).in_pips(scene[PIPS_PER_DIE]), not scene[who].player


@rule("d6.skills.strategy-tactics/initiative", LEADING, "d6.skills.strategy-tactics")
async def unit_initiative(scene: Scene, who: Person, using: str) -> int:
    """A leader's initiative for the whole unit: rolled, or the code itself, as the campaign has it."""
    if scene[METHOD] is InitiativeMethod.FIXED:
        code = working_code(scene, who, using, *INITIATIVE_TAGS)
        return code.in_pips(scene[PIPS_PER_DIE])
    return (await roll_for(who, using, (), INITIATIVE_TAGS, prompt=INITIATIVE)).total


# --- declaring --------------------------------------------------------------------------------------------------------


def check_declaring(scene: Scene, who: Person) -> None:
    """From the lowest initiative to the highest, once."""
    check_leader(scene, who)
    check_phase(scene, SkirmishPhase.DECLARE, DECLARED)
    fight = scene[SKIRMISH]
    if not fight.unit_of(who.name).coordinated:
        refuse("nobody of the unit is coordinated", rule=COMMANDED)
    waiting = fight.waiting(scene)
    if who not in waiting:
        refuse("actions are declared once", rule=DECLARED)
    if waiting[0] != who:
        refuse(f"{waiting[0]} declares first: the lowest initiative begins", rule=DECLARED, legal=(waiting[0].name,))


def check_number(scene: Scene, who: Person, actions: int) -> None:
    if actions < 1:
        refuse("a unit declares one action or more", rule=DECLARED)


def usual_reactions(scene: Scene, who: Person, actions: int) -> tuple[int, ...]:
    return tuple(range(actions + 1))


def check_reactions(scene: Scene, who: Person, reactions: int, actions: int) -> None:
    if not 0 <= reactions <= actions:
        refuse(f"of {actions} actions at most {actions} are kept for reactions", rule=DECLARED)


UnitActions: TypeAlias = Annotated[int, Pick(lambda scene, who: (1, 2, 3), check_number)]
PlannedReactions: TypeAlias = Annotated[int, Pick(usual_reactions, check_reactions)]


@action("declare-unit", DECLARED, turn=check_declaring)
async def declare_unit(scene: Scene, who: Person, actions: UnitActions, reactions: PlannedReactions = 0) -> None:
    """Declare one action or more for one's unit, and how many of them are kept for reactions."""
    await alter(SKIRMISH, UnitSkirmish.declaring, who.name, actions, reactions)
    if not scene[SKIRMISH].waiting(scene):
        await alter(SKIRMISH, UnitSkirmish.resolving)


@rule("d6.skirmish.declare-actions/ask", DECLARED)
async def declare_for_unit(scene: Scene, who: Person) -> None:
    """A leader says how many actions the unit takes."""
    chosen = await choose(who, UNIT_ACTIONS, legal_choices((action_of(declare_unit),), scene, who))
    await chosen.call


# --- the end of a round -----------------------------------------------------------------------------------------------


@rule("d6.skirmish.unit/round-end", UNIT)
async def end_skirmish_round(scene: Scene, me: Who[UnitSkirmish]) -> None:
    """Stuns and mortal wounds go on; where a leader has fallen, the next of the unit leads."""
    await moment(ROUND_END)
    for who in living(scene):
        await end_of_round(who)
    for unit in scene[SKIRMISH].units:
        if not scene[SKIRMISH].is_able(scene, unit.leader):
            for next_leader in scene[SKIRMISH].team(scene, unit)[:1]:
                await alter(SKIRMISH, UnitSkirmish.led_by, unit.leader, next_leader.name)
                await tell("leads-on", who=next_leader)
    await alter(SKIRMISH, UnitSkirmish.round_over)
    await advance_clock(1, me)
