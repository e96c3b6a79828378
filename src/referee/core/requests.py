"""What a rule may await: the verbs in which rules are written.

A question goes to the table. The run itself carries out the other requests: another rule, a change, a line of the
story.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, Generic, TypeVar, TypeVarTuple, final, overload

from referee.core.audience import Audience
from referee.core.cards import Card, Pile
from referee.core.dice import Pool, Reading
from referee.core.errors import BadInput, Refused
from referee.core.modifiers import Mods
from referee.core.plain import frozen
from referee.core.questions import Barred, Choose, Draw, OptionCost, Options, Prompt, Question, Request, Roll, Ruling
from referee.core.scene import Who

T = TypeVar("T")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")
V = TypeVar("V", bound=Hashable)
Ts = TypeVarTuple("Ts")
R = TypeVar("R", bound=Reading)

YES: Final = (True,)
YES_NO: Final = (True, False)


@final
@frozen
class Together(Request[Any]):
    """Several questions at once; no answer is shown before all have been given."""

    questions: tuple[Question[Any], ...]


@final
@frozen
class Change(Request[None], Generic[V]):
    """Replace one value of the scene: the only way to change anything. None removes it from the scene."""

    who: Who[V]
    to: V | None
    rule: str | None = None
    hidden: bool = False


@final
@frozen
class Alter(Request[None], Generic[V]):
    """Replace one value of the scene by a function of its current value."""

    who: Who[V]
    how: Callable[[V], V]
    rule: str | None = None
    if_present: bool = False


@final
@frozen
class Move(Request[None]):
    """Move cards that someone already knows, or every card, from one pile to another, as one change."""

    cards: tuple[Card, ...] | None
    pile: Who[Pile]
    to: Who[Pile]
    rule: str | None = None


@final
@frozen
class Tell(Request[None]):
    """A line for the story: a key whose words are elsewhere, and its figures."""

    key: str
    figures: tuple[tuple[str, Any], ...]
    audience: Audience = Audience.EVERYONE
    who: Who[Any] | None = None
    rule: str | None = None


# --- the verbs in which rules are written ----------------------------------------------------------------------------


def roll(
    name: Prompt,
    who: Who[Any] | None,
    pool: Pool,
    reading: type[R],
    *,
    kept: R | None = None,
    mods: Mods = (),
    audience: Audience = Audience.EVERYONE,
) -> Roll[R]:
    """Throw dice. `kept` are dice of an earlier throw that stay on the table and are read with the new ones."""
    return Roll(name, who, pool, reading, kept, mods, audience)


def draw(
    name: Prompt,
    pile: Who[Pile],
    to: Who[Pile],
    *,
    who: Who[Any] | None = None,
    mods: Mods = (),
    audience: Audience = Audience.EVERYONE,
) -> Draw:
    """Draw one card from a pile into another. `mods` explain what the rule makes of the card, as for a throw."""
    return Draw(name, pile, to, who=who, audience=audience, mods=mods)


def choose(
    who: Who[Any] | None,
    name: Prompt,
    options: Iterable[T],
    *,
    default: T | None = None,
    barred: Iterable[Barred[Any]] = (),
    about: Any = None,
    audience: Audience = Audience.EVERYONE,
    options_for: Audience = Audience.EVERYONE,
) -> Choose[T]:
    """Let someone decide. No answer means the default, or else the last option.

    If all options are barred, there is nothing to decide: it is refused for the first reason. `audience` may know the
    answer once it is given, `options_for` what there was to choose from: a card from a hidden hand.
    """
    legal: Sequence[T] = options if isinstance(options, Options) else tuple(options)
    not_legal = tuple(barred)
    if not legal and not_legal:
        why = not_legal[0].why
        raise Refused(name, because=why.because, rule=why.rule)
    if not legal:
        raise BadInput(name, "a choice needs at least one legal option")
    silent = legal[-1] if default is None else default
    return Choose(name, who, legal, silent, not_legal, about, audience=audience, options_for=options_for)


def offer(
    who: Who[Any],
    name: Prompt,
    options: Iterable[T],
    *,
    check: Callable[[T], None] | None = None,
    about: Any = None,
    audience: Audience = Audience.EVERYONE,
    options_for: Audience = Audience.EVERYONE,
    reaction: bool = False,
    cost: Callable[[T], OptionCost | None] | None = None,
) -> Choose[T | None]:
    """Offer something that may be declined. `check` refuses options; someone with no legal option left is not asked.

    `cost` says what an option costs: it stands on the button, and of equal options the cheapest is the best.
    """
    legal: list[T | None] = []
    barred: list[Barred[T]] = []
    for option in options:
        try:
            if check is not None:
                check(option)
        except Refused as why:
            barred.append(Barred(option, why))
        else:
            legal.append(option)
    offered = (*legal, None)
    priced = ((each, cost(each)) for each in legal if each is not None) if cost is not None else ()
    costs = tuple((each, price) for each, price in priced if price is not None)
    return Choose(
        name, who, offered, None, tuple(barred), about, True, reaction, audience, options_for=options_for, costs=costs
    )


def react(
    who: Who[Any],
    name: Prompt,
    options: Iterable[T],
    *,
    check: Callable[[T], None] | None = None,
    about: Any = None,
    audience: Audience = Audience.EVERYONE,
    options_for: Audience = Audience.EVERYONE,
) -> Choose[T | None]:
    """Offer a reaction during someone else's step."""
    return offer(
        who, name, options, check=check, about=about, audience=audience, options_for=options_for, reaction=True
    )


def rule_on(
    name: Prompt,
    default: T,
    *,
    options: Iterable[T] = (),
    low: int | None = None,
    high: int | None = None,
    audience: Audience = Audience.EVERYONE,
) -> Ruling[T]:
    """Let the game master set what the book leaves open."""
    return Ruling(name, default, tuple(options), low, high, audience)


@overload
def together(a: Question[T1], b: Question[T2], /) -> Request[tuple[T1, T2]]: ...
@overload
def together(a: Question[T1], b: Question[T2], c: Question[T3], /) -> Request[tuple[T1, T2, T3]]: ...
@overload
def together(*questions: Question[T]) -> Request[tuple[T, ...]]: ...
def together(*questions: Question[Any]) -> Request[Any]:
    """Ask several people at once in secret, or make several throws as one."""
    return Together(questions)


def change(who: Who[V], to: V | None, *, rule: str | None = None, hidden: bool = False) -> Request[None]:
    """Replace a value in the scene. `rule` names the rule behind it, if it is not the one that is running.

    What is new may be `hidden`: for everyone but the game master it is not there, until the game master reveals it.
    """
    return Change(who, to, rule, hidden)


def alter(
    who: Who[V], how: Callable[[V, *Ts], V], /, *args: *Ts, rule: str | None = None, if_present: bool = False
) -> Request[None]:
    """Change a value by a function of it, read at that moment: `await alter(who, Fighter.hurt, 2)`.

    With `if_present` nothing happens where the scene has no such value: a fight that nobody has begun.
    """
    return Alter(who, lambda now: how(now, *args), rule, if_present)


def move(cards: Card | Iterable[Card], pile: Who[Pile], to: Who[Pile], *, rule: str | None = None) -> Request[None]:
    """Move a known card, or several as one change, between piles."""
    return Move((cards,) if isinstance(cards, Card) else tuple(cards), pile, to, rule)


def move_all(pile: Who[Pile], to: Who[Pile], *, rule: str | None = None) -> Request[None]:
    """Move every card of a pile to another: a hand is discarded, a deck is reshuffled."""
    return Move(None, pile, to, rule)


def tell(
    key: str,
    *,
    who: Who[Any] | None = None,
    audience: Audience = Audience.EVERYONE,
    rule: str | None = None,
    **figures: Any,
) -> Request[None]:
    """Add a line to the story."""
    return Tell(key, tuple(figures.items()), audience, who, rule)
