"""Fights that fall apart into what they hold about each fighter, so that a forecast can look up one turn at a time.

A game says what a fighter's condition is: everything in the scene that is about this fighter alone. If a turn depends
on the conditions of whoever acts and of the target, and changes nothing else, whole scenes need not be told apart: what
a turn can come to is worked out by playing the rules, once for each pair of conditions. What is said here is checked
against played rules before it is used; see `forecast/broken_down.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, final

from referee.core.encounter import Encounter
from referee.core.questions import Question
from referee.core.rules import Call
from referee.core.scene import Scene, State

E = TypeVar("E", bound=Encounter)


@final
@dataclass(frozen=True, slots=True)
class FighterFacts:
    """What the course of a fight asks of a fighter's condition."""

    able: bool
    """Takes part at all; whoever does not is out."""
    stands: bool
    """A side with such a fighter is not beaten."""
    ready: bool
    """Has an action left in this round."""
    turns_taken: int
    """Everyone acts once before anybody acts again."""
    target_rank: tuple[int, ...] | None
    """Whom foes attack: the lowest, the first listed among equals. None is not attacked."""


class FightBreakdown(Protocol):
    """How fights of one kind fall apart. Rounds begin with initiative; then everyone who is ready has turns."""

    def refusal(self, scene: Scene, policy: Callable[..., Any]) -> str:
        """Why a fight in this scene, with this policy for everyone, cannot be broken down; nothing if it can."""
        ...

    def condition(self, state: State, who: str) -> Hashable:
        """Everything in the scene that is about this fighter."""
        ...

    def only_of(self, condition: Hashable) -> str:
        """Whose condition it must be, if it could not be that of somebody alike; otherwise nothing."""
        ...

    def rest(self, state: State) -> State:
        """Everything else that a later step can depend on."""
        ...

    def between_rounds(self, rest: State, conditions: Mapping[str, Hashable]) -> State:
        """The scene of these conditions, before a round begins."""
        ...

    def amid_turns(self, rest: State, conditions: Mapping[str, Hashable], order: Sequence[str]) -> State:
        """The scene of these conditions while turns are taken, in this order."""
        ...

    def is_between_rounds(self, state: State) -> bool: ...

    def is_amid_turns(self, state: State) -> bool: ...

    def facts(self, scene: Scene, who: str) -> FighterFacts: ...

    def initiative(self, scene: Scene, who: str) -> Call[Any]:
        """The roll that decides when somebody acts."""
        ...

    def initiative_score(self, scene: Scene, who: str, result: Any) -> int:
        """What the roll is worth: the highest acts first.

        Among equals the game master prefers the first listed of those whom he has not preferred yet, if there are
        several, and stays with it.
        """
        ...

    def scores(self, state: State) -> Mapping[str, int]:
        """What everyone's roll was worth in the round that has begun; for checks."""
        ...

    def order(self, state: State) -> tuple[str, ...]:
        """Who acts when in this round; for checks."""
        ...

    def is_immaterial(self, question: Question[Any]) -> bool:
        """Whether a total of dice decides only how long something lasts: at least as long as `horizon` says."""
        ...

    def horizon(self, state: State) -> int:
        """In how many rounds something comes due that conditions leave out."""
        ...


_DECLARED: dict[type[Encounter], FightBreakdown] = {}


def declare_breakdown(kind: type[Encounter], breakdown: FightBreakdown) -> None:
    _DECLARED[kind] = breakdown


def breakdown_of(kind: type[Any]) -> FightBreakdown | None:
    """How fights of a kind fall apart, if its game says so."""
    return _DECLARED.get(kind)
