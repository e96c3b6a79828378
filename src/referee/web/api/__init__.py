"""The HTTP API: one module for each noun."""

from __future__ import annotations

from starlette.routing import BaseRoute


def api_routes() -> list[BaseRoute]:
    """Every route of the API. Its modules are imported here, since their schemas take half a second."""
    from referee.web.api import campaigns, drafts, forecasts, log, master, notes, odds, play, rules, seats, tokens

    modules = (campaigns, seats, play, drafts, odds, forecasts, notes, master, log, rules, tokens)
    return [route for each in modules for route in each.router.routes]
