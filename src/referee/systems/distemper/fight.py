"""A fight as a value: its sides, whose turn it is, what is left of the round, who is where and who holds whom."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, final

from referee.core import Call, Encounter, Levels, Open, Scene, Who, tally
from referee.core.rules import rule_named
from referee.systems.distemper.sheet import Character

ROUND: Final = "distemper.combat.round"
TURN: Final = "distemper.combat-actions.catalogue"
RESULTS: Final = "distemper.combat.initiative-order/results"
RESOLUTION: Final = "distemper.combat.resolution-phase"
"""The rules that are its steps; they are in `rounds` and `turns`."""
ACTION_END: Final = "action end"
ROUND_END: Final = "round end"


class Phase(Enum):
    """The three phases of a round."""

    INITIATIVE = "initiative"
    ACTIONS = "actions"
    RESOLUTION = "resolution"


@final
@dataclass(frozen=True, slots=True)
class Deferred:
    """A result that waits until everyone who acts at the same time has acted."""

    by: str
    rule: str
    arguments: tuple[tuple[str, str | int], ...]


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A move that waits for the resolution phase."""

    who: str
    target: str
    closer: bool


@final
@dataclass(frozen=True, slots=True)
class Fight(Encounter):
    """A fight: its sides, whose turn it is, the actions left in this round and lost in the next."""

    sides: Open[tuple[tuple[str, ...], ...]]
    round: Open[int] = tally(0)
    phase: Open[Phase] = Phase.INITIATIVE
    scores: Open[Levels] = field(default_factory=Levels)
    left: Open[Levels] = field(default_factory=Levels)
    """Combat Actions left in this round."""
    lost: Open[Levels] = field(default_factory=Levels)
    """Combat Actions lost in the next round."""
    frozen: Open[frozenset[str]] = frozenset()
    """Those who lose the whole next round."""
    berserk: Open[frozenset[str]] = frozenset()
    """Those who must attack the closest person with their next action."""
    involved: Open[frozenset[str]] = frozenset()
    """Those who have attacked or been attacked in this round."""
    rapid: Open[frozenset[str]] = frozenset()
    """Those who have used Rapid Fire in this round, or declared it with both actions."""
    cover: Open[frozenset[str]] = frozenset()
    pins: Open[tuple[tuple[str, str], ...]] = ()
    """Who holds whom."""
    bands: Open[Levels] = field(default_factory=Levels)
    """Range bands between two people, `al bo`; pairs not listed are close."""
    steps: Open[tuple[Step, ...]] = ()
    deferred: Open[tuple[Deferred, ...]] = ()
    gone: Open[frozenset[str]] = frozenset()
    """Those who have disengaged."""

    @property
    def fighters(self) -> tuple[str, ...]:
        return tuple(name for side in self.sides for name in side)

    def is_able(self, scene: Scene, who: str) -> bool:
        """Whether someone is still here, and in the fight."""
        fighter = Who(who, Character)
        return who not in self.gone and fighter in scene and not scene[fighter].dead

    def able(self, scene: Scene) -> tuple[str, ...]:
        return tuple(name for name in self.fighters if self.is_able(scene, name))

    def group(self, scene: Scene) -> tuple[str, ...]:
        """Those who act now; equal scores act at the same time."""
        return tuple(sorted(name for name in self.fighters if self.acts(scene, name)))

    def acts(self, scene: Scene, who: str) -> bool:
        """Whether it is someone's turn: no one else with actions left has a higher score."""
        score = self.scores.get(who, 0)
        return self._is_ready(scene, who) and not any(
            self.scores.get(name, 0) > score and self._is_ready(scene, name) for name in self.left
        )

    def _is_ready(self, scene: Scene, who: str) -> bool:
        return self.phase is Phase.ACTIONS and self.left.get(who, 0) > 0 and self.is_able(scene, who)

    def acts_with_another(self, scene: Scene, who: str) -> bool:
        """Whether someone acts now together with others; those without actions in this round do not count."""
        return self.acts(scene, who) and any(
            name != who and name in self.left and self.scores.get(name) == self.scores.get(who)
            for name in self.able(scene)
        )

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if self.phase is Phase.INITIATIVE:
            return rule_named(ROUND)()
        group = self.group(scene)
        if self.deferred and not any(self._is_of_the_group(name) for name in group):
            return rule_named(RESULTS)()
        return rule_named(TURN)(Who(group[0], Character)) if group else rule_named(RESOLUTION)()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """The last side standing has won; `nobody` if none is standing."""
        if self.deferred:
            return None
        able = self.able(scene)
        standing = [at for at, side in enumerate(self.sides) if any(name in able for name in side)]
        return None if len(standing) > 1 else " and ".join(self.sides[standing[0]]) if standing else "nobody"

    def _is_of_the_group(self, name: str) -> bool:
        """Whether someone still to act belongs to the group whose results are waiting."""
        return self.scores.get(name) == self.scores.get(self.deferred[0].by)

    def spending(self, who: str, actions: int) -> Fight:
        return replace(self, left=self.left.but(**{who: max(0, self.left.get(who, 0) - actions)}))

    def gaining(self, who: str, actions: int) -> Fight:
        return replace(self, left=self.left.but(**{who: self.left.get(who, 0) + actions}))

    def losing(self, who: str, actions: int) -> Fight:
        """The next action is lost: one of this round, or else one of the next."""
        here = min(actions, self.left.get(who, 0))
        return self.spending(who, here).losing_next(who, actions - here)

    def losing_next(self, who: str, actions: int) -> Fight:
        return replace(self, lost=self.lost.but(**{who: self.lost.get(who, 0) + actions})) if actions else self

    def involving(self, *names: str) -> Fight:
        return replace(self, involved=self.involved.union(names))

    def band(self, one: str, other: str) -> int:
        return self.bands.get(_pair(one, other), 0)

    def moved(self, one: str, other: str, bands: int) -> Fight:
        return replace(self, bands=self.bands.but(**{_pair(one, other): max(0, self.band(one, other) + bands)}))

    def covering(self, who: str) -> Fight:
        return replace(self, cover=self.cover | {who})

    def uncovering(self, who: str) -> Fight:
        return replace(self, cover=self.cover - {who})

    def stepping_later(self, step: Step) -> Fight:
        return replace(self, steps=(*self.steps, step))

    def firing_rapidly(self, who: str) -> Fight:
        return replace(self, rapid=self.rapid | {who})

    def pinned(self, who: str) -> bool:
        return any(target == who for _, target in self.pins)

    def pinning(self, holder: str, target: str) -> Fight:
        return replace(self, pins=(*self.freeing(holder, target).pins, (holder, target)))

    def freeing(self, holder: str, target: str) -> Fight:
        return replace(self, pins=tuple(pin for pin in self.pins if pin != (holder, target)))

    def deferring(self, result: Deferred) -> Fight:
        return replace(self, deferred=(*self.deferred, result))

    def settling(self) -> Fight:
        """Without the first of the waiting results."""
        return replace(self, deferred=self.deferred[1:])

    def freezing(self, who: str) -> Fight:
        return replace(self, frozen=self.frozen | {who})

    def enraging(self, who: str) -> Fight:
        return replace(self, berserk=self.berserk | {who})

    def calmed(self, who: str) -> Fight:
        """Someone berserk has attacked and is no longer berserk."""
        return replace(self, berserk=self.berserk - {who})

    def without(self, who: str) -> Fight:
        """Someone is out of it: holds no one, is held by no one, and has no move left to make."""
        pins = tuple(pin for pin in self.pins if who not in pin)
        steps = tuple(step for step in self.steps if step.who != who)
        return replace(self.calmed(who), pins=pins, steps=steps)

    def leaving(self, who: str) -> Fight:
        return replace(self.without(who), gone=self.gone | {who})


FIGHT: Final = Who("fight", Fight)


def _pair(one: str, other: str) -> str:
    return " ".join(sorted((one, other)))


def is_close(scene: Scene, one: Who[Character], other: Who[Character]) -> bool:
    """Close is the one range the book names; outside a fight everyone is close."""
    return FIGHT not in scene or scene[FIGHT].band(one.name, other.name) == 0
