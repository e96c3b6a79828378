"""What stays in force when someone goes back who was never told of it: hidden edits, and hidden steps that are over."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from referee.core.cards import check_each_card_once
from referee.core.errors import RefereeError
from referee.core.plain import write
from referee.core.scene import State
from referee.core.system import System
from referee.core.visibility import hidden_names
from referee.journal.changes import fold
from referee.journal.lines import Line, SceneEdited, StepBegan
from referee.journal.log_items import FieldsChanged, LogItem, ValueAdded


def kept_on_undo(
    system: System, state: State, later: Sequence[tuple[int, Line]], told: Collection[int]
) -> Iterator[int]:
    """The numbers of the later lines that stay, though the first line and everything told since are undone.

    A step stays as a whole or not at all. What would now come to light, or no longer fits the scene, goes.
    """
    steps = {line.step for _, line in later if isinstance(line, StepBegan)}
    steps &= {line.step for _, line in later if line.ends}
    steps -= {line.step for number, line in later if number in told}
    while True:
        found = list(_fitting(system, state, later, told, steps))
        numbers = {number for number, _ in found}
        torn = {line.step for number, line in later if line.step in steps and number not in numbers}
        if not torn:
            break
        steps -= torn
    yield from (number for number, _ in found)


def _fitting(
    system: System,
    state: State,
    later: Sequence[tuple[int, Line]],
    told: Collection[int],
    steps: Collection[int | None],
) -> Iterator[tuple[int, Line]]:
    for number, line in later[1:]:
        if number in told or not (isinstance(line, SceneEdited) or line.step in steps):
            continue
        hidden = hidden_names(state)
        if all(
            _fits(state, item) and (not item.hidden or item.about is None or item.about in hidden) for item in line.then
        ):
            try:
                after = fold(system, state, [line])
                check_each_card_once(after)
            except RefereeError:
                continue
            state = after
            yield number, line


def _fits(state: State, item: LogItem) -> bool:
    """Whether an item changes what it changed then. A list that differs by now would bring back what is undone."""
    match item:
        case FieldsChanged():
            value = state.get(item.who)
            return value is not None and all(
                not isinstance(now, (list, dict)) or write(getattr(value, name)) == (item.was or {}).get(name)
                for name, now in item.set.items()
            )
        case ValueAdded():
            return item.who not in state
        case _:
            return item.about is None or item.about in state
