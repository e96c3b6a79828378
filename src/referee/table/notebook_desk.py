"""What a seat writes into the table's notebook.

Each function is one action from a desk: `DeskCommand(notebook_desk.write, "5f0c", "The key", "Ripa has it.")`.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Final

from referee.core.errors import BadInput, Refused
from referee.journal.lines import PageWritten
from referee.table.desk import Desk
from referee.table.members import Role
from referee.wire.limits import LONGEST_NOTE, LONGEST_TITLE

MOST_PAGES: Final = 200
NOTEBOOK: Final = "referee.table.notebook"


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
        raise Refused("write", because=because, rule=NOTEBOOK)
    elif known.shared and not shared and (title or text):
        raise Refused("write", because="everyone has read this page; it cannot be made private", rule=NOTEBOOK)
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
