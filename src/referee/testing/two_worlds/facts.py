"""What a rule reveals: the plain facts a seat is entitled to, read from the log and the audiences of fields.

This deliberately reads the log differently from `views.feed`, and much more coarsely: no ids, no counts, no words.
If two worlds differ in these facts, a rule has revealed the secret; if they do not, nothing else may.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, final

from referee.core.audience import Audience, audiences
from referee.core.cards import Pile
from referee.core.encounter import Encounter
from referee.core.plain import Plain
from referee.core.questions import Chance
from referee.core.rules import rule_named
from referee.core.scene import State
from referee.core.system import HOUSE_KINDS, System
from referee.journal.journal import Journal
from referee.journal.lines import AnswerGiven, Line, StepBegan, StepCancelled
from referee.journal.log_items import (
    FieldsChanged,
    LogItem,
    StepEnded,
    StepRefused,
    StoryLine,
    ValueAdded,
    ValueRemoved,
)

VEIL: Final = "veil"
FREE_ROLL: Final = "referee.table.roll"


def in_hiding(state: State) -> frozenset[str]:
    """The hidden names, with the piles that are theirs, and secret ones."""
    names = frozenset(getattr(state.get(VEIL), "names", ()))
    piles = ((name, pile) for name, pile in state.items() if isinstance(pile, Pile))
    return names.union(name for name, pile in piles if pile.owner in names or pile.facing.value == "game master")


@final
class SeatFacts:
    """The facts known to one seat, which plays some characters and is not the game master's."""

    def __init__(self, system: System, plays: frozenset[str]) -> None:
        self.system = system
        self.plays = plays
        self.facts: list[str] = []
        self._quiet: set[int | None] = set()
        """Steps that began in secret."""
        self._dark: set[int | None] = set()
        """Steps in which something was secret, so that their result may be secret too."""
        self._sealed: dict[int | None, list[Plain]] = {}
        self._waiting = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeatFacts) and (self.facts, self._waiting) == (other.facts, other._waiting)

    __hash__ = None  # type: ignore[assignment]  # it is mutable

    def hear(self, journal: Journal, since: int, hidden: frozenset[str]) -> None:
        """Read the lines of a log from a given number on, while some names were hidden."""
        for number in range(since, journal.count):
            self.facts += map(json.dumps, self._facts(journal.line(number), hidden))
        self._waiting = json.dumps(sorted(self._questions(journal, hidden)))

    def _questions(self, journal: Journal, hidden: frozenset[str]) -> Iterator[list[str]]:
        """Who is openly asked what."""
        for each in journal.asking:
            who = each.question.who.name if each.question.who else ""
            mine = who in self.plays and not isinstance(each.question, Chance)
            if who not in hidden and (mine or each.step not in self._quiet):  # everyone sees who is waited for
                yield [who, str(each.question.name) if mine or self._sees(each.question.audience, who) else ""]

    def _sees(self, audience: Audience, owner: str | None) -> bool:
        is_owners = audience in (Audience.OWNER, Audience.PRIVATE)
        return audience is Audience.EVERYONE or (is_owners and owner in self.plays)

    def _facts(self, line: Line, hidden: frozenset[str]) -> Iterator[Plain]:
        match line:
            case StepBegan():
                yield from self._began(line, hidden)
            case AnswerGiven():
                yield from self._answered(line, hidden)
            case StepCancelled() if line.step not in self._quiet:
                yield ["cancelled"]
            case _:
                pass
        for item in line.then:
            yield from self._item(item, line, hidden)

    def _began(self, line: StepBegan, hidden: frozenset[str]) -> Iterator[Plain]:
        given = line.arguments
        due = given.get("deadline") or {}
        secret = not self._sees(Audience(due.get("audience", "everyone")), due.get("who"))
        if secret or (given.get("hidden") and line.rule == FREE_ROLL) or _names(given, hidden):
            self._quiet.add(line.step)
            self._dark.add(line.step)
            return
        kept = [
            name
            for name, parameter in rule_named(line.rule).parameters.items()
            for mark in getattr(parameter.annotation, "__metadata__", ())
            if isinstance(mark, Audience) and not self._sees(mark, next(iter(given.values()), None))
        ]
        if set(kept) & set(given):
            self._dark.add(line.step)
        yield ["began", line.by, line.rule, {n: v for n, v in given.items() if n not in kept}]

    def _answered(self, line: AnswerGiven, hidden: frozenset[str]) -> Iterator[Plain]:
        secret = not self._sees(line.audience, line.of)
        if secret:
            self._dark.add(line.step)
        fact: Plain = ["answered", line.prompt, line.of, line.answer]
        told = not secret and line.of not in hidden and not _names(line.answer, hidden)
        told = told and (line.of in self.plays or line.step not in self._quiet)
        if told and line.left and line.of not in self.plays:
            self._sealed.setdefault(line.step, []).append(fact)
        elif told:
            yield fact
        if not line.left:
            yield from self._sealed.pop(line.step, ())

    def _item(self, item: LogItem, line: Line, hidden: frozenset[str]) -> Iterator[Plain]:
        match item:
            case StepEnded() if line.step not in self._dark and not _names(item.to_plain(), hidden):
                yield ["ended", item.ended]
            case StepRefused() if line.step not in self._dark:
                yield ["refused"]
            case StoryLine() if self._sees(item.audience, item.who) and not _names(item.to_plain(), hidden):
                yield ["told", item.story, item.figures]
            case ValueRemoved() if item.gone not in hidden | {VEIL}:
                yield ["gone", item.gone]
            case FieldsChanged() | ValueAdded() if item.who not in hidden:
                yield from self._changed(item, hidden)
            case _:
                pass

    def _changed(self, item: FieldsChanged | ValueAdded, hidden: frozenset[str]) -> Iterator[Plain]:
        """Changes to open fields of sheets and things; what everyone shares may not differ at all."""
        fields = item.new if isinstance(item, ValueAdded) else item.set
        kind: Any = self.system.kind(item.new["kind"] if isinstance(item, ValueAdded) else item.kind)
        if kind is Pile:
            whole = fields if isinstance(item, ValueAdded) else {**fields, "facing": item.facing, "owner": item.owner}
            mine = whole.get("facing") in ("hand", "private") and whole.get("owner") in self.plays
            if whole.get("facing") == "up" or mine:
                yield ["cards", item.who, fields.get("cards")]
        elif kind not in HOUSE_KINDS and not issubclass(kind, Encounter):
            for name, audience in audiences(kind).items():
                if name in fields and self._sees(audience, item.who) and not _names(fields[name], hidden):
                    yield ["set", item.who, name, fields[name]]


def _names(plain: Plain, hidden: frozenset[str]) -> bool:
    """Whether plain data mentions any of the hidden names."""
    text = json.dumps(plain, ensure_ascii=False)
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in hidden)
