"""Combat rounds: initiative, actions in turn, resolution; and results of simultaneous actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from referee.core import Call, Levels, Refused, Scene, Who, alter, applying, figure, formula, rule
from referee.core.effects import Effect, Forbids, add_effect, moment
from referee.core.plain import Plain
from referee.core.rules import rule_named
from referee.systems.distemper.actions import is_forbidden
from referee.systems.distemper.checks import INITIATIVE, initiative_check
from referee.systems.distemper.fight import FIGHT, RESOLUTION, RESULTS, ROUND, ROUND_END, Deferred, Fight, Phase
from referee.systems.distemper.moving import MOVE, step_now
from referee.systems.distemper.sheet import TRACKED, Character

ACTIONS: Final = figure("distemper.combat.actions-per-round", "actions", int)
UNINVOLVED: Final = figure("distemper.combat.initiative-uninvolved-bonus", "bonus", int)
LEAST_SECONDS: Final = figure("distemper.combat.round", "least_seconds", int)
MOST_SECONDS: Final = figure("distemper.combat.round", "most_seconds", int)

UNINVOLVED_RULE: Final = "distemper.combat.initiative-uninvolved-bonus"


@rule(ROUND, "distemper.combat.initiative-order", "distemper.combat.actions-per-round")
async def begin_round(scene: Scene) -> None:
    """Everyone rolls initiative and has two Combat Actions, less those that were lost."""
    check_fight(scene)
    for name in scene[FIGHT].able(scene):
        score = await roll_initiative(Who(name, Character))
        await alter(FIGHT, with_score, name, score)
    for name in sorted(scene[FIGHT].frozen.intersection(scene[FIGHT].able(scene))):
        await freeze(Who(name, Character))
    await alter(FIGHT, begun, actions_of_round(scene), scene[ACTIONS])


@rule("distemper.combat.initiative-order")
async def roll_initiative(scene: Scene, who: Who[Character]) -> int:
    """From the highest score to the lowest; equal scores act simultaneously."""
    return await initiative_check(who)


def with_score(fight: Fight, name: str, score: int) -> Fight:
    return replace(fight, scores=fight.scores.but(**{name: score}))


@rule("distemper.panic.table/freeze")
async def freeze(scene: Scene, who: Who[Character]) -> None:
    """Frozen in place, or screaming: no actions in this round, not even one that someone inspires."""
    await add_effect(who, Effect(Forbids("act"), until=ROUND_END), "frozen", "distemper.panic.table")


@formula("distemper.combat.actions-per-round")
def actions_of_round(scene: Scene) -> Levels:
    """Two each, less those that were lost; someone who may not act has none."""
    fight = scene[FIGHT]
    acting = (name for name in fight.able(scene) if not is_forbidden(scene, Who(name, Character), "act"))
    given = {name: scene[ACTIONS] - fight.lost.get(name, 0) for name in acting}
    return Levels({name: actions for name, actions in given.items() if actions > 0})


def begun(fight: Fight, left: Levels, actions: int) -> Fight:
    """A round begins: lost actions are deducted as far as this round's actions go, and no one is involved yet."""
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


@rule(RESULTS)
async def settle(scene: Scene) -> None:
    """Everyone in the group has acted: now the results take effect, in the order of the actions."""
    while scene[FIGHT].deferred:
        first = scene[FIGHT].deferred[0]
        await alter(FIGHT, Fight.settling)
        cited = rule_named(first.rule)
        await cited(*cited.arguments(dict(first.arguments)))


@rule(f"{RESULTS}/take-effect")
async def take_effect(scene: Scene, by: Who[Character], result: Call[Any]) -> None:
    """What an action does to others: at once, or with the results of those who act at the same time."""
    if FIGHT in scene and scene[FIGHT].acts_with_another(scene, by.name):
        waiting = Deferred(by.name, result.rule.id, tuple(_scalars(result.plain())))
        await alter(FIGHT, Fight.deferring, waiting)
    else:
        await result


def _scalars(arguments: dict[str, Plain]) -> Iterator[tuple[str, str | int]]:
    for name, value in arguments.items():
        if isinstance(value, (str, int)):
            yield name, value


@rule(RESOLUTION, "distemper.combat-actions.reposition", UNINVOLVED_RULE)
async def resolution(scene: Scene) -> None:
    """Delayed moves, highest initiative first; round-long effects end; a quiet round helps the next initiative."""
    order = sorted(scene[FIGHT].steps, key=lambda step: -scene[FIGHT].scores.get(step.who, 0))
    for step in order:
        await step_now(Who(step.who, Character), Who(step.target, Character), step.closer, scene[MOVE])
    for name in scene[FIGHT].able(scene):
        if name not in scene[FIGHT].involved:
            await stay_out(Who(name, Character))
    await moment(ROUND_END)
    await alter(FIGHT, resolved)


def resolved(fight: Fight) -> Fight:
    """A round is over: no one has a score or a move left to make, and initiative comes next."""
    return replace(fight, phase=Phase.INITIATIVE, steps=(), scores=Levels())


@rule(UNINVOLVED_RULE)
async def stay_out(scene: Scene, who: Who[Character]) -> None:
    """Someone who neither attacked nor was attacked has +1 on the next initiative roll only."""
    if not any(active.rule == UNINVOLVED_RULE for active in applying(scene, who, INITIATIVE).active):
        bonus = Effect.from_plain({"adds": scene[UNINVOLVED], "when": [INITIATIVE], "uses": 1})
        await add_effect(who, bonus, "a quiet round", UNINVOLVED_RULE)


@formula("distemper.combat.round/seconds")
def seconds(scene: Scene, rounds: int) -> tuple[int, int]:
    """How long a number of rounds takes, at least and at most."""
    return rounds * scene[LEAST_SECONDS], rounds * scene[MOST_SECONDS]


def check_fight(scene: Scene) -> None:
    """Only people in the scene start a fight, each on one side; someone removed from the scene later has left it."""
    fighters = scene[FIGHT].fighters
    for fighter in fighters:
        if Who(fighter, Character) not in scene and scene[FIGHT].round == 0:
            raise Refused("fight", because=f"{fighter} is not here", rule=TRACKED.rule)
    if len(set(fighters)) < len(fighters):
        raise Refused("fight", because="nobody fights on two sides", rule="distemper.combat.round")
