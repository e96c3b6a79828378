"""The table itself: its settings, the clock, stop and resume, its name, backups, export, the seed, and handouts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Final, final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.core.system import Unit
from referee.journal.steps import Handling
from referee.store.backup import backup_by_hand, backups, opened
from referee.store.folders import BACKUPS
from referee.store.sqlite import SQLiteStore
from referee.table import master_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.settings import EVERYTHING, MayUndo, TableSettings
from referee.web.api import log as api_log
from referee.web.errors import Problem
from referee.web.limits import address_of
from referee.web.pages.forms import Sent, go
from referee.web.pages.master.frame import Frame, Master, Said, back_to, frame_of, held_to
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.actions import Act, acts
from referee.web.pages.parts.board import Now, clock
from referee.web.sign_in import Visitor, remember_seat
from referee.web.state import server_state
from referee.wire import requests

router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
THROW: Final = "throw-"
RULING: Final = "ruling-"
MOST_TIME: Final = 10_000
HANDLINGS: Final = tuple(each.value for each in Handling)
UNDOES: Final = tuple(each.value for each in MayUndo)


@final
@dataclass(frozen=True)
class Copy:
    """A backup."""

    name: str
    at: datetime
    megabytes: float

    @property
    def date(self) -> str:
        return self.at.strftime("%-d %B %Y, %H:%M UTC")


@final
@dataclass(frozen=True)
class TableSettingsScreen:
    """The settings of the table."""

    template: ClassVar[str] = "master/table.html"
    frame: Frame
    settings: TableSettings
    throws: tuple[tuple[str, str, str], ...]
    """Each throw: its name, its words, and how it is handled."""
    rulings: tuple[tuple[str, str, str], ...]
    """What the game master rules on, in the same way."""
    now: Now
    units: tuple[Unit, ...]
    passing: Act | None
    """The system's own action for passing time."""
    copies: tuple[Copy, ...]
    keeps_copies: bool
    commitment: str
    revealed: tuple[str, ...]
    """Earlier seeds, which everyone may know."""
    handlings: tuple[str, ...] = HANDLINGS
    undoes: tuple[str, ...] = UNDOES


def table_screen(request: Request, visitor: Visitor, said: str = "") -> TableSettingsScreen:
    frame = frame_of(request, visitor, "table", said)
    view = frame.view
    settings, commitment = visitor.read(lambda desk: (desk.campaign.settings, desk.campaign.commitment))
    store = visitor.hub.store
    return TableSettingsScreen(
        frame,
        settings,
        tuple(_handled(frame, "throws", settings.throws)),
        tuple(_handled(frame, "rulings", settings.rulings)),
        clock(view),
        tuple(sorted(view.system.units(view.scene), key=lambda unit: unit.size)),
        next((each for each in acts(view, None) if each.key == view.look.time), None),
        tuple(_copies(store)) if isinstance(store, SQLiteStore) else (),
        isinstance(store, SQLiteStore),
        commitment,
        tuple(each.seed.hex() for each in store.seeds(visitor.campaign) if each.revealed is not None),
    )


def _handled(frame: Frame, what: str, set_to: Mapping[str, Handling]) -> list[tuple[str, str, str]]:
    """Every throw or ruling that the system has words for; empty for those handled like all others."""
    words = frame.view.system.words
    names = [key.removeprefix(f"{what}.") for key in words.texts if key.startswith(f"{what}.")]
    kept = {name: each.value for name, each in set_to.items()}
    names += [name for name in kept if name not in names and name != EVERYTHING]
    return [(name, words.say(f"{what}.{name}"), kept.get(name, "")) for name in names]


def _folder(store: SQLiteStore) -> Path:
    return store.path.parent / BACKUPS


def _copies(store: SQLiteStore) -> list[Copy]:
    found = backups(store, _folder(store)).items()
    return [Copy(path.name, at, path.stat().st_size / 2**20) for path, at in found]


@router.get("/table")
def table(request: Request, visitor: Master, said: Said = "") -> HTMLResponse:
    return show(table_screen(request, visitor, said))


@router.post("/settings")
def settings(request: Request, visitor: Master, form: Sent) -> Response:
    after = form.one("offer_after")
    sent = held_to(
        requests.SettingsChange,
        undo=form.one("undo"),
        offer_after=int(after) if after.isdecimal() and len(after) < 9 else after,
        turns=form.one("turns") == "yes",
        throws=_chosen(form, THROW),
        rulings=_chosen(form, RULING),
        foes=form.some("foes"),
        players_pick=form.one("players_pick") == "yes",
        invite_shown=form.one("invite_shown") == "yes",
    )
    changes = sent.model_dump(exclude={"expected"}, exclude_none=True)
    visitor.act(DeskCommand(master_desk.settings, changes))
    return back_to(request, visitor, "table", "settings")


def _chosen(form: Sent, prefix: str) -> dict[str, str]:
    """How throws or rulings are handled, by name; those that are handled like all others are left out."""
    sent = {name.removeprefix(prefix): all_[-1] for name, all_ in form.fields.items() if name.startswith(prefix)}
    return {name or EVERYTHING: how for name, how in sent.items() if how}


@router.post("/rename")
def rename(request: Request, visitor: Master, form: Sent) -> Response:
    name = held_to(requests.CampaignChange, name=form.one("name")).name
    server_state(request).rename(visitor.campaign, visitor.seat, name)
    return back_to(request, visitor, "table", "renamed")


@router.post("/stop")
def stop(request: Request, visitor: Master) -> Response:
    visitor.act(DeskCommand(Desk.stop))
    return back_to(request, visitor, "table", "stopped")


@router.post("/resume")
def resume(request: Request, visitor: Master) -> Response:
    visitor.act(DeskCommand(Desk.resume))
    return back_to(request, visitor, "table", "resumed")


@router.post("/time")
def time(request: Request, visitor: Master, form: Sent) -> Response:
    """Let time pass, if the system has no action of its own for it; deadlines on the way come due."""
    amount, name = form.one("amount"), form.one("unit")
    if not amount.isdecimal() or len(amount) > 5 or not 0 < int(amount) <= MOST_TIME:
        raise BadInput("amount", f"must be 1 to {MOST_TIME}")

    visitor.act(DeskCommand(master_desk.pass_time, int(amount), name))
    return back_to(request, visitor, "table", "time")


@router.post("/time/on")
def time_on(request: Request, visitor: Master) -> Response:
    """Let time go on that stands because so much came due in one go."""
    visitor.act(DeskCommand(master_desk.let_time_go_on))
    return back_to(request, visitor, "table", "time")


@router.post("/backup")
def back_up(request: Request, visitor: Master) -> Response:
    store = visitor.hub.store
    if not isinstance(store, SQLiteStore):
        raise Problem(422, "refused", "whoever runs this server sees to its backups")
    backup_by_hand(store, _folder(store))
    return back_to(request, visitor, "table", "backup")


@router.post("/restore")
def open_copy(request: Request, visitor: Master, form: Sent) -> Response:
    """Open this table as a backup has it, as a table of its own, and go there; this one stays as it is."""
    store = visitor.hub.store
    if not isinstance(store, SQLiteStore):
        raise Problem(422, "refused", "whoever runs this server sees to its backups")
    server_state(request).newcomers.take(address_of(request.scope))
    name, date = server_state(request).about(visitor.campaign)["name"], _date_of(store, form.one("backup"))
    with opened(store, _folder(store), form.one("backup")) as backup:
        if visitor.campaign not in {each.id for each in backup.headers()}:
            raise BadInput("backup", "this table did not exist yet when it was made")
        called = WORDS.say("master.backups.copy-of", name=name, date=date)[-100:]
        made = visitor.hub.open_copy(visitor.campaign, visitor.seat, backup, called)
    answer = go(request, f"/table/{made.campaign}")
    remember_seat(request, answer, made.campaign, made.token)
    return answer


def _date_of(store: SQLiteStore, name: str) -> str:
    return next((each.date for each in _copies(store) if each.name == name), "")


@router.post("/reveal")
def reveal(request: Request, visitor: Master) -> Response:
    """Reveal the seed: everyone can check the dice thrown so far; new ones use a new seed."""
    api_log.reveal(visitor, request)
    return back_to(request, visitor, "table", "revealed")
