"""For the game master: edits, visibility, house rules, settings."""

from __future__ import annotations

from fastapi import APIRouter

from referee.core.visibility import Exposure
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.errors import RESPONSES
from referee.web.routes import CAMPAIGN, CheckedRoute
from referee.web.sign_in import ActingVisitor
from referee.wire import replies, requests

router = APIRouter(prefix=CAMPAIGN, tags=["game master"], route_class=CheckedRoute, responses=RESPONSES)


@router.post("/edits", summary="Set fields of anything, or bring something into the scene")
def edit(visitor: ActingVisitor, sent: requests.EditRequest) -> replies.Done:
    """With `kind` among the changes, something new is added to the scene."""
    return visitor.act(DeskCommand(master_desk.edit, sent.name, sent.changes), sent.expected)


@router.post("/removals", summary="Take something out of the scene")
def remove(visitor: ActingVisitor, sent: requests.RemovalRequest) -> replies.Done:
    return visitor.act(DeskCommand(master_desk.remove, sent.name), sent.expected)


@router.post("/playing", summary="Say which of several encounters is played")
def play_encounter(visitor: ActingVisitor, sent: requests.EncounterRequest) -> replies.Done:
    return visitor.act(DeskCommand(master_desk.play_encounter, sent.encounter), sent.expected)


@router.post("/time", summary="Let time go on that stands")
def let_time_go_on(visitor: ActingVisitor, sent: requests.EmptyRequest = requests.EMPTY_REQUEST) -> replies.Done:
    """After much has come due in one go, time stands until the game master lets it go on."""
    return visitor.act(DeskCommand(master_desk.let_time_go_on), sent.expected)


@router.post("/endings", summary="End an encounter, over or not")
def end_encounter(visitor: ActingVisitor, sent: requests.EncounterRequest) -> replies.Done:
    return visitor.act(DeskCommand(master_desk.end_encounter, sent.encounter), sent.expected)


@router.post("/visibility", summary="Hide something from the players, or show it")
def hide(visitor: ActingVisitor, sent: requests.VisibilityRequest) -> replies.Done:
    return visitor.act(DeskCommand(master_desk.hide, sent.name, hidden=sent.hidden), sent.expected)


@router.post("/exposure", summary="Say how much of a sheet is shown to others")
def expose(visitor: ActingVisitor, sent: requests.ExposureRequest) -> replies.Done:
    """The setting `foes` says it for everyone whom no one plays, and for whoever comes later."""
    return visitor.act(DeskCommand(master_desk.expose, sent.name, Exposure(sent.shown)), sent.expected)


@router.patch("/house-rules", summary="Turn options on or off, change figures, add rows")
def house_rules(visitor: ActingVisitor, sent: requests.HouseRules) -> replies.Done:
    overlay = sent.model_dump(exclude={"expected"}, exclude_defaults=True)
    return visitor.act(DeskCommand(master_desk.house_rules, overlay), sent.expected)


@router.patch("/settings", summary="Set the table: who may undo, how much is automatic")
def settings(visitor: ActingVisitor, sent: requests.SettingsChange) -> replies.Done:
    changes = sent.model_dump(exclude={"expected"}, exclude_none=True)
    return visitor.act(DeskCommand(master_desk.settings, changes), sent.expected)
