"""The game master's pages: what they share, and who may see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar, final

from fastapi import Depends, Query, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from referee.core.clock import CLOCK, Clock
from referee.core.errors import BadInput
from referee.table.members import NotAllowed
from referee.web.pages.forms import at, go
from referee.web.pages.page import WORDS
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import ActingVisitor, Visitor
from referee.web.state import server_state

M = TypeVar("M", bound=BaseModel)

SECTIONS: Final = {"people": "", "seats": "/seats", "rules": "/rules", "table": "/table"}
"""The pages, and their addresses."""


def ruling(visitor: ActingVisitor) -> Visitor:
    """A request from the game master; everyone else is refused."""
    if not visitor.read(lambda desk: desk.member.is_master):
        raise NotAllowed(WORDS.say("master.title"), because=WORDS.say("master.refused"), rule="referee.table.seats")
    return visitor


Master = Annotated[Visitor, Depends(ruling)]
"""The parameter of an endpoint that only the game master may use."""
Said = Annotated[str, Query(max_length=40, description="What was just done, by the key of its words.")]


@final
@dataclass(frozen=True)
class Frame:
    """What surrounds every page of the game master."""

    view: TableView
    section: str
    said: str = ""

    @property
    def here(self) -> str:
        return self.view.here

    @property
    def title(self) -> str:
        return self.view.name

    @property
    def sections(self) -> list[tuple[str, str]]:
        """The pages, each with its address."""
        return [(name, f"{self.here}/master{where}") for name, where in SECTIONS.items()]

    @property
    def done(self) -> str:
        """What was just done, in words."""
        key = f"master.done.{self.said}"
        return WORDS.say(key) if self.said and key in WORDS else ""

    @property
    def stuck(self) -> str:
        """Why something does not continue by itself."""
        return str(self.view.data.get("stuck", ""))

    @property
    def time_stands(self) -> bool:
        """Whether so much has come due that time waits for the game master."""
        return self.view.scene.get(CLOCK, Clock()).stands


def frame_of(request: Request, visitor: Visitor, section: str, said: str = "") -> Frame:
    return Frame(table_view(visitor, server_state(request).about(visitor.campaign)), section, said)


def back_to(request: Request, visitor: Visitor, section: str, said: str) -> Response:
    """Done: return to the page, with a message."""
    return go(request, at(f"/table/{visitor.campaign}/master{SECTIONS[section]}", said=said))


def held_to(model: type[M], **given: Any) -> M:
    """The content of a form, checked by the same model as what a program sends."""
    try:
        return model.model_validate(given)
    except ValidationError as problem:
        first = problem.errors()[0]
        raise BadInput(".".join(map(str, first["loc"])), str(first["msg"])) from None
