"""Large scale combat: two armies with their generals, and the characters in between."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field, replace
from enum import Enum
from typing import Any, ClassVar, Final

from referee.core import (
    Call,
    Encounter,
    Levels,
    Open,
    Refused,
    Scene,
    Who,
    frozen,
    refuse,
)
from referee.core.rules import rule_named
from referee.core.taking_part import with_on, without
from referee.systems.d6.combat.battle_tables import (
    ATTACKERS,
    BATTLE_SIDES,
    DEFENDERS,
    ENGAGEMENT_LEVELS,
    GENERALS,
    NOT_INVOLVED,
    PARRY,
    RESULTS,
    ROUND,
    SPECOPS,
    SPECOPS_EFFECT,
    STRATEGY,
    check_conditions,
    check_one_side,
)
from referee.systems.d6.resolution import check_able
from referee.systems.d6.sheet import Hero, Person

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
            if waiting := self.undecided(scene):
                return rule_named("d6.battle.engagement-levels/ask")(waiting[0])
            side = next((each for each in self.leaderless(scene) if self.successors(scene, each)), None)
            return rule_named("d6.battle.generals-roll/command")(side) if side else rule_named(GENERALS)()
        fighting = self.fighting(scene)
        return rule_named("d6.battle.table/turn")(fighting[0]) if fighting else rule_named(RESULTS)(me)

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

    def leaderless(self, scene: Scene) -> tuple[str, ...]:
        """The sides whose general cannot command, or is with them no more."""
        return tuple(side for side in BATTLE_SIDES if not self.is_led(scene, side))

    def is_led(self, scene: Scene, side: str) -> bool:
        general = self.general(side)
        return general.name in self.people(side) and can_act(scene, general)

    def successors(self, scene: Scene, side: str) -> tuple[Person, ...]:
        """Who may take over an army: whoever can act and is not with the other side, its own people first."""
        own = tuple(Who(name, Hero) for name in self.people(side))
        others = {name for each in self.sides for name in each}
        free = (who for who in scene.all(Hero) if who.name not in others)
        return tuple(who for who in (*own, *free) if can_act(scene, who))

    def commanded_by(self, scene: Scene, who: Person, side: str) -> LargeBattle:
        """Somebody is the general of a side; who lacks the old one's field of Strategy & Tactics rolls the skill."""
        at = BATTLE_SIDES.index(side)
        people = tuple(
            (*each, who.name) if n == at and who.name not in each else each for n, each in enumerate(self.sides)
        )
        field = self.skills[at] if self.skills[at] in scene[who].specializations else scene[STRATEGY]
        generals, skills = list(self.generals), list(self.skills)
        generals[at], skills[at] = who.name, field
        return replace(self, sides=people, generals=tuple(generals), skills=tuple(skills))

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

    def joined_by(self, who: str, side: int) -> LargeBattle:
        """Somebody comes to the battle, or changes sides: they choose a level like everybody else."""
        sides = self.sides if who in self.sides[side] else with_on(self.sides, who, side)
        return replace(self, sides=sides, heroes=self.heroes | {who})

    def left_by(self, who: str) -> LargeBattle:
        """Somebody leaves the battle; an army whose general goes needs another."""
        posts = tuple(post for post in self.posts if post.who != who)
        return replace(self, sides=without(self.sides, who), heroes=self.heroes - {who}, posts=posts)

    def given_up_by(self, who: str) -> LargeBattle:
        return self.left_by(who)

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
    if who not in scene:
        return False
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
