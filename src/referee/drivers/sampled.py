"""The sampled table: fast random numbers, decisions by policy."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar, final

from referee.core.agenda import ending_of, next_of
from referee.core.errors import TooLarge
from referee.core.questions import Chance, Question
from referee.core.rules import Call
from referee.core.run import Run, drive
from referee.core.scene import Scene, State, Who
from referee.drivers.policies import Policy, by_default, decided

T = TypeVar("T")


@final
@dataclass
class Sampled:
    """Plays steps and encounters at random."""

    random: Random = field(default_factory=lambda: Random(0))
    policy: Policy = by_default

    def answer(self, question: Question[Any], scene: Scene) -> Any:
        if isinstance(question, Chance):
            return question.read(question.at_random(self.random.randrange))
        return decided(self.policy, question, scene)

    def play(self, call: Call[T], state: State) -> tuple[T, State]:
        """One step: its result, and the scene after it."""
        scene = Scene(state)
        result = drive(Run(scene, call, silent=True), self.answer)
        return result, scene.state

    def play_out(self, encounter: Who[Any], state: State, most_steps: int = 10_000) -> tuple[Hashable, State]:
        """A whole encounter, with what comes due in it: how it ended, and the scene after it."""
        scene = Scene(state)
        for _ in range(most_steps):
            following = next_of(scene, encounter)
            if following is None:
                return ending_of(scene, encounter), scene.state
            drive(Run(scene, following.call, silent=True), self.answer)
        raise TooLarge(f"{encounter} has not ended after {most_steps} steps")
