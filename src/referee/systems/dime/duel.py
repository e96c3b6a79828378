"""Duels: challenge and antes, the face-off, the opening shots, and who takes the antes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from enum import Enum
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from referee.core import (
    YES_NO,
    Audience,
    Bands,
    Call,
    Card,
    Encounter,
    Facing,
    Levels,
    Open,
    Pick,
    Pile,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    applying,
    change,
    choose,
    figure,
    frozen,
    move,
    pile_of,
    refuse,
    rule,
    rule_on,
    settled,
    suggest,
    tell,
    together,
)
from referee.core.effects import Forbids
from referee.core.questions import Choose
from referee.kits.zones import Border, Zone, ZoneMap, ZonePlace
from referee.systems.dime.action_points import START_AP
from referee.systems.dime.attacks import TurnedAttack, take_effect, turn_attack
from referee.systems.dime.consequences import check_approach
from referee.systems.dime.deck import ANTE, discard, owner
from referee.systems.dime.fight import FIGHT, ZoneFight
from referee.systems.dime.flip import Flip, check_can_act, flip, spelled_out
from referee.systems.dime.hits import AttackManner
from referee.systems.dime.moxie import check_moxie
from referee.systems.dime.sheet import Adventurer, Person, others, willpower
from referee.systems.dime.weapons import pick_weapon, reach, ready_weapons, spend_shots, weapon_of

ANTE_EACH: Final = figure("dime.duel.challenge", "ante_each", int)
TACTICS: Final = figure("dime.duel.face-off", "tactics", tuple[str, ...])
DAMAGE_TIMES: Final = figure("dime.duel.face-off", "damage_times", int)
CHOICES: Final = figure("dime.duel.opening-shots", "choices", tuple[str, ...])
SPEED_STAT: Final = figure("dime.duel.opening-shots", "speed_attack_stat", str)

ACCEPT: Final = Prompt("accept")
STAKE: Final = Prompt("ante")
TACTIC: Final = Prompt("tactic")
PACE: Final = Prompt("pace")
WON_BY: Final = Prompt("won-by")

FARTHEST: Final = 20
"""How many zones may lie between duelists: whoever edits a duel may write any number."""
NOBODY: Final = "nobody"


class DuelPhase(Enum):
    """What comes next in a duel."""

    FACE_OFF = "face-off"
    OPENING = "opening shots"
    FOLLOW_UP = "follow-up"
    OVER = "over"


@frozen
class Duel(Encounter):
    """A duel between two people, whose antes lie set aside. The fight that follows stands inside it."""

    timeless: ClassVar = True
    """Its fight has the time that passes."""

    sides: Open[tuple[tuple[str, ...], ...]]
    """The challenger, and whoever was challenged."""
    phase: Open[DuelPhase] = DuelPhase.FACE_OFF
    doubled: Open[frozenset[str]] = frozenset()
    """Those whose damage in the opening shots is doubled."""
    zones_apart: Open[int] = 0
    """How many zones apart they stand."""
    quicker: Open[str] = ""
    """Whose opening shot came first; they begin the fight that follows."""
    winner: Open[str] = ""
    within: Open[str] = ""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.phase is DuelPhase.FACE_OFF:
            return face_off(me)
        return opening_shots(me) if self.phase is DuelPhase.OPENING else follow_up(me)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return self.winner if self.phase is DuelPhase.OVER else None

    def parties(self) -> tuple[tuple[str, ...], ...]:
        return self.sides

    def out(self, scene: Scene) -> frozenset[str]:
        """Whoever has fallen."""
        fallen = (each for each in self.duelists if each not in scene or scene[each].dead or scene[each].unconscious)
        return frozenset(each.name for each in fallen)

    @property
    def duelists(self) -> tuple[Person, Person]:
        """The challenger, and whoever was challenged."""
        (one,), (other,) = self.sides
        return Who(one, Adventurer), Who(other, Adventurer)

    def facing(self, doubled: frozenset[str]) -> Duel:
        return replace(self, doubled=doubled, phase=DuelPhase.OPENING)

    def fired(self, quicker: str) -> Duel:
        return replace(self, quicker=quicker, phase=DuelPhase.FOLLOW_UP)

    def won(self, winner: str) -> Duel:
        return replace(self, winner=winner, phase=DuelPhase.OVER)


DUEL: Final = Who("duel", Duel)


# --- the challenge ----------------------------------------------------------------------------------------------------


def check_ante(scene: Scene, who: Person) -> None:
    """Without Moxie there is no duel."""
    check_moxie(scene, who, scene[ANTE_EACH])


def check_no_duel(scene: Scene, who: Person) -> None:
    if DUEL in scene or FIGHT in scene:
        refuse("a fight goes on already")


def check_distance(scene: Scene, who: Person, other: Person, zones_apart: int = 0) -> None:
    """Each has something ready that reaches the other."""
    for one, target in ((who, other), (other, who)):
        ready = (weapon_of(scene, one, each) for each in ready_weapons(scene, one, target))
        if zones_apart < 0 or not any(reach(scene, item) >= zones_apart for item in ready):
            refuse(f"{one} has nothing ready that reaches so far", rule="dime.attack.range")


def check_opponent(scene: Scene, who: Person, other: Person) -> None:
    """Somebody who can fight and has Moxie too, and whom the challenger does not fear."""
    if who == other:
        refuse("nobody duels with themselves")
    check_can_act(scene, other)
    check_ante(scene, other)
    check_approach(scene, who, other)


Apart: TypeAlias = Annotated[int, suggest(0, 1, 2)]
Opponent: TypeAlias = Annotated[Person, Pick(others, check_opponent)]


@action(
    "challenge",
    "dime.duel.challenge",
    turn=check_can_act,
    check=(check_no_duel, check_ante, check_distance),
)
async def challenge(scene: Scene, who: Person, other: Opponent, zones_apart: Apart = 0) -> bool:
    """Somebody is challenged to a duel; if they accept, both ante a card from hand."""
    if not await choose(other, ACCEPT, YES_NO):
        return False
    for _ in range(scene[ANTE_EACH]):
        await ante(who, other)
    await change(DUEL, Duel(((who.name,), (other.name,)), zones_apart=zones_apart))
    return True


@rule("dime.duel.challenge/ante")
async def ante(scene: Scene, who: Person, other: Person) -> None:
    """Both set a card aside at once, face down."""
    mine, theirs = await together(stake_of(scene, who), stake_of(scene, other))
    await set_aside(who, mine)
    await set_aside(other, theirs)


def stake_of(scene: Scene, who: Person) -> Choose[Card]:
    """Which card of the hand is anted; nobody else learns it."""
    cards = scene[owner(scene, who).hand].cards
    return choose(who, STAKE, cards, audience=Audience.OWNER, options_for=Audience.OWNER)


@rule("dime.duel.challenge/set-aside")
async def set_aside(scene: Scene, who: Person, card: Card) -> None:
    """The card lies face down; its owner remembers which it is."""
    pile = pile_of(who, ANTE)
    if pile not in scene:
        await change(pile, Pile(facing=Facing.HAND, owner=who.name))
    await move(card, owner(scene, who).hand, pile)


# --- the face-off -----------------------------------------------------------------------------------------------------


STARED_DOWN: Final[Bands[frozenset[str]]] = Bands(
    of=lambda doubled, who: "stares-down" if who in doubled else "no-effect",
    keys=("stares-down", "no-effect"),
    each=True,
)


@rule("dime.duel.face-off", bands=STARED_DOWN)
async def face_off(scene: Scene, me: Who[Duel]) -> frozenset[str]:
    """Each picks a tactic and flips against the other's Willpower; on a success the opening shot does double damage."""
    one, other = scene[me].duelists
    first, second = await together(choose(one, TACTIC, scene[TACTICS]), choose(other, TACTIC, scene[TACTICS]))
    doubled = frozenset[str]()
    for who, against, tactic in ((one, other, first), (other, one, second)):
        if (await stare_down(who, against, tactic)).success:
            doubled |= {who.name}
            await tell("stared-down", who=who, other=against)
    await alter(me, Duel.facing, doubled)
    return doubled


@rule("dime.duel.face-off/flip")
async def stare_down(scene: Scene, who: Person, other: Person, tactic: str) -> Flip:
    """One tactic against the other's Willpower."""
    asked = spelled_out(scene, tactic)
    return await flip(who, asked.stat, asked.skill, willpower(scene, other), at=other)


# --- the opening shots ------------------------------------------------------------------------------------------------


def _shots_band(hit: tuple[str, ...], who: str) -> str:
    if len(hit) != 1:
        return "both-hit" if hit else "nobody-hit"
    return "is-hit" if who in hit else "hits-unscathed"


SHOTS: Final[Bands[tuple[str, ...]]] = Bands(
    of=_shots_band, keys=("hits-unscathed", "both-hit", "nobody-hit", "is-hit"), each=True
)
"""Who is hit by the opening shots: they rarely fell anybody, but they weigh on the fight that follows."""


@rule("dime.duel.opening-shots", bands=SHOTS)
async def opening_shots(scene: Scene, me: Who[Duel]) -> tuple[str, ...]:
    """Both choose speed or safety in secret and show it together; speed comes first, safety may react."""
    one, other = scene[me].duelists
    speed, safety = scene[CHOICES]
    first, second = await together(choose(one, PACE, (speed, safety)), choose(other, PACE, (speed, safety)))
    await take_positions(me)
    if first != second:
        hit = await quick_and_safe(me, *((one, other) if first == speed else (other, one)))
    else:
        hit = await both_alike(me, first == speed)
    return await settled(hit, then=fight_on(me))


@rule("dime.duel.opening-shots/positions", "dime.combat.ap")
async def take_positions(scene: Scene, me: Who[Duel]) -> None:
    """The duelists stand as far apart as agreed, with the usual AP for reactions."""
    duel = scene[me]
    if duel.zones_apart > FARTHEST:
        refuse(f"{duel.zones_apart} zones lie between them", legal=(f"up to {FARTHEST}",))
    ap = Levels({who.name: scene[START_AP] for who in duel.duelists})
    await change(FIGHT, ZoneFight(duel.sides, left=ap, within=me.name, zones=ground(duel)))


def ground(duel: Duel) -> ZoneMap:
    """A row of zones, with a duelist at each end; or a single place."""
    if not duel.zones_apart:
        return ZoneMap()
    names = ("near end", *(f"middle {number}" for number in range(1, duel.zones_apart)), "far end")
    borders = tuple(Border(here, there) for here, there in pairwise(names))
    places = tuple(ZonePlace(who.name, zone) for who, zone in zip(duel.duelists, (names[0], names[-1]), strict=True))
    return ZoneMap(tuple(map(Zone, names)), borders, places)


@rule("dime.duel.opening-shots/turn", "dime.duel.face-off")
async def turn_shot(
    scene: Scene, me: Who[Duel], who: Person, target: Person, speedy: bool, reactions: bool
) -> TurnedAttack:
    """Speed instead of Dexterity for the speedy; damage doubled for whoever won the face-off."""
    weapon = await pick_weapon(who, target)
    times = scene[DAMAGE_TIMES] if who.name in scene[me].doubled else 1
    manner = AttackManner(stat=scene[SPEED_STAT] if speedy else "", times=times, reactions=reactions)
    return TurnedAttack(who, target, weapon, await turn_attack(who, target, weapon, manner), manner)


@rule("dime.duel.opening-shots/fire")
async def fire(scene: Scene, shot: TurnedAttack) -> tuple[str, ...]:
    """A shot is fired, and takes effect. Returns who is hit."""
    await spend_shots(shot.who, shot.weapon)
    await take_effect(shot.who, shot.target, shot.weapon, shot.strike, shot.manner)
    return (shot.target.name,) if shot.strike.hit else ()


@rule("dime.duel.opening-shots/mixed")
async def quick_and_safe(scene: Scene, me: Who[Duel], quick: Person, safe: Person) -> tuple[str, ...]:
    """The quick shot is over before the safe one is fired, if it still is; only the safe may react. Who is hit."""
    hit = await fire(await turn_shot(me, quick, safe, True, True))
    if can_shoot(scene, safe):
        hit += await fire(await turn_shot(me, safe, quick, False, False))
    await alter(me, Duel.fired, quick.name)
    return hit


@rule("dime.duel.opening-shots/alike")
async def both_alike(scene: Scene, me: Who[Duel], speedy: bool) -> tuple[str, ...]:
    """Of two quick shots the higher total comes first, and may stop the other; else both are fired. Who is hit."""
    one, other = scene[me].duelists
    mine = await turn_shot(me, one, other, speedy, not speedy)
    theirs = await turn_shot(me, other, one, speedy, not speedy)
    early, late = (theirs, mine) if speedy and theirs.strike.total > mine.strike.total else (mine, theirs)
    at_once = not speedy or early.strike.total == late.strike.total
    hit = await fire(early)
    if at_once or can_shoot(scene, late.who):
        hit += await fire(late)
    await alter(me, Duel.fired, early.who.name)
    return hit


def can_shoot(scene: Scene, who: Person) -> bool:
    """Whether an earlier shot has left somebody up, and not stunned."""
    return is_up(scene, who) and not any(each.effect.does == Forbids("act") for each in applying(scene, who).active)


def is_up(scene: Scene, who: Person) -> bool:
    return who in scene and not (scene[who].dead or scene[who].unconscious)


# --- the follow-up ----------------------------------------------------------------------------------------------------


@rule("dime.duel.follow-up/fight", "dime.combat.turn-order")
async def fight_on(scene: Scene, me: Who[Duel]) -> None:
    """If it is not decided yet, normal combat goes on; whoever shot first begins."""
    if all(is_up(scene, who) for who in scene[me].duelists):
        await change(FIGHT, replace(scene[FIGHT], starter=scene[me].quicker))
        await tell("fight-on", who=Who(scene[me].quicker, Adventurer))
    else:
        await change(FIGHT, None)


@rule("dime.duel.follow-up")
async def follow_up(scene: Scene, me: Who[Duel]) -> None:
    """Whoever is left standing takes both antes; if both are, the game master says who has won."""
    one, other = scene[me].duelists
    standing = tuple(who.name for who in (one, other) if is_up(scene, who))
    winner = standing[0] if standing else NOBODY
    if len(standing) > 1:
        winner = await rule_on(WON_BY, NOBODY, options=(one.name, other.name, NOBODY))
    await settle_antes(me, winner)
    await alter(me, Duel.won, winner)


@rule("dime.duel.follow-up/antes")
async def settle_antes(scene: Scene, me: Who[Duel], winner: str) -> None:
    """The winner takes both cards into hand, above the score too; if nobody wins, they are discarded."""
    for who in scene[me].duelists:
        pile = pile_of(who, ANTE)
        if pile not in scene:
            continue
        if winner == NOBODY:
            await discard(pile, scene[pile].cards)
        else:
            await move(scene[pile].cards, pile, pile_of(winner, "hand"))
        await change(pile, None)
