"""The table in the browser: pages rendered on the server, for any system, from what the system declares."""

from __future__ import annotations

from starlette.routing import BaseRoute


def page_routes() -> list[BaseRoute]:
    """Every page but the start page and what that needs. Their modules are imported here."""
    from referee.web.pages import api_reference, notebook, portrait
    from referee.web.pages.book import rulebook
    from referee.web.pages.drafts import drafts
    from referee.web.pages.history import audit, evening, history, recap
    from referee.web.pages.odds import odds
    from referee.web.pages.table import coming_in, encounter_forecast, forecast, live, play, sheet, table, things

    modules = (
        *(api_reference, table, coming_in, sheet, drafts, notebook, portrait, play, forecast, encounter_forecast, live),
        *(things, rulebook, odds, recap, audit, evening, history),
    )
    return [*(route for each in modules for route in each.router.routes), *master_routes()]


def master_routes() -> list[BaseRoute]:
    """The pages and forms of a game master."""
    from referee.web.pages.master import add, encounters, journeys, people, rules, seats, table, zones

    modules = (people, add, encounters, zones, journeys, seats, rules, table)
    return [route for each in modules for route in each.router.routes]
