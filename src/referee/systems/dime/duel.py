"""Duels: challenge and antes, the face-off, the opening shots, and who takes the antes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from enum import Enum
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    YES_NO,
    Audience,
    Bands,
    Call,
    Card,
    Encounter,
    Facing,
    Open,
    Pick,
    Pile,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    change,
    choose,
    figure,
    frozen,
    move,
    pile_of,
    refuse,
    rule,
    rule_on,
    tell,
    together,
)
from referee.core.questions import Choose
from referee.systems.dime.consequences import check_approach
from referee.systems.dime.deck import ANTE, discard, owner
from referee.systems.dime.flip import Flip, check_can_act, flip, spelled_out
from referee.systems.dime.moxie import check_moxie
from referee.systems.dime.sheet import Adventurer, Person, others, willpower
from referee.systems.dime.shots import USUAL_AP, check_armed, land_shot, pick_weapon, turn_shot

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

NOBODY: Final = "nobody"


class DuelPhase(Enum):
    """What comes next in a duel."""

    FACE_OFF = "face-off"
    OPENING = "opening shots"
    FOLLOW_UP = "follow-up"
    OVER = "over"


@frozen
class Duel(Encounter):
    """A duel between two people, whose antes lie set aside."""

    sides: Open[tuple[tuple[str, ...], ...]]
    """The challenger, and whoever was challenged."""
    phase: Open[DuelPhase] = DuelPhase.FACE_OFF
    doubled: Open[frozenset[str]] = frozenset()
    """Those whose damage in the opening shots is doubled."""
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
    if DUEL in scene:
        refuse("a duel goes on already")


def check_opponent(scene: Scene, who: Person, other: Person) -> None:
    """Somebody who can fight and has Moxie too, and whom the challenger does not fear."""
    if who == other:
        refuse("nobody duels with themselves")
    check_can_act(scene, other)
    check_armed(scene, other)
    check_ante(scene, other)
    check_approach(scene, who, other)


Opponent: TypeAlias = Annotated[Person, Pick(others, check_opponent)]
CHALLENGED: Final = Bands[bool](
    of=lambda taken: "accepted" if taken else "turned-down", keys=("accepted", "turned-down")
)


@action(
    "challenge",
    "dime.duel.challenge",
    bands=CHALLENGED,
    turn=check_can_act,
    check=(check_no_duel, check_armed, check_ante),
)
async def challenge(scene: Scene, who: Person, other: Opponent) -> bool:
    """Somebody is challenged to a duel; if they accept, both ante a card from hand."""
    if not await choose(other, ACCEPT, YES_NO):
        return False
    for _ in range(scene[ANTE_EACH]):
        await ante(who, other)
    await change(DUEL, Duel(((who.name,), (other.name,))))
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


@rule("dime.duel.face-off")
async def face_off(scene: Scene, me: Who[Duel]) -> None:
    """Each picks a tactic and flips against the other's Willpower; on a success the opening shot does double damage."""
    one, other = scene[me].duelists
    first, second = await together(choose(one, TACTIC, scene[TACTICS]), choose(other, TACTIC, scene[TACTICS]))
    doubled = frozenset[str]()
    for who, against, tactic in ((one, other, first), (other, one, second)):
        if (await stare_down(who, against, tactic)).success:
            doubled |= {who.name}
            await tell("stared-down", who=who, other=against)
    await alter(me, Duel.facing, doubled)


@rule("dime.duel.face-off/flip")
async def stare_down(scene: Scene, who: Person, other: Person, tactic: str) -> Flip:
    """One tactic against the other's Willpower."""
    asked = spelled_out(scene, tactic)
    return await flip(who, asked.stat, asked.skill, willpower(scene, other), at=other)


# --- the opening shots ------------------------------------------------------------------------------------------------


@frozen
class OpeningShot:
    """A shot whose cards are turned, before it takes effect."""

    who: Person
    target: Person
    weapon: str
    flip: Flip


@rule("dime.duel.opening-shots")
async def opening_shots(scene: Scene, me: Who[Duel]) -> None:
    """Both choose speed or safety in secret and show it together; speed comes first, safety may react."""
    one, other = scene[me].duelists
    speed, safety = scene[CHOICES]
    first, second = await together(choose(one, PACE, (speed, safety)), choose(other, PACE, (speed, safety)))
    if first == second:
        at_once = await turn_both(one, other, first == speed)
        quicker = sorted(at_once, key=lambda shot: -shot.flip.total)
        tied = first == safety or quicker[0].flip.total == quicker[1].flip.total
        await (land_together(me, *at_once) if tied else land_in_turn(me, *quicker))
    else:
        await quick_and_safe(me, *((one, other) if first == speed else (other, one)))


@rule("dime.duel.opening-shots/turn")
async def turn_one(scene: Scene, who: Person, target: Person, speedy: bool, reacts: bool) -> OpeningShot:
    """Speed instead of Dexterity for the speedy; only a target on safety may react."""
    weapon = await pick_weapon(who)
    stat, ap = scene[SPEED_STAT] if speedy else "", scene[USUAL_AP] if reacts else 0
    return OpeningShot(who, target, weapon, await turn_shot(who, target, weapon, stat, ap))


@rule("dime.duel.opening-shots/both")
async def turn_both(scene: Scene, one: Person, other: Person, speedy: bool) -> tuple[OpeningShot, OpeningShot]:
    """Both have chosen alike: both turn their cards before either shot takes effect."""
    return await turn_one(one, other, speedy, not speedy), await turn_one(other, one, speedy, not speedy)


@rule("dime.duel.opening-shots/mixed")
async def quick_and_safe(scene: Scene, me: Who[Duel], quick: Person, safe: Person) -> None:
    """The quick shot is over before the safe one is fired, if there still is one."""
    await land(me, await turn_one(quick, safe, True, True))
    if is_up(scene, safe):
        await land(me, await turn_one(safe, quick, False, False))
    await alter(me, Duel.fired, quick.name)


@rule("dime.duel.opening-shots/in-turn")
async def land_in_turn(scene: Scene, me: Who[Duel], first: OpeningShot, second: OpeningShot) -> None:
    """The higher total takes effect first; whoever it takes out does not fire."""
    await land(me, first)
    if is_up(scene, second.who):
        await land(me, second)
    await alter(me, Duel.fired, first.who.name)


@rule("dime.duel.opening-shots/together")
async def land_together(scene: Scene, me: Who[Duel], one: OpeningShot, other: OpeningShot) -> None:
    """Both shots take effect, whatever either does; the challenger will begin the fight."""
    await land(me, one)
    await land(me, other)
    await alter(me, Duel.fired, one.who.name)


@rule("dime.duel.opening-shots/land", "dime.duel.face-off")
async def land(scene: Scene, me: Who[Duel], shot: OpeningShot) -> None:
    """The damage of an opening shot, doubled for whoever won the face-off."""
    times = scene[DAMAGE_TIMES] if shot.who.name in scene[me].doubled else 1
    _ = await land_shot(shot.who, shot.target, shot.weapon, shot.flip, times)


def is_up(scene: Scene, who: Person) -> bool:
    return who in scene and not (scene[who].dead or scene[who].unconscious)


# --- the follow-up ----------------------------------------------------------------------------------------------------


@rule("dime.duel.follow-up")
async def follow_up(scene: Scene, me: Who[Duel]) -> None:
    """Whoever is left standing takes both antes; if it is not decided yet, normal combat goes on until it is."""
    one, other = scene[me].duelists
    standing = tuple(who.name for who in (one, other) if is_up(scene, who))
    if len(standing) == 2:
        await tell("fight-on", who=Who(scene[me].quicker, Adventurer))
        winner = await rule_on(WON_BY, NOBODY, options=(one.name, other.name, NOBODY))
    else:
        winner = standing[0] if standing else NOBODY
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
