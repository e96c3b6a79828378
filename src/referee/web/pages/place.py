"""Where a page of the rulebook or the odds belongs: to a table, with its own rules, or to none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final
from urllib.parse import quote

from fastapi import Request

from referee import registry
from referee.core.rulebook import BOOK, Book
from referee.core.system import System
from referee.web.errors import not_found
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import Visitor
from referee.web.state import server_state


@final
@dataclass(frozen=True)
class Place:
    """A table; or a system as printed; or, without a system, all of them."""

    system: System | None = None
    view: TableView | None = None

    @property
    def base(self) -> str:
        """The start of the addresses of this place."""
        return self.view.here if self.view else ""

    @property
    def name(self) -> str:
        """The name of the table; empty if there is none."""
        return self.view.name if self.view else ""

    @property
    def system_name(self) -> str:
        return self.system.name if self.system else ""

    @cached_property
    def systems(self) -> tuple[System, ...]:
        """The systems whose rules are shown here."""
        return (self.system,) if self.system else tuple(registry.load(name) for name in registry.names())

    def book(self, system: System) -> Book:
        """The rulebook as it is shown here."""
        return self.view.scene[BOOK] if self.view else Book(system.printed_book)

    def rules(self, system: System | None) -> str:
        """The address of a rulebook."""
        return f"{self.base}/rules" if self.view or system is None else f"/rules/{system.name}"

    def rule(self, system: System, id_: str) -> str:
        """The address of a rule."""
        return f"{self.rules(system)}/{quote(id_)}"

    def odds(self, system: System | None) -> str:
        """The address of the odds."""
        return f"{self.base}/odds" if self.view or system is None else f"/odds/{system.name}"


def at_none(system: str = "") -> Place:
    """At no table, with one system or with all."""
    if not system:
        return Place()
    if system not in registry.names():
        raise not_found("there is no such system", where="system", legal=registry.names())
    return Place(registry.load(system))


def at_table(request: Request, visitor: Visitor) -> Place:
    """At a table, from a seat."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    return Place(view.system, view)


def is_part(request: Request) -> bool:
    """Whether our own script asks for a part of the page; going back in history needs all page."""
    sent = request.headers
    return sent.get("hx-request") == "true" and sent.get("hx-history-restore-request") != "true"
