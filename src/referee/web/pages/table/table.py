"""The table: the story, who is here, the scene, the questions to me and what I may do."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, ClassVar, Final, final

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from referee.core.encounter import Encounter
from referee.core.errors import BadInput, Cancelled
from referee.core.knowledge import KnownState
from referee.core.plain import Plain
from referee.core.questions import Roll
from referee.core.words import story_line
from referee.forecast.figures import GLANCE, Budget
from referee.forecast.risk import OffersQuery
from referee.table import evening_desk
from referee.table.members import Role
from referee.web.odds import OddsAsker, while_waited_for
from referee.web.pages.forms import Sent, at, is_live
from referee.web.pages.page import WORDS, part, show, show_part
from referee.web.pages.parts.actions import Act, ActKind, RepeatedAct, act_kinds, acts, picking, repeated
from referee.web.pages.parts.board import EncounterPanel, Now, Turn, clock, encounters, kinds_of, who_of
from referee.web.pages.parts.cards import OwnPiles, PileShown, other_piles, own_piles, piles
from referee.web.pages.parts.flips import FlipRow, flips
from referee.web.pages.parts.invitation import ShownInvitation
from referee.web.pages.parts.journeys import JourneyBoard
from referee.web.pages.parts.people import Person, SceneThing, Sheet, SheetLine, roster, scene_things, sheet
from referee.web.pages.parts.questions import Ask, StandingOffer, ask, asks
from referee.web.pages.parts.starting import (
    MOST_LIKELY,
    PreparedShown,
    Running,
    Startable,
    kept,
    likely,
    running,
    scenes_of,
    startable,
)
from referee.web.pages.parts.story import Piece, StoryWriter
from referee.web.pages.parts.things import Belongings, belongings, lying
from referee.web.pages.table.coming_in import standing_invitation
from referee.web.pages.table_view import ENCOUNTER_OVER, PAGE, OpenQuestion, TableView, table_view
from referee.web.sign_in import CurrentVisitor, Visitor
from referee.web.state import ServerState, server_state

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
FRAGMENTS: Final = (
    "seen",
    "bar",
    "strip",
    "roster",
    "scene",
    "undo",
    "first",
    "begin",
    "asks",
    "turn",
    "waiting",
    "sheet",
    "things",
    "acts",
    "dock",
)
"""The blocks of the page that are updated live, except for the story."""
SECONDS: Final = 1.5
"""How long the odds on a page may take before they are sampled."""
LOOKS: Final = (GLANCE, Budget(SECONDS), Budget(12.0))
"""What odds may take at first, and when a page asks again because some of them did not come in time."""
LAST_LOOK: Final = len(LOOKS) - 1
NO_ODDS: Final[Plain] = {"asked": {}, "missing": {"": {"because": "fault", "what": ""}}}
MOST_ACTS: Final = 8
"""More actions than this are shown by kind."""
MOST_FIRST: Final = 2
"""So many people have what they are most likely to roll where it is asked for, while nothing else is."""
MOST_BARRED: Final = 2
"""More reasons than this why something cannot be done are folded away."""
LOG: Final = logging.getLogger("referee.web.odds")
As = Annotated[str | None, Query(alias="as", max_length=200, description="Whom I act for.")]


@final
@dataclass(frozen=True)
class Aftermath:
    """An encounter that is over: how it ended, and who did not get up again."""

    text: str
    down: tuple[str, ...]


@final
@dataclass(frozen=True)
class Status:
    """What someone who cannot act now is told, and what they can do nevertheless."""

    text: str
    may: str
    is_out: bool = False

    @classmethod
    def of(cls, key: str, who: str, *, is_out: bool = False) -> Status:
        return cls(WORDS.say(f"status.{key}", who=who), WORDS.say(f"status.{key}-may"), is_out)


@final
@dataclass(frozen=True)
class TableScreen:
    """The table from one seat."""

    template: ClassVar[str] = "table.html"
    view: TableView
    acting: str | None
    people: tuple[Person, ...]
    encounters: tuple[EncounterPanel, ...]
    piles: tuple[PileShown, ...]
    now: Now
    asks: tuple[Ask, ...]
    acts: tuple[Act, ...]
    sheet: Sheet | None
    story: tuple[Piece, ...]
    earlier: int | None
    """Where the story before this page ends."""
    flips: tuple[FlipRow, ...] = ()
    """The flips of what was done last."""
    follows: bool = False
    """Whether it acts for whoever has the turn."""
    invite: ShownInvitation | None = None
    """The invitation that stays, on a page loaded as a whole; None if there is none, or the seat may not see it."""
    is_closed: bool = False
    """Whether the evening was closed, and nothing has been played since."""

    @cached_property
    def fragments(self) -> dict[str, str]:
        """Everything that is updated live, except for the story."""
        return {name: part(self, name) for name in FRAGMENTS}

    @property
    def seen(self) -> str:
        """A digest of what the page shows; the stream starts with what has changed since."""
        whole = "\0".join((*self.fragments.values(), str(self.view.cursor)))
        return blake2b(whole.encode(), digest_size=8).hexdigest()

    @property
    def here(self) -> str:
        return self.view.here

    @property
    def title(self) -> str:
        return self.view.name

    @property
    def live(self) -> str:
        return at(f"{self.here}/live", **{"as": None if self.follows else self.acting, "seen": self.seen})

    @cached_property
    def played(self) -> EncounterPanel | None:
        """The encounter that is played now."""
        going = [each for each in self.encounters if not each.over]
        return next((each for each in going if each.is_played), going[0] if going else None)

    @property
    def strip(self) -> list[tuple[Turn, Person | None]]:
        """The order of turns in the encounter that is played, each with what the roster knows."""
        people = {each.name: each for each in self.people}
        return [(turn, people.get(turn.name)) for turn in self.played.order] if self.played else []

    @cached_property
    def journey(self) -> JourneyBoard | None:
        """The journey that is played now."""
        return self.played.journey if self.played and not self.played.over else None

    @property
    def journey_act(self) -> Act | None:
        """The action by which somebody on a journey says what they do."""
        key = self.journey.look.action if self.journey else ""
        return next((each for each in self.acts if each.key == key), None)

    @cached_property
    def tapped(self) -> Ask | None:
        """The question that is answered by tapping a card of one's own hand."""
        return next((each for each in self.asks if each.mine and each.is_hand), None)

    @cached_property
    def together(self) -> tuple[tuple[str, tuple[Ask, ...]], ...]:
        """Short questions that stand open for this seat at the same moment, by what is asked: they are one card."""
        short = [each for each in self.asks if each.is_short_choice and each is not self.tapped]
        by_title: dict[str, list[Ask]] = {}
        for each in short if len(short) > 1 else ():
            by_title.setdefault(each.title, []).append(each)
        return tuple((title, tuple(some)) for title, some in by_title.items())

    @property
    def is_one_person(self) -> bool:
        """Whether all these questions are to the same person."""
        return len({each.who for _, some in self.together for each in some}) == 1

    @property
    def single(self) -> list[Ask]:
        """The questions with a card of their own."""
        grouped = {each.key for _, some in self.together for each in some}
        return [each for each in self.asks if each is not self.tapped and each.key not in grouped]

    @property
    def standing(self) -> list[StandingOffer]:
        """What may be answered once and for all on the card of several questions, each prompt once."""
        offers = (each.standing for _, some in self.together for each in some if each.standing)
        return list({each.prompt: each for each in offers}.values())

    @cached_property
    def first_moment(self) -> tuple[tuple[str, Sheet, tuple[SheetLine, ...]], ...]:
        """What is most likely to be rolled while nobody is asked anything: nobody's table is a blank page."""
        is_busy = any(each.mine for each in self.asks) or self.turn or self.aftermath
        if is_busy or not self.view.may_play or (self.played and self.has_turns(self.played)):
            return ()
        mine = [each for each in (self.acting, *self.view.may_be()) if each in self.view.people]
        names = list(dict.fromkeys(each for each in mine if each))[: 1 if self.view.is_master else MOST_FIRST]
        found = ((name, sheet(self.view, name), likely(self.view, name)) for name in names)
        return tuple(each for each in found if each[2])

    @property
    def is_flipping(self) -> bool:
        """Whether a flip goes on: it stands where things are decided, and later below the board."""
        return bool(self.flips) and (self.tapped is not None or any(each.is_open for each in self.flips))

    def cards_of(self, who: str) -> OwnPiles | None:
        """The hand, deck and discards of somebody."""
        return own_piles(self.view, self.piles, who)

    @property
    def docked(self) -> OwnPiles | None:
        """The cards of whoever is asked for one, or for whom one acts."""
        who = self.tapped.who if self.tapped else self.acting
        found = self.cards_of(who) if who else None
        return found if found and found.hand and found.hand.faces is not None else None

    @property
    def lying(self) -> tuple[PileShown, ...]:
        """The piles that lie about."""
        return other_piles(self.view, self.piles)

    @cached_property
    def belongings(self) -> Belongings | None:
        """What whoever one acts for has."""
        return belongings(self.view, self.acting) if self.acting in self.view.people and self.view.look.items else None

    @cached_property
    def left_things(self) -> tuple[Belongings, ...]:
        """What may be taken from the fallen, from the ground and from stores."""
        return lying(self.view)

    @cached_property
    def startable(self) -> tuple[Startable, ...]:
        """The encounters the game master may start from here."""
        return startable(self.view) if self.view.is_master else ()

    @cached_property
    def others(self) -> tuple[SceneThing, ...]:
        """What stands in the scene and is nobody."""
        return scene_things(self.view)

    @cached_property
    def kept(self) -> tuple[PreparedShown, ...]:
        return kept(self.view, self.view.preparations)

    @property
    def sample_scenes(self) -> tuple[tuple[str, str], ...]:
        """The samples that may be loaded into a table."""
        return scenes_of(self.view) if self.view.is_master else ()

    @cached_property
    def running(self) -> dict[str, Running]:
        """Who takes part in what is going on, by its name."""
        return {each.name: each for each in running(self.view)}

    def is_foreseen(self, encounter: EncounterPanel) -> bool:
        """Whether an encounter can be forecast: it plays by itself, and one side can win."""
        scene = self.view.scene
        return self.has_turns(encounter) and len(scene[scene.who(encounter.name)].parties()) > 1

    def has_turns(self, encounter: EncounterPanel) -> bool:
        """Whether an encounter plays by itself."""
        kind = self.view.system.kind(encounter.kind)
        return issubclass(kind, Encounter) and not kind.by_hand

    def likely(self, encounter: EncounterPanel) -> list[tuple[str, Sheet, tuple[SheetLine, ...]]]:
        """What is most likely to be rolled in a scene without turns, by those this seat plays; it is never empty."""
        if self.has_turns(encounter) or kinds_of(self.view.system)[encounter.kind].turn:
            return []
        mine = self.view.people if self.view.is_master else [each for each in self.view.may_be() if each]
        found = [(name, sheet(self.view, name), likely(self.view, name)) for name in mine[:MOST_LIKELY]]
        return [each for each in found if each[2]]

    @cached_property
    def aftermath(self) -> Aftermath | None:
        """How the last encounter ended, until something new is begun."""
        ended = self.view.ended
        if ended is None or any(not each.over for each in self.encounters):
            return None
        down = [each for each in self.view.people if self.view.is_out(each)]
        return Aftermath(story_line(self.view.system.words, ENCOUNTER_OVER, None, **ended), tuple(down))

    @cached_property
    def status(self) -> Status | None:
        """What someone who cannot act is told."""
        turn = next((turn for turn, _ in self.strip if turn.name == self.acting), None)
        if self.acting is None or self.acting not in self.view.people or any(each.mine for each in self.asks):
            return None
        if (turn and turn.is_out) or self.view.is_out(self.acting):
            return Status.of("out", self.acting, is_out=True)
        if turn and turn.is_done:
            return Status.of("helpless", self.acting)
        return None

    def undone_words(self, items: Iterable[Mapping[str, Plain]]) -> list[str]:
        """What an undo takes back, in short: the actions, throws and choices."""
        pieces = StoryWriter.of(self.view).tell([dict(each) for each in items], set())
        return [
            f"{each.who} {each.text}".strip() or " ".join(each.tales)
            for each in pieces
            if (each.text or each.tales) and each.kind != "after"
        ]

    @property
    def is_new(self) -> bool:
        """Whether no one has done anything yet."""
        return self.earlier is None and not any(piece.kind in ("act", "dice") for piece in self.story)

    @property
    def barred(self) -> list[tuple[str, str, list[str]]]:
        """Why things cannot be done now: each reason with its rule and everything it bars."""
        found: dict[tuple[str, str], list[str]] = {}
        for each in self.acts:
            if each.barred:
                found.setdefault((each.barred, each.because), []).append(each.words)
        return [(why, rule, names) for (why, rule), names in found.items()]

    @property
    def folds_barred(self) -> bool:
        return len(self.barred) > MOST_BARRED

    @cached_property
    def turn(self) -> tuple[ActKind, ...]:
        """What may be done with a turn that is not a question: the actions of the encounter by kind."""
        played = self.played
        if not played or self.acting not in played.now or any(each.mine for each in self.asks):
            return ()
        awaited = self.view.data["waiting_for"]
        if awaited and self.acting not in awaited:
            return ()  # what somebody did is still being resolved
        return act_kinds(self.view.look, self.acts, played.kind) if self.view.look.groups_in(played.kind) else ()

    @property
    def is_picking(self) -> bool:
        """Whether the form of an action is being filled in."""
        return any(each.is_open for each in self.acts)

    @cached_property
    def again(self) -> RepeatedAct | None:
        """What whoever has the turn did last, if it may be done again."""
        if not self.turn or not self.played or self.acting is None:
            return None
        groups = self.view.look.groups_in(self.played.kind)
        return repeated(self.view, self.acting, {key for group in groups for key in group.of})

    @cached_property
    def kinds(self) -> tuple[ActKind, ...]:
        """What may be done, by kind; nothing if it is a short list, or stands in the turn."""
        legal = [each for each in self.acts if not each.barred]
        found = act_kinds(self.view.look, self.acts) if len(legal) > MOST_ACTS and not self.turn else ()
        return found if len(found) > 1 else ()

    @property
    def awaited(self) -> list[str]:
        """Who the table is waiting for, besides me."""
        mine = {each.who for each in self.asks if each.mine} | ({self.acting} if self.turn else set())
        return [self._awaited(str(each)) for each in self.view.data["waiting_for"] if each not in mine]

    def _awaited(self, name: str) -> str:
        shown = WORDS.say("the-game-master") if name == Role.MASTER.value else name
        if not self.view.is_away(name):
            return shown
        return WORDS.say("waiting-away", name=shown, player=self.view.players_of(name))


def table_screen(view: TableView, acting: str | None, items: list[dict[str, Plain]]) -> TableScreen:
    """The table as a seat sees it, acting for a character."""
    able = view.may_be()
    who = view.acting(acting)
    found = encounters(view, who)
    if acting is None and (turn := on_turn(view, found)) in able:
        who, found = turn, encounters(view, turn)
    shown = who if who in view.people else None
    return TableScreen(
        view,
        who,
        roster(view, found),
        found,
        piles(view),
        clock(view),
        asks(view),
        acts(view, who),
        sheet(view, shown) if shown else None,
        StoryWriter.of(view).tell(items),
        items[0]["id"] if items and items[0]["id"] > 0 else None,
        flips(view, who),
        acting is None and len(able) > 1,
    )


def first_look(view: TableView) -> str | None:
    """For whom the page of somebody who plays alone acts at first: None if it follows the turns by itself.

    Otherwise it is whoever is asked, or has the turn; where nobody has, the first.
    """
    found = encounters(view, None)
    if on_turn(view, found):
        return None
    asked = (each.question.who.name for each in view.asked if each.question.who)
    now = (name for each in found if not each.over for name in each.now)
    return next((each for each in (*asked, *now, *view.people) if each in view.people), None)


def on_turn(view: TableView, found: Iterable[EncounterPanel]) -> str | None:
    """Whose turn it is of those this seat plays; for the game master, of those no one else plays."""
    played = {name for each in view.members.values() for name in each.controls if each.id != view.member.id}
    going = (each for each in found if not each.over and (not view.is_master or view.look.groups_in(each.kind)))
    return next((name for each in going for name in each.now if name not in played), None)


def look_at(request: Request, visitor: Visitor) -> tuple[TableView, list[dict[str, Plain]]]:
    """The table and the latest page of its story."""
    view = live_view(server_state(request), visitor)
    return view, story_page(visitor, view.cursor)


def live_view(state: ServerState, visitor: Visitor) -> TableView:
    """The table from a seat, with who is away."""
    view = table_view(visitor, state.about(visitor.campaign))
    return replace(view, away=state.streams.away(visitor.campaign, view.members) - {visitor.seat})


def story_page(visitor: Visitor, before: int) -> list[dict[str, Plain]]:
    return visitor.hub.dated_story(visitor.campaign, visitor.seat, max(0, before - PAGE), before)


@router.get("")
async def table(request: Request, visitor: CurrentVisitor, acting: As = None, odds: bool = False) -> HTMLResponse:
    state = server_state(request)
    state.streams.note_seen(visitor.campaign, visitor.seat)

    def work(asker: OddsAsker | None = None) -> HTMLResponse:
        state.streams.announce_seen(visitor.campaign, visitor.seat)
        state.odds.prepare(str(state.about(visitor.campaign)["system"]))
        view, items = look_at(request, visitor)
        screen = replace(
            table_screen(view, acting, items),
            invite=standing_invitation(request, visitor),
            is_closed=visitor.read(evening_desk.is_closed),
        )
        if asker:  # for browsers without our script: everything at once
            screen = replace(screen, asks=tuple(_with_odds(visitor, view, each, asker) for each in view.asked))
        return show(screen)

    return await (while_waited_for(request, visitor.whose, work) if odds else run_in_threadpool(work))


@router.get("/story")
def earlier(request: Request, visitor: CurrentVisitor, before: Annotated[int, Query(ge=0, le=10**9)]) -> HTMLResponse:
    """The page of the story before an item."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    screen = table_screen(view, None, story_page(visitor, min(before, view.cursor)))
    return show_part(screen, "pieces")


@router.post("/pick")
def pick(request: Request, visitor: CurrentVisitor, form: Sent) -> HTMLResponse:
    """The form of an action after one of its fields has changed: its later fields offer what fits."""
    view, items = look_at(request, visitor)
    screen = table_screen(view, form.some("who"), items)
    action = view.system.action(form.one("action"))
    if not view.may_play or action.master is not (screen.acting is None):
        raise BadInput("action", f"{action.key} is not yours to take")
    chosen = picking(view, action, screen.acting, form.fields)
    if is_live(request):
        return show_part(replace(screen, acts=(chosen,)), "one_act")
    return show(replace(screen, acts=tuple(each.with_open(chosen) for each in screen.acts)))


@final
@dataclass(frozen=True)
class AskOdds:
    """The odds of a question that stands on the page already."""

    template: ClassVar[str] = "ask_odds.html"
    ask: Ask
    here: str
    acting: str
    again: int
    """If not 0: the next look, which the page asks for at once because something is still missing."""


@router.get("/ask")
async def asked(
    request: Request,
    visitor: CurrentVisitor,
    question: Annotated[str, Query(max_length=200)],
    mark: Annotated[str, Query(max_length=40)] = "",
    acting: As = None,
    again: Annotated[int, Query(ge=0, le=LAST_LOOK)] = 0,
) -> Response:
    """The odds of each answer to a question; nothing if it has been answered in the meantime."""

    def work(odds: OddsAsker) -> Response:
        view, _ = look_at(request, visitor)
        waiting = next((each for each in view.asked if each.key == question and mark in ("", each.mark)), None)
        if waiting is None:
            return Response(status_code=204)
        found = _with_odds(visitor, view, waiting, odds, again)
        more = again + 1 if found.is_short and again < LAST_LOOK else 0
        return show(AskOdds(found, view.here, acting or "", more))

    return await while_waited_for(request, visitor.whose, work)


def _with_odds(
    visitor: Visitor, view: TableView, waiting: OpenQuestion, odds: OddsAsker, look: int | None = None
) -> Ask:
    """A question with its odds, at one of the looks of a page that asks again.

    Whatever becomes of them, it can be answered.
    """
    if isinstance(waiting.question, Roll) or waiting.held is not None:
        return ask(view, waiting)
    try:
        card = odds.question(visitor, waiting.key, Budget(SECONDS) if look is None else LOOKS[look], plan=False)
    except Cancelled:
        raise
    except Exception as why:  # noqa: BLE001  # odds never take the answers away
        LOG.warning("no odds for %s: %s", waiting.key, why)
        card = NO_ODDS
    return ask(view, waiting, card, is_last=look in (None, LAST_LOOK))


@final
@dataclass(frozen=True)
class LineChances:
    """The chances of lines that stand on the page already."""

    template: ClassVar[str] = "line_chances.html"
    of: str
    """Whose lines, or which."""
    lines: tuple[SheetLine, ...]
    place: str = "chance"
    """Where on the page they stand."""


@router.get("/chances")
async def sheet_chances(
    request: Request,
    visitor: CurrentVisitor,
    acting: As = None,
    first: bool = False,
) -> Response:
    """The chance of everything on the sheet that can be rolled, or of what is most likely to be."""

    def work(odds: OddsAsker) -> Response:
        view, _ = look_at(request, visitor)
        if first and acting in view.people:
            found = LineChances(acting, likely(view, acting))
            known = line_chances(view, acting, [each.name for each in found.lines], view.state, odds)
            lines = tuple(replace(line, chance=known.get(line.name)) for line in found.lines)
            return show(LineChances(acting, lines, "first"))
        sheet = table_screen(view, acting, []).sheet
        return show(with_chances(view, sheet, odds)) if sheet else Response(status_code=204)

    return await while_waited_for(request, visitor.whose, work)


def with_chances(view: TableView, shown: Sheet, odds: OddsAsker) -> LineChances:
    """The lines of a sheet with their chances, as far as this seat can know them."""
    found = line_chances(view, shown.name, [each.name for each in shown.lines], view.state, odds)
    return LineChances(shown.name, tuple(replace(line, chance=found.get(line.name)) for line in shown.lines))


def line_chances(
    view: TableView, who: str, names: Iterable[str], state: KnownState, odds: OddsAsker, against: Plain = None
) -> dict[str, float]:
    """The chances of someone's rolls in a state, by what they are made with; as hard as is usual, or is said."""
    rolls = view.look.rolls
    if rolls is None:
        return {}
    action = view.system.action(rolls.action)
    hard = {rolls.against: against} if rolls.against and against is not None else {}
    offers = {name: action.by(who_of(view, who), **{rolls.argument: name}, **hard) for name in names}
    asked = odds.ask(OffersQuery(offers, state), view.system, Budget(SECONDS))["asked"]
    known = {name: asked[name]["bands"] for name in offers if asked.get(name, {}).get("bands")}
    return {name: sum(bands[key]["float"] for key in action.bands.good) for name, bands in known.items()}
