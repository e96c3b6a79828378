"""The drafts of a table: characters in the making, as the asides in the log leave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import final

from referee.core.plain import Plain
from referee.journal.lines import Aside, DraftAnswered, DraftBegan, DraftEnded, DraftThrown


class DraftKind(Enum):
    """What a draft is for."""

    CREATION = "creation"
    ADVANCEMENT = "advancement"


@final
@dataclass(frozen=True)
class DraftRecord:
    """A draft, and whose it is."""

    id: str
    seat: str
    kind: DraftKind
    character: str | None = None
    """Who grows, if somebody does."""
    sheet: Mapping[str, Plain] | None = None
    """Their sheet when the draft began."""
    answers: Mapping[str, Plain] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    """The fields whose dice have been thrown, and those that the throws fix."""
    finished: str | None = None
    """The character that came of it."""
    last: tuple[str, str | None, Plain] | None = None
    """The last answer that changed: its field, the part of a spread, and what it was before."""

    def to_plain(self) -> dict[str, Plain]:
        return {
            "id": self.id,
            "seat": self.seat,
            "kind": self.kind.value,
            "character": self.character,
            "sheet": self.sheet,
            "answers": dict(self.answers),
            "kept": list(self.kept),
            "finished": self.finished,
            "last": None if self.last is None else list(self.last),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Plain]) -> DraftRecord:
        last = plain.get("last")
        known = {**plain, "kind": DraftKind(plain["kind"]), "kept": tuple(plain["kept"])}
        return cls(**{**known, "last": tuple(last) if last else None})

    def answered(self, line: DraftAnswered) -> DraftRecord:
        """The draft with one more answer."""
        answer, was = line.answer, self.answers.get(line.field)
        last = (line.field, line.part, was if line.part is None else (was or {}).get(line.part))
        if line.part is not None:
            answer = {**(was or {}), line.part: answer}
        left = {key: value for key, value in self.answers.items() if key != line.field}
        return replace(self, answers=left if answer is None else {**left, line.field: answer}, last=last)


@final
@dataclass(frozen=True)
class Drafts:
    """The drafts of a table. Dice that were seen are kept: a new draft of the same seat begins with them."""

    open: Mapping[str, DraftRecord] = field(default_factory=dict)
    """By id; finished ones too, so that they can be opened again if their character is undone."""
    kept: Mapping[str, Mapping[str, Plain]] = field(default_factory=dict)
    """The dice of discarded drafts with what they fix, by seat and kind of draft."""

    def kept_by(self, seat: str, kind: DraftKind) -> Mapping[str, Plain]:
        """The dice a seat has seen in a draft of this kind that it discarded, with what they fix."""
        return self.kept.get(_key(seat, kind), {})

    def of(self, seat: str) -> list[DraftRecord]:
        return [each for each in self.open.values() if each.seat == seat]

    def to_plain(self) -> dict[str, Plain]:
        return {"open": [each.to_plain() for each in self.open.values()], "kept": dict(self.kept)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Plain]) -> Drafts:
        found = [DraftRecord.from_plain(each) for each in plain["open"]]
        return cls({each.id: each for each in found}, plain["kept"])

    def after(self, line: Aside) -> Drafts:
        """The drafts after one more line; one about a draft that is gone changes nothing."""
        match line:
            case DraftBegan() if line.draft not in self.open:
                kind = DraftKind(line.form)
                dice = self.kept_by(line.seat, kind)
                new = DraftRecord(line.draft, line.seat, kind, line.character, line.sheet, dict(dice), tuple(dice))
                return self._with(new)
            case DraftBegan():
                return self._with(replace(self.open[line.draft], finished=None))
            case DraftAnswered() if line.draft in self.open:
                return self._with(self.open[line.draft].answered(line))
            case DraftThrown() if line.draft in self.open:
                before = self.open[line.draft]
                answers = {**before.answers, line.field: line.answer}
                kept = dict.fromkeys((*before.kept, line.field, *line.fixes))
                return self._with(replace(before, answers=answers, kept=tuple(kept)))
            case DraftEnded() if line.draft in self.open:
                return self._ended(self.open[line.draft], line.name)
            case _:
                return self

    def without(self, seat: str) -> Drafts:
        """The drafts after a seat has been removed."""
        left = {id_: each for id_, each in self.open.items() if each.seat != seat}
        return replace(self, open=left) if len(left) < len(self.open) else self

    def _with(self, record: DraftRecord) -> Drafts:
        return replace(self, open={**self.open, record.id: record})

    def _ended(self, record: DraftRecord, name: str | None) -> Drafts:
        key = _key(record.seat, record.kind)
        others = {each: dice for each, dice in self.kept.items() if each != key}
        if name is not None:
            return replace(self._with(replace(record, finished=name)), kept=others)
        dice = {each: record.answers[each] for each in record.kept if each in record.answers}
        left = {id_: each for id_, each in self.open.items() if id_ != record.id}
        return Drafts(left, {**self.kept, key: {**self.kept.get(key, {}), **dice}} if dice else self.kept)


def _key(seat: str, kind: DraftKind) -> str:
    return f"{seat} {kind.value}"
