"""What people did, deed by deed, from what everyone was told: who did what, what came of it, and how much it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

from referee.core.plain import Plain
from referee.core.value_changes import NOTHING, ToldChange
from referee.core.wording import capital
from referee.web.pages.history.luck import chance_of
from referee.web.pages.page import WORDS, minus
from referee.web.pages.parts.action_sentences import is_somebody
from referee.web.pages.parts.story import Piece, StoryWriter, undone_in
from referee.web.pages.table_view import ENCOUNTER_OVER, TableView

MOST_TOLD: Final = 2
"""So much that came of a deed is told in short."""
NARROW: Final = Fraction(1, 20)
"""A throw is told as against the odds if this is its chance, or less."""
OUT, DOWN, OVER, STATE, TALE, RARE, HARM, RESULT = 10, 7, 8, 5, 3, 4, 2, 1
"""How much things count: somebody is out of it or at nothing, an encounter is over, how somebody is, what a rule tells,
a throw against the odds, points lost, a result at all."""


@final
@dataclass(frozen=True)
class Deed:
    """What somebody did, or what happened by itself, with what came of it."""

    item: int
    act: str = ""
    """A sentence without its subject, or a whole one if nobody is named."""
    who: str = ""
    results: tuple[str, ...] = ()
    tales: tuple[str, ...] = ()
    plain_tales: tuple[str, ...] = ()
    """Those of them without figures."""
    states: tuple[str, ...] = ()
    """How people are now: changes with sentences of their own."""
    points: tuple[str, ...] = ()
    """Points lost and gained: `Bell: Wounds 10 to 7`."""
    falls: tuple[str, ...] = ()
    """That somebody has nothing left of what keeps them up: `Bell has no Wounds left`."""
    luck: Fraction | None = None
    """The chance of the throw behind it, if it was against the odds."""
    is_good: bool = True
    weight: int = 0
    is_master: bool = False
    """Whether the game master did it: time passes, somebody comes."""

    @property
    def sentence(self) -> str:
        """All of it on one line, as Markdown."""
        parts = [self._act, *map(capital, self.results), *self.tales, *self.states, *self.points]
        return " ".join(_ended(each) for each in parts if each)

    @property
    def short(self) -> str:
        """Who did what, and the most that came of it, without figures; empty if it is not worth telling."""
        came = " ".join(_ended(each) for each in self._came[:MOST_TOLD])
        if not self.act or self.is_master:
            return came
        said = self._act.rstrip(".")
        if came:
            said = f"{said}: {came}"
        elif self.results:
            said = WORDS.say(f"history.recap.{'succeeds' if self.is_good else 'fails'}", act=said)
        else:
            said = _ended(said)
        return f"{said} {self.told_luck}" if self.luck else said

    @property
    def _came(self) -> list[str]:
        """What came of it, the most important first; each once."""
        return list(dict.fromkeys((*self.states, *self.falls, *self.plain_tales)))

    @property
    def told_luck(self) -> str:
        if self.luck is None:
            return ""
        return WORDS.say(f"history.recap.rare-{'good' if self.is_good else 'bad'}", times=str(round(1 / self.luck)))

    @property
    def _act(self) -> str:
        if not self.act:
            return ""
        return f"**{capital(self.who)}** {self.act}" if self.who else capital(self.act)


def _ended(text: str) -> str:
    return text if text[-1] in ".!?…" else f"{text}."


@final
@dataclass
class Deeds:
    """Tells deeds from items of the story, to nobody in particular."""

    view: TableView
    items: Sequence[Mapping[str, Plain]]

    def all(self, gone: set[int] | None = None) -> Iterator[Deed]:
        """Every deed in its order, without what was undone; `gone` says what was, if other items undo some of these."""
        by_id = {item["id"]: item for item in self.items}
        told: list[Piece] = []
        plain = [dict(each) for each in self.items]
        for piece in StoryWriter.of(self.view).tell(plain, undone_in(plain) if gone is None else gone):
            if piece.undone or piece.kind in ("note", "undo"):
                continue
            if told and (piece.kind in ("act", "next") or (told[0].kind != "act" and piece.tales)):
                yield from self._deed(told, by_id)
                told = []
            told.append(piece)
        if told:
            yield from self._deed(told, by_id)

    def _deed(self, told: list[Piece], by_id: Mapping[Plain, Mapping[str, Plain]]) -> Iterator[Deed]:
        first = told[0] if told[0].kind == "act" else None
        results = [each for piece in told for each in piece.outcomes if each.text]
        tales = tuple(capital(self.named(each)) for piece in told for each in piece.tales)
        moved = list(self._moved([each for piece in told for each in piece.moved]))
        states = tuple(self.named(each.text) for each, weight in moved if each.is_sentence)
        points = tuple(self._points(each) for each, _ in moved if not each.is_sentence)
        gone = {each.who for each, weight in moved if weight == OUT}
        falls = tuple(self._fall(each) for each, weight in moved if weight == DOWN and each.who not in gone)
        is_good = all(each.tone != "bad" for each in results)
        items = [by_id[piece.id] for piece in told if piece.id in by_id]
        luck = self._luck(items, is_good=is_good) if results else None
        weight = (
            max((each for _, each in moved), default=0)
            + TALE * bool(tales and told[0].kind != "table")
            + RESULT * bool(results)
        )
        weight += RARE * (luck is not None) + OVER * any(_is_over(each) for each in items)
        deed = Deed(
            told[0].id,
            self.named(first.text) if first else "",
            self.named(first.who) if first else "",
            tuple(each.text for each in results),
            tales,
            tuple(each for each in tales if not self._has_figures(each)),
            states,
            points,
            falls,
            luck,
            is_good,
            weight,
            first is not None and self._is_masters(first),
        )
        if deed.sentence:
            yield deed

    def _is_masters(self, piece: Piece) -> bool:
        action = next((each for each in self.view.system.actions if each.rule.id == piece.rule), None)
        return action is not None and action.master

    def _moved(self, moved: list[ToldChange]) -> Iterator[tuple[ToldChange, int]]:
        """What was lost and gained of the figures that everyone watches, and how people are; each once, with weight."""
        look = self.view.look
        vitals = {each.field: each for each in look.vitals if each.field}
        befores: dict[tuple[str, tuple[str, ...]], str] = {}
        afters: dict[tuple[str, tuple[str, ...]], ToldChange] = {}
        for each in moved:
            befores.setdefault((each.who, each.path), each.before)
            afters[each.who, each.path] = each
        for (who, path), last in afters.items():
            if (befores[who, path] or NOTHING) == last.after:
                continue
            vital = vitals.get(path[0])
            is_health = vital is not None and vital.tone in ("health", "warning")
            if path[0] == look.out:
                yield last, OUT
            elif path[0] in look.chips or (is_health and last.is_sentence):
                yield last, HARM if last.after == NOTHING else STATE
            elif vital is not None:
                now = last.after.lstrip("-")
                is_down = vital.tone == "health" and now.isdecimal() and int(last.after) <= 0
                yield _from(last, befores[who, path]), DOWN if is_down else HARM

    def _points(self, change: ToldChange) -> str:
        key = f"history.recap.{'moved' if change.before else 'has'}"
        who = self.named(change.who)
        return WORDS.say(key, who=who, what=change.what, before=minus(change.before), after=minus(change.after))

    def _fall(self, change: ToldChange) -> str:
        return WORDS.say("history.recap.down", who=self.named(change.who), what=change.what)

    def _luck(self, items: Sequence[Mapping[str, Plain]], *, is_good: bool) -> Fraction | None:
        """The chance of the first throw, if it made the difference against the odds."""
        rolled = next((each for each in items if each.get("roll") and isinstance(each.get("answer"), list)), None)
        if rolled is None or rolled.get("overruled"):
            return None
        found = chance_of(rolled["answer"], rolled["roll"], self.view.look, good=is_good)
        return found if found is not None and found <= NARROW else None

    def _has_figures(self, text: str) -> bool:
        """Whether there is a number in it that is nobody's name: `Soldier 2 panics` has none."""
        for name in sorted(self.view.people, key=len, reverse=True):
            text = text.replace(capital(name), "").replace(name, "")
        return any(sign.isdecimal() for sign in text)

    def named(self, text: str) -> str:
        """With everyone's name written with a capital."""
        for name in self._lower:
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", capital(name), text)
        return text

    @cached_property
    def _lower(self) -> tuple[str, ...]:
        """The names of people that begin without a capital, the longest first: those these items speak of."""
        found = {name for item in self.items for name in self._people_of(item) if name[:1].islower()}
        return tuple(sorted(found, key=lambda name: (-len(name), name)))

    def _people_of(self, item: Mapping[str, Plain]) -> Iterator[str]:
        kinds = self.view.system.person_kinds
        yield str(item.get("of") or "")
        for each in item.get("then", ()):
            if each.get("kind", (each.get("new") or {}).get("kind")) in kinds:
                yield str(each["who"])
        action = next((each for each in self.view.system.actions if each.rule.id == item.get("rule")), None)
        for name, value in (item.get("arguments") or {}).items() if action else ():
            if action and is_somebody(action, name):
                yield from map(str, value if isinstance(value, list) else (value,))


def _from(change: ToldChange, before: str) -> ToldChange:
    """A change from an earlier figure on."""
    return ToldChange(change.who, change.what, before, change.after, change.text, change.is_sentence, path=change.path)


def _is_over(item: Mapping[str, Plain]) -> bool:
    return any(each.get("story") == ENCOUNTER_OVER for each in item.get("then", ()))
