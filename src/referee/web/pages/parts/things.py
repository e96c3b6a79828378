"""What people have, as cards: what there is to know of each thing, where it is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, final

from referee.core.belongings import things_in
from referee.core.catalogue import what_it_says
from referee.core.describe import field_type
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import ItemCount, ItemLook
from referee.core.plain import Plain, read, write
from referee.core.scene import Who
from referee.core.things import CARRIED, DROPPED, PLACES, Amount, amount_in, name_of, place_of, row_of
from referee.core.wording import capital, phrase, spaced
from referee.table.things_desk import is_out, known_holders
from referee.web.pages.page import WORDS
from referee.web.pages.parts.people import SheetFigure
from referee.web.pages.table_view import TableView

PLAIN_FIELDS: Final = frozenset({"name", "row", "place", "amount"})
"""Fields of a thing that its card says in its own way."""


@final
@dataclass(frozen=True)
class ThingCard:
    """A thing: its figures, what is left of its wear and rounds, what state it is in and where it is."""

    name: str
    amount: str = ""
    """How many there are, if that is not one."""
    row: str = ""
    """What it is, if its owner calls it something else."""
    facts: tuple[tuple[str, str], ...] = ()
    counts: tuple[SheetFigure, ...] = ()
    marks: tuple[str, ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    """Where it can be put, each with the words of the button."""

    @property
    def is_broken(self) -> bool:
        """Whether it is worn out."""
        return any(each.tone == "wear" and each.value == 0 for each in self.counts)


@final
@dataclass(frozen=True)
class Belongings:
    """What somebody has, or what lies where they are."""

    who: str
    things: tuple[ThingCard, ...]
    takers: tuple[str, ...] = ()
    """Who can be given it, or can take it."""
    may: bool = False
    """Whether this seat may handle them."""
    is_out: bool = False
    is_place: bool = False
    """Whether it is nobody, but a place where things are kept."""


def cards_of(view: TableView, who: str) -> tuple[ThingCard, ...]:
    """What somebody has, each as a card; nothing if this seat does not know it."""
    return tuple(_card(view, each) for each in known_things(view, who))


def cards_of_plain(view: TableView, plain: Plain) -> tuple[ThingCard, ...]:
    """Things of a form, which may not be saved yet, as cards; what cannot be read is left out."""
    field = field_type(view.system.sheet).fields[view.look.items]
    found: list[ThingCard] = []
    for each in plain if isinstance(plain, list) else ():
        with suppress(RefereeError):
            found.append(_card(view, read(field.inner.type if field.inner else str, each, "thing")))
    return tuple(found)


def known_things(view: TableView, who: str) -> tuple[Any, ...]:
    """What somebody has, as far as this seat knows."""
    try:
        return things_in(view.scene, Who(who, view.system.sheet))
    except (NotKnown, RefereeError):
        return ()


def belongings(view: TableView, who: str) -> Belongings:
    """What somebody has, as far as this seat knows; whoever plays them may handle it."""
    if not view.look.items:
        return Belongings(who, ())
    may = view.may_play and who in view.may_be()
    takers = tuple(each for each in _holders(view) if each != who) if may else ()
    return Belongings(who, cards_of(view, who), takers, may, view.is_out(who))


def lying(view: TableView) -> tuple[Belongings, ...]:
    """What may be taken: all that the fallen have, what others have dropped, what is in store."""
    if not view.look.items or not view.may_play:
        return ()
    return tuple(found for name in _holders(view) if (found := left_by(view, name)).things and found.takers)


def left_by(view: TableView, who: str) -> Belongings:
    """What may be taken from somebody, or from a place."""
    is_place = who not in view.people
    able = tuple(each for each in view.may_be() if each and each != who and not view.is_out(each))
    if in_sight := view.state_of(who).get("things"):
        cards = tuple(ThingCard(each["name"], _amount(each["amount"])) for each in in_sight)
        return Belongings(who, cards, able, True, is_out=True)
    gone = is_place or is_out(view.scene, view.system, Who(who, view.system.sheet))
    free = (each for each in known_things(view, who) if gone or place_of(each) == DROPPED)
    return Belongings(who, tuple(_card(view, each) for each in free), able, True, gone and not is_place, is_place)


def _holders(view: TableView) -> tuple[str, ...]:
    """Everyone, and every place for things: one's own first, as in the roster."""
    places = (each.name for each in known_holders(view.scene) if each.name not in view.people)
    return (*view.people, *places)


# --- cards ------------------------------------------------------------------------------------------------------------


def _card(view: TableView, thing: Any) -> ThingCard:
    plain: Plain = write(thing)
    record: Mapping[str, Plain] = plain if isinstance(plain, Mapping) else {}
    look = view.look.item or ItemLook()
    counts = [(part, count) for part in ("wear", "rounds") if (count := getattr(look, part)) is not None]
    said = tuple((words, text) for words, text in _said(view, thing) if text)
    drawn = {*look.hidden, *look.marks, *PLAIN_FIELDS}
    drawn |= {name for _, each in counts for name in (each.field, each.of) if name}
    return ThingCard(
        name_of(thing),
        _amount(amount_in(thing)),
        row_of(thing) if row_of(thing) != name_of(thing) else "",
        (
            *said,
            *_other_facts(
                view, record, getattr(type(thing), "in_play", ()), drawn, {words.casefold() for words, _ in said}
            ),
        ),
        tuple(count for part, each in counts if (count := _count(record, part, each)) is not None),
        tuple(_marks(thing, record, look, drawn)),
        tuple(_moves(view, thing)),
    )


def _amount(amount: Amount) -> str:
    return f"{amount:g}" if amount != 1 else ""


def _said(view: TableView, thing: Any) -> tuple[tuple[str, str], ...]:
    """What its row says, as far as this seat may know the rulebook's figures."""
    try:
        return what_it_says(view.system, view.scene, thing)
    except (NotKnown, RefereeError):
        return ()


def _other_facts(
    view: TableView, record: Mapping[str, Plain], in_play: Collection[str], drawn: set[str], said: set[str]
) -> Iterator[tuple[str, str]]:
    """What play has changed; where the system does not say itself what there is to know of a thing, every field."""
    named = view.look.item.figures if view.look.item else {}
    fields = record if view.system.catalogue.says is None else [each for each in record if each in in_play]
    for name, words in {each: named.get(each) or capital(spaced(each)) for each in fields}.items():
        value = record.get(name)
        if name not in drawn and words.casefold() not in said and value not in (None, False, "", 0, [], {}, True):
            yield words, phrase(value, nothing="")


def _marks(thing: Any, record: Mapping[str, Plain], look: ItemLook, drawn: set[str]) -> Iterator[str]:
    """Where it is, and what is true of it."""
    place = place_of(thing)
    if place != CARRIED:
        yield WORDS.say(f"things.at.{place}") if place in PLACES else WORDS.say("things.inside", container=place)
    yield from (words for name, words in look.marks.items() if record.get(name) is True)
    yield from (spaced(name) for name, value in record.items() if value is True and name not in drawn)


def _moves(view: TableView, thing: Any) -> Iterator[tuple[str, str]]:
    now = place_of(thing)
    for place in view.system.catalogue.places(view.scene, thing):
        if place != now and (now != DROPPED or place == CARRIED):
            yield place, WORDS.say("things.do.pick-up" if now == DROPPED else f"things.do.{place}")


def _count(record: Mapping[str, Plain], part: str, count: ItemCount) -> SheetFigure | None:
    """What is left of an item's wear or rounds."""
    left, of = record.get(count.field), record.get(count.of) if count.of else count.most or None
    if not isinstance(left, int):
        return None
    words = count.words or WORDS.say(f"sheet.{part}")
    return SheetFigure(words, left, of if isinstance(of, int) else None, "squares", part, "")
