"""The table in the browser: pages rendered on the server, for any system, from what the system declares."""

from __future__ import annotations

from fastapi import FastAPI

from referee.web.pages import accents, api_reference, door, notebook, portrait
from referee.web.pages.book import rulebook
from referee.web.pages.drafts import drafts
from referee.web.pages.history import audit, history, recap
from referee.web.pages.master import encounters, people, rules, seats, zones
from referee.web.pages.master import table as master_table
from referee.web.pages.odds import odds
from referee.web.pages.page import STATIC, StaticAssets
from referee.web.pages.table import encounter_forecast, forecast, live, play, sheet, table

PAGES = (
    accents,
    door,
    api_reference,
    table,
    sheet,
    drafts,
    notebook,
    portrait,
    play,
    forecast,
    encounter_forecast,
    live,
    rulebook,
    odds,
)
MASTER = (people, encounters, zones, seats, rules, master_table)
HISTORY = (recap, audit, history)


def add_pages(app: FastAPI) -> None:
    """Add every page, and the static files."""
    for each in (*PAGES, *MASTER, *HISTORY):
        app.include_router(each.router)
    app.mount("/static", StaticAssets(directory=STATIC), name="static")
