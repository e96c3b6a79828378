"""The drafts of a seat (of all seats, for the game master), and one of them with its steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from referee.core.draft_form import DraftForm
from referee.core.drafts import NAME, SpreadPoints, WriteText
from referee.core.errors import RefereeError, Refused
from referee.core.knowledge import KnownState, fully_known
from referee.core.plain import Plain, is_number
from referee.core.scene import Scene
from referee.table import draft_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.drafts import DraftKind, DraftRecord
from referee.table.members import Role
from referee.table.portraits import Portrait
from referee.web.api.drafts import new_draft_id
from referee.web.odds import OddsAsker, while_waited_for
from referee.web.pages.drafts.grow import GrowScreen
from referee.web.pages.drafts.layout import (
    AnswerShown,
    DraftWords,
    FieldShown,
    LeftOver,
    PurseShown,
    RailStop,
    ReasonShown,
    fields,
    left_over,
    purses,
    rail,
    so_far,
)
from referee.web.pages.forms import Form, Sent, at
from referee.web.pages.page import HEADERS, WORDS, show
from referee.web.pages.parts.board import who_of
from referee.web.pages.parts.people import SheetLine
from referee.web.pages.table.table import LineChances, line_chances
from referee.web.pages.table_view import TableView, see
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/drafts", include_in_schema=False)
DraftId = Annotated[str, Path(max_length=32)]
StepKey = Annotated[str, Query(max_length=100)]
Against = Annotated[str, Query(max_length=40)]
TEXT: Final = "t-"
"""The prefix of the form fields of texts."""
FINISH: Final = "finish"


# --- the list ---------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class DraftCard:
    """A draft in the list."""

    id: str
    name: str
    owner: str
    done: int
    steps: int
    lacks: str
    grows: str
    finished: bool
    may_reopen: bool


@final
@dataclass(frozen=True)
class DraftsScreen:
    """Every draft that a seat may see."""

    template: ClassVar[str] = "drafts.html"
    view: TableView
    cards: tuple[DraftCard, ...]
    templates: tuple[str, ...]
    growing: tuple[str, ...]
    """The characters that this seat may let grow."""

    @property
    def here(self) -> str:
        return f"{self.view.here}/drafts"

    @property
    def builds(self) -> bool:
        return self.view.may_play and self.view.system.creation is not None

    @property
    def players(self) -> list[tuple[str, str]]:
        """For whom the game master may begin a draft: seats with their names."""
        return [(each.id, each.name) for each in self.view.members.values() if each.role is Role.PLAYER]


@router.get("")
def drafts(request: Request, visitor: CurrentVisitor) -> Response:
    about = server_state(request).about(visitor.campaign)

    def read(desk: Desk) -> DraftsScreen:
        view = see(desk, about)
        cards = tuple(_card(desk, each, view) for each in draft_desk.drafts_of(desk))
        creation = view.system.creation
        templates = tuple(creation.templates(view.scene)) if creation else ()
        growing = tuple(each for each in view.may_be() if each) if view.system.advancement and view.may_play else ()
        return DraftsScreen(view, cards, templates, growing)

    return show(visitor.read(read))


def _card(desk: Desk, found: DraftRecord, view: TableView) -> DraftCard:
    form = draft_desk.form_of(desk, found.id)
    words = DraftWords(view.system, found.kind.value)
    steps = form.laid_out
    owner = view.members[found.seat].name if found.seat in view.members and view.is_master else ""
    return DraftCard(
        found.id,
        found.character or form.draft.one(NAME.key) or WORDS.say("drafts.nameless"),
        owner,
        sum(each.is_done for each in steps),
        len(steps),
        ", ".join(words.lack(form, each) for each in form.lacks[:3]),
        found.character or "",
        found.finished is not None,
        found.finished is not None and found.finished not in view.state,
    )


@router.post("")
def begin(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Begin a draft: empty, from a template, by chance; for another seat, or to let somebody grow."""
    draft = new_draft_id(visitor)
    grows = form.some("character")
    command = DeskCommand(
        draft_desk.begin,
        draft,
        DraftKind.ADVANCEMENT if grows else DraftKind.CREATION,
        character=grows,
        seat=form.some("seat"),
        template=form.one("template"),
        fill=bool(form.some("chance")),
    )
    visitor.act(command)
    return _to(visitor, draft)


# --- one of them ------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class DraftScreen:
    """A draft at one of its steps."""

    template: ClassVar[str] = "draft.html"
    view: TableView
    record: DraftRecord
    form: DraftForm
    step: str
    portrait: Portrait | None
    problem: ReasonShown | None = None

    @property
    def here(self) -> str:
        return f"{self.view.here}/drafts/{self.record.id}"

    @property
    def words(self) -> DraftWords:
        return DraftWords(self.view.system, self.record.kind.value)

    @property
    def name(self) -> str:
        return self.record.character or self.form.draft.one(NAME.key) or WORDS.say("drafts.nameless")

    @property
    def owner(self) -> str:
        """Whose draft it is, if it is not one's own."""
        others = {each.id: each.name for each in self.view.members.values() if each.id != self.view.member.id}
        return others.get(self.record.seat, "")

    @property
    def ask(self) -> str:
        return self.words.ask(self.step)

    @property
    def says(self) -> str:
        return self.words.says(self.step)

    @property
    def rail(self) -> tuple[RailStop, ...]:
        return tuple(rail(self.form, self.words, self.step))

    @property
    def _state(self) -> Any:
        return next(each for each in self.form.laid_out if each.key == self.step)

    @property
    def purses(self) -> tuple[PurseShown, ...]:
        return tuple(purses(self._state, self.words))

    @property
    def fields(self) -> tuple[FieldShown, ...]:
        return tuple(fields(self._state, self.words))

    @cached_property
    def rolled(self) -> tuple[str, ...]:
        """The levels of this step that something is rolled with: their chances stand beside them."""
        rolls = self.view.look.rolls
        if rolls is None or not any(each.kind == SpreadPoints.kind for each in self.fields):
            return ()
        made = Scene(self.made)
        known = (
            self.view.system.action(rolls.action).choices(made, who_of(self.view, self.name)).get(rolls.argument, ())
        )
        rows = (row.name for each in self.fields for _, group in each.groups for row in group)
        return tuple(name for name in rows if name in known)

    @property
    def made(self) -> KnownState:
        """The character as far as it is built, alone: nothing at the table can show in it."""
        finished = self.form.creation.finish(self.form.scene, self.form.draft)
        return fully_known(self.form.scene.state.but(self.name, finished))

    @property
    def has_texts(self) -> bool:
        return any(each.kind == WriteText.kind for each in self.fields)

    @property
    def fillable(self) -> bool:
        """Whether chance can answer something in this step."""
        found = (self.form.fields[each.key] for each in self.fields)
        return any(not isinstance(each, WriteText) or each.chance is not None for each in found)

    @property
    def so_far(self) -> tuple[AnswerShown, ...]:
        return tuple(so_far(self.form, self.words, self.record.last))

    @property
    def may_undo(self) -> str:
        """What the last answer was about, if it can be taken back."""
        last = self.record.last
        return "" if last is None or last[0] not in self.form.fields else last[1] or self.words.field(last[0])

    @property
    def has_name(self) -> bool:
        """Whether this step asks for the name: a picture is offered beside it."""
        return any(each.key == NAME.key for each in self.fields)

    @property
    def brief(self) -> str:
        """The first figures, for the line at the bottom of a phone."""
        rows = [f"{name} {value}" for each in self.so_far for name, value, _ in each.rows][:4]
        texts = [each.text for each in self.so_far if each.text][:2]
        return ", ".join([*texts, *rows][:4])

    @property
    def lacks(self) -> tuple[tuple[str, str], ...]:
        """What is missing, with the step where it can be mended."""
        return tuple((each.step, self.words.lack(self.form, each)) for each in self.form.lacks)

    @property
    def chances(self) -> str:
        """What the chances beside the levels of this step are about."""
        return self.words.chances() if self.rolled else ""

    @cached_property
    def left_over(self) -> LeftOver:
        """What is named where the draft is finished."""
        return LeftOver() if self.after else left_over(self.form, self.words, self.step)

    @property
    def before(self) -> str:
        return self._beside(-1)

    @property
    def after(self) -> str:
        return self._beside(1)

    @property
    def after_words(self) -> str:
        return self.words.step(self.after) if self.after else ""

    def _beside(self, by: int) -> str:
        keys = [each.key for each in self.form.laid_out]
        at_ = keys.index(self.step) + by
        return keys[at_] if 0 <= at_ < len(keys) else ""


def draft_screen(
    request: Request, visitor: Visitor, draft: str, step: str, problem: ReasonShown | None = None, against: str = ""
) -> DraftScreen | GrowScreen:
    about = server_state(request).about(visitor.campaign)

    def read(desk: Desk) -> DraftScreen | GrowScreen:
        found, form = draft_desk.record(desk, draft), draft_desk.form_of(desk, draft)
        keys = [each.key for each in form.laid_out]
        here, portraits = step if step in keys else keys[0], desk.campaign.setup.portraits
        if found.kind is DraftKind.ADVANCEMENT:
            portrait = portraits.people.get(found.character or "")
            return GrowScreen(see(desk, about), found, form, here, portrait, against, problem)
        return DraftScreen(see(desk, about), found, form, here, portraits.drafts.get(found.id), problem)

    return visitor.read(read)


@router.get("/{draft}")
def one(
    request: Request, visitor: CurrentVisitor, draft: DraftId, step: StepKey = "", against: Against = ""
) -> Response:
    screen = draft_screen(request, visitor, draft, step, against=against)
    if screen.record.finished is not None:
        return RedirectResponse(f"{screen.view.here}/drafts", 303, HEADERS)
    return show(screen)


@router.get("/{draft}/chances")
async def chances(
    request: Request,
    visitor: CurrentVisitor,
    draft: DraftId,
    step: StepKey = "",
    against: Against = "",
    rest: bool = False,
) -> Response:
    """The chance of a plain roll with each level of a step; of somebody who grows, before and after."""

    def work(odds: OddsAsker) -> Response:
        screen = draft_screen(request, visitor, draft, step, against=against)
        if isinstance(screen, GrowScreen):
            return show(screen.chances(odds, rest=rest))
        found = line_chances(screen.view, screen.name, screen.rolled, screen.made, odds)
        return show(LineChances(screen.step, tuple(SheetLine(name, None, None, each) for name, each in found.items())))

    return await while_waited_for(request, visitor.whose, work)


def _to(visitor: Visitor, draft: str, step: str = "", against: str = "") -> Response:
    return RedirectResponse(at(f"/table/{visitor.campaign}/drafts/{draft}", step=step, against=against), 303, HEADERS)


def _changed(request: Request, visitor: Visitor, draft: str, form: Form, *commands: DeskCommand) -> Response:
    """Do something with a draft and show it again; what is refused is said there, with the rule."""
    step = form.one("step")
    try:
        for command in commands:
            visitor.act(command)
    except RefereeError as why:
        said = ReasonShown(why.because if isinstance(why, Refused) else str(why), _rule(why))
        return show(draft_screen(request, visitor, draft, step, said, form.one("against")), 422)
    return _to(visitor, draft, form.one("go") or step, form.one("against"))


def _rule(why: RefereeError) -> str:
    return why.rule if isinstance(why, Refused) and not why.rule.startswith("referee.") else ""


@router.post("/{draft}/answer")
def answer(request: Request, visitor: ActingVisitor, draft: DraftId, form: Sent) -> Response:
    """Pick an option, tick or untick one, add an entry in one's own words, or set a level."""
    field = form.one("field")
    if level := form.some("level"):  # "3 riding"
        number, _, part = level.partition(" ")
        command = DeskCommand(draft_desk.answer, draft, field, _number(number), part)
    elif name := form.some("toggle") or form.some("own"):
        command = DeskCommand(draft_desk.toggle, draft, field, name)
    else:
        command = DeskCommand(draft_desk.answer, draft, field, form.some("answer"))
    return _changed(request, visitor, draft, form, command)


def _number(text: str) -> Plain:
    return int(text) if is_number(text) and len(text) < 9 else text


@router.post("/{draft}/texts")
def texts(request: Request, visitor: ActingVisitor, draft: DraftId, form: Sent) -> Response:
    """Save the texts of a step; then go to another step, or finish."""
    given = {key.removeprefix(TEXT): form.one(key) for key in form.fields if key.startswith(TEXT)}
    command = DeskCommand(draft_desk.write_texts, draft, given)
    if form.one("go") == FINISH:
        return _finished(request, visitor, draft, form, command)
    return _changed(request, visitor, draft, form, command)


@router.post("/{draft}/roll")
def roll(request: Request, visitor: ActingVisitor, draft: DraftId, form: Sent) -> Response:
    return _changed(request, visitor, draft, form, DeskCommand(draft_desk.roll, draft, form.one("field")))


@router.post("/{draft}/fill")
def fill(request: Request, visitor: ActingVisitor, draft: DraftId, form: Sent) -> Response:
    """Let chance answer what is missing, in this step or in all."""
    step = "" if form.some("all") else form.one("step")
    return _changed(request, visitor, draft, form, DeskCommand(draft_desk.fill, draft, step))


@router.post("/{draft}/undo")
def undo(request: Request, visitor: ActingVisitor, draft: DraftId, form: Sent) -> Response:
    """Take the last answer back."""
    return _changed(request, visitor, draft, form, DeskCommand(draft_desk.take_back, draft))


@router.post("/{draft}/finish")
def finish(request: Request, visitor: ActingVisitor, draft: DraftId, form: Sent) -> Response:
    return _finished(request, visitor, draft, form)


def _finished(request: Request, visitor: Visitor, draft: str, form: Form, *first: DeskCommand) -> Response:
    """Finish a draft: on to the table."""
    hidden = bool(form.some("hidden"))
    done = _changed(request, visitor, draft, form, *first, DeskCommand(draft_desk.finish, draft, hidden=hidden))
    if done.status_code != 303:
        return done
    return RedirectResponse(f"/table/{visitor.campaign}", 303, HEADERS)


@router.post("/{draft}/reopen")
def reopen(visitor: ActingVisitor, draft: DraftId) -> Response:
    visitor.act(DeskCommand(draft_desk.reopen, draft))
    return _to(visitor, draft)


@router.post("/{draft}/discard")
def discard(visitor: ActingVisitor, draft: DraftId) -> Response:
    visitor.act(DeskCommand(draft_desk.discard, draft))
    return RedirectResponse(f"/table/{visitor.campaign}/drafts", 303, HEADERS)
