"""How the encounter in the scene would go: begun by a button, drawn as it comes in, ended at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, final

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from referee.core.encounter import encounters, stands
from referee.core.errors import NotKnown, RefereeError
from referee.core.plain import is_number
from referee.forecast.encounters import EncounterForecast
from referee.forecast.processes import FIGHTS, Forecasting
from referee.web.errors import Problem
from referee.web.forecasts import PREPARED, plans_for
from referee.web.pages.forms import Form, Sent
from referee.web.pages.odds.charts import Chart
from referee.web.pages.page import HEADERS, WORDS, part, show
from referee.web.pages.parts.chances import ChanceRow, Chances
from referee.web.pages.place import Place, at_table, is_part
from referee.web.sign_in import CurrentVisitor, Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/encounter-forecast", include_in_schema=False)
MOST_ROUNDS: Final = 20
PreparedId = Annotated[str, Query(max_length=40, description="The prepared encounter that is asked about.")]


@final
@dataclass(frozen=True)
class Outlook:
    """How one variant would go."""

    title: str
    wins: Chances
    out: Chances
    mean_rounds: float


@final
@dataclass(frozen=True)
class EncounterForecastScreen:
    """The forecast that this seat has asked for, as far as it is known."""

    template: ClassVar[str] = "encounter_forecast.html"
    place: Place
    encounters: tuple[tuple[str, str], ...]
    """Those that stand and those that are prepared: by which they are asked for, and their names."""
    people: tuple[str, ...]
    policies: tuple[str, ...]
    running: bool = False
    place_in_queue: int = 0
    """While it waits: 1 is the next to begin."""
    cut_short: bool = False
    played: int = 0
    fights: int = FIGHTS
    outlooks: tuple[Outlook, ...] = ()
    moved: tuple[tuple[str, float, float], ...] = ()
    chart: Chart | None = None
    exact: bool = False
    unknown: str = ""
    problem: str = ""
    changes: str = ""
    compare: str = ""

    @staticmethod
    def policy_words(policy: str) -> str:
        """A way to decide in words."""
        key = f"forecast-page.policies.{policy}"
        return WORDS.say(key) if key in WORDS else policy

    @property
    def here(self) -> str:
        return f"{self.place.base}/encounter-forecast"


def _screen(
    request: Request, visitor: Visitor, problem: str = "", form: Form | None = None, prepared: str = ""
) -> EncounterForecastScreen:
    place = at_table(request, visitor)
    view = place.view
    if view is None:
        raise ValueError("a forecast belongs to a table")
    here = tuple((each.name, each.name) for each in encounters(view.scene) if stands(view.scene, each.name))
    here += tuple((f"{PREPARED}{each.id}", each.title) for each in view.preparations)
    here = tuple(sorted(here, key=lambda each: each[0] != f"{PREPARED}{prepared}"))  # the one that is asked about first
    policies = (*view.system.policies, "default")
    forecasts = server_state(request).forecasts
    at_work = forecasts.of(visitor.whose)
    common = (place, here, view.people, policies)
    if at_work is None or form is not None:
        form = form or Form({})
        return EncounterForecastScreen(
            *common, problem=problem, changes=form.one("changes"), compare=form.one("compare")
        )
    found = at_work.found() or []
    compare = at_work.plans[-1].changes[len(at_work.plans[0].changes) :]
    titles = (WORDS.say("forecast-page.as-is"), ", ".join(compare))
    known = isinstance(at_work.problem, NotKnown)
    return EncounterForecastScreen(
        *common,
        running=not at_work.is_done,
        place_in_queue=forecasts.place(visitor.whose),
        cut_short=at_work.is_cut_short,
        played=at_work.played,
        fights=at_work.fights,
        outlooks=tuple(_outlook(title, each) for title, each in zip(titles, found, strict=False)),
        moved=tuple(_moved(at_work, found)) if len(found) > 1 else (),
        chart=_chart(dict(zip(titles, found, strict=False))) if found else None,
        exact=bool(found) and found[0].is_exact,
        unknown=at_work.problem.what if isinstance(at_work.problem, NotKnown) else "",
        problem=problem or (str(at_work.problem) if at_work.problem is not None and not known else ""),
        changes=", ".join(at_work.plans[0].changes),
        compare=", ".join(compare),
    )


def _outlook(title: str, one: EncounterForecast) -> Outlook:
    endings = one.told
    wins = tuple(
        ChanceRow(
            _ending(each), float(one.endings[each].share) if each in one.endings else 0.0, "good" if not at else "plain"
        )
        for at, each in enumerate(endings)
    )
    out = tuple(ChanceRow(name, float(chance.share), "bad") for name, chance in one.out.items())
    error = max((chance.error for chance in (*one.endings.values(), *one.out.values())), default=0.0)
    return Outlook(title, Chances(wins, error), Chances(out, error), one.mean_rounds)


def _ending(ending: str) -> str:
    known = ("nobody", "lost", "unfinished")
    return WORDS.say(f"forecast-page.{ending}") if ending in known else ending


def _moved(at_work: Forecasting, found: list[EncounterForecast]) -> list[tuple[str, float, float]]:
    endings = dict.fromkeys((*found[0].endings, *found[1].endings))
    moved = ((_ending(each), at_work.moved(each)) for each in endings)
    return [(ending, each.share * 100, each.error * 100) for ending, each in moved if each is not None]


def _chart(found: dict[str, EncounterForecast]) -> Chart:
    """The chance that it is over by the end of a round."""
    longest = min(MOST_ROUNDS, max(max(one.rounds, default=1) for one in found.values()))
    at = [str(number) for number in range(1, longest + 1)]
    lines = {
        title: [min(1.0, sum(share for length, share in one.rounds.items() if length <= int(each))) for each in at]
        for title, one in found.items()
    }
    return Chart(WORDS.say("forecast-page.over-by"), WORDS.say("forecast-page.round"), at, lines)


@router.get("")
async def encounter_forecast(request: Request, visitor: CurrentVisitor, prepared: PreparedId = "") -> HTMLResponse:
    """The page, or as much of it as changes while a forecast is worked on."""

    def work() -> HTMLResponse:
        screen = _screen(request, visitor, prepared=prepared)
        return HTMLResponse(part(screen, "found"), headers=HEADERS) if is_part(request) else show(screen)

    return await run_sync(work)


@router.post("")
async def begin(request: Request, visitor: CurrentVisitor, form: Sent) -> Response:
    """Begin a forecast in place of the earlier one."""
    fights = form.one("fights")

    def work() -> Response:
        try:
            changes, compare = _changes(form)
            plans = visitor.read(lambda desk: plans_for(desk, form.one("encounter"), changes, compare))
            often = max(1, int(fights)) if is_number(fights) else FIGHTS
            server_state(request).forecasts.start(visitor.whose, plans, often)
        except (RefereeError, Problem) as why:
            return show(_screen(request, visitor, str(why), form), 422)
        return RedirectResponse(f"/table/{visitor.campaign}/encounter-forecast", 303, HEADERS)

    return await run_sync(work)


@router.post("/stop")
async def stop(request: Request, visitor: CurrentVisitor) -> Response:
    """End the forecast; what is known so far stays."""
    visitor.check_seated()
    await run_sync(server_state(request).forecasts.stop, visitor.whose)
    return RedirectResponse(f"/table/{visitor.campaign}/encounter-forecast", 303, HEADERS)


def _changes(form: Form) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is different for both variants, and for the second alone: what was picked, then what was written."""
    policy, who = form.one("policy"), form.one("who")
    both = (f"policy={policy}",) if policy else ()
    second = (f"{who}={form.one('how')}",) if who else ()
    return both + _listed(form.one("changes")), second + _listed(form.one("compare"))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())
