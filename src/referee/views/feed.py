"""What one seat is told of a log: a stream of items that only ever grows.

It is a function of the log alone, so it is the same after a restart; items are counted by the seat's own count, so that
nothing can be told from gaps. Each thing that followed in a step is an item of its own (`happened`): how much followed
from which answer could tell that somebody in hiding has answered too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, final

from referee.core.audience import Audience
from referee.core.errors import RefereeError
from referee.core.knowledge import hidden_arguments
from referee.core.plain import Plain
from referee.core.rules import rule_named
from referee.core.system import System
from referee.core.visibility import Seat, mentions
from referee.journal.details import roll_told
from referee.journal.lines import Item, Line
from referee.journal.marks import VEILED, VEILS
from referee.views.redaction import redacted

INNER: Final = frozenset(
    {"part", "parts", "left", "throw", "dice", "pile", "audience", "because", VEILED, VEILS}  # for the log's own use
    | {"arguments", "with", "roll", "came", "ended_as"}  # told as far as a seat may know them
)
"""What of a line is not told as it stands."""
MASTERS: Final = frozenset({"instead_of"})
"""What only the game master is told of it."""
STEPS: Final = ("began", "answered")
"""Lines by which a step goes on until it asks again, of somebody else perhaps."""
UNEXPLAINED: Final[Item] = {"refused": "", "rules": []}
"""A refusal whose reason a seat may not know."""


@final
class Feed:
    """The stream of one seat."""

    def __init__(self, system: System, cursor: int = 0) -> None:
        self.system = system
        self.before = cursor
        """How many items were told before those kept here."""
        self.items: list[dict[str, Plain]] = []
        self.places: list[int] = []
        """The line behind each item."""
        self._causes: list[int] = []
        """The line that a seat was told of before each item, and that it follows from."""
        self._last: dict[int | None, int] = {}
        """The latest line of each step that was told."""
        self._in_force: list[int] = []
        self._undone: list[list[int]] = []
        self._seen_steps: set[int | None] = set()
        self._unseen_steps: set[int | None] = set()
        """Those whose beginning was hidden."""
        self._hidden_steps: set[int | None] = set()
        """Those in which something was hidden."""
        self._blind_steps: set[int | None] = set()
        """Those in which an answer was hidden, and so perhaps dice that are kept for another throw."""

    @property
    def cursor(self) -> int:
        """How many items the seat has been told by now."""
        return self.before + len(self.items)

    @property
    def went_back(self) -> bool:
        """Whether something that was told has been undone, and nothing has happened since."""
        return any(self._undone)

    def since(self, cursor: int) -> list[dict[str, Plain]]:
        """The items after the first so many."""
        return self.items[max(0, cursor - self.before) :]

    def line_of(self, item: int) -> int | None:
        """The line an item comes from, by the seat's own count; of what followed, the last the seat was told of."""
        at = item - self.before
        return self._causes[at] if 0 <= at < len(self._causes) else None

    def hear(self, number: int, line: Line, seat: Seat) -> None:
        """A line of the log: it may be an item to this seat, or nothing at all."""
        match line.kind:
            case "undone":
                self._undo(number, line)
            case "redone":
                self._redo(number, line)
            case "said":
                if _hears(line, seat):
                    self._tell(number, {"kind": "said", "by": line.by, **_said(line, seat)})
            case _:
                self._undone.clear()
                for item in self._line(number, line, seat):
                    self._in_force.append(self.cursor)
                    self._tell(number, item, self._last.get(line.step, number))

    def _tell(self, number: int, item: dict[str, Plain], cause: int | None = None) -> None:
        self.items.append({"id": self.cursor, **item})
        self.places.append(number)
        self._causes.append(number if cause is None else cause)

    def _undo(self, number: int, line: Line) -> None:
        """What is gone is told by the first item that is; who saw nothing of it is told nothing."""
        gone = [item for item in self._in_force if self._is_since(item, line.what["to"])]
        self._undone.append(gone)
        if gone:
            self._in_force = [item for item in self._in_force if item not in set(gone)]
            self._tell(number, {"kind": "undone", "by": line.by, "to": gone[0]})

    def _is_since(self, item: int, number: int) -> bool:
        return item >= self.before and self.places[item - self.before] >= number

    def _redo(self, number: int, line: Line) -> None:
        back = self._undone.pop() if self._undone else []
        if back:
            self._in_force += back
            self._tell(number, {"kind": "redone", "by": line.by, "from": back[0]})

    def _line(self, number: int, line: Line, seat: Seat) -> Iterator[dict[str, Plain]]:
        """A line as far as a seat may know it. The result of a step in which something was hidden may tell what."""
        hidden = self._hides(line, seat)
        if hidden and line.kind == "began":
            self._unseen_steps.add(line.step)
        if line.step in self._unseen_steps or not _sees(line, seat) or _keeps_secret(line, seat):
            self._hidden_steps.add(line.step)
        if line.step in self._unseen_steps or (not _sees(line, seat) and VEILED not in line.what):
            self._blind_steps.add(line.step)
        followed = list(self._followed(line, seat, hidden=hidden))
        kept = seat.master or line.step not in self._blind_steps
        if hidden or (line.kind == "cancelled" and line.step not in self._seen_steps):
            with_it = _answered_with(line, seat, kept=kept)
            yield from _happened([{"with": with_it, "then": []}] if with_it else [])
            yield from _happened(followed)
        elif followed or line.kind != "edited":
            self._seen_steps.add(line.step)
            if line.step is not None:
                self._last[line.step] = number
            together = [] if line.kind in STEPS else [item for each in followed for item in each["then"]]
            yield {"kind": line.kind, "by": line.by, **_what(line, seat, kept=kept), "then": together}
            yield from _happened(followed if line.kind in STEPS else ())

    def _hides(self, line: Line, seat: Seat) -> bool:
        """Whether what came from outside is hidden from a seat; what follows from it may still be seen."""
        if seat.master:
            return False
        of = line.what.get("of")
        if VEILED in line.what or line.kind == "held" or not _sees(line, seat):
            return True
        if line.kind != "answered":
            return False
        is_kept = line.what.get("left", 0) > 0 or line.step in self._unseen_steps
        return is_kept and not seat.answers_for(of)

    def _followed(self, line: Line, seat: Seat, *, hidden: bool) -> Iterator[dict[str, Plain]]:
        """What followed from a line, one thing at a time and in its order, as far as a seat may know it."""
        came = self._came(line, seat)
        for at, item in enumerate(line.then):
            yield from ({"then": [], "came": [each]} for after, each in came if after == at)
            shown = item if seat.master else self._shown(item, line, seat, hidden=hidden)
            if shown is not None:
                yield {"then": [shown], **_ended_as(shown, line)}
        yield from ({"then": [], "came": [each]} for after, each in came if after == len(line.then))

    def _came(self, line: Line, seat: Seat) -> list[tuple[int, Plain]]:
        """What rules came to, as far as a seat may know it, each after so many of the things that followed."""
        told = line.what.get("came", ()) if self._tells_results(line, seat) else ()
        known = (each for each in told if seat.master or VEILED not in each)
        return [(each["after"], {name: value for name, value in each.items() if name != "after"}) for each in known]

    def _shown(self, item: Item, line: Line, seat: Seat, *, hidden: bool) -> Item | None:
        """Something that followed, as far as a seat may know it."""
        if not self._tells_results(line, seat) and {"ended", "refused"} & set(item):
            return None
        explained = UNEXPLAINED if "refused" in item and not _explains(line, seat) else item
        veils = frozenset(line.what.get(VEILS, ()))
        return redacted(self.system, explained, seat, veils, hidden=hidden)

    def _tells_results(self, line: Line, seat: Seat) -> bool:
        """Whether a seat may know what a step, and what the rules in it, came to."""
        return seat.master or line.step not in self._hidden_steps


def _happened(items: Iterable[dict[str, Plain]]) -> Iterator[dict[str, Plain]]:
    return ({"kind": "happened", **item} for item in items)


def _ended_as(item: Item, line: Line) -> dict[str, Plain]:
    """Of the end of a step, the kind of its result."""
    return {"ended_as": line.what["ended_as"]} if "ended" in item and "ended_as" in line.what else {}


def _sees(line: Line, seat: Seat) -> bool:
    """Whether a line is for the eyes of a seat."""
    return seat.sees(Audience(line.what.get("audience", "everyone")), line.what.get("of"))


def _hears(line: Line, seat: Seat) -> bool:
    """Something beside the story is for everybody, or for those it names, the one who said it, and the game master."""
    return seat.master or "to" not in line.what or seat.name in line.what["to"] or seat.name == line.by


def _said(line: Line, seat: Seat) -> dict[str, Plain]:
    """What was said; of a seat that plays somebody in hiding the others are not told so."""
    what = {name: value for name, value in line.what.items() if name != VEILS}
    if VEILS in line.what and not seat.master and isinstance(sits := what.get("seat"), dict):
        what["seat"] = {**sits, "controls": [each for each in sits["controls"] if each not in line.what[VEILS]]}
    return what


def _what(line: Line, seat: Seat, *, kept: bool) -> dict[str, Plain]:
    """What a line says of what came from outside."""
    secret = INNER if seat.master else INNER | MASTERS
    what = {name: value for name, value in line.what.items() if name not in secret}
    if line.kind == "began":
        what["arguments"] = _arguments(line, seat)
    if "instead_of" in line.what:
        what["overruled"] = True
    if "roll" in line.what:
        what["roll"] = roll_told(line.what["roll"], seat, kept=kept)
    if "with" in line.what:
        what["with"] = _answered_with(line, seat, kept=kept)
    return what


def _answered_with(line: Line, seat: Seat, *, kept: bool) -> list[Plain]:
    """What was answered at the same time, as far as a seat may know it."""

    def told(name: str, value: Plain) -> Plain:
        return roll_told(value, seat, kept=kept) if name == "roll" else value

    return [
        {name: told(name, value) for name, value in each.items() if name != VEILED}
        for each in line.what.get("with", ())
        if seat.master or (VEILED not in each and seat.sees(Audience(each["audience"]), each["of"]))
    ]


def _explains(line: Line, seat: Seat) -> bool:
    """Whether a seat may know why a line was refused."""
    return seat.sees(Audience(line.what.get("because", "everyone")), line.what.get("of"))


def _keeps_secret(line: Line, seat: Seat) -> bool:
    """Whether a step is begun with something that a seat is not told."""
    return line.kind == "began" and len(_arguments(line, seat)) < len(line.what["arguments"])


def _arguments(line: Line, seat: Seat) -> Plain:
    """The arguments of a step; one annotated `Own[…]` or `Hidden[…]` is left out for others, and those in hiding."""
    given = line.what["arguments"]
    if seat.master:
        return given
    try:
        hidden = hidden_arguments(rule_named(line.what["rule"]), seat, given)
    except RefereeError:  # a rule of another version: what may be seen of it is not known
        return {}
    veils = set(line.what.get(VEILS, ()))
    return {name: _but(value, veils) for name, value in given.items() if name not in hidden}


def _but(argument: Plain, veils: set[str]) -> Plain:
    """An argument, without those in hiding where several are named."""
    several = isinstance(argument, list) and veils
    return [each for each in argument if not mentions(each, veils)] if several else argument
