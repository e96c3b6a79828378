"""Up to where a scenario plays an encounter: somebody's turn, a phase, any of its fields, or a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Final, final

from referee.core.errors import BadInput
from referee.core.plain import Plain, spoken, unknown, write
from referee.core.questions import Question
from referee.core.rules import RULES
from referee.core.scene import Scene, Who
from referee.core.wording import phrase

TURN_OF: Final = re.compile(r"(.+?)['’]s?\s+(?:turn|go)|(?:the\s+)?turn\s+of\s+(.+)", re.IGNORECASE)
ROUND: Final = re.compile(r"round\s+(\d+)", re.IGNORECASE)


@final
@dataclass(frozen=True)
class Until:
    """What has to come, each only if it is named."""

    turn: str = ""
    question: str = ""
    state: tuple[tuple[str, Plain], ...] = ()
    """Fields of the encounter, and the values they must have."""

    def __str__(self) -> str:
        said = [f"it is {self.turn}'s turn"] if self.turn else []
        said += [f"its {name} is {phrase(value)}" for name, value in self.state]
        return " and ".join(said + ([f"{self.question} is asked"] if self.question else []))

    def has_come(self, scene: Scene, encounter: Who[Any]) -> bool:
        """Whether the encounter stands where it was to be played to; a question comes only in a step."""
        value: Any = scene.read(encounter.name)
        if self.question or value is None:
            return False
        plain = write(value)
        right = all(_same(plain.get(name), wanted) for name, wanted in self.state)
        return right and (not self.turn or self.turn in value.group(scene))

    def is_asked(self, question: Question[Any]) -> bool:
        """Whether this is the question that was waited for."""
        whose = f"{question.who or 'game master'}.{question.name}"
        return bool(self.question) and spoken(self.question) in (spoken(str(question.name)), spoken(whose))


def until_of(plain: Plain, scene: Scene, encounter: Who[Any], system: str) -> Until:
    """What is meant: `ana's turn`, a phase, `round 2`, a question, or `{turn: ana, round: 2}`."""
    value = scene[encounter]
    known = tuple(each.name for each in fields(value))
    turns = tuple(name for side in getattr(value, "sides", ()) for name in side) if hasattr(value, "group") else ()
    if isinstance(plain, Mapping):
        given = dict(plain)
        turn, question = str(given.pop("turn", None) or ""), str(given.pop("question", None) or "")
        for name in given:
            if name not in known:
                raise BadInput("until", unknown(str(name), ("turn", "question", *known)))
        for name, wanted in given.items():
            _check_phase(wanted, getattr(value, str(name)))
    else:
        turn, question, given = _meant(phrase(plain).strip(), value, turns)
    if turn and turn not in turns:
        raise BadInput("until", unknown(turn, turns))
    if question:
        _check_question(question, system, (*(f"{name}'s turn" for name in turns), *phases(value)))
    if not (turn or question or given):
        raise BadInput("until", "must be somebody's turn, a phase, a question, or {turn, question, round, …}")
    return Until(turn, question, tuple(given.items()))


def _meant(text: str, value: object, turns: tuple[str, ...]) -> tuple[str, str, dict[str, Plain]]:
    named = TURN_OF.fullmatch(text)
    if named or text in turns:
        return (named[1] or named[2]) if named else text, "", {}
    if number := ROUND.fullmatch(text):
        return "", "", {"round": int(number[1])}
    said = spoken(re.sub(r"^(?:the\s+)?phase\s+|\s+phase$", "", text, flags=re.IGNORECASE))
    for phase, name in phases(value).items():
        if spoken(phase) == said:
            return "", "", {name: phase}
    return "", text, {}


def phases(value: object) -> dict[str, str]:
    """The phases of an encounter, each with the field that holds it."""
    now = getattr(value, "phase", None)
    return {str(each.value): "phase" for each in type(now)} if isinstance(now, Enum) else {}


def _check_phase(wanted: Plain, now: object) -> None:
    """Refuse a value that a field never has."""
    if isinstance(now, Enum) and not any(_same(each.value, wanted) for each in type(now)):
        raise BadInput("until", unknown(str(wanted), tuple(str(each.value) for each in type(now))))


def _check_question(question: str, system: str, besides: tuple[str, ...]) -> None:
    """Refuse a question that no rule of the system asks."""
    name = question.rpartition(".")[2]
    asked = tuple(sorted(set(_prompts(system))))
    if spoken(name) not in map(spoken, asked):
        raise BadInput("until", unknown(name, (*besides, *asked)))


def _prompts(system: str) -> Iterator[str]:
    for id_, each in RULES.items():
        if id_.startswith(f"{system}."):
            yield from map(str, each.prompts)


def _same(found: Plain, wanted: Plain) -> bool:
    return spoken(phrase(found)) == spoken(phrase(wanted))
