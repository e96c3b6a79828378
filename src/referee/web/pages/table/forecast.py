"""What an action on a form would do, computed without delaying play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar, final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from referee.core.errors import RefereeError
from referee.core.plain import Plain
from referee.web.odds import Beside, OddsAsker, while_waited_for
from referee.web.pages.forms import Form, Sent, at
from referee.web.pages.page import show
from referee.web.pages.parts.actions import Field, Option, arguments_of, fitting, picking
from referee.web.pages.parts.chances import Chances, chances, is_short_of_time, missing_words
from referee.web.pages.parts.story import assumed, option_words
from referee.web.pages.table.table import LAST_LOOK, LOOKS
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import CurrentVisitor, Visitor
from referee.web.state import server_state
from referee.wire.requests import OddsRequest

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)


@final
@dataclass(frozen=True)
class ForecastScreen:
    """What an action would do, with the values now on the form."""

    template: ClassVar[str] = "forecast.html"
    chances: Chances | None
    decisions: tuple[tuple[str, tuple[tuple[str, Chances], ...]], ...] = ()
    unknown: str = ""
    missing: str = ""
    """Why there are no odds, in words."""
    problem: str = ""
    assumes: tuple[str, ...] = ()
    rule: str = ""
    here: str = ""
    again: int = 0
    """If not 0: the next look, which the page asks for at once because something is still missing."""
    brief: bool = False
    """Whether only the chance that it goes well is told."""
    folded: str = ""
    """The action, if its form is folded: the chance stands beside its name, for what is preselected."""


@router.post("/forecast")
async def forecast(
    request: Request,
    visitor: CurrentVisitor,
    form: Sent,
    again: Annotated[int, Query(ge=0, le=LAST_LOOK)] = 0,
    brief: bool = False,
    folded: bool = False,
) -> HTMLResponse:
    """What the action on a form would do; nothing is done."""
    work = partial(_forecast, request, visitor, form, again)
    found = await while_waited_for(request, visitor.whose, work)
    here = at(f"/table/{visitor.campaign}")
    return show(replace(found, here=here, brief=brief, folded=form.one("action") if folded else ""))


@final
@dataclass(frozen=True)
class BesideScreen:
    """The odds of an action with each person it may be done to, and of every effect aimed for or hoped for."""

    template: ClassVar[str] = "beside.html"
    action: str
    here: str
    whom: tuple[tuple[Field, Option, Chances | None], ...] = ()
    aims: tuple[tuple[str, float | None, float | None], ...] = ()
    effect: str = ""
    """What the argument with the effects is called."""
    heads: tuple[str, str] = ("", "")
    """What it is called to go for an effect, and to leave it to luck."""
    again: int = 0
    """If not 0: the next look, which the page asks for at once because something is still missing."""


@router.post("/beside")
async def beside(
    request: Request, visitor: CurrentVisitor, form: Sent, again: Annotated[int, Query(ge=0, le=LAST_LOOK)] = 0
) -> HTMLResponse:
    """The odds beside the choices of a form; nothing is done."""
    work = partial(_beside, request, visitor, form, again)
    return show(await while_waited_for(request, visitor.whose, work))


def _beside(request: Request, visitor: Visitor, form: Form, look: int, odds: OddsAsker) -> BesideScreen:
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    action, who = view.system.action(form.one("action")), form.some("who")
    given, shown = arguments_of(form.fields, action), BesideScreen(action.key, view.here)
    fields = picking(view, action, who, form.fields).fields
    people = [(each, option) for each in fields if each.is_whom for option in each.options]
    aims = next((each for each in fields if view.look.aims and each.name == view.look.aims.argument), None)
    others: dict[str, Beside] = {}
    for each, option in people:
        fits = fitting(view, action, who, {**form.fields, each.field: [option.value]})
        others[f"{each.name} {option.value}"] = Beside(arguments_of(fits, action))
    if aims is not None and view.look.aims:
        for option in (each for each in aims.options if each.value):
            others[f"aim {option.value}"] = Beside({**given, aims.name: option.value})
            hoping = {name: value for name, value in given.items() if name != aims.name}
            others[f"hope {option.value}"] = Beside(hoping, {view.look.aims.prompt: option.value})
    if not others:
        return shown
    card = odds.beside(visitor, action.key, who, others, LOOKS[look])
    asked, good = card["asked"], action.bands.good
    found = {key: chances(told, view.system, good) for key, told in asked.items()}
    shown = replace(shown, whom=tuple((each, one, found.get(f"{each.name} {one.value}")) for each, one in people))
    if aims is not None and view.look.aims:
        counts = view.look.aims.counts
        brought = {key: told["extra"][counts]["float"] for key, told in asked.items() if counts in told["extra"]}
        effects = [each for each in aims.options if each.value]
        rows = [(each.label, brought.get(f"aim {each.value}"), brought.get(f"hope {each.value}")) for each in effects]
        known = tuple(row for row in rows if row[1:] != (None, None))
        shown = replace(shown, aims=known, effect=aims.words, heads=(view.look.aims.meant, view.look.aims.lucky))
    return replace(shown, again=0 if look == LAST_LOOK or not is_short_of_time(card) else look + 1)


def _forecast(request: Request, visitor: Visitor, form: Form, look: int, odds: OddsAsker) -> ForecastScreen:
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    action = view.system.action(form.one("action"))
    given = arguments_of(form.fields, action)
    missing = [name for name, p in action.parameters.items() if p.default is p.empty and name not in given]
    if missing:
        return ForecastScreen(None)
    try:
        sent = OddsRequest(action=action.key, who=form.some("who"), arguments=given)
        card = odds.action(visitor, sent, LOOKS[look], plan=False)
    except RefereeError as why:
        return ForecastScreen(None, problem=str(why))
    shown = forecast_of(card, view, action.key)
    if look == LAST_LOOK or not is_short_of_time(card):
        return shown
    return replace(shown, missing="", again=look + 1)


def forecast_of(card: Mapping[str, Plain], view: TableView, action: str) -> ForecastScreen:
    system = view.system
    good = system.action(action).bands.good
    decisions = tuple(
        (
            system.words.say(f"prompts.{each['prompt']}"),
            tuple(
                (option_words(system, each["prompt"], key), chances(told, system, good))
                for key, told in each["options"].items()
            ),
        )
        for each in card["decisions"]
    )
    now = card["now"]
    shown = chances(now, system, good) if now else None
    return ForecastScreen(shown, decisions, str(card["unknown"]), missing_words(card), assumes=assumed(card, system))
