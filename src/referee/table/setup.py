"""How a table is set up: who sits at it, its settings, its seed, its drafts. It follows from the asides in the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import final

from referee.core.plain import Plain
from referee.journal.lines import (
    DraftAnswered,
    DraftBegan,
    DraftEnded,
    DraftThrown,
    EncounterPrepared,
    Line,
    LinesUndone,
    NoteSaid,
    PageWritten,
    PlayResumed,
    PlayStopped,
    PortraitSet,
    PrivateNotes,
    SeatRemoved,
    SeatTaken,
    SeedCommitted,
    SettingsChanged,
    StandingAnswers,
    UndoAsked,
)
from referee.table.drafts import Drafts
from referee.table.members import Member
from referee.table.notebook import Notebook
from referee.table.portraits import Portraits
from referee.table.preparations import Preparations
from referee.table.settings import TableSettings


@final
@dataclass(frozen=True)
class TableSetup:
    """The setup of a table after some lines."""

    members: Mapping[str, Member] = field(default_factory=dict)
    settings: TableSettings = field(default_factory=TableSettings)
    stopped: str = ""
    """Who has called a stop, as long as it lasts."""
    commitment: str = ""
    """The commitment of the seed the dice come from."""
    drafts: Drafts = field(default_factory=Drafts)
    """Characters in the making."""
    notebook: Notebook = field(default_factory=Notebook)
    """Pages and handouts."""
    undo_asked: Mapping[str, int] = field(default_factory=dict)
    """By seat: the line to before which someone asks the game master to go back."""
    portraits: Portraits = field(default_factory=Portraits)
    preparations: Preparations = field(default_factory=Preparations)
    """Encounters that the game master has prepared."""

    def to_plain(self) -> dict[str, Plain]:
        members = [each.to_plain() for each in self.members.values()]
        settings = self.settings.to_plain()
        return {
            "members": members,
            "settings": settings,
            "stopped": self.stopped,
            "commitment": self.commitment,
            "drafts": self.drafts.to_plain(),
            "notebook": self.notebook.to_plain(),
            "undo_asked": dict(self.undo_asked),
            "portraits": self.portraits.to_plain(),
            "preparations": self.preparations.to_plain(),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Plain]) -> TableSetup:
        members = (Member.from_plain(each) for each in plain["members"])
        settings = TableSettings().but(plain["settings"])
        drafts = Drafts.from_plain(plain["drafts"]) if "drafts" in plain else Drafts()
        notebook = Notebook.from_plain(plain["notebook"])  # without one, the handouts before it would be missing
        asked = dict(plain.get("undo_asked") or {})
        by_id = {each.id: each for each in members}
        portraits = Portraits.from_plain(plain["portraits"]) if "portraits" in plain else Portraits()
        prepared = Preparations.from_plain(plain.get("preparations") or [])
        whole = cls(by_id, settings, plain["stopped"], plain["commitment"], drafts, notebook, asked, portraits)
        return replace(whole, preparations=prepared)

    def after(self, line: Line) -> TableSetup:
        """The setup after one more line; most lines change nothing."""
        match line:
            case SeatTaken():
                return self._with(Member.of(line.seat, self.members.get(line.seat.id)))
            case StandingAnswers() if line.seat in self.members:
                return self._with(replace(self.members[line.seat], standing=line.standing))
            case PrivateNotes() if line.seat in self.members:
                member = self.members[line.seat]
                notes = {**member.notes, **line.notes} if line.changed else line.notes
                return self._with(replace(member, notes={about: text for about, text in notes.items() if text}))
            case SeatRemoved():
                left = {id_: each for id_, each in self.members.items() if id_ != line.seat}
                drafts = self.drafts.without(line.seat)
                return replace(self._asking(line.seat, None), members=left, drafts=drafts)
            case DraftBegan() | DraftAnswered() | DraftThrown() | DraftEnded() | PortraitSet():
                return replace(self, drafts=self.drafts.after(line), portraits=self.portraits.after(line))
            case NoteSaid() | PageWritten() | EncounterPrepared():
                kept = self.preparations.after(line)
                return replace(self, notebook=self.notebook.after(line), preparations=kept)
            case UndoAsked():
                return self._asking(line.seat, line.line)
            case LinesUndone() if self.undo_asked:
                still = {seat: asked for seat, asked in self.undo_asked.items() if asked < line.to}
                return replace(self, undo_asked=still)
            case SettingsChanged():
                return replace(self, settings=TableSettings().but(line.settings))
            case SeedCommitted():
                return replace(self, commitment=line.commitment)
            case PlayStopped() | PlayResumed():
                return replace(self, stopped=line.by if isinstance(line, PlayStopped) else "")
            case _:
                return self

    def after_all(self, lines: Iterable[Line]) -> TableSetup:
        """The setup after some more lines."""
        found = self
        for line in lines:
            found = found.after(line)
        return found

    def _asking(self, seat: str, line: int | None) -> TableSetup:
        """The setup with this request for an undo, or without any from this seat."""
        others = {each: asked for each, asked in self.undo_asked.items() if each != seat}
        return replace(self, undo_asked=others if line is None else {**others, seat: line})

    def _with(self, member: Member) -> TableSetup:
        return replace(self, members={**self.members, member.id: member})
