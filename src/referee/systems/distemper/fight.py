"""Combat rounds: initiative, actions in turn, resolution, as an encounter."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, final

from referee.core import (
    Call,
    Encounter,
    Levels,
    Open,
    Refused,
    Scene,
    Who,
    alter,
    applying,
    figure,
    formula,
    rule,
    tally,
)
from referee.core.effects import Effect, Forbids, lay, moment
from referee.core.plain import Plain
from referee.core.rules import rule_named
from referee.systems.distemper.checks import INITIATIVE, initiative_check
from referee.systems.distemper.sheet import TRACKED, Character

ACTIONS: Final = figure("distemper.combat.actions-per-round", "actions", int)
MOVE: Final = figure("distemper.combat-actions.move", "range_bands", int)
UNINVOLVED: Final = figure("distemper.combat.initiative-uninvolved-bonus", "bonus", int)
LEAST_SECONDS: Final = figure("distemper.combat.round", "least_seconds", int)
MOST_SECONDS: Final = figure("distemper.combat.round", "most_seconds", int)

TURN: Final = "distemper.combat-actions.catalogue"
"""The rule by which somebody takes a Combat Action; it stands with the actions themselves."""
ACTION_END: Final = "action end"
ROUND_END: Final = "round end"
UNINVOLVED_RULE: Final = "distemper.combat.initiative-uninvolved-bonus"


class Phase(Enum):
    """The three phases of a round."""

    INITIATIVE = "initiative"
    ACTIONS = "actions"
    RESOLUTION = "resolution"


@final
@dataclass(frozen=True, slots=True)
class Deferred:
    """A result that waits until everybody who acts at the same time has acted."""

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
    """A fight: its sides, whose turn it is, what is left of this round and lost of the next."""

    sides: Open[tuple[tuple[str, ...], ...]]
    round: Open[int] = tally(0)
    phase: Open[Phase] = Phase.INITIATIVE
    scores: Open[Levels] = field(default_factory=Levels)
    left: Open[Levels] = field(default_factory=Levels)
    """Combat Actions left in this round."""
    lost: Open[Levels] = field(default_factory=Levels)
    """Combat Actions lost in the next round."""
    frozen: Open[frozenset[str]] = frozenset()
    """Who loses the whole next round."""
    berserk: Open[frozenset[str]] = frozenset()
    """Who must attack the closest person with the next action."""
    involved: Open[frozenset[str]] = frozenset()
    """Who has attacked or been attacked in this round."""
    rapid: Open[frozenset[str]] = frozenset()
    """Who has fired rapidly in this round, or declared to do so with both actions."""
    cover: Open[frozenset[str]] = frozenset()
    pins: Open[tuple[tuple[str, str], ...]] = ()
    """Who holds whom."""
    bands: Open[Levels] = field(default_factory=Levels)
    """Range bands between two, `al bo`; those not named are close."""
    steps: Open[tuple[Step, ...]] = ()
    deferred: Open[tuple[Deferred, ...]] = ()
    gone: Open[frozenset[str]] = frozenset()
    """Who has disengaged."""

    @property
    def fighters(self) -> tuple[str, ...]:
        return tuple(name for side in self.sides for name in side)

    def is_able(self, scene: Scene, who: str) -> bool:
        """Whether somebody is still in the fight."""
        return who not in self.gone and not scene[Who(who, Character)].dead

    def able(self, scene: Scene) -> tuple[str, ...]:
        return tuple(name for name in self.fighters if self.is_able(scene, name))

    def group(self, scene: Scene) -> tuple[str, ...]:
        """Who acts now; equal scores act at the same time."""
        return tuple(sorted(name for name in self.fighters if self.acts(scene, name)))

    def acts(self, scene: Scene, who: str) -> bool:
        """Whether it is somebody's turn: nobody else with actions left has a higher score."""
        score = self.scores.get(who, 0)
        return self._is_ready(scene, who) and not any(
            self.scores.get(name, 0) > score and self._is_ready(scene, name) for name in self.left
        )

    def _is_ready(self, scene: Scene, who: str) -> bool:
        return self.phase is Phase.ACTIONS and self.left.get(who, 0) > 0 and self.is_able(scene, who)

    def acts_with_another(self, scene: Scene, who: str) -> bool:
        """Whether somebody acts now and is not alone; who has no actions in this round is no company."""
        return self.acts(scene, who) and any(
            name != who and name in self.left and self.scores.get(name) == self.scores.get(who)
            for name in self.able(scene)
        )

    def next_step(self, scene: Scene) -> Call[Any]:
        if self.phase is Phase.INITIATIVE:
            return begin_round(scene)
        group = self.group(scene)
        if self.deferred and not any(self._is_of_the_group(name) for name in group):
            return settle(scene)
        return rule_named(TURN)(scene, Who(group[0], Character)) if group else resolution(scene)

    def over(self, scene: Scene) -> Hashable | None:
        """The first side standing alone has won; `nobody` if none stands."""
        if self.deferred:
            return None
        able = self.able(scene)
        standing = [at for at, side in enumerate(self.sides) if any(name in able for name in side)]
        return None if len(standing) > 1 else " and ".join(self.sides[standing[0]]) if standing else "nobody"

    def _is_of_the_group(self, name: str) -> bool:
        """Whether somebody still to act is of the group whose results wait."""
        return self.scores.get(name) == self.scores.get(self.deferred[0].by)

    def spending(self, who: str, actions: int) -> Fight:
        return replace(self, left=self.left.but(**{who: max(0, self.left.get(who, 0) - actions)}))

    def gaining(self, who: str, actions: int) -> Fight:
        return replace(self, left=self.left.but(**{who: self.left.get(who, 0) + actions}))

    def losing(self, who: str, actions: int) -> Fight:
        """The next action is lost: of this round, or else of the next."""
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

    def pinned(self, who: str) -> bool:
        return any(target == who for _, target in self.pins)

    def calmed(self, who: str) -> Fight:
        """Who was berserk attacks, and is no longer."""
        return replace(self, berserk=self.berserk - {who})

    def without(self, who: str) -> Fight:
        """Somebody is out of it: holds nobody, is held by nobody, and moves no more."""
        pins = tuple(pin for pin in self.pins if who not in pin)
        steps = tuple(step for step in self.steps if step.who != who)
        return replace(self.calmed(who), pins=pins, steps=steps)

    def leaving(self, who: str) -> Fight:
        return replace(self.without(who), gone=self.gone | {who})


FIGHT: Final = Who("fight", Fight)


def _pair(one: str, other: str) -> str:
    return " ".join(sorted((one, other)))


def is_close(scene: Scene, one: Who[Character], other: Who[Character]) -> bool:
    """Close is the one range the book names; outside a fight everybody is."""
    return FIGHT not in scene or scene[FIGHT].band(one.name, other.name) == 0


@rule("distemper.combat.round", "distemper.combat.initiative-order", "distemper.combat.actions-per-round")
async def begin_round(scene: Scene) -> None:
    """Everybody rolls initiative and has two Combat Actions, less what was lost."""
    check_fight(scene)
    for name in scene[FIGHT].able(scene):
        score = await roll_initiative(scene, Who(name, Character))
        await alter(FIGHT, with_score, name, score)
    for name in sorted(scene[FIGHT].frozen.intersection(scene[FIGHT].able(scene))):
        await freeze(scene, Who(name, Character))
    await alter(FIGHT, begun, actions_of_round(scene), scene[ACTIONS])


@rule("distemper.combat.initiative-order")
async def roll_initiative(scene: Scene, who: Who[Character]) -> int:
    """From the highest score to the lowest; equal scores act simultaneously."""
    return await initiative_check(scene, who)


def with_score(fight: Fight, name: str, score: int) -> Fight:
    return replace(fight, scores=fight.scores.but(**{name: score}))


@rule("distemper.panic.table/freeze")
async def freeze(scene: Scene, who: Who[Character]) -> None:
    """Frozen in place, or screaming: no actions in this round, not even one that somebody inspires."""
    await lay(scene, who, Effect(Forbids("act"), until=ROUND_END), "frozen", "distemper.panic.table")


@formula("distemper.combat.actions-per-round")
def actions_of_round(scene: Scene) -> Levels:
    """Two each, less what was lost; who may not act has none."""
    fight = scene[FIGHT]
    acting = (name for name in fight.able(scene) if not is_forbidden(scene, Who(name, Character), "act"))
    given = {name: scene[ACTIONS] - fight.lost.get(name, 0) for name in acting}
    return Levels({name: actions for name, actions in given.items() if actions > 0})


def is_forbidden(scene: Scene, who: Who[Character], what: str) -> bool:
    return any(active.effect.does == Forbids(what) for active in applying(scene, who).active)


def begun(fight: Fight, left: Levels, actions: int) -> Fight:
    """A round begins: what was lost is paid, as far as its actions go, and nobody is involved yet."""
    return replace(
        fight,
        round=fight.round + 1,
        phase=Phase.ACTIONS,
        left=left,
        lost=Levels({name: lost - actions for name, lost in fight.lost.items() if lost > actions}),
        frozen=frozenset(),
        involved=frozenset(),
        rapid=frozenset(),
    )


@rule("distemper.combat.initiative-order/results")
async def settle(scene: Scene) -> None:
    """Everybody of the group has acted: now what they did takes effect, in the order it was done."""
    while scene[FIGHT].deferred:
        first = scene[FIGHT].deferred[0]
        await alter(FIGHT, lambda fight: replace(fight, deferred=fight.deferred[1:]))
        cited = rule_named(first.rule)
        await cited(scene, *cited.arguments(dict(first.arguments)))


async def take_effect(scene: Scene, by: Who[Character], result: Call[Any]) -> None:
    """What an action does to others: at once, or with the results of those who act at the same time."""
    if FIGHT in scene and scene[FIGHT].acts_with_another(scene, by.name):
        waiting = Deferred(by.name, result.rule.id, tuple(_scalars(result.plain())))
        await alter(FIGHT, lambda fight: replace(fight, deferred=(*fight.deferred, waiting)))
    else:
        await result


def _scalars(arguments: dict[str, Plain]) -> Iterator[tuple[str, str | int]]:
    for name, value in arguments.items():
        if isinstance(value, (str, int)):
            yield name, value


@rule("distemper.combat.resolution-phase", "distemper.combat-actions.reposition", UNINVOLVED_RULE)
async def resolution(scene: Scene) -> None:
    """Delayed moves, highest initiative first; round-long effects end; a quiet round helps the next initiative."""
    order = sorted(scene[FIGHT].steps, key=lambda step: -scene[FIGHT].scores.get(step.who, 0))
    for step in order:
        await step_now(scene, Who(step.who, Character), Who(step.target, Character), step.closer, scene[MOVE])
    for name in scene[FIGHT].able(scene):
        if name not in scene[FIGHT].involved:
            await stay_out(scene, Who(name, Character))
    await moment(scene, ROUND_END)
    await alter(FIGHT, lambda fight: replace(fight, phase=Phase.INITIATIVE, steps=(), scores=Levels()))


@rule(UNINVOLVED_RULE)
async def stay_out(scene: Scene, who: Who[Character]) -> None:
    """Who neither attacked nor was attacked has +1 on the next initiative roll only."""
    if not any(active.rule == UNINVOLVED_RULE for active in applying(scene, who, INITIATIVE).active):
        bonus = Effect.from_plain({"adds": scene[UNINVOLVED], "when": [INITIATIVE], "uses": 1})
        await lay(scene, who, bonus, "a quiet round", UNINVOLVED_RULE)


@rule("distemper.combat-actions.move/step")
async def step_now(scene: Scene, who: Who[Character], target: Who[Character], closer: bool, bands: int) -> None:
    """The range between two changes; who moves leaves cover. The pinned and the catatonic stay where they are."""
    if FIGHT in scene and not scene[FIGHT].pinned(who.name) and not is_forbidden(scene, who, "move"):
        await alter(FIGHT, lambda fight: replace(fight, cover=fight.cover - {who.name}))
        await alter(FIGHT, Fight.moved, who.name, target.name, -bands if closer else bands)


@formula("distemper.combat.round/seconds")
def seconds(scene: Scene, rounds: int) -> tuple[int, int]:
    """How long some rounds take, at least and at most."""
    return rounds * scene[LEAST_SECONDS], rounds * scene[MOST_SECONDS]


def check_fight(scene: Scene) -> None:
    """Only people in the scene fight, each on one side."""
    fighters = scene[FIGHT].fighters
    for fighter in fighters:
        if Who(fighter, Character) not in scene:
            raise Refused("fight", because=f"{fighter} is not here", rule=TRACKED.rule)
    if len(set(fighters)) < len(fighters):
        raise Refused("fight", because="nobody fights on two sides", rule="distemper.combat.round")
