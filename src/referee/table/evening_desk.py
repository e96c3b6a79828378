"""The evenings of a table: closing one, with what happened and what it brings, and opening the next with "last time".

Each function is one action from a desk: `DeskCommand(evening_desk.close, "Evening of 3 May", "They got away.", {})`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, unknown
from referee.table import master_desk, notebook_desk
from referee.table.desk import Desk
from referee.table.members import Role
from referee.table.notebook import NotebookPage

PAGE: Final = "evening-"
"""How the ids of pages begin that tell of an evening."""
LAST_TIME: Final = "Last time"
"""What the text is called with which the next evening opens."""
MOST_AWARDED: Final = 1_000


def close(desk: Desk, title: str, text: str, awards: Mapping[str, Mapping[str, Plain]]) -> None:
    """Write down what happened, as a page of the journal, and give characters what they have earned, by their names."""
    desk.check_role("close the evening", Role.MASTER)
    known = {each.field: each for each in desk.campaign.system.look.awards}
    for name, earned in awards.items():
        if name not in desk.journal.state:
            raise BadInput("award", unknown(name, tuple(desk.journal.state)))
        for field, amount in earned.items():
            if field not in known:
                raise BadInput("award", unknown(field, tuple(known)))
            if isinstance(amount, int) and not 0 <= amount <= MOST_AWARDED:
                raise BadInput("award", f"must be 0 to {MOST_AWARDED}")
    for name, earned in awards.items():
        sheet = desk.journal.state[name]
        grown = {
            each: getattr(sheet, each) + amount
            for field, amount in earned.items()
            if amount and not known[field].action
            for each in (field, *known[field].also)
        }
        if grown:
            master_desk.edit(desk, name, grown)
        for action in dict.fromkeys(known[field].action for field, amount in earned.items() if amount):
            if action:
                _give(
                    desk, action, name, {field: each for field, each in earned.items() if known[field].action == action}
                )
    notebook_desk.write(desk, f"{PAGE}{notebook_desk.new_page_id()}", title, text, shared=True)


def _give(desk: Desk, action: str, name: str, earned: Mapping[str, Plain]) -> None:
    """Award something by the game master's action for it; what was left at 0 is what it says by itself."""
    parameters = desk.campaign.system.action(action).parameters
    given = {
        field: each for field, each in earned.items() if each or parameters[field].default is parameters[field].empty
    }
    desk.act(action, None, {next(iter(parameters)): name, **given})


def last_closed(desk: Desk) -> NotebookPage | None:
    """The page of the evening that was closed last."""
    pages = desk.campaign.setup.notebook.pages.values()
    masters = {each.id for each in desk.campaign.members.values() if each.is_master}
    return next((page for page in reversed(list(pages)) if page.id.startswith(PAGE) and page.owner in masters), None)


def is_closed(desk: Desk) -> bool:
    """Whether the evening was closed, and nothing has been played since."""
    for item in reversed(desk.feed.items):
        if item["kind"] == "said" and item["about"] == "page":
            if str(item["page"]).startswith(PAGE):
                return True
        elif item["kind"] in ("began", "answered") or (item["kind"] == "said" and item.get("title") == LAST_TIME):
            return False
    return False


def open_next(desk: Desk) -> None:
    """Tell everyone what happened last time, and begin a session where the game has such a thing."""
    desk.check_role("open the evening", Role.MASTER)
    desk.check_playing()
    page = last_closed(desk)
    if page is None or not is_closed(desk):
        legal = ("close the evening first",)
        raise Refused(
            "open the evening", because="the evening is not closed", rule="referee.table.notebook", legal=legal
        )
    desk.note(page.text, title=LAST_TIME)
    if session := desk.campaign.system.look.session:
        desk.act(session)
