"""The typed lines of a log, and the only place that knows how they are written as JSON.

A line is something that came from outside (a step begun, an answer, an edit, an undo) together with everything that
followed from it. `docs/log-format.md` describes the format. A field without a default is always written; one that has
its default value is left out. Field names of format 1 are read as the current ones (`RENAMED`).
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache, partial
from typing import Any, ClassVar, Final, Self, TypeAlias, TypeVar, Union, cast, final, get_args, get_origin

from referee.core.audience import Audience
from referee.core.errors import BadInput
from referee.core.plain import Plain, hints, unknown

FORMAT: Final = 2
RENAMED: Final = {
    "asked": "prompt",
    "came": "sub_results",
    "ended_as": "result_kind",
    "veiled": "hidden",
    "veils": "hidden_names",
    "told": "story",
}
"""Fields of format 1, and their current names."""

T = TypeVar("T")
Fields: TypeAlias = Mapping[str, Plain]


# --- what followed ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """Something that followed from a line. The first field of each kind distinguishes it from the others."""

    hidden: bool = field(default=False, kw_only=True)
    """Whether it is only about hidden characters."""

    rules: tuple[str, ...] = field(default=(), init=False)
    """The rules behind it, innermost first."""

    @property
    def about(self) -> str | None:
        """The name in the scene it is about."""
        return None

    @property
    def bare(self) -> Self:
        """The same item without its marks, as it follows from the rules."""
        return replace(self, hidden=False) if self.hidden else self

    def to_plain(self) -> dict[str, Plain]:
        return to_plain(self)


@final
@dataclass(frozen=True, slots=True)
class FieldsChanged(Item):
    """Fields of a value changed: their new values and their old ones."""

    set: Fields = field()
    who: str = field()
    rules: tuple[str, ...] = field(kw_only=True)
    kind: str = ""
    was: Fields | None = None
    facing: str | None = None
    """For a pile: this and its owner decide who may see its cards."""
    owner: str | None = None
    unset: Fields | None = None
    """What fields that are or were None stand for, by the rules; for people only."""
    shown: tuple[str, ...] | None = None
    """The fields that were shown to those who do not play them; None if all were."""

    @property
    def about(self) -> str:
        return self.who

    @property
    def bare(self) -> Self:
        is_marked = self.hidden or self.unset is not None or self.shown is not None
        return replace(self, hidden=False, unset=None, shown=None) if is_marked else self


@final
@dataclass(frozen=True, slots=True)
class ValueAdded(Item):
    """A value was added to the scene, replaced one of another kind, or was revealed."""

    new: Fields = field()
    who: str = field()
    rules: tuple[str, ...] = field(kw_only=True)
    shown: tuple[str, ...] | None = None

    @property
    def about(self) -> str:
        return self.who

    @property
    def bare(self) -> Self:
        return replace(self, hidden=False, shown=None) if self.hidden or self.shown is not None else self


@final
@dataclass(frozen=True, slots=True)
class ValueRemoved(Item):
    """A value left the scene."""

    gone: str = field()
    rules: tuple[str, ...] = field(kw_only=True)

    @property
    def about(self) -> str:
        return self.gone


@final
@dataclass(frozen=True, slots=True)
class WentIntoHiding(Item):
    """A value was hidden: to everyone but the game master it has left the scene."""

    hid: str = field()
    rules: tuple[str, ...] = field(kw_only=True)


@final
@dataclass(frozen=True, slots=True)
class StoryLine(Item):
    """A line of the story, by the key of its wording."""

    story: str = field()
    figures: Fields = field()
    who: str | None = field()
    audience: Audience = field()
    rules: tuple[str, ...] = field(kw_only=True)

    @property
    def about(self) -> str | None:
        return self.who


@final
@dataclass(frozen=True, slots=True)
class StepEnded(Item):
    """The step ended with this result."""

    ended: Plain = field()


@final
@dataclass(frozen=True, slots=True)
class StepRefused(Item):
    """The step was refused midway; the items after this one revert everything it had changed."""

    refused: str = field()
    rules: tuple[str, ...] = field(kw_only=True)


_ITEMS: Final[dict[str, type[Item]]] = {
    "set": FieldsChanged,
    "new": ValueAdded,
    "gone": ValueRemoved,
    "hid": WentIntoHiding,
    "story": StoryLine,
    "told": StoryLine,
    "ended": StepEnded,
    "refused": StepRefused,
}


# --- details for people -----------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class ThrownDie:
    """A kind of die: what each of its faces means, or its number of sides if it is read as a number."""

    die: str
    sides: int | None = None
    faces: tuple[Plain, ...] | None = None
    again: tuple[int, ...] = ()
    """The pips on which it is thrown again."""


@final
@dataclass(frozen=True, slots=True)
class ThrownMod:
    """A modifier of a throw or a draw; `hidden` if it names a hidden character."""

    amount: int
    label: str
    rule: str
    secret: bool = False
    hidden: bool = False
    unit: str = ""


@final
@dataclass(frozen=True, slots=True)
class ThrowDetails:
    """How a throw or a draw was made: its dice, what was kept from an earlier throw, and its modifiers."""

    dice: tuple[ThrownDie, ...]
    mods: tuple[ThrownMod, ...]
    kept: Plain = None
    places: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """For each kind of dice what lies in each place: the pips of a die that was kept, none for one that was thrown."""


@final
@dataclass(frozen=True, slots=True)
class LoggedResult:
    """The result of a rule that another rule called; `after` is the number of items that followed before it."""

    rule: str
    kind: str
    who: str | None
    result: Plain
    after: int
    hidden: bool = False


@final
@dataclass(frozen=True, slots=True)
class JointAnswer:
    """One of several answers given at once; no one is told about it before the last one is given."""

    prompt: str
    of: str | None
    answer: Plain
    roll: ThrowDetails | None = None
    audience: Audience = Audience.EVERYONE
    by_default: bool = False
    hidden: bool = False


# --- lines ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log: who did something, and what followed."""

    kind: ClassVar[str]

    by: str
    then: tuple[Item, ...] = field(default=(), kw_only=True)
    hidden: bool = field(default=False, kw_only=True)
    """Whether it is only about hidden characters, or answers a question that left no choice."""
    hidden_names: tuple[str, ...] = field(default=(), kw_only=True)
    """Which names in the rest of it were hidden when it was written."""
    step: int | None = field(default=None, init=False)
    """The step it belongs to."""

    @property
    def ends(self) -> bool:
        """Whether this line ends its step."""
        return any(isinstance(item, (StepEnded, StepRefused)) for item in self.then)

    @property
    def thrown(self) -> int:
        """The number of the throw it records, or 0."""
        return 0

    def to_plain(self) -> dict[str, Plain]:
        about = {"about": self.about} if isinstance(self, Aside) else {}
        plain = {"kind": self.kind, "by": self.by, **about, **to_plain(self)}
        return {**plain, "then": [item.to_plain() for item in self.then]}

    @staticmethod
    def from_plain(plain: Plain) -> Line:
        """A line, of this format or an earlier one; `BadInput` says what is wrong with it."""
        try:
            return _read_line(plain)
        except BadInput as problem:
            raise BadInput("log", f"not a line of a log: {problem}: {str(plain)[:80]}") from None


@dataclass(frozen=True, slots=True)
class StepLine(Line):
    """A line by which a step begins, continues or ends."""

    step: int = field()


@final
@dataclass(frozen=True, slots=True)
class StepBegan(StepLine):
    """A step began: a rule was called."""

    kind = "began"

    rule: str
    arguments: Fields
    audience: Audience = Audience.EVERYONE
    sub_results: tuple[LoggedResult, ...] = ()
    result_kind: str = ""
    """The kind of the result the step ended with, unless a sub-result already says it."""


@dataclass(frozen=True, slots=True)
class AnswerLine(StepLine):
    """An answer to a question of a step, or dice thrown for one."""

    prompt: str
    of: str | None
    part: int
    """Of several questions asked at once: `part` is which, `parts` how many, `left` how many are still open."""
    parts: int
    answer: Plain
    left: int = 0
    with_: tuple[JointAnswer, ...] = ()
    """With the last of several answers given at once, the others."""
    throw: int | None = None
    """For chance only: the number of the throw, and the dice or the pile it was made with."""
    dice: tuple[tuple[int, int], ...] | None = None
    again: tuple[tuple[int, ...], ...] = ()
    """For each kind of dice the pips on which it is thrown again; nothing if none is."""
    pile: str | None = None
    roll: ThrowDetails | None = None
    overruled: bool = False
    by_default: bool = False
    """Whether it is the default of a ruling, taken because the table's settings say so."""
    instead_of: Plain = None
    """What was thrown, if someone overruled it."""
    audience: Audience = Audience.EVERYONE
    because: Audience = Audience.EVERYONE
    """Who may know why the answer was refused."""

    @property
    def thrown(self) -> int:
        return self.throw or 0


@final
@dataclass(frozen=True, slots=True)
class AnswerGiven(AnswerLine):
    """A question was answered."""

    kind = "answered"

    sub_results: tuple[LoggedResult, ...] = ()
    result_kind: str = ""


@final
@dataclass(frozen=True, slots=True)
class ThrowHeld(AnswerLine):
    """Dice were thrown and wait for the game master's decision; nothing follows yet."""

    kind = "held"

    throw: int = field(kw_only=True)


@final
@dataclass(frozen=True, slots=True)
class StepCancelled(StepLine):
    """An open step was cancelled, and everything it had changed is reverted."""

    kind = "cancelled"

    @property
    def ends(self) -> bool:
        return True


@final
@dataclass(frozen=True, slots=True)
class SceneEdited(Line):
    """The game master set, added or removed something."""

    kind = "edited"


@final
@dataclass(frozen=True, slots=True)
class LinesUndone(Line):
    """Someone went back to before a line; what they had never been told of may stay in force."""

    kind = "undone"

    to: int
    but: tuple[int, ...] = ()
    """Later lines that stay in force."""


@final
@dataclass(frozen=True, slots=True)
class LinesRedone(Line):
    """What was last undone was redone."""

    kind = "redone"


# --- asides -----------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class SeatData:
    """A seat as everyone may know it."""

    id: str
    name: str
    role: str
    controls: tuple[str, ...]
    real_dice: bool


@dataclass(frozen=True, slots=True)
class Aside(Line):
    """Something outside the story: who sits where, what was said, the table's settings. Undo does not affect it."""

    kind = "said"
    about: ClassVar[str]

    to: tuple[str, ...] | None = field(default=None, kw_only=True)
    """The seats it is for, in addition to the game master and the speaker; None means everyone."""


@final
@dataclass(frozen=True, slots=True)
class SeatTaken(Aside):
    """Someone takes a seat, or a seat changes."""

    about = "seat"

    seat: SeatData
    changed: bool = False


@final
@dataclass(frozen=True, slots=True)
class SeatRemoved(Aside):
    """A seat is removed."""

    about = "left"

    seat: str


@final
@dataclass(frozen=True, slots=True)
class StandingAnswers(Aside):
    """Answers a seat has given in advance, by the name of the question."""

    about = "standing"

    seat: str
    standing: Fields


@final
@dataclass(frozen=True, slots=True)
class PrivateNotes(Aside):
    """A seat's private notes, by the character they are about."""

    about = "notes"

    seat: str
    notes: Fields
    changed: bool = False
    """Whether these are only the notes that changed; one without text is removed."""


@final
@dataclass(frozen=True, slots=True)
class SettingsChanged(Aside):
    """The table's settings."""

    about = "settings"

    settings: Fields


@final
@dataclass(frozen=True, slots=True)
class NoteSaid(Aside):
    """Someone said something, perhaps with a picture. With a title or a picture it is a handout."""

    about = "note"

    text: str
    file: str | None = None
    title: str = ""


@final
@dataclass(frozen=True, slots=True)
class PageWritten(Aside):
    """A page of the table's notebook, in Markdown; the latest text counts, and one without title and text removes it.

    A page for everyone is shared; any other is for the seat that wrote it first, and the game master.
    """

    about = "page"

    page: str
    title: str
    text: str
    changed: bool = False
    """Whether there was such a page before."""


@final
@dataclass(frozen=True, slots=True)
class RecapWritten(Aside):
    """The story so far, in Markdown; the latest recap counts."""

    about = "recap"

    text: str


@final
@dataclass(frozen=True, slots=True)
class DraftBegan(Aside):
    """A seat begins to build or advance a character, or opens a finished draft again."""

    about = "draft"

    draft: str
    seat: str
    """Whose draft it is."""
    form: str
    """`creation` or `advancement`."""
    character: str | None = None
    """For advancement: who grows, and their sheet as it is."""
    sheet: Fields | None = None


@final
@dataclass(frozen=True, slots=True)
class DraftAnswered(Aside):
    """One field of a draft is answered; null takes the answer back."""

    about = "draft-answer"

    draft: str
    field: str
    answer: Plain
    part: str | None = None
    """Of levels that points are spread over, the one that changes."""


@final
@dataclass(frozen=True, slots=True)
class DraftThrown(Aside):
    """Dice were thrown for a field of a draft."""

    about = "draft-throw"

    draft: str
    field: str
    answer: Plain
    throw: int
    dice: tuple[tuple[int, int], ...]
    again: tuple[tuple[int, ...], ...] = ()
    """The pips on which each kind of dice is thrown again."""
    fixes: tuple[str, ...] = ()
    """The fields that cannot change any more."""

    @property
    def thrown(self) -> int:
        return self.throw


@final
@dataclass(frozen=True, slots=True)
class DraftEnded(Aside):
    """A draft is finished, and the character of this name is in the scene; or it is discarded."""

    about = "draft-end"

    draft: str
    name: str | None = None


@final
@dataclass(frozen=True, slots=True)
class PortraitSet(Aside):
    """A character, or a draft, gets a picture: a square cut out of a kept file. Without a file it has none."""

    about = "portrait"

    who: str = ""
    draft: str = ""
    file: str | None = None
    size: tuple[int, ...] = ()
    """The width and height of the file."""
    crop: tuple[int, ...] = ()
    """Where the square lies, in per cent: from the left, from the top, and its share of the shorter side."""


@final
@dataclass(frozen=True, slots=True)
class PlayStopped(Aside):
    """Someone called a stop."""

    about = "stopped"


@final
@dataclass(frozen=True, slots=True)
class PlayResumed(Aside):
    """Play continues after a stop or an undo."""

    about = "resumed"

    seat: str | None = None
    """Who resumed play after an undo that not everyone was told about."""


@final
@dataclass(frozen=True, slots=True)
class UndoAsked(Aside):
    """Someone asks the game master to go back to before a line; without a line the request is no longer open."""

    about = "undo-asked"

    seat: str
    """Who asks."""
    line: int | None = None


@final
@dataclass(frozen=True, slots=True)
class CheckFailed(Aside):
    """A step has left something that the book does not allow. The step stands; the game master is told."""

    about = "check"

    rule: str
    """The rule the step began with."""
    who: str
    text: str


@final
@dataclass(frozen=True, slots=True)
class SeedCommitted(Aside):
    """From here on, the dice come from the seed with this commitment."""

    about = "seed"

    commitment: str
    because: str = ""
    """Why it is not the seed of before: it was `revealed`, or this is a `fork`, an `import` or `restored`."""


@final
@dataclass(frozen=True, slots=True)
class SeedRevealed(Aside):
    """The seed, in hexadecimal; everyone may now check the throws made with it."""

    about = "revealed"

    commitment: str
    seed: str


_LINES: Final[dict[str, type[Line]]] = {
    each.kind: each
    for each in (StepBegan, AnswerGiven, ThrowHeld, StepCancelled, SceneEdited, LinesUndone, LinesRedone)
}
_ASIDES: Final[dict[str, type[Aside]]] = {
    each.about: each
    for each in (
        SeatTaken,
        SeatRemoved,
        StandingAnswers,
        PrivateNotes,
        SettingsChanged,
        NoteSaid,
        PageWritten,
        RecapWritten,
        DraftBegan,
        DraftAnswered,
        DraftThrown,
        DraftEnded,
        PortraitSet,
        PlayStopped,
        PlayResumed,
        UndoAsked,
        CheckFailed,
        SeedCommitted,
        SeedRevealed,
    )
}


# --- JSON -------------------------------------------------------------------------------------------------------------


def to_plain(value: Any) -> dict[str, Plain]:
    """The fields of a record as JSON, without those that have their default; for a line, without `by` and `then`."""
    plain: dict[str, Plain] = {}
    for name, attribute, default in _written(cast(Hashable, type(value))):
        found = getattr(value, attribute)
        if found is not default and found != default:
            plain[name] = _plain(found)
    return plain


def _plain(value: object) -> Plain:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    return to_plain(value) if is_dataclass(value) else value


@cache
def _written(kind: Any) -> tuple[tuple[str, str, object], ...]:
    """The fields of a record: name in JSON, attribute, default."""
    apart = ("by", "then") if issubclass(kind, Line) else ()
    found = [each for each in fields(kind) if each.init and each.name not in apart]
    found.sort(key=lambda each: each.name in ("shown", "hidden", "hidden_names"))  # marks come last
    return tuple((each.name.rstrip("_"), each.name, each.default) for each in found)


def _read_line(plain: Plain) -> Line:
    if not isinstance(plain, Mapping):
        raise BadInput("", "an object expected")
    about = plain.get("about")
    kind = _LINES.get(str(plain.get("kind"))) if plain.get("kind") != Aside.kind else _ASIDES.get(str(about))
    if kind is None:
        name, known = ("about", _ASIDES) if plain.get("kind") == Aside.kind else ("kind", (*_LINES, Aside.kind))
        raise BadInput(name, unknown(str(plain.get(name)), tuple(known)) if name in plain else "is missing")
    if not isinstance(plain.get("then"), list):
        raise BadInput("then", "is missing" if "then" not in plain else "a list expected")
    names = ("kind", "about") if issubclass(kind, Aside) else ("kind",)
    return read_fields(kind, {name: value for name, value in plain.items() if name not in names})


def _read_item(plain: Plain) -> Item:
    if isinstance(plain, dict):
        for name, kind in _ITEMS.items():
            if name in plain:
                return read_fields(kind, plain)
    raise BadInput("", f"nothing that can follow: {str(plain)[:80]}")


def read_fields(kind: type[T], plain: Mapping[str, Plain]) -> T:
    """A record from JSON. A field that is unknown, missing, or of the wrong type is refused by name."""
    known, required = _readers(cast(Hashable, kind))
    given: dict[str, Any] = {}
    for name, value in plain.items():
        found = known.get(name) or known.get(RENAMED.get(name, ""))
        if found is None:
            raise BadInput(name, unknown(name, known))
        attribute, reader = found
        try:
            given[attribute] = value if reader is None else reader(value)
        except BadInput as problem:
            raise problem.within(name) from None
    for name in required:
        if name not in given:
            raise BadInput(name.rstrip("_"), "is missing")
    return kind(**given)


Read: TypeAlias = Callable[[Plain], Any]


@cache
def _readers(kind: Any) -> tuple[dict[str, tuple[str, Read | None]], tuple[str, ...]]:
    """How each field of a record is read, by its name in JSON, and which fields are required."""
    known = hints(kind)
    given = [each for each in fields(kind) if each.init]
    readers = {each.name.rstrip("_"): (each.name, _reader(known[each.name], each.default)) for each in given}
    return readers, tuple(each.name for each in given if each.default is MISSING)


def _reader(kind: Any, default: object = MISSING) -> Read | None:
    """The function that reads one type; None if anything is allowed. A default is left out, and so never null."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return None
    if kind is Item:
        return _read_item
    if origin in (Union, types.UnionType):
        (one,) = (each for each in arguments if each is not types.NoneType)
        reader = _reader(one)
        if default is None:
            return reader
        return lambda plain: None if plain is None or reader is None else reader(plain)
    if origin is tuple:
        return partial(
            _several, tuple(map(_reader, arguments[:1] if ... in arguments else arguments)), ... in arguments
        )
    if isinstance(origin or kind, type) and issubclass(origin or kind, Enum):
        return partial(_member, {each.value: each for each in kind})
    if is_dataclass(kind):
        return lambda plain: read_fields(cast(Any, kind), _scalar(dict, plain))
    return partial(_scalar, dict if origin is not None else kind)


_NAMES: Final = {str: "text", int: "a whole number", bool: "yes or no", dict: "names with values", list: "a list"}


def _scalar(kind: type[Any], plain: Plain) -> Any:
    if type(plain) is kind or (kind is dict and isinstance(plain, Mapping)):
        return plain
    raise BadInput("", f"{_NAMES[kind]} expected, not {str(plain)[:40]!r}")


def _several(readers: tuple[Read | None, ...], is_open: bool, plain: Plain) -> tuple[Any, ...]:
    """A list of any number of values of one type, or of exactly one value per type."""
    values: Iterable[Plain] = _scalar(list, plain)
    if is_open:
        (reader,) = readers
        return tuple(values) if reader is None else tuple(map(reader, values))
    if len(plain) != len(readers):
        raise BadInput("", f"{len(readers)} values expected, not {len(plain)}")
    return tuple(value if reader is None else reader(value) for reader, value in zip(readers, values, strict=True))


def _member(members: Mapping[str, Any], plain: Plain) -> Any:
    if not isinstance(plain, str) or plain not in members:
        raise BadInput("", unknown(str(plain), members))
    return members[plain]
