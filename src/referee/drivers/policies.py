"""Policies: what somebody who is not asked would decide. They see the question, what it is about, and the scene."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from referee.core.plain import Plain
from referee.core.questions import Choice
from referee.core.scene import Scene

Policy: TypeAlias = Callable[[Choice[Any], Scene], Any]


def by_default(question: Choice[Any], scene: Scene) -> Any:
    """What silence means: the last option (no push, no reaction), the book's default."""
    return question.default


def always(**answers: Plain) -> Policy:
    """The same answer each time a question of that name is asked: `always(push=True)`. Others by default."""
    wanted = {name.replace("_", "-"): answer for name, answer in answers.items()}

    def decide(question: Choice[Any], scene: Scene) -> Any:
        return question.read(wanted[question.name]) if question.name in wanted else question.default

    return decide


def at_random(random: Random) -> Policy:
    """Any lawful answer."""

    def decide(question: Choice[Any], scene: Scene) -> Any:
        return random.choice(question.lawful)

    return decide
