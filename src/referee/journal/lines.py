"""The lines of a log, typed, and the only place that knows how they are written as JSON.

A line is something that came from outside (a step begun, an answer, an edit, an undo) together with all that followed
from it. `docs/log-format.md` describes the format. A field without a default is always written; one with a default is
left out while it has it. Names of format 1 are read as those of today (`RENAMED`).
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
"""Fields of format 1, and what they are called since."""

T = TypeVar("T")
Fields: TypeAlias = Mapping[str, Plain]


# --- what followed ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """Something that followed from a line. The first field of each kind tells it from the others."""

    hidden: bool = field(default=False, kw_only=True)
    """Whether it is only about characters in hiding."""

    rules: tuple[str, ...] = field(default=(), init=False)
    """The rules behind it, the innermost first."""

    @property
    def about(self) -> str | None:
        """The name in the scene it is about."""
        return None

    @property
    def bare(self) -> Self:
        """The same without its mark."""
        return replace(self, hidden=False) if self.hidden else self

    def to_plain(self) -> dict[str, Plain]:
        return to_plain(self)


@final
@dataclass(frozen=True, slots=True)
class FieldsChanged(Item):
    """Fields of a value changed: what they are, and what they were."""

    set: Fields = field()
    who: str = field()
    rules: tuple[str, ...] = field(kw_only=True)
    kind: str = ""
    was: Fields | None = None
    facing: str | None = None
    """Of a pile: on this and its owner depends who may see its cards."""
    owner: str | None = None

    @property
    def about(self) -> str:
        return self.who


@final
@dataclass(frozen=True, slots=True)
class ValueAdded(Item):
    """A value came into the scene, replaced one of another kind, or came out of hiding."""

    new: Fields = field()
    who: str = field()
    rules: tuple[str, ...] = field(kw_only=True)

    @property
    def about(self) -> str:
        return self.who


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
    """To everybody but the game master a value has left the scene."""

    hid: str = field()
    rules: tuple[str, ...] = field(kw_only=True)


@final
@dataclass(frozen=True, slots=True)
class StoryLine(Item):
    """A line of the story, by the key of its words."""

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
    """The step is over, with this result."""

    ended: Plain = field()


@final
@dataclass(frozen=True, slots=True)
class StepRefused(Item):
    """The step was refused in its middle; the items after it change back all it had changed."""

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
    """A kind of die: what each of its faces means, or its sides if it is read as its number."""

    die: str
    sides: int | None = None
    faces: tuple[Plain, ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class ThrownMod:
    """A modifier of a throw; `hidden` if it names a character in hiding."""

    amount: int
    label: str
    rule: str
    secret: bool = False
    hidden: bool = False


@final
@dataclass(frozen=True, slots=True)
class ThrowDetails:
    """How a throw was made: its dice, what was kept from an earlier throw, and its modifiers."""

    dice: tuple[ThrownDie, ...]
    mods: tuple[ThrownMod, ...]
    kept: Plain = None


@final
@dataclass(frozen=True, slots=True)
class LoggedResult:
    """The result of a rule that another rule called, and after how many of the items that followed it came."""

    rule: str
    kind: str
    who: str | None
    result: Plain
    after: int
    hidden: bool = False


@final
@dataclass(frozen=True, slots=True)
class JointAnswer:
    """One of several answers given at once; nobody is told of it before the last of them."""

    prompt: str
    of: str | None
    answer: Plain
    roll: ThrowDetails | None = None
    audience: Audience = Audience.EVERYONE
    hidden: bool = False


# --- lines ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log: who did something, and what followed."""

    kind: ClassVar[str]

    by: str
    then: tuple[Item, ...] = field(default=(), kw_only=True)
    hidden: bool = field(default=False, kw_only=True)
    """Whether it is only about characters in hiding, or tells of a question that was no choice."""
    hidden_names: tuple[str, ...] = field(default=(), kw_only=True)
    """Which names in the rest of it were in hiding when it was written."""
    step: int | None = field(default=None, init=False)
    """The step it belongs to."""

    @property
    def ends(self) -> bool:
        """Whether its step is over with this line."""
        return any(isinstance(item, (StepEnded, StepRefused)) for item in self.then)

    @property
    def thrown(self) -> int:
        """The number of the throw it tells of, or 0."""
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
    """A line by which a step begins, goes on or ends."""

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
    """The kind of the result the step ended with, unless a sub-result tells it."""


@dataclass(frozen=True, slots=True)
class AnswerLine(StepLine):
    """An answer to a question of a step, or dice that have fallen for one."""

    prompt: str
    of: str | None
    part: int
    """Of several questions put at once: which, of how many, and how many are open after this answer."""
    parts: int
    answer: Plain
    left: int = 0
    with_: tuple[JointAnswer, ...] = ()
    """Beside the last of several answers given at once, the others."""
    throw: int | None = None
    """Of chance only: the number of the throw, with the dice or the pile it was made with."""
    dice: tuple[tuple[int, int], ...] | None = None
    pile: str | None = None
    roll: ThrowDetails | None = None
    overruled: bool = False
    instead_of: Plain = None
    """What had fallen, where somebody said otherwise."""
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
    """Dice fell and wait for the game master's word; nothing follows yet."""

    kind = "held"

    throw: int = field(kw_only=True)


@final
@dataclass(frozen=True, slots=True)
class StepCancelled(StepLine):
    """An open step was cancelled: all it had changed is changed back."""

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
    """Somebody went back to before a line."""

    kind = "undone"

    to: int


@final
@dataclass(frozen=True, slots=True)
class LinesRedone(Line):
    """The last undo was taken back."""

    kind = "redone"


# --- what is said beside the story ------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class SeatData:
    """A seat as everybody is told of it."""

    id: str
    name: str
    role: str
    controls: tuple[str, ...]
    real_dice: bool


@dataclass(frozen=True, slots=True)
class Aside(Line):
    """Something beside the story: who sits where, what was said, how the table is set. No undo touches it."""

    kind = "said"
    about: ClassVar[str]

    to: tuple[str, ...] | None = field(default=None, kw_only=True)
    """The seats it is for, besides the game master and whoever said it; None: everybody."""


@final
@dataclass(frozen=True, slots=True)
class SeatTaken(Aside):
    """Somebody sits down, or a seat changes."""

    about = "seat"

    seat: SeatData
    changed: bool = False


@final
@dataclass(frozen=True, slots=True)
class SeatRemoved(Aside):
    """A seat is taken away."""

    about = "left"

    seat: str


@final
@dataclass(frozen=True, slots=True)
class StandingAnswers(Aside):
    """Answers a seat has left for when it is asked, by the name of the question."""

    about = "standing"

    seat: str
    standing: Fields


@final
@dataclass(frozen=True, slots=True)
class PrivateNotes(Aside):
    """What a seat has written down for itself, by whom it is about."""

    about = "notes"

    seat: str
    notes: Fields


@final
@dataclass(frozen=True, slots=True)
class SettingsChanged(Aside):
    """How the table is set."""

    about = "settings"

    settings: Fields


@final
@dataclass(frozen=True, slots=True)
class NoteSaid(Aside):
    """Somebody said something, perhaps with a picture."""

    about = "note"

    text: str
    file: str | None = None


@final
@dataclass(frozen=True, slots=True)
class RecapWritten(Aside):
    """What has happened so far, in markdown; the latest counts."""

    about = "recap"

    text: str


@final
@dataclass(frozen=True, slots=True)
class PlayStopped(Aside):
    """Somebody called a stop."""

    about = "stopped"


@final
@dataclass(frozen=True, slots=True)
class PlayResumed(Aside):
    """Play goes on, after a stop or an undo."""

    about = "resumed"

    seat: str | None = None
    """Who went on after an undo that not everybody was told of."""


@final
@dataclass(frozen=True, slots=True)
class SeedCommitted(Aside):
    """From here on the dice come from the seed with this commitment."""

    about = "seed"

    commitment: str


@final
@dataclass(frozen=True, slots=True)
class SeedRevealed(Aside):
    """Everybody may check the throws of this seed, which is written in hexadecimal."""

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
        RecapWritten,
        PlayStopped,
        PlayResumed,
        SeedCommitted,
        SeedRevealed,
    )
}


# --- JSON -------------------------------------------------------------------------------------------------------------


def to_plain(value: Any) -> dict[str, Plain]:
    """The fields of a record as JSON, without those that have their default; of a line, without `by` and `then`."""
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
    found.sort(key=lambda each: each.name in ("hidden", "hidden_names"))  # marks come last
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
    """A record from JSON. A field that is not known, missing, or not of its type is refused by name."""
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
    """How each field of a record is read, by its name in JSON, and which must be there."""
    known = hints(kind)
    given = [each for each in fields(kind) if each.init]
    readers = {each.name.rstrip("_"): (each.name, _reader(known[each.name], each.default)) for each in given}
    return readers, tuple(each.name for each in given if each.default is MISSING)


def _reader(kind: Any, default: object = MISSING) -> Read | None:
    """The function that reads one type; None where anything may stand. A default is left out, and so never null."""
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
    """A list of any number of one type, or of as many values as there are types."""
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
