"""The fast-draw duel: two people bid how long they wait, then draw."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field, replace
from enum import Enum
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    Bands,
    Call,
    Encounter,
    Levels,
    Mods,
    Open,
    Pick,
    Prompt,
    Refused,
    Scene,
    Who,
    action,
    alter,
    change,
    choose,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rule,
    rule_on,
)
from referee.core.questions import Barred, Choose
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.ammunition import fire
from referee.systems.d6.combat.blows import BlowSituation, weapon_blow
from referee.systems.d6.combat.fast_draw import FAST_DRAW, carried_weapons, fast_draw_skill
from referee.systems.d6.combat.melee import Target, strike
from referee.systems.d6.combat.ranged import Aim, resolve_shot, shot_of
from referee.systems.d6.combat.ranges import band_of
from referee.systems.d6.combat.reach import check_short_enough
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.combat.weapons import (
    check_in_order,
    item_of,
    put_away,
    take_in_hand,
    weapon_damage,
    weapon_skill,
)
from referee.systems.d6.damage import hit
from referee.systems.d6.equipment import MELEE, weapon_of
from referee.systems.d6.resolution import check_able, check_skilled, roll_against
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person, others
from referee.systems.d6.wounds import DEAD, MORTAL, NEUTRALIZED

DUEL_RULE: Final = "d6.advanced.duel"

FIRST: Final = Prompt("declares-first")
FASTEST: Final = Prompt("fastest")
DECLARE: Final = Prompt("focus-or-strike")


@figures(DUEL_RULE)
class DuelFigures:
    """What is compared, how the difficulty rises, what limits the bids, and what it costs not to have the skill."""

    compared: tuple[str, ...]
    base_difficulty: int
    per_focus: int
    focus_limit: str
    without_fast_draw: int


class Bid(Enum):
    """What a duelist declares."""

    FOCUS = "Focus"
    STRIKE = "Strike"


class DuelStage(Enum):
    """What comes next in a duel."""

    COMPARE = "who declares first"
    BID = "focus or strike"
    FIRST = "first shot"
    SECOND = "second shot"
    OVER = "over"


# --- the duel ---------------------------------------------------------------------------------------------------------


@frozen
class FastDrawDuel(Encounter):
    """Two people, hands near their weapons. Each Focus makes the shot harder; a Strike lets the other shoot first."""

    sides: Open[tuple[tuple[str, ...], ...]]
    """The two duelists."""
    weapons: Open[tuple[str, ...]]
    """What each of them draws."""
    stage: Open[DuelStage] = DuelStage.COMPARE
    fastest: Open[str] = ""
    turn: Open[str] = ""
    """Who declares, or shoots."""
    bid: Open[int] = 0
    """The highest difficulty so far; the base, while nobody has focused."""
    focuses: Open[Levels] = field(default_factory=Levels)
    difficulties: Open[Levels] = field(default_factory=Levels)
    """The difficulty of everyone's last Focus."""
    within: Open[str] = ""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        match self.stage:
            case DuelStage.COMPARE:
                return take_measure(me)
            case DuelStage.BID:
                return declare(me)
            case _:
                return duel_shot(me)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        if self.stage is not DuelStage.OVER:
            return None
        return " and ".join(each.name for each in self.duelists if can_shoot(scene, each)) or "nobody"

    def group(self, scene: Scene) -> tuple[str, ...]:
        return (self.turn,) if self.turn and self.stage is not DuelStage.OVER else ()

    def parties(self) -> tuple[tuple[str, ...], ...]:
        return self.sides

    @property
    def duelists(self) -> tuple[Person, Person]:
        (one,), (other,) = self.sides
        return Who(one, Hero), Who(other, Hero)

    def other(self, name: str) -> str:
        one, other = (each.name for each in self.duelists)
        return other if name == one else one

    def weapon_of(self, name: str) -> str:
        return self.weapons[[each.name for each in self.duelists].index(name)]

    def beginning(self, fastest: str, first: str) -> FastDrawDuel:
        return replace(self, fastest=fastest, turn=first, stage=DuelStage.BID)

    def focusing(self, bid: int) -> FastDrawDuel:
        who = self.turn
        focuses = self.focuses.but(**{who: self.focuses.get(who, 0) + 1})
        return replace(
            self, bid=bid, difficulties=self.difficulties.but(**{who: bid}), focuses=focuses, turn=self.other(who)
        )

    def striking(self) -> FastDrawDuel:
        """The other shoots first."""
        return replace(self, turn=self.other(self.turn), stage=DuelStage.FIRST)

    def shot(self, answered: bool) -> FastDrawDuel:
        """After the first shot the other shoots, if there is anybody left to do so."""
        if self.stage is DuelStage.FIRST and answered:
            return replace(self, turn=self.other(self.turn), stage=DuelStage.SECOND)
        return replace(self, stage=DuelStage.OVER)


DUEL: Final = Who("duel", FastDrawDuel)


def check_no_duel(scene: Scene, who: Person) -> None:
    if DUEL in scene:
        refuse("there is a duel already", rule=DUEL_RULE)


def other_weapons(scene: Scene, who: Person, other: Person) -> tuple[str, ...]:
    return carried_weapons(scene, other)


def check_drawn(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon that one has with them; the first of them need not be named."""
    if not (mine := carried_weapons(scene, who)) or (weapon and weapon not in mine):
        refuse(f"{who} has no such weapon to draw", what=weapon or "weapon", rule=DUEL_RULE, legal=mine)
    check_in_order(scene, item_of(scene, who, weapon or mine[0]))


def check_other_drawn(scene: Scene, who: Person, weapon: str, other: Person) -> None:
    check_drawn(scene, other, weapon)


def check_opponent(scene: Scene, who: Person, other: Person) -> None:
    check_able(scene, other)
    check_skilled(scene, other)
    if who == other:
        refuse("nobody duels with themselves", rule=DUEL_RULE)


Duelist: TypeAlias = Annotated[Person, Pick(others, check_opponent)]


@action("fast-draw-duel", DUEL_RULE + "/begin", DUEL_RULE, turn=check_able, check=(check_no_duel, check_skilled))
async def fast_draw_duel(
    scene: Scene,
    who: Person,
    other: Duelist,
    weapon: Annotated[str, Pick(carried_weapons, check_drawn)] = "",
    other_weapon: Annotated[str, Pick(other_weapons, check_other_drawn)] = "",
) -> None:
    """Face somebody in a fast-draw duel: bid how long to wait, then draw."""
    drawn = (weapon or carried_weapons(scene, who)[0], other_weapon or carried_weapons(scene, other)[0])
    await change(DUEL, FastDrawDuel(((who.name,), (other.name,)), drawn))


@formula(DUEL_RULE)
def quickness(scene: Scene, who: Person, weapon: str) -> tuple[int, ...]:
    """What is compared to find who is faster by nature: Perception, then Agility, then the skill with the weapon."""
    compared = (*scene[DuelFigures].compared, weapon_skill(scene, who, weapon))
    codes = (own_code(scene, who, each) for each in compared)
    return tuple(each.in_pips(scene[PIPS_PER_DIE]) for each in codes)


STANDS: Final[Bands[tuple[str, ...]]] = Bands(
    of=lambda standing, who: "falls" if who not in standing else "wins" if standing == (who,) else "both-stand",
    keys=("wins", "both-stand", "falls"),
    each=True,
)


@rule(DUEL_RULE + "/shots", DUEL_RULE)
async def shoot_out(scene: Scene, me: Who[FastDrawDuel]) -> tuple[str, ...]:
    """How a duel ends if whoever's turn it is strikes: who still stands after the shots."""
    if scene[me].stage is DuelStage.BID:
        await alter(me, FastDrawDuel.striking)
    while scene[me].stage is not DuelStage.OVER:
        _ = await duel_shot(me)
    return tuple(each.name for each in scene[me].duelists if can_shoot(scene, each))


def shots_that_follow(scene: Scene, me: Who[FastDrawDuel]) -> Call[tuple[str, ...]]:
    """What bids lead to: the shots, if the next one strikes."""
    return shoot_out(me)


@rule(DUEL_RULE + "/compare", DUEL_RULE, bands=STANDS, foresees=shots_that_follow)
async def take_measure(scene: Scene, me: Who[FastDrawDuel]) -> str:
    """The faster of the two decides who declares first; between equals the game master says who is faster."""
    one, other = scene[me].duelists
    mine, theirs = (quickness(scene, each, scene[me].weapon_of(each.name)) for each in (one, other))
    fastest = one.name if mine >= theirs else other.name
    if mine == theirs:
        fastest = await rule_on(FASTEST, one.name, options=(one.name, other.name))
    first = await choose(Who(fastest, Hero), FIRST, (fastest, scene[me].other(fastest)))
    await alter(me, FastDrawDuel.beginning, fastest, first)
    return fastest


@formula(DUEL_RULE + "/focuses", DUEL_RULE)
def most_focuses(scene: Scene, who: Person) -> int:
    """As often as Willpower has dice, rounded down."""
    return max(0, own_code(scene, who, scene[DuelFigures].focus_limit).dice)


@formula(DUEL_RULE + "/focus", DUEL_RULE)
def check_focus(scene: Scene, me: Who[FastDrawDuel]) -> None:
    """Nobody focuses more often than their Willpower lasts."""
    who = Who(scene[me].turn, Hero)
    if scene[me].focuses.get(who.name, 0) >= most_focuses(scene, who):
        refuse(f"{who} can focus {most_focuses(scene, who)} times", what="Focus", legal=("Strike",))


def ask_bid(scene: Scene, me: Who[FastDrawDuel]) -> Choose[Bid]:
    """Focus, as long as one can; or Strike."""
    who = Who(scene[me].turn, Hero)
    try:
        check_focus(scene, me)
    except Refused as why:
        return choose(who, DECLARE, (Bid.STRIKE,), barred=(Barred(Bid.FOCUS, why),))
    return choose(who, DECLARE, tuple(Bid))


@rule(DUEL_RULE + "/declare", DUEL_RULE, bands=STANDS, foresees=shots_that_follow)
async def declare(scene: Scene, me: Who[FastDrawDuel]) -> Bid:
    """Focus, and make the own shot harder; or Strike, and let the other shoot first."""
    bid = await ask_bid(scene, me)
    if bid is Bid.STRIKE:
        await alter(me, FastDrawDuel.striking)
    else:
        figures_ = scene[DuelFigures]
        await alter(me, FastDrawDuel.focusing, (scene[me].bid or figures_.base_difficulty) + figures_.per_focus)
    return bid


# --- the shots --------------------------------------------------------------------------------------------------------


@frozen
class DuelShot:
    """A shot of a duel: whether it hits, by which margin, against which difficulty, and how the other is after it."""

    success: bool
    total: int
    difficulty: int
    wound: str


SHOTS: Final[Bands[DuelShot]] = Bands(
    of=lambda shot: "success" if shot.success else "failure", keys=("success", "failure")
)


@formula(DUEL_RULE + "/difficulty", DUEL_RULE)
def duel_difficulty(scene: Scene, me: Who[FastDrawDuel], who: Person) -> int:
    """That of one's own last Focus; the base, without any; more, without Fast draw."""
    figures_, duel = scene[DuelFigures], scene[me]
    own = duel.difficulties.get(who.name, figures_.base_difficulty)
    return own if fast_draw_skill(scene, who, duel.weapon_of(who.name)) else own + figures_.without_fast_draw


def can_shoot(scene: Scene, who: Person) -> bool:
    """Whether somebody is alive, awake and can still use a skill."""
    return scene[who].wound not in (NEUTRALIZED, MORTAL, DEAD) and scene[who].unconscious is None


@rule(DUEL_RULE + "/shot", DUEL_RULE)
async def duel_shot(scene: Scene, me: Who[FastDrawDuel]) -> DuelShot:
    """Whoever's turn it is shoots."""
    return await hand_over(shoot_at(Who(scene[me].turn, Hero), me))


@rule(DUEL_RULE + "/draw", DUEL_RULE, bands=SHOTS)
async def shoot_at(scene: Scene, who: Person, me: Who[FastDrawDuel]) -> DuelShot:
    """Draw and use the weapon against the difficulty of one's own last Focus; a hit does damage as usual."""
    target = Who(scene[me].other(who.name), Hero)
    weapon, difficulty = scene[me].weapon_of(who.name), duel_difficulty(scene, me, who)
    using = fast_draw_skill(scene, who, weapon) or weapon_skill(scene, who, weapon)
    await take_in_hand(who, weapon)
    result = await roll_against(who, using, difficulty)
    if result.success:
        dealt = weapon_damage(scene, who, weapon)
        await hit(target, dealt.weapon, dealt.mods, dealt.stun, by=who, own=dealt.own)
    await alter(me, FastDrawDuel.shot, can_shoot(scene, target))
    return DuelShot(result.success, result.total, difficulty, scene[target].wound)


# --- drawing in a fight -----------------------------------------------------------------------------------------------


def sheathed(scene: Scene, who: Person) -> tuple[str, ...]:
    """The weapons that somebody can draw fast."""
    return tuple(
        each
        for each in carried_weapons(scene, who)
        if not item_of(scene, who, each).ready and fast_draw_skill(scene, who, each)
    )


def check_sheathed(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon that is not in hand, with Fast draw for it."""
    item = item_of(scene, who, weapon)
    if item.ready:
        refuse("it is in hand already", what=weapon, rule=FAST_DRAW, legal=("melee-attack", "shoot"))
    if not fast_draw_skill(scene, who, weapon):
        refuse(f"{who} has no Fast draw for it", what=weapon, rule=FAST_DRAW, legal=("ready-weapon",))
    check_in_order(scene, item)


def check_distance(scene: Scene, who: Person, weapon: str, distance: float) -> None:
    """Within the range of what shoots; in a grapple, with nothing long."""
    found = weapon_of(scene, item_of(scene, who, weapon))
    if found.category != MELEE:
        band_of(scene, who, weapon, distance)
    else:
        check_short_enough(scene, who, weapon, found.reach)


@frozen
class FastDrawResult:
    """What a fast draw came to."""

    hit: bool
    margin: int | None
    reaction: str = ""
    harm: str = ""


DRAWN: Final[Bands[FastDrawResult]] = Bands(of=lambda found: "hit" if found.hit else "miss", keys=("miss", "hit"))


@fight_action("fast-draw", FAST_DRAW + "/use", FAST_DRAW, bands=DRAWN, check=check_distance)
async def fast_draw(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Annotated[str, Pick(sheathed, check_sheathed)],
    distance: float = 3,
    sheath: bool = False,
    mods: Mods = (),
    parry_mods: Mods = (),
) -> FastDrawResult:
    """Draw a weapon and use it in one action, with Fast draw; it may be sheathed again at once."""
    using = fast_draw_skill(scene, who, weapon)
    await take_in_hand(who, weapon)
    if weapon_of(scene, item_of(scene, who, weapon)).category == MELEE:
        blow = replace(weapon_blow(scene, who, weapon), using=using)
        struck = await strike(who, target, blow, BlowSituation(mods=mods, parry_mods=parry_mods))
        result = FastDrawResult(struck.hit, struck.margin, struck.reaction, struck.harm)
    else:
        await fire(who, weapon)
        aimed = shot_of(scene, who, target, weapon, Aim(distance, mods=mods), using)
        shot = await resolve_shot(who, target, aimed)
        result = FastDrawResult(shot.hit, shot.margin, shot.reaction, shot.harm)
    if sheath:
        await put_away(who, weapon)
    return result
