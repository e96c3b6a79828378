"""What a table writes down: pages that everyone shares, private ones, and what was handed out. It follows from the log.

Each function that writes is one action from a desk: `DeskCommand(notebook.write, "5f0c", "The key", "Ripa has it.")`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from referee.core import frozen
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, read
from referee.core.plain import write as to_plain
from referee.journal.lines import Line, NoteSaid, PageWritten
from referee.table.members import Member, Role
from referee.wire.limits import LONGEST_NOTE, LONGEST_TITLE

if TYPE_CHECKING:
    from referee.table.desk import Desk

MOST_PAGES: Final = 200
SHARED: Final = "referee.table.notebook"


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


def new_page_id() -> str:
    """An id that says nothing about how many pages there are."""
    return token_hex(6)


def write(desk: Desk, page: str, title: str, text: str, *, shared: bool = False, before: str | None = None) -> None:
    """Write a page, or write it anew; without title and text it is removed.

    Everyone who plays may write a shared page. If `before` is given, the page must still say that: no one writes over
    what they have not read.
    """
    desk.check_role("notes", Role.MASTER, Role.PLAYER)
    title, text = " ".join(title.split()), text.strip()
    if len(title) > LONGEST_TITLE or len(text) > LONGEST_NOTE:
        raise BadInput("text", f"at most {LONGEST_TITLE} characters for the title and {LONGEST_NOTE} for the text")
    notebook = desk.campaign.setup.notebook
    known = next((each for each in notebook.pages_for(desk.member) if each.id == page), None)
    if known is None:
        _check_new(desk, page, title, text)
    elif before is not None and before != known.text:
        because = "someone has written on this page since you opened it; copy what you wrote, and open it again"
        raise Refused("write", because=because, rule=SHARED)
    elif known.shared and not shared and (title or text):
        raise Refused("write", because="everyone has read this page; it cannot be made private", rule=SHARED)
    is_shared = known.shared if known and not title and not text else shared
    owner = known.owner if known else desk.member.id
    to = None if is_shared else (owner,)
    desk.journal.say(PageWritten(desk.member.id, page, title, text, changed=known is not None, to=to))
    desk.campaign.advance()


def _check_new(desk: Desk, page: str, title: str, text: str) -> None:
    """A new page has a title and an id that is not taken; a seat learns nothing about pages it may not read."""
    notebook = desk.campaign.setup.notebook
    if page in notebook.pages or not page or not (title or text):
        raise BadInput("page", "there is no such page")
    if not title:
        raise BadInput("title", "a page needs a title")
    if sum(each.owner == desk.member.id for each in notebook.pages.values()) >= MOST_PAGES:
        raise BadInput("page", f"at most {MOST_PAGES} pages; remove one first")
