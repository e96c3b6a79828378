"""A chase as a screen draws it: a road to the right, whoever flees at its head, the others in bands behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, final

from referee.core.errors import NotKnown, RefereeError
from referee.core.look import ChaseLook
from referee.core.wording import capital, phrase
from referee.kits.chase_tracker import OUT_OF_SIGHT
from referee.kits.chases import QUARRY, ChaseBand, Declaring, Mover, Pursuit, RoadAhead, band_at
from referee.web.pages.page import WORDS

if TYPE_CHECKING:
    from referee.web.pages.parts.board import BoardToken
    from referee.web.pages.table_view import TableView

T = TypeVar("T")


@final
@dataclass(frozen=True)
class ChaseCar:
    """A mover on the board: somebody on foot, or a vehicle with everyone in it."""

    key: str
    """Its name in the chase."""
    name: str
    """What it is called, if it is more than the people in it."""
    side: str
    """`you`, `ally` or `foe`."""
    tokens: tuple[BoardToken, ...]
    notes: tuple[str, ...] = ()
    """How far behind, how fast, and what has befallen it."""
    plan: str = ""
    """What is known of what it does in this round."""
    is_laid: bool = False
    """Whether a plan for it lies face down."""
    band: str = ""
    """The band it is in."""

    @property
    def is_afoot(self) -> bool:
        return not self.name

    @property
    def called(self) -> str:
        return self.name or phrase([token.name for token in self.tokens])


@final
@dataclass(frozen=True)
class ChaseLane:
    """A band of the road, and who is in it."""

    words: str
    says: str
    cars: tuple[ChaseCar, ...]


@final
@dataclass(frozen=True)
class ChaseBoard:
    """A chase, ready to be drawn."""

    lanes: tuple[ChaseLane, ...]
    """The bands behind the quarry, the furthest first."""
    head: tuple[ChaseCar, ...]
    """Whoever flees."""
    quarry: str
    """What the head of the road is called."""
    title: str
    """What lies ahead is called."""
    ahead: tuple[RoadAhead, ...]
    is_secret: bool
    """Whether plans are laid face down."""
    placed: bool
    """Whether the game master moves everybody."""

    @property
    def cars(self) -> tuple[ChaseCar, ...]:
        return (*self.head, *(car for lane in self.lanes for car in lane.cars))

    @property
    def hands(self) -> tuple[tuple[ChaseCar, str, str], ...]:
        """Those who follow, each with the band before theirs, if there is one, and the one behind it."""
        names = self.bands
        found = []
        for car in self.behind:
            at = names.index(car.band) if car.band in names else len(names)
            found.append((car, names[at - 1] if at else "", names[at + 1] if at + 1 < len(names) else OUT_OF_SIGHT))
        return tuple(found)

    @property
    def behind(self) -> tuple[ChaseCar, ...]:
        """Those who follow, the nearest first."""
        return tuple(car for lane in reversed(self.lanes) for car in lane.cars)

    @property
    def bands(self) -> tuple[str, ...]:
        """The bands, the nearest first."""
        return tuple(lane.words for lane in reversed(self.lanes))


def chase_board(view: TableView, chase: Pursuit, look: ChaseLook, tokens: Mapping[str, BoardToken]) -> ChaseBoard:
    """A chase as a seat knows it."""
    nothing: tuple[ChaseBand, ...] = ()
    bands = _known(lambda: tuple[ChaseBand, ...](getattr(chase, look.bands)(view.scene)), nothing)
    here = tuple(mover for mover in chase.all_movers if mover.driver not in chase.gone)
    running = _known(lambda: chase.running(view.scene), here)  # how well others stand may not be told
    fleeing = [mover.name for mover in running if chase.role(mover.name) == QUARRY]
    gaps = {mover.name: chase.nearest_gap(mover.name, fleeing) for mover in running}
    cars = {mover.name: _car(chase, look, mover, tokens, bands, gaps[mover.name]) for mover in running}
    head = tuple(cars[name] for name in cars if name in fleeing)
    behind = [car for name, car in cars.items() if name not in fleeing]
    lanes = [ChaseLane(each.name, each.says, _in(behind, each.name)) for each in reversed(bands)]
    if lost := _in(behind, ""):
        lanes.insert(0, ChaseLane(WORDS.say("chase.beyond"), "", lost))
    mine = any(car.side == "you" for car in head)
    return ChaseBoard(
        tuple(lanes),
        head,
        WORDS.say("scene.you") if mine else look.quarry or WORDS.say("chase.quarry"),
        look.ahead or WORDS.say("chase.ahead"),
        tuple(_known(lambda: chase.lies_ahead(view.scene), ())),
        chase.declares is Declaring.FACE_DOWN,
        look.placed,
    )


def _in(cars: Iterable[ChaseCar], band: str) -> tuple[ChaseCar, ...]:
    return tuple(car for car in cars if car.band == band)


def _car(
    chase: Pursuit,
    look: ChaseLook,
    mover: Mover,
    tokens: Mapping[str, BoardToken],
    bands: Sequence[ChaseBand],
    gap: int,
) -> ChaseCar:
    people = tuple(tokens[name] for name in mover.people if name in tokens)
    sides = [each.face.side for each in people]
    side = "you" if "you" in sides else sides[0] if sides else "foe"
    band = band_at(bands, gap)
    is_behind = chase.role(mover.name) != QUARRY
    plan = chase.plan(mover.name)
    notes = (
        look.gap.format(gap=gap) if look.gap and is_behind else "",
        mover.speed,
        *mover.state,
    )
    return ChaseCar(
        mover.name,
        capital(mover.name) if mover.pilot and mover.name not in chase.fighters else "",
        side,
        people,
        tuple(each for each in notes if each),
        ", ".join(filter(None, (plan.speed, plan.way))) if plan is not None else "",
        mover.driver in chase.laid,
        band.name if band else "",
    )


def _known(found: Callable[[], T], otherwise: T) -> T:
    """What a chase says about itself, as far as the seat knows."""
    try:
        return found()
    except (NotKnown, RefereeError):
        return otherwise
