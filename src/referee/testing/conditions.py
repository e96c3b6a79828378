"""What comes due because of what people are like, whether they got that way by play, by hand, in a sample or a log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final, final

from referee.core.agenda import next_of
from referee.core.clock import CLOCK, PASSING, Clock, Passing, following, rules_that_follow
from referee.core.encounter import encounters
from referee.core.errors import RefereeError
from referee.core.files import load_all_yaml
from referee.core.plain import Plain
from referee.core.run import Run, drive
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.drivers.sampled import Sampled
from referee.journal.journal import Journal
from referee.journal.lines import Line
from referee.testing.scenarios import places_of, scene_of
from referee.testing.stage import ScenarioStage

EACH: Final = 2
"""Of so many scenes in which a rule follows, the ways are compared."""
MOMENTS: Final = 3
"""How many moments at which something comes due pass."""
MOST_STEPS: Final = 120


@final
@dataclass(frozen=True)
class MetCondition:
    """A scene from which something follows, and the rules that do."""

    rules: frozenset[str]
    state: State


def states_of(files: Iterable[Path]) -> Iterator[State]:
    """The scenes of scenario files: those they begin with, and those after each of their steps."""
    for file in files:
        for plain, _ in load_all_yaml(file.read_text("utf-8")):
            if plain:
                yield from _played(plain)


def _played(plain: Plain) -> Iterator[State]:
    try:
        system, state = scene_of(plain)
    except RefereeError:
        return
    yield state
    stage = ScenarioStage(system, state, [], dict(places_of(system, plain)))
    for at, step in enumerate(plain["steps"]):
        try:
            stage.step(step, ("steps", at))
        except RefereeError:
            continue
        yield stage.state


def rules_of(system: System) -> frozenset[str]:
    """The rules of a system that come due by what the scene is like, as it declares them."""
    return frozenset(each for each in rules_that_follow() if each.startswith(f"{system.name}."))


def conditions(states: Iterable[State]) -> Iterator[MetCondition]:
    """Scenes, not in a fight, from which something follows that has not been met a few times already."""
    met: dict[str, int] = {}
    for state in states:
        scene = Scene(state)
        if any(each != PASSING for each in encounters(scene)):
            continue
        rules = frozenset(each.rule for each in following(scene))
        if any(met.get(each, 0) < EACH for each in rules):
            met |= {each: met.get(each, 0) + 1 for each in rules}
            yield MetCondition(rules, state)


def stored_rules(states: Iterable[State]) -> frozenset[str]:
    """The rules whose deadlines rules have set, which whoever writes a sheet by hand cannot."""
    clocks = (Scene(state).get(CLOCK, Clock()) for state in states)
    return frozenset(each.rule for clock in clocks for each in clock.valid)


def ways(system: System, state: State) -> dict[str, State]:
    """The same scene by every way there is to it."""
    bare = state.but(CLOCK.name, Clock(Scene(state)[CLOCK].now))
    people = [who.name for who in Scene(state).all(system.sheet)]
    start = bare
    for name in people:
        start = start.but(name, None)
    journal = Journal(system, start)
    for name in people:
        journal.edit("gm", name, **system.plain_value(bare[name]))
    lines = [Line.from_plain(json.loads(json.dumps(each.to_plain()))) for each in journal.lines]
    imported = Journal(system, journal.start, journal.source, lines)
    plain = {name: system.plain_value(value) for name, value in bare.items()}
    return {
        "played": state,
        "edited": journal.state,
        "imported": imported.state,
        "sample": system.state(plain),
    }


def later(state: State, until: int, seed: int = 0) -> State:
    """The scene at a later time, by dice that are the same every time, as far as so many steps go."""
    table, scene = Sampled(Random(seed)), Scene(state.but(PASSING.name, Passing(until)))
    for _ in range(MOST_STEPS):
        step = next_of(scene, PASSING)
        if step is None or not step.is_clocks:
            break
        drive(Run(scene, step.call, silent=True), table.answer)
    return scene.state.but(CLOCK.name, replace(scene[CLOCK], deadlines=())).but(PASSING.name, None)


def differences(system: System, condition: MetCondition) -> list[str]:
    """The ways to a scene by which time does something else than in the scene as it was played."""
    moments = sorted({each.at for each in following(Scene(condition.state))})[:MOMENTS]
    found = {way: later(state, moments[-1] + 1) for way, state in ways(system, condition.state).items()}
    return [way for way, after in found.items() if after != found["played"]]
