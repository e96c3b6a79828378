"""Chases: who flees and who follows, how far apart they are, what lies ahead, and what everybody is about to do.

A game derives its chase from `Pursuit` and adds what is its own. Whoever moves as one is a `Mover`, with a place along
the road that only counts against that of others. The kit has no figures: what a step of the road is, how its bands
are called, and what a maneuver comes to are the game's, as rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from typing import Any, ClassVar, Final, Self

from referee.core import Bands, Levels, Open, Refused, Scene, Who, frozen, refuse
from referee.core.audience import Audience
from referee.core.encounter import encounters
from referee.core.taking_part import with_on
from referee.kits.rounds import Rounds

QUARRY: Final = "quarry"
PURSUER: Final = "pursuer"

ESCAPED: Final = "escaped"
CAUGHT: Final = "caught"
NOBODY: Final = "nobody"

GAIN: Final = "gain"
SAME: Final = "same"
LOSE: Final = "lose"


@frozen
class Advance:
    """How much further ahead the quarry is than before; below 0, how much less."""

    by: int
    quarry: tuple[str, ...]
    """Who flees."""

    def of(self, who: str) -> str:
        """What that is to somebody: those who follow gain what the quarry loses."""
        mine = self.by if who in self.quarry else -self.by
        return GAIN if mine > 0 else LOSE if mine < 0 else SAME


ADVANCED: Final[Bands[Advance]] = Bands(of=Advance.of, keys=(GAIN, SAME, LOSE), each=True)
"""Three-way outcomes, told to each by their side."""


def gain_or_lose(won: Callable[[Any], int]) -> Bands[Any]:
    """Three-way outcomes of one person: how much they have gained on the others, or lost to them."""
    return Bands(
        of=lambda result: GAIN if (by := won(result)) > 0 else LOSE if by < 0 else SAME, keys=(GAIN, SAME, LOSE)
    )


# --- rows -------------------------------------------------------------------------------------------------------------


@frozen
class ChaseBand:
    """A part of the road behind whoever flees: all gaps up to one, the last one included."""

    name: str
    up_to: int | None = None
    """The widest gap in it; without one, it has no end."""
    says: str = ""
    """What it means here, in words."""


@frozen
class ChaseSpeed:
    """A speed one can choose. Ranks are counted from 0, at rest."""

    name: str
    rank: int
    adds: int = 0
    """To the difficulty of control."""


@frozen
class ChaseManeuver:
    """Something one can do in a round."""

    name: str
    who: tuple[str, ...] = (QUARRY, PURSUER)
    """The roles that may do it."""
    adds: int = 0
    """To the roll or to its difficulty, as the game has it."""
    min_range: str = ""
    """The nearest band in which it can be done."""
    modifiers: Levels = field(default_factory=Levels)
    """What the band adds to it, by its name."""
    says: str = ""


@frozen
class RoadObstacle:
    """What a round may bring."""

    name: str
    says: str = ""
    modifiers: Levels = field(default_factory=Levels)
    """What it adds to a maneuver, by its name."""
    on_fail: Mapping[str, str] = field(default_factory=dict)
    """What comes of a maneuver that fails, by its name."""


@frozen
class ControlMishap:
    """What comes of a roll for control that was missed by so much."""

    name: str
    share: int = 100
    """How much of the way is made all the same, in percent."""
    penalty: int = 0
    """To everything done in this round."""
    penalty_next: int = 0
    rounds: int = 0
    """How long it is out of control."""
    says: str = ""


def band_at(bands: Sequence[ChaseBand], gap: int) -> ChaseBand | None:
    """The band of a gap; None beyond the last. Whoever has passed the other is in the nearest."""
    return next((band for band in bands if band.up_to is None or gap <= band.up_to), None)


def check_maneuver(
    row: ChaseManeuver, role: str, band: ChaseBand | None = None, bands: Sequence[ChaseBand] = ()
) -> None:
    """Refuse a maneuver for the wrong role, or from too near."""
    if role not in row.who:
        refuse(f"{row.name} is for the {' and the '.join(row.who)} only")
    names = [each.name for each in bands]
    if row.min_range and band is not None and names.index(band.name) < names.index(row.min_range):
        refuse(f"{row.name} needs {row.min_range} or more, and this is {band.name}")


def speeds_within(rows: Iterable[ChaseSpeed], now: str, faster: int = 1, slower: int = 1) -> tuple[ChaseSpeed, ...]:
    """The speeds that can be reached from one, by so many ranks up and down."""
    found = tuple(rows)
    rank = next((row.rank for row in found if row.name == now), 0)
    return tuple(row for row in found if rank - slower <= row.rank <= rank + faster)


# --- who moves, and what they plan ------------------------------------------------------------------------------------


@frozen
class Mover:
    """Who moves as one: somebody on foot, or a vehicle with everyone in it."""

    known_by: ClassVar = ("name",)
    name: str
    """The runner, or the vehicle."""
    pilot: str = ""
    """Who steers; without one, the mover runs by itself."""
    passengers: tuple[str, ...] = ()
    at: int = 0
    """How far along the road, in steps or metres. Only what lies between two movers counts."""
    speed: str = ""
    state: tuple[str, ...] = ()
    """What has befallen it, in words of the game: spinning, stopped."""

    @property
    def driver(self) -> str:
        return self.pilot or self.name

    @property
    def people(self) -> tuple[str, ...]:
        return (self.driver, *self.passengers)


@frozen
class ChasePlan:
    """What somebody does with a mover in this round. One that lies face down is known to whoever laid it down."""

    known_by: ClassVar = ("who",)
    who: str
    """Who steers."""
    way: str = ""
    """The maneuver; none is to go on as before."""
    speed: str = ""
    target: str = ""
    road: str = ""
    """The branch that is taken, at a fork."""
    audience: Audience = Audience.EVERYONE


@frozen
class RoadAhead:
    """What lies ahead: an obstacle, a branch of a fork, a card."""

    known_by: ClassVar = ("name",)
    name: str
    says: str = ""
    difficulty: int | None = None
    past: bool = False
    """Whether it was of the round before."""
    is_branch: bool = False
    """Whether it is one of several ways to go on."""
    audience: Audience = Audience.EVERYONE


class Declaring(Enum):
    """How plans are declared."""

    LOWEST_FIRST = "lowest first"
    """Openly, whoever is lowest in the order first: the others know when they declare."""
    AT_ONCE = "at once"
    """Openly, in any order."""
    FACE_DOWN = "in secret"
    """Until everyone has laid one down; then all are revealed together."""


class ChaseStage(Enum):
    """What a round waits for; it follows from the plans."""

    DECLARE = "plans"
    REVEAL = "revealing"
    RESOLVE = "resolving"
    END = "end of the round"


@frozen
class Pursuit(Rounds):
    """A chase: sides, the first of which flees, and whoever of them moves as one.

    Rows, bands and rules are the game's; it says how plans are declared, and overrides what its book has otherwise.
    """

    declares: ClassVar[Declaring] = Declaring.LOWEST_FIRST

    movers: Open[tuple[Mover, ...]] = ()
    """Whoever is in none of them runs by themselves."""
    plans: Open[tuple[ChasePlan, ...]] = ()
    laid: Open[frozenset[str]] = frozenset()
    """Who has declared: of a plan that lies face down, others know no more."""
    resolved: Open[frozenset[str]] = frozenset()
    """Whose plans are over."""
    ahead: Open[tuple[RoadAhead, ...]] = ()
    ended: Open[str] = ""
    """How it ended, where a rule has ended it."""

    # --- who moves ----------------------------------------------------------------------------------------------------

    def bands(self, scene: Scene) -> Sequence[ChaseBand]:
        """The bands behind whoever flees, the nearest first."""
        return ()

    def lies_ahead(self, scene: Scene) -> Sequence[RoadAhead]:
        """What lies ahead, as the screen shows it."""
        return self.ahead

    @property
    def all_movers(self) -> tuple[Mover, ...]:
        """Every mover, side by side; whoever rides in none is one by themselves."""
        riding = {name for mover in self.movers for name in mover.people}
        afoot = tuple(Mover(name) for name in self.fighters if name not in riding)
        return tuple(sorted((*self.movers, *afoot), key=lambda mover: self._side(mover.driver)))

    def mover(self, name: str) -> Mover:
        """A mover by its name, or by that of anybody in it."""
        for mover in self.all_movers:
            if name == mover.name or name in mover.people:
                return mover
        raise Refused(
            name,
            because="takes no part in the chase",
            rule="referee.chase",
            legal=[each.name for each in self.all_movers],
        )

    def _side(self, who: str) -> int:
        return next((at for at, side in enumerate(self.sides) if who in side), len(self.sides))

    def role(self, name: str) -> str:
        """Whether somebody, or a mover, flees or follows."""
        return QUARRY if self._side(self.mover(name).driver) == 0 else PURSUER

    def runs(self, scene: Scene, mover: Mover) -> bool:
        """Whether a mover still takes part."""
        return self.is_able(scene, mover.driver)

    def running(self, scene: Scene, role: str = "") -> tuple[Mover, ...]:
        """The movers that still take part, of one role or of both."""
        found = (mover for mover in self.all_movers if self.runs(scene, mover))
        return tuple(mover for mover in found if not role or self.role(mover.name) == role)

    def with_mover(self, mover: Mover) -> Self:
        """With a mover as it is now."""
        others = tuple(each for each in self.movers if each.name != mover.name)
        at = next((at for at, each in enumerate(self.movers) if each.name == mover.name), len(others))
        return replace(self, movers=(*others[:at], mover, *others[at:]))

    # --- where they are -----------------------------------------------------------------------------------------------

    def gap(self, behind: str, before: str) -> int:
        """How far one is behind another; below 0, how far before."""
        return self.mover(before).at - self.mover(behind).at

    def gap_to_quarry(self, scene: Scene, name: str) -> int:
        """How far a mover is behind the nearest that flees; 0 if nobody flees any longer."""
        return self.nearest_gap(name, [each.name for each in self.running(scene, QUARRY)])

    def nearest_gap(self, name: str, others: Iterable[str]) -> int:
        """How far a mover is behind the nearest of some; 0 without any."""
        return min((self.gap(name, each) for each in others), key=abs, default=0)

    def band(self, scene: Scene, behind: str, before: str) -> ChaseBand | None:
        """The band between two; None beyond the last."""
        return band_at(self.bands(scene), abs(self.gap(behind, before)))

    def moved(self, name: str, by: int) -> Self:
        """With a mover further along the road."""
        mover = self.mover(name)
        return self.with_mover(replace(mover, at=mover.at + by))

    def closing(self, name: str, on: str, by: int) -> Self:
        """With a mover nearer to another, at most beside it."""
        return self.moved(name, min(by, max(0, self.gap(name, on))))

    def set_apart(self, behind: str, before: str, gap: int) -> Self:
        """With the one behind so far behind the other."""
        return self.moved(behind, self.gap(behind, before) - gap)

    def overtaking(self, name: str, other: str, by: int) -> Self:
        """One that followed is ahead by so much, and is followed from now on by whom it has passed."""
        was, sides = self._side(self.mover(name).driver), self.sides
        for each in self.mover(name).people:
            sides = with_on(sides, each, 0)
        for each in self.mover(other).people:
            sides = with_on(sides, each, was)
        return replace(self.set_apart(name, other, -by), sides=sides)

    # --- plans --------------------------------------------------------------------------------------------------------

    def drivers(self, scene: Scene) -> tuple[str, ...]:
        """Those who declare what a mover does."""
        return tuple(mover.driver for mover in self.running(scene))

    def plan(self, name: str) -> ChasePlan | None:
        """What is known of the plan for a mover."""
        driver = self.mover(name).driver
        return next((each for each in self.plans if each.who == driver), None)

    def undeclared(self, scene: Scene) -> tuple[str, ...]:
        return tuple(name for name in self.drivers(scene) if name not in self.laid)

    def declaring_now(self, scene: Scene) -> tuple[str, ...]:
        """Those who declare next: the lowest in the order, or everybody who has not."""
        waiting = self.undeclared(scene)
        if self.declares is not Declaring.LOWEST_FIRST or not waiting:
            return waiting
        return (min(waiting, key=lambda name: self.scores.get(name, 0)),)

    def check_declares(self, scene: Scene, who: Who[Any]) -> None:
        """Refuse whoever has nothing to declare now. What lies face down may be taken back until the last is laid."""
        if who.name not in self.drivers(scene):
            refuse(f"{who} steers nothing in this chase", legal=self.drivers(scene))
        if self.stage(scene) is not ChaseStage.DECLARE:
            refuse("everybody has declared")
        if self.declares is not Declaring.FACE_DOWN and who.name not in (now := self.declaring_now(scene)):
            refuse(f"{who} has declared" if who.name in self.laid else f"{who} declares later", legal=now)

    def declared(self, plan: ChasePlan) -> Self:
        """With somebody's plan, in place of an earlier one; face down where plans are secret."""
        hidden = Audience.OWNER if self.declares is Declaring.FACE_DOWN else Audience.EVERYONE
        others = tuple(each for each in self.plans if each.who != plan.who)
        return replace(self, plans=(*others, replace(plan, audience=hidden)), laid=self.laid | {plan.who})

    def taken_back(self, who: str) -> Self:
        """Without somebody's plan."""
        return replace(self, plans=tuple(each for each in self.plans if each.who != who), laid=self.laid - {who})

    def revealed(self) -> Self:
        """All plans are face up."""
        return replace(self, plans=tuple(replace(each, audience=Audience.EVERYONE) for each in self.plans))

    def stage(self, scene: Scene) -> ChaseStage:
        """What the round waits for."""
        if self.undeclared(scene) and not self.resolved:
            return ChaseStage.DECLARE
        if any(plan.audience is not Audience.EVERYONE for plan in self.plans):
            return ChaseStage.REVEAL
        return ChaseStage.RESOLVE if self.resolving(scene) else ChaseStage.END

    def resolving(self, scene: Scene) -> tuple[Mover, ...]:
        """The movers whose plans are still to be resolved, in their order: by score, and the quarry first of equals."""
        waiting = (mover for mover in self.running(scene) if mover.driver not in self.resolved)
        declared = (mover for mover in waiting if mover.driver in self.laid)
        return tuple(sorted(declared, key=lambda mover: -self.scores.get(mover.driver, 0)))

    def done(self, name: str) -> Self:
        """Somebody's plan is over."""
        return replace(self, resolved=self.resolved | {self.mover(name).driver})

    def next_round(self) -> Self:
        """Nobody has a plan, and what lay ahead lies behind."""
        past = tuple(replace(each, past=True) for each in self.ahead if not each.past and not each.is_branch)
        nobody = frozenset[str]()
        return replace(self, round=self.round + 1, plans=(), laid=nobody, resolved=nobody, ahead=past)

    def meeting(self, *ahead: RoadAhead) -> Self:
        """With something ahead; what lay behind is forgotten."""
        return replace(self, ahead=(*ahead, *(each for each in self.ahead if each.past)))

    # --- how it ends --------------------------------------------------------------------------------------------------

    def ending(self, how: str) -> Self:
        return replace(self, ended=how)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """As a rule has ended it, or as soon as only one side still runs."""
        if self.ended:
            return self.ended
        fleeing, following = self.running(scene, QUARRY), self.running(scene, PURSUER)
        if fleeing and following:
            return None
        return ESCAPED if fleeing else CAUGHT if following else NOBODY

    def told_ending(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return self.over(scene, me)

    def losing(self, name: str) -> Self:
        """A mover falls so far behind that it is out of it, with everyone in it."""
        return replace(self, gone=self.gone.union(self.mover(name).people))

    def left_by(self, who: str) -> Self:
        """Somebody leaves: whoever steers leaves the wheel to the first who rides along, or the mover stays behind."""
        mover = self.mover(who)
        gone = replace(self.leaving(who), plans=self.taken_back(who).plans, laid=self.laid - {who})
        if mover not in self.movers:
            return gone
        rest = tuple(each for each in mover.passengers if each != who)
        if who != mover.driver:
            return gone.with_mover(replace(mover, passengers=rest))
        if rest:
            return gone.with_mover(replace(mover, pilot=rest[0], passengers=rest[1:]))
        return replace(gone, movers=tuple(each for each in gone.movers if each != mover))


def fight_within(scene: Scene, me: Who[Any]) -> Who[Any] | None:
    """The fight that goes on inside a chase: it is played first, and the chase goes on when it is over."""
    return next((each for each in encounters(scene) if getattr(scene[each], "within", "") == me.name), None)
