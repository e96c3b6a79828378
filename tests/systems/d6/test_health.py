"""Health under any treatment: random play with every option, and what always holds of ladders, stuns and fatigue."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import Scene, State, Who
from referee.core.errors import Refused
from referee.core.questions import Choice
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play
from referee.registry import load
from referee.systems.d6.health import cumulated, end_of_round, stunned, wounded
from referee.systems.d6.sheet import Hero
from referee.systems.d6.wounds import DEAD, MORTAL, WOUND_LEVELS

SYSTEM: Final = load("d6")
ANA: Final = Who("ana", Hero)
EVERYTHING: Final = {
    "d6.core.wild-die": True,
    "d6.core.wild-6": "game master",
    "d6.core.wild-1": "game master",
    "d6.core.fate-points": "single action",
    "d6.health.localized-zones": True,
    "d6.health.cpr": True,
    "d6.health.long-combat": True,
    "d6.health.dead": True,
    "d6.health.desperation-recovery": True,
}
OF_TIME: Final = (
    "end-round",
    "pass-time",
    "task",
    "team-work",
    "acquire-maneuver",
    "invent-maneuver",
    "train-creature",
)
"""What is due has to be played first, which a table does; here it is left out."""
BUILDS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "strong": {"merits": [{"name": "Strong built"}]},
    "weak": {"flaws": [{"name": "Weak built"}]},
    "tiny": {"bulk": 0, "player": False},
    "big": {"bulk": 3},
    "big and strong": {"bulk": 3, "merits": [{"name": "Strong built"}]},
}


def table(options: dict[str, Any] | None = None, **sheets: Any) -> State:
    return SYSTEM.state({**sheets, "book": {"kind": "Book", "system": "d6", "options": options or {}}})


@pytest.mark.parametrize("seed", range(6))
def test_random_play_leaves_legal_sheets(seed: int) -> None:
    rng = Random(seed)

    def at_random(question: Choice[Any], scene: Scene) -> Any:
        if question.name == "without-field":
            return True  # otherwise the step is refused
        return rng.choice(list(question.legal))

    ana = {"attributes": {"Strength": "3D"}, "skills": {"Stamina": "4D"}, "character_points": 3, "fate_points": 2}
    state = table(EVERYTHING, ana=ana, bo={"player": False, "advanced_skills": {"Medicine (A)": "4D"}})
    actions = [each for each in SYSTEM.actions if each.key not in OF_TIME]
    for _ in range(16):
        scene, action = Scene(state), rng.choice(actions)
        who = None if action.master else scene.who(rng.choice(["ana", "bo"]))
        if (way := action.legal_at_random(scene, who, rng)) is not None:
            try:
                _, state = Sampled(rng, at_random).play(action.do(who, **way), state)
            except Refused as why:
                if why.rule != "referee.clock.pass":  # what is due has to be played first, as above
                    raise
        for name in ("ana", "bo"):
            SYSTEM.check(Scene(state), Scene(state).who(name))


@pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
def test_a_wound_never_makes_anybody_better(build: dict[str, Any]) -> None:
    names = Scene(table(ana={}))[WOUND_LEVELS].names
    ladder = Scene(table(ana=build))[ANA].ladder(Scene(table(ana=build)))
    for level in ladder.levels[:-1]:
        for wound in ("Wounded", "Neutralized", MORTAL, DEAD):
            scene = Scene(table(ana={**build, "wound": level}))
            after = cumulated(scene, ANA, wound)
            assert after in ladder.levels
            assert names.index(after) >= max(names.index(level), names.index(wound))
            stays = (level, wound) == (MORTAL, "Wounded")
            assert (after == level) == stays


@pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
def test_wounds_lead_through_the_whole_ladder(build: dict[str, Any]) -> None:
    """One Wounded after another: every level once, up to a mortal wound, where they add nothing."""
    sheet = {**build, "skills": {"Stamina": "20D"}}
    state, seen = table(ana=sheet), ["Healthy"]
    for _ in range(9):
        answers = {"duration": "1 1 1 1 1 1 1 1 1 1"} if next_is_out(state) else {}
        played = play(wounded(ANA, "Wounded"), state, answers)
        state = played.state
        if played.result != seen[-1]:
            seen.append(played.result)
    assert seen == [*Scene(state)[ANA].ladder(Scene(state)).levels][:-1]


def next_is_out(state: State) -> bool:
    """Whether the next wound neutralizes somebody, who is then unconscious for a while."""
    return cumulated(Scene(state), ANA, "Wounded") == "Neutralized" != Scene(state)[ANA].wound


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_stuns_wear_off_one_a_round_and_never_in_their_own(received: list[int]) -> None:
    state, expected = table(ana={"skills": {"Stamina": "40D"}}), 0
    for stuns in received:
        if stuns:
            state = play(stunned(ANA, stuns), state).state
        state = play(end_of_round(ANA), state).state
        expected = max(0, expected - 1) + stuns
        assert (Scene(state)[ANA].stuns, Scene(state)[ANA].new_stuns) == (expected, 0)
