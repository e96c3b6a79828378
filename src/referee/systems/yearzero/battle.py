"""A fight: who is on which side, whose go it is, what everybody has used up of the round."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field, replace
from typing import Any, ClassVar, Final, Literal, TypeAlias

from referee.core import Call, Levels, Open, Scene, Who, alter, formula, frozen, refuse, rule
from referee.core.rules import rule_named
from referee.kits.rounds import Rounds
from referee.kits.zones import ZoneMap
from referee.systems.yearzero.harm import can_act, is_awake
from referee.systems.yearzero.sheet import Person, Survivor, others

ROUND_END: Final = "round end"

Cost: TypeAlias = Literal["slow", "fast"]
SLOW: Final[Cost] = "slow"
FAST: Final[Cost] = "fast"


@frozen
class FieldOfFire:
    """A zone that somebody has fired into so rapidly that nobody does anything there without a risk."""

    known_by: ClassVar = ("by", "zone")
    by: str
    zone: str
    rounds: int


@frozen
class GuidedShot:
    """A missile on its way: who guides it to whom, with what, and the rule by which it strikes."""

    known_by: ClassVar = ("by", "weapon")
    by: str
    target: str
    weapon: str
    distance: str
    rule: str


@frozen
class Battle(Rounds):
    """A fight in progress: everybody has one go a round, by initiative."""

    sides: Open[tuple[tuple[str, ...], ...]] = ()
    round: Open[int] = 1
    """Rules read it: what lasts for the next round only names that round."""
    initiative: Open[Levels] = field(default_factory=Levels)
    """What everyone has rolled; those who have not rolled yet are not in it."""
    ties: Open[Levels] = field(default_factory=Levels)
    """What equals have rolled among themselves."""
    turn: Open[str] = ""
    """Whose go it is."""
    acted: Open[frozenset[str]] = frozenset()
    """Those whose go of this round is over."""
    slow: Open[Levels] = field(default_factory=Levels)
    """Slow actions taken in this round."""
    fast: Open[Levels] = field(default_factory=Levels)
    declared: Open[tuple[tuple[str, int, int], ...]] = ()
    """Slow and fast actions that were declared for a go, where they are not the usual ones."""
    willpower: Open[Levels] = field(default_factory=Levels)
    """Willpower spent on dice in this round."""
    suppressed: Open[Levels] = field(default_factory=Levels)
    """For how many rounds in a row somebody has been Suppressed."""
    round_order: Open[tuple[str, ...]] = ()
    """The order of this round, where values that were traded count only from the next."""
    acting: Open[Cost | None] = None
    """The kind of action that is under way: whoever helps with it pays the same."""
    zones: Open[ZoneMap] = field(default_factory=ZoneMap)
    """Where everybody is; without zones distances are for the table to say."""
    engaged: Open[tuple[tuple[str, str], ...]] = ()
    """Who is at Arm's Length of whom."""
    movements: Open[Levels] = field(default_factory=Levels)
    """Movement actions taken in this round."""
    fields: Open[tuple[FieldOfFire, ...]] = ()
    """Zones under a Field of Fire for the rest of the round."""
    scared: Open[frozenset[str]] = frozenset()
    """Those who have stood, or not, the first fire of a scary weapon."""
    guided: Open[tuple[GuidedShot, ...]] = ()
    """Missiles that strike when the next go of whoever guides them begins."""
    surprising: Open[frozenset[str]] = frozenset()
    """Those whose attack was a surprise: they roll twice for initiative."""

    # --- who takes part -----------------------------------------------------------------------------------------------

    def is_able(self, scene: Scene, who: str) -> bool:
        """Here, and able to act."""
        fighter = Who(who, Survivor)
        return who not in self.gone and fighter in scene and can_act(scene[fighter])

    def left_by(self, who: str) -> Battle:
        """Out of the order of goes; a round goes on with the others."""
        order = Levels({name: score for name, score in self.initiative.items() if name != who})
        return replace(self.apart(who).leaving(who), initiative=order)

    def newcomer(self, scene: Scene, me: Who[Battle], who: Person) -> Call[None] | None:
        return rule_named("yearzero.combat.initiative/newcomer")(who) if who.name not in self.initiative else None

    def departing(self, scene: Scene, me: Who[Battle], who: Person) -> Call[None] | None:
        return rule_named("yearzero.core.action-types/go")() if self.turn == who.name else None

    # --- whose go it is -----------------------------------------------------------------------------------------------

    def order(self) -> tuple[str, ...]:
        return tuple(sorted(self.initiative, key=lambda name: (-self.initiative[name], -self.ties.get(name, 0))))

    def unrolled(self, scene: Scene) -> tuple[str, ...]:
        """Those who take part and have not rolled initiative yet."""
        here = (name for name in self.fighters if name not in self.gone and Who(name, Survivor) in scene)
        return tuple(name for name in here if name not in self.initiative)

    def acts(self, scene: Scene, who: str) -> bool:
        return self.turn == who and self.is_able(scene, who)

    def group(self, scene: Scene) -> tuple[str, ...]:
        """Whose go it is, for the screen."""
        return (self.turn,) if self.turn else ()

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.unrolled(scene):
            return rule_named("yearzero.combat.initiative/begin")()
        if self.awaited(scene, me):
            return rule_named("yearzero.core.action-types/take-go")(Who(self.turn, Survivor))
        return rule_named("yearzero.core.action-types/go")()

    def awaited(self, scene: Scene, me: Who[Any]) -> tuple[str, ...]:
        """Whoever has the go acts, as long as they are able to and have an action left."""
        from referee.systems.yearzero.action_types import has_action_left  # which reads the fight

        ready = self.acts(scene, self.turn) and not self.unrolled(scene) and not self._is_raging_on(scene)
        return (self.turn,) if ready and has_action_left(scene, Who(self.turn, Survivor)) else ()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """The last side that can act has won, once whoever attacks without end has come to a rest."""
        return None if self._is_raging_on(scene) else Rounds.over(self, scene, me)

    def _is_raging_on(self, scene: Scene) -> bool:
        """Whether somebody still attacks without end though no enemy is left."""
        return len(self.standing(scene)) < 2 and any(  # two sides make a fight
            RAMPAGE in scene[Who(name, Survivor)].conditions for name in self.able(scene)
        )

    def next_go(self, able: tuple[str, ...]) -> Battle:
        """The next in the order; after the last a round begins."""
        acted = self.acted | {self.turn} if self.turn else self.acted
        waiting = [name for name in self.round_order or self.order() if name in able and name not in acted]
        if waiting:
            return replace(self, turn=waiting[0], acted=acted)
        fresh: Levels = Levels()
        first = next((name for name in self.order() if name in able), "")
        return replace(
            self,
            round=self.round + 1,
            turn=first,
            acted=frozenset(),
            round_order=(),
            slow=fresh,
            fast=fresh,
            reactions=fresh,
            willpower=fresh,
            declared=(),
            movements=fresh,
            fields=(),
        )

    def outmaneuvering(self, one: str, other: str) -> Battle:
        """The values change at once, and count from the next round on: the order of this one stands."""
        return replace(self.swapping(one, other), round_order=self.round_order or self.order())

    def swapping(self, one: str, other: str) -> Battle:
        """Two trade their values, and what they have rolled against equals."""
        mine, theirs = self.initiative.get(one, 0), self.initiative.get(other, 0)
        ties = self.ties.but(**{one: self.ties.get(other, 0), other: self.ties.get(one, 0)})
        return replace(self, initiative=self.initiative.but(**{one: theirs, other: mine}), ties=ties)

    # --- where everybody is -------------------------------------------------------------------------------------------

    @property
    def has_map(self) -> bool:
        return bool(self.zones.zones)

    def near(self, who: str) -> tuple[str, ...]:
        """Those at Arm's Length of somebody."""
        return tuple(other for pair in self.engaged if who in pair for other in pair if other != who)

    def engaging(self, who: str, other: str) -> Battle:
        """Two are at Arm's Length of each other."""
        return self if other in self.near(who) else replace(self, engaged=(*self.engaged, (who, other)))

    def apart(self, who: str) -> Battle:
        """Somebody is no longer at Arm's Length of anybody."""
        return replace(self, engaged=tuple(pair for pair in self.engaged if who not in pair))

    def placing(self, who: str, zone: str) -> Battle:
        """Somebody is in another zone, away from whoever was near."""
        return replace(self.apart(who), zones=self.zones.moved(who, zone))

    def moving(self, who: str) -> Battle:
        return replace(self, movements=self.movements.but(**{who: self.movements.get(who, 0) + 1}))

    def firing_into(self, who: str, zone: str, rounds: int) -> Battle:
        """A Field of Fire; one that stands grows."""
        old = next((each.rounds for each in self.fields if (each.by, each.zone) == (who, zone)), 0)
        others = tuple(each for each in self.fields if (each.by, each.zone) != (who, zone))
        return replace(self, fields=(*others, FieldOfFire(who, zone, old + rounds)))

    def scaring(self, names: tuple[str, ...]) -> Battle:
        return replace(self, scared=self.scared | {*names})

    def launching(self, shot: GuidedShot) -> Battle:
        return replace(self, guided=(*self.guided, shot))

    def landing(self, who: str) -> Battle:
        return replace(self, guided=tuple(each for each in self.guided if each.by != who))

    def ceasing_fire(self, who: str) -> Battle:
        return replace(self, fields=tuple(each for each in self.fields if each.by != who))

    # --- what is used up of the round ---------------------------------------------------------------------------------

    def spent(self, who: str) -> int:
        """Actions of this round that are used, by oneself or by reacting."""
        return self.slow.get(who, 0) + self.fast.get(who, 0) + self.reactions.get(who, 0)

    def taking(self, who: str, cost: Cost) -> Battle:
        if cost == SLOW:
            return replace(self, slow=self.slow.but(**{who: self.slow.get(who, 0) + 1}))
        return replace(self, fast=self.fast.but(**{who: self.fast.get(who, 0) + 1}))

    def giving_back(self, who: str, cost: Cost) -> Battle:
        """An action was free after all."""
        if cost == SLOW:
            return replace(self, slow=self.slow.but(**{who: max(0, self.slow.get(who, 0) - 1)}))
        return replace(self, fast=self.fast.but(**{who: max(0, self.fast.get(who, 0) - 1)}))

    def has_slow_ahead(self, who: str) -> bool:
        """Whether a slow action of this round is still to come for somebody."""
        return who in self.initiative and who not in self.acted and not self.slow.get(who, 0)

    def during(self, kind: Cost | None) -> Battle:
        return replace(self, acting=kind)

    def declaring(self, who: str, slow: int, fast: int) -> Battle:
        return replace(self, declared=(*(each for each in self.declared if each[0] != who), (who, slow, fast)))

    def plan(self, who: str) -> tuple[int, int] | None:
        return next(((slow, fast) for name, slow, fast in self.declared if name == who), None)

    def willing(self, who: str, points: int) -> Battle:
        return replace(self, willpower=self.willpower.but(**{who: self.willpower.get(who, 0) + points}))

    def counting(self, suppressed: tuple[str, ...]) -> Battle:
        """After a round in which these were Suppressed."""
        return replace(self, suppressed=Levels({name: self.suppressed.get(name, 0) + 1 for name in suppressed}))


BATTLE: Final = Who("battle", Battle)


def check_fighting(scene: Scene) -> None:
    """Only in a fight."""
    if BATTLE not in scene:
        refuse("there is no fight", legal=("begin-battle",))


# --- friend and foe ---------------------------------------------------------------------------------------------------


def comrades(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of one's own side."""
    side = scene[BATTLE].side_of(who.name) if BATTLE in scene else ()
    return tuple(each for each in others(scene, who) if each.name in side)


def other_sides(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of other sides."""
    fighting = scene[BATTLE].initiative if BATTLE in scene else ()
    mine = (who, *comrades(scene, who))
    return tuple(each for each in others(scene, who) if each.name in fighting and each not in mine)


def foes(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of other sides who are not Broken."""
    return tuple(each for each in other_sides(scene, who) if is_awake(scene[each]) and not scene[each].broken)


RAMPAGE: Final = "panic: Overkill"
"""The panic of somebody who attacks until they or all enemies are Broken."""


@formula("yearzero.talents.combat/rampage")
def check_rampage(scene: Scene, who: Person) -> None:
    """Whoever attacks without end does nothing else, as long as an enemy stands."""
    if RAMPAGE in scene[who].conditions and (standing := foes(scene, who)):
        names = tuple(each.name for each in standing)
        refuse(f"{who} attacks until every enemy is Broken", rule="yearzero.talents.combat", legal=names)


@rule("yearzero.talents.combat/overkill-over")
async def end_rampages(scene: Scene) -> None:
    """Whoever attacked without end stops once they, or all their enemies, are Broken."""
    for who in scene.all(Survivor):
        if RAMPAGE in scene[who].conditions and (scene[who].broken or not foes(scene, who)):
            await alter(who, Survivor.without_condition, RAMPAGE)
