"""Fights that fall apart into what they hold about each fighter, so that a forecast can look up one turn at a time.

A game says what a fighter's condition is: everything in the scene that is about this fighter alone. If a turn depends
on the conditions of whoever acts and of the target, and changes nothing else, whole scenes need not be told apart: what
a turn can come to is worked out by playing the rules, once for each pair of conditions. What is said here is checked
against played rules before it is used; see `forecast/turn_rows.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, final

from referee.core.deferred import Deferred
from referee.core.effects import NONE, Effects, Lasting
from referee.core.encounter import Encounter
from referee.core.plain import Levels
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
    is_led: bool = False
    """Attacks whom the rules say, not whom the policy would."""
    in_round: bool = True
    """Had actions in this round: whoever has the same initiative acts at the same time."""
    seen: Hashable = None
    """What the rules and others look at who choose among several."""


UsedEffects: TypeAlias = tuple[tuple[str, str, str, int], ...]


@final
@dataclass(frozen=True, slots=True)
class EffectsOn:
    """The effects on one person, whoever it is."""

    lasting: tuple[Lasting, ...] = ()
    used: UsedEffects = ()

    @classmethod
    def of(cls, laid: Effects, who: str) -> EffectsOn:
        return cls(
            tuple(replace(each, on="", number=0) for each in laid.lasting if each.on == who),
            tuple(("", effect, source, times) for name, effect, source, times in laid.used if name == who),
        )

    @staticmethod
    def laid(on: Mapping[str, EffectsOn]) -> Effects:
        """The effects on several people together."""
        lasting = (
            replace(effect, on=who, number=at + 1) for who, each in on.items() for at, effect in enumerate(each.lasting)
        )
        used = ((who, *each[1:]) for who, its in on.items() for each in its.used)
        count = Levels({who: len(each.lasting) for who, each in on.items() if each.lasting})
        return replace(NONE, lasting=tuple(lasting), used=tuple(used), count=count)


class FightBreakdown(Protocol):
    """How fights of one kind fall apart. Rounds begin with initiative; then everyone who is ready has turns."""

    at_once: ClassVar[bool] = False
    """Whether equals act at the same time: results wait until all of them have acted. Names are listed sorted then."""

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

    def amid_turns(
        self, rest: State, conditions: Mapping[str, Hashable], order: Sequence[str], equals: Collection[str] = ()
    ) -> State:
        """The scene of these conditions while turns are taken, in this order; `equals` act at the same time."""
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

    # --- what a turn can lead to besides, where one does ---

    def split(self, condition: Hashable) -> tuple[Hashable, Hashable]:
        """A condition without what turns and rounds neither read nor change, and that: how hurt somebody is."""
        return condition, None

    def joined(self, condition: Hashable, aside: Hashable) -> Hashable:
        """The two together again."""
        return condition

    def is_left(self, call: Call[Any]) -> bool:
        """Whether a rule within a turn is left for later: it is about one person, and maybe a third has part in it."""
        return False

    def partner(self, scene: Scene, call: Call[Any]) -> str | None:
        """Who has part in what was left for later; nobody if none is there, None if there never is any."""
        return None

    def waiting(self, state: State) -> tuple[Deferred, ...]:
        """Results that wait until all equals have acted."""
        return ()

    def with_waiting(self, state: State, results: tuple[Deferred, ...]) -> State:
        """The scene with these results waiting, and no others."""
        return state


_DECLARED: dict[type[Encounter], FightBreakdown] = {}


def declare_breakdown(kind: type[Encounter], breakdown: FightBreakdown) -> None:
    _DECLARED[kind] = breakdown


def breakdown_of(kind: type[Any]) -> FightBreakdown | None:
    """How fights of a kind fall apart, if its game says so."""
    return _DECLARED.get(kind)
