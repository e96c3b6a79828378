"""Chases: intervals in which both sides flip, obstacles, the leg up, and giving the slip."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field, replace
from enum import Enum
from functools import partial
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    YES_NO,
    Bands,
    Call,
    Card,
    Levels,
    Mod,
    Mods,
    Open,
    Pick,
    Prompt,
    Refused,
    Scene,
    Who,
    action,
    adds,
    advance_clock,
    alter,
    applying,
    change,
    choose,
    draw,
    figure,
    formula,
    frozen,
    hand_over,
    offer,
    option,
    refuse,
    rows,
    rule,
    settled,
    suggest,
    tell,
)
from referee.core.effects import Forbids
from referee.core.errors import BadInput
from referee.core.plain import unknown
from referee.core.questions import Barred
from referee.kits.card_hands import Owner, reshuffle_if_empty
from referee.kits.chases import (
    ADVANCED,
    CAUGHT,
    ESCAPED,
    QUARRY,
    Advance,
    ChaseBand,
    Mover,
    Pursuit,
    RoadAhead,
)
from referee.systems.dime.attacks import STRUCK, TurnedAttack, take_effect, turn_attack
from referee.systems.dime.consequences import check_approach
from referee.systems.dime.deck import MASTER
from referee.systems.dime.flip import (
    FLIPPED,
    Counted,
    Flip,
    Stat,
    check_can_act,
    flip,
    flip_total,
    opposed_flip,
    skill_names,
    spelled_out,
)
from referee.systems.dime.hits import AttackManner
from referee.systems.dime.quick_combat import SKILL, STAT
from referee.systems.dime.sheet import (
    STAT_NAMES,
    SUIT_ORDER,
    Adventurer,
    Person,
    check_skill,
    every_stat,
    learned_skills,
    living,
)
from referee.systems.dime.time import minutes as in_rounds
from referee.systems.dime.weapons import pick_weapon, spend_shots

INTERVALS: Final = figure("dime.chase.procedure", "intervals", Levels)
TRICK: Final = figure("dime.chase.leg-up", "effect_next_interval", int)
SLIP_FLIPS: Final = figure("dime.chase.giving-the-slip", "flip", str)
RANKS: Final = figure("dime.chase.obstacles", "ranks", Levels)
WITH_OBSTACLES: Final = option("dime.chase.obstacles")

PURSUERS: Final = "pursuers"
SIDES: Final = (QUARRY, PURSUERS)
LEADS: Final = (
    ChaseBand("ahead of them", -1),
    ChaseBand("level", 0),
    ChaseBand("1 or 2 behind", 2),
    ChaseBand("3 to 5", 5),
    ChaseBand("6 or more"),
)
"""How the board shows the difference of the tallies."""

OBSTACLE: Final = Prompt("obstacle")
RUNNER: Final = Prompt("runner")
LEG_UP: Final = Prompt("leg-up")
OPENING: Final = Prompt("opening")
TARGET: Final = Prompt("target")

GONE: Final = "gone"
CHASED: Final = "still-chased"
WORKS: Final = "works"
WITHOUT_EFFECT: Final = "without-effect"
HINDER: Final = "hinder"
HELP: Final = "help"
SLIP: Final = "slip"
NOTHING: Final = "nothing"

AT_ONCE: Final = AttackManner(reactions=False)
"""A free attack: nobody holds AP for a reaction in a chase."""


@frozen
class ObstacleRow:
    """What a card of the game master's brings to an interval."""

    name: str
    says: str
    chase_penalty: int = 0
    """For the side with the lower total of a fitting flip, on its flip of this interval."""
    subtracts_mag: bool = False
    """Whether a side that fails a fitting flip loses the Mag from its tally."""
    slip: int = 0
    """On giving the slip."""
    trick: int = 0
    """On something tricky."""
    attack: bool = False
    """Whether the side that is ahead may attack."""


OBSTACLES: Final = rows("dime.chase.obstacles", "table", ObstacleRow, by=("from", "to"))


class ChasePhase(Enum):
    """What comes next in an interval."""

    NEXT = "next interval"
    FLIPS = "flips"
    LEG_UP = "leg up"


@frozen
class Chase(Pursuit):
    """A chase: who runs from whom, by what, and how far ahead each side is. A side runs as one."""

    intervals: Open[int] = 3
    interval: Open[int] = 0
    """How many have been played."""
    minutes: Open[int] = 1
    """How long an interval takes."""
    stat: Open[Annotated[str, STAT_NAMES]] = "Speed"
    skill: Open[str] = "athletics"
    their_stat: Open[Annotated[str, STAT_NAMES]] = "Speed"
    """What the pursuers flip."""
    their_skill: Open[str] = "athletics"
    phase: Open[ChasePhase] = ChasePhase.NEXT
    tallies: Open[Levels] = field(default_factory=Levels)
    """The accumulated total of each side."""
    obstacle: Open[str] = ""
    """The obstacle of this interval."""
    blocked: Open[Levels] = field(default_factory=Levels)
    """What an obstacle takes off a side's flip of this interval."""
    helped: Open[Levels] = field(default_factory=Levels)
    """What a side's own trick adds to its next flip."""
    hindered: Open[Levels] = field(default_factory=Levels)
    """What the other side's trick takes off its next flip."""
    leg_up: Open[frozenset[str]] = frozenset()
    """The people of the side, or of both sides, with a leg up."""
    slipped: Open[bool] = False
    """Whether the quarry has given them the slip."""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.phase is ChasePhase.LEG_UP:
            return use_leg_up(me)
        if self.phase is ChasePhase.NEXT and scene[WITH_OBSTACLES]:
            return meet_obstacle(me)
        return run_interval(me)

    def check(self, scene: Scene) -> None:
        """Figures of a side are kept by its name, not by those of its people."""
        for name in ("tallies", "blocked", "helped", "hindered"):
            for side in getattr(self, name):
                if side not in SIDES:
                    raise BadInput(f"{name}.{side}", unknown(side, SIDES))

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """The quarry has slipped away, or somebody is ahead after the last interval, or a side has nobody left."""
        how = "slipped" if self.slipped else Pursuit.over(self, scene, me)
        if how is not None or self.phase is not ChasePhase.NEXT or self.interval < self.intervals or self.lead == 0:
            return how
        return ESCAPED if self.lead > 0 else CAUGHT

    # --- the road -----------------------------------------------------------------------------------------------------

    def bands(self, scene: Scene) -> tuple[ChaseBand, ...]:
        return LEADS

    def lies_ahead(self, scene: Scene) -> tuple[RoadAhead, ...]:
        return (RoadAhead(self.obstacle, scene[OBSTACLES][self.obstacle].says),) if self.obstacle else ()

    @property
    def all_movers(self) -> tuple[Mover, ...]:
        """Each side runs together, as far as its tally."""
        sides = zip(SIDES, self.sides, strict=False)  # an edited one may lack a side
        return tuple(Mover(each[0], "", each[1:], self.tally(side)) for side, each in sides if each)

    def runs(self, scene: Scene, mover: Mover) -> bool:
        """A side runs as long as one of them can."""
        return any(self.is_able(scene, name) for name in mover.people)

    def is_able(self, scene: Scene, who: str) -> bool:
        return who not in self.gone and (runner := Who(who, Adventurer)) in scene and can_run(scene, self, runner)

    @property
    def lead(self) -> int:
        """How far the quarry is ahead; below 0, how far behind."""
        return self.tally(QUARRY) - self.tally(PURSUERS)

    def tally(self, side: str) -> int:
        return self.tallies.get(side, 0)

    def people(self, side: str) -> tuple[str, ...]:
        return self.sides[SIDES.index(side)]

    def has_leg_up(self, side: str) -> bool:
        return any(name in self.leg_up and name not in self.gone for name in self.people(side))

    def flips(self, side: str) -> tuple[str, str]:
        """The stat and the skill of a side."""
        return (self.stat, self.skill) if side == QUARRY else (self.their_stat, self.their_skill)

    # --- what happens -------------------------------------------------------------------------------------------------

    def joined_by(self, who: str, side: int) -> Chase:
        """Whoever changes sides takes no leg up along."""
        return super(Chase, replace(self, leg_up=self.leg_up - {who})).joined_by(who, side)

    def facing(self, obstacle: str) -> Chase:
        return replace(self, obstacle=obstacle, phase=ChasePhase.FLIPS)

    def blocking(self, side: str, penalty: int) -> Chase:
        return replace(self, blocked=self.blocked.but(**{side: penalty}))

    def adding(self, side: str, points: int) -> Chase:
        return replace(self, tallies=self.tallies.but(**{side: self.tally(side) + points}))

    def ran(self, sides: tuple[str, ...]) -> Chase:
        """Both sides have flipped: what was for these flips is used up, and some sides have a leg up."""
        none, ahead = Levels(), frozenset(name for side in sides for name in self.people(side))
        return replace(self, blocked=none, helped=none, hindered=none, leg_up=ahead, phase=ChasePhase.LEG_UP)

    def tricking(self, side: str, how: str, amount: int) -> Chase:
        """A trick succeeded, for the next interval."""
        if how == HELP:
            return replace(self, helped=self.helped.but(**{side: amount}))
        return replace(self, hindered=self.hindered.but(**{other_side(side): -amount}))

    def slipping(self) -> Chase:
        return replace(self, slipped=True)

    def end_of_interval(self) -> Chase:
        return replace(self, interval=self.interval + 1, obstacle="", leg_up=frozenset(), phase=ChasePhase.NEXT)


CHASE: Final = Who("chase", Chase)


def other_side(side: str) -> str:
    return PURSUERS if side == QUARRY else QUARRY


def able(scene: Scene, chase: Chase, side: str) -> tuple[Person, ...]:
    """Those of a side who can flip for it."""
    return tuple(Who(name, Adventurer) for name in chase.people(side) if chase.is_able(scene, name))


def can_run(scene: Scene, chase: Chase, who: Person) -> bool:
    """Awake, not stunned, and no pursuer of somebody they fear."""
    if scene[who].dead or scene[who].unconscious or is_forbidden(scene, who, "act"):
        return False
    feared = chase.people(QUARRY) if who.name in chase.people(PURSUERS) else ()
    return not any(is_forbidden(scene, who, "approach", f"at {name}") for name in feared)


def is_forbidden(scene: Scene, who: Person, what: str, *tags: str) -> bool:
    return any(active.effect.does == Forbids(what) for active in applying(scene, who, *tags).active)


# --- who runs, and what they flip -------------------------------------------------------------------------------------


@rule("dime.chase.procedure/runner")
async def pick_runner(scene: Scene, me: Who[Chase], side: str) -> Person:
    """One of a side flips for it; the first named who can says who."""
    people = able(scene, scene[me], side)
    return await choose(people[0], RUNNER, people, default=people[0])


@rule("dime.chase.procedure/fitting", bands=FLIPPED)
async def fitting_flip(scene: Scene, who: Person, mods: Mods = ()) -> Flip:
    """A stat and perhaps a skill that fit what somebody does, against the usual TN."""
    stat = await choose(who, STAT, every_stat(scene, who))
    skill = await offer(who, SKILL, (each for each in learned_skills(scene, who) if each))
    return await flip(who, stat, skill or "", mods=mods)


@formula("dime.chase.procedure/mods")
def interval_mods(scene: Scene, me: Who[Chase], side: str) -> Mods:
    """What obstacles and tricks do to a side's flip of this interval."""
    chase = scene[me]
    found = (
        Mod(chase.blocked.get(side, 0), chase.obstacle, "dime.chase.obstacles"),
        Mod(chase.helped.get(side, 0), "own trick", "dime.chase.leg-up"),
        Mod(chase.hindered.get(side, 0), "their trick", "dime.chase.leg-up"),
    )
    return tuple(mod for mod in found if mod.amount)


@rule("dime.chase.procedure/flip")
async def flip_interval(scene: Scene, me: Who[Chase], side: str) -> Counted:
    """One of a side flips its stat and skill; the total is added to its tally."""
    stat, skill = scene[me].flips(side)
    who = await pick_runner(me, side)
    reached = await flip_total(who, stat, skill, interval_mods(scene, me, side), suited=True)
    await alter(me, Chase.adding, side, reached.value)
    return reached


@rule("dime.chase.procedure", bands=ADVANCED)
async def run_interval(scene: Scene, me: Who[Chase]) -> Advance:
    """Both sides flip and add the total to their tally, the quarry first."""
    quarry = await flip_interval(me, QUARRY)
    pursuers = await flip_interval(me, PURSUERS)
    advance = Advance(quarry.value - pursuers.value, scene[me].people(QUARRY))
    return await settled(advance, then=give_leg_up(me, leg_up(scene, quarry, pursuers)))


@rule("dime.chase.procedure/leg-up")
async def give_leg_up(scene: Scene, me: Who[Chase], sides: tuple[str, ...]) -> None:
    """The interval has been run: some sides have a leg up."""
    await alter(me, Chase.ran, sides)
    now = scene[me]
    await tell("interval", number=now.interval + 1, quarry=now.tally(QUARRY), pursuers=now.tally(PURSUERS))


# --- the leg up -------------------------------------------------------------------------------------------------------


@formula("dime.chase.leg-up")
def leg_up(scene: Scene, quarry: Counted, pursuers: Counted) -> tuple[str, ...]:
    """The side with the highest suit, or both; a side with a Joker never."""
    order = scene[SUIT_ORDER]
    suits = {QUARRY: quarry.suit, PURSUERS: pursuers.suit}
    ranks = {side: order.index(suit) for side, suit in suits.items() if suit is not None}
    return tuple(side for side, rank in ranks.items() if rank == max(ranks.values()))


@rule("dime.chase.leg-up/interval")
async def use_leg_up(scene: Scene, me: Who[Chase]) -> None:
    """Whoever has a leg up may try something, the quarry first; then the interval is over."""
    for side in SIDES:
        if scene[me].has_leg_up(side) and not scene[me].slipped:
            _ = await try_something(me, side)
    await alter(me, Chase.end_of_interval)
    await advance_clock(in_rounds(scene, scene[me].minutes), me)


USED: Final[Bands[str]] = Bands(of=str, keys=(GONE, WORKS, WITHOUT_EFFECT, CHASED), good=(GONE, WORKS))


@rule("dime.chase.leg-up/choice", bands=USED)
async def try_something(scene: Scene, me: Who[Chase], side: str) -> str:
    """Something tricky to hinder the others or to help oneself; a quarry may try to give the slip instead."""
    why = Refused(SLIP, because="only the quarry gives the slip", rule="dime.chase.giving-the-slip")
    barred = () if side == QUARRY else (Barred(SLIP, why),)
    ways = (HINDER, HELP, *(() if barred else (SLIP,)), NOTHING)
    how = await choose(able(scene, scene[me], side)[0], LEG_UP, ways, barred=barred)
    if how == NOTHING:
        return WITHOUT_EFFECT
    return await hand_over(give_the_slip(me) if how == SLIP else play_trick(me, side, how), partial(came_of, how))


def came_of(how: str, flipped: Flip) -> str:
    if how == SLIP:
        return GONE if flipped.success else CHASED
    return WORKS if flipped.success else WITHOUT_EFFECT


@rule("dime.chase.leg-up/trick", bands=FLIPPED)
async def play_trick(scene: Scene, me: Who[Chase], side: str, how: str) -> Flip:
    """A fitting flip; on a success -2 for the others or +2 for the own side in the next interval."""
    flipped = await fitting_flip(await pick_runner(me, side), obstacle_mods(scene, me, "trick"))
    if flipped.success:
        await alter(me, Chase.tricking, side, how, scene[TRICK])
    return flipped


def obstacle_mods(scene: Scene, me: Who[Chase], on: str) -> Mods:
    """What the obstacle of this interval adds to a trick or to giving the slip."""
    met = scene[me].obstacle
    if not met:
        return ()
    amount = scene[OBSTACLES][met].trick if on == "trick" else scene[OBSTACLES][met].slip
    return (Mod(amount, met, "dime.chase.obstacles"),) if amount else ()


@rule("dime.chase.giving-the-slip", bands=FLIPPED)
async def give_the_slip(scene: Scene, me: Who[Chase]) -> Flip:
    """Dex/stealth against Per/awareness, and the difference of the tallies; on a success the quarry is gone."""
    mine, theirs = (spelled_out(scene, each) for each in scene[SLIP_FLIPS].split(" vs. "))
    who, other = await pick_runner(me, QUARRY), await pick_runner(me, PURSUERS)
    lead = scene[me].lead
    mods = ((adds(lead, "difference of the tallies"),) if lead else ()) + obstacle_mods(scene, me, "slip")
    flipped = await opposed_flip(who, mine, other, theirs, mods)
    if flipped.success:
        await alter(me, Chase.slipping)
    return flipped


# --- obstacles --------------------------------------------------------------------------------------------------------


@rule("dime.chase.obstacles")
async def meet_obstacle(scene: Scene, me: Who[Chase]) -> None:
    """The game master turns one card, and the row of its rank counts for this interval."""
    await reshuffle_if_empty(scene, Owner(MASTER))
    card = await draw(OBSTACLE, Owner(MASTER).deck, Owner(MASTER).discards)
    row = scene[OBSTACLES].at(rank_of(scene, card))
    await alter(me, Chase.facing, row.name)
    await tell("obstacle", name=row.name, says=row.says)
    if row.chase_penalty or row.subtracts_mag:
        await get_past(me, row)
    if row.attack:
        await use_opening(me)


@formula("dime.chase.obstacles/rank")
def rank_of(scene: Scene, card: Card) -> int:
    """One card is read by its rank alone: an Ace is 1, a Jack 11, a Queen 12, a King 13, a Joker 14."""
    return scene[RANKS][card.rank] if card.rank in scene[RANKS] else int(card.rank)


@rule("dime.chase.obstacles/flips")
async def get_past(scene: Scene, me: Who[Chase], row: ObstacleRow) -> None:
    """Each side makes a fitting flip: the lower total is penalised, or whoever fails loses the Mag."""
    flipped: dict[str, Flip] = {}
    for side in SIDES:
        flipped[side] = await fitting_flip(await pick_runner(me, side))
    for side in SIDES:
        if row.subtracts_mag and not flipped[side].success:
            await alter(me, Chase.adding, side, -flipped[side].mag)
        if row.chase_penalty and flipped[side].total < flipped[other_side(side)].total:
            await alter(me, Chase.blocking, side, row.chase_penalty)


@rule("dime.chase.obstacles/attack")
async def use_opening(scene: Scene, me: Who[Chase]) -> None:
    """The side that is ahead may attack the other at once; if tied both may, and no shot waits for the other."""
    lead = scene[me].lead
    fired = list[TurnedAttack]()
    for side in SIDES if lead == 0 else (QUARRY,) if lead > 0 else (PURSUERS,):
        if (shot := await shoot_across(me, side)) is not None:
            fired.append(shot)
    for shot in fired:
        await spend_shots(shot.who, shot.weapon)
        await take_effect(shot.who, shot.target, shot.weapon, shot.strike, AT_ONCE)


@rule(
    "dime.chase.obstacles/shot",
    "dime.chase.obstacles",
    bands=Bands(of=lambda shot: "miss" if shot is None else STRUCK.of(shot.strike), keys=STRUCK.keys, good=STRUCK.good),
)
async def shoot_across(scene: Scene, me: Who[Chase], side: str) -> TurnedAttack | None:
    """One of a side attacks somebody of the other, if they want to."""
    if not await choose(able(scene, scene[me], side)[0], OPENING, YES_NO):
        return None
    who = await pick_runner(me, side)
    target = await choose(who, TARGET, targets(scene, me, side))
    weapon = await pick_weapon(who, target)
    return TurnedAttack(who, target, weapon, await turn_attack(who, target, weapon, AT_ONCE), AT_ONCE)


def targets(scene: Scene, me: Who[Chase], side: str) -> tuple[Person, ...]:
    """Everyone of the other side who is still in the chase."""
    return able(scene, scene[me], other_side(side))


# --- beginning --------------------------------------------------------------------------------------------------------


def lengths(scene: Scene, _: None) -> tuple[str, ...]:
    return tuple(scene[INTERVALS])


def check_sides(scene: Scene, _: None, quarry: tuple[Person, ...], pursuers: tuple[Person, ...]) -> None:
    """Somebody on each side, nobody on both, and one chase at a time."""
    if CHASE in scene:
        refuse("a chase goes on already")
    if not quarry or not pursuers:
        refuse("somebody must run, and somebody must pursue")
    if set(quarry) & set(pursuers):
        refuse("nobody runs on two sides")
    for each in (*quarry, *pursuers):
        check_can_act(scene, each)
    for each in pursuers:
        for other in quarry:
            check_approach(scene, each, other)


Runners: TypeAlias = tuple[Annotated[Person, Pick(living)], ...]
Length: TypeAlias = Annotated[str, Pick(lengths)]
AnySkill: TypeAlias = Annotated[
    str,
    Pick(lambda scene, who: ("athletics", "animals", "vehicles (carriages)"), check_skill, also=skill_names),
]
Minutes: TypeAlias = Annotated[int, suggest(1, 5, 10, 60)]


@action("begin-chase", "dime.chase.procedure/begin", master=True, check=check_sides)
async def begin_chase(
    scene: Scene,
    quarry: Runners,
    pursuers: Runners,
    length: Length,
    stat: Stat = "Speed",
    skill: AnySkill = "athletics",
    their_stat: Stat = "Speed",
    their_skill: AnySkill = "athletics",
    minutes: Minutes = 1,
) -> None:
    """The game master says who runs from whom, over how many intervals, and by which stats and skills."""
    sides = (tuple(each.name for each in quarry), tuple(each.name for each in pursuers))
    number = scene[INTERVALS][length]
    run = Chase(sides, intervals=number, minutes=minutes, stat=stat, skill=skill)
    await change(CHASE, replace(run, their_stat=their_stat, their_skill=their_skill))
