"""Policies: what someone who is not asked would decide. They see the question, what it is about, and the scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias, final

from referee.core.errors import BadAnswer
from referee.core.plain import Plain
from referee.core.questions import Choice, Choose, Question, Ruling, key_of
from referee.core.scene import Scene

Policy: TypeAlias = Callable[[Choice[Any], Scene], Any]


def by_default(question: Choice[Any], scene: Scene) -> Any:
    """The answer if no one says anything: no push, no reaction, the book's default."""
    return question.default


def always(**answers: Plain) -> Policy:
    """The same answer each time a question of that name is asked, if it is legal; everything else by default.

    `always(push=True)`, or for one person only `always(**{"ana.push": True})`.
    """
    return answering(answers, by_default)


def answering(answers: Mapping[str, Plain], otherwise: Policy) -> Policy:
    """The same answer each time a question of that name is asked, if it is legal; everything else by another policy."""
    return _Answers({name.casefold().replace("_", "-"): answer for name, answer in answers.items()}, otherwise)


@final
@dataclass(frozen=True, eq=False)
class _Answers:
    """The policy of `answering`."""

    wanted: Mapping[str, Plain]
    otherwise: Policy

    @property
    def is_by_name(self) -> bool:
        return is_by_name(self.otherwise)

    def __call__(self, question: Choice[Any], scene: Scene) -> Any:
        for name in (f"{question.who}.{question.name}", question.name):
            if name.casefold().replace("_", "-") in self.wanted:
                try:
                    return question.read(self.wanted[name.casefold().replace("_", "-")])
                except BadAnswer:
                    return self.otherwise(question, scene)
        return self.otherwise(question, scene)


def is_by_name(policy: Policy) -> bool:
    """Whether a policy looks at nothing but who is asked, by which name, and what is legal. It may say so itself."""
    return policy is by_default or getattr(policy, "is_by_name", False)


def by_person(policies: Mapping[str, Policy], otherwise: Policy) -> Policy:
    """Some people decide by policies of their own, everyone else by another."""

    def decide(question: Choice[Any], scene: Scene) -> Any:
        mine = policies.get(question.who.name) if question.who is not None else None
        return (mine or otherwise)(question, scene)

    return decide


def at_random(random: Random) -> Policy:
    """Any legal answer."""

    def decide(question: Choice[Any], scene: Scene) -> Any:
        return random.choice(question.legal)

    return decide


def decided(policy: Policy, question: Question[Any], scene: Scene) -> Any:
    """What a policy answers; it must be legal, as it must be for people."""
    if not isinstance(question, Choice):
        raise TypeError(f"neither chance nor choice: {question}")
    answer = policy(question, scene)
    if isinstance(question, Choose) and not question.offers(answer):
        raise question.bad(f"the policy says {key_of(answer)!r}", map(key_of, question.options))
    return question.read(question.write(answer)) if isinstance(question, Ruling) else answer
