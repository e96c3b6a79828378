"""The table in the browser: pages made on the server, for any system, from what it declares."""

from __future__ import annotations

from fastapi import FastAPI

from referee.web.screens import (
    door,
    forecast,
    history,
    history_audit,
    live,
    master_people,
    master_rules,
    master_scenes,
    master_seats,
    master_table,
    odds,
    play,
    programs,
    recap,
    rulebook,
    sheet,
    table,
)
from referee.web.screens.page import STATIC, Kept

SCREENS = (door, programs, table, sheet, play, forecast, live, rulebook, odds)
MASTER = (master_people, master_scenes, master_seats, master_rules, master_table)
HISTORY = (recap, history_audit, history)


def add_screens(app: FastAPI) -> None:
    """Every screen, and our own files."""
    for each in (*SCREENS, *MASTER, *HISTORY):
        app.include_router(each.router)
    app.mount("/static", Kept(directory=STATIC), name="static")
