"""The typed lines of a log.

A line is something that came from outside (a step begun, an answer, an edit, an undo) together with everything that
followed from it. `docs/log-format.md` describes the format; `json_fields` writes and reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Final, final

from referee.core.audience import Audience
from referee.core.errors import BadInput
from referee.core.plain import Plain, frozen, unknown
from referee.journal.json_fields import read_fields, to_plain
from referee.journal.log_items import (
    Fields,
    JointAnswer,
    LoggedResult,
    LogItem,
    StepEnded,
    StepRefused,
    ThrowDetails,
)

FORMAT: Final = 2


@frozen
class Line:
    """One line of the log: who did something, and what followed."""

    WRITTEN_APART: ClassVar = ("by", "then")

    kind: ClassVar[str]

    by: str
    then: tuple[LogItem, ...] = field(default=(), kw_only=True)
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


@frozen
class StepLine(Line):
    """A line by which a step begins, continues or ends."""

    step: int = field()


@final
@frozen
class StepBegan(StepLine):
    """A step began: a rule was called."""

    kind = "began"

    rule: str
    arguments: Fields
    audience: Audience = Audience.EVERYONE
    sub_results: tuple[LoggedResult, ...] = ()
    result_kind: str = ""
    """The kind of the result the step ended with, unless a sub-result already says it."""


@frozen
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
@frozen
class AnswerGiven(AnswerLine):
    """A question was answered."""

    kind = "answered"

    sub_results: tuple[LoggedResult, ...] = ()
    result_kind: str = ""


@final
@frozen
class ThrowHeld(AnswerLine):
    """Dice were thrown and wait for the game master's decision; nothing follows yet."""

    kind = "held"

    throw: int = field(kw_only=True)


@final
@frozen
class StepCancelled(StepLine):
    """An open step was cancelled, and everything it had changed is reverted."""

    kind = "cancelled"

    @property
    def ends(self) -> bool:
        return True


@final
@frozen
class SceneEdited(Line):
    """The game master set, added or removed something."""

    kind = "edited"


@final
@frozen
class LinesUndone(Line):
    """Someone went back to before a line; what they had never been told of may stay in force."""

    kind = "undone"

    to: int
    but: tuple[int, ...] = ()
    """Later lines that stay in force."""


@final
@frozen
class LinesRedone(Line):
    """What was last undone was redone."""

    kind = "redone"


# --- asides -----------------------------------------------------------------------------------------------------------


@final
@frozen
class SeatData:
    """A seat as everyone may know it."""

    id: str
    name: str
    role: str
    controls: tuple[str, ...]
    real_dice: bool


@frozen
class Aside(Line):
    """Something outside the story: who sits where, what was said, the table's settings. Undo does not affect it."""

    kind = "said"
    about: ClassVar[str]

    to: tuple[str, ...] | None = field(default=None, kw_only=True)
    """The seats it is for, in addition to the game master and the speaker; None means everyone."""


@final
@frozen
class SeatTaken(Aside):
    """Someone takes a seat, or a seat changes."""

    about = "seat"

    seat: SeatData
    changed: bool = False


@final
@frozen
class SeatRemoved(Aside):
    """A seat is removed."""

    about = "left"

    seat: str


@final
@frozen
class StandingAnswers(Aside):
    """Answers a seat has given in advance, by the name of the question."""

    about = "standing"

    seat: str
    standing: Fields


@final
@frozen
class PrivateNotes(Aside):
    """A seat's private notes, by the character they are about."""

    about = "notes"

    seat: str
    notes: Fields
    changed: bool = False
    """Whether these are only the notes that changed; one without text is removed."""


@final
@frozen
class SettingsChanged(Aside):
    """The table's settings."""

    about = "settings"

    settings: Fields


@final
@frozen
class NoteSaid(Aside):
    """Someone said something, perhaps with a picture. With a title or a picture it is a handout."""

    about = "note"

    text: str
    file: str | None = None
    title: str = ""


@final
@frozen
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
@frozen
class EncounterPrepared(Aside):
    """The game master prepares an encounter: who takes part in what; without a start it is kept no longer."""

    about = "prepared"

    prepared: str
    title: str
    start: Fields


@final
@frozen
class RecapWritten(Aside):
    """The story so far, in Markdown; the latest recap counts."""

    about = "recap"

    text: str


@final
@frozen
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
@frozen
class DraftAnswered(Aside):
    """One field of a draft is answered; null takes the answer back."""

    about = "draft-answer"

    draft: str
    field: str
    answer: Plain
    part: str | None = None
    """Of levels that points are spread over, the one that changes."""


@final
@frozen
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
@frozen
class DraftEnded(Aside):
    """A draft is finished, and the character of this name is in the scene; or it is discarded."""

    about = "draft-end"

    draft: str
    name: str | None = None


@final
@frozen
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
@frozen
class PlayStopped(Aside):
    """Someone called a stop."""

    about = "stopped"


@final
@frozen
class PlayResumed(Aside):
    """Play continues after a stop or an undo."""

    about = "resumed"

    seat: str | None = None
    """Who resumed play after an undo that not everyone was told about."""


@final
@frozen
class UndoAsked(Aside):
    """Someone asks the game master to go back to before a line; without a line the request is no longer open."""

    about = "undo-asked"

    seat: str
    """Who asks."""
    line: int | None = None


@final
@frozen
class CheckFailed(Aside):
    """A step has left something that the book does not allow. The step stands; the game master is told."""

    about = "check"

    rule: str
    """The rule the step began with."""
    who: str
    text: str


@final
@frozen
class SeedCommitted(Aside):
    """From here on, the dice come from the seed with this commitment."""

    about = "seed"

    commitment: str
    because: str = ""
    """Why it is not the seed of before: it was `revealed`, or this is a `fork`, an `import` or `restored`."""


@final
@frozen
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
        EncounterPrepared,
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
