"""Random sequences of actions: nothing leaves its bounds, pushes stay allowed, dice keep colour and face."""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise
from random import Random
from typing import Any, Final

import pytest

from referee import registry
from referee.core import Scene, State, SymbolCounts, Who
from referee.core.errors import RefereeError
from referee.drivers.policies import at_random
from referee.drivers.sampled import Sampled
from referee.systems.yearzero.dice import DicePool, PoolThrow, throw_and_push
from referee.systems.yearzero.gear import rating
from referee.systems.yearzero.sheet import Survivor
from referee.testing.scenarios import samples

YEARZERO: Final = registry.load("yearzero")
SAMPLES: Final = dict(samples(YEARZERO))
BOTH: Final = {"one", "six"}
KEEPS: Final = {"base": BOTH, "gear": BOTH, "ammo": BOTH, "skill": {"six"}, "negative": {"six"}}


def check_bounds(state: State) -> None:
    """Every attribute, pool, thing and counter of everyone is within what the book allows."""
    scene = Scene(state)
    for who in scene.all(Survivor):
        sheet = scene[who]
        YEARZERO.check(scene, who)
        assert 0 <= sheet.willpower <= 10
        assert sheet.stress >= 0
        assert all(0 <= sheet.now(each) <= sheet.full(each) for each in ("Strength", "Agility", "Wits", "Empathy"))
        for item in sheet.things:
            assert 0 <= item.wear <= item.full(max(rating(scene, item), item.armor))
            assert item.loaded >= 0
        assert 0 <= sheet.pride_lock <= 2
        assert sheet.xp >= 0
        assert sheet.skill_xp >= 0


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(24))
def test_nothing_leaves_its_bounds(seed: int) -> None:
    random = Random(seed)
    state = SAMPLES[random.choice(sorted(SAMPLES))]
    driver, done = Sampled(random, at_random(random)), 0
    for _ in range(14):
        scene = Scene(state)
        actors: list[Who[Any] | None] = [None, *scene.all(Survivor)]
        who = random.choice(actors)
        action = random.choice(YEARZERO.actions_in(scene, master=who is None))
        legal = list(islice(action.legal(scene, who), 40))
        if not legal:
            continue
        try:
            _, state = driver.play(action.do(who, **random.choice(legal)), state)
        except RefereeError:
            continue  # a refusal on the way leaves the scene as it was
        done += 1
        check_bounds(state)
    assert done


@pytest.mark.parametrize("seed", range(40))
def test_dice_keep_colour_and_face_across_pushes(seed: int) -> None:
    """Of every kind as many dice lie after a push as before, and those that a push leaves show what they showed."""
    random = Random(seed)
    dice = DicePool(random.randint(1, 4), random.randint(-3, 3), random.randint(0, 3), random.randint(0, 2))
    state = YEARZERO.new_state({"ana": {"talents": {"True Grit": 1} if seed % 2 else {}}})
    throws: list[Counter[tuple[str, str]]] = []

    def watching(question: Any, scene: Scene) -> Any:
        if isinstance(question.about, SymbolCounts):
            throws.append(Counter({(die, str(face)): n for die, shown in question.about.dice for face, n in shown}))
            return True
        return question.default

    call = throw_and_push(Who("ana", Survivor), PoolThrow(dice, "Strength"))
    fall, _ = Sampled(random, watching).play(call, state)
    assert fall.pushes <= (2 if seed % 2 else 1)
    for before, after in pairwise(throws):
        assert _by_die(before) == _by_die(after)
        for (die, face), n in before.items():
            if face in KEEPS[die]:
                assert after[die, face] >= n


def _by_die(counts: Counter[tuple[str, str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (die, _), n in counts.items():
        found[die] += n
    return found
