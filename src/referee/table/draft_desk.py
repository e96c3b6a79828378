"""What a seat does with drafts: build a character, let one grow. Only its player and the game master see a draft.

Each function is one action from a desk: `DeskCommand(draft_desk.answer, draft, "levels", 2, part="riding")`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from itertools import count
from random import SystemRandom
from typing import Any, Final

from referee import registry
from referee.core.audience import Hidden
from referee.core.dice import Pool
from referee.core.draft_chance import filled
from referee.core.draft_form import DraftForm
from referee.core.drafts import HOUSE, NAME, Creation, Draft, PickSeveral, RollDice
from referee.core.errors import BadInput, Refused
from referee.core.knowledge import known_to
from referee.core.plain import Plain, unknown
from referee.core.requests import change
from referee.core.rulebook import BOOK
from referee.core.rules import rule
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.visibility import VEIL, Exposure, Veil, hidden_names, names_any
from referee.journal.changes import patched
from referee.journal.lines import Aside, DraftAnswered, DraftBegan, DraftEnded, PortraitSet, PrivateNotes, SeatTaken
from referee.journal.steps import TABLE
from referee.table import master_desk
from referee.table.desk import Desk
from referee.table.drafts import DraftKind, DraftRecord
from referee.table.members import Member, NotAllowed, Role
from referee.table.newcomers import names_for

MOST_DRAFTS: Final = 12
"""How many drafts a seat may have at once; the oldest finished ones make room."""
SEATS: Final = "referee.table.seats"
NAMELESS: Final = "Stranger"
"""What somebody built by chance is called, where nobody gives a name."""


# --- the steps it comes to --------------------------------------------------------------------------------------------


@rule("referee.table.enter")
async def enter(scene: Scene, who: str, sheet: Hidden[Any]) -> None:
    """A new character enters the scene."""
    system = registry.load(scene[BOOK].printed_book.system)
    value: Any = system.value(sheet, who)
    await change(Who(who, type(value)), value)


@rule("referee.table.grow")
async def grow(scene: Scene, who: str, changes: Hidden[Any]) -> None:
    """A character has grown."""
    found = scene.who(who)
    value: Any = patched(scene[found], changes, who)
    await change(found, value)


# --- reading ----------------------------------------------------------------------------------------------------------


def drafts_of(desk: Desk) -> list[DraftRecord]:
    """The drafts a seat may see: its own; the game master, all of them."""
    known = desk.campaign.setup.drafts
    return list(known.open.values()) if desk.member.is_master else known.of(desk.member.id)


def record(desk: Desk, draft: str) -> DraftRecord:
    """A draft that a seat may see and change."""
    known = {each.id: each for each in drafts_of(desk)}
    if draft not in known:
        raise BadInput("draft", "you have no such draft")
    return known[draft]


def form_of(desk: Desk, draft: str) -> DraftForm:
    """A draft, laid out by its declaration and the rulebook of this table."""
    return _form(desk, record(desk, draft))


def described(desk: Desk, draft: str) -> dict[str, Plain]:
    """A draft as plain data, for programs."""
    found = record(desk, draft)
    form = _form(desk, found)
    plain = found.to_plain()
    return {
        **{name: plain[name] for name in ("id", "seat", "kind", "character", "finished", "answers")},
        "name": form.draft.one(NAME.key),
        **form.to_plain(),
    }


def declared(system: System, kind: DraftKind) -> Creation:
    found = system.creation if kind is DraftKind.CREATION else system.advancement
    if found is None:
        raise BadInput("draft", f"{system.title} has no {kind.value} by steps; the game master enters finished sheets")
    return found


def _form(desk: Desk, found: DraftRecord) -> DraftForm:
    system = desk.campaign.system
    book, creation = desk.journal.scene[BOOK], declared(system, found.kind)
    if found.sheet is None or found.character is None:
        return DraftForm(creation, book, Draft(found.answers))
    known = known_to(desk.journal.state, desk.campaign.member(found.seat).seat)
    sheet = system.value(found.sheet, found.character)
    return DraftForm(creation, book, Draft(found.answers, sheet, found.character), known)


# --- changing ---------------------------------------------------------------------------------------------------------


def begin(
    desk: Desk,
    draft: str,
    kind: DraftKind = DraftKind.CREATION,
    *,
    character: str | None = None,
    seat: str | None = None,
    template: str = "",
    answers: Mapping[str, Plain] | None = None,
    fill: bool = False,
) -> None:
    """Begin a draft under a new id, empty, from a template, with given answers, or answered by chance.

    The game master may begin one for another seat.
    """
    desk.check_role("draft", Role.MASTER, Role.PLAYER)
    owner = desk.member if seat is None else desk.other(seat)
    if owner.id != desk.member.id:
        desk.check_role("draft", Role.MASTER)
    if owner.role is Role.SPECTATOR:
        raise NotAllowed("draft", because="a spectator plays no character", rule=SEATS)
    if draft in desk.campaign.setup.drafts.open:
        raise BadInput("draft", "this id is taken")
    sheet = _sheet_of(desk, owner, character) if kind is DraftKind.ADVANCEMENT else None
    kept = desk.campaign.setup.drafts.kept_by(owner.id, kind)
    new = DraftRecord(draft, owner.id, kind, character if sheet else None, sheet, kept, tuple(kept))
    form = _form(desk, new)
    form = form.at(form.from_template(template)) if template else form
    form = form.at(form.from_answers(answers)) if answers else form
    _make_room(desk, owner)
    _say(desk, DraftBegan(desk.member.id, draft, owner.id, kind.value, new.character, sheet, to=(owner.id,)))
    _write(desk, draft, form.draft)
    if fill:
        _fill(desk, draft, "")


def answer(desk: Desk, draft: str, field: str, plain: Plain, part: str | None = None) -> None:
    """Answer one field, or one part of a spread; None takes the answer back."""
    form = _open_form(desk, draft)
    _write(desk, draft, form.answered(field, plain, part))
    desk.campaign.advance()


def toggle(desk: Desk, draft: str, field: str, name: str) -> None:
    """Tick an option, or untick it; where only one may be ticked, it replaces the other."""
    form = _open_form(desk, draft)
    if not isinstance(form.field(field), PickSeveral):
        raise BadInput(field, "is not ticked")
    before = form.draft.several(field)
    kept = before if form.state(field).most > 1 else ()
    now = [each for each in before if each != name] if name in before else [*kept, name]
    answer(desk, draft, field, now)


def write_texts(desk: Desk, draft: str, texts: Mapping[str, str]) -> None:
    """Write several texts; an empty one takes the answer back."""
    form = _open_form(desk, draft)
    for field, text in texts.items():
        form = form.at(form.answered(field, text or None))
    _write(desk, draft, form.draft)
    desk.campaign.advance()


def roll(desk: Desk, draft: str, field: str) -> None:
    """Throw the dice of a field. They are the table's, and kept."""
    form, found = _open_form(desk, draft), record(desk, draft)
    dice, pool = form.throw(field)
    _check_unseen(desk, found, field)
    desk.journal.throw_for_draft(found.seat, draft, dice, pool)
    desk.campaign.advance()


def take_back(desk: Desk, draft: str) -> None:
    """Take the last answer back: what it replaced stands again. Doing so again brings it back."""
    form, found = _open_form(desk, draft), record(desk, draft)
    if found.last is None:
        raise Refused("undo", because="nothing has been answered yet", rule=HOUSE)
    field, part, was = found.last
    answers = dict(form.draft.answers)
    answers[field] = was if part is None else _present({**(answers.get(field) or {}), part: was}) or None
    _write(desk, draft, replace(form.draft, answers=_present(answers)))
    desk.campaign.advance()


def start_from(desk: Desk, draft: str, template: str) -> None:
    """Take over the answers of a template."""
    _write(desk, draft, _open_form(desk, draft).from_template(template))
    desk.campaign.advance()


def fill(desk: Desk, draft: str, step: str = "") -> None:
    """Let chance answer what is missing, in one step or in all."""
    _open_form(desk, draft)
    _fill(desk, draft, step)
    desk.campaign.advance()


def discard(desk: Desk, draft: str) -> None:
    """Throw a draft away. Dice that were seen are kept for the next one."""
    found = record(desk, draft)
    _say(desk, DraftEnded(desk.member.id, draft, to=(found.seat,)))
    desk.campaign.advance()


def reopen(desk: Desk, draft: str) -> None:
    """Open a finished draft again, if its character is not in the scene any more."""
    found = record(desk, draft)
    if found.finished is None or found.finished in desk.known:
        raise Refused("draft", because="it is finished, and the character is in play", rule=HOUSE)
    _say(desk, DraftBegan(desk.member.id, draft, found.seat, found.kind.value, to=(found.seat,)))
    desk.campaign.advance()


def finish(desk: Desk, draft: str, *, hidden: bool = False) -> None:
    """Finish a draft: its character enters the scene (or has grown), and belongs to the seat; all of it or nothing.

    Only the game master may let a character enter hidden.
    """
    desk.check_playing()
    if hidden:
        desk.check_role("hide", Role.MASTER)
    form = _open_form(desk, draft)
    found = record(desk, draft)
    sheet = form.finished()
    name = found.character or form.draft.one(NAME.key)
    if found.kind is DraftKind.CREATION:
        check_name(desk, name, sheet)
    check_alone(desk.campaign.system, form, name, sheet)
    if found.kind is DraftKind.ADVANCEMENT:
        _grow(desk, found, form, sheet)
    else:
        _enter(desk, found, name, sheet, hidden=hidden)
    desk.campaign.advance()


def add_at_random(desk: Desk, draft: str, *, template: str = "", hidden: bool = False) -> None:
    """Let chance build somebody, who enters the scene at once; whom the game leaves nameless gets a number."""
    begin(desk, draft, template=template, fill=True)
    form = _open_form(desk, draft)
    if not form.draft.one(NAME.key):
        _write(desk, draft, form.draft.but(NAME.key, names_for(NAMELESS, 1, desk.journal.state)[0]))
    finish(desk, draft, hidden=hidden)


def check_alone(system: System, form: DraftForm, name: str, sheet: Hashable) -> None:
    """Refuse a sheet the book does not allow. It is looked at alone: nothing hidden can be the reason."""
    state: State = form.scene.state.but(name, sheet)
    if isinstance(sheet, system.sheet):
        system.check(Scene(state), Who(name, system.sheet))


# --- internals --------------------------------------------------------------------------------------------------------


def _say(desk: Desk, line: Aside) -> None:
    """Write a line about a draft; what follows in the same action already sees it."""
    desk.journal.say(line)
    desk.campaign.advance()


def _present(answers: Mapping[str, Plain]) -> dict[str, Plain]:
    return {key: value for key, value in answers.items() if value is not None}


def _open_form(desk: Desk, draft: str) -> DraftForm:
    found = record(desk, draft)
    if found.finished is not None:
        raise Refused("draft", because="it is finished", rule=HOUSE)
    return _form(desk, found)


def _write(desk: Desk, draft: str, after: Draft) -> None:
    """Write what has changed, one field a line; of levels only those that changed."""
    found = record(desk, draft)
    for field in {**found.answers, **after.answers}:
        was, now = found.answers.get(field), after.answers.get(field)
        if was == now:
            continue
        if isinstance(now, Mapping) and set(was or {}) <= set(now):
            for part, level in now.items():
                if (was or {}).get(part) != level:
                    desk.journal.say(DraftAnswered(desk.member.id, draft, field, level, part, to=(found.seat,)))
        else:
            desk.journal.say(DraftAnswered(desk.member.id, draft, field, now, to=(found.seat,)))
    desk.campaign.advance()


def _fill(desk: Desk, draft: str, step: str) -> None:
    found = record(desk, draft)

    def throw(field: RollDice, pool: Pool) -> Plain:
        _check_unseen(desk, found, field.key)
        return desk.journal.throw_for_draft(found.seat, draft, field, pool)

    full = filled(form_of(desk, draft), SystemRandom(), throw, step)
    desk.campaign.advance()
    _write(desk, draft, full)


def _check_unseen(desk: Desk, found: DraftRecord, field: str) -> None:
    """A seat throws for a field once, until a character is finished with these dice."""
    known = desk.campaign.setup.drafts
    others = (each for each in known.of(found.seat) if each.kind is found.kind and each.finished is None)
    if any(field in each.kept for each in others if each.id != found.id):
        because = "another of your drafts has these dice; finish or discard it first"
        raise Refused(field, because=because, rule=HOUSE)
    if field in known.kept_by(found.seat, found.kind):
        because = "you have seen these dice; a new draft begins with them"
        raise Refused(field, because=because, rule=HOUSE)


def _make_room(desk: Desk, owner: Member) -> None:
    mine = desk.campaign.setup.drafts.of(owner.id)
    done = [each for each in mine if each.finished is not None]
    if len(mine) - len(done) >= MOST_DRAFTS:
        raise Refused("draft", because=f"at most {MOST_DRAFTS} drafts at once; discard one first", rule=HOUSE)
    for each in done[: max(0, len(mine) - MOST_DRAFTS + 1)]:
        _say(desk, DraftEnded(desk.member.id, each.id, to=(owner.id,)))


def _sheet_of(desk: Desk, owner: Member, character: str | None) -> dict[str, Plain]:
    """The sheet of someone who is to grow."""
    mine = sorted(owner.controls) if not owner.is_master else sorted(desk.known)
    system = desk.campaign.system
    if character is None or character not in mine or not isinstance(desk.journal.state.get(character), system.sheet):
        raise BadInput("character", unknown(str(character), tuple(mine)))
    found: dict[str, Plain] = system.plain_value(desk.journal.state[character])
    return found


def _enter(desk: Desk, found: DraftRecord, name: str, sheet: Hashable, *, hidden: bool) -> None:
    journal, owner = desk.journal, desk.other(found.seat)
    _make_way(desk, name)
    if hidden:
        journal.hide(desk.member.id, journal.scene.get(VEIL, Veil()).names | {name})
    if owner.role is Role.PLAYER:
        plays = owner.but({"controls": sorted({*owner.controls, name})})
        journal.say(SeatTaken(desk.member.id, plays.data, changed=True, to=() if hidden else None))
    journal.say(DraftEnded(desk.member.id, found.id, name, to=(found.seat,)))
    plain = desk.campaign.system.plain_value(sheet)
    if owner.is_master:
        master_desk.limit_newcomer(desk, name, plain)
    else:  # of someone who had this name before, others may have seen less
        master_desk.limit(desk, (name,), Exposure.SHEET)
    portraits = desk.campaign.setup.portraits
    if found.id in portraits.drafts:
        journal.say(portraits.drafts[found.id].line(desk.member.id, who=name))
    elif name in portraits.people:  # of someone who had this name before
        journal.say(PortraitSet(TABLE, name, to=()))
    journal.begin(desk.member.id, enter.id, {"who": name, "sheet": plain})


def _grow(desk: Desk, found: DraftRecord, form: DraftForm, sheet: Hashable) -> None:
    """Change the fields that grew; refused if one of them has changed since the draft began."""
    system, name = desk.campaign.system, found.character or ""
    if name not in desk.journal.state:
        raise Refused(name, because="is not in the scene any more", rule=HOUSE)
    was, now = system.plain_value(form.draft.sheet), system.plain_value(sheet)
    is_ = system.plain_value(desk.journal.state[name])
    changes = {field: value for field, value in now.items() if was.get(field) != value}
    moved = [field for field in changes if is_.get(field) != was.get(field)]
    if moved:
        because = f"{', '.join(moved)} changed since this draft began; begin a new one"
        raise Refused(name, because=because, rule=HOUSE)
    desk.journal.say(DraftEnded(desk.member.id, found.id, name, to=(found.seat,)))
    if changes:
        desk.journal.begin(desk.member.id, grow.id, {"who": name, "changes": changes})


def check_name(desk: Desk, name: str, sheet: Hashable) -> None:
    """A name must be free, as far as the seat knows. Whether something hidden bears it makes no difference."""
    desk.campaign.system.check_name(name, sheet, desk.journal.scene[BOOK])
    if name in desk.known:
        raise BadInput("name", f"{name} is in the scene already")


def _make_way(desk: Desk, name: str) -> None:
    """Something hidden whose name the newcomer's is (or contains) gives way: it is renamed, and only the game master
    is told. A refusal would tell the player that it is there.
    """
    journal = desk.journal
    if desk.member.is_master:
        return  # who knows what is hidden has been refused openly
    for old in sorted(hidden_names(journal.state)):
        if names_any(name, {old}) and old in journal.state:
            new = next(
                each
                for number in count(2)
                if (each := f"{old} {number}") not in journal.state and not names_any(name, {each})
            )
            journal.rename_hidden(TABLE, old, new)
            _move_seats(desk, old, new)
            _move_portrait(desk, old, new)


def _move_seats(desk: Desk, old: str, new: str) -> None:
    """Whoever plays it plays it under the new name, and the game master's notes are about that name. No one is told."""
    for member in desk.campaign.members.values():
        if old in member.controls:
            plays = member.but({"controls": sorted(member.controls - {old} | {new})})
            desk.journal.say(SeatTaken(TABLE, plays.data, changed=True, to=()))
        if member.is_master and old in member.notes:
            notes = {old: "", new: member.notes[old]}
            desk.journal.say(PrivateNotes(TABLE, member.id, notes, changed=True, to=()))


def _move_portrait(desk: Desk, old: str, new: str) -> None:
    """It keeps its picture, and the newcomer does not get it. No one is told."""
    portrait = desk.campaign.setup.portraits.people.get(old)
    if portrait is not None:
        desk.journal.say(portrait.line(TABLE, who=new))
        desk.journal.say(PortraitSet(TABLE, old, to=()))
