"""Fights by random legal choices: AP, turns and cards stay as the book wants them, undone and played again."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random
from typing import Final

import pytest

from referee import registry
from referee.core import Scene, State
from referee.core.agenda import next_of
from referee.core.cards import Pile
from referee.drivers.policies import at_random
from referee.drivers.sampled import Sampled
from referee.journal.changes import fold
from referee.journal.journal import Journal
from referee.systems.dime.fight import FIGHT, ZoneFight
from referee.systems.dime.turn_order import next_in_turn
from referee.testing.conformance import ConformanceWalk
from referee.testing.scenarios import samples

DIME: Final = registry.load("dime")
START: Final = dict(samples(DIME))["ambush"]
DECKS: Final = {"Ada": 54, "Rourke": 54, "gm": 54}


def decks(state: State) -> Counter[str]:
    cards = [card for value in state.values() if isinstance(value, Pile) for card in value.cards]
    assert len(set(cards)) == len(cards)
    return Counter(card.deck for card in cards)


def fight_steps(seed: int, most: int = 60) -> list[ZoneFight]:
    """The fight after every step of it, with everything chosen at random."""
    random = Random(seed)
    driver, state, found = Sampled(random, at_random(random)), START, list[ZoneFight]()
    for _ in range(most):
        scene = Scene(state)
        if FIGHT not in scene or scene[FIGHT].over(scene, FIGHT) is not None:
            break
        step = next_of(scene, FIGHT)
        assert step is not None
        _, state = driver.play(step.call, state)
        assert decks(state) == DECKS
        found.append(Scene(state)[FIGHT])
    return found


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(30))
def test_ap_are_never_carried_over_and_turns_keep_their_limits(seed: int) -> None:
    steps = fight_steps(seed)
    turns: list[tuple[int, str]] = []
    for before, after in pairwise(steps):
        if after.turn_begun and not before.turn_begun:
            assert after.left.get(after.turn, 0) <= 3, "new AP replace the old"
            turns.append((after.round, after.turn))
        for name, ap in after.left.items():
            assert ap >= 0
            if not (after.turn_begun and not before.turn_begun and name == after.turn):
                assert ap <= before.left.get(name, 0), f"{name} has gained AP outside a turn"
    assert len(set(turns)) == len(turns), "nobody acts twice in a round"
    assert turns


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(30))
def test_nobody_is_a_third_of_a_side_while_the_other_side_could_act(seed: int) -> None:
    heroes = {"Ada", "Rourke"}
    random = Random(seed)
    driver, state, row = Sampled(random, at_random(random)), START, list[bool]()
    for _ in range(80):
        scene = Scene(state)
        if FIGHT not in scene or (step := next_of(scene, FIGHT)) is None:
            break
        fight = scene[FIGHT]
        if step.call.rule.id == "dime.combat.turn-order" and len(row) >= 2 and row[-1] == row[-2]:
            legal = next_in_turn(scene)
            alive = [each for each in fight.fighters if fight.has_turns(scene, each)]
            left = [each for each in alive if each not in fight.acted] or alive
            if any((each in heroes) != row[-1] for each in left):
                assert all((each in heroes) != row[-1] for each in legal)
        _, state = driver.play(step.call, state)
        now = Scene(state)
        after = now.get(FIGHT, fight)
        if after.acted - fight.acted:
            row.append(after.last_turn in heroes)
    assert len(row) >= 2


@pytest.mark.sweep(3)
@pytest.mark.parametrize("seed", range(12))
def test_a_fight_with_undo_keeps_every_card_and_the_log_leads_to_its_scene(seed: int) -> None:
    walk, random = ConformanceWalk(DIME, START, seed, check=False), Random(seed)
    for _ in range(30):
        assert walk.move()
        assert decks(walk.journal.state) == DECKS
        if random.random() < 0.1 and walk.journal.story and not walk.journal.asking:
            walk.journal.undo("somebody", random.choice(walk.journal.story)[0])
            assert decks(walk.journal.state) == DECKS
        assert fold(DIME, START, (line for _, line in walk.journal.story)) == walk.journal.state


@pytest.mark.sweep(3)
@pytest.mark.parametrize("seed", range(12))
def test_a_fight_is_replayed_alike_from_its_log(seed: int) -> None:
    walk = ConformanceWalk(DIME, START, seed, check=False)
    for _ in range(30):
        assert walk.move()
    again = Journal(DIME, START, walk.journal.source, list(walk.journal.lines))
    assert (again.state, again.asking) == (walk.journal.state, walk.journal.asking)
