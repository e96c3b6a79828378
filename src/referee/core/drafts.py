"""Drafts: a character in the making, and what its player may choose, pays, still lacks and may not have.

A system declares its creation once: steps of fields, each with its options, prices and reasons. All of these are pure
functions of the draft and the rulebook, so the same declaration serves forms, commands and chance: a random character
is the same steps answered at random. Advancement is declared the same way, upon a sheet that exists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, final

from referee.core.dice import Pool, thrown_pips
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, read, unknown
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State
from referee.core.trace import note

T = TypeVar("T")

Price: TypeAlias = int | Fraction
LONGEST_TEXT: Final = 2_000
LONGEST_ENTRY: Final = 60
MOST_ENTRIES: Final = 60
"""How many entries a field may have if its declaration does not say."""
MOST_TRIES: Final = 40
"""How often chance starts again before it gives up."""
MOST_POINTS: Final = 10_000
HOUSE: Final = "referee.table.drafts"
"""The rule that is named where no rule of the game applies."""


class Reason(NamedTuple):
    """Why something is barred, and by which rule."""

    because: str
    rule: str


@final
@dataclass(frozen=True, slots=True)
class Draft:
    """What has been answered so far, by field; for advancement, also the sheet as it was. Every change is a new one."""

    answers: Mapping[str, Plain] = field(default_factory=dict)
    sheet: Any = None

    def one(self, field: str) -> str:
        """What was picked or written; empty if nothing was."""
        return str(self.answers.get(field) or "")

    def several(self, field: str) -> tuple[str, ...]:
        """Everything that was picked."""
        return tuple(self.answers.get(field) or ())

    def level(self, field: str, name: str, start: int = 0) -> int:
        """The level of one part of a spread; `start` if it was never touched."""
        return int((self.answers.get(field) or {}).get(name, start))

    def dice(self, field: str) -> tuple[int, ...]:
        """The pips of a throw; none if it has not been made."""
        return tuple(pip for group in self.answers.get(field) or () for pip in group)

    def but(self, field: str, answer: Plain) -> Draft:
        """The same draft with one answer changed; None takes it away."""
        left = {key: value for key, value in self.answers.items() if key != field}
        return replace(self, answers=left if answer is None else {**left, field: answer})


Reads: TypeAlias = Callable[[Scene, Draft], T]
"""A function of the draft. Its scene holds the rulebook and nothing else."""


def _never(scene: Scene, draft: Draft) -> Reason | None:
    return None


def _level_is_price(level: int) -> Price:
    return level


# --- the declaration --------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class DraftOption:
    """Something to pick: its price, and why it may not be picked."""

    name: str
    price: Price = 0
    barred: Reason | None = None
    says: str = ""
    group: str = ""
    weight: int = 1
    """How likely it is at random, against the other options."""


@final
@dataclass(frozen=True)
class Part:
    """One of the levels that points are spread over."""

    name: str
    least: int = 0
    most: int | None = None
    why: Reason | None = None
    """The reason for its bounds: "needs Driving 2"."""
    price: Callable[[int], Price] = _level_is_price
    """What a level costs in all."""
    start: int | None = None
    """The level before anyone has touched it; if None, the least."""
    says: str = ""
    group: str = ""

    @property
    def begins(self) -> int:
        return self.least if self.start is None else self.start


@dataclass(frozen=True)
class DraftField(ABC):
    """Something to answer."""

    kind = "field"

    key: str
    rule: str = field(default=HOUSE, kw_only=True)
    """The rule behind it; refusals name it where no narrower reason does."""
    budget: str = field(default="", kw_only=True)
    """The budget its prices come from."""
    when: Reads[Reason | None] = field(default=_never, kw_only=True)
    """Why it cannot be answered now; None if it can."""
    chance: Callable[[Scene, Draft, Random], Plain] | None = field(default=None, kw_only=True)
    """How chance answers it, where an even choice among what is legal would not do."""

    @abstractmethod
    def read(self, plain: Plain, before: Plain) -> Plain:
        """An answer in its stored form; `before` is the answer so far."""


@final
@dataclass(frozen=True)
class PickOne(DraftField):
    """One of several options."""

    kind = "pick-one"

    options: Reads[Iterable[DraftOption]]
    optional: bool = False

    def read(self, plain: Plain, before: Plain) -> Plain:
        return _text(plain, LONGEST_ENTRY * 2)


@final
@dataclass(frozen=True)
class PickSeveral(DraftField):
    """Some of several options, each at most once."""

    kind = "pick-several"

    options: Reads[Iterable[DraftOption]]
    least: int | Reads[int] = 0
    most: int | Reads[int] = MOST_ENTRIES
    own: Price | None = None
    """What an entry in one's own words costs; None if there are none."""

    def read(self, plain: Plain, before: Plain) -> Plain:
        given: tuple[str, ...] = read(tuple[str, ...], plain)
        names = [_text(each, LONGEST_ENTRY * 2) for each in given]
        if len(set(names)) < len(names):
            raise BadInput(self.key, "each only once")
        return names


@final
@dataclass(frozen=True)
class SpreadPoints(DraftField):
    """Levels of several parts, usually paid for from a budget."""

    kind = "spread-points"

    parts: Reads[Iterable[Part]]

    def read(self, plain: Plain, before: Plain) -> Plain:
        given: dict[str, int] = read(dict[str, int], plain)
        for name, level in given.items():
            if abs(level) > MOST_POINTS:
                raise BadInput(name, f"{level} is out of range")
        return {**(before or {}), **given}


@final
@dataclass(frozen=True)
class WriteText(DraftField):
    """Something in the player's own words."""

    kind = "write-text"

    longest: int = 200
    optional: bool = False

    def read(self, plain: Plain, before: Plain) -> Plain:
        return _text(plain, min(self.longest, LONGEST_TEXT), lines=self.longest > LONGEST_ENTRY) or None


@final
@dataclass(frozen=True)
class RollDice(DraftField):
    """A throw of the table's dice, made once and kept."""

    kind = "roll-dice"

    dice: Reads[Pool]
    fixes: tuple[str, ...] = ()
    """Fields that cannot be changed once the dice have been seen, because the throw depends on them."""

    def read(self, plain: Plain, before: Plain) -> Plain:
        raise BadInput(self.key, "is rolled, not set")


def _text(plain: Plain, longest: int, *, lines: bool = False) -> str:
    text: str = read(str, plain)
    text = text.strip()
    if len(text) > longest:
        raise BadInput("", f"must be at most {longest} characters")
    if not (text.replace("\n", "") if lines else text).isprintable():
        raise BadInput("", "must be printable characters")
    return text


NAME: Final = WriteText("name", LONGEST_ENTRY)
"""The name of the character. A creation that places it in none of its steps asks for it at the end."""


@final
@dataclass(frozen=True)
class DraftBudget:
    """Points to spend."""

    key: str
    amount: Reads[Price]
    rule: str
    exact: bool = True
    """Whether all of them must be spent."""


@final
@dataclass(frozen=True)
class DraftStep:
    """Fields that are answered together."""

    key: str
    fields: tuple[DraftField, ...] | Reads[tuple[DraftField, ...]]
    when: Reads[Reason | None] = _never
    """Why the step cannot be taken yet; None if it can."""


class Lack(NamedTuple):
    """Something that stands between a draft and its end."""

    step: str
    key: str
    """The field or budget."""
    because: str
    rule: str


@final
@dataclass(frozen=True)
class Creation:
    """How a character is built (or advanced): steps, budgets, and the sheet that comes of it."""

    steps: tuple[DraftStep, ...]
    finish: Reads[Any]
    """The sheet of a draft that lacks nothing."""
    budgets: tuple[DraftBudget, ...] = ()
    templates: Callable[[Scene], Mapping[str, Mapping[str, Plain]]] = lambda scene: {}
    """Ready answers to start from, by name."""
    check: Reads[Iterable[Lack]] = lambda scene, draft: ()
    """What is wrong with the draft as a whole, beyond its single fields."""

    def form(self, book: Book, draft: Draft) -> DraftForm:
        return DraftForm(self, book, draft)

    def at_random(self, book: Book, random: Random) -> Any:
        """A random legal sheet: the same steps answered by chance. Its texts are empty."""
        form = self.form(book, Draft())
        draft = form.filled(random, lambda _, pool: thrown_by(random.randrange, pool))
        return self.finish(form.scene, draft)


# --- a draft as it stands ---------------------------------------------------------------------------------------------


class OptionState(NamedTuple):
    """An option as it stands: whether it is chosen, and why it may not be chosen now."""

    option: DraftOption
    chosen: bool
    barred: Reason | None


class PartState(NamedTuple):
    """A part of a spread as it stands; `more` and `less` say why it cannot be raised or lowered by one."""

    part: Part
    level: int
    costs: Price
    """What one more would cost."""
    more: Reason | None
    less: Reason | None


@final
@dataclass(frozen=True)
class FieldState:
    """A field as it stands."""

    field: DraftField
    answer: Plain
    barred: Reason | None
    missing: str
    """What is still to do; empty if nothing is."""
    problems: tuple[Reason, ...] = ()
    """What was answered earlier and is not legal any more."""
    options: tuple[OptionState, ...] = ()
    parts: tuple[PartState, ...] = ()
    least: int = 0
    most: int = 0
    dice: Pool | None = None


@final
@dataclass(frozen=True)
class BudgetState:
    """A budget as it stands."""

    budget: DraftBudget
    total: Price
    spent: Price

    @property
    def left(self) -> Price:
        return self.total - self.spent


@final
@dataclass(frozen=True)
class StepState:
    """A step as it stands."""

    key: str
    fields: tuple[FieldState, ...]
    budgets: tuple[BudgetState, ...]
    barred: Reason | None
    lacks: tuple[Lack, ...]


@final
class DraftForm:
    """A draft laid out by its declaration: options, prices, what is spent, left, missing and barred, and why."""

    def __init__(self, creation: Creation, book: Book, draft: Draft) -> None:
        self.creation = creation
        self.book = book
        self.draft = draft
        self.scene = Scene(State({BOOK.name: book}))

    def at(self, draft: Draft) -> DraftForm:
        """The same form for another draft."""
        return DraftForm(self.creation, self.book, draft)

    # The declaration, as far as it depends on the draft.

    @cached_property
    def steps(self) -> tuple[tuple[DraftStep, tuple[DraftField, ...]], ...]:
        """The steps, each with its fields."""
        found = [(step, self._fields_of(step)) for step in self.creation.steps]
        keys = [each.key for _, fields in found for each in fields]
        if NAME.key not in keys and self.draft.sheet is None:
            found.append((DraftStep(NAME.key, (NAME,)), (NAME,)))
        if len(set(keys)) < len(keys):
            raise TypeError(f"two fields of a draft have one key: {keys}")
        return tuple(found)

    @cached_property
    def fields(self) -> dict[str, DraftField]:
        return {each.key: each for _, fields in self.steps for each in fields}

    @cached_property
    def _step_of(self) -> dict[str, DraftStep]:
        return {each.key: step for step, fields in self.steps for each in fields}

    def _fields_of(self, step: DraftStep) -> tuple[DraftField, ...]:
        return step.fields(self.scene, self.draft) if callable(step.fields) else step.fields

    def field(self, key: str) -> DraftField:
        if key not in self.fields:
            raise BadInput("field", unknown(key, tuple(self.fields)))
        return self.fields[key]

    @cached_property
    def _options(self) -> dict[str, dict[str, DraftOption]]:
        picks = (each for each in self.fields.values() if isinstance(each, (PickOne, PickSeveral)))
        return {each.key: {one.name: one for one in each.options(self.scene, self.draft)} for each in picks}

    @cached_property
    def _parts(self) -> dict[str, dict[str, Part]]:
        spreads = (each for each in self.fields.values() if isinstance(each, SpreadPoints))
        return {each.key: {one.name: one for one in each.parts(self.scene, self.draft)} for each in spreads}

    def options(self, key: str) -> Mapping[str, DraftOption]:
        """The options of a field, by name."""
        return self._options[key]

    def parts(self, key: str) -> Mapping[str, Part]:
        """The parts of a spread, by name."""
        return self._parts[key]

    def level(self, key: str, name: str) -> int:
        """The level of a part as it stands."""
        return self.draft.level(key, name, self._parts[key][name].begins)

    def levels(self, key: str) -> dict[str, int]:
        """Every level of a spread as it stands."""
        return {name: self.level(key, name) for name in self._parts[key]}

    # Budgets.

    def budget(self, key: str) -> BudgetState:
        for each in self.creation.budgets:
            if each.key == key:
                fields = [one for one in self.fields.values() if one.budget == key]
                spent = sum((self._price(one) for one in fields), start=Fraction(0))
                total = each.amount(self.scene, self.draft)
                return BudgetState(each, total, int(spent) if spent.denominator == 1 else spent)
        raise TypeError(f"a field of the draft is paid from {key}, which is no budget")

    @cached_property
    def budgets(self) -> tuple[BudgetState, ...]:
        return tuple(self.budget(each.key) for each in self.creation.budgets)

    def _price(self, field: DraftField) -> Price:
        """What the answer to a field costs."""
        answer = self.draft.answers.get(field.key)
        match field:
            case PickOne():
                found = self._options[field.key].get(str(answer))
                return found.price if found else 0
            case PickSeveral():
                known = self._options[field.key]
                return sum(known[each].price if each in known else field.own or 0 for each in answer or ())
            case SpreadPoints():
                return sum(part.price(self.level(field.key, name)) for name, part in self._parts[field.key].items())
            case _:
                return 0

    # What stands.

    def barred_in(self, key: str) -> dict[str, str]:
        """The options or parts of a field that cannot be chosen or raised now, and why."""
        state = self.state(key)
        options = {each.option.name: each.barred.because for each in state.options if each.barred}
        return options or {each.part.name: each.more.because for each in state.parts if each.more}

    def barred(self, key: str) -> Reason | None:
        """Why a field cannot be answered or changed now."""
        found, step = self.fields[key], self._step_of[key]
        fixed = (each for each in self.fields.values() if isinstance(each, RollDice) and key in each.fixes)
        for throw in fixed:
            if self.draft.dice(throw.key):
                return Reason(f"the dice for {throw.key} have been thrown", throw.rule)
        return step.when(self.scene, self.draft) or found.when(self.scene, self.draft)

    def state(self, key: str) -> FieldState:
        """A field as it stands, with everything that may be chosen and why not the rest."""
        found = self.field(key)
        barred = self.barred(key)
        lack = "" if barred else self._missing(found)
        state = FieldState(found, self.draft.answers.get(key), barred, lack, tuple(self._problems(found)))
        match found:
            case PickOne():
                return replace(state, options=tuple(self._option_states(found)))
            case PickSeveral():
                least, most = self._bounds(found)
                return replace(state, options=tuple(self._option_states(found)), least=least, most=most)
            case SpreadPoints():
                return replace(state, parts=tuple(self._part_states(found)))
            case RollDice():
                return replace(state, dice=found.dice(self.scene, self.draft))
            case _:
                return state

    @cached_property
    def laid_out(self) -> tuple[StepState, ...]:
        """Every step as it stands."""
        return tuple(
            StepState(
                step.key,
                tuple(self.state(each.key) for each in fields),
                tuple(self.budget(key) for key in dict.fromkeys(each.budget for each in fields if each.budget)),
                step.when(self.scene, self.draft),
                tuple(each for each in self.lacks if each.step == step.key),
            )
            for step, fields in self.steps
        )

    @cached_property
    def lacks(self) -> tuple[Lack, ...]:
        """Everything that stands between the draft and its end."""
        return tuple(self._lacks())

    def _lacks(self) -> Iterator[Lack]:
        paid: set[str] = set()
        for step, fields in self.steps:
            for each in fields:
                if not self.barred(each.key) and (lack := self._missing(each)):
                    yield Lack(step.key, each.key, lack, each.rule)
                for because, rule in self._problems(each):
                    yield Lack(step.key, each.key, because, rule)
            for key in dict.fromkeys(each.budget for each in fields if each.budget):
                if key not in paid:
                    yield from self._unbalanced(step, self.budget(key))
                    paid.add(key)
        yield from self.creation.check(self.scene, self.draft)

    def _unbalanced(self, step: DraftStep, state: BudgetState) -> Iterator[Lack]:
        if state.left < 0:
            yield Lack(step.key, state.budget.key, f"{spelled(-state.left)} too many spent", state.budget.rule)
        elif state.left > 0 and state.budget.exact:
            yield Lack(step.key, state.budget.key, f"{spelled(state.left)} left to spend", state.budget.rule)

    def _missing(self, field: DraftField) -> str:
        answer = self.draft.answers.get(field.key)
        match field:
            case PickOne(optional=False) if not answer:
                return "choose one"
            case PickSeveral() if (short := self._bounds(field)[0] - len(answer or ())) > 0:
                return f"choose {short} more" if answer else f"choose {short}"
            case WriteText(optional=False) if not answer:
                return "write something"
            case RollDice() if not answer:
                return "roll the dice"
            case _:
                return ""

    def _problems(self, field: DraftField) -> Iterator[Reason]:
        """What was legal when it was answered, and is not any more."""
        answer = self.draft.answers.get(field.key)
        if answer is None:
            return
        match field:
            case PickOne():
                yield from self._unfit(field, [answer])
            case PickSeveral():
                yield from self._unfit(field, answer)
                most = self._bounds(field)[1]
                if len(answer) > most:
                    yield Reason(f"{len(answer) - most} too many; at most {most}", field.rule)
            case SpreadPoints():
                for name in answer:
                    if name not in self._parts[field.key]:
                        yield Reason(f"{name} is not on offer", field.rule)
                for name, part in self._parts[field.key].items():
                    if (why := out_of_bounds(field, part, self.level(field.key, name))) is not None:
                        yield why
            case _:
                return

    def _unfit(self, field: PickOne | PickSeveral, names: Iterable[str]) -> Iterator[Reason]:
        for name in names:
            option = self._options[field.key].get(name)
            if option is not None and option.barred is not None:
                yield Reason(f"{name}: {option.barred.because}", option.barred.rule)
            elif option is None and not (isinstance(field, PickSeveral) and field.own is not None):
                yield Reason(f"{name} is not on offer", field.rule)

    def _bounds(self, field: PickSeveral) -> tuple[int, int]:
        least, most = (each(self.scene, self.draft) if callable(each) else each for each in (field.least, field.most))
        return least, most

    def _option_states(self, field: PickOne | PickSeveral) -> Iterator[OptionState]:
        answer = self.draft.answers.get(field.key)
        chosen = () if answer is None else (answer,) if isinstance(field, PickOne) else tuple(answer)
        for option in self._options[field.key].values():
            barred = None if option.name in chosen else option.barred or self._unaffordable(field, option)
            if barred is None and isinstance(field, PickSeveral) and option.name not in chosen:
                most = self._bounds(field)[1]
                barred = at_most(field, most) if len(chosen) >= most else None
            yield OptionState(option, option.name in chosen, barred)

    def _unaffordable(self, field: PickOne | PickSeveral, option: DraftOption) -> Reason | None:
        if not field.budget or option.price <= 0:
            return None
        state = self.budget(field.budget)
        left = state.left + (self._price(field) if isinstance(field, PickOne) else 0)
        return (
            Reason(f"costs {spelled(option.price)}, {left_words(left)}", state.budget.rule)
            if (option.price > left)
            else None
        )

    def _part_states(self, field: SpreadPoints) -> Iterator[PartState]:
        state = self.budget(field.budget) if field.budget else None
        for name, part in self._parts[field.key].items():
            level = self.level(field.key, name)
            costs = part.price(level + 1) - part.price(level)
            more = out_of_bounds(field, part, level + 1) if part.most is not None and level >= part.most else None
            if more is None and state is not None and costs > max(state.left, 0):
                more = Reason(f"costs {spelled(costs)}, {left_words(state.left)}", state.budget.rule)
            less = out_of_bounds(field, part, level - 1) if level <= part.least else None
            yield PartState(part, level, costs, more, less)

    # Changing it.

    def answered(self, key: str, plain: Plain, part: str | None = None) -> Draft:
        """The draft with one field answered; `part` names one level of a spread, None takes the answer back.

        What is illegal now is refused, by its rule. An earlier answer that becomes illegal stays, and is told.
        """
        found = self.field(key)
        before = self.draft.answers.get(key)
        if isinstance(found, RollDice):
            raise BadInput(key, "is rolled, not set")
        if (why := self.barred(key)) is not None:
            raise Refused(key, because=why.because, rule=why.rule)
        if part is not None:
            if not isinstance(found, SpreadPoints):
                raise BadInput(key, "has no parts")
            plain = {part: plain}
        try:
            answer = None if plain is None else found.read(plain, before)
        except BadInput as problem:
            raise problem.within(key) if problem.where != key else problem from None
        answer = None if answer == [] else answer
        self._check_new(found, answer, before)
        draft = self.draft.but(key, answer)
        if found.budget:
            self._check_paid(found, draft)
        return draft

    def _check_new(self, field: DraftField, answer: Plain, before: Plain) -> None:
        """Refuse what is newly answered and not legal; what was there before may stay."""
        match field:
            case PickOne() if answer is not None and answer != before:
                self._check_option(field, answer)
            case PickSeveral() if answer is not None:
                new = [each for each in answer if each not in (before or ())]
                for each in new:
                    self._check_option(field, each)
                most = self._bounds(field)[1]
                if new and len(answer) > most:
                    raise Refused(field.key, because=at_most(field, most).because, rule=field.rule)
            case SpreadPoints() if answer is not None:
                for name, level in answer.items():
                    self._check_level(field, name, level)
            case _:
                return

    def _check_option(self, field: PickOne | PickSeveral, name: str) -> None:
        option = self._options[field.key].get(name)
        if option is not None and option.barred is not None:
            legal = tuple(each.name for each in self._options[field.key].values() if each.barred is None)
            raise Refused(name, because=option.barred.because, rule=option.barred.rule, legal=legal[:40])
        if option is None:
            if isinstance(field, PickSeveral) and field.own is not None and 0 < len(name) <= LONGEST_ENTRY:
                return
            raise BadInput(field.key, unknown(name, tuple(self._options[field.key])))

    def _check_level(self, field: SpreadPoints, name: str, level: int) -> None:
        parts = self._parts[field.key]
        if name not in parts:
            if name in (self.draft.answers.get(field.key) or {}):
                return  # it was on offer once; it is told as a problem
            raise BadInput(field.key, unknown(name, tuple(parts)))
        before = self.level(field.key, name)
        why = out_of_bounds(field, parts[name], level)
        is_worse = level > before if level > parts[name].least else level < before
        if why is not None and is_worse:
            raise Refused(name, because=why.because, rule=why.rule, legal=bounds_in_words(parts[name]))

    def _check_paid(self, field: DraftField, draft: Draft) -> None:
        now, then = self.budget(field.budget), self.at(draft).budget(field.budget)
        if then.left < 0 and then.left < now.left:
            because = f"{spelled(then.spent - now.spent)} more to pay, {left_words(now.left)}"
            raise Refused(field.key, because=because, rule=then.budget.rule)

    def throw(self, key: str) -> tuple[RollDice, Pool]:
        """A field that is to be rolled, and its dice; refused if they have been thrown, or cannot be yet."""
        found = self.field(key)
        if not isinstance(found, RollDice):
            raise BadInput(key, "is not rolled")
        if self.draft.dice(key):
            raise Refused(key, because="the dice have been thrown; they are kept", rule=found.rule)
        if (why := self.barred(key)) is not None:
            raise Refused(key, because=why.because, rule=why.rule)
        return found, found.dice(self.scene, self.draft)

    def templates(self) -> Mapping[str, Mapping[str, Plain]]:
        return self.creation.templates(self.scene)

    def from_template(self, name: str) -> Draft:
        """The draft with the answers of a template; other answers stay."""
        known = self.templates()
        if name not in known:
            raise BadInput("template", unknown(name, tuple(known)))
        return self.from_answers(known[name])

    def from_answers(self, answers: Mapping[str, Plain]) -> Draft:
        """The draft with several answers, each checked as if it were given by itself, in the order of the steps."""
        form, left = self, dict(answers)
        while (key := next((each for each in form.fields if each in left), None)) is not None:
            form = form.at(form.answered(key, left.pop(key)))
        for key in left:
            form.field(key)
        return form.draft

    def finished(self) -> Any:
        """The sheet; refused, with everything that is missing, if anything is."""
        if self.lacks:
            said = "; ".join(f"{each.key}: {each.because}" for each in self.lacks[:6])
            rules = [each.rule for each in self.lacks]
            rule = next((each for each in rules if each != HOUSE), HOUSE)
            raise Refused("finish", because=said, rule=rule)
        note(*(each.rule for each in self.fields.values()), *(each.rule for each in self.creation.budgets))
        return self.creation.finish(self.scene, self.draft)

    # For programs.

    def to_plain(self) -> dict[str, Plain]:
        """Everything a screen or a program needs to know of it."""
        return {
            "lacks": [each._asdict() for each in self.lacks],
            "budgets": [_plain_budget(each) for each in self.budgets],
            "steps": [
                {
                    "key": step.key,
                    "barred": _plain_reason(step.barred),
                    "fields": [_plain_field(each) for each in step.fields],
                }
                for step in self.laid_out
            ],
            "templates": list(self.templates()),
        }

    # By chance.

    def filled(self, random: Random, throw: Callable[[RollDice, Pool], Plain], step: str = "") -> Draft:
        """The draft with everything that is missing (in one step, or in all) answered by chance.

        Dice are thrown by `throw`, once each. Texts without a `chance` of their own stay missing.
        """
        if step and step not in {each.key for each, _ in self.steps}:
            raise BadInput("step", unknown(step, tuple(each.key for each, _ in self.steps)))
        start, last = self, Reason("", HOUSE)
        for _ in range(MOST_TRIES):
            attempt = _Chance(start, random, throw, step)
            try:
                return attempt.go()
            except Refused as why:
                last = Reason(why.because, why.rule)
            start = self.at(attempt.kept(start.draft))
        raise Refused("fill", because=f"chance found no legal way: {last.because}", rule=last.rule)


@final
class _Chance:
    """One attempt to complete a draft by chance."""

    def __init__(self, form: DraftForm, random: Random, throw: Callable[[RollDice, Pool], Plain], step: str) -> None:
        self.form = form
        self.random = random
        self.throw = throw
        self.step = step
        self.thrown: list[RollDice] = []

    def go(self) -> Draft:
        done: set[str] = set()
        while (field := self._next(done)) is not None:
            done.add(field.key)
            self._answer(field)
        lacks = [each for each in self.form.lacks if self.step in ("", each.step) and not self._is_left(each)]
        if lacks:
            raise Refused("fill", because=lacks[0].because, rule=lacks[0].rule)
        return self.form.draft

    def kept(self, draft: Draft) -> Draft:
        """A draft to start from again: dice that have been thrown stay, with what they fix."""
        for throw in self.thrown:
            for key in (*throw.fixes, throw.key):
                draft = draft.but(key, self.form.draft.answers.get(key))
        return draft

    def _next(self, done: set[str]) -> DraftField | None:
        for step, fields in self.form.steps:
            if self.step in ("", step.key):
                for each in fields:
                    if each.key not in done and self.form.barred(each.key) is None:
                        return each
        return None

    def _is_left(self, lack: Lack) -> bool:
        """Whether it is a text, which chance does not write."""
        found = self.form.fields.get(lack.key)
        return isinstance(found, WriteText) and found.chance is None

    def _set(self, key: str, plain: Plain) -> None:
        self.form = self.form.at(self.form.answered(key, plain))

    def _answer(self, field: DraftField) -> None:
        answer = self.form.draft.answers.get(field.key)
        if field.chance is not None:
            if answer is None:
                self._set(field.key, field.chance(self.form.scene, self.form.draft, self.random))
            return
        match field:
            case RollDice() if answer is None:
                thrown = self.throw(*self.form.throw(field.key))
                self.form = self.form.at(self.form.draft.but(field.key, thrown))
                self.thrown.append(field)
            case PickOne(optional=False) if answer is None:
                self._set(field.key, self._pick(field))
            case PickSeveral():
                while self.form._missing(field):
                    self._set(field.key, [*self.form.draft.several(field.key), self._pick(field)])
            case SpreadPoints() if field.budget:
                while self._raise_one(field):
                    pass
            case _:
                return

    def _pick(self, field: PickOne | PickSeveral) -> str:
        free = [each.option for each in self.form._option_states(field) if not each.barred and not each.chosen]
        if not free:
            raise Refused(field.key, because="nothing legal is left to choose", rule=field.rule)
        return self.random.choices(free, [each.weight for each in free])[0].name

    def _raise_one(self, field: SpreadPoints) -> bool:
        """Raise a part by one, if one can be raised; whether it was."""
        free = [each for each in self.form._part_states(field) if each.more is None]
        if not free or self.form.budget(field.budget).left <= 0:
            return False
        chosen = self.random.choice(free)
        self._set(field.key, {chosen.part.name: chosen.level + 1})
        return True


def thrown_by(below: Callable[[int], int], pool: Pool) -> Plain:
    """The pips of a throw, by groups; `below` gives a number from 0 up to a bound."""
    return [thrown_pips(die.sides, count, die.again_pips, below) for die, count in pool.groups]


def _plain_reason(why: Reason | None) -> Plain:
    return None if why is None else why._asdict()


def write_price(price: Price) -> Plain:
    """A price as plain data."""
    return price if isinstance(price, int) else float(price)


def _plain_budget(state: BudgetState) -> Plain:
    amounts = {"total": state.total, "spent": state.spent, "left": state.left}
    plain = {name: write_price(price) for name, price in amounts.items()}
    return {"key": state.budget.key, **plain, "exact": state.budget.exact, "rule": state.budget.rule}


def _plain_field(state: FieldState) -> Plain:
    plain: dict[str, Plain] = {
        "key": state.field.key,
        "kind": state.field.kind,
        "rule": state.field.rule,
        "answer": state.answer,
        "barred": _plain_reason(state.barred),
        "missing": state.missing or None,
        "problems": [each._asdict() for each in state.problems],
    }
    if state.field.budget:
        plain["budget"] = state.field.budget
    if state.options:
        plain["options"] = [
            {
                "name": each.option.name,
                "price": write_price(each.option.price),
                "chosen": each.chosen,
                "barred": _plain_reason(each.barred),
                "says": each.option.says,
                "group": each.option.group,
            }
            for each in state.options
        ]
    if isinstance(state.field, PickSeveral):
        plain |= {"least": state.least, "most": state.most, "own": state.field.own is not None}
    if state.parts:
        plain["parts"] = [
            {
                "name": each.part.name,
                "level": each.level,
                "least": each.part.least,
                "most": each.part.most,
                "costs": write_price(each.costs),
                "more": _plain_reason(each.more),
                "less": _plain_reason(each.less),
                "says": each.part.says,
                "group": each.part.group,
            }
            for each in state.parts
        ]
    if state.dice is not None:
        plain["dice"] = [[die.sides, count] for die, count in state.dice.groups]
    return plain


def out_of_bounds(field: DraftField, part: Part, level: int) -> Reason | None:
    """Why a part cannot have a level."""
    if level >= part.least and (part.most is None or level <= part.most):
        return None
    return part.why or Reason(f"{level} is not {bounds_in_words(part)[0]}", field.rule)


def at_most(field: DraftField, most: int) -> Reason:
    """Why no more can be picked."""
    return Reason(f"at most {most}", field.rule)


def bounds_in_words(part: Part) -> tuple[str]:
    if part.most is None:
        return (f"{part.least} or more",)
    return (f"{part.least} to {part.most}",) if part.most > part.least else (f"{part.least}",)


def spelled(price: Price) -> str:
    """A price in words: 3, or 1 1/2."""
    whole, rest = divmod(Fraction(price), 1)
    return " ".join(([str(whole)] if whole or not rest else []) + ([str(rest)] if rest else []))


def left_words(left: Price) -> str:
    return f"{spelled(left)} left" if left > 0 else "nothing left"
