"""How something moves, on foot as on wheels: its speed, what was declared for the round, what is out of control."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final

from referee.core import frozen

STOP: Final = "Stop"


@frozen
class Motion:
    """How a mover moves. `speed` is the actual one, at the end of the last round in which it was driven."""

    in_play: ClassVar = ("speed", "spinning", "stalled")
    speed: str = STOP
    selected: str = ""
    """The speed selected for this round; none is until it is declared."""
    maneuvers: tuple[str, ...] = ()
    """The maneuvers declared for this round."""
    target: str = ""
    """Whom a ram or a shot in the front arc is for."""
    driven: bool = False
    """Whether the movement of this round is done."""
    metres: float = 0
    """How far it has moved when it moved last."""
    least: float = 0
    """How far it had to move at least."""
    medium: str = ""
    """Where it moves: ground, air, water, space; if it does not say, in the first environment of its Move."""
    spinning: int = 0
    """Rounds for which it is out of control."""
    stalled: int | None = None
    """For a plane that has stalled: how often recovering has failed."""
    backwards: bool = False
    """Whether it goes back along the road of a chase."""
    rider: str = ""
    """Who rides a mount."""

    def declaring(self, selected: str, maneuvers: tuple[str, ...] = (), target: str = "") -> Motion:
        return replace(self, selected=selected, maneuvers=maneuvers, target=target, driven=False)

    def moved(self, speed: str, metres: float, least: float = 0) -> Motion:
        """The movement of a round is done."""
        return replace(self, speed=speed, metres=metres, least=least, driven=True)

    def round_over(self) -> Motion:
        """Nothing is declared for the next round; whatever spins comes closer to being in control again."""
        spinning = max(0, self.spinning - 1)
        return replace(self, selected="", maneuvers=(), target="", driven=False, spinning=spinning)

    def out_of_control(self, rounds: int) -> Motion:
        return replace(self, spinning=max(self.spinning, rounds))

    def turned(self) -> Motion:
        """It goes the other way."""
        return replace(self, backwards=not self.backwards)

    def into(self, medium: str) -> Motion:
        return replace(self, medium=medium)

    def stalling(self, failures: int | None) -> Motion:
        return replace(self, stalled=failures)

    def ridden_by(self, rider: str) -> Motion:
        return replace(self, rider=rider)


AT_REST: Final = Motion()
