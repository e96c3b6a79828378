"""Whatever text is given for an argument of an action, it is played or refused; nothing else comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import pytest

from referee import registry
from referee.core.actions import Action
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, write
from referee.core.questions import Choice, Question
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.testing.scenarios import samples

MOST_ANSWERS: Final = 12
NOWHERE: Final[tuple[Plain, ...]] = ("zzz", "", ["zzz"], {"zzz": 1})

PARTS: Final = 4
"""A system's actions are tried in so many tests."""


def by_default(question: Question[Any]) -> Plain:
    return question.write(question.default) if isinstance(question, Choice) else None


def began(system: System, state: State, action: Action[Any], given: Mapping[str, Plain]) -> None:
    """Begin an action as a table does, and answer what it asks by default."""
    journal = Journal(system, state, SeededDice(b"names"))
    call = action.rule(*action.arguments(journal.scene, given))
    journal.begin("gm", action.rule.id, given, call=call)
    for _ in range(MOST_ANSWERS):
        if not journal.asking:
            return
        waiting = journal.asking[0]
        journal.answer("gm", waiting.step, by_default(waiting.question), waiting.part)


def usual(action: Action[Any], states: Sequence[State], sheet: type[Any]) -> tuple[State, dict[str, Plain]]:
    """Its first legal way in the first sample that has any, or else what may be picked first for each argument."""
    for state in states:
        scene = Scene(state)
        for who in (None,) if action.master else scene.all(sheet):
            with suppress(BadInput):  # it is of an encounter that is not there
                if (way := next(action.legal(scene, who), None)) is not None:
                    return state, action.plain(who, **way)
    scene = Scene(states[0])
    who = None if action.master else scene.all(sheet)[0]
    found: dict[str, Any] = {}
    with suppress(BadInput):
        found = {name: values[0] for name, values in action.choices(scene, who).items() if values}
    many = {name: (value,) for name, value in found.items() if action.picks[name].many}
    return states[0], action.plain(who, **{**found, **many})


def other_spellings(value: Plain) -> Iterator[Plain]:
    if isinstance(value, str):
        yield from (value.upper(), value.lower(), value.replace(" ", "-").capitalize(), f"{value} zzz")
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        yield [str(each).swapcase() for each in value]
    if isinstance(value, dict):
        yield {name.swapcase(): each for name, each in value.items()}


def told_apart(given: Mapping[str, Plain], action: Action[Any]) -> Iterator[dict[str, Plain]]:
    for name in action.rule.parameters:
        for value in (*NOWHERE, *other_spellings(given.get(name))):
            yield {**given, name: value}


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", registry.names())
def test_any_text_for_an_argument_is_played_or_refused(name: str, part: int) -> None:
    system, wrong = registry.load(name), list[str]()
    states = [state for _, state in samples(system)]
    for action in system.actions[part::PARTS]:
        state, plain = usual(action, states, system.sheet)
        for given in told_apart(plain, action):
            try:
                with suppress(Refused, BadInput):
                    began(system, state, action, given)
            except Exception as why:  # noqa: BLE001  # any other is what is looked for
                wrong.append(f"{action.key} {write(given)}: {type(why).__name__} {why}")
    assert wrong == []
