"""What can follow from a line of a log: values that change, come or go, the story, an end; and details for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, Self, TypeAlias, final

from referee.core.audience import Audience
from referee.core.errors import BadInput
from referee.core.plain import Plain, frozen
from referee.journal.json_fields import read_fields, to_plain

Fields: TypeAlias = Mapping[str, Plain]


@frozen
class LogItem:
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

    @staticmethod
    def from_plain(plain: Plain) -> LogItem:
        """What followed, by the field that comes first."""
        if isinstance(plain, dict):
            for name, kind in _BY_FIRST_FIELD.items():
                if name in plain:
                    return read_fields(kind, plain)
        raise BadInput("", f"nothing that can follow: {str(plain)[:80]}")


@final
@frozen
class FieldsChanged(LogItem):
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
@frozen
class ValueAdded(LogItem):
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
@frozen
class ValueRemoved(LogItem):
    """A value left the scene."""

    gone: str = field()
    rules: tuple[str, ...] = field(kw_only=True)

    @property
    def about(self) -> str:
        return self.gone


@final
@frozen
class WentIntoHiding(LogItem):
    """A value was hidden: to everyone but the game master it has left the scene."""

    hid: str = field()
    rules: tuple[str, ...] = field(kw_only=True)


@final
@frozen
class StoryLine(LogItem):
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
@frozen
class StepEnded(LogItem):
    """The step ended with this result."""

    ended: Plain = field()


@final
@frozen
class StepRefused(LogItem):
    """The step was refused midway; the items after this one revert everything it had changed."""

    refused: str = field()
    rules: tuple[str, ...] = field(kw_only=True)


_BY_FIRST_FIELD: Final[dict[str, type[LogItem]]] = {
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
@frozen
class ThrownDie:
    """A kind of die: what each of its faces means, or its number of sides if it is read as a number."""

    die: str
    sides: int | None = None
    faces: tuple[Plain, ...] | None = None
    again: tuple[int, ...] = ()
    """The pips on which it is thrown again."""


@final
@frozen
class ThrownMod:
    """A modifier of a throw or a draw; `hidden` if it names a hidden character."""

    amount: int
    label: str
    rule: str
    secret: bool = False
    hidden: bool = False
    unit: str = ""


@final
@frozen
class ThrowDetails:
    """How a throw or a draw was made: its dice, what was kept from an earlier throw, and its modifiers."""

    dice: tuple[ThrownDie, ...]
    mods: tuple[ThrownMod, ...]
    kept: Plain = None
    places: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """For each kind of dice what lies in each place: the pips of a die that was kept, none for one that was thrown."""


@final
@frozen
class LoggedResult:
    """The result of a rule that another rule called; `after` is the number of items that followed before it."""

    rule: str
    kind: str
    who: str | None
    result: Plain
    after: int
    hidden: bool = False


@final
@frozen
class JointAnswer:
    """One of several answers given at once; no one is told about it before the last one is given."""

    prompt: str
    of: str | None
    answer: Plain
    roll: ThrowDetails | None = None
    audience: Audience = Audience.EVERYONE
    by_default: bool = False
    hidden: bool = False
