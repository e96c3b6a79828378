"""The odds page: pick or type a check, see its outcomes, how they vary, how it compares, and what is best to do.

Everything is in the URL. Quick results are on the page at once; decisions and plans take longer and follow later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Final, final
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse

from referee import registry
from referee.web.limits import address_of, check_characters
from referee.web.odds import OddsAsker, while_waited_for
from referee.web.pages.forms import LONGEST, MOST_FIELDS, Form
from referee.web.pages.odds.charts import Chart
from referee.web.pages.odds.checks import (
    CheckQuery,
    ComparedSide,
    Trouble,
    actions_of,
    alongs,
    examples_of,
    people_of,
    read_side,
)
from referee.web.pages.odds.results import (
    AT_ONCE,
    DECIDED,
    MOVING,
    MOVING_DECIDED,
    Moving,
    OddsOutcome,
    moved,
    outcome,
)
from referee.web.pages.page import HEADERS, WORDS, part, show
from referee.web.pages.parts.actions import Option
from referee.web.pages.place import Place, at_none, at_table, is_part
from referee.web.sign_in import CurrentVisitor
from referee.web.state import server_state

router = APIRouter(include_in_schema=False)
PLAN: Final = "plan"
CHART: Final = "chart"
MOST_POINTS: Final = 21
USUAL: Final = 3
"""How far a chart goes to either side by default."""

SystemName = Annotated[str, Path(max_length=64)]
Reads = Callable[[], Place]


@final
@dataclass(frozen=True)
class OddsScreen:
    template: ClassVar[str] = "odds.html"
    place: Place
    form: Form
    sides: tuple[ComparedSide, ...]
    moving: Moving = field(default_factory=Moving)
    outcomes: tuple[OddsOutcome, ...] = ()
    chart: Chart | None = None
    deep: frozenset[str] = frozenset()
    """Which of the slow parts are computed: the plan, the decisions in the chart."""

    @property
    def here(self) -> str:
        return self.place.odds(self.place.system)

    @property
    def query(self) -> str:
        """The query string, without empty fields."""
        said = [(name, each) for name, values in self.form.fields.items() for each in values if name != "whole"]
        known = {name for name, value in said if value}
        return urlencode([(name, value) for name, value in said if value or _matters(name, known)])

    @property
    def address(self) -> str:
        return f"{self.here}?{self.query}" if self.query else self.here

    @property
    def examples(self) -> tuple[str, ...]:
        return examples_of(self.place)

    @property
    def systems(self) -> tuple[tuple[str, str], ...]:
        """The systems to choose from, if there is a choice."""
        every = at_none().systems if self.place.view is None else ()
        return tuple((each.name, each.title) for each in every)

    @property
    def boxes(self) -> str:
        """Selectors of the boxes for problems: only these parts of the form change with the result."""
        names = [name for side in self.sides for name in self._fields(side)]
        return ",".join(f"#{name}-box" for name in names)

    def _fields(self, side: ComparedSide) -> list[str]:
        if self.place.view is None:
            return [side.text_name]
        shown = not side.prefix or self.is_compared
        picked = [f"{side.prefix}action", *(f"{side.prefix}{each.field}" for each in side.fields)]
        return [*picked, side.text_name] if shown else []

    @property
    def is_same_along(self) -> bool:
        """Whether the range that was sent belongs to what the chart varies."""
        return self.moving.chosen is not None and self.form.one("along") in ("", self.moving.chosen.key)

    @property
    def has_plan(self) -> bool:
        return PLAN in self.deep

    @property
    def may_go_deeper(self) -> bool:
        """Whether the chart can show decisions too, after a longer computation."""
        is_alone = len(self.outcomes) == 1 and self.outcomes[0].advice is not None
        return is_alone and self.chart is not None and CHART not in self.deep

    @property
    def is_compared(self) -> bool:
        return bool(self.sides[1].text or self.form.one("compare"))

    def people(self) -> tuple[Option, ...]:
        able = people_of(self.place.view) if self.place.view else ()
        return tuple(Option(each or "", each or WORDS.say("game-master")) for each in able)

    def actions(self, side: ComparedSide) -> tuple[Option, ...]:
        return actions_of(self.place.view, side.who) if self.place.view else ()

    @property
    def difference(self) -> str:
        """The comparison of two checks, in words."""
        if len(self.outcomes) < 2 or any(each.chances is None for each in self.outcomes):
            return ""
        one, other = (each.chances.good if each.chances else 0.0 for each in self.outcomes)
        points = round(abs(one - other) * 100)
        if not points:
            return WORDS.say("odds-page.even")
        better = self.outcomes[0 if one > other else 1].said
        return WORDS.say("odds-page.better", better=better, points=points)


def _matters(name: str, known: set[str]) -> bool:
    """Whether an empty field has a meaning: an empty `who` is the game master."""
    return name.endswith("who") and f"{name.removesuffix('who')}action" in known


# --- reading ----------------------------------------------------------------------------------------------------------


def read_query(request: Request) -> Form:
    """The fields of a URL, without those that are too long; characters that cannot be shown are refused."""
    fields: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items()[:MOST_FIELDS]:
        if len(value) <= LONGEST:
            fields.setdefault(check_characters(name, "address"), []).append(check_characters(value, name).strip())
    return Form(fields)


def odds_screen(place: Place, form: Form, odds: OddsAsker, deep: frozenset[str] = frozenset()) -> OddsScreen:
    """The page with all quick results, and those slow ones that are asked for."""
    first = read_side(place, form)
    if not first.text and place.view is None and "check" not in form.fields and (known := examples_of(place)):
        form = Form({"check": [known[0]], **form.fields})
        first = read_side(place, form)
    second = read_side(place, form, "vs-", first)
    screen = OddsScreen(place, form, (first, second), deep=deep)
    if first.check is None:
        return screen
    screen = replace(screen, moving=_moving(place, form, first.check))
    sides: list[ComparedSide] = []
    outcomes: list[OddsOutcome] = []
    for side in screen.sides:
        came = outcome(place.systems[0], side.check, odds, is_whole=PLAN in deep) if side.check else None
        outcomes += [came] if isinstance(came, OddsOutcome) else []
        where = side.text_name if side.text else "action"
        sides.append(replace(side, trouble=replace(came, where=where)) if isinstance(came, Trouble) else side)
    screen = replace(screen, sides=tuple(sides), outcomes=tuple(outcomes))
    checks = [each.check for each in sides if each.check and not each.trouble]
    found = moved(place.systems[0], checks, screen.moving, odds, is_whole=CHART in deep) if checks else None
    if isinstance(found, Trouble):
        return replace(screen, moving=replace(screen.moving, trouble=found))
    return replace(screen, chart=found)


def _moving(place: Place, form: Form, check: CheckQuery) -> Moving:
    """What the chart varies, and over which range."""
    options = alongs(place, check)
    chosen = next((each for each in options if each.key == form.one("along")), next(iter(options), None))
    if chosen is None:
        return Moving(options)
    low, high = chosen.now - USUAL, chosen.now + USUAL
    if not chosen.is_mods and chosen.now >= 0:
        low, high = max(0, low), max(0, low) + 2 * USUAL
    is_same = form.one("along") in ("", chosen.key)
    try:
        low = int(form.one("from")) if is_same and form.one("from") else low
        high = int(form.one("to")) if is_same and form.one("to") else high
    except ValueError:
        return Moving(options, chosen, low, high, Trouble("range", WORDS.say("odds-page.range")))
    if not 0 < high - low < MOST_POINTS or max(abs(low), abs(high)) > 999:
        says = WORDS.say("odds-page.range-long", most=MOST_POINTS)
        return Moving(options, chosen, low, high, Trouble("range", says))
    return Moving(options, chosen, low, high)


# --- addresses --------------------------------------------------------------------------------------------------------


def most_seconds(deep: frozenset[str]) -> float:
    """How long a page takes at most: what a stranger pays before it is computed."""
    sides = 2 * (DECIDED if PLAN in deep else AT_ONCE)
    return sides + AT_ONCE + (MOVING_DECIDED if CHART in deep else MOVING)


async def _answer(request: Request, read: Reads, block: str = "") -> HTMLResponse:
    """The page or a part of it, computed off the event loop, and a few at a time."""
    form = read_query(request)
    deep = frozenset({PLAN, CHART}) if form.one("whole") else frozenset({block} - {""})

    def work(odds: OddsAsker) -> HTMLResponse:
        screen = odds_screen(read(), form, odds, deep)
        if block:
            return HTMLResponse(part(screen, block), headers=HEADERS)
        if is_part(request):
            return HTMLResponse(part(screen, "all"), headers={**HEADERS, "HX-Push-Url": screen.address})
        return show(screen)

    table = str(request.path_params.get("campaign", ""))
    if table:
        return await while_waited_for(request, table, work)
    who = address_of(request.scope)
    with server_state(request).strangers_odds.paying(who, most_seconds(deep)):
        return await while_waited_for(request, who, work, is_stranger=True)


@router.get("/odds")
async def first_odds(request: Request) -> HTMLResponse:
    return await _answer(request, lambda: at_none(registry.names()[0]))


@router.get("/odds/{system}")
async def odds(request: Request, system: SystemName) -> HTMLResponse:
    return await _answer(request, lambda: at_none(system))


@router.get("/odds/{system}/plan")
async def plan(request: Request, system: SystemName) -> HTMLResponse:
    """The decisions along the way, and the best choices."""
    return await _answer(request, lambda: at_none(system), PLAN)


@router.get("/odds/{system}/chart")
async def deeper(request: Request, system: SystemName) -> HTMLResponse:
    """The chart, with the odds of decisions."""
    return await _answer(request, lambda: at_none(system), CHART)


@router.get("/table/{campaign}/odds")
async def table_odds(request: Request, visitor: CurrentVisitor) -> HTMLResponse:
    return await _answer(request, lambda: at_table(request, visitor))


@router.get("/table/{campaign}/odds/plan")
async def table_plan(request: Request, visitor: CurrentVisitor) -> HTMLResponse:
    return await _answer(request, lambda: at_table(request, visitor), PLAN)


@router.get("/table/{campaign}/odds/chart")
async def table_deeper(request: Request, visitor: CurrentVisitor) -> HTMLResponse:
    return await _answer(request, lambda: at_table(request, visitor), CHART)
