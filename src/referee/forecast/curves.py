"""Curves: how the odds of an action move with a modifier, a level or a pool, and how two options compare.

spans = varied(offer, known_to(state, seat), "cmods", range(-5, 6))
curve(spans, seat, along="CMod").svg()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeVar, final

from referee.core.actions import ActionChoice
from referee.core.errors import BadInput, TooLarge
from referee.core.knowledge import KnownState, supposing
from referee.core.plain import Plain, read, unknown
from referee.core.questions import key_of
from referee.core.visibility import Seat
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.figures import NORMAL, Budget, Spending
from referee.forecast.risk import ActionQuery, action_query
from referee.forecast.risk_card import RiskCard

K = TypeVar("K")

MOST_POINTS: Final = 60
MOST_PAIRS: Final = 400
STANDS: Final = "as it stands"
BEST: Final = "best"

Place = tuple[ActionChoice, KnownState]
"""An action, and the scene to take it in, as a seat knows it."""


@final
@dataclass(frozen=True)
class Curve:
    """The chance of a good outcome at each point along some scale; several lines to compare."""

    along: str
    at: tuple[str, ...]
    lines: dict[str, tuple[Fraction | None, ...]]
    """None where the odds cannot be known."""
    samples: bool = False
    """Whether some of the figures are sampled."""
    missing: str = ""
    """Why there are no figures at all: a word, as in `Unfigured`."""

    def to_plain(self) -> dict[str, Plain]:
        lines = {name: list(map(_plain, line)) for name, line in self.lines.items()}
        return {
            "along": self.along,
            "at": list(self.at),
            "lines": lines,
            "samples": self.samples,
            "missing": self.missing,
        }

    def text(self) -> str:
        """A table of percentages."""
        columns = [[self.along, *self.at]]
        for name, line in self.lines.items():
            columns.append([name, *("?" if each is None else f"{float(each):.1%}" for each in line)])
        wide = [max(map(len, column)) for column in columns]
        return "\n".join("  ".join(map(str.rjust, row, wide)) for row in zip(*columns, strict=True))

    def svg(self, title: str = "") -> str:
        from referee.odds.svg import svg_lines

        lines = {name: [None if each is None else float(each) for each in line] for name, line in self.lines.items()}
        return svg_lines(self.at, lines, title or f"Chance by {self.along}", across=self.along)


@final
@dataclass(frozen=True)
class ActionWinTable:
    """The chance of a good outcome for every pairing of two sides."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    chances: tuple[tuple[Fraction | None, ...], ...]

    def to_plain(self) -> dict[str, Plain]:
        cells = [list(map(_plain, row)) for row in self.chances]
        return {"rows": list(self.rows), "columns": list(self.columns), "chances": cells}

    def svg(self, title: str = "") -> str:
        from referee.odds.svg import svg_map

        shares = [[float(each or 0) for each in row] for row in self.chances]
        return svg_map(shares, self.rows, self.columns, title or "Chance of the row against the column, in percent")


def _plain(chance: Fraction | None) -> Plain:
    return None if chance is None else {"exact": str(chance), "float": float(chance)}


def varied(offer: ActionChoice, known: KnownState, what: str, values: Iterable[Any]) -> dict[str, Place]:
    """An action at each value of an argument, or of a field of the one who acts: `stress`, `attributes.Wits`."""
    values = tuple(values)
    if not 0 < len(values) <= MOST_POINTS:
        raise TooLarge(f"{len(values)} points of a curve; from 1 to {MOST_POINTS} are worked out")
    if what in offer.action.rule.parameters:
        return {key_of(each): (_argument(offer, what, each), known) for each in values}
    return {key_of(each): (offer, _with_field(offer, known, what, each)) for each in values}


@final
@dataclass(frozen=True)
class CurveQuery:
    """An action at several places, as far as a viewer can know; all of them share one budget."""

    along: str
    places: Mapping[str, ActionQuery]

    def card(self, budget: Budget, stop: Stop = NEVER_STOP) -> Curve:
        spending, left = Spending(budget, stop), len(self.places)
        cards: dict[str, RiskCard] = {}
        for at, place in self.places.items():
            cards[at] = place.spend(spending.part(1 / left))
            left -= 1
        first = next(iter(self.places.values()))
        found = [_lines(card, first.offer.action.bands.good) for card in cards.values()]
        names = dict.fromkeys(name for line in found for name in line)
        lines = {
            name: tuple(_value(name, line, card) for line, card in zip(found, cards.values(), strict=True))
            for name in names
        }
        samples = any(card.now is not None and card.now.samples for card in cards.values())
        return Curve(self.along, tuple(self.places), lines, samples)

    def without(self, because: str) -> Curve:
        return Curve(self.along, tuple(self.places), {}, missing=because)


def curve_query(places: Mapping[str, Place], viewer: Seat, *, along: str, decisions: bool = True) -> CurveQuery:
    """An action at several places, as far as a viewer can know."""
    queries = (action_query(offer, known, viewer, decisions=decisions) for offer, known in places.values())
    return CurveQuery(along, dict(zip(places, queries, strict=True)))


def curve(
    places: Mapping[str, Place],
    viewer: Seat,
    *,
    along: str,
    decisions: bool = True,
    budget: Budget = NORMAL,
    stop: Stop = NEVER_STOP,
) -> Curve:
    """The odds at each place: by default, with each option taken whenever it can be, and with the best decisions."""
    return curve_query(places, viewer, along=along, decisions=decisions).card(budget, stop)


def compared(options: Mapping[str, Mapping[str, Place]], viewer: Seat, *, along: str, budget: Budget = NORMAL) -> Curve:
    """Compare options at the same places, each with its default decisions."""
    left = Spending(budget)
    found: list[Curve] = []
    for count, places in enumerate(options.values()):
        part = left.part(1 / (len(options) - count)).budget
        found.append(curve(places, viewer, along=along, decisions=False, budget=part))
    if len({each.at for each in found}) != 1:
        raise BadInput("curve", "options are compared at the same places")
    lines = {name: each.lines[STANDS] for name, each in zip(options, found, strict=True)}
    return Curve(along, found[0].at, lines, any(each.samples for each in found))


def win_table(
    place: Callable[[K, K], Place], rows: Sequence[K], columns: Sequence[K], viewer: Seat, *, budget: Budget = NORMAL
) -> ActionWinTable:
    """One side against the other, for every pairing."""
    if len(rows) * len(columns) > MOST_PAIRS:
        raise TooLarge(f"{len(rows) * len(columns)} pairs; at most {MOST_PAIRS} are worked out")
    pairs = [(row, column) for row in rows for column in columns]
    spending, found = Spending(budget), dict[int, Fraction | None]()
    for at, (row, column) in enumerate(pairs):
        offer, known = place(row, column)
        now = action_query(offer, known, viewer, decisions=False).spend(spending.part(1 / (len(pairs) - at))).now
        found[at] = now.chance_of(offer.action.bands.good) if now else None
    wide = len(columns)
    chances = tuple(tuple(found[at * wide + each] for each in range(wide)) for at in range(len(rows)))
    return ActionWinTable(tuple(map(key_of, rows)), tuple(map(key_of, columns)), chances)


def _lines(card: RiskCard, good: tuple[str, ...]) -> dict[str, Fraction | None]:
    found: dict[str, Fraction | None] = {STANDS: card.now.chance_of(good) if card.now else None}
    for each in card.decisions:
        found |= {f"{each.prompt} {key}": forecast.chance_of(good) for key, forecast in each.options.items()}
    return found | ({BEST: card.best.forecast.chance_of(good)} if card.best else {})


def _value(name: str, line: Mapping[str, Fraction | None], card: RiskCard) -> Fraction | None:
    """A line at one place. What does not come up there changes nothing; what was not computed is a gap."""
    if name in line:
        return line[name]
    does_not_come_up = card.complete and (name != BEST or not card.decisions)
    return line[STANDS] if does_not_come_up else None


def _argument(offer: ActionChoice, what: str, value: Any) -> ActionChoice:
    """An action with one argument set; a single value also does for a list."""
    kind = offer.action.rule.parameters[what].annotation
    try:
        given = read(kind, value, what)
    except BadInput:
        given = read(kind, [value], what)
    return replace(offer, arguments={**offer.arguments, what: given})


def _with_field(offer: ActionChoice, known: KnownState, what: str, value: Any) -> KnownState:
    """A scene in which a field of the one who acts is set, or one level in that field."""
    if offer.who is None:
        raise BadInput(what, unknown(what, offer.action.rule.parameters))
    return supposing(known, offer.who.name, what, value)
