"""Every card is always in exactly one place: through any actions, refusals, undo and redo."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from referee import registry
from referee.core.cards import Pile
from referee.core.scene import State
from referee.testing.conformance import ConformanceWalk
from referee.testing.scenarios import samples

DIME = registry.load("dime")
START = dict(samples(DIME))["saloon"]
DECKS = {"Ada": 54, "Rourke": 54, "gm": 54}
ENCOUNTERS = {"rooftops": {"Lucie": 54, "Anton": 54, "gm": 54}, "noon": {"Delia": 54, "Doc Whitlow": 54, "gm": 54}}


def decks(state: State) -> Counter[str]:
    """How many different cards of each deck lie in the piles of a scene."""
    cards = [card for value in state.values() if isinstance(value, Pile) for card in value.cards]
    assert len(set(cards)) == len(cards)
    return Counter(card.deck for card in cards)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(40))
def test_every_card_is_in_exactly_one_place_through_any_play(seed: int) -> None:
    walk, random = ConformanceWalk(DIME, START, seed, check=False), Random(seed)
    for _ in range(40):
        assert walk.move()
        assert decks(walk.journal.state) == DECKS
        if random.random() < 0.15 and walk.journal.story and not walk.journal.asking:
            number, _line = random.choice(walk.journal.story)
            walk.journal.undo("somebody", number)
            assert decks(walk.journal.state) == DECKS
            if random.random() < 0.5:
                walk.journal.redo("somebody")
                assert decks(walk.journal.state) == DECKS


@pytest.mark.parametrize("sample", ENCOUNTERS)
@pytest.mark.parametrize("seed", range(4))
def test_every_card_is_in_one_place_through_a_chase_and_a_duel(sample: str, seed: int) -> None:
    walk, random = ConformanceWalk(DIME, dict(samples(DIME))[sample], seed, check=False), Random(seed)
    for _ in range(25):
        assert walk.move()
        assert decks(walk.journal.state) == ENCOUNTERS[sample]
        if random.random() < 0.15 and walk.journal.story and not walk.journal.asking:
            walk.journal.undo("somebody", random.choice(walk.journal.story)[0])
            assert decks(walk.journal.state) == ENCOUNTERS[sample]


def test_outside_a_running_flip_no_card_lies_on_the_table() -> None:
    walk = ConformanceWalk(DIME, START, 3, check=False)
    ended = 0
    for _ in range(60):
        assert walk.move()
        if not walk.journal.asking:
            ended += 1
            flips = [value for name, value in walk.journal.state.items() if name.endswith(".in-play")]
            assert len(flips) == 4
            assert not any(flips)
    assert ended > 10


def test_a_hand_is_seen_by_its_owner_and_counted_by_the_others() -> None:
    from referee.core.visibility import Seat, visible_scene

    hand = {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": ["KS@ana", "2H@ana"]}
    scene = DIME.new_state({"ana": {}, "bo": {}, "ana.hand": hand})
    hers = visible_scene(scene, Seat("Ann", frozenset({"ana"})))
    his = visible_scene(scene, Seat("Ben", frozenset({"bo"})))
    assert hers["ana.hand"]["cards"] == ["2H@ana", "KS@ana"]
    assert his["ana.hand"] == {"kind": "Pile", "owner": "ana", "facing": "hand", "count": 2}
    assert his["ana.deck"]["count"] == 52
    assert "gm.discards" not in his
