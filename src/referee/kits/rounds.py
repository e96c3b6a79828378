"""Rounds of turns: sides, an order, actions left, reactions used, and those who act at the same time.

A game derives its fight from `Rounds` and adds what is its own. There is one order, a score each, the highest first and
equal scores at once; a game fixes it, rolls it, draws it or lets people hand it on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any, Self

from referee.core import Encounter, Levels, Open, Scene, Who, frozen, tally
from referee.core.deferred import Deferred
from referee.core.encounter import Sides
from referee.core.taking_part import with_on


def in_this_order(names: Iterable[str]) -> Levels:
    """A fixed order: the first named acts first."""
    listed = tuple(names)
    return Levels({name: len(listed) - at for at, name in enumerate(listed)})


def in_turn(sides: Sides, first: str) -> tuple[str, ...]:
    """One of a fight first, and all others as they are listed."""
    return (first, *(name for side in sides for name in side if name != first))


def lowest_first(numbers: Mapping[str, int]) -> Levels:
    """An order by drawn cards, or by any number of which the lowest acts first."""
    return Levels({name: -number for name, number in numbers.items()})


@frozen
class Rounds(Encounter):
    """Who is on which side, who has the turn, and what is left to them in this round."""

    sides: Open[tuple[tuple[str, ...], ...]]
    round: Open[int] = tally(0)
    scores: Open[Levels] = field(default_factory=Levels)
    """The order of turns: the highest score acts first, and equal scores act at the same time."""
    left: Open[Levels] = field(default_factory=Levels)
    """Actions left in this round."""
    reactions: Open[Levels] = field(default_factory=Levels)
    """Reactions used in this round."""
    passed: Open[frozenset[str]] = frozenset()
    """Those who let this turn go by, until others have acted."""
    gone: Open[frozenset[str]] = frozenset()
    """Those who have left."""
    surrendered: Open[frozenset[str]] = frozenset()
    """Those of them who have given up: they are still here."""
    deferred: Open[tuple[Deferred, ...]] = ()
    """Results that wait until everyone who acts now has acted."""
    within: Open[str] = ""
    """The encounter that this one stands inside."""

    @property
    def fighters(self) -> tuple[str, ...]:
        return tuple(name for side in self.sides for name in side)

    def is_able(self, scene: Scene, who: str) -> bool:
        """Whether someone is still here; a game adds what else takes people out."""
        return who not in self.gone and scene.read(who) is not None

    def able(self, scene: Scene) -> tuple[str, ...]:
        return tuple(name for name in self.fighters if self.is_able(scene, name))

    def parties(self) -> tuple[tuple[str, ...], ...]:
        return self.sides

    def out(self, scene: Scene) -> frozenset[str]:
        return frozenset(self.fighters) - frozenset(self.able(scene))

    def side_of(self, who: str) -> tuple[str, ...]:
        return next((side for side in self.sides if who in side), ())

    def standing(self, scene: Scene) -> tuple[tuple[str, ...], ...]:
        """The sides that have someone able."""
        able = self.able(scene)
        return tuple(side for side in self.sides if any(name in able for name in side))

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """The last side standing has won; `nobody` if none is standing."""
        standing = self.standing(scene)
        if self.deferred or len(standing) > 1:
            return None
        return " and ".join(standing[0]) if standing else "nobody"

    def told_ending(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """Those of the winning side who still stand: the story counts no one who fell among the winners."""
        if self.over(scene, me) is None:
            return None
        return " and ".join(self.able(scene)) or "nobody"

    # --- whose turn it is ---------------------------------------------------------------------------------------------

    def is_ready(self, scene: Scene, who: str) -> bool:
        """Whether someone has an action left to take before others are asked again."""
        return self.left.get(who, 0) > 0 and who not in self.passed and self.is_able(scene, who)

    def comes_first(self, scene: Scene, who: str) -> bool:
        """Whether no one with an action left comes before someone."""
        score = self.scores.get(who, 0)
        return not any(self.scores.get(name, 0) > score and self.is_ready(scene, name) for name in self.left)

    def acts(self, scene: Scene, who: str) -> bool:
        """Whether it is someone's turn."""
        return self.is_ready(scene, who) and self.comes_first(scene, who)

    def group(self, scene: Scene) -> tuple[str, ...]:
        """Those whose turn it is; equal scores act at the same time."""
        return tuple(sorted(name for name in self.fighters if self.acts(scene, name)))

    def acts_with_another(self, scene: Scene, who: str) -> bool:
        """Whether someone acts together with others, who may have acted already in this round."""
        return self.comes_first(scene, who) and any(
            name != who and name in self.left and self.scores.get(name) == self.scores.get(who)
            for name in self.able(scene)
        )

    def awaits_results(self, scene: Scene) -> bool:
        """Whether everyone who acts with those whose results wait has acted."""
        if not self.deferred:
            return False
        score = self.scores.get(self.deferred[0].by)
        return not any(self.scores.get(name) == score for name in self.group(scene))

    def beginning(self, left: Mapping[str, int], scores: Levels | None = None) -> Self:
        """A round begins with these actions, in the order that stands or in a new one."""
        order = self.scores if scores is None else scores
        fresh: Levels = Levels({name: actions for name, actions in left.items() if actions > 0})
        return replace(self, round=self.round + 1, scores=order, left=fresh, reactions=Levels(), passed=frozenset())

    def scoring(self, who: str, score: int) -> Self:
        return replace(self, scores=self.scores.but(**{who: score}))

    def handing_on(self, to: str) -> Self:
        """The next turn is this person's: they come before everyone else with actions left."""
        return self.scoring(to, max(self.scores.values(), default=0) + 1)

    def passing(self, who: str) -> Self:
        """Someone lets the others act first; once no one else is left, they are asked again."""
        passed = self.passed | {who}
        return replace(self, passed=frozenset() if passed >= {n for n, left in self.left.items() if left} else passed)

    def in_ranks(self) -> Self:
        """Scores as mere ranks, for games in which only their order matters; those below 0 stay below it."""
        ranks = {score: at for at, score in enumerate(sorted({0, *self.scores.values()}))}
        scores = Levels({name: ranks[score] - ranks[0] for name, score in self.scores.items()})
        return self if scores == self.scores else replace(self, scores=scores)

    def spending(self, who: str, actions: int) -> Self:
        return replace(self, left=self.left.but(**{who: max(0, self.left.get(who, 0) - actions)}))

    def gaining(self, who: str, actions: int) -> Self:
        return replace(self, left=self.left.but(**{who: self.left.get(who, 0) + actions}))

    def reacting(self, who: str) -> Self:
        return replace(self, reactions=self.reactions.but(**{who: self.reactions.get(who, 0) + 1}))

    def leaving(self, who: str) -> Self:
        return replace(self, gone=self.gone | {who})

    # --- coming and going ---------------------------------------------------------------------------------------------

    def joined_by(self, who: str, side: int) -> Self:
        """Somebody joins a side, or changes to it: whoever is new has no actions until the game gives them some."""
        sides, gone, given_up = with_on(self.sides, who, side), self.gone - {who}, self.surrendered - {who}
        return replace(self, sides=sides, gone=gone, surrendered=given_up)

    def left_by(self, who: str) -> Self:
        """Somebody leaves; a game lets go of what binds them."""
        return self.leaving(who)

    def given_up_by(self, who: str) -> Self:
        """Somebody surrenders: still here, and out of the order of turns."""
        gone = self.left_by(who)
        return replace(gone, surrendered=gone.surrendered | {who})

    # --- acting at once -----------------------------------------------------------------------------------------------

    def deferring(self, result: Deferred) -> Self:
        return replace(self, deferred=(*self.deferred, result))

    def settling(self) -> Self:
        """Without the first of the waiting results."""
        return replace(self, deferred=self.deferred[1:])
