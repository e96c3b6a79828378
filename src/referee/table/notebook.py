"""What a table writes down: shared pages, private ones, and what was handed out. All of it follows from the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from referee.core import frozen
from referee.core.plain import Plain, read
from referee.core.plain import write as to_plain
from referee.journal.lines import Line, NoteSaid, PageWritten
from referee.table.members import Member


@frozen
class NotebookPage:
    """A page: everyone's, or of the one who wrote it first and the game master."""

    id: str
    title: str
    text: str
    owner: str
    """The seat that wrote it first."""
    by: str
    """The seat that wrote it last."""
    shared: bool = False


@frozen
class Handout:
    """A picture or a titled text that was handed out, to everyone or to some."""

    by: str
    title: str
    text: str
    file: str = ""
    to: tuple[str, ...] | None = None


@frozen
class Notebook:
    """The pages of a table by their ids, and its handouts, the oldest first."""

    pages: Mapping[str, NotebookPage] = field(default_factory=dict)
    handouts: tuple[Handout, ...] = ()

    def after(self, line: Line) -> Notebook:
        match line:
            case PageWritten():
                if not line.text and not line.title:
                    return replace(self, pages={id_: page for id_, page in self.pages.items() if id_ != line.page})
                before = self.pages.get(line.page)
                owner = before.owner if before else line.by
                page = NotebookPage(line.page, line.title, line.text, owner, line.by, shared=line.to is None)
                return replace(self, pages={**self.pages, line.page: page})
            case NoteSaid() if line.file or line.title:
                handout = Handout(line.by, line.title, line.text, line.file or "", line.to)
                return replace(self, handouts=(*self.handouts, handout))
            case _:
                return self

    def pages_for(self, member: Member) -> tuple[NotebookPage, ...]:
        """The pages that a seat may read."""
        return tuple(each for each in self.pages.values() if _may_read(each, member))

    def handouts_for(self, member: Member) -> tuple[Handout, ...]:
        """What a seat was handed, or has handed out; the game master sees all."""
        return tuple(
            each
            for each in self.handouts
            if member.is_master or each.to is None or member.id in each.to or each.by == member.id
        )

    def to_plain(self) -> dict[str, Plain]:
        return {
            "pages": [to_plain(each) for each in self.pages.values()],
            "handouts": [to_plain(each) for each in self.handouts],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Notebook:
        pages: tuple[NotebookPage, ...] = read(tuple[NotebookPage, ...], plain["pages"], "pages")
        handouts: tuple[Handout, ...] = read(tuple[Handout, ...], plain["handouts"], "handouts")
        return cls({each.id: each for each in pages}, handouts)


def _may_read(page: NotebookPage, member: Member) -> bool:
    return page.shared or member.is_master or page.owner == member.id
