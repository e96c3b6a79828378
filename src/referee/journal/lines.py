"""The log: lines in one order, from which the scene follows by a fold that runs no rule.

A line is something that came from outside (a step begun, an answer, an edit, an undo) together with all that followed
from it. `docs/log-format.md` tells how it is written down.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, Literal, TypeAlias, final, get_args

from referee.core.cards import Pile
from referee.core.errors import BadInput
from referee.core.plain import Plain, hints, read, same, unknown, write
from referee.core.run import Changed, Event, Run
from referee.core.scene import State
from referee.core.system import System

FORMAT: Final = 1

Kind: TypeAlias = Literal["began", "answered", "held", "cancelled", "edited", "undone", "redone", "said"]
Item: TypeAlias = Mapping[str, Plain]
"""Something that followed: a change, a line of the story, the end of a step."""


_FIELDS: Final = {
    "began": ("step", "rule", "arguments"),
    "answered": ("step", "asked", "of", "part", "parts", "answer"),
    "held": ("step", "asked", "of", "part", "parts", "answer", "throw"),
    "cancelled": ("step",),
    "undone": ("to",),
    "said": ("about",),
}


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log: what came from outside, from whom, and what followed."""

    kind: Kind
    by: str
    step: int | None = None
    what: Mapping[str, Plain] = field(default_factory=dict)
    then: tuple[Item, ...] = ()

    @property
    def is_aside(self) -> bool:
        """Whether it stands beside the story (who sits where, what was said): no undo touches it."""
        return self.kind == "said"

    @property
    def ends(self) -> bool:
        """Whether its step is over with this line."""
        return self.kind == "cancelled" or any("ended" in item or "refused" in item for item in self.then)

    def to_plain(self) -> Plain:
        step = {} if self.step is None else {"step": self.step}
        return {"kind": self.kind, "by": self.by, **step, **self.what, "then": list(self.then)}

    @classmethod
    def from_plain(cls, plain: Plain) -> Line:
        what = dict(plain)
        kind, by, then = (what.pop(name, None) for name in ("kind", "by", "then"))
        if kind not in get_args(Kind) or not isinstance(by, str) or not isinstance(then, list):
            raise BadInput("log", f"not a line of a log: {str(plain)[:80]}")
        for name in _FIELDS.get(kind, ()):
            if name not in what:
                raise BadInput("log", f"a line that {kind} something must say {name}: {str(plain)[:80]}")
        return cls(kind, by, what.pop("step", None), what, tuple(then))


def fold(system: System, state: State, lines: Iterable[Line]) -> State:
    """The scene after some lines."""
    for line in lines:
        for item in line.then:
            if "set" in item:
                state = state.but(item["who"], patched(state[item["who"]], item["set"], item["who"]))
            elif "new" in item:
                state = state.but(item["who"], system.value(item["new"], item["who"]))
            elif "gone" in item:
                state = state.but(item["gone"], None)
    return state


def patched(value: Hashable | None, changes: Mapping[str, Plain], where: str = "") -> Hashable:
    """A value with some fields changed, from plain data."""
    known = hints(type(value))
    for name in changes:
        if name not in known:
            raise BadInput(f"{where}.{name}", unknown(name, known))
    whole: Any = value
    after: Hashable = replace(whole, **{name: read(known[name], v, f"{where}.{name}") for name, v in changes.items()})
    return after


def difference(name: str, before: Hashable | None, after: Hashable | None, rules: tuple[str, ...]) -> tuple[Item, ...]:
    """One change as the log keeps it: the fields that changed, what they were, and by which rules."""
    cited = {"rules": list(rules)}
    if same(before, after):
        return ()
    if after is None:
        return ({"gone": name, **cited},)
    if type(before) is not type(after) or not is_dataclass(after):
        return ({"who": name, "new": {"kind": type(after).__name__, **write(after)}, **cited},)
    changed = [f.name for f in fields(after) if getattr(before, f.name) != getattr(after, f.name)]
    was, now = ({each: write(getattr(value, each)) for each in changed} for value in (before, after))
    of = {"kind": type(after).__name__}
    if isinstance(after, Pile):  # who may see its cards depends on these
        of |= {"facing": after.facing.value, "owner": after.owner}
    return ({"who": name, **of, "set": now, "was": was, **cited},)


def differences(before: State, after: State, rules: tuple[str, ...]) -> tuple[Item, ...]:
    """All changes from one scene to another."""
    return tuple(
        item for name in {**before, **after} for item in difference(name, before.get(name), after.get(name), rules)
    )


def followed(events: Iterable[Event], run: Run[Any]) -> tuple[Item, ...]:
    """What a run did, as the log keeps it."""
    then: list[Item] = []
    for event in events:
        if isinstance(event, Changed):
            then += difference(event.who, event.before, event.after, event.rules)
        else:
            told = event.line
            figures = {"figures": write(dict(told.figures)), "who": told.who and told.who.name}
            then.append({"told": told.key, **figures, "audience": told.audience.value, "rules": list(event.rules)})
    if run.done:
        then.append({"ended": write(run.result)})
    return tuple(then)
