"""Policies: what someone who is not asked would decide. They see the question, what it is about, and the scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias, final

from referee.core.actions import LegalChoices
from referee.core.errors import BadAnswer, BadInput
from referee.core.plain import Plain, unknown
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
    return _Answers({_folded(name): answer for name, answer in answers.items()}, otherwise)


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
        for name in _names(question):
            if name in self.wanted:
                try:
                    return question.read(self.wanted[name])
                except BadAnswer:
                    return self.otherwise(question, scene)
        return self.otherwise(question, scene)


@final
class Decisions:
    """The same answers as `always`, of somebody who has to be told if one of them was never legal."""

    is_by_name = True

    def __init__(self, given: Mapping[str, Plain]) -> None:
        self._given = {_folded(name): answer for name, answer in given.items()}
        self._taken: set[str] = set()
        self._refused: dict[str, BadAnswer] = {}

    def __call__(self, question: Choice[Any], scene: Scene) -> Any:
        for name in _names(question):
            if name in self._given:
                try:
                    answer = question.read(self._given[name])
                except BadAnswer as why:
                    self._refused[name] = why
                    return question.default
                self._taken.add(name)
                return answer
        return question.default

    def check(self, prompts: Iterable[str]) -> None:
        """Refuse a decision that nothing asks for, or that was not legal whenever it was asked for."""
        asks = tuple(map(str, prompts))
        for name in self._given.keys() - self._taken:
            if name in self._refused:
                raise self._refused[name]
            if name.rpartition(".")[2] not in map(_folded, asks):
                raise BadInput(name, unknown(name, asks))


def _names(question: Choice[Any]) -> tuple[str, str]:
    """What a question is called: with whoever is asked, and without."""
    return _folded(f"{question.who}.{question.name}"), _folded(question.name)


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-")


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
    """Any legal answer; of the many ways of a turn any action, and then any way to take it, without a list of all."""

    def decide(question: Choice[Any], scene: Scene) -> Any:
        legal = question.legal
        if not isinstance(legal, LegalChoices):
            return random.choice(legal)
        ways = (legal.at_random(key, random) for key in random.sample(legal.keys, len(legal.keys)))
        return next((way for way in ways if way is not None), question.default)

    return decide


def decided(policy: Policy, question: Question[Any], scene: Scene) -> Any:
    """What a policy answers; it must be legal, as it must be for people."""
    if not isinstance(question, Choice):
        raise TypeError(f"neither chance nor choice: {question}")
    answer = policy(question, scene)
    if isinstance(question, Choose) and not question.offers(answer):
        raise question.bad(f"the policy says {key_of(answer)!r}", map(key_of, question.options))
    return question.read(question.write(answer)) if isinstance(question, Ruling) else answer
