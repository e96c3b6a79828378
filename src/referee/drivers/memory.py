"""What was worked out before: by one driver, or by several with different policies."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, TypeVar, final

from referee.core.errors import RefereeError
from referee.core.questions import Choice, Choose
from referee.core.rules import Call
from referee.core.scene import Read, Scene, State
from referee.drivers.call_odds import CallOdds
from referee.drivers.policies import Policy, decided

W = TypeVar("W")

MOST_SHARED: Final = 24
"""Odds that rest on more decisions than this are not shared."""
NOWHERE: Final = Scene(State({}))
"""A policy by name does not look at the scene."""


@final
@dataclass
class Memory(Generic[W]):
    """By call, then by what it read, then by the values that had."""

    _kept: dict[Call[Any], dict[tuple[Read, ...], dict[tuple[Hashable | None, ...], W]]] = field(default_factory=dict)

    def recall(self, call: Call[Any], state: State) -> W | None:
        for reads, known in self._kept.get(call, {}).items():
            if (found := known.get(state.at(reads))) is not None:
                return found
        return None

    def keep(self, call: Call[Any], state: State, reads: tuple[Read, ...], found: W) -> None:
        self._kept.setdefault(call, {}).setdefault(reads, {})[state.at(reads)] = found


@final
@dataclass
class SharedOdds:
    """What several drivers with different policies know of the same rules, for all options of one card.

    All their policies must decide by name (`is_by_name`). Each entry knows the decisions it rests on; a driver takes it
    over only if its own policy decides all of them alike.
    """

    _by_call: dict[tuple[Call[Any], bool], list[CallOdds]] = field(default_factory=dict)

    def keep(self, call: Call[Any], state: State, worked: CallOdds, *, results_only: bool) -> None:
        if worked.asked is not None and not worked.sampled:
            kept = self._by_call.setdefault((call, results_only), [])
            kept.append(replace(worked, at=state.at(worked.reads)))

    def recall(self, call: Call[Any], state: State, policy: Policy, *, results_only: bool) -> CallOdds | None:
        for each in self._by_call.get((call, results_only), ()):
            if state.at(each.reads) == each.at and self._agrees(policy, each):
                return each
        return None

    @staticmethod
    def _agrees(policy: Policy, known: CallOdds) -> bool:
        try:
            return all(decided(policy, each, NOWHERE) == answer for each, answer in (known.asked or {}).values())
        except RefereeError:
            return False


def as_named(question: Choice[Any], answer: Any) -> Hashable:
    """What a policy by name sees of a question, and what it has decided."""
    options = question.options if isinstance(question, Choose) else ()
    return question.who, question.name, tuple(options), tuple(question.legal), question.default, answer
