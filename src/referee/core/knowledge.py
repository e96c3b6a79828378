"""What one seat knows of a scene: the rest is there, but cannot be read.

Odds for a viewer are computed on the scene as that viewer knows it, so they cannot give away what is hidden: a rule
that reads something unknown raises `NotKnown`, which says what it was. Cards that no one has shown are unseen cards:
any of them may be drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple, NewType, TypeVar, final, get_args

from referee.core.audience import Audience, audiences
from referee.core.cards import Facing, Pile, is_unknown
from referee.core.errors import BadInput, NotKnown, RefereeError, Refused
from referee.core.hidden_rolls import told_apart
from referee.core.plain import Plain, hints, read, unknown, write
from referee.core.questions import Chance, Choose, Draw, Question, Roll
from referee.core.replay import Answered, OutsideChange, Trail, follow
from referee.core.rulebook import BOOK, Book
from referee.core.rules import Call, Rule
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.core.system import HOUSE_NAMES
from referee.core.unknown import Unknown
from referee.core.visibility import (
    VEIL,
    Seat,
    counted_cards,
    fields_of,
    hidden_names,
    is_nothing,
    limits_in,
    may_look,
    mentions,
    seen_records,
    shown_to,
    without,
)

T = TypeVar("T")
V = TypeVar("V")
Q = TypeVar("Q", bound=Question[Any])

KnownState = NewType("KnownState", State)
"""A scene as a seat knows it: all that computes for a seat is given. Only this module makes one."""

HOW: Final = "how it came to this"
"""What is unknown if somebody hidden has had a hand in it."""
NOBODY: Final = Seat("")
"""The seat of someone who knows only what everyone knows."""


def known_to(state: State, seat: Seat) -> KnownState:
    """A scene as a seat knows it, sorted by name, because the order in which things were added may be a secret."""
    if seat.master:
        private = any(isinstance(value, Pile) and _is_private(value, seat) for value in state.values())
        return KnownState(State({**state, **dict(_known_piles(state, seat, frozenset()))}) if private else state)
    hidden = hidden_names(state)
    away = hidden | {VEIL.name}
    there = State(
        {name: state[name] for name in sorted(state) if name not in away and not is_nothing(state[name], hidden)}
    )
    limits = limits_in(state)
    values = {
        name: _but_unshown(name, _known(name, value, seat, hidden), shown_to(seat, name, limits))
        for name, value in there.items()
        if not isinstance(value, Pile)
    }
    return KnownState(State({**there, **values, **dict(_known_piles(state, seat, hidden))}))


def fully_known(state: State) -> KnownState:
    """A scene that holds no secrets from whoever looks at it: a sample, or a table's own file."""
    return KnownState(state)


def supposing_like(known: KnownState, who: str, value: Hashable) -> KnownState:
    """A scene as a seat knows it, but for somebody who is different, as far as that seat can say."""
    return KnownState(State({**known, who: value}))


def supposing(known: KnownState, who: str, path: str, value: Plain) -> KnownState:
    """A scene as a seat knows it, but for one field of someone (`wp`), or one level in that field (`skills.Tactics`).

    What the table keeps for itself stays as it is: nobody is unveiled by supposing so.
    """
    if who in HOUSE_NAMES or who not in known:
        raise BadInput(who, unknown(who, tuple(each for each in known if each not in HOUSE_NAMES)))
    field, is_level, level = path.partition(".")
    there, where = fields_of(known[who]), f"{who}.{field}"
    if field not in there:
        raise BadInput(where, unknown(field, there))
    to = {**_levels(there, field, where), level: value} if is_level else value
    read_as = read(hints(type(known[who]))[field], to, where)
    whole: Any = known[who]
    return KnownState(known.but(who, replace(whole, **{field: read_as})))


def _levels(there: Mapping[str, Any], field: str, where: str) -> Mapping[str, Plain]:
    """The levels in a field, by name."""
    levels = write(there[field])
    if not isinstance(levels, Mapping):
        seen = ((name, each) for name, each in there.items() if not isinstance(each, Unknown))
        having = [name for name, each in seen if isinstance(write(each), Mapping)]
        raise BadInput(where, f"has no levels by name; {', '.join(having) or 'no others'} have")
    return levels


def supposing_encounter(known: KnownState, name: str, encounter: Hashable) -> KnownState:
    """A scene as a seat knows it, with an encounter that has not begun."""
    return KnownState(known.but(name, encounter))


def supposing_option(known: KnownState, id_: str, value: Plain) -> KnownState:
    """A scene as a seat knows it, played by another option of its rulebook."""
    book = known.get(BOOK.name)
    if not isinstance(book, Book):
        raise BadInput(id_, "there is no rulebook here")
    return supposing_book(known, book.but({"options": {id_: value}}))


def supposing_book(known: KnownState, book: Book) -> KnownState:
    """A scene as a seat knows it, played by another rulebook."""
    return KnownState(known.but(BOOK.name, book))


def _known(name: str, value: Hashable, seat: Seat, hidden: frozenset[str]) -> Hashable:
    """A value of the scene, with what a seat may not see made unknown, and hidden people and records left out."""
    value = seen_records(type(value), value, seat, name)
    if mentions(value, hidden):
        whole = fields_of(value)
        left = without(type(value), whole, hidden)
        value = _but(value, **{each: left.get(each, Unknown(f"{name}.{each}")) for each in whole})
    unseen = [each for each, audience in audiences(type(value)).items() if not seat.sees(audience, name)]
    return _but(value, **{each: Unknown(f"{name}.{each}") for each in unseen}) if unseen else value


def _but_unshown(name: str, value: Hashable, shown: frozenset[str] | None) -> Hashable:
    """A value of which only some fields are shown; the others are unknown."""
    if shown is None:
        return value
    return _but(value, **{each: Unknown(f"{name}.{each}") for each in audiences(type(value)) if each not in shown})


def _known_piles(state: State, seat: Seat, hidden: frozenset[str]) -> Iterator[tuple[str, Pile]]:
    """A face-down pile holds some of the cards that no one has shown; of other hands only the size is known.

    Cards in hidden piles are among those not shown. Everyone can see from which deck a card is: its back shows it.
    """
    piles = {name: value for name, value in state.items() if isinstance(value, Pile)}
    unseen = {name: pile for name, pile in piles.items() if name not in hidden and not may_look(pile, seat)}
    kept = counted_cards(state, hidden)
    lying = {name: (*pile.cards, *kept.get(name, ())) for name, pile in unseen.items()}
    for name, pile in unseen.items():
        decks = {card.deck for card in lying[name]}
        if pile.facing is Facing.DOWN and len(decks) <= 1:
            may_be = tuple(card for cards in lying.values() for card in cards if card.deck in decks)
            yield name, replace(pile, cards=may_be, elsewhere=len(may_be) - len(lying[name]))
        else:
            yield name, replace(pile, cards=_unknown_cards(name, len(lying[name])))
    homes = {pile.owner for pile in unseen.values() if pile.facing is Facing.DOWN}
    for name in sorted(piles):
        pile = piles[name]
        if name in hidden and pile.facing is Facing.MASTER and pile.owner not in hidden:
            size: Any = Unknown(f"how many cards are in {name}")
            yield name, replace(pile, cards=()) if pile.owner in homes else _but(pile, cards=(), elsewhere=size)


def _unknown_cards(name: str, count: int) -> Any:
    return tuple(Unknown(f"{name}.cards") for _ in range(count))


def _is_private(pile: Pile, seat: Seat) -> bool:
    return pile.facing is Facing.PRIVATE and not may_look(pile, seat)


def _but(value: V, **changed: Any) -> V:
    """The same value with some fields replaced, without reading the others."""
    copy = object.__new__(type(value))
    for each in fields(value):  # type: ignore[arg-type]  # values of a scene are dataclasses
        object.__setattr__(copy, each.name, changed.get(each.name, getattr(value, each.name)))
    return copy


def known_call(call: Call[T], seat: Seat, given: Container[str], unseen: frozenset[str] = frozenset()) -> Call[T]:
    """A step as a seat knows it: an argument that was given and is `Own[…]` or `Hidden[…]` is unknown to others.

    So is one that names something `unseen`.
    """
    hidden = [name for name in hidden_arguments(call.rule, seat, call.plain()) if name in given]
    named = zip(call.rule.parameters, call.args, strict=False)
    return call.rule(*(Unknown(name) if name in hidden or mentions(value, unseen) else value for name, value in named))


def hidden_arguments(rule: Rule[..., Any], seat: Seat, given: Mapping[str, Plain]) -> tuple[str, ...]:
    """The arguments of a rule that a seat is not told. The first argument says whose they are."""
    actor = given.get(next(iter(rule.parameters), ""))
    owner = actor if isinstance(actor, str) else None
    return tuple(
        name
        for name, parameter in rule.parameters.items()
        for mark in get_args(parameter.annotation)
        if isinstance(mark, Audience) and not seat.sees(mark, owner)
    )


def known_question(question: Q, state: State, seat: Seat) -> Q:
    """A question as a seat knows it: no hidden people or things are among its options, nor what it is about."""
    hidden = frozenset[str]() if seat.master else hidden_names(state)
    if not hidden or not isinstance(question, Choose):
        return question
    about = None if mentions(question.about, hidden) else question.about
    options = tuple(each for each in question.options if not mentions(each, hidden))
    barred = tuple(each for each in question.barred if not mentions(each.option, hidden))
    if not options or len(options) == len(question.options):
        return replace(question, barred=barred, about=about)
    silent = question.default if question.default in options else options[-1]
    return replace(question, options=options, barred=barred, default=silent, about=about)


def is_no_choice(question: Question[Any], state: State) -> bool:
    """Whether it is a choice only because of hidden people: someone who does not know of them would not be asked."""
    known = known_question(question, state, NOBODY)
    return isinstance(known, Choose) and known != question and len(known.options) == 1


def refused_to(call: Call[Any], given: Container[str], state: State, trail: Trail, seat: Seat) -> RefereeError | None:
    """How a step is refused by what a seat knows of it; None if it is not, or if the seat does not know why."""
    run: Run[Any] | None = None
    try:
        run = Run(Scene(known_to(state, seat)), known_call(call, seat, given))
        for each in trail:
            if isinstance(each, Answered) and _sees(each.question, seat):
                run.answer(each.answer, each.part)
            elif isinstance(each, OutsideChange):
                OutsideChange(known_to(each.to, seat)).onto(run)
            else:
                return None
    except NotKnown:
        return None
    except RefereeError as why:
        return why
    finally:
        if run is not None:
            run.close()
    return None


def seen_trail(trail: Trail, seat: Seat, state: State) -> tuple[Answered | OutsideChange, ...]:
    """What a seat has seen of a step: answers, and nothing else that was asked with the questions.

    What someone else decided in secret is unknown, and so is that it was about somebody hidden.
    """
    hidden = frozenset[str]() if seat.master else hidden_names(state)
    seen: list[Answered | OutsideChange] = []
    for each in trail:
        if isinstance(each, OutsideChange):
            seen.append(OutsideChange(known_to(each.to, seat)))
        elif isinstance(each, Answered) and _sees(each.question, seat):
            if mentions((each.question.who, each.answer), hidden):
                raise NotKnown(HOW)
            seen.append(replace(each, question=bare(each.question)))
        elif isinstance(each, Answered) and not isinstance(each.question, Chance):
            is_hidden = mentions(each.question.who, hidden)
            raise NotKnown(HOW if is_hidden else f"what {each.question.who or 'the game master'} chose")
    return tuple(seen)


def bare(question: Q) -> Q:
    """A question without what it was asked with: the cards that lay there, the dice kept, what counted, the options."""
    if isinstance(question, Draw):
        return replace(question, cards=(), mods=())
    if isinstance(question, Roll):
        return replace(question, kept=None, mods=())
    if isinstance(question, Choose):
        return replace(question, options=(), default=None, barred=(), about=None, costs=())
    return question


@final
class KnownStake(NamedTuple):
    """What a rule in progress is still to decide: its call, the scene it began in as a seat knows it, and how much
    of the trail came before it.
    """

    call: Call[Any]
    state: KnownState
    given: int


@final
class PossibleWay(NamedTuple):
    """A way in which a step may have gone: its trail, the weight of that, and what is still to be decided."""

    trail: Trail
    weight: int
    stakes: tuple[KnownStake, ...]


def possible_ways(
    call: Call[Any],
    state: KnownState,
    seen: tuple[Answered | OutsideChange, ...],
    seat: Seat,
    asked: tuple[str, ...],
    check: Callable[[], None] = lambda: None,
    question: Question[Any] | None = None,
) -> list[PossibleWay]:
    """Every way a step can have gone, given what a seat has seen of it up to the current question.

    Throws hidden from the seat may have any result after which everything the seat saw would have been asked, and after
    which the question that it sees now would offer the same. There is none if what was seen came of something that the
    seat cannot even guess at: a card that came again, from discards nobody else may look at. `check` is called before
    each try, and may give up.
    """
    return [
        way
        for way, asking in _consistent(call, state, seen, asked, seat, check)
        if question is None or any(_is_the_same(each, question, state, seat) for each in asking)
    ]


def _is_the_same(there: Question[Any], here: Question[Any], state: State, seat: Seat) -> bool:
    """Whether a question, at the end of some way, is the one that a seat sees now."""
    if there.name != here.name or not isinstance(there, Choose) or not isinstance(here, Choose):
        return there.name == here.name
    if not seat.sees(here.options_for, here.who and here.who.name):
        return True
    return known_question(there, state, seat).options == here.options


def _consistent(
    call: Call[Any],
    state: KnownState,
    seen: tuple[Answered | OutsideChange, ...],
    asked: tuple[str, ...],
    seat: Seat,
    check: Callable[[], None],
) -> Iterator[tuple[PossibleWay, tuple[Question[Any], ...]]]:
    """Ways through what was seen, with every result of what was not, up to the current question, and what it asks."""
    todo: list[tuple[Trail, int, int]] = [((), 0, 1)]
    while todo:
        trail, at, weight = todo.pop()
        check()
        try:
            run = follow(call, Scene(state), trail, pause_at_calls=False)
        except Refused:
            continue  # it would have been refused
        stakes = tuple(KnownStake(each.call, KnownState(each.state), each.given) for each in run.stakes)
        run.close()
        part = next((p for p in run.open if not _sees(run.asking[p], seat)), None)
        if part is not None and isinstance(question := run.asking[part], Chance):
            is_card = isinstance(question, Draw)  # which lies in a hand then, where it makes a difference
            hidden = question.outcomes() if is_card else told_apart(call, state, trail, part, question, check)
            todo += [((*trail, Answered(question, part, o)), at, weight * w) for o, w in hidden]
        elif at < len(seen):
            todo += [((*trail, each), at + 1, weight) for each in _again(seen[at], run, seat)]
        elif tuple(str(each.name) for each in run.asking) == asked:
            yield PossibleWay(trail, weight, stakes), tuple(run.asking)


def _again(item: Answered | OutsideChange, run: Run[Any], seat: Seat) -> Iterator[Answered | OutsideChange]:
    """What was seen, if it would be seen here too: the same question, perhaps with options unknown to the seat."""
    if isinstance(item, OutsideChange):
        yield item
    elif item.part in run.open and run.asking[item.part].name == item.question.name:
        question = run.asking[item.part]
        if _may_be(question, item.answer, seat):
            yield Answered(question, item.part, item.answer)


def _may_be(question: Question[Any], answer: object, seat: Seat) -> bool:
    """Whether a question may have had an answer: a card that was drawn in secret is in that hand, and nowhere else.

    An option that the seat does not know may be any.
    """
    match question:
        case Choose() if seat.sees(question.options_for, question.who and question.who.name):
            return question.offers(answer)
        case Choose():
            return any(map(is_unknown, question.options)) or question.offers(answer)
        case Draw():
            return any(map(is_unknown, question.cards)) or answer in question.cards
        case _:
            return True


def _sees(question: Question[Any], seat: Seat) -> bool:
    return seat.sees(question.audience, question.who and question.who.name)
