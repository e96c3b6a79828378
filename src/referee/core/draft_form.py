"""A draft laid out by its declaration: what may be chosen, is paid, is missing or barred, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, final

from referee.core.dice import Pool, pips_of
from referee.core.drafts import (
    HOUSE,
    LONGEST_ENTRY,
    NAME,
    Creation,
    Draft,
    DraftBudget,
    DraftField,
    DraftOption,
    DraftStep,
    Lack,
    Part,
    PickOne,
    PickSeveral,
    Price,
    Reason,
    RollDice,
    SpreadPoints,
    WriteText,
)
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, as_spelled, meant, unknown, write
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State
from referee.core.trace import note


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
    """What one more would cost; 0 where there is no more."""
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

    @property
    def is_done(self) -> bool:
        """Whether something is answered here, and nothing is missing."""
        return not self.lacks and self.barred is None and any(each.answer is not None for each in self.fields)


@final
class DraftForm:
    """A draft laid out by its declaration: options, prices, what is spent, left, missing and barred, and why."""

    def __init__(self, creation: Creation, book: Book, draft: Draft, known: State | None = None) -> None:
        self.creation = creation
        self.book = book
        self.draft = draft
        self.known = known
        self.scene = Scene(State({BOOK.name: book}) if known is None else known.but(BOOK.name, book))
        self._budgets: dict[str, BudgetState] = {}
        self._other: DraftForm | None = None

    def at(self, draft: Draft) -> DraftForm:
        """The same form for another draft; for the one asked about last, that very form."""
        if self._other is None or self._other.draft is not draft:
            self._other = DraftForm(self.creation, self.book, draft, self.known)
        return self._other

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
        if (found := self.fields.get(key) or self.fields.get(as_spelled(key, self.fields))) is None:
            raise BadInput("field", unknown(key, tuple(self.fields)))
        return found

    @cached_property
    def _options(self) -> dict[str, dict[str, DraftOption]]:
        picks = (each for each in self.fields.values() if isinstance(each, (PickOne, PickSeveral)))
        return {each.key: {one.name: one for one in each.options(self.scene, self.draft)} for each in picks}

    @cached_property
    def _parts(self) -> _PartsOf:
        return _PartsOf(self)

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
        if key not in self._budgets:
            self._budgets[key] = self._budget(key)
        return self._budgets[key]

    def _budget(self, key: str) -> BudgetState:
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
        lack = "" if barred else self.missing(found)
        state = FieldState(found, self.draft.answers.get(key), barred, lack, tuple(self._problems(found)))
        match found:
            case PickOne():
                return replace(state, options=tuple(self.option_states(found)))
            case PickSeveral():
                least, most = self._bounds(found)
                return replace(state, options=tuple(self.option_states(found)), least=least, most=most)
            case SpreadPoints():
                return replace(state, parts=tuple(self.part_states(found)))
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
                if not self.barred(each.key) and (lack := self.missing(each)):
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

    @cached_property
    def unspent(self) -> tuple[BudgetState, ...]:
        """Points that are left, and need not be spent."""
        used = {each.budget for each in self.fields.values()}
        found = (self.budget(each.key) for each in self.creation.budgets if each.key in used)
        return tuple(each for each in found if each.left > 0 and each.budget.spare and not each.budget.exact)

    @cached_property
    def untouched(self) -> tuple[str, ...]:
        """Steps in which nothing was chosen, though it could be; what is only told is no choice."""
        return tuple(step.key for step, fields in self.steps if self._is_untouched(step, fields))

    def _is_untouched(self, step: DraftStep, fields: Iterable[DraftField]) -> bool:
        if step.when(self.scene, self.draft) is not None or any(each.key in self.draft.answers for each in fields):
            return False
        is_told = any(isinstance(each, WriteText) for each in fields)
        return not is_told and any(self._is_open(each) for each in fields)

    def _is_open(self, field: DraftField) -> bool:
        """Whether something can be chosen in a field."""
        if self.barred(field.key) is not None:
            return False
        match field:
            case SpreadPoints():
                return any(each.more is None for each in self.part_states(field))
            case PickOne() | PickSeveral():
                return any(each.barred is None for each in self.option_states(field))
            case _:
                return False

    def missing(self, field: DraftField) -> str:
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
            elif option is None and isinstance(field, PickSeveral) and field.own is not None:
                if (why := field.judge(self.scene, self.draft, name)) is not None:
                    yield Reason(f"{name}: {why.because}", why.rule)
            elif option is None:
                yield Reason(f"{name} is not on offer", field.rule)

    def _bounds(self, field: PickSeveral) -> tuple[int, int]:
        least, most = (each(self.scene, self.draft) if callable(each) else each for each in (field.least, field.most))
        return least, most

    def option_states(self, field: PickOne | PickSeveral) -> Iterator[OptionState]:
        answer = self.draft.answers.get(field.key)
        chosen = () if answer is None else (answer,) if isinstance(field, PickOne) else tuple(answer)
        full = (
            at_most(field, most)
            if isinstance(field, PickSeveral) and len(chosen) >= (most := self._bounds(field)[1])
            else None
        )
        for option in self._options[field.key].values():
            barred = None if option.name in chosen else option.barred or self._unaffordable(field, option) or full
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

    def part_states(self, field: SpreadPoints) -> Iterator[PartState]:
        state = self.budget(field.budget) if field.budget else None
        for name, part in self._parts[field.key].items():
            level = self.level(field.key, name)
            more = out_of_bounds(field, part, level + 1) if part.most is not None and level >= part.most else None
            costs = 0 if more is not None else part.price(level + 1) - part.price(level)
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
        key = found.key
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
            answer = None if plain is None else found.read(self._named(found, plain), before)
        except BadInput as problem:
            raise problem.within(key) if problem.where != key else problem from None
        answer = None if answer == [] else answer
        self._check_new(found, answer, before)
        draft = self.draft.but(key, answer)
        if found.budget:
            self._check_paid(found, draft)
        return draft

    def _named(self, field: DraftField, plain: Plain) -> Plain:
        """An answer with names as the options have them, however they are written; one number is of the only part."""
        match field:
            case PickOne() if isinstance(plain, str):
                return meant(plain, self._options[field.key]) or plain
            case PickSeveral() if isinstance(plain, (list, tuple)):
                return [meant(str(each), self._options[field.key]) or each for each in plain]
            case SpreadPoints() if isinstance(plain, Mapping):
                return {meant(str(name), self._parts[field.key]) or name: level for name, level in plain.items()}
            case SpreadPoints() if isinstance(plain, (list, tuple)):  # names alone: one of each
                return self._named(field, {str(name): 1 for name in plain})
            case SpreadPoints() if len(self._parts[field.key]) == 1 and isinstance(plain, (int, str)):
                return dict.fromkeys(self._parts[field.key], plain)
            case _:
                return plain

    def _check_new(self, field: DraftField, answer: Plain, before: Plain) -> None:
        """Refuse what is newly answered and not legal; what was there before may stay."""
        match field:
            case PickOne() if answer is not None and answer != before:
                self._check_option(field, answer)
            case PickSeveral() if answer is not None:
                new = [each for each in answer if each not in (before or ())]
                kept = [each for each in answer if each not in new]
                for at, each in enumerate(new):  # each as if it were picked after the others
                    earlier = self.at(self.draft.but(field.key, [*kept, *new[:at]])) if at else self
                    earlier._check_option(field, each)
                most = self._bounds(field)[1]
                if new and len(answer) > most:
                    raise Refused(field.key, because=at_most(field, most).because, rule=field.rule)
            case SpreadPoints() if answer is not None:
                new = [name for name, level in answer.items() if level != (before or {}).get(name)]
                after = self.at(self.draft.but(field.key, answer)) if len(new) > 1 else self
                for name in new:  # each as if the others were there already
                    self._check_level(field, name, answer[name], after._parts[field.key])
            case _:
                return

    def _check_option(self, field: PickOne | PickSeveral, name: str) -> None:
        option = self._options[field.key].get(name)
        if option is not None and option.barred is not None:
            legal = tuple(each.name for each in self._options[field.key].values() if each.barred is None)
            raise Refused(name, because=option.barred.because, rule=option.barred.rule, legal=legal[:40])
        if option is None:
            if isinstance(field, PickSeveral) and field.own is not None and 0 < len(name) <= LONGEST_ENTRY:
                if (why := field.judge(self.scene, self.draft, name)) is not None:
                    raise Refused(name, because=why.because, rule=why.rule)
                return
            raise BadInput(field.key, unknown(name, tuple(self._options[field.key])))

    def _check_level(self, field: SpreadPoints, name: str, level: int, parts: Mapping[str, Part]) -> None:
        if name not in parts:
            if name in (self.draft.answers.get(field.key) or {}):
                return  # it was on offer once; it is told as a problem
            if (why := field.judge(self.scene, self.draft, name)) is not None:
                raise Refused(name, because=why.because, rule=why.rule)
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

    def thrown(self, key: str, pips: Sequence[int]) -> Draft:
        """The draft with a throw that has been made."""
        return self.draft.but(key, write(pips_of(self.throw(key)[1], pips)))

    def templates(self) -> Mapping[str, Mapping[str, Plain]]:
        return self.creation.templates(self.scene)

    def from_template(self, name: str) -> Draft:
        """The draft with the answers of a template; other answers stay."""
        known = self.templates()
        if name not in known:
            raise BadInput("template", unknown(name, tuple(known)))
        return self.from_answers(known[name])

    def from_answers(
        self, answers: Mapping[str, Plain], dice: Mapping[str, Sequence[int]] = MappingProxyType({})
    ) -> Draft:
        """The draft with several answers and throws, each checked as if it were given by itself.

        They are given in the order of the steps; one that is refused waits for the others, which may pay for it.
        """
        form, waiting = self, dict[str, Refused]()
        left: dict[str, Plain] = {**self.creation.spelled(self.scene, dict(answers)), **dice}
        while (key := next((each for each in form.fields if each in left and each not in waiting), None)) is not None:
            try:
                form = form.at(form.thrown(key, dice[key]) if key in dice else form.answered(key, left[key]))
            except Refused as why:
                waiting[key] = why
            else:
                del left[key]
                waiting.clear()
        for refusal in waiting.values():
            raise refusal
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
            "unspent": [each.budget.key for each in self.unspent],
            "untouched": list(self.untouched),
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


class _PartsOf(dict[str, dict[str, Part]]):
    """The parts of the spreads of a form, each laid out when it is first asked for."""

    def __init__(self, form: DraftForm) -> None:
        super().__init__()
        self._form = form

    def __missing__(self, key: str) -> dict[str, Part]:
        field = self._form.fields[key]
        if not isinstance(field, SpreadPoints):
            raise KeyError(key)
        self[key] = {one.name: one for one in field.parts(self._form.scene, self._form.draft)}
        return self[key]


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
                "written": each.part.write(each.level),
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
    return part.why or Reason(f"{part.write(level)} is not {bounds_in_words(part)[0]}", field.rule)


def at_most(field: DraftField, most: int) -> Reason:
    """Why no more can be picked."""
    return Reason(f"at most {most}", field.rule)


def bounds_in_words(part: Part) -> tuple[str]:
    least = part.write(part.least)
    if part.most is None:
        return (f"{least} or more",)
    return (f"{least} to {part.write(part.most)}",) if part.most > part.least else (least,)


def spelled(price: Price) -> str:
    """A price in words: 3, or 1 1/2."""
    whole, rest = divmod(Fraction(price), 1)
    return " ".join(([str(whole)] if whole or not rest else []) + ([str(rest)] if rest else []))


def left_words(left: Price) -> str:
    return f"{spelled(left)} left" if left > 0 else "nothing left"
