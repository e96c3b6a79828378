"""Posts: who holds which post of a ship, orders to posts, and rounds in phases in which one post after the other acts.

A game keeps posts with whatever people crew (anything with a `post` and a `who`), and derives its encounter from
`Phased`: movers on sides, a phase for each kind of post, one action of a post for each order. The kit has no figures:
how many orders there are, what they cost and what is rolled is the game's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Protocol, Self, TypeVar, runtime_checkable

from referee.core import Open, Scene, frozen
from referee.kits.rounds import Rounds


class Posting(Protocol):
    """Somebody at a post."""

    @property
    def post(self) -> str: ...
    @property
    def who(self) -> str: ...


@runtime_checkable
class Carrier(Protocol):
    """Something with people aboard: it is on the side of whoever they are."""

    @property
    def aboard(self) -> tuple[str, ...]: ...


P = TypeVar("P", bound=Posting)


def at_post(posts: Iterable[P], *names: str) -> tuple[P, ...]:
    """Those at a post, by any of its names."""
    wanted = {name.casefold() for name in names}
    return tuple(each for each in posts if each.post.casefold() in wanted)


def holder(posts: Iterable[P], *names: str) -> str:
    """Who holds a post; nobody, if it stands empty. The name that comes first counts first."""
    listed = tuple(posts)
    return next((found[0].who for name in names if (found := at_post(listed, name))), "")


def posts_held(posts: Iterable[P], who: str) -> tuple[str, ...]:
    """The posts that somebody holds."""
    return tuple(each.post for each in posts if each.who == who)


@frozen
class ShipSystem:
    """A system of a mover, as a screen shows it: a figure, and what is wrong with it."""

    name: str
    figure: str = ""
    says: str = ""
    harmed: bool = False


@frozen
class PostOrder:
    """An order to a post of a mover: what is to be done, about whom or what, and whether it has been carried out."""

    known_by: ClassVar = ("number",)
    number: int
    mover: str
    post: str
    what: str
    about: str = ""
    done: bool = False


@frozen
class Phased(Rounds):
    """Rounds of movers in phases: in each phase its posts act, one after the other, once for each order."""

    phase: Open[str] = ""
    orders: Open[tuple[PostOrder, ...]] = ()

    def ordered(self, mover: str, what: str = "", post: str = "") -> tuple[PostOrder, ...]:
        """What has been ordered aboard of a mover and is still to be done."""
        mine = (each for each in self.orders if each.mover == mover and not each.done)
        return tuple(each for each in mine if what in ("", each.what) and post in ("", each.post))

    def giving(self, mover: str, post: str, what: str, about: str = "") -> Self:
        """One more order."""
        order = PostOrder(len(self.orders) + 1, mover, post, what, about)
        return replace(self, orders=(*self.orders, order))

    def carried_out(self, order: PostOrder) -> Self:
        """An order is done, or let go."""
        done = tuple(replace(each, done=True) if each.number == order.number else each for each in self.orders)
        return replace(self, orders=done)

    def entering(self, phase: str) -> Self:
        return replace(self, phase=phase)

    def in_order(self, names: Iterable[str], best_first: bool = True) -> tuple[str, ...]:
        """Movers by their place in the round."""
        return tuple(sorted(names, key=lambda name: self.scores.get(name, 0), reverse=best_first))

    # --- what a screen shows ------------------------------------------------------------------------------------------

    def at(self, scene: Scene, mover: str, post: str) -> tuple[str, ...]:
        """Who is at a post of a mover; a game says so."""
        return ()

    def systems(self, scene: Scene, mover: str) -> tuple[ShipSystem, ...]:
        """The systems of a mover, damaged ones among them; a game says so."""
        return ()

    def acts_now(self, scene: Scene, mover: str, post: str) -> bool:
        """Whether it is the turn of a post; a game says so."""
        return False
