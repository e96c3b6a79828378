"""What lasts longer than one step: a fight, a chase, a negotiation, a stretch of time.

An encounter is a frozen value in the scene. It says which step comes next and when it is over; the table repeats that
step, and exact odds treat it as a chain of scenes. `agenda` says which of several encounters is played.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable
from typing import Any, ClassVar, Final, Protocol, Self, TypeAlias, final, runtime_checkable

from referee.core.audience import Open
from referee.core.errors import BadInput
from referee.core.plain import frozen
from referee.core.rules import Call
from referee.core.scene import Scene, Who

Sides: TypeAlias = tuple[tuple[str, ...], ...]
"""Who takes part, side by side."""


@runtime_checkable
class HasSides(Protocol):
    """Something in the scene that says who is on whose side: an encounter, or a fight that people play by hand."""

    def parties(self) -> Sides: ...


class Encounter(ABC):
    """Whose turn it is, what was declared, what is left: everything a screen shows about it is in its fields.

    One that may stand inside another has a field `within: Open[str] = ""`, the name of the other: a fight inside a
    journey. The innermost plays first, and only the outermost moves the clock.
    """

    __slots__ = ()

    several: ClassVar[bool] = False
    """Whether several of this kind may stand in a scene. Their rules are then told which one, by `me`."""

    by_hand: ClassVar[bool] = False
    """Whether nothing comes next by itself: a game without rules for it leaves all of it to the game master."""

    by_kernels: ClassVar[bool] = False
    """Whether forecasts take a rule with a kernel as one throw: where kernels are quick and keep what is read later."""

    @abstractmethod
    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        """The step that comes next; `me` is the encounter's own name in the scene."""

    @abstractmethod
    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """How it ended, or None while it continues."""

    def awaited(self, scene: Scene, me: Who[Any]) -> Collection[str]:
        """Those who take their turn by an action of their own, where its ways are too many to be the options of a
        question: a table waits for them, and whoever decides by policies plays the next step, which asks.
        """
        return ()

    def check(self, scene: Scene) -> None:  # noqa: B027  # most kinds have nothing to refuse
        """Refuse what cannot be, whoever wrote it: a distance between people who are not there."""

    def parties(self) -> Sides:
        """Who takes part; forecasts say how each side and each of them fares."""
        return ()

    def out(self, scene: Scene) -> Collection[str]:
        """Those who take part no longer."""
        return ()

    def reduced(self) -> Self:
        """The same without what no later step depends on, apart from tallies, which never count.

        Forecasts take encounters for equal that are reduced to the same, so it must not change what can follow: an
        order of turns may be reduced to ranks if no rule reads the scores themselves.
        """
        return self

    def told_ending(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """How the story says it ended; the same, unless a kind of encounter has better words for it."""
        return self.over(scene, me)


@final
@frozen
class Playing:
    """Which encounter the table plays while several stand. The game master says so."""

    encounter: Open[str] = ""


PLAYING: Final = Who("playing", Playing)


def encounters(scene: Scene) -> tuple[Who[Encounter], ...]:
    """Every encounter in the scene, over or not, by name."""
    kind: Any = Encounter  # mypy does not accept an abstract class as a type
    return scene.all(kind)


def outer_of(scene: Scene, encounter: Who[Any]) -> str:
    """The name of the encounter that this one stands inside, or an empty text."""
    return str(getattr(scene[encounter], "within", ""))


def ending(scene: Scene, encounter: Who[Any]) -> Hashable | None:
    """How an encounter ended, or None while it continues."""
    value: object = scene[encounter]
    if not isinstance(value, Encounter):
        raise BadInput(encounter.name, "is not an encounter")
    return value.over(scene, encounter)


def stands(scene: Scene, name: str) -> bool:
    """Whether an encounter of this name is in the scene and not over."""
    value = scene.read(name)
    return isinstance(value, Encounter) and value.over(scene, Who(name, type(value))) is None
