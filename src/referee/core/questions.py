"""The questions a rule asks the table, each typed by its answer.

Chance answers a `Roll` or a `Draw`, a person answers a `Choose`, the game master a `Ruling`. A question reads its
answer from plain JSON (or refuses it) and writes it back, so people, scripts, policies and the log all use the same
form.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from copy import copy
from dataclasses import field, replace
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Any, Final, Generic, TypeVar, cast, final

from referee.core.audience import Audience
from referee.core.cards import Card, Pile
from referee.core.dice import Pool, Reading, Record, Table, pips_of, places, thrown_pips
from referee.core.errors import BadAnswer, BadInput, BarredAnswer, Refused
from referee.core.modifiers import Mods
from referee.core.plain import Plain, frozen, is_number, spoken
from referee.core.scene import Who
from referee.core.unknown import Unknown

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R", bound=Reading)
Q = TypeVar("Q", bound="Question[Any]")


ANSWERS: Final = "referee.table.answers"
"""The rule behind a refused answer if no one may know, or no one knows, which rule asks."""


class Prompt(str):
    """The key of a question, declared once, in capitals, next to the rules that ask it. Its words are elsewhere."""

    __slots__ = ()


class Request(Generic[T_co]):
    """Something a rule awaits. The driver that runs the rule answers it."""

    __slots__ = ()

    def __await__(self) -> Generator[Request[Any], Any, T_co]:
        answer: T_co = yield self
        return answer


class Question(Request[T_co]):
    """A request that the table answers."""

    __slots__ = ()
    name: Prompt
    who: Who[Any] | None
    """Who is asked; None means the game master."""
    audience: Audience
    """Who may know the answer once it is given."""
    rule: str
    """The rule that asks, once it is asked; not compared."""

    @abstractmethod
    def read(self, plain: Plain) -> T_co:
        """The answer as the rule gets it, from plain JSON; `BadAnswer` says what would be accepted."""

    @abstractmethod
    def write(self, answer: Any) -> Plain:
        """The answer as the log stores it."""

    def bad(self, because: str, legal: Iterable[str] = ()) -> BadAnswer:
        """A refusal of an answer, by the rule that asks."""
        return BadAnswer(self.name, because=because, rule=self.rule or ANSWERS, legal=legal)


class Chance(Question[T_co]):
    """A question that chance answers: every outcome has a whole-number weight."""

    __slots__ = ()

    @abstractmethod
    def outcomes(self) -> tuple[tuple[T_co, int], ...]:
        """What can happen, and in how many ways."""

    @property
    def left_out(self) -> int:
        """The ways that `outcomes` leaves out, because each is too unlikely to be looked at."""
        return 0

    @abstractmethod
    def at_random(self, below: Callable[[int], int]) -> Plain:
        """One answer, in plain form, from whole numbers drawn evenly from 0 up to a bound."""


class Choice(Question[T_co]):
    """A question a person answers."""

    __slots__ = ()
    default: T_co
    """The answer assumed for someone who is absent or does not care."""

    @property
    @abstractmethod
    def legal(self) -> Sequence[T_co]:
        """The answers to choose from, or those worth trying where the question is open."""


@final
@frozen
class Roll(Chance[R]):
    """Throw a pool of dice and read it, together with dice kept from an earlier throw."""

    name: Prompt
    who: Who[Any] | None = field(compare=False)
    pool: Pool
    reading: type[R]
    kept: R | None = None
    mods: Mods = field(default=(), compare=False)
    audience: Audience = field(default=Audience.EVERYONE, compare=False)
    rule: str = field(default="", compare=False)

    def outcomes(self) -> tuple[tuple[R, int], ...]:
        return _outcomes(self.reading, self.pool, self.kept)

    def at_random(self, below: Callable[[int], int]) -> Plain:
        return [thrown_pips(die.sides, count, die.again_pips, below) for die, count in self.pool.groups]

    @property
    def left_out(self) -> int:
        return self.pool.left_out

    @property
    def places(self) -> Table | None:
        """The dice on the table in their places, if some were kept: those that stay, and those that are thrown."""
        return None if self.kept is None else places(self.pool, self.kept)

    def read(self, plain: Plain, throw: int = 0) -> R:
        if isinstance(plain, self.reading):
            return plain
        try:
            pips = pips_of(self.pool, plain)
            fresh = self.reading.alone(self.pool, plain) if pips is None else self.reading.of(self.pool, pips)
        except BadInput as problem:
            raise self.bad(str(problem)) from None
        whole = fresh if self.kept is None else fresh.joined(self.kept)
        upon = self.kept.record if self.kept is not None else None
        return whole.at(Record(throw, pips, upon, fresh if pips is None else None, self.pool, self.kept))

    def write(self, answer: R) -> Plain:
        if answer.record is not None and answer.record.pips is not None:
            return [list(group) for group in answer.record.pips]
        alone = answer.record.alone if answer.record is not None else None
        return (alone or answer).to_plain()

    def __str__(self) -> str:
        return f"{self.name}: throw {self.pool}"


@lru_cache(maxsize=4096)
def _outcomes(reading: type[R], pool: Pool, kept: R | None) -> tuple[tuple[R, int], ...]:
    fresh = reading.outcomes(pool)
    return fresh if kept is None else tuple((each.joined(kept), weight) for each, weight in fresh)


@final
@frozen
class Draw(Chance[Card]):
    """Draw a card from the cards no one has seen; it goes to a named pile."""

    name: Prompt
    pile: Who[Pile]
    to: Who[Pile]
    cards: tuple[Card, ...] = ()
    """The cards it may be: those in the pile when it is asked."""
    who: Who[Any] | None = field(default=None, compare=False)
    audience: Audience = field(default=Audience.EVERYONE, compare=False)
    rule: str = field(default="", compare=False)
    mods: Mods = field(default=(), compare=False)

    def among(self, pile: Pile) -> Draw:
        """The question as it is asked at the table, with the cards of the pile."""
        if not pile:
            raise BadInput(self.pile.name, "the pile is empty; a rule must look before it draws")
        return replace(self, cards=pile.cards)

    def outcomes(self) -> tuple[tuple[Card, int], ...]:
        return tuple(Counter(self.cards).items())

    def at_random(self, below: Callable[[int], int]) -> Plain:
        return self.cards[below(len(self.cards))].to_plain()

    def read(self, plain: Plain) -> Card:
        if isinstance(plain, Card):
            return plain
        for card in self.cards:
            if str(plain).casefold() in (card.name.casefold(), str(card.to_plain()).casefold()):
                return card
        raise self.bad(f"{plain} is not among the {len(self.cards)} cards of {self.pile}")  # which ones is a secret

    def write(self, answer: Card) -> Plain:
        return answer.to_plain()

    def __str__(self) -> str:
        return f"{self.name}: draw from {self.pile} ({len(self.cards)} cards)"


@final
@frozen
class Barred(Generic[T]):
    """An option that is not legal now, and why."""

    option: T
    why: Refused


class Options(Sequence[T_co]):
    """Options that are worked out when someone looks at them; otherwise like a tuple, to which they compare."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, (tuple, Options)) and tuple(self) == tuple(other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@final
@frozen
class OptionCost:
    """What an option costs: so many of something, by the key of its words under `costs`."""

    amount: int
    what: str


@final
@frozen
class Choose(Choice[T]):
    """Ask a person to pick one of the legal options."""

    name: Prompt
    who: Who[Any] | None
    options: Sequence[T]
    default: T
    barred: tuple[Barred[Any], ...] = field(default=(), compare=False)
    about: Any = field(default=None, compare=False)
    """What the choice is about, for people and policies: the throw to push, the attack to parry."""
    may_decline: bool = False
    """An offer: someone without a legal option is not asked at all."""
    reaction: bool = False
    """A reaction during someone else's step; the others see only that it is being resolved."""
    audience: Audience = field(default=Audience.EVERYONE, compare=False)
    rule: str = field(default="", compare=False)
    options_for: Audience = field(default=Audience.EVERYONE, compare=False)
    """Who may know the options; others may know only that it is being chosen."""
    costs: tuple[tuple[T, OptionCost], ...] = field(default=(), compare=False)
    """What options cost, as far as it is declared."""

    def cost(self, option: object) -> OptionCost | None:
        return next((cost for each, cost in self.costs if each == option), None)

    def price(self, option: object) -> int:
        """How dear an option is among those of this question. To decline an offer is always the cheapest."""
        cost = self.cost(option)
        return cost.amount if cost is not None else int(self.may_decline and option is not None)

    @property
    def legal(self) -> Sequence[T]:
        return self.options

    @property
    def is_no_choice(self) -> bool:
        """Whether no one is asked, because there is one answer.

        Where the options are not for everyone, it is asked unless there is nothing to choose: who is asked must not
        depend on what is legal, and everyone is told the answer.
        """
        is_one = len(tuple(islice(self.options, 2))) == 1
        if not is_one or self.options_for is Audience.EVERYONE:
            return is_one
        return self.options[0] is None and not self.barred

    def offers(self, answer: object) -> bool:
        """Whether an answer is one of the options, as far as they are known."""
        if isinstance(self.options, Options):
            return answer in self.options
        return any(answer is option for option in self.options) or answer in self.options

    def read(self, plain: Plain) -> T:
        wanted = key_of(plain).casefold()
        for option in self.options:
            if wanted in (key_of(option).casefold(), str(option).casefold()):
                return option
        wanted = spoken(wanted)
        for option in self.options:
            if wanted == spoken(key_of(option)):
                return option
        for barred in self.barred:
            if wanted in (spoken(key_of(barred.option)), spoken(str(barred.option))):
                raise BarredAnswer(
                    self.name, because=barred.why.because, rule=barred.why.rule, legal=map(key_of, self.options)
                )
        if wanted == key_of(True) and self.may_decline:
            offered = [option for option in self.options if option is not None]
            if len(offered) == 1:
                return offered[0]
        raise self.bad(f"{key_of(plain)!r} is not an option", map(key_of, self.options))

    def write(self, answer: T) -> Plain:
        return key_of(answer)

    def __str__(self) -> str:
        return f"{self.name}: {self.who or 'the game master'} chooses {' / '.join(map(key_of, self.options))}"


@final
@frozen
class Ruling(Choice[T]):
    """The game master sets what the book leaves open; the default is the reading we chose."""

    name: Prompt
    default: T
    options: tuple[T, ...] = ()
    low: int | None = None
    high: int | None = None
    audience: Audience = field(default=Audience.EVERYONE, compare=False)
    who: Who[Any] | None = None
    rule: str = field(default="", compare=False)

    @property
    def legal(self) -> Sequence[T]:
        return self.options or (self.default,)

    def read(self, plain: Plain) -> T:
        if self.options:
            wanted = key_of(plain).casefold()
            for option in self.options:
                if key_of(option).casefold() == wanted:
                    return option
            raise self.bad(f"{key_of(plain)!r} is not an option", map(key_of, self.options))
        return cast(T, self._number(plain) if isinstance(self.default, int) else plain)

    def _number(self, plain: Plain) -> int:
        number = int(plain) if isinstance(plain, str) and is_number(plain) else plain
        if type(number) is not int:
            raise self.bad(f"must be a whole number, not {plain!r}")
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise self.bad(f"{number} is out of bounds", (f"{self.low} to {self.high}",))
        return number

    def write(self, answer: T) -> Plain:
        return key_of(answer) if self.options else answer

    def __str__(self) -> str:
        return f"{self.name}: the game master rules (default {key_of(self.default)})"


_YES: Final = {True: "yes", False: "no", None: "no"}


def key_of(option: object) -> str:
    """The key by which an option is chosen, logged and worded."""
    if option is None or isinstance(option, bool):
        return _YES[option]
    if isinstance(option, Enum):
        return str(option.value)
    if isinstance(option, (tuple, list)):
        return " ".join(map(key_of, option)) if option else "none"
    if isinstance(option, Card):
        return str(option.to_plain())
    return str(getattr(option, "key", option))


def is_hidden(question: Question[Any]) -> bool:
    """Whether the viewer does not know what there is to choose from: the cards of someone else's hand."""
    return isinstance(question, Choose) and any(isinstance(option, Unknown) for option in question.options)


def asked_by(question: Q, rule: str) -> Q:
    """A question as a rule asks it. It is marked in place: a rule makes a new question each time it asks."""
    if question.rule and question.rule != rule:  # unless it keeps one and asks it again
        question = copy(question)
    object.__setattr__(question, "rule", rule)
    return question


def described(question: Question[Any]) -> dict[str, Plain]:
    """A question as plain data: who is asked, with which dice or options, and why others are barred."""
    plain: dict[str, Plain] = {
        "prompt": str(question.name),
        "who": question.who.name if question.who else "game master",
        "audience": question.audience.value,
    }
    if question.rule:
        plain["rule"] = question.rule
    if isinstance(question, Roll):
        plain |= {"dice": question.pool.to_plain()}
    if isinstance(question, Draw):
        plain |= {"pile": question.pile.name, "to": question.to.name, "cards": len(question.cards)}
    if isinstance(question, (Roll, Draw)):
        plain |= {"mods": [mod.to_plain() for mod in question.mods]}
    if isinstance(question, Choose):
        plain |= {"options": [key_of(option) for option in question.options], "reaction": question.reaction}
        plain |= {"barred": {key_of(each.option): each.why.rule for each in question.barred}}
    if isinstance(question, Ruling):
        plain |= {"default": key_of(question.default), "options": [key_of(option) for option in question.options]}
    return plain
