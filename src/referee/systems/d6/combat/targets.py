"""What can be attacked: people and creatures, vehicles, missiles, walls. Each kind says how it stands up to a shot.

A shot asks its target and knows nothing of its kind: how big it is, what makes it hard to hit, who reacts for it and
how, what it resists damage with, and what harm then does to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from referee.core import Call, Mods, Scene, Who, refuse

if TYPE_CHECKING:
    from referee.systems.d6.combat.ranged import Aim, Shot
    from referee.systems.d6.combat.reactions import ReactionWay

AnyTarget: TypeAlias = Who[Any]
"""Whatever can be attacked."""


class TargetKind(Protocol):
    """How what is of a kind stands up to a shot."""

    def crew(self, scene: Scene, target: AnyTarget) -> tuple[str, ...]:
        """Those who are inside, or whose it is: they do not shoot at it."""
        ...

    def scale(self, scene: Scene, target: AnyTarget) -> int:
        """How big it is."""
        ...

    def parts(self, scene: Scene, target: AnyTarget) -> tuple[str, ...]:
        """What of it may be aimed at, besides the zones of a body."""
        ...

    def aiming(self, scene: Scene, target: AnyTarget, aim: Aim, band: str) -> Mods:
        """What makes it harder or easier to hit: its position, its size, the part of it that is aimed at."""
        ...

    def speed(self, scene: Scene, who: AnyTarget, target: AnyTarget, aim: Aim) -> float:
        """How fast it moves as seen by whoever shoots, in metres a round."""
        ...

    def defender(self, scene: Scene, target: AnyTarget) -> AnyTarget:
        """Who reacts: itself, its pilot."""
        ...

    def reactions(self, scene: Scene, who: AnyTarget, target: AnyTarget, shot: Shot) -> tuple[ReactionWay, ...]:
        """How it may react."""
        ...

    def zone(self, scene: Scene, aim: Aim) -> str:
        """The part of it where a shot lands."""
        ...

    def withstands(self, scene: Scene, who: AnyTarget, target: AnyTarget, shot: Shot, mods: Mods) -> Call[int]:
        """The damage of a shot less what it resists with."""
        ...

    def harm(self, scene: Scene, difference: int) -> str:
        """What that does: a row of its table of damage."""
        ...

    def land(self, target: AnyTarget, harm: str, shot: Shot) -> Call[None]:
        """It is hit, and suffers it."""
        ...


_KINDS: Final[dict[type[Any], TargetKind]] = {}


def can_be_attacked(kind: type[Any], stands: TargetKind) -> None:
    """What is of this kind can be attacked, and stands up to it so."""
    _KINDS[kind] = stands


def target_kind(scene: Scene, target: AnyTarget) -> TargetKind:
    """How a target stands up to a shot."""
    found = _KINDS.get(scene.who(target.name).kind)
    if found is None:
        refuse("it cannot be attacked", what=target.name, legal=map(str, attackable(scene)))
    return found


def attackable(scene: Scene) -> tuple[AnyTarget, ...]:
    """Everything in the scene that can be attacked."""
    return tuple(each for kind in _KINDS for each in scene.all(kind))
