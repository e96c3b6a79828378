"""The fight: who is where and has how many AP, what is held back, who has hold of whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from enum import Enum
from typing import Any, Final

from referee.core import (
    Call,
    Levels,
    Open,
    Scene,
    Who,
    formula,
    frozen,
)
from referee.kits.rounds import Rounds
from referee.kits.zones import ZoneMap
from referee.systems.dime.sheet import Adventurer, Person

CONCENTRATE: Final = "Concentrate"
ATTACK: Final = "Attack"
INTERACT: Final = "Interact"
MOVE: Final = "Move"
REACTION: Final = "Reaction"
CATEGORIES: Final = (CONCENTRATE, ATTACK, INTERACT, MOVE, REACTION)


class Trigger(Enum):
    """What kind of action sets off a held one."""

    ANY = "any"
    CONCENTRATE = CONCENTRATE
    ATTACK = ATTACK
    INTERACT = INTERACT
    MOVE = MOVE


@frozen
class Held:
    """An action that somebody holds back: what it waits for, and what it is."""

    known_by = ("who",)
    who: str
    action: str
    """The key of the action."""
    set_off_by: str = ""
    """Whose action sets it off; anyone's, if nobody is named."""
    trigger: Trigger = Trigger.ANY
    in_words: str = ""
    """The trigger as it was said."""

    def is_set_off(self, by: str, category: str) -> bool:
        return self.who != by and self.set_off_by in ("", by) and self.trigger.value in (Trigger.ANY.value, category)


@frozen
class Suppression:
    """A zone under suppressive fire."""

    known_by = ("by", "zone")
    by: str
    zone: str
    weapon: str


@frozen
class ZoneFight(Rounds):
    """A fight in zones: AP instead of actions, and turns that are handed on. `left` are the AP everyone has."""

    zones: Open[ZoneMap] = field(default_factory=ZoneMap)
    starter: Open[str] = ""
    """Whoever starts the combat."""
    surprised: Open[frozenset[str]] = frozenset()
    turn: Open[str] = ""
    """Whose turn it is, or will be next."""
    turn_begun: Open[bool] = False
    """Whether that turn has begun."""
    fresh: Open[bool] = False
    """Whether a round has begun in which nobody has been asked yet what to ignore."""
    acted: Open[frozenset[str]] = frozenset()
    last_turn: Open[str] = ""
    """Who had the turn before."""
    in_a_row: Open[int] = 0
    """How many turns in a row the side of the last one has had."""
    released: Open[frozenset[str]] = frozenset()
    """Those who carry out a held action now."""
    held_back: Open[tuple[Held, ...]] = ()
    suppressed: Open[tuple[Suppression, ...]] = ()
    grapples: Open[tuple[tuple[str, str], ...]] = ()
    """Who has hold of whom."""
    blind: Open[frozenset[str]] = frozenset()
    """Those who fight without sight."""
    observed: Open[frozenset[str]] = frozenset()
    """Those who have looked around since their last attack."""
    tricked: Open[tuple[tuple[str, str], ...]] = ()
    """Who has tried to trick whom."""

    def __post_init__(self) -> None:
        if self.turn and self.round == 0:  # a scene that says whose turn it is need not say that it has begun
            object.__setattr__(self, "round", 1)
            object.__setattr__(self, "turn_begun", True)

    def is_able(self, scene: Scene, who: str) -> bool:
        fighter = Who(who, Adventurer)
        return who not in self.gone and fighter in scene and not scene[fighter].dead and not scene[fighter].unconscious

    def has_turns(self, scene: Scene, who: str) -> bool:
        """The able act, and the dying fight for their lives."""
        fighter = Who(who, Adventurer)
        dying = who not in self.gone and fighter in scene and scene[fighter].dying is not None
        return dying or self.is_able(scene, who)

    def acts(self, scene: Scene, who: str) -> bool:
        return self.turn_begun and self.turn == who and self.is_able(scene, who)

    def group(self, scene: Scene) -> tuple[str, ...]:
        return (self.turn,) if self.turn_begun and self.turn else ()

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        from referee.systems.dime import turn_order  # which reads the fight

        return turn_order.next_step(scene, self)

    def starting(self, ap: Levels, first: str) -> ZoneFight:
        return replace(self, round=1, left=ap, turn=first, fresh=True)

    def handed_to(self, who: str) -> ZoneFight:
        return replace(self, turn=who, turn_begun=False)

    def new_round(self) -> ZoneFight:
        return replace(self, round=self.round + 1, acted=frozenset(), fresh=True)

    def asked(self) -> ZoneFight:
        return replace(self, fresh=False)

    def taking_turn(self, who: str, ap: int) -> ZoneFight:
        """A turn begins: new AP replace the old, and what was held back or kept up until now is over."""
        again = self.last_turn and self.side_of(who) == self.side_of(self.last_turn)
        return replace(
            self,
            turn_begun=True,
            left=self.left.but(**{who: ap}),
            in_a_row=self.in_a_row + 1 if again else 1,
            held_back=tuple(each for each in self.held_back if each.who != who),
            suppressed=tuple(each for each in self.suppressed if each.by != who),
        )

    def ending_turn(self, who: str) -> ZoneFight:
        return replace(self, turn="", turn_begun=False, acted=self.acted | {who}, last_turn=who)

    def not_taken(self) -> ZoneFight:
        """Whoever was to act next cannot any more."""
        return replace(self, turn="", turn_begun=False)

    def moved(self, who: str, zone: str) -> ZoneFight:
        return replace(self, zones=self.zones.moved(who, zone))

    def waiting(self, held: Held) -> ZoneFight:
        return replace(self, held_back=(*(each for each in self.held_back if each.who != held.who), held))

    def releasing(self, who: str) -> ZoneFight:
        return replace(self, released=self.released | {who})

    def holding_back(self, who: str) -> ZoneFight:
        return replace(self, released=self.released - {who})

    def done_waiting(self, who: str) -> ZoneFight:
        return replace(self, held_back=tuple(each for each in self.held_back if each.who != who))

    def suppressing(self, suppression: Suppression) -> ZoneFight:
        return replace(self, suppressed=(*self.suppressed, suppression))

    def grappling(self, who: str, target: str) -> ZoneFight:
        return replace(self.freeing(who, target), grapples=(*self.freeing(who, target).grapples, (who, target)))

    def freeing(self, who: str, target: str) -> ZoneFight:
        return replace(self, grapples=tuple(each for each in self.grapples if set(each) != {who, target}))

    def grappled_with(self, scene: Scene, who: str) -> tuple[str, ...]:
        """Everyone in the same grapple; those who are out of the fight hold nobody."""
        able = self.able(scene)
        found, edge = {who}, [who]
        while edge:
            edge = [
                name
                for pair in self.grapples
                for name in pair
                if name not in found and not found.isdisjoint(pair) and set(pair) <= {*able}
            ]
            found.update(edge)
        return tuple(name for name in self.fighters if name in found and name != who)

    def opponents(self, scene: Scene, who: str) -> tuple[str, ...]:
        """Those whom somebody has hold of, or who have hold of them."""
        able, pairs = self.able(scene), (each for each in self.grapples if who in each)
        found = (one if other == who else other for one, other in pairs)
        return tuple(name for name in found if name in able and who in able)

    def seeing(self, who: str, blind: bool) -> ZoneFight:
        return replace(self, blind=self.blind | {who} if blind else self.blind - {who})

    def observing(self, who: str) -> ZoneFight:
        return replace(self, observed=self.observed | {who})

    def having_attacked(self, who: str) -> ZoneFight:
        return replace(self, observed=self.observed - {who})

    def tricking(self, who: str, target: str) -> ZoneFight:
        return replace(self, tricked=(*self.tricked, (who, target)))


FIGHT: Final = Who("fight", ZoneFight)


def person(name: str) -> Person:
    return Who(name, Adventurer)


def people(names: Iterable[str]) -> tuple[Person, ...]:
    return tuple(map(person, names))


@formula("dime.combat.zones")
def zones_apart(scene: Scene, one: Person, other: Person) -> int | None:
    """How many zones away somebody is; None out of sight. Outside a fight everyone is in the same place."""
    return scene[FIGHT].zones.distance(one.name, other.name) if FIGHT in scene else 0


def is_close(scene: Scene, one: Person, other: Person) -> bool:
    """The same zone is melee range."""
    return FIGHT not in scene or scene[FIGHT].zones.same_zone(one.name, other.name)


def is_foe(scene: Scene, who: Person, other: Person) -> bool:
    fight = scene[FIGHT]
    return who != other and fight.side_of(who.name) != fight.side_of(other.name)


def fighters(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    """The others who are up in the fight."""
    return tuple(each for each in people(scene[FIGHT].able(scene)) if each != who) if FIGHT in scene else ()


def foes(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in fighters(scene, who) if who is not None and is_foe(scene, who, each))


def allies(scene: Scene, who: Person | None) -> tuple[Person, ...]:
    return tuple(each for each in fighters(scene, who) if who is not None and not is_foe(scene, who, each))
